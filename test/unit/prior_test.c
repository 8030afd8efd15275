/*
 * prior_test.c
 *	  What cells weigh of a public prior: all, some of them, and so many times.
 */
#include "core/prior.h"

#include "fixture.h"
#include "unit.h"

int
main(void)
{
	static const uint32_t cells[3] = {1, 4, 70000};
	static const uint64_t weights[3] = {1, UINT64_C(65536) * 7, PEGS_PRIOR_ROWS << 15};
	static const uint32_t some[4] = {70000, 4, 5, 0};
	static const uint64_t of_some[4] = {PEGS_PRIOR_ROWS << 15, UINT64_C(65536) * 7, 0, 0};
	pegs_setting prior = {.given = true, .nweights = 3, .cells = cells, .weights = weights};
	pegs_setting empty = {.given = true};

	CHECK(pegs_prior_weights(&env, NULL, 1, NULL, 5) == NULL && pegs_prior_weights(&env, &empty, 1, NULL, 5) == NULL);
	for (uint32_t times = 1; times <= 64; times += 63)
	{
		uint64_t   *all = pegs_prior_weights(&env, &prior, times, NULL, 80000);
		uint64_t   *few = pegs_prior_weights(&env, &prior, times, some, 4);
		uint64_t	sum = 0;

		for (uint32_t i = 0; i < 80000; i++)
			sum += all[i];
		CHECK(all[1] == times && all[4] == 65536 * 7 * times && sum == (1 + 65536 * 7 + (PEGS_PRIOR_ROWS << 15)) * times);
		for (int i = 0; i < 4; i++)
			CHECK(few[i] == of_some[i] * times);
	}
	arena_free(&memory);
	/* the most that is stated has room, also where persons weigh equally */
	CHECK((PEGS_PRIOR_ROWS << 16) * 64 == UINT64_C(1) << 52);
	return unit_done("prior_test");
}
