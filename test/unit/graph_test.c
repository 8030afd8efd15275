/*
 * graph_test.c
 *	  Does the triangulation have the cells it says, and few of them?
 *
 * Known graphs by hand; random ones against every order of elimination, and
 * against the rule of least weighted fill, worked out anew at every step.
 */
#include "core/graph/graph.h"

#include <string.h>

#define STREAM_SALT [7] = 7
#include "fixture.h"
#include "graphs.h"
#include "unit.h"

#define MAX_COLUMNS 7
#define MAX_RULED 32

static void
test_graph(void)
{
	pegs_graph	graph = graph_of(130, 3, (const uint32_t[][2]) {{0, 129}, {63, 64}, {5, 4}});
	uint32_t	joined = 0;

	for (uint32_t a = 0; a < 130; a++)
		for (uint32_t b = 0; b < 130; b++)
		{
			CHECK(pegs_graph_joined(&graph, a, b) == pegs_graph_joined(&graph, b, a));
			joined += pegs_graph_joined(&graph, a, b);
		}
	CHECK_INT(joined, 6);
	CHECK(pegs_graph_joined(&graph, 129, 0) && pegs_graph_joined(&graph, 64, 63) && pegs_graph_joined(&graph, 4, 5));
	arena_free(&memory);
}

/* Known graphs: the number of cells by hand. */
static void
test_known_cells(void)
{
	static const struct
	{
		uint32_t	ncols;
		uint32_t	classes[6];
		uint32_t	nedges;
		uint32_t	edge[10][2];
		double		cells;
	}			line[] = {
		{1, {7}, 0, {{0}}, 7},
		{3, {2, 3, 4}, 0, {{0}}, 9},	/* alone: a clique each */
		{2, {5, 6}, 1, {{0, 1}}, 30},
		{3, {2, 3, 4}, 1, {{0, 2}}, 8 + 3},
		{4, {2, 3, 4, 5}, 3, {{0, 1}, {1, 2}, {2, 3}}, 6 + 12 + 20},	/* a chain */
		{4, {2, 3, 4, 5}, 3, {{0, 3}, {1, 3}, {2, 3}}, 10 + 15 + 20},	/* a star */
		{3, {2, 3, 4}, 3, {{0, 1}, {1, 2}, {0, 2}}, 24},	/* a triangle */
		{4, {2, 2, 2, 2}, 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, 16},	/* a loop: two triangles */
		{4, {10, 2, 10, 2}, 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, 80},	/* the chord joins the small ones */
		{4, {2, 10, 2, 10}, 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, 80},
		{5, {2, 2, 2, 2, 2}, 5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}}, 24},
		{4, {2, 3, 4, 5}, 6, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}, 120},
		{5, {3, 3, 3, 3, 3}, 6, {{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}, {2, 4}}, 54},	/* two triangles, one column */
		{6, {2, 2, 2, 2, 2, 2}, 9, {{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}, {0, 3}, {1, 4}, {2, 5}}, 48}	/* a prism: 3 x 16 */
	};

	for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++)
	{
		pegs_graph	graph = graph_of(line[i].ncols, line[i].nedges, line[i].edge);
		double		cells = pegs_graph_cells(&env, &graph, line[i].classes);

		if (!CHECK(fabs(cells - line[i].cells) < 1e-9 * line[i].cells))
			printf("  graph %zu: %g cells, not %g\n", i, cells, line[i].cells);
	}
	arena_free(&memory);
}

/* Cells of this order of elimination. */
static double
cells_in_order(const pegs_graph *graph, const uint32_t *classes, const uint32_t *order)
{
	uint32_t	m = graph->ncols;
	uint32_t	near[MAX_COLUMNS];
	uint32_t	clique[MAX_COLUMNS];
	uint32_t	gone = 0;
	double		cells = 0;

	for (uint32_t a = 0; a < m; a++)
	{
		near[a] = 0;
		for (uint32_t b = 0; b < m; b++)
			near[a] |= (uint32_t) pegs_graph_joined(graph, a, b) << b;
	}
	for (uint32_t step = 0; step < m; step++)
	{
		uint32_t	v = order[step];
		double		size = 1;
		bool		inside = false;

		clique[step] = (near[v] & ~gone) | 1u << v;
		for (uint32_t i = 0; i < step; i++)
			inside |= (clique[step] & ~clique[i]) == 0;
		for (uint32_t a = 0; a < m; a++)
			if (clique[step] >> a & 1)
			{
				size *= classes[a];
				near[a] |= clique[step] & ~(1u << a);
			}
		cells += inside ? 0 : size;
		gone |= 1u << v;
	}
	return cells;
}

static double
least_cells(const pegs_graph *graph, const uint32_t *classes, uint32_t *order, uint32_t from)
{
	double		least = INFINITY;

	if (from == graph->ncols)
		return cells_in_order(graph, classes, order);
	for (uint32_t i = from; i < graph->ncols; i++)
	{
		uint32_t	swap = order[from];

		order[from] = order[i];
		order[i] = swap;
		least = fmin(least, least_cells(graph, classes, order, from + 1));
		order[i] = order[from];
		order[from] = swap;
	}
	return least;
}

/* The rule of the prototype, anew at every step: least weighted fill, then the smallest table, then the first. */
static double
cells_by_rule(const pegs_graph *graph, const uint32_t *classes)
{
	uint32_t	m = graph->ncols;
	bool		near[MAX_RULED][MAX_RULED];
	bool		clique[MAX_RULED][MAX_RULED] = {{false}};
	bool		gone[MAX_RULED] = {false};
	double		cells = 0;

	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = 0; b < m; b++)
			near[a][b] = pegs_graph_joined(graph, a, b);
	for (uint32_t step = 0; step < m; step++)
	{
		uint32_t	v = m;
		double		least = INFINITY;
		double		least_size = INFINITY;
		bool		inside = false;

		for (uint32_t i = 0; i < m; i++)
		{
			double		fill = 0;
			double		size = log(classes[i]);

			for (uint32_t a = 0; a < m; a++)
				for (uint32_t b = 0; b < a; b++)
					if (near[i][a] && near[i][b] && !near[a][b])
						fill += log(classes[a]) + log(classes[b]);
			for (uint32_t a = 0; a < m; a++)
				size += near[i][a] ? log(classes[a]) : 0;
			if (!gone[i] && (fill < least - 1e-12 || (fill < least + 1e-12 && size < least_size - 1e-12)))
			{
				v = i;
				least = fill;
				least_size = size;
			}
		}
		memcpy(clique[step], near[v], sizeof(near[v]));
		clique[step][v] = true;
		for (uint32_t i = 0; i < step; i++)
		{
			bool		all = true;

			for (uint32_t a = 0; a < m; a++)
				all = all && (!clique[step][a] || clique[i][a]);
			inside = inside || all;
		}
		cells += inside ? 0 : exp(least_size);
		for (uint32_t a = 0; a < m; a++)
			for (uint32_t b = 0; b < m; b++)
				near[a][b] = a != v && b != v && a != b
					&& (near[a][b] || (clique[step][a] && clique[step][b]));
		gone[v] = true;
	}
	return cells;
}

/* Random graphs: never below the best order, seldom above it, and what the rule says. */
static void
test_triangulation(void)
{
	const int	turns = 150;
	uint32_t	best = 0;
	double		excess = 0;

	start(1);
	for (int turn = 0; turn < turns; turn++)
	{
		uint32_t	m = 2 + below(5);
		uint32_t	classes[MAX_COLUMNS];
		uint32_t	order[MAX_COLUMNS];
		pegs_graph	graph;
		double		cells;
		double		least;

		pegs_graph_init(&env, &graph, m);
		for (uint32_t a = 0; a < m; a++)
		{
			classes[a] = 1 + below(turn % 2 ? 4 : 12);
			order[a] = a;
			for (uint32_t b = 0; b < a; b++)
				if (below(2))
					pegs_graph_join(&graph, a, b);
		}
		cells = pegs_graph_cells(&env, &graph, classes);
		least = least_cells(&graph, classes, order, 0);
		best += cells <= least * (1 + 1e-9);
		excess += cells / least - 1;
		CHECK(cells >= least * (1 - 1e-9));
		CHECK(fabs(cells - cells_by_rule(&graph, classes)) <= 1e-9 * cells);
		arena_free(&memory);
	}
	/* a rule of thumb: right three times of four, seldom far off */
	CHECK(best >= 110);
	CHECK(excess / turns < 0.1);
	for (int turn = 0; turn < 60; turn++)
	{
		uint32_t	m = 8 + below(24);
		uint32_t	classes[MAX_RULED];
		pegs_graph	graph;
		double		cells;

		pegs_graph_init(&env, &graph, m);
		for (uint32_t a = 0; a < m; a++)
		{
			classes[a] = 1 + below(9);
			for (uint32_t b = 0; b < a; b++)
				if (below(m) < 4)
					pegs_graph_join(&graph, a, b);
		}
		cells = pegs_graph_cells(&env, &graph, classes);
		CHECK(fabs(cells - cells_by_rule(&graph, classes)) <= 1e-9 * cells);
		arena_free(&memory);
	}
}

/* By ranks: the highest first, and all of one rank as without; the cliques hold every edge, and each pair of them that an order joins. */
static void
test_ranks(void)
{
	start(3);
	for (int turn = 0; turn < 100; turn++)
	{
		uint32_t	m = 3 + below(5);
		uint32_t	classes[MAX_RULED];
		uint32_t	rank[MAX_RULED] = {0};
		uint32_t	order[2][MAX_RULED];
		uint64_t	cliques[2][MAX_RULED + 1];
		double		cells[2];
		uint32_t	n[2];
		pegs_graph	graph;

		pegs_graph_init(&env, &graph, m);
		CHECK(graph.rank == NULL);
		for (uint32_t a = 0; a < m; a++)
		{
			classes[a] = 1 + below(5);
			for (uint32_t b = 0; b < a; b++)
				if (below(m) < 3)
					pegs_graph_join(&graph, a, b);
		}
		n[0] = pegs_graph_eliminate(&env, &graph, classes, cliques[0], &cells[0], order[0]);
		graph.rank = rank;
		n[1] = pegs_graph_eliminate(&env, &graph, classes, cliques[1], &cells[1], order[1]);
		CHECK_INT(n[0], n[1]);
		CHECK(cells[0] == cells[1] && memcmp(cliques[0], cliques[1], sizeof(uint64_t) * n[0]) == 0 && memcmp(order[0], order[1], sizeof(uint32_t) * m) == 0);
		for (uint32_t a = 0; a < m; a++)
			rank[a] = below(3);
		n[1] = pegs_graph_eliminate(&env, &graph, classes, cliques[1], &cells[1], order[1]);
		for (uint32_t i = 1; i < m; i++)
			CHECK(rank[order[1][i]] <= rank[order[1][i - 1]]);
		CHECK(fabs(cells_in_order(&graph, classes, order[1]) - cells[1]) <= 1e-9 * cells[1]);
		for (uint32_t a = 0; a < m; a++)
			for (uint32_t b = 0; b < a; b++)
			{
				bool		held = !pegs_graph_joined(&graph, a, b);

				for (uint32_t i = 0; i < n[1]; i++)
					held |= (cliques[1][i] >> a & 1) && (cliques[1][i] >> b & 1);
				CHECK(held);
			}
		arena_free(&memory);
	}
}

int
main(void)
{
	env = arena_env_freeing(&memory);
	test_graph();
	test_known_cells();
	test_triangulation();
	test_ranks();
	return unit_done("graph_test");
}
