/*
 * fixture.h
 *	  What nearly every test of the core begins with:
 *
 *		memory		an arena; a test that has taken something ends with arena_free(&memory)
 *		env			hands out memory; a test of what is given back makes it
 *					arena_env_freeing(&memory)
 *		rng			begun anew by start(number), so that each test draws the same
 *					in every run; any_size(limit) draws one size, any_normal() a number
 *
 * STREAM_SALT, if it is defined before, is a byte of the key: [3] = 3. A file
 * with a salt of its own draws other numbers than its neighbours.
 */
#ifndef PEGS_FIXTURE_H
#define PEGS_FIXTURE_H

#include "arena.h"
#include "core/rng.h"

#ifndef STREAM_SALT
#define STREAM_SALT [1] = 0
#endif

/* unused: some tests want the random numbers alone */
static arena memory;
static pegs_env env __attribute__((unused)) = {.alloc = arena_alloc, .check = arena_check, .context = &memory};
static pegs_rng rng;

/* One of many streams of one key. */
static inline void
start_stream(uint8_t number, uint64_t stream)
{
	uint8_t		key[PEGS_KEY_BYTES] = {number, STREAM_SALT};

	pegs_rng_init(&rng, key, stream);
}

static inline void
start(uint8_t number)
{
	start_stream(number, number);
}

/* Any size from 1 to limit, small ones as likely as large ones. */
static inline uint64_t
any_size(uint64_t limit)
{
	uint64_t	value = pegs_rng_u64(&rng) | UINT64_C(1) << 63;

	value >>= pegs_rng_below(&rng, 64);
	return value > limit ? 1 + value % limit : value;
}

/* Roughly normal: the sum of twelve uniform numbers. */
static inline double
any_normal(void)
{
	double		sum = -6;

	for (int i = 0; i < 12; i++)
		sum += pegs_rng_double(&rng);
	return sum;
}

#endif							/* PEGS_FIXTURE_H */
