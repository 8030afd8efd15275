/*
 * possible.c
 *	  A row that no structural zero forbids, whatever the model.
 */
#include "core/possible.h"

bool
pegs_is_asked_for(uint32_t ncols, const pegs_zeros *zeros, const int32_t *given, const uint16_t *row)
{
	for (uint32_t c = 0; given && c < ncols; c++)
		if (given[c] >= 0 && row[c] != given[c])
			return false;
	return !pegs_is_zero(zeros, row);
}

bool
pegs_uniform_row(const pegs_env *env, uint32_t ncols, const uint32_t *levels, const pegs_zeros *zeros,
				 const int32_t *given, pegs_rng *rng, uint16_t *row)
{
	for (int tries = 0; tries < PEGS_MAX_TRIES; tries++)
	{
		if (tries % PEGS_TRIES_AT_ONCE == 0)
			env->check(env->context);
		for (uint32_t i = 0; i < ncols; i++)
			row[i] = (uint16_t) (given && given[i] >= 0 ? (uint64_t) given[i] : pegs_rng_below(rng, levels[i]));
		if (!pegs_is_zero(zeros, row))
			return true;
	}
	return false;
}

bool
pegs_some_row_is_possible(const pegs_env *env, uint32_t ncols, const uint32_t *levels, const pegs_zeros *zeros, const int32_t *given)
{
	uint8_t		key[PEGS_KEY_BYTES] = {0};
	uint16_t   *row = env->alloc(env->context, sizeof(uint16_t) * ncols);
	pegs_rng	rng;
	bool		found;

	pegs_rng_init(&rng, key, 0);
	found = pegs_uniform_row(env, ncols, levels, zeros, given, &rng, row);
	pegs_env_free(env, row);
	return found;
}
