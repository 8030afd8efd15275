/*
 * urn_verify_test.c
 *	  pegs_verify_urns: the ratios of an enumeration by hand, and broken urns caught.
 */
#include "core/urn_verify.h"

#include <math.h>
#include <string.h>

#include "core/epsilon.h"
#include "fixture.h"
#include "unit.h"

static uint64_t count[2][6];
static pegs_urn urn[2];

/* One urn over two columns of 2 and 3 levels, or one of each. */
static pegs_urns
fill(uint32_t n, uint64_t alpha)
{
	for (uint32_t u = 0; u < n; u++)
	{
		pegs_urn_init(&env, &urn[u], n == 1 ? 6 : 2 + u);
		pegs_urn_fill(&env, &urn[u], count[u], alpha, NULL);
	}
	return (pegs_urns) {n, urn, NULL, NULL};
}

static const uint32_t levels[2] = {2, 3};

/*
 * Of an empty table the worst output draws the added row's levels n times, (alpha + 1)...(alpha + n)/(alpha ... (alpha + n - 1))
 * over what the sums are off by, or never.
 */
static void
test_worst(void)
{
	for (uint32_t tables = 1; tables <= 2; tables++)
		for (uint32_t n = 1; n <= (tables == 1 ? 4 : 3); n++)
		{
			uint64_t	alpha = 3 * 65536 / 2;
			pegs_urns	urns;
			pegs_verdict verdict;
			double		added = 0;
			double		another = 0;

			memset(count, 0, sizeof(count));
			urns = fill(tables, alpha);
			for (uint32_t u = 0; u < tables; u++)
				for (uint32_t j = 0; j < n; j++)
				{
					double		sums = log((1 + urn[u].k * 1.5 + j) / (urn[u].k * 1.5 + j));

					added += log((2.5 + j) / (1.5 + j)) - sums;
					another += sums;
				}
			CHECK(pegs_verify_urns(&env, &urns, 2, levels, alpha, n, pegs_urn_put_back, &verdict) == PEGS_OK);
			CHECK(verdict.holds && verdict.neighbours == 6 && verdict.paths == 6 * (uint64_t) pow(6, n));
			CHECK(fabs(verdict.worst - fmax(added, another)) < 1e-12);
			CHECK(fabs(verdict.bound - tables * log1p(n / 1.5)) < 1e-12);
			/* rows that are there may be taken away, too */
			count[0][0] = count[1][0] = 2;
			urns = fill(tables, alpha);
			CHECK(pegs_verify_urns(&env, &urns, 2, levels, alpha, n, pegs_urn_put_back, &verdict) == PEGS_OK);
			CHECK(verdict.holds && verdict.neighbours == 7);
			arena_free(&memory);
		}
}

static void
never(pegs_urn *u, uint32_t level)
{
	(void) u;
	(void) level;
}

/* Beside many rows an empty level is nearly the bound; nothing put back (plug-in), or urns of half of alpha, is above it. */
static void
test_broken(void)
{
	for (uint32_t tables = 1; tables <= 2; tables++)
	{
		uint64_t	alpha;
		pegs_urns	urns;
		pegs_verdict verdict;

		memset(count, 0, sizeof(count));
		count[0][1] = count[1][1] = 1000000;
		CHECK(pegs_alpha_urn(PEGS_EPSILON_UNIT, tables, 2, 6, &alpha) == PEGS_OK);
		urns = fill(tables, alpha);
		CHECK(pegs_verify_urns(&env, &urns, 2, levels, alpha, 2, pegs_urn_put_back, &verdict) == PEGS_OK);
		CHECK(verdict.holds && verdict.bound <= 1 && verdict.worst > 0.99);
		CHECK(pegs_verify_urns(&env, &urns, 2, levels, alpha, 2, never, &verdict) == PEGS_OK);
		CHECK(!verdict.holds);
		urns = fill(tables, alpha / 2);
		CHECK(pegs_verify_urns(&env, &urns, 2, levels, alpha, 2, pegs_urn_put_back, &verdict) == PEGS_OK);
		CHECK(!verdict.holds);
		arena_free(&memory);
	}
}

/*
 * Two urns of which a row is in one alone, by the first column, and draws from
 * one after the other: the price of half of the draws, rounded up, holds and is
 * nearly reached; one draw less does not.
 */
static void
test_apart(void)
{
	static const uint32_t start_of[3] = {0, 3, 6};
	static const uint32_t cell[6] = {0, 1, 2, 3, 4, 5};

	for (uint32_t n = 2; n <= 4; n++)
		for (uint32_t less = 0; less < 2; less++)
		{
			uint64_t	alpha;
			pegs_urns	urns = {2, urn, start_of, cell};
			pegs_verdict verdict;

			if ((n + 1) / 2 - less < 1)
				continue;
			CHECK(pegs_alpha_urn(PEGS_EPSILON_UNIT, 1, (n + 1) / 2 - less, 3, &alpha) == PEGS_OK);
			memset(count, 0, sizeof(count));
			count[0][1] = count[1][2] = 1000000;
			for (int u = 0; u < 2; u++)
			{
				pegs_urn_init(&env, &urn[u], 3);
				pegs_urn_fill(&env, &urn[u], count[u], alpha, NULL);
			}
			CHECK(pegs_verify_urns(&env, &urns, 2, levels, alpha, n, pegs_urn_put_back, &verdict) == PEGS_OK);
			CHECK(verdict.neighbours == 8 && verdict.paths == 8 * (uint64_t) pow(3, n));
			CHECK(verdict.holds && (less ? verdict.worst > 1.2 : verdict.worst > 0.99 && verdict.worst <= 1));
			CHECK(fabs(verdict.bound - log1p((n + 1) / 2 / ldexp((double) alpha, -16))) < 1e-9);
			arena_free(&memory);
		}
}

/*
 * A prior changes no claim: with it the same price holds, whatever it is, and is
 * nearly reached where it gives nothing. One that took away would not hold: nor
 * does one that knows the rows.
 */
static void
test_prior(void)
{
	static const uint64_t some[2][6] = {{0, 3 * 65536, 1, 70000, 0, 0}, {5 * 65536, 0, 9}};
	static const uint64_t less[6] = {-(uint64_t) 40000};

	for (uint32_t tables = 1; tables <= 2; tables++)
	{
		uint64_t	alpha;
		pegs_urns	urns;
		pegs_verdict verdict;

		memset(count, 0, sizeof(count));
		count[0][1] = count[1][1] = 1000000;
		CHECK(pegs_alpha_urn(PEGS_EPSILON_UNIT, tables, 2, 6, &alpha) == PEGS_OK);
		for (int of = 0; of < 3; of++)
		{
			urns = fill(tables, alpha);
			for (uint32_t u = 0; u < tables; u++)
			{
				urn[u].prior = of < 2 ? some[(u + (uint32_t) of) % 2] : less;
				pegs_urn_fill(&env, &urn[u], count[u], alpha, NULL);
			}
			CHECK(pegs_verify_urns(&env, &urns, 2, levels, alpha, 2, pegs_urn_put_back, &verdict) == PEGS_OK);
			CHECK(verdict.bound <= 1 && verdict.holds == (of < 2) && (of < 2 ? verdict.worst > 0.4 : verdict.worst > 1));
			arena_free(&memory);
		}
	}
}

static void
test_limits(void)
{
	const uint32_t wide[2] = {300, 300};
	pegs_urns	urns = fill(1, 65536);
	pegs_verdict verdict;

	CHECK(pegs_verify_urns(&env, &urns, 2, wide, 65536, 1, pegs_urn_put_back, &verdict) == PEGS_ERR_TOO_LARGE);
	CHECK(pegs_verify_urns(&env, &urns, 2, levels, 65536, 65, pegs_urn_put_back, &verdict) == PEGS_ERR_TOO_LARGE);
	CHECK(pegs_verify_urns(&env, &urns, 2, levels, 65536, 0, pegs_urn_put_back, &verdict) == PEGS_ERR_TOO_LARGE);
	arena_free(&memory);
}

int
main(void)
{
	test_worst();
	test_broken();
	test_apart();
	test_prior();
	test_limits();
	return unit_done("urn_verify_test");
}
