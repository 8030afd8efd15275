/*
 * group.c
 *	  Rows of both tables that agree on some columns: a hash table of the first
 *	  row of each group, compared code by code.
 */
#include "core/compare/group.h"

#include <string.h>

#define ROWS_BETWEEN_CHECKS (1 << 14)

typedef struct place
{
	const pegs_coded *table;
	uint64_t	row;
} place;

static inline place
place_of(const pegs_coded *original, const pegs_coded *synthetic, uint64_t r)
{
	return r < original->nrows ? (place) {original, r} : (place) {synthetic, r - original->nrows};
}

static inline bool
agree(place a, place b, const uint32_t *columns, uint32_t n)
{
	for (uint32_t c = 0; c < n; c++)
		if (a.table->code[columns[c]][a.row] != b.table->code[columns[c]][b.row])
			return false;
	return true;
}

static inline uint64_t
hash(place p, const uint32_t *columns, uint32_t n)
{
	uint64_t	h = UINT64_C(0x9e3779b97f4a7c15);

	for (uint32_t c = 0; c < n; c++)
	{
		h ^= p.table->code[columns[c]][p.row];
		h *= UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 32;
	}
	return h;
}

pegs_status
pegs_group_rows(const pegs_env *env, const pegs_coded *original, const pegs_coded *synthetic,
				const uint32_t *columns, uint32_t n, pegs_groups *groups)
{
	uint64_t	rows = original->nrows + synthetic->nrows;
	uint64_t	slots = 16;
	uint32_t   *slot;			/* group + 1; 0: free */
	uint32_t   *first;			/* row of each group */

	memset(groups, 0, sizeof(*groups));
	for (uint32_t c = 0; c < n; c++)
		if (columns[c] >= original->ncols || columns[c] >= synthetic->ncols
			|| original->levels[columns[c]] != synthetic->levels[columns[c]])
			return PEGS_ERR_MISMATCH;
	if (rows >= UINT32_MAX / 2)
		return PEGS_ERR_TOO_LARGE;
	while (slots < 2 * rows)
		slots *= 2;
	slot = env->alloc(env->context, sizeof(uint32_t) * slots);
	first = env->alloc(env->context, sizeof(uint32_t) * (rows + 1));
	groups->of = env->alloc(env->context, sizeof(uint32_t) * (rows + 1));
	for (uint64_t r = 0; r < rows; r++)
	{
		place		here = place_of(original, synthetic, r);
		uint64_t	s = hash(here, columns, n) & (slots - 1);

		while (slot[s] != 0 && !agree(here, place_of(original, synthetic, first[slot[s] - 1]), columns, n))
			s = (s + 1) & (slots - 1);
		if (slot[s] == 0)
		{
			first[groups->n] = (uint32_t) r;
			slot[s] = ++groups->n;
		}
		groups->of[r] = slot[s] - 1;
		if (r % ROWS_BETWEEN_CHECKS == 0)
			env->check(env->context);
	}
	pegs_env_free(env, slot);
	pegs_env_free(env, first);
	groups->original = env->alloc(env->context, sizeof(uint64_t) * (groups->n + 1));
	groups->synthetic = env->alloc(env->context, sizeof(uint64_t) * (groups->n + 1));
	for (uint64_t r = 0; r < rows; r++)
	{
		(r < original->nrows ? groups->original : groups->synthetic)[groups->of[r]]++;
		if (r % ROWS_BETWEEN_CHECKS == 0)
			env->check(env->context);
	}
	return PEGS_OK;
}

void
pegs_free_groups(const pegs_env *env, pegs_groups *groups)
{
	pegs_env_free(env, groups->of);
	pegs_env_free(env, groups->original);
	pegs_env_free(env, groups->synthetic);
	memset(groups, 0, sizeof(*groups));
}
