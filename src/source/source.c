/*
 * source.c
 *	  Which base table a source reads: the account that pays for it.
 *
 * A partition or inheritance child belongs to its topmost ancestor. A view or
 * materialised view belongs to the one table below it and must be simple: a
 * row of the view is a function of one row of the table, so that one row more
 * in the table is at most one row more in the view. Anything else is refused,
 * naming the construct. Law L3.
 */
#include "source/source.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/catalog.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "parser/parsetree.h"
#include "rewrite/prs2lock.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"

Oid
pegs_source_parent(Oid relid)
{
	Relation	inherits = table_open(InheritsRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	Oid			parent = InvalidOid;
	bool		several = false;

	ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relid));
	scan = systable_beginscan(inherits, InheritsRelidSeqnoIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		several = OidIsValid(parent);
		parent = ((Form_pg_inherits) GETSTRUCT(tuple))->inhparent;
	}
	systable_endscan(scan);
	table_close(inherits, AccessShareLock);
	if (several)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("table \"%s\" inherits from several tables", get_rel_name(relid)),
				 errdetail("A budget belongs to one base table."),
				 errhint("Copy the rows into a table of their own.")));
	return parent;
}

/* The table whose account would pay for the rows of this one, were it not bound. */
Oid
pegs_topmost(Oid relid)
{
	for (Oid above = relid; OidIsValid(above); above = pegs_source_parent(relid))
		relid = above;
	return relid;
}

static void
refuse_view(Relation rel, const char *construct)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("view \"%s\" cannot be a source: it uses %s", RelationGetRelationName(rel), construct),
			 errdetail("A source must give at most one row for each row of one base table."),
			 errhint("Use a view of one table with columns, immutable built-in expressions and a WHERE clause without subquery.")));
}

/* The query of a view or materialised view. */
static Query *
definition(Relation rel)
{
	for (int i = 0; rel->rd_rules && i < rel->rd_rules->numLocks; i++)
	{
		RewriteRule *rule = rel->rd_rules->rules[i];

		if (rule->event == CMD_SELECT && list_length(rule->actions) == 1)
			return (Query *) linitial(rule->actions);
	}
	elog(ERROR, "view \"%s\" has no query", RelationGetRelationName(rel));
}

/* The one relation that a simple view reads. */
static RangeTblEntry *
one_table(Relation rel, Query *query, int *rtindex)
{
	FromExpr   *from = query->jointree;
	const char *problem = NULL;
	RangeTblEntry *rte;

	if (query->commandType != CMD_SELECT)
		refuse_view(rel, "a command other than SELECT");
	if (query->setOperations)
		refuse_view(rel, "a set operation (UNION, INTERSECT, EXCEPT)");
	if (query->cteList)
		refuse_view(rel, "WITH");
	if (query->hasAggs || query->havingQual)
		refuse_view(rel, "an aggregate");
	if (query->groupClause || query->groupingSets)
		refuse_view(rel, "GROUP BY");
	if (query->hasWindowFuncs)
		refuse_view(rel, "a window function");
	if (query->distinctClause || query->hasDistinctOn)
		refuse_view(rel, "DISTINCT");
	if (query->limitCount || query->limitOffset)
		refuse_view(rel, "LIMIT or OFFSET");
	if (query->hasTargetSRFs)
		refuse_view(rel, "a set-returning function");
	if (query->hasSubLinks)
		refuse_view(rel, "a subquery");
	if (query->rowMarks)
		refuse_view(rel, "FOR UPDATE or FOR SHARE");
	if (list_length(from->fromlist) != 1 || !IsA(linitial(from->fromlist), RangeTblRef))
		refuse_view(rel, from->fromlist == NIL ? "no table" : "a join");
	*rtindex = linitial_node(RangeTblRef, from->fromlist)->rtindex;
	rte = rt_fetch(*rtindex, query->rtable);
	if (rte->rtekind != RTE_RELATION)
		refuse_view(rel, rte->rtekind == RTE_SUBQUERY ? "a subquery in FROM"
					: rte->rtekind == RTE_FUNCTION ? "a function in FROM" : "something other than a table in FROM");
	if (rte->tablesample)
		refuse_view(rel, "TABLESAMPLE");
	if (pegs_expression_problem((Node *) query->targetList, &problem)
		|| pegs_expression_problem(from->quals, &problem))
		refuse_view(rel, problem);
	if ((problem = pegs_mutable_problem((Node *) query->targetList)) != NULL || (problem = pegs_mutable_problem(from->quals)) != NULL)
		refuse_view(rel, problem);
	return rte;
}

static void
refuse_kind(Relation rel, const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 errmsg("\"%s\" cannot be a source: it is %s", RelationGetRelationName(rel), what),
			 errhint("Use a table, partitioned table, foreign table, or a simple view of one.")));
}

/* Opened under a lock that is held to the end of the transaction, or an error. */
static Relation
open_locked(Oid relid)
{
	Relation	rel = try_relation_open(relid, AccessShareLock);

	if (rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relid),
				 errhint("Name the table: source => 'schema.table'")));
	return rel;
}

/*
 * A materialized view has what its owner, and those of the views below it, were
 * shown of the table. A policy may look at other rows, so that one row more in
 * the table is many in the view. (Read now, a policy that applies is an error:
 * server/state.c.)
 */
static void
refuse_policies(Relation rel, List *stored_by)
{
	ListCell   *cell;

	foreach(cell, stored_by)
		if (check_enable_rls(RelationGetRelid(rel), lfirst_oid(cell), true) == RLS_ENABLED)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("a materialized view of table \"%s\" cannot be a source: row security says which rows it has",
							RelationGetRelationName(rel)),
					 errdetail("A policy may look at other rows. A source must give at most one row for each row of one base table."),
					 errhint("Let the owner of the table, to whom its row security does not apply, own the views, and REFRESH MATERIALIZED VIEW.")));
}

/* What is to be done anew when a part has left: materialized views, those below first. */
static char *
refresh_words(const List *stored)
{
	StringInfoData words;

	initStringInfo(&words);
	for (int i = list_length(stored) - 1; i >= 0; i--)
		appendStringInfo(&words, " REFRESH MATERIALIZED VIEW %s;", pegs_relation_words(list_nth_oid(stored, i)));
	return words.data;
}

/* How a part leaves a table; what was stored of both is to be done anew. */
static int
hint_leave(Oid part, const List *stored)
{
	char	   *parent = pegs_relation_words(pegs_source_parent(part));
	char	   *name = pegs_relation_words(part);

	if (get_rel_relispartition(part))
		return errhint("ALTER TABLE %s DETACH PARTITION %s;%s", parent, name, refresh_words(stored));
	return errhint("ALTER FOREIGN TABLE %s NO INHERIT %s;%s", name, parent, refresh_words(stored));
}

/* A second name for a relation that is here: that one has an account, a unit, and must be a table or a simple view. */
static void
refuse_back(Oid relid, const List *parts, const List *stored, Oid asks)
{
	ListCell   *cell;

	foreach(cell, parts)
	{
		Oid			part = lfirst_oid(cell);
		Oid			here = pegs_leads_back(part, asks);

		if (OidIsValid(here))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("foreign table \"%s\" leads back to this database", get_rel_name(part)),
					 errdetail("It stands for %s, by whose name account, unit and rights are asked.", pegs_relation_words(here)),
					 part == relid ? errhint("Name that one: source => %s", pegs_relation_literal(here)) : hint_leave(part, stored)));
	}
}

/*
 * A row that two parts give is counted twice, and what is charged protects it as
 * if it were counted once. Parts are locked; where their servers are is not. What
 * materialized views have stored of them has such a row twice: stored, from above.
 */
void
pegs_require_once(Oid relid, const List *parts, const List *stored, Oid asks)
{
	Oid			one;
	Oid			other;

	refuse_back(relid, parts, stored, asks);
	if (!pegs_same_rows(parts, asks, &one, &other))
		return;
	/* the table itself is no part that could leave */
	if (other == relid)
	{
		other = one;
		one = relid;
	}
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("\"%s\" and \"%s\", parts of \"%s\", stand for the same rows", get_rel_name(one), get_rel_name(other), get_rel_name(relid)),
			 errdetail("Each of those rows would be counted twice, and protected as if it were counted once."),
			 hint_leave(other, stored)));
}

/* Rows of a part that has a second parent would be read under two accounts. */
static void
refuse_second_parents(const List *parts)
{
	ListCell   *cell;

	foreach(cell, parts)
		(void) pegs_source_parent(lfirst_oid(cell));
}

/*
 * The table that pays for reading `relid`. On the way down it notes what a
 * query of the source reads, and whose the rows at its end are: each relation
 * is locked first and looked at then, so that nothing of it changes until the
 * transaction has ended. A table takes a new part even so: the parts are kept
 * as they were looked at, and no others are read (pegs_require_listed).
 */
static Oid
account_of(Oid relid, PegsSource *source)
{
	Relation	rel;
	char		relkind;
	Oid			below = InvalidOid;

	check_stack_depth();
	rel = open_locked(relid);
	relkind = rel->rd_rel->relkind;
	if (relid < FirstNormalObjectId || IsCatalogRelation(rel))
		refuse_kind(rel, "a system table");
	if (rel->rd_rel->relpersistence == RELPERSISTENCE_TEMP)
		refuse_kind(rel, "temporary");
	if (!OidIsValid(source->rows))
	{
		source->chain = lappend_oid(source->chain, relid);
		if (relkind != RELKIND_VIEW)
		{
			source->rows = relid;
			source->parts = find_all_inheritors(relid, AccessShareLock, NULL);
		}
	}
	if (relkind == RELKIND_VIEW || relkind == RELKIND_MATVIEW)
	{
		int			rtindex;

		if (relkind == RELKIND_MATVIEW || source->stored_by)
			source->stored_by = lappend_oid(source->stored_by, rel->rd_rel->relowner);
		if (relkind == RELKIND_MATVIEW)
		{
			source->stored = lappend_oid(source->stored, relid);
			source->stores = rel->rd_rel->relowner;
		}
		source->asks = pegs_is_invoker(rel) ? source->stores : rel->rd_rel->relowner;
		below = one_table(rel, definition(rel), &rtindex)->relid;
	}
	else if (relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE
			 && relkind != RELKIND_FOREIGN_TABLE)
		refuse_kind(rel, "not a table");
	else
	{
		bool		is_stored = source->stored_by != NIL;

		refuse_policies(rel, source->stored_by);
		source->stored_by = NIL;	/* those of a parent were not asked */
		below = pegs_source_parent(relid);
		if (source->rows == relid || is_stored)
		{
			List	   *parts = is_stored ? find_all_inheritors(relid, AccessShareLock, NULL) : source->parts;

			refuse_second_parents(parts);
			if (!OidIsValid(source->asks))
				source->asks = rel->rd_rel->relowner;
			if (!source->unread)
				pegs_require_once(relid, parts, source->stored, source->asks);
		}
		else if (!OidIsValid(below) && rel->rd_rel->relhassubclass)
			refuse_second_parents(find_all_inheritors(relid, AccessShareLock, NULL));
	}
	relation_close(rel, NoLock);
	return OidIsValid(below) ? account_of(below, source) : relid;
}

/* As it is called now: its schema may have another name the next moment. */
char *
pegs_relation_name(Relation rel)
{
	return quote_qualified_identifier(get_namespace_name(RelationGetNamespace(rel)), RelationGetRelationName(rel));
}

/* Qualified and quoted, for a statement that somebody may run; NULL if the relation is gone. */
char *
pegs_relation_words(Oid relid)
{
	char	   *name = get_rel_name(relid);

	return name ? quote_qualified_identifier(get_namespace_name(get_rel_namespace(relid)), name) : NULL;
}

/* 'schema.table' as a literal that regclass reads back; NULL if the relation is gone. */
char *
pegs_relation_literal(Oid relid)
{
	char	   *name = pegs_relation_words(relid);

	return name ? quote_literal_cstr(name) : NULL;
}

static PegsSource *
source_of(Oid relid, bool unread)
{
	PegsSource *source = palloc0(sizeof(PegsSource));
	Relation	rel;

	source->relid = relid;
	source->unread = unread;
	source->account = account_of(relid, source);
	/* named after the lock: for messages, and for a query that is then compared with what was locked (reading.c) */
	rel = open_locked(relid);
	source->name = pegs_relation_name(rel);
	relation_close(rel, NoLock);
	return source;
}

PegsSource *
pegs_source(Oid relid)
{
	return source_of(relid, false);
}

/* What was declared of a table stays, when it has come to lead back here: it can still be printed and forgotten. */
PegsSource *
pegs_source_unread(Oid relid)
{
	return source_of(relid, true);
}

bool
pegs_source_column(Oid relid, AttrNumber attnum, Oid *base, AttrNumber *base_attnum)
{
	Relation	rel = table_open(relid, AccessShareLock);
	bool		found = false;

	if (rel->rd_rel->relkind == RELKIND_VIEW || rel->rd_rel->relkind == RELKIND_MATVIEW)
	{
		Query	   *query = definition(rel);
		int			rtindex;
		RangeTblEntry *rte = one_table(rel, query, &rtindex);
		TargetEntry *entry = get_tle_by_resno(query->targetList, attnum);

		if (entry && IsA(entry->expr, Var))
		{
			Var		   *var = (Var *) entry->expr;

			found = (int) var->varno == rtindex && var->varattno > 0;
			*base = rte->relid;
			*base_attnum = var->varattno;
		}
	}
	else
	{
		Oid			parent = pegs_source_parent(relid);

		if (OidIsValid(parent))
		{
			char	   *name = get_attname(relid, attnum, false);

			*base = parent;
			*base_attnum = get_attnum(parent, name);
			found = *base_attnum > 0;
		}
	}
	table_close(rel, AccessShareLock);	/* pegs_source has one that stays; who is no curator delays nobody */
	return found;
}

/* The column of the base table that column `attnum` of the source is; false for one that a view computes, or that is none (a hidden one). */
bool
pegs_base_column(const PegsSource *source, AttrNumber attnum, AttrNumber *base_attnum)
{
	Oid			relid = source->relid;

	*base_attnum = attnum;
	if (attnum < 1)
		return false;
	while (relid != source->account)
		if (!pegs_source_column(relid, *base_attnum, &relid, base_attnum))
			return false;
	return true;
}
