/*
 * oneway_test.c
 *	  The noisy table of one column: what a second look is worth, who gets which
 *	  share of a budget, what a column's estimate is made by.
 *
 * Against arithmetic by hand. What the noise is, accountant_person_test.c shows.
 */
#include "core/column/column.h"

#include <math.h>
#include <string.h>

#include "core/simplex.h"
#include "fixture.h"
#include "unit.h"

/* A second look is the inverse-variance mean of both; what buys nothing changes nothing. */
static void
test_measure(void)
{
	static const uint64_t cells[3] = {10, 20, 30};

	for (int pure = 0; pure < 2; pure++)
	{
		pegs_accountant accountant;
		double		old[3] = {1e6, 1e6, 1e6};
		double		blend[3] = {0};
		pegs_oneway one = {.noisy = old, .variance = 1e3, .blend = blend};
		double		fresh;
		double		weight;

		start((uint8_t) (1 + pure));
		pegs_accountant_init(&accountant, 1000 * PEGS_EPSILON_UNIT, pure ? 0 : 1000000000, 1);
		pegs_oneway_measure(&env, &accountant, &rng, 0, cells, 3, &one);
		CHECK(one.variance == 1e3 && one.blend == blend && accountant.spent == 0);
		fresh = pow(pegs_noise_sd(&accountant, 0.1), 2);
		pegs_oneway_measure(&env, &accountant, &rng, 0.1, cells, 3, &one);
		weight = one.variance / 1e3;
		CHECK_NEAR(one.variance, 1 / (1 / 1e3 + 1 / fresh), 1e-2);
		CHECK(one.blend == NULL);
		for (int j = 0; j < 3; j++)
			CHECK(fabs(one.noisy[j] - weight * 1e6 - (1 - weight) * (double) cells[j]) < 10 * sqrt(fresh));
		CHECK_NEAR((double) accountant.spent * 0x1p-50, 0.1, 1e-9);
		/* the first look is all there is */
		one.variance = -1;
		pegs_oneway_measure(&env, &accountant, &rng, 0.1, cells, 3, &one);
		CHECK_NEAR(one.variance, fresh, 1e-2);
		arena_free(&memory);
	}
}

/* Shares by the power of the levels, of 64 at most; all together 1. */
static void
test_shares(void)
{
	static const double size[4] = {2, 16, 64, 1000};

	for (int pure = 0; pure < 2; pure++)
	{
		pegs_accountant accountant;
		double		share[4];
		double		power = pure ? 0.335 : 0.67;

		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, pure ? 0 : 1000000000, 1);
		pegs_oneway_shares(&accountant, 4, size, share);
		CHECK_NEAR(share[0] + share[1] + share[2] + share[3], 1, 1e-12);
		CHECK_NEAR(share[1] / share[0], pow(8, power), 1e-12);
		CHECK_NEAR(share[2], share[3], 1e-12);
	}
}

/* Ten levels and more are blended, bins are not, nor what is known to a quarter of a row; what was blended is kept until the next look. */
static void
test_smooth(void)
{
	double		noisy[24];
	double		steps[24];
	double		y[24];
	double		blended[24];
	double	   *kept;
	pegs_oneway one = {.noisy = noisy, .variance = 7200};

	for (int i = 0; i < 24; i++)
		steps[i] = noisy[i] = 1000 * exp(-0.5 * (i - 10) * (i - 10) / 16.0) + 60 * (i * 7 % 5 - 2);
	pegs_haar_garrote(&env, steps, 24, 7200);
	pegs_oneway_smooth(&env, &one, 24, 5, 10000, y);
	CHECK(memcmp(y, steps, sizeof(y)) == 0 && one.blend == NULL);
	memcpy(blended, noisy, sizeof(blended));
	pegs_blend_levels(&env, blended, 24, 7200, 10000);
	pegs_oneway_smooth(&env, &one, 24, 0, 10000, y);
	CHECK(memcmp(y, blended, sizeof(y)) == 0 && memcmp(y, steps, sizeof(y)) != 0);
	kept = one.blend;
	CHECK(kept != NULL);
	pegs_oneway_smooth(&env, &one, 24, 0, 20000, y);
	CHECK(one.blend == kept);
	CHECK_NEAR(y[10], 2 * blended[10], 1e-12);
	/* nine levels are as they were looked at */
	one.blend = NULL;
	pegs_oneway_smooth(&env, &one, 9, 0, 10000, y);
	CHECK(memcmp(y, noisy, 9 * sizeof(double)) == 0);
	one.variance = 0.06;
	memcpy(steps, noisy, sizeof(steps));
	pegs_haar_garrote(&env, steps, 24, 0.06);
	pegs_oneway_smooth(&env, &one, 24, 0, 10000, y);
	CHECK(memcmp(y, steps, sizeof(y)) == 0);
	arena_free(&memory);
}

/* The simplex; of ten bins and more, half by half. */
static void
test_project(void)
{
	for (uint32_t bins = 0; bins <= 12; bins += bins == 0 ? 9 : 1)
	{
		double		noisy[12] = {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 2, 2, 2, -2};
		double		sum = 0;

		pegs_oneway_project(&env, noisy, 12, bins, 400, 8000);
		for (int i = 0; i < 12; i++)
		{
			CHECK(noisy[i] >= 0);
			sum += noisy[i];
		}
		CHECK_NEAR(sum, 8000, 1e-9);
		CHECK((noisy[8] == 0) == (bins >= 10));
	}
	arena_free(&memory);
}

/* Above half an sd: two at least. */
static void
test_in_use(void)
{
	double		share[5] = {0.9, 0.05, 0.03, 0.02, 0};
	pegs_oneway one = {.variance = 4};

	CHECK(pegs_oneway_in_use(&one, share, 5, 100) == 4);
	one.variance = 25;			/* half of 5 of 100 */
	CHECK(pegs_oneway_in_use(&one, share, 5, 100) == 3);
	one.variance = 10000;
	CHECK(pegs_oneway_in_use(&one, share, 5, 100) == 2);
	one.variance = -1;			/* never looked at: what is above 0 */
	CHECK(pegs_oneway_in_use(&one, share, 5, 100) == 4);
}

int
main(void)
{
	test_measure();
	test_shares();
	test_smooth();
	test_project();
	test_in_use();
	return unit_done("oneway_test");
}
