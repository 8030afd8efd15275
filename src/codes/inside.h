/*
 * inside.h
 *	  The values inside the bins of a column: what step.c, numbered.c and inside.c share.
 */
#ifndef PEGS_INSIDE_H
#define PEGS_INSIDE_H

#include "codes/codes.h"
#include "core/slope.h"

/* ---- step.c: a step as a number ---- */

typedef struct PegsStep
{
	int64		units;			/* of 10^-digits; microseconds */
	int			digits;
} PegsStep;

extern bool pegs_read_step(const PegsColumn *column, PegsStep *step);	/* false: not as pegs_canonical_step writes it */

/* ---- numbered.c: which values there are ---- */

typedef struct PegsBin
{
	int64		low;			/* first number */
	uint64		count;			/* of them, without the points; 0 means 2^64 */
	float8		from;			/* floats: [from, to) */
	float8		to;
	int			first_point;	/* in point or gap */
	int			npoints;
	pegs_slope	slope;
} PegsBin;

struct PegsInside
{
	const PegsColumn *column;
	PegsBin    *bin;
	bool		dense;			/* floats without a step */

	/* value = origin + number * unit; of a numeric and a float with a step over 10^scale */
	int64		origin;
	int64		unit;
	int			scale;
	float8		power;			/* 10^scale */

	/* edges of numerics may have more digits than the values: number = (edge - origin) / edge_unit */
	int64		edge_unit;
	int			edge_scale;

	int			npoints;
	int64	   *point;			/* numbers of the points that could be drawn, in order */
	float8	   *gap;			/* the points in order, of floats that are dense */
};

extern void pegs_number_values(PegsInside *inside, const PegsStep *step, const Datum *points);

static inline bool
pegs_is_float(Oid base)
{
	return base == FLOAT4OID || base == FLOAT8OID;
}

/* Of a float with a step: the double nearest to number * step. */
static inline float8
pegs_float_of(const PegsInside *inside, int64 number)
{
	float8		value = (float8) (number * inside->unit) / inside->power;

	return inside->column->type == FLOAT4OID ? (float4) value : value;
}

extern float8 pegs_float_after(const PegsInside *inside, float8 x);
extern bool pegs_is_gap(const PegsInside *inside, const PegsBin *bin, float8 x);	/* a point, of floats that are dense */

#endif							/* PEGS_INSIDE_H */
