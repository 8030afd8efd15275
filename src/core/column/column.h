/*
 * column.h
 *	  From noisy 1-way tables to one consistent distribution.
 *
 * Post-processing, but for the look itself: reads released numbers only.
 */
#ifndef PEGS_ONEWAY_H
#define PEGS_ONEWAY_H

#include "core/accountant.h"
#include "core/counts.h"

/*
 * Garrote on every scale of a cyclic a-trous Haar transform in declared
 * order: a detail below 1.5 of its sd shrinks to zero. In place; columns of
 * fewer than 10 levels stay as they are.
 */
extern void pegs_haar_garrote(const pegs_env *env, double *y, uint32_t n, double variance);

/* A noisy sum of each class of a nested cut: class_of[level], value[k], one variance. */
typedef struct pegs_class_sums
{
	uint32_t	k;
	const uint16_t *class_of;
	const double *value;
	double		variance;
} pegs_class_sums;

/*
 * Best linear unbiased estimate of y[n] (independent, one variance) given
 * class sums of nested cuts: exact, by one pass up and one down the tree of
 * classes. sums must be ordered from fine to coarse.
 */
extern void pegs_nested_least_squares(const pegs_env *env, double *y, uint32_t n, double variance,
									  const pegs_class_sums *sums, uint32_t nsums);

/* 1 or -1, by no order that numbers could have: directions in which an estimate is asked for how it moves. */
extern double pegs_probe(uint32_t i, uint32_t probe);

/* ---- halves.c: the simplex for bins in order ---- */

/*
 * y[n] >= 0 with the sum total > 0, in place, of noisy numbers of one variance.
 * The first `bins` of them, at least one, are bins in order and get what is
 * theirs down a tree of halves; what is beside them (points, NULL) by itself.
 */
extern void pegs_project_halves(const pegs_env *env, double *y, uint32_t n, uint32_t bins, double variance, double total);

/* ---- sparse.c: levels in no order ---- */

/* Noisy numbers of one variance shrunk towards what is usual among them, in place. Answers with the degrees of freedom. */
extern double pegs_shrink_levels(const pegs_env *env, double *y, uint32_t n, double variance);

/* ---- curve.c: levels in order, smooth ---- */

/* A smooth curve above zero for y[n], n > order, in place; order 2 or 3; total says where to begin. As above. */
extern double pegs_fit_curve(const pegs_env *env, double *y, uint32_t n, double variance, double total, uint32_t order);

/* ---- blend.c: what suits the column ---- */

/*
 * y[n] >= 0 with the sum total > 0, in place, of noisy numbers of one variance
 * > 0: a blend of the garrote and of the estimates above. n >= 10; nobody has
 * said whether the levels are in order.
 */
extern void pegs_blend_levels(const pegs_env *env, double *y, uint32_t n, double variance, double total);

/* ---- oneway.c: a column from its look to its estimate ---- */

#define PEGS_SIZE_MOST 64		/* levels above do not enlarge a column's share */

typedef struct pegs_oneway
{
	double	   *noisy;			/* inverse-variance mean of the measurements */
	double		variance;		/* < 0: not measured yet */
	double	   *blend;			/* of so many rows, what they say of each level; NULL: not estimated since, or no blend */
	double		rows;
} pegs_oneway;

/* One look more at the n counts of a column, where the cost buys one. */
extern void pegs_oneway_measure(const pegs_env *env, pegs_accountant *accountant, pegs_rng *rng, double cost, const uint64_t *cells,
								uint32_t n, pegs_oneway *one);

/* Which share of a budget for all of them each column gets, for sizes of so many levels: of all together the least total variation. */
extern void pegs_oneway_shares(const pegs_accountant *accountant, uint32_t ncols, const double *size, double *share);

/* y[n]: what the looks say of each level of a column of `rows` rows, smoothed; of which so many are bins. It was looked at. */
extern void pegs_oneway_smooth(const pegs_env *env, pegs_oneway *one, uint32_t n, uint32_t bins, double rows, double *y);

/* y[n] >= 0 with the sum rows, in place: of many bins half by half. */
extern void pegs_oneway_project(const pegs_env *env, double *y, uint32_t n, uint32_t bins, double variance, double rows);

/* Levels whose share is above half an sd of the noise: two at least. */
extern double pegs_oneway_in_use(const pegs_oneway *one, const double *share, uint32_t n, double rows);

/* ---- columns.c: all columns, and the number of rows ---- */

typedef struct pegs_columns
{
	pegs_oneway *one;			/* [ncols] */
	double	  **share;			/* [ncols][levels], sums to 1 */
	double		rows;			/* as they are counted: at least the accountant's scale */
} pegs_columns;

/* Of a layout whose tables of single columns stand at its offsets, for so much of the account. */
extern void pegs_columns_fit(const pegs_env *env, pegs_accountant *accountant, pegs_rng *rng, double budget, const pegs_layout *layout,
							 const uint64_t *cells, pegs_columns *columns);

/* How far that noise will put all columns off, together: to compare accounts by. */
extern double pegs_columns_noise(const pegs_env *env, const pegs_accountant *accountant, double budget, const pegs_layout *layout);

#endif							/* PEGS_ONEWAY_H */
