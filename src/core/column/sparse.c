/*
 * sparse.c
 *	  How many rows levels have, where their order says nothing: each noisy
 *	  number is shrunk by what all of them together say of how many are small.
 *
 * Empirical Bayes (Robbins 1956): the numbers of rows are taken for draws from
 * one distribution, on a grid in units of the noise, which is estimated by
 * maximum likelihood (Kiefer and Wolfowitz 1956; by EM). Of 400 declared levels
 * ten are used: then most numbers are noise, and it is known which.
 *
 * Post-processing: reads released numbers only. Claim P8, docs/privacy.md.
 */
#include "core/column/column.h"

#include <math.h>

#define GRID_MOST 32
#define EM_STEPS 40
#define LEVELS_AT_ONCE 1024		/* between two questions whether to stop */

static const double FAR = 8;	/* sds above which a number is left as it is */
static const double LOWEST = -6;	/* sds: nothing is more surely empty */

/* From 0 to somewhat more than FAR, closer where numbers are small. */
static uint32_t
make_grid(double *grid)
{
	uint32_t	k = 2;

	grid[0] = 0;
	grid[1] = 0.25;
	for (;;)
	{
		double		last = grid[k - 1];
		double		next = last + (last < 2 ? 0.25 : last < 4 ? 0.5 : 0.75);

		if (next >= FAR + 2)
			return k;
		grid[k++] = next;
	}
}

/* One step of EM; a level more, which may be anything, keeps every weight above 0. */
static void
improve(const pegs_env *env, double *weight, uint32_t k, const double *likelihood, uint32_t n)
{
	double		next[GRID_MOST];

	for (uint32_t j = 0; j < k; j++)
		next[j] = 1.0 / k;
	for (uint32_t i = 0; i < n; i++)
	{
		const double *l = likelihood + (size_t) i * k;
		double		sum = 0;

		if (i % LEVELS_AT_ONCE == 0)
			env->check(env->context);
		for (uint32_t j = 0; j < k; j++)
			sum += weight[j] * l[j];
		for (uint32_t j = 0; j < k; j++)
			next[j] += weight[j] * l[j] / sum;
	}
	for (uint32_t j = 0; j < k; j++)
		weight[j] = next[j] / (n + 1);
}

double
pegs_shrink_levels(const pegs_env *env, double *y, uint32_t n, double variance)
{
	double		grid[GRID_MOST];
	double		weight[GRID_MOST];
	uint32_t	k = make_grid(grid);
	double		sd = sqrt(variance);
	double	   *likelihood = env->alloc(env->context, sizeof(double) * k * n);
	uint32_t	near = 0;
	double		freedom;

	for (uint32_t i = 0; i < n; i++)
		if (y[i] < FAR * sd)
		{
			for (uint32_t j = 0; j < k; j++)
			{
				double		d = fmax(y[i] / sd, LOWEST) - grid[j];

				likelihood[(size_t) near * k + j] = exp(-0.5 * d * d);
			}
			near++;
		}
	for (uint32_t j = 0; j < k; j++)
		weight[j] = 1.0 / k;
	for (int step = 0; step < EM_STEPS; step++)
		improve(env, weight, k, likelihood, near);
	freedom = n - near;
	near = 0;
	for (uint32_t i = 0; i < n; i++)
		if (y[i] < FAR * sd)
		{
			double		moment[3] = {0};

			for (uint32_t j = 0; j < k; j++)
			{
				double		p = weight[j] * likelihood[(size_t) near * k + j];

				moment[0] += p;
				moment[1] += p * grid[j];
				moment[2] += p * grid[j] * grid[j];
			}
			moment[1] /= moment[0];
			y[i] = sd * moment[1];
			freedom += fmax(0, moment[2] / moment[0] - moment[1] * moment[1]);
			near++;
		}
	pegs_env_free(env, likelihood);
	return freedom;
}
