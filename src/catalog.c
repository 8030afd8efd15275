/*
 * catalog.c
 *	  Models: how they are kept and found.
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
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
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

/* The types of the columns, by more than their names: they may be renamed, and moved to other schemas. */
static void
store_types(int64 id, const PegsDomain *domain)
{
	PegsArg		args[2] = {{INT8OID, Int64GetDatum(id), false}, {REGTYPEARRAYOID, 0, false}};
	Datum	   *types = palloc(sizeof(Datum) * domain->ncols);

	if (!pegs_keeps("model", "types"))
		return;
	for (int i = 0; i < domain->ncols; i++)
		types[i] = ObjectIdGetDatum(domain->column[i].type);
	args[1].value = PointerGetDatum(construct_array(types, domain->ncols, REGTYPEOID, sizeof(Oid), true, TYPALIGN_INT));
	pegs_spi("UPDATE pegs_internal.model SET types = $2 WHERE id = $1", SPI_OK_UPDATE, 2, args);
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
	store_types(id, spec->domain);
	if (source->rows_each > 0)
	{
		PegsArg		each[2] = {{INT8OID, Int64GetDatum(id), false}, {INT4OID, Int32GetDatum(source->rows_each), false}};

		pegs_require_kept("model", "rows_each");
		pegs_spi("UPDATE pegs_internal.model SET rows_each = $2 WHERE id = $1", SPI_OK_UPDATE, 2, each);
	}
	if (l_diversity > 0)
	{
		PegsArg		l[2] = {{INT8OID, Int64GetDatum(id), false}, {FLOAT8OID, Float8GetDatum(l_diversity), false}};

		pegs_require_kept("model", "l_diversity");
		pegs_spi("UPDATE pegs_internal.model SET l_diversity = $2 WHERE id = $1", SPI_OK_UPDATE, 2, l);
	}
	values[0] = Int64GetDatum(id);
	/* released numbers are everybody's: they stay the bytes that pegs_export gives */
	values[1] = PointerGetDatum(sealed ? pegs_masked(body) : body);
	pegs_insert_secret("body", 2, values);
	pegs_end_as(&saved);
	pegs_note_origin(source->account);
}

/* ---- finding ---- */

PegsModel *
pegs_model(const char *name)
{
	PegsModel  *model = pegs_find_model(name);

	if (model)
		model->grant = pegs_usable_grant(model->id, model->account);
	if (model == NULL || model->grant < 0)
		pegs_no_such(name);
	return model;
}
