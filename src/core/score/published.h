/*
 * published.h
 *	  Trees as they were published: DPaT and EDPaT (Park's thesis, sections 5.2 and 5.3). No guarantee.
 */
#ifndef PEGS_PUBLISHED_H
#define PEGS_PUBLISHED_H

#include "core/score/trees.h"

#define PEGS_CUTS_MOST	100

/* Exact counts: as secret as the rows. Kids as in pegs_tree_node. */
typedef struct pegs_published_node
{
	uint32_t	kid;			/* 0: a leaf */
	uint32_t	feature;
	uint32_t	level;			/* of a feature without numbers: this level says yes */
	double		cut;			/* of one with numbers: what is above says yes */
	uint64_t	positive;		/* rows, of them positive */
	uint64_t	rows;
} pegs_published_node;

typedef struct pegs_published
{
	uint32_t	ncols;
	uint32_t   *levels;			/* [ncols] */
	uint32_t	target;
	uint32_t	npositive;		/* as in pegs_trees */
	uint16_t   *positive;
	double	  **value;			/* [ncols][levels] public: the number of each level, NaN: it has none, and is above nothing; NULL: a column of no numbers */
	uint32_t	ntrees;
	uint32_t	room;			/* nodes that all trees could have, by what is public: as many are in the bytes */
	uint32_t   *first;			/* [ntrees + 1] */
	pegs_published_node *node;	/* [first[ntrees]] */
} pegs_published;

typedef struct pegs_published_options
{
	uint32_t	depth;			/* 1 to PEGS_TREE_DEPTH */
	uint32_t	cuts;			/* equal parts of a node's range, 2 to PEGS_CUTS_MOST */
	uint32_t	least;			/* rows of a node that is cut, 1 or more */
	uint32_t	alphas;			/* 1 to 16: one is DPaT, more are EDPaT */
	const double *alpha;		/* [alphas] */
	bool		always;			/* Algorithm 4: the best cut is taken, whatever a row might change */
} pegs_published_options;

/* Nodes that so many trees of such a depth could have; more than PEGS_TREES_NODES: too many. */
static inline uint64_t
pegs_published_room(uint32_t depth, uint32_t trees)
{
	return trees * ((UINT64_C(2) << depth) - 1);
}

/* Two columns at least, no more room than PEGS_TREES_NODES; value as in the model. Exact counts: for the owner of the rows alone. */
extern void pegs_published_fit(const pegs_env *env, const pegs_layout *layout, const pegs_scored *scored, const double *const *value,
							   const pegs_published_options *options, pegs_published *model);

/*
 * The mean of the leaves' shares without noise, and Delta, the mean of their phi - chi: published is the one with
 * Laplace noise of scale Delta/epsilon. codes[ncols], -1: not known, and the tree stops there.
 */
extern double pegs_published_score(const pegs_published *model, const int32_t *codes, double *delta);

/* Columns and levels are known; on reading everything else is checked and allocated. Its length hangs on what is public. */
extern void pegs_published_walk(pegs_cursor *c, pegs_published *model);

#endif							/* PEGS_PUBLISHED_H */
