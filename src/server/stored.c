/*
 * stored.c
 *	  A row of pegs_internal by a key, found without SQL, and which version of it that is.
 */
#include "server/server.h"

#include "access/detoast.h"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_index.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#define BYTES_AT_ONCE ((Size) 8 << 20)	/* between two questions whether to stop */

/* The index of a table of ours that begins with this column. */
static Oid
index_on(Relation rel, AttrNumber attnum)
{
	List	   *indexes = RelationGetIndexList(rel);
	Oid			found = InvalidOid;
	ListCell   *cell;

	foreach(cell, indexes)
	{
		HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
		Form_pg_index index;

		if (!HeapTupleIsValid(tuple))
			continue;
		index = (Form_pg_index) GETSTRUCT(tuple);
		if (index->indisvalid && index->indkey.values[0] == attnum)
			found = lfirst_oid(cell);
		ReleaseSysCache(tuple);
	}
	list_free(indexes);
	return found;
}

/* The row of pegs_internal.`table` whose `column` is `key`, by its index, as a statement of this moment would see it. */
void
pegs_look_up(PegsLookup *lookup, const char *table, const char *column, RegProcedure equal, Datum key)
{
	AttrNumber	attnum;
	ScanKeyData scankey;

	lookup->rel = table_open(pegs_internal_relation(table), AccessShareLock);
	attnum = get_attnum(RelationGetRelid(lookup->rel), column);
	lookup->index = index_open(index_on(lookup->rel, attnum), AccessShareLock);
	lookup->snapshot = RegisterSnapshot(GetTransactionSnapshot());
	/* the index is searched by its own collation */
	ScanKeyEntryInitialize(&scankey, 0, attnum, BTEqualStrategyNumber, InvalidOid, lookup->index->rd_indcollation[0], equal, key);
	lookup->scan = systable_beginscan(lookup->rel, RelationGetRelid(lookup->index), true, lookup->snapshot, 1, &scankey);
	lookup->tuple = systable_getnext(lookup->scan);
}

void
pegs_look_up_end(PegsLookup *lookup)
{
	systable_endscan(lookup->scan);
	UnregisterSnapshot(lookup->snapshot);
	index_close(lookup->index, AccessShareLock);
	table_close(lookup->rel, AccessShareLock);
}

PegsVersion
pegs_version_of(const PegsLookup *lookup)
{
	PegsVersion		version = {RelationGetRelid(lookup->rel), InvalidTransactionId, {{0, 0}, 0}};

	if (lookup->tuple)
	{
		version.xmin = HeapTupleHeaderGetRawXmin(lookup->tuple->t_data);
		version.ctid = lookup->tuple->t_self;
	}
	return version;
}

bool
pegs_same_version(const PegsVersion *a, const PegsVersion *b)
{
	return a->relid == b->relid && a->xmin == b->xmin
		&& ItemPointerEquals((ItemPointer) &a->ctid, (ItemPointer) &b->ctid);
}

/* A version that no other row will ever have: its transaction has ended. */
bool
pegs_is_settled(const PegsVersion *version)
{
	return !TransactionIdIsValid(version->xmin) || !TransactionIdIsCurrentTransactionId(version->xmin);
}

/* A column by its name; a column that this version of the SQL does not have is null. */
Datum
pegs_stored_column(const PegsLookup *lookup, const char *name, bool *isnull)
{
	AttrNumber	attnum = get_attnum(RelationGetRelid(lookup->rel), name);

	*isnull = true;
	return attnum == InvalidAttrNumber ? (Datum) 0 : heap_getattr(lookup->tuple, attnum, RelationGetDescr(lookup->rel), isnull);
}

Datum
pegs_needed_column(const PegsLookup *lookup, const char *name)
{
	bool		isnull;
	Datum		value = pegs_stored_column(lookup, name, &isnull);

	if (isnull)
		elog(ERROR, "unexpected null in pegs_internal");
	return value;
}

/* A copy of a column of bytes that PostgreSQL does not compress: read piece by piece, so that it is stopped however long it is. */
bytea *
pegs_needed_bytes(const PegsLookup *lookup, const char *name)
{
	Datum		stored = pegs_needed_column(lookup, name);
	Size		length = toast_raw_datum_size(stored) - VARHDRSZ;
	bytea	   *copy = palloc(VARHDRSZ + length);

	SET_VARSIZE(copy, VARHDRSZ + length);
	for (Size at = 0; at < length; at += BYTES_AT_ONCE)
	{
		Size		n = Min(length - at, BYTES_AT_ONCE);
		bytea	   *piece = DatumGetByteaPSlice(stored, (int32) at, (int32) n);

		CHECK_FOR_INTERRUPTS();
		memcpy(VARDATA(copy) + at, VARDATA_ANY(piece), n);
		pfree(piece);
	}
	return copy;
}
