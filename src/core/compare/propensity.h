/*
 * propensity.h
 *	  Can a model tell the synthetic rows from the original ones? (pMSE)
 *
 * The two tables are stacked, N = original + synthetic rows, c = the share of
 * synthetic ones; a model scores each row as synthetic; pMSE = mean of
 * (score - c)^2: 0 when it cannot tell, c (1 - c) when it always can (1/4 for
 * tables of equal length). Ratio = pMSE over what it is when the synthetic rows
 * are drawn from the original ones, (k - 1)(1 - c)^2 c / N for k parameters:
 * about 1 then, about 2 for a fresh sample of the same population.
 * Source: Snoke et al. 2018.
 *
 * PEGS_ERR_MISMATCH: tables of different shape. A table without rows: PEGS_OK
 * and NaN. The ratio is NaN when nothing can differ (k = 1).
 */
#ifndef PEGS_PROPENSITY_H
#define PEGS_PROPENSITY_H

#include "core/compare/coded.h"

/*
 * A logistic model with the main effects of all columns, levels that neither
 * table has left out ("not declared" is a level here): the reference
 * evaluator's. k = rank of its design. Time: rows x columns^2 / 2 for each of at
 * most 20 steps, and p^3 for p levels in all; memory p^2.
 * PEGS_ERR_TOO_LARGE: more than PEGS_MAX_TERMS levels.
 */
extern pegs_status pegs_pmse_logit(const pegs_env *env, const pegs_coded *original, const pegs_coded *synthetic,
								   double *pmse, double *ratio, uint32_t *k);

/*
 * The exact partition: a leaf is a cell of the cross of columns[0 .. n) that
 * has a row, its score the share of synthetic rows in it. k = cells, the number
 * of leaves. Any number of columns; memory about 40 bytes a row.
 * PEGS_ERR_ARGUMENT: a column that is not there.
 */
extern pegs_status pegs_pmse_cells(const pegs_env *env, const pegs_coded *original, const pegs_coded *synthetic,
								   const uint32_t *columns, uint32_t n,
								   double *pmse, double *ratio, uint64_t *cells);

#endif							/* PEGS_PROPENSITY_H */
