/*
 * one_by_one.c
 *	  All rows of a source, read one by one into a counter.
 *
 * Rows come from an ordinary query (source/reading.c), run as the owner of the rows
 * in a security-restricted operation, straight into our receiver: views,
 * partitions and foreign tables work as in any query, nothing is kept, and no
 * function runs with more rights than that owner has. Rows of persons are put
 * together before they are counted (persons.c). Claim P10.
 */
#include "read/read.h"

#include "executor/executor.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

typedef struct Receiver
{
	DestReceiver pub;
	PegsCounter *counter;
	int			ncols;			/* of the table */
	MemoryContext context;
	MemoryContext scratch;		/* detoasted values of one chunk */
	uint64_t	seen;			/* rows, those that do not count among them */

	const PegsSource *source;
	PegsPersons *persons;		/* whose rows they are: the last column; NULL: the unit is a row */
} Receiver;

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	Receiver   *receiver = (Receiver *) self;
	PegsCounter *counter = receiver->counter;
	MemoryContext old = MemoryContextSwitchTo(receiver->scratch);
	bool		counts;

	slot_getallattrs(slot);
	counts = pegs_counter_encode(counter, slot->tts_values, slot->tts_isnull);
	if (receiver->persons == NULL)
		counter->fill += counts;
	/* nobody's: of a foreign table that says NOT NULL the planner asks no row */
	else if (counts && !slot->tts_isnull[receiver->ncols])
		pegs_persons_add(receiver->persons, slot->tts_values[receiver->ncols]);
	MemoryContextSwitchTo(old);
	pegs_let_go(receiver->scratch);
	if (++receiver->seen % PEGS_CHUNK == 0)
	{
		pegs_counter_flush(counter);
		MemoryContextReset(receiver->scratch);
		CHECK_FOR_INTERRUPTS();
		if (counter->progress)
			pegs_env_step(counter->progress, PEGS_STEP_READ);
	}
	return true;
}

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc desc)
{
	Receiver   *receiver = (Receiver *) self;

	/* the table was looked at under a lock that is still held: this cannot happen */
	if (desc->natts != receiver->ncols + (receiver->source->unit_column != NULL))
		elog(ERROR, "the source has changed");
	if (receiver->source->unit_column)
		receiver->persons = pegs_persons(receiver->counter, (uint32) receiver->source->rows_per_unit, receiver->source->rows_each > 0,
										 TupleDescAttr(desc, receiver->ncols)->atttypid, TupleDescAttr(desc, receiver->ncols)->attcollation, receiver->context);
}

/* While the query runs: what sorts persons may be a function of their type's owner. */
static void
receiver_shutdown(DestReceiver *self)
{
	Receiver   *receiver = (Receiver *) self;

	if (receiver->persons)
		pegs_persons_end(receiver->persons);
}

static void
receiver_nothing(DestReceiver *self)
{
}

/* SELECT the columns FROM the source; with a privacy unit, whose rows they are, without those that are nobody's. */
static void
source_query(StringInfo query, const PegsDomain *domain, const PegsSource *source, const char *relation)
{
	const char *person = source->unit_column ? quote_identifier(source->unit_column) : NULL;

	if (person && source->range)
		elog(ERROR, "rows of persons are not read in slices");
	for (int i = 0; i < domain->ncols; i++)
		appendStringInfo(query, "%s%s", i == 0 ? "SELECT " : ", ", quote_identifier(domain->column[i].name));
	if (person)
		appendStringInfo(query, ", %s", person);
	appendStringInfo(query, " FROM %s", relation);
	if (person)
		appendStringInfo(query, " WHERE %s IS NOT NULL", person);
	else if (source->range)
		appendStringInfo(query, " WHERE %s", source->range);
}

/* SELECT the columns FROM the source, row by row. */
void
pegs_counter_read(PegsCounter *counter, const PegsSource *source)
{
	const PegsDomain *counted = pegs_physical(counter->spec->domain);
	const PegsDomain *domain = pegs_agreeing(counter->spec->domain, counted);
	PegsReading *reading = pegs_reading_source(source, domain);
	Receiver	receiver = {
		.pub = {receive, receiver_startup, receiver_shutdown, receiver_nothing, DestTuplestore},
		.counter = counter,
		.ncols = domain->ncols,
		.source = source,
		.context = CurrentMemoryContext
	};
	StringInfoData query;

	counter->agree = domain == counted ? NULL : pegs_agree(counter->spec->domain, domain, source);
	initStringInfo(&query);
	source_query(&query, domain, source, reading->name);
	receiver.scratch = AllocSetContextCreate(CurrentMemoryContext, "pegs scan", ALLOCSET_DEFAULT_SIZES);
	pegs_read(reading, query.data, domain, (DestReceiver *) &receiver);
	pegs_counter_flush(counter);
	MemoryContextDelete(receiver.scratch);
}
