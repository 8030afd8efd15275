/*
 * budget.c
 *	  Setting budgets, and showing what is spent of them.
 *
 * The sequences of a budget are owned by the extension's owner but are not
 * members of the extension: pg_dump keeps them with their value, where it
 * would drop a member that was made after CREATE EXTENSION. Where a budget is
 * kept is written down with it (place.c), so that a copy can be told.
 *
 * Nobody who charges waits for a transaction that sets a budget. Until it
 * commits, charges are held against the total that is committed; its own is
 * held against what is spent when it commits, behind the lock of the chargers,
 * which it then keeps until others can see it. So a raise that is not
 * committed buys nothing; a total is never less than what is spent before it
 * counts; and a charge that came in between makes the COMMIT of a lowering
 * fail: set to what was spent, it stops all spending or says that it did not.
 */
#include "budget/account.h"
#include "budget/budget.h"
#include "source/source.h"

#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "nodes/pg_list.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* pegs_internal.spent(source regclass, of_delta boolean) → bigint, in units; NULL unless the caller is its curator. */
PG_FUNCTION_INFO_V1(pegs_spent);
Datum
pegs_spent(PG_FUNCTION_ARGS)
{
	PegsAccount		account;
	Oid			source = PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0);
	Relation	rel;
	int64		spent;

	if (!OidIsValid(source) || PG_ARGISNULL(1) || !pegs_is_curator(source) || !pegs_read_budget(source, &account))
		PG_RETURN_NULL();
	rel = try_relation_open(PG_GETARG_BOOL(1) ? account.delta_sequence : account.epsilon_sequence, AccessShareLock);
	if (rel == NULL)
		PG_RETURN_NULL();		/* a restore has left it behind */
	spent = pegs_spent_of(rel);
	relation_close(rel, AccessShareLock);
	PG_RETURN_INT64(spent);
}

static void
create_budget(Oid source, int64 epsilon, int64 delta)
{
	PegsAs		saved;
	int64		id;
	char	   *names[2];
	PegsArg		args[6];

	pegs_begin_as_extension(&saved);
	id = pegs_next_id();
	names[0] = psprintf("epsilon_" INT64_FORMAT, id);
	names[1] = psprintf("delta_" INT64_FORMAT, id);
	pegs_create_sequence(names[0]);
	pegs_create_sequence(names[1]);
	args[0] = (PegsArg) {REGCLASSOID, ObjectIdGetDatum(source), false};
	args[1] = (PegsArg) {INT8OID, Int64GetDatum(epsilon), false};
	args[2] = (PegsArg) {INT8OID, Int64GetDatum(delta), false};
	args[3] = (PegsArg) {REGCLASSOID, ObjectIdGetDatum(pegs_internal_relation(names[0])), false};
	args[4] = (PegsArg) {REGCLASSOID, ObjectIdGetDatum(pegs_internal_relation(names[1])), false};
	args[5] = (PegsArg) {INT8OID, Int64GetDatum(id), false};
	/* the place is written down next; none of its columns may be null */
	pegs_spi("INSERT INTO pegs_internal.budget (source, epsilon, delta, epsilon_spent, delta_spent, id, system_identifier, timeline, database)"
			 " VALUES ($1, $2, $3, $4, $5, $6, 0, 0, 0)", SPI_OK_INSERT, 6, args);
	pegs_record_place(source);
	pegs_end_as(&saved);
}

/* ---- changing a total ---- */

/* Accounts whose total this transaction has changed; in its memory. */
static List *changed = NIL;

/* Both totals are set: who raises epsilon and forgets delta must read it here. */
static void
refuse_less_than_spent(Oid source, int64 epsilon, int64 delta, const PegsBought *spent)
{
	char	   *literal;

	if (epsilon >= spent->epsilon_from && delta >= spent->delta_from)
		return;
	literal = pegs_relation_literal(source);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the budget cannot be less than what is spent"),
			 errdetail("Spent are epsilon %s and delta %s.", pegs_units_text(spent->epsilon_from, 9),
					   pegs_units_text(spent->delta_from, 18)),
			 literal ? errhint("Both totals are set at each call, and to what is spent at least: %s",
							   pegs_budget_command(literal, Max(epsilon, spent->epsilon_from), Max(delta, spent->delta_from)))
			 : 0));
}

/* The total that is about to be committed, if it still is, against what was spent meanwhile. */
static void
check_changed(Oid source)
{
	PegsAccount account;
	PegsBought	spent;

	if (!pegs_keeps("budget", NULL))
		return;					/* DROP EXTENSION in this transaction */
	if (!pegs_read_budget(source, &account) || !account.changed_here)
		return;					/* rolled back to a savepoint */
	if (pegs_read_spent(&account, ShareUpdateExclusiveLock, true, &spent))
		refuse_less_than_spent(source, account.total_epsilon, account.total_delta, &spent);
}

static void
at_commit(XactEvent event, void *arg)
{
	ListCell   *cell;

	switch (event)
	{
		case XACT_EVENT_PRE_COMMIT:
			foreach(cell, changed)
				check_changed(lfirst_oid(cell));
			break;
		case XACT_EVENT_PRE_PREPARE:
			if (changed != NIL)
				ereport(ERROR,
						(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						 errmsg("a transaction that has changed a privacy budget cannot be prepared"),
						 errdetail("All charges of the account would wait until somebody ends it."),
						 errhint("It is rolled back. Set the budget in a transaction of its own, and end that by COMMIT.")));
			break;
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PREPARE:
			changed = NIL;		/* its memory goes with the transaction */
			break;
		default:
			break;
	}
}

void
pegs_watch_commits(void)
{
	RegisterXactCallback(at_commit, NULL);
}

static void
change_budget(Oid source, int64 epsilon, int64 delta, PegsBought *spent)
{
	PegsAccount account;
	PegsAs		saved;
	PegsArg		args[3] = {
		{REGCLASSOID, ObjectIdGetDatum(source), false},
		{INT8OID, Int64GetDatum(epsilon), false},
		{INT8OID, Int64GetDatum(delta), false}
	};
	MemoryContext old;

	/* waits for whoever changes this account now, with no lock in hand that chargers need */
	pegs_begin_as_extension(&saved);
	pegs_spi("UPDATE pegs_internal.budget SET epsilon = $2, delta = $3 WHERE source = $1", SPI_OK_UPDATE, 3, args);
	pegs_require_one_budget();
	if (!pegs_read_budget(source, &account))
		pegs_no_budget(source, 0, 0);
	/* said again at home: known by its files on this timeline, and by the row of the database as it is now */
	if (account.copied_from == NULL && pegs_keeps("budget", "home"))
		pegs_record_place(source);
	pegs_end_as(&saved);

	old = MemoryContextSwitchTo(TopTransactionContext);
	changed = list_append_unique_oid(changed, source);
	MemoryContextSwitchTo(old);
	/* asked now for a friendly answer; what counts is asked again at COMMIT */
	if (pegs_read_spent(&account, AccessShareLock, true, spent))
		refuse_less_than_spent(source, epsilon, delta, spent);
}

/*
 * A table that has spent under an account of its own and was attached to this
 * one since: its rows have cost what was spent there, and cost what is spent
 * here. One warning, whatever the number of parts.
 */
void
pegs_warn_of_parts(Oid source)
{
	List	   *parts = find_all_inheritors(source, NoLock, NULL);
	ListCell   *cell;

	foreach(cell, parts)
	{
		Oid			part = lfirst_oid(cell);
		PegsAccount account;
		PegsBought	spent;

		if (part == source || !pegs_read_budget(part, &account) || !pegs_read_spent(&account, AccessShareLock, true, &spent)
			|| (spent.epsilon_from == 0 && spent.delta_from == 0))
			continue;
		ereport(WARNING,
				(errmsg("table \"%s\" has spent under an account of its own before it became a part of \"%s\"",
						get_rel_name(part), get_rel_name(source)),
				 errdetail("Its rows cost both: what was spent there, and what is spent here. No certificate adds them up."),
				 errhint("Leave as much unspent here: SELECT source, spent, delta_spent FROM pegs_budgets; pegs_health() names all such tables.")));
		return;
	}
}

/* pegs_set_budget(source regclass, epsilon double precision, delta double precision DEFAULT 0) */
PG_FUNCTION_INFO_V1(pegs_set_budget);
Datum
pegs_set_budget(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "set its privacy budget");
	int64		epsilon = pegs_arg_epsilon(fcinfo, 1, "epsilon");
	int64		delta = pegs_arg_delta(fcinfo, 2, "delta");
	PegsAccount	account;
	PegsBought	interval = {0};
	bool		exists;

	if (epsilon == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("epsilon must not be null"),
				 errhint("SELECT pegs_set_budget(%s, epsilon => 1);", pegs_relation_literal(source->account))));
	pegs_say_large_delta(delta);
	if (RecoveryInProgress() || XactReadOnly)
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("a privacy budget cannot be set in a read-only transaction"),
				 errhint("Use a read-write transaction.")));
	exists = pegs_read_budget(source->account, &account);
	if (!exists)
	{
		/* two who make the same account wait for each other; others make theirs meanwhile */
		LockDatabaseObject(pegs_internal_relation("budget"), source->account, 0, ExclusiveLock);
		exists = pegs_read_budget(source->account, &account);
	}
	if (exists)
		change_budget(source->account, epsilon, delta, &interval);
	else
		create_budget(source->account, epsilon, delta);
	if (exists && delta == 0 && account.total_delta > 0)
		ereport(NOTICE,
				(errmsg("the budget has no delta any more: it was %s", pegs_units_text(account.total_delta, 18)),
				 errhint("Both totals are set at each call: %s",
						 pegs_budget_command(pegs_relation_literal(source->account), epsilon, account.total_delta))));
	interval.epsilon_left = epsilon - interval.epsilon_from;
	pegs_ledger_line(source->account, "budget", NULL, &interval, 0, 0, NULL);
	pegs_warn_of_parts(source->account);
	pegs_note_origin(source->account);
	PG_RETURN_VOID();
}
