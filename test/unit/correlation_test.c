/*
 * correlation_test.c
 *	  What is no matrix of correlations becomes one; what is one stays.
 */
#include "core/copula/correlation.h"

#include <string.h>

#define STREAM_SALT [1] = 65
#include "fixture.h"
#include "unit.h"

#define N 12

static void
any_matrix(double *r, double size)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j <= i; j++)
			r[i * N + j] = r[j * N + i] = i == j ? 1 : size * (2 * pegs_rng_double(&rng) - 1);
}

static bool
is_correlation(const double *r)
{
	double		l[N * (N + 1) / 2];

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			if (r[i * N + i] != 1 || fabs(r[i * N + j] - r[j * N + i]) > 1e-14 || fabs(r[i * N + j]) > 1)
				return false;
	return pegs_factor_correlation(&env, N, r, 0, l);
}

static double
distance(const double *a, const double *b)
{
	double		sum = 0;

	for (int i = 0; i < N * N; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sqrt(sum);
}

/* The factor times itself is the matrix, and it stays. */
static void
test_sound(void)
{
	double		r[N * N];
	double		before[N * N];
	double		l[N * (N + 1) / 2];

	start(1);
	for (int turn = 0; turn < 50; turn++)
	{
		any_matrix(r, 1.0 / N);
		memcpy(before, r, sizeof(r));
		pegs_lift_correlation(&env, N, r);
		pegs_nearest_correlation(&env, N, r);
		CHECK(memcmp(before, r, sizeof(r)) == 0);
		CHECK(pegs_factor_correlation(&env, N, r, 0, l));
		for (uint32_t i = 0; i < N; i++)
			for (uint32_t j = 0; j <= i; j++)
			{
				double		sum = 0;

				for (uint32_t k = 0; k <= j; k++)
					sum += l[pegs_packed(i, k)] * l[pegs_packed(j, k)];
				CHECK(fabs(sum - r[i * N + j]) < 1e-14);
			}
	}
	arena_free(&memory);
}

/* Both ways it becomes one; Higham's is nearer. */
static void
test_repaired(void)
{
	double		r[N * N];
	double		lifted[N * N];
	double		nearest[N * N];

	start(2);
	for (int turn = 0; turn < 20; turn++)
	{
		any_matrix(r, 0.9);
		memcpy(lifted, r, sizeof(r));
		memcpy(nearest, r, sizeof(r));
		pegs_lift_correlation(&env, N, lifted);
		pegs_nearest_correlation(&env, N, nearest);
		CHECK(is_correlation(lifted) && is_correlation(nearest));
		CHECK(distance(nearest, r) < distance(lifted, r));
	}
	arena_free(&memory);
}

/* Known: three columns of which each two are at -0.9: the nearest have -1/2. */
static void
test_known(void)
{
	double		example[9] = {1, 1, 0, 1, 1, 1, 0, 1, 1};

	for (int higham = 0; higham < 2; higham++)
	{
		double		r[9] = {1, -0.9, -0.9, -0.9, 1, -0.9, -0.9, -0.9, 1};

		if (higham)
			pegs_nearest_correlation(&env, 3, r);
		else
			pegs_lift_correlation(&env, 3, r);
		CHECK(fabs(r[1] + 0.5) < 1e-4 && fabs(r[2] + 0.5) < 1e-4 && fabs(r[5] + 0.5) < 1e-4);
	}
	/* Higham's own example (2002) */
	pegs_nearest_correlation(&env, 3, example);
	CHECK(fabs(example[1] - 0.7607) < 1e-4 && fabs(example[2] - 0.1573) < 1e-4 && fabs(example[5] - 0.7607) < 1e-4);
	arena_free(&memory);
}

int
main(void)
{
	test_sound();
	test_repaired();
	test_known();
	return unit_done("correlation_test");
}
