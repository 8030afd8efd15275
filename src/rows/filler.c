/*
 * filler.c
 *	  A plain value where a row type's table is NOT NULL and the model has no column;
 *	  a row type that is another table's.
 *
 * What it is: facts/plain.c. A NOTICE says which columns these are. Laws L1, L10.
 */
#include "rows/rows.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* Columns of the model that a row type has not, or has by another name; NULL: there are none. */
static char *
left_over(TupleDesc desc, const PegsDomain *domain)
{
	StringInfoData names;
	ListCell   *cell;

	initStringInfo(&names);
	foreach(cell, pegs_columns_named(domain))
	{
		bool		there = false;

		for (int i = 0; i < desc->natts; i++)
			there |= !TupleDescAttr(desc, i)->attisdropped && strcmp(NameStr(TupleDescAttr(desc, i)->attname), lfirst(cell)) == 0;
		if (!there)
			appendStringInfo(&names, "%s\"%s\"", names.len ? ", " : "", (char *) lfirst(cell));
	}
	return names.len ? names.data : NULL;
}

/* The columns of a named row type that its table wants, and the model has not: not by that name, if they were renamed after the fit. */
void
pegs_fill(TupleDesc desc, const PegsDomain *domain, const int *column, const bool *number, Datum *values, bool *nulls)
{
	Oid			relid = get_typ_typrelid(desc->tdtypeid);
	Relation	rel = OidIsValid(relid) ? try_relation_open(relid, AccessShareLock) : NULL;
	StringInfoData names;
	char	   *over = left_over(desc, domain);

	if (rel == NULL)
		return;
	initStringInfo(&names);
	for (int i = 0; i < Min(desc->natts, RelationGetDescr(rel)->natts); i++)
	{
		Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), i);

		if (column[i] >= 0 || number[i] || att->attisdropped || att->attgenerated != '\0' || !pegs_is_not_null(att)
			|| att->atttypid != TupleDescAttr(desc, i)->atttypid)
			continue;
		values[i] = pegs_plain_value(rel, att, true);
		nulls[i] = false;
		appendStringInfo(&names, "%s\"%s\"", names.len ? ", " : "", NameStr(att->attname));
	}
	if (names.len)
		ereport(NOTICE,
				(errmsg("columns of table \"%s\" that are not in the model are filled: %s", RelationGetRelationName(rel), names.data),
				 errdetail("They are NOT NULL: every row has the same plain value, which says nothing."),
				 over ? errhint("The model has %s, which the table has not. If one of these was renamed, give it its name again: ALTER TABLE %s RENAME COLUMN ... TO ...;", over,
								pegs_relation_name(rel)) : 0));
	relation_close(rel, AccessShareLock);
}

/* The row type of another of the tables, by the name that it has now: what both have would be of the one, and look like the other's. */
void
pegs_refuse_other_type(const PegsKeys *keys, TupleDesc desc)
{
	const PegsRelated *related = keys->model->spec->related;
	char	   *named = pegs_relation_words(get_typ_typrelid(desc->tdtypeid));

	for (int t = 0; named && t < related->n; t++)
		if (&related->member[t] != keys->member && strcmp(related->member[t].table, named) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("rows of table \"%s\" are asked for, by the row type of table \"%s\"", keys->member->name, related->member[t].name),
					 errdetail("Columns that it has and they have not would look as if they were its."),
					 errhint("NULL::%s; or table %s.", keys->member->table, quote_literal_cstr(related->member[t].name))));
}
