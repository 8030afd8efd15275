/*
 * checks.c
 *	  Levels that a CHECK constraint already states.
 *
 * Understood: col IN (...), col = ANY (ARRAY[...]), col = 'x', OR chains of
 * these, with or without casts, any of them as one arm of an AND, and the same
 * in a domain type. No function of the table's owner runs. What was read from
 * constants is tried: the comparison itself, with a level in the column's
 * place, must be true. Anything else states no levels.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/indexing.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

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
static Node *
strip_lossless_casts(Node *node)
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
static bool
is_column(Node *node, AttrNumber attnum)
{
	node = strip_lossless_casts(node);
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

/* What an expression without a column comes to, by built-in immutable functions alone; NULL if it does not. */
static Const *
constant_of(Node *node)
{
	MemoryContext context = CurrentMemoryContext;
	Node	   *volatile folded = NULL;

	if (runs_foreign_code(node, NULL))
		return NULL;
	PG_TRY();
	{
		folded = eval_const_expressions(NULL, node);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		if (ERRCODE_TO_CATEGORY(error->sqlerrcode) != ERRCODE_DATA_EXCEPTION)
			PG_RE_THROW();
		FlushErrorState();
	}
	PG_END_TRY();
	return folded && IsA(folded, Const) ? (Const *) folded : NULL;
}

static bool
may_be_level(Oid type)
{
	return type < FirstNormalObjectId || get_typtype(type) == TYPTYPE_ENUM;
}

/* Text of a constant, appended to *levels; false if it is not one. NULL states nothing. */
static bool
add_constant(Node *node, List **levels)
{
	Const	   *constant = constant_of(node);

	if (constant == NULL || !may_be_level(constant->consttype))
		return false;
	if (!constant->constisnull)
		*levels = lappend(*levels, pegs_output(constant->consttype, constant->constvalue));
	return true;
}

static bool
add_array(Node *node, List **levels)
{
	Const	   *constant = constant_of(node);
	Oid			element = constant ? get_element_type(constant->consttype) : InvalidOid;
	int16		length;
	bool		byval;
	char		align;
	Datum	   *items;
	bool	   *nulls;
	int			n;

	if (!OidIsValid(element) || constant->constisnull || !may_be_level(element))
		return false;
	get_typlenbyvalalign(element, &length, &byval, &align);
	deconstruct_array(DatumGetArrayTypeP(constant->constvalue), element, length, byval, align, &items, &nulls, &n);
	for (int i = 0; i < n; i++)
		if (!nulls[i])
			*levels = lappend(*levels, pegs_output(element, items[i]));
	return true;
}

static bool
is_equality(Oid opno)
{
	char	   *name = opno < FirstNormalObjectId ? get_opname(opno) : NULL;

	return name && strcmp(name, "=") == 0;
}

/* A comparison with a level, a text in canonical notation, in the column's place. */
static Node *
with_level(Node *node, const char *text)
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
	return expression_tree_mutator(node, with_level, (void *) text);
}

/*
 * Does the comparison hold for the level? Not if the column's type cannot hold
 * the constant (real: 0.1). A text that is no value of the type stays:
 * domain.c says so.
 */
static bool
level_satisfies(Node *comparison, Node *column, const char *text)
{
	int32		typmod = exprTypmod(column);
	Oid			base = getBaseTypeAndTypmod(exprType(column), &typmod);
	char	   *label = pegs_try_canonical(base, typmod, text);
	Const	   *result = label ? constant_of(with_level(comparison, label)) : NULL;

	return label == NULL || (result && !result->constisnull && DatumGetBool(result->constvalue));
}

/* Appends the levels that a comparison read from its constants, if it holds for each. */
static bool
add_if_all_hold(Node *comparison, Node *column, Oid collation, List *read, List **levels)
{
	ListCell   *cell;

	if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
		return false;			/* what is equal may be another text */
	foreach(cell, read)
		if (!level_satisfies(comparison, strip_lossless_casts(column), (char *) lfirst(cell)))
			return false;
	*levels = list_concat(*levels, read);
	return true;
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
		List	   *read = NIL;

		return any->useOr && is_equality(any->opno)
			&& is_column(linitial(any->args), attnum) && add_array(lsecond(any->args), &read)
			&& add_if_all_hold(node, linitial(any->args), any->inputcollid, read, levels);
	}
	if (IsA(node, OpExpr) && list_length(((OpExpr *) node)->args) == 2)
	{
		OpExpr	   *op = (OpExpr *) node;
		List	   *read = NIL;
		bool		left = is_column(linitial(op->args), attnum);

		return is_equality(op->opno) && (left || is_column(lsecond(op->args), attnum))
			&& add_constant(left ? lsecond(op->args) : linitial(op->args), &read)
			&& add_if_all_hold(node, left ? linitial(op->args) : lsecond(op->args), op->inputcollid, read, levels);
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
