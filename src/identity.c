/*
 * identity.c
 *	  Where a budget is kept, and what becomes of its copies.
 *
 * A restored dump, a database made from a template, an upgraded cluster, a
 * recovered base backup and a promoted standby are copies of a ledger: the
 * original may be spending on, or has spent since. System identifier,
 * database, timeline, the number of a sequence and the file that was written
 * when the database was made are kept with the budget; where any of them
 * differs nothing can be spent until a superuser states what may be spent
 * here (pegs_adopt): never more than the copy says is left. Law L2, claim P5.
 *
 * The file is PG_VERSION in the database's directory. Nothing writes it again
 * as long as the database lives, so its modification time, in nanoseconds, and
 * its number (inode) stay over restart, crash, rename and VACUUM FULL. A
 * database that was dropped and made again has another one, even under the
 * same name and OID, which CREATEDB and ownership of the database are enough
 * for; so has a clone of the files: tar and cp -a keep the time, not the
 * number. Its change time is not kept: no copy has it, but neither has
 * the original after a chown or chmod, which containers do at each start.
 *
 * A standby has files of its own. Where pegs.after_promotion = allow lets a
 * promoted one spend on, the file cannot tell; the transaction that wrote the
 * database's row of pg_database is the same there, and is another one when the
 * database was made again, before or after the promotion. GRANT and ALTER
 * DATABASE change it as well: that is why it is not looked at otherwise.
 */
#include "ledger.h"

#include <sys/stat.h>

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xlog.h"
#include "catalog/pg_control.h"
#include "catalog/pg_type.h"
#include "common/controldata_utils.h"
#include "common/relpath.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "postmaster/bgwriter.h"
#include "storage/lwlock.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

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
static int64
timeline_now(void)
{
#if PG_VERSION_NUM >= 150000
	return GetWALInsertionTimeLine();
#else
	return ThisTimeLineID;
#endif
}

/* ---- the file of the database ---- */

static struct stat
version_file(void)
{
	char	   *path = psprintf("%s/PG_VERSION", GetDatabasePath(MyDatabaseId, MyDatabaseTableSpace));
	struct stat file;

	if (stat(path, &file) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not stat file \"%s\": %m", path)));
	return file;
}

static char *
file_text(const struct stat *file)
{
#if defined(WIN32)
	long		nanoseconds = 0;
#elif defined(__APPLE__)
	long		nanoseconds = file->st_mtimespec.tv_nsec;
#else
	long		nanoseconds = file->st_mtim.tv_nsec;
#endif

	return psprintf(INT64_FORMAT ".%09ld " UINT64_FORMAT, (int64) file->st_mtime, nanoseconds, (uint64) file->st_ino);
}

/*
 * The same, to be written down: replaying CREATE DATABASE writes the file
 * again, so a checkpoint must have passed since, on this timeline. A second is
 * as fine as its time is known.
 */
static char *
lasting_home(void)
{
	struct stat file = version_file();
	ControlFileData *control;
	bool		crc_is_right;

	LWLockAcquire(ControlFileLock, LW_SHARED);
	control = get_controlfile(DataDir, &crc_is_right);
	LWLockRelease(ControlFileLock);
	if (!crc_is_right || (int64) control->checkPointCopy.time <= (int64) file.st_mtime
		|| control->checkPointCopy.ThisTimeLineID != timeline_now())
		RequestCheckpoint(CHECKPOINT_IMMEDIATE | CHECKPOINT_FORCE | CHECKPOINT_WAIT);
	return file_text(&file);
}

/* pegs_internal.home() → text: for accounts that were made before it was kept */
PG_FUNCTION_INFO_V1(pegs_home);
Datum
pegs_home(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(lasting_home()));
}

/* The transaction that wrote the database's row of pg_database. */
static int64
database_entry(void)
{
	HeapTuple	tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
	TransactionId xmin;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for database %u", MyDatabaseId);
	xmin = HeapTupleHeaderGetRawXmin(tuple->t_data);
	ReleaseSysCache(tuple);
	return xmin;
}

/* ---- where a budget is kept ---- */

/* The account is kept here, from now on. As the extension's owner, in SPI. */
void
pegs_record_place(Oid source)
{
	PegsArg		args[6] = {
		{REGCLASSOID, ObjectIdGetDatum(source), false},
		{TEXTOID, CStringGetTextDatum(pegs_system_identifier()), false},
		{INT8OID, Int64GetDatum(timeline_now()), false},
		{OIDOID, ObjectIdGetDatum(MyDatabaseId), false}
	};

	pegs_spi("UPDATE pegs_internal.budget SET system_identifier = $2::numeric, timeline = $3, database = $4 WHERE source = $1",
			 SPI_OK_UPDATE, 4, args);
	pegs_require_one_budget();
	if (pegs_keeps("budget", "sequence"))
		pegs_spi("UPDATE pegs_internal.budget SET sequence = epsilon_spent WHERE source = $1", SPI_OK_UPDATE, 1, args);
	if (pegs_keeps("budget", "home"))
	{
		args[1] = (PegsArg) {TEXTOID, CStringGetTextDatum(lasting_home()), false};
		args[2] = (PegsArg) {INT8OID, Int64GetDatum(database_entry()), false};
		pegs_spi("UPDATE pegs_internal.budget SET home = $2, entry = $3 WHERE source = $1", SPI_OK_UPDATE, 3, args);
	}
}

/*
 * Where a budget was kept, in words; NULL: here. A standby cannot spend
 * anyway: there neither the timeline nor the file is looked at.
 */
const char *
pegs_copied_from(const PegsPlace *place)
{
	struct stat file;

	if (strcmp(place->system_identifier, pegs_system_identifier()) != 0)
		return "in another cluster";
	if (place->database != MyDatabaseId)
		return "in another database of this cluster";
	if (place->sequence != place->kept)
		return "in this database before a dump was restored into it";
	if (RecoveryInProgress())
		return NULL;
	if (place->timeline != timeline_now())
	{
		if (after_promotion == AFTER_PROMOTION_REFUSE)
			return psprintf("before a promotion or a recovery (timeline " INT64_FORMAT ", now " INT64_FORMAT ")",
							place->timeline, timeline_now());
		if (place->keeps_home && place->entry != database_entry())
			return psprintf("before a promotion or a recovery (timeline " INT64_FORMAT ", now " INT64_FORMAT
							"); the entry of the database has changed since", place->timeline, timeline_now());
		return NULL;
	}
	if (!place->keeps_home)
		return NULL;
	if (place->home == NULL)
		return "in a place that was not written down";
	file = version_file();
	if (strcmp(place->home, file_text(&file)) != 0)
		return "in other files: the database was copied, moved or made again";
	return NULL;
}

/* For a hint: of what is left a part, so that nobody gives all of it to a copy by pasting; and a part of delta, or all of it is given up. */
char *
pegs_adopt_command(Oid source, int64 epsilon_left, int64 delta_left)
{
	char	   *epsilon = pegs_units_text(Min(Max(epsilon_left, 0), PEGS_EPSILON_UNIT / 2), 9);
	char	   *delta = delta_left > 0 ? pegs_units_text(Min(delta_left, PEGS_DELTA_UNIT / 1000000000), 18) : NULL;

	return psprintf("SELECT pegs_adopt(%s, remaining => %s, reason => '...'%s%s);", pegs_relation_literal(source), epsilon,
					delta ? ", remaining_delta => " : "", delta ? delta : "");
}

void
pegs_refuse_copied(Oid source, const PegsAccount *account, const PegsBought *spent)
{
	if (account->copied_from != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the privacy budget of table \"%s\" is a copy", get_rel_name(source)),
				 errdetail("It was kept %s. What is spent there is not known here.", account->copied_from),
				 errhint("A superuser can state what may be spent here: %s",
						 pegs_adopt_command(source, account->total_epsilon - spent->epsilon_from,
											account->total_delta - spent->delta_from))));
}

/*
 * pegs_internal.copied_from(system_identifier numeric, timeline bigint, database oid, epsilon_spent regclass, sequence oid,
 * home text, entry bigint) → text: for the view pegs_budgets. Without the last two in 0.2.0.
 */
PG_FUNCTION_INFO_V1(pegs_elsewhere_sql);
Datum
pegs_elsewhere_sql(PG_FUNCTION_ARGS)
{
	PegsPlace	place = {0};
	const char *where;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3))
		PG_RETURN_NULL();
	place.system_identifier = DatumGetCString(DirectFunctionCall1(numeric_out, PG_GETARG_DATUM(0)));
	place.timeline = PG_GETARG_INT64(1);
	place.database = PG_GETARG_OID(2);
	place.sequence = PG_GETARG_OID(3);
	place.kept = PG_ARGISNULL(4) ? InvalidOid : PG_GETARG_OID(4);
	place.keeps_home = PG_NARGS() > 5;
	place.entry = -1;
	if (place.keeps_home && !PG_ARGISNULL(5))
		place.home = text_to_cstring(PG_GETARG_TEXT_PP(5));
	if (place.keeps_home && !PG_ARGISNULL(6))
		place.entry = PG_GETARG_INT64(6);
	where = pegs_copied_from(&place);
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
