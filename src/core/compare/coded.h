/*
 * coded.h
 *	  Rows as codes: what every measure reads.
 *
 * src/core/compare compares an original table with a synthetic one. It is as pure
 * as src/core (no PostgreSQL, memory from the caller's pegs_env, a status for
 * an answer), but it sees exact rows and adds no noise: what it says is not
 * private, is for the curator alone, and is never stored. Floating point is
 * fine here.
 */
#ifndef PEGS_CODED_H
#define PEGS_CODED_H

#include "core/core.h"

typedef struct pegs_coded
{
	uint32_t	ncols;
	uint64_t	nrows;
	const uint32_t *levels;		/* [ncols] declared levels, NULL's included; code levels[c] is "not declared" */
	uint16_t  **code;			/* [ncols][nrows] */
	double	  **number;			/* [ncols][nrows] values of a numeric column, NaN for NULL; number[c] NULL: not asked for */
} pegs_coded;

/* Codes that a column of either table may have: its levels and "not declared". */
static inline uint32_t
pegs_coded_size(const pegs_coded *table, uint32_t column)
{
	return table->levels[column] + 1;
}

#endif							/* PEGS_CODED_H */
