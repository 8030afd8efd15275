/*
 * joint.h
 *	  The table of all columns, with noise in every cell.
 */
#ifndef PEGS_JOINT_TABLE_H
#define PEGS_JOINT_TABLE_H

#include "core/method.h"

/* A fitted table: released numbers. Cells that are not here have nothing. */
typedef struct pegs_joint
{
	uint32_t	ncols;
	uint32_t   *levels;
	pegs_accountant accountant;
	double		rows;			/* noisy number of rows, >= 1 */
	double	  **share;			/* [ncols][levels] of single columns, sums to 1 */
	uint32_t	n;				/* cells that have something, >= 1 */
	uint32_t   *cell;			/* [n] rising (counts.h) */
	double	   *weight;			/* [n] > 0, sums to 1 */
} pegs_joint;

/* Of a layout of PEGS_JOINT, of rows, or of persons times rows_each. Spends the whole account. Claim P22. */
extern void pegs_joint_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout,
						   const uint64_t *cells, pegs_joint *model);

/* Columns and levels are known; on reading everything else is checked and allocated. */
extern void pegs_joint_walk(pegs_cursor *c, pegs_joint *model);

/* How many cells there are, and the standard deviation of the noise in one, in rows of the model; 0: it was not measured. */
extern uint64_t pegs_joint_cells(const pegs_joint *model);
extern double pegs_joint_sd(const pegs_joint *model);

#define PEGS_JOINT_PURPOSES 3
extern const pegs_purpose pegs_joint_purposes[PEGS_JOINT_PURPOSES];

#endif							/* PEGS_JOINT_TABLE_H */
