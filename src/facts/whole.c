/*
 * whole.c
 *	  All that is declared about a table in one go: pegs_declare. What it says
 *	  is printed by printed.c.
 *
 * {"columns": {"age": {"low": 0, "high": 120, "bins": 24}, "sex": ["F", "M"], "origin": {"lookup": "public.airport", "lookup_column": "iata"},
 *				"cost": {"bins": ["0", "10", "100"], "points": ["0"], "step": "0.01", "nullable": false}, "note": {"leave_out": true},
 *				"adult": {"derived": "age >= 18"}, "came": {"bins": ["2024-01-01", "2025-01-01"], "parts": ["date", "hour"]},
 *				"went": {"bins": [0, 3600, 86400], "after": "came"}, "category": {"of": "code", "values": {"a1": "a", "a2": "a"}}, "zip": {"hierarchy": [{"keep": 3}]}},
 *	"forbidden": [{"sex": "M", "mdc": ["14"]}], "unit": {"column": "person", "max_rows": 10, "weighting": "row"},
 *	"parent": {"table": "public.patients", "columns": ["patient"], "children": [0, 1, 2, 3, 5], "at_most": 9}}
 */
#include "facts/facts.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/resowner.h"

/* ---- reading ---- */

static void
refuse_member(const char *member, const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("\"%s\" must be %s", member, what),
			 errhint("Known are: levels, other, bins, low, high, points, step, lookup, lookup_column, via, weight, undeclared, nullable, leave_out, derived, of, values, null_value, groups, hierarchy, parts, zone, after.")));
}

static char *
scalar(const char *member, const JsonbValue *value)
{
	char	   *text = value->type == jbvBinary ? NULL : pegs_json_scalar(value);

	if (text == NULL)
		refuse_member(member, "a value");
	return text;
}

static char **
list(const char *member, const JsonbValue *value, int *n)
{
	char	  **texts;

	if (value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data) || JsonContainerIsScalar(value->val.binary.data))
		refuse_member(member, "a list of values");
	*n = JsonContainerSize(value->val.binary.data);
	texts = palloc(sizeof(char *) * (*n + 1));
	for (int i = 0; i < *n; i++)
		texts[i] = scalar(member, getIthJsonbValueFromContainer(value->val.binary.data, i));
	return texts;
}

static JsonbContainer *
object(const char *member, const JsonbValue *value)
{
	if (value->type != jbvBinary || !JsonContainerIsObject(value->val.binary.data))
		refuse_member(member, "an object");
	return value->val.binary.data;
}

static int
whole_number(const char *member, const JsonbValue *value)
{
	char	   *text = value->type == jbvNumeric ? pegs_json_scalar(value) : "";

	if (*text == '\0' || strlen(text) > 9 || strspn(text, "-0123456789") != strlen(text))
		refuse_member(member, "a whole number below a billion");
	return atoi(text);
}

static bool
flag(const char *member, const JsonbValue *value)
{
	if (value->type != jbvBool)
		refuse_member(member, "true or false");
	return value->val.boolean;
}

static void
read_member(PegsDeclaration *declared, const char *member, const JsonbValue *value)
{
	if (strcmp(member, "levels") == 0)
		declared->levels = list(member, value, &declared->nlevels);
	else if (strcmp(member, "other") == 0)
		declared->other = scalar(member, value);
	else if (strcmp(member, "bins") == 0 && value->type == jbvNumeric)
		declared->bins = whole_number(member, value);
	else if (strcmp(member, "bins") == 0)
		declared->edges = list(member, value, &declared->nedges);
	else if (strcmp(member, "low") == 0)
		declared->low = scalar(member, value);
	else if (strcmp(member, "high") == 0)
		declared->high = scalar(member, value);
	else if (strcmp(member, "points") == 0)
		declared->points = list(member, value, &declared->npoints);
	else if (strcmp(member, "step") == 0)
		declared->step = scalar(member, value);
	else if (strcmp(member, "lookup") == 0)
		declared->lookup = pegs_lookup_named(scalar(member, value));
	else if (strcmp(member, "lookup_column") == 0)
		declared->lookup_column = scalar(member, value);
	else if (strcmp(member, "via") == 0)
	{
		int			n;
		char	  **names = list(member, value, &n);

		for (int i = 0; i < n; i++)
			declared->via = lappend(declared->via, names[i]);
		if (n == 0)
			refuse_member(member, "a list of columns");
	}
	else if (strcmp(member, "weight") == 0)
		declared->weight = scalar(member, value);
	else if (strcmp(member, "undeclared") == 0)
		pegs_read_undeclared(declared, scalar(member, value));
	else if (strcmp(member, "nullable") == 0)
		declared->not_null = !flag(member, value);
	else if (strcmp(member, "leave_out") == 0)
		declared->left_out = flag(member, value);
	else if (strcmp(member, "derived") == 0)
		declared->derived = scalar(member, value);
	else if (strcmp(member, "of") == 0)
		declared->of = scalar(member, value);
	else if (strcmp(member, "values") == 0)
		declared->values = object(member, value);
	else if (strcmp(member, "null_value") == 0)
		declared->null_value = scalar(member, value);
	else if (strcmp(member, "groups") == 0)
		declared->groups = object(member, value);
	else if (strcmp(member, "hierarchy") == 0)
	{
		if (value->type != jbvNull && (value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data)))
			refuse_member(member, "a list of steps, or null");
		declared->hierarchy = value->type == jbvNull ? NULL : JsonbValueToJsonb((JsonbValue *) value);
		declared->has_hierarchy = true;
	}
	else if (strcmp(member, "parts") == 0)
		declared->parts = list(member, value, &declared->nparts);
	else if (strcmp(member, "zone") == 0)
		declared->zone = scalar(member, value);
	else if (strcmp(member, "after") == 0)
		declared->earlier = scalar(member, value);
	else
		refuse_member(member, "a part of a declaration that is known");
}

/* A list of levels, an object, or null: nothing is declared. */
static void
declare_one(const PegsSource *source, const char *column, const JsonbValue *value)
{
	PegsDeclaration declared = {0};
	int			ways;

	if (value->type == jbvNull)
	{
		bool		gone = pegs_undeclare_column(source, column);

		gone |= pegs_forget_hierarchy(source, column);
		if (!gone && get_attnum(source->relid, column) < 1)
			ereport(NOTICE,
					(errmsg("column \"%s\" of %s does not exist: nothing is forgotten", pegs_clipped(column), source->name),
					 errhint("SELECT column_name FROM pegs_domain(%s);", quote_literal_cstr(source->name))));
		return;
	}
	if (value->type != jbvBinary)
		refuse_member(column, "a list of levels, an object, or null");
	if (JsonContainerIsArray(value->val.binary.data))
		declared.levels = list("levels", value, &declared.nlevels);
	else
	{
		PegsMembers members = pegs_members(value->val.binary.data);

		while (pegs_next_member(&members))
			read_member(&declared, members.name, &members.value);
	}
	ways = (declared.levels != NULL) + (declared.edges != NULL) + (declared.low || declared.high || declared.bins != 0)
		+ OidIsValid(declared.lookup) + declared.left_out + (declared.derived != NULL) + (declared.of != NULL);
	if (ways > 1)
		refuse_member(column, "one of levels, bins, low and high, lookup, leave_out, derived, of");
	if ((declared.low != NULL) != (declared.high != NULL) || (declared.low != NULL) != (declared.bins != 0))
		refuse_member(column, "declared by low, high and bins, all three");
	if (OidIsValid(declared.lookup) != (declared.lookup_column != NULL))
		refuse_member(column, "declared by lookup and lookup_column, both");
	if (declared.via && (!OidIsValid(declared.lookup) || declared.groups || declared.other))
		refuse_member(column, "of a lookup, without groups and other, if it has via");
	if ((declared.of != NULL) != (declared.values != NULL) || (declared.null_value && declared.of == NULL))
		refuse_member(column, "declared by of and values, both");
	if ((declared.points || declared.step) && declared.edges == NULL && declared.low == NULL)
		refuse_member(column, "in bins, if it has points or a step");
	if ((declared.parts || declared.earlier) && declared.edges == NULL && declared.low == NULL)
		refuse_member(column, "in bins, if it has parts or is after another column");
	if (declared.zone && declared.parts == NULL)
		refuse_member(column, "modelled by parts, if it has a zone");
	if (declared.groups && (ways > 1 || (ways == 1 && declared.levels == NULL && !OidIsValid(declared.lookup) && declared.of == NULL)))
		refuse_member(column, "of levels, a lookup or a function, if it has groups");
	if (ways == 0 && ((!declared.has_hierarchy && !declared.not_null && !declared.groups) || declared.other || declared.drop || declared.nearest))
		refuse_member(column, "declared by levels, bins, low and high, or a lookup");
	if (ways > 0 || declared.not_null || declared.groups)
		pegs_declare_column(source, column, &declared);
	if (declared.has_hierarchy)
		pegs_declare_hierarchy(source, column, declared.hierarchy);
	if (ways > 0 && !declared.left_out && !declared.derived && !declared.of)
		pegs_say_generated(source, column);
}

/* Is it about what was declared, and not about the server, other sessions, or a lack of something? Those may be tried again. */
static bool
is_of_declaration(int sqlerrcode)
{
	switch (ERRCODE_TO_CATEGORY(sqlerrcode))
	{
		case ERRCODE_DATA_EXCEPTION:
		case ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION:
		case ERRCODE_FEATURE_NOT_SUPPORTED:
			return true;
		default:
			return false;
	}
}

/* Calls declare_one; what it says goes to `problems` and `*hint`, that of an error alone, and what it did is undone. */
static void
try_one(const PegsSource *source, const char *column, const JsonbValue *value, StringInfo problems, char **hint)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		declare_one(source, column, value);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		if (!is_of_declaration(error->sqlerrcode))
			ReThrowError(error);
		/* an argument of another function is a member here */
		*hint = problems->len > 0 || (error->hint && strstr(error->hint, " => ")) ? NULL : error->hint;
		appendStringInfo(problems, "%s\"%s\": %s", problems->len > 0 ? "; " : "", column, pegs_clipped(error->message));
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
}

static bool
is_function(const JsonbValue *value)
{
	JsonbValue	of;

	return value->type == jbvBinary && JsonContainerIsObject(value->val.binary.data) && getKeyJsonValueFromContainer(value->val.binary.data, "of", 2, &of) != NULL;
}

static void
declare_columns(const PegsSource *source, JsonbContainer *columns)
{
	StringInfoData problems;
	char	   *hint = NULL;

	initStringInfo(&problems);
	/* functions last: what they are of may be declared here, too */
	for (int last = 0; last < 2; last++)
	{
		PegsMembers members = pegs_members(columns);

		while (pegs_next_member(&members))
			if (is_function(&members.value) == last)
				try_one(source, members.name, &members.value, &problems, &hint);
	}
	if (problems.len > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("facts of %s are wrong: nothing was declared", source->name),
				 errdetail("%s.", problems.data),
				 hint ? errhint("%s", hint) : errhint("SELECT * FROM pegs_domain(%s); shows columns and types.", quote_literal_cstr(source->name))));
}

static JsonbContainer *
part(Jsonb *facts, const char *name, bool array)
{
	JsonbValue	value = {.type = jbvNull};

	(void) getKeyJsonValueFromContainer(&facts->root, name, strlen(name), &value);
	if (value.type == jbvNull)
		return NULL;
	if (value.type != jbvBinary || JsonContainerIsArray(value.val.binary.data) != array)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" must be a JSON %s", name, array ? "list" : "object"),
				 errhint("As pegs_facts(source) prints them: columns, forbidden, unit, parent.")));
	return value.val.binary.data;
}

/* The table's column that a source calls so. */
static char *
column_in_table(const PegsSource *source, char *column)
{
	AttrNumber	attnum = get_attnum(source->relid, column);
	AttrNumber	at;

	if (source->relid == source->account)
		return column;
	if (attnum < 1 || !pegs_base_column(source, attnum, &at))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("\"%s\" is no column of %s that is one of its table \"%s\"", pegs_clipped(column), source->name, get_rel_name(source->account)),
				 errhint("SELECT column_name FROM pegs_domain(%s);", quote_literal_cstr(source->name))));
	return get_attname(source->account, at, false);
}

static void
declare_unit(PegsSource *source, JsonbContainer *unit)
{
	PegsMembers members = pegs_members(unit);
	char	   *column = NULL;
	char	   *weighting = "row";
	int			max_rows = 1;

	while (pegs_next_member(&members))
		if (strcmp(members.name, "column") == 0)
			column = scalar("column", &members.value);
		else if (strcmp(members.name, "weighting") == 0)
			weighting = scalar("weighting", &members.value);
		else if (strcmp(members.name, "max_rows") == 0)
			max_rows = whole_number("max_rows", &members.value);
		else
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a unit has no member \"%s\"", members.name),
					 errhint("Known are: column, max_rows, weighting.")));
	if (column == NULL)
		refuse_member("unit", "an object with a \"column\"");
	pegs_declare_unit(source, column_in_table(source, column), max_rows, weighting);
}

static void
declare_parent(const PegsSource *source, JsonbContainer *parent)
{
	PegsMembers members = pegs_members(parent);
	char	   *table = NULL;
	char	  **names = NULL;
	int			ncolumns = 0;
	PegsBinding binding = {0};

	while (pegs_next_member(&members))
		if (strcmp(members.name, "table") == 0)
			table = scalar("table", &members.value);
		else if (strcmp(members.name, "columns") == 0)
			names = list("columns", &members.value, &ncolumns);
		else if (strcmp(members.name, "children") == 0)
		{
			(void) list("children", &members.value, &binding.nchildren);
			binding.children = palloc(sizeof(int) * (binding.nchildren + 1));
			for (int i = 0; i < binding.nchildren; i++)
				binding.children[i] = whole_number("children", getIthJsonbValueFromContainer(members.value.val.binary.data, i));
		}
		else if (strcmp(members.name, "at_most") == 0)
			binding.at_most = whole_number("at_most", &members.value);
		else
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a parent has no member \"%s\"", members.name),
					 errhint("Known are: table, columns, children, at_most.")));
	if (table == NULL)
		refuse_member("parent", "an object with a \"table\"");
	for (int i = 0; i < ncolumns; i++)
		binding.columns = lappend(binding.columns, names[i]);
	pegs_require_kept("parent", NULL);
	pegs_declare_parent(source, pegs_relation_named(table, "\"table\" names a table", "{\"parent\": {\"table\": \"my_schema.\\\"Last Visits\\\"\", ...}}"), &binding);
}

/* pegs_declare(source regclass, facts jsonb): what it does not name stays as it is */
PG_FUNCTION_INFO_V1(pegs_declare);
Datum
pegs_declare(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "declare its public facts");
	Jsonb	   *facts = pegs_arg_object(fcinfo, 1, "facts");
	JsonbContainer *columns;
	JsonbContainer *forbidden;
	JsonbContainer *unit;
	JsonbContainer *parent;
	PegsDomain *domain;
	PegsMembers members;

	if (facts == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("facts must not be null"),
				 errhint("facts => '{\"columns\": {\"sex\": [\"F\", \"M\"]}}'")));
	members = pegs_members(&facts->root);
	while (pegs_next_member(&members))
		if (strcmp(members.name, "columns") != 0 && strcmp(members.name, "forbidden") != 0 && strcmp(members.name, "unit") != 0
			&& strcmp(members.name, "parent") != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("facts have no part \"%s\"", members.name),
					 errhint("As pegs_facts(source) prints them: columns, forbidden, unit, parent.")));
	columns = part(facts, "columns", false);
	forbidden = part(facts, "forbidden", true);
	unit = part(facts, "unit", false);
	parent = part(facts, "parent", false);
	if (columns)
		declare_columns(source, columns);
	CommandCounterIncrement();
	domain = forbidden ? pegs_domain_of(source) : NULL;
	for (uint32 i = 0; forbidden && i < JsonContainerSize(forbidden); i++)
	{
		JsonbValue *combination = getIthJsonbValueFromContainer(forbidden, i);

		CHECK_FOR_INTERRUPTS();
		if (combination->type != jbvBinary || !JsonContainerIsObject(combination->val.binary.data))
			refuse_member("forbidden", "a list of objects");
		pegs_add_zero(source, domain, JsonbValueToJsonb(combination));
	}
	/* first: the unit of a table that is bound to a parent is the foreign key */
	if (parent)
		declare_parent(source, parent);
	CommandCounterIncrement();
	if (unit)
		declare_unit(source, unit);
	PG_RETURN_VOID();
}
