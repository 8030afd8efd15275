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
#include "budget/bound.h"
#include "budget/budget.h"
#include "source/source.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "nodes/pg_list.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "core/epsilon.h"

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

/*
 * pegs_internal.in_rho(source regclass, OUT total bigint, OUT spent bigint, OUT epsilon bigint, OUT delta bigint): of an account
 * in rho, for its curators: units of 2^-50, and what is spent as an epsilon, at which delta; else NULLs.
 */
PG_FUNCTION_INFO_V1(pegs_in_rho_sql);
Datum
pegs_in_rho_sql(PG_FUNCTION_ARGS)
{
	Oid			source = PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0);
	PegsAccount account;
	PegsBought	spent;
	TupleDesc	desc;
	Datum		values[4] = {0};
	bool		nulls[4] = {true, true, true, true};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "a row was expected");
	if (OidIsValid(source) && pegs_is_curator(source) && pegs_read_budget(source, &account) && pegs_in_rho(&account)
		&& pegs_read_spent(&account, AccessShareLock, true, &spent))
	{
		memset(nulls, false, sizeof(nulls));
		values[0] = Int64GetDatum(pegs_total_rho(&account));
		values[1] = Int64GetDatum(spent.from.rho);
		values[2] = Int64GetDatum(pegs_epsilon_spent(&account, &spent.from));
		values[3] = Int64GetDatum(pegs_rho_delta(&account));
	}
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}

/* ---- a new account ---- */

typedef enum Accounting
{
	NOT_SAID,
	OF_SUMS,
	IN_RHO
} Accounting;

static const char *
accounting_word(Accounting accounting)
{
	return accounting == IN_RHO ? "zcdp" : "sum";
}

static void
create_budget(Oid source, int64 epsilon, int64 delta, Accounting accounting)
{
	static const char *const of[] = {"epsilon", "delta", "rho"};
	PegsAs		saved;
	int64		id;
	PegsArg		args[7] = {
		{REGCLASSOID, ObjectIdGetDatum(source), false},
		{INT8OID, Int64GetDatum(epsilon), false},
		{INT8OID, Int64GetDatum(delta), false}
	};
	int			n = accounting == IN_RHO ? 3 : 2;

	pegs_begin_as_extension(&saved);
	id = pegs_next_id();
	args[3] = (PegsArg) {INT8OID, Int64GetDatum(id), false};
	for (int i = 0; i < n; i++)
	{
		char	   *name = psprintf("%s_" INT64_FORMAT, of[i], id);

		pegs_create_sequence(name);
		args[4 + i] = (PegsArg) {REGCLASSOID, ObjectIdGetDatum(pegs_internal_relation(name)), false};
	}
	/* the place is written down next; none of its columns may be null. The last column is new after 0.2.0 */
	if (accounting == IN_RHO)
		pegs_spi("INSERT INTO pegs_internal.budget (source, epsilon, delta, id, epsilon_spent, delta_spent, rho_spent, system_identifier, timeline, database)"
				 " VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0, 0)", SPI_OK_INSERT, 7, args);
	else
		pegs_spi("INSERT INTO pegs_internal.budget (source, epsilon, delta, id, epsilon_spent, delta_spent, system_identifier, timeline, database)"
				 " VALUES ($1, $2, $3, $4, $5, $6, 0, 0, 0)", SPI_OK_INSERT, 6, args);
	pegs_record_place(source);
	pegs_end_as(&saved);
}

/* ---- changing a total ---- */

/* Accounts whose total this transaction has changed; in its memory. */
static List *changed = NIL;

/* Totals that have what is spent: at least those that were meant. */
static char *
enough_command(const char *literal, PegsAccount enough, const PegsAmounts *spent)
{
	enough.total_delta = Max(enough.total_delta, pegs_least_delta(&enough, spent->delta));
	return pegs_budget_command(literal, Max(enough.total_epsilon, pegs_epsilon_spent(&enough, spent)), enough.total_delta, NULL);
}

/* Both totals are set: who raises epsilon and forgets delta must read it here. account has those that are meant. */
static void
refuse_less_than_spent(Oid source, const PegsAccount *account, const PegsBought *spent)
{
	char	   *literal;

	if (pegs_is_within(account, &spent->from))
		return;
	literal = pegs_relation_literal(source);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the budget cannot be less than what is spent"),
			 pegs_in_rho(account) ? errdetail("Spent are rho %s and, for learning levels, delta %s.", pegs_rho_text(spent->from.rho),
											  pegs_units_text(spent->from.delta, 18))
			 : errdetail("Spent are epsilon %s and delta %s.", pegs_units_text(spent->from.epsilon, 9),
						 pegs_units_text(spent->from.delta, 18)),
			 literal ? errhint("Both totals are set at each call, and to what is spent at least: %s",
							   enough_command(literal, *account, &spent->from))
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
		refuse_less_than_spent(source, &account, &spent);
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
	{
		pegs_record_place(source);
		pegs_record_marks(source);
	}
	pegs_end_as(&saved);

	old = MemoryContextSwitchTo(TopTransactionContext);
	changed = list_append_unique_oid(changed, source);
	MemoryContextSwitchTo(old);
	/* asked now for a friendly answer; what counts is asked again at COMMIT */
	if (pegs_read_spent(&account, AccessShareLock, true, spent))
		refuse_less_than_spent(source, &account, spent);
	else
		spent->epsilon_left = epsilon;
}

/*
 * A table that has spent under an account of its own and was attached to this
 * one since: its rows have cost what was spent there, and cost what is spent
 * here. Or they were read there without a guarantee. One warning, of the first
 * such part: pegs_health names all.
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
		bool		paid;

		if (part == source || !pegs_read_budget(part, &account) || !pegs_read_spent(&account, AccessShareLock, true, &spent))
			continue;
		paid = spent.from.epsilon > 0 || spent.from.delta > 0 || spent.from.rho > 0;
		if (!paid && !pegs_is_uncovered(part))
			continue;
		ereport(WARNING,
				(paid ? errmsg("table \"%s\" has spent under an account of its own before it became a part of \"%s\"",
							   get_rel_name(part), get_rel_name(source))
				 : errmsg("rows of table \"%s\" were read without a guarantee before it became a part of \"%s\"",
						  get_rel_name(part), get_rel_name(source)),
				 paid ? errdetail("Its rows cost both: what was spent there, and what is spent here. No certificate adds them up.")
				 : errdetail("Its account says so, and this one does not. What is spent here is a guarantee of the other rows alone."),
				 !paid ? errhint("SELECT * FROM pegs_ledger WHERE source = %s::regclass AND action ~ 'uncovered'; names what was read.", pegs_relation_literal(part))
				 : errhint("Leave as much unspent here: SELECT source, spent, delta_spent FROM pegs_budgets; pegs_health() names all such tables.")));
		return;
	}
}

static Accounting
arg_accounting(FunctionCallInfo fcinfo, int n)
{
	char	   *word = pegs_arg_text(fcinfo, n, "accounting");

	if (strcmp(word, "sum") != 0 && strcmp(word, "zcdp") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("accounting must be 'zcdp' or 'sum', not \"%s\"", pegs_clipped(word)),
				 errdetail("zcdp: charges are added up in rho, and turned into epsilon once. sum: epsilon and delta are added up."),
				 errhint("Leave it out: with delta it is zcdp, without it is sum.")));
	return strcmp(word, "sum") == 0 ? OF_SUMS : IN_RHO;
}

/* The kind of an account is fixed when it is made: what was charged by one filter is no charge of another. */
static void
refuse_other_kind(const PegsSource *source, const PegsAccount *account, Accounting accounting, int64 epsilon, int64 delta)
{
	Accounting	is = pegs_in_rho(account) ? IN_RHO : OF_SUMS;
	char	   *literal = pegs_relation_literal(source->account);

	if (accounting != NOT_SAID && accounting != is)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the budget is kept as '%s', and stays so", accounting_word(is)),
				 errdetail("How it is kept was fixed when it was first set."),
				 errhint("Leave accounting out: %s", pegs_budget_command(literal, epsilon, is == IN_RHO && delta == 0 ? account->total_delta : delta, NULL))));
	if (is == IN_RHO && delta == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the budget is kept in rho (zcdp): it must have a delta"),
				 errdetail("What is spent is an epsilon at that delta."),
				 errhint("Both totals are set at each call: %s", pegs_budget_command(literal, epsilon, account->total_delta, NULL))));
}

/* What a new account is, if it was not said: in rho, if it has a delta. With the SQL of 0.2.0 there are sums alone. */
static Accounting
accounting_of_new(const PegsSource *source, Accounting accounting, int64 epsilon, int64 delta)
{
	if (accounting == IN_RHO && delta == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a budget that is kept in rho (zcdp) must have a delta"),
				 errdetail("What is spent is an epsilon at that delta."),
				 errhint("%s", pegs_budget_command(pegs_relation_literal(source->account), epsilon, PEGS_DELTA_UNIT / 1000000000, NULL))));
	if (accounting == NOT_SAID)
		return delta > 0 && pegs_keeps("budget", "rho_spent") ? IN_RHO : OF_SUMS;
	return accounting;
}

/* A table that is bound to another has no budget of its own. Asked again behind the lock of those who make one. */
static void
refuse_bound(const PegsSource *source, int64 epsilon, int64 delta)
{
	Oid			payer = pegs_payer(source->account);

	if (payer == source->account)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("rows of table \"%s\" belong to rows of another table, whose account pays", get_rel_name(source->account)),
			 OidIsValid(payer) ? errhint("%s", pegs_budget_command(pegs_relation_literal(payer), epsilon, delta, NULL))
			 : errdetail("That table was dropped: what was spent on these rows is not known any more.")));
}

/* pegs_set_budget(source regclass, epsilon double precision, delta double precision DEFAULT 0, accounting text DEFAULT NULL) */
PG_FUNCTION_INFO_V1(pegs_set_budget);
Datum
pegs_set_budget(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "set its privacy budget");
	int64		epsilon = pegs_arg_epsilon(fcinfo, 1, "epsilon");
	int64		delta = pegs_arg_delta(fcinfo, 2, "delta");
	Accounting	accounting = NOT_SAID;
	PegsAccount	account;
	PegsBought	interval = {0};
	bool		exists;

	if (epsilon == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("epsilon must not be null"),
				 errhint("SELECT pegs_set_budget(%s, epsilon => 1);", pegs_relation_literal(source->account))));
	/* new after 0.2.0 */
	if (PG_NARGS() > 3 && !PG_ARGISNULL(3))
		accounting = arg_accounting(fcinfo, 3);
	pegs_say_large_delta(delta);
	if (RecoveryInProgress() || XactReadOnly)
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("a privacy budget cannot be set in a read-only transaction"),
				 errhint("Use a read-write transaction.")));
	refuse_bound(source, epsilon, delta);
	pegs_citus_require_coordinator(source->account);
	exists = pegs_read_budget(source->account, &account);
	if (!exists)
	{
		/* two who make the same account wait for each other; others make theirs meanwhile */
		LockDatabaseObject(pegs_internal_relation("budget"), source->account, 0, ExclusiveLock);
		exists = pegs_read_budget(source->account, &account);
		refuse_bound(source, epsilon, delta);
	}
	interval.epsilon_left = epsilon;
	if (exists)
	{
		refuse_other_kind(source, &account, accounting, epsilon, delta);
		change_budget(source->account, epsilon, delta, &interval);
		pegs_warn_of_alike(source->account);
	}
	else
	{
		pegs_require_unpaid(source->account);
		create_budget(source->account, epsilon, delta, accounting_of_new(source, accounting, epsilon, delta));
		pegs_warn_of_taken(source->account);
	}
	if (exists && delta == 0 && account.total_delta > 0)
		ereport(NOTICE,
				(errmsg("the budget has no delta any more: it was %s", pegs_units_text(account.total_delta, 18)),
				 errhint("Both totals are set at each call: %s",
						 pegs_budget_command(pegs_relation_literal(source->account), epsilon, account.total_delta, NULL))));
	if (exists && account.copied_from)
		ereport(NOTICE,
				(errmsg("the budget is a copy: nothing can be spent here until a superuser has stated what may be (pegs_adopt)"),
				 errdetail("It was kept %s.", account.copied_from),
				 errhint("What is spent in all copies together must not be more than was left when they parted.")));
	if (source->relid != source->account)
		ereport(NOTICE,
				(errmsg("\"%s\" has no account of its own: this is the budget of \"%s\" now", get_rel_name(source->relid), get_rel_name(source->account)),
				 errdetail("Its rows are those of that table, and are paid for once.")));
	pegs_ledger_line(source->account, "budget", NULL, &interval, NULL, NULL);
	pegs_warn_of_parts(source->account);
	pegs_note_origin(source->account);
	PG_RETURN_VOID();
}
