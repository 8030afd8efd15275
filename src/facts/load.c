/*
 * load.c
 *	  What was declared of a column, out of pegs_internal.fact.
 */
#include "facts/facts.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

static char **
texts_of(Datum array, int *n)
{
	Datum	   *items;
	bool	   *nulls;
	char	  **texts;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, 'i', &items, &nulls, n);
	texts = palloc(sizeof(char *) * (*n + 1));
	for (int i = 0; i < *n; i++)
		texts[i] = TextDatumGetCString(items[i]);
	return texts;
}

/* NULL: there are none. */
static char **
texts_in(HeapTuple row, TupleDesc desc, int column, int *n)
{
	bool		isnull;
	Datum		value = SPI_getbinval(row, desc, column, &isnull);

	*n = 0;
	return isnull ? NULL : texts_of(value, n);
}

static void
place_other(PegsColumn *column, char *other)
{
	if (other == NULL)
		return;
	for (int i = 0; column->labels && i < column->nlabels; i++)
		if (strcmp(column->labels[i], other) == 0)
			column->other = i;
	if (column->other < 0)
	{
		column->labels = repalloc(column->labels, sizeof(char *) * (column->nlabels + 1));
		column->other = column->nlabels;
		column->labels[column->nlabels++] = other;
	}
}

/* Before anything is declared of a column: what was declared of another one, when that had the name, goes. */
void
pegs_forget_other_column(const PegsSource *source, const char *name)
{
	PegsAs		saved;
	NameData	column;
	PegsArg		args[3] = {
		{REGCLASSOID, ObjectIdGetDatum(source->relid), false},
		{NAMEOID, NameGetDatum(&column), false},
		{INT2OID, Int16GetDatum(get_attnum(source->relid, name)), false}
	};

	if (!pegs_keeps("fact", "attnum"))
		return;
	namestrcpy(&column, name);
	pegs_begin_as_extension(&saved);
	pegs_spi_now("DELETE FROM pegs_internal.fact WHERE source = $1 AND column_name = $2 AND NOT (true" PEGS_OF_COLUMN ")", SPI_OK_DELETE, 3, args);
	pegs_end_as(&saved);
}

/* Of an array; none of NULL. */
static Datum *
items_of(HeapTuple row, TupleDesc desc, int column, Oid type, int *n)
{
	bool		isnull;
	Datum		array = SPI_getbinval(row, desc, column, &isnull);
	Datum	   *items = palloc0(sizeof(Datum));
	bool	   *nulls;
	int16		length;
	bool		byval;
	char		align;

	*n = 0;
	get_typlenbyvalalign(type, &length, &byval, &align);
	if (!isnull)
		deconstruct_array(DatumGetArrayTypeP(array), type, length, byval, align, &items, &nulls, n);
	return items;
}

/* The charges for which it was learnt, in four columns from `first` on. */
static void
load_learnt(HeapTuple row, TupleDesc desc, int first, PegsColumn *column)
{
	Datum	   *items[4];
	int			n[4];

	for (int i = 0; i < 4; i++)
		items[i] = items_of(row, desc, first + i, i < 3 ? INT8OID : TEXTOID, &n[i]);
	if (n[0] != n[1] || n[0] != n[2] || n[0] != n[3])
		elog(ERROR, "a declaration does not say what learning it cost");
	column->nlearnt = n[0];
	column->learnt = palloc(sizeof(PegsLearntCharge) * (n[0] + 1));
	for (int i = 0; i < n[0]; i++)
		column->learnt[i] = (PegsLearntCharge) {DatumGetInt64(items[0][i]), DatumGetInt64(items[1][i]), DatumGetInt64(items[2][i]),
			TextDatumGetCString(items[3][i])};
}

/* What it is modelled by, in three columns from `first` on. */
static void
load_parts(HeapTuple row, TupleDesc desc, int first, PegsColumn *column)
{
	bool		isnull;
	Datum		value = SPI_getbinval(row, desc, first + 1, &isnull);

	column->parts = texts_in(row, desc, first, &column->nparts);
	column->zone = isnull ? NULL : TextDatumGetCString(value);
	value = SPI_getbinval(row, desc, first + 2, &isnull);
	column->earlier = isnull ? NULL : pstrdup(NameStr(*DatumGetName(value)));
}

/* Where it is declared, for a person to read. */
static const char *
origin_of(const PegsColumn *column)
{
	bool		learnt = false;

	for (int i = 0; i < column->nlearnt; i++)
		learnt |= column->learnt[i].id > 0;
	if (column->nedges > 0)
		return learnt ? "learnt bins" : "declared bins";
	return learnt ? "learnt levels" : "declared levels";
}

/* What a declaration has besides what goes into the column at once. */
typedef struct Rest
{
	char	   *other;
	Oid			lookup;
	char	   *lookup_column;
	char	  **via;
	int			nvia;
	char	   *weight;
	PegsInputs	inputs;
} Rest;

#define COLUMNS "levels, other, lookup, lookup_column, edges, drop_undeclared, points, step, not_null, left_out, derived, nearest," \
	" learnt_charge, learnt_epsilon, learnt_delta, learnt_unit, parts, zone, earlier, " PEGS_INPUTS ", function, groups, via, weight"
#define OLD_COLUMNS "levels, other, lookup, lookup_column, edges, false, NULL, NULL, false, false, NULL, false," \
	" NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL"

static void
read_row(HeapTuple row, TupleDesc desc, PegsColumn *column, Rest *rest)
{
	bool		isnull;
	Datum		value;

	column->labels = texts_in(row, desc, 1, &column->nlabels);
	value = SPI_getbinval(row, desc, 2, &isnull);
	rest->other = isnull ? NULL : TextDatumGetCString(value);
	value = SPI_getbinval(row, desc, 3, &isnull);
	rest->lookup = isnull ? InvalidOid : DatumGetObjectId(value);
	value = SPI_getbinval(row, desc, 4, &isnull);
	rest->lookup_column = isnull ? NULL : pstrdup(NameStr(*DatumGetName(value)));
	column->edges = texts_in(row, desc, 5, &column->nedges);
	value = SPI_getbinval(row, desc, 6, &isnull);
	column->drop = !isnull && DatumGetBool(value);
	column->points = texts_in(row, desc, 7, &column->npoints);
	value = SPI_getbinval(row, desc, 8, &isnull);
	column->step = isnull ? NULL : TextDatumGetCString(value);
	value = SPI_getbinval(row, desc, 9, &isnull);
	if (!isnull && DatumGetBool(value))
		column->nullable = false;
	value = SPI_getbinval(row, desc, 10, &isnull);
	column->declared_out = !isnull && DatumGetBool(value);
	value = SPI_getbinval(row, desc, 11, &isnull);
	column->derived = isnull ? NULL : TextDatumGetCString(value);
	value = SPI_getbinval(row, desc, 12, &isnull);
	column->nearest = !isnull && DatumGetBool(value);
	load_learnt(row, desc, 13, column);
	load_parts(row, desc, 17, column);
	rest->inputs = pegs_inputs_in(row, desc, 20);
	value = SPI_getbinval(row, desc, 22, &isnull);
	if (!isnull)
		pegs_function_in(column, DatumGetJsonbPCopy(value));
	value = SPI_getbinval(row, desc, 23, &isnull);
	column->grouped = isnull ? NULL : pegs_kept_function(DatumGetJsonbPCopy(value));
	rest->via = texts_in(row, desc, 24, &rest->nvia);
	value = SPI_getbinval(row, desc, 25, &isnull);
	rest->weight = isnull ? NULL : pstrdup(NameStr(*DatumGetName(value)));
}

/* What was declared for (relid, name), if anything. */
static bool
load_declared(Oid relid, AttrNumber attnum, PegsColumn *column, const PegsSource *source)
{
	PegsAs		saved;
	MemoryContext context = CurrentMemoryContext;
	PegsArg		args[3] = {{REGCLASSOID, ObjectIdGetDatum(relid), false}, {NAMEOID, 0, false}, {INT2OID, Int16GetDatum(attnum), false}};
	NameData	name;
	Rest		rest;
	bool		found;

	namestrcpy(&name, column->name);
	args[1].value = NameGetDatum(&name);
	pegs_begin_as_extension(&saved);
	pegs_spi_now(pegs_keeps("fact", "points")
				 ? "SELECT " COLUMNS " FROM pegs_internal.fact WHERE source = $1 AND column_name = $2" PEGS_OF_COLUMN
				 : "SELECT " OLD_COLUMNS " FROM pegs_internal.fact WHERE source = $1 AND column_name = $2",
				 SPI_OK_SELECT, 3, args);
	found = SPI_processed == 1;
	if (found)
	{
		MemoryContext old = MemoryContextSwitchTo(context);

		read_row(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, &rest);
		MemoryContextSwitchTo(old);
	}
	pegs_end_as(&saved);
	if (!found)
		return false;
	if (column->function)
		column->origin = "function";
	else if (column->nedges > 0 || column->labels)
		column->origin = origin_of(column);
	if (rest.lookup_column)
	{
		column->origin = "lookup table";
		if (rest.via)
			pegs_load_keyed(column, rest.lookup, rest.lookup_column, rest.via, rest.nvia, rest.weight, relid, source);
		else
			pegs_load_lookup(column, rest.lookup, rest.lookup_column, source);
	}
	if (column->drop)
		column->origin = psprintf("%s, other rows are left out", column->origin);
	if (column->nearest)
		column->origin = psprintf("%s, other values count in the nearest", column->origin);
	if (column->problem == NULL)
		place_other(column, rest.other);
	pegs_inputs_now(column, relid, &rest.inputs);
	return true;
}

/* A declaration on the source, else on the table or ancestor it reads. */
bool
pegs_load_declared(Oid relid, AttrNumber attnum, PegsColumn *column, const PegsSource *source)
{
	Oid			base;
	AttrNumber	base_attnum;
	char	   *name = column->name;
	bool		found = load_declared(relid, attnum, column, source);

	if (!found && pegs_source_column(relid, attnum, &base, &base_attnum))
	{
		column->name = get_attname(base, base_attnum, false);
		found = pegs_load_declared(base, base_attnum, column, source);
		column->name = name;
		if (column->derived || column->earlier)
			pegs_inputs_in_view(column, relid, base);
	}
	return found;
}
