/*
 * paths_test.c
 *	  Path rows: exactly PEGS_PATHS of each unit, of its rows alone, each child
 *	  as often as any other (claim P35).
 */
#include "core/schema/schema.h"

#include <string.h>

#define STREAM_SALT [5] = 35
#include "fixture.h"
#include "schemas.h"
#include "unit.h"

static uint16_t path[MOST_COLUMNS][PEGS_PATHS];
static uint16_t again[MOST_COLUMNS][PEGS_PATHS];
static uint16_t beside[MOST_COLUMNS][PEGS_PATHS];

static void
rows_of(pegs_paths *paths, uint16_t (*into)[PEGS_PATHS], uint16_t (*second)[PEGS_PATHS])
{
	uint16_t   *codes[MOST_COLUMNS];
	uint16_t   *others[MOST_COLUMNS];

	for (int i = 0; i < MOST_COLUMNS; i++)
	{
		codes[i] = into[i];
		others[i] = second ? second[i] : NULL;
	}
	pegs_paths_rows(paths, codes, second ? others : NULL);
}

/* Every child of the root's row as often as any other, to within one; absent where there is none; counts in their classes. */
static void
test_turns(void)
{
	pegs_relations r = wide_child();
	pegs_paths *paths = pegs_paths_new(&env, &r);

	for (uint32_t n = 0; n <= 200; n++)
	{
		uint32_t	times[200] = {0};
		uint32_t	met = 0;

		pegs_paths_begin(paths, (uint16_t[]) {(uint16_t) (n % 2)}, n);
		for (uint32_t i = 0; i < n; i++)
			(void) pegs_paths_add(paths, 1, 0, (uint16_t[]) {(uint16_t) i}, i * 7);
		rows_of(paths, path, beside);
		for (uint32_t j = 0; j < PEGS_PATHS; j++)
		{
			CHECK_INT(path[0][j], n % 2);
			CHECK_INT(path[1][j], pegs_class_of_number(&r.table[1], n));
			CHECK_INT(path[2][j] == 200, n == 0);
			CHECK_INT(beside[2][j] == 200, n < 2);
			CHECK(n < 2 || beside[2][j] != path[2][j]);
			if (n > 0 && path[2][j] < 200)
				times[path[2][j]]++;
		}
		for (uint32_t i = 0; i < n; i++)
		{
			met += times[i] > 0;
			CHECK(n > PEGS_PATHS ? times[i] <= 1 : times[i] >= PEGS_PATHS / n && times[i] <= (PEGS_PATHS + n - 1) / n);
		}
		CHECK_INT(met, n > PEGS_PATHS ? PEGS_PATHS : n);
	}
	arena_free(&memory);
}

/* A unit of many rows: the first by hash, whatever the level; the number of all of them. */
static void
test_many(void)
{
	pegs_relations r = wide_child();
	pegs_paths *paths = pegs_paths_new(&env, &r);
	uint32_t	low = 0;
	size_t		bytes = 0;

	for (uint32_t unit = 0; unit < 40; unit++)
	{
		pegs_paths_begin(paths, (uint16_t[]) {0}, unit);
		for (uint32_t i = 0; i < 5000; i++)
			(void) pegs_paths_add(paths, 1, 0, (uint16_t[]) {(uint16_t) (i % 200)}, i);
		if (unit == 0)
			bytes = memory.live;
		rows_of(paths, path, NULL);
		CHECK_INT(path[1][0], r.table[1].nclasses - 1);
		for (uint32_t j = 0; j < PEGS_PATHS; j++)
			low += path[2][j] < 100;
	}
	CHECK_INT(memory.live, bytes);	/* rows that are not kept take no memory */
	CHECK(low > 1000 && low < 1560);	/* 1280 +- 25 */
	arena_free(&memory);
}

/* The order in which rows come, and other units before it, change nothing. */
static void
test_of_unit_alone(void)
{
	pegs_relations r = two_levels();
	pegs_paths *paths = pegs_paths_new(&env, &r);
	pegs_paths *fresh = pegs_paths_new(&env, &r);
	uint32_t	different = 0;

	start(2);
	for (int turn = 0; turn < 400; turn++)
	{
		unit		u = random_unit(&r, turn % 4 == 0 ? 150 : 5, turn % 3 > 0);

		feed(paths, &r, &u, false);
		rows_of(paths, path, beside);
		for (uint32_t i = 0; i < r.ncols; i++)
			for (uint32_t j = 0; j < PEGS_PATHS; j++)
				CHECK(path[i][j] < r.levels[i]);
		for (uint32_t j = 0; j < PEGS_PATHS; j++)
		{
			uint16_t	row[MOST_COLUMNS];

			for (uint32_t i = 0; i < r.ncols; i++)
				row[i] = path[i][j];
			CHECK(!pegs_is_zero(&r.zeros, row));
		}
		for (int order = 0; order < 3; order++)
		{
			feed(order == 0 ? fresh : paths, &r, &u, true);
			rows_of(order == 0 ? fresh : paths, again, NULL);
			for (uint32_t i = 0; i < r.ncols; i++)
				different += memcmp(path[i], again[i], sizeof(path[i])) != 0;
		}
	}
	CHECK_INT(different, 0);
	arena_free(&memory);
}

int
main(void)
{
	env = arena_env_freeing(&memory);
	test_turns();
	test_many();
	test_of_unit_alone();
	return unit_done("paths_test");
}
