/*
 * guard.c
 *	  Pieces of memory that end where memory ends: see guard.h.
 *
 * Two rows of places, mapped once: of a page and of sixteen, each followed by
 * a page without rights. What does not fit goes to the server's own palloc,
 * whose names stand in parentheses here: then they are not those of guard.h.
 */
#include "guard.h"

#include <sys/mman.h>

#include "server.h"

#define PAGE 4096
#define RUBBISH 0x7e
#define EDGE 0x5c				/* between the end of a piece and that of its page */

typedef struct place
{
	char	   *piece;
	Size		size;
	bool		used;
} place;

typedef struct row
{
	Size		room;			/* of a place */
	int			n;
	char	   *base;
	place	   *places;
	int			next;
} row;

static row	rows[2] = {{.room = PAGE, .n = 8192}, {.room = 16 * PAGE, .n = 128}};
static bool on;

static void
map(row *r)
{
	Size		step = r->room + PAGE;

	r->base = mmap(NULL, step * r->n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	r->places = calloc(r->n, sizeof(place));
	if (r->base == MAP_FAILED || r->places == NULL)
		elog(ERROR, "no memory for guarded pieces");
	for (int i = 0; i < r->n; i++)
		if (mprotect(r->base + step * i, r->room, PROT_READ | PROT_WRITE) != 0)
			elog(ERROR, "too few memory maps for guarded pieces");
}

void
guard_on(void)
{
	for (int i = 0; i < 2; i++)
	{
		if (rows[i].base == NULL)
			map(&rows[i]);
		rows[i].next = 0;
	}
	on = true;
}

static void
check_edge(const row *r, int i)
{
	const place *p = &r->places[i];
	const char *end = r->base + (r->room + PAGE) * i + r->room;

	for (const char *at = p->piece + p->size; at < end; at++)
		if (*at != EDGE)
			fuzz_finding("a piece of %zu bytes was written beyond its end", p->size);
}

void
guard_off(void)
{
	on = false;
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < rows[i].next; k++)
			check_edge(&rows[i], k);
}

static place *
place_of(void *piece)
{
	for (int i = 0; i < 2; i++)
	{
		row		   *r = &rows[i];
		Size		step = r->room + PAGE;

		if (r->base && (char *) piece >= r->base && (char *) piece < r->base + step * r->n)
			return &r->places[((char *) piece - r->base) / step];
	}
	return NULL;
}

void *
guard_alloc(MemoryContext context, Size size, int flags)
{
	Size		whole = MAXALIGN(size);

	if (!AllocHugeSizeIsValid(size) || (!(flags & MCXT_ALLOC_HUGE) && !AllocSizeIsValid(size)))
		elog(ERROR, "invalid memory alloc request size %zu", size);	/* as the server says it: a finding */
	for (int i = 0; on && i < 2; i++)
	{
		row		   *r = &rows[i];
		place	   *p = &r->places[r->next];

		if (whole > r->room || r->next == r->n)
			continue;
		p->piece = r->base + (r->room + PAGE) * r->next++ + r->room - whole;
		p->size = size;
		p->used = true;
		memset(p->piece, flags & MCXT_ALLOC_ZERO ? 0 : RUBBISH, size);
		memset(p->piece + size, EDGE, whole - size);
		return p->piece;
	}
	return (MemoryContextAllocExtended) (context, size, flags);
}

void
guard_free(void *piece)
{
	place	   *p = place_of(piece);

	if (p == NULL)
	{
		(pfree) (piece);
		return;
	}
	if (p->piece != piece || !p->used)
		fuzz_finding("a piece was given back twice, or was never one");
	p->used = false;
	memset(piece, RUBBISH, p->size);
}

void *
guard_realloc(void *piece, Size size)
{
	place	   *p = place_of(piece);
	char	   *new;

	if (p == NULL)
		return (repalloc) (piece, size);
	new = guard_alloc(CurrentMemoryContext, size, 0);
	memcpy(new, piece, Min(size, p->size));
	guard_free(piece);
	return new;
}

char *
guard_strndup(const char *text, Size length)
{
	Size		n = strnlen(text, length);
	char	   *copy = guard_alloc(CurrentMemoryContext, n + 1, 0);

	memcpy(copy, text, n);
	copy[n] = '\0';
	return copy;
}

char *
guard_strdup(const char *text)
{
	return guard_strndup(text, strlen(text));
}
