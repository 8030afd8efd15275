/*
 * scores.h
 *	  Scores: models that give a row of anybody's a probability, and no rows.
 */
#ifndef PEGS_SCORES_H
#define PEGS_SCORES_H

#include "server/server.h"
#include "codes/codes.h"
#include "models/models.h"

#include "core/kept.h"
#include "core/scorer.h"

/* ---- scored.c: a score by its name, and a caller's row as its codes ---- */

/* Who asks, and what he sees: while it stays, the score and the right to it do. */
typedef struct PegsScoredSight
{
	Oid			user;
	SubTransactionId sub;
	CommandId	command;
	TransactionId xmin;
	TransactionId xmax;
	uint32		xcnt;
	int32		subxcnt;
	TimestampTz statement;
} PegsScoredSight;

typedef struct PegsScored
{
	MemoryContext context;		/* it is in, and all below */
	PegsScoredSight sight;
	bool		noted;			/* of one without a guarantee: that it was asked */
	bool		of_object;		/* argument 1 is declared jsonb */
	char	   *name;
	PegsModel  *model;
	const pegs_scorer *scorer;
	const void *body;
	const PegsDomain *domain;
	int			target;
	const bool *positive;		/* [levels of the target] */
	const PegsDomain *physical; /* the columns of a row that it looks at */
	PegsParts  *parts;			/* or NULL */
	PegsEncoder **encoder;		/* [ncols] */
	int32	   *codes;			/* [ncols] of the last row; of the target -1 */
	Datum	   *values;			/* [physical] */
	bool	   *nulls;
	bool	   *told;
	Oid			row_type;		/* of the last row; its columns, by name */
	int32		row_typmod;
	uint64		row_version;
	MemoryContext row_context;
	TupleDesc	desc;
	int		   *attribute;		/* [physical] or -1: it has none */
	Datum	   *attributes;		/* [desc] */
	bool	   *attribute_nulls;
	MemoryContext scratch;
} PegsScored;

/* Read once a query: the caller's right is looked at then. */
extern PegsScored *pegs_scored_by(FunctionCallInfo fcinfo);

/* Argument 1: a row, or jsonb where it is so declared. False: it is NULL. */
extern bool pegs_scored_codes(FunctionCallInfo fcinfo, PegsScored *scored);

extern void pegs_require_points(const PegsScored *scored);	/* not exact counts */
extern double pegs_score_divisor(const PegsScored *scored);	/* of points, to be log-odds */
extern double pegs_score_probability_of(const PegsScored *scored, int64_t points);

/* ---- quality.c: how well rows are told apart; also for reach.c ---- */

/* A row of which the target is known. */
typedef struct PegsSaid
{
	double		p;				/* what a score says, by whatever rises with it */
	bool		positive;
} PegsSaid;

extern PegsSaid *pegs_said(uint64 nrows);	/* room for so many */
extern uint64 pegs_sort_said(PegsSaid *row, uint64 n);	/* by p; how many are positive */
extern double pegs_auc(const PegsSaid *row, uint64 n, uint64 positive);	/* sorted: how often a positive row is above another, ties half. NaN: there is only one kind */

/* ---- fit_score.c: rows that a score of a model is made of; from[columns of the layout]: which of the model's ---- */

extern pegs_kept *pegs_rows_to_score(PegsModel *model, const int *from, const pegs_layout *layout);

/* ---- condition.c: conditions of a card's lines ---- */

extern char *pegs_condition_words(const PegsDomain *domain, const pegs_condition *condition);	/* for people */
extern char *pegs_type_sql(Oid type);	/* for a parameter, or a literal */
extern char *pegs_condition_sql(const PegsDomain *domain, const pegs_condition *condition, const char *parameter);	/* never NULL but where it does not hold */

#endif							/* PEGS_SCORES_H */
