/*
 * graph.h
 *	  Graphs of columns, and their triangulation by least weighted fill.
 */
#ifndef PEGS_GRAPH_H
#define PEGS_GRAPH_H

#include "core/core.h"

/* A graph of columns: bit b of row a, both ways. */
typedef struct pegs_graph
{
	uint32_t	ncols;
	uint32_t	words;			/* of a row */
	uint64_t   *row;
	const uint32_t *rank;		/* [ncols] those of the highest rank are eliminated first; NULL: all are of one */
} pegs_graph;

extern void pegs_graph_init(const pegs_env *env, pegs_graph *graph, uint32_t ncols);
extern void pegs_graph_join(pegs_graph *graph, uint32_t a, uint32_t b);
extern bool pegs_graph_joined(const pegs_graph *graph, uint32_t a, uint32_t b);

/*
 * Elimination cliques, largest sets only, as bit rows in the order of
 * elimination: out[(ncols + 1) * words]. Gives their number, and the cells of
 * all their tables. order: [ncols] the columns as they go, or NULL.
 */
extern uint32_t pegs_graph_eliminate(const pegs_env *env, const pegs_graph *graph, const uint32_t *classes,
									 uint64_t *out, double *cells, uint32_t *order);

/* Cells of the graph triangulated by least weighted fill, for these numbers of classes. */
extern double pegs_graph_cells(const pegs_env *env, const pegs_graph *graph, const uint32_t *classes);

#endif							/* PEGS_GRAPH_H */
