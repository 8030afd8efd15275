/*
 * clock_test.c
 *	  Normals as clocks: against the library's functions, back and forth, and in one law
 *	  with what the first of several clocks does.
 */
#include "core/copula/clock.h"

#include "core/copula/normal.h"
#define STREAM_SALT [1] = 91
#include "fixture.h"
#include "unit.h"

static void
test_clock(void)
{
	for (double z = -37; z < 8; z += 0.01)
		CHECK_NEAR(pegs_clock_of_normal(z), z < -1 ? -log(erfc(-z * M_SQRT1_2) / 2) : -log1p(-erfc(z * M_SQRT1_2) / 2), 1e-12);
	CHECK(pegs_clock_of_normal(40) == 0 && pegs_clock_of_normal(-1000) > 499000);
	for (double z = -37; z < 8; z += 0.37)
		CHECK(fabs(pegs_normal_of_clock(pegs_clock_of_normal(z)) - z) < 1e-9);
	for (double time = 1e-250; time < 600; time *= 1.7)
		CHECK_NEAR(pegs_clock_of_normal(pegs_normal_of_clock(time)), time, 1e-9);
	CHECK(isfinite(pegs_normal_of_clock(0)) && isfinite(pegs_normal_of_clock(1e300)));
}

/* Among independent clocks the first rings for a level as often as its share says; a normal that is moved by c moves that by c p h(p) (1 - p). */
static void
test_slope(void)
{
	static const double share[3] = {0.5, 0.3, 0.2};
	int			first[2] = {0};
	int			n = 400000;

	start(1);
	for (int i = 0; i < n; i++)
	{
		double		z[3];

		for (int l = 0; l < 3; l++)
			z[l] = pegs_normal_draw(&rng);
		for (int moved = 0; moved < 2; moved++)
		{
			double		time[3];

			for (int l = 0; l < 3; l++)
				time[l] = pegs_clock_of_normal(z[l] + (l == 1 ? 0.1 * moved : 0)) / share[l];
			first[moved] += time[1] < time[0] && time[1] < time[2];
		}
	}
	CHECK(fabs((double) first[0] / n - 0.3) < 6 * sqrt(0.21 / n));
	CHECK(fabs((double) (first[1] - first[0]) / n - 0.1 * pegs_clock_slope(0.3) * 0.7) < 0.0015);
	/* of two levels of a half: 1/sqrt(pi) */
	CHECK_NEAR(pegs_clock_slope(0.5), 1 / sqrt(M_PI), 1e-9);
	CHECK(pegs_clock_slope(1e-9) > 0 && pegs_clock_slope(1 - 1e-12) < 1.5);
}

/* The same to the bit everywhere: these. */
static void
test_same(void)
{
	uint64_t	hash = 0;

	for (int i = -3000; i < 3000; i++)
	{
		union
		{
			double		number;
			uint64_t	bits;
		}			clock = {pegs_clock_of_normal(i / 256.0)}, normal = {pegs_normal_of_clock((i + 3001) / 128.0)};

		hash = (hash * UINT64_C(6364136223846793005) + clock.bits) * UINT64_C(6364136223846793005) + normal.bits;
	}
	CHECK_INT(hash, INT64_C(7736880081430960208));
}

int
main(void)
{
	test_clock();
	test_slope();
	test_same();
	return unit_done("clock_test");
}
