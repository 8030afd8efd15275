/*
 * regression.h
 *	  Would a regression say the same of the synthetic rows?
 *
 * The same linear or logistic model is fitted to both tables and its
 * coefficients are compared. The algorithms, ridges and stopping rules are
 * those of the reference evaluator (docs/reference.md, Sources); a row costs
 * (terms + 1)^2, and no design matrix is formed. One difference: a number whose
 * mean is so large beside its spread that a ridge on the intercept would flatten its slope
 * (microseconds since 1970) has its ridge around the mean.
 *
 * Coefficient 0 is the intercept; then the terms in their order: one
 * coefficient for a numeric term, one for each of the levels 1 .. L-1 of a
 * categorical one (level 0 is the reference). A row in which a
 * number is NaN or infinite, or a categorical term or a logistic target is "not
 * declared", is left out, and counted.
 */
#ifndef PEGS_REGRESSION_H
#define PEGS_REGRESSION_H

#include "core/compare/coded.h"

typedef enum pegs_regression_kind
{
	PEGS_REGRESSION_LINEAR,		/* target: number[target] */
	PEGS_REGRESSION_LOGISTIC	/* target: is code[target] one of `positive`? */
} pegs_regression_kind;

typedef struct pegs_regression_term
{
	uint32_t	column;
	bool		numeric;		/* number[column]; else dummies of code[column] */
} pegs_regression_term;

typedef struct pegs_regression_spec
{
	pegs_regression_kind kind;
	uint32_t	target;			/* column */
	const bool *positive;		/* logistic: [levels[target]]; else NULL */
	uint32_t	nterms;			/* may be 0: the intercept alone */
	const pegs_regression_term *terms;
} pegs_regression_spec;

/* What a coefficient is of. */
typedef struct pegs_regression_name
{
	int32_t		term;			/* -1: the intercept; else an index of spec->terms */
	uint32_t	level;			/* of a dummy; 0: of a number or the intercept */
} pegs_regression_name;

/* One table's fit; arrays of `count` entries. */
typedef struct pegs_regression_fit
{
	uint64_t	rows;			/* used */
	uint64_t	left_out;
	double	   *coefficient;	/* NaN: no rows, or numbers too large to add up */
	double	   *error;			/* standard error; NaN where `held` or not `present` */
	bool	   *present;		/* some used row is not 0 there; else the coefficient is 0 */
	bool	   *held;			/* by the ridge more than by the rows: collinear terms, separable rows */
	uint32_t	rank;			/* coefficients that the rows determine; logistic: about */
	double		variance;		/* linear: RSS / (rows - rank), NaN when that is 0; logistic: 1 */
	uint32_t	steps;			/* of Newton; linear: 1 */
	bool		converged;
} pegs_regression_fit;

typedef struct pegs_regression_result
{
	uint32_t	count;			/* coefficients */
	pegs_regression_name *name; /* [count] */
	pegs_regression_fit original;
	pegs_regression_fit synthetic;
	double	   *distance;		/* [count] |(b_s - b_o) / b_o|; NaN where the original lacks the level */
	double	   *overlap;		/* [count] of the 95 % intervals (Karr et al. 2006); NaN where an error is */
	/* over the `used` coefficients, those that are present in the original */
	uint32_t	used;
	double		sum;			/* of distance: PeGS paper section 4.3 */
	double		median;
	double		utility;		/* exp(-||b_o - b_s||^2): Park's thesis section 2.4 */
	double		mean_overlap;	/* of the overlaps that are not NaN; NaN when there are none */
	uint32_t	overlaps;		/* how many they are */
} pegs_regression_result;

/*
 * PEGS_ERR_ARGUMENT: a column that is not there, numbers that were not asked
 * for (number[column] NULL), a logistic model without `positive`.
 * PEGS_ERR_MISMATCH: tables of different shape. PEGS_ERR_TOO_LARGE: more than
 * PEGS_MAX_TERMS coefficients. Empty tables, constant or collinear terms and
 * separable rows are PEGS_OK: see NaN, `present` and `held`.
 */
extern pegs_status pegs_regression_compare(const pegs_env *env, const pegs_coded *original, const pegs_coded *synthetic,
										   const pegs_regression_spec *spec, pegs_regression_result *result);

/*
 * Overlap of two intervals: the mean of the shares of each that lies in the
 * other; 1 when they are equal, below 0 by their distance when they are apart,
 * NaN when one has no length. Karr et al. 2006, The American Statistician 60(3).
 */
extern double pegs_interval_overlap(double original_low, double original_high,
									double synthetic_low, double synthetic_high);

#endif							/* PEGS_REGRESSION_H */
