/*
 * kept.c
 *	  Coded rows, kept in memory for a fit that goes over them more than once.
 */
#include "core/kept.h"

#include <string.h>

typedef struct Block
{
	uint32_t	rows;
	uint8_t    *codes;			/* column after column */
	uint32_t   *times;			/* [rows]; NULL: once */
} Block;

struct pegs_kept
{
	pegs_env	env;
	uint32_t	ncols;
	uint32_t   *bytes;			/* [ncols] of a code */
	uint32_t   *before;			/* [ncols + 1] bytes of a row before each column */
	uint64_t	nblocks;
	uint64_t	room;
	Block	   *block;			/* [room] */
};

pegs_kept *
pegs_kept_new(const pegs_env *env, uint32_t ncols, const uint32_t *levels)
{
	pegs_kept  *kept = env->alloc(env->context, sizeof(pegs_kept));

	kept->env = *env;
	kept->ncols = ncols;
	kept->bytes = env->alloc(env->context, sizeof(uint32_t) * ncols);
	kept->before = env->alloc(env->context, sizeof(uint32_t) * (ncols + 1));
	for (uint32_t i = 0; i < ncols; i++)
	{
		kept->bytes[i] = levels[i] <= 256 ? 1 : 2;
		kept->before[i + 1] = kept->before[i] + kept->bytes[i];
	}
	return kept;
}

/* Room for one block more. */
static Block *
next_block(pegs_kept *kept)
{
	if (kept->nblocks == kept->room)
	{
		uint64_t	room = kept->room > 0 ? kept->room * 2 : 16;
		Block	   *larger = kept->env.alloc(kept->env.context, sizeof(Block) * room);

		if (kept->nblocks > 0)
		{
			memcpy(larger, kept->block, sizeof(Block) * kept->nblocks);
			pegs_env_free(&kept->env, kept->block);
		}
		kept->block = larger;
		kept->room = room;
	}
	return &kept->block[kept->nblocks++];
}

void
pegs_kept_add(pegs_kept *kept, uint16_t *const *codes, const uint32_t *times, uint32_t n)
{
	Block	   *block;

	if (n == 0)
		return;
	block = next_block(kept);
	block->rows = n;
	block->codes = kept->env.alloc(kept->env.context, (size_t) kept->before[kept->ncols] * n);
	for (uint32_t i = 0; i < kept->ncols; i++)
	{
		uint8_t    *to = block->codes + (size_t) kept->before[i] * n;

		if (kept->bytes[i] == 2)
			memcpy(to, codes[i], sizeof(uint16_t) * n);
		else
			for (uint32_t r = 0; r < n; r++)
				to[r] = (uint8_t) codes[i][r];
	}
	if (times)
	{
		block->times = kept->env.alloc(kept->env.context, sizeof(uint32_t) * n);
		memcpy(block->times, times, sizeof(uint32_t) * n);
	}
}

pegs_kept *
pegs_kept_copy(const pegs_kept *kept)
{
	pegs_kept  *copy = kept->env.alloc(kept->env.context, sizeof(pegs_kept));

	*copy = *kept;
	copy->room = kept->nblocks + 1;
	copy->block = kept->env.alloc(kept->env.context, sizeof(Block) * copy->room);
	if (kept->nblocks > 0)
		memcpy(copy->block, kept->block, sizeof(Block) * kept->nblocks);
	return copy;
}

uint64_t
pegs_kept_bytes(const pegs_kept *kept)
{
	uint64_t	bytes = 0;

	for (uint64_t b = 0; b < kept->nblocks; b++)
		bytes += (uint64_t) kept->block[b].rows * (kept->before[kept->ncols] + (kept->block[b].times ? sizeof(uint32_t) : 0));
	return bytes;
}

uint64_t
pegs_kept_blocks(const pegs_kept *kept)
{
	return kept->nblocks;
}

uint32_t
pegs_kept_rows(const pegs_kept *kept, uint64_t block)
{
	return kept->block[block].rows;
}

void
pegs_kept_column(const pegs_kept *kept, uint64_t block, uint32_t column, uint16_t *codes)
{
	uint32_t	n = kept->block[block].rows;
	const uint8_t *from = kept->block[block].codes + (size_t) kept->before[column] * n;

	if (kept->bytes[column] == 2)
		memcpy(codes, from, sizeof(uint16_t) * n);
	else
		for (uint32_t r = 0; r < n; r++)
			codes[r] = from[r];
}

const uint8_t *
pegs_kept_narrow(const pegs_kept *kept, uint64_t block, uint32_t column)
{
	return kept->bytes[column] == 1 ? kept->block[block].codes + (size_t) kept->before[column] * kept->block[block].rows : NULL;
}

const uint32_t *
pegs_kept_times(const pegs_kept *kept, uint64_t block)
{
	return kept->block[block].times;
}

void
pegs_kept_wipe(pegs_kept *kept)
{
	for (uint64_t b = 0; b < kept->nblocks; b++)
	{
		Block	   *block = &kept->block[b];

		memset(block->codes, 0, (size_t) kept->before[kept->ncols] * block->rows);
		if (block->times)
			memset(block->times, 0, sizeof(uint32_t) * block->rows);
		__asm__ volatile ("" : : "r" (block->codes), "r" (block->times) : "memory");	/* as in rng.c */
	}
}
