/*
 * dummy_test.c
 *	  A normal for each level: what one row moves, by how much it can be told, what is
 *	  estimated, what is read.
 */
#include "core/copula/dummy.h"

#include <string.h>

#include "core/copula/copula.h"
#include "core/copula/correlation.h"
#include "core/witness.h"
#define STREAM_SALT [1] = 92
#include "fixture.h"
#include "unit.h"

static pegs_layout
pairs(uint32_t ncols, const uint32_t *levels)
{
	pegs_layout layout;

	CHECK(pegs_layout_pairs(&env, ncols, levels, &layout, NULL) == PEGS_OK);
	return layout;
}

static uint64_t *
no_rows(const pegs_layout *layout)
{
	return env.alloc(env.context, sizeof(uint64_t) * layout->ncells);
}

static void
add_row(const pegs_layout *layout, uint64_t *cells, uint16_t *code, uint32_t times)
{
	uint16_t   *codes[16];

	for (uint32_t c = 0; c < layout->ncols; c++)
		codes[c] = &code[c];
	pegs_count_weighted(NULL, layout, cells, codes, &times, 1);
}

/* Two columns of 3 and 4 levels, of which one tells much of the other, and a third that tells nothing. */
static void
count_rows(const pegs_layout *layout, uint64_t *cells, uint32_t n, uint32_t each)
{
	for (uint32_t r = 0; r < n; r++)
	{
		uint16_t	code[3] = {(uint16_t) (r % 10 < 5 ? 0 : r % 10 < 8 ? 1 : 2), 0, (uint16_t) pegs_rng_below(&rng, 2)};

		code[1] = (uint16_t) (pegs_rng_below(&rng, 2) ? code[0] : pegs_rng_below(&rng, 4));
		add_row(layout, cells, code, each);
	}
}

static const uint32_t three[3] = {3, 4, 2};

static double
correlation(const pegs_dummy *model, uint32_t a, uint32_t b)
{
	double		sum = 0;

	for (uint32_t k = 0; k <= (a < b ? a : b); k++)
		sum += model->factor[pegs_packed(a, k)] * model->factor[pegs_packed(b, k)];
	return sum;
}

/* ---- Claim P25: each column is one table, and each two are; all of the account is spent, and none of it twice. ---- */

static void
test_claim(void)
{
	for (int turn = 0; turn < 24; turn++)
	{
		uint32_t	rows = 1 + (uint32_t) turn % 2;
		int64_t		delta = turn / 2 % 2 ? 1000000000 : 0;
		pegs_layout layout = pairs(3, three);
		uint64_t   *cells[2] = {no_rows(&layout), no_rows(&layout)};
		pegs_witness witness = {0};
		pegs_accountant accountant;
		pegs_dummy	model[2];
		double		n;

		start((uint8_t) turn);
		for (int side = 0; side < 2; side++)
			for (uint16_t r = 0; r < 30; r++)
				add_row(&layout, cells[side], (uint16_t[3]) {r % 3, r % 3 + (r % 5 == 0), r % 3 > 0}, 30);
		add_row(&layout, cells[turn / 4 % 2], (uint16_t[3]) {2, 3, 0}, rows);
		pegs_accountant_init(&accountant, 20 * PEGS_EPSILON_UNIT, delta, rows);
		accountant.witness = &witness;
		pegs_witness_begin(&witness, &env);
		for (int run = 0; run < 2; run++)
		{
			pegs_accountant own = accountant;

			if (run == 1)
				pegs_witness_again(&witness);
			pegs_dummy_fit(&env, &rng, &own, &layout, cells[run], false, &model[run], &n);
			CHECK(own.spent <= own.total && own.total - own.spent < 100);
			CHECK_INT(own.record[PEGS_FOR_PAIR - 1].uses, 3);
			CHECK_INT(own.record[PEGS_FOR_SUM - 1].uses, 0);
			CHECK_NEAR((double) own.record[PEGS_FOR_PAIR - 1].cost, 0.6 * (double) own.total, 1e-9);
		}
		pegs_witness_end(&witness, &accountant, memcmp(model[0].factor, model[1].factor, sizeof(double) * pegs_packed(9, 0)) == 0);
		CHECK_INT(witness.fault, PEGS_SOUND);
		arena_free(&memory);
	}
}

/* ---- what is estimated ---- */

/*
 * With next to no noise, of persons too, what the counts themselves say: shares, and which levels go with which; a
 * column's own normals are independent.
 */
static void
test_estimate(void)
{
	for (uint32_t each = 0; each <= 8; each += 8)
	{
		pegs_layout layout = pairs(3, three);
		uint64_t   *cells = no_rows(&layout);
		pegs_accountant accountant;
		pegs_dummy	exact;
		pegs_dummy	noisy;
		double		rows;

		start(1);
		count_rows(&layout, cells, 20000, each > 0 ? each : 1);
		pegs_accountant_init(&accountant, 1000 * PEGS_EPSILON_UNIT, 0, each > 0 ? each : 1);
		accountant.rows_each = each;
		pegs_dummy_fit(&env, &rng, &accountant, &layout, cells, false, &noisy, &rows);
		CHECK_NEAR(rows, 20000 * (each > 0 ? each : 1), 1e-4);
		pegs_dummy_fit_exact(&env, &layout, cells, PEGS_DUMMY_COP, false, &exact);
		CHECK_INT(noisy.nlatents, 9);
		CHECK_NEAR(exact.share[0][0], 0.5, 1e-12);
		for (uint32_t a = 0; a < 9; a++)
			for (uint32_t b = 0; b <= a; b++)
			{
				double		r = correlation(&noisy, a, b);
				bool		one_column = (b < 3) == (a < 3) && (b < 7) == (a < 7);

				CHECK(fabs(r - correlation(&exact, a, b)) < 0.02);
				if (one_column)
					CHECK(fabs(r - (a == b)) < 1e-12);
				else if (a < 7)
					CHECK(a - 3 == b ? r > 0.3 : a == 6 ? fabs(r) < 0.1 : r < -0.05);
				else
					CHECK(fabs(r) < 0.05);
			}
		arena_free(&memory);
	}
}

/* Halves that are both in three rows of ten: sin(2 pi 0.05) as thresholds have it, half of it by clocks. */
static void
test_clocks(void)
{
	const uint32_t levels[2] = {2, 2};
	pegs_layout layout = pairs(2, levels);
	uint64_t   *cells = no_rows(&layout);
	pegs_dummy	model;

	for (uint16_t i = 0; i < 4; i++)
		add_row(&layout, cells, (uint16_t[2]) {i / 2, i % 2}, i == 0 || i == 3 ? 3000000 : 2000000);
	pegs_dummy_fit_exact(&env, &layout, cells, PEGS_DUMMY_COP, false, &model);
	CHECK_NEAR(correlation(&model, 0, 2), sin(0.1 * M_PI) / 2, 1e-3);
	CHECK_NEAR(correlation(&model, 1, 2), -sin(0.1 * M_PI) / 2, 1e-3);
	arena_free(&memory);
}

/* What is lifted is more than a number: equal columns, each of whose own normals stay independent. */
static void
test_equal(void)
{
	const uint32_t levels[3] = {4, 4, 4};
	pegs_layout layout = pairs(3, levels);
	uint64_t   *cells = no_rows(&layout);
	pegs_dummy	model;

	for (uint16_t i = 0; i < 4; i++)
		add_row(&layout, cells, (uint16_t[3]) {i, i, (uint16_t) (3 - i)}, 1000 + 500 * i);
	pegs_dummy_fit_exact(&env, &layout, cells, PEGS_DUMMY_COP, false, &model);
	for (uint32_t a = 0; a < 12; a++)
		for (uint32_t b = 0; b <= a; b++)
			CHECK(a / 4 == b / 4 ? fabs(correlation(&model, a, b) - (a == b)) < 1e-9 : fabs(correlation(&model, a, b)) <= 1);
	CHECK(correlation(&model, 0, 4) > 0.5 && correlation(&model, 0, 11) > 0.5);
	arena_free(&memory);
}

/* What chance may have made is not believed: of 200 rows of columns that have nothing to do with each other hardly a correlation is left. */
static void
test_chance(void)
{
	double		sum = 0;

	for (uint8_t key = 1; key <= 20; key++)
	{
		pegs_layout layout = pairs(3, three);
		uint64_t   *cells = no_rows(&layout);
		pegs_dummy	model;

		start(key);
		count_rows(&layout, cells, 200, 1);
		pegs_dummy_fit_exact(&env, &layout, cells, PEGS_DUMMY_COP, false, &model);
		for (uint32_t a = 0; a < 7; a++)
			sum += fabs(correlation(&model, a, 7)) / 140;
		arena_free(&memory);
	}
	CHECK(sum < 0.02);
}

/* Forms, the nearest matrix, empty tables, columns that never change, nothing that can be bought. */
static void
test_small(void)
{
	const uint32_t levels[3] = {1, 3, 2};
	pegs_layout layout = pairs(3, levels);
	uint64_t   *cells = no_rows(&layout);
	pegs_accountant accountant;
	pegs_dummy	model;
	double		rows;

	start(1);
	pegs_dummy_fit_exact(&env, &layout, cells, PEGS_DUMMY_COP, false, &model);
	CHECK_NEAR(model.share[1][2], 1 / 3.0, 1e-12);
	CHECK(correlation(&model, 1, 4) == 0);
	add_row(&layout, cells, (uint16_t[3]) {0, 1, 1}, 500);
	for (int form = 0; form < PEGS_DUMMY_FORMS; form++)
	{
		pegs_dummy_fit_exact(&env, &layout, cells, (pegs_dummy_form) form, true, &model);
		CHECK(model.form == (uint32_t) form && model.share[1][1] == 1 && correlation(&model, 2, 5) == 0);
	}
	pegs_accountant_init(&accountant, 1000 * PEGS_EPSILON_UNIT, 0, 1);
	pegs_dummy_fit(&env, &rng, &accountant, &layout, cells, true, &model, &rows);
	CHECK(accountant.record[PEGS_FOR_PAIR - 1].uses == 0 && model.share[2][1] == 1);
	pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 2);
	accountant.total = 1;
	pegs_dummy_fit(&env, &rng, &accountant, &layout, cells, false, &model, &rows);
	CHECK_NEAR(model.share[1][0], 1 / 3.0, 1e-12);
	layout = pairs(1, levels + 1);
	pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
	pegs_dummy_fit(&env, &rng, &accountant, &layout, no_rows(&layout), false, &model, &rows);
	CHECK(accountant.spent == accountant.total && accountant.record[PEGS_FOR_ONEWAY - 1].uses == 1);
	arena_free(&memory);
}

/* ---- bytes ---- */

static uint8_t *
written(pegs_dummy *model, size_t *size)
{
	pegs_cursor c = {.pass = PEGS_SIZE};
	uint8_t    *bytes;

	pegs_dummy_walk(&c, model);
	*size = c.at;
	bytes = env.alloc(env.context, c.at);
	c = (pegs_cursor) {.pass = PEGS_WRITE, .out = bytes};
	pegs_dummy_walk(&c, model);
	return bytes;
}

/* Is what is written of a model read again? */
static bool
is_read(pegs_dummy *model)
{
	pegs_dummy	read = {.ncols = model->ncols, .levels = model->levels};
	size_t		size;
	uint8_t    *bytes = written(model, &size);
	pegs_cursor c = {.pass = PEGS_READ, .env = &env, .in = bytes, .length = size};

	pegs_dummy_walk(&c, &read);
	return c.status == PEGS_OK && c.at == size && memcmp(written(&read, &size), bytes, size) == 0;
}

/* What is believed of bytes: shares, rows of length 1, columns whose own normals are independent, a form. */
static void
test_read(void)
{
	pegs_layout layout = pairs(3, three);
	uint64_t   *cells = no_rows(&layout);
	pegs_dummy	model;

	start(1);
	count_rows(&layout, cells, 1000, 1);
	pegs_dummy_fit_exact(&env, &layout, cells, PEGS_DUMMY_COP, false, &model);
	CHECK(is_read(&model));
	model.form = PEGS_DUMMY_FORMS;
	CHECK(!is_read(&model));
	model.form = PEGS_DUMMY_ONE;
	CHECK(is_read(&model));
	model.share[1][0] += 0.1;
	CHECK(!is_read(&model));
	model.share[1][0] -= 0.1;
	model.factor[pegs_packed(5, 1)] += 0.1;
	CHECK(!is_read(&model));
	model.factor[pegs_packed(5, 1)] = NAN;
	CHECK(!is_read(&model));
	memset(model.factor, 0, sizeof(double) * pegs_packed(9, 0));
	for (uint32_t i = 0; i < 9; i++)
		model.factor[pegs_packed(i, i)] = 1;
	CHECK(is_read(&model));
	model.factor[pegs_packed(4, 3)] = 0.6;
	model.factor[pegs_packed(4, 4)] = 0.8;
	CHECK(!is_read(&model));
	arena_free(&memory);
}

int
main(void)
{
	test_claim();
	test_estimate();
	test_clocks();
	test_equal();
	test_chance();
	test_small();
	test_read();
	return unit_done("dummy_test");
}
