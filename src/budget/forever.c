/*
 * forever.c
 *	  A line of the ledger that no ROLLBACK takes away.
 *
 * Rows without a guarantee are seen before their transaction ends, so the line
 * that says so must not end with it. Nothing is charged, so there is no sequence
 * whose gap would tell. The line is written as every other, into all its indexes.
 * Then, by one record of the WAL, its row is frozen: it is there for everybody
 * from now on, whatever becomes of its transaction. Whoever is stopped before
 * that leaves a row that was never there, not one that its indexes do not know.
 * The record is flushed before we return. Law L2.
 *
 * An account that this transaction has made goes with it, and so does its line.
 * One that it has changed only stays, with its line.
 */
#include "budget/account.h"
#include "budget/bound.h"
#include "budget/budget.h"
#include "source/source.h"

#include "access/generic_xlog.h"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

/* A file that ends with this transaction, of the ledger or of an index: what was there before would not have the line. */
static void
refuse_new_file(Relation rel)
{
	if (pegs_is_new_sequence(rel))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the ledger was written anew in this transaction"),
				 errdetail("That rows without a guarantee were given could be rolled back with it."),
				 errhint("COMMIT first.")));
}

static void
refuse_new_files(Relation rel)
{
	List	   *indexes = RelationGetIndexList(rel);
	ListCell   *cell;

	refuse_new_file(rel);
	foreach(cell, indexes)
	{
		Relation	index = index_open(lfirst_oid(cell), AccessShareLock);

		refuse_new_file(index);
		index_close(index, NoLock);
	}
}

/* A row that this transaction has just inserted. */
static void
freeze_row(Relation rel, ItemPointer place)
{
	Buffer		buffer = ReadBuffer(rel, ItemPointerGetBlockNumber(place));
	GenericXLogState *state;
	Page		page;
	ItemId		item;
	HeapTupleHeader row;

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	state = GenericXLogStart(rel);
	page = GenericXLogRegisterBuffer(state, buffer, 0);
	item = PageGetItemId(page, ItemPointerGetOffsetNumber(place));
	row = ItemIdIsNormal(item) ? (HeapTupleHeader) PageGetItem(page, item) : NULL;
	/* what is kept elsewhere would be rolled back; no name is as long */
	if (row == NULL || !TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetRawXmin(row))
		|| (row->t_infomask & (HEAP_XMAX_INVALID | HEAP_HASEXTERNAL)) != HEAP_XMAX_INVALID)
		elog(ERROR, "a line of the ledger is not where it was written");
	HeapTupleHeaderSetXminFrozen(row);
	(void) GenericXLogFinish(state);
	UnlockReleaseBuffer(buffer);
}

/* Rows without a guarantee, before they are given. */
void
pegs_note_uncovered_for_ever(Oid source, const char *action, const char *object, const char *reason)
{
	PegsAccount account;
	PegsBought	bought;
	ItemPointerData place;
	Relation	sequence;
	Relation	ledger;

	pegs_refuse_where_nothing_can_be_noted();
	pegs_citus_require_coordinator(source);
	source = pegs_payer(source);
	pegs_citus_require_coordinator(source);
	if (!pegs_read_budget(source, &account))
		pegs_no_budget(source, 0, 0);
	pegs_require_there(source);
	(void) pegs_read_spent(&account, AccessShareLock, false, &bought);
	place = pegs_ledger_line(source, action, object, &bought, NULL, reason);
	sequence = pegs_open_sequence(account.epsilon_sequence, AccessShareLock);
	if (!pegs_is_new_sequence(sequence))
	{
		ledger = table_open(pegs_internal_relation("ledger"), RowExclusiveLock);
		refuse_new_files(ledger);
		freeze_row(ledger, &place);
		table_close(ledger, NoLock);
		pegs_make_durable();
	}
	relation_close(sequence, NoLock);
}
