/*
 * rounds_test.c
 *	  How many pairs the rounds are planned for: the rule against a slow one,
 *	  and against the numbers that it was made for.
 *
 * The rule of 0.2.0 was made for wide columns: of 20 narrow ones it asked for
 * at most 120 tables, at any epsilon, and stopped long before asking stopped
 * paying.
 */
#include "core/graph/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "unit.h"

static int
rising(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* All products of two sizes, sorted. */
static double
slow_rounds(const pegs_accountant *accountant, uint32_t m, const double *size, double rows)
{
	size_t		n = 0;
	double	   *cells = malloc(sizeof(double) * m * m);
	double		sd = pegs_noise_sd(accountant, (double) accountant->total * 0x1p-50);
	double		wide = m * fmin(fmax(6 * fmin(rows / sd / 8000, 1) * (rows / sd / 8000), 2), 10);
	double		narrow = 0;

	if (accountant->pure)
	{
		free(cells);
		return m * fmin(fmax(rows / sd / 8000, 2), 6);
	}

	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = a + 1; b < m; b++)
			cells[n++] = size[a] * size[b];
	qsort(cells, n, sizeof(double), rising);
	for (size_t i = 1; i <= n; i++)
		if (cells[i - 1] <= 0.01 * rows / (0.4 * pegs_noise_sd(accountant, (double) accountant->total * 0x1p-50 / (double) i)))
			narrow = (double) i;
	free(cells);
	return fmin(fmin(fmax(wide, narrow), 5.0 * (double) n), fmax(6.0 * m, 1e8 / (double) n));
}

static double
planned(int64_t epsilon, int64_t delta, uint32_t m, const double *size, double rows)
{
	pegs_accountant accountant;
	uint32_t	batch;
	double		rounds;

	pegs_accountant_init(&accountant, epsilon, delta, 1);
	rounds = pegs_rounds(&env, &accountant, m, size, rows, false, &batch);
	CHECK(batch >= 1 && batch * 12.0 >= rounds && (batch - 1) * 12.0 < rounds);
	CHECK(pegs_rounds(&env, &accountant, m, size, rows, true, &batch) == 40 && batch == 4);
	return rounds;
}

static void
test_slow(void)
{
	for (int trial = 0; trial < 3000; trial++)
	{
		uint32_t	m = 2 + (uint32_t) pegs_rng_below(&rng, trial % 100 ? 30 : 150);
		double		size[152];
		double		rows = (double) (1 + any_size(3000000));
		int64_t		epsilon = (int64_t) (1 + any_size(UINT64_C(20) * PEGS_EPSILON_UNIT));
		pegs_accountant accountant;
		uint32_t	batch;
		uint64_t	widest = 1 + any_size(200);

		for (uint32_t i = 0; i < m; i++)
			size[i] = (double) (2 + pegs_rng_below(&rng, widest));
		pegs_accountant_init(&accountant, epsilon, trial % 2 ? PEGS_DELTA_UNIT / 1000000000 : 0, 1);
		if (accountant.total == 0)
			continue;
		CHECK(pegs_rounds(&env, &accountant, m, size, rows, false, &batch) == slow_rounds(&accountant, m, size, rows));
		arena_free(&memory);
	}
}

static void
test_narrow(void)
{
	static const double size[20] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4};
	static const double wide[12] = {240, 18, 10, 10, 60, 8, 2, 5, 3, 25, 12, 5};
	int64_t		delta = PEGS_DELTA_UNIT / 1000000000;

	/* nearly all of the 190 pairs, then all; ten of a column at most, so that each is sharp enough for what is learnt from it */
	CHECK(planned(PEGS_EPSILON_UNIT, delta, 20, size, 30000) >= 170);
	CHECK(planned(10 * (int64_t) PEGS_EPSILON_UNIT, delta, 20, size, 30000) == 200);
	CHECK(planned(10 * (int64_t) PEGS_EPSILON_UNIT, delta, 12, wide, 25000) == 120);
	/* where little can be seen, two of a column */
	CHECK(planned(PEGS_EPSILON_UNIT / 10, delta, 12, wide, 25000) == 24);
	CHECK(planned(PEGS_EPSILON_UNIT / 1000, delta, 20, size, 30000) == 40);
	/* no more than five times each */
	CHECK(planned(20 * (int64_t) PEGS_EPSILON_UNIT, delta, 2, size, 1e9) == 5);
	/* without delta as few as ever */
	CHECK(planned(10 * (int64_t) PEGS_EPSILON_UNIT, 0, 20, size, 30000) == 20 * (30000 / (sqrt(2) / 10) / 8000 > 6 ? 6 : 2));
	/* the sizes of a column decide, not its place */
	CHECK(planned(PEGS_EPSILON_UNIT, delta, 20, size, 5000) == planned(PEGS_EPSILON_UNIT, delta, 20, (double[]) {
		4, 2, 3, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 2, 2, 3, 2, 3, 4, 2}, 5000));
	arena_free(&memory);
}

/* Triples where there are few rows for the noise, and after a cover. */
static void
test_triples(void)
{
	for (int i = 0; i < 2; i++)
	{
		pegs_accountant a;

		pegs_accountant_init(&a, PEGS_EPSILON_UNIT / 10, i ? 0 : PEGS_DELTA_UNIT / 1000000000, 1);
		CHECK(pegs_offers_triples(&a, 30000, false));
		CHECK(pegs_offers_triples(&a, 200000, false));
		CHECK(!pegs_offers_triples(&a, 300000, false));
		CHECK(pegs_offers_triples(&a, 300000, true));
	}
}

/* Very many columns: as many scores as a fit has time for. */
static void
test_many(void)
{
	static double size[1600];

	for (uint32_t i = 0; i < 1600; i++)
		size[i] = 2;
	CHECK(planned(20 * (int64_t) PEGS_EPSILON_UNIT, PEGS_DELTA_UNIT / 1000000000, 1600, size, 1e9) == 9600);
	CHECK(planned(20 * (int64_t) PEGS_EPSILON_UNIT, PEGS_DELTA_UNIT / 1000000000, 200, size, 1e9) == 1e8 / 19900);
	arena_free(&memory);
}

int
main(void)
{
	start(1);
	test_slow();
	test_narrow();
	test_triples();
	test_many();
	return unit_done("rounds_test");
}
