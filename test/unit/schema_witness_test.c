/*
 * schema_witness_test.c
 *	  What the fit of several tables pays is what it spends, siblings and all: a
 *	  witness goes with it (core/witness.h), over tables that differ by a unit,
 *	  whose rows have levels of their own, and over an empty one. Claim P37.
 */
#include "core/schema/schema.h"

#include <math.h>
#include <string.h>

#include "core/witness.h"
#include "core/wire.h"
#define STREAM_SALT [5] = 41
#include "fixture.h"
#include "fitted.h"
#include "schemas.h"
#include "schema_world.h"
#include "unit.h"

#define UNITS 300

static pegs_tally
units(const pegs_relations *r, uint32_t n)
{
	pegs_paths *paths = pegs_paths_new(&env, r);
	pegs_tally	tally;
	double		cells;

	start(3);
	CHECK_INT(pegs_tally_init(&env, r, &tally, &cells), PEGS_OK);
	for (uint32_t i = 0; i < n; i++)
	{
		unit		u = {0};
		bool		rare = i == UNITS;

		(void) put_row(&u, 0, 0, i, (uint16_t[]) {rare ? 2 : 0, 0}, 2);
		for (uint32_t k = 0; k < 2; k++)
			(void) put_row(&u, 1, 0, i * 2 + k, (uint16_t[]) {rare ? 3 : 0, rare ? 2 : i % 2}, 2);
		feed(paths, r, &u, false);
		pegs_tally_unit(&tally, paths);
	}
	pegs_tally_end(&tally);
	return tally;
}

/* Fitted once, with a unit more, and once more of nothing but what was answered. */
static void
test_key(uint8_t key)
{
	pegs_relations r = world_relations();
	pegs_tally	tally[] = {units(&r, UNITS), units(&r, UNITS + 1), units(&r, 0)};
	pegs_witness witness = {0};
	pegs_accountant account;
	uint8_t    *bytes[3];
	size_t		size[3];

	pegs_accountant_init(&account, INT64_C(20000000000), key % 2 ? INT64_C(1000000000) : 0, PEGS_PATHS);
	account.rows_each = PEGS_PATHS;
	account.witness = &witness;
	pegs_witness_begin(&witness, &env);
	start((uint8_t) (key + 50));
	for (int run = 0; run < 3; run++)
	{
		pegs_fitted model;
		pegs_wire	wire;
		pegs_rng	own;
		uint8_t		bits[PEGS_KEY_BYTES] = {key};

		pegs_rng_init(&own, bits, 0);
		if (run == 1)
			pegs_witness_again(&witness);
		else if (run == 2)
			pegs_witness_replay(&witness);
		pegs_schema_fit(&env, &own, &account, &r, &tally[run], true, &model);
		CHECK(model.nsiblings > 0);
		wire = wire_of("", &model);
		size[run] = pegs_wire_size(&wire);
		bytes[run] = env.alloc(env.context, size[run]);
		pegs_wire_write(NULL, &wire, bytes[run]);
		if (run > 0)
			pegs_witness_end(&witness, &account, size[run] == size[0] && memcmp(bytes[run], bytes[0], size[0]) == 0);
		if (run == 1)
			CHECK(witness.cost > 0.9 * (double) account.total * 0x1p-50);
	}
	CHECK_INT(witness.fault, PEGS_SOUND);
	arena_free(&memory);
}

int
main(void)
{
	for (uint8_t key = 1; key < 8; key++)
		test_key(key);
	return unit_done("schema_witness_test");
}
