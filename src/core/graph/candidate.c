/*
 * candidate.c
 *	  What could be measured next, or is measured: a pair on a grid, or a triple.
 *	  Here alone it is asked which of the two it is.
 *
 * Claims P6 and P7: pairs.c and triples.c, which touch the counts.
 */
#include "core/graph/state.h"

static bool
is_triple(const pegs_candidate *c)
{
	return c->n == 3;
}

/* A pair on its finest grid. */
pegs_candidate
pegs_candidate_of_pair(const pegs_pair *pair)
{
	return (pegs_candidate) {.n = 2, .column = {pair->column[0], pair->column[1]}, .k = {pair->k[0], pair->k[1]}};
}

pegs_candidate
pegs_candidate_of_triple(const uint32_t *levels, const uint32_t *column)
{
	pegs_candidate c = {.n = 3};

	for (int x = 0; x < 3; x++)
	{
		c.column[x] = column[x];
		c.k[x] = levels[column[x]];
	}
	return c;
}

size_t
pegs_candidate_cells(const pegs_candidate *c)
{
	return (size_t) c->k[0] * c->k[1] * (is_triple(c) ? c->k[2] : 1);
}

/* How many columns both have. */
uint32_t
pegs_candidate_shared(const pegs_candidate *a, const pegs_candidate *b)
{
	uint32_t	n = 0;

	for (uint32_t x = 0; x < a->n; x++)
		for (uint32_t y = 0; y < b->n; y++)
			n += a->column[x] == b->column[y];
	return n;
}

/* What is expected of it now, as shares. */
double *
pegs_candidate_expected(const pegs_graph_fit *f, const pegs_candidate *c, double *const *tree_pairs)
{
	return is_triple(c) ? pegs_expected_triple(f, c->column, tree_pairs) : pegs_expected(f, c->column, c->k, tree_pairs);
}

/* What its own measurements say: it has some, and they are estimated. */
double *
pegs_candidate_estimate(pegs_graph_fit *f, const pegs_candidate *c, double *const *tree_pairs)
{
	if (is_triple(c))
		return pegs_expected_triple(f, c->column, tree_pairs);
	return pegs_own_estimate(f, pegs_get_or_add_pair(f, c->column[0], c->column[1]), c->k);
}

/* Sensitivity 1. Claim P7. */
int64_t
pegs_candidate_score(const pegs_graph_fit *f, const pegs_candidate *c, double *const *tree_pairs, double noise_abs)
{
	double	   *expected;
	int64_t		score;

	if (!is_triple(c))
		return pegs_score(f, c, tree_pairs, noise_abs);
	expected = pegs_expected_triple(f, c->column, tree_pairs);
	score = pegs_score_triple(f, c, expected, noise_abs);
	pegs_env_free(f->env, expected);
	return score;
}

/* One look. Claim P6. */
void
pegs_candidate_measure(pegs_graph_fit *f, const pegs_candidate *c, double cost)
{
	if (is_triple(c))
		pegs_measure_triple(f, pegs_get_or_add_triple(f, c->column), cost);
	else
		pegs_measure_pair(f, pegs_get_or_add_pair(f, c->column[0], c->column[1]), c->k, cost);
}

/* Of a triple that does not fit, each pair by itself. */
static void
place_triple(pegs_graph_fit *f, pegs_plan *p, const pegs_candidate *won, double cells)
{
	pegs_triple *triple = pegs_get_or_add_triple(f, won->column);

	triple->outside = !pegs_plan_fits(f, p, won, cells);
	for (int x = 0; x < 3; x++)
		for (int y = 0; y < x; y++)
		{
			pegs_candidate two = {.n = 2, .column = {won->column[y], won->column[x]}, .k = {won->k[y], won->k[x]}};
			pegs_pair  *pair = pegs_get_or_add_pair(f, two.column[0], two.column[1]);

			pair->outside = triple->outside && !pegs_plan_fits(f, p, &two, cells);
		}
}

/* What was chosen, in the tree or outside. By sizes alone. */
void
pegs_candidate_place(pegs_graph_fit *f, pegs_plan *p, pegs_candidate *won, double cells)
{
	pegs_pair  *pair;
	pegs_candidate whole = *won;

	if (is_triple(won))
	{
		place_triple(f, p, won, cells);
		return;
	}
	pair = f->pair_of[(size_t) won->column[0] * f->layout->ncols + won->column[1]] < 0 ? NULL
		: pegs_get_or_add_pair(f, won->column[0], won->column[1]);
	/* what would be in the tree is the pair's finest grid, not the one that won */
	for (int x = 0; pair && x < 2; x++)
		if (pair->k[x] > whole.k[x])
			whole.k[x] = pair->k[x];
	if (pegs_plan_fits(f, p, &whole, cells))
		pegs_get_or_add_pair(f, won->column[0], won->column[1])->outside = false;
	else if (pair == NULL)
		pegs_get_or_add_pair(f, won->column[0], won->column[1])->outside = true;
	else if (!pair->outside && pair->n > 0)
	{
		/* in the tree already, on a coarser grid: that one again */
		won->k[0] = pair->measured[0].k[0];
		won->k[1] = pair->measured[0].k[1];
	}
}
