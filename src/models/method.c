/*
 * method.c
 *	  Of which method a stored model is.
 */
#include "models/models.h"

#include "utils/builtins.h"
#include "utils/varlena.h"

/* Before a model's method was written down: which it was. */
const pegs_method *
pegs_method_of_old(bool sealed, double l_diversity)
{
	return pegs_method_named(!sealed ? "graph" : l_diversity > 0 ? "pegs l-diverse" : "pegs");
}

/* As an argument of a statement that somebody pastes: a fit with epsilon that names none has another. */
char *
pegs_method_argument(const pegs_method *method)
{
	return method == pegs_method_of_old(false, 0) ? "" : psprintf(", method => %s", quote_literal_cstr(method->name));
}

bool
pegs_is_read_here(const PegsModel *model)
{
	return strcmp(model->counted_by, model->spec->related ? PEGS_READ_BY_FIT_SCHEMA : PEGS_READ_BY_FIT) == 0;
}

/* Whose word a model's counts are stays with what is made of it: the model may be dropped. */
char *
pegs_rows_of_model(const PegsModel *model)
{
	char	   *name = quote_literal_cstr(model->name);

	return pegs_is_read_here(model) ? psprintf("rows of model %s", name) : psprintf("rows of model %s, whose counts are %s", name, model->counted_by);
}

/* What a model of it is that is not paid for when it is fitted. */
const char *
pegs_kept_words(const pegs_method *method)
{
	return method->keeps ? method->keeps : "exact counts";
}

/*
 * The method; what is wrong with it is said once the caller's right to the
 * model is known (pegs_require_method).
 */
void
pegs_read_method(const PegsLookup *lookup, PegsModel *model)
{
	bool		sealed = DatumGetBool(pegs_needed_column(lookup, "sealed"));
	bool		isnull;
	Datum		value = pegs_stored_column(lookup, "method", &isnull);
	char	   *name = isnull ? NULL : TextDatumGetCString(value);

	model->method = name ? pegs_method_named(name) : pegs_method_of_old(sealed, model->l_diversity);
	if (model->method == NULL)
	{
		model->method = pegs_method_of_old(sealed, model->l_diversity);
		model->unknown_method = name;
	}
	model->method_is_false = pegs_is_sealed(model) != sealed
		|| (model->l_diversity > 0) != (model->method == pegs_method_of_old(true, PEGS_MAX_LEVELS));
}

/* Is it a method that is here, and does it fit what else is stored of the model? */
void
pegs_require_method(const PegsModel *model)
{
	const char *name = model->name ? model->name : "(dropped)";

	if (model->unknown_method)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("model \"%s\" is of method \"%s\", which this version does not have", name, model->unknown_method),
				 errhint("Install the version of pegs that made it.")));
	if (model->method_is_false || !pegs_counts_tables(model->method, model->spec->tables))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the method of model \"%s\" is not its own", name),
				 errdetail("Its facts are those of another: pegs_internal.model was changed."),
				 errhint("Restore a backup, or drop the model and fit it again: SELECT pegs_drop(%s);", quote_literal_cstr(name))));
}

/* As pegs_fit calls it. */
const char *
pegs_method_called(const pegs_method *method)
{
	return method->family ? method->family : method->name;
}

char *
pegs_methods_that(bool (*takes)(const pegs_method *method))
{
	StringInfoData list;
	List	   *names = NIL;

	initStringInfo(&list);
	for (int i = 0; pegs_methods[i]; i++)
	{
		const char *name = pegs_method_called(pegs_methods[i]);

		if (!takes(pegs_methods[i]) || pegs_has_name(names, name))
			continue;
		names = lappend(names, unconstify(char *, name));
		appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "", quote_literal_cstr(name));
	}
	return list.data;
}

/* Of the same family, or the default: what is paid for when it is fitted. */
const pegs_method *
pegs_perturbed_instead(const pegs_method *method)
{
	const pegs_method *named = method->family ? pegs_method_named(method->family) : NULL;

	return named && named->payment == PEGS_PAID_AT_FIT ? named : pegs_method_of_old(false, 0);
}

/* For people. */
const char *
pegs_kind_of(const pegs_method *method)
{
	return method->scorer ? "score" : method->payment == PEGS_PAID_AT_FIT ? "perturbed" : "sealed";
}

/* Of what a row says: (method text, sealed boolean, l_diversity float8). NULL: it is not here. */
static const pegs_method *
method_of_row(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		return pegs_method_of_old(PG_GETARG_BOOL(1), PG_ARGISNULL(2) ? 0 : PG_GETARG_FLOAT8(2));
	return pegs_method_named(text_to_cstring(PG_GETARG_TEXT_PP(0)));
}

/* pegs_called(method text, sealed boolean, l_diversity float8) → text: what pegs_fit calls it. NULL for a method that is not here. */
PG_FUNCTION_INFO_V1(pegs_called);
Datum
pegs_called(PG_FUNCTION_ARGS)
{
	const pegs_method *method = method_of_row(fcinfo);

	if (method == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(pegs_method_called(method)));
}

/* pegs_kind(method text, sealed boolean) → text: what pegs_models says */
PG_FUNCTION_INFO_V1(pegs_kind);
Datum
pegs_kind(PG_FUNCTION_ARGS)
{
	const pegs_method *method = PG_ARGISNULL(0) ? NULL : pegs_method_named(text_to_cstring(PG_GETARG_TEXT_PP(0)));

	if (method == NULL)
		PG_RETURN_TEXT_P(cstring_to_text(PG_GETARG_BOOL(1) ? "sealed" : "perturbed"));
	PG_RETURN_TEXT_P(cstring_to_text(pegs_kind_of(method)));
}

/*
 * pegs_guarantee(method text, sealed boolean, l_diversity float8) → text: what pegs_models says
 *
 * NULL for a method that is not here: nothing is known of it.
 */
PG_FUNCTION_INFO_V1(pegs_guarantee);
Datum
pegs_guarantee(PG_FUNCTION_ARGS)
{
	const pegs_method *method = method_of_row(fcinfo);

	if (method == NULL)
		PG_RETURN_NULL();
	switch (method->payment)
	{
		case PEGS_PAID_AT_FIT:
			PG_RETURN_TEXT_P(cstring_to_text("differential privacy"));
		case PEGS_PAID_BY_SAMPLE:
			PG_RETURN_TEXT_P(cstring_to_text("each sample pays"));
		case PEGS_NOT_PRIVATE:
			break;
	}
	PG_RETURN_TEXT_P(cstring_to_text(PG_ARGISNULL(2) ? "none" : "none (l-diverse)"));
}

void
pegs_require_no_score(const PegsModel *model)
{
	if (model->method->scorer)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("model \"%s\" is a score: it has no rows", model->name),
				 errhint("SELECT pegs_score(%s, t) FROM my_table AS t;", quote_literal_cstr(model->name))));
}

/* For a hint: a sentence with an option of the method that is called nearly so; "": none is. */
char *
pegs_option_meant(const pegs_method *method, const char *name)
{
	int			length = strlen(name);

	for (const pegs_option *option = method->options; option && option->name && length > 2 && length < NAMEDATALEN; option++)
		if (varstr_levenshtein_less_equal(option->name, strlen(option->name), name, length, 1, 1, 1, 1, true) <= 1)
			return psprintf("Did you mean \"%s\"? ", option->name);
	return pstrdup("");
}
