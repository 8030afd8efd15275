/*
 * epsilon.h
 *	  Where epsilon becomes alpha, rho, sigma, and delta a threshold.
 *
 * The only place before the noise where floating point exists; every result
 * is rounded towards more privacy. Accounts are integers: epsilon in units of
 * 1e-9, delta in units of 1e-18, charges rounded up. Inside a fit, costs are
 * integers in units of 2^-50 of rho (zCDP) or of epsilon (pure).
 */
#ifndef PEGS_EPSILON_H
#define PEGS_EPSILON_H

#include "core/noise.h"

#define PEGS_EPSILON_UNIT	INT64_C(1000000000)				/* 1e-9 */
#define PEGS_DELTA_UNIT		INT64_C(1000000000000000000)	/* 1e-18 */
#define PEGS_ALPHA_BITS		16	/* alpha is a multiple of 2^-16 */
#define PEGS_PRIOR_ROOM		(UINT64_C(1) << 52)	/* what cells may weigh besides, all together (prior.h) */
#define PEGS_ALPHA_ROOM		((UINT64_C(1) << 62) - PEGS_PRIOR_ROOM)	/* alpha and draws in urns: with that and 2^46 rows below 2^63 */
#define PEGS_COST_BITS		50	/* costs are multiples of 2^-50 */
#define PEGS_MAX_COST		(UINT64_C(1) << 62)	/* 4096: more buys nothing visible */

/*
 * A decimal number as printf or float8out writes it ("0.1", "1e-09", "2.5E3")
 * in units of 10^-digits, rounded up. PEGS_ERR_ARGUMENT: not a finite decimal,
 * or negative. PEGS_ERR_RANGE: above INT64_MAX units. Zero is PEGS_OK, 0.
 */
extern pegs_status pegs_units_from_decimal(const char *decimal, int digits, int64_t *units);

/*
 * alpha = 1/expm1(epsilon / visits) as the papers print it: neither rounded
 * nor in units. For documentation and tests; the mechanism uses pegs_alpha.
 */
extern double pegs_alpha_double(double epsilon, double visits);

/*
 * Claim P1. alpha = 1/expm1(epsilon / visits), in units of 2^-16, computed in
 * double times (1 + 2^-40), then rounded up (Park's thesis eq. 3.8, 3.9).
 * visits = blocks * free features >= 1. At least one unit, however large
 * epsilon. PEGS_ERR_ARGUMENT: epsilon <= 0, no visits or no levels;
 * PEGS_ERR_RANGE when alpha * levels would pass 2^62 units.
 */
extern pegs_status pegs_alpha(int64_t epsilon, uint64_t visits, uint32_t levels, uint64_t *alpha);

/*
 * Claim P17. The same where `rho` (pegs_rho, units of 2^-50) is to pay for all
 * visits: alpha = 1/expm1(eta), for the largest eta with visits rows^2 eta^2/8
 * <= rho. rows: by how many neighbours differ. PEGS_ERR_RANGE also where that is nothing.
 */
extern pegs_status pegs_alpha_of_rho(uint64_t rho, uint64_t visits, uint32_t rows, uint32_t levels, uint64_t *alpha);

/*
 * Claim P18, urns. alpha = draws/expm1(epsilon / columns): at most so many draws
 * from a cell, whatever the number of cells. columns: free ones, times the rows
 * of a person. Otherwise as pegs_alpha; PEGS_ERR_RANGE also when alpha * levels
 * + draws would pass 2^62 units.
 */
extern pegs_status pegs_alpha_urn(int64_t epsilon, uint64_t columns, uint64_t draws, uint32_t levels, uint64_t *alpha);

/*
 * Claim P18, urns with delta, and any number of draws: the smallest alpha that
 * is found for which the Renyi divergence of some integer order gives
 * (epsilon, delta). Each candidate is put into the bound by itself, every term
 * rounded up, so a poor search wastes alpha and nothing else.
 */
extern pegs_status pegs_alpha_urn_renyi(int64_t epsilon, int64_t delta, uint64_t columns, uint32_t levels, uint64_t *alpha);

/* Is that alpha enough? What the search asks. */
extern bool pegs_urn_holds(int64_t epsilon, int64_t delta, uint64_t columns, uint64_t alpha);

/*
 * Claim P6. The largest rho, in units of 2^-50, that zCDP turns into
 * (epsilon, delta): any Renyi order gives a valid bound, so the search need
 * not be exact, and the last digits are given away (Canonne, Kamath, Steinke
 * 2020, Proposition 12). delta in units of 1e-18, 0 < delta < 1. At most
 * PEGS_MAX_COST; 0, that is nothing to spend, for epsilon or delta outside
 * their range.
 */
extern uint64_t pegs_rho(int64_t epsilon, int64_t delta);

/*
 * Claim P20. Of an account in rho one of so many parts of delta is for what no
 * noise has, thresholds; a call that has both shares its own delta out alike. A
 * law of the stored numbers: never changed.
 */
#define PEGS_PARTS_OF_DELTA 10

/*
 * Claim P20. Of an account in rho: what a call costs, in units of 2^-50,
 * rounded up, at most INT64_MAX. Pure: min(epsilon^2/2, epsilon). Of bounded range: that
 * many visits >= 1 of which each is (epsilon/visits)-bounded-range, and all together
 * epsilon-DP: min(epsilon^2/(8 visits), epsilon). By integers alone; 0 for epsilon <= 0.
 */
extern int64_t pegs_rho_of_pure(int64_t epsilon);
extern int64_t pegs_rho_of_range(int64_t epsilon, uint64_t visits);

/*
 * Claim P20. The same of so many visits with this alpha (units of 2^-16), where
 * neighbours differ by `rows`: visits rows^2 ln(1 + 1/alpha)^2/8. In double, then
 * rounded up; INT64_MAX for an alpha, visits or rows of 0.
 */
extern int64_t pegs_rho_of_alpha(uint64_t alpha, uint64_t visits, uint32_t rows);

/*
 * Claim P20. An epsilon, in units of 1e-9, at which so much rho is (epsilon,
 * delta)-DP: pegs_rho of it is not less, and of a unit less it is. 0 of 0;
 * INT64_MAX where there is none.
 */
extern int64_t pegs_rho_as_epsilon(int64_t rho, int64_t delta);

/* epsilon in units of 2^-50, rounded down, at most PEGS_MAX_COST, for the pure engine. */
extern uint64_t pegs_pure_cost(int64_t epsilon);

/*
 * The smallest sigma^2 with 1/(2 sigma^2) <= cost among numbers of
 * 30 bits, or among integers when that is finer; checked by integers alone.
 * cost >= 1; a cost of 0 is answered with 2^55, the largest.
 */
extern pegs_variance pegs_variance_of_cost(uint64_t cost);

/*
 * The factor num/den = e/2 of an exponential mechanism: zCDP, the largest e
 * with e^2/8 <= cost and den = 2^55, decided in integers; pure, e = cost.
 * A cost of 0 is num = 0, a uniform choice.
 */
extern void pegs_selection_of_cost(bool pure, uint64_t cost, uint64_t *num, uint64_t *den);

/*
 * Claim P15. Discrete Laplace noise X of e = units 2^-50: a t >= 0 for which
 * P[X > t] <= delta/rows, found in double and rounded up. units >= 1, delta in
 * units of 1e-18 and above 0, rows >= 1.
 */
extern int64_t pegs_laplace_tail(uint64_t units, int64_t delta, uint32_t rows);

/* The same of discrete Gaussian noise. */
extern int64_t pegs_gaussian_tail(pegs_variance sigma2, int64_t delta, uint32_t rows);

#endif							/* PEGS_EPSILON_H */
