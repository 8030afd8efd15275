/*
 * hierarchy_steps.h
 *	  A hierarchy while its steps are made.
 */
#ifndef PEGS_HIERARCHY_STEPS_H
#define PEGS_HIERARCHY_STEPS_H

#include "facts/facts.h"

typedef struct PegsMaking
{
	const PegsSource *source;
	const PegsColumn *column;
	int			n;				/* levels of the column */
	char	  **level;			/* [n] in words; NULL for NULL */
	char	  **edges;			/* of the last step that has some; NULL: none has */
	int			nedges;
	int			number;			/* of the step that is made, from 1 on */
	PegsStep   *before;
} PegsMaking;

/* ---- hierarchy_labels.c ---- */

extern int	pegs_compare_labels(const char *a, const char *b);	/* NULL is after all texts */
extern void pegs_put_labels(PegsStep *step, char **label, int n);	/* levels of one label are one group */
extern void pegs_refuse_step(const PegsMaking *m, const char *what, const char *example);

/* ---- hierarchy_edges.c ---- */

extern char **pegs_edges_step(PegsMaking *m, const JsonbValue *value);	/* [n] labels */
extern void pegs_joined_bins(PegsMaking *m, PegsHierarchy *hierarchy);

#endif							/* PEGS_HIERARCHY_STEPS_H */
