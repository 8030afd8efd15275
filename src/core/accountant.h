/*
 * accountant.h
 *	  The privacy cost of one fit, in integers, and its record.
 *
 * Every look at private counts goes through pegs_measure, pegs_measure_sum, pegs_measure_sums, pegs_look_at,
 * pegs_choose, pegs_choose_monotone or pegs_draw_urns: they spend before they look (of pegs_look_at pegs_look_open has),
 * and refuse to pass the total. Claim P6.
 */
#ifndef PEGS_ACCOUNTANT_H
#define PEGS_ACCOUNTANT_H

#include "core/core.h"
#include "core/epsilon.h"

typedef enum pegs_purpose
{
	PEGS_FOR_ONEWAY = 1,		/* a 1-way table was measured */
	PEGS_FOR_CHOICE = 2,		/* a pair of the forest was chosen */
	PEGS_FOR_PAIR = 3,			/* a table of two or three columns was measured */
	PEGS_FOR_ROWS = 4,			/* the number of rows was measured, by itself */
	PEGS_FOR_TABLE = 5,			/* a table of all columns was measured */
	PEGS_FOR_SUM = 6,			/* a sum over all rows of a bounded number was measured */
	PEGS_FOR_RESIDUALS = 7,		/* sums of what a score leaves, one over the rows of each class */
	PEGS_FOR_CELLS = 8,			/* a table of some columns was measured, in whose cells others are looked at */
	PEGS_FOR_URNS = 9,			/* rows were drawn from urns, each put back double */
	PEGS_FOR_NODES = 10			/* a table of nodes of trees was measured */
} pegs_purpose;

#define PEGS_PURPOSES 10

#define PEGS_MOST_ROWS_PER_UNIT 1000	/* that somebody may declare */

typedef struct pegs_cost_record
{
	uint32_t	purpose;
	uint32_t	uses;
	uint64_t	cost;			/* all uses together, units of 2^-50 */
} pegs_cost_record;

struct pegs_witness;

/* The noise of one look, as its sampler takes it. */
typedef struct pegs_noise
{
	bool		pure;
	uint64_t	units;			/* pure: e of the discrete Laplace, units of 2^-50 */
	pegs_variance sigma2;		/* else: of the discrete Gaussian */
} pegs_noise;

typedef struct pegs_accountant
{
	int64_t		epsilon;		/* charged, units of 1e-9 */
	int64_t		delta;			/* charged, units of 1e-18 */
	uint32_t	rows_per_unit;	/* rows by which neighbours differ: the sensitivity of tables and scores */
	uint32_t	rows_each;		/* persons weigh equally: each is counted so many times (rows_per_unit); 0: rows are counted;
								 * 1: in a file, to say that the one row is a person's (export.c) */
	bool		pure;			/* epsilon (discrete Laplace), else rho (discrete Gaussian) */
	uint64_t	total;			/* units of 2^-50 */
	uint64_t	spent;
	pegs_cost_record record[PEGS_PURPOSES];	/* by purpose */
	struct pegs_witness *witness;	/* NULL but in an audit (witness.h); never stored */
	const pegs_env *env;		/* asked between cells whether to stop; NULL: not asked; never stored */
} pegs_accountant;

/* delta = 0: pure. Units of 1e-9 and 1e-18; rows_per_unit >= 1. */
extern void pegs_accountant_init(pegs_accountant *accountant, int64_t epsilon, int64_t delta, uint32_t rows_per_unit);

/*
 * How many of what was counted make one row of the model: 1, or rows_each. The
 * fit works on the counts as they are, with noise for rows_per_unit of them;
 * what it gives out is divided by this.
 */
static inline double
pegs_accountant_scale(const pegs_accountant *accountant)
{
	return accountant->rows_each > 0 ? accountant->rows_each : 1;
}

/* Do both say the same of what was charged, for whom, and is no more spent than that buys? */
static inline bool
pegs_same_account(const pegs_accountant *a, const pegs_accountant *b)
{
	return a->epsilon == b->epsilon && a->delta == b->delta && a->rows_per_unit == b->rows_per_unit && a->rows_each == b->rows_each
		&& a->spent <= a->total && b->spent <= b->total;
}

/* What is left, as a number to plan with. */
extern double pegs_accountant_left(const pegs_accountant *accountant);

/* Is this cost enough for a unit of 2^-50 a row, so that something can be measured with it? */
extern bool pegs_buys_noise(const pegs_accountant *accountant, double cost);

/* Standard deviation and mean absolute value of the noise that `cost` buys, and the reverse. */
extern double pegs_noise_sd(const pegs_accountant *accountant, double cost);
extern double pegs_noise_abs(const pegs_accountant *accountant, double cost);
extern double pegs_cost_of_sd(const pegs_accountant *accountant, double sd);

/*
 * noisy[i] = exact[i] + noise for n disjoint cells, of which one row moves one
 * by one: sensitivity rows_per_unit, in L1 and in L2. Spends cost (rounded down
 * to a unit); returns the variance, or a negative number if nothing could be
 * bought.
 */
extern double pegs_measure(pegs_accountant *accountant, pegs_rng *rng, pegs_purpose purpose, double cost,
						   const int64_t *exact, double *noisy, size_t n);

/*
 * The same where the cells of one table come one by one, and nobody knows how
 * many: opening spends, once (false: nothing could be bought), then every cell
 * is looked at, each in one part.
 */
typedef struct pegs_look
{
	pegs_purpose purpose;
	uint64_t	spent;			/* units of 2^-50, for all parts together */
	uint64_t	most;			/* what a unit may move, in L1 and L2 */
	pegs_noise	noise;			/* of each cell */
} pegs_look;

extern bool pegs_look_open(pegs_accountant *accountant, pegs_purpose purpose, double cost, pegs_look *look);
extern void pegs_look_at(const pegs_accountant *accountant, pegs_rng *rng, const pegs_look *look,
						 const int64_t *exact, double *noisy, size_t n);

/*
 * *noisy = exact + noise, for the sum over all rows of an integer whose absolute
 * value is at most `bound`, or for any whole number that a row moves by no more, 1 to 2^31: sensitivity rows_per_unit * bound. Where so much noise is
 * drawn that its variance would be no number of the sampler the sum is looked at in
 * steps of more than one. Spends and answers as pegs_measure. Claim P25.
 */
extern double pegs_measure_sum(pegs_accountant *accountant, pegs_rng *rng, pegs_purpose purpose, double cost,
							   int64_t exact, uint64_t bound, double *noisy);

/*
 * The same of n sums, each over the rows of one of n disjoint classes, all for one cost: what rows_per_unit rows move
 * in all of them together is at most rows_per_unit * bound. noisy[n]. Claim P28.
 */
extern double pegs_measure_sums(pegs_accountant *accountant, pegs_rng *rng, pegs_purpose purpose, double cost,
								const int64_t *exact, uint64_t bound, double *noisy, size_t n);

/* Of the noise X of one cell: a t >= 0 for which P[X > t] <= delta/rows; as pegs_laplace_tail. */
extern int64_t pegs_noise_tail(const pegs_noise *noise, int64_t delta, uint32_t rows);

/* The exponential mechanism on integer scores that one row moves by at most 1. Spends cost. */
extern size_t pegs_choose(pegs_accountant *accountant, pegs_rng *rng, double cost,
						  const int64_t *score, size_t n);

/*
 * The same of scores that a row more moves by 0 or by 1, never down, all of
 * them: e for the same cost, where pegs_choose has e/2. Claim P19.
 */
extern size_t pegs_choose_monotone(pegs_accountant *accountant, pegs_rng *rng, double cost,
								   const int64_t *score, size_t n);

/*
 * Draws from urns: `draws` from each of `tables` tables, each put back double. A
 * row is in one cell of each table at most, or of one table alone. The tables stand
 * one after the other.
 */
typedef struct pegs_urn_look
{
	uint64_t	draws;
	uint32_t	tables;
	const uint32_t *levels;		/* [tables] cells of each */
	bool		apart;			/* a row is in one table alone */
	const uint64_t *prior;		/* [cells] public: what they weigh besides (prior.h); NULL: nothing */
	uint64_t	alpha;			/* what each cell gets besides, units of 2^-16: pegs_draw_urns says it */
	int64_t		delta;			/* what of the account's delta that needs: likewise */
} pegs_urn_look;

/*
 * drawn[i]: how often cell i was drawn. It is no noise that costs could be added
 * up with, so it takes all of an account of which nothing is spent. False:
 * something is, or alpha would not fit in 64 bits; then nothing is looked at.
 * Claim P32.
 */
extern bool pegs_draw_urns(pegs_accountant *accountant, pegs_rng *rng, const pegs_env *env, pegs_urn_look *look,
						   const int64_t *exact, double *drawn);

/* e/2 of pegs_choose, to scale a constant score. */
extern double pegs_choice_factor(const pegs_accountant *accountant, double cost);

#endif							/* PEGS_ACCOUNTANT_H */
