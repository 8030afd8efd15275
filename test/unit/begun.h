/*
 * begun.h
 *	  A fit of the graph engine that has not looked yet: what pegs_engine_fit
 *	  makes ready, for the tests of its steps.
 */
#ifndef PEGS_BEGUN_H
#define PEGS_BEGUN_H

#include "core/graph/state.h"
#include "fixture.h"

static inline void *
begun_alloc(size_t n, size_t size)
{
	return env.alloc(env.context, n * size);
}

/* The account is the model's, and opened by the caller. */
static inline pegs_graph_fit
begun(const pegs_layout *layout, const uint64_t *cells, pegs_fitted *model)
{
	uint32_t	m = layout->ncols;
	pegs_graph_fit f = {.env = &env, .rng = &rng, .layout = layout, .cells = cells, .model = model};

	*model = (pegs_fitted) {.ncols = m, .levels = layout->levels, .accountant = model->accountant};
	f.accountant = &model->accountant;
	model->share = begun_alloc(m, sizeof(double *));
	model->class_of = begun_alloc(m, sizeof(uint16_t *));
	for (uint32_t i = 0; i < m; i++)
		model->share[i] = begun_alloc(layout->levels[i], sizeof(double));
	model->pair = begun_alloc((size_t) m * m, sizeof(pegs_pair));
	f.one = begun_alloc(m, sizeof(pegs_oneway));
	f.merge = begun_alloc(m, sizeof(pegs_merge));
	f.pair_of = begun_alloc((size_t) m * m, sizeof(int32_t));
	for (uint32_t i = 0; i < m * m; i++)
		f.pair_of[i] = -1;
	return f;
}

/* Classes of every column, from its shares. */
static inline void
begun_classes(pegs_graph_fit *f)
{
	for (uint32_t i = 0; i < f->layout->ncols; i++)
		pegs_merge_build(&env, &f->merge[i], f->layout->levels[i], f->model->share[i], NULL);
}

#endif							/* PEGS_BEGUN_H */
