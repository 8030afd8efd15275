/*
 * ranked_test.c
 *	  Columns of low ranks are known: do the others have the tree's distribution
 *	  given them (claim P36)? Exactly, against all cells of tiny trees; and
 *	  batches of rows, against the tree's tables.
 */
#include "core/graph/draw.h"

#include <string.h>

#define STREAM_SALT [5] = 38
#include "fixture.h"
#include "unit.h"

#define COLUMNS 6

static uint32_t classes[COLUMNS];
static uint32_t rank[COLUMNS];
static double joint[4096];
static size_t cells;

static void
row_of(size_t cell, uint16_t *row)
{
	for (uint32_t i = COLUMNS; i-- > 0; cell /= classes[i])
		row[i] = (uint16_t) (cell % classes[i]);
}

/* A tree of any graph by these ranks, whose tables are those of any weights of its cliques; some are impossible. */
static pegs_fitted
any_tree(uint32_t edges)
{
	pegs_fitted f = {.ncols = COLUMNS, .levels = classes, .rank = rank, .smooth = true, .rows = 1000};
	double	   *one[COLUMNS];
	double		total = 0;
	pegs_graph	graph;
	uint16_t	row[COLUMNS];

	pegs_graph_init(&env, &graph, COLUMNS);
	graph.rank = rank;
	for (uint32_t e = 0; e < edges; e++)
	{
		uint32_t	a = (uint32_t) pegs_rng_below(&rng, COLUMNS);
		uint32_t	b = (uint32_t) pegs_rng_below(&rng, COLUMNS);

		if (a != b)
			pegs_graph_join(&graph, a, b);
	}
	f.share = env.alloc(env.context, sizeof(double *) * COLUMNS);
	f.class_of = env.alloc(env.context, sizeof(uint16_t *) * COLUMNS);
	cells = 1;
	for (uint32_t i = 0; i < COLUMNS; i++)
	{
		cells *= classes[i];
		one[i] = f.share[i] = env.alloc(env.context, sizeof(double) * classes[i]);
		f.class_of[i] = env.alloc(env.context, sizeof(uint16_t) * classes[i]);
		for (uint32_t l = 0; l < classes[i]; l++)
		{
			one[i][l] = 1.0 / classes[i];
			f.class_of[i][l] = (uint16_t) l;
		}
	}
	pegs_jtree_build(&env, &f.tree, &graph, classes, one);
	for (size_t c = 0; c < cells; c++)
		joint[c] = 1;
	for (uint32_t q = 0; q < f.tree.nclique; q++)
	{
		pegs_clique *clique = &f.tree.clique[q];
		double	   *weight = env.alloc(env.context, sizeof(double) * clique->cells);

		for (size_t i = 0; i < clique->cells; i++)
			weight[i] = pegs_rng_below(&rng, 8) == 0 && i > 0 ? 0 : 0.1 + pegs_rng_double(&rng);
		for (size_t c = 0; c < cells; c++)
		{
			size_t		at = 0;

			row_of(c, row);
			for (uint32_t x = 0; x < clique->n; x++)
				at = at * classes[clique->column[x]] + row[clique->column[x]];
			joint[c] *= weight[at];
		}
	}
	for (size_t c = 0; c < cells; c++)
		total += joint[c];
	for (uint32_t q = 0; q < f.tree.nclique; q++)
		memset(f.tree.clique[q].mu, 0, sizeof(double) * f.tree.clique[q].cells);
	for (uint32_t i = 0; i < COLUMNS; i++)
		memset(f.share[i], 0, sizeof(double) * classes[i]);
	for (size_t c = 0; c < cells; c++)
	{
		joint[c] /= total;
		row_of(c, row);
		for (uint32_t i = 0; i < COLUMNS; i++)
			f.share[i][row[i]] += joint[c];
		for (uint32_t q = 0; q < f.tree.nclique; q++)
		{
			size_t		at = 0;

			for (uint32_t x = 0; x < f.tree.clique[q].n; x++)
				at = at * classes[f.tree.clique[q].column[x]] + row[f.tree.clique[q].column[x]];
			f.tree.clique[q].mu[at] += joint[c];
		}
	}
	pegs_jtree_connect(&env, &f.tree);
	return f;
}

/* What a step makes of a row's class, given the row. */
static double
chance(const pegs_draw_step *s, const uint16_t *row)
{
	size_t		key = 0;
	double		sum = 0;

	for (uint32_t g = 0; g < s->ngiven; g++)
		key += (size_t) row[s->given[g]] * s->stride[g];
	for (uint32_t l = 0; l < s->alias.n; l++)
		sum += s->table[key * s->alias.n + l];
	return sum > 0 ? s->table[key * s->alias.n + row[s->column]] / sum : 0;
}

static void
test_exact(void)
{
	start(1);
	for (int turn = 0; turn < 120; turn++)
	{
		pegs_fitted f;
		pegs_draw	draw = {0};
		double		worst = 0;
		uint32_t	before = 0;

		for (uint32_t i = 0; i < COLUMNS; i++)
		{
			classes[i] = 1 + (uint32_t) pegs_rng_below(&rng, 3);
			rank[i] = (uint32_t) pegs_rng_below(&rng, 3);
		}
		f = any_tree(2 + (uint32_t) pegs_rng_below(&rng, 9));
		CHECK(pegs_ranks_hold(&env, &f));
		CHECK_INT(pegs_draw_ranked(&env, &f, &draw), PEGS_OK);
		for (uint32_t i = 0; i < COLUMNS; i++)
		{
			CHECK(rank[draw.step[i].column] >= before);
			before = rank[draw.step[i].column];
		}
		for (uint32_t from = 0; from < 4; from++)
			for (size_t c = 0; c < cells; c++)
			{
				uint16_t	row[COLUMNS];
				double		known = 0;
				double		p = 1;

				row_of(c, row);
				for (uint32_t i = 0; i < COLUMNS; i++)
					if (rank[draw.step[i].column] >= from)
						p *= chance(&draw.step[i], row);
				for (size_t d = 0; d < cells; d++)
				{
					uint16_t	other[COLUMNS];
					bool		agrees = true;

					row_of(d, other);
					for (uint32_t i = 0; i < COLUMNS; i++)
						agrees &= rank[i] >= from || other[i] == row[i];
					known += agrees ? joint[d] : 0;
				}
				if (known > 1e-12)
					worst = fmax(worst, fabs(p - joint[c] / known));
			}
		CHECK(worst < 1e-9);
		arena_free(&memory);
	}
}

/* Rows whose known columns follow the tree: all pairs with a column that was drawn are the tree's, to within rounding. */
static void
test_batch(void)
{
	const uint32_t n = 50000;

	start(2);
	for (int turn = 0; turn < 6; turn++)
	{
		pegs_fitted f;
		pegs_draw	draw = {0};
		uint16_t   *codes[COLUMNS];
		double		worst = 0;

		for (uint32_t i = 0; i < COLUMNS; i++)
		{
			classes[i] = 2 + (uint32_t) pegs_rng_below(&rng, 2);
			rank[i] = i / 2;
			codes[i] = env.alloc(env.context, sizeof(uint16_t) * n);
		}
		f = any_tree(7);
		CHECK_INT(pegs_draw_ranked(&env, &f, &draw), PEGS_OK);
		pegs_draw_batch_from(&env, &draw, &rng, 0, NULL, NULL, n, codes);
		for (uint32_t i = 2; i < COLUMNS; i++)
			memset(codes[i], 0xff, sizeof(uint16_t) * n);
		pegs_draw_batch_from(&env, &draw, &rng, 1, NULL, NULL, n, codes);
		for (uint32_t a = 0; a < COLUMNS; a++)
			for (uint32_t b = a + 1; b < COLUMNS; b++)
			{
				double		off[9] = {0};
				double		sum = 0;

				for (size_t c = 0; c < cells; c++)
				{
					uint16_t	row[COLUMNS];

					row_of(c, row);
					off[row[a] * 3 + row[b]] -= joint[c];
				}
				for (uint32_t r = 0; r < n; r++)
					off[codes[a][r] * 3 + codes[b][r]] += 1.0 / n;
				for (int i = 0; i < 9; i++)
					sum += fabs(off[i]) / 2;
				worst = fmax(worst, sum);
			}
		CHECK(worst < 0.015);
		arena_free(&memory);
	}
}

/* A column that is absent where another says so, and nowhere else; what is wanted needs nothing that is not. */
static void
test_absent(void)
{
	pegs_absence absence[COLUMNS];
	uint32_t	bad = 0;

	start(3);
	for (int turn = 0; turn < 20; turn++)
	{
		const uint32_t n = 2000;
		pegs_fitted f;
		pegs_draw	draw = {0};
		uint16_t   *codes[COLUMNS];
		bool		wanted[COLUMNS] = {[COLUMNS - 1] = true};

		for (uint32_t i = 0; i < COLUMNS; i++)
		{
			classes[i] = 3;
			rank[i] = i / 2;
			absence[i] = (pegs_absence) {.level = i < 2 ? -1 : 2, .says = i < 4 ? 1 : 3, .limit = i < 4 ? 3 : 2};
			codes[i] = env.alloc(env.context, sizeof(uint16_t) * n);
		}
		f = any_tree(7);
		CHECK_INT(pegs_draw_ranked(&env, &f, &draw), PEGS_OK);
		pegs_draw_batch_from(&env, &draw, &rng, 0, NULL, absence, n, codes);
		pegs_draw_needs(&draw, absence, wanted);
		CHECK(wanted[3]);
		for (uint32_t i = 0; i < COLUMNS; i++)
			for (uint32_t g = 0; wanted[draw.step[i].column] && g < draw.step[i].ngiven; g++)
				CHECK(wanted[draw.step[i].given[g]]);
		for (uint32_t r = 0; r < n; r++)
			for (uint32_t i = 2; i < COLUMNS; i++)
			{
				uint16_t	says = codes[absence[i].says][r];

				bad += (codes[i][r] == 2) != (says < 1 || says >= absence[i].limit);
			}
		arena_free(&memory);
	}
	CHECK_INT(bad, 0);
}

/* Cliques that no elimination by rank has. */
static void
test_refused(void)
{
	pegs_fitted f;
	pegs_draw	draw = {0};

	start(4);
	for (uint32_t i = 0; i < COLUMNS; i++)
	{
		classes[i] = 2;
		rank[i] = 0;
	}
	do
	{
		arena_free(&memory);
		f = any_tree(6);
	} while (pegs_jtree_home(&f.tree, 2, (uint32_t[]) {0, 1}) < 0 || pegs_jtree_home(&f.tree, 2, (uint32_t[]) {0, 2}) < 0
			 || pegs_jtree_home(&f.tree, 2, (uint32_t[]) {1, 2}) >= 0);
	CHECK(pegs_ranks_hold(&env, &f));
	rank[0] = 1;				/* joined to two that nothing joins */
	CHECK(!pegs_ranks_hold(&env, &f));
	CHECK_INT(pegs_draw_ranked(&env, &f, &draw), PEGS_ERR_FORMAT);
	arena_free(&memory);
}

int
main(void)
{
	test_exact();
	test_batch();
	test_absent();
	test_refused();
	return unit_done("ranked_test");
}
