/*
 * boxes_test.c
 *	  What boxes lose, by hand; are groups runs in the order of codes?
 */
#include "core/compare/boxes.h"

#include <string.h>

#include "fixture.h"
#include "unit.h"
#include "steps.h"

/* k = 3 with a quarter suppressed: 75*,F,* four times, 75*,M,* three times, 761,M,HM suppressed. */
static void
test_births(void)
{
	static const uint32_t step[3] = {1, 0, 1};
	static const pegs_criteria criteria = {3, 1, 1};
	pegs_key	keys[3];
	pegs_coded	t = births(keys);
	pegs_tuples tuples = tuples_of(&t, 3, PEGS_NO_LEVEL);
	pegs_boxes	boxes;
	pegs_loss	loss;
	double		by_key[3];
	bool		keep[8];
	bool		rest_too;

	pegs_boxes_at(&env, &tuples, keys, step, &boxes);
	CHECK_INT(boxes.n, 3);
	pegs_keep_classes(&env, &tuples, boxes.of, boxes.n, &criteria, keep, &rest_too);
	CHECK(!rest_too);
	pegs_measure_loss(&env, &tuples, keys, &boxes, keep, by_key, &loss);
	CHECK_INT(loss.classes, 2);
	CHECK_INT(loss.suppressed, 1);
	CHECK_NEAR(loss.loss, 0.5625, 1e-15);
	CHECK_NEAR(by_key[0], (7 * 0.5 + 1) / 8, 1e-15);
	CHECK_NEAR(by_key[1], 1.0 / 8, 1e-15);
	CHECK_NEAR(by_key[2], 1, 1e-15);
	CHECK_NEAR(loss.discernibility, 16 + 9 + 8, 0);
	/* zip: 4 x log2(7/4), 3 x log2(7/3), log2(8); sex: log2(8/4) of one; pay: 5 x log2(8/5), 2 x log2(4), log2(8) */
	CHECK_NEAR(loss.entropy, (4 * log2(7.0 / 4) + 3 * log2(7.0 / 3) + 3 + 1 + 5 * log2(8.0 / 5) + 4 + 3) / 24, 1e-14);
	arena_free(&memory);
}

static void
test_order(void)
{
	for (int turn = 0; turn < 300; turn++)
	{
		uint32_t	levels = 1 + (uint32_t) pegs_rng_below(&rng, 30);
		pegs_key	key = any_key(levels, 1 + (uint32_t) pegs_rng_below(&rng, 5));
		uint16_t	place[30];
		uint16_t	code[30];

		pegs_order_codes(&env, &key, place, code);
		for (uint32_t i = 0; i < levels; i++)
			CHECK_INT(place[code[i]], i);
		for (uint32_t s = 0; s < key.nsteps; s++)
		{
			uint32_t	runs = 1;

			for (uint32_t i = 1; i < levels; i++)
				runs += key.step[s].group[code[i]] != key.step[s].group[code[i - 1]];
			CHECK_INT(runs, key.step[s].ngroups);
		}
		arena_free(&memory);
	}
}

static void
test_sides(void)
{
	static const uint16_t group[15] = {0, 1, 2, 3, 4, 0, 0, 1, 1, 2, 0, 0, 0, 0, 0};
	pegs_key	key = key_of(5, 3, group);
	pegs_side	side = pegs_side_between(&key, 0, 1);

	CHECK(side.step == 1 && pegs_side_size(&key, &side) == 2);
	side = pegs_side_between(&key, 1, 2);
	CHECK(side.step == 2 && pegs_side_size(&key, &side) == 5);
	key.ranged = true;
	side = pegs_side_between(&key, 1, 3);
	CHECK(side.step == PEGS_RANGE && pegs_side_size(&key, &side) == 3);
	side = pegs_side_between(&key, 3, 3);
	CHECK(side.step == 0 && pegs_side_size(&key, &side) == 1);
	side = pegs_side_between(&key, 3, 4);
	CHECK_INT(side.step, PEGS_RANGE);
	/* NULL is in no range */
	key.null_last = true;
	side = pegs_side_between(&key, 3, 4);
	CHECK_INT(side.step, 2);
	arena_free(&memory);
}

int
main(void)
{
	start(63);
	test_births();
	test_order();
	test_sides();
	return unit_done("boxes_test");
}
