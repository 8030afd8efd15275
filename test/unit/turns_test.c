/*
 * turns_test.c
 *	  Which rows of a person count, and how often: a function of that person's
 *	  rows alone, in whatever order they come and whoever came before (claim P10).
 */
#include "core/turns.h"

#include <string.h>

#define STREAM_SALT [6] = 10
#include "fixture.h"
#include "unit.h"

#define MOST_ROWS 3000
#define ROOM (UINT64_C(1) << 30)

static uint16_t rows[MOST_ROWS][3];

static void
any_rows(uint32_t n, uint32_t levels)
{
	for (uint32_t r = 0; r < n; r++)
		for (int i = 0; i < 3; i++)
			rows[r][i] = (uint16_t) pegs_rng_below(&rng, levels);
}

static void
shuffle(uint32_t n)
{
	for (uint32_t r = n; r > 1; r--)
	{
		uint32_t	other = (uint32_t) pegs_rng_below(&rng, r);
		uint16_t	held[3];

		memcpy(held, rows[r - 1], sizeof(held));
		memcpy(rows[r - 1], rows[other], sizeof(held));
		memcpy(rows[other], held, sizeof(held));
	}
}

/* All that counts of a person, in one number of rows and times. */
static uint32_t
counted(pegs_turns *turns, uint64_t seed, uint32_t n, uint16_t (*chosen)[4])
{
	uint32_t	found;

	pegs_turns_begin(turns);
	for (uint32_t r = 0; r < n; r++)
		CHECK(pegs_turns_add(turns, rows[r]) == PEGS_OK);
	found = pegs_turns_end(turns, seed);
	for (uint32_t i = 0; i < found; i++)
	{
		uint32_t	times;

		memcpy(chosen[i], pegs_turns_row(turns, i, &times), sizeof(rows[0]));
		chosen[i][3] = (uint16_t) times;
	}
	return found;
}

static uint32_t
copies_of(const uint16_t *row, uint32_t n)
{
	uint32_t	copies = 0;

	for (uint32_t r = 0; r < n; r++)
		copies += memcmp(rows[r], row, sizeof(rows[0])) == 0;
	return copies;
}

static void
check_chosen(uint16_t (*chosen)[4], uint32_t found, uint32_t n, uint32_t most, bool alike)
{
	uint64_t	times = 0;

	CHECK_INT(found, n < most ? n : most);
	for (uint32_t i = 0; i < found; i++)
	{
		uint32_t	again = 0;

		times += chosen[i][3];
		for (uint32_t k = 0; k < found; k++)
			again += memcmp(chosen[k], chosen[i], sizeof(rows[0])) == 0;
		CHECK(again <= copies_of(chosen[i], n));
		CHECK(chosen[i][3] == (alike ? most / found + (i < most % found) : 1));
	}
	CHECK_INT(times, n == 0 ? 0 : alike ? most : found);
}

static void
test_own_rows_alone(void)
{
	static uint16_t first[1000][4];
	static uint16_t then[1000][4];

	start(1);
	for (int round = 0; round < 300; round++)
	{
		uint32_t	most = (uint32_t) any_size(1000);
		bool		alike = pegs_rng_below(&rng, 2) == 1;
		uint32_t	n = round == 0 ? 0 : (uint32_t) any_size(round % 5 == 1 ? MOST_ROWS : 200);
		uint64_t	seed = pegs_rng_u64(&rng);
		pegs_turns *turns = pegs_turns_new(&env, 3, most, alike, ROOM);
		pegs_turns *other = pegs_turns_new(&env, 3, most, alike, ROOM);
		uint32_t	found;

		any_rows((uint32_t) any_size(MOST_ROWS), 40);
		(void) counted(other, pegs_rng_u64(&rng), (uint32_t) any_size(MOST_ROWS), then);
		any_rows(n, (uint32_t[]) {2, 7, 1000}[round % 3]);
		found = counted(turns, seed, n, first);
		check_chosen(first, found, n, most, alike);
		shuffle(n);
		CHECK_INT(counted(other, seed, n, then), found);
		CHECK(memcmp(first, then, sizeof(first[0]) * found) == 0);
	}
	arena_free(&memory);
}

/* Of four rows that differ each comes first as often as another; of four of which three are equal that one three times as often. */
static void
test_chances(void)
{
	pegs_turns *turns = pegs_turns_new(&env, 3, 1, false, ROOM);
	uint32_t	of[4] = {0};
	uint32_t	often = 0;
	uint16_t	chosen[1][4];

	start(2);
	for (int person = 0; person < 20000; person++)
	{
		for (uint16_t r = 0; r < 4; r++)
			memcpy(rows[r], (uint16_t[]) {r, 0, 0}, sizeof(rows[0]));
		(void) counted(turns, pegs_rng_u64(&rng), 4, chosen);
		of[chosen[0][0]]++;
		memcpy(rows[1], rows[0], sizeof(rows[0]));
		memcpy(rows[2], rows[0], sizeof(rows[0]));
		(void) counted(turns, pegs_rng_u64(&rng), 4, chosen);
		often += chosen[0][0] == 0;
	}
	for (int r = 0; r < 4; r++)
		CHECK_NEAR(of[r], 5000, 0.06);
	CHECK_NEAR(often, 15000, 0.03);
	arena_free(&memory);
}

/* Different rows have so much memory and no more; equal ones need none. The next person is as any other. */
static void
test_room(void)
{
	pegs_turns *turns = pegs_turns_new(&env, 3, 5, false, 20000);
	uint16_t	chosen[5][4];
	uint32_t	kept = 0;

	pegs_turns_begin(turns);
	for (uint32_t r = 0; r < 100000; r++)
		CHECK(pegs_turns_add(turns, (uint16_t[]) {1, 2, 3}) == PEGS_OK);
	while (kept < 60000 && pegs_turns_add(turns, (uint16_t[]) {(uint16_t) kept, 0, 1}) == PEGS_OK)
		kept++;
	CHECK(kept > 300 && kept < 1000);
	CHECK(pegs_turns_add(turns, (uint16_t[]) {9999, 0, 1}) == PEGS_ERR_TOO_LARGE);
	start(3);
	any_rows(4, 10);
	check_chosen(chosen, counted(turns, 8, 4, chosen), 4, 5, false);
	arena_free(&memory);
}

/* The same turns on every machine. */
static void
test_anywhere(void)
{
	pegs_turns *turns = pegs_turns_new(&env, 3, 8, false, ROOM);
	uint16_t	chosen[8][4];
	uint64_t	order = 0;

	for (uint16_t r = 0; r < 8; r++)
		memcpy(rows[r], (uint16_t[]) {r, (uint16_t) (300 * r), 65534}, sizeof(rows[0]));
	(void) counted(turns, 42, 8, chosen);
	for (int i = 0; i < 8; i++)
		order = 10 * order + chosen[i][0];
	CHECK_INT(order, 5641273);
	arena_free(&memory);
}

int
main(void)
{
	test_own_rows_alone();
	test_chances();
	test_room();
	test_anywhere();
	return unit_done("turns");
}
