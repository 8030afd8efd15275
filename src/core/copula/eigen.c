/*
 * eigen.c
 *	  Eigenvalues and eigenvectors of a symmetric matrix.
 *
 * Householder's reflections make it tridiagonal, implicit QL steps make that
 * diagonal (Golub, Van Loan, chapter 8). Vectors are kept as rows, so that every inner loop runs over
 * neighbours in memory.
 *
 * Post-processing: it reads released numbers only.
 */
#include "core/copula/eigen.h"

#include <math.h>
#include <string.h>

#define MAX_STEPS 60			/* QL steps for an eigenvalue: three are usual */

/* y -= factor x */
static void
subtract(double *y, const double *x, double factor, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		y[i] -= factor * x[i];
}

static double
dot(const double *x, const double *y, uint32_t n)
{
	double		sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += x[i] * y[i];
	return sum;
}

/*
 * Reflection k leaves of column k the diagonal and one below. Its vector, of
 * length sqrt(2), stays where that column was: in row k, from k + 1 on; zeros: none was needed.
 */
static void
reflect(uint32_t n, double *a, uint32_t k, double *off, double *p)
{
	uint32_t	m = n - k - 1;
	double	   *v = &a[(size_t) k * n + k + 1];
	double		length = sqrt(dot(v, v, m));
	double		half;

	*off = v[0];
	if (m == 1 || length == 0 || length == fabs(v[0]))
	{
		memset(v, 0, sizeof(double) * m);
		return;
	}
	*off = v[0] > 0 ? -length : length;
	v[0] -= *off;
	length = sqrt(dot(v, v, m) / 2);
	for (uint32_t i = 0; i < m; i++)
		v[i] /= length;
	for (uint32_t i = 0; i < m; i++)
		p[i] = dot(&a[(size_t) (k + 1 + i) * n + k + 1], v, m);
	half = dot(p, v, m) / 2;
	subtract(p, v, half, m);
	for (uint32_t i = 0; i < m; i++)
	{
		double	   *row = &a[(size_t) (k + 1 + i) * n + k + 1];

		subtract(row, p, v[i], m);
		subtract(row, v, p[i], m);
	}
}

/* The product of all reflections, transposed: its rows are what QL turns. */
static void
accumulate(const pegs_env *env, uint32_t n, const double *a, double *vector, double *p)
{
	memset(vector, 0, sizeof(double) * n * n);
	for (uint32_t i = 0; i < n; i++)
		vector[(size_t) i * n + i] = 1;
	for (uint32_t k = n - 1; k-- > 0;)
	{
		const double *v = &a[(size_t) k * n + k + 1];
		uint32_t	m = n - k - 1;

		env->check(env->context);
		/* vector is (H_{k+1} ... )^T so far, and becomes its product with H_k */
		for (uint32_t i = 0; i < m; i++)
		{
			double	   *row = &vector[(size_t) (k + 1 + i) * n + k + 1];

			p[0] = dot(row, v, m);
			subtract(row, v, p[0], m);
		}
	}
}

/* The first place from l on behind which the matrix falls apart. */
static uint32_t
end_of_block(uint32_t n, const double *value, const double *off, uint32_t l)
{
	for (; l + 1 < n; l++)
	{
		double		size = fabs(value[l]) + fabs(value[l + 1]);

		if (fabs(off[l]) <= 0x1p-53 * size)
			break;
	}
	return l;
}

/* One implicit QL step on l .. m. */
static void
turn(uint32_t n, double *value, double *off, double *vector, uint32_t l, uint32_t m)
{
	double		g = (value[l + 1] - value[l]) / (2 * off[l]);
	double		r = hypot(g, 1);
	double		s = 1;
	double		c = 1;
	double		p = 0;

	g = value[m] - value[l] + off[l] / (g + copysign(r, g));
	for (uint32_t i = m; i-- > l;)
	{
		double		f = s * off[i];
		double		b = c * off[i];
		double	   *x = &vector[(size_t) i * n];
		double	   *y = x + n;

		off[i + 1] = r = hypot(f, g);
		if (r == 0)
		{
			value[i + 1] -= p;
			off[m] = 0;
			return;
		}
		s = f / r;
		c = g / r;
		g = value[i + 1] - p;
		r = (value[i] - g) * s + 2 * c * b;
		p = s * r;
		value[i + 1] = g + p;
		g = c * r - b;
		for (uint32_t k = 0; k < n; k++)
		{
			double		high = y[k];

			y[k] = s * x[k] + c * high;
			x[k] = c * x[k] - s * high;
		}
	}
	value[l] -= p;
	off[l] = g;
	off[m] = 0;
}

pegs_status
pegs_eigen(const pegs_env *env, uint32_t n, double *a, double *value, double *vector)
{
	double	   *p = env->alloc(env->context, 2 * sizeof(double) * n);
	double	   *off = p + n;
	pegs_status status = PEGS_OK;

	for (uint32_t k = 0; k < n; k++)
	{
		env->check(env->context);
		value[k] = a[(size_t) k * n + k];
		if (k + 1 < n)
			reflect(n, a, k, &off[k], p);
	}
	off[n - 1] = 0;
	accumulate(env, n, a, vector, p);
	for (uint32_t l = 0; status == PEGS_OK && l < n; l++)
		for (int steps = 0;; steps++)
		{
			uint32_t	m = end_of_block(n, value, off, l);

			env->check(env->context);
			if (m == l)
				break;
			if (steps == MAX_STEPS)
			{
				status = PEGS_ERR_RANGE;
				break;
			}
			turn(n, value, off, vector, l, m);
		}
	pegs_env_free(env, p);
	return status;
}
