/*
 * jtree_test.c
 *	  Is the junction tree a junction tree, and does it say what its targets say?
 *
 * Fits are held against iterative proportional fitting on the enumerated
 * joint, which knows no tree; pairs against the sums of that joint. Graphs
 * with loops, without edges, of more columns than a word has bits, columns of
 * one class, targets on coarser classes. The graph itself: graph_test.c.
 */
#include "core/graph/jtree.h"

#include <stdlib.h>
#include <string.h>

#define STREAM_SALT [7] = 7
#include "fixture.h"
#include "graphs.h"
#include "unit.h"

#define MAX_COLUMNS 7

/* ---------- trees ---------- */

static bool
has(const pegs_clique *c, uint32_t column)
{
	for (uint32_t x = 0; x < c->n; x++)
		if (c->column[x] == column)
			return true;
	return false;
}

/* All that a junction tree must be, for this graph. */
static void
check_tree(const pegs_jtree *tree, const pegs_graph *graph, const uint32_t *classes)
{
	bool		sound = tree->ncols == graph->ncols && tree->nclique >= 1 && tree->nclique <= graph->ncols;
	double		cells = 0;

	for (uint32_t i = 0; i < tree->nclique; i++)
	{
		const pegs_clique *c = &tree->clique[i];
		size_t		product = 1;
		uint32_t	shared = 0;

		sound = sound && (i == 0 ? c->parent == -1 : c->parent >= 0 && c->parent < (int32_t) i) && c->n >= 1;
		for (uint32_t x = 0; x < c->n; x++)
		{
			sound = sound && c->column[x] < tree->ncols && (x == 0 || c->column[x] > c->column[x - 1]);
			product *= classes[c->column[x]];
			if (i > 0 && has(&tree->clique[c->parent], c->column[x]))
				sound = sound && c->sep[shared++] == c->column[x];
		}
		sound = sound && c->cells == product && c->nsep == shared;
		cells += (double) product;
		/* no clique inside another */
		for (uint32_t j = 0; j < tree->nclique; j++)
		{
			bool		inside = j != i;

			for (uint32_t x = 0; x < c->n; x++)
				inside = inside && has(&tree->clique[j], c->column[x]);
			sound = sound && !inside;
		}
	}
	CHECK(sound);
	CHECK(fabs(cells - pegs_graph_cells(&env, graph, classes)) <= 1e-9 * cells);
	for (uint32_t a = 0; a < tree->ncols; a++)
	{
		uint32_t	cliques = 0;
		uint32_t	edges = 0;

		/* running intersection: the cliques of a column are one subtree */
		for (uint32_t i = 0; i < tree->nclique; i++)
		{
			cliques += has(&tree->clique[i], a);
			edges += i > 0 && has(&tree->clique[i], a) && has(&tree->clique[tree->clique[i].parent], a);
		}
		sound = sound && cliques >= 1 && edges + 1 == cliques;
		for (uint32_t b = 0; b < a; b++)
			sound = sound && (!pegs_graph_joined(graph, a, b) || pegs_jtree_home(tree, 2, (const uint32_t[]) {a, b}) >= 0);
	}
	CHECK(sound);
}

static double **
random_shares(uint32_t m, const uint32_t *classes, bool holes)
{
	double	  **one = env.alloc(env.context, sizeof(double *) * m);

	for (uint32_t i = 0; i < m; i++)
	{
		double		sum = 0;

		one[i] = env.alloc(env.context, sizeof(double) * classes[i]);
		for (uint32_t k = 0; k < classes[i]; k++)
			sum += one[i][k] = holes && k > 0 && below(3) == 0 ? 0 : 0.1 + pegs_rng_double(&rng);
		for (uint32_t k = 0; k < classes[i]; k++)
			one[i][k] /= sum;
	}
	return one;
}

/* Small ones and large ones, sparse and dense; what is built is the product of the shares. */
static void
test_build(void)
{
	start(2);
	for (int turn = 0; turn < 120; turn++)
	{
		uint32_t	m = turn < 100 ? 1 + below(12) : 65 + below(80);
		uint32_t   *classes = env.alloc(env.context, sizeof(uint32_t) * m);
		double	  **one;
		pegs_graph	graph;
		pegs_jtree	tree = {0};
		uint32_t	edges = below(turn < 100 ? 2 * m + 1 : m);
		double		error = 0;

		for (uint32_t i = 0; i < m; i++)
			classes[i] = 1 + below(turn < 100 && m < 8 ? 4 : 2);
		pegs_graph_init(&env, &graph, m);
		while (edges-- > 0)
		{
			uint32_t	a = below(m);
			uint32_t	b = below(m);

			if (a != b)
				pegs_graph_join(&graph, a, b);
		}
		one = random_shares(m, classes, turn % 2);
		pegs_jtree_build(&env, &tree, &graph, classes, one);
		check_tree(&tree, &graph, classes);
		for (uint32_t i = 0; i < tree.nclique; i++)
		{
			const pegs_clique *c = &tree.clique[i];

			for (size_t k = 0; k < c->cells; k++)
			{
				double		p = 1;
				size_t		rest = k;

				for (uint32_t x = c->n; x-- > 0;)
				{
					p *= one[c->column[x]][rest % classes[c->column[x]]];
					rest /= classes[c->column[x]];
				}
				error = fmax(error, fabs(p - c->mu[k]));
			}
		}
		CHECK(error < 1e-14);
		arena_free(&memory);
	}
}

/* ---------- the joint, enumerated ---------- */

typedef struct joint
{
	uint32_t	ncols;
	const uint32_t *classes;
	uint32_t	n;
	double	   *p;
} joint;

static joint
joint_of(uint32_t m, const uint32_t *classes)
{
	joint		j = {.ncols = m, .classes = classes, .n = 1};

	for (uint32_t i = 0; i < m; i++)
		j.n *= classes[i];
	j.p = env.alloc(env.context, sizeof(double) * j.n);
	return j;
}

static uint32_t
class_at(const joint *j, uint32_t cell, uint32_t column)
{
	for (uint32_t i = j->ncols; --i > column;)
		cell /= j->classes[i];
	return cell % j->classes[column];
}

/* Where a cell of the joint lies in a table over columns of a clique. */
static size_t
place(const joint *j, uint32_t cell, uint32_t n, const uint32_t *columns)
{
	size_t		at = 0;

	for (uint32_t x = 0; x < n; x++)
		at = at * j->classes[columns[x]] + class_at(j, cell, columns[x]);
	return at;
}

/* The product of the cliques over that of the separators. */
static void
joint_of_tree(const pegs_jtree *tree, joint *j)
{
	for (uint32_t cell = 0; cell < j->n; cell++)
	{
		j->p[cell] = 1;
		for (uint32_t i = 0; i < tree->nclique && j->p[cell] > 0; i++)
		{
			const pegs_clique *c = &tree->clique[i];

			j->p[cell] *= c->mu[place(j, cell, c->n, c->column)];
			if (i > 0 && j->p[cell] > 0)
				j->p[cell] /= c->sep_mu[place(j, cell, c->nsep, c->sep)];
		}
	}
}

static size_t
place_of_target(const joint *j, uint32_t cell, const pegs_target *t)
{
	size_t		at = 0;

	for (uint32_t x = 0; x < t->n; x++)
	{
		uint32_t	class = class_at(j, cell, t->column[x]);

		at = at * t->k[x] + (t->coarse[x] ? t->coarse[x][class] : class);
	}
	return at;
}

static void
sums_of(const joint *j, const pegs_target *t, double *sum)
{
	memset(sum, 0, sizeof(double) * t->k[0] * (t->n > 1 ? t->k[1] : 1));
	for (uint32_t cell = 0; cell < j->n; cell++)
		sum[place_of_target(j, cell, t)] += j->p[cell];
}

/* The largest difference between a joint and what the targets want of it. */
static double
missed(const joint *j, const pegs_target *target, uint32_t n)
{
	double		sum[256];
	double		most = 0;

	for (uint32_t t = 0; t < n; t++)
	{
		sums_of(j, &target[t], sum);
		for (uint32_t i = 0; i < target[t].k[0] * (target[t].n > 1 ? target[t].k[1] : 1); i++)
			most = fmax(most, fabs(sum[i] - target[t].share[i]));
	}
	return most;
}

/* Iterative proportional fitting without a tree. */
static void
fit_slowly(joint *j, const pegs_target *target, uint32_t n, int sweeps)
{
	double		sum[256];

	for (int s = 0; s < sweeps; s++)
		for (uint32_t t = 0; t < n; t++)
		{
			sums_of(j, &target[t], sum);
			for (uint32_t cell = 0; cell < j->n; cell++)
			{
				size_t		at = place_of_target(j, cell, &target[t]);

				j->p[cell] *= sum[at] > 0 ? target[t].share[at] / sum[at] : 0;
			}
		}
}

static double
farthest(const joint *a, const joint *b)
{
	double		most = 0;

	for (uint32_t cell = 0; cell < a->n; cell++)
		most = fmax(most, fabs(a->p[cell] - b->p[cell]));
	return most;
}

/* ---------- calibration and pairs ---------- */

/* Both ends of an edge, and the message between them, say the same of their separator. */
static void
check_calibrated(const pegs_jtree *tree, double limit)
{
	double		most = 0;

	for (uint32_t i = 0; i < tree->nclique; i++)
	{
		const pegs_clique *c = &tree->clique[i];
		const pegs_clique *up = i > 0 ? &tree->clique[c->parent] : NULL;
		double		sum = 0;
		double	   *own;
		double	   *other;

		for (size_t k = 0; k < c->cells; k++)
		{
			CHECK(c->mu[k] >= 0);
			sum += c->mu[k];
		}
		CHECK(fabs(sum - 1) < 1e-12);
		if (i == 0)
			continue;
		own = env.alloc(env.context, sizeof(double) * c->sep_cells);
		other = env.alloc(env.context, sizeof(double) * c->sep_cells);
		for (size_t k = 0; k < c->cells; k++)
			own[c->sep_of[k]] += c->mu[k];
		for (size_t k = 0; k < up->cells; k++)
			other[c->parent_sep_of[k]] += up->mu[k];
		for (size_t k = 0; k < c->sep_cells; k++)
			most = fmax(most, fmax(fabs(own[k] - other[k]), fabs(own[k] - c->sep_mu[k])));
	}
	if (!CHECK(most < limit))
		printf("  separators differ by %g\n", most);
}

static void
check_pairs(const pegs_jtree *tree, const joint *j, double limit)
{
	uint32_t	m = tree->ncols;
	double	  **pair = env.alloc(env.context, sizeof(double *) * m * m);
	double		most = 0;

	pegs_jtree_pairs(&env, tree, pair);
	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = 0; b < m; b++)
		{
			pegs_target whole = {.n = 2, .column = {a, b}, .k = {tree->classes[a], tree->classes[b]}};
			double		sum[256];

			if (a >= b)
			{
				CHECK(pair[a * m + b] == NULL);
				continue;
			}
			sums_of(j, &whole, sum);
			for (uint32_t i = 0; i < whole.k[0] * whole.k[1]; i++)
				most = fmax(most, fabs(sum[i] - pair[a * m + b][i]));
		}
	if (!CHECK(most < limit))
		printf("  pairs differ by %g\n", most);
}

/* ---------- fits ---------- */

typedef struct problem
{
	uint32_t	ncols;
	uint32_t	classes[MAX_COLUMNS];
	uint32_t	nedges;
	uint32_t	edge[9][2];
} problem;

static const problem problems[] = {
	{1, {4}, 0, {{0}}},
	{2, {3, 4}, 0, {{0}}},
	{2, {3, 4}, 1, {{0, 1}}},
	{3, {3, 1, 4}, 2, {{0, 1}, {1, 2}}},	/* a column of one class in the middle */
	{3, {3, 2, 4}, 3, {{0, 1}, {1, 2}, {0, 2}}},
	{4, {3, 2, 4, 2}, 4, {{0, 1}, {1, 2}, {2, 3}, {0, 3}}},	/* a loop */
	{5, {2, 3, 2, 3, 2}, 5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}}},
	{5, {3, 3, 2, 1, 4}, 3, {{0, 2}, {2, 4}, {0, 4}}},	/* two columns without a pair */
	{6, {2, 3, 2, 2, 3, 2}, 7, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 4}, {4, 5}, {5, 3}}},
	{6, {2, 2, 2, 2, 2, 2}, 9, {{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}, {0, 3}, {1, 4}, {2, 5}}},
	{7, {3, 2, 3, 2, 3, 2, 3}, 6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}}}
};

#define NPROBLEMS (sizeof(problems) / sizeof(problems[0]))

/*
 * Targets that some joint has: its pairs on the edges, and its 1-ways. coarse:
 * a pair's columns on fewer classes where they have three or more.
 */
static pegs_target *
targets_of(const problem *p, const joint *truth, bool coarse, uint32_t *n)
{
	pegs_target *target = env.alloc(env.context, sizeof(pegs_target) * (p->nedges + p->ncols));

	*n = 0;
	for (uint32_t i = 0; i < p->nedges + p->ncols; i++)
	{
		pegs_target *t = &target[(*n)++];
		double	   *share;

		*t = (pegs_target) {.n = i < p->nedges ? 2 : 1, .k = {1, 1}};
		for (uint32_t x = 0; x < t->n; x++)
		{
			uint32_t	column = i < p->nedges ? p->edge[i][x] : i - p->nedges;
			uint32_t	classes = p->classes[column];

			t->column[x] = column;
			t->k[x] = classes;
			if (coarse && i < p->nedges && classes >= 3 && (i + x) % 2 == 0)
			{
				uint16_t   *map = env.alloc(env.context, sizeof(uint16_t) * classes);

				for (uint32_t k = 0; k < classes; k++)
					map[k] = k > 0 ? (uint16_t) (k - 1) : 0;
				t->coarse[x] = map;
				t->k[x] = classes - 1;
			}
		}
		share = env.alloc(env.context, sizeof(double) * t->k[0] * t->k[1]);
		sums_of(truth, t, share);
		t->share = share;
	}
	return target;
}

static void
test_fit(void)
{
	for (size_t i = 0; i < NPROBLEMS; i++)
		for (int kind = 0; kind < 4; kind++)
		{
			const problem *p = &problems[i];
			bool		coarse = kind & 1;
			bool		holes = kind & 2;
			joint		truth = joint_of(p->ncols, p->classes);
			joint		slow = joint_of(p->ncols, p->classes);
			joint		fast = joint_of(p->ncols, p->classes);
			pegs_graph	graph = graph_of(p->ncols, p->nedges, p->edge);
			pegs_jtree	tree = {0};
			pegs_target *target;
			uint32_t	n;
			double	  **one = env.alloc(env.context, sizeof(double *) * p->ncols);
			double		sum = 0;

			start((uint8_t) (10 + 4 * i + kind));
			for (uint32_t cell = 0; cell < truth.n; cell++)
				sum += truth.p[cell] = holes && cell > 0 && below(8) == 0 ? 0 : 0.05 + pow(pegs_rng_double(&rng), 3);
			for (uint32_t cell = 0; cell < truth.n; cell++)
				truth.p[cell] /= sum;
			target = targets_of(p, &truth, coarse, &n);
			for (uint32_t c = 0; c < p->ncols; c++)
				one[c] = (double *) target[p->nedges + c].share;
			pegs_jtree_build(&env, &tree, &graph, p->classes, one);
			joint_of_tree(&tree, &fast);
			check_pairs(&tree, &fast, 1e-12);

			pegs_jtree_fit(&env, &tree, target, n, 300);
			check_tree(&tree, &graph, p->classes);
			check_calibrated(&tree, 1e-9);
			joint_of_tree(&tree, &fast);
			if (!CHECK(missed(&fast, target, n) < 1e-6))
				printf("  problem %zu, kind %d: misses by %g\n", i, kind, missed(&fast, target, n));
			check_pairs(&tree, &fast, 1e-9);

			/* the one of largest entropy among those: where fitting without a tree arrives, too */
			for (uint32_t cell = 0; cell < slow.n; cell++)
			{
				slow.p[cell] = 1;
				for (uint32_t c = 0; c < p->ncols; c++)
					slow.p[cell] *= one[c][class_at(&slow, cell, c)];
			}
			fit_slowly(&slow, target, n, 600);
			if (!CHECK(farthest(&slow, &fast) < 1e-6))
				printf("  problem %zu, kind %d: %g from the joint without a tree\n", i, kind, farthest(&slow, &fast));

			/* a few sweeps are calibrated as well, and more of them are nearer */
			{
				double		before = INFINITY;

				for (int sweeps = 1; sweeps <= 100; sweeps *= 10)
				{
					double		now;

					pegs_jtree_build(&env, &tree, &graph, p->classes, one);
					pegs_jtree_fit(&env, &tree, target, n, sweeps);
					check_calibrated(&tree, 1e-9);
					joint_of_tree(&tree, &fast);
					now = missed(&fast, target, n);
					CHECK(now <= before + 1e-9);
					before = now;
				}
			}
			arena_free(&memory);
		}
}

/* Targets that no joint has: still a distribution, and calibrated. */
static void
test_contradictions(void)
{
	for (size_t i = 2; i < NPROBLEMS; i++)
		for (int holes = 0; holes < 2; holes++)
		{
			const problem *p = &problems[i];
			pegs_graph	graph = graph_of(p->ncols, p->nedges, p->edge);
			pegs_jtree	tree = {0};
			pegs_target *target = env.alloc(env.context, sizeof(pegs_target) * (p->nedges + p->ncols));
			double	  **one;
			bool		sound = true;

			start((uint8_t) (80 + 2 * i + holes));
			one = random_shares(p->ncols, p->classes, holes);
			for (uint32_t e = 0; e < p->nedges; e++)
			{
				uint32_t	k[2] = {p->classes[p->edge[e][0]], p->classes[p->edge[e][1]]};
				uint32_t	cells = k[0] * k[1];

				target[e] = (pegs_target) {.n = 2, .column = {p->edge[e][0], p->edge[e][1]}, .k = {k[0], k[1]},
				.share = random_shares(1, &cells, holes)[0]};
			}
			for (uint32_t c = 0; c < p->ncols; c++)
				target[p->nedges + c] = (pegs_target) {.n = 1, .column = {c}, .k = {p->classes[c], 1}, .share = one[c]};
			pegs_jtree_build(&env, &tree, &graph, p->classes, one);
			pegs_jtree_fit(&env, &tree, target, p->nedges + p->ncols, 10);
			for (uint32_t c = 0; c < tree.nclique; c++)
			{
				double		sum = 0;

				for (size_t k = 0; k < tree.clique[c].cells; k++)
				{
					sound = sound && isfinite(tree.clique[c].mu[k]) && tree.clique[c].mu[k] >= 0;
					sum += tree.clique[c].mu[k];
				}
				sound = sound && fabs(sum - 1) < 1e-9;
			}
			if (!CHECK(sound))
				printf("  problem %zu, holes %d\n", i, holes);
			if (!holes)
				check_calibrated(&tree, 1e-9);
			arena_free(&memory);
		}
}

/* A target whose columns are together in no clique is not looked at. */
static void
test_no_home(void)
{
	const uint32_t classes[3] = {2, 2, 2};
	const uint32_t far[2] = {0, 2};
	pegs_graph	graph = graph_of(3, 2, (const uint32_t[][2]) {{0, 1}, {1, 2}});
	double		share[4] = {0.5, 0, 0, 0.5};
	pegs_target target = {.n = 2, .column = {0, 2}, .k = {2, 2}, .share = share};
	pegs_jtree	tree = {0};
	double	  **one;
	joint		before = joint_of(3, classes);
	joint		after = joint_of(3, classes);

	start(120);
	one = random_shares(3, classes, false);
	pegs_jtree_build(&env, &tree, &graph, classes, one);
	CHECK_INT(pegs_jtree_home(&tree, 2, far), -1);
	joint_of_tree(&tree, &before);
	pegs_jtree_fit(&env, &tree, &target, 1, 5);
	joint_of_tree(&tree, &after);
	CHECK(farthest(&before, &after) < 1e-14);
	arena_free(&memory);
}

/* Separators of 5,184 cells, and 216 classes that go over them, of which not all find room at once. */
static void
test_much(void)
{
	enum {K = 72};
	uint32_t	classes[4] = {K, K, K, K};
	pegs_graph	graph = graph_of(4, 5, (const uint32_t[][2]) {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}});
	double	  **pair = env.alloc(env.context, sizeof(double *) * 16);
	double	   *far = env.alloc(env.context, sizeof(double) * K * K);
	double	   *near = env.alloc(env.context, sizeof(double) * K * K);
	double		most = 0;
	pegs_jtree	tree = {0};
	const pegs_clique *c;

	start(121);
	pegs_jtree_build(&env, &tree, &graph, classes, random_shares(4, classes, false));
	CHECK_INT(tree.nclique, 2);
	c = tree.clique;
	/* the one has 0, 1, 2, the other 1, 2, 3: something of each, with the same separator */
	for (uint32_t x = 0; x < 2; x++)
		for (size_t i = 0; i < c[x].cells; i++)
			c[x].mu[i] = (i * (x + 7)) % 13;
	for (size_t s = 0; s < K * K; s++)
		for (uint32_t x = 0; x < 2; x++)
		{
			bool		last = c[x].column[2] == 3;
			double		sum = 0;

			for (size_t i = 0; i < K; i++)
				sum += c[x].mu[last ? s * K + i : i * K * K + s];
			for (size_t i = 0; i < K; i++)
				c[x].mu[last ? s * K + i : i * K * K + s] /= sum * K * K;
		}
	pegs_jtree_connect(&env, &tree);
	pegs_jtree_pairs(&env, &tree, pair);
	for (size_t s = 0; s < K * K; s++)
		for (size_t i = 0; i < K; i++)
		{
			const double *first = c[c[0].column[0] == 0 ? 0 : 1].mu;
			const double *second = c[c[0].column[0] == 0 ? 1 : 0].mu;

			near[s / K * K + i] += second[s * K + i];
			for (size_t j = 0; j < K; j++)
				far[i * K + j] += first[i * K * K + s] * second[s * K + j] * K * K;
		}
	for (size_t i = 0; i < K * K; i++)
		most = fmax(most, fmax(fabs(far[i] - pair[3][i]), fabs(near[i] - pair[4 + 3][i])));
	CHECK(most < 1e-12);
	arena_free(&memory);
}

int
main(void)
{
	env = arena_env_freeing(&memory);
	test_build();
	test_fit();
	test_contradictions();
	test_no_home();
	test_much();
	return unit_done("jtree_test");
}
