/*
 * within.c
 *	  Cells of the table of all columns that have the same levels of some of
 *	  them: an urn of their own (option "within").
 *
 * Nothing here sees a count. A row is in one combination alone: claims P24, P32.
 */
#include "core/table/within.h"

#include <math.h>
#include <string.h>

#include "core/counts.h"

#define CELLS_AT_ONCE 65536		/* between two questions whether to stop */
#define ROUNDED 1e-6			/* sums of shares, of 2^26 at most */

uint32_t
pegs_combinations(uint32_t ncols, const uint32_t *levels, const bool *within, const int32_t *given)
{
	uint32_t	n = 1;

	for (uint32_t i = 0; i < ncols; i++)
		if (within[i] && (given == NULL || given[i] < 0))
			n *= levels[i];
	return n;
}

/* Its combination's number among all. */
static uint32_t
combination_of(uint32_t ncols, const uint32_t *levels, const bool *within, uint32_t cell, uint16_t *row)
{
	uint32_t	number = 0;

	pegs_joint_row(ncols, levels, cell, row);
	for (uint32_t i = 0; i < ncols; i++)
		if (within[i])
			number = number * levels[i] + row[i];
	return number;
}

void
pegs_strata_make(const pegs_env *env, uint32_t ncols, const uint32_t *levels, const bool *within, const uint32_t *cell, uint32_t n,
				 pegs_strata *strata)
{
	uint32_t	all = pegs_combinations(ncols, levels, within, NULL);
	uint32_t   *next = env->alloc(env->context, sizeof(uint32_t) * ((size_t) all + 1));
	uint32_t   *of = env->alloc(env->context, sizeof(uint32_t) * n);
	uint16_t   *row = env->alloc(env->context, sizeof(uint16_t) * ncols);
	uint32_t	before = 0;

	memset(next, 0, sizeof(uint32_t) * ((size_t) all + 1));
	strata->start = env->alloc(env->context, sizeof(uint32_t) * ((size_t) all + 1));
	strata->at = env->alloc(env->context, sizeof(uint32_t) * n);
	strata->n = 0;
	strata->start[0] = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		if (i % CELLS_AT_ONCE == 0)
			env->check(env->context);
		of[i] = combination_of(ncols, levels, within, cell ? cell[i] : i, row);
		next[of[i]]++;
	}
	for (uint32_t s = 0; s < all; s++)
	{
		uint32_t	size = next[s];

		if (s % CELLS_AT_ONCE == 0)
			env->check(env->context);
		next[s] = before;
		before += size;
		if (size > 0)
			strata->start[++strata->n] = before;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		if (i % CELLS_AT_ONCE == 0)
			env->check(env->context);
		strata->at[next[of[i]]++] = i;
	}
	pegs_env_free(env, row);
	pegs_env_free(env, of);
	pegs_env_free(env, next);
}

uint32_t
pegs_equal_strata(const pegs_env *env, uint32_t ncols, const uint32_t *levels, const bool *within, const uint32_t *cell,
				  const double *weight, uint32_t n)
{
	uint32_t	all = pegs_combinations(ncols, levels, within, NULL);
	double	   *sum = env->alloc(env->context, sizeof(double) * all);
	uint16_t   *row = env->alloc(env->context, sizeof(uint16_t) * ncols);
	uint32_t	found = 0;
	bool		equal = true;

	memset(sum, 0, sizeof(double) * all);
	for (uint32_t i = 0; i < n; i++)
	{
		if (i % CELLS_AT_ONCE == 0)
			env->check(env->context);
		sum[combination_of(ncols, levels, within, cell[i], row)] += weight[i];
	}
	for (uint32_t s = 0; s < all; s++)
		found += sum[s] > 0;
	for (uint32_t s = 0; s < all; s++)
		equal &= !(sum[s] > 0) || fabs(sum[s] * found - 1) < ROUNDED;
	pegs_env_free(env, row);
	pegs_env_free(env, sum);
	return equal ? found : 0;
}

pegs_refusal
pegs_refuse_within(uint32_t ncols, const bool *within)
{
	for (uint32_t i = 0; i < ncols; i++)
		if (!within[i])
			return PEGS_NOT_REFUSED;
	return (pegs_refusal) {
		.why = "option \"within\" has all columns, so that nothing would be drawn",
		.hint = "Name fewer columns in \"within\", or leave it out."
	};
}
