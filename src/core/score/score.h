/*
 * score.h
 *	  A score: points for the class of each column, the sum of which is the
 *	  logarithm of the odds that a row is positive.
 *
 * Released numbers and public facts only: what reads rows is additive.c.
 */
#ifndef PEGS_SCORE_H
#define PEGS_SCORE_H

#include "core/kept.h"
#include "core/method.h"

#define PEGS_POINTS_BITS 11		/* a point is 2^-11 of a logit */
#define PEGS_MAX_POINTS (1 << 20)	/* of a class, in absolute value */
#define PEGS_MAX_CLASSES 32		/* of a column */

/* What a column says of the target. */
typedef struct pegs_feature
{
	uint32_t	levels;
	uint32_t	classes;		/* 0: it is the target; 1: it was too rare, or flat, to say anything */
	uint16_t   *class_of;		/* [levels] classes are of neighbours, in order; NULL: fewer than two */
	int32_t    *points;			/* [classes] */
	double	   *rows;			/* [classes] noisy, each >= 1 */
	double	   *sd;				/* [classes] of the points, by noise alone, in logits */
} pegs_feature;

typedef struct pegs_score_model
{
	uint32_t	sweeps;			/* over all columns */
	pegs_accountant accountant; /* of a score that was made of a model: what that says, with nothing spent */
	double		rows;			/* noisy, >= 1 */
	uint32_t	ncols;
	uint32_t	target;			/* column */
	uint32_t	npositive;		/* levels of the target that count as positive: at least one, and not all */
	uint16_t   *positive;		/* [npositive] they rise */
	int32_t		intercept;		/* the points of a row of which nothing is known: what all columns have on the average */
	pegs_feature *feature;		/* [ncols] */
} pegs_score_model;

/* As `walk` of a method: columns and levels are known, on reading everything else is checked and allocated. Claim P29. */
extern void pegs_score_walk(pegs_cursor *c, uint32_t ncols, uint32_t *levels, void **model);

/* Members of pegs_describe's object, each with a comma before it. */
extern void pegs_score_describe(const void *model, const pegs_writer *writer);

#define PEGS_SCORE_PURPOSES 2
extern const pegs_purpose pegs_score_purposes[PEGS_SCORE_PURPOSES];

/* Of one value; 0 of one that is not known: -1, or no level. */
static inline int32_t
pegs_score_points(const pegs_score_model *model, uint32_t column, int32_t code)
{
	const pegs_feature *f = &model->feature[column];

	return f->classes < 2 || code < 0 || (uint32_t) code >= f->levels ? 0 : f->points[f->class_of[code]];
}

/* Of a row, code[ncols]; what stands for the target is not looked at. */
extern int64_t pegs_score_sum(const pegs_score_model *model, const int32_t *code);

static inline double
pegs_score_of(const pegs_score_model *model, const int32_t *code)
{
	return pegs_probability_of_points(pegs_score_sum(model, code), 1);
}

/* ---- additive.c: a score out of rows ---- */

/*
 * All columns but the target are features; of the layout it reads levels and groups. positive[levels of the target]: some levels, not all.
 *
 * With an accountant: paid, by the rows and how often each counts. Claim P28. Without: of rows that are a
 * perturbed model's own, and with no noise; rng may be NULL. Claim P29. Of exact rows that is no mechanism at all.
 */
extern void pegs_additive_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout,
							  const bool *positive, uint32_t target, const pegs_kept *rows, pegs_score_model *model);

/*
 * By how many logits a class of so many rows moves in a sweep, 0 the first, for each row that a sum with noise of this variance
 * says is positive beyond the score: the mean of what may be true, by a normal around no move at all. So noise shrinks itself.
 */
extern double pegs_additive_gain(double rows, uint32_t sweep, double variance);

#endif							/* PEGS_SCORE_H */
