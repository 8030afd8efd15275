/*
 * halves_test.c
 *	  Does a tree of halves give bins their rows: all of them, none below zero,
 *	  and to a tail of nobody none of the noise of its bins?
 *
 * By hand where nothing is cut off; against the simplex, which it stands in
 * for, where a tail is empty.
 */
#include "core/column/column.h"

#include <string.h>

#include "core/simplex.h"
#include "fixture.h"
#include "unit.h"

static double
sum_of(const double *y, uint32_t n)
{
	double		sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += y[i];
	return sum;
}

/* Whatever is given: nothing below zero, and the total. */
static void
test_any(void)
{
	start(1);
	for (int turn = 0; turn < 3000; turn++)
	{
		uint32_t	n = 1 + (uint32_t) pegs_rng_below(&rng, turn % 10 == 0 ? 5000 : 70);
		uint32_t	bins = 1 + (uint32_t) pegs_rng_below(&rng, n);
		double		total = turn % 3 == 0 ? 1 : 5000 * pegs_rng_double(&rng) + 0.01;
		double		variance = turn % 4 == 0 ? 1e-9 : 400;
		double	   *y = env.alloc(env.context, sizeof(double) * n);
		bool		below = false;

		for (uint32_t i = 0; i < n; i++)
			y[i] = (turn % 5 == 0 ? -100 : turn % 5 == 1 && i >= bins ? 1e5 : 10) + 20 * any_normal();
		pegs_project_halves(&env, y, n, bins, variance, total);
		for (uint32_t i = 0; i < n; i++)
			below = below || !(y[i] >= 0);
		CHECK(!below);
		CHECK_NEAR(sum_of(y, n), total, 1e-9);
		arena_free(&memory);
	}
}

/* Nothing is cut off: what is off of the total is everybody's, points' too. */
static void
test_least_squares(void)
{
	double		y[9] = {100, 220, 310, 50, 90, 400, 33, 60, 70};
	double		was[9];

	memcpy(was, y, sizeof(y));
	pegs_project_halves(&env, y, 9, 7, 25, sum_of(was, 9) + 90);
	for (int i = 0; i < 9; i++)
		CHECK_NEAR(y[i], was[i] + 10, 1e-9);
	/* without noise all stay as they are, however many, and however unlike */
	for (int i = 0; i < 9; i++)
		was[i] = y[i] = i == 0 ? 1e6 : i % 2;
	pegs_project_halves(&env, y, 9, 9, 0, sum_of(was, 9));
	for (int i = 0; i < 9; i++)
		CHECK_NEAR(y[i], was[i], 1e-9);
	/* points that want more than there is have it all, in proportion */
	memcpy(y, (double[]) {-50, -50, 300, 100}, sizeof(double) * 4);
	pegs_project_halves(&env, y, 4, 2, 25, 100);
	CHECK(y[0] == 0 && y[1] == 0);
	CHECK_NEAR(y[2], 100 * 250 / 300.0, 1e-9);
	CHECK_NEAR(y[3], 100 * 50 / 300.0, 1e-9);
	arena_free(&memory);
}

/* Two halves of eight bins; with the variance 400 of a bin the sd of a half is 20 sqrt(8 * 8 / 16) = 40. */
static void
test_two_halves(void)
{
	static const struct
	{
		double		high;
		double		low;
		double		left;		/* of the lower half, a bin */
	}			cases[] = {
		{1000, 9, 0},			/* 72 rows: within two sds */
		{1000, 50, 50 * (1 - 4 * 1600.0 / (400 * 400))},
		{10, 9, 9},				/* not surely unlike */
		{14, 0.5, 0.5},			/* 108 rows apart: less than 1.5 sds of the difference */
		{16, 0.5, 0},			/* 124 */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int low = 0; low < 2; low++)	/* the first or the second */
		{
			double		y[17];

			for (int j = 0; j < 16; j++)
				y[j] = j / 8 == low ? cases[i].low : cases[i].high;
			y[16] = 77;			/* beside them */
			pegs_project_halves(&env, y, 17, 16, 400, 8 * (cases[i].low + cases[i].high) + 77);
			for (int j = 0; j < 16; j++)
				CHECK_NEAR(y[j], j / 8 == low ? cases[i].left : cases[i].high + cases[i].low - cases[i].left, 1e-9);
			CHECK_NEAR(y[16], 77, 1e-9);
		}
	arena_free(&memory);
}

/* 201 bins, of which the first sixty have rows: what the tail from bin 100 on gets, of all. */
static void
test_tail(void)
{
	double		tail[2] = {0, 0};
	double		distance[2] = {0, 0};

	start(2);
	for (int turn = 0; turn < 100; turn++)
	{
		double		y[2][201];

		for (int i = 0; i < 201; i++)
			y[0][i] = y[1][i] = (i < 60 ? 5000 / 60.0 : 0) + 20 * any_normal();
		pegs_project_halves(&env, y[0], 201, 201, 400, 5000);
		pegs_project_simplex(&env, y[1], 201, 5000);
		for (int how = 0; how < 2; how++)
		{
			tail[how] += sum_of(y[how] + 100, 101) / 5000 / 100;
			for (int i = 0; i < 201; i++)
				distance[how] += fabs(y[how][i] - (i < 60 ? 5000 / 60.0 : 0)) / 2 / 5000 / 100;
		}
		arena_free(&memory);
	}
	CHECK(tail[0] < 0.005);
	CHECK(tail[1] > 0.05);
	CHECK(distance[0] < 0.8 * distance[1]);
}

/* Memory is given back, and many bins ask whether to stop. */
static void
test_memory(void)
{
	pegs_env	kept = env;
	double	   *y;

	env = arena_env_freeing(&memory);
	y = env.alloc(env.context, sizeof(double) * 65535);
	memory.checks = 0;
	pegs_project_halves(&env, y, 65535, 65535, 1, 10);
	CHECK_INT(memory.blocks, 1);
	CHECK_INT(memory.checks, 63);
	arena_free(&memory);
	env = kept;
}

int
main(void)
{
	test_any();
	test_least_squares();
	test_two_halves();
	test_tail();
	test_memory();
	return unit_done("halves_test");
}
