/*
 * eigen.h
 *	  Eigenvalues and eigenvectors of a symmetric matrix.
 */
#ifndef PEGS_EIGEN_H
#define PEGS_EIGEN_H

#include "core/core.h"

/*
 * a[n * n] symmetric, is used up; value[n], in no order; vector[n * n]: row i is
 * that of value[i], of length 1. PEGS_ERR_RANGE: it did not come to an end. env is asked whether to
 * stop, and lends memory for n numbers.
 */
extern pegs_status pegs_eigen(const pegs_env *env, uint32_t n, double *a, double *value, double *vector);

#endif							/* PEGS_EIGEN_H */
