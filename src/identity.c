/*
 * identity.c
 *	  Where a budget is kept, and what becomes of its copies.
 *
 * A restored dump, a database made from a template, an upgraded cluster, a
 * recovered base backup and a promoted standby are copies of a ledger: the
 * original may be spending on, or has spent since. System identifier,
 * database, timeline and the number of a sequence are kept with the budget;
 * where any of them differs nothing can be spent until a
 * superuser states what may be spent here (pegs_adopt): never more than the
 * copy says is left. Law L2, claim P5.
 */
#include "ledger.h"

#include "access/relation.h"
#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* Only in the configuration file: no session, role or database can change it. */
enum
{
	AFTER_PROMOTION_REFUSE,
	AFTER_PROMOTION_ALLOW
};

static int	after_promotion = AFTER_PROMOTION_REFUSE;

static const struct config_enum_entry after_promotion_options[] = {
	{"refuse", AFTER_PROMOTION_REFUSE, false},
	{"allow", AFTER_PROMOTION_ALLOW, false},
	{NULL, 0, false}
};

void
pegs_define_after_promotion(void)
{
	DefineCustomEnumVariable("pegs.after_promotion",
							 "May a privacy budget be spent on after a promotion or a recovery to a point in time?",
							 "\"allow\" is safe only where every promoted standby was synchronous and no backup is recovered.",
							 &after_promotion, AFTER_PROMOTION_REFUSE, after_promotion_options,
							 PGC_SIGHUP, 0, NULL, NULL, NULL);
}

char *
pegs_system_identifier(void)
{
	return psprintf(UINT64_FORMAT, GetSystemIdentifier());
}

/* Not during recovery. */
int64
pegs_timeline(void)
{
#if PG_VERSION_NUM >= 150000
	return GetWALInsertionTimeLine();
#else
	return ThisTimeLineID;
#endif
}

/*
 * Where a budget was kept, in words; NULL: here. `sequence` is the one that
 * counts what is spent, `kept` its number when the budget was set. A standby cannot spend anyway: there
 * the timeline is not looked at.
 */
const char *
pegs_elsewhere(const char *system_identifier, int64 timeline, Oid database, Oid sequence, Oid kept)
{
	if (strcmp(system_identifier, pegs_system_identifier()) != 0)
		return "in another cluster";
	if (database != MyDatabaseId)
		return "in another database of this cluster";
	if (sequence != kept)
		return "in this database before a dump was restored into it";
	if (!RecoveryInProgress() && timeline != pegs_timeline() && after_promotion == AFTER_PROMOTION_REFUSE)
		return psprintf("before a promotion or a recovery (timeline " INT64_FORMAT ", now " INT64_FORMAT ")",
						timeline, pegs_timeline());
	return NULL;
}

void
pegs_refuse_elsewhere(Oid source, const PegsAccount *account, int64 spent)
{
	int64		left = Max(account->total_epsilon - spent, 0);

	if (account->elsewhere != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the privacy budget of table \"%s\" is a copy", get_rel_name(source)),
				 errdetail("It was kept %s. What is spent there is not known here.", account->elsewhere),
				 errhint("A superuser can state what may be spent here: SELECT pegs_adopt(%s, remaining => %s, reason => '...');",
						 pegs_relation_literal(source), pegs_units_text(Min(left, INT64CONST(500000000)), 9))));
}

/* pegs_internal.elsewhere(system_identifier numeric, timeline bigint, database oid, epsilon_spent regclass, sequence oid) → text: for the view pegs_budgets */
PG_FUNCTION_INFO_V1(pegs_elsewhere_sql);
Datum
pegs_elsewhere_sql(PG_FUNCTION_ARGS)
{
	const char *where;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3))
		PG_RETURN_NULL();
	where = pegs_elsewhere(DatumGetCString(DirectFunctionCall1(numeric_out, PG_GETARG_DATUM(0))),
						   PG_GETARG_INT64(1), PG_GETARG_OID(2),
						   PG_GETARG_OID(3), PG_ARGISNULL(4) ? InvalidOid : PG_GETARG_OID(4));
	if (where == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(where));
}

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
	PegsBought	interval;
	int64		left;
	int64		delta_left;
	int64		recorded_epsilon;
	int64		recorded_delta;
	bool		advance;
	PegsArg		args[4] = {{0}};

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
		pegs_no_budget(source->account);

	/* chargers wait until this transaction ends */
	epsilon = pegs_open_sequence(account.epsilon, ShareUpdateExclusiveLock);
	delta = pegs_open_sequence(account.delta, AccessShareLock);
	pegs_refuse_new_sequence(epsilon, "the budget");
	pegs_refuse_new_sequence(delta, "the budget");
	if (!pegs_read_budget(source->account, &account))
		pegs_no_budget(source->account);
	pegs_refuse_changed(&account, "the budget");
	interval.epsilon_from = pegs_spent_of(epsilon);
	interval.delta_from = pegs_spent_of(delta);
	relation_close(delta, NoLock);
	relation_close(epsilon, NoLock);
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
	args[0] = (PegsArg) {REGCLASSOID, ObjectIdGetDatum(source->account), false};
	args[1] = (PegsArg) {TEXTOID, CStringGetTextDatum(pegs_system_identifier()), false};
	args[2] = (PegsArg) {INT8OID, Int64GetDatum(pegs_timeline()), false};
	args[3] = (PegsArg) {OIDOID, ObjectIdGetDatum(MyDatabaseId), false};
	pegs_begin_as_extension(&saved);
	/* a dump that was loaded over this database has set back the numbers of lines and models, too */
	if (advance)
		pegs_spi("SELECT setval('pegs_internal.object_id', greatest((SELECT last_value FROM pegs_internal.object_id), max(id)))"
				 " FROM (SELECT max(id) AS id FROM pegs_internal.ledger UNION ALL SELECT max(id) FROM pegs_internal.model"
				 " UNION ALL SELECT max(id) FROM pegs_internal.release UNION ALL SELECT max(id) FROM pegs_internal.access"
				 " UNION ALL SELECT max(id) FROM pegs_internal.budget) AS n", SPI_OK_SELECT, 0, NULL);
	pegs_spi("UPDATE pegs_internal.budget SET system_identifier = $2::numeric, timeline = $3, database = $4, sequence = epsilon_spent WHERE source = $1",
			 SPI_OK_UPDATE, 4, args);
	pegs_require_one_budget();
	pegs_end_as(&saved);
	interval.epsilon_left = remaining;
	pegs_ledger_line(source->account, "adopt", NULL, &interval, left - remaining, delta_left - remaining_delta,
					 reason);
	/* last, because nothing takes it back: what can fail is done */
	if (advance || remaining < left || remaining_delta < delta_left)
		pegs_advance(account.epsilon, interval.epsilon_from + left - remaining,
					 account.delta, interval.delta_from + delta_left - remaining_delta, InvalidOid, 0);
	ereport(LOG,
			(errmsg("pegs: the privacy budget of table \"%s\" was adopted: epsilon %s, delta %s may be spent here",
					get_rel_name(source->account), pegs_units_text(remaining, 9), pegs_units_text(remaining_delta, 18)),
			 errdetail("It was kept %s. Reason given: %s", account.elsewhere ? account.elsewhere : "here", reason)));
	PG_RETURN_VOID();
}
