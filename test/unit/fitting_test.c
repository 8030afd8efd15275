/*
 * fitting_test.c
 *	  Fitting a junction tree: sums of few cells and of many, and a tree that goes
 *	  on where the last one ended.
 *
 * That fits say what their targets say, of trees of all shapes: jtree_test.c.
 */
#include "core/graph/jtree.h"

#include <math.h>
#include <string.h>

#define STREAM_SALT [7] = 41
#include "fixture.h"
#include "graphs.h"
#include "unit.h"

static double *
shares(uint32_t n)
{
	double	   *s = env.alloc(env.context, sizeof(double) * n);
	double		sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += s[i] = 1 + (double) below(1000);
	for (uint32_t i = 0; i < n; i++)
		s[i] /= sum;
	return s;
}

static double **
even(uint32_t m, const uint32_t *classes)
{
	double	  **one = env.alloc(env.context, sizeof(double *) * m);

	for (uint32_t q = 0; q < m; q++)
	{
		one[q] = env.alloc(env.context, sizeof(double) * classes[q]);
		for (uint32_t k = 0; k < classes[q]; k++)
			one[q][k] = 1.0 / classes[q];
	}
	return one;
}

/* The tree of a path of columns, or of all with all. */
static pegs_jtree
tree_of(uint32_t m, const uint32_t *classes, bool whole)
{
	pegs_graph	graph;
	pegs_jtree	tree;

	pegs_graph_init(&env, &graph, m);
	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = a + 1; b < m && (whole || b == a + 1); b++)
			pegs_graph_join(&graph, a, b);
	pegs_jtree_build(&env, &tree, &graph, classes, even(m, classes));
	return tree;
}

/* How far the tree is from a target of two columns. */
static double
off(const pegs_jtree *tree, const pegs_target *t)
{
	double	  **pair = env.alloc(env.context, sizeof(double *) * tree->ncols * tree->ncols);
	double		sum = 0;

	pegs_jtree_pairs(&env, tree, pair);
	for (uint32_t i = 0; i < t->k[0] * t->k[1]; i++)
		sum += fabs(pair[(size_t) t->column[0] * tree->ncols + t->column[1]][i] - t->share[i]);
	return sum;
}

/* One clique, by hand: a target of few cells, one of many, and their order. */
static void
test_sums(uint32_t ka, uint32_t kb, uint32_t kc)
{
	const uint32_t classes[3] = {ka, kb, kc};
	pegs_jtree	tree = tree_of(3, classes, true);
	pegs_target target[2] = {
		{.n = 2, .column = {0, 1}, .k = {ka, kb}, .share = shares(ka * kb)},
		{.n = 2, .column = {1, 2}, .k = {kb, kc}, .share = shares(kb * kc)}
	};
	size_t		n = (size_t) ka * kb * kc;
	double	   *mu = env.alloc(env.context, sizeof(double) * n);
	double		total = 0;
	double		worst = 0;

	CHECK_INT(tree.nclique, 1);
	for (size_t i = 0; i < n; i++)
		mu[i] = 1.0 / (double) n;
	for (int step = 0; step < 4; step++)	/* a walk of a clique is twice through its targets */
	{
		const pegs_target *t = &target[step % 2];
		double	   *sum = env.alloc(env.context, sizeof(double) * t->k[0] * t->k[1]);

		for (int turn = 0; turn < 2; turn++)
			for (size_t i = 0; i < n; i++)
			{
				size_t		at = step % 2 ? i % (kb * kc) : i / kc;

				if (turn == 0)
					sum[at] += mu[i];
				else
					mu[i] *= t->share[at] / sum[at];
			}
	}
	pegs_jtree_fit(&env, &tree, target, 2, 1);
	for (size_t i = 0; i < n; i++)
		total += mu[i];
	for (size_t i = 0; i < n; i++)
		worst = fmax(worst, fabs(tree.clique[0].mu[i] * total / mu[i] - 1));
	CHECK(worst < 1e-9);
	CHECK(off(&tree, &target[1]) < 1e-9);
	arena_free(&memory);
}

/* A tree of the same shape goes on, and is closer after one more walk than a new one is; of another shape it is not touched. */
static void
test_resume(void)
{
	static const uint32_t classes[4] = {3, 4, 3, 5};
	static const uint32_t others[4] = {3, 4, 5, 3};
	pegs_target target[6];
	uint32_t	n = 0;
	pegs_jtree	fitted = tree_of(4, classes, true);
	pegs_jtree	again = tree_of(4, classes, true);
	pegs_jtree	fresh = tree_of(4, classes, true);
	double		far[2] = {0, 0};

	/* tables of one distribution, so that all can be had */
	{
		double	   *joint = shares(180);

		for (uint32_t i = 0; i < 180; i++)
			joint[i] = joint[i] * joint[i] * joint[i];
		for (uint32_t a = 0; a < 4; a++)
			for (uint32_t b = a + 1; b < 4; b++)
			{
				double	   *share = env.alloc(env.context, sizeof(double) * classes[a] * classes[b]);
				double		sum = 0;

				for (uint32_t i = 0; i < 180; i++)
				{
					const uint32_t code[4] = {i / 60, i / 15 % 4, i / 5 % 3, i % 5};

					share[code[a] * classes[b] + code[b]] += joint[i];
					sum += joint[i];
				}
				for (uint32_t i = 0; i < classes[a] * classes[b]; i++)
					share[i] /= sum;
				target[n++] = (pegs_target) {.n = 2, .column = {a, b}, .k = {classes[a], classes[b]}, .share = share};
			}
	}
	pegs_jtree_fit(&env, &fitted, target, n, 20);
	CHECK(pegs_jtree_resume(&again, &fitted));
	pegs_jtree_fit(&env, &again, target, n, 1);
	pegs_jtree_fit(&env, &fresh, target, n, 1);
	for (uint32_t t = 0; t < n; t++)
	{
		far[0] += off(&again, &target[t]);
		far[1] += off(&fresh, &target[t]);
	}
	CHECK(far[0] < 1e-3 * far[1]);
	again = tree_of(4, others, true);
	CHECK(!pegs_jtree_resume(&again, &fitted));
	CHECK_NEAR(again.clique[0].mu[7], 1.0 / 180, 1e-12);
	again = tree_of(4, classes, false);
	CHECK(!pegs_jtree_resume(&again, &fitted) && !pegs_jtree_resume(&fitted, &again));
	{
		static const uint32_t threes[4] = {3, 3, 3, 3};
		const pegs_graph graph = graph_of(4, 3, (const uint32_t[3][2]) {{0, 2}, {1, 2}, {1, 3}});
		pegs_jtree	other;

		again = tree_of(4, threes, false);
		pegs_jtree_build(&env, &other, &graph, threes, even(4, threes));
		CHECK(other.nclique == again.nclique && !pegs_jtree_resume(&again, &other));
	}
	memset(&fitted, 0, sizeof(fitted));
	CHECK(!pegs_jtree_resume(&again, &fitted));	/* there was none */
	arena_free(&memory);
}

/* More cliques than one: the messages go on, too. And what was impossible need not stay so. */
static void
test_impossible(void)
{
	static const uint32_t classes[3] = {2, 3, 2};
	static const double before[6] = {0.5, 0, 0, 0, 0.5, 0};
	static const double after[6] = {0.3, 0.1, 0.1, 0.1, 0.3, 0.1};
	pegs_target target[2] = {
		{.n = 2, .column = {0, 1}, .k = {2, 3}, .share = before},
		{.n = 2, .column = {1, 2}, .k = {3, 2}, .share = shares(6)}
	};
	pegs_jtree	fitted = tree_of(3, classes, false);
	pegs_jtree	again = tree_of(3, classes, false);

	CHECK_INT(fitted.nclique, 2);
	pegs_jtree_fit(&env, &fitted, target, 1, 3);
	target[0].share = after;
	/* agrees with it on the column between */
	for (int i = 0; i < 6; i++)
		((double *) target[1].share)[i] = (double[]) {0.4, 0.4, 0.2}[i / 2] * (i % 2 ? 0.9 : 0.1);
	CHECK(pegs_jtree_resume(&again, &fitted));
	for (uint32_t i = 1; i < again.nclique; i++)
		for (size_t k = 0; k < again.clique[i].sep_cells; k++)
		{
			double		sum = 0;

			for (size_t x = 0; x < again.clique[i].cells; x++)
				sum += again.clique[i].sep_of[x] == k ? again.clique[i].mu[x] : 0;
			CHECK_NEAR(again.clique[i].sep_mu[k], sum, 1e-12);
		}
	pegs_jtree_fit(&env, &again, target, 2, 3);
	CHECK(off(&again, &target[0]) < 1e-6 && off(&again, &target[1]) < 1e-6);
	arena_free(&memory);
}

int
main(void)
{
	start(1);
	test_sums(5, 7, 9);
	test_sums(2, 2, 2);
	test_sums(1, 3, 1);
	test_sums(20, 20, 3);	/* 400 cells, then 60 */
	test_sums(3, 20, 20);
	test_sums(17, 16, 16);
	test_resume();
	test_impossible();
	return unit_done("fitting_test");
}
