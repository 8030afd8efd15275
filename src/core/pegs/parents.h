/*
 * parents.h
 *	  The parents of a sealed model, chosen privately.
 *
 * For every column, up to max_parents others by the exponential mechanism; the
 * score is how far the pair's table is from independence. Chosen by exact
 * mutual information they would break the guarantee (claim P9).
 */
#ifndef PEGS_PARENTS_H
#define PEGS_PARENTS_H

#include "core/accountant.h"
#include "core/counts.h"

/*
 * Claim P9. floor of sum_ab |n_ab - n_a n_b / N|, exact. One row more or less
 * moves it by at most PEGS_PARENT_SENSITIVITY: the table by 1, the product of
 * its margins by (3N + 1)/(N + 1) < 3.
 */
#define PEGS_PARENT_SENSITIVITY 4
extern int64_t pegs_dependence(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, uint32_t a, uint32_t b);

/*
 * layout must be PEGS_PAIRS. The account is pure, its rows_per_unit already
 * times PEGS_PARENT_SENSITIVITY; it is spent whole, in equal parts. A column's
 * keys stay within max_keys, a public limit. parent_start[ncols + 1],
 * parents[ncols * max_parents].
 */
extern void pegs_choose_parents(const pegs_env *env, pegs_rng *rng, pegs_accountant *accountant,
								const pegs_layout *layout, const uint64_t *cells,
								uint32_t max_parents, uint32_t max_keys,
								uint32_t *parent_start, uint16_t *parents);

#endif							/* PEGS_PARENTS_H */
