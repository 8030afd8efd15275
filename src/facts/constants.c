/*
 * constants.c
 *	  Comparisons of a column with constants, in CHECK constraints: which side is
 *	  the column, what the other comes to, and does it hold for a value.
 *
 * Only built-in immutable functions run, none of the table's owner. What they
 * complain of is no error: the constraint says nothing then.
 */
#include "facts/constants.h"
#include "facts/facts.h"
#include "codes/codes.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/resowner.h"

/* Does a cast by a built-in function give another value for every other value? */
static bool
is_injective_cast(Oid from, Oid to)
{
	switch (getBaseType(from))
	{
		case INT2OID:
			return to == INT4OID || to == INT8OID || to == NUMERICOID || to == FLOAT4OID || to == FLOAT8OID;
		case INT4OID:
			return to == INT8OID || to == NUMERICOID || to == FLOAT8OID;
		case INT8OID:
			return to == NUMERICOID;
		case FLOAT4OID:
			return to == FLOAT8OID;
		case DATEOID:
			return to == TIMESTAMPOID;
		case BPCHAROID:
			return to == TEXTOID;
		default:
			return false;
	}
}

/* Casts around the column that lose nothing: then what is equal after the cast was equal before it. */
Node *
pegs_without_casts(Node *node)
{
	for (;;)
	{
		/* the same bytes; but as a char(n) 'a' and 'a ' are equal */
		if (node && IsA(node, RelabelType)
			&& (((RelabelType *) node)->resulttype != BPCHAROID
				|| getBaseType(exprType((Node *) ((RelabelType *) node)->arg)) == BPCHAROID))
			node = (Node *) ((RelabelType *) node)->arg;
		else if (node && IsA(node, CoerceViaIO)
				 && get_typtype(getBaseType(exprType((Node *) ((CoerceViaIO *) node)->arg))) == TYPTYPE_ENUM)
			node = (Node *) ((CoerceViaIO *) node)->arg;
		else if (node && IsA(node, FuncExpr) && ((FuncExpr *) node)->funcid < FirstNormalObjectId
				 && list_length(((FuncExpr *) node)->args) == 1
				 && ((FuncExpr *) node)->funcformat != COERCE_EXPLICIT_CALL
				 && is_injective_cast(exprType(linitial(((FuncExpr *) node)->args)), ((FuncExpr *) node)->funcresulttype))
			node = (Node *) linitial(((FuncExpr *) node)->args);
		else
			return node;
	}
}

/* Is this the column (or a domain's VALUE)? */
bool
pegs_is_column(Node *node, AttrNumber attnum)
{
	node = pegs_without_casts(node);
	if (node && IsA(node, Var))
		return ((Var *) node)->varattno == attnum;
	return node && IsA(node, CoerceToDomainValue) && attnum == 0;
}

static bool
runs_foreign_code(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return check_functions_in_node(node, pegs_function_is_foreign, NULL) || IsA(node, CoerceToDomain)
		|| expression_tree_walker(node, runs_foreign_code, context);
}

static void
let_go(ResourceOwner mine, ResourceOwner before)
{
	CurrentResourceOwner = before;
	ResourceOwnerRelease(mine, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
	ResourceOwnerRelease(mine, RESOURCE_RELEASE_LOCKS, false, false);
	ResourceOwnerRelease(mine, RESOURCE_RELEASE_AFTER_LOCKS, false, false);
	ResourceOwnerDelete(mine);
}

/*
 * What an expression without a column comes to, by built-in immutable functions
 * alone; NULL if it does not. The planner holds its catalog entries while a
 * function runs: one that fails leaves them to an owner of ours.
 */
Const *
pegs_constant_of(Node *node)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner before = CurrentResourceOwner;
	ResourceOwner mine;
	Node	   *volatile folded = NULL;

	if (runs_foreign_code(node, NULL))
		return NULL;
	mine = ResourceOwnerCreate(before, "pegs constant");
	CurrentResourceOwner = mine;
	PG_TRY();
	{
		folded = eval_const_expressions(NULL, node);
	}
	PG_CATCH();
	{
		CurrentResourceOwner = before;
		pegs_forgive_data_error(context);
	}
	PG_END_TRY();
	let_go(mine, before);
	return folded && IsA(folded, Const) ? (Const *) folded : NULL;
}

/* A comparison with a level, a text in canonical notation, in the column's place. */
Node *
pegs_with_value(Node *node, const char *text)
{
	if (node && (IsA(node, Var) || IsA(node, CoerceToDomainValue)))
	{
		int32		typmod = exprTypmod(node);
		Oid			base = getBaseTypeAndTypmod(exprType(node), &typmod);
		int16		length;
		bool		byval;

		get_typlenbyval(base, &length, &byval);
		return (Node *) makeConst(exprType(node), typmod, exprCollation(node), length,
								  pegs_from_canonical(base, typmod, text), false, byval);
	}
	return expression_tree_mutator(node, pegs_with_value, (void *) text);
}
