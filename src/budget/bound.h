/*
 * bound.h
 *	  Tables whose rows belong to those of another table: which account pays.
 */
#ifndef PEGS_BOUND_H
#define PEGS_BOUND_H

#include "budget/account.h"

#include "access/attnum.h"
#include "nodes/pg_list.h"

#define PEGS_MAX_GENERATIONS 8	/* tables below a root, one below the other */

/* what there is to do, in hints */
#define PEGS_ROOT_IS_GONE "Copy the rows that are still needed into a new table, and leave as much unspent there."

/* A row of pegs_internal.parent, as it is now. */
typedef struct PegsBound
{
	Oid			child;
	bool		found;
	bool		is;				/* bound; false: it was, and is no more */
	Oid			parent;			/* InvalidOid: it was dropped */
	bool		changed_here;	/* made or changed by this transaction */
	bool		restored;		/* from a dump: what it says of a table that is gone is a number, which may be another's here */
	int			n;				/* columns of the foreign key */
	char	   *column[INDEX_MAX_KEYS];	/* as they were called */
	AttrNumber	attnum[INDEX_MAX_KEYS];	/* 0: there is no such column any more */
	Oid			root;			/* when it was bound, */
	PegsAmounts then;			/* and what was spent of its account */
	TransactionId made;			/* which made or changed the row; InvalidTransactionId: there is none */
} PegsBound;

/* ---- bound.c: who pays ---- */

extern bool pegs_read_bound(Oid child, PegsBound *bound);
extern Oid	pegs_payer_of(const PegsBill *bill);	/* for a charge, now; or an error */
extern List *pegs_note_counted(List *counted, Oid table);	/* how it is bound now, before its rows are counted */
extern void pegs_require_counted(const PegsBill *bill);	/* behind the chargers' lock: is it bound so now? */

/* What such a charge protects, as the ledger says it: of tables that are bound to that one. Whoever compares units takes it for a row of the one that pays. */
extern char *pegs_unit_of_bound(Oid root, const char *others);

/* ---- bind.c: tables are bound, and let go ---- */

/* A row of the child, which was found bound so, is a part of the row of the parent that these columns of it name. Both are base tables, locked. */
extern void pegs_bind(const PegsBound *before, Oid parent, int n, const AttrNumber *attnums, const int *children, int nchildren, int at_most);
extern void pegs_refuse_circle(Oid child, Oid parent);	/* an error, if the child is above the parent */
extern void pegs_unbind(const PegsBound *bound);
extern void pegs_require_unspent(Oid child);	/* an error, if it could not be bound whatever else is done */
extern bool pegs_may_be_bound(Oid child);	/* likewise, without a word: for remedies */
extern bool pegs_may_let_go(Oid child);

#endif							/* PEGS_BOUND_H */
