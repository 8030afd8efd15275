/*
 * linear.c
 *	  The little dense linear algebra that the regressions need.
 *
 * Every inner loop runs along rows, so that no call strides through memory;
 * beyond that nothing is done for speed: n is some hundreds.
 */
#include "core/compare/linear.h"

#include <math.h>
#include <string.h>

static const double SMALLEST_PIVOT = 1e-14;
static const double SMALLEST_EIGENVALUE = 1e-9;

bool
pegs_cholesky(const pegs_env *env, uint32_t n, double *a)
{
	for (size_t k = 0; k < n; k++)
	{
		double	   *row = a + k * n;
		double		diagonal = row[k];
		double		root;

		env->check(env->context);
		for (size_t i = 0; i < k; i++)
		{
			const double *above = a + i * n;
			double		factor = above[k];

			/* dummies of one column never meet: many entries are 0 */
			if (factor == 0)
				continue;
			for (size_t j = k; j < n; j++)
				row[j] -= factor * above[j];
		}
		/* written so that NaN fails */
		if (!(row[k] > SMALLEST_PIVOT * diagonal && row[k] > 0 && isfinite(row[k])))
			return false;
		root = sqrt(row[k]);
		for (size_t j = k; j < n; j++)
			row[j] /= root;
	}
	return true;
}

void
pegs_cholesky_solve(uint32_t n, const double *u, double *x)
{
	/* U' y = x, from above: what is solved leaves the rest */
	for (size_t i = 0; i < n; i++)
	{
		x[i] /= u[i * n + i];
		for (size_t j = i + 1; j < n; j++)
			x[j] -= u[i * n + j] * x[i];
	}
	for (size_t i = n; i-- > 0;)
	{
		for (size_t j = i + 1; j < n; j++)
			x[i] -= u[i * n + j] * x[j];
		x[i] /= u[i * n + i];
	}
}

void
pegs_cholesky_inverse(const pegs_env *env, uint32_t n, const double *u, double *inverse)
{
	/* W = U^-1, upper, its last row first: W[i] = (e_i - sum_{k>i} U[i][k] W[k]) / U[i][i] */
	for (size_t i = n; i-- > 0;)
	{
		double	   *row = inverse + i * n;

		env->check(env->context);
		memset(row, 0, sizeof(double) * n);
		row[i] = 1;
		for (size_t k = i + 1; k < n; k++)
		{
			const double *below = inverse + k * n;
			double		factor = u[i * n + k];

			if (factor == 0)
				continue;
			for (size_t j = k; j < n; j++)
				row[j] -= factor * below[j];
		}
		for (size_t j = i; j < n; j++)
			row[j] /= u[i * n + i];
	}
	/* W W', in place: entry (i, j) needs rows i and j of W from column j on */
	for (size_t i = 0; i < n; i++)
	{
		env->check(env->context);
		for (size_t j = i; j < n; j++)
		{
			double		sum = 0;

			for (size_t k = j; k < n; k++)
				sum += inverse[i * n + k] * inverse[j * n + k];
			inverse[i * n + j] = sum;
		}
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			inverse[j * n + i] = inverse[i * n + j];
}

/*
 * By powers. Without negative entries its vector has none either, so the vector
 * of ones is not orthogonal to it, and the quotient grows towards the eigenvalue.
 */
static double
largest_eigenvalue(const pegs_env *env, uint32_t n, const double *a, double *x, double *y)
{
	double		value = 0;

	for (size_t i = 0; i < n; i++)
		x[i] = 1 / sqrt(n);
	for (int turn = 0; turn < 1000; turn++)
	{
		double		before = value;

		env->check(env->context);
		memset(y, 0, sizeof(double) * n);
		for (size_t i = 0; i < n; i++)
		{
			const double *row = a + i * n;

			y[i] += row[i] * x[i];
			for (size_t j = i + 1; j < n; j++)
			{
				y[i] += row[j] * x[j];
				y[j] += row[j] * x[i];
			}
		}
		value = 0;
		for (size_t i = 0; i < n; i++)
			value += y[i] * y[i];
		value = sqrt(value);
		if (!(value > 0) || fabs(value - before) <= 1e-9 * value)
			break;
		for (size_t i = 0; i < n; i++)
			x[i] = y[i] / value;
	}
	return value;
}

uint32_t
pegs_gram_rank(const pegs_env *env, uint32_t n, double *a, double *work)
{
	double		limit = SMALLEST_EIGENVALUE * fmax(largest_eigenvalue(env, n, a, work, work + n), 1);
	double	   *column = work;
	double	   *taken = work + n;	/* 1: its pivot is counted */

	memset(taken, 0, sizeof(double) * n);
	for (uint32_t rank = 0; rank < n; rank++)
	{
		size_t		pivot = n;
		double		root;

		env->check(env->context);
		for (size_t j = 0; j < n; j++)
			if (taken[j] == 0 && a[j * n + j] > (pivot == n ? limit : a[pivot * n + pivot]))
				pivot = j;
		if (pivot == n)
			return rank;
		root = sqrt(a[pivot * n + pivot]);
		for (size_t j = 0; j < n; j++)
			column[j] = taken[j] != 0 ? 0 : (j < pivot ? a[j * n + pivot] : a[pivot * n + j]) / root;
		taken[pivot] = 1;
		/* what is left of the others when their part along the pivot is taken away */
		for (size_t i = 0; i < n; i++)
		{
			double	   *row = a + i * n;
			double		factor = column[i];

			if (taken[i] != 0 || factor == 0)
				continue;
			for (size_t j = i; j < n; j++)
				row[j] -= factor * column[j];
		}
	}
	return n;
}
