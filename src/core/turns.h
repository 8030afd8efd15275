/*
 * turns.h
 *	  The rows of one person, and which of them count, and how often.
 *
 * Each row has a turn among the rows of its person: by a hash of its codes and
 * of the number of the copy among equal ones, seeded by the person. So turns
 * are a function of that person's rows alone, in whatever order they come.
 * Claim P10.
 */
#ifndef PEGS_TURNS_H
#define PEGS_TURNS_H

#include "core/core.h"

typedef struct pegs_turns pegs_turns;

/*
 * most: rows of a person that count, at most. alike: each person counts `most`
 * times, its own rows in turn. bytes: the memory that different rows of a person
 * may take. env lasts as long as what is made, and its memory is nobody's to see.
 */
extern pegs_turns *pegs_turns_new(const pegs_env *env, uint32_t ncols, uint32_t most, bool alike, uint64_t bytes);

/* Another person. */
extern void pegs_turns_begin(pegs_turns *turns);

/* A row of that person. PEGS_ERR_TOO_LARGE: of so many different ones not all can be kept. */
extern pegs_status pegs_turns_add(pegs_turns *turns, const uint16_t *codes);

/* All rows of the person are there: how many of them count. seed: of that person. */
extern uint32_t pegs_turns_end(pegs_turns *turns, uint64_t seed);

/* Of those the i-th, by their turn, and how often it counts. */
extern const uint16_t *pegs_turns_row(const pegs_turns *turns, uint32_t i, uint32_t *times);

#endif							/* PEGS_TURNS_H */
