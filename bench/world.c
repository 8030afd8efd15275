/*
 * world.c
 *	  Random numbers of which the tables of bench/ are made.
 */
#include "world.h"

#include <math.h>
#include <stdlib.h>

static uint64_t state;

void
begin_uniform(uint64_t seed)
{
	state = seed;
}

void
begin_tables(uint64_t number)
{
	begin_uniform(number + (getenv("SEED") ? UINT64_C(1000003) * strtoul(getenv("SEED"), NULL, 10) : 0));
}

double
uniform(void)
{
	uint64_t	z = (state += UINT64_C(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return ((double) ((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

double
normal(void)
{
	double		u = uniform();

	return sqrt(-2 * log(u)) * cos(2 * M_PI * uniform());
}
