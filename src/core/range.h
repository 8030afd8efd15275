/*
 * range.h
 *	  Where the numbers of a column lie: edges of bins, learnt from one noisy
 *	  table over cells that are the same for every column of a type.
 */
#ifndef PEGS_RANGE_H
#define PEGS_RANGE_H

#include "core/accountant.h"

/* Calendars count in thirds of a month, which begin on the 1st, the 11th and the 21st: 36 a year, from year 0 on. */
#define PEGS_YEAR 36

/* What is looked at: cell i is [edge[i], edge[i + 1]). Public. */
typedef struct pegs_grid
{
	uint32_t	cells;
	const double *edge;			/* [cells + 1], rising */
	uint32_t	zero;			/* the cell of zero alone; cells: there is none */
	bool		calendar;		/* edges are thirds of a month; else numbers */
	int			places;			/* numbers: digits that an edge may have after the point; negative: zeros before it */
	int			digits;			/* numbers: that it may have in all; 0: any */
} pegs_grid;

/* number 10^power: as a person would write it. Of a calendar, number thirds of a month. */
typedef struct pegs_edge
{
	int64_t		number;
	int			power;
} pegs_edge;

typedef struct pegs_range
{
	bool		found;			/* false: no cell stands out of the noise */
	uint32_t	nedges;
	pegs_edge  *edge;			/* rising */
	bool		zero_is_point;	/* so many rows are zero that it should be a level of its own */
	bool		zero_alone;		/* nothing but zero stands out */
} pegs_range;

/*
 * Claim P16. Spends `cost` of the accountant on one look at the table `exact`,
 * then makes edges of the answer alone, about `bins` of them. False: nothing
 * could be bought.
 */
extern bool pegs_range_learn(const pegs_env *env, pegs_accountant *accountant, pegs_rng *rng, double cost, const pegs_grid *grid,
							 const int64_t *exact, uint32_t bins, pegs_range *range);

/* Its second half: numbers of the cells, and the noise that they have. */
extern void pegs_range_find(const pegs_env *env, const pegs_grid *grid, const double *noisy, const pegs_noise *noise, uint32_t bins,
							pegs_range *range);

#endif							/* PEGS_RANGE_H */
