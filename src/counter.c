/*
 * counter.c
 *	  Rows of a source into tables of counts.
 *
 * Rows come from an ordinary query run as the source's owner, in a
 * security-restricted operation, straight into our receiver: views,
 * partitions and foreign tables work as in any query, nothing is kept, and no
 * function runs with more rights than the owner has.
 */
#include "types.h"

#include "executor/executor.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

PegsCounter *
pegs_counter(const PegsSpec *spec, MemoryContext context, bool with_encoders)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	pegs_env	env = pegs_env_in(context);
	PegsCounter *counter = palloc0(sizeof(PegsCounter));
	int			ncols = spec->domain->ncols;

	counter->spec = spec;
	pegs_spec_layout(spec, &env, &counter->layout);
	counter->cells = env.alloc(context, sizeof(uint64_t) * counter->layout.ncells);
	if (with_encoders)
	{
		counter->encoder = palloc(sizeof(PegsEncoder *) * ncols);
		counter->codes = palloc(sizeof(uint16_t *) * ncols);
		for (int i = 0; i < ncols; i++)
		{
			counter->encoder[i] = pegs_encoder(&spec->domain->column[i]);
			counter->codes[i] = palloc(sizeof(uint16_t) * PEGS_CHUNK);
		}
	}
	MemoryContextSwitchTo(old);
	return counter;
}

void
pegs_counter_flush(PegsCounter *counter)
{
	if (counter->fill > 0)
		pegs_count_chunk(&counter->layout, counter->cells, counter->codes, counter->fill);
	counter->rows += counter->fill;
	counter->fill = 0;
	if (counter->rows >= PEGS_MAX_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("more than 2^46 rows cannot be counted"),
				 errhint("Fit a part of the table.")));
}

/* What is counted, as the core's wire format sees it; shares the counter's tables. */
pegs_wire
pegs_counter_wire(PegsCounter *counter)
{
	pegs_wire	wire = {0};

	pegs_counter_flush(counter);
	wire.kind = counter->spec->kind;
	wire.ncols = counter->layout.ncols;
	wire.spec = counter->spec->text;
	wire.spec_len = strlen(counter->spec->text);
	wire.rows = counter->rows;
	wire.layout = counter->layout;
	wire.cells = counter->cells;
	return wire;
}

bytea *
pegs_wire_bytes(const pegs_wire *wire)
{
	size_t		size = pegs_wire_size(wire);
	bytea	   *bytes = palloc(VARHDRSZ + size);

	SET_VARSIZE(bytes, VARHDRSZ + size);
	pegs_wire_write(wire, (uint8_t *) VARDATA(bytes));
	return bytes;
}

/* The state as bytes; size depends on the spec only. */
bytea *
pegs_counter_bytes(PegsCounter *counter)
{
	pegs_wire	wire = pegs_counter_wire(counter);

	return pegs_wire_bytes(&wire);
}

/* ---- the receiver ---- */

typedef struct Receiver
{
	DestReceiver pub;
	PegsCounter *counter;
	MemoryContext scratch;		/* detoasted values of one chunk */
} Receiver;

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	Receiver   *receiver = (Receiver *) self;
	PegsCounter *counter = receiver->counter;
	int			ncols = counter->layout.ncols;
	MemoryContext old = MemoryContextSwitchTo(receiver->scratch);

	slot_getallattrs(slot);
	for (int i = 0; i < ncols; i++)
		counter->codes[i][counter->fill] = pegs_encode(counter->encoder[i], slot->tts_values[i], slot->tts_isnull[i]);
	MemoryContextSwitchTo(old);
	if (++counter->fill == PEGS_CHUNK)
	{
		pegs_counter_flush(counter);
		MemoryContextReset(receiver->scratch);
		CHECK_FOR_INTERRUPTS();
	}
	return true;
}

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc desc)
{
	PegsCounter *counter = ((Receiver *) self)->counter;

	/* the table was looked at under a lock that is still held: this cannot happen */
	if (desc->natts != (int) counter->layout.ncols)
		elog(ERROR, "the source has changed");
}

static void
receiver_nothing(DestReceiver *self)
{
}

/*
 * SELECT the columns FROM the source. With a privacy unit, at most rows_per_unit
 * rows of each person, chosen by a hash of the person's own rows: what another
 * person's rows are has no say in it.
 */
static void
source_query(StringInfo query, const PegsDomain *domain, const PegsSource *source)
{
	const char *unit = source->unit_column ? quote_identifier(source->unit_column) : NULL;
	StringInfoData row;

	initStringInfo(&row);
	for (int i = 0; i < domain->ncols; i++)
		appendStringInfo(query, "%s%s", i == 0 ? "SELECT " : ", ",
						 unit ? psprintf("c%d", i) : quote_identifier(domain->column[i].name));
	if (unit == NULL)
	{
		appendStringInfo(query, " FROM %s", source->name);
		return;
	}
	appendStringInfoString(query, " FROM (SELECT ");
	for (int i = 0; i < domain->ncols; i++)
		appendStringInfo(query, "%s AS c%d, ", quote_identifier(domain->column[i].name), i);
	for (int i = 0; i < domain->ncols; i++)
		appendStringInfo(&row, "%s%s", i == 0 ? "ROW(" : ", ", quote_identifier(domain->column[i].name));
	appendStringInfoString(&row, ")::text COLLATE \"C\"");
	/* the text itself where hashes are equal: rows that tie then are the same row */
	appendStringInfo(query, "row_number() OVER (PARTITION BY %s ORDER BY hashtextextended(%s, 0), %s) AS place"
					 " FROM %s WHERE %s IS NOT NULL) AS own WHERE place <= %d",
					 unit, row.data, row.data, source->name, unit, source->rows_per_unit);
}

/*
 * Throws the caught error on, unless it is about a value ("invalid input
 * syntax for type integer: ..."): then without its words. Law L5.
 */
void
pegs_hide_value(const char *relation)
{
	MemoryContext old = MemoryContextSwitchTo(TopTransactionContext);
	ErrorData  *error = CopyErrorData();

	MemoryContextSwitchTo(old);
	if (ERRCODE_TO_CATEGORY(error->sqlerrcode) != ERRCODE_DATA_EXCEPTION)
		PG_RE_THROW();
	FlushErrorState();
	ereport(ERROR,
			(errcode(error->sqlerrcode),
			 errmsg("reading %s failed", relation),
			 errdetail("The server's message may hold a value of the data and is not shown."),
			 errhidestmt(true), errhidecontext(true),
			 errhint("Run the query of the view by itself, as its owner.")));
}

void
pegs_counter_scan(PegsCounter *counter, const PegsSource *source)
{
	const PegsDomain *domain = counter->spec->domain;
	Receiver	receiver = {
		.pub = {receive, receiver_startup, receiver_nothing, receiver_nothing, DestTuplestore},
		.counter = counter
	};
	SPIExecuteOptions options = {0};
	StringInfoData query;
	SPIPlanPtr	plan;
	PegsAs		saved;
	volatile int rc;

	initStringInfo(&query);
	source_query(&query, domain, source);
	receiver.scratch = AllocSetContextCreate(CurrentMemoryContext, "pegs scan", ALLOCSET_DEFAULT_SIZES);

	pegs_begin_as(&saved, source->owner);
	if (source->unit_column)
		(void) pegs_pin_notation(); /* a person's rows are hashed as text; undone with the role */
	plan = SPI_prepare_cursor(query.data, 0, NULL, CURSOR_OPT_PARALLEL_OK);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	options.read_only = false;
	options.dest = (DestReceiver *) &receiver;
	PG_TRY();
	{
		rc = SPI_execute_plan_extended(plan, &options);
		if (rc != SPI_OK_SELECT)
			elog(ERROR, "reading the source gave %s", SPI_result_code_string(rc));
	}
	PG_CATCH();
	{
		pegs_hide_value(source->name);
	}
	PG_END_TRY();
	pegs_end_as(&saved);
	pegs_counter_flush(counter);
	MemoryContextDelete(receiver.scratch);
}
