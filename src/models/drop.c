/*
 * drop.c
 *	  How models and releases go.
 *
 * A release outlives its model: the model's row stays without a name for as
 * long as a release needs its facts, and the body with it if that is public.
 * Exact counts go at once. A release that is being made holds its model
 * (KEY SHARE): it makes no dropper wait, and what it holds is left to the next
 * one. A release that its maker is dropping makes no curator wait. Law L9.
 * A fit that another took the place of (refit.c) stays in the same way.
 */
#include "models/models.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#define MAX_TOLD 10			/* releases that a NOTICE names */

/* Slices have no name but the last one: they are there as long as that is. */
static const char *
no_slice(void)
{
	return pegs_keeps("model", "grid")
		? " AND (m.grid IS NULL OR coalesce(m.first_fit, m.id) NOT IN (SELECT coalesce(last.first_fit, last.id)"
		" FROM pegs_internal.model AS last WHERE last.name IS NOT NULL))" : "";
}

/* Rows of models that were dropped, and that no release needs any more. As the extension's owner. */
void
pegs_sweep_models(void)
{
	Datum	   *ids;
	uint64		n;
	PegsArg		locked;

	/* locked first: a release that was being made when we looked is seen by the second look */
	pegs_spi_now(psprintf("SELECT m.id FROM pegs_internal.model AS m WHERE m.name IS NULL"
						  " AND NOT EXISTS (SELECT FROM pegs_internal.release AS r WHERE r.model = m.id)%s FOR UPDATE OF m SKIP LOCKED", no_slice()),
				 SPI_OK_SELECT, 0, NULL);
	n = SPI_processed;
	if (n == 0)
		return;
	ids = palloc(sizeof(Datum) * n);
	for (uint64 i = 0; i < n; i++)
	{
		bool		isnull;

		ids[i] = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull);
	}
	locked = (PegsArg) {INT8ARRAYOID, PointerGetDatum(construct_array(ids, (int) n, INT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)), false};
	pegs_spi_now("DELETE FROM pegs_internal.body AS b WHERE b.model = ANY ($1)"
				 " AND NOT EXISTS (SELECT FROM pegs_internal.release AS r WHERE r.model = b.model)", SPI_OK_DELETE, 1, &locked);
	pegs_spi_now("DELETE FROM pegs_internal.model AS m WHERE m.id = ANY ($1)"
				 " AND NOT EXISTS (SELECT FROM pegs_internal.release AS r WHERE r.model = m.id)", SPI_OK_DELETE, 1, &locked);
}

static void
free_name(const char *name)
{
	PegsArg		freed = {TEXTOID, CStringGetTextDatum(name), false};

	pegs_spi_now("DELETE FROM pegs_internal.name WHERE name = $1", SPI_OK_DELETE, 1, &freed);
}

#define MAX_SWEPT 100			/* sequences that one call drops */

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

/* A release that is held. As the extension's owner. */
void
pegs_drop_release(int64 release, const char *name)
{
	PegsArg		id = {INT8OID, Int64GetDatum(release), false};

	(void) pegs_delete_grants("object = $1", 1, &id);
	free_name(name);
	pegs_spi_now("DELETE FROM pegs_internal.release_rows WHERE release = $1", SPI_OK_DELETE, 1, &id);
	pegs_spi_now("DELETE FROM pegs_internal.release WHERE id = $1", SPI_OK_DELETE, 1, &id);
	if (pegs_keeps("maker", NULL))
		pegs_spi_now("DELETE FROM pegs_internal.maker WHERE release = $1", SPI_OK_DELETE, 1, &id);
}

void
pegs_unname_model(int64 row)
{
	PegsArg		id = {INT8OID, Int64GetDatum(row), false};

	pegs_spi_now("UPDATE pegs_internal.model SET name = NULL WHERE id = $1", SPI_OK_UPDATE, 1, &id);
}

/* A model that is held. As the extension's owner. */
void
pegs_drop_model(const PegsObject *model, const char *name)
{
	PegsArg		granted = {INT8OID, Int64GetDatum(model->id), false};
	PegsArg		id = {INT8OID, Int64GetDatum(model->row), false};

	(void) pegs_delete_grants("object = $1", 1, &granted);
	free_name(name);
	pegs_unname_model(model->row);
	pegs_spi_now("DELETE FROM pegs_internal.body AS b USING pegs_internal.model AS m WHERE b.model = $1 AND m.id = $1 AND m.sealed",
				 SPI_OK_DELETE, 1, &id);
}

/* The releases of a model, of whichever fit: all, or those made by a grant to `role`. With FOR UPDATE those only that nobody is changing. */
static SPITupleTable *
releases_of(int64 model, const Oid *role, bool take, uint64 *n)
{
	PegsArg		args[2] = {
		{INT8OID, Int64GetDatum(model), false},
		{OIDOID, ObjectIdGetDatum(role ? *role : InvalidOid), false}
	};

	if (!pegs_keeps("maker", NULL))
	{
		*n = 0;
		return NULL;
	}
	pegs_spi_now(psprintf("SELECT r.id, r.name, m.maker::pg_catalog.text FROM pegs_internal.release AS r LEFT JOIN pegs_internal.maker AS m"
						  " ON m.release = r.id WHERE r.model IN (SELECT id FROM pegs_internal.model WHERE %s = $1) %s ORDER BY r.id %s",
						  pegs_object_column(), role ? "AND m.grantee = $2" : "", take ? "FOR UPDATE OF r SKIP LOCKED" : ""),
				 SPI_OK_SELECT, role ? 2 : 1, args);
	*n = SPI_processed;
	return SPI_tuptable;
}

/* "name" (made by role), ... of those that are there; NULL if there are none. */
static char *
releases_in_words(const PegsObject *model, const Oid *role, uint64 *n)
{
	MemoryContext context = CurrentMemoryContext;
	SPITupleTable *table;
	StringInfoData list;
	PegsAs		saved;

	pegs_begin_as_extension(&saved);
	table = releases_of(model->id, role, false, n);
	MemoryContextSwitchTo(context);
	initStringInfo(&list);
	for (uint64 i = 0; i < *n && i < MAX_TOLD; i++)
	{
		char	   *maker = SPI_getvalue(table->vals[i], table->tupdesc, 3);

		appendStringInfo(&list, "%s\"%s\" (%s%s)", i > 0 ? ", " : "", SPI_getvalue(table->vals[i], table->tupdesc, 2),
						 maker ? "made by " : "maker not known", maker ? maker : "");
	}
	if (*n > MAX_TOLD)
		appendStringInfoString(&list, ", ...");
	pegs_end_as(&saved);
	return list.data;
}

/* The arguments of pegs_withdraw: 'model', or 'model', 'role'. */
static char *
withdrawn(const char *name, const Oid *role)
{
	char	   *model = quote_literal_cstr(name);
	char	   *grantee = role && OidIsValid(*role) ? GetUserNameFromId(*role, true) : NULL;

	if (role == NULL)
		return model;
	return psprintf("%s, %s", model, !OidIsValid(*role) ? "'public'" : quote_literal_cstr(grantee ? grantee : psprintf("%u", *role)));
}

/* What was begun before may still be committed. Nobody waits for it: who takes a model or grant back is told. */
static void
tell_open_releases(const PegsObject *model, const char *name, const Oid *role, bool dropped)
{
	int64		n = pegs_count_open_releases(model->id, role);

	if (n > 0)
		ereport(NOTICE,
				(errmsg("releases of \"%s\" that are being made in open transactions: " INT64_FORMAT, name, n),
				 errdetail("They are there once those transactions are committed."),
				 dropped ? errhint("SELECT pegs_drop(release); drops one of them when its transaction has ended; pegs_releases lists them.")
				 : errhint("When they have ended: SELECT pegs_withdraw(%s);", withdrawn(name, role))));
}

void
pegs_tell_releases(const PegsObject *model, const char *name, const Oid *role)
{
	uint64		n;
	char	   *list = releases_in_words(model, role, &n);

	if (n > 0)
		ereport(NOTICE,
				(errmsg("releases of \"%s\" remain: " UINT64_FORMAT, name, n),
				 errdetail("%s. What was released stays readable.", list),
				 errhint(role ? "SELECT pegs_withdraw(%s); drops those made by the grant, pegs_drop(release) one of them."
						 : "SELECT pegs_drop(release); drops one of them; pegs_withdraw(%s), before the model is dropped, all of them.",
						 withdrawn(name, role))));
	tell_open_releases(model, name, role, role == NULL);
}

uint64
pegs_take_releases(const PegsObject *model, const char *name, const Oid *role)
{
	SPITupleTable *table;
	PegsAs		saved;
	uint64		taken;
	uint64		n;
	char	   *list;

	pegs_begin_as_extension(&saved);
	table = releases_of(model->id, role, true, &taken);
	for (uint64 i = 0; i < taken; i++)
	{
		bool		isnull;

		pegs_drop_release(DatumGetInt64(SPI_getbinval(table->vals[i], table->tupdesc, 1, &isnull)),
						  SPI_getvalue(table->vals[i], table->tupdesc, 2));
	}
	pegs_end_as(&saved);
	list = releases_in_words(model, role, &n);
	if (n > 0)
		ereport(NOTICE,
				(errmsg("releases of \"%s\" remain: " UINT64_FORMAT, name, n),
				 errdetail("%s. Other sessions are changing them.", list),
				 errhint("Try again when those transactions have ended.")));
	tell_open_releases(model, name, role, false);
	return taken;
}

/* pegs_drop(name text) */
PG_FUNCTION_INFO_V1(pegs_drop);
Datum
pegs_drop(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "name");
	PegsObject	object = pegs_own_object(name, "drop its models and releases", true);
	PegsAs		saved;

	/* it holds the name and the row until the transaction ends */
	if (!pegs_is_curator(object.account))
		pegs_refuse_prepare();
	pegs_begin_as_extension(&saved);
	pegs_sweep_caps();
	pegs_hold_object(&object, name);
	if (object.is_release)
		pegs_drop_release(object.id, name);
	else
		pegs_drop_model(&object, name);
	pegs_sweep_models();
	pegs_end_as(&saved);
	if (!object.is_release)
		pegs_tell_releases(&object, name, NULL);
	PG_RETURN_VOID();
}
