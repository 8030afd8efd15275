/*
 * accountant_sum_test.c
 *	  The door for a sum over all rows of a bounded number.
 *
 * A row moves such a sum by at most its bound, k rows by k times that. So what
 * a cost buys must be noise for so much, or, where the sum is looked at in
 * steps, for so many steps as it may then move. Claim P25, docs/privacy.md.
 */
#include "core/accountant.h"

#include <string.h>

#include "chisquare.h"
#include "core/witness.h"
#define STREAM_SALT [1] = 61
#include "fixture.h"
#include "scripted.h"
#include "unit.h"

#define UNIT 0x1p-50

static pegs_accountant
open_accountant(bool pure, uint32_t k)
{
	pegs_accountant accountant;

	pegs_accountant_init(&accountant, 16 * PEGS_EPSILON_UNIT, pure ? 0 : 1000000000, k);
	return accountant;
}

/* What the look told of two sums; *noise: of a step. */
static double
weigh(bool pure, uint32_t k, double cost, uint64_t bound, int64_t exact, int64_t other, pegs_witness *w, pegs_noise *noise)
{
	double		noisy[2];
	uint64_t	spent = 0;

	pegs_witness_begin(w, &env);
	for (int run = 0; run < 2; run++)
	{
		pegs_accountant accountant = open_accountant(pure, k);

		accountant.witness = w;
		if (run == 1)
			pegs_witness_again(w);
		CHECK(pegs_measure_sum(&accountant, &rng, PEGS_FOR_SUM, cost, run ? other : exact, bound, &noisy[run]) > 0);
		spent = accountant.spent;
		CHECK_INT(accountant.record[PEGS_FOR_SUM - 1].cost, spent);
		CHECK_INT(accountant.record[PEGS_FOR_SUM - 1].uses, 1);
	}
	CHECK(noisy[0] == noisy[1]);
	CHECK_INT(spent, (uint64_t) (cost / UNIT));
	*noise = w->step[0].noise;
	CHECK(w->cost <= (double) spent * UNIT);
	CHECK(!pure || fabs(w->ratio) <= (double) spent * UNIT);
	return w->cost / ((double) spent * UNIT);
}

/*
 * All sums from -40 to 40 and all that k rows of at most `bound` make of them,
 * at costs of one step and of many: never above the cost, and nearly all of it where it moves by the most.
 */
static void
test_claim(void)
{
	static const double costs[] = {2, 0x1p-20, 0x1p-36, 0x1p-44, 0x1p-50};
	pegs_witness w = {0};

	start(1);
	for (int pure = 0; pure < 2; pure++)
		for (size_t c = 0; c < sizeof(costs) / sizeof(costs[0]); c++)
			for (uint32_t k = 1; k <= 3; k += 2)
				for (uint64_t bound = 1; bound <= 7; bound += 2)
				{
					int64_t		most = (int64_t) (k * bound);
					double		reached = 0;

					for (int64_t exact = -40; exact <= 40; exact += 4 - pure)
						for (int64_t d = -most; d <= most; d++)
						{
							pegs_noise	noise;

							reached = fmax(reached, weigh(pure, k, costs[c], bound, exact, exact + d, &w, &noise));
						}
					CHECK(reached > 0.99);
					arena_free(&memory);
				}
	CHECK_INT(w.fault, PEGS_SOUND);
	/* one more than the bound is more than was paid for */
	for (int pure = 0; pure < 2; pure++)
	{
		pegs_witness bad = {0};
		pegs_noise	noise;
		double		noisy;
		pegs_accountant accountant = open_accountant(pure, 2);

		(void) noise;
		accountant.witness = &bad;
		pegs_witness_begin(&bad, &env);
		pegs_measure_sum(&accountant, &rng, PEGS_FOR_SUM, 0.5, 0, 5, &noisy);
		accountant = open_accountant(pure, 2);
		accountant.witness = &bad;
		pegs_witness_again(&bad);
		pegs_measure_sum(&accountant, &rng, PEGS_FOR_SUM, 0.5, 11, 5, &noisy);
		CHECK_INT(bad.fault, PEGS_FAULT_TABLE);
	}
	arena_free(&memory);
}

/* What is drawn has the probabilities that were paid for: cell by cell, of sums at any place, below zero, too. */
static void
test_probabilities(void)
{
	enum { HALF = 12, DRAWS = 40000 };

	for (int pure = 0; pure < 2; pure++)
		for (int64_t exact = -7; exact <= 7; exact += 7)
		{
			uint64_t	seen[2 * HALF + 1] = {0};
			double		p[2 * HALF + 1];
			double		sum = 0;
			double		variance = 0;
			/* of bound 3: e = 1/2, sigma^2 = 9/(2 cost) = 4 */
			double		cost = pure ? 1.5 : 1.125;

			start((uint8_t) (2 + pure));
			for (int i = 0; i < DRAWS; i++)
			{
				pegs_accountant accountant = open_accountant(pure, 1);
				double		noisy;
				double		x;

				variance = pegs_measure_sum(&accountant, &rng, PEGS_FOR_SUM, cost, exact, 3, &noisy);
				x = fmax(-HALF, fmin(HALF, noisy - (double) exact));
				CHECK(x == floor(x));
				seen[(int) x + HALF]++;
			}
			for (int x = -400; x <= 400; x++)
				sum += pure ? exp(-0.5 * abs(x)) : exp(-x * x / 8.0);
			memset(p, 0, sizeof(p));
			for (int x = -400; x <= 400; x++)
				p[x < -HALF ? 0 : x > HALF ? 2 * HALF : x + HALF] += (pure ? exp(-0.5 * abs(x)) : exp(-x * x / 8.0)) / sum;
			CHECK(chisquare_p(seen, p, 2 * HALF + 1, DRAWS) > CHISQUARE_P);
			CHECK_NEAR(variance, pure ? 2 * exp(-0.5) / (expm1(-0.5) * expm1(-0.5)) : 4, 1e-6);
		}
}

/* In steps: the mean is the sum, the spread is what is said, whatever the step. */
static void
test_steps(void)
{
	static const double costs[] = {0x1p-8, 0x1p-20, 0x1p-30, 0x1p-40};

	for (int pure = 0; pure < 2; pure++)
		for (size_t c = 0; c < sizeof(costs) / sizeof(costs[0]); c++)
		{
			double		sum = 0;
			double		square = 0;
			double		variance = 0;
			double		wanted = pure ? sqrt(2) / costs[c] : sqrt(0.5 / costs[c]);

			start((uint8_t) (8 + c));
			for (int i = 0; i < 2000; i++)
			{
				pegs_accountant accountant = open_accountant(pure, 2);
				double		noisy;
				int64_t		exact = INT64_C(-1234567890123) + i;

				variance = pegs_measure_sum(&accountant, &rng, PEGS_FOR_SUM, costs[c], exact, 65536, &noisy);
				sum += (noisy - (double) exact) / sqrt(variance);
				square += (noisy - (double) exact) * (noisy - (double) exact) / variance;
			}
			CHECK_NEAR(sqrt(variance), 2 * 65536 * wanted, 0.01);
			CHECK(fabs(sum / 2000) < 6.5 / sqrt(2000));
			CHECK(square / 2000 > 0.7 && square / 2000 < 1.4);
		}
}

/*
 * Two sums of disjoint rows: two rows of a unit may be in one of them or in both, and where steps are larger than what a row
 * moves each may take its sum over an edge of a step. Never above the cost; and it comes to all of it.
 */
static void
test_disjoint(void)
{
	static const double costs[] = {2, 0x1p-20, 0x1p-36, 0x1p-44, 0x1p-48};
	pegs_witness w = {0};

	start(5);
	for (int pure = 0; pure < 2; pure++)
		for (size_t c = 0; c < sizeof(costs) / sizeof(costs[0]); c++)
			for (uint32_t k = 1; k <= 2; k++)
				for (uint64_t bound = 1; bound <= 5; bound += 2)
				{
					double		reached = 0;

					for (int of = 0; of < 16 * 2 * 6 * (k == 2 ? 2 * 6 : 1); of++)
					{
						int64_t		sum[2][2] = {{of % 16 - 8, of % 16 - 8}, {of % 16 - 8, of % 16 - 8}};
						static const int moves[6] = {-2, -1, 0, 1, 2, 2};
						double		noisy[2][2];
						uint64_t	spent = 0;

						for (uint32_t row = 0, rest = (uint32_t) of / 16; row < k; row++, rest /= 12)
							sum[1][rest % 2] += moves[rest / 2 % 6] * (int64_t) bound / 2;
						pegs_witness_begin(&w, &env);
						for (int run = 0; run < 2; run++)
						{
							pegs_accountant accountant = open_accountant(pure, k);

							accountant.witness = &w;
							if (run == 1)
								pegs_witness_again(&w);
							CHECK(pegs_measure_sums(&accountant, &rng, PEGS_FOR_SUM, costs[c], sum[run], bound, noisy[run], 2) > 0);
							spent = accountant.spent;
						}
						CHECK(noisy[0][0] == noisy[1][0] && noisy[0][1] == noisy[1][1]);
						CHECK(w.cost <= (double) spent * UNIT && (!pure || fabs(w.ratio) <= (double) spent * UNIT));
						reached = fmax(reached, w.cost / ((double) spent * UNIT));
					}
					/* two rows in two sums are two in L1, and less in L2 */
					CHECK(reached > (pure || k == 1 ? 0.99 : 0.49));
					arena_free(&memory);
				}
	CHECK_INT(w.fault, PEGS_SOUND);
	/* a unit of many rows, of which two sums move by a step each at least: too little is left for that */
	for (int pure = 0; pure < 2; pure++)
	{
		pegs_accountant accountant = open_accountant(pure, 1000);
		int64_t		sum[2] = {0, 0};
		double		noisy[2] = {7, 7};

		accountant.spent = accountant.total - 1;
		CHECK(pegs_measure_sums(&accountant, &rng, PEGS_FOR_SUM, 1, sum, 3, noisy, 2) < 0);
		CHECK(noisy[0] == 7 && noisy[1] == 7 && accountant.spent == accountant.total);
	}
}

/* Nothing left: not looked at. */
static void
test_nothing(void)
{
	for (int pure = 0; pure < 2; pure++)
	{
		pegs_accountant accountant = open_accountant(pure, 1);
		double		noisy = 7;

		accountant.spent = accountant.total;
		CHECK(pegs_measure_sum(&accountant, &rng, PEGS_FOR_SUM, 1, 5, 3, &noisy) < 0);
		CHECK(noisy == 7 && accountant.record[PEGS_FOR_SUM - 1].uses == 0);
	}
}

/* Sums at the ends of what there may be, with draws at the ends of theirs: one answer for all that are clamped. */
static void
test_ends(void)
{
	static const int64_t draws[] = {INT64_MAX, -INT64_MAX};

	for (int64_t exact = -PEGS_EXACT_MAX; exact < PEGS_EXACT_MAX; exact += PEGS_EXACT_MAX / 2)
		for (int i = 0; i < 2; i++)
		{
			pegs_accountant accountant = open_accountant(true, 1);
			double		noisy;

			scripted = draws + i;
			CHECK(pegs_measure_sum(&accountant, &rng, PEGS_FOR_SUM, 1, exact, 1, &noisy) > 0);
			CHECK(noisy == (i == 0 ? 0x1p62 : -0x1p62));
		}
	scripted = NULL;
}

int
main(void)
{
	test_claim();
	test_probabilities();
	test_steps();
	test_disjoint();
	test_nothing();
	test_ends();
	return unit_done("accountant_sum_test");
}
