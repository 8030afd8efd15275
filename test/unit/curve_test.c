/*
 * curve_test.c
 *	  Is a curve what its order says, smooth, above zero, and closer to what
 *	  the numbers were before the noise?
 */
#include "core/column/column.h"

#include <string.h>

#include "fixture.h"
#include "unit.h"

#define N 60

/* Order 2: a decay has no rough part; order 3: nor has a bell. The other shape, where noise is small, is followed too. */
static double
shape(uint32_t order, int i)
{
	return order == 2 ? 1000 * exp(-i / 10.0) : 1000 * exp(-0.5 * (i - 25) * (i - 25) / 64.0);
}

/* Without noise the shape itself, and it takes few degrees of freedom. */
static void
test_exact(void)
{
	for (uint32_t order = 2; order <= 3; order++)
		for (uint32_t of = 2; of <= 3; of++)
		{
			double		y[N];
			double		freedom;

			for (int i = 0; i < N; i++)
				y[i] = shape(of, i);
			freedom = pegs_fit_curve(&env, y, N, of == order ? 100 : 1e-4, 10000, order);
			for (int i = 0; i < N; i++)
				CHECK(fabs(y[i] - shape(of, i)) < 1);
			if (of == order)
				CHECK(freedom > 0.5 * order && freedom < 10);
			arena_free(&memory);
		}
}

/* A third of what the noisy numbers are off by, and how much it follows them is told. */
static void
test_noisy(void)
{
	for (uint32_t order = 2; order <= 3; order++)
	{
		double		off[2] = {0, 0};

		start((uint8_t) order);
		for (int turn = 0; turn < 50; turn++)
		{
			double		y[N];
			double		noisy[N];
			double		freedom;
			bool		above = true;

			for (int i = 0; i < N; i++)
				y[i] = noisy[i] = shape(order, i) + 60 * any_normal();
			freedom = pegs_fit_curve(&env, y, N, 3600, 10000, order);
			CHECK(freedom > 0 && freedom < N / 2);
			for (int i = 0; i < N; i++)
			{
				above = above && y[i] > 0;
				off[0] += fabs(y[i] - shape(order, i));
				off[1] += fabs(noisy[i] - shape(order, i));
			}
			CHECK(above);
			arena_free(&memory);
		}
		CHECK(off[0] < off[1] / 3);
	}
}

/* Backwards is the same, and twice the unit gives twice the answer. */
static void
test_symmetric(void)
{
	double		y[N];
	double		turned[N];
	double		doubled[N];

	start(9);
	for (int i = 0; i < N; i++)
	{
		y[i] = turned[N - 1 - i] = shape(3, i) + 10 * any_normal();
		doubled[i] = 2 * y[i];
	}
	pegs_fit_curve(&env, y, N, 100, 10000, 3);
	pegs_fit_curve(&env, turned, N, 100, 10000, 3);
	pegs_fit_curve(&env, doubled, N, 400, 20000, 3);
	for (int i = 0; i < N; i++)
	{
		CHECK(fabs(turned[N - 1 - i] - y[i]) < 2);
		CHECK(fabs(doubled[i] - 2 * y[i]) < 2);
	}
	arena_free(&memory);
}

/* Whatever is given, numbers come back, memory too, and it is asked whether to stop. */
static void
test_any(void)
{
	pegs_env	kept = env;

	env = arena_env_freeing(&memory);
	start(10);
	for (int turn = 0; turn < 200; turn++)
	{
		double		y[N];
		uint32_t	n = 10 + (uint32_t) pegs_rng_below(&rng, N - 9);
		bool		sound = true;

		for (uint32_t i = 0; i < n; i++)
			y[i] = turn % 4 == 0 ? -1e6 : turn % 4 == 1 ? 1e9 * (i == 3) : turn % 4 == 2 ? 1e7 * any_normal() : 0;
		memory.checks = 0;
		CHECK(pegs_fit_curve(&env, y, n, turn % 3 == 0 ? 0.07 : turn % 3 == 1 ? 1e4 : 1e12, turn % 5 == 0 ? 1 : 1e6, 2 + turn % 2) >= 0);
		CHECK(memory.checks >= 7);
		CHECK_INT(memory.blocks, 0);
		for (uint32_t i = 0; i < n; i++)
			sound = sound && y[i] > 0 && y[i] < 1e300;
		CHECK(sound);
	}
	arena_free(&memory);
	env = kept;
}

int
main(void)
{
	test_exact();
	test_noisy();
	test_symmetric();
	test_any();
	return unit_done("curve_test");
}
