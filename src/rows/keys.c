/*
 * keys.c
 *	  Running numbers for keys, which no model holds: options => '{"keys": "number"}'.
 *
 * Every column outside the model that is a part of a key holds the place of
 * its row, 1 to n, so that rows load into a table with these keys. What a key
 * is, the catalog says, which everybody may read: of the table whose row type
 * was given, else of the model's source. It is looked at now, and no lock
 * stays: a caller delays nobody. Laws L1, L9.
 *
 * Never is a row read for it: a number depends on its place alone, and is
 * post-processing. A key whose columns are all in the model would be repeated:
 * an error, before a charge. Law L2.
 */
#include "rows/rows.h"
#include "budget/budget.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "nodes/bitmapset.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

/* A row type beside the table whose keys it has. */
typedef struct Beside
{
	TupleDesc	desc;
	const int  *column;			/* [natts] as pegs_row_column says */
	Oid			table;			/* InvalidOid: none */
	AttrNumber *attnum;			/* [natts] of the table, or 0 */
	bool	   *number;			/* [natts] to be numbered */
	int64		n;				/* rows */
} Beside;

static bool
has_rows(char relkind)
{
	return relkind == RELKIND_RELATION || relkind == RELKIND_PARTITIONED_TABLE || relkind == RELKIND_FOREIGN_TABLE;
}

/* The table whose row type this is, or InvalidOid. */
static Oid
table_of_type(TupleDesc desc)
{
	Oid			relid = desc->tdtypeid == RECORDOID ? InvalidOid : get_typ_typrelid(desc->tdtypeid);

	return OidIsValid(relid) && has_rows(get_rel_relkind(relid)) ? relid : InvalidOid;
}

/* By name, down the views that the source reads. */
static void
beside_source(Beside *beside, Oid source)
{
	for (int i = 0; i < beside->desc->natts; i++)
	{
		Oid			relid = source;
		AttrNumber	attnum = get_attnum(source, NameStr(TupleDescAttr(beside->desc, i)->attname));

		while (attnum > 0 && !has_rows(get_rel_relkind(relid)))
			if (!pegs_source_column(relid, attnum, &relid, &attnum))
				attnum = 0;
		if (attnum <= 0)
			continue;
		beside->table = relid;
		beside->attnum[i] = attnum;
	}
}

/* The model's source; InvalidOid: it is not here, or not any more. */
static Oid
source_of(const PegsModel *model)
{
	Oid			owner;

	if (!OidIsValid(model->source) || get_rel_relkind(model->source) == '\0' || pegs_is_dead(model->account, &owner))
		return InvalidOid;
	return model->source;
}

/* All columns of an index, also those in its expressions. */
static Bitmapset *
columns_of(Form_pg_index index, HeapTuple tuple)
{
	Bitmapset  *columns = NULL;
	bool		isnull;
	Datum		expressions = SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indexprs, &isnull);

	if (!isnull)
		pull_varattnos((Node *) stringToNode(TextDatumGetCString(expressions)), 1, &columns);
	for (int i = 0; i < index->indnkeyatts; i++)
		if (index->indkey.values[i] != 0)
			columns = bms_add_member(columns, index->indkey.values[i] - FirstLowInvalidHeapAttributeNumber);
	return columns;
}

static bool
is_in(const Beside *beside, int i, const Bitmapset *columns)
{
	return beside->attnum[i] > 0 && bms_is_member(beside->attnum[i] - FirstLowInvalidHeapAttributeNumber, columns);
}

/* Outside the model, and of a type that holds numbers up to n. */
static bool
may_number(const Beside *beside, Relation rel, int i, int64 n)
{
	Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), beside->attnum[i] - 1);

	return beside->column[i] < 0 && !att->attisdropped && att->attgenerated == '\0' && pegs_takes_numbers(TupleDescAttr(beside->desc, i), n);
}

/*
 * Does the key tell rows apart whatever the model says? One numbered column is
 * enough, or one that stays NULL. An expression is taken to keep numbers
 * apart, as lower() does; of a generated column nothing is said.
 */
static bool
tells_apart(const Beside *beside, Relation rel, Form_pg_index index, const Bitmapset *columns)
{
	int			seen = 0;
	bool		null_is_equal = index->indisprimary;

#if PG_VERSION_NUM >= 150000
	null_is_equal |= index->indnullsnotdistinct;
#endif
	for (int i = 0; i < beside->desc->natts; i++)
	{
		Form_pg_attribute att;

		if (!is_in(beside, i, columns))
			continue;
		att = TupleDescAttr(RelationGetDescr(rel), beside->attnum[i] - 1);
		if (beside->number[i] || att->attgenerated != '\0')
			return true;
		if (beside->column[i] < 0 && !null_is_equal && !pegs_is_not_null(att))
			return true;
		seen++;
	}
	/* a column list that leaves a part out makes no such rows */
	return seen < bms_num_members(columns);
}

static char *
names_of(Relation rel, const Bitmapset *columns)
{
	StringInfoData names;
	int			member = -1;

	initStringInfo(&names);
	while ((member = bms_next_member(columns, member)) >= 0)
		appendStringInfo(&names, "%s%s", names.len ? ", " : "",
						 get_attname(RelationGetRelid(rel), member + FirstLowInvalidHeapAttributeNumber, true));
	return names.data;
}

static void
refuse_key(Relation rel, Form_pg_index index, const Bitmapset *columns, bool by_type)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("rows may repeat key \"%s\" of table \"%s\"", get_rel_name(index->indexrelid), RelationGetRelationName(rel)),
			 errdetail("None of its columns can be numbered: %s.", names_of(rel, columns)),
			 by_type ? errhint("Rows load into a table without it: CREATE TABLE synthetic (LIKE %s INCLUDING ALL EXCLUDING INDEXES); its row type is NULL::synthetic.",
							   pegs_relation_name(rel))
			 : errhint("Leave one of them out of the column list.")));
}

/* All parts of a key that can hold the numbers. None can: one that holds a few says so. */
static void
number_parts(Beside *beside, Relation rel, const Bitmapset *columns)
{
	bool		any = false;

	for (int i = 0; i < beside->desc->natts; i++)
		if (is_in(beside, i, columns) && may_number(beside, rel, i, beside->n))
			any = beside->number[i] = true;
	for (int i = 0; !any && i < beside->desc->natts; i++)
		if (is_in(beside, i, columns) && may_number(beside, rel, i, 1))
			beside->number[i] = true;
}

/* Marks what is numbered; then, if asked, says which key would be repeated all the same. */
static void
look_at_keys(Beside *beside, Relation rel, bool by_type, bool check)
{
	List	   *indexes = RelationGetIndexList(rel);
	ListCell   *cell;

	for (int i = 0; i < beside->desc->natts; i++)
		if (beside->attnum[i] > 0 && may_number(beside, rel, i, 1))
			beside->number[i] = pegs_is_key(rel, TupleDescAttr(RelationGetDescr(rel), beside->attnum[i] - 1));
	for (int pass = 0; pass < (check ? 2 : 1); pass++)
		foreach(cell, indexes)
		{
			HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
			Form_pg_index index;
			Bitmapset  *columns;

			if (!HeapTupleIsValid(tuple))
				continue;
			index = (Form_pg_index) GETSTRUCT(tuple);
			columns = index->indisunique ? columns_of(index, tuple) : NULL;
			if (pass == 0)
				number_parts(beside, rel, columns);
			if (pass == 1 && index->indisunique && !tells_apart(beside, rel, index, columns))
				refuse_key(rel, index, columns, by_type);
			ReleaseSysCache(tuple);
		}
}

static void
look_at_table(Beside *beside, bool by_type, bool check)
{
	Relation	rel = OidIsValid(beside->table) ? try_relation_open(beside->table, AccessShareLock) : NULL;

	if (rel == NULL)
		return;
	/* altered since the row type was looked at: its own numbers are those of now, or there are none */
	for (int i = 0; i < beside->desc->natts; i++)
		if (beside->attnum[i] > RelationGetDescr(rel)->natts)
			beside->attnum[i] = 0;
	look_at_keys(beside, rel, by_type, check);
	relation_close(rel, AccessShareLock);
}

static void
number_named(const Beside *beside, List *names)
{
	ListCell   *cell;

	for (int i = 0; i < beside->desc->natts; i++)
		foreach(cell, names)
			if (beside->column[i] < 0 && !TupleDescAttr(beside->desc, i)->attisdropped
				&& strcmp(NameStr(TupleDescAttr(beside->desc, i)->attname), lfirst(cell)) == 0)
				beside->number[i] = true;
}

/* Which columns of a row type get a number. */
void
pegs_find_keys(const PegsKeys *keys, TupleDesc desc, const int *column, bool by_type, bool *number)
{
	Beside		beside = {.desc = desc, .column = column, .number = number, .n = keys->n};

	beside.attnum = palloc0(sizeof(AttrNumber) * (desc->natts + 1));
	if (by_type)
		beside.table = table_of_type(desc);
	if (OidIsValid(beside.table))
	{
		for (int i = 0; i < desc->natts; i++)
			beside.attnum[i] = i + 1;
		look_at_table(&beside, true, true);
	}
	else if (keys->model == NULL)
		number_named(&beside, keys->names);
	else
	{
		Oid			source = source_of(keys->model);

		if (OidIsValid(source))
			beside_source(&beside, source);
		look_at_table(&beside, false, true);
	}
}

/*
 * The source's columns that a release will number: they are known when the
 * source is gone. Whoever makes it need not trust the source's owner, so no
 * domain of that table is asked; a reader's own row type is.
 */
Datum
pegs_key_names(const PegsModel *model, int64 n)
{
	Oid			source = source_of(model);
	Relation	rel = OidIsValid(source) ? try_relation_open(source, AccessShareLock) : NULL;
	Beside		beside = {.n = n};
	int		   *column;
	Datum	   *names;
	int			nnames = 0;

	if (rel == NULL)
		return PointerGetDatum(construct_empty_array(NAMEOID));
	beside.desc = CreateTupleDescCopy(RelationGetDescr(rel));
	relation_close(rel, AccessShareLock);
	column = palloc(sizeof(int) * (beside.desc->natts + 1));
	for (int i = 0; i < beside.desc->natts; i++)
		column[i] = pegs_row_column(model->spec->domain, TupleDescAttr(beside.desc, i));
	beside.column = column;
	beside.attnum = palloc0(sizeof(AttrNumber) * (beside.desc->natts + 1));
	beside.number = palloc0(sizeof(bool) * (beside.desc->natts + 1));
	names = palloc(sizeof(Datum) * (beside.desc->natts + 1));
	beside_source(&beside, source);
	look_at_table(&beside, false, false);
	for (int i = 0; i < beside.desc->natts; i++)
		if (beside.number[i])
		{
			pegs_require_running(TupleDescAttr(beside.desc, i), n);
			names[nnames++] = NameGetDatum(&TupleDescAttr(beside.desc, i)->attname);
		}
	return PointerGetDatum(construct_array(names, nnames, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
}

/* ---- keys of several tables ---- */

/* The largest number that a made key has, if n roots are drawn; 0: their rows tell. */
int64
pegs_largest_made(const PegsRelated *related, int table, int key, int64 n)
{
	while (related->member[table].key[key].kind == PEGS_KEY_PARENT)
	{
		key = related->member[table].key[key].of;
		table = related->member[table].parent;
	}
	return table == 0 && related->member[table].key[key].kind == PEGS_KEY_NUMBER ? n : 0;
}

/* The table of a model of several, by those that are bound now; InvalidOid: there is none any more. */
static Oid
table_below(Oid parent, const char *name)
{
	ListCell   *cell;

	if (OidIsValid(parent))
		foreach(cell, pegs_children_of(parent))
		{
			char	   *found = get_rel_name(lfirst_oid(cell));

			if (found && strcmp(found, name) == 0)
				return lfirst_oid(cell);
		}
	return InvalidOid;
}

/* An error, if one of the tables cannot hold the numbers of n roots. By its columns as they are now. */
void
pegs_require_made(const PegsModel *model, int64 n)
{
	const PegsRelated *related = model->spec->related;
	Oid		   *relid = palloc(sizeof(Oid) * related->n);

	for (int t = 0; t < related->n; t++)
	{
		const PegsMember *member = &related->member[t];
		Relation	rel;

		relid[t] = t == 0 ? source_of(model) : table_below(relid[member->parent], member->name);
		rel = OidIsValid(relid[t]) ? try_relation_open(relid[t], AccessShareLock) : NULL;
		for (int k = 0; rel && k < member->nkeys; k++)
		{
			AttrNumber	attnum = get_attnum(relid[t], member->key[k].column);
			int64		largest = pegs_largest_made(related, t, k, n);

			if (largest > 0 && attnum > 0)
				pegs_require_running(TupleDescAttr(RelationGetDescr(rel), attnum - 1), largest);
		}
		if (rel)
			relation_close(rel, AccessShareLock);
	}
}
