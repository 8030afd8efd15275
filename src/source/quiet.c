/*
 * quiet.c
 *	  Nothing shows what was read: settings while rows are read, and locks that say no more than which relations.
 *
 * Settings end with the level that was begun before them, and parallel workers
 * have them, too. Law L5.
 */
#include "source/source.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "executor/instrument.h"
#include "storage/predicate.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

void
pegs_set_quiet_option(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/* Everybody may read the statistics views, and a filter is as long as the rows that it finds. Parallel workers have these settings, too. */
void
pegs_count_nothing(void)
{
	pegs_set_quiet_option("track_counts", "off");
	pegs_set_quiet_option("track_functions", "none");
	pegs_set_quiet_option("track_io_timing", "off");
	/* a plan has the statistics' words of how many rows it takes there to be, in the log and at who asks for that */
	pegs_set_quiet_option("debug_print_plan", "off");
	if (GetConfigOption("pg_stat_statements.track", true, false))
		pegs_set_quiet_option("pg_stat_statements.track", "none");
}

/* A message may hold a value, and a parallel worker writes its errors into the server's log by itself. */
void
pegs_say_nothing(void)
{
	pegs_set_quiet_option("log_min_messages", "fatal");
	pegs_set_quiet_option("client_min_messages", "error");
}

/* An ErrorContextCallback: what is said from here on is ours, and no value is in it. Not what a parallel worker says, which is told meanwhile: PostgreSQL gives that the callbacks of before it began. */
void
pegs_own_words(void *arg)
{
	(void) err_generic_string(PG_DIAG_CONSTRAINT_NAME, PEGS_OWN_WORDS);
}

/* pg_locks shows what a serializable transaction has read: lock whole relations, as if all of them had been. */
void
pegs_lock_whole(List *relations, Snapshot snapshot)
{
	ListCell   *cell;

	if (!IsolationIsSerializable())
		return;
	foreach(cell, relations)
	{
		char		relkind = get_rel_relkind(lfirst_oid(cell));
		Relation	rel;
		List	   *indexes;
		ListCell   *index;

		if (relkind != RELKIND_RELATION && relkind != RELKIND_MATVIEW)
			continue;
		rel = table_open(lfirst_oid(cell), AccessShareLock);
		PredicateLockRelation(rel, snapshot);
		indexes = RelationGetIndexList(rel);
		foreach(index, indexes)
		{
			Relation	irel = index_open(lfirst_oid(index), AccessShareLock);

			PredicateLockRelation(irel, snapshot);
			index_close(irel, NoLock);
		}
		list_free(indexes);
		table_close(rel, NoLock);
	}
}

/*
 * The files of a sort that did not end are closed by the abort, which would
 * count them and write their sizes into the log. It ends these settings
 * afterwards.
 */
void
pegs_abort_shows_nothing(void)
{
	(void) NewGUCNestLevel();
	pegs_set_quiet_option("track_counts", "off");
	pegs_set_quiet_option("log_temp_files", "-1");
}

/*
 * Files of ours that are as long as what was read: they are not counted, not in the log, and not among the blocks of the
 * command. An error ends this with its transaction, which closes the files before.
 */
void
pegs_begin_quiet(PegsQuiet *quiet)
{
	quiet->guc_level = NewGUCNestLevel();
	quiet->read = (int64) pgBufferUsage.temp_blks_read;
	quiet->written = (int64) pgBufferUsage.temp_blks_written;
	pegs_count_nothing();
	pegs_set_quiet_option("log_temp_files", "-1");
}

void
pegs_forget_files(const PegsQuiet *quiet)
{
	pgBufferUsage.temp_blks_read = quiet->read;
	pgBufferUsage.temp_blks_written = quiet->written;
}

void
pegs_end_quiet(const PegsQuiet *quiet)
{
	AtEOXact_GUC(true, quiet->guc_level);
}
