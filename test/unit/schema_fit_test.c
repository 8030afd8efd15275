/*
 * schema_fit_test.c
 *	  A model of several tables: its rows are roots, its noise that of one row of
 *	  an ordinary table, and it is the same after it was written and read.
 */
#include "core/schema/schema.h"

#include <string.h>

#include "core/wire.h"
#define STREAM_SALT [5] = 42
#include "fixture.h"
#include "fitted.h"
#include "schemas.h"
#include "schema_world.h"
#include "unit.h"

static pegs_block
block_of(const pegs_relations *r, const pegs_fitted *model)
{
	uint8_t		key[PEGS_KEY_BYTES] = {9};
	pegs_blocks *blocks;
	pegs_rng	own;
	pegs_block	block;

	pegs_rng_init(&own, key, 0);
	CHECK_INT(pegs_blocks_open(&env, r, model, 700, NULL, &blocks), PEGS_OK);
	pegs_blocks_make(blocks, &env, &own, 1, 0, &block);
	return block;
}

/* Written and read: the same bytes, the same rows. Bytes that contradict themselves are refused. */
static void
test_bytes(void)
{
	pegs_relations r = world_relations();

	for (int siblings = 0; siblings < 2; siblings++)
	{
		pegs_fitted model;
		pegs_fitted *read;
		pegs_wire	wire;
		pegs_wire	back;
		uint8_t    *bytes;
		uint8_t    *again;
		size_t		size;
		pegs_block	one;
		pegs_block	two;

		start(1);
		model = world_model(&r, 2000, INT64_C(3000000000), siblings);
		CHECK((model.nsiblings > 0) == siblings);
		CHECK(fabs(model.rows - 2000) < 30);
		wire = wire_of("{}", &model);
		size = pegs_wire_size(&wire);
		bytes = env.alloc(env.context, size);
		again = env.alloc(env.context, size);
		pegs_wire_write(NULL, &wire, bytes);
		CHECK_INT(pegs_wire_read(&env, bytes, size, &back), PEGS_OK);
		read = fitted_of(&back);
		CHECK_INT(read->nsiblings, model.nsiblings);
		CHECK(read->rank && memcmp(read->rank, r.rank, sizeof(uint32_t) * r.ncols) == 0);
		CHECK_INT(pegs_wire_size(&back), size);
		pegs_wire_write(NULL, &back, again);
		CHECK(memcmp(bytes, again, size) == 0);
		one = block_of(&r, &model);
		two = block_of(&r, read);
		for (uint32_t t = 0; t < r.ntables; t++)
		{
			CHECK_INT(one.table[t].n, two.table[t].n);
			for (uint32_t c = 0; c < r.table[t].ncols; c++)
				CHECK(memcmp(one.table[t].codes[c], two.table[t].codes[c], sizeof(uint16_t) * one.table[t].n) == 0);
		}
		/* a rank that the cliques do not have */
		read->rank = memcpy(env.alloc(env.context, sizeof(uint32_t) * r.ncols), r.rank, sizeof(uint32_t) * r.ncols);
		((uint32_t *) (uintptr_t) read->rank)[0] = r.ncols + 1;
		pegs_wire_write(NULL, &back, again);
		CHECK_INT(pegs_wire_read(&env, again, size, &back), PEGS_ERR_FORMAT);
		arena_free(&memory);
		r = world_relations();
	}
	arena_free(&memory);
}

/* A root of many rows costs no more than one of one row: the noise of its 1-ways is that of an ordinary table. */
static void
test_noise(void)
{
	pegs_relations r = wide_child();
	pegs_paths *paths = pegs_paths_new(&env, &r);
	pegs_tally	tally;
	pegs_accountant accountant;
	double		cells;
	double		squares = 0;
	const int	fits = 40;

	start(3);
	CHECK_INT(pegs_tally_init(&env, &r, &tally, &cells), PEGS_OK);
	for (uint32_t u = 0; u < 300; u++)
	{
		pegs_paths_begin(paths, (uint16_t[]) {(uint16_t) (u % 2)}, u);
		for (uint32_t i = 0; i < 100; i++)
			(void) pegs_paths_add(paths, 1, 0, (uint16_t[]) {(uint16_t) pegs_rng_below(&rng, 200)}, i);
		pegs_tally_unit(&tally, paths);
	}
	pegs_tally_end(&tally);
	pegs_accountant_init(&accountant, INT64_C(1000000000), INT64_C(1000000000), PEGS_PATHS);
	accountant.rows_each = PEGS_PATHS;
	for (int i = 0; i < fits; i++)
	{
		pegs_fitted model;

		pegs_schema_fit(&env, &rng, &accountant, &r, &tally, false, &model);
		CHECK(model.accountant.spent <= model.accountant.total);
		squares += (model.share[0][0] * model.rows - 150) * (model.share[0][0] * model.rows - 150);
	}
	/* of 150 roots: a few, whatever they have; it would be hundreds if all rows were counted */
	CHECK(sqrt(squares / fits) < 25);
	CHECK(sqrt(squares / fits) > 0.5);
	arena_free(&memory);
}

/* No unit, one, a few; hardly any budget; without delta: rows all the same, and no more is spent than there is. */
static void
test_little(void)
{
	start(4);
	for (int turn = 0; turn < 24; turn++)
	{
		pegs_relations r = turn % 2 ? world_relations() : two_levels();
		pegs_tally	tally;
		pegs_paths *paths = pegs_paths_new(&env, &r);
		pegs_accountant accountant;
		pegs_fitted model;
		pegs_block	block;
		double		cells;
		uint32_t	bad = 0;

		CHECK_INT(pegs_tally_init(&env, &r, &tally, &cells), PEGS_OK);
		for (int u = 0; u < (int[]) {0, 1, 50}[turn % 3]; u++)
		{
			unit		one = random_unit(&r, 3, true);

			feed(paths, &r, &one, false);
			pegs_tally_unit(&tally, paths);
		}
		pegs_tally_end(&tally);
		pegs_accountant_init(&accountant, turn % 4 < 2 ? INT64_C(1000000) : INT64_C(2000000000), turn < 12 ? INT64_C(1000000000) : 0, PEGS_PATHS);
		accountant.rows_each = PEGS_PATHS;
		pegs_schema_fit(&env, &rng, &accountant, &r, &tally, true, &model);
		CHECK(model.accountant.spent <= model.accountant.total && model.rows >= 1.0 / PEGS_PATHS);
		block = block_of(&r, &model);
		for (uint32_t t = 0; t < r.ntables; t++)
			for (uint32_t i = 0; i < block.table[t].n; i++)
			{
				for (uint32_t c = 0; c < r.table[t].ncols; c++)
					bad += block.table[t].codes[c][i] >= r.table[t].levels[c];
				bad += t > 0 && block.table[t].parent[i] >= block.table[r.table[t].parent].n;
			}
		CHECK_INT(bad, 0);
		arena_free(&memory);
	}
}

/* Siblings take their part first, so that delta helps a little sooner with them: of columns of five levels, as a fit asks before it says so. */
static bool
forecast_helps(uint32_t ncols, bool siblings)
{
	uint32_t	levels[16];
	pegs_layout layout = {.ncols = ncols, .levels = levels};
	double		noise[2][2];

	for (uint32_t i = 0; i < ncols; i++)
		levels[i] = 5;
	for (int d = 0; d < 2; d++)
		for (int s = 0; s < 2; s++)
		{
			pegs_accountant accountant;

			pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, d ? INT64_C(1000000000) : 0, PEGS_PATHS);
			accountant.rows_each = PEGS_PATHS;
			noise[d][s] = pegs_schema_noise(&env, &accountant, &layout, s);
		}
	/* a fifth: of pure epsilon a quarter more noise, with delta 12 % */
	CHECK(fabs(noise[0][1] / noise[0][0] - 1.25) < 1e-9 && fabs(noise[1][1] / noise[1][0] - sqrt(1.25)) < 1e-9);
	return noise[1][siblings] < noise[0][siblings];
}

static void
test_forecast(void)
{
	uint32_t	first[2] = {0, 0};

	for (int siblings = 0; siblings < 2; siblings++)
		for (uint32_t ncols = 2; ncols < 12; ncols++)
		{
			arena_free(&memory);
			if (forecast_helps(ncols, siblings) && first[siblings] == 0)
				first[siblings] = ncols;
		}
	CHECK(first[1] > 3 && first[1] <= first[0] && first[0] < 12);
	arena_free(&memory);
}

int
main(void)
{
	test_bytes();
	test_noise();
	test_little();
	test_forecast();
	return unit_done("schema_fit_test");
}
