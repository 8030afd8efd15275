/*
 * possible_test.c
 *	  Is a uniform row possible, uniform, and does it have what is given?
 */
#include "core/possible.h"

#include "chisquare.h"
#include "fixture.h"
#include "unit.h"

static const uint32_t levels[2] = {3, 4};

static void
test_uniform(void)
{
	bool		low[3] = {true, true, false};
	bool		odd[4] = {false, true, false, true};
	pegs_zero	zero = {.n = 2, .column = {0, 1}, .level = {low, odd}};
	pegs_zeros	zeros = {1, &zero};
	uint64_t	seen[12] = {0};
	uint16_t	row[2];
	double		distance = 0;

	for (int i = 0; i < 80000; i++)
		if (CHECK(pegs_uniform_row(&env, 2, levels, &zeros, NULL, &rng, row)))
			seen[row[0] * 4 + row[1]]++;
	/* eight of twelve are possible, 10,000 each: chi-square of 7 degrees, beyond 60 once in 10^10 keys, and this is one key */
	for (int i = 0; i < 12; i++)
	{
		if (low[i / 4] && odd[i % 4])
			CHECK_INT(seen[i], 0);
		else
			distance += ((double) seen[i] - 10000) * ((double) seen[i] - 10000) / 10000;
	}
	CHECK(distance < 60);
}

/* Is a row one that was asked for? */
static void
test_asked(void)
{
	bool		low[3] = {true, true, false};
	bool		odd[4] = {false, true, false, true};
	pegs_zero	zero = {.n = 2, .column = {0, 1}, .level = {low, odd}};
	pegs_zeros	zeros = {1, &zero};
	int32_t		given[2] = {-1, 2};
	uint16_t	row[2];

	for (row[0] = 0; row[0] < 3; row[0]++)
		for (row[1] = 0; row[1] < 4; row[1]++)
		{
			bool		may = !(low[row[0]] && odd[row[1]]);

			CHECK(pegs_is_asked_for(2, &zeros, NULL, row) == may);
			CHECK(pegs_is_asked_for(2, &zeros, given, row) == (may && row[1] == 2));
		}
}

static void
test_given(void)
{
	bool		all[3] = {true, true, true};
	bool		one[4] = {false, true, false, false};
	pegs_zero	zero = {.n = 1, .column = {1}, .level = {one}};
	pegs_zero	everything = {.n = 1, .column = {0}, .level = {all}};
	pegs_zeros	none = {0, NULL};
	int32_t		given[2] = {2, -1};
	int32_t		forbidden[2] = {-1, 1};
	uint16_t	row[2];

	for (int i = 0; i < 100; i++)
		CHECK(pegs_uniform_row(&env, 2, levels, &(pegs_zeros) {1, &zero}, given, &rng, row) && row[0] == 2 && row[1] != 1);
	CHECK(pegs_uniform_row(&env, 2, levels, &none, forbidden, &rng, row) && row[1] == 1);
	/* where there is none it ends, and has asked whether to stop */
	memory.checks = 0;
	CHECK(!pegs_uniform_row(&env, 2, levels, &(pegs_zeros) {1, &zero}, forbidden, &rng, row));
	CHECK(!pegs_uniform_row(&env, 2, levels, &(pegs_zeros) {1, &everything}, NULL, &rng, row));
	CHECK_INT(memory.checks, 2 * PEGS_MAX_TRIES / PEGS_TRIES_AT_ONCE);
}

int
main(void)
{
	start(1);
	test_uniform();
	test_asked();
	test_given();
	return unit_done("possible_test");
}
