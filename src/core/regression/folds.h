/*
 * folds.h
 *	  Which lambda: that of the regressions which say best what they were not fitted to.
 */
#ifndef PEGS_FOLDS_H
#define PEGS_FOLDS_H

#include "core/counts.h"

#define PEGS_FOLD_ROWS 20000	/* that it is decided by, at most */
#define PEGS_LAMBDAS 8

extern const double pegs_lambda[PEGS_LAMBDAS];	/* that are tried, the largest first */

/*
 * folds >= 2; cells of the column's own table. The lambda of eight whose mean loss is least: the same for the same counts, and as
 * secret as they are.
 */
extern double pegs_lambda_by_folds(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, uint32_t column, uint32_t folds,
								   double l1_ratio);

#endif							/* PEGS_FOLDS_H */
