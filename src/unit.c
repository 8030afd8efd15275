/*
 * unit.c
 *	  The privacy unit: a person with at most max_rows rows.
 *
 * A unit is declared for a base table. Every fit then keeps at most max_rows
 * rows of each person, chosen by those rows alone, and every mechanism runs as
 * if one person were max_rows rows: noise and scores times max_rows, a sealed
 * sample's epsilon divided by it. Rows without a person are left out.
 */
#include "pegs.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#define MOST_ROWS 1000

/* Name of the column of `source` that is column `attnum` of its base table, or NULL. */
static char *
column_of_base(const PegsSource *source, AttrNumber attnum)
{
	Relation	rel = table_open(source->relid, AccessShareLock);
	int			natts = RelationGetNumberOfAttributes(rel);

	table_close(rel, NoLock);
	for (AttrNumber i = 1; i <= natts; i++)
	{
		AttrNumber	at;
		char	   *name = get_attname(source->relid, i, true);

		if (name == NULL)
			continue;
		if (pegs_base_column(source, i, &at) && at == attnum)
			return name;
	}
	return NULL;
}

/* Fills in source->unit_column and rows_per_unit (1 if no unit is declared). */
void
pegs_load_unit(PegsSource *source)
{
	PegsAs		saved;
	PegsArg		arg = {REGCLASSOID, ObjectIdGetDatum(source->account), false};
	char	   *base_column = NULL;
	MemoryContext context = CurrentMemoryContext;
	AttrNumber	attnum;

	source->rows_per_unit = 1;
	pegs_begin_as_extension(&saved);
	pegs_spi("SELECT column_name, max_rows FROM pegs_internal.unit WHERE source = $1", SPI_OK_SELECT, 1, &arg);
	if (SPI_processed == 1)
	{
		bool		isnull;

		base_column = MemoryContextStrdup(context, NameStr(*DatumGetName(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull))));
		source->rows_per_unit = DatumGetInt32(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &isnull));
	}
	pegs_end_as(&saved);
	if (base_column == NULL)
		return;
	attnum = get_attnum(source->account, base_column);
	source->unit_column = attnum > 0 ? column_of_base(source, attnum) : NULL;
	if (source->unit_column == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("%s has no column for the privacy unit \"%s\" of table \"%s\"", source->name, base_column,
						get_rel_name(source->account)),
				 errhint("Add the column to the view, or SELECT pegs_set_unit(%s, NULL); to protect single rows.",
						 pegs_relation_literal(source->account))));
}

/* pegs_set_unit(source regclass, column_name name, max_rows int DEFAULT 1): a NULL column goes back to single rows */
PG_FUNCTION_INFO_V1(pegs_set_unit);
Datum
pegs_set_unit(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "declare its privacy unit");
	PegsAs		saved;
	PegsArg		args[3] = {
		{REGCLASSOID, ObjectIdGetDatum(source->account), false},
		{NAMEOID, 0, false},
		{INT4OID, 0, false}
	};

	if (PG_ARGISNULL(1))
	{
		pegs_begin_as_extension(&saved);
		pegs_spi("DELETE FROM pegs_internal.unit WHERE source = $1", SPI_OK_DELETE, 1, args);
		pegs_end_as(&saved);
		PG_RETURN_VOID();
	}
	args[1].value = PG_GETARG_DATUM(1);
	if (get_attnum(source->account, NameStr(*PG_GETARG_NAME(1))) < 1)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of table \"%s\" does not exist", NameStr(*PG_GETARG_NAME(1)), get_rel_name(source->account)),
				 errhint("Name the column of the base table that says whose row it is.")));
	if (!OidIsValid(lookup_type_cache(get_atttype(source->account, get_attnum(source->account, NameStr(*PG_GETARG_NAME(1)))),
									  TYPECACHE_LT_OPR)->lt_opr))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" cannot be sorted and cannot be a privacy unit", NameStr(*PG_GETARG_NAME(1))),
				 errhint("Use a number, a text or a uuid.")));
	if (PG_ARGISNULL(2) || PG_GETARG_INT32(2) < 1 || PG_GETARG_INT32(2) > MOST_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_rows must be between 1 and %d", MOST_ROWS),
				 errhint("Most persons should have no more rows than that; the rest of theirs is left out.")));
	args[2].value = PG_GETARG_DATUM(2);
	pegs_begin_as_extension(&saved);
	pegs_spi("INSERT INTO pegs_internal.unit (source, column_name, max_rows) VALUES ($1, $2, $3)"
			 " ON CONFLICT (source) DO UPDATE SET column_name = excluded.column_name, max_rows = excluded.max_rows",
			 SPI_OK_INSERT, 3, args);
	pegs_end_as(&saved);
	PG_RETURN_VOID();
}
