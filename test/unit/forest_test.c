/*
 * forest_test.c
 *	  Private forests: what one row moves, by how much it can be told, a structure that no row has a part in.
 */
#include "core/score/forest.h"

#define STREAM_SALT [1] = 84
#include "grown.h"

static const bool positive[2] = {false, true};

typedef struct settings
{
	pegs_layout layout;
	uint32_t	target;
	pegs_forest_options options;
} settings;

static void
fit_forest(const pegs_accountant *accountant, const pegs_kept *rows, void *context, pegs_trees *model)
{
	settings   *s = context;
	pegs_scored scored = {.target = s->target, .positive = positive, .rows = rows};

	pegs_forest_fit(&env, &rng, accountant, &s->layout, &scored, &s->options, model);
}

/* ---- Claim P31 ---- */

/*
 * Two trees of one feature of two levels; every table with 0, 19 or 40 rows in each of the four cells, and a unit more in any, both ways
 * round: what all answers are worth, exactly, is never above epsilon, and reaches it. With delta: rho, by the witness.
 */
static void
test_claim(void)
{
	uint32_t	levels[2] = {2, 2};
	static const uint32_t sizes[3] = {0, 19, 40};

	for (int turn = 0; turn < 16; turn++)
	{
		settings	s = {.layout = {.ncols = 2, .levels = levels}, .target = 1, .options = {.depth = 1, .trees = 2, .declared = turn / 4 % 2}};
		uint32_t	unit = turn / 8 ? 2 : 1;
		int64_t		epsilon = (turn % 2 ? 20 : 1) * PEGS_EPSILON_UNIT;
		bool		gaussian = turn / 2 % 2;
		pegs_witness witness = {0};
		pegs_accountant accountant;
		double		most = 0;

		pegs_accountant_init(&accountant, epsilon, gaussian ? 1000000000 : 0, unit);
		for (int of = 0; of < 81 * 8; of++)
		{
			pegs_kept  *kept[2];
			const pegs_kept *const *rows = (const pegs_kept *const *) kept;

			for (int side = 0; side < 2; side++)
			{
				int			t = of / 8;

				kept[side] = pegs_kept_new(&env, 2, levels);
				for (uint16_t cell = 0; cell < 4; cell++, t /= 3)
					keep_row(kept[side], 2, (uint16_t[]) {cell / 2, cell % 2}, sizes[t % 3], 1);
				for (uint32_t k = 0; k < unit && side == of % 2; k++)
				{
					uint16_t	cell = (uint16_t) ((of / 2 + (int) k * turn) % 4);

					keep_row(kept[side], 2, (uint16_t[]) {cell / 2, cell % 2}, 1, 1);
				}
			}
			start_stream((uint8_t) turn, (uint64_t) of);
			weigh_pair(fit_forest, &accountant, rows, &s, &witness);
			most = fmax(most, gaussian ? 0 : fabs(witness.ratio) / ((double) epsilon / 1e9));
			arena_free(&memory);
		}
		CHECK_INT(witness.fault, PEGS_SOUND);
		check_noise(&witness);
		CHECK(gaussian || (most <= 1 && most > 0.98));
	}
}

/* ---- structure ---- */

static uint32_t wide[6] = {3, 40, 2, 5, 2, 7};

static pegs_kept *
some_rows(uint32_t n, uint8_t number)
{
	pegs_kept  *kept = pegs_kept_new(&env, 6, wide);
	uint8_t		key[PEGS_KEY_BYTES] = {number, 2};
	pegs_rng	made;

	pegs_rng_init(&made, key, 0);
	for (; n > 0; n--)
	{
		uint16_t	row[6];

		for (int i = 0; i < 6; i++)
			row[i] = (uint16_t) pegs_rng_below(&made, wide[i]);
		row[4] = pegs_rng_below(&made, 40) < 10u + row[1] / 2;
		keep_row(kept, 6, row, 1, 1);
	}
	return kept;
}

/* With declared classes it is the same whatever the rows and the noise; each tree asks for a feature once, in any order of features. */
static void
test_structure(void)
{
	static const bool ordered[6] = {false, true, false, true, false, false};
	settings	s = {.layout = {.ncols = 6, .levels = wide, .ordered = ordered}, .target = 4,
		.options = {.depth = 3, .trees = 60, .declared = true}};
	pegs_trees	model[2];
	uint32_t	asked[6] = {0};

	for (int i = 0; i < 2; i++)
	{
		pegs_accountant accountant;

		start((uint8_t) (20 + i));
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, i * 1000000000, 1);
		fit_forest(&accountant, some_rows(i * 3000, 1), &s, &model[i]);
		CHECK_INT(model[i].accountant.record[PEGS_FOR_NODES - 1].uses, 60);
		CHECK_INT(model[i].accountant.record[PEGS_FOR_ONEWAY - 1].uses, 0);
		CHECK_NEAR((double) model[i].accountant.spent / (double) accountant.total, 1, 1e-9);
		check_record(&model[i].accountant);
		CHECK_INT(model[i].first[60], 60 * 15);
	}
	for (uint32_t i = 0; i < 60 * 15; i++)
	{
		const pegs_tree_node *a = &model[0].node[i];
		const pegs_tree_node *b = &model[1].node[i];

		CHECK(a->kid == b->kid && a->feature == b->feature && a->yes == b->yes);
		/* classes in order are cut in two: from some class on */
		if (a->kid > 0 && ordered[a->feature])
			CHECK(((a->yes + (a->yes & -a->yes)) & ((UINT64_C(1) << model[0].classes[a->feature]) - 1)) == 0);
		if (i % 15 == 0)
			asked[a->feature]++;
	}
	for (uint32_t t = 0; t < 60; t++)
	{
		const pegs_tree_node *node = &model[0].node[15 * t];

		CHECK(node[0].feature != node[1].feature && node[1].feature != node[3].feature && node[0].feature != node[3].feature);
		CHECK(node[1].feature == node[2].feature && node[1].yes == node[2].yes);
	}
	for (uint32_t i = 0; i < 6; i++)
		CHECK((asked[i] > 2) == (i != 4));
	arena_free(&memory);
}

/* ---- leaves ---- */

/* With hardly any noise: every node knows the share of its rows. */
static void
test_leaves(void)
{
	settings	s = {.layout = {.ncols = 6, .levels = wide}, .target = 4, .options = {.depth = 2, .trees = 3}};
	pegs_kept  *rows = some_rows(20000, 2);
	pegs_accountant accountant;
	pegs_trees	model;
	uint16_t	code[6][PEGS_CHUNK];

	start(22);
	pegs_accountant_init(&accountant, 900 * PEGS_EPSILON_UNIT, 0, 1);
	fit_forest(&accountant, rows, &s, &model);
	CHECK_NEAR(model.rows, 20000, 0.001);
	for (uint32_t i = 0; i < model.first[3]; i++)
	{
		uint32_t	tree = i / 7;
		double		of[2] = {0, 0};

		for (uint64_t b = 0; b < pegs_kept_blocks(rows); b++)
		{
			for (uint32_t c = 0; c < 6; c++)
				pegs_kept_column(rows, b, c, code[c]);
			for (uint32_t r = 0; r < pegs_kept_rows(rows, b); r++)
				for (uint32_t at = 0;;)
				{
					const pegs_tree_node *node = &model.node[7 * tree + at];

					if (7 * tree + at == i)
						of[code[4][r]]++;
					if (node->kid == 0)
						break;
					at = node->kid + (node->yes >> model.class_of[node->feature][code[node->feature][r]] & 1);
				}
		}
		CHECK(of[0] < 200 || fabs(model.node[i].points / 2048.0 - log(of[1] / of[0])) < 0.01);
	}
	CHECK_NEAR((double) model.accountant.record[PEGS_FOR_ONEWAY - 1].cost / (double) accountant.total, 0.15, 1e-9);
	arena_free(&memory);
}

/* ---- small ---- */

/* No row, no feature that says anything, nothing that could be bought: a model all the same, and it is read. */
static void
test_small(void)
{
	uint32_t	one[2] = {1, 2};

	for (int i = 0; i < 3; i++)
	{
		settings	s = {.layout = {.ncols = i == 1 ? 2 : 6, .levels = i == 1 ? one : wide}, .target = i == 1 ? 1 : 4,
			.options = {.depth = 16, .trees = 5, .declared = i != 0}};
		pegs_accountant accountant;
		pegs_trees	model;
		pegs_trees	read;
		size_t		size;
		uint8_t    *bytes;

		start((uint8_t) (30 + i));
		pegs_accountant_init(&accountant, i == 2 ? 1 : PEGS_EPSILON_UNIT, 0, 1);
		if (i == 2)
			accountant.spent = accountant.total - 3;
		fit_forest(&accountant, pegs_kept_new(&env, s.layout.ncols, s.layout.levels), &s, &model);
		bytes = trees_written(&model, &size);
		CHECK_INT(trees_read(bytes, size, s.layout.ncols, s.layout.levels, &read), PEGS_OK);
		CHECK_INT(model.first[5], i == 2 ? 5 * 63 : 5);
		CHECK(model.rows >= 1 && abs(model.node[0].points) < 4096);
		CHECK(i != 2 || (model.node[0].points == 0 && model.node[62].points == 0));
		arena_free(&memory);
	}
	CHECK(pegs_forest_fits(&(pegs_forest_options) {.trees = 30, .depth = 6}));
	CHECK(pegs_forest_fits(&(pegs_forest_options) {.trees = 8, .depth = 16}));
	CHECK(!pegs_forest_fits(&(pegs_forest_options) {.trees = 9, .depth = 16}));
}

/* Between two blocks of rows it can be left; what it took it gives back, but for the model. */
static void
test_asks(void)
{
	settings	s = {.layout = {.ncols = 6, .levels = wide}, .target = 4, .options = {.depth = 3, .trees = 7}};
	pegs_kept  *rows = some_rows(2000, 1);
	pegs_accountant accountant;
	pegs_trees	model;
	size_t		checks = memory.checks;

	start(40);
	env = arena_env_freeing(&memory);
	pegs_accountant_init(&accountant, 20 * PEGS_EPSILON_UNIT, 0, 1);
	fit_forest(&accountant, rows, &s, &model);
	CHECK(memory.checks - checks >= 2000 * (5 + 7));
	CHECK(memory.given_back > 10);
	env = arena_env(&memory);
	arena_free(&memory);
}

/* A person's rows: every look is at each row as often as it counts. */
static void
test_persons(void)
{
	settings	s = {.layout = {.ncols = 2, .levels = (uint32_t[]) {2, 2}}, .target = 1, .options = {.depth = 1, .trees = 2}};
	pegs_kept  *rows = pegs_kept_new(&env, 2, s.layout.levels);
	pegs_witness witness = {0};
	pegs_accountant accountant;
	pegs_trees	model;

	keep_row(rows, 2, (uint16_t[]) {0, 0}, 300, 3);
	keep_row(rows, 2, (uint16_t[]) {1, 1}, 700, 3);
	start(6);
	pegs_accountant_init(&accountant, 300 * PEGS_EPSILON_UNIT, 0, 3);
	accountant.rows_each = 3;
	accountant.witness = &witness;
	pegs_witness_begin(&witness, &env);
	fit_forest(&accountant, rows, &s, &model);
	if (CHECK(witness.nsteps == 3))
		for (size_t i = 0; i < 3; i++)
		{
			int64_t		sum = 0;

			for (size_t c = 0; c < witness.step[i].n; c++)
				sum += witness.step[i].shown[c];
			CHECK_INT(sum, 3000);
		}
	CHECK_NEAR(model.rows, 1000, 0.01);
	arena_free(&memory);
}

int
main(void)
{
	test_claim();
	test_structure();
	test_leaves();
	test_small();
	test_asks();
	test_persons();
	return unit_done("forest_test");
}
