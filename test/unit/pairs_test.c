/*
 * pairs_test.c
 *	  Steps B and C of one pair by themselves: the grids that are offered, the
 *	  score of a table that is known, the look, and what is made of all looks.
 *
 * Scores and estimates against arithmetic by hand. A row more or less moves a
 * score by at most one: claim P7, docs/privacy.md; whole fits are held against
 * it by engine_test.c and witness_test.c.
 */
#include "core/graph/state.h"

#include <string.h>

#include "begun.h"
#include "unit.h"

#define LEVELS 6
#define PLENTY (1000 * PEGS_EPSILON_UNIT)

static pegs_layout layout;
static pegs_fitted model;
static uint64_t *cells;

/* Three columns of six levels; column 1 is column 0, column 2 knows nothing of them. Shares are the truth. */
static pegs_graph_fit
ready(int64_t epsilon, int64_t delta)
{
	static const uint32_t levels[3] = {LEVELS, LEVELS, LEVELS};
	static uint16_t codes[3][PEGS_CHUNK];
	uint16_t   *columns[3] = {codes[0], codes[1], codes[2]};
	pegs_graph_fit f;

	CHECK(pegs_layout_pairs(&env, 3, levels, &layout, NULL) == PEGS_OK);
	cells = begun_alloc(layout.ncells, sizeof(uint64_t));
	for (uint32_t r = 0; r < 900; r++)
	{
		codes[0][r] = codes[1][r] = (uint16_t) (r % 30 < 10 ? 0 : r % 5 + 1);
		codes[2][r] = (uint16_t) (r / 30 % LEVELS);
	}
	pegs_count_chunk(&layout, cells, columns, 900);
	pegs_accountant_init(&model.accountant, epsilon, delta, 1);
	f = begun(&layout, cells, &model);
	model.rows = 900;
	for (uint32_t i = 0; i < 3; i++)
		for (uint32_t j = 0; j < LEVELS; j++)
			model.share[i][j] = (double) cells[layout.offset[i] + j] / 900;
	begun_classes(&f);
	return f;
}

/* Every pair, on different grids of at least two classes a side, each class at least a noise sd. */
static void
test_offer(void)
{
	pegs_graph_fit f = ready(PLENTY, 0);

	for (double sd = 0.01; sd < 3000; sd *= 1.7)
	{
		size_t		n;
		pegs_candidate *c = pegs_offer(&f, sd, &n);
		uint32_t	pairs = 0;

		for (size_t i = 0; i < n; i++)
		{
			uint32_t	a = c[i].column[0];
			uint32_t	b = c[i].column[1];

			pairs |= 1u << (a + b);
			CHECK(a < b && b < 3 && c[i].k[0] >= 2 && c[i].k[0] <= LEVELS && c[i].k[1] >= 2 && c[i].k[1] <= LEVELS);
			CHECK(f.merge[a].lightest[c[i].k[0]] * 900 >= sd && f.merge[b].lightest[c[i].k[1]] * 900 >= sd);
			CHECK(c[i].k[0] * c[i].k[1] <= fmax(4, 900 / sd));
			for (size_t j = 0; j < i; j++)
				CHECK(memcmp(c[i].column, c[j].column, sizeof(c[i].column)) != 0 || memcmp(c[i].k, c[j].k, sizeof(c[i].k)) != 0);
		}
		/* with little noise all three, on the finest grid; when it drowns every class, none */
		CHECK(sd > 1 || (pairs == (1 << 1 | 1 << 2 | 1 << 3) && c[0].k[0] == LEVELS && c[0].k[1] == LEVELS));
		CHECK(sd < 900 || n == 0);
	}
	arena_free(&memory);
}

/* The L1 distance from the product of the shares, less the charge; and what one row does to it. */
static void
test_score(void)
{
	pegs_graph_fit f = ready(PLENTY, 0);
	pegs_candidate c = {.column = {0, 1}, .k = {LEVELS, LEVELS}};
	int64_t		distance = 0;
	int64_t		before;

	for (uint32_t a = 0; a < LEVELS; a++)
		for (uint32_t b = 0; b < LEVELS; b++)
			distance += llabs((int64_t) (a == b ? cells[layout.offset[0] + a] : 0)
							  - llround(900 * model.share[0][a] * model.share[1][b]));
	CHECK(distance > 900);
	CHECK_INT(pegs_score(&f, &c, NULL, 0), distance);
	CHECK_INT(pegs_score(&f, &c, NULL, 10), distance - llround(0.6 * 10 * LEVELS * LEVELS));
	/* independent columns: what rounding leaves */
	c.column[0] = 0;
	c.column[1] = 2;
	CHECK(pegs_score(&f, &c, NULL, 0) <= LEVELS * LEVELS);

	/* any cell, any grid, one row more: the released numbers stay what they are */
	c.column[1] = 1;
	for (c.k[0] = 2; c.k[0] <= LEVELS; c.k[0]++)
		for (c.k[1] = 2; c.k[1] <= LEVELS; c.k[1]++)
		{
			uint32_t	moved = 0;
			bool		bounded = true;

			before = pegs_score(&f, &c, NULL, 1);
			for (uint32_t at = 0; at < LEVELS * LEVELS; at++)
			{
				uint64_t   *cell = cells + layout.pair_offset[0 * 3 + 1] + at;
				int64_t		step;

				++*cell;
				step = pegs_score(&f, &c, NULL, 1) - before;
				--*cell;
				bounded = bounded && step >= -1 && step <= 1;
				moved += step != 0;
			}
			CHECK(bounded);
			CHECK_INT(moved, LEVELS * LEVELS);
		}
	arena_free(&memory);
}

/* Half of a score, rounded down, where neither column is the target; and what one row does to that, odd or not, above zero or below. */
static void
test_target(void)
{
	static const bool is_target[3] = {false, false, true};
	pegs_graph_fit f = ready(PLENTY, 0);
	pegs_candidate c = {.column = {0, 1}, .k = {LEVELS, LEVELS}};
	uint64_t   *cell = cells + layout.pair_offset[0 * 3 + 1];
	bool		odd[2] = {false, false};

	for (double noise = 0; noise < 200; noise += 0.37)
	{
		int64_t		score;
		int64_t		half;

		layout.target = NULL;
		score = pegs_score(&f, &c, NULL, noise);
		layout.target = is_target;
		half = pegs_score(&f, &c, NULL, noise);
		CHECK_INT(half, (int64_t) floor((double) score / 2));
		odd[score < 0] |= score % 2 != 0;
		for (uint32_t at = 0; at < LEVELS * LEVELS; at++)
		{
			int64_t		step;

			++cell[at];
			step = pegs_score(&f, &c, NULL, noise) - half;
			--cell[at];
			CHECK(step >= -1 && step <= 1);
		}
	}
	CHECK(odd[0] && odd[1]);
	/* with it a score stays what it is, whichever column it is */
	for (uint32_t a = 0; a < 2; a++)
	{
		int64_t		with;

		c.column[0] = a;
		c.column[1] = 2;
		with = pegs_score(&f, &c, NULL, 1);
		layout.target = NULL;
		CHECK_INT(with, pegs_score(&f, &c, NULL, 1));
		layout.target = is_target;
	}
	c = (pegs_candidate) {.column = {0, 1}, .k = {LEVELS, LEVELS}};
	layout.target = (const bool[]) {true, false, false};
	CHECK(pegs_score(&f, &c, NULL, 0) > 900);
	layout.target = (const bool[]) {false, true, false};
	CHECK(pegs_score(&f, &c, NULL, 0) > 900);
	arena_free(&memory);
}

static void
test_get_or_add(void)
{
	pegs_graph_fit f = ready(PLENTY, 0);
	pegs_pair  *first = pegs_get_or_add_pair(&f, 1, 2);
	pegs_pair  *second = pegs_get_or_add_pair(&f, 0, 1);

	CHECK(first != second && pegs_get_or_add_pair(&f, 1, 2) == first && pegs_get_or_add_pair(&f, 0, 1) == second);
	CHECK_INT(model.npairs, 2);
	CHECK(first->column[0] == 1 && first->column[1] == 2 && second->column[0] == 0 && second->column[1] == 1);
	arena_free(&memory);
}

/* A look costs what it costs, is kept beside the ones before it, and is of the exact table. */
static void
test_measure(void)
{
	static const uint32_t coarse[2] = {2, 3};
	static const uint32_t fine[2] = {LEVELS, LEVELS};

	for (int pure = 0; pure < 2; pure++)
	{
		pegs_graph_fit f = ready(PLENTY, pure ? 0 : 1000000000);
		pegs_pair  *pair = pegs_get_or_add_pair(&f, 0, 1);
		double		sum = 0;

		start((uint8_t) (50 + pure));
		pegs_measure_pair(&f, pair, coarse, 20);
		pegs_measure_pair(&f, pair, fine, 30);
		pegs_measure_pair(&f, pair, fine, 0.1);
		CHECK_INT(pair->n, 3);
		CHECK(pair->measured[0].k[0] == 2 && pair->measured[0].k[1] == 3 && pair->measured[1].k[0] == LEVELS);
		CHECK_NEAR((double) model.accountant.spent * 0x1p-50, 50.1, 1e-9);
		CHECK_INT(model.accountant.record[PEGS_FOR_PAIR - 1].cost, model.accountant.spent);
		CHECK_NEAR(pair->measured[2].variance, pow(pegs_noise_sd(&model.accountant, 0.1), 2), 1e-2);
		for (uint32_t a = 0; a < LEVELS; a++)
			for (uint32_t b = 0; b < LEVELS; b++)
				CHECK(fabs(pair->measured[1].noisy[a * LEVELS + b] - (a == b ? (double) cells[layout.offset[0] + a] : 0)) < 5);
		for (int i = 0; i < 6; i++)
			sum += pair->measured[0].noisy[i];
		CHECK(fabs(sum - 900) < 10);

		/* nothing left: no other look, and for a pair without one a table of the 1-ways that weighs nothing */
		model.accountant.spent = model.accountant.total;
		pegs_measure_pair(&f, pair, coarse, 20);
		CHECK_INT(pair->n, 3);
		pair = pegs_get_or_add_pair(&f, 0, 2);
		pegs_measure_pair(&f, pair, fine, 20);
		CHECK_INT(pair->n, 1);
		CHECK(pair->measured[0].variance == 1e30);
		for (uint32_t i = 0; i < LEVELS * LEVELS; i++)
			CHECK_NEAR(pair->measured[0].noisy[i], 900 * model.share[0][i / LEVELS] * model.share[2][i % LEVELS], 1e-9);
		/* of two that go together, too */
		pair = pegs_get_or_add_pair(&f, 0, 1);
		pair->n = 0;
		pegs_measure_pair(&f, pair, fine, 20);
		for (uint32_t i = 0; i < LEVELS * LEVELS; i++)
			CHECK_NEAR(pair->measured[0].noisy[i], 900 * model.share[0][i / LEVELS] * model.share[1][i % LEVELS], 1e-9);
		CHECK_INT(model.accountant.spent, model.accountant.total);
		arena_free(&memory);
	}
}

/* Two looks at one grid, a coarser third; the estimate has the sums of the 1-ways and nothing below zero. */
static void
test_estimate(void)
{
	static const uint32_t coarse[2] = {2, 2};
	static const uint32_t fine[2] = {LEVELS, LEVELS};
	pegs_graph_fit f = ready(2 * PEGS_EPSILON_UNIT, 0);
	pegs_pair  *pair = pegs_get_or_add_pair(&f, 0, 1);
	double	   *same;
	double	   *rough;
	double		sum = 0;

	start(60);
	pegs_measure_pair(&f, pair, fine, 0.4);
	pegs_measure_pair(&f, pair, fine, 0.8);
	pegs_measure_pair(&f, pair, coarse, 0.5);
	pegs_estimate_pairs(&f);
	CHECK(pair->k[0] == LEVELS && pair->k[1] == LEVELS);
	CHECK_NEAR(pair->variance, 1 / (1 / pair->measured[0].variance + 1 / pair->measured[1].variance), 1e-12);
	for (uint32_t i = 0; i < LEVELS * LEVELS; i++)
	{
		CHECK(pair->share[i] >= 0);
		sum += pair->share[i];
	}
	CHECK_NEAR(sum, 1, 1e-12);
	for (uint32_t x = 0; x < LEVELS; x++)
	{
		double		row = 0;
		double		column = 0;

		for (uint32_t y = 0; y < LEVELS; y++)
		{
			row += pair->share[x * LEVELS + y];
			column += pair->share[y * LEVELS + x];
		}
		CHECK(fabs(row - model.share[0][x]) < 1e-3 && fabs(column - model.share[1][x]) < 1e-3);
	}
	/* a column is nearer to itself than independent columns would be */
	CHECK(pair->share[0] > 1.5 * model.share[0][0] * model.share[1][0]);

	/* on its own grid it is itself, on a coarser one its sums */
	same = pegs_own_estimate(&f, pair, fine);
	CHECK(memcmp(same, pair->share, sizeof(double) * LEVELS * LEVELS) == 0);
	rough = pegs_own_estimate(&f, pair, coarse);
	for (uint32_t i = 0; i < LEVELS * LEVELS; i++)
		rough[(pair->measured[2].class_of[0][i / LEVELS] * 2) + pair->measured[2].class_of[1][i % LEVELS]] -= pair->share[i];
	for (int i = 0; i < 4; i++)
		CHECK(fabs(rough[i]) < 1e-12);

	/* on a finer one a class is split by the shares of its levels */
	pair->k[0] = pair->k[1] = 2;
	pair->class_of[0] = pair->measured[2].class_of[0];
	pair->class_of[1] = pair->measured[2].class_of[1];
	pair->share = (double[]) {0.1, 0.2, 0.3, 0.4};
	same = pegs_own_estimate(&f, pair, fine);
	for (uint32_t i = 0; i < LEVELS * LEVELS; i++)
	{
		uint32_t	class[2] = {pair->class_of[0][i / LEVELS], pair->class_of[1][i % LEVELS]};
		double		part = model.share[0][i / LEVELS] * model.share[1][i % LEVELS];

		for (int x = 0; x < 2; x++)
			part /= pegs_class_shares(&f, (uint32_t) x, 2, pair->class_of[x])[class[x]];
		CHECK_NEAR(same[i], pair->share[class[0] * 2 + class[1]] * part, 1e-12);
	}
	arena_free(&memory);
}

/* What is believed of a pair: the product of the 1-ways; the tree's table where it has one; its own outside the tree. */
static void
test_expected(void)
{
	static const uint32_t column[2] = {0, 1};
	static const uint32_t fine[2] = {LEVELS, LEVELS};
	pegs_graph_fit f = ready(PLENTY, 0);
	double		tree[LEVELS * LEVELS];
	double	   *tree_pairs[9] = {[0 * 3 + 1] = tree};
	uint16_t	same[LEVELS] = {0, 1, 2, 3, 4, 5};
	uint32_t	classes[3] = {LEVELS, LEVELS, LEVELS};
	double		own[LEVELS * LEVELS];
	double	   *seen = pegs_expected(&f, column, fine, NULL);
	pegs_pair  *pair;

	for (uint32_t i = 0; i < LEVELS * LEVELS; i++)
	{
		CHECK_NEAR(seen[i], model.share[0][i / LEVELS] * model.share[1][i % LEVELS], 1e-12);
		tree[i] = (double) (i + 1) / (LEVELS * LEVELS * (LEVELS * LEVELS + 1) / 2);
		own[i] = 1.0 / (LEVELS * LEVELS);
	}
	model.class_of[0] = model.class_of[1] = model.class_of[2] = same;
	model.tree.classes = classes;
	seen = pegs_expected(&f, column, fine, tree_pairs);
	CHECK(memcmp(seen, tree, sizeof(tree)) == 0);
	pair = pegs_get_or_add_pair(&f, 0, 1);
	*pair = (pegs_pair) {.column = {0, 1}, .n = 1, .k = {LEVELS, LEVELS}, .class_of = {same, same}, .share = own};
	seen = pegs_expected(&f, column, fine, tree_pairs);
	CHECK(memcmp(seen, tree, sizeof(tree)) == 0);
	pair->outside = true;
	seen = pegs_expected(&f, column, fine, tree_pairs);
	CHECK(memcmp(seen, own, sizeof(own)) == 0);
	arena_free(&memory);
}

int
main(void)
{
	test_offer();
	test_score();
	test_target();
	test_get_or_add();
	test_measure();
	test_estimate();
	test_expected();
	return unit_done("pairs_test");
}
