/*
 * column.c
 *	  A column of a source by its name, whether it may be NULL, and what is named
 *	  twice of it.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

bool
pegs_is_not_null(Form_pg_attribute att)
{
	Oid			type = att->atttypid;
	bool		notnull = att->attnotnull;

	while (!notnull && get_typtype(type) == TYPTYPE_DOMAIN)
	{
		HeapTuple	typetuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));

		notnull = ((Form_pg_type) GETSTRUCT(typetuple))->typnotnull;
		type = ((Form_pg_type) GETSTRUCT(typetuple))->typbasetype;
		ReleaseSysCache(typetuple);
	}
	return notnull;
}

/* A statement: a column of one value, by which a table of keys alone has something to be modelled. */
char *
pegs_column_of_one_value(Oid table)
{
	const char *name = get_attnum(table, "row_kind") == InvalidAttrNumber ? "row_kind" : "row_of_model";

	return psprintf("ALTER TABLE %s ADD COLUMN %s text NOT NULL DEFAULT 'row' CHECK (%s = 'row');", pegs_relation_words(table), name, name);
}

/* May the column hold NULL? Down a view to the table it reads. */
bool
pegs_may_be_null(Oid relid, AttrNumber attnum)
{
	HeapTuple	tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relid), Int16GetDatum(attnum));
	bool		notnull = pegs_is_not_null((Form_pg_attribute) GETSTRUCT(tuple));
	char		relkind = get_rel_relkind(relid);
	Oid			base;
	AttrNumber	base_attnum;

	ReleaseSysCache(tuple);
	if (!notnull && (relkind == RELKIND_VIEW || relkind == RELKIND_MATVIEW)
		&& pegs_source_column(relid, attnum, &base, &base_attnum))
		return pegs_may_be_null(base, base_attnum);
	return !notnull;
}

/* The column by its name: its base type, in *column. An error if it is not there, or its type cannot be modelled. */
void
pegs_find_column(const PegsSource *source, const char *name, bool of_any_type, PegsColumn *column)
{
	HeapTuple	tuple;
	Form_pg_attribute att;
	Oid			declared;

	memset(column, 0, sizeof(*column));
	column->name = pstrdup(name);
	column->other = -1;
	tuple = SearchSysCacheAttName(source->relid, column->name);
	if (!HeapTupleIsValid(tuple) || ((Form_pg_attribute) GETSTRUCT(tuple))->attnum < 1)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of %s does not exist", column->name, source->name),
				 errhint("SELECT column_name FROM pegs_domain(%s);", quote_literal_cstr(source->name))));
	att = (Form_pg_attribute) GETSTRUCT(tuple);
	declared = att->atttypid;
	column->typmod = att->atttypmod;
	column->type = getBaseTypeAndTypmod(declared, &column->typmod);
	ReleaseSysCache(tuple);
	if (!of_any_type && !pegs_type_supported(column->type))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" cannot be used: type %s is not supported", column->name, format_type_be(declared)),
				 errdetail("Supported are text, varchar, char, boolean, integers, numeric, float, date, timestamp and enum types."),
				 errhint("What a view can make of it: SELECT remedy FROM pegs_domain(%s) WHERE column_name = %s;", quote_literal_cstr(source->name), quote_literal_cstr(column->name))));
}

/* A text that is there twice; NULL: none. */
const char *
pegs_twice(char *const *texts, int n)
{
	char	  **sorted = palloc(sizeof(char *) * (n + 1));
	const char *twice = NULL;

	if (n > 0)
		memcpy(sorted, texts, sizeof(char *) * n);
	qsort(sorted, n, sizeof(char *), pg_qsort_strcmp);
	for (int i = 1; i < n && twice == NULL; i++)
		if (strcmp(sorted[i - 1], sorted[i]) == 0)
			twice = sorted[i];
	pfree(sorted);
	return twice;
}

/* Levels or points: canonical texts. */
void
pegs_refuse_twice(const PegsColumn *column, char *const *texts, int n, const char *what)
{
	const char *twice = pegs_twice(texts, n);

	if (twice)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s \"%s\" of column \"%s\" is declared twice", what, pegs_clipped(twice), column->name),
				 errhint("Name every %s once.", what)));
}

/* The name under which facts of a column of `relid` are kept, in our memory; NULL: there are none, or those of a restored dump. */
static char *
name_when_declared(Oid relid, AttrNumber attnum)
{
	PegsAs		saved;
	MemoryContext context = CurrentMemoryContext;
	PegsArg		args[2] = {{REGCLASSOID, ObjectIdGetDatum(relid), false}, {INT2OID, Int16GetDatum(attnum), false}};
	char	   *was = NULL;

	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT column_name FROM pegs_internal.fact WHERE source = $1 AND relation = $1::pg_catalog.oid AND attnum = $2", SPI_OK_SELECT, 2, args);
	if (SPI_processed == 1)
		was = MemoryContextStrdup(context, SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1));
	pegs_end_as(&saved);
	return was;
}

/* The one under which facts of the column are kept, if it has another one now, and of which relation: itself, or what a view reads. NULL: nothing was declared of it. */
char *
pegs_name_when_declared(const PegsSource *source, const char *name, Oid *where)
{
	AttrNumber	attnum = get_attnum(source->relid, name);
	char	   *was = NULL;

	*where = source->relid;
	if (!pegs_keeps("fact", "attnum"))
		return NULL;
	while ((was = name_when_declared(*where, attnum)) == NULL)
		if (!pegs_source_column(*where, attnum, where, &attnum))
			return NULL;
	return strcmp(was, get_attname(*where, attnum, false)) == 0 ? NULL : was;
}

#define LISTED "levels IS NOT NULL OR edges IS NOT NULL OR lookup IS NOT NULL, levels IS NOT NULL AND other IS NULL OR lookup IS NOT NULL"

/* Of that relation itself. */
PegsDeclared
pegs_declared(Oid relid, AttrNumber attnum)
{
	PegsAs		saved;
	NameData	name;
	PegsArg		args[3] = {{REGCLASSOID, ObjectIdGetDatum(relid), false}, {NAMEOID, NameGetDatum(&name), false}, {INT2OID, Int16GetDatum(attnum), false}};
	PegsDeclared declared = {0};
	bool		isnull;

	namestrcpy(&name, get_attname(relid, attnum, false));
	pegs_begin_as_extension(&saved);
	pegs_spi_now(pegs_keeps("fact", "points")
				 ? "SELECT " LISTED ", left_out IS TRUE OR derived IS NOT NULL FROM pegs_internal.fact WHERE source = $1 AND column_name = $2" PEGS_OF_COLUMN
				 : "SELECT " LISTED ", false FROM pegs_internal.fact WHERE source = $1 AND column_name = $2",
				 SPI_OK_SELECT, 3, args);
	declared.is = SPI_processed > 0;
	declared.listed = declared.is && DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	declared.single = declared.is && DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &isnull));
	declared.out = declared.is && DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 3, &isnull));
	pegs_end_as(&saved);
	return declared;
}

bool
pegs_has_levels(Oid relid, AttrNumber attnum)
{
	return pegs_declared(relid, attnum).listed;
}

/* The relation and column whose declaration that is: itself, or what it reads. */
Oid
pegs_declared_where(Oid relid, const char *name, char **column)
{
	Oid			where = relid;
	AttrNumber	attnum = get_attnum(relid, name);

	while (attnum > 0 && !pegs_declared(where, attnum).is)
		if (!pegs_source_column(where, attnum, &where, &attnum))
		{
			*column = pstrdup(name);
			return relid;
		}
	*column = attnum > 0 ? get_attname(where, attnum, false) : pstrdup(name);
	return where;
}
