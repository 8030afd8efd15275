/*
 * counter.c
 *	  Rows of a source into tables of counts.
 *
 * Rows come from an ordinary query (reading.c), run as the owner of the rows
 * in a security-restricted operation, straight into our receiver: views,
 * partitions and foreign tables work as in any query, nothing is kept, and no
 * function runs with more rights than that owner has.
 */
#include "read/read.h"

#include "executor/executor.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* What was counted, and kept, is gone before its memory is given back. */
static void
wipe_counter(void *arg)
{
	PegsCounter *counter = arg;

	if (counter->cells)
		explicit_bzero(counter->cells, sizeof(uint64_t) * counter->layout.ncells);
	if (counter->kept)
		pegs_kept_wipe(counter->kept);
	for (uint32_t i = 0; counter->codes && i < counter->layout.ncols; i++)
		explicit_bzero(counter->codes[i], sizeof(uint16_t) * PEGS_CHUNK);
}

/* A cancel may end it in the middle: then all of it is wiped as above. */
void
pegs_counter_forget(PegsCounter *counter)
{
	pegs_clear(counter->cells, sizeof(uint64_t) * counter->layout.ncells);
	pfree(counter->cells);
	counter->cells = NULL;
}

static PegsCounter *
new_counter(const PegsSpec *spec, MemoryContext context, const pegs_method *method, bool with_encoders)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	pegs_env	env = pegs_env_in(context);
	PegsCounter *counter = palloc0(sizeof(PegsCounter));
	MemoryContextCallback *callback = palloc0(sizeof(MemoryContextCallback));
	int			ncols = spec->domain->ncols;

	counter->spec = spec;
	pegs_spec_layout(spec, &env, &counter->layout);
	if (spec->triples || (method && method->triples))
		pegs_layout_add_triples(&env, &counter->layout);
	if (method && pegs_keeps_rows(method, &counter->layout))
		counter->layout.kept = counter->kept = pegs_kept_new(&env, counter->layout.ncols, counter->layout.levels);
	counter->cells = env.alloc(context, sizeof(uint64_t) * counter->layout.ncells);
	if (with_encoders)
	{
		counter->encoder = palloc(sizeof(PegsEncoder *) * ncols);
		counter->codes = palloc(sizeof(uint16_t *) * ncols);
		counter->parts = pegs_parts(spec->domain);
		for (int i = 0; i < ncols; i++)
		{
			counter->encoder[i] = pegs_encoder(&spec->domain->column[i]);
			counter->codes[i] = palloc(sizeof(uint16_t) * PEGS_CHUNK);
		}
	}
	callback->func = wipe_counter;
	callback->arg = counter;
	MemoryContextRegisterResetCallback(context, callback);
	MemoryContextSwitchTo(old);
	return counter;
}

PegsCounter *
pegs_counter(const PegsSpec *spec, MemoryContext context, bool with_encoders)
{
	return new_counter(spec, context, NULL, with_encoders);
}

PegsCounter *
pegs_counter_of_method(const PegsSpec *spec, const pegs_method *method, MemoryContext context)
{
	return new_counter(spec, context, method, true);
}

/* Where pairs are counted later, of rows in memory: how much of it there may be is the session's to say. */
static void
require_room(const PegsCounter *counter)
{
	if (counter->layout.tables != PEGS_PAIRS || counter->layout.pair_offset || pegs_kept_bytes(counter->kept) <= (uint64_t) maintenance_work_mem * 1024)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the rows do not fit into maintenance_work_mem"),
			 errdetail("All pairs of %u columns have more than " UINT64_FORMAT " cells, so that each is counted when it is looked at, of rows that are kept in memory: "
					   "1 byte for each value of a column of at most 256 levels, else 2.", counter->layout.ncols, PEGS_MAX_CELLS),
			 errhint("SET maintenance_work_mem = '1GB'; or name fewer columns, or declare fewer levels or wider bins.")));
}

void
pegs_too_many_rows(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("more than 2^46 rows cannot be counted"),
			 errhint("Fit a part of the table.")));
}

/* One row's codes behind those of the chunk. False: the row is left out. */
bool
pegs_counter_encode(PegsCounter *counter, Datum *values, bool *nulls)
{
	bool		left_out = false;
	Datum	   *read = values;
	bool	   *read_nulls = nulls;

	if (counter->parts)
		pegs_take_parts(counter->parts, &values, &nulls);
	for (uint32_t i = 0; i < counter->layout.ncols; i++)
	{
		int			code = pegs_encode(counter->encoder[i], values[i], nulls[i]);

		left_out |= code == PEGS_LEFT_OUT;
		counter->codes[i][counter->fill] = (uint16) code;
	}
	if (counter->agree && !left_out)
		pegs_require_agreement(counter->agree, read, read_nulls);
	return !left_out;
}

void
pegs_counter_flush(PegsCounter *counter)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);

	if (counter->fill > 0)
		pegs_count_weighted(&env, &counter->layout, counter->cells, counter->codes, counter->times, counter->fill);
	if (counter->kept)
	{
		pegs_kept_add(counter->kept, counter->codes, counter->times, counter->fill);
		require_room(counter);
	}
	for (uint32_t r = 0; counter->times && r < counter->fill; r++)
		counter->rows += counter->times[r];
	if (counter->times == NULL)
		counter->rows += counter->fill;
	counter->fill = 0;
	if (counter->rows >= PEGS_MAX_ROWS)
		pegs_too_many_rows();
}

/* What is counted, as the core's wire format sees it; shares the counter's tables. */
pegs_wire
pegs_counter_wire(PegsCounter *counter)
{
	pegs_wire	wire = {0};

	pegs_counter_flush(counter);
	wire.kind = counter->spec->triples ? PEGS_WITH_TRIPLES : counter->spec->tables;
	wire.ncols = counter->layout.ncols;
	wire.spec = pegs_text_into_bytes(counter->spec->text);
	wire.spec_len = strlen(wire.spec);
	wire.rows = counter->rows;
	wire.layout = counter->layout;
	wire.cells = counter->cells;
	return wire;
}

/* A model that a method made of such counts, likewise. */
pegs_wire
pegs_model_wire(const PegsSpec *spec, const pegs_method *method, const pegs_layout *counted, void *model)
{
	const char *text = pegs_text_into_bytes(spec->text);

	return (pegs_wire) {.kind = method->kind, .method = method, .ncols = counted->ncols, .levels = counted->levels,
		.spec = text, .spec_len = strlen(text), .model = model};
}

/* The state as bytes, in memory of env; size depends on the spec only. */
bytea *
pegs_counter_bytes(const pegs_env *env, PegsCounter *counter)
{
	pegs_wire	wire = pegs_counter_wire(counter);

	return pegs_wire_bytes(env, &wire);
}
