/*
 * zeros.h
 *	  Structural zeros: combinations of levels that no row may have.
 *
 * Public facts. A zero names up to three columns and, for each, the levels
 * that may not come together. Small and inline: it is asked for every level of
 * every cell that is visited.
 */
#ifndef PEGS_ZEROS_H
#define PEGS_ZEROS_H

#include "core/core.h"

#define PEGS_ZERO_COLUMNS 3

typedef struct pegs_zero
{
	uint32_t	n;				/* columns, 1..3 */
	uint32_t	column[PEGS_ZERO_COLUMNS];
	bool	   *level[PEGS_ZERO_COLUMNS];	/* [levels of the column] */
} pegs_zero;

typedef struct pegs_zeros
{
	uint32_t	n;
	const pegs_zero *zero;
} pegs_zeros;

/* Is the row one of them? */
static inline bool
pegs_is_zero(const pegs_zeros *zeros, const uint16_t *row)
{
	for (uint32_t r = 0; r < zeros->n; r++)
	{
		const pegs_zero *zero = &zeros->zero[r];
		uint32_t	hit = 0;

		while (hit < zero->n && zero->level[hit][row[zero->column[hit]]])
			hit++;
		if (hit == zero->n)
			return true;
	}
	return false;
}

/* Would it, with this level in this column? Zeros without the column are not looked at. */
static inline bool
pegs_would_be_zero(const pegs_zeros *zeros, const uint16_t *row, uint32_t column, uint32_t level)
{
	for (uint32_t r = 0; r < zeros->n; r++)
	{
		const pegs_zero *zero = &zeros->zero[r];
		uint32_t	hit = 0;
		bool		mentioned = false;

		while (hit < zero->n)
		{
			bool		own = zero->column[hit] == column;

			mentioned |= own;
			if (!zero->level[hit][own ? level : row[zero->column[hit]]])
				break;
			hit++;
		}
		if (hit == zero->n && mentioned)
			return true;
	}
	return false;
}

#endif							/* PEGS_ZEROS_H */
