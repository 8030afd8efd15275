/*
 * prior.c
 *	  A public prior: what cells weigh in an urn besides their rows and alpha.
 *
 * Nothing here sees a count. Claims P24, P32.
 */
#include "core/prior.h"

#define CELLS_AT_ONCE 65536		/* between two questions whether to stop */

/* The weight of one cell, by bisection: cells are rising. */
static uint64_t
weight_of(const pegs_setting *prior, uint32_t cell)
{
	uint32_t	low = 0;
	uint32_t	high = prior->nweights;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (prior->cells[middle] < cell)
			low = middle + 1;
		else
			high = middle;
	}
	return low < prior->nweights && prior->cells[low] == cell ? prior->weights[low] : 0;
}

uint64_t *
pegs_prior_weights(const pegs_env *env, const pegs_setting *prior, uint32_t times, const uint32_t *cell, uint64_t n)
{
	uint64_t   *weights;

	if (prior == NULL || prior->nweights == 0)
		return NULL;
	weights = env->alloc(env->context, sizeof(uint64_t) * n);
	for (uint64_t i = 0; i < n; i++)
	{
		if (i % CELLS_AT_ONCE == 0)
			env->check(env->context);
		weights[i] = weight_of(prior, cell ? cell[i] : (uint32_t) i) * times;
	}
	return weights;
}
