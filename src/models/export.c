/*
 * export.c
 *	  Perturbed models as files: out of one server, into another.
 *
 * A file holds released numbers and public facts (core/wire.h), nothing of the
 * rows, so it may go wherever the rows of the model may go. What an imported
 * model guarantees is what the file states: no budget of this server was
 * charged, and nobody's table vouches for it, so importing needs a superuser.
 */
#include "core/urn_fit.h"
#include "models/models.h"
#include "read/read.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/varlena.h"

/*
 * The bytes of a model with its unit. Of a person of whom one row is read the
 * noise is that of one row, and so are the bytes: but a file that said "one
 * row" would claim too much. One row fewer of a person may put another of its rows
 * in place of the one that was read.
 */
static bytea *
with_unit(const PegsModel *model, bytea *body)
{
	bool		one_row = model->has_unit && model->rows_per_unit == 1;
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_wire	wire;

	/* looked at in any case: no other bytes leave the server under its name */
	if (!pegs_model_tables(&env, model, &wire) || wire.method != model->method)
		elog(ERROR, "the body of a model is missing");
	if (one_row)
		wire.method->accountant(wire.model)->rows_each = 1;
	/* an older version wrote text in the database's encoding (read/bytes.c) */
	return one_row || GetDatabaseEncoding() != PG_UTF8 ? pegs_wire_bytes(&env, &wire) : body;
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

/* Path rows have ranks, and nothing else has. */
static bool
is_of_tables(const pegs_wire *wire)
{
	return wire->method == pegs_method_of_old(false, 0) && ((const pegs_fitted *) wire->model)->rank != NULL;
}

/* Of several tables: can rows of all of them be made of it, for the unit that it says? */
static bool
holds_tables(const PegsRelated *related, const pegs_wire *wire)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_blocks *blocks;

	if (!is_of_tables(wire) || wire->method->accountant(wire->model)->rows_per_unit != PEGS_PATHS || wire->method->accountant(wire->model)->rows_each != PEGS_PATHS)
		return false;
	return pegs_blocks_open(&env, &related->relations, wire->model, 1, NULL, &blocks) == PEGS_OK;
}

/* Does it have as many rows as its options say were drawn? Of urns within combinations: of each. */
static bool
has_rows_of_options(const PegsSpec *spec, const pegs_wire *wire)
{
	const pegs_accountant *account = wire->method->accountant(wire->model);
	uint32_t	urns = wire->method->tables == PEGS_JOINT ? account->record[PEGS_FOR_URNS - 1].uses : 1;

	if (wire->method->draws_urns == NULL || !pegs_is_drawn(account) || !wire->method->draws_urns(spec->settings))
		return true;
	return wire->method->rows(wire->model) == spec->settings[PEGS_URN_ROWS].number * urns;
}

/* Two levels that are one value, in whichever notation: a row is counted as one of them. */
static void
refuse_levels_twice(const PegsColumn *column)
{
	char	  **levels = palloc(sizeof(char *) * (column->nlabels + 1));

	for (int i = 0; i < column->nlabels; i++)
	{
		levels[i] = pegs_try_canonical(column->type, column->typmod, column->labels[i]);
		if (levels[i] == NULL)
			refuse_file("a level is no value of its type here");
	}
	if (pegs_twice(levels, column->nlabels))
		refuse_file("a level is there twice");
}

/* Labels must be values of their types here, each once, and what may not run here is an error now. */
static void
require_values(const PegsDomain *domain)
{
	for (int i = 0; i < domain->ncols; i++)
	{
		(void) pegs_decoder(&domain->column[i]);
		refuse_levels_twice(&domain->column[i]);
	}
	for (int i = 0; i < domain->nderived; i++)
		(void) pegs_expression(&domain->derived[i], domain);
}

/* What a copy of the rows is named after, and that no column is two. */
static void
require_names(const PegsMember *member)
{
	List	   *names;

	if (!SplitIdentifierString(pstrdup(member->table), '.', &names) || list_length(names) < 1 || list_length(names) > 2)
		refuse_file("the name of one of its tables is none");
	for (int k = 0; k < member->nkeys; k++)
		if (pegs_derived_find(member->spec->domain, member->key[k].column))
			refuse_file("a column is a key, and computed");
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
	spec = pegs_spec_parse(pegs_text_of_bytes(&wire));
	if (spec->related ? !holds_tables(spec->related, &wire) : is_of_tables(&wire))
		refuse_file("its facts do not fit its tables");
	if (spec->tables != wire.method->tables || spec->domain->ncols != (int) wire.ncols || (spec->sloped && wire.method->shares == NULL))
		refuse_file("its facts do not fit its tables");
	for (int i = 0; i < spec->domain->ncols; i++)
	{
		if (pegs_column_levels(&spec->domain->column[i]) != (int) wire.levels[i])
			refuse_file("its facts do not fit its tables");
	}
	if (spec->related == NULL && !pegs_settle_stored_options(spec, wire.method))
		refuse_file("its options are none of its method");
	if (spec->related == NULL && !has_rows_of_options(spec, &wire))
		refuse_file("its rows are not as many as its options say");
	require_values(spec->domain);
	for (int t = 0; spec->related && t < spec->related->n; t++)
	{
		require_values(spec->related->member[t].spec->domain);
		require_names(&spec->related->member[t]);
	}
	paid = wire.method->accountant(wire.model);
	nobody.rows_per_unit = paid->rows_per_unit;
	/* 1: a person of whom one row is read (with_unit) */
	nobody.rows_each = paid->rows_each;
	id = pegs_store_facts(name, NULL, &nobody, spec, wire.method, paid->epsilon, paid->delta, 0, 0, "as stated by an imported file", NULL, NULL);
	pegs_store_body(id, wire.method, bytes);
	/* what each use asks (kept.c) is asked now: nobody can restore a backup of a file that was false when it came */
	model = pegs_model_by_id(id);
	if (model == NULL || model->method_is_false || !pegs_are_tables_of(model, &wire))
		refuse_file("its tables are none of its facts");
	PG_RETURN_VOID();
}
