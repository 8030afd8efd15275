/*
 * group.h
 *	  Rows of both tables that agree on some columns.
 */
#ifndef PEGS_GROUP_H
#define PEGS_GROUP_H

#include "core/compare/coded.h"

typedef struct pegs_groups
{
	uint32_t	n;				/* groups that have a row, numbered in order of their first one */
	uint32_t   *of;				/* [original rows + synthetic rows]: first the original's */
	uint64_t   *original;		/* [n] rows of each table */
	uint64_t   *synthetic;
} pegs_groups;

/*
 * Any number of columns; without one all rows are one group. Time and memory
 * are linear in the rows. PEGS_ERR_MISMATCH: tables of different shape, or a
 * column that is not there. PEGS_ERR_TOO_LARGE: 2^31 rows or more in all.
 */
extern pegs_status pegs_group_rows(const pegs_env *env, const pegs_coded *original, const pegs_coded *synthetic,
								   const uint32_t *columns, uint32_t n, pegs_groups *groups);
extern void pegs_free_groups(const pegs_env *env, pegs_groups *groups);

#endif							/* PEGS_GROUP_H */
