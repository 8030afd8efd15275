/*
 * fit.h
 *	  Arguments of a fit: what fit_arguments.c checks and fit.c uses.
 */
#ifndef PEGS_FIT_H
#define PEGS_FIT_H

#include "pegs.h"

/* A fit's arguments after model and source; `first` is the number of epsilon. */
typedef struct PegsFitArguments
{
	int64		epsilon;
	int64		delta;
	Jsonb	   *parents;
	int			tail_bits;
	int			max_parents;
	double		l_diversity;	/* sealed: the papers' l-diverse mode; 0: not */
	int64		structure_epsilon;	/* sealed, parents not declared: what choosing them costs; else 0 */
} PegsFitArguments;

extern PegsFitArguments pegs_fit_arguments(FunctionCallInfo fcinfo, int first);
extern void pegs_check_l_diversity(double l, const PegsDomain *domain);

#endif							/* PEGS_FIT_H */
