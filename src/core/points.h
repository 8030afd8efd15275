/*
 * points.h
 *	  Apportioned draws: n points at equal distances on a line of shares
 *	  (shares.h) that ends where it begins, from a random one on, so that each
 *	  has its share of the n but for less than one. In batches, each of every
 *	  so manieth point, and in a random order.
 */
#ifndef PEGS_POINTS_H
#define PEGS_POINTS_H

#include "core/rng.h"

typedef struct pegs_points
{
	uint64_t	n;
	double		first;			/* points first, first + 1, ... n - 1 + first, on a line of n */
	uint64_t	batches;
	uint64_t	batch;			/* that comes next */
} pegs_points;

extern void pegs_points_start(pegs_points *points, uint64_t n, pegs_rng *rng);

/* To a batch that is not the next one. */
static inline void
pegs_points_seek(pegs_points *points, uint64_t batch)
{
	points->batch = batch;
}

/* How many the next batch has. */
extern uint32_t pegs_points_left(const pegs_points *points);

/* The next batch: picked[], whose part of the line each is in. */
extern void pegs_points_pick(pegs_points *points, const pegs_env *env, pegs_rng *rng, const double *line, uint32_t parts, uint32_t *picked);

#endif							/* PEGS_POINTS_H */
