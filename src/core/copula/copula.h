/*
 * copula.h
 *	  Normals behind the columns: margins, and how the normals go together.
 */
#ifndef PEGS_COPULA_H
#define PEGS_COPULA_H

#include "core/method.h"

#define PEGS_MAX_LATENTS 2000	/* normals of a model */
#define PEGS_NO_CUT 1000		/* beyond all normals: a level that is never drawn, or always */

/*
 * A column. Its levels but NULL are cut out of one normal, in the order of its scale: of n of them, n - 1
 * cuts; a cut may be at the one before: a level that is never drawn. A NULL is where
 * the next normal is not below a cut of its own.
 */
typedef struct pegs_cuts
{
	uint32_t	null;			/* code of NULL + 1; 0: the column has none */
	uint32_t	n;				/* levels but NULL */
	double		null_cut;
	double	   *cut;			/* [n - 1] none falls */
	uint16_t   *code;			/* [n] of each place */
} pegs_cuts;

/* A fitted copula: released numbers. */
typedef struct pegs_copula
{
	uint32_t	ncols;
	uint32_t   *levels;
	pegs_accountant accountant;
	double		rows;			/* noisy number of rows, >= 1 */
	uint32_t	signs;			/* scores are 0: grades, 1: signs */
	uint64_t	tau_of;			/* rows, as they were counted, of which Kendall's tau was looked at; 0: there are scores (kendall.h) */
	double	  **share;			/* [ncols][levels], sums to 1 */
	pegs_cuts  *cuts;			/* [ncols] */
	uint32_t	nlatents;
	double	   *factor;			/* packed lower triangle: the normals are this times independent ones; each row has length 1.
								 * A column's own two normals are independent */
	struct pegs_dummy *dummy;	/* a normal for each level instead; then there are shares beside it, and nothing else. NULL: none */

	uint32_t	nby;			/* columns of `by`: of such a model the normals are those of the others, and cuts and factor by.h's */
	struct pegs_by *by;			/* NULL: there are none */
} pegs_copula;

/* Options of a fit. */
enum
{
	PEGS_COPULA_NEAREST,		/* 0: eigenvalues are lifted, 1: Higham's */
	PEGS_COPULA_CODING,			/* 0: a column is a scale, 1: each of its levels has a normal (dummy.h) */
	PEGS_COPULA_BY,				/* columns in each of whose cells there is a copula of its own (by.h) */
	PEGS_COPULA_CORRELATION,	/* 0: sums of scores, 1: Kendall's tau (kendall.h) */
	PEGS_COPULA_ROWS,			/* of how many rows; 0: of as many as there seem to be */
	PEGS_COPULA_OPTIONS
};

/* Words of options that both methods have. */
extern const char *const pegs_copula_nearest_words[];

/* Normals of columns: one each, and one where there may be a NULL. */
extern uint32_t pegs_copula_latents(const pegs_layout *layout);

/* Of a layout of PEGS_PAIRS, of rows, or of persons times rows_each. Spends no more than the account. Claim P25. */
extern void pegs_copula_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout,
							const uint64_t *cells, pegs_copula *model);

/* To compare accounts by. */
extern double pegs_copula_noise(const pegs_env *env, const pegs_accountant *accountant, const pegs_layout *layout);

/* Columns and levels are known; on reading everything else is checked and allocated, but for what by.c has. */
extern void pegs_copula_walk(pegs_cursor *c, pegs_copula *model);

/* Parts of it: shares and cuts of all columns, of so many normals as are known; the factor. */
extern void pegs_copula_walk_columns(pegs_cursor *c, pegs_copula *model);
extern void pegs_copula_walk_factor(pegs_cursor *c, pegs_copula *model);

#define PEGS_COPULA_PURPOSES 4
extern const pegs_purpose pegs_copula_purposes[PEGS_COPULA_PURPOSES];

#endif							/* PEGS_COPULA_H */
