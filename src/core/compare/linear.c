/*
 * linear.c
 *	  The little dense linear algebra that the regressions need.
 *
 * Every inner loop runs along rows. What takes n^3 steps goes by blocks, which
 * stay in the cache: n may be some thousands. Each entry is subtracted from in
 * the order of the rows all the same, so blocks round as one row after the
 * other would, and no result depends on their size.
 */
#include "core/compare/linear.h"

#include <math.h>
#include <string.h>

static const double SMALLEST_PIVOT = 1e-14;
static const double SMALLEST_EIGENVALUE = 1e-9;

#define BLOCK 32				/* rows */
#define TILE 512				/* columns */

typedef double two __attribute__((vector_size(16), aligned(8), may_alias));

/* row -= factor[0] * above[0], then factor[1] * above[1], ...: n entries, each in this order */
static void
subtract(double *row, size_t n, uint32_t rows, const double *const *above, const double *factor)
{
	size_t		pairs = n - n % 2;

	for (uint32_t i = 0; i < rows; i += 4)
	{
		uint32_t	m = rows - i < 4 ? rows - i : 4;

		if (m == 4)
		{
			const double *const *a = above + i;
			const two	f[4] = {{factor[i], factor[i]}, {factor[i + 1], factor[i + 1]}, {factor[i + 2], factor[i + 2]}, {factor[i + 3], factor[i + 3]}};

			for (size_t j = 0; j < pairs; j += 2)
				*(two *) (row + j) = *(two *) (row + j) - f[0] * *(const two *) (a[0] + j) - f[1] * *(const two *) (a[1] + j)
					- f[2] * *(const two *) (a[2] + j) - f[3] * *(const two *) (a[3] + j);
			if (pairs < n)
				row[pairs] = row[pairs] - factor[i] * a[0][pairs] - factor[i + 1] * a[1][pairs] - factor[i + 2] * a[2][pairs] - factor[i + 3] * a[3][pairs];
			continue;
		}
		for (uint32_t k = i; k < i + m; k++)
			for (size_t j = 0; j < n; j++)
				row[j] -= factor[k] * above[k][j];
	}
}

/* Rows first..last - 1 of the factor are taken away from row k, from column `from` to `to`. */
static void
take_away(double *a, size_t n, size_t first, size_t last, size_t k, size_t from, size_t to)
{
	const double *above[BLOCK];
	double		factor[BLOCK];
	uint32_t	rows = 0;

	/* dummies of one column never meet: many entries are 0 */
	for (size_t i = first; i < last; i++)
		if (a[i * n + k] != 0)
		{
			above[rows] = a + i * n + from;
			factor[rows++] = a[i * n + k];
		}
	subtract(a + k * n + from, to - from, rows, above, factor);
}

bool
pegs_cholesky(const pegs_env *env, uint32_t n, double *a)
{
	for (size_t top = 0; top < n; top += BLOCK)
	{
		size_t		end = top + BLOCK < n ? top + BLOCK : n;
		double		diagonal[BLOCK];

		for (size_t k = top; k < end; k++)
			diagonal[k - top] = a[k * n + k];
		for (size_t first = 0; first < top; first += BLOCK)
		{
			env->check(env->context);
			for (size_t from = top; from < n; from += TILE)
				for (size_t k = top; k < end; k++)
					if (from + TILE > k)
						take_away(a, n, first, first + BLOCK, k, from > k ? from : k, from + TILE < n ? from + TILE : n);
		}
		for (size_t k = top; k < end; k++)
		{
			double	   *row = a + k * n;
			double		root;

			env->check(env->context);
			take_away(a, n, top, k, k, k, n);
			/* written so that NaN fails */
			if (!(row[k] > SMALLEST_PIVOT * diagonal[k - top] && row[k] > 0 && isfinite(row[k])))
				return false;
			root = sqrt(row[k]);
			for (size_t j = k; j < n; j++)
				row[j] /= root;
		}
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

/* Pivots that were chosen and are not taken away yet: a row of `part` each, what they are of the others. */
typedef struct pivots
{
	uint32_t	n;
	size_t		size;
	double	   *part;			/* [BLOCK][size] */
} pivots;

/* Entry (j, pivot) less what the pivots of the block take away, for all j, along the pivot. */
static void
next_part(pivots *p, const double *a, size_t pivot, const double *taken, double root)
{
	double	   *part = p->part + p->n * p->size;
	const double *above[BLOCK];
	double		factor[BLOCK];
	uint32_t	rows = 0;

	for (size_t j = 0; j < p->size; j++)
		part[j] = j < pivot ? a[j * p->size + pivot] : a[pivot * p->size + j];
	for (uint32_t i = 0; i < p->n; i++)
		if (p->part[i * p->size + pivot] != 0)
		{
			above[rows] = p->part + i * p->size;
			factor[rows++] = p->part[i * p->size + pivot];
		}
	subtract(part, p->size, rows, above, factor);
	for (size_t j = 0; j < p->size; j++)
		part[j] = taken[j] != 0 ? 0 : part[j] / root;
	p->n++;
}

/* What is left of the others when their parts along the pivots are taken away. */
static void
take_pivots(const pegs_env *env, pivots *p, double *a, const double *taken)
{
	for (size_t i = 0; i < p->size; i++)
	{
		const double *above[BLOCK];
		double		factor[BLOCK];
		uint32_t	rows = 0;

		if (i % BLOCK == 0)
			env->check(env->context);
		for (uint32_t k = 0; k < p->n && taken[i] == 0; k++)
			if (p->part[k * p->size + i] != 0)
			{
				above[rows] = p->part + k * p->size + i;
				factor[rows++] = p->part[k * p->size + i];
			}
		subtract(a + i * p->size + i, p->size - i, rows, above, factor);
	}
	p->n = 0;
}

uint32_t
pegs_gram_rank(const pegs_env *env, uint32_t n, double *a, double *work)
{
	double		limit = SMALLEST_EIGENVALUE * fmax(largest_eigenvalue(env, n, a, work, work + n), 1);
	double	   *diagonal = work;	/* as it is when all pivots so far are taken away */
	double	   *taken = work + n;	/* 1: its pivot is counted */
	pivots		p = {.size = n, .part = env->alloc(env->context, sizeof(double) * BLOCK * (n + 1))};
	uint32_t	rank;

	memset(taken, 0, sizeof(double) * n);
	for (size_t j = 0; j < n; j++)
		diagonal[j] = a[j * n + j];
	for (rank = 0; rank < n; rank++)
	{
		size_t		pivot = n;
		const double *part = p.part + p.n * p.size;

		env->check(env->context);
		for (size_t j = 0; j < n; j++)
			if (taken[j] == 0 && diagonal[j] > (pivot == n ? limit : diagonal[pivot]))
				pivot = j;
		if (pivot == n)
			break;
		next_part(&p, a, pivot, taken, sqrt(diagonal[pivot]));
		taken[pivot] = 1;
		for (size_t j = 0; j < n; j++)
			diagonal[j] -= part[j] * part[j];
		if (p.n == BLOCK)
			take_pivots(env, &p, a, taken);
	}
	pegs_env_free(env, p.part);
	return rank;
}
