/*
 * scripted.h
 *	  Discrete Laplace noise by number, for a test that goes through all draws of it.
 *
 * WRAPPED of the Makefile leads the core's calls here. While `scripted` points to draws, they are handed out one after
 * the other; drawn_num and drawn_den say which noise was asked for last.
 */
#ifndef PEGS_SCRIPTED_H
#define PEGS_SCRIPTED_H

#include "core/rng.h"

static const int64_t *scripted;	/* the next draws; NULL: the real sampler */
static uint64_t drawn_num;
static uint64_t drawn_den;

extern int64_t __real_pegs_discrete_laplace(pegs_rng *r, uint64_t num, uint64_t den);
extern int64_t __wrap_pegs_discrete_laplace(pegs_rng *r, uint64_t num, uint64_t den);

int64_t
__wrap_pegs_discrete_laplace(pegs_rng *r, uint64_t num, uint64_t den)
{
	drawn_num = num;
	drawn_den = den;
	return scripted ? *scripted++ : __real_pegs_discrete_laplace(r, num, den);
}

#endif
