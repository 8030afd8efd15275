/*
 * core.h
 *	  What every file of the pure core shares.
 *
 * The core knows nothing of PostgreSQL: no postgres.h, no ereport, no entropy.
 * It takes buffers, an rng and an allocator from its caller and answers with a
 * status, so a unit test can run it a million times under ASan and a
 * statistician can read it alone.
 *
 * It must never print, log or keep a count, a key or a seed.
 */
#ifndef PEGS_CORE_H
#define PEGS_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned __int128 pegs_u128;

typedef enum pegs_status
{
	PEGS_OK = 0,
	PEGS_ERR_ARGUMENT,			/* not a number, not positive, not finite */
	PEGS_ERR_RANGE,				/* a legal number that does not fit */
	PEGS_ERR_TOO_LARGE,			/* the declared domain needs too many cells */
	PEGS_ERR_FORMAT,			/* bytes that no pegs has written */
	PEGS_ERR_VERSION,			/* bytes of a later pegs */
	PEGS_ERR_MISMATCH,			/* two things of different shape */
	PEGS_ERR_NOTHING			/* no row is possible: structural zeros forbid all that was tried */
} pegs_status;

#define PEGS_MAX_COLUMNS	1600	/* PostgreSQL's own limit of a table */
#define PEGS_MAX_LEVELS		65535	/* a code is a uint16 */
#define PEGS_MAX_CELLS		(UINT64_C(1) << 26)	/* 512 MB of counts */
#define PEGS_MAX_ROWS		(UINT64_C(1) << 46)	/* so that count * 2^16 fits */
#define PEGS_CHUNK			1024	/* rows that are coded before they are counted */
#define PEGS_TURNS			256		/* of a short loop, between two questions whether to stop */

/* Steps of a fit, in the order in which they are taken: which ones there are is public. */
typedef enum pegs_step
{
	PEGS_STEP_READ,
	PEGS_STEP_PARENTS,
	PEGS_STEP_TABLE,
	PEGS_STEP_ONEWAYS,
	PEGS_STEP_FOREST,
	PEGS_STEP_ROUNDS,
	PEGS_STEP_CORRELATIONS,
	PEGS_STEP_CHOICES,
	PEGS_STEP_REGRESSIONS,
	PEGS_STEP_LAST
} pegs_step;

/*
 * The caller's memory and its wish to stop. Both may leave by longjmp: the
 * core holds nothing that needs to be given back.
 */
typedef struct pegs_env
{
	void	   *(*alloc) (void *context, size_t bytes);	/* zeroed */
	void		(*check) (void *context);	/* called in every long loop */
	void	   *context;
	void		(*free) (void *context, void *memory);	/* NULL: memory goes with the context */
	void		(*step) (void *context, pegs_step step);	/* NULL: nobody asks; a step begins, nothing else is told */
} pegs_env;

/* Turn i of a loop that may be long though each turn is short: over pairs of columns there are millions. NULL: nobody to ask. */
static inline void
pegs_env_turn(const pegs_env *env, size_t i)
{
	if (env && i % PEGS_TURNS == 0)
		env->check(env->context);
}

static inline void
pegs_env_free(const pegs_env *env, void *memory)
{
	if (env->free)
		env->free(env->context, memory);
}

static inline void
pegs_env_step(const pegs_env *env, pegs_step step)
{
	if (env->step)
		env->step(env->context, step);
}

#endif							/* PEGS_CORE_H */
