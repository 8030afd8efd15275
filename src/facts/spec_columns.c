/*
 * spec_columns.c
 *	  Columns of a spec, read: their types and domains, what is forbidden of
 *	  them, what is computed from them.
 */
#include "facts/spec_read.h"
#include "codes/codes.h"

#include "access/transam.h"
#include "miscadmin.h"
#include "parser/parse_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#define MAX_TYPE_BYTES 1024	/* of a type's name */
#define MAX_ZEROS 65535
#define MAX_NAMES_BYTES 8192	/* of columns of a lookup table, for a person */

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
		pegs_bad_spec("the name of a type is too long");
	if (stored && (!OidIsValid(*stored) || *stored >= FirstGenbkiObjectId))
	{
		column->type = get_typtype(*stored) == TYPTYPE_ENUM ? *stored : InvalidOid;
		column->typmod = -1;
		return;
	}
	parseTypeString(name, &column->type, &column->typmod, false);
	if (computed && column->type >= FirstGenbkiObjectId)
		pegs_bad_spec("a derived column has a type that not every server has");
	if (computed ? !pegs_is_expression_type(column->type) : !pegs_type_supported(column->type))
		pegs_bad_spec(psprintf("type %s is not supported", format_type_be(column->type)));
}

/* A whole number, as this writes it. */
static uint32
read_weight(const JsonbValue *value)
{
	char	   *text = value && value->type == jbvNumeric ? pegs_json_scalar(value) : "";
	uint64		weight = strlen(text) <= 10 ? strtoull(text, NULL, 10) : PG_UINT64_MAX;

	if (*text == '\0' || strspn(text, "0123456789") != strlen(text) || weight > PG_UINT32_MAX)
		pegs_bad_spec("a weight is not a whole number below 2^32");
	return (uint32) weight;
}

/* What each key weighs, if keys are drawn so: a list for each level, as of the keys. */
static void
read_weights(JsonbContainer *object, PegsVia *via)
{
	JsonbValue	value = pegs_member(object, "weights", false);
	JsonbContainer *lists = value.type == jbvBinary && JsonContainerIsArray(value.val.binary.data) ? value.val.binary.data : NULL;
	JsonbContainer *weights = NULL;
	uint64		sum = 0;
	uint32		at = 0;			/* of its level */

	via->by = pegs_member_text(object, "weight", false);
	if (value.type == jbvNull && via->by == NULL)
		return;
	if (lists == NULL || via->by == NULL || strlen(via->by) >= NAMEDATALEN || JsonContainerSize(lists) != (uint32) via->level[via->n - 1] + 1)
		pegs_bad_spec("\"weights\" must hold a list for each level, and \"weight\" say of which column they are");
	via->weight = palloc(sizeof(uint32) * via->n);
	for (int i = 0; i < via->n; i++, at++)
	{
		bool		last = i + 1 == via->n || via->level[i + 1] != via->level[i];

		CHECK_FOR_INTERRUPTS();
		if (weights == NULL)
		{
			JsonbValue *item = getIthJsonbValueFromContainer(lists, via->level[i]);

			weights = item->type == jbvBinary && JsonContainerIsArray(item->val.binary.data) ? item->val.binary.data : NULL;
			at = 0;
			sum = 0;
		}
		via->weight[i] = read_weight(weights ? getIthJsonbValueFromContainer(weights, at) : NULL);
		sum += via->weight[i];
		if (last && (weights == NULL || JsonContainerSize(weights) != at + 1 || sum < 1 || sum > PG_UINT32_MAX))
			pegs_bad_spec("a level has not one weight for each key, or their sum is 0, or 2^32 or more");
		if (last)
			weights = NULL;
	}
}

/* Keys of each level, canonical, each once; that there are as many lists as levels is looked at with the column. */
static const PegsVia *
read_via(JsonbContainer *object, Oid type)
{
	PegsVia    *via = palloc0(sizeof(PegsVia));
	JsonbValue	value = pegs_member(object, "keys", true);
	JsonbContainer *lists;

	via->names = pegs_member_text(object, "of", true);
	if (value.type != jbvBinary || !JsonContainerIsArray(value.val.binary.data))
		pegs_bad_spec("\"keys\" must hold a list for each level");
	lists = value.val.binary.data;
	if (strlen(via->names) > MAX_NAMES_BYTES || JsonContainerSize(lists) < 1 || JsonContainerSize(lists) >= PEGS_MAX_LEVELS)
		pegs_bad_spec("there are too few or too many lists of keys, or names of columns");
	via->key = palloc(sizeof(char *) * PEGS_MAX_KEYS);
	via->level = palloc(sizeof(uint16) * PEGS_MAX_KEYS);
	for (uint32 l = 0; l < JsonContainerSize(lists); l++)
	{
		JsonbValue *item = getIthJsonbValueFromContainer(lists, l);
		JsonbContainer *keys = item->type == jbvBinary && JsonContainerIsArray(item->val.binary.data) ? item->val.binary.data : NULL;

		if (keys == NULL || JsonContainerSize(keys) < 1 || JsonContainerSize(keys) > (uint32) (PEGS_MAX_KEYS - via->n))
			pegs_bad_spec("a level has no key, or there are too many");
		for (uint32 k = 0; k < JsonContainerSize(keys); k++)
		{
			JsonbValue *key = getIthJsonbValueFromContainer(keys, k);
			char	   *text = key->type == jbvString ? pnstrdup(key->val.string.val, key->val.string.len) : NULL;
			char	   *canonical = text ? pegs_try_canonical(type, -1, text) : NULL;

			CHECK_FOR_INTERRUPTS();
			if (canonical == NULL || strcmp(canonical, text) != 0)
				pegs_bad_spec("a key is not a value of its type");
			via->key[via->n] = text;
			via->level[via->n++] = (uint16) l;
		}
	}
	if (pegs_twice(via->key, via->n))
		pegs_bad_spec("a key is there twice");
	read_weights(object, via);
	return via;
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
		pegs_bad_spec("a \"part\" must be an object");
	object = value->val.binary.data;
	part = palloc0(sizeof(PegsPart));
	if (!pegs_part_kind(pegs_member_text(object, "kind", true), &part->kind))
		pegs_bad_spec("a part is of a kind that is not known");
	part->column = pegs_member_text(object, "column", true);
	part->earlier = pegs_member_text(object, "earlier", false);
	part->zone = pegs_member_text(object, "zone", false);
	if (strlen(part->column) >= NAMEDATALEN || (part->earlier && strlen(part->earlier) >= NAMEDATALEN)
		|| (part->zone && (strlen(part->zone) > TZ_STRLEN_MAX || pg_tzset(part->zone) == NULL)))
		pegs_bad_spec("a name is too long, or a time zone is not known here");
	read_type(&column, pegs_member_text(object, "type", true), NULL, false);
	part->type = column.type;
	if (part->kind == PEGS_VIA && pegs_has_via(part->type))
		part->via = read_via(object, part->type);
	return part;
}

static void
read_column(PegsColumn *column, JsonbContainer *object, const Oid *stored)
{
	char	   *other = pegs_member_text(object, "other", false);
	char	   *undeclared = pegs_member_text(object, "undeclared", false);
	JsonbValue	null = pegs_member(object, "null", true);
	JsonbValue	part = pegs_member(object, "part", false);
	const char *problem;

	CHECK_FOR_INTERRUPTS();
	column->name = pegs_member_text(object, "name", true);
	if (strlen(column->name) >= NAMEDATALEN)
		pegs_bad_spec("a name is too long");
	read_type(column, pegs_member_text(object, "type", true), stored, false);
	column->edges = pegs_member_texts(object, "edges", &column->nedges);
	column->labels = pegs_member_texts(object, "levels", &column->nlabels);
	if (column->edges && (column->nedges < 2 || column->nlabels > 0 || !pegs_type_has_bins(column->type)))
		pegs_bad_spec("a column has edges that are not bins");
	column->points = pegs_member_texts(object, "points", &column->npoints);
	column->step = pegs_member_text(object, "step", false);
	if ((column->points || column->step) && column->nedges == 0)
		pegs_bad_spec("a column has points or a step, and no bins");
	if (column->nedges > 0 && (problem = pegs_bins_problem(column)) != NULL)
		pegs_bad_spec(problem);
	if (null.type != jbvBool)
		pegs_bad_spec("\"null\" must be true or false");
	column->nullable = null.val.boolean;
	column->drop = undeclared && strcmp(undeclared, "drop") == 0;
	column->nearest = undeclared && strcmp(undeclared, "nearest") == 0;
	if (undeclared && (!(column->drop || (column->nearest && column->nedges > 0)) || other))
		pegs_bad_spec("\"undeclared\" is not \"drop\", nor \"nearest\" of bins, or there is an \"other\"");
	column->part = read_part(&part);
	if (column->part && column->part->via && column->part->via->level[column->part->via->n - 1] + 1 != column->nlabels)
		pegs_bad_spec("there is not one list of keys for each level");
	column->other = -1;
	for (int i = 0; other && i < column->nlabels; i++)
		if (strcmp(column->labels[i], other) == 0)
			column->other = i;
	if ((other && column->other < 0) || pegs_column_levels(column) < 1
		|| pegs_column_levels(column) > PEGS_MAX_LEVELS)
		pegs_bad_spec("a column has no level, too many, or an \"other\" that is not one of them");
}

void
pegs_spec_columns(PegsDomain *domain, JsonbContainer *list, const Oid *types)
{
	domain->column = palloc0(sizeof(PegsColumn) * domain->ncols);
	for (int i = 0; i < domain->ncols; i++)
	{
		JsonbValue *item = getIthJsonbValueFromContainer(list, i);

		if (item->type != jbvBinary || !JsonContainerIsObject(item->val.binary.data))
			pegs_bad_spec("a column must be an object");
		read_column(&domain->column[i], item->val.binary.data, types ? &types[i] : NULL);
		for (int j = 0; j < i; j++)
			if (strcmp(domain->column[j].name, domain->column[i].name) == 0)
				pegs_bad_spec("a column is named twice");
	}
}

static JsonbContainer *
list_in_zeros(const JsonbValue *value)
{
	if (value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data))
		pegs_bad_spec("\"forbidden\" must hold lists");
	return value->val.binary.data;
}

void
pegs_spec_zeros(PegsDomain *domain, const JsonbValue *value)
{
	JsonbContainer *zeros;
	uint64		flags = 0;

	if (value->type == jbvNull)
		return;
	zeros = list_in_zeros(value);
	if (JsonContainerSize(zeros) > MAX_ZEROS)
		pegs_bad_spec("too many combinations are forbidden");
	domain->zeros = palloc0(sizeof(pegs_zero) * (JsonContainerSize(zeros) + 1));
	for (uint32 r = 0; r < JsonContainerSize(zeros); r++)
	{
		JsonbContainer *columns = list_in_zeros(getIthJsonbValueFromContainer(zeros, r));
		pegs_zero  *zero = &domain->zeros[domain->nzeros++];

		CHECK_FOR_INTERRUPTS();
		if (JsonContainerSize(columns) < 1 || JsonContainerSize(columns) > PEGS_ZERO_COLUMNS)
			pegs_bad_spec("a forbidden combination has too few or too many columns");
		for (uint32 x = 0; x < JsonContainerSize(columns); x++)
		{
			JsonbContainer *levels = list_in_zeros(getIthJsonbValueFromContainer(columns, x));
			JsonbValue *name = JsonContainerSize(levels) > 0 ? getIthJsonbValueFromContainer(levels, 0) : NULL;
			int			column = name && name->type == jbvString
				? pegs_domain_find(domain, pnstrdup(name->val.string.val, name->val.string.len)) : -1;

			if (column < 0)
				pegs_bad_spec("a forbidden combination names no column");
			flags += pegs_column_levels(&domain->column[column]);
			if (flags > PEGS_MAX_CELLS)
				pegs_bad_spec("too many combinations are forbidden");
			zero->column[zero->n] = column;
			zero->level[zero->n] = palloc0(sizeof(bool) * pegs_column_levels(&domain->column[column]));
			for (uint32 l = 1; l < JsonContainerSize(levels); l++)
			{
				JsonbValue *code = getIthJsonbValueFromContainer(levels, l);
				int			level = code->type == jbvNumeric ? pg_strtoint32(pegs_json_scalar(code)) : -1;

				if (level < 0 || level >= pegs_column_levels(&domain->column[column]))
					pegs_bad_spec("a forbidden combination has a level that is not declared");
				zero->level[zero->n][level] = true;
			}
			zero->n++;
		}
	}
}

/* Names and texts: an expression is looked at when somebody would run it (expression.c). Its type is one that every server has. */
void
pegs_spec_derived(PegsDomain *domain, const JsonbValue *value)
{
	JsonbContainer *list;
	int			place = 0;

	if (value->type == jbvNull)
		return;
	if (value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data) || JsonContainerSize(value->val.binary.data) > MaxAttrNumber)
		pegs_bad_spec("\"derived\" must be a list of columns");
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
			pegs_bad_spec("a derived column must be an object");
		derived->name = pegs_member_text(item->val.binary.data, "name", true);
		if (strlen(derived->name) >= NAMEDATALEN || pegs_domain_find(domain, derived->name) >= 0 || pegs_derived_find(domain, derived->name))
			pegs_bad_spec("a name is too long, or a column is named twice");
		read_type(&column, pegs_member_text(item->val.binary.data, "type", true), NULL, true);
		derived->type = column.type;
		derived->typmod = column.typmod;
		at = pegs_member(item->val.binary.data, "place", true);
		derived->place = at.type == jbvNumeric ? pg_strtoint32(pegs_json_scalar(&at)) : -1;
		if (derived->place < place || derived->place > domain->ncols)
			pegs_bad_spec("\"place\" must be a number of columns, and must not fall");
		place = derived->place;
		derived->expression = pegs_member_text(item->val.binary.data, "expression", true);
		domain->nderived++;
	}
}
