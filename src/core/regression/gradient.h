/*
 * gradient.h
 *	  The slope of a regression's mean loss: one pass over the rows.
 */
#ifndef PEGS_GRADIENT_H
#define PEGS_GRADIENT_H

#include "core/regression/multinomial.h"

/* What a pass needs besides, made once for all passes of a regression. */
typedef struct pegs_gradient pegs_gradient;

extern pegs_gradient *pegs_gradient_new(const pegs_env *env, const pegs_multinomial *data);
extern void pegs_gradient_free(pegs_gradient *g);

/*
 * gradient[nfeatures][levels] of the mean of -ln(share of the row's level), at those coefficients. False, and nothing that may be
 * used: one of them is so large that there is none. Asks whether to stop.
 */
extern bool pegs_gradient_at(pegs_gradient *g, const double *coef, double *gradient);

#endif							/* PEGS_GRADIENT_H */
