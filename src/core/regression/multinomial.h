/*
 * multinomial.h
 *	  A multinomial logistic regression of one column on its parents, with an
 *	  elastic net, from tables of counts.
 *
 * The share of level j where the parents have levels x is proportional to
 * exp(b_0j + sum over parents of b_(x),j): a coefficient for each level of the
 * column and each feature, which are the constant and every level of every
 * parent. With all rows together 1, it minimises
 *
 *		mean of -ln(share of the row's level) + lambda (a |b| + (1 - a)/2 |b|^2)
 *
 * where the constant's coefficients are not penalised and a is l1_ratio.
 */
#ifndef PEGS_MULTINOMIAL_H
#define PEGS_MULTINOMIAL_H

#include "core/counts.h"
#include "core/kept.h"

#define PEGS_REGRESSION_PASSES 400	/* at most, over the combinations that rows have */

/* The constant, and a feature for each level of each parent. */
extern uint64_t pegs_regression_features(const uint32_t *levels, const uint32_t *parent_start, const uint16_t *parents, uint32_t column);

/* What is counted of a column, as a regression needs it. */
typedef struct pegs_multinomial
{
	uint32_t	levels;			/* of the column */
	uint32_t	tail_bits;		/* of keys: a regression is the same for both */
	uint32_t	nparents;
	uint64_t	nfeatures;
	uint32_t   *width;			/* [nparents] levels of each */
	uint64_t   *first;			/* [nparents] feature of its first level */
	uint64_t	n;				/* combinations of the parents' levels that rows have; 0: no rows */
	uint16_t   *x;				/* [n][nparents]; NULL: the rows themselves are gone over */
	double	   *share;			/* [n] of the rows */
	const pegs_kept *kept;		/* these; else NULL */
	uint16_t   *column;			/* [nparents] which column each parent is: of kept rows */
	double		rows;			/* so many are kept */
	uint32_t	passes;			/* exactly so many; 0: until nothing moves, at most PEGS_REGRESSION_PASSES */
	double	   *xy;				/* [nfeatures][levels] share of rows that have both */
	double	   *mass;			/* [nfeatures] share of rows that have it */
	double	  **both;			/* [nparents * nparents], p < q: [width p][width q] share of rows that have both; of kept rows somebody else's */
} pegs_multinomial;

/* Of a layout of PEGS_CONDITIONAL; cells of the column's own table. */
extern void pegs_multinomial_of(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, uint32_t column, pegs_multinomial *data);

/* Its tables, empty, of what says where features lie; what a combination of that share adds to those of the features. */
extern void pegs_multinomial_tables(const pegs_env *env, pegs_multinomial *data);
extern void pegs_multinomial_add(pegs_multinomial *data, const uint16_t *x, double share);

extern void pegs_multinomial_free(const pegs_env *env, pegs_multinomial *data);

/*
 * coef[nfeatures][levels], in: where to begin, finite; out: finite, whatever the counts are.
 * Deterministic; never fails.
 */
extern void pegs_multinomial_fit(const pegs_env *env, const pegs_multinomial *data, double lambda, double l1_ratio, double *coef);

/* Mean of -ln(share of the row's level) over the rows of such a table. 0: there are none. */
extern double pegs_multinomial_loss(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, uint32_t column, const double *coef);

/* -ln(share of that level) of one row; share[levels] is scratch. */
extern double pegs_multinomial_loss_of_row(const pegs_multinomial *data, const uint16_t *x, uint32_t level, const double *coef, double *share);

/* e^x, x <= 0, by as many steps whatever x is. */
extern double pegs_exp_below(double x);

/*
 * Of a row of parents' levels x[nparents]: share[levels], sums to 1. False, and nothing that may be used: a coefficient is so
 * large that there is none.
 */
extern bool pegs_multinomial_shares(uint32_t levels, uint32_t nparents, const uint64_t *first, const uint16_t *x, const double *coef,
									double *share);

#endif							/* PEGS_MULTINOMIAL_H */
