/*
 * additive_test.c
 *	  The fit of an additive score: what one row, or one person, moves, by how
 *	  much that can be told, what is estimated, and what is left out.
 */
#include "core/score/score.h"

#include "core/witness.h"
#define STREAM_SALT [1] = 71
#include "fixture.h"
#include "scored.h"
#include "scripted.h"
#include "unit.h"

#define FAR (INT64_C(1) << 40)	/* noise beyond everything */

/* ---- Claim P28 ---- */

static void
weigh(uint32_t ncols, const uint32_t *levels, pegs_kept *const *kept, const pegs_accountant *accountant, const int64_t *noise, pegs_witness *witness)
{
	pegs_accountant watched = *accountant;
	uint8_t    *bytes[2];
	size_t		size[2];

	watched.witness = witness;
	pegs_witness_begin(witness, &env);
	for (int run = 0; run < 2; run++)
	{
		if (run == 1)
			pegs_witness_again(witness);
		scripted = noise;
		bytes[run] = score_bytes(fit_score(ncols, levels, ncols - 1, second_level, kept[run], &watched), &size[run]);
	}
	scripted = NULL;
	pegs_witness_end(witness, accountant, size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0);
}

/*
 * All tables of up to three rows of a feature of two levels, each with a row more, and noise that takes every place where it can tell
 * the most, and none: ln of the ratio of the exact probabilities of all answers together is never above
 * epsilon. What the answers cost, added up whatever its sign, is what it must be at the worst: a residual is a
 * half while nothing is known, and later all of it, where noise has led the score astray; the answer that did that spoke for the other table.
 */
static void
test_claim(void)
{
	const uint32_t levels[2] = {2, 2};
	pegs_witness witness = {0};
	pegs_accountant accountant;
	double		ratio = 0;
	double		cost = 0;
	int			turn = 0;

	start(1);
	pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
	for (int of = 0; of < 5 * 5 * 5 * 4; of++)
	{
		int			cell[4] = {of / 20 % 5, of / 100, of / 4 % 5, of % 4};

		if (cell[0] > cell[1] || cell[2] > cell[0])
			continue;			/* rows in another order */
		for (int far = 0; far < 81; far++)
		{
			pegs_kept  *kept[2];
			/* two counts, two sums, twice */
			int64_t		noise[6] = {1000, 1000, (far % 3 - 1) * FAR, (far / 3 % 3 - 1) * FAR, (far / 9 % 3 - 1) * FAR, (far / 27 - 1) * FAR};

			turn++;
			for (int side = 0; side < 2; side++)
			{
				kept[side] = pegs_kept_new(&env, 2, levels);
				for (int r = 0; r < 4; r++)
				{
					uint16_t	row[2] = {(uint16_t) (cell[r] / 2), (uint16_t) (cell[r] % 2)};

					if (cell[r] < 4 && (r < 3 || side == turn % 2))	/* else there is no such row */
						add_row(kept[side], 2, row, 1);
				}
			}
			weigh(2, levels, kept, &accountant, noise, &witness);
			CHECK_INT(witness.nsteps, 3);
			CHECK(fabs(witness.ratio) <= 1);
			ratio = fmax(ratio, fabs(witness.ratio));
			cost = fmax(cost, witness.cost);
			arena_free(&memory);
		}
	}
	/* of the noise that was scripted nobody says that it is likely */
	CHECK(witness.fault == PEGS_SOUND || witness.fault == PEGS_FAULT_NOISE);
	CHECK_NEAR(cost, 0.15 + 0.85 * (0.5 / 2 + 1.0 / 2), 1e-3);
	CHECK(ratio > 0.15 + 0.85 * (0.5 / 2 + 0.5 / 2) && ratio <= 1);
}

/* Persons of three rows, in different classes; more columns; with delta and without: within the account, of which nothing is left. */
static void
test_account(void)
{
	const uint32_t levels[5] = {3, 40, 2, 6, 2};

	for (int turn = 0; turn < 16; turn++)
	{
		uint32_t	k = turn % 2 ? 3 : 1;
		pegs_witness witness = {0};
		pegs_accountant accountant;
		pegs_kept  *kept[2];
		bool		pure = turn / 2 % 2;

		start((uint8_t) turn);
		pegs_accountant_init(&accountant, (turn < 8 ? 2 : 30) * PEGS_EPSILON_UNIT, pure ? 0 : 1000000000, k);
		accountant.rows_each = k > 1 && turn % 4 == 3 ? k : 0;
		for (int side = 0; side < 2; side++)
		{
			kept[side] = pegs_kept_new(&env, 5, levels);
			for (uint32_t r = 0; r < 300; r++)
			{
				uint16_t	row[5];

				for (uint32_t c = 0; c < 5; c++)
					row[c] = (uint16_t) ((r * (c + 3) + r / 7) % levels[c]);
				add_row(kept[side], 5, row, k);
			}
			for (uint32_t r = 0; r < k && side; r++)
			{
				uint16_t	row[5] = {(uint16_t) r, (uint16_t) (r * 7), 0, (uint16_t) r, 1};

				add_row(kept[side], 5, row, 1);
			}
		}
		weigh(5, levels, kept, &accountant, NULL, &witness);
		CHECK_INT(witness.fault, PEGS_SOUND);
		accountant = fit_score(5, levels, 4, second_level, kept[0], &accountant)->accountant;
		CHECK(accountant.spent <= accountant.total);
		CHECK_INT(accountant.record[PEGS_FOR_ONEWAY - 1].uses, 4);
		CHECK_NEAR((double) accountant.record[PEGS_FOR_ONEWAY - 1].cost, (pure ? 0.15 : 0.05) * (double) accountant.total, 1e-6);
		/* at a small epsilon no column has two classes, and there is nothing to ask */
		CHECK(turn < 8 || (accountant.total - accountant.spent < 100 && accountant.record[PEGS_FOR_RESIDUALS - 1].uses >= (pure ? 2 : 8)));
		CHECK(accountant.witness == NULL && accountant.env == NULL);
		arena_free(&memory);
	}
}

/*
 * Four features, and noise that leads the score far beyond where its table of probabilities ends, to either side: a residual is still at
 * most one, whatever the score is.
 */
static void
test_far(void)
{
	static const uint32_t levels[5] = {2, 2, 2, 2, 2};

	for (int side = 0; side < 4; side++)
	{
		pegs_witness witness = {0};
		pegs_accountant accountant;
		pegs_kept  *kept[2];
		int64_t		noise[4 * 2 + 2 * 4 * 2];	/* counts of four features; two sweeps of two sums each */

		start((uint8_t) (50 + side));
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
		for (int i = 0; i < 24; i++)
			noise[i] = i < 8 ? 100000 : side % 2 ? FAR : -FAR;
		for (int t = 0; t < 2; t++)
		{
			kept[t] = pegs_kept_new(&env, 5, levels);
			add_row(kept[t], 5, (uint16_t[5]) {0, 1, 0, 1, 0}, 1);
			if (t == 1)
				add_row(kept[t], 5, (uint16_t[5]) {0, 1, 0, 1, (uint16_t) (side / 2)}, 1);
		}
		weigh(5, levels, kept, &accountant, noise, &witness);
		CHECK_INT(witness.nsteps, 4 + 8);
		CHECK(fabs(witness.ratio) <= 1 && witness.cost <= 1);
		CHECK(witness.fault == PEGS_SOUND || witness.fault == PEGS_FAULT_NOISE);
		arena_free(&memory);
	}
}

/* Of all looks of many fits: is the noise as large as was paid for, and each look's its own? What the record says is what was spent. */
static void
test_noise(void)
{
	const uint32_t levels[5] = {12, 12, 12, 12, 2};

	for (int pure = 0; pure < 2; pure++)
	{
		pegs_kept  *kept = pegs_kept_new(&env, 5, levels);
		pegs_witness witness = {0};
		pegs_accountant accountant;

		pegs_accountant_init(&accountant, 20 * PEGS_EPSILON_UNIT, pure ? 0 : 1000000000, 1);
		for (uint16_t r = 0; r < 300; r++)
			add_row(kept, 5, (uint16_t[5]) {r % 12, r / 2 % 12, r / 3 % 12, r / 5 % 12, r % 10 < 4}, 1);
		for (int i = 0; i < 80; i++)
		{
			pegs_accountant watched = accountant;
			uint64_t	sum = 0;

			watched.witness = &witness;
			pegs_witness_begin(&witness, &env);
			start_stream((uint8_t) (54 + pure), (uint64_t) i);
			watched = fit_score(5, levels, 4, second_level, kept, &watched)->accountant;
			for (int p = 0; p < PEGS_PURPOSES; p++)
				sum += watched.record[p].cost;
			CHECK_INT(sum, watched.spent);
			CHECK(watched.record[PEGS_FOR_RESIDUALS - 1].uses == (pure ? 8 : 16));
		}
		CHECK(!pegs_too_likely(&witness.noise, 30));
		for (int i = 0; i < PEGS_ECHOES; i++)
			CHECK(!pegs_too_likely(&witness.echo[i], 30));
		arena_free(&memory);
	}
}

/* ---- the estimate ---- */

/* The design's numbers: 6 rows of which 2 are positive, 4 of which 3 are; and by hand for a later sweep, with noise. */
static void
test_gain(void)
{
	CHECK_NEAR(-1 * pegs_additive_gain(6, 0, 0), -0.537297, 1e-6);
	CHECK_NEAR(1 * pegs_additive_gain(4, 0, 0), 0.640546, 1e-6);
	CHECK_NEAR(pegs_additive_gain(100, 2, 400), 15 * 0.51 * 0.51 / (225 * 0.51 * 0.51 + 400 + 15), 1e-12);
	/* more noise, smaller steps; later, smaller ones */
	CHECK(pegs_additive_gain(100, 0, 4000) < pegs_additive_gain(100, 0, 400) && pegs_additive_gain(100, 1, 400) < pegs_additive_gain(100, 0, 400));
}

static pegs_kept *
some_rows(uint32_t n0, uint32_t positive0, uint32_t n1, uint32_t positive1, uint32_t times)
{
	const uint32_t levels[3] = {2, 2, 3};
	pegs_kept  *kept = pegs_kept_new(&env, 3, levels);

	for (uint32_t r = 0; r < n0 + n1; r++)
	{
		uint16_t	row[3] = {r < n0 ? r < positive0 : r - n0 < positive1, r >= n0, 1};

		add_row(kept, 3, row, times);
	}
	return kept;
}

/*
 * Without noise, ten times the design's rows: 60 of which 20 are positive, 40 of which 30. Six sweeps by hand, of a column that
 * has one class beside it; the target comes first. In the end each class has the share that it has.
 */
static void
test_without_noise(void)
{
	const uint32_t levels[3] = {2, 2, 3};
	const double n[2] = {60, 40};
	const double positive[2] = {20, 30};
	pegs_score_model *model;
	int32_t		points[2] = {0, 0};
	int32_t		mean;

	for (uint32_t t = 0; t < 6; t++)
		for (int k = 0; k < 2; k++)
		{
			double		p = rint(1024 / (1 + exp(-rint(points[k] / 8.0) * 8 / 2048))) / 1024;

			points[k] += (int32_t) lrint(2048 * pegs_additive_gain(n[k], t, 0) * (positive[k] - n[k] * p));
		}
	model = fit_score(3, levels, 0, second_level, some_rows(60, 20, 40, 30, 1), NULL);
	mean = (int32_t) lrint((60.0 * points[0] + 40.0 * points[1]) / 100);
	CHECK_INT(model->feature[0].classes, 0);
	CHECK_INT(model->feature[2].classes, 1);
	CHECK_INT(model->feature[1].classes, 2);
	CHECK_INT(model->feature[1].points[0], points[0] - mean);
	CHECK_INT(model->feature[1].points[1], points[1] - mean);
	CHECK_INT(model->intercept, mean);
	CHECK(model->feature[1].rows[0] == 60 && model->feature[1].rows[1] == 40 && fabs(model->rows - 100) < 1e-9);
	CHECK(model->feature[1].sd[0] == 0 && model->sweeps == 6);
	for (int k = 0; k < 2; k++)
		CHECK_NEAR(pegs_score_of(model, (int32_t[3]) {-1, k, 1}), positive[k] / n[k], 0.03);
	arena_free(&memory);
}

/* Of an effect in a wide column, and one of groups, what was put in comes out; sums are those of the sweeps. */
static void
test_estimate(void)
{
	const uint32_t levels[4] = {50, 4, 3, 2};

	for (int paid = 0; paid < 2; paid++)
	{
		pegs_kept  *kept = pegs_kept_new(&env, 4, levels);
		pegs_accountant accountant;
		pegs_score_model *model;
		double		off = 0;

		start(20);
		pegs_accountant_init(&accountant, 10 * PEGS_EPSILON_UNIT, 1000000000, 1);
		for (uint32_t r = 0; r < 40000; r++)
		{
			uint16_t	row[4] = {(uint16_t) pegs_rng_below(&rng, 50), (uint16_t) pegs_rng_below(&rng, 4), (uint16_t) pegs_rng_below(&rng, 3), 0};
			double		z = -1 + row[0] * 0.04 + (row[1] == 2) * 1.5;

			row[3] = pegs_rng_double(&rng) < 1 / (1 + exp(-z));
			add_row(kept, 4, row, 1);
		}
		model = fit_score(4, levels, 3, second_level, kept, paid ? &accountant : NULL);
		CHECK_INT(model->feature[0].classes, 32);
		CHECK_INT(model->feature[1].classes, 4);
		for (int32_t a = 0; a < 50; a++)
			for (int32_t b = 0; b < 4; b++)
				off += fabs((double) pegs_score_sum(model, (int32_t[4]) {a, b, 1, -1}) / 2048 - (-1 + a * 0.04 + (b == 2) * 1.5)) / 200;
		CHECK(off < 0.12);
		for (uint32_t k = 0; k < 3; k++)
			CHECK(abs(model->feature[2].points[k]) < 200);
		arena_free(&memory);
	}
}

/* Noise is as large as the card says. */
static void
test_sd(void)
{
	enum { FITS = 150 };
	const uint32_t levels[3] = {2, 3, 2};
	const uint32_t columns = 2;

	for (int pure = 0; pure < 2; pure++)
	{
		pegs_kept  *kept = pegs_kept_new(&env, 3, levels);
		pegs_accountant accountant;
		double		sum[2][3] = {{0}};
		double		square[2][3] = {{0}};
		double		said[2][3] = {{0}};

		pegs_accountant_init(&accountant, (pure ? 2 : 1) * PEGS_EPSILON_UNIT, pure ? 0 : 1000000000, 1);
		for (uint16_t r = 0; r < 3000; r++)
			add_row(kept, 3, (uint16_t[3]) {r % 2, r % 3, r % 10 < 4}, 1);
		for (int i = 0; i < FITS; i++)
		{
			const pegs_score_model *model;

			start_stream((uint8_t) (30 + pure), (uint64_t) i);
			model = fit_score(3, levels, 2, second_level, kept, &accountant);
			for (uint32_t c = 0; c < columns; c++)
				for (uint32_t k = 0; k < model->feature[c].classes; k++)
				{
					double		x = ldexp(model->feature[c].points[k], -11);

					sum[c][k] += x;
					square[c][k] += x * x;
					said[c][k] += model->feature[c].sd[k] / FITS;
				}
		}
		/* what all classes of a column have in common went to the intercept: a half of the variance, of two classes, a third, of three */
		for (uint32_t c = 0; c < columns; c++)
			for (uint32_t k = 0; k < levels[c]; k++)
			{
				double		sd = sqrt((square[c][k] - sum[c][k] * sum[c][k] / FITS) / (FITS - 1));

				CHECK_NEAR(sd / sqrt(1 - 1.0 / levels[c]), said[c][k], 0.3);
			}
		arena_free(&memory);
	}
}

/* And by the design's formula, where it is large: what a sweep does not believe of it stays, what it adds comes to that. */
static void
test_large_sd(void)
{
	const uint32_t levels[2] = {2, 2};
	pegs_kept  *kept = pegs_kept_new(&env, 2, levels);
	pegs_accountant accountant;
	const pegs_score_model *model;
	double		v;

	start(33);
	pegs_accountant_init(&accountant, 4 * PEGS_EPSILON_UNIT, 1000000000, 1);
	for (uint16_t r = 0; r < 160; r++)
		add_row(kept, 2, (uint16_t[2]) {r % 2, r % 5 < 2}, 1);
	model = fit_score(2, levels, 1, second_level, kept, &accountant);
	CHECK_INT(model->feature[0].classes, 2);
	v = pow(pegs_noise_sd(&accountant, ldexp((double) model->accountant.record[PEGS_FOR_RESIDUALS - 1].cost, -50) / 4), 2);
	for (uint32_t k = 0; k < model->feature[0].classes; k++)
	{
		double		h = 0.15 * model->feature[0].rows[k];
		double		square = 0;

		for (uint32_t t = 0; t < 4; t++)
		{
			double		gain = pegs_additive_gain(model->feature[0].rows[k], t, v);

			square = square * (1 - gain * h) * (1 - gain * h) + gain * gain * v;
		}
		CHECK_NEAR(model->feature[0].sd[k], sqrt(square), 1e-6);
	}
	arena_free(&memory);
}

/* ---- what is left out ---- */

/* An empty table is a table; so is one of the target alone. Nothing is sure, and nothing goes far. */
static void
test_empty(void)
{
	const uint32_t levels[3] = {2, 2, 3};

	for (int of = 0; of < 6; of++)
		for (uint32_t ncols = 1; ncols <= 3; ncols++)
		{
			pegs_kept  *kept = pegs_kept_new(&env, ncols, levels);
			pegs_accountant accountant;
			pegs_score_model *model;
			size_t		size;

			start((uint8_t) of);
			pegs_accountant_init(&accountant, of < 4 ? 1 : 100 * PEGS_EPSILON_UNIT, of % 2 ? 0 : 1000000000, of < 2 ? 1 : 100);
			model = fit_score(ncols, levels, 0, second_level, kept, of == 5 ? NULL : &accountant);
			CHECK(model->rows >= 1 && model->intercept < 100000 && model->intercept > -100000);
			for (uint32_t c = 1; c < ncols; c++)
			{
				CHECK_INT(model->feature[c].classes, 1);
				CHECK_INT(pegs_score_points(model, c, 0), 0);
			}
			CHECK(score_bytes(model, &size) != NULL);
			arena_free(&memory);
		}
}

/* A person's rows counted k times, of which one is a row, are one row: the same score, and as many rows. */
static void
test_persons(void)
{
	const uint32_t levels[3] = {2, 2, 3};
	pegs_score_model *model[2];

	for (int each = 0; each < 2; each++)
	{
		pegs_accountant accountant;

		start(40);
		pegs_accountant_init(&accountant, 900 * PEGS_EPSILON_UNIT, 0, each ? 4 : 1);
		accountant.rows_each = each ? 4 : 0;
		model[each] = fit_score(3, levels, 0, second_level, some_rows(600, 200, 400, 300, each ? 4 : 1), &accountant);
	}
	CHECK_NEAR(model[1]->rows, 1000, 0.01);
	for (int k = 0; k < 2; k++)
	{
		CHECK(abs(model[0]->feature[1].points[k] - model[1]->feature[1].points[k]) < 8);
		CHECK_NEAR(model[1]->feature[1].rows[k], model[0]->feature[1].rows[k], 0.01);
		CHECK_NEAR(model[1]->feature[1].sd[k], model[0]->feature[1].sd[k], 0.02);
	}
	arena_free(&memory);
}

/* Levels of a public group become one class before others do. */
static void
test_groups(void)
{
	const uint32_t levels[2] = {6, 2};
	const uint16_t group[6] = {0, 0, 0, 1, 1, 1};
	const uint16_t *groups[2] = {group, NULL};
	pegs_kept  *kept = pegs_kept_new(&env, 2, levels);
	pegs_layout layout = {.ncols = 2, .levels = (uint32_t *) levels};
	pegs_score_model model[2];

	for (uint16_t r = 0; r < 60; r++)
		add_row(kept, 2, (uint16_t[2]) {r % 6, r % 2}, 1);
	for (int with = 0; with < 2; with++)
	{
		layout.groups = with ? groups : NULL;
		pegs_additive_fit(&env, NULL, NULL, &layout, second_level, 1, kept, &model[with]);
	}
	/* pairs of neighbours, of 20 rows each; with groups these */
	CHECK_INT(model[0].feature[0].classes, 3);
	CHECK_INT(model[1].feature[0].classes, 2);
	CHECK(memcmp(model[1].feature[0].class_of, group, sizeof(group)) == 0);
	arena_free(&memory);
}

/* It asks whether to stop in each block of each pass: a count, then two passes of each sweep, for each column. */
static void
test_asks(void)
{
	const uint32_t levels[3] = {2, 2, 2};
	pegs_kept  *kept = pegs_kept_new(&env, 3, levels);
	size_t		live;

	env = arena_env_freeing(&memory);
	for (uint16_t r = 0; r < 500; r++)	/* each a block of its own */
		add_row(kept, 3, (uint16_t[3]) {r % 2, r % 3 == 0, r % 5 == 0}, 1);
	memory.checks = 0;
	live = memory.live;
	fit_score(3, levels, 2, second_level, kept, NULL);
	CHECK(memory.checks >= 500 * (1 + 2 * (1 + 6 * 2)));
	/* what is kept for each row is given back */
	CHECK(memory.live < live + 1000);
	env = arena_env(&memory);
	arena_free(&memory);
}

int
main(void)
{
	test_claim();
	test_account();
	test_far();
	test_noise();
	test_gain();
	test_without_noise();
	test_estimate();
	test_sd();
	test_large_sd();
	test_empty();
	test_persons();
	test_groups();
	test_asks();
	return unit_done("additive_test");
}
