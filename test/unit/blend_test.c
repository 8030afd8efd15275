/*
 * blend_test.c
 *	  Does a wide column get the estimate that suits it, and always all of its
 *	  rows, none below zero?
 */
#include "core/column/column.h"
#include "core/simplex.h"

#include <string.h>

#include "fixture.h"
#include "unit.h"

#define N 100

/* Whatever is given: nothing below zero, and the total. Memory is given back. */
static void
test_any(void)
{
	pegs_env	kept = env;

	env = arena_env_freeing(&memory);
	start(1);
	for (int turn = 0; turn < 200; turn++)
	{
		double		y[N];
		uint32_t	n = 10 + (uint32_t) pegs_rng_below(&rng, N - 9);
		double		total = turn % 3 == 0 ? 1 : 50000 * pegs_rng_double(&rng) + 1;
		double		sum = 0;
		bool		below = false;

		for (uint32_t i = 0; i < n; i++)
			y[i] = turn % 4 == 0 ? -1e5 : turn % 4 == 1 ? 1e7 * (i == 3) : 1000 * any_normal();
		pegs_blend_levels(&env, y, n, turn % 2 ? 0.07 : 1e6, total);
		for (uint32_t i = 0; i < n; i++)
		{
			below = below || !(y[i] >= 0);
			sum += y[i];
		}
		CHECK(!below);
		CHECK_NEAR(sum, total, 1e-9);
		CHECK_INT(memory.blocks, 0);
	}
	arena_free(&memory);
	env = kept;
}

/* Noise that is nothing changes nothing. */
static void
test_exact(void)
{
	double		y[N];

	for (int i = 0; i < N; i++)
		y[i] = 1000 + 7 * (i * 31 % 100);
	pegs_blend_levels(&env, y, N, 0.07, 1000.0 * N + 7 * 99 * 50);
	for (int i = 0; i < N; i++)
		CHECK(fabs(y[i] - 1000 - 7 * (i * 31 % 100)) < 1);
	arena_free(&memory);
}

/* Four kinds of columns: what is left of the error that the garrote and the simplex have. */
static double
truth(int kind, int i)
{
	switch (kind)
	{
		case 0:					/* ten levels of a hundred, in no order */
			return i % 10 == 3 ? 500 + 50 * (i / 10) : 0;
		case 1:					/* a bell */
			return 350 * exp(-0.5 * (i - 45) * (i - 45) / 225.0);
		case 2:					/* a decay */
			return 700 * exp(-i / 15.0);
		default:				/* steps: as good as before, nearly */
			return i < 25 ? 300 : i < 50 ? 10 : i < 75 ? 150 : 30;
	}
}

static void
test_kinds(void)
{
	static const double most[4] = {0.5, 0.75, 0.6, 1.05};

	for (int kind = 0; kind < 4; kind++)
	{
		double		total = 0;
		double		off[2] = {0, 0};

		start((uint8_t) (2 + kind));
		for (int i = 0; i < N; i++)
			total += truth(kind, i);
		for (int turn = 0; turn < 60; turn++)
		{
			double		y[2][N];

			for (int i = 0; i < N; i++)
				y[0][i] = y[1][i] = truth(kind, i) + 100 * any_normal();
			pegs_blend_levels(&env, y[0], N, 10000, total);
			pegs_haar_garrote(&env, y[1], N, 10000);
			pegs_project_simplex(&env, y[1], N, total);
			for (int i = 0; i < N; i++)
			{
				off[0] += fabs(y[0][i] - truth(kind, i));
				off[1] += fabs(y[1][i] - truth(kind, i));
			}
			arena_free(&memory);
		}
		if (!unit_check(off[0] < most[kind] * off[1], "off[0] < most[kind] * off[1]", __FILE__, __LINE__))
			printf("  kind %d: %.3f of the error\n", kind, off[0] / off[1]);
	}
}

int
main(void)
{
	test_any();
	test_exact();
	test_kinds();
	return unit_done("blend_test");
}
