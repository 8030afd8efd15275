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

#define PEGS_NORMAL_OCTAVES 9	/* from 2^-10 to a half */
#define PEGS_NORMAL_CELLS 32	/* of an octave */

/* Quantiles below a half: in each cell a polynomial of the third degree, of the distance from where the cell begins. */
typedef struct pegs_normal_table
{
	double		power[PEGS_NORMAL_OCTAVES * PEGS_NORMAL_CELLS][4];
} pegs_normal_table;

extern void pegs_normal_table_make(pegs_normal_table *table);

/* The same number, but for less than 10^-8 of it, several times as fast. */
extern double pegs_normal_of_table(const pegs_normal_table *table, pegs_rng *rng);

#endif							/* PEGS_NORMAL_H */
