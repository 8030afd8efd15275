/*
 * latent.h
 *	  A copula while it is fitted: its normals, what is known of each, and what
 *	  goes with what; for copula.c, and for a model of many (by.c).
 */
#ifndef PEGS_LATENT_H
#define PEGS_LATENT_H

#include "core/copula/copula.h"

#define PEGS_MOST_SCORE 256		/* in absolute value */
#define PEGS_MARGINS_SHARE 0.4	/* of the budget, where there are sums, too */

/* A normal, and what is known of it. */
typedef struct pegs_latent
{
	uint32_t	column;
	bool		of_null;
	bool		flat;			/* its column never changes: there is nothing to measure */
	double		seen;			/* share of rows that show it: NULLs hide a level */
	double		mean;			/* of the score, over all rows */
	int32_t    *score;			/* [levels] of the column; a NULL has 0 */
	double	   *hermite;		/* [PEGS_HERMITE_TERMS + 1] of the score, where it shows */
	double	   *order;			/* in place of both: what pegs_kendall_order says (kendall.h) */
} pegs_latent;

typedef struct pegs_copula_fitting
{
	const pegs_env *env;
	pegs_rng   *rng;
	const pegs_layout *layout;
	const uint64_t *cells;		/* private */
	pegs_copula *model;
	double		rows;			/* of what was counted */
	pegs_latent *latent;		/* [nlatents] */
	uint64_t	nsums;
	double	   *correlation;	/* [nlatents^2] */
} pegs_copula_fitting;

/* ---- copula.c ---- */

/* Of released shares: cuts, and the normals, in the same order for all models of a layout. */
extern void pegs_copula_scale(pegs_copula_fitting *f);

/* Are signs better than grades, of so many rows, where a sum has noise of this sd, in rows? */
extern bool pegs_copula_wants_signs(double rows, double sd);

/* Then the scores of all normals. */
extern void pegs_copula_score(pegs_copula_fitting *f);

/* Two normals that are asked how they go together. */
extern bool pegs_copula_is_asked(const pegs_latent *a, const pegs_latent *b);

/* What noise may have made of a number of this variance is taken away. */
extern double pegs_copula_believed(double value, double variance);

/* Can correlations be told from noise of this variance, where a row shows both columns with this chance? Not where a NULL hardly ever is. */
extern bool pegs_copula_tells(const double *c, const double *d, double seen, double noise);

/* From correlations, which are used up, to the factor. */
extern void pegs_copula_factor(pegs_copula_fitting *f);

#endif							/* PEGS_LATENT_H */
