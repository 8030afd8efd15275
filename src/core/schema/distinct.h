/*
 * distinct.h
 *	  Rows of one parent that a key tells apart by a column: no two of them have
 *	  the same value.
 *
 * A level has room for as many rows of a parent as it has values: a label for
 * one, what a lookup table says of 40 keys for 40, NULL for any number. Public
 * facts; which rows have which is post-processing of released numbers.
 */
#ifndef PEGS_DISTINCT_H
#define PEGS_DISTINCT_H

#include "core/schema/kin.h"

/* Such a column, beside the rows of the parent at hand. */
typedef struct pegs_distinct
{
	const uint32_t *room;		/* [levels] */
	uint32_t   *taken;			/* [levels] of the rows at hand; between parents 0 */
} pegs_distinct;

/* Of an own column; NULL: rows may agree in it. */
extern pegs_distinct *pegs_distinct_column(const pegs_env *env, const pegs_relation *table, uint32_t column);

/* The rows of a parent; and no longer. NULL: nothing. */
extern void pegs_count_taken(pegs_distinct *distinct, const uint16_t *codes, uint32_t n);
extern void pegs_forget_taken(pegs_distinct *distinct, const uint16_t *codes, uint32_t n);

/* May one row more have this level? */
static inline bool
pegs_has_room(const pegs_distinct *distinct, uint32_t level)
{
	return !distinct || distinct->taken[level] < distinct->room[level];
}

static inline void
pegs_move_taken(pegs_distinct *distinct, uint32_t from, uint32_t to)
{
	if (!distinct)
		return;
	distinct->taken[from]--;
	distinct->taken[to]++;
}

/* Rows that their level has no room for are given another, by the model's shares of those that have. Before they are adjusted. */
extern void pegs_redraw_repeats(const pegs_env *env, const pegs_relations *relations, const pegs_fitted *model, pegs_rng *rng,
								const pegs_kin *kin, uint32_t table);

/* Which value of its level each row has: [own columns][n], as pegs_block_table has it. NULL: there is no such column. */
extern uint32_t **pegs_choose_places(const pegs_env *env, const pegs_relations *relations, pegs_rng *rng, const pegs_kin *kin, uint32_t table);

#endif							/* PEGS_DISTINCT_H */
