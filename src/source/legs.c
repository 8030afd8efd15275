/*
 * legs.c
 *	  A query that reads rows, made into one that counts them where they are.
 *
 * SELECT a, b FROM t becomes SELECT aggregate(what to count, a, b), 1 FROM t;
 * of a UNION ALL each leg does, and its number says which state is whose, also
 * where there are several such queries, one after the other. The
 * aggregate is called by its number, in the analysed query: nothing is looked
 * up by name here (law L9). A leg that is read on another server is the
 * exception that cannot be helped: postgres_fdw writes a name into what it
 * sends, schema and all, and the other server looks it up (docs/scale.md says
 * what that trusts).
 */
#include "source/source.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* The queries that read a relation each, in their order: itself, or the legs of a UNION ALL. */
List *
pegs_legs(Query *query)
{
	List	   *legs = NIL;
	ListCell   *cell;

	if (query->setOperations == NULL)
		return list_make1(query);
	foreach(cell, query->rtable)
	{
		RangeTblEntry *rte = lfirst(cell);

		if (rte->rtekind != RTE_SUBQUERY)
			elog(ERROR, "a leg is not a query");
		legs = lappend(legs, rte->subquery);
	}
	return legs;
}

/* Of several tables each stands where it was meant: two may have each other's names by now. */
bool
pegs_legs_name(Query *query, List *named)
{
	ListCell   *next = list_head(named);
	ListCell   *leg;
	ListCell   *cell;

	foreach(leg, pegs_legs(query))
		foreach(cell, lfirst_node(Query, leg)->rtable)
		{
			RangeTblEntry *rte = lfirst_node(RangeTblEntry, cell);

			if (rte->rtekind != RTE_RELATION)
				continue;
			if (next == NULL || rte->relid != lfirst_oid(next))
				return false;
			next = lnext(named, next);
		}
	return next == NULL;
}

static void
add_argument(Aggref *call, Expr *argument)
{
	call->aggargtypes = lappend_oid(call->aggargtypes, exprType((Node *) argument));
	call->args = lappend(call->args, makeTargetEntry(argument, (AttrNumber) (list_length(call->args) + 1), NULL, false));
}

static Aggref *
aggregate_of(const PegsCounted *counted, bool shipped, const List *columns)
{
	Oid			function = shipped ? counted->shipped : counted->local;
	Const	   *what = makeConst(shipped ? JSONOID : BYTEAOID, -1, InvalidOid, -1,
								 PointerGetDatum(shipped ? counted->shipped_what : counted->local_what), false, false);
	Aggref	   *call = makeNode(Aggref);
	int			n = list_length(columns);
	int			before = counted->persons ? PEGS_PERSON_ARGUMENTS : 0;

	call->aggfnoid = function;
	call->aggtype = get_func_rettype(function);
	add_argument(call, (Expr *) what);
	for (int i = 0; i < n; i++)
	{
		TargetEntry *entry = list_nth_node(TargetEntry, columns, (i + n - before) % n);

		if (entry->resjunk)
			elog(ERROR, "a leg has a column that is not read");
		add_argument(call, entry->expr);
	}
	call->aggkind = AGGKIND_NORMAL;
	call->aggsplit = AGGSPLIT_SIMPLE;
	call->aggno = call->aggtransno = -1;
	call->location = -1;
	return call;
}

/* Two columns instead of those that were read: a state, and the number of the leg. */
static void
count_leg(Query *leg, const PegsCounted *counted, int number)
{
	Aggref	   *call = aggregate_of(counted, list_member_int(counted->shipped_legs, number), leg->targetList);
	Const	   *which = makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(number), false, true);

	leg->targetList = list_make2(makeTargetEntry((Expr *) call, 1, pstrdup("state"), false),
								 makeTargetEntry((Expr *) which, 2, pstrdup("leg"), false));
	leg->hasAggs = true;
}

static void
retype_operations(Node *node, Oid state)
{
	SetOperationStmt *operation = (SetOperationStmt *) node;

	if (!IsA(node, SetOperationStmt))
		return;
	if (operation->op != SETOP_UNION || !operation->all)
		elog(ERROR, "legs are not added up");
	operation->colTypes = list_make2_oid(state, INT4OID);
	operation->colTypmods = list_make2_int(-1, -1);
	operation->colCollations = list_make2_oid(InvalidOid, InvalidOid);
	retype_operations(operation->larg, state);
	retype_operations(operation->rarg, state);
}

void
pegs_count_legs(Query *query, PegsCounted *counted)
{
	Oid			state = get_func_rettype(counted->local);
	ListCell   *cell;
	Index		first;

	foreach(cell, pegs_legs(query))
		count_leg(lfirst(cell), counted, ++counted->before);
	if (query->setOperations == NULL)
		return;
	foreach(cell, query->rtable)
		((RangeTblEntry *) lfirst(cell))->eref->colnames = list_make2(makeString(pstrdup("state")), makeString(pstrdup("leg")));
	retype_operations(query->setOperations, state);
	first = castNode(Var, linitial_node(TargetEntry, query->targetList)->expr)->varno;
	query->targetList = list_make2(makeTargetEntry((Expr *) makeVar(first, 1, state, -1, InvalidOid, 0), 1, pstrdup("state"), false),
								   makeTargetEntry((Expr *) makeVar(first, 2, INT4OID, -1, InvalidOid, 0), 2, pstrdup("leg"), false));
}

/*
 * Workers that took part, and foreign tables whose rows came here: a scan that
 * has a relation of the query gives rows of it, and one of a whole leg has none.
 */
bool
pegs_saw_legs(PlanState *state, void *context)
{
	PegsCounted *counted = context;

	if (state && IsA(state, GatherState))
		counted->workers += ((GatherState *) state)->nworkers_launched;
	if (state && IsA(state, ForeignScanState) && castNode(ForeignScan, state->plan)->scan.scanrelid > 0)
		counted->pulled = list_append_unique_oid(counted->pulled, RelationGetRelid(((ForeignScanState *) state)->ss.ss_currentRelation));
	return planstate_tree_walker(state, pegs_saw_legs, context);
}
