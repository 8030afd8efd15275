/*
 * engine.h
 *	  What the files of bench/engine share: a table of codes, memory, measures.
 */
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#include "core/core.h"

#define COLUMNS 256

typedef struct table
{
	uint32_t	m;
	uint32_t	n;
	uint32_t	levels[COLUMNS];
	uint16_t   *code[COLUMNS];
	uint16_t   *value[COLUMNS];	/* of a column that is a function of another: of each level of that; or NULL */
	uint32_t	of[COLUMNS];
	uint32_t	target;			/* the last column of two levels; m: none */
} table;

/* ---- engine_tables.c: tables of known kinds, the same on every machine ---- */

extern bool make_table(table *t, const char *name);	/* false: there is none of this name */
extern void read_table(table *t, const char *file);	/* codes from 0, with a line of names */
extern void find_target(table *t);

/* ---- engine_measures.c: how far rows that were made are from it ---- */

typedef struct measures
{
	double		pairs;			/* mean total variation of all pairs */
	double		worst;			/* the greatest of them */
	double		with_target;	/* mean of those with the target */
	double		triples;		/* mean of 300 */
	double		propensity;		/* pMSE over what it is expected to be, logistic model of all columns */
	double		coefficients;	/* median relative error of those of a logistic regression of the target on all other columns */
} measures;

extern void measure_rows(const pegs_env *env, const table *t, uint16_t *const *made, measures *sum);	/* adds to what is there */

#endif							/* BENCH_ENGINE_H */
