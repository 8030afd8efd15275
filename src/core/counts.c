/*
 * counts.c
 *	  Contingency tables over declared levels.
 *
 * Rows are counted 1,024 at a time, table by table: one tight loop per table
 * costs about half a nanosecond per row, where a row at a time costs twice
 * that. No floating point except the arithmetic of a refusal.
 */
#include "core/counts.h"

#include <string.h>

#include "core/bits.h"
#include "core/mix.h"

#define TURNS 4

/* The fixed public hash of the PeGS paper's tail: one bit per (column, level), xored. */
static inline uint32_t
tail_bit(uint32_t column, uint32_t level)
{
	return (uint32_t) (pegs_mix64(((uint64_t) (column + 1) << 32) + level + 1) >> 63);
}

static pegs_status
copy_levels(const pegs_env *env, uint32_t ncols, const uint32_t *levels, pegs_layout *layout)
{
	memset(layout, 0, sizeof(*layout));
	if (ncols < 1 || ncols > PEGS_MAX_COLUMNS)
		return PEGS_ERR_ARGUMENT;
	for (uint32_t i = 0; i < ncols; i++)
		if (levels[i] < 1 || levels[i] > PEGS_MAX_LEVELS)
			return PEGS_ERR_ARGUMENT;
	layout->ncols = ncols;
	layout->levels = env->alloc(env->context, sizeof(uint32_t) * ncols);
	memcpy(layout->levels, levels, sizeof(uint32_t) * ncols);
	layout->offset = env->alloc(env->context, sizeof(uint64_t) * ncols);
	return PEGS_OK;
}

pegs_status
pegs_layout_pairs(const pegs_env *env, uint32_t ncols, const uint32_t *levels,
				  pegs_layout *layout, double *cells)
{
	pegs_status status = copy_levels(env, ncols, levels, layout);
	double		total = 0;
	uint64_t	at = 0;

	if (status != PEGS_OK)
		return status;
	layout->tables = PEGS_PAIRS;
	for (uint32_t a = 0; a < ncols; a++)
	{
		total += levels[a];
		for (uint32_t b = a + 1; b < ncols; b++)
			total += (double) levels[a] * levels[b];
	}
	if (cells)
		*cells = total;
	if (total > (double) PEGS_MAX_CELLS)
		return PEGS_ERR_TOO_LARGE;
	layout->pair_offset = env->alloc(env->context, sizeof(uint64_t) * ncols * ncols);
	for (uint32_t a = 0; a < ncols; a++)
	{
		layout->offset[a] = at;
		at += levels[a];
	}
	for (uint32_t a = 0; a < ncols; a++)
		for (uint32_t b = a + 1; b < ncols; b++)
		{
			layout->pair_offset[a * ncols + b] = at;
			at += (uint64_t) levels[a] * levels[b];
		}
	layout->ncells = at;
	return PEGS_OK;
}

pegs_status
pegs_layout_later(const pegs_env *env, uint32_t ncols, const uint32_t *levels, pegs_layout *layout)
{
	pegs_status status = copy_levels(env, ncols, levels, layout);

	if (status != PEGS_OK)
		return status;
	layout->tables = PEGS_PAIRS;
	for (uint32_t a = 0; a < ncols; a++)
	{
		layout->offset[a] = layout->ncells;
		layout->ncells += levels[a];
	}
	return layout->ncells > PEGS_MAX_CELLS ? PEGS_ERR_TOO_LARGE : PEGS_OK;
}

void
pegs_layout_add_triples(const pegs_env *env, pegs_layout *layout)
{
	uint32_t	m = layout->ncols;
	const uint32_t *levels = layout->levels;
	uint64_t	at = layout->ncells;

	if (m < 3 || m > PEGS_TRIPLE_COLUMNS)
		return;
	layout->triple_offset = env->alloc(env->context, sizeof(uint64_t) * m * m * m);
	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = a + 1; b < m; b++)
			for (uint32_t c = b + 1; c < m; c++)
			{
				uint64_t	cells = (uint64_t) levels[a] * levels[b] * levels[c];

				if (levels[a] == 1 || levels[b] == 1 || levels[c] == 1 || cells > PEGS_TRIPLE_CELLS)
					continue;
				layout->triple_offset[((size_t) a * m + b) * m + c] = at;
				at += cells;
			}
	if (at > PEGS_MAX_CELLS)
		layout->triple_offset = NULL;
	else
		layout->ncells = at;
}

pegs_status
pegs_layout_conditional(const pegs_env *env, uint32_t ncols, const uint32_t *levels,
						const uint32_t *parent_start, const uint16_t *parents,
						uint32_t tail_bits, pegs_layout *layout, double *cells)
{
	pegs_status status = copy_levels(env, ncols, levels, layout);
	double		total = 0;
	uint64_t	at = 0;

	if (status != PEGS_OK)
		return status;
	if (tail_bits > 1 || parent_start[0] != 0)
		return PEGS_ERR_ARGUMENT;
	layout->tables = PEGS_CONDITIONAL;
	layout->tail_bits = tail_bits;
	for (uint32_t i = 0; i < ncols; i++)
	{
		double		keys = tail_bits ? 2 : 1;

		env->check(env->context);
		if (parent_start[i + 1] < parent_start[i] || parent_start[i + 1] - parent_start[i] >= ncols)
			return PEGS_ERR_ARGUMENT;
		for (uint32_t p = parent_start[i]; p < parent_start[i + 1]; p++)
		{
			if (parents[p] >= ncols || parents[p] == i)
				return PEGS_ERR_ARGUMENT;
			for (uint32_t q = parent_start[i]; q < p; q++)
				if (parents[q] == parents[p])
					return PEGS_ERR_ARGUMENT;
			keys *= levels[parents[p]];
		}
		total += keys * levels[i];
	}
	if (cells)
		*cells = total;
	if (!(total <= (double) PEGS_MAX_CELLS))
		return PEGS_ERR_TOO_LARGE;
	layout->parent_start = env->alloc(env->context, sizeof(uint32_t) * (ncols + 1));
	memcpy(layout->parent_start, parent_start, sizeof(uint32_t) * (ncols + 1));
	layout->parents = env->alloc(env->context, sizeof(uint16_t) * (parent_start[ncols] + 1));
	if (parent_start[ncols] > 0)
		memcpy(layout->parents, parents, sizeof(uint16_t) * parent_start[ncols]);
	layout->keys = env->alloc(env->context, sizeof(uint64_t) * ncols);
	for (uint32_t i = 0; i < ncols; i++)
	{
		layout->keys[i] = tail_bits ? 2 : 1;
		for (uint32_t p = parent_start[i]; p < parent_start[i + 1]; p++)
			layout->keys[i] *= levels[parents[p]];
		layout->offset[i] = at;
		at += layout->keys[i] * levels[i];
	}
	layout->ncells = at;
	return PEGS_OK;
}

pegs_status
pegs_layout_joint(const pegs_env *env, uint32_t ncols, const uint32_t *levels, pegs_layout *layout, double *cells)
{
	pegs_status status = copy_levels(env, ncols, levels, layout);
	double		total = 1;

	if (status != PEGS_OK)
		return status;
	layout->tables = PEGS_JOINT;
	for (uint32_t i = 0; i < ncols; i++)
		total *= levels[i];
	if (cells)
		*cells = total;
	if (!(total <= (double) PEGS_MAX_CELLS))
		return PEGS_ERR_TOO_LARGE;
	layout->ncells = (uint64_t) total;
	return PEGS_OK;
}

pegs_status
pegs_layout_plain(const pegs_env *env, pegs_tables tables, uint32_t ncols, const uint32_t *levels, pegs_layout *layout, double *cells)
{
	return tables == PEGS_JOINT ? pegs_layout_joint(env, ncols, levels, layout, cells) : pegs_layout_pairs(env, ncols, levels, layout, cells);
}

uint64_t
pegs_layout_key(const pegs_layout *layout, uint32_t column, const uint16_t *row)
{
	uint64_t	key = 0;

	for (uint32_t p = layout->parent_start[column]; p < layout->parent_start[column + 1]; p++)
		key = key * layout->levels[layout->parents[p]] + row[layout->parents[p]];
	if (layout->tail_bits)
	{
		uint32_t	bit = 0;

		for (uint32_t i = 0; i < layout->ncols; i++)
			if (i != column)
				bit ^= tail_bit(i, row[i]);
		for (uint32_t p = layout->parent_start[column]; p < layout->parent_start[column + 1]; p++)
			bit ^= tail_bit(layout->parents[p], row[layout->parents[p]]);
		key = key * 2 + bit;
	}
	return key;
}

/* table[x][y]++ for every row, or += times; two loops, so that the usual one stays tight */
static inline void
count_two(uint64_t *table, const uint16_t *x, const uint16_t *y, uint32_t width, const uint32_t *times, uint32_t n)
{
	if (times == NULL)
		for (uint32_t r = 0; r < n; r++)
			table[x[r] * width + y[r]]++;
	else
		for (uint32_t r = 0; r < n; r++)
			table[x[r] * width + y[r]] += times[r];
}

/* All triples of two columns with a later one; a number that was just written is waited for, so rows take turns. */
static void
count_triples(const pegs_layout *layout, uint64_t *cells, uint16_t *const *codes, uint32_t a, uint32_t b, const uint32_t *times, uint32_t n)
{
	uint16_t	key[PEGS_CHUNK];
	bool		known = false;

	for (uint32_t c = b + 1; c < layout->ncols; c++)
	{
		uint64_t	at = pegs_triple_at(layout, a, b, c);
		uint32_t	width = layout->levels[c];
		uint32_t	count[TURNS][PEGS_TRIPLE_CELLS] = {{0}};
		uint32_t	size = layout->levels[a] * layout->levels[b] * width;

		if (at == 0)
			continue;
		for (uint32_t r = 0; !known && r < n; r++)
			key[r] = (uint16_t) (codes[a][r] * layout->levels[b] + codes[b][r]);
		known = true;
		if (times == NULL)
			for (uint32_t r = 0; r < n; r++)
				count[r % TURNS][key[r] * width + codes[c][r]]++;
		else
			for (uint32_t r = 0; r < n; r++)
				cells[at + key[r] * width + codes[c][r]] += times[r];
		for (uint32_t i = 0; i < size; i++)
			for (uint32_t t = 0; t < TURNS; t++)
				cells[at + i] += count[t][i];
	}
}

static void
count_pairs(const pegs_env *env, const pegs_layout *layout, uint64_t *cells, uint16_t *const *codes, const uint32_t *times, uint32_t n)
{
	uint32_t	ncols = layout->ncols;
	bool		bits = times == NULL && layout->pair_offset && pegs_pays_in_bits(layout);

	if (bits)
		pegs_count_bits(env, layout, cells, codes, n);
	for (uint32_t a = 0; a < ncols; a++)
	{
		const uint16_t *x = codes[a];
		uint64_t   *one = cells + layout->offset[a];

		if (env)
			env->check(env->context);
		for (uint32_t r = 0; r < n; r++)
			one[x[r]] += times ? times[r] : 1;
		for (uint32_t b = a + 1; (layout->pair_offset || layout->triple_offset) && b < ncols; b++)
		{
			if (layout->pair_offset && !(bits && layout->levels[a] == 2 && layout->levels[b] == 2))
				count_two(cells + layout->pair_offset[a * ncols + b], x, codes[b], layout->levels[b], times, n);
			if (layout->triple_offset)
				count_triples(layout, cells, codes, a, b, times, n);
		}
	}
}

static void
count_conditional(const pegs_env *env, const pegs_layout *layout, uint64_t *cells, uint16_t *const *codes,
				  const uint32_t *times, uint32_t n)
{
	uint32_t	key[PEGS_CHUNK];	/* keys * levels <= PEGS_MAX_CELLS */
	uint8_t		all[PEGS_CHUNK];	/* xor of every column's tail bit */

	if (layout->tail_bits)
	{
		memset(all, 0, n);
		for (uint32_t i = 0; i < layout->ncols; i++)
			for (uint32_t r = 0; r < n; r++)
				all[r] ^= tail_bit(i, codes[i][r]);
	}
	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		uint64_t   *table = cells + layout->offset[i];
		uint32_t	width = layout->levels[i];
		uint32_t	begin = layout->parent_start[i];
		uint32_t	end = layout->parent_start[i + 1];

		if (env)
			env->check(env->context);
		if (begin == end)
			memset(key, 0, sizeof(uint32_t) * n);
		else if (end == begin + 1 && !layout->tail_bits)
		{
			count_two(table, codes[layout->parents[begin]], codes[i], width, times, n);
			continue;
		}
		else
			for (uint32_t r = 0; r < n; r++)
				key[r] = codes[layout->parents[begin]][r];
		for (uint32_t p = begin + 1; p < end; p++)
		{
			const uint16_t *x = codes[layout->parents[p]];
			uint32_t	radix = layout->levels[layout->parents[p]];

			for (uint32_t r = 0; r < n; r++)
				key[r] = key[r] * radix + x[r];
		}
		if (layout->tail_bits)
			for (uint32_t r = 0; r < n; r++)
			{
				uint32_t	bit = all[r] ^ tail_bit(i, codes[i][r]);

				for (uint32_t p = begin; p < end; p++)
					bit ^= tail_bit(layout->parents[p], codes[layout->parents[p]][r]);
				key[r] = key[r] * 2 + bit;
			}
		for (uint32_t r = 0; r < n; r++)
			table[key[r] * width + codes[i][r]] += times ? times[r] : 1;
	}
}

static void
count_joint(const pegs_env *env, const pegs_layout *layout, uint64_t *cells, uint16_t *const *codes, const uint32_t *times, uint32_t n)
{
	uint32_t	cell[PEGS_CHUNK] = {0};	/* ncells <= PEGS_MAX_CELLS */

	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		const uint16_t *x = codes[i];
		uint32_t	radix = layout->levels[i];

		if (env)
			env->check(env->context);
		for (uint32_t r = 0; r < n; r++)
			cell[r] = cell[r] * radix + x[r];
	}
	for (uint32_t r = 0; r < n; r++)
		cells[cell[r]] += times ? times[r] : 1;
}

void
pegs_count_weighted(const pegs_env *env, const pegs_layout *layout, uint64_t *cells, uint16_t *const *codes,
					const uint32_t *times, uint32_t n)
{
	if (layout->tables == PEGS_PAIRS)
		count_pairs(env, layout, cells, codes, times, n);
	else if (layout->tables == PEGS_JOINT)
		count_joint(env, layout, cells, codes, times, n);
	else
		count_conditional(env, layout, cells, codes, times, n);
}

void
pegs_count_chunk(const pegs_layout *layout, uint64_t *cells, uint16_t *const *codes, uint32_t n)
{
	pegs_count_weighted(NULL, layout, cells, codes, NULL, n);
}
