/*
 * checks.c
 *	  Levels, and ranges, that CHECK constraints already state.
 *
 * Understood: col IN (...), col = ANY (ARRAY[...]), col = 'x', OR chains of
 * these, with or without casts, any of them as one arm of an AND, and the same
 * in a domain type. No function of the table's owner runs. What was read from
 * constants is tried: the comparison itself, with a level in the column's
 * place, must be true. Anything else states no levels. A range is what
 * col >= 0 AND col <= 120 says, also BETWEEN, in one constraint or in two.
 */
#include "facts/constants.h"
#include "facts/facts.h"
#include "codes/codes.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/indexing.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

static bool
may_be_level(Oid type)
{
	return type < FirstNormalObjectId || get_typtype(type) == TYPTYPE_ENUM;
}

/* Text of a constant, appended to *levels; false if it is not one. NULL states nothing. */
static bool
add_constant(Node *node, List **levels)
{
	Const	   *constant = pegs_constant_of(node);

	if (constant == NULL || !may_be_level(constant->consttype))
		return false;
	if (!constant->constisnull)
		*levels = lappend(*levels, pegs_output(constant->consttype, constant->constvalue));
	return true;
}

static bool
add_array(Node *node, List **levels)
{
	Const	   *constant = pegs_constant_of(node);
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
	Const	   *result;

	if (label == NULL)
		return true;
	/* timestamp(0) rounds the last one out of its range */
	if (pegs_try_canonical(base, typmod, label) == NULL)
		return false;
	result = pegs_constant_of(pegs_with_value(comparison, label));
	return result && !result->constisnull && DatumGetBool(result->constvalue);
}

/* One element of a list; NULL: it is no list. Only to be quick: each level is first compared with the element that it was read from. */
static Node *
with_element(Node *comparison, Const *array, const char *text)
{
	ScalarArrayOpExpr *any = (ScalarArrayOpExpr *) comparison;
	Oid			element = get_element_type(array->consttype);
	int16		length;
	bool		byval;
	OpExpr	   *op;

	get_typlenbyval(element, &length, &byval);
	op = (OpExpr *) make_opclause(any->opno, BOOLOID, false, linitial(any->args),
								  (Expr *) makeConst(element, -1, array->constcollid, length,
													 pegs_from_canonical(element, -1, text), false, byval),
								  InvalidOid, any->inputcollid);
	op->opfuncid = any->opfuncid;
	return (Node *) op;
}

/*
 * Appends the levels that a comparison read from its constants, if it holds for
 * each. A list may be as long as a person likes: what one level needs is freed
 * before the next, and the loop can be cancelled.
 */
static bool
add_if_all_hold(Node *comparison, Node *column, Oid collation, List *read, List **levels)
{
	MemoryContext scratch;
	MemoryContext old;
	Const	   *array;
	ListCell   *cell;
	bool		hold = true;

	if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
		return false;			/* what is equal may be another text */
	array = IsA(comparison, ScalarArrayOpExpr) ? pegs_constant_of(lsecond(((ScalarArrayOpExpr *) comparison)->args)) : NULL;
	column = pegs_without_casts(column);
	scratch = AllocSetContextCreate(CurrentMemoryContext, "pegs level", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(scratch);
	foreach(cell, read)
	{
		const char *text = lfirst(cell);

		CHECK_FOR_INTERRUPTS();
		hold = (array && level_satisfies(with_element(comparison, array, text), column, text)) || level_satisfies(comparison, column, text);
		if (!hold)
			break;
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
	if (hold)
		*levels = list_concat(*levels, read);
	return hold;
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
			&& pegs_is_column(linitial(any->args), attnum) && add_array(lsecond(any->args), &read)
			&& add_if_all_hold(node, linitial(any->args), any->inputcollid, read, levels);
	}
	if (IsA(node, OpExpr) && list_length(((OpExpr *) node)->args) == 2)
	{
		OpExpr	   *op = (OpExpr *) node;
		List	   *read = NIL;
		bool		left = pegs_is_column(linitial(op->args), attnum);

		return is_equality(op->opno) && (left || pegs_is_column(lsecond(op->args), attnum))
			&& add_constant(left ? lsecond(op->args) : linitial(op->args), &read)
			&& add_if_all_hold(node, left ? linitial(op->args) : lsecond(op->args), op->inputcollid, read, levels);
	}
	if (IsA(node, NullTest))
		return ((NullTest *) node)->nulltesttype == IS_NULL && pegs_is_column((Node *) ((NullTest *) node)->arg, attnum);
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

/* ---- ranges ---- */

/* What CHECK constraints say of the smallest and the largest value: canonical, or NULL. */
typedef struct Range
{
	const PegsColumn *column;
	char	   *low;
	char	   *high;
} Range;

/* The whole number next to a canonical one, for a bound that no value is; dates count days. Others stay: a value is as near as one likes. */
static char *
next_value(const PegsColumn *column, char *text, int by)
{
	Datum		value;
	int64		key = 0;

	if (column->type != INT2OID && column->type != INT4OID && column->type != INT8OID && column->type != DATEOID)
		return text;
	value = pegs_from_canonical(column->type, column->typmod, text);
	(void) pegs_key_of(column->type, value, &key);
	if (column->type == DATEOID)
		return pegs_output(DATEOID, DateADTGetDatum((DateADT) key + by));
	return pg_add_s64_overflow(key, by, &key) ? text : psprintf(INT64_FORMAT, key);
}

/*
 * What a comparison with a constant says, x > constant and the like. The
 * constant as the column's type writes it may be a value that is not allowed, as
 * of a strict bound, or of a date compared with noon: the comparison itself says.
 */
static void
add_bound(Range *range, Node *comparison, bool is_low, const Const *constant)
{
	const PegsColumn *column = range->column;
	char	   *text = constant && !constant->constisnull && may_be_level(constant->consttype)
		? pegs_try_canonical(column->type, column->typmod, pegs_output(constant->consttype, constant->constvalue)) : NULL;
	char	  **bound = is_low ? &range->low : &range->high;
	Const	   *allowed;

	/* timestamp(0) rounds the last one out of its range */
	if (text == NULL || !pegs_is_finite(text) || pegs_try_canonical(column->type, column->typmod, text) == NULL)
		return;
	allowed = pegs_constant_of(pegs_with_value(comparison, text));
	if (allowed == NULL || allowed->constisnull)
		return;
	if (!DatumGetBool(allowed->constvalue))
		text = pegs_try_canonical(column->type, column->typmod, next_value(column, text, is_low ? 1 : -1));
	if (text && (*bound == NULL || (pegs_compare(column->type, column->typmod, *bound, text) < 0) == is_low))
		*bound = text;
}

/* Bounds of the column that `node`, which is true or NULL of every row, states. */
static void
add_bounds(Node *node, AttrNumber attnum, Range *range)
{
	check_stack_depth();
	if (node && IsA(node, BoolExpr) && ((BoolExpr *) node)->boolop == AND_EXPR)
	{
		ListCell   *cell;

		foreach(cell, ((BoolExpr *) node)->args)
			add_bounds((Node *) lfirst(cell), attnum, range);
	}
	else if (node && IsA(node, OpExpr) && list_length(((OpExpr *) node)->args) == 2)
	{
		OpExpr	   *op = (OpExpr *) node;
		bool		left = pegs_is_column(linitial(op->args), attnum);
		Oid			opno = left ? op->opno : get_commutator(op->opno);
		char	   *name = OidIsValid(opno) && opno < FirstNormalObjectId ? get_opname(opno) : NULL;

		/* a comparison of a timestamptz with a date is another one in each time zone */
		if (name && op_volatile(opno) == PROVOLATILE_IMMUTABLE
			&& (strcmp(name, "<") == 0 || strcmp(name, "<=") == 0 || strcmp(name, ">") == 0 || strcmp(name, ">=") == 0)
			&& (left || pegs_is_column(lsecond(op->args), attnum)))
			add_bound(range, node, name[0] == '>', pegs_constant_of(left ? lsecond(op->args) : linitial(op->args)));
	}
}

/* ---- constraints ---- */

/* Does it speak of that column? The catalog says so: 1,600 columns may have a constraint each, and are not to be parsed 1,600 times. Of a type, 0: yes. */
static bool
speaks_of(Relation constraints, HeapTuple tuple, AttrNumber attnum)
{
	bool		isnull;
	Datum		key = heap_getattr(tuple, Anum_pg_constraint_conkey, RelationGetDescr(constraints), &isnull);
	bool		found = attnum == 0;
	ArrayType  *columns;

	if (isnull || found)
		return found;
	columns = DatumGetArrayTypePCopy(key);
	for (int i = 0; i < ARR_DIMS(columns)[0]; i++)
		found |= ((int16 *) ARR_DATA_PTR(columns))[i] == attnum;
	pfree(columns);
	return found;
}

/* The first CHECK constraint, by name, that states levels; or, if a range is asked for, what all of them say of it. */
static List *
from_constraints(AttrNumber keyatt, Oid key, Oid index, AttrNumber attnum, Range *range)
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
		Node	   *node;
		List	   *levels = NIL;

		CHECK_FOR_INTERRUPTS();
		/* NOT VALID: rows that were there may break it (NOT ENFORCED: so may others); NO INHERIT: so may the rows of children */
		if (form->contype != CONSTRAINT_CHECK || !form->convalidated || (form->connoinherit && has_subclass(form->conrelid))
			|| !speaks_of(constraints, tuple, attnum))
			continue;
		bin = heap_getattr(tuple, Anum_pg_constraint_conbin, RelationGetDescr(constraints), &isnull);
		if (isnull)
			continue;
		node = stringToNode(TextDatumGetCString(bin));
		if (range)
			add_bounds(node, attnum, range);
		else if (add_levels(node, attnum, &levels) && levels != NIL
				 && (best_name == NULL || strcmp(NameStr(form->conname), best_name) < 0))
		{
			best = levels;
			best_name = pstrdup(NameStr(form->conname));
		}
	}
	systable_endscan(scan);
	table_close(constraints, AccessShareLock);
	return best;
}

bool
pegs_check_range(Oid relid, AttrNumber attnum, Oid type, const PegsColumn *column, char **low, char **high)
{
	Range		range = {.column = column};

	(void) from_constraints(Anum_pg_constraint_conrelid, relid, ConstraintRelidTypidNameIndexId, attnum, &range);
	while (get_typtype(type) == TYPTYPE_DOMAIN)
	{
		HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));

		(void) from_constraints(Anum_pg_constraint_contypid, type, ConstraintTypidIndexId, 0, &range);
		type = ((Form_pg_type) GETSTRUCT(tuple))->typbasetype;
		ReleaseSysCache(tuple);
	}
	*low = range.low;
	*high = range.high;
	return *low && *high && pegs_compare(column->type, column->typmod, *low, *high) < 0;
}

List *
pegs_check_levels(Oid relid, AttrNumber attnum)
{
	return from_constraints(Anum_pg_constraint_conrelid, relid, ConstraintRelidTypidNameIndexId, attnum, NULL);
}

List *
pegs_domain_check_levels(Oid domaintype)
{
	List	   *levels = NIL;

	while (levels == NIL && get_typtype(domaintype) == TYPTYPE_DOMAIN)
	{
		HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(domaintype));

		levels = from_constraints(Anum_pg_constraint_contypid, domaintype, ConstraintTypidIndexId, 0, NULL);
		domaintype = ((Form_pg_type) GETSTRUCT(tuple))->typbasetype;
		ReleaseSysCache(tuple);
	}
	return levels;
}

List *
pegs_check_levels_anywhere(Oid relid, AttrNumber attnum)
{
	Oid			base;
	AttrNumber	base_attnum;
	List	   *levels = pegs_check_levels(relid, attnum);

	if (levels == NIL && pegs_source_column(relid, attnum, &base, &base_attnum))
		levels = pegs_check_levels_anywhere(base, base_attnum);
	return levels;
}
