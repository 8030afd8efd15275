/*
 * others_test.c
 *	  Does a regression on all other columns, from rows, say what one by the cells of its parents says?
 */
#include "core/regression/others.h"

#include <string.h>

#include "core/regression/folds.h"
#include "fixture.h"
#include "unit.h"

#define COLUMNS 7
#define ROWS 4000

static uint32_t levels[COLUMNS] = {6, 5, 3, 4, 1, 2, 3};
static uint16_t code[COLUMNS][ROWS];
static uint32_t often[ROWS];

/* Each column leans on those before it; a row counts once, or up to three times. */
static void
make_rows(bool times)
{
	start(3);
	for (uint32_t r = 0; r < ROWS; r++)
	{
		often[r] = times ? 1 + r % 3 : 1;
		for (uint32_t i = 0; i < COLUMNS; i++)
			code[i][r] = (uint16_t) (i > 0 && pegs_rng_below(&rng, 2) == 0 ? (code[i - 1][r] + code[i / 2][r]) % levels[i]
									 : pegs_rng_below(&rng, pegs_rng_below(&rng, levels[i]) + 1));
	}
}

/* The layout of all pairs, its counts, and the rows. */
static void
keep_rows(uint32_t ncols, uint32_t rows, bool times, pegs_layout *layout, uint64_t **cells)
{
	pegs_kept  *kept = pegs_kept_new(&env, ncols, levels);

	CHECK(pegs_layout_pairs(&env, ncols, levels, layout, NULL) == PEGS_OK);
	*cells = env.alloc(env.context, sizeof(uint64_t) * layout->ncells);
	for (uint32_t r = 0; r < rows; r += PEGS_CHUNK)
	{
		uint16_t   *at[COLUMNS];
		uint32_t	n = rows - r < PEGS_CHUNK ? rows - r : PEGS_CHUNK;

		for (uint32_t i = 0; i < ncols; i++)
			at[i] = code[i] + r;
		pegs_count_weighted(NULL, layout, *cells, at, times ? often + r : NULL, n);
		pegs_kept_add(kept, at, times ? often + r : NULL, n);
	}
	layout->kept = kept;
}

/* The same by tables of each column and all others. */
static void
count_cells(uint32_t ncols, bool times, pegs_layout *layout, uint64_t **cells)
{
	uint32_t   *parent_start;
	uint16_t   *parents;

	pegs_others_parents(&env, ncols, &parent_start, &parents);
	CHECK(pegs_layout_conditional(&env, ncols, levels, parent_start, parents, 0, layout, NULL) == PEGS_OK);
	*cells = env.alloc(env.context, sizeof(uint64_t) * layout->ncells);
	for (uint32_t r = 0; r < ROWS; r += PEGS_CHUNK)
	{
		uint16_t   *at[COLUMNS];
		uint32_t	n = ROWS - r < PEGS_CHUNK ? ROWS - r : PEGS_CHUNK;

		for (uint32_t i = 0; i < ncols; i++)
			at[i] = code[i] + r;
		pegs_count_weighted(NULL, layout, *cells, at, times ? often + r : NULL, n);
	}
}

/* The loss and the penalty, from their definition. */
static double
objective(const pegs_layout *layout, const uint64_t *cells, uint32_t column, double lambda, double l1_ratio, const double *coef)
{
	double		value = pegs_multinomial_loss(&env, layout, cells + layout->offset[column], column, coef);
	uint64_t	n = pegs_regression_features(layout->levels, layout->parent_start, layout->parents, column) * layout->levels[column];

	for (uint64_t i = layout->levels[column]; i < n; i++)
		value += lambda * (l1_ratio * fabs(coef[i]) + (1 - l1_ratio) / 2 * coef[i] * coef[i]);
	return value;
}

/* What is counted is the same from pairs as from the cells of all others. */
static void
test_tables(void)
{
	for (int times = 0; times < 2; times++)
	{
		pegs_layout pairs;
		pegs_layout cells;
		uint64_t   *of_pairs;
		uint64_t   *of_cells;
		pegs_others others;

		make_rows(times);
		keep_rows(COLUMNS, ROWS, times, &pairs, &of_pairs);
		count_cells(COLUMNS, times, &cells, &of_cells);
		pegs_others_of(&env, &pairs, of_pairs, &others);
		CHECK(others.rows == (times ? 7999 : ROWS));
		for (uint32_t i = 0; i < COLUMNS; i++)
		{
			pegs_multinomial a;
			pegs_multinomial b;

			pegs_others_column(&env, &others, i, 9, &a);
			pegs_multinomial_of(&env, &cells, of_cells + cells.offset[i], i, &b);
			CHECK(a.n > 0 && a.nfeatures == b.nfeatures && a.nparents == b.nparents && a.passes == 9);
			for (uint64_t f = 0; f < a.nfeatures; f++)
			{
				CHECK(fabs(a.mass[f] - b.mass[f]) < 1e-12);
				for (uint32_t j = 0; j < levels[i]; j++)
					CHECK(fabs(a.xy[f * levels[i] + j] - b.xy[f * levels[i] + j]) < 1e-12);
			}
			for (uint32_t p = 0; p < a.nparents; p++)
			{
				CHECK(a.first[p] == b.first[p] && a.width[p] == b.width[p]);
				for (uint32_t q = p + 1; q < a.nparents; q++)
					for (uint32_t k = 0; k < a.width[p] * a.width[q]; k++)
						CHECK(fabs(a.both[p * a.nparents + q][k] - b.both[p * a.nparents + q][k]) < 1e-12);
			}
		}
		arena_free(&memory);
	}
}

/*
 * And so is what is found. The number is that of this table, of the kind that bench/all_others has of Adult: there it is what
 * scikit-learn finds, too.
 */
static void
test_objective(void)
{
	for (int times = 0; times < 2; times++)
	{
		pegs_layout pairs;
		pegs_layout cells;
		uint64_t   *of_pairs;
		uint64_t   *of_cells;
		pegs_others others;

		make_rows(times);
		keep_rows(COLUMNS, ROWS, times, &pairs, &of_pairs);
		count_cells(COLUMNS, times, &cells, &of_cells);
		pegs_others_of(&env, &pairs, of_pairs, &others);
		for (uint32_t i = 0; i < COLUMNS; i += 3)
		{
			pegs_multinomial data;
			double		found[3];

			for (int way = 0; way < 3; way++)
			{
				double	   *coef;

				if (way < 2)
					pegs_others_column(&env, &others, i, way == 0 ? 40 : 400, &data);
				else
					pegs_multinomial_of(&env, &cells, of_cells + cells.offset[i], i, &data);
				coef = env.alloc(env.context, sizeof(double) * data.nfeatures * data.levels);
				pegs_multinomial_fit(&env, &data, 1e-3, 0.5, coef);
				found[way] = objective(&cells, of_cells, i, 1e-3, 0.5, coef);
			}
			CHECK(fabs(found[1] - found[2]) < 1e-8);
			CHECK(found[0] < found[2] + 2e-3 && found[0] >= found[1] - 1e-9);
			if (i == 3 && !times)
				CHECK(fabs(found[1] - 0.9903444587) < 1e-9);
		}
		arena_free(&memory);
	}
}

/* Exactly so many passes, also where nothing moves any more. */
static void
test_passes(void)
{
	pegs_layout pairs;
	uint64_t   *of_pairs;
	pegs_others others;
	size_t		asked[2];

	make_rows(false);
	keep_rows(2, 100, false, &pairs, &of_pairs);
	pegs_others_of(&env, &pairs, of_pairs, &others);
	for (uint32_t turn = 0; turn < 2; turn++)
	{
		pegs_multinomial data;
		double	   *coef;
		size_t		before;

		pegs_others_column(&env, &others, 1, 500 * (turn + 1), &data);
		coef = env.alloc(env.context, sizeof(double) * data.nfeatures * data.levels);
		before = memory.checks;
		pegs_multinomial_fit(&env, &data, 0.1, 0.5, coef);
		asked[turn] = memory.checks - before;
	}
	CHECK(asked[0] >= 500 && asked[1] >= 1000);
	arena_free(&memory);
}

/* No rows, none kept, one column. */
static void
test_nothing(void)
{
	for (int t = 0; t < 3; t++)
	{
		uint32_t	ncols = t == 2 ? 1 : COLUMNS;
		pegs_layout pairs;
		uint64_t   *of_pairs;
		pegs_others others;
		pegs_multinomial data;
		double	   *coef;

		make_rows(false);
		keep_rows(ncols, t == 0 ? 0 : ROWS, false, &pairs, &of_pairs);
		if (t == 1)
			pairs.kept = NULL;
		pegs_others_of(&env, &pairs, of_pairs, &others);
		pegs_others_column(&env, &others, ncols - 1, 40, &data);
		coef = env.alloc(env.context, sizeof(double) * data.nfeatures * data.levels);
		pegs_multinomial_fit(&env, &data, 1e-3, 0.5, coef);
		for (uint64_t i = 0; t < 2 && i < data.nfeatures * data.levels; i++)
			CHECK(coef[i] == 0);
		/* its own shares */
		for (uint32_t j = 1; t == 2 && j < levels[0]; j++)
			CHECK(fabs(coef[j] - coef[0] - log((double) of_pairs[j] / (double) of_pairs[0])) < 0.05);
		CHECK(pegs_lambda_of_others(&env, &others, pegs_fold_rows_of(&env, &others, 3), 0, 5, 0.5) > 0);
		arena_free(&memory);
	}
}

/* Parents, and how many coefficients that makes. */
static void
test_parents(void)
{
	static const uint16_t wanted[6] = {1, 2, 0, 2, 0, 1};
	uint32_t   *parent_start;
	uint16_t   *parents;

	pegs_others_parents(&env, 3, &parent_start, &parents);
	for (uint32_t i = 0; i <= 3; i++)
		CHECK_INT(parent_start[i], 2 * i);
	CHECK(memcmp(parents, wanted, sizeof(wanted)) == 0);
	/* 6 (1 + 8) + 5 (1 + 9) + 3 (1 + 11) */
	CHECK(pegs_others_coefficients(3, levels) == 140);
	CHECK(pegs_others_coefficients(1, levels) == 6);
	arena_free(&memory);
}

/* Folds: nothing to be found takes a large lambda, much a small one. */
static void
test_folds(void)
{
	for (int depends = 0; depends < 2; depends++)
	{
		pegs_layout pairs;
		uint64_t   *of_pairs;
		pegs_others others;
		double		lambda;

		make_rows(false);
		for (uint32_t r = 0; r < ROWS; r++)
		{
			code[0][r] = (uint16_t) pegs_rng_below(&rng, 6);
			code[1][r] = (uint16_t) (depends && r % 8 ? code[0][r] % 5 : pegs_rng_below(&rng, 5));
		}
		keep_rows(2, depends ? ROWS : 500, false, &pairs, &of_pairs);
		pegs_others_of(&env, &pairs, of_pairs, &others);
		lambda = pegs_lambda_of_others(&env, &others, pegs_fold_rows_of(&env, &others, 5), 1, 40, 0.5);
		CHECK(depends ? lambda < 5e-4 : lambda > 5e-3);
		arena_free(&memory);
	}
}

static void
test_memory(void)
{
	pegs_env	saved = env;
	pegs_layout pairs;
	uint64_t   *of_pairs;
	pegs_others others;
	pegs_fold_rows *sample;
	pegs_multinomial data;
	double	   *coef;
	size_t		live;

	make_rows(true);
	keep_rows(COLUMNS, ROWS, true, &pairs, &of_pairs);
	pegs_others_of(&env, &pairs, of_pairs, &others);
	sample = pegs_fold_rows_of(&env, &others, 3);
	coef = env.alloc(env.context, sizeof(double) * 24 * 6);
	live = memory.live;
	env = arena_env_freeing(&memory);
	pegs_others_column(&env, &others, 0, 3, &data);
	pegs_multinomial_fit(&env, &data, 1e-3, 0.5, coef);
	pegs_multinomial_free(&env, &data);
	(void) pegs_lambda_of_others(&env, &others, sample, 0, 3, 0.5);
	CHECK_INT(memory.live, live);
	env = saved;
	arena_free(&memory);
}

int
main(void)
{
	test_tables();
	test_objective();
	test_passes();
	test_nothing();
	test_parents();
	test_folds();
	test_memory();
	return unit_done("others_test");
}
