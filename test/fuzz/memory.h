/*
 * memory.h
 *	  Memory for the fuzz targets of the core: limited, counted, each piece one
 *	  of malloc's own, so that ASan sees a step beyond any of them.
 *
 * Beyond the limit an allocation does not return: it leaves by longjmp, as
 * palloc does. The core must hold nothing then that would have to be given back.
 */
#ifndef PEGS_FUZZ_MEMORY_H
#define PEGS_FUZZ_MEMORY_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/core.h"

#define MUST(condition) \
	do { if (!(condition)) { fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); abort(); } } while (0)

/* Many small pieces, soon forgotten: little is kept to catch a late use, and short stacks. A target is twice as fast so. */
extern const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "quarantine_size_mb=16:malloc_context_size=5";
}

typedef struct memory
{
	void	  **block;
	size_t		blocks;
	size_t		room;
	size_t		bytes;			/* handed out since the last forget */
	size_t		limit;
	jmp_buf		full;
} memory;

static inline void *
memory_alloc(void *context, size_t bytes)
{
	memory	   *m = context;

	if (bytes > m->limit || m->bytes > m->limit - bytes)
		longjmp(m->full, 1);
	if (m->blocks == m->room)
	{
		m->room = m->room ? 2 * m->room : 64;
		m->block = realloc(m->block, m->room * sizeof(void *));
	}
	m->bytes += bytes;
	return m->block[m->blocks++] = calloc(1, bytes > 0 ? bytes : 1);
}

/* Mostly one of the last: sought from the end. */
static inline void
memory_give_back(void *context, void *piece)
{
	memory	   *m = context;
	size_t		i = m->blocks;

	while (i > 0 && m->block[i - 1] != piece)
		i--;
	MUST(i > 0);				/* handed out, and not given back before */
	free(piece);
	m->block[i - 1] = m->block[--m->blocks];
}

static inline void
memory_check(void *context)
{
	(void) context;
}

static inline void
memory_forget(memory *m)
{
	while (m->blocks > 0)
		free(m->block[--m->blocks]);
	m->bytes = 0;
}

static inline pegs_env
memory_env(memory *m)
{
	return (pegs_env) {.alloc = memory_alloc, .check = memory_check, .context = m, .free = memory_give_back};
}

#endif							/* PEGS_FUZZ_MEMORY_H */
