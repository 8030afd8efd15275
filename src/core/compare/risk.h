/*
 * risk.h
 *	  What a synthetic table gives away of its original.
 *
 * An intruder knows the keys of a person (quasi-identifiers), has the synthetic
 * table, and wants to know the person's target. Group q: the rows that agree on
 * the keys; d_q, s_q rows of it in the original and the synthetic table, d_tq,
 * s_tq those with target t. Percentages are of 0 .. 100, shares of 0 .. 1.
 */
#ifndef PEGS_RISK_H
#define PEGS_RISK_H

#include "core/compare/coded.h"

#define PEGS_NO_COLUMN UINT32_MAX

/* Rows that are alone with their values. */
typedef struct pegs_uniqueness
{
	double		original;		/* UiO: % of original rows that are unique there */
	double		synthetic;		/* UiS: % of synthetic rows that are unique there */
	double		replicated;		/* repU: unique in both, % of the original's rows */
} pegs_uniqueness;

typedef struct pegs_risk
{
	pegs_uniqueness on_keys;
	pegs_uniqueness on_all;		/* on all columns */
	double		exact_match;	/* % of synthetic rows that equal some original row */
	double		unique_matched; /* % of the original's unique rows that the synthetic table has; 0 if there is none */

	/* attribute disclosure, Raab, Nowok and Dibben 2024 (synthpop's disclosure()); % of rows */
	double		d_orig;			/* original rows in groups of one target */
	double		d_syn;			/* synthetic rows in groups of one target */
	double		i_s;			/* original rows whose keys the synthetic table has */
	double		di_s;			/* ... where it has one target for them */
	double		disco;			/* ... and that is the right one */
	double		disdio;			/* ... and the original, too, has one target for them */

	/* the papers' intruder guesses the most frequent target of a group (PeGS paper section 4.4); shares of original rows */
	double		misclassified;	/* no such group: the overall mode */
	double		matched;
	double		misclassified_matched;	/* among the matched; NaN if there is none */
	double		misclassified_own;	/* the same attack with the original itself */
	double		misclassified_mode; /* guessing the original's mode */
	double		cap;			/* correct attribution probability: mean of s_tq / s_q over the matched; NaN if none */

	/* the mean of a number in a group; mean absolute errors over original rows; NaN without numbers */
	double		error;			/* no such group: the overall mean */
	double		error_matched;
	double		error_own;
} pegs_risk;

/*
 * `target`: column, or PEGS_NO_COLUMN for uniqueness alone (all else is NaN).
 * Its numbers are used if both tables have them. An empty table: NaN.
 * PEGS_ERR_MISMATCH: tables of different shape, a column that is not there.
 */
extern pegs_status pegs_risk_of(const pegs_env *env, const pegs_coded *original, const pegs_coded *synthetic,
								const uint32_t *keys, uint32_t nkeys, uint32_t target, pegs_risk *risk);

#endif							/* PEGS_RISK_H */
