/*
 * trees_test.c
 *	  A score made of trees: what a model by hand gives, and bytes that nobody has written.
 */
#include "core/score/trees.h"

#define STREAM_SALT [1] = 82
#include "core/scorer.h"
#include "grown.h"

static uint32_t levels[3] = {4, 2, 3};

/* Two trees of a feature of three classes and one of three: the first asks twice, the second is a leaf. */
static pegs_trees *
by_hand(void)
{
	static uint16_t first[4] = {0, 1, 1, 2};
	static uint16_t third[3] = {0, 1, 2};
	static uint16_t *class_of[3] = {first, NULL, third};
	static uint16_t positive[1] = {1};
	static uint32_t classes[3] = {3, 0, 3};
	static uint32_t begin[3] = {0, 5, 6};
	static pegs_tree_node node[6] = {
		{.kid = 1, .feature = 0, .yes = 4, .points = 100}, {.kid = 3, .feature = 2, .yes = 5, .points = -300}, {.points = 2048},
		{.points = -2048}, {.points = 1024}, {.points = 512}};
	pegs_trees *model = env.alloc(env.context, sizeof(pegs_trees));

	*model = (pegs_trees) {.ncols = 3, .levels = levels, .rows = 10, .target = 1, .npositive = 1, .positive = positive,
		.classes = classes, .class_of = class_of, .ntrees = 2,
		.first = begin, .node = node};
	pegs_accountant_init(&model->accountant, PEGS_EPSILON_UNIT, 0, 1);
	return model;
}

static void
test_score(void)
{
	const pegs_trees *model = by_hand();
	static const int32_t codes[][3] = {{3, -1, 0}, {0, -1, 0}, {1, 0, 1}, {2, 1, 2}, {-1, -1, 1}, {0, -1, -1}, {4, 0, 0}, {2, 0, 3}};
	static const int points[] = {2048, 1024, -2048, 1024, 100, -300, 100, -300};

	for (int i = 0; i < 8; i++)
	{
		CHECK_NEAR(pegs_trees_logit(model, codes[i]), (points[i] + 512) / 4096.0, 0);
		CHECK_NEAR(pegs_probability_of_points(pegs_trees_points(model, codes[i]), 2), 1 / (1 + exp(-(points[i] + 512) / 4096.0)), 1e-15);
	}
	arena_free(&memory);
}

static void
test_points(void)
{
	CHECK_INT(pegs_points_of(0.5), 0);
	CHECK_INT(pegs_points_of(1 / (1 + exp(-1))), 2048);
	CHECK_INT(pegs_points_of(1 / (1 + exp(1))), -2048);
	CHECK_INT(pegs_points_of(0), -32768);
	CHECK_INT(pegs_points_of(1), 32768);
	CHECK_INT(pegs_points_of(1e-300), -32768);
	CHECK_INT(pegs_points_of(NAN), -32768);
}

static void
test_bytes(void)
{
	pegs_trees *model = by_hand();
	pegs_trees	read;
	size_t		size;
	uint8_t    *bytes = trees_written(model, &size);
	size_t		again;

	CHECK_INT(trees_read(bytes, size, 3, levels, &read), PEGS_OK);
	CHECK(memcmp(bytes, trees_written(&read, &again), size) == 0 && again == size);
	CHECK(read.npositive == 1 && read.positive[0] == 1);
	CHECK_NEAR(pegs_trees_logit(&read, (int32_t[]) {0, -1, 1}), (-2048 + 512) / 4096.0, 0);
	for (size_t i = 0; i < size; i++)
		CHECK(trees_read(bytes, i, 3, levels, &read) == PEGS_ERR_FORMAT);
	arena_free(&memory);
}

/* A list of levels that rises, and is not all of them. */
static void
test_positive(void)
{
	static const bool is[5] = {false, true, false, false, true};
	uint32_t	n;
	uint16_t   *list;

	pegs_list_positive(&env, 5, is, &n, &list);
	CHECK(n == 2 && list[0] == 1 && list[1] == 4);
	for (int lie = 0; lie < 4; lie++)
	{
		uint8_t		bytes[16];
		pegs_cursor c = {.pass = PEGS_WRITE, .out = bytes};
		uint16_t	wrong[4][2] = {{1, 4}, {4, 1}, {1, 1}, {1, 5}};
		uint16_t   *levels_of = wrong[lie];

		pegs_positive_walk(&c, 5, &n, &levels_of);
		c = (pegs_cursor) {.pass = PEGS_READ, .env = &env, .in = bytes, .length = 16};
		pegs_positive_walk(&c, 5, &n, &list);
		CHECK((c.status == PEGS_OK) == (lie == 0));
	}
	arena_free(&memory);
}

/* Of a model by hand with this wrong, nothing is read. */
#define LIE(wrong) \
do { \
	pegs_trees *model = by_hand(); \
	pegs_trees	read; \
	size_t		size; \
	uint8_t    *bytes; \
	pegs_tree_node node[6]; \
	uint32_t	first[3]; \
	uint32_t	classes[3]; \
	uint16_t	of_first[4]; \
	uint16_t   *class_of[3] = {of_first, NULL, model->class_of[2]}; \
\
	memcpy(node, model->node, sizeof(node)); \
	memcpy(first, model->first, sizeof(first)); \
	memcpy(classes, model->classes, sizeof(classes)); \
	memcpy(of_first, model->class_of[0], sizeof(of_first)); \
	model->node = node; \
	model->first = first; \
	model->classes = classes; \
	model->class_of = class_of; \
	wrong; \
	bytes = trees_written(model, &size); \
	unit_check(trees_read(bytes, size, 3, levels, &read) == PEGS_ERR_FORMAT, #wrong, __FILE__, __LINE__); \
	arena_free(&memory); \
} while (0)

static void
test_lies(void)
{
	LIE(node[0].kid = 2);		/* not the next */
	LIE(node[1].kid = 1);		/* a circle */
	LIE(node[2].kid = 5);		/* beyond the tree */
	LIE((node[2] = (pegs_tree_node) {.kid = 5, .yes = 1}));
	LIE((node[5] = (pegs_tree_node) {.kid = 1, .yes = 1}));
	LIE(node[1].kid = 0);		/* with a question */
	LIE((node[1] = (pegs_tree_node) {.points = 0}));	/* kids of nobody */
	LIE(node[0].feature = 1);	/* the target */
	LIE(node[0].feature = 3);
	LIE(node[3].feature = 1);
	LIE(node[0].yes = 0);
	LIE(node[0].yes = 7);
	LIE(node[0].yes = 8);
	LIE(node[3].yes = 1);
	LIE(node[3].points = 32769);
	LIE(node[3].points = -32769);
	LIE(first[0] = 1);
	LIE(first[1] = 0);
	LIE(first[1] = 4);
	LIE(first[1] = 6);
	LIE(first[2] = 5);			/* a tree without a node */
	LIE(model->target = 3);
	LIE(model->target = 0);
	LIE(classes[0] = 2);
	LIE(classes[0] = 33);
	LIE(of_first[3] = 3);
	LIE(model->npositive = 0);
	LIE((model->npositive = 2, model->positive = (uint16_t[]) {0, 1}));
	LIE(model->positive = (uint16_t[]) {2});
	LIE(model->rows = 0);
	LIE(model->ntrees = 0);
	LIE(model->accountant.spent = model->accountant.total + 1);
}

/* A tree of one more level than any fit makes. */
static void
test_depth(void)
{
	for (uint32_t depth = PEGS_TREE_DEPTH; depth <= PEGS_TREE_DEPTH + 1; depth++)
	{
		pegs_trees *model = by_hand();
		pegs_tree_node node[2 * PEGS_TREE_DEPTH + 3];
		uint32_t	first[2] = {0, 2 * depth + 1};
		pegs_trees	read;
		size_t		size;
		uint8_t    *bytes;

		memset(node, 0, sizeof(node));
		for (uint32_t d = 0; d < depth; d++)
			node[d == 0 ? 0 : 2 * d] = (pegs_tree_node) {.kid = 2 * d + 1, .feature = 0, .yes = 1};
		model->node = node;
		model->first = first;
		model->ntrees = 1;
		bytes = trees_written(model, &size);
		CHECK((trees_read(bytes, size, 3, levels, &read) == PEGS_OK) == (depth == PEGS_TREE_DEPTH));
		arena_free(&memory);
	}
}

/* Any byte changed: refused, or a model that can be asked. */
static void
test_hostile(void)
{
	start(1);
	for (int i = 0; i < 20000; i++)
	{
		size_t		size;
		uint8_t    *bytes = trees_written(by_hand(), &size);
		pegs_trees	read;
		size_t		before;

		for (uint64_t k = pegs_rng_below(&rng, 3); k < 3; k++)
			bytes[pegs_rng_below(&rng, size)] ^= (uint8_t) (1 + pegs_rng_below(&rng, 255));
		before = memory.bytes;
		if (trees_read(bytes, size, 3, levels, &read) == PEGS_OK)
			for (int32_t c = -1; c < 4; c++)
				CHECK(fabs(pegs_trees_logit(&read, (int32_t[]) {c, c, c})) <= 16);
		CHECK(memory.bytes - before <= 32 * size);
		arena_free(&memory);
	}
}

int
main(void)
{
	test_score();
	test_points();
	test_bytes();
	test_positive();
	test_lies();
	test_depth();
	test_hostile();
	return unit_done("trees_test");
}
