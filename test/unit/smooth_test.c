/*
 * smooth_test.c
 *	  Are smooth rows as close to what the tree expects as they can be, and is a
 *	  model of an older version drawn as ever?
 */
#include "core/graph/smooth.h"

#include <string.h>

#include "core/graph/draw.h"

#define STREAM_SALT [6] = 8
#include "batch.h"
#include "unit.h"

static const pegs_zeros no_zeros;

/* Total variation between the rows and what the tree expects, over all pairs at levels: measured ones or the others. */
static double
off(const pegs_fitted *f, uint16_t **codes, uint32_t n)
{
	uint32_t	m = f->ncols;
	double	  **pair = env.alloc(env.context, sizeof(double *) * m * m);
	double		sum = 0;

	pegs_jtree_pairs(&env, &f->tree, pair);
	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = a + 1; b < m; b++)
		{
			uint32_t	kb = f->levels[b];
			double	   *have = env.alloc(env.context, sizeof(double) * f->levels[a] * kb);
			double	   *of_class[2];

			for (int x = 0; x < 2; x++)
			{
				uint32_t	c = x == 0 ? a : b;

				of_class[x] = env.alloc(env.context, sizeof(double) * f->levels[c]);
				for (uint32_t l = 0; l < f->levels[c]; l++)
					of_class[x][f->class_of[c][l]] += f->share[c][l];
			}
			for (uint32_t r = 0; r < n; r++)
				have[(size_t) codes[a][r] * kb + codes[b][r]] += 1.0 / n;
			for (uint32_t i = 0; i < f->levels[a]; i++)
				for (uint32_t j = 0; j < kb; j++)
				{
					double		in = of_class[0][f->class_of[a][i]] * of_class[1][f->class_of[b][j]];
					double		want = in > 0 ? pair[a * m + b][f->class_of[a][i] * f->tree.classes[b] + f->class_of[b][j]]
						* f->share[a][i] * f->share[b][j] / in : 0;

					sum += fabs(have[(size_t) i * kb + j] - want) / 2;
				}
		}
	return sum / (m * (m - 1) / 2);
}

/* Few rows and many, beside those of an older model: nearer to the tree, and the same for the same key. */
static void
test_smooth(void)
{
	static const uint32_t levels[6] = {4, 12, 2, 9, 24, 1};
	static const uint32_t sizes[] = {1, 500, 2000, 20000};
	pegs_fitted f = fitted(6, levels, 20 * PEGS_CHUNK, PEGS_EPSILON_UNIT, INT64_C(1000000000));
	pegs_draw	draw;

	CHECK(f.smooth);
	CHECK(pegs_draw_init(&env, &f, NULL, &draw) == PEGS_OK);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
	{
		uint32_t	n = sizes[s];
		uint16_t  **codes[3] = {room(&f, n), room(&f, n), room(&f, n)};

		for (int way = 0; way < 3; way++)
		{
			f.smooth = way > 0;
			start((uint8_t) (50 + s));
			pegs_draw_batch(&env, &draw, &rng, n, codes[way]);
			pegs_adjust_batch(&env, &f, &no_zeros, &rng, n, codes[way]);
			CHECK(in_range(&f, codes[way], n));
		}
		for (uint32_t i = 0; i < f.ncols; i++)
			CHECK(memcmp(codes[1][i], codes[2][i], sizeof(uint16_t) * n) == 0);
		if (n > 1 && !CHECK(off(&f, codes[1], n) < 0.8 * off(&f, codes[0], n)))
			printf("  %u rows: %g, before %g\n", n, off(&f, codes[1], n), off(&f, codes[0], n));
	}
	arena_free(&memory);
}

/* A model of two columns whose tree, of one class each, says that they are independent; their levels' shares are equal, or rise. */
static pegs_fitted
independent(uint32_t levels, bool rise)
{
	pegs_fitted f = {.ncols = 2, .rows = 1000, .smooth = true};
	uint32_t	classes[2] = {1, 1};
	double	   *one[2];
	pegs_graph	graph;

	f.levels = env.alloc(env.context, sizeof(uint32_t) * 2);
	f.share = env.alloc(env.context, sizeof(double *) * 2);
	f.class_of = env.alloc(env.context, sizeof(uint16_t *) * 2);
	f.pair = env.alloc(env.context, sizeof(pegs_pair));
	for (int i = 0; i < 2; i++)
	{
		f.levels[i] = levels;
		f.share[i] = env.alloc(env.context, sizeof(double) * levels);
		f.class_of[i] = env.alloc(env.context, sizeof(uint16_t) * levels);
		for (uint32_t l = 0; l < levels; l++)
			f.share[i][l] = rise ? (l + 1) / (levels * (levels + 1) / 2.0) : 1.0 / levels;
		one[i] = env.alloc(env.context, sizeof(double));
		one[i][0] = 1;
	}
	pegs_graph_init(&env, &graph, 2);
	pegs_jtree_build(&env, &f.tree, &graph, classes, one);
	return f;
}

/* Nothing is measured of a pair: each cell gets what is due to within a few rows, whatever there was. A zero gets none. */
static void
test_cells(void)
{
	bool		level[4] = {false, true};
	pegs_zero	zero = {.n = 2, .column = {0, 1}, .level = {level, level}};
	pegs_zeros	zeros = {1, &zero};

	for (int with = 0; with < 2; with++)
	{
		pegs_fitted f = independent(4, true);
		uint16_t  **codes = room(&f, 1600);
		int			count[4][4] = {{0}};
		pegs_draw	draw;

		start(7);
		CHECK(pegs_draw_init(&env, &f, NULL, &draw) == PEGS_OK);
		pegs_draw_batch(&env, &draw, &rng, 1600, codes);
		for (uint32_t r = 0; with && r < 1600; r++)
			if (codes[0][r] == 1 && codes[1][r] == 1)
				codes[0][r] = 0;
		pegs_smooth_batch(&env, &f, NULL, with ? &zeros : &no_zeros, &rng, 1600, codes);
		for (uint32_t r = 0; r < 1600; r++)
			count[codes[0][r]][codes[1][r]]++;
		CHECK(!with || count[1][1] == 0);
		for (int i = 0; i < 4; i++)
			for (int j = 0; j < 4 && !with; j++)
				if (!CHECK(abs(count[i][j] - 16 * (i + 1) * (j + 1)) <= 3))
					printf("  %d, %d: %d\n", i, j, count[i][j]);
		arena_free(&memory);
	}
}

/* Measured, outside the tree: equal columns, though the tree would have them independent. */
static void
test_outside(void)
{
	pegs_fitted f = independent(2, false);
	double		equal[4] = {0.5, 0, 0, 0.5};
	uint16_t	same[2] = {0, 1};
	uint16_t  **codes = room(&f, 1000);
	uint32_t	apart = 0;

	f.npairs = 1;
	f.pair[0] = (pegs_pair) {.column = {0, 1}, .outside = true, .k = {2, 2}, .class_of = {same, same}, .variance = 1, .share = equal};
	start(8);
	for (uint32_t r = 0; r < 1000; r++)
		for (int i = 0; i < 2; i++)
			codes[i][r] = (uint16_t) pegs_rng_below(&rng, 2);
	pegs_smooth_batch(&env, &f, NULL, &no_zeros, &rng, 1000, codes);
	for (uint32_t r = 0; r < 1000; r++)
		apart += codes[0][r] != codes[1][r];
	CHECK(apart <= 20);
	arena_free(&memory);
}

/* 9 million cells are too many: in places of the tree, which here is one, memory is a few bytes a row. */
static void
test_wide(void)
{
	pegs_fitted f = independent(3000, false);
	uint16_t  **codes = room(&f, 20000);
	size_t		before;
	uint32_t	worst = 0;
	uint32_t	count[3000] = {0};

	start(9);
	for (uint32_t r = 0; r < 20000; r++)
		for (int i = 0; i < 2; i++)
			codes[i][r] = (uint16_t) pegs_rng_below(&rng, 3000);
	before = memory.bytes;
	pegs_smooth_batch(&env, &f, NULL, &no_zeros, &rng, 20000, codes);
	CHECK(memory.bytes - before < 64 * (size_t) (1 << 21));
	CHECK(in_range(&f, codes, 20000));
	/* the 1-ways are followed all the same */
	for (uint32_t r = 0; r < 20000; r++)
		count[codes[1][r]]++;
	for (uint32_t l = 0; l < 3000; l++)
		if (count[l] > worst)
			worst = count[l];
	CHECK(worst <= 9);
	arena_free(&memory);
}

/* What the work of a batch is: the numbers of lines and levels between two questions whether to stop are bounded, so it is how often that is asked. */
static uint64_t looks;

static void
count_look(void *context)
{
	(void) context;
	looks++;
}

/* A row does not look at each of 65,534 levels, one after the other: a batch asks not three times as often as one of 8,000. */
static void
test_wide_work(void)
{
	uint64_t	of[2];
	pegs_env	counting = env;

	counting.check = count_look;
	for (int wide = 0; wide < 2; wide++)
	{
		uint32_t	k = wide ? 65534 : 8000;
		pegs_fitted f = independent(k, false);
		uint16_t  **codes = room(&f, 2000);

		f.levels[1] = 2;
		for (uint32_t l = 0; l < 2; l++)
			f.share[1][l] = 0.5;
		start(12);
		for (uint32_t r = 0; r < 2000; r++)
		{
			codes[0][r] = (uint16_t) pegs_rng_below(&rng, k);
			codes[1][r] = (uint16_t) pegs_rng_below(&rng, 2);
		}
		looks = 0;
		pegs_smooth_batch(&counting, &f, NULL, &no_zeros, &rng, 2000, codes);
		of[wide] = looks;
		arena_free(&memory);
	}
	CHECK(of[1] <= 3 * of[0]);
}

/* What a session keeps changes no row: found by the first batch, used by the second, and in memory of its own. */
static void
test_kept(void)
{
	static const uint32_t levels[6] = {4, 12, 2, 9, 24, 1};
	pegs_fitted f = fitted(6, levels, 20 * PEGS_CHUNK, PEGS_EPSILON_UNIT, INT64_C(1000000000));
	arena		lasting = {0};
	pegs_expected_pairs kept = {.env = arena_env(&lasting)};
	uint16_t  **codes[3] = {room(&f, 2000), room(&f, 2000), room(&f, 2000)};
	pegs_draw	draw;

	CHECK(pegs_draw_init(&env, &f, NULL, &draw) == PEGS_OK);
	for (int way = 0; way < 3; way++)
	{
		start(60);
		pegs_draw_batch(&env, &draw, &rng, 2000, codes[way]);
		pegs_smooth_batch(&env, &f, way > 0 ? &kept : NULL, &no_zeros, &rng, 2000, codes[way]);
		CHECK_INT(lasting.blocks, way > 0);
		for (uint32_t i = 0; i < f.ncols; i++)
			CHECK(memcmp(codes[0][i], codes[way][i], sizeof(uint16_t) * 2000) == 0);
	}
	/* it is used: another one leads to other rows */
	if (CHECK(kept.share != NULL))
		memset(lasting.block[0], 0, lasting.bytes);
	start(60);
	pegs_draw_batch(&env, &draw, &rng, 2000, codes[1]);
	pegs_smooth_batch(&env, &f, &kept, &no_zeros, &rng, 2000, codes[1]);
	CHECK(memcmp(codes[0][4], codes[1][4], sizeof(uint16_t) * 2000) != 0);
	arena_free(&lasting);
	arena_free(&memory);
}

/* Each pair of `ncols` columns of so many levels is measured, on k classes; the tree knows none. Memory of a batch, at most. */
static size_t
most_memory(uint32_t ncols, uint32_t levels, uint32_t k, uint32_t n)
{
	arena		own = {0};
	pegs_env	freeing = arena_env_freeing(&own);
	pegs_fitted f = {.ncols = ncols, .rows = 1000, .smooth = true};
	uint32_t   *classes = env.alloc(env.context, sizeof(uint32_t) * ncols);
	double	  **one = env.alloc(env.context, sizeof(double *) * ncols);
	double	   *share = env.alloc(env.context, sizeof(double) * k * k);
	double	   *even = env.alloc(env.context, sizeof(double) * levels);
	uint16_t   *measured = env.alloc(env.context, sizeof(uint16_t) * levels);
	uint16_t   *none = env.alloc(env.context, sizeof(uint16_t) * levels);
	uint16_t  **codes;
	pegs_graph	graph;
	size_t		most;

	f.levels = env.alloc(env.context, sizeof(uint32_t) * ncols);
	f.share = env.alloc(env.context, sizeof(double *) * ncols);
	f.class_of = env.alloc(env.context, sizeof(uint16_t *) * ncols);
	f.pair = env.alloc(env.context, sizeof(pegs_pair) * ncols * ncols);
	for (uint32_t l = 0; l < levels; l++)
	{
		measured[l] = (uint16_t) (l * k / levels);
		even[l] = 1.0 / levels;
	}
	for (uint32_t c = 0; c < k * k; c++)
		share[c] = 1.0 / (k * k);
	for (uint32_t i = 0; i < ncols; i++)
	{
		f.levels[i] = levels;
		f.share[i] = even;
		f.class_of[i] = none;
		classes[i] = 1;
		one[i] = env.alloc(env.context, sizeof(double));
		one[i][0] = 1;
		for (uint32_t j = 0; j < i; j++)
			f.pair[f.npairs++] = (pegs_pair) {.column = {j, i}, .outside = true, .k = {k, k}, .class_of = {measured, measured}, .variance = 1, .share = share};
	}
	pegs_graph_init(&env, &graph, ncols);
	pegs_jtree_build(&env, &f.tree, &graph, classes, one);
	codes = room(&f, n);
	for (uint32_t i = 0; i < ncols; i++)
		for (uint32_t r = 0; r < n; r++)
			codes[i][r] = (uint16_t) pegs_rng_below(&rng, levels);
	start(12);
	pegs_smooth_batch(&freeing, &f, NULL, &no_zeros, &rng, n, codes);
	CHECK(in_range(&f, codes, n));
	most = own.most;
	arena_free(&own);
	arena_free(&memory);
	return most;
}

/* As many cells as are smoothed, all measured; more than that; and rows too few to be smoothed, with the lines of the tables alone. */
static void
test_memory(void)
{
	CHECK(most_memory(10, 152, 152, 40) < 26 << 20);
	CHECK(most_memory(10, 212, 212, 80) < 26 << 20);
	CHECK(most_memory(10, 400, 400, 40) < 64 << 20);
	CHECK(most_memory(190, 40, 2, 1) < 14 << 20);
}

/*
 * Rows of a model of 0.2.0: their checksum is that of the rows which 0.2.0 made. A tree with a pair on its classes, and a pair
 * outside, on levels and classes; all shares are multiples of 1/64.
 */
static void
test_old(void)
{
	static const uint32_t levels[3] = {8, 4, 4};
	static const uint16_t class_of[3][8] = {{0, 0, 0, 1, 1, 1, 2, 2}, {0, 1, 1, 2}, {0, 1, 2, 3}};
	static const uint8_t joint[9] = {20, 4, 0, 2, 10, 4, 1, 3, 20};
	static const uint8_t other[8] = {3, 9, 1, 3, 15, 5, 12, 16};
	static const uint16_t halves[4] = {0, 0, 1, 1};
	pegs_fitted f = {.ncols = 3, .levels = (uint32_t *) levels, .rows = 500, .npairs = 1};
	uint32_t	classes[3] = {3, 3, 4};
	uint16_t   *of[3];
	double	   *share[3];
	double	   *one[3];
	double		p[8];
	double		joint_share[9];
	pegs_target target = {.n = 2, .column = {0, 1}, .k = {3, 3}, .share = joint_share};
	pegs_pair	pair = {.column = {1, 2}, .outside = true, .k = {4, 2}, .class_of = {(uint16_t *) class_of[2], (uint16_t *) halves}, .variance = 6, .share = p};
	pegs_graph	graph;
	pegs_draw	draw;
	uint16_t  **codes;
	uint32_t	crc = 0;

	for (int i = 0; i < 9; i++)
		joint_share[i] = joint[i] / 64.0;
	for (int i = 0; i < 8; i++)
		p[i] = other[i] / 64.0;
	for (int i = 0; i < 3; i++)
	{
		of[i] = (uint16_t *) class_of[i];
		share[i] = env.alloc(env.context, sizeof(double) * levels[i]);
		one[i] = env.alloc(env.context, sizeof(double) * classes[i]);
		for (uint32_t l = 0; l < levels[i]; l++)
		{
			share[i][l] = 1.0 / levels[i];
			one[i][class_of[i][l]] += share[i][l];
		}
	}
	f.share = share;
	f.class_of = of;
	f.pair = &pair;
	pegs_graph_init(&env, &graph, 3);
	pegs_graph_join(&graph, 0, 1);
	pegs_jtree_build(&env, &f.tree, &graph, classes, one);
	pegs_jtree_fit(&env, &f.tree, &target, 1, 1);
	CHECK(pegs_draw_init(&env, &f, NULL, &draw) == PEGS_OK);
	codes = room(&f, 3000);
	start(11);
	pegs_draw_batch(&env, &draw, &rng, 3000, codes);
	pegs_adjust_batch(&env, &f, &no_zeros, &rng, 3000, codes);
	for (int i = 0; i < 3; i++)
		for (uint32_t r = 0; r < 3000; r++)
			crc = crc * 31 + codes[i][r];
	CHECK_INT(crc, 663537343);
	arena_free(&memory);
}

int
main(void)
{
	start(1);
	test_smooth();
	test_cells();
	test_outside();
	test_wide();
	test_wide_work();
	test_kept();
	test_memory();
	test_old();
	return unit_done("smooth_test");
}
