/*
 * ratio_test.c
 *	  Likelihood ratios as whole numbers: what is equal to the bound holds, and
 *	  what is above it by one part in 2^100 does not.
 */
#include "core/ratio.h"

#include <math.h>

#include "fixture.h"
#include "unit.h"

/* n draws of 3/2 against 1/1, of which the bound is (3/2)^n: exactly it, and a little more. */
static void
test_exact(void)
{
	for (uint32_t n = 1; n <= PEGS_VERIFY_VISITS; n++)
		for (int turn = 0; turn < 4; turn++)
		{
			pegs_odds	draw[PEGS_VERIFY_VISITS];
			pegs_verdict v;
			double		sum = 0;

			pegs_verdict_begin(&v, 3 << 16, 2 << 16, n);
			for (uint32_t i = 0; i < n; i++)
			{
				const uint64_t large = UINT64_C(1) << 60;

				draw[i] = (pegs_odds) {3 * (large / 2) + (turn / 2 && i == 0), large, large, large};
				if (turn % 2)
					draw[i] = (pegs_odds) {draw[i].wb, draw[i].tb, draw[i].wa, draw[i].ta};
				CHECK(pegs_odds_differ(&draw[i]));
				sum += pegs_log_odds(&draw[i]);
			}
			pegs_verdict_add(&env, &v, draw, n, sum);
			CHECK(v.holds == (turn < 2) && v.paths == 1);
			CHECK(fabs(v.worst - v.bound) < 1e-12 * n && fabs(v.bound - n * log(1.5)) < 1e-12 * n);
			pegs_verdict_add(&env, &v, draw, n - 1, sum / 2);
			CHECK(v.holds == (turn < 2) && v.paths == 2);
		}
	CHECK(!pegs_odds_differ(&(pegs_odds) {3, 9, UINT64_C(1) << 61, UINT64_C(3) << 61}));
}

int
main(void)
{
	test_exact();
	return unit_done("ratio_test");
}
