/*
 * pegs_method.h
 *	  The sampler of a sealed model's rows, for those who weigh or enumerate it.
 */
#ifndef PEGS_PEGS_METHOD_H
#define PEGS_PEGS_METHOD_H

#include "core/method.h"
#include "core/pegs/gibbs.h"

/* Is it one of this file's? */
extern bool pegs_is_gibbs(const pegs_method *method);

/* With all that was set in it; its row is what the next one starts from. */
extern pegs_gibbs *pegs_sealed_sampler(pegs_draws *draws);

#endif							/* PEGS_PEGS_METHOD_H */
