/*
 * citus.c
 *	  All that is assumed of Citus: a few of its catalog tables and of their columns, and one function.
 *
 * Citus keeps pg_catalog.pg_dist_local_group (groupid integer: 0 on the
 * coordinator), pg_catalog.pg_dist_partition (logicalrelid: what is distributed
 * or a reference table; on every node; partmethod "char": h, r or a where rows are in several shards, n where all are in one) and pg_catalog.pg_dist_shard (logicalrelid, shardid): a
 * shard of table t is a table t_<shardid> beside it. They are read by their
 * columns' names; where there are none, nothing here does anything.
 *
 * Each node is a server with a ledger of its own, so one table would have as
 * many accounts as there are nodes, and one more for each shard: it is the
 * coordinator's that pays (law L3). docs/scale.md.
 *
 * pg_catalog.run_command_on_shards(regclass, text, parallel boolean) gives
 * (shardid bigint, success boolean, result text) for each shard. It puts a
 * shard's name into the text by format(), with its schema, but for schema
 * public, which it leaves out. It connects as the current user, anew: what this
 * transaction has written is not seen there. It gives one value of one row as
 * text, NULL as '', and no row as '', too.
 */
#include "source/source.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

static Oid
catalog_of_citus(const char *name)
{
	return get_relname_relid(name, PG_CATALOG_NAMESPACE);
}

/* A value of each row of a catalog table; false: no more, or not by these names. */
typedef bool (*Meet) (void *to, const Datum *values);

static void
look_through(const char *table, int n, const char *const *columns, const Oid *types, Meet meet, void *to)
{
	Oid			relid = catalog_of_citus(table);
	Relation	rel;
	SysScanDesc scan;
	HeapTuple	tuple;
	AttrNumber	at[2];
	Datum		values[2];
	bool		more = true;

	/* another thing of that name is not Citus', and could not be read so */
	if (!OidIsValid(relid) || get_rel_relkind(relid) != RELKIND_RELATION)
		return;
	for (int i = 0; i < n; i++)
	{
		at[i] = get_attnum(relid, columns[i]);
		if (at[i] == InvalidAttrNumber || get_atttype(relid, at[i]) != types[i])
			return;
	}
	rel = table_open(relid, AccessShareLock);
	scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
	while (more && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool		missing = false;

		for (int i = 0; i < n && !missing; i++)
			values[i] = heap_getattr(tuple, at[i], RelationGetDescr(rel), &missing);
		more = missing || meet(to, values);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
}

static bool
meet_group(void *to, const Datum *values)
{
	*(int32 *) to = DatumGetInt32(values[0]);
	return false;
}

static bool
meet_relation(void *to, const Datum *values)
{
	if (DatumGetObjectId(values[0]) != *(Oid *) to)
		return true;
	*(Oid *) to = InvalidOid;
	return false;
}

bool
pegs_citus_distributes(Oid relid)
{
	static const char *const columns[] = {"logicalrelid"};
	static const Oid types[] = {REGCLASSOID};
	Oid			sought = relid;

	look_through("pg_dist_partition", 1, columns, types, meet_relation, &sought);
	return !OidIsValid(sought);
}

typedef struct Shard
{
	Oid			relid;
	char	   *name;
	Oid			table;			/* what it is a shard of */
} Shard;

static bool
meet_shard(void *to, const Datum *values)
{
	Shard	   *shard = to;
	Oid			table = DatumGetObjectId(values[0]);
	char	   *name = get_rel_name(table);
	char		number[32];
	size_t		long_name = strlen(shard->name);
	size_t		long_number;

	if (name == NULL || get_rel_namespace(table) != get_rel_namespace(shard->relid))
		return true;
	long_number = snprintf(number, sizeof(number), "_" INT64_FORMAT, DatumGetInt64(values[1]));
	/* a long name is cut and hashed by Citus: its number alone is compared then */
	if (long_name <= long_number || strcmp(shard->name + long_name - long_number, number) != 0)
		return true;
	if (strlen(name) + long_number < NAMEDATALEN && (strlen(name) + long_number != long_name || strncmp(name, shard->name, strlen(name)) != 0))
		return true;
	shard->table = table;
	return false;
}

/* The distributed table that it is a shard of; or InvalidOid. */
static Oid
table_of_shard(Oid relid)
{
	static const char *const columns[] = {"logicalrelid", "shardid"};
	static const Oid types[] = {REGCLASSOID, INT8OID};
	Shard		shard = {relid, get_rel_name(relid), InvalidOid};

	if (shard.name)
		look_through("pg_dist_shard", 2, columns, types, meet_shard, &shard);
	return shard.table;
}

/* Before an account is made, pays or is marked: an error unless it is the coordinator's, of a whole table. */
void
pegs_citus_require_coordinator(Oid account)
{
	static const char *const columns[] = {"groupid"};
	static const Oid types[] = {INT4OID};
	int32		group = 0;
	Oid			table;

	look_through("pg_dist_local_group", 1, columns, types, meet_group, &group);
	if (group != 0 && pegs_citus_distributes(account))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" is distributed by Citus, and this node is not its coordinator", get_rel_name(account)),
				 errdetail("Each node has a ledger of its own: one table would have an account on each."),
				 errhint("Connect to the coordinator (SELECT nodename, nodeport FROM pg_catalog.pg_dist_node WHERE groupid = 0;) and call it there.")));
	table = table_of_shard(account);
	if (OidIsValid(table))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" is a shard of table \"%s\", which Citus distributes", get_rel_name(account), get_rel_name(table)),
				 errdetail("The account of the whole table pays for its rows, on the coordinator."),
				 errhint("Connect to the coordinator, and name the whole table: %s.", quote_identifier(get_rel_name(table)))));
}

/* Related tables are read by one query, under one snapshot. Of rows on several servers there is none: who a row belongs to would not be sure. */
void
pegs_citus_refuse_related(Oid relid)
{
	ListCell   *cell;

	foreach(cell, find_all_inheritors(relid, AccessShareLock, NULL))
		if (pegs_citus_distributes(lfirst_oid(cell)))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("table \"%s\" is distributed by Citus: it cannot be one of a model of several tables", get_rel_name(lfirst_oid(cell))),
					 errdetail("Their rows are read at one moment, so that each is counted for whom it belongs to. Shards are read each at its own."),
					 errhint("Fit it alone, by pegs_fit. Of a table below the root: leave it out, tables => '{...}'.")));
}

/* ---- by shard ---- */

#define SHARDS_AT_ONCE 32		/* each is a connection: as many as a table has where nobody says otherwise */

typedef struct Method
{
	Oid			relid;
	char		method;			/* 0: it is not distributed */
} Method;

static bool
meet_method(void *to, const Datum *values)
{
	Method	   *sought = to;

	if (DatumGetObjectId(values[0]) != sought->relid)
		return true;
	sought->method = DatumGetChar(values[1]);
	return false;
}

/* Are its rows in several shards, each row in one? */
static bool
has_shards(Oid relid)
{
	static const char *const columns[] = {"logicalrelid", "partmethod"};
	static const Oid types[] = {REGCLASSOID, CHAROID};
	Method		sought = {relid, 0};

	look_through("pg_dist_partition", 2, columns, types, meet_method, &sought);
	return sought.method == 'h' || sought.method == 'r' || sought.method == 'a';
}

static bool
is_written(Oid relid)
{
	LOCKTAG		tag;

	SET_LOCKTAG_RELATION(tag, MyDatabaseId, relid);
	for (LOCKMODE mode = RowExclusiveLock; mode <= AccessExclusiveLock; mode++)
#if PG_VERSION_NUM >= 170000
		if (LockHeldByMe(&tag, mode, false))
#else
		if (LockHeldByMe(&tag, mode))
#endif
			return true;
	return false;
}

static bool
meet_written(void *to, const Datum *values)
{
	*(bool *) to |= is_written(DatumGetObjectId(values[0]));
	return !*(bool *) to;
}

/*
 * May there be rows that this transaction alone sees? Citus writes them by
 * transactions of its own connections, and a foreign key or a function there
 * may write to other tables than are locked here: only a transaction that
 * begins with this command, and has locked no distributed table for writing,
 * is taken for one that has none. An id says nothing: a fit that has noted its
 * name has one. Not seen is what a function wrote that Citus ran on a worker,
 * in the same DO or the same function: docs/scale.md says so.
 */
static bool
may_have_written(void)
{
	static const char *const columns[] = {"logicalrelid"};
	static const Oid types[] = {REGCLASSOID};
	bool		written = false;

	if (IsTransactionBlock() || IsInParallelMode())
		return true;
	look_through("pg_dist_partition", 1, columns, types, meet_written, &written);
	return written;
}

/* Citus' own, by its place, its arguments and whose member it is; InvalidOid: there is none. Nobody's search_path has a say. */
static Oid
run_on_shards(void)
{
	Oid			types[] = {REGCLASSOID, TEXTOID, BOOLOID};
	Oid			function = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum("run_command_on_shards"),
										   PointerGetDatum(buildoidvector(types, 3)), ObjectIdGetDatum(PG_CATALOG_NAMESPACE));
	Oid			extension = get_extension_oid("citus", true);

	return OidIsValid(function) && OidIsValid(extension) && getExtensionOfObject(ProcedureRelationId, function) == extension ? function : InvalidOid;
}

static bool
may_execute(Oid function, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(ProcedureRelationId, function, role, ACL_EXECUTE) == ACLCHECK_OK;
#else
	return pg_proc_aclcheck(function, role, ACL_EXECUTE) == ACLCHECK_OK;
#endif
}

/* Why a table that Citus distributes is not read shard by shard, as that role; NULL: it can be. */
const char *
pegs_citus_why_whole(Oid relid, const List *parts, Oid role)
{
	Oid			function = run_on_shards();
	ListCell   *cell;

	if (!has_shards(relid))
		return "it has no shards with rows of their own";
	foreach(cell, parts)
		if (!has_shards(lfirst_oid(cell)))
			return "a part of it has no shards";
	if (!OidIsValid(function))
		return "there is no function run_command_on_shards of the extension citus";
	if (!may_execute(function, role))
		return "its owner may not call run_command_on_shards";
	if (IsolationUsesXactSnapshot())
		return "the transaction has a snapshot that other connections do not have";
	if (may_have_written())
		return "it is read in a transaction that may have written rows, which other connections do not see";
	return NULL;
}

typedef struct Shards
{
	Oid			relid;
	int64	   *number;
	int			n;
	int			room;
} Shards;

static bool
meet_number(void *to, const Datum *values)
{
	Shards	   *shards = to;

	if (DatumGetObjectId(values[0]) != shards->relid)
		return true;
	if (shards->n == shards->room)
		shards->number = repalloc(shards->number, sizeof(int64) * (shards->room *= 2));
	shards->number[shards->n++] = DatumGetInt64(values[1]);
	return true;
}

/* The numbers of its shards, as the catalog has them now. */
int
pegs_citus_shards(Oid relid, int64 **number)
{
	static const char *const columns[] = {"logicalrelid", "shardid"};
	static const Oid types[] = {REGCLASSOID, INT8OID};
	Shards		shards = {relid, palloc(sizeof(int64) * 32), 0, 32};

	look_through("pg_dist_shard", 2, columns, types, meet_number, &shards);
	*number = shards.number;
	return shards.n;
}

/* A query that runs SELECT what FROM a shard, on each: (shard, done, one value as text). */
char *
pegs_citus_query(Oid relid, const char *what, int nshards)
{
	StringInfoData command;
	bool		unnamed = strcmp(get_namespace_name(get_rel_namespace(relid)), "public") == 0;

	initStringInfo(&command);
	appendStringInfoString(&command, "SELECT ");
	for (const char *p = what; *p; p++)
	{
		appendStringInfoChar(&command, *p);
		if (*p == '%')
			appendStringInfoChar(&command, '%');
	}
	appendStringInfo(&command, " FROM %s%%s", unnamed ? "public." : "");
	return psprintf("SELECT r.shardid, r.success, r.result FROM pg_catalog.run_command_on_shards(%u::pg_catalog.oid::pg_catalog.regclass, %s::pg_catalog.text, %s) AS r",
					relid, quote_literal_cstr(command.data), nshards <= SHARDS_AT_ONCE ? "true" : "false");
}
