/*
 * kin.h
 *	  Rows of a child table, brought closer to what was measured of them.
 */
#ifndef PEGS_KIN_H
#define PEGS_KIN_H

#include "core/schema/schema.h"

/* Rows of one table of a block. */
typedef struct pegs_kin
{
	uint32_t	n;
	uint32_t	rank;
	uint32_t   *parent;			/* [n] row of the parent table, rising; of the root NULL */
	uint32_t   *number;			/* [rows of the parent table] rows that each has */
	uint16_t  **codes;			/* [path columns][n] a path row of each */
} pegs_kin;

/*
 * Changes values of rows of a table, where that brings them closer: step G, over children. as_drawn: what was measured is of
 * other rows than these, so their tables stay what they are, and pairs of siblings are measured ones with the sums that these rows have.
 */
extern void pegs_adjust_kin(const pegs_env *env, const pegs_relations *relations, const pegs_fitted *model, pegs_rng *rng,
							const pegs_kin *kin, uint32_t table, bool as_drawn);

/*
 * Tables of pairs of siblings on classes, in parents: each pair of two rows of
 * one parent weighs as much as any other of that parent, and all pairs of a
 * parent one over the numbers of rows up to the root. Both orders; k: classes.
 * Gives the sum. table[k of a][k of b].
 */
extern double pegs_sibling_table(const pegs_env *env, const pegs_relations *relations, const pegs_kin *kin, uint32_t a, uint32_t b,
								 const uint32_t *k, uint16_t *const *class_of, double *table);

/* [n] of a table: the part of a root that a row of it is. */
extern double *pegs_kin_weights(const pegs_env *env, const pegs_relations *relations, const pegs_kin *kin, uint32_t table);

#endif							/* PEGS_KIN_H */
