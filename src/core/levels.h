/*
 * levels.h
 *	  Levels of a column, learnt from how many rows its values have.
 *
 * A stability-based histogram (Korolova, Kenthapadi, Mishra, Ntoulas 2009; Bun,
 * Nissim, Stemmer 2016). Nobody knows beforehand which values there are, so only
 * those that occur get noise; one that a single unit brings with it must not
 * show, and so each must pass a threshold above what one unit can have.
 */
#ifndef PEGS_LEVELS_H
#define PEGS_LEVELS_H

#include "core/accountant.h"

typedef struct pegs_level
{
	double		noisy;
	uint64_t	place;			/* the value was met as the so-manieth */
	void	   *value;			/* the caller's, of env */
} pegs_level;

typedef struct pegs_levels
{
	const pegs_env *env;
	const pegs_accountant *accountant;
	pegs_rng   *rng;
	pegs_look	look;
	int64_t		delta;			/* that it was set up for, units of 1e-18 */
	int64_t		threshold;		/* rows: a value whose noisy number is above it is a level */
	uint64_t	met;
	uint32_t	most;
	uint32_t	n;
	uint32_t	room;
	pegs_level *level;			/* [n]; after pegs_levels_close in the order in which they were met, at most `most` */
} pegs_levels;

/* What each of many columns that are learnt for one charge may spend. */
typedef struct pegs_share
{
	double		cost;			/* of the accountant */
	int64_t		delta;			/* of the threshold, of a column of levels: units of 1e-18 */
} pegs_share;

/*
 * Claim P15. Of epsilon and delta for so many columns, `levels` of them with
 * levels; sets the accountant up, by these numbers alone. in_rho: what is paid is
 * rho, so Gaussian noise is taken wherever delta buys it.
 */
extern pegs_share pegs_share_out(int64_t epsilon, int64_t delta, uint32_t rows_per_unit, uint32_t columns, uint32_t levels,
								 bool in_rho, pegs_accountant *accountant);

/* Claim P20. What they cost together in an account in rho, units of 2^-50. */
extern int64_t pegs_rho_of_shares(const pegs_accountant *accountant, uint32_t columns);

/* Claim P20. Is what a column has spent, in units of the accountant's, no more than its part of that? */
extern bool pegs_is_a_share(const pegs_accountant *accountant, uint32_t columns, uint64_t spent);

/*
 * Claim P15. Spends `cost` of the accountant, delta besides (units of 1e-18,
 * above 0; not the accountant's own). False: it buys nothing.
 */
extern bool pegs_levels_open(const pegs_env *env, pegs_accountant *accountant, pegs_rng *rng, double cost, int64_t delta,
							 uint32_t most, pegs_levels *levels);

/*
 * A value that occurs, with its rows: each once, rows >= 1. NULL: it is no
 * level. Else the place where the caller puts the value, in memory of env.
 */
extern void **pegs_levels_meet(pegs_levels *levels, int64_t rows);

/* All were met. Of more than `most` those with the largest noisy numbers are left. */
extern void pegs_levels_close(pegs_levels *levels);

#endif							/* PEGS_LEVELS_H */
