/*
 * relations_test.c
 *	  A tree of tables: what is refused, the columns of its path rows, and what
 *	  cannot be.
 */
#include "core/schema/schema.h"

#define STREAM_SALT [5] = 34
#include "fixture.h"
#include "schemas.h"
#include "unit.h"

static pegs_status
with(pegs_relation child)
{
	pegs_relation table[2] = {{.parent = -1, .ncols = 1, .levels = (uint32_t[]) {2}}, child};
	pegs_relations r;

	return pegs_relations_init(&env, 2, table, &r);
}

static void
test_refused(void)
{
	pegs_relation child = {.parent = 0, .ncols = 1, .levels = (uint32_t[]) {2}, .nclasses = 3, .first = (uint32_t[]) {0, 1, 4}, .most = 4};
	pegs_relation c = child;
	pegs_relations r;

	CHECK_INT(with(child), PEGS_OK);
	c.parent = -1;
	CHECK_INT(with(c), PEGS_ERR_ARGUMENT);
	c.parent = 1;
	CHECK_INT(with(c), PEGS_ERR_ARGUMENT);
	c = child;
	c.first = (uint32_t[]) {0, 2, 4};
	CHECK_INT(with(c), PEGS_ERR_ARGUMENT);
	c.first = (uint32_t[]) {0, 1, 1};
	CHECK_INT(with(c), PEGS_ERR_ARGUMENT);
	c = child;
	c.most = 3;
	CHECK_INT(with(c), PEGS_ERR_ARGUMENT);
	c.most = PEGS_MOST_CHILDREN;
	CHECK_INT(with(c), PEGS_OK);
	c.most++;
	CHECK_INT(with(c), PEGS_ERR_TOO_LARGE);
	c = child;
	c.levels = (uint32_t[]) {PEGS_MAX_LEVELS};
	CHECK_INT(with(c), PEGS_ERR_TOO_LARGE);
	CHECK_INT(pegs_relations_init(&env, 0, &child, &r), PEGS_ERR_ARGUMENT);
	/* 2^12 rows of each of 2^9 rows are too many */
	{
		uint32_t	first[2] = {0, 1};
		pegs_relation table[3] = {{.parent = -1}, {.parent = 0, .nclasses = 2, .first = first, .most = 1 << 9},
			{.parent = 1, .nclasses = 2, .first = first, .most = 1 << 11}};

		CHECK_INT(pegs_relations_init(&env, 3, table, &r), PEGS_OK);
		table[2].most = 1 << 12;
		CHECK_INT(pegs_relations_init(&env, 3, table, &r), PEGS_ERR_TOO_LARGE);
	}
	arena_free(&memory);
}

static void
test_columns(void)
{
	static const struct
	{
		uint32_t	table, levels, rank;
		int32_t		own, absent;
		uint32_t	counts;
	}			expected[] = {
		{0, 3, 0, 0, -1, 0}, {0, 2, 0, 1, -1, 0}, {0, 4, 0, -1, -1, 1}, {0, 2, 0, -1, -1, 3},
		{1, 4, 1, 0, 3, 0}, {1, 5, 1, 1, 4, 0}, {1, 5, 1, -1, 4, 2},
		{2, 4, 2, 0, 3, 0},
		{3, 3, 1, 0, 2, 0}, {3, 4, 1, -1, 3, 4},
		{4, 3, 2, 0, 2, 0}, {4, 6, 2, 1, 5, 0}};
	pegs_relations r = two_levels();

	CHECK_INT(r.ncols, 12);
	for (uint32_t i = 0; i < r.ncols && i < 12; i++)
	{
		CHECK_INT(r.column[i].table, expected[i].table);
		CHECK_INT(r.column[i].own, expected[i].own);
		CHECK_INT(r.column[i].absent, expected[i].absent);
		CHECK_INT(r.column[i].counts, expected[i].counts);
		CHECK_INT(r.levels[i], expected[i].levels);
		CHECK_INT(r.rank[i], expected[i].rank);
	}
	for (uint64_t n = 0; n < 10; n++)
		CHECK_INT(pegs_class_of_number(&r.table[2], n), n < 2 ? n : n < 4 ? 2 : 3);
	arena_free(&memory);
}

/* Of all rows of the first branch: possible where each count says what is there. */
static void
test_zeros(void)
{
	pegs_relations r = two_levels();
	uint16_t	row[12] = {0};

	for (row[2] = 0; row[2] < 4; row[2]++)
		for (row[4] = 0; row[4] < 4; row[4]++)
			for (row[5] = 0; row[5] < 5; row[5]++)
				for (row[6] = 0; row[6] < 5; row[6]++)
					for (row[7] = 0; row[7] < 4; row[7]++)
					{
						bool		child = row[2] > 0;
						bool		below = row[6] >= 1 && row[6] <= 3;
						bool		possible = (row[4] < 3) == child && (row[5] < 4) == child && (row[6] < 4) == child && (row[7] < 3) == below;

						row[8] = 2;
						row[9] = 3;
						row[10] = 2;
						row[11] = 5;
						CHECK(pegs_is_zero(&r.zeros, row) == !possible);
					}
	arena_free(&memory);
}

int
main(void)
{
	test_refused();
	test_columns();
	test_zeros();
	return unit_done("relations_test");
}
