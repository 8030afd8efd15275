/*
 * sort_test.c
 *	  Are numbers in the order of the library's qsort, whatever they are and how many?
 */
#include "core/sort.h"

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

/* Few different values, or many; some sorted already, either way; infinities. */
static double
value_of(size_t i, size_t n, int kind)
{
	switch (kind)
	{
		case 0:
			return (double) pegs_rng_below(&rng, 5);
		case 1:
			return (double) i;
		case 2:
			return (double) (n - i);
		case 3:
			return pegs_rng_below(&rng, 10) == 0 ? INFINITY : pegs_rng_below(&rng, 10) == 0 ? -INFINITY : 1e300 * pegs_rng_double(&rng);
		default:
			return pegs_rng_double(&rng) - 0.5;
	}
}

static void
test_order(size_t n)
{
	for (int kind = 0; kind < 5; kind++)
	{
		double	   *values = env.alloc(env.context, sizeof(double) * n);
		double	   *expected = env.alloc(env.context, sizeof(double) * n);
		double	   *scratch = env.alloc(env.context, sizeof(double) * n);

		for (size_t i = 0; i < n; i++)
			expected[i] = values[i] = value_of(i, n, kind);
		qsort(expected, n, sizeof(double), rising);
		pegs_sort(&env, values, n, scratch);
		CHECK(memcmp(values, expected, sizeof(double) * n) == 0);
		arena_free(&memory);
	}
}

int
main(void)
{
	start(1);
	for (size_t n = 1; n <= 200; n++)
		test_order(n);
	test_order(65536);
	test_order(100003);
	return unit_done("sort_test");
}
