/*
 * alpha_test.c
 *	  Alpha-gain: numbers worked out by hand, its limits, what it is zero of.
 */
#include "core/score/alpha.h"

#include "unit.h"

/* A table in the thesis' order: n_11, n_10, n_01, n_00. */
static double
gain_of(double alpha, double n11, double n10, double n01, double n00)
{
	const double cell[2][2] = {{n00, n01}, {n10, n11}};

	return pegs_alpha_gain(alpha, cell, 2);
}

/* p is .4 or .1 and q is 1/4 everywhere, so each is a short sum. */
static void
test_fixture(void)
{
	CHECK_NEAR(gain_of(-1, 40, 10, 10, 40), 0.281250, 1e-9);
	CHECK_NEAR(gain_of(0, 40, 10, 10, 40), log(1.25), 1e-12);
	CHECK_NEAR(gain_of(0.5, 40, 10, 10, 40), 4 * (1 - (sqrt(0.4) + sqrt(0.1))), 1e-12);
	CHECK_NEAR(gain_of(1, 40, 10, 10, 40), 0.8 * log(1.6) + 0.2 * log(0.4), 1e-12);
	CHECK_NEAR(gain_of(2, 40, 10, 10, 40), 0.18, 1e-12);
	CHECK(fabs(gain_of(0, 40, 10, 10, 40) - 0.223144) < 5e-7 && fabs(gain_of(0.5, 40, 10, 10, 40) - 0.205267) < 5e-7);
	CHECK(fabs(gain_of(1, 40, 10, 10, 40) - 0.192745) < 5e-7);
	/* printed of Pima's first cut, to the digits that are printed */
	CHECK(fabs(gain_of(1, 135, 62, 133, 438) - 0.0835) < 5e-5);
}

/* Beside 0 and 1 it is what it is there. */
static void
test_limits(void)
{
	for (int i = 0; i < 2; i++)
		for (double h = -1e-6; h < 2e-6; h += 2e-6)
			CHECK_NEAR(gain_of(i + h, 31, 7, 12, 55), gain_of(i, 31, 7, 12, 55), 1e-5);
}

static void
test_independent(void)
{
	static const double alphas[] = {-1, 0, 0.25, 0.5, 1, 2, 3};

	for (size_t i = 0; i < sizeof(alphas) / sizeof(alphas[0]); i++)
	{
		const double three[3][2] = {{2, 6}, {1, 3}, {10, 30}};
		const double rows[2][2] = {{5, 9}, {0, 0}};
		const double none[2][2] = {{0, 0}, {0, 0}};

		CHECK(fabs(pegs_alpha_gain(alphas[i], three, 3)) < 1e-12);
		CHECK(fabs(pegs_alpha_gain(alphas[i], rows, 2)) < 1e-12);
		CHECK(pegs_alpha_gain(alphas[i], none, 2) == 0);
		CHECK(gain_of(alphas[i], 40, 10, 11, 39) > gain_of(alphas[i], 30, 20, 21, 29));
	}
}

/* More classes: KL of three by two, as mutual information. */
static void
test_classes(void)
{
	const double cell[3][2] = {{10, 0}, {5, 5}, {0, 10}};

	CHECK_NEAR(pegs_alpha_gain(1, cell, 3), 2.0 / 3 * log(2), 1e-12);
	CHECK(isinf(pegs_alpha_gain(0, cell, 3)) && pegs_alpha_gain(0, cell, 3) > 0);
	CHECK(isinf(pegs_alpha_gain(-1, cell, 3)) && pegs_alpha_gain(-1, cell, 3) > 0);
	CHECK_NEAR(pegs_alpha_gain(2, cell, 3), 1.0 / 3, 1e-12);	/* half of chi-square / n: (2/3)/2 */
}

int
main(void)
{
	test_fixture();
	test_limits();
	test_independent();
	test_classes();
	return unit_done("alpha_test");
}
