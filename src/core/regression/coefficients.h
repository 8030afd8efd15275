/*
 * coefficients.h
 *	  A regression for each column on its parents: the model, as secret as the
 *	  rows, as bytes, and as integer weights of levels.
 */
#ifndef PEGS_COEFFICIENTS_H
#define PEGS_COEFFICIENTS_H

#include "core/cursor.h"

typedef struct pegs_coefficients
{
	uint32_t	ncols;
	uint32_t   *levels;			/* [ncols] */
	uint32_t   *parent_start;	/* [ncols + 1] as in counts.h */
	uint16_t   *parents;
	uint64_t   *start;			/* [ncols + 1] first coefficient of each column */
	uint64_t   *first;			/* [parent_start[ncols]] feature of the first level of each parent, in its column's regression */
	double	   *coef;			/* [start[ncols]] finite: of each column [features][levels] (multinomial.h) */
} pegs_coefficients;

/* Where coefficients lie, of a model that has columns, levels and parents. */
extern void pegs_coefficients_place(const pegs_env *env, pegs_coefficients *model);

/* Columns and levels are known; on reading everything else is checked and allocated. As long as public facts say. */
extern void pegs_coefficients_walk(pegs_cursor *c, pegs_coefficients *model);

/*
 * Claim P26. Integer weights of the levels of a column, in a row: whatever the
 * model is, each is between `least` and least + 2^bits, and all together are
 * 2^bits + levels * least. scratch[levels]; x[parents of the column] is scratch, too.
 */
extern void pegs_coefficients_weights(const pegs_coefficients *model, uint32_t column, const uint16_t *row, int bits, uint64_t least,
									  uint16_t *x, double *scratch, uint64_t *weight);

#endif							/* PEGS_COEFFICIENTS_H */
