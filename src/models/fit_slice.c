/*
 * fit_slice.c
 *	  A slice of a table, fitted as pegs_fit or pegs_refit would fit the whole.
 *
 * The first slice of a name is fitted as by pegs_fit, each of the others as by
 * pegs_refit: it takes the name, and the one before stays. It is paid for
 * already (pegs_set_slices). It must never draw noise before its slice is used
 * up, durably: PegsSliceFit.use_up, between the rows and the noise. Claim P21.
 */
#include "models/fit.h"

#include "utils/builtins.h"

/* By the caller's right to it, and alone until this transaction ends. */
PegsModel *
pegs_model_of_slices(const char *name)
{
	PegsObject	object;

	return pegs_find_object(name, &object) ? pegs_model_to_refit(name, true) : NULL;
}

/* Of what is paid for before it is fitted: its rows are all it needs. */
static bool
fits_slices(const pegs_method *method)
{
	return method->payment == PEGS_PAID_AT_FIT && !pegs_has_parents(method) && method->scorer == NULL;
}

const pegs_method *
pegs_slice_method(const char *name)
{
	const pegs_method *method = pegs_method_named(name ? name : "graph");

	if (method == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there is no method \"%s\"", name),
				 errhint("method is one of %s; left out: 'graph'.", pegs_methods_that(fits_slices))));
	if (!fits_slices(method))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("slices cannot be fitted with method \"%s\"", name),
				 errdetail("They are paid for before they are fitted, and need nothing but their rows."),
				 errhint("method is one of %s; left out: 'graph'.", pegs_methods_that(fits_slices))));
	return method;
}

static bool
same_names(List *a, List *b)
{
	ListCell   *cell;

	foreach(cell, a)
		if (!pegs_has_name(b, lfirst(cell)))
			return false;
	return list_length(a) == list_length(b);
}

/* Those of the slices before; a prior by what is in its table now. */
static bool
same_options(const PegsSliceFit *what)
{
	const PegsSpec *spec = what->before->spec;
	const char *own = pegs_counted_prior(what->method, spec->domain, what->source, what->options.own);

	return strcmp(own, spec->own ? spec->own : "") == 0;
}

/* A slice is fitted once: one by another method than was asked for could not be had back. */
void
pegs_require_same_method(const PegsSliceFit *what, const char *name)
{
	if (name && what->method != what->before->method)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" is of method \"%s\"", what->name, what->before->method->name),
				 errdetail("All slices have that of the first. Nothing was used up."),
				 errhint("Leave method out.")));
}

void
pegs_check_slice_columns(const PegsSliceFit *what)
{
	if (pegs_has_name(what->columns, what->slice.column))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" is that of the slices: a model of one does not have it", what->slice.column),
				 errdetail("Rows that are drawn have it all the same: a value of their slice."),
				 errhint("Leave it out of columns.")));
	if (what->before && what->columns && !same_names(what->columns, pegs_columns_named(what->before->spec->domain)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" has other columns", what->name),
				 errdetail("All slices have the columns of the first: %s.", pegs_column_list(what->before->spec->domain)),
				 errhint("Leave columns out.")));
	if (what->before && what->options.target && !same_names(what->options.target, pegs_target_named(what->before->spec)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" has %s", what->name, what->before->spec->target ? "another target" : "no target"),
				 errdetail("All slices have that of the first."),
				 errhint("Leave options out.")));
	if (what->before && what->options.own && !same_options(what))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" has other options", what->name),
				 errdetail("All slices have those of the first."),
				 errhint("Leave options out.")));
	if (what->options.target && !what->method->aims)
		pegs_refuse_target(what->method);
}

/* Structural zeros are of columns that the model has; that of the slices it has not. Told once, before anything is used up. */
static void
say_zeros_not_kept(PegsSliceFit *what, const PegsDomain *domain)
{
	List	   *names = pegs_column_names(domain);
	int			kept = list_length(pegs_zeros_of(what->source, names));

	if (list_length(pegs_zeros_of(what->source, lappend(names, what->slice.column))) > kept)
		ereport(NOTICE,
				(errmsg("forbidden combinations that name column \"%s\" are not kept", what->slice.column),
				 errdetail("It is the column of the slices, and a model of one does not have it."),
				 errhint("Leave out such rows when you read them: pegs_sample_slices(...) AS t(...) WHERE NOT (...);")));
	what->said_zeros = true;
}

/* All that can be wrong of public facts, and an empty table of counts. */
static void
prepare(PegsFit *fit, PegsSliceFit *what)
{
	what->source->range = what->range;
	if (what->before)
		pegs_refit_facts(fit);
	else
	{
		if (what->domain == NULL)
			what->domain = pegs_domain_to_fit(what->source, what->columns, what->slice.column, NULL);
		fit->domain = what->domain;
		fit->spec = pegs_spec_without_parents(fit->domain, what->method->tables);
		fit->spec->target = pegs_target_columns(fit->domain, what->options.target);
		pegs_settle_options(fit->spec, what->method, what->options.own, what->source);
	}
	if (!what->said_zeros)
		say_zeros_not_kept(what, fit->domain);
	pegs_require_possible_row(what->name, fit->domain);
	fit->uncharged = pegs_uncharged(&pegs_work_fit, what->name);
	fit->counter = pegs_counter_of_method(fit->spec, fit->args->method, pegs_uncharged_context(fit->uncharged));
}

static PegsFitArguments
arguments_of(const PegsSliceFit *what)
{
	char	   *own = what->before ? what->before->spec->own : what->options.own;

	return (PegsFitArguments) {.epsilon = what->epsilon, .delta = what->delta, .method = what->method, .own = own};
}

/* Of a set of slices by what each has cost: refused before one of any set is used up, or told. Delta is paid already, and never refused. */
void
pegs_check_slice_price(PegsSliceFit *what, bool tells)
{
	PegsFitArguments args = arguments_of(what);
	PegsFit		fit = {.name = what->name, .before = what->before, .source = what->source, .args = &args, .sliced = what};

	prepare(&fit, what);
	pegs_require_room_for_urns(&args, &fit.counter->layout, fit.source);
	if (tells)
		pegs_say_delta_of_slices(&fit);
}

void
pegs_try_slice(PegsSliceFit *what)
{
	PegsFitArguments args = arguments_of(what);
	PegsFit		fit = {.name = what->name, .before = what->before, .source = what->source, .args = &args, .sliced = what};

	prepare(&fit, what);
	pegs_try_rows(&fit);
}

void
pegs_fit_slice(PegsSliceFit *what)
{
	PegsFitArguments args = arguments_of(what);
	PegsFit		fit = {.name = what->name, .before = what->before, .source = what->source, .args = &args, .counted_by = PEGS_READ_BY_FIT, .sliced = what};

	if (what->use_up == NULL)
		elog(ERROR, "a slice would be fitted without being used up");
	prepare(&fit, what);
	pegs_run_fit(&fit, true);
}
