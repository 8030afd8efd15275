/*
 * target.c
 *	  What the rows are for: columns whose pairs and triples are preferred.
 *
 * Named before anything is looked at. Claim P7.
 */
#include "core/graph/state.h"

/* Half of it where no column is what the rows are for, rounded down: the sensitivity stays what it is. Claim P7. */
int64_t
pegs_for_target(const pegs_graph_fit *f, uint32_t n, const uint32_t *column, int64_t score)
{
	const bool *target = f->layout->target;

	for (uint32_t x = 0; x < n; x++)
		if (target == NULL || target[column[x]])
			return score;
	return score / 2 - (score % 2 < 0);
}
