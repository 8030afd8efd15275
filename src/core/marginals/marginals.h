/*
 * marginals.h
 *	  The tables of single columns, with noise in every cell.
 */
#ifndef PEGS_MARGINALS_H
#define PEGS_MARGINALS_H

#include "core/method.h"

/* Fitted tables: released numbers. */
typedef struct pegs_marginals
{
	uint32_t	ncols;
	uint32_t   *levels;
	pegs_accountant accountant;
	double		rows;			/* noisy number of rows, >= 1 */
	double	   *variance;		/* [ncols] of the noise of a count; 0: it was not measured */
	double	  **share;			/* [ncols][levels], sums to 1 */
} pegs_marginals;

/* Of a layout whose tables of single columns stand at its offsets, of rows, or of persons times rows_each. Spends the whole account. Claim P23. */
extern void pegs_marginals_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout,
							   const uint64_t *cells, pegs_marginals *model);

/* Columns and levels are known; on reading everything else is checked and allocated. */
extern void pegs_marginals_walk(pegs_cursor *c, pegs_marginals *model);

/* The standard deviation of the noise in a cell of a column, in rows of the model; 0: it was not measured. */
extern double pegs_marginals_sd(const pegs_marginals *model, uint32_t column);

#define PEGS_MARGINALS_PURPOSES 2
extern const pegs_purpose pegs_marginals_purposes[PEGS_MARGINALS_PURPOSES];

#endif							/* PEGS_MARGINALS_H */
