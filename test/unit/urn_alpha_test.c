/*
 * urn_alpha_test.c
 *	  Is the alpha of urns ever less than claim P18 asks for?
 *
 * What pegs_alpha_urn and pegs_alpha_urn_renyi return is put back into the
 * bound that it comes from, term by term, in long double: no order is left out, and no
 * sum is bounded by a chord. A unit less, or a part of 2^-7 (the largest orders are never tried), must fail.
 */
#include "core/epsilon.h"

#include "fixture.h"
#include "unit.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* The least epsilon of all integer orders L with 2 <= L < alpha + 1: P18 (2), as it is written there. */
static long double
least_epsilon(long double alpha, long double delta, long double columns)
{
	long double sum = 0;
	long double lost = 0;
	long double least = INFINITY;

	for (uint64_t i = 1; (long double) i < alpha; i++)
	{
		long double order = (long double) i + 1;
		long double term = -log1pl(-(long double) i / alpha) - lost;
		long double more = sum + term;
		long double divergence;

		lost = (more - sum) - term;
		sum = more;
		divergence = columns * sum / (long double) i;
		least = fminl(least, divergence + logl((order - 1) / order) - (logl(delta) + logl(order)) / (long double) i);
		/* it grows with the order, and what is taken off falls */
		if (divergence - (1 + fmaxl(0, logl(delta) + logl(order))) / (long double) i > least)
			break;
	}
	return least;
}

/* Orders of a few, of which all terms are added, and of thousands; alphas beside which a unit is much, or nothing. */
static void
test_with_delta(void)
{
	static const int64_t epsilons[] = {10000000, 100000000, 1000000000, 3000000000, 10000000000};
	static const int64_t deltas[] = {1000, 1000000000, 1000000000000, 100000000000000000};
	static const uint64_t columns[] = {1, 2, 14, 1000, 1000000};

	for (size_t e = 0; e < COUNT(epsilons); e++)
		for (size_t d = 0; d < COUNT(deltas); d++)
			for (size_t c = 0; c < COUNT(columns); c++)
			{
				long double epsilon = (long double) epsilons[e] / 1e9L;
				long double delta = (long double) deltas[d] / 1e18L;
				uint64_t	alpha;
				long double units;

				if (!CHECK(pegs_alpha_urn_renyi(epsilons[e], deltas[d], columns[c], 2, &alpha) == PEGS_OK))
					continue;
				units = ldexpl((long double) alpha, -PEGS_ALPHA_BITS);
				if (!CHECK(least_epsilon(units, delta, (long double) columns[c]) <= epsilon))
					printf("  epsilon %.9Lg, delta %.9Lg, %llu columns: alpha %.12Lg\n", epsilon, delta, (unsigned long long) columns[c], units);
				units = fminl(units - ldexpl(1, -PEGS_ALPHA_BITS), units * (1 - 0x1p-7L));
				CHECK(!(least_epsilon(units, delta, (long double) columns[c]) <= epsilon));
			}
}

/* P18 (1): columns ln(1 + draws/alpha) is at most epsilon, and of a unit less it is more; all weights fit. */
static void
test_without(void)
{
	int			fits = 0;
	int			refused = 0;

	start(1);
	for (int i = 0; i < 50000; i++)
	{
		uint64_t	columns = any_size(UINT64_C(1) << 40);
		uint64_t	draws = any_size(UINT64_C(1) << 45);
		uint32_t	levels = (uint32_t) any_size(PEGS_MAX_CELLS);
		int64_t		epsilon = (int64_t) any_size(INT64_C(1) << 50);
		long double real = (long double) epsilon / 1e9L;
		long double wanted = ldexpl((long double) draws, PEGS_ALPHA_BITS) / expm1l(real / (long double) columns);
		uint64_t	alpha = 0;

		if (pegs_alpha_urn(epsilon, columns, draws, levels, &alpha) != PEGS_OK)
		{
			refused++;
			CHECK((wanted * (1 + ldexpl(1, -39)) + 1) * levels + ldexpl((long double) draws, PEGS_ALPHA_BITS) > (long double) PEGS_ALPHA_ROOM);
			continue;
		}
		fits++;
		CHECK(alpha >= 1 && (long double) alpha >= wanted);
		CHECK(alpha == 1 || (long double) (alpha - 1) < wanted * (1 + ldexpl(1, -39)));
		CHECK((pegs_u128) alpha * levels + ((pegs_u128) draws << PEGS_ALPHA_BITS) <= PEGS_ALPHA_ROOM);
	}
	if (!CHECK(fits > 5000 && refused > 5000))
		printf("  %d fit, %d do not\n", fits, refused);
}

int
main(void)
{
	test_with_delta();
	test_without();
	return unit_done("urn_alpha_test");
}
