/*
 * accountant_person_test.c
 *	  The account of a fit whose neighbours differ by k rows.
 *
 * A person with at most k rows moves a table by at most k, in L1 as in L2, and
 * a score of sensitivity one by at most k. So what a cost buys must be
 *
 *		pure		discrete Laplace of scale k / epsilon
 *		zCDP		discrete Gaussian of sigma^2 = k^2 / (2 rho)
 *		choice		factor e / (2 k)
 *
 * rounded towards more noise; and the record must say what was spent, to the
 * unit. The strictest law here is the first one: k rows at a cost are one row
 * at the cost divided by k (by k^2), draw for draw under the same key. Claim
 * P6, docs/privacy.md.
 */
#include "core/accountant.h"

#include <string.h>

#include "chisquare.h"
#define STREAM_SALT [1] = 57
#include "fixture.h"
#include "unit.h"

#define N 100000

static const double UNIT = 0x1p-50;
static const uint32_t units[] = {1, 2, 3, 7, 10, 1000};

#define NUNITS (sizeof(units) / sizeof(units[0]))

static int64_t exact[N];
static double noisy[N];
static double other[N];

/* Epsilon 16, pure or with delta 1e-9. */
static pegs_accountant
open_accountant(bool pure, uint32_t k)
{
	pegs_accountant accountant;

	pegs_accountant_init(&accountant, 16 * PEGS_EPSILON_UNIT, pure ? 0 : 1000000000, k);
	return accountant;
}

static void
test_init(void)
{
	for (int pure = 0; pure < 2; pure++)
		for (size_t i = 0; i < NUNITS; i++)
		{
			pegs_accountant one = open_accountant(pure, 1);
			pegs_accountant accountant = open_accountant(pure, units[i]);

			/* the guarantee is a person's: the same epsilon and delta, the same total */
			CHECK_INT(accountant.rows_per_unit, units[i]);
			CHECK_INT(accountant.epsilon, one.epsilon);
			CHECK_INT(accountant.delta, one.delta);
			CHECK_INT(accountant.total, one.total);
			CHECK_INT(accountant.spent, 0);
			CHECK(accountant.pure == pure);
			CHECK(accountant.total > 0);
			CHECK_NEAR(pegs_accountant_left(&accountant), (double) accountant.total * UNIT, 1e-15);
		}
}

/* What a fit plans with. */
static void
test_plans(void)
{
	for (int pure = 0; pure < 2; pure++)
		for (size_t i = 0; i < NUNITS; i++)
			for (double cost = 0.001; cost < 10; cost *= 3)
			{
				pegs_accountant one = open_accountant(pure, 1);
				pegs_accountant accountant = open_accountant(pure, units[i]);
				double		k = units[i];

				CHECK_NEAR(pegs_noise_sd(&accountant, cost), k * pegs_noise_sd(&one, cost), 1e-14);
				CHECK_NEAR(pegs_noise_abs(&accountant, cost), k * pegs_noise_abs(&one, cost), 1e-14);
				CHECK_NEAR(pegs_choice_factor(&accountant, cost), pegs_choice_factor(&one, cost) / k, 1e-14);
				CHECK_NEAR(pegs_noise_sd(&accountant, cost), pure ? sqrt(2) * k / cost : k * sqrt(0.5 / cost), 1e-14);
				CHECK_NEAR(pegs_choice_factor(&accountant, cost), pure ? cost / (2 * k) : sqrt(2 * cost) / k, 1e-14);
				CHECK_NEAR(pegs_cost_of_sd(&accountant, pegs_noise_sd(&accountant, cost)), cost, 1e-12);
			}
}

/* ---------- tables ---------- */

/* What pegs_measure returns at such a cost: the variance, or sigma^2. */
static double
variance_of(bool pure, double k, double cost)
{
	double		q;

	if (!pure)
		return k * k / (2 * cost);
	q = exp(-cost / k);
	return 2 * q / ((1 - q) * (1 - q));
}

/* That of the draws: a discrete Gaussian of small sigma has a little less than sigma^2. */
static double
drawn_variance(bool pure, double k, double cost)
{
	double		sigma2 = variance_of(pure, k, cost);
	double		sum = 0;
	double		squares = 0;

	if (pure || sigma2 > 100)
		return sigma2;
	for (int x = -200; x <= 200; x++)
	{
		sum += exp(-x * x / (2 * sigma2));
		squares += x * x * exp(-x * x / (2 * sigma2));
	}
	return squares / sum;
}

static void
test_measure(void)
{
	static const double costs[] = {0.03, 0.5, 4};

	for (int pure = 0; pure < 2; pure++)
		for (size_t i = 0; i < NUNITS; i++)
			for (size_t c = 0; c < 3; c++)
			{
				pegs_accountant accountant = open_accountant(pure, units[i]);
				double		cost = fmin(costs[c], pegs_accountant_left(&accountant));
				double		wanted = variance_of(pure, units[i], cost);
				double		said;
				double		sum = 0;
				double		squares = 0;
				double		fourth = 0;
				double		variance;
				double		error;
				bool		whole = true;

				start((uint8_t) (10 * i + c));
				for (size_t x = 0; x < N; x++)
					exact[x] = (int64_t) (x % 1000);
				said = pegs_measure(&accountant, &rng, PEGS_FOR_PAIR, cost, exact, noisy, N);
				/* what is returned: never less than what is needed, and hardly more */
				CHECK(said >= wanted * (1 - 1e-9));
				CHECK_NEAR(said, wanted, 1e-6);
				/* what is drawn */
				for (size_t x = 0; x < N; x++)
				{
					double		d = noisy[x] - (double) exact[x];

					whole = whole && d == rint(d);
					sum += d;
					squares += d * d;
					fourth += d * d * d * d;
				}
				CHECK(whole);
				variance = squares / N;
				error = sqrt((fourth / N - variance * variance) / N);
				wanted = drawn_variance(pure, units[i], cost);
				if (!CHECK(fabs(variance - wanted) < 5 * error + 1e-9))
					printf("  pure %d, k %u, cost %g: variance %g, wanted %g\n", pure, units[i], cost, variance, wanted);
				CHECK(fabs(sum / N) < 5 * sqrt(wanted / N) + 1e-9);
				/* noise for one row is told from this */
				if (units[i] > 1)
					CHECK(fabs(variance - drawn_variance(pure, 1, cost)) > 5 * error);
			}
}

/* The same key, k rows at cost k c (or k^2 c): the very noise of one row at c. */
static void
test_draw_for_draw(void)
{
	for (int pure = 0; pure < 2; pure++)
		for (size_t i = 0; i < NUNITS; i++)
			for (double cost = 0x1p-20; cost < 0.01; cost *= 8)
			{
				pegs_accountant one;
				pegs_accountant accountant;
				double		k = units[i];
				double		times = pure ? k : k * k;
				double		variance;

				/* all of it must be there */
				pegs_accountant_init(&accountant, 4000 * PEGS_EPSILON_UNIT, pure ? 0 : PEGS_DELTA_UNIT / 10, units[i]);
				pegs_accountant_init(&one, 4000 * PEGS_EPSILON_UNIT, pure ? 0 : PEGS_DELTA_UNIT / 10, 1);
				if (times * cost > pegs_accountant_left(&accountant))
					continue;
				memset(exact, 0, sizeof(exact));
				start((uint8_t) i);
				variance = pegs_measure(&accountant, &rng, PEGS_FOR_ONEWAY, times * cost, exact, noisy, 200);
				start((uint8_t) i);
				CHECK(pegs_measure(&one, &rng, PEGS_FOR_ONEWAY, cost, exact, other, 200) == variance);
				CHECK(memcmp(noisy, other, 200 * sizeof(double)) == 0);
				CHECK(accountant.spent == (uint64_t) times * one.spent);
			}
}

/* ---------- choices ---------- */

static void
test_choose(void)
{
	const int64_t score[5] = {0, 3, -4, 9, 3};

	for (int pure = 0; pure < 2; pure++)
		for (size_t i = 0; i < NUNITS - 1; i++)
		{
			double		k = units[i];
			/* so that the factor is about 0.2: a cost that grows with k */
			double		cost = pure ? 0.4 * k : 0.02 * k * k;
			double		probability[5];
			double		of_one_row[5];
			double		sum = 0;
			double		sum_one = 0;
			uint64_t	seen[5] = {0};
			double		p;

			for (int j = 0; j < 5; j++)
			{
				sum += probability[j] = exp((double) score[j] * (pure ? cost / (2 * k) : sqrt(2 * cost) / k));
				sum_one += of_one_row[j] = exp((double) score[j] * (pure ? cost / 2 : sqrt(2 * cost)));
			}
			for (int j = 0; j < 5; j++)
			{
				probability[j] /= sum;
				of_one_row[j] /= sum_one;
			}
			start((uint8_t) (100 + i));
			for (int d = 0; d < N; d++)
			{
				pegs_accountant accountant = open_accountant(pure, units[i]);

				accountant.total = PEGS_MAX_COST;
				seen[pegs_choose(&accountant, &rng, cost, score, 5)]++;
			}
			p = chisquare_p(seen, probability, 5, N);
			if (!CHECK(p > CHISQUARE_P))
				printf("  pure %d, k %g: p = %g\n", pure, k, p);
			/* a choice made for one row is told from this, while it is one */
			if (units[i] > 1 && units[i] < 10)
				CHECK(chisquare_p(seen, of_one_row, 5, N) < CHISQUARE_P);
		}
}

/* ---------- the record ---------- */

static void
check_record(const pegs_accountant *accountant, const uint32_t *uses)
{
	uint64_t	sum = 0;

	for (uint32_t i = 0; i < 3; i++)
	{
		CHECK_INT(accountant->record[i].purpose, i + 1);
		CHECK_INT(accountant->record[i].uses, uses[i]);
		sum += accountant->record[i].cost;
	}
	CHECK_INT(sum, accountant->spent);
	CHECK(accountant->spent <= accountant->total);
}

static void
test_record(void)
{
	const int64_t score[3] = {1, 2, 3};

	memset(exact, 0, sizeof(exact));
	for (int pure = 0; pure < 2; pure++)
		for (size_t i = 0; i < NUNITS; i++)
		{
			pegs_accountant accountant = open_accountant(pure, units[i]);
			double		all = pegs_accountant_left(&accountant);
			uint32_t	uses[3] = {0};

			start((uint8_t) (200 + i));
			check_record(&accountant, uses);
			for (int x = 0; x < 30; x++)
			{
				uint64_t	before = accountant.spent;
				double		cost = all / 40 * (1 + x % 3) / 2;

				/* costs are recorded as they were given, not divided by k: the person pays them once */
				if (x % 3 == 0)
					CHECK(pegs_measure(&accountant, &rng, PEGS_FOR_ONEWAY, cost, exact, noisy, 3) > 0);
				else if (x % 3 == 1)
					CHECK(pegs_choose(&accountant, &rng, cost, score, 3) < 3);
				else
					CHECK(pegs_measure(&accountant, &rng, PEGS_FOR_PAIR, cost, exact, noisy, 3) > 0);
				uses[x % 3]++;
				CHECK(accountant.spent - before == (uint64_t) (cost / UNIT));
				check_record(&accountant, uses);
			}
			/* more than is left is what is left; then nothing can be bought, and nothing is looked at */
			CHECK(pegs_measure(&accountant, &rng, PEGS_FOR_PAIR, 2 * all, exact, noisy, 3) > 0);
			uses[2]++;
			check_record(&accountant, uses);
			CHECK_INT(accountant.spent, accountant.total);
			CHECK(pegs_accountant_left(&accountant) == 0);
			noisy[0] = 4711;
			CHECK(pegs_measure(&accountant, &rng, PEGS_FOR_ONEWAY, all, exact, noisy, 3) < 0);
			CHECK(noisy[0] == 4711);
			CHECK(pegs_choose(&accountant, &rng, all, score, 3) < 3);
			check_record(&accountant, uses);
		}
}

/* A cost that k rows use up to nothing buys nothing: no table is given out with noise for fewer. */
static void
test_too_little(void)
{
	for (int pure = 0; pure < 2; pure++)
	{
		pegs_accountant accountant = open_accountant(pure, 1000);
		double		times = pure ? 1000 : 1e6;

		start(1);
		exact[0] = 7;
		noisy[0] = 4711;
		CHECK(pegs_measure(&accountant, &rng, PEGS_FOR_PAIR, (times - 1) * UNIT, exact, noisy, 1) < 0);
		CHECK(noisy[0] == 4711);
		CHECK(accountant.spent <= (uint64_t) times);
		CHECK(pegs_measure(&accountant, &rng, PEGS_FOR_PAIR, times * UNIT, exact, noisy, 1) > 0);
		CHECK_INT(accountant.record[0].cost + accountant.record[1].cost + accountant.record[2].cost, accountant.spent);
		CHECK(pegs_measure(&accountant, &rng, PEGS_FOR_PAIR, 0, exact, noisy, 1) < 0);
		CHECK(pegs_measure(&accountant, &rng, PEGS_FOR_PAIR, -1, exact, noisy, 1) < 0);
	}
}

/* ---------- persons that weigh equally ---------- */

/*
 * Each person counted W times, sensitivity W: divided by W, tables and choices
 * are those of one row a person, at the same cost. What is drawn is finer than
 * a row, so the variance is that of the formula, not draw for draw.
 */
static void
test_persons(void)
{
	static const uint32_t W = 64;
	static const double costs[] = {0.001, 0.03, 0.5};
	const int64_t score[5] = {0, 3, -4, 9, 3};
	int64_t		larger[5];

	for (int pure = 0; pure < 2; pure++)
	{
		for (size_t c = 0; c < 3; c++)
		{
			pegs_accountant accountant = open_accountant(pure, W);
			double		cost = costs[c];
			double		wanted = pure ? 2 / (cost * cost) : 1 / (2 * cost);
			double		squares = 0;
			double		fourth = 0;
			double		error;

			accountant.rows_each = W;
			CHECK(pegs_accountant_scale(&accountant) == W);
			start((uint8_t) (30 + c));
			for (size_t x = 0; x < N; x++)
				exact[x] = (int64_t) (W * (x % 100));
			CHECK(pegs_measure(&accountant, &rng, PEGS_FOR_PAIR, cost, exact, noisy, N) > 0);
			for (size_t x = 0; x < N; x++)
			{
				double		d = noisy[x] / W - (double) (x % 100);

				squares += d * d / N;
				fourth += d * d * d * d / N;
			}
			error = sqrt((fourth - squares * squares) / N);
			if (!CHECK(fabs(squares - wanted) < 5 * error + 1e-3 * wanted))
				printf("  pure %d, cost %g: variance %g, of one row %g\n", pure, cost, squares, wanted);
		}
		/* scores W times as large, and choices as of one row: all but the last bits of the factor */
		{
			double		cost = pure ? 0.4 : 0.02;
			double		probability[5];
			double		sum = 0;
			uint64_t	seen[5] = {0};

			for (int j = 0; j < 5; j++)
			{
				larger[j] = W * score[j];
				sum += probability[j] = exp((double) score[j] * (pure ? cost / 2 : sqrt(2 * cost)));
			}
			for (int j = 0; j < 5; j++)
				probability[j] /= sum;
			start(35);
			for (int d = 0; d < N; d++)
			{
				pegs_accountant accountant = open_accountant(pure, W);

				accountant.total = PEGS_MAX_COST;
				accountant.rows_each = W;
				seen[pegs_choose(&accountant, &rng, cost, larger, 5)]++;
			}
			CHECK(chisquare_p(seen, probability, 5, N) > CHISQUARE_P);
		}
	}
	/* rows are the usual case */
	{
		pegs_accountant accountant = open_accountant(true, 5);

		CHECK(pegs_accountant_scale(&accountant) == 1);
	}
}

int
main(void)
{
	test_init();
	test_plans();
	test_measure();
	test_draw_for_draw();
	test_choose();
	test_record();
	test_too_little();
	test_persons();
	return unit_done("accountant_person_test");
}
