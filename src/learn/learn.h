/*
 * learn.h
 *	  The domain of a column, learnt from its rows and charged.
 */
#ifndef PEGS_LEARN_H
#define PEGS_LEARN_H

#include "server/server.h"
#include "codes/codes.h"
#include "codes/column.h"
#include "source/source.h"
#include "facts/facts.h"
#include "read/read.h"
#include "models/models.h"

#include "core/accountant.h"

/* ---- learn.c: read, compute, charge, declare ---- */

typedef struct PegsLearning
{
	PegsSource *source;
	PegsColumn	column;			/* as the catalog has it */
	int64		epsilon;		/* units of 1e-9 */
	int64		delta;			/* units of 1e-18 */
	int			bins;			/* of a range */

	/* what is computed, in memory that is nobody's until the charge */
	PegsUncharged *uncharged;
	pegs_env	env;
	pegs_rng   *rng;
	pegs_accountant accountant; /* pure; what the noise was drawn for */
	bool		reading;		/* rows are read: an error has no words of theirs (reader.c) */
	bool		found;
	PegsDeclaration declared;
	int64		threshold;		/* of levels: rows */
} PegsLearning;

/* From the rows to a declaration, or found = false. */
typedef void (*PegsLearn) (PegsLearning *learning);

/* The first three arguments of each function: source, column_name, epsilon. */
extern PegsLearning *pegs_learning(FunctionCallInfo fcinfo);

/* The whole of it. Afterwards `learning` says what was found, and may be spoken of. */
extern void pegs_learn(PegsLearning *learning, PegsLearn learn);

/* Says in a NOTICE that nothing was found. */
extern void pegs_say_nothing_learnt(const PegsLearning *learning, const char *why);

extern char *pegs_charged_words(const PegsLearning *learning);	/* "epsilon 1 was charged" */

#endif							/* PEGS_LEARN_H */
