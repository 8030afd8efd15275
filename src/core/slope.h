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
 * steepness[n]: the density at the part t of a bin, 0 <= t < 1, is proportional
 * to exp(steepness * t); 0 is flat.
 */
extern void pegs_slopes(uint32_t n, const pegs_slope_bin *bin, double *steepness);

/* The part of a bin, in [0, 1), below which u of its values lie, u in [0, 1). */
extern double pegs_slope_part(double steepness, double u);

#endif							/* PEGS_SLOPE_H */
