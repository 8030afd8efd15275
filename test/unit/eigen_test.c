/*
 * eigen_test.c
 *	  Eigenvalues and eigenvectors: put back together they are the matrix.
 */
#include "core/copula/eigen.h"

#include <string.h>

#define STREAM_SALT [1] = 64
#include "fixture.h"
#include "unit.h"

static double
cell(void)
{
	return 2 * pegs_rng_double(&rng) - 1;
}

/* a = sum of value v v^T, and the v are orthonormal. */
static void
check(uint32_t n, const double *a, const double *value, const double *vector, double size)
{
	double		off = 0;
	double		skew = 0;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n; j++)
		{
			double		sum = 0;
			double		dot = 0;

			for (uint32_t e = 0; e < n; e++)
			{
				sum += value[e] * vector[e * n + i] * vector[e * n + j];
				dot += vector[i * n + e] * vector[j * n + e];
			}
			off = fmax(off, fabs(sum - a[i * n + j]));
			skew = fmax(skew, fabs(dot - (i == j)));
		}
	CHECK(off <= 1e-13 * n * size);
	CHECK(skew <= 1e-13 * n);
}

static void
solve(uint32_t n, const double *a, double size, double *value)
{
	double	   *copy = env.alloc(env.context, sizeof(double) * n * n);
	double	   *vector = env.alloc(env.context, sizeof(double) * n * n);

	memcpy(copy, a, sizeof(double) * n * n);
	CHECK(pegs_eigen(&env, n, copy, value, vector) == PEGS_OK);
	check(n, a, value, vector, size);
}

/* Any matrix, of few columns and of many; of low rank; of numbers that are far apart; none but zeros. */
static void
test_any(void)
{
	static const uint32_t sizes[] = {1, 2, 3, 4, 5, 8, 17, 60};

	start(1);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		for (int kind = 0; kind < 5; kind++)
		{
			uint32_t	n = sizes[s];
			double	   *a = env.alloc(env.context, sizeof(double) * n * n);
			double	   *v = env.alloc(env.context, sizeof(double) * n);
			double	   *value = env.alloc(env.context, sizeof(double) * n);
			double		size = 1;

			for (uint32_t i = 0; i < n; i++)
				v[i] = cell();
			for (uint32_t i = 0; i < n; i++)
				for (uint32_t j = 0; j <= i; j++)
				{
					double		x = kind == 0 ? cell() : kind == 1 ? v[i] * v[j] : kind == 2 ? (i == j) : kind == 3 ? 0 : ldexp(cell(), (int) (i + j) % 40);

					a[i * n + j] = a[j * n + i] = x;
					size = fmax(size, fabs(x));
				}
			solve(n, a, size, value);
			arena_free(&memory);
		}
}

/* Known ones: of 1 on the diagonal and r beside it 1 + (n - 1) r, and 1 - r. */
static void
test_known(void)
{
	enum { N = 30 };
	double		a[N * N];
	double		value[N];
	int			large = 0;

	for (int i = 0; i < N * N; i++)
		a[i] = i % (N + 1) == 0 ? 1 : 0.3;
	solve(N, a, 1, value);
	for (int i = 0; i < N; i++)
	{
		bool		first = value[i] > 2;

		large += first;
		CHECK_NEAR(value[i], first ? 1 + (N - 1) * 0.3 : 0.7, 1e-12);
	}
	CHECK_INT(large, 1);
	arena_free(&memory);
}

int
main(void)
{
	test_any();
	test_known();
	return unit_done("eigen_test");
}
