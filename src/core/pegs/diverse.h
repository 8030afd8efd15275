/*
 * diverse.h
 *	  l-diverse perturbation (PeGS paper sections 2.3 and 3.3 B; Park's thesis
 *	  section 3.2.3 B): every conditional distribution gets just the alpha that
 *	  brings its entropy to log l.
 *
 * This alpha is a function of the counts, so the method is NOT differentially
 * private: its guarantee is "none". It is here for the sake of the papers.
 */
#ifndef PEGS_DIVERSE_H
#define PEGS_DIVERSE_H

#include "core/counts.h"

#define PEGS_ALPHA_UNIFORM UINT64_MAX	/* no finite alpha will do, or the cell is empty: every level weighs the same */

/*
 * alpha in units of 2^-16, rounded up so that the entropy of
 * (n_j + alpha)/(N + C alpha) is at least log l: 0 where that of the counts is.
 * PEGS_ERR_ARGUMENT unless 1 <= l <= levels.
 */
extern pegs_status pegs_alpha_diverse(const uint64_t *count, uint32_t levels, double l, uint64_t *alpha);

/* That of every key of every column, in the order of pegs_gibbs's keys: for pegs_gibbs.alpha_of_key. */
extern pegs_status pegs_alphas_diverse(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells,
									   double l, uint64_t **alpha);

#endif							/* PEGS_DIVERSE_H */
