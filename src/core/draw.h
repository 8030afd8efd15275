/*
 * draw.h
 *	  Independent rows from a fitted forest, exactly, and exactly given any
 *	  combination of levels.
 *
 * Post-processing of released numbers: floating point and any key.
 */
#ifndef PEGS_DRAW_H
#define PEGS_DRAW_H

#include "forest.h"

/* Walker's alias tables: k distributions over n outcomes, one 64-bit draw each. */
typedef struct pegs_alias
{
	uint32_t	n;
	uint32_t   *keep;			/* [k * n] of 2^32 */
	uint16_t   *other;			/* [k * n] */
} pegs_alias;

typedef struct pegs_draw_step
{
	uint32_t	column;
	int32_t		parent;			/* column, or -1 */
	const uint16_t *class_of;	/* of the parent's levels in this pair */
	pegs_alias	alias;			/* a distribution per class of the parent */
} pegs_draw_step;

typedef struct pegs_draw
{
	uint32_t	ncols;
	pegs_draw_step *step;		/* parents before children */
} pegs_draw;

/*
 * given[column] = code, or -1; NULL for none. PEGS_ERR_RANGE: the given
 * combination has probability zero. Cost: one pass over the tables.
 */
extern pegs_status pegs_draw_init(const pegs_env *env, const pegs_forest *forest,
								  const int32_t *given, pegs_draw *draw);

/* One row; exactly ncols 64-bit draws. */
static inline void
pegs_draw_row(const pegs_draw *draw, pegs_rng *rng, uint16_t *row)
{
	for (uint32_t i = 0; i < draw->ncols; i++)
	{
		const pegs_draw_step *step = &draw->step[i];
		uint32_t	n = step->alias.n;
		uint64_t	u = pegs_rng_u64(rng);
		size_t		at = ((u >> 32) * n) >> 32;

		if (step->parent >= 0)
			at += (size_t) step->class_of[row[step->parent]] * n;
		row[step->column] = (uint32_t) u < step->alias.keep[at]
			? (uint16_t) (((u >> 32) * n) >> 32) : step->alias.other[at];
	}
}

#endif							/* PEGS_DRAW_H */
