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

/* What the tree expects of all pairs: the same for every batch, so that a session need not find it twice. */
typedef struct pegs_expected_pairs
{
	pegs_env	env;			/* memory that lives as long */
	const float *share;			/* [places a][places b] of each pair; NULL: not known yet */
} pegs_expected_pairs;

/*
 * Changes single values of single rows, never into a zero. A function of the
 * model, the rows and the rng, whether or not something is kept (NULL: it is
 * not). Memory: some 30 bytes for each cell of all pairs, of which there are
 * at most 2^20, and the tree's pairs.
 */
extern void pegs_smooth_batch(const pegs_env *env, const pegs_fitted *model, pegs_expected_pairs *kept, const pegs_zeros *zeros,
							  pegs_rng *rng, uint32_t n, uint16_t **codes);

#endif							/* PEGS_SMOOTH_H */
