/*
 * kept_test.c
 *	  Rows that are kept come back as they were: narrow and wide columns, how
 *	  often each counts, many blocks, and a copy that gets more.
 */
#include "core/kept.h"

#include "fixture.h"
#include "unit.h"

#define COLUMNS 4

static const uint32_t levels[COLUMNS] = {256, 257, 2, 65535};
static uint16_t column[COLUMNS][PEGS_CHUNK];
static uint16_t *codes[COLUMNS] = {column[0], column[1], column[2], column[3]};

static uint16_t
code_of(uint64_t row, uint32_t c)
{
	return (uint16_t) ((row * 2654435761u + c * 40503u) % levels[c]);
}

/* n rows from number `first` on. */
static void
add(pegs_kept *kept, uint64_t first, uint32_t n, bool weighed)
{
	uint32_t	times[PEGS_CHUNK];

	for (uint32_t r = 0; r < n; r++)
	{
		times[r] = (uint32_t) (first + r) % 7;
		for (uint32_t c = 0; c < COLUMNS; c++)
			column[c][r] = code_of(first + r, c);
	}
	pegs_kept_add(kept, codes, weighed ? times : NULL, n);
}

/* Are they n rows from 0 on, those from `weighed` on with how often they count? */
static void
check_rows(const pegs_kept *kept, uint64_t n, uint64_t weighed)
{
	uint64_t	row = 0;

	for (uint64_t b = 0; b < pegs_kept_blocks(kept); b++)
	{
		uint32_t	rows = pegs_kept_rows(kept, b);
		const uint32_t *times = pegs_kept_times(kept, b);

		CHECK(rows > 0 && rows <= PEGS_CHUNK);
		CHECK((times != NULL) == (row >= weighed));
		for (uint32_t c = 0; c < COLUMNS; c++)
		{
			uint16_t	got[PEGS_CHUNK];

			pegs_kept_column(kept, b, c, got);
			for (uint32_t r = 0; r < rows; r++)
				CHECK_INT(got[r], code_of(row + r, c));
		}
		for (uint32_t r = 0; times && r < rows; r++)
			CHECK_INT(times[r], (row + r) % 7);
		row += rows;
	}
	CHECK_INT(row, n);
}

/* Nothing of any row is left, nor how often it counts. */
static void
check_zeros(const pegs_kept *kept)
{
	uint16_t	got[PEGS_CHUNK];

	for (uint64_t b = 0; b < pegs_kept_blocks(kept); b++)
	{
		const uint32_t *times = pegs_kept_times(kept, b);
		uint32_t	sum = 0;

		for (uint32_t c = 0; c < COLUMNS; c++)
		{
			pegs_kept_column(kept, b, c, got);
			for (uint32_t r = 0; r < pegs_kept_rows(kept, b); r++)
				sum += got[r];
		}
		for (uint32_t r = 0; times && r < pegs_kept_rows(kept, b); r++)
			sum += times[r];
		CHECK_INT(sum, 0);
	}
}

static void
test_all(void)
{
	pegs_kept  *kept = pegs_kept_new(&env, COLUMNS, levels);
	pegs_kept  *copy;
	uint64_t	n = 0;

	check_rows(kept, 0, 0);
	add(kept, 0, 0, false);
	CHECK_INT(pegs_kept_blocks(kept), 0);
	for (uint32_t i = 0; i < 70; i++)
	{
		add(kept, n, i % 3 == 0 ? PEGS_CHUNK : i, false);
		n += i % 3 == 0 ? PEGS_CHUNK : i;
	}
	check_rows(kept, n, n);
	CHECK_INT(pegs_kept_bytes(kept), n * (1 + 2 + 1 + 2));
	copy = pegs_kept_copy(kept);
	for (uint32_t i = 0; i < 3; i++)
		add(copy, n + i, 1, true);
	check_rows(kept, n, n);
	check_rows(copy, n + 3, n);
	CHECK_INT(pegs_kept_bytes(copy), n * 6 + 3 * (6 + 4));
	pegs_kept_wipe(copy);
	check_zeros(copy);
	check_zeros(kept);
	arena_free(&memory);
}

int
main(void)
{
	test_all();
	return unit_done("kept_test");
}
