/*
 * values.c
 *	  The values of a column that occur, each with its rows, in their order.
 *
 * Read and counted as a fit would, privacy unit and all, but that no value is
 * undeclared: nothing is left out, so a NULL takes its place among a person's
 * rows, and is told to nobody. One value is here at a time, however many there
 * are: PostgreSQL groups and sorts them, in work_mem or on disk.
 */
#include "read/read.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#define VALUES_AT_ONCE 1024		/* between two questions whether to stop */

typedef struct Receiver
{
	DestReceiver pub;
	PegsMeet	meet;
	void	   *to;
	MemoryContext scratch;
	uint64		seen;
} Receiver;

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	Receiver   *receiver = (Receiver *) self;
	MemoryContext old = MemoryContextSwitchTo(receiver->scratch);

	slot_getallattrs(slot);
	if (!slot->tts_isnull[0])
		receiver->meet(receiver->to, slot->tts_values[0], DatumGetInt64(slot->tts_values[1]));
	MemoryContextSwitchTo(old);
	MemoryContextReset(receiver->scratch);
	if (++receiver->seen % VALUES_AT_ONCE == 0)
		CHECK_FOR_INTERRUPTS();
	return true;
}

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc desc)
{
	if (desc->natts != 2)
		elog(ERROR, "the source has changed");
}

static void
receiver_nothing(DestReceiver *self)
{
}

/* Values and numbers of rows; texts are told apart by their bytes, whatever their collation. */
static void
values_query(StringInfo query, const PegsDomain *domain, const PegsSource *source, const char *relation)
{
	const char *bytes = pegs_is_text(domain->column[0].type) ? " COLLATE \"C\"" : "";

	if (source->unit_column)
	{
		appendStringInfo(query, "SELECT value, n FROM (SELECT c0%s AS value, sum(times)::bigint AS n FROM (", bytes);
		pegs_unit_times_query(query, domain, source, relation);
		appendStringInfoString(query, ") AS counted");
	}
	else
		appendStringInfo(query, "SELECT value, n FROM (SELECT %s%s AS value, count(*) AS n FROM %s",
						 quote_identifier(domain->column[0].name), bytes, relation);
	appendStringInfoString(query, " GROUP BY 1) AS grouped ORDER BY value");
}

void
pegs_meet_values(const PegsSource *source, const PegsDomain *domain, PegsMeet meet, void *to)
{
	PegsReading *reading = pegs_reading_source(source, domain);
	Receiver	receiver = {
		.pub = {receive, receiver_startup, receiver_nothing, receiver_nothing, DestTuplestore},
		.meet = meet,
		.to = to
	};
	StringInfoData query;

	Assert(domain->ncols == 1);
	initStringInfo(&query);
	values_query(&query, domain, source, reading->name);
	receiver.scratch = AllocSetContextCreate(CurrentMemoryContext, "pegs scan", ALLOCSET_DEFAULT_SIZES);
	pegs_read(reading, query.data, domain, (DestReceiver *) &receiver);
	MemoryContextDelete(receiver.scratch);
}
