/*
 * chisquare.h
 *	  Does a sample come from the stated distribution? Pearson's chi-square.
 *
 * For tests with fixed keys: the answer is the same in every run, so the
 * threshold may be strict. CHISQUARE_P is the probability with which a correct
 * sampler would have failed when its key was chosen.
 *
 * Law: cells whose expectation is below 10 are pooled with their neighbours,
 * so that the distribution of the statistic is the one assumed; an observation
 * in a cell of probability zero is a failure whatever the rest says.
 */
#ifndef PEGS_CHISQUARE_H
#define PEGS_CHISQUARE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHISQUARE_P 1e-6

/* P(X > x) for X chi-square with `df` degrees of freedom: the incomplete gamma function. */
static inline double
chisquare_tail(double x, double df)
{
	double		a = df / 2;
	double		z = x / 2;
	double		scale;
	int			i;

	if (x <= 0)
		return 1;
	scale = exp(a * log(z) - z - lgamma(a));

	if (z < a + 1)
	{
		double		term = 1 / a;
		double		sum = term;

		for (i = 1; i < 100000 && term > sum * 1e-15; i++)
		{
			term *= z / (a + i);
			sum += term;
		}
		return 1 - scale * sum;
	}
	else
	{
		/* continued fraction, evaluated from its far end */
		double		f = 0;

		for (i = 2000; i >= 1; i--)
			f = i * (i - a) / (z + 2 * i + 1 - a - f);
		return scale / (z + 1 - a - f);
	}
}

/*
 * The p-value of observed[0..n-1] against probability[0..n-1], of which the
 * draws make `total`. Whatever probability is missing to 1 is a last cell,
 * which holds the draws that are not in observed.
 */
static inline double
chisquare_p(const uint64_t *observed, const double *probability, size_t n, uint64_t total)
{
	double		statistic = 0;
	double		pool_seen = 0;
	double		pool_expected = 0;
	double		rest_seen = (double) total;
	double		rest_expected = (double) total;
	double		last_seen = 0;
	double		last_expected = 0;
	size_t		cells = 0;
	size_t		i;

	for (i = 0; i <= n; i++)
	{
		double		seen = i < n ? (double) observed[i] : rest_seen;
		double		expected = i < n ? probability[i] * (double) total : rest_expected;

		if (i < n)
		{
			rest_seen -= seen;
			rest_expected -= expected;
			if (expected == 0 && seen > 0)
				return 0;
		}
		else if (expected < 1e-9 * (double) total)
			expected = 0;
		pool_seen += seen;
		pool_expected += expected;
		if (pool_expected < 10)
			continue;

		/* One cell is held back, to be pooled with what remains at the end. */
		if (last_expected > 0)
		{
			statistic += (last_seen - last_expected) * (last_seen - last_expected) / last_expected;
			cells++;
		}
		last_seen = pool_seen;
		last_expected = pool_expected;
		pool_seen = pool_expected = 0;
	}
	last_seen += pool_seen;
	last_expected += pool_expected;
	if (last_expected <= 0)
		return 0;
	statistic += (last_seen - last_expected) * (last_seen - last_expected) / last_expected;
	cells++;
	return cells < 2 ? 1 : chisquare_tail(statistic, (double) (cells - 1));
}

#endif							/* PEGS_CHISQUARE_H */
