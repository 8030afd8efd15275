/*
 * fit.h
 *	  A model while it is made: what pegs_fit and pegs_refit have in common (fit.c).
 */
#ifndef PEGS_FIT_H
#define PEGS_FIT_H

#include "models/models.h"
#include "read/read.h"

/* What a fit makes between its checks and its charge. */
typedef struct PegsFit
{
	const char *name;
	const PegsModel *before;	/* whose place it takes; NULL: a new name */
	const PegsSource *source;
	const PegsFitArguments *args;
	PegsDomain *domain;
	PegsSpec   *spec;			/* NULL: its parents are to be chosen */
	PegsCounter *counter;		/* what is read first: the tables of the model, or all pairs to choose parents by */
	const char *counted_by;		/* whose word they are */
	PegsUncharged *uncharged;
	pegs_accountant accountant;		/* what its noise, or its choices, were drawn for */
	bool		says_otherwise; /* the model, of what it cost */
	bool		flat;			/* it is a score, the same for every row */
	bytea	   *body;
	const PegsSliceFit *sliced; /* paid for before; NULL: it is charged */
	const PegsRelatives *relatives;	/* of several tables; NULL: of one */
	pegs_tally	tally;			/* what is counted of those */
} PegsFit;

extern void pegs_check_before_scan(const PegsFit *fit);	/* its name, and is there enough budget? */
extern void pegs_run_fit(PegsFit *fit, bool from_rows);
extern void pegs_try_rows(PegsFit *fit);	/* its rows: for what is an error of a value, and nothing else */

/* ---- meant.c: what the caller may not have meant; nothing that can be refused is left ---- */

extern void pegs_say_what_it_means(const PegsFit *fit, bool columns_named);
extern void pegs_say_delta(const PegsFit *fit);
extern void pegs_say_delta_of_slices(const PegsFit *fit);

/* ---- fit_schema.c ---- */

extern void pegs_fit_relatives(PegsFit *fit, PegsRelatives *relatives);
extern PegsSpec *pegs_spec_of_relatives(const PegsRelatives *relatives, const pegs_method *method);

/* ---- fit_domain.c ---- */

extern PegsDomain *pegs_domain_to_fit(const PegsSource *source, List *columns, const char *sliced, FmgrInfo *call);	/* but for the column of the slices, if there is one */

/* ---- refit.c ---- */

extern PegsModel *pegs_model_to_refit(const char *name, bool of_slices);	/* rights; held alone */
extern void pegs_refit_facts(PegsFit *fit);	/* source, domain and spec, as they were; or an error */

/* ---- renamed.c: columns that a table of the model does not have any more ---- */

extern void pegs_require_columns(const PegsFit *fit, const PegsDomain *all, const char *slices);	/* or an error. slices: statements, in a hint; NULL: it has none */
extern void pegs_require_related_columns(const PegsFit *fit);	/* of several tables */

#endif							/* PEGS_FIT_H */
