/*
 * plan.c
 *	  What a fit would be good for, before anything is spent: pegs_plan.
 *
 * From public facts alone: declared columns and levels, the unit, and the number
 * of rows that the caller states; and how many such fits the budget has left. No
 * row is read, no count is looked up, nothing is charged. Law L1.
 */
#include "models/models.h"
#include "budget/budget.h"
#include "read/read.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#define WIDE 4					/* times as wide as the bin before: a last bin that is told about */

/* Percentage points, with two digits that count. */
static char *
points(double share)
{
	return psprintf(fabs(share) < 0.1 ? "%.2g" : "%.0f", 100 * share);
}

/* About so many: two digits that count, rounded down. */
static double
about(double n)
{
	double		unit = n < 100 ? 1 : pow(10, floor(log10(n)) - 1);

	return floor(n / unit) * unit;
}

/* How many times as wide as the one before is the last bin? 0: there is none before. */
static double
width_of_last(const PegsColumn *column)
{
	Datum	   *edge = pegs_edge_values(column);
	int			last = column->nedges - 1;
	double		value[3];

	if (last < 2)
		return 0;
	for (int i = 0; i < 3; i++)
		value[i] = pegs_number_of(column->type, edge[last - 2 + i], false);
	return (value[2] - value[1]) / (value[1] - value[0]);
}

/* As many bins as its values can have: of whole numbers and dates one of each, but the last, which has its end, of two. */
static double
most_bins(const PegsColumn *column)
{
	Datum	   *edge = pegs_edge_values(column);
	bool		whole = column->type == INT2OID || column->type == INT4OID || column->type == INT8OID || column->type == DATEOID;

	return whole ? pegs_number_of(column->type, edge[column->nedges - 1], false) - pegs_number_of(column->type, edge[0], false) : INFINITY;
}

/* What to do about a column's bins, of which so many levels would do, NULL's and points among them. */
static char *
bins_words(const PegsColumn *column, uint32 levels)
{
	int			bins = column->nedges - 1;
	double		there = most_bins(column);
	double		most = about((double) levels - (pegs_column_levels(column) - bins));
	double		wide = width_of_last(column);
	StringInfoData words;

	initStringInfo(&words);
	if (pegs_column_levels(column) < 2)
		appendStringInfo(&words, "%s: one bin says nothing", column->name);
	else if (most < 2)
		appendStringInfo(&words, "%s: too much noise for any bins", column->name);
	else if (most >= bins && there <= bins)
		appendStringInfo(&words, "%s: %d bin%s, of one value each and the last of two", column->name, bins, bins > 1 ? "s" : "");
	else if (most < bins)
		appendStringInfo(&words, "%s: %d bins are too many for this noise, about %.0f would do", column->name, bins, most);
	else
		appendStringInfo(&words, "%s: %d bin%s, and up to about %.0f would do", column->name, bins, bins > 1 ? "s" : "", fmin(most, there));
	if (wide > WIDE)
		appendStringInfo(&words, "; its last bin [%s, %s] is %.0f times as wide as the one before: say where the tail ends, or give it more bins",
						 column->edges[bins - 1], column->edges[bins], wide);
	return words.data;
}

/* What is seen of pairs with the target besides. */
static void
aimed_words(const pegs_forecast *forecast, StringInfo words)
{
	if (!(forecast->aimed <= 1 && forecast->aimed < forecast->least))
		return;
	appendStringInfo(words, forecast->least <= 1 ? ", in the target below %s" : ", but for one of %s points in the target", points(forecast->aimed));
}

/* aimed: there is a target. left: how many such fits the budget has, in words, or NULL. */
static char *
in_words(const pegs_forecast *forecast, bool aimed, const char *left)
{
	double		within = 2 * forecast->oneway;
	StringInfoData words;

	initStringInfo(&words);
	if (!(within < 0.1))
		appendStringInfoString(&words, "a share of 10 % is lost in the noise");
	else
		appendStringInfo(&words, "a share of 10 %% is known to within %s points", points(within));
	if (forecast->least <= 1)
		appendStringInfo(&words, "; between two groups of half the rows a difference below %s points is not likely to be seen", points(forecast->least));
	else if (!isnan(forecast->least))
		appendStringInfoString(&words, "; no difference between two groups of half the rows is likely to be seen");
	if (aimed)
		aimed_words(forecast, &words);
	if (left)
		appendStringInfo(&words, "; %s", left);
	return words.data;
}

/* An array of texts about all binned columns. */
static Datum
all_bins_words(const PegsDomain *domain, const pegs_forecast *forecast)
{
	Datum	   *texts = palloc(sizeof(Datum) * (domain->ncols + 1));
	int			n = 0;

	for (int c = 0; c < domain->ncols; c++)
		if (domain->column[c].nedges > 0)
			texts[n++] = CStringGetTextDatum(bins_words(&domain->column[c], forecast->levels[c]));
	return PointerGetDatum(construct_array(texts, n, TEXTOID, -1, false, TYPALIGN_INT));
}

static void
put_number(Datum *values, bool *nulls, int n, double value)
{
	nulls[n] = !isfinite(value);
	values[n] = Float8GetDatum(value);
}

/* It says before a fit what that will be good for. */
static bool
has_forecast(const pegs_method *method)
{
	return method->forecast;
}

/* As a fit with epsilon would name it; NULL: what such a fit is by where nothing is said. */
static const pegs_method *
method_to_plan(const char *name)
{
	const pegs_method *method = name ? NULL : pegs_method_of_old(false, 0);

	for (int i = 0; name && pegs_methods[i]; i++)
	{
		const pegs_method *m = pegs_methods[i];
		bool		named = strcmp(m->name, name) == 0;

		if (named || (method == NULL && m->payment == PEGS_PAID_AT_FIT && m->family && strcmp(m->family, name) == 0))
			method = m;
	}
	if (method && method->forecast)
		return method;
	ereport(ERROR,
			(errcode(method ? ERRCODE_FEATURE_NOT_SUPPORTED : ERRCODE_INVALID_PARAMETER_VALUE),
			 method ? errmsg("what a fit of method \"%s\" is good for cannot be said before it", name) : errmsg("there is no method \"%s\"", name),
			 errhint("method is one of %s. Of a sealed model pegs_cost says it, once it is fitted.", pegs_methods_that(has_forecast))));
}

static void
put_plan(ReturnSetInfo *result, const pegs_method *method, const PegsDomain *domain, const PegsSource *source, double rows, int64 epsilon,
		 int64 delta, bool aimed)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	uint32	   *levels = palloc(sizeof(uint32) * domain->ncols);
	pegs_accountant accountant;
	pegs_forecast forecast;
	PegsBill	bill = {.account = source->account, .epsilon = epsilon, .delta = delta, .action = "fit"};
	Datum		values[8];
	bool		nulls[8] = {false};

	for (int c = 0; c < domain->ncols; c++)
		levels[c] = pegs_column_levels(&domain->column[c]);
	pegs_fit_accountant(&accountant, epsilon, delta, source->rows_per_unit, source->rows_each);
	method->forecast(&env, &accountant, domain->ncols, levels, rows, &forecast);
	pegs_bill_noise(&bill);
	values[0] = Float8GetDatum((double) epsilon / PEGS_EPSILON_UNIT);
	values[1] = Float8GetDatum((double) delta / PEGS_DELTA_UNIT);
	put_number(values, nulls, 2, forecast.oneway);
	put_number(values, nulls, 3, forecast.pair);
	put_number(values, nulls, 4, 200 * forecast.oneway);
	put_number(values, nulls, 5, 100 * forecast.least);
	values[6] = all_bins_words(domain, &forecast);
	values[7] = CStringGetTextDatum(in_words(&forecast, aimed, pegs_calls_left_words(&bill, "fit")));
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * pegs_plan(source regclass, rows bigint, epsilon float8, delta float8, options jsonb, method text)
 * → (epsilon, delta, oneway_sd, pair_sd, share_points, difference_points, bins text[], in_words text)
 *
 * Of a fit of all columns: for three epsilons, and the one given.
 */
PG_FUNCTION_INFO_V1(pegs_plan);
Datum
pegs_plan(PG_FUNCTION_ARGS)
{
	static const int64 usual[] = {PEGS_EPSILON_UNIT / 2, PEGS_EPSILON_UNIT, 3 * PEGS_EPSILON_UNIT};
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "plan a fit of it");
	int64		rows = pegs_arg_count(fcinfo, 1, "rows");
	int64		epsilon = pegs_arg_epsilon(fcinfo, 2, "epsilon");
	int64		delta = pegs_arg_delta(fcinfo, 3, "delta");
	PegsFitOptions options = pegs_fit_options(pegs_arg_object(fcinfo, 4, "options"));
	const pegs_method *method = method_to_plan(PG_ARGISNULL(5) ? NULL : pegs_arg_choice(fcinfo, 5, "method"));
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	PegsDomain *domain;
	PegsSpec	spec = {0};
	int64		hinted;
	char	   *number;
	bool		aimed;

	if (options.target && !method->aims)
		pegs_refuse_target(method);
	pegs_refuse_at_fit(method, &options);
	pegs_check_options(method, options.own);
	pegs_load_unit(source);
	pegs_check_delta(&(PegsFitArguments) {.method = method, .epsilon = epsilon > 0 ? epsilon : PEGS_EPSILON_UNIT, .delta = delta, .own = options.own}, source);
	if (delta == 0 && pegs_is_in_rho(source->account) && (number = pegs_hinted_delta(source->account, &hinted)) != NULL)
		ereport(NOTICE,
				(errmsg("delta was not given, and the budget has some: fits with delta 0 are planned"),
				 errhint("In this account a fit with a tiny delta costs less: delta => %s.", number)));
	source->chosen_by = "";
	domain = pegs_domain_model(pegs_domain_of(source), source, NIL);
	aimed = pegs_target_columns(domain, options.target) != NULL;
	spec.domain = domain;
	pegs_settle_options(&spec, method, options.own, NULL);
	delta = pegs_delta_of_call(source->account, delta);
	for (size_t i = 0; i < lengthof(usual); i++)
	{
		if (epsilon > 0 && epsilon < usual[i])
		{
			put_plan(result, method, domain, source, (double) rows, epsilon, delta, aimed);
			epsilon = 0;
		}
		if (epsilon == usual[i])
			epsilon = 0;
		put_plan(result, method, domain, source, (double) rows, usual[i], delta, aimed);
	}
	if (epsilon > 0)
		put_plan(result, method, domain, source, (double) rows, epsilon, delta, aimed);
	return (Datum) 0;
}
