/*
 * budget.h
 *	  Budgets, and the one place where they are spent.
 */
#ifndef PEGS_BUDGET_H
#define PEGS_BUDGET_H

#include "server/server.h"

#include "nodes/parsenodes.h"

/* ---- ledger.c: the one place where budgets are spent ---- */

#define PEGS_NO_RHO	(-1)	/* of urns with delta: nothing that could be added up, and an account in rho refuses it */

typedef struct PegsBill
{
	Oid			account;
	int64		grant;			/* id of a capped grant, or 0 */
	int64		epsilon;		/* units of 1e-9 */
	int64		delta;			/* units of 1e-18 */
	int64		rho;			/* what an account in rho pays instead, units of 2^-50: pegs_bill_noise, or what is proved of the call, or PEGS_NO_RHO */
	int64		delta_apart;	/* and of delta: what is the chance of a threshold, no noise (claim P15) */
	const char *action;			/* 'fit', 'sample', 'release' */
	const char *object;
	const char *unit;			/* what it protects: pegs_charged_unit */
	Datum		compared;		/* int8[], of a choice: ids of the models and releases that it compared; else 0 */
	List	   *counted;		/* of PegsBound: how tables were bound when their rows were counted (bound.c) */
	int64		has_room;		/* for a hint: an epsilon for which the same call has room; 0: not known */

	/* pegs_charge's own */
	bool		charged;
	char	   *words;			/* what an error after the charge says */
	ErrorContextCallback context;
} PegsBill;

/*
 * Durable when it returns. Everything else that can fail must be done before.
 * From there to pegs_charge_done every error says what was charged: the bill
 * must live so long.
 */
extern void pegs_charge(PegsBill *bill);
extern void pegs_charge_done(PegsBill *bill);

/* ---- rho.c: what an account in rho pays ---- */

extern void pegs_bill_noise(PegsBill *bill);	/* of epsilon with delta, or of pure epsilon: claim P20 */

/* ---- left.c: would a charge succeed now? Before long work; the answer binds nobody. ---- */

extern void pegs_check_budget(const PegsBill *bill);	/* an error if not */
extern int64 pegs_delta_there(Oid account, int64 most);	/* that a fit may ask for, or so much where there is more; 0: none */
extern int64 pegs_delta_of_call(Oid account, int64 delta);	/* at which a call that asks for so much is made: claim P20 */
extern bool pegs_has_account(Oid account, Oid relation);	/* of its rows, or of a part of them */
extern bool pegs_is_in_rho(Oid account);	/* is that how it is kept? For ever */
extern void pegs_refuse_rho_of_urns(const char *way_out) __attribute__((noreturn));	/* an error; way_out: what to leave out */
extern int64 pegs_calls_left(const PegsBill *bill);	/* how many such charges; -1: there is no account */
extern char *pegs_calls_left_words(const PegsBill *bill, const char *call);	/* "3 such fits are left in the budget" */

/* ---- persons.c: rows that hang by foreign keys on private ones ---- */

extern Oid	pegs_leads_to_persons(Oid table, Oid account);	/* the private table to which its rows lead, itself apart; or InvalidOid */
extern bool pegs_leads_to(Oid table, Oid to);	/* do its rows refer to rows of that one, or of its parts? */
extern bool pegs_is_or_leads_to(Oid table, Oid to);
extern char *pegs_private_words(Oid table);	/* what the caller may be told of it */

/* ---- taken.c: rows of it were taken as public ---- */

extern void pegs_warn_of_taken(Oid table);	/* when it has become private */

/* ---- ledger.c again ---- */

/* Lines of the ledger that charge nothing. */
extern bool pegs_note_unit(Oid account);	/* another privacy unit; true: sums mix units from now on */
extern void pegs_note_uncovered(Oid account, const char *action, const char *object, const char *reason);	/* a read without a guarantee */

/* ---- forever.c: a line that no ROLLBACK takes away ---- */

extern void pegs_note_uncovered_for_ever(Oid account, const char *action, const char *object, const char *reason);	/* as pegs_note_uncovered */

/* ---- account.c: caps of grants, sequences ---- */

extern void pegs_drop_sequence(Oid sequence);	/* of what is given up */
extern Oid	pegs_new_cap(int64 grant);	/* the sequence that counts what is spent of it */
extern bool pegs_cap_left(Oid sequence, int64 cap, int64 *left);	/* false: revoked meanwhile */

/* ---- mark.c: how far something is used up that was charged once ---- */

typedef struct PegsMark
{
	Oid			sequence;		/* its last value */
	Oid			kept;			/* the number of the sequence when it was made */
	char	   *system_identifier;
	int64		timeline;
	Oid			database;
	char	   *home;			/* NULL: not written down */
	int64		entry;			/* -1: likewise */
} PegsMark;

/* Of a row of pegs_internal.grid AS g, for pegs_mark_at, which finds the first of them in this column. */
#define PEGS_MARK_COLUMNS "g.used::pg_catalog.oid, g.sequence, g.system_identifier::pg_catalog.text, g.timeline, g.database, g.home, g.entry"

extern Oid	pegs_new_mark(int64 grid);
extern PegsMark pegs_mark_at(int row, int column);	/* of SPI_tuptable */
extern const char *pegs_mark_copied_from(const PegsMark *mark);	/* in words; NULL: it is here */
extern void pegs_adopt_mark(Oid source, int64 grid, const char *object, const char *reason);	/* a superuser says that it is here alone */
extern int64 pegs_read_mark(const PegsMark *mark);
extern void pegs_refuse_new_mark(void) __attribute__((noreturn));	/* made in this transaction */
extern void pegs_raise_mark(const PegsMark *mark, int64 from, int64 to);	/* durable when it returns */

/* ---- hands.c ---- */

extern char *pegs_others_with(Oid relid, AclMode mode);	/* roles but its owner that have such a right, for REVOKE; empty: none */

/* ---- bound.c: tables that are parts of other tables' rows ---- */

extern Oid	pegs_payer(Oid account);	/* the table whose account pays: itself, or the root that it is bound to; InvalidOid: that is gone */
extern bool pegs_is_bound(Oid table);
extern List *pegs_children_of(Oid parent);	/* of Oid: those bound to it itself */

/* ---- budget.c: setting budgets ---- */

/* Of accounts that tables had before they were attached to this one: their rows have cost what was spent there, too. */
extern void pegs_warn_of_parts(Oid source);

/* ---- elsewhere.c: rows that another account here has paid for ---- */

extern void pegs_require_unpaid(Oid account);	/* an error, or a warning: before its first budget, or before long work */
extern bool pegs_hold_alike(Oid account);	/* the same, behind the chargers' lock; true: until pegs_let_go_alike no other is charged for the first time */
extern void pegs_let_go_alike(void);
extern void pegs_warn_of_alike(Oid source);	/* where nothing is charged now */
extern List *pegs_accounts_alike(Oid table);	/* of Oid: accounts of its owner for its rows, but its own */

extern Oid	pegs_private_alike(Oid public, Oid table);	/* whose rows those of a lookup table of this one are, under another name; InvalidOid: nobody's */

/* ---- moved.c: are rows elsewhere where others see them? ---- */

extern void pegs_refuse_moved(Oid account);	/* not, where this transaction has changed it: nothing is charged to it before COMMIT. Before long work */
extern void pegs_require_there(Oid account);	/* the same, and that rows that were read in this transaction came from there */
extern void pegs_require_read_there(Oid account);	/* the latter alone */
extern bool pegs_public_is_moved(const List *parts);	/* of a lookup table: the former */
extern void pegs_require_public_there(Oid lookup, const List *parts);	/* the latter */

#endif							/* PEGS_BUDGET_H */
