/*
 * normal_test.c
 *	  Quantiles of the normal distribution: right, and the same everywhere.
 */
#include "core/copula/normal.h"

#include <string.h>

#include "chisquare.h"
#define STREAM_SALT [1] = 62
#include "fixture.h"
#include "unit.h"

/* Put back into the distribution, from the middle to where a double ends. */
static void
test_quantiles(void)
{
	double		before = -100;

	for (int i = 1; i < 2000; i++)
	{
		double		p = i / 2000.0;
		double		x = pegs_normal_quantile(p);

		CHECK_NEAR(erfc(-x * M_SQRT1_2) / 2, p, 1e-14);
		CHECK(x > before);
		before = x;
	}
	for (int k = 2; k < 1000; k++)
	{
		double		p = ldexp(0.7, -k);
		double		x = pegs_normal_quantile(p);

		CHECK_NEAR(erfc(-x * M_SQRT1_2) / 2, p, 1e-11);
		CHECK(k > 40 || fabs(pegs_normal_quantile(1 - p) + x) < 1e-3);
	}
	CHECK(pegs_normal_quantile(0.5) == 0);
	CHECK_NEAR(pegs_normal_quantile(0.975), 1.959963984540054, 1e-15);
}

/* A model that was exported gives the same rows: these are the bits, on every machine. */
static void
test_bits(void)
{
	static const uint64_t expected[8] = {
		UINT64_C(0x3fe281fdf81e216e), UINT64_C(0xbfe497e2e1a77fc6), UINT64_C(0x3fe4ec93902870f9), UINT64_C(0xbfb23faeb563b8fe),
		UINT64_C(0xbfd95c518708ee7d), UINT64_C(0xbfea1071e9ea7ac2), UINT64_C(0x3fdc4342c93fdf55), UINT64_C(0x3ff6ea183315bdcd)
	};
	double		sum = 0;

	start(1);
	for (int i = 0; i < 8; i++)
	{
		double		x = pegs_normal_draw(&rng);
		uint64_t	bits;

		memcpy(&bits, &x, 8);
		CHECK(bits == expected[i]);
	}
	for (int i = 0; i < 100000; i++)
		sum += pegs_normal_draw(&rng);
	CHECK(sum == 463.29934489323364);
}

/* The table beside the quantiles, as far as the tails and in every cell of it; its bits are those of every machine, too. */
static void
test_table(void)
{
	static const uint64_t expected[4] = {
		UINT64_C(0x3fe281fdf8500ad1), UINT64_C(0xbfe497e2e1ded04f), UINT64_C(0x3fe4ec9390c138f0), UINT64_C(0xbfb23faeb55cd75a)
	};
	pegs_normal_table table;
	double		worst = 0;
	double		sum = 0;

	pegs_normal_table_make(&table);
	for (uint64_t stream = 1; stream < 40; stream++)
	{
		pegs_rng	copy;

		start(stream);
		copy = rng;
		for (int i = 0; i < 10000; i++)
			worst = fmax(worst, fabs(pegs_normal_of_table(&table, &rng) - pegs_normal_draw(&copy)));
	}
	CHECK(worst > 0 && worst < 1e-8);
	start(1);
	for (int i = 0; i < 4; i++)
	{
		double		x = pegs_normal_of_table(&table, &rng);
		uint64_t	bits;

		memcpy(&bits, &x, 8);
		CHECK(bits == expected[i]);
	}
	for (int i = 0; i < 100000; i++)
		sum += pegs_normal_of_table(&table, &rng);
	CHECK(sum == 463.81795936423435);
}

/* The streams that no key gives and no code may mind: a table has no cell for a half. */
static void
test_ends(void)
{
	static const uint64_t extreme[] = {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX << 11, UINT64_MAX << 12, 0, 1};
	pegs_normal_table table;
	pegs_rng	copy;

	pegs_normal_table_make(&table);
	start(3);
	(void) pegs_rng_u64(&rng);
	for (int i = 0; i < 6; i++)
		rng.buffer[i] = extreme[i];
	rng.next = 0;
	copy = rng;
	for (int i = 0; i < 6; i++)
	{
		double		x = pegs_normal_draw(&rng);

		CHECK(isfinite(x) && fabs(x) < 9);
		CHECK(i >= 4 || fabs(x) < 1e-15);
		CHECK(fabs(pegs_normal_of_table(&table, &copy) - x) < 1e-8);
	}
}

/* A million of them, in 40 parts of the same size; and the tails are as long as they should be. */
static void
test_draws(void)
{
	uint64_t	seen[40] = {0};
	double		p[40];
	uint64_t	beyond = 0;

	start(2);
	for (int i = 0; i < 40; i++)
		p[i] = 1 / 40.0;
	for (int i = 0; i < 1000000; i++)
	{
		double		x = pegs_normal_draw(&rng);

		seen[(int) fmin(39, floor(40 * erfc(-x * M_SQRT1_2) / 2))]++;
		beyond += fabs(x) > 3.890591886413126;	/* one in 10,000 */
	}
	CHECK(chisquare_p(seen, p, 40, 1000000) > CHISQUARE_P);
	CHECK(beyond > 40 && beyond < 170);
}

int
main(void)
{
	test_quantiles();
	test_bits();
	test_table();
	test_ends();
	test_draws();
	return unit_done("normal_test");
}
