/*
 * graph_method_test.c
 *	  The engine as a method: what methods_test.c asks of every method and is
 *	  not all that this one promises.
 */
#include "core/method.h"

#include <string.h>

#include "fitted.h"
#include "fixture.h"
#include "unit.h"

static size_t forgotten;

static void
forget(void *context)
{
	(void) context;
	forgotten++;
}

/* Two columns, the second equal to the first, of 2,000 rows. */
static pegs_wire
twins(void)
{
	const pegs_method *method = pegs_method_named("graph");
	pegs_layout *layout = env.alloc(env.context, sizeof(pegs_layout));
	pegs_accountant accountant;
	uint64_t   *cells;

	CHECK(pegs_layout_pairs(&env, 2, (uint32_t[]) {3, 3}, layout, NULL) == PEGS_OK);
	cells = env.alloc(env.context, sizeof(uint64_t) * layout->ncells);
	for (int l = 0; l < 3; l++)
	{
		uint64_t	n = l == 2 ? 0 : 1000;

		cells[layout->offset[0] + l] = cells[layout->offset[1] + l] = n;
		cells[layout->pair_offset[1] + 3 * l + l] = n;
	}
	pegs_accountant_init(&accountant, 1000 * PEGS_EPSILON_UNIT, 0, 1);
	return (pegs_wire) {.kind = method->kind, .method = method, .ncols = 2, .levels = layout->levels, .spec = "",
		.model = method->fit(&env, &rng, &accountant, layout, cells)};
}

/* Batches: as many as are needed, memory of each given back, levels in their shares to within a row a batch. */
static void
test_batches(void)
{
	pegs_wire	wire = twins();
	pegs_ask	ask = {.n = 300000, .batch = env, .forget = forget};
	pegs_draws *draws;
	uint16_t	row[2];
	uint64_t	seen[3] = {0};
	uint64_t	apart = 0;

	forgotten = 0;
	CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_OK);
	wire.method->start(draws, &rng);
	for (uint64_t i = 0; i < ask.n; i++)
	{
		CHECK(wire.method->next(draws, row) == PEGS_OK);
		seen[row[0]]++;
		apart += row[0] != row[1];
	}
	CHECK_INT(forgotten, 3);	/* of at most 2^17 rows, as equal as can be */
	for (int l = 0; l < 3; l++)
		CHECK(fabs((double) seen[l] - fitted_of(&wire)->share[0][l] * 300000) <= 30);
	CHECK(apart < 3000);
	arena_free(&memory);
}

/* Other rows for another key, apportioned or independent: methods_test.c does not ask it of what is paid at the fit. */
static void
test_keys(void)
{
	pegs_wire	wire = twins();

	for (int one_by_one = 0; one_by_one < 2; one_by_one++)
	{
		pegs_ask	ask = {.n = 300, .one_by_one = one_by_one, .batch = env, .forget = forget};
		uint16_t	row[2][300][2];

		for (uint8_t key = 0; key < 2; key++)
		{
			pegs_draws *draws;

			start(10 + key);
			CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_OK);
			wire.method->start(draws, &rng);
			for (uint64_t i = 0; i < ask.n; i++)
				CHECK(wire.method->next(draws, row[key][i]) == PEGS_OK);
		}
		CHECK(memcmp(row[0], row[1], sizeof(row[0])) != 0);
	}
	arena_free(&memory);
}

/* A level that never came has no weight: an error before any row. */
static void
test_impossible(void)
{
	pegs_wire	wire = twins();
	int32_t		given[2] = {2, -1};
	pegs_ask	ask = {.n = 1, .one_by_one = true, .given = given, .batch = env, .forget = forget};
	pegs_draws *draws;

	fitted_of(&wire)->share[0][2] = 0;
	CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_ERR_RANGE);
	given[0] = 0;
	CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_OK);
	arena_free(&memory);
}

/* Exact words, in the order of the object's members. */
static char said[4000];

static void
put(void *to, const char *words)
{
	(void) to;
	strcat(said, words);
}

static void
put_column(void *to, uint32_t column)
{
	put(to, column == 0 ? "\"a\"" : "\"b\"");
}

static void
test_words(void)
{
	pegs_wire	wire = twins();
	pegs_writer writer = {NULL, put, put_column};
	pegs_fitted *model = fitted_of(&wire);

	model->rows = 2000;
	model->pair[0].variance = 0.25;
	said[0] = '\0';
	wire.method->describe(model, &writer);
	CHECK(strstr(said, ", \"rows\": 2000, \"accounting\": \"pure epsilon, discrete Laplace and exponential mechanism\", \"budget\": 1000, \"spent\": 1000, \"record\": [{\"what\": \"1-way tables\"") == said);
	CHECK(strstr(said, "\"pairs\": [{\"columns\": [\"a\", \"b\"], \"classes\": [") != NULL);
	CHECK(strstr(said, "\"sigma\": 0.5, \"in_tree\": true}") != NULL);
	/* whatever a file says */
	model->rows = 1e308;
	said[0] = '\0';
	wire.method->describe(model, &writer);
	CHECK(strlen(said) > 500 && strstr(said, ", \"accounting\": \"pure epsilon") != NULL && strstr(said, "\"record\": [{") != NULL);
	CHECK(strstr(said, "], \"cliques\": [{\"columns\": [\"a\", \"b\"], \"cells\": ") != NULL);
	arena_free(&memory);
}

int
main(void)
{
	start(1);
	test_batches();
	test_keys();
	test_impossible();
	test_words();
	return unit_done("graph_method_test");
}
