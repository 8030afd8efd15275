/*
 * ludia.h
 *	  LUDIA: columns and values together are of low rank, and the averages are those of the values.
 */
#ifndef PEGS_LUDIA_H
#define PEGS_LUDIA_H

#include "core/disaggregate/averages.h"

#define PEGS_LUDIA_RANK 64		/* the largest that is taken */

typedef struct pegs_ludia
{
	uint32_t	rounds;			/* at most; then how many it took. 0: 200 */
	double		tolerance;		/* it ends when the objective falls by less than this part of itself */
	double	   *objective;		/* [rounds] after each; or NULL */
	uint32_t	rank;			/* answered: of the columns and one of ones */
} pegs_ludia;

/* PEGS_ERR_TOO_LARGE: the rank is larger. PEGS_ERR_RANGE: no eigenvalues. */
extern pegs_status pegs_spread_ludia(const pegs_env *env, const pegs_individuals *all, pegs_ludia *ludia, double *y);

#endif							/* PEGS_LUDIA_H */
