/*
 * ledger.c
 *	  Budgets, and the one place where they are spent.
 *
 * An account is two permanent sequences, epsilon in units of 1e-9 and delta in
 * units of 1e-18, of which the last value is what is spent; one in rho has a
 * third, in units of 2^-50 (rho.c). A sequence is not rolled back; we flush its
 * WAL and wait for the synchronous standbys before we return, so nothing refunds
 * a charge: not ROLLBACK, not an exception, not a cancel, not kill -9, whatever
 * synchronous_commit says. Law L2, claim P5.
 *
 * Chargers queue on a self-conflicting lock of the epsilon sequence and read
 * the totals with a fresh snapshot behind it. The lock covers read, check and
 * setval, not the flush: an earlier setval is earlier in the WAL, so whoever
 * has flushed his own has flushed what he read, and rows are given after one's
 * own flush only. There is no SQL expression in the path of a charge, so no
 * search_path can bend it.
 */
#include "budget/account.h"
#include "budget/bound.h"
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

/* rho before what was asked for: who is stopped between the two has paid, and not the other way round. */
void
pegs_advance(const PegsAccount *account, const PegsAmounts *from, const PegsAmounts *to, Oid cap_sequence, int64 cap_to, bool *advanced)
{
	Oid			sequence[4] = {account->rho_sequence, account->epsilon_sequence, account->delta_sequence, cap_sequence};
	int64		value[4] = {to->rho, to->epsilon, to->delta, cap_to};
	bool		moves[4] = {to->rho > from->rho, to->epsilon > from->epsilon, to->delta > from->delta, OidIsValid(cap_sequence)};
	Oid			user;
	int			context;

	GetUserIdAndSecContext(&user, &context);
	SetUserIdAndSecContext(pegs_extension_owner(), context | SECURITY_LOCAL_USERID_CHANGE);
	for (int i = 0; i < 4; i++)
		if (moves[i])
		{
			DirectFunctionCall2(setval_oid, ObjectIdGetDatum(sequence[i]), Int64GetDatum(value[i]));
			if (advanced)
				*advanced = true;	/* this one stays, whatever happens next */
		}
	SetUserIdAndSecContext(user, context);
}

/* ---- lines ---- */

/*
 * Another privacy unit: a line of the ledger that charges nothing. True if
 * something was spent before, so that the account's sums mix units from now on.
 */
bool
pegs_note_unit(Oid account)
{
	PegsAccount budget;
	PegsBought	interval;

	account = pegs_payer(account);
	if (!pegs_read_budget(account, &budget) || !pegs_keeps("ledger", "unit"))
		return false;
	pegs_refuse_where_nothing_can_be_noted();
	(void) pegs_read_spent(&budget, AccessShareLock, false, &interval);
	pegs_ledger_line(account, "unit", NULL, &interval, NULL, NULL);
	return interval.from.epsilon > 0 || interval.from.delta > 0 || interval.from.rho > 0;
}

/* A read without a guarantee: a line of the ledger that charges nothing, and marks the account. Its owner alone comes here. */
void
pegs_note_uncovered(Oid source, const char *action, const char *object, const char *reason)
{
	PegsAccount account;
	PegsBought	interval;

	pegs_refuse_where_nothing_can_be_noted();
	pegs_citus_require_coordinator(source);
	source = pegs_payer(source);
	pegs_citus_require_coordinator(source);
	if (!pegs_read_budget(source, &account))
		pegs_no_budget(source, 0, 0);
	pegs_require_read_there(source);
	(void) pegs_read_spent(&account, AccessShareLock, false, &interval);
	pegs_ledger_line(source, action, object, &interval, NULL, reason);
}

#define INTO_LEDGER "INSERT INTO pegs_internal.ledger (role, source, deed, object, epsilon_from, epsilon_to, delta_from, delta_to, epsilon_left"
#define VALUES "$1, $2, $3, $4, $5, $6, $7, $8, $9"
#define WHERE_IT_IS " RETURNING ctid"

/* One line of the ledger, and where it is: it is rolled back with its transaction (but for forever.c), the charge is not. */
ItemPointerData
pegs_ledger_line(Oid account, const char *action, const char *object, const PegsBought *interval, const PegsAmounts *amounts,
				 const char *reason)
{
	const PegsAmounts nothing = {0};
	const PegsAmounts *from = &interval->from;
	const PegsAmounts *more = amounts ? amounts : &nothing;
	PegsAs		saved;
	ItemPointerData place;
	bool		isnull;
	bool		in_rho = from->rho > 0 || more->rho > 0;
	PegsArg		args[14] = {
		{TEXTOID, CStringGetTextDatum(GetUserNameFromId(GetUserId(), false)), false},
		{REGCLASSOID, ObjectIdGetDatum(account), false},
		{TEXTOID, CStringGetTextDatum(action), false},
		{TEXTOID, object ? CStringGetTextDatum(object) : (Datum) 0, object == NULL},
		{INT8OID, Int64GetDatum(from->epsilon), false},
		{INT8OID, Int64GetDatum(from->epsilon + more->epsilon), false},
		{INT8OID, Int64GetDatum(from->delta), false},
		{INT8OID, Int64GetDatum(from->delta + more->delta), false},
		{INT8OID, Int64GetDatum(interval->epsilon_left), false},
		{TEXTOID, reason ? CStringGetTextDatum(reason) : (Datum) 0, reason == NULL},
		{TEXTOID, interval->unit ? CStringGetTextDatum(interval->unit) : (Datum) 0, interval->unit == NULL},
		{INT8OID, Int64GetDatum(from->rho), !in_rho},
		{INT8OID, Int64GetDatum(from->rho + more->rho), !in_rho},
		{INT8ARRAYOID, interval->compared, interval->compared == 0}
	};

	pegs_begin_as_extension(&saved);
	/* the columns behind these are newer than 0.1.0, or 0.2.0: a charge must not need them, before ALTER EXTENSION UPDATE */
	if (in_rho || interval->compared)
		pegs_spi(INTO_LEDGER ", reason, unit, rho_from, rho_to, compared) VALUES (" VALUES ", $10, $11, $12, $13, $14)" WHERE_IT_IS, SPI_OK_INSERT_RETURNING, 14, args);
	else if (interval->unit && pegs_keeps("ledger", "unit"))
		pegs_spi(INTO_LEDGER ", reason, unit) VALUES (" VALUES ", $10, $11)" WHERE_IT_IS, SPI_OK_INSERT_RETURNING, 11, args);
	else if (reason)
		pegs_spi(INTO_LEDGER ", reason) VALUES (" VALUES ", $10)" WHERE_IT_IS, SPI_OK_INSERT_RETURNING, 10, args);
	else
		pegs_spi(INTO_LEDGER ") VALUES (" VALUES ")" WHERE_IT_IS, SPI_OK_INSERT_RETURNING, 9, args);
	if (SPI_processed != 1)		/* a trigger, or a rule, of whoever may do anything */
		elog(ERROR, "a line of the ledger was not written");
	place = *(ItemPointer) DatumGetPointer(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	pegs_end_as(&saved);
	return place;
}

/* ---- charging ---- */

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

/*
 * Locks the account until the charge is made: one queue, its epsilon sequence.
 * What may be charged to it is asked behind the lock.
 */
static void
hold_account(const PegsBill *bill, PegsAccount *account, Relation held[3])
{
	Oid			sequence[3];

	if (!pegs_read_budget(bill->account, account))
		pegs_no_budget(bill->account, bill->epsilon, bill->delta);
	sequence[0] = account->epsilon_sequence;
	sequence[1] = account->delta_sequence;
	sequence[2] = account->rho_sequence;
	for (int i = 0; i < 3; i++)
		held[i] = OidIsValid(sequence[i]) ? pegs_open_sequence(sequence[i], i == 0 ? ShareUpdateExclusiveLock : AccessShareLock) : NULL;
	for (int i = 0; i < 3; i++)
		if (held[i])
			pegs_refuse_new_sequence(bill->account, account, held[i]);
	if (!pegs_read_budget(bill->account, account))
		pegs_no_budget(bill->account, bill->epsilon, bill->delta);
	pegs_refuse_changed(bill->account, account);
	for (int i = 0; i < 3; i++)
		if (held[i])
			pegs_refuse_hands(RelationGetRelid(held[i]));
	pegs_refuse_hands_on_tables();
}

static void
let_go(Relation held[3])
{
	for (int i = 2; i >= 0; i--)
		if (held[i])
			relation_close(held[i], i == 0 ? ShareUpdateExclusiveLock : AccessShareLock);
}

/* Who pays may have changed until the lock was had: behind it nobody binds the table, nor lets it go (bind.c). */
static void
require_payer(Oid account, Oid payer)
{
	if (pegs_payer(account) != payer)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("the account that pays for table \"%s\" was changed meanwhile", get_rel_name(account)),
				 errdetail("Nothing was charged."),
				 errhint("Try again.")));
}

/* The same of the grant's cap, after the account. */
static Relation
hold_cap(const PegsBill *bill, PegsAccount *cap, int64 *spent)
{
	Relation	held;

	if (!pegs_read_cap(bill->grant, cap))
		refuse_revoked();
	held = try_relation_open(cap->epsilon_sequence, ShareUpdateExclusiveLock);
	if (held == NULL || !pegs_read_cap(bill->grant, cap))
		refuse_revoked();
	pegs_refuse_new_sequence(InvalidOid, cap, held);
	pegs_refuse_changed(InvalidOid, cap);
	pegs_refuse_hands(cap->epsilon_sequence);
	*spent = pegs_spent_of(held);
	pegs_require_share(cap, *spent, bill->epsilon);
	return held;
}

void
pegs_charge(PegsBill *bill)
{
	PegsAccount account;
	PegsAccount cap = {0};
	Relation	held[3];
	Relation	cap_spent = NULL;
	bool		alike;
	bool	   *stays;
	PegsBought	interval = {.unit = bill->unit, .compared = bill->compared};
	Oid			asked = bill->account;
	PegsBought	after;
	PegsAmounts recorded;
	PegsAmounts amounts;
	int64		cap_from = 0;

	pegs_refuse_where_nothing_can_be_written();
	if (bill->epsilon <= 0 || bill->delta < 0)
		elog(ERROR, "a charge must be positive");
	if (bill->grant != 0 && bill->delta > 0)
		elog(ERROR, "a grant has no delta to charge");	/* its limit is in epsilon: nothing would count delta (rows/request.c refuses it) */
	bill->account = pegs_payer_of(bill);
	if (bill->account != asked)
		interval.unit = pegs_unit_of_bound(bill->account, get_rel_name(asked));
	pegs_citus_require_coordinator(bill->account);
	pegs_require_asked();
	begin_saying(bill);
	stays = pegs_will_stay(bill->words);

	hold_account(bill, &account, held);
	require_payer(asked, bill->account);
	pegs_require_counted(bill);
	alike = pegs_hold_alike(bill->account);
	interval.from.epsilon = pegs_spent_of(held[0]);
	interval.from.delta = pegs_spent_of(held[1]);
	interval.from.rho = held[2] ? pegs_spent_of(held[2]) : 0;
	if (account.copied_from)
		pegs_find_left(&account, &interval);	/* for the hint alone */
	pegs_refuse_copied(bill->account, &account, &interval, bill);
	recorded = pegs_recorded(bill->account);
	pegs_refuse_set_back(bill->account, &account, &recorded, &interval);
	pegs_require_left(bill->account, &account, &interval, bill);
	if (bill->grant != 0)
		cap_spent = hold_cap(bill, &cap, &cap_from);

	/*
	 * The line first: if it cannot be written (a lock, a full disk, no memory)
	 * nothing is charged. If the charge fails it goes with the transaction.
	 */
	amounts = pegs_amounts_of(&account, bill);
	after = interval;
	after.from.epsilon += amounts.epsilon;
	after.from.delta += amounts.delta;
	after.from.rho += amounts.rho;
	pegs_find_left(&account, &after);
	interval.epsilon_left = after.epsilon_left;
	pegs_ledger_line(bill->account, bill->action, bill->object, &interval, &amounts, NULL);
	pegs_advance(&account, &interval.from, &after.from,
				 cap_spent ? cap.epsilon_sequence : InvalidOid, cap_from + bill->epsilon, &bill->charged);
	*stays = true;

	if (cap_spent)
		relation_close(cap_spent, ShareUpdateExclusiveLock);
	if (alike)
		pegs_let_go_alike();
	let_go(held);
	pegs_make_durable();
}
