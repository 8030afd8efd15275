/*
 * closer.h
 *	  A second look at a column: the cells of the first one again, but those with
 *	  rows in pieces.
 */
#ifndef PEGS_CLOSER_H
#define PEGS_CLOSER_H

#include "core/cells.h"

/* number 10^power: as a person would write it. Of a calendar, number thirds of a month. */
typedef struct pegs_edge
{
	int64_t		number;
	int			power;
} pegs_edge;

/* What is looked at: cell i is [edge[i], edge[i + 1]). Public, or made of what is. */
typedef struct pegs_grid
{
	uint32_t	cells;
	const double *edge;			/* [cells + 1], rising */
	uint32_t	zero;			/* the cell of zero alone; cells: there is none */
	bool		calendar;		/* edges are thirds of a month; else numbers */
	int			places;			/* numbers: digits that an edge may have after the point; negative: zeros before it */
	int			digits;			/* numbers: that it may have in all; 0: any */

	/* of a second look */
	const int32_t *own;			/* [cells + 1]: which edge of the first grid it is; -1: it is ... */
	const pegs_edge *between;	/* [cells + 1]: ... this one; NULL: a first look */
} pegs_grid;

/* A value that is a level of its own. */
typedef struct pegs_heavy
{
	pegs_edge	edge;
	double		value;
	double		rows;			/* noisy */
} pegs_heavy;

typedef struct pegs_closer
{
	pegs_grid	grid;
	const uint32_t *first;		/* [cells of the first grid + 1]: where the pieces of its cells begin */
	double		unit;			/* pieces are single values, multiples of it; 0: they are longer */
	uint32_t	nheavy;
	pegs_heavy *heavy;			/* rising */
} pegs_closer;

/*
 * The cells of a grid, those that are kept in pieces of one width. About so many
 * rows are in them, and each piece will have noise of this standard deviation.
 */
extern void pegs_closer_grid(const pegs_env *env, const pegs_grid *grid, const bool *kept, double rows, double sd, pegs_closer *closer);

/*
 * Of the pieces of cells `from` to `last`, which are kept: where what has rows
 * begins and ends, if what is outside of it may count in the nearest bin; else as
 * it was.
 */
extern void pegs_closer_ends(const pegs_closer *closer, const pegs_cells *pieces, uint32_t from, uint32_t last, double rows, double sd,
							 double *low, double *high);

/* The single values that are heavy. */
extern void pegs_closer_heavy(const pegs_env *env, const pegs_cells *pieces, const bool *kept, double rows, pegs_closer *closer);

#endif							/* PEGS_CLOSER_H */
