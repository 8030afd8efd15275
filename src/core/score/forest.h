/*
 * forest.h
 *	  Private forests: trees that ask what no row has chosen, and leaves with noise.
 */
#ifndef PEGS_FOREST_H
#define PEGS_FOREST_H

#include "core/score/trees.h"

typedef struct pegs_forest_options
{
	uint32_t	trees;			/* 1 to PEGS_TREES_MOST */
	uint32_t	depth;			/* 1 to PEGS_TREE_DEPTH, of fewer features as many */
	bool		declared;		/* classes by what is declared: nothing is spent for them, and no part of the structure was seen in rows */
} pegs_forest_options;

/* Does a model have a place for its nodes? What the caller asks before anything is charged. */
static inline bool
pegs_forest_fits(const pegs_forest_options *options)
{
	return ((uint64_t) options->trees << (options->depth + 1)) <= PEGS_TREES_NODES;
}

/*
 * Claim P31. Spends no more than the account; the model is released numbers. Two columns
 * at least: of `layout` the levels, and what is told of their order, are used, and no table.
 */
extern void pegs_forest_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout,
							const pegs_scored *scored, const pegs_forest_options *options, pegs_trees *model);

#endif							/* PEGS_FOREST_H */
