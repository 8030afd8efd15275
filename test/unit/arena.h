/*
 * arena.h
 *	  Memory for the tests of the core: counted, and forgotten at once.
 *
 * Every allocation is one of malloc's own, so that ASan sees a step beyond any
 * of them. It must never be asked to give one allocation back: the core does
 * not, either.
 */
#ifndef PEGS_ARENA_H
#define PEGS_ARENA_H

#include <stdlib.h>

#include "core.h"

typedef struct arena
{
	void	  **block;
	size_t		blocks;
	size_t		room;
	size_t		bytes;			/* handed out since the last arena_free */
	size_t		checks;			/* calls of env.check */
} arena;

static inline void *
arena_alloc(void *context, size_t bytes)
{
	arena	   *a = context;

	if (a->blocks == a->room)
	{
		a->room = a->room ? 2 * a->room : 64;
		a->block = realloc(a->block, a->room * sizeof(void *));
	}
	a->bytes += bytes;
	return a->block[a->blocks++] = calloc(1, bytes > 0 ? bytes : 1);
}

static inline void
arena_check(void *context)
{
	((arena *) context)->checks++;
}

/* Forget everything; the arena is as new. */
static inline void
arena_free(arena *a)
{
	size_t		i;

	for (i = 0; i < a->blocks; i++)
		free(a->block[i]);
	free(a->block);
	*a = (arena) {0};
}

static inline pegs_env
arena_env(arena *a)
{
	return (pegs_env) {.alloc = arena_alloc, .check = arena_check, .context = a};
}

#endif							/* PEGS_ARENA_H */
