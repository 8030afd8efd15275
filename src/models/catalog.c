/*
 * catalog.c
 *	  Models and releases: how they are kept and found.
 *
 * A model is a row of public facts (pegs_internal.model) and a body
 * (pegs_internal.body): exact counts if it is sealed, released numbers if it
 * is perturbed. Bodies are written straight to the heap (state.c), so no
 * query text, parameter or log line ever holds one. "No such model" and "not
 * granted" are one error (object.c). Law L5.
 */
#include "models/beside.h"
#include "read/read.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* ---- storing ---- */

/* All that is locked when a row is added to it, until this transaction ends: the table, its indexes, and what keeps its long values. */
static void
hold(Oid relid)
{
	Relation	rel = table_open(relid, RowExclusiveLock);
	List	   *indexes = RelationGetIndexList(rel);
	Oid			toast = rel->rd_rel->reltoastrelid;
	ListCell   *cell;

	foreach(cell, indexes)
		LockRelationOid(lfirst_oid(cell), RowExclusiveLock);
	table_close(rel, NoLock);
	if (OidIsValid(toast))
		hold(toast);
}

/* Before a charge: whoever is in our way, or a table of locks that is full, ends a fit here, where it has cost nothing. */
void
pegs_hold_store(void)
{
	hold(pegs_internal_relation("model"));
	hold(pegs_internal_relation("body"));
	if (pegs_keeps("origin", NULL))
		hold(pegs_internal_relation("origin"));
}

/* The types of the columns, by more than their names: they may be renamed, and moved to other schemas. */
static Datum
types_of(const PegsSpec *spec)
{
	const PegsDomain *domain = spec->domain;
	Datum	   *types = palloc(sizeof(Datum) * domain->ncols);

	for (int i = 0; i < domain->ncols; i++)
	{
		const pegs_path_column *path = spec->related ? &spec->related->relations.column[i] : NULL;
		bool		own = path && path->own >= 0;

		types[i] = ObjectIdGetDatum(own ? spec->related->member[path->table].spec->domain->column[path->own].type : domain->column[i].type);
	}
	return PointerGetDatum(construct_array(types, domain->ncols, REGTYPEOID, sizeof(Oid), true, TYPALIGN_INT));
}

static void
add_lookups(List **names, const PegsDomain *domain)
{
	for (int i = 0; i < domain->ncols; i++)
		if (domain->column[i].lookup && !pegs_has_name(*names, domain->column[i].lookup))
			*names = lappend(*names, domain->column[i].lookup);
}

/* NULL: there are none. */
static PegsArg
texts_argument(const List *words)
{
	Datum	   *texts = palloc(sizeof(Datum) * (list_length(words) + 1));
	int			n = 0;
	ListCell   *cell;

	foreach(cell, words)
		texts[n++] = CStringGetTextDatum(lfirst(cell));
	return (PegsArg) {TEXTARRAYOID, PointerGetDatum(construct_array(texts, n, TEXTOID, -1, false, TYPALIGN_INT)), n == 0};
}

/* Tables whose rows are levels of its columns. */
static List *
lookups_of(const PegsSpec *spec)
{
	List	   *names = NIL;

	add_lookups(&names, spec->domain);
	for (int t = 0; spec->related && t < spec->related->n; t++)
		add_lookups(&names, spec->related->member[t].spec->domain);
	return names;
}

static List *
words_of(const List *beside)
{
	List	   *words = NIL;
	ListCell   *cell;

	foreach(cell, beside)
		words = lappend(words, ((PegsReferred *) lfirst(cell))->words);
	return words;
}

#define FACTS "id, name, source, account, sealed, spec, epsilon, delta, counts, key, rows_per_unit, unit_column, structure_epsilon"
#define VALUES "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13"

/* The model's row, of public facts alone; gives its id. */
int64
pegs_store_facts(const char *name, const PegsModel *before, const PegsSource *source, const PegsSpec *spec, const pegs_method *method,
				 int64 epsilon, int64 delta, int64 structure_epsilon, double l_diversity, const char *counted_by, const char *read, const PegsSlice *slice)
{
	PegsAs		saved;
	int64		id;
	uint8_t		key[PEGS_KEY_BYTES];
	bytea	   *stored = palloc(VARHDRSZ + PEGS_KEY_BYTES);
	bool		sealed = method->payment != PEGS_PAID_AT_FIT;
	PegsLearntCost learnt = pegs_learnt_cost(spec->domain, source);
	bool		declared = learnt.epsilon == 0;
	PegsArg		args[31];
	List	   *beside = pegs_beside_of(source, spec);

	/* after the noise any key will do; a sealed model has none */
	pegs_new_key(key);
	SET_VARSIZE(stored, VARHDRSZ + PEGS_KEY_BYTES);
	memcpy(VARDATA(stored), key, PEGS_KEY_BYTES);

	if (l_diversity > 0)
		pegs_require_kept("model", "l_diversity");
	if (source->rows_each > 0)
		pegs_require_kept("model", "method");
	if (method != pegs_method_of_old(sealed, l_diversity))
		pegs_require_kept("model", "method");
	if (before)
		pegs_require_kept("model", "first_fit");
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
	args[8] = (PegsArg) {TEXTOID, CStringGetTextDatum(counted_by), false};
	args[9] = (PegsArg) {BYTEAOID, PointerGetDatum(stored), sealed};
	args[10] = (PegsArg) {INT4OID, Int32GetDatum(source->rows_per_unit), false};
	args[11] = (PegsArg) {TEXTOID, source->unit_column ? CStringGetTextDatum(source->unit_column) : 0, source->unit_column == NULL};
	args[12] = (PegsArg) {INT8OID, Int64GetDatum(structure_epsilon), false};
	args[13] = (PegsArg) {FLOAT8OID, Float8GetDatum(l_diversity), l_diversity == 0};
	args[14] = (PegsArg) {REGTYPEARRAYOID, types_of(spec), false};
	args[15] = (PegsArg) {INT4OID, Int32GetDatum(source->rows_each), source->rows_each == 0};
	args[16] = (PegsArg) {TEXTOID, CStringGetTextDatum(method->name), false};
	args[17] = (PegsArg) {INT8OID, Int64GetDatum(learnt.epsilon), declared};
	args[18] = (PegsArg) {INT8OID, Int64GetDatum(learnt.delta), declared};
	args[19] = (PegsArg) {BOOLOID, BoolGetDatum(learnt.other_unit), declared};
	args[20] = (PegsArg) {INT8OID, before ? Int64GetDatum(before->object) : 0, before == NULL};
	args[21] = (PegsArg) {INT4OID, before ? Int32GetDatum(before->fit + 1) : 0, before == NULL};
	args[22] = (PegsArg) {INT8OID, slice ? Int64GetDatum(slice->grid) : 0, slice == NULL};
	args[23] = (PegsArg) {INT8OID, slice ? Int64GetDatum(slice->used) : 0, slice == NULL};
	args[24] = (PegsArg) {JSONBOID, slice ? JsonbPGetDatum(pegs_slice_json(slice)) : 0, slice == NULL};
	args[25] = (PegsArg) {REGTYPEOID, slice ? ObjectIdGetDatum(slice->type) : 0, slice == NULL};
	args[26] = (PegsArg) {INT4OID, slice ? Int32GetDatum(slice->typmod) : 0, slice == NULL};
	args[28] = texts_argument(lookups_of(spec));
	args[29] = texts_argument(spec->related ? NIL : words_of(beside));
	args[29].isnull = spec->related || !OidIsValid(source->account);	/* NULL: not known */
	args[30] = pegs_beside_argument(source->account, beside);
	args[27] = (PegsArg) {TEXTOID, read ? CStringGetTextDatum(read) : 0, read == NULL};
	pegs_spi(pegs_keeps("model", "first_fit")
			 ? "INSERT INTO pegs_internal.model (" FACTS ", l_diversity, types, rows_each, method, domain_epsilon, domain_delta, domain_other_unit,"
			 " first_fit, fit, grid, used, slice, slice_type, slice_typmod, read, lookups, beside, beside_of) VALUES (" VALUES ", $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31)"
			 : pegs_keeps("model", "l_diversity")
			 ? "INSERT INTO pegs_internal.model (" FACTS ", l_diversity) VALUES (" VALUES ", $14)"
			 : "INSERT INTO pegs_internal.model (" FACTS ") VALUES (" VALUES ")", SPI_OK_INSERT, 31, args);
	pegs_end_as(&saved);
	pegs_note_origin(source->account);
	return id;
}

void
pegs_store_words(int64 id, const List *lookups, const List *beside)
{
	PegsAs		saved;
	PegsArg		args[3] = {{INT8OID, Int64GetDatum(id), false}, texts_argument(lookups), texts_argument(beside)};

	if ((lookups == NIL && beside == NIL) || !pegs_keeps("model", "lookups"))
		return;
	pegs_begin_as_extension(&saved);
	pegs_spi("UPDATE pegs_internal.model SET lookups = $2, beside = $3 WHERE id = $1", SPI_OK_UPDATE, 3, args);
	pegs_end_as(&saved);
}

/* Released numbers are everybody's: they stay the bytes that pegs_export gives. */
void
pegs_store_body(int64 id, const pegs_method *method, bytea *body)
{
	Datum		values[2] = {Int64GetDatum(id), PointerGetDatum(method->payment == PEGS_PAID_AT_FIT ? body : pegs_masked(body))};

	pegs_require_body_of_a_size(method, body);
	pegs_insert_secret("body", 2, values);
}

/* ---- finding ---- */

/* If it is a release that is named: was one asked for, too? */
static PegsModel *
model_to_use(const char *name, bool or_release)
{
	PegsModel  *model = pegs_find_model(name);

	if (model)
		model->grant = pegs_usable_grant(model->object, model->account);
	if (model == NULL && !or_release)
		pegs_refuse_other_kind(name, true);
	if (model == NULL || model->grant < 0)
		pegs_no_such(name);
	pegs_require_method(model);
	return model;
}

PegsModel *
pegs_model(const char *name)
{
	return model_to_use(name, false);
}

static List *
list_of_names(ArrayType *array)
{
	Datum	   *items;
	int			n;
	List	   *names = NIL;

	deconstruct_array(array, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &items, NULL, &n);
	for (int i = 0; i < n; i++)
		names = lappend(names, pstrdup(NameStr(*DatumGetName(items[i]))));
	return names;
}

/* NULL if there is none, or it is not granted to the caller. */
PegsRelease *
pegs_find_release(const char *name)
{
	PegsAs		saved;
	PegsArg		arg = {TEXTOID, CStringGetTextDatum(name), false};
	MemoryContext context = CurrentMemoryContext;
	PegsRelease *release = NULL;

	pegs_begin_as_extension(&saved);
	pegs_spi(pegs_keeps("release", "delta") ? "SELECT id, model, account, n, given, key, value_key, epsilon, block, independent, keys, delta, sweeps FROM pegs_internal.release WHERE name = $1"
			 : "SELECT id, model, account, n, given, key, value_key, epsilon, block, independent, NULL::name[], 0::bigint, 0 FROM pegs_internal.release WHERE name = $1",
			 SPI_OK_SELECT, 1, &arg);
	if (SPI_processed == 1)
	{
		HeapTuple	row = SPI_tuptable->vals[0];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		MemoryContext old = MemoryContextSwitchTo(context);
		bool		isnull;
		Datum		value;

		release = palloc0(sizeof(PegsRelease));
		release->name = pstrdup(name);
		release->id = DatumGetInt64(SPI_getbinval(row, desc, 1, &isnull));
		release->model = DatumGetInt64(SPI_getbinval(row, desc, 2, &isnull));
		release->account = DatumGetObjectId(SPI_getbinval(row, desc, 3, &isnull));
		release->n = DatumGetInt64(SPI_getbinval(row, desc, 4, &isnull));
		value = SPI_getbinval(row, desc, 5, &isnull);
		release->given = isnull ? NULL : DatumGetJsonbPCopy(value);
		value = SPI_getbinval(row, desc, 6, &isnull);
		if (!isnull)
			memcpy(release->key, VARDATA_ANY(DatumGetByteaPP(value)), PEGS_KEY_BYTES);
		value = SPI_getbinval(row, desc, 7, &isnull);
		memcpy(release->value_key, VARDATA_ANY(DatumGetByteaPP(value)), PEGS_KEY_BYTES);
		release->epsilon = DatumGetInt64(SPI_getbinval(row, desc, 8, &isnull));
		release->block = DatumGetInt64(SPI_getbinval(row, desc, 9, &isnull));
		release->independent = DatumGetBool(SPI_getbinval(row, desc, 10, &isnull));
		value = SPI_getbinval(row, desc, 11, &isnull);
		release->numbered = !isnull;
		if (!isnull)
			release->keys = list_of_names(DatumGetArrayTypeP(value));
		value = SPI_getbinval(row, desc, 12, &isnull);
		release->delta = isnull ? 0 : DatumGetInt64(value);
		value = SPI_getbinval(row, desc, 13, &isnull);
		release->sweeps = isnull ? 0 : DatumGetInt32(value);
		MemoryContextSwitchTo(old);
	}
	pegs_end_as(&saved);
	return release && pegs_usable_grant(release->id, release->account) >= 0 ? release : NULL;
}

/* The model of that name, or of the release of that name; the caller must have a right to it. */
PegsModel *
pegs_model_or_release(const char *name, PegsRelease **release)
{
	PegsModel  *model;

	*release = pegs_find_release(name);
	if (*release == NULL)
		return model_to_use(name, true);
	model = pegs_model_by_id((*release)->model);
	if (model == NULL)
		elog(ERROR, "the model of a release is missing");
	pegs_require_method(model);
	return model;
}

/* Of several tables those of the first: which is wanted is not known. */
static char *
rows_command(const char *name)
{
	PegsRelease *release;
	const PegsModel *model = pegs_model_or_release(name, &release);
	const char *literal = quote_literal_cstr(name);

	if (model->spec->related)
	{
		const PegsMember *first = &model->spec->related->member[0];

		return release ? psprintf("SELECT * FROM pegs_rows_as(NULL::%s, %s, %s);", first->table, literal, quote_literal_cstr(first->name))
			: psprintf("SELECT * FROM pegs_sample_as(NULL::%s, %s, options => %s);", first->table, literal, pegs_object_example("table", pegs_text_example(first->name)));
	}
	if (release)
		return psprintf("SELECT * FROM pegs_rows(%s) AS t(%s);", literal, pegs_column_list(model->spec->domain));
	return psprintf("SELECT * FROM %s(%s%s) AS t(%s);", model->slice ? "pegs_sample_slices" : "pegs_sample", literal, pegs_is_sealed(model) ? ", 1000, epsilon => 1" : "",
					pegs_column_list(pegs_sliced_domain(model, model->spec->domain)));
}

/* A release where a model is asked for, or the other way round: said to whoever may use it. */
void
pegs_refuse_other_kind(const char *name, bool release)
{
	char	   *literal = quote_literal_cstr(name);
	PegsObject	object;

	if (!pegs_find_object(name, &object) || object.is_release != release || pegs_usable_grant(object.id, object.account) < 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 release ? errmsg("\"%s\" is a release, and a model is asked for", name) : errmsg("\"%s\" is a model, and a release is asked for", name),
			 release ? errhint("Its rows: %s Its model: SELECT model FROM pegs_releases WHERE name = %s;", rows_command(name), literal)
			 : errhint("Its rows: %s Releases of it: SELECT name FROM pegs_releases WHERE model = %s;", rows_command(name), literal)));
}
