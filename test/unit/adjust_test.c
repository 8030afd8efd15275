/*
 * adjust_test.c
 *	  Does the adjustment of a batch, as 0.2.0 did it, only ever come closer to
 *	  what was measured? How rows are smoothed: smooth_test.c.
 */
#include "core/graph/draw.h"

#define STREAM_SALT [6] = 6
#include "batch.h"
#include "unit.h"

static const pegs_zeros no_rules;

/* The objective that the adjustment lowers. */
static double
objective(const pegs_fitted *f, uint16_t **codes, uint32_t n, bool outside_only)
{
	double		sum = 0;

	for (uint32_t i = 0; !outside_only && i < f->ncols; i++)
	{
		double	   *excess = env.alloc(env.context, sizeof(double) * f->levels[i]);

		for (uint32_t r = 0; r < n; r++)
			excess[codes[i][r]] += 1;
		for (uint32_t l = 0; l < f->levels[i]; l++)
			sum += pow(excess[l] - n * f->share[i][l], 2);
	}
	for (uint32_t p = 0; p < f->npairs; p++)
	{
		const pegs_pair *pair = &f->pair[p];
		size_t		cells = (size_t) pair->k[0] * pair->k[1];
		double	   *excess = env.alloc(env.context, sizeof(double) * cells);

		if (outside_only && !pair->outside)
			continue;
		for (uint32_t r = 0; r < n; r++)
			excess[(size_t) pair->class_of[0][codes[pair->column[0]][r]] * pair->k[1]
				   + pair->class_of[1][codes[pair->column[1]][r]]] += 1;
		for (size_t c = 0; c < cells; c++)
			sum += pow(excess[c] - n * pair->share[c], 2) / (1 + 0.02 * pair->variance);
	}
	return sum;
}

/* Batches of a fitted model, small and large. */
static void
test_closer(void)
{
	static const uint32_t levels[6] = {4, 12, 2, 9, 24, 1};
	static const uint32_t sizes[] = {1, 2, 500, 20000};
	pegs_fitted f = fitted(6, levels, 20 * PEGS_CHUNK, 20 * PEGS_EPSILON_UNIT, INT64_C(1000000000));
	pegs_draw	draw;

	f.smooth = false;
	CHECK(pegs_draw_init(&env, &f, NULL, &draw) == PEGS_OK);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
	{
		uint32_t	n = sizes[s];
		uint16_t  **codes = room(&f, n);
		double		before;
		double		after;

		start((uint8_t) (50 + s));
		pegs_draw_batch(&env, &draw, &rng, n, codes);
		before = objective(&f, codes, n, false);
		pegs_adjust_batch(&env, &f, &no_rules, &rng, n, codes);
		after = objective(&f, codes, n, false);
		CHECK(in_range(&f, codes, n));
		CHECK(after <= before * (1 + 1e-9));
		if (n == 20000)
			CHECK(after < before);
	}
	arena_free(&memory);
}

/* A pair that the tree does not know: two columns, independent in the tree, equal in the measured table. */
static void
test_outside(void)
{
	uint32_t	levels[2] = {2, 2};
	double		half[2] = {0.5, 0.5};
	double		equal[4] = {0.5, 0, 0, 0.5};
	uint16_t	same[2] = {0, 1};
	uint16_t	merged[2] = {0, 0};
	double	   *share[2] = {half, half};
	uint16_t   *class_of[2] = {merged, merged};
	uint32_t	classes[2] = {1, 1};
	double		whole[1] = {1};
	double	   *one[2] = {whole, whole};
	pegs_pair	pair = {.column = {0, 1}, .outside = true, .k = {2, 2}, .class_of = {same, same}, .variance = 1, .share = equal};
	pegs_fitted f = {.ncols = 2, .levels = levels, .rows = 1000, .share = share, .npairs = 1, .pair = &pair, .class_of = class_of};
	pegs_graph	graph;
	pegs_draw	draw;
	uint16_t  **codes;
	bool		forbidden_level[2] = {false, true};
	pegs_zero	zero = {.n = 2, .column = {0, 1}, .level = {forbidden_level, forbidden_level}};
	pegs_zeros	zeros = {1, &zero};
	double		before;

	pegs_graph_init(&env, &graph, 2);
	pegs_jtree_build(&env, &f.tree, &graph, classes, one);
	CHECK(pegs_draw_init(&env, &f, NULL, &draw) == PEGS_OK);
	codes = room(&f, 1000);
	pegs_draw_batch(&env, &draw, &rng, 1000, codes);
	before = objective(&f, codes, 1000, true);
	pegs_adjust_batch(&env, &f, &no_rules, &rng, 1000, codes);
	CHECK(objective(&f, codes, 1000, true) < before / 10);

	/* what is forbidden is not made, however much the table wants it */
	for (uint32_t r = 0; r < 1000; r++)
	{
		codes[0][r] = r % 2;
		codes[1][r] = 0;
	}
	pegs_adjust_batch(&env, &f, &zeros, &rng, 1000, codes);
	for (uint32_t r = 0; r < 1000; r++)
		CHECK(!(codes[0][r] == 1 && codes[1][r] == 1));

	/* nothing measured, nothing to adjust to */
	f.npairs = 0;
	codes[0][0] = 1;
	codes[1][0] = 0;
	pegs_adjust_batch(&env, &f, &no_rules, &rng, 1000, codes);
	CHECK(codes[0][0] == 1 && codes[1][0] == 0);
	arena_free(&memory);
}

/* Somebody may want to stop, however many zeros each of many levels is in. */
static void
test_stop(void)
{
	static double alike[1000];
	static uint16_t one_class[1000];
	static bool nothing[1000];
	static bool second_half[1000];
	static pegs_zero zero[500];
	uint32_t	levels[2] = {1000, 2};
	double		half[2] = {0.5, 0.5};
	uint16_t	same[2] = {0, 1};
	double	   *share[2] = {alike, half};
	pegs_pair	pair = {.column = {0, 1}, .outside = true, .k = {1, 2}, .class_of = {one_class, same}, .variance = 1, .share = half};
	pegs_fitted f = {.ncols = 2, .levels = levels, .rows = 1000, .share = share, .npairs = 1, .pair = &pair};
	pegs_zeros	zeros = {500, zero};
	uint16_t  **codes = room(&f, 1000);
	size_t		before;

	for (int l = 0; l < 1000; l++)
		alike[l] = 0.001;
	for (int l = 500; l < 1000; l++)
		second_half[l] = true;
	for (int z = 0; z < 500; z++)
		zero[z] = (pegs_zero) {.n = 1, .column = {0}, .level = {z == 499 ? second_half : nothing}};
	for (uint32_t r = 0; r < 1000; r++)
	{
		codes[0][r] = r % 10;
		codes[1][r] = r % 2;
	}
	before = memory.checks;
	pegs_adjust_batch(&env, &f, &zeros, &rng, 1000, codes);
	CHECK(memory.checks - before > 900);
	for (uint32_t r = 0; r < 1000; r++)
		CHECK(codes[0][r] < 500);
	arena_free(&memory);
}

int
main(void)
{
	start(2);
	test_closer();
	start(3);
	test_outside();
	start(4);
	test_stop();
	return unit_done("adjust_test");
}
