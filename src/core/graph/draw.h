/*
 * draw.h
 *	  Rows from a fitted model: independent ones, exactly, given any
 *	  combination of levels; or a batch of apportioned ones.
 *
 * Post-processing of released numbers: floating point and any key.
 */
#ifndef PEGS_DRAW_H
#define PEGS_DRAW_H

#include "core/graph/engine.h"
#include "core/zeros.h"

/* Walker's alias tables: distributions over n outcomes, one 64-bit draw each. */
typedef struct pegs_alias
{
	uint32_t	n;
	uint32_t   *keep;			/* [k * n] of 2^32 */
	uint16_t   *other;			/* [k * n] */
} pegs_alias;

/* A column's class given classes of columns before it. */
typedef struct pegs_draw_step
{
	uint32_t	column;
	uint32_t	ngiven;
	uint32_t   *given;			/* columns */
	uint32_t   *stride;			/* of their classes in the key */
	uint32_t	keys;
	const double *table;		/* [keys][classes], not normalised */
	pegs_alias	alias;			/* one distribution a key */
} pegs_draw_step;

/* A column's level given its class. */
typedef struct pegs_draw_level
{
	uint32_t	classes;
	uint32_t   *start;			/* [classes + 1] levels of a class are contiguous */
	const double *share;		/* [levels] */
	uint32_t   *keep;			/* [levels] alias inside the class */
	uint16_t   *other;			/* [levels] */
	int32_t		fixed;			/* the level that is given, or -1 */
} pegs_draw_level;

typedef struct pegs_draw
{
	uint32_t	ncols;
	const pegs_fitted *model;
	pegs_draw_step *step;		/* [ncols] */
	pegs_draw_level *level;		/* [ncols] by column */
	uint16_t   *class;			/* [ncols] scratch of one row */
} pegs_draw;

/*
 * given[column] = code, or -1; NULL for none. PEGS_ERR_RANGE: the given
 * combination has probability zero. Cost: a few passes over the tree.
 */
extern pegs_status pegs_draw_init(const pegs_env *env, const pegs_fitted *model,
								  const int32_t *given, pegs_draw *draw);

/* One independent row. */
extern void pegs_draw_row(const pegs_draw *draw, pegs_rng *rng, uint16_t *row);

/*
 * n rows whose counts follow the tree to within a row for every key: each
 * column is split over the rows of equal key by systematic rounding (step F).
 * Over many keys the errors add up; the adjustment takes them back.
 * codes[column][row].
 */
extern void pegs_draw_batch(const pegs_env *env, const pegs_draw *draw, pegs_rng *rng, uint32_t n, uint16_t **codes);

/* Draws a row that is a zero again, independently, until it is possible; false after `tries`. */
extern bool pegs_draw_possible(const pegs_draw *draw, const pegs_zeros *zeros, pegs_rng *rng, uint32_t tries, uint16_t *row);

/* ---- adjust.c: a batch, brought closer to what was measured ---- */

/*
 * Changes single values of single rows where that brings the batch closer to
 * all measured pairs, those outside the tree too, and to what the tree expects
 * of the others (step G); of a model of an older version as that did it.
 */
extern void pegs_adjust_batch(const pegs_env *env, const pegs_fitted *model, const pegs_zeros *zeros,
							  pegs_rng *rng, uint32_t n, uint16_t **codes);

#endif							/* PEGS_DRAW_H */
