/*
 * foreign.c
 *	  What the catalog says of a foreign table: its server, that one's wrapper, its options.
 *
 * Nobody has locked it: what is being dropped is none. Law L3.
 */
#include "source/source.h"

#include "access/htup_details.h"
#include "access/reloptions.h"
#include "catalog/pg_foreign_table.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "foreign/foreign.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

/*
 * Is it one of postgres_fdw, or file_fdw? A wrapper's name is its owner's choice, it
 * can be given another, and there may be several: what it does is its handler's.
 */
bool
pegs_server_is_of(const ForeignServer *server, const char *handler)
{
	ForeignDataWrapper *wrapper = GetForeignDataWrapperExtended(server->fdwid, FDW_MISSING_OK);
	HeapTuple	tuple = wrapper ? SearchSysCache1(PROCOID, ObjectIdGetDatum(wrapper->fdwhandler)) : NULL;
	bool		is_of = false;

	if (HeapTupleIsValid(tuple))
	{
		bool		null;
		Datum		symbol = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &null);

		is_of = ((Form_pg_proc) GETSTRUCT(tuple))->prolang == ClanguageId && !null && strcmp(TextDatumGetCString(symbol), handler) == 0;
		ReleaseSysCache(tuple);
	}
	return is_of;
}

/* Of a relation that nobody has locked. False: it is no foreign table, or it is being dropped. */
bool
pegs_foreign(Oid relid, ForeignServer **server, List **options)
{
	HeapTuple	tuple = SearchSysCache1(FOREIGNTABLEREL, ObjectIdGetDatum(relid));
	bool		isnull;
	Datum		told;

	if (!HeapTupleIsValid(tuple))
		return false;
	told = SysCacheGetAttr(FOREIGNTABLEREL, tuple, Anum_pg_foreign_table_ftoptions, &isnull);
	*options = isnull ? NIL : untransformRelOptions(told);
	*server = GetForeignServerExtended(((Form_pg_foreign_table) GETSTRUCT(tuple))->ftserver, FSV_MISSING_OK);
	ReleaseSysCache(tuple);
	return *server != NULL;
}

/* Of Oid: servers of those that are foreign tables. */
List *
pegs_servers_of(const List *parts)
{
	List	   *servers = NIL;
	ListCell   *cell;

	foreach(cell, parts)
	{
		HeapTuple	tuple = SearchSysCache1(FOREIGNTABLEREL, ObjectIdGetDatum(lfirst_oid(cell)));

		if (!HeapTupleIsValid(tuple))
			continue;
		servers = list_append_unique_oid(servers, ((Form_pg_foreign_table) GETSTRUCT(tuple))->ftserver);
		ReleaseSysCache(tuple);
	}
	return servers;
}
