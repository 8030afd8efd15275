/*
 * object.c
 *	  A model or release by its name, and by what right the caller uses it.
 *
 * A grant is a row of pegs_internal.access, read as it is now, whatever the
 * snapshot of the transaction that asks: what was taken back is gone. "No such
 * model" and "not granted" are one error. Law L5.
 */
#include "models/models.h"
#include "budget/budget.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

/* One error for both, so that a name tells nothing. */
void
pegs_no_such(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("there is no model or release \"%s\", or it is not granted to you", pegs_clipped(name)),
			 errhint("SELECT name FROM pegs_models; SELECT name FROM pegs_releases;")));
}

/* What was found by the caller's snapshot and is there no more. */
void
pegs_gone(const char *name)
{
	PegsObject	object;

	if (!pegs_find_object(name, &object) || pegs_usable_grant(object.id, object.account) < 0)
		pegs_no_such(name);
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("model \"%s\" was fitted anew meanwhile", name),
			 errdetail("This transaction has found the fit before. Nothing was charged."),
			 errhint("Try again, in a new transaction.")));
}

/*
 * A model that is fitted anew gets a new row, and is the same model: grants and
 * limits are kept under the id of its first fit, which may be gone.
 */
const char *
pegs_object_column(void)
{
	return pegs_keeps("model", "first_fit") ? "coalesce(first_fit, id)" : "id";
}

#define Anum_access_id				1
#define Anum_access_object			2
#define Anum_access_grantee			3
#define Anum_access_cap				5
#define Anum_access_cap_spent		6
#define Anum_access_max_rows		7	/* new after 0.2.0 */
#define Anum_access_max_releases	8

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
	ScanKeyInit(&key, Anum_access_object, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(object));
	/* what is committed now, also in a parallel worker, where GetLatestSnapshot cannot be had (pegs_score) */
	scan = systable_beginscan(rel, pegs_internal_relation("access_object_grantee_key"), true, NULL, 1, &key);
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
	pegs_spi_now(psprintf("SELECT %s, account, false, sealed, id FROM pegs_internal.model WHERE name = $1"
						  " UNION ALL SELECT id, account, true, false, id FROM pegs_internal.release WHERE name = $1", pegs_object_column()),
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
		object->row = DatumGetInt64(SPI_getbinval(row, desc, 5, &isnull));
	}
	pegs_end_as(&saved);
	return found;
}

/*
 * The last fit of a model; fitted anew while we waited, it is another row. A
 * model that a release is being made of can be held: that one needs KEY SHARE only.
 */
static void
hold_model(PegsObject *model, const char *name)
{
	PegsArg		id = {INT8OID, Int64GetDatum(model->id), false};
	char	   *find = psprintf("SELECT id FROM pegs_internal.model WHERE %s = $1 AND name IS NOT NULL", pegs_object_column());
	char	   *hold = psprintf("%s FOR NO KEY UPDATE", find);
	bool		isnull;

	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		pegs_spi_now(hold, SPI_OK_SELECT, 1, &id);
		if (SPI_processed == 1)
			break;
		pegs_spi_now(find, SPI_OK_SELECT, 1, &id);
		if (SPI_processed == 0)
			pegs_no_such(name);	/* dropped meanwhile */
	}
	model->row = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

/*
 * The object stays as it is until this transaction has ended: whoever grants
 * it and whoever drops it wait for each other. They are curators of one table.
 * A release may be dropped by its maker, too: for him nobody waits.
 */
void
pegs_hold_object(PegsObject *object, const char *name)
{
	PegsArg		id = {INT8OID, Int64GetDatum(object->id), false};

	if (!object->is_release)
	{
		hold_model(object, name);
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
