/*
 * cells.h
 *	  Which cells of a noisy table have rows: those that stand out of the noise,
 *	  alone or together, and what is beside them.
 */
#ifndef PEGS_CELLS_H
#define PEGS_CELLS_H

#include "core/tail.h"

#define PEGS_RUNS 10			/* lengths of runs: 1, 2, 4, ... 512 cells */

/* What is looked at, and what noise alone would have. */
typedef struct pegs_cells
{
	const double *noisy;
	uint32_t	runs;			/* lengths of runs that may stand out */
	uint32_t	tails;			/* lengths of tails that are kept */
	double		least[PEGS_RUNS];	/* 2^i cells with more stand out together */
	double		maybe[PEGS_RUNS];	/* 2^i cells with more, beside what stands out, may have rows */
	double		perhaps;		/* so may one cell that is asked for by itself */
} pegs_cells;

/* Of n numbers, each with the mean noise of `draws` draws, 1 or 2; runs and tails of at most so many cells are looked at. */
extern void pegs_cells_open(const double *noisy, uint32_t n, const pegs_noise *noise, uint32_t draws, uint32_t run, uint32_t tail, pegs_cells *cells);

static inline bool
pegs_stands_out(const pegs_cells *cells, uint32_t cell)
{
	return cells->noisy[cell] > cells->least[0];
}

/* What stands out in [from, to): the first and the last of them. False: nothing does. */
extern bool pegs_cells_find(const pegs_cells *cells, uint32_t from, uint32_t to, uint32_t *first, uint32_t *last);

/* And on from there, over cells that may have rows. */
extern void pegs_cells_go_on(const pegs_cells *cells, uint32_t from, uint32_t to, uint32_t *first, uint32_t *last);

#endif							/* PEGS_CELLS_H */
