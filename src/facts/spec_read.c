/*
 * spec_read.c
 *	  Reading a spec: the domain and the tables of a model out of its text.
 *
 * A text may come from anywhere: what is not a spec that spec.c would write is
 * an error, before anything is allocated by its word.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "access/detoast.h"
#include "access/transam.h"
#include "miscadmin.h"
#include "parser/parse_type.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#define MAX_GIVEN_BYTES (8 * 1024 * 1024) /* of a text that anybody may give: the server reads JSON in one go */
#define MAX_TYPE_BYTES 1024	/* of a type's name */
#define MAX_ZEROS 65535

static void
bad_spec(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("spec is not valid: %s", what),
			 errhint("Make it with pegs_spec(source, columns).")));
}

static JsonbValue
member(JsonbContainer *object, const char *name, bool required)
{
	JsonbValue	value = {.type = jbvNull};

	if (!getKeyJsonValueFromContainer(object, name, strlen(name), &value) && required)
		bad_spec(psprintf("\"%s\" is missing", name));
	return value;
}

static char *
member_text(JsonbContainer *object, const char *name, bool required)
{
	JsonbValue	value = member(object, name, required);

	if (value.type == jbvNull && !required)
		return NULL;
	if (value.type != jbvString)
		bad_spec(psprintf("\"%s\" must be text", name));
	return pnstrdup(value.val.string.val, value.val.string.len);
}

static char **
member_texts(JsonbContainer *object, const char *name, int *n)
{
	JsonbValue	value = member(object, name, false);
	char	  **texts;

	*n = 0;
	if (value.type == jbvNull)
		return NULL;
	if (value.type != jbvBinary || !JsonContainerIsArray(value.val.binary.data))
		bad_spec(psprintf("\"%s\" must be a list", name));
	*n = JsonContainerSize(value.val.binary.data);
	if (*n > PEGS_MAX_LEVELS)
		bad_spec(psprintf("\"%s\" is too long", name));
	texts = palloc(sizeof(char *) * (*n + 1));
	for (int i = 0; i < *n; i++)
	{
		JsonbValue *item;

		if (i % 1000 == 0)
			CHECK_FOR_INTERRUPTS();
		item = getIthJsonbValueFromContainer(value.val.binary.data, i);
		if (item->type != jbvString)
			bad_spec(psprintf("\"%s\" must hold texts", name));
		texts[i] = pnstrdup(item->val.string.val, item->val.string.len);
	}
	return texts;
}

/*
 * The type of a column, and its typmod. Those that every server has are known
 * by name. Another is an enum: of a stored model it is the type that it was
 * when the model was fitted (*stored; InvalidOid: dropped since), whatever it
 * is called now and whoever asks; of a given text it is looked up by name, with
 * the caller's rights. A column that is computed may have others than one that
 * is drawn, but no enum.
 */
static void
read_type(PegsColumn *column, char *name, const Oid *stored, bool computed)
{
	if (strlen(name) > MAX_TYPE_BYTES)
		bad_spec("the name of a type is too long");
	if (stored && (!OidIsValid(*stored) || *stored >= FirstGenbkiObjectId))
	{
		column->type = get_typtype(*stored) == TYPTYPE_ENUM ? *stored : InvalidOid;
		column->typmod = -1;
		return;
	}
	parseTypeString(name, &column->type, &column->typmod, false);
	if (computed && column->type >= FirstGenbkiObjectId)
		bad_spec("a derived column has a type that not every server has");
	if (computed ? !pegs_is_expression_type(column->type) : !pegs_type_supported(column->type))
		bad_spec(psprintf("type %s is not supported", format_type_be(column->type)));
}

/* What a hidden column is. Its columns are of a type that every server has; all of them are looked at together (pegs_part_problem). */
static const PegsPart *
read_part(const JsonbValue *value)
{
	PegsPart   *part;
	JsonbContainer *object;
	PegsColumn	column = {0};

	if (value->type == jbvNull)
		return NULL;
	if (value->type != jbvBinary || !JsonContainerIsObject(value->val.binary.data))
		bad_spec("a \"part\" must be an object");
	object = value->val.binary.data;
	part = palloc0(sizeof(PegsPart));
	if (!pegs_part_kind(member_text(object, "kind", true), &part->kind))
		bad_spec("a part is of a kind that is not known");
	part->column = member_text(object, "column", true);
	part->earlier = member_text(object, "earlier", false);
	part->zone = member_text(object, "zone", false);
	if (strlen(part->column) >= NAMEDATALEN || (part->earlier && strlen(part->earlier) >= NAMEDATALEN)
		|| (part->zone && (strlen(part->zone) > TZ_STRLEN_MAX || pg_tzset(part->zone) == NULL)))
		bad_spec("a name is too long, or a time zone is not known here");
	read_type(&column, member_text(object, "type", true), NULL, false);
	part->type = column.type;
	return part;
}

static void
read_column(PegsColumn *column, JsonbContainer *object, const Oid *stored)
{
	char	   *other = member_text(object, "other", false);
	char	   *undeclared = member_text(object, "undeclared", false);
	JsonbValue	null = member(object, "null", true);
	JsonbValue	part = member(object, "part", false);
	const char *problem;

	CHECK_FOR_INTERRUPTS();
	column->name = member_text(object, "name", true);
	if (strlen(column->name) >= NAMEDATALEN)
		bad_spec("a name is too long");
	read_type(column, member_text(object, "type", true), stored, false);
	column->edges = member_texts(object, "edges", &column->nedges);
	column->labels = member_texts(object, "levels", &column->nlabels);
	if (column->edges && (column->nedges < 2 || column->nlabels > 0 || !pegs_type_has_bins(column->type)))
		bad_spec("a column has edges that are not bins");
	column->points = member_texts(object, "points", &column->npoints);
	column->step = member_text(object, "step", false);
	if ((column->points || column->step) && column->nedges == 0)
		bad_spec("a column has points or a step, and no bins");
	if (column->nedges > 0 && (problem = pegs_bins_problem(column)) != NULL)
		bad_spec(problem);
	if (null.type != jbvBool)
		bad_spec("\"null\" must be true or false");
	column->nullable = null.val.boolean;
	column->drop = undeclared && strcmp(undeclared, "drop") == 0;
	column->nearest = undeclared && strcmp(undeclared, "nearest") == 0;
	if (undeclared && (!(column->drop || (column->nearest && column->nedges > 0)) || other))
		bad_spec("\"undeclared\" is not \"drop\", nor \"nearest\" of bins, or there is an \"other\"");
	column->part = read_part(&part);
	column->other = -1;
	for (int i = 0; other && i < column->nlabels; i++)
		if (strcmp(column->labels[i], other) == 0)
			column->other = i;
	if ((other && column->other < 0) || pegs_column_levels(column) < 1
		|| pegs_column_levels(column) > PEGS_MAX_LEVELS)
		bad_spec("a column has no level, too many, or an \"other\" that is not one of them");
}

static void
read_columns(PegsDomain *domain, JsonbContainer *list, const Oid *types)
{
	domain->column = palloc0(sizeof(PegsColumn) * domain->ncols);
	for (int i = 0; i < domain->ncols; i++)
	{
		JsonbValue *item = getIthJsonbValueFromContainer(list, i);

		if (item->type != jbvBinary || !JsonContainerIsObject(item->val.binary.data))
			bad_spec("a column must be an object");
		read_column(&domain->column[i], item->val.binary.data, types ? &types[i] : NULL);
		for (int j = 0; j < i; j++)
			if (strcmp(domain->column[j].name, domain->column[i].name) == 0)
				bad_spec("a column is named twice");
	}
}

static JsonbContainer *
list_in_zeros(const JsonbValue *value)
{
	if (value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data))
		bad_spec("\"forbidden\" must hold lists");
	return value->val.binary.data;
}

static void
read_zeros(PegsDomain *domain, const JsonbValue *value)
{
	JsonbContainer *zeros;
	uint64		flags = 0;

	if (value->type == jbvNull)
		return;
	zeros = list_in_zeros(value);
	if (JsonContainerSize(zeros) > MAX_ZEROS)
		bad_spec("too many combinations are forbidden");
	domain->zeros = palloc0(sizeof(pegs_zero) * (JsonContainerSize(zeros) + 1));
	for (uint32 r = 0; r < JsonContainerSize(zeros); r++)
	{
		JsonbContainer *columns = list_in_zeros(getIthJsonbValueFromContainer(zeros, r));
		pegs_zero  *zero = &domain->zeros[domain->nzeros++];

		CHECK_FOR_INTERRUPTS();
		if (JsonContainerSize(columns) < 1 || JsonContainerSize(columns) > PEGS_ZERO_COLUMNS)
			bad_spec("a forbidden combination has too few or too many columns");
		for (uint32 x = 0; x < JsonContainerSize(columns); x++)
		{
			JsonbContainer *levels = list_in_zeros(getIthJsonbValueFromContainer(columns, x));
			JsonbValue *name = JsonContainerSize(levels) > 0 ? getIthJsonbValueFromContainer(levels, 0) : NULL;
			int			column = name && name->type == jbvString
				? pegs_domain_find(domain, pnstrdup(name->val.string.val, name->val.string.len)) : -1;

			if (column < 0)
				bad_spec("a forbidden combination names no column");
			flags += pegs_column_levels(&domain->column[column]);
			if (flags > PEGS_MAX_CELLS)
				bad_spec("too many combinations are forbidden");
			zero->column[zero->n] = column;
			zero->level[zero->n] = palloc0(sizeof(bool) * pegs_column_levels(&domain->column[column]));
			for (uint32 l = 1; l < JsonContainerSize(levels); l++)
			{
				JsonbValue *code = getIthJsonbValueFromContainer(levels, l);
				int			level = code->type == jbvNumeric ? pg_strtoint32(pegs_json_scalar(code)) : -1;

				if (level < 0 || level >= pegs_column_levels(&domain->column[column]))
					bad_spec("a forbidden combination has a level that is not declared");
				zero->level[zero->n][level] = true;
			}
			zero->n++;
		}
	}
}

/* Names and texts: an expression is looked at when somebody would run it (expression.c). Its type is one that every server has. */
static void
read_derived(PegsDomain *domain, const JsonbValue *value)
{
	JsonbContainer *list;
	int			place = 0;

	if (value->type == jbvNull)
		return;
	if (value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data) || JsonContainerSize(value->val.binary.data) > MaxAttrNumber)
		bad_spec("\"derived\" must be a list of columns");
	list = value->val.binary.data;
	domain->derived = palloc0(sizeof(PegsDerived) * (JsonContainerSize(list) + 1));
	for (uint32 i = 0; i < JsonContainerSize(list); i++)
	{
		JsonbValue *item = getIthJsonbValueFromContainer(list, i);
		PegsDerived *derived = &domain->derived[domain->nderived];
		PegsColumn	column = {0};
		JsonbValue	at;

		CHECK_FOR_INTERRUPTS();
		if (item->type != jbvBinary || !JsonContainerIsObject(item->val.binary.data))
			bad_spec("a derived column must be an object");
		derived->name = member_text(item->val.binary.data, "name", true);
		if (strlen(derived->name) >= NAMEDATALEN || pegs_domain_find(domain, derived->name) >= 0 || pegs_derived_find(domain, derived->name))
			bad_spec("a name is too long, or a column is named twice");
		read_type(&column, member_text(item->val.binary.data, "type", true), NULL, true);
		derived->type = column.type;
		derived->typmod = column.typmod;
		at = member(item->val.binary.data, "place", true);
		derived->place = at.type == jbvNumeric ? pg_strtoint32(pegs_json_scalar(&at)) : -1;
		if (derived->place < place || derived->place > domain->ncols)
			bad_spec("\"place\" must be a number of columns, and must not fall");
		place = derived->place;
		derived->expression = member_text(item->val.binary.data, "expression", true);
		domain->nderived++;
	}
}

/* Of a model of pairs: columns, each once, in their order. */
static bool *
read_target(const PegsSpec *spec, const JsonbValue *value)
{
	bool	   *target;
	JsonbContainer *list;
	int			last = -1;

	if (value->type == jbvNull)
		return NULL;
	if (spec->tables != PEGS_PAIRS || value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data)
		|| JsonContainerSize(value->val.binary.data) < 1)
		bad_spec("\"target\" must be a list of columns, of a model of pairs");
	list = value->val.binary.data;
	target = palloc0(sizeof(bool) * spec->domain->ncols);
	for (uint32 i = 0; i < JsonContainerSize(list); i++)
	{
		JsonbValue *item = getIthJsonbValueFromContainer(list, i);
		int			column = item->type == jbvString ? pegs_domain_find(spec->domain, pegs_json_scalar(item)) : -1;

		CHECK_FOR_INTERRUPTS();
		if (column <= last)
			bad_spec("\"target\" has what is no column, or not in order");
		target[column] = true;
		last = column;
	}
	return target;
}

#define MAX_HIDDEN 4			/* hidden columns for one that is read: three parts of it, and how much it is after another */
#define MAX_READ 2				/* columns that are read for a hidden one */

static void
refuse_number(int has, int given)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("spec has %d columns, pegs_agg got %d", has, given),
			 errhint("Give the columns of pegs_spec in the same order.")));
}

/* ncols: how many columns there must be, or 0; types: of the columns of a stored model, or NULL */
static PegsSpec *
parse(const char *text, int ncols, int ntypes, const Oid *types)
{
	JsonbValue	forbidden;
	JsonbValue	derived;
	JsonbValue	target;
	Jsonb	   *json = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
	PegsSpec   *spec = palloc0(sizeof(PegsSpec));
	PegsDomain *domain = palloc0(sizeof(PegsDomain));
	char	   *tables;
	char	   *inside;
	JsonbValue	columns;
	JsonbContainer *list;

	if (!JB_ROOT_IS_OBJECT(json))
		bad_spec("not an object");
	tables = member_text(&json->root, "tables", true);
	columns = member(&json->root, "columns", true);
	if (columns.type != jbvBinary || !JsonContainerIsArray(columns.val.binary.data))
		bad_spec("\"columns\" must be a list");
	list = columns.val.binary.data;
	domain->ncols = JsonContainerSize(list);
	if (domain->ncols < 1 || domain->ncols > PEGS_MAX_COLUMNS)
		bad_spec("too few or too many columns");
	/* before a column is looked at */
	if (ncols > 0 && (ncols > MAX_READ * domain->ncols || domain->ncols > MAX_HIDDEN * ncols))
		refuse_number(domain->ncols, ncols);
	if (types && ntypes != domain->ncols)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("a model has %d columns and %d types", domain->ncols, ntypes),
				 errdetail("pegs_internal.model was changed."),
				 errhint("Restore a backup, or drop the model and fit it again.")));
	read_columns(domain, list, types);
	if (pegs_part_problem(domain))
		bad_spec(pegs_part_problem(domain));
	if (ncols > 0 && pegs_physical(domain)->ncols != ncols)
		refuse_number(pegs_physical(domain)->ncols, ncols);
	forbidden = member(&json->root, "forbidden", false);
	read_zeros(domain, &forbidden);
	derived = member(&json->root, "derived", false);
	read_derived(domain, &derived);
	inside = member_text(&json->root, "inside", false);
	if (inside && strcmp(inside, "sloped") != 0)
		bad_spec("\"inside\" is not \"sloped\"");
	spec->sloped = inside != NULL;
	spec->domain = domain;
	if (strcmp(tables, "pairs") == 0)
		spec->tables = PEGS_PAIRS;
	else if (strcmp(tables, "joint") == 0)
		spec->tables = PEGS_JOINT;
	else if (strcmp(tables, "conditional") == 0)
	{
		JsonbValue	tail = member(&json->root, "tail_bits", true);
		char	   *bits = tail.type == jbvNumeric ? pegs_json_scalar(&tail) : "";

		if (strcmp(bits, "0") != 0 && strcmp(bits, "1") != 0)
			bad_spec("\"tail_bits\" must be 0 or 1");
		spec->tables = PEGS_CONDITIONAL;
		spec->tail_bits = bits[0] == '1';
		spec->parent_start = palloc0(sizeof(uint32_t) * (domain->ncols + 1));
		spec->parents = palloc(sizeof(uint16_t) * (domain->ncols * domain->ncols + 1));
		for (int i = 0; i < domain->ncols; i++)
		{
			JsonbValue	value = member(getIthJsonbValueFromContainer(list, i)->val.binary.data, "parents", true);

			if (value.type != jbvBinary || !JsonContainerIsArray(value.val.binary.data))
				pegs_refuse_parents(domain->column[i].name);
			pegs_add_parents(spec, i, value.val.binary.data);
		}
	}
	else
		bad_spec("\"tables\" must be \"pairs\", \"conditional\" or \"joint\"");
	target = member(&json->root, "target", false);
	spec->target = read_target(spec, &target);
	return spec;
}

PegsSpec *
pegs_spec_parse(const char *text)
{
	PegsSpec   *spec = parse(text, 0, 0, NULL);

	spec->text = pegs_spec_text(spec);
	return spec;
}

/* Anybody may give any text: what it can cost is bounded, and can be cancelled. */
PegsSpec *
pegs_spec_given(text *given, int ncols)
{
	PegsSpec   *spec;

	/* the size is known before the value is fetched and unpacked */
	if (toast_raw_datum_size(PointerGetDatum(given)) > MAX_GIVEN_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("spec is too long"),
				 errdetail("At most %d bytes are read.", MAX_GIVEN_BYTES),
				 errhint("Declare fewer levels or wider bins.")));
	spec = parse(text_to_cstring(given), ncols, 0, NULL);
	spec->sloped = false;		/* of a model, from pegs_describe: what is counted by it is the same */
	spec->target = NULL;		/* likewise */
	spec->text = pegs_spec_text(spec);
	return spec;
}

/*
 * The spec of a stored model. Its text stays as it is, byte for byte: it is
 * what its tables were counted by. types NULL: not kept before ALTER EXTENSION
 * UPDATE from 0.2.0, then they are looked up by name.
 */
PegsSpec *
pegs_spec_stored(char *text, int ntypes, const Oid *types)
{
	PegsSpec   *spec = parse(text, 0, ntypes, types);

	spec->text = text;
	return spec;
}
