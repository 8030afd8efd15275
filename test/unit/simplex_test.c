/*
 * simplex_test.c
 *	  Is the projection on the simplex the nearest point? Against all supports.
 */
#include "core/simplex.h"

#include <string.h>

#include "fixture.h"
#include "unit.h"

/* Roughly normal: the sum of twelve uniform numbers. */
static double
normal(void)
{
	double		sum = -6;

	for (int i = 0; i < 12; i++)
		sum += pegs_rng_double(&rng);
	return sum;
}

/* The nearest point, by trying every set of positive coordinates. */
static void
project_slowly(const double *y, size_t n, double total, double *best)
{
	double		nearest = INFINITY;

	for (uint32_t set = 1; set < 1u << n; set++)
	{
		double		x[10] = {0};
		double		sum = 0;
		double		distance = 0;
		bool		possible = true;

		for (size_t i = 0; i < n; i++)
			if (set >> i & 1)
				sum += y[i];
		for (size_t i = 0; i < n; i++)
		{
			if (set >> i & 1)
				x[i] = y[i] - (sum - total) / __builtin_popcount(set);
			possible = possible && x[i] >= 0;
			distance += (x[i] - y[i]) * (x[i] - y[i]);
		}
		if (possible && distance < nearest)
		{
			nearest = distance;
			memcpy(best, x, sizeof(double) * n);
		}
	}
}

static void
test_simplex(void)
{
	start(1);
	for (int turn = 0; turn < 2000; turn++)
	{
		size_t		n = 1 + pegs_rng_below(&rng, 9);
		double		total = turn % 3 == 0 ? 1 : 50 * pegs_rng_double(&rng) + 0.01;
		double		y[10];
		double		best[10] = {0};
		double		sum = 0;
		double		error = 0;

		for (size_t i = 0; i < n; i++)
			y[i] = turn % 5 == 0 ? round(3 * normal()) : 20 * normal();
		project_slowly(y, n, total, best);
		pegs_project_simplex(&env, y, n, total);
		for (size_t i = 0; i < n; i++)
		{
			error = fmax(error, fabs(y[i] - best[i]));
			error = fmax(error, y[i] < 0);
			sum += y[i];
		}
		CHECK(error < 1e-9);
		CHECK_NEAR(sum, total, 1e-12);
	}

	/* What floating point makes hard: still a distribution. */
	{
		static const double hard[][4] = {
			{-1e15, -1e15, -1e15, -1e15}, {1e15, 1e15, -1e15, 1}, {0, 0, 0, 0}, {1e-300, -1e-300, 0, 0},
			{4e18, -4e18, 4e18, 3}, {-1, -2, -3, -1e18}
		};
		static const double totals[] = {1, 1e-9, 1e9, 1e15};

		for (size_t h = 0; h < sizeof(hard) / sizeof(hard[0]); h++)
			for (size_t t = 0; t < 4; t++)
			{
				double		y[4];
				double		sum = 0;
				bool		positive = true;

				memcpy(y, hard[h], sizeof(y));
				pegs_project_simplex(&env, y, 4, totals[t]);
				for (int i = 0; i < 4; i++)
				{
					positive = positive && y[i] >= 0;
					sum += y[i];
				}
				CHECK(positive);
				CHECK_NEAR(sum, totals[t], 1e-12);
			}
	}
}

int
main(void)
{
	test_simplex();
	arena_free(&memory);
	return unit_done("simplex_test");
}
