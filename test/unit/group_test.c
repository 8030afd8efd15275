/*
 * group_test.c
 *	  Are two rows in one group if, and only if, they agree on the columns?
 *
 * Random tables against a comparison of each row with each other one; the
 * order of the numbers and the counts; what has no columns or no rows.
 */
#include "core/compare/group.h"

#include "fixture.h"
#include "rows.h"
#include "unit.h"

static uint16_t
code_of(const pegs_coded *a, const pegs_coded *b, uint64_t r, uint32_t column)
{
	return r < a->nrows ? a->code[column][r] : b->code[column][r - a->nrows];
}

static bool
agree(const pegs_coded *a, const pegs_coded *b, uint64_t r, uint64_t s, const uint32_t *columns, uint32_t n)
{
	for (uint32_t c = 0; c < n; c++)
		if (code_of(a, b, r, columns[c]) != code_of(a, b, s, columns[c]))
			return false;
	return true;
}

/* ---------- by hand ---------- */

static void
test_by_hand(void)
{
	static const uint32_t levels[3] = {3, 2, 3};
	static const uint32_t columns[2] = {2, 0};
	static const uint16_t rows[7][3] = {
		{3, 0, 1}, {1, 1, 3}, {3, 1, 1}, {1, 0, 1}, /* the original's */
		{1, 1, 1}, {2, 0, 0}, {3, 0, 1}
	};
	/* by columns 2 and 0: (1, 3), (3, 1), (1, 3), (1, 1), (1, 1), (0, 2), (1, 3) */
	static const uint32_t of[7] = {0, 1, 0, 2, 2, 3, 0};
	static const uint64_t original[4] = {2, 1, 1, 0};
	static const uint64_t synthetic[4] = {1, 0, 1, 1};
	pegs_coded	a = table(3, levels, 4);
	pegs_coded	b = table(3, levels, 3);
	pegs_groups groups;

	for (uint32_t r = 0; r < 7; r++)
		for (uint32_t c = 0; c < 3; c++)
			(r < 4 ? a.code[c] : b.code[c])[r < 4 ? r : r - 4] = rows[r][c];
	CHECK_INT(pegs_group_rows(&env, &a, &b, columns, 2, &groups), PEGS_OK);
	CHECK_INT(groups.n, 4);
	for (uint32_t r = 0; r < 7; r++)
		CHECK_INT(groups.of[r], of[r]);
	for (uint32_t g = 0; g < 4; g++)
	{
		CHECK_INT(groups.original[g], original[g]);
		CHECK_INT(groups.synthetic[g], synthetic[g]);
	}
	arena_free(&memory);
}

/* ---------- by comparing each row with each other one ---------- */

static void
check_slowly(const pegs_coded *a, const pegs_coded *b, const uint32_t *columns, uint32_t n)
{
	uint64_t	rows = a->nrows + b->nrows;
	uint64_t	original = 0;
	uint64_t	synthetic = 0;
	uint32_t	found = 0;
	bool		same = true;
	bool		in_order = true;
	bool		counted = true;
	pegs_groups groups;

	CHECK_INT(pegs_group_rows(&env, a, b, columns, n, &groups), PEGS_OK);
	for (uint64_t r = 0; r < rows; r++)
	{
		uint64_t	like[2] = {0, 0};
		uint64_t	first = r;

		for (uint64_t s = 0; s < rows; s++)
		{
			bool		alike = agree(a, b, r, s, columns, n);

			same &= alike == (groups.of[r] == groups.of[s]);
			like[s >= a->nrows] += alike;
			if (alike && s < first)
				first = s;
		}
		/* the first of its group has the next number */
		if (first == r)
		{
			in_order &= groups.of[r] == found++;
			original += groups.original[groups.of[r]];
			synthetic += groups.synthetic[groups.of[r]];
		}
		counted &= groups.original[groups.of[r]] == like[0] && groups.synthetic[groups.of[r]] == like[1];
	}
	CHECK(same);
	CHECK(in_order);
	CHECK(counted);
	CHECK_INT(groups.n, found);
	CHECK_INT(original, a->nrows);
	CHECK_INT(synthetic, b->nrows);
}

static void
test_random_tables(void)
{
	for (int turn = 0; turn < 300; turn++)
	{
		/* each third turn codes of two bytes, of which only a few are in use, on many columns */
		bool		wide = turn % 3 == 0;
		uint32_t	ncols = 1 + (uint32_t) pegs_rng_below(&rng, wide ? 40 : 4);
		uint32_t	levels[40];
		uint32_t	columns[40];
		uint32_t	n = (uint32_t) pegs_rng_below(&rng, ncols + 1);
		pegs_coded	t[2];

		for (uint32_t c = 0; c < ncols; c++)
		{
			levels[c] = wide ? PEGS_MAX_LEVELS : 1 + (uint32_t) pegs_rng_below(&rng, 5);
			/* in any order, some twice */
			columns[c] = (uint32_t) pegs_rng_below(&rng, ncols);
		}
		for (int i = 0; i < 2; i++)
		{
			t[i] = table(ncols, levels, pegs_rng_below(&rng, turn % 5 == 0 ? 4 : 100));
			for (uint32_t c = 0; c < ncols; c++)
				for (uint64_t r = 0; r < t[i].nrows; r++)
					t[i].code[c][r] = wide
						? (uint16_t) (((c * r) % 2) << 8 ^ (pegs_rng_below(&rng, 20) == 0 ? PEGS_MAX_LEVELS : 0))
						: (uint16_t) pegs_rng_below(&rng, levels[c] + 1);
		}
		check_slowly(&t[0], &t[1], columns, n);
		arena_free(&memory);
	}
}

/*
 * A hash says where to look, never what is the same: 40,000 rows, each alone,
 * that differ from others in one bit of one column. With so many, thousands
 * meet another group where the hash sends them.
 */
static void
test_collisions(void)
{
	static uint32_t levels[16];
	static uint32_t columns[16];
	pegs_coded	a;
	pegs_coded	b;
	bool		apart = true;
	pegs_groups groups;

	for (uint32_t c = 0; c < 16; c++)
	{
		levels[c] = PEGS_MAX_LEVELS;
		columns[c] = c;
	}
	a = table(16, levels, 20000);
	b = table(16, levels, 20000);
	for (uint32_t r = 0; r < 20000; r++)
		for (uint32_t c = 0; c < 16; c++)
		{
			a.code[c][r] = (uint16_t) ((r >> c & 1) << c);
			b.code[c][r] = (uint16_t) (((r + 20000) >> c & 1) << c);
		}
	CHECK_INT(pegs_group_rows(&env, &a, &b, columns, 16, &groups), PEGS_OK);
	CHECK_INT(groups.n, 40000);
	for (uint32_t r = 0; r < 40000; r++)
		apart &= groups.of[r] == r && groups.original[r] == (r < 20000) && groups.synthetic[r] == (r >= 20000);
	CHECK(apart);
	/* the first 12 columns tell 2^12 rows apart */
	CHECK_INT(pegs_group_rows(&env, &a, &b, columns, 12, &groups), PEGS_OK);
	CHECK_INT(groups.n, 4096);
	for (uint32_t r = 0; r < 40000; r++)
		apart &= groups.of[r] == r % 4096;
	CHECK(apart);
	CHECK(memory.checks > 0);
	arena_free(&memory);
}

/*
 * Rows 0 and 1, and 2 and 3, differ, and have the same 64 bits of hash: found
 * by trying 84 million rows, from the hash as group.c has it. With another hash
 * this is a test like any other.
 */
static void
test_equal_hashes(void)
{
	static const uint32_t levels[5] = {65534, 65534, 65534, 65534, 65534};
	static const uint32_t columns[5] = {0, 1, 2, 3, 4};
	static const uint16_t rows[4][5] = {
		{36956, 31390, 14352, 42311, 0}, {6165, 18722, 33571, 8189, 9054},
		{54849, 54956, 56632, 25857, 0}, {64512, 36774, 27740, 704, 13832}
	};
	pegs_coded	a = table(5, levels, 4);
	pegs_groups groups;

	for (uint32_t r = 0; r < 4; r++)
		for (uint32_t c = 0; c < 5; c++)
			a.code[c][r] = rows[r][c];
	CHECK_INT(pegs_group_rows(&env, &a, &a, columns, 5, &groups), PEGS_OK);
	CHECK_INT(groups.n, 4);
	for (uint32_t r = 0; r < 8; r++)
		CHECK_INT(groups.of[r], r % 4);
	arena_free(&memory);
}

/* A few rows, each alone, in the least of hashes: from its last place the search goes on at the first. */
static void
test_small_tables(void)
{
	static const uint32_t levels = PEGS_MAX_LEVELS;
	static const uint32_t column = 0;

	for (uint32_t turn = 0; turn < 200; turn++)
	{
		pegs_coded	a = table(1, &levels, 5);
		pegs_coded	b = table(1, &levels, 3);

		for (uint32_t r = 0; r < 8; r++)
			(r < 5 ? a.code[0] : b.code[0])[r < 5 ? r : r - 5] = (uint16_t) (turn * 300 + r * r);
		check_slowly(&a, &b, &column, 1);
		arena_free(&memory);
	}
}

/* ---------- what has no columns, no rows, or no answer ---------- */

static void
test_edges(void)
{
	static const uint32_t two[2] = {2, 2};
	static const uint32_t other[2] = {2, 3};
	static const uint32_t both[2] = {0, 1};
	pegs_coded	a = table(2, two, 3);
	pegs_coded	b = table(2, two, 2);
	pegs_coded	none = table(2, two, 0);
	pegs_coded	nothing = table(0, two, 2);
	pegs_coded	unlike = table(2, other, 2);
	pegs_coded	narrow = table(1, two, 2);
	pegs_coded	huge = {.ncols = 2, .nrows = UINT64_C(1) << 31, .levels = two};
	pegs_groups groups;

	a.code[0][0] = 1;
	/* no columns: one group */
	CHECK_INT(pegs_group_rows(&env, &a, &b, NULL, 0, &groups), PEGS_OK);
	CHECK_INT(groups.n, 1);
	CHECK_INT(groups.original[0], 3);
	CHECK_INT(groups.synthetic[0], 2);
	for (int r = 0; r < 5; r++)
		CHECK_INT(groups.of[r], 0);
	CHECK_INT(pegs_group_rows(&env, &nothing, &nothing, NULL, 0, &groups), PEGS_OK);
	CHECK_INT(groups.n, 1);

	/* no rows */
	CHECK_INT(pegs_group_rows(&env, &none, &none, both, 2, &groups), PEGS_OK);
	CHECK_INT(groups.n, 0);
	CHECK_INT(pegs_group_rows(&env, &none, &none, NULL, 0, &groups), PEGS_OK);
	CHECK_INT(groups.n, 0);
	CHECK_INT(pegs_group_rows(&env, &a, &none, both, 2, &groups), PEGS_OK);
	CHECK_INT(groups.n, 2);
	CHECK_INT(groups.original[0] + groups.original[1], 3);
	CHECK_INT(groups.synthetic[0] + groups.synthetic[1], 0);
	CHECK_INT(pegs_group_rows(&env, &none, &a, both, 2, &groups), PEGS_OK);
	CHECK_INT(groups.n, 2);
	CHECK_INT(groups.original[0] + groups.original[1], 0);
	CHECK_INT(groups.synthetic[0], 1);
	CHECK_INT(groups.synthetic[1], 2);

	/* other shapes; what is not asked for may differ */
	CHECK_INT(pegs_group_rows(&env, &a, &unlike, both, 2, &groups), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_group_rows(&env, &a, &unlike, both, 1, &groups), PEGS_OK);
	CHECK_INT(pegs_group_rows(&env, &a, &narrow, both, 2, &groups), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_group_rows(&env, &narrow, &a, both, 2, &groups), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_group_rows(&env, &a, &narrow, both, 1, &groups), PEGS_OK);
	CHECK_INT(pegs_group_rows(&env, &a, &b, (uint32_t[]) {2}, 1, &groups), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_group_rows(&env, &a, &b, (uint32_t[]) {UINT32_MAX}, 1, &groups), PEGS_ERR_MISMATCH);

	/* said before anything is allocated or read */
	CHECK_INT(pegs_group_rows(&env, &huge, &none, both, 2, &groups), PEGS_ERR_TOO_LARGE);
	CHECK_INT(pegs_group_rows(&env, &none, &huge, both, 2, &groups), PEGS_ERR_TOO_LARGE);
	huge.nrows /= 2;
	CHECK_INT(pegs_group_rows(&env, &huge, &huge, both, 2, &groups), PEGS_ERR_TOO_LARGE);
	arena_free(&memory);
}

/* What is given back is not used again, and all of it is given back. */
static void
test_memory(void)
{
	static const uint32_t levels[2] = {300, 300};
	static const uint32_t columns[2] = {0, 1};
	pegs_env	kept = env;
	pegs_groups groups;
	pegs_coded	a;
	size_t		blocks;

	env = arena_env_freeing(&memory);
	a = table(2, levels, 3000);
	for (uint32_t r = 0; r < 3000; r++)
		a.code[0][r] = (uint16_t) (r % 300);
	blocks = memory.blocks;
	CHECK_INT(pegs_group_rows(&env, &a, &a, columns, 2, &groups), PEGS_OK);
	CHECK_INT(groups.n, 300);
	CHECK_INT(groups.original[299] + groups.synthetic[299], 20);
	CHECK_INT(groups.of[5999], 299);
	pegs_free_groups(&env, &groups);
	CHECK_INT(memory.blocks, blocks);
	CHECK(groups.of == NULL && groups.original == NULL && groups.synthetic == NULL);
	arena_free(&memory);
	env = kept;
}

int
main(void)
{
	start(7);
	test_by_hand();
	test_random_tables();
	test_collisions();
	test_equal_hashes();
	test_small_tables();
	test_edges();
	test_memory();
	return unit_done("group_test");
}
