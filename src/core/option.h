/*
 * option.h
 *	  What a fit of a method may be told besides: public facts, which its model keeps.
 */
#ifndef PEGS_OPTION_H
#define PEGS_OPTION_H

#include "core/core.h"

typedef enum pegs_option_kind
{
	PEGS_OPTION_NUMBER,			/* from least to most */
	PEGS_OPTION_WHOLE,			/* a whole one */
	PEGS_OPTION_TRUTH,			/* 0 or 1 */
	PEGS_OPTION_WORD,			/* one of words: its place among them */
	PEGS_OPTION_COLUMNS,		/* columns of the model, each once */
	PEGS_OPTION_LEVELS			/* columns of the model, and some of the levels of each: never none or all */
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
} pegs_option;

/* Of an option: what was given, else what is standard. */
typedef struct pegs_setting
{
	bool		given;
	double		number;
	const bool *columns;		/* [ncols]; NULL: none */
	const bool *const *levels;	/* [ncols] of each of those; NULL: none */
} pegs_setting;

#endif							/* PEGS_OPTION_H */
