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
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

typedef struct Called
{
	Oid			role;			/* as whom the query runs */
	const char *problem;		/* the first function that it must not call, in words */
} Called;

/* Of a role that may not do all that the one may as whom it would run (a superuser may, whose those of extensions are); or of anybody, if it calls by type. */
static bool
is_stranger(Oid funcid, void *context)
{
	Called	   *called = context;
	HeapTuple	tuple;
	Oid			owner;

	if (pegs_calls_by_type(funcid))
		called->problem = psprintf("a function that calls what the type's owner says: %s", get_func_name(funcid));
	else if (pegs_function_is_foreign(funcid, NULL))
	{
		tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(funcid));
		if (!HeapTupleIsValid(tuple))
			elog(ERROR, "a function of the query is missing");
		owner = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
		ReleaseSysCache(tuple);
		if (!has_privs_of_role(owner, called->role))
			called->problem = psprintf("a function of somebody else: %s", get_func_name(funcid));
	}
	return called->problem != NULL;
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

/* What a query takes from a row, on every level of it: legs, and what stands in FROM. */
static bool
takes_by_others(Node *node, void *context)
{
	Called	   *called = context;

	if (node == NULL || called->problem)
		return false;
	if (IsA(node, Query))
	{
		(void) pegs_expression_problem((Node *) ((Query *) node)->targetList, &called->problem);
		return query_tree_walker((Query *) node, takes_by_others, context, 0);
	}
	return expression_tree_walker(node, takes_by_others, context);
}

/* Before views are expanded. What a guest's query takes from a row is by built-in functions alone. */
void
pegs_require_no_strangers(const PegsReading *r, Query *query)
{
	Called		called = {.role = r->role};

	if (r->guest)
		(void) takes_by_others((Node *) query, &called);
	if (called.problem || calls_stranger((Node *) query, &called))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s cannot be read: a column's type needs %s", r->name, called.problem),
				 errhint("Copy the rows into a table with columns of the original's types.")));
}
