/*
 * published_test.c
 *	  Trees as they were published: the tree that the thesis prints, of made rows with the same counts; Table 5.1; phi and chi; bytes.
 */
#include "core/score/published.h"

#define STREAM_SALT [1] = 85
#include "grown.h"

#include "core/score/alpha.h"

static const bool positive[2] = {false, true};

/* ---- rows with the counts of Pima's tree ---- */

/* glucose, bmi, the target, and a column that is the same share in every node. */
static uint32_t levels[4] = {7, 6, 2, 2};
static double glucose[7] = {0, 120, 139, 140, 157, 158, 199};
static double bmi[6] = {0, 26, 27, 30, 40, 67.1};
static const double *values[4] = {glucose, bmi, NULL, NULL};

static void
keep_some(pegs_kept *kept, uint16_t g, uint16_t b, uint32_t of_positive, uint32_t of_negative)
{
	keep_row(kept, 4, (uint16_t[]) {g, b, 1, 0}, of_positive / 2, 1);
	keep_row(kept, 4, (uint16_t[]) {g, b, 1, 1}, of_positive - of_positive / 2, 1);
	keep_row(kept, 4, (uint16_t[]) {g, b, 0, 0}, of_negative / 2, 1);
	keep_row(kept, 4, (uint16_t[]) {g, b, 0, 1}, of_negative - of_negative / 2, 1);
}

/* 768 rows: of glucose above 139.3 (.7 of 199) 135 of 197 are positive; above 157.7, 91 of 112; of the others 126 of 413 of bmi above 26.84 and 7 of 158. */
static pegs_kept *
pima(void)
{
	pegs_kept  *kept = pegs_kept_new(&env, 4, levels);

	/* 0, 140 and 199 of glucose, 0 and 67.1 of bmi: the ranges that the cuts are parts of */
	keep_some(kept, 0, 1, 2, 40);
	keep_some(kept, 1, 0, 2, 50);
	keep_some(kept, 2, 1, 3, 61);
	keep_some(kept, 1, 3, 62, 143);
	keep_some(kept, 2, 2, 60, 138);
	keep_some(kept, 0, 5, 4, 6);
	keep_some(kept, 3, 3, 22, 20);
	keep_some(kept, 4, 1, 22, 21);
	keep_some(kept, 5, 3, 46, 10);
	keep_some(kept, 6, 1, 45, 11);
	return kept;
}

static void
fit_rows(const pegs_kept *rows, uint32_t depth, uint32_t alphas, const double *alpha, bool always, pegs_published *model)
{
	pegs_layout layout = {.ncols = 4, .levels = levels};
	pegs_scored scored = {.target = 2, .positive = positive, .rows = rows};

	pegs_published_fit(&env, &layout, &scored, values,
					   &(pegs_published_options) {.depth = depth, .cuts = 10, .least = 10, .alphas = alphas, .alpha = alpha, .always = always}, model);
}

static double
gain_at(const pegs_published *model, uint32_t at)
{
	const pegs_published_node *node = &model->node[at];
	const pegs_published_node *no = &model->node[node->kid];
	const double cell[2][2] = {{(double) (no[0].rows - no[0].positive), (double) no[0].positive},
		{(double) (no[1].rows - no[1].positive), (double) no[1].positive}};

	return pegs_alpha_gain(1, cell, 2);
}

/* As Figures 5.3 to 5.5 have it: cuts, gains, rows; the same at alpha .5 and 2. */
static void
test_printed(void)
{
	static const double alphas[3] = {1, 0.5, 2};

	for (int i = 0; i < 3; i++)
	{
		pegs_published model;
		const pegs_published_node *node;

		fit_rows(pima(), 2, 1, &alphas[i], false, &model);
		node = model.node;
		CHECK_INT(model.first[1], 7);
		CHECK_INT(node[0].feature, 0);
		CHECK(fabs(node[0].cut - 139.30) < 5e-3 && node[0].rows == 768 && node[0].positive == 268);
		CHECK(fabs(gain_at(&model, 0) - 0.0835) < 5e-5);
		CHECK_INT(node[1].feature, 1);
		CHECK(fabs(node[1].cut - 26.84) < 5e-3 && node[1].rows == 571);
		CHECK(fabs(gain_at(&model, 1) - 0.0477) < 5e-5);
		CHECK_INT(node[2].feature, 0);
		CHECK(fabs(node[2].cut - 157.70) < 5e-3 && node[2].rows == 197);
		CHECK(fabs(gain_at(&model, 2) - 0.0497) < 5e-5);
		CHECK(node[3].positive == 7 && node[3].rows == 158 && node[4].positive == 126 && node[4].rows == 413);
		CHECK(node[5].positive == 44 && node[5].rows == 85 && node[6].positive == 91 && node[6].rows == 112);
		arena_free(&memory);
	}
}

/* ---- Table 5.1 ---- */

/* Two columns of two levels that say nearly the same: which of them is asked hangs on one row, so nothing is; Algorithm 4 asks. */
static pegs_kept *
close_call(uint32_t more)
{
	static uint32_t two[3] = {2, 2, 2};
	pegs_kept  *kept = pegs_kept_new(&env, 3, two);

	keep_row(kept, 3, (uint16_t[]) {1, 1, 1}, 30, 1);
	keep_row(kept, 3, (uint16_t[]) {0, 0, 0}, 30, 1);
	keep_row(kept, 3, (uint16_t[]) {1, 0, 1}, 5 + more, 1);
	keep_row(kept, 3, (uint16_t[]) {0, 1, 1}, 5, 1);
	keep_row(kept, 3, (uint16_t[]) {1, 0, 0}, 3, 1);
	keep_row(kept, 3, (uint16_t[]) {0, 1, 0}, 3, 1);
	return kept;
}

static void
test_cases(void)
{
	static const double alpha = 1;
	static const double *none[3] = {NULL, NULL, NULL};
	uint32_t	two[3] = {2, 2, 2};
	pegs_layout layout = {.ncols = 3, .levels = two};
	uint32_t	first = UINT32_MAX;

	for (uint32_t more = 0; more < 16; more++)
		for (int always = 0; always < 2; always++)
		{
			pegs_scored scored = {.target = 2, .positive = positive, .rows = close_call(more)};
			pegs_published model;

			pegs_published_fit(&env, &layout, &scored, none,
							   &(pegs_published_options) {.depth = 1, .cuts = 10, .least = 10, .alphas = 1, .alpha = &alpha, .always = always}, &model);
			if (always)
				CHECK(model.first[1] == 3 && model.node[0].feature == 0);
			else if (model.first[1] == 3)
			{
				CHECK_INT(model.node[0].feature, 0);
				first = more < first ? more : first;
			}
			else
				CHECK(first == UINT32_MAX);
			arena_free(&memory);
		}
	/* neighbours of which one is cut and the other not, worked out apart from the code: the structure is not private */
	CHECK_INT(first, 3);
}

/* The least or largest gain of a column of two over all tables of rows with one more or one less: cell[of the first][of the second][target]. */
static double
extreme(const int cell[2][2][2], int column, bool largest)
{
	double		is = largest ? -INFINITY : INFINITY;

	for (int at = 0; at < 8; at++)
		for (int step = -1; step < 2; step += 2)
		{
			double		table[2][2] = {{0, 0}, {0, 0}};
			double		gain;

			if (step < 0 && cell[at / 4][at / 2 % 2][at % 2] == 0)
				continue;
			for (int k = 0; k < 8; k++)
				table[column == 0 ? k / 4 : k / 2 % 2][k % 2] += cell[k / 4][k / 2 % 2][k % 2] + (k == at ? step : 0);
			gain = pegs_alpha_gain(2, (const double (*)[2]) table, 2);
			is = largest ? fmax(is, gain) : fmin(is, gain);
		}
	return is;
}

/* Is it (5.9)? Of many small tables, by every neighbour there is. */
static void
test_neighbours(void)
{
	static const double alpha = 2;
	static const double *none[3] = {NULL, NULL, NULL};
	uint32_t	two[3] = {2, 2, 2};
	pegs_layout layout = {.ncols = 3, .levels = two};
	int			cut[2] = {0, 0};

	start(3);
	for (int turn = 0; turn < 2000; turn++)
	{
		int			cell[2][2][2];
		pegs_kept  *kept = pegs_kept_new(&env, 3, two);
		pegs_scored scored = {.target = 2, .positive = positive, .rows = kept};
		pegs_published model;
		double		least[2];
		double		most[2];
		int			best;

		for (uint16_t k = 0; k < 8; k++)
		{
			/* one of four is small, with empty cells of a column */
			cell[k / 4][k / 2 % 2][k % 2] = turn % 4 == 0 ? (int) (k / 4 == k % 2) * (2 + (int) pegs_rng_below(&rng, 9)) + (k < 2)
				: 1 + (int) pegs_rng_below(&rng, k / 4 == k % 2 ? 40 : 12);
			keep_row(kept, 3, (uint16_t[]) {k / 4, k / 2 % 2, k % 2}, (uint32_t) cell[k / 4][k / 2 % 2][k % 2], 1);
		}
		pegs_published_fit(&env, &layout, &scored, none, &(pegs_published_options) {.depth = 1, .cuts = 10, .least = 1, .alphas = 1, .alpha = &alpha}, &model);
		for (int c = 0; c < 2; c++)
		{
			least[c] = extreme((const int (*)[2][2]) cell, c, false);
			most[c] = extreme((const int (*)[2][2]) cell, c, true);
		}
		best = least[1] > least[0];
		if (fabs(least[best] - most[!best]) > 1e-12)
		{
			CHECK_INT(model.first[1], least[best] > most[!best] ? 3 : 1);
			CHECK(model.first[1] == 1 || model.node[0].feature == (uint32_t) best);
			cut[model.first[1] == 3]++;
		}
		arena_free(&memory);
	}
	CHECK(cut[0] > 20 && cut[1] > 20);
}

/* ---- what it gives ---- */

static void
test_score(void)
{
	static const double alphas[2] = {1, 2};
	pegs_published model;
	double		delta;

	fit_rows(pima(), 2, 2, alphas, false, &model);
	CHECK_NEAR(pegs_published_score(&model, (int32_t[]) {0, 1, -1, 0}, &delta), 7.0 / 158, 1e-12);
	CHECK_NEAR(delta, 8.0 / 158 - 6.0 / 157, 1e-9);
	CHECK_NEAR(pegs_published_score(&model, (int32_t[]) {6, 0, -1, 1}, &delta), 91.0 / 112, 1e-12);
	CHECK_NEAR(delta, 92.0 / 112 - 90.0 / 111, 1e-9);
	/* not known: it stops */
	CHECK_NEAR(pegs_published_score(&model, (int32_t[]) {-1, 0, -1, 1}, &delta), 268.0 / 768, 1e-12);
	CHECK_NEAR(pegs_published_score(&model, (int32_t[]) {7, 0, -1, 1}, &delta), 268.0 / 768, 1e-12);
	CHECK_NEAR(pegs_published_score(&model, (int32_t[]) {1, -1, -1, 1}, &delta), 133.0 / 571, 1e-12);
	/* two trees that end elsewhere: means of both */
	model.node[model.first[1] + 3].positive = 57;
	CHECK_NEAR(pegs_published_score(&model, (int32_t[]) {0, 1, -1, 0}, &delta), 32.0 / 158, 1e-12);
	CHECK_NEAR(delta, (8.0 / 158 - 6.0 / 157 + 58.0 / 158 - 56.0 / 157) / 2, 1e-9);
	/* no positive row: chi is not below 0; a row alone, or none: everything is possible */
	model.ntrees = 1;
	model.node[3].positive = 0;
	CHECK(pegs_published_score(&model, (int32_t[]) {0, 1, -1, 0}, &delta) == 0);
	CHECK_NEAR(delta, 1.0 / 158, 1e-9);
	model.node[3].rows = 1;
	CHECK(pegs_published_score(&model, (int32_t[]) {0, 1, -1, 0}, &delta) == 0 && delta == 1);
	model.node[3].positive = 1;
	CHECK(pegs_published_score(&model, (int32_t[]) {0, 1, -1, 0}, &delta) == 1 && delta == 1);
	model.node[3].positive = model.node[3].rows = 0;
	CHECK(pegs_published_score(&model, (int32_t[]) {0, 1, -1, 0}, &delta) == 0.5 && delta == 1);
	arena_free(&memory);
}

/* NULL has no number, and is above nothing; numbers need not be declared in order; who counts three times is three rows. */
static void
test_numbers(void)
{
	static const double alpha = 1;
	uint32_t	three[2] = {5, 2};
	static double mixed[5] = {40, NAN, 10, 30, 0};
	static const double *of[2] = {mixed, NULL};
	pegs_layout layout = {.ncols = 2, .levels = three};
	pegs_kept  *kept = pegs_kept_new(&env, 2, three);
	pegs_scored scored = {.target = 1, .positive = positive, .rows = kept};
	pegs_published model;
	double		delta;

	for (uint16_t l = 0; l < 5; l++)
		for (uint16_t y = 0; y < 2; y++)
			keep_row(kept, 2, (uint16_t[]) {l, y}, (l == 0 || l == 3) == (y == 1) ? 10 : 2, 3);
	pegs_published_fit(&env, &layout, &scored, of, &(pegs_published_options) {.depth = 1, .cuts = 4, .least = 10, .alphas = 1, .alpha = &alpha}, &model);
	CHECK_INT(model.first[1], 3);
	CHECK_NEAR(model.node[0].cut, 10, 1e-12);
	CHECK(model.node[1].rows == 108 && model.node[1].positive == 18 && model.node[2].rows == 72 && model.node[2].positive == 60);
	CHECK_NEAR(pegs_published_score(&model, (int32_t[]) {1, -1}, &delta), 18.0 / 108, 1e-12);
	/* too few rows: a leaf; no row at all: a leaf */
	pegs_published_fit(&env, &layout, &scored, of, &(pegs_published_options) {.depth = 1, .cuts = 4, .least = 181, .alphas = 1, .alpha = &alpha}, &model);
	CHECK(model.first[1] == 1 && model.node[0].rows == 180);
	scored.rows = pegs_kept_new(&env, 2, three);
	pegs_published_fit(&env, &layout, &scored, of, &(pegs_published_options) {.depth = 1, .cuts = 4, .least = 1, .alphas = 1, .alpha = &alpha}, &model);
	CHECK(model.first[1] == 1 && model.node[0].rows == 0);
	arena_free(&memory);
}

/* ---- bytes ---- */

static uint8_t *
written(pegs_published *model, size_t *size)
{
	pegs_cursor c = {.pass = PEGS_SIZE};
	uint8_t    *bytes;

	pegs_published_walk(&c, model);
	*size = c.at;
	bytes = env.alloc(env.context, c.at);
	c = (pegs_cursor) {.pass = PEGS_WRITE, .out = bytes};
	pegs_published_walk(&c, model);
	return bytes;
}

static pegs_status
read_back(const uint8_t *bytes, size_t size, pegs_published *model)
{
	pegs_cursor c = {.pass = PEGS_READ, .env = &env, .in = bytes, .length = size};

	*model = (pegs_published) {.ncols = 4, .levels = levels};
	pegs_published_walk(&c, model);
	return c.status == PEGS_OK && c.at != size ? PEGS_ERR_FORMAT : c.status;
}

/* Of the printed tree with this wrong, nothing is read. */
#define LIE(wrong) \
do { \
	pegs_published model; \
	pegs_published read; \
	pegs_published_node *node; \
	size_t		size; \
	uint8_t    *bytes; \
\
	fit_rows(pima(), 2, 1, &alpha, false, &model); \
	node = model.node; \
	(void) node; \
	wrong; \
	bytes = written(&model, &size); \
	unit_check(read_back(bytes, size, &read) == PEGS_ERR_FORMAT, #wrong, __FILE__, __LINE__); \
	arena_free(&memory); \
} while (0)

static void
test_bytes(void)
{
	static const double alpha = 1;
	pegs_published model;
	pegs_published read;
	size_t		size;
	uint8_t    *bytes;
	size_t		again;
	double		delta;

	fit_rows(pima(), 2, 1, &alpha, false, &model);
	bytes = written(&model, &size);
	CHECK_INT(read_back(bytes, size, &read), PEGS_OK);
	CHECK(read.npositive == 1 && read.positive[0] == 1);
	CHECK(memcmp(bytes, written(&read, &again), size) == 0 && again == size);
	for (size_t i = 0; i < size; i++)
		CHECK(read_back(bytes, i, &read) == PEGS_ERR_FORMAT);
	arena_free(&memory);
	LIE(node[0].kid = 3);
	LIE(node[2].kid = 1);
	LIE(node[6].kid = 7);
	LIE(node[2].kid = 0);
	LIE(node[0].feature = 2);
	LIE(node[0].feature = 4);
	LIE(node[0].level = 7);
	LIE(node[0].cut = INFINITY);
	LIE(node[0].cut = NAN);
	LIE(node[3].positive = 159);
	LIE(node[3].rows = 157);
	LIE(node[3].positive = 8);
	LIE((node[3].rows = UINT64_MAX - 412, node[1].rows = 0));
	LIE(node[0].rows = PEGS_MAX_ROWS + 1);
	LIE(model.first[0] = 1);
	LIE(model.first[1] = 0);
	LIE(model.first[1] = 6);
	LIE((model.first = (uint32_t[]) {0, 7, 7}, model.ntrees = 2));
	LIE((model.first = (uint32_t[]) {0, 1}, node[0] = (pegs_published_node) {.positive = 2, .rows = 1}));
	LIE(model.room = 6);
	LIE(model.room = PEGS_TREES_NODES + 1);
	LIE(model.ntrees = 0);
	LIE(model.target = 4);
	LIE(model.target = 0);
	LIE(model.npositive = 0);
	LIE(model.npositive = 2);
	LIE(model.positive[0] = 2);
	LIE(model.value[0][0] = INFINITY);
	start(1);
	for (int i = 0; i < 5000; i++)
	{
		fit_rows(pima(), 2, 1, &alpha, false, &model);
		bytes = written(&model, &size);
		for (uint64_t k = pegs_rng_below(&rng, 3); k < 3; k++)
			bytes[pegs_rng_below(&rng, size)] ^= (uint8_t) (1 + pegs_rng_below(&rng, 255));
		again = memory.bytes;
		if (read_back(bytes, size, &read) == PEGS_OK)
			for (int32_t c = -1; c < 7; c++)
			{
				double		share = pegs_published_score(&read, (int32_t[]) {c, c, c, c}, &delta);

				CHECK(share >= 0 && share <= 1);
			}
		CHECK(memory.bytes - again <= 32 * size);
		arena_free(&memory);
	}
}

/* A tree of one more level than any fit makes. */
static void
test_depth(void)
{
	for (uint32_t depth = PEGS_TREE_DEPTH; depth <= PEGS_TREE_DEPTH + 1; depth++)
	{
		pegs_published_node node[2 * PEGS_TREE_DEPTH + 3];
		uint32_t	first[2] = {0, 2 * depth + 1};
		pegs_published model = {.ncols = 4, .levels = levels, .target = 2, .npositive = 1, .positive = (uint16_t[]) {1}, .ntrees = 1, .room = first[1], .first = first,
			.node = node};
		pegs_published read;
		size_t		size;
		uint8_t    *bytes;

		memset(node, 0, sizeof(node));
		for (uint32_t d = 0; d < depth; d++)
			node[2 * d].kid = 2 * d + 1;
		bytes = written(&model, &size);
		CHECK((read_back(bytes, size, &read) == PEGS_OK) == (depth == PEGS_TREE_DEPTH));
		arena_free(&memory);
	}
}

/* Between two blocks of rows it can be left; what it took it gives back, but for the model. */
static void
test_asks(void)
{
	static const double alphas[2] = {1, 2};
	pegs_published model;
	pegs_kept  *rows = pima();
	size_t		checks = memory.checks;

	env = arena_env_freeing(&memory);
	fit_rows(rows, 2, 2, alphas, false, &model);
	CHECK(memory.checks - checks >= 2 * 2 * 4 * pegs_kept_blocks(rows));
	CHECK(memory.given_back > 20);
	env = arena_env(&memory);
	arena_free(&memory);
}

int
main(void)
{
	test_printed();
	test_cases();
	test_neighbours();
	test_score();
	test_numbers();
	test_bytes();
	test_depth();
	test_asks();
	return unit_done("published_test");
}
