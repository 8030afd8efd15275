/*
 * ledger.c
 *	  Budgets, and the one place where they are spent.
 *
 * An account is two permanent sequences, epsilon in units of 1e-9 and delta in
 * units of 1e-18, of which the last value is what is spent. A sequence is not
 * rolled back; we flush its WAL and wait for the synchronous standbys before
 * we return, so nothing refunds a charge: not ROLLBACK, not an exception, not
 * a cancel, not kill -9, whatever synchronous_commit says. Law L2, claim P5.
 *
 * Chargers queue on a self-conflicting lock of the epsilon sequence and read
 * the totals with a fresh snapshot behind it. The lock covers read, check and
 * setval, not the flush: an earlier setval is earlier in the WAL, so whoever
 * has flushed his own has flushed what he read, and rows are given after one's
 * own flush only. There is no SQL expression in the path of a charge, so no
 * search_path can bend it.
 */
#include "budget/account.h"
#include "budget/budget.h"
#include "source/source.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "storage/bufmgr.h"
#include "storage/lwlock.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

static void
refuse_revoked(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("the grant was revoked"),
			 errhint("Ask a curator: pegs_grant.")));
}

/*
 * Durable here, and on every synchronous standby, whatever the caller's
 * settings. The level of settings needs no subtransaction: it ends with the
 * function, or with the transaction that an error aborts.
 */
void
pegs_make_durable(void)
{
	XLogRecPtr	lsn = XactLastRecEnd;
	int			level = NewGUCNestLevel();

	XLogFlush(lsn);
	(void) set_config_option("synchronous_commit", "on", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	HOLD_INTERRUPTS();
	SyncRepWaitForLSN(lsn, false);
	RESUME_INTERRUPTS();
	/* a cancelled wait only warns: look ourselves */
	if (SyncRepRequested() && SyncRepStandbyNames != NULL && SyncRepStandbyNames[0] != '\0')
	{
		XLogRecPtr	confirmed;

		LWLockAcquire(SyncRepLock, LW_SHARED);
		confirmed = WalSndCtl->lsn[SYNC_REP_WAIT_FLUSH];
		LWLockRelease(SyncRepLock);
		if (confirmed < lsn)
			ereport(ERROR,
					(errcode(ERRCODE_OPERATOR_INTERVENTION),
					 errmsg("the charge was not confirmed by the synchronous standby"),
					 errdetail("It is charged here; no row was given."),
					 errhint("Bring the standby back, or change synchronous_standby_names.")));
	}
	AtEOXact_GUC(true, level);
}

void
pegs_advance(Oid epsilon_sequence, int64 epsilon_to, Oid delta_sequence, int64 delta_to, Oid cap_sequence, int64 cap_to, bool *advanced)
{
	Oid			sequence[3] = {epsilon_sequence, delta_sequence, cap_sequence};
	int64		to[3] = {epsilon_to, delta_to, cap_to};
	Oid			user;
	int			context;

	GetUserIdAndSecContext(&user, &context);
	SetUserIdAndSecContext(pegs_extension_owner(), context | SECURITY_LOCAL_USERID_CHANGE);
	for (int i = 0; i < 3; i++)
		if (OidIsValid(sequence[i]))
		{
			DirectFunctionCall2(setval_oid, ObjectIdGetDatum(sequence[i]), Int64GetDatum(to[i]));
			if (advanced)
				*advanced = true;	/* this one stays, whatever happens next */
		}
	SetUserIdAndSecContext(user, context);
}

/* ---- charging ---- */

static void
refuse_where_nothing_can_be_written(void)
{
	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("a privacy budget cannot be spent on a standby"),
				 errhint("Make a release on the primary (pegs_release); pegs_rows reads it here.")));
	if (XactReadOnly)
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("a privacy budget cannot be spent in a read-only transaction"),
				 errhint("Make a release in a read-write transaction (pegs_release); pegs_rows reads it anywhere.")));
	if (IsInParallelMode())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_STATE),
				 errmsg("a privacy budget cannot be spent in a parallel operation"),
				 errhint("SET max_parallel_workers_per_gather = 0;")));
}

#define RAISE_TOTAL "Ask for less. Nothing that was spent comes back; the owner of the table can raise the total."
#define RAISE_SHARE "Ask for less. Nothing that was spent comes back; the owner of the table can raise your share (pegs_grant)."

static void
require_left(const char *what, const char *name, int64 asked, int64 spent, int64 total, int digits, const char *hint)
{
	int64		left = total > spent ? total - spent : 0;

	if (asked > left)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("%s is exhausted", what),
				 errdetail("Asked for %s %s; %s of %s remain.", name, pegs_units_text(asked, digits),
						   pegs_units_text(left, digits), pegs_units_text(total, digits)),
				 errhint("%s", hint)));
}

/* A budget without delta is one whose owner did not think of it, rather than one that is used up. Curators alone ask for delta. */
static void
require_left_of(Oid source, const PegsAccount *account, const PegsBought *spent, int64 epsilon, int64 delta)
{
	const char *raise_delta = RAISE_TOTAL;

	require_left("the privacy budget", "epsilon", epsilon, spent->epsilon_from, account->total_epsilon, 9, RAISE_TOTAL);
	if (delta > 0 && account->total_delta == 0)
		raise_delta = psprintf("The budget has no delta: %s Or leave delta out of this call.",
							   pegs_budget_command(pegs_relation_literal(source), account->total_epsilon, delta));
	require_left("the privacy budget", "delta", delta, spent->delta_from, account->total_delta, 18, raise_delta);
}

/* epsilon and delta are what pegs_recorded says: read before what is spent, or behind the chargers' lock. */
static void
refuse_set_back(Oid source, const PegsAccount *account, int64 epsilon, int64 delta, const PegsBought *spent)
{
	if (epsilon > spent->epsilon_from || delta > spent->delta_from)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the privacy budget of table \"%s\" was set back", get_rel_name(source)),
				 errdetail("The ledger says that epsilon %s and delta %s were spent, the account says %s and %s.",
						   pegs_units_text(epsilon, 9), pegs_units_text(delta, 18),
						   pegs_units_text(spent->epsilon_from, 9), pegs_units_text(spent->delta_from, 18)),
				 errhint("A dump was loaded into this database, or somebody set a sequence. A superuser can state what may still be spent: %s",
						 pegs_adopt_command(source, account->total_epsilon - Max(epsilon, spent->epsilon_from),
											account->total_delta - Max(delta, spent->delta_from)))));
}

/* Is so much delta left? For a hint. */
bool
pegs_has_delta(Oid source, int64 delta)
{
	PegsAccount account;
	PegsBought	spent;

	return pegs_read_budget(source, &account) && pegs_read_spent(&account, AccessShareLock, false, &spent)
		&& account.total_delta - spent.delta_from >= delta;
}

/* Would the charge succeed now? Asked before long work; the answer binds nobody. */
void
pegs_check_budget(Oid source, int64 epsilon, int64 delta)
{
	PegsAccount account;
	PegsBought	spent;
	int64		recorded;
	int64		delta_recorded;

	refuse_where_nothing_can_be_written();
	if (!pegs_read_budget(source, &account))
		pegs_no_budget(source, epsilon, delta);
	pegs_refuse_changed(source, &account);
	pegs_refuse_hands(account.epsilon_sequence);
	pegs_refuse_hands(account.delta_sequence);
	pegs_refuse_hands_on_tables();
	/* first: the line of a charge that comes meanwhile is no sign that the account was set back */
	pegs_recorded(source, &recorded, &delta_recorded);
	(void) pegs_read_spent(&account, AccessShareLock, false, &spent);
	pegs_refuse_copied(source, &account, &spent);
	require_left_of(source, &account, &spent, epsilon, delta);
	refuse_set_back(source, &account, recorded, delta_recorded, &spent);
}

/*
 * Another privacy unit: a line of the ledger that charges nothing. True if
 * something was spent before, so that the account's sums mix units from now on.
 */
bool
pegs_note_unit(Oid account)
{
	PegsAccount budget;
	PegsBought	interval;

	if (!pegs_read_budget(account, &budget) || !pegs_keeps("ledger", "unit"))
		return false;
	refuse_where_nothing_can_be_written();
	(void) pegs_read_spent(&budget, AccessShareLock, false, &interval);
	pegs_ledger_line(account, "unit", NULL, &interval, 0, 0, NULL);
	return interval.epsilon_from > 0 || interval.delta_from > 0;
}

/* A read without a guarantee: a line of the ledger that charges nothing, and marks the account. Its owner alone comes here. */
void
pegs_note_uncovered(Oid source, const char *action, const char *object, const char *reason)
{
	PegsAccount account;
	PegsBought	interval;

	refuse_where_nothing_can_be_written();
	if (!pegs_read_budget(source, &account))
		pegs_no_budget(source, 0, 0);
	(void) pegs_read_spent(&account, AccessShareLock, false, &interval);
	pegs_ledger_line(source, action, object, &interval, 0, 0, reason);
}

#define INTO_LEDGER "INSERT INTO pegs_internal.ledger (role, source, deed, object, epsilon_from, epsilon_to, delta_from, delta_to, epsilon_left"
#define VALUES "$1, $2, $3, $4, $5, $6, $7, $8, $9"

/* One line of the ledger: it is rolled back with its transaction, the charge is not. */
void
pegs_ledger_line(Oid account, const char *action, const char *object, const PegsBought *interval, int64 epsilon, int64 delta,
				 const char *reason)
{
	PegsAs		saved;
	PegsArg		args[12] = {
		{TEXTOID, CStringGetTextDatum(GetUserNameFromId(GetUserId(), false)), false},
		{REGCLASSOID, ObjectIdGetDatum(account), false},
		{TEXTOID, CStringGetTextDatum(action), false},
		{TEXTOID, object ? CStringGetTextDatum(object) : (Datum) 0, object == NULL},
		{INT8OID, Int64GetDatum(interval->epsilon_from), false},
		{INT8OID, Int64GetDatum(interval->epsilon_from + epsilon), false},
		{INT8OID, Int64GetDatum(interval->delta_from), false},
		{INT8OID, Int64GetDatum(interval->delta_from + delta), false},
		{INT8OID, Int64GetDatum(interval->epsilon_left), false},
		{TEXTOID, reason ? CStringGetTextDatum(reason) : (Datum) 0, reason == NULL},
		{TEXTOID, interval->unit ? CStringGetTextDatum(interval->unit) : (Datum) 0, interval->unit == NULL},
		{INT8ARRAYOID, interval->compared, interval->compared == 0}
	};

	pegs_begin_as_extension(&saved);
	/* the columns behind these are newer than 0.1.0: a charge must not need them, before ALTER EXTENSION UPDATE */
	if (interval->compared)
		pegs_spi(INTO_LEDGER ", reason, unit, compared) VALUES (" VALUES ", $10, $11, $12)", SPI_OK_INSERT, 12, args);
	else if (interval->unit && pegs_keeps("ledger", "unit"))
		pegs_spi(INTO_LEDGER ", reason, unit) VALUES (" VALUES ", $10, $11)", SPI_OK_INSERT, 11, args);
	else if (reason)
		pegs_spi(INTO_LEDGER ", reason) VALUES (" VALUES ", $10)", SPI_OK_INSERT, 10, args);
	else
		pegs_spi(INTO_LEDGER ") VALUES (" VALUES ")", SPI_OK_INSERT, 9, args);
	pegs_end_as(&saved);
}

/* Of an error after the charge: the caller must know that it has paid. */
static void
say_charged(void *arg)
{
	const PegsBill *bill = arg;

	if (bill->charged)
		errcontext("%s", bill->words);
}

/* The words are made now: in an error no catalog can be read. */
static void
begin_saying(PegsBill *bill)
{
	char	   *table = get_rel_name(bill->account);
	char	   *delta = bill->delta > 0 ? psprintf(" and delta %s were", pegs_units_text(bill->delta, 18)) : " was";

	bill->charged = false;
	bill->words = psprintf("epsilon %s%s charged to table \"%s\" (%s \"%s\")", pegs_units_text(bill->epsilon, 9),
						   delta, table ? table : "(dropped)", bill->action, bill->object);
	bill->context.callback = say_charged;
	bill->context.arg = bill;
	bill->context.previous = error_context_stack;
	error_context_stack = &bill->context;
}

void
pegs_charge_done(PegsBill *bill)
{
	CHECK_FOR_INTERRUPTS();		/* a cancel that came while it was stored says it, too */
	Assert(bill->charged && error_context_stack == &bill->context);
	error_context_stack = bill->context.previous;
}

void
pegs_charge(PegsBill *bill)
{
	PegsAccount		account;
	PegsAccount		cap;
	Relation	epsilon;
	Relation	delta;
	Relation	cap_spent = NULL;
	PegsBought	interval = {.unit = bill->unit, .compared = bill->compared};
	int64		cap_from = 0;
	int64		recorded;
	int64		delta_recorded;

	refuse_where_nothing_can_be_written();
	if (bill->epsilon <= 0 || bill->delta < 0)
		elog(ERROR, "a charge must be positive");
	if (bill->grant != 0 && bill->delta > 0)
		elog(ERROR, "a grant has no delta to charge");	/* its limit is in epsilon: nothing would count delta (rows/request.c refuses it) */
	if (!pegs_read_budget(bill->account, &account))
		pegs_no_budget(bill->account, bill->epsilon, bill->delta);
	begin_saying(bill);

	/* one queue: the account's epsilon sequence, then the grant's */
	epsilon = pegs_open_sequence(account.epsilon_sequence, ShareUpdateExclusiveLock);
	delta = pegs_open_sequence(account.delta_sequence, AccessShareLock);
	pegs_refuse_new_sequence(bill->account, &account, epsilon);
	pegs_refuse_new_sequence(bill->account, &account, delta);
	if (!pegs_read_budget(bill->account, &account))
		pegs_no_budget(bill->account, bill->epsilon, bill->delta);
	pegs_refuse_changed(bill->account, &account);
	pegs_refuse_hands(account.epsilon_sequence);
	pegs_refuse_hands(account.delta_sequence);
	pegs_refuse_hands_on_tables();
	interval.epsilon_from = pegs_spent_of(epsilon);
	interval.delta_from = pegs_spent_of(delta);
	pegs_refuse_copied(bill->account, &account, &interval);
	pegs_recorded(bill->account, &recorded, &delta_recorded);
	refuse_set_back(bill->account, &account, recorded, delta_recorded, &interval);
	require_left_of(bill->account, &account, &interval, bill->epsilon, bill->delta);
	if (bill->grant != 0)
	{
		if (!pegs_read_cap(bill->grant, &cap))
			refuse_revoked();
		cap_spent = try_relation_open(cap.epsilon_sequence, ShareUpdateExclusiveLock);
		if (cap_spent == NULL || !pegs_read_cap(bill->grant, &cap))
			refuse_revoked();
		pegs_refuse_new_sequence(InvalidOid, &cap, cap_spent);
		pegs_refuse_changed(InvalidOid, &cap);
		pegs_refuse_hands(cap.epsilon_sequence);
		cap_from = pegs_spent_of(cap_spent);
		require_left("your share of the privacy budget", "epsilon", bill->epsilon, cap_from, cap.total_epsilon, 9, RAISE_SHARE);
	}

	/*
	 * The line first: if it cannot be written (a lock, a full disk, no memory)
	 * nothing is charged. If the charge fails it goes with the transaction.
	 */
	interval.epsilon_left = account.total_epsilon - interval.epsilon_from - bill->epsilon;
	pegs_ledger_line(bill->account, bill->action, bill->object, &interval, bill->epsilon, bill->delta, NULL);
	pegs_advance(account.epsilon_sequence, interval.epsilon_from + bill->epsilon,
				 bill->delta > 0 ? account.delta_sequence : InvalidOid, interval.delta_from + bill->delta,
				 cap_spent ? cap.epsilon_sequence : InvalidOid, cap_from + bill->epsilon, &bill->charged);

	if (cap_spent)
		relation_close(cap_spent, ShareUpdateExclusiveLock);
	relation_close(delta, AccessShareLock);
	relation_close(epsilon, ShareUpdateExclusiveLock);
	pegs_make_durable();
}
