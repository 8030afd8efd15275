/*
 * arena.h
 *	  Memory for the tests of the core: counted, and forgotten at once.
 *
 * Every allocation is one of malloc's own, so that ASan sees a step beyond any
 * of them. Two kinds of environment: arena_env, where memory goes with the
 * context, and arena_env_freeing, where the core gives back what it can, so
 * that ASan sees a use after that. What is given back must be ours, once.
 */
#ifndef PEGS_ARENA_H
#define PEGS_ARENA_H

#include <stdlib.h>

#include "core/core.h"

typedef struct arena
{
	void	  **block;
	size_t	   *size;			/* of each */
	size_t		blocks;
	size_t		room;
	size_t		bytes;			/* handed out since the last arena_free */
	size_t		live;			/* bytes that are not given back */
	size_t		most;			/* of them, ever */
	size_t		given_back;		/* allocations */
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
		a->size = realloc(a->size, a->room * sizeof(size_t));
	}
	a->bytes += bytes;
	a->live += bytes;
	if (a->live > a->most)
		a->most = a->live;
	a->size[a->blocks] = bytes;
	return a->block[a->blocks++] = calloc(1, bytes > 0 ? bytes : 1);
}

static inline void
arena_check(void *context)
{
	((arena *) context)->checks++;
}

/* Mostly one of the last: sought from the end. */
static inline void
arena_give_back(void *context, void *memory)
{
	arena	   *a = context;
	size_t		i = a->blocks;

	while (i > 0 && a->block[i - 1] != memory)
		i--;
	if (i == 0)
		abort();				/* never handed out, or given back before */
	free(memory);
	a->live -= a->size[i - 1];
	a->block[i - 1] = a->block[--a->blocks];
	a->size[i - 1] = a->size[a->blocks];
	a->given_back++;
}

/* Forget everything; the arena is as new. */
static inline void
arena_free(arena *a)
{
	size_t		i;

	for (i = 0; i < a->blocks; i++)
		free(a->block[i]);
	free(a->block);
	free(a->size);
	*a = (arena) {0};
}

static inline pegs_env
arena_env(arena *a)
{
	return (pegs_env) {.alloc = arena_alloc, .check = arena_check, .context = a};
}

static inline pegs_env
arena_env_freeing(arena *a)
{
	return (pegs_env) {.alloc = arena_alloc, .check = arena_check, .context = a, .free = arena_give_back};
}

#endif							/* PEGS_ARENA_H */
