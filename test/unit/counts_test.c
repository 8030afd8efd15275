/*
 * counts_test.c
 *	  Does every cell lie where the header says, and is every row counted there?
 *
 * Layouts against their arithmetic; counting against a count that takes one
 * row at a time and finds its cell by the definition; the law
 * count(a ++ b) == count(a) + count(b). The bits of the tail hash are pinned:
 * a state that was written yesterday has them in its cells.
 */
#include "core/counts.h"

#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "unit.h"

/* ---------- layouts ---------- */

static void
test_pairs_layout(void)
{
	uint32_t	levels[4] = {3, 1, 5, 2};
	static const uint64_t one[4] = {0, 3, 4, 9};
	pegs_layout layout;
	double		cells = 0;
	uint64_t	at = 11;

	CHECK(pegs_layout_pairs(&env, 4, levels, &layout, &cells) == PEGS_OK);
	CHECK(layout.tables == PEGS_PAIRS);
	CHECK_INT(layout.ncols, 4);
	CHECK_INT(layout.ncells, 11 + 3 + 15 + 6 + 5 + 2 + 10);
	CHECK(cells == 52);
	for (uint32_t a = 0; a < 4; a++)
	{
		CHECK_INT(layout.offset[a], one[a]);
		for (uint32_t b = a + 1; b < 4; b++)
		{
			CHECK_INT(layout.pair_offset[a * 4 + b], at);
			at += levels[a] * levels[b];
		}
	}
	/* the layout keeps its own copy */
	levels[0] = 99;
	CHECK_INT(layout.levels[0], 3);

	CHECK(pegs_layout_pairs(&env, 1, levels, &layout, NULL) == PEGS_OK);
	CHECK_INT(layout.ncells, 99);
	arena_free(&memory);
}

static void
test_conditional_layout(void)
{
	const uint32_t levels[3] = {3, 4, 2};
	uint32_t	begin[4] = {0, 2, 2, 3};
	uint16_t	parents[3] = {2, 1, 0};
	const uint16_t row[3] = {2, 3, 1};
	pegs_layout layout;
	double		cells;

	CHECK(pegs_layout_conditional(&env, 3, levels, begin, parents, 0, &layout, &cells) == PEGS_OK);
	CHECK_INT(layout.keys[0], 8);
	CHECK_INT(layout.keys[1], 1);
	CHECK_INT(layout.keys[2], 3);
	CHECK_INT(layout.offset[0], 0);
	CHECK_INT(layout.offset[1], 24);
	CHECK_INT(layout.offset[2], 28);
	CHECK_INT(layout.ncells, 34);
	CHECK(cells == 34);
	CHECK_INT(pegs_layout_key(&layout, 0, row), 1 * 4 + 3);
	CHECK_INT(pegs_layout_key(&layout, 1, row), 0);
	CHECK_INT(pegs_layout_key(&layout, 2, row), 2);
	begin[3] = 2;
	parents[0] = 1;
	CHECK_INT(layout.parents[0], 2);
	CHECK_INT(layout.parent_start[3], 3);

	begin[3] = 3;
	parents[0] = 2;
	CHECK(pegs_layout_conditional(&env, 3, levels, begin, parents, 1, &layout, &cells) == PEGS_OK);
	CHECK_INT(layout.keys[0], 16);
	CHECK_INT(layout.keys[1], 2);
	CHECK_INT(layout.keys[2], 6);
	CHECK_INT(layout.ncells, 48 + 8 + 12);
	CHECK(cells == 68);
	/* all other columns are parents: nothing is left for the tail */
	CHECK_INT(pegs_layout_key(&layout, 0, row), 2 * (1 * 4 + 3));
	arena_free(&memory);
}

/* The hash of the tail, of columns 0, 1, 2 and 1599 and levels 0 to 63. */
static void
test_tail_is_pinned(void)
{
	static const struct
	{
		uint32_t	column;
		uint64_t	bits;
	}			pinned[] = {
		{0, UINT64_C(0x1f5514a0756968aa)},
		{1, UINT64_C(0x2e1e4c56f2619ee3)},
		{2, UINT64_C(0x10c8b809fe78ff0a)},
		{1599, UINT64_C(0xbf69041f3328b5e8)}
	};
	static uint32_t levels[PEGS_MAX_COLUMNS];
	static uint32_t begin[PEGS_MAX_COLUMNS + 1];
	static uint16_t row[PEGS_MAX_COLUMNS];
	uint16_t	none = 0;
	pegs_layout layout;

	for (uint32_t i = 0; i < PEGS_MAX_COLUMNS; i++)
		levels[i] = 64;
	CHECK(pegs_layout_conditional(&env, PEGS_MAX_COLUMNS, levels, begin, &none, 1, &layout, NULL) == PEGS_OK);
	for (size_t p = 0; p < sizeof(pinned) / sizeof(pinned[0]); p++)
	{
		uint64_t	bits = 0;
		uint64_t	zero = pegs_layout_key(&layout, 7, row) ^ (pinned[p].bits & 1);

		for (uint16_t level = 0; level < 64; level++)
		{
			row[pinned[p].column] = level;
			bits |= (pegs_layout_key(&layout, 7, row) ^ zero) << level;
		}
		row[pinned[p].column] = 0;
		CHECK(bits == pinned[p].bits);
	}
	arena_free(&memory);
}

static void
check_refused(uint32_t ncols, const uint32_t *levels, const uint32_t *begin, const uint16_t *parents,
			  uint32_t tail_bits, pegs_status expected)
{
	pegs_layout layout;
	double		cells;

	CHECK_INT(pegs_layout_conditional(&env, ncols, levels, begin, parents, tail_bits, &layout, &cells), expected);
	arena_free(&memory);
}

static void
test_bad_arguments(void)
{
	static const uint32_t three[3] = {2, 3, 4};
	static const uint32_t zero_level[3] = {2, 0, 4};
	static const uint32_t many_levels[3] = {2, 3, PEGS_MAX_LEVELS + 1};
	static const uint32_t most_levels[3] = {2, 3, PEGS_MAX_LEVELS};
	static uint32_t wide[PEGS_MAX_COLUMNS + 1];
	static const uint32_t nobody[4] = {0, 0, 0, 0};
	static const uint16_t pair[4] = {1, 2, 0, 0};
	pegs_layout layout;

	for (uint32_t i = 0; i <= PEGS_MAX_COLUMNS; i++)
		wide[i] = 1;
	CHECK(pegs_layout_pairs(&env, 0, three, &layout, NULL) == PEGS_ERR_ARGUMENT);
	CHECK(pegs_layout_pairs(&env, PEGS_MAX_COLUMNS + 1, wide, &layout, NULL) == PEGS_ERR_ARGUMENT);
	CHECK(pegs_layout_pairs(&env, PEGS_MAX_COLUMNS, wide, &layout, NULL) == PEGS_OK);
	CHECK_INT(layout.ncells, 1600 + 1600 * 1599 / 2);
	CHECK(pegs_layout_pairs(&env, 3, zero_level, &layout, NULL) == PEGS_ERR_ARGUMENT);
	CHECK(pegs_layout_pairs(&env, 3, many_levels, &layout, NULL) == PEGS_ERR_ARGUMENT);
	CHECK(pegs_layout_pairs(&env, 3, most_levels, &layout, NULL) == PEGS_OK);
	arena_free(&memory);

	check_refused(3, three, nobody, pair, 0, PEGS_OK);
	check_refused(3, three, nobody, pair, 1, PEGS_OK);
	check_refused(3, three, nobody, pair, 2, PEGS_ERR_ARGUMENT);
	check_refused(3, zero_level, nobody, pair, 0, PEGS_ERR_ARGUMENT);
	check_refused(0, three, nobody, pair, 0, PEGS_ERR_ARGUMENT);
	/* a column as its own parent, a parent twice, a parent that is no column */
	check_refused(3, three, (uint32_t[]) {0, 0, 1, 1}, (uint16_t[]) {1}, 0, PEGS_ERR_ARGUMENT);
	check_refused(3, three, (uint32_t[]) {0, 2, 2, 2}, (uint16_t[]) {1, 1}, 0, PEGS_ERR_ARGUMENT);
	check_refused(3, three, (uint32_t[]) {0, 1, 1, 1}, (uint16_t[]) {3}, 0, PEGS_ERR_ARGUMENT);
	check_refused(3, three, (uint32_t[]) {0, 1, 1, 1}, (uint16_t[]) {UINT16_MAX}, 0, PEGS_ERR_ARGUMENT);
	/* starts that do not start at 0, go back, or leave more parents than there are columns */
	check_refused(3, three, (uint32_t[]) {1, 1, 1, 1}, pair, 0, PEGS_ERR_ARGUMENT);
	check_refused(3, three, (uint32_t[]) {0, 2, 1, 2}, pair, 0, PEGS_ERR_ARGUMENT);
	check_refused(3, three, (uint32_t[]) {0, 3, 3, 3}, pair, 0, PEGS_ERR_ARGUMENT);
	check_refused(3, three, (uint32_t[]) {0, 2, 3, 3}, pair, 0, PEGS_OK);
}

/* The limit is met exactly, and its arithmetic is what the caller is told. */
static void
test_too_large(void)
{
	static const uint32_t pairs[4] = {4209, 15925, 3, 1};
	static const uint32_t chain[3] = {32767, 2048, 1};
	static const uint32_t begin[4] = {0, 1, 1, 1};
	static const uint16_t parent[1] = {1};
	static uint32_t levels[PEGS_MAX_COLUMNS];
	static uint32_t all_begin[PEGS_MAX_COLUMNS + 1];
	static uint16_t all[PEGS_MAX_COLUMNS * (PEGS_MAX_COLUMNS - 1)];
	uint32_t	n = 0;
	pegs_layout layout;
	double		cells;

	CHECK(pegs_layout_pairs(&env, 3, pairs, &layout, &cells) == PEGS_OK);
	CHECK(layout.ncells == PEGS_MAX_CELLS && cells == (double) PEGS_MAX_CELLS);
	CHECK(pegs_layout_pairs(&env, 4, pairs, &layout, &cells) == PEGS_ERR_TOO_LARGE);
	CHECK(cells == (double) PEGS_MAX_CELLS + 1 + pairs[0] + pairs[1] + pairs[2]);

	/* 32,767 x 2,048 + 2,048 = 2^26 */
	CHECK(pegs_layout_conditional(&env, 2, chain, begin, parent, 0, &layout, &cells) == PEGS_OK);
	CHECK(layout.ncells == PEGS_MAX_CELLS && cells == (double) PEGS_MAX_CELLS);
	CHECK(pegs_layout_conditional(&env, 3, chain, begin, parent, 0, &layout, &cells) == PEGS_ERR_TOO_LARGE);
	CHECK(cells == (double) PEGS_MAX_CELLS + 1);
	CHECK(pegs_layout_conditional(&env, 2, chain, begin, parent, 1, &layout, &cells) == PEGS_ERR_TOO_LARGE);
	CHECK(cells == 2.0 * (double) PEGS_MAX_CELLS);
	CHECK(pegs_layout_conditional(&env, 2, chain, begin, parent, 1, &layout, NULL) == PEGS_ERR_TOO_LARGE);

	/* 2^64 cells and more must not wrap around to a few */
	for (uint32_t i = 0; i < PEGS_MAX_COLUMNS; i++)
	{
		levels[i] = PEGS_MAX_LEVELS;
		for (uint16_t j = 0; j < PEGS_MAX_COLUMNS; j++)
			if (j != i)
				all[n++] = j;
		all_begin[i + 1] = n;
	}
	CHECK(pegs_layout_pairs(&env, PEGS_MAX_COLUMNS, levels, &layout, &cells) == PEGS_ERR_TOO_LARGE);
	CHECK_NEAR(cells, 1600.0 * 65535 + 1600.0 * 1599 / 2 * 65535 * 65535, 1e-12);
	CHECK(pegs_layout_conditional(&env, 5, levels, (uint32_t[]) {0, 4, 4, 4, 4, 4}, (uint16_t[]) {1, 2, 3, 4}, 0,
								  &layout, &cells) == PEGS_ERR_TOO_LARGE);
	CHECK_NEAR(cells, pow(65535, 5) + 4 * 65535.0, 1e-12);
	for (uint32_t i = 0; i < 66; i++)
		levels[i] = 2;
	for (uint32_t i = 0; i < 65; i++)
		all[i] = (uint16_t) (i + 1);
	for (uint32_t i = 1; i <= 66; i++)
		all_begin[i] = 65;
	/* 2^65 keys of column 0 */
	CHECK(pegs_layout_conditional(&env, 66, levels, all_begin, all, 0, &layout, &cells) == PEGS_ERR_TOO_LARGE);
	CHECK_NEAR(cells, 0x1p66 + 130, 1e-12);
	/* all 1,599 others as parents: beyond a double */
	for (uint32_t i = 0; i < PEGS_MAX_COLUMNS; i++)
	{
		levels[i] = PEGS_MAX_LEVELS;
		all[i] = (uint16_t) (i + 1);
		all_begin[i + 1] = PEGS_MAX_COLUMNS - 1;
	}
	CHECK(pegs_layout_conditional(&env, PEGS_MAX_COLUMNS, levels, all_begin, all, 1, &layout, &cells) == PEGS_ERR_TOO_LARGE);
	CHECK(isinf(cells));
	arena_free(&memory);
}

/* ---------- counting ---------- */

/* Any layout of a few thousand cells at most, conditional or pairs. */
static void
any_layout(pegs_layout *layout)
{
	for (;;)
	{
		uint32_t	ncols = 1 + (uint32_t) pegs_rng_below(&rng, 6);
		uint32_t	levels[6];
		uint32_t	begin[7] = {0};
		uint16_t	parents[36];
		double		cells;
		uint32_t	n = 0;

		for (uint32_t i = 0; i < ncols; i++)
			levels[i] = 1 + (uint32_t) pegs_rng_below(&rng, pegs_rng_below(&rng, 10) == 0 ? 60 : 6);
		for (uint32_t i = 0; i < ncols; i++)
		{
			/* parents in any order */
			uint16_t	first = (uint16_t) pegs_rng_below(&rng, ncols);

			for (uint16_t j = 0; j < ncols; j++)
				if ((first + j) % ncols != i && pegs_rng_below(&rng, 3) == 0)
					parents[n++] = (uint16_t) ((first + j) % ncols);
			begin[i + 1] = n;
		}
		if (pegs_rng_below(&rng, 2) == 0)
		{
			if (pegs_layout_pairs(&env, ncols, levels, layout, &cells) == PEGS_OK && cells < 20000)
				return;
		}
		else if (pegs_layout_conditional(&env, ncols, levels, begin, parents, (uint32_t) pegs_rng_below(&rng, 2),
										 layout, &cells) == PEGS_OK && cells < 20000)
			return;
	}
}

/* n rows, in arrays of exactly that size. */
static uint16_t **
any_rows(const pegs_layout *layout, uint32_t n)
{
	uint16_t  **codes = env.alloc(env.context, sizeof(uint16_t *) * layout->ncols);

	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		codes[i] = env.alloc(env.context, sizeof(uint16_t) * n);
		for (uint32_t r = 0; r < n; r++)
			codes[i][r] = (uint16_t) pegs_rng_below(&rng, layout->levels[i]);
	}
	return codes;
}

/* One row at a time, each cell from the definition. */
static void
count_slowly(const pegs_layout *layout, uint64_t *cells, uint16_t *const *codes, uint32_t n)
{
	uint16_t	row[6];

	for (uint32_t r = 0; r < n; r++)
	{
		for (uint32_t i = 0; i < layout->ncols; i++)
			row[i] = codes[i][r];
		for (uint32_t i = 0; i < layout->ncols; i++)
		{
			if (layout->tables == PEGS_CONDITIONAL)
			{
				cells[layout->offset[i] + pegs_layout_key(layout, i, row) * layout->levels[i] + row[i]]++;
				continue;
			}
			cells[layout->offset[i] + row[i]]++;
			for (uint32_t j = i + 1; j < layout->ncols; j++)
				cells[layout->pair_offset[i * layout->ncols + j] + row[i] * layout->levels[j] + row[j]]++;
		}
	}
}

/*
 * A key has the parents' levels in it, and its tail bit neither changes with
 * the column itself nor with a parent that stays where it is in the key.
 */
static bool
key_is_sound(const pegs_layout *layout, const uint16_t *given_row)
{
	uint16_t	row[6];
	bool		sound = true;

	memcpy(row, given_row, sizeof(uint16_t) * layout->ncols);
	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		uint64_t	key = pegs_layout_key(layout, i, row);
		uint64_t	mixed = 0;
		uint16_t	own = row[i];

		sound = sound && key < layout->keys[i];
		for (uint32_t p = layout->parent_start[i]; p < layout->parent_start[i + 1]; p++)
			mixed = mixed * layout->levels[layout->parents[p]] + row[layout->parents[p]];
		sound = sound && key >> layout->tail_bits == mixed;
		for (row[i] = 0; row[i] < layout->levels[i]; row[i]++)
			sound = sound && pegs_layout_key(layout, i, row) == key;
		row[i] = own;
		for (uint32_t p = layout->parent_start[i]; p < layout->parent_start[i + 1]; p++)
		{
			uint16_t	before = row[layout->parents[p]];

			for (row[layout->parents[p]] = 0; row[layout->parents[p]] < layout->levels[layout->parents[p]]; row[layout->parents[p]]++)
				sound = sound && (layout->tail_bits == 0 || (pegs_layout_key(layout, i, row) & 1) == (key & 1));
			row[layout->parents[p]] = before;
		}
	}
	return sound;
}

/* A row that counts t times is the row t times: what a person's weights rest on (P10). */
static void
check_weights(const pegs_layout *layout, uint16_t *const *codes, uint32_t n)
{
	uint64_t   *cells = env.alloc(env.context, sizeof(uint64_t) * layout->ncells);
	uint64_t   *again = env.alloc(env.context, sizeof(uint64_t) * layout->ncells);
	uint32_t   *times = env.alloc(env.context, sizeof(uint32_t) * (n + 1));
	uint16_t   *one[6];

	for (uint32_t r = 0; r < n; r++)
	{
		times[r] = (uint32_t) pegs_rng_below(&rng, 5);
		for (uint32_t i = 0; i < layout->ncols; i++)
			one[i] = codes[i] + r;
		for (uint32_t t = 0; t < times[r]; t++)
			count_slowly(layout, again, one, 1);
	}
	pegs_count_weighted(NULL, layout, cells, codes, times, n);
	CHECK(memcmp(cells, again, sizeof(uint64_t) * layout->ncells) == 0);
}

static void
test_counting(void)
{
	static const uint32_t sizes[] = {0, 1, 2, 7, 255, 1023, PEGS_CHUNK};

	start(1);
	for (int turn = 0; turn < 400; turn++)
	{
		pegs_layout layout;
		uint32_t	n;
		uint32_t	first;
		uint16_t  **codes;
		uint16_t   *rest[6];
		uint64_t   *cells;
		uint64_t   *slow;
		uint64_t   *parts;

		any_layout(&layout);
		n = sizes[pegs_rng_below(&rng, sizeof(sizes) / sizeof(sizes[0]))];
		codes = any_rows(&layout, n);
		cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
		slow = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
		parts = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
		pegs_count_chunk(&layout, cells, codes, n);
		count_slowly(&layout, slow, codes, n);
		CHECK(memcmp(cells, slow, sizeof(uint64_t) * layout.ncells) == 0);

		/* every table holds every row once */
		for (uint32_t i = 0; i < layout.ncols; i++)
		{
			uint64_t	sum = 0;
			uint64_t	size = layout.levels[i] * (layout.tables == PEGS_PAIRS ? 1 : layout.keys[i]);

			for (uint64_t c = 0; c < size; c++)
				sum += cells[layout.offset[i] + c];
			CHECK_INT(sum, n);
		}

		/* count(a ++ b) == count(a) + count(b), into the same cells */
		first = n == 0 ? 0 : (uint32_t) pegs_rng_below(&rng, n + 1);
		for (uint32_t i = 0; i < layout.ncols; i++)
			rest[i] = codes[i] + first;
		pegs_count_chunk(&layout, parts, codes, first);
		pegs_count_chunk(&layout, parts, rest, n - first);
		CHECK(memcmp(cells, parts, sizeof(uint64_t) * layout.ncells) == 0);
		check_weights(&layout, codes, n);

		if (layout.tables == PEGS_CONDITIONAL)
			for (uint32_t r = 0; r < n && r < 3; r++)
			{
				uint16_t	row[6];

				for (uint32_t i = 0; i < layout.ncols; i++)
					row[i] = codes[i][r];
				CHECK(key_is_sound(&layout, row));
			}
		arena_free(&memory);
	}
}

/* The table of all columns: a cell is a row, each way round; what is counted is what is counted slowly, and by times. */
static void
test_joint(void)
{
	const uint32_t levels[4] = {3, 1, 5, 4};
	const uint32_t wide[3] = {4096, 16384, 1};
	const uint32_t wider[3] = {4096, 16384, 2};
	uint16_t	code[4][PEGS_CHUNK];
	uint16_t   *codes[4];
	uint32_t	times[PEGS_CHUNK];
	uint64_t   *cells[2];
	uint64_t   *slow[2];
	pegs_layout layout;
	double		many;

	CHECK(pegs_layout_joint(&env, 4, levels, &layout, &many) == PEGS_OK);
	CHECK(layout.tables == PEGS_JOINT && layout.ncells == 60 && many == 60);
	for (uint64_t cell = 0; cell < 60; cell++)
	{
		uint16_t	row[4];

		pegs_joint_row(4, levels, cell, row);
		for (int c = 0; c < 4; c++)
			CHECK(row[c] < levels[c]);
		CHECK_INT(pegs_joint_cell(4, levels, row), cell);
		CHECK_INT(cell, (row[0] * 5 + row[2]) * 4 + row[3]);
	}
	for (int i = 0; i < 2; i++)
	{
		cells[i] = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
		slow[i] = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
	}
	for (uint32_t r = 0; r < PEGS_CHUNK; r++)
	{
		uint16_t	row[4];

		times[r] = (uint32_t) pegs_rng_below(&rng, 5);
		for (int c = 0; c < 4; c++)
		{
			codes[c] = code[c];
			row[c] = code[c][r] = (uint16_t) pegs_rng_below(&rng, levels[c]);
		}
		slow[0][pegs_joint_cell(4, levels, row)]++;
		slow[1][pegs_joint_cell(4, levels, row)] += times[r];
	}
	pegs_count_chunk(&layout, cells[0], codes, PEGS_CHUNK);
	pegs_count_weighted(&env, &layout, cells[1], codes, times, PEGS_CHUNK);
	for (int i = 0; i < 2; i++)
		CHECK(memcmp(cells[i], slow[i], sizeof(uint64_t) * layout.ncells) == 0);
	CHECK(pegs_layout_joint(&env, 3, wide, &layout, NULL) == PEGS_OK && layout.ncells == PEGS_MAX_CELLS);
	CHECK(pegs_layout_joint(&env, 3, wider, &layout, &many) == PEGS_ERR_TOO_LARGE && many == 0x1p27);
	CHECK(pegs_layout_joint(&env, 0, levels, &layout, NULL) == PEGS_ERR_ARGUMENT);
	arena_free(&memory);
}

/* The last cell of a wide table is the last cell. */
static void
test_corner(void)
{
	const uint32_t levels[2] = {PEGS_MAX_LEVELS, 60};
	const uint32_t begin[3] = {0, 0, 1};
	const uint16_t parents[1] = {0};
	uint16_t	x = PEGS_MAX_LEVELS - 1;
	uint16_t	y = 59;
	uint16_t   *codes[2] = {&x, &y};
	pegs_layout layout;
	uint64_t   *cells;

	CHECK(pegs_layout_pairs(&env, 2, levels, &layout, NULL) == PEGS_OK);
	cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
	pegs_count_chunk(&layout, cells, codes, 1);
	CHECK_INT(cells[layout.ncells - 1], 1);
	CHECK_INT(cells[PEGS_MAX_LEVELS - 1], 1);
	arena_free(&memory);

	CHECK(pegs_layout_conditional(&env, 2, levels, begin, parents, 0, &layout, NULL) == PEGS_OK);
	cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
	pegs_count_chunk(&layout, cells, codes, 1);
	CHECK_INT(cells[layout.ncells - 1], 1);
	CHECK_INT(cells[PEGS_MAX_LEVELS - 1], 1);
	arena_free(&memory);
}

int
main(void)
{
	test_pairs_layout();
	test_conditional_layout();
	test_tail_is_pinned();
	test_bad_arguments();
	test_too_large();
	test_counting();
	test_joint();
	test_corner();
	return unit_done("counts_test");
}
