/*
 * cudia.c
 *	  CUDIA (Park's thesis, chapter 4), deterministic: everybody is of one of a few classes, and a value is that of the class.
 *
 * Classes are found by EM on the columns alone: normal for numbers, multinomial
 * for dummies that belong together, independent in a class; how frequent classes
 * are differs by group. Then the averages say which value each class has. The
 * published sampler feeds the averages back into the classes; here it does not, and no
 * random number is drawn: centers are the rows at equal steps of what k-means++ draws from.
 */
#include "core/disaggregate/cudia.h"

#include "core/disaggregate/er.h"

#include <math.h>
#include <string.h>

#define ROUNDS 60
#define WEIGHINGS 10
#define PRIOR 0.1				/* Dirichlet(1.1) */
#define LEAST_VARIANCE 0.01		/* of columns with variance 1 */
#define GOLDEN 0.6180339887498949

typedef struct work
{
	const pegs_env *env;
	const pegs_individuals *all;
	uint32_t	k;
	bool	   *dummy;			/* [m] */
	double	   *mean;			/* [k][m] of a dummy how frequent it is */
	double	   *variance;		/* [k][m] */
	double	   *on;				/* [k][m] ln of how frequent a dummy is, less that of the level without one; of a number -1/2 ln of its variance */
	double	   *constant;		/* [k] */
	double	  **share;			/* [levels][groups][k] */
	double	   *log_share;		/* [groups of the first level][k] */
	double	   *sum;			/* [k][m] */
	double	   *square;			/* [k][m] */
	double	   *size;			/* [k] */
} work;

static double *
numbers(const work *w, size_t n)
{
	return w->env->alloc(w->env->context, sizeof(double) * (n + 1));
}

/* The first center is in the middle of the rows; each next one a row that is far from those there are. */
static void
centers(work *w)
{
	const pegs_individuals *all = w->all;
	double	   *distance = numbers(w, all->rows);
	uint64_t	at = all->rows / 2;

	for (uint32_t k = 0; k < w->k; k++)
	{
		double		total = 0;
		double		want;

		memcpy(w->mean + (size_t) k * all->m, all->x + at * all->m, sizeof(double) * all->m);
		for (uint64_t i = 0; i < all->rows; i++)
		{
			double		square = 0;

			if (i % 1024 == 0)
				w->env->check(w->env->context);
			for (uint32_t j = 0; j < all->m; j++)
			{
				double		off = all->x[i * all->m + j] - w->mean[(size_t) k * all->m + j];

				square += off * off;
			}
			distance[i] = k == 0 ? square : fmin(distance[i], square);
			total += distance[i];
		}
		want = total * ((k + 1) * GOLDEN - floor((k + 1) * GOLDEN));
		for (at = 0; at + 1 < all->rows && want >= distance[at]; at++)
		{
			if (at % 4096 == 0)
				w->env->check(w->env->context);
			want -= distance[at];
		}
	}
	pegs_env_free(w->env, distance);
}

/* Logarithms of what the classes have, once a round. */
static void
prepare(work *w)
{
	const pegs_individuals *all = w->all;

	for (size_t k = 0; k < w->k; k++)
	{
		w->constant[k] = 0;
		for (uint32_t j = 0; j < all->m; j++)
			if (!w->dummy[j])
				w->constant[k] -= log(w->variance[k * all->m + j]) / 2;
		for (uint32_t f = 0; f < all->nfactors; f++)
		{
			double		none = 1;

			for (uint32_t j = all->factor[f].first; j < all->factor[f].first + all->factor[f].n; j++)
				none -= w->mean[k * all->m + j];
			none = log(fmax(none, 1e-9));
			w->constant[k] += none;
			for (uint32_t j = all->factor[f].first; j < all->factor[f].first + all->factor[f].n; j++)
				w->on[k * all->m + j] = log(fmax(w->mean[k * all->m + j], 1e-9)) - none;
		}
	}
	for (size_t i = 0; i < (size_t) all->level[0].n * w->k; i++)
		w->log_share[i] = log(w->share[0][i] + 1e-300);
}

/* The probabilities of a row's class. */
static void
classify(const work *w, uint64_t row, double *r)
{
	const pegs_individuals *all = w->all;
	const double *x = all->x + row * all->m;
	const double *log_share = w->log_share + (size_t) all->level[0].of[row] * w->k;
	double		most = -INFINITY;
	double		sum = 0;

	for (size_t k = 0; k < w->k; k++)
	{
		double		value = w->constant[k] + log_share[k];
		const double *mean = w->mean + k * all->m;
		const double *variance = w->variance + k * all->m;
		const double *on = w->on + k * all->m;

		for (uint32_t j = 0; j < all->m; j++)
			if (!w->dummy[j])
				value -= (x[j] - mean[j]) * (x[j] - mean[j]) / variance[j] / 2;
			else if (x[j] > 0)
				value += on[j];
		r[k] = value;
		most = fmax(most, value);
	}
	for (size_t k = 0; k < w->k; k++)
		sum += r[k] = exp(r[k] - most);
	for (size_t k = 0; k < w->k; k++)
		r[k] /= sum;
}

static void
em_round(work *w, double *r)
{
	const pegs_individuals *all = w->all;
	size_t		cells = (size_t) w->k * all->m;

	prepare(w);
	memset(w->sum, 0, sizeof(double) * cells);
	memset(w->square, 0, sizeof(double) * cells);
	memset(w->size, 0, sizeof(double) * w->k);
	for (uint32_t l = 0; l < all->nlevels; l++)
		for (size_t i = 0; i < (size_t) all->level[l].n * w->k; i++)
			w->share[l][i] = PRIOR;
	for (uint64_t i = 0; i < all->rows; i++)
	{
		const double *x = all->x + i * all->m;

		if (i % 256 == 0)
			w->env->check(w->env->context);
		classify(w, i, r);
		for (uint32_t l = 0; l < all->nlevels; l++)
			for (size_t k = 0; k < w->k; k++)
				w->share[l][(size_t) all->level[l].of[i] * w->k + k] += r[k];
		for (size_t k = 0; k < w->k; k++)
		{
			w->size[k] += r[k];
			for (uint32_t j = 0; j < all->m; j++)
			{
				double		value = w->dummy[j] ? x[j] > 0 : x[j];

				w->sum[k * all->m + j] += r[k] * value;
				w->square[k * all->m + j] += r[k] * value * value;
			}
		}
	}
	for (uint32_t l = 0; l < all->nlevels; l++)
		for (size_t g = 0; g < all->level[l].n; g++)
			for (size_t k = 0; k < w->k; k++)
				w->share[l][g * w->k + k] /= all->level[l].size[g] + PRIOR * w->k;
	for (size_t k = 0; k < w->k; k++)
		for (uint32_t j = 0; j < all->m; j++)
		{
			size_t		at = k * all->m + j;
			double		size = w->size[k] + 1e-9;

			w->mean[at] = w->sum[at] / size;
			w->variance[at] = fmax(w->square[at] / size - w->mean[at] * w->mean[at], LEAST_VARIANCE);
		}
}

/* The value of each class: the averages by the shares, groups weighed by how surely they tell; eta[k] is more than `middle`. */
static pegs_status
find_values(const work *w, double *eta, double *middle)
{
	const pegs_individuals *all = w->all;
	size_t		p = 0;
	size_t		at = 0;
	double	   *z;
	double	   *weight;
	double	   *t;
	double	   *n;
	double	   *s;
	double		spread = 0;
	double		scatter;
	double		mean = 0;

	for (uint32_t l = 0; l < all->nlevels; l++)
		p += all->level[l].n;
	z = numbers(w, p * w->k);
	weight = numbers(w, p);
	t = numbers(w, p);
	n = numbers(w, p);
	s = numbers(w, p);
	for (uint32_t l = 0; l < all->nlevels; l++)
		for (size_t g = 0; g < all->level[l].n; g++, at++)
		{
			memcpy(z + at * w->k, w->share[l] + g * w->k, sizeof(double) * w->k);
			n[at] = all->level[l].size[g];
			s[at] = all->level[l].average[g];
			mean += s[at] / (double) p;
		}
	for (size_t g = 0; g < p; g++)
		spread += (s[g] - mean) * (s[g] - mean) / (double) p;
	scatter = spread;
	for (int round = 0; round < WEIGHINGS; round++)
	{
		pegs_ridge	ridge = {.lambda = NAN};
		double		total = 0;
		pegs_status status;

		for (size_t g = 0; g < p; g++)
		{
			double		first = 0;
			double		second = 0;

			for (uint32_t k = 0; k < w->k; k++)
			{
				first += z[g * w->k + k] * eta[k];
				second += z[g * w->k + k] * (eta[k] * eta[k] + scatter);
			}
			weight[g] = round == 0 ? n[g] : n[g] / fmax(second - first * first, 1e-9 * spread + 1e-300);
			total += weight[g];
		}
		*middle = 0;
		for (size_t g = 0; g < p; g++)
			*middle += (weight[g] /= total) * s[g];
		for (size_t g = 0; g < p; g++)
			t[g] = s[g] - *middle;
		status = pegs_ridge_fit(w->env, p, w->k, z, weight, t, NULL, &ridge, eta);
		if (status != PEGS_OK)
			return status;
		scatter = 0;
		for (size_t g = 0; g < p; g++)
		{
			double		off = t[g];

			for (uint32_t k = 0; k < w->k; k++)
				off -= z[g * w->k + k] * eta[k];
			scatter += off * off * n[g] / (double) p;
		}
		scatter = fmax(scatter, 1e-6 * spread);
	}
	return PEGS_OK;
}

pegs_status
pegs_spread_cudia(const pegs_env *env, const pegs_individuals *all, uint32_t classes, double *y)
{
	work		w = {.env = env, .all = all, .k = classes};
	size_t		cells = (size_t) classes * all->m;
	double	   *r = numbers(&w, classes);
	double	   *eta = numbers(&w, classes);
	double		middle;
	pegs_status status;

	w.dummy = env->alloc(env->context, sizeof(bool) * (all->m + 1));
	for (uint32_t f = 0; f < all->nfactors; f++)
		for (uint32_t j = 0; j < all->factor[f].n; j++)
			w.dummy[all->factor[f].first + j] = true;
	w.mean = numbers(&w, cells);
	w.variance = numbers(&w, cells);
	w.on = numbers(&w, cells);
	w.sum = numbers(&w, cells);
	w.square = numbers(&w, cells);
	w.size = numbers(&w, classes);
	w.constant = numbers(&w, classes);
	w.log_share = numbers(&w, (size_t) all->level[0].n * classes);
	w.share = env->alloc(env->context, sizeof(double *) * all->nlevels);
	for (uint32_t l = 0; l < all->nlevels; l++)
	{
		w.share[l] = numbers(&w, (size_t) all->level[l].n * classes);
		for (size_t i = 0; i < (size_t) all->level[l].n * classes; i++)
			w.share[l][i] = 1.0 / classes;
	}
	centers(&w);
	for (size_t k = 0; k < classes; k++)
	{
		for (uint32_t j = 0; j < all->m; j++)
			w.variance[k * all->m + j] = 1;
		/* a center is one row: its levels are likely, no other is ruled out */
		for (uint32_t f = 0; f < all->nfactors; f++)
			for (uint32_t j = all->factor[f].first; j < all->factor[f].first + all->factor[f].n; j++)
				w.mean[k * all->m + j] = 0.5 / (all->factor[f].n + 1) + (w.mean[k * all->m + j] > 0 ? 0.5 : 0);
	}
	for (int round = 0; round < ROUNDS; round++)
		em_round(&w, r);
	status = find_values(&w, eta, &middle);
	prepare(&w);
	for (uint64_t i = 0; i < all->rows && status == PEGS_OK; i++)
	{
		if (i % 256 == 0)
			env->check(env->context);
		classify(&w, i, r);
		y[i] = middle;
		for (uint32_t k = 0; k < classes; k++)
			y[i] += r[k] * eta[k];
	}
	return status;
}
