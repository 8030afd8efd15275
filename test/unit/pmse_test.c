/*
 * pmse_test.c
 *	  A law that is chosen: what is it worth to know the choices, and does a fit
 *	  find what there is?
 */
#include "core/pmse/pmse.h"

#include <string.h>

#include "core/wire.h"
#include "core/witness.h"
#include "fixture.h"
#include "unit.h"

static pegs_layout
pairs(uint32_t ncols, const uint32_t *levels, const pegs_setting *settings)
{
	pegs_layout layout;

	CHECK(pegs_layout_pairs(&env, ncols, levels, &layout, NULL) == PEGS_OK);
	layout.settings = settings;
	return layout;
}

static uint64_t *
no_rows(const pegs_layout *layout)
{
	return env.alloc(env.context, sizeof(uint64_t) * layout->ncells);
}

static void
add_row(const pegs_layout *layout, uint64_t *cells, uint64_t cell, int times)
{
	uint16_t	code[PEGS_LAW_COLUMNS];
	uint16_t   *codes[PEGS_LAW_COLUMNS];

	pegs_joint_row(layout->ncols, layout->levels, cell, code);
	for (uint32_t c = 0; c < layout->ncols; c++)
		codes[c] = &code[c];
	while (times-- > 0)
		pegs_count_chunk(layout, cells, codes, 1);
}

static pegs_pmse *
fit(const pegs_layout *layout, const uint64_t *cells, const pegs_accountant *accountant)
{
	pegs_pmse  *model = env.alloc(env.context, sizeof(pegs_pmse));

	pegs_pmse_fit(&env, &rng, accountant, layout, cells, model);
	return model;
}

static bool
same_law(const pegs_law *a, const pegs_law *b)
{
	return a->ncols == b->ncols && memcmp(a->of, b->of, sizeof(a->of)) == 0;
}

/* ---- Claim P27 ---- */

static double
weigh(const pegs_layout *layout, uint64_t *const *cells, int64_t epsilon, int64_t delta, uint32_t rows, pegs_witness *witness)
{
	pegs_accountant accountant;
	pegs_pmse  *model[2];

	pegs_accountant_init(&accountant, epsilon, delta, rows);
	accountant.witness = witness;
	pegs_witness_begin(witness, &env);
	for (int run = 0; run < 2; run++)
	{
		if (run == 1)
			pegs_witness_again(witness);
		model[run] = fit(layout, cells[run], &accountant);
	}
	CHECK_INT(model[0]->accountant.spent, model[0]->accountant.total);
	pegs_witness_end(witness, &accountant, same_law(&model[0]->law, &model[1]->law) && model[0]->rows == model[1]->rows);
	return witness->ratio;
}

/*
 * Tables of up to three rows over six cells, of two columns or of one, and each with a unit more, both
 * ways round: what all choices of a fit are worth, exactly. No score moves by
 * more than a row may, and nothing but the choices leads to the model.
 */
static void
test_claim(void)
{
	const uint32_t levels[2][2] = {{6}, {2, 3}};
	pegs_setting settings[PEGS_PMSE_OPTIONS] = {{.given = true, .number = 4}, {.given = true, .number = 12}, {.given = false, .number = 0}, {.given = true, .number = 3}};

	for (int turn = 0; turn < 4; turn++)
		for (uint32_t rows = 1; rows <= 3; rows++)
			for (int with_delta = 0; with_delta < 2; with_delta++)
			{
				uint32_t	ncols = 1 + (uint32_t) turn / 2;
				pegs_witness witness = {0};
				double		most = 0;

				settings[PEGS_PMSE_ROWS].given = turn % 2 == 0;
				for (int of = 0; of < 7 * 7 * 7 * 6; of += ncols == 1 ? 25 : 5)
				{
					pegs_layout layout = pairs(ncols, levels[ncols - 1], settings);
					uint64_t   *cells[2] = {no_rows(&layout), no_rows(&layout)};

					for (int side = 0; side < 2; side++)
					{
						for (int place = 0, rest = of / 6; place < 3; place++, rest /= 7)
							if (rest % 7 < 6)	/* else there is no such row */
								add_row(&layout, cells[side], (uint64_t) rest % 7, 1);
						if (side == of % 2)
							add_row(&layout, cells[side], (uint64_t) (of % 6), (int) rows);
					}
					start_stream(1, (uint64_t) of);
					most = fmax(most, fabs(weigh(&layout, cells, PEGS_EPSILON_UNIT, with_delta ? 1000000000 : 0, rows, &witness)));
					arena_free(&memory);
				}
				CHECK_INT(witness.fault, PEGS_SOUND);
				CHECK(with_delta || most <= 1);
				CHECK(with_delta || most > 0.1);
				CHECK(!pegs_too_likely(&witness.choice, 21));
			}
}

/* Candidates come of public numbers alone: with the same choices, a table of other rows has the same ones. */
static void
test_beside(void)
{
	const uint32_t levels[3] = {5, 4, 3};
	pegs_setting settings[PEGS_PMSE_OPTIONS] = {{.given = true, .number = 5}, {.given = true, .number = 8}, {.given = true, .number = 3}, {.given = false, .number = 0}};
	pegs_layout layout = pairs(3, levels, settings);
	uint64_t   *cells[2] = {no_rows(&layout), no_rows(&layout)};
	pegs_accountant accountant;
	pegs_witness witness = {0};
	pegs_pmse  *model[3];

	for (uint64_t i = 0; i < 60; i++)
		add_row(&layout, cells[0], i, (int) (i * i % 7));
	start(3);
	pegs_accountant_init(&accountant, 3 * PEGS_EPSILON_UNIT, 0, 1);
	accountant.witness = &witness;
	pegs_witness_begin(&witness, &env);
	model[0] = fit(&layout, cells[0], &accountant);
	pegs_witness_again(&witness);
	model[1] = fit(&layout, cells[0], &accountant);
	pegs_witness_replay(&witness);
	model[2] = fit(&layout, cells[1], &accountant);
	CHECK(same_law(&model[0]->law, &model[1]->law));
	CHECK(same_law(&model[0]->law, &model[2]->law));
	pegs_witness_end(&witness, &accountant, true);
	CHECK_INT(witness.fault, PEGS_SOUND);
	CHECK_INT(witness.choices, 5);
	CHECK_INT(witness.looks, 1);
	arena_free(&memory);
}

/* ---- what it finds ---- */

/* The slope of the second column by the first, of shares of a table. */
static double
slope_of(const double *share, uint32_t n, uint32_t m)
{
	double		sum[5] = {0};

	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < m; b++)
		{
			double		p = share[a * m + b];
			double		x = (a + 0.5) / n;
			double		y = (b + 0.5) / m;

			sum[0] += p;
			sum[1] += p * x;
			sum[2] += p * y;
			sum[3] += p * x * x;
			sum[4] += p * x * y;
		}
	return (sum[4] - sum[1] * sum[2]) / (sum[3] - sum[1] * sum[1]);
}

/* A table of 50,000 rows by a law beside the grid's middle, at a large epsilon, as it is measured and as levels are declared backwards. */
static void
test_found(void)
{
	uint32_t	levels[2] = {16, 13};
	static const int32_t nulls[2] = {-1, 0};
	uint16_t	backwards[16];
	const uint16_t *scale[2] = {backwards, NULL};

	for (uint16_t i = 0; i < 16; i++)
		backwards[i] = (uint16_t) (15 - i);
	for (int declared = 0; declared < 2; declared++)
	{
		pegs_setting settings[PEGS_PMSE_OPTIONS] = {{.given = false, .number = 0}};
		pegs_layout layout = pairs(2, levels, settings);
		pegs_law truth = {.ncols = 2, .levels = levels, .nullable = {false, declared}};
		uint64_t   *cells = no_rows(&layout);
		double	   *share = env.alloc(env.context, sizeof(double) * 16 * 13);
		double	   *found = env.alloc(env.context, sizeof(double) * 16 * 13);
		pegs_accountant accountant;
		pegs_pmse  *model;
		double		off = 0;

		if (declared)
		{
			layout.nulls = nulls;
			layout.scale = scale;
		}
		pegs_law_begin(&truth);
		truth.of[0] = (pegs_regressed) {.mean = 100, .sd = 50};
		truth.of[1] = (pegs_regressed) {.mean = 140, .sd = 30, .null = declared ? 40 : 0, .slope = {150}};
		pegs_law_joint(&env, &truth, share);
		for (uint32_t a = 0; a < 16; a++)
			for (uint32_t b = 0; b < 13; b++)
			{
				uint32_t	x = declared ? 15 - a : a;
				uint32_t	y = declared ? (b + 1) % 13 : b;
				uint64_t	n = (uint64_t) rint(share[a * 13 + b] * 50000);

				cells[layout.offset[0] + x] += n;
				cells[layout.offset[1] + y] += n;
				cells[layout.pair_offset[1] + x * 13 + y] += n;
			}
		start(5);
		pegs_accountant_init(&accountant, 20 * PEGS_EPSILON_UNIT, 0, 1);
		model = fit(&layout, cells, &accountant);
		CHECK_NEAR(model->rows, 50000, 0.001);
		CHECK_INT(model->rounds, 20);
		pegs_law_joint(&env, &model->law, found);
		for (uint32_t i = 0; i < 16 * 13; i++)
			off += fabs(found[i] - share[i]) / 2;
		CHECK(off < 0.06);
		CHECK(fabs(slope_of(found, 16, declared ? 12 : 13) - slope_of(share, 16, declared ? 12 : 13)) < (declared ? 0.2 : 0.06));
		/* shares are of codes */
		CHECK(declared ? model->share[1][0] > 0.08 && model->share[0][15] > model->share[0][0] * 0.2 : model->share[1][0] < 0.08);
		for (uint32_t i = 0; i < 2; i++)
		{
			double		sum = 0;

			for (uint32_t c = 0; c < levels[i]; c++)
				sum += model->share[i][c];
			CHECK_NEAR(sum, 1, 1e-9);
		}
	}
	arena_free(&memory);
}

/* ---- bytes that no fit has written ---- */

static void
test_bytes(void)
{
	const uint32_t levels[2] = {3, 2};
	pegs_setting settings[PEGS_PMSE_OPTIONS] = {{.given = true, .number = 2}, {.given = true, .number = 3}, {.given = false, .number = 0}, {.given = true, .number = 40}};

	for (int wrong = 0; wrong < 9; wrong++)
	{
		pegs_layout layout = pairs(2, levels, settings);
		pegs_accountant accountant;
		pegs_wire	wire = {.kind = 9, .method = &pegs_method_pmse, .ncols = 2, .levels = layout.levels, .spec = ""};
		pegs_wire	read;
		pegs_pmse  *model;
		uint8_t    *bytes;

		start(7);
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
		wire.model = model = fit(&layout, no_rows(&layout), &accountant);
		CHECK(model->rows == 40);
		switch (wrong)
		{
			case 1: model->law.of[0].mean = PEGS_LAW_GRID + 1; break;
			case 2: model->law.of[1].sd = 0; break;
			case 3: model->law.of[1].slope[0] = -513; break;
			case 4: model->law.of[0].null = 1; break;
			case 5: model->order[0][1] = model->order[0][0]; break;
			case 6: model->order[0][1] = 3; break;
			case 7: model->share[1][0] = -0.1; break;
			case 8: model->share[1][0] += 0.1; break;
			default: break;
		}
		bytes = env.alloc(env.context, pegs_wire_size(&wire));
		pegs_wire_write(&env, &wire, bytes);
		CHECK_INT(pegs_wire_read(&env, bytes, pegs_wire_size(&wire), &read), wrong == 0 ? PEGS_OK : PEGS_ERR_FORMAT);
		if (wrong == 0)
			CHECK(same_law(&((pegs_pmse *) read.model)->law, &model->law));
		arena_free(&memory);
	}
}

int
main(void)
{
	test_claim();
	test_beside();
	test_found();
	test_bytes();
	return unit_done("pmse_test");
}
