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

/*
 * The same numbers, with delta > 0. A test guesses the table by x > 0; its two
 * errors are bounded by Clopper and Pearson, each missed with at most
 * (1 - confidence)/2.
 */
typedef struct pegs_errors
{
	double		power;			/* P(x > 0) on the first table, lower end */
	double		level;			/* P(x > 0) on the second table, upper end */
} pegs_errors;

/* a: runs on the first table, where x is large; b: on the second. */
extern pegs_errors pegs_errors_of(const double *a, const double *b, uint32_t runs, double confidence);

/*
 * The mu whose two Gaussians N(0, 1) and N(mu, 1) are told apart as well as
 * that, and the epsilon that they are worth at delta (Nasr et al. 2023). It
 * supposes that the mechanism trades its errors like a Gaussian does.
 */
extern double pegs_gaussian_mu(const pegs_errors *errors);
extern double pegs_gaussian_epsilon(double mu, double delta);

/*
 * The largest rho for which a rho-zCDP mechanism cannot be told apart so well:
 * the Renyi divergence of order a between the two guesses is at most a rho, for
 * every a > 1, either way round. Supposes nothing.
 */
extern double pegs_zcdp_bound(const pegs_errors *errors);

/*
 * The epsilon that rho-zCDP is worth at delta (Canonne, Kamath, Steinke 2020,
 * Proposition 12), from rho to epsilon: pegs_rho goes the other way, by other
 * arithmetic.
 */
extern double pegs_epsilon_of_rho(double rho, double delta);

/*
 * The epsilon, at delta, that two neighbouring tables are worth if each of
 * `columns` urns has one more of its level with weight a[i] of total[i]: of any
 * number of draws, exact but for the conversion. Claim P18. delta > 0.
 */
extern double pegs_epsilon_of_urns(const double *a, const double *total, uint32_t columns, double delta);

#endif							/* PEGS_BOUND_H */
