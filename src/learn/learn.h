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

struct PegsLearning;
struct PegsLearnt;

/* From the rows to a declaration, or found = false. */
typedef void (*PegsLearn) (struct PegsLearning *learning, struct PegsLearnt *learnt);

/* One column. */
typedef struct PegsLearnt
{
	PegsColumn	column;			/* as the catalog has it */
	PegsLearn	learn;
	bool		levels;			/* else a range */
	double		cost;			/* of the accountant */
	int64		delta;			/* of the threshold of levels, units of 1e-18; else 0 */
	int64		spent_delta;	/* the same, as the threshold was set */
	uint64_t	spent;			/* of the accountant, in its units */
	bool		found;
	bool		zero_alone;		/* a range: nothing but 0 was found */
	PegsDeclaration declared;
	int64		threshold;		/* of levels: rows */
} PegsLearnt;

typedef struct PegsLearning
{
	PegsSource *source;
	int64		epsilon;		/* units of 1e-9 */
	int64		delta;			/* units of 1e-18 */
	int			bins;			/* of a range */
	int			n;
	int			nlevels;		/* of n: those whose levels are learnt */
	PegsLearnt *learnt;			/* [n] */
	bool		leave_out;		/* what nothing was found of, and nothing was declared */

	/* what is computed, in memory that is nobody's until the charge */
	PegsUncharged *uncharged;
	pegs_env	env;
	pegs_rng   *rng;
	pegs_accountant accountant; /* what the noise was drawn for */
	bool		reading;		/* rows are read: an error has no words of theirs (reader.c) */
} PegsLearning;

/* The first arguments of each function: source, column_name if it is of one column, epsilon. */
extern PegsLearning *pegs_learning(FunctionCallInfo fcinfo, PegsLearn of_one, bool levels);
extern PegsLearnt *pegs_learning_column(PegsLearning *learning, const char *name);	/* one more; the next says how */
extern void pegs_learning_by(PegsLearning *learning, PegsLearnt *learnt, PegsLearn learn, bool levels);
extern void pegs_learning_check(const PegsLearning *learning, const PegsLearnt *learnt);	/* an error if it cannot be */

/* The whole of it. Afterwards `learning` says what was found, and may be spoken of. */
extern void pegs_learn_columns(PegsLearning *learning);

extern PegsLearning pegs_learning_with(const PegsLearning *learning, int64 epsilon);	/* the same, nothing of which is computed */
extern int64 pegs_learning_room(const PegsLearning *learning, int64 most, int64 calls); /* an epsilon of two digits, at most `most`, of which so many calls have room; 0: less than a ten-thousandth */

/* ---- words.c ---- */

/* Says in a NOTICE that nothing was found. */
extern void pegs_say_nothing_learnt(const PegsLearning *learning, const char *why);

extern void pegs_say_zero_alone(const PegsLearning *learning);	/* of which columns, in a WARNING, if there are any */
extern char *pegs_charged_words(const PegsLearning *learning);	/* "epsilon 1 was charged" */

/* ---- levels.c, range.c ---- */

extern void pegs_learn_levels_of(PegsLearning *learning, PegsLearnt *learnt);
extern void pegs_learn_range_of(PegsLearning *learning, PegsLearnt *learnt);
extern int	pegs_learning_bins(FunctionCallInfo fcinfo, int n);
extern void pegs_learning_cells(const PegsColumn *column);	/* an error if its type has none */

#endif							/* PEGS_LEARN_H */
