/*
 * joint_test.c
 *	  The noisy table of all columns: what one row moves, by how much it can be
 *	  told, what is estimated, what is read.
 */
#include "core/table/joint.h"

#include <string.h>

#include "core/witness.h"
#include "fixture.h"
#include "unit.h"

/* ---- tables ---- */

static pegs_layout
joint(uint32_t ncols, const uint32_t *levels)
{
	pegs_layout layout;

	CHECK(pegs_layout_joint(&env, ncols, levels, &layout, NULL) == PEGS_OK);
	return layout;
}

static uint64_t *
no_rows(const pegs_layout *layout)
{
	return env.alloc(env.context, sizeof(uint64_t) * layout->ncells);
}

/* So many rows more of a cell, as they are counted. */
static void
add_row(const pegs_layout *layout, uint64_t *cells, uint64_t cell, int times)
{
	uint16_t	code[8];
	uint16_t   *codes[8];

	pegs_joint_row(layout->ncols, layout->levels, cell, code);
	for (uint32_t c = 0; c < layout->ncols; c++)
		codes[c] = &code[c];
	while (times-- > 0)
		pegs_count_chunk(layout, cells, codes, 1);
}

static pegs_joint *
fit(const pegs_layout *layout, const uint64_t *cells, pegs_accountant *accountant)
{
	pegs_joint *model = env.alloc(env.context, sizeof(pegs_joint));

	pegs_joint_fit(&env, &rng, accountant, layout, cells, model);
	return model;
}

/* The weight of a cell; 0 if the model has it not. */
static double
weight_of(const pegs_joint *model, uint64_t cell)
{
	for (uint32_t i = 0; i < model->n; i++)
		if (model->cell[i] == cell)
			return model->weight[i];
	return 0;
}

/* ---- Claim P22 ---- */

static double
weigh(const pegs_layout *layout, uint64_t *const *cells, int64_t epsilon, int64_t delta, uint32_t rows, pegs_witness *witness)
{
	pegs_accountant accountant;
	pegs_joint *model[2];
	bool		same;

	pegs_accountant_init(&accountant, epsilon, delta, rows);
	accountant.witness = witness;
	pegs_witness_begin(witness, &env);
	for (int run = 0; run < 2; run++)
	{
		if (run == 1)
			pegs_witness_again(witness);
		model[run] = fit(layout, cells[run], &accountant);
	}
	same = model[0]->n == model[1]->n && model[0]->rows == model[1]->rows
		&& memcmp(model[0]->cell, model[1]->cell, sizeof(uint32_t) * model[0]->n) == 0
		&& memcmp(model[0]->weight, model[1]->weight, sizeof(double) * model[0]->n) == 0;
	pegs_witness_end(witness, &accountant, same);
	return witness->ratio;
}

/*
 * All tables of up to three rows over six cells, and each with a unit more, both
 * ways round: what the answers of a fit are worth, exactly. It is never above
 * epsilon, and reaches it.
 */
static void
test_claim(void)
{
	const uint32_t levels[2] = {2, 3};
	const int64_t epsilon = PEGS_EPSILON_UNIT;

	for (uint32_t rows = 1; rows <= 3; rows++)
	{
		pegs_witness witness = {0};
		double		most = 0;
		double		least = 0;
		double		cost = 0;

		for (int of = 0; of < 7 * 7 * 7 * 6; of++)
		{
			pegs_layout layout = joint(2, levels);
			uint64_t   *cells[2] = {no_rows(&layout), no_rows(&layout)};
			double		ratio;

			for (int side = 0; side < 2; side++)
			{
				for (int place = 0, rest = of / 6; place < 3; place++, rest /= 7)
					if (rest % 7 < 6)	/* else there is no such row */
						add_row(&layout, cells[side], (uint64_t) rest % 7, 1);
				/* the first fit is sometimes of the larger table */
				if (side == of % 2)
					add_row(&layout, cells[side], (uint64_t) (of % 6), (int) rows);
			}
			start_stream(1, (uint64_t) of);
			ratio = weigh(&layout, cells, epsilon, 0, rows, &witness);
			most = fmax(most, ratio);
			least = fmin(least, ratio);
			cost = fmax(cost, witness.cost);
			arena_free(&memory);
		}
		CHECK_INT(witness.fault, PEGS_SOUND);
		CHECK(most <= 1 && most > 1 - 1e-9);
		CHECK(least >= -1 && least < -1 + 1e-9);
		CHECK(cost <= 1 && cost > 1 - 1e-9);
	}
}

/* With the number of rows measured by itself, and with delta: still within the account, which is spent whole. */
static void
test_account(void)
{
	const uint32_t levels[2] = {40, 30};

	for (int64_t delta = 0; delta <= INT64_C(1000000000); delta += INT64_C(1000000000))
		for (uint8_t key = 0; key < 20; key++)
		{
			pegs_layout layout = joint(2, levels);
			uint64_t   *cells[2] = {no_rows(&layout), no_rows(&layout)};
			pegs_witness witness = {0};
			pegs_accountant accountant;

			add_row(&layout, cells[1], key, 1);
			start(key);
			weigh(&layout, cells, PEGS_EPSILON_UNIT, delta, 1, &witness);
			CHECK_INT(witness.fault, PEGS_SOUND);
			CHECK_INT(witness.looks, 2);
			pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, delta, 1);
			accountant = fit(&layout, cells[0], &accountant)->accountant;
			CHECK_INT(accountant.spent, accountant.total);
			CHECK_INT(accountant.record[PEGS_FOR_ROWS - 1].uses, 1);
			CHECK_INT(accountant.record[PEGS_FOR_TABLE - 1].uses, 1);
			CHECK_NEAR((double) accountant.record[PEGS_FOR_ROWS - 1].cost, 0.05 * (double) accountant.total, 1e-9);
			arena_free(&memory);
		}
}

/* ---- the estimate ---- */

/* As good as no noise: the shares of the table itself, of single columns, too. Persons count rows_each times. */
static void
test_exact(void)
{
	const uint32_t levels[3] = {3, 20, 25};

	for (uint32_t each = 0; each <= 64; each += 64)
	{
		pegs_layout layout = joint(3, levels);
		uint64_t   *cells = no_rows(&layout);
		pegs_accountant accountant;
		pegs_joint *model;
		double		of_first = 0;

		for (uint64_t i = 0; i < 100; i++)
			add_row(&layout, cells, (i * 37) % 50 * 30, each > 0 ? (int) each : 1);
		for (uint64_t i = 0; i < 500; i++)
			of_first += (double) cells[i];
		pegs_accountant_init(&accountant, 1000 * PEGS_EPSILON_UNIT, 0, each > 0 ? each : 1);
		accountant.rows_each = each;
		start(2);
		model = fit(&layout, cells, &accountant);
		CHECK_NEAR(model->rows, 100, each > 0 ? 0.02 : 0);
		CHECK_INT(model->n, each > 0 ? model->n : 50);
		for (uint64_t i = 0; i < 1500; i++)
			CHECK(fabs(weight_of(model, i) - (i % 30 == 0 ? 0.02 : 0)) <= (each > 0 ? 2e-3 : 1e-12));
		CHECK(fabs(model->share[0][0] - of_first / (each > 0 ? 100 * each : 100)) <= (each > 0 ? 0.01 : 1e-12));
		arena_free(&memory);
	}
}

/* The number of rows, by both of its measurements: as far off as it should be. */
static void
test_rows(void)
{
	const uint32_t levels[2] = {50, 60};
	double		sum = 0;
	double		square = 0;
	double		variance = 1 / (1 / (2 * 400.0) + 1 / (3000 * 2 / (0.95 * 0.95)));

	for (uint64_t key = 0; key < 300; key++)
	{
		pegs_layout layout = joint(2, levels);
		uint64_t   *cells = no_rows(&layout);
		pegs_accountant accountant;
		double		off;

		for (uint64_t i = 0; i < 3000; i++)
			cells[i] = i % 3;
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
		start_stream(3, key);
		off = fit(&layout, cells, &accountant)->rows - 3000;
		sum += off;
		square += off * off;
		arena_free(&memory);
	}
	CHECK(fabs(sum / 300) < 6 * sqrt(variance / 300));
	CHECK(square / 300 > 0.7 * variance && square / 300 < 1.4 * variance);
}

/* A cell that is forbidden is not measured, and has nothing; where all are, there is a model all the same. */
static void
test_zeros(void)
{
	const uint32_t levels[2] = {4, 5};
	bool		some[4] = {false, true, false, true};
	bool		others[5] = {true, true, false, true, false};
	bool		all[4] = {true, true, true, true};
	pegs_zero	zero = {.n = 2, .column = {0, 1}, .level = {some, others}};
	pegs_zero	everything = {.n = 1, .column = {0}, .level = {all}};
	pegs_layout layout = joint(2, levels);
	uint64_t   *cells = no_rows(&layout);
	pegs_accountant accountant;
	pegs_joint *model;
	double		sum = 0;

	for (uint64_t i = 0; i < 20; i++)
		add_row(&layout, cells, i, 100);
	pegs_accountant_init(&accountant, 1000 * PEGS_EPSILON_UNIT, 0, 1);
	layout.zeros = (pegs_zeros) {1, &zero};
	model = fit(&layout, cells, &accountant);
	CHECK_INT(model->n, 20 - 6);
	for (uint32_t i = 0; i < model->n; i++)
	{
		CHECK(!(some[model->cell[i] / 5] && others[model->cell[i] % 5]));
		sum += model->weight[i];
	}
	CHECK_NEAR(sum, 1, 1e-12);
	CHECK_NEAR(model->rows, 1400, 1e-12);
	layout.zeros = (pegs_zeros) {1, &everything};
	CHECK_INT(fit(&layout, cells, &accountant)->n, 20);
	arena_free(&memory);
}

/* Too little for a unit of each row: nothing is looked at, and every cell has the same. */
static void
test_nothing_bought(void)
{
	const uint32_t levels[1] = {4};
	pegs_layout layout = joint(1, levels);
	uint64_t   *cells = no_rows(&layout);
	pegs_accountant accountant;
	pegs_joint *model;

	for (int i = 0; i < 4; i++)
		cells[i] = 1000 + (uint64_t) (i == 2);
	pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
	accountant.total = 1;
	accountant.rows_per_unit = 2;
	model = fit(&layout, cells, &accountant);
	CHECK_INT(model->n, 4);
	for (uint32_t i = 0; i < model->n; i++)
		CHECK_NEAR(model->weight[i], 0.25, 1e-12);
	CHECK_NEAR(model->rows, 1, 0);
	arena_free(&memory);
}

/* ---- bytes ---- */

static pegs_status
read_back(pegs_joint *model, pegs_joint *read)
{
	pegs_cursor c = {.pass = PEGS_SIZE};
	size_t		size;
	uint8_t    *bytes;

	pegs_joint_walk(&c, model);
	size = c.at;
	bytes = env.alloc(env.context, size);
	c = (pegs_cursor) {.pass = PEGS_WRITE, .out = bytes};
	pegs_joint_walk(&c, model);
	*read = (pegs_joint) {.ncols = model->ncols, .levels = model->levels};
	c = (pegs_cursor) {.pass = PEGS_READ, .env = &env, .in = bytes, .length = size};
	pegs_joint_walk(&c, read);
	return c.status;
}

/* What no fit has written is refused: each for one reason. */
static void
test_lies(void)
{
	uint32_t	levels[2] = {3, 4};
	double		one[3] = {0.5, 0.25, 0.25};
	double		two[4] = {0.25, 0.25, 0.5, 0};
	double	   *share[2] = {one, two};
	uint32_t	cell[3] = {1, 6, 11};
	double		weight[3] = {0.5, 0.25, 0.25};
	pegs_joint	model = {.ncols = 2, .levels = levels, .rows = 10, .share = share, .n = 3, .cell = cell, .weight = weight};
	pegs_joint	read;

	pegs_accountant_init(&model.accountant, PEGS_EPSILON_UNIT, 0, 1);
	CHECK(read_back(&model, &read) == PEGS_OK && read.n == 3 && read.cell[2] == 11 && read.weight[1] == 0.25 && read.share[1][2] == 0.5);
#define REFUSED(lie, truth) do { lie; CHECK(read_back(&model, &read) == PEGS_ERR_FORMAT); truth; } while (0)
	REFUSED(cell[2] = 12, cell[2] = 11);
	REFUSED(cell[1] = 1, cell[1] = 6);
	REFUSED(cell[1] = 11, cell[1] = 6);
	REFUSED(weight[2] = 0.2, weight[2] = 0.25);
	REFUSED((weight[1] = 0, weight[0] = 0.75), (weight[1] = 0.25, weight[0] = 0.5));
	REFUSED((weight[1] = -0.25, weight[0] = 1), (weight[1] = 0.25, weight[0] = 0.5));
	REFUSED(one[0] = 0.4, one[0] = 0.5);
	REFUSED((two[0] = -0.25, two[2] = 1), (two[0] = 0.25, two[2] = 0.5));
	REFUSED(model.rows = 0.5, model.rows = 10);
	REFUSED(model.n = 0, model.n = 3);
	REFUSED(model.accountant.spent = model.accountant.total + 1, model.accountant.spent = 0);
	REFUSED(model.accountant.record[PEGS_FOR_TABLE - 1].purpose = 2, model.accountant.record[PEGS_FOR_TABLE - 1].purpose = PEGS_FOR_TABLE);
	CHECK(read_back(&model, &read) == PEGS_OK);
	/* more cells than may be counted; each column by itself is good */
	levels[0] = levels[1] = 10000;
	share[0] = share[1] = env.alloc(env.context, sizeof(double) * 10000);
	share[0][0] = 1;
	CHECK(read_back(&model, &read) == PEGS_ERR_FORMAT);
	arena_free(&memory);
}

static size_t most_measured;	/* bytes, until all cells were measured */

static void
note_step(void *context, pegs_step step)
{
	if (step == PEGS_STEP_LAST)
		most_measured = ((arena *) context)->most;
}

/* Near 2^26 cells a copy is half a gigabyte: noisy numbers are all that a fit has besides the counts, and the model has them. */
static void
test_memory(void)
{
	const uint32_t levels[2] = {256, 256};
	pegs_layout layout = joint(2, levels);
	uint64_t   *cells = no_rows(&layout);
	arena		own = {0};
	pegs_env	counted = arena_env_freeing(&own);
	size_t		numbers = sizeof(double) * layout.ncells;
	pegs_accountant accountant;
	pegs_joint	model;

	start(5);
	add_row(&layout, cells, 700, 20000);
	counted.step = note_step;
	pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
	pegs_joint_fit(&counted, &rng, &accountant, &layout, cells, &model);
	CHECK(most_measured >= numbers && most_measured < numbers + numbers / 8);
	/* then those that may lie above the shift, twice, to be sorted: about half */
	CHECK(own.most < numbers * 9 / 4);
	CHECK(own.live < numbers + sizeof(uint32_t) * model.n + numbers / 8);
	arena_free(&own);
	arena_free(&memory);
}

int
main(void)
{
	start(0);
	test_claim();
	test_account();
	test_exact();
	test_rows();
	test_zeros();
	test_nothing_bought();
	test_lies();
	test_memory();
	return unit_done("joint_test");
}
