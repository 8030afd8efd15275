/*
 * budget.h
 *	  Budgets, and the one place where they are spent.
 */
#ifndef PEGS_BUDGET_H
#define PEGS_BUDGET_H

#include "server/server.h"

/* ---- ledger.c: the one place where budgets are spent ---- */

typedef struct PegsBill
{
	Oid			account;
	int64		grant;			/* id of a capped grant, or 0 */
	int64		epsilon;		/* units of 1e-9 */
	int64		delta;			/* units of 1e-18 */
	const char *action;			/* 'fit', 'sample', 'release' */
	const char *object;
	const char *unit;			/* what it protects: pegs_charged_unit */
	Datum		compared;		/* int8[], of a choice: ids of the models and releases that it compared; else 0 */

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

/* Would a charge succeed now? Before long work; the answer binds nobody. */
extern void pegs_check_budget(Oid account, int64 epsilon, int64 delta);	/* an error if not */
extern bool pegs_has_delta(Oid account, int64 delta);	/* is so much left? */

/* Lines of the ledger that charge nothing. */
extern bool pegs_note_unit(Oid account);	/* another privacy unit; true: sums mix units from now on */
extern void pegs_note_uncovered(Oid account, const char *action, const char *object, const char *reason);	/* a read without a guarantee */

/* ---- account.c: caps of grants ---- */

extern Oid	pegs_new_cap(int64 grant);	/* the sequence that counts what is spent of it */
extern bool pegs_cap_left(Oid sequence, int64 cap, int64 *left);	/* false: revoked meanwhile */

/* ---- budget.c: setting budgets ---- */

/* Of accounts that tables had before they were attached to this one: their rows have cost what was spent there, too. */
extern void pegs_warn_of_parts(Oid source);

#endif							/* PEGS_BUDGET_H */
