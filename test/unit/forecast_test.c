/*
 * forecast_test.c
 *	  Is a fit as good as it was said to be before?
 *
 * Fits of made-up tables: the errors of their 1-way shares, root mean square
 * over all levels, columns and fits, are within a factor of 1.5 of the forecast;
 * a difference of twice the least is seen by most fits, of a quarter by few. The
 * streams are the same in every run: nothing here fails by chance.
 */
#include "core/graph/state.h"

#include <string.h>

#include "delta.h"
#include "fixture.h"
#include "unit.h"

#define UNITS_OF_DELTA INT64_C(1000000000)	/* 1e-9 */

/* Columns of these levels in turn, the first `binary` of two. */
typedef struct shape
{
	uint32_t	ncols;
	uint32_t	binary;
	uint32_t	levels[4];		/* ends with 0 */
	uint32_t	rows;
	uint32_t	alike;			/* in percent: a value that follows the column before */
	double		epsilon;
	bool		pure;
	bool		binned;			/* levels are bins in order */
} shape;

static uint32_t *
levels_of(const shape *s)
{
	uint32_t   *levels = env.alloc(env.context, sizeof(uint32_t) * s->ncols);
	uint32_t	n = 0;

	while (n < 4 && s->levels[n] > 0)
		n++;
	for (uint32_t i = 0; i < s->ncols; i++)
		levels[i] = i < s->binary ? 2 : s->levels[i % n];
	return levels;
}

static pegs_accountant
account(const shape *s)
{
	pegs_accountant a;

	pegs_accountant_init(&a, llround(s->epsilon * (double) PEGS_EPSILON_UNIT), s->pure ? 0 : UNITS_OF_DELTA, 1);
	return a;
}

static pegs_forecast
forecast_of(const shape *s)
{
	pegs_accountant a = account(s);
	pegs_forecast f;

	memset(&f, 0x55, sizeof(f));
	pegs_graph_forecast(&env, &a, s->ncols, levels_of(s), s->rows, &f);
	return f;
}

/* Levels of uneven weight; a pair of the first two columns may be apart by `difference`. */
static uint64_t *
made_up(const shape *s, pegs_layout *layout, double difference)
{
	uint64_t   *cells;
	uint16_t   *row[64];
	uint32_t   *levels = levels_of(s);

	CHECK_INT(pegs_layout_pairs(&env, s->ncols, levels, layout, NULL), PEGS_OK);
	layout->bins = s->binned ? levels : NULL;
	cells = env.alloc(env.context, sizeof(uint64_t) * layout->ncells);
	for (uint32_t i = 0; i < s->ncols; i++)
		row[i] = env.alloc(env.context, sizeof(uint16_t));
	for (uint32_t r = 0; r < s->rows; r++)
	{
		for (uint32_t i = 0; i < s->ncols; i++)
			/* of three draws two fall on the half below: 1/6, 5/6 */
			row[i][0] = (uint16_t) (i > 0 && pegs_rng_below(&rng, 100) < s->alike ? row[i - 1][0] * levels[i] / levels[i - 1]
									: pegs_rng_below(&rng, pegs_rng_below(&rng, 3) ? levels[i] : (levels[i] + 1) / 2));
		if (difference > 0)
		{
			double		share = 0.3 + (r % 2 ? difference : -difference) / 2;

			/* as many of each half of the levels as there should be, without chance */
			row[0][0] = (uint16_t) (r % 2 * (levels[0] / 2) + pegs_rng_below(&rng, levels[0] / 2));
			row[1][0] = (uint16_t) ((floor((r / 2 + 1) * share) > floor(r / 2 * share)) * (levels[1] / 2) + pegs_rng_below(&rng, levels[1] / 2));
		}
		pegs_count_chunk(layout, cells, row, 1);
	}
	return cells;
}

/* ---------- shares ---------- */

static double
measured_error(const shape *s, int fits)
{
	pegs_layout layout;
	uint64_t   *cells = made_up(s, &layout, 0);
	double		sum = 0;

	for (int i = 0; i < fits; i++)
	{
		pegs_accountant a = account(s);
		pegs_fitted model;

		pegs_engine_fit(&env, &rng, &a, &layout, cells, &model);
		for (uint32_t c = 0; c < s->ncols; c++)
			for (uint32_t l = 0; l < layout.levels[c]; l++)
			{
				double		off = model.share[c][l] - (double) cells[layout.offset[c] + l] / s->rows;

				sum += off * off / layout.levels[c] / s->ncols / fits;
			}
	}
	return sqrt(sum);
}

static void
test_shares(void)
{
	static const shape shapes[] = {
		{1, 0, {20}, 5000, 0, 1, true, false}, {1, 0, {20}, 5000, 0, 1, false, false},
		{2, 2, {2}, 5000, 50, 1, true, false}, {2, 2, {2}, 5000, 50, 1, false, false},
		{6, 0, {3, 5, 10, 20}, 2000, 50, 0.5, true, false}, {6, 0, {3, 5, 10, 20}, 2000, 50, 0.5, false, false},
		{6, 0, {3, 5, 10, 20}, 2000, 50, 3, true, false}, {6, 0, {3, 5, 10, 20}, 2000, 50, 3, false, false},
		{6, 0, {3, 5, 10, 20}, 20000, 50, 1, true, false}, {6, 0, {3, 5, 10, 20}, 20000, 50, 1, false, false},
		{15, 0, {2, 4, 8}, 4000, 0, 1, true, false}, {15, 0, {2, 4, 8}, 4000, 0, 1, false, false},
		{4, 0, {5, 100}, 5000, 30, 1, false, false},
		{4, 0, {5, 100}, 5000, 30, 1, false, true}, {6, 0, {3, 5, 10, 20}, 20000, 50, 1, true, true},
	};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
	{
		double		said = forecast_of(&shapes[i]).oneway;
		double		seen;

		start((uint8_t) (30 + i));
		seen = measured_error(&shapes[i], shapes[i].ncols <= 2 ? 60 : 8);
		if (!CHECK(seen < 1.5 * said && seen > said / 1.5))
			printf("  shape %zu: said %g, seen %g\n", i, said, seen);
		arena_free(&memory);
	}
}

/* ---------- differences ---------- */

/* Of so many fits, how many show at least half of it, and at most twice? Of one far below the noise a coin would say so, now and then. */
static int
seen_by(const shape *s, double difference, int fits)
{
	pegs_layout layout;
	uint64_t   *cells = made_up(s, &layout, difference);
	int			seen = 0;

	for (int i = 0; i < fits; i++)
	{
		pegs_accountant a = account(s);
		pegs_fitted model;

		pegs_engine_fit(&env, &rng, &a, &layout, cells, &model);
		for (uint32_t p = 0; p < model.npairs; p++)
		{
			const pegs_pair *pair = &model.pair[p];
			double		t[4] = {0};	/* by halves */

			if (pair->column[0] == 0 && pair->column[1] == 1 && pair->k[0] == model.levels[0] && pair->k[1] == model.levels[1])
			{
				for (uint32_t x = 0; x < pair->k[0]; x++)
					for (uint32_t y = 0; y < pair->k[1]; y++)
						t[2 * (x >= pair->k[0] / 2) + (y >= pair->k[1] / 2)] += pair->share[(size_t) x * pair->k[1] + y];
				double		shown = t[3] / (t[2] + t[3]) - t[1] / (t[0] + t[1]);

				seen += shown > difference / 2 && shown < 2 * difference;
			}
		}
	}
	return seen;
}

static void
test_differences(void)
{
	static const shape shapes[] = {
		{6, 2, {3, 5, 10}, 20000, 0, 1, true, false}, {6, 2, {3, 5, 10}, 20000, 0, 1, false, false},
		{15, 2, {3, 5, 10}, 5000, 0, 3, true, false}, {15, 2, {3, 5, 10}, 5000, 0, 3, false, false},
		{2, 0, {24}, 100000, 0, 1, false, false}, {6, 0, {24}, 100000, 0, 3, false, false},
	};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
	{
		double		least = forecast_of(&shapes[i]).least;
		int			above;
		int			below;

		start((uint8_t) (60 + i));
		above = seen_by(&shapes[i], 2 * least, 20);
		below = seen_by(&shapes[i], least / 10, 20);
		if (!CHECK(above >= 15 && below <= 10))
			printf("  shape %zu: least %g, seen by %d at twice, by %d at a tenth\n", i, least, above, below);
		arena_free(&memory);
	}
}

/* ---------- arithmetic ---------- */

static void
test_by_hand(void)
{
	shape		one = {1, 0, {4}, 1000, 0, 0.5, true, false};
	shape		two = {6, 0, {3, 5, 10, 20}, 2000, 0, 1, false, false};
	shape		more = two;
	pegs_forecast f = forecast_of(&one);
	pegs_accountant a;
	pegs_forecast g;

	/* all of epsilon on one table: sd sqrt(2) / epsilon of 1000 rows, 3/4 of the variance left as shares add up to 1 */
	CHECK_NEAR(f.column[0], sqrt(2) / 0.5 / 1000 * sqrt(0.75), 1e-9);
	CHECK_NEAR(f.oneway, f.column[0], 1e-12);
	CHECK(isnan(f.pair) && isnan(f.least));
	/* of L levels all together are off by L sqrt(1 - 1/L) sqrt(2 / pi) / 2 of sqrt(2) / 500: 44 by .0491, 45 by .0502 */
	CHECK_INT(f.levels[0], 44);
	one.levels[0] = 1;
	CHECK(forecast_of(&one).oneway == 0);
	f = forecast_of(&two);
	CHECK_NEAR(f.oneway * f.oneway * 6, f.column[0] * f.column[0] + f.column[1] * f.column[1] + f.column[2] * f.column[2]
			   + f.column[3] * f.column[3] + f.column[4] * f.column[4] + f.column[5] * f.column[5], 1e-12);
	/* as many levels as it says are close, and one more is not */
	for (uint32_t i = 0; i < 2; i++)
	{
		shape		other = two;
		double		off[2];

		other.ncols = 2;
		other.levels[2] = 0;
		other.levels[i] = forecast_of(&other).levels[i];
		for (int j = 0; j < 2; j++, other.levels[i]++)
			off[j] = other.levels[i] * forecast_of(&other).column[i] * sqrt(2 / M_PI) / 2;
		CHECK(off[0] <= PEGS_FORECAST_CLOSE && off[1] > PEGS_FORECAST_CLOSE);
	}
	/* more epsilon, more rows */
	more.epsilon = 2;
	g = forecast_of(&more);
	CHECK(g.oneway < f.oneway && g.pair < f.pair && g.least < f.least);
	more = two;
	more.rows = 4000;
	g = forecast_of(&more);
	CHECK(g.oneway < f.oneway && g.pair < f.pair && g.least < f.least);
	/* a person of ten rows, a tenth of the rows and none of them more: the same as one row each */
	a = account(&two);
	a.rows_per_unit = 10;
	pegs_graph_forecast(&env, &a, 6, levels_of(&two), 20000, &g);
	CHECK_NEAR(g.oneway, f.oneway, 1e-9);
	CHECK_NEAR(g.pair, f.pair, 1e-9);
	CHECK_NEAR(g.least, f.least, 1e-9);
	/* persons that are counted 64 times each, of which 2,000 are stated */
	a.rows_per_unit = a.rows_each = 64;
	pegs_graph_forecast(&env, &a, 6, levels_of(&two), 2000, &g);
	CHECK_NEAR(g.oneway, f.oneway, 1e-9);
	CHECK_NEAR(g.least, f.least, 1e-9);
	arena_free(&memory);
}

/* Where all pairs are measured: 22 % for the 1-ways, 95 % of the rest for the pairs, by hand. */
static void
test_covered(void)
{
	shape		s = {7, 0, {2}, 20000, 0, 1, true, false};
	shape		more = {9, 7, {1}, 20000, 0, 1, true, false};
	pegs_forecast f = forecast_of(&s);
	pegs_forecast g = forecast_of(&more);
	double		sd = sqrt(2) / (0.95 * 0.78 / 21);

	CHECK_NEAR(f.pair * 20000 / sd, 1, 1e-3);
	CHECK_NEAR(f.least / f.pair, 4 * sqrt(2), 1e-9);
	/* of a level: its own look, and six pairs of which two cells each say it; half of that as both add up to 1 */
	CHECK_NEAR(f.oneway * 20000, sqrt(1 / (1 / (2 * 49 / (0.22 * 0.22)) + 6 / (2 * sd * sd)) / 2), 0.1);
	/* columns of one level are measured with nobody */
	CHECK_NEAR(g.pair, f.pair, 1e-12);
	CHECK_NEAR(g.least, f.least, 1e-12);
	arena_free(&memory);
}

static void
test_memory(void)
{
	pegs_env	kept = env;
	shape		s = {6, 0, {3, 5, 10, 20}, 2000, 0, 1, false, false};
	pegs_accountant a = account(&s);
	uint32_t   *levels;
	uint64_t	blocks;
	pegs_forecast f;

	env = arena_env_freeing(&memory);
	levels = levels_of(&s);
	blocks = memory.blocks;
	memory.checks = 0;
	pegs_graph_forecast(&env, &a, 6, levels, 2000, &f);
	CHECK_INT(memory.blocks, blocks + 2);
	CHECK(memory.checks >= 6);
	CHECK_INT(a.spent, 0);
	arena_free(&memory);
	env = kept;
}

/* As fits of so few and of so many columns were seen to be: with five they were about as good. */
static void
test_delta(void)
{
	CHECK(!delta_helps(&pegs_method_graph, 1, NULL) && !delta_helps(&pegs_method_graph, 2, NULL) && !delta_helps(&pegs_method_graph, 3, NULL));
	CHECK(delta_helps(&pegs_method_graph, 7, NULL) && delta_helps(&pegs_method_graph, 13, NULL));
	arena_free(&memory);
}

int
main(void)
{
	start(29);
	test_by_hand();
	test_shares();
	test_differences();
	test_covered();
	test_memory();
	test_delta();
	return unit_done("forecast_test");
}
