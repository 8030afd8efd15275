/*
 * regression.c
 *	  Would a regression say the same of the synthetic rows? pegs_regression.
 *
 * Not private: fitted to the confidential rows, without noise. Curators only.
 */
#include "measures/measures.h"
#include "codes/codes.h"
#include "read/read.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "core/compare/regression.h"

/* One row: a coefficient, its errors and what the two tables' have in common. */
static void
put_row(ReturnSetInfo *result, const char *term, const double number[6])
{
	Datum		values[8];
	bool		nulls[8] = {false};

	values[0] = CStringGetTextDatum(term);
	for (int i = 0; i < 6; i++)
	{
		values[i + 1] = Float8GetDatum(number[i]);
		nulls[i + 1] = isnan(number[i]);
	}
	values[7] = CStringGetTextDatum("none");
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Without spaces at both ends; changes the text. */
static char *
trim(char *text)
{
	char	   *end = text + strlen(text);

	while (end > text && end[-1] == ' ')
		*--end = '\0';
	while (*text == ' ')
		text++;
	return text;
}

/* "column = level | level": the column; its levels in *levels. */
static char *
split_target(char *target, List **levels)
{
	char	   *equals = strchr(target, '=');

	*levels = NIL;
	if (equals != NULL)
	{
		char	   *rest = equals + 1;

		*equals = '\0';
		while (rest != NULL)
		{
			char	   *bar = strchr(rest, '|');

			if (bar != NULL)
				*bar++ = '\0';
			*levels = lappend(*levels, trim(rest));
			rest = bar;
		}
	}
	return trim(target);
}

/* Which codes of the target are a success; of a boolean column true, if nothing is said. */
static bool *
successes(const PegsSource *source, const PegsColumn *column, List *levels)
{
	bool	   *positive = palloc0(sizeof(bool) * (pegs_column_levels(column) + 1));
	PegsEncoder *encoder = NULL;
	ListCell   *cell;

	if (levels == NIL && column->type == BOOLOID)
		levels = list_make1("true");
	if (levels == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a logistic regression needs the levels of column \"%s\" that are a success", column->name),
				 errhint("target => %s", quote_literal_cstr(psprintf("%s = level", column->name)))));
	foreach(cell, levels)
	{
		JsonbValue	value = {.type = jbvString};
		int			code;

		value.val.string.val = lfirst(cell);
		value.val.string.len = strlen(lfirst(cell));
		code = pegs_code_of_told(column, &encoder, &value, "target");
		if (code < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("\"%s\" is not a declared level of column \"%s\"", (char *) lfirst(cell), column->name),
					 errhint("SELECT pegs_levels(%s, %s);", quote_literal_cstr(source->name), quote_literal_cstr(column->name))));
		positive[code] = true;
	}
	return positive;
}

/* "(intercept)", "age", "sex=M", "charge=[0, 2000)" */
static char *
coefficient_name(const PegsDomain *domain, const pegs_regression_spec *spec, const pegs_regression_name *name)
{
	const PegsColumn *column;
	char	   *level;

	if (name->term < 0)
		return "(intercept)";
	column = &domain->column[spec->terms[name->term].column];
	if (spec->terms[name->term].numeric)
		return column->name;
	level = pegs_level_text(column, (int) name->level);
	return level ? psprintf("%s=%s", column->name, level) : psprintf("%s is null", column->name);
}

static void
need_number(const PegsColumn *column, const char *what)
{
	if (!pegs_is_number(column->type))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s \"%s\" is not a number", what, column->name),
				 errhint("A linear regression has a number for a target; kind => 'logistic' takes levels.")));
}

static pegs_regression_kind
kind_of(const char *kind)
{
	if (strcmp(kind, "linear") == 0)
		return PEGS_REGRESSION_LINEAR;
	if (strcmp(kind, "logistic") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("kind must be 'linear' or 'logistic'"),
				 errhint("kind => 'linear' for a target that is a number, kind => 'logistic' for one of levels")));
	return PEGS_REGRESSION_LOGISTIC;
}

/* The regression's terms, in the order of the domain; numbers[column]: it is a number, not a factor. */
static void
choose_terms(const PegsDomain *domain, List *terms, List *factors, pegs_regression_spec *spec, bool *numbers)
{
	pegs_regression_term *term = palloc(sizeof(pegs_regression_term) * (list_length(terms) + 1));
	ListCell   *cell;

	foreach(cell, terms)
	{
		uint32		c = foreach_current_index(cell);
		bool		factor = false;
		ListCell   *other;

		foreach(other, factors)
			factor |= strcmp(lfirst(other), lfirst(cell)) == 0;
		numbers[c] = pegs_is_number(domain->column[c].type) && !factor;
		term[spec->nterms++] = (pegs_regression_term) {c, numbers[c]};
	}
	foreach(cell, factors)
		if (pegs_domain_find(domain, lfirst(cell)) < 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("\"%s\" is among the factors, but not among the terms", (char *) lfirst(cell)),
					 errhint("Name it in both: terms => ..., factors => ...")));
	spec->terms = term;
}

/* The last column of the domain: a number, or levels that are a success. */
static void
choose_target(const PegsSource *source, const PegsDomain *domain, List *levels, pegs_regression_spec *spec, bool *numbers)
{
	if (spec->kind == PEGS_REGRESSION_LINEAR)
	{
		need_number(&domain->column[spec->target], "the target");
		numbers[spec->target] = true;
	}
	else
		spec->positive = successes(source, &domain->column[spec->target], levels);
}

static void
compare_tables(const pegs_coded *original, const pegs_coded *synthetic, const pegs_regression_spec *spec, pegs_regression_result *r)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_status status = pegs_regression_compare(&env, original, synthetic, spec, r);

	if (status == PEGS_ERR_TOO_LARGE)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the regression has too many coefficients"),
				 errhint("Use fewer terms, or terms with fewer levels.")));
	if (status != PEGS_OK)
		elog(ERROR, "the regression failed: status %d", status);
}

static void
put_regression(ReturnSetInfo *result, const PegsDomain *domain, const pegs_regression_spec *spec, const pegs_regression_result *r)
{
	for (uint32 i = 0; i < r->count; i++)
	{
		double		row[6] = {
			r->original.present[i] ? r->original.coefficient[i] : NAN, r->original.error[i],
			r->synthetic.present[i] ? r->synthetic.coefficient[i] : NAN, r->synthetic.error[i],
			r->distance[i], r->overlap[i]
		};

		put_row(result, coefficient_name(domain, spec, &r->name[i]), row);
	}
	put_row(result, "(rows used)", (double[6]) {(double) r->original.rows, NAN, (double) r->synthetic.rows, NAN, NAN, NAN});
	put_row(result, "(rows left out)", (double[6]) {(double) r->original.left_out, NAN, (double) r->synthetic.left_out, NAN, NAN, NAN});
	put_row(result, "(sum of distances, mean overlap)", (double[6]) {NAN, NAN, NAN, NAN, r->sum, r->mean_overlap});
	put_row(result, "(median distance)", (double[6]) {NAN, NAN, NAN, NAN, r->median, NAN});
	put_row(result, "(exp of minus the squared distance)", (double[6]) {NAN, NAN, NAN, NAN, r->utility, NAN});
}

/*
 * pegs_regression(original regclass, synthetic regclass, kind text, target text, terms name[], factors name[])
 * → (term, original, original_error, synthetic, synthetic_error, distance, overlap, guarantee)
 *
 * A term of a number's type is a number, unless `factors` names it.
 */
PG_FUNCTION_INFO_V1(pegs_regression_sql);
Datum
pegs_regression_sql(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "original"), "fit a regression to it");
	Oid			synthetic = pegs_arg_oid(fcinfo, 1, "synthetic");
	char	   *kind = pegs_arg_text(fcinfo, 2, "kind");
	List	   *levels;
	char	   *target = split_target(pegs_arg_text(fcinfo, 3, "target"), &levels);
	List	   *terms = pegs_arg_names(fcinfo, 4, "terms");
	List	   *factors = pegs_arg_names(fcinfo, 5, "factors");
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	pegs_regression_spec spec = {.kind = kind_of(kind)};
	pegs_regression_result r;
	PegsDomain *domain;
	bool	   *numbers;

	if (terms == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("terms must not be null"),
				 errhint("Name columns: terms => %s", pegs_columns_example(pegs_domain_of(source), 2))));
	source->chosen_by = "terms";
	source->apart = target;
	/* a term twice, or the target among the terms, is an error of pegs_domain_choose */
	domain = pegs_domain_choose(pegs_domain_of(source), source, lappend(list_copy(terms), target));
	spec.target = domain->ncols - 1;
	numbers = palloc0(sizeof(bool) * domain->ncols);
	choose_terms(domain, terms, factors, &spec, numbers);
	choose_target(source, domain, levels, &spec, numbers);
	compare_tables(pegs_coded_original(source, domain, numbers, true), pegs_coded_relation(synthetic, domain, numbers), &spec, &r);
	put_regression(result, domain, &spec, &r);
	PG_RETURN_NULL();
}
