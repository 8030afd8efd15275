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

uint32_t
pegs_graph_eliminate(const pegs_env *env, const pegs_graph *given, const uint32_t *classes, uint64_t *out, double *cells)
{
	uint32_t	m = given->ncols;
	uint32_t	words = given->words;
	pegs_graph	graph;
	bool	   *gone = env->alloc(env->context, sizeof(bool) * m);
	double	   *weight = env->alloc(env->context, sizeof(double) * m);
	double	   *fill = env->alloc(env->context, sizeof(double) * m);
	double	   *size = env->alloc(env->context, sizeof(double) * m);
	bool	   *stale = env->alloc(env->context, sizeof(bool) * m);
	uint32_t   *near = env->alloc(env->context, sizeof(uint32_t) * m);
	uint32_t	n = 0;

	pegs_graph_init(env, &graph, m);
	memcpy(graph.row, given->row, sizeof(uint64_t) * m * words);
	*cells = 0;
	for (uint32_t i = 0; i < m; i++)
	{
		weight[i] = log((double) classes[i]);
		stale[i] = true;
	}
	for (uint32_t step = 0; step < m; step++)
	{
		uint32_t	v = UINT32_MAX;
		uint32_t	degree = 0;
		uint64_t   *clique = out + (size_t) n * words;
		bool		inside = false;

		env->check(env->context);
		for (uint32_t i = 0; i < m; i++)
		{
			if (gone[i])
				continue;
			if (stale[i])
			{
				uint32_t	d = 0;

				stale[i] = false;
				fill[i] = 0;
				size[i] = weight[i];
				for (uint32_t a = 0; a < m; a++)
					if (pegs_graph_joined(&graph, i, a))
					{
						size[i] += weight[a];
						for (uint32_t b = 0; b < d; b++)
							if (!pegs_graph_joined(&graph, a, near[b]))
								fill[i] += weight[a] + weight[near[b]];
						near[d++] = a;
					}
			}
			if (v == UINT32_MAX || fill[i] < fill[v] - 1e-12
				|| (fill[i] < fill[v] + 1e-12 && size[i] < size[v] - 1e-12))
				v = i;
		}
		for (uint32_t a = 0; a < m; a++)
			if (pegs_graph_joined(&graph, v, a))
				near[degree++] = a;
		memcpy(clique, graph.row + (size_t) v * words, sizeof(uint64_t) * words);
		clique[v / 64] |= UINT64_C(1) << (v % 64);
		for (uint32_t i = 0; i < n && !inside; i++)
		{
			inside = true;
			for (uint32_t w = 0; w < words; w++)
				inside &= (clique[w] & ~out[(size_t) i * words + w]) == 0;
		}
		if (!inside)
		{
			*cells += exp(size[v]);
			n++;
		}
		/* neighbours become a clique without v; theirs and their neighbours' fill changes */
		for (uint32_t x = 0; x < degree; x++)
		{
			uint32_t	a = near[x];

			for (uint32_t y = 0; y < x; y++)
				pegs_graph_join(&graph, a, near[y]);
			graph.row[(size_t) a * words + v / 64] &= ~(UINT64_C(1) << (v % 64));
		}
		for (uint32_t x = 0; x < degree; x++)
		{
			stale[near[x]] = true;
			for (uint32_t a = 0; a < m; a++)
				stale[a] |= pegs_graph_joined(&graph, near[x], a);
		}
		memset(graph.row + (size_t) v * words, 0, sizeof(uint64_t) * words);
		gone[v] = true;
	}
	pegs_env_free(env, graph.row);
	pegs_env_free(env, gone);
	pegs_env_free(env, weight);
	pegs_env_free(env, fill);
	pegs_env_free(env, size);
	pegs_env_free(env, stale);
	pegs_env_free(env, near);
	return n;
}

double
pegs_graph_cells(const pegs_env *env, const pegs_graph *graph, const uint32_t *classes)
{
	uint64_t   *out = env->alloc(env->context, sizeof(uint64_t) * graph->words * (graph->ncols + 1));
	double		cells;

	(void) pegs_graph_eliminate(env, graph, classes, out, &cells);
	pegs_env_free(env, out);
	return cells;
}
