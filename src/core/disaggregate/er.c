/*
 * er.c
 *	  Ecological regression: the averages explained by the means of the columns, and what explains them applied to everybody.
 *
 * What is true of groups need not be true of those in them (the ecological
 * fallacy). The ridge that foretells each group best from the others guards
 * against slopes that the groups do not support, and against no other mistake.
 */
#include "core/disaggregate/er.h"

#include "core/copula/eigen.h"

#include <math.h>
#include <string.h>

#define RIDGES 41
#define LEAST_LEFT 1e-3			/* of a row's own say: one that is alone in its direction is foretold by nothing */
#define SMALLEST 1e-13			/* of the largest eigenvalue: less is rounding */

/* What does not depend on the ridge. */
typedef struct parts
{
	size_t		p;
	uint32_t	rank;
	const double *w;
	const double *t;
	const double *leverage;
	double	   *value;			/* [rank] eigenvalues */
	double	   *vector;			/* [rank][m] */
	double	   *along;			/* [p][rank] the rows along the vectors */
	double	   *target;			/* [rank] */
} parts;

/* Those eigenvalues of n that are more than rounding come first: how many; the others' vectors go. */
static uint32_t
keep_large(uint32_t n, double *value, double *vector)
{
	double		largest = 0;
	uint32_t	kept = 0;

	for (uint32_t k = 0; k < n; k++)
		largest = fmax(largest, value[k]);
	for (size_t k = 0; k < n; k++)
		if (value[k] > SMALLEST * largest && value[k] > 1e-24)
		{
			value[kept] = value[k];
			memmove(vector + (size_t) kept++ * n, vector + k * n, sizeof(double) * n);
		}
	return kept;
}

/* Of Z'WZ: m x m. */
static pegs_status
by_columns(const pegs_env *env, uint32_t m, const double *z, parts *s, double **value, double **vector)
{
	double	   *gram = env->alloc(env->context, sizeof(double) * ((size_t) m * m + 1));
	pegs_status status;

	*vector = env->alloc(env->context, sizeof(double) * ((size_t) m * m + 1));
	*value = env->alloc(env->context, sizeof(double) * (m + 1));
	for (size_t g = 0; g < s->p; g++)
	{
		const double *row = z + g * m;

		env->check(env->context);
		for (size_t i = 0; i < m; i++)
		{
			if (row[i] == 0)
				continue;
			for (size_t j = i; j < m; j++)
				gram[i * m + j] += s->w[g] * row[i] * row[j];
		}
	}
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < i; j++)
			gram[i * m + j] = gram[j * m + i];
	status = m > 0 ? pegs_eigen(env, m, gram, *value, *vector) : PEGS_OK;
	pegs_env_free(env, gram);
	if (status == PEGS_OK)
		s->rank = keep_large(m, *value, *vector);
	return status;
}

/* More columns than groups: the same values are those of W^1/2 Z Z' W^1/2, p x p, and its vectors lead to the same ones. */
static pegs_status
by_groups(const pegs_env *env, uint32_t m, const double *z, parts *s, double **value, double **vector)
{
	uint32_t	p = (uint32_t) s->p;
	double	   *gram = env->alloc(env->context, sizeof(double) * ((size_t) p * p + 1));
	double	   *of_groups = env->alloc(env->context, sizeof(double) * ((size_t) p * p + 1));
	pegs_status status;

	*value = env->alloc(env->context, sizeof(double) * (p + 1));
	for (size_t g = 0; g < p; g++)
		for (size_t h = 0; h <= g; h++)
		{
			double		sum = 0;

			env->check(env->context);
			for (size_t j = 0; j < m; j++)
				sum += z[g * m + j] * z[h * m + j];
			gram[g * p + h] = gram[h * p + g] = sqrt(s->w[g]) * sqrt(s->w[h]) * sum;
		}
	status = p > 0 ? pegs_eigen(env, p, gram, *value, of_groups) : PEGS_OK;
	pegs_env_free(env, gram);
	if (status != PEGS_OK)
		return status;
	s->rank = keep_large(p, *value, of_groups);
	*vector = env->alloc(env->context, sizeof(double) * ((size_t) s->rank * m + 1));
	for (size_t k = 0; k < s->rank; k++)
		for (size_t g = 0; g < p; g++)
		{
			double		share = sqrt(s->w[g]) * of_groups[k * p + g] / sqrt((*value)[k]);

			env->check(env->context);
			for (size_t j = 0; j < m; j++)
				(*vector)[k * m + j] += share * z[g * m + j];
		}
	pegs_env_free(env, of_groups);
	return PEGS_OK;
}

static pegs_status
take_apart(const pegs_env *env, uint32_t m, const double *z, parts *s)
{
	double	   *vector = NULL;
	double	   *value = NULL;
	pegs_status status = m > s->p ? by_groups(env, m, z, s, &value, &vector) : by_columns(env, m, z, s, &value, &vector);

	if (status != PEGS_OK)
		return status;
	s->value = value;
	s->vector = vector;
	s->along = env->alloc(env->context, sizeof(double) * (s->p * s->rank + 1));
	s->target = env->alloc(env->context, sizeof(double) * (s->rank + 1));
	for (size_t g = 0; g < s->p; g++)
	{
		env->check(env->context);
		for (size_t k = 0; k < s->rank; k++)
		{
			double		sum = 0;

			for (size_t j = 0; j < m; j++)
				sum += z[g * m + j] * vector[k * m + j];
			s->along[g * s->rank + k] = sum;
			s->target[k] += s->w[g] * s->t[g] * sum;
		}
	}
	return PEGS_OK;
}

static double
press_of(const pegs_env *env, const parts *s, double lambda)
{
	double		sum = 0;

	for (size_t g = 0; g < s->p; g++)
	{
		double		h = s->leverage ? s->leverage[g] : 0;
		double		off = s->t[g];

		if (g % 1024 == 0)
			env->check(env->context);
		for (size_t k = 0; k < s->rank; k++)
		{
			double		a = s->along[g * s->rank + k];

			h += s->w[g] * a * a / (s->value[k] + lambda);
			off -= a * s->target[k] / (s->value[k] + lambda);
		}
		off /= fmax(1 - h, LEAST_LEFT);
		sum += s->w[g] * off * off;
	}
	return sum;
}

pegs_status
pegs_ridge_fit(const pegs_env *env, size_t p, uint32_t m, const double *z, const double *w, const double *t,
			   const double *leverage, pegs_ridge *ridge, double *b)
{
	parts		s = {.p = p, .w = w, .t = t, .leverage = leverage};
	pegs_status status = take_apart(env, m, z, &s);
	double		largest = 0;

	if (status != PEGS_OK)
		return status;
	for (uint32_t k = 0; k < s.rank; k++)
		largest = fmax(largest, s.value[k]);
	if (isnan(ridge->lambda))
	{
		double		best = press_of(env, &s, 0);

		ridge->lambda = 0;
		for (int i = 0; i < RIDGES && s.rank > 0; i++)
		{
			double		lambda = largest * pow(10, -6 + 10.0 * i / (RIDGES - 1));
			double		press = press_of(env, &s, lambda);

			if (press < best)
			{
				best = press;
				ridge->lambda = lambda;
			}
		}
	}
	ridge->press = sqrt(press_of(env, &s, ridge->lambda));
	ridge->rank = s.rank;
	memset(b, 0, sizeof(double) * m);
	for (size_t k = 0; k < s.rank; k++)
		for (size_t j = 0; j < m; j++)
			b[j] += s.vector[k * m + j] * s.target[k] / (s.value[k] + ridge->lambda);
	pegs_env_free(env, s.value);
	pegs_env_free(env, s.vector);
	pegs_env_free(env, s.along);
	pegs_env_free(env, s.target);
	return PEGS_OK;
}

/* Rows of all levels, one below the other, without their weighted means. */
typedef struct stacked
{
	size_t		p;
	double	   *z;				/* [p][m] */
	double	   *w;				/* [p] adds up to 1 */
	double	   *t;				/* [p] */
	double	   *middle;			/* [m] what was taken away of the columns */
	double		mean;			/* of the averages */
} stacked;

static stacked
stack(const pegs_env *env, const pegs_individuals *all, bool weighted)
{
	stacked		s = {0};
	size_t		at = 0;

	for (uint32_t l = 0; l < all->nlevels; l++)
		s.p += all->level[l].n;
	s.z = env->alloc(env->context, sizeof(double) * (s.p * all->m + 1));
	s.w = env->alloc(env->context, sizeof(double) * s.p);
	s.t = env->alloc(env->context, sizeof(double) * s.p);
	s.middle = env->alloc(env->context, sizeof(double) * (all->m + 1));
	for (uint32_t l = 0; l < all->nlevels; l++)
		for (size_t g = 0; g < all->level[l].n; g++, at++)
		{
			s.w[at] = weighted ? all->level[l].size[g] / (double) all->rows / all->nlevels : 1 / (double) s.p;
			s.t[at] = all->level[l].average[g];
			memcpy(s.z + at * all->m, all->level[l].x + g * all->m, sizeof(double) * all->m);
		}
	for (size_t g = 0; g < s.p; g++)
	{
		s.mean += s.w[g] * s.t[g];
		for (uint32_t j = 0; j < all->m; j++)
			s.middle[j] += s.w[g] * s.z[g * all->m + j];
	}
	for (size_t g = 0; g < s.p; g++)
	{
		s.t[g] -= s.mean;
		for (uint32_t j = 0; j < all->m; j++)
			s.z[g * all->m + j] -= s.middle[j];
	}
	return s;
}

pegs_status
pegs_spread_er(const pegs_env *env, const pegs_individuals *all, bool weighted, pegs_ridge *ridge, double *y)
{
	stacked		s = stack(env, all, weighted);
	double	   *b = env->alloc(env->context, sizeof(double) * (all->m + 1));
	pegs_status status = pegs_ridge_fit(env, s.p, all->m, s.z, s.w, s.t, s.w, ridge, b);

	for (uint64_t i = 0; i < all->rows && status == PEGS_OK; i++)
	{
		double		sum = s.mean;

		if (i % 1024 == 0)
			env->check(env->context);
		for (uint32_t j = 0; j < all->m; j++)
			sum += (all->x[i * all->m + j] - s.middle[j]) * b[j];
		y[i] = sum;
	}
	return status;
}

double
pegs_press_of_mean(const pegs_individuals *all)
{
	double		mean = 0;
	double		sum = 0;

	for (uint32_t l = 0; l < all->nlevels; l++)
		for (size_t g = 0; g < all->level[l].n; g++)
			mean += all->level[l].size[g] / (double) all->rows / all->nlevels * all->level[l].average[g];
	for (uint32_t l = 0; l < all->nlevels; l++)
		for (size_t g = 0; g < all->level[l].n; g++)
		{
			double		w = all->level[l].size[g] / (double) all->rows / all->nlevels;
			double		off = (all->level[l].average[g] - mean) / fmax(1 - w, LEAST_LEFT);

			sum += w * off * off;
		}
	return sqrt(sum);
}

/* The ridge solution of a group is a multiple of the means of its columns: each group has one equation of its own. */
void
pegs_spread_effects(const pegs_env *env, const pegs_individuals *all, uint32_t n, const uint32_t *column, double lambda, double *y)
{
	const pegs_averages *level = &all->level[0];
	double	   *factor = env->alloc(env->context, sizeof(double) * level->n);

	pegs_group_means(env, all, level, y, factor);
	for (size_t g = 0; g < level->n; g++)
	{
		double		square = 0;

		for (uint32_t k = 0; k < n; k++)
			square += level->x[g * all->m + column[k]] * level->x[g * all->m + column[k]];
		factor[g] = level->size[g] * (level->average[g] - factor[g]) / (level->size[g] * square + lambda);
	}
	for (uint64_t i = 0; i < all->rows; i++)
	{
		const double *mean = level->x + (size_t) level->of[i] * all->m;

		if (i % 1024 == 0)
			env->check(env->context);
		for (uint32_t k = 0; k < n; k++)
			y[i] += all->x[i * all->m + column[k]] * mean[column[k]] * factor[level->of[i]];
	}
	pegs_env_free(env, factor);
}
