/*
 * reader.c
 *	  Runs a reading: what is planned is what was locked, and nothing shows what was read.
 *
 * After planning, every relation of the plan is compared with the locked ones.
 * While rows are read no statistics are counted, no temporary file shows, and no
 * error tells a value. Laws L5, L9.
 */
#include "source/source.h"
#include "codes/codes.h"

#include "access/xact.h"
#include "catalog/pg_class.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "jit/jit.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/analyze.h"
#include "parser/parse_relation.h"
#include "parser/parser.h"
#include "rewrite/rewriteHandler.h"
#include "tcop/tcopprot.h"
#include "storage/sinval.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

static void
has_changed(const PegsReading *r)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_IN_USE),
			 errmsg("%s has become another relation while it was read", r->name),
			 errdetail("It was renamed, or its schema was."),
			 errhint("Run the command again.")));
}

/* Before views are expanded: the query reads the locked relation and nothing else, of it what a guest may. A view's own right is its owner's. */
static bool
is_locked_one(Node *node, void *context)
{
	const PegsReading *r = context;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		Query	   *query = (Query *) node;
		ListCell   *cell;

		foreach(cell, query->rtable)
		{
			RangeTblEntry *rte = lfirst(cell);

			if (rte->rtekind != RTE_RELATION)
				continue;
			if (r->named ? !list_member_oid(r->named, rte->relid) : r->parts ? !list_member_oid(r->parts, rte->relid) : rte->relid != r->relid)
				has_changed(r);
			if (rte->relkind == RELKIND_VIEW)
				PEGS_RIGHTS_IN(query, rte)->checkAsUser = r->owner;
			else if (r->guest)
				pegs_require_named_columns(rte->relid, r->caller, PEGS_RIGHTS_IN(query, rte)->selectedCols);
		}
		return query_tree_walker(query, is_locked_one, context, 0);
	}
	return expression_tree_walker(node, is_locked_one, context);
}

/* Afterwards: what a source's query reads is what its views were seen to read. */
static bool
is_of_chain(Node *node, void *context)
{
	const PegsReading *r = context;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		ListCell   *cell;

		foreach(cell, ((Query *) node)->rtable)
		{
			RangeTblEntry *rte = lfirst(cell);

			if (rte->rtekind == RTE_RELATION && !list_member_oid(r->chain, rte->relid) && !list_member_oid(r->parts, rte->relid))
				has_changed(r);
		}
		return query_tree_walker((Query *) node, is_of_chain, context, 0);
	}
	return expression_tree_walker(node, is_of_chain, context);
}

/* The types are those of the domain: a column's may have changed since a model was fitted. */
static void
check_types(const PegsReading *r, const Query *query, const PegsDomain *domain)
{
	ListCell   *cell;
	int			c = 0;

	foreach(cell, query->targetList)
	{
		TargetEntry *entry = lfirst(cell);
		Oid			type = getBaseType(exprType((Node *) entry->expr));

		if (entry->resjunk)
			continue;
		if (c < domain->ncols && type != domain->column[c].type)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of %s is of type %s, and no longer of type %s", domain->column[c].name, r->name,
							format_type_be(type), format_type_be(domain->column[c].type)),
					 errhint("Fit the model again.")));
		c++;
	}
	if (c < domain->ncols)
		elog(ERROR, "the query has %d columns, not %d", c, domain->ncols);
}

/* Each leg reads the part that it was made for, and no other one twice. That none is left out is seen by the states. */
static void
check_parts(const PegsReading *r, Query *query, int before)
{
	ListCell   *leg;

	foreach(leg, pegs_legs(query))
	{
		List	   *rtable = lfirst_node(Query, leg)->rtable;

		if (list_length(rtable) != 1 || linitial_node(RangeTblEntry, rtable)->relid != list_nth_oid(r->parts, before++))
			has_changed(r);
	}
}

/* The query as it will run: what it reads was compared with what is locked. */
static Query *
resolve(const PegsReading *r, const char *text, const PegsDomain *domain, PegsCounted *counted)
{
	ListCell   *leg;
	List	   *raw = raw_parser(text, RAW_PARSE_DEFAULT);
	ErrorContextCallback callback = {.callback = pegs_no_position, .previous = error_context_stack};
	List	   *rewritten;
	Query	   *query;

	error_context_stack = &callback;
#if PG_VERSION_NUM >= 150000
	query = parse_analyze_fixedparams(linitial_node(RawStmt, raw), text, NULL, 0, NULL);
#else
	query = parse_analyze(linitial_node(RawStmt, raw), text, NULL, 0, NULL);
#endif
	error_context_stack = callback.previous;
	(void) is_locked_one((Node *) query, unconstify(PegsReading *, r));
	if (r->parts)
		check_parts(r, query, counted->before);
	if (r->named && !pegs_legs_name(query, r->named))
		has_changed(r);
	foreach(leg, pegs_legs(query))
		if (domain)
			check_types(r, lfirst(leg), domain);
	pegs_require_no_strangers(r, query);
	if (counted)
		pegs_count_legs(query, counted);
	rewritten = QueryRewrite(query);
	if (list_length(rewritten) != 1)
		elog(ERROR, "a query of %s became %d", r->name, list_length(rewritten));
	query = linitial_node(Query, rewritten);
	if (r->chain)
		(void) is_of_chain((Node *) query, unconstify(PegsReading *, r));
	return query;
}

/* Where rows go. */
typedef struct Door
{
	DestReceiver pub;
	DestReceiver *inner;
	bool		inside;			/* code of ours, and nobody else's */
	bool		planned;
	bool		runs;			/* no code of anybody's but the server's: planning is over, which calls functions of the tables' owner */
	uint64		asked;			/* when it was asked which servers there are: by SharedInvalidMessageCounter */
	PegsServers servers;		/* others, that have a say */
	PegsApart	apart;			/* where rows of theirs are read */
	MemoryContext memory;		/* of what is read */
} Door;

static bool
through(TupleTableSlot *slot, DestReceiver *self)
{
	DestReceiver *inner = ((Door *) self)->inner;
	ErrorContextCallback callback = {.callback = pegs_own_words, .previous = error_context_stack};
	bool		more;

	error_context_stack = &callback;
	more = inner->receiveSlot(slot, inner);
	error_context_stack = callback.previous;
	return more;
}

static void
at_startup(DestReceiver *self, int operation, TupleDesc desc)
{
	((Door *) self)->inner->rStartup(((Door *) self)->inner, operation, desc);
}

static void
at_shutdown(DestReceiver *self)
{
	DestReceiver *inner = ((Door *) self)->inner;
	ErrorContextCallback callback = {.callback = pegs_own_words, .previous = error_context_stack};

	error_context_stack = &callback;
	inner->rShutdown(inner);
	error_context_stack = callback.previous;
}

static void
nothing_to_end(DestReceiver *self)
{
}

/*
 * Is it in our own words: of the receiver, or of an aggregate of ours, here or in a parallel worker? Those are marked
 * (read/agg.c). Not what another server says, nor a function that is called while the query is planned.
 */
static bool
is_own(const ErrorData *error, const Door *door)
{
	return door->inside
		|| (door->runs && door->servers.at == NULL && error->constraint_name && strcmp(error->constraint_name, PEGS_OWN_WORDS) == 0);
}

/*
 * Errors whose words cannot hold a value, whatever was read: a short list of
 * what people and servers do. All others may: tsquery, jsonpath and regular
 * expressions complain of syntax (42601, 2201B), a foreign server sends what it
 * likes.
 */
static bool
is_harmless(const ErrorData *error, const Door *door)
{
	/* the receiver's own: a value that is not declared (its column is named), too many rows, a state that does not fit, too many for memory that the session chose */
	if (is_own(error, door))
		return error->sqlerrcode == ERRCODE_CHECK_VIOLATION || error->sqlerrcode == ERRCODE_PROGRAM_LIMIT_EXCEEDED
			|| error->sqlerrcode == ERRCODE_FDW_ERROR || error->sqlerrcode == ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE
			|| error->sqlerrcode == ERRCODE_QUERY_CANCELED || error->sqlerrcode == ERRCODE_T_R_SERIALIZATION_FAILURE || ERRCODE_TO_CATEGORY(error->sqlerrcode) == ERRCODE_INSUFFICIENT_RESOURCES
			|| ERRCODE_TO_CATEGORY(error->sqlerrcode) == ERRCODE_OPERATOR_INTERVENTION;
	/* it chooses SQLSTATE and words; so does that of a part that has come while the query was planned, which nobody sees without such a message */
	if (door->servers.names || (!door->planned && SharedInvalidMessageCounter != door->asked))
		return false;
	switch (error->sqlerrcode)
	{
		case ERRCODE_INSUFFICIENT_PRIVILEGE:
		case ERRCODE_LOCK_NOT_AVAILABLE:
		case ERRCODE_STATEMENT_TOO_COMPLEX:
			return true;
	}
	switch (ERRCODE_TO_CATEGORY(error->sqlerrcode))
	{
		case ERRCODE_OPERATOR_INTERVENTION:
		case ERRCODE_INSUFFICIENT_RESOURCES:
		case ERRCODE_TRANSACTION_ROLLBACK:
		case ERRCODE_SYSTEM_ERROR:
			return true;
	}
	return false;
}

/* What pg_stat_statements takes the blocks of the whole command from. */
typedef struct Usage
{
	BufferUsage buffers;
	WalUsage	wal;
} Usage;

static void
forget_usage(const Usage *before)
{
	pgBufferUsage = before->buffers;
	pgWalUsage = before->wal;
}

/*
 * In PG_CATCH: throws the error on, without its words unless they are harmless.
 * Of rows of this server no subtransaction is needed, because nothing goes on
 * here: whatever the query holds is let go when the (sub)transaction aborts. The
 * settings end before, so that our own error is written into the log as the
 * server's owner wants it.
 */
static void
throw_on(const PegsReading *r, Door *door, int guc_level, const Usage *before, MemoryContext context)
{
	ErrorData  *error;

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	pegs_end_apart(&door->apart);
	MemoryContextSwitchTo(context);
	forget_usage(before);
	AtEOXact_GUC(false, guc_level);
	pegs_abort_shows_nothing();
	if (is_harmless(error, door))
	{
		/* sizes and places of what was read are nobody's */
		if (!is_own(error, door) || ERRCODE_TO_CATEGORY(error->sqlerrcode) == ERRCODE_INSUFFICIENT_RESOURCES)
			error->detail = error->detail_log = NULL;
		error->context = NULL;
		error->constraint_name = NULL;
		error->output_to_server = log_min_messages != LOG && log_min_messages <= ERROR;
		ReThrowError(error);
	}
	pegs_throw_of_servers(r->name, &door->servers, error);
}

/* Planned and run as r->role; rows into the door. */
static void
run_query(const PegsReading *r, const char *text, Query *query, Door *door, PegsCounted *counted)
{
	/* also the planner looks at values: those of the statistics */
	PlannedStmt *plan = pg_plan_query(query, text, IsInParallelMode() ? 0 : CURSOR_OPT_PARALLEL_OK, NULL);
	QueryDesc  *run = CreateQueryDesc(plan, text, GetActiveSnapshot(), InvalidSnapshot, &door->pub, NULL, NULL, 0);

	int			guc_level;

	/* it is compiled in one go, which no cancel stops: seconds for many columns */
	plan->jitFlags = PGJIT_NONE;
	pegs_add_servers(&door->servers, plan->relationOids);
	door->planned = true;
	door->inside = true;
	pegs_require_listed(r, plan->relationOids);
	door->inside = false;
	/* rights are checked here: an extension that audits them may write its lines */
	ExecutorStart(run, 0);
	/* connections are made: where the servers are is not locked, so it is asked again */
	door->inside = true;
	if (OidIsValid(r->once))
	{
		AcceptInvalidationMessages();
		pegs_require_once(r->once, r->only, NIL, r->asks);
	}
	door->inside = false;
	guc_level = NewGUCNestLevel();
	pegs_say_nothing();
	pegs_lock_whole(plan->relationOids, run->snapshot);
	pegs_watch_servers(&door->servers, run->planstate);
	door->runs = true;
#if PG_VERSION_NUM >= 180000
	ExecutorRun(run, ForwardScanDirection, 0);
#else
	ExecutorRun(run, ForwardScanDirection, 0, true);
#endif
	/* what a server says when its cursor is closed is not ours either, and no scan of it is at work then */
	door->runs = false;
	ExecutorFinish(run);
	if (counted)
		(void) pegs_saw_legs(run->planstate, counted);
	ExecutorEnd(run);
	FreeQueryDesc(run);
	AtEOXact_GUC(false, guc_level);
	if (door->apart.begun)
		pegs_note_asked(door->memory, r, plan, &door->servers);
	door->planned = false;		/* there may be another */
}

/*
 * Runs SELECT ... FROM r->name, all rows into the receiver, or the states of
 * them, by several queries of one snapshot. The columns must have the domain's
 * types, if there is one.
 */
static void
read_into(const PegsReading *r, List *texts, const PegsDomain *domain, PegsCounted *counted, DestReceiver *receiver)
{
	Door		door = {
		.pub = {through, at_startup, at_shutdown, nothing_to_end, DestTuplestore},
		.inner = receiver,
		.memory = CurrentMemoryContext
	};
	MemoryContext context = CurrentMemoryContext;
	Usage		before = {pgBufferUsage, pgWalUsage};
	List	   *volatile queries = NIL;	/* gcc 15 takes it for changed in between */
	ListCell   *text;
	ListCell   *query;
	PegsAs		saved;
	int			sec_context;
	Oid			user;

	pegs_begin_as(&saved, r->owner);
	(void) pegs_pin_notation();	/* undone with the role */
	if (r->as_caller)
		pegs_set_quiet_option("row_security", "on");
	pegs_count_nothing();
	if (counted && counted->as_one)
		pegs_set_quiet_option("enable_partitionwise_aggregate", "off");
	foreach(text, texts)
		queries = lappend(queries, resolve(r, lfirst(text), domain, counted));
	/* as in any command: a new snapshot after the locks; but none may be taken beside parallel workers (pegs_spec) */
	if (IsInParallelMode())
		PushActiveSnapshot(GetActiveSnapshot());
	else
	{
		CommandCounterIncrement();
		PushActiveSnapshot(GetTransactionSnapshot());
	}
	GetUserIdAndSecContext(&user, &sec_context);
	SetUserIdAndSecContext(r->role, sec_context);
	door.asked = SharedInvalidMessageCounter;
	foreach(query, queries)
		(void) (pegs_find_servers(lfirst(query), &door.servers) || pegs_require_mappings(lfirst(query), unconstify(PegsReading *, r)));
	pegs_begin_apart(&door.apart, door.servers.names != NIL);
	PG_TRY();
	{
		error_context_stack = NULL;	/* whoever reads within another reading's receiver: its mark is not for what is said here */
		forboth(text, texts, query, queries)
			run_query(r, lfirst(text), lfirst_node(Query, query), &door, counted);
	}
	PG_CATCH();
	{
		throw_on(r, &door, saved.guc_level, &before, context);
	}
	PG_END_TRY();
	pegs_end_apart(&door.apart);
	PopActiveSnapshot();
	pegs_end_as(&saved);
	forget_usage(&before);
}

void
pegs_read(const PegsReading *r, const char *text, const PegsDomain *domain, DestReceiver *receiver)
{
	read_into(r, list_make1(unconstify(char *, text)), domain, NULL, receiver);
}

void
pegs_read_states(const PegsReading *r, List *texts, const PegsDomain *domain, PegsCounted *counted, DestReceiver *receiver)
{
	read_into(r, texts, domain, counted, receiver);
}
