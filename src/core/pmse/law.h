/*
 * law.h
 *	  A chain of normal regressions over ordered columns: each on those before it.
 */
#ifndef PEGS_LAW_H
#define PEGS_LAW_H

#include "core/counts.h"

#define PEGS_LAW_COLUMNS 6
#define PEGS_LAW_CELLS (UINT64_C(1) << 20)	/* of the table of all columns */
#define PEGS_LAW_GRID 256	/* parameters are whole numbers of 1/256 */

/*
 * One column, on a scale on which its levels but NULL have equal parts of [0,
 * 1]: a normal law around mean + sum of slope[j] (x_j - 1/2), x_j the middle of
 * the level of an earlier column; what is beyond an end lies in the level at
 * that end. Where an earlier one is NULL its mean is taken. Here levels are
 * numbered as they come on the scale, and NULL is the last.
 */
typedef struct pegs_regressed
{
	int32_t		mean;			/* 0 .. 1 */
	int32_t		sd;				/* 1/256 .. 1 */
	int32_t		null;			/* 0 .. 255/256: how likely NULL is */
	int32_t		slope[PEGS_LAW_COLUMNS - 1];	/* -2 .. 2 */
} pegs_regressed;

typedef struct pegs_law
{
	uint32_t	ncols;			/* 1 .. PEGS_LAW_COLUMNS */
	uint32_t   *levels;
	bool		nullable[PEGS_LAW_COLUMNS];	/* is the last level NULL? */
	pegs_regressed of[PEGS_LAW_COLUMNS];
} pegs_law;

/* A law that says nothing: where every fit begins. Everything else is set. */
extern void pegs_law_begin(pegs_law *law);

/* What the law says of two columns, or of one: means and covariances of the scale, as if it had no ends. */
typedef struct pegs_moments
{
	double		mean[PEGS_LAW_COLUMNS];
	double		covariance[PEGS_LAW_COLUMNS][PEGS_LAW_COLUMNS];
} pegs_moments;

extern void pegs_law_moments(const pegs_law *law, pegs_moments *moments);

/* Shares of the levels of one column, share[levels]. */
extern void pegs_law_share(const pegs_law *law, const pegs_moments *moments, uint32_t column, double *share);

/*
 * Shares of the levels of column y, of rows with this level of column x < y,
 * share[levels of y]: exact for the first two columns, else as if earlier ones
 * were not in levels.
 */
extern void pegs_law_given(const pegs_law *law, const pegs_moments *moments, uint32_t x, uint32_t level, uint32_t y, double *share);

/* The table of all columns, share[product of levels] as pegs_joint_cell has them; they sum to 1. */
extern void pegs_law_joint(const pegs_env *env, const pegs_law *law, double *share);

/* Cells of that table; above PEGS_LAW_CELLS: one more. */
extern uint64_t pegs_law_cells(uint32_t ncols, const uint32_t *levels);

#endif							/* PEGS_LAW_H */
