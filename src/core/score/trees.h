/*
 * trees.h
 *	  A score that is made of trees: released numbers, and what they give.
 *
 * Below: what a private tree and a private forest have in common.
 */
#ifndef PEGS_TREES_H
#define PEGS_TREES_H

#include "core/accountant.h"
#include "core/counts.h"
#include "core/cursor.h"
#include "core/kept.h"
#include "core/rng.h"

#define PEGS_TREE_CLASSES 32	/* of a feature: a set of them is a word */
#define PEGS_TREE_DEPTH	16		/* at most */
#define PEGS_TREES_MOST	1000	/* of a model */
#define PEGS_TREES_NODES (UINT32_C(1) << 20)	/* of a model */
#define PEGS_POINTS_ONE 2048	/* points of a log-odds of one */
#define PEGS_POINTS_MOST (16 * PEGS_POINTS_ONE)

/* The two kids of a node stand beside each other: what says yes goes to the second. */
typedef struct pegs_tree_node
{
	uint32_t	kid;			/* the first, counted from the root; 0: a leaf */
	uint32_t	feature;		/* column; of a leaf 0 */
	uint32_t	yes;			/* classes of it that say yes, a bit each: some, not all; of a leaf 0 */
	int32_t		points;			/* log-odds of rows that come to the node, times PEGS_POINTS_ONE */
} pegs_tree_node;

typedef struct pegs_trees
{
	uint32_t	ncols;
	uint32_t   *levels;			/* [ncols] */
	pegs_accountant accountant;
	double		rows;			/* noisy number of rows, >= 1 */
	uint32_t	target;			/* column */
	uint32_t	npositive;		/* levels of it that count as positive: some, not all */
	uint16_t   *positive;		/* [npositive] they rise */
	uint32_t   *classes;		/* [ncols] of each feature, at most PEGS_TREE_CLASSES; 1: nothing is asked of it; of the target 0 */
	uint16_t  **class_of;		/* [ncols][levels]; NULL: of the target */
	uint32_t	ntrees;
	uint32_t   *first;			/* [ntrees + 1] node of each tree */
	pegs_tree_node *node;		/* [first[ntrees]] level by level, kids in the order of their parents */
} pegs_trees;

/* What a score is of. Public, but for the rows. */
typedef struct pegs_scored
{
	uint32_t	target;			/* column */
	const bool *positive;		/* [levels of it] some, not all */
	const pegs_kept *rows;		/* private */
} pegs_scored;

/* Log-odds of p as points; p may be 0 or 1. */
extern int32_t pegs_points_of(double p);

/*
 * The trees' points together: codes[ncols], -1 for what is not known, or no level. A tree that asks for that
 * stops there, and says what it knows of all rows that come so far.
 */
extern int64_t pegs_trees_points(const pegs_trees *model, const int32_t *codes);

/* The mean of the trees' log-odds. */
static inline double
pegs_trees_logit(const pegs_trees *model, const int32_t *codes)
{
	return (double) pegs_trees_points(model, codes) / ((double) PEGS_POINTS_ONE * model->ntrees);
}

/* The levels of the target that are positive, as a list; and that as bytes. */
extern void pegs_list_positive(const pegs_env *env, uint32_t levels, const bool *is_positive, uint32_t *n, uint16_t **positive);
extern void pegs_positive_walk(pegs_cursor *c, uint32_t levels, uint32_t *n, uint16_t **positive);

/* Of the deepest of its trees: how many questions are asked, one after the other. */
extern uint32_t pegs_trees_depth(const pegs_trees *model);

/* Columns and levels are known; on reading everything else is checked and allocated. */
extern void pegs_trees_walk(pegs_cursor *c, pegs_trees *model);

#define PEGS_TREES_PURPOSES 2
extern const pegs_purpose pegs_trees_purposes[PEGS_TREES_PURPOSES];

/* ---- classes.c: features as classes of levels ---- */

/*
 * Is an order of the column's levels told? If not, its classes may be put in any.
 */
extern bool pegs_in_order(const pegs_layout *layout, uint32_t column);

/*
 * All columns but the target, each looked at once for an equal part of `cost`; neighbouring levels are then one class until the
 * lightest has so many rows as `least` and five standard deviations of that look. cost 0: nothing is looked at, and classes follow from what is
 * declared. Fills in target, positive, classes, class_of of the model, whose accountant pays.
 */
extern void pegs_trees_classes(const pegs_env *env, pegs_rng *rng, const pegs_layout *layout, const pegs_scored *scored, double cost,
							   double least, pegs_trees *model);

/* May that have made its classes, with a look or (declared) without? */
extern bool pegs_trees_classes_are_of(const pegs_trees *model, bool declared);

#endif							/* PEGS_TREES_H */
