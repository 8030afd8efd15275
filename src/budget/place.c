/*
 * place.c
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
 *
 * Of an account in rho the number of its sequence of rho is kept. A session
 * that still has the library of 0.2.0 knows no rho, compares the number with
 * the sequence of epsilon, and so takes the account for a copy: it would add
 * up epsilon, and no rho.
 */
#include "budget/budget.h"
#include "budget/account.h"

#include <sys/stat.h>

#include "access/htup_details.h"
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

void
pegs_require_one_budget(void)
{
	if (SPI_processed != 1)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("the privacy budget was set by another transaction after this one began"),
				 errhint("Try again in a new transaction.")));
}

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
	if (pegs_keeps("budget", "rho_spent"))
		pegs_spi("UPDATE pegs_internal.budget SET sequence = coalesce(rho_spent, epsilon_spent) WHERE source = $1", SPI_OK_UPDATE, 1, args);
	else if (pegs_keeps("budget", "sequence"))
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
