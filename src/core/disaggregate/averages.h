/*
 * averages.h
 *	  Individuals in groups, of which averages are known: what every way to guess the values of single ones begins with.
 *
 * No way to guess is private, and none is right: every set of values with these
 * averages fits them equally well. What is computed here is as private as what
 * it is computed from.
 */
#ifndef PEGS_AVERAGES_H
#define PEGS_AVERAGES_H

#include "core/core.h"

/* One table of averages: a level. */
typedef struct pegs_averages
{
	uint32_t	n;				/* groups, none without individuals */
	const uint32_t *of;			/* [rows] the group of each individual */
	const double *average;		/* [n] */
	/* by pegs_individuals_prepare */
	double	   *size;			/* [n] individuals */
	double	   *x;				/* [n][m] means of the columns */
} pegs_averages;

/* Dummies that belong together: at most one of them is on. */
typedef struct pegs_dummies
{
	uint32_t	first;
	uint32_t	n;
} pegs_dummies;

typedef struct pegs_individuals
{
	uint64_t	rows;			/* at least 1 */
	uint32_t	m;				/* columns, with dummies */
	double	   *x;				/* [rows][m] */
	uint32_t	nlevels;
	pegs_averages *level;
	uint32_t	nfactors;
	const pegs_dummies *factor;

	/* by pegs_individuals_prepare: who is in the same group of every level is in one cell */
	uint32_t	ncells;
	const uint32_t *cell;		/* [rows] */
	double	   *cell_size;		/* [ncells] */
	uint32_t  **group;			/* [nlevels][ncells] the group that a cell is part of */
} pegs_individuals;

/*
 * Columns get mean 0 and standard deviation 1; one that is constant gets zeros.
 * PEGS_ERR_ARGUMENT: a number is not finite. PEGS_ERR_TOO_LARGE: more cells than 2^31.
 */
extern pegs_status pegs_individuals_prepare(const pegs_env *env, pegs_individuals *all);

/* Means of y by the groups of a level. */
extern void pegs_group_means(const pegs_env *env, const pegs_individuals *all, const pegs_averages *level, const double *y, double *mean);

/* Everybody gets the average: of several levels what has them all, if there is such a thing, and is nearest to 0. */
extern double pegs_spread_average(const pegs_env *env, const pegs_individuals *all, double *y);

/*
 * To each group is added what its mean lacks, level by level, until all have
 * their averages to 1e-12 of the largest, at most 1,000 times: the nearest
 * values with these averages. What still lacks at most, as a part of the largest
 * average: above 1e-12 levels contradict each other, or nearly.
 */
extern double pegs_calibrate(const pegs_env *env, const pegs_individuals *all, double *y);

#define PEGS_CALIBRATED 1e-12

#endif							/* PEGS_AVERAGES_H */
