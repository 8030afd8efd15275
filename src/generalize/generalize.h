/*
 * generalize.h
 *	  Keys made coarser until nobody stands out: plans, and the rows of a table by one.
 *
 * Guarantee: none. Exact counts of exact rows decide, so all of it is for
 * curators alone. Law L6.
 */
#ifndef PEGS_GENERALIZE_H
#define PEGS_GENERALIZE_H

#include "server/server.h"
#include "codes/column.h"
#include "source/source.h"
#include "facts/facts.h"

#include "core/compare/mondrian.h"

struct ReturnSetInfo;

typedef struct PegsGeneral
{
	PegsSource *source;
	PegsDomain *all;			/* every column of the source */
	PegsDomain *domain;			/* the keys, then the sensitive column, if there is one */
	uint32		nkeys;
	uint32		sensitive;		/* its place in the domain, or PEGS_NO_LEVEL */
	PegsHierarchy **hierarchy;	/* [nkeys] */
	pegs_key   *key;			/* [nkeys] the same for the core */
	bool		local;			/* boxes by Mondrian; else steps */
	uint32	   *step;			/* [nkeys] of a plan that is not local */
	pegs_criteria criteria;
	double		suppress;
} PegsGeneral;

/* ---- keys.c: keys with their hierarchies ---- */

extern PegsGeneral *pegs_general(PegsSource *source, List *keys, char *sensitive);
extern bool pegs_general_shows(const PegsGeneral *general, Form_pg_attribute att); /* beside the keys, unless it is asked for by its name */
extern char *pegs_general_label(const PegsGeneral *general, uint32 j, const pegs_side *side);	/* NULL for NULL */
extern uint32 pegs_general_mark(const PegsGeneral *general, uint32 j);	/* changes with the hierarchy of a key */
extern pegs_tuples *pegs_general_tuples(const PegsGeneral *general, const pegs_env *env, const pegs_coded *table);
extern void pegs_general_refuse_fault(pegs_status status);	/* of the core */
extern void pegs_general_say_rows(const PegsSource *source);	/* where persons are meant, classes are of rows all the same */

/* ---- plan.c: plans as jsonb ---- */

typedef struct PegsFound
{
	pegs_loss	loss;
	double	   *by_key;
	uint64		rows;
	uint64		searched;		/* 0: local */
	uint64		nodes;
} PegsFound;

extern Datum pegs_general_json(const PegsGeneral *general, const PegsFound *found);
extern PegsGeneral *pegs_general_planned(PegsSource *source, Jsonb *plan);	/* believes nothing; or an error */
extern Jsonb *pegs_arg_plan(FunctionCallInfo fcinfo, int n, PegsSource *source);	/* never NULL */
extern bool pegs_json_number(const JsonbValue *value, double *number);	/* false: it is none */

/* ---- read_rows.c: rows as codes of the keys, beside their other columns ---- */

typedef struct PegsTaken
{
	pegs_coded	table;			/* of general->domain: every code is declared */
	uint32		nothers;
	TupleDesc	desc;			/* of the others */
	struct Tuplestorestate *store;	/* the others, row by row; NULL: none were asked for */
} PegsTaken;

extern PegsTaken *pegs_take_rows(const PegsGeneral *general, List *others);	/* of AttrNumber, of the source */

#endif							/* PEGS_GENERALIZE_H */
