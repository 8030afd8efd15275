/*
 * averages_test.c
 *	  Averages are met, by one level and by several, and contradictions are seen.
 */
#define STREAM_SALT [1] = 90
#include "fixture.h"
#include "unit.h"
#include "disaggregate.h"

/* y = 1 .. 5 in groups {1, 2}, {3, 4, 5}: everybody gets 1.5 or 4. */
static void
test_by_hand(void)
{
	uint32_t	of[] = {0, 0, 1, 1, 1};
	double		truth[] = {1, 2, 3, 4, 5};
	double		x[] = {7, 7, 7, 7, 7};
	double		y[5];
	pegs_averages level = averages_of(5, of, 2, truth);
	pegs_individuals all = {.rows = 5, .m = 1, .x = x, .nlevels = 1, .level = &level};

	CHECK(pegs_individuals_prepare(&env, &all) == PEGS_OK);
	CHECK(x[0] == 0 && x[4] == 0);
	CHECK(pegs_spread_average(&env, &all, y) == 0);
	CHECK(y[0] == 1.5 && y[1] == 1.5 && y[2] == 4 && y[3] == 4 && y[4] == 4);
	for (int i = 0; i < 5; i++)
		y[i] = i * i;
	CHECK(pegs_calibrate(&env, &all, y) == 0);
	CHECK(missed(&all, y) <= 1e-15);
	CHECK(y[1] - y[0] == 1 && y[4] - y[2] == 12);
	arena_free(&memory);
}

/* Standard columns: mean 0, deviation 1, whatever their size; what is constant is 0; what is no number is refused. */
static void
test_columns(void)
{
	uint32_t	rows = 1000;
	double	   *x = some((size_t) rows * 4);
	double	   *y = some(rows);
	pegs_averages level = averages_of(rows, groups_of(rows, 7, 0), 7, y);
	pegs_individuals all = {.rows = rows, .m = 4, .x = x, .nlevels = 1, .level = &level};

	start(1);
	for (uint32_t i = 0; i < rows; i++)
	{
		x[i * 4] = 1e300 * any_normal();
		x[i * 4 + 1] = 1e-200 * any_normal();
		x[i * 4 + 2] = 0.1;
		x[i * 4 + 3] = 1e9 + any_normal();
	}
	CHECK(pegs_individuals_prepare(&env, &all) == PEGS_OK);
	for (uint32_t j = 0; j < 4; j++)
	{
		double		mean = 0;
		double		square = 0;

		for (uint32_t i = 0; i < rows; i++)
		{
			mean += x[i * 4 + j] / rows;
			square += x[i * 4 + j] * x[i * 4 + j] / rows;
		}
		CHECK(fabs(mean) < 1e-6 && fabs(square - (j != 2)) < 1e-6);
	}
	x[5] = NAN;
	CHECK(pegs_individuals_prepare(&env, &all) == PEGS_ERR_ARGUMENT);
	x[5] = INFINITY;
	CHECK(pegs_individuals_prepare(&env, &all) == PEGS_ERR_ARGUMENT);
	arena_free(&memory);
}

/* Levels that are nested, and levels that cross: all averages to 1e-12, and the values are the nearest. */
static void
test_levels(void)
{
	for (int nested = 0; nested < 2; nested++)
	{
		uint32_t	rows = 20000;
		double	   *truth = some(rows);
		double	   *y = some(rows);
		double	   *before = some(rows);
		double		inside = 0;
		pegs_averages level[3];
		pegs_individuals all = {.rows = rows, .x = some(1), .nlevels = 3, .level = level};

		start((uint8_t) (2 + nested));
		for (uint32_t i = 0; i < rows; i++)
		{
			truth[i] = 1e4 + 1e3 * any_normal();
			y[i] = before[i] = any_normal();
		}
		level[0] = averages_of(rows, groups_of(rows, nested ? 64 : 60, 0), nested ? 64 : 60, truth);
		level[1] = averages_of(rows, groups_of(rows, nested ? 8 : 7, nested ? 0 : 1), nested ? 8 : 7, truth);
		level[2] = averages_of(rows, groups_of(rows, nested ? 2 : 11, nested ? 0 : 3), nested ? 2 : 11, truth);
		CHECK(pegs_individuals_prepare(&env, &all) == PEGS_OK);
		CHECK(nested ? all.ncells == 64 : all.ncells > 60);
		CHECK(pegs_calibrate(&env, &all, y) <= PEGS_CALIBRATED);
		CHECK(missed(&all, y) <= 1e-12);
		/* what was added is the same in a cell, and so is a sum over levels: here of those who share all three */
		for (uint32_t i = 0; i < rows; i++)
			for (uint32_t k = i + 1; k < rows && k < i + 100; k++)
				if (all.cell[i] == all.cell[k])
					inside = fmax(inside, fabs((y[i] - before[i]) - (y[k] - before[k])));
		CHECK(inside < 1e-9);
		/* values with these averages stay as they are */
		memcpy(y, truth, sizeof(double) * rows);
		CHECK(pegs_calibrate(&env, &all, y) <= PEGS_CALIBRATED);
		for (uint32_t i = 0; i < rows; i++)
			inside = fmax(inside, fabs(y[i] - truth[i]));
		CHECK(inside < 1e-8);
		arena_free(&memory);
	}
}

/* A county of two hospitals whose average is above both. */
static void
test_contradiction(void)
{
	uint32_t	hospital[] = {0, 0, 1, 1};
	uint32_t	county[] = {0, 0, 0, 0};
	double		of_hospital[] = {1, 2};
	double		of_county[] = {3};
	double		y[4] = {0};
	pegs_averages level[] = {{.n = 2, .of = hospital, .average = of_hospital}, {.n = 1, .of = county, .average = of_county}};
	pegs_individuals all = {.rows = 4, .x = some(1), .nlevels = 2, .level = level};

	CHECK(pegs_individuals_prepare(&env, &all) == PEGS_OK);
	CHECK(pegs_calibrate(&env, &all, y) > 0.1);
	CHECK(pegs_spread_average(&env, &all, y) > 0.1);
	of_county[0] = 1.5;
	CHECK(pegs_calibrate(&env, &all, y) <= PEGS_CALIBRATED);
	CHECK(fabs(y[0] - 1) < 1e-12 && fabs(y[3] - 2) < 1e-12);
	arena_free(&memory);
}

int
main(void)
{
	test_by_hand();
	test_columns();
	test_levels();
	test_contradiction();
	return unit_done("averages_test");
}
