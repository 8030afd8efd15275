/*
 * possible.h
 *	  A row that no structural zero forbids, whatever the model: is it one, is there one?
 */
#ifndef PEGS_POSSIBLE_H
#define PEGS_POSSIBLE_H

#include "core/rng.h"
#include "core/zeros.h"

#define PEGS_MAX_TRIES 100000	/* rows drawn to find one that is possible */
#define PEGS_TRIES_AT_ONCE 100	/* between two questions whether to stop: a row may have 1,600 columns, and a zero for each */

/* Has a row what is given (NULL: nothing), and may it be? */
extern bool pegs_is_asked_for(uint32_t ncols, const pegs_zeros *zeros, const int32_t *given, const uint16_t *row);

/* Uniform over the levels but for what is given (NULL: nothing); false if none was found. */
extern bool pegs_uniform_row(const pegs_env *env, uint32_t ncols, const uint32_t *levels, const pegs_zeros *zeros,
							 const int32_t *given, pegs_rng *rng, uint16_t *row);

/*
 * Is one found? With an all-zero key, of which nothing is released, so that the
 * answer is the same each time: a release that is stored must be readable.
 */
extern bool pegs_some_row_is_possible(const pegs_env *env, uint32_t ncols, const uint32_t *levels, const pegs_zeros *zeros, const int32_t *given);

#endif							/* PEGS_POSSIBLE_H */
