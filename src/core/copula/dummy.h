/*
 * dummy.h
 *	  A normal behind every level of every column, and a row where of each
 *	  column the level comes that is the first: dummy coding.
 */
#ifndef PEGS_DUMMY_H
#define PEGS_DUMMY_H

#include "core/method.h"

/* Whose matrix of correlations: 003's names in its Table 1 are cop, cop-ID, cop-1. */
typedef enum pegs_dummy_form
{
	PEGS_DUMMY_COP,				/* what the pairs of columns say */
	PEGS_DUMMY_ID,				/* none: columns are independent */
	PEGS_DUMMY_ONE				/* one normal for all: columns are cut out of it, in the order of their codes */
} pegs_dummy_form;

#define PEGS_DUMMY_FORMS 3

/* A fitted one. */
typedef struct pegs_dummy
{
	uint32_t	ncols;
	uint32_t   *levels;
	uint32_t	form;			/* pegs_dummy_form */
	double	  **share;			/* [ncols][levels], sums to 1 */
	uint32_t	nlatents;		/* all levels of all columns, one column after the other */
	double	   *factor;			/* packed lower triangle: the normals are this times independent ones; each row has length 1, and a column's
								 * own normals are independent */
} pegs_dummy;

/* Of pegs_method's `refuse`: too many normals, of which there is one for each level. */
extern pegs_refusal pegs_dummy_refuse(const pegs_layout *layout);

/* By looks, for all of the account: margins and tables of pairs. Of a layout of PEGS_PAIRS. *rows: as they are counted. Claim P25. */
extern void pegs_dummy_fit(const pegs_env *env, pegs_rng *rng, pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells,
						   bool higham, pegs_dummy *model, double *rows);

/* By the counts themselves: no guarantee. */
extern void pegs_dummy_fit_exact(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, pegs_dummy_form form, bool higham,
								 pegs_dummy *model);

/* Columns and levels are known; on reading everything else is checked and allocated. Its length follows from them. */
extern void pegs_dummy_walk(pegs_cursor *c, pegs_dummy *model);

/* ---- dummy_draw.c: rows, as a method's open, start and next ---- */

typedef struct pegs_dummy_draws pegs_dummy_draws;

extern pegs_status pegs_dummy_open(const pegs_env *env, const pegs_dummy *model, const pegs_ask *ask, pegs_dummy_draws **draws);
extern void pegs_dummy_start(pegs_dummy_draws *draws, pegs_rng *rng);
extern pegs_status pegs_dummy_next(pegs_dummy_draws *draws, uint16_t *row);

#endif							/* PEGS_DUMMY_H */
