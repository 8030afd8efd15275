/*
 * mondrian_test.c
 *	  Does every box of the cut meet the criteria, is it a box, and are the boxes
 *	  together the table?
 */
#include "core/compare/mondrian.h"

#include <string.h>

#include "fixture.h"
#include "unit.h"
#include "steps.h"

/* By each row: its class has it inside, and no other class of the same ends has another row. */
static void
check_boxes(const pegs_tuples *tuples, const pegs_key *keys, pegs_criteria criteria, const pegs_boxes *boxes, bool found)
{
	uint64_t   *rows = env.alloc(env.context, sizeof(uint64_t) * (boxes->n + 1));
	bool	   *keep = env.alloc(env.context, boxes->n + 1);
	uint64_t	all = 0;
	bool		rest_too;

	pegs_class_rows(tuples, boxes->of, rows);
	pegs_keep_classes(&env, tuples, boxes->of, boxes->n, &criteria, keep, &rest_too);
	for (uint32_t c = 0; c < boxes->n; c++)
	{
		all += rows[c];
		CHECK(rows[c] > 0);
		CHECK_INT(keep[c], found);
	}
	CHECK_INT(all, tuples->rows);
	for (uint32_t i = 0; i < tuples->n; i++)
		for (uint32_t j = 0; j < tuples->nkeys; j++)
		{
			const pegs_side *side = &boxes->side[(size_t) boxes->of[i] * tuples->nkeys + j];
			uint16_t	code = tuples->code[j][i];

			if (side->step == PEGS_RANGE)
				CHECK(keys[j].ranged && side->low <= code && code <= side->high);
			else
				CHECK_INT(keys[j].step[side->step].group[code], keys[j].step[side->step].group[side->low]);
		}
}

/* No two boxes have a place in common: a cut parts all codes of a key. */
static void
check_apart(const pegs_tuples *tuples, const pegs_key *keys, const pegs_boxes *boxes)
{
	uint16_t   *low = env.alloc(env.context, sizeof(uint16_t) * (boxes->n * tuples->nkeys + 1));
	uint16_t   *high = env.alloc(env.context, sizeof(uint16_t) * (boxes->n * tuples->nkeys + 1));
	uint16_t	place[16];
	uint16_t	code[16];

	memset(low, 0xff, sizeof(uint16_t) * boxes->n * tuples->nkeys);
	for (uint32_t j = 0; j < tuples->nkeys; j++)
	{
		pegs_order_codes(&env, &keys[j], place, code);
		for (uint32_t i = 0; i < tuples->n; i++)
		{
			size_t		at = (size_t) boxes->of[i] * tuples->nkeys + j;
			uint16_t	p = place[tuples->code[j][i]];

			low[at] = p < low[at] ? p : low[at];
			high[at] = p > high[at] ? p : high[at];
		}
	}
	for (uint32_t a = 0; a < boxes->n; a++)
		for (uint32_t b = 0; b < a; b++)
		{
			bool		apart = false;

			for (uint32_t j = 0; j < tuples->nkeys; j++)
				apart |= low[a * tuples->nkeys + j] > high[b * tuples->nkeys + j] || low[b * tuples->nkeys + j] > high[a * tuples->nkeys + j];
			CHECK(apart);
		}
}

static void
test_random_tables(void)
{
	uint64_t	cuts = 0;

	for (int turn = 0; turn < 500; turn++)
	{
		uint32_t	nkeys = 1 + (uint32_t) pegs_rng_below(&rng, 4);
		uint32_t	levels[5];
		pegs_coded	t = any_table(nkeys, levels, 12, pegs_rng_below(&rng, 150));
		bool		diverse = turn % 2 == 1;
		pegs_tuples tuples = tuples_of(&t, nkeys, diverse ? nkeys : PEGS_NO_LEVEL);
		pegs_criteria criteria = {1 + pegs_rng_below(&rng, 6), 1, 1};
		pegs_key	keys[4];
		pegs_boxes	boxes;
		bool		found;

		if (diverse && pegs_rng_below(&rng, 3) > 0)
			criteria.l = 1 + (double) pegs_rng_below(&rng, 20) / 16;
		if (diverse && pegs_rng_below(&rng, 3) > 0)
			criteria.t = (double) pegs_rng_below(&rng, 9) / 8;
		for (uint32_t j = 0; j < nkeys; j++)
		{
			keys[j] = any_key(levels[j], 1 + (uint32_t) pegs_rng_below(&rng, 4));
			keys[j].weight = (double) pegs_rng_below(&rng, 4);
			keys[j].ranged = pegs_rng_below(&rng, 3) == 0;
			keys[j].null_last = pegs_rng_below(&rng, 2) == 0;
		}
		CHECK_INT(pegs_mondrian(&env, &tuples, keys, &criteria, &boxes, &found), PEGS_OK);
		check_boxes(&tuples, keys, criteria, &boxes, found);
		check_apart(&tuples, keys, &boxes);
		cuts += boxes.n > 1 ? boxes.n : 0;
		arena_free(&memory);
	}
	CHECK(cuts > 1000);
}

/* As good as the best node, or better, on a table by formula. */
static void
test_beside_lattice(void)
{
	static const uint64_t ks[] = {2, 5, 10};
	static const uint16_t group[5][20] = {
		{0, 1, 2, 3, 4, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0},
		{0, 1, 2, 3, 0, 0, 1, 1, 0, 0, 0, 0},
		{0, 1, 2, 0, 0, 0},
		{0, 1, 0, 0},
		{0}
	};
	uint16_t	tens[40];
	pegs_coded	t = formula(4000, 0);
	pegs_tuples tuples = tuples_of(&t, 5, PEGS_NO_LEVEL);
	pegs_key	keys[5];

	for (uint16_t i = 0; i < 40; i++)
		tens[i] = i < 10 ? i : i < 20 ? (i - 10) / 2 : i < 30 ? (i - 20) / 4 : 0;
	keys[0] = key_of(5, 3, group[0]);
	keys[1] = key_of(4, 3, group[1]);
	keys[2] = key_of(3, 2, group[2]);
	keys[3] = key_of(2, 2, group[3]);
	keys[4] = key_of(10, 4, tens);
	keys[4].ranged = true;
	for (int i = 0; i < 3; i++)
	{
		pegs_criteria criteria = {ks[i], 1, 1};
		pegs_lattice lattice = {.tuples = &tuples, .keys = keys, .criteria = criteria, .suppress = 0.05};
		double		by_key[5];
		uint32_t	step[5];
		bool	   *keep;
		bool		rest_too;
		bool		found;
		pegs_node	node;
		pegs_boxes	boxes;
		pegs_loss	loss;

		CHECK_INT(pegs_search(&env, &lattice, step, &node), PEGS_OK);
		CHECK_INT(pegs_mondrian(&env, &tuples, keys, &criteria, &boxes, &found), PEGS_OK);
		check_boxes(&tuples, keys, criteria, &boxes, true);
		keep = env.alloc(env.context, boxes.n);
		pegs_keep_classes(&env, &tuples, boxes.of, boxes.n, &criteria, keep, &rest_too);
		pegs_measure_loss(&env, &tuples, keys, &boxes, keep, by_key, &loss);
		CHECK(found && node.found && boxes.n > 10);
		CHECK(loss.loss <= node.loss);
		CHECK_INT(loss.suppressed, 0);
		CHECK_INT(loss.classes, boxes.n);
	}
	arena_free(&memory);
}

/* One key, 0 to 7 once each: at k = 2 four ranges of two. At k = 5 one of all. */
static void
test_by_hand(void)
{
	static const uint32_t levels[1] = {8};
	static const uint16_t group[16] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0};
	pegs_key	key = key_of(8, 2, group);
	pegs_coded	t = table(1, levels, 8);
	pegs_criteria criteria = {2, 1, 1};
	pegs_tuples tuples;
	pegs_boxes	boxes;
	bool		found;

	key.ranged = true;
	for (uint16_t r = 0; r < 8; r++)
		t.code[0][r] = r;
	tuples = tuples_of(&t, 1, PEGS_NO_LEVEL);
	CHECK_INT(pegs_mondrian(&env, &tuples, &key, &criteria, &boxes, &found), PEGS_OK);
	CHECK_INT(boxes.n, 4);
	for (uint32_t i = 0; i < 8; i++)
	{
		CHECK_INT(boxes.side[boxes.of[i]].low, i / 2 * 2);
		CHECK_INT(boxes.side[boxes.of[i]].high, i / 2 * 2 + 1);
		CHECK_INT(boxes.side[boxes.of[i]].step, PEGS_RANGE);
	}
	criteria.k = 5;
	CHECK_INT(pegs_mondrian(&env, &tuples, &key, &criteria, &boxes, &found), PEGS_OK);
	CHECK_INT(boxes.n, 1);
	CHECK(found && boxes.side[0].low == 0 && boxes.side[0].high == 7);
	criteria.k = 9;
	CHECK_INT(pegs_mondrian(&env, &tuples, &key, &criteria, &boxes, &found), PEGS_OK);
	CHECK(!found && boxes.n == 1);
	arena_free(&memory);
}

/* One cut is possible: across the widest key, of its levels and times its weight, at the median; or at the code above. */
static void
test_where(void)
{
	static const uint32_t levels[2] = {10, 20};
	static const uint16_t above[9] = {0, 5, 5, 5, 5, 9, 9, 9, 9};
	uint16_t	group[40] = {0};
	pegs_criteria criteria = {3, 1, 1};
	pegs_key	keys[2];

	for (int turn = 0; turn < 3; turn++)
	{
		pegs_coded	t = table(2, levels, 9);
		pegs_tuples tuples;
		pegs_boxes	boxes;
		bool		found;

		for (uint32_t j = 0; j < 2; j++)
		{
			for (uint16_t i = 0; i < 2 * levels[j]; i++)
				group[i] = i < levels[j] ? i : 0;
			keys[j] = key_of(levels[j], 2, group);
			keys[j].ranged = true;
		}
		keys[1].weight = turn == 1 ? 2 : 1;
		for (uint16_t r = 0; r < 9; r++)
		{
			t.code[0][r] = turn == 2 ? above[r] : r;
			t.code[1][r] = turn == 2 ? 7 : 2 * (r * 7 % 9);
		}
		tuples = tuples_of(&t, 2, PEGS_NO_LEVEL);
		CHECK_INT(pegs_mondrian(&env, &tuples, keys, &criteria, &boxes, &found), PEGS_OK);
		CHECK_INT(boxes.n, 2);
		for (uint32_t i = 0; i < tuples.n; i++)
		{
			uint32_t	j = turn == 1;
			uint16_t	code = tuples.code[j][i];
			const pegs_side *side = &boxes.side[boxes.of[i] * 2 + j];

			CHECK_INT(side->low, turn == 0 ? (code < 4 ? 0 : 4) : turn == 1 ? (code < 8 ? 0 : 8) : code < 9 ? 0 : 9);
			CHECK_INT(side->high, turn == 0 ? (code < 4 ? 3 : 8) : turn == 1 ? (code < 8 ? 6 : 16) : code < 9 ? 5 : 9);
		}
		arena_free(&memory);
	}
}

/* More places than four times the tuples are sorted, not counted: the same boxes. */
static void
test_wide(void)
{
	static const uint32_t levels[1] = {60000};
	uint16_t   *group = env.alloc(env.context, sizeof(uint16_t) * 120000);
	pegs_coded	t = table(1, levels, 300);
	pegs_criteria criteria = {3, 1, 1};
	pegs_key	key;
	pegs_tuples tuples;
	pegs_boxes	boxes;
	bool		found;

	for (uint32_t i = 0; i < 60000; i++)
		group[i] = (uint16_t) i;
	key = key_of(60000, 2, group);
	key.ranged = true;
	for (uint32_t r = 0; r < 300; r++)
		t.code[0][r] = (uint16_t) (r * 7919 % 300 / 3 * 600);
	tuples = tuples_of(&t, 1, PEGS_NO_LEVEL);
	CHECK_INT(pegs_mondrian(&env, &tuples, &key, &criteria, &boxes, &found), PEGS_OK);
	CHECK_INT(boxes.n, 100);
	arena_free(&memory);
}

/* 20,000 tuples are cut to boxes of three and more; all is given back, and it asks whether to stop after so many that it looked at. */
static void
test_memory(void)
{
	static const uint32_t levels[3] = {200, 100, 3};
	pegs_env	kept = env;
	pegs_criteria criteria = {3, 1.1, 0.9};
	uint16_t	group[400] = {0};
	pegs_key	keys[2];
	pegs_tuples tuples;
	pegs_boxes	boxes;
	pegs_coded	t;
	bool		found;
	size_t		blocks;
	size_t		checks;

	env = arena_env_freeing(&memory);
	t = table(3, levels, 20000);
	for (uint32_t j = 0; j < 2; j++)
	{
		for (uint16_t i = 0; i < 2 * levels[j]; i++)
			group[i] = i < levels[j] ? i : 0;
		keys[j] = key_of(levels[j], 2, group);
		keys[j].ranged = true;
	}
	for (uint32_t r = 0; r < 20000; r++)
	{
		t.code[0][r] = (uint16_t) (r % 200);
		t.code[1][r] = (uint16_t) (r / 200);
		t.code[2][r] = (uint16_t) (r * r % 3);
	}
	blocks = memory.blocks;
	tuples = tuples_of(&t, 2, 2);
	CHECK_INT(tuples.n, 20000);
	checks = memory.checks;
	CHECK_INT(pegs_mondrian(&env, &tuples, keys, &criteria, &boxes, &found), PEGS_OK);
	CHECK(found && boxes.n > 4096);
	/* that is twelve cuts deep, and at each depth all tuples are looked at four times: spans, counts, sides, levels */
	CHECK(memory.checks - checks > 12 * 4 * 20000 / 4096);
	pegs_free_tuples(&env, &tuples);
	pegs_free_boxes(&env, &boxes);
	CHECK_INT(memory.blocks, blocks);
	arena_free(&memory);
	env = kept;
}

int
main(void)
{
	start(62);
	test_by_hand();
	test_where();
	test_random_tables();
	test_beside_lattice();
	test_wide();
	test_memory();
	return unit_done("mondrian_test");
}
