/*
 * function.c
 *	  Columns that are declared to be a function of another: of each of its
 *	  levels, which value they have.
 *
 * "The category of a code" is public, as the list of codes is. Such a column is
 * computed (derived.c) by an expression that is made of the list, so a model has
 * it as it has any other; where the other column is not drawn, its own levels,
 * the values of the list, make it a column like others. Rows of the table must be
 * so, too: read/agree.c. Never is the list taken from rows: a person gives it.
 * Law L1.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

/* ---- declaring ---- */

/* One text of the list, in our notation: a level, or the value of one. */
static char *
value_of(const PegsColumn *column, const char *text, const char *what, bool level)
{
	char	   *value = pegs_canonical_told(column, text, what);

	if (pegs_type_has_bins(column->type) && strcmp(value, "NaN") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("value \"NaN\" of column \"%s\" is not a number", column->name),
				 level ? errhint("Leave it out: no level is NaN.") : errhint("In its place put a number, or null where the column may be NULL.")));
	return value;
}

/* Members of the object are in the order of jsonb, by length: that of the levels is public anyway. */
PegsFunction *
pegs_read_mapping(const PegsColumn *of, const PegsColumn *column, JsonbContainer *object, const char *what)
{
	PegsFunction *function = palloc0(sizeof(PegsFunction));
	int			room = JsonContainerSize(object) + 2;
	JsonbIterator *it = JsonbIteratorInit(object);
	JsonbValue	item;
	JsonbIteratorToken token;

	function->of = of->name;
	function->from = palloc0(sizeof(char *) * room);
	function->to = palloc0(sizeof(char *) * room);
	while ((token = JsonbIteratorNext(&it, &item, true)) != WJB_DONE)
	{
		char	   *text = token == WJB_VALUE && item.type != jbvBinary ? pegs_json_scalar(&item) : NULL;

		CHECK_FOR_INTERRUPTS();
		if (token == WJB_KEY)
			function->from[function->n] = value_of(of, pnstrdup(item.val.string.val, item.val.string.len), what, true);
		if (token != WJB_VALUE)
			continue;
		if (item.type == jbvBinary)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s must have one value for each level of column \"%s\"", what, of->name),
					 errhint("Levels are the members, also where several have the same: '{\"a\": \"x\", \"b\": \"x\", \"c\": null}'")));
		function->to[function->n++] = text ? value_of(column, text, what, false) : NULL;
	}
	if (function->n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s names no level of column \"%s\"", what, of->name),
				 errhint("For example: '{\"a\": \"x\", \"b\": \"x\", \"c\": \"y\"}'")));
	pegs_refuse_twice(of, function->from, function->n, "level");
	return function;
}

/* An item of an array's literal: in quotes where it must be, as expressions have a limit. */
static void
append_item(StringInfo out, const char *text)
{
	bool		plain = *text != '\0' && pg_strcasecmp(text, "NULL") != 0
		&& strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == strlen(text);

	if (!plain)
		appendStringInfoChar(out, '"');
	for (; *text; text++)
	{
		if (*text == '"' || *text == '\\')
			appendStringInfoChar(out, '\\');
		appendStringInfoChar(out, *text);
	}
	if (!plain)
		appendStringInfoChar(out, '"');
}

/* An array of such values, as a literal of an expression. */
static char *
array_literal(const PegsColumn *column, char *const *texts, int n)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < n; i++)
	{
		appendStringInfoString(&out, i == 0 ? "{" : ",");
		if (texts[i] == NULL)
			appendStringInfoString(&out, "NULL");
		else
			append_item(&out, texts[i]);
	}
	appendStringInfoChar(&out, '}');
	return psprintf("%s::%s[]", quote_literal_cstr(out.data), format_type_extended(column->type, -1, FORMAT_TYPE_TYPEMOD_GIVEN));
}

/* array_position tells NULL from values, too; of what is not in the list it is NULL. */
static char *
expression_of(const PegsColumn *of, const PegsColumn *column, const PegsFunction *function)
{
	return psprintf("(%s)[array_position(%s, %s)]", array_literal(column, function->to, function->n),
					array_literal(of, function->from, function->n), quote_identifier(of->name));
}

/* Noise may draw a level that no row has: what the list says of it must be what the column takes. */
static void
refuse_null(const PegsSource *source, const PegsColumn *of, const PegsColumn *column)
{
	const PegsFunction *function = column->function;

	if (pegs_may_be_null(source->relid, get_attnum(source->relid, column->name)))
		return;
	for (int i = 0; i < function->n; i++)
		if (function->to[i] == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" is NOT NULL, and its mapping has null for level %s of column \"%s\"", column->name,
							pegs_clipped(quote_literal_cstr(function->from[i])), of->name),
					 errhint("Give that level a value, or leave it out of the levels of column \"%s\".", of->name)));
}

static bool
is_same(const PegsFunction *a, const PegsFunction *b)
{
	return strcmp(a->of, b->of) == 0 && compareJsonbContainers(&pegs_function_kept(a)->root, &pegs_function_kept(b)->root) == 0;
}

/* Into the column: the list, and the expression that it is. In its place stands the function that it is already, if any. */
void
pegs_declare_function(const PegsSource *source, PegsColumn *column, const PegsDeclaration *declared)
{
	const PegsFunction *before = column->function;
	PegsColumn	of;
	int			level;

	pegs_find_column(source, declared->of, false, &of);
	if (strcmp(of.name, column->name) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" cannot be a function of itself", column->name),
				 errhint("Name the column that it follows from: of => 'code'")));
	if (!pegs_is_expression_type(of.type) || !pegs_is_expression_type(column->type))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" cannot be a function of column \"%s\": type %s is not one that every server has", column->name, of.name,
						format_type_be(pegs_is_expression_type(of.type) ? column->type : of.type)),
				 errhint("Use a view that makes a text of it, and declare there.")));
	column->function = pegs_read_mapping(&of, column, declared->values, psprintf("the mapping of column \"%s\"", column->name));
	refuse_null(source, &of, column);
	if (declared->null_value)
		column->function->to[column->function->n++] = value_of(column, declared->null_value, "null_value", false);
	level = pegs_pin_expression();
	column->derived = expression_of(&of, column, column->function);
	column->derived = pegs_checked_expression(source, column, column->derived, before && is_same(before, column->function));
	AtEOXact_GUC(false, level);
}

/* ---- kept ---- */

Jsonb *
pegs_function_kept(const PegsFunction *function)
{
	const char *null_value = NULL;
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < function->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (function->from[i] == NULL)
		{
			null_value = function->to[i];
			continue;
		}
		appendStringInfoString(&out, i == 0 ? "{\"values\": {" : ", ");
		escape_json(&out, function->from[i]);
		appendStringInfoString(&out, ": ");
		if (function->to[i])
			escape_json(&out, function->to[i]);
		else
			appendStringInfoString(&out, "null");
	}
	appendStringInfoChar(&out, '}');
	if (null_value)
	{
		appendStringInfoString(&out, ", \"null_value\": ");
		escape_json(&out, null_value);
	}
	appendStringInfoChar(&out, '}');
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(out.data)));
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

/* Its values, each once, are the levels of the column, where it is not computed. */
static void
add_levels(PegsColumn *column)
{
	const PegsFunction *function = column->function;
	int			n = 0;

	column->labels = palloc(sizeof(char *) * (function->n + 1));
	for (int i = 0; i < function->n; i++)
		if (function->to[i])
			column->labels[n++] = function->to[i];
	qsort(column->labels, n, sizeof(char *), by_text);
	column->nlabels = 0;
	for (int i = 0; i < n; i++)
		if (i == 0 || strcmp(column->labels[i], column->labels[column->nlabels - 1]) != 0)
			column->labels[column->nlabels++] = column->labels[i];
}

PegsFunction *
pegs_kept_function(Jsonb *kept)
{
	PegsFunction *function = palloc0(sizeof(PegsFunction));
	PegsMembers members = pegs_members(&kept->root);
	char	   *null_value = NULL;
	JsonbContainer *values = NULL;
	JsonbIterator *it;
	JsonbValue	item;
	JsonbIteratorToken token;

	while (pegs_next_member(&members))
		if (strcmp(members.name, "values") == 0 && members.value.type == jbvBinary && JsonContainerIsObject(members.value.val.binary.data))
			values = members.value.val.binary.data;
		else
			null_value = pegs_json_scalar(&members.value);
	if (values == NULL)
		elog(ERROR, "a declared function has no values");
	function->from = palloc0(sizeof(char *) * (JsonContainerSize(values) + 1));
	function->to = palloc0(sizeof(char *) * (JsonContainerSize(values) + 1));
	it = JsonbIteratorInit(values);
	while ((token = JsonbIteratorNext(&it, &item, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (token == WJB_KEY)
			function->from[function->n] = pnstrdup(item.val.string.val, item.val.string.len);
		else if (token == WJB_VALUE)
			function->to[function->n++] = pegs_json_scalar(&item);
	}
	if (null_value)
		function->to[function->n++] = null_value;
	return function;
}

void
pegs_function_in(PegsColumn *column, Jsonb *kept)
{
	column->function = pegs_kept_function(kept);
	add_levels(column);
}

/* ---- looked at, with all columns of the source ---- */

/* Are these still values of the type, as it is now? */
static bool
are_of_type(const PegsColumn *column, char *const *texts, int n)
{
	for (int i = 0; i < n; i++)
	{
		const char *now = texts[i] ? pegs_try_canonical(column->type, column->typmod, texts[i]) : NULL;

		CHECK_FOR_INTERRUPTS();
		if (texts[i] && (now == NULL || strcmp(now, texts[i]) != 0))
			return false;
	}
	return true;
}

/* A level of the other column that the list does not name; NULL: none. */
static const char *
level_without_value(const PegsColumn *of, const PegsFunction *function)
{
	char	  **sorted = palloc(sizeof(char *) * (function->n + 1));
	int			n = 0;

	for (int i = 0; i < function->n; i++)
		if (function->from[i])
			sorted[n++] = function->from[i];
	qsort(sorted, n, sizeof(char *), by_text);
	for (int i = 0; i < of->nlabels; i++)
		if (bsearch(&of->labels[i], sorted, n, sizeof(char *), by_text) == NULL)
			return of->labels[i];
	return NULL;
}

/* Does a column that takes no NULL get one, of a level that there is? */
static const char *
null_problem(const PegsColumn *column, const PegsColumn *of)
{
	const PegsFunction *function = column->function;
	bool		known = false;

	if (column->nullable)
		return NULL;
	for (int i = 0; i < function->n; i++)
	{
		known |= function->from[i] == NULL;
		if (function->to[i] == NULL)
			return "its function has null for a level, and the column is NOT NULL";
	}
	return of->nullable && !known ? psprintf("its function says nothing of NULL, which column \"%s\" may be, and it is NOT NULL", of->name) : NULL;
}

static char *
problem_of(const PegsColumn *column, const PegsColumn *of)
{
	const PegsFunction *function = column->function;
	const char *missing;

	if (of->nedges > 0)
		return psprintf("it is a function of column \"%s\", which has bins", of->name);
	if (!are_of_type(column, function->to, function->n))
		return psprintf("its function has a value that is not of type %s", format_type_with_typemod(column->type, column->typmod));
	if (!are_of_type(of, function->from, function->n))
		return psprintf("its function has a level that is not of column \"%s\"'s type %s", of->name, format_type_with_typemod(of->type, of->typmod));
	missing = level_without_value(of, function);
	if (missing == NULL && (missing = null_problem(column, of)) != NULL)
		return pstrdup(missing);
	return missing ? psprintf("its function says nothing of level \"%s\" of column \"%s\"", pegs_clipped(missing), of->name) : NULL;
}

/* Of a column with bins there is no list of values: an expression says it of all values that it has. */
static char *
remedy_for_bins(const PegsColumn *column, const PegsColumn *of, const PegsSource *source)
{
	const char *name = quote_identifier(of->name);

	return psprintf("SELECT pegs_set_derived(%s, %s, %s); with values in the place of the dots.", quote_literal_cstr(source->name), quote_literal_cstr(column->name),
					quote_literal_cstr(psprintf("CASE WHEN %s < ... THEN ... WHEN %s < ... THEN ... ELSE ... END", name, name)));
}

/* It cannot be used, computed or not, until somebody declares it again. */
static void
give_up(PegsColumn *column, char *problem)
{
	column->problem = problem;
	column->function = NULL;
	column->derived = column->left_out = NULL;
	column->origin = NULL;
	column->nlabels = 0;
}

void
pegs_look_at_functions(PegsDomain *domain, const PegsSource *source)
{
	for (int i = 0; i < domain->ncols; i++)
	{
		PegsColumn *column = &domain->column[i];
		const PegsColumn *of = NULL;
		char	   *problem = NULL;

		if (column->function == NULL)
			continue;
		if (column->derived == NULL)	/* what it is of is gone: inputs.c has said so */
			problem = column->problem ? column->problem : pstrdup("what it is a function of is gone");
		else
		{
			column->function->of = linitial(pegs_expression_columns(column->name, column->derived));
			of = &domain->column[pegs_domain_find(domain, column->function->of)];
			problem = problem_of(column, of);
		}
		if (problem == NULL)
			continue;
		give_up(column, problem);
		pegs_describe_problem(column, source, column->type);
		if (of && of->nedges > 0 && pegs_is_expression_type(column->type))
			column->remedy = remedy_for_bins(column, of, source);
	}
}
