/*
 * counts.h
 *	  Contingency tables over declared levels: where each cell lies, and
 *	  counting coded rows into them.
 *
 * A row is one uint16 code per column, code < levels[column]. Three kinds:
 *
 *	PEGS_PAIRS			all 1-way tables, then all 2-way tables (a < b), then 3-way tables of few cells where they are asked for
 *	PEGS_CONDITIONAL	one table per column: key of its parents' levels x level
 *	PEGS_JOINT			one table of all columns: a row is a cell
 *
 * Cells are dense, in declared order, whatever the rows: size says nothing.
 * Law: count(a ++ b) == count(a) + count(b), cell by cell.
 */
#ifndef PEGS_COUNTS_H
#define PEGS_COUNTS_H

#include "core/core.h"
#include "core/option.h"
#include "core/zeros.h"

typedef enum pegs_tables
{
	PEGS_PAIRS = 1,
	PEGS_CONDITIONAL = 2,
	PEGS_JOINT = 4				/* 3 is a model of graph: they are kinds of bytes, too (wire.h) */
} pegs_tables;

/* A level, the last, that a column has if, and only if, another one, of a lower rank, is not in [1, limit). */
typedef struct pegs_absence
{
	int32_t		level;			/* -1: there is none */
	uint32_t	says;			/* that column */
	uint32_t	limit;
} pegs_absence;

typedef struct pegs_layout
{
	pegs_tables tables;
	uint32_t	ncols;
	uint32_t	tail_bits;		/* 0, or 1: the PeGS paper's hash of all other features */
	uint32_t   *levels;			/* [ncols], each >= 1 */
	const uint32_t *bins;		/* [ncols] so many of the first levels are bins in order; NULL, as it is made: none. Says
								 * nothing of where cells lie, and is not in the bytes */
	const uint16_t *const *groups;	/* [ncols] which declared group each level is of, each of neighbours, or NULL: it has none; NULL, as
									 * it is made: none has. Public and no more than a hint, as bins */
	const bool *target;			/* [ncols] what the rows are for, where pairs are chosen; NULL: nothing more than anything else. Likewise */
	const bool *ordered;		/* [ncols] have its levels, but NULL, an order that means something? NULL: nothing is known. Likewise */
	const uint16_t *const *scale;	/* [ncols] the place of each level in that order, or NULL: as they are declared; NULL: all are. Likewise */
	const double *const *numbers;	/* [ncols] the number that each level is, of a bin its middle, NaN: it is none; NULL: a column of no numbers.
									 * NULL: nobody asked. Likewise */
	const uint32_t *rank;		/* [ncols] columns of a higher rank are drawn given all of lower ones (graph.h); NULL: none is. Likewise */
	const pegs_absence *absence;	/* [ncols] of columns with ranks; NULL: none is ever absent. Likewise */
	const int32_t *nulls;		/* [ncols] code of NULL, or -1: it has none; NULL: no column has. Likewise */
	const pegs_setting *settings;	/* [options of the method] for a fit; NULL: it has none. Likewise */
	pegs_zeros	zeros;			/* structural zeros, for a fit; none, as it is made. As bins: beside the layout */
	const struct pegs_kept *kept;	/* the rows themselves (kept.h), for a fit that goes over them again; NULL: they were counted and forgotten. Likewise */
	uint32_t   *parent_start;	/* [ncols + 1], conditional only */
	uint16_t   *parents;		/* [parent_start[ncols]] column numbers */
	uint64_t   *keys;			/* [ncols] rows of the conditional table */
	uint64_t   *offset;			/* first cell of table: [ncols] 1-ways or conditionals */
	uint64_t   *pair_offset;	/* [ncols * ncols], used for a < b; pairs only. NULL: they are counted later, of `kept` (later.h) */
	uint64_t   *triple_offset;	/* [ncols^3], used for a < b < c, 0: not counted; NULL: none is. In bytes of counts of a kind of their own (wire.h) */
	uint64_t	ncells;
} pegs_layout;

#define PEGS_TRIPLE_COLUMNS 40	/* of more no triple is counted */
#define PEGS_TRIPLE_CELLS	36	/* of a triple that is, at most */

/*
 * Copies its arguments. PEGS_ERR_TOO_LARGE when ncells would pass
 * PEGS_MAX_CELLS; *cells is then the arithmetic, for the caller's message.
 * PEGS_ERR_ARGUMENT: no column, a column without levels, a parent that is not
 * a column or is the column itself or comes twice.
 */
extern pegs_status pegs_layout_pairs(const pegs_env *env, uint32_t ncols, const uint32_t *levels,
									 pegs_layout *layout, double *cells);
/* Single columns alone: pairs are counted later, of rows that are kept (later.h). Of any size. */
extern pegs_status pegs_layout_later(const pegs_env *env, uint32_t ncols, const uint32_t *levels, pegs_layout *layout);
extern pegs_status pegs_layout_conditional(const pegs_env *env, uint32_t ncols, const uint32_t *levels,
										   const uint32_t *parent_start, const uint16_t *parents,
										   uint32_t tail_bits, pegs_layout *layout, double *cells);

/*
 * Triples of few cells, after the pairs, for a fit that asks for them: of a
 * layout of pairs. Where no cell is left for all of them, none is counted.
 */
extern void pegs_layout_add_triples(const pegs_env *env, pegs_layout *layout);

/* First cell of a triple a < b < c, or 0. */
static inline uint64_t
pegs_triple_at(const pegs_layout *layout, uint32_t a, uint32_t b, uint32_t c)
{
	return layout->triple_offset ? layout->triple_offset[((size_t) a * layout->ncols + b) * layout->ncols + c] : 0;
}

extern pegs_status pegs_layout_joint(const pegs_env *env, uint32_t ncols, const uint32_t *levels, pegs_layout *layout, double *cells);

/* A table without parents: pairs, or joint. */
extern pegs_status pegs_layout_plain(const pegs_env *env, pegs_tables tables, uint32_t ncols, const uint32_t *levels,
									 pegs_layout *layout, double *cells);

/* Joint: the cell of a row, by mixed radix, the last column running fastest; and back. */
static inline uint64_t
pegs_joint_cell(uint32_t ncols, const uint32_t *levels, const uint16_t *row)
{
	uint64_t	cell = 0;

	for (uint32_t i = 0; i < ncols; i++)
		cell = cell * levels[i] + row[i];
	return cell;
}

static inline void
pegs_joint_row(uint32_t ncols, const uint32_t *levels, uint64_t cell, uint16_t *row)
{
	for (uint32_t i = ncols; i-- > 0; cell /= levels[i])
		row[i] = (uint16_t) (cell % levels[i]);
}

/* The key of `column` in `row`: its parents' levels in mixed radix, then the tail bit. */
extern uint64_t pegs_layout_key(const pegs_layout *layout, uint32_t column, const uint16_t *row);

/* Count n <= PEGS_CHUNK coded rows; codes[column][row]. For tests: nobody can stop it. */
extern void pegs_count_chunk(const pegs_layout *layout, uint64_t *cells,
							 uint16_t *const *codes, uint32_t n);

/*
 * The same, row r counted times[r] times; times NULL: once. env is asked
 * between columns whether to stop (a chunk of 1,600 takes half a second, and
 * is then counted in part); NULL: not asked.
 */
extern void pegs_count_weighted(const pegs_env *env, const pegs_layout *layout, uint64_t *cells, uint16_t *const *codes,
								const uint32_t *times, uint32_t n);

#endif							/* PEGS_COUNTS_H */
