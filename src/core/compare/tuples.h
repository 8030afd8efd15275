/*
 * tuples.h
 *	  The rows of a table that agree on its keys, joined: what a search over
 *	  generalisations counts again and again.
 *
 * A key is a column that an intruder may know. It has steps, finest first: each
 * puts the declared levels into groups, and is a function of the step before.
 */
#ifndef PEGS_TUPLES_H
#define PEGS_TUPLES_H

#include "core/compare/coded.h"

#define PEGS_NO_LEVEL UINT32_MAX

typedef struct pegs_key_step
{
	uint32_t	ngroups;
	const uint16_t *group;		/* [levels] */
	const uint32_t *size;		/* [ngroups] levels of each */
} pegs_key_step;

typedef struct pegs_key
{
	uint32_t	levels;			/* NULL's included */
	uint32_t	nsteps;
	const pegs_key_step *step;	/* [nsteps] the last one has a single group */
	uint32_t	first;			/* steps that may be taken: from this one, */
	uint32_t	last;			/* up to this one */
	double		weight;			/* of its loss; not below 0 */
	bool		ranged;			/* neighbouring levels are a range, whatever the steps are */
	bool		null_last;		/* the last level is NULL: in no range */
} pegs_key;

typedef struct pegs_tuples
{
	uint32_t	n;
	uint64_t	rows;
	uint32_t	nkeys;
	uint16_t  **code;			/* [nkeys][n] */
	uint32_t   *times;			/* [n] rows of each */
	uint32_t   *of;				/* [rows] the tuple of each */
	uint32_t	nlevels;		/* of the sensitive column, "not declared" included; 0: there is none */
	uint16_t   *level;			/* [n] its level; tuples differ by it, too */
	uint32_t   *by_level;		/* [n] tuples, levels rising */
} pegs_tuples;

/*
 * The keys are the columns in `keys`; `sensitive` is another one, or
 * PEGS_NO_LEVEL. Memory: 12 bytes a tuple and key at most, and 24 a row for a
 * while, of which 4 stay.
 */
extern pegs_status pegs_tuples_of(const pegs_env *env, const pegs_coded *table, const uint32_t *keys, uint32_t nkeys,
								  uint32_t sensitive, pegs_tuples *tuples);
extern void pegs_free_tuples(const pegs_env *env, pegs_tuples *tuples);

/* PEGS_ERR_ARGUMENT: a step that is no function of the one before, no single group at the end, a code or weight that is none. */
extern pegs_status pegs_check_keys(const pegs_env *env, const pegs_tuples *tuples, const pegs_key *keys);

/* What is lost of a value that is known to be one of `size`: 0 to 1. */
static inline double
pegs_lost(const pegs_key *key, uint32_t size)
{
	return key->levels > 1 ? (size - 1.0) / (key->levels - 1.0) : 0;
}

/* The sum of the weights; 0: nothing matters. */
static inline double
pegs_weight_of(const pegs_key *keys, uint32_t nkeys)
{
	double		sum = 0;

	for (uint32_t j = 0; j < nkeys; j++)
		sum += keys[j].weight;
	return sum;
}

#endif							/* PEGS_TUPLES_H */
