/*
 * copula_published_test.c
 *	  The copula of exact counts: what each form's rows are, and that its bytes say nothing by their number.
 */
#include "core/method.h"

#include <string.h>

#include "core/copula/copula.h"
#include "core/copula/dummy.h"
#include "core/wire.h"
#define STREAM_SALT [1] = 94
#include "fixture.h"
#include "unit.h"

#define METHOD (&pegs_method_copula_published)
#define DRAWN 20000

static uint32_t levels[2] = {3, 3};

/* Two columns of thirds, equal in four rows of five; or of nothing. */
static pegs_wire
fitted(pegs_dummy_form form, uint32_t rows)
{
	pegs_setting settings[2] = {{.given = true, .number = form}, {.number = 0}};
	pegs_wire	wire = {.kind = METHOD->kind, .method = METHOD, .ncols = 2, .levels = levels, .spec = ""};
	pegs_layout layout;
	uint64_t   *cells;

	CHECK(pegs_layout_pairs(&env, 2, levels, &layout, NULL) == PEGS_OK);
	layout.settings = settings;
	cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
	for (uint32_t r = 0; r < rows; r++)
	{
		uint16_t	code[2] = {(uint16_t) (r % 3), (uint16_t) ((r + (r % 5 == 0)) % 3)};

		pegs_count_chunk(&layout, cells, (uint16_t *[2]) {&code[0], &code[1]}, 1);
	}
	wire.model = METHOD->fit(&env, NULL, NULL, &layout, cells);
	return wire;
}

/* The share of rows whose two columns are equal; columns have a third of each. */
static double
equal_rows(const pegs_wire *wire)
{
	pegs_ask	ask = {.n = DRAWN, .one_by_one = true};
	uint32_t	seen[2][3] = {{0}};
	uint32_t	equal = 0;
	pegs_draws *draws;
	uint16_t	row[2];

	CHECK(METHOD->open(&env, wire, NULL, &ask, &draws) == PEGS_OK);
	METHOD->start(draws, &rng);
	for (int i = 0; i < DRAWN; i++)
	{
		CHECK(METHOD->next(draws, row) == PEGS_OK);
		equal += row[0] == row[1];
		seen[0][row[0]]++;
		seen[1][row[1]]++;
	}
	for (int i = 0; i < 6; i++)
		CHECK(fabs(seen[i / 3][i % 3] / (double) DRAWN - 1 / 3.0) < 0.025);
	return (double) equal / DRAWN;
}

static void
test_forms(void)
{
	double		equal[PEGS_DUMMY_FORMS];

	start(1);
	for (int form = 0; form < PEGS_DUMMY_FORMS; form++)
	{
		pegs_wire	wire = fitted((pegs_dummy_form) form, 3000);

		CHECK_INT(((const pegs_dummy *) wire.model)->form, form);
		equal[form] = equal_rows(&wire);
	}
	CHECK(equal[PEGS_DUMMY_COP] > 0.6 && equal[PEGS_DUMMY_COP] < 0.9);
	CHECK(fabs(equal[PEGS_DUMMY_ID] - 1 / 3.0) < 0.025);
	CHECK(equal[PEGS_DUMMY_ONE] == 1);
	arena_free(&memory);
}

static void
test_size(void)
{
	size_t		size = 0;

	for (int form = 0; form < PEGS_DUMMY_FORMS; form++)
		for (uint32_t rows = 0; rows <= 3; rows += 3)
		{
			pegs_wire	wire = fitted((pegs_dummy_form) form, rows);

			CHECK(size == 0 || pegs_wire_size(&wire) == size);
			size = pegs_wire_size(&wire);
		}
	arena_free(&memory);
}

/* A normal for each level: 2,000 at most, with the other method's dummy coding, too. */
static void
test_refused(void)
{
	static uint32_t many[1000];
	pegs_setting settings[PEGS_COPULA_OPTIONS] = {[PEGS_COPULA_CODING] = {.given = true, .number = 1}};
	pegs_layout layout = {.ncols = 1000, .levels = many, .settings = settings};

	for (int i = 0; i < 1000; i++)
		many[i] = 2;
	CHECK(METHOD->refuse(&layout).why == NULL && pegs_method_copula.refuse(&layout).why == NULL && METHOD->refuse(&layout).hint == NULL);
	many[7] = 3;
	CHECK(strstr(METHOD->refuse(&layout).why, "2,000") != NULL && METHOD->refuse(&layout).hint != NULL && METHOD->refuse(&layout).wrong == PEGS_WRONG_SIZE);
	CHECK(strstr(pegs_method_copula.refuse(&layout).why, "2,000") != NULL && pegs_method_copula.refuse(&layout).hint != NULL);
	layout.settings = NULL;
	CHECK(pegs_method_copula.refuse(&layout).why == NULL);
}

int
main(void)
{
	test_forms();
	test_size();
	test_refused();
	return unit_done("copula_published_test");
}
