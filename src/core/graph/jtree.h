/*
 * jtree.h
 *	  A junction tree over classes of the columns, fitted by iterative
 *	  proportional fitting to released tables.
 *
 * Post-processing: reads released numbers only. Tables are linear (no logs);
 * marginals go through index maps, one entry a cell.
 */
#ifndef PEGS_JTREE_H
#define PEGS_JTREE_H

#include "core/graph/graph.h"

typedef struct pegs_clique
{
	uint32_t	n;
	uint32_t   *column;			/* [n], rising */
	size_t		cells;			/* product of their classes, last column fastest */
	double	   *mu;				/* [cells], sums to 1 */
	int32_t		parent;			/* clique, or -1 for the root */
	uint32_t	nsep;
	uint32_t   *sep;			/* columns shared with the parent, rising */
	size_t		sep_cells;
	double	   *sep_mu;			/* [sep_cells] last message */
	uint32_t   *sep_of;			/* [cells] */
	uint32_t   *parent_sep_of;	/* [cells of parent] */
} pegs_clique;

typedef struct pegs_jtree
{
	uint32_t	ncols;
	uint32_t   *classes;		/* [ncols] */
	uint32_t	nclique;
	pegs_clique *clique;		/* parents before children */
} pegs_jtree;

/* A table that the tree shall agree with: on k[x] classes of column[x], n = 1 to 3. */
typedef struct pegs_target
{
	uint32_t	n;
	uint32_t	column[3];
	uint32_t	k[3];
	const uint16_t *coarse[3];	/* [classes of column] to 0..k-1, or NULL: the same */
	const double *share;		/* [product of k], sums to 1 */
} pegs_target;

/* A tree that starts as the product of the shares of classes, one[column][class]. */
extern void pegs_jtree_build(const pegs_env *env, pegs_jtree *tree, const pegs_graph *graph,
							 const uint32_t *classes, double *const *one);

/* Separators, maps and first messages of cliques whose columns, parents and tables are set. */
extern void pegs_jtree_connect(const pegs_env *env, pegs_jtree *tree);

/* Index in the table of `target` for every cell of clique c. */
extern uint32_t *pegs_jtree_map(const pegs_env *env, const pegs_jtree *tree, uint32_t c, const pegs_target *target);

/* Index in a table over columns[n] of the clique, last column fastest, for every cell. */
extern uint32_t *pegs_jtree_index(const pegs_env *env, const pegs_jtree *tree, const pegs_clique *c,
								  uint32_t n, const uint32_t *columns);

/* The smallest clique that holds these columns, or -1. */
extern int32_t pegs_jtree_home(const pegs_jtree *tree, uint32_t n, const uint32_t *column);

/* Message along the edge of clique `child`, up or down. */
extern void pegs_jtree_push(pegs_jtree *tree, uint32_t child, bool up, double *scratch);

/* All 2-way tables of classes: pair[a * ncols + b], a < b, [classes a][classes b]. */
extern void pegs_jtree_pairs(const pegs_env *env, const pegs_jtree *tree, double **pair);

/* ---- fitting.c ---- */

/* Tables of at most so many cells are added up in four sums of each. */
#define PEGS_FEW_CELLS 256

/* Begins where another of the same cliques and classes ended; false: it is of others, and nothing is done. */
extern bool pegs_jtree_resume(pegs_jtree *tree, const pegs_jtree *from);

/* Iterative proportional fitting: `sweeps` walks of the tree, calibrated at the end. */
extern void pegs_jtree_fit(const pegs_env *env, pegs_jtree *tree, const pegs_target *target, uint32_t n, int sweeps);

#endif							/* PEGS_JTREE_H */
