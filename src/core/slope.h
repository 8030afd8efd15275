/*
 * slope.h
 *	  The density inside the bins of one column, from their shares alone.
 */
#ifndef PEGS_SLOPE_H
#define PEGS_SLOPE_H

#include "core/core.h"

typedef struct pegs_slope_bin
{
	double		width;
	double		size;			/* of what may be drawn of it: the width, or less */
	double		share;			/* of all values, >= 0 */
} pegs_slope_bin;

/*
 * The density at the part t of a bin, 0 <= t < 1, is proportional to
 * exp(steepness * t); 0 is flat.
 */
typedef struct pegs_slope
{
	double		steepness;
	double		expm1;			/* exp(-|steepness|) - 1 */
} pegs_slope;

extern pegs_slope pegs_slope_of(double steepness);
extern void pegs_slopes(uint32_t n, const pegs_slope_bin *bin, pegs_slope *slope);	/* slope[n] */

/* The part of a bin, in [0, 1), below which u of its values lie, u in [0, 1). */
extern double pegs_slope_part(const pegs_slope *slope, double u);

#endif							/* PEGS_SLOPE_H */
