/*
 * urn.h
 *	  An urn: draws from one table, each of which is put back double.
 *
 * Level j is drawn with probability (n_j + alpha + c_j)/(T + t), c_j how often
 * it was drawn before, t all draws before: integers in units of 2^-16, and a
 * number of steps that is given by the number of levels, whatever is in it.
 * Claims P18, P24, docs/privacy.md.
 */
#ifndef PEGS_URN_H
#define PEGS_URN_H

#include "core/epsilon.h"
#include "core/rng.h"

struct pegs_urn_witness;

typedef struct pegs_urn
{
	uint32_t	k;				/* levels, >= 1 */
	uint32_t	top;			/* the largest power of 2 that is not above k */
	uint64_t	total;			/* weight of all; at most 2^63 */
	uint64_t   *sum;			/* [k + 1] weights in a tree of sums (Fenwick 1994); secret */
	const uint64_t *count;		/* [k] what it was filled with */
	const uint64_t *prior;		/* [k] public: what levels weigh besides (prior.h); NULL: nothing */
	struct pegs_urn_witness *witness;	/* NULL but in an audit (witness.h) */
} pegs_urn;

/* What the draws of a method of urns (method.h) begin with, so that an audit finds them. */
typedef struct pegs_urns
{
	uint32_t	n;
	pegs_urn   *urn;			/* [n] */

	/*
	 * Where a row of the table is in one of the urns alone, and each draw is
	 * from the next of them: urn u has the cells cell[start[u]] ...
	 * cell[start[u + 1] - 1]. NULL: a row is in each, and is a draw from each.
	 */
	const uint32_t *start;
	const uint32_t *cell;
} pegs_urns;

#define PEGS_URN_ONE (UINT64_C(1) << PEGS_ALPHA_BITS)	/* what a row weighs, and a draw that is put back */

/* What a level weighs. */
static inline uint64_t
pegs_urn_weight(const pegs_urn *urn, uint32_t level)
{
	uint64_t	weight = 0;

	for (uint32_t i = level + 1; i > 0; i -= i & -i)
		weight += urn->sum[i];
	for (uint32_t i = level; i > 0; i -= i & -i)
		weight -= urn->sum[i];
	return weight;
}

/* Allocates; nothing is in it, and it has no prior. */
extern void pegs_urn_init(const pegs_env *env, pegs_urn *urn, uint32_t k);

/*
 * The counts, alpha of each, and its prior, as if nothing had been drawn. Where `is_level`
 * is not NULL, what it leaves out has none of them: a public fact. A total of 0 is
 * an urn that cannot be drawn from.
 */
extern void pegs_urn_fill(const pegs_env *env, pegs_urn *urn, const uint64_t *count, uint64_t alpha, const bool *is_level);

/* A level; and it is there once more. */
extern uint32_t pegs_urn_draw(const pegs_urn *urn, pegs_rng *rng);
extern void pegs_urn_put_back(pegs_urn *urn, uint32_t level);

/*
 * Claims P18, P24. What epsilon and delta buy for so many draws from each of
 * `tables` tables of which each has a row in one urn, of at most `levels`: the smaller
 * alpha of the pure urn, which grows with the draws, and of the one with delta,
 * which does not, and is proved for neighbours of one row. delta is made 0 where
 * epsilon alone buys no less. PEGS_ERR_RANGE: weights would pass 2^63.
 */
extern pegs_status pegs_urn_price(uint64_t tables, uint64_t draws, uint32_t levels, uint32_t rows_per_unit, int64_t epsilon, int64_t *delta,
								  uint64_t *alpha);

#endif							/* PEGS_URN_H */
