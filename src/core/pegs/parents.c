/*
 * parents.c
 *	  The parents of a sealed model, chosen privately. Claim P9.
 */
#include "core/pegs/parents.h"

#include <math.h>

int64_t
pegs_dependence(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, uint32_t a, uint32_t b)
{
	uint32_t	low = a < b ? a : b;
	uint32_t	high = a < b ? b : a;
	const uint64_t *pair = cells + layout->pair_offset[(size_t) low * layout->ncols + high];
	const uint64_t *one_low = cells + layout->offset[low];
	const uint64_t *one_high = cells + layout->offset[high];
	uint32_t	width = layout->levels[high];
	uint64_t	rows = 0;
	pegs_u128	sum = 0;

	for (uint32_t x = 0; x < layout->levels[low]; x++)
		rows += one_low[x];
	if (rows == 0)
		return 0;
	/* rows < 2^46, so a product is below 2^92 and the sum below 2^93 */
	for (uint32_t x = 0; x < layout->levels[low]; x++)
	{
		if (x % 64 == 0)
			env->check(env->context);
		for (uint32_t y = 0; y < width; y++)
		{
			pegs_u128	both = (pegs_u128) pair[(size_t) x * width + y] * rows;
			pegs_u128	product = (pegs_u128) one_low[x] * one_high[y];

			sum += both > product ? both - product : product - both;
		}
	}
	return (int64_t) (sum / rows);
}

void
pegs_choose_parents(const pegs_env *env, pegs_rng *rng, pegs_accountant *accountant,
					const pegs_layout *layout, const uint64_t *cells,
					uint32_t max_parents, uint32_t max_keys, uint32_t *parent_start, uint16_t *parents)
{
	uint32_t	m = layout->ncols;
	uint32_t	most = max_parents < m - 1 ? max_parents : m - 1;
	double		cost = pegs_accountant_left(accountant) / fmax(1, (double) m * most);
	int64_t    *score = env->alloc(env->context, sizeof(int64_t) * (m + 1));
	uint32_t   *candidate = env->alloc(env->context, sizeof(uint32_t) * (m + 1));

	parent_start[0] = 0;
	for (uint32_t i = 0; i < m; i++)
	{
		uint32_t	begin = parent_start[i];
		uint32_t	end = begin;
		double		keys = 1;

		while (end - begin < most)
		{
			uint32_t	n = 0;
			size_t		pick;

			for (uint32_t p = 0; p < m; p++)
			{
				bool		taken = p == i || keys * layout->levels[p] > max_keys;

				for (uint32_t q = begin; q < end; q++)
					taken |= parents[q] == p;
				if (taken)
					continue;
				candidate[n] = p;
				score[n++] = pegs_dependence(env, layout, cells, i, p);
			}
			if (n == 0)
				break;
			/* a constant for "no further parent", so that noise alone is rarely chosen */
			score[n] = llround(fmin(log((double) n + 1) / pegs_choice_factor(accountant, cost), 0x1p52));
			pick = pegs_choose(accountant, rng, cost, score, (size_t) n + 1);
			if (pick == n)
				break;
			parents[end++] = (uint16_t) candidate[pick];
			keys *= layout->levels[candidate[pick]];
		}
		parent_start[i + 1] = end;
	}
}
