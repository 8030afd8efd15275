/*
 * world.h
 *	  Random numbers of which the tables of bench/ are made, the same on every
 *	  machine.
 */
#ifndef BENCH_WORLD_H
#define BENCH_WORLD_H

#include <stdint.h>

extern void begin_uniform(uint64_t seed);
extern void begin_tables(uint64_t number);	/* with SEED=N in the environment: other tables of the same kind */
extern double uniform(void);	/* inside (0, 1) */
extern double normal(void);

#endif							/* BENCH_WORLD_H */
