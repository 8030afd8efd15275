/*
 * numbers.h
 *	  A numeric column of both tables: mean, median, spread, zeros, and where the difference of the means comes from.
 *
 * A value that is NaN (NULL) or infinite is left out.
 */
#ifndef PEGS_NUMBERS_H
#define PEGS_NUMBERS_H

#include "core/compare/coded.h"

/* One table's; NaN where too few values are there, or they are too large to add up. */
typedef struct pegs_number_summary
{
	uint64_t	n;				/* values */
	double		mean;
	double		median;			/* the middle, or halfway between the two in the middle */
	double		sd;				/* over n - 1 */
	double		zeros;			/* share of values that are 0 */
} pegs_number_summary;

typedef struct pegs_numbers
{
	pegs_number_summary original;
	pegs_number_summary synthetic;

	/*
	 * The difference of the means is the sum of these two, over all levels b
	 * with shares p_b, q_b and means m_b, s_b (original, synthetic), m the
	 * original's mean:
	 *
	 *	inside	q_b (s_b - m_b)		values are other ones inside their bins
	 *	shares	(q_b - p_b) (m_b - m)	bins have too many rows, or too few
	 *
	 * Where the original has no value of b, all of q_b (s_b - m) is of the
	 * shares. NaN, as `worst` is 0, where a mean is.
	 */
	double		inside;
	double		shares;
	uint32_t	worst;			/* the level with the most of whichever of both is larger */
} pegs_numbers;

/* PEGS_ERR_MISMATCH: tables of different shape. PEGS_ERR_ARGUMENT: no such column, or its numbers were not asked for. */
extern pegs_status pegs_compare_numbers(const pegs_env *env, const pegs_coded *original, const pegs_coded *synthetic,
										uint32_t column, pegs_numbers *numbers);

#endif							/* PEGS_NUMBERS_H */
