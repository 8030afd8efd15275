/*
 * er.h
 *	  Ecological regression: the averages explained by the means of the columns, and what explains them applied to everybody.
 */
#ifndef PEGS_ER_H
#define PEGS_ER_H

#include "core/disaggregate/averages.h"

/* What a ridge regression is asked for, and says of itself. */
typedef struct pegs_ridge
{
	double		lambda;			/* NAN: the one with the smallest press of 0 and 41 others */
	double		press;			/* root of the weighted mean of squared errors, each group foretold by the others */
	uint32_t	rank;
} pegs_ridge;

/*
 * Smallest sum of w (t - z b)^2 + lambda b^2 over p rows of z[p][m]; w adds up
 * to 1. leverage[p]: what each row has had to say before, or NULL.
 * PEGS_ERR_RANGE: no eigenvalues.
 */
extern pegs_status pegs_ridge_fit(const pegs_env *env, size_t p, uint32_t m, const double *z, const double *w, const double *t,
								  const double *leverage, pegs_ridge *ridge, double *b);

/* y[rows] by all levels, each group weighed by its individuals, or all alike. */
extern pegs_status pegs_spread_er(const pegs_env *env, const pegs_individuals *all, bool weighted, pegs_ridge *ridge, double *y);

/* The press of a guess that takes the weighted mean of the other groups' averages. */
extern double pegs_press_of_mean(const pegs_individuals *all);

/*
 * Each group of the first level gets slopes of its own for these columns, shrunk
 * by lambda: what its average has more than the mean of y goes there.
 */
extern void pegs_spread_effects(const pegs_env *env, const pegs_individuals *all, uint32_t n, const uint32_t *column, double lambda, double *y);

#endif							/* PEGS_ER_H */
