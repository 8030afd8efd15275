/*
 * cudia.h
 *	  CUDIA: everybody is of one of a few classes, and a value is that of the class.
 */
#ifndef PEGS_CUDIA_H
#define PEGS_CUDIA_H

#include "core/disaggregate/averages.h"

#define PEGS_CUDIA_CLASSES 64	/* the largest number */

/* classes: at least 2, at most the groups of the first level. PEGS_ERR_RANGE: no eigenvalues. */
extern pegs_status pegs_spread_cudia(const pegs_env *env, const pegs_individuals *all, uint32_t classes, double *y);

#endif							/* PEGS_CUDIA_H */
