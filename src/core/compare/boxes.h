/*
 * boxes.h
 *	  Classes of rows as boxes: what is still known of their keys, and what that
 *	  loses.
 */
#ifndef PEGS_BOXES_H
#define PEGS_BOXES_H

#include "core/compare/anonymity.h"

#define PEGS_RANGE UINT16_MAX

/* What is known of a key: its group at a step, or that its code is from low to high. */
typedef struct pegs_side
{
	uint16_t	low;			/* a code of the group, or the first of the range */
	uint16_t	high;
	uint16_t	step;			/* or PEGS_RANGE */
} pegs_side;

typedef struct pegs_boxes
{
	uint32_t	n;
	uint32_t   *of;				/* [tuples] the class of each */
	pegs_side  *side;			/* [n * nkeys] */
} pegs_boxes;

/* What all codes between two, in the order of pegs_order_codes, have in common. */
extern pegs_side pegs_side_between(const pegs_key *key, uint16_t low, uint16_t high);

/* Levels, of the key's, that the value may be. */
extern uint32_t pegs_side_size(const pegs_key *key, const pegs_side *side);

/* Codes in such an order that every group of every step is a run: place[levels], and code[levels] at each. */
extern void pegs_order_codes(const pegs_env *env, const pegs_key *key, uint16_t *place, uint16_t *code);

/* Classes at these steps of the keys. */
extern void pegs_boxes_at(const pegs_env *env, const pegs_tuples *tuples, const pegs_key *keys, const uint32_t *step, pegs_boxes *boxes);
extern void pegs_free_boxes(const pegs_env *env, pegs_boxes *boxes);

typedef struct pegs_loss
{
	uint64_t	suppressed;		/* rows of classes that are not kept */
	uint32_t	classes;		/* that are */
	double		loss;			/* weighted mean of the keys' */
	double		entropy;		/* mean over cells: log2(rows of the group / rows of the value) */
	double		discernibility; /* squared sizes of classes; all rows for each suppressed one */
} pegs_loss;

/* `keep` of each class; each key's loss into by_key. Without rows all is 0. */
extern void pegs_measure_loss(const pegs_env *env, const pegs_tuples *tuples, const pegs_key *keys, const pegs_boxes *boxes,
							  const bool *keep, double *by_key, pegs_loss *loss);

#endif							/* PEGS_BOXES_H */
