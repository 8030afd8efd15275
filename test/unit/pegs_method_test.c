/*
 * pegs_method_test.c
 *	  PeGS as a method: is the sampler set as it was asked for, and is what
 *	  cannot be drawn said before the first row?
 */
#include "core/pegs/pegs_method.h"

#include <string.h>

#include "core/epsilon.h"
#include "core/wire.h"
#include "fixture.h"
#include "unit.h"

/* Two columns of 3 levels, the second's parent the first; 20 rows, all (1, 2). */
static pegs_wire
counts(void)
{
	pegs_wire	wire = {.kind = PEGS_CONDITIONAL, .ncols = 2, .spec = "", .rows = 20};

	CHECK(pegs_layout_conditional(&env, 2, (uint32_t[]) {3, 3}, (uint32_t[]) {0, 0, 1}, (uint16_t[]) {0}, 0, &wire.layout, NULL) == PEGS_OK);
	wire.cells = env.alloc(env.context, sizeof(uint64_t) * wire.layout.ncells);
	wire.cells[wire.layout.offset[0] + 1] = 20;
	wire.cells[wire.layout.offset[1] + 3 * 1 + 2] = 20;
	return wire;
}

static void
test_sampler(void)
{
	const pegs_method *method = pegs_method_named("pegs");
	pegs_wire	wire = counts();
	bool		second[3] = {false, true, false};
	pegs_zero	zero = {.n = 1, .column = {0}, .level = {second}};
	int32_t		given[2] = {-1, 0};
	pegs_ask	ask = {.alpha = 12345, .block = 7, .given = given, .zeros = {1, &zero}};
	pegs_draws *draws;
	pegs_gibbs *sampler;
	uint16_t	row[2];

	CHECK(method->open(&env, &wire, NULL, &ask, &draws) == PEGS_OK);
	sampler = pegs_sealed_sampler(draws);
	CHECK(sampler->alpha == 12345 && sampler->block == 7 && sampler->given == given && sampler->zeros.n == 1 && sampler->cells == wire.cells);
	CHECK(sampler->alpha_of_key == NULL && sampler->witness == NULL);
	method->start(draws, &rng);
	CHECK(sampler->row[0] != 1 && sampler->row[1] == 0);
	for (int i = 0; i < 50; i++)
	{
		CHECK(method->next(draws, row) == PEGS_OK && row[0] != 1 && row[1] == 0);
		CHECK(memcmp(row, sampler->row, sizeof(row)) == 0);
	}
	arena_free(&memory);
}

/* The l-diverse form: weights of its own, and no more l than levels. */
static void
test_diverse(void)
{
	const pegs_method *method = pegs_method_named("pegs l-diverse");
	pegs_wire	wire = counts();
	pegs_ask	ask = {.alpha = 1, .block = 1, .l_diversity = 2};
	pegs_draws *draws;

	CHECK(method->payment == PEGS_NOT_PRIVATE);
	CHECK(method->open(&env, &wire, NULL, &ask, &draws) == PEGS_OK && pegs_sealed_sampler(draws)->alpha_of_key != NULL);
	ask.l_diversity = 3.5;
	CHECK(method->open(&env, &wire, NULL, &ask, &draws) == PEGS_ERR_ARGUMENT);
	arena_free(&memory);
}

/* Claim P1: alpha is that of blocks times free columns times a person's rows, and of the widest free column. */
static void
test_price(void)
{
	const pegs_method *method = pegs_method_named("pegs");
	uint32_t	levels[3] = {3, 5, 2};
	int32_t		given[3] = {-1, 4, -1};
	uint64_t	alpha;
	uint64_t	expected;
	int64_t		none = 0;
	pegs_ask	ask = {.n = 10, .block = 4};

	for (int fixed = 0; fixed < 2; fixed++)
		for (uint32_t rows = 1; rows <= 3; rows++)
		{
			ask.given = fixed ? given : NULL;
			CHECK(method->price(&ask, 3, levels, rows, PEGS_EPSILON_UNIT, &none, &alpha) == PEGS_OK);
			CHECK(pegs_alpha(PEGS_EPSILON_UNIT, UINT64_C(3) * (fixed ? 2 : 3) * rows, fixed ? 3 : 5, &expected) == PEGS_OK);
			CHECK_INT(alpha, expected);
		}
	/* nothing wraps round: what cannot be bought is said */
	ask = (pegs_ask) {.n = UINT64_MAX, .block = 1};
	CHECK(method->price(&ask, 3, levels, 1, PEGS_EPSILON_UNIT, &none, &alpha) == PEGS_ERR_RANGE);
	CHECK(method->price(&ask, 3, levels, UINT32_MAX, PEGS_EPSILON_UNIT, &none, &alpha) == PEGS_ERR_RANGE);
	ask = (pegs_ask) {.n = UINT64_MAX / 3 + 1, .block = 1};	/* times three: 2 */
	CHECK(method->price(&ask, 3, levels, 1, INT64_MAX, &none, &alpha) == PEGS_ERR_RANGE);
	/* nor does a weight: alpha of all levels together stays below 2^62, of the widest column (P3) */
	ask = (pegs_ask) {.n = UINT64_C(1) << 29, .block = 1};
	for (uint32_t wide = 0; wide < 3; wide++)
	{
		uint32_t	one_wide[3] = {2, 2, 2};

		one_wide[wide] = 65535;
		CHECK(method->price(&ask, 3, (uint32_t[]) {2, 2, 2}, 1, PEGS_EPSILON_UNIT, &none, &alpha) == PEGS_OK);
		CHECK(method->price(&ask, 3, one_wide, 1, PEGS_EPSILON_UNIT, &none, &alpha) == PEGS_ERR_RANGE);
	}
}

/* Claim P17: with delta the smaller of both alphas, and delta is taken only if it is smaller by that. */
static void
test_price_with_delta(void)
{
	const pegs_method *method = pegs_method_named("pegs");
	const int64_t offered = PEGS_DELTA_UNIT / 1000000000;
	uint64_t	rho = pegs_rho(PEGS_EPSILON_UNIT, offered);
	uint32_t	levels[3] = {3, 5, 2};
	int32_t		given[3] = {-1, 4, -1};
	int			taken = 0;

	for (uint64_t n = 1; n <= 100000; n *= 10)
		for (uint64_t block = 1; block <= 1000; block *= 10)
			for (uint32_t rows = 1; rows <= 64; rows *= 4)
			{
				pegs_ask	ask = {.n = n, .block = block, .given = rows == 4 ? given : NULL};
				uint64_t	visits = ((n - 1) / block + 1) * (rows == 4 ? 2 : 3);
				int64_t		delta = offered;
				uint64_t	pure;
				uint64_t	ranged;
				uint64_t	alpha;

				CHECK(pegs_alpha(PEGS_EPSILON_UNIT, visits * rows, 5, &pure) == PEGS_OK);
				CHECK(pegs_alpha_of_rho(rho, visits, rows, 5, &ranged) == PEGS_OK);
				CHECK(method->price(&ask, 3, levels, rows, PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_OK);
				CHECK_INT(alpha, pure < ranged ? pure : ranged);
				CHECK_INT(delta, pure <= ranged ? 0 : offered);
				taken += delta > 0;
			}
	CHECK(taken > 20 && taken < 80);
	/* where epsilon alone buys nothing at all, delta may */
	{
		pegs_ask	ask = {.n = UINT64_C(1) << 45, .block = 1};
		int64_t		delta = offered;
		uint64_t	alpha;

		CHECK(method->price(&ask, 3, (uint32_t[]) {2, 60000, 2}, 1, PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_OK && delta == offered);
		delta = 0;
		CHECK(method->price(&ask, 3, (uint32_t[]) {2, 60000, 2}, 1, PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_ERR_RANGE);
		/* nothing can, of more rows than can be counted */
		ask.n = UINT64_MAX;
		delta = offered;
		CHECK(method->price(&ask, 3, levels, 1, PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_ERR_RANGE);
	}
}

/* Urns: draws are rows times sweeps, columns those that are free, each as often as a person has rows; with delta, of one row, whatever the draws. */
static void
test_price_of_urns(void)
{
	const pegs_method *method = pegs_method_named("pegs");
	const int64_t offered = PEGS_DELTA_UNIT / 1000000000;
	uint32_t	levels[3] = {3, 5, 2};
	int32_t		given[3] = {-1, 4, -1};
	int			taken = 0;

	for (uint64_t n = 1; n <= 10000; n *= 10)
		for (uint64_t sweeps = 1; sweeps <= 100; sweeps *= 10)
			for (uint32_t rows = 1; rows <= 64; rows *= 4)
				for (int fixed = 0; fixed < 2; fixed++)
				{
					pegs_ask	ask = {.n = n, .block = 1, .sweeps = sweeps, .given = fixed ? given : NULL};
					uint64_t	columns = 3 - fixed;
					uint32_t	widest = fixed ? 3 : 5;
					int64_t		delta = 0;
					uint64_t	pure;
					uint64_t	renyi;
					uint64_t	alpha;

					CHECK(pegs_alpha_urn(PEGS_EPSILON_UNIT, columns * rows, n * sweeps, widest, &pure) == PEGS_OK);
					CHECK(pegs_alpha_urn_renyi(PEGS_EPSILON_UNIT, offered, columns, widest, &renyi) == PEGS_OK);
					CHECK(method->price(&ask, 3, levels, rows, PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_OK);
					CHECK_INT(alpha, pure);
					delta = offered;
					CHECK(method->price(&ask, 3, levels, rows, PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_OK);
					CHECK_INT(alpha, rows == 1 && renyi < pure ? renyi : pure);
					CHECK_INT(delta, rows == 1 && renyi < pure ? offered : 0);
					taken += delta > 0;
				}
	CHECK(taken > 5);
}

int
main(void)
{
	start(1);
	test_sampler();
	test_price();
	test_price_with_delta();
	test_price_of_urns();
	test_diverse();
	return unit_done("pegs_method_test");
}
