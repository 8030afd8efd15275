/*
 * interaction_test.c
 *	  What three columns say besides their pairs: how it is estimated, and that
 *	  rows of a whole fit have a relation which no pair shows.
 */
#include "core/graph/draw.h"
#include "core/graph/state.h"
#include "core/graph/walk.h"

#include <math.h>
#include <string.h>

#include "three.h"
#include "unit.h"

static const pegs_zeros none;

/* What no pair shows; where all was measured and it may be noise, next to nothing. */
static void
test_estimate(void)
{
	pegs_graph_fit f = ready(100000000 * PEGS_EPSILON_UNIT, DELTA);
	pegs_triple *triple = pegs_get_or_add_triple(&f, abc);
	const uint64_t *truth = cells + pegs_triple_at(&layout, 0, 1, 2);
	double	   *expected;
	double		off = 0;
	double		from_pairs = 0;

	pegs_measure_triple(&f, triple, 1e5);
	pegs_estimate_pairs(&f);
	expected = pegs_pairs_of_triple(&f, abc);
	pegs_estimate_triples(&f);
	for (int i = 0; i < 24; i++)
	{
		off += fabs(triple->share[i] - (double) truth[i] / ROWS);
		from_pairs += fabs(expected[i] - (double) truth[i] / ROWS);
	}
	CHECK(off < 1e-3 && from_pairs > 0.2);
	f.covered = true;
	for (int i = 0; i < 24; i++)
		triple->noisy[i] = ROWS * expected[i] + (i % 2 ? 2 : -2);
	triple->variance = 1000;
	pegs_estimate_pairs(&f);
	expected = pegs_pairs_of_triple(&f, abc);
	pegs_estimate_triples(&f);
	off = 0;
	for (int i = 0; i < 24; i++)
		off += fabs(triple->share[i] - expected[i]);
	CHECK(off < 1e-5);
	arena_free(&memory);
}

/* Of contrasts of the first two levels of each column: so much of that of all three, and of those of two. */
static void
put_contrasts(pegs_graph_fit *f, pegs_triple *triple, double three, double two)
{
	static const int second[3] = {1, -1, 0};
	static const int third[4] = {1, -1, 0, 0};

	for (int i = 0; i < 24; i++)
	{
		int			x = i / 12 ? 1 : -1;
		int			y = second[i / 4 % 3];
		int			w = third[i % 4];

		triple->noisy[i] = ROWS / 24.0 + three * x * y * w + two * (25 * y * w + 15 * x * w + 10 * x * y);
	}
	pegs_estimate_pairs(f);
	pegs_estimate_triples(f);
}

/* An interaction that may be noise is next to none, whatever its pairs are; one that is more is kept, and the pairs stay what they are. */
static void
test_contrasts(void)
{
	static const int step[3] = {12, 4, 1};
	static const int levels[3] = {2, 3, 4};
	pegs_graph_fit f = ready(100000000 * PEGS_EPSILON_UNIT, DELTA);
	pegs_triple *triple = pegs_get_or_add_triple(&f, abc);
	double	   *expected;
	double		kept = 0;

	pegs_measure_triple(&f, triple, 1e5);
	f.covered = true;
	triple->variance = 1000;
	put_contrasts(&f, triple, 10, 1);
	expected = pegs_pairs_of_triple(&f, abc);
	for (int i = 0; i < 24; i++)
		CHECK(fabs(triple->share[i] - expected[i]) * ROWS < 0.1);	/* of 10 */

	triple->variance = 1;
	put_contrasts(&f, triple, 12, 0.5);
	expected = pegs_pairs_of_triple(&f, abc);
	for (int i = 0; i < 24; i++)
		kept += fabs(triple->share[i] - expected[i]) * ROWS;
	CHECK(kept > 8 * 11 && kept < 8 * 14);	/* 12 of each of eight cells; raked to the pairs */
	for (int out = 0; out < 3; out++)
		for (int i = 0; i < 24; i++)
			if (i / step[out] % levels[out] == 0)
			{
				double		apart = 0;

				for (int j = 0; j < levels[out]; j++)
					apart += triple->share[i + j * step[out]] - expected[i + j * step[out]];
				CHECK(fabs(apart) < 1e-6);
			}
	arena_free(&memory);
}

/* ---- whole fits ---- */

/*
 * The last of five columns is the parity of the first three: no pair shows it.
 * Rows have it, if triples are counted; without, they cannot. The bytes of the
 * model give the same rows.
 */
static void
test_parity(int64_t epsilon, bool triples)
{
	static const uint32_t levels[5] = {2, 2, 2, 3, 2};
	pegs_layout all;
	uint64_t   *count;
	pegs_accountant a;
	pegs_fitted fit;
	pegs_fitted read = {.ncols = 5};
	pegs_cursor size = {.pass = PEGS_SIZE};
	pegs_cursor write = {.pass = PEGS_WRITE};
	uint16_t   *rows[2][5];
	uint32_t	right = 0;

	CHECK(pegs_layout_pairs(&env, 5, levels, &all, NULL) == PEGS_OK);
	if (triples)
		pegs_layout_add_triples(&env, &all);
	count = env.alloc(env.context, sizeof(uint64_t) * all.ncells);
	for (int r = 0; r < 4000; r++)
	{
		uint16_t	row[5];
		uint16_t   *codes[5];

		for (uint32_t i = 0; i < 4; i++)
			row[i] = (uint16_t) pegs_rng_below(&rng, levels[i]);
		row[4] = (row[0] + row[1]) % 2;
		for (uint32_t i = 0; i < 5; i++)
			codes[i] = &row[i];
		pegs_count_chunk(&all, count, codes, 1);
	}
	pegs_accountant_init(&a, epsilon, DELTA, 1);
	pegs_engine_fit(&env, &rng, &a, &all, count, &fit);
	CHECK((fit.ntriples > 0) == triples);
	CHECK(fit.accountant.spent <= fit.accountant.total && fit.accountant.spent > fit.accountant.total * 0.99);
	pegs_graph_walk(&size, &fit);
	write.out = env.alloc(env.context, size.at);
	pegs_graph_walk(&write, &fit);
	CHECK(size.at == write.at);
	read.levels = fit.levels;
	for (size_t length = 0; length <= size.at; length += length + 56 < size.at ? 56 : 1)
	{
		pegs_cursor c = {.pass = PEGS_READ, .env = &env, .in = write.out, .length = length};

		read = (pegs_fitted) {.ncols = 5, .levels = fit.levels};
		pegs_graph_walk(&c, &read);
		CHECK((c.status == PEGS_OK) == (length == size.at));
	}
	for (int turn = 0; turn < 2; turn++)
	{
		const pegs_fitted *f = turn == 0 ? &fit : &read;
		pegs_draw	draw;

		start(200);
		for (int i = 0; i < 5; i++)
			rows[turn][i] = env.alloc(env.context, sizeof(uint16_t) * 4000);
		CHECK(pegs_draw_init(&env, f, NULL, &draw) == PEGS_OK);
		pegs_draw_batch(&env, &draw, &rng, 4000, rows[turn]);
		pegs_adjust_batch(&env, f, &none, &rng, 4000, rows[turn]);
	}
	for (int i = 0; i < 5; i++)
		CHECK(memcmp(rows[0][i], rows[1][i], sizeof(uint16_t) * 4000) == 0);
	for (int r = 0; r < 4000; r++)
		right += rows[0][4][r] == (rows[0][0][r] + rows[0][1][r]) % 2;
	CHECK(triples ? right > 3900 : right < 2400);
	arena_free(&memory);
}

int
main(void)
{
	start(3);
	test_estimate();
	test_contrasts();
	test_parity(3 * (int64_t) PEGS_EPSILON_UNIT, true);
	test_parity(3 * (int64_t) PEGS_EPSILON_UNIT, false);
	/* not all pairs can be had: it is chosen */
	test_parity((int64_t) PEGS_EPSILON_UNIT * 6 / 10, true);
	return unit_done("interaction_test");
}
