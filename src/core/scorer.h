/*
 * scorer.h
 *	  What a score is: from a row to log-odds, by lines of a card.
 *
 * Points are whole numbers of 2^-11 of log-odds, so that whoever adds them up
 * gets the same, in whatever order. A card has parts: of each part the first
 * line whose conditions all hold counts, and a row's points are those lines
 * together; where parts are trees that vote, their mean. A line without
 * conditions always holds.
 */
#ifndef PEGS_SCORER_H
#define PEGS_SCORER_H

#include <math.h>

#include "core/core.h"

#define PEGS_POINTS_PER_LOGIT 2048
#define PEGS_MAX_LOGIT 32		/* in absolute value: beyond, a probability is this one's, and exp() neither overflows nor underflows */

#define PEGS_SCORE_POSITIVE "positive"	/* the option of all scores: which levels of which column are positive */
#define PEGS_SCORE_OF_MODEL "additive of a model"	/* the method of a score that is made of a perturbed model */
#define PEGS_SCORE_MOST_LEVELS (UINT32_C(1) << 20)	/* of all features together */

/* Is the code of a column one of these? Of a code below 0 (not declared, not told) it is not. */
typedef struct pegs_condition
{
	uint32_t	column;
	const bool *levels;			/* [levels of the column] */
} pegs_condition;

/* Where the lines of a card go: in their order, part by part. */
typedef struct pegs_card
{
	void	   *to;
	void		(*line) (void *to, uint32_t part, uint32_t n, const pegs_condition *condition, int32_t points, double noise);
	const bool *enough;			/* NULL, or true once no more lines are wanted: some may still come */
} pegs_card;

typedef struct pegs_scorer
{
	/* Of a row's codes; below 0: not declared, or not told. NULL: `exact`. */
	int64_t		(*points) (const void *model, const int32_t *codes);

	/*
	 * Of one that is not private, in the place of points and card: the share
	 * of positive rows, exact, for nobody's eyes, and by how much a row may
	 * move it. Both between 0 and 1.
	 */
	double		(*exact) (const void *model, const int32_t *codes, double *delta);

	/* By how many the points are divided: trees that vote. NULL: by one. */
	uint32_t	(*voters) (const void *model);

	/* All lines; noise: standard deviation of the points of one, from noise alone, in the same units; NaN: not known. */
	void		(*card) (const pegs_env *env, const void *model, const pegs_card *card);
} pegs_scorer;

/*
 * The estimated probability, the mean of so many voters'. In SQL, to the last digit on the same server, whose exp() is the same function:
 *
 *		1 / (1 + exp(-greatest(-32, least(32, POINTS::double precision / (2048 * VOTERS)))))
 */
static inline double
pegs_probability_of_points(int64_t points, uint32_t voters)
{
	double		logit = (double) points / ((double) PEGS_POINTS_PER_LOGIT * voters);

	logit = logit > PEGS_MAX_LOGIT ? PEGS_MAX_LOGIT : logit < -PEGS_MAX_LOGIT ? -PEGS_MAX_LOGIT : logit;
	return 1 / (1 + exp(-logit));
}

#endif							/* PEGS_SCORER_H */
