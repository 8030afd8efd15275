/*
 * three.h
 *	  A fit of three columns that has not looked yet, and whose third column
 *	  says whether the first two agree.
 */
#ifndef PEGS_THREE_H
#define PEGS_THREE_H

#include <string.h>

#include "begun.h"
#include "unit.h"

#define DELTA (PEGS_DELTA_UNIT / 1000000000)

static pegs_layout layout;
static pegs_fitted model;
static uint64_t *cells;

#define ROWS 960

/* Columns of 2, 3 and 4 levels: in each pair all is even; the third says whether the first two agree. */
static inline pegs_graph_fit
ready(int64_t epsilon, int64_t delta)
{
	static const uint32_t levels[3] = {2, 3, 4};
	static uint16_t codes[3][PEGS_CHUNK];
	uint16_t   *columns[3] = {codes[0], codes[1], codes[2]};
	pegs_graph_fit f;

	CHECK(pegs_layout_pairs(&env, 3, levels, &layout, NULL) == PEGS_OK);
	pegs_layout_add_triples(&env, &layout);
	cells = begun_alloc(layout.ncells, sizeof(uint64_t));
	for (uint32_t r = 0; r < ROWS; r++)
	{
		codes[0][r] = (uint16_t) (r % 2);
		codes[1][r] = (uint16_t) (r / 2 % 3);
		codes[2][r] = (uint16_t) ((codes[0][r] + codes[1][r] + 2 * (r / 6 % 2)) % 4);
	}
	pegs_count_chunk(&layout, cells, columns, ROWS);
	memset(&model, 0, sizeof(model));
	pegs_accountant_init(&model.accountant, epsilon, delta, 1);
	f = begun(&layout, cells, &model);
	model.triple = begun_alloc(1, sizeof(pegs_triple));
	model.rows = ROWS;
	for (uint32_t i = 0; i < 3; i++)
		for (uint32_t j = 0; j < levels[i]; j++)
			model.share[i][j] = (double) cells[layout.offset[i] + j] / ROWS;
	begun_classes(&f);
	return f;
}

static const uint32_t abc[3] = {0, 1, 2};

#endif							/* PEGS_THREE_H */
