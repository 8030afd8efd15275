/*
 * er_test.c
 *	  Ecological regression: exact without noise, the ridge that foretells best, press by leaving groups out.
 */
#include "core/disaggregate/er.h"

#define STREAM_SALT [1] = 91
#include "fixture.h"
#include "unit.h"
#include "disaggregate.h"

typedef struct world
{
	pegs_individuals all;
	pegs_averages level;
	double	   *truth;
	double	   *y;
} world;

/* rows in groups of chance; y = 3 + sum of (j + 1) x_j + noise */
static void
make(world *w, uint32_t rows, uint32_t m, uint32_t groups, double noise)
{
	uint32_t   *of = groups_of(rows, groups, 0);

	*w = (world) {.truth = some(rows), .y = some(rows)};
	w->all = (pegs_individuals) {.rows = rows, .m = m, .x = some((size_t) rows * m), .nlevels = 1, .level = &w->level};
	for (uint32_t i = 0; i < rows; i++)
	{
		w->truth[i] = 3 + noise * any_normal();
		of[i] = i < groups ? i : (uint32_t) pegs_rng_below(&rng, groups);
		for (uint32_t j = 0; j < m; j++)
		{
			w->all.x[(size_t) i * m + j] = 5 * j + any_normal() + of[i] % 3;
			w->truth[i] += (j + 1) * w->all.x[(size_t) i * m + j];
		}
	}
	w->level = averages_of(rows, of, groups, w->truth);
	CHECK(pegs_individuals_prepare(&env, &w->all) == PEGS_OK);
}

static double
furthest(const world *w)
{
	double		most = 0;

	for (uint64_t i = 0; i < w->all.rows; i++)
		most = fmax(most, fabs(w->y[i] - w->truth[i]));
	return most;
}

static void
test_exact(void)
{
	for (uint32_t m = 1; m <= 5; m += 2)
		for (int weighted = 0; weighted < 2; weighted++)
		{
			world		w;
			pegs_ridge	ridge = {.lambda = 0};

			start((uint8_t) m);
			make(&w, 400, m, m + 3, 0);
			CHECK(pegs_spread_er(&env, &w.all, weighted, &ridge, w.y) == PEGS_OK);
			CHECK(furthest(&w) < 1e-9 && ridge.rank == m);
			ridge.lambda = NAN;
			CHECK(pegs_spread_er(&env, &w.all, weighted, &ridge, w.y) == PEGS_OK);
			CHECK(furthest(&w) < 1e-9);
			arena_free(&memory);
		}
}

/* One group, groups of one, a constant column. */
static void
test_ends(void)
{
	world		w;
	pegs_ridge	ridge = {.lambda = NAN};

	start(10);
	make(&w, 50, 2, 1, 1);
	CHECK(pegs_spread_er(&env, &w.all, true, &ridge, w.y) == PEGS_OK);
	for (int i = 0; i < 50; i++)
		CHECK(fabs(w.y[i] - w.level.average[0]) < 1e-12 * fabs(w.level.average[0]));
	CHECK(ridge.rank == 0);
	make(&w, 50, 2, 50, 1);
	ridge.lambda = NAN;
	CHECK(pegs_spread_er(&env, &w.all, true, &ridge, w.y) == PEGS_OK);
	CHECK(pegs_calibrate(&env, &w.all, w.y) <= PEGS_CALIBRATED);
	CHECK(furthest(&w) < 1e-11);
	for (uint64_t i = 0; i < w.all.rows; i++)
		w.all.x[2 * i] = 4;
	CHECK(pegs_individuals_prepare(&env, &w.all) == PEGS_OK);
	ridge.lambda = 0;
	CHECK(pegs_spread_er(&env, &w.all, true, &ridge, w.y) == PEGS_OK && ridge.rank == 1);
	arena_free(&memory);
}

/* Press is what fits without each group say, one after the other. */
static void
test_press(void)
{
	const double lambda = 0.07;
	enum {P = 9, M = 2};
	double		z[P * M];
	double		weight[P];
	double		t[P];
	double		b[M];
	double		sum = 0;
	pegs_ridge	ridge = {.lambda = lambda};

	start(20);
	for (int g = 0; g < P; g++)
	{
		z[g * M] = any_normal();
		z[g * M + 1] = any_normal();
		t[g] = z[g * M] + any_normal();
		weight[g] = (g + 1) / 45.0;
	}
	CHECK(pegs_ridge_fit(&env, P, M, z, weight, t, NULL, &ridge, b) == PEGS_OK);
	for (int out = 0; out < P; out++)
	{
		double		zz[3] = {lambda, 0, lambda};
		double		zt[2] = {0};
		double		off;

		for (int g = 0; g < P; g++)
			if (g != out)
			{
				zz[0] += weight[g] * z[g * M] * z[g * M];
				zz[1] += weight[g] * z[g * M] * z[g * M + 1];
				zz[2] += weight[g] * z[g * M + 1] * z[g * M + 1];
				zt[0] += weight[g] * z[g * M] * t[g];
				zt[1] += weight[g] * z[g * M + 1] * t[g];
			}
		off = t[out] - (z[out * M] * (zz[2] * zt[0] - zz[1] * zt[1]) + z[out * M + 1] * (zz[0] * zt[1] - zz[1] * zt[0])) / (zz[0] * zz[2] - zz[1] * zz[1]);
		sum += weight[out] * off * off;
	}
	CHECK(fabs(ridge.press - sqrt(sum)) < 1e-12);
	arena_free(&memory);
}

/* With more columns than rows: what makes the sum smallest, by its derivative; and so few of another matrix as there are. */
static void
test_many_columns(void)
{
	enum {P = 7, M = 40};
	const double lambda = 0.3;
	double		z[P * M];
	double		weight[P];
	double		t[P];
	double		b[M];
	pegs_ridge	ridge = {.lambda = lambda};

	start(25);
	for (int g = 0; g < P; g++)
	{
		weight[g] = (g + 1) / 28.0;
		t[g] = any_normal();
		for (int j = 0; j < M; j++)
			z[g * M + j] = g == 6 ? z[5 * M + j] : any_normal();
	}
	CHECK(pegs_ridge_fit(&env, P, M, z, weight, t, NULL, &ridge, b) == PEGS_OK);
	CHECK(ridge.rank == 6);
	for (int j = 0; j < M; j++)
	{
		double		slope = lambda * b[j];

		for (int g = 0; g < P; g++)
		{
			double		off = -t[g];

			for (int i = 0; i < M; i++)
				off += z[g * M + i] * b[i];
			slope += weight[g] * z[g * M + j] * off;
		}
		CHECK(fabs(slope) < 1e-12);
	}
	arena_free(&memory);
}

/* The ridge by press foretells no worse than none, and a very large one is the mean. */
static void
test_ridge(void)
{
	for (uint8_t seed = 30; seed < 40; seed++)
	{
		world		w;
		pegs_ridge	none = {.lambda = 0};
		pegs_ridge	best = {.lambda = NAN};
		pegs_ridge	much = {.lambda = 1e12};

		start(seed);
		make(&w, 600, 4, 12, 20);
		CHECK(pegs_spread_er(&env, &w.all, true, &none, w.y) == PEGS_OK);
		CHECK(pegs_spread_er(&env, &w.all, true, &best, w.y) == PEGS_OK);
		CHECK(best.press <= none.press);
		CHECK(pegs_spread_er(&env, &w.all, true, &much, w.y) == PEGS_OK);
		CHECK(fabs(much.press - pegs_press_of_mean(&w.all)) < 1e-6 * much.press);
		CHECK(pegs_calibrate(&env, &w.all, w.y) <= PEGS_CALIBRATED);
		for (uint64_t i = 0; i < w.all.rows; i++)
			CHECK(fabs(w.y[i] - w.level.average[w.level.of[i]]) < 1e-6);
		arena_free(&memory);
	}
}

/* Slopes of a group: the ridge solution of its own equation, here by its definition. */
static void
test_effects(void)
{
	world		w;
	uint32_t	column[] = {0, 2};
	double		before[200];

	start(50);
	make(&w, 200, 3, 6, 1);
	for (int i = 0; i < 200; i++)
		before[i] = w.y[i] = any_normal();
	pegs_spread_effects(&env, &w.all, 2, column, 1, w.y);
	for (uint32_t g = 0; g < 6; g++)
	{
		double		mean[2] = {0};
		double		y = 0;
		double		v[2];
		double		a, b, c, n = w.level.size[g];

		for (int i = 0; i < 200; i++)
			if (w.level.of[i] == g)
			{
				mean[0] += w.all.x[i * 3] / n;
				mean[1] += w.all.x[i * 3 + 2] / n;
				y += before[i] / n;
			}
		a = n * mean[0] * mean[0] + 1;
		b = n * mean[0] * mean[1];
		c = n * mean[1] * mean[1] + 1;
		y = n * (w.level.average[g] - y);
		v[0] = (c * mean[0] - b * mean[1]) * y / (a * c - b * b);
		v[1] = (a * mean[1] - b * mean[0]) * y / (a * c - b * b);
		for (int i = 0; i < 200; i++)
			if (w.level.of[i] == g)
				CHECK(fabs(w.y[i] - before[i] - w.all.x[i * 3] * v[0] - w.all.x[i * 3 + 2] * v[1]) < 1e-9);
	}
	arena_free(&memory);
}

int
main(void)
{
	test_exact();
	test_ends();
	test_press();
	test_many_columns();
	test_ridge();
	test_effects();
	return unit_done("er_test");
}
