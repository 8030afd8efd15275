/*
 * strangers.c
 *	  Whose functions a query of ours calls.
 *
 * A value is cast where its type is not that of the original, and whoever owns
 * one of the two types says by which function. The query runs as the owner of
 * the rows: neither that owner nor the caller has asked for code of a third.
 * Law L9. What a view of it calls is its owner's, and not looked at here.
 */
#include "source/source.h"

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

typedef struct Called
{
	Oid			role;			/* as whom the query runs */
	const char *stranger;		/* the first function of anybody else */
} Called;

/* Not the server's own, nor of a superuser, as those of extensions are, nor of the role that it would run as. */
static bool
is_stranger(Oid funcid, void *context)
{
	Called	   *called = context;
	HeapTuple	tuple;
	Oid			owner;

	if (!pegs_function_is_foreign(funcid, NULL))
		return false;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(funcid));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "a function of the query is missing");
	owner = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
	if (owner != called->role && !superuser_arg(owner))
		called->stranger = pstrdup(NameStr(((Form_pg_proc) GETSTRUCT(tuple))->proname));
	ReleaseSysCache(tuple);
	return called->stranger != NULL;
}

static bool
calls_stranger(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, calls_stranger, context, 0);
	return check_functions_in_node(node, is_stranger, context) || expression_tree_walker(node, calls_stranger, context);
}

/* Before views are expanded. Of a guest's query nothing is called but what is built in, whosever it is. */
void
pegs_require_no_strangers(const PegsReading *r, Query *query)
{
	Called		called = {.role = r->role};
	const char *problem = NULL;
	ListCell   *leg;

	foreach(leg, pegs_legs(query))
		if (r->guest && problem == NULL)
			(void) pegs_expression_problem((Node *) lfirst_node(Query, leg)->targetList, &problem);
	if (problem == NULL && calls_stranger((Node *) query, &called))
		problem = psprintf("a function of somebody else: %s", called.stranger);
	if (problem)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s cannot be read: a column's type needs %s", r->name, problem),
				 errhint("Copy the rows into a table with columns of the original's types.")));
}
