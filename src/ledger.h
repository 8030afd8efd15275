/*
 * ledger.h
 *	  What ledger.c (charging) and budget.c (setting and showing) share.
 */
#ifndef PEGS_LEDGER_H
#define PEGS_LEDGER_H

#include "pegs.h"

#include "storage/lockdefs.h"
#include "utils/relcache.h"

/* A row of pegs_internal.budget, or the cap of one of pegs_internal.access. */
typedef struct PegsAccount
{
	int64		total_epsilon;
	int64		total_delta;
	Oid			epsilon;		/* sequences */
	Oid			delta;
	bool		changed_here;	/* created or changed in this transaction */
	const char *elsewhere;		/* of a budget: where it was kept, if not here (identity.c); NULL: at home */
} PegsAccount;

/* What one charge bought: where its interval of the account begins. */
typedef struct PegsBought
{
	int64		epsilon_from;
	int64		delta_from;
	int64		epsilon_left;
} PegsBought;

/* The newest committed (or own) version, whatever the transaction's snapshot; false if there is none. */
extern bool pegs_read_budget(Oid source, PegsAccount *account);

extern void pegs_no_budget(Oid source) __attribute__((noreturn));	/* pg_attribute_noreturn() is gone in 18 */

/* A permanent sequence, and what it says is spent. */
extern Relation pegs_open_sequence(Oid relid, LOCKMODE lock);
extern int64 pegs_spent_of(Relation sequence);

/* Moves what is spent forward, durably: here and on the synchronous standbys. InvalidOid: leave that one. */
extern void pegs_advance(Oid epsilon, int64 epsilon_to, Oid delta, int64 delta_to, Oid cap, int64 cap_to);
extern void pegs_recorded(Oid source, int64 *epsilon, int64 *delta);
extern void pegs_refuse_new_sequence(Relation sequence, const char *what);
extern void pegs_refuse_changed(const PegsAccount *account, const char *what);

/* After an UPDATE of one row of pegs_internal.budget: the transaction's snapshot may be too old to see it. */
extern void pegs_require_one_budget(void);

/* One line of the ledger: rolled back with its transaction, as a charge is not. */
extern void pegs_ledger_line(Oid account, const char *deed, const char *object, const PegsBought *bought,
							 int64 epsilon, int64 delta, const char *reason);

/* ---- identity.c: is this the place where the budget was kept? ---- */

extern char *pegs_system_identifier(void);
extern int64 pegs_timeline(void);
extern const char *pegs_elsewhere(const char *system_identifier, int64 timeline, Oid database, Oid sequence, Oid kept);
extern void pegs_refuse_elsewhere(Oid source, const PegsAccount *account, int64 spent);
extern void pegs_define_after_promotion(void);

#endif							/* PEGS_LEDGER_H */
