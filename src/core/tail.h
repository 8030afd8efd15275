/*
 * tail.h
 *	  How large noise alone is: the tail of a sum of its draws.
 *
 * For what is made of answers, not for what protects them: in floating point.
 * A threshold that privacy rests on comes from pegs_noise_tail (epsilon.h).
 */
#ifndef PEGS_TAIL_H
#define PEGS_TAIL_H

#include "core/accountant.h"

#define PEGS_MOST_DRAWS 1024	/* in one sum */

/* The least t >= 0 for which P[X1 + ... + Xk > t] <= chance; 1 <= k <= PEGS_MOST_DRAWS, 0 < chance < 1/2. */
extern int64_t pegs_sum_tail(const pegs_noise *noise, uint32_t k, double chance);

#endif							/* PEGS_TAIL_H */
