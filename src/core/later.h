/*
 * later.h
 *	  Pairs that are too many for memory: each is counted of kept rows when it
 *	  is looked at.
 *
 * A layout without pair_offset has the tables of single columns alone, and the
 * rows beside them (kept.h). What is counted is what would have been in the
 * cells: a fit cannot tell the difference, but for the time.
 */
#ifndef PEGS_LATER_H
#define PEGS_LATER_H

#include "core/counts.h"
#include "core/kept.h"

typedef struct pegs_later pegs_later;

/* Of a layout whose rows are kept: memory for a column of all rows, and a table or two. */
extern pegs_later *pegs_later_begin(const pegs_env *env, const pegs_layout *layout);

/* Adds the pair a < b on classes of its levels to table[ka][kb]. Fast where the same pair, or the same a, is asked for again. */
extern void pegs_later_count(pegs_later *later, const uint32_t *column, const uint32_t *k, uint16_t *const *class_of, int64_t *table);

#endif							/* PEGS_LATER_H */
