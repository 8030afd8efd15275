/*
 * distinct_test.c
 *	  Rows of one parent that a key tells apart: no level has more of them than
 *	  it has values, no two the same value, and shares are the model's as far as
 *	  that lets them.
 */
#include "core/schema/distinct.h"

#include <math.h>
#include <string.h>

#define STREAM_SALT [4] = 78
#include "fixture.h"
#include "schemas.h"
#include "unit.h"

#define LEVELS 6				/* of the child's first column; the last is NULL */

static uint32_t room[LEVELS] = {1, 3, 1, 2, 1, PEGS_ANY_NUMBER};
static arena of_batch;

/* A root of one column, and a child of two: if told, the first tells its rows apart. levels: of it, LEVELS or without NULL */
static pegs_relations
world(uint32_t levels, bool told)
{
	static uint32_t *rooms[2] = {room, NULL};

	return made(2, (pegs_relation[]) {
		{.parent = -1, .ncols = 1, .levels = (uint32_t[]) {2}},
		{.parent = 0, .ncols = 2, .levels = (uint32_t[]) {levels, 3}, .nclasses = 4, .first = (uint32_t[]) {0, 1, 2, 5}, .most = 8,
			.room = told ? rooms : NULL}});
}

/* Units of 0 to 8 rows, or of 8, of these levels. */
static pegs_fitted
model_of(const pegs_relations *r, bool full, const uint16_t *level)
{
	pegs_accountant accountant;
	pegs_tally	tally;
	pegs_fitted model;
	pegs_paths *paths = pegs_paths_new(&env, r);
	double		cells;

	CHECK_INT(pegs_tally_init(&env, r, &tally, &cells), PEGS_OK);
	for (uint32_t u = 0; u < 1800; u++)
	{
		unit		one = {0};
		uint16_t	code = (uint16_t) (u % 2);

		(void) put_row(&one, 0, 0, u, &code, 1);
		for (uint32_t k = 0; k < (full ? 8 : u % 9); k++)
			(void) put_row(&one, 1, 0, u * 16 + k, (uint16_t[]) {level[k], (uint16_t) ((u + k) % 3)}, 2);
		feed(paths, r, &one, false);
		pegs_tally_unit(&tally, paths);
	}
	pegs_tally_end(&tally);
	pegs_accountant_init(&accountant, INT64_C(10000000000), INT64_C(1000000000), PEGS_PATHS);
	accountant.rows_each = PEGS_PATHS;
	pegs_schema_fit(&env, &rng, &accountant, r, &tally, true, &model);
	return model;
}

static pegs_block
make(const pegs_relations *r, const pegs_fitted *model, const int32_t *given)
{
	uint8_t		key[PEGS_KEY_BYTES] = {5, 77};
	pegs_env	batch = arena_env(&of_batch);
	pegs_blocks *blocks;
	pegs_block	block;
	pegs_rng	own;

	CHECK_INT(pegs_blocks_open(&env, r, model, 3000, given, &blocks), PEGS_OK);
	pegs_rng_init(&own, key, 0);
	pegs_blocks_make(blocks, &batch, &own, 5, 0, &block);
	return block;
}

/* Rows for which their level has no room, or whose value a row of the same parent has, or that is none of it; of[place]: how many rows of level 1 have each. */
static uint32_t
agree(const pegs_block_table *t, uint32_t *of)
{
	uint32_t	bad = 0;

	for (uint32_t i = 0, first = 0; i < t->n; i++)
	{
		uint32_t	level = t->codes[0][i];
		uint32_t	alike = 0;

		first = i > 0 && t->parent[i] != t->parent[i - 1] ? i : first;
		for (uint32_t j = first; j < i; j++)
		{
			alike += t->codes[0][j] == level;
			bad += t->place && room[level] != PEGS_ANY_NUMBER && t->codes[0][j] == level && t->place[0][j] == t->place[0][i];
		}
		bad += alike >= room[level];
		bad += t->place && room[level] != PEGS_ANY_NUMBER && t->place[0][i] >= room[level];
		if (of && level == 1)
			of[t->place[0][i]]++;
	}
	return bad;
}

static void
test_no_two(void)
{
	static const uint16_t level[] = {1, 1, 3, 5, 3, 5, 0, 1};
	pegs_relations r = world(LEVELS, true);
	pegs_relations free = world(LEVELS, false);
	pegs_fitted model;
	pegs_block	b;
	uint32_t	of[3] = {0};
	uint32_t	number[LEVELS] = {0};

	start(1);
	model = model_of(&r, false, level);
	b = make(&r, &model, NULL);
	CHECK(b.table[1].n > 10000);
	CHECK_INT(agree(&b.table[1], of), 0);
	CHECK(b.table[1].place[1] == NULL);
	/* each value of a level is as likely */
	CHECK(of[0] + of[1] + of[2] > 3000);
	for (int i = 0; i < 3; i++)
		CHECK(fabs(of[i] - (of[0] + of[1] + of[2]) / 3.0) < 150);
	/* shares are those of the world: rows 0 to 8 of 9 units have 9 of 36 values of level 1, and so on */
	for (uint32_t i = 0; i < b.table[1].n; i++)
		number[b.table[1].codes[0][i]]++;
	CHECK(fabs(number[0] / (double) b.table[1].n - 2 / 36.0) < .02);
	CHECK(fabs(number[1] / (double) b.table[1].n - 16 / 36.0) < .03);
	CHECK(fabs(number[3] / (double) b.table[1].n - 10 / 36.0) < .03);
	CHECK(number[2] + number[4] < 150);
	/* a key that does not say so has rows that agree */
	CHECK(agree(&make(&free, &model, NULL).table[1], NULL) > 300);
}

/*
 * By weight: of level 1 a value of weight 0, and those of 6, 3 and 1. The first
 * that a parent gets is by that, of its second the same among what is left.
 */
static void
test_by_weight(void)
{
	static const uint16_t level[] = {1, 1, 3, 5, 3, 5, 0, 1};
	static uint32_t first[LEVELS + 1] = {0, 1, 5, 6, 8, 9, 9};
	static uint32_t weight[9] = {1, 6, 0, 3, 1, 1, 1, 1, 1};
	pegs_weighing weighing[2] = {{first, weight}, {NULL, NULL}};
	static uint32_t *rooms[2] = {room, NULL};
	pegs_relations r = made(2, (pegs_relation[]) {
		{.parent = -1, .ncols = 1, .levels = (uint32_t[]) {2}},
		{.parent = 0, .ncols = 2, .levels = (uint32_t[]) {LEVELS, 3}, .nclasses = 4, .first = (uint32_t[]) {0, 1, 2, 5}, .most = 8,
			.room = rooms, .weighing = weighing}});
	pegs_fitted model;
	pegs_block	b;
	uint32_t	one[4] = {0};	/* parents with one row of that level, by its value */
	uint32_t	two[4][4] = {{0}};	/* with two, by both */
	uint32_t	n = 0;
	uint32_t	pairs = 0;
	uint32_t	bad = 0;

	start(5);
	model = model_of(&r, false, level);
	/* copied */
	weight[1] = weight[3] = weight[4] = 0;
	b = make(&r, &model, NULL);
	for (uint32_t i = 0, next; i < b.table[1].n; i = next)
	{
		uint32_t	seen[9];
		uint32_t	k = 0;

		for (next = i; next < b.table[1].n && b.table[1].parent[next] == b.table[1].parent[i]; next++)
			if (b.table[1].codes[0][next] == 1)
				seen[k++] = b.table[1].place[0][next];
		for (uint32_t j = 0; j < k; j++)
			bad += seen[j] > 3 || seen[j] == 1 || (j > 0 && seen[j] == seen[j - 1]) || (j > 1 && seen[j] == seen[0]);
		if (k == 0 || bad > 0)
			continue;
		one[seen[0]]++;
		n++;
		if (k > 1)
		{
			two[seen[0]][seen[1]]++;
			pairs++;
		}
	}
	CHECK_INT(bad, 0);
	CHECK(n > 1500 && pairs > 1000);
	/* five standard deviations */
	CHECK(fabs(one[0] - n * 0.6) < 5 * sqrt(n * 0.6 * 0.4));
	CHECK(fabs(one[2] - n * 0.3) < 5 * sqrt(n * 0.3 * 0.7));
	CHECK(fabs(one[3] - n * 0.1) < 5 * sqrt(n * 0.1 * 0.9));
	CHECK(fabs(two[0][2] - pairs * 0.6 * 0.75) < 5 * sqrt(pairs * 0.45 * 0.55));
	CHECK(fabs(two[2][0] - pairs * 0.3 * 6 / 7) < 5 * sqrt(pairs * 0.26 * 0.74));
}

/* Once more with the same key: the same. */
static void
test_again(void)
{
	static const uint16_t level[] = {1, 1, 3, 5, 3, 5, 0, 1};
	pegs_relations r = world(LEVELS, true);
	pegs_fitted model;
	static uint32_t kept[30000];
	pegs_block	b;
	uint32_t	other = 0;

	start(2);
	model = model_of(&r, false, level);
	b = make(&r, &model, NULL);
	memcpy(kept, b.table[1].place[0], sizeof(uint32_t) * b.table[1].n);
	b = make(&r, &model, NULL);
	for (uint32_t i = 0; i < b.table[1].n; i++)
		other += kept[i] != b.table[1].place[0][i];
	CHECK_INT(other, 0);
}

/* Where the root is given, rows are not adjusted to what was measured, and differ all the same. */
static void
test_given(void)
{
	static const uint16_t level[] = {1, 1, 3, 5, 3, 5, 0, 1};
	pegs_relations r = world(LEVELS, true);
	pegs_fitted model;
	pegs_block	b;

	start(3);
	model = model_of(&r, false, level);
	b = make(&r, &model, (int32_t[]) {1, -1, -1, -1});
	CHECK(b.table[1].n > 10000);
	CHECK_INT(agree(&b.table[1], NULL), 0);
}

/* All rows were of one level: the others are drawn only since there is no other left, and each is full. */
static void
test_full(void)
{
	static const uint16_t level[] = {1, 1, 1, 1, 1, 1, 1, 1};
	pegs_relations r = world(LEVELS - 1, true);
	pegs_fitted model;
	pegs_block	b;
	uint32_t	number[LEVELS] = {0};
	uint32_t	families = 0;

	start(4);
	model = model_of(&r, true, level);
	b = make(&r, &model, NULL);
	CHECK_INT(agree(&b.table[1], NULL), 0);
	for (uint32_t i = 0; i + 7 < b.table[1].n; i++)
		if ((i == 0 || b.table[1].parent[i - 1] != b.table[1].parent[i]) && b.table[1].parent[i + 7] == b.table[1].parent[i])
		{
			families++;
			for (uint32_t j = i; j < i + 8; j++)
				number[b.table[1].codes[0][j]]++;
		}
	CHECK(families > 500);
	for (int l = 0; l < LEVELS - 1; l++)
		CHECK_INT(number[l], families * room[l]);
}

/* A parent never has more rows than there are values. */
static void
test_refused(void)
{
	uint32_t   *rooms[1] = {(uint32_t[]) {1, 3}};
	pegs_relation table[2] = {{.parent = -1, .ncols = 1, .levels = (uint32_t[]) {2}},
		{.parent = 0, .ncols = 1, .levels = (uint32_t[]) {2}, .nclasses = 3, .first = (uint32_t[]) {0, 1, 4}, .most = 4, .room = rooms}};
	pegs_relations r;

	CHECK_INT(pegs_relations_init(&env, 2, table, &r), PEGS_OK);
	table[1].most = 5;
	CHECK_INT(pegs_relations_init(&env, 2, table, &r), PEGS_ERR_ARGUMENT);
	rooms[0][0] = PEGS_ANY_NUMBER;
	CHECK_INT(pegs_relations_init(&env, 2, table, &r), PEGS_OK);
	table[0].room = rooms;
	CHECK_INT(pegs_relations_init(&env, 2, table, &r), PEGS_ERR_ARGUMENT);
}

int
main(void)
{
	test_no_two();
	test_by_weight();
	test_again();
	test_given();
	test_full();
	test_refused();
	return unit_done("distinct_test");
}
