/*
 * file.h
 *	  Files of models: what they must be, and what they say.
 */
#ifndef PEGS_FILE_H
#define PEGS_FILE_H

#include "models/models.h"

/* ---- file_words.c: what a file says of its model beside its facts ---- */

typedef struct PegsFileWords
{
	List	   *lookups;		/* as of PegsModel, likewise */
	List	   *beside;
} PegsFileWords;

extern char *pegs_spec_with_words(const char *text, const PegsFileWords *words);	/* as in a file */
extern void pegs_read_file_words(const char *text, const PegsSpec *spec, PegsFileWords *words);

/* ---- file.c: what a file must be to be an exported model ---- */

extern PegsSpec *pegs_spec_of_file(const pegs_wire *wire, PegsFileWords *words);	/* an error of one kind, where it cannot be read here */
extern const char *pegs_file_problem(PegsSpec *spec, const pegs_wire *wire);	/* why no fit has made it, a clause; NULL: one may have. The spec has its options from here on */

#endif							/* PEGS_FILE_H */
