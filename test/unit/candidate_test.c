/*
 * candidate_test.c
 *	  A pair or a triple, whichever it is: what is done with it is what is done
 *	  with that.
 */
#include "core/graph/state.h"

#include <math.h>
#include <string.h>

#include "three.h"
#include "unit.h"

/* Of the columns of three.h. */
static const pegs_candidate whole = {.n = 3, .column = {0, 1, 2}, .k = {2, 3, 4}};
static const pegs_candidate coarse = {.n = 2, .column = {1, 2}, .k = {3, 2}};

static void
test_sizes(void)
{
	static const pegs_candidate other = {.n = 2, .column = {0, 2}, .k = {2, 4}};
	static const uint32_t levels[9] = {1, 5, 1, 3, 1, 1, 1, 1, 2};
	pegs_candidate c = pegs_candidate_of_triple(levels, (uint32_t[]) {1, 3, 8});
	pegs_pair	pair = {.column = {4, 7}, .k = {6, 5}};

	CHECK_INT(pegs_candidate_cells(&whole), 24);
	CHECK_INT(pegs_candidate_cells(&coarse), 6);
	CHECK_INT(pegs_candidate_shared(&whole, &coarse), 2);
	CHECK_INT(pegs_candidate_shared(&other, &coarse), 1);
	CHECK_INT(pegs_candidate_shared(&whole, &c), 1);
	CHECK_INT(pegs_candidate_shared(&other, &c), 0);	/* not by the third place of a pair */
	CHECK(c.n == 3 && c.column[2] == 8 && c.k[0] == 5 && c.k[1] == 3 && c.k[2] == 2);
	c = pegs_candidate_of_pair(&pair);
	CHECK(c.n == 2 && c.column[0] == 4 && c.column[1] == 7 && pegs_candidate_cells(&c) == 30);
}

/* Bit for bit. */
static bool
same(const double *a, const double *b, size_t n)
{
	return memcmp(a, b, sizeof(double) * n) == 0;
}

/* Scored, measured and expected as by the file of its kind; each look is of its own table, and of no other. */
static void
test_looks(void)
{
	pegs_graph_fit f = ready(1000 * PEGS_EPSILON_UNIT, DELTA);
	double	   *expected = pegs_candidate_expected(&f, &whole, NULL);

	CHECK(same(expected, pegs_expected_triple(&f, abc, NULL), 24));
	CHECK_INT(pegs_candidate_score(&f, &whole, NULL, 3), pegs_score_triple(&f, &whole, expected, 3));
	CHECK(same(pegs_candidate_expected(&f, &coarse, NULL), pegs_expected(&f, coarse.column, coarse.k, NULL), 6));
	CHECK_INT(pegs_candidate_score(&f, &coarse, NULL, 3), pegs_score(&f, &coarse, NULL, 3));
	CHECK(pegs_candidate_score(&f, &whole, NULL, 0) > pegs_candidate_score(&f, &coarse, NULL, 0));	/* the third column tells */

	pegs_candidate_measure(&f, &coarse, 0.2);
	CHECK(model.npairs == 1 && model.ntriples == 0 && model.pair[0].n == 1 && model.pair[0].measured[0].k[1] == 2);
	pegs_candidate_measure(&f, &whole, 0.2);
	pegs_candidate_measure(&f, &whole, 0.2);
	CHECK(model.npairs == 3 && model.ntriples == 1 && model.triple[0].n == 2 && model.pair[0].n == 1 && model.pair[1].n == 0);
	CHECK_INT(model.accountant.record[PEGS_FOR_PAIR - 1].uses, 3);
	pegs_estimate_pairs(&f);
	pegs_estimate_triples(&f);
	CHECK(same(pegs_candidate_estimate(&f, &whole, NULL), model.triple[0].share, 24));
	CHECK(same(pegs_candidate_estimate(&f, &coarse, NULL), pegs_own_estimate(&f, &model.pair[0], coarse.k), 6));
	arena_free(&memory);
}

/* In the tree or outside; a triple that does not fit leaves its pairs in, as many as fit. */
static void
test_place(void)
{
	pegs_graph_fit f = ready(1000 * PEGS_EPSILON_UNIT, DELTA);
	pegs_plan	p = pegs_plan_empty(&f);
	pegs_candidate won = whole;

	pegs_candidate_place(&f, &p, &won, 24);
	CHECK(model.ntriples == 1 && model.npairs == 3 && !model.triple[0].outside);
	CHECK(!model.pair[0].outside && !model.pair[1].outside && !model.pair[2].outside);
	CHECK(pegs_graph_joined(&p.graph, 0, 1) && pegs_graph_joined(&p.graph, 1, 2));

	/* 2 x 3 and 2 x 4 fit, then a clique of all three would have 24 cells */
	p = pegs_plan_empty(&f);
	pegs_candidate_place(&f, &p, &won, 23);
	CHECK(model.ntriples == 1 && model.triple[0].outside);
	for (uint32_t i = 0; i < 3; i++)
		CHECK(model.pair[i].outside == !pegs_graph_joined(&p.graph, model.pair[i].column[0], model.pair[i].column[1]));
	CHECK(model.pair[0].outside + model.pair[1].outside + model.pair[2].outside == 1);
	arena_free(&memory);

	/* a pair in the tree that would be too fine for it is measured on its own grid again */
	f = ready(1000 * PEGS_EPSILON_UNIT, DELTA);
	p = pegs_plan_empty(&f);
	won = coarse;
	pegs_candidate_place(&f, &p, &won, 10);
	CHECK(model.npairs == 1 && !model.pair[0].outside);
	pegs_candidate_measure(&f, &won, 0.2);
	won.k[1] = 4;
	pegs_candidate_place(&f, &p, &won, 10);
	CHECK(!model.pair[0].outside && won.k[0] == 3 && won.k[1] == 2);
	/* one that never was is outside, on the grid that won */
	won = (pegs_candidate) {.n = 2, .column = {0, 2}, .k = {2, 4}};
	pegs_candidate_place(&f, &p, &won, 10);
	CHECK(model.npairs == 2 && model.pair[1].outside && won.k[1] == 4);
	arena_free(&memory);
}

int
main(void)
{
	start(7);
	test_sizes();
	test_looks();
	test_place();
	return unit_done("candidate_test");
}
