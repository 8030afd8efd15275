/*
 * columns_test.c
 *	  The tables of all columns: what they may cost, who is looked at twice, how
 *	  many rows there are.
 *
 * What one row moves, marginals_test.c and copula_test.c show.
 */
#include "core/column/column.h"

#include <math.h>
#include <string.h>

#define STREAM_SALT [1] = 71
#include "fixture.h"
#include "unit.h"

#define COLUMNS 3

static const uint32_t levels[COLUMNS] = {4, 40, 40};

/* 4,000 rows: four levels, one of forty, all of forty. */
static uint64_t *
count_rows(uint32_t ncols, pegs_layout *layout)
{
	uint32_t   *start_of = env.alloc(env.context, sizeof(uint32_t) * (ncols + 1));
	uint64_t   *cells;

	CHECK(pegs_layout_conditional(&env, ncols, levels, start_of, NULL, 0, layout, NULL) == PEGS_OK);
	cells = env.alloc(env.context, sizeof(uint64_t) * layout->ncells);
	for (uint32_t j = 0; j < 4; j++)
		cells[layout->offset[0] + j] = 1000;
	if (ncols > 1)
		cells[layout->offset[1]] = 4000;
	for (uint32_t j = 0; ncols > 2 && j < 40; j++)
		cells[layout->offset[2] + j] = 100;
	return cells;
}

/* A part of an account is spent whole, but for the roundings, and nothing of what is kept; also where something was spent before. */
static void
test_budget(void)
{
	for (int turn = 0; turn < 60; turn++)
	{
		bool		pure = turn % 2;
		uint32_t	ncols = 1 + (uint32_t) turn / 2 % COLUMNS;
		double		part = turn % 5 == 0 ? 1 : 0.1 * (turn % 5);
		pegs_layout layout;
		uint64_t   *cells = count_rows(ncols, &layout);
		pegs_accountant accountant;
		pegs_columns columns;
		uint64_t	before = 0;
		double		budget;

		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, pure ? 0 : 1000000000, 1);
		if (turn >= 30)
			before = accountant.spent = accountant.total / 7;
		budget = part * pegs_accountant_left(&accountant);
		start((uint8_t) turn);
		pegs_columns_fit(&env, &accountant, &rng, budget, &layout, cells, &columns);
		CHECK((double) (accountant.spent - before) * 0x1p-50 <= budget);
		CHECK((double) (accountant.spent - before) * 0x1p-50 > budget - 10 * 0x1p-50);
		CHECK(accountant.record[PEGS_FOR_ONEWAY - 1].cost == accountant.spent - before);
		/* with delta some are looked at twice, of three not that one which is known well enough; alone, and where looks are Laplace, none */
		if (pure || ncols == 1)
			CHECK_INT(accountant.record[PEGS_FOR_ONEWAY - 1].uses, ncols);
		else
			CHECK(accountant.record[PEGS_FOR_ONEWAY - 1].uses > ncols && accountant.record[PEGS_FOR_ONEWAY - 1].uses <= (ncols == 2 ? 4 : 5));
		arena_free(&memory);
	}
}

/* Of equally wide columns the one with forty levels in use is known better by its second look. Shares add up to 1. */
static void
test_shares(void)
{
	for (int pure = 0; pure < 2; pure++)
	{
		pegs_layout layout;
		uint64_t   *cells = count_rows(COLUMNS, &layout);
		pegs_accountant accountant;
		pegs_columns columns;

		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, pure ? 0 : 1000000000, 1);
		start((uint8_t) pure);
		pegs_columns_fit(&env, &accountant, &rng, pegs_accountant_left(&accountant), &layout, cells, &columns);
		CHECK(pure ? columns.one[2].variance == columns.one[1].variance : columns.one[2].variance < 0.9 * columns.one[1].variance);
		for (uint32_t i = 0; i < COLUMNS; i++)
		{
			double		sum = 0;
			double		off = 0;

			for (uint32_t j = 0; j < levels[i]; j++)
			{
				sum += columns.share[i][j];
				off += fabs(columns.share[i][j] - (double) cells[layout.offset[i] + j] / 4000) / 2;
			}
			CHECK_NEAR(sum, 1, 1e-9);
			CHECK(off < 0.05);
		}
		arena_free(&memory);
	}
}

/* The number of rows, by the sums of all tables: as far off as it should be. */
static void
test_rows(void)
{
	double		square = 0;
	double		variance = 0;

	for (uint64_t key = 0; key < 300; key++)
	{
		pegs_layout layout;
		uint64_t   *cells = count_rows(COLUMNS, &layout);
		pegs_accountant accountant;
		pegs_columns columns;
		double		weight = 0;

		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT / 10, 0, 1);
		start_stream(3, key);
		pegs_columns_fit(&env, &accountant, &rng, pegs_accountant_left(&accountant), &layout, cells, &columns);
		for (uint32_t i = 0; i < COLUMNS; i++)
			weight += 1 / (levels[i] * columns.one[i].variance);
		variance = 1 / weight;
		square += (columns.rows - 4000) * (columns.rows - 4000) / 300;
		arena_free(&memory);
	}
	CHECK(square > 0.7 * variance && square < 1.4 * variance);
}

/* Bins in order have a tree of halves: what is empty stays so. */
static void
test_bins(void)
{
	const uint32_t bins[COLUMNS] = {0, 40, 0};
	double		empty[2] = {0, 0};

	for (uint64_t key = 0; key < 20; key++)
		for (int halves = 0; halves < 2; halves++)
		{
			pegs_layout layout;
			uint64_t   *cells = count_rows(COLUMNS, &layout);
			pegs_accountant accountant;
			pegs_columns columns;

			layout.bins = halves ? bins : NULL;
			pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT / 20, 0, 1);
			start_stream(4, key);
			pegs_columns_fit(&env, &accountant, &rng, pegs_accountant_left(&accountant), &layout, cells, &columns);
			for (int j = 1; j < 40; j++)
				empty[halves] += columns.share[1][j] == 0;
			arena_free(&memory);
		}
	CHECK(empty[1] > empty[0]);
}

/* Nothing is bought: all levels have the same, and a row there is. */
static void
test_nothing_bought(void)
{
	for (int pure = 0; pure < 2; pure++)
	{
		pegs_layout layout;
		uint64_t   *cells = count_rows(COLUMNS, &layout);
		pegs_accountant accountant;
		pegs_columns columns;

		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, pure ? 0 : 1000000000, 1);
		pegs_columns_fit(&env, &accountant, &rng, 0, &layout, cells, &columns);
		CHECK(accountant.spent == 0 && columns.rows == 1);
		for (uint32_t j = 0; j < 40; j++)
			CHECK(columns.share[1][j] == 1.0 / 40 && columns.one[1].variance < 0);
		arena_free(&memory);
	}
}

int
main(void)
{
	test_budget();
	test_shares();
	test_rows();
	test_bins();
	test_nothing_bought();
	return unit_done("columns_test");
}
