/*
 * describe.c
 *	  What may be said about a model or release: public facts, what was
 *	  charged, and numbers that were released with noise. Never a private count.
 */
#include "models/models.h"
#include "models/publish.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "budget/budget.h"
#include "codes/codes.h"

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

/* Adds those of one table; table NULL: it is the only one. */
static void
add_left_out(StringInfo words, const PegsDomain *domain, const char *table)
{
	for (int i = 0; i < domain->ncols; i++)
	{
		const PegsPart *part = domain->column[i].part;
		char	   *name = pegs_said_name(&domain->column[i]);

		/* of a time its day says it, for all parts */
		if (domain->column[i].drop && (part == NULL || part->kind == PEGS_DATE || part->kind == PEGS_WEEK || part->kind == PEGS_VIA))
			appendStringInfo(words, "%s%s", words->len == 0 ? "rows with a value that is not declared of " : ", ",
							 quote_identifier(table ? psprintf("%s.%s", table, name) : name));
	}
}

/* Of which columns a value that is not declared leaves its row out, in words; NULL: of none. */
static char *
left_out(const PegsSpec *spec)
{
	StringInfoData words;

	initStringInfo(&words);
	for (int t = 0; spec->related && t < spec->related->n; t++)
		add_left_out(&words, spec->related->member[t].spec->domain, spec->related->member[t].name);
	if (spec->related == NULL)
		add_left_out(&words, spec->domain, NULL);
	return words.len == 0 ? NULL : words.data;
}

/* Did its fit know groups of levels, of whatever table? */
static bool
knew_groups(const PegsSpec *spec)
{
	bool		any = spec->grouped != NULL;

	for (int t = 0; spec->related && t < spec->related->n; t++)
		any |= spec->related->member[t].spec->grouped != NULL;
	return any;
}

static void
look_for_keys(const PegsDomain *domain, bool *any, bool *weighed)
{
	for (int i = 0; i < domain->ncols; i++)
	{
		const PegsVia *via = domain->column[i].part ? domain->column[i].part->via : NULL;

		*any |= via != NULL;
		*weighed |= via && via->weight;
	}
}

/* What it has of lookup tables, in whatever table: their rows, which are named, and keys. ", ...", or "". */
static const char *
words_of_lookups(const PegsModel *model)
{
	const PegsSpec *spec = model->spec;
	StringInfoData names;
	ListCell   *cell;
	bool		any = false;
	bool		weighed = false;

	look_for_keys(spec->domain, &any, &weighed);
	for (int t = 0; spec->related && t < spec->related->n; t++)
		look_for_keys(spec->related->member[t].spec->domain, &any, &weighed);
	if (model->lookups == NIL)	/* an old file does not name them */
		return weighed ? ", lookup tables and their keys (drawn by weight)" : any ? ", lookup tables and their keys" : "";
	initStringInfo(&names);
	foreach(cell, model->lookups)
		appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", (char *) lfirst(cell));
	return psprintf(", the rows of the lookup table%s %s%s", list_length(model->lookups) > 1 ? "s" : "", names.data,
					weighed ? " (keys drawn by weight)" : any ? " (and their keys)" : "");
}

/*
 * What was charged for the domain before: it is part of the rows, and no part
 * of what the fit was charged. A file does not say whether its levels were learnt.
 */
static void
describe_domain(StringInfo out, const PegsModel *model)
{
	const PegsLearntCost *cost = &model->domain_cost;
	char	   *words = pegs_learnt_words(cost);
	const char *facts = "columns, declared levels and bins";

	if (!OidIsValid(model->account))
	{
		facts = "columns, levels and bins";
		appendStringInfoString(out, ", \"domain\": \"not known: what it cost to learn levels and bins from rows, or to choose the model among others, is not in the file\"");
	}
	if (words)
	{
		facts = "columns; levels and bins, declared, or learnt and charged";
		appendStringInfo(out, ", \"domain_epsilon\": %s, \"domain_delta\": %s", pegs_units_text(cost->epsilon, 9), pegs_units_text(cost->delta, 18));
		appendStringInfo(out, ", \"domain\": \"%s, charged besides, for learning levels and bins%s%s\"", words,
						 model->method->of_a_model ? ", and for choosing the model that it was made of" : "",
						 cost->other_unit ? "; some of it protects another unit, so the sum is a guarantee of neither" : "");
	}
	appendStringInfoString(out, ", \"public\": ");
	escape_json(out, psprintf("%s%s%s%s%s%s%s%s%s", facts,
					 model->spec->related ? ", tables, classes of numbers of rows" : "",
					 model->spec->target ? ", target" : "",
					 knew_groups(model->spec) ? ", groups of levels" : "",
					 words_of_lookups(model),
					 model->spec->own ? ", options" : "",
					 model->spec->domain->nderived > 0 ? ", expressions of computed columns" : "",
					 model->spec->domain->nzeros > 0 ? ", forbidden combinations" : "",
					 model->spec->tables != PEGS_CONDITIONAL || !pegs_has_parents(model->method) ? "" : model->method->parents == PEGS_DECLARED_OR_ALL ? ", parents"
					 : model->structure_epsilon > 0 ? ", hash" : ", parents, hash"));
}

/* Of a sealed model, or of a release of one, which was charged delta or not. */
static const char *
sealed_guarantee(const PegsRelease *release)
{
	if (release && release->delta == 0)
		return "each sample or release is epsilon-differentially private at the epsilon it is charged";
	return "each sample or release is (epsilon, delta)-differentially private at what it is charged";
}

static const char *
mechanism_of(const PegsModel *model, const PegsRelease *release)
{
	if (release && release->sweeps > 0)
		return "PeGS, each draw put back double (urns)";
	if (pegs_fit_draws_urns(model->method, model->spec->own))
		return psprintf("%s: rows drawn from urns, each put back double", model->method->mechanism);
	return pegs_mechanism_with(model->method, model->spec->own);
}

/* A release of a sealed model: what it was charged, by which account, and how it was drawn. */
static void
describe_charge(StringInfo out, const pegs_method *method, const PegsRelease *release)
{
	bool		urns = method->urns || release->sweeps > 0;

	appendStringInfo(out, ", \"charged\": %s", pegs_units_text(release->epsilon, 9));
	if (urns)
		appendStringInfoString(out, ", \"draw\": \"urn\"");
	if (release->sweeps > 0)
		appendStringInfo(out, ", \"sweeps\": " INT64_FORMAT, release->sweeps);
	else if (pegs_has_blocks(method))
		appendStringInfo(out, ", \"block\": " INT64_FORMAT, release->block);
	if (release->delta > 0)
		appendStringInfo(out, ", \"delta\": %s, \"accounting\": \"%s\"", pegs_units_text(release->delta, 18),
						 urns ? "Renyi divergence of the urns, whatever the number of draws" : "draws of bounded range, added up in zCDP");
}

static void
describe_choices(StringInfo out, const PegsModel *model, const PegsRelease *release)
{
	int			among;
	bool		other_unit;
	int64		epsilon = pegs_choice_epsilon(model, release, &among, &other_unit);

	if (epsilon == 0)
		return;
	appendStringInfo(out, ", \"choice_epsilon\": %s", pegs_units_text(epsilon, 9));
	appendStringInfo(out, ", \"choice\": \"epsilon %s, charged besides, for comparing %s with the rows, among %d by pegs_best; a choice tells of all of them%s\"",
					 pegs_units_text(epsilon, 9), model->method->of_a_model ? "the model that it was made of" : "it", among, other_unit ? "; some of it protects another unit, so the sum is a guarantee of neither" : "");
}

/* rho in zCDP, rounded up to twelve digits. */
static char *
rho_text(pegs_u128 rho)
{
	return pegs_units_text((int64) ((rho * INT64CONST(1000000000000) + ((pegs_u128) 1 << PEGS_COST_BITS) - 1) >> PEGS_COST_BITS), 12);
}

/* What all slices tell together, which pegs_sample_slices gives: what the model was fitted with is that of the last one. */
static void
describe_slices(StringInfo out, const PegsModel *model)
{
	PegsSlicesCost cost = pegs_slices_cost(model);
	char	   *epsilon = pegs_units_text(cost.epsilon, 9);
	char	   *delta = pegs_units_text(cost.delta, 18);

	appendStringInfo(out, ", \"slices_epsilon\": %s, \"slices_delta\": %s", epsilon, delta);
	if (cost.rho > 0)
		appendStringInfo(out, ", \"slices_rho\": %s", rho_text(cost.rho));
	appendStringInfo(out, ", \"slices\": \"epsilon %s and delta %s for all slices together: ", epsilon, delta);
	if (cost.charges == 1)
		appendStringInfoString(out, "a row is in one of them\"");
	else
		appendStringInfo(out, "a row may be in one of each of %d charges; epsilon and delta of the model are those of its last slice\"", cost.charges);
}

/* What it is for; the how many-th under its name, and when it was made: of one that was fitted anew; of which slice it is; a release is of one. */
static void
describe_fit(StringInfo out, const PegsModel *model, const PegsRelease *release)
{
	int			utc = 0;

	if (model->spec->target)
		appendStringInfo(out, ", \"target\": %s", pegs_target_json(model->spec, NIL));
	if (model->spec->own)
		appendStringInfo(out, ", \"options\": %s", model->spec->own);
	if (model->fit > 1)
		appendStringInfo(out, ", \"fit\": %d, \"fitted\": \"%s\"", model->fit,
						 JsonEncodeDateTime(NULL, TimestampTzGetDatum(model->created), TIMESTAMPTZOID, &utc));
	if (model->slice)
		appendStringInfo(out, ", \"slice\": %s", JsonbToCString(NULL, &pegs_slice_json(model->slice)->root, -1));
	if (model->slice && release == NULL)
		describe_slices(out, model);
}

/* pegs_describe(name text) → jsonb */
PG_FUNCTION_INFO_V1(pegs_describe);
Datum
pegs_describe(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "name");
	PegsRelease *release;
	PegsModel  *model = pegs_model_or_release(name, &release);
	char	   *without = left_out(model->spec);
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoString(&out, "{\"name\": ");
	escape_json(&out, name);
	appendStringInfo(&out, ", \"object\": \"%s\", \"kind\": \"%s\", \"method\": \"%s\"", release ? "release" : "model",
					 pegs_kind_of(model->method), pegs_method_called(model->method));
	appendStringInfo(&out, ", \"mechanism\": \"%s", mechanism_of(model, release));
	if (model->l_diversity > 0)
		appendStringInfo(&out, ", l = %.15g", model->l_diversity);
	switch (model->method->payment)
	{
		case PEGS_PAID_AT_FIT:
			appendStringInfo(&out, "\", \"guarantee\": \"(epsilon, delta)-differentially private at fit; %s are post-processing\","
							 " \"epsilon\": %s, \"delta\": %s",
							 model->method->scorer ? "scores" : "rows",
							 pegs_units_text(model->epsilon, 9), pegs_units_text(model->delta, 18));
			/* its epsilon and delta are one reading of it: claim P6; of urns there is none, nor is it known of what was made of a model */
			if (model->delta > 0 && !model->method->of_a_model && !pegs_fit_draws_urns(model->method, model->spec->own))
				appendStringInfo(&out, ", \"rho\": %s", rho_text(pegs_rho(model->epsilon, model->delta)));
			break;
		case PEGS_PAID_BY_SAMPLE:
			appendStringInfo(&out, "\", \"guarantee\": \"%s\"", sealed_guarantee(release));
			break;
		case PEGS_NOT_PRIVATE:
			appendStringInfoString(&out, "\", \"guarantee\": \"none\"");
			break;
	}
	if (release)
	{
		appendStringInfo(&out, ", \"n\": " INT64_FORMAT, release->n);
		if (pegs_is_sealed(model))
			describe_charge(&out, model->method, release);
		else
			appendStringInfo(&out, ", \"draw\": \"%s\"", release->independent || (release->given && !model->spec->related) || model->method->independent ? "independent" : "apportioned");
		if (release->numbered)
			appendStringInfoString(&out, ", \"keys\": \"number\"");
		if (release->given)
			appendStringInfo(&out, ", \"given\": %s", JsonbToCString(NULL, &release->given->root, VARSIZE(release->given)));
	}
	pegs_describe_unit(&out, model);
	if (without)
	{
		appendStringInfoString(&out, ", \"left_out\": ");
		escape_json(&out, without);
	}
	appendStringInfoString(&out, ", \"counts\": ");
	escape_json(&out, model->counted_by);
	if (model->read)
	{
		appendStringInfoString(&out, ", \"read\": ");
		escape_json(&out, model->read);
	}
	describe_fit(&out, model, release);
	if (model->structure_epsilon > 0)
		appendStringInfo(&out, ", \"structure_epsilon\": %s", pegs_units_text(model->structure_epsilon, 9));
	describe_domain(&out, model);
	describe_choices(&out, model, release);
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

/* A release of a slice is of its model's own columns. */
static const PegsDomain *
domain_shown(const PegsModel *model, const PegsRelease *release)
{
	return release ? model->spec->domain : pegs_sliced_domain(model, model->spec->domain);
}

/* pegs_row_type(name text[, table_name text]) → text: the column list for AS t(...) */
PG_FUNCTION_INFO_V1(pegs_row_type);
Datum
pegs_row_type(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "name");
	char	   *table = PG_NARGS() > 1 ? pegs_arg_text(fcinfo, 1, "table_name") : NULL;
	PegsRelease *release;
	PegsModel  *model = pegs_model_or_release(name, &release);

	if (model->spec->related)
		PG_RETURN_TEXT_P(cstring_to_text(pegs_table_row_type(model, name, table)));
	if (table)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("\"%s\" is of one table, whose name is not asked for", name),
				 errhint("SELECT pegs_row_type(%s);", quote_literal_cstr(name))));
	PG_RETURN_TEXT_P(cstring_to_text(pegs_column_list(domain_shown(model, release))));
}

/* The first levels or bins, as pegs_domain writes them; NULL, which is the last level, is none of them. */
static Datum
first_levels(const PegsColumn *column, int64 first)
{
	int			n = (int) Min(first, pegs_column_levels(column) - column->nullable);
	Datum	   *items = palloc(sizeof(Datum) * (n + 1));

	for (int i = 0; i < n; i++)
	{
		if (i % 1000 == 0)
			CHECK_FOR_INTERRUPTS();
		items[i] = CStringGetTextDatum(pegs_level_text(column, i));
	}
	return PointerGetDatum(construct_array(items, n, TEXTOID, -1, false, TYPALIGN_INT));
}

static void
put_columns_row(ReturnSetInfo *result, const PegsColumn *column, const PegsDerived *derived, int64 first)
{
	Oid			type = derived ? derived->type : column->type;
	NameData	name;
	Datum		values[7];
	bool		nulls[7] = {false};

	namestrcpy(&name, derived ? derived->name : column->name);
	values[0] = NameGetDatum(&name);
	nulls[1] = !OidIsValid(type);
	values[1] = nulls[1] ? 0 : CStringGetTextDatum(format_type_extended(type, derived ? derived->typmod : column->typmod, FORMAT_TYPE_TYPEMOD_GIVEN));
	values[2] = CStringGetTextDatum(derived ? psprintf("computed: %s", derived->expression)
									: psprintf("%s%s%s", column->nedges > 0 ? "bins" : "levels", column->part ? ": " : "",
											   column->part ? pegs_part_words(column->part) : ""));
	nulls[3] = derived != NULL;
	values[3] = Int32GetDatum(derived ? 0 : pegs_column_levels(column));
	values[4] = BoolGetDatum(derived || column->nullable);
	nulls[5] = derived != NULL;
	values[5] = derived ? 0 : first_levels(column, first);
	nulls[6] = derived || column->other < 0;
	values[6] = nulls[6] ? 0 : CStringGetTextDatum(column->labels[column->other]);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * pegs_columns(name text, first bigint DEFAULT 5) → table(column_name name, type text, domain text, levels int,
 *				nullable boolean, first_levels text[], other text)
 */
PG_FUNCTION_INFO_V1(pegs_columns);
Datum
pegs_columns(PG_FUNCTION_ARGS)
{
	char	   *object = pegs_arg_text(fcinfo, 0, "name");
	int64		first = PG_ARGISNULL(1) ? PG_INT64_MAX : pegs_arg_count(fcinfo, 1, "first");
	PegsRelease *release;
	PegsModel  *model = pegs_model_or_release(object, &release);
	const PegsDomain *domain = domain_shown(model, release);
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	int			d = 0;

	for (int i = 0; i <= domain->ncols; i++)
	{
		for (; d < domain->nderived && domain->derived[d].place <= i; d++)
			put_columns_row(result, NULL, &domain->derived[d], first);
		if (i < domain->ncols)
			put_columns_row(result, &domain->column[i], NULL, first);
	}
	return (Datum) 0;
}
