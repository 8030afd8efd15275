/*
 * alpha.h
 *	  Alpha-gain: how far two columns are from independence, by an alpha-divergence.
 */
#ifndef PEGS_ALPHA_H
#define PEGS_ALPHA_H

#include "core/core.h"

/*
 * D_alpha(P(X, Y) || P(X) P(Y)) of a table of n >= 1 classes of X by the two of Y, whose
 * cells are >= 0: (1 - sum p^alpha q^(1 - alpha))/(alpha (1 - alpha)), at 0 and 1 its limits,
 * KL of independence to the table and of the table to independence. 0: an empty table.
 * Infinite where alpha <= 0 and a cell is empty that independence would fill.
 */
extern double pegs_alpha_gain(double alpha, const double (*cell)[2], uint32_t n);

#endif							/* PEGS_ALPHA_H */
