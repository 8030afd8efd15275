/*
 * common.c
 *	  What the pairs of a cover have in common.
 *
 * Where every pair is measured, whatever it has to say, the others say much of
 * what a pair is: columns that follow the same few things differ from
 * independence together. All differences are blocks of one symmetric matrix
 * without its diagonal blocks; its large factors are found one after the other
 * (power iteration) and fitted together (alternating least squares, weights
 * 1 / variance), as in factor analysis. Of what they leave of a pair the part
 * is kept that is more than noise (signal.c): where columns have nothing in
 * common nothing is lost. Reads released numbers only.
 */
#include "core/graph/state.h"

#include <math.h>
#include <string.h>

#define FACTORS 8				/* at most */
#define POWERS 30
#define ALTERNATIONS 12
#define LEVELS 500				/* of all columns: of more, time would be felt; their pairs say enough by themselves */

static const double EDGE = 1.1; /* times the largest eigenvalue that is expected of noise: a factor */
static const double RIDGE = 1e-3;	/* of the mean square of a loading: what a column says little of stays small */

typedef struct common
{
	const pegs_graph_fit *f;
	double	   *const *d;		/* [npairs] differences from independence, in rows */
	uint32_t   *first;			/* [ncols + 1] of a column's levels among all */
	double		least;			/* variance of a cell */
	uint32_t	n;				/* factors found */
	double	   *loading;		/* [levels of all][FACTORS] */
} common;

static double
weight_of(const common *c, const pegs_pair *pair)
{
	return c->least / pair->variance;
}

static const double *
loadings(const common *c, const pegs_pair *pair, int side, uint32_t level)
{
	return c->loading + (size_t) (c->first[pair->column[side]] + level) * FACTORS;
}

/* What the factors say of a cell. */
static double
said(const common *c, const pegs_pair *pair, uint32_t x, uint32_t y)
{
	const double *a = loadings(c, pair, 0, x);
	const double *b = loadings(c, pair, 1, y);
	double		sum = 0;

	for (uint32_t r = 0; r < c->n; r++)
		sum += a[r] * b[r];
	return sum;
}

/* to = what the factors leave, weighted, times v. */
static void
multiply(const common *c, const double *v, double *to)
{
	const pegs_fitted *model = c->f->model;

	memset(to, 0, sizeof(double) * c->first[model->ncols]);
	for (uint32_t p = 0; p < model->npairs; p++)
	{
		const pegs_pair *pair = &model->pair[p];
		double		w = weight_of(c, pair);
		uint32_t	a = c->first[pair->column[0]];
		uint32_t	b = c->first[pair->column[1]];

		c->f->env->check(c->f->env->context);
		for (uint32_t x = 0; x < pair->k[0]; x++)
			for (uint32_t y = 0; y < pair->k[1]; y++)
			{
				double		z = w * (c->d[p][(size_t) x * pair->k[1] + y] - said(c, pair, x, y));

				to[a + x] += z * v[b + y];
				to[b + y] += z * v[a + x];
			}
	}
}

/* The largest eigenvalue of what the factors leave, and its vector. */
static double
next_factor(const common *c, double *v, double *to)
{
	uint32_t	n = c->first[c->f->model->ncols];
	double		value = 0;
	double		length;

	for (uint32_t i = 0; i < n; i++)
		v[i] = i % 2 == 0 ? 1 + 1.0 / (i + 1) : -1;
	for (int step = 0; step < POWERS; step++)
	{
		double		size = 0;
		double		shift = value;

		multiply(c, v, to);
		value = 0;
		length = 0;
		for (uint32_t i = 0; i < n; i++)
		{
			value += v[i] * to[i];
			size += v[i] * v[i];
		}
		value /= size;
		/* a negative one as large must not win */
		for (uint32_t i = 0; i < n; i++)
		{
			to[i] += fabs(shift) / 2 * v[i];
			length += to[i] * to[i];
		}
		if (length == 0)
			return 0;
		for (uint32_t i = 0; i < n; i++)
			v[i] = to[i] / sqrt(length);
	}
	return value;
}

/* a[n * n] x = b[n * k] by elimination, in b; a is symmetric and has a ridge. */
static void
solve(uint32_t n, double (*a)[FACTORS], double *b, uint32_t k)
{
	for (uint32_t p = 0; p < n; p++)
		for (uint32_t i = 0; i < n; i++)
		{
			double		by = a[i][p] / a[p][p];

			if (i == p)
				continue;
			for (uint32_t j = p; j < n; j++)
				a[i][j] -= by * a[p][j];
			for (uint32_t j = 0; j < k; j++)
				b[(size_t) i * k + j] -= by * b[(size_t) p * k + j];
		}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < k; j++)
			b[(size_t) i * k + j] /= a[i][i];
}

/* Loadings of a column from those of all others: weighted least squares. */
static void
fit_column(common *c, uint32_t column, double *b)
{
	const pegs_graph_fit *f = c->f;
	uint32_t	m = f->model->ncols;
	uint32_t	k = f->model->levels[column];
	double		a[FACTORS][FACTORS] = {{0}};
	double		trace = 0;

	memset(b, 0, sizeof(double) * k * c->n);
	for (uint32_t other = 0; other < m; other++)
	{
		uint32_t	low = column < other ? column : other;
		uint32_t	high = column < other ? other : column;
		int32_t		number = column == other ? -1 : f->pair_of[(size_t) low * m + high];
		double		w;

		if (number < 0)
			continue;
		w = weight_of(c, &f->model->pair[number]);
		for (uint32_t y = 0; y < f->model->levels[other]; y++)
		{
			const double *l = c->loading + (size_t) (c->first[other] + y) * FACTORS;
			const double *d = c->d[number] + (column == low ? y : (size_t) y * k);
			size_t		step = column == low ? f->model->levels[other] : 1;

			for (uint32_t r = 0; r < c->n; r++)
			{
				for (uint32_t s = 0; s < c->n; s++)
					a[r][s] += w * l[r] * l[s];
				for (uint32_t x = 0; x < k; x++)
					b[(size_t) r * k + x] += w * l[r] * d[x * step];
			}
		}
	}
	for (uint32_t r = 0; r < c->n; r++)
		trace += a[r][r];
	for (uint32_t r = 0; r < c->n; r++)
		a[r][r] += RIDGE * trace / c->n;
	if (!(trace > 0))
		return;
	solve(c->n, a, b, k);
	for (uint32_t x = 0; x < k; x++)
		for (uint32_t r = 0; r < c->n; r++)
			c->loading[(size_t) (c->first[column] + x) * FACTORS + r] = b[(size_t) r * k + x];
}

/* Returns the part of all numbers that the factors could follow, noise or not. */
static double
find_factors(common *c)
{
	const pegs_fitted *model = c->f->model;
	uint32_t	levels = c->first[model->ncols];
	double	   *v = pegs_fit_alloc(c->f, 2 * (size_t) levels, sizeof(double));
	double	   *b = pegs_fit_alloc(c->f, (size_t) levels * FACTORS, sizeof(double));
	double		all = 0;
	double		free = 0;
	double		used = 0;
	bool		whole = true;	/* all pairs have all levels, as a cover measures them */

	for (uint32_t i = 0; i < model->ncols; i++)
		free += model->levels[i] - 1.0;
	for (uint32_t p = 0; p < model->npairs; p++)
	{
		all += pegs_pair_free(&model->pair[p]);
		whole &= model->pair[p].k[0] == model->levels[model->pair[p].column[0]] && model->pair[p].k[1] == model->levels[model->pair[p].column[1]];
	}
	/* of noise alone the largest eigenvalue is about 2 sd sqrt(free): Wigner */
	while (whole && c->n < FACTORS && levels <= LEVELS && used + free - c->n <= all / 2)
	{
		double		value = next_factor(c, v, v + levels);

		if (!(value > EDGE * 2 * sqrt(c->least * free)))
			break;
		for (uint32_t i = 0; i < levels; i++)
			c->loading[(size_t) i * FACTORS + c->n] = sqrt(value) * v[i];
		used += free - c->n++;
		for (int turn = 0; turn < ALTERNATIONS; turn++)
			for (uint32_t i = 0; i < model->ncols; i++)
			{
				c->f->env->check(c->f->env->context);
				fit_column(c, i, b);
			}
	}
	pegs_env_free(c->f->env, v);
	pegs_env_free(c->f->env, b);
	return all > 0 ? used / all : 0;
}

void
pegs_keep_common(const pegs_graph_fit *f, double *const *d)
{
	const pegs_fitted *model = f->model;
	common		c = {.f = f, .d = d, .least = INFINITY};
	pegs_estimate *left = pegs_fit_alloc(f, (size_t) model->npairs + 1, sizeof(pegs_estimate));
	double		followed;

	c.first = pegs_fit_alloc(f, (size_t) model->ncols + 1, sizeof(uint32_t));
	for (uint32_t i = 0; i < model->ncols; i++)
		c.first[i + 1] = c.first[i] + model->levels[i];
	c.loading = pegs_fit_alloc(f, (size_t) c.first[model->ncols] * FACTORS, sizeof(double));
	for (uint32_t p = 0; p < model->npairs; p++)
		c.least = fmin(c.least, model->pair[p].variance);
	followed = find_factors(&c);
	for (int pass = 0; pass < 2; pass++)
	{
		for (uint32_t p = 0; p < model->npairs; p++)
		{
			const pegs_pair *pair = &model->pair[p];

			f->env->check(f->env->context);
			left[p].free = pegs_pair_free(pair);
			left[p].variance = pair->variance * (1 - followed);
			left[p].scale = model->rows * pegs_spread(f, pair->column[0]) * pegs_spread(f, pair->column[1]) / fmax(1, left[p].free);
			for (uint32_t x = 0; x < pair->k[0]; x++)
			{
				f->env->check(f->env->context);
				for (uint32_t y = 0; y < pair->k[1]; y++)
				{
					double	   *z = &d[p][(size_t) x * pair->k[1] + y];
					double		rest = *z - said(&c, pair, x, y);

					if (pass == 0)
						left[p].squares += rest * rest;
					else
						*z -= (1 - left[p].keep) * rest;
				}
			}
		}
		if (pass == 0)
			pegs_keep_signal(f->env, model->npairs, left);
	}
	pegs_env_free(f->env, c.first);
	pegs_env_free(f->env, c.loading);
	pegs_env_free(f->env, left);
}
