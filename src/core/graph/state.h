/*
 * state.h
 *	  What the files of the engine share: the state of one fit.
 */
#ifndef PEGS_GRAPH_STATE_H
#define PEGS_GRAPH_STATE_H

#include "core/graph/engine.h"
#include "core/graph/merge.h"
#include "core/graph/column.h"

typedef struct pegs_oneway
{
	double	   *noisy;			/* inverse-variance mean of the measurements */
	double		variance;		/* < 0: not measured yet */
} pegs_oneway;

/* A pair on a grid that could be measured next. */
typedef struct pegs_candidate
{
	uint32_t	column[2];
	uint32_t	k[2];
	int64_t		score;
} pegs_candidate;

typedef struct pegs_graph_fit
{
	const pegs_env *env;
	pegs_rng   *rng;
	const pegs_layout *layout;
	const uint64_t *cells;		/* private */
	pegs_fitted *model;
	pegs_accountant *accountant;
	pegs_oneway *one;
	pegs_merge *merge;
	int32_t    *pair_of;		/* [ncols * ncols] number of a pair, or -1 */
} pegs_graph_fit;

static inline void *
pegs_fit_alloc(const pegs_graph_fit *f, size_t n, size_t size)
{
	return f->env->alloc(f->env->context, n * size);
}

/* ---- oneways.c: one column at a time ---- */

extern void pegs_fit_oneways(pegs_graph_fit *f);
extern void pegs_estimate_oneways(pegs_graph_fit *f);
extern void pegs_measure_oneways(pegs_graph_fit *f, double cost);
extern double *pegs_class_shares(const pegs_graph_fit *f, uint32_t column, uint32_t k, const uint16_t *class_of);

/* ---- pairs.c: two of them ---- */

extern pegs_candidate *pegs_offer(const pegs_graph_fit *f, double sd, size_t *n);
extern int64_t pegs_score(const pegs_graph_fit *f, const pegs_candidate *c, double *const *tree_pairs, double noise_abs);
extern pegs_pair *pegs_get_or_add_pair(pegs_graph_fit *f, uint32_t a, uint32_t b);
extern void pegs_measure_pair(pegs_graph_fit *f, pegs_pair *pair, const uint32_t *k, double cost);
extern void pegs_estimate_pair(const pegs_graph_fit *f, pegs_pair *pair);
extern double *pegs_own_estimate(const pegs_graph_fit *f, const pegs_pair *pair, const uint32_t *k);
extern double *pegs_expected(const pegs_graph_fit *f, const uint32_t *column, const uint32_t *k, double *const *tree_pairs);

#endif							/* PEGS_GRAPH_STATE_H */
