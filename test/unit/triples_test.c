/*
 * triples_test.c
 *	  Three columns at once: what is counted, what it is worth to its pairs, and
 *	  what becomes of a relation that no pair shows.
 */
#include "core/graph/draw.h"
#include "core/graph/state.h"
#include "core/graph/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "begun.h"
#include "unit.h"

#define DELTA (PEGS_DELTA_UNIT / 1000000000)

static const pegs_zeros none;

/* ---- counting ---- */

static void
test_counts(void)
{
	static const uint32_t levels[6] = {2, 3, 6, 1, 7, 4};
	static uint16_t codes[6][PEGS_CHUNK];
	uint16_t   *columns[6];
	uint32_t	times[PEGS_CHUNK];
	pegs_layout pairs;
	pegs_layout layout;
	uint64_t	at;

	start(2);
	CHECK(pegs_layout_pairs(&env, 6, levels, &pairs, NULL) == PEGS_OK);
	CHECK(pegs_layout_pairs(&env, 6, levels, &layout, NULL) == PEGS_OK);
	pegs_layout_add_triples(&env, &layout);
	at = pairs.ncells;
	for (uint32_t a = 0; a < 6; a++)
		for (uint32_t b = a + 1; b < 6; b++)
			for (uint32_t c = b + 1; c < 6; c++)
			{
				uint32_t	cells = levels[a] * levels[b] * levels[c];
				bool		counted = a != 3 && b != 3 && c != 3 && cells <= 36;

				CHECK_INT(pegs_triple_at(&layout, a, b, c), counted ? at : 0);
				CHECK_INT(pegs_triple_at(&pairs, a, b, c), 0);
				at += counted ? cells : 0;
			}
	CHECK_INT(layout.ncells, at);
	for (uint32_t i = 0; i < 6; i++)
	{
		columns[i] = codes[i];
		for (uint32_t r = 0; r < PEGS_CHUNK; r++)
			codes[i][r] = (uint16_t) pegs_rng_below(&rng, levels[i]);
	}
	for (uint32_t r = 0; r < PEGS_CHUNK; r++)
		times[r] = (uint32_t) pegs_rng_below(&rng, 4);
	for (int weighted = 0; weighted < 2; weighted++)
	{
		uint64_t   *cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
		uint64_t   *before = env.alloc(env.context, sizeof(uint64_t) * pairs.ncells);
		uint64_t   *slow = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
		uint32_t	n = PEGS_CHUNK - 3;

		pegs_count_weighted(&env, &layout, cells, columns, weighted ? times : NULL, n);
		pegs_count_weighted(&env, &layout, cells, columns, weighted ? times : NULL, 2);
		pegs_count_weighted(&env, &pairs, before, columns, weighted ? times : NULL, n);
		pegs_count_weighted(&env, &pairs, before, columns, weighted ? times : NULL, 2);
		CHECK(memcmp(cells, before, sizeof(uint64_t) * pairs.ncells) == 0);
		for (uint32_t r = 0; r < n + 2; r++)
		{
			uint32_t	x = r < n ? r : r - n;

			for (uint32_t a = 0; a < 6; a++)
				for (uint32_t b = a + 1; b < 6; b++)
					for (uint32_t c = b + 1; c < 6; c++)
						if (pegs_triple_at(&layout, a, b, c) > 0)
							slow[pegs_triple_at(&layout, a, b, c) + (codes[a][x] * levels[b] + codes[b][x]) * levels[c] + codes[c][x]]
								+= weighted ? times[x] : 1;
		}
		CHECK(memcmp(cells + pairs.ncells, slow + pairs.ncells, sizeof(uint64_t) * (layout.ncells - pairs.ncells)) == 0);
	}
	{
		static uint32_t many[41];

		for (int i = 0; i < 41; i++)
			many[i] = 2;
		CHECK(pegs_layout_pairs(&env, 41, many, &layout, NULL) == PEGS_OK);
		pegs_layout_add_triples(&env, &layout);
		CHECK(layout.triple_offset == NULL && layout.ncells == 41 * 2 + 41 * 40 / 2 * 4);
		CHECK(pegs_layout_pairs(&env, 40, many, &layout, NULL) == PEGS_OK);
		pegs_layout_add_triples(&env, &layout);
		CHECK_INT(layout.ncells, 40 * 2 + 40 * 39 / 2 * 4 + 40 * 39 * 38 / 6 * 8);
	}
	arena_free(&memory);
}

/* ---- one triple ---- */

static pegs_layout layout;
static pegs_fitted model;
static uint64_t *cells;

#define ROWS 960

/* Columns of 2, 3 and 4 levels: in each pair all is even; the third says whether the first two agree. */
static pegs_graph_fit
ready(int64_t epsilon, int64_t delta)
{
	static const uint32_t levels[3] = {2, 3, 4};
	static uint16_t codes[3][PEGS_CHUNK];
	uint16_t   *columns[3] = {codes[0], codes[1], codes[2]};
	pegs_graph_fit f;

	CHECK(pegs_layout_pairs(&env, 3, levels, &layout, NULL) == PEGS_OK);
	pegs_layout_add_triples(&env, &layout);
	cells = begun_alloc(layout.ncells, sizeof(uint64_t));
	for (uint32_t r = 0; r < ROWS; r++)
	{
		codes[0][r] = (uint16_t) (r % 2);
		codes[1][r] = (uint16_t) (r / 2 % 3);
		codes[2][r] = (uint16_t) ((codes[0][r] + codes[1][r] + 2 * (r / 6 % 2)) % 4);
	}
	pegs_count_chunk(&layout, cells, columns, ROWS);
	memset(&model, 0, sizeof(model));
	pegs_accountant_init(&model.accountant, epsilon, delta, 1);
	f = begun(&layout, cells, &model);
	model.triple = begun_alloc(1, sizeof(pegs_triple));
	model.rows = ROWS;
	for (uint32_t i = 0; i < 3; i++)
		for (uint32_t j = 0; j < levels[i]; j++)
			model.share[i][j] = (double) cells[layout.offset[i] + j] / ROWS;
	begun_classes(&f);
	return f;
}

static const uint32_t abc[3] = {0, 1, 2};

/* Its sums are looks at its pairs, each cell as uncertain as all that was added up; a look of the pair's own joins them. */
static void
test_pairs_of_it(void)
{
	pegs_graph_fit f = ready(1000 * PEGS_EPSILON_UNIT, DELTA);
	pegs_triple *triple = pegs_get_or_add_triple(&f, abc);
	pegs_pair  *pair;
	double		first;
	double		mean;

	CHECK(triple == pegs_find_triple(&f, abc) && triple == pegs_get_or_add_triple(&f, abc));
	CHECK(model.ntriples == 1 && model.npairs == 3);
	pegs_measure_triple(&f, triple, 0.2);
	CHECK(triple->n == 1 && model.accountant.record[PEGS_FOR_PAIR - 1].uses == 1);
	first = triple->variance;
	mean = triple->noisy[5];
	pegs_measure_triple(&f, triple, 0.2);
	CHECK(triple->n == 2);
	CHECK_NEAR(triple->variance, first / 2, 1e-9);
	CHECK(fabs(triple->noisy[5] - mean) <= 60 * sqrt(first));
	for (uint32_t p = 0; p < 3; p++)
	{
		pegs_estimate_pair(&f, &model.pair[p]);
		CHECK(model.pair[p].n == 0 && model.pair[p].k[0] == layout.levels[model.pair[p].column[0]]);
		CHECK_NEAR(model.pair[p].variance, triple->variance * layout.levels[3 - model.pair[p].column[0] - model.pair[p].column[1]], 1e-9);
	}
	pair = pegs_get_or_add_pair(&f, 0, 1);
	pegs_measure_pair(&f, pair, (uint32_t[]) {2, 3}, 0.2);
	pegs_estimate_pair(&f, pair);
	CHECK_NEAR(1 / pair->variance, 1 / first + 1 / (4 * triple->variance), 1e-9);
	/* nothing was bought: it is a table all the same, and worth nothing */
	model.accountant.spent = model.accountant.total;
	first = triple->variance;
	pegs_measure_triple(&f, triple, 0.2);
	CHECK(triple->n == 2 && triple->variance == first);
	model.ntriples = 0;
	triple = pegs_get_or_add_triple(&f, abc);
	triple->n = 0;
	pegs_measure_triple(&f, triple, 0.2);
	CHECK(triple->n == 1 && triple->variance > 1e20);
	arena_free(&memory);
}

/* What no pair shows; where all was measured and it may be noise, nothing. */
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
	for (uint32_t p = 0; p < 3; p++)
		pegs_estimate_pair(&f, &model.pair[p]);
	expected = pegs_pairs_of_triple(&f, abc);
	pegs_estimate_triple(&f, triple);
	for (int i = 0; i < 24; i++)
	{
		off += fabs(triple->share[i] - (double) truth[i] / ROWS);
		from_pairs += fabs(expected[i] - (double) truth[i] / ROWS);
	}
	CHECK(off < 1e-3 && from_pairs > 0.2);
	/* the score is what pairs leave, less the noise's share */
	{
		pegs_candidate c = {.n = 3, .column = {0, 1, 2}, .k = {2, 3, 4}};
		int64_t		score;
		int64_t		distance = 0;

		model.ntriples = 0;
		score = pegs_score_triple(&f, &c, pegs_expected_triple(&f, abc, NULL), 2);
		for (int i = 0; i < 24; i++)
			distance += llabs((int64_t) truth[i] - llround(ROWS * model.share[0][i / 12] * model.share[1][i / 4 % 3] * model.share[2][i % 4]));
		CHECK_INT(score, distance - llround(0.6 * 2 * 24));
		/* a row more moves it by at most one: claim P7 */
		for (int i = 0; i < 24; i++)
		{
			int64_t		more;

			cells[pegs_triple_at(&layout, 0, 1, 2) + (size_t) i]++;
			more = pegs_score_triple(&f, &c, pegs_expected_triple(&f, abc, NULL), 2);
			cells[pegs_triple_at(&layout, 0, 1, 2) + (size_t) i]--;
			CHECK(llabs(more - score) <= 1);
		}
		model.ntriples = 1;
	}
	f.covered = true;
	for (int i = 0; i < 24; i++)
		triple->noisy[i] = ROWS * expected[i] + (i % 2 ? 2 : -2);
	triple->variance = 1000;
	for (uint32_t p = 0; p < 3; p++)
		pegs_estimate_pair(&f, &model.pair[p]);
	expected = pegs_pairs_of_triple(&f, abc);
	pegs_estimate_triple(&f, triple);
	off = 0;
	for (int i = 0; i < 24; i++)
		off += fabs(triple->share[i] - expected[i]);
	CHECK(off < 1e-5);
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
	test_counts();
	start(3);
	test_pairs_of_it();
	test_estimate();
	test_parity(3 * (int64_t) PEGS_EPSILON_UNIT, true);
	test_parity(3 * (int64_t) PEGS_EPSILON_UNIT, false);
	/* not all pairs can be had: it is chosen */
	test_parity((int64_t) PEGS_EPSILON_UNIT * 6 / 10, true);
	return unit_done("triples_test");
}
