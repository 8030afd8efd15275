/*
 * weights.h
 *	  By what weight PeGS draws each level of a cell: what gibbs.c draws by, and
 *	  what an audit (witness.c) and an enumeration (verify.c) look at. Inline:
 *	  it is asked for every cell that is visited.
 */
#ifndef PEGS_WEIGHTS_H
#define PEGS_WEIGHTS_H

#include "core/pegs/diverse.h"
#include "core/pegs/gibbs.h"

/*
 * The steps of a sweep, for the tests that enumerate it: integer weights of
 * the levels of `column` at `key` (returns their sum), and the visit.
 */
static inline uint64_t
pegs_gibbs_weights(const pegs_gibbs *gibbs, uint32_t column, uint64_t key, uint64_t *weight)
{
	uint32_t	levels = gibbs->layout->levels[column];
	const uint64_t *count = (gibbs->urn ? gibbs->urn : gibbs->cells) + gibbs->layout->offset[column] + key * levels;
	bool		reset = gibbs->urn == NULL && gibbs->visited[gibbs->visited_start[column] + key] == gibbs->stamp;
	uint64_t	keep = reset ? 0 : ~UINT64_C(0);
	uint64_t	alpha = gibbs->alpha;
	uint64_t	sum = 0;

	if (gibbs->alpha_of_key)
	{
		alpha = gibbs->alpha_of_key[gibbs->visited_start[column] + key];
		if (reset || alpha == PEGS_ALPHA_UNIFORM)
		{
			keep = 0;
			alpha = 1;
		}
	}
	for (uint32_t j = 0; j < levels; j++)
	{
		weight[j] = ((count[j] << 16) & keep) + alpha;
		sum += weight[j];
	}
	return sum;
}

#endif							/* PEGS_WEIGHTS_H */
