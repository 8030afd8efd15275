/*
 * orthant.h
 *	  How often two normals of correlation r are both above a cut, and at which r they are.
 */
#ifndef PEGS_ORTHANT_H
#define PEGS_ORTHANT_H

#include "core/core.h"

#define PEGS_ORTHANT_MOST 0.9999	/* a correlation that is found: at most, in absolute value */

/* P[z > a, z' > b], where P[z > a] = p, P[z' > b] = q, 0 < p, q < 1, and r is at most PEGS_ORTHANT_MOST in absolute value. */
extern double pegs_orthant(double p, double q, double r);

/* The correlation at which that is `both`; the nearest one that may be found, where there is none. */
extern double pegs_orthant_solve(double p, double q, double both);

#endif							/* PEGS_ORTHANT_H */
