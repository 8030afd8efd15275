/*
 * within.h
 *	  Cells of the table of all columns that have the same levels of some of
 *	  them: an urn of their own (option "within"). Public facts alone.
 */
#ifndef PEGS_WITHIN_H
#define PEGS_WITHIN_H

#include "core/method.h"

/* A list of cells by what they are within. A combination that has none is not here. */
typedef struct pegs_strata
{
	uint32_t	n;				/* combinations; 0 where the list is empty */
	uint32_t   *start;			/* [n + 1] */
	uint32_t   *at;				/* [cells] places in the list, rising in each combination */
} pegs_strata;

/* How many combinations of those columns there are, but for what is given (NULL: nothing is). Fits: there are as many cells. */
extern uint32_t pegs_combinations(uint32_t ncols, const uint32_t *levels, const bool *within, const int32_t *given);

/* Of a list of cells (counts.h); NULL: of the first n. Allocates, and asks whether to stop. */
extern void pegs_strata_make(const pegs_env *env, uint32_t ncols, const uint32_t *levels, const bool *within, const uint32_t *cell, uint32_t n,
							 pegs_strata *strata);

/*
 * In how many combinations of those columns these cells are, if all have the same weight together; else 0. Drawn from
 * urns they do: as many from each. weight[n] of cell[n] sums to 1.
 */
extern uint32_t pegs_equal_strata(const pegs_env *env, uint32_t ncols, const uint32_t *levels, const bool *within, const uint32_t *cell,
								  const double *weight, uint32_t n);

/* Why a fit cannot be within these. Of pegs_method's `refuse`. */
extern pegs_refusal pegs_refuse_within(uint32_t ncols, const bool *within);

#endif							/* PEGS_WITHIN_H */
