/*
 * normal.h
 *	  Quantiles of the normal distribution, the same to the bit on every machine.
 */
#ifndef PEGS_NORMAL_H
#define PEGS_NORMAL_H

#include "core/rng.h"

/* Of p, 0 < p < 1; as good as a double is. */
extern double pegs_normal_quantile(double p);

/* ln x of x > 0, the same everywhere. */
extern double pegs_natural_log(double x);

/* A standard normal number, of 64 bits of the stream. */
extern double pegs_normal_draw(pegs_rng *rng);

#endif							/* PEGS_NORMAL_H */
