/*
 * statement.c
 *	  Statements on the tables of pegs_internal.
 *
 * As SPI would run them, between SPI_connect and SPI_finish, but that no error
 * shows a statement: its text is ours, and tells the caller nothing. The schema
 * is named as it is called now.
 */
#include "server/server.h"

#include "access/genam.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "parser/parser.h"
#include "tcop/tcopprot.h"
#include "tcop/utility.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

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
	const char *name = quote_identifier(get_namespace_name(pegs_internal_schema()));
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
