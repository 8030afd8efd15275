/*
 * oneways_test.c
 *	  Step A by itself: is what it says of one column what was counted, and does
 *	  it spend what docs/engine.md gives it?
 *
 * Estimates against arithmetic by hand; whole looks with so much epsilon that
 * noise is below a row. What the noise is, accountant_person_test.c shows.
 */
#include "core/graph/state.h"
#include "core/simplex.h"

#include <string.h>

#include "begun.h"
#include "unit.h"

#define PLENTY (1000 * PEGS_EPSILON_UNIT)

/* Cells of columns and pairs that are all independent: `count` of the levels of each column, as often as `times`. */
static uint64_t *
cells_of(const pegs_layout *layout, uint64_t (*count)[8])
{
	uint64_t   *cells = begun_alloc(layout->ncells, sizeof(uint64_t));

	for (uint32_t i = 0; i < layout->ncols; i++)
		memcpy(cells + layout->offset[i], count[i], sizeof(uint64_t) * layout->levels[i]);
	return cells;
}

/* Shares near the counts, and no more spent than steps B and C leave room for; one column has it all. */
static void
test_fit(void)
{
	static const uint32_t levels[3] = {4, 2, 8};
	static uint64_t count[3][8] = {{400, 300, 200, 100}, {900, 100}, {125, 125, 125, 125, 125, 125, 125, 125}};

	for (int pure = 0; pure < 2; pure++)
		for (uint32_t ncols = 1; ncols <= 3; ncols++)
		{
			pegs_layout layout;
			pegs_fitted model;
			pegs_graph_fit f;
			double		spent;

			start((uint8_t) (10 * pure + ncols));
			CHECK(pegs_layout_pairs(&env, ncols, levels, &layout, NULL) == PEGS_OK);
			pegs_accountant_init(&model.accountant, PLENTY, pure ? 0 : 1000000000, 1);
			f = begun(&layout, cells_of(&layout, count), &model);
			pegs_fit_oneways(&f);
			CHECK(fabs(model.rows - 1000) < 1);
			for (uint32_t i = 0; i < ncols; i++)
			{
				double		sum = 0;

				for (uint32_t j = 0; j < levels[i]; j++)
				{
					sum += model.share[i][j];
					CHECK(fabs(model.share[i][j] - (double) count[i][j] / 1000) < 2e-3);
				}
				CHECK_NEAR(sum, 1, 1e-9);
			}
			spent = (double) model.accountant.spent / (double) model.accountant.total;
			CHECK(ncols == 1 ? spent > 0.999 && spent <= 1 : fabs(spent - 0.15) < 1e-3);
			CHECK_INT(model.accountant.record[PEGS_FOR_ONEWAY - 1].cost, model.accountant.spent);
			CHECK_INT(model.accountant.record[PEGS_FOR_CHOICE - 1].uses + model.accountant.record[PEGS_FOR_PAIR - 1].uses, 0);
			arena_free(&memory);
		}
}

/* With little epsilon 1-ways want more than they may have. */
static void
test_most(void)
{
	static const uint32_t levels[2] = {4, 2};
	static uint64_t count[2][8] = {{10, 10, 10, 10}, {20, 20}};

	for (int pure = 0; pure < 2; pure++)
	{
		pegs_layout layout;
		pegs_fitted model;
		pegs_graph_fit f;

		start((uint8_t) (20 + pure));
		CHECK(pegs_layout_pairs(&env, 2, levels, &layout, NULL) == PEGS_OK);
		pegs_accountant_init(&model.accountant, PEGS_EPSILON_UNIT / 20, pure ? 0 : 1000000000, 1);
		f = begun(&layout, cells_of(&layout, count), &model);
		pegs_fit_oneways(&f);
		CHECK(fabs((double) model.accountant.spent / (double) model.accountant.total - 0.7) < 1e-3);
		arena_free(&memory);
	}
}

/* A second look is the inverse-variance mean of both. Equal levels: each column has its equal share of the cost. */
static void
test_measured_again(void)
{
	static const uint32_t levels[2] = {3, 3};
	static uint64_t count[2][8] = {{10, 20, 30}, {0, 0, 60}};

	for (int pure = 0; pure < 2; pure++)
	{
		pegs_layout layout;
		pegs_fitted model;
		pegs_graph_fit f;
		double		cost = 0.2;

		start((uint8_t) (30 + pure));
		CHECK(pegs_layout_pairs(&env, 2, levels, &layout, NULL) == PEGS_OK);
		pegs_accountant_init(&model.accountant, PLENTY, pure ? 0 : 1000000000, 1);
		f = begun(&layout, cells_of(&layout, count), &model);
		for (int i = 0; i < 2; i++)
		{
			f.one[i].noisy = begun_alloc(3, sizeof(double));
			for (int j = 0; j < 3; j++)
				f.one[i].noisy[j] = 1e6;
			f.one[i].variance = 1e3;
		}
		pegs_measure_oneways(&f, cost);
		for (int i = 0; i < 2; i++)
		{
			double		fresh = pow(pegs_noise_sd(&model.accountant, cost / 2), 2);
			double		old = f.one[i].variance / 1e3;	/* the weight of the first look */

			CHECK_NEAR(f.one[i].variance, 1 / (1 / 1e3 + 1 / fresh), 1e-2);
			for (int j = 0; j < 3; j++)
				CHECK(fabs(f.one[i].noisy[j] - old * 1e6 - (1 - old) * (double) count[i][j]) < 10 * sqrt(fresh));
		}
		CHECK_NEAR((double) model.accountant.spent * 0x1p-50, cost, 1e-9);
		arena_free(&memory);
	}
}

/* Two levels of one variance, and a pair whose class sums are known far better. */
static void
test_estimate(void)
{
	static const uint32_t levels[2] = {2, 2};
	pegs_layout layout;
	pegs_fitted model;
	pegs_graph_fit f;
	uint16_t	same[2] = {0, 1};
	double		ten[2] = {10, 10};
	double		table[4] = {12, 4, 3, 1};	/* rows of column 0: 16 and 4; of column 1: 15 and 5 */
	pegs_measured measured = {.k = {2, 2}, .class_of = {same, same}, .variance = 1e-9, .noisy = table};

	CHECK(pegs_layout_pairs(&env, 2, levels, &layout, NULL) == PEGS_OK);
	pegs_accountant_init(&model.accountant, PEGS_EPSILON_UNIT, 0, 1);
	f = begun(&layout, begun_alloc(layout.ncells, sizeof(uint64_t)), &model);
	f.one[0] = (pegs_oneway) {.noisy = ten, .variance = 1};
	f.one[1] = (pegs_oneway) {.noisy = ten, .variance = 1};
	/* by themselves */
	pegs_estimate_oneways(&f);
	CHECK_NEAR(model.rows, 20, 1e-12);
	CHECK_NEAR(model.share[0][0], 0.5, 1e-12);
	/* with the pair: its sums are believed, and column 1 is side 1 of it */
	*pegs_get_or_add_pair(&f, 0, 1) = (pegs_pair) {.column = {0, 1}, .n = 1, .measured = &measured};
	pegs_estimate_oneways(&f);
	CHECK_NEAR(model.rows, 20, 1e-6);
	CHECK_NEAR(model.share[0][0], 0.8, 1e-6);
	CHECK_NEAR(model.share[1][0], 0.75, 1e-6);
	/* the number of rows: sums of all tables, each by its variance and its cells */
	measured.variance = 1;
	table[0] = 32;
	pegs_estimate_oneways(&f);
	CHECK_NEAR(model.rows, (20 / 2.0 + 20 / 2.0 + 40 / 4.0) / (1 / 2.0 + 1 / 2.0 + 1 / 4.0), 1e-12);
	/* never below one row, or below one person's rows */
	table[0] = table[1] = table[2] = table[3] = ten[0] = ten[1] = -100;
	pegs_estimate_oneways(&f);
	CHECK(model.rows == 1);
	model.accountant.rows_each = 5;
	pegs_estimate_oneways(&f);
	CHECK(model.rows == 5);
	/* a column without a look is uniform */
	f.one[1].variance = -1;
	model.share[1][0] = 7;
	pegs_estimate_oneways(&f);
	CHECK(model.share[1][0] == 0.5 && model.share[1][1] == 0.5);
	arena_free(&memory);
}

/* What a triple says of each of its columns is weighed by the cells that were added up for it. */
static void
test_triple(void)
{
	static const uint32_t levels[3] = {2, 3, 4};
	static const double one[3][4] = {{12, 12}, {8, 8, 8}, {6, 6, 6, 6}};
	static const double sum[3][4] = {{18, 6}, {12, 6, 6}, {3, 3, 3, 15}};
	pegs_layout layout;
	pegs_fitted model;
	pegs_graph_fit f;
	double		noisy[24];
	pegs_triple triple = {.column = {0, 1, 2}, .n = 1, .variance = 1 / 6.0, .noisy = noisy};

	CHECK(pegs_layout_pairs(&env, 3, levels, &layout, NULL) == PEGS_OK);
	pegs_accountant_init(&model.accountant, PEGS_EPSILON_UNIT, 0, 1);
	f = begun(&layout, begun_alloc(layout.ncells, sizeof(uint64_t)), &model);
	for (uint32_t c = 0; c < 24; c++)
		noisy[c] = sum[0][c / 12] * sum[1][c / 4 % 3] * sum[2][c % 4] / (24 * 24);
	for (uint32_t i = 0; i < 3; i++)
		f.one[i] = (pegs_oneway) {.noisy = begun_alloc(levels[i], sizeof(double)), .variance = 1};
	for (uint32_t i = 0; i < 3; i++)
		memcpy(f.one[i].noisy, one[i], sizeof(double) * levels[i]);
	model.triple = &triple;
	model.ntriples = 1;
	pegs_estimate_oneways(&f);
	CHECK_NEAR(model.rows, 24, 1e-9);
	/* of 12, 8 and 6 cells: variances of 2, 4/3 and 1 beside the column's own 1 */
	CHECK_NEAR(model.share[0][0], (12 + 18 / 2.0) / (1 + 1 / 2.0) / 24, 1e-9);
	CHECK_NEAR(model.share[1][0], (8 + 12 * 3 / 4.0) / (1 + 3 / 4.0) / 24, 1e-9);
	CHECK_NEAR(model.share[2][3], (6 + 15) / 2.0 / 24, 1e-9);
	arena_free(&memory);
}

/* Twelve levels, of which the last four have two rows each, with noise of 20: bins in order, they have none. */
static void
test_bins(void)
{
	static const uint32_t levels[1] = {12};

	for (uint32_t bins = 0; bins <= 12; bins += bins == 0 ? 9 : 1)
	{
		pegs_layout layout;
		pegs_fitted model;
		pegs_graph_fit f;
		double		noisy[12] = {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 2, 2, 2, 2};

		CHECK(pegs_layout_pairs(&env, 1, levels, &layout, NULL) == PEGS_OK);
		CHECK(layout.bins == NULL);
		if (bins > 0)
			layout.bins = &bins;
		pegs_accountant_init(&model.accountant, PEGS_EPSILON_UNIT, 0, 1);
		f = begun(&layout, begun_alloc(layout.ncells, sizeof(uint64_t)), &model);
		f.one[0] = (pegs_oneway) {.noisy = noisy, .variance = 400};
		pegs_estimate_oneways(&f);
		/* of ten and eleven bins the rest is beside them */
		CHECK((model.share[0][8] == 0) == (bins >= 10));
		CHECK((model.share[0][11] == 0) == (bins == 12));
		arena_free(&memory);
	}
}

/* A wide column of levels is blended, one of bins is not; and again after a new look, but not before. */
static void
test_blend(void)
{
	static const uint32_t levels[1] = {24};

	for (uint32_t bins = 0; bins <= 5; bins += 5)
	{
		pegs_layout layout;
		pegs_fitted model;
		pegs_graph_fit f;
		double		noisy[24];
		double		steps[24];
		double		first;
		double		off = 0;

		for (int i = 0; i < 24; i++)
			steps[i] = noisy[i] = 1000 * exp(-0.5 * (i - 10) * (i - 10) / 16.0) + 60 * (i * 7 % 5 - 2);
		CHECK(pegs_layout_pairs(&env, 1, levels, &layout, NULL) == PEGS_OK);
		if (bins > 0)
			layout.bins = &bins;
		pegs_accountant_init(&model.accountant, PLENTY, 0, 1);
		f = begun(&layout, begun_alloc(layout.ncells, sizeof(uint64_t)), &model);
		f.one[0] = (pegs_oneway) {.noisy = noisy, .variance = 7200};
		pegs_estimate_oneways(&f);
		pegs_haar_garrote(&env, steps, 24, 7200);
		pegs_project_simplex(&env, steps, 24, model.rows);
		for (int i = 0; i < 24; i++)
			off += fabs(steps[i] / model.rows - model.share[0][i]);
		CHECK(bins > 0 ? off < 1e-9 : off > 0.01);
		/* the same share of other rows: not estimated anew */
		first = model.share[0][10];
		noisy[10] += 1000;
		pegs_estimate_oneways(&f);
		CHECK(bins > 0 ? fabs(model.share[0][10] - first) > 0.01 : fabs(model.share[0][10] - first) < 1e-9);
		start(7);
		pegs_measure_oneways(&f, 1);
		pegs_estimate_oneways(&f);
		CHECK(fabs(model.share[0][10] - first) > 0.01);
		arena_free(&memory);
	}
}

/* Nothing to spend: everything uniform, one row, and no noise was drawn for it. */
static void
test_nothing_left(void)
{
	static const uint32_t levels[2] = {4, 2};
	static uint64_t count[2][8] = {{1000, 0, 0, 0}, {0, 1000}};

	for (uint32_t ncols = 1; ncols <= 2; ncols++)
	{
		pegs_layout layout;
		pegs_fitted model;
		pegs_graph_fit f;

		start(40);
		CHECK(pegs_layout_pairs(&env, ncols, levels, &layout, NULL) == PEGS_OK);
		pegs_accountant_init(&model.accountant, PEGS_EPSILON_UNIT, 0, 1);
		f = begun(&layout, cells_of(&layout, count), &model);
		model.accountant.spent = model.accountant.total;
		pegs_fit_oneways(&f);
		CHECK_INT(model.accountant.spent, model.accountant.total);
		CHECK(model.rows == 1);
		for (uint32_t i = 0; i < ncols; i++)
			for (uint32_t j = 0; j < levels[i]; j++)
				CHECK(model.share[i][j] == 1.0 / levels[i]);
		arena_free(&memory);
	}
}

static void
test_class_shares(void)
{
	static const uint32_t levels[1] = {5};
	static const uint16_t class_of[5] = {0, 0, 1, 2, 2};
	static const double share[5] = {0.1, 0.2, 0.3, 0.25, 0.15};
	pegs_layout layout;
	pegs_fitted model;
	pegs_graph_fit f;
	double	   *sums;

	CHECK(pegs_layout_pairs(&env, 1, levels, &layout, NULL) == PEGS_OK);
	pegs_accountant_init(&model.accountant, PEGS_EPSILON_UNIT, 0, 1);
	f = begun(&layout, NULL, &model);
	memcpy(model.share[0], share, sizeof(share));
	sums = pegs_class_shares(&f, 0, 3, class_of);
	CHECK_NEAR(sums[0], 0.3, 1e-12);
	CHECK_NEAR(sums[1], 0.3, 1e-12);
	CHECK_NEAR(sums[2], 0.4, 1e-12);
	arena_free(&memory);
}

int
main(void)
{
	test_fit();
	test_most();
	test_measured_again();
	test_estimate();
	test_triple();
	test_bins();
	test_blend();
	test_nothing_left();
	test_class_shares();
	return unit_done("oneways_test");
}
