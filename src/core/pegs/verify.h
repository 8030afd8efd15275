/*
 * verify.h
 *	  Exact privacy of a small sealed model, by enumeration: all neighbours of
 *	  its table, all seeds, all outputs of one block.
 *
 * The likelihood ratio of an output is a product of quotients of the sampler's
 * own integer weights (pegs_gibbs_weights, pegs_gibbs_visit), so a sampler
 * that is broken is seen to be. Ratios near the bound are compared with it as
 * whole numbers, without rounding. Claims P1 and P2, docs/privacy.md.
 */
#ifndef PEGS_VERIFY_H
#define PEGS_VERIFY_H

#include "core/pegs/gibbs.h"

#define PEGS_MOST_PATHS (UINT64_C(1) << 24)
#define PEGS_VERIFY_VISITS 64	/* columns x rows of a block, at most */

typedef struct pegs_verdict
{
	uint64_t	neighbours;
	uint64_t	paths;			/* outputs enumerated, over all neighbours and seeds */
	double		worst;			/* largest |ln of a likelihood ratio| found */
	double		bound;			/* columns * ln(1 + 1/alpha): what a block may cost */
	bool		holds;			/* no ratio is above the bound, exactly */
} pegs_verdict;

/*
 * A block of `block` rows at `alpha` (units of 2^-16) from the counts of
 * `cells`. `visit`: how a cell is
 * marked as used, pegs_gibbs_visit; a test puts a broken one there.
 * PEGS_ERR_TOO_LARGE: more than PEGS_MOST_PATHS or PEGS_VERIFY_VISITS.
 */
extern pegs_status pegs_verify_block(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells,
									 uint64_t alpha, uint32_t block,
									 void (*visit) (const pegs_gibbs *gibbs, uint32_t column, uint64_t key),
									 pegs_verdict *verdict);

#endif							/* PEGS_VERIFY_H */
