/*
 * adopt.c
 *	  pegs_adopt: a superuser states what may be spent in a copy of a budget.
 *
 * Never more than the copy says is left. Law L2, claim P5.
 */
#include "budget/account.h"
#include "budget/budget.h"
#include "source/source.h"

#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "core/epsilon.h"

/* One call: what is asked for, and what the account says. */
typedef struct Adoption
{
	Oid			source;			/* base table: the account */
	int64		remaining;		/* asked for */
	int64		remaining_delta;
	const char *reason;
	const char *was_kept;		/* where */
	PegsAccount account;
	PegsAmounts kept;			/* what the sequences say is spent */
	PegsBought	interval;		/* begins at what counts as spent */
	int64		left;
	int64		delta_left;
	bool		set_back;		/* the sequences say less than the ledger knows */
	PegsAmounts given_up;
} Adoption;

static void
require_superuser(void)
{
	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("only a superuser can adopt a privacy budget"),
				 errhint("What may be spent here depends on what is spent by the other copies: ask whoever runs them.")));
}

static void
require_read_write(void)
{
	if (RecoveryInProgress() || XactReadOnly)
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("a privacy budget cannot be adopted in a read-only transaction"),
				 errhint("Promote the standby first, or use a read-write transaction.")));
}

static void
require_budget(Adoption *a)
{
	if (!pegs_read_budget(a->source, &a->account))
		pegs_no_budget(a->source, 0, 0);
}

/*
 * Whoever sets or adopts this account now is waited for, with no lock of the
 * account in hand that chargers need. It is no longer a copy when this
 * transaction commits.
 */
static void
record_here(Adoption *a)
{
	PegsAs		saved;

	pegs_refuse_changed(a->source, &a->account);
	a->was_kept = a->account.copied_from ? a->account.copied_from : "here";
	pegs_begin_as_extension(&saved);
	pegs_record_place(a->source);
	pegs_end_as(&saved);
}

/* Set back, by a dump that was loaded or by hand: what the ledger knows counts as spent. */
static void
find_what_is_left(Adoption *a, Relation sequence[3])
{
	PegsAmounts recorded = pegs_recorded(a->source);
	PegsAmounts *from = &a->interval.from;

	a->kept = (PegsAmounts) {pegs_spent_of(sequence[0]), pegs_spent_of(sequence[1]), sequence[2] ? pegs_spent_of(sequence[2]) : 0};
	a->set_back = recorded.epsilon > a->kept.epsilon || recorded.delta > a->kept.delta || recorded.rho > a->kept.rho;
	*from = (PegsAmounts) {Max(a->kept.epsilon, recorded.epsilon), Max(a->kept.delta, recorded.delta), Max(a->kept.rho, recorded.rho)};
	pegs_find_left(&a->account, &a->interval);
	a->left = Max(a->interval.epsilon_left, 0);
	a->delta_left = Max(a->interval.delta_left, 0);
}

/*
 * In an account in rho what remains of epsilon is a share of what is left, and
 * the same share of its rho remains, rounded down: so much that the shares of
 * all copies add up to what was left.
 */
static void
find_what_is_given_up(Adoption *a)
{
	int64		rho_left = pegs_in_rho(&a->account) ? Max(pegs_total_rho(&a->account) - a->interval.from.rho, 0) : 0;

	a->given_up.delta = a->delta_left - a->remaining_delta;
	if (!pegs_in_rho(&a->account))
		a->given_up.epsilon = a->left - a->remaining;
	else if (a->remaining <= 0)
		a->given_up.rho = rho_left;
	else if (a->remaining < a->left)
		a->given_up.rho = rho_left - (int64) ((pegs_u128) rho_left * (pegs_u128) a->remaining / (pegs_u128) a->left);
}

static void
only_downwards(const char *name, int64 asked, int64 left, int digits)
{
	if (asked > left)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s %s is more than is left", name, pegs_units_text(asked, digits)),
				 errdetail("This copy says that %s is left.", pegs_units_text(left, digits)),
				 errhint("Adopting only lowers: give %s at most, less what was or will be spent elsewhere.",
						 pegs_units_text(left, digits))));
}

static void
say_delta_ends(const Adoption *a)
{
	if (a->remaining_delta == 0 && a->delta_left > 0)
		ereport(NOTICE,
				(pegs_in_rho(&a->account) ? errmsg("no delta may be spent here on learning levels any more: %s was left", pegs_units_text(a->delta_left, 18))
				 : errmsg("no delta may be spent here any more: %s was left", pegs_units_text(a->delta_left, 18)),
				 errhint("That was remaining_delta; nothing gives it back but a new total (pegs_set_budget).")));
}

#define HIGHEST_NUMBER "SELECT greatest((SELECT last_value FROM pegs_internal.object_id), max(id))" \
	" FROM (SELECT max(id) AS id FROM pegs_internal.ledger UNION ALL SELECT max(id) FROM pegs_internal.model" \
	" UNION ALL SELECT max(id) FROM pegs_internal.release UNION ALL SELECT max(id) FROM pegs_internal.access" \
	" UNION ALL SELECT max(id) FROM pegs_internal.budget"

/* A dump that was loaded over this database has set back the numbers of lines, models and slices, too. */
static void
move_numbers_forward(void)
{
	PegsAs		saved;
	bool		isnull;

	pegs_begin_as_extension(&saved);
	pegs_spi(pegs_keeps("grid", NULL) ? HIGHEST_NUMBER " UNION ALL SELECT max(id) FROM pegs_internal.grid) AS n"
			 : HIGHEST_NUMBER ") AS n", SPI_OK_SELECT, 0, NULL);
	DirectFunctionCall2(setval_oid, ObjectIdGetDatum(pegs_internal_relation("object_id")),
						SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	pegs_end_as(&saved);
}

/*
 * pegs_adopt(source regclass, remaining double precision, reason text, remaining_delta double precision DEFAULT 0)
 *
 * The budget's row first, then what is spent, as a charge moves it: at once
 * and for good, so nobody need wait for the end of this transaction.
 */
PG_FUNCTION_INFO_V1(pegs_adopt);
Datum
pegs_adopt(PG_FUNCTION_ARGS)
{
	Adoption	a = {0};
	Relation	sequence[3] = {NULL};
	PegsBought	after = {0};
	bool		advanced = false;

	require_superuser();
	a.source = pegs_source(pegs_arg_oid(fcinfo, 0, "source"))->account;
	a.remaining = pegs_arg_remaining(fcinfo, 1, "remaining", 9);
	a.reason = pegs_arg_text(fcinfo, 2, "reason");
	a.remaining_delta = pegs_arg_remaining(fcinfo, 3, "remaining_delta", 18);
	require_read_write();
	require_budget(&a);
	record_here(&a);

	sequence[0] = pegs_open_sequence(a.account.epsilon_sequence, ShareUpdateExclusiveLock);
	sequence[1] = pegs_open_sequence(a.account.delta_sequence, AccessShareLock);
	if (pegs_in_rho(&a.account))
		sequence[2] = pegs_open_sequence(a.account.rho_sequence, AccessShareLock);
	for (int i = 0; i < 3; i++)
		if (sequence[i])
			pegs_refuse_new_sequence(a.source, &a.account, sequence[i]);
	/* again, now that nobody can charge: the total may be another */
	require_budget(&a);
	find_what_is_left(&a, sequence);
	only_downwards("remaining", a.remaining, a.left, 9);
	only_downwards("remaining_delta", a.remaining_delta, a.delta_left, 18);
	say_delta_ends(&a);
	find_what_is_given_up(&a);
	if (a.set_back)
		move_numbers_forward();
	pegs_note_origin(a.source);
	after.from = (PegsAmounts) {a.interval.from.epsilon + a.given_up.epsilon, a.interval.from.delta + a.given_up.delta,
	a.interval.from.rho + a.given_up.rho};
	pegs_find_left(&a.account, &after);
	a.interval.epsilon_left = Max(after.epsilon_left, 0);
	pegs_ledger_line(a.source, "adopt", NULL, &a.interval, &a.given_up, a.reason);

	/* last, because nothing takes it back: what can fail is done */
	pegs_advance(&a.account, &a.kept, &after.from, InvalidOid, 0, &advanced);
	for (int i = 2; i >= 0; i--)
		if (sequence[i])
			relation_close(sequence[i], i == 0 ? ShareUpdateExclusiveLock : AccessShareLock);
	if (advanced)
		pegs_make_durable();
	ereport(LOG,
			(errmsg("pegs: the privacy budget of table \"%s\" was adopted: epsilon %s, delta %s may be spent here",
					get_rel_name(a.source), pegs_units_text(a.remaining, 9), pegs_units_text(a.remaining_delta, 18)),
			 errdetail("It was kept %s. Reason given: %s", a.was_kept, a.reason)));
	PG_RETURN_VOID();
}
