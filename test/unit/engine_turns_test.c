/*
 * engine_turns_test.c
 *	  Does a fit ask often enough whether to stop, however many pairs there are?
 *
 * No clock: the Makefile compiles the engine, the accountant and the noise so
 * that each branch calls __sanitizer_cov_trace_pc, which counts. What is looked
 * at is the most branches between two questions. At 1,600 columns there are
 * five million candidates; a loop over all of them is 178 times as long there as
 * here, and one loop that does not ask is more than MOST here already.
 */
#include "core/graph/engine.h"
#include "core/kept.h"
#include "core/noise.h"

#define STREAM_SALT [5] = 17
#include "fixture.h"
#include "unit.h"

#define COLUMNS 120
#define ROWS 400
#define MOST 15000
#define WIDE 700				/* levels of each of two columns */
#define MOST_OF_CELLS 1500000	/* a thousand draws of noise, or three branches for each cell */

extern void __sanitizer_cov_trace_pc(void);

static size_t branches;
static size_t most;

void
__sanitizer_cov_trace_pc(void)
{
	branches++;
}

static void
asked(void *context)
{
	if (branches > most)
		most = branches;
	branches = 0;
	arena_check(context);
}

static void
begin(uint8_t number)
{
	start(number);
	env = arena_env_freeing(&memory);
	env.check = asked;
	branches = most = 0;
}

static void
end(const char *what, size_t at_most)
{
	asked(&memory);
	if (!CHECK(most > 0 && most < at_most))
		printf("%s: %zu branches between two questions\n", what, most);
	arena_free(&memory);
}

/* The mechanism tries one after the other until one is taken: as often as there are candidates, if one is far better. */
static void
test_choice(void)
{
	const size_t n = 30000;
	int64_t    *score;
	pegs_accountant accountant;

	for (int known = 0; known < 2; known++)
	{
		begin((uint8_t) (1 + known));
		score = env.alloc(env.context, sizeof(int64_t) * n);
		score[n / 2] = known ? 1000000 : 0;
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
		accountant.env = &env;
		branches = 0;
		CHECK(pegs_choose(&accountant, &rng, 0.5, score, n) == n / 2 || !known);
		end("a choice", MOST);
	}
}

/* Of many columns, a fit with pairs counted at once, or later. */
static void
test_fit(bool later)
{
	uint32_t	levels[COLUMNS];
	uint16_t   *codes[COLUMNS];
	pegs_layout layout;
	pegs_accountant accountant;
	pegs_fitted model;
	uint64_t   *cells;
	pegs_kept  *kept;

	begin((uint8_t) (10 + later));
	for (uint32_t i = 0; i < COLUMNS; i++)
	{
		levels[i] = 2;
		codes[i] = env.alloc(env.context, sizeof(uint16_t) * PEGS_CHUNK);
		for (uint32_t r = 0; r < ROWS; r++)
			codes[i][r] = (uint16_t) (i % 3 > 0 && r % 8 > 0 ? codes[i - 1][r] : pegs_rng_below(&rng, 2));
	}
	if (later)
		CHECK(pegs_layout_later(&env, COLUMNS, levels, &layout) == PEGS_OK);
	else
		CHECK(pegs_layout_pairs(&env, COLUMNS, levels, &layout, NULL) == PEGS_OK);
	cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
	layout.kept = kept = pegs_kept_new(&env, COLUMNS, levels);
	pegs_count_weighted(NULL, &layout, cells, codes, NULL, ROWS);
	pegs_kept_add(kept, codes, NULL, ROWS);
	pegs_accountant_init(&accountant, 20 * PEGS_EPSILON_UNIT, (int64_t) (1e-9 * (double) PEGS_DELTA_UNIT), 1);
	branches = most = 0;
	pegs_engine_fit(&env, &rng, &accountant, &layout, cells, &model);
	CHECK(model.npairs >= COLUMNS / 2);
	end(later ? "a fit with pairs counted later" : "a fit", MOST);
}

/* One pair of many cells, which is measured whatever it says. */
static void
test_cells(void)
{
	uint32_t	levels[2] = {WIDE, WIDE};
	pegs_layout layout;
	pegs_accountant accountant;
	pegs_fitted model;
	uint64_t   *cells;

	begin(20);
	CHECK(pegs_layout_pairs(&env, 2, levels, &layout, NULL) == PEGS_OK);
	cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
	for (uint64_t i = 0; i < layout.ncells; i++)
		cells[i] = i < layout.pair_offset[1] ? WIDE : 1;
	pegs_accountant_init(&accountant, 100 * PEGS_EPSILON_UNIT, (int64_t) (1e-9 * (double) PEGS_DELTA_UNIT), 1);
	branches = most = 0;
	pegs_engine_fit(&env, &rng, &accountant, &layout, cells, &model);
	CHECK(model.npairs == 1 && model.pair[0].k[0] == WIDE && model.pair[0].k[1] == WIDE);
	end("a fit of many cells", MOST_OF_CELLS);
}

int
main(void)
{
	test_choice();
	test_cells();
	test_fit(false);
	test_fit(true);
	return unit_done("engine_turns_test");
}
