/*
 * correlation.c
 *	  Numbers that were estimated one by one to a matrix of correlations.
 *
 * Each of them has noise of its own, so that all together may belong to no
 * normals: eigenvalues below zero.
 *
 * Post-processing: it reads released numbers only.
 */
#include "core/copula/correlation.h"

#include <math.h>
#include <string.h>

#include "core/copula/eigen.h"

#define MAX_PROJECTIONS 100		/* of Higham's */
#define CLOSE_ENOUGH 1e-10		/* a step of his: of a number of the matrix, on the average */

bool
pegs_factor_correlation(const pegs_env *env, uint32_t n, const double *r, double least, double *l)
{
	for (uint32_t i = 0; i < n; i++)
	{
		double	   *row = &l[pegs_packed(i, 0)];

		env->check(env->context);
		for (uint32_t j = 0; j <= i; j++)
		{
			const double *other = &l[pegs_packed(j, 0)];
			double		sum = r[(size_t) i * n + j] - (i == j ? least : 0);

			for (uint32_t k = 0; k < j; k++)
				sum -= row[k] * other[k];
			if (i > j)
				row[j] = sum / other[j];
			else if (!(sum > 1e-15))
				return false;
			else
				row[i] = sqrt(sum);
		}
	}
	return true;
}

static bool
is_correlation(const pegs_env *env, uint32_t n, const double *r)
{
	double	   *l = env->alloc(env->context, sizeof(double) * pegs_packed(n, 0));
	bool		is = pegs_factor_correlation(env, n, r, PEGS_LEAST_EIGENVALUE, l);

	pegs_env_free(env, l);
	return is;
}

/*
 * r with its eigenvalues not below `least`. Where they are not found r is drawn
 * towards I, until it may be: off by more, and a matrix of correlations all the same.
 */
static void
lift(const pegs_env *env, uint32_t n, double *r, double least)
{
	size_t		cells = (size_t) n * n;
	double	   *a = env->alloc(env->context, sizeof(double) * cells);
	double	   *vector = env->alloc(env->context, sizeof(double) * cells);
	double	   *value = env->alloc(env->context, sizeof(double) * n);

	memcpy(a, r, sizeof(double) * cells);
	if (pegs_eigen(env, n, a, value, vector) != PEGS_OK)
		for (size_t k = 0; k < cells; k++)
			r[k] /= k % (n + 1) == 0 ? 1 : n;
	else
		for (uint32_t e = 0; e < n; e++)
		{
			const double *v = &vector[(size_t) e * n];

			env->check(env->context);
			for (uint32_t i = 0; value[e] < least && i < n; i++)
				for (uint32_t j = 0; j < n; j++)
					r[(size_t) i * n + j] += (least - value[e]) * v[i] * v[j];
		}
	pegs_env_free(env, value);
	pegs_env_free(env, vector);
	pegs_env_free(env, a);
}

/* Back to 1 on the diagonal. */
static void
rescale(const pegs_env *env, uint32_t n, double *r)
{
	double	   *scale = env->alloc(env->context, sizeof(double) * n);

	for (uint32_t i = 0; i < n; i++)
		scale[i] = 1 / sqrt(r[(size_t) i * n + i]);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n; j++)
			r[(size_t) i * n + j] = i == j ? 1 : r[(size_t) i * n + j] * scale[i] * scale[j];
	pegs_env_free(env, scale);
}

void
pegs_lift_correlation(const pegs_env *env, uint32_t n, double *r)
{
	if (is_correlation(env, n, r))
		return;
	lift(env, n, r, PEGS_LEAST_EIGENVALUE);
	rescale(env, n, r);
}

/* By turns onto the matrices of no eigenvalue below, and onto those with 1 on the diagonal; Dykstra's correction. */
void
pegs_nearest_correlation(const pegs_env *env, uint32_t n, double *r)
{
	size_t		cells = (size_t) n * n;
	double	   *correction;
	double	   *before;

	if (is_correlation(env, n, r))
		return;
	correction = env->alloc(env->context, sizeof(double) * cells);
	before = env->alloc(env->context, sizeof(double) * cells);
	for (int turn = 0; turn < MAX_PROJECTIONS; turn++)
	{
		double		moved = 0;

		memcpy(before, r, sizeof(double) * cells);
		for (size_t k = 0; k < cells; k++)
			correction[k] = r[k] -= correction[k];
		lift(env, n, r, PEGS_LEAST_EIGENVALUE);
		for (size_t k = 0; k < cells; k++)
			correction[k] = r[k] - correction[k];
		for (uint32_t i = 0; i < n; i++)
			r[(size_t) i * n + i] = 1;
		for (size_t k = 0; k < cells; k++)
			moved += fabs(r[k] - before[k]);
		if (moved <= CLOSE_ENOUGH * (double) cells)
			break;
	}
	pegs_env_free(env, before);
	pegs_env_free(env, correction);
	pegs_lift_correlation(env, n, r);
}
