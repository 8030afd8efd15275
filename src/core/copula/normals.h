/*
 * normals.h
 *	  Normals that go together, of several rows at once.
 */
#ifndef PEGS_NORMALS_H
#define PEGS_NORMALS_H

#include "core/copula/normal.h"

#define PEGS_NORMALS_AT_ONCE 8	/* rows */

/*
 * Those that go with others come first, in their order, and then those that
 * go with none; what goes with none, and nobody looks at, is not there. Rows lie
 * side by side: of row r what has place p is at p * PEGS_NORMALS_AT_ONCE + r.
 */
typedef struct pegs_normals
{
	const double *factor;		/* of those that go with others: packed lower triangle (correlation.h), rows of length 1 */
	const pegs_normal_table *table;
	uint32_t	together;		/* that go with others */
	uint32_t	n;				/* that are there */
	uint32_t   *normal;			/* [n] at each place */
	uint32_t   *place;			/* of each normal of the factor; n: it is not there */
	double	   *independent;	/* [n * PEGS_NORMALS_AT_ONCE] */
	double	   *mixed;			/* [n * PEGS_NORMALS_AT_ONCE] what they make */
} pegs_normals;

/* Of so many normals in the factor; table NULL: it is made. is_needed[]: what is looked at; NULL: all. */
extern void pegs_normals_open(const pegs_env *env, uint32_t normals, const double *factor, const pegs_normal_table *table,
							  const bool *is_needed, pegs_normals *made);

/* Independent ones of a row. */
extern void pegs_normals_draw(pegs_normals *normals, pegs_rng *rng, uint32_t row);

/*
 * Normal i of the row becomes z, and all others what they then are. With e for the
 * independent ones and a row l of the factor, of length 1: e + l (z - l e) has
 * the law of e where l e is z.
 */
extern void pegs_normals_hold(pegs_normals *normals, uint32_t row, uint32_t i, double z);

/*
 * All rows: each normal is a sum in the order of the independent ones, so that
 * it is the same to the bit everywhere; by wide vectors where the machine has them if wide.
 */
extern void pegs_normals_mix(pegs_normals *normals, bool wide);

/* Normal i of all rows; NULL: it is not there. */
static inline const double *
pegs_normals_at(const pegs_normals *normals, uint32_t i)
{
	return normals->place[i] < normals->n ? &normals->mixed[(size_t) normals->place[i] * PEGS_NORMALS_AT_ONCE] : NULL;
}

#endif							/* PEGS_NORMALS_H */
