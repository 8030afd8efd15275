/*
 * forever.c
 *	  A line of the ledger that no ROLLBACK takes away.
 *
 * Rows without a guarantee are seen before their transaction ends, so the line
 * that says so must not end with it. Nothing is charged, so there is no sequence
 * whose gap would tell. The row is written as COPY ... FREEZE writes its own: it
 * is there for everybody from now on, whatever becomes of its transaction. Its
 * WAL is flushed before we return. An account that this transaction has made goes
 * with it, and so does its line; one that it has only changed stays, and is
 * refused, as for a charge. Law L2.
 */
#include "budget/account.h"
#include "budget/budget.h"

#include "access/heapam.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

/* Into the indexes that the row belongs to. */
static void
index_row(Relation rel, HeapTuple tuple)
{
	EState	   *estate = CreateExecutorState();
	TupleTableSlot *slot = MakeSingleTupleTableSlot(RelationGetDescr(rel), &TTSOpsHeapTuple);
	List	   *indexes = RelationGetIndexList(rel);
	ListCell   *cell;

	ExecStoreHeapTuple(tuple, slot, false);
	slot->tts_tid = tuple->t_self;
	GetPerTupleExprContext(estate)->ecxt_scantuple = slot;
	foreach(cell, indexes)
	{
		Relation	index = index_open(lfirst_oid(cell), RowExclusiveLock);
		IndexInfo  *info = BuildIndexInfo(index);
		Datum		values[INDEX_MAX_KEYS];
		bool		nulls[INDEX_MAX_KEYS];

		if (info->ii_Predicate == NIL || ExecQual(ExecPrepareQual(info->ii_Predicate, estate), GetPerTupleExprContext(estate)))
		{
			FormIndexDatum(info, slot, estate, values, nulls);
			(void) index_insert(index, values, nulls, &tuple->t_self, rel,
								index->rd_index->indisunique ? UNIQUE_CHECK_YES : UNIQUE_CHECK_NO, false, info);
		}
		index_close(index, RowExclusiveLock);
	}
	ExecDropSingleTupleTableSlot(slot);
	FreeExecutorState(estate);
}

static void
set_column(Relation rel, Datum *values, bool *nulls, const char *name, Datum value)
{
	TupleDesc	desc = RelationGetDescr(rel);

	for (int i = 0; i < desc->natts; i++)
		if (!TupleDescAttr(desc, i)->attisdropped && strcmp(NameStr(TupleDescAttr(desc, i)->attname), name) == 0)
		{
			values[i] = value;
			nulls[i] = false;
			return;
		}
}

/* An account that goes with this transaction: nothing of it was there before. */
static bool
is_made_here(const PegsAccount *account)
{
	Relation	sequence = table_open(account->epsilon_sequence, AccessShareLock);
	bool		made = sequence->rd_createSubid != InvalidSubTransactionId;

	table_close(sequence, NoLock);
	return made;
}

/* Rows without a guarantee, before they are given. */
void
pegs_note_uncovered_for_ever(Oid source, const char *action, const char *object, const char *reason)
{
	PegsAccount account;
	PegsBought	bought;
	Relation	rel;
	Datum	   *values;
	bool	   *nulls;
	HeapTuple	tuple;
	PegsAs		saved;

	if (!pegs_read_budget(source, &account))
		pegs_no_budget(source, 0, 0);
	pegs_refuse_where_nothing_can_be_noted();
	if (account.changed_here)
	{
		if (!is_made_here(&account))
			pegs_refuse_changed(source, &account);
		pegs_note_uncovered(source, action, object, reason);
		return;
	}
	(void) pegs_read_spent(&account, AccessShareLock, false, &bought);
	rel = table_open(pegs_internal_relation("ledger"), RowExclusiveLock);
	values = palloc0(sizeof(Datum) * RelationGetDescr(rel)->natts);
	nulls = palloc(sizeof(bool) * RelationGetDescr(rel)->natts);
	memset(nulls, true, sizeof(bool) * RelationGetDescr(rel)->natts);
	set_column(rel, values, nulls, "role", CStringGetTextDatum(GetUserNameFromId(GetUserId(), false)));
	pegs_begin_as_extension(&saved);
	set_column(rel, values, nulls, "id", Int64GetDatum(pegs_next_id()));
	set_column(rel, values, nulls, "at", TimestampTzGetDatum(GetCurrentTimestamp()));
	set_column(rel, values, nulls, "source", ObjectIdGetDatum(source));
	set_column(rel, values, nulls, "deed", CStringGetTextDatum(action));	/* so called in pegs_internal.ledger */
	set_column(rel, values, nulls, "object", CStringGetTextDatum(object));
	set_column(rel, values, nulls, "epsilon_from", Int64GetDatum(bought.from.epsilon));
	set_column(rel, values, nulls, "epsilon_to", Int64GetDatum(bought.from.epsilon));
	set_column(rel, values, nulls, "delta_from", Int64GetDatum(bought.from.delta));
	set_column(rel, values, nulls, "delta_to", Int64GetDatum(bought.from.delta));
	set_column(rel, values, nulls, "epsilon_left", Int64GetDatum(bought.epsilon_left));
	set_column(rel, values, nulls, "reason", CStringGetTextDatum(reason));
	if (bought.from.rho > 0)
	{
		set_column(rel, values, nulls, "rho_from", Int64GetDatum(bought.from.rho));
		set_column(rel, values, nulls, "rho_to", Int64GetDatum(bought.from.rho));
	}
	tuple = heap_form_tuple(RelationGetDescr(rel), values, nulls);
	heap_insert(rel, tuple, GetCurrentCommandId(true), HEAP_INSERT_FROZEN, NULL);
	index_row(rel, tuple);
	pegs_end_as(&saved);
	table_close(rel, NoLock);
	CommandCounterIncrement();
	pegs_make_durable();
}
