/*
 * origin.c
 *	  Which table an account belongs to, when tables are dropped and numbers
 *	  come round.
 *
 * Everything is kept by the number of a table (OID). A dropped table takes its
 * sealed models and its declared facts with it (remains.c: an event trigger);
 * its account is closed; what was released stays with the role that owned it.
 * A number can come round and an event trigger can be off: so there is also
 * the transaction that made the table, as pg_depend knows it: the row that ties
 * the table's row type to it. No command but DROP touches that row, no right on
 * the table reaches it (a GRANT rewrites rows of pg_class and pg_attribute),
 * VACUUM keeps the number. What does not fit is dead: nothing can be charged to
 * it, it has no curator but the owner it had, and when the new table is used
 * here its remains move to a number of their own (pegs_settle_first).
 * Law L9.
 */
#include "source/source.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#define Anum_origin_relation	1
#define Anum_origin_made		2
#define Anum_origin_owner		3
#define Anum_origin_system		4
#define Anum_origin_database	5
#define Anum_origin_dropped		6

/* The transaction that made the table, by the row of pg_depend that makes its row type a part of it. */
static TransactionId
maker_of(Oid relid)
{
	Oid			rowtype = get_rel_type_id(relid);
	TransactionId xid = InvalidTransactionId;
	Relation	rel;
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	if (!OidIsValid(rowtype))
		return InvalidTransactionId;
	rel = table_open(DependRelationId, AccessShareLock);
	ScanKeyInit(&key[0], Anum_pg_depend_classid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(TypeRelationId));
	ScanKeyInit(&key[1], Anum_pg_depend_objid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(rowtype));
	scan = systable_beginscan(rel, DependDependerIndexId, true, NULL, 2, key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend depend = (Form_pg_depend) GETSTRUCT(tuple);

		if (depend->refclassid == RelationRelationId && depend->refobjid == relid && depend->deptype == DEPENDENCY_INTERNAL)
			xid = HeapTupleHeaderGetRawXmin(tuple->t_data);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return xid;
}

/* What a snapshot shows of the account's table; NULL: the newest. */
typedef struct Origin
{
	bool		known;
	bool		fits;			/* it is the table that has the number now */
	Oid			owner;			/* the last role that owned it; InvalidOid: not known */
} Origin;

static Origin
origin_by(Oid account, Snapshot snapshot)
{
	bool		exists = SearchSysCacheExists1(RELOID, ObjectIdGetDatum(account));
	Origin		origin = {false, false, InvalidOid};
	Relation	rel = table_open(pegs_internal_relation("origin"), AccessShareLock);
	TupleDesc	desc = RelationGetDescr(rel);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	row;

	snapshot = RegisterSnapshot(snapshot);
	ScanKeyInit(&key, Anum_origin_relation, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(account));
	scan = systable_beginscan(rel, pegs_internal_relation("origin_relation"), true, snapshot, 1, &key);
	while (HeapTupleIsValid(row = systable_getnext(scan)))
	{
		bool		isnull;
		bool		alive;
		TransactionId made = DatumGetTransactionId(heap_getattr(row, Anum_origin_made, desc, &isnull));

		(void) heap_getattr(row, Anum_origin_dropped, desc, &alive);
		/* in a copy or an upgraded cluster the numbers of transactions are others; what was dropped is dropped there, too */
		if (alive && (strcmp(TextDatumGetCString(heap_getattr(row, Anum_origin_system, desc, &isnull)), pegs_system_identifier()) != 0
					  || DatumGetObjectId(heap_getattr(row, Anum_origin_database, desc, &isnull)) != MyDatabaseId))
			continue;
		origin.known = true;
		origin.owner = DatumGetObjectId(heap_getattr(row, Anum_origin_owner, desc, &isnull));
		if (alive && exists && maker_of(account) == made)
			origin.fits = true;
	}
	systable_endscan(scan);
	UnregisterSnapshot(snapshot);
	table_close(rel, AccessShareLock);
	return origin;
}

/*
 * Is the table of the account gone, whatever has its number now? `owner`: the
 * last role that owned it, if that is known.
 */
bool
pegs_is_dead(Oid account, Oid *owner)
{
	bool		exists = SearchSysCacheExists1(RELOID, ObjectIdGetDatum(account));
	Origin		origin;

	*owner = InvalidOid;
	if (!OidIsValid(account) || !pegs_keeps("origin", NULL))
		return !exists;
	origin = origin_by(account, NULL);
	*owner = origin.owner;
	return origin.known ? !origin.fits : !exists;
}

/*
 * Models and releases are read by the transaction's snapshot. One that is older
 * than a DROP still shows those of the dropped table, under a number that may
 * be another table's by now: what this transaction reads under it is not that
 * table's. `owner`: as above, of the dropped table.
 */
bool
pegs_was_another(Oid account, Oid *owner)
{
	Origin		origin;

	*owner = InvalidOid;
	if (!IsolationUsesXactSnapshot() || !OidIsValid(account) || !pegs_keeps("origin", NULL))
		return false;
	origin = origin_by(account, GetTransactionSnapshot());
	*owner = origin.owner;
	return origin.known && !origin.fits;
}

void
pegs_insert_origin(Oid relation, TransactionId made, Oid owner, bool dropped)
{
	PegsArg		args[6] = {
		{OIDOID, ObjectIdGetDatum(relation), false},
		{XIDOID, TransactionIdGetDatum(made), false},
		{OIDOID, ObjectIdGetDatum(owner), false},
		{TEXTOID, CStringGetTextDatum(pegs_system_identifier()), false},
		{OIDOID, ObjectIdGetDatum(MyDatabaseId), false},
		{BOOLOID, BoolGetDatum(dropped), false}
	};

	pegs_spi("INSERT INTO pegs_internal.origin (relation, made, owner, system_identifier, database, dropped) VALUES ($1::pg_catalog.regclass, $2,"
			 " $3::pg_catalog.regrole, $4, $5, CASE WHEN $6 THEN pg_catalog.clock_timestamp() END)", SPI_OK_INSERT, 6, args);
}

/* What a dropped table left under this number goes first (remains.c, which is above us: set when the library is loaded). */
void		(*pegs_settle_first) (Oid account) = NULL;

/* Keeps what the table is known by, and whose it is. No row is unique: two sessions make none of them wait. */
void
pegs_note_origin(Oid account)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(account));
	Oid			owner;
	PegsArg		args[4];
	PegsAs		saved;

	if (!HeapTupleIsValid(tuple) || !pegs_keeps("origin", NULL))
	{
		if (HeapTupleIsValid(tuple))
			ReleaseSysCache(tuple);
		return;
	}
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	args[0] = (PegsArg) {OIDOID, ObjectIdGetDatum(account), false};
	args[1] = (PegsArg) {XIDOID, TransactionIdGetDatum(maker_of(account)), false};
	args[2] = (PegsArg) {OIDOID, ObjectIdGetDatum(owner), false};
	args[3] = (PegsArg) {TEXTOID, CStringGetTextDatum(pegs_system_identifier()), false};
	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT FROM pegs_internal.origin WHERE relation = $1 AND made = $2 AND owner = $3 AND system_identifier = $4"
				 " AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())",
				 SPI_OK_SELECT, 4, args);
	if (SPI_processed == 0)
		pegs_insert_origin(account, DatumGetTransactionId(args[1].value), owner, false);
	pegs_end_as(&saved);
}
