/*
 * foreign.c
 *	  Foreign keys of a table, by the catalog.
 *
 * Those of the table itself: a partition or child inherits no key that could
 * say whose rows the whole table has.
 */
#include "facts/facts.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/bitmapset.h"
#include "nodes/value.h"
#include "parser/parse_coerce.h"
#include "parser/parse_oper.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

static int
read_numbers(Relation constraints, HeapTuple row, int column, AttrNumber *numbers)
{
	bool		isnull;
	Datum		value = heap_getattr(row, column, RelationGetDescr(constraints), &isnull);
	ArrayType  *array = isnull ? NULL : DatumGetArrayTypeP(value);
	int			n = array && ARR_NDIM(array) == 1 ? ARR_DIMS(array)[0] : 0;

	for (int i = 0; i < n && i < INDEX_MAX_KEYS; i++)
		numbers[i] = ((int16 *) ARR_DATA_PTR(array))[i];
	return n;
}

int
pegs_key_place(const PegsForeignKey *key, AttrNumber attnum)
{
	for (int i = 0; key && i < key->n; i++)
		if (key->attnum[i] == attnum)
			return i;
	return -1;
}

/* Does the catalog say that a row of the parent has at most one row here? */
static bool
is_unique(Relation rel, const PegsForeignKey *key)
{
	ListCell   *cell;
	bool		unique = false;

	foreach(cell, RelationGetIndexList(rel))
	{
		HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
		Form_pg_index index = (Form_pg_index) GETSTRUCT(tuple);
		bool		all = index->indisunique && index->indisvalid && heap_attisnull(tuple, Anum_pg_index_indpred, NULL);

		for (int i = 0; i < index->indnkeyatts; i++)
			all &= index->indkey.values[i] > 0 && pegs_key_place(key, index->indkey.values[i]) >= 0;
		unique |= all;
		ReleaseSysCache(tuple);
	}
	return unique;
}

/* Of PegsForeignKey; of one relation, in the order of their names. */
List *
pegs_foreign_keys(Oid relid)
{
	Relation	rel = table_open(relid, AccessShareLock);
	Relation	constraints = table_open(ConstraintRelationId, AccessShareLock);
	ScanKeyData scankey;
	SysScanDesc scan;
	HeapTuple	row;
	List	   *keys = NIL;

	ScanKeyInit(&scankey, Anum_pg_constraint_conrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relid));
	scan = systable_beginscan(constraints, ConstraintRelidTypidNameIndexId, true, NULL, 1, &scankey);
	while (HeapTupleIsValid(row = systable_getnext(scan)))
	{
		Form_pg_constraint form = (Form_pg_constraint) GETSTRUCT(row);
		PegsForeignKey *key;

		/* one that refers to a partitioned table has another for each partition */
		if (form->contype != CONSTRAINT_FOREIGN || OidIsValid(form->conparentid))
			continue;
		key = palloc0(sizeof(PegsForeignKey));
		key->refers_to = form->confrelid;
		key->parent = pegs_topmost(form->confrelid);
		key->name = pstrdup(NameStr(form->conname));
		key->n = read_numbers(constraints, row, Anum_pg_constraint_conkey, key->attnum);
		(void) read_numbers(constraints, row, Anum_pg_constraint_confkey, key->referred);
		key->unique = is_unique(rel, key);
		keys = lappend(keys, key);
	}
	systable_endscan(scan);
	table_close(constraints, AccessShareLock);
	table_close(rel, NoLock);
	return keys;
}

AttrNumber
pegs_referred_above(const PegsForeignKey *key, int i)
{
	return key->refers_to == key->parent ? key->referred[i] : get_attnum(key->parent, get_attname(key->refers_to, key->referred[i], false));
}

/* "a, b" as SQL writes the names; those of the table that it is of, or of the one that it refers to. */
char *
pegs_key_columns(Oid relid, int n, const AttrNumber *attnums)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < n; i++)
		appendStringInfo(&names, "%s%s", i > 0 ? ", " : "", quote_identifier(get_attname(relid, attnums[i], false)));
	return names.data;
}

/* The same as an argument. */
char *
pegs_key_literal(Oid relid, int n, const AttrNumber *attnums)
{
	List	   *names = NIL;

	for (int i = 0; i < n; i++)
		names = lappend(names, get_attname(relid, attnums[i], false));
	return pegs_array_literal(names);
}

Bitmapset *
pegs_primary_columns(Relation rel)
{
	Bitmapset  *columns = NULL;
	ListCell   *cell;

	foreach(cell, RelationGetIndexList(rel))
	{
		HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
		Form_pg_index index = (Form_pg_index) GETSTRUCT(tuple);

		for (int i = 0; index->indisprimary && i < index->indnkeyatts; i++)
			columns = bms_add_member(columns, index->indkey.values[i]);
		ReleaseSysCache(tuple);
	}
	return columns;
}

/* Is there a unique key of the parent of just the columns that have these names? */
static bool
has_key_named(Relation parent, const List *names)
{
	PegsForeignKey named = {0};
	ListCell   *cell;
	bool		found = false;

	foreach(cell, names)
	{
		AttrNumber	attnum = get_attnum(RelationGetRelid(parent), lfirst(cell));

		if (attnum <= 0 || named.n == INDEX_MAX_KEYS)
			return false;
		named.attnum[named.n++] = attnum;
	}
	foreach(cell, RelationGetIndexList(parent))
	{
		HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
		Form_pg_index index = (Form_pg_index) GETSTRUCT(tuple);
		bool		all = index->indisunique && index->indisvalid && index->indnkeyatts == named.n && heap_attisnull(tuple, Anum_pg_index_indpred, NULL);

		for (int i = 0; all && i < index->indnkeyatts; i++)
			all = index->indkey.values[i] > 0 && pegs_key_place(&named, index->indkey.values[i]) >= 0;
		found |= all;
		ReleaseSysCache(tuple);
	}
	return found;
}

/* Of the parent, beside `taken`: the only column that no row can lack and that has the type of this one of the child; 0: there is none, or several. */
static AttrNumber
only_alike(Relation parent, Oid child, const char *name, const Bitmapset *taken)
{
	AttrNumber	own = get_attnum(child, name);
	AttrNumber	found = InvalidAttrNumber;

	for (int i = 0; own > 0 && i < RelationGetNumberOfAttributes(parent); i++)
	{
		Form_pg_attribute att = TupleDescAttr(RelationGetDescr(parent), i);

		if (att->attisdropped || bms_is_member(att->attnum, taken) || !pegs_is_not_null(att) || getBaseType(att->atttypid) != getBaseType(get_atttype(child, own)))
			continue;
		if (found != InvalidAttrNumber)
			return InvalidAttrNumber;
		found = att->attnum;
	}
	return found;
}

/* Columns of the parent that a lost key was of, by their names, else by their types; false: it cannot be told. */
static bool
guess_referred(Relation parent, Oid child, List *names, AttrNumber *attnums)
{
	Bitmapset  *taken = NULL;
	ListCell   *cell;
	int			n = 0;

	foreach(cell, names)
	{
		AttrNumber	attnum = get_attnum(RelationGetRelid(parent), lfirst(cell));

		if (attnum <= 0 || !pegs_is_not_null(TupleDescAttr(RelationGetDescr(parent), attnum - 1)))
			attnum = only_alike(parent, child, lfirst(cell), taken);
		if (attnum == InvalidAttrNumber || bms_is_member(attnum, taken) || n == INDEX_MAX_KEYS)
			return false;
		taken = bms_add_member(taken, attnum);
		attnums[n++] = attnum;
	}
	return true;
}

/* " NOT VALID", where a foreign key of that table can be made so: rows that are there are not checked. */
const char *
pegs_unchecked(Oid table)
{
	return PG_VERSION_NUM < 180000 && get_rel_relkind(table) == RELKIND_PARTITIONED_TABLE ? "" : " NOT VALID";
}

/* The columns of its primary key, in its order. */
static void
primary_in_order(Relation rel, AttrNumber *attnums)
{
	ListCell   *cell;

	foreach(cell, RelationGetIndexList(rel))
	{
		HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
		Form_pg_index index = (Form_pg_index) GETSTRUCT(tuple);

		for (int i = 0; index->indisprimary && i < index->indnkeyatts; i++)
			attnums[i] = index->indkey.values[i];
		ReleaseSysCache(tuple);
	}
}

/* Could columns of these names refer to those of the parent? */
static bool
types_fit(Oid child, List *names, Oid parent, const AttrNumber *attnums)
{
	ListCell   *cell;
	int			i = 0;

	foreach(cell, names)
	{
		Oid			type = getBaseType(get_atttype(child, get_attnum(child, lfirst(cell))));
		Oid			referred = getBaseType(get_atttype(parent, attnums[i++]));

		if (type != referred && !can_coerce_type(1, &type, &referred, COERCION_IMPLICIT)
			&& !OidIsValid(OpernameGetOprid(list_make2(makeString("pg_catalog"), makeString("=")), referred, type)))
			return false;
	}
	return true;
}

/*
 * Statements that make a foreign key of columns of these names: to what is
 * called as they are, else to the primary key. Where the parent has lost that
 * it is made again, if it can be told what it was of.
 */
char *
pegs_statement_of_key(Oid child, Oid parent, List *names)
{
	Relation	rel = table_open(parent, AccessShareLock);
	AttrNumber	attnums[INDEX_MAX_KEYS] = {0};
	StringInfoData columns;
	char	   *first = "";
	char	   *referred = "";
	ListCell   *cell;
	bool		told = true;

	initStringInfo(&columns);
	foreach(cell, names)
		appendStringInfo(&columns, "%s%s", columns.len > 0 ? ", " : "", quote_identifier((char *) lfirst(cell)));
	if (has_key_named(rel, names))
	{
		int			n = 0;

		foreach(cell, names)
			attnums[n++] = get_attnum(parent, lfirst(cell));
		referred = psprintf(" (%s)", columns.data);
	}
	else if (bms_num_members(pegs_primary_columns(rel)) == list_length(names))
		primary_in_order(rel, attnums);
	else
	{
		told = guess_referred(rel, child, names, attnums);
		if (told)
		{
			char	   *of = pegs_key_columns(parent, list_length(names), attnums);

			first = psprintf("ALTER TABLE %s ADD %s (%s); ", pegs_relation_words(parent), bms_is_empty(pegs_primary_columns(rel)) ? "PRIMARY KEY" : "UNIQUE", of);
			referred = psprintf(" (%s)", of);
		}
	}
	table_close(rel, NoLock);
	if (!told)
		return psprintf("Give %s a PRIMARY KEY or UNIQUE constraint of the columns that (%s) of %s refers to, and this table a foreign key to those.",
						pegs_relation_words(parent), columns.data, pegs_relation_words(child));
	if (!types_fit(child, names, parent, attnums))
		return psprintf("Give (%s) of %s and (%s) of %s the same types again, and the first a foreign key to the second.", columns.data, pegs_relation_words(child),
						pegs_key_columns(parent, list_length(names), attnums), pegs_relation_words(parent));
	return psprintf("%sALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s%s%s;", first, pegs_relation_words(child), columns.data,
					pegs_relation_words(parent), referred, pegs_unchecked(child));
}

/* The key with these columns, in any order; NULL: there is none. */
const PegsForeignKey *
pegs_key_with(List *keys, Oid parent, int n, const AttrNumber *attnums)
{
	ListCell   *cell;

	foreach(cell, keys)
	{
		const PegsForeignKey *key = lfirst(cell);
		bool		all = key->parent == parent && key->n == n;

		for (int i = 0; all && i < n; i++)
			all = pegs_key_place(key, attnums[i]) >= 0;
		if (all)
			return key;
	}
	return NULL;
}

/* Not one of its columns may be NULL: the first of them. */
AttrNumber
pegs_first_not_null(Relation rel, const PegsForeignKey *key)
{
	for (int i = 0; i < key->n; i++)
		if (!pegs_is_not_null(TupleDescAttr(RelationGetDescr(rel), key->attnum[i] - 1)))
			return InvalidAttrNumber;
	return key->attnum[0];
}

/* ---- another key of the same columns ---- */

/* Does the other say of the same columns that they name another row? */
static bool
names_another_row(const PegsForeignKey *key, const PegsForeignKey *other)
{
	bool		same = other->refers_to == key->refers_to;

	for (int i = 0; i < key->n; i++)
	{
		bool		found = false;

		for (int j = 0; j < other->n; j++)
			found |= other->attnum[j] == key->attnum[i] && other->referred[j] == key->referred[i];
		same &= found;
	}
	return !same;
}

/* Another key with the same columns, by which a row would belong to another row of the parent; NULL: there is none. */
const PegsForeignKey *
pegs_key_beside(List *keys, const PegsForeignKey *key)
{
	ListCell   *cell;

	foreach(cell, keys)
	{
		const PegsForeignKey *other = lfirst(cell);

		if (pegs_key_with(list_make1(lfirst(cell)), key->parent, key->n, key->attnum) && names_another_row(key, other))
			return other;
	}
	return NULL;
}

/* Whose rows they are is said by one key. */
void
pegs_refuse_key_beside(Oid child, List *keys, const PegsForeignKey *key)
{
	const PegsForeignKey *other = pegs_key_beside(keys, key);

	if (other)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("two foreign keys of table \"%s\" on (%s) refer to \"%s\"", get_rel_name(child), pegs_key_columns(child, key->n, key->attnum),
						get_rel_name(key->parent)),
				 errdetail("By \"%s\" a row belongs to another row than by \"%s\".", key->name, other->name),
				 errhint("Drop the one that does not say whose row it is: ALTER TABLE %s DROP CONSTRAINT %s; or the other.", pegs_relation_words(child),
						 quote_identifier(other->name))));
}
