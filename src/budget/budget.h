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
extern bool pegs_has_delta(Oid account, int64 delta);	/* is so much left? */
extern bool pegs_note_unit(Oid account);
extern void pegs_note_uncovered(Oid account, const char *action, const char *object);
extern void pegs_check_budget(Oid account, int64 epsilon, int64 delta);
extern bool pegs_cap_left(Oid sequence, int64 cap, int64 *left);	/* false: revoked meanwhile */

/* ---- budget.c: setting budgets ---- */

extern void pegs_warn_of_parts(Oid source);
extern Oid	pegs_new_cap(int64 grant);

#endif							/* PEGS_BUDGET_H */
