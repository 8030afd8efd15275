/*
 * mark.c
 *	  How far something is used up that was charged once.
 *
 * A mark is a permanent sequence that only rises. What lies below it is used
 * up for good: like a charge it is not rolled back, and it is on disk, and on
 * every synchronous standby, before anything is computed for it. A mark that
 * was copied does not count: the original may rise on, or has. Nothing adopts
 * one: in a copy it is paid for anew. Law L2; claims P5, P21.
 */
#include "budget/account.h"
#include "budget/budget.h"

#include "access/relation.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "utils/rel.h"

/* Its sequence, at 0. As the extension's owner, in SPI. */
Oid
pegs_new_mark(int64 grid)
{
	char	   *name = psprintf("grid_" INT64_FORMAT, grid);

	pegs_create_sequence(name);
	return pegs_internal_relation(name);
}

/* Where it was made, in words, if not here; NULL: here. */
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
			 errmsg("the slices were set in this transaction"),
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
