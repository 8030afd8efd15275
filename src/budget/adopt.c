/*
 * adopt.c
 *	  pegs_adopt: a superuser states what may be spent in a copy of a budget.
 *
 * Never more than the copy says is left. Law L2, claim P5.
 */
#include "budget/budget.h"
#include "source/source.h"
#include "budget/account.h"

#include "access/relation.h"
#include "access/xlog.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

/* What is left, or an error if more than that is asked for. */
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

/* pegs_adopt(source regclass, remaining double precision, reason text, remaining_delta double precision DEFAULT 0) */
PG_FUNCTION_INFO_V1(pegs_adopt);
Datum
pegs_adopt(PG_FUNCTION_ARGS)
{
	PegsSource *source;
	int64		remaining;
	int64		remaining_delta;
	char	   *reason;
	PegsAccount account;
	PegsAs		saved;
	Relation	epsilon;
	Relation	delta;
	PegsBought	interval = {0};
	int64		left;
	int64		delta_left;
	int64		recorded_epsilon;
	int64		recorded_delta;
	bool		advance;
	const char *copied_from;

	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("only a superuser can adopt a privacy budget"),
				 errhint("What may be spent here depends on what is spent by the other copies: ask whoever runs them.")));
	source = pegs_source(pegs_arg_oid(fcinfo, 0, "source"));
	remaining = pegs_arg_remaining(fcinfo, 1, "remaining", 9);
	reason = pegs_arg_text(fcinfo, 2, "reason");
	remaining_delta = pegs_arg_remaining(fcinfo, 3, "remaining_delta", 18);
	if (RecoveryInProgress() || XactReadOnly)
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("a privacy budget cannot be adopted in a read-only transaction"),
				 errhint("Promote the standby first, or use a read-write transaction.")));
	if (!pegs_read_budget(source->account, &account))
		pegs_no_budget(source->account, 0, 0);

	/*
	 * Its row first: whoever sets or adopts this account now is waited for,
	 * with no lock of the account in hand that chargers need. It is no longer a
	 * copy when this transaction commits.
	 */
	pegs_refuse_changed(&account, "the budget");
	copied_from = account.copied_from ? account.copied_from : "here";
	pegs_begin_as_extension(&saved);
	pegs_record_place(source->account);
	pegs_end_as(&saved);

	/* then what is spent, as a charge moves it: at once and for good, so nobody need wait for the end of this transaction */
	epsilon = pegs_open_sequence(account.epsilon_sequence, ShareUpdateExclusiveLock);
	delta = pegs_open_sequence(account.delta_sequence, AccessShareLock);
	pegs_refuse_new_sequence(epsilon, "the budget");
	pegs_refuse_new_sequence(delta, "the budget");
	if (!pegs_read_budget(source->account, &account))
		pegs_no_budget(source->account, 0, 0);
	interval.epsilon_from = pegs_spent_of(epsilon);
	interval.delta_from = pegs_spent_of(delta);
	/* set back, by a dump that was loaded or by hand: what the ledger knows counts as spent */
	pegs_recorded(source->account, &recorded_epsilon, &recorded_delta);
	advance = recorded_epsilon > interval.epsilon_from || recorded_delta > interval.delta_from;
	interval.epsilon_from = Max(interval.epsilon_from, recorded_epsilon);
	interval.delta_from = Max(interval.delta_from, recorded_delta);
	left = Max(account.total_epsilon - interval.epsilon_from, 0);
	delta_left = Max(account.total_delta - interval.delta_from, 0);
	only_downwards("remaining", remaining, left, 9);
	only_downwards("remaining_delta", remaining_delta, delta_left, 18);

	if (remaining_delta == 0 && delta_left > 0)
		ereport(NOTICE,
				(errmsg("no delta may be spent here any more: %s was left", pegs_units_text(delta_left, 18)),
				 errhint("That was remaining_delta; nothing gives it back but a new total (pegs_set_budget).")));
	/* a dump that was loaded over this database has set back the numbers of lines and models, too */
	if (advance)
	{
		bool		isnull;

		pegs_begin_as_extension(&saved);
		pegs_spi("SELECT greatest((SELECT last_value FROM pegs_internal.object_id), max(id))"
				 " FROM (SELECT max(id) AS id FROM pegs_internal.ledger UNION ALL SELECT max(id) FROM pegs_internal.model"
				 " UNION ALL SELECT max(id) FROM pegs_internal.release UNION ALL SELECT max(id) FROM pegs_internal.access"
				 " UNION ALL SELECT max(id) FROM pegs_internal.budget) AS n", SPI_OK_SELECT, 0, NULL);
		DirectFunctionCall2(setval_oid, ObjectIdGetDatum(pegs_internal_relation("object_id")),
							SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
		pegs_end_as(&saved);
	}
	pegs_note_origin(source->account);
	interval.epsilon_left = remaining;
	pegs_ledger_line(source->account, "adopt", NULL, &interval, left - remaining, delta_left - remaining_delta,
					 reason);
	/* last, because nothing takes it back: what can fail is done */
	advance = advance || remaining < left || remaining_delta < delta_left;
	if (advance)
		pegs_advance(account.epsilon_sequence, interval.epsilon_from + left - remaining,
					 account.delta_sequence, interval.delta_from + delta_left - remaining_delta, InvalidOid, 0, NULL);
	relation_close(delta, AccessShareLock);
	relation_close(epsilon, ShareUpdateExclusiveLock);
	if (advance)
		pegs_make_durable();
	ereport(LOG,
			(errmsg("pegs: the privacy budget of table \"%s\" was adopted: epsilon %s, delta %s may be spent here",
					get_rel_name(source->account), pegs_units_text(remaining, 9), pegs_units_text(remaining_delta, 18)),
			 errdetail("It was kept %s. Reason given: %s", copied_from, reason)));
	PG_RETURN_VOID();
}
