/*
 * remains.c
 *	  What goes with a dropped table, and what becomes of the rest.
 *
 * A dropped table takes its sealed models and its declared facts with it (an
 * event trigger, sql_drop). Where the trigger was off, and a new table has the
 * number, that is made up for when the new table is used. What was released
 * moves to a number that no table has. Law L9.
 */
#include "models/models.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/event_trigger.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

static PegsArg
oid_array(const Oid *oids, int n)
{
	Datum	   *values = palloc(sizeof(Datum) * (n + 1));

	for (int i = 0; i < n; i++)
		values[i] = ObjectIdGetDatum(oids[i]);
	return (PegsArg) {OIDARRAYOID, PointerGetDatum(construct_array(values, n, OIDOID, sizeof(Oid), true, TYPALIGN_INT)), false};
}

/* Exact counts of these accounts and of these sources, and grants of them. As the extension's owner. */
static void
bury_sealed(PegsArg accounts, PegsArg sources)
{
	PegsArg		args[2] = {accounts, sources};
	SPITupleTable *table;
	uint64		n;

	pegs_spi_now("SELECT id, name FROM pegs_internal.model WHERE sealed AND name IS NOT NULL"
				 " AND (account::pg_catalog.oid = ANY ($1) OR source::pg_catalog.oid = ANY ($2)) ORDER BY id", SPI_OK_SELECT, 2, args);
	n = SPI_processed;
	table = SPI_tuptable;
	for (uint64 i = 0; i < n; i++)
	{
		bool		isnull;
		int64		id = DatumGetInt64(SPI_getbinval(table->vals[i], table->tupdesc, 1, &isnull));
		PegsObject	model = {.id = id, .row = id, .sealed = true};	/* fitted once */

		pegs_drop_model(&model, SPI_getvalue(table->vals[i], table->tupdesc, 2));
	}
	if (n > 0)
		pegs_sweep_models();
}

/*
 * Declared facts of these relations, or that they hold. A lookup table's are
 * those of other curators: one that somebody is changing stays behind, and is
 * "gone" wherever it is asked for; a DROP waits for none of them.
 */
static void
bury_facts(PegsArg relations)
{
	pegs_spi_now("DELETE FROM pegs_internal.fact WHERE source::pg_catalog.oid = ANY ($1)", SPI_OK_DELETE, 1, &relations);
	pegs_spi_now("WITH free AS MATERIALIZED (SELECT source, column_name FROM pegs_internal.fact WHERE lookup::pg_catalog.oid = ANY ($1) FOR UPDATE SKIP LOCKED)"
				 " DELETE FROM pegs_internal.fact AS f USING free WHERE f.source = free.source AND f.column_name = free.column_name",
				 SPI_OK_DELETE, 1, &relations);
	pegs_spi_now("DELETE FROM pegs_internal.forbidden WHERE source::pg_catalog.oid = ANY ($1)", SPI_OK_DELETE, 1, &relations);
	pegs_spi_now("DELETE FROM pegs_internal.unit WHERE source::pg_catalog.oid = ANY ($1)", SPI_OK_DELETE, 1, &relations);
	/* what is bound to it stays bound: to a table that is gone, so that nobody pays (budget/bound.c) */
	if (pegs_keeps("parent", NULL))
	{
		pegs_spi_now("DELETE FROM pegs_internal.parent WHERE source::pg_catalog.oid = ANY ($1)", SPI_OK_DELETE, 1, &relations);
		pegs_spi_now("UPDATE pegs_internal.parent SET parent = 0 WHERE source IN"
					 " (SELECT source FROM pegs_internal.parent WHERE parent::pg_catalog.oid = ANY ($1) FOR UPDATE SKIP LOCKED)", SPI_OK_UPDATE, 1, &relations);
		/* a dump would carry its number alone, and another table may have that where it is restored */
		pegs_spi_now("UPDATE pegs_internal.parent SET root = 0 WHERE source IN"
					 " (SELECT source FROM pegs_internal.parent WHERE root::pg_catalog.oid = ANY ($1) FOR UPDATE SKIP LOCKED)", SPI_OK_UPDATE, 1, &relations);
	}
	if (pegs_keeps("hierarchy", NULL))
	{
		pegs_spi_now("DELETE FROM pegs_internal.hierarchy WHERE source::pg_catalog.oid = ANY ($1)", SPI_OK_DELETE, 1, &relations);
		pegs_spi_now("WITH free AS MATERIALIZED (SELECT source, attnum, relation FROM pegs_internal.hierarchy AS h WHERE EXISTS (SELECT FROM unnest(h.lookups) AS l (o) WHERE l.o::pg_catalog.oid = ANY ($1)) FOR UPDATE SKIP LOCKED)"
					 " DELETE FROM pegs_internal.hierarchy AS h USING free WHERE (h.source, h.attnum, h.relation) = (free.source, free.attnum, free.relation)", SPI_OK_DELETE, 1, &relations);
	}
}

/*
 * Before a table is used: what a dropped table left under its number moves to
 * a number that no table has, and stays dead.
 */
void
pegs_settle(Oid account)
{
	static const char *const moves[] = {
		"UPDATE pegs_internal.origin SET relation = $2::pg_catalog.regclass WHERE relation = $1",
		"UPDATE pegs_internal.budget SET source = $2::pg_catalog.regclass WHERE source = $1",
		"UPDATE pegs_internal.ledger SET source = $2::pg_catalog.regclass WHERE source = $1",
		"UPDATE pegs_internal.model SET account = $2::pg_catalog.regclass WHERE account = $1",
		"UPDATE pegs_internal.model SET source = $2::pg_catalog.regclass WHERE source = $1",
		"UPDATE pegs_internal.release SET account = $2::pg_catalog.regclass WHERE account = $1"
	};
	Oid			owner;
	Oid			number;
	PegsArg		args[2];
	PegsAs		saved;

	if (!pegs_keeps("origin", NULL) || RecoveryInProgress() || XactReadOnly || IsInParallelMode()
		|| !SearchSysCacheExists1(RELOID, ObjectIdGetDatum(account)) || !pegs_is_dead(account, &owner))
		return;
	pegs_begin_as_extension(&saved);
	do
	{
		PegsArg		candidate;

		CHECK_FOR_INTERRUPTS();
		number = GetNewObjectId();
		candidate = (PegsArg) {OIDOID, ObjectIdGetDatum(number), false};
		/* nor that of another table that is gone */
		pegs_spi_now("SELECT WHERE EXISTS (SELECT FROM pegs_internal.origin WHERE relation = $1)"
					 " OR EXISTS (SELECT FROM pegs_internal.budget WHERE source = $1) OR EXISTS (SELECT FROM pegs_internal.ledger WHERE source = $1)"
					 " OR EXISTS (SELECT FROM pegs_internal.model WHERE account = $1 OR source = $1)"
					 " OR EXISTS (SELECT FROM pegs_internal.release WHERE account = $1)", SPI_OK_SELECT, 1, &candidate);
	} while (SPI_processed > 0 || SearchSysCacheExists1(RELOID, ObjectIdGetDatum(number)));
	bury_sealed(oid_array(&account, 1), oid_array(&account, 1));
	bury_facts(oid_array(&account, 1));
	args[0] = (PegsArg) {OIDOID, ObjectIdGetDatum(account), false};
	args[1] = (PegsArg) {OIDOID, ObjectIdGetDatum(number), false};
	for (int i = 0; i < (int) lengthof(moves); i++)
		pegs_spi_now(moves[i], SPI_OK_UPDATE, 2, args);
	if (pegs_keeps("parent", NULL))
		pegs_spi_now("UPDATE pegs_internal.parent SET root = $2::pg_catalog.regclass WHERE root = $1", SPI_OK_UPDATE, 2, args);
	pegs_insert_origin(number, InvalidTransactionId, owner, true);
	pegs_end_as(&saved);
}

/* ---- the event trigger ---- */

/* Whose a relation was that this transaction has dropped; InvalidOid if nobody knows. */
static Oid
last_owner(Oid relid)
{
	Relation	rel = table_open(RelationRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	row;
	Oid			owner = InvalidOid;

	ScanKeyInit(&key, Anum_pg_class_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relid));
	scan = systable_beginscan(rel, ClassOidIndexId, true, SnapshotAny, 1, &key);
	while (HeapTupleIsValid(row = systable_getnext(scan)))
		if (TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetUpdateXid(row->t_data)))
			owner = ((Form_pg_class) GETSTRUCT(row))->relowner;
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return owner;
}

/* Do the tables of pegs speak of any of these relations? */
static bool
concerned(PegsArg relations)
{
	pegs_spi_now("SELECT WHERE EXISTS (SELECT FROM pegs_internal.budget WHERE source::pg_catalog.oid = ANY ($1))"
				 " OR EXISTS (SELECT FROM pegs_internal.model WHERE account::pg_catalog.oid = ANY ($1) OR source::pg_catalog.oid = ANY ($1))"
				 " OR EXISTS (SELECT FROM pegs_internal.release WHERE account::pg_catalog.oid = ANY ($1))"
				 " OR EXISTS (SELECT FROM pegs_internal.fact WHERE source::pg_catalog.oid = ANY ($1) OR lookup::pg_catalog.oid = ANY ($1))"
				 " OR EXISTS (SELECT FROM pegs_internal.forbidden WHERE source::pg_catalog.oid = ANY ($1))"
				 " OR EXISTS (SELECT FROM pegs_internal.unit WHERE source::pg_catalog.oid = ANY ($1))", SPI_OK_SELECT, 1, &relations);
	if (SPI_processed == 0 && pegs_keeps("parent", NULL))
		pegs_spi_now("SELECT WHERE EXISTS (SELECT FROM pegs_internal.parent WHERE source::pg_catalog.oid = ANY ($1) OR parent::pg_catalog.oid = ANY ($1) OR root::pg_catalog.oid = ANY ($1))",
					 SPI_OK_SELECT, 1, &relations);
	if (SPI_processed > 0 || !pegs_keeps("hierarchy", NULL))
		return SPI_processed > 0;
	pegs_spi_now("SELECT WHERE EXISTS (SELECT FROM pegs_internal.hierarchy WHERE source::pg_catalog.oid = ANY ($1) OR EXISTS (SELECT FROM unnest(lookups) AS l (o) WHERE l.o::pg_catalog.oid = ANY ($1)))",
				 SPI_OK_SELECT, 1, &relations);
	return SPI_processed > 0;
}

/* Of the relations that the command has dropped: those with rows, or all that can have facts. */
static int
dropped_relations(bool with_rows, Oid **oids)
{
	SPITupleTable *table;
	int			n;

	pegs_spi_now(psprintf("SELECT objid FROM pg_catalog.pg_event_trigger_dropped_objects() WHERE classid = 'pg_catalog.pg_class'::pg_catalog.regclass"
						  " AND objsubid = 0 AND object_type IN ('table', 'foreign table', 'materialized view'%s)", with_rows ? "" : ", 'view'"),
				 SPI_OK_SELECT, 0, NULL);
	n = (int) SPI_processed;
	table = SPI_tuptable;
	*oids = palloc(sizeof(Oid) * (n + 1));
	for (int i = 0; i < n; i++)
	{
		bool		isnull;

		(*oids)[i] = DatumGetObjectId(SPI_getbinval(table->vals[i], table->tupdesc, 1, &isnull));
	}
	return n;
}

/* pegs_internal.table_dropped() → event_trigger */
PG_FUNCTION_INFO_V1(pegs_table_dropped);
Datum
pegs_table_dropped(PG_FUNCTION_ARGS)
{
	PegsAs		saved;
	Oid		   *oids;
	int			n;
	PegsArg		all;

	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("pegs_internal.table_dropped is an event trigger")));
	/* somebody else's DROP shall not fail because of us: our tables may be going, too */
	if (IsBinaryUpgrade || !pegs_keeps("origin", NULL))
		PG_RETURN_NULL();
	pegs_begin_as_extension(&saved);
	n = dropped_relations(false, &oids);
	all = oid_array(oids, n);
	if (n > 0 && concerned(all))
	{
		bury_facts(all);
		n = dropped_relations(true, &oids);
		/* a model of a view needs the table below only; an account that is a view was a table (a rule ON SELECT, before 16) */
		bury_sealed(all, oid_array(oids, n));
		for (int i = 0; i < n; i++)
		{
			PegsArg		relation = {OIDOID, ObjectIdGetDatum(oids[i]), false};
			Oid			owner = last_owner(oids[i]);

			if (!concerned(oid_array(&oids[i], 1)))
				continue;
			pegs_spi_now("DELETE FROM pegs_internal.origin WHERE relation = $1", SPI_OK_DELETE, 1, &relation);
			pegs_insert_origin(oids[i], InvalidTransactionId, OidIsValid(owner) ? owner : pegs_extension_owner(), true);
		}
	}
	pegs_end_as(&saved);
	PG_RETURN_NULL();
}
