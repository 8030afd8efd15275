/*
 * propensity_test.c
 *	  Is pMSE what it is by hand, by the reference evaluator, and by a slow count of cells?
 */
#include "core/compare/propensity.h"

#include <string.h>

#include "core/compare/linear.h"
#include "fixture.h"
#include "rows.h"
#include "unit.h"

/* One column: `zeros` rows of level 0, then `ones` of level 1. */
static pegs_coded
binary(uint64_t zeros, uint64_t ones)
{
	static const uint32_t two = 2;
	pegs_coded	t = table(1, &two, zeros + ones);

	for (uint64_t r = zeros; r < zeros + ones; r++)
		t.code[0][r] = 1;
	return t;
}

static const uint32_t first_column = 0;

/* ---------- by hand ---------- */

static void
check_cells(pegs_coded a, pegs_coded b, double pmse, double ratio, uint64_t cells)
{
	double		p;
	double		r;
	uint64_t	k;

	CHECK_INT(pegs_pmse_cells(&env, &a, &b, &first_column, 1, &p, &r, &k), PEGS_OK);
	CHECK_NEAR(p, pmse, 1e-15);
	if (isnan(ratio))
		CHECK(isnan(r));
	else
		CHECK_NEAR(r, ratio, 1e-14);
	CHECK_INT(k, cells);
	arena_free(&memory);
}

static void
test_cells_by_hand(void)
{
	/* Expected: (2 - 1) 1/4 1/2 / 8 = 1/64 */
	check_cells(binary(3, 1), binary(1, 3), 0.0625, 4, 2);
	check_cells(binary(3, 1), binary(3, 1), 0, 0, 2);
	check_cells(binary(4, 0), binary(0, 4), 0.25, 16, 2);
	/* c = 1/3; scores 2/4 and 0/2: (4 (1/6)^2 + 2 (1/3)^2) / 6 = 1/18; expected 4/9 1/3 / 6 = 2/81 */
	check_cells(binary(2, 2), binary(2, 0), 1.0 / 18, 81.0 / 36, 2);
	/* one cell: nothing can differ */
	check_cells(binary(5, 0), binary(2, 0), 0, NAN, 1);
}

static void
test_logit_by_hand(void)
{
	/* scores 20/80 and 80/120: the reference evaluator's self test */
	pegs_coded	a = binary(60, 40);
	pegs_coded	b = binary(20, 80);
	double		want = (80.0 / 16 + 120.0 / 36) / 200;
	double		pmse;
	double		ratio;
	uint32_t	k;

	CHECK_INT(pegs_pmse_logit(&env, &a, &b, &pmse, &ratio, &k), PEGS_OK);
	CHECK_NEAR(pmse, want, 1e-4);
	CHECK_NEAR(ratio, want / (0.25 * 0.5 / 200), 1e-4);
	CHECK_INT(k, 2);
	/* the same table twice, and the code of what is not declared */
	a.code[0][7] = 2;
	CHECK_INT(pegs_pmse_logit(&env, &a, &a, &pmse, &ratio, &k), PEGS_OK);
	CHECK(fabs(pmse) < 1e-20 && fabs(ratio) < 1e-15);
	CHECK_INT(k, 3);
	arena_free(&memory);

	/* separable: finite by ridge and halved steps, and all but 1/4 */
	a = binary(50, 0);
	b = binary(0, 50);
	CHECK_INT(pegs_pmse_logit(&env, &a, &b, &pmse, &ratio, &k), PEGS_OK);
	CHECK(pmse > 0.249 && pmse <= 0.25);
	CHECK_INT(k, 2);
	/* a constant column is no model */
	CHECK_INT(pegs_pmse_logit(&env, &a, &a, &pmse, &ratio, &k), PEGS_OK);
	CHECK(pmse < 1e-20 && isnan(ratio));
	CHECK_INT(k, 1);
	arena_free(&memory);
}

/* ---------- by the reference evaluator (docs/reference.md, Sources) ---------- */

/* pmse_logit(200 rows of kind 0, 150 rows of kind 1) */
static void
test_logit_by_evaluate(void)
{
	pegs_coded	a = formula(200, 0);
	pegs_coded	b = formula(150, 1);
	double		pmse;
	double		ratio;
	uint32_t	k;

	memory.checks = 0;
	CHECK_INT(pegs_pmse_logit(&env, &a, &b, &pmse, &ratio, &k), PEGS_OK);
	CHECK_NEAR(pmse, 0.00328227211557175, 1e-10);
	CHECK_NEAR(ratio, 0.43205785907279454, 1e-10);
	CHECK_INT(k, 20);
	CHECK(memory.checks > 20);
	arena_free(&memory);
}

/* Where Newton's whole step goes too far: the reference evaluator halves it 9 and 10 times. */
static void
test_halved_steps(void)
{
	static const uint32_t three = 3;
	static const struct
	{
		uint32_t	rows[2][3];
		double		pmse;
	}			by_evaluate[2] = {
		{{{390, 8, 2}, {0, 0, 3}}, 0.004409261259932365},
		{{{200, 10, 1}, {1, 1, 8}}, 0.030560626524381625}
	};

	for (int i = 0; i < 2; i++)
	{
		pegs_coded	t[2];
		double		pmse;
		double		ratio;
		uint32_t	k;

		for (int u = 0; u < 2; u++)
		{
			const uint32_t *rows = by_evaluate[i].rows[u];

			t[u] = table(1, &three, rows[0] + rows[1] + rows[2]);
			for (uint32_t r = rows[0]; r < t[u].nrows; r++)
				t[u].code[0][r] = r < rows[0] + rows[1] ? 1 : 2;
		}
		CHECK_INT(pegs_pmse_logit(&env, &t[0], &t[1], &pmse, &ratio, &k), PEGS_OK);
		CHECK_NEAR(pmse, by_evaluate[i].pmse, 1e-9);
		CHECK_INT(k, 3);
		arena_free(&memory);
	}
}

/* ---------- cells against a slow count ---------- */

static bool
same_row(const pegs_coded *a, uint64_t i, const pegs_coded *b, uint64_t j, const uint32_t *columns, uint32_t n)
{
	for (uint32_t c = 0; c < n; c++)
		if (a->code[columns[c]][i] != b->code[columns[c]][j])
			return false;
	return true;
}

/* Each row by itself: its score from all rows that are like it. */
static void
slowly(const pegs_coded *a, const pegs_coded *b, const uint32_t *columns, uint32_t n, double *pmse, uint64_t *cells)
{
	const pegs_coded *both[2] = {a, b};
	double		rows = (double) (a->nrows + b->nrows);
	double		leaves = 0;

	*pmse = 0;
	for (int t = 0; t < 2; t++)
		for (uint64_t i = 0; i < both[t]->nrows; i++)
		{
			double		like[2] = {0, 0};
			double		score;

			for (int u = 0; u < 2; u++)
				for (uint64_t j = 0; j < both[u]->nrows; j++)
					like[u] += same_row(both[t], i, both[u], j, columns, n);
			score = like[1] / (like[0] + like[1]) - (double) b->nrows / rows;
			*pmse += score * score / rows;
			leaves += 1 / (like[0] + like[1]);
		}
	*cells = (uint64_t) (leaves + 0.5);
}

static void
test_cells_slowly(void)
{
	for (int turn = 0; turn < 150; turn++)
	{
		uint32_t	ncols = 1 + (uint32_t) pegs_rng_below(&rng, turn % 3 == 0 ? 40 : 4);
		uint32_t	levels[40];
		uint32_t	columns[40];
		uint32_t	n = (uint32_t) pegs_rng_below(&rng, ncols + 1);
		pegs_coded	t[2];
		double		pmse;
		double		ratio;
		double		slow;
		uint64_t	cells;
		uint64_t	slow_cells;

		/* 40 columns of 65,535 levels: their product does not fit, many times over */
		for (uint32_t c = 0; c < ncols; c++)
		{
			levels[c] = turn % 3 == 0 ? PEGS_MAX_LEVELS : 1 + (uint32_t) pegs_rng_below(&rng, 5);
			columns[c] = (uint32_t) pegs_rng_below(&rng, ncols);
		}
		for (int i = 0; i < 2; i++)
		{
			t[i] = table(ncols, levels, 1 + pegs_rng_below(&rng, 60));
			for (uint32_t c = 0; c < ncols; c++)
				for (uint64_t r = 0; r < t[i].nrows; r++)
					t[i].code[c][r] = turn % 3 == 0
						? (uint16_t) (PEGS_MAX_LEVELS - (c * r) % 2 - (pegs_rng_below(&rng, 20) == 0))
						: (uint16_t) pegs_rng_below(&rng, levels[c] + 1);
		}
		CHECK_INT(pegs_pmse_cells(&env, &t[0], &t[1], columns, n, &pmse, &ratio, &cells), PEGS_OK);
		slowly(&t[0], &t[1], columns, n, &slow, &slow_cells);
		CHECK(fabs(pmse - slow) < 1e-14);
		CHECK_INT(cells, slow_cells);
		arena_free(&memory);
	}
}

/* More cells than the hash starts with, all of them alone. */
static void
test_many_cells(void)
{
	static const uint32_t levels[2] = {300, 300};
	static const uint32_t columns[2] = {0, 1};
	pegs_coded	a = table(2, levels, 40000);
	pegs_coded	b = table(2, levels, 30000);
	double		c = 30000.0 / 70000;
	double		pmse;
	double		ratio;
	uint64_t	cells;

	for (uint32_t r = 0; r < 70000; r++)
	{
		pegs_coded *t = r < 40000 ? &a : &b;
		uint32_t	row = r < 40000 ? r : r - 40000;

		t->code[0][row] = (uint16_t) (r % 300);
		t->code[1][row] = (uint16_t) (r / 300);
	}
	CHECK_INT(pegs_pmse_cells(&env, &a, &b, columns, 2, &pmse, &ratio, &cells), PEGS_OK);
	CHECK_INT(cells, 70000);
	CHECK_NEAR(pmse, c * (1 - c), 1e-13);
	CHECK_NEAR(ratio, c * (1 - c) / (69999 * (1 - c) * (1 - c) * c / 70000), 1e-12);
	arena_free(&memory);
}

/* One record of n changes pMSE by at most 1/n. */
static void
test_sensitivity(void)
{
	static const uint32_t levels = 4;
	double		largest = 0;

	for (int turn = 0; turn < 2000; turn++)
	{
		uint64_t	n = 1 + pegs_rng_below(&rng, 12);
		pegs_coded	a = table(1, &levels, n);
		pegs_coded	b = table(1, &levels, n);
		double		pmse[2];
		double		ratio;
		uint64_t	cells;

		for (uint64_t r = 0; r < n; r++)
		{
			a.code[0][r] = (uint16_t) pegs_rng_below(&rng, 4);
			b.code[0][r] = (uint16_t) pegs_rng_below(&rng, 4);
		}
		for (int i = 0; i < 2; i++)
		{
			CHECK_INT(pegs_pmse_cells(&env, &a, &b, &first_column, 1, &pmse[i], &ratio, &cells), PEGS_OK);
			a.code[0][pegs_rng_below(&rng, n)] = (uint16_t) pegs_rng_below(&rng, 4);
		}
		largest = fmax(largest, fabs(pmse[1] - pmse[0]) * (double) n);
		arena_free(&memory);
	}
	CHECK(largest > 0.2 && largest <= 1);
}

/* ---------- what there is no answer to ---------- */

static void
test_edges(void)
{
	static const uint32_t two[2] = {2, 2};
	static const uint32_t other[2] = {2, 3};
	static const uint32_t wide[2] = {3000, 3000};
	static const uint32_t beyond = 2;
	pegs_coded	a = table(2, two, 4);
	pegs_coded	none = table(2, two, 0);
	pegs_coded	b = table(2, other, 4);
	pegs_coded	narrow = table(1, two, 4);
	pegs_coded	w = table(2, wide, 3000);
	pegs_coded	nothing = table(0, two, 3);
	double		pmse;
	double		ratio;
	uint32_t	k;
	uint64_t	cells;

	a.code[0][0] = a.code[1][1] = 1;
	CHECK_INT(pegs_pmse_logit(&env, &a, &b, &pmse, &ratio, &k), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_pmse_logit(&env, &a, &narrow, &pmse, &ratio, &k), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_pmse_cells(&env, &a, &b, two, 1, &pmse, &ratio, &cells), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_pmse_cells(&env, &a, &a, &beyond, 1, &pmse, &ratio, &cells), PEGS_ERR_ARGUMENT);

	for (int turn = 0; turn < 3; turn++)
	{
		const pegs_coded *x = turn == 1 ? &a : &none;
		const pegs_coded *y = turn == 0 ? &a : &none;

		pmse = ratio = 0;
		CHECK_INT(pegs_pmse_logit(&env, x, y, &pmse, &ratio, &k), PEGS_OK);
		CHECK(isnan(pmse) && isnan(ratio));
		CHECK_INT(k, turn == 2 ? 0 : 3);
		pmse = ratio = 0;
		CHECK_INT(pegs_pmse_cells(&env, x, y, &first_column, 1, &pmse, &ratio, &cells), PEGS_OK);
		CHECK(isnan(pmse) && isnan(ratio));
		CHECK_INT(cells, turn == 2 ? 0 : 2);
	}

	/* tables of no columns: all rows alike */
	CHECK_INT(pegs_pmse_logit(&env, &nothing, &nothing, &pmse, &ratio, &k), PEGS_OK);
	CHECK(pmse < 1e-20 && isnan(ratio) && k == 1);
	CHECK_INT(pegs_pmse_cells(&env, &nothing, &nothing, NULL, 0, &pmse, &ratio, &cells), PEGS_OK);
	CHECK(pmse == 0 && isnan(ratio) && cells == 1);

	/* 6,000 levels that rows have, against 6,000 that are only declared */
	CHECK_INT(pegs_pmse_logit(&env, &w, &w, &pmse, &ratio, &k), PEGS_OK);
	for (uint32_t r = 0; r < 3000; r++)
		w.code[0][r] = w.code[1][r] = (uint16_t) r;
	CHECK_INT(pegs_pmse_logit(&env, &w, &w, &pmse, &ratio, &k), PEGS_ERR_TOO_LARGE);
	arena_free(&memory);
}

/* What is given back is not used again. */
static void
test_memory(void)
{
	pegs_env	kept = env;
	pegs_coded	a;
	pegs_coded	b;
	size_t		blocks;
	double		pmse;
	double		ratio;
	uint32_t	k;
	uint64_t	cells;
	static const uint32_t all[5] = {4, 3, 2, 1, 0};

	env = arena_env_freeing(&memory);
	a = formula(3000, 0);
	b = formula(2000, 1);
	blocks = memory.blocks;
	CHECK_INT(pegs_pmse_logit(&env, &a, &b, &pmse, &ratio, &k), PEGS_OK);
	CHECK_INT(pegs_pmse_cells(&env, &a, &b, all, 5, &pmse, &ratio, &cells), PEGS_OK);
	CHECK_INT(memory.blocks, blocks);
	arena_free(&memory);
	env = kept;
}

int
main(void)
{
	start(6);
	test_cells_by_hand();
	test_logit_by_hand();
	test_logit_by_evaluate();
	test_halved_steps();
	test_cells_slowly();
	test_many_cells();
	test_sensitivity();
	test_edges();
	test_memory();
	return unit_done("propensity_test");
}
