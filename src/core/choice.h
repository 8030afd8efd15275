/*
 * choice.h
 *	  How alike two tables of counts are, as an integer to choose by.
 *
 * A row more of the confidential table never lowers the score and raises it by
 * one at most, whatever the synthetic counts are: what pegs_choose_monotone
 * asks of a score. Claim P19, docs/privacy.md.
 */
#ifndef PEGS_CHOICE_H
#define PEGS_CHOICE_H

#include "core/counts.h"

#define PEGS_MOST_SPLITS 2

/* Counts of a synthetic table, and what it is weighed as. */
typedef struct pegs_synthetic
{
	const uint64_t *cells;
	uint64_t	rows;			/* that were counted */
	uint64_t	as_rows;		/* each stands for as_rows/rows: at most 2^52 for all. The larger table would be the better one else */
} pegs_synthetic;

/*
 * The score of synthetic counts for real ones, both of the tables of `layout`,
 * which are pairs, of two columns or more. A cell of a and r rows is worth
 * a r/(a + r): for a given sum of all a it is large where the tables are alike.
 *
 *	splits 0	the mean over all tables of two columns of the sum over their cells
 *	splits 1, 2	the sum over the cells of the tree of so many splits that tells the tables apart best: each cell is
 *				split in codes below one of a column, and the others
 *
 * In memory of env, whose check is called in every long loop. At most 2^46 rows
 * of either table.
 */
extern int64_t pegs_likeness(const pegs_env *env, const pegs_layout *layout, const uint64_t *real, const pegs_synthetic *synthetic,
							 uint32_t splits);

#endif							/* PEGS_CHOICE_H */
