/*
 * bounded.c
 *	  How long the values of an expression may become.
 *
 * It runs row by row in the session of whoever draws rows, who need not trust
 * its author: nothing in it may take memory as if there were no end of it. What
 * makes a text as long as a number says, or puts a text in the place of every
 * character, takes a constant that is small; arrays are not made of arrays; and
 * every text is measured before the next function has it. A longer one is an
 * error, as one that is too long for its column is (rows/computed.c).
 */
#include "facts/facts.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#define LONGEST 1000			/* characters of a text, on its way, too */
#define TIMES 100				/* by which one function makes a text longer */

/* Arguments that say how long a value becomes; other functions make one that is as long as their arguments, or a few times. */
static const struct
{
	const char *function;
	int			argument;
	int32		most;			/* the number, or the bytes of a text */
}			lengths[] = {
	{"lpad", 1, LONGEST},
	{"rpad", 1, LONGEST},
	{"bpchar", 1, LONGEST + (int32) VARHDRSZ},	/* the typmod */
	{"repeat", 1, TIMES},
	{"replace", 2, TIMES},
	{"regexp_replace", 2, TIMES}
};

static bool
is_small(const Node *node, int32 most)
{
	const Const *constant = (const Const *) node;

	if (!IsA(node, Const))
		return false;
	if (constant->constisnull)
		return true;
	if (constant->consttype == INT4OID)
		return DatumGetInt32(constant->constvalue) <= most;
	return constant->consttype == TEXTOID && (int32) VARSIZE_ANY_EXHDR(DatumGetPointer(constant->constvalue)) <= most;
}

static bool
is_array(Node *node)
{
	return OidIsValid(get_element_type(exprType(node)));
}

/* What this node of an expression has that may become too long; or NULL. */
const char *
pegs_length_problem(Node *node)
{
	Oid			function = IsA(node, FuncExpr) ? ((FuncExpr *) node)->funcid : IsA(node, OpExpr) ? get_opcode(((OpExpr *) node)->opno) : InvalidOid;
	List	   *args = IsA(node, FuncExpr) ? ((FuncExpr *) node)->args : IsA(node, OpExpr) ? ((OpExpr *) node)->args : NIL;
	const char *name = OidIsValid(function) ? get_func_name(function) : NULL;
	ListCell   *cell;

	for (int i = 0; name && i < (int) lengthof(lengths); i++)
		if (strcmp(name, lengths[i].function) == 0 && list_length(args) > lengths[i].argument
			&& !is_small(list_nth(args, lengths[i].argument), lengths[i].most))
			return psprintf("a length that is not said by a small constant, in %s", name);
	foreach(cell, args)
		if (is_array(node) && is_array(lfirst(cell)))
			return "an array that is made of another";
	return NULL;
}

/* The same text, or an error if it is too long. */
static Node *
measured(Node *node)
{
	Oid			type = exprType(node);
	int32		typmod = exprTypmod(node);
	Oid			collation = exprCollation(node);
	Node	   *text = type == VARCHAROID ? node : (Node *) makeRelabelType((Expr *) node, VARCHAROID, -1, collation, COERCE_IMPLICIT_CAST);
	List	   *args = list_make3(text, makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(LONGEST + VARHDRSZ), false, true),
								  makeBoolConst(false, false));
	FuncExpr   *cast = makeFuncExpr(F_VARCHAR_VARCHAR_INT4_BOOL, VARCHAROID, args, collation, collation, COERCE_IMPLICIT_CAST);

	return (Node *) makeRelabelType((Expr *) cast, type, typmod, collation, COERCE_IMPLICIT_CAST);
}

/* An expression that is allowed, with every text in it measured. */
Node *
pegs_bounded(Node *node, void *context)
{
	Node	   *copy;

	if (node == NULL)
		return NULL;
	copy = expression_tree_mutator(node, pegs_bounded, context);
	if ((IsA(node, Var) || IsA(node, FuncExpr) || IsA(node, OpExpr) || IsA(node, CoerceViaIO))
		&& (exprType(node) == TEXTOID || exprType(node) == VARCHAROID))
		return measured(copy);
	return copy;
}
