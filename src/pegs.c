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

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	pegs_define_after_promotion();
	pegs_watch_commits();
	pegs_guard_prepare();
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

/* The schema is made by the install script, which refuses to adopt one: its owner is ours. */
static Oid
internal_schema(bool missing_ok)
{
	return get_namespace_oid("pegs_internal", missing_ok);
}

Oid
pegs_extension_owner(void)
{
	HeapTuple	tuple = SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(internal_schema(false)));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for schema pegs_internal");
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

static void
run(const char *query, int expected, int nargs, const PegsArg *args, bool now)
{
	Oid			types[16];
	Datum		values[16];
	char		nulls[17];
	SPIPlanPtr	plan;
	int			rc;

	Assert(nargs <= 16);
	for (int i = 0; i < nargs; i++)
	{
		types[i] = args[i].type;
		values[i] = args[i].value;
		nulls[i] = args[i].isnull ? 'n' : ' ';
	}
	nulls[nargs] = '\0';
	if (now)
	{
		plan = SPI_prepare(query, nargs, types);
		if (plan == NULL)
			elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
		CommandCounterIncrement();
		PushActiveSnapshot(GetLatestSnapshot());
		UpdateActiveSnapshotCommandId();
		rc = SPI_execute_snapshot(plan, values, nulls, GetActiveSnapshot(), InvalidSnapshot, false, false, 0);
		PopActiveSnapshot();
	}
	else						/* read-only in a parallel operation (pegs_spec): no new command may start there */
		rc = SPI_execute_with_args(query, nargs, types, values, nulls, IsInParallelMode(), 0);
	if (rc != expected)
		elog(ERROR, "statement on pegs_internal gave %s", SPI_result_code_string(rc));
}

void
pegs_spi(const char *query, int expected, int nargs, const PegsArg *args)
{
	run(query, expected, nargs, args, false);
}

/* No newer snapshot can be had in a parallel operation (pegs_spec). */
void
pegs_spi_now(const char *query, int expected, int nargs, const PegsArg *args)
{
	run(query, expected, nargs, args, !IsInParallelMode());
}
