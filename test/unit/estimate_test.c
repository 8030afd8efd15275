/*
 * estimate_test.c
 *	  Pairs from all that was measured: looks joined by what each is worth, in
 *	  agreement with the 1-ways, a distribution; where all were measured, noise
 *	  goes and what stands out stays.
 */
#include "core/graph/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "three.h"
#include "unit.h"

static void
even_shares(void)
{
	for (int i = 0; i < 3; i++)
		model.share[1][i] = 1.0 / 3;
	for (int i = 0; i < 4; i++)
		model.share[2][i] = 0.25;
}

/* Two looks at a pair, of which one is worth nothing. */
static void
test_looks(void)
{
	pegs_graph_fit f = ready(1000 * PEGS_EPSILON_UNIT, DELTA);
	pegs_pair  *pair = pegs_get_or_add_pair(&f, 1, 2);
	uint32_t	all[2] = {3, 4};
	double		sum = 0;

	pegs_measure_pair(&f, pair, all, 0.2);
	pegs_measure_pair(&f, pair, all, 0.2);
	for (int i = 0; i < 12; i++)
	{
		pair->measured[0].noisy[i] = ROWS / 12.0 + (i == 0 || i == 5 ? 30 : i == 1 || i == 4 ? -30 : 0);
		pair->measured[1].noisy[i] = ROWS * (i == 11);
	}
	pair->measured[0].variance = 1;
	pair->measured[1].variance = 1e12;
	even_shares();
	pegs_estimate_pairs(&f);
	CHECK_NEAR(pair->variance, 1, 1e-9);
	for (int i = 0; i < 12; i++)
	{
		sum += pair->share[i];
		CHECK(fabs(pair->share[i] * ROWS - pair->measured[0].noisy[i]) < 0.01);
	}
	CHECK_NEAR(sum, 1, 1e-12);
	/* all were measured: far above its noise it stays, far below it goes */
	f.covered = true;
	pegs_estimate_pairs(&f);
	CHECK(fabs(pair->share[0] * ROWS - 110) < 0.5 && fabs(pair->share[4] * ROWS - 50) < 0.5);
	pair->measured[0].variance = 10000;
	pegs_estimate_pairs(&f);
	CHECK(fabs(pair->share[0] * ROWS - 80) < 3 && fabs(pair->share[4] * ROWS - 80) < 3);
	arena_free(&memory);
}

/* Estimated anew at each refit: of the one before nothing is kept. */
static void
test_memory(void)
{
	pegs_env	kept = env;
	size_t		blocks[2];

	env = arena_env_freeing(&memory);
	for (int looks = 1; looks <= 2; looks++)
	{
		pegs_graph_fit f = ready(PEGS_EPSILON_UNIT, DELTA);
		pegs_pair  *pair = pegs_get_or_add_pair(&f, 1, 2);

		pegs_measure_pair(&f, pair, (uint32_t[]) {3, 4}, 1e-5);
		if (looks == 2)
			pegs_measure_pair(&f, pair, (uint32_t[]) {2, 2}, 1e-5);
		for (int again = 0; again < 3; again++)
		{
			pegs_estimate_pairs(&f);
			if (again < 2)
				blocks[again] = memory.blocks;
		}
		CHECK_INT(blocks[1], blocks[0]);
		CHECK_INT(memory.blocks, blocks[0]);
		arena_free(&memory);
	}
	env = kept;
}

/* Lines add up to the 1-ways, nothing is below 0, whatever was seen. */
static void
test_agrees(void)
{
	for (int covered = 0; covered < 2; covered++)
	{
		pegs_graph_fit f = ready(PEGS_EPSILON_UNIT, DELTA);

		f.covered = covered;
		for (uint32_t a = 0; a < 3; a++)
			for (uint32_t b = a + 1; b < 3; b++)
				pegs_measure_pair(&f, pegs_get_or_add_pair(&f, a, b), (uint32_t[]) {model.levels[a], model.levels[b]}, 1e-5);
		pegs_estimate_pairs(&f);
		for (uint32_t p = 0; p < 3; p++)
		{
			const pegs_pair *pair = &model.pair[p];

			for (uint32_t x = 0; x < pair->k[0]; x++)
			{
				double		line = 0;

				for (uint32_t y = 0; y < pair->k[1]; y++)
				{
					line += pair->share[x * pair->k[1] + y];
					CHECK(pair->share[x * pair->k[1] + y] >= 0);
				}
				CHECK(fabs(line - model.share[pair->column[0]][x]) < 1e-3);
			}
		}
		arena_free(&memory);
	}
}

/* A line that is too heavy gives each of its cells back as much; what cells differ by besides stays. Of tables that are no squares. */
static void
test_lines(void)
{
	pegs_graph_fit f = ready(1000 * PEGS_EPSILON_UNIT, DELTA);
	pegs_pair  *pair = pegs_get_or_add_pair(&f, 1, 2);
	uint32_t	all[2] = {3, 4};

	pegs_measure_pair(&f, pair, all, 0.2);
	pair->measured[0].variance = 1;
	even_shares();
	for (int side = 0; side < 2; side++)
	{
		for (int i = 0; i < 12; i++)
			pair->measured[0].noisy[i] = ROWS / 12.0 + (i == 0 || i == 5 ? 30 : i == 1 || i == 4 ? -30 : 0) + 40 * (side ? i % 4 == 0 : i < 4);
		pegs_estimate_pairs(&f);
		for (int i = 0; i < 12; i++)
			CHECK(fabs(pair->share[i] * ROWS - ROWS / 12.0 - (i == 0 || i == 5 ? 30 : i == 1 || i == 4 ? -30 : 0)) < 0.01);
	}
	arena_free(&memory);
}

/* A coarser table that is as good as exact: the cells of a class add up to its cell. */
static void
test_coarser(void)
{
	pegs_graph_fit f = ready(1000 * PEGS_EPSILON_UNIT, DELTA);
	pegs_pair  *pair = pegs_get_or_add_pair(&f, 1, 2);
	uint32_t	all[2] = {3, 4};
	uint32_t	two[2] = {2, 2};
	double		sum[4] = {0};

	pegs_measure_pair(&f, pair, all, 0.2);
	pegs_measure_pair(&f, pair, two, 0.2);
	even_shares();
	memset(pair->measured[1].noisy, 0, 4 * sizeof(double));
	for (int i = 0; i < 12; i++)
	{
		pair->measured[0].noisy[i] = ROWS / 12.0;
		pair->measured[1].noisy[2 * pair->measured[1].class_of[0][i / 4] + pair->measured[1].class_of[1][i % 4]] += ROWS / 12.0;
	}
	for (int i = 0; i < 4; i++)
		pair->measured[1].noisy[i] += i == 0 || i == 3 ? 40 : -40;
	pair->measured[0].variance = 1;
	pair->measured[1].variance = 1e-6;
	pegs_estimate_pairs(&f);
	for (int i = 0; i < 12; i++)
		sum[2 * pair->measured[1].class_of[0][i / 4] + pair->measured[1].class_of[1][i % 4]] += pair->share[i] * ROWS;
	for (int i = 0; i < 4; i++)
		CHECK(fabs(sum[i] - pair->measured[1].noisy[i]) < 0.01);
	arena_free(&memory);
}

int
main(void)
{
	start(1);
	test_looks();
	test_memory();
	test_lines();
	test_coarser();
	test_agrees();
	return unit_done("estimate_test");
}
