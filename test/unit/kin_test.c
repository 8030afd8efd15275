/*
 * kin_test.c
 *	  Weights of rows and of pairs of siblings, against sums over all pairs; and
 *	  rows that are adjusted: closer to what was measured, large families not
 *	  moved for small ones.
 */
#include "core/schema/kin.h"

#include <string.h>

#define STREAM_SALT [5] = 40
#include "fixture.h"
#include "schemas.h"
#include "unit.h"

#define PARENTS 600

/* A root of no column, children of one column of two levels and one of three. */
static pegs_relations
families(void)
{
	return made(2, (pegs_relation[]) {
		{.parent = -1},
		{.parent = 0, .ncols = 2, .levels = (uint32_t[]) {2, 3}, .nclasses = 5, .first = (uint32_t[]) {0, 1, 2, 3, 10}, .most = 30}});
}

/* Any rows: of ten parents one has 30, one none, the others 1 to 4. */
static pegs_kin *
any_rows(const pegs_relations *r)
{
	pegs_kin   *kin = env.alloc(env.context, sizeof(pegs_kin) * 2);
	uint32_t	at = 0;

	for (int t = 0; t < 2; t++)
		kin[t].codes = env.alloc(env.context, sizeof(uint16_t *) * r->ncols);
	kin[0].n = PARENTS;
	kin[1].number = env.alloc(env.context, sizeof(uint32_t) * PARENTS);
	for (uint32_t p = 0; p < PARENTS; p++)
		kin[1].n += kin[1].number[p] = p % 10 == 0 ? 30 : p % 10 == 1 ? 0 : 1 + (uint32_t) pegs_rng_below(&rng, 4);
	kin[1].rank = 1;
	kin[1].parent = env.alloc(env.context, sizeof(uint32_t) * kin[1].n);
	for (uint32_t i = 0; i < r->ncols; i++)
	{
		kin[0].codes[i] = env.alloc(env.context, sizeof(uint16_t) * PARENTS);
		kin[1].codes[i] = env.alloc(env.context, sizeof(uint16_t) * kin[1].n);
	}
	for (uint32_t p = 0; p < PARENTS; p++)
	{
		kin[0].codes[0][p] = (uint16_t) pegs_class_of_number(&r->table[1], kin[1].number[p]);
		for (uint32_t c = 0; c < kin[1].number[p]; c++, at++)
		{
			kin[1].parent[at] = p;
			kin[1].codes[0][at] = kin[0].codes[0][p];
			kin[1].codes[1][at] = (uint16_t) pegs_rng_below(&rng, 2);
			kin[1].codes[2][at] = (uint16_t) pegs_rng_below(&rng, 3);
		}
	}
	return kin;
}

static uint16_t *
each_level(uint32_t levels)
{
	uint16_t   *class_of = env.alloc(env.context, sizeof(uint16_t) * levels);

	for (uint32_t l = 0; l < levels; l++)
		class_of[l] = (uint16_t) l;
	return class_of;
}

static void
test_weights(void)
{
	pegs_relations r = families();
	pegs_kin   *kin;
	double	   *weight;
	double		sum = 0;
	double		parents = 0;

	start(1);
	kin = any_rows(&r);
	weight = pegs_kin_weights(&env, &r, kin, 1);
	for (uint32_t i = 0; i < kin[1].n; i++)
		sum += weight[i];
	CHECK_NEAR(sum, PARENTS * 0.9, 1e-9);	/* one for each parent that has any */
	for (uint32_t a = 1; a < 3; a++)
		for (uint32_t b = a; b < 3; b++)
		{
			uint16_t   *class_of[2] = {each_level(r.levels[a]), each_level(r.levels[b])};
			uint32_t	k[2] = {r.levels[a], r.levels[b]};
			double		table[16] = {0};
			double		all;

			all = pegs_sibling_table(&env, &r, kin, a, b, k, class_of, table);
			parents = 0;
			for (uint32_t i = 0; i < kin[1].n; i++)
				for (uint32_t j = 0; j < kin[1].n; j++)
					if (i != j && kin[1].parent[i] == kin[1].parent[j])
					{
						double		n = kin[1].number[kin[1].parent[i]];

						table[kin[1].codes[a][i] * k[1] + kin[1].codes[b][j]] -= 1 / (n * (n - 1));
						parents += 1 / (n * (n - 1));
					}
			CHECK_NEAR(all, parents, 1e-9);
			for (uint32_t c = 0; c < k[0] * k[1]; c++)
				CHECK(fabs(table[c]) < 1e-9);
		}
	arena_free(&memory);
}

/* The model of rows that any_rows makes, and that siblings never agree in the column of three. */
static pegs_fitted
known_model(const pegs_relations *r, bool siblings)
{
	pegs_fitted f = {.ncols = r->ncols, .levels = r->levels, .rank = r->rank, .rows = PARENTS};

	f.share = env.alloc(env.context, sizeof(double *) * r->ncols);
	for (uint32_t i = 0; i < r->ncols; i++)
	{
		f.share[i] = env.alloc(env.context, sizeof(double) * r->levels[i]);
		for (uint32_t l = 0; l + 1 < r->levels[i]; l++)
			f.share[i][l] = 0.9 / (r->levels[i] - 1);
		f.share[i][r->levels[i] - 1] = 0.1;
	}
	if (siblings)
	{
		f.nsiblings = 1;
		f.sibling = env.alloc(env.context, sizeof(pegs_pair));
		*f.sibling = (pegs_pair) {.column = {2, 2}, .n = 1, .k = {4, 4}, .class_of = {each_level(4), each_level(4)}, .variance = 1};
		f.sibling->share = env.alloc(env.context, sizeof(double) * 16);
		for (uint32_t x = 0; x < 3; x++)
			for (uint32_t y = 0; y < 3; y++)
				f.sibling->share[x * 4 + y] = x != y ? 1.0 / 6 : 0;
	}
	return f;
}

/* How often two siblings agree, as parents weigh, of parents with at most `most`. */
static double
agreement(const pegs_kin *kin, uint32_t column, uint32_t most)
{
	double		agree = 0;
	double		all = 0;
	uint32_t	at = 0;

	for (uint32_t p = 0; p < PARENTS; at += kin[1].number[p++])
		for (uint32_t i = 0; kin[1].number[p] > 1 && kin[1].number[p] <= most && i < kin[1].number[p]; i++)
			for (uint32_t j = 0; j < i; j++)
			{
				double		n = kin[1].number[p];

				all += 2 / (n * (n - 1));
				agree += kin[1].codes[column][at + i] == kin[1].codes[column][at + j] ? 2 / (n * (n - 1)) : 0;
			}
	return agree / all;
}

static void
test_siblings(void)
{
	pegs_relations r = families();
	double		before[5][4] = {{0}};
	double		off = 0;
	double		large = 0;
	pegs_kin   *kin;
	pegs_fitted model;

	start(2);
	kin = any_rows(&r);
	for (uint32_t i = 0; i < kin[1].n; i++)
		before[kin[1].codes[0][i]][kin[1].codes[2][i]]++;
	CHECK(agreement(kin, 2, 30) > 0.28);
	model = known_model(&r, true);
	pegs_adjust_kin(&env, &r, &model, &rng, kin, 1, false);
	CHECK(agreement(kin, 2, 2) < 0.02);
	CHECK(agreement(kin, 2, 30) < 0.12);	/* of thirty rows some must agree */
	CHECK(fabs(agreement(kin, 1, 30) - 0.5) < 0.05);	/* nobody spoke of this one */
	for (uint32_t i = 0; i < kin[1].n; i++)
	{
		before[kin[1].codes[0][i]][kin[1].codes[2][i]]--;
		CHECK(kin[1].codes[2][i] < 3 && kin[1].codes[1][i] < 2);
	}
	for (uint32_t k = 0; k < 5; k++)
		for (uint32_t l = 0; l < 3; l++)
		{
			off += fabs(before[k][l]) / 2;
			large += k == 4 ? fabs(before[k][l]) / 2 : 0;
		}
	CHECK(off < 0.06 * kin[1].n);
	CHECK(large < 0.05 * 30 * PARENTS / 10);	/* anchors: families of thirty keep what they have */
	arena_free(&memory);
}

/* A measured pair of a root's column... of the count and a column: rows come to have it, by their weights. */
static void
test_pairs(void)
{
	pegs_relations r = families();
	pegs_kin   *kin;
	pegs_fitted model;
	double		share[20] = {0};
	double		off[20] = {0};
	double		sum = 0;
	double	   *weight;

	start(3);
	kin = any_rows(&r);
	model = known_model(&r, false);
	for (uint32_t k = 1; k < 5; k++)
	{
		share[k * 4] = 0.1125;
		share[k * 4 + 1] = 0.1125;
	}
	share[3] = 0.1;				/* column 2 never has its third level here */
	model.npairs = 1;
	model.pair = env.alloc(env.context, sizeof(pegs_pair));
	*model.pair = (pegs_pair) {.column = {0, 2}, .n = 1, .k = {5, 4}, .class_of = {each_level(5), each_level(4)}, .variance = 0.1, .share = share};
	model.share[2][0] = model.share[2][1] = 0.45;
	model.share[2][2] = 0;
	weight = pegs_kin_weights(&env, &r, kin, 1);
	pegs_adjust_kin(&env, &r, &model, &rng, kin, 1, false);
	for (uint32_t i = 0; i < kin[1].n; i++)
		off[kin[1].codes[0][i] * 4 + kin[1].codes[2][i]] += weight[i];
	for (uint32_t k = 1; k < 5; k++)
		sum += off[k * 4 + 2];
	CHECK(sum < 0.25 * PARENTS * 0.9);	/* it was a third: an anchor pulls the other way */
	CHECK(fabs(off[4] - off[5]) < 0.1 * (off[4] + off[5]));
	arena_free(&memory);
}

/* Where the column alone says something else, an anchor pulls as strongly the other way: half of it is done, in large families too. */
static void
test_anchor(void)
{
	pegs_relations r = families();
	double		level[2] = {0};
	pegs_kin   *kin;
	pegs_fitted model;
	double	   *weight;
	double		sum = 0;

	start(4);
	kin = any_rows(&r);
	model = known_model(&r, false);
	model.share[1][0] = 0.9 * 0.7;
	model.share[1][1] = 0.9 * 0.3;
	weight = pegs_kin_weights(&env, &r, kin, 1);
	for (uint32_t i = 0; i < kin[1].n; i++)
		sum += weight[i];
	pegs_adjust_kin(&env, &r, &model, &rng, kin, 1, false);
	for (uint32_t i = 0; i < kin[1].n; i++)
		level[kin[1].codes[1][i]] += weight[i];
	CHECK(level[0] / sum > 0.55 && level[0] / sum < 0.68);
	arena_free(&memory);
}

int
main(void)
{
	test_weights();
	test_siblings();
	test_pairs();
	test_anchor();
	return unit_done("kin_test");
}
