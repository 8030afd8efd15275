/*
 * hierarchy_kept.c
 *	  Where hierarchies of columns are kept: what was declared, as it was.
 *
 * Of the column by its number, so that it follows a new name, and of the relation
 * for which it was declared, or what that reads. Nothing of the lookup tables is
 * kept but which they are.
 */
#include "facts/facts.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* By its number; a restored dump has the name alone. */
#define OF_COLUMN "source = $1 AND CASE WHEN relation = source::pg_catalog.oid THEN attnum = $3 ELSE column_name = $2 END"

static PegsKeptHierarchy
load(Oid relid, AttrNumber attnum, char *name)
{
	PegsAs		saved;
	MemoryContext context = CurrentMemoryContext;
	NameData	column;
	PegsArg		args[3] = {{REGCLASSOID, ObjectIdGetDatum(relid), false}, {NAMEOID, NameGetDatum(&column), false}, {INT2OID, Int16GetDatum(attnum), false}};
	PegsKeptHierarchy kept = {0};

	namestrcpy(&column, name);
	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT steps, lookups::pg_catalog.oid[] FROM pegs_internal.hierarchy WHERE " OF_COLUMN, SPI_OK_SELECT, 3, args);
	if (SPI_processed > 0)
	{
		MemoryContext old = MemoryContextSwitchTo(context);
		bool		isnull;
		Datum	   *items;
		bool	   *nulls;
		int			n;

		kept.steps = DatumGetJsonbPCopy(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
		deconstruct_array(DatumGetArrayTypeP(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &isnull)),
						  OIDOID, sizeof(Oid), true, TYPALIGN_INT, &items, &nulls, &n);
		kept.lookups = palloc(sizeof(Oid) * (n + 1));
		for (int i = 0; i < n; i++)
			kept.lookups[i] = DatumGetObjectId(items[i]);
		MemoryContextSwitchTo(old);
	}
	pegs_end_as(&saved);
	return kept;
}

/* On the source, else on what it reads, as levels are. */
PegsKeptHierarchy
pegs_kept_hierarchy(Oid relid, AttrNumber attnum)
{
	Oid			base;
	AttrNumber	base_attnum;
	PegsKeptHierarchy kept = {0};

	if (attnum < 1 || !pegs_keeps("hierarchy", NULL))
		return kept;
	kept = load(relid, attnum, get_attname(relid, attnum, false));
	kept.relid = relid;
	kept.attnum = attnum;
	if (kept.steps == NULL && pegs_source_column(relid, attnum, &base, &base_attnum))
		kept = pegs_kept_hierarchy(base, base_attnum);
	return kept;
}

char *
pegs_forget_hierarchy_call(const PegsSource *source, const char *name)
{
	PegsKeptHierarchy kept = pegs_kept_hierarchy(source->relid, get_attnum(source->relid, name));

	return psprintf("SELECT pegs_set_hierarchy(%s, %s, NULL);", pegs_relation_literal(kept.steps ? kept.relid : source->relid),
					quote_literal_cstr(kept.steps ? get_attname(kept.relid, kept.attnum, false) : name));
}

static PegsArg
lookups_argument(const Oid *lookups, int n)
{
	Datum	   *items = palloc(sizeof(Datum) * (n + 1));

	for (int i = 0; i < n; i++)
		items[i] = ObjectIdGetDatum(lookups[i]);
	return (PegsArg) {OIDARRAYOID, PointerGetDatum(construct_array(items, n, OIDOID, sizeof(Oid), true, TYPALIGN_INT)), false};
}

bool
pegs_forget_hierarchy(const PegsSource *source, const char *name)
{
	PegsAs		saved;
	NameData	column;
	PegsArg		args[3] = {{REGCLASSOID, ObjectIdGetDatum(source->relid), false}, {NAMEOID, NameGetDatum(&column), false},
		{INT2OID, Int16GetDatum(get_attnum(source->relid, name)), false}};
	bool		gone;

	if (!pegs_keeps("hierarchy", NULL))
		return false;
	namestrcpy(&column, name);
	pegs_begin_as_extension(&saved);
	pegs_spi_now("DELETE FROM pegs_internal.hierarchy WHERE " OF_COLUMN, SPI_OK_DELETE, 3, args);
	gone = SPI_processed > 0;
	pegs_end_as(&saved);
	return gone;
}

void
pegs_keep_hierarchy(const PegsSource *source, const char *name, Jsonb *steps, const Oid *lookups, int nlookups)
{
	PegsAs		saved;
	NameData	column;
	PegsArg		args[5] = {{REGCLASSOID, ObjectIdGetDatum(source->relid), false}, {NAMEOID, NameGetDatum(&column), false},
		{INT2OID, Int16GetDatum(get_attnum(source->relid, name)), false}, {JSONBOID, JsonbPGetDatum(steps), false}, lookups_argument(lookups, nlookups)};

	pegs_require_kept("hierarchy", NULL);
	namestrcpy(&column, name);
	(void) pegs_forget_hierarchy(source, name);
	pegs_begin_as_extension(&saved);
	pegs_spi_now("INSERT INTO pegs_internal.hierarchy (source, column_name, steps, lookups, attnum, relation)"
				 " VALUES ($1, $2, $4, $5::pg_catalog.regclass[], $3, $1::pg_catalog.oid)"
				 " ON CONFLICT (source, attnum, relation) DO UPDATE SET column_name = excluded.column_name, steps = excluded.steps, lookups = excluded.lookups",
				 SPI_OK_INSERT, 5, args);
	pegs_end_as(&saved);
}
