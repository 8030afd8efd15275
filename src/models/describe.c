/*
 * describe.c
 *	  What may be said about a model or release: public facts, what was
 *	  charged, and numbers that were released with noise. Never a private count.
 */
#include "models/models.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

/* A method's own words, into the text. */
typedef struct Words
{
	StringInfo	out;
	const PegsColumn *column;
} Words;

static void
put_words(void *to, const char *words)
{
	appendStringInfoString(((Words *) to)->out, words);
}

static void
put_column(void *to, uint32_t column)
{
	escape_json(((Words *) to)->out, ((Words *) to)->column[column].name);
}

/* Of which columns a value that is not declared leaves its row out, in words; NULL: of none. */
static char *
left_out(const PegsDomain *domain)
{
	StringInfoData words;

	initStringInfo(&words);
	for (int i = 0; i < domain->ncols; i++)
		if (domain->column[i].drop)
			appendStringInfo(&words, "%s%s", words.len == 0 ? "rows with a value that is not declared of " : ", ",
							 quote_identifier(domain->column[i].name));
	return words.len == 0 ? NULL : words.data;
}

/* pegs_describe(name text) → jsonb */
PG_FUNCTION_INFO_V1(pegs_describe);
Datum
pegs_describe(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "name");
	PegsRelease *release;
	PegsModel  *model = pegs_model_or_release(name, &release);
	char	   *without = left_out(model->spec->domain);
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoString(&out, "{\"name\": ");
	escape_json(&out, name);
	appendStringInfo(&out, ", \"object\": \"%s\", \"kind\": \"%s\"", release ? "release" : "model",
					 pegs_is_sealed(model) ? "sealed" : "perturbed");
	appendStringInfo(&out, ", \"mechanism\": \"%s", model->method->mechanism);
	if (model->l_diversity > 0)
		appendStringInfo(&out, ", l = %.15g", model->l_diversity);
	switch (model->method->payment)
	{
		case PEGS_PAID_AT_FIT:
			appendStringInfo(&out, "\", \"guarantee\": \"(epsilon, delta)-differentially private at fit; rows are post-processing\","
							 " \"epsilon\": %s, \"delta\": %s",
							 pegs_units_text(model->epsilon, 9), pegs_units_text(model->delta, 18));
			break;
		case PEGS_PAID_BY_SAMPLE:
			appendStringInfoString(&out, "\", \"guarantee\": \"each sample or release is epsilon-differentially private at the epsilon it is charged\"");
			break;
		case PEGS_NOT_PRIVATE:
			appendStringInfoString(&out, "\", \"guarantee\": \"none\"");
			break;
	}
	if (release)
	{
		appendStringInfo(&out, ", \"n\": " INT64_FORMAT, release->n);
		if (pegs_is_sealed(model))
			appendStringInfo(&out, ", \"charged\": %s, \"block\": " INT64_FORMAT,
							 pegs_units_text(release->epsilon, 9), release->block);
		else
			appendStringInfo(&out, ", \"draw\": \"%s\"", release->independent || release->given ? "independent" : "apportioned");
		if (release->given)
			appendStringInfo(&out, ", \"given\": %s", JsonbToCString(NULL, &release->given->root, VARSIZE(release->given)));
	}
	if (!model->has_unit)
		appendStringInfoString(&out, ", \"neighbours\": \"add or remove one row\", \"unit\": \"one row\"");
	else
	{
		appendStringInfo(&out, ", \"neighbours\": \"add or remove one person\", \"unit\": \"%s\"",
						 pegs_unit_words(model->rows_per_unit, model->rows_each));
		appendStringInfo(&out, ", \"stands_for\": \"%s\"",
						 model->rows_each > 0 ? "a random row of a random person; as many rows as there are persons"
						 : "rows of the table, of each person at most so many as are read");
	}
	if (without)
	{
		appendStringInfoString(&out, ", \"left_out\": ");
		escape_json(&out, without);
	}
	appendStringInfoString(&out, ", \"counts\": ");
	escape_json(&out, model->counted_by);
	if (model->structure_epsilon > 0)
		appendStringInfo(&out, ", \"structure_epsilon\": %s", pegs_units_text(model->structure_epsilon, 9));
	appendStringInfo(&out, ", \"public\": \"columns, declared levels and bins%s%s\"",
					 model->spec->domain->nzeros > 0 ? ", forbidden combinations" : "", !pegs_is_sealed(model) ? "" : model->structure_epsilon > 0 ? ", hash" : ", parents, hash");
	if (model->method->payment == PEGS_PAID_AT_FIT && model->method->describe)
	{
		pegs_env	env = pegs_env_in(CurrentMemoryContext);
		Words		words = {&out, model->spec->domain->column};
		pegs_writer writer = {&words, put_words, put_column};
		pegs_wire	wire;

		if (pegs_model_tables(&env, model, &wire))
			model->method->describe(wire.model, &writer);
	}
	appendStringInfo(&out, ", \"spec\": %s}", model->spec->text);
	PG_RETURN_DATUM(DirectFunctionCall1(jsonb_in, CStringGetDatum(out.data)));
}

/* pegs_row_type(name text) → text: the column list for AS t(...) */
PG_FUNCTION_INFO_V1(pegs_row_type);
Datum
pegs_row_type(PG_FUNCTION_ARGS)
{
	PegsRelease *release;
	PegsModel  *model = pegs_model_or_release(pegs_arg_text(fcinfo, 0, "name"), &release);

	PG_RETURN_TEXT_P(cstring_to_text(pegs_column_list(model->spec->domain)));
}

/* 'schema.view' as it is written in SQL, each part quoted where it must be; whatever else it is, one name. */
static char *
view_identifier(const char *name)
{
	char	   *copy = pstrdup(name);
	List	   *parts;

	if (strchr(name, '.') == NULL || !SplitIdentifierString(copy, '.', &parts) || list_length(parts) != 2)
		return pstrdup(quote_identifier(name));
	return psprintf("%s.%s", quote_identifier(linitial(parts)), pstrdup(quote_identifier(lsecond(parts))));
}

/*
 * pegs_view_sql(name text, view_name text) → text: a view of free rows ('view' or 'schema.view'), and who may read it
 *
 * Every argument is there and cast: an overload that somebody made in the extension's schema fits no better.
 */
PG_FUNCTION_INFO_V1(pegs_view_sql);
Datum
pegs_view_sql(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "name");
	char	   *view = pegs_arg_text(fcinfo, 1, "view_name");
	const char *schema = quote_identifier(get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid)));
	PegsRelease *release;
	PegsModel  *model = pegs_model_or_release(name, &release);
	char	   *rows;
	char	   *literal = quote_literal_cstr(name);

	pegs_require_curator(model->account, "publish a view of it");
	if (pegs_is_sealed(model) && release == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" is sealed: every read of a view of it would be charged", name),
				 errhint("Make a release and a view of that: SELECT pegs_release('name', %s, n, epsilon);", literal)));
	if (release)
		rows = psprintf("%s.pegs_rows(%s::text)", schema, literal);
	else
		rows = psprintf("%s.pegs_sample(%s::text, %.0f::bigint, NULL::double precision, 1::bigint, 0::double precision, NULL::jsonb, '{}'::jsonb)",
						schema, literal, pegs_model_rows(model));
	PG_RETURN_TEXT_P(cstring_to_text(psprintf("CREATE VIEW %s AS\n  SELECT * FROM %s\n  AS t(%s);\n"
											  "GRANT SELECT ON %s TO PUBLIC;\nSELECT %s.pegs_grant(%s::text, 'public'::name, NULL::double precision);",
											  view_identifier(view), rows, pegs_column_list(model->spec->domain),
											  view_identifier(view), schema, literal)));
}
