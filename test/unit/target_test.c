/*
 * target_test.c
 *	  Half of a score, rounded down, where no column is what the rows are for:
 *	  two scores that differ by one stay within one of each other.
 */
#include "core/graph/state.h"

#include <stdlib.h>

#include "fixture.h"
#include "unit.h"

int
main(void)
{
	static const bool target[4] = {false, true, false, false};
	static const uint32_t of[4][3] = {{0, 1, 2}, {0, 2, 3}, {2, 3, 1}, {0, 3, 2}};
	pegs_layout layout = {.ncols = 4};
	pegs_graph_fit f = {.env = &env, .layout = &layout};

	for (int64_t score = -1000; score <= 1000; score++)
		for (uint32_t i = 0; i < 4; i++)
			for (uint32_t n = 2; n <= 3; n++)
			{
				bool		with = i == 0 || (i == 2 && n == 3);
				int64_t		now;

				layout.target = NULL;
				CHECK_INT(pegs_for_target(&f, n, of[i], score), score);
				layout.target = target;
				now = pegs_for_target(&f, n, of[i], score);
				CHECK_INT(now, with ? score : (score - (score & 1)) / 2);
				CHECK(llabs(pegs_for_target(&f, n, of[i], score + 1) - now) <= 1);
			}
	return unit_done("target_test");
}
