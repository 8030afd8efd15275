/*
 * linear.h
 *	  The little dense linear algebra that the regressions need.
 *
 * Matrices are symmetric, n x n doubles, row after row; only the upper
 * triangle (row <= column) is read. No library, no threads. All call env->check
 * once a row, or more often.
 */
#ifndef PEGS_LINEAR_H
#define PEGS_LINEAR_H

#include "core/core.h"

/* Terms of a model, so entries of a matrix stay below 128 MB. */
#define PEGS_MAX_TERMS	4096

/*
 * a = U'U: U over the upper triangle of a, the lower one is left alone.
 * False, and a spoilt: a pivot is not larger than 1e-14 times its diagonal
 * entry. What is left of that column is then rounding (or NaN).
 */
extern bool pegs_cholesky(const pegs_env *env, uint32_t n, double *a);

/* Solve U'U x = x, in place. */
extern void pegs_cholesky_solve(uint32_t n, const double *u, double *x);

/* The inverse of U'U, both triangles. `inverse` is n x n and not u. */
extern void pegs_cholesky_inverse(const pegs_env *env, uint32_t n, const double *u, double *inverse);

/*
 * The rank of a Gram matrix without negative entries, such as one of counts:
 * how many pivots of its Cholesky factor with complete pivoting exceed 1e-9
 * times its largest eigenvalue (at least 1e-9). a is spoilt; work has 2 n entries.
 */
extern uint32_t pegs_gram_rank(const pegs_env *env, uint32_t n, double *a, double *work);

#endif							/* PEGS_LINEAR_H */
