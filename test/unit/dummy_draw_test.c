/*
 * dummy_draw_test.c
 *	  Rows of a normal for each level: of a model made by hand columns have their
 *	  shares, and what is given or forbidden has the law of the rows that are so.
 */
#include "core/copula/dummy.h"

#include <string.h>

#include "chisquare.h"
#include "core/copula/correlation.h"
#define STREAM_SALT [1] = 93
#include "fixture.h"
#include "unit.h"

#define FIRST 3
#define SECOND 4
#define CELLS (FIRST * SECOND)

static uint32_t levels[2] = {FIRST, SECOND};
static const double first_share[FIRST] = {0.5, 0.2, 0.3};
static const double second_share[SECOND] = {0.1, 0.4, 0, 0.5};	/* one that never comes */

/* Of each level's normal one more column's may have a part. */
static pegs_dummy
made(pegs_dummy_form form)
{
	pegs_dummy	model = {.ncols = 2, .levels = levels, .form = form, .nlatents = FIRST + SECOND};

	model.share = env.alloc(env.context, sizeof(double *) * 2);
	model.share[0] = env.alloc(env.context, sizeof(first_share));
	model.share[1] = env.alloc(env.context, sizeof(second_share));
	memcpy(model.share[0], first_share, sizeof(first_share));
	memcpy(model.share[1], second_share, sizeof(second_share));
	model.factor = env.alloc(env.context, sizeof(double) * pegs_packed(FIRST + SECOND, 0));
	for (uint32_t i = 0; i < FIRST + SECOND; i++)
		model.factor[pegs_packed(i, i)] = 1;
	/* the first of the one with the second of the other, and against its last */
	model.factor[pegs_packed(FIRST + 1, 0)] = 0.8;
	model.factor[pegs_packed(FIRST + 1, FIRST + 1)] = 0.6;
	model.factor[pegs_packed(FIRST + 3, 2)] = -0.6;
	model.factor[pegs_packed(FIRST + 3, FIRST + 3)] = 0.8;
	return model;
}

static bool
draw_cells(const pegs_dummy *model, const pegs_ask *ask, uint64_t *seen)
{
	pegs_dummy_draws *draws;
	uint16_t	row[2];

	memset(seen, 0, sizeof(uint64_t) * CELLS);
	if (!CHECK(pegs_dummy_open(&env, model, ask, &draws) == PEGS_OK))
		return false;
	pegs_dummy_start(draws, &rng);
	for (uint64_t i = 0; i < ask->n; i++)
	{
		if (!CHECK(pegs_dummy_next(draws, row) == PEGS_OK && row[0] < FIRST && row[1] < SECOND))
			return false;
		seen[row[0] * SECOND + row[1]]++;
	}
	return true;
}

/* Columns have their shares; what was drawn much of is the law of what is given. */
static void
test_law(void)
{
	for (int form = 0; form < PEGS_DUMMY_FORMS; form += PEGS_DUMMY_ONE)
	{
		pegs_dummy	model = made((pegs_dummy_form) form);
		uint64_t	column[SECOND] = {0};
		uint64_t	seen[CELLS];
		uint64_t	some[CELLS];

		start((uint8_t) (1 + form));
		if (!draw_cells(&model, &(pegs_ask) {.n = 400000}, seen))
			continue;
		for (int i = 0; i < CELLS; i++)
			column[i % SECOND] += seen[i];
		CHECK(chisquare_p(column, second_share, SECOND, 400000) > CHISQUARE_P);
		memset(column, 0, sizeof(column));
		for (int i = 0; i < CELLS; i++)
			column[i / SECOND] += seen[i];
		CHECK(chisquare_p(column, first_share, FIRST, 400000) > CHISQUARE_P);
		/* together they come more often than by chance */
		CHECK((double) seen[1] / 400000 > 0.23 && (form == PEGS_DUMMY_ONE || (double) seen[1] / 400000 < 0.25));
		for (int of = 0; of < 2; of++)
			for (int level = 0; level < (int) levels[of]; level++)
			{
				int32_t		given[2] = {-1, -1};
				pegs_ask	ask = {.n = 20000, .given = given};
				double		p[CELLS];
				double		sum = 0;
				double		far = 0;

				given[of] = level;
				for (int i = 0; i < CELLS; i++)
					sum += p[i] = (of ? i % SECOND : i / SECOND) == level ? (double) seen[i] : 0;
				if (sum == 0 || !draw_cells(&model, &ask, some))
					continue;
				for (int i = 0; i < CELLS; i++)
				{
					CHECK(p[i] > 0 || some[i] == 0);
					if (p[i] > 0)
						far += ((double) some[i] - 20000 * p[i] / sum) * ((double) some[i] - 20000 * p[i] / sum) / (20000 * p[i] / sum * (1 + 20000 / sum));
				}
				CHECK(far < 60);	/* of three cells at most; what it is compared with was drawn, too */
			}
		arena_free(&memory);
	}
}

static void
test_refused(void)
{
	pegs_dummy	model = made(PEGS_DUMMY_COP);
	bool		some[FIRST] = {true, true, false};
	bool		all[FIRST] = {true, true, true};
	pegs_zero	zero[2] = {{.n = 1, .column = {0}, .level = {some}}, {.n = 1, .column = {0}, .level = {all}}};
	pegs_ask	ask = {.n = 300, .zeros = {1, zero}};
	pegs_dummy_draws *draws;
	uint64_t	seen[CELLS];

	start(3);
	CHECK(pegs_dummy_open(&env, &model, &(pegs_ask) {.n = 1, .given = (int32_t[2]) {-1, 2}}, &draws) == PEGS_ERR_RANGE);
	CHECK(pegs_dummy_open(&env, &model, &(pegs_ask) {.n = 1, .given = (int32_t[2]) {1, 1}}, &draws) == PEGS_ERR_ARGUMENT);
	if (draw_cells(&model, &ask, seen))
		for (int i = 0; i < CELLS; i++)
			CHECK(i / SECOND == 2 || seen[i] == 0);
	/* the model has no such row: any that is possible */
	model.share[0][0] = 1;
	model.share[0][1] = model.share[0][2] = 0;
	if (draw_cells(&model, &ask, seen))
		CHECK(seen[2 * SECOND] > 10 && seen[2 * SECOND + 2] > 10);
	ask.zeros.n = 2;
	CHECK(pegs_dummy_open(&env, &model, &ask, &draws) == PEGS_ERR_NOTHING);
	arena_free(&memory);
}

/* The same rows on every machine, for a model that was exported: these. */
static void
test_same(void)
{
	uint64_t	hash = 0;

	start(4);
	for (int32_t level = -1; level < FIRST; level++)
	{
		pegs_dummy	model = made(PEGS_DUMMY_COP);
		pegs_dummy_draws *draws;
		uint16_t	row[2];

		CHECK(pegs_dummy_open(&env, &model, &(pegs_ask) {.n = 300, .given = (int32_t[2]) {level, -1}}, &draws) == PEGS_OK);
		pegs_dummy_start(draws, &rng);
		for (int i = 0; i < 300; i++)
		{
			CHECK(pegs_dummy_next(draws, row) == PEGS_OK);
			hash = hash * UINT64_C(6364136223846793005) + (uint64_t) (row[0] * SECOND + row[1]) + 1;
		}
	}
	CHECK_INT(hash, INT64_C(170007548553781896));
	arena_free(&memory);
}

int
main(void)
{
	test_law();
	test_refused();
	test_same();
	return unit_done("dummy_draw_test");
}
