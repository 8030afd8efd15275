/*
 * steps.h
 *	  Keys with steps, and tables of them, for the tests of generalisations.
 *	  What is made here goes with the fixture's memory.
 */
#ifndef PEGS_TEST_STEPS_H
#define PEGS_TEST_STEPS_H

#include "core/compare/boxes.h"
#include "core/compare/lattice.h"
#include "rows.h"

/* A key whose step s puts code i into group[s][i]. */
static inline pegs_key
key_of(uint32_t levels, uint32_t nsteps, const uint16_t *group)
{
	pegs_key_step *step = env.alloc(env.context, sizeof(pegs_key_step) * nsteps);

	for (uint32_t s = 0; s < nsteps; s++)
	{
		uint16_t   *own = env.alloc(env.context, sizeof(uint16_t) * levels);
		uint32_t   *size = env.alloc(env.context, sizeof(uint32_t) * levels);

		for (uint32_t i = 0; i < levels; i++)
		{
			own[i] = group[s * levels + i];
			size[own[i]]++;
			if (own[i] >= step[s].ngroups)
				step[s].ngroups = own[i] + 1u;
		}
		step[s].group = own;
		step[s].size = size;
	}
	return (pegs_key) {.levels = levels, .nsteps = nsteps, .step = step, .last = nsteps - 1, .weight = 1};
}

/* Random groups of random groups, up to one of all. */
static inline pegs_key
any_key(uint32_t levels, uint32_t nsteps)
{
	uint16_t   *group = env.alloc(env.context, sizeof(uint16_t) * levels * nsteps);
	uint32_t	n = levels;

	for (uint32_t i = 0; i < levels; i++)
		group[i] = (uint16_t) i;
	if (nsteps == 1)
		for (uint32_t i = 0; i < levels; i++)
			group[i] = 0;
	for (uint32_t s = 1; s < nsteps; s++)
	{
		uint32_t	to = s == nsteps - 1 ? 1 : 1 + (uint32_t) pegs_rng_below(&rng, n);
		uint16_t   *in = env.alloc(env.context, sizeof(uint16_t) * n);

		/* every group of the step has one of the step before */
		for (uint32_t g = 0; g < n; g++)
			in[g] = (uint16_t) (g < to ? g : pegs_rng_below(&rng, to));
		for (uint32_t i = 0; i < levels; i++)
			group[s * levels + i] = in[group[(s - 1) * levels + i]];
		n = to;
	}
	return key_of(levels, nsteps, group);
}

/* Births: zip 752, 750, 761; sex F, M; pay MC, 09, HM. */
static inline pegs_coded
births(pegs_key *keys)
{
	static const uint32_t levels[3] = {3, 2, 3};
	static const uint16_t zip[] = {0, 1, 2, 0, 0, 1, 0, 0, 0};
	static const uint16_t sex[] = {0, 1, 0, 0};
	static const uint16_t pay[] = {0, 1, 2, 0, 0, 0};
	static const uint16_t row[8][3] = {
		{0, 0, 0}, {0, 0, 0}, {0, 1, 0}, {0, 1, 0}, {1, 0, 1}, {1, 0, 1}, {1, 1, 0}, {2, 1, 2}
	};
	pegs_coded	t = table(3, levels, 8);

	for (uint32_t r = 0; r < 8; r++)
		for (uint32_t c = 0; c < 3; c++)
			t.code[c][r] = row[r][c];
	keys[0] = key_of(3, 3, zip);
	keys[1] = key_of(2, 2, sex);
	keys[2] = key_of(3, 2, pay);
	return t;
}

static const uint32_t first_columns[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static inline pegs_tuples
tuples_of(const pegs_coded *t, uint32_t nkeys, uint32_t sensitive)
{
	pegs_tuples tuples;

	CHECK_INT(pegs_tuples_of(&env, t, first_columns, nkeys, sensitive, &tuples), PEGS_OK);
	return tuples;
}

/* A random table: so many keys, and one column more. The levels are kept in `levels`. */
static inline pegs_coded
any_table(uint32_t nkeys, uint32_t *levels, uint32_t most, uint64_t rows)
{
	pegs_coded	t;

	for (uint32_t c = 0; c <= nkeys; c++)
		levels[c] = 1 + (uint32_t) pegs_rng_below(&rng, most);
	t = table(nkeys + 1, levels, rows);
	for (uint32_t c = 0; c <= nkeys; c++)
		for (uint64_t r = 0; r < rows; r++)
			/* low codes more often */
			t.code[c][r] = (uint16_t) pegs_rng_below(&rng, 1 + pegs_rng_below(&rng, levels[c]));
	return t;
}

#endif							/* PEGS_TEST_STEPS_H */
