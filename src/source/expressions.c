/*
 * expressions.c
 *	  What an expression may be made of where we run it: in a view or a computed
 *	  column, in a cast of a reading, in a constant of a CHECK.
 *
 * The functions that it calls are in its tree, but for those that a function
 * calls which is written for values of any type. Law L9.
 */
#include "source/source.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/*
 * A function in SQL, or another language, for values of any type: which casts and functions it calls is said by that type, so by
 * its owner. The server has some: quote_literal(anyelement), text || anything.
 */
bool
pegs_calls_by_type(Oid funcid)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(funcid));
	Form_pg_proc function;
	bool		by_type = false;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "a function of the query is missing");
	function = (Form_pg_proc) GETSTRUCT(tuple);
	for (int i = 0; i < function->pronargs; i++)
		by_type |= IsPolymorphicType(function->proargtypes.values[i]) || function->proargtypes.values[i] == RECORDOID;
	by_type &= function->prolang != INTERNALlanguageId && function->prolang != ClanguageId;
	ReleaseSysCache(tuple);
	return by_type;
}

/* Not one of the server's own, or one that may call others. */
bool
pegs_function_is_foreign(Oid funcid, void *context)
{
	return funcid >= FirstNormalObjectId || pegs_calls_by_type(funcid);
}

/* Notes the first one. */
static bool
note_foreign(Oid funcid, void *context)
{
	*(Oid *) context = funcid;
	return pegs_function_is_foreign(funcid, NULL);
}

static bool
note_mutable(Oid funcid, void *context)
{
	*(Oid *) context = funcid;
	return func_volatile(funcid) != PROVOLATILE_IMMUTABLE;
}

static bool
find_mutable(Node *node, void *context)
{
	return node != NULL && (check_functions_in_node(node, note_mutable, context) || expression_tree_walker(node, find_mutable, context));
}

/* "a function that is ...: its name". What is in the catalog is public. */
static const char *
named(const char *what, Oid funcid)
{
	const char *name = get_func_name(funcid);

	return name ? psprintf("%s: %s", what, name) : what;
}

/* What is not allowed in an expression, in words. */
bool
pegs_expression_problem(Node *node, const char **problem)
{
	Oid			funcid;

	if (node == NULL)
		return false;
	if (IsA(node, SubLink))
		*problem = "a subquery";
	else if (IsA(node, WindowFunc))
		*problem = "a window function";
	else if (IsA(node, Aggref) || IsA(node, GroupingFunc))
		*problem = "an aggregate";
	else if (IsA(node, FuncExpr) && ((FuncExpr *) node)->funcretset)
		*problem = "a set-returning function";
	else if (check_functions_in_node(node, note_foreign, &funcid))
		*problem = named("a function that is not built in", funcid);
	else if (IsA(node, CoerceToDomain))
		*problem = "a cast to a domain";
	else if (IsA(node, Var) && ((Var *) node)->varattno < 0)
		*problem = "a system column";
	if (*problem)
		return true;
	return expression_tree_walker(node, pegs_expression_problem, (void *) problem);
}

/* What is not immutable in it, in words, by its name if it has one; NULL: nothing. */
const char *
pegs_mutable_problem(Node *node)
{
	Oid			funcid = InvalidOid;

	if (find_mutable(node, &funcid))
		return named("a function that is not immutable", funcid);
	/* and what is no call of a function: current_user, a default of a sequence */
	return contain_mutable_functions(node) ? "a function that is not immutable" : NULL;
}
