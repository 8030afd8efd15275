/*
 * urn.c
 *	  An urn: draws from one table, each of which is put back double.
 *
 * Integers only. A draw takes as many steps as the levels have binary digits,
 * whatever their counts. Claims P18, P24, docs/privacy.md.
 */
#include "core/urn.h"

#include <string.h>

#include "core/witness.h"

#define LEVELS_AT_ONCE 65536	/* between two questions whether to stop */
#define MAX_DRAWS (UINT64_C(1) << 45)	/* with 2^46 rows, alpha and a prior the weights stay below 2^63 */

void
pegs_urn_init(const pegs_env *env, pegs_urn *urn, uint32_t k)
{
	urn->k = k;
	urn->top = 1;
	while (urn->top <= k / 2)
		urn->top *= 2;
	urn->total = 0;
	urn->count = NULL;
	urn->prior = NULL;
	urn->witness = NULL;
	urn->sum = env->alloc(env->context, sizeof(uint64_t) * ((size_t) k + 1));
}

void
pegs_urn_fill(const pegs_env *env, pegs_urn *urn, const uint64_t *count, uint64_t alpha, const bool *is_level)
{
	urn->count = count;
	urn->total = 0;
	memset(urn->sum, 0, sizeof(uint64_t) * ((size_t) urn->k + 1));
	for (uint32_t i = 1; i <= urn->k; i++)
	{
		uint64_t	keep = is_level == NULL || is_level[i - 1] ? ~UINT64_C(0) : 0;
		uint64_t	weight = ((count[i - 1] << PEGS_ALPHA_BITS) + alpha + (urn->prior ? urn->prior[i - 1] : 0)) & keep;
		uint32_t	up = i + (i & -i);

		if (i % LEVELS_AT_ONCE == 0)
			env->check(env->context);
		urn->total += weight;
		urn->sum[i] += weight;
		if (up <= urn->k)
			urn->sum[up] += urn->sum[i];
	}
}

uint32_t
pegs_urn_draw(const pegs_urn *urn, pegs_rng *rng)
{
	uint64_t	u = pegs_rng_below(rng, urn->total);
	uint32_t	level = 0;

	/* down the tree: over all that is not above u */
	for (uint32_t step = urn->top; step > 0; step /= 2)
	{
		uint32_t	next = level + step;
		uint64_t	sum = urn->sum[next <= urn->k ? next : 0];
		uint64_t	over = -(uint64_t) ((next <= urn->k) & (sum <= u));

		u -= sum & over;
		level += step & (uint32_t) over;
	}
	if (urn->witness)
		pegs_witness_draw(urn->witness, urn, level);
	return level;
}

void
pegs_urn_put_back(pegs_urn *urn, uint32_t level)
{
	if (urn->witness)
		pegs_urn_put_back(urn->witness->other, level);
	urn->total += PEGS_URN_ONE;
	for (uint32_t i = level + 1; i <= urn->k; i += i & -i)
		urn->sum[i] += PEGS_URN_ONE;
}

pegs_status
pegs_urn_price(uint64_t tables, uint64_t draws, uint32_t levels, uint32_t rows_per_unit, int64_t epsilon, int64_t *delta,
			   uint64_t *alpha)
{
	const uint64_t limit = PEGS_ALPHA_ROOM;
	uint64_t	other;
	pegs_status pure;

	if (draws < 1 || draws > MAX_DRAWS)
		return PEGS_ERR_RANGE;
	pure = pegs_alpha_urn(epsilon, tables * rows_per_unit, draws, levels, alpha);
	if (*delta == 0 || rows_per_unit > 1
		|| pegs_alpha_urn_renyi(epsilon, *delta, tables, levels, &other) != PEGS_OK
		|| other * levels > limit - (draws << PEGS_ALPHA_BITS)
		|| (pure == PEGS_OK && *alpha <= other))
	{
		*delta = 0;
		return pure;
	}
	*alpha = other;
	return PEGS_OK;
}
