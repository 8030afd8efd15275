/*
 * simplex_test.c
 *	  Is the projection on the simplex the nearest point? Against all supports.
 */
#include "core/simplex.h"

#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "unit.h"

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
			y[i] = turn % 5 == 0 ? round(3 * any_normal()) : 20 * any_normal();
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

static int
compare(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* The same, with all numbers in order: as it was before those that are cut off were left out of it. */
static void
project_in_order(double *y, size_t n, double total)
{
	double	   *sorted = malloc(sizeof(double) * n);
	double		sum = 0;
	double		shift = 0;
	double		kept = 0;

	memcpy(sorted, y, sizeof(double) * n);
	qsort(sorted, n, sizeof(double), compare);
	for (size_t i = 0; i < n; i++)
	{
		sum += sorted[n - 1 - i];
		if (sorted[n - 1 - i] - (sum - total) / (double) (i + 1) <= 0)
			break;
		shift = (sum - total) / (double) (i + 1);
	}
	free(sorted);
	for (size_t i = 0; i < n; i++)
	{
		y[i] = y[i] > shift ? y[i] - shift : 0;
		kept += y[i];
	}
	for (size_t i = 0; i < n; i++)
		y[i] = kept > 0 ? y[i] * (total / kept) : total / (double) n;
}

/* To the bit: few numbers and many, whole and not, of a few large ones, of noise alone. */
static void
test_many(void)
{
	start(2);
	for (int turn = 0; turn < 300; turn++)
	{
		size_t		n = 1 + pegs_rng_below(&rng, turn % 3 == 0 ? 40 : 5000);
		double		total = turn % 4 == 0 ? 1 : turn % 4 == 1 ? 1e6 : 50 * (double) n * pegs_rng_double(&rng) + 0.01;
		double	   *y = malloc(sizeof(double) * n);
		double	   *z = malloc(sizeof(double) * n);
		bool		equal = true;

		for (size_t i = 0; i < n; i++)
		{
			y[i] = turn % 5 == 0 ? round(3 * any_normal()) : 20 * any_normal();
			if (turn % 2 == 0 && pegs_rng_below(&rng, 10) == 0)
				y[i] = 1e5 * pegs_rng_double(&rng);
		}
		memcpy(z, y, sizeof(double) * n);
		project_in_order(z, n, total);
		pegs_project_simplex(&env, y, n, total);
		for (size_t i = 0; i < n; i++)
			equal = equal && y[i] == z[i];
		CHECK(equal);
		free(y);
		free(z);
	}
}

int
main(void)
{
	test_simplex();
	test_many();
	arena_free(&memory);
	return unit_done("simplex_test");
}
