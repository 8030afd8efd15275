/*
 * families.h
 *	  Related tables beside their original: numbers of children, tables across
 *	  keys, rows of one parent.
 */
#ifndef PEGS_FAMILIES_H
#define PEGS_FAMILIES_H

#include "core/core.h"
#include "core/schema/schema.h"

/* Rows of one table. */
typedef struct pegs_family_table
{
	uint32_t	n;
	uint32_t	room;
	uint32_t   *parent;			/* [n] row of the parent table; of the root 0 */
	uint16_t  **codes;			/* [own columns][n]; one level more than are declared: not declared */
	uint32_t   *first;			/* [rows of the parent table + 1] where each one's begin in `row`; of the root NULL */
	uint32_t   *row;			/* [n] in the order of their parents */
} pegs_family_table;

typedef struct pegs_families
{
	const pegs_env *env;
	const pegs_relations *relations;
	pegs_family_table *table;	/* [ntables] */
} pegs_families;

#define PEGS_NO_FAMILY UINT32_MAX

extern pegs_families *pegs_families_new(const pegs_env *env, const pegs_relations *relations);

/* Gives the row's number in its table, from 0 on; PEGS_NO_FAMILY: there are too many. A parent comes before its children. */
extern uint32_t pegs_families_add(pegs_families *families, uint32_t table, uint32_t parent, const uint16_t *codes);

/* After the last of them, once. */
extern void pegs_families_end(pegs_families *families);

/*
 * What is measured: distances are total variation, means over columns or pairs of them. A table that is empty on one side alone is at
 * distance 1.
 */
typedef enum pegs_kinship
{
	PEGS_TV1,					/* a column of a table */
	PEGS_TV2,					/* two of them */
	PEGS_CHILDREN_TV,			/* the number of children of a parent */
	PEGS_COUNT_CHILD_TV2,		/* class of that number x column of the child, over children */
	PEGS_CROSS_TV2,				/* column of the root x column of its child, over children */
	PEGS_BELOW_TV2,				/* the same, where the parent is not the root */
	PEGS_BRANCH_TV2,			/* columns of two child tables of one parent; each parent weighs 1 */
	PEGS_SIBLING_TV2,			/* a column of two rows of one parent; likewise */
	PEGS_SIBLING_AGREEMENT,		/* how often they agree: no distance */
	PEGS_SIBLING_AGREEMENT_REAL,	/* of the original */
	PEGS_ROWS_ORIGINAL,			/* how many there are; not over all */
	PEGS_ROWS_SYNTHETIC,
	PEGS_KINSHIPS
} pegs_kinship;

/* Of the distances that a mean is of, the largest: its columns. table -1: there is none; column -1: how many rows of that table there are. */
typedef struct pegs_farthest
{
	double		value;
	int			table[2];
	int			column[2];
} pegs_farthest;

/* table -1: over all; column -1: mean of the table, with the largest in it. NaN: there is nothing to measure. */
typedef void (*pegs_put_kinship) (void *arg, pegs_kinship kinship, int table, int column, double value, double resample,
								  const pegs_farthest *farthest);

/*
 * Every measure of each table, then over all. drawn[roots of the original]: how
 * often each unit is drawn in a table of as many, for `resample`: what it would
 * be of those.
 */
extern void pegs_compare_families(const pegs_families *original, const pegs_families *synthetic, const uint32_t *drawn,
								  pegs_put_kinship put, void *arg);

#endif							/* PEGS_FAMILIES_H */
