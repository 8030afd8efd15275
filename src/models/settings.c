/*
 * settings.c
 *	  What a fit is told in its options: those that any method may have, and a
 *	  method's own (core/option.h).
 *
 * All of it is public. A method's own options stand in the model's spec as
 * they were given: a fit anew and the slices after the first repeat them, a
 * file has them, a certificate says them.
 */
#include "models/models.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"

/* ---- options that are not a method's own ---- */

static double
l_diversity_of(const JsonbValue *value)
{
	double		l = 0;

	if (value->type == jbvNumeric)
		l = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(value->val.numeric)));
	if (value->type != jbvNumeric || !(l > 1 && l <= PEGS_MAX_LEVELS))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("l_diversity must be a number above 1"),
				 errhint("options => '{\"l_diversity\": 1.5}'")));
	return l;
}

static void
require_none(const JsonbValue *value)
{
	if (value->type != jbvString || strcmp(pegs_json_key(value), "none") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"guarantee\" must be \"none\""),
				 errdetail("A guarantee is not asked for: with epsilon there is one."),
				 errhint("options => '{\"guarantee\": \"none\"}', for the form that was published without a guarantee; or leave it out.")));
}

/* The object without that member. */
static Jsonb *
without(Jsonb *object, const char *name)
{
	return DatumGetJsonbP(DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(object), CStringGetTextDatum(name)));
}

PegsFitOptions
pegs_fit_options(Jsonb *options)
{
	PegsFitOptions result = {0};
	PegsMembers members;

	if (options == NULL)
		return result;
	members = pegs_members(&options->root);
	while (pegs_next_member(&members))
	{
		if (strcmp(members.name, "target") == 0)
			result.target = pegs_target_option(&members.value);
		else if (strcmp(members.name, "l_diversity") == 0)
			result.l_diversity = l_diversity_of(&members.value);
		else if (strcmp(members.name, "guarantee") == 0)
		{
			require_none(&members.value);
			result.unprotected = true;
		}
		else
			result.own = "";
	}
	if (result.own)
	{
		options = without(without(without(options, "target"), "l_diversity"), "guarantee");
		result.own = JsonbToCString(NULL, &options->root, -1);
	}
	return result;
}

/* ---- a method's own ---- */

/* For a hint: what it may be told, by name. */
static char *
known_to(const pegs_method *method)
{
	StringInfoData names;

	initStringInfo(&names);
	if (method->aims)
		appendStringInfoString(&names, ", target");
	if (method == pegs_method_of_old(true, 0) || method == pegs_method_of_old(true, PEGS_MAX_LEVELS))
		appendStringInfoString(&names, ", l_diversity");
	for (const pegs_option *option = method->options; option && option->name; option++)
		appendStringInfo(&names, ", %s", option->name);
	return names.len > 0 ? names.data + 2 : NULL;
}

/* Options of pegs_sample (src/rows), which somebody may give to the fit. */
static const char *const of_samples[] = {"draw", "each", "fresh", "keys", "part", "parts", "sweeps"};

/* For a hint: a sentence about where else an option of this name is known; "": nowhere. */
static char *
known_to_others(const char *name)
{
	List	   *names = NIL;
	ListCell   *cell;
	StringInfoData words;

	for (int i = 0; i < (int) lengthof(of_samples); i++)
		if (strcmp(name, of_samples[i]) == 0)
			names = lappend(names, "pegs_sample");
	for (int i = 0; pegs_methods[i]; i++)
	{
		const pegs_method *method = pegs_methods[i];
		char	   *called = psprintf("method %s%s", quote_literal_cstr(pegs_method_called(method)), method->payment == PEGS_PAID_AT_FIT ? " with epsilon"
									  : method->payment == PEGS_NOT_PRIVATE ? " with \"guarantee\": \"none\"" : " without epsilon");

		for (const pegs_option *option = method->options; method->scorer == NULL && option && option->name; option++)
			if (strcmp(option->name, name) == 0)
				names = lappend(names, called);
	}
	initStringInfo(&words);
	foreach(cell, names)
		appendStringInfo(&words, "%s%s", words.len > 0 ? ", " : " It is an option of ", (char *) lfirst(cell));
	if (words.len > 0)
		appendStringInfoChar(&words, '.');
	return words.data;
}

static void
refuse_unknown(const pegs_method *method, const char *name)
{
	char	   *known = known_to(method);
	char	   *others = known_to_others(name);

	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown option \"%s\"", name),
			 known ? errhint("%sMethod \"%s\" knows: %s.%s", pegs_option_meant(method, name), method->name, known, others) : errhint("Method \"%s\" knows none: leave it out.%s", method->name, others)));
}

/* What it must be. */
static char *
required_words(const pegs_option *option)
{
	StringInfoData words;

	switch (option->kind)
	{
		case PEGS_OPTION_NUMBER:
			return psprintf("a number from %.15g to %.15g", option->least, option->most);
		case PEGS_OPTION_WHOLE:
			return psprintf("a whole number from %.15g to %.15g", option->least, option->most);
		case PEGS_OPTION_NUMBERS:
			return psprintf("a number from %.15g to %.15g, or a list of at most %d of them", option->least, option->most, PEGS_OPTION_NUMBERS_MOST);
		case PEGS_OPTION_TRUTH:
			return "true or false";
		case PEGS_OPTION_COLUMNS:
			return "a list of columns of the model, each once";
		case PEGS_OPTION_LEVELS:
			return "an object of columns of the model, with a list of levels of each";
		case PEGS_OPTION_PRIOR:
			return "the name of a public table, or an object of \"table\" and \"weight\", its column of weights";
		case PEGS_OPTION_WORD:
			break;
	}
	initStringInfo(&words);
	for (int i = 0; option->words[i]; i++)
		appendStringInfo(&words, "%s\"%s\"", i == 0 ? "" : option->words[i + 1] ? ", " : " or ", option->words[i]);
	return words.data;
}

/* Columns by name; of a hidden one what it is a part of. NULL: they are not; where `told`, a name that is none is an error. */
static bool *
columns_of(const char *what, const PegsDomain *domain, const JsonbValue *value, bool told)
{
	bool	   *columns = domain ? palloc0(sizeof(bool) * domain->ncols) : NULL;
	List	   *names = NIL;
	JsonbContainer *list;

	if (domain == NULL || value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data))
		return NULL;
	list = value->val.binary.data;
	if (JsonContainerSize(list) < 1 || JsonContainerSize(list) > PEGS_MAX_COLUMNS)
		return NULL;
	for (uint32 i = 0; i < JsonContainerSize(list); i++)
	{
		JsonbValue *item = getIthJsonbValueFromContainer(list, i);
		char	   *name = item->type == jbvString ? pegs_json_scalar(item) : NULL;
		bool		found = false;

		if (name == NULL || pegs_has_name(names, name))
			return NULL;
		names = lappend(names, name);
		for (int c = 0; c < domain->ncols; c++)
			if (strcmp(pegs_said_name(&domain->column[c]), name) == 0)
				found = columns[c] = true;
		if (!found && told)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("\"%s\" names \"%s\", which is not a column of the model", what, pegs_json_key(item)),
					 errhint("Its columns are: %s.", pegs_column_list(domain))));
		if (!found)
			return NULL;
	}
	return columns;
}

static bool
read_number(const pegs_option *option, const JsonbValue *value, double *number)
{
	if (value->type != jbvNumeric)
		return false;
	*number = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(value->val.numeric)));
	return *number >= option->least && *number <= option->most;
}

/* One, or a list of some. */
static bool
read_numbers(const pegs_option *option, const JsonbValue *value, pegs_setting *setting)
{
	JsonbContainer *list = value->type == jbvBinary && JsonContainerIsArray(value->val.binary.data) ? value->val.binary.data : NULL;
	double	   *numbers;

	if (list == NULL)
		return read_number(option, value, &setting->number);
	if (JsonContainerSize(list) < 1 || JsonContainerSize(list) > PEGS_OPTION_NUMBERS_MOST)
		return false;
	setting->nnumbers = JsonContainerSize(list);
	setting->numbers = numbers = palloc(sizeof(double) * setting->nnumbers);
	for (uint32 i = 0; i < setting->nnumbers; i++)
		if (!read_number(option, getIthJsonbValueFromContainer(list, i), &numbers[i]))
			return false;
	return true;
}

/* False: it is not what it must be. Without a domain columns are not looked up: there are some. */
static bool
read_setting(const pegs_option *option, const PegsDomain *domain, const JsonbValue *value, bool told, pegs_setting *setting)
{
	setting->given = true;
	if (domain == NULL && (option->kind == PEGS_OPTION_COLUMNS || option->kind == PEGS_OPTION_LEVELS || option->kind == PEGS_OPTION_PRIOR))
		return true;
	switch (option->kind)
	{
		case PEGS_OPTION_NUMBER:
		case PEGS_OPTION_WHOLE:
			return read_number(option, value, &setting->number)
				&& (option->kind == PEGS_OPTION_NUMBER || setting->number == rint(setting->number));
		case PEGS_OPTION_NUMBERS:
			return read_numbers(option, value, setting);
		case PEGS_OPTION_TRUTH:
			setting->number = value->type == jbvBool && value->val.boolean;
			return value->type == jbvBool;
		case PEGS_OPTION_WORD:
			for (int i = 0; value->type == jbvString && option->words[i]; i++)
				if (strcmp(pegs_json_key(value), option->words[i]) == 0)
				{
					setting->number = i;
					return true;
				}
			return false;
		case PEGS_OPTION_COLUMNS:
			setting->columns = columns_of(option->name, domain, value, told);
			return setting->columns != NULL;
		case PEGS_OPTION_LEVELS:
			return pegs_levels_setting(option->name, domain, value, told, setting);
		case PEGS_OPTION_PRIOR:
			return pegs_prior_setting(option, domain, value, told, setting);
	}
	return false;
}

static void
refuse_setting(const pegs_option *option)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("option \"%s\" must be %s", option->name, required_words(option)),
			 errhint("options => '{\"%s\": %s}'", option->name, option->example)));
}

static int
option_of(const pegs_method *method, const char *name)
{
	for (int i = 0; method->options && method->options[i].name; i++)
		if (strcmp(method->options[i].name, name) == 0)
			return i;
	return -1;
}

void
pegs_check_options(const pegs_method *method, const char *own)
{
	Jsonb	   *json = own ? DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(own))) : NULL;
	PegsMembers members;

	if (json == NULL)
		return;
	members = pegs_members(&json->root);
	while (pegs_next_member(&members))
	{
		int			i = option_of(method, members.name);

		if (i < 0)
			refuse_unknown(method, members.name);
		if (method->options[i].kind == PEGS_OPTION_PRIOR && !pegs_names_prior(&members.value))
			refuse_setting(&method->options[i]);
	}
}

/* NULL: one of them is not known, or not what it must be; where `told`, that is an error. */
static const pegs_setting *
settings_of(const pegs_method *method, const PegsDomain *domain, const char *own, bool told)
{
	pegs_setting *settings;
	PegsMembers members;
	Jsonb	   *json;
	int			n = 0;

	while (method->options && method->options[n].name)
		n++;
	settings = palloc0(sizeof(pegs_setting) * (n + 1));
	for (int i = 0; i < n; i++)
		settings[i].number = method->options[i].standard;
	if (own == NULL)
		return settings;
	json = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(own)));
	members = pegs_members(&json->root);
	while (pegs_next_member(&members))
	{
		int			i = option_of(method, members.name);

		if (i < 0 && told)
			refuse_unknown(method, members.name);
		if (i < 0)
			return NULL;
		if (read_setting(&method->options[i], domain, &members.value, told, &settings[i]))
			continue;
		if (told)
			refuse_setting(&method->options[i]);
		return NULL;
	}
	return settings;
}

void
pegs_settle_options(PegsSpec *spec, const pegs_method *method, const char *own, const PegsSource *source)
{
	if (own && source)
		own = pegs_counted_prior(method, spec->domain, source, own);
	spec->scales = method->scales;
	spec->later = method->later;
	spec->numbers = method->numbers;
	spec->settings = settings_of(method, spec->domain, own, true);
	spec->own = own ? pegs_kept_options(method, spec->domain, own) : NULL;
}

bool
pegs_settle_stored_options(PegsSpec *spec, const pegs_method *method)
{
	spec->scales = method->scales;
	spec->later = method->later;
	spec->numbers = method->numbers;
	spec->settings = settings_of(method, spec->domain, spec->own, false);
	return spec->settings != NULL;
}

bool
pegs_fit_draws_urns(const pegs_method *method, const char *own)
{
	const pegs_setting *settings = method->draws_urns ? settings_of(method, NULL, own, false) : NULL;

	return settings && method->draws_urns(settings);
}

const char *
pegs_mechanism_with(const pegs_method *method, const char *own)
{
	const pegs_setting *settings = method->mechanism_with ? settings_of(method, NULL, own, false) : NULL;
	const char *other = settings ? method->mechanism_with(settings) : NULL;

	return other ? other : method->mechanism;
}

void
pegs_refuse_at_fit(const pegs_method *method, const PegsFitOptions *options)
{
	if (options->l_diversity > 0 || options->unprotected)
		refuse_unknown(method, options->l_diversity > 0 ? "l_diversity" : "guarantee");
}

/* ---- what a method cannot do with what is counted ---- */

void
pegs_require_fit_of(const PegsSpec *spec, const pegs_method *method, const pegs_layout *layout)
{
	static const int codes[] = {
		[PEGS_WRONG_VALUE] = ERRCODE_INVALID_PARAMETER_VALUE,
		[PEGS_WRONG_MISSING] = ERRCODE_NULL_VALUE_NOT_ALLOWED,
		[PEGS_WRONG_SIZE] = ERRCODE_PROGRAM_LIMIT_EXCEEDED
	};
	pegs_refusal refusal = method->refuse ? method->refuse(layout) : PEGS_NOT_REFUSED;

	if (refusal.why)
		ereport(ERROR,
				(errcode(codes[refusal.wrong]),
				 errmsg("method \"%s\" cannot fit this: %s", method->name, refusal.why),
				 spec->tried && refusal.hint && refusal.wrong != PEGS_WRONG_SIZE ? errhint("%s Or methods without %s.", refusal.hint, quote_literal_cstr(spec->tried)) : spec->tried ? errhint("columns => %s, or methods without %s.", pegs_columns_example(spec->domain, 2), quote_literal_cstr(spec->tried))
				 : refusal.hint ? errhint("%s", refusal.hint) : 0));
	pegs_require_body_fits(spec, method, layout);
}

void
pegs_require_no_rows(const pegs_method *method, const pegs_layout *layout)
{
	if (pegs_keeps_rows(method, layout))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("method \"%s\" reads the rows more than once here: a state has none", method->name),
				 pegs_has_parents(method) ? errhint("Use pegs_fit, which reads the table itself; or declare parents: parents => '{}' for none.")
				 : errhint("Use pegs_fit, which reads the table itself.")));
}

/* ---- words ---- */

char *
pegs_options_argument(const PegsSpec *spec, List *among)
{
	char	   *target = pegs_target_json(spec, among);
	StringInfoData object;

	initStringInfo(&object);
	if (spec->own)
	{
		char	   *own = pegs_named_prior(spec->own);

		appendBinaryStringInfo(&object, own, strlen(own) - 1);	/* but for its brace */
	}
	if (target)
		appendStringInfo(&object, "%s\"target\": %s", object.len > 0 ? ", " : "{", target);
	if (object.len == 0)
		return "";
	appendStringInfoChar(&object, '}');
	return psprintf(", options => %s", quote_literal_cstr(object.data));
}
