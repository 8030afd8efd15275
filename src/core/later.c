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

struct pegs_later
{
	const pegs_env *env;
	const pegs_layout *layout;
	uint64_t	rows;
	uint32_t	column[2];		/* whose codes are at hand; ncols: none are */
	uint16_t   *codes[2];		/* [rows] */
	uint32_t   *times;			/* [rows]; NULL: each counts once */
	uint64_t   *cells;			/* [MAX_CELLS] the pair of both, at all levels */
	bool		counted;		/* it is */
	uint32_t   *turn;			/* [TURNS * FEW_CELLS] */
};

pegs_later *
pegs_later_begin(const pegs_env *env, const pegs_layout *layout)
{
	pegs_later *later = env->alloc(env->context, sizeof(pegs_later));
	uint64_t	at = 0;

	later->env = env;
	later->layout = layout;
	for (uint64_t b = 0; b < pegs_kept_blocks(layout->kept); b++)
		later->rows += pegs_kept_rows(layout->kept, b);
	for (int x = 0; x < 2; x++)
	{
		later->column[x] = layout->ncols;
		later->codes[x] = env->alloc(env->context, sizeof(uint16_t) * (later->rows + 1));
	}
	later->cells = env->alloc(env->context, sizeof(uint64_t) * MAX_CELLS);
	later->turn = env->alloc(env->context, sizeof(uint32_t) * TURNS * FEW_CELLS);
	for (uint64_t b = 0; b < pegs_kept_blocks(layout->kept); b++)
	{
		const uint32_t *times = pegs_kept_times(layout->kept, b);
		uint32_t	n = pegs_kept_rows(layout->kept, b);

		if (times && later->times == NULL)
		{
			later->times = env->alloc(env->context, sizeof(uint32_t) * (later->rows + 1));
			for (uint64_t r = 0; r < later->rows; r++)
				later->times[r] = 1;
		}
		if (times)
			memcpy(later->times + at, times, sizeof(uint32_t) * n);
		at += n;
	}
	return later;
}

static void
take_column(pegs_later *later, int side, uint32_t column)
{
	const pegs_kept *kept = later->layout->kept;
	uint16_t   *codes = later->codes[side];

	if (later->column[side] == column)
		return;
	later->column[side] = column;
	later->counted = false;
	for (uint64_t b = 0; b < pegs_kept_blocks(kept); b++)
	{
		if (b % 64 == 0)
			later->env->check(later->env->context);
		pegs_kept_column(kept, b, column, codes);
		codes += pegs_kept_rows(kept, b);
	}
}

/* Few cells: n < 2^32 rows at a time, each counted once. */
static void
count_few(const pegs_later *later, uint64_t from, uint32_t n, uint32_t kb, uint32_t cells)
{
	const uint16_t *x = later->codes[0] + from;
	const uint16_t *y = later->codes[1] + from;
	uint32_t   *t0 = later->turn;
	uint32_t   *t1 = t0 + cells;
	uint32_t   *t2 = t1 + cells;
	uint32_t   *t3 = t2 + cells;
	uint32_t	r = 0;

	memset(t0, 0, sizeof(uint32_t) * TURNS * cells);
	for (; r + TURNS <= n; r += TURNS)
	{
		t0[x[r] * kb + y[r]]++;
		t1[x[r + 1] * kb + y[r + 1]]++;
		t2[x[r + 2] * kb + y[r + 2]]++;
		t3[x[r + 3] * kb + y[r + 3]]++;
	}
	for (; r < n; r++)
		t0[x[r] * kb + y[r]]++;
	for (uint32_t i = 0; i < cells; i++)
		later->cells[i] += (uint64_t) t0[i] + t1[i] + t2[i] + t3[i];
}

#define ROWS_AT_ONCE (UINT64_C(1) << 22)	/* between two questions whether to stop */

/* The pair at hand, at all its levels. */
static void
count_levels(pegs_later *later, uint32_t kb, uint32_t cells)
{
	const uint16_t *x = later->codes[0];
	const uint16_t *y = later->codes[1];

	if (later->counted)
		return;
	memset(later->cells, 0, sizeof(uint64_t) * cells);
	for (uint64_t from = 0; from < later->rows; from += ROWS_AT_ONCE)
	{
		uint64_t	to = later->rows - from < ROWS_AT_ONCE ? later->rows : from + ROWS_AT_ONCE;

		later->env->check(later->env->context);
		if (later->times)
			for (uint64_t r = from; r < to; r++)
				later->cells[x[r] * kb + y[r]] += later->times[r];
		else if (cells <= FEW_CELLS)
			count_few(later, from, (uint32_t) (to - from), kb, cells);
		else
			for (uint64_t r = from; r < to; r++)
				later->cells[x[r] * kb + y[r]]++;
	}
	later->counted = true;
}

void
pegs_later_count(pegs_later *later, const uint32_t *column, const uint32_t *k, uint16_t *const *class_of, int64_t *table)
{
	uint32_t	na = later->layout->levels[column[0]];
	uint32_t	nb = later->layout->levels[column[1]];
	const uint64_t *cell = later->cells;

	take_column(later, 0, column[0]);
	take_column(later, 1, column[1]);
	if ((uint64_t) na * nb > MAX_CELLS)
	{
		/* too many to remember: on the classes alone */
		for (uint64_t r = 0; r < later->rows; r++)
		{
			if (r % ROWS_AT_ONCE == 0)
				later->env->check(later->env->context);
			table[(size_t) class_of[0][later->codes[0][r]] * k[1] + class_of[1][later->codes[1][r]]] += later->times ? later->times[r] : 1;
		}
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
