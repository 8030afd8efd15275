/*
 * weights.h
 *	  Things that are drawn by public weights: these as whole numbers, and a draw
 *	  by them, which is the same on every machine.
 */
#ifndef PEGS_WEIGHTS_H
#define PEGS_WEIGHTS_H

#include "core/rng.h"

/* What each of n, 1 to 2^30, weighs: together at most UINT32_MAX. False: one is negative or not finite, or all are 0. */
extern bool pegs_whole_weights(const double *weight, uint32_t n, uint32_t *whole);

/* One of n: sum[i] is what those up to and with i weigh, sum[n - 1] >= 1. */
extern uint32_t pegs_draw_weighed(const uint32_t *sum, uint32_t n, pegs_rng *rng);

/*
 * The same without putting things back: a tree of sums, [n], of those that are
 * left. Begun, it gives what all of them weigh; one is taken away, or put back,
 * by what it weighs.
 */
extern uint32_t pegs_weighed_begin(uint32_t *tree, const uint32_t *weight, uint32_t n);
extern uint32_t pegs_weighed_draw(const uint32_t *tree, uint32_t n, uint32_t left, pegs_rng *rng);	/* left: what these weigh, at least 1 */
extern void pegs_weighed_take(uint32_t *tree, uint32_t n, uint32_t i, uint32_t weight);
extern void pegs_weighed_put(uint32_t *tree, uint32_t n, uint32_t i, uint32_t weight);

#endif							/* PEGS_WEIGHTS_H */
