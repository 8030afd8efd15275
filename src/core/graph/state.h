/*
 * state.h
 *	  What the files of the engine share: the state of one fit.
 */
#ifndef PEGS_GRAPH_STATE_H
#define PEGS_GRAPH_STATE_H

#include "core/method.h"
#include "core/column/column.h"
#include "core/later.h"
#include "core/graph/engine.h"
#include "core/column/merge.h"

/* Constants that more than one file works with; the others stand in the file that uses them. docs/engine.md */
#define PEGS_CHOICE_SHARE 0.12	/* of a pair's cost, for choosing it */
#define PEGS_TV_PER_SD 0.4		/* half of sqrt(2/pi): the mean |noise| of a cell, as total variation */
#define PEGS_COVER_ONEWAYS 0.22	/* of the total, on 1-ways at least, where all pairs can be had */
#define PEGS_COVER_PART 0.95	/* of what the 1-ways left, for all pairs where they can be had; rounds have the rest */
#define PEGS_NOISE_CHARGE 0.6	/* of the expected noise, in the score */
#define PEGS_GRIDS 4			/* offered of a pair, at most */
#define PEGS_AFTER_MISS 4		/* times the cost of a round, after one that found nothing */

/* A pair on a grid, or a triple with all its levels, that could be measured next. */
typedef struct pegs_candidate
{
	uint32_t	n;				/* columns */
	uint32_t	column[3];
	uint32_t	k[3];
	int64_t		score;
} pegs_candidate;

typedef struct pegs_graph_fit
{
	const pegs_env *env;
	pegs_rng   *rng;
	const pegs_layout *layout;
	const uint64_t *cells;		/* private */
	pegs_later *later;			/* private, where pairs are too many for memory; else NULL */
	pegs_fitted *model;
	pegs_accountant *accountant;
	pegs_oneway *one;
	pegs_merge *merge;
	bool		covered;		/* all pairs were measured, without a choice */
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
extern double pegs_oneway_budget(const pegs_accountant *accountant, uint32_t ncols, double mean, double rows, double *first);
extern double *pegs_levels_in_use(const pegs_graph_fit *f);
extern double pegs_spread(const pegs_graph_fit *f, uint32_t column);
extern double *pegs_class_shares(const pegs_graph_fit *f, uint32_t column, uint32_t k, const uint16_t *class_of);

/* ---- absent.c: columns that another one says are not there ---- */

extern const double *pegs_absent_masses(const pegs_graph_fit *f, uint32_t column);
extern void pegs_absent_agree(const pegs_graph_fit *f);
extern void pegs_absent_join(const pegs_graph_fit *f, pegs_graph *graph, uint32_t *classes);
extern uint32_t pegs_absent_targets(const pegs_graph_fit *f, const uint32_t *classes, pegs_target *target);

/* ---- pairs.c: two of them ---- */

extern pegs_candidate *pegs_offer(const pegs_graph_fit *f, double sd, size_t *n);
extern int64_t pegs_score(const pegs_graph_fit *f, const pegs_candidate *c, double *const *tree_pairs, double noise_abs);
extern pegs_pair *pegs_get_or_add_pair(pegs_graph_fit *f, uint32_t a, uint32_t b);
extern void pegs_measure_pair(pegs_graph_fit *f, pegs_pair *pair, const uint32_t *k, double cost);
extern double *pegs_own_estimate(const pegs_graph_fit *f, const pegs_pair *pair, const uint32_t *k);
extern void pegs_cut_pair(const pegs_graph_fit *f, const uint32_t *column, const uint32_t *k, uint16_t **class_of);
extern double *pegs_expected(const pegs_graph_fit *f, const uint32_t *column, const uint32_t *k, double *const *tree_pairs);

/* ---- estimate.c: what is known of all pairs, from all that was measured ---- */

extern void pegs_estimate_pairs(const pegs_graph_fit *f);

/* Numbers that a pair has besides its 1-ways. */
static inline double
pegs_pair_free(const pegs_pair *pair)
{
	return (pair->k[0] - 1.0) * (pair->k[1] - 1.0);
}

/* ---- common.c: what the pairs of a cover have in common ---- */

/* d[npairs]: each pair's difference from independence, in rows, all its levels. In place: what is left of it without noise. */
extern void pegs_keep_common(const pegs_graph_fit *f, double *const *d);

/* ---- signal.c: the part of many estimates that is more than noise ---- */

typedef struct pegs_estimate
{
	double		free;			/* numbers that it consists of; none: nothing is kept */
	double		scale;			/* what variance of them is usual, > 0: true values are compared in it */
	double		variance;		/* of the noise of each, > 0 */
	double		squares;		/* sum of their squares */
	double		keep;			/* out: the part of each that is to be kept, 0 to 1 */
} pegs_estimate;

extern void pegs_keep_signal(const pegs_env *env, uint32_t n, pegs_estimate *estimate);

/* ---- triples.c: three of them ---- */

extern size_t pegs_triple_cells(const pegs_graph_fit *f, const uint32_t *column);
extern void pegs_offer_triples(const pegs_graph_fit *f, pegs_candidate *c, size_t *n);
extern int64_t pegs_score_triple(const pegs_graph_fit *f, const pegs_candidate *c, const double *expected, double noise_abs);
extern pegs_triple *pegs_find_triple(const pegs_graph_fit *f, const uint32_t *column);
extern void pegs_measure_triple(pegs_graph_fit *f, pegs_triple *triple, double cost);
extern double *pegs_triple_margin(const pegs_graph_fit *f, const pegs_triple *triple, const double *table, uint32_t left_out);

/* ---- interaction.c: what three of them say besides their pairs ---- */

extern pegs_triple *pegs_get_or_add_triple(pegs_graph_fit *f, const uint32_t *column);
extern double *pegs_expected_triple(const pegs_graph_fit *f, const uint32_t *column, double *const *tree_pairs);
extern double *pegs_pairs_of_triple(const pegs_graph_fit *f, const uint32_t *column);
extern void pegs_estimate_triples(const pegs_graph_fit *f);

/* ---- target.c: what the rows are for ---- */

extern int64_t pegs_for_target(const pegs_graph_fit *f, uint32_t n, const uint32_t *column, int64_t score);

/* ---- plan.c: which of them the tree can hold ---- */

#define PEGS_TREE_CELLS 100000.0	/* of the junction tree, at the end */

/* What the tree would be with one more pair. */
typedef struct pegs_plan
{
	pegs_graph	graph;
	uint32_t   *classes;
} pegs_plan;

extern pegs_plan pegs_plan_empty(const pegs_graph_fit *f);
extern pegs_plan pegs_plan_of_tree(const pegs_graph_fit *f);
extern bool pegs_plan_fits(const pegs_graph_fit *f, pegs_plan *p, const pegs_candidate *c, double cells);

/* ---- candidate.c: a pair or a triple, whichever it is ---- */

extern pegs_candidate pegs_candidate_of_pair(const pegs_pair *pair);
extern pegs_candidate pegs_candidate_of_triple(const uint32_t *levels, const uint32_t *column);
extern size_t pegs_candidate_cells(const pegs_candidate *c);
extern uint32_t pegs_candidate_shared(const pegs_candidate *a, const pegs_candidate *b);
extern double *pegs_candidate_expected(const pegs_graph_fit *f, const pegs_candidate *c, double *const *tree_pairs);
extern double *pegs_candidate_estimate(pegs_graph_fit *f, const pegs_candidate *c, double *const *tree_pairs);
extern int64_t pegs_candidate_score(const pegs_graph_fit *f, const pegs_candidate *c, double *const *tree_pairs, double noise_abs);
extern void pegs_candidate_measure(pegs_graph_fit *f, const pegs_candidate *c, double cost);
extern void pegs_candidate_place(pegs_graph_fit *f, pegs_plan *p, pegs_candidate *won, double cells);

/* ---- cover.c: all of them, once ---- */

extern bool pegs_can_cover(const pegs_accountant *accountant, uint32_t ncols, const uint32_t *levels, double *const *share, double rows);
extern double pegs_cover_share(const pegs_accountant *accountant, double cells);
extern pegs_candidate *pegs_cover_blocks(const pegs_env *env, const pegs_layout *layout, uint32_t *n);
extern void pegs_measure_cover(pegs_graph_fit *f);
extern void pegs_plan_cover(pegs_graph_fit *f, double cells);

/* ---- engine.c: what pairs may cost ---- */

extern double pegs_forest_cost(uint32_t ncols, double left);

/* ---- rounds.c: how many of them are asked for ---- */

extern double pegs_rounds(const pegs_env *env, const pegs_accountant *accountant, uint32_t ncols, const double *size, double rows,
						  bool covered, uint32_t *batch);

extern bool pegs_offers_triples(const pegs_accountant *accountant, double rows, bool covered);

/* ---- forecast.c: what a fit will be good for, before it is made ---- */

extern double pegs_graph_noise(const pegs_env *env, const pegs_accountant *accountant, const pegs_layout *layout);
extern void pegs_graph_forecast(const pegs_env *env, const pegs_accountant *accountant, uint32_t ncols, const uint32_t *levels, double rows,
								pegs_forecast *forecast);

#endif							/* PEGS_GRAPH_STATE_H */
