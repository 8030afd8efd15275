/*
 * option.h
 *	  What a fit of a method may be told besides: public facts, which its model keeps.
 */
#ifndef PEGS_OPTION_H
#define PEGS_OPTION_H

#include "core/core.h"

#define PEGS_OPTION_NUMBERS_MOST 16

typedef enum pegs_option_kind
{
	PEGS_OPTION_NUMBER,			/* from least to most */
	PEGS_OPTION_WHOLE,			/* a whole one */
	PEGS_OPTION_NUMBERS,		/* one, or a list of at most PEGS_OPTION_NUMBERS_MOST, each from least to most */
	PEGS_OPTION_TRUTH,			/* 0 or 1 */
	PEGS_OPTION_WORD,			/* one of words: its place among them */
	PEGS_OPTION_COLUMNS,		/* columns of the model, each once */
	PEGS_OPTION_LEVELS,			/* columns of the model, and some of the levels of each: never none or all */
	PEGS_OPTION_PRIOR			/* a public table, counted (prior.h) */
} pegs_option_kind;

typedef struct pegs_option
{
	const char *name;
	pegs_option_kind kind;
	double		least;
	double		most;
	double		standard;		/* where it is left out */
	const char *const *words;	/* NULL ends them */
	const char *example;		/* a value of it in JSON, for hints */
	bool		joint;			/* of a prior: its cells are combinations of all columns, else levels, column after column */
} pegs_option;

/* Of an option: what was given, else what is standard. */
typedef struct pegs_setting
{
	bool		given;
	double		number;
	const double *numbers;		/* [nnumbers] of a list; NULL: `number` alone */
	uint32_t	nnumbers;
	const bool *columns;		/* [ncols]; NULL: none */
	const bool *const *levels;	/* [ncols] of each of those; NULL: none */

	/* of a prior: cells that it gives something */
	uint32_t	nweights;
	const uint32_t *cells;		/* [nweights] rising */
	const uint64_t *weights;	/* [nweights] in units of 2^-16, > 0 */
} pegs_setting;

/* Of an option of PEGS_OPTION_NUMBERS: how many, and which. */
static inline uint32_t
pegs_setting_numbers(const pegs_setting *setting, const double **numbers)
{
	*numbers = setting->numbers ? setting->numbers : &setting->number;
	return setting->numbers ? setting->nnumbers : 1;
}

#endif							/* PEGS_OPTION_H */
