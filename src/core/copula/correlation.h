/*
 * correlation.h
 *	  Numbers that were estimated one by one to a matrix of correlations.
 */
#ifndef PEGS_CORRELATION_H
#define PEGS_CORRELATION_H

#include "core/core.h"

#define PEGS_LEAST_EIGENVALUE 1e-6

/*
 * r[n * n], symmetric, 1 on the diagonal: lifted to a matrix of correlations by its
 * eigenvalues, or to the nearest one (Higham 2002). One that is none to repair stays as it is.
 */
extern void pegs_lift_correlation(const pegs_env *env, uint32_t n, double *r);
extern void pegs_nearest_correlation(const pegs_env *env, uint32_t n, double *r);

/* Place of (i, j), j <= i, in a packed lower triangle. */
static inline size_t
pegs_packed(uint32_t i, uint32_t j)
{
	return (size_t) i * (i + 1) / 2 + j;
}

/* The packed l[n (n + 1) / 2] with l l^T = r - least I; false: there is none. */
extern bool pegs_factor_correlation(const pegs_env *env, uint32_t n, const double *r, double least, double *l);

#endif							/* PEGS_CORRELATION_H */
