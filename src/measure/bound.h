/*
 * bound.h
 *	  A lower confidence bound on epsilon from runs of a mechanism on two
 *	  neighbouring tables.
 */
#ifndef PEGS_BOUND_H
#define PEGS_BOUND_H

#include "core/core.h"

typedef struct pegs_bound
{
	double		epsilon;		/* lower bound, at the confidence asked for; 0: nothing was seen */
	double		threshold;		/* the event: statistic >= threshold, or its complement */
	bool		complement;
	double		share[2];		/* how often it happened on each table, in the second half of the runs */
	uint32_t	runs;			/* of each table, in that half */
} pegs_bound;

/*
 * a[0 .. runs) and b[0 .. runs): one number of each run on each table. The most
 * telling event is chosen on the first halves; on the second halves its two
 * probabilities are bounded by Clopper and Pearson's exact intervals, each
 * missed with at most (1 - confidence)/2. If the mechanism is (epsilon,
 * delta)-private, the bound is above epsilon with at most 1 - confidence.
 * Changes the order of neither. PEGS_ERR_ARGUMENT: fewer than 4 runs.
 */
extern pegs_status pegs_epsilon_bound(const pegs_env *env, const double *a, const double *b, uint32_t runs,
									  double delta, double confidence, pegs_bound *bound);

/* Clopper-Pearson: the least (or greatest) p for which `seen` or more (fewer) of n has probability `miss`. */
extern double pegs_clopper_pearson(uint32_t seen, uint32_t n, double miss, bool above);

#endif							/* PEGS_BOUND_H */
