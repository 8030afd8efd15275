/*
 * ratio.h
 *	  Likelihood ratios of outputs that are enumerated, as whole numbers: is one
 *	  above what it may be?
 *
 * An output's probability is a product of a sampler's own integer weights over
 * their sums. Ratios near the bound are compared with it without rounding.
 */
#ifndef PEGS_RATIO_H
#define PEGS_RATIO_H

#include "core/core.h"

#define PEGS_MOST_PATHS (UINT64_C(1) << 24)
#define PEGS_VERIFY_VISITS 64	/* draws of an output, at most */

typedef struct pegs_verdict
{
	uint64_t	neighbours;
	uint64_t	paths;			/* outputs enumerated, over all neighbours and seeds */
	double		worst;			/* largest |ln of a likelihood ratio| found */
	double		bound;			/* power * ln(above/below): what an output may cost */
	bool		holds;			/* no ratio is above the bound, exactly */

	/* the bound: (above/below)^power */
	uint64_t	above;
	uint64_t	below;
	uint32_t	power;
} pegs_verdict;

/* A draw whose probability differs between the two tables: wa/ta against wb/tb. */
typedef struct pegs_odds
{
	uint64_t	wa;
	uint64_t	ta;
	uint64_t	wb;
	uint64_t	tb;
} pegs_odds;

static inline bool
pegs_odds_differ(const pegs_odds *o)
{
	return (pegs_u128) o->wa * o->tb != (pegs_u128) o->wb * o->ta;
}

extern void pegs_verdict_begin(pegs_verdict *verdict, uint64_t above, uint64_t below, uint32_t power);

/* An output of n <= PEGS_VERIFY_VISITS draws that differ; log_ratio is theirs, as a double has it. */
extern void pegs_verdict_add(const pegs_env *env, pegs_verdict *verdict, const pegs_odds *draw, uint32_t n, double log_ratio);

extern double pegs_log_odds(const pegs_odds *o);

#endif							/* PEGS_RATIO_H */
