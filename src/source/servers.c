/*
 * servers.c
 *	  Which other server is at work while a plan runs: the one that an error is of.
 *
 * What another server says is not shown (law L5), but which it was is a public
 * fact, and who has many of them must know. Each foreign scan of a plan has a
 * copy of its callbacks; around them we note the server. Where none has begun
 * yet, postgres_fdw's own words name the server that it could not reach.
 */
#include "source/source.h"

#include "access/reloptions.h"
#include "catalog/pg_class.h"
#include "catalog/pg_foreign_table.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "executor/execAsync.h"
#include "executor/executor.h"
#include "foreign/fdwapi.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_relation.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

typedef struct Watched
{
	FdwRoutine	routine;		/* first: the executor's view of it */
	const FdwRoutine *original;
	PegsServers *servers;
	const char *name;
} Watched;

static TupleTableSlot *
iterate(ForeignScanState *node)
{
	Watched    *w = (Watched *) node->fdwroutine;
	TupleTableSlot *slot;

	w->servers->at = w->name;
	slot = w->original->IterateForeignScan(node);
	w->servers->at = NULL;
	return slot;
}

static Watched *
watched_of(AsyncRequest *request)
{
	return (Watched *) castNode(ForeignScanState, request->requestee)->fdwroutine;
}

static void
async_request(AsyncRequest *request)
{
	Watched    *w = watched_of(request);

	w->servers->at = w->name;
	w->original->ForeignAsyncRequest(request);
	w->servers->at = NULL;
}

static void
async_wait(AsyncRequest *request)
{
	Watched    *w = watched_of(request);

	w->servers->at = w->name;
	w->original->ForeignAsyncConfigureWait(request);
	w->servers->at = NULL;
}

static void
async_notify(AsyncRequest *request)
{
	Watched    *w = watched_of(request);

	w->servers->at = w->name;
	w->original->ForeignAsyncNotify(request);
	w->servers->at = NULL;
}

static bool
watch(PlanState *state, void *context)
{
	if (state && IsA(state, ForeignScanState))
	{
		ForeignScanState *scan = (ForeignScanState *) state;
		Watched    *w = palloc0(sizeof(Watched));

		w->original = scan->fdwroutine;
		w->routine = *scan->fdwroutine;
		w->servers = context;
		w->name = GetForeignServer(((ForeignScan *) state->plan)->fs_server)->servername;
		w->routine.IterateForeignScan = iterate;
		if (w->original->ForeignAsyncRequest)
			w->routine.ForeignAsyncRequest = async_request;
		if (w->original->ForeignAsyncConfigureWait)
			w->routine.ForeignAsyncConfigureWait = async_wait;
		if (w->original->ForeignAsyncNotify)
			w->routine.ForeignAsyncNotify = async_notify;
		scan->fdwroutine = &w->routine;
	}
	return planstate_tree_walker(state, watch, context);
}

/* Of a plan that is about to run. */
void
pegs_watch_servers(PegsServers *servers, PlanState *plan)
{
	if (servers->names == NIL)
		return;
	(void) watch(plan, servers);
	pegs_note_connections(plan);
}

static void
add_server(PegsServers *servers, Oid relid)
{
	char	   *name = GetForeignServer(GetForeignTable(relid)->serverid)->servername;
	ListCell   *cell;

	foreach(cell, servers->names)
		if (strcmp(lfirst(cell), name) == 0)
			return;
	servers->names = lappend(servers->names, name);
}

/* Those of the foreign tables among these relations. */
void
pegs_add_servers(PegsServers *servers, const List *relations)
{
	ListCell   *cell;

	foreach(cell, relations)
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_FOREIGN_TABLE)
			add_server(servers, lfirst_oid(cell));
}

/*
 * A walker: the servers of foreign tables that a query reads, and of parts that are. Asked before it is planned: then the
 * other server may be asked, too. And of the plan: a part may have come in between.
 */
bool
pegs_find_servers(Node *node, void *servers)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		ListCell   *cell;

		foreach(cell, ((Query *) node)->rtable)
		{
			RangeTblEntry *rte = lfirst(cell);

			if (rte->rtekind == RTE_RELATION)
				pegs_add_servers(servers, rte->inh ? find_all_inheritors(rte->relid, AccessShareLock, NULL) : list_make1_oid(rte->relid));
		}
		return query_tree_walker((Query *) node, pegs_find_servers, servers, 0);
	}
	return expression_tree_walker(node, pegs_find_servers, servers);
}

static void
require_mapping(Oid relid, Oid role, const char *what)
{
	ForeignServer *server = GetForeignServer(GetForeignTable(relid)->serverid);

	if (!pegs_server_is_of(server, "postgres_fdw_handler")
		|| SearchSysCacheExists2(USERMAPPINGUSERSERVER, ObjectIdGetDatum(role), ObjectIdGetDatum(server->serverid))
		|| SearchSysCacheExists2(USERMAPPINGUSERSERVER, ObjectIdGetDatum(InvalidOid), ObjectIdGetDatum(server->serverid)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("%s is read as role \"%s\", which has no user mapping for server \"%s\"", what, GetUserNameFromId(role, false), server->servername),
			 errhint("CREATE USER MAPPING FOR %s SERVER %s OPTIONS (user '...', password '...');",
					 quote_identifier(GetUserNameFromId(role, false)), quote_identifier(server->servername))));
}

/*
 * A walker, of a query whose views are expanded: a foreign table is read as the owner of the view above it, or as the reading's role. Asked
 * before another server is: postgres_fdw says it, too, but with an SQLSTATE that the other server may have chosen, and words that are not shown.
 */
bool
pegs_require_mappings(Node *node, void *reading)
{
	const PegsReading *r = reading;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		Query	   *query = (Query *) node;
		ListCell   *cell;
		ListCell   *part;

		foreach(cell, query->rtable)
		{
			RangeTblEntry *rte = lfirst(cell);
			Oid			role;

			if (rte->rtekind != RTE_RELATION)
				continue;
			role = PEGS_RIGHTS_IN(query, rte)->checkAsUser;
			foreach(part, rte->inh ? find_all_inheritors(rte->relid, AccessShareLock, NULL) : list_make1_oid(rte->relid))
				if (get_rel_relkind(lfirst_oid(part)) == RELKIND_FOREIGN_TABLE)
					require_mapping(lfirst_oid(part), OidIsValid(role) ? role : r->role, r->name);
		}
		return query_tree_walker(query, pegs_require_mappings, reading, 0);
	}
	return expression_tree_walker(node, pegs_require_mappings, reading);
}

/* The server that an error is of, in words ('server "shard2"'). NULL: none has a say. */
static const char *
failed_server(const PegsServers *servers, const ErrorData *error)
{
	StringInfoData all;
	ListCell   *cell;

	if (servers->names == NIL)
		return NULL;
	if (servers->at)
		return psprintf("server \"%s\"", servers->at);
	if (list_length(servers->names) == 1)
		return psprintf("%sserver \"%s\"", error->sqlerrcode == ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION ? "" : "this server or ",
						(char *) linitial(servers->names));
	/* of what it says no more is taken than which of the names that are known here */
	if ((error->sqlerrcode == ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION || error->sqlerrcode == ERRCODE_CONNECTION_EXCEPTION) && error->message)
		foreach(cell, servers->names)
			if (strstr(error->message, psprintf("\"%s\"", (char *) lfirst(cell))))
				return psprintf("server \"%s\"", (char *) lfirst(cell));
	initStringInfo(&all);
	foreach(cell, servers->names)
		appendStringInfo(&all, "%s\"%s\"", cell == list_head(servers->names) ? "this server or one of " : ", ", (char *) lfirst(cell));
	return all.data;
}

/* What may help, by the SQLSTATE alone. */
static const char *
server_hint(int sqlstate)
{
	switch (sqlstate)
	{
		case ERRCODE_UNDEFINED_FUNCTION:
		case ERRCODE_UNDEFINED_OBJECT:
		case ERRCODE_UNDEFINED_SCHEMA:
		case ERRCODE_UNDEFINED_FILE:
			return psprintf("Is pegs installed there, in the schema and version that it has here, and may the role of the user mapping use that schema? On that server: ALTER EXTENSION pegs UPDATE; or CREATE EXTENSION pegs SCHEMA %s; GRANT USAGE ON SCHEMA %s TO ...; Has the column of the persons there the type that it has here?",
							quote_identifier(pegs_extension_schema()), quote_identifier(pegs_extension_schema()));
		case ERRCODE_FEATURE_NOT_SUPPORTED:
		case ERRCODE_INVALID_BINARY_REPRESENTATION:
		case ERRCODE_INVALID_PARAMETER_VALUE:
			return "Has pegs there another version than here? SELECT extversion FROM pg_extension WHERE extname = 'pegs';";
		case ERRCODE_CHECK_VIOLATION:
			return "A row there may have a value that is not declared here: compare SELECT DISTINCT of each column with what pegs_domain shows. Or, of persons, one is of another part than the one here that reads it (docs/scale.md, Persons).";
		case ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE:
			return "Are there too many different rows of one person for its memory? ALTER SERVER ... OPTIONS (SET options '-c row_security=off -c client_min_messages=error -c maintenance_work_mem=1GB');";
		case ERRCODE_DATATYPE_MISMATCH:
			return "Has a column there another type than here? Name a view there that casts it, or give the foreign table the column's type.";
		case ERRCODE_INSUFFICIENT_PRIVILEGE:
			return "The role of the user mapping needs SELECT there, USAGE on the schemas of the table and of pegs, and no row security may hide rows from it.";
		case ERRCODE_S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED:
			return "Has the user mapping a password, and does that server ask for it (pg_hba.conf there)? A role that is no superuser needs both; or a superuser says: ALTER USER MAPPING ... OPTIONS (ADD password_required 'false');";
	}
	if (ERRCODE_TO_CATEGORY(sqlstate) == ERRCODE_CONNECTION_EXCEPTION || ERRCODE_TO_CATEGORY(sqlstate) == ERRCODE_FDW_ERROR)
		return "Is that server up, and are its options (host, port, dbname) and the user mapping right?";
	return "Its own words, for the owner of the foreign table: SELECT * FROM that table alone.";
}

/* An error of a reading, without its words: it names where it is of, as far as that is known. */
void
pegs_throw_of_servers(const char *name, const PegsServers *servers, const ErrorData *error)
{
	const char *server = failed_server(servers, error);

	/* a foreign server may say of anything that it was cancelled */
	if (ERRCODE_TO_CATEGORY(error->sqlerrcode) == ERRCODE_OPERATOR_INTERVENTION)
		ereport(ERROR,
				(errcode(error->sqlerrcode),
				 errmsg("reading %s was cancelled, here or by %s", name, server ? server : "another server"),
				 errdetail("The other server's message may hold a value of the data and is not shown."),
				 errhidestmt(true), errhidecontext(true)));
	if (server)
		ereport(ERROR,
				(errcode(error->sqlerrcode),
				 errmsg("reading %s failed on %s", name, server),
				 errdetail("The other server's message may hold a value of the data and is not shown."),
				 errhidestmt(true), errhidecontext(true),
				 errhint("%s", server_hint(error->sqlerrcode))));
	ereport(ERROR,
			(errcode(error->sqlerrcode),
			 errmsg("reading %s failed", name),
			 errdetail("The server's message may hold a value of the data and is not shown."),
			 errhidestmt(true), errhidecontext(true),
			 errhint("Run the query of the view by itself, as its owner.")));
}
