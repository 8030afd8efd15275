/*
 * budget.c
 *	  Setting budgets, and showing what is spent of them.
 *
 * The sequences of a budget are owned by the extension's owner but are not
 * members of the extension: pg_dump keeps them with their value, where it
 * would drop a member that was made after CREATE EXTENSION. Where a budget is
 * kept is written down with it (identity.c), so that a copy can be told.
 */
#include "ledger.h"

#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* pegs_internal.spent(source regclass, of_delta boolean) → bigint, in units; NULL unless the caller is its curator. */
PG_FUNCTION_INFO_V1(pegs_spent);
Datum
pegs_spent(PG_FUNCTION_ARGS)
{
	PegsAccount		account;
	Oid			source = PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0);
	Relation	rel;
	int64		spent;

	if (!OidIsValid(source) || PG_ARGISNULL(1) || !pegs_is_curator(source) || !pegs_read_budget(source, &account))
		PG_RETURN_NULL();
	rel = try_relation_open(PG_GETARG_BOOL(1) ? account.delta : account.epsilon, AccessShareLock);
	if (rel == NULL)
		PG_RETURN_NULL();		/* a restore has left it behind */
	spent = pegs_spent_of(rel);
	relation_close(rel, AccessShareLock);
	PG_RETURN_INT64(spent);
}

/* A sequence that starts at zero spent, of the extension's owner, in pegs_internal. */
static void
create_sequence(const char *name)
{
	pegs_spi(psprintf("CREATE SEQUENCE pegs_internal.%s AS bigint MINVALUE 0 START 0 CACHE 1", name),
			 SPI_OK_UTILITY, 0, NULL);
	pegs_spi(psprintf("REVOKE ALL ON SEQUENCE pegs_internal.%s FROM PUBLIC", name), SPI_OK_UTILITY, 0, NULL);
	CommandCounterIncrement();
}

/* The sequence that counts what a capped grant has spent. */
Oid
pegs_new_cap(int64 grant)
{
	char	   *name = psprintf("cap_" INT64_FORMAT, grant);

	create_sequence(name);
	return pegs_internal_relation(name);
}

static void
create_budget(Oid source, int64 epsilon, int64 delta)
{
	PegsAs		saved;
	int64		id;
	char	   *names[2];
	PegsArg		args[9] = {{0}};

	pegs_begin_as_extension(&saved);
	pegs_spi("LOCK TABLE pegs_internal.budget IN SHARE ROW EXCLUSIVE MODE", SPI_OK_UTILITY, 0, NULL);
	id = pegs_next_id();
	names[0] = psprintf("epsilon_" INT64_FORMAT, id);
	names[1] = psprintf("delta_" INT64_FORMAT, id);
	create_sequence(names[0]);
	create_sequence(names[1]);
	args[0] = (PegsArg) {REGCLASSOID, ObjectIdGetDatum(source), false};
	args[1] = (PegsArg) {INT8OID, Int64GetDatum(epsilon), false};
	args[2] = (PegsArg) {INT8OID, Int64GetDatum(delta), false};
	args[3] = (PegsArg) {REGCLASSOID, ObjectIdGetDatum(pegs_internal_relation(names[0])), false};
	args[4] = (PegsArg) {REGCLASSOID, ObjectIdGetDatum(pegs_internal_relation(names[1])), false};
	args[5] = (PegsArg) {INT8OID, Int64GetDatum(id), false};
	args[6] = (PegsArg) {TEXTOID, CStringGetTextDatum(pegs_system_identifier()), false};
	args[7] = (PegsArg) {INT8OID, Int64GetDatum(pegs_timeline()), false};
	args[8] = (PegsArg) {OIDOID, ObjectIdGetDatum(MyDatabaseId), false};
	pegs_spi("INSERT INTO pegs_internal.budget (source, epsilon, delta, epsilon_spent, delta_spent, id, system_identifier, timeline, database)"
			 " VALUES ($1, $2, $3, $4, $5, $6, $7::numeric, $8, $9)",
			 SPI_OK_INSERT, 9, args);
	/* the column is new after 0.1.0: a budget must not need it, before ALTER EXTENSION UPDATE */
	if (get_attnum(pegs_internal_relation("budget"), "sequence") != InvalidAttrNumber)
		pegs_spi("UPDATE pegs_internal.budget SET sequence = epsilon_spent WHERE source = $1", SPI_OK_UPDATE, 1, args);
	pegs_end_as(&saved);
}

/* pegs_set_budget(source regclass, epsilon double precision, delta double precision DEFAULT 0) */
PG_FUNCTION_INFO_V1(pegs_set_budget);
Datum
pegs_set_budget(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "set its privacy budget");
	int64		epsilon = pegs_arg_epsilon(fcinfo, 1, "epsilon");
	int64		delta = pegs_arg_delta(fcinfo, 2, "delta");
	PegsAccount		account;
	PegsBought	interval = {0};

	if (epsilon == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("epsilon must not be null"),
				 errhint("SELECT pegs_set_budget(%s, epsilon => 1);", pegs_relation_literal(source->account))));
	if (RecoveryInProgress() || XactReadOnly)
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("a privacy budget cannot be set in a read-only transaction"),
				 errhint("Use a read-write transaction.")));
	if (!pegs_read_budget(source->account, &account))
		create_budget(source->account, epsilon, delta);
	else
	{
		/* chargers wait until this transaction ends */
		Relation	rel = pegs_open_sequence(account.epsilon, ShareUpdateExclusiveLock);
		Relation	rel_delta = pegs_open_sequence(account.delta, AccessShareLock);
		PegsAs		saved;
		PegsArg		args[3] = {
			{REGCLASSOID, ObjectIdGetDatum(source->account), false},
			{INT8OID, Int64GetDatum(epsilon), false},
			{INT8OID, Int64GetDatum(delta), false}
		};

		interval.epsilon_from = pegs_spent_of(rel);
		interval.delta_from = pegs_spent_of(rel_delta);
		relation_close(rel_delta, NoLock);
		relation_close(rel, NoLock);
		if (epsilon < interval.epsilon_from || delta < interval.delta_from)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the budget cannot be less than what is spent"),
					 errdetail("Spent are epsilon %s and delta %s.", pegs_units_text(interval.epsilon_from, 9),
							   pegs_units_text(interval.delta_from, 18)),
					 errhint("Set it to what is spent to stop all spending.")));
		pegs_begin_as_extension(&saved);
		pegs_spi("UPDATE pegs_internal.budget SET epsilon = $2, delta = $3 WHERE source = $1", SPI_OK_UPDATE, 3, args);
		pegs_require_one_budget();
		pegs_end_as(&saved);
	}
	interval.epsilon_left = epsilon - interval.epsilon_from;
	pegs_ledger_line(source->account, "budget", NULL, &interval, 0, 0, NULL);
	PG_RETURN_VOID();
}
