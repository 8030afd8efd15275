/*
 * grant.c
 *	  Who may use a model or release.
 *
 * A grant is a row of pegs_internal.access, read as it is now, whatever the
 * snapshot of the transaction that asks: what was taken back is gone. No
 * transaction of a grantee locks such a row, so pegs_grant and pegs_revoke
 * wait for curators only. The sequence of a cap may still be open in a
 * grantee's transaction: it is left behind, and dropped by a later call that
 * can have it without waiting. Laws L5, L9.
 */
#include "objects.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#define Anum_access_id				1
#define Anum_access_object			2
#define Anum_access_grantee			3
#define Anum_access_cap				5
#define Anum_access_cap_spent		6
#define Anum_access_max_rows		7	/* new after 0.2.0 */
#define Anum_access_max_releases	8

#define MAX_SWEPT 100			/* sequences that one call drops */

static int64
limit_of(HeapTuple row, TupleDesc desc, int attnum, bool *limited)
{
	bool		isnull = true;
	Datum		value = 0;

	if (desc->natts >= attnum)
		value = heap_getattr(row, attnum, desc, &isnull);
	*limited = !isnull;
	return isnull ? 0 : DatumGetInt64(value);
}

/*
 * By what right may the caller use the object? Curators always; others by a
 * grant to them, to a role they are in, or to PUBLIC: of those with a cap, by
 * the one that has the most left; of those without, rather by one to a role.
 */
bool
pegs_find_grant(int64 object, Oid account, PegsGrant *grant)
{
	Oid			user = GetUserId();
	Relation	rel;
	TupleDesc	desc;
	Snapshot	snapshot;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	row;
	bool		found = false;
	int64		most = 0;

	memset(grant, 0, sizeof(*grant));
	if (pegs_is_curator(account))
	{
		grant->curator = true;
		return true;
	}
	rel = table_open(pegs_internal_relation("access"), AccessShareLock);
	desc = RelationGetDescr(rel);
	snapshot = RegisterSnapshot(GetLatestSnapshot());
	ScanKeyInit(&key, Anum_access_object, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(object));
	scan = systable_beginscan(rel, pegs_internal_relation("access_object_grantee_key"), true, snapshot, 1, &key);
	while (HeapTupleIsValid(row = systable_getnext(scan)))
	{
		bool		isnull;
		bool		no_cap;
		Oid			grantee = DatumGetObjectId(heap_getattr(row, Anum_access_grantee, desc, &isnull));
		int64		cap = DatumGetInt64(heap_getattr(row, Anum_access_cap, desc, &no_cap));
		int64		left = 0;

		if (OidIsValid(grantee) && !has_privs_of_role(user, grantee))
			continue;
		if (!no_cap && !pegs_cap_left(DatumGetObjectId(heap_getattr(row, Anum_access_cap_spent, desc, &isnull)), cap, &left))
			continue;
		if (found && (no_cap ? OidIsValid(grant->grantee) || !OidIsValid(grantee) : !grant->capped || left <= most))
			continue;
		found = true;
		most = left;
		grant->id = DatumGetInt64(heap_getattr(row, Anum_access_id, desc, &isnull));
		grant->grantee = grantee;
		grant->capped = !no_cap;
		grant->max_rows = limit_of(row, desc, Anum_access_max_rows, &grant->has_max_rows);
		grant->max_releases = limit_of(row, desc, Anum_access_max_releases, &grant->has_max_releases);
	}
	systable_endscan(scan);
	UnregisterSnapshot(snapshot);
	table_close(rel, AccessShareLock);
	return found;
}

/* The grant to charge: its id if it has a cap, 0 if there is none to charge, -1 if the caller has no right to the object. */
int64
pegs_usable_grant(int64 object, Oid account)
{
	PegsGrant	grant;

	if (!pegs_find_grant(object, account, &grant))
		return -1;
	return grant.capped ? grant.id : 0;
}

bool
pegs_find_object(const char *name, PegsObject *object)
{
	PegsAs		saved;
	PegsArg		arg = {TEXTOID, CStringGetTextDatum(name), false};
	bool		found;
	bool		isnull;

	memset(object, 0, sizeof(*object));
	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT id, account, false, sealed FROM pegs_internal.model WHERE name = $1"
				 " UNION ALL SELECT id, account, true, false FROM pegs_internal.release WHERE name = $1",
				 SPI_OK_SELECT, 1, &arg);
	found = SPI_processed == 1;
	if (found)
	{
		HeapTuple	row = SPI_tuptable->vals[0];
		TupleDesc	desc = SPI_tuptable->tupdesc;

		object->id = DatumGetInt64(SPI_getbinval(row, desc, 1, &isnull));
		object->account = DatumGetObjectId(SPI_getbinval(row, desc, 2, &isnull));
		object->is_release = DatumGetBool(SPI_getbinval(row, desc, 3, &isnull));
		object->sealed = DatumGetBool(SPI_getbinval(row, desc, 4, &isnull));
	}
	pegs_end_as(&saved);
	return found;
}

/* A model or release of the caller's own: of a table of theirs, or, if that is enough, a release that they made. */
PegsObject
pegs_own_object(const char *name, const char *action, bool maker_may)
{
	PegsObject	object;

	if (!pegs_find_object(name, &object))
		pegs_no_such(name);
	if (pegs_is_curator(object.account) || (maker_may && object.is_release && pegs_is_maker(object.id)))
		return object;
	if (pegs_usable_grant(object.id, object.account) < 0)
		pegs_no_such(name);
	pegs_require_curator(object.account, action);
	return object;
}

/*
 * The object stays as it is until this transaction has ended: whoever grants
 * it and whoever drops it wait for each other. They are curators of one table.
 * A release may be dropped by its maker, too: for him nobody waits.
 */
void
pegs_hold_object(const PegsObject *object, const char *name)
{
	PegsArg		id = {INT8OID, Int64GetDatum(object->id), false};

	if (!object->is_release)
	{
		/* a model that a release is being made of can be held: that one needs KEY SHARE only */
		pegs_spi_now("SELECT FROM pegs_internal.model WHERE id = $1 AND name IS NOT NULL FOR NO KEY UPDATE", SPI_OK_SELECT, 1, &id);
		if (SPI_processed == 0)
			pegs_no_such(name);	/* dropped meanwhile */
		return;
	}
	pegs_spi_now("SELECT FROM pegs_internal.release WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED", SPI_OK_SELECT, 1, &id);
	if (SPI_processed == 1)
		return;
	pegs_spi_now("SELECT FROM pegs_internal.release WHERE id = $1", SPI_OK_SELECT, 1, &id);
	if (SPI_processed == 0)
		pegs_no_such(name);
	ereport(ERROR,
			(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
			 errmsg("release \"%s\" is being changed", name),
			 errdetail("Another session has granted or dropped it and not committed yet."),
			 errhint("Try again when that transaction has ended.")));
}

/* ---- caps that were taken back ---- */

/* Deletes grants, and leaves the sequences of their caps to a sweep; gives how many. */
uint64
pegs_delete_grants(const char *where, int nargs, const PegsArg *args)
{
	uint64		n;
	SPITupleTable *table;

	pegs_spi_now(psprintf("DELETE FROM pegs_internal.access WHERE %s RETURNING cap_spent::pg_catalog.oid", where),
				 SPI_OK_DELETE_RETURNING, nargs, args);
	n = SPI_processed;
	table = SPI_tuptable;
	for (uint64 i = 0; i < n && pegs_keeps("revoked", NULL); i++)
	{
		bool		isnull;
		PegsArg		sequence = {OIDOID, SPI_getbinval(table->vals[i], table->tupdesc, 1, &isnull), false};

		if (!isnull)
			pegs_spi("INSERT INTO pegs_internal.revoked (sequence) VALUES ($1::pg_catalog.regclass)", SPI_OK_INSERT, 1, &sequence);
	}
	return n;
}

/*
 * Drops sequences of caps that were taken back, of those that nobody has open.
 * Not those of this transaction: until it is committed others still find the
 * grant, and would wait for its sequence until it has ended.
 */
void
pegs_sweep_caps(void)
{
	SPITupleTable *table;
	uint64		n;

	if (!pegs_keeps("revoked", NULL))
		return;
	pegs_spi_now(psprintf("SELECT sequence::pg_catalog.oid, xmin FROM pegs_internal.revoked LIMIT %d FOR UPDATE SKIP LOCKED", MAX_SWEPT),
				 SPI_OK_SELECT, 0, NULL);
	n = SPI_processed;
	table = SPI_tuptable;
	for (uint64 i = 0; i < n; i++)
	{
		bool		isnull;
		Datum		value = SPI_getbinval(table->vals[i], table->tupdesc, 1, &isnull);
		TransactionId by = DatumGetTransactionId(SPI_getbinval(table->vals[i], table->tupdesc, 2, &isnull));
		PegsArg		sequence = {OIDOID, value, false};
		char	   *literal;

		if (TransactionIdIsCurrentTransactionId(by))
			continue;
		if (!ConditionalLockRelationOid(DatumGetObjectId(value), AccessExclusiveLock))
			continue;
		literal = get_rel_name(DatumGetObjectId(value));
		if (literal)
			pegs_spi(psprintf("DROP SEQUENCE pegs_internal.%s", quote_identifier(literal)), SPI_OK_UTILITY, 0, NULL);
		pegs_spi_now("DELETE FROM pegs_internal.revoked WHERE sequence = $1", SPI_OK_DELETE, 1, &sequence);
	}
}

/* ---- SQL ---- */

static const char *
role_argument(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("role must not be null"),
				 errhint("Name a role: role => 'analyst'")));
	return NameStr(*PG_GETARG_NAME(1));
}

/* InvalidOid for 'public'. A role that was dropped has its number only. */
static Oid
role_of(const char *role, bool dropped_may)
{
	Oid			oid;

	if (strcmp(role, "public") == 0)
		return InvalidOid;
	oid = get_role_oid(role, dropped_may && strspn(role, "0123456789") == strlen(role));
	if (OidIsValid(oid))
		return oid;
	oid = (Oid) strtoul(role, NULL, 10);
	if (!OidIsValid(oid) || SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(oid)))
		(void) get_role_oid(role, false);	/* an error */
	return oid;
}

static void
refuse_not_granted(const char *name, const char *role)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("\"%s\" is not granted to role \"%s\"", name, role),
			 errhint("Nothing was changed.")));
}

/* pegs_grant(name text, role name, epsilon double precision DEFAULT NULL) */
PG_FUNCTION_INFO_V1(pegs_grant);
Datum
pegs_grant(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "name");
	Oid			role = role_of(role_argument(fcinfo), false);
	int64		cap = pegs_arg_epsilon(fcinfo, 2, "epsilon");
	PegsObject	object = pegs_own_object(name, "grant its models and releases", false);
	PegsAs		saved;
	PegsArg		args[5];
	int64		id;
	Oid			sequence = InvalidOid;

	if (object.sealed && pegs_model(name)->l_diversity > 0)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("model \"%s\" has no guarantee and cannot be granted", name),
				 errhint("l-diversity is not differential privacy: only the owner of the table may read such rows.")));
	if (object.sealed && !OidIsValid(role))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a sealed model cannot be granted to public"),
				 errhint("Grant it to a role, or publish a perturbed model or a release.")));
	if (object.sealed && cap == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("model \"%s\" is sealed: a grant needs the epsilon that may be spent by it", name),
				 errhint("SELECT pegs_grant(%s, %s, epsilon => 0.5);", quote_literal_cstr(name),
						 quote_literal_cstr(role_argument(fcinfo)))));
	if (!object.sealed && cap != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" costs nothing to read: a grant of it takes no epsilon", name),
				 errhint("Leave epsilon out.")));
	pegs_begin_as_extension(&saved);
	pegs_sweep_caps();
	pegs_hold_object(&object, name);
	args[0] = (PegsArg) {INT8OID, Int64GetDatum(object.id), false};
	args[1] = (PegsArg) {OIDOID, ObjectIdGetDatum(role), false};
	args[2] = (PegsArg) {INT8OID, Int64GetDatum(cap), cap == 0};
	(void) pegs_delete_grants("object = $1 AND grantee <> 0 AND NOT EXISTS (SELECT FROM pg_catalog.pg_roles AS a WHERE a.oid = grantee)",
							  1, args);
	/* a second grant to the same role moves its cap; what was spent stays spent */
	pegs_spi_now("UPDATE pegs_internal.access SET cap = $3 WHERE object = $1 AND grantee = $2", SPI_OK_UPDATE, 3, args);
	if (SPI_processed == 0)
	{
		id = pegs_next_id();
		if (cap != 0)
			sequence = pegs_new_cap(id);
		args[3] = (PegsArg) {REGCLASSOID, ObjectIdGetDatum(sequence), cap == 0};
		args[4] = (PegsArg) {INT8OID, Int64GetDatum(id), false};
		pegs_spi("INSERT INTO pegs_internal.access (object, grantee, cap, cap_spent, id) VALUES ($1, $2::regrole, $3, $4, $5)",
				 SPI_OK_INSERT, 5, args);
	}
	pegs_end_as(&saved);
	PG_RETURN_VOID();
}

/* pegs_revoke(name text, role name) */
PG_FUNCTION_INFO_V1(pegs_revoke);
Datum
pegs_revoke(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "name");
	const char *role_name = role_argument(fcinfo);
	Oid			role = role_of(role_name, true);
	PegsObject	object = pegs_own_object(name, "revoke grants of its models and releases", false);
	PegsAs		saved;
	PegsArg		args[2] = {
		{INT8OID, Int64GetDatum(object.id), false},
		{OIDOID, ObjectIdGetDatum(role), false}
	};
	uint64		gone;

	pegs_begin_as_extension(&saved);
	pegs_sweep_caps();
	gone = pegs_delete_grants("object = $1 AND grantee = $2", 2, args);
	pegs_end_as(&saved);
	if (gone == 0)
		refuse_not_granted(name, role_name);
	if (!object.is_release)
		pegs_tell_releases(&object, name, &role);
	PG_RETURN_VOID();
}

/* NULL: no limit. */
static PegsArg
limit_argument(FunctionCallInfo fcinfo, int n, const char *name)
{
	bool		given = PG_NARGS() > n && !PG_ARGISNULL(n);

	if (given && PG_GETARG_INT64(n) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must not be negative", name),
				 errhint("Give how many may be stored by this grant, or NULL for any number.")));
	return (PegsArg) {INT8OID, given ? Int64GetDatum(PG_GETARG_INT64(n)) : 0, !given};
}

/* pegs_limit(model text, role name, max_rows bigint DEFAULT 1000000, max_releases bigint DEFAULT 100) */
PG_FUNCTION_INFO_V1(pegs_limit);
Datum
pegs_limit(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "model");
	const char *role_name = role_argument(fcinfo);
	Oid			role = role_of(role_name, false);
	PegsArg		args[4];
	PegsObject	object;
	PegsAs		saved;

	args[2] = limit_argument(fcinfo, 2, "max_rows");
	args[3] = limit_argument(fcinfo, 3, "max_releases");
	object = pegs_own_object(name, "limit grants of its models", false);
	if (object.is_release)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is a release: nothing can be released from it", name),
				 errhint("Limit the grant of its model.")));
	args[0] = (PegsArg) {INT8OID, Int64GetDatum(object.id), false};
	args[1] = (PegsArg) {OIDOID, ObjectIdGetDatum(role), false};
	pegs_begin_as_extension(&saved);
	pegs_hold_object(&object, name);
	pegs_spi_now("UPDATE pegs_internal.access SET max_rows = $3, max_releases = $4 WHERE object = $1 AND grantee = $2", SPI_OK_UPDATE, 4, args);
	if (SPI_processed == 0)
		refuse_not_granted(name, role_name);
	pegs_end_as(&saved);
	PG_RETURN_VOID();
}

/* pegs_withdraw(model text, role name DEFAULT NULL) → bigint */
PG_FUNCTION_INFO_V1(pegs_withdraw);
Datum
pegs_withdraw(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "model");
	bool		all = PG_ARGISNULL(1);
	Oid			role = all ? InvalidOid : role_of(role_argument(fcinfo), true);
	PegsObject	object = pegs_own_object(name, "withdraw releases of its models", false);

	if (object.is_release)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is a release itself", name),
				 errhint("SELECT pegs_drop(%s);", quote_literal_cstr(name))));
	PG_RETURN_INT64((int64) pegs_take_releases(&object, name, all ? NULL : &role));
}

/* pegs_may_use(object bigint, account regclass) → boolean: what the views show */
PG_FUNCTION_INFO_V1(pegs_may_use);
Datum
pegs_may_use(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!PG_ARGISNULL(0) && !PG_ARGISNULL(1)
				   && pegs_usable_grant(PG_GETARG_INT64(0), PG_GETARG_OID(1)) >= 0);
}
