/*
 * verify.h
 *	  Exact privacy of a small sealed model, by enumeration: all neighbours of
 *	  its table, all seeds, all outputs of one block.
 *
 * The likelihood ratio of an output is a product of quotients of the sampler's
 * own integer weights (pegs_gibbs_weights, pegs_gibbs_visit), so a sampler
 * that is broken is seen to be. The bound is columns * ln(1 + 1/alpha). Claims P1 and P2, docs/privacy.md.
 */
#ifndef PEGS_VERIFY_H
#define PEGS_VERIFY_H

#include "core/pegs/gibbs.h"
#include "core/ratio.h"

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
