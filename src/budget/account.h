/*
 * account.h
 *	  What the files about budgets share: an account, its sequences, its place.
 */
#ifndef PEGS_ACCOUNT_H
#define PEGS_ACCOUNT_H

#include "server/server.h"
#include "budget/budget.h"

#include "storage/itemptr.h"
#include "storage/lockdefs.h"

/* A row of pegs_internal.budget, or the cap of one of pegs_internal.access. */
typedef struct PegsAccount
{
	int64		total_epsilon;
	int64		total_delta;
	Oid			epsilon_sequence;	/* what is spent */
	Oid			delta_sequence;
	Oid			rho_sequence;	/* of an account in rho: what its total is held against; InvalidOid: of sums, and of a cap */
	bool		changed_here;	/* created or changed in this transaction */
	const char *copied_from;		/* of a budget: where it was kept, if not here (place.c); NULL: at home */
} PegsAccount;

/* Where a budget was kept, as it was written down with it (place.c). */
typedef struct PegsPlace
{
	const char *system_identifier;
	int64		timeline;
	Oid			database;
	Oid			sequence;		/* the one that counts what is held against the total */
	Oid			kept;			/* its number when the budget was set */
	bool		keeps_home;		/* false: a table of 0.2.0 or before, which has not the following */
	const char *home;			/* the file of the database; NULL: not written down */
	int64		entry;			/* transaction that wrote the database's row; -1: not written down */
} PegsPlace;

/* Of one sequence each, in their units: 1e-9, 1e-18, 2^-50. */
typedef struct PegsAmounts
{
	int64		epsilon;
	int64		delta;
	int64		rho;			/* 0 in an account of sums */
} PegsAmounts;

/* What one charge bought: where its interval of the account begins. */
typedef struct PegsBought
{
	PegsAmounts from;
	int64		epsilon_left;	/* of the total; in an account in rho: at its delta, rounded down (rho.c) */
	int64		delta_left;		/* for what is charged to its sequence */
	const char *unit;			/* that a charge protects: "row" or "person: column"; NULL: no charge */
	Datum		compared;		/* int8[], of a choice (budget.h); else 0 */
} PegsBought;

/* ---- rho.c: what the totals of an account mean, and what is left of them ---- */

extern bool pegs_in_rho(const PegsAccount *account);
extern int64 pegs_total_rho(const PegsAccount *account);
extern int64 pegs_rho_delta(const PegsAccount *account);	/* delta at which rho is converted */
extern int64 pegs_sum_of_delta(const PegsAccount *account);	/* total of what is charged to the sequence of delta */
extern int64 pegs_least_delta(const PegsAccount *account, int64 sum);
extern int64 pegs_epsilon_spent(const PegsAccount *account, const PegsAmounts *spent);
extern void pegs_find_left(const PegsAccount *account, PegsBought *spent);
extern bool pegs_is_within(const PegsAccount *account, const PegsAmounts *spent);	/* its totals */
extern PegsAmounts pegs_amounts_of(const PegsAccount *account, const PegsBill *bill);	/* what the bill moves */
extern char *pegs_rho_text(int64 rho);

/* ---- paid.c: whose rows an account pays for ---- */

extern List *pegs_take_relations(List *all, MemoryContext context);	/* of Oid: the first column of what SQL of ours has given, each once */
extern List *pegs_all_accounts(void);	/* of Oid: tables that have one and were not dropped */
extern List *pegs_paid_parts(Oid account);	/* of Oid: all whose rows it pays for; of any other table its parts */

/* ---- account.c: an account's row, its sequences, and what is spent of it ---- */

/* The newest committed (or own) version, whatever the transaction's snapshot; false if there is none. */
extern bool pegs_read_budget(Oid source, PegsAccount *account);
extern bool pegs_read_cap(int64 grant, PegsAccount *account);	/* the same of a capped grant */

/* SELECT pegs_set_budget(…) for a hint; the table as pegs_relation_literal gives it; accounting: NULL, not said */
extern char *pegs_budget_command(const char *literal, int64 epsilon, int64 delta, const char *accounting);

/* An error; pg_attribute_noreturn() is gone in 18. */
extern void pegs_no_budget(Oid source, int64 epsilon, int64 delta) __attribute__((noreturn));

/* SELECT pegs_adopt(…) for a hint: of what is left a part, so that nobody gives all of it to a copy by pasting. */
extern char *pegs_adopt_command(Oid source, const PegsAccount *account, const PegsBought *spent, const PegsBill *bill);

/* A permanent sequence, and what it says is spent. */
extern void pegs_create_sequence(const char *name);
extern Relation pegs_open_sequence(Oid relid, LOCKMODE lock);
extern int64 pegs_spent_of(Relation sequence);

/*
 * What is spent of a budget now, and left. With a lock that conflicts with itself nobody can spend more until it is given
 * back; the caller has it. False, if that may be: a sequence is gone with the extension, or left behind by a restore.
 */
extern bool pegs_read_spent(const PegsAccount *account, LOCKMODE lock, bool missing_ok, PegsBought *spent);

/* What the ledger's lines say was spent: never more than the account, unless somebody set that back. */
extern PegsAmounts pegs_recorded(Oid source);
extern bool pegs_is_uncovered(Oid source);

/*
 * A charge could be rolled back with what this transaction has made or changed; a copy is not charged. The account is the
 * budget of `source`, or the cap of a grant: then source is InvalidOid.
 */
extern bool pegs_is_new_sequence(Relation sequence);
extern void pegs_refuse_new_sequence(Oid source, const PegsAccount *account, Relation sequence);
extern void pegs_refuse_changed(Oid source, const PegsAccount *account);
extern void pegs_refuse_copied(Oid source, const PegsAccount *account, const PegsBought *spent, const PegsBill *bill);	/* for the hint: of what is charged; or NULL */

/* ---- left.c: is so much left, and may it be spent here ---- */

extern void pegs_refuse_where_nothing_can_be_written(void);
extern void pegs_refuse_where_nothing_can_be_noted(void);	/* a line that charges nothing */
extern void pegs_require_left(Oid source, const PegsAccount *account, const PegsBought *spent, const PegsBill *bill);
extern void pegs_require_share(const PegsAccount *cap, int64 spent, int64 epsilon);
/* recorded is what pegs_recorded says: read before what is spent, or behind the chargers' lock. */
extern void pegs_refuse_set_back(Oid source, const PegsAccount *account, const PegsAmounts *recorded, const PegsBought *spent);

/* ---- ledger.c: what moves an account; the charge itself is in budget.h ---- */

/*
 * Moves what is spent forward to there, for good: the caller holds the chargers' lock. Nothing may be given for it before
 * pegs_make_durable, which waits for the disk and the synchronous standbys, without that lock. InvalidOid: no cap.
 * advanced, or NULL: is told once nothing takes it back, before it is durable.
 */
extern void pegs_advance(const PegsAccount *account, const PegsAmounts *from, const PegsAmounts *to,
						 Oid cap_sequence, int64 cap_to, bool *advanced);
extern void pegs_make_durable(void);

/* One line of the ledger, and where it is: rolled back with its transaction, as a charge is not. amounts NULL: it charges nothing. */
extern ItemPointerData pegs_ledger_line(Oid account, const char *action, const char *object, const PegsBought *bought,
									   const PegsAmounts *amounts, const char *reason);

/* ---- stays.c: what was charged is said when its transaction fails at its end ---- */

extern bool *pegs_will_stay(const char *words);	/* before a charge; to be set when it was made */

/* ---- hands.c: who but the extension's owner could change an account ---- */

extern void pegs_refuse_hands(Oid sequence);
extern void pegs_refuse_hands_on_tables(void);	/* all in which an account, or what it is known by, could be lost */
extern void pegs_strip_rights(Oid relid);	/* what a new relation got by default privileges */

/* ---- budget.c: setting budgets ---- */

/* Called once, when the library is loaded: a changed total is held against what is spent when its transaction commits. */
extern void pegs_watch_commits(void);

/* ---- bind.c: tables bound to the account of another ---- */

/* Called once, when the library is loaded: whether anything was spent meanwhile is asked when a binding commits. */
extern void pegs_watch_bindings(void);

/* ---- mark.c: what is kept where its account is ---- */

extern void pegs_record_marks(Oid source);

/* ---- place.c: is this the place where the budget was kept? ---- */

extern const char *pegs_copied_from(const PegsPlace *place);	/* in words; NULL: it was kept here */
extern void pegs_record_place(Oid source);	/* from now on it is kept here */
extern void pegs_define_after_promotion(void);	/* the setting; once, when the library is loaded */

/* After an UPDATE of one row of pegs_internal.budget: the transaction's snapshot may be too old to see it. */
extern void pegs_require_one_budget(void);

#endif							/* PEGS_ACCOUNT_H */
