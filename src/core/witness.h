/*
 * witness.h
 *	  What everything that a fit, or a sealed sample, lets out would have been
 *	  worth on a neighbouring table: computed at the door, not estimated.
 *
 * A fit: run it on a table with a witness in its account, then run it again on
 * the neighbour with the same witness. The second run gets the first one's
 * answers. So every look and every choice is known with both tables, and what
 * the engine does between them must be the same to the bit: whoever compares
 * the two models sees whether a count went round the door.
 * A sealed sample: one run; each visit is weighed on both tables.
 *
 * In production there is no witness, and nothing here is called. With one the
 * first run draws what it would have drawn without. It sees exact counts: for
 * pegs_audit and the tests. Claims P2, P6 and P7, docs/privacy.md.
 */
#ifndef PEGS_WITNESS_H
#define PEGS_WITNESS_H

#include "core/accountant.h"
#include "core/pegs/gibbs.h"
#include "core/urn.h"

typedef enum pegs_fault
{
	PEGS_SOUND = 0,
	PEGS_FAULT_TABLE,			/* a measured table moves by more than its sensitivity, in L1 or in L2 */
	PEGS_FAULT_SCORE,			/* a score does */
	PEGS_FAULT_COST,			/* a step tells more than was spent for it */
	PEGS_FAULT_TOTAL,			/* all steps of a run together tell more than rho, or than epsilon */
	PEGS_FAULT_RATIO,			/* a likelihood ratio above e^epsilon where delta is 0 */
	PEGS_FAULT_BESIDE,			/* the same answers lead to another question, noise or model: counts are read beside the door */
	PEGS_FAULT_RESET,			/* a cell that was used in a block still weighs by its counts */
	PEGS_FAULT_URN,				/* an urn does not hold the table and what was drawn from it */
	PEGS_FAULT_VISIT,			/* a visit tells more than its share of epsilon */
	PEGS_FAULT_NOISE,			/* less noise is drawn than the steps were priced with, or cells share it */
	PEGS_FAULT_CHOICE			/* choices or levels are drawn with less chance than they were priced with */
} pegs_fault;

/*
 * Are draws as spread as their distribution says? Each draw has a Y >= 0 that
 * grows with its improbability: `less` is the sum of E[Y] - Y, `square` that of
 * E[Y^2]. By exp(-x) <= 1 - x + x^2/2 for x >= 0, exp(t less - t^2 square/2) is
 * a supermartingale for every t > 0, whatever depends on earlier draws.
 */
typedef struct pegs_surprise
{
	double		less;
	double		square;
} pegs_surprise;

/* A look or a choice, as the first run saw it. */
typedef struct pegs_testimony
{
	pegs_purpose purpose;
	pegs_noise	noise;			/* of a look */
	double		factor;			/* of a choice: e/2, per unit of score */
	uint64_t	alpha;			/* of draws from urns */
	const uint64_t *prior;		/* [n] likewise, or NULL */
	uint64_t	draws;
	uint64_t	spent;			/* units */
	size_t		n;
	int64_t    *shown;			/* [n] table, or scores */
	double	   *noisy;			/* [n] the answer to a look */
	size_t		pick;			/* the answer to a choice */
} pegs_testimony;

/* Differences, and sums, with the noise of the cell before and with that of the same cell of the table before. */
#define PEGS_ECHOES 4

typedef struct pegs_witness
{
	/* of the pair of runs; pegs_witness_begin */
	const pegs_env *env;		/* lives as long as both */
	bool		again;			/* the second run, or the third */
	bool		replay;			/* the third */
	pegs_testimony *step;
	size_t		nsteps;
	size_t		room;
	size_t		at;				/* of the second run */
	uint32_t	key[8];			/* of what the first run draws by: one stream, */
	uint32_t	stream[2];
	uint64_t	drawn;			/* and no word of it twice */
	bool		draws;			/* it has begun */
	double		ratio;			/* ln P(answers | first table) - ln P(answers | second) */
	double		cost;			/* what the answers cost this pair of tables: epsilon, or rho */
	uint32_t	urns;			/* so many urns that were drawn from are not the same in both tables, of a row more or less */
	double	   *urn_weight;		/* [urns] of the cell, in the table without it, with alpha */
	double	   *urn_total;		/* [urns] of all cells */
	double		urn_epsilon;	/* what so many draws could tell at most, without delta */

	/* of all pairs */
	pegs_fault	fault;			/* the first one found */
	uint64_t	looks;
	uint64_t	choices;
	pegs_surprise noise;
	pegs_surprise echo[PEGS_ECHOES];
	pegs_surprise choice;
} pegs_witness;

/* A new pair of runs. What was found before stays. */
extern void pegs_witness_begin(pegs_witness *witness, const pegs_env *env);

/* The second run, on the neighbour, comes now. */
extern void pegs_witness_again(pegs_witness *witness);

/*
 * A third run on any table, an empty one, comes now: it gets the same answers,
 * and must ask the same questions and make the same model; what its answers
 * tell is not weighed.
 */
extern void pegs_witness_replay(pegs_witness *witness);

/*
 * After the second run, and the third: was it the same path, and are ratio and cost within
 * the account? `same`: were the two models equal to the bit?
 */
extern void pegs_witness_end(pegs_witness *witness, const pegs_accountant *accountant, bool same);

/* The door's calls. In the second run they fill in the answer. `most`: what neighbours may differ by in what is looked at. */
extern void pegs_witness_look(pegs_witness *witness, pegs_purpose purpose, uint64_t most, const pegs_noise *noise, uint64_t spent,
							  const int64_t *exact, double *noisy, size_t n);
extern size_t pegs_witness_choice(pegs_witness *witness, const pegs_accountant *accountant, uint64_t num, uint64_t den,
								  uint64_t spent, const int64_t *score, size_t n, size_t pick);

/* Before a look or a choice draws, and after: noise comes of one stream of the first run, each word of it once. */
extern void pegs_witness_rng(pegs_witness *witness, const pegs_rng *rng);

/* Draws from urns, which have an epsilon and no rho; and an urn after its last draw: does it hold its table and what was drawn? */
extern void pegs_witness_urns(pegs_witness *witness, const pegs_accountant *accountant, const pegs_urn_look *look, const int64_t *exact,
							  double *drawn, size_t n);
extern void pegs_witness_emptied(pegs_witness *witness, const pegs_urn_look *look, const pegs_urn *urn, const double *drawn);

/* Has a thing happened that a sound mechanism does with probability at most e^-log_chance? */
extern bool pegs_too_likely(const pegs_surprise *surprise, double log_chance);

/* ---- sealed samples ---- */

typedef struct pegs_visit_witness
{
	/* set by the caller */
	const uint64_t *neighbour;	/* counts of the other table */
	uint64_t	block;			/* rows of a block, as it was asked for */
	double		share;			/* of epsilon, for one visit */
	double		range;			/* with delta: of the ratios of one visit, largest less smallest (claim P17); else 0 */

	/* pegs_visits_init */
	uint64_t   *weight;			/* [max levels] of the neighbour */
	uint32_t   *used;			/* a stamp per (column, key), as in pegs_gibbs, but our own */
	uint64_t   *drawn;			/* [cells] of urns: how often; else NULL */
	uint32_t	stamp;
	uint32_t	last;			/* column visited last */
	uint64_t	rows;			/* begun in this block */

	double		ratio;			/* ln P(rows | table) - ln P(rows | neighbour), of this call */
	double		cost;			/* with delta: what its visits told of this pair of tables, in rho */
	pegs_fault	fault;
	pegs_surprise level;
} pegs_visit_witness;

/* Allocates what a gibbs that is initialised needs. */
extern void pegs_visits_init(const pegs_env *env, const pegs_gibbs *gibbs, pegs_visit_witness *witness);

/* A new call begins: ratio is zero, no cell is used. */
extern void pegs_visits_begin(const pegs_gibbs *gibbs, pegs_visit_witness *witness);

/* pegs_gibbs_next, before the visit is marked: its weights, their sum, and the level drawn. */
extern void pegs_witness_visit(pegs_visit_witness *witness, const pegs_gibbs *gibbs, uint32_t column, uint64_t key,
							   uint64_t total, uint32_t code);

/* ---- an urn of a sealed sample, from which nothing but rows is drawn ---- */

typedef struct pegs_urn_witness
{
	/* set by the caller */
	pegs_urn   *other;			/* filled from the other table; what is put back into this one is put back there */
	uint64_t	alpha;			/* that was paid for */

	/* pegs_urn_watch */
	uint64_t   *drawn;			/* [k] how often, by our own count */
	uint64_t	total;

	double		ratio;			/* ln P(draws | table) - ln P(draws | other) */
	pegs_fault	fault;
	pegs_surprise level;
} pegs_urn_witness;

/* The urn is filled, and will be watched from here on: a new call. Allocates the first time. */
extern void pegs_urn_watch(const pegs_env *env, pegs_urn *urn, pegs_urn_witness *witness);

/* pegs_urn_draw, before anything is put back. */
extern void pegs_witness_draw(pegs_urn_witness *witness, const pegs_urn *urn, uint32_t level);

/* ---- a sealed sample of levels that each have at least a weight ---- */

typedef struct pegs_floor_witness
{
	/* set by the caller */
	const void *other;			/* the model of the other table */
	double		share;			/* of epsilon, for one draw */

	/* of the method: weights by the other model. [largest column] */
	uint64_t   *weight;

	double		ratio;			/* ln P(draws | model) - ln P(draws | other), of this call */
	pegs_fault	fault;
	pegs_surprise level;
} pegs_floor_witness;

/*
 * A level has been drawn: the weights of its column, their sum, and the same by the
 * other model, in w->weight. Claim P26 is of any two tables: so what the lightest level
 * weighs is held to the share, too.
 */
extern void pegs_witness_floor(pegs_floor_witness *w, const uint64_t *weight, uint64_t total, uint64_t there, uint32_t levels,
							   uint32_t code);

#endif							/* PEGS_WITNESS_H */
