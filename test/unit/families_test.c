/*
 * families_test.c
 *	  Every measure of related tables against sums over all pairs of rows; units
 *	  drawn again against tables in which they are there so often.
 */
#include "core/compare/families.h"

#include <math.h>
#include <string.h>

#define STREAM_SALT [5] = 41
#include "fixture.h"
#include "schemas.h"
#include "unit.h"

#define TABLES 5
#define ROOTS 40

static pegs_relations r;
static double got[PEGS_KINSHIPS][TABLES + 1][3];	/* last table: over all; value, resample, how many */
static pegs_farthest far[PEGS_KINSHIPS][TABLES + 1];
static double agreed[TABLES][2][2];

static void
put(void *arg, pegs_kinship kinship, int table, int column, double value, double resample, const pegs_farthest *farthest)
{
	double	   *to = got[kinship][table < 0 ? TABLES : table];

	(void) arg;
	if (column >= 0)
	{
		agreed[table][column][kinship == PEGS_SIBLING_AGREEMENT] = value;
		return;
	}
	to[0] = value;
	to[1] = resample;
	to[2]++;
	far[kinship][table < 0 ? TABLES : table] = *farthest;
}

/* Rows of each table: some of them not declared. */
static pegs_families *
any_families(uint32_t roots, uint32_t most)
{
	pegs_families *f = pegs_families_new(&env, &r);

	for (uint32_t t = 0; t < r.ntables; t++)
		for (uint32_t p = 0; p < (t == 0 ? 1 : f->table[r.table[t].parent].n); p++)
			for (uint32_t n = t == 0 ? roots : (uint32_t) pegs_rng_below(&rng, most + 1); n > 0; n--)
			{
				uint16_t	codes[4] = {0};

				for (uint32_t c = 0; c < r.table[t].ncols; c++)
					codes[c] = (uint16_t) (pegs_rng_below(&rng, 3) == 0 ? p % r.table[t].levels[c] : pegs_rng_below(&rng, r.table[t].levels[c] + 1));
				(void) pegs_families_add(f, t, p, codes);
			}
	pegs_families_end(f);
	return f;
}

/* The same with each unit as often as it is drawn. */
static pegs_families *
drawn_families(const pegs_families *f, const uint32_t *drawn)
{
	pegs_families *to = pegs_families_new(&env, &r);

	for (uint32_t u = 0; u < f->table[0].n; u++)
		for (uint32_t k = 0; k < drawn[u]; k++)
		{
			uint32_t   *at[TABLES];

			for (uint32_t t = 0; t < r.ntables; t++)
			{
				const pegs_family_table *table = &f->table[t];

				at[t] = env.alloc(env.context, sizeof(uint32_t) * (table->n + 1));
				for (uint32_t i = 0; i < table->n; i++)
				{
					uint16_t	codes[4] = {0};
					uint32_t	up = t == 0 ? 0 : at[r.table[t].parent][table->parent[i]];

					if (t == 0 ? i != u : up == 0)
						continue;
					for (uint32_t c = 0; c < r.table[t].ncols; c++)
						codes[c] = table->codes[c][i];
					at[t][i] = 1 + pegs_families_add(to, t, t == 0 ? 0 : up - 1, codes);
				}
			}
		}
	pegs_families_end(to);
	return to;
}

/* A table of counts by loops over pairs of rows. */
static double
naive(const pegs_families *f, pegs_kinship kind, uint32_t t, uint32_t u, uint32_t a, uint32_t b, double cell[64][64])
{
	const pegs_family_table *x = &f->table[t];
	const pegs_family_table *y = &f->table[u];
	double		sum = 0;

	memset(cell, 0, sizeof(double) * 64 * 64);
	for (uint32_t i = 0; i < x->n; i++)
		for (uint32_t j = 0; j < y->n; j++)
		{
			bool		both = kind == PEGS_BRANCH_TV2 || kind == PEGS_SIBLING_TV2 ? x->parent[i] == y->parent[j] && (t != u || i != j) : y->parent[j] == i;
			double		of_x = 0;
			double		of_y = 0;
			double		weight = 1;

			if (!both)
				continue;
			for (uint32_t k = 0; k < x->n; k++)
				of_x += x->parent[k] == x->parent[i];
			for (uint32_t k = 0; k < y->n; k++)
				of_y += y->parent[k] == y->parent[j];
			if (kind == PEGS_BRANCH_TV2)
				weight = 1 / (of_x * of_y);
			if (kind == PEGS_SIBLING_TV2)
				weight = 1 / (of_x * (of_x - 1));
			cell[x->codes[a][i]][y->codes[b][j]] += weight;
			sum += weight;
		}
	return sum;
}

static double
naive_distance(const pegs_families *f, const pegs_families *g, pegs_kinship kind, uint32_t t, uint32_t u, uint32_t a, uint32_t b)
{
	static double one[64][64];
	static double two[64][64];
	double		n = naive(f, kind, t, u, a, b, one);
	double		m = naive(g, kind, t, u, a, b, two);
	double		sum = 0;

	for (int x = 0; x < 64; x++)
		for (int y = 0; y < 64; y++)
			sum += fabs(one[x][y] / n - two[x][y] / m) / 2;
	return sum;
}

static bool
near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static void
test_values(void)
{
	uint32_t	drawn[ROOTS] = {0};
	pegs_families *f;
	pegs_families *g;
	pegs_families *again;
	double		cross[2];
	static double value[PEGS_KINSHIPS][TABLES + 1][3];

	start(1);
	r = two_levels();
	f = any_families(ROOTS, 4);
	g = any_families(30, 3);
	for (int i = 0; i < ROOTS; i++)
		drawn[pegs_rng_below(&rng, ROOTS)]++;
	memset(got, 0, sizeof(got));
	pegs_compare_families(f, g, drawn, put, NULL);
	CHECK(near(got[PEGS_CROSS_TV2][3][0], (naive_distance(f, g, PEGS_CROSS_TV2, 0, 3, 0, 0) + naive_distance(f, g, PEGS_CROSS_TV2, 0, 3, 1, 0)) / 2));
	for (int i = 0; i < 2; i++)
		cross[i] = naive_distance(f, g, PEGS_CROSS_TV2, 0, 3, i, 0);
	CHECK(near(far[PEGS_CROSS_TV2][3].value, fmax(cross[0], cross[1])) && far[PEGS_CROSS_TV2][3].table[0] == 0 && far[PEGS_CROSS_TV2][3].column[0] == (cross[1] > cross[0]));
	CHECK(far[PEGS_CROSS_TV2][3].table[1] == 3 && far[PEGS_CROSS_TV2][3].column[1] == 0 && far[PEGS_CHILDREN_TV][3].column[0] == -1 && far[PEGS_CHILDREN_TV][3].table[1] == -1);
	CHECK(far[PEGS_BRANCH_TV2][1].table[0] == 1 && far[PEGS_BRANCH_TV2][1].table[1] == 3 && far[PEGS_BRANCH_TV2][3].table[0] == 1 && far[PEGS_SIBLING_TV2][1].table[1] == -1);
	for (int k = 0; k <= PEGS_SIBLING_TV2; k++)
		for (int t = 0; t <= TABLES; t++)
			CHECK(got[k][t][2] == 0 || far[k][t].value > got[k][t][0] - 1e-9);
	CHECK(far[PEGS_ROWS_ORIGINAL][0].table[0] == -1 && far[PEGS_SIBLING_AGREEMENT][1].table[0] == -1);
	CHECK(near(got[PEGS_BELOW_TV2][4][0], (naive_distance(f, g, PEGS_BELOW_TV2, 3, 4, 0, 0) + naive_distance(f, g, PEGS_BELOW_TV2, 3, 4, 0, 1)) / 2));
	CHECK(near(got[PEGS_BRANCH_TV2][1][0], (naive_distance(f, g, PEGS_BRANCH_TV2, 1, 3, 0, 0) + naive_distance(f, g, PEGS_BRANCH_TV2, 1, 3, 1, 0)) / 2));
	CHECK(near(got[PEGS_SIBLING_TV2][2][0], naive_distance(f, g, PEGS_SIBLING_TV2, 2, 2, 0, 0)));
	CHECK(near(got[PEGS_SIBLING_TV2][1][0], (naive_distance(f, g, PEGS_SIBLING_TV2, 1, 1, 0, 0) + naive_distance(f, g, PEGS_SIBLING_TV2, 1, 1, 1, 1)) / 2));
	CHECK(near(got[PEGS_SIBLING_AGREEMENT][1][0], (agreed[1][0][1] + agreed[1][1][1]) / 2) && near(got[PEGS_SIBLING_AGREEMENT_REAL][1][0], (agreed[1][0][0] + agreed[1][1][0]) / 2));
	CHECK(got[PEGS_ROWS_ORIGINAL][0][0] == ROOTS && got[PEGS_ROWS_ORIGINAL][0][1] == ROOTS && got[PEGS_ROWS_SYNTHETIC][2][0] == g->table[2].n);
	/* one at most has no siblings; the root no parent */
	CHECK(got[PEGS_SIBLING_TV2][3][2] == 0 && got[PEGS_CHILDREN_TV][0][2] == 0 && got[PEGS_BELOW_TV2][1][2] == 0 && got[PEGS_CROSS_TV2][2][2] == 0);

	/* what is drawn again, as a table */
	memcpy(value, got, sizeof(got));
	memset(got, 0, sizeof(got));
	again = drawn_families(f, drawn);
	pegs_compare_families(f, again, drawn, put, NULL);
	for (int k = 0; k < PEGS_KINSHIPS; k++)
		for (int t = 0; t <= TABLES; t++)
			CHECK(got[k][t][2] == value[k][t][2] && near(got[k][t][1], value[k][t][1]) && (k == PEGS_ROWS_ORIGINAL || k == PEGS_SIBLING_AGREEMENT_REAL || near(got[k][t][0], got[k][t][1])));
	arena_free(&memory);
}

/* The same rows in any order are at no distance, and no rows at 1. */
static void
test_ends(void)
{
	uint32_t	none[1] = {0};
	uint32_t	each[ROOTS];
	pegs_families *f;
	pegs_families *empty;

	start(2);
	r = two_levels();
	f = any_families(ROOTS, 4);
	empty = any_families(0, 4);
	for (int i = 0; i < ROOTS; i++)
		each[i] = 1;
	pegs_compare_families(f, f, each, put, NULL);
	for (int k = 0; k <= PEGS_SIBLING_TV2; k++)
		CHECK(got[k][TABLES][0] == 0 && got[k][TABLES][1] == 0);
	pegs_compare_families(f, empty, each, put, NULL);
	CHECK(got[PEGS_TV1][TABLES][0] == 1 && got[PEGS_CHILDREN_TV][TABLES][0] == 1 && got[PEGS_SIBLING_TV2][1][0] == 1 && got[PEGS_TV1][TABLES][1] == 0);
	pegs_compare_families(empty, empty, none, put, NULL);
	CHECK(got[PEGS_TV2][TABLES][0] == 0 && got[PEGS_BRANCH_TV2][TABLES][0] == 0 && isnan(got[PEGS_SIBLING_AGREEMENT][TABLES][0]));
	arena_free(&memory);
}

int
main(void)
{
	test_values();
	test_ends();
	return unit_done("families_test");
}
