/*
 * mark.c
 *	  How far something is used up that was charged once.
 *
 * A mark is a permanent sequence that only rises. What lies below it is used
 * up for good: like a charge it is not rolled back, and it is on disk, and on
 * every synchronous standby, before anything is computed for it. A mark that
 * was copied does not count: the original may rise on, or has. It is known by
 * its account's place, and kept with that; in a copy until a superuser says
 * that it rises here alone (pegs_adopt_mark). Law L2; claims P5, P21.
 */
#include "budget/account.h"
#include "budget/budget.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/rel.h"

/* Its sequence, at 0. As the extension's owner, in SPI. */
Oid
pegs_new_mark(int64 grid)
{
	char	   *name = psprintf("grid_" INT64_FORMAT, grid);

	pegs_create_sequence(name);
	return pegs_internal_relation(name);
}

/* Where it was kept, in words, if not here; NULL: here. */
const char *
pegs_mark_copied_from(const PegsMark *mark)
{
	PegsPlace	place = {
		.system_identifier = mark->system_identifier,
		.timeline = mark->timeline,
		.database = mark->database,
		.sequence = mark->sequence,
		.kept = mark->kept,
		.keeps_home = true,
		.home = mark->home,
		.entry = mark->entry
	};

	return pegs_copied_from(&place);
}

/* ---- where it is kept ---- */

PegsMark
pegs_mark_at(int row, int column)
{
	HeapTuple	tuple = SPI_tuptable->vals[row];
	TupleDesc	desc = SPI_tuptable->tupdesc;
	PegsMark	mark = {.entry = -1};
	bool		isnull;
	Datum		value;

	mark.sequence = DatumGetObjectId(SPI_getbinval(tuple, desc, column, &isnull));
	mark.kept = DatumGetObjectId(SPI_getbinval(tuple, desc, column + 1, &isnull));
	mark.system_identifier = SPI_getvalue(tuple, desc, column + 2);
	mark.timeline = DatumGetInt64(SPI_getbinval(tuple, desc, column + 3, &isnull));
	mark.database = DatumGetObjectId(SPI_getbinval(tuple, desc, column + 4, &isnull));
	mark.home = SPI_getvalue(tuple, desc, column + 5);
	value = SPI_getbinval(tuple, desc, column + 6, &isnull);
	if (!isnull)
		mark.entry = DatumGetInt64(value);
	return mark;
}

/* Where its account is. As the extension's owner, in SPI. */
static void
record_with_account(int64 grid)
{
	PegsArg		id = {INT8OID, Int64GetDatum(grid), false};

	pegs_spi_now("UPDATE pegs_internal.grid AS g SET system_identifier = b.system_identifier, timeline = b.timeline, database = b.database, home = b.home,"
				 " entry = b.entry, sequence = g.used::pg_catalog.oid FROM pegs_internal.budget AS b WHERE b.id = g.budget AND g.id = $1", SPI_OK_UPDATE, 1, &id);
}

/* The account's place was written down anew, at home: so is that of its marks that are here. As the extension's owner, in SPI. */
void
pegs_record_marks(Oid source)
{
	PegsArg		account = {OIDOID, ObjectIdGetDatum(source), false};
	uint64		n;
	SPITupleTable *table;

	if (!pegs_keeps("grid", NULL))
		return;
	pegs_spi_now("SELECT g.id, " PEGS_MARK_COLUMNS " FROM pegs_internal.grid AS g JOIN pegs_internal.budget AS b ON b.id = g.budget WHERE b.source = $1"
				 " AND (g.timeline, g.home, g.entry) IS DISTINCT FROM (b.timeline, b.home, b.entry)", SPI_OK_SELECT, 1, &account);
	n = SPI_processed;
	table = SPI_tuptable;
	for (uint64 i = 0; i < n; i++)
	{
		PegsMark	mark;
		bool		isnull;

		SPI_tuptable = table;
		mark = pegs_mark_at((int) i, 2);
		if (pegs_mark_copied_from(&mark) == NULL)
			record_with_account(DatumGetInt64(SPI_getbinval(table->vals[i], table->tupdesc, 1, &isnull)));
	}
}

/*
 * From now on it is kept where its account is, which must be here; with a line
 * of the ledger. Whoever calls knows that it rises nowhere else any more, and
 * raises it over what was used up there.
 */
void
pegs_adopt_mark(Oid source, int64 grid, const char *object, const char *reason)
{
	PegsAccount account;
	PegsBought	spent;
	PegsAs		saved;

	if (!pegs_read_budget(source, &account))
		pegs_no_budget(source, 0, 0);
	(void) pegs_read_spent(&account, AccessShareLock, false, &spent);
	pegs_refuse_copied(source, &account, &spent, NULL);
	pegs_begin_as_extension(&saved);
	record_with_account(grid);
	pegs_require_one_budget();
	pegs_end_as(&saved);
	pegs_ledger_line(source, "adopt", object, &spent, NULL, reason);
}

/* ---- how far it is ---- */

int64
pegs_read_mark(const PegsMark *mark)
{
	Relation	rel = pegs_open_sequence(mark->sequence, AccessShareLock);
	int64		value = pegs_spent_of(rel);

	relation_close(rel, NoLock);
	return value;
}

void
pegs_refuse_new_mark(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the slices were set or adopted in this transaction"),
			 errdetail("What is used up of them could be rolled back with it."),
			 errhint("COMMIT first; then fit them, in the next transaction.")));
}

/* Durable when it returns. Whoever has read another value than is there now gets an error: it was raised meanwhile. */
void
pegs_raise_mark(const PegsMark *mark, int64 from, int64 to)
{
	PegsAccount none = {0};
	PegsAmounts nothing = {0};
	Relation	rel;

	pegs_refuse_where_nothing_can_be_written();
	rel = pegs_open_sequence(mark->sequence, ShareUpdateExclusiveLock);
	if (pegs_is_new_sequence(rel))
		pegs_refuse_new_mark();
	pegs_refuse_hands(mark->sequence);
	pegs_refuse_hands_on_tables();
	if (pegs_spent_of(rel) != from || to <= from)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("these slices were fitted by another session meanwhile"),
				 errhint("Try again, in a new transaction.")));
	pegs_advance(&none, &nothing, &nothing, mark->sequence, to, NULL);
	relation_close(rel, ShareUpdateExclusiveLock);
	pegs_make_durable();
}
