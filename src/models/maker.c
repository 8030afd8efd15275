/*
 * maker.c
 *	  Who made a release, by what grant, and how much of it is stored.
 *
 * A release is kept in tables of the extension's owner: a grant says how many
 * releases and how many stored rows it allows (pegs_limit). What counts is
 * what is stored, also by transactions that are still open; a release that
 * was dropped or rolled back counts no more. The maker may drop it.
 */
#include "models/models.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#define Anum_maker_release	1
#define Anum_maker_model	2
#define Anum_maker_maker	3
#define Anum_maker_grantee	4
#define Anum_maker_rows		5
#define Natts_maker			5

/* By a grant. What a curator makes belongs to the table: it is not his own when he is a curator no more. */
bool
pegs_is_maker(int64 release)
{
	Relation	rel;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	row;
	bool		by_curator;
	bool		isnull;
	bool		own = false;

	if (!pegs_keeps("maker", NULL))
		return false;
	rel = table_open(pegs_internal_relation("maker"), AccessShareLock);
	ScanKeyInit(&key, Anum_maker_release, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(release));
	scan = systable_beginscan(rel, pegs_internal_relation("maker_pkey"), true, NULL, 1, &key);
	row = systable_getnext(scan);
	if (HeapTupleIsValid(row))
	{
		(void) heap_getattr(row, Anum_maker_grantee, RelationGetDescr(rel), &by_curator);
		own = !by_curator
			&& has_privs_of_role(GetUserId(), DatumGetObjectId(heap_getattr(row, Anum_maker_maker, RelationGetDescr(rel), &isnull)));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return own;
}

/* Releases of a model, and what is stored by them: also by transactions that are open. */
typedef struct Made
{
	int64		releases;
	int64		rows;
	int64		open;			/* of these releases: that other transactions make */
} Made;

/* By a grant to `grantee` (NULL: all); `own`: those alone that the caller made. */
static Made
made_of(Relation rel, int64 model, const Oid *grantee, bool own)
{
	TupleDesc	desc = RelationGetDescr(rel);
	Made		made = {0};
	SnapshotData dirty;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	row;

	InitDirtySnapshot(dirty);
	ScanKeyInit(&key, Anum_maker_model, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(model));
	scan = systable_beginscan(rel, pegs_internal_relation("maker_model"), true, &dirty, 1, &key);
	while (HeapTupleIsValid(row = systable_getnext(scan)))
	{
		bool		isnull;
		Oid			by = DatumGetObjectId(heap_getattr(row, Anum_maker_grantee, desc, &isnull));

		if (grantee && (isnull || by != *grantee))
			continue;
		if (own && DatumGetObjectId(heap_getattr(row, Anum_maker_maker, desc, &isnull)) != GetUserId())
			continue;
		made.releases++;
		made.rows += DatumGetInt64(heap_getattr(row, Anum_maker_rows, desc, &isnull));
		/* of a row that its transaction has not committed, the snapshot says which; not of our own */
		made.open += TransactionIdIsValid(dirty.xmin);
	}
	systable_endscan(scan);
	return made;
}

/* Those that other transactions make and have not committed, by a grant to `role` (NULL: all). */
int64
pegs_count_open_releases(int64 model, const Oid *role)
{
	Relation	rel;
	Made		made;

	if (!pegs_keeps("maker", NULL))
		return 0;
	rel = table_open(pegs_internal_relation("maker"), AccessShareLock);
	made = made_of(rel, model, role, false);
	table_close(rel, AccessShareLock);
	return made.open;
}

static void
require_room(const char *what, const char *argument, int64 stored, int64 asked, int64 most)
{
	if (stored > most || asked > most - stored)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("the grant allows no more %s", what),
				 errdetail("Asked for " INT64_FORMAT "; " INT64_FORMAT " of " INT64_FORMAT " are stored.", asked, stored, most),
				 errhint("Drop a release that is not needed: SELECT pegs_drop(release); or ask a curator: pegs_limit(model, role, %s => ...).", argument)));
}

/* Before the charge: what the grant does not allow is not paid. */
void
pegs_record_maker(int64 release, const PegsModel *model, int64 n)
{
	int64		stored = pegs_is_sealed(model) ? n : 0;
	PegsGrant	grant;
	Relation	rel;
	Datum		values[Natts_maker] = {Int64GetDatum(release), Int64GetDatum(model->object), ObjectIdGetDatum(GetUserId()), 0, Int64GetDatum(stored)};
	bool		nulls[Natts_maker] = {false};
	HeapTuple	tuple;

	if (!pegs_find_grant(model->object, model->account, &grant))
		pegs_no_such(model->name);	/* taken back meanwhile */
	if (!grant.curator)
		pegs_refuse_prepare();
	if (!pegs_keeps("maker", NULL))
		return;
	values[Anum_maker_grantee - 1] = ObjectIdGetDatum(grant.grantee);
	nulls[Anum_maker_grantee - 1] = grant.curator;
	rel = table_open(pegs_internal_relation("maker"), RowExclusiveLock);
	tuple = heap_form_tuple(RelationGetDescr(rel), values, nulls);
	pegs_lock_moment();
	if (!grant.curator)
	{
		/* to everybody means: to each by himself */
		Made		made = made_of(rel, model->object, &grant.grantee, !OidIsValid(grant.grantee));

		if (grant.has_max_releases)
			require_room("releases", "max_releases", made.releases, 1, grant.max_releases);
		if (grant.has_max_rows && stored > 0)
			require_room("stored rows", "max_rows", made.rows, stored, grant.max_rows);
	}
	CatalogTupleInsert(rel, tuple);
	pegs_unlock_moment();
	heap_freetuple(tuple);
	table_close(rel, NoLock);
	CommandCounterIncrement();
}

/* A model or release of the caller's own: of a table of theirs, or, if that is enough, a release that they made. */
PegsObject
pegs_own_object(const char *name, const char *action, bool maker_may)
{
	PegsObject	object;

	if (!pegs_find_object(name, &object))
		pegs_no_such(name);
	if (pegs_is_curator(object.account) || (maker_may && object.is_release && pegs_is_maker(object.id)))
		return object;
	if (pegs_usable_grant(object.id, object.account) < 0)
		pegs_no_such(name);
	pegs_require_curator(object.account, action);
	return object;
}
