/*
 * others.h
 *	  A column on all other columns, from rows that are kept.
 */
#ifndef PEGS_OTHERS_H
#define PEGS_OTHERS_H

#include "core/counts.h"
#include "core/kept.h"
#include "core/regression/multinomial.h"

/* What is the same for every column. */
typedef struct pegs_others
{
	const pegs_layout *layout;	/* of PEGS_PAIRS */
	const pegs_kept *kept;		/* the same rows; NULL: none */
	double		rows;
	double	   *share;			/* [ncells] of the rows: all 1- and 2-way tables */
} pegs_others;

/* Each column's parents are all others, in order: parent_start[ncols + 1], and *parents. */
extern void pegs_others_parents(const pegs_env *env, uint32_t ncols, uint32_t **parent_start, uint16_t **parents);

/* Coefficients of the regressions of all columns: a public fact. */
extern double pegs_others_coefficients(uint32_t ncols, const uint32_t *levels);

extern void pegs_others_of(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, pegs_others *others);

/* What pegs_multinomial_fit needs of a column: so many passes over the rows. pegs_multinomial_free gives it back. */
extern void pegs_others_column(const pegs_env *env, const pegs_others *others, uint32_t column, uint32_t passes, pegs_multinomial *data);

/*
 * The lambda of eight by which regressions on all other columns say best what they were not fitted to: as pegs_lambda_by_folds, of
 * at most PEGS_FOLD_ROWS of the rows.
 */
typedef struct pegs_fold_rows pegs_fold_rows;

extern pegs_fold_rows *pegs_fold_rows_of(const pegs_env *env, const pegs_others *others, uint32_t folds);
extern double pegs_lambda_of_others(const pegs_env *env, const pegs_others *others, const pegs_fold_rows *sample, uint32_t column,
									uint32_t passes, double l1_ratio);

#endif							/* PEGS_OTHERS_H */
