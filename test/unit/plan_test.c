/*
 * plan_test.c
 *	  Which pairs the tree can hold: as many cells as it is told, and no more.
 */
#include "core/graph/state.h"

#include "fixture.h"
#include "unit.h"

int
main(void)
{
	uint32_t	levels[4] = {10, 10, 10, 2};
	pegs_layout layout = {.ncols = 4, .levels = levels};
	pegs_graph_fit f = {.env = &env, .layout = &layout};
	pegs_plan	p = pegs_plan_empty(&f);
	const pegs_candidate ab = {.n = 2, .column = {0, 1}, .k = {10, 10}};
	const pegs_candidate bc = {.n = 2, .column = {1, 2}, .k = {10, 10}};
	const pegs_candidate ac = {.n = 2, .column = {0, 2}, .k = {10, 10}};
	const pegs_candidate coarse = {.n = 2, .column = {0, 2}, .k = {2, 2}};

	/* two tables of 100 cells; the third pair would join them to one of 1,000 */
	CHECK(!pegs_plan_fits(&f, &p, &ab, 100));	/* the two columns beside it have a cell each */
	CHECK(pegs_plan_fits(&f, &p, &ab, 250));
	CHECK(pegs_plan_fits(&f, &p, &bc, 250));
	CHECK(!pegs_plan_fits(&f, &p, &ac, 250));
	CHECK(!pegs_plan_fits(&f, &p, &coarse, 250));
	CHECK(!pegs_graph_joined(&p.graph, 0, 2));
	CHECK(pegs_plan_fits(&f, &p, &ac, 1010));
	CHECK(pegs_graph_joined(&p.graph, 0, 2) && p.classes[0] == 10 && p.classes[3] == 1);
	/* what is in it costs nothing more */
	CHECK(pegs_plan_fits(&f, &p, &ab, 0) && pegs_plan_fits(&f, &p, &coarse, 0));
	CHECK(!pegs_plan_fits(&f, &p, &(const pegs_candidate) {.n = 2, .column = {0, 3}, .k = {10, 2}}, 0));
	/* three at once: what their pairs would be, and no more once those are in */
	{
		const pegs_candidate abd = {.n = 3, .column = {0, 1, 3}, .k = {10, 10, 2}};

		p = pegs_plan_empty(&f);
		CHECK(!pegs_plan_fits(&f, &p, &abd, 200));	/* 200 cells, and one of the column beside it */
		CHECK(!pegs_graph_joined(&p.graph, 0, 1) && p.classes[3] == 1);
		CHECK(pegs_plan_fits(&f, &p, &abd, 250));
		CHECK(pegs_graph_joined(&p.graph, 0, 1) && pegs_graph_joined(&p.graph, 0, 3) && pegs_graph_joined(&p.graph, 1, 3));
		CHECK(pegs_plan_fits(&f, &p, &ab, 0) && pegs_plan_fits(&f, &p, &abd, 0) && !pegs_plan_fits(&f, &p, &bc, 250));
	}
	arena_free(&memory);
	return unit_done("plan_test");
}
