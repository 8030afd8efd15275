/*
 * dirichlet.h
 *	  The multinomial-Dirichlet synthesizer as numbers (Abowd 2008): how likely
 *	  each release is from each table, what that gives away, how close it is.
 *
 * No table is looked at: all of it is arithmetic on k, alpha, n and m.
 */
#ifndef PEGS_DIRICHLET_H
#define PEGS_DIRICHLET_H

#include "core/core.h"

typedef struct pegs_dirichlet
{
	uint32_t	k;				/* categories, >= 2 */
	double		alpha;			/* prior of each, > 0 */
	uint32_t	n;				/* confidential rows */
	uint32_t	m;				/* rows that are drawn, >= 1 */
	bool		plug_in;		/* each row from the posterior mean, by itself; else an urn: a row drawn is put back double */

	/* made by pegs_dirichlet_init */
	double		total;			/* n + k alpha */
	double	   *weight;			/* [n + 1][m + 1] ln of that of d draws from a category of c rows */
	double	   *ln_factorial;	/* [max(n, m) + 1] */
	double		ln_all;			/* ln of what all m draws have together */
} pegs_dirichlet;

/* How many tables of n rows in k categories there are; at least 2^60: many. */
extern uint64_t pegs_tables_of(uint32_t k, uint32_t n);

/* Takes memory for (n + 1)(m + 1) numbers; k, alpha, n, m and plug_in are set. */
extern void pegs_dirichlet_init(const pegs_env *env, pegs_dirichlet *d);

/* Tables in the paper's order, from (0, ..., 0, n) to (n, 0, ..., 0): the first, and is there a next? */
extern void pegs_first_table(uint32_t k, uint32_t n, uint32_t *counts);
extern bool pegs_next_table(uint32_t k, uint32_t *counts);

/* ln of the probability of these drawn counts from those rows. */
extern double pegs_dirichlet_ln(const pegs_dirichlet *d, const uint32_t *counts, const uint32_t *drawn);

/* ln of the probability of a table of n rows: each category alike, or by the prior itself. */
extern double pegs_ln_alike(const pegs_dirichlet *d, const uint32_t *counts);
extern double pegs_ln_prior(const pegs_dirichlet *d, const uint32_t *counts);

/* What a release gives away of one row that is replaced. Of an epsilon below 0: the first alone. */
typedef struct pegs_dirichlet_risk
{
	double		epsilon;		/* the largest |ln| of the ratio of two tables that differ in one row */
	double		joint;			/* the paper's delta: the smaller of both joint cells, where a ratio is beyond epsilon, added up; all tables by pegs_ln_alike */
	double		worst;			/* of some table, how likely a release is whose ratio with some other is beyond epsilon */
	double		tight;			/* the least delta of (epsilon, delta)-differential privacy */
} pegs_dirichlet_risk;

extern pegs_dirichlet_risk pegs_dirichlet_risk_of(const pegs_env *env, const pegs_dirichlet *d, double epsilon);

/* The share of the first category among the drawn rows, against that of the table. Not for n = 0, but for `expected` and `variance`. */
typedef struct pegs_dirichlet_validity
{
	double		expected;
	double		bias;
	double		variance;
	double		mse;
} pegs_dirichlet_validity;

extern pegs_dirichlet_validity pegs_dirichlet_validity_of(const pegs_dirichlet *d, const uint32_t *counts);

#endif							/* PEGS_DIRICHLET_H */
