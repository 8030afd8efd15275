/*
 * simplex.h
 *	  Noisy numbers to the nearest ones that a table could have.
 */
#ifndef PEGS_SIMPLEX_H
#define PEGS_SIMPLEX_H

#include "core/core.h"

/* Euclidean projection of y[n] on {x >= 0, sum x = total}, in place; total > 0. Takes memory for those that may be above zero, twice. */
extern void pegs_project_simplex(const pegs_env *env, double *y, size_t n, double total);

#endif							/* PEGS_SIMPLEX_H */
