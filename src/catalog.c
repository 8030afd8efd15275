/*
 * catalog.c
 *	  Models and who may use them.
 *
 * A model is a row of public facts (pegs_internal.model) and a body
 * (pegs_internal.body): exact counts if it is sealed, released numbers if it
 * is perturbed. Bodies are written straight to the heap, so no query text,
 * parameter or log line ever holds one. "No such model" and "not granted" are
 * one error. Law L5.
 */
#include "pegs.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/indexing.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* One error for both, so that a name tells nothing. */
void
pegs_no_such(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("there is no model or release \"%s\", or it is not granted to you", name),
			 errhint("SELECT name FROM pegs_models; SELECT name FROM pegs_releases;")));
}

/* ---- storing ---- */

/*
 * Models and releases share one namespace. Takes the name for this
 * transaction: a second taker waits until the first has ended, nobody else.
 */
void
pegs_take_name(const char *name)
{
	PegsAs		saved;
	PegsArg		arg = {TEXTOID, CStringGetTextDatum(name), false};
	bool		taken;

	if (RecoveryInProgress() || XactReadOnly)
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("a model or release cannot be made in a read-only transaction"),
				 errhint("Make it on the primary, in a read-write transaction; pegs_sample of a perturbed model and pegs_rows work here.")));
	pegs_begin_as_extension(&saved);
	pegs_spi("INSERT INTO pegs_internal.name (name) VALUES ($1) ON CONFLICT DO NOTHING", SPI_OK_INSERT, 1, &arg);
	taken = SPI_processed == 0;
	pegs_end_as(&saved);
	if (taken)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("model or release \"%s\" already exists", name),
				 errhint("Choose another name, or SELECT pegs_drop(%s); first.", quote_literal_cstr(name))));
}

/* A row written straight to the heap and its indexes, as the extension's owner would. */
void
pegs_insert_secret(const char *relation, int natts, Datum *values)
{
	Relation	rel = table_open(pegs_internal_relation(relation), RowExclusiveLock);
	bool	   *nulls = palloc0(sizeof(bool) * natts);
	HeapTuple	tuple = heap_form_tuple(RelationGetDescr(rel), values, nulls);

	CatalogTupleInsert(rel, tuple);
	heap_freetuple(tuple);
	table_close(rel, NoLock);
	CommandCounterIncrement();
}

int64
pegs_next_id(void)
{
	bool		isnull;

	pegs_spi("SELECT nextval('pegs_internal.object_id')", SPI_OK_SELECT, 0, NULL);
	return DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

/* Not before ALTER EXTENSION UPDATE from 0.1.0. */
static bool
keeps_l_diversity(void)
{
	return get_attnum(pegs_internal_relation("model"), "l_diversity") != InvalidAttrNumber;
}

void
pegs_store_model(const char *name, const PegsSource *source, const PegsSpec *spec, bool sealed,
				 int64 epsilon, int64 delta, int64 structure_epsilon, double l_diversity, const char *counts,
				 bytea *body)
{
	PegsAs		saved;
	int64		id;
	uint8_t		key[PEGS_KEY_BYTES];
	bytea	   *stored = palloc(VARHDRSZ + PEGS_KEY_BYTES);
	PegsArg		args[13];
	Datum		values[2];

	/* after the noise any key will do; a sealed model has none */
	pegs_new_key(key);
	SET_VARSIZE(stored, VARHDRSZ + PEGS_KEY_BYTES);
	memcpy(VARDATA(stored), key, PEGS_KEY_BYTES);

	pegs_begin_as_extension(&saved);
	id = pegs_next_id();
	args[0] = (PegsArg) {INT8OID, Int64GetDatum(id), false};
	args[1] = (PegsArg) {TEXTOID, CStringGetTextDatum(name), false};
	args[2] = (PegsArg) {REGCLASSOID, ObjectIdGetDatum(source->relid), false};
	args[3] = (PegsArg) {REGCLASSOID, ObjectIdGetDatum(source->account), false};
	args[4] = (PegsArg) {BOOLOID, BoolGetDatum(sealed), false};
	args[5] = (PegsArg) {TEXTOID, CStringGetTextDatum(spec->text), false};
	args[6] = (PegsArg) {INT8OID, Int64GetDatum(epsilon), false};
	args[7] = (PegsArg) {INT8OID, Int64GetDatum(delta), false};
	args[8] = (PegsArg) {TEXTOID, CStringGetTextDatum(counts), false};
	args[9] = (PegsArg) {BYTEAOID, PointerGetDatum(stored), sealed};
	args[10] = (PegsArg) {INT4OID, Int32GetDatum(source->rows_per_unit), false};
	args[11] = (PegsArg) {TEXTOID, source->unit_column ? CStringGetTextDatum(source->unit_column) : 0, source->unit_column == NULL};
	args[12] = (PegsArg) {INT8OID, Int64GetDatum(structure_epsilon), false};
	pegs_spi("INSERT INTO pegs_internal.model (id, name, source, account, sealed, spec, epsilon, delta, counts, key,"
			 " rows_per_unit, unit_column, structure_epsilon)"
			 " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)", SPI_OK_INSERT, 13, args);
	if (l_diversity > 0)
	{
		PegsArg		l[2] = {{INT8OID, Int64GetDatum(id), false}, {FLOAT8OID, Float8GetDatum(l_diversity), false}};

		if (!keeps_l_diversity())
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("the extension's SQL is older than its library"),
					 errhint("ALTER EXTENSION pegs UPDATE;")));
		pegs_spi("UPDATE pegs_internal.model SET l_diversity = $2 WHERE id = $1", SPI_OK_UPDATE, 2, l);
	}
	values[0] = Int64GetDatum(id);
	values[1] = PointerGetDatum(body);
	pegs_insert_secret("body", 2, values);
	pegs_end_as(&saved);
}

/* ---- finding ---- */

/*
 * May the caller use the object? Curators always; others by a grant to them, to
 * a role they are in, or to PUBLIC. Gives the id of the grant with the most
 * left if it has a cap, 0 if there is none to charge, -1 if not granted.
 */
int64
pegs_usable_grant(int64 object, Oid account)
{
	PegsAs		saved;
	PegsArg		arg = {INT8OID, Int64GetDatum(object), false};
	Oid			user = GetUserId();
	int64		best = -1;
	int64		most = -1;

	if (pegs_is_curator(account))
		return 0;
	pegs_begin_as_extension(&saved);
	pegs_spi("SELECT id, grantee, cap, cap_spent FROM pegs_internal.access WHERE object = $1", SPI_OK_SELECT, 1, &arg);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple	row = SPI_tuptable->vals[i];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		bool		isnull;
		bool		no_cap;
		int64		id = DatumGetInt64(SPI_getbinval(row, desc, 1, &isnull));
		Oid			grantee = DatumGetObjectId(SPI_getbinval(row, desc, 2, &isnull));
		int64		cap = DatumGetInt64(SPI_getbinval(row, desc, 3, &no_cap));
		Oid			sequence = DatumGetObjectId(SPI_getbinval(row, desc, 4, &isnull));
		int64		left;

		if (OidIsValid(grantee) && !has_privs_of_role(user, grantee))
			continue;
		if (no_cap)
		{
			best = 0;
			break;
		}
		if (pegs_cap_left(sequence, cap, &left) && left > most)
		{
			most = left;
			best = id;
		}
	}
	pegs_end_as(&saved);
	return best;
}

bytea *
pegs_model_body(int64 id)
{
	PegsAs		saved;
	PegsArg		arg = {INT8OID, Int64GetDatum(id), false};
	MemoryContext context = CurrentMemoryContext;
	bytea	   *body = NULL;
	bool		isnull;

	pegs_begin_as_extension(&saved);
	pegs_spi("SELECT body FROM pegs_internal.body WHERE model = $1", SPI_OK_SELECT, 1, &arg);
	if (SPI_processed == 1)
	{
		MemoryContext old;
		Datum		value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);

		old = MemoryContextSwitchTo(context);
		body = DatumGetByteaPCopy(value);
		MemoryContextSwitchTo(old);
	}
	pegs_end_as(&saved);
	return body;
}

/* The tables of a model: of its own kind, and counted by its own facts. False if it has none. */
bool
pegs_model_tables(const pegs_env *env, const PegsModel *model, pegs_wire *wire)
{
	bytea	   *body = pegs_model_body(model->id);
	const char *name = model->name ? model->name : "(dropped)";

	if (body == NULL)
		return false;
	pegs_read_bytes(env, body, wire);
	if (wire->kind != (model->sealed ? (uint32_t) model->spec->kind : PEGS_WIRE_MODEL)
		|| wire->spec_len != strlen(model->spec->text) || memcmp(wire->spec, model->spec->text, wire->spec_len) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the tables of model \"%s\" are not its own", name),
				 errdetail("They were made for other facts: pegs_internal.body was changed."),
				 errhint("Restore a backup, or drop the model and fit it again: SELECT pegs_drop(%s);", quote_literal_cstr(name))));
	wire->spec = model->spec->text;
	pfree(body);
	return true;
}

double
pegs_model_rows(const PegsModel *model)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_wire	wire;

	if (!pegs_model_tables(&env, model, &wire))
		elog(ERROR, "the body of a model is missing");
	return wire.fitted.rows;
}

/* One row of pegs_internal.model, by `where` = $1. */
static PegsModel *
find_model(const char *where, PegsArg arg)
{
	PegsAs		saved;
	MemoryContext context = CurrentMemoryContext;
	PegsModel  *model = NULL;
	char	   *spec = NULL;

	pegs_begin_as_extension(&saved);
	pegs_spi(psprintf("SELECT id, name, account, sealed, spec, epsilon, delta, key, source, rows_per_unit, unit_column IS NOT NULL, %s, counts, structure_epsilon, xmin FROM pegs_internal.model WHERE %s = $1",
					  keeps_l_diversity() ? "l_diversity" : "NULL::float8", where),
			 SPI_OK_SELECT, 1, &arg);
	if (SPI_processed == 1)
	{
		HeapTuple	row = SPI_tuptable->vals[0];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		bool		isnull;
		Datum		value;
		MemoryContext old = MemoryContextSwitchTo(context);

		model = palloc0(sizeof(PegsModel));
		model->id = DatumGetInt64(SPI_getbinval(row, desc, 1, &isnull));
		value = SPI_getbinval(row, desc, 2, &isnull);
		model->name = isnull ? NULL : TextDatumGetCString(value);
		model->account = DatumGetObjectId(SPI_getbinval(row, desc, 3, &isnull));
		model->sealed = DatumGetBool(SPI_getbinval(row, desc, 4, &isnull));
		spec = TextDatumGetCString(SPI_getbinval(row, desc, 5, &isnull));
		model->epsilon = DatumGetInt64(SPI_getbinval(row, desc, 6, &isnull));
		model->delta = DatumGetInt64(SPI_getbinval(row, desc, 7, &isnull));
		value = SPI_getbinval(row, desc, 8, &isnull);
		if (!isnull)
			memcpy(model->key, VARDATA_ANY(DatumGetByteaPP(value)), PEGS_KEY_BYTES);
		model->source = DatumGetObjectId(SPI_getbinval(row, desc, 9, &isnull));
		model->rows_per_unit = DatumGetInt32(SPI_getbinval(row, desc, 10, &isnull));
		model->has_unit = model->rows_per_unit > 1 || DatumGetBool(SPI_getbinval(row, desc, 11, &isnull));
		value = SPI_getbinval(row, desc, 12, &isnull);
		model->l_diversity = isnull ? 0 : DatumGetFloat8(value);
		model->counts = TextDatumGetCString(SPI_getbinval(row, desc, 13, &isnull));
		model->structure_epsilon = DatumGetInt64(SPI_getbinval(row, desc, 14, &isnull));
		model->made_here = TransactionIdIsCurrentTransactionId(DatumGetTransactionId(SPI_getbinval(row, desc, 15, &isnull)));
		MemoryContextSwitchTo(old);
	}
	pegs_end_as(&saved);
	if (model)
		model->spec = pegs_spec_parse(spec);
	return model;
}

PegsModel *
pegs_model(const char *name)
{
	PegsModel  *model = find_model("name", (PegsArg) {TEXTOID, CStringGetTextDatum(name), false});

	if (model)
		model->grant = pegs_usable_grant(model->id, model->account);
	if (model == NULL || model->grant < 0)
		pegs_no_such(name);
	return model;
}

PegsModel *
pegs_model_by_id(int64 id)
{
	return find_model("id", (PegsArg) {INT8OID, Int64GetDatum(id), false});
}

/* ---- SQL ---- */

typedef struct Object
{
	int64		id;
	Oid			account;
	bool		is_release;
	bool		sealed;			/* a model that charges for its rows */
} Object;

/* A model or release of the caller's own, for grant, revoke and drop. */
static Object
own_object(const char *name, const char *deed)
{
	PegsAs		saved;
	PegsArg		arg = {TEXTOID, CStringGetTextDatum(name), false};
	Object		object = {0};
	bool		found;
	bool		isnull;

	pegs_begin_as_extension(&saved);
	pegs_spi("SELECT id, account, false, sealed FROM pegs_internal.model WHERE name = $1"
			 " UNION ALL SELECT id, account, true, false FROM pegs_internal.release WHERE name = $1",
			 SPI_OK_SELECT, 1, &arg);
	found = SPI_processed == 1;
	if (found)
	{
		HeapTuple	row = SPI_tuptable->vals[0];
		TupleDesc	desc = SPI_tuptable->tupdesc;

		object.id = DatumGetInt64(SPI_getbinval(row, desc, 1, &isnull));
		object.account = DatumGetObjectId(SPI_getbinval(row, desc, 2, &isnull));
		object.is_release = DatumGetBool(SPI_getbinval(row, desc, 3, &isnull));
		object.sealed = DatumGetBool(SPI_getbinval(row, desc, 4, &isnull));
	}
	pegs_end_as(&saved);
	if (!found)
		pegs_no_such(name);
	if (!pegs_is_curator(object.account))
	{
		if (pegs_usable_grant(object.id, object.account) < 0)
			pegs_no_such(name);
		pegs_require_curator(object.account, deed);
	}
	return object;
}

/* Deletes grants, and the sequences of their caps; gives how many. */
static uint64
delete_grants(const char *where, int nargs, const PegsArg *args)
{
	uint64		n;
	SPITupleTable *table;

	pegs_spi(psprintf("DELETE FROM pegs_internal.access WHERE %s RETURNING cap_spent::pg_catalog.text", where),
			 SPI_OK_DELETE_RETURNING, nargs, args);
	n = SPI_processed;
	table = SPI_tuptable;
	for (uint64 i = 0; i < n; i++)
	{
		char	   *sequence = SPI_getvalue(table->vals[i], table->tupdesc, 1);

		if (sequence)
			pegs_spi(psprintf("DROP SEQUENCE %s", sequence), SPI_OK_UTILITY, 0, NULL);
	}
	return n;
}

/* The object stays as it is until this transaction has ended: whoever grants it and whoever drops it wait for each other. */
static void
hold_object(const Object *object, const char *name, const char *lock)
{
	PegsArg		id = {INT8OID, Int64GetDatum(object->id), false};

	pegs_spi(psprintf("SELECT FROM pegs_internal.%s WHERE id = $1 AND name IS NOT NULL FOR %s",
					  object->is_release ? "release" : "model", lock), SPI_OK_SELECT, 1, &id);
	if (SPI_processed == 0)
		pegs_no_such(name);		/* dropped meanwhile */
}

/* pegs_drop(name text) */
PG_FUNCTION_INFO_V1(pegs_drop);
Datum
pegs_drop(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "name");
	Object		object = own_object(name, "drop its models and releases");
	PegsAs		saved;
	PegsArg		id = {INT8OID, Int64GetDatum(object.id), false};
	PegsArg		freed = {TEXTOID, CStringGetTextDatum(name), false};

	pegs_begin_as_extension(&saved);
	hold_object(&object, name, "UPDATE");
	(void) delete_grants("object = $1", 1, &id);
	pegs_spi("DELETE FROM pegs_internal.name WHERE name = $1", SPI_OK_DELETE, 1, &freed);
	if (object.is_release)
	{
		pegs_spi("DELETE FROM pegs_internal.release_rows WHERE release = $1", SPI_OK_DELETE, 1, &id);
		pegs_spi("DELETE FROM pegs_internal.release WHERE id = $1", SPI_OK_DELETE, 1, &id);
	}
	else
	{
		/*
		 * Releases outlive their model: they keep its facts, and its body if that
		 * is public. The UPDATE waits for releases that are being made (hold_model).
		 */
		pegs_spi("UPDATE pegs_internal.model SET name = NULL WHERE id = $1", SPI_OK_UPDATE, 1, &id);
	}
	/* with the newest snapshot: a release that was waited for is younger than the transaction's */
	pegs_spi_latest("DELETE FROM pegs_internal.body b USING pegs_internal.model m WHERE b.model = m.id AND m.name IS NULL"
					" AND (m.sealed OR NOT EXISTS (SELECT FROM pegs_internal.release r WHERE r.model = m.id))", SPI_OK_DELETE);
	pegs_spi_latest("DELETE FROM pegs_internal.model m WHERE m.name IS NULL"
					" AND NOT EXISTS (SELECT FROM pegs_internal.release r WHERE r.model = m.id)", SPI_OK_DELETE);
	pegs_end_as(&saved);
	PG_RETURN_VOID();
}

static Oid
role_argument(FunctionCallInfo fcinfo)
{
	char	   *role;

	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("role must not be null"),
				 errhint("Name a role: role => 'analyst'")));
	role = NameStr(*PG_GETARG_NAME(1));
	return strcmp(role, "public") == 0 ? InvalidOid : get_role_oid(role, false);
}

/* pegs_grant(name text, role name, epsilon double precision DEFAULT NULL) */
PG_FUNCTION_INFO_V1(pegs_grant);
Datum
pegs_grant(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "name");
	Oid			role = role_argument(fcinfo);
	int64		cap = pegs_arg_epsilon(fcinfo, 2, "epsilon");
	Object		object = own_object(name, "grant its models and releases");
	PegsAs		saved;
	PegsArg		args[5];
	int64		id;
	Oid			sequence = InvalidOid;

	if (object.sealed && pegs_model(name)->l_diversity > 0)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("model \"%s\" has no guarantee and cannot be granted", name),
				 errhint("l-diversity is not differential privacy: only the owner of the table may read such rows.")));
	if (object.sealed && cap == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("model \"%s\" is sealed: a grant needs the epsilon that may be spent by it", name),
				 errhint("SELECT pegs_grant(%s, 'role', epsilon => 0.5);", quote_literal_cstr(name))));
	if (object.sealed && !OidIsValid(role))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a sealed model cannot be granted to public"),
				 errhint("Grant it to a role, or publish a perturbed model or a release.")));
	if (!object.sealed && cap != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" costs nothing to read: a grant of it takes no epsilon", name),
				 errhint("Leave epsilon out.")));
	pegs_begin_as_extension(&saved);
	hold_object(&object, name, "KEY SHARE");
	args[0] = (PegsArg) {INT8OID, Int64GetDatum(object.id), false};
	args[1] = (PegsArg) {OIDOID, ObjectIdGetDatum(role), false};
	args[2] = (PegsArg) {INT8OID, Int64GetDatum(cap), cap == 0};
	/* a second grant to the same role moves its cap; what was spent stays spent */
	pegs_spi("UPDATE pegs_internal.access SET cap = $3 WHERE object = $1 AND grantee = $2", SPI_OK_UPDATE, 3, args);
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
	Oid			role = role_argument(fcinfo);
	Object		object = own_object(name, "revoke grants of its models and releases");
	PegsAs		saved;
	PegsArg		args[2] = {
		{INT8OID, Int64GetDatum(object.id), false},
		{OIDOID, ObjectIdGetDatum(role), false}
	};
	uint64		gone;

	pegs_begin_as_extension(&saved);
	gone = delete_grants("object = $1 AND grantee = $2", 2, args);
	pegs_end_as(&saved);
	if (gone == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("\"%s\" is not granted to role \"%s\"", name, NameStr(*PG_GETARG_NAME(1))),
				 errhint("Nothing was changed.")));
	PG_RETURN_VOID();
}

/* pegs_may_use(object bigint, account regclass) → boolean: what the views show */
PG_FUNCTION_INFO_V1(pegs_may_use);
Datum
pegs_may_use(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!PG_ARGISNULL(0) && !PG_ARGISNULL(1)
				   && pegs_usable_grant(PG_GETARG_INT64(0), PG_GETARG_OID(1)) >= 0);
}
