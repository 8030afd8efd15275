/*
 * accountant_sums_test.c
 *	  The door for sums over disjoint classes, all for one cost.
 *
 * Rows of a person may be in several classes, and where sums are looked at in
 * steps, each of them may pass one more than its part: what a cost buys must be
 * noise for all of that together. Claim P28, docs/privacy.md.
 */
#include "core/accountant.h"

#include <string.h>

#include "chisquare.h"
#include "core/witness.h"
#define STREAM_SALT [1] = 62
#include "fixture.h"
#include "unit.h"

#define UNIT 0x1p-50
#define CLASSES 3

static pegs_accountant
open_accountant(bool pure, uint32_t k)
{
	pegs_accountant accountant;

	pegs_accountant_init(&accountant, 16 * PEGS_EPSILON_UNIT, pure ? 0 : 1000000000, k);
	return accountant;
}

/* What a look tells of two tables, as a part of its cost. */
static double
weigh(bool pure, uint32_t k, double cost, uint64_t bound, const int64_t *exact, const int64_t *other, pegs_witness *w)
{
	double		noisy[2][CLASSES];
	uint64_t	spent = 0;

	pegs_witness_begin(w, &env);
	for (int run = 0; run < 2; run++)
	{
		pegs_accountant accountant = open_accountant(pure, k);

		accountant.witness = w;
		if (run == 1)
			pegs_witness_again(w);
		CHECK(pegs_measure_sums(&accountant, &rng, PEGS_FOR_RESIDUALS, cost, run ? other : exact, bound, noisy[run], CLASSES) > 0);
		spent = accountant.spent;
		CHECK_INT(accountant.record[PEGS_FOR_RESIDUALS - 1].cost, spent);
		CHECK_INT(accountant.record[PEGS_FOR_RESIDUALS - 1].uses, 1);
	}
	CHECK(memcmp(noisy[0], noisy[1], sizeof(noisy[0])) == 0);
	CHECK_INT(spent, (uint64_t) (cost / UNIT));
	CHECK(w->cost <= (double) spent * UNIT);
	CHECK(!pure || fabs(w->ratio) <= (double) spent * UNIT);
	return w->cost / ((double) spent * UNIT);
}

/*
 * Three sums, and all that one to three rows make of them, each in any class and
 * worth anything up to the bound, at costs of one step and of many: never above
 * the cost, and all of it where they move by the most.
 */
static void
test_claim(void)
{
	static const double costs[] = {2, 0x1p-32, 0x1p-35, 0x1p-37, 0x1p-41, 0x1p-45};
	pegs_witness w = {0};
	int			turn = 0;

	start(1);
	for (size_t c = 0; c < sizeof(costs) / sizeof(costs[0]); c++)
		for (uint32_t k = 1; k <= CLASSES; k++)
			for (uint64_t bound = 1; bound <= 7; bound += 3)
				for (int pure = 0; pure < 2; pure++)
				{
					uint32_t	per = CLASSES * (2 * (uint32_t) bound + 1);
					uint32_t	all = 1;
					double		reached = 0;

					for (uint32_t r = 0; r < k; r++)
						all *= per;
					/* of many, some: the classes go on turning */
					for (uint32_t of = 0; of < all; of += all > 4000 ? 47 : all > 100 ? 5 : 1)
					{
						int64_t		exact[CLASSES] = {turn % 16 - 8, turn % 7 * 2 - 6, turn % 11 - 5};
						int64_t		other[CLASSES];
						uint32_t	rest = of;

						turn++;
						memcpy(other, exact, sizeof(other));
						for (uint32_t r = 0; r < k; r++, rest /= per)
							other[rest % per % CLASSES] += (int64_t) (rest % per / CLASSES) - (int64_t) bound;
						reached = fmax(reached, weigh(pure, k, costs[c], bound, exact, other, &w));
						arena_free(&memory);
					}
					/* where a step is wide the most steps are of few phases */
					CHECK(reached > (c == 0 ? 0.999 : 0.15));
				}
	CHECK_INT(w.fault, PEGS_SOUND);
}

/* A sum of two steps' width apart, and its neighbour of one: a step in each of two classes, by a row that is less than one. */
static void
test_two_steps(void)
{
	for (int pure = 0; pure < 2; pure++)
	{
		int64_t		exact[CLASSES] = {-1, -1, 0};
		int64_t		other[CLASSES] = {0, 0, 0};
		pegs_witness w = {0};

		start(2);
		/* no step is so wide that -1 and 0 are in one */
		CHECK(weigh(pure, 2, 0x1p-45, 1024, exact, other, &w) > (pure ? 0.9 : 0.1));
		CHECK_INT(w.fault, PEGS_SOUND);
		arena_free(&memory);
	}
}

/* More than the bound is more than was paid for. */
static void
test_bound(void)
{
	for (int pure = 0; pure < 2; pure++)
	{
		const int64_t exact[2][CLASSES] = {{0, 0, 0}, {5, -6, 0}};
		pegs_witness bad = {0};

		pegs_witness_begin(&bad, &env);
		for (int run = 0; run < 2; run++)
		{
			pegs_accountant accountant = open_accountant(pure, 2);
			double		noisy[CLASSES];

			accountant.witness = &bad;
			if (run == 1)
				pegs_witness_again(&bad);
			pegs_measure_sums(&accountant, &rng, PEGS_FOR_RESIDUALS, 0.5, exact[run], 5, noisy, CLASSES);
		}
		CHECK_INT(bad.fault, PEGS_FAULT_TABLE);
		arena_free(&memory);
	}
}

/* What is drawn for each class has the probabilities that were paid for, and is its own. */
static void
test_probabilities(void)
{
	enum { HALF = 12, DRAWS = 30000 };
	const int64_t exact[CLASSES] = {-7, 0, 1000};

	for (int pure = 0; pure < 2; pure++)
	{
		uint64_t	seen[CLASSES][2 * HALF + 1] = {0};
		double		p[2 * HALF + 1] = {0};
		double		together = 0;
		double		variance = 0;
		double		sum = 0;
		double		cost = pure ? 1.5 : 1.125;	/* of bound 3: e = 1/2, sigma^2 = 4 */

		start((uint8_t) (3 + pure));
		for (int i = 0; i < DRAWS; i++)
		{
			pegs_accountant accountant = open_accountant(pure, 1);
			double		noisy[CLASSES];

			variance = pegs_measure_sums(&accountant, &rng, PEGS_FOR_RESIDUALS, cost, exact, 3, noisy, CLASSES);
			for (int c = 0; c < CLASSES; c++)
			{
				double		x = fmax(-HALF, fmin(HALF, noisy[c] - (double) exact[c]));

				CHECK(x == floor(x));
				seen[c][(int) x + HALF]++;
			}
			together += (noisy[0] + 7) * noisy[1] + noisy[1] * (noisy[2] - 1000);
		}
		for (int x = -400; x <= 400; x++)
			sum += pure ? exp(-0.5 * abs(x)) : exp(-x * x / 8.0);
		for (int x = -400; x <= 400; x++)
			p[x < -HALF ? 0 : x > HALF ? 2 * HALF : x + HALF] += (pure ? exp(-0.5 * abs(x)) : exp(-x * x / 8.0)) / sum;
		for (int c = 0; c < CLASSES; c++)
			CHECK(chisquare_p(seen[c], p, 2 * HALF + 1, DRAWS) > CHISQUARE_P);
		CHECK_NEAR(variance, pure ? 2 * exp(-0.5) / (expm1(-0.5) * expm1(-0.5)) : 4, 1e-6);
		CHECK(fabs(together) / DRAWS < 6.5 * variance * sqrt(2.0 / DRAWS));
	}
}

/*
 * No cell's noise is that of another cell of the look, whichever two: by the correlation of all pairs, each below one that
 * independent noise passes with P = 1e-15 (normal; of 20,000 products).
 */
static void
test_apart(void)
{
	enum { CELLS = 12, LOOKS = 20000 };
	static double together[CELLS][CELLS];
	const int64_t exact[CELLS] = {0};

	for (int pure = 0; pure < 2; pure++)
	{
		double		variance = 1;

		memset(together, 0, sizeof(together));
		start((uint8_t) (8 + pure));
		for (int i = 0; i < LOOKS; i++)
		{
			pegs_accountant accountant = open_accountant(pure, 1);
			double		noisy[CELLS];

			variance = pegs_measure(&accountant, &rng, PEGS_FOR_ONEWAY, pure ? 1 : 0.5, exact, noisy, CELLS);
			for (int a = 0; a < CELLS; a++)
				for (int b = 0; b < a; b++)
					together[a][b] += noisy[a] * noisy[b];
		}
		for (int a = 0; a < CELLS; a++)
			for (int b = 0; b < a; b++)
				CHECK(fabs(together[a][b]) / variance < 8 * sqrt(LOOKS));
	}
}

/* More classes than are looked at in one part: each its own sum, its own noise, the cost once. */
static void
test_parts(void)
{
	enum { MANY = 2500 };
	int64_t	   *exact = env.alloc(env.context, sizeof(int64_t) * MANY);
	double	   *noisy = env.alloc(env.context, sizeof(double) * MANY);
	pegs_accountant accountant = open_accountant(true, 2);
	double		square = 0;
	double		variance;

	start(5);
	for (int64_t i = 0; i < MANY; i++)
		exact[i] = (i - 1000) * 1000000;
	variance = pegs_measure_sums(&accountant, &rng, PEGS_FOR_RESIDUALS, 1, exact, 1024, noisy, MANY);
	for (int i = 0; i < MANY; i++)
	{
		double		x = noisy[i] - (double) exact[i];

		square += x * x / variance;
		CHECK(fabs(x) < 60 * sqrt(variance));
	}
	CHECK(square / MANY > 0.7 && square / MANY < 1.4);
	for (int apart = 1; apart < MANY - 200; apart++)
	{
		double		together = 0;

		for (int i = apart; i < MANY; i++)
			together += (noisy[i] - (double) exact[i]) * (noisy[i - apart] - (double) exact[i - apart]) / variance;
		CHECK(fabs(together) < 8 * sqrt(MANY - apart));
	}
	CHECK_INT(accountant.record[PEGS_FOR_RESIDUALS - 1].uses, 1);
	CHECK_INT(accountant.spent, UINT64_C(1) << 50);
	arena_free(&memory);
}

/* Nothing left, or not a unit for each class that a person may be in: not looked at. */
static void
test_nothing(void)
{
	const int64_t exact[CLASSES] = {5, 6, 7};

	for (int pure = 0; pure < 2; pure++)
		for (int few = 0; few < 2; few++)
		{
			pegs_accountant accountant = open_accountant(pure, 3);
			double		noisy[CLASSES] = {7, 7, 7};

			accountant.spent = accountant.total - (few ? 2 : 0);
			CHECK(pegs_measure_sums(&accountant, &rng, PEGS_FOR_RESIDUALS, 1, exact, 3, noisy, CLASSES) < 0);
			CHECK(noisy[0] == 7 && noisy[1] == 7 && noisy[2] == 7);
			CHECK(accountant.spent == accountant.total);
		}
}

int
main(void)
{
	test_claim();
	test_two_steps();
	test_bound();
	test_probabilities();
	test_apart();
	test_parts();
	test_nothing();
	return unit_done("accountant_sums_test");
}
