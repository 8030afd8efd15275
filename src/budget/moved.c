/*
 * moved.c
 *	  Are the rows that an account pays for where others see them?
 *
 * What a transaction has changed of foreign tables, parts, servers and user mappings nobody else sees, and it can be rolled back.
 * A charge cannot. Whether another account is for the same rows is asked by the catalog (elsewhere.c), of both: so a charge of rows
 * elsewhere is refused, whichever of them was changed, until that is committed. And rows must have been read from where they
 * are by that catalog (source/connections.c). Law L3.
 */
#include "budget/account.h"
#include "budget/budget.h"
#include "source/source.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/reloptions.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_foreign_server.h"
#include "catalog/pg_foreign_table.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_user_mapping.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/* Not by what was rolled back. */
static bool
is_made_here(HeapTuple tuple)
{
	return TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data));
}

static bool
is_ended_here(HeapTuple tuple)
{
	uint16		mask = tuple->t_data->t_infomask;

	return !(mask & HEAP_XMAX_INVALID) && !HEAP_XMAX_IS_LOCKED_ONLY(mask) && TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetUpdateXid(tuple->t_data));
}

/* Does one of its rows, made or ended in this transaction, matter? Also of those that nobody sees any more. */
static bool
any_changed(Oid catalog, bool (*matters) (HeapTuple tuple, const List *of), const List *of)
{
	Relation	rel = table_open(catalog, AccessShareLock);
	SysScanDesc scan = systable_beginscan(rel, InvalidOid, false, SnapshotAny, 0, NULL);
	HeapTuple	tuple;
	bool		any = false;

	while (!any && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		CHECK_FOR_INTERRUPTS();
		any = (is_made_here(tuple) || is_ended_here(tuple)) && (matters == NULL || matters(tuple, of));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return any;
}

/* Is there a foreign table, or one that this transaction has dropped? Most databases have none. */
static bool
any_was_foreign(void)
{
	Relation	rel = table_open(ForeignTableRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(rel, InvalidOid, false, SnapshotAny, 0, NULL);
	bool		any = HeapTupleIsValid(systable_getnext(scan));

	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return any;
}

/* What comes or goes with it. Of a foreign one that is dropped the row of pg_foreign_table ends, too. */
static bool
has_foreign(Oid relid)
{
	return pegs_has_foreign(list_make1_oid(relid))
		|| (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid)) && has_subclass(relid) && pegs_has_foreign(pegs_paid_parts(relid)));
}

/* Of pg_inherits. */
static bool
brings_foreign(HeapTuple tuple, const List *of)
{
	return has_foreign(((Form_pg_inherits) GETSTRUCT(tuple))->inhrelid);
}

/* Of pg_inherits: it went from one of these. */
static bool
has_left(HeapTuple tuple, const List *of)
{
	Form_pg_inherits part = (Form_pg_inherits) GETSTRUCT(tuple);

	return is_ended_here(tuple) && list_member_oid(of, part->inhparent)
		&& (has_foreign(part->inhrelid) || !SearchSysCacheExists1(RELOID, ObjectIdGetDatum(part->inhrelid)));
}

/* ---- names and owners ---- */

typedef struct Named
{
	Oid			catalog;
	Oid			index;			/* by OID */
	int			cache;			/* the same */
	bool		(*differs) (HeapTuple before, HeapTuple now, const List *options);
} Named;

/* Another owner reads by another user mapping, and another one of the same owner is refused, not told. */
static bool
has_other_owner(HeapTuple before, HeapTuple now, const List *options)
{
	return ((Form_pg_class) GETSTRUCT(before))->relowner != ((Form_pg_class) GETSTRUCT(now))->relowner;
}

/* Where no option says it, a foreign table stands for what is called as it is. */
static bool
names_other(HeapTuple before, HeapTuple now, const List *options)
{
	Form_pg_class a = (Form_pg_class) GETSTRUCT(before);
	Form_pg_class b = (Form_pg_class) GETSTRUCT(now);

	return has_other_owner(before, now, NIL)
		|| (pegs_option_of(options, "table_name", NULL) == NULL && strcmp(NameStr(a->relname), NameStr(b->relname)) != 0)
		|| (pegs_option_of(options, "schema_name", NULL) == NULL && a->relnamespace != b->relnamespace);
}

static bool
is_other_schema(HeapTuple before, HeapTuple now, const List *options)
{
	return strcmp(NameStr(((Form_pg_namespace) GETSTRUCT(before))->nspname), NameStr(((Form_pg_namespace) GETSTRUCT(now))->nspname)) != 0;
}

static const Named table = {RelationRelationId, ClassOidIndexId, RELOID, has_other_owner};
static const Named foreign_table = {RelationRelationId, ClassOidIndexId, RELOID, names_other};
static const Named schema = {NamespaceRelationId, NamespaceOidIndexId, NAMESPACEOID, is_other_schema};

/* Is what this transaction has changed of it what matters? By each version that it made or ended. */
static bool
is_changed_here(const Named *what, Oid object, const List *options)
{
	HeapTuple	now = SearchSysCache1(what->cache, ObjectIdGetDatum(object));
	bool		changed = false;
	Relation	rel;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	if (!HeapTupleIsValid(now))
		return false;
	if (is_made_here(now))
	{
		rel = table_open(what->catalog, AccessShareLock);
		ScanKeyInit(&key, 1, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(object));
		scan = systable_beginscan(rel, what->index, true, SnapshotAny, 1, &key);
		while (!changed && HeapTupleIsValid(tuple = systable_getnext(scan)))
			changed = (is_made_here(tuple) || is_ended_here(tuple)) && what->differs(tuple, now, options);
		systable_endscan(scan);
		table_close(rel, AccessShareLock);
	}
	ReleaseSysCache(now);
	return changed;
}

/* Of all foreign tables: their names and owners. */
static bool
any_is_renamed(void)
{
	Relation	rel = table_open(ForeignTableRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
	HeapTuple	tuple;
	bool		any = false;

	while (!any && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Oid			relid = ((Form_pg_foreign_table) GETSTRUCT(tuple))->ftrelid;
		bool		isnull;
		Datum		told = heap_getattr(tuple, Anum_pg_foreign_table_ftoptions, RelationGetDescr(rel), &isnull);
		List	   *options = isnull ? NIL : untransformRelOptions(told);

		CHECK_FOR_INTERRUPTS();
		any = is_changed_here(&foreign_table, relid, options)
			|| (pegs_option_of(options, "schema_name", NULL) == NULL && is_changed_here(&schema, get_rel_namespace(relid), NIL));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return any;
}

static bool
any_has_other_owner(void)
{
	ListCell   *cell;

	foreach(cell, pegs_all_accounts())
		if (is_changed_here(&table, lfirst_oid(cell), NIL))
			return true;
	return false;
}

/* By this transaction, as it stands now: where rows elsewhere are, or whose. What is bound to what is asked by others (bind.c, bound.c). */
static bool
any_is_moved_here(void)
{
	return TransactionIdIsValid(GetTopTransactionIdIfAny())
		&& (any_changed(ForeignTableRelationId, NULL, NIL) || any_changed(ForeignServerRelationId, NULL, NIL) || any_changed(UserMappingRelationId, NULL, NIL)
			|| any_changed(InheritsRelationId, brings_foreign, NIL) || any_is_renamed() || any_has_other_owner());
}

/* ---- what is refused ---- */

static void
refuse_moved(Oid account)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("where rows of \"%s\" are, or of another account, was changed in this transaction", get_rel_name(account)),
			 errdetail("It has changed a foreign table, a part, a server or a user mapping. Who charges another account for the same rows does not see it yet."),
			 errhint("COMMIT; and spend in the next transaction.")));
}

static bool
any_is_of_postgres(const List *servers)
{
	ListCell   *cell;

	foreach(cell, servers)
	{
		ForeignServer *server = GetForeignServerExtended(lfirst_oid(cell), FSV_MISSING_OK);

		if (server && pegs_server_is_of(server, "postgres_fdw_handler"))
			return true;
	}
	return false;
}

static void
refuse_not_there(Oid account, const List *servers)
{
	if (pegs_connections_are_unknown() && any_is_of_postgres(servers))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("extension postgres_fdw does not say where its connections are"),
				 errdetail("Its version in this database is older than its library."),
				 errhint("ALTER EXTENSION postgres_fdw UPDATE;")));
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("rows of \"%s\" may come from where its server was, and not from where it is now", get_rel_name(account)),
			 errdetail("A server or user mapping may have changed since this transaction has used its connection, which stays until the transaction ends."),
			 errhint("Call it again, in a transaction of its own.")));
}

/* before: no row was read yet. */
static void
require_there(Oid account, bool before)
{
	List	   *parts;
	List	   *servers;
	bool		foreign;

	if (!any_was_foreign())
		return;
	parts = pegs_paid_parts(account);
	foreign = pegs_has_foreign(parts);
	if ((foreign || (TransactionIdIsValid(GetTopTransactionIdIfAny()) && any_changed(InheritsRelationId, has_left, parts))) && any_is_moved_here())
		refuse_moved(account);
	if (!foreign)
		return;
	pegs_require_few_hosts(parts);
	servers = pegs_servers_of(parts);
	if (pegs_not_read_there(servers, before))
		refuse_not_there(account, servers);
}

/* Before long work: a friendly answer. */
void
pegs_refuse_moved(Oid account)
{
	require_there(account, true);
}

void
pegs_require_there(Oid account)
{
	require_there(account, false);
}

/* Of what can be rolled back with its transaction, as the change. */
void
pegs_require_read_there(Oid account)
{
	List	   *servers = any_was_foreign() ? pegs_servers_of(pegs_paid_parts(account)) : NIL;

	if (pegs_not_read_there(servers, false))
		refuse_not_there(account, servers);
}

/* ---- what is taken as public ---- */

/* Of a lookup table and its parts, before they are read: others must see where they are. */
bool
pegs_public_is_moved(const List *parts)
{
	return pegs_has_foreign(parts) && any_is_moved_here();
}

/* And when they are: they came from there. */
void
pegs_require_public_there(Oid lookup, const List *parts)
{
	List	   *servers = pegs_has_foreign(parts) ? pegs_servers_of(parts) : NIL;

	if (pegs_not_read_there(servers, false))
		refuse_not_there(lookup, servers);
}
