/*
 * column.h
 *	  A column and its declared domain; all of them together.
 */
#ifndef PEGS_COLUMN_H
#define PEGS_COLUMN_H

#include "server/server.h"

#include "core/zeros.h"

/* A charge for which something was declared. One charge may be that of several columns. */
typedef struct PegsLearntCharge
{
	int64		id;				/* negative: nothing was found for it, and what was declared before stands */
	int64		epsilon;		/* units of 1e-9 */
	int64		delta;			/* units of 1e-18 */
	char	   *unit;			/* what it protects, as the ledger says it */
} PegsLearntCharge;

/* What a hidden column is, of columns of the table: a calendar part of a time, or by how much one is after another (part.c). */
typedef enum PegsPartKind
{
	PEGS_DATE,					/* the day */
	PEGS_WEEK,					/* the Monday of its week */
	PEGS_WEEKDAY,				/* 1 is Monday, 7 is Sunday */
	PEGS_HOUR,					/* seconds of the day; its bins are hours */
	PEGS_DIFFERENCE,			/* from `earlier` on: days, seconds, or a number of their own type */
	PEGS_VIA					/* what a public lookup table says of the key that the column holds */
} PegsPartKind;

/* Keys of a lookup table, those of one level beside each other: a level is what the table says of them. */
typedef struct PegsVia
{
	char	   *names;			/* of the table's columns, for a person: "chapter, chronic" */
	int			n;
	char	  **key;			/* [n] canonical, no two are the same */
	uint16	   *level;			/* [n] they rise, and each level has one */
	char	   *by;				/* the table's column by which a key of a level is drawn; NULL: each is as likely */
	uint32	   *weight;			/* [n] those of a level have a sum from 1 to PG_UINT32_MAX; NULL, if `by` is */
} PegsVia;

typedef struct PegsPart
{
	PegsPartKind kind;
	char	   *column;			/* of the table: what it is a part of */
	char	   *earlier;		/* of the table, of a difference; else NULL */
	Oid			type;			/* of these columns, domains stripped */
	char	   *zone;			/* where a timestamptz has its days and hours; else NULL */
	const PegsVia *via;			/* of PEGS_VIA; else NULL */
} PegsPart;

/* A column that is declared to be a function of another: for each value of that, in this order, its own. Canonical texts. */
typedef struct PegsFunction
{
	char	   *of;				/* the other column; NULL: not looked at yet */
	int			n;
	char	  **from;			/* NULL: where the other is NULL */
	char	  **to;				/* NULL: it is NULL */
} PegsFunction;

typedef struct PegsColumn
{
	char	   *name;
	Oid			type;			/* base type, domains stripped; of a model also InvalidOid: it was dropped */
	int32		typmod;
	bool		nullable;		/* NULL is the last level */
	int			nlabels;		/* levels in declared order, canonical text */
	char	  **labels;
	int			other;			/* label that takes what is not declared, or -1 */
	PegsFunction *grouped;		/* the group that levels are declared to be of (`of` is NULL); or NULL */
	uint16	   *group;			/* [levels] the same as numbers, levels of a group beside each other; or NULL */
	bool		drop;			/* a row whose value is not declared is left out; else it is an error */
	bool		nearest;		/* of a binned column: a value outside all bins counts in the first or the last */
	int			nedges;			/* bins [edge, edge); the last one closed */
	char	  **edges;
	int			npoints;		/* of a binned column: values that are levels of their own, after the bins */
	char	  **points;
	char	   *step;			/* of a binned column: values are multiples of it (an interval, of timestamps); NULL: any */
	Datum	   *edge_value;		/* [nedges], where they were needed already; or NULL */
	const double *shares;		/* [levels] of a binned column of a model that is sloped inside bins; or NULL */
	const char *origin;			/* where the domain is declared; NULL: nowhere */
	int			nlearnt;		/* charges for which its domain was learnt from rows; 0: it was not */
	PegsLearntCharge *learnt;
	char	   *problem;		/* why the column cannot be used; NULL: it can */
	char	   *remedy;
	char	   *left_out;		/* what it is, if it has no domain and is left out therefore: "a key", "the privacy unit", ... */
	bool		declared_out;	/* that by declaration */
	struct PegsReference *reference;	/* the table that it refers to; or NULL */
	char	   *lookup;			/* the table whose rows its levels are, qualified; or NULL */
	char	   *derived;		/* the expression that computes it, canonical; or NULL */
	PegsFunction *function;		/* what `derived` says, where that is a declared function; or NULL */
	char	   *table;			/* of several tables that are read together: its own, qualified; else NULL */
	const char *source;			/* for a hint: the table or view that is read, qualified; NULL: not known here */
	const PegsPart *part;		/* no column of the table, but a hidden one: what it is; or NULL */

	/* a column of the table that is computed from hidden ones (facts/computed/parts.c) */
	int			nparts;			/* by calendar parts */
	char	  **parts;
	char	   *zone;			/* of a timestamptz */
	char	   *earlier;		/* it is never before this one; or NULL */
	const PegsVia *via;			/* its keys by their levels, which are its labels until it is split; or NULL */
} PegsColumn;

/* A column that a model does not draw: it is computed from those that it does. */
typedef struct PegsDerived
{
	char	   *name;
	Oid			type;
	int32		typmod;
	int			place;			/* so many of the drawn columns stand before it */
	char	   *expression;		/* canonical */
	const PegsFunction *function;	/* of a domain to fit: rows of the table must be so; or NULL */
} PegsDerived;

/* What the session keeps of a column of a model. */
typedef struct PegsKeptColumn
{
	struct PegsEncoder *encoder;
	struct PegsDecoder *decoder;
} PegsKeptColumn;

typedef struct PegsDomain
{
	int			ncols;
	PegsColumn *column;
	int			nlearnt;		/* of a model: charges by which columns are left out of it */
	PegsLearntCharge *learnt;
	int			nderived;		/* of a model: computed from the others, in the order of their places */
	PegsDerived *derived;
	PegsKeptColumn *kept;		/* [ncols] in `context`; or NULL (kept.c) */
	MemoryContext context;
	int			nzeros;			/* structural zeros (zeros.c) */
	pegs_zero  *zeros;
} PegsDomain;

/* As somebody would name it: itself, or of a hidden one what it is a part of. */
static inline char *
pegs_said_name(const PegsColumn *column)
{
	return column->part ? column->part->column : column->name;
}

static inline int
pegs_column_levels(const PegsColumn *column)
{
	return (column->nedges > 0 ? column->nedges - 1 + column->npoints : column->nlabels) + column->nullable;
}

static inline int
pegs_domain_find(const PegsDomain *domain, const char *name)	/* -1: none */
{
	for (int i = 0; i < domain->ncols; i++)
		if (strcmp(domain->column[i].name, name) == 0)
			return i;
	return -1;
}

static inline const PegsDerived *
pegs_derived_find(const PegsDomain *domain, const char *name)	/* NULL: none */
{
	for (int i = 0; i < domain->nderived; i++)
		if (strcmp(domain->derived[i].name, name) == 0)
			return &domain->derived[i];
	return NULL;
}

#endif							/* PEGS_COLUMN_H */
