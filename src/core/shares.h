/*
 * shares.h
 *	  Shares of released numbers that a row is drawn by: as bytes, and as a line.
 */
#ifndef PEGS_SHARES_H
#define PEGS_SHARES_H

#include "core/cursor.h"

/* n shares as bytes: not negative, or all above 0 where it is so asked, and all together 1. */
extern void pegs_shares_walk(pegs_cursor *c, double **share, uint64_t n, bool positive);

/* [n + 1] what is before each: a line, on which each has its part. */
extern double *pegs_shares_line(const pegs_env *env, const double *share, uint32_t n);

#define PEGS_SHARES_NEAR 8		/* parts that are looked at one after the other */

/* Whose part of a line of n >= 1 a point of it is in, from part `low` on: of one that has something. */
static inline uint32_t
pegs_share_of_point(const double *line, uint32_t n, uint32_t low, double point)
{
	uint32_t	high = n - 1;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (line[middle + 1] > point)
			high = middle;
		else
			low = middle + 1;
	}
	/* rounding may have made the point the very end, where some that have nothing may lie */
	while (low > 0 && !(line[low + 1] > line[low]))
		low--;
	return low;
}

/* The same of a place from 0 to 1. */
static inline uint32_t
pegs_share_at(const double *line, uint32_t n, double place)
{
	return pegs_share_of_point(line, n, 0, place * line[n]);
}

/* The same of a point, where a part is known that is not behind it. */
static inline uint32_t
pegs_share_from(const double *line, uint32_t n, uint32_t part, double point)
{
	for (uint32_t end = n - part > PEGS_SHARES_NEAR ? part + PEGS_SHARES_NEAR : n; part < end; part++)
		if (line[part + 1] > point)
			return part;
	return pegs_share_of_point(line, n, part < n ? part : n - 1, point);
}

#endif							/* PEGS_SHARES_H */
