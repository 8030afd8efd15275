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

#endif							/* PEGS_WEIGHTS_H */
