/*
 * clock.h
 *	  A normal variable as a clock: how long it is until it rings.
 */
#ifndef PEGS_CLOCK_H
#define PEGS_CLOCK_H

#include "core/core.h"

/* -ln Phi(z): the time at which the clock of a standard normal z rings, exponential of mean 1; a large z is early. */
extern double pegs_clock_of_normal(double z);

/* The normal whose clock rings at a time >= 0; of times that no double can tell from 0 or the end, the nearest that can be told. */
extern double pegs_normal_of_clock(double time);

/*
 * h(p) = E[phi(Q(e^-pT)) e^pT], T exponential: by how much the chance that the clock of a
 * level of share p is the first of its column's rises with its normal, where all clocks are independent. 0 < p < 1.
 */
extern double pegs_clock_slope(double p);

#endif							/* PEGS_CLOCK_H */
