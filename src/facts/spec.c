/*
 * spec.c
 *	  What is counted: columns, their declared domain, and which tables. Made
 *	  of arguments, and laid out as cells; as text: spec_text.c.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"

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
				 errhint("%s names columns of the model.", pegs_parents_example(domain, NIL))));
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
pegs_refuse_parents(const PegsDomain *domain, const char *child)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the parents of \"%s\" must be a list of columns", child),
			 errhint("For example: %s", pegs_parents_example(domain, NIL))));
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
						 errhint("%s names columns of the model.", pegs_parents_example(spec->domain, NIL))));
		}
	for (int i = 0; i < spec->domain->ncols; i++)
	{
		char	   *child = spec->domain->column[i].name;
		JsonbValue	value;
		JsonbContainer *list = NULL;

		if (getKeyJsonValueFromContainer(&parents->root, child, strlen(child), &value))
		{
			if (value.type != jbvBinary || !JsonContainerIsArray(value.val.binary.data))
				pegs_refuse_parents(spec->domain, child);
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

PegsSpec *
pegs_spec_without_parents(PegsDomain *domain, pegs_tables tables)
{
	if (tables != PEGS_CONDITIONAL)
		return pegs_spec_plain(domain, tables);
	return pegs_spec_conditional(domain, palloc0(sizeof(uint32_t) * (domain->ncols + 1)), palloc0(sizeof(uint16_t)), 0);
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
	char	   *many = isinf(cells) ? "more than 1e308" : psprintf(cells < 1e18 ? "%.0f" : "%.3g", cells);
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
			 spec->tried ? errhint("columns => %s, or methods without %s; or declare fewer levels or wider bins.", pegs_columns_example(domain, 2),
								  quote_literal_cstr(spec->tried))
			 : spec->tables == PEGS_JOINT ? errhint("Name fewer columns, declare fewer levels or wider bins; or method => 'graph'.")
			 : errhint("Declare fewer levels or wider bins, name fewer columns or fewer parents.")));
}

void
pegs_spec_layout(const PegsSpec *spec, const pegs_env *env, pegs_layout *layout)
{
	const PegsDomain *domain = spec->domain;
	uint32_t   *levels = palloc(sizeof(uint32_t) * domain->ncols);
	uint32_t   *bins = env->alloc(env->context, sizeof(uint32_t) * domain->ncols);
	const uint16_t **groups = env->alloc(env->context, sizeof(uint16_t *) * domain->ncols);
	bool	   *ordered = env->alloc(env->context, sizeof(bool) * domain->ncols);
	const uint16_t **scale = env->alloc(env->context, sizeof(uint16_t *) * domain->ncols);
	const double **numbers = spec->numbers ? env->alloc(env->context, sizeof(double *) * domain->ncols) : NULL;
	int32_t    *nulls = env->alloc(env->context, sizeof(int32_t) * domain->ncols);
	double		cells = 0;
	pegs_status status;

	for (int i = 0; i < domain->ncols; i++)
	{
		levels[i] = pegs_column_levels(&domain->column[i]);
		bins[i] = Max(domain->column[i].nedges - 1, 0);
		groups[i] = domain->column[i].group;
		ordered[i] = pegs_is_on_scale(&domain->column[i]);
		nulls[i] = domain->column[i].nullable ? (int32_t) levels[i] - 1 : -1;
		scale[i] = spec->scales ? pegs_places(&domain->column[i], env) : NULL;
		if (numbers)
			numbers[i] = pegs_level_numbers(&domain->column[i], env);
	}
	status = spec->tables != PEGS_CONDITIONAL
		? pegs_layout_plain(env, spec->tables, domain->ncols, levels, layout, &cells)
		: pegs_layout_conditional(env, domain->ncols, levels, spec->parent_start, spec->parents,
								  spec->tail_bits, layout, &cells);
	if (status == PEGS_ERR_TOO_LARGE && spec->later && spec->tables == PEGS_PAIRS)
		status = pegs_layout_later(env, domain->ncols, levels, layout);
	if (status == PEGS_ERR_TOO_LARGE)
		refuse_size(spec, levels, cells);
	if (status != PEGS_OK)
		elog(ERROR, "layout failed with status %d", status);
	layout->bins = bins;
	layout->groups = groups;
	layout->ordered = ordered;
	layout->scale = scale;
	layout->numbers = numbers;
	layout->nulls = nulls;
	layout->target = spec->target;
	layout->settings = spec->settings;
	layout->zeros = (pegs_zeros) {domain->nzeros, domain->zeros};
}
