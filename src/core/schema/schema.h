/*
 * schema.h
 *	  Several tables of one unit: path rows, a fit of them, and rows of all
 *	  tables in blocks.
 *
 * A unit is a row of the root with all rows that hang on it. A path row is a
 * row of the root beside one of its rows in each child table, one of that
 * one's rows below, and so on; each unit gives PEGS_PATHS of them, however many
 * rows it has. The model of a schema is a graph model of path rows (ranks and
 * siblings: core/graph/engine.h). Claims P35 to P37.
 */
#ifndef PEGS_SCHEMA_H
#define PEGS_SCHEMA_H

#include "core/counts.h"
#include "core/graph/engine.h"
#include "core/rng.h"
#include "core/zeros.h"

#define PEGS_PATHS 64			/* path rows of a unit: a public constant */
#define PEGS_MOST_KEPT 1048576	/* rows of a unit that are in memory together, of all its tables */
#define PEGS_MOST_CHILDREN 65536	/* of a parent in one table */
#define PEGS_MOST_BELOW 1048576.0	/* of a root in one table, on whatever level */
#define PEGS_ANY_NUMBER UINT32_MAX	/* of rows of a parent that may have a level */

/* By what values of a level are drawn, where rows of one parent have different ones (core/weights.h). */
typedef struct pegs_weighing
{
	uint32_t   *first;			/* [levels + 1] where those of each level begin */
	uint32_t   *weight;			/* [first[levels]] of each level at least `room` are not 0 */
} pegs_weighing;

/* A table, as it is declared. */
typedef struct pegs_relation
{
	int32_t		parent;			/* an earlier table; -1: the root, which is the first */
	uint32_t	ncols;
	const uint32_t *levels;		/* [ncols] */
	uint32_t	nclasses;		/* of the number of its rows that a parent has; of the root 0 */
	const uint32_t *first;		/* [nclasses] least number of each class, rising; 0 and 1 are the first two */
	uint32_t	most;			/* largest number of the last class */
	uint32_t  **room;			/* [ncols] of a column by which a key tells rows of one parent apart: distinct.h; else NULL. NULL: there is none */
	pegs_weighing *weighing;	/* [ncols] where room is; `first` NULL, and NULL: each value is as likely */
} pegs_relation;

/* A column of path rows. */
typedef struct pegs_path_column
{
	uint32_t	table;			/* whose row it says something of */
	int32_t		own;			/* number among that table's columns; -1: it counts rows of `counts` */
	uint32_t	counts;
	uint32_t	levels;			/* with absent */
	int32_t		absent;			/* its last level, where there is no row; -1: of the root, which is always there */
} pegs_path_column;

/* All of them: own columns of each table, followed by a count for each of its child tables. */
typedef struct pegs_relations
{
	uint32_t	ntables;
	pegs_relation *table;
	uint32_t	ncols;			/* of path rows */
	pegs_path_column *column;
	uint32_t   *levels;			/* [ncols] */
	uint32_t   *rank;			/* [ncols] how deep its table is: the root 0 */
	uint32_t   *start;			/* [ntables] first own column */
	int32_t    *count_of;		/* [ntables] column that counts its rows; the root -1 */
	pegs_absence *absence;		/* [ncols] a parent without rows <=> they are absent */
	pegs_zeros	zeros;			/* which is this */
} pegs_relations;

/* ---- relations.c ---- */

/*
 * Copies its arguments. PEGS_ERR_ARGUMENT: no tree of tables as above;
 * PEGS_ERR_TOO_LARGE: too many columns or levels, or more than PEGS_MOST_BELOW
 * rows could hang on a root.
 */
extern pegs_status pegs_relations_init(const pegs_env *env, uint32_t ntables, const pegs_relation *table, pegs_relations *relations);

/* The class of a number of rows. */
extern uint32_t pegs_class_of_number(const pegs_relation *table, uint64_t number);

/* Is the row there that a path row's column speaks of? level: of the column that counts rows of its table. */
static inline bool
pegs_count_is_present(const pegs_relation *table, uint32_t level)
{
	return level >= 1 && level < table->nclasses;
}

/* ---- paths.c: one unit ---- */

typedef struct pegs_paths pegs_paths;

#define PEGS_NOT_KEPT UINT32_MAX
#define PEGS_TOO_MANY (UINT32_MAX - 1)

extern pegs_paths *pegs_paths_new(const pegs_env *env, const pegs_relations *relations);

/* Another unit. tie: 64 bits of a hash of the row with its key. */
extern void pegs_paths_begin(pegs_paths *paths, const uint16_t *codes, uint64_t tie);

/*
 * A row of a table below the root, and the number of its parent (the root's row
 * is 0). Gives its own number, or PEGS_NOT_KEPT: PEGS_PATHS rows of a parent
 * are kept, and a number may be given again, to a row in place of another. All
 * rows of a table come before those of the tables below it, in whatever order.
 * Rows whose parent is not kept are left out. PEGS_TOO_MANY: PEGS_MOST_KEPT are kept; the unit cannot be counted.
 */
extern uint32_t pegs_paths_add(pegs_paths *paths, uint32_t table, uint32_t parent, const uint16_t *codes, uint64_t tie);

/*
 * codes[column][PEGS_PATHS]; second: the same of another row of the same
 * parent, own columns only, absent where there is none; or NULL. A function of
 * the unit's rows alone. Claim P35.
 */
extern void pegs_paths_rows(pegs_paths *paths, uint16_t *const *codes, uint16_t *const *second);

/* ---- tally.c: what is counted of all units ---- */

/*
 * Path rows, and pairs of rows of one parent: exact counts, as secret as the
 * rows. One unit more adds PEGS_PATHS to each table of path rows, and at most
 * as many to each table of siblings.
 */
typedef struct pegs_tally
{
	const pegs_env *env;
	const pegs_relations *relations;
	pegs_layout layout;			/* of path rows: pairs */
	uint64_t   *cells;
	uint64_t   *sibling_at;		/* [ncols * ncols] first cell of columns a <= b of one table, + 1; 0: not counted */
	uint64_t   *siblings;		/* [own levels a][own levels b]; of a == b the smaller level first */
	uint64_t	units;

	/* path rows that are not counted yet */
	uint32_t	waiting;
	uint16_t  **codes;			/* [ncols][PEGS_CHUNK] */
	uint16_t  **second;			/* [ncols][PEGS_PATHS] */
} pegs_tally;

/* PEGS_ERR_TOO_LARGE: *cells is the arithmetic. */
extern pegs_status pegs_tally_init(const pegs_env *env, const pegs_relations *relations, pegs_tally *tally, double *cells);

/* A unit whose rows are all there; and after the last of them. */
extern void pegs_tally_unit(pegs_tally *tally, pegs_paths *paths);
extern void pegs_tally_end(pegs_tally *tally);

/* ---- schema_fit.c ---- */

/*
 * A model of a tally that has ended. accountant: of PEGS_PATHS rows_per_unit and
 * rows_each; all of it is spent, a part of it on siblings if they are asked
 * for. model->rows: roots.
 */
extern void pegs_schema_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_relations *relations,
							const pegs_tally *tally, bool siblings, pegs_fitted *model);

/* How large the noise of such a fit is, in a method's measure of its own (method.h): with a part of the account for siblings, or without. */
extern double pegs_schema_noise(const pegs_env *env, const pegs_accountant *accountant, const pegs_layout *layout, bool siblings);

/* ---- blocks.c: rows of all tables ---- */

typedef struct pegs_block_table
{
	uint32_t	n;
	uint32_t   *parent;			/* [n] row of the parent table in this block, rising; of the root NULL */
	uint16_t  **codes;			/* [own columns][n] */
	uint32_t  **place;			/* [own columns][n] which of its level's values a row has, where a key tells rows apart by that; else NULL */
} pegs_block_table;

typedef struct pegs_block
{
	uint64_t	first;			/* number of its first root, from 0 on */
	pegs_block_table *table;	/* [ntables] */
} pegs_block;

typedef struct pegs_blocks pegs_blocks;

/*
 * What n roots are drawn by. given: NULL, or of each column of path rows a code or -1, of own columns of the root alone: all
 * roots have it. PEGS_ERR_MISMATCH: the model is not of these tables. PEGS_ERR_RANGE: what is given has probability zero.
 */
extern pegs_status pegs_blocks_open(const pegs_env *env, const pegs_relations *relations, const pegs_fitted *model, uint64_t n,
									const int32_t *given, pegs_blocks **blocks);
extern uint64_t pegs_blocks_number(const pegs_blocks *blocks);

/*
 * A function of the model, n, what is given, the rng's key, `stream` and the number of the
 * block alone. What it makes lies in the batch's memory.
 */
extern void pegs_blocks_make(const pegs_blocks *blocks, const pegs_env *batch, pegs_rng *rng, uint64_t stream, uint64_t block, pegs_block *made);

#endif							/* PEGS_SCHEMA_H */
