/*
 * tree.h
 *	  Private alpha-trees: grown level by level on noisy tables of each node's rows.
 */
#ifndef PEGS_TREE_H
#define PEGS_TREE_H

#include "core/score/trees.h"

#define PEGS_ALPHAS_MOST PEGS_OPTION_NUMBERS_MOST	/* trees that share the rows */

typedef struct pegs_tree_options
{
	uint32_t	depth;			/* 1 to PEGS_TREE_DEPTH */
	uint32_t	alphas;			/* 1 to PEGS_ALPHAS_MOST: a tree each, of rows of its own */
	const double *alpha;		/* [alphas], finite */
	bool		declared;		/* classes by what is declared: nothing is spent for them */
} pegs_tree_options;

/*
 * Claim P30. Spends no more than the account; the model is released numbers. Two columns
 * at least: of `layout` the levels, and what is told of their order, are used, and no table.
 */
extern void pegs_tree_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout,
						  const pegs_scored *scored, const pegs_tree_options *options, pegs_trees *model);

#endif							/* PEGS_TREE_H */
