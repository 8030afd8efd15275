/*
 * table_method_test.c
 *	  The noisy table as a method: what methods_test.c asks of every method and
 *	  is not all that this one promises.
 */
#include "core/method.h"

#include <string.h>

#include "chisquare.h"
#include "core/table/joint.h"
#include "core/wire.h"
#include "delta.h"
#include "fixture.h"
#include "unit.h"

static size_t forgotten;

static void
forget(void *context)
{
	(void) context;
	forgotten++;
}

/* Three columns, 24 cells, of which seven have something. */
static pegs_wire
made(void)
{
	static uint32_t levels[3] = {2, 3, 4};
	static uint32_t cell[7] = {0, 3, 7, 8, 15, 22, 23};
	static double weight[7] = {0.35, 0.05, 0.1, 0.0000123, 0.2499877, 0.15, 0.1};
	pegs_joint *model = env.alloc(env.context, sizeof(pegs_joint));

	*model = (pegs_joint) {.ncols = 3, .levels = levels, .rows = 1000, .n = 7, .cell = cell, .weight = weight};
	pegs_accountant_init(&model->accountant, PEGS_EPSILON_UNIT, 0, 1);
	return (pegs_wire) {.kind = 5, .method = &pegs_method_table, .ncols = 3, .levels = levels, .spec = "", .model = model};
}

static const pegs_joint *
joint_of(const pegs_wire *wire)
{
	return wire->model;
}

/* How often each cell comes. */
static bool
draw_cells(const pegs_wire *wire, const pegs_ask *ask, uint8_t key, uint64_t *seen)
{
	pegs_draws *draws;
	uint16_t	row[3];

	memset(seen, 0, sizeof(uint64_t) * 24);
	start(key);
	if (!CHECK(wire->method->open(&env, wire, NULL, ask, &draws) == PEGS_OK))
		return false;
	wire->method->start(draws, &rng);
	for (uint64_t i = 0; i < ask->n; i++)
	{
		if (!CHECK(wire->method->next(draws, row) == PEGS_OK))
			return false;
		seen[pegs_joint_cell(3, wire->levels, row)]++;
	}
	return true;
}

/* Of n rows each cell has its share, but for less than one row, however many batches they are. */
static void
test_apportioned(void)
{
	static const uint64_t sizes[] = {1, 2, 10, 131072, 131073, 300000, 1000001};
	pegs_wire	wire = made();

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		for (uint8_t key = 0; key < (sizes[s] < 100 ? 50 : 1); key++)
		{
			pegs_ask	ask = {.n = sizes[s], .batch = env, .forget = forget};
			uint64_t	seen[24];

			forgotten = 0;
			if (!draw_cells(&wire, &ask, key, seen))
				continue;
			CHECK_INT(forgotten, (sizes[s] - 1) / 131072 + 1);
			for (uint32_t i = 0; i < 7; i++)
				CHECK(fabs((double) seen[joint_of(&wire)->cell[i]] - joint_of(&wire)->weight[i] * (double) ask.n) < 1 + 1e-6);
		}
	arena_free(&memory);
}

/* Rows come in no order: the first hundred of ten thousand are of several cells. */
static void
test_order(void)
{
	pegs_wire	wire = made();
	pegs_ask	ask = {.n = 10000, .batch = env, .forget = forget};
	uint64_t	seen[24] = {0};
	int			cells = 0;
	pegs_draws *draws;
	uint16_t	row[3];

	start(3);
	CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_OK);
	wire.method->start(draws, &rng);
	for (int i = 0; i < 100 && CHECK(wire.method->next(draws, row) == PEGS_OK); i++)
		seen[pegs_joint_cell(3, wire.levels, row)]++;
	for (int i = 0; i < 24; i++)
		cells += seen[i] > 0;
	CHECK(cells >= 5);
	arena_free(&memory);
}

/* The first row, and rows one by one: from the shares. A million of each. */
static void
test_shares(void)
{
	pegs_wire	wire = made();
	pegs_ask	ask = {.n = 1000000, .one_by_one = true, .batch = env, .forget = forget};
	uint64_t	seen[24];
	uint64_t	of_cell[7] = {0};

	if (draw_cells(&wire, &ask, 1, seen))
	{
		for (uint32_t i = 0; i < 7; i++)
			of_cell[i] = seen[joint_of(&wire)->cell[i]];
		CHECK(chisquare_p(of_cell, joint_of(&wire)->weight, 7, ask.n) > CHISQUARE_P);
	}
	/* the second row of three, as likely as any */
	memset(of_cell, 0, sizeof(of_cell));
	ask = (pegs_ask) {.n = 3, .batch = env, .forget = forget};
	for (uint64_t turn = 0; turn < 20000; turn++)
	{
		pegs_draws *draws;
		uint16_t	row[2][3];

		start_stream(2, turn);
		CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_OK);
		wire.method->start(draws, &rng);
		for (int r = 0; r < 2; r++)
			CHECK(wire.method->next(draws, row[r]) == PEGS_OK);
		for (uint32_t i = 0; i < 7; i++)
			of_cell[i] += joint_of(&wire)->cell[i] == pegs_joint_cell(3, wire.levels, row[1]);
	}
	CHECK(chisquare_p(of_cell, joint_of(&wire)->weight, 7, 20000) > CHISQUARE_P);
	arena_free(&memory);
}

/* A level that is given: what is left keeps its shares, exactly where rows are apportioned; where nothing is left it is said. */
static void
test_given(void)
{
	pegs_wire	wire = made();
	int32_t		given[3] = {-1, -1, 3};	/* cells 3, 7, 15, 23 */
	static const uint32_t cell[4] = {3, 7, 15, 23};
	static const double weight[4] = {0.05, 0.1, 0.2499877, 0.1};
	pegs_ask	ask = {.n = 10000, .given = given, .batch = env, .forget = forget};
	uint64_t	seen[24];
	pegs_draws *draws;

	if (draw_cells(&wire, &ask, 1, seen))
		for (int i = 0; i < 4; i++)
			CHECK(fabs((double) seen[cell[i]] - weight[i] / 0.4999877 * 10000) < 1 + 1e-6);
	given[0] = 0;
	given[2] = 1;
	CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_ERR_RANGE);
	arena_free(&memory);
}

/* Zeros that came after the fit: what is left keeps its shares; where nothing is left, any possible row. */
static void
test_zeros(void)
{
	pegs_wire	wire = made();
	bool		first[2] = {true, false};
	bool		level[2][3] = {{true, true, false}, {false, true, true}};
	bool		all[2] = {true, true};
	pegs_zero	zero[3] = {{.n = 1, .column = {0}, .level = {first}},
	{.n = 1, .column = {1}, .level = {level[1]}}, {.n = 1, .column = {0}, .level = {all}}};
	pegs_ask	ask = {.n = 1000, .zeros = {1, zero}, .batch = env, .forget = forget};
	uint64_t	seen[24];
	uint64_t	sum = 0;
	pegs_draws *draws;

	if (draw_cells(&wire, &ask, 1, seen))
	{
		CHECK(fabs((double) seen[15] - 0.2499877 / 0.4999877 * 1000) < 1 + 1e-6);
		CHECK_INT(seen[15] + seen[22] + seen[23], 1000);
	}
	/* of the second half the first level of the second column: cells 12 to 15, and 15 has something */
	ask.zeros.n = 2;
	if (draw_cells(&wire, &ask, 1, seen))
		CHECK_INT(seen[15], 1000);
	/* and the second level of it, which has nothing */
	zero[1].level[0] = level[0];
	first[0] = false;
	first[1] = true;
	if (draw_cells(&wire, &ask, 1, seen))
		CHECK(seen[8] == 1000);
	first[0] = true;
	first[1] = false;
	level[0][1] = false;
	level[0][2] = true;
	if (draw_cells(&wire, &ask, 1, seen))
		for (int i = 16; i < 20; i++)
			sum += seen[i] > 200 ? seen[i] : 0;
	CHECK_INT(sum, 1000);
	ask.zeros.n = 3;
	CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_ERR_NOTHING);
	arena_free(&memory);
}

static char said[4000];

static void
put(void *to, const char *words)
{
	(void) to;
	strcat(said, words);
}

static void
test_words(void)
{
	pegs_wire	wire = made();
	pegs_writer writer = {NULL, put, NULL};
	pegs_joint *model = wire.model;

	model->accountant.spent = model->accountant.total;
	model->accountant.record[PEGS_FOR_TABLE - 1].uses = 1;
	model->accountant.record[PEGS_FOR_TABLE - 1].cost = model->accountant.total;
	said[0] = '\0';
	wire.method->describe(wire.model, &writer);
	CHECK(strcmp(said, ", \"rows\": 1000, \"accounting\": \"pure epsilon, discrete Laplace\", \"budget\": 1, \"spent\": 1, \"record\": ["
				 "{\"what\": \"number of rows\", \"uses\": 0, \"cost\": 0, \"share\": 0.0000}, "
				 "{\"what\": \"table of all columns\", \"uses\": 1, \"cost\": 1, \"share\": 1.0000}], "
				 "\"cells\": 24, \"cells_with_rows\": 7, \"sigma\": 1.41421") == 0);
	/* a person of 64 counts is one of the model's rows */
	model->accountant.rows_per_unit = model->accountant.rows_each = 64;
	CHECK_NEAR(pegs_joint_sd(model), sqrt(2), 1e-6);
	arena_free(&memory);
}

/* One table, whatever its columns. */
static void
test_delta(void)
{
	CHECK(!delta_helps(&pegs_method_table, 1, NULL) && !delta_helps(&pegs_method_table, 10, NULL));
}

int
main(void)
{
	test_apportioned();
	test_order();
	test_shares();
	test_given();
	test_zeros();
	test_words();
	test_delta();
	return unit_done("table_method_test");
}
