/*
 * folds_test.c
 *	  Is it the lambda whose regressions lose least on rows that they have not seen?
 */
#include "core/regression/folds.h"

#include "core/regression/multinomial.h"
#include "fixture.h"
#include "unit.h"

/* 40 by 6, of so many rows; the column hangs on the parent, or not at all. */
static double
chosen(uint64_t rows, bool depends)
{
	static const uint32_t levels[2] = {40, 6};
	static const uint32_t parent_start[3] = {0, 0, 1};
	static const uint16_t parents[1] = {0};
	pegs_layout layout;
	uint64_t   *cells;

	CHECK(pegs_layout_conditional(&env, 2, levels, parent_start, parents, 0, &layout, NULL) == PEGS_OK);
	cells = env.alloc(env.context, sizeof(uint64_t) * 240);
	start(5);
	for (uint64_t r = 0; r < rows; r++)
	{
		uint64_t	x = pegs_rng_below(&rng, 40);
		uint64_t	y = pegs_rng_below(&rng, 6);

		if (depends && y > 2)
			y = x % 6;
		cells[x * 6 + y]++;
	}
	return pegs_lambda_by_folds(&env, &layout, cells, 1, 5, 0.5);
}

int
main(void)
{
	pegs_env	saved = env;

	/* nothing to be found: a large one; much, and many rows: a small one; in between, one in between */
	CHECK(chosen(500, false) > 5e-3);
	CHECK(chosen(500, true) > 2e-4 && chosen(500, true) < 5e-3);
	CHECK(chosen(1600, true) < 5e-4);
	CHECK(chosen(30000, true) < 2e-4);
	/* no rows: one all the same */
	CHECK(chosen(0, false) > 0);
	arena_free(&memory);
	env = arena_env_freeing(&memory);
	(void) chosen(100, true);
	CHECK(memory.live < 10000);	/* layout and counts */
	env = saved;
	arena_free(&memory);
	return unit_done("folds_test");
}
