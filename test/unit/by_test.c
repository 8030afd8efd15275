/*
 * by_test.c
 *	  A copula in each cell of some columns: what one row moves, of which cell
 *	  what is said, what is taken from all of them, what is read.
 */
#include "core/copula/by.h"

#include <string.h>

#include "core/copula/correlation.h"
#include "core/copula/normal.h"
#include "core/kept.h"
#include "core/wire.h"
#include "core/witness.h"
#define STREAM_SALT [1] = 81
#include "fixture.h"
#include "unit.h"

/* ---- tables ---- */

static pegs_layout
shape(uint32_t ncols, const uint32_t *levels, const int32_t *nulls, const bool *by)
{
	pegs_layout layout;
	pegs_setting *settings = env.alloc(env.context, sizeof(pegs_setting) * PEGS_COPULA_OPTIONS);

	CHECK(pegs_layout_pairs(&env, ncols, levels, &layout, NULL) == PEGS_OK);
	layout.nulls = nulls;
	settings[PEGS_COPULA_BY] = (pegs_setting) {.given = true, .columns = by};
	layout.settings = settings;
	return layout;
}

static pegs_kept *
no_rows(const pegs_layout *layout)
{
	return pegs_kept_new(&env, layout->ncols, layout->levels);
}

static void
add_row(const pegs_layout *layout, pegs_kept *kept, uint16_t *code, uint32_t times)
{
	uint16_t   *codes[16];

	for (uint32_t c = 0; c < layout->ncols; c++)
		codes[c] = &code[c];
	pegs_kept_add(kept, codes, times == 1 ? NULL : &times, 1);
}

static pegs_copula *
fit(const pegs_layout *layout, const pegs_kept *kept, const pegs_accountant *accountant)
{
	pegs_copula *model = env.alloc(env.context, sizeof(pegs_copula));
	pegs_layout of = *layout;

	of.kept = kept;
	pegs_by_fit(&env, &rng, accountant, &of, model);
	return model;
}

static void
walk(pegs_cursor *c, pegs_copula *model)
{
	void	   *at = model;

	pegs_method_copula.walk(c, model->ncols, model->levels, &at);
}

static uint8_t *
written(pegs_copula *model, size_t *size)
{
	pegs_cursor c = {.pass = PEGS_SIZE};
	uint8_t    *bytes;

	walk(&c, model);
	*size = c.at;
	bytes = env.alloc(env.context, c.at);
	c = (pegs_cursor) {.pass = PEGS_WRITE, .out = bytes};
	walk(&c, model);
	return bytes;
}

static double
correlation(const pegs_copula *model, const double *factor, uint32_t a, uint32_t b)
{
	double		sum = 0;

	for (uint32_t k = 0; k <= (a < b ? a : b); k++)
		sum += factor[pegs_packed(a, k)] * factor[pegs_packed(b, k)];
	(void) model;
	return sum;
}

/* ---- Claim P25 ---- */

static void
weigh(const pegs_layout *layout, pegs_kept *const *kept, const pegs_accountant *of, pegs_witness *witness)
{
	pegs_accountant accountant = *of;
	uint8_t    *bytes[2];
	size_t		size[2];

	accountant.witness = witness;
	pegs_witness_begin(witness, &env);
	for (int run = 0; run < 2; run++)
	{
		if (run == 1)
			pegs_witness_again(witness);
		bytes[run] = written(fit(layout, kept[run], &accountant), &size[run]);
	}
	pegs_witness_end(witness, &accountant, size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0);
}

/*
 * Two cells, and columns of two levels and of three, of which one is NULL: tables of two kinds of rows, each with a unit
 * more, both ways round. A unit is a row, three of one kind, or one row in each cell.
 */
static void
test_claim(void)
{
	const uint32_t levels[3] = {2, 2, 3};
	const int32_t nulls[3] = {-1, -1, 2};
	static const bool by[3] = {true};
	static const int64_t epsilons[2] = {PEGS_EPSILON_UNIT, 30 * PEGS_EPSILON_UNIT};
	uint64_t	sums = 0;

	for (int turn = 0; turn < 12; turn++)
	{
		static const uint32_t rows[3] = {1, 3, 2};
		int			unit = turn / 4;
		int64_t		epsilon = epsilons[turn % 2];
		bool		gaussian = turn / 2 % 2;
		pegs_witness witness = {0};
		double		most = 0;

		for (int of = 0; of < 12 * 13 * 6 * 2; of++)
		{
			pegs_layout layout = shape(3, levels, nulls, by);
			pegs_kept  *kept[2] = {no_rows(&layout), no_rows(&layout)};
			uint64_t	looks = witness.looks;
			pegs_accountant accountant;

			if (of / 2 % 5 != 0)	/* some are enough */
				continue;
			for (int side = 0; side < 2; side++)
			{
				int			cell[3] = {of / 2 % 12, of / 24, of / 24 % 6 + of % 6};

				for (int r = 0; r < 3; r++)
				{
					uint16_t	code[3] = {(uint16_t) (cell[r] / 6), (uint16_t) (cell[r] / 3 % 2), (uint16_t) (cell[r] % 3)};

					if (cell[r] >= 12 || (r == 2 && side != of % 2))
						continue;
					add_row(&layout, kept[side], code, r == 2 ? (unit == 1 ? 3 : 1) : 300);
					code[0] = !code[0];
					if (r == 2 && unit == 2)
						add_row(&layout, kept[side], code, 1);
				}
			}
			start_stream((uint8_t) turn, (uint64_t) of);
			pegs_accountant_init(&accountant, epsilon, gaussian ? 1000000000 : 0, rows[unit]);
			weigh(&layout, kept, &accountant, &witness);
			sums += witness.looks - looks - 3;
			most = fmax(most, gaussian ? 0 : fabs(witness.ratio) / ((double) epsilon / 1e9));
			arena_free(&memory);
		}
		CHECK_INT(witness.fault, PEGS_SOUND);
		CHECK(gaussian || (most <= 1 && most > 0.6));
	}
	CHECK(sums > 2000);
}

/*
 * A cell of about so many rows as one must have for correlations of its own, on both sides of that: which it has follows
 * from what was released. Else the two models differ where all answers are the same.
 */
static void
test_least_rows(void)
{
	const uint32_t levels[3] = {2, 6, 6};
	static const bool by[3] = {true};
	pegs_witness witness = {0};
	uint32_t	own = 0;
	uint32_t	pooled = 0;

	for (uint16_t n = 20; n <= 60; n++)
	{
		pegs_layout layout = shape(3, levels, NULL, by);
		pegs_kept  *kept[2] = {no_rows(&layout), no_rows(&layout)};
		pegs_accountant accountant;
		const pegs_copula *model;

		for (int side = 0; side < 2; side++)
			for (uint16_t r = 0; r < 6 + n + side; r++)
				add_row(&layout, kept[side], r < 6 ? (uint16_t[3]) {0, r, r} : (uint16_t[3]) {1, r % 6, 5 - r % 6}, r < 6 ? 100 : 1);
		start_stream(11, n);
		/* of 0.48 epsilon for the one sum its noise is a tenth of n and a half */
		pegs_accountant_init(&accountant, (int64_t) (10 * sqrt(2) / (0.48 * (n + 0.5)) * PEGS_EPSILON_UNIT), 0, 1);
		model = fit(&layout, kept[0], &accountant);
		own += model->by->cell[1] && model->by->cell[1]->factor;
		pooled += model->by->cell[1] && !model->by->cell[1]->factor;
		start_stream(11, n);
		weigh(&layout, kept, &accountant, &witness);
		arena_free(&memory);
	}
	CHECK(own > 5 && pooled > 5);
	CHECK_INT(witness.fault, PEGS_SOUND);
}

/* Nothing of the account is left, and the record says where it went. */
static void
test_account(void)
{
	const uint32_t levels[5] = {3, 4, 2, 6, 3};
	const int32_t nulls[5] = {-1, 3, -1, 5, -1};
	static const bool by[5] = {true, false, true};

	for (int64_t delta = 0; delta <= INT64_C(1000000000); delta += INT64_C(1000000000))
	{
		pegs_layout layout = shape(5, levels, nulls, by);
		pegs_kept  *kept = no_rows(&layout);
		pegs_accountant accountant;

		for (uint16_t r = 0; r < 600; r++)
			add_row(&layout, kept, (uint16_t[5]) {r % 3, r % 4, r / 3 % 2, r / 5 % 6, r / 7 % 3}, 1);
		start(7);
		pegs_accountant_init(&accountant, 40 * PEGS_EPSILON_UNIT, delta, 1);
		accountant = fit(&layout, kept, &accountant)->accountant;
		CHECK(accountant.spent <= accountant.total && accountant.total - accountant.spent < 100);
		CHECK_INT(accountant.record[PEGS_FOR_CELLS - 1].uses, 1);
		CHECK_INT(accountant.record[PEGS_FOR_ONEWAY - 1].uses, 3);
		CHECK_INT(accountant.record[PEGS_FOR_SUM - 1].uses, 5 * 4 / 2 - 2);
		CHECK_NEAR((double) accountant.record[PEGS_FOR_CELLS - 1].cost, 0.2 * (double) accountant.total, 1e-6);
		CHECK_NEAR((double) accountant.record[PEGS_FOR_ONEWAY - 1].cost, 0.32 * (double) accountant.total, 1e-6);
		arena_free(&memory);
	}
}

/* ---- the estimate ---- */

#define GROUPS 4

/* Two groups whose correlations have other signs, and margins other places; a small one, and one without rows. The third column is which. */
static void
add_groups(const pegs_layout *layout, pegs_kept *kept, uint32_t n, uint32_t each)
{
	for (uint32_t r = 0; r < n; r++)
	{
		uint16_t	group = r % 2000 == 0 ? 2 : r % 3 == 0;
		double		x = pegs_normal_draw(&rng);
		double		y = (group == 1 ? -0.7 : 0.7) * x + sqrt(0.51) * pegs_normal_draw(&rng);
		double		u = erfc(-x * M_SQRT1_2) / 2;
		double		v = erfc(-y * M_SQRT1_2) / 2;
		uint16_t	code[3] = {(uint16_t) fmin(19, floor((group == 1 ? u * u : u) * 20)), (uint16_t) fmin(4, floor(v * 5)), group};

		add_row(layout, kept, code, each);
	}
}

/* Each cell has its own margins and correlations; the small one has those of all; of persons that count rows_each times as well. */
static void
test_groups(void)
{
	const uint32_t levels[3] = {20, 5, GROUPS};
	static const bool by[3] = {false, false, true};

	for (uint32_t each = 1; each <= 8; each += 7)
	{
		pegs_layout layout = shape(3, levels, NULL, by);
		pegs_kept  *kept = no_rows(&layout);
		pegs_accountant accountant;
		pegs_copula *model;
		double		pooled;

		start(1);
		add_groups(&layout, kept, 40000, each);
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, each);
		accountant.rows_each = each > 1 ? each : 0;
		model = fit(&layout, kept, &accountant);
		CHECK(fabs(model->rows - 40000) < 300);
		CHECK_INT(model->by->ncells, GROUPS);
		CHECK_INT(model->nlatents, 2);
		CHECK(fabs(model->by->share[0] - 0.667) < 0.01 && fabs(model->by->share[1] - 0.333) < 0.01 && model->by->share[2] < 0.005);
		for (int g = 0; g < 2; g++)
		{
			const pegs_copula *cell = model->by->cell[g];

			CHECK(cell->factor && fabs(correlation(cell, cell->factor, 0, 1) - (g == 1 ? -0.7 : 0.7)) < 0.06);
			for (uint32_t l = 0; l < 20; l++)
				CHECK(fabs(cell->share[0][l] - (g == 1 ? sqrt((l + 1) / 20.0) - sqrt(l / 20.0) : 0.05)) < 0.02);
		}
		/* 20 rows are less than ten times the noise of a sum */
		pooled = correlation(model, model->by->pooled.factor, 0, 1);
		CHECK(pooled > 0.1 && pooled < 0.7);
		CHECK(model->by->cell[2] && model->by->cell[2]->factor == NULL);
		CHECK(model->by->cell[3] == NULL || model->by->cell[3]->factor == NULL);
		/* shares of all rows, and of the groups */
		CHECK(fabs(model->share[2][0] - model->by->share[0]) < 1e-12 && fabs(model->share[0][0] - (0.67 * 0.05 + 0.33 * 0.2236)) < 0.02);
		arena_free(&memory);
	}
}

/*
 * Many cells of few rows that are alike: each has what all have in common, and not what noise says of it. A cell in which
 * what is pooled came from exact counts would follow its rows.
 */
static void
test_pooled(void)
{
	const uint32_t levels[4] = {16, 10, 10, 16};
	static const bool by[4] = {true, false, false, true};
	pegs_layout layout = shape(4, levels, NULL, by);
	pegs_kept  *kept = no_rows(&layout);
	pegs_accountant accountant;
	pegs_copula *model;

	start(1);
	for (uint32_t r = 0; r < 20000; r++)
	{
		double		x = pegs_normal_draw(&rng);
		double		y = 0.6 * x + 0.8 * pegs_normal_draw(&rng);
		uint16_t	code[4] = {r % 16, (uint16_t) fmin(9, floor(erfc(-x * M_SQRT1_2) * 5)), (uint16_t) fmin(9, floor(erfc(-y * M_SQRT1_2) * 5)), r / 16 % 16};

		add_row(&layout, kept, code, 1);
	}
	pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
	model = fit(&layout, kept, &accountant);
	CHECK_INT(model->by->ncells, 256);
	CHECK(fabs(correlation(model, model->by->pooled.factor, 0, 1) - 0.6) < 0.2);
	for (uint32_t c = 0; c < 256; c++)
		CHECK(model->by->cell[c] == NULL || fabs(correlation(model, model->by->cell[c]->factor ? model->by->cell[c]->factor : model->by->pooled.factor, 0, 1) - 0.6) < 0.5);
	arena_free(&memory);
}

/* One other column, no rows, columns that never change, and what buys nothing: a model all the same, which is read. */
static void
test_small(void)
{
	const uint32_t levels[3] = {2, 4, 1};
	const int32_t nulls[3] = {-1, 3, 0};
	static const bool by[2][3] = {{true}, {true, false, true}};

	for (int turn = 0; turn < 16; turn++)
	{
		pegs_layout layout = shape(3, levels, nulls, by[turn % 2]);
		pegs_kept  *kept = no_rows(&layout);
		pegs_accountant accountant;
		pegs_copula *model;
		pegs_copula *read = env.alloc(env.context, sizeof(pegs_copula));
		pegs_cursor c = {.pass = PEGS_READ, .env = &env};
		size_t		size;

		if (turn / 2 % 2)
			add_row(&layout, kept, (uint16_t[3]) {1, 2, 0}, 1000);
		start((uint8_t) turn);
		pegs_accountant_init(&accountant, 100 * PEGS_EPSILON_UNIT, turn / 4 % 2 ? 1000000000 : 0, 2);
		if (turn / 8)
			accountant.total = 1;
		model = fit(&layout, kept, &accountant);
		CHECK(model->rows >= 1);
		CHECK(turn / 8 || model->accountant.total - model->accountant.spent < 100 || turn % 2 == 0);
		c.in = written(model, &size);
		c.length = size;
		*read = (pegs_copula) {.ncols = 3, .levels = layout.levels};
		pegs_copula_walk(&c, read);
		CHECK(c.status == PEGS_OK && read->nby == 1 + (uint32_t) turn % 2);
		pegs_by_walk(&c, read);
		CHECK(c.status == PEGS_OK && c.at == size);
		for (uint32_t i = 0; i < 3; i++)
			CHECK(memcmp(read->share[i], model->share[i], sizeof(double) * levels[i]) == 0);
		arena_free(&memory);
	}
}

/* ---- what is refused ---- */

static void
test_refused(void)
{
	uint32_t	levels[3] = {512, 2, 3};
	static bool by[3] = {true, true};
	static pegs_setting settings[PEGS_COPULA_OPTIONS] = {[PEGS_COPULA_BY] = {.columns = by}};
	pegs_layout layout = {.ncols = 3, .levels = levels, .settings = settings};

	CHECK(pegs_method_copula.refuse(&layout).why == NULL && pegs_method_copula.refuse(&layout).hint == NULL && pegs_method_copula.keeps_rows(&layout));
	levels[0]++;
	CHECK(strstr(pegs_method_copula.refuse(&layout).why, "1,024") != NULL && pegs_method_copula.refuse(&layout).hint != NULL);
	levels[0] = 512;
	levels[2] = 8191;			/* and the one sum of a normal with itself: 8,192 for each cell */
	CHECK(pegs_method_copula.refuse(&layout).why == NULL);
	levels[2]++;
	CHECK(strstr(pegs_method_copula.refuse(&layout).why, "8,388,608") != NULL);
	by[2] = true;
	CHECK(strstr(pegs_method_copula.refuse(&layout).why, "all columns") != NULL);
	settings[PEGS_COPULA_BY].columns = NULL;
	CHECK(pegs_method_copula.refuse(&layout).why == NULL && !pegs_method_copula.keeps_rows(&layout));
}

static pegs_status
read_back(pegs_copula *model, pegs_copula *read)
{
	size_t		size;
	uint8_t    *bytes = written(model, &size);
	pegs_cursor c = {.pass = PEGS_READ, .env = &env, .in = bytes, .length = size};

	*read = (pegs_copula) {.ncols = model->ncols, .levels = model->levels};
	pegs_copula_walk(&c, read);
	if (c.status == PEGS_OK && read->nby > 0)
		pegs_by_walk(&c, read);
	return c.status;
}

/* What no fit has written: each for one reason. */
static void
test_lies(void)
{
	uint32_t	levels[4] = {2, 3, 2, 2};
	uint32_t	column[2] = {0, 2};
	uint32_t	others[2] = {3, 2};
	double		shares[4] = {0.5, 0.25, 0, 0.25};
	double		three[3] = {0.5, 0.25, 0.25};
	double		two[2] = {0.25, 0.75};
	double	   *share[2] = {three, two};
	double		cut[2] = {0, 0.5};
	uint16_t	code[3] = {0, 1, 2};
	pegs_cuts	cuts[2] = {{.n = 3, .cut = cut, .code = code}, {.n = 2, .cut = cut, .code = code}};
	double		pooled[3] = {1, 0.6, 0.8};
	double		factor[3] = {1, -0.6, 0.8};
	pegs_copula cell = {.ncols = 2, .nlatents = 2, .levels = others, .share = share, .cuts = cuts};
	pegs_copula own = cell;
	pegs_copula *cells[4] = {&cell, &own, NULL, &cell};
	pegs_by		by = {.column = column, .nothers = 2, .ncells = 4, .share = shares, .pooled = {.nlatents = 2, .factor = pooled}, .cell = cells};
	pegs_copula model = {.ncols = 4, .levels = levels, .rows = 10, .nlatents = 2, .nby = 2, .by = &by};
	pegs_copula read;

	own.factor = factor;
	pegs_accountant_init(&model.accountant, PEGS_EPSILON_UNIT, 0, 1);
	CHECK(read_back(&model, &read) == PEGS_OK && read.by->cell[2] == NULL && read.by->cell[0]->factor == NULL && read.by->cell[1]->factor[1] == -0.6 && read.by->other[1] == 3);
#define REFUSED(lie, truth) do { lie; CHECK(read_back(&model, &read) == PEGS_ERR_FORMAT); truth; } while (0)
	REFUSED(model.nby = 4, model.nby = 2);
	REFUSED(column[1] = 0, column[1] = 2);
	REFUSED((column[0] = 2, column[1] = 0), (column[0] = 0, column[1] = 2));
	REFUSED(column[1] = 4, column[1] = 2);
	REFUSED((levels[0] = 1000, column[1] = 1), (levels[0] = 2, column[1] = 2));
	REFUSED(shares[0] = 0.4, shares[0] = 0.5);
	REFUSED(pooled[2] = 0.7, pooled[2] = 0.8);
	REFUSED(factor[2] = 0.7, factor[2] = 0.8);
	REFUSED(own.signs = 2, own.signs = 0);
	REFUSED(three[0] = 0.4, three[0] = 0.5);
	REFUSED(model.nlatents = 1, model.nlatents = 2);
	REFUSED(cuts[0].null = 1, cuts[0].null = 0);
	CHECK(read_back(&model, &read) == PEGS_OK);
	arena_free(&memory);
}

int
main(void)
{
	start(0);
	test_claim();
	test_least_rows();
	test_account();
	test_groups();
	test_pooled();
	test_small();
	test_refused();
	test_lies();
	return unit_done("by_test");
}
