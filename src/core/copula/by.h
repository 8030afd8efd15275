/*
 * by.h
 *	  A copula in each cell of some columns, which need no order for it.
 */
#ifndef PEGS_BY_H
#define PEGS_BY_H

#include "core/copula/copula.h"

struct pegs_wire;

#define PEGS_BY_CELLS 1024		/* at most */
#define PEGS_BY_NUMBERS (UINT64_C(1) << 23) /* tables and sums of all cells, at most */

/* Released numbers. */
typedef struct pegs_by
{
	uint32_t   *column;			/* [nby] rising */
	uint32_t	nothers;
	uint32_t   *other;			/* [nothers] rising: all other columns */
	uint32_t   *levels;			/* [nothers] */
	uint32_t	ncells;			/* of the table of the columns, the last one running fastest */
	double	   *share;			/* [ncells] sums to 1 */
	pegs_copula pooled;			/* of the others: its factor alone */
	pegs_copula **cell;			/* [ncells] of the others; without a factor: it has the pooled one. NULL where there is no share */
} pegs_by;

/* Is that what these settings ask for? It goes over the rows more than once. */
extern bool pegs_is_by(const pegs_layout *layout);

/* Why not, and what would help; NULL: it can be. */
extern pegs_refusal pegs_by_refuse(const pegs_layout *layout);

/* As pegs_copula_fit, of a layout that keeps its rows. Claim P25. */
extern void pegs_by_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout,
						pegs_copula *model);

/* What comes after pegs_copula_walk. */
extern void pegs_by_walk(pegs_cursor *c, pegs_copula *model);

extern void pegs_by_describe(const pegs_copula *model, const pegs_writer *writer);

/* ---- by_draw.c: rows ---- */

typedef struct pegs_by_draws pegs_by_draws;

/* As a method's open, but that no zeros are looked at: at most one column is given. */
extern pegs_status pegs_by_open(const pegs_env *env, const struct pegs_wire *wire, const void *prepared, const pegs_ask *ask, pegs_by_draws **draws);
extern void pegs_by_start(pegs_by_draws *d, pegs_rng *rng);
extern void pegs_by_row(pegs_by_draws *d, uint16_t *row);

#endif							/* PEGS_BY_H */
