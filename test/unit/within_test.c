/*
 * within_test.c
 *	  Cells by the combination of columns that they are within.
 */
#include "core/table/within.h"

#include <string.h>

#include "core/counts.h"
#include "fixture.h"
#include "unit.h"

static const uint32_t levels[3] = {2, 3, 2};
static const bool within[3] = {true, false, true};

/* Every cell is in one combination, with those alone that have its levels; one that has no cells is none. */
static void
test_strata(void)
{
	for (uint32_t some = 0; some < 2; some++)
	{
		uint32_t	cell[12];
		bool		seen[12] = {false};
		uint32_t	n = 0;
		uint16_t	first[3];
		uint16_t	row[3];
		pegs_strata strata;

		/* without those of the first column's second level and the third's first */
		for (uint32_t i = 0; i < 12; i++)
		{
			pegs_joint_row(3, levels, i, row);
			if (!some || row[0] == 0 || row[2] == 1)
				cell[n++] = i;
		}
		pegs_strata_make(&env, 3, levels, within, some ? cell : NULL, n, &strata);
		CHECK_INT(strata.n, some ? 3 : 4);
		CHECK_INT(strata.start[strata.n], n);
		for (uint32_t s = 0; s < strata.n; s++)
			for (uint32_t i = strata.start[s]; i < strata.start[s + 1]; i++)
			{
				pegs_joint_row(3, levels, cell[strata.at[strata.start[s]]], first);
				pegs_joint_row(3, levels, cell[strata.at[i]], row);
				CHECK(row[0] == first[0] && row[2] == first[2] && !seen[strata.at[i]]);
				CHECK(i == strata.start[s] || strata.at[i] > strata.at[i - 1]);
				seen[strata.at[i]] = true;
			}
		CHECK_INT(strata.start[1], 3);
		arena_free(&memory);
	}
	pegs_strata_make(&env, 3, levels, within, NULL, 0, &(pegs_strata) {0});
	arena_free(&memory);
}

/* What is given has one level; all columns are nothing to draw. */
static void
test_facts(void)
{
	int32_t		given[3] = {-1, 0, 1};
	bool		all[3] = {true, true, true};

	CHECK_INT(pegs_combinations(3, levels, within, NULL), 4);
	CHECK_INT(pegs_combinations(3, levels, within, given), 2);
	CHECK(pegs_refuse_within(3, within).why == NULL && pegs_refuse_within(3, within).hint == NULL);
	CHECK(pegs_refuse_within(3, all).why && pegs_refuse_within(3, all).hint);
}

int
main(void)
{
	test_strata();
	test_facts();
	return unit_done("within_test");
}
