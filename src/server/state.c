/*
 * state.c
 *	  The extension's own schema, and working as its owner.
 *
 * State lives in schema pegs_internal, where only the extension's owner can
 * read. C code becomes that role for one statement at a time, with a pinned
 * search_path and no way to change session state, and never runs a query text
 * with a value of the data in it.
 */
#include "server/server.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_namespace.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

/*
 * pegs_internal is known by being a part of the extension, not by its name: a
 * superuser may rename it, and then another role may make one of that name.
 * Looked for once in each transaction: the catalog is the only other session
 * that could change it. Several schemas of the extension: the one that holds
 * a table of the extension by the name of ours.
 */
static Oid
find_schema(void)
{
	Oid			extension = get_extension_oid("pegs", true);
	Oid			found = get_namespace_oid("pegs_internal", true);
	Relation	depends;
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	if (!OidIsValid(extension))
		return InvalidOid;
	if (OidIsValid(found) && getExtensionOfObject(NamespaceRelationId, found) == extension)
		return found;
	found = InvalidOid;
	depends = table_open(DependRelationId, AccessShareLock);
	ScanKeyInit(&key[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(ExtensionRelationId));
	ScanKeyInit(&key[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(extension));
	scan = systable_beginscan(depends, DependReferenceIndexId, true, NULL, 2, key);
	while (!OidIsValid(found) && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend member = (Form_pg_depend) GETSTRUCT(tuple);
		Oid			table;

		if (member->classid != NamespaceRelationId || member->deptype != DEPENDENCY_EXTENSION)
			continue;
		table = get_relname_relid("access", member->objid);
		if (OidIsValid(table) && getExtensionOfObject(RelationRelationId, table) == extension)
			found = member->objid;
	}
	systable_endscan(scan);
	table_close(depends, AccessShareLock);
	return found;
}

static Oid	known_schema = InvalidOid;
static LocalTransactionId known_in = InvalidLocalTransactionId;

static void
forget_schema(Datum arg, int cacheid, uint32 hashvalue)
{
	known_in = InvalidLocalTransactionId;
}

void
pegs_watch_schema(void)
{
	CacheRegisterSyscacheCallback(NAMESPACEOID, forget_schema, (Datum) 0);
}

LocalTransactionId
pegs_transaction(void)
{
#if PG_VERSION_NUM >= 170000
	return MyProc->vxid.lxid;
#else
	return MyProc->lxid;
#endif
}

/* The schema of our tables; InvalidOid: there is none, DROP EXTENSION has taken it away. */
static Oid
internal_schema(bool missing_ok)
{
	LocalTransactionId now = pegs_transaction();

	if (known_in != now || now == InvalidLocalTransactionId)
	{
		known_in = now;			/* first: what comes in meanwhile makes us look again */
		known_schema = find_schema();
	}
	if (!OidIsValid(known_schema) && !missing_ok)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the schema of the extension's tables is not a part of the extension"),
				 errhint("CREATE EXTENSION pegs; or, if somebody has taken it out: ALTER EXTENSION pegs ADD SCHEMA pegs_internal;")));
	return known_schema;
}

Oid
pegs_internal_schema(void)
{
	return internal_schema(false);
}

/* The name of a relation of ours, for a person to paste. */
char *
pegs_internal_name(Oid relid)
{
	return quote_qualified_identifier(get_namespace_name(internal_schema(false)), get_rel_name(relid));
}

Oid
pegs_extension_owner(void)
{
	HeapTuple	tuple = SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(internal_schema(false)));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for the extension's schema");
	owner = ((Form_pg_namespace) GETSTRUCT(tuple))->nspowner;
	ReleaseSysCache(tuple);
	return owner;
}

/* The schema of what users call. */
Oid
pegs_extension_namespace(void)
{
	Relation	rel = table_open(ExtensionRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	Oid			schema;

	ScanKeyInit(&key, Anum_pg_extension_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(get_extension_oid("pegs", false)));
	scan = systable_beginscan(rel, ExtensionOidIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "the extension is missing");
	schema = ((Form_pg_extension) GETSTRUCT(tuple))->extnamespace;
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return schema;
}

/* Its name, quoted. */
const char *
pegs_extension_schema(void)
{
	return quote_identifier(get_namespace_name(pegs_extension_namespace()));
}

Oid
pegs_internal_relation(const char *name)
{
	Oid			relid = get_relname_relid(name, internal_schema(false));

	if (!OidIsValid(relid))
		elog(ERROR, "relation pegs_internal.%s is missing", name);
	return relid;
}

bool
pegs_keeps(const char *relation, const char *column)
{
	Oid			relid = get_relname_relid(relation, internal_schema(true));

	return OidIsValid(relid) && (column == NULL || get_attnum(relid, column) != InvalidAttrNumber);
}

void
pegs_require_kept(const char *relation, const char *column)
{
	if (!pegs_keeps(relation, column))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the extension's SQL is older than its library"),
				 errhint("ALTER EXTENSION pegs UPDATE;")));
}

int
pegs_pin_search_path(void)
{
	int			level = NewGUCNestLevel();

	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	return level;
}

void
pegs_begin_as(PegsAs *saved, Oid role)
{
	GetUserIdAndSecContext(&saved->userid, &saved->sec_context);
	SetUserIdAndSecContext(role, saved->sec_context | SECURITY_LOCAL_USERID_CHANGE
						   | SECURITY_RESTRICTED_OPERATION);
	saved->guc_level = pegs_pin_search_path();
	(void) set_config_option("row_security", "off", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
}

void
pegs_begin_as_extension(PegsAs *saved)
{
	pegs_begin_as(saved, pegs_extension_owner());
}

void
pegs_end_as(PegsAs *saved)
{
	SPI_finish();
	AtEOXact_GUC(false, saved->guc_level);
	SetUserIdAndSecContext(saved->userid, saved->sec_context);
}

int64
pegs_next_id(void)
{
	return DatumGetInt64(DirectFunctionCall1(nextval_oid, ObjectIdGetDatum(pegs_internal_relation("object_id"))));
}

/* A row written straight to the heap and its indexes, as the extension's owner would. */
void
pegs_insert_secret(const char *relation, int natts, Datum *values)
{
	Relation	rel = table_open(pegs_internal_relation(relation), RowExclusiveLock);
	bool	   *nulls = palloc0(sizeof(bool) * natts);
	HeapTuple	tuple = heap_form_tuple(RelationGetDescr(rel), values, nulls);

	CatalogTupleInsert(rel, tuple);
	heap_freetuple(tuple);
	table_close(rel, NoLock);
	CommandCounterIncrement();
}

char *
pegs_system_identifier(void)
{
	return psprintf(UINT64_FORMAT, GetSystemIdentifier());
}
