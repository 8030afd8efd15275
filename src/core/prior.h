/*
 * prior.h
 *	  A public prior: what cells weigh in an urn besides their rows and alpha.
 *
 * It is stated with a fit, of cells by number, and kept with the options of
 * the model. No cell weighs less for it, so claims P24 and P32 do not know it.
 */
#ifndef PEGS_PRIOR_H
#define PEGS_PRIOR_H

#include "core/core.h"
#include "core/option.h"

#define PEGS_PRIOR_CELLS 65536	/* cells that have some, at most */
#define PEGS_PRIOR_ROWS (UINT64_C(1) << 30)	/* that all of them weigh, at most; 64 times as much (PEGS_PRIOR_ROOM) where persons weigh equally */

/*
 * What each of n cells weighs of it, in units of 2^-16: `times` what was stated.
 * `cell`: which cells these are, of all; NULL: the first n. NULL: there is no prior.
 */
extern uint64_t *pegs_prior_weights(const pegs_env *env, const pegs_setting *prior, uint32_t times, const uint32_t *cell, uint64_t n);

#endif							/* PEGS_PRIOR_H */
