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
	pegs_jtree	tree;			/* given what is given */
} pegs_draw;

/*
 * given[column] = code, or -1; NULL for none. PEGS_ERR_RANGE: the given
 * combination has probability zero. Cost: a few passes over the tree.
 */
extern pegs_status pegs_draw_init(const pegs_env *env, const pegs_fitted *model,
								  const int32_t *given, pegs_draw *draw);

/* share[level] of a column, given what is given. */
extern void pegs_draw_shares(const pegs_env *env, const pegs_draw *draw, uint32_t column, double *share);

/* One independent row. */
extern void pegs_draw_row(const pegs_draw *draw, pegs_rng *rng, uint16_t *row);

/*
 * n rows whose counts follow the tree to within a row for every key: each
 * column is split over the rows of equal key by systematic rounding (step F).
 * Over many keys the errors add up; the adjustment takes them back.
 * codes[column][row].
 */
extern void pegs_draw_batch(const pegs_env *env, const pegs_draw *draw, pegs_rng *rng, uint32_t n, uint16_t **codes);

/* ---- what the two files that draw share ---- */

/* The last of columns[n] given the others, by a clique that has them all; and a column's level given its class. */
extern void pegs_draw_build_step(const pegs_env *env, const pegs_jtree *tree, const pegs_clique *c, uint32_t n, const uint32_t *columns,
								 pegs_draw_step *step);
extern void pegs_draw_build_level(const pegs_env *env, const pegs_fitted *model, uint32_t column, pegs_draw_level *level);

typedef struct pegs_batch
{
	const pegs_env *env;
	pegs_rng   *rng;
	uint32_t	n;
	uint32_t   *key;			/* [n] */
	uint32_t   *order;			/* [n] */
	uint32_t   *shuffled;		/* [n] */
	uint32_t   *first;			/* [keys + 1] */
} pegs_batch;

/* Room for n rows, of at most `widest` keys. */
extern void pegs_batch_init(const pegs_env *env, pegs_batch *b, pegs_rng *rng, uint32_t n, uint32_t widest);

/* Rows sorted by key, in random order where keys are equal. */
extern void pegs_batch_sort(pegs_batch *b, uint32_t keys);

/* The rows of one key over p[n]: one uniform offset, equal steps. */
extern void pegs_batch_apportion(pegs_batch *b, uint32_t key, uint32_t n, const double *p, uint32_t from, uint16_t *out);

/* ---- ranked.c: rows of which some columns are known ---- */

/*
 * Steps of a model with ranks, columns of low ranks first: with all columns
 * below a rank known, those from there on have the tree's distribution given
 * them. PEGS_ERR_FORMAT: the cliques are of no elimination by rank. Claim P36.
 */
extern pegs_status pegs_draw_ranked(const pegs_env *env, const pegs_fitted *model, pegs_draw *draw);

/* Are the cliques of such an elimination? */
extern bool pegs_ranks_hold(const pegs_env *env, const pegs_fitted *model);

/*
 * As pegs_draw_batch, of such steps: codes of columns below `rank` are known,
 * those of the others that are wanted are drawn (NULL: all), and a wanted one
 * needs no other that is not: pegs_draw_needs adds them. absence: [ncols], or
 * NULL. Of what the tree holds for impossible the column's own shares decide.
 */
extern void pegs_draw_batch_from(const pegs_env *env, const pegs_draw *draw, pegs_rng *rng, uint32_t rank, const bool *wanted,
								 const pegs_absence *absence, uint32_t n, uint16_t **codes);
extern void pegs_draw_needs(const pegs_draw *draw, const pegs_absence *absence, bool *wanted);

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
