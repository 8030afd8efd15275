/*
 * back.c
 *	  Does another server lead back to this database, and what is read here then?
 *
 * A server of postgres_fdw may be this one. By what its options say, and by what
 * libpq takes where they say nothing: the environment of this server, and for the
 * name of the database the user's. What could be either is taken for this one: it
 * matters only where a relation of that name is here. Of a host by its name, and of
 * the file of a service, it is not known. Locks are taken of nothing: the names are
 * other people's. Law L3.
 */
#include "source/source.h"

#include <pwd.h>
#include <unistd.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/reloptions.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_rewrite.h"
#include "catalog/pg_user_mapping.h"
#include "commands/dbcommands.h"
#include "commands/defrem.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* The value of an option; of more than one the last that is there. */
const char *
pegs_option_of(const List *options, const char *name, const char *otherwise)
{
	ListCell   *cell;

	foreach(cell, options)
		if (strcmp(lfirst_node(DefElem, cell)->defname, name) == 0)
			otherwise = defGetString(lfirst(cell));
	return otherwise;
}

/* As libpq takes it: an empty one is none, and then a variable of the environment counts. variable NULL: none does. */
static const char *
told(const List *options, const char *name, const char *variable, const char *otherwise)
{
	const char *value = pegs_option_of(options, name, "");

	if (*value == '\0' && variable && getenv(variable))
		value = getenv(variable);
	return *value == '\0' ? otherwise : value;
}

/* ---- is it this database? ---- */

/* One of a list, as libpq has them: "" is the socket of this machine. */
static bool
is_own_host(const char *host)
{
	static const char *const own[] = {"", "localhost", "0.0.0.0", "::", "::1"};

	for (size_t i = 0; i < lengthof(own); i++)
		if (pg_strcasecmp(host, own[i]) == 0)
			return true;
	return *host == '/' || *host == '@' || strncmp(host, "127.", 4) == 0;
}

static bool
is_own_port(const char *port)
{
	return strcmp(*port ? port : DEF_PGPORT_STR, GetConfigOption("port", false, false)) == 0;
}

/* Of a list, separated by commas. */
static bool
any_of(const char *list, bool (*is) (const char *one))
{
	char	   *one = pstrdup(list);
	char	   *end;

	for (; (end = strchr(one, ',')) != NULL; one = end + 1)
	{
		*end = '\0';
		if (is(one))
			return true;
	}
	return is(one);
}

/* The role of the operating system as which this server runs; NULL: not known. */
static const char *
user_of_system(void)
{
	struct passwd *entry = getpwuid(geteuid());

	return entry ? pstrdup(entry->pw_name) : NULL;
}

/*
 * No database is named: libpq goes to the one that is called as the user. Is one of
 * the server's users called so, or is it not known how they are called?
 */
static bool
a_user_is_called(Oid serverid, const char *database)
{
	Relation	rel = table_open(UserMappingRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
	HeapTuple	tuple;
	bool		any = false;
	bool		called = false;

	while (!called && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool		isnull;
		Datum		options = heap_getattr(tuple, Anum_pg_user_mapping_umoptions, RelationGetDescr(rel), &isnull);
		const char *user;

		if (((Form_pg_user_mapping) GETSTRUCT(tuple))->umserver != serverid)
			continue;
		any = true;
		user = told(isnull ? NIL : untransformRelOptions(options), "user", "PGUSER", NULL);
		user = user ? user : user_of_system();
		called = user == NULL || strcmp(user, database) == 0;
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return called || !any;
}

/* Does a server of postgres_fdw lead back to this database, as far as is known? */
static bool
leads_here(const ForeignServer *server)
{
	const List *options = server->options;
	const char *database = get_database_name(MyDatabaseId);
	/* what is not said is in a service's file; what is said goes before it */
	bool		by_service = *told(options, "service", "PGSERVICE", "") != '\0';
	const char *host = told(options, "hostaddr", by_service ? NULL : "PGHOSTADDR", told(options, "host", by_service ? NULL : "PGHOST", by_service ? NULL : ""));
	const char *port = told(options, "port", by_service ? NULL : "PGPORT", by_service ? NULL : DEF_PGPORT_STR);
	const char *dbname = told(options, "dbname", by_service ? NULL : "PGDATABASE", NULL);

	if (host == NULL || port == NULL || !any_of(host, is_own_host) || !any_of(port, is_own_port))
		return false;
	if (dbname)
		return strcmp(dbname, database) == 0;
	return by_service || a_user_is_called(server->serverid, database);
}

/* ---- what is read here then ---- */

bool
pegs_leads_back(Oid relid, const char **schema, const char **name)
{
	ForeignTable *table = GetForeignTable(relid);
	ForeignServer *server = GetForeignServer(table->serverid);

	if (!pegs_server_is_of(server, "postgres_fdw_handler"))
		return false;
	*schema = pegs_option_of(table->options, "schema_name", get_namespace_name(get_rel_namespace(relid)));
	*name = pegs_option_of(table->options, "table_name", get_rel_name(relid));
	return leads_here(server);
}

/* The relations that the query of a view is made of, whatever it is: its rule depends on them. */
static List *
below_view(Oid view)
{
	Relation	rules = table_open(RewriteRelationId, AccessShareLock);
	Relation	depend = table_open(DependRelationId, AccessShareLock);
	List	   *below = NIL;
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple	rule;

	ScanKeyInit(&key[0], Anum_pg_rewrite_ev_class, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(view));
	scan = systable_beginscan(rules, RewriteRelRulenameIndexId, true, NULL, 1, key);
	while (HeapTupleIsValid(rule = systable_getnext(scan)))
	{
		SysScanDesc uses;
		HeapTuple	use;

		if (((Form_pg_rewrite) GETSTRUCT(rule))->ev_type != '1')	/* ON SELECT */
			continue;
		ScanKeyInit(&key[0], Anum_pg_depend_classid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(RewriteRelationId));
		ScanKeyInit(&key[1], Anum_pg_depend_objid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(((Form_pg_rewrite) GETSTRUCT(rule))->oid));
		uses = systable_beginscan(depend, DependDependerIndexId, true, NULL, 2, key);
		while (HeapTupleIsValid(use = systable_getnext(uses)))
			if (((Form_pg_depend) GETSTRUCT(use))->refclassid == RelationRelationId)
				below = list_append_unique_oid(below, ((Form_pg_depend) GETSTRUCT(use))->refobjid);
		systable_endscan(uses);
	}
	systable_endscan(scan);
	table_close(depend, AccessShareLock);
	table_close(rules, AccessShareLock);
	return below;
}

/*
 * All that is read where a foreign table is: itself, and where it leads back, what
 * it names here: views down to tables, tables down to their parts, foreign tables
 * to wherever these lead.
 */
List *
pegs_read_behind(Oid relid)
{
	List	   *all = list_make1_oid(relid);

	for (int i = 0; i < list_length(all); i++)
	{
		Oid			one = list_nth_oid(all, i);
		char		relkind = get_rel_relkind(one);
		List	   *next = NIL;
		const char *schema;
		const char *name;

		CHECK_FOR_INTERRUPTS();
		if (relkind == RELKIND_VIEW || relkind == RELKIND_MATVIEW)
			next = below_view(one);
		else if (relkind == RELKIND_RELATION || relkind == RELKIND_PARTITIONED_TABLE)
			next = find_all_inheritors(one, NoLock, NULL);
		else if (relkind == RELKIND_FOREIGN_TABLE && pegs_leads_back(one, &schema, &name))
		{
			Oid			there = get_relname_relid(name, get_namespace_oid(schema, true));

			next = list_concat(find_all_inheritors(one, NoLock, NULL), OidIsValid(there) ? list_make1_oid(there) : NIL);
		}
		all = list_concat_unique_oid(all, next);
	}
	return all;
}
