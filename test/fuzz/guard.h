/*
 * guard.h
 *	  Put before every source of pegs in the fuzzed library (-include): what it
 *	  allocates ends where memory ends.
 *
 * The server's own pieces lie close together in large blocks, where a step
 * beyond one of them is not seen. While an input runs, these stand-ins put
 * each piece at the end of a page that is followed by one that cannot be
 * touched, and fill it with rubbish if it was not asked for zeros. (ASan cannot
 * be loaded into a server: it hangs in its start.)
 */
#ifndef PEGS_FUZZ_GUARD_H
#define PEGS_FUZZ_GUARD_H

#include "postgres.h"

#include "utils/memutils.h"

extern void guard_on(void);		/* from here on pieces are guarded */
extern void guard_off(void);	/* all of them are gone; aborts if one was written beyond */
extern void *guard_alloc(MemoryContext context, Size size, int flags);
extern void *guard_realloc(void *piece, Size size);
extern void guard_free(void *piece);
extern char *guard_strdup(const char *text);
extern char *guard_strndup(const char *text, Size length);

#define palloc(size) guard_alloc(CurrentMemoryContext, size, 0)
#define palloc0(size) guard_alloc(CurrentMemoryContext, size, MCXT_ALLOC_ZERO)
#define repalloc(piece, size) guard_realloc(piece, size)
#define pfree(piece) guard_free(piece)
#define pstrdup(text) guard_strdup(text)
#define pnstrdup(text, length) guard_strndup(text, length)
#define MemoryContextAlloc(context, size) guard_alloc(context, size, 0)
#define MemoryContextAllocZero(context, size) guard_alloc(context, size, MCXT_ALLOC_ZERO)
#define MemoryContextAllocExtended(context, size, flags) guard_alloc(context, size, flags)
#define MemoryContextStrdup(context, text) guard_strdup(text)

#endif							/* PEGS_FUZZ_GUARD_H */
