/*
 * triples_test.c
 *	  Three columns at once: what is counted, what a look at it is worth to its
 *	  pairs, and its score.
 */
#include "core/graph/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "three.h"
#include "unit.h"

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
	pegs_estimate_pairs(&f);
	for (uint32_t p = 0; p < 3; p++)
	{
		CHECK(model.pair[p].n == 0 && model.pair[p].k[0] == layout.levels[model.pair[p].column[0]]);
		CHECK_NEAR(model.pair[p].variance, triple->variance * layout.levels[3 - model.pair[p].column[0] - model.pair[p].column[1]], 1e-9);
	}
	pair = pegs_get_or_add_pair(&f, 0, 1);
	pegs_measure_pair(&f, pair, (uint32_t[]) {2, 3}, 0.2);
	pegs_estimate_pairs(&f);
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
	for (uint32_t i = 0; i < 24; i++)
		CHECK_NEAR(triple->noisy[i], ROWS / 24.0, 1e-9);
	arena_free(&memory);
}

static void
test_score(void)
{
	pegs_graph_fit f = ready(1000 * PEGS_EPSILON_UNIT, DELTA);
	const uint64_t *truth = cells + pegs_triple_at(&layout, 0, 1, 2);

	/* the score is what pairs leave, less the noise's share */
	{
		pegs_candidate c = {.n = 3, .column = {0, 1, 2}, .k = {2, 3, 4}};
		int64_t		score;
		int64_t		distance = 0;

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
	}
	arena_free(&memory);
}

int
main(void)
{
	test_counts();
	start(3);
	test_pairs_of_it();
	test_score();
	return unit_done("triples_test");
}
