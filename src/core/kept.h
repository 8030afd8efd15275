/*
 * kept.h
 *	  Coded rows, kept in memory for a fit that goes over them more than once.
 *
 * As secret as the table, in the order in which they were read, which means
 * nothing. Column by column, in blocks; a code of a column of at most 256
 * levels takes one byte, else two.
 */
#ifndef PEGS_KEPT_H
#define PEGS_KEPT_H

#include "core/core.h"

typedef struct pegs_kept pegs_kept;

extern pegs_kept *pegs_kept_new(const pegs_env *env, uint32_t ncols, const uint32_t *levels);

/* n <= PEGS_CHUNK rows more, as codes[column][row]; times NULL: each counts once, else how often. */
extern void pegs_kept_add(pegs_kept *kept, uint16_t *const *codes, const uint32_t *times, uint32_t n);

/* Another with the same rows, which can get more without the first: their bytes are shared. */
extern pegs_kept *pegs_kept_copy(const pegs_kept *kept);

extern uint64_t pegs_kept_bytes(const pegs_kept *kept);	/* of codes, and of how often rows count */
extern uint64_t pegs_kept_blocks(const pegs_kept *kept);
extern uint32_t pegs_kept_rows(const pegs_kept *kept, uint64_t block);	/* 1 to PEGS_CHUNK */

/* A column's codes of all rows of a block. */
extern void pegs_kept_column(const pegs_kept *kept, uint64_t block, uint32_t column, uint16_t *codes);

/* The same as they are kept, where a code is a byte; else NULL. */
extern const uint8_t *pegs_kept_narrow(const pegs_kept *kept, uint64_t block, uint32_t column);

/* How often each row of a block counts; NULL: once. */
extern const uint32_t *pegs_kept_times(const pegs_kept *kept, uint64_t block);

/* Zeros in place of all rows, those that a copy has with it among them. */
extern void pegs_kept_wipe(pegs_kept *kept);

#endif							/* PEGS_KEPT_H */
