/*
 * request_options.c
 *	  What a caller's options say: keys, kinds of draws.
 *
 * All of it is checked before anything is charged, from public facts only.
 */
#include "rows/rows.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "core/pegs/pegs_method.h"

#define MAX_SWEEPS 1000
#define MAX_PARTS 1000000
#define PARTS_EXAMPLE "{\"part\": 1, \"parts\": 4}"
#define HIDDEN_SWEEPS 10		/* of a row, where they cost nothing; enough where columns hang together as in the demo */

static bool
option_bool(const char *name, const JsonbValue *value)
{
	if (value->type != jbvBool)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"%s\" must be true or false", name),
				 errhint("options => '{\"%s\": true}'", name)));
	return value->val.boolean;
}

/* The one value that an option may have. */
static bool
option_is(const char *name, const JsonbValue *value, const char *word)
{
	if (value->type != jbvString || strcmp(pegs_json_key(value), word) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"%s\" must be \"%s\"", name, word),
				 errhint("options => '{\"%s\": \"%s\"}'", name, word)));
	return true;
}

/* One of the model's tables; whether it has such a one is asked when the rows are (member.c). */
static char *
option_table(const PegsModel *model, const JsonbValue *value)
{
	if (value->type != jbvString)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"table\" must be the name of a table"),
				 errhint("options => %s. Its tables are: %s.", pegs_object_example("table", pegs_text_example(model->spec->related->member[0].name)),
						 pegs_related_names(model->spec->related))));
	return pegs_json_key(value);
}

/* A whole number from 1 to most. */
static int64
option_count(const char *name, const JsonbValue *value, int64 most, const char *example)
{
	double		number = -1;

	if (value->type == jbvNumeric)
		number = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(value->val.numeric)));
	if (!(number >= 1 && number <= (double) most && number == rint(number)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"%s\" must be a whole number from 1 to %s", name, pegs_units_text(most, 0)),
				 errhint("options => '%s'", example)));
	return (int64) number;
}

static void
refuse_apportioned(const PegsModel *model)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("option \"draw\" must be \"independent\", or left out, with method \"%s\"", model->method->name),
			 errdetail("Rows of model \"%s\" are independent of each other.", model->name),
			 errhint("options => '{\"draw\": \"independent\"}'")));
}

/* Is it a sealed model that can be drawn from urns? */
static bool
has_urns(const PegsModel *model)
{
	return pegs_is_gibbs(model->method) && pegs_is_private(model);
}

/* Do its rows come from one combination of columns after the other? */
static bool
has_combinations(const PegsModel *model)
{
	pegs_ask	ask = {0};
	uint32_t   *levels;

	if (model->method->combinations == NULL)
		return false;
	ask.settings = model->spec->settings;
	levels = palloc(sizeof(uint32_t) * model->spec->domain->ncols);
	for (int i = 0; i < model->spec->domain->ncols; i++)
		levels[i] = (uint32_t) pegs_column_levels(&model->spec->domain->column[i]);
	return model->method->combinations(&ask, (uint32_t) model->spec->domain->ncols, levels) > 0;
}

/* What samples of other models are told, which somebody may say of this one. */
static const struct
{
	const char *name;
	const char *of;
}			of_others[] = {
	{"draw", "samples of perturbed models, and of sealed ones of method 'pegs'"},
	{"each", "samples of sealed models of method 'table' with \"within\""},
	{"part", "samples of perturbed models"},
	{"parts", "samples of perturbed models"},
	{"sweeps", "samples of sealed models of method 'pegs'"},
	{"table", "samples of models of several tables"}
};

static bool
is_of_fits(const char *name)
{
	for (int i = 0; pegs_methods[i]; i++)
		for (const pegs_option *option = pegs_methods[i]->options; option && option->name; option++)
			if (strcmp(option->name, name) == 0)
				return true;
	return strcmp(name, "target") == 0 || strcmp(name, "l_diversity") == 0 || strcmp(name, "guarantee") == 0;
}

/* For a hint: a sentence about where else an option of this name is known; "": nowhere. */
static char *
known_to_others(const char *name)
{
	const char *of = NULL;

	for (int i = 0; i < (int) lengthof(of_others); i++)
		if (strcmp(of_others[i].name, name) == 0)
			of = of_others[i].of;
	if (is_of_fits(name))
		return of ? psprintf(" It is an option of %s, and of pegs_fit.", of) : pstrdup(" It is an option of pegs_fit.");
	return of ? psprintf(" It is an option of %s.", of) : pstrdup("");
}

static void
refuse_unknown(const PegsModel *model, const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown option \"%s\"", name),
			 model->spec->related ? errhint("Known are: table, part, parts; of a release: fresh.%s", known_to_others(name))
			 : errhint("Known are: fresh, keys%s.%s",
					   has_urns(model) ? ", draw, sweeps" : has_combinations(model) ? ", each" : pegs_is_sealed(model) ? "" : ", draw, part, parts",
					   known_to_others(name))));
}

static void
read_options(PegsRequest *request, Jsonb *options)
{
	PegsMembers members;

	if (options == NULL)
		return;
	members = pegs_members(&options->root);
	while (pegs_next_member(&members))
	{
		const char *name = members.name;
		const JsonbValue *value = &members.value;

		if (strcmp(name, "table") == 0 && request->model->spec->related)
			request->table = option_table(request->model, value);
		else if (strcmp(name, "fresh") == 0)
			request->fresh = option_bool(name, value);
		else if (strcmp(name, "keys") == 0)
			request->numbered = option_is(name, value, "number");
		else if (strcmp(name, "draw") == 0 && has_urns(request->model))
			request->urns = option_is(name, value, "urn");
		else if (strcmp(name, "sweeps") == 0 && has_urns(request->model))
			request->sweeps = option_count(name, value, MAX_SWEEPS, "{\"draw\": \"urn\", \"sweeps\": 10}");
		else if (strcmp(name, "each") == 0 && has_combinations(request->model))
			request->each = option_bool(name, value);
		else if (strcmp(name, "part") == 0 && !pegs_is_sealed(request->model))
			request->part = option_count(name, value, MAX_PARTS, PARTS_EXAMPLE);
		else if (strcmp(name, "parts") == 0 && !pegs_is_sealed(request->model))
			request->parts = option_count(name, value, MAX_PARTS, PARTS_EXAMPLE);
		else if (strcmp(name, "draw") == 0 && !pegs_is_sealed(request->model))
		{
			char	   *how = value->type == jbvString ? pegs_json_key(value) : NULL;

			if (how == NULL || (strcmp(how, "independent") != 0 && strcmp(how, "apportioned") != 0))
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("option \"draw\" must be \"apportioned\" or \"independent\""),
						 errhint("options => '{\"draw\": \"independent\"}'")));
			if (strcmp(how, "apportioned") == 0 && request->model->method->independent)
				refuse_apportioned(request->model);
			request->independent = strcmp(how, "independent") == 0;
		}
		else
			refuse_unknown(request->model, name);
	}
}

static void
refuse_block(const PegsModel *model)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("rows of method \"%s\" have no blocks", model->method->name),
			 errdetail("A block is of PeGS: a cell is reset once it was used. Model \"%s\" is drawn otherwise.", model->name),
			 errhint("Leave block out.")));
}

static void
refuse_delta_of_persons(const PegsRequest *request)
{
	if (request->delta == 0 || request->model->rows_per_unit == 1)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("urns take no delta where a person has several rows"),
			 errdetail("Model \"%s\" protects %s; the claim is proved for one row.", request->model->name,
					   pegs_unit_words(request->model->rows_per_unit, request->model->rows_each)),
			 request->model->method->urns ? errhint("Leave delta out.") : errhint("Leave delta out, or the option.")));
}

/* Urns: what goes with them, and how many sweeps where nobody said. */
static void
settle_urns(PegsRequest *request)
{
	if (!request->urns)
	{
		if (request->sweeps > 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("option \"sweeps\" goes with urns"),
					 errdetail("Without urns each row is one sweep."),
					 errhint("options => '{\"draw\": \"urn\", \"sweeps\": 10}'")));
		return;
	}
	if (request->block != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("urns have no blocks"),
				 errdetail("In a block a cell is reset once it was used; from an urn it is drawn again and again."),
				 errhint("Leave block out.")));
	if (request->model->spec->domain->nzeros > 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("urns cannot honour forbidden combinations"),
				 errdetail("Model \"%s\" has some; a draw that leaves levels out is no draw from an urn.", request->model->name),
				 errhint("Leave the option out.")));
	refuse_delta_of_persons(request);
	if (request->sweeps == 0)
		request->sweeps = request->delta != 0 ? HIDDEN_SWEEPS : 1;
}

/* Both or none, and of a table that others can make the other parts of. */
static void
check_part(const PegsRequest *request)
{
	if (request->part == 0 && request->parts == 0)
		return;
	if (request->part == 0 || request->parts == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("options \"part\" and \"parts\" go together"),
				 errhint("options => '%s'", PARTS_EXAMPLE)));
	if (request->part > request->parts)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there is no part %s of %s", pegs_units_text(request->part, 0), pegs_units_text(request->parts, 0)),
				 errhint("Parts are counted from 1: options => '%s'", PARTS_EXAMPLE)));
	if (request->fresh)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rows with a fresh key have no parts"),
				 errdetail("Every call would give a part of another table."),
				 errhint("Leave option \"fresh\" out; for a table that nobody else gets, make a release.")));
}

/* Block and delta are read before. */
void
pegs_request_options(PegsRequest *request, Jsonb *options)
{
	const PegsModel *model = request->model;

	read_options(request, options);
	check_part(request);
	settle_urns(request);
	if (model->method->payment == PEGS_PAID_BY_SAMPLE && !pegs_has_blocks(model->method) && request->block != 1)
		refuse_block(model);
	if (model->method->urns)
		refuse_delta_of_persons(request);
}
