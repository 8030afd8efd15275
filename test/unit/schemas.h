/*
 * schemas.h
 *	  Small schemas, and units of them, for the tests of core/schema. After
 *	  fixture.h.
 */
#ifndef PEGS_TEST_SCHEMAS_H
#define PEGS_TEST_SCHEMAS_H

#include "core/schema/schema.h"

#define MOST_COLUMNS 16
#define MOST_ROWS 4096

static inline pegs_relations
made(uint32_t n, const pegs_relation *table)
{
	pegs_relations r;

	if (pegs_relations_init(&env, n, table, &r) != PEGS_OK)
		abort();
	return r;
}

/* A root of one column, and a child of one column of 200 levels. */
static inline pegs_relations __attribute__((unused))
wide_child(void)
{
	return made(2, (pegs_relation[]) {
		{.parent = -1, .ncols = 1, .levels = (uint32_t[]) {2}},
		{.parent = 0, .ncols = 1, .levels = (uint32_t[]) {200}, .nclasses = 5, .first = (uint32_t[]) {0, 1, 2, 4, 100}, .most = 1000}});
}

/* A root, two child tables, and one below each of them. */
static inline pegs_relations __attribute__((unused))
two_levels(void)
{
	return made(5, (pegs_relation[]) {
		{.parent = -1, .ncols = 2, .levels = (uint32_t[]) {3, 2}},
		{.parent = 0, .ncols = 2, .levels = (uint32_t[]) {3, 4}, .nclasses = 4, .first = (uint32_t[]) {0, 1, 2, 3}, .most = 5},
		{.parent = 1, .ncols = 1, .levels = (uint32_t[]) {3}, .nclasses = 4, .first = (uint32_t[]) {0, 1, 2, 4}, .most = 6},
		{.parent = 0, .ncols = 1, .levels = (uint32_t[]) {2}, .nclasses = 2, .first = (uint32_t[]) {0, 1}, .most = 1},
		{.parent = 3, .ncols = 2, .levels = (uint32_t[]) {2, 5}, .nclasses = 3, .first = (uint32_t[]) {0, 1, 2}, .most = 2}});
}

/* Rows of one unit, parents before children. */
typedef struct unit
{
	uint32_t	n;
	struct
	{
		uint32_t	table;
		uint32_t	parent;		/* place in this list */
		uint16_t	codes[4];
		uint64_t	tie;
	}			row[MOST_ROWS];
} unit;

static inline uint32_t __attribute__((unused))
put_row(unit *u, uint32_t table, uint32_t parent, uint64_t tie, const uint16_t *codes, uint32_t n)
{
	u->row[u->n].table = table;
	u->row[u->n].parent = parent;
	u->row[u->n].tie = tie;
	for (uint32_t i = 0; i < n; i++)
		u->row[u->n].codes[i] = codes[i];
	return u->n++;
}

/* At most `most` rows of a parent. Where rows have no tie they may agree in all but what hangs on them. */
static inline unit __attribute__((unused))
random_unit(const pegs_relations *r, uint32_t most, bool ties)
{
	unit		u = {0};

	for (uint32_t t = 0; t < r->ntables; t++)
		for (uint32_t p = 0, before = u.n; p < (t == 0 ? 1 : before); p++)
		{
			uint32_t	n = t == 0 ? 1 : (uint32_t) pegs_rng_below(&rng, (t == 1 ? most : 3) + 1);

			if (t > 0 && u.row[p].table != (uint32_t) r->table[t].parent)
				continue;
			for (uint32_t i = 0; i < n && u.n < MOST_ROWS; i++)
			{
				uint16_t	codes[4];

				for (uint32_t c = 0; c < r->table[t].ncols; c++)
					codes[c] = (uint16_t) pegs_rng_below(&rng, r->table[t].levels[c]);
				(void) put_row(&u, t, p, ties || most > PEGS_PATHS ? pegs_rng_u64(&rng) : 0, codes, r->table[t].ncols);
			}
		}
	return u;
}

/* In the order of the list, or in any other in which tables follow each other. */
static inline void __attribute__((unused))
feed(pegs_paths *paths, const pegs_relations *r, const unit *u, bool shuffled)
{
	static uint32_t number[MOST_ROWS];
	static uint32_t holder[8][MOST_ROWS];	/* whose row a number is, by table */
	static uint32_t order[MOST_ROWS];

	for (uint32_t i = 0; i < u->n; i++)
	{
		uint32_t	j = shuffled ? (uint32_t) pegs_rng_below(&rng, i + 1) : i;

		order[i] = order[j];
		order[j] = i;
	}
	pegs_paths_begin(paths, u->row[0].codes, u->row[0].tie);
	number[0] = 0;
	holder[0][0] = 0;
	for (uint32_t t = 1; t < r->ntables; t++)
		for (uint32_t at = 0; at < u->n; at++)
		{
			uint32_t	i = order[at];
			uint32_t	up = u->row[i].parent;

			if (u->row[i].table != t)
				continue;
			number[i] = PEGS_NOT_KEPT;
			if (number[up] == PEGS_NOT_KEPT || holder[r->table[t].parent][number[up]] != up)
				continue;
			number[i] = pegs_paths_add(paths, t, number[up], u->row[i].codes, u->row[i].tie);
			if (number[i] != PEGS_NOT_KEPT)
				holder[t][number[i]] = i;
		}
}

#endif							/* PEGS_TEST_SCHEMAS_H */
