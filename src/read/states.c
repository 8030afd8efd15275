/*
 * states.c
 *	  What was counted elsewhere, added to what is counted here.
 *
 * The bytes are another server's word: they are believed in nothing but their
 * counts, and only if they count by the very spec that was sent. Laws L4, L5.
 */
#include "read/read.h"

#include "executor/executor.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

static pegs_status
add_counts(PegsCounter *counter, const PegsSpec *spec, const bytea *state)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs state", ALLOCSET_DEFAULT_SIZES);
	pegs_env	env = pegs_wiped_env_in(context);
	pegs_wire	into = {0};
	pegs_wire	from;
	pegs_status status;

	into.kind = spec->triples ? PEGS_WITH_TRIPLES : spec->tables;
	into.ncols = counter->layout.ncols;
	into.spec = pegs_text_into_bytes(spec->text);
	into.spec_len = strlen(into.spec);
	into.rows = counter->rows;
	into.layout = counter->layout;
	into.cells = counter->cells;
	status = pegs_wire_read(&env, (const uint8_t *) VARDATA_ANY(state), VARSIZE_ANY_EXHDR(state), &from);
	if (status == PEGS_OK)
		status = pegs_wire_merge(&env, &into, &from);
	counter->rows = into.rows;
	MemoryContextDelete(context);
	return status;
}

/* Our aggregate made it for us alone. */
static void
wipe_state(bytea *state)
{
	explicit_bzero(VARDATA_ANY(state), VARSIZE_ANY_EXHDR(state));
}

/* whose: the part that it is of; where: who has counted it, for a hint. The state is wiped, also where it is refused, or a cancel comes. */
void
pegs_add_state(PegsCounter *counter, const PegsSpec *spec, bytea *state, const char *whose, const char *where)
{
	volatile pegs_status status;	/* of a try: gcc takes it for changed in between */

	PG_TRY();
	{
		status = add_counts(counter, spec, state);
	}
	PG_CATCH();
	{
		wipe_state(state);
		PG_RE_THROW();
	}
	PG_END_TRY();
	wipe_state(state);
	if (status == PEGS_ERR_RANGE)
		pegs_too_many_rows();
	if (status != PEGS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_ERROR),
				 errmsg("what was counted of \"%s\" is not what was asked for", whose),
				 errdetail("A state of pegs has come back that counts by another spec, or that is none."),
				 errhint("Has pegs another version on %s than here? SELECT extversion FROM pg_extension WHERE extname = 'pegs';", where)));
}

/* ---- states of legs, as they come ---- */

typedef struct Receiver
{
	DestReceiver pub;
	PegsCounter *counter;
	const PegsSpec *spec;		/* by which they were counted */
	const List *legs;			/* of Oid: whose states they are */
	bool	   *answered;		/* each of them */
	int			nanswers;
} Receiver;

/* A state is of a leg that has not answered yet: the number that comes with it may be another server's word. */
static void
note_answer(Receiver *receiver, TupleTableSlot *slot)
{
	int			number = slot->tts_isnull[1] ? 0 : DatumGetInt32(slot->tts_values[1]);

	if (number < 1 || number > list_length(receiver->legs) || receiver->answered[number - 1])
		ereport(ERROR,
				(errcode(ERRCODE_FDW_ERROR),
				 errmsg("more has come back than was asked for"),
				 errdetail("Each part of the table is counted once, by one state."),
				 errhint("Is pegs_agg an aggregate of pegs on each of the servers? SELECT proname, prokind FROM pg_proc WHERE proname = 'pegs_agg';")));
	receiver->answered[number - 1] = true;
	receiver->nanswers++;
}

/* None is left out: an aggregate has an answer for no rows, too. */
void
pegs_require_states(const DestReceiver *self)
{
	const Receiver *receiver = (const Receiver *) self;

	if (receiver->nanswers != list_length(receiver->legs))
		ereport(ERROR,
				(errcode(ERRCODE_FDW_ERROR),
				 errmsg("only %d of %d parts were counted", receiver->nanswers, list_length(receiver->legs)),
				 errdetail("Nothing was charged."),
				 errhint("Is pegs_agg an aggregate of pegs on each of the servers? SELECT proname, prokind FROM pg_proc WHERE proname = 'pegs_agg';")));
}

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	Receiver   *receiver = (Receiver *) self;
	PegsCounter *counter = receiver->counter;

	slot_getallattrs(slot);
	note_answer(receiver, slot);
	/* the part is empty */
	if (!slot->tts_isnull[0])
		pegs_add_state(counter, receiver->spec, DatumGetByteaPP(slot->tts_values[0]),
					   get_rel_name(list_nth_oid(receiver->legs, DatumGetInt32(slot->tts_values[1]) - 1)), "its server");
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

/* Where states of these go: legs, of Oid. */
DestReceiver *
pegs_states(PegsCounter *counter, const PegsSpec *spec, const List *legs)
{
	Receiver   *receiver = palloc0(sizeof(Receiver));

	*receiver = (Receiver) {
		.pub = {receive, receiver_startup, receiver_nothing, receiver_nothing, DestTuplestore},
		.counter = counter,
		.spec = spec,
		.legs = legs,
		.answered = palloc0(sizeof(bool) * list_length(legs))
	};
	return &receiver->pub;
}
