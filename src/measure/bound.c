/*
 * bound.c
 *	  A lower confidence bound on epsilon.
 */
#include "measure/bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ln of the probability of exactly k of n. */
static double
log_binomial(uint32_t k, uint32_t n, double p)
{
	return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0)
		+ (k > 0 ? k * log(p) : 0) + (n > k ? (n - k) * log1p(-p) : 0);
}

/*
 * P(at least `seen` of n), or at most. p lies on the far side of seen/n, so
 * that terms fall from the first one on; each is the one before, times a
 * quotient.
 */
static double
tail(uint32_t seen, uint32_t n, double p, bool at_most)
{
	double		odds = p / (1 - p);
	double		term = exp(log_binomial(seen, n, p));
	double		sum = 0;

	for (uint32_t k = seen;; k = at_most ? k - 1 : k + 1)
	{
		sum += term;
		if (term <= sum * 1e-17 || k == (at_most ? 0 : n))
			return sum;
		term *= at_most ? k / (double) (n - k + 1) / odds : (n - k) / (double) (k + 1) * odds;
	}
}

double
pegs_clopper_pearson(uint32_t seen, uint32_t n, double miss, bool above)
{
	double		share = (double) seen / n;
	double		near = share;
	double		far = above ? 1 : 0;

	if (above ? seen == n : seen == 0)
		return far;
	for (int i = 0; i < 60; i++)
	{
		double		middle = (near + far) / 2;

		if (tail(seen, n, middle, above) < miss)
			far = middle;
		else
			near = middle;
	}
	return far;
}

static uint32_t
happened(const double *x, uint32_t n, double threshold, bool complement)
{
	uint32_t	count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += (x[i] >= threshold) != complement;
	return count;
}

/* The bound that counts p_a of one table and p_b of the other give; the order of the tables is tried both ways. */
static double
bound_of(uint32_t p, uint32_t q, uint32_t n, double delta, double miss)
{
	double		low = pegs_clopper_pearson(p, n, miss, false);
	double		high = pegs_clopper_pearson(q, n, miss, true);

	return low > delta && high > 0 ? log((low - delta) / high) : -INFINITY;
}

static int
by_size(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

#define CANDIDATES 64

pegs_status
pegs_epsilon_bound(const pegs_env *env, const double *a, const double *b, uint32_t runs,
				   double delta, double confidence, pegs_bound *bound)
{
	uint32_t	half = runs / 2;
	double		miss = (1 - confidence) / 2;
	double	   *pool;
	double		best = -INFINITY;
	bool		swap = false;
	const double *x;
	const double *y;
	uint32_t	p;
	uint32_t	q;

	memset(bound, 0, sizeof(*bound));
	if (runs < 4)
		return PEGS_ERR_ARGUMENT;
	pool = env->alloc(env->context, sizeof(double) * 2 * half);
	memcpy(pool, a, sizeof(double) * half);
	memcpy(pool + half, b, sizeof(double) * half);
	qsort(pool, 2 * half, sizeof(double), by_size);
	for (uint32_t c = 1; c < CANDIDATES; c++)
		for (int way = 0; way < 4; way++)
		{
			double		threshold = pool[(uint64_t) c * 2 * half / CANDIDATES];
			bool		complement = way % 2 == 1;
			double		e;

			x = way < 2 ? a : b;
			y = way < 2 ? b : a;
			e = bound_of(happened(x, half, threshold, complement), happened(y, half, threshold, complement), half, delta, miss);
			if (e > best)
			{
				best = e;
				swap = way >= 2;
				bound->threshold = threshold;
				bound->complement = complement;
			}
			env->check(env->context);
		}
	pegs_env_free(env, pool);
	x = (swap ? b : a) + half;
	y = (swap ? a : b) + half;
	bound->runs = runs - half;
	p = happened(x, bound->runs, bound->threshold, bound->complement);
	q = happened(y, bound->runs, bound->threshold, bound->complement);
	bound->share[swap ? 1 : 0] = (double) p / bound->runs;
	bound->share[swap ? 0 : 1] = (double) q / bound->runs;
	bound->epsilon = fmax(0, bound_of(p, q, bound->runs, delta, miss));
	return PEGS_OK;
}
