/*
 * dirichlet.c
 *	  The multinomial-Dirichlet synthesizer as numbers: the matrix of Abowd
 *	  (2008), its risk and its validity, of his definition (an urn) and of what
 *	  his tables print (draws from the posterior mean).
 *
 * It must never see a table, nor decide what is drawn: alphas for that come from
 * epsilon.c. Logarithms of rising factorials are summed up, never differences
 * of large ones. Claim P18 has the bound that `epsilon` must keep.
 */
#include "core/dirichlet.h"

#include <math.h>

#define MANY (UINT64_C(1) << 60)
#define BETWEEN_CHECKS 1024		/* releases */

uint64_t
pegs_tables_of(uint32_t k, uint32_t n)
{
	uint32_t	least = n < k - 1 ? n : k - 1;
	pegs_u128	tables = 1;

	/* n + k - 1 over n, or over k - 1: each step divides without a rest */
	for (uint32_t i = 1; i <= least; i++)
	{
		tables = tables * ((uint64_t) n + k - 1 - least + i) / i;
		if (tables >= MANY)
			return MANY;
	}
	return (uint64_t) tables;
}

/* A long sum, with what its roundings have lost (Kahan). */
typedef struct long_sum
{
	double		sum;
	double		lost;
} long_sum;

static double
plus(long_sum *s, double term)
{
	double		more = term - s->lost;
	double		sum = s->sum + more;

	s->lost = (sum - s->sum) - more;
	return s->sum = sum;
}

/* An urn: ln of (c + alpha)(c + alpha + 1) ... of d terms. */
void
pegs_dirichlet_init(const pegs_env *env, pegs_dirichlet *d)
{
	uint32_t	most = d->n > d->m ? d->n : d->m;
	long_sum	factorial = {0};
	long_sum	all = {0};
	double	   *at;

	d->total = d->n + d->k * d->alpha;
	d->weight = at = env->alloc(env->context, sizeof(double) * ((size_t) d->n + 1) * ((size_t) d->m + 1));
	for (uint32_t c = 0; c <= d->n; c++)
	{
		long_sum	sum = {0};

		env->check(env->context);
		*at++ = 0;
		for (uint32_t i = 0; i < d->m; i++)
			*at++ = plus(&sum, log(c + d->alpha + (d->plug_in ? 0 : i)));
	}
	d->ln_factorial = env->alloc(env->context, sizeof(double) * ((size_t) most + 1));
	for (uint32_t i = 1; i <= most; i++)
		d->ln_factorial[i] = plus(&factorial, log(i));
	for (uint32_t i = 0; i < d->m; i++)
		d->ln_all = plus(&all, log(d->total + (d->plug_in ? 0 : i)));
}

void
pegs_first_table(uint32_t k, uint32_t n, uint32_t *counts)
{
	for (uint32_t i = 0; i < k; i++)
		counts[i] = i == k - 1 ? n : 0;
}

bool
pegs_next_table(uint32_t k, uint32_t *counts)
{
	uint32_t	last = k - 1;
	uint32_t	rest;

	while (last > 0 && counts[last] == 0)
		last--;
	if (last == 0)
		return false;
	rest = counts[last] - 1;
	counts[last] = 0;
	counts[last - 1]++;
	counts[k - 1] = rest;
	return true;
}

static double
weight_of(const pegs_dirichlet *d, uint32_t count, uint32_t drawn)
{
	return d->weight[count * ((size_t) d->m + 1) + drawn];
}

double
pegs_dirichlet_ln(const pegs_dirichlet *d, const uint32_t *counts, const uint32_t *drawn)
{
	double		sum = d->ln_factorial[d->m] - d->ln_all;

	for (uint32_t j = 0; j < d->k; j++)
		sum += weight_of(d, counts[j], drawn[j]) - d->ln_factorial[drawn[j]];
	return sum;
}

double
pegs_ln_alike(const pegs_dirichlet *d, const uint32_t *counts)
{
	double		sum = d->ln_factorial[d->n] - d->n * log(d->k);

	for (uint32_t j = 0; j < d->k; j++)
		sum -= d->ln_factorial[counts[j]];
	return sum;
}

double
pegs_ln_prior(const pegs_dirichlet *d, const uint32_t *counts)
{
	double		sum = d->ln_factorial[d->n];

	for (uint32_t i = 0; i < d->n; i++)
		sum -= log(d->k * d->alpha + i);
	for (uint32_t j = 0; j < d->k; j++)
	{
		sum -= d->ln_factorial[counts[j]];
		for (uint32_t i = 0; i < counts[j]; i++)
			sum += log(d->alpha + i);
	}
	return sum;
}

/* ---- risk ---- */

/* One table and all its neighbours. */
typedef struct looked
{
	const pegs_dirichlet *d;
	double		epsilon;
	const uint32_t *counts;
	double		ln_table;		/* pegs_ln_alike */
	double	   *beyond;			/* [k][k] what is beyond epsilon, of the neighbour by a row of the first that is one of the second */
	double		fails;			/* how likely a release is that is beyond epsilon with some neighbour */
	pegs_dirichlet_risk risk;
} looked;

/*
 * ln of the ratio of this release from the table and from its neighbour. Of
 * the way back it is exactly the negative number.
 */
static double
ratio_of(const looked *l, const uint32_t *drawn, uint32_t from, uint32_t to)
{
	const pegs_dirichlet *d = l->d;
	double		less = weight_of(d, l->counts[from], drawn[from]) - weight_of(d, l->counts[from] - 1, drawn[from]);
	double		more = weight_of(d, l->counts[to] + 1, drawn[to]) - weight_of(d, l->counts[to], drawn[to]);

	return less - more;
}

/* Which of both cells of the paper's joint table is the smaller; of equal ones, the one whose row leaves the earlier category. */
static bool
is_smaller(const looked *l, double ratio, uint32_t from, uint32_t to)
{
	/* of the tables n!/prod n_j!: n' has n_from - 1 and n_to + 1 */
	double		joint = ratio + (log((double) l->counts[to] + 1) - log((double) l->counts[from]));

	return joint < 0 || (joint == 0 && from < to);
}

static void
look_at_release(looked *l, const uint32_t *drawn)
{
	const pegs_dirichlet *d = l->d;
	double		p = exp(pegs_dirichlet_ln(d, l->counts, drawn));
	bool		fails = false;
	bool		smaller = false;

	for (uint32_t from = 0; from < d->k; from++)
		for (uint32_t to = 0; l->counts[from] > 0 && to < d->k; to++)
		{
			double		ratio;

			if (to == from)
				continue;
			ratio = ratio_of(l, drawn, from, to);
			l->risk.epsilon = fmax(l->risk.epsilon, fabs(ratio));
			if (l->epsilon < 0 || fabs(ratio) <= l->epsilon)
				continue;
			fails = true;
			smaller |= is_smaller(l, ratio, from, to);
			if (ratio > 0)
				l->beyond[from * d->k + to] -= p * expm1(l->epsilon - ratio);
		}
	l->fails += fails ? p : 0;
	l->risk.joint += smaller ? p * exp(l->ln_table) : 0;
}

pegs_dirichlet_risk
pegs_dirichlet_risk_of(const pegs_env *env, const pegs_dirichlet *d, double epsilon)
{
	looked		l = {.d = d, .epsilon = epsilon};
	uint32_t   *counts = env->alloc(env->context, sizeof(uint32_t) * d->k);
	uint32_t   *drawn = env->alloc(env->context, sizeof(uint32_t) * d->k);
	size_t		pairs = (size_t) d->k * d->k;

	l.counts = counts;
	l.beyond = env->alloc(env->context, sizeof(double) * pairs);
	pegs_first_table(d->k, d->n, counts);
	do
	{
		uint64_t	release = 0;

		l.ln_table = pegs_ln_alike(d, counts);
		l.fails = 0;
		for (size_t i = 0; i < pairs; i++)
			l.beyond[i] = 0;
		pegs_first_table(d->k, d->m, drawn);
		do
		{
			if (release++ % BETWEEN_CHECKS == 0)
				env->check(env->context);
			look_at_release(&l, drawn);
		} while (pegs_next_table(d->k, drawn));
		l.risk.worst = fmax(l.risk.worst, l.fails);
		for (size_t i = 0; i < pairs; i++)
			l.risk.tight = fmax(l.risk.tight, l.beyond[i]);
	} while (pegs_next_table(d->k, counts));
	return l.risk;
}

/* ---- validity ---- */

pegs_dirichlet_validity
pegs_dirichlet_validity_of(const pegs_dirichlet *d, const uint32_t *counts)
{
	pegs_dirichlet_validity v;
	double		p = (counts[0] + d->alpha) / d->total;
	double		alone = p * (1 - p) / d->m;

	v.expected = p;
	v.variance = d->plug_in ? alone : alone * ((d->total + d->m) / (d->total + 1));
	v.bias = d->n > 0 ? p - (double) counts[0] / d->n : 0;
	v.mse = v.bias * v.bias + v.variance;
	return v;
}
