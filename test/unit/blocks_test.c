/*
 * blocks_test.c
 *	  Blocks of a schema: rows that fit each other, and what the model says of
 *	  them; a function of model, key and block.
 */
#include "core/schema/schema.h"

#include <string.h>

#define STREAM_SALT [6] = 36
#include "fixture.h"
#include "schemas.h"
#include "schema_world.h"
#include "unit.h"

static arena of_batch;

static pegs_block
make(const pegs_blocks *blocks, uint8_t number, uint64_t block)
{
	uint8_t		key[PEGS_KEY_BYTES] = {number, 77};
	pegs_env	batch = arena_env(&of_batch);
	pegs_rng	own;
	pegs_block	made;

	pegs_rng_init(&own, key, 0);
	pegs_blocks_make(blocks, &batch, &own, 5, block, &made);
	return made;
}

/* Parents rise and are there, as many rows as the classes allow, codes in their ranges. */
static void
check_block(const pegs_relations *r, const pegs_block *block)
{
	for (uint32_t t = 0; t < r->ntables; t++)
	{
		const pegs_block_table *rows = &block->table[t];
		uint32_t	bad = 0;
		uint32_t	alike = 1;

		for (uint32_t c = 0; c < r->table[t].ncols; c++)
			for (uint32_t i = 0; i < rows->n; i++)
				bad += rows->codes[c][i] >= r->table[t].levels[c];
		for (uint32_t i = 0; t > 0 && i < rows->n; i++)
		{
			bad += rows->parent[i] >= block->table[r->table[t].parent].n;
			bad += i > 0 && rows->parent[i] < rows->parent[i - 1];
			alike = i > 0 && rows->parent[i] == rows->parent[i - 1] ? alike + 1 : 1;
			bad += alike > r->table[t].most;
		}
		CHECK_INT(bad, 0);
	}
}

/* Much budget: numbers of children, and of columns over children, are those of the world; siblings do not agree. */
static void
test_world(void)
{
	pegs_relations r = world_relations();
	pegs_fitted model;
	pegs_blocks *blocks;
	double		children[3] = {0};
	double		roots[3] = {0};
	double		pairs = 0;
	double		agree = 0;
	double		right = 0;
	double		cards = 0;
	double		same = 0;
	uint32_t	all = 0;
	pegs_block	b;

	start(1);
	model = world_model(&r, 4000, INT64_C(10000000000), true);
	CHECK_INT(model.accountant.spent <= model.accountant.total, true);
	CHECK(fabs(model.rows - 4000) < 40);
	CHECK(model.nsiblings > 0);
	CHECK_INT(pegs_blocks_open(&env, &r, &model, 5000, NULL, &blocks), PEGS_OK);
	CHECK_INT(pegs_blocks_number(blocks), 1);
	b = make(blocks, 1, 0);
	check_block(&r, &b);
	CHECK_INT(b.table[0].n, 5000);
	for (uint32_t i = 0; i < b.table[0].n; i++)
		roots[b.table[0].codes[0][i]]++;
	for (uint32_t i = 0; i < b.table[1].n; i++)
	{
		uint32_t	a = b.table[0].codes[0][b.table[1].parent[i]];

		children[a]++;
		right += b.table[1].codes[1][i] == a;
		all++;
		for (uint32_t j = i + 1; j < b.table[1].n && b.table[1].parent[j] == b.table[1].parent[i]; j++)
		{
			pairs++;
			agree += b.table[1].codes[0][i] == b.table[1].codes[0][j];
		}
	}
	for (uint32_t i = 0; i < b.table[2].n; i++)
	{
		cards++;
		same += b.table[2].codes[0][i] == b.table[1].codes[1][b.table[2].parent[i]];
	}
	CHECK(fabs(children[0] / roots[0] - 0.5) < 0.05);
	CHECK(fabs(children[1] / roots[1] - 2) < 0.1);
	CHECK(fabs(children[2] / roots[2] - 2) < 0.1);
	CHECK(fabs(right / all - 0.8) < 0.03);
	CHECK(fabs(cards / all - 0.5) < 0.03);
	CHECK(same / cards > 0.9);
	CHECK(agree / pairs < 0.05);	/* of independent siblings: 0.25 */
	arena_free(&of_batch);
	arena_free(&memory);
}

/* The same block again, alone or after another; other keys, other blocks differ; all blocks together have n roots. */
static void
test_function(void)
{
	pegs_relations r = world_relations();
	pegs_fitted model;
	pegs_blocks *blocks;
	pegs_blocks *again;
	pegs_block	one;
	pegs_block	two;
	pegs_block	other;
	uint64_t	sum = 0;
	double		pairs = 0;
	double		agree = 0;

	start(2);
	model = world_model(&r, 500, INT64_C(1000000000), false);
	CHECK_INT(pegs_blocks_open(&env, &r, &model, 100001, NULL, &blocks), PEGS_OK);
	CHECK_INT(pegs_blocks_open(&env, &r, &model, 100001, NULL, &again), PEGS_OK);
	CHECK(pegs_blocks_number(blocks) > 2);
	one = make(blocks, 1, 1);
	other = make(blocks, 2, 1);
	two = make(again, 1, 1);
	CHECK(one.first == two.first && one.first > 0);
	for (uint32_t t = 0; t < r.ntables; t++)
	{
		CHECK_INT(one.table[t].n, two.table[t].n);
		CHECK(t == 0 || memcmp(one.table[t].parent, two.table[t].parent, sizeof(uint32_t) * one.table[t].n) == 0);
		for (uint32_t c = 0; c < r.table[t].ncols; c++)
			CHECK(memcmp(one.table[t].codes[c], two.table[t].codes[c], sizeof(uint16_t) * one.table[t].n) == 0);
	}
	CHECK(memcmp(one.table[0].codes[0], other.table[0].codes[0], sizeof(uint16_t) * one.table[0].n) != 0);
	/* nothing was said of siblings: two of them are two draws */
	for (uint32_t i = 1; i < one.table[1].n; i++)
		if (one.table[1].parent[i] == one.table[1].parent[i - 1])
		{
			pairs++;
			agree += one.table[1].codes[0][i] == one.table[1].codes[0][i - 1];
		}
	CHECK(agree / pairs > 0.15 && agree / pairs < 0.4);
	other = make(blocks, 1, 2);
	CHECK(memcmp(one.table[0].codes[0], other.table[0].codes[0], sizeof(uint16_t) * (one.table[0].n < other.table[0].n ? one.table[0].n : other.table[0].n)) != 0);
	for (uint64_t b = 0; b < pegs_blocks_number(blocks); b++)
	{
		pegs_block	block = make(blocks, 1, b);

		CHECK(block.first == sum);
		sum += block.table[0].n;
		if (b == 0)
			check_block(&r, &block);
		arena_free(&of_batch);
	}
	CHECK_INT(sum, 100001);
	arena_free(&memory);
}

/* Numbers of rows: as many of each class as the model says, and inside a class each number as often as any other. */
static void
test_numbers(void)
{
	pegs_relations r = made(2, (pegs_relation[]) {
		{.parent = -1, .ncols = 1, .levels = (uint32_t[]) {2}},
		{.parent = 0, .ncols = 1, .levels = (uint32_t[]) {3}, .nclasses = 4, .first = (uint32_t[]) {0, 1, 2, 6}, .most = 15}});
	pegs_paths *paths = pegs_paths_new(&env, &r);
	pegs_accountant accountant;
	pegs_tally	tally;
	pegs_fitted model;
	pegs_blocks *blocks;
	pegs_block	b;
	uint32_t	times[16] = {0};
	uint32_t   *number;
	double		cells;

	start(4);
	CHECK_INT(pegs_tally_init(&env, &r, &tally, &cells), PEGS_OK);
	for (uint32_t u = 0; u < 3000; u++)
	{
		uint32_t	n = u % 3 == 0 ? 0 : u % 3 == 1 ? 4 : 6 + u % 7;

		pegs_paths_begin(paths, (uint16_t[]) {(uint16_t) (u % 2)}, u);
		for (uint32_t i = 0; i < n; i++)
			(void) pegs_paths_add(paths, 1, 0, (uint16_t[]) {(uint16_t) pegs_rng_below(&rng, 3)}, i);
		pegs_tally_unit(&tally, paths);
	}
	pegs_tally_end(&tally);
	pegs_accountant_init(&accountant, INT64_C(10000000000), INT64_C(1000000000), PEGS_PATHS);
	accountant.rows_each = PEGS_PATHS;
	pegs_schema_fit(&env, &rng, &accountant, &r, &tally, false, &model);
	CHECK_INT(pegs_blocks_open(&env, &r, &model, 12000, NULL, &blocks), PEGS_OK);
	CHECK_INT(pegs_blocks_number(blocks), 1);
	b = make(blocks, 1, 0);
	check_block(&r, &b);
	number = env.alloc(env.context, sizeof(uint32_t) * b.table[0].n);
	for (uint32_t i = 0; i < b.table[1].n; i++)
		number[b.table[1].parent[i]]++;
	for (uint32_t i = 0; i < b.table[0].n; i++)
		times[number[i]]++;
	for (uint32_t k = 0; k < 16; k++)
	{
		double		expected = k == 0 ? 4000 : k == 1 ? 0 : k < 6 ? 1000 : 400;

		CHECK(fabs(times[k] - expected) < 60);
		CHECK(k < 3 || k == 6 || fabs((double) times[k] - times[k - 1]) <= 1);
	}
	arena_free(&of_batch);
	arena_free(&memory);
}

/* Roots of which columns are given: all have them, the others and all below are what they are beside them. */
static void
test_given(void)
{
	pegs_relations r = world_relations();
	pegs_fitted model;
	pegs_blocks *blocks;
	double		mean[3] = {0.5, 2, 2};

	start(5);
	model = world_model(&r, 4000, INT64_C(10000000000), true);
	for (int32_t a = 0; a < 3; a++)
	{
		int32_t		given[] = {a, a == 1 ? 1 : -1, -1, -1, -1, -1, -1};
		double		other = 0;
		double		pairs = 0;
		double		agree = 0;
		double		right = 0;
		uint32_t	wrong = 0;
		pegs_block	b;

		CHECK_INT(r.ncols, 7);
		CHECK_INT(pegs_blocks_open(&env, &r, &model, 4000, given, &blocks), PEGS_OK);
		b = make(blocks, 1, 0);
		check_block(&r, &b);
		CHECK_INT(b.table[0].n, 4000);
		for (uint32_t i = 0; i < b.table[0].n; i++)
		{
			wrong += b.table[0].codes[0][i] != a;
			other += b.table[0].codes[1][i];
		}
		CHECK_INT(wrong, 0);
		CHECK(fabs(other / 4000 - (a == 1 ? 1 : 0.25)) < 0.05);
		for (uint32_t i = 0; i < b.table[1].n; i++)
		{
			right += b.table[1].codes[1][i] == a;
			for (uint32_t j = i + 1; j < b.table[1].n && b.table[1].parent[j] == b.table[1].parent[i]; j++)
			{
				pairs++;
				agree += b.table[1].codes[0][i] == b.table[1].codes[0][j];
			}
		}
		CHECK(fabs(b.table[1].n / 4000.0 - mean[a]) < 0.1);
		CHECK(fabs(right / b.table[1].n - 0.8) < 0.04);
		CHECK(fabs((double) b.table[2].n / b.table[1].n - 0.5) < 0.06);
		CHECK(a == 0 || agree / pairs < 0.1);	/* of a == 0 none has two */
		arena_free(&of_batch);
	}
	/* so much noise that the tree knows nothing of who is there */
	{
		pegs_fitted poor = world_model(&r, 500, INT64_C(1000000), false);
		int32_t		some = poor.share[0][1] > poor.share[0][0];	/* a level that may have nobody cannot be given */
		pegs_block	b;

		CHECK_INT(pegs_blocks_open(&env, &r, &poor, 4000, (int32_t[]) {some, -1, -1, -1, -1, -1, -1}, &blocks), PEGS_OK);
		b = make(blocks, 1, 0);
		check_block(&r, &b);
		arena_free(&of_batch);
	}
	CHECK_INT(pegs_blocks_open(&env, &r, &model, 10, (int32_t[]) {-1, -1, -1, 0, -1, -1, -1}, &blocks), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_blocks_open(&env, &r, &model, 10, (int32_t[]) {-1, -1, 0, -1, -1, -1, -1}, &blocks), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_blocks_open(&env, &r, &model, 10, (int32_t[]) {3, -1, -1, -1, -1, -1, -1}, &blocks), PEGS_ERR_MISMATCH);
	model.share[0][2] = 0;
	CHECK_INT(pegs_blocks_open(&env, &r, &model, 10, (int32_t[]) {2, -1, -1, -1, -1, -1, -1}, &blocks), PEGS_ERR_RANGE);
	model.sibling[0].column[0] = 0;
	CHECK_INT(pegs_blocks_open(&env, &r, &model, 10, NULL, &blocks), PEGS_ERR_MISMATCH);
	arena_free(&memory);
}

/* A model of other tables is none of these. */
static void
test_mismatch(void)
{
	pegs_relations r = world_relations();
	pegs_relations s = two_levels();
	pegs_fitted model;
	pegs_fitted plain;
	pegs_blocks *blocks;

	start(3);
	model = world_model(&r, 100, INT64_C(1000000000), false);
	CHECK_INT(model.nsiblings, 0);
	plain = model;
	plain.rank = NULL;
	CHECK_INT(pegs_blocks_open(&env, &s, &model, 10, NULL, &blocks), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_blocks_open(&env, &r, &plain, 10, NULL, &blocks), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_blocks_open(&env, &r, &model, 0, NULL, &blocks), PEGS_OK);
	CHECK_INT(pegs_blocks_number(blocks), 0);
	arena_free(&memory);
}

int
main(void)
{
	test_world();
	test_function();
	test_numbers();
	test_given();
	test_mismatch();
	return unit_done("blocks_test");
}
