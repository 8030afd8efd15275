/*
 * later_test.c
 *	  Pairs that are counted when they are looked at are what they would have
 *	  been, and so is a fit: to the bit, whatever the rows weigh.
 */
#include "core/later.h"

#include <string.h>

#include "core/graph/engine.h"

#define STREAM_SALT [4] = 17
#include "fixture.h"
#include "unit.h"

#define MOST 12

typedef struct both
{
	pegs_layout whole;
	uint64_t   *cells;
	pegs_layout later;
	uint64_t   *ones;
	pegs_kept  *kept;
} both;

/* The same rows, in chunks that are not full, counted at once and kept. */
static both
count(uint32_t ncols, const uint32_t *levels, uint32_t rows, bool weighed, bool triples)
{
	both		b;
	uint16_t   *codes[MOST];
	uint32_t	times[PEGS_CHUNK];

	CHECK(pegs_layout_pairs(&env, ncols, levels, &b.whole, NULL) == PEGS_OK);
	CHECK(pegs_layout_later(&env, ncols, levels, &b.later) == PEGS_OK);
	CHECK(b.later.pair_offset == NULL);
	b.later.kept = b.kept = pegs_kept_new(&env, ncols, levels);
	if (triples)
	{
		pegs_layout_add_triples(&env, &b.whole);
		pegs_layout_add_triples(&env, &b.later);
	}
	b.cells = env.alloc(env.context, sizeof(uint64_t) * b.whole.ncells);
	b.ones = env.alloc(env.context, sizeof(uint64_t) * b.later.ncells);
	for (uint32_t i = 0; i < ncols; i++)
		codes[i] = env.alloc(env.context, sizeof(uint16_t) * PEGS_CHUNK);
	for (uint32_t at = 0; at < rows;)
	{
		uint32_t	n = rows - at < 1000 ? rows - at : 1000;

		for (uint32_t r = 0; r < n; r++)
			for (uint32_t i = 0; i < ncols; i++)
			{
				times[r] = 1 + (uint32_t) pegs_rng_below(&rng, 3);
				/* each like the one before it, or anything */
				codes[i][r] = (uint16_t) (i > 0 && pegs_rng_below(&rng, 3) > 0 ? codes[i - 1][r] % levels[i] : pegs_rng_below(&rng, levels[i]));
			}
		pegs_count_weighted(NULL, &b.whole, b.cells, codes, weighed ? times : NULL, n);
		pegs_count_weighted(NULL, &b.later, b.ones, codes, weighed ? times : NULL, n);
		pegs_kept_add(b.kept, codes, weighed ? times : NULL, n);
		at += n;
	}
	return b;
}

/* Pairs of few cells, of more, and of more than are remembered; on their levels and on classes, again and out of order. */
static void
test_counts(void)
{
	static const uint32_t levels[6] = {3, 40, 1, 300, 700, 2};

	for (int weighed = 0; weighed < 2; weighed++)
		for (uint32_t rows = 0; rows < 9000; rows += 4500)
		{
			both		b;
			pegs_later *later;

			start((uint8_t) (1 + weighed));
			b = count(6, levels, rows, weighed, false);
			CHECK(memcmp(b.ones, b.cells, sizeof(uint64_t) * b.later.ncells) == 0);
			later = pegs_later_begin(&env, &b.later);
			for (int i = 0; i < 120; i++)
			{
				uint32_t	y = 1 + (uint32_t) pegs_rng_below(&rng, 5);
				uint32_t	column[2] = {(uint32_t) pegs_rng_below(&rng, y), y};
				uint32_t	wide[2] = {1 + (uint32_t) pegs_rng_below(&rng, 3), 1 + (uint32_t) pegs_rng_below(&rng, 20)};
				uint16_t   *class_of[2];
				uint32_t	k[2];
				int64_t    *found;
				int64_t    *wanted;

				for (int x = 0; x < 2; x++)
				{
					class_of[x] = env.alloc(env.context, sizeof(uint16_t) * levels[column[x]]);
					for (uint32_t l = 0; l < levels[column[x]]; l++)
						class_of[x][l] = (uint16_t) (l / wide[x]);
					k[x] = (levels[column[x]] - 1) / wide[x] + 1;
				}
				found = env.alloc(env.context, sizeof(int64_t) * k[0] * k[1]);
				wanted = env.alloc(env.context, sizeof(int64_t) * k[0] * k[1]);
				for (uint32_t p = 0; p < levels[column[0]]; p++)
					for (uint32_t q = 0; q < levels[column[1]]; q++)
						wanted[(size_t) class_of[0][p] * k[1] + class_of[1][q]]
							+= (int64_t) b.cells[b.whole.pair_offset[column[0] * 6 + column[1]] + (size_t) p * levels[column[1]] + q];
				pegs_later_count(later, column, k, class_of, found);
				CHECK(memcmp(found, wanted, sizeof(int64_t) * k[0] * k[1]) == 0);
			}
			arena_free(&memory);
		}
}

static pegs_fitted
fit(const pegs_layout *layout, const uint64_t *cells, double delta)
{
	pegs_fitted model;
	pegs_accountant accountant;

	start(9);
	pegs_accountant_init(&accountant, 2 * PEGS_EPSILON_UNIT, (int64_t) (delta * (double) PEGS_DELTA_UNIT), 1);
	pegs_engine_fit(&env, &rng, &accountant, layout, cells, &model);
	return model;
}

/* With and without triples, delta, and weights. */
static void
test_fits(void)
{
	static const uint32_t levels[7] = {2, 12, 5, 1, 30, 3, 8};

	for (int kind = 0; kind < 8; kind++)
	{
		both		b;
		pegs_fitted f[2];

		start((uint8_t) (20 + kind));
		b = count(7, levels, 3000, kind & 1, kind & 2);
		f[0] = fit(&b.whole, b.cells, kind & 4 ? 1e-9 : 0);
		f[1] = fit(&b.later, b.ones, kind & 4 ? 1e-9 : 0);
		CHECK(f[0].npairs > 0);
		CHECK_INT(f[1].npairs, f[0].npairs);
		CHECK_INT(f[1].ntriples, f[0].ntriples);
		CHECK(f[1].rows == f[0].rows);
		for (uint32_t i = 0; i < 7; i++)
			CHECK(memcmp(f[1].share[i], f[0].share[i], sizeof(double) * levels[i]) == 0);
		for (uint32_t p = 0; p < f[0].npairs && f[1].npairs == f[0].npairs; p++)
		{
			const pegs_pair *x = &f[0].pair[p];
			const pegs_pair *y = &f[1].pair[p];

			if (!CHECK(x->column[0] == y->column[0] && x->column[1] == y->column[1] && x->k[0] == y->k[0] && x->k[1] == y->k[1] && x->n == y->n))
				break;
			CHECK(memcmp(x->share, y->share, sizeof(double) * x->k[0] * x->k[1]) == 0);
			for (uint32_t i = 0; i < x->n; i++)
				CHECK(memcmp(x->measured[i].noisy, y->measured[i].noisy, sizeof(double) * x->measured[i].k[0] * x->measured[i].k[1]) == 0);
		}
		arena_free(&memory);
	}
}

/* 1,600 columns of 10 levels: 128 million cells, of which 16,000 are there. */
static void
test_size(void)
{
	uint32_t	levels[PEGS_MAX_COLUMNS];
	pegs_layout layout;
	double		cells;

	for (uint32_t i = 0; i < PEGS_MAX_COLUMNS; i++)
		levels[i] = 10;
	CHECK(pegs_layout_pairs(&env, PEGS_MAX_COLUMNS, levels, &layout, &cells) == PEGS_ERR_TOO_LARGE);
	CHECK(cells > 1.27e8);
	CHECK(pegs_layout_later(&env, PEGS_MAX_COLUMNS, levels, &layout) == PEGS_OK);
	CHECK_INT(layout.ncells, 16000);
	levels[0] = 0;
	CHECK(pegs_layout_later(&env, PEGS_MAX_COLUMNS, levels, &layout) == PEGS_ERR_ARGUMENT);
	arena_free(&memory);
}

int
main(void)
{
	test_counts();
	test_fits();
	test_size();
	return unit_done("later_test");
}
