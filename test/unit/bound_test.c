/*
 * bound_test.c
 *	  A lower confidence bound on epsilon: exact intervals, a coin whose
 *	  epsilon is known, and how often the bound is wrong; the readings with
 *	  delta, on Gaussians of known mu.
 */
#include "core/compare/bound.h"

#include <math.h>
#include <stdlib.h>

#include "core/epsilon.h"
#include "fixture.h"
#include "unit.h"

/* Published values (Clopper and Pearson 1934; any table of exact binomial limits): 5 of 10 at 95 %. */
static void
test_intervals(void)
{
	CHECK_NEAR(pegs_clopper_pearson(5, 10, 0.025, false), 0.187086, 1e-5);
	CHECK_NEAR(pegs_clopper_pearson(5, 10, 0.025, true), 0.812914, 1e-5);
	/* none of n: 1 - miss^(1/n); all of n: miss^(1/n) */
	CHECK(pegs_clopper_pearson(0, 20, 0.025, false) == 0);
	CHECK_NEAR(pegs_clopper_pearson(0, 20, 0.025, true), 1 - pow(0.025, 1.0 / 20), 1e-9);
	CHECK(pegs_clopper_pearson(20, 20, 0.025, true) == 1);
	CHECK_NEAR(pegs_clopper_pearson(20, 20, 0.025, false), pow(0.025, 1.0 / 20), 1e-9);
	CHECK_NEAR(pegs_clopper_pearson(1, 100000, 0.025, true), 5.5716 / 100000, 1e-3);
}

/* Coins of probability p and q = p / e^epsilon, many times: the bound is above epsilon at most as often as it says. */
static void
test_coverage(void)
{
	const uint32_t runs = 2000;
	const double epsilon = 1;
	double	   *a = malloc(sizeof(double) * runs);
	double	   *b = malloc(sizeof(double) * runs);
	uint32_t	wrong = 0;
	double		sum = 0;

	start_stream(7, 0);
	for (int trial = 0; trial < 300; trial++)
	{
		pegs_bound	bound;

		for (uint32_t i = 0; i < runs; i++)
		{
			a[i] = (double) pegs_rng_below(&rng, 1000000) < 1e6 * 0.5;
			b[i] = (double) pegs_rng_below(&rng, 1000000) < 1e6 * 0.5 * exp(-epsilon);
		}
		CHECK(pegs_epsilon_bound(&env, a, b, runs, 0, 0.9, &bound) == PEGS_OK);
		wrong += bound.epsilon > epsilon;
		sum += bound.epsilon;
		arena_free(&memory);
	}
	CHECK(wrong <= 45);			/* 30 expected at most; 45 is 2.9 standard deviations above */
	CHECK(sum / 300 > 0.6 && sum / 300 < 1);
	free(a);
	free(b);
}

/* What tells nothing gives nothing; what tells all is caught; delta is taken off. */
static void
test_ends(void)
{
	double		same[1000];
	double		other[1000];
	pegs_bound	bound;

	for (int i = 0; i < 1000; i++)
	{
		same[i] = i % 7;
		other[i] = 100 + i % 7;
	}
	CHECK(pegs_epsilon_bound(&env, same, same, 1000, 0, 0.95, &bound) == PEGS_OK && bound.epsilon < 0.01);
	CHECK(pegs_epsilon_bound(&env, same, other, 1000, 0, 0.95, &bound) == PEGS_OK && bound.epsilon > 4);
	CHECK(bound.runs == 500 && fabs(bound.share[0] - bound.share[1]) == 1);
	CHECK(pegs_epsilon_bound(&env, same, other, 1000, 0.9999, 0.95, &bound) == PEGS_OK && bound.epsilon == 0);
	CHECK(pegs_epsilon_bound(&env, same, other, 3, 0, 0.95, &bound) == PEGS_ERR_ARGUMENT);
	arena_free(&memory);
}

/* Gaussians of known mu: the reading is below, near it, and rho = mu^2 / 2 is never passed. */
static void
test_with_delta(void)
{
	const uint32_t runs = 40000;
	double	   *a = malloc(sizeof(double) * runs);
	double	   *b = malloc(sizeof(double) * runs);
	uint32_t	wrong = 0;

	start_stream(9, 0);
	for (int trial = 0; trial < 60; trial++)
	{
		double		mu = 0.1 + trial / 20.0;
		pegs_errors errors;
		double		read;

		for (uint32_t i = 0; i < runs; i++)
			for (int side = 0; side < 2; side++)
			{
				/* sum of twelve: near enough to a Gaussian where mu is small */
				double		x = -6;

				for (int j = 0; j < 12; j++)
					x += (double) (pegs_rng_u64(&rng) >> 11) * 0x1p-53;
				(side ? b : a)[i] = x + (side ? -mu : mu) / 2;
			}
		errors = pegs_errors_of(a, b, runs, 0.95);
		read = pegs_gaussian_mu(&errors);
		wrong += read > mu;
		CHECK(read > mu - 0.12 && read < mu + 0.04);
		CHECK(pegs_zcdp_bound(&errors) <= mu * mu / 2);
		/* what a threshold can see of it: 2/pi, more where mu is large */
		CHECK(mu < 0.5 || pegs_zcdp_bound(&errors) > 0.4 * mu * mu / 2);
	}
	CHECK(wrong <= 6);
	/* nothing seen */
	for (uint32_t i = 0; i < runs; i++)
		a[i] = b[i] = i % 2;
	CHECK(pegs_gaussian_mu(&(pegs_errors) {0.4, 0.5}) == 0 && pegs_zcdp_bound(&(pegs_errors) {0.4, 0.5}) == 0);
	{
		pegs_errors errors = pegs_errors_of(a, b, runs, 0.95);

		CHECK(pegs_gaussian_mu(&errors) == 0 && pegs_zcdp_bound(&errors) == 0);
	}
	/* published: N(0, 1) and N(1, 1) at delta 1e-5 are worth 4.377 (Balle and Wang 2018) */
	CHECK_NEAR(pegs_gaussian_epsilon(1, 1e-5), 4.377, 1e-3);
	CHECK(pegs_gaussian_epsilon(0, 1e-5) == 0);
	/* coins that e-DP, so e^2/2-zCDP, allows are not called worse: (1 + e^-e)^-1 against e^-e (1 + e^-e)^-1 */
	for (double e = 0.01; e < 6; e *= 1.5)
	{
		pegs_errors coins = {1 / (1 + exp(-e)), exp(-e) / (1 + exp(-e))};
		double		rho = pegs_zcdp_bound(&coins);

		CHECK(rho <= e * e / 2 && rho > 0.2 * fmin(e, e * e) / 2);
	}
	free(a);
	free(b);
}

/* pegs_rho and its way back, by different arithmetic, agree; and a larger rho is worth more. */
static void
test_conversion(void)
{
	static const double deltas[] = {1e-15, 1e-9, 1e-6, 1e-3};

	for (int d = 0; d < 4; d++)
		for (double epsilon = 1e-3; epsilon < 500; epsilon *= 2.3)
		{
			int64_t		units = (int64_t) (epsilon * PEGS_EPSILON_UNIT);
			double		rho = (double) pegs_rho(units, (int64_t) llround(deltas[d] * PEGS_DELTA_UNIT)) * 0x1p-50;
			double		back = pegs_epsilon_of_rho(rho, deltas[d]);

			CHECK_NEAR(back, (double) units / PEGS_EPSILON_UNIT, 1e-6);
			CHECK(back <= (double) units / PEGS_EPSILON_UNIT * (1 + 1e-9));
			CHECK(pegs_epsilon_of_rho(rho * 1.001, deltas[d]) > (double) units / PEGS_EPSILON_UNIT);
		}
	CHECK(pegs_epsilon_of_rho(0, 1e-9) == 0);
}

int
main(void)
{
	test_intervals();
	test_coverage();
	test_ends();
	test_with_delta();
	test_conversion();
	return unit_done("bound_test");
}
