/*
 * settings_levels.c
 *	  An option of a fit that names levels of columns.
 *
 * They are kept in our notation (pegs_kept_values), as what is given to a
 * release: a date means the same in every session.
 */
#include "models/models.h"
#include "codes/codes.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"

#define LEVELS_SHOWN 10

/* For a hint: levels as the option takes them, of a bin where it begins. */
static char *
levels_example(const PegsColumn *column)
{
	int			bins = Max(column->nedges - 1, 0);
	int			n = pegs_column_levels(column) - column->nullable;
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < n && i < LEVELS_SHOWN; i++)
		appendStringInfo(&list, "%s%s", i > 0 ? ", " : "", quote_literal_cstr(i < bins ? column->edges[i] : pegs_level_text(column, i)));
	return psprintf("%s of column \"%s\" are named %s%s.", bins > 0 ? "Bins, by a value inside," : "Levels", column->name, list.data,
					n > LEVELS_SHOWN ? ", ..." : "");
}

typedef struct Told
{
	const char *what;			/* the option, which a caller may know as an argument */
	const PegsColumn *column;
} Told;

/* What the type of the column refuses says nothing of the column. */
static void
say_column(void *arg)
{
	const Told *told = arg;

	errcontext("level that \"%s\" names for column \"%s\"", told->what, told->column->name);
	errhint("%s", levels_example(told->column));
}

static void
refuse_level(const char *what, const PegsColumn *column)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("a level that \"%s\" names for column \"%s\" is not in its declared domain", what, column->name),
			 errhint("%s", levels_example(column))));
}

/* Levels of one column; told: as the session writes them, and what is wrong is an error. NULL: it is wrong. */
static bool *
levels_of(const char *what, const PegsDomain *domain, int number, const JsonbValue *list, bool told)
{
	const PegsColumn *column = &domain->column[number];
	int			nlevels = pegs_column_levels(column);
	bool	   *levels = palloc0(sizeof(bool) * nlevels);
	Told		about = {what, column};
	ErrorContextCallback context = {.callback = say_column, .arg = &about};
	PegsEncoder *encoder = NULL;
	int			n = 0;

	if (list->type != jbvBinary || !JsonContainerIsArray(list->val.binary.data))
		return NULL;
	for (uint32 i = 0; i < JsonContainerSize(list->val.binary.data); i++)
	{
		JsonbValue *item = getIthJsonbValueFromContainer(list->val.binary.data, i);
		int			code;

		if (item->type == jbvBinary)
			return NULL;
		context.previous = error_context_stack;
		if (told)
			error_context_stack = &context;
		code = told ? pegs_code_of(column, &encoder, item) : pegs_code_of_kept(domain, number, &encoder, item);
		error_context_stack = context.previous;
		if (code < 0 && told)
			refuse_level(what, column);
		if (code < 0 || code >= nlevels)
			return NULL;
		n += !levels[code];
		levels[code] = true;
	}
	if (told && (n == 0 || n == nlevels))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 n == 0 ? errmsg("\"%s\" names no level of column \"%s\"", what, column->name)
				 : errmsg("\"%s\" names all levels of column \"%s\"", what, column->name),
				 errhint("Name some of its %d levels, and not all.", nlevels)));
	return n == 0 || n == nlevels ? NULL : levels;
}

char *
pegs_target_of_score(const char *own)
{
	const char *name = PEGS_SCORE_POSITIVE;
	JsonbValue	key = {.type = jbvString, .val.string = {.len = (int) strlen(name), .val = unconstify(char *, name)}};
	Jsonb	   *options = own ? DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(own))) : NULL;
	JsonbValue *positive = options ? findJsonbValueFromContainer(&options->root, JB_FOBJECT, &key) : NULL;
	PegsMembers members;

	if (positive == NULL || positive->type != jbvBinary || !JsonContainerIsObject(positive->val.binary.data))
		return NULL;
	members = pegs_members(positive->val.binary.data);
	return pegs_next_member(&members) ? members.name : NULL;
}

bool
pegs_levels_setting(const char *what, const PegsDomain *domain, const JsonbValue *value, bool told, pegs_setting *setting)
{
	bool	   *columns = palloc0(sizeof(bool) * domain->ncols);
	const bool **levels = palloc0(sizeof(bool *) * domain->ncols);
	PegsMembers members;

	if (value->type != jbvBinary || !JsonContainerIsObject(value->val.binary.data) || JsonContainerSize(value->val.binary.data) == 0)
		return false;
	members = pegs_members(value->val.binary.data);
	while (pegs_next_member(&members))
	{
		int			number = pegs_domain_find(domain, members.name);

		if (number < 0 && told)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("\"%s\" names levels of \"%s\", which is not a column of the model", what, members.name),
					 errhint("Its columns are: %s.", pegs_column_list(domain))));
		if (number < 0)
			return false;
		columns[number] = true;
		levels[number] = levels_of(what, domain, number, &members.value, told);
		if (levels[number] == NULL)
			return false;
	}
	setting->columns = columns;
	setting->levels = (const bool *const *) levels;
	return true;
}

/* The object with another value of a member: what comes last counts. */
static Jsonb *
with_member(Jsonb *object, const char *name, Jsonb *value)
{
	char	   *member = psprintf("{\"%s\": %s}", name, JsonbToCString(NULL, &value->root, -1));	/* an option's name needs no escapes */

	return DatumGetJsonbP(DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(object), DirectFunctionCall1(jsonb_in, CStringGetDatum(member))));
}

char *
pegs_with_option(const char *own, const char *name, const char *json)
{
	Jsonb	   *object = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(own)));
	Jsonb	   *value = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(json)));

	return JsonbToCString(NULL, &with_member(object, name, value)->root, -1);
}

char *
pegs_kept_options(const pegs_method *method, const PegsDomain *domain, const char *own)
{
	Jsonb	   *json = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(own)));
	Jsonb	   *kept = json;

	for (const pegs_option *option = method->options; option && option->name; option++)
	{
		JsonbValue	key = {.type = jbvString, .val.string = {.len = (int) strlen(option->name), .val = unconstify(char *, option->name)}};
		JsonbValue *value = option->kind == PEGS_OPTION_LEVELS ? findJsonbValueFromContainer(&json->root, JB_FOBJECT, &key) : NULL;

		if (value)
			kept = with_member(kept, option->name, pegs_kept_values(domain, JsonbValueToJsonb(value)));
	}
	return kept == json ? pstrdup(own) : JsonbToCString(NULL, &kept->root, -1);
}
