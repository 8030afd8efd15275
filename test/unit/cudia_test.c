/*
 * cudia_test.c
 *	  CUDIA: classes that are far apart are found, with the value of each; the same rows give the same values.
 */
#include "core/disaggregate/cudia.h"

#define STREAM_SALT [1] = 93
#include "fixture.h"
#include "unit.h"
#include "disaggregate.h"

/* Three classes, far apart in a number or in dummies; groups have different shares of them. */
static void
test_classes(void)
{
	for (int dummies = 0; dummies < 2; dummies++)
	{
		enum {N = 3000, P = 12};
		const double value[] = {10, 20, 60};
		double	   *x = some(4 * N);
		double	   *truth = some(N);
		double	   *y = some(N);
		double	   *again = some(N);
		uint32_t   *of = groups_of(N, P, 0);
		/* two columns of three levels: of one alone any classes would do */
		pegs_dummies factor[] = {{0, 2}, {2, 2}};
		uint32_t	m = dummies ? 4 : 2;
		pegs_averages level;
		pegs_individuals all = {.rows = N, .m = m, .x = x, .nlevels = 1, .level = &level, .nfactors = dummies ? 2 : 0, .factor = factor};
		double		off = 0;

		start((uint8_t) dummies);
		for (uint32_t i = 0; i < N; i++)
		{
			uint32_t	class = (uint32_t) pegs_rng_below(&rng, 3 + of[i]) % 3;

			class = of[i] % 3 == 0 && class == 1 ? 2 : class;
			x[m * i] = dummies ? class == 1 : 10 * class + any_normal();
			x[m * i + 1] = dummies ? class == 2 : any_normal();
			for (uint32_t j = 2; j < m; j++)
				x[m * i + j] = x[m * i + j - 2];
			truth[i] = value[class];
		}
		level = averages_of(N, of, P, truth);
		CHECK(pegs_individuals_prepare(&env, &all) == PEGS_OK);
		CHECK(pegs_spread_cudia(&env, &all, 3, y) == PEGS_OK);
		for (uint32_t i = 0; i < N; i++)
			off += fabs(y[i] - truth[i]) / N;
		CHECK(off < 1);
		CHECK(pegs_spread_cudia(&env, &all, 3, again) == PEGS_OK);
		CHECK(memcmp(y, again, sizeof(double) * N) == 0);
		arena_free(&memory);
	}
}

/* Rows that are all alike, and fewer kinds of rows than classes. */
static void
test_ends(void)
{
	double		x[20];
	double		y[20];
	double		truth[20];
	pegs_averages level;
	pegs_individuals all = {.rows = 20, .m = 1, .x = x, .nlevels = 1, .level = &level};

	for (int kinds = 1; kinds <= 2; kinds++)
	{
		for (int i = 0; i < 20; i++)
		{
			x[i] = i % kinds;
			truth[i] = i;
		}
		level = averages_of(20, groups_of(20, 5, 2), 5, truth);
		CHECK(pegs_individuals_prepare(&env, &all) == PEGS_OK);
		CHECK(pegs_spread_cudia(&env, &all, 5, y) == PEGS_OK);
		for (int i = 0; i < 20; i++)
			CHECK(isfinite(y[i]) && y[i] > -100 && y[i] < 100);
		arena_free(&memory);
	}
}

int
main(void)
{
	test_classes();
	test_ends();
	return unit_done("cudia_test");
}
