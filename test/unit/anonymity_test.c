/*
 * anonymity_test.c
 *	  k, l and t of classes by hand; and does what is kept meet them as a table by
 *	  itself?
 */
#include "core/compare/anonymity.h"

#include <string.h>

#include "fixture.h"
#include "unit.h"
#include "steps.h"

static void
test_diversity(void)
{
	static const uint32_t levels[2] = {2, 3};
	/* class 0: levels 0, 0, 1, 2; class 1: 2, 2 */
	static const uint16_t row[6][2] = {{0, 0}, {0, 0}, {0, 1}, {0, 2}, {1, 2}, {1, 2}};
	pegs_coded	t = table(2, levels, 6);
	pegs_tuples tuples;
	pegs_diversity diversity[2];
	pegs_level_at scratch[2];
	uint64_t	rows[2] = {0, 0};
	uint32_t	of[6];
	double		share[4];

	for (int r = 0; r < 6; r++)
		for (int c = 0; c < 2; c++)
			t.code[c][r] = row[r][c];
	tuples = tuples_of(&t, 1, 1);
	for (uint32_t i = 0; i < tuples.n; i++)
		of[i] = tuples.code[0][i];
	pegs_class_rows(&tuples, of, rows);
	CHECK(rows[0] == 4 && rows[1] == 2);
	pegs_level_shares(&tuples, of, NULL, share);
	CHECK_NEAR(share[0], 2.0 / 6, 1e-15);
	CHECK_NEAR(share[2], 3.0 / 6, 1e-15);
	pegs_diversity_of(&env, &tuples, of, 2, rows, share, scratch, diversity);
	CHECK(diversity[0].distinct == 3 && diversity[1].distinct == 1);
	/* entropy of (1/2, 1/4, 1/4) is 1.5 bits */
	CHECK_NEAR(exp(diversity[0].entropy), pow(2, 1.5), 1e-14);
	CHECK_NEAR(exp(diversity[1].entropy), 1, 1e-15);
	/* |1/2 - 1/3| + |1/4 - 1/6| + |1/4 - 1/2| over two; 1 - 1/2 */
	CHECK_NEAR(diversity[0].distance / 2, 0.25, 1e-15);
	CHECK_NEAR(diversity[1].distance / 2, 0.5, 1e-15);
	CHECK(pegs_is_diverse(&(pegs_criteria) {1, 2.8284271247, 0.25}, &diversity[0]));
	CHECK(!pegs_is_diverse(&(pegs_criteria) {1, 2.9, 0.25}, &diversity[0]));
	CHECK(!pegs_is_diverse(&(pegs_criteria) {1, 2, 0.24}, &diversity[0]));
	arena_free(&memory);
}

/* What is shown, measured as a table of its own: the rest is one class, if it is shown. */
static void
check_shown(const pegs_coded *t, const pegs_tuples *tuples, const uint32_t *of, uint32_t n, pegs_criteria criteria,
			const bool *keep, bool rest_too)
{
	double		all[32] = {0};
	double		shown = 0;

	for (uint64_t r = 0; r < t->nrows; r++)
		if (keep[of[tuples->of[r]]] || rest_too)
		{
			all[t->code[1][r]]++;
			shown++;
		}
	for (uint32_t c = 0; c <= n; c++)
	{
		double		own[32] = {0};
		double		rows = 0;
		double		entropy = 0;
		double		distance = 0;

		if (c < n ? !keep[c] : !rest_too)
			continue;
		for (uint64_t r = 0; r < t->nrows; r++)
		{
			uint32_t	class = of[tuples->of[r]];

			if (c < n ? class == c : !keep[class])
			{
				own[t->code[1][r]]++;
				rows++;
			}
		}
		for (int v = 0; v < 32; v++)
		{
			entropy -= own[v] > 0 ? own[v] / rows * log(own[v] / rows) : 0;
			distance += fabs(own[v] / rows - all[v] / shown) / 2;
		}
		CHECK(rows >= (double) criteria.k && exp(entropy) >= criteria.l - 1e-7 && distance <= criteria.t + 1e-7);
	}
}

static void
test_random_tables(void)
{
	uint32_t	kept[3] = {0, 0, 0};

	for (int turn = 0; turn < 1000; turn++)
	{
		uint32_t	levels[2];
		pegs_coded	t = any_table(1, levels, 12, 1 + pegs_rng_below(&rng, 120));
		pegs_tuples tuples = tuples_of(&t, 1, 1);
		pegs_criteria criteria = {1 + pegs_rng_below(&rng, 8), 1 + (double) pegs_rng_below(&rng, 16) / 8, (double) pegs_rng_below(&rng, 9) / 8};
		uint32_t   *of = env.alloc(env.context, sizeof(uint32_t) * tuples.n);
		bool		keep[12];
		bool		rest_too;
		uint32_t	n = levels[0];
		uint32_t	some = 0;

		for (uint32_t i = 0; i < tuples.n; i++)
			of[i] = tuples.code[0][i];
		pegs_keep_classes(&env, &tuples, of, n, &criteria, keep, &rest_too);
		check_shown(&t, &tuples, of, n, criteria, keep, rest_too);
		for (uint32_t c = 0; c < n; c++)
			some += keep[c];
		kept[rest_too ? 2 : some > 0]++;
		arena_free(&memory);
	}
	/* each of them happened */
	CHECK(kept[0] > 50 && kept[1] > 50 && kept[2] > 50);
}

int
main(void)
{
	start(65);
	test_diversity();
	test_random_tables();
	return unit_done("anonymity_test");
}
