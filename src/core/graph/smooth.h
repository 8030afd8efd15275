/*
 * smooth.h
 *	  Rows of a batch, brought closer to what was measured and to what the tree
 *	  expects of every pair.
 */
#ifndef PEGS_SMOOTH_H
#define PEGS_SMOOTH_H

#include "core/graph/engine.h"
#include "core/rng.h"
#include "core/zeros.h"

/*
 * Changes single values of single rows, never into a zero. A function of the
 * model, the rows and the rng. Memory: some 40 bytes for each cell of all
 * pairs, of which there are at most 2^21, and the tree's pairs.
 */
extern void pegs_smooth_batch(const pegs_env *env, const pegs_fitted *model, const pegs_zeros *zeros,
							  pegs_rng *rng, uint32_t n, uint16_t **codes);

#endif							/* PEGS_SMOOTH_H */
