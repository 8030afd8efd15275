/*
 * gibbs.c
 *	  PeGS and Block PeGS with Reset.
 *
 * Integers only. Every level of a cell is looked at whatever its count, so
 * the work does not depend on the counts. Claims P1, P2, P3, P18, docs/privacy.md.
 */
#include "core/pegs/gibbs.h"

#include "core/pegs/weights.h"
#include "core/pegs/diverse.h"
#include "core/witness.h"

#include <string.h>

#define LOOKS_AT_ONCE 65536		/* between two questions whether to stop */

void
pegs_gibbs_init(const pegs_env *env, pegs_gibbs *gibbs)
{
	const pegs_layout *layout = gibbs->layout;
	uint32_t	widest = 0;

	gibbs->row = env->alloc(env->context, sizeof(uint16_t) * layout->ncols);
	gibbs->visited_start = env->alloc(env->context, sizeof(uint64_t) * layout->ncols);
	gibbs->nvisited = 0;
	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		gibbs->visited_start[i] = gibbs->nvisited;
		gibbs->nvisited += layout->keys[i];
		if (layout->levels[i] > widest)
			widest = layout->levels[i];
	}
	gibbs->visited = env->alloc(env->context, sizeof(uint32_t) * gibbs->nvisited);
	gibbs->weight = env->alloc(env->context, sizeof(uint64_t) * widest);
	gibbs->stamp = 1;
	gibbs->made = 0;
	gibbs->env = *env;
	gibbs->since = 0;
	gibbs->urn = gibbs->sweeps > 0 ? env->alloc(env->context, sizeof(uint64_t) * layout->ncells) : NULL;
	pegs_gibbs_fill_urns(gibbs);
}

void
pegs_gibbs_fill_urns(pegs_gibbs *gibbs)
{
	if (gibbs->urn)
		memcpy(gibbs->urn, gibbs->cells, sizeof(uint64_t) * gibbs->layout->ncells);
}

void
pegs_gibbs_put_back(const pegs_gibbs *gibbs, uint32_t column, uint64_t key, uint32_t code)
{
	gibbs->urn[gibbs->layout->offset[column] + key * gibbs->layout->levels[column] + code]++;
}

bool
pegs_gibbs_seed(pegs_gibbs *gibbs, pegs_rng *rng, uint32_t tries)
{
	do
	{
		if (tries-- == 0)
			return false;
		for (uint32_t i = 0; i < gibbs->layout->ncols; i++)
			gibbs->row[i] = (uint16_t) (gibbs->given[i] >= 0 ? (uint64_t) gibbs->given[i]
										: pegs_rng_below(rng, gibbs->layout->levels[i]));
	} while (pegs_is_zero(&gibbs->zeros, gibbs->row));
	return true;
}

void
pegs_gibbs_visit(const pegs_gibbs *gibbs, uint32_t column, uint64_t key)
{
	gibbs->visited[gibbs->visited_start[column] + key] = gibbs->stamp;
}

void
pegs_gibbs_new_block(pegs_gibbs *gibbs)
{
	gibbs->made = 0;
	if (++gibbs->stamp == 0)
	{
		memset(gibbs->visited, 0, sizeof(uint32_t) * gibbs->nvisited);
		gibbs->stamp = 1;
	}
}

static void
sweep(pegs_gibbs *gibbs, pegs_rng *rng)
{
	const pegs_layout *layout = gibbs->layout;
	uint64_t   *weight = gibbs->weight;

	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		uint64_t	key;
		uint64_t	total;
		uint64_t	u;
		uint64_t	sum = 0;
		uint32_t	code = 0;

		if (gibbs->given[i] >= 0)
			continue;
		/* each level is held against each zero: a row may take minutes */
		gibbs->since += (uint64_t) layout->levels[i] * (gibbs->zeros.n + 1);
		if (gibbs->since >= LOOKS_AT_ONCE)
		{
			gibbs->env.check(gibbs->env.context);
			gibbs->since = 0;
		}
		key = pegs_layout_key(layout, i, gibbs->row);
		total = pegs_gibbs_weights(gibbs, i, key, weight);
		/*
		 * A forbidden level weighs nothing. Which ones are is a function of the
		 * row so far, public; the level at hand is allowed, so one is left.
		 */
		for (uint32_t j = 0; gibbs->zeros.n > 0 && j < layout->levels[i]; j++)
		{
			if (j % 64 == 63 && gibbs->zeros.n > 1024)
				gibbs->env.check(gibbs->env.context);
			if (pegs_would_be_zero(&gibbs->zeros, gibbs->row, i, j))
			{
				total -= weight[j];
				weight[j] = 0;
			}
		}
		u = pegs_rng_below(rng, total);
		for (uint32_t j = 0; j + 1 < layout->levels[i]; j++)
		{
			sum += weight[j];
			code += u >= sum;
		}
		if (gibbs->witness)
			pegs_witness_visit(gibbs->witness, gibbs, i, key, total, code);
		if (gibbs->urn)
			pegs_gibbs_put_back(gibbs, i, key, code);
		else
			pegs_gibbs_visit(gibbs, i, key);
		gibbs->row[i] = (uint16_t) code;
	}
}

void
pegs_gibbs_next(pegs_gibbs *gibbs, pegs_rng *rng)
{
	if (gibbs->urn == NULL && gibbs->made == gibbs->block)
		pegs_gibbs_new_block(gibbs);
	for (uint64_t i = gibbs->sweeps; i > 1; i--)
		sweep(gibbs, rng);		/* hidden */
	sweep(gibbs, rng);
	gibbs->made++;
}
