/*
 * disaggregate.h
 *	  Values of single rows guessed from averages of groups, and how well that works.
 */
#ifndef PEGS_DISAGGREGATE_H
#define PEGS_DISAGGREGATE_H

#include "server/server.h"
#include "source/source.h"

#include "core/disaggregate/averages.h"

/* ---- distinct.c: rows of values that are told apart, each with a number ---- */

typedef struct PegsDistinct PegsDistinct;

extern PegsDistinct *pegs_distinct(int n, const Oid *type, const Oid *collation);	/* or an error: a type has no hash */
extern int64 pegs_distinct_number(PegsDistinct *all, const Datum *values, const bool *nulls, bool add);	/* from 0; -1: not there */
extern uint32 pegs_distinct_count(const PegsDistinct *all);
extern Datum pegs_distinct_value(const PegsDistinct *all, uint32 number);	/* its first */

/* ---- columns.c: columns by their types, rows one after the other ---- */

extern Oid	pegs_type_of(Oid relid, const char *column, Oid *collation);
extern bool pegs_is_plain_number(Oid type);
extern void pegs_require_number(Oid relid, const char *column, bool may_be_factor);
extern Oid	pegs_common_type(Oid a, Oid b, const char *column);	/* as what they are compared; or an error */
extern void pegs_query_column(StringInfo query, const char *column, Oid cast_to);
extern void pegs_each_row(const PegsReading *reading, StringInfo query, void (*take) (void *arg, const Datum *values, const bool *nulls), void *arg);

/* ---- individuals.c, levels.c: individuals, and the averages of their groups ---- */

/* A level: a table of averages, or of reconstruction the columns that make its groups. */
typedef struct PegsGrouping
{
	Oid			from;			/* InvalidOid: averages are those of the value */
	List	   *on;				/* names */
	char	   *value;
	PegsDistinct *groups;
	double	   *average;		/* [groups] */
	uint32		room;
	uint32		empty;			/* groups without individuals */
	uint32	   *of;				/* [rows] the group of each */
} PegsGrouping;

typedef struct PegsIndividuals
{
	const PegsReading *reading;
	char	   *id;				/* or NULL */
	char	   *value;			/* or NULL: it is not known */
	List	   *columns;		/* names */
	List	   *factors;		/* names; of reconstruction: what is no number */
	bool		any_factor;
	bool		skip;			/* those without an average get no estimate */
	int			nlevels;
	PegsGrouping *level;

	/* what was read */
	uint64		seen;
	uint64		missing;		/* without an average */
	PegsDistinct *ids;			/* of all */
	bool	   *left_out;		/* [seen] */
	double	   *truth;			/* [rows] */
	List	   *term_of;		/* of a column's name, as long as there are terms: for effects */
	pegs_individuals all;
} PegsIndividuals;

/* Levels as jsonb has them, read with the caller's rights. */
extern void pegs_read_averages(PegsIndividuals *all, const Jsonb *aggregates, Oid individuals);
extern void pegs_read_individuals(PegsIndividuals *all);

/* ---- guess.c: the methods by their names ---- */

typedef struct PegsGuess
{
	const char *method;
	bool		calibrate;
	bool		strict;			/* levels that contradict each other are an error */
	bool		weighted;
	double		ridge;			/* NaN: by press */
	uint32		classes;
	List	   *effects;
	double		press;			/* answered, by er */
	uint32		rank;
} PegsGuess;

extern PegsGuess pegs_guess_options(Jsonb *options, bool *skip);
extern const char *pegs_guess_method(const char *name, const char *hint);	/* or an error */
extern double *pegs_guess(const PegsIndividuals *all, PegsGuess *guess);

#endif							/* PEGS_DISAGGREGATE_H */
