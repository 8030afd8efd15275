/*
 * classes_test.c
 *	  Features as classes of levels: what is merged, what that hangs on, what it costs.
 */
#include "core/score/trees.h"

#define STREAM_SALT [1] = 81
#include "grown.h"

/* Six columns: the target, one of two levels, 40 levels of which few are used, one level, 100 levels, two of which one is rare. */
static uint32_t levels[6] = {2, 2, 40, 1, 100, 2};
static const bool positive[2] = {false, true};

static pegs_kept *
rows_of(uint32_t n)
{
	pegs_kept  *kept = pegs_kept_new(&env, 6, levels);

	for (uint32_t r = 0; r < n; r++)
	{
		uint16_t	row[6] = {(uint16_t) (r % 2), (uint16_t) (r % 3 > 0), (uint16_t) (r % 4 * 10), 0, (uint16_t) (r % 100), r == 5};

		keep_row(kept, 6, row, 1, 1);
	}
	return kept;
}

static void
classes_of(pegs_trees *model, int64_t epsilon, const pegs_kept *rows, double part, double least)
{
	pegs_layout layout = {.ncols = 6, .levels = levels};
	pegs_scored scored = {.target = 0, .positive = positive, .rows = rows};

	*model = (pegs_trees) {.ncols = 6, .levels = levels};
	pegs_accountant_init(&model->accountant, epsilon, 0, 1);
	pegs_trees_classes(&env, &rng, &layout, &scored, part * pegs_accountant_left(&model->accountant), least, model);
}

/* With hardly any noise. */
static void
test_merged(void)
{
	pegs_trees	model;

	start(1);
	classes_of(&model, 1000 * PEGS_EPSILON_UNIT, rows_of(4000), 0.9, 30);
	CHECK_INT(model.classes[0], 0);
	CHECK(model.class_of[0] == NULL);
	CHECK_INT(model.classes[1], 2);
	CHECK_INT(model.classes[2], 4);
	CHECK_INT(model.classes[3], 1);
	CHECK_INT(model.classes[4], 32);
	CHECK_INT(model.classes[5], 1);
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < i; j++)
			CHECK(model.class_of[2][10 * i] != model.class_of[2][10 * j]);
	for (uint32_t l = 0; l + 1 < 100; l++)
		CHECK(model.class_of[4][l + 1] - model.class_of[4][l] <= 1 && model.class_of[4][l + 1] >= model.class_of[4][l]);
	CHECK_INT(model.class_of[4][99], 31);
	/* the lightest has what is asked for */
	classes_of(&model, 1000 * PEGS_EPSILON_UNIT, rows_of(4000), 0.9, 390);
	CHECK(model.classes[4] <= 4000 / 390 && model.classes[4] > 4);
	arena_free(&memory);
}

/*
 * More noise: fewer classes. Where there are two or more, each has five standard deviations of noisy rows, by the answers that
 * the witness keeps, whatever the key. More than six of the 32 had 318 of 20,000 keys, which is p <= .02 but for one time in
 * 10,000: more than 20 of 200 have that with P = 9.4e-10.
 */
static void
test_noise(void)
{
	enum { KEYS = 200, WIDE = 4 };
	const pegs_kept *rows = rows_of(4000);
	pegs_trees	model;
	int			many = 0;

	for (uint64_t key = 0; key < KEYS; key++)
	{
		pegs_layout layout = {.ncols = 6, .levels = levels};
		pegs_scored scored = {.target = 0, .positive = positive, .rows = rows};
		pegs_witness witness = {0};
		double		mass[32] = {0};

		start_stream(2, key);
		model = (pegs_trees) {.ncols = 6, .levels = levels};
		pegs_accountant_init(&model.accountant, PEGS_EPSILON_UNIT / 10, 0, 1);
		model.accountant.witness = &witness;
		pegs_witness_begin(&witness, &env);
		pegs_trees_classes(&env, &rng, &layout, &scored, 0.05, 1, &model);
		CHECK_INT(model.accountant.record[PEGS_FOR_ONEWAY - 1].uses, 5);
		CHECK(fabs(pegs_accountant_left(&model.accountant) - 0.05) < 1e-9);
		if (!CHECK(witness.nsteps == 5 && model.classes[WIDE] >= 1 && model.classes[WIDE] <= 32))
			continue;
		for (uint32_t l = 0; l < 100; l++)
			mass[model.class_of[WIDE][l]] += witness.step[WIDE - 1].noisy[l];
		for (uint32_t k = 0; k < model.classes[WIDE] && model.classes[WIDE] > 1; k++)
			CHECK(mass[k] >= 5 * sqrt(2) / 0.01 * 0.999);
		many += model.classes[WIDE] > 6;
	}
	CHECK(many <= 20);
	/* too little to buy anything: one class each */
	start(2);
	classes_of(&model, 1, rows, 1e-9, 1);
	for (int i = 1; i < 6; i++)
		CHECK_INT(model.classes[i], 1);
	arena_free(&memory);
}

/* By what is declared: rows are not asked, nothing is spent. */
static void
test_declared(void)
{
	pegs_trees	model;

	start(3);
	classes_of(&model, PEGS_EPSILON_UNIT, NULL, 0, 1);
	CHECK_INT(model.classes[1], 2);
	CHECK_INT(model.classes[2], 32);
	CHECK_INT(model.classes[3], 1);
	CHECK_INT(model.classes[4], 32);
	CHECK_INT(model.class_of[4][99], 31);
	CHECK_INT(model.class_of[4][0], 0);
	CHECK_INT(model.accountant.spent, 0);
	arena_free(&memory);
}

static void
test_order(void)
{
	const bool	ordered[2] = {true, false};
	const uint32_t bins[2] = {0, 4};
	pegs_layout layout = {.ncols = 2, .levels = levels};

	CHECK(!pegs_in_order(&layout, 0));
	layout.ordered = ordered;
	CHECK(pegs_in_order(&layout, 0) && !pegs_in_order(&layout, 1));
	layout.bins = bins;
	CHECK(pegs_in_order(&layout, 0) && pegs_in_order(&layout, 1));
}

int
main(void)
{
	test_merged();
	test_noise();
	test_declared();
	test_order();
	return unit_done("classes_test");
}
