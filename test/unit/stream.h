/*
 * stream.h
 *	  Where a core's test has its random numbers from: `rng`, begun anew by
 *	  start(number), so that each test draws the same in every run.
 *
 * STREAM_SALT, if it is defined before, is a byte of the key: [3] = 3. A file
 * with a salt of its own draws other numbers than its neighbours.
 */
#ifndef PEGS_STREAM_H
#define PEGS_STREAM_H

#include "core/rng.h"

#ifndef STREAM_SALT
#define STREAM_SALT [1] = 0
#endif

static pegs_rng rng;

static void
start(uint8_t number)
{
	uint8_t		key[PEGS_KEY_BYTES] = {number, STREAM_SALT};

	pegs_rng_init(&rng, key, number);
}

#endif							/* PEGS_STREAM_H */
