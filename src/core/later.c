/*
 * later.c
 *	  Pairs that are too many for memory: each is counted of kept rows when it
 *	  is looked at.
 *
 * No floating point. What is counted here is as secret as the rows.
 */
#include "core/later.h"

#include <string.h>

#define FEW_CELLS	1024		/* of a pair: rows take turns, as a number that was just written is waited for */
#define TURNS		4
#define MAX_CELLS	65536		/* of a pair that is counted at its levels, and remembered */
#define BLOCKS_AT_ONCE 256		/* of rows, between two questions whether to stop */

struct pegs_later
{
	const pegs_env *env;
	const pegs_layout *layout;
	uint32_t	column[2];		/* the pair at hand; ncols: there is none */
	uint16_t   *codes;			/* [rows] of the first of them */
	uint64_t   *cells;			/* [MAX_CELLS] the pair, at all levels */
	bool		counted;		/* it is */
	uint32_t   *turn;			/* [TURNS * FEW_CELLS] */
};

pegs_later *
pegs_later_begin(const pegs_env *env, const pegs_layout *layout)
{
	pegs_later *later = env->alloc(env->context, sizeof(pegs_later));
	uint64_t	rows = 0;

	later->env = env;
	later->layout = layout;
	for (uint64_t b = 0; b < pegs_kept_blocks(layout->kept); b++)
		rows += pegs_kept_rows(layout->kept, b);
	later->column[0] = later->column[1] = layout->ncols;
	later->codes = env->alloc(env->context, sizeof(uint16_t) * (rows + 1));
	later->cells = env->alloc(env->context, sizeof(uint64_t) * MAX_CELLS);
	later->turn = env->alloc(env->context, sizeof(uint32_t) * TURNS * FEW_CELLS);
	return later;
}

static void
take_pair(pegs_later *later, const uint32_t *column)
{
	const pegs_kept *kept = later->layout->kept;
	uint16_t   *codes = later->codes;

	if (later->column[0] == column[0] && later->column[1] == column[1])
		return;
	later->counted = false;
	later->column[1] = column[1];
	if (later->column[0] == column[0])
		return;
	later->column[0] = column[0];
	for (uint64_t b = 0; b < pegs_kept_blocks(kept); b++)
	{
		if (b % BLOCKS_AT_ONCE == 0)
			later->env->check(later->env->context);
		pegs_kept_column(kept, b, column[0], codes);
		codes += pegs_kept_rows(kept, b);
	}
}

/* Rows of a block, each counted once, into four tables of few cells; a code of the second column is a byte. */
static void
count_few(uint32_t *turn, uint32_t cells, const uint16_t *x, const uint8_t *y, uint32_t kb, uint32_t n)
{
	uint32_t   *t0 = turn;
	uint32_t   *t1 = t0 + cells;
	uint32_t   *t2 = t1 + cells;
	uint32_t   *t3 = t2 + cells;
	uint32_t	r = 0;

	for (; r + TURNS <= n; r += TURNS)
	{
		t0[x[r] * kb + y[r]]++;
		t1[x[r + 1] * kb + y[r + 1]]++;
		t2[x[r + 2] * kb + y[r + 2]]++;
		t3[x[r + 3] * kb + y[r + 3]]++;
	}
	for (; r < n; r++)
		t0[x[r] * kb + y[r]]++;
}

static void
add_turns(pegs_later *later, uint32_t cells)
{
	for (uint32_t t = 0; t < TURNS; t++)
		for (uint32_t i = 0; i < cells; i++)
			later->cells[i] += later->turn[t * cells + i];
	memset(later->turn, 0, sizeof(uint32_t) * TURNS * cells);
}

/* The pair at hand, at all its levels. */
static void
count_levels(pegs_later *later, uint32_t kb, uint32_t cells)
{
	const pegs_kept *kept = later->layout->kept;
	const uint16_t *x = later->codes;
	uint32_t	few = cells <= FEW_CELLS ? cells : 0;

	if (later->counted)
		return;
	memset(later->cells, 0, sizeof(uint64_t) * cells);
	memset(later->turn, 0, sizeof(uint32_t) * TURNS * few);
	for (uint64_t b = 0; b < pegs_kept_blocks(kept); b++)
	{
		uint32_t	n = pegs_kept_rows(kept, b);
		const uint32_t *times = pegs_kept_times(kept, b);
		const uint8_t *narrow = pegs_kept_narrow(kept, b, later->column[1]);
		uint16_t	y[PEGS_CHUNK];

		if (b % BLOCKS_AT_ONCE == BLOCKS_AT_ONCE - 1)
		{
			/* before they are full */
			add_turns(later, few);
			later->env->check(later->env->context);
		}
		if (narrow && few && !times)
			count_few(later->turn, few, x, narrow, kb, n);
		else
		{
			pegs_kept_column(kept, b, later->column[1], y);
			for (uint32_t r = 0; r < n; r++)
				later->cells[x[r] * kb + y[r]] += times ? times[r] : 1;
		}
		x += n;
	}
	add_turns(later, few);
	later->counted = true;
}

/* Too many cells to remember: on the classes alone. */
static void
count_classes(pegs_later *later, uint32_t kb, uint16_t *const *class_of, int64_t *table)
{
	const pegs_kept *kept = later->layout->kept;
	const uint16_t *x = later->codes;

	for (uint64_t b = 0; b < pegs_kept_blocks(kept); b++)
	{
		uint32_t	n = pegs_kept_rows(kept, b);
		const uint32_t *times = pegs_kept_times(kept, b);
		uint16_t	y[PEGS_CHUNK];

		if (b % BLOCKS_AT_ONCE == 0)
			later->env->check(later->env->context);
		pegs_kept_column(kept, b, later->column[1], y);
		for (uint32_t r = 0; r < n; r++)
			table[(size_t) class_of[0][x[r]] * kb + class_of[1][y[r]]] += times ? times[r] : 1;
		x += n;
	}
}

void
pegs_later_count(pegs_later *later, const uint32_t *column, const uint32_t *k, uint16_t *const *class_of, int64_t *table)
{
	uint32_t	na = later->layout->levels[column[0]];
	uint32_t	nb = later->layout->levels[column[1]];
	const uint64_t *cell = later->cells;

	take_pair(later, column);
	if ((uint64_t) na * nb > MAX_CELLS)
	{
		count_classes(later, k[1], class_of, table);
		return;
	}
	count_levels(later, nb, na * nb);
	for (uint32_t x = 0; x < na; x++)
	{
		int64_t    *row = table + (size_t) class_of[0][x] * k[1];

		for (uint32_t y = 0; y < nb; y++)
			row[class_of[1][y]] += (int64_t) *cell++;
	}
}
