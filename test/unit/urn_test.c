/*
 * urn_test.c
 *	  Draws from one table, each put back double: claims P18 and P24, docs/privacy.md.
 *
 * The urn's own tree is enumerated: all tables of so many rows, all draws, on
 * both of two neighbours, a row more or another one. The plug-in, which puts
 * nothing back, must break the bound here, as it does in the paper's tables.
 */
#include "core/urn.h"

#include <math.h>
#include <string.h>

#include "chisquare.h"
#include "fixture.h"
#include "unit.h"

#define MAX_LEVELS 3

static uint64_t
weight_of_all(const pegs_urn *urn)
{
	uint64_t	sum = 0;

	for (uint32_t i = 0; i < urn->k; i++)
		sum += pegs_urn_weight(urn, i);
	return sum;
}

/* ---- the tree ---- */

static uint32_t
drawn(const pegs_urn *urn, uint64_t u)
{
	/* the smallest word whose product with the total is u and is not rejected */
	pegs_u128	word = (((pegs_u128) u << 64) + urn->total - 1) / urn->total + 1;

	rng.next = 0;
	rng.buffer[0] = (uint64_t) word;
	return pegs_urn_draw(urn, &rng);
}

/* Whatever u is: the level whose part of the line it is in. */
static void
test_tree(void)
{
	start(1);
	for (uint32_t k = 1; k <= 40; k++)
	{
		pegs_urn	urn;
		uint64_t	count[40];
		bool		is_level[40];
		uint64_t	below = 0;

		for (uint32_t i = 0; i < k; i++)
		{
			count[i] = i % 3 == 1 ? 0 : pegs_rng_below(&rng, 1000);
			is_level[i] = k < 20 || i % 4 != 2;
		}
		pegs_urn_init(&env, &urn, k);
		for (int turn = 0; turn < 2; turn++)
		{
			uint64_t	alpha = turn == 0 ? 12345 : 0;

			pegs_urn_fill(&env, &urn, count, alpha, turn == 0 ? NULL : is_level);
			for (uint32_t i = 0; i < k; i++)
				CHECK(pegs_urn_weight(&urn, i) == (turn == 0 || is_level[i] ? (count[i] << 16) + alpha : 0));
			for (uint32_t i = 0; i < k; i += 5)
				pegs_urn_put_back(&urn, i);
			CHECK(weight_of_all(&urn) == urn.total);
			below = 0;
			for (uint32_t i = 0; i < k; i++)
			{
				uint64_t	weight = pegs_urn_weight(&urn, i);

				CHECK(weight == (turn == 0 || is_level[i] ? (count[i] << 16) + alpha : 0) + (i % 5 == 0 ? PEGS_URN_ONE : 0));
				if (weight > 0)
				{
					CHECK_INT(drawn(&urn, below), i);
					CHECK_INT(drawn(&urn, below + weight / 2), i);
					CHECK_INT(drawn(&urn, below + weight - 1), i);
				}
				below += weight;
			}
		}
		/* a prior is there besides, but not of what is left out */
		urn.prior = count;
		pegs_urn_fill(&env, &urn, count, 12345, is_level);
		for (uint32_t i = 0; i < k; i++)
			CHECK(pegs_urn_weight(&urn, i) == (is_level[i] ? (count[i] << 16) + 12345 + count[i] : 0));
		CHECK(weight_of_all(&urn) == urn.total);
		urn.prior = NULL;
		/* a new call begins anew; nothing in it is nothing to draw */
		pegs_urn_fill(&env, &urn, count, 7, NULL);
		CHECK(pegs_urn_weight(&urn, 0) == (count[0] << 16) + 7);
		memset(count, 0, sizeof(count));
		pegs_urn_fill(&env, &urn, count, 0, NULL);
		CHECK(urn.total == 0 && weight_of_all(&urn) == 0);
		arena_free(&memory);
	}
}

/* The first draw, and the second by what the first was. */
static void
test_draws(void)
{
	static const uint64_t count[3] = {4, 0, 1};
	uint64_t	seen[9] = {0};
	double		p[9];

	for (uint32_t a = 0; a < 3; a++)
		for (uint32_t b = 0; b < 3; b++)
			p[3 * a + b] = ((double) count[a] + 0.5) / 6.5 * ((double) count[b] + 0.5 + (a == b)) / 7.5;
	start(2);
	for (int i = 0; i < 200000; i++)
	{
		pegs_urn	urn;
		uint32_t	a;

		pegs_urn_init(&env, &urn, 3);
		pegs_urn_fill(&env, &urn, count, PEGS_URN_ONE / 2, NULL);
		a = pegs_urn_draw(&urn, &rng);
		pegs_urn_put_back(&urn, a);
		seen[3 * a + pegs_urn_draw(&urn, &rng)]++;
		arena_free(&memory);
	}
	CHECK(chisquare_p(seen, p, 9, 200000) > CHISQUARE_P);
}

/* A long fill can be stopped. */
static void
test_asks(void)
{
	uint32_t	k = 300000;
	uint64_t   *count = env.alloc(env.context, sizeof(uint64_t) * k);
	pegs_urn	urn;
	size_t		before;

	pegs_urn_init(&env, &urn, k);
	before = memory.checks;
	pegs_urn_fill(&env, &urn, count, 3, NULL);
	CHECK(memory.checks >= before + 4 && urn.total == 3 * (uint64_t) k);
	CHECK_INT(drawn(&urn, 3 * UINT64_C(299999) + 1), 299999);
	arena_free(&memory);
}

/* ---- the claim ---- */

typedef struct trial
{
	uint32_t	k;
	uint64_t	alpha;
	bool		plug_in;
	const bool *is_level;
	pegs_urn	urn[2];
	double		worst;			/* |ln| */
} trial;

/* All ways to draw m more. */
static void
walk(trial *t, uint32_t m, long double p, long double q)
{
	if (m == 0)
	{
		t->worst = fmax(t->worst, (double) fabsl(logl(p / q)));
		return;
	}
	for (uint32_t j = 0; j < t->k; j++)
	{
		long double share[2];
		pegs_urn	before[2];
		uint64_t	sum[2][MAX_LEVELS + 1];

		if (t->is_level && !t->is_level[j])
			continue;
		for (int side = 0; side < 2; side++)
		{
			share[side] = (long double) pegs_urn_weight(&t->urn[side], j) / t->urn[side].total;
			before[side] = t->urn[side];
			memcpy(sum[side], t->urn[side].sum, sizeof(uint64_t) * (t->k + 1));
			if (!t->plug_in)
				pegs_urn_put_back(&t->urn[side], j);
		}
		walk(t, m - 1, p * share[0], q * share[1]);
		for (int side = 0; side < 2; side++)
		{
			t->urn[side] = before[side];
			memcpy(t->urn[side].sum, sum[side], sizeof(uint64_t) * (t->k + 1));
		}
	}
}

static void
both(trial *t, const uint64_t *a, const uint64_t *b, uint32_t m)
{
	pegs_urn_fill(&env, &t->urn[0], a, t->alpha, t->is_level);
	pegs_urn_fill(&env, &t->urn[1], b, t->alpha, t->is_level);
	walk(t, m, 1, 1);
}

/* All tables of up to `rows` rows, and a row more in any level (replace false), or one of n rows in another. */
static double
worst_of(uint32_t k, uint32_t rows, uint32_t m, uint64_t alpha, bool replace, bool plug_in, const bool *is_level)
{
	trial		t = {.k = k, .alpha = alpha, .plug_in = plug_in, .is_level = is_level};
	uint64_t	a[MAX_LEVELS];

	for (int side = 0; side < 2; side++)
		pegs_urn_init(&env, &t.urn[side], k);
	for (a[0] = 0; a[0] <= rows; a[0]++)
		for (a[1] = 0; a[0] + a[1] <= rows; a[1]++)
			for (a[2] = 0; a[0] + a[1] + a[2] <= rows; a[2]++)
			{
				if (k == 2 && a[2] > 0)
					break;
				if (a[0] + a[1] + a[2] == rows)
					continue;	/* the row is still to come */
				for (uint32_t x = 0; x < k; x++)
				{
					uint64_t	b[MAX_LEVELS] = {a[0], a[1], a[2]};

					b[x]++;
					if (!replace)
						both(&t, a, b, m);
					for (uint32_t y = 0; replace && y < x; y++)
					{
						uint64_t	c[MAX_LEVELS] = {a[0], a[1], a[2]};

						c[y]++;
						both(&t, c, b, m);
					}
				}
			}
	arena_free(&memory);
	return t.worst;
}

/* The design's table, of an independent enumeration in exact rationals. */
static void
test_claim(void)
{
	static const struct
	{
		uint32_t	k;
		uint32_t	rows;			/* of the larger table, at most */
		uint32_t	m;
		uint64_t	alpha;
		double		add;
		double		replace;
		double		plug_in;
	}			line[] = {
		{2, 6, 5, PEGS_URN_ONE / 2, 1.791759, 2.397895, 5.493061}, {3, 4, 4, PEGS_URN_ONE / 2, 1.561236, 2.197225, 4.394449},
		{3, 4, 4, 2 * PEGS_URN_ONE, 0.730888, 1.098612, 1.621860}, {3, 7, 3, PEGS_URN_ONE / 3, 1.945910, 2.302585, 4.158883}
	};

	for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++)
	{
		/* to the printed digits; a third is no whole number of 2^-16 */
		double		off = line[i].alpha % 2 == 0 ? 5.00001e-7 : 5e-5;
		double		bound = log1p((double) (line[i].m * PEGS_URN_ONE) / (double) line[i].alpha);
		double		add = worst_of(line[i].k, line[i].rows, line[i].m, line[i].alpha, false, false, NULL);
		double		replace = worst_of(line[i].k, line[i].rows, line[i].m, line[i].alpha, true, false, NULL);

		CHECK(add <= bound * (1 + 1e-14) && fabs(add - line[i].add) < off);
		/* and it is reached */
		CHECK(replace <= bound * (1 + 1e-14) && replace >= bound * (1 - 1e-14) && fabs(replace - line[i].replace) < off);
		/* draws of the table itself: the paper's tables, and far above */
		CHECK(fabs(worst_of(line[i].k, line[i].rows, line[i].m, line[i].alpha, true, true, NULL) - line[i].plug_in) < off);
	}
}

/* Levels that are left out, which is public: no more than without. */
static void
test_left_out(void)
{
	static const bool is_level[3] = {true, false, true};

	for (uint32_t m = 1; m <= 5; m++)
		for (int replace = 0; replace < 2; replace++)
		{
			double		worst = worst_of(3, 4, m, PEGS_URN_ONE / 2, replace == 1, false, is_level);

			CHECK(worst <= log1p(2 * m) * (1 + 1e-14) && worst > 0.3);
		}
}

/* From epsilon to alpha, and back by enumeration. */
static void
test_paid(void)
{
	static const double epsilons[] = {0.5, 1, 3};

	for (size_t e = 0; e < 3; e++)
		for (uint32_t m = 1; m <= 5; m++)
		{
			int64_t		epsilon = (int64_t) (epsilons[e] * 1e9);
			int64_t		delta = 0;
			uint64_t	alpha;

			CHECK(pegs_urn_price(1, m, 3, 1, epsilon, &delta, &alpha) == PEGS_OK);
			CHECK(worst_of(3, 4, m, alpha, true, false, NULL) <= epsilons[e]);
			CHECK(worst_of(3, 4, m, alpha, false, false, NULL) <= epsilons[e]);
			CHECK(worst_of(3, 4, m, alpha / 2, true, false, NULL) > epsilons[e]);
			CHECK(m < 3 || worst_of(3, 4, m, alpha, true, true, NULL) > epsilons[e]);
		}
}

/* ---- alpha ---- */

static double
alpha_of(uint64_t tables, uint64_t draws, uint32_t rows_per_unit, double epsilon, int64_t delta, int64_t *left)
{
	uint64_t	alpha;

	*left = delta;
	if (!CHECK(pegs_urn_price(tables, draws, 100, rows_per_unit, llround(epsilon * 1e9), left, &alpha) == PEGS_OK))
		return 0;
	return (double) alpha / 65536;
}

static void
test_price(void)
{
	/* McClure and Reiter: one table, one row */
	int64_t		left;
	uint64_t	alpha;
	const int64_t delta = 1000000000;

	CHECK_NEAR(alpha_of(1, 1, 1, 1, 0, &left), 0.581977, 3e-5);
	CHECK_NEAR(alpha_of(1, 1, 1, log(3), 0, &left), 0.5, 4e-5);
	/* 14 tables, 1,000 rows; and any number with delta */
	CHECK_NEAR(alpha_of(14, 1000, 1, 0.1, 0, &left), 139500.6, 1e-5);
	CHECK_NEAR(alpha_of(14, 1000, 1, 1, 0, &left), 13506.0, 1e-5);
	CHECK_NEAR(alpha_of(14, 1000, 1, 10, 0, &left), 959.0, 1e-4);
	for (uint64_t n = 10000; n <= 1000000000; n *= 100)
	{
		CHECK_NEAR(alpha_of(14, n, 1, 0.1, delta, &left), 39614.5, 1e-5);
		CHECK_NEAR(alpha_of(14, n, 1, 1, delta, &left), 479.1, 1e-3);
		CHECK_NEAR(alpha_of(14, n, 1, 10, delta, &left), 8.1, 1e-2);
		CHECK_INT(left, delta);
	}
	/* where epsilon alone buys no less, no delta is taken; nor of persons of several rows, who have a part of epsilon */
	CHECK_NEAR(alpha_of(1, 1000, 1, 10, delta, &left), 0.0454, 1e-2);
	CHECK_INT(left, 0);
	CHECK_NEAR(alpha_of(2, 1000, 3, 1, delta, &left), alpha_of(2, 1000, 1, 1.0 / 3, 0, &left), 1e-5);
	CHECK_INT(left, 0);
	/* weights that pass 2^63, and too many draws */
	left = 0;
	CHECK(pegs_urn_price(1, UINT64_C(1) << 45, 2, 1, 10 * PEGS_EPSILON_UNIT, &left, &alpha) == PEGS_OK);
	CHECK(pegs_urn_price(1, (UINT64_C(1) << 45) + 1, 2, 1, 10 * PEGS_EPSILON_UNIT, &left, &alpha) == PEGS_ERR_RANGE);
	CHECK(pegs_urn_price(1, 0, 2, 1, PEGS_EPSILON_UNIT, &left, &alpha) == PEGS_ERR_RANGE);
	CHECK(pegs_urn_price(1, UINT64_C(1) << 40, 1 << 26, 1, 1000, &left, &alpha) == PEGS_ERR_RANGE);
	left = delta;
	CHECK(pegs_urn_price(1, UINT64_C(1) << 40, 1 << 26, 1, PEGS_EPSILON_UNIT, &left, &alpha) == PEGS_OK && left == delta);
	CHECK((alpha << 26) + (UINT64_C(1) << 56) + (UINT64_C(1) << 62) <= UINT64_C(1) << 63);
	/* likewise wherever alpha is bought by delta, up to the smallest epsilon and the most draws */
	for (int64_t epsilon = 1; epsilon < PEGS_EPSILON_UNIT; epsilon = epsilon * 5 / 4 + 1)
		for (uint32_t levels = 3; levels < 1 << 26; levels *= 3)
		{
			left = delta;
			if (pegs_urn_price(1, UINT64_C(1) << 45, levels, 1, epsilon, &left, &alpha) == PEGS_OK && CHECK(alpha <= (UINT64_C(1) << 62) / levels))
				CHECK(alpha * levels + (UINT64_C(1) << 61) <= UINT64_C(1) << 62);
		}
}

int
main(void)
{
	test_tree();
	test_draws();
	test_asks();
	test_claim();
	test_left_out();
	test_paid();
	test_price();
	return unit_done("urn_test");
}
