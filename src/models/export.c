/*
 * export.c
 *	  Perturbed models as files: out of one server, into another.
 *
 * A file holds released numbers and public facts (core/wire.h), nothing of the
 * rows, so it may go wherever the rows of the model may go. What an imported
 * model guarantees is what the file states: no budget of this server was
 * charged, and nobody's table vouches for it, so importing needs a superuser.
 */
#include "models/file.h"
#include "read/read.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

/*
 * The bytes of a model with its unit, and with what its certificate says beside its facts (file_words.c). Of a person of whom one row is read the
 * noise is that of one row, and so are the bytes: but a file that said "one
 * row" would claim too much. One row fewer of a person may put another of its rows
 * in place of the one that was read.
 */
static bytea *
with_unit(const PegsModel *model, bytea *body)
{
	bool		one_row = model->has_unit && model->rows_per_unit == 1;
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	PegsFileWords words = {model->lookups, model->beside};
	bool		says = words.lookups != NIL || words.beside != NIL;
	pegs_wire	wire;

	/* looked at in any case: no other bytes leave the server under its name */
	if (!pegs_model_tables(&env, model, &wire) || wire.method != model->method)
		elog(ERROR, "the body of a model is missing");
	if (one_row)
		wire.method->accountant(wire.model)->rows_each = 1;
	if (says)
	{
		wire.spec = pegs_text_into_bytes(pegs_spec_with_words(model->spec->text, &words));
		wire.spec_len = (uint32_t) strlen(wire.spec);
	}
	/* an older version wrote text in the database's encoding (read/bytes.c) */
	return one_row || says || GetDatabaseEncoding() != PG_UTF8 ? pegs_wire_bytes(&env, &wire) : body;
}

/* The fit of this number, of a model of slices. */
static PegsModel *
slice_of(const PegsModel *model, int fit)
{
	PegsArg		args[2] = {{INT8OID, Int64GetDatum(model->object), false}, {INT4OID, Int32GetDatum(fit), false}};
	int64		id = 0;
	bool		isnull;
	PegsModel  *slice;
	PegsAs		saved;

	if (model->slice == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("model \"%s\" is not of slices", model->name),
				 errhint("SELECT pegs_export(%s);", quote_literal_cstr(model->name))));
	pegs_begin_as_extension(&saved);
	pegs_spi("SELECT id FROM pegs_internal.model WHERE coalesce(first_fit, id) = $1 AND coalesce(fit, 1) = $2 AND grid IS NOT NULL", SPI_OK_SELECT, 2, args);
	if (SPI_processed == 1)
		id = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	pegs_end_as(&saved);
	slice = id ? pegs_model_by_id(id) : NULL;
	if (slice == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("model \"%s\" has no slice number %d", model->name, fit),
				 errhint("SELECT * FROM pegs_slices WHERE model = %s;", quote_literal_cstr(model->name))));
	slice->name = model->name;
	pegs_require_method(slice);
	return slice;
}

/* Whoever asks for a model of slices means all of them: a file holds one. */
static void
require_whole(const PegsModel *model)
{
	if (model->slice)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("model \"%s\" is of slices: a file holds one of them", model->name),
				 errdetail("The one that was fitted last is of the rows %s.", pegs_slice_words(model->slice)),
				 errhint("A file of each: SELECT %s, pegs_export_slice(model, fit) FROM pegs_slices WHERE model = %s;", model->slice->value ? "value" : "lower, upper", quote_literal_cstr(model->name))));
}

static bytea *
export(const PegsModel *model)
{
	bytea	   *body = pegs_model_body(model->id);

	if (body == NULL)
		elog(ERROR, "the body of a model is missing");
	return with_unit(model, body);
}

/* One that may leave the server. */
static PegsModel *
exported(FunctionCallInfo fcinfo)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "model");
	PegsRelease *release;
	PegsModel  *model = pegs_model_or_release(name, &release);

	pegs_require_curator(model->account, "export its models");
	if (release)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is a release, which has no file: export its model", pegs_clipped(name)),
				 errdetail("A release is made of its model and n on any server."),
				 errhint("SELECT pegs_export(%s);", quote_literal_cstr(model->name))));
	if (pegs_is_sealed(model))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("model \"%s\" is sealed and cannot be exported: it holds %s", model->name, pegs_kept_words(model->method)),
				 errhint("Fit a perturbed model (pegs_fit with epsilon) and export that.")));
	return model;
}

/* pegs_export(model text) → bytea */
PG_FUNCTION_INFO_V1(pegs_export);
Datum
pegs_export(PG_FUNCTION_ARGS)
{
	PegsModel  *model = exported(fcinfo);

	require_whole(model);
	PG_RETURN_BYTEA_P(export(model));
}

/* pegs_export_slice(model text, fit int) → bytea: one of a model of slices */
PG_FUNCTION_INFO_V1(pegs_export_slice);
Datum
pegs_export_slice(PG_FUNCTION_ARGS)
{
	PegsModel  *model = exported(fcinfo);

	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("fit must not be null"),
				 errhint("SELECT * FROM pegs_slices WHERE model = %s;", quote_literal_cstr(model->name))));
	PG_RETURN_BYTEA_P(export(slice_of(model, PG_GETARG_INT32(1))));
}

static void
refuse_file(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("this is not an exported model: %s", what),
			 errhint("Import what pegs_export gave.")));
}

/* The bytes as they are kept: what the file says beside the facts has a place of its own. */
static bytea *
without_words(const pegs_env *env, pegs_wire *wire, const PegsSpec *spec, const PegsFileWords *words, bytea *bytes)
{
	const char *text;

	if (words->lookups == NIL && words->beside == NIL)
		return bytes;
	text = pegs_text_into_bytes(pegs_spec_with_words(spec->text, words));
	if (wire->spec_len != strlen(text) || memcmp(wire->spec, text, wire->spec_len) != 0)
		refuse_file("its tables are none of its facts");
	wire->spec = pegs_text_into_bytes(spec->text);
	wire->spec_len = (uint32_t) strlen(wire->spec);
	return pegs_wire_bytes(env, wire);
}

/* pegs_import(name text, model bytea) */
PG_FUNCTION_INFO_V1(pegs_import);
Datum
pegs_import(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "name");
	PegsSource	nobody = {0};
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	bytea	   *bytes;
	pegs_wire	wire;
	PegsSpec   *spec;
	PegsFileWords words;
	const char *problem;
	const pegs_accountant *paid;
	int64		id;
	PegsModel  *model;

	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be superuser to import a model"),
				 errdetail("Its guarantee is the word of the file, not of a table here."),
				 errhint("Ask a DBA to import it and to grant it to you.")));
	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("model must not be null"),
				 errhint("Give what pegs_export gave.")));
	bytes = PG_GETARG_BYTEA_P(1);
	pegs_take_name(name);
	pegs_read_bytes(&env, bytes, &wire);
	if (wire.method == NULL)
		refuse_file("it is a state");
	if (wire.method->payment != PEGS_PAID_AT_FIT)
		refuse_file("its method has no guarantee that a file could carry");
	spec = pegs_spec_of_file(&wire, &words);
	problem = pegs_file_problem(spec, &wire);
	if (problem)
		refuse_file(problem);
	paid = wire.method->accountant(wire.model);
	nobody.rows_per_unit = paid->rows_per_unit;
	/* 1: a person of whom one row is read (with_unit) */
	nobody.rows_each = paid->rows_each;
	id = pegs_store_facts(name, NULL, &nobody, spec, wire.method, paid->epsilon, paid->delta, 0, 0, "as stated by an imported file", NULL, NULL);
	pegs_store_words(id, words.lookups, words.beside);
	pegs_store_body(id, wire.method, without_words(&env, &wire, spec, &words, bytes));
	/* what each use asks (kept.c) is asked now: nobody can restore a backup of a file that was false when it came */
	model = pegs_model_by_id(id);
	if (model == NULL || model->method_is_false || !pegs_are_tables_of(model, &wire))
		refuse_file("its tables are none of its facts");
	PG_RETURN_VOID();
}
