/*
 * engine_target_test.c
 *	  What a target does to the choices of whole fits: more pairs with it are
 *	  measured, and those of the others go on.
 *
 * The keys are fixed, and so are the numbers of pairs: none of it is by chance.
 * That scores keep their sensitivity: pairs_test.c, witness_test.c.
 */
#include "core/graph/engine.h"

#include "fixture.h"
#include "unit.h"

#define COLUMNS 10
#define LEVELS 8
#define ROWS 4000
#define FITS 60

/* Pairs of all fits. */
typedef struct seen
{
	uint32_t	with;			/* that have the target */
	uint32_t	besides;
} seen;

static pegs_layout layout;
static uint64_t *cells;

/* Every column goes with the one before it, strongly; the last one with all, weakly. */
static void
count_rows(void)
{
	static const uint32_t levels[COLUMNS] = {LEVELS, LEVELS, LEVELS, LEVELS, LEVELS, LEVELS, LEVELS, LEVELS, LEVELS, 2};
	uint16_t	code[COLUMNS];
	uint16_t   *at[COLUMNS];

	start(1);
	CHECK(pegs_layout_pairs(&env, COLUMNS, levels, &layout, NULL) == PEGS_OK);
	cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
	for (uint32_t i = 0; i < COLUMNS; i++)
		at[i] = &code[i];
	for (uint32_t r = 0; r < ROWS; r++)
	{
		uint32_t	sum = 0;

		for (uint32_t i = 0; i < COLUMNS - 1; i++)
		{
			code[i] = (uint16_t) (i > 0 && pegs_rng_below(&rng, 3) > 0 ? code[i - 1] : pegs_rng_below(&rng, LEVELS));
			sum += code[i];
		}
		code[COLUMNS - 1] = sum + pegs_rng_below(&rng, 40) > 52;
		pegs_count_chunk(&layout, cells, at, 1);
	}
}

static seen
fits(int64_t delta, const bool *target)
{
	seen		s = {0};

	layout.target = target;
	for (uint8_t i = 0; i < FITS; i++)
	{
		pegs_accountant accountant;
		pegs_fitted model;

		start((uint8_t) (100 + i));
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, delta, 1);
		pegs_engine_fit(&env, &rng, &accountant, &layout, cells, &model);
		for (uint32_t p = 0; p < model.npairs; p++)
		{
			bool		with = model.pair[p].column[1] == COLUMNS - 1;

			s.with += with;
			s.besides += !with;
		}
	}
	return s;
}

static void
test_choices(int64_t delta)
{
	static const bool last[COLUMNS] = {[COLUMNS - 1] = true};
	seen		plain;
	seen		aimed;

	count_rows();
	plain = fits(delta, NULL);
	aimed = fits(delta, last);
	CHECK(aimed.with > plain.with * 4 / 3);
	/* choosing nothing is not worth more than before */
	if (!CHECK(aimed.besides >= plain.besides))
		printf("  pairs with the target %u, before %u; others %u, before %u\n", aimed.with, plain.with, aimed.besides, plain.besides);
	arena_free(&memory);
}

int
main(void)
{
	test_choices(PEGS_DELTA_UNIT / 1000000000);
	test_choices(0);
	return unit_done("engine_target_test");
}
