/*
 * pegs.c
 *	  The library: its magic, the core's environment, entropy, and working as
 *	  the extension's owner.
 *
 * State lives in schema pegs_internal, where only the extension's owner can
 * read. C code becomes that role for one statement at a time, with a pinned
 * search_path and no way to change session state, and never runs a query text
 * with a value of the data in it.
 */
#include "ledger.h"
#include "objects.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_namespace.h"
#include "commands/extension.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "parser/parser.h"
#include "tcop/tcopprot.h"
#include "tcop/utility.h"
#include "storage/proc.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);
static void forget_schema(Datum arg, int cacheid, uint32 hashvalue);

void
_PG_init(void)
{
	pegs_define_after_promotion();
	pegs_watch_commits();
	pegs_guard_prepare();
	CacheRegisterSyscacheCallback(NAMESPACEOID, forget_schema, (Datum) 0);
	/* no other setting, and none by our name: SET pegs.seed = 42 is an error */
#if PG_VERSION_NUM >= 150000
	MarkGUCPrefixReserved("pegs");
#else
	EmitWarningsOnPlaceholders("pegs");
#endif
}

#define ZEROED_AT_ONCE ((size_t) 16 * 1024 * 1024)

/*
 * Where there is no memory, our words: PostgreSQL's say the size, and put a
 * table of all memory into the server's log. Half a gigabyte of zeros takes
 * long: a cancel is looked for between its parts.
 */
static void *
env_alloc(void *context, size_t bytes)
{
	int			zero = bytes <= ZEROED_AT_ONCE ? MCXT_ALLOC_ZERO : 0;
	char	   *memory = NULL;

	if (bytes <= MaxAllocHugeSize)
		memory = MemoryContextAllocExtended((MemoryContext) context, bytes > 0 ? bytes : 1,
											MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM | zero);
	if (memory == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errhint("Take fewer columns, or columns with fewer levels.")));
	for (size_t at = 0; zero == 0 && at < bytes; at += ZEROED_AT_ONCE)
	{
		CHECK_FOR_INTERRUPTS();
		memset(memory + at, 0, Min(ZEROED_AT_ONCE, bytes - at));
	}
	return memory;
}

static void
env_check(void *context)
{
	CHECK_FOR_INTERRUPTS();
}

static void
env_free(void *context, void *memory)
{
	pfree(memory);
}

pegs_env
pegs_env_in(MemoryContext context)
{
	pegs_env	env = {env_alloc, env_check, context, env_free, NULL};

	return env;
}

void
pegs_new_key(uint8_t *key)
{
	if (!pg_strong_random(key, PEGS_KEY_BYTES))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not get random bytes from the server")));
}

static void
wipe(void *arg)
{
	pegs_rng_wipe((pegs_rng *) arg);
}

pegs_rng *
pegs_rng_in(MemoryContext context, const uint8_t *key, uint64_t stream)
{
	pegs_rng   *rng = MemoryContextAllocZero(context, sizeof(pegs_rng));
	MemoryContextCallback *callback = MemoryContextAllocZero(context, sizeof(MemoryContextCallback));

	pegs_rng_init(rng, key, stream);
	callback->func = wipe;
	callback->arg = rng;
	MemoryContextRegisterResetCallback(context, callback);
	return rng;
}

/* ---- as the extension's owner ---- */

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

/* The schema of our tables; InvalidOid: there is none, DROP EXTENSION has taken it away. */
static Oid
internal_schema(bool missing_ok)
{
#if PG_VERSION_NUM >= 170000
	LocalTransactionId now = MyProc->vxid.lxid;
#else
	LocalTransactionId now = MyProc->lxid;
#endif

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

void
pegs_begin_as(PegsAs *saved, Oid role)
{
	GetUserIdAndSecContext(&saved->userid, &saved->sec_context);
	SetUserIdAndSecContext(role, saved->sec_context | SECURITY_LOCAL_USERID_CHANGE
						   | SECURITY_RESTRICTED_OPERATION);
	saved->guc_level = NewGUCNestLevel();
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
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

/* ---- statements on pegs_internal ---- */

/* Rows of a statement, where SPI's own would be: SPI_tuptable. */
typedef struct Rows
{
	DestReceiver pub;
	MemoryContext context;
	SPITupleTable *table;
} Rows;

static void
rows_startup(DestReceiver *self, int operation, TupleDesc desc)
{
	Rows	   *rows = (Rows *) self;
	MemoryContext old = MemoryContextSwitchTo(rows->context);

	rows->table = palloc0(sizeof(SPITupleTable));
	rows->table->tupdesc = CreateTupleDescCopy(desc);
	rows->table->alloced = 16;
	rows->table->vals = palloc(sizeof(HeapTuple) * rows->table->alloced);
	MemoryContextSwitchTo(old);
}

static bool
rows_receive(TupleTableSlot *slot, DestReceiver *self)
{
	SPITupleTable *table = ((Rows *) self)->table;
	MemoryContext old = MemoryContextSwitchTo(((Rows *) self)->context);

	if (table->numvals == table->alloced)
	{
		table->alloced *= 2;
		table->vals = repalloc_huge(table->vals, sizeof(HeapTuple) * table->alloced);
	}
	table->vals[table->numvals++] = ExecCopySlotHeapTuple(slot);
	MemoryContextSwitchTo(old);
	return true;
}

static void
rows_end(DestReceiver *self)
{
}

/* A place in a statement of ours says nothing to a caller, who wrote another. */
void
pegs_no_position(void *arg)
{
	if (geterrposition() > 0)
		errposition(0);
}

static PlannedStmt *
plan_statement(const char *query, int nargs, const PegsArg *args)
{
	Oid		   *types = palloc(sizeof(Oid) * (nargs + 1));
	RawStmt    *raw = linitial_node(RawStmt, raw_parser(query, RAW_PARSE_DEFAULT));
	bool		pushed = !ActiveSnapshotSet();
	List	   *queries;
	PlannedStmt *plan;

	for (int i = 0; i < nargs; i++)
		types[i] = args[i].type;
	if (pushed)
		PushActiveSnapshot(GetTransactionSnapshot());
#if PG_VERSION_NUM >= 150000
	queries = pg_analyze_and_rewrite_fixedparams(raw, query, types, nargs, NULL);
#else
	queries = pg_analyze_and_rewrite(raw, query, types, nargs, NULL);
#endif
	plan = linitial_node(PlannedStmt, pg_plan_queries(queries, query, 0, NULL));
	if (pushed)
		PopActiveSnapshot();
	return plan;
}

static int
run_plan(PlannedStmt *plan, const char *query, ParamListInfo params, Rows *rows)
{
	QueryDesc  *desc;
	bool		returning = plan->hasReturning;
	CmdType		operation = plan->commandType;

	if (operation == CMD_UTILITY)
	{
		ProcessUtility(plan, query, false, PROCESS_UTILITY_QUERY, params, NULL, None_Receiver, NULL);
		return SPI_OK_UTILITY;
	}
	desc = CreateQueryDesc(plan, query, GetActiveSnapshot(), InvalidSnapshot,
						   operation == CMD_SELECT || returning ? &rows->pub : None_Receiver, params, NULL, 0);
	ExecutorStart(desc, 0);
#if PG_VERSION_NUM >= 180000
	ExecutorRun(desc, ForwardScanDirection, 0);
#else
	ExecutorRun(desc, ForwardScanDirection, 0, true);
#endif
	SPI_processed = desc->estate->es_processed;
	ExecutorFinish(desc);
	ExecutorEnd(desc);
	FreeQueryDesc(desc);
	switch (operation)
	{
		case CMD_SELECT:
			return SPI_OK_SELECT;
		case CMD_INSERT:
			return returning ? SPI_OK_INSERT_RETURNING : SPI_OK_INSERT;
		case CMD_UPDATE:
			return returning ? SPI_OK_UPDATE_RETURNING : SPI_OK_UPDATE;
		case CMD_DELETE:
			return returning ? SPI_OK_DELETE_RETURNING : SPI_OK_DELETE;
		default:
			return SPI_ERROR_OPUNKNOWN;
	}
}

/* Our schema by the name that it has: the text says pegs_internal, nowhere but as a name. */
static const char *
by_name(const char *query)
{
	static const char usual[] = "pegs_internal";
	const char *name = quote_identifier(get_namespace_name(internal_schema(false)));
	StringInfoData text;
	char		quote = '\0';

	if (strcmp(name, usual) == 0)
		return query;
	initStringInfo(&text);
	for (const char *p = query; *p; p++)
	{
		if (quote == '\0' && strncmp(p, usual, strlen(usual)) == 0)
		{
			appendStringInfoString(&text, name);
			p += strlen(usual) - 1;
			continue;
		}
		if (quote == '\0' ? *p == '"' || *p == '\'' : *p == quote)
			quote = quote == '\0' ? *p : '\0';
		appendStringInfoChar(&text, *p);
	}
	return text.data;
}

/*
 * As SPI_execute would, between SPI_connect and SPI_finish, but that no error
 * shows the statement: its text is ours and tells the caller nothing.
 */
static void
run_statement(const char *query, int expected, int nargs, const PegsArg *args, bool now)
{
	ErrorContextCallback callback = {.callback = pegs_no_position, .previous = error_context_stack};
	Rows		rows = {
		.pub = {rows_receive, rows_startup, rows_end, rows_end, DestTuplestore},
		.context = CurrentMemoryContext
	};
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs statement", ALLOCSET_DEFAULT_SIZES);
	ParamListInfo params;
	PlannedStmt *plan;
	int			rc;

	error_context_stack = &callback;
	MemoryContextSwitchTo(context);
	query = by_name(query);
	params = nargs > 0 ? makeParamList(nargs) : NULL;
	for (int i = 0; i < nargs; i++)
		params->params[i] = (ParamExternData) {args[i].value, args[i].isnull, PARAM_FLAG_CONST, args[i].type};
	plan = plan_statement(query, nargs, args);
	/* the snapshot after the locks; no newer one can be had, and no command can start, in a parallel operation (pegs_spec) */
	if (IsInParallelMode())
		PushActiveSnapshot(GetActiveSnapshot());
	else
	{
		CommandCounterIncrement();
		PushActiveSnapshot(now ? GetLatestSnapshot() : GetTransactionSnapshot());
		UpdateActiveSnapshotCommandId();
	}
	SPI_processed = 0;
	rc = run_plan(plan, query, params, &rows);
	SPI_tuptable = rows.table;
	PopActiveSnapshot();
	if (!IsInParallelMode())
		CommandCounterIncrement();
	MemoryContextSwitchTo(rows.context);
	MemoryContextDelete(context);
	error_context_stack = callback.previous;
	if (rc != expected)
		elog(ERROR, "statement on pegs_internal gave %s", SPI_result_code_string(rc));
}

void
pegs_spi(const char *query, int expected, int nargs, const PegsArg *args)
{
	run_statement(query, expected, nargs, args, false);
}

void
pegs_spi_now(const char *query, int expected, int nargs, const PegsArg *args)
{
	run_statement(query, expected, nargs, args, true);
}
