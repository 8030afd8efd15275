/*
 * connections.c
 *	  Do rows come from where the catalog says that they are?
 *
 * A connection to another server stays what it is until the transaction ends that has used it first. If its server or user
 * mapping has changed since, in a savepoint that was rolled back or by another session, rows come from where it was, and would
 * be paid for by an account that is found where it is now. postgres_fdw knows which of its connections are older than a change;
 * it also takes any for older when the caches of this session were reset, which on a busy server happens all the time. So what was
 * declared is noted when rows are read first in a transaction, and compared before they are paid for: a connection that was new
 * then, and has stayed, is to there. Of other wrappers only what changes from then on is seen. Law L3.
 */
#include "source/source.h"

#include "access/htup_details.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "executor/executor.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/hsearch.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

#define VERSIONS 3				/* of the server; of the role's user mapping; of everybody's */

/* A row of a catalog, as it was written once. No row: both are 0. */
typedef struct Version
{
	TransactionId made;
	ItemPointerData at;
} Version;

/* Whose rows which role has read: by one connection in each transaction. */
typedef struct Used
{
	struct
	{
		Oid			server;
		Oid			role;
	}			key;			/* first: of the table below */
	LocalTransactionId in;		/* the last that has read */
	bool		older;			/* by a connection that could be older than these */
	Version		version[VERSIONS];
} Used;

static HTAB *used = NULL;		/* as long as the session */

static Version
version_of(HeapTuple tuple)
{
	Version		version;

	memset(&version, 0, sizeof(version));
	if (HeapTupleIsValid(tuple))
	{
		version.made = HeapTupleHeaderGetRawXmin(tuple->t_data);
		version.at = tuple->t_self;
		ReleaseSysCache(tuple);
	}
	return version;
}

static void
find_versions(Oid server, Oid role, Version *version)
{
	version[0] = version_of(SearchSysCache1(FOREIGNSERVEROID, ObjectIdGetDatum(server)));
	version[1] = version_of(SearchSysCache2(USERMAPPINGUSERSERVER, ObjectIdGetDatum(role), ObjectIdGetDatum(server)));
	version[2] = version_of(SearchSysCache2(USERMAPPINGUSERSERVER, ObjectIdGetDatum(InvalidOid), ObjectIdGetDatum(server)));
}

static bool
is_changed(const Used *one)
{
	Version		now[VERSIONS];

	find_versions(one->key.server, one->key.role, now);
	for (int i = 0; i < VERSIONS; i++)
		if (now[i].made != one->version[i].made || memcmp(&now[i].at, &one->version[i].at, sizeof(ItemPointerData)) != 0)
			return true;
	return false;
}

/* ---- what postgres_fdw says ---- */

#define ITS_CONNECTIONS "postgres_fdw_get_connections"

/* A function in C, which a superuser alone makes; in whatever schema. InvalidOid: version 1.0, or no postgres_fdw. */
static Oid
function_of_connections(int *nargs)
{
	CatCList   *all = SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum(ITS_CONNECTIONS));
	Oid			found = InvalidOid;

	for (int i = 0; i < all->n_members; i++)
	{
		Form_pg_proc function = (Form_pg_proc) GETSTRUCT(&all->members[i]->tuple);

		if (function->prolang == ClanguageId && function->proretset && function->pronargs <= 1)
		{
			found = function->oid;
			*nargs = function->pronargs;
		}
	}
	ReleaseSysCacheList(all);
	return found;
}

/* Of char *: names of servers to which a connection of this transaction is older than a change, as far as postgres_fdw knows. */
static List *
take_older(const ReturnSetInfo *result)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(result->setDesc, &TTSOpsMinimalTuple);
	List	   *older = NIL;

	while (tuplestore_gettupleslot(result->setResult, true, false, slot))
	{
		const char *name = NULL;
		bool		valid = false;

		slot_getallattrs(slot);
		for (int i = 0; i < result->setDesc->natts; i++)
		{
			const char *column = NameStr(TupleDescAttr(result->setDesc, i)->attname);

			if (slot->tts_isnull[i])
				continue;
			if (strcmp(column, "server_name") == 0)
				name = TextDatumGetCString(slot->tts_values[i]);
			else if (strcmp(column, "valid") == 0)
				valid = DatumGetBool(slot->tts_values[i]);
		}
		if (name && !valid)
			older = lappend(older, unconstify(char *, name));
	}
	ExecDropSingleTupleTableSlot(slot);
	return older;
}

/* Not by SQL: whoever calls needs no right to it. */
static List *
older_ones(Oid function, int nargs)
{
	LOCAL_FCINFO(fcinfo, 1);
	FmgrInfo	info;
	ReturnSetInfo result = {.type = T_ReturnSetInfo, .allowedModes = SFRM_Materialize, .returnMode = SFRM_ValuePerCall};
	List	   *older;

	fmgr_info(function, &info);
	result.econtext = CreateStandaloneExprContext();
	InitFunctionCallInfoData(*fcinfo, &info, nargs, InvalidOid, NULL, (Node *) &result);
	fcinfo->args[0].value = BoolGetDatum(false);	/* 18: whether it is closed is not asked */
	fcinfo->args[0].isnull = false;
	(void) FunctionCallInvoke(fcinfo);
	if (result.setResult == NULL)
		elog(ERROR, "%s gives no rows", ITS_CONNECTIONS);
	older = take_older(&result);
	tuplestore_end(result.setResult);
	FreeExprContext(result.econtext, true);
	return older;
}

typedef struct Older
{
	bool		asked;
	bool		unknown;
	List	   *names;
} Older;

static bool
is_older(const ForeignServer *server, Older *older)
{
	ListCell   *cell;

	if (!pegs_server_is_of(server, "postgres_fdw_handler"))
		return false;
	if (!older->asked)
	{
		int			nargs = 0;
		Oid			function = function_of_connections(&nargs);

		older->asked = true;
		older->unknown = !OidIsValid(function);
		older->names = older->unknown ? NIL : older_ones(function, nargs);
	}
	foreach(cell, older->names)
		if (strcmp(lfirst(cell), server->servername) == 0)
			return true;
	return older->unknown;
}

/* ---- who reads ---- */

/* As postgres_fdw takes it. */
static Oid
role_of(const ForeignScanState *state)
{
	const ForeignScan *scan = (const ForeignScan *) state->ss.ps.plan;
	Oid			role;

#if PG_VERSION_NUM >= 160000
	role = scan->checkAsUser;
#else
	int			rtindex = scan->scan.scanrelid > 0 ? (int) scan->scan.scanrelid : bms_next_member(scan->fs_relids, -1);

	role = exec_rt_fetch(rtindex, state->ss.ps.state)->checkAsUser;
#endif
	return OidIsValid(role) ? role : GetUserId();
}

static void
note(Oid server, Oid role, Older *older)
{
	Used		key = {.key = {server, role}};
	Used	   *one;
	bool		found;

	if (used == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(key.key), .entrysize = sizeof(Used)};

		used = hash_create("pegs servers", 16, &control, HASH_ELEM | HASH_BLOBS);
	}
	one = hash_search(used, &key.key, HASH_ENTER, &found);
	if (found && one->in == pegs_transaction())
		return;
	one->in = pegs_transaction();
	one->older = true;			/* until it is known */
	find_versions(server, role, one->version);
	one->older = is_older(GetForeignServer(server), older);
}

static bool
note_scans(PlanState *state, void *older)
{
	if (state && IsA(state, ForeignScanState) && OidIsValid(((ForeignScan *) state->plan)->fs_server))
		note(((ForeignScan *) state->plan)->fs_server, role_of((ForeignScanState *) state), older);
	return planstate_tree_walker(state, note_scans, older);
}

/* Its scans have begun: connections are there. */
void
pegs_note_connections(PlanState *plan)
{
	Older		older = {0};

	(void) note_scans(plan, &older);
}

/* Rows of that server that this transaction has read, as whomever: from somewhere else than it is now? False, read: none were. */
static bool
was_not_read_there(Oid server, bool *read)
{
	HASH_SEQ_STATUS all;
	Used	   *one;

	*read = false;
	if (used == NULL)
		return false;
	hash_seq_init(&all, used);
	while ((one = hash_seq_search(&all)) != NULL)
	{
		if (one->in != pegs_transaction() || one->key.server != server)
			continue;
		*read = true;
		if (one->older || is_changed(one))
		{
			hash_seq_term(&all);
			return true;
		}
	}
	return false;
}

/* As far as is known. before: they will be read. */
bool
pegs_not_read_there(const List *servers, bool before)
{
	Older		older = {0};
	ListCell   *cell;

	foreach(cell, servers)
	{
		ForeignServer *server = before ? GetForeignServerExtended(lfirst_oid(cell), FSV_MISSING_OK) : NULL;
		bool		read;

		if (was_not_read_there(lfirst_oid(cell), &read))
			return true;
		if (!read && server && is_older(server, &older))
			return true;
	}
	return false;
}

/* The extension postgres_fdw is of a version that cannot say it. */
bool
pegs_connections_are_unknown(void)
{
	int			nargs;

	return !OidIsValid(function_of_connections(&nargs));
}
