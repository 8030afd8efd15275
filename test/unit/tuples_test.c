/*
 * tuples_test.c
 *	  Are tuples the rows that agree, and are keys refused whose steps are none?
 */
#include "core/compare/tuples.h"

#include "fixture.h"
#include "unit.h"
#include "steps.h"

static void
test_births(void)
{
	pegs_key	keys[3];
	pegs_coded	t = births(keys);
	pegs_tuples tuples = tuples_of(&t, 2, 2);
	static const uint32_t times[5] = {2, 2, 2, 1, 1};
	static const uint32_t by_level[5] = {0, 1, 3, 2, 4};

	CHECK_INT(tuples.n, 5);
	CHECK_INT(tuples.rows, 8);
	CHECK_INT(tuples.nlevels, 4);
	for (uint32_t i = 0; i < 5; i++)
	{
		CHECK_INT(tuples.times[i], times[i]);
		CHECK_INT(tuples.by_level[i], by_level[i]);
	}
	for (uint32_t r = 0; r < 8; r++)
	{
		CHECK_INT(tuples.code[0][tuples.of[r]], t.code[0][r]);
		CHECK_INT(tuples.level[tuples.of[r]], t.code[2][r]);
	}
	CHECK_INT(pegs_check_keys(&env, &tuples, keys), PEGS_OK);
	arena_free(&memory);
}

static void
refused(pegs_key key)
{
	static const uint32_t levels[1] = {3};
	pegs_coded	t = table(1, levels, 1);
	pegs_tuples tuples = tuples_of(&t, 1, PEGS_NO_LEVEL);

	CHECK_INT(pegs_check_keys(&env, &tuples, &key), PEGS_ERR_ARGUMENT);
}

static void
test_refused(void)
{
	static const uint16_t good[9] = {0, 1, 2, 0, 0, 1, 0, 0, 0};
	static const uint16_t torn[9] = {0, 0, 1, 0, 1, 1, 0, 0, 0};
	static const uint16_t open[6] = {0, 1, 2, 0, 0, 1};
	pegs_key	key = key_of(3, 3, good);
	uint32_t	size[3] = {1, 1, 1};
	pegs_key_step step[3];

	refused(key_of(3, 3, torn));
	refused(key_of(3, 2, open));
	key.weight = -1;
	refused(key);
	key.weight = NAN;
	refused(key);
	key.weight = 1;
	key.last = 3;
	refused(key);
	key.last = 0;
	key.first = 1;
	refused(key);
	key.first = 0;
	/* a size that is none; a group beyond the last */
	for (int s = 0; s < 3; s++)
		step[s] = key.step[s];
	key.step = step;
	step[1].size = size;
	refused(key);
	step[1] = (pegs_key_step) {1, key.step[0].group, size};
	refused(key);
	arena_free(&memory);
}

/* A code that is not declared has no group. */
static void
test_undeclared(void)
{
	pegs_key	keys[3];
	pegs_coded	t = births(keys);
	pegs_tuples tuples;

	t.code[0][3] = 3;
	tuples = tuples_of(&t, 3, PEGS_NO_LEVEL);
	CHECK_INT(pegs_check_keys(&env, &tuples, keys), PEGS_ERR_ARGUMENT);
	arena_free(&memory);
}

int
main(void)
{
	start(64);
	test_births();
	test_refused();
	test_undeclared();
	return unit_done("tuples_test");
}
