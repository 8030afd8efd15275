/*
 * normals_test.c
 *	  Normals that go together: to the bit what the plain sums are, of eight
 *	  rows at once; which of them are there; one that is held.
 */
#include "core/copula/normals.h"

#include <math.h>
#include <string.h>

#include "core/copula/correlation.h"

#define STREAM_SALT [2] = 71
#include "fixture.h"
#include "unit.h"

enum { MOST = 41 };

static double factor[MOST * (MOST + 1) / 2];

/* Rows of length 1; normals of which the caller says so go with none. */
static void
make_factor(uint32_t n, bool (*alone) (uint32_t))
{
	memset(factor, 0, sizeof(factor));
	for (uint32_t i = 0; i < n; i++)
	{
		double	   *row = &factor[pegs_packed(i, 0)];
		double		square = 0;

		for (uint32_t k = 0; k <= i; k++)
		{
			if (k < i && (alone(i) || alone(k)))
				continue;
			row[k] = k == i ? 1 : 2 * pegs_rng_double(&rng) - 1;
			square += row[k] * row[k];
		}
		for (uint32_t k = 0; k <= i; k++)
			row[k] /= sqrt(square);
	}
}

static bool
none(uint32_t i)
{
	(void) i;
	return false;
}

static bool
every_third(uint32_t i)
{
	return i % 3 == 1;
}

static bool
all(uint32_t i)
{
	(void) i;
	return true;
}

/* What is mixed against plain sums, in the order of the factor, of words of the stream in the order of the places. */
static void
check_mixed(uint32_t n, bool wide, const bool *is_needed, uint32_t there)
{
	pegs_normals normals;

	pegs_normals_open(&env, n, factor, NULL, is_needed, &normals);
	CHECK_INT(normals.n, there);
	start(n);
	for (uint32_t r = 0; r < PEGS_NORMALS_AT_ONCE; r++)
		pegs_normals_draw(&normals, &rng, r);
	pegs_normals_mix(&normals, wide);
	start(n);
	for (uint32_t r = 0; r < PEGS_NORMALS_AT_ONCE; r++)
	{
		double		e[MOST] = {0};

		for (uint32_t p = 0; p < normals.n; p++)
			e[normals.normal[p]] = pegs_normal_of_table(normals.table, &rng);
		for (uint32_t i = 0; i < n; i++)
		{
			const double *z = pegs_normals_at(&normals, i);
			double		sum = 0;

			for (uint32_t k = 0; k <= i; k++)
				sum += factor[pegs_packed(i, k)] * e[k];
			if (z)
				CHECK(z[r] == sum);
			else
				CHECK(is_needed && !is_needed[i]);
		}
	}
	arena_free(&memory);
}

static void
test_mixed(bool wide)
{
	bool		is_needed[MOST];

	for (uint32_t i = 0; i < MOST; i++)
		is_needed[i] = i % 2 == 0;
	for (uint32_t n = 1; n <= MOST; n++)
	{
		uint32_t	there = n;

		start(1000 + n);
		make_factor(n, none);
		check_mixed(n, wide, NULL, n);
		check_mixed(n, wide, is_needed, n);
		make_factor(n, every_third);
		check_mixed(n, wide, NULL, n);
		/* what goes with others is there whether it is needed or not */
		for (uint32_t i = 0; i < n; i++)
			there -= every_third(i) && !is_needed[i];
		check_mixed(n, wide, is_needed, there);
		make_factor(n, all);
		check_mixed(n, wide, is_needed, (n + 1) / 2);
	}
}

/* One is held at a number: it has it, in its row alone, whether it goes with others or not; and what is not there is let be. */
static void
test_held(void)
{
	bool		is_needed[MOST];
	pegs_normals normals;

	start(5);
	make_factor(12, every_third);
	memset(is_needed, 1, sizeof(is_needed));
	is_needed[4] = false;
	for (uint32_t i = 0; i < 12; i++)
	{
		pegs_normals_open(&env, 12, factor, NULL, is_needed, &normals);
		for (uint32_t r = 0; r < PEGS_NORMALS_AT_ONCE; r++)
			pegs_normals_draw(&normals, &rng, r);
		pegs_normals_hold(&normals, 3, i, 1.25);
		pegs_normals_mix(&normals, i % 2 == 0);
		if (i == 4)
			CHECK(pegs_normals_at(&normals, i) == NULL);
		for (uint32_t r = 0; i != 4 && r < PEGS_NORMALS_AT_ONCE; r++)
			CHECK((fabs(pegs_normals_at(&normals, i)[r] - 1.25) < 1e-12) == (r == 3));
	}
	arena_free(&memory);
}

int
main(void)
{
	test_mixed(false);
	test_mixed(true);
	test_held();
	return unit_done("normals_test");
}
