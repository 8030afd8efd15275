/*
 * column_test.c
 *	  Are the estimates of one column what their names say?
 *
 * Both are held against a slow method that shares nothing with them: the nested
 * least squares against the dense normal equations, the garrote against what it
 * must keep.
 */
#include "core/column/column.h"

#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "unit.h"

/* ---------- nested least squares ---------- */

#define MAX_N 14

/* A x = b by elimination with pivots. */
static void
solve(double a[MAX_N][MAX_N + 1], uint32_t n)
{
	for (uint32_t c = 0; c < n; c++)
	{
		uint32_t	pivot = c;

		for (uint32_t r = c + 1; r < n; r++)
			if (fabs(a[r][c]) > fabs(a[pivot][c]))
				pivot = r;
		for (uint32_t k = 0; k <= n; k++)
		{
			double		swap = a[c][k];

			a[c][k] = a[pivot][k];
			a[pivot][k] = swap;
		}
		for (uint32_t r = 0; r < n; r++)
		{
			double		factor = a[r][c] / a[c][c];

			for (uint32_t k = c; k <= n && r != c; k++)
				a[r][k] -= factor * a[c][k];
		}
	}
	for (uint32_t r = 0; r < n; r++)
		a[r][n] /= a[r][r];
}

static void
test_nested_least_squares(void)
{
	start(2);
	for (int turn = 0; turn < 1000; turn++)
	{
		uint32_t	n = 1 + (uint32_t) pegs_rng_below(&rng, MAX_N);
		uint32_t	nsums = (uint32_t) pegs_rng_below(&rng, 5);
		uint32_t	k = n;
		pegs_class_sums sums[4];
		uint16_t	class_of[4][MAX_N];
		double		value[4][MAX_N];
		double		y[MAX_N];
		double		a[MAX_N][MAX_N + 1] = {{0}};
		double		variance = exp(3 * any_normal());
		double		error = 0;
		double		size = 0;

		if (nsums > 4)
			nsums = 4;
		for (uint32_t i = 0; i < n; i++)
		{
			y[i] = 30 * any_normal();
			a[i][i] += 1 / variance;
			a[i][n] += y[i] / variance;
		}
		for (uint32_t s = 0; s < nsums; s++)
		{
			/* a coarser cut of the last one, the same one among them */
			uint32_t	joined = 0;
			uint16_t	map[MAX_N];

			for (uint32_t c = 0; c < k; c++)
			{
				joined += c > 0 && pegs_rng_below(&rng, 3) == 0;
				map[c] = (uint16_t) (c - joined);
			}
			for (uint32_t i = 0; i < n; i++)
				class_of[s][i] = map[s == 0 ? i : class_of[s - 1][i]];
			k -= joined;
			sums[s] = (pegs_class_sums) {.k = k, .class_of = class_of[s], .value = value[s], .variance = exp(3 * any_normal())};
			for (uint32_t c = 0; c < k; c++)
				value[s][c] = 60 * any_normal();
			for (uint32_t i = 0; i < n; i++)
				for (uint32_t j = 0; j < n; j++)
					if (class_of[s][i] == class_of[s][j])
						a[i][j] += 1 / sums[s].variance;
			for (uint32_t i = 0; i < n; i++)
				a[i][n] += value[s][class_of[s][i]] / sums[s].variance;
		}
		solve(a, n);
		pegs_nested_least_squares(&env, y, n, variance, sums, nsums);
		for (uint32_t i = 0; i < n; i++)
		{
			error = fmax(error, fabs(y[i] - a[i][n]));
			size = fmax(size, fabs(a[i][n]));
		}
		if (!CHECK(error <= 1e-6 * (size + 1)))
			printf("  n %u, %u sums: error %g of %g\n", n, nsums, error, size);
		arena_free(&memory);
	}
}

/* ---------- the garrote ---------- */

static void
test_haar_garrote(void)
{
	start(3);
	for (uint32_t n = 1; n <= 300; n = n < 40 ? n + 1 : n * 3 / 2)
	{
		double	   *y = env.alloc(env.context, sizeof(double) * n);
		double	   *before = env.alloc(env.context, sizeof(double) * n);
		double		sum = 0;
		double		change = 0;
		double		noise = 0;
		double		rest = 0;

		for (uint32_t i = 0; i < n; i++)
			sum += before[i] = y[i] = 100 + 5 * any_normal();

		/* no noise, no change; fewer than ten levels, no change */
		pegs_haar_garrote(&env, y, n, 0);
		for (uint32_t i = 0; i < n; i++)
			change = fmax(change, fabs(y[i] - before[i]));
		CHECK(change < 1e-10);
		memcpy(y, before, sizeof(double) * n);
		pegs_haar_garrote(&env, y, n, 25);
		CHECK((memcmp(y, before, sizeof(double) * n) == 0) == (n < 10));

		/* the sum stays; the noise of a flat column shrinks */
		for (uint32_t i = 0; i < n; i++)
		{
			sum -= y[i];
			noise += (before[i] - 100) * (before[i] - 100);
			rest += (y[i] - 100) * (y[i] - 100);
		}
		CHECK(fabs(sum) < 1e-9 * n);
		CHECK(n < 10 || rest < (n < 40 ? 1 : 0.5) * noise);

		/* a level far above the noise stays where it is */
		if (n >= 10)
		{
			memcpy(y, before, sizeof(double) * n);
			y[n / 3] = 1e6;
			pegs_haar_garrote(&env, y, n, 25);
			CHECK(fabs(y[n / 3] - 1e6) < 30);
			CHECK(fabs(y[n / 3 + 1] - 100) < 60);
		}
		arena_free(&memory);
	}
}

/* Directions: 1 or -1, about as often, of neighbours and of two probes independently. */
static void
test_probes(void)
{
	int			sum[3] = {0};

	for (uint32_t i = 0; i < 10000; i++)
	{
		CHECK(fabs(pegs_probe(i, 0)) == 1);
		sum[0] += (int) pegs_probe(i, 0);
		sum[1] += (int) (pegs_probe(i, 0) * pegs_probe(i + 1, 0));
		sum[2] += (int) (pegs_probe(i, 0) * pegs_probe(i, 1));
	}
	for (int i = 0; i < 3; i++)
		CHECK(abs(sum[i]) < 400);
}

int
main(void)
{
	test_nested_least_squares();
	test_haar_garrote();
	test_probes();
	return unit_done("column_test");
}
