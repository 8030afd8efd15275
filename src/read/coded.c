/*
 * coded.c
 *	  Whole tables as codes, for the measures of src/core/compare.
 *
 * The original is read as a fit reads it, a synthetic relation by the rights
 * that the caller has now (reading.c). All columns are of the original's
 * declared domain; what is outside it has a code of its own.
 */
#include "read/read.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/memutils.h"

typedef struct Reader
{
	DestReceiver pub;
	const PegsDomain *domain;
	bool		drop;			/* rows that a fit leaves out are left out */
	PegsEncoder **encoder;
	PegsParts  *parts;			/* hidden columns of a row; or NULL */
	int			ncols;			/* of the table */
	double	   *weight;			/* of one more column, the last; NULL: there is none */
	pegs_coded *table;
	uint64		room;
	uint64		seen;
	MemoryContext scratch;
} Reader;

#define DAYS_FROM_1970 (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE)	/* to 2000, which the server counts from */

static double
days_of_timestamp(Timestamp at)
{
	return TIMESTAMP_NOT_FINITE(at) ? get_float8_nan() : (double) at / USECS_PER_DAY + DAYS_FROM_1970;
}

/* An integer, float or numeric as a double, a date or timestamp in days since 1970; NaN for NULL. */
double
pegs_number_of(Oid type, Datum value, bool isnull)
{
	if (isnull)
		return get_float8_nan();
	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
			return (double) DatumGetInt64(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case FLOAT8OID:
			return DatumGetFloat8(value);
		case DATEOID:
			return DATE_NOT_FINITE(DatumGetDateADT(value)) ? get_float8_nan() : (double) DatumGetDateADT(value) + DAYS_FROM_1970;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return days_of_timestamp(DatumGetTimestamp(value));
		default:
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
	}
}

bool
pegs_is_date(Oid base)
{
	return base == DATEOID || base == TIMESTAMPOID || base == TIMESTAMPTZOID;
}

static void
make_room(Reader *reader)
{
	pegs_coded *table = reader->table;
	uint64		room = reader->room > 0 ? reader->room * 2 : PEGS_CHUNK;

	for (uint32 c = 0; c < table->ncols; c++)
	{
		table->code[c] = reader->room == 0 ? palloc(sizeof(uint16) * room)
			: repalloc_huge(table->code[c], sizeof(uint16) * room);
		if (table->number && table->number[c])
			table->number[c] = repalloc_huge(table->number[c], sizeof(double) * room);
	}
	if (reader->weight)
		reader->weight = repalloc_huge(reader->weight, sizeof(double) * room);
	reader->room = room;
}

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	Reader	   *reader = (Reader *) self;
	pegs_coded *table = reader->table;
	bool		left_out = false;
	Datum	   *values;
	bool	   *nulls;
	MemoryContext old;

	if (table->nrows == reader->room)
		make_room(reader);
	old = MemoryContextSwitchTo(reader->scratch);
	slot_getallattrs(slot);
	values = slot->tts_values;
	nulls = slot->tts_isnull;
	if (reader->weight)
		reader->weight[table->nrows] = pegs_number_of(FLOAT8OID, values[reader->ncols - 1], nulls[reader->ncols - 1]);
	if (reader->parts)
		pegs_take_parts(reader->parts, &values, &nulls);
	for (uint32 c = 0; c < table->ncols; c++)
	{
		const PegsColumn *column = &reader->domain->column[c];
		int			code = pegs_encode_strict(reader->encoder[c], values[c], nulls[c]);

		if (code < 0 && column->nearest)
			code = pegs_encode_other(reader->encoder[c], values[c], nulls[c]);
		left_out |= code < 0 && (column->drop || column->nearest) && reader->drop;
		if (code < 0)
			code = column->other >= 0 ? column->other : (int) table->levels[c];
		table->code[c][table->nrows] = (uint16) code;
		if (table->number && table->number[c])
			table->number[c][table->nrows] = pegs_number_of(column->type, values[c], nulls[c]);
	}
	MemoryContextSwitchTo(old);
	table->nrows += !left_out;
	pegs_let_go(reader->scratch);
	if (++reader->seen % PEGS_CHUNK == 0)
	{
		MemoryContextReset(reader->scratch);
		CHECK_FOR_INTERRUPTS();
	}
	return true;
}

static void
startup(DestReceiver *self, int operation, TupleDesc desc)
{
	if (desc->natts != ((Reader *) self)->ncols)
		elog(ERROR, "the table has changed");
}

static void
nothing_to_end(DestReceiver *self)
{
}

/* One code more must fit: that of what is not declared. */
uint32
pegs_checked_levels(const PegsColumn *column)
{
	if (pegs_column_levels(column) >= PEGS_MAX_LEVELS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("column \"%s\" has too many levels to be measured", column->name),
				 errhint("Name the other columns alone.")));
	return pegs_column_levels(column);
}

/* Rows of `query` as codes of the domain; which columns' numbers are wanted, or NULL; the last column's numbers, or NULL. */
static pegs_coded *
read_query(const PegsReading *reading, const char *query, const PegsDomain *domain, const bool *numbers, bool drop,
		   double **weights)
{
	pegs_coded *table = palloc0(sizeof(pegs_coded));
	uint32	   *levels = palloc(sizeof(uint32) * domain->ncols);
	Reader		reader = {
		.pub = {receive, startup, nothing_to_end, nothing_to_end, DestTuplestore},
		.domain = domain,
		.drop = drop,
		.parts = pegs_parts(domain),
		.ncols = pegs_physical(domain)->ncols + (weights ? 1 : 0),
		.weight = weights ? palloc(sizeof(double)) : NULL,
		.table = table
	};

	table->ncols = domain->ncols;
	table->levels = levels;
	table->code = palloc0(sizeof(uint16 *) * domain->ncols);
	reader.encoder = palloc(sizeof(PegsEncoder *) * domain->ncols);
	if (numbers)
		table->number = palloc0(sizeof(double *) * domain->ncols);
	for (int c = 0; c < domain->ncols; c++)
	{
		levels[c] = pegs_checked_levels(&domain->column[c]);
		reader.encoder[c] = pegs_encoder(&domain->column[c]);
		if (numbers && numbers[c])
			table->number[c] = palloc(sizeof(double) * PEGS_CHUNK);
	}
	make_room(&reader);
	reader.scratch = AllocSetContextCreate(CurrentMemoryContext, "pegs measure", ALLOCSET_DEFAULT_SIZES);

	/* what make_room takes outlives the query: it is repalloc'ed in place */
	pegs_read(reading, query, weights ? NULL : pegs_physical(domain), (DestReceiver *) &reader);
	if (weights)
		*weights = reader.weight;
	MemoryContextDelete(reader.scratch);
	return table;
}

/* "SELECT a, b" of the table's columns; `cast` to its types, where the relation's own may differ: of any length, for what is cut or rounded is another value. */
static void
select_list(StringInfo query, const PegsDomain *domain, bool cast)
{
	for (int c = 0; c < domain->ncols; c++)
	{
		const PegsColumn *column = &domain->column[c];

		appendStringInfo(query, "%s%s", c == 0 ? "SELECT " : ", ", quote_identifier(column->name));
		if (cast)
			appendStringInfo(query, "::%s", format_type_extended(column->type, -1,
																 FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
	}
}

pegs_coded *
pegs_coded_original(const PegsSource *source, const PegsDomain *domain, const bool *numbers, bool drop)
{
	PegsReading *reading = pegs_reading_source(source, pegs_physical(domain));
	StringInfoData query;

	initStringInfo(&query);
	select_list(&query, pegs_physical(domain), false);
	appendStringInfo(&query, " FROM %s", reading->name);
	if (drop)
		pegs_say_weighting(source);
	return read_query(reading, query.data, domain, numbers, drop, NULL);
}

pegs_coded *
pegs_coded_relation(Oid relid, const PegsDomain *domain, const bool *numbers)
{
	PegsReading *reading = pegs_reading_relation(relid, pegs_column_names(pegs_physical(domain)));
	StringInfoData query;

	initStringInfo(&query);
	select_list(&query, pegs_physical(domain), true);
	appendStringInfo(&query, " FROM %s", reading->name);
	return read_query(reading, query.data, domain, numbers, false, NULL);
}

/* A table and its parts as they are locked, and nothing that is attached to it meanwhile. The casts say of which types its columns are. */
pegs_coded *
pegs_coded_public(List *parts, const PegsDomain *domain, const char *weight, double **weights)
{
	List	   *names = pegs_column_names(pegs_physical(domain));
	PegsReading *reading = pegs_reading_relation(linitial_oid(parts), weight ? lappend(names, pstrdup(weight)) : names);
	StringInfoData query;

	reading->only = parts;
	initStringInfo(&query);
	select_list(&query, pegs_physical(domain), true);
	if (weight)
		appendStringInfo(&query, ", %s::pg_catalog.float8", quote_identifier(weight));
	appendStringInfo(&query, " FROM %s", reading->name);
	return read_query(reading, query.data, domain, NULL, false, weight ? weights : NULL);
}

/* ---- rows of a model or release ---- */

/* All rows into the tables of a layout. */
uint64_t *
pegs_count_coded(const pegs_layout *layout, const pegs_coded *table)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	uint64_t   *cells = env.alloc(env.context, sizeof(uint64_t) * layout->ncells);
	uint16_t  **codes = palloc(sizeof(uint16_t *) * table->ncols);

	for (uint64 start = 0; start < table->nrows; start += PEGS_CHUNK)
	{
		for (uint32 c = 0; c < table->ncols; c++)
			codes[c] = table->code[c] + start;
		pegs_count_weighted(&env, layout, cells, codes, NULL, (uint32) Min(PEGS_CHUNK, table->nrows - start));
	}
	return cells;
}
