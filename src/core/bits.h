/*
 * bits.h
 *	  Pairs of columns of two levels, counted 64 rows at once.
 *
 * The same tables as one row after the other makes them (counts.h), in a
 * number of steps that no row decides.
 */
#ifndef PEGS_BITS_H
#define PEGS_BITS_H

#include "core/counts.h"

/* Are there so many columns of two levels that it pays? Public. */
extern bool pegs_pays_in_bits(const pegs_layout *layout);

/* Adds n <= PEGS_CHUNK coded rows to the tables of all pairs of such columns. env is asked between columns whether to stop; NULL: not asked. */
extern void pegs_count_bits(const pegs_env *env, const pegs_layout *layout, uint64_t *cells, uint16_t *const *codes, uint32_t n);

#endif							/* PEGS_BITS_H */
