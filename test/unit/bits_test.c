/*
 * bits_test.c
 *	  Pairs of columns of two levels, 64 rows at once: the same tables as row by row.
 */
#include "core/bits.h"

#include <string.h>

#include "fixture.h"
#include "unit.h"

#define MOST 1100				/* more than two groups of lines */

static uint16_t code[MOST][PEGS_CHUNK];

static void
test_same(uint32_t ncols, uint32_t n, uint32_t wide)
{
	uint32_t	levels[MOST];
	uint16_t   *codes[MOST];
	pegs_layout layout;
	uint64_t   *cells;
	uint64_t   *slow;

	for (uint32_t i = 0; i < ncols; i++)
	{
		codes[i] = code[i];
		levels[i] = wide > 0 && i % wide == 0 ? 3 : 2;
		for (uint32_t r = 0; r < n; r++)
			code[i][r] = (uint16_t) (i % 5 == 1 ? 1 : i % 5 == 2 ? 0 : pegs_rng_below(&rng, levels[i]));
	}
	CHECK(pegs_layout_pairs(&env, ncols, levels, &layout, NULL) == PEGS_OK);
	cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
	slow = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
	for (int turn = 0; turn < 2; turn++)	/* they are added up */
	{
		pegs_count_weighted(turn == 0 ? NULL : &env, &layout, cells, codes, NULL, n);
		for (uint32_t a = 0; a < ncols; a++)
			for (uint32_t r = 0; r < n; r++)
			{
				slow[layout.offset[a] + code[a][r]]++;
				for (uint32_t b = a + 1; b < ncols; b++)
					slow[layout.pair_offset[a * ncols + b] + code[a][r] * levels[b] + code[b][r]]++;
			}
	}
	CHECK(memcmp(cells, slow, sizeof(uint64_t) * layout.ncells) == 0);
	arena_free(&memory);
}

int
main(void)
{
	static const uint32_t rows[] = {0, 1, 63, 64, 65, 1000, PEGS_CHUNK};

	start(1);
	for (uint32_t i = 0; i < 7; i++)
	{
		for (uint32_t ncols = 1; ncols < 9; ncols++)
			test_same(ncols, rows[i], ncols % 3);
		test_same(130, rows[i], 0);
	}
	test_same(MOST, 30, 0);
	test_same(MOST, 65, 7);
	return unit_done("bits_test");
}
