/*
 * hermite.h
 *	  How two columns of levels go together when there are normals behind them.
 */
#ifndef PEGS_HERMITE_H
#define PEGS_HERMITE_H

#include "core/core.h"

#define PEGS_HERMITE_TERMS 60
#define PEGS_HERMITE_MOST 0.98	/* a correlation that is found: at most, in absolute value */

/* tail[t], 0 <= t <= PEGS_HERMITE_TERMS: the t-th coefficient of what is 1 above x, and 0 below. */
extern void pegs_hermite_tail(double x, double *tail);

/*
 * A normal z is cut into n levels: level l has cut[l - 1] <= z < cut[l], n - 1
 * cuts that do not fall, and a score. c[t]: the t-th coefficient of the score in
 * normalised Hermite polynomials of z, 0 <= t <= PEGS_HERMITE_TERMS; c[0] is its mean.
 */
extern void pegs_hermite_of_scores(uint32_t n, const double *cut, const int32_t *score, double *c);

/* The covariance of two such scores where the correlation of the normals is r. */
extern double pegs_hermite_covariance(const double *c, const double *d, double r);

/* The correlation at which it is that; the nearest one that may be found, where there is none. */
extern double pegs_hermite_solve(const double *c, const double *d, double covariance);

#endif							/* PEGS_HERMITE_H */
