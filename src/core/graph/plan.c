/*
 * plan.c
 *	  Which pairs the junction tree can hold.
 *
 * Sizes only: which pairs are asked for is public by the time they are. A pair
 * that does not fit stays outside. Claim P7.
 */
#include "core/graph/state.h"

#include <string.h>

/* Columns that nothing joins, of one class each. */
pegs_plan
pegs_plan_empty(const pegs_graph_fit *f)
{
	uint32_t	m = f->layout->ncols;
	pegs_plan	p;

	pegs_graph_init(f->env, &p.graph, m);
	p.graph.rank = f->layout->rank;
	p.classes = pegs_fit_alloc(f, m, sizeof(uint32_t));
	for (uint32_t i = 0; i < m; i++)
		p.classes[i] = 1;
	pegs_absent_join(f, &p.graph, p.classes);
	return p;
}

/* The tree as it is. */
pegs_plan
pegs_plan_of_tree(const pegs_graph_fit *f)
{
	const pegs_jtree *tree = &f->model->tree;
	pegs_plan	p = pegs_plan_empty(f);

	memcpy(p.classes, tree->classes, sizeof(uint32_t) * tree->ncols);
	for (uint32_t i = 0; i < tree->nclique; i++)
		for (uint32_t x = 0; x < tree->clique[i].n; x++)
			for (uint32_t y = 0; y < x; y++)
				pegs_graph_join(&p.graph, tree->clique[i].column[x], tree->clique[i].column[y]);
	return p;
}

/* Does the tree stay within `cells` with this pair or triple? If so it is in the plan. Sizes only. */
bool
pegs_plan_fits(const pegs_graph_fit *f, pegs_plan *p, const pegs_candidate *c, double cells)
{
	pegs_plan	next;
	bool		known = true;

	for (uint32_t x = 0; x < c->n; x++)
	{
		known &= c->k[x] <= p->classes[c->column[x]];
		for (uint32_t y = 0; y < x; y++)
			known &= pegs_graph_joined(&p->graph, c->column[x], c->column[y]);
	}
	/* three that are joined two by two lie in one clique of any triangulation */
	if (known)
		return true;
	pegs_graph_init(f->env, &next.graph, p->graph.ncols);
	next.graph.rank = p->graph.rank;
	memcpy(next.graph.row, p->graph.row, sizeof(uint64_t) * p->graph.ncols * p->graph.words);
	next.classes = pegs_fit_alloc(f, p->graph.ncols, sizeof(uint32_t));
	memcpy(next.classes, p->classes, sizeof(uint32_t) * p->graph.ncols);
	for (uint32_t x = 0; x < c->n; x++)
	{
		for (uint32_t y = 0; y < x; y++)
			pegs_graph_join(&next.graph, c->column[x], c->column[y]);
		if (c->k[x] > next.classes[c->column[x]])
			next.classes[c->column[x]] = c->k[x];
	}
	if (pegs_graph_cells(f->env, &next.graph, next.classes) > cells)
	{
		pegs_env_free(f->env, next.graph.row);
		pegs_env_free(f->env, next.classes);
		return false;
	}
	pegs_env_free(f->env, p->graph.row);
	pegs_env_free(f->env, p->classes);
	*p = next;
	return true;
}
