/*
 * diverse.c
 *	  l-diverse perturbation.
 */
#include "core/pegs/diverse.h"

#include <math.h>

/* -sum p log p of p_j = (n_j + alpha)/(N + C alpha), in nats. */
static double
entropy(const uint64_t *count, uint32_t levels, double alpha)
{
	double		total = levels * alpha;
	double		h = 0;

	for (uint32_t j = 0; j < levels; j++)
		total += (double) count[j];
	for (uint32_t j = 0; j < levels; j++)
	{
		double		p = ((double) count[j] + alpha) / total;

		if (p > 0)
			h -= p * log(p);
	}
	return h;
}

#define UNIT 65536.0
#define LEVELS_AT_ONCE 4096		/* between two questions whether to stop */
/* Below this, weights of 2^16 levels fit in 64 bits beside any count. */
#define LARGEST_ALPHA (UINT64_C(1) << 45)

pegs_status
pegs_alpha_diverse(const uint64_t *count, uint32_t levels, double l, uint64_t *alpha)
{
	uint64_t	low = 0;
	uint64_t	high = 1;
	uint64_t	rows = 0;
	double		wanted;

	if (!(l >= 1) || l > levels)
		return PEGS_ERR_ARGUMENT;
	wanted = log(l);
	for (uint32_t j = 0; j < levels; j++)
		rows |= count[j];
	*alpha = PEGS_ALPHA_UNIFORM;
	if (rows == 0)
		return PEGS_OK;
	if (entropy(count, levels, 0) >= wanted)
	{
		*alpha = 0;
		return PEGS_OK;
	}
	if (l >= levels)
		return PEGS_OK;
	/* the entropy grows with alpha, to log C, which no alpha reaches */
	while (entropy(count, levels, (double) high / UNIT) < wanted)
	{
		low = high;
		high *= 2;
		if (high > LARGEST_ALPHA)
			return PEGS_OK;
	}
	while (high - low > 1)
	{
		uint64_t	middle = low + (high - low) / 2;

		if (entropy(count, levels, (double) middle / UNIT) < wanted)
			low = middle;
		else
			high = middle;
	}
	*alpha = high;
	return PEGS_OK;
}

pegs_status
pegs_alphas_diverse(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, double l, uint64_t **alpha)
{
	uint64_t	keys = 0;
	uint64_t	at = 0;
	uint64_t	since = 0;		/* levels since it was asked whether to stop */

	for (uint32_t i = 0; i < layout->ncols; i++)
		keys += layout->keys[i];
	*alpha = env->alloc(env->context, sizeof(uint64_t) * keys);
	for (uint32_t i = 0; i < layout->ncols; i++)
		for (uint64_t key = 0; key < layout->keys[i]; key++)
		{
			pegs_status status = pegs_alpha_diverse(cells + layout->offset[i] + key * layout->levels[i],
													layout->levels[i], l, &(*alpha)[at++]);

			if (status != PEGS_OK)
				return status;
			/* a key is looked at some fifty times */
			since += layout->levels[i] + 1;
			if (since >= LEVELS_AT_ONCE)
			{
				env->check(env->context);
				since = 0;
			}
		}
	return PEGS_OK;
}
