/*
 * citus.c
 *	  All that is assumed of Citus: two of its catalog tables and a few of their columns.
 *
 * Citus keeps pg_catalog.pg_dist_local_group (groupid integer: 0 on the
 * coordinator), pg_catalog.pg_dist_partition (logicalrelid: what is distributed
 * or a reference table; on every node) and pg_catalog.pg_dist_shard (logicalrelid, shardid): a
 * shard of table t is a table t_<shardid> beside it. They are read by their
 * columns' names; where there are none, nothing here does anything.
 *
 * Each node is a server with a ledger of its own, so one table would have as
 * many accounts as there are nodes, and one more for each shard: it is the
 * coordinator's that pays (law L3). docs/scale.md.
 */
#include "source/source.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

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
