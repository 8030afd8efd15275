/*
 * bound_test.c
 *	  A lower confidence bound on epsilon: exact intervals, a coin whose
 *	  epsilon is known, and how often the bound is wrong.
 */
#include "bound.h"

#include <math.h>
#include <stdlib.h>

#include "arena.h"
#include "rng.h"
#include "unit.h"

static arena memory;
static pegs_env env;

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
	uint8_t		key[PEGS_KEY_BYTES] = {7};
	pegs_rng	rng;
	double	   *a = malloc(sizeof(double) * runs);
	double	   *b = malloc(sizeof(double) * runs);
	uint32_t	wrong = 0;
	double		sum = 0;

	pegs_rng_init(&rng, key, 0);
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

int
main(void)
{
	env = arena_env(&memory);
	test_intervals();
	test_coverage();
	test_ends();
	return unit_done("bound_test");
}
