/*
 * tail.c
 *	  The tail of a sum of draws of discrete noise.
 *
 * Discrete Laplace noise of p = exp(-e) is A - B, two independent geometric
 * numbers, P(A = a) = (1 - p) p^a; a sum of k draws is A - B of two negative
 * binomial numbers: failures, each with probability p, before the k-th
 * success. So P[A - B > t] is a finite sum without any bound in it (below). A
 * sum of discrete Gaussian noise has the tail of the normal distribution, and
 * never a longer one; that of narrow noise its Chernoff bound.
 *
 * It must never decide what is private: post-processing alone. Claim P16.
 */
#include "core/tail.h"

#include <math.h>

#define WIDE 1.0				/* variance: from here on the normal tail is that of the discrete noise, but for 1e-8 of it */

typedef struct sum
{
	uint32_t	k;
	bool		pure;
	double		e;
	double		q;				/* 1 - exp(-e) */
	double		variance;		/* not pure */
	double		races[PEGS_MOST_DRAWS + 1];
} sum;

/*
 * races[a]: P[A >= B], A with a successes to go and B with k. B's next trial is
 * a success, or a failure that A must match after some successes:
 *
 *		F(a, b) = q F(a, b - 1) + p G(a, b),	G(a, b) = p F(a, b) + q G(a - 1, b)
 *
 * with F(a, 0) = 1, F(0, b) = q^b, G(0, b) = 0.
 */
static void
run_races(sum *s)
{
	double		p = 1 - s->q;

	for (uint32_t a = 0; a <= s->k; a++)
		s->races[a] = 1;
	for (uint32_t b = 1; b <= s->k; b++)
	{
		double		matched = 0;

		s->races[0] *= s->q;
		for (uint32_t a = 1; a <= s->k; a++)
		{
			s->races[a] = (s->races[a] + p * matched) / (1 + p);
			matched = p * s->races[a] + s->q * matched;
		}
	}
}

/* P[sum > t]. Pure: A has j successes before its failure number t + 1, for a j below k, and from there on no fewer failures than B. */
static double
beyond(const sum *s, int64_t t)
{
	double		chance = exp(-s->e * ((double) t + 1));
	double		all = 0;

	if (!s->pure)
		return 0.5 * erfc(((double) t + 0.5) / sqrt(2 * s->variance));
	for (uint32_t j = 0; j < s->k && chance > 0; j++)
	{
		all += chance * s->races[s->k - j];
		chance *= s->q * ((double) t + j + 1) / (j + 1);
	}
	return all;
}

int64_t
pegs_sum_tail(const pegs_noise *noise, uint32_t k, double chance)
{
	sum			s = {.k = k, .pure = noise->pure};
	int64_t		low = -1;		/* too little */
	int64_t		high = 1;

	s.e = ldexp((double) noise->units, -PEGS_COST_BITS);
	s.q = -expm1(-s.e);
	s.variance = k * ldexp((double) noise->sigma2.num, -(int) noise->sigma2.shift);
	if (!s.pure && s.variance < k * WIDE)
		return (int64_t) sqrt(2 * s.variance * -log(chance));
	if (s.pure)
		run_races(&s);
	while (high < PEGS_ANSWER_MAX && beyond(&s, high) > chance)
	{
		low = high;
		high *= 2;
	}
	while (high - low > 1)
	{
		int64_t		middle = low + (high - low) / 2;

		if (beyond(&s, middle) <= chance)
			high = middle;
		else
			low = middle;
	}
	return high;
}
