/*
 * pmse_method_test.c
 *	  The chosen law as a method: what methods_test.c asks of every method and is
 *	  not all that this one promises.
 */
#include "core/method.h"

#include <string.h>

#include "chisquare.h"
#include "core/pmse/pmse.h"
#include "core/wire.h"
#include "delta.h"
#include "fixture.h"
#include "unit.h"

#define CELLS (3 * 4)

static size_t forgotten;

static void
forget(void *context)
{
	(void) context;
	forgotten++;
}

/* Two columns; the levels of the first are declared in another order than that of its scale, the first of the second is NULL. */
static pegs_wire
made(void)
{
	static uint32_t levels[2] = {3, 4};
	static uint16_t first[3] = {2, 0, 1};
	static uint16_t second[4] = {1, 2, 3, 0};
	static uint16_t *order[2] = {first, second};
	pegs_pmse  *model = env.alloc(env.context, sizeof(pegs_pmse));

	*model = (pegs_pmse) {.law = {.ncols = 2, .levels = levels, .nullable = {false, true}}, .rows = 1000, .rounds = 7, .order = order};
	pegs_law_begin(&model->law);
	model->law.of[1].slope[0] = 200;
	pegs_accountant_init(&model->accountant, PEGS_EPSILON_UNIT, 0, 1);
	return (pegs_wire) {.kind = 9, .method = &pegs_method_pmse, .ncols = 2, .levels = levels, .spec = "", .model = model};
}

/* What each cell, by codes, has. */
static void
shares_of(const pegs_wire *wire, double *share)
{
	const pegs_pmse *model = wire->model;
	double		joint[CELLS];

	pegs_law_joint(&env, &model->law, joint);
	for (uint32_t a = 0; a < 3; a++)
		for (uint32_t b = 0; b < 4; b++)
			share[model->order[0][a] * 4 + model->order[1][b]] = joint[a * 4 + b];
}

static bool
draw_cells(const pegs_wire *wire, const pegs_ask *ask, uint8_t key, uint64_t *seen)
{
	pegs_draws *draws;
	uint16_t	row[2];

	memset(seen, 0, sizeof(uint64_t) * CELLS);
	start(key);
	if (!CHECK(wire->method->open(&env, wire, NULL, ask, &draws) == PEGS_OK))
		return false;
	wire->method->start(draws, &rng);
	for (uint64_t i = 0; i < ask->n; i++)
	{
		if (!CHECK(wire->method->next(draws, row) == PEGS_OK))
			return false;
		seen[pegs_joint_cell(2, wire->levels, row)]++;
	}
	return true;
}

/* Of n rows each cell has its share, but for less than one row, however many batches they are. */
static void
test_apportioned(void)
{
	static const uint64_t sizes[] = {1, 10, 131072, 131073, 300000};
	pegs_wire	wire = made();
	double		share[CELLS];

	shares_of(&wire, share);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
	{
		pegs_ask	ask = {.n = sizes[s], .batch = env, .forget = forget};
		uint64_t	seen[CELLS];

		forgotten = 0;
		if (!draw_cells(&wire, &ask, (uint8_t) s, seen))
			continue;
		CHECK_INT(forgotten, (sizes[s] - 1) / 131072 + 1);
		for (uint32_t i = 0; i < CELLS; i++)
			CHECK(fabs((double) seen[i] - share[i] * (double) ask.n) < 1 + 1e-6);
	}
	arena_free(&memory);
}

/* Rows one by one: from the shares. A million. */
static void
test_shares(void)
{
	pegs_wire	wire = made();
	pegs_ask	ask = {.n = 1000000, .one_by_one = true, .batch = env, .forget = forget};
	uint64_t	seen[CELLS];
	double		share[CELLS];

	shares_of(&wire, share);
	if (draw_cells(&wire, &ask, 1, seen))
		CHECK(chisquare_p(seen, share, CELLS, ask.n) > CHISQUARE_P);
	arena_free(&memory);
}

/* What is given keeps its shares; zeros that came after the fit do not come; where nothing is left it is said. */
static void
test_asked(void)
{
	pegs_wire	wire = made();
	int32_t		given[2] = {-1, 0};
	bool		two[3] = {false, false, true};
	bool		all[3] = {true, true, true};
	pegs_zero	zero[2] = {{.n = 1, .column = {0}, .level = {two}}, {.n = 1, .column = {0}, .level = {all}}};
	pegs_ask	ask = {.n = 10000, .given = given, .batch = env, .forget = forget};
	uint64_t	seen[CELLS];
	double		share[CELLS];
	double		rest = 0;
	pegs_draws *draws;

	shares_of(&wire, share);
	rest = share[0] + share[4] + share[8];
	if (draw_cells(&wire, &ask, 1, seen))
		for (uint32_t i = 0; i < CELLS; i += 4)
			CHECK(fabs((double) seen[i] - share[i] / rest * 10000) < 1 + 1e-6);
	ask.zeros = (pegs_zeros) {1, zero};
	if (draw_cells(&wire, &ask, 1, seen))
	{
		CHECK_INT(seen[8], 0);
		CHECK_INT(seen[0] + seen[4], 10000);
	}
	given[0] = 2;
	CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_ERR_NOTHING);
	given[0] = -1;
	ask.zeros.n = 2;
	CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_ERR_NOTHING);
	/* a law so narrow that a level has no share */
	((pegs_pmse *) wire.model)->law.of[0] = (pegs_regressed) {.mean = 0, .sd = 1};
	ask.zeros.n = 0;
	given[0] = 1;
	given[1] = -1;
	CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_ERR_RANGE);
	ask.given = NULL;
	ask.zeros.n = 1;
	if (draw_cells(&wire, &ask, 1, seen))	/* all that has a share is forbidden */
		CHECK_INT(seen[8] + seen[9] + seen[10] + seen[11], 0);
	arena_free(&memory);
}

/* What cannot be fitted is said of public facts. */
static void
test_refused(void)
{
	pegs_setting settings[PEGS_PMSE_OPTIONS] = {{.given = true, .number = 1000}, {.given = true, .number = 1000}, {.given = false, .number = 0}, {.given = false, .number = 0}};
	const uint32_t levels[2] = {1024, 1024};
	const uint32_t wider[2] = {1025, 1024};
	const uint32_t many[7] = {2, 2, 2, 2, 2, 2, 2};
	pegs_layout layout;

	CHECK(pegs_layout_pairs(&env, 2, levels, &layout, NULL) == PEGS_OK);
	CHECK(pegs_method_pmse.refuse(&layout).why == NULL);
	layout.settings = settings;
	CHECK(strstr(pegs_method_pmse.refuse(&layout).why, "hours") != NULL);
	settings[PEGS_PMSE_CANDIDATES].number = 1001;
	CHECK(strstr(pegs_method_pmse.refuse(&layout).why, "1,000,000") != NULL && pegs_method_pmse.refuse(&layout).wrong == PEGS_WRONG_VALUE);
	CHECK(pegs_layout_pairs(&env, 2, wider, &layout, NULL) == PEGS_OK);
	CHECK(strstr(pegs_method_pmse.refuse(&layout).why, "1,048,576") != NULL && pegs_method_pmse.refuse(&layout).wrong == PEGS_WRONG_SIZE);
	CHECK(pegs_layout_pairs(&env, 7, many, &layout, NULL) == PEGS_OK);
	CHECK(strstr(pegs_method_pmse.refuse(&layout).why, "6 columns") != NULL && pegs_method_pmse.refuse(&layout).wrong == PEGS_WRONG_SIZE);
	CHECK(pegs_method_pmse.refuse(&layout).hint != NULL);
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
put_column(void *to, uint32_t column)
{
	(void) to;
	strcat(said, column == 0 ? "\"a\"" : "\"b\"");
}

static void
test_words(void)
{
	pegs_wire	wire = made();
	pegs_writer writer = {NULL, put, put_column};
	pegs_pmse  *model = wire.model;

	model->accountant.spent = model->accountant.total;
	model->accountant.record[PEGS_FOR_CHOICE - 1].uses = 7;
	model->accountant.record[PEGS_FOR_CHOICE - 1].cost = model->accountant.total;
	said[0] = '\0';
	wire.method->describe(wire.model, &writer);
	CHECK(strcmp(said, ", \"rows\": 1000, \"accounting\": \"pure epsilon, exponential mechanism\", \"budget\": 1, \"spent\": 1, \"record\": ["
				 "{\"what\": \"choices of parameters\", \"uses\": 7, \"cost\": 1, \"share\": 1.0000}, "
				 "{\"what\": \"number of rows\", \"uses\": 0, \"cost\": 0, \"share\": 0.0000}], "
				 "\"family\": \"gaussian\", \"rounds\": 7, \"parameters\": [{\"column\": \"a\", \"mean\": 0.5, \"sd\": 0.25, \"null\": 0, \"slopes\": []}, "
				 "{\"column\": \"b\", \"mean\": 0.5, \"sd\": 0.25, \"null\": 0.0625, \"slopes\": [0.78125]}]") == 0);
	arena_free(&memory);
}

/* As many choices as there are rounds. */
static void
test_delta(void)
{
	pegs_setting settings[PEGS_PMSE_OPTIONS] = {{.number = 0}};

	settings[PEGS_PMSE_ROUNDS] = (pegs_setting) {.given = true, .number = 3};
	CHECK(!delta_helps(&pegs_method_pmse, 2, settings));
	settings[PEGS_PMSE_ROUNDS].number = 20;
	CHECK(delta_helps(&pegs_method_pmse, 2, settings) && delta_helps(&pegs_method_pmse, 2, NULL));
}

int
main(void)
{
	test_apportioned();
	test_shares();
	test_asked();
	test_refused();
	test_words();
	test_delta();
	return unit_done("pmse_method_test");
}
