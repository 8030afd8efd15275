/*
 * spec.c
 *	  What is counted, as canonical text: columns, their declared domain, and
 *	  which tables.
 *
 * Two states can be merged, and a state can be fitted, only if their texts are
 * equal byte for byte. The text is JSON; it holds public facts only:
 *
 *	{"pegs": 1, "tables": "pairs", "columns": [{"name": "age", "type": "integer",
 *	  "edges": ["0", "5", "10"], "null": true}, ...]}
 *	{"pegs": 1, "tables": "conditional", "tail_bits": 0, "columns": [{"name": "sex",
 *	  "type": "character(1)", "levels": ["M", "F"], "null": true, "parents": ["age"]}, ...]}
 *
 * "tables": "joint" is the table of all columns; it has no parents.
 *
 * Columns that are computed from these are "derived": [{"name": "adult", "type": "boolean", "place": 1, "expression": "(age >= 18)"}].
 *
 * A hidden column (codes/part.c) has a "part": {"kind": "hour", "column": "rented", "type": "timestamp without time zone"}.
 *
 * That of a model may end with "inside": "sloped": how its values are drawn; and "target": ["income"]: what they are for.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/json.h"

/* ---- writing ---- */

static void
put_texts(StringInfo out, char **texts, int n)
{
	appendStringInfoChar(out, '[');
	for (int i = 0; i < n; i++)
	{
		if (i % 1000 == 0)
			CHECK_FOR_INTERRUPTS();
		if (i > 0)
			appendStringInfoString(out, ", ");
		escape_json(out, texts[i]);
	}
	appendStringInfoChar(out, ']');
}

static void
put_type(StringInfo out, Oid type, int32 typmod)
{
	appendStringInfoString(out, ", \"type\": ");
	escape_json(out, format_type_extended(type, typmod, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
}

/* "part": what a hidden column is of columns of the table */
static void
put_part(StringInfo out, const PegsPart *part)
{
	appendStringInfo(out, ", \"part\": {\"kind\": \"%s\", \"column\": ", pegs_part_name(part->kind));
	escape_json(out, part->column);
	if (part->earlier)
	{
		appendStringInfoString(out, ", \"earlier\": ");
		escape_json(out, part->earlier);
	}
	put_type(out, part->type, -1);
	if (part->zone)
	{
		appendStringInfoString(out, ", \"zone\": ");
		escape_json(out, part->zone);
	}
	appendStringInfoChar(out, '}');
}

static void
put_column(StringInfo out, const PegsSpec *spec, int i)
{
	const PegsColumn *column = &spec->domain->column[i];

	appendStringInfoString(out, "{\"name\": ");
	escape_json(out, column->name);
	put_type(out, column->type, column->typmod);
	appendStringInfoString(out, column->nedges > 0 ? ", \"edges\": " : ", \"levels\": ");
	if (column->nedges > 0)
		put_texts(out, column->edges, column->nedges);
	else
		put_texts(out, column->labels, column->nlabels);
	if (column->npoints > 0)
	{
		appendStringInfoString(out, ", \"points\": ");
		put_texts(out, column->points, column->npoints);
	}
	if (column->step)
	{
		appendStringInfoString(out, ", \"step\": ");
		escape_json(out, column->step);
	}
	appendStringInfoString(out, column->nullable ? ", \"null\": true" : ", \"null\": false");
	if (column->other >= 0)
	{
		appendStringInfoString(out, ", \"other\": ");
		escape_json(out, column->labels[column->other]);
	}
	if (column->drop || column->nearest)
		appendStringInfo(out, ", \"undeclared\": \"%s\"", column->drop ? "drop" : "nearest");
	if (column->part)
		put_part(out, column->part);
	if (spec->tables == PEGS_CONDITIONAL)
	{
		int			n = spec->parent_start[i + 1] - spec->parent_start[i];
		char	  **names = palloc(sizeof(char *) * (n + 1));

		for (int p = 0; p < n; p++)
			names[p] = spec->domain->column[spec->parents[spec->parent_start[i] + p]].name;
		appendStringInfoString(out, ", \"parents\": ");
		put_texts(out, names, n);
	}
	appendStringInfoChar(out, '}');
}

/* "forbidden": [[["sex", 0], ["mdc", 13, 14]], ...]: columns and the places of their levels */
static void
put_zeros(StringInfo out, const PegsDomain *domain)
{
	for (int r = 0; r < domain->nzeros; r++)
	{
		const pegs_zero *zero = &domain->zeros[r];

		appendStringInfoString(out, r == 0 ? ", \"forbidden\": [[" : ", [");
		for (uint32_t x = 0; x < zero->n; x++)
		{
			const PegsColumn *column = &domain->column[zero->column[x]];

			appendStringInfoString(out, x == 0 ? "[" : ", [");
			escape_json(out, column->name);
			for (int l = 0; l < pegs_column_levels(column); l++)
				if (zero->level[x][l])
					appendStringInfo(out, ", %d", l);
			appendStringInfoChar(out, ']');
		}
		appendStringInfoChar(out, ']');
	}
	appendStringInfoChar(out, ']');
}

/* "derived": what is computed from the columns, and is not counted */
static void
put_derived(StringInfo out, const PegsDomain *domain)
{
	for (int i = 0; i < domain->nderived; i++)
	{
		const PegsDerived *derived = &domain->derived[i];

		appendStringInfoString(out, i == 0 ? ", \"derived\": [{\"name\": " : ", {\"name\": ");
		escape_json(out, derived->name);
		put_type(out, derived->type, derived->typmod);
		appendStringInfo(out, ", \"place\": %d, \"expression\": ", derived->place);
		escape_json(out, derived->expression);
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, ']');
}

/* "target": columns, in their order */
static void
put_target(StringInfo out, const PegsSpec *spec)
{
	char	  **names = palloc(sizeof(char *) * spec->domain->ncols);
	int			n = 0;

	for (int i = 0; i < spec->domain->ncols; i++)
		if (spec->target[i])
			names[n++] = spec->domain->column[i].name;
	appendStringInfoString(out, ", \"target\": ");
	put_texts(out, names, n);
}

/* Types have one name, whatever the session's setting: texts are compared. */
static int
begin_notation(void)
{
	int			notation = NewGUCNestLevel();

	(void) set_config_option("quote_all_identifiers", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return notation;
}

char *
pegs_spec_column_text(const PegsSpec *spec, int i)
{
	StringInfoData out;
	int			notation = begin_notation();

	initStringInfo(&out);
	put_column(&out, spec, i);
	AtEOXact_GUC(false, notation);
	return out.data;
}

char *
pegs_spec_text(const PegsSpec *spec)
{
	StringInfoData out;
	int			notation = begin_notation();

	initStringInfo(&out);
	appendStringInfo(&out, "{\"pegs\": 1, \"tables\": \"%s\"",
					 spec->tables == PEGS_PAIRS ? "pairs" : spec->tables == PEGS_JOINT ? "joint" : "conditional");
	if (spec->tables == PEGS_CONDITIONAL)
		appendStringInfo(&out, ", \"tail_bits\": %u", spec->tail_bits);
	appendStringInfoString(&out, ", \"columns\": [");
	for (int i = 0; i < spec->domain->ncols; i++)
	{
		if (i > 0)
			appendStringInfoString(&out, ", ");
		put_column(&out, spec, i);
	}
	appendStringInfoChar(&out, ']');
	if (spec->domain->nzeros > 0)
		put_zeros(&out, spec->domain);
	if (spec->domain->nderived > 0)
		put_derived(&out, spec->domain);
	if (spec->sloped)
		appendStringInfoString(&out, ", \"inside\": \"sloped\"");
	if (spec->target)
		put_target(&out, spec);
	appendStringInfoChar(&out, '}');
	AtEOXact_GUC(false, notation);
	return out.data;
}

/* ---- parents ---- */

static int
parent_column(const PegsDomain *domain, const JsonbValue *value, const char *child)
{
	char	   *name = pegs_json_scalar(value);
	int			parent = name ? pegs_domain_find(domain, name) : -1;

	if (parent < 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("parent \"%s\" of \"%s\" is not a column of the model", name ? pegs_clipped(name) : "null", child),
				 errhint("parents => '{\"charge\": [\"los\", \"mdc\"]}' names columns of the model.")));
	if (strcmp(name, child) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" cannot be its own parent", child),
				 errhint("Name other columns.")));
	return parent;
}

/* Appends the parents of column i, in the order given. */
void
pegs_add_parents(PegsSpec *spec, int i, JsonbContainer *list)
{
	const char *child = spec->domain->column[i].name;
	uint32_t	begin = spec->parent_start[i];
	uint32_t	end = begin;

	CHECK_FOR_INTERRUPTS();
	for (uint32 k = 0; list && k < JsonContainerSize(list); k++)
	{
		JsonbValue *value = getIthJsonbValueFromContainer(list, k);
		int			parent = parent_column(spec->domain, value, child);

		for (uint32_t p = begin; p < end; p++)
			if (spec->parents[p] == parent)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("parent \"%s\" of \"%s\" is named twice", spec->domain->column[parent].name, child),
						 errhint("Name every parent once.")));
		spec->parents[end++] = (uint16_t) parent;
	}
	spec->parent_start[i + 1] = end;
}

void
pegs_refuse_parents(const char *child)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the parents of \"%s\" must be a list of columns", child),
			 errhint("For example: parents => '{\"charge\": [\"los\", \"mdc\"]}'")));
}

static void
read_parents(PegsSpec *spec, Jsonb *parents)
{
	JsonbIterator *it = JsonbIteratorInit(&parents->root);
	JsonbValue	key;
	JsonbIteratorToken token;

	/* every key must be a column */
	while ((token = JsonbIteratorNext(&it, &key, true)) != WJB_DONE)
		if (token == WJB_KEY)
		{
			char	   *name = pnstrdup(key.val.string.val, key.val.string.len);

			if (pegs_domain_find(spec->domain, name) < 0)
				ereport(ERROR,
						(errcode(ERRCODE_UNDEFINED_COLUMN),
						 errmsg("parents are given for \"%s\", which is not a column of the model", pegs_clipped(name)),
						 errhint("parents => '{\"charge\": [\"los\", \"mdc\"]}' names columns of the model.")));
		}
	for (int i = 0; i < spec->domain->ncols; i++)
	{
		char	   *child = spec->domain->column[i].name;
		JsonbValue	value;
		JsonbContainer *list = NULL;

		if (getKeyJsonValueFromContainer(&parents->root, child, strlen(child), &value))
		{
			if (value.type != jbvBinary || !JsonContainerIsArray(value.val.binary.data))
				pegs_refuse_parents(child);
			list = value.val.binary.data;
		}
		pegs_add_parents(spec, i, list);
	}
}

PegsSpec *
pegs_spec_plain(PegsDomain *domain, pegs_tables tables)
{
	PegsSpec   *spec = palloc0(sizeof(PegsSpec));

	spec->domain = domain;
	spec->tables = tables;
	spec->text = pegs_spec_text(spec);
	return spec;
}

PegsSpec *
pegs_spec_make(PegsDomain *domain, Jsonb *parents, int tail_bits)
{
	PegsSpec   *spec = palloc0(sizeof(PegsSpec));

	if (parents == NULL)
		return pegs_spec_plain(domain, PEGS_PAIRS);
	spec->domain = domain;
	spec->tables = PEGS_CONDITIONAL;
	spec->tail_bits = tail_bits;
	spec->parent_start = palloc0(sizeof(uint32_t) * (domain->ncols + 1));
	spec->parents = palloc(sizeof(uint16_t) * (domain->ncols * domain->ncols + 1));
	read_parents(spec, parents);
	spec->text = pegs_spec_text(spec);
	return spec;
}

PegsSpec *
pegs_spec_conditional(PegsDomain *domain, uint32_t *parent_start, uint16_t *parents, int tail_bits)
{
	PegsSpec   *spec = palloc0(sizeof(PegsSpec));

	spec->domain = domain;
	spec->tables = PEGS_CONDITIONAL;
	spec->tail_bits = tail_bits;
	spec->parent_start = parent_start;
	spec->parents = parents;
	spec->text = pegs_spec_text(spec);
	return spec;
}

/* ---- reading ---- */

#define FACTORS_TOLD 20			/* columns that an error names */

/* "sex (3) x age (21)": of a table of all columns, and of no more columns than somebody reads. */
static char *
product_words(const PegsDomain *domain, const uint32_t *levels)
{
	StringInfoData words;

	initStringInfo(&words);
	for (int i = 0; i < Min(domain->ncols, FACTORS_TOLD); i++)
		appendStringInfo(&words, "%s%s (%u)", i > 0 ? " x " : "", domain->column[i].name, levels[i]);
	if (domain->ncols > FACTORS_TOLD)
		appendStringInfo(&words, " x %d more", domain->ncols - FACTORS_TOLD);
	return words.data;
}

static void
refuse_size(const PegsSpec *spec, const uint32_t *levels, double cells)
{
	const PegsDomain *domain = spec->domain;
	char	   *many = psprintf(cells < 1e18 ? "%.0f" : "%.3g", cells);
	char	   *arithmetic;

	if (spec->tables == PEGS_JOINT)
		arithmetic = psprintf("The table of all columns, %s, has %s cells", product_words(domain, levels), many);
	else if (spec->tables == PEGS_PAIRS)
		arithmetic = psprintf("All single columns and pairs of %d columns have %s cells", domain->ncols, many);
	else
		arithmetic = psprintf("Levels times parents' levels, added over %d columns, are %s cells", domain->ncols, many);
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("the declared domain is too large to count"),
			 errdetail("%s; at most " UINT64_FORMAT " are kept.", arithmetic, PEGS_MAX_CELLS),
			 spec->tables == PEGS_JOINT ? errhint("Name fewer columns, declare fewer levels or wider bins; or method => 'graph'.")
			 : errhint("Declare fewer levels or wider bins, name fewer columns or fewer parents.")));
}

void
pegs_spec_layout(const PegsSpec *spec, const pegs_env *env, pegs_layout *layout)
{
	const PegsDomain *domain = spec->domain;
	uint32_t   *levels = palloc(sizeof(uint32_t) * domain->ncols);
	uint32_t   *bins = env->alloc(env->context, sizeof(uint32_t) * domain->ncols);
	const uint16_t **groups = env->alloc(env->context, sizeof(uint16_t *) * domain->ncols);
	double		cells = 0;
	pegs_status status;

	for (int i = 0; i < domain->ncols; i++)
	{
		levels[i] = pegs_column_levels(&domain->column[i]);
		bins[i] = Max(domain->column[i].nedges - 1, 0);
		groups[i] = domain->column[i].group;
	}
	status = spec->tables != PEGS_CONDITIONAL
		? pegs_layout_plain(env, spec->tables, domain->ncols, levels, layout, &cells)
		: pegs_layout_conditional(env, domain->ncols, levels, spec->parent_start, spec->parents,
								  spec->tail_bits, layout, &cells);
	if (status == PEGS_ERR_TOO_LARGE)
		refuse_size(spec, levels, cells);
	if (status != PEGS_OK)
		elog(ERROR, "layout failed with status %d", status);
	layout->bins = bins;
	layout->groups = groups;
	layout->target = spec->target;
	layout->zeros = (pegs_zeros) {domain->nzeros, domain->zeros};
}
