/*
 * tuples.c
 *	  The rows of a table that agree on its keys, joined; keys with steps, checked.
 *
 * Exact counts of exact rows: for curators alone, as all of src/core/compare.
 */
#include "core/compare/tuples.h"

#include <math.h>
#include <string.h>

#include "core/compare/group.h"

#define BETWEEN (1 << 14)		/* rows between two questions whether to stop */

/* Tuples with their levels rising: how many of each level there are, then the place of each. */
static void
order_by_level(const pegs_env *env, pegs_tuples *tuples)
{
	uint32_t   *start = env->alloc(env->context, sizeof(uint32_t) * (tuples->nlevels + 1));

	tuples->by_level = env->alloc(env->context, sizeof(uint32_t) * (tuples->n + 1));
	for (uint32_t i = 0; i < tuples->n; i++)
		start[tuples->level[i] + 1]++;
	for (uint32_t v = 0; v < tuples->nlevels; v++)
		start[v + 1] += start[v];
	for (uint32_t i = 0; i < tuples->n; i++)
		tuples->by_level[start[tuples->level[i]]++] = i;
	pegs_env_free(env, start);
}

pegs_status
pegs_tuples_of(const pegs_env *env, const pegs_coded *table, const uint32_t *keys, uint32_t nkeys,
			   uint32_t sensitive, pegs_tuples *tuples)
{
	uint32_t   *columns = env->alloc(env->context, sizeof(uint32_t) * (nkeys + 1));
	uint32_t	ncolumns = nkeys + (sensitive != PEGS_NO_LEVEL);
	pegs_coded	nothing = *table;
	pegs_groups groups;
	pegs_status status;

	memset(tuples, 0, sizeof(*tuples));
	nothing.nrows = 0;
	for (uint32_t j = 0; j < nkeys; j++)
		columns[j] = keys[j];
	columns[nkeys] = sensitive;
	status = pegs_group_rows(env, table, &nothing, columns, ncolumns, &groups);
	if (status != PEGS_OK)
		return status;
	tuples->n = groups.n;
	tuples->rows = table->nrows;
	tuples->nkeys = nkeys;
	tuples->of = groups.of;
	tuples->times = env->alloc(env->context, sizeof(uint32_t) * (groups.n + 1));
	tuples->code = env->alloc(env->context, sizeof(uint16_t *) * (nkeys + 1));
	for (uint32_t j = 0; j < nkeys; j++)
		tuples->code[j] = env->alloc(env->context, sizeof(uint16_t) * (groups.n + 1));
	if (sensitive != PEGS_NO_LEVEL)
	{
		tuples->nlevels = pegs_coded_size(table, sensitive);
		tuples->level = env->alloc(env->context, sizeof(uint16_t) * (groups.n + 1));
	}
	for (uint64_t r = 0; r < table->nrows; r++)
	{
		uint32_t	i = groups.of[r];

		if (r % BETWEEN == 0)
			env->check(env->context);
		if (tuples->times[i]++ > 0)
			continue;
		for (uint32_t j = 0; j < nkeys; j++)
			tuples->code[j][i] = table->code[keys[j]][r];
		if (tuples->level)
			tuples->level[i] = table->code[sensitive][r];
	}
	if (tuples->level)
		order_by_level(env, tuples);
	pegs_env_free(env, groups.original);
	pegs_env_free(env, groups.synthetic);
	pegs_env_free(env, columns);
	return PEGS_OK;
}

void
pegs_free_tuples(const pegs_env *env, pegs_tuples *tuples)
{
	for (uint32_t j = 0; j < tuples->nkeys; j++)
		pegs_env_free(env, tuples->code[j]);
	pegs_env_free(env, tuples->code);
	pegs_env_free(env, tuples->times);
	pegs_env_free(env, tuples->of);
	if (tuples->level)
	{
		pegs_env_free(env, tuples->level);
		pegs_env_free(env, tuples->by_level);
	}
	memset(tuples, 0, sizeof(*tuples));
}

/* Is each group of the step before within one group of this one, and has each the size that it says? */
static bool
is_coarser(const pegs_key *key, uint32_t s, uint32_t *in, uint32_t *size)
{
	const pegs_key_step *step = &key->step[s];

	if (step->ngroups < 1 || step->ngroups > key->levels)
		return false;
	memset(size, 0, sizeof(uint32_t) * step->ngroups);
	if (s > 0)
		memset(in, 0xff, sizeof(uint32_t) * key->step[s - 1].ngroups);
	for (uint32_t code = 0; code < key->levels; code++)
	{
		uint32_t	group = step->group[code];

		if (group >= step->ngroups)
			return false;
		size[group]++;
		if (s == 0)
			continue;
		if (in[key->step[s - 1].group[code]] == UINT32_MAX)
			in[key->step[s - 1].group[code]] = group;
		if (in[key->step[s - 1].group[code]] != group)
			return false;
	}
	return memcmp(size, step->size, sizeof(uint32_t) * step->ngroups) == 0;
}

pegs_status
pegs_check_keys(const pegs_env *env, const pegs_tuples *tuples, const pegs_key *keys)
{
	for (uint32_t j = 0; j < tuples->nkeys; j++)
	{
		const pegs_key *key = &keys[j];
		uint32_t   *in;
		uint32_t   *size;

		if (key->levels < 1 || key->nsteps < 1 || key->first > key->last || key->last >= key->nsteps
			|| !(key->weight >= 0) || isinf(key->weight) || key->step[key->nsteps - 1].ngroups != 1)
			return PEGS_ERR_ARGUMENT;
		in = env->alloc(env->context, sizeof(uint32_t) * key->levels);
		size = env->alloc(env->context, sizeof(uint32_t) * key->levels);
		for (uint32_t s = 0; s < key->nsteps; s++)
			if (!is_coarser(key, s, in, size))
				return PEGS_ERR_ARGUMENT;
		pegs_env_free(env, in);
		pegs_env_free(env, size);
		for (uint32_t i = 0; i < tuples->n; i++)
			if (tuples->code[j][i] >= key->levels)
				return PEGS_ERR_ARGUMENT;
		env->check(env->context);
	}
	return PEGS_OK;
}
