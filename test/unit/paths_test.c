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
	uint32_t	met = 0;
	bool		seen[200] = {false};
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
		{
			low += path[2][j] < 100;
			met += !seen[path[2][j]];
			seen[path[2][j]] = true;
		}
	}
	CHECK_INT(memory.live, bytes);	/* rows that are not kept take no memory */
	CHECK(low > 1000 && low < 1560);	/* 1280 +- 25 */
	CHECK(met > 150);			/* of another root's row others come first */
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

/* The hash of paths.c, and what it is the hash of. */
static uint64_t
mixed(uint64_t x)
{
	for (int i = 0; i < 2; i++)
		x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return x ^ x >> 32;
}

static uint64_t
unmixed(uint64_t x)
{
	uint64_t	inverse = 1;

	for (int i = 0; i < 6; i++)
		inverse *= 2 - UINT64_C(0xd6e8feb86659fd93) * inverse;
	x ^= x >> 32;
	for (int i = 0; i < 2; i++)
	{
		x *= inverse;
		x ^= x >> 32;
	}
	return x;
}

/* Of a row of wide_child(), without its tie. */
static uint64_t
codes_hash(uint64_t seed, uint32_t table, uint16_t code)
{
	return mixed(mixed(seed + table + 1) * 3 + code + 1);
}

/* Two rows, and 63 with them, made so that both have one hash: codes tell them apart, not who came first. */
static void
test_one_hash(void)
{
	pegs_relations r = wide_child();
	pegs_paths *paths = pegs_paths_new(&env, &r);
	uint32_t	different = 0;
	uint32_t	turns = 0;

	for (uint64_t unit = 0; unit < 100; unit++)
		for (uint32_t more = 0; more < 64; more += 63)
		{
			uint64_t	seed = mixed(codes_hash(0, 0, 0) ^ mixed(unit + 1));
			uint64_t	tie[2] = {unit * 5};

			tie[1] = unmixed(mixed(tie[0] + 1) ^ codes_hash(seed, 1, 7) ^ codes_hash(seed, 1, 3)) - 1;
			CHECK(mixed(codes_hash(seed, 1, 7) ^ mixed(tie[0] + 1)) == mixed(codes_hash(seed, 1, 3) ^ mixed(tie[1] + 1)));
			for (int order = 0; order < 2; order++)
			{
				pegs_paths_begin(paths, (uint16_t[]) {0}, unit);
				for (uint32_t i = 0; i < more; i++)
					(void) pegs_paths_add(paths, 1, 0, (uint16_t[]) {9}, i);
				for (int i = 0; i < 2; i++)
					(void) pegs_paths_add(paths, 1, 0, (uint16_t[]) {i == order ? 7 : 3}, tie[i == order ? 0 : 1]);
				rows_of(paths, order == 0 ? path : again, NULL);
			}
			different += memcmp(path[2], again[2], sizeof(path[2])) != 0;
			turns++;
		}
	CHECK_INT(turns, 200);
	CHECK_INT(different, 0);
	arena_free(&memory);
}

/* What hangs on rows that agree tells them apart, however deep it lies, and also where of it some is not kept. */
static void
test_what_hangs(void)
{
	pegs_relations r = made(4, (pegs_relation[]) {
		{.parent = -1, .ncols = 1, .levels = (uint32_t[]) {2}},
		{.parent = 0, .ncols = 1, .levels = (uint32_t[]) {2}, .nclasses = 3, .first = (uint32_t[]) {0, 1, 2}, .most = 2},
		{.parent = 1, .ncols = 1, .levels = (uint32_t[]) {2}, .nclasses = 3, .first = (uint32_t[]) {0, 1, 65}, .most = 100},
		{.parent = 2, .ncols = 1, .levels = (uint32_t[]) {2}, .nclasses = 2, .first = (uint32_t[]) {0, 1}, .most = 1}});
	pegs_paths *paths = pegs_paths_new(&env, &r);
	uint32_t	different = 0;

	for (uint16_t kind = 0; kind < 3; kind++)
		for (uint64_t unit = 0; unit < 100; unit++)
		{
			for (uint32_t order = 0; order < 2; order++)
			{
				uint32_t	child[2];

				pegs_paths_begin(paths, (uint16_t[]) {0}, unit);
				for (int i = 0; i < 2; i++)
					child[i] = pegs_paths_add(paths, 1, 0, (uint16_t[]) {1}, 0);
				/* one of them has more rows, of which 64 are kept; or another level; or below a row as the other's another level */
				for (uint32_t i = 0; i < (kind == 0 ? 129 : 2); i++)
				{
					uint32_t	at = pegs_paths_add(paths, 2, child[(i + order) % 2], (uint16_t[]) {kind == 1 && i == 0}, 0);

					if (kind == 2)
						(void) pegs_paths_add(paths, 3, at, (uint16_t[]) {i == 0}, 0);
				}
				rows_of(paths, order == 0 ? path : again, NULL);
			}
			for (uint32_t i = 0; i < r.ncols; i++)
				different += memcmp(path[i], again[i], sizeof(path[i])) != 0;
		}
	CHECK_INT(different, 0);
	arena_free(&memory);
}

/* Of tables below each other PEGS_MOST_KEPT rows are kept, of which leaves take no more than their codes; the next unit begins anew. */
static void
test_deep(void)
{
	static const uint32_t levels[] = {2};
	static const uint32_t first[] = {0, 1};
	pegs_relation table[6] = {{.parent = -1, .ncols = 1, .levels = levels}};
	pegs_relations r;
	pegs_paths *paths;
	uint32_t	last = 0;
	uint64_t	n = 1;
	uint64_t	kept = 0;
	uint32_t	answer = 0;

	for (int t = 1; t < 6; t++)
		table[t] = (pegs_relation) {.parent = t - 1, .ncols = 1, .levels = levels, .nclasses = 2, .first = first, .most = 2};
	r = made(6, table);
	paths = pegs_paths_new(&env, &r);
	for (int turn = 0; turn < 2; turn++)
	{
		pegs_paths_begin(paths, (uint16_t[]) {0}, 1);
		kept = n = 1;
		answer = 0;
		for (uint32_t t = 1; t < 6 && answer != PEGS_TOO_MANY && kept <= PEGS_MOST_KEPT; t++)
		{
			for (uint64_t i = 0; i < n * 70 && answer != PEGS_TOO_MANY && kept <= PEGS_MOST_KEPT; i++)
			{
				answer = pegs_paths_add(paths, t, (uint32_t) (i / 70), (uint16_t[]) {(uint16_t) (i % 2)}, i);
				kept += i % 70 < PEGS_PATHS && answer < PEGS_TOO_MANY;
			}
			n *= PEGS_PATHS;
			last = t;
		}
		CHECK_INT(answer, PEGS_TOO_MANY);
		CHECK_INT(last, 4);
		CHECK_INT(kept, PEGS_MOST_KEPT);
		CHECK(memory.live < 160 << 20);
	}
	pegs_paths_begin(paths, (uint16_t[]) {1}, 2);
	answer = pegs_paths_add(paths, 1, 0, (uint16_t[]) {1}, 1);
	CHECK_INT(answer, 0);
	rows_of(paths, path, NULL);
	CHECK_INT(path[1][0], 1);
	arena_free(&memory);
}

int
main(void)
{
	env = arena_env_freeing(&memory);
	test_turns();
	test_many();
	test_of_unit_alone();
	test_one_hash();
	test_what_hangs();
	test_deep();
	return unit_done("paths_test");
}
