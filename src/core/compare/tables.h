/*
 * tables.h
 *	  How far the tables of a synthetic table are from those of the original.
 *
 * p is a share of the original, q of the synthetic table, both over the same
 * cells. Cells of a column are its declared levels and one "not declared", so
 * that a value outside the domain counts as an error.
 */
#ifndef PEGS_TABLES_H
#define PEGS_TABLES_H

#include "core/compare/coded.h"

/* One marginal, compared. */
typedef struct pegs_distance
{
	double		tv;				/* total variation: 1/2 sum |p - q| */
	double		squares;		/* sum (p - q)^2: marginal distance, PeGS paper section 4.3 */
	double		absolute;		/* sum |p - q| */
} pegs_distance;

extern pegs_distance pegs_distance_of(const uint64_t *original, const uint64_t *synthetic, uint64_t cells,
								  uint64_t original_rows, uint64_t synthetic_rows);

/*
 * Conditional distributions of the columns given one other, from a two-way
 * table count[x_j * size_i + x_i]; x_j that the original never has are left
 * out, and for one that only the synthetic table lacks q(. | x_j) is 0.
 */
typedef struct pegs_conditional
{
	double		squares;		/* sum over x_j, x_i of (p - q)^2: PeGS paper */
	double		mse;			/* average over x_j of the average over the C_i levels: Park's thesis 3.3.2 */
	double		mae;
	double		tau;			/* average over x_j of Kendall's tau and Spearman's rho; NaN: none is defined */
	double		rho;
} pegs_conditional;

extern pegs_conditional pegs_compare_given(const uint64_t *original, const uint64_t *synthetic,
										   uint32_t size_j, uint32_t size_i, uint32_t levels_i);

/*
 * Rank correlation of the categories by frequency, Park's thesis 3.3.3 with
 * denominators that ties do not change: tau = (concordant -
 * discordant) / (C (C - 1) / 2), a tie is neither; rho with mean ranks. NaN
 * where C < 2 or, for rho, all of one table's frequencies are equal.
 */
extern double pegs_kendall_tau(const uint64_t *original, const uint64_t *synthetic, uint32_t levels);
extern double pegs_spearman_rho(const uint64_t *original, const uint64_t *synthetic, uint32_t levels, double *scratch);

/*
 * Errors of counting queries: |n q - n p| over all cells of some tables,
 * n the rows of the original; average and greatest of the smallest 95, 99 and
 * 100 % (copula paper Table 2). Only errors above 0 are kept.
 */
typedef struct pegs_cell_errors
{
	const pegs_env *env;
	double	   *error;
	uint64_t	n;
	uint64_t	room;
	uint64_t	queries;		/* cells in all, of declared levels */
} pegs_cell_errors;

extern void pegs_cell_errors_add(pegs_cell_errors *errors, const uint64_t *original, const uint64_t *synthetic, uint64_t cells,
							uint64_t original_rows, uint64_t synthetic_rows, uint64_t queries);
extern void pegs_cell_errors_sort(pegs_cell_errors *errors);
extern void pegs_cell_errors_profile(const pegs_cell_errors *errors, uint32_t percent, double *average, double *greatest);

/*
 * Counts of both tables over the cells of `n` columns that either has, in one
 * order. Dense where the cross of the columns is small, else grouped.
 */
typedef struct pegs_cells
{
	uint64_t	cells;
	uint64_t   *original;
	uint64_t   *synthetic;
} pegs_cells;

extern pegs_status pegs_count_cells(const pegs_env *env, const pegs_coded *original, const pegs_coded *synthetic,
									const uint32_t *columns, uint32_t n, pegs_cells *cells);
extern void pegs_free_cells(const pegs_env *env, pegs_cells *cells);

#endif							/* PEGS_TABLES_H */
