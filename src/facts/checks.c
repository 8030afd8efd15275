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
#include "facts/facts.h"
#include "codes/codes.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/indexing.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "common/int.h"
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
Const *
pegs_constant_of(Node *node)
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
		pegs_forgive_data_error(context);
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
	Const	   *result = label ? pegs_constant_of(with_level(comparison, label)) : NULL;

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

/* ---- ranges ---- */

/* What CHECK constraints say of the smallest and the largest value: canonical, or NULL. */
typedef struct Range
{
	const PegsColumn *column;
	char	   *low;
	char	   *high;
} Range;

/* The whole number next to a canonical one, for a strict bound; dates count days. Others stay: a value is as near as one likes. */
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

/* x > constant, and the like, for the range. */
static void
add_bound(Range *range, const char *operator, Const *constant)
{
	const PegsColumn *column = range->column;
	char	   *text = constant && !constant->constisnull && may_be_level(constant->consttype)
		? pegs_try_canonical(column->type, column->typmod, pegs_output(constant->consttype, constant->constvalue)) : NULL;
	bool		is_low = operator[0] == '>';
	char	  **bound = is_low ? &range->low : &range->high;

	if (text == NULL || !pegs_is_finite(text))
		return;
	if (operator[1] == '\0')
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
		bool		left = is_column(linitial(op->args), attnum);
		Oid			opno = left ? op->opno : get_commutator(op->opno);
		char	   *name = OidIsValid(opno) && opno < FirstNormalObjectId ? get_opname(opno) : NULL;

		if (name && (strcmp(name, "<") == 0 || strcmp(name, "<=") == 0 || strcmp(name, ">") == 0 || strcmp(name, ">=") == 0)
			&& (left || is_column(lsecond(op->args), attnum)))
			add_bound(range, name, pegs_constant_of(left ? lsecond(op->args) : linitial(op->args)));
	}
}

/* ---- constraints ---- */

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

		if (form->contype != CONSTRAINT_CHECK)
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
