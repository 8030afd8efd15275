/*
 * states.c
 *	  What was counted elsewhere, added to what is counted here.
 *
 * The bytes are another server's word: they are believed in nothing but their
 * counts, and only if they count by the very spec that was sent. Laws L4, L5.
 */
#include "read/read.h"

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
