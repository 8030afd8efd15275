/*
 * apart.c
 *	  Rows of other servers are read in a subtransaction of its own, which is rolled back when they have been read.
 *
 * postgres_fdw ends the other server's transaction at COMMIT here, which is after the
 * charge: what that COMMIT finds to complain of, a deferred constraint on a row that
 * a function of there has written, would be shown in its own words, and the fit would
 * be gone. So nothing is left there that it could complain of. And whether a
 * connection is still alive is asked once more just before the charge: a savepoint is
 * set there and released, and no row is read. postgres_fdw says nothing when it
 * cannot roll back, and refuses at the next use. Laws L2, L5.
 *
 * What is read lies in memory of before. A receiver opens nothing but files of a
 * tuplestore that was begun before, which are its owner's of then. Locks that the
 * rest of a fit needs were taken before.
 */
#include "source/source.h"

#include "access/xact.h"
#include "catalog/pg_class.h"
#include "executor/executor.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "storage/lmgr.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/* No subtransaction can begin beside parallel workers (pegs_spec): then nothing is charged either. */
void
pegs_begin_apart(PegsApart *apart, bool needed)
{
	apart->owner = CurrentResourceOwner;
	apart->memory = CurrentMemoryContext;
	apart->begun = needed && !IsInParallelMode();
	if (!apart->begun)
		return;
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(apart->memory);
}

/* Also in PG_CATCH, when the error was copied. What another server says of it, and sizes of files that are closed, nobody sees. */
void
pegs_end_apart(PegsApart *apart)
{
	if (!apart->begun)
		return;
	apart->begun = false;
	pegs_abort_shows_nothing();
	pegs_say_nothing();
	RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(apart->memory);
	CurrentResourceOwner = apart->owner;
}

/* ---- are they still there? ---- */

/*
 * What was asked of other servers and is not charged yet: in the memory of what was read, and as long. Of what another call has
 * read, and may have been dropped, revoked or rolled back since, no charge asks.
 */
typedef struct Asked
{
	dlist_node	node;
	MemoryContextCallback callback;
	bool		listed;
	PlannedStmt *plan;
	Oid			role;
	char	   *name;
	PegsServers servers;
} Asked;

static dlist_head asked = DLIST_STATIC_INIT(asked);

static void
forget(void *arg)
{
	Asked	   *one = arg;

	if (one->listed)
		dlist_delete(&one->node);
	one->listed = false;
}

/* To begin a scan of another wrapper may be to run a program: file_fdw. */
static bool
are_all_of_postgres(const List *relations)
{
	ListCell   *cell;

	foreach(cell, relations)
	{
		ForeignServer *server;
		List	   *options;

		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_FOREIGN_TABLE
			&& !(pegs_foreign(lfirst_oid(cell), &server, &options) && pegs_server_is_of(server, "postgres_fdw_handler")))
			return false;
	}
	return true;
}

static bool
was_asked(const PlannedStmt *plan, Oid role)
{
	dlist_iter	iter;

	dlist_foreach(iter, &asked)
	{
		const Asked *before = dlist_container(Asked, node, iter.cur);

		if (before->role == role && equal(before->plan->relationOids, plan->relationOids))
			return true;
	}
	return false;
}

/* A plan that has run, apart. memory: of what was read. */
void
pegs_note_asked(MemoryContext memory, const PegsReading *r, const PlannedStmt *plan, const PegsServers *servers)
{
	MemoryContext old;
	Asked	   *one;
	ListCell   *cell;

	if (was_asked(plan, r->role) || !are_all_of_postgres(plan->relationOids))
		return;
	old = MemoryContextSwitchTo(memory);
	one = palloc0(sizeof(Asked));
	one->plan = copyObject(unconstify(PlannedStmt *, plan));
	one->plan->queryId = 0;		/* whoever counts commands counts it once */
	one->role = r->role;
	one->name = pstrdup(r->name);
	foreach(cell, servers->names)
		one->servers.names = lappend(one->servers.names, pstrdup(lfirst(cell)));
	one->callback.func = forget;
	one->callback.arg = one;
	MemoryContextRegisterResetCallback(memory, &one->callback);
	dlist_push_tail(&asked, &one->node);
	one->listed = true;
	MemoryContextSwitchTo(old);
}

/* A part that came while it was planned is locked no more. */
static bool
are_there(const List *relations)
{
	ListCell   *cell;

	foreach(cell, relations)
	{
		LockRelationOid(lfirst_oid(cell), AccessShareLock);
		if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(lfirst_oid(cell))))
			return false;
	}
	return true;
}

/* The scans begin, each with a savepoint there, and end before they ask for a row. */
static void
begin_scans(const Asked *one)
{
	QueryDesc  *run = CreateQueryDesc(one->plan, "", GetActiveSnapshot(), InvalidSnapshot, None_Receiver, NULL, NULL, 0);

	ExecutorStart(run, 0);
	ExecutorFinish(run);
	ExecutorEnd(run);
	FreeQueryDesc(run);
}

static void
require_one(const Asked *one)
{
	MemoryContext context = CurrentMemoryContext;
	PegsApart	apart;
	Oid			user;
	int			sec_context;
	int			guc_level = pegs_pin_search_path();

	/* as when it was read: connections are by the role's mappings */
	GetUserIdAndSecContext(&user, &sec_context);
	SetUserIdAndSecContext(one->role, sec_context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
	pegs_count_nothing();
	pegs_begin_apart(&apart, true);
	PG_TRY();
	{
		pegs_say_nothing();
		begin_scans(one);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		pegs_end_apart(&apart);
		AtEOXact_GUC(false, guc_level);
		pegs_throw_of_servers(one->name, &one->servers, error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(apart.memory);
	CurrentResourceOwner = apart.owner;
	AtEOXact_GUC(false, guc_level);
	SetUserIdAndSecContext(user, sec_context);
}

void
pegs_require_asked(void)
{
	while (!dlist_is_empty(&asked))
	{
		Asked	   *one = dlist_head_element(Asked, node, &asked);

		forget(one);
		if (are_there(one->plan->relationOids))
			require_one(one);
	}
}
