/*
 * descent.h
 *	  Rows of a batch, brought closer to tables: greedy descent on
 *	  sum_t w_t (count - target)^2 over the cells of all tables t.
 *
 * A column's levels lie in contiguous places, mostly one a level. A table is
 * kept as lines: for each class of the one column the weighted excesses of the
 * other's places, one after the other, and the same turned round. What a level
 * would cost a row is then a sum of one line a table.
 *
 * Excesses are floats that are added up in an order which the model alone
 * gives: a key gives the same rows on every machine.
 */
#ifndef PEGS_DESCENT_H
#define PEGS_DESCENT_H

#include "core/core.h"
#include "core/rng.h"
#include "core/zeros.h"

#define PEGS_DESCENT_RUN 256	/* levels of which the least is kept */

/* A table of two columns on contiguous classes of their levels. */
typedef struct pegs_excess
{
	uint32_t	column[2];
	uint32_t	k[2];
	uint16_t   *class_of[2];	/* [levels] */
	float		weight;
	uint32_t   *start[2];		/* [k + 1] places of a class */
	float	   *line[2];		/* [classes of the other][room], weight * (count - target) */
	bool		of_places;		/* merged, and its classes are the places: in both columns' weight_in */
	bool		merged;			/* its excesses are in the lines of the pair's places, not in its own */
} pegs_excess;

/* A table of three columns, at all their levels, as one of them sees it. A cell is in a line of each of them. */
typedef struct pegs_seen3
{
	float	   *line[3];		/* of its first column, second, third: [levels of the two others, the later one fastest][room], weight * (count - target) */
	uint32_t	step[3][3];		/* [line of][column]: from one level of that column to the next */
	uint32_t	column[3];
	uint32_t	side;			/* which of them sees it */
	float		weight;
} pegs_seen3;

/* A table of two columns as one of them sees it. */
typedef struct pegs_seen
{
	const float *line;
	const uint16_t *line_of;	/* [levels of the other] */
	uint32_t	other;
	uint32_t	number;			/* of the table */
} pegs_seen;

typedef struct pegs_descent_column
{
	uint32_t	levels;
	uint32_t	places;
	uint32_t	room;			/* places, padded with zeros */
	uint32_t	before;			/* places of the columns before it */
	uint16_t   *place_of;		/* [levels] */
	uint32_t   *first;			/* [places + 1] level */
	uint16_t   *place;			/* [n] of each row: its codes, where each level is a place */
	float	   *excess;			/* [levels] */
	float	   *least;			/* [places] of those of its levels; NULL: each level is a place */
	float	   *least_run;		/* [levels / PEGS_DESCENT_RUN] of so many levels, if least: a place may have all of them */
	float		weight;			/* of all tables that it is in, its own too */
	uint32_t	ntables;
	uint32_t   *table;			/* [ntables], those that are not of places first */
	uint32_t	nblocks;		/* so many */
	uint32_t	nseen;
	pegs_seen  *seen;			/* [nseen] those that are not merged */
	uint32_t	nseen3;
	pegs_seen3 *seen3;			/* [nseen3] */
	float	   *own;			/* [levels][room] of a table's class that it has: less by its weight; itself and padding: infinite */
	uint32_t	pairs;			/* all of its pairs, once they are compared; 0 before */
	float	   *lines;			/* [places of all other columns][room], a narrow column's in `narrow`; NULL: there are none */
	float	   *weight_in;		/* [ncols] of a row, in the places of the pair with that column; NULL: there are no lines */
	uint32_t	stride;			/* from one line to the next */
	uint32_t	own_lines;		/* places of its own among the lines: all, of a narrow column, or none */
	uint32_t	offset;			/* of a narrow column in `sum`: behind its room, the next one's */
} pegs_descent_column;

typedef struct pegs_descent
{
	const pegs_env *env;
	const pegs_zeros *zeros;
	uint32_t	ncols;
	uint32_t	places;			/* of all columns */
	uint32_t	n;
	uint16_t  **codes;			/* [ncols][n] */
	uint32_t   *order;			/* [n] of the visits */
	pegs_descent_column *column;
	uint32_t	ntables;
	pegs_excess *table;			/* [room for as many as the caller has] */
	uint32_t	most_triples;	/* room for as many of three columns */
	float	   *narrow;			/* [places][stride] lines of all narrow columns, side by side; NULL: there are none */
	uint32_t	stride;
	uint64_t	since;			/* looks since it was asked whether to stop */

	/* scratch of one row */
	uint16_t   *row;
	uint32_t   *at;				/* [ncols] places of all columns before it, and its own */
	const float **line;
	float	   *cost;
	float	   *sum;			/* [stride] of the row's lines of narrow columns: right for those that are still to be visited */
} pegs_descent;

/* Sets up codes' columns, each level a place of its own; most: tables of two columns and of three that will be added. */
extern void pegs_descent_init(const pegs_env *env, pegs_descent *d, const pegs_zeros *zeros, uint32_t ncols, const uint32_t *levels,
							  pegs_rng *rng, uint32_t n, uint16_t **codes, uint32_t most, uint32_t most_triples);

/* Places of a column, before there are tables: cut[level], and a level that is cut begins one. NULL: each level does. */
extern void pegs_descent_places(pegs_descent *d, uint32_t column, const bool *cut);

/* Each column's own shares, once its places are known. */
extern void pegs_descent_oneway(pegs_descent *d, uint32_t column, const double *share);

/* Lines of all pairs at all places, before there are tables: those of about their places become part of them. */
extern void pegs_descent_lines(pegs_descent *d);

/* A table on classes that places do not cross. */
extern void pegs_descent_table(pegs_descent *d, const uint32_t *column, const uint32_t *k, uint16_t *const *class_of, double weight, const double *share);

/* A table of three columns, whose places are their levels. */
extern void pegs_descent_triple(pegs_descent *d, const uint32_t *column, double weight, const double *share);

/* Rows of each pair of places of two columns, [places a][places b], and how many numbers counting at most `cells` of them needs. */
extern void pegs_descent_count(const pegs_descent *d, uint32_t a, uint32_t b, uint32_t *count);
extern size_t pegs_descent_count_room(size_t cells);

/* From here on all pairs count, too, at all places, weight 1; they have lines. Then the pair a < b is off by that much, [places a][places b]. */
extern void pegs_descent_all_pairs(pegs_descent *d);
extern void pegs_descent_pair(pegs_descent *d, uint32_t a, uint32_t b, const double *excess);

/* Visits each value of each of the first `rows` rows, in the order of the visits. */
extern void pegs_descent_pass(pegs_descent *d, uint32_t rows);

#endif							/* PEGS_DESCENT_H */
