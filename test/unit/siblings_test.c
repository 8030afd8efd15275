/*
 * siblings_test.c
 *	  The right pairs of siblings are chosen and measured, others are not, and no
 *	  more is spent than was given (claim P37).
 */
#include "core/graph/state.h"
#include "core/schema/siblings.h"

#include <string.h>

#define STREAM_SALT [5] = 41
#include "fixture.h"
#include "grouped.h"
#include "schemas.h"
#include "schema_world.h"
#include "unit.h"

static const uint8_t key[PEGS_KEY_BYTES] = {7};	/* of the rows that are looked at */

static void
test_part(void)
{
	pegs_accountant accountant;
	double		sd;

	pegs_accountant_init(&accountant, INT64_C(1000000000), INT64_C(1000000000), PEGS_PATHS);
	sd = pegs_noise_sd(&accountant, (double) accountant.total * 0x1p-50);
	CHECK(pegs_siblings_part(&accountant, 399 * sd) == 0.10);
	CHECK(pegs_siblings_part(&accountant, 401 * sd) == 0.20);
	CHECK(pegs_siblings_part(&accountant, 201 * sd) == 0.10);
	CHECK(pegs_siblings_part(&accountant, 199 * sd) == 0);
}

static void
test_world(void)
{
	pegs_relations r = world_relations();
	pegs_tally	tally;
	pegs_accountant accountant;
	pegs_fitted model;
	pegs_fitted again;
	double		agree = 0;
	double		sum = 0;
	bool		kinds = false;
	pegs_rng	before;

	start(1);
	before = rng;
	tally = world_tally(&r, 3000);
	pegs_accountant_init(&accountant, INT64_C(3000000000), INT64_C(1000000000), PEGS_PATHS);
	accountant.rows_each = PEGS_PATHS;
	pegs_schema_fit(&env, &rng, &accountant, &r, &tally, true, &model);
	CHECK(model.accountant.spent <= model.accountant.total && model.accountant.total == accountant.total);
	CHECK(model.nsiblings >= 1 && model.nsiblings <= 2);
	for (uint32_t s = 0; s < model.nsiblings; s++)
	{
		const pegs_pair *pair = &model.sibling[s];
		bool		same = pair->column[0] == 3 && pair->column[1] == 3;

		CHECK(r.column[pair->column[0]].table == 1 && r.column[pair->column[1]].table == 1 && pair->column[0] <= pair->column[1]);
		kinds |= same;
		sum = 0;
		for (uint32_t x = 0; x < pair->k[0]; x++)
			for (uint32_t y = 0; y < pair->k[1]; y++)
			{
				double		share = pair->share[x * pair->k[1] + y];

				sum += share;
				agree += same && x == y ? share : 0;
				CHECK(x + 1 < pair->k[0] && y + 1 < pair->k[1] ? share >= 0 : share == 0);	/* absent: never */
				CHECK(!same || fabs(share - pair->share[y * pair->k[1] + x]) < 1e-3);
			}
		CHECK_NEAR(sum, 1, 1e-9);
		CHECK(pair->variance > 0 && pair->variance < 1e6);
	}
	/* kind i and kind i + 1: the first column of a child, which is column 3 */
	CHECK(kinds);
	if (!CHECK(agree < 0.05))	/* of independent siblings: 0.25 */
		printf("  siblings that agree: %g\n", agree);

	/* what is given, and no more; none of nothing */
	model.nsiblings = 0;		/* its rows know nothing of siblings */
	again = model;
	again.accountant = accountant;
	CHECK(pegs_siblings_fit(&env, &rng, key, &again.accountant, 0, &tally, &model, &again.nsiblings) != NULL);
	CHECK_INT(again.nsiblings, 0);
	CHECK_INT(again.accountant.spent, 0);
	(void) pegs_siblings_fit(&env, &rng, key, &again.accountant, 0.1 * (double) accountant.total * 0x1p-50, &tally, &model, &again.nsiblings);
	CHECK(again.nsiblings >= 1);
	/* rows that are made in between have a key of their own: the looks go on where they were */
	CHECK(memcmp(before.key, rng.key, sizeof(rng.key)) == 0 && memcmp(before.nonce, rng.nonce, sizeof(rng.nonce)) == 0);
	CHECK(rng.counter >= before.counter);
	CHECK((double) again.accountant.spent <= 0.1 * (double) accountant.total + 100);
	arena_free(&memory);
}

/*
 * The noise is that of one root, though a root has PEGS_PATHS pairs in each
 * table, and the exact counts are those of roots of two children or more.
 */
static void
test_noise(void)
{
	pegs_relations r = world_relations();
	pegs_tally	tally;
	pegs_accountant accountant;
	pegs_fitted model;
	double		rho;

	start(2);
	tally = world_tally(&r, 3000);
	pegs_accountant_init(&accountant, INT64_C(3000000000), INT64_C(1000000000), PEGS_PATHS);
	accountant.rows_each = PEGS_PATHS;
	pegs_schema_fit(&env, &rng, &accountant, &r, &tally, true, &model);
	CHECK(model.nsiblings >= 1);
	/* two columns: half of a fifth each, less what the choice costs */
	rho = (double) accountant.total * 0x1p-50 * 0.20 / 2 * (1 - 0.12);
	CHECK_NEAR(model.sibling[0].variance, 1 / (2 * rho), 0.01);
	arena_free(&memory);
}

/* Two children of each root; siblings are alike in their second column, or in nothing. */
static pegs_tally
tally_of_two(const pegs_relations *r, uint32_t units, bool alike)
{
	pegs_paths *paths = pegs_paths_new(&env, r);
	pegs_tally	tally;
	double		cells;

	CHECK_INT(pegs_tally_init(&env, r, &tally, &cells), PEGS_OK);
	for (uint32_t i = 0; i < units; i++)
	{
		unit		u = {0};
		uint16_t	size = (uint16_t) pegs_rng_below(&rng, 3);

		(void) put_row(&u, 0, 0, i, (uint16_t[]) {(uint16_t) pegs_rng_below(&rng, 3), 0}, 2);
		for (int k = 0; k < 2; k++)
			(void) put_row(&u, 1, 0, pegs_rng_u64(&rng), (uint16_t[]) {(uint16_t) pegs_rng_below(&rng, 4), alike ? size : (uint16_t) pegs_rng_below(&rng, 3)}, 2);
		feed(paths, r, &u, false);
		pegs_tally_unit(&tally, paths);
	}
	pegs_tally_end(&tally);
	return tally;
}

/*
 * What is chosen is what has most to say, and nothing where nothing has more
 * than noise; by chance where the budget is small; and each choice is paid for, that of
 * nothing, too. Three pairs of columns, of which (3, 3) is the first.
 */
static void
test_choice(void)
{
	pegs_relations r = world_relations();

	start(4);
	for (int alike = 0; alike < 2; alike++)
	{
		pegs_tally	tally = tally_of_two(&r, 3000, alike > 0);
		pegs_accountant accountant;
		pegs_fitted model;
		double		rho;
		uint32_t	first[16] = {0};

		pegs_accountant_init(&accountant, INT64_C(3000000000), INT64_C(1000000000), PEGS_PATHS);
		accountant.rows_each = PEGS_PATHS;
		rho = (double) accountant.total * 0x1p-50;
		pegs_schema_fit(&env, &rng, &accountant, &r, &tally, false, &model);
		for (int turn = 0; turn < 120; turn++)
		{
			pegs_accountant own = accountant;
			double		budget = rho * (turn < 20 ? 0.1 : 1e-5);
			uint32_t	n;
			pegs_pair  *pair = pegs_siblings_fit(&env, &rng, key, &own, budget, &tally, &model, &n);
			double		spent = n * budget / 2 + (n < 2 ? PEGS_CHOICE_SHARE * budget / 2 : 0);

			CHECK(fabs((double) own.spent * 0x1p-50 - spent) < 1e-3 * spent);
			if (turn >= 20)
				first[n == 0 ? 0 : pair[0].column[0] + pair[0].column[1]]++;
			else if (alike > 0)
				CHECK(n > 0 && pair[0].column[0] == 4 && pair[0].column[1] == 4);
		}
		if (!CHECK(alike > 0 ? first[0] > 10 && first[8] > 10 : first[0] > 50))
			printf("  %d: none %u, (4, 4) %u\n", alike, first[0], first[8]);
	}
	arena_free(&memory);
}

/* Classes of siblings are of the layout's groups, as those of path rows are. Two children of each root, of one block of four groups. */
static void
test_groups(void)
{
	uint32_t	mixed = 0;
	uint32_t	pairs[2] = {0};

	for (int turn = 0; turn < 20; turn++)
	{
		pegs_relations r = made(2, (pegs_relation[]) {
			{.parent = -1, .ncols = 1, .levels = (uint32_t[]) {2}},
			{.parent = 0, .ncols = 1, .levels = (uint32_t[]) {60}, .nclasses = 3, .first = (uint32_t[]) {0, 1, 2}, .most = 2}});
		pegs_paths *paths = pegs_paths_new(&env, &r);
		uint16_t	group[61];
		const uint16_t *groups[3] = {NULL, NULL, group};
		pegs_tally	tally;
		pegs_accountant accountant;
		pegs_fitted model;
		pegs_pair  *pair;
		uint32_t	n;
		double		cells;

		start((uint8_t) (10 + turn / 2));
		for (uint32_t l = 0; l <= 60; l++)	/* absent is one of its own */
			group[l] = (uint16_t) (l / 4);
		CHECK_INT(pegs_tally_init(&env, &r, &tally, &cells), PEGS_OK);
		tally.layout.groups = turn % 2 == 0 ? groups : NULL;
		for (uint32_t i = 0; i < 1500; i++)
		{
			uint32_t	block = (uint32_t) pegs_rng_below(&rng, 4);

			pegs_paths_begin(paths, (uint16_t[]) {(uint16_t) (block % 2)}, i);
			for (int k = 0; k < 2; k++)
				(void) pegs_paths_add(paths, 1, 0, (uint16_t[]) {(uint16_t) (16 * block + pegs_rng_below(&rng, block == 3 ? 12 : 16))}, pegs_rng_u64(&rng));
			pegs_tally_unit(&tally, paths);
		}
		pegs_tally_end(&tally);
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, PEGS_DELTA_UNIT / 1000000, PEGS_PATHS);
		accountant.rows_each = PEGS_PATHS;
		pegs_schema_fit(&env, &rng, &accountant, &r, &tally, false, &model);
		for (uint32_t p = 0; p < model.npairs; p++)
			for (int side = 0; side < 2; side++)
				if (model.pair[p].column[side] == 2)
					CHECK(tally.layout.groups == NULL || groups_are_whole(model.pair[p].class_of[side], group, 61));
		pair = pegs_siblings_fit(&env, &rng, key, &accountant, 0.2 * (double) accountant.total * 0x1p-50, &tally, &model, &n);
		pairs[turn % 2] += n;
		for (uint32_t s = 0; s < n; s++)
			for (int side = 0; side < 2; side++)
			{
				bool		whole = groups_are_whole(pair[s].class_of[side], group, 60);

				CHECK(tally.layout.groups == NULL || whole);
				mixed += !whole;
			}
		arena_free(&memory);
	}
	CHECK(pairs[0] > 0 && pairs[1] > 0 && mixed > 0);	/* without groups it is otherwise */
}

int
main(void)
{
	test_part();
	test_world();
	test_noise();
	test_choice();
	test_groups();
	return unit_done("siblings_test");
}
