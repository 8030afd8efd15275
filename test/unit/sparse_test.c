/*
 * sparse_test.c
 *	  Are noisy numbers of levels shrunk by what is usual among them, and by
 *	  nothing else?
 *
 * By hand where it is known what must come out; against a table with most
 * levels empty, where nothing else can know which.
 */
#include "core/column/column.h"
#include "core/simplex.h"

#include <string.h>

#include "fixture.h"
#include "unit.h"

/* Far above the noise a number is believed as it is, one degree of freedom each; all in units of the noise. */
static void
test_far(void)
{
	for (double sd = 0.5; sd < 1000; sd *= 20)
	{
		double		y[3] = {8 * sd, 100 * sd, 1e6 * sd};

		CHECK_NEAR(pegs_shrink_levels(&env, y, 3, sd * sd), 3, 1e-12);
		CHECK(y[0] == 8 * sd && y[1] == 100 * sd && y[2] == 1e6 * sd);
		arena_free(&memory);
	}
}

/* All the same and surely empty: nothing is left of them, and nothing follows the noise. */
static void
test_empty(void)
{
	double		y[200];

	for (int i = 0; i < 200; i++)
		y[i] = -1e9;
	CHECK(pegs_shrink_levels(&env, y, 200, 100) < 0.2);
	for (int i = 0; i < 200; i++)
		CHECK(y[i] >= 0 && y[i] < 0.01);
	arena_free(&memory);
}

/* A larger number stays the larger, its place says nothing, and twice the unit gives twice the answer. */
static void
test_symmetric(void)
{
	start(1);
	for (int turn = 0; turn < 50; turn++)
	{
		double		y[60];
		double		shrunk[60];
		double		turned[60];
		double		doubled[60];
		double		freedom;

		for (int i = 0; i < 60; i++)
		{
			y[i] = 3 * (i % 4) + any_normal();
			shrunk[i] = y[i];
			turned[59 - i] = y[i];
			doubled[i] = 2 * y[i];
		}
		freedom = pegs_shrink_levels(&env, shrunk, 60, 1);
		CHECK(freedom > 0 && freedom < 60);
		CHECK_NEAR(pegs_shrink_levels(&env, turned, 60, 1), freedom, 1e-9);
		CHECK_NEAR(pegs_shrink_levels(&env, doubled, 60, 4), freedom, 1e-9);
		for (int i = 0; i < 60; i++)
		{
			CHECK(shrunk[i] >= 0);
			CHECK_NEAR(turned[59 - i], shrunk[i], 1e-9);
			CHECK_NEAR(doubled[i], 2 * shrunk[i], 1e-9);
			for (int j = 0; j < i; j++)
				if (y[j] < 8 && y[i] < 8)
					CHECK((y[i] - y[j]) * (shrunk[i] - shrunk[j]) >= 0);
		}
		arena_free(&memory);
	}
}

/* 300 levels, ten of them with five sds of rows: less of the error than the simplex leaves, and how much is told. */
static void
test_sparse(void)
{
	double		off[2] = {0, 0};
	double		risk = 0;
	double		squares = 0;

	start(2);
	for (int turn = 0; turn < 100; turn++)
	{
		double		y[2][300];
		double		noisy[300];
		double		freedom;

		for (int i = 0; i < 300; i++)
			noisy[i] = y[0][i] = y[1][i] = (i % 30 == 7 ? 100 : 0) + 20 * any_normal();
		freedom = pegs_shrink_levels(&env, y[0], 300, 400);
		pegs_project_simplex(&env, y[1], 300, 1000);
		risk += 2 * 400 * freedom - 300 * 400;
		for (int i = 0; i < 300; i++)
		{
			squares += pow(y[0][i] - (i % 30 == 7 ? 100 : 0), 2);
			risk += (y[0][i] - noisy[i]) * (y[0][i] - noisy[i]);
		}
		pegs_project_simplex(&env, y[0], 300, 1000);
		for (int how = 0; how < 2; how++)
			for (int i = 0; i < 300; i++)
				off[how] += fabs(y[how][i] - (i % 30 == 7 ? 100 : 0));
		arena_free(&memory);
	}
	CHECK(off[0] < 0.75 * off[1]);
	/* Stein: what it is off by, without knowing the truth; less, as what is usual follows the noise, too */
	CHECK(risk > 0.4 * squares && risk < squares);
}

/* Memory is given back; many levels ask whether to stop. */
static void
test_memory(void)
{
	pegs_env	kept = env;
	double	   *y;

	env = arena_env_freeing(&memory);
	y = env.alloc(env.context, sizeof(double) * 3000);
	memory.checks = 0;
	pegs_shrink_levels(&env, y, 3000, 1);
	CHECK_INT(memory.blocks, 1);
	CHECK_INT(memory.checks, 40 * 3);
	arena_free(&memory);
	env = kept;
}

int
main(void)
{
	test_far();
	test_empty();
	test_symmetric();
	test_sparse();
	test_memory();
	return unit_done("sparse_test");
}
