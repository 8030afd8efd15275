/*
 * forest.h
 *	  The fit-once engine, first stage: noisy 1-ways, a private forest of
 *	  pairs, noisy pairs on noise-sized grids, one consistent estimate.
 *
 * After engine-g2 steps A, B, C, E. Every look at the counts is in account.c;
 * everything else here reads released numbers. Neighbours: add or remove one
 * row. The columns are joined by the chosen pairs into a forest, so rows can
 * be drawn exactly by ancestral sampling (draw.h).
 */
#ifndef PEGS_FOREST_H
#define PEGS_FOREST_H

#include "account.h"
#include "counts.h"

/* A measured pair of columns a < b on ka x kb classes of their levels. */
typedef struct pegs_pair
{
	uint32_t	a;
	uint32_t	b;
	uint32_t	ka;
	uint32_t	kb;
	uint16_t   *class_a;		/* [levels of a], contiguous classes */
	uint16_t   *class_b;		/* [levels of b] */
	double		variance;		/* of each noisy cell */
	double	   *noisy;			/* [ka * kb] counts */
	double	   *share;			/* [ka * kb] estimate, sums to 1 */
} pegs_pair;

typedef struct pegs_forest
{
	uint32_t	ncols;
	uint32_t   *levels;
	double		rows;			/* noisy number of rows, >= 1 */
	double	  **share;			/* [ncols][levels] estimate, sums to 1 */
	uint32_t	npairs;			/* at most ncols - 1 */
	pegs_pair  *pair;
	pegs_account account;
} pegs_forest;

/* layout must be PEGS_PAIRS; cells are its exact counts. Spends the whole account. */
extern void pegs_forest_fit(const pegs_env *env, pegs_rng *rng, const pegs_account *account,
							const pegs_layout *layout, const uint64_t *cells, pegs_forest *forest);

#endif							/* PEGS_FOREST_H */
