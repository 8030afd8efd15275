/*
 * sweep.h
 *	  Models of two or three small columns, for the tests that enumerate what a
 *	  sweep of PeGS draws: the rows of their domain, in order.
 */
#ifndef PEGS_SWEEP_H
#define PEGS_SWEEP_H

#include "core/counts.h"
#include "fixture.h"
#include "unit.h"

#define MAX_COLUMNS 3

typedef struct model
{
	uint32_t	ncols;
	uint32_t	levels[MAX_COLUMNS];
	const char *parents[MAX_COLUMNS];	/* "02": columns 0 and 2 */
	uint32_t	tail_bits;
} model;

static inline void
build_layout(const model *m, pegs_layout *layout)
{
	uint32_t	begin[MAX_COLUMNS + 1] = {0};
	uint16_t	parents[MAX_COLUMNS * MAX_COLUMNS];

	for (uint32_t i = 0; i < m->ncols; i++)
	{
		begin[i + 1] = begin[i];
		for (const char *p = m->parents[i]; *p != '\0'; p++)
			parents[begin[i + 1]++] = (uint16_t) (*p - '0');
	}
	CHECK(pegs_layout_conditional(&env, m->ncols, m->levels, begin, parents, m->tail_bits, layout, NULL) == PEGS_OK);
}

/* How many rows the domain has. */
static inline uint32_t
domain(const model *m)
{
	uint32_t	n = 1;

	for (uint32_t i = 0; i < m->ncols; i++)
		n *= m->levels[i];
	return n;
}

/* Row number `cell` of them. */
static inline void
row_of(const model *m, uint32_t cell, uint16_t *row)
{
	for (uint32_t i = m->ncols; i-- > 0;)
	{
		row[i] = (uint16_t) (cell % m->levels[i]);
		cell /= m->levels[i];
	}
}

static inline uint32_t
cell_of(const model *m, const uint16_t *row)
{
	uint32_t	cell = 0;

	for (uint32_t i = 0; i < m->ncols; i++)
		cell = cell * m->levels[i] + row[i];
	return cell;
}

#endif							/* PEGS_SWEEP_H */
