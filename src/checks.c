/*
 * checks.c
 *	  Levels that a CHECK constraint already states.
 *
 * Understood: col IN (...), col = ANY (ARRAY[...]), col = 'x', OR chains of
 * these, with or without casts, any of them as one arm of an AND, and the same
 * in a domain type. Constants are only read, never computed: no function of
 * the table's owner runs. Anything else states no levels.
 */
#include "pegs.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/indexing.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

/* Casts around a constant, of built-in functions or without any. */
static Node *
strip_casts(Node *node)
{
	for (;;)
	{
		if (node && IsA(node, RelabelType))
			node = (Node *) ((RelabelType *) node)->arg;
		else if (node && IsA(node, CoerceViaIO))
			node = (Node *) ((CoerceViaIO *) node)->arg;
		else if (node && IsA(node, ArrayCoerceExpr))
			node = (Node *) ((ArrayCoerceExpr *) node)->arg;
		else if (node && IsA(node, FuncExpr)
				 && ((FuncExpr *) node)->funcformat != COERCE_EXPLICIT_CALL
				 && ((FuncExpr *) node)->funcid < FirstNormalObjectId
				 && ((FuncExpr *) node)->args != NIL)
			node = (Node *) linitial(((FuncExpr *) node)->args);
		else
			return node;
	}
}

/* Casts around the column that lose nothing: then what is equal after the cast was equal before it. */
static Node *
strip_lossless_casts(Node *node)
{
	for (;;)
	{
		if (node && IsA(node, RelabelType))
			node = (Node *) ((RelabelType *) node)->arg;
		else if (node && IsA(node, CoerceViaIO)
				 && get_typtype(getBaseType(exprType((Node *) ((CoerceViaIO *) node)->arg))) == TYPTYPE_ENUM)
			node = (Node *) ((CoerceViaIO *) node)->arg;
		else if (node && IsA(node, FuncExpr) && ((FuncExpr *) node)->funcid < FirstNormalObjectId
				 && list_length(((FuncExpr *) node)->args) == 1
				 && (((FuncExpr *) node)->funcformat == COERCE_IMPLICIT_CAST
					 || (((FuncExpr *) node)->funcformat == COERCE_EXPLICIT_CAST
						 && ((FuncExpr *) node)->funcresulttype == TEXTOID
						 && exprType(linitial(((FuncExpr *) node)->args)) == BPCHAROID)))
			node = (Node *) linitial(((FuncExpr *) node)->args);
		else
			return node;
	}
}

/* Is this the column (or a domain's VALUE)? */
static bool
is_column(Node *node, AttrNumber attnum)
{
	node = strip_lossless_casts(node);
	if (node && IsA(node, Var))
		return ((Var *) node)->varattno == attnum;
	return node && IsA(node, CoerceToDomainValue) && attnum == 0;
}

static char *
constant_text(Oid type, Datum value)
{
	Oid			function;
	bool		varlena;

	getTypeOutputInfo(type, &function, &varlena);
	return OidOutputFunctionCall(function, value);
}

/* Text of a constant, appended to *levels; false if it is not one. NULL states nothing. */
static bool
add_constant(Node *node, List **levels)
{
	Const	   *constant;

	node = strip_casts(node);
	if (node == NULL || !IsA(node, Const))
		return false;
	constant = (Const *) node;
	if (!constant->constisnull)
	{
		if (constant->consttype >= FirstNormalObjectId && get_typtype(constant->consttype) != TYPTYPE_ENUM)
			return false;
		*levels = lappend(*levels, constant_text(constant->consttype, constant->constvalue));
	}
	return true;
}

static bool
add_array(Node *node, List **levels)
{
	node = strip_casts(node);
	if (node && IsA(node, ArrayExpr))
	{
		ListCell   *cell;

		foreach(cell, ((ArrayExpr *) node)->elements)
			if (!add_constant((Node *) lfirst(cell), levels))
				return false;
		return true;
	}
	if (node && IsA(node, Const) && !((Const *) node)->constisnull)
	{
		Oid			element = get_element_type(((Const *) node)->consttype);
		int16		length;
		bool		byval;
		char		align;
		Datum	   *items;
		bool	   *nulls;
		int			n;

		if (!OidIsValid(element)
			|| (element >= FirstNormalObjectId && get_typtype(element) != TYPTYPE_ENUM))
			return false;
		get_typlenbyvalalign(element, &length, &byval, &align);
		deconstruct_array(DatumGetArrayTypeP(((Const *) node)->constvalue), element, length, byval, align,
						  &items, &nulls, &n);
		for (int i = 0; i < n; i++)
			if (!nulls[i])
				*levels = lappend(*levels, constant_text(element, items[i]));
		return true;
	}
	return false;
}

static bool
is_equality(Oid opno)
{
	char	   *name = opno < FirstNormalObjectId ? get_opname(opno) : NULL;

	return name && strcmp(name, "=") == 0;
}

/* Levels of the column that `node` allows, appended; false if it does not state them. */
static bool
add_levels(Node *node, AttrNumber attnum, List **levels)
{
	check_stack_depth();
	if (node == NULL)
		return false;
	if (IsA(node, ScalarArrayOpExpr))
	{
		ScalarArrayOpExpr *any = (ScalarArrayOpExpr *) node;

		return any->useOr && is_equality(any->opno)
			&& is_column(linitial(any->args), attnum) && add_array(lsecond(any->args), levels);
	}
	if (IsA(node, OpExpr) && list_length(((OpExpr *) node)->args) == 2)
	{
		OpExpr	   *op = (OpExpr *) node;

		if (!is_equality(op->opno))
			return false;
		if (is_column(linitial(op->args), attnum))
			return add_constant(lsecond(op->args), levels);
		return is_column(lsecond(op->args), attnum) && add_constant(linitial(op->args), levels);
	}
	if (IsA(node, NullTest))
		return ((NullTest *) node)->nulltesttype == IS_NULL && is_column((Node *) ((NullTest *) node)->arg, attnum);
	if (IsA(node, BoolExpr) && ((BoolExpr *) node)->boolop == OR_EXPR)
	{
		ListCell   *cell;

		foreach(cell, ((BoolExpr *) node)->args)
			if (!add_levels((Node *) lfirst(cell), attnum, levels))
				return false;
		return true;
	}
	if (IsA(node, BoolExpr) && ((BoolExpr *) node)->boolop == AND_EXPR)
	{
		ListCell   *cell;

		foreach(cell, ((BoolExpr *) node)->args)
		{
			List	   *arm = NIL;

			if (add_levels((Node *) lfirst(cell), attnum, &arm) && arm != NIL)
			{
				*levels = list_concat(*levels, arm);
				return true;
			}
		}
	}
	return false;
}

/* The first CHECK constraint, by name, that states levels. */
static List *
from_constraints(AttrNumber keyatt, Oid key, Oid index, AttrNumber attnum)
{
	Relation	constraints = table_open(ConstraintRelationId, AccessShareLock);
	ScanKeyData scankey;
	SysScanDesc scan;
	HeapTuple	tuple;
	List	   *best = NIL;
	char	   *best_name = NULL;

	ScanKeyInit(&scankey, keyatt, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(key));
	scan = systable_beginscan(constraints, index, true, NULL, 1, &scankey);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_constraint form = (Form_pg_constraint) GETSTRUCT(tuple);
		bool		isnull;
		Datum		bin;
		List	   *levels = NIL;

		if (form->contype != CONSTRAINT_CHECK)
			continue;
		bin = heap_getattr(tuple, Anum_pg_constraint_conbin, RelationGetDescr(constraints), &isnull);
		if (isnull || !add_levels(stringToNode(TextDatumGetCString(bin)), attnum, &levels) || levels == NIL)
			continue;
		if (best_name == NULL || strcmp(NameStr(form->conname), best_name) < 0)
		{
			best = levels;
			best_name = pstrdup(NameStr(form->conname));
		}
	}
	systable_endscan(scan);
	table_close(constraints, AccessShareLock);
	return best;
}

List *
pegs_check_levels(Oid relid, AttrNumber attnum)
{
	return from_constraints(Anum_pg_constraint_conrelid, relid, ConstraintRelidTypidNameIndexId, attnum);
}

List *
pegs_domain_check_levels(Oid domaintype)
{
	List	   *levels = NIL;

	while (levels == NIL && get_typtype(domaintype) == TYPTYPE_DOMAIN)
	{
		HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(domaintype));

		levels = from_constraints(Anum_pg_constraint_contypid, domaintype, ConstraintTypidIndexId, 0);
		domaintype = ((Form_pg_type) GETSTRUCT(tuple))->typbasetype;
		ReleaseSysCache(tuple);
	}
	return levels;
}
