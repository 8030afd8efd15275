/*
 * draw_batch_test.c
 *	  Do apportioned batches follow the tree to within a row or so?
 */
#include "core/graph/draw.h"

#include <string.h>

#define STREAM_SALT [6] = 6
#include "batch.h"
#include "unit.h"

/* The worst |count - n p| over the classes of a column in the tree. */
static void
class_errors(const pegs_fitted *f, uint16_t **codes, uint32_t n, uint32_t column, double *worst)
{
	uint32_t	k = f->tree.classes[column];
	int32_t		home = pegs_jtree_home(&f->tree, 1, &column);
	const pegs_clique *c = &f->tree.clique[home];
	uint32_t   *index = pegs_jtree_index(&env, &f->tree, c, 1, &column);
	double	   *excess = env.alloc(env.context, sizeof(double) * k);

	for (uint32_t r = 0; r < n; r++)
		excess[f->class_of[column][codes[column][r]]] += 1;
	for (size_t i = 0; i < c->cells; i++)
		excess[index[i]] -= n * c->mu[i];
	for (uint32_t i = 0; i < k; i++)
		*worst = fmax(*worst, fabs(excess[i]));
}

static void
test_one_column(void)
{
	static const uint32_t levels[1] = {7};
	static const uint32_t sizes[] = {1, 2, 3, 10, 1000, 131072};
	pegs_fitted f = fitted(1, levels, 4096, 5 * PEGS_EPSILON_UNIT, 0);
	pegs_draw	draw;

	CHECK(pegs_draw_init(&env, &f, NULL, &draw) == PEGS_OK);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
	{
		uint32_t	n = sizes[s];
		uint16_t  **codes = room(&f, n);
		double		count[7] = {0};

		pegs_draw_batch(&env, &draw, &rng, n, codes);
		CHECK(in_range(&f, codes, n));
		for (uint32_t r = 0; r < n; r++)
			count[codes[0][r]] += 1;
		/* systematic rounding: the floor or the ceiling of what is due */
		for (int l = 0; l < 7; l++)
			CHECK(fabs(count[l] - n * f.share[0][l]) < 1 + 1e-6);
	}
	arena_free(&memory);
}

static void
test_batches(void)
{
	static const uint32_t levels[6] = {4, 12, 2, 9, 24, 1};
	static const uint32_t sizes[] = {1, 2, 500, 20000};
	pegs_fitted f = fitted(6, levels, 20 * PEGS_CHUNK, 20 * PEGS_EPSILON_UNIT, INT64_C(1000000000));
	pegs_draw	draw;

	CHECK(f.npairs >= 3);
	CHECK(pegs_draw_init(&env, &f, NULL, &draw) == PEGS_OK);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
	{
		uint32_t	n = sizes[s];
		uint16_t  **codes = room(&f, n);
		uint16_t  **again = room(&f, n);
		double		worst = 0;

		start((uint8_t) (50 + s));
		pegs_draw_batch(&env, &draw, &rng, n, codes);
		start((uint8_t) (50 + s));
		pegs_draw_batch(&env, &draw, &rng, n, again);
		CHECK(in_range(&f, codes, n));
		for (uint32_t i = 0; i < f.ncols; i++)
		{
			CHECK(memcmp(codes[i], again[i], sizeof(uint16_t) * n) == 0);
			class_errors(&f, codes, n, i, &worst);
		}
		/* independent rows would be off by several times sqrt(n) */
		if (n >= 500)
			CHECK(worst < (n == 500 ? 0.8 : 0.5) * sqrt(n));
	}
	arena_free(&memory);
}

int
main(void)
{
	start(1);
	test_one_column();
	start(2);
	test_batches();
	return unit_done("draw_batch_test");
}
