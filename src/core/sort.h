/*
 * sort.h
 *	  Numbers in order, however many: stops when asked to.
 */
#ifndef PEGS_SORT_H
#define PEGS_SORT_H

#include "core/core.h"

/* Rising. No NaN; -0 and 0 are equal, and keep their order. `scratch` has room for n. */
extern void pegs_sort(const pegs_env *env, double *values, size_t n, double *scratch);

#endif							/* PEGS_SORT_H */
