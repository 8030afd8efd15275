/*
 * env.c
 *	  What the core asks of the server: memory, a check for interrupts, entropy.
 */
#include "server/server.h"

#include <sys/mman.h>
#include <unistd.h>

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define SCRATCH_BYTES ((Size) 1024 * 1024)

/*
 * The kernel gives half a gigabyte of small pages back in 30 ms, which no cancel
 * ends, and in one of large pages: they are asked for, where that can be done.
 */
void
pegs_in_large_pages(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
	size_t		page = (size_t) sysconf(_SC_PAGESIZE);
	size_t		before = (page - (uintptr_t) memory % page) % page;

	if (bytes > PEGS_ZEROED_AT_ONCE)
		(void) madvise((char *) memory + before, (bytes - before) / page * page, MADV_HUGEPAGE);
#endif
}

void
pegs_clear(void *memory, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += PEGS_ZEROED_AT_ONCE)
	{
		if (bytes > PEGS_ZEROED_AT_ONCE)
			CHECK_FOR_INTERRUPTS();
		explicit_bzero((char *) memory + at, Min(PEGS_ZEROED_AT_ONCE, bytes - at));
	}
}

/*
 * Where there is no memory, our words: PostgreSQL's say the size, and put a
 * table of all memory into the server's log.
 */
static void *
env_alloc(void *context, size_t bytes)
{
	int			zero = bytes <= PEGS_ZEROED_AT_ONCE ? MCXT_ALLOC_ZERO : 0;
	void	   *memory = NULL;

	if (bytes <= MaxAllocHugeSize)
		memory = MemoryContextAllocExtended((MemoryContext) context, bytes > 0 ? bytes : 1,
											MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM | zero);
	if (memory == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errhint("Take fewer columns, or columns with fewer levels.")));
	pegs_in_large_pages(memory, bytes);
	if (zero == 0)
		pegs_clear(memory, bytes);
	return memory;
}

static void
env_check(void *context)
{
	CHECK_FOR_INTERRUPTS();
}

static void
env_free(void *context, void *memory)
{
	pfree(memory);
}

/* Memory of a core, and what is done with it before it is given back. */
typedef struct Wiped
{
	MemoryContextCallback callback;
	void	   *memory;
	size_t		bytes;
} Wiped;

static void
wipe_memory(void *arg)
{
	Wiped	   *wiped = arg;

	explicit_bzero(wiped->memory, wiped->bytes);
}

static void *
wiped_alloc(void *context, size_t bytes)
{
	Wiped	   *wiped = env_alloc(context, sizeof(Wiped));

	wiped->memory = env_alloc(context, bytes);
	wiped->bytes = bytes;
	wiped->callback.func = wipe_memory;
	wiped->callback.arg = wiped;
	MemoryContextRegisterResetCallback((MemoryContext) context, &wiped->callback);
	return wiped->memory;
}

/* Of 1,000 rows with values of megabytes it would be gigabytes. */
void
pegs_let_go(MemoryContext scratch)
{
	if (MemoryContextMemAllocated(scratch, false) > SCRATCH_BYTES)
		MemoryContextReset(scratch);
}

pegs_env
pegs_env_in(MemoryContext context)
{
	pegs_env	env = {env_alloc, env_check, context, env_free, NULL};

	return env;
}

pegs_env
pegs_wiped_env_in(MemoryContext context)
{
	pegs_env	env = {wiped_alloc, env_check, context, NULL, NULL};

	return env;
}

void
pegs_new_key(uint8_t *key)
{
	if (!pg_strong_random(key, PEGS_KEY_BYTES))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not get random bytes from the server")));
}

static void
wipe(void *arg)
{
	pegs_rng_wipe((pegs_rng *) arg);
}

pegs_rng *
pegs_rng_in(MemoryContext context, const uint8_t *key, uint64_t stream)
{
	pegs_rng   *rng = MemoryContextAllocZero(context, sizeof(pegs_rng));
	MemoryContextCallback *callback = MemoryContextAllocZero(context, sizeof(MemoryContextCallback));

	pegs_rng_init(rng, key, stream);
	callback->func = wipe;
	callback->arg = rng;
	MemoryContextRegisterResetCallback(context, callback);
	return rng;
}
