/*
 * engine.h
 *	  The fit-once engine: noisy 1-ways, a private forest, batches of private
 *	  pairs on noise-sized grids, a junction tree and pairs outside it.
 *
 * Steps A to E of docs/engine.md. Every look at the counts is in accountant.c; everything
 * else reads released numbers. Neighbours: add or remove one row.
 */
#ifndef PEGS_ENGINE_H
#define PEGS_ENGINE_H

#include "core/accountant.h"
#include "core/counts.h"
#include "core/graph/jtree.h"

/* One noisy table of a pair, on ka x kb contiguous classes of the columns' levels. */
typedef struct pegs_measured
{
	uint32_t	k[2];
	uint16_t   *class_of[2];	/* [levels] */
	double		variance;		/* of each cell */
	double	   *noisy;			/* [k0 * k1] counts */
} pegs_measured;

/* A pair a < b, its measurements, and the estimate that its finest grid gives. */
typedef struct pegs_pair
{
	uint32_t	column[2];
	bool		outside;		/* not in the junction tree: the rows are adjusted to it */
	uint32_t	n;				/* 0: triples alone know of it */
	pegs_measured *measured;	/* [n] */

	uint32_t	k[2];			/* finest grid measured */
	uint16_t   *class_of[2];
	double		variance;		/* of all measurements of that grid together */
	double	   *share;			/* [k0 * k1], sums to 1 */
} pegs_pair;

/*
 * A triple a < b < c, with all its levels, and the mean of what was measured of
 * it. Its pairs are pairs of the model; they know of it.
 */
typedef struct pegs_triple
{
	uint32_t	column[3];
	bool		outside;
	uint32_t	n;				/* times measured */
	double		variance;		/* of each cell of the mean */
	double	   *noisy;			/* counts, the last column fastest */
	double	   *share;			/* sums to 1 */
} pegs_triple;

typedef struct pegs_fitted
{
	uint32_t	ncols;
	uint32_t   *levels;
	double		rows;			/* noisy number of rows, >= 1 */
	double	  **share;			/* [ncols][levels], sums to 1 */
	uint32_t	npairs;
	pegs_pair  *pair;
	uint32_t	ntriples;
	pegs_triple *triple;
	uint16_t  **class_of;		/* [ncols][levels]: classes of the junction tree */
	pegs_jtree	tree;
	const uint32_t *rank;		/* [ncols] as in the layout; NULL: all columns are of one */
	uint32_t	nsiblings;
	pegs_pair  *sibling;		/* pairs of rows of one parent: of a column and a later one, or itself (a symmetric table) */
	bool		smooth;			/* its rows are smoothed: those of a model of 0.2.0 stay as they were */
	pegs_accountant accountant;
} pegs_fitted;

/* layout must be PEGS_PAIRS, with triples or without; cells are its exact counts, of rows, or of persons times account->rows_each. Spends the whole account. */
extern void pegs_engine_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant,
							const pegs_layout *layout, const uint64_t *cells, pegs_fitted *model);

/*
 * What someone else spends of the same account, after the rounds: `part` of
 * what it buys, told what the 1-ways said of the number of rows; then `spend`,
 * with the model as it is, in rows. What that leaves goes where all that is
 * left goes.
 */
typedef struct pegs_aside
{
	double		(*part) (void *to, const pegs_accountant *accountant, double rows);
	void		(*spend) (void *to, pegs_rng *rng, pegs_accountant *accountant, const pegs_fitted *so_far);
	void	   *to;
} pegs_aside;

/* aside: NULL, there is nobody. */
extern void pegs_engine_fit_aside(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout,
								  const uint64_t *cells, const pegs_aside *aside, pegs_fitted *model);

#endif							/* PEGS_ENGINE_H */
