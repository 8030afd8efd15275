/*
 * left.c
 *	  Is so much left, and may it be spent here and now?
 *
 * Asked before long work, for a friendly answer that binds nobody, and by the
 * charge itself behind the lock of the account. It must never let a charge
 * through that passes a total, or an account that was set back. Law L2; claims
 * P5, P20.
 */
#include "budget/account.h"
#include "budget/bound.h"
#include "budget/budget.h"
#include "source/source.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"

#include "core/epsilon.h"

static void
refuse_where(const char *what, const char *on_standby, const char *read_only)
{
	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("%s on a standby", what),
				 errhint("%s", on_standby)));
	if (XactReadOnly)
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("%s in a read-only transaction", what),
				 errhint("%s", read_only)));
	if (IsInParallelMode())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_STATE),
				 errmsg("%s in a parallel operation", what),
				 errhint("SET max_parallel_workers_per_gather = 0;")));
}

void
pegs_refuse_where_nothing_can_be_written(void)
{
	refuse_where("a privacy budget cannot be spent",
				 "Make a release on the primary (pegs_release); pegs_rows reads it here.",
				 "Make a release in a read-write transaction (pegs_release); pegs_rows reads it anywhere.");
}

/* Nothing is charged, but that it was done is written down: of what has no guarantee there is no release to read instead. */
void
pegs_refuse_where_nothing_can_be_noted(void)
{
	refuse_where("the ledger cannot be written", "Do it on the primary.", "Do it in a read-write transaction.");
}

#define TOTAL "the total"
#define SHARE "your share (pegs_grant)"

/* Less can be asked for only where something is left. */
static char *
to_raise(const char *whose, bool less)
{
	return psprintf("%sNothing that was spent comes back; the owner of the table can raise %s.", less ? "Ask for less. " : "", whose);
}

/* Of what is not spent yet something is left, and too little. */
static int
say_too_little(const char *what, int64 left, int64 total)
{
	if (total == 0)
		return errmsg("%s has no delta", what);
	return left > 0 ? errmsg("this costs more than is left of %s", what) : errmsg("%s is exhausted", what);
}

static void
refuse_amount(const char *what, const char *name, int64 asked, int64 left, int64 total, int digits, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 say_too_little(what, left, total),
			 errdetail("Asked for %s %s; %s of %s remain.", name, pegs_units_text(asked, digits),
					   pegs_units_text(left, digits), pegs_units_text(total, digits)),
			 errhint("%s", hint)));
}

/* Before the hint comes what else can be said. */
static void
require_left(const char *what, const char *name, int64 asked, int64 spent, int64 total, int digits, const char *whose, const char *before)
{
	int64		left = total > spent ? total - spent : 0;

	if (asked > left)
		refuse_amount(what, name, asked, left, total, digits, psprintf("%s%s", before, to_raise(whose, left > 0)));
}

/* A budget without delta is one whose owner did not think of it, rather than one that is used up. */
static void
require_left_of_sums(Oid source, const PegsAccount *account, const PegsBought *spent, const PegsBill *bill)
{
	require_left("the privacy budget", "epsilon", bill->epsilon, spent->from.epsilon, account->total_epsilon, 9, TOTAL, "");
	if (bill->delta > 0 && account->total_delta == 0)
		refuse_amount("the privacy budget", "delta", bill->delta, 0, 0, 18,
					  psprintf("The budget has no delta: %s Or leave delta out of this call.",
							   pegs_budget_command(pegs_relation_literal(source), account->total_epsilon, bill->delta, NULL)));
	require_left("the privacy budget", "delta", bill->delta, spent->from.delta, account->total_delta, 18, TOTAL, "");
}

/* The largest epsilon, of three digits, that so much rho pays for at this delta; 0: none. */
static int64
most_epsilon(int64 left, int64 delta)
{
	int64		most = pegs_rho_as_epsilon(left, delta);
	int64		unit = 1;

	while (most / unit >= 1000)
		unit *= 10;
	most = most / unit * unit;
	while (most > 0 && pegs_rho(most, delta) > (uint64) left)
		most -= unit;
	return Max(most, 0);
}

/* What a caller found that has room, or of Gaussian noise alone; 0: not known, or none. */
static int64
less_to_ask(const PegsBill *bill, int64 left)
{
	if (bill->has_room > 0 || bill->delta == 0 || left == 0 || pegs_rho(bill->epsilon, bill->delta) != (uint64) bill->rho)
		return bill->has_room;
	return most_epsilon(left, bill->delta);
}

/* Of pure epsilon rho is its square, or epsilon itself: the same fit with delta is much cheaper. */
static int
hint_cheaper(const PegsAccount *account, const PegsBill *bill, int64 left)
{
	int64		usual = PEGS_DELTA_UNIT / 1000000000;
	int64		most = less_to_ask(bill, left);

	if (most > 0 && most < bill->epsilon)
		return errhint("Ask for less: epsilon => %s at most. %s", pegs_units_text(most, 9), to_raise(TOTAL, false));
	if (bill->delta > 0 || strcmp(bill->action, "fit") != 0)
		return errhint("%s", to_raise(TOTAL, left > 0));
	usual = Min(usual, account->total_delta);
	most = most_epsilon(left, usual);
	if (most == 0)
		return errhint("%s", to_raise(TOTAL, left > 0));
	return errhint("A fit with delta costs less here%s: %sdelta => %s. Without delta fits are cheaper in a budget that was first set with accounting => 'sum'. %s",
				   most < bill->epsilon ? ", and so much has room" : "", most < bill->epsilon ? psprintf("epsilon => %s, ", pegs_units_text(most, 9)) : "",
				   pegs_units_text(usual, 18), to_raise(TOTAL, false));
}

/* Of urns with delta the claim is proved of some orders of Renyi divergence alone: claim P32. The caller knows what can be left out. */
void
pegs_refuse_rho_of_urns(const char *way_out)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("urns take no delta where the budget is kept in rho"),
			 errdetail("The budget adds up divergences of all orders; of urns with delta the claim is proved for some orders alone."),
			 errhint("%s Urns take it where the budget was first set with accounting => 'sum'.", way_out)));
}

static void
require_left_of_rho(Oid source, const PegsAccount *account, const PegsBought *spent, const PegsBill *bill)
{
	int64		total = pegs_total_rho(account);
	int64		left = Max(total - spent->from.rho, 0);

	/* asked before, too; but an account may have come since, and what charges holds it */
	if (bill->rho == PEGS_NO_RHO)
		pegs_refuse_rho_of_urns("Leave delta out.");
	/* rho is enough to hold all answers together; a call that has more delta than all of them is not what its owner wants */
	if (bill->delta > account->total_delta)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("delta %s is more than the privacy budget has", pegs_units_text(bill->delta, 18)),
				 errdetail("All calls together have delta %s.", pegs_units_text(account->total_delta, 18)),
				 errhint("delta => %s; or its owner raises the total: %s", pegs_units_text(account->total_delta, 18),
						 pegs_budget_command(pegs_relation_literal(source), account->total_epsilon, bill->delta, NULL))));
	/* what was asked for is added up, too, and may not pass its 64 bits */
	if (pegs_amounts_of(account, bill).rho > left || bill->epsilon > PG_INT64_MAX - spent->from.epsilon)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 say_too_little("the privacy budget", left, total),
				 errdetail("Asked for epsilon %s%s%s, which costs rho %s; %s of %s remain.", pegs_units_text(bill->epsilon, 9),
						   bill->delta > 0 ? " and delta " : "", bill->delta > 0 ? pegs_units_text(bill->delta, 18) : "",
						   pegs_rho_text(bill->rho), pegs_rho_text(left), pegs_rho_text(total)),
				 hint_cheaper(account, bill, left)));
	if (bill->delta_apart > 0)
		require_left("the privacy budget", "delta for levels", bill->delta_apart, spent->from.delta, pegs_sum_of_delta(account), 18, TOTAL,
					 "A tenth of the budget's delta is for learning levels. ");
}

void
pegs_require_left(Oid source, const PegsAccount *account, const PegsBought *spent, const PegsBill *bill)
{
	if (pegs_in_rho(account))
		require_left_of_rho(source, account, spent, bill);
	else
		require_left_of_sums(source, account, spent, bill);
}

/* The cap of a grant is a sum of epsilon, whatever the account. */
void
pegs_require_share(const PegsAccount *cap, int64 spent, int64 epsilon)
{
	require_left("your share of the privacy budget", "epsilon", epsilon, spent, cap->total_epsilon, 9, SHARE, "");
}

static char *
amounts_text(const PegsAmounts *amounts)
{
	return psprintf("epsilon %s and delta %s%s%s", pegs_units_text(amounts->epsilon, 9), pegs_units_text(amounts->delta, 18),
					amounts->rho > 0 ? " and rho " : "", amounts->rho > 0 ? pegs_rho_text(amounts->rho) : "");
}

void
pegs_refuse_set_back(Oid source, const PegsAccount *account, const PegsAmounts *recorded, const PegsBought *spent)
{
	const PegsAmounts *from = &spent->from;
	PegsBought	known = {.from = {Max(recorded->epsilon, from->epsilon), Max(recorded->delta, from->delta), Max(recorded->rho, from->rho)}};

	if (recorded->epsilon <= from->epsilon && recorded->delta <= from->delta && recorded->rho <= from->rho)
		return;
	pegs_find_left(account, &known);
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the privacy budget of table \"%s\" was set back", get_rel_name(source)),
			 errdetail("The ledger says that %s were spent, the account says %s.", amounts_text(recorded), amounts_text(from)),
			 errhint("A dump was loaded into this database, or somebody set a sequence. A superuser can state what may still be spent: %s",
					 pegs_adopt_command(source, account, &known, NULL))));
}

/* Is there an account of a relation's rows, or of a part of them? Then they are private, whoever says that they are not. */
bool
pegs_has_account(Oid account, Oid relation)
{
	List	   *parts = find_all_inheritors(relation, NoLock, NULL);
	PegsAccount found;
	ListCell   *cell;

	if (pegs_read_budget(account, &found))
		return true;
	foreach(cell, parts)
		if (pegs_read_budget(lfirst_oid(cell), &found) || pegs_is_bound(lfirst_oid(cell)) || pegs_children_of(lfirst_oid(cell)) != NIL)
			return true;
	return false;
}

bool
pegs_is_in_rho(Oid source)
{
	PegsAccount account;

	return pegs_read_budget(pegs_payer(source), &account) && pegs_in_rho(&account);
}

/* For a hint. In an account in rho a fit's delta is not spent: it says how epsilon becomes rho. */
int64
pegs_delta_there(Oid source, int64 most)
{
	PegsAccount account;
	PegsBought	spent;

	if (!pegs_read_budget(pegs_payer(source), &account) || !pegs_read_spent(&account, AccessShareLock, false, &spent))
		return 0;
	return Max(Min(pegs_in_rho(&account) ? account.total_delta : spent.delta_left, most), 0);
}

/*
 * In an account in rho a call with more delta than rho is converted at, and no
 * more than the account has, is made at the former: its guarantee is the
 * stronger one, and a call of all epsilon and delta of the account costs all of
 * its rho, to the unit. By public facts. Claim P20.
 */
int64
pegs_delta_of_call(Oid source, int64 delta)
{
	PegsAccount account;

	if (delta == 0 || !pegs_read_budget(pegs_payer(source), &account) || !pegs_in_rho(&account)
		|| delta <= pegs_rho_delta(&account) || delta > account.total_delta)
		return delta;
	ereport(NOTICE,
			(errmsg("delta %s is taken for %s", pegs_units_text(pegs_rho_delta(&account), 18), pegs_units_text(delta, 18)),
			 errdetail("The rest of the budget's delta is kept for learning levels.")));
	return pegs_rho_delta(&account);
}

void
pegs_check_budget(const PegsBill *bill)
{
	PegsAccount account;
	PegsBought	spent;
	PegsAmounts recorded;
	Oid			payer;

	pegs_refuse_where_nothing_can_be_written();
	pegs_citus_require_coordinator(bill->account);
	payer = pegs_payer_of(bill);
	if (!pegs_read_budget(payer, &account))
		pegs_no_budget(payer, bill->epsilon, bill->delta);
	pegs_refuse_changed(payer, &account);
	pegs_refuse_hands(account.epsilon_sequence);
	pegs_refuse_hands(account.delta_sequence);
	if (pegs_in_rho(&account))
		pegs_refuse_hands(account.rho_sequence);
	pegs_refuse_hands_on_tables();
	/* first: the line of a charge that comes meanwhile is no sign that the account was set back */
	recorded = pegs_recorded(payer);
	(void) pegs_read_spent(&account, AccessShareLock, false, &spent);
	pegs_refuse_copied(payer, &account, &spent, bill);
	pegs_require_left(payer, &account, &spent, bill);
	pegs_refuse_set_back(payer, &account, &recorded, &spent);
	pegs_refuse_moved(payer);
	pegs_require_unpaid(payer);
}

/* ---- how often ---- */

static int64
times(int64 left, int64 each)
{
	return each == 0 ? PG_INT64_MAX : Max(left, 0) / each;
}

int64
pegs_calls_left(const PegsBill *bill)
{
	PegsAccount account;
	PegsBought	spent;
	PegsAmounts each;

	if (!pegs_read_budget(pegs_payer(bill->account), &account) || !pegs_read_spent(&account, AccessShareLock, true, &spent))
		return -1;
	if (pegs_in_rho(&account) && (bill->rho <= 0 || bill->delta > account.total_delta))
		return 0;				/* it would buy nothing, or has too much delta, and is refused */
	each = pegs_amounts_of(&account, bill);
	if (pegs_in_rho(&account))
		return Min(times(pegs_total_rho(&account) - spent.from.rho, each.rho), times(spent.delta_left, each.delta));
	return Min(times(spent.epsilon_left, each.epsilon), times(spent.delta_left, each.delta));
}

/* NULL: there is no account. */
char *
pegs_calls_left_words(const PegsBill *bill, const char *call)
{
	int64		n = pegs_calls_left(bill);

	if (n < 0)
		return NULL;
	if (n == 0)
		return psprintf("the budget has not enough left for such a %s", call);
	return psprintf("the budget has enough left for %s such %s%s", pegs_units_text(n, 0), call, n == 1 ? "" : "s");
}
