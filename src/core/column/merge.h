/*
 * merge.h
 *	  Nested merging of a column's levels into classes, by released mass.
 *
 * A pair measured on coarse classes carries less noise than one measured
 * finely and summed. Classes are contiguous in declared order: repeatedly the
 * lightest class joins its lighter neighbour. Reads released numbers only
 * (step B of docs/engine.md).
 */
#ifndef PEGS_MERGE_H
#define PEGS_MERGE_H

#include "core/core.h"

typedef struct pegs_merge
{
	uint32_t	levels;
	uint32_t   *gone;			/* [levels] level starts a class in cut(k) iff gone < k */
	double	   *lightest;		/* [levels + 1] mass of the lightest class of cut(k) */
} pegs_merge;

/*
 * mass[level]: shares of the column, released. group[level]: a public group, whose levels are neighbours; NULL: none. The lightest class joins its
 * lighter neighbour of its own group; one that is a whole group joins its lighter neighbour, and is of that group from then on.
 */
extern void pegs_merge_build(const pegs_env *env, pegs_merge *merge, uint32_t levels, const double *mass, const uint16_t *group);

/* class_of[level] in 0..k-1 for the cut into k classes, 1 <= k <= levels. */
extern void pegs_merge_cut(const pegs_merge *merge, uint32_t k, uint16_t *class_of);

/* The finest cut whose every class holds at least so much: into so many classes. */
extern uint32_t pegs_merge_classes(const pegs_merge *merge, double least);

/*
 * The finest grid for a pair whose every class holds at least one noise sd,
 * coarsened until at most `cells` cells are left. False if a side would be
 * one class.
 */
extern bool pegs_merge_grid(const pegs_merge *a, const pegs_merge *b, double least, double cells,
							uint32_t *ka, uint32_t *kb);

#endif							/* PEGS_MERGE_H */
