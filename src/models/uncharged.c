/*
 * uncharged.c
 *	  What a fit, or a domain that is learnt, computes before it is charged:
 *	  nobody sees it, or anything that depends on it, until the charge is durable.
 *	  Law L2, claim P5.
 *
 * Its memory is zeroed before it is given back, whichever way the work ends.
 * Errors about memory and limits lose their words: how much was asked for may
 * depend on noisy answers that nobody paid for. Progress is said by step and
 * whole seconds: the steps and their order are public, which of them a client
 * hears of depends on the clock alone.
 *
 * How much memory the work leaves depends on noisy answers, too. So what is
 * written for the charge, and the charge, do not live on it: a piece is kept for
 * them from before the first row on, and they are in the caller's context.
 */
#include "models/models.h"

#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#define LONG_SECONDS 5			/* work that takes less says nothing */
#define CHECKS_A_LOOK 16		/* at the clock */
#define SPARE_BYTES ((Size) 4 * 1024 * 1024)	/* the catalogs, a few statements, the charge */

const PegsWork pegs_work_fit = {
	.title = "fit of",
	.while_words = "while fitting",
	.failed = "the fit failed",
	.remedy = "Fit fewer columns, or columns with fewer levels."
};

/* Before each allocation; its size keeps what follows aligned. */
typedef struct Chunk
{
	struct Chunk *next;
	struct Chunk *previous;
	size_t		bytes;
	size_t		unused;
} Chunk;

struct PegsUncharged
{
	MemoryContext context;
	Chunk	   *first;
	const PegsWork *work;
	const char *name;
	TimestampTz since;
	int			at;				/* the step that it is at; -1: none has begun */
	int			said;			/* the last step that was spoken of */
	unsigned	checks;
	void	   *spare;			/* never written to */
};

static const char *const step_names[] = {
	[PEGS_STEP_READ] = "reading rows",
	[PEGS_STEP_PARENTS] = "choosing parents",
	[PEGS_STEP_TABLE] = "table of all columns",
	[PEGS_STEP_ONEWAYS] = "1-way tables",
	[PEGS_STEP_FOREST] = "first pairs",
	[PEGS_STEP_ROUNDS] = "more pairs",
	[PEGS_STEP_CORRELATIONS] = "correlations",
	[PEGS_STEP_CHOICES] = "choices",
	[PEGS_STEP_REGRESSIONS] = "regressions",
	[PEGS_STEP_LAST] = "last estimate"
};

static void
wipe_all(void *arg)
{
	PegsUncharged *uncharged = arg;

	for (Chunk *chunk = uncharged->first; chunk; chunk = chunk->next)
		explicit_bzero(chunk + 1, chunk->bytes);
}

static void out_of_memory(const PegsWork *work) __attribute__((noreturn));

PegsUncharged *
pegs_uncharged(const PegsWork *work, const char *name)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs fit", ALLOCSET_DEFAULT_SIZES);
	PegsUncharged *uncharged = MemoryContextAllocZero(context, sizeof(PegsUncharged));
	MemoryContextCallback *callback = MemoryContextAllocZero(context, sizeof(MemoryContextCallback));

	uncharged->context = context;
	uncharged->work = work;
	uncharged->name = name;
	uncharged->since = GetCurrentTimestamp();
	uncharged->at = uncharged->said = -1;
	callback->func = wipe_all;
	callback->arg = uncharged;
	MemoryContextRegisterResetCallback(context, callback);
	uncharged->spare = MemoryContextAllocExtended(context, SPARE_BYTES, MCXT_ALLOC_NO_OOM);
	if (uncharged->spare == NULL)
		out_of_memory(work);
	return uncharged;
}

MemoryContext
pegs_uncharged_context(const PegsUncharged *uncharged)
{
	return uncharged->context;
}

void
pegs_uncharged_computed(PegsUncharged *uncharged)
{
	pfree(uncharged->spare);
	uncharged->spare = NULL;
}

void
pegs_uncharged_done(PegsUncharged *uncharged)
{
	MemoryContextDelete(uncharged->context);
}

/* Without PostgreSQL's own words: they have the size, and a table of all memory for the server's log. */
static void
out_of_memory(const PegsWork *work)
{
	ereport(ERROR,
			(errcode(ERRCODE_OUT_OF_MEMORY),
			 errmsg("out of memory %s", work->while_words),
			 errdetail("Nothing was charged."),
			 errhint("%s A source of many partitions may need a larger max_locks_per_transaction.", work->remedy)));
}

static void *
uncharged_alloc(void *context, size_t bytes)
{
	PegsUncharged *uncharged = context;
	Chunk	   *chunk;

	if (bytes > MaxAllocHugeSize - sizeof(Chunk))
		out_of_memory(uncharged->work);
	chunk = MemoryContextAllocExtended(uncharged->context, sizeof(Chunk) + bytes,
									   MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
	if (chunk == NULL)
		out_of_memory(uncharged->work);
	/* a cancel may end it here: it is not among those that are wiped, and has nothing */
	pegs_in_large_pages(chunk + 1, bytes);
	pegs_clear(chunk + 1, bytes);
	chunk->bytes = bytes;
	chunk->previous = NULL;
	chunk->next = uncharged->first;
	if (chunk->next)
		chunk->next->previous = chunk;
	uncharged->first = chunk;
	return chunk + 1;
}

static void
uncharged_free(void *context, void *memory)
{
	PegsUncharged *uncharged = context;
	Chunk	   *chunk = (Chunk *) memory - 1;

	/* a cancel may end it here: it is still among those that are wiped */
	pegs_clear(memory, chunk->bytes);
	if (chunk->previous)
		chunk->previous->next = chunk->next;
	else
		uncharged->first = chunk->next;
	if (chunk->next)
		chunk->next->previous = chunk->previous;
	pfree(chunk);
}

/*
 * Each step is spoken of at most once and never after a later one; no number is
 * said but whole seconds.
 */
static void
tell_step(PegsUncharged *uncharged)
{
	int64		seconds;

	if (uncharged->at <= uncharged->said)
		return;
	seconds = (GetCurrentTimestamp() - uncharged->since) / USECS_PER_SEC;
	if (seconds < LONG_SECONDS)
		return;
	uncharged->said = uncharged->at;
	ereport(NOTICE,
			(errmsg("%s \"%s\": %s (after " INT64_FORMAT " s)", uncharged->work->title, uncharged->name, step_names[uncharged->at], seconds)));
}

/* A step that began in time may be the long one: it is spoken of while it goes on. */
static void
uncharged_check(void *context)
{
	PegsUncharged *uncharged = context;

	CHECK_FOR_INTERRUPTS();
	if (++uncharged->checks % CHECKS_A_LOOK == 0)
		tell_step(uncharged);
}

/* A step begins, or goes on. */
static void
uncharged_step(void *context, pegs_step step)
{
	PegsUncharged *uncharged = context;

	uncharged->at = Max(uncharged->at, (int) step);
	tell_step(uncharged);
}

pegs_env
pegs_uncharged_env(PegsUncharged *uncharged)
{
	pegs_env	env = {uncharged_alloc, uncharged_check, uncharged, uncharged_free, uncharged_step};

	return env;
}

/*
 * In PG_CATCH: throws on. What is about memory, a limit or an inner fault goes
 * without its words; a cancel has none that depend on the fit, and errors about
 * the rows have lost theirs where they were read: so has a limit that is met
 * while they are (reading), as more rows than can be counted.
 */
void
pegs_hide_uncharged(const PegsWork *work, bool reading)
{
	if (reading && geterrcode() == ERRCODE_PROGRAM_LIMIT_EXCEEDED)
		PG_RE_THROW();
	switch (ERRCODE_TO_CATEGORY(geterrcode()))
	{
		case ERRCODE_INSUFFICIENT_RESOURCES:
			{
				bool		memory = geterrcode() == ERRCODE_OUT_OF_MEMORY;
				int			code = geterrcode();

				FlushErrorState();
				if (memory)
					out_of_memory(work);
				ereport(ERROR,
						(errcode(code),
						 errmsg("the server ran out of a resource %s", work->while_words),
						 errdetail("Nothing was charged."),
						 errhint("Look at the server's disks and limits.")));
			}
			break;
		case ERRCODE_PROGRAM_LIMIT_EXCEEDED:
		case ERRCODE_INTERNAL_ERROR:
			FlushErrorState();
			ereport(ERROR,
					(errcode(ERRCODE_INTERNAL_ERROR),
					 errmsg("%s", work->failed),
					 errdetail("Nothing was charged. The server's message may depend on the rows and is not shown."),
					 errhint("%s", work->remedy)));
			break;
		default:
			PG_RE_THROW();
	}
}
