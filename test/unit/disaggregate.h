/*
 * disaggregate.h
 *	  Individuals in groups, for the tests of src/core/disaggregate.
 */
#ifndef PEGS_TEST_DISAGGREGATE_H
#define PEGS_TEST_DISAGGREGATE_H

#include "core/disaggregate/averages.h"

#include <math.h>
#include <string.h>

static inline double *
some(size_t n)
{
	return env.alloc(env.context, sizeof(double) * (n + 1));
}

/* A level of these groups whose averages are those of y; every group must have somebody. */
static inline pegs_averages
averages_of(uint64_t rows, const uint32_t *of, uint32_t n, const double *y)
{
	double	   *average = some(n);
	double	   *size = some(n);

	for (uint64_t i = 0; i < rows; i++)
	{
		average[of[i]] += y[i];
		size[of[i]]++;
	}
	for (uint32_t g = 0; g < n; g++)
		average[g] /= size[g];
	return (pegs_averages) {.n = n, .of = of, .average = average};
}

/* The groups i mod n, or in turn n times as many: what rows % n is. */
static inline uint32_t *
groups_of(uint64_t rows, uint32_t n, uint32_t shift)
{
	uint32_t   *of = env.alloc(env.context, sizeof(uint32_t) * rows);

	for (uint64_t i = 0; i < rows; i++)
		of[i] = (uint32_t) (i >> shift) % n;
	return of;
}

/* By how much the means of y miss the averages, at most, as a part of the largest. */
static inline double
missed(const pegs_individuals *all, const double *y)
{
	double		most = 0;
	double		largest = 0;

	for (uint32_t l = 0; l < all->nlevels; l++)
	{
		double	   *mean = some(all->level[l].n);

		pegs_group_means(&env, all, &all->level[l], y, mean);
		for (uint32_t g = 0; g < all->level[l].n; g++)
		{
			most = fmax(most, fabs(mean[g] - all->level[l].average[g]));
			largest = fmax(largest, fabs(all->level[l].average[g]));
		}
	}
	return largest > 0 ? most / largest : most;
}

#endif							/* PEGS_TEST_DISAGGREGATE_H */
