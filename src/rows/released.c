/*
 * released.c
 *	  The rows of a release, read: of a sealed model as they are stored, else
 *	  drawn again by the key that is kept.
 *
 * Free, and writes nothing: in read-only transactions and on standbys, too.
 */
#include "rows/rows.h"
#include "codes/codes.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "port/pg_bswap.h"
#include "port/pg_crc32c.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* ---- how they are stored (release.c) ---- */

#define ROWS_PER_CHUNK 65536

/* Rows of every chunk but the last. */
int64
pegs_rows_of_chunk(int ncols)
{
	return Min((int64) ROWS_PER_CHUNK, (int64) (MaxAllocSize / 4 / ncols));
}

/* CRC-32C of where a chunk belongs and of its codes. */
int64
pegs_chunk_checksum(int64 release, int64 number, const bytea *chunk)
{
	uint64		place[2] = {pg_hton64((uint64) release), pg_hton64((uint64) number)};
	pg_crc32c	crc;

	INIT_CRC32C(crc);
	COMP_CRC32C(crc, place, sizeof(place));
	COMP_CRC32C(crc, VARDATA_ANY(chunk), VARSIZE_ANY_EXHDR(chunk));
	FIN_CRC32C(crc);
	return (int64) crc;
}

/* ---- reading ---- */

static void
changed_rows(const PegsRelease *release)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("the rows of release \"%s\" are not what was stored", release->name),
			 errdetail("pegs_internal.release_rows was changed."),
			 errhint("Restore a backup. Rows drawn anew would be other rows, and would be charged.")));
}

/* Stored rows of a sealed release: all of them as they were drawn, or an error. */
typedef struct PegsStored
{
	const PegsRelease *release;
	const PegsDomain *domain;
	MemoryContext context;		/* of the chunk at hand */
	const uint8 *codes;			/* that come next */
	int64		number;			/* of the next chunk */
	int64		left;			/* rows of the chunk at hand */
	int64		given;			/* rows of all chunks so far */
} PegsStored;

/* It was there at the first call. */
static void
dropped_meanwhile(const PegsRelease *release)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("release \"%s\" was dropped while its rows were read", release->name),
			 errhint("Rows that were given before are as they are; for all of them, a release that is there: SELECT name FROM pegs_releases;")));
}

static PegsStored *
stored_rows(const PegsRelease *release, const PegsDomain *domain)
{
	PegsStored *stored = palloc0(sizeof(PegsStored));

	stored->release = release;
	stored->domain = domain;
	stored->context = AllocSetContextCreate(CurrentMemoryContext, "pegs stored rows", ALLOCSET_DEFAULT_SIZES);
	return stored;
}

static void
read_chunk(PegsStored *stored)
{
	const PegsRelease *release = stored->release;
	int64		m = Min(pegs_rows_of_chunk(stored->domain->ncols), release->n - stored->given);
	PegsArg		args[2] = {{INT8OID, Int64GetDatum(release->id), false}, {INT8OID, Int64GetDatum(stored->number), false}};
	PegsAs		saved;
	HeapTuple	tuple;
	TupleDesc	desc;
	bytea	   *chunk;
	Datum		crc;
	bool		isnull;

	MemoryContextReset(stored->context);
	pegs_begin_as_extension(&saved);
	pegs_spi(pegs_keeps("release_rows", "crc") ? "SELECT codes, crc FROM pegs_internal.release_rows WHERE release = $1 AND chunk = $2"
			 : "SELECT codes, NULL::bigint FROM pegs_internal.release_rows WHERE release = $1 AND chunk = $2", SPI_OK_SELECT, 2, args);
	if (SPI_processed != 1)
	{
		pegs_spi("SELECT FROM pegs_internal.release WHERE id = $1", SPI_OK_SELECT, 1, args);
		if (SPI_processed == 0)
			dropped_meanwhile(release);
		changed_rows(release);
	}
	tuple = SPI_tuptable->vals[0];
	desc = SPI_tuptable->tupdesc;
	chunk = DatumGetByteaPP(SPI_getbinval(tuple, desc, 1, &isnull));
	if ((int64) VARSIZE_ANY_EXHDR(chunk) != 2 * stored->domain->ncols * m)
		changed_rows(release);
	/* version 0.1.0 kept none */
	crc = SPI_getbinval(tuple, desc, 2, &isnull);
	if (!isnull && DatumGetInt64(crc) != pegs_chunk_checksum(release->id, stored->number, chunk))
		changed_rows(release);
	stored->codes = memcpy(MemoryContextAllocHuge(stored->context, VARSIZE_ANY_EXHDR(chunk) + 1), VARDATA_ANY(chunk), VARSIZE_ANY_EXHDR(chunk));
	pegs_end_as(&saved);
	stored->number++;
	stored->left = m;
	stored->given += m;
}

static bool
next_stored(PegsStored *stored, uint16_t *row)
{
	if (stored->left == 0 && stored->given < stored->release->n)
		read_chunk(stored);
	if (stored->left == 0)
		return false;
	stored->left--;
	for (int c = 0; c < stored->domain->ncols; c++, stored->codes += 2)
	{
		row[c] = stored->codes[0] | stored->codes[1] << 8;
		if (row[c] >= pegs_column_levels(&stored->domain->column[c]))
			changed_rows(stored->release);
	}
	return true;
}

/* What a call of its model would ask for. */
static PegsRequest
request_of(const PegsRelease *release, PegsModel *model)
{
	if (model->name == NULL)
		model->name = release->name;
	return (PegsRequest) {.model = model, .n = release->n, .independent = release->independent, .given_json = release->given,
		.given_is_kept = true};
}

/* Of one table of several; table: NULL if none was named. */
static PegsRequest
member_request(const PegsRelease *release, PegsModel *model, char *table)
{
	PegsRequest request = request_of(release, model);

	request.table = table;
	request.release = release->name;
	pegs_request_given(&request);
	return request;
}

/* All tables of a release as codes, block by block. */
void
pegs_release_blocks(const PegsRelease *release, PegsModel *model, PegsPutBlock put, void *arg)
{
	PegsRequest request = member_request(release, model, NULL);

	pegs_member_blocks(&request, release->key, put, arg);
}

/* The rows of a release as codes, one after the other. */
void
pegs_release_rows(const PegsRelease *release, PegsModel *model, PegsTurn turn, PegsPutRow put, void *arg)
{
	PegsRequest request;

	if (pegs_is_sealed(model))
	{
		PegsStored *stored = stored_rows(release, model->spec->domain);
		uint16_t   *row = palloc(sizeof(uint16_t) * model->spec->domain->ncols);

		while (next_stored(stored, row))
			put(arg, row);
		return;
	}
	request = request_of(release, model);
	pegs_draw_rows(&request, release->key, turn, put, arg);
}

/* The release that a call names, and its model; keys: those that it numbers. */
static PegsRelease *
named_release(FunctionCallInfo fcinfo, bool by_type, PegsModel **model)
{
	char	   *name = pegs_arg_text(fcinfo, by_type ? 1 : 0, "release");
	PegsRelease *release = pegs_find_release(name);

	if (release == NULL)
	{
		pegs_refuse_other_kind(name, false);
		pegs_no_such(name);
	}
	*model = pegs_model_by_id(release->model);
	if (*model == NULL)
		elog(ERROR, "the model of a release is missing");
	pegs_require_method(*model);
	return release;
}

/* Which table of several: an argument more. Of a release of one table it is an error. */
static char *
table_named(FunctionCallInfo fcinfo, bool by_type, const PegsRelease *release, const PegsModel *model)
{
	int			number = by_type ? 2 : 1;
	char	   *table = PG_NARGS() > number ? pegs_arg_text(fcinfo, number, "table_name") : NULL;

	if (table && model->spec->related == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("release \"%s\" is of one table, whose name is not asked for", release->name),
				 errhint("SELECT * FROM pegs_rows(%s) AS t(%s);", quote_literal_cstr(release->name), pegs_column_list(model->spec->domain))));
	return table;
}

static void
read_release(FunctionCallInfo fcinfo, bool by_type)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs rows of release", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	PegsModel  *model;
	PegsRelease *release = named_release(fcinfo, by_type, &model);
	char	   *table = table_named(fcinfo, by_type, release, model);
	PegsRows   *rows;
	PegsKeys	keys;

	if (model->spec->related)
	{
		PegsRequest request = member_request(release, model, table);

		pegs_member_table(fcinfo, &request, release->key, release->value_key, by_type);
		MemoryContextSwitchTo(old);
		MemoryContextDelete(context);
		return;
	}
	keys = (PegsKeys) {.n = release->n, .names = release->keys};
	rows = pegs_rows_begin(fcinfo, pegs_drawn_domain(model), release->name, by_type, release->numbered ? &keys : NULL);
	pegs_rows_start(rows, release->value_key);
	pegs_release_rows(release, model, pegs_rows_turn, pegs_rows_put, rows);
	pegs_rows_end(rows);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

static bool
next_of_stored(void *from, PegsRows *rows, uint16_t *row)
{
	return next_stored(from, row);
}

static bool
next_of_stream(void *from, PegsRows *rows, uint16_t *row)
{
	return pegs_stream_pull(from, pegs_rows_turn, rows, row);
}

/* pegs_rows_as in the select list, at its first call: streamed.c. */
static void
begin_streamed(FunctionCallInfo fcinfo)
{
	FuncCallContext *call = SRF_FIRSTCALL_INIT();
	MemoryContext old = MemoryContextSwitchTo(call->multi_call_memory_ctx);
	PegsModel  *model;
	PegsRelease *release = named_release(fcinfo, true, &model);
	char	   *table = table_named(fcinfo, true, release, model);
	PegsKeys   *keys = palloc(sizeof(PegsKeys));
	PegsRows   *rows;

	if (model->spec->related)
	{
		PegsRequest request = member_request(release, model, table);

		pegs_member_streamed(fcinfo, &request, release->key, release->value_key);
		MemoryContextSwitchTo(old);
		return;
	}
	*keys = (PegsKeys) {.n = release->n, .names = release->keys};
	rows = pegs_rows_begin_few(fcinfo, pegs_drawn_domain(model), release->name, release->numbered ? keys : NULL);
	pegs_rows_start(rows, release->value_key);
	pegs_rows_end(rows);
	if (pegs_is_sealed(model))
		pegs_streamed(fcinfo, rows, next_of_stored, stored_rows(release, model->spec->domain),
					  palloc(sizeof(uint16_t) * model->spec->domain->ncols));
	else
	{
		PegsRequest *request = palloc(sizeof(PegsRequest));
		PegsStream *stream;

		*request = request_of(release, model);
		pegs_request_given(request);
		stream = pegs_stream(request);
		pegs_stream_start(stream, release->key);
		pegs_streamed(fcinfo, rows, next_of_stream, stream, pegs_stream_room(stream));
	}
	MemoryContextSwitchTo(old);
}

/* pegs_rows(release text[, table_name text]) → SETOF record */
PG_FUNCTION_INFO_V1(pegs_rows);
Datum
pegs_rows(PG_FUNCTION_ARGS)
{
	read_release(fcinfo, false);
	return (Datum) 0;
}

/* pegs_rows_as(row_type anyelement, release text[, table_name text]) → SETOF anyelement */
PG_FUNCTION_INFO_V1(pegs_rows_as);
Datum
pegs_rows_as(PG_FUNCTION_ARGS)
{
	if (pegs_in_select_list(fcinfo))
	{
		if (SRF_IS_FIRSTCALL())
			begin_streamed(fcinfo);
		return pegs_streamed_row(fcinfo);
	}
	read_release(fcinfo, true);
	return (Datum) 0;
}
