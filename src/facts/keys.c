/*
 * keys.c
 *	  Columns that hold no values of their own, by the catalog: keys, references to other tables, what is generated.
 *
 * A model that names no columns leaves them out, unless they have a domain.
 */
#include "facts/facts.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "nodes/primnodes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

/* Is its default the next number of a sequence? */
static bool
is_serial(TupleDesc desc, AttrNumber attnum)
{
	for (int i = 0; desc->constr && i < desc->constr->num_defval; i++)
		if (desc->constr->defval[i].adnum == attnum)
		{
			Node	   *node = stringToNode(desc->constr->defval[i].adbin);

			/* cast to the column's type */
			while (IsA(node, FuncExpr) && ((FuncExpr *) node)->funcid != F_NEXTVAL && list_length(((FuncExpr *) node)->args) == 1)
				node = linitial(((FuncExpr *) node)->args);
			return IsA(node, FuncExpr) && ((FuncExpr *) node)->funcid == F_NEXTVAL;
		}
	return false;
}

/* Unique by itself in all rows, identity, or a sequence's next number. */
static bool
has_own_values(Relation rel, Form_pg_attribute att)
{
	ListCell   *cell;
	bool		key = att->attidentity != '\0' || is_serial(RelationGetDescr(rel), att->attnum);

	foreach(cell, RelationGetIndexList(rel))
	{
		HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
		Form_pg_index index = (Form_pg_index) GETSTRUCT(tuple);

		key |= index->indisunique && index->indisvalid && index->indnkeyatts == 1 && index->indkey.values[0] == att->attnum
			&& heap_attisnull(tuple, Anum_pg_index_indpred, NULL);
		ReleaseSysCache(tuple);
	}
	return key;
}

/* Only number of a smallint array, or 0. */
static AttrNumber
only_number(Relation constraints, HeapTuple tuple, int column)
{
	bool		isnull;
	Datum		value = heap_getattr(tuple, column, RelationGetDescr(constraints), &isnull);
	ArrayType  *array = isnull ? NULL : DatumGetArrayTypeP(value);

	return array && ARR_NDIM(array) == 1 && ARR_DIMS(array)[0] == 1 ? ((int16 *) ARR_DATA_PTR(array))[0] : 0;
}

/* Is it among the numbers of a smallint array? */
static bool
has_number(Relation constraints, HeapTuple tuple, int column, AttrNumber attnum)
{
	bool		isnull;
	Datum		value = heap_getattr(tuple, column, RelationGetDescr(constraints), &isnull);
	ArrayType  *array = isnull ? NULL : DatumGetArrayTypeP(value);

	for (int i = 0; array && ARR_NDIM(array) == 1 && i < ARR_DIMS(array)[0]; i++)
		if (((int16 *) ARR_DATA_PTR(array))[i] == attnum)
			return true;
	return false;
}

/* A foreign key of this column alone: the table, and its column, that it refers to. No reference is asked for: any key that has the column. */
static bool
find_reference(Oid relid, AttrNumber attnum, PegsReference *reference)
{
	bool		found = false;
	Relation	constraints = table_open(ConstraintRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_constraint_conrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relid));
	scan = systable_beginscan(constraints, ConstraintRelidTypidNameIndexId, true, NULL, 1, &key);
	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_constraint form = (Form_pg_constraint) GETSTRUCT(tuple);

		if (form->contype != CONSTRAINT_FOREIGN || !has_number(constraints, tuple, Anum_pg_constraint_conkey, attnum)
			|| (reference && only_number(constraints, tuple, Anum_pg_constraint_conkey) != attnum))
			continue;
		found = true;
		if (reference == NULL)
			continue;
		reference->relid = form->confrelid;
		reference->column = get_attname(form->confrelid, only_number(constraints, tuple, Anum_pg_constraint_confkey), false);
	}
	systable_endscan(scan);
	table_close(constraints, AccessShareLock);
	return found;
}

/* Does it refer to other rows, alone or with other columns? */
bool
pegs_is_referring(Oid relid, AttrNumber attnum)
{
	return find_reference(relid, attnum, NULL);
}

/* Its values are its rows' own: unique by itself, numbers that run, or a uuid that is no reference. */
bool
pegs_is_key(Relation rel, Form_pg_attribute att)
{
	return has_own_values(rel, att) || (att->atttypid == UUIDOID && !pegs_is_referring(RelationGetRelid(rel), att->attnum));
}

/* What the column is, in words that follow "it is"; NULL: a value. Down views and up to ancestors. */
char *
pegs_is_no_value(Oid relid, AttrNumber attnum, PegsReference *reference)
{
	Relation	rel = table_open(relid, AccessShareLock);
	Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), attnum - 1);
	bool		key = has_own_values(rel, att);
	bool		uuid = att->atttypid == UUIDOID;
	bool		generated = att->attgenerated != '\0';
	Oid			base;
	AttrNumber	base_attnum;

	table_close(rel, NoLock);
	if (key)
		return pstrdup("a key");
	if (generated)
		return pstrdup("generated from other columns");
	if (find_reference(relid, attnum, reference))
		return psprintf("a reference to table \"%s\"", get_rel_name(reference->relid));
	if (pegs_source_column(relid, attnum, &base, &base_attnum))
		return pegs_is_no_value(base, base_attnum, reference);
	return uuid ? pstrdup("a key") : NULL;
}
