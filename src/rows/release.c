/*
 * release.c
 *	  Rows that stay the same for ever: charged once, read free by anyone they
 *	  are granted to, in read-only transactions and on standbys.
 *
 * Of a sealed model the rows are drawn after the durable charge and stored as
 * codes; the key that drew them is wiped. Of a perturbed model key, n and
 * given are kept. A release outlives its model. A release in a transaction
 * that rolls back loses its rows and keeps its charge.
 */
#include "rows/rows.h"
#include "codes/codes.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Codes of up to pegs_rows_of_chunk rows, two bytes each, little-endian, row by row. */
static void
store_rows(int64 release, PegsStream *stream, int64 n, int ncols)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs release rows", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	uint16_t   *row = palloc(sizeof(uint16_t) * ncols);
	int64		chunk_rows = pegs_rows_of_chunk(ncols);
	bytea	   *chunk = palloc(VARHDRSZ + 2 * ncols * Min(chunk_rows, n));

	for (int64 at = 0, number = 0; at < n; at += chunk_rows, number++)
	{
		int64		m = Min(chunk_rows, n - at);
		uint8	   *p = (uint8 *) VARDATA(chunk);
		Datum		values[4];

		for (int64 i = 0; i < m; i++)
		{
			pegs_stream_next(stream, row);
			for (int c = 0; c < ncols; c++)
			{
				*p++ = row[c] & 0xff;
				*p++ = row[c] >> 8;
			}
			if (i % PEGS_CHUNK == 0)
				CHECK_FOR_INTERRUPTS();
		}
		SET_VARSIZE(chunk, VARHDRSZ + 2 * ncols * m);
		values[0] = Int64GetDatum(release);
		values[1] = Int64GetDatum(number);
		values[2] = PointerGetDatum(chunk);
		values[3] = Int64GetDatum(pegs_chunk_checksum(release, number, chunk));
		pegs_insert_secret("release_rows", pegs_keeps("release_rows", "crc") ? 4 : 3, values);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

static Datum
key_datum(const uint8_t *key)
{
	bytea	   *bytes = palloc(VARHDRSZ + PEGS_KEY_BYTES);

	SET_VARSIZE(bytes, VARHDRSZ + PEGS_KEY_BYTES);
	memcpy(VARDATA(bytes), key, PEGS_KEY_BYTES);
	return PointerGetDatum(bytes);
}

/*
 * The model's row stays until this transaction has ended: a release needs its
 * facts for ever. Nobody waits for us (drop.c), and we for nobody: a model
 * that was dropped meanwhile is seen by a second look, behind the lock.
 */
static void
hold_model(const PegsModel *model)
{
	PegsAs		saved;
	PegsArg		id = {INT8OID, Int64GetDatum(model->id), false};
	bool		found;

	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT FROM pegs_internal.model WHERE id = $1 AND name IS NOT NULL FOR KEY SHARE", SPI_OK_SELECT, 1, &id);
	pegs_spi_now("SELECT FROM pegs_internal.model WHERE id = $1 AND name IS NOT NULL", SPI_OK_SELECT, 1, &id);
	found = SPI_processed == 1;
	pegs_end_as(&saved);
	if (!found)
		pegs_gone(model->name);
}

/* What was given, so that whoever reads the release gets the same rows, whatever his settings are, and whenever. */
static PegsArg
given_argument(const PegsRequest *request)
{
	Jsonb	   *given = pegs_request_kept(request);

	return (PegsArg) {JSONBOID, JsonbPGetDatum(given), given == NULL};
}

/* Its row; whoever made it may read it. What 0.2.0 has no column for is nothing there. */
static void
insert_release(const PegsArg *args)
{
	PegsAs		saved;

	pegs_begin_as_extension(&saved);
	if (pegs_keeps("release", "delta"))
		pegs_spi("INSERT INTO pegs_internal.release (id, name, model, account, n, epsilon, block, given, key, value_key, independent, keys, delta, sweeps)"
				 " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $12, $14, $15, $16)", SPI_OK_INSERT, 16, args);
	else
		pegs_spi("INSERT INTO pegs_internal.release (id, name, model, account, n, epsilon, block, given, key, value_key, independent)"
				 " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $12)", SPI_OK_INSERT, 12, args);
	pegs_spi("INSERT INTO pegs_internal.access (id, object, grantee) VALUES ($13, $1, $11::regrole)", SPI_OK_INSERT, 13, args);
	pegs_end_as(&saved);
}

static void
refuse_part_of_table(const PegsRequest *request)
{
	if (request->parts > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a release has all rows of its table, not a part"),
				 errhint("Leave options \"part\" and \"parts\" out.")));
}

static void
require_guarantee(const PegsModel *model)
{
	if (!pegs_is_private(model))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("rows of model \"%s\" have no guarantee and cannot be released", model->name),
				 errdetail("There is none: %s.", model->method->no_guarantee),
				 errhint("Release rows of a model that has one: of a perturbed model, or of a sealed one of another method.")));
}

/* All that can fail; NULL: of several tables, whose rows are never stored. */
static PegsStream *
rows_of(const PegsRequest *request)
{
	if (request->model->spec->related == NULL)
		return pegs_stream(request);
	pegs_require_members(request);
	return NULL;
}

/*
 * pegs_release(release text, model text, n bigint, epsilon float8, block bigint, delta float8,
 *				given jsonb, options jsonb) → void
 *
 * Curators, and those to whom a sealed model is granted within their cap.
 */
PG_FUNCTION_INFO_V1(pegs_release);
Datum
pegs_release(PG_FUNCTION_ARGS)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs release", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	char	   *name = pegs_arg_text(fcinfo, 0, "release");
	PegsRequest request;
	PegsStream *stream;
	PegsAs		saved;
	PegsArg		args[16];
	Datum		keys = 0;
	int64		id;
	int64		access;
	uint8_t		key[PEGS_KEY_BYTES];
	uint8_t		value_key[PEGS_KEY_BYTES];
	int			ncols;

	pegs_request(&request, fcinfo, 1);
	ncols = request.model->spec->domain->ncols;
	require_guarantee(request.model);
	if (request.numbered)
	{
		pegs_require_kept("release", "keys");
		keys = pegs_key_names(request.model, request.n);
	}
	if (request.delta > 0 || request.sweeps > 0)
		pegs_require_kept("release", "delta");
	refuse_part_of_table(&request);
	pegs_take_name(name);
	hold_model(request.model);
	stream = rows_of(&request);
	pegs_new_key(key);
	pegs_new_key(value_key);
	if (!pegs_is_sealed(request.model) && !request.fresh)
		memcpy(key, request.model->key, sizeof(key));

	pegs_begin_as_extension(&saved);
	id = pegs_next_id();
	access = pegs_next_id();
	pegs_end_as(&saved);
	pegs_record_maker(id, request.model, request.n);
	args[0] = (PegsArg) {INT8OID, Int64GetDatum(id), false};
	args[1] = (PegsArg) {TEXTOID, CStringGetTextDatum(name), false};
	args[2] = (PegsArg) {INT8OID, Int64GetDatum(request.model->id), false};
	args[3] = (PegsArg) {REGCLASSOID, ObjectIdGetDatum(request.model->account), false};
	args[4] = (PegsArg) {INT8OID, Int64GetDatum(request.n), false};
	args[5] = (PegsArg) {INT8OID, Int64GetDatum(pegs_is_sealed(request.model) ? request.epsilon : 0), false};
	args[6] = (PegsArg) {INT8OID, Int64GetDatum(request.block), false};
	args[7] = given_argument(&request);
	args[8] = (PegsArg) {BYTEAOID, pegs_is_sealed(request.model) ? 0 : key_datum(key), pegs_is_sealed(request.model)};
	args[9] = (PegsArg) {BYTEAOID, key_datum(value_key), false};
	args[10] = (PegsArg) {OIDOID, ObjectIdGetDatum(GetUserId()), false};
	args[11] = (PegsArg) {BOOLOID, BoolGetDatum(request.independent), false};
	args[12] = (PegsArg) {INT8OID, Int64GetDatum(access), false};
	args[13] = (PegsArg) {NAMEARRAYOID, keys, !request.numbered};
	args[14] = (PegsArg) {INT8OID, Int64GetDatum(request.delta), !pegs_is_sealed(request.model) || request.delta == 0};
	args[15] = (PegsArg) {INT4OID, Int32GetDatum((int32) request.sweeps), request.sweeps == 0};
	insert_release(args);
	if (pegs_is_sealed(request.model))
	{
		PegsBill	bill;

		pegs_request_bill(&request, "release", name, &bill);
		pegs_charge(&bill);
		pegs_begin_as_extension(&saved);
		pegs_stream_start(stream, key);
		store_rows(id, stream, request.n, ncols);
		pegs_end_as(&saved);
		pegs_charge_done(&bill);
	}
	explicit_bzero(key, sizeof(key));
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	PG_RETURN_VOID();
}
