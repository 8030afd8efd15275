/*
 * verify_test.c
 *	  pegs_verify_block: the worst ratios of an independent enumeration
 *	  (by a prototype with Python's fractions), and broken samplers caught.
 */
#include "core/pegs/verify.h"

#include "core/epsilon.h"
#include "fixture.h"
#include "unit.h"

/* Two binary columns, each the other's parent; `rows` are codes, two a row. */
static uint64_t *
two_columns(pegs_layout *layout, const char *rows)
{
	uint64_t   *cells;

	CHECK(pegs_layout_conditional(&env, 2, (uint32_t[]) {2, 2}, (uint32_t[]) {0, 1, 2}, (uint16_t[]) {1, 0}, 0, layout, NULL) == PEGS_OK);
	cells = env.alloc(env.context, sizeof(uint64_t) * layout->ncells);
	for (; rows[0] && rows[1]; rows += 2)
	{
		uint16_t	row[2] = {(uint16_t) (rows[0] - '0'), (uint16_t) (rows[1] - '0')};

		for (uint32_t i = 0; i < 2; i++)
			cells[layout->offset[i] + pegs_layout_key(layout, i, row) * 2 + row[i]]++;
	}
	return cells;
}

/* All tables of n rows: the largest ratio of any of them, and that all hold. */
static double
worst_of_all(uint32_t n, uint64_t alpha, uint32_t block)
{
	double		worst = 0;
	uint32_t	tables = 1;

	for (uint32_t i = 0; i < n; i++)
		tables *= 4;
	for (uint32_t t = 0; t < tables; t++)
	{
		char		rows[16] = {0};
		pegs_layout layout;
		pegs_verdict verdict;
		uint64_t   *cells;

		for (uint32_t i = 0, rest = t; i < n; i++, rest /= 4)
		{
			rows[2 * i] = (char) ('0' + rest % 4 / 2);
			rows[2 * i + 1] = (char) ('0' + rest % 2);
		}
		cells = two_columns(&layout, rows);
		CHECK(pegs_verify_block(&env, &layout, cells, alpha, block, pegs_gibbs_visit, &verdict) == PEGS_OK);
		CHECK(verdict.holds && verdict.worst <= verdict.bound + 1e-12);
		worst = verdict.worst > worst ? verdict.worst : worst;
		arena_free(&memory);
	}
	return worst;
}

static void
test_worst_ratios(void)
{
	const uint64_t alpha = 3 * 65536 / 2;	/* 3/2: the bound is 25/9 */

	/* the prototype's: C = (2, 2); its n is of the larger of two neighbours, ours of the one that has them */
	CHECK_NEAR(exp(worst_of_all(4, alpha, 1)), 1.9290, 1e-4);
	CHECK_NEAR(exp(worst_of_all(3, alpha, 2)), 1.8519, 1e-4);
	CHECK_NEAR(exp(worst_of_all(2, alpha, 3)), 1.7778, 1e-4);
}

static void
never(const pegs_gibbs *gibbs, uint32_t column, uint64_t key)
{
	(void) gibbs;
	(void) column;
	(void) key;
}

/* A cell that is not reset is paid for twice: 1,000 x 01 and 1,000 x 10, one row 11 more, two rows a block. */
static void
test_no_reset_is_caught(void)
{
	pegs_layout layout;
	pegs_verdict verdict;
	uint64_t   *cells = two_columns(&layout, "");

	for (int i = 0; i < 2; i++)
	{
		cells[layout.offset[i] + 1] = 1000;
		cells[layout.offset[i] + 2] = 1000;
	}
	CHECK(pegs_verify_block(&env, &layout, cells, 3 * 65536 / 2, 2, pegs_gibbs_visit, &verdict) == PEGS_OK);
	CHECK(verdict.holds);
	CHECK(pegs_verify_block(&env, &layout, cells, 3 * 65536 / 2, 2, never, &verdict) == PEGS_OK);
	CHECK(!verdict.holds);
	CHECK_NEAR(exp(verdict.worst), 7.685, 1e-3);
	CHECK_NEAR(exp(verdict.bound), 25.0 / 9, 1e-12);
	arena_free(&memory);
}

/* The bound is tight: an empty level beside many rows nearly reaches it. */
static void
test_tight(void)
{
	pegs_layout layout;
	pegs_verdict verdict;
	uint64_t	alpha;
	uint64_t   *cells = two_columns(&layout, "");

	for (int i = 0; i < 2; i++)
	{
		cells[layout.offset[i] + 1] = 10000;
		cells[layout.offset[i] + 2] = 10000;
	}
	CHECK(pegs_alpha(INT64_C(1000000000), 2, 2, &alpha) == PEGS_OK);
	CHECK(pegs_verify_block(&env, &layout, cells, alpha, 1, pegs_gibbs_visit, &verdict) == PEGS_OK);
	CHECK(verdict.holds && verdict.bound <= 1);
	CHECK(verdict.worst > .999 && verdict.worst <= 1);
	arena_free(&memory);
}

static void
test_limits(void)
{
	pegs_layout layout;
	pegs_verdict verdict;
	uint64_t   *cells;

	CHECK(pegs_layout_conditional(&env, 2, (uint32_t[]) {300, 300}, (uint32_t[]) {0, 0, 0}, NULL, 0, &layout, NULL) == PEGS_OK);
	cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
	CHECK(pegs_verify_block(&env, &layout, cells, 65536, 1, pegs_gibbs_visit, &verdict) == PEGS_ERR_TOO_LARGE);
	cells = two_columns(&layout, "0110");
	CHECK(pegs_verify_block(&env, &layout, cells, 65536, 40, pegs_gibbs_visit, &verdict) == PEGS_ERR_TOO_LARGE);
	CHECK(pegs_verify_block(&env, &layout, cells, 65536, 0, pegs_gibbs_visit, &verdict) == PEGS_ERR_TOO_LARGE);
	arena_free(&memory);
}

int
main(void)
{
	test_worst_ratios();
	test_no_reset_is_caught();
	test_tight();
	test_limits();
	return unit_done("verify_test");
}
