/*
 * gibbs.h
 *	  PeGS, the perturbed Gibbs sampler, and Block PeGS with Reset
 *	  (PeGS paper section 3, Park's thesis chapter 3).
 *
 * One sweep makes one row: column i = 1..M, each given the new values before
 * it and the old ones after it. The weight of level j at key h is
 * n_hj * 2^16 + alpha, an integer; a cell that was visited in this block
 * weighs the same for every level (reset at the visit, for the whole block).
 * Which cells are visited is a function of seed and outputs only: Claim P2.
 *
 * Urns instead of blocks: each draw is put back double, that is counted as if
 * its row were in the table, and nothing is reset. A row is the last of so many
 * sweeps. Claim P18.
 */
#ifndef PEGS_GIBBS_H
#define PEGS_GIBBS_H

#include "core/counts.h"
#include "core/zeros.h"
#include "core/rng.h"

struct pegs_visit_witness;

typedef struct pegs_gibbs
{
	const pegs_layout *layout;	/* conditional */
	const uint64_t *cells;		/* exact counts: secret */
	uint64_t	alpha;			/* units of 2^-16, >= 1 */
	uint64_t	block;			/* rows a block, >= 1 */
	uint64_t	sweeps;			/* >= 1: cells are urns, a row is so many sweeps; 0: blocks */
	const int32_t *given;		/* [ncols] code of a fixed column, or -1 */
	const uint64_t *alpha_of_key;	/* NULL, or one a (column, key): the papers' l-diversity, no guarantee (diverse.h) */
	pegs_zeros	zeros;			/* structural zeros; none: all zero */
	struct pegs_visit_witness *witness;	/* NULL but in an audit (witness.h) */

	uint64_t   *urn;			/* [cells] counts with the draws so far; NULL: blocks */
	uint16_t   *row;			/* [ncols] the row last made: the next one's seed */
	uint32_t   *visited;		/* a stamp per (column, key) */
	uint64_t   *visited_start;	/* [ncols] */
	uint64_t	nvisited;
	uint64_t   *weight;			/* [max levels] scratch */
	uint32_t	stamp;			/* of the current block */
	uint64_t	made;			/* rows of the current block */
	pegs_env	env;			/* asked between columns whether to stop */
	uint64_t	since;			/* looks at levels since then */
} pegs_gibbs;

/* layout, cells, alpha, block, given must be set. Allocates; draws nothing. */
extern void pegs_gibbs_init(const pegs_env *env, pegs_gibbs *gibbs);

/* Urns hold the table alone again: a new call. */
extern void pegs_gibbs_fill_urns(pegs_gibbs *gibbs);

/*
 * The first seed row: given columns as given, the others uniform over the
 * declared domain, drawn again while forbidden. False after `tries` rows.
 */
extern bool pegs_gibbs_seed(pegs_gibbs *gibbs, pegs_rng *rng, uint32_t tries);

/* The next row into gibbs->row. */
extern void pegs_gibbs_next(pegs_gibbs *gibbs, pegs_rng *rng);

extern void pegs_gibbs_visit(const pegs_gibbs *gibbs, uint32_t column, uint64_t key);
extern void pegs_gibbs_put_back(const pegs_gibbs *gibbs, uint32_t column, uint64_t key, uint32_t code);	/* urns: what was drawn */
extern void pegs_gibbs_new_block(pegs_gibbs *gibbs);

#endif							/* PEGS_GIBBS_H */
