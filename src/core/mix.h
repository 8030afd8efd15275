/*
 * mix.h
 *	  A fixed public hash of 64 bits, the same on every machine: the last steps
 *	  of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). No secret depends on it.
 */
#ifndef PEGS_MIX_H
#define PEGS_MIX_H

#include <stdint.h>

static inline uint64_t
pegs_mix64(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

#endif							/* PEGS_MIX_H */
