/*
 * graph.c
 *	  Graphs of columns, and their triangulation by least weighted fill.
 *
 * Sizes only: which pairs are joined is public by the time they are.
 */
#include "core/graph/graph.h"

#include <math.h>
#include <string.h>

void
pegs_graph_init(const pegs_env *env, pegs_graph *graph, uint32_t ncols)
{
	graph->ncols = ncols;
	graph->words = (ncols + 63) / 64;
	graph->row = env->alloc(env->context, sizeof(uint64_t) * ncols * graph->words);
	graph->rank = NULL;
}

void
pegs_graph_join(pegs_graph *graph, uint32_t a, uint32_t b)
{
	graph->row[(size_t) a * graph->words + b / 64] |= UINT64_C(1) << (b % 64);
	graph->row[(size_t) b * graph->words + a / 64] |= UINT64_C(1) << (a % 64);
}

bool
pegs_graph_joined(const pegs_graph *graph, uint32_t a, uint32_t b)
{
	return graph->row[(size_t) a * graph->words + b / 64] >> (b % 64) & 1;
}

/* An elimination under way. */
typedef struct elimination
{
	const pegs_env *env;
	pegs_graph	graph;			/* of the columns that are left */
	bool	   *gone;
	double	   *weight;			/* log of a column's classes */
	double	   *fill;			/* weight of the edges that eliminating a column adds */
	double	   *size;			/* log of the cells of a column and its neighbours */
	bool	   *stale;			/* fill and size are to be found anew */
	uint32_t   *near;			/* neighbours of the column at hand */
} elimination;

static void
find_fill(elimination *e, uint32_t i)
{
	uint32_t	d = 0;

	e->env->check(e->env->context);
	e->stale[i] = false;
	e->fill[i] = 0;
	e->size[i] = e->weight[i];
	for (uint32_t a = 0; a < e->graph.ncols; a++)
		if (pegs_graph_joined(&e->graph, i, a))
		{
			e->size[i] += e->weight[a];
			for (uint32_t b = 0; b < d; b++)
				if (!pegs_graph_joined(&e->graph, a, e->near[b]))
					e->fill[i] += e->weight[a] + e->weight[e->near[b]];
			e->near[d++] = a;
		}
}

/* Of the highest rank that is left the column of the least fill, and of those of the smallest table. */
static uint32_t
next_column(elimination *e)
{
	const uint32_t *rank = e->graph.rank;
	uint32_t	v = UINT32_MAX;
	uint32_t	highest = 0;

	for (uint32_t i = 0; rank && i < e->graph.ncols; i++)
		if (!e->gone[i] && rank[i] > highest)
			highest = rank[i];
	for (uint32_t i = 0; i < e->graph.ncols; i++)
	{
		if (e->gone[i] || (rank && rank[i] != highest))
			continue;
		if (e->stale[i])
			find_fill(e, i);
		if (v == UINT32_MAX || e->fill[i] < e->fill[v] - 1e-12
			|| (e->fill[i] < e->fill[v] + 1e-12 && e->size[i] < e->size[v] - 1e-12))
			v = i;
	}
	return v;
}

/* Does one of n sets hold all of this one? */
static bool
is_inside(const uint64_t *clique, const uint64_t *sets, uint32_t n, uint32_t words)
{
	bool		inside = false;

	for (uint32_t i = 0; i < n && !inside; i++)
	{
		inside = true;
		for (uint32_t w = 0; w < words; w++)
			inside &= (clique[w] & ~sets[(size_t) i * words + w]) == 0;
	}
	return inside;
}

/* Neighbours become a clique without v; theirs and their neighbours' fill changes. */
static void
take_out(elimination *e, uint32_t v)
{
	pegs_graph *graph = &e->graph;
	uint32_t	degree = 0;

	for (uint32_t a = 0; a < graph->ncols; a++)
		if (pegs_graph_joined(graph, v, a))
			e->near[degree++] = a;
	for (uint32_t x = 0; x < degree; x++)
	{
		uint32_t	a = e->near[x];

		for (uint32_t y = 0; y < x; y++)
			pegs_graph_join(graph, a, e->near[y]);
		graph->row[(size_t) a * graph->words + v / 64] &= ~(UINT64_C(1) << (v % 64));
	}
	for (uint32_t x = 0; x < degree; x++)
	{
		e->stale[e->near[x]] = true;
		for (uint32_t a = 0; a < graph->ncols; a++)
			e->stale[a] |= pegs_graph_joined(graph, e->near[x], a);
	}
	memset(graph->row + (size_t) v * graph->words, 0, sizeof(uint64_t) * graph->words);
	e->gone[v] = true;
}

uint32_t
pegs_graph_eliminate(const pegs_env *env, const pegs_graph *given, const uint32_t *classes, uint64_t *out, double *cells,
					 uint32_t *order)
{
	uint32_t	m = given->ncols;
	uint32_t	words = given->words;
	elimination e = {.env = env};
	uint32_t	n = 0;

	e.gone = env->alloc(env->context, sizeof(bool) * m);
	e.weight = env->alloc(env->context, sizeof(double) * m);
	e.fill = env->alloc(env->context, sizeof(double) * m);
	e.size = env->alloc(env->context, sizeof(double) * m);
	e.stale = env->alloc(env->context, sizeof(bool) * m);
	e.near = env->alloc(env->context, sizeof(uint32_t) * m);
	pegs_graph_init(env, &e.graph, m);
	memcpy(e.graph.row, given->row, sizeof(uint64_t) * m * words);
	e.graph.rank = given->rank;
	*cells = 0;
	for (uint32_t i = 0; i < m; i++)
	{
		e.weight[i] = log((double) classes[i]);
		e.stale[i] = true;
	}
	for (uint32_t step = 0; step < m; step++)
	{
		uint64_t   *clique = out + (size_t) n * words;
		uint32_t	v = next_column(&e);

		env->check(env->context);
		if (order)
			order[step] = v;
		memcpy(clique, e.graph.row + (size_t) v * words, sizeof(uint64_t) * words);
		clique[v / 64] |= UINT64_C(1) << (v % 64);
		if (!is_inside(clique, out, n, words))
		{
			*cells += exp(e.size[v]);
			n++;
		}
		take_out(&e, v);
	}
	pegs_env_free(env, e.graph.row);
	pegs_env_free(env, e.gone);
	pegs_env_free(env, e.weight);
	pegs_env_free(env, e.fill);
	pegs_env_free(env, e.size);
	pegs_env_free(env, e.stale);
	pegs_env_free(env, e.near);
	return n;
}

double
pegs_graph_cells(const pegs_env *env, const pegs_graph *graph, const uint32_t *classes)
{
	uint64_t   *out = env->alloc(env->context, sizeof(uint64_t) * graph->words * (graph->ncols + 1));
	double		cells;

	(void) pegs_graph_eliminate(env, graph, classes, out, &cells, NULL);
	pegs_env_free(env, out);
	return cells;
}
