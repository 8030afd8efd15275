/*
 * table_exact_test.c
 *	  The table of all columns as an urn, and as the bootstrap of its rows: what
 *	  methods_test.c asks of every method and is not all that these promise.
 */
#include "core/method.h"

#include <string.h>

#include "chisquare.h"
#include "core/urn.h"
#include "core/wire.h"
#include "fixture.h"
#include "unit.h"

static const uint32_t levels[2] = {2, 3};
static const uint64_t counts[6] = {40, 0, 10, 5, 25, 20};

static pegs_wire
made(const pegs_method *method, const uint64_t *count)
{
	pegs_wire	wire = {.kind = method->kind, .ncols = 2, .spec = ""};

	CHECK(pegs_layout_joint(&env, 2, levels, &wire.layout, NULL) == PEGS_OK);
	wire.cells = env.alloc(env.context, sizeof(uint64_t) * 6);
	for (int i = 0; count && i < 6; i++)
		wire.rows += wire.cells[i] = count[i];
	return wire;
}

static bool
begin(const pegs_method *method, const pegs_wire *wire, const pegs_ask *ask, pegs_draws **draws)
{
	if (!CHECK(method->open(&env, wire, NULL, ask, draws) == PEGS_OK))
		return false;
	method->start(*draws, &rng);
	return true;
}

static uint32_t
next_cell(const pegs_method *method, pegs_draws *draws)
{
	uint16_t	row[2] = {9, 9};

	CHECK(method->next(draws, row) == PEGS_OK);
	return (uint32_t) pegs_joint_cell(2, levels, row);
}

/* Two rows of many calls: by what the claim speaks of, with what is given, and without what is forbidden. */
static void
test_urn(void)
{
	const pegs_method *method = &pegs_method_table_sealed;
	bool		one[2] = {true, false};
	bool		some[3] = {true, false, true};
	pegs_zero	zero = {.n = 2, .column = {0, 1}, .level = {one, some}};	/* cells 0 and 2 */
	int32_t		given[2] = {-1, 2};	/* cells 2 and 5 */
	static const uint64_t few[6] = {4, 0, 1, 0, 2, 2};
	static const bool is_cell[4][6] = {{1, 1, 1, 1, 1, 1}, {0, 1, 0, 1, 1, 1}, {0, 0, 1, 0, 0, 1}, {0, 0, 0, 0, 0, 1}};

	for (int of = 0; of < 4; of++)
	{
		pegs_ask	ask = {.n = 2, .alpha = 3 * PEGS_URN_ONE / 2, .given = of >= 2 ? given : NULL};
		uint64_t	seen[36] = {0};
		double		p[36];
		double		total = 0;

		if (of % 2 == 1)
			ask.zeros = (pegs_zeros) {1, &zero};
		/* few rows: the second draw hangs on the first */
		for (int i = 0; i < 36; i++)
			total += p[i] = is_cell[of][i / 6] * is_cell[of][i % 6] * ((double) few[i / 6] + 1.5) * ((double) few[i % 6] + 1.5 + (i / 6 == i % 6));
		for (int i = 0; i < 36; i++)
			p[i] /= total;
		start((uint8_t) of);
		for (int turn = 0; turn < 60000; turn++)
		{
			pegs_wire	wire = made(method, few);
			pegs_draws *draws;
			uint32_t	a;

			if (!begin(method, &wire, &ask, &draws))
				return;
			a = next_cell(method, draws);
			seen[6 * a + next_cell(method, draws)]++;
			arena_free(&memory);
		}
		CHECK(chisquare_p(seen, p, 36, 60000) > CHISQUARE_P);
	}
}

/*
 * Within a column: rows come from one urn after the other, each by its own
 * cells and draws; what a call costs are the draws from one of them.
 */
static void
test_within(void)
{
	const pegs_method *method = &pegs_method_table_sealed;
	static const uint64_t few[6] = {4, 0, 1, 0, 2, 2};
	static const bool first[2] = {true, false};
	pegs_setting settings[2] = {{.given = true, .columns = first}};
	pegs_ask	ask = {.n = 3, .alpha = 3 * PEGS_URN_ONE / 2, .settings = settings};
	int32_t		given[2] = {1, -1};
	uint64_t	seen[27] = {0};
	double		p[27];
	int64_t		delta = 0;
	uint64_t	alpha;
	uint64_t	other;

	for (int i = 0; i < 27; i++)
	{
		int			a = i / 9;
		int			c = i / 3 % 3;
		int			b = i % 3;	/* of the other level: cells 3 to 5, 4 rows */

		p[i] = ((double) few[a] + 1.5) / 9.5 * ((double) few[c] + 1.5 + (a == c)) / 10.5 * ((double) few[3 + b] + 1.5) / 8.5;
	}
	start(20);
	for (int turn = 0; turn < 60000; turn++)
	{
		pegs_wire	wire = made(method, few);
		pegs_draws *draws;
		uint32_t	cell[3];

		if (!begin(method, &wire, &ask, &draws))
			return;
		for (int i = 0; i < 3; i++)
			cell[i] = next_cell(method, draws);
		CHECK(cell[0] < 3 && cell[1] >= 3 && cell[2] < 3);
		if (cell[0] < 3 && cell[1] >= 3 && cell[2] < 3)
			seen[9 * cell[0] + 3 * cell[2] + cell[1] - 3]++;
		arena_free(&memory);
	}
	CHECK(chisquare_p(seen, p, 27, 60000) > CHISQUARE_P);

	/* three rows are two draws from an urn at most; of what is given there is one urn */
	CHECK(method->price(&ask, 2, levels, 1, PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_OK);
	CHECK_NEAR((double) alpha / 65536, 2 / expm1(1), 1e-4);
	ask.given = given;
	CHECK(method->price(&ask, 2, levels, 1, PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_OK);
	CHECK_NEAR((double) alpha / 65536, 3 / expm1(1), 1e-4);
	{
		pegs_wire	wire = made(method, few);
		pegs_draws *draws;

		if (begin(method, &wire, &ask, &draws))
			for (int i = 0; i < 50; i++)
				CHECK(next_cell(method, draws) >= 3);
		arena_free(&memory);
	}
	/* with delta it does not matter how many urns there are */
	ask = (pegs_ask) {.n = 1000000, .settings = settings};
	delta = INT64_C(1000000000);
	CHECK(method->price(&ask, 2, levels, 1, PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_OK && delta > 0);
	ask.settings = NULL;
	CHECK(method->price(&ask, 2, levels, 1, PEGS_EPSILON_UNIT, &delta, &other) == PEGS_OK && alpha == other);
}

/*
 * A public prior is there besides: two rows of many calls, of one urn with
 * something left out, and of an urn for each level of the first column; of
 * persons that weigh twice it weighs twice.
 */
static void
test_prior(void)
{
	const pegs_method *method = &pegs_method_table_sealed;
	static const uint64_t few[6] = {4, 0, 1, 0, 2, 2};
	static const uint32_t cells[3] = {1, 2, 5};
	static const uint64_t units[3] = {5 * PEGS_URN_ONE, PEGS_URN_ONE / 2, 3 * PEGS_URN_ONE};
	static const double prior[6] = {0, 5, 0.5, 0, 0, 3};
	static const bool first[2] = {true, false};
	bool		one[2] = {true, false};
	bool		some[3] = {true, true, false};
	pegs_zero	zero = {.n = 2, .column = {0, 1}, .level = {one, some}};	/* cells 0 and 1 */

	for (int of = 0; of < 3; of++)
	{
		pegs_setting settings[2] = {{.given = of == 2, .columns = of == 2 ? first : NULL},
		{.given = true, .nweights = 3, .cells = cells, .weights = units}};
		uint32_t	times = of == 0 ? 2 : 1;
		pegs_ask	ask = {.n = 2, .alpha = 3 * PEGS_URN_ONE / 2, .settings = settings, .times = times};
		uint64_t	seen[36] = {0};
		double		p[36];
		double		total = 0;

		if (of == 1)
			ask.zeros = (pegs_zeros) {1, &zero};
		for (int i = 0; i < 36; i++)
		{
			int			a = i / 6;
			int			b = i % 6;
			bool		is = of == 2 ? a < 3 && b >= 3 : of == 0 || (a > 1 && b > 1);

			total += p[i] = is * ((double) few[a] + 1.5 + times * prior[a]) * ((double) few[b] + 1.5 + times * prior[b] + (a == b));
		}
		for (int i = 0; i < 36; i++)
			p[i] /= total;
		start((uint8_t) (40 + of));
		for (int turn = 0; turn < 60000; turn++)
		{
			pegs_wire	wire = made(method, few);
			pegs_draws *draws;
			uint32_t	a;

			if (!begin(method, &wire, &ask, &draws))
				return;
			a = next_cell(method, draws);
			seen[6 * a + next_cell(method, draws)]++;
			arena_free(&memory);
		}
		CHECK(chisquare_p(seen, p, 36, 60000) > CHISQUARE_P);
	}
}

/* What is paid is for the table alone: a call that is begun again has the same rows under the same key, whatever was drawn. */
static void
test_again(void)
{
	const pegs_method *method = &pegs_method_table_sealed;
	pegs_wire	wire = made(method, counts);
	pegs_ask	ask = {.n = 100, .alpha = 1};
	pegs_draws *draws;
	uint32_t	cell[100];

	start(3);
	CHECK(method->open(&env, &wire, NULL, &ask, &draws) == PEGS_OK);
	for (int turn = 0; turn < 2; turn++)
	{
		start(3);
		method->start(draws, &rng);
		for (int i = 0; i < 100; i++)
		{
			if (turn == 0)
				cell[i] = next_cell(method, draws);
			else
				CHECK_INT(next_cell(method, draws), cell[i]);
		}
	}
	for (int i = 0; i < 6; i++)
		CHECK(wire.cells[i] == counts[i]);
	arena_free(&memory);
}

/* One table has one urn: no price for more columns; those that are given make it smaller; nothing is left is told before. */
static void
test_price(void)
{
	const pegs_method *method = &pegs_method_table_sealed;
	static const uint32_t wide[3] = {4000, 2, 4000};
	int32_t		given[3] = {1, -1, -1};
	pegs_ask	ask = {.n = 1000};
	uint64_t	alpha;
	uint64_t	other;
	int64_t		delta = 0;
	bool		all[2] = {true, true};
	pegs_zero	zero = {.n = 1, .column = {0}, .level = {all}};
	pegs_wire	wire = made(method, counts);
	pegs_draws *draws;

	CHECK(method->price(&ask, 3, wide, 1, PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_OK);
	CHECK(method->price(&ask, 1, wide, 1, PEGS_EPSILON_UNIT, &delta, &other) == PEGS_OK && alpha == other);
	CHECK_NEAR((double) alpha / 65536, 1000 / expm1(1), 1e-6);
	/* a person of three rows is three steps, with delta as without */
	ask.given = NULL;
	CHECK(method->price(&ask, 1, wide, 3, PEGS_EPSILON_UNIT, &delta, &other) == PEGS_OK);
	CHECK_NEAR((double) other / 65536, 1000 / expm1(1.0 / 3), 1e-6);
	delta = INT64_C(1000000000);
	CHECK(method->price(&ask, 1, wide, 3, PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_OK && alpha == other && delta == 0);
	/* 32,000,000 cells would pass 2^62; 8,000 do not */
	ask.n = UINT64_C(1) << 22;
	CHECK(method->price(&ask, 3, wide, 1, 10000000, &delta, &alpha) == PEGS_ERR_RANGE);
	ask.given = given;
	CHECK(method->price(&ask, 3, wide, 1, 10000000, &delta, &alpha) == PEGS_OK);
	ask = (pegs_ask) {.n = 10, .alpha = 1, .zeros = {1, &zero}};
	CHECK(method->open(&env, &wire, NULL, &ask, &draws) == PEGS_ERR_NOTHING);
	arena_free(&memory);
}

/* A million rows are the rows of the table; of an empty one every cell is as likely. */
static void
test_bootstrap(void)
{
	const pegs_method *method = &pegs_method_table_published;

	for (int empty = 0; empty < 2; empty++)
	{
		pegs_wire	wire = made(method, empty ? NULL : counts);
		pegs_ask	ask = {.n = 1000000};
		uint64_t	seen[6] = {0};
		double		p[6];
		pegs_draws *draws;

		for (int i = 0; i < 6; i++)
			p[i] = empty ? 1.0 / 6 : (double) counts[i] / 100;
		start(4);
		if (!begin(method, &wire, &ask, &draws))
			continue;
		for (uint64_t i = 0; i < ask.n; i++)
			seen[next_cell(method, draws)]++;
		CHECK(chisquare_p(seen, p, 6, ask.n) > CHISQUARE_P);
		arena_free(&memory);
	}
}

/* What is given and no row has is said; where zeros left no row of the table, any possible one. */
static void
test_bootstrap_of_some(void)
{
	const pegs_method *method = &pegs_method_table_published;
	pegs_wire	wire = made(method, counts);
	int32_t		given[2] = {0, 1};
	bool		one[2] = {false, true};
	bool		some[3] = {true, false, true};
	pegs_zero	zero[2] = {{.n = 1, .column = {0}, .level = {one}}, {.n = 1, .column = {1}, .level = {some}}};
	pegs_ask	ask = {.n = 1000, .given = given};
	pegs_draws *draws;

	start(5);
	CHECK(method->open(&env, &wire, NULL, &ask, &draws) == PEGS_ERR_RANGE);
	given[0] = -1;
	if (begin(method, &wire, &ask, &draws))
		for (int i = 0; i < 1000; i++)
			CHECK_INT(next_cell(method, draws), 4);
	ask = (pegs_ask) {.n = 1000, .zeros = {2, zero}};
	if (begin(method, &wire, &ask, &draws))
		for (int i = 0; i < 1000; i++)
			CHECK_INT(next_cell(method, draws), 1);
	arena_free(&memory);
}

int
main(void)
{
	test_urn();
	test_within();
	test_prior();
	test_again();
	test_price();
	test_bootstrap();
	test_bootstrap_of_some();
	return unit_done("table_exact_test");
}
