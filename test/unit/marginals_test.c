/*
 * marginals_test.c
 *	  Noisy tables of single columns: what one row moves, by how much it can be
 *	  told, what is estimated, what is read.
 */
#include "core/marginals/marginals.h"

#include <math.h>
#include <string.h>

#include "core/witness.h"
#include "fixture.h"
#include "unit.h"

/* ---- tables ---- */

static pegs_layout
single(uint32_t ncols, const uint32_t *levels)
{
	uint32_t   *start = env.alloc(env.context, sizeof(uint32_t) * (ncols + 1));
	pegs_layout layout;

	CHECK(pegs_layout_conditional(&env, ncols, levels, start, NULL, 0, &layout, NULL) == PEGS_OK);
	return layout;
}

static uint64_t *
no_rows(const pegs_layout *layout)
{
	return env.alloc(env.context, sizeof(uint64_t) * layout->ncells);
}

/* So many rows more of a cell of the joint table, as they are counted. */
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

static pegs_marginals *
fit(const pegs_layout *layout, const uint64_t *cells, pegs_accountant *accountant)
{
	pegs_marginals *model = env.alloc(env.context, sizeof(pegs_marginals));

	pegs_marginals_fit(&env, &rng, accountant, layout, cells, model);
	return model;
}

static bool
same(const pegs_marginals *a, const pegs_marginals *b)
{
	bool		equal = a->rows == b->rows && memcmp(a->variance, b->variance, sizeof(double) * a->ncols) == 0;

	for (uint32_t i = 0; i < a->ncols; i++)
		equal = equal && memcmp(a->share[i], b->share[i], sizeof(double) * a->levels[i]) == 0;
	return equal;
}

/* ---- Claim P23 ---- */

static double
weigh(const pegs_layout *layout, uint64_t *const *cells, int64_t epsilon, int64_t delta, uint32_t rows, pegs_witness *witness)
{
	pegs_accountant accountant;
	pegs_marginals *model[2];

	pegs_accountant_init(&accountant, epsilon, delta, rows);
	accountant.witness = witness;
	pegs_witness_begin(witness, &env);
	for (int run = 0; run < 2; run++)
	{
		if (run == 1)
			pegs_witness_again(witness);
		model[run] = fit(layout, cells[run], &accountant);
	}
	pegs_witness_end(witness, &accountant, same(model[0], model[1]));
	return witness->ratio;
}

/*
 * All tables of up to two rows over six combinations, and each with a unit
 * more, both ways round: what the answers of a fit are worth, exactly. It is
 * never above epsilon, and where one row moves every table its way, it reaches it.
 * With delta what the looks cost is never above rho: where and how closely
 * somebody looks again hangs on answers, not on which levels rows have.
 */
static void
test_claim(void)
{
	const uint32_t levels[2] = {2, 3};

	for (uint32_t turn = 0; turn < 6; turn++)
	{
		uint32_t	rows = 1 + turn % 3;
		int64_t		delta = turn < 3 ? 0 : INT64_C(1000000000);
		double		total = delta == 0 ? 1 : ldexp((double) pegs_rho(PEGS_EPSILON_UNIT, delta), -PEGS_COST_BITS);
		pegs_witness witness = {0};
		double		most = 0;
		double		least = 0;
		double		cost = 0;

		for (int of = 0; of < 7 * 7 * 6 * 4; of++)
		{
			pegs_layout layout = single(2, levels);
			uint64_t   *cells[2] = {no_rows(&layout), no_rows(&layout)};
			double		ratio;

			for (int side = 0; side < 2; side++)
			{
				for (int place = 0, rest = of / 24; place < 2; place++, rest /= 7)
					if (rest % 7 < 6)	/* else there is no such row */
						add_row(&layout, cells[side], (uint64_t) rest % 7, 1);
				if (side == of % 2)
					add_row(&layout, cells[side], (uint64_t) (of / 4 % 6), (int) rows);
			}
			start_stream(1, (uint64_t) of);
			ratio = weigh(&layout, cells, PEGS_EPSILON_UNIT, delta, rows, &witness);
			most = fmax(most, ratio);
			least = fmin(least, ratio);
			cost = fmax(cost, witness.cost);
			arena_free(&memory);
		}
		CHECK_INT(witness.fault, PEGS_SOUND);
		CHECK(cost <= total && cost > total * (1 - 1e-6));
		if (delta > 0)
			continue;
		CHECK(most <= 1 && most > 1 - 1e-9);
		CHECK(least >= -1 && least < -1 + 1e-9);
	}
}

/* Spent whole, but for the roundings, for nothing but 1-ways; with delta in two looks each, and the second where levels are in use. */
static void
test_account(void)
{
	const uint32_t levels[3] = {4, 40, 40};

	for (int64_t delta = 0; delta <= INT64_C(1000000000); delta += INT64_C(1000000000))
		for (uint8_t key = 0; key < 10; key++)
		{
			pegs_layout layout = single(3, levels);
			uint64_t   *cells[2] = {no_rows(&layout), no_rows(&layout)};
			pegs_witness witness = {0};
			pegs_accountant accountant;
			pegs_marginals *model;

			for (int side = 0; side < 2; side++)
				for (uint64_t r = 0; r < 4000; r++)
					add_row(&layout, cells[side], r % 4 * 1600 + r % 40, 1);	/* all are in the first level of the second column's forty */
			add_row(&layout, cells[1], key, 1);
			start(key);
			weigh(&layout, cells, PEGS_EPSILON_UNIT, delta, 1, &witness);
			CHECK_INT(witness.fault, PEGS_SOUND);
			CHECK_INT(witness.looks, delta > 0 ? 5 : 3);	/* one is known well enough */
			pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, delta, 1);
			model = fit(&layout, cells[0], &accountant);
			CHECK(model->accountant.spent <= model->accountant.total && model->accountant.total - model->accountant.spent < 10);
			CHECK_INT(model->accountant.record[PEGS_FOR_ONEWAY - 1].cost, model->accountant.spent);
			/* of equally wide columns the one with forty levels in use is known better, where somebody looked */
			CHECK(delta > 0 ? model->variance[2] < 0.9 * model->variance[1] : model->variance[2] == model->variance[1]);
			arena_free(&memory);
		}
}

/* ---- the estimate ---- */

/* As good as no noise: the shares of the tables. Persons count rows_each times. */
static void
test_exact(void)
{
	const uint32_t levels[3] = {3, 20, 1};

	for (uint32_t each = 0; each <= 64; each += 64)
	{
		pegs_layout layout = single(3, levels);
		uint64_t   *cells = no_rows(&layout);
		pegs_accountant accountant;
		pegs_marginals *model;

		for (uint64_t i = 0; i < 200; i++)
			add_row(&layout, cells, i % 2 * 40 + i % 20, each > 0 ? (int) each : 1);
		pegs_accountant_init(&accountant, 1000 * PEGS_EPSILON_UNIT, 0, each > 0 ? each : 1);
		accountant.rows_each = each;
		start(2);
		model = fit(&layout, cells, &accountant);
		CHECK_NEAR(model->rows, 200, each > 0 ? 0.02 : 1e-9);
		for (uint32_t i = 0; i < 3; i++)
			for (uint32_t j = 0; j < levels[i]; j++)
				CHECK(fabs(model->share[i][j] - (i == 0 ? (j != 1) * 0.5 : i == 1 ? 0.05 : 1)) <= (each > 0 ? 5e-3 : 1e-12));
		CHECK(each > 0 ? pegs_marginals_sd(model, 0) < 0.01 : pegs_marginals_sd(model, 0) < 1e-9);
		arena_free(&memory);
	}
}

/* The number of rows, by the sums of all columns: as far off as it should be. Bins in order have a tree of halves. */
static void
test_rows(void)
{
	const uint32_t levels[2] = {12, 12};
	const uint32_t bins[2] = {12, 0};
	double		sum = 0;
	double		square = 0;
	double		variance = 0;
	int			empty[2] = {0, 0};

	for (uint64_t key = 0; key < 300; key++)
	{
		pegs_layout layout = single(2, levels);
		uint64_t   *cells = no_rows(&layout);
		pegs_accountant accountant;
		pegs_marginals *model;

		layout.bins = bins;
		for (uint64_t i = 0; i < 2; i++)
			for (uint64_t j = 0; j < 8; j++)
				cells[layout.offset[i] + j] = 1000;
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT / 10, 0, 1);
		start_stream(3, key);
		model = fit(&layout, cells, &accountant);
		sum += model->rows - 8000;
		square += (model->rows - 8000) * (model->rows - 8000);
		variance = 1 / (2 / (12 * model->variance[0]));
		for (int i = 0; i < 2; i++)
			empty[i] += model->share[i][8] + model->share[i][9] + model->share[i][10] + model->share[i][11] == 0;
		arena_free(&memory);
	}
	CHECK(fabs(sum / 300) < 6 * sqrt(variance / 300));
	CHECK(square / 300 > 0.7 * variance && square / 300 < 1.4 * variance);
	CHECK(empty[0] > 2 * empty[1]);
}

/* Too little for a unit of each row: nothing is looked at, and every level has the same. */
static void
test_nothing_bought(void)
{
	const uint32_t levels[2] = {4, 5};

	for (int pure = 0; pure < 2; pure++)
	{
		pegs_layout layout = single(2, levels);
		uint64_t   *cells = no_rows(&layout);
		pegs_accountant accountant;
		pegs_marginals *model;

		cells[2] = cells[4] = 1000;
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, pure ? 0 : 1000000000, 1);
		accountant.total = 1;
		accountant.rows_per_unit = 2;
		model = fit(&layout, cells, &accountant);
		for (int j = 0; j < 4; j++)
			CHECK(model->share[0][j] == 0.25);
		CHECK(model->rows == 1 && model->variance[0] == 0 && pegs_marginals_sd(model, 1) == 0);
		arena_free(&memory);
	}
}

/* ---- bytes ---- */

static pegs_status
read_back(pegs_marginals *model, pegs_marginals *read)
{
	pegs_cursor c = {.pass = PEGS_SIZE};
	size_t		size;
	uint8_t    *bytes;

	pegs_marginals_walk(&c, model);
	size = c.at;
	bytes = env.alloc(env.context, size);
	c = (pegs_cursor) {.pass = PEGS_WRITE, .out = bytes};
	pegs_marginals_walk(&c, model);
	*read = (pegs_marginals) {.ncols = model->ncols, .levels = model->levels};
	c = (pegs_cursor) {.pass = PEGS_READ, .env = &env, .in = bytes, .length = size};
	pegs_marginals_walk(&c, read);
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
	double		variance[2] = {4, 0};
	pegs_marginals model = {.ncols = 2, .levels = levels, .rows = 10, .share = share, .variance = variance};
	pegs_marginals read;

	pegs_accountant_init(&model.accountant, PEGS_EPSILON_UNIT, 0, 1);
	CHECK(read_back(&model, &read) == PEGS_OK && read.share[0][0] == 0.5 && read.share[1][2] == 0.5 && read.variance[0] == 4);
#define REFUSED(lie, truth) do { lie; CHECK(read_back(&model, &read) == PEGS_ERR_FORMAT); truth; } while (0)
	REFUSED(variance[1] = -1, variance[1] = 0);
	REFUSED(variance[0] = NAN, variance[0] = 4);
	REFUSED(one[0] = 0.4, one[0] = 0.5);
	REFUSED((two[0] = -0.25, two[2] = 1), (two[0] = 0.25, two[2] = 0.5));
	REFUSED(model.rows = 0.5, model.rows = 10);
	REFUSED(model.accountant.spent = model.accountant.total + 1, model.accountant.spent = 0);
	REFUSED(model.accountant.record[PEGS_FOR_ONEWAY - 1].purpose = 2, model.accountant.record[PEGS_FOR_ONEWAY - 1].purpose = PEGS_FOR_ONEWAY);
	CHECK(read_back(&model, &read) == PEGS_OK);
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
	test_nothing_bought();
	test_lies();
	return unit_done("marginals_test");
}
