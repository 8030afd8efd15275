/*
 * graphs.h
 *	  Graphs of columns, for the tests of the graph and of the junction tree.
 */
#ifndef PEGS_GRAPHS_H
#define PEGS_GRAPHS_H

#include "core/graph/graph.h"
#include "fixture.h"

static inline uint32_t
below(uint32_t n)
{
	return (uint32_t) pegs_rng_below(&rng, n);
}

static inline pegs_graph
graph_of(uint32_t ncols, uint32_t n, const uint32_t (*edge)[2])
{
	pegs_graph	graph;

	pegs_graph_init(&env, &graph, ncols);
	for (uint32_t e = 0; e < n; e++)
		pegs_graph_join(&graph, edge[e][0], edge[e][1]);
	return graph;
}

#endif							/* PEGS_GRAPHS_H */
