/*
 * cover_test.c
 *	  All pairs, each once: where they are, what each costs, and what becomes of
 *	  them.
 *
 * That no look goes by another door, and that each moves by what is paid for,
 * is asked by engine_test.c and witness_test.c, of fits with a cover as of
 * others.
 */
#include "core/graph/state.h"

#include <math.h>
#include <string.h>

#define STREAM_SALT [4] = 66
#include "fixture.h"
#include "unit.h"

#define DELTA (PEGS_DELTA_UNIT / 1000000000)

static bool
can(int64_t epsilon, int64_t delta, uint32_t ncols, const uint32_t *levels, double *const *share, double rows)
{
	pegs_accountant a;

	pegs_accountant_init(&a, epsilon, delta, 1);
	return pegs_can_cover(&a, ncols, levels, share, rows);
}

/* Of public numbers: levels, what the budget buys, rows and their shares as released. */
static void
test_border(void)
{
	static const uint32_t narrow[20] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4};
	static const uint32_t wide[6] = {40, 30, 20, 10, 5, 2};
	static const uint32_t ones[3] = {1, 1, 1};
	static uint32_t many[101];
	static double shares[2][40];	/* four levels alike; one has all rows */
	double	   *alike[6];
	double	   *four[6];
	double	   *one[6];

	for (int i = 0; i < 101; i++)
		many[i] = 2;
	CHECK(can(PEGS_EPSILON_UNIT, DELTA, 20, narrow, NULL, 30000));
	CHECK(!can(PEGS_EPSILON_UNIT / 10, DELTA, 20, narrow, NULL, 30000));
	CHECK(!can(PEGS_EPSILON_UNIT, DELTA, 20, narrow, NULL, 15000));
	CHECK(!can(PEGS_EPSILON_UNIT, 0, 20, narrow, NULL, 30000));	/* the noise of n tables is n times that of one */
	CHECK(can(20 * (int64_t) PEGS_EPSILON_UNIT, 0, 20, narrow, NULL, 30000));
	CHECK(!can(PEGS_EPSILON_UNIT, DELTA, 6, wide, NULL, 30000));
	CHECK(can(PEGS_EPSILON_UNIT, DELTA, 6, wide, NULL, 3000000));
	CHECK(!can(PEGS_EPSILON_UNIT, DELTA, 1, narrow, NULL, 1e9));
	CHECK(!can(PEGS_EPSILON_UNIT, DELTA, 3, ones, NULL, 1e9));
	CHECK(can(PEGS_EPSILON_UNIT, DELTA, 100, many, NULL, 1e9) && !can(PEGS_EPSILON_UNIT, DELTA, 101, many, NULL, 1e9));
	/* persons of ten rows each, as many as there were rows: the same question */
	for (uint32_t k = 1; k <= 10; k += 9)
	{
		pegs_accountant a;

		pegs_accountant_init(&a, PEGS_EPSILON_UNIT, DELTA, k);
		CHECK(pegs_can_cover(&a, 20, narrow, NULL, 30000.0 * k) && !pegs_can_cover(&a, 20, narrow, NULL, 15000.0 * k));
	}
	/* levels without rows have no noise of their own that would hide the account's */
	for (uint32_t i = 0; i < 6; i++)
	{
		alike[i] = calloc(wide[i], sizeof(double));
		for (uint32_t l = 0; l < wide[i]; l++)
			alike[i][l] = 1.0 / wide[i];
		four[i] = shares[0];
		one[i] = shares[1];
	}
	for (int l = 0; l < 4; l++)
		shares[0][l] = 0.25;
	shares[1][1] = 1;
	for (int i = 0; i < 2; i++)
	{
		double		rows = i == 0 ? 80000 : 95000;

		CHECK(can(PEGS_EPSILON_UNIT, DELTA, 6, wide, alike, rows) == (i == 1));
		CHECK(can(PEGS_EPSILON_UNIT, DELTA, 6, wide, NULL, rows) == (i == 1));
	}
	CHECK(!can(PEGS_EPSILON_UNIT, DELTA, 5, wide, four, 3e5) && can(PEGS_EPSILON_UNIT, DELTA, 5, wide, four, 3e6));
	CHECK(!can(PEGS_EPSILON_UNIT, DELTA, 6, wide, one, 3e6));
	for (uint32_t i = 0; i < 6; i++)
		free(alike[i]);
}

/* Each pair of two levels and more in a block; a triple only where it brings two of them. */
static void
test_blocks(void)
{
	static const uint32_t mixed[7] = {2, 1, 10, 4, 3, 2, 6};
	static uint32_t binary[24];

	for (int i = 0; i < 24; i++)
		binary[i] = 2;
	for (int turn = 0; turn < 4; turn++)
	{
		uint32_t	m = turn < 2 ? 7 : turn == 2 ? 16 : 24;
		pegs_layout layout;
		uint32_t	n;
		const pegs_candidate *block;
		uint32_t	in[24][24] = {{0}};
		uint32_t	triples = 0;

		CHECK(pegs_layout_pairs(&env, m, turn < 2 ? mixed : binary, &layout, NULL) == PEGS_OK);
		if (turn > 0)
			pegs_layout_add_triples(&env, &layout);
		block = pegs_cover_blocks(&env, &layout, &n);
		for (uint32_t i = 0; i < n; i++)
		{
			uint32_t	new = 0;
			uint32_t	cells = 1;

			for (uint32_t x = 0; x < block[i].n; x++)
			{
				cells *= block[i].k[x];
				CHECK(block[i].k[x] == layout.levels[block[i].column[x]] && block[i].k[x] > 1);
				for (uint32_t y = 0; y < x; y++)
				{
					CHECK(block[i].column[y] < block[i].column[x]);
					new += in[block[i].column[y]][block[i].column[x]]++ == 0;
				}
			}
			CHECK(block[i].n == 2 ? new == 1 : new >= 2 && cells <= 36);
			triples += block[i].n == 3;
		}
		for (uint32_t x = 0; x < m; x++)
			for (uint32_t y = 0; y < x; y++)
				CHECK((in[y][x] > 0) == (layout.levels[x] > 1 && layout.levels[y] > 1));
		CHECK((triples > 0) == (turn > 0));
		/* no cover of 16 columns by triples has fewer than 43, of 24 fewer than 96 */
		CHECK(turn < 2 || n <= (turn == 2 ? 50 : 110));
		arena_free(&memory);
	}
}

/* A table of 16 cells costs 8 times what one of a cell would; without delta, where precision is the square of a cost, the root of that. */
static void
test_shares(void)
{
	pegs_accountant a;

	pegs_accountant_init(&a, PEGS_EPSILON_UNIT, DELTA, 1);
	CHECK_NEAR(pegs_cover_share(&a, 16) / pegs_cover_share(&a, 1), 8, 1e-9);
	pegs_accountant_init(&a, PEGS_EPSILON_UNIT, 0, 1);
	CHECK_NEAR(pegs_cover_share(&a, 16) / pegs_cover_share(&a, 1), sqrt(8), 1e-9);
}

/*
 * Eight columns: each follows the one before, but for the last two, which
 * nothing goes with. A table for each pair of two levels and more, or of
 * triples that have it; a twentieth for choosing what more, and the whole budget.
 */
static void
test_fit(int64_t delta, bool triples)
{
	static const uint32_t levels[9] = {2, 3, 2, 4, 1, 2, 3, 2, 2};
	pegs_layout layout;
	uint64_t   *cells;
	pegs_accountant a;
	pegs_fitted model;
	uint32_t	pairs = 0;
	double		worst = 0;
	double		alone = 0;		/* of pairs of a column that nothing goes with: from independence, and what noise makes of it */
	double		noise = 0;
	uint16_t	row[9];

	CHECK(pegs_layout_pairs(&env, 9, levels, &layout, NULL) == PEGS_OK);
	if (triples)
		pegs_layout_add_triples(&env, &layout);
	cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
	for (int r = 0; r < 20000; r++)
	{
		uint16_t   *codes[9];

		for (uint32_t i = 0; i < 8 && r % 2 == 0; i++)
			row[i] = (uint16_t) (i > 0 && i < 7 && pegs_rng_below(&rng, 2) ? row[i - 1] % levels[i] : pegs_rng_below(&rng, levels[i]));
		row[8] = (uint16_t) (r % 2);	/* each row with both: independent, to the row */
		for (uint32_t i = 0; i < 9; i++)
			codes[i] = &row[i];
		pegs_count_chunk(&layout, cells, codes, 1);
	}
	pegs_accountant_init(&a, 10 * (int64_t) PEGS_EPSILON_UNIT, delta, 1);
	pegs_engine_fit(&env, &rng, &a, &layout, cells, &model);
	CHECK_INT(model.npairs, 8 * 7 / 2);
	/* 12 % of what the rounds have; and up to 21 of 40 choices more where nothing is found, three times, at one, four and sixteen times the price */
	CHECK(model.accountant.record[PEGS_FOR_CHOICE - 1].cost < 0.05 * 0.19 * (double) model.accountant.total);
	CHECK((model.ntriples > 0) == triples);
	CHECK(model.accountant.record[PEGS_FOR_ONEWAY - 1].cost > 0.219999 * (double) model.accountant.total &&
		  model.accountant.record[PEGS_FOR_ONEWAY - 1].cost < 0.25 * (double) model.accountant.total);
	CHECK(model.accountant.spent <= model.accountant.total && model.accountant.spent > model.accountant.total * 0.999);
	for (uint32_t p = 0; p < model.npairs; p++)
	{
		const pegs_pair *pair = &model.pair[p];
		uint32_t	x = pair->column[0];
		uint32_t	y = pair->column[1];
		double		off = 0;
		double		product = 0;

		CHECK(x < y && x != 4 && y != 4 && pair->k[0] == levels[x] && pair->k[1] == levels[y]);
		CHECK(!pair->outside);	/* 576 cells: all of it fits */
		for (uint32_t i = 0; i < levels[x] * levels[y]; i++)
		{
			off += fabs(pair->share[i] - (double) cells[layout.pair_offset[x * 9 + y] + i] / 20000) / 2;
			product += fabs(pair->share[i] - model.share[x][i / levels[y]] * model.share[y][i % levels[y]]) / 2;
		}
		worst = fmax(worst, off);
		if (y == 8)
		{
			alone += product;
			noise += PEGS_TV_PER_SD * sqrt(pair->variance) * levels[x] * levels[y] / 20000;
		}
		pairs++;
	}
	CHECK(pairs == 28 && worst < (delta > 0 ? 0.004 : 0.02));
	CHECK(alone < 0.8 * noise);
	arena_free(&memory);
}

/* A tree that cannot hold all of them has the strong ones. */
static void
test_outside(void)
{
	static const uint32_t levels[5] = {40, 40, 40, 40, 2};
	pegs_layout layout;
	uint64_t   *cells;
	pegs_accountant a;
	pegs_fitted model;
	uint32_t	outside = 0;

	CHECK(pegs_layout_pairs(&env, 5, levels, &layout, NULL) == PEGS_OK);
	cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
	for (int r = 0; r < 20000; r++)
	{
		uint16_t	row[5];
		uint16_t   *codes[5];

		for (uint32_t i = 0; i < 5; i++)
		{
			row[i] = (uint16_t) pegs_rng_below(&rng, levels[i]);
			codes[i] = &row[i];
		}
		/* 0 with 2 and 1 with 3, strongly; others weakly or not at all */
		if (r % 4)
		{
			row[2] = row[0];
			row[3] = row[1];
		}
		pegs_count_chunk(&layout, cells, codes, 1);
	}
	pegs_accountant_init(&a, 400 * (int64_t) PEGS_EPSILON_UNIT, DELTA, 1);
	pegs_engine_fit(&env, &rng, &a, &layout, cells, &model);
	CHECK_INT(model.npairs, 10);
	for (uint32_t p = 0; p < model.npairs; p++)
	{
		const pegs_pair *pair = &model.pair[p];

		if (pair->column[1] == pair->column[0] + 2 && pair->column[1] < 4)
			CHECK(!pair->outside);
		outside += pair->outside;
	}
	CHECK(outside >= 2);		/* one triangle of three wide columns is all there is room for, and what hangs at it */
	arena_free(&memory);
}

int
main(void)
{
	start(1);
	test_border();
	test_blocks();
	test_shares();
	test_fit(DELTA, false);
	test_fit(0, false);
	test_fit(DELTA, true);
	test_fit(0, true);
	test_outside();
	return unit_done("cover_test");
}
