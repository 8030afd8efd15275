/*
 * memory.h
 *	  What benches of the core give it for memory: a list of blocks, forgotten at once. The context is where the list begins.
 */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include <stdlib.h>

typedef struct block
{
	struct block *next;
	char		bytes[];
} block;

static inline void *
alloc(void *context, size_t bytes)
{
	block	  **list = context;
	block	   *b = calloc(1, sizeof(block) + bytes);

	b->next = *list;
	*list = b;
	return b->bytes;
}

/* What came after a block; of NULL: all. */
static inline void
forget_until(block **list, block *until)
{
	while (*list != until)
	{
		block	   *b = *list;

		*list = b->next;
		free(b);
	}
}

static inline void
forget(void *context)
{
	forget_until(context, NULL);
}

static inline void
check(void *context)
{
	(void) context;
}

#endif							/* BENCH_MEMORY_H */
