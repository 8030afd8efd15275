/*
 * linear_test.c
 *	  Factors, inverses and ranks against what they are by hand and by definition.
 *
 * A rank is compared with one from integers: elimination of the very design
 * modulo a prime, where nothing is rounded.
 */
#include "core/compare/linear.h"

#include <string.h>

#include "fixture.h"
#include "unit.h"

static double
uniform(void)
{
	return (double) pegs_rng_below(&rng, 1000001) / 500000 - 1;
}

static void
test_by_hand(void)
{
	/* [4 2; 2 5] = U'U with U = [2 1; 0 2]; determinant 16 */
	double		a[4] = {4, 2, -99, 5};
	double		x[2] = {10, 9};
	double		inverse[4];
	double		one = 9;
	double		work[6];
	/* two dummies of all levels and the intercept: the dummies add up to it */
	double		counts[9] = {7, 3, 4, 0, 3, 0, 0, 0, 4};
	double		zero[4] = {0, 0, 0, 0};

	CHECK(pegs_cholesky(&env, 2, a));
	CHECK(a[0] == 2 && a[1] == 1 && a[3] == 2);
	CHECK(a[2] == -99);
	/* 4 x + 2 y = 10, 2 x + 5 y = 9 */
	pegs_cholesky_solve(2, a, x);
	CHECK_NEAR(x[0], 2, 1e-15);
	CHECK_NEAR(x[1], 1, 1e-15);
	pegs_cholesky_inverse(&env, 2, a, inverse);
	CHECK_NEAR(inverse[0], 5.0 / 16, 1e-15);
	CHECK_NEAR(inverse[1], -2.0 / 16, 1e-15);
	CHECK_NEAR(inverse[2], -2.0 / 16, 1e-15);
	CHECK_NEAR(inverse[3], 4.0 / 16, 1e-15);

	CHECK(pegs_cholesky(&env, 1, &one) && one == 3);
	CHECK(pegs_cholesky(&env, 0, NULL));
	CHECK_INT(pegs_gram_rank(&env, 3, counts, work), 2);
	CHECK_INT(pegs_gram_rank(&env, 2, zero, work), 0);
	CHECK_INT(pegs_gram_rank(&env, 0, NULL, work), 0);
}

static void
test_refused(void)
{
	double		singular[4] = {1, 2, 2, 4};
	double		nearly[4] = {1, 1, 1, 1 + 1e-15};
	double		just[4] = {1, 1, 1, 1 + 1e-12};
	double		negative[4] = {1, 0, 0, -1};
	double		lost[4] = {1, NAN, NAN, 1};
	double		huge[4] = {INFINITY, 0, 0, 1};
	double		zero = 0;

	CHECK(!pegs_cholesky(&env, 2, singular));
	CHECK(!pegs_cholesky(&env, 2, nearly));
	CHECK(pegs_cholesky(&env, 2, just));
	CHECK(!pegs_cholesky(&env, 2, negative));
	CHECK(!pegs_cholesky(&env, 2, lost));
	CHECK(!pegs_cholesky(&env, 2, huge));
	CHECK(!pegs_cholesky(&env, 1, &zero));
}

/* As the definition has it, one row after the other. */
static bool
plain_cholesky(size_t n, double *a)
{
	for (size_t k = 0; k < n; k++)
	{
		double		diagonal = a[k * n + k];

		for (size_t i = 0; i < k; i++)
			for (size_t j = k; a[i * n + k] != 0 && j < n; j++)
				a[k * n + j] -= a[i * n + k] * a[i * n + j];
		if (!(a[k * n + k] > 1e-14 * diagonal && a[k * n + k] > 0))
			return false;
		diagonal = sqrt(a[k * n + k]);
		for (size_t j = k; j < n; j++)
			a[k * n + j] /= diagonal;
	}
	return true;
}

/* The blocks, of any number of rows, round as the definition does: every bit, and what is not read stays. */
static void
test_blocks(void)
{
	for (uint32_t n = 1; n < 1100; n += n < 140 ? 1 : 479)
	{
		double	   *a = env.alloc(env.context, sizeof(double) * n * n);
		double	   *b = env.alloc(env.context, sizeof(double) * n * n);
		bool		whole = n % 5 != 0;

		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = i; j < n; j++)
				a[i * n + j] = i == j ? (whole || i < n - 1 ? 1.5 + n : 1e-3) : pegs_rng_below(&rng, 3) == 0 ? uniform() : 0;
		memcpy(b, a, sizeof(double) * n * n);
		CHECK(pegs_cholesky(&env, n, a) == plain_cholesky(n, b));
		CHECK(memcmp(a, b, sizeof(double) * n * n) == 0);
	}
}

/* B'B of random B: U'U gives it back, solve and inverse undo it. */
static void
test_random(void)
{
	for (int turn = 0; turn < 60; turn++)
	{
		uint32_t	n = 1 + (uint32_t) pegs_rng_below(&rng, 40);
		double	   *b = env.alloc(env.context, sizeof(double) * n * n);
		double	   *a = env.alloc(env.context, sizeof(double) * n * n);
		double	   *u = env.alloc(env.context, sizeof(double) * n * n);
		double	   *inverse = env.alloc(env.context, sizeof(double) * n * n);
		double	   *x = env.alloc(env.context, sizeof(double) * n);
		double	   *y = env.alloc(env.context, sizeof(double) * n);
		double		worst[3] = {0, 0, 0};

		/* many zeros, as between dummies */
		for (uint32_t i = 0; i < n * n; i++)
			b[i] = pegs_rng_below(&rng, 3) == 0 ? uniform() : 0;
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; j < n; j++)
			{
				for (uint32_t k = 0; k < n; k++)
					a[i * n + j] += b[k * n + i] * b[k * n + j];
				a[i * n + j] += i == j ? 1 : 0;
			}
		memcpy(u, a, sizeof(double) * n * n);
		/* the lower triangle is not read */
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; j < i; j++)
				u[i * n + j] = NAN;
		CHECK(pegs_cholesky(&env, n, u));
		pegs_cholesky_inverse(&env, n, u, inverse);
		for (uint32_t i = 0; i < n; i++)
			x[i] = uniform();
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; j < n; j++)
				y[i] += a[i * n + j] * x[j];
		pegs_cholesky_solve(n, u, y);
		for (uint32_t i = 0; i < n; i++)
		{
			worst[2] = fmax(worst[2], fabs(y[i] - x[i]));
			for (uint32_t j = 0; j < n; j++)
			{
				double		product = 0;
				double		unit = 0;

				for (uint32_t k = 0; k <= i && k <= j; k++)
					product += u[k * n + i] * u[k * n + j];
				for (uint32_t k = 0; k < n; k++)
					unit += a[i * n + k] * inverse[k * n + j];
				worst[0] = fmax(worst[0], fabs(product - a[i * n + j]));
				worst[1] = fmax(worst[1], fabs(unit - (i == j)));
			}
		}
		CHECK(worst[0] < 1e-13);
		CHECK(worst[1] < 1e-12);
		CHECK(worst[2] < 1e-12);
		CHECK(memory.checks > 0);
		arena_free(&memory);
	}
}

/* ---------- ranks ---------- */

#define PRIME	UINT64_C(2147483647)

static uint64_t
power(uint64_t base, uint64_t exponent)
{
	uint64_t	result = 1;

	for (; exponent > 0; exponent >>= 1, base = base * base % PRIME)
		if (exponent & 1)
			result = result * base % PRIME;
	return result;
}

/* Of rows x n integers below PRIME, which are spoilt. */
static uint32_t
exact_rank(uint64_t *m, uint32_t rows, uint32_t n)
{
	uint32_t	rank = 0;

	for (uint32_t column = 0; column < n && rank < rows; column++)
	{
		uint32_t	pivot = rank;
		uint64_t	inverse;

		while (pivot < rows && m[pivot * n + column] == 0)
			pivot++;
		if (pivot == rows)
			continue;
		for (uint32_t j = 0; j < n; j++)
		{
			uint64_t	swap = m[pivot * n + j];

			m[pivot * n + j] = m[rank * n + j];
			m[rank * n + j] = swap;
		}
		inverse = power(m[rank * n + column], PRIME - 2);
		for (uint32_t i = rank + 1; i < rows; i++)
		{
			uint64_t	factor = m[i * n + column] * inverse % PRIME;

			for (uint32_t j = column; factor != 0 && j < n; j++)
				m[i * n + j] = (m[i * n + j] + (PRIME - factor) * m[rank * n + j]) % PRIME;
		}
		rank++;
	}
	return rank;
}

/*
 * [1, dummies of all levels] of a few columns, some of which repeat another or
 * are coarser than it, some levels of which have a single row, and each row of
 * which may stand for very many.
 */
static void
test_ranks(void)
{
	for (int turn = 0; turn < 400; turn++)
	{
		uint32_t	ncols = 1 + (uint32_t) pegs_rng_below(&rng, 5);
		uint32_t	rows = 1 + (uint32_t) pegs_rng_below(&rng, 60);
		uint32_t	copies = pegs_rng_below(&rng, 2) ? 1 : 5000;
		uint32_t	levels[5];
		uint32_t	start[5];
		uint32_t	n = 1;
		uint64_t   *design;
		double	   *gram;
		double	   *work;

		for (uint32_t c = 0; c < ncols; c++)
		{
			levels[c] = 1 + (uint32_t) pegs_rng_below(&rng, 9);
			start[c] = n;
			n += levels[c];
		}
		design = env.alloc(env.context, sizeof(uint64_t) * rows * n);
		gram = env.alloc(env.context, sizeof(double) * n * n);
		work = env.alloc(env.context, sizeof(double) * 2 * n);
		for (uint32_t r = 0; r < rows; r++)
		{
			uint32_t	before = 0;

			design[r * n] = 1;
			for (uint32_t c = 0; c < ncols; c++)
			{
				uint32_t	code = (uint32_t) pegs_rng_below(&rng, levels[c]);

				/* as the column before says, but for one row */
				if (c > 0 && turn % 3 == 0 && r > 0)
					code = before % levels[c];
				design[r * n + start[c] + code] = 1;
				before = code;
			}
			for (uint32_t i = 0; i < n; i++)
				for (uint32_t j = i; j < n; j++)
					gram[i * n + j] += (double) (design[r * n + i] * design[r * n + j]) * (r == 0 ? 1 : copies);
		}
		CHECK_INT(pegs_gram_rank(&env, n, gram, work), exact_rank(design, rows, n));
		arena_free(&memory);
	}
}

int
main(void)
{
	start(5);
	test_by_hand();
	test_refused();
	test_blocks();
	test_random();
	test_ranks();
	return unit_done("linear_test");
}
