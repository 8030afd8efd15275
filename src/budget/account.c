/*
 * account.c
 *	  An account: its row, its sequences, and what is spent of it.
 *
 * A budget is a row of pegs_internal.budget, the cap of a grant one of
 * pegs_internal.access; both count what is spent in permanent sequences, epsilon
 * in units of 1e-9, delta in units of 1e-18, rho in units of 2^-50. Rows are read as they are now,
 * whatever the snapshot of the transaction.
 */
#include "budget/account.h"
#include "budget/budget.h"
#include "source/source.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "commands/sequence.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "core/epsilon.h"

/* ---- rows of pegs_internal.budget and pegs_internal.access ---- */

#if PG_VERSION_NUM < 160000
#define rd_firstRelfilelocatorSubid rd_firstRelfilenodeSubid
#define rd_newRelfilelocatorSubid rd_newRelfilenodeSubid
#endif

#define Anum_budget_source			1
#define Anum_budget_epsilon			2
#define Anum_budget_delta			3
#define Anum_budget_epsilon_spent	4
#define Anum_budget_delta_spent		5
#define Anum_budget_system			7
#define Anum_budget_timeline		8
#define Anum_budget_database		9
#define Anum_budget_sequence		10	/* new after 0.1.0 */
#define Anum_budget_home			11	/* new after 0.2.0 */
#define Anum_budget_entry			12
#define Anum_budget_rho_spent		13

#define Anum_ledger_source			4
#define Anum_ledger_deed			5
#define Anum_ledger_epsilon_to		8
#define Anum_ledger_delta_to		10
#define Anum_ledger_rho_to			15	/* new after 0.2.0 */

#define Anum_access_id				1
#define Anum_access_cap				5
#define Anum_access_cap_spent		6

static Datum
attribute(HeapTuple tuple, TupleDesc desc, int attnum)
{
	bool		isnull;
	Datum		value = heap_getattr(tuple, attnum, desc, &isnull);

	if (isnull)
		elog(ERROR, "unexpected null in pegs_internal");
	return value;
}

/* Where a budget was kept. A table that 0.1.0 made has no number of the sequence: it is `sequence` itself. */
static PegsPlace
place_of(HeapTuple tuple, TupleDesc desc, Oid sequence)
{
	PegsPlace	place = {
		.system_identifier = DatumGetCString(DirectFunctionCall1(numeric_out, attribute(tuple, desc, Anum_budget_system))),
		.timeline = DatumGetInt64(attribute(tuple, desc, Anum_budget_timeline)),
		.database = DatumGetObjectId(attribute(tuple, desc, Anum_budget_database)),
		.sequence = sequence,
		.kept = sequence,
		.keeps_home = desc->natts >= Anum_budget_entry,
		.entry = -1
	};
	bool		isnull;
	Datum		value;

	if (desc->natts >= Anum_budget_sequence)
	{
		value = heap_getattr(tuple, Anum_budget_sequence, desc, &isnull);
		place.kept = isnull ? InvalidOid : DatumGetObjectId(value);
	}
	if (place.keeps_home)
	{
		value = heap_getattr(tuple, Anum_budget_home, desc, &isnull);
		if (!isnull)
			place.home = TextDatumGetCString(value);
		value = heap_getattr(tuple, Anum_budget_entry, desc, &isnull);
		if (!isnull)
			place.entry = DatumGetInt64(value);
	}
	return place;
}

/* The sequence of an account in rho. A table of 0.2.0 or before has accounts of sums alone. */
static Oid
rho_sequence_of(HeapTuple tuple, TupleDesc desc)
{
	bool		isnull = true;
	Datum		value = desc->natts >= Anum_budget_rho_spent ? heap_getattr(tuple, Anum_budget_rho_spent, desc, &isnull) : (Datum) 0;

	return isnull ? InvalidOid : DatumGetObjectId(value);
}

/* The newest committed (or own) version of a row, whatever the transaction's snapshot: a scan without one, also beside parallel workers. */
static bool
read_account(const char *table, const char *index, RegProcedure equal, Datum key, PegsAccount *account)
{
	Relation	rel = table_open(pegs_internal_relation(table), AccessShareLock);
	TupleDesc	desc = RelationGetDescr(rel);
	ScanKeyData scankey;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		is_budget = strcmp(table, "budget") == 0;
	PegsPlace	place;

	memset(account, 0, sizeof(*account));
	ScanKeyInit(&scankey, 1, BTEqualStrategyNumber, equal, key);
	scan = systable_beginscan(rel, pegs_internal_relation(index), true, NULL, 1, &scankey);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		if (is_budget)
		{
			account->total_epsilon = DatumGetInt64(attribute(tuple, desc, Anum_budget_epsilon));
			account->total_delta = DatumGetInt64(attribute(tuple, desc, Anum_budget_delta));
			account->epsilon_sequence = DatumGetObjectId(attribute(tuple, desc, Anum_budget_epsilon_spent));
			account->delta_sequence = DatumGetObjectId(attribute(tuple, desc, Anum_budget_delta_spent));
			account->rho_sequence = rho_sequence_of(tuple, desc);
			place = place_of(tuple, desc, pegs_in_rho(account) ? account->rho_sequence : account->epsilon_sequence);
			account->copied_from = pegs_copied_from(&place);
		}
		else
		{
			account->total_epsilon = DatumGetInt64(attribute(tuple, desc, Anum_access_cap));
			account->epsilon_sequence = DatumGetObjectId(attribute(tuple, desc, Anum_access_cap_spent));
		}
		account->changed_here = TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data));
	}
	systable_endscan(scan);
	table_close(rel, NoLock);
	return OidIsValid(account->epsilon_sequence);
}

bool
pegs_read_budget(Oid source, PegsAccount *account)
{
	Oid			owner;

	/* the account of a dropped table is closed; another table's is not charged for it */
	memset(account, 0, sizeof(*account));
	if (pegs_is_dead(source, &owner) || pegs_was_another(source, &owner))
		return false;
	return read_account("budget", "budget_pkey", F_OIDEQ, ObjectIdGetDatum(source), account);
}

bool
pegs_read_cap(int64 grant, PegsAccount *account)
{
	return read_account("access", "access_pkey", F_INT8EQ, Int64GetDatum(grant), account);
}

/* The greatest of a column of an account's lines in the ledger, by its index; 0 before the ALTER EXTENSION UPDATE that brings the index. */
static int64
greatest_line(Oid source, const char *index, int attnum)
{
	Relation	rel;
	Relation	by;
	ScanKeyData scankey;
	SysScanDesc scan;
	HeapTuple	tuple;
	int64		greatest = 0;

	if (!pegs_keeps(index, NULL))
		return 0;
	rel = table_open(pegs_internal_relation("ledger"), AccessShareLock);
	by = index_open(pegs_internal_relation(index), AccessShareLock);
	ScanKeyInit(&scankey, Anum_ledger_source, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(source));
	scan = systable_beginscan_ordered(rel, by, NULL, 1, &scankey);
	tuple = systable_getnext_ordered(scan, BackwardScanDirection);
	if (HeapTupleIsValid(tuple))
		greatest = DatumGetInt64(attribute(tuple, RelationGetDescr(rel), attnum));
	systable_endscan_ordered(scan);
	index_close(by, AccessShareLock);
	table_close(rel, AccessShareLock);
	return greatest;
}

/* What the ledger's lines say was spent: never more than the account, unless somebody set that back. */
PegsAmounts
pegs_recorded(Oid source)
{
	return (PegsAmounts) {
		.epsilon = greatest_line(source, "ledger_epsilon", Anum_ledger_epsilon_to),
		.delta = greatest_line(source, "ledger_delta", Anum_ledger_delta_to),
		.rho = greatest_line(source, "ledger_rho", Anum_ledger_rho_to)
	};
}

/* Has anybody read rows of it without a guarantee? The ledger's lines say so: "uncovered fit", and others. */
bool
pegs_is_uncovered(Oid source)
{
	Relation	rel = table_open(pegs_internal_relation("ledger"), AccessShareLock);
	bool		found = false;
	ScanKeyData scankey;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&scankey, Anum_ledger_source, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(source));
	scan = systable_beginscan(rel, pegs_internal_relation("ledger_epsilon"), true, NULL, 1, &scankey);
	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		CHECK_FOR_INTERRUPTS();
		found = strncmp(TextDatumGetCString(attribute(tuple, RelationGetDescr(rel), Anum_ledger_deed)), "uncovered ", strlen("uncovered ")) == 0;
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return found;
}

/* ---- sequences ---- */

/* What a sequence says is spent. The caller holds a lock. */
int64
pegs_spent_of(Relation rel)
{
	Buffer		buffer = ReadBuffer(rel, 0);
	Page		page;
	HeapTupleHeader tuple;
	Form_pg_sequence_data data;
	int64		value;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	page = BufferGetPage(buffer);
	tuple = (HeapTupleHeader) PageGetItem(page, PageGetItemId(page, FirstOffsetNumber));
	data = (Form_pg_sequence_data) ((char *) tuple + tuple->t_hoff);
	value = data->last_value;
	UnlockReleaseBuffer(buffer);
	if (value < 0)
		elog(ERROR, "a budget's sequence is below zero");
	return value;
}

Relation
pegs_open_sequence(Oid relid, LOCKMODE lock)
{
	Relation	rel = relation_open(relid, lock);

	if (rel->rd_rel->relkind != RELKIND_SEQUENCE || rel->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT)
		elog(ERROR, "the sequence of a budget is not a permanent sequence");
	return rel;
}

bool
pegs_read_spent(const PegsAccount *account, LOCKMODE lock, bool missing_ok, PegsBought *spent)
{
	Oid			sequence[3] = {account->epsilon_sequence, account->delta_sequence, account->rho_sequence};
	int64		value[3] = {0};
	Relation	rel[3] = {NULL};
	bool		found = true;

	*spent = (PegsBought) {0};
	for (int i = 0; i < 3 && found; i++)
	{
		LOCKMODE	mode = i == 0 ? lock : AccessShareLock;

		if (!OidIsValid(sequence[i]))
			continue;
		rel[i] = missing_ok ? try_relation_open(sequence[i], mode) : pegs_open_sequence(sequence[i], mode);
		found = rel[i] != NULL;
		if (found)
			value[i] = pegs_spent_of(rel[i]);
	}
	for (int i = 2; i >= 0; i--)
		if (rel[i])
			relation_close(rel[i], NoLock);
	if (!found)
		return false;
	spent->from = (PegsAmounts) {value[0], value[1], value[2]};
	pegs_find_left(account, spent);
	return true;
}

/* What a capped grant has left; false if it was revoked meanwhile. */
bool
pegs_cap_left(Oid sequence, int64 cap, int64 *left)
{
	Relation	rel = try_relation_open(sequence, AccessShareLock);

	if (rel == NULL)
		return false;
	*left = cap - pegs_spent_of(rel);
	relation_close(rel, AccessShareLock);
	return true;
}

/* A sequence that starts at zero spent, of the extension's owner, in pegs_internal. */
void
pegs_create_sequence(const char *name)
{
	pegs_spi(psprintf("CREATE SEQUENCE pegs_internal.%s AS bigint MINVALUE 0 START 0 CACHE 1", name),
			 SPI_OK_UTILITY, 0, NULL);
	CommandCounterIncrement();
	pegs_strip_rights(pegs_internal_relation(name));
	CommandCounterIncrement();
}

/* One that nobody needs any more. As the extension's owner, in SPI. */
void
pegs_drop_sequence(Oid sequence)
{
	char	   *name = get_rel_name(sequence);

	if (name)
		pegs_spi(psprintf("DROP SEQUENCE pegs_internal.%s", quote_identifier(name)), SPI_OK_UTILITY, 0, NULL);
}

/* The sequence that counts what a capped grant has spent. */
Oid
pegs_new_cap(int64 grant)
{
	char	   *name = psprintf("cap_" INT64_FORMAT, grant);

	pegs_create_sequence(name);
	return pegs_internal_relation(name);
}

char *
pegs_budget_command(const char *literal, int64 epsilon, int64 delta, const char *accounting)
{
	return psprintf("SELECT pegs_set_budget(%s, epsilon => %s%s%s%s);", literal, pegs_units_text(epsilon, 9),
					delta > 0 ? ", delta => " : "", delta > 0 ? pegs_units_text(delta, 18) : "",
					accounting ? psprintf(", accounting => '%s'", accounting) : "");
}

/* What was asked for, 0 if nothing was: the hint sets a budget that has it. */
void
pegs_no_budget(Oid account, int64 epsilon, int64 delta)
{
	Oid			owner;
	char	   *literal = pegs_is_dead(account, &owner) || pegs_was_another(account, &owner) ? NULL : pegs_relation_literal(account);

	if (literal == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the table was dropped and has no privacy budget"),
				 errhint("Drop the model, or fit it to another table.")));
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"%s\" has no privacy budget", get_rel_name(account)),
			 errhint("Its owner can set one: %s", pegs_budget_command(literal, Max(epsilon, PEGS_EPSILON_UNIT), delta, NULL))));
}

/* The error ends the transaction: what it did to the account is lost, and the hint says it again. */
static void
refuse_uncommitted(Oid source, const PegsAccount *account)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("%s was created or changed in this transaction", OidIsValid(source) ? "the budget" : "the grant"),
			 errdetail("A charge against it could be rolled back with it."),
			 OidIsValid(source)
			 ? errhint("ROLLBACK; then set it in a transaction of its own (a copy: by pegs_adopt), and spend in the next: %s",
					   pegs_budget_command(pegs_relation_literal(source), account->total_epsilon, account->total_delta,
									   account->total_delta > 0 && !pegs_in_rho(account) ? "sum" : NULL))
			 : errhint("ROLLBACK; then grant in a transaction of its own (pegs_grant), and spend in the next.")));
}

/* A sequence made or rewritten in this transaction would be rolled back with it. */
bool
pegs_is_new_sequence(Relation sequence)
{
	return sequence->rd_createSubid != InvalidSubTransactionId
		|| sequence->rd_firstRelfilelocatorSubid != InvalidSubTransactionId
		|| sequence->rd_newRelfilelocatorSubid != InvalidSubTransactionId;
}

void
pegs_refuse_new_sequence(Oid source, const PegsAccount *account, Relation sequence)
{
	if (pegs_is_new_sequence(sequence))
		refuse_uncommitted(source, account);
}

void
pegs_refuse_changed(Oid source, const PegsAccount *account)
{
	if (account->changed_here)
		refuse_uncommitted(source, account);
}

/* What must remain here, so that a charge of so much rho has its share of what is left (adopt.c). */
static int64
remaining_for(int64 rho, const PegsAccount *account, const PegsBought *spent)
{
	int64		left = pegs_total_rho(account) - spent->from.rho;

	if (left <= 0 || rho > left)
		return spent->epsilon_left;
	return (int64) (((pegs_u128) rho * (pegs_u128) Max(spent->epsilon_left, 0) + (pegs_u128) (left - 1)) / (pegs_u128) left);
}

/*
 * For a hint: of what is left a part, so that nobody gives all of it to a copy
 * by pasting, but as much as the charge needs (bill NULL: there is none); and
 * a part of delta, or all of it is given up.
 */
char *
pegs_adopt_command(Oid source, const PegsAccount *account, const PegsBought *spent, const PegsBill *bill)
{
	PegsAmounts needed = bill && (bill->rho > 0 || !pegs_in_rho(account)) ? pegs_amounts_of(account, bill) : (PegsAmounts) {0};
	int64		epsilon_part = Max(PEGS_EPSILON_UNIT / 2, pegs_in_rho(account) ? remaining_for(needed.rho, account, spent) : needed.epsilon);
	int64		delta_part = Max(PEGS_DELTA_UNIT / 1000000000, needed.delta);
	char	   *epsilon = pegs_units_text(Min(Max(spent->epsilon_left, 0), epsilon_part), 9);
	char	   *delta = spent->delta_left > 0 ? pegs_units_text(Min(spent->delta_left, delta_part), 18) : NULL;

	return psprintf("SELECT pegs_adopt(%s, remaining => %s, reason => '...'%s%s);", pegs_relation_literal(source), epsilon,
					delta ? ", remaining_delta => " : "", delta ? delta : "");
}

void
pegs_refuse_copied(Oid source, const PegsAccount *account, const PegsBought *spent, const PegsBill *bill)
{
	if (account->copied_from != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the privacy budget of table \"%s\" is a copy", get_rel_name(source)),
				 errdetail("It was kept %s. What is spent there is not known here.", account->copied_from),
				 errhint("A superuser can state what may be spent here; all copies together must not spend more than was left when they parted (remaining in pegs_budgets): %s",
						 pegs_adopt_command(source, account, spent, bill))));
}
