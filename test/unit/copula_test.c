/*
 * copula_test.c
 *	  The copula's fit: what one row moves, by how much it can be told, what is
 *	  estimated, what is read.
 */
#include "core/copula/copula.h"

#include <string.h>

#include "core/copula/correlation.h"
#include "core/copula/dummy.h"
#include "core/copula/latent.h"
#include "core/copula/normal.h"
#include "core/witness.h"
#define STREAM_SALT [1] = 66
#include "fixture.h"
#include "unit.h"

/* ---- tables ---- */

static pegs_layout
pairs(uint32_t ncols, const uint32_t *levels, const int32_t *nulls)
{
	pegs_layout layout;

	CHECK(pegs_layout_pairs(&env, ncols, levels, &layout, NULL) == PEGS_OK);
	layout.nulls = nulls;
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

static pegs_copula *
fit(const pegs_layout *layout, const uint64_t *cells, const pegs_accountant *accountant)
{
	pegs_copula *model = env.alloc(env.context, sizeof(pegs_copula));

	pegs_copula_fit(&env, &rng, accountant, layout, cells, model);
	return model;
}

static uint8_t *
written(pegs_copula *model, size_t *size)
{
	pegs_cursor c = {.pass = PEGS_SIZE};
	uint8_t    *bytes;

	pegs_copula_walk(&c, model);
	*size = c.at;
	bytes = env.alloc(env.context, c.at);
	c = (pegs_cursor) {.pass = PEGS_WRITE, .out = bytes};
	pegs_copula_walk(&c, model);
	return bytes;
}

/* ---- Claim P25 ---- */

static void
weigh(const pegs_layout *layout, uint64_t *const *cells, int64_t epsilon, int64_t delta, uint32_t rows, pegs_witness *witness)
{
	pegs_accountant accountant;
	uint8_t    *bytes[2];
	size_t		size[2];

	pegs_accountant_init(&accountant, epsilon, delta, rows);
	accountant.witness = witness;
	pegs_witness_begin(witness, &env);
	for (int run = 0; run < 2; run++)
	{
		if (run == 1)
			pegs_witness_again(witness);
		bytes[run] = written(fit(layout, cells[run], &accountant), &size[run]);
	}
	pegs_witness_end(witness, &accountant, size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0);
}

/*
 * All tables of up to two rows of 2 x 3 levels, of which one is NULL, each with a
 * unit more, both ways round, at an epsilon at which there is much to see and at a small one: what the answers of
 * a fit are worth, exactly, is never above epsilon; and it comes near it.
 */
static void
test_claim(void)
{
	const uint32_t levels[2] = {2, 3};
	const int32_t nulls[2] = {-1, 2};
	static const int64_t epsilons[2] = {PEGS_EPSILON_UNIT, 20 * PEGS_EPSILON_UNIT};
	uint64_t	sums = 0;

	for (int turn = 0; turn < 12; turn++)
	{
		uint32_t	rows = 1 + (uint32_t) turn / 4;
		int64_t		epsilon = epsilons[turn % 2];
		bool		gaussian = turn / 2 % 2;
		pegs_witness witness = {0};
		double		most = 0;

		for (int of = 0; of < 7 * 7 * 6 * 2; of++)
		{
			pegs_layout layout = pairs(2, levels, nulls);
			uint64_t   *cells[2] = {no_rows(&layout), no_rows(&layout)};
			uint32_t	looks = (uint32_t) witness.looks;

			for (int side = 0; side < 2; side++)
			{
				int			cell[3] = {of / 12 % 7, of / 84, of / 2 % 6};

				for (int r = 0; r < 3; r++)
				{
					uint16_t	code[2] = {(uint16_t) (cell[r] / 3), (uint16_t) (cell[r] % 3)};

					if (cell[r] < 6 && (r < 2 || side == of % 2))	/* else there is no such row */
						add_row(&layout, cells[side], code, r < 2 ? 3 : rows);
				}
			}
			start_stream((uint8_t) turn, (uint64_t) of);
			weigh(&layout, cells, epsilon, gaussian ? 1000000000 : 0, rows, &witness);
			sums += witness.looks - looks - 2;
			most = fmax(most, gaussian ? 0 : fabs(witness.ratio) / ((double) epsilon / 1e9));
			arena_free(&memory);
		}
		CHECK_INT(witness.fault, PEGS_SOUND);
		CHECK(gaussian || (most <= 1 && most > 0.75));
	}
	CHECK(sums > 2000);
}

/* More columns, with delta and without: within the account, of which nothing is left; the record says where it went. */
static void
test_account(void)
{
	const uint32_t levels[5] = {3, 4, 2, 6, 3};
	const int32_t nulls[5] = {-1, 3, -1, 5, -1};

	for (int64_t delta = 0; delta <= INT64_C(1000000000); delta += INT64_C(1000000000))
		for (uint8_t key = 0; key < 10; key++)
		{
			pegs_layout layout = pairs(5, levels, nulls);
			uint64_t   *cells[2] = {no_rows(&layout), no_rows(&layout)};
			pegs_witness witness = {0};
			pegs_accountant accountant;
			uint16_t	code[5];

			for (uint16_t r = 0; r < 201; r++)
			{
				for (uint16_t c = 0; c < 5; c++)
					code[c] = (uint16_t) ((r * (c + 3) + r / (key + 2)) % levels[c]);
				for (int side = 0; side < 2; side++)
					if (r < 200 || side)
						add_row(&layout, cells[side], code, 1);
			}
			start(key);
			weigh(&layout, cells, 4 * PEGS_EPSILON_UNIT, delta, 1, &witness);
			CHECK_INT(witness.fault, PEGS_SOUND);
			pegs_accountant_init(&accountant, 40 * PEGS_EPSILON_UNIT, delta, 1);
			accountant = fit(&layout, cells[0], &accountant)->accountant;
			CHECK(accountant.spent <= accountant.total && accountant.total - accountant.spent < 100);
			/* with delta some columns are looked at twice */
			CHECK(delta > 0 ? accountant.record[PEGS_FOR_ONEWAY - 1].uses > 5 && accountant.record[PEGS_FOR_ONEWAY - 1].uses <= 10
				  : accountant.record[PEGS_FOR_ONEWAY - 1].uses == 5);
			CHECK_INT(accountant.record[PEGS_FOR_SUM - 1].uses, 7 * 6 / 2 - 2);
			CHECK_NEAR((double) accountant.record[PEGS_FOR_ONEWAY - 1].cost, 0.4 * (double) accountant.total, 1e-9);
			CHECK((double) accountant.record[PEGS_FOR_ONEWAY - 1].cost <= 0.4 * (double) accountant.total);
			arena_free(&memory);
		}
}

/* ---- the estimate ---- */

#define COLUMNS 4

/* Rows of normals of known correlations, each cut into levels: uneven ones. */
static void
count_normals(const pegs_layout *layout, uint64_t *cells, uint32_t n, uint32_t each)
{
	for (uint32_t r = 0; r < n; r++)
	{
		double		common = pegs_normal_draw(&rng);
		double		own[COLUMNS];
		uint16_t	code[COLUMNS];

		for (int c = 0; c < COLUMNS; c++)
			own[c] = pegs_normal_draw(&rng);
		/* correlations .64, -.48, 0 with the last; .48 with the sign of two of the first three */
		own[0] = 0.8 * common + 0.6 * own[0];
		own[1] = 0.8 * common + 0.6 * own[1];
		own[2] = -0.6 * common + 0.8 * own[2];
		for (int c = 0; c < COLUMNS; c++)
		{
			double		u = erfc(-own[c] * M_SQRT1_2) / 2;

			code[c] = (uint16_t) fmin(layout->levels[c] - 1, floor(u * u * layout->levels[c]));
		}
		add_row(layout, cells, code, each);
	}
}

static double
correlation(const pegs_copula *model, uint32_t a, uint32_t b)
{
	double		sum = 0;

	for (uint32_t k = 0; k <= (a < b ? a : b); k++)
		sum += model->factor[pegs_packed(a, k)] * model->factor[pegs_packed(b, k)];
	return sum;
}

/*
 * Correlations behind columns of two levels and of twenty come out, by grades and, where there is much
 * noise, by signs; of persons that count rows_each times as well.
 */
static void
test_correlations(void)
{
	const uint32_t levels[COLUMNS] = {20, 2, 5, 30};
	const double wanted[COLUMNS][COLUMNS] = {{1, 0.64, -0.48, 0}, {0.64, 1, -0.48, 0}, {-0.48, -0.48, 1, 0}, {0, 0, 0, 1}};

	for (int turn = 0; turn < 4; turn++)
	{
		uint32_t	each = turn % 2 ? 8 : 0;
		bool		signs = turn / 2;
		pegs_layout layout = pairs(COLUMNS, levels, NULL);
		uint64_t   *cells = no_rows(&layout);
		pegs_accountant accountant;
		pegs_copula *model;

		start((uint8_t) (1 + turn));
		count_normals(&layout, cells, 40000, each > 0 ? each : 1);
		pegs_accountant_init(&accountant, signs ? PEGS_EPSILON_UNIT / 16 : 1000 * PEGS_EPSILON_UNIT, 0, each > 0 ? each : 1);
		accountant.rows_each = each;
		model = fit(&layout, cells, &accountant);
		CHECK_INT(model->signs, signs);
		CHECK_NEAR(model->rows, 40000, signs ? 0.3 : 0.001);
		for (uint32_t a = 0; a < COLUMNS; a++)
			for (uint32_t b = 0; b < a; b++)
				CHECK(fabs(correlation(model, a, b) - wanted[a][b]) < (signs ? 0.25 : 0.03));
		for (uint32_t l = 0; !signs && l < 20; l++)
			CHECK(fabs(model->share[0][l] - (sqrt((l + 1) / 20.0) - sqrt(l / 20.0))) < 0.01);
		arena_free(&memory);
	}
}

/*
 * Signs or grades: of fine cuts near correlation 0, by what a row more may move (K^2 sqrt(2)/epsilon) and by what rows vary among themselves, both over the
 * slope of the mean product. The two are level where N epsilon^2 is 10.8; the design has rounded it to 10.6.
 */
static void
test_signs_or_grades(void)
{
	const double slope[2] = {1 / M_PI, 2 / M_PI};	/* of grades: E[(2 F(z) - 1) z]^2; of signs: E|z|^2 */
	const double varies[2] = {1.0 / 3, 1};			/* standard deviation of a product */
	double		level;

	level = (2 / (slope[0] * slope[0]) - 2 / (slope[1] * slope[1])) / (varies[1] * varies[1] / (slope[1] * slope[1]) - varies[0] * varies[0] / (slope[0] * slope[0]));
	CHECK_NEAR(level, 10.8, 1e-12);
	for (double epsilon = 0.01; epsilon < 20; epsilon *= 3)
	{
		double		sd = sqrt(2) / epsilon;

		CHECK(pegs_copula_wants_signs(level * 0.975 / (epsilon * epsilon), sd));
		CHECK(!pegs_copula_wants_signs(level * 1.0001 / (epsilon * epsilon), sd));
	}
}

/* Columns that are nearly always small, and have nothing to do with each other: their signs agree, and that is not it. */
static void
test_means(void)
{
	const uint32_t levels[2] = {2, 2};
	pegs_layout layout = pairs(2, levels, NULL);
	uint64_t   *cells = no_rows(&layout);
	pegs_accountant accountant;
	pegs_copula *model;

	for (uint16_t i = 0; i < 4; i++)
		add_row(&layout, cells, (uint16_t[2]) {i / 2, i % 2}, i == 0 ? 810000 : i == 3 ? 10000 : 90000);
	start(1);
	pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT / 200, 0, 1);
	model = fit(&layout, cells, &accountant);
	CHECK(model->signs == 1 && fabs(correlation(model, 0, 1)) < 0.1);
	arena_free(&memory);
}

/*
 * A column that is NULL where another is large: that the one is NULL goes with
 * the other, and the levels that show are those that there are. Its own two normals are independent.
 */
static void
test_nulls(void)
{
	const uint32_t levels[2] = {11, 10};
	const int32_t nulls[2] = {4, -1};	/* a NULL need not be the last */
	pegs_layout layout = pairs(2, levels, nulls);
	uint64_t   *cells = no_rows(&layout);
	pegs_accountant accountant;
	pegs_copula *model;

	start(1);
	for (uint32_t r = 0; r < 20000; r++)
	{
		double		common = pegs_normal_draw(&rng);
		double		u = erfc(-common * M_SQRT1_2) / 2;
		double		v = erfc(-(0.8 * common + 0.6 * pegs_normal_draw(&rng)) * M_SQRT1_2) / 2;
		uint16_t	level = (uint16_t) fmin(9, floor(v * 10));
		uint16_t	code[2] = {u > 0.75 ? 4 : (uint16_t) (level + (level >= 4)), (uint16_t) fmin(9, floor(u * 10))};

		add_row(&layout, cells, code, 1);
	}
	pegs_accountant_init(&accountant, 100 * PEGS_EPSILON_UNIT, 0, 1);
	model = fit(&layout, cells, &accountant);
	CHECK_INT(model->nlatents, 3);
	CHECK_INT(model->cuts[0].null, 5);
	CHECK(fabs(model->cuts[0].null_cut - pegs_normal_quantile(0.75)) < 0.02);
	CHECK(correlation(model, 1, 2) > 0.8);	/* a NULL with the other column */
	CHECK(correlation(model, 0, 2) > 0.3);	/* the levels that show, with it */
	CHECK(fabs(correlation(model, 0, 1)) < 1e-12);
	arena_free(&memory);
}

/*
 * A column that is NULL in two rows of a thousand: how that goes with others nobody can say, by scores as by tau, and what noise makes of it does
 * not spoil the correlation of those that are known.
 */
static void
test_rare(void)
{
	const uint32_t levels[3] = {10, 10, 3};
	const int32_t nulls[3] = {-1, -1, 2};

	for (uint8_t turn = 0; turn < 8; turn++)
	{
		pegs_layout layout = pairs(3, levels, nulls);
		uint64_t   *cells = no_rows(&layout);
		pegs_kept  *kept = pegs_kept_new(&env, 3, levels);
		pegs_setting settings[PEGS_COPULA_OPTIONS] = {[PEGS_COPULA_CORRELATION] = {.number = turn % 2}};
		pegs_accountant accountant;
		pegs_copula *model;

		layout.settings = settings;
		layout.kept = kept;
		start(turn);
		for (uint32_t r = 0; r < 5000; r++)
		{
			double		common = pegs_normal_draw(&rng);
			uint16_t	code[3] = {(uint16_t) fmin(9, floor(erfc(-common * M_SQRT1_2) * 5)),
				(uint16_t) fmin(9, floor(erfc(-(0.8 * common + 0.6 * pegs_normal_draw(&rng)) * M_SQRT1_2) * 5)), (uint16_t) (r % 500 == 0 ? 2 : r % 2)};

			add_row(&layout, cells, code, 1);
			pegs_kept_add(kept, (uint16_t *[3]) {&code[0], &code[1], &code[2]}, NULL, 1);
		}
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
		model = fit(&layout, cells, &accountant);
		CHECK_INT(model->nlatents, 4);
		CHECK(fabs(correlation(model, 0, 1) - 0.8) < 0.08);
		CHECK(fabs(correlation(model, 0, 3)) < 1e-3 && fabs(correlation(model, 1, 3)) < 1e-3);
		arena_free(&memory);
	}
}

/* A column that is NULL by chance, every other time: what shows goes with the other column as much as it does. */
static void
test_hidden(void)
{
	const uint32_t levels[2] = {11, 10};
	const int32_t nulls[2] = {10, -1};
	pegs_layout layout = pairs(2, levels, nulls);
	uint64_t   *cells = no_rows(&layout);
	pegs_accountant accountant;
	pegs_copula *model;

	start(1);
	for (uint32_t r = 0; r < 20000; r++)
	{
		double		common = pegs_normal_draw(&rng);
		double		u = erfc(-common * M_SQRT1_2) / 2;
		double		v = erfc(-(0.8 * common + 0.6 * pegs_normal_draw(&rng)) * M_SQRT1_2) / 2;
		uint16_t	code[2] = {r % 2 ? 10 : (uint16_t) fmin(9, floor(v * 10)), (uint16_t) fmin(9, floor(u * 10))};

		add_row(&layout, cells, code, 1);
	}
	pegs_accountant_init(&accountant, 100 * PEGS_EPSILON_UNIT, 0, 1);
	model = fit(&layout, cells, &accountant);
	CHECK(fabs(correlation(model, 0, 2) - 0.8) < 0.04);
	CHECK(fabs(correlation(model, 1, 2)) < 0.04);
	arena_free(&memory);
}

/* A column whose levels are declared in another order than that of its scale. */
static void
test_scale(void)
{
	const uint32_t levels[COLUMNS] = {20, 2, 5, 30};
	static const uint16_t places[5] = {3, 0, 4, 1, 2};
	static const uint16_t *const scale[COLUMNS] = {NULL, NULL, places, NULL};
	pegs_layout layout = pairs(COLUMNS, levels, NULL);
	uint64_t   *cells = no_rows(&layout);
	uint64_t   *other = no_rows(&layout);
	pegs_accountant accountant;
	pegs_copula *model[2];

	start(1);
	count_normals(&layout, cells, 5000, 1);
	memcpy(other, cells, sizeof(uint64_t) * layout.ncells);
	for (uint32_t l = 0; l < 5; l++)
	{
		other[layout.offset[2] + l] = cells[layout.offset[2] + places[l]];
		for (uint32_t c = 0; c < 2; c++)
			for (uint32_t k = 0; k < levels[c]; k++)
				other[layout.pair_offset[c * COLUMNS + 2] + k * 5 + l] = cells[layout.pair_offset[c * COLUMNS + 2] + k * 5 + places[l]];
		for (uint32_t k = 0; k < 30; k++)
			other[layout.pair_offset[2 * COLUMNS + 3] + l * 30 + k] = cells[layout.pair_offset[2 * COLUMNS + 3] + places[l] * 30 + k];
	}
	pegs_accountant_init(&accountant, 1000 * PEGS_EPSILON_UNIT, 0, 1);
	for (int side = 0; side < 2; side++)
	{
		start(1);
		layout.scale = side ? scale : NULL;
		model[side] = fit(&layout, side ? other : cells, &accountant);
	}
	for (uint32_t l = 0; l < 5; l++)
	{
		CHECK_INT(model[1]->cuts[2].code[places[l]], l);
		CHECK(fabs(model[1]->share[2][l] - model[0]->share[2][places[l]]) < 1e-3);
	}
	for (uint32_t a = 0; a < COLUMNS; a++)
		for (uint32_t b = 0; b < a; b++)
			CHECK(fabs(correlation(model[0], a, b) - correlation(model[1], a, b)) < 1e-3);
	arena_free(&memory);
}

/* One column: all of it for its table. One level, no rows, nothing that can be bought: a model all the same. */
static void
test_small(void)
{
	const uint32_t levels[3] = {4, 1, 2};
	const int32_t nulls[3] = {3, 0, -1};
	uint16_t	code[3] = {1, 0, 1};
	pegs_layout layout = pairs(1, levels, nulls);
	uint64_t   *cells = no_rows(&layout);
	pegs_accountant accountant;
	pegs_copula *model;

	add_row(&layout, cells, code, 1000);
	pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
	model = fit(&layout, cells, &accountant);
	CHECK(model->accountant.spent == model->accountant.total && model->accountant.record[PEGS_FOR_SUM - 1].uses == 0);
	layout = pairs(3, levels, nulls);
	cells = no_rows(&layout);
	model = fit(&layout, cells, &accountant);
	CHECK(model->rows >= 1 && model->nlatents == 5);
	add_row(&layout, cells, code, 1000);
	pegs_accountant_init(&accountant, 1000 * PEGS_EPSILON_UNIT, 0, 1);
	model = fit(&layout, cells, &accountant);
	CHECK_INT(model->accountant.record[PEGS_FOR_SUM - 1].uses, 0);	/* nothing ever changes */
	CHECK(model->cuts[0].cut[0] == -PEGS_NO_CUT && model->cuts[0].cut[1] == PEGS_NO_CUT && model->cuts[0].null_cut == PEGS_NO_CUT);
	CHECK(model->cuts[1].null == 1 && model->cuts[1].n == 0 && model->cuts[1].null_cut == -PEGS_NO_CUT);
	accountant.total = 1;
	accountant.rows_per_unit = 2;
	model = fit(&layout, cells, &accountant);
	CHECK(model->rows == 1 && fabs(model->share[0][2] - 0.25) < 1e-12);
	arena_free(&memory);
}

/* The nearest matrix of correlations, where it is asked for, is another one than by lifting. */
static void
test_nearest(void)
{
	const uint32_t levels[COLUMNS] = {3, 3, 3, 3};
	pegs_setting settings[PEGS_COPULA_OPTIONS] = {[PEGS_COPULA_NEAREST] = {.given = true, .number = 1}};
	pegs_layout layout = pairs(COLUMNS, levels, NULL);
	uint64_t   *cells = no_rows(&layout);
	pegs_accountant accountant;
	bool		differ = false;

	for (uint8_t key = 1; key < 20; key++)
	{
		pegs_copula *model[2];

		start(key);
		count_normals(&layout, cells, 12, 1);
		pegs_accountant_init(&accountant, 1000 * PEGS_EPSILON_UNIT, 0, 1);
		for (int higham = 0; higham < 2; higham++)
		{
			layout.settings = higham ? settings : NULL;
			start(key);
			model[higham] = fit(&layout, cells, &accountant);
		}
		differ |= memcmp(model[0]->factor, model[1]->factor, sizeof(double) * pegs_packed(COLUMNS, 0)) != 0;
		CHECK(memcmp(model[0]->share[0], model[1]->share[0], sizeof(double) * 3) == 0);
	}
	CHECK(differ);
	arena_free(&memory);
}

/* ---- bytes ---- */

static pegs_status
read_back(pegs_copula *model, pegs_copula *read)
{
	size_t		size;
	uint8_t    *bytes = written(model, &size);
	pegs_cursor c = {.pass = PEGS_READ, .env = &env, .in = bytes, .length = size};

	*read = (pegs_copula) {.ncols = model->ncols, .levels = model->levels};
	pegs_copula_walk(&c, read);
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
	double		cut[3] = {0, 0.5, 0.5};
	uint16_t	code[4] = {0, 1, 3, 2};
	pegs_cuts	cuts[2] = {{.null = 3, .n = 2, .null_cut = 0.7, .cut = cut, .code = code}, {.null = 0, .n = 4, .cut = cut, .code = code}};
	double		factor[6] = {1, 0, 1, 0.6, 0, 0.8};
	pegs_copula model = {.ncols = 2, .levels = levels, .rows = 10, .share = share, .cuts = cuts, .nlatents = 3, .factor = factor};
	pegs_copula read;

	pegs_accountant_init(&model.accountant, PEGS_EPSILON_UNIT, 0, 1);
	CHECK(read_back(&model, &read) == PEGS_OK && read.nlatents == 3 && read.cuts[0].n == 2 && read.cuts[1].cut[2] == 0.5 && read.cuts[1].code[2] == 3 && read.factor[5] == 0.8);
#define REFUSED(lie, truth) do { lie; CHECK(read_back(&model, &read) == PEGS_ERR_FORMAT); truth; } while (0)
	REFUSED(model.nlatents = 2, model.nlatents = 3);
	REFUSED((model.nlatents = 4, model.factor = (double[10]) {1, 0, 1, 0, 0, 1, 0, 0, 0, 1}), (model.nlatents = 3, model.factor = factor));
	REFUSED(cuts[0].null = 4, cuts[0].null = 3);
	REFUSED(code[1] = 3, code[1] = 1);	/* of a column of three */
	REFUSED(cut[1] = -0.1, cut[1] = 0.5);
	REFUSED(cut[2] = 1001, cut[2] = 0.5);
	REFUSED(cut[0] = -1001, cut[0] = 0);
	REFUSED(factor[5] = 0.7, factor[5] = 0.8);
	REFUSED(factor[0] = 0, factor[0] = 1);
	REFUSED(one[0] = 0.4, one[0] = 0.5);
	REFUSED((two[0] = -0.25, two[2] = 1), (two[0] = 0.25, two[2] = 0.5));
	REFUSED(model.rows = 0.5, model.rows = 10);
	REFUSED(model.signs = 3, model.signs = 0);
	REFUSED(model.accountant.spent = model.accountant.total + 1, model.accountant.spent = 0);
	REFUSED(model.accountant.record[PEGS_FOR_SUM - 1].purpose = 2, model.accountant.record[PEGS_FOR_SUM - 1].purpose = PEGS_FOR_SUM);
	CHECK(read_back(&model, &read) == PEGS_OK);
	arena_free(&memory);
}

/* With a normal for each level: the account is kept, the number of rows is, and what is written is read. */
static void
test_dummy(void)
{
	const uint32_t levels[COLUMNS] = {3, 3, 3, 3};
	pegs_setting settings[PEGS_COPULA_OPTIONS] = {[PEGS_COPULA_CODING] = {.given = true, .number = 1}};
	pegs_layout layout = pairs(COLUMNS, levels, NULL);
	uint64_t   *cells = no_rows(&layout);
	pegs_copula read = {.ncols = COLUMNS, .levels = layout.levels};
	pegs_accountant accountant;
	pegs_copula *model;
	uint8_t    *bytes;
	size_t		size;
	pegs_cursor c;

	start(1);
	count_normals(&layout, cells, 500, 4);
	layout.settings = settings;
	pegs_accountant_init(&accountant, 20 * PEGS_EPSILON_UNIT, 0, 4);
	accountant.rows_each = 4;
	model = fit(&layout, cells, &accountant);
	CHECK(model->dummy && model->nlatents == 12 && model->share == model->dummy->share);
	CHECK_NEAR(model->rows, 500, 0.1);
	CHECK(model->accountant.spent > 0 && model->accountant.total - model->accountant.spent < 100 && model->accountant.env == NULL);
	CHECK(model->accountant.record[PEGS_FOR_PAIR - 1].uses == 6 && model->accountant.record[PEGS_FOR_SUM - 1].uses == 0);
	bytes = written(model, &size);
	c = (pegs_cursor) {.pass = PEGS_READ, .env = &env, .in = bytes, .length = size};
	pegs_copula_walk(&c, &read);
	CHECK(c.status == PEGS_OK && c.at == size && read.dummy && read.share == read.dummy->share);
	CHECK(memcmp(written(&read, &size), bytes, size) == 0);
	model->dummy->form = PEGS_DUMMY_ONE;
	c = (pegs_cursor) {.pass = PEGS_READ, .env = &env, .in = written(model, &size), .length = size};
	pegs_copula_walk(&c, &read);
	CHECK(c.status == PEGS_ERR_FORMAT);
	arena_free(&memory);
}

int
main(void)
{
	test_signs_or_grades();
	start(0);
	test_claim();
	test_account();
	test_correlations();
	test_means();
	test_nulls();
	test_rare();
	test_hidden();
	test_scale();
	test_small();
	test_nearest();
	test_lies();
	test_dummy();
	return unit_done("copula_test");
}
