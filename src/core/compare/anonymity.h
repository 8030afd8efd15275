/*
 * anonymity.h
 *	  How well rows hide among each other: k, and l and t of a sensitive column.
 *
 * A class is the rows that look alike. It has at least k rows; its entropy of
 * the sensitive column is that of l levels of equal share (Machanavajjhala et
 * al. 2007); it is at most t from all rows, in total variation (Li et al. 2007).
 * A union of classes that meet k, l and t meets them, too.
 */
#ifndef PEGS_ANONYMITY_H
#define PEGS_ANONYMITY_H

#include <math.h>

#include "core/compare/tuples.h"

/* So near to l or t is as good as there: they are sums of rounded numbers. */
#define PEGS_NEAR 1e-9

typedef struct pegs_criteria
{
	uint64_t	k;
	double		l;				/* 1: any class has it */
	double		t;				/* 1: likewise */
} pegs_criteria;

/* What a class has of the sensitive column. */
typedef struct pegs_diversity
{
	uint32_t	distinct;		/* levels */
	double		entropy;		/* in nats; exp(entropy) is l */
	double		distance;		/* twice t */
} pegs_diversity;

#define PEGS_NO_DIVERSITY ((pegs_diversity) {0, 0, 1})

/* A level with `rows` of the class' rows, and so great a share of all rows; each level of the class once. */
static inline void
pegs_add_level(pegs_diversity *diversity, uint64_t rows, uint64_t class_rows, double share)
{
	double		p = (double) rows / (double) class_rows;

	diversity->distinct++;
	diversity->entropy -= p * log(p);
	/* 1/2 (sum over its own levels of |p - share|, and what the others have of all rows) */
	diversity->distance += fabs(p - share) - share;
}

static inline bool
pegs_asks_diversity(const pegs_criteria *criteria)
{
	return criteria->l > 1 || criteria->t < 1;
}

static inline bool
pegs_is_diverse(const pegs_criteria *criteria, const pegs_diversity *diversity)
{
	return exp(diversity->entropy) >= criteria->l * (1 - PEGS_NEAR) && diversity->distance / 2 <= criteria->t + PEGS_NEAR;
}

/* Shares of the sensitive column's levels among the rows of the classes that are kept (NULL: all); [nlevels] */
extern void pegs_level_shares(const pegs_tuples *tuples, const uint32_t *of, const bool *keep, double *share);

/* Rows of each class, [nclasses]; of[tuple] is its class. */
extern void pegs_class_rows(const pegs_tuples *tuples, const uint32_t *of, uint64_t *rows);

/*
 * Diversity of each class. `scratch` has room for nclasses; a class without rows
 * has none.
 */
typedef struct pegs_level_at
{
	uint32_t	level;
	uint64_t	rows;
} pegs_level_at;

extern void pegs_diversity_of(const pegs_env *env, const pegs_tuples *tuples, const uint32_t *of, uint32_t nclasses,
							  const uint64_t *rows, const double *share, pegs_level_at *scratch, pegs_diversity *diversity);

/*
 * Which classes may be shown as they are. All rows of the others are one class
 * of their own, everything of them hidden: *rest_too if that may be shown. Then
 * what is shown meets the criteria as a table by itself, t included: its shares
 * are those of what is shown.
 */
extern void pegs_keep_classes(const pegs_env *env, const pegs_tuples *tuples, const uint32_t *of, uint32_t nclasses,
							  const pegs_criteria *criteria, bool *keep, bool *rest_too);

#endif							/* PEGS_ANONYMITY_H */
