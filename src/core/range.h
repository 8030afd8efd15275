/*
 * range.h
 *	  Where the numbers of a column lie: edges of bins, learnt from noisy tables
 *	  over cells, the first of which are the same for every column of a type.
 */
#ifndef PEGS_RANGE_H
#define PEGS_RANGE_H

#include "core/closer.h"

/* Calendars count in thirds of a month, which begin on the 1st, the 11th and the 21st: 36 a year, from year 0 on. */
#define PEGS_YEAR 36

typedef struct pegs_range
{
	bool		found;			/* false: no cell stands out of the noise */
	uint32_t	nedges;
	pegs_edge  *edge;			/* rising */
	bool		zero_alone;		/* nothing else stands out */
	bool		zero_is_point;	/* so many rows are zero that it should be a level of its own */
	uint32_t	npoints;
	pegs_edge  *point;			/* rising; other values that should be */
} pegs_range;

/* The rows in each cell of a grid: exact, so it is called by pegs_range_learn alone, and what it fills in goes to pegs_look_at alone. */
typedef void (*pegs_count_cells) (void *context, const pegs_grid *grid, int64_t *exact);

/*
 * Claim P16. Spends `cost` of the accountant on two looks, the first one at
 * `grid`, then makes edges of the answers alone, about `bins` of them. False:
 * nothing could be bought.
 */
extern bool pegs_range_learn(const pegs_env *env, pegs_accountant *accountant, pegs_rng *rng, double cost, const pegs_grid *grid,
							 pegs_count_cells count, void *context, uint32_t bins, pegs_range *range);

/* What follows from numbers of the cells alone, each with the noise of one draw. */
extern void pegs_range_find(const pegs_env *env, const pegs_grid *grid, const double *noisy, const pegs_noise *noise, uint32_t bins,
							pegs_range *range);

#endif							/* PEGS_RANGE_H */
