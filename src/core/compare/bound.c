/*
 * bound.c
 *	  A lower confidence bound on epsilon.
 */
#include "core/compare/bound.h"

#include <math.h>
#include <string.h>

#include "core/sort.h"

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
	pool = env->alloc(env->context, sizeof(double) * 4 * half);
	memcpy(pool, a, sizeof(double) * half);
	memcpy(pool + half, b, sizeof(double) * half);
	pegs_sort(env, pool, 2 * half, pool + 2 * half);
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

/* ---------- with delta ---------- */

pegs_errors
pegs_errors_of(const double *a, const double *b, uint32_t runs, double confidence)
{
	double		miss = (1 - confidence) / 2;
	uint32_t	p = 0;
	uint32_t	q = 0;

	for (uint32_t i = 0; i < runs; i++)
	{
		p += a[i] > 0;
		q += b[i] > 0;
	}
	return (pegs_errors) {pegs_clopper_pearson(p, runs, miss, false), pegs_clopper_pearson(q, runs, miss, true)};
}

static double
normal_below(double x)
{
	return 0.5 * erfc(-x * M_SQRT1_2);
}

/* Its inverse; beyond 37 standard deviations there is nothing left in a double. */
static double
normal_quantile(double p)
{
	double		low = -37;
	double		high = 37;

	for (int i = 0; i < 80; i++)
	{
		double		middle = (low + high) / 2;

		if (normal_below(middle) < p)
			low = middle;
		else
			high = middle;
	}
	return low;
}

double
pegs_gaussian_mu(const pegs_errors *errors)
{
	if (!(errors->power > errors->level))
		return 0;
	return normal_quantile(errors->power) - normal_quantile(errors->level);
}

/* delta(epsilon) = P(-e/mu + mu/2) - exp(e) P(-e/mu - mu/2) (Balle and Wang 2018) falls with epsilon. */
double
pegs_gaussian_epsilon(double mu, double delta)
{
	double		low = 0;
	double		high = mu * mu + 40 * mu;

	if (mu <= 0)
		return 0;
	for (int i = 0; i < 80; i++)
	{
		double		e = (low + high) / 2;
		double		far = normal_below(-e / mu - mu / 2);
		double		at = normal_below(-e / mu + mu / 2) - (far > 0 ? exp(e + log(far)) : 0);

		if (at > delta)
			low = e;
		else
			high = e;
	}
	return low;
}

/* Renyi divergence of order a of two coins. */
static double
coins_apart(double p, double q, double a)
{
	double		one = a * log(p) + (1 - a) * log(q);
	double		other = a * log1p(-p) + (1 - a) * log1p(-q);
	double		most = fmax(one, other);

	return (most + log(exp(one - most) + exp(other - most))) / (a - 1);
}

double
pegs_zcdp_bound(const pegs_errors *errors)
{
	double		p = errors->power;
	double		q = errors->level;
	double		rho = 0;

	if (!(p > q) || q <= 0 || p >= 1)
		return 0;				/* nothing seen; Clopper and Pearson give neither 0 above nor 1 below */
	for (int i = -10; i <= 24; i++)
	{
		double		a = 1 + exp2(i / 2.0);

		rho = fmax(rho, fmax(coins_apart(p, q, a), coins_apart(q, p, a)) / a);
	}
	return rho;
}

static double
epsilon_of_order(double rho, double ln_delta, double ln_b)
{
	double		b = exp(ln_b);

	return (1 + b) * rho + (-ln_delta - ln_b - (1 + b) * log1p(1 / b)) / b;
}

/* Each order gives a valid epsilon: the least of a grid, then of ever finer steps around it. */
double
pegs_epsilon_of_rho(double rho, double delta)
{
	double		ln_delta = log(delta);
	double		best = INFINITY;
	double		centre = 0;

	if (rho <= 0)
		return 0;
	for (int i = -40; i <= 80; i++)
	{
		double		e = epsilon_of_order(rho, ln_delta, i / 2.0);

		if (e < best)
		{
			best = e;
			centre = i / 2.0;
		}
	}
	for (double step = 0.5; step > 1e-9;)
	{
		double		below = epsilon_of_order(rho, ln_delta, centre - step);
		double		above = epsilon_of_order(rho, ln_delta, centre + step);

		if (below >= best && above >= best)
		{
			step /= 2;
			continue;
		}
		centre += below < above ? -step : step;
		best = fmin(below, above);
	}
	return fmax(best, 0);
}

#define MAX_ORDERS 100000

/*
 * Of order L the two Renyi divergences are 1/(L - 1) times the sums over i < L
 * of ln((1 + i/a)/(1 + i/T)) and of ln((1 - i/T)/(1 - i/a)); the best order of
 * each way round, and the worse of the two.
 */
double
pegs_epsilon_of_urns(const double *a, const double *total, uint32_t columns, double delta)
{
	double		ln_delta = log(delta);
	double		sum[2] = {0, 0};
	double		best[2] = {INFINITY, INFINITY};
	bool		possible = true;

	for (double i = 1; i < MAX_ORDERS && (possible || i < 1000); i++)
	{
		double		order = i + 1;
		double		rest = -log1p(1 / (order - 1)) - (ln_delta + log(order)) / i;

		for (uint32_t c = 0; c < columns; c++)
		{
			possible = possible && i < a[c];
			sum[0] += log1p(i / a[c]) - log1p(i / total[c]);
			if (possible)
				sum[1] += log1p(-i / total[c]) - log1p(-i / a[c]);
		}
		best[0] = fmin(best[0], sum[0] / i + rest);
		if (possible)
			best[1] = fmin(best[1], sum[1] / i + rest);
	}
	return fmax(0, fmax(best[0], best[1]));
}
