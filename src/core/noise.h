/*
 * noise.h
 *	  Exact discrete noise: Laplace, Gaussian, exponential mechanism.
 *
 * Only integers and rationals, no floating point: the distribution of every
 * sampler is exactly the stated one (Canonne, Kamath, Steinke 2020,
 * Algorithms 1-3). A probability below e^-(2^63) may be taken as zero.
 */
#ifndef PEGS_NOISE_H
#define PEGS_NOISE_H

#include "core/core.h"
#include "core/rng.h"

/*
 * A variance sigma^2 = num / 2^shift, 0 < num < 2^62, 0 <= shift <= 60. The
 * bound on num keeps every product of the discrete Gaussian inside 128 bits.
 */
typedef struct pegs_variance
{
	uint64_t	num;
	uint32_t	shift;
} pegs_variance;

/*
 * A draw beyond +-PEGS_NOISE_MAX is clamped, and so is what it is added to, far
 * enough inside that nobody sees the former: exact numbers are at most
 * PEGS_EXACT_MAX, so where a draw was clamped the answer is. Claim P6.
 */
#define PEGS_NOISE_MAX	INT64_MAX
#define PEGS_EXACT_MAX	(INT64_C(1) << 62)
#define PEGS_ANSWER_MAX	(PEGS_NOISE_MAX - PEGS_EXACT_MAX)

/* True with probability exp(-num/den), den > 0; any num. */
extern bool pegs_bernoulli_exp(pegs_rng *rng, pegs_u128 num, pegs_u128 den);

/* P(x) proportional to exp(-|x| num/den), x any integer; 0 < num, 0 < den < 2^56. */
extern int64_t pegs_discrete_laplace(pegs_rng *rng, uint64_t num, uint64_t den);

/* P(x) proportional to exp(-x^2 / (2 sigma^2)), x any integer; sigma^2 < 2^56. */
extern int64_t pegs_discrete_gaussian(pegs_rng *rng, pegs_variance sigma2);

/*
 * exact + noise, clamped to +-PEGS_ANSWER_MAX: of the noise as it was before it
 * was clamped, so post-processing of the exact sum. An exact number beyond
 * PEGS_EXACT_MAX is taken for that, by which no unit moves more.
 */
extern int64_t pegs_noisy(int64_t exact, int64_t noise);

/*
 * Index i with probability proportional to exp(score[i] num/den), n >= 1;
 * any num (0: uniform), 0 < den <= 2^62; |score| < 2^60. The exponential
 * mechanism of privacy parameter e has num/den = e/2 for scores of
 * sensitivity 1. env, or NULL: asked whether to stop, as often as it is tried.
 */
extern size_t pegs_exponential_mechanism(const pegs_env *env, pegs_rng *rng, const int64_t *score, size_t n,
										 uint64_t num, uint64_t den);

#endif							/* PEGS_NOISE_H */
