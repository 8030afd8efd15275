/*
 * declare.c
 *	  Declaring public facts: levels, lookup tables, bins.
 *
 * What is declared is checked through the column's own type and kept as
 * canonical text in pegs_internal.fact. Law L1.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* Checks source and column; gives the column's base type. */
static PegsSource *
declare(FunctionCallInfo fcinfo, PegsColumn *column, AttrNumber *attnum)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "declare its public facts");
	HeapTuple	tuple;
	Form_pg_attribute att;
	Oid			declared;

	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("column_name must not be null"),
				 errhint("Name a column: column_name => 'age'")));
	memset(column, 0, sizeof(*column));
	column->name = pstrdup(NameStr(*PG_GETARG_NAME(1)));
	column->other = -1;
	tuple = SearchSysCacheAttName(source->relid, column->name);
	if (!HeapTupleIsValid(tuple) || ((Form_pg_attribute) GETSTRUCT(tuple))->attnum < 1)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of %s does not exist", column->name, source->name),
				 errhint("SELECT column_name FROM pegs_domain(%s);", quote_literal_cstr(source->name))));
	att = (Form_pg_attribute) GETSTRUCT(tuple);
	*attnum = att->attnum;
	declared = att->atttypid;
	column->typmod = att->atttypmod;
	column->type = getBaseTypeAndTypmod(declared, &column->typmod);
	ReleaseSysCache(tuple);
	if (!pegs_type_supported(column->type))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" cannot be used: type %s is not supported", column->name, format_type_be(declared)),
				 errdetail("Supported are text, varchar, char, boolean, integers, numeric, float, date, timestamp and enum types."),
				 errhint("SELECT remedy FROM pegs_domain(...) says what a view can make of it.")));
	return source;
}

static Datum
text_array(char **texts, int n)
{
	Datum	   *items = palloc(sizeof(Datum) * (n + 1));

	for (int i = 0; i < n; i++)
		items[i] = CStringGetTextDatum(texts[i]);
	return PointerGetDatum(construct_array(items, n, TEXTOID, -1, false, 'i'));
}

static void
store_fact(const PegsSource *source, const PegsColumn *column, char *other, Oid lookup, Datum lookup_column, bool drop)
{
	PegsAs		saved;
	NameData	name;
	PegsArg		args[7] = {
		{REGCLASSOID, ObjectIdGetDatum(source->relid), false},
		{NAMEOID, 0, false},
		{TEXTARRAYOID, 0, column->labels == NULL},
		{TEXTOID, other ? CStringGetTextDatum(other) : 0, other == NULL},
		{REGCLASSOID, ObjectIdGetDatum(lookup), !OidIsValid(lookup)},
		{NAMEOID, lookup_column, lookup_column == 0},
		{TEXTARRAYOID, 0, column->edges == NULL}
	};

	namestrcpy(&name, column->name);
	args[1].value = NameGetDatum(&name);
	if (column->labels)
		args[2].value = text_array(column->labels, column->nlabels);
	if (column->edges)
		args[6].value = text_array(column->edges, column->nedges);
	pegs_begin_as_extension(&saved);
	pegs_spi_now("INSERT INTO pegs_internal.fact (source, column_name, levels, other, lookup, lookup_column, edges)"
			 " VALUES ($1, $2, $3, $4, $5, $6, $7)"
			 " ON CONFLICT (source, column_name) DO UPDATE SET levels = excluded.levels, other = excluded.other,"
			 " lookup = excluded.lookup, lookup_column = excluded.lookup_column, edges = excluded.edges",
			 SPI_OK_INSERT, 7, args);
	if (pegs_keeps("fact", "drop_undeclared"))
		pegs_spi_now(drop ? "UPDATE pegs_internal.fact SET drop_undeclared = true WHERE source = $1 AND column_name = $2"
				 : "UPDATE pegs_internal.fact SET drop_undeclared = false WHERE source = $1 AND column_name = $2",
				 SPI_OK_UPDATE, 2, args);
	pegs_end_as(&saved);
}

/* 'error': a value that is not declared ends the fit; 'drop': its row is left out. */
static bool
drops(const char *undeclared)
{
	if (undeclared == NULL || (strcmp(undeclared, "error") != 0 && strcmp(undeclared, "drop") != 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("undeclared must be 'error' or 'drop'"),
				 errdetail("'error': a fit ends where it finds a value that is not declared. 'drop': it leaves the row out."),
				 errhint("undeclared => 'drop'")));
	return strcmp(undeclared, "drop") == 0;
}

/* An argument that only the new form of a function has. */
static bool
drop_argument(FunctionCallInfo fcinfo, int n)
{
	return PG_NARGS() > n && drops(PG_ARGISNULL(n) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(n)));
}

static void
set_levels(FunctionCallInfo fcinfo, const char *other_text, bool drop)
{
	PegsColumn	column;
	AttrNumber	attnum;
	PegsSource *source = declare(fcinfo, &column, &attnum);
	char	  **levels = pegs_arg_texts(fcinfo, 2, "levels", &column.nlabels);
	char	   *other = NULL;

	if (column.nlabels < 1 || column.nlabels >= PEGS_MAX_LEVELS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("levels must hold between 1 and %d values, not %d", PEGS_MAX_LEVELS - 1, column.nlabels),
				 errhint("Declare wide columns by bins (pegs_set_bins), or let one level take the rare ones (other => '...').")));
	column.labels = palloc(sizeof(char *) * column.nlabels);
	for (int i = 0; i < column.nlabels; i++)
	{
		column.labels[i] = pegs_canonical(column.type, column.typmod, levels[i]);
		if (pegs_type_has_bins(column.type) && strcmp(column.labels[i], "NaN") == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("level \"NaN\" of column \"%s\" is not a number", column.name),
					 errhint("Let another level take it: other => '...'.")));
	}
	if (column.nlabels > 1)
	{
		char	  **sorted = palloc(sizeof(char *) * column.nlabels);

		memcpy(sorted, column.labels, sizeof(char *) * column.nlabels);
		qsort(sorted, column.nlabels, sizeof(char *), pg_qsort_strcmp);
		for (int i = 1; i < column.nlabels; i++)
			if (strcmp(sorted[i - 1], sorted[i]) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("level \"%s\" of column \"%s\" is declared twice", sorted[i], column.name),
						 errhint("Name every level once.")));
	}
	(void) pegs_decoder(&column);	/* a value that does not read back is an error now: timestamp(0) rounds the last one out of its range */
	if (other_text)
	{
		other = pegs_canonical(column.type, column.typmod, other_text);
		(void) pegs_from_canonical(column.type, column.typmod, other);
	}
	store_fact(source, &column, other, InvalidOid, 0, drop);
}

/* pegs_set_levels(source regclass, column_name name, levels text[], other text DEFAULT NULL) */
PG_FUNCTION_INFO_V1(pegs_set_levels);
Datum
pegs_set_levels(PG_FUNCTION_ARGS)
{
	set_levels(fcinfo, PG_ARGISNULL(3) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(3)), false);
	PG_RETURN_VOID();
}

/* pegs_set_levels(source regclass, column_name name, levels text[], undeclared name): of another type than other, to be told from it */
PG_FUNCTION_INFO_V1(pegs_set_levels_undeclared);
Datum
pegs_set_levels_undeclared(PG_FUNCTION_ARGS)
{
	set_levels(fcinfo, NULL, drops(PG_ARGISNULL(3) ? NULL : NameStr(*PG_GETARG_NAME(3))));
	PG_RETURN_VOID();
}

/* pegs_set_levels(source regclass, column_name name, lookup regclass, lookup_column name) */
PG_FUNCTION_INFO_V1(pegs_set_lookup);
Datum
pegs_set_lookup(PG_FUNCTION_ARGS)
{
	PegsColumn	column;
	AttrNumber	attnum;
	PegsSource *source = declare(fcinfo, &column, &attnum);
	Oid			lookup = pegs_arg_oid(fcinfo, 2, "lookup");
	char		relkind = get_rel_relkind(lookup);
	char	   *name;
	AttrNumber	lookup_attnum;

	if (relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("lookup must be a table"),
				 errhint("Name a table whose content is public.")));
	if (PG_ARGISNULL(3))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("lookup_column must not be null"),
				 errhint("Name a column: lookup_column => 'code'")));
	name = NameStr(*PG_GETARG_NAME(3));
	lookup_attnum = get_attnum(lookup, name);
	if (lookup_attnum < 1)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of table \"%s\" does not exist", name, get_rel_name(lookup)),
				 errhint("Name the column that holds the levels: lookup_column => 'code'")));
	if (!pegs_type_supported(getBaseType(get_atttype(lookup, lookup_attnum))))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" of table \"%s\" has an unsupported type", name, get_rel_name(lookup)),
				 errhint("Use a column of type text, number, date or enum.")));
	(void) pegs_reading_relation(lookup, list_make1(name));	/* the right is asked again at every use */
	if (pegs_source(lookup)->account == source->account)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a table cannot be its own lookup table"),
				 errdetail("Levels must be public; taken from the rows they are not."),
				 errhint("Make a table of the codes that are published anyway.")));
	store_fact(source, &column, NULL, lookup, PG_GETARG_DATUM(3), drop_argument(fcinfo, 4));
	PG_RETURN_VOID();
}

/* pegs_set_bins(source regclass, column_name name, edges text[] [, undeclared text]) */
PG_FUNCTION_INFO_V1(pegs_set_bins);
Datum
pegs_set_bins(PG_FUNCTION_ARGS)
{
	PegsColumn	column;
	AttrNumber	attnum;
	PegsSource *source = declare(fcinfo, &column, &attnum);
	char	  **edges = pegs_arg_texts(fcinfo, 2, "edges", &column.nedges);

	if (!pegs_type_has_bins(column.type))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("column \"%s\" of type %s cannot have bins", column.name, format_type_be(column.type)),
				 errhint("Bins are for numbers, dates and timestamps; use pegs_set_levels.")));
	if (column.nedges < 2 || column.nedges > PEGS_MAX_LEVELS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("edges must hold between 2 and %d values, not %d", PEGS_MAX_LEVELS, column.nedges),
				 errhint("Bins are [a, b), the last one closed: ARRAY['0', '10', '20'] makes two.")));
	column.edges = palloc(sizeof(char *) * column.nedges);
	for (int i = 0; i < column.nedges; i++)
	{
		column.edges[i] = pegs_canonical(column.type, column.typmod, edges[i]);
		if (pg_strcasecmp(column.edges[i], "infinity") == 0 || pg_strcasecmp(column.edges[i], "-infinity") == 0
			|| pg_strcasecmp(column.edges[i], "nan") == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("edges must be finite"),
					 errhint("Use the smallest and largest value that the column can hold.")));
		if (i > 0 && pegs_compare(column.type, column.typmod, column.edges[i - 1], column.edges[i]) >= 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("edges must rise: %s is not below %s", column.edges[i - 1], column.edges[i]),
					 errhint("Sort them and name each once.")));
	}
	(void) pegs_decoder(&column);	/* digits that do not fit are an error now */
	store_fact(source, &column, NULL, InvalidOid, 0, drop_argument(fcinfo, 3));
	PG_RETURN_VOID();
}

/* pegs_unset(source regclass, column_name name) */
PG_FUNCTION_INFO_V1(pegs_unset);
Datum
pegs_unset(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "unset its public facts");
	PegsAs		saved;
	PegsArg		args[2] = {{REGCLASSOID, ObjectIdGetDatum(source->relid), false}, {NAMEOID, 0, false}};
	uint64		gone;

	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("column_name must not be null"),
				 errhint("Name a column: column_name => 'age'")));
	args[1].value = PG_GETARG_DATUM(1);
	pegs_begin_as_extension(&saved);
	pegs_spi_now("DELETE FROM pegs_internal.fact WHERE source = $1 AND column_name = $2", SPI_OK_DELETE, 2, args);
	gone = SPI_processed;
	pegs_end_as(&saved);
	if (gone == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("nothing is declared for column \"%s\" of %s", NameStr(*PG_GETARG_NAME(1)), source->name),
				 errhint("SELECT column_name, origin FROM pegs_domain(%s);", quote_literal_cstr(source->name))));
	PG_RETURN_VOID();
}
