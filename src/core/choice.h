/*
 * choice.h
 *	  How alike two tables of counts are, as an integer to choose by.
 *
 * A row more of the confidential table never lowers the score and raises it by
 * one at most, whatever the synthetic counts are: what pegs_choose_monotone
 * asks of a score. Claim P17, docs/privacy.md.
 */
#ifndef PEGS_CHOICE_H
#define PEGS_CHOICE_H

#include "core/counts.h"

#define PEGS_MOST_SPLITS 2

/*
 * The score of synthetic counts for real ones, both of the tables of `layout`,
 * which are pairs, of two columns or more. A cell of a and r rows is worth
 * a r/(a + r): large where the tables are alike, most where a is r.
 *
 *	splits 0	the mean over all tables of two columns of the sum over their cells
 *	splits 1, 2	the sum over the cells of the tree of so many splits that tells the tables apart best: each cell is
 *				split in codes below one of a column, and the others
 *
 * In memory of env, whose check is called in every long loop. All counts below
 * 2^52, and those of the rows of a table together below 2^46, the real ones.
 */
extern int64_t pegs_likeness(const pegs_env *env, const pegs_layout *layout, const uint64_t *real, const uint64_t *synthetic,
							 uint32_t splits);

#endif							/* PEGS_CHOICE_H */
