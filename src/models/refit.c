/*
 * refit.c
 *	  A model fitted anew from its source, under the same name.
 *
 * It is a fit like any other, and charged like one: Claims P5, P6. The new fit
 * is a row and a body of its own. It takes the name from the one before, and
 * is the same model to whoever was granted it: grants, their limits and what
 * was stored by them are kept under the id of the first fit (object.c), so
 * nothing of them moves and what is taken back is gone for every reader, also
 * for one whose snapshot shows the fit before. That one stays without a name
 * as long as a release was drawn from it (drop.c).
 *
 * All of it is this transaction's: others read the fit before until it
 * commits, and after an error. It must never change what a reader has agreed
 * to: same columns, levels, types, unit and method, or nothing is charged.
 */
#include "models/beside.h"
#include "models/fit.h"
#include "budget/budget.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

/* ---- which models ---- */

/* Names in a list that has some already. */
static void
add_name(StringInfo list, const char *name)
{
	appendStringInfo(list, "%s\"%s\"", list->len > 0 ? ", " : "", name);
}

static void
refuse_release(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 errmsg("\"%s\" is a release: its rows stay the same for ever", name),
			 errhint("Fit its model anew (SELECT name, model FROM pegs_releases;), then make another release.")));
}

/* A slice is fitted once: the next one takes its place, and is paid for already. */
static void
require_slices(const PegsModel *model, bool of_slices)
{
	const char *name = model->name;

	if (model->slice && !of_slices)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("model \"%s\" is of slices: each is fitted once", name),
				 errdetail("Nothing was charged."),
				 OidIsValid(model->source) ? errhint("SELECT pegs_fit_slices(%s, %s); fits those that are complete since.", quote_literal_cstr(name),
													 pegs_relation_literal(model->source)) : 0));
	if (model->slice == NULL && of_slices)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("model \"%s\" is not of slices", name),
				 errhint("Choose another name; or, to fit it anew for another charge: SELECT pegs_refit(%s);", quote_literal_cstr(name))));
}

/* Only what pegs_fit has read itself, and paid for with epsilon, can be made in the same way again. */
static void
require_fitted_here(const PegsModel *model)
{
	const char *name = model->name;

	if (model->method->payment == PEGS_NOT_PRIVATE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("model \"%s\" has no guarantee: there is nothing that a fit anew would keep", name),
				 errdetail("Its owner alone may read it. Nothing was charged."),
				 errhint("SELECT pegs_drop(%s); and fit it again: that costs nothing.", quote_literal_cstr(name))));
	if (pegs_is_sealed(model))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("model \"%s\" is sealed: it is not fitted anew under its grants", name),
				 errdetail("It keeps %s, and what was spent of its grants was spent on those. Nothing was charged.", pegs_kept_words(model->method)),
				 errhint("SELECT pegs_drop(%s); and fit it again: that costs nothing, unless parents are chosen, and its grants are given anew.",
						 quote_literal_cstr(name))));
	if (model->method->of_a_model)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("score \"%s\" was made of %s: there is nothing to be fitted anew", name, model->counted_by),
				 errdetail("Nothing was charged."),
				 errhint("SELECT pegs_drop(%s); and pegs_score_fit_of again: it is free.", quote_literal_cstr(name))));
	if (OidIsValid(model->source) && !pegs_is_read_here(model))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" was fitted to a state", name),
				 errdetail("Its counts were %s: which rows it stands for is not known here. Nothing was charged.", model->counted_by),
				 errhint("SELECT pegs_drop(%s); and pegs_fit_state with a new state.", quote_literal_cstr(name))));
}

/* ---- what must be as it was ---- */

/* The statement that makes a model of these columns as they are now. */
static char *
fit_call(const PegsModel *model, int64 epsilon, int64 delta)
{
	StringInfoData call;
	const char *separator = "ARRAY[";
	ListCell   *cell;

	initStringInfo(&call);
	appendStringInfo(&call, "SELECT pegs_drop(%s); SELECT pegs_fit(%s, %s, ", quote_literal_cstr(model->name), quote_literal_cstr(model->name),
					 pegs_relation_literal(model->source));
	foreach(cell, pegs_columns_named(model->spec->domain))
	{
		appendStringInfo(&call, "%s%s", separator, quote_literal_cstr(lfirst(cell)));
		separator = ", ";
	}
	appendStringInfo(&call, "], epsilon => %s, delta => %s%s%s);", pegs_units_text(epsilon, 9), pegs_units_text(delta, 18),
					 pegs_method_argument(model->method), pegs_options_argument(model->spec, NIL));
	return call.data;
}

/*
 * What goes on with the slices that are left, whose model cannot go on: of its
 * columns those that there are (`all`; NULL: all). They are paid for, and a
 * second model of them is refused, so this one is dropped before.
 */
static char *
slices_calls(const PegsFit *fit, const PegsDomain *all)
{
	const char *name = quote_literal_cstr(fit->name);
	List	   *left = NIL;
	ListCell   *cell;

	foreach(cell, pegs_columns_named(fit->before->spec->domain))
		if (all == NULL || pegs_domain_find(all, lfirst(cell)) >= 0)
			left = lappend(left, lfirst(cell));
	return psprintf("SELECT pegs_drop(%s); SELECT pegs_fit_slices(%s, %s%s%s%s);", name, name, pegs_relation_literal(fit->source->relid), pegs_columns_argument(left),
					pegs_method_argument(fit->before->method), left ? pegs_options_argument(fit->before->spec, left) : "");
}

/* A table that has the place of another one, has other slices, too. */
static void
refuse_other_table(const PegsFit *fit)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("model \"%s\" is of slices of another table", fit->name),
			 errdetail("Nothing was used up."),
			 errhint("Choose another name: SELECT pegs_fit_slices(%s, %s);", quote_literal_cstr(psprintf("%s of another table", fit->name)),
					 pegs_relation_literal(fit->source->relid))));
}

static void
refuse_changed(const PegsFit *fit, const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("model \"%s\" cannot be fitted anew: changed since it was fitted: %s", fit->name, what),
			 errdetail("Who reads it counts on the rows that it had: types, levels, bins, what is declared of them. Nothing was charged."),
			 fit->before->slice
			 ? errhint("Put that back; or drop the model with all its slices, and fit those that are left: %s", slices_calls(fit, NULL))
			 : errhint("Put that back; or make another model, and grant it again: %s", fit_call(fit->before, fit->args->epsilon, fit->args->delta))));
}

/* A type that was dropped: its column may be there again, of another type. */
static void
require_types(const PegsFit *fit, const PegsDomain *all)
{
	const PegsDomain *was = fit->before->spec->domain;
	StringInfoData gone;

	initStringInfo(&gone);
	for (int i = 0; i < was->ncols; i++)
		if (!OidIsValid(was->column[i].type))
			add_name(&gone, was->column[i].name);
	if (gone.len > 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("model \"%s\" cannot be fitted anew: the type that %s had was dropped", fit->name, gone.data),
				 errdetail("Nothing was charged."),
				 fit->before->slice
				 ? errhint("Drop the model with all its slices, and fit those that are left: %s", slices_calls(fit, all))
				 : errhint("Make another model of the columns that there are, and grant that: SELECT pegs_fit(%s, %s, epsilon => %s, delta => %s%s%s);",
						 quote_literal_cstr(psprintf("%s of other types", fit->name)), pegs_relation_literal(fit->before->source),
						 pegs_units_text(fit->args->epsilon, 9), pegs_units_text(fit->args->delta, 18), pegs_method_argument(fit->before->method),
						 pegs_options_argument(fit->before->spec, NIL))));
}

static bool
is_computed_so(const PegsDerived *was, const PegsDomain *is)
{
	for (int i = 0; i < is->nderived; i++)
	{
		const PegsDerived *now = &is->derived[i];

		if (strcmp(now->name, was->name) == 0)
			return strcmp(now->expression, was->expression) == 0 && now->type == was->type && now->typmod == was->typmod;
	}
	return false;
}

/*
 * Is what would be counted and drawn what it was? By the canonical text, of
 * the types as they are called now. How values lie inside bins is how this
 * version fits: a model of 0.2.0 gets slopes.
 */
static void
require_same_facts(const PegsFit *fit)
{
	PegsSpec	was = *fit->before->spec;
	PegsSpec	is = *fit->spec;
	StringInfoData changed;

	was.sloped = is.sloped = false;
	was.grouped = is.grouped = NULL;	/* a hint: it may be another */
	if (strcmp(pegs_spec_text(&was), pegs_spec_text(&is)) == 0)
		return;
	was.tables = is.tables = PEGS_PAIRS;
	initStringInfo(&changed);
	for (int i = 0; i < was.domain->ncols; i++)
	{
		int			now = pegs_domain_find(is.domain, was.domain->column[i].name);

		if (now < 0 || strcmp(pegs_spec_column_text(&was, i), pegs_spec_column_text(&is, now)) != 0)
			add_name(&changed, was.domain->column[i].name);
	}
	for (int i = 0; i < was.domain->nderived; i++)
		if (!is_computed_so(&was.domain->derived[i], is.domain))
			add_name(&changed, was.domain->derived[i].name);
	if (changed.len == 0)
		appendStringInfoString(&changed, "forbidden combinations");
	refuse_changed(fit, changed.data);
}

static bool
same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static void
require_same_source(const PegsFit *fit)
{
	const PegsModel *before = fit->before;

	if (fit->source->account != before->account && before->slice)
		refuse_other_table(fit);
	if (fit->source->account != before->account)
		refuse_changed(fit, psprintf("the table that %s reads", fit->source->name));
	if (fit->source->rows_per_unit != before->rows_per_unit || fit->source->rows_each != before->rows_each
		|| !same_text(fit->source->unit_column, before->unit_column))
		refuse_changed(fit, before->unit_column && fit->source->unit_column && !same_text(fit->source->unit_column, before->unit_column)
					   ? psprintf("the unit that is protected (\"%s\" then, \"%s\" now)", before->unit_column, fit->source->unit_column) : "the unit that is protected");
}

/* What its certificate says that it does not protect, as a model of several tables: by a key that came, or went. */
static void
require_same_beside(const PegsFit *fit)
{
	char	   *changed = pegs_beside_changed(fit->before, pegs_references_beside(fit->source, fit->domain));

	if (*changed)
		refuse_changed(fit, psprintf("what is not protected (%s)", changed));
}

/* ---- one at a time ---- */

/* The model is ours until this transaction ends. Two that fit it anew do not both pay: the second is told before any work. */
static void
hold_alone(const PegsObject *object, const char *name)
{
	PegsAs		saved;
	PegsArg		row = {INT8OID, Int64GetDatum(object->row), false};
	bool		held;

	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT FROM pegs_internal.model WHERE id = $1 AND name IS NOT NULL FOR NO KEY UPDATE SKIP LOCKED", SPI_OK_SELECT, 1, &row);
	held = SPI_processed == 1;
	pegs_end_as(&saved);
	if (!held)
		ereport(ERROR,
				(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
				 errmsg("model \"%s\" is being changed", name),
				 errdetail("Another session is fitting it anew, granting or dropping it, and has not committed yet. Nothing was charged."),
				 errhint("Try again when that transaction has ended.")));
}

/* The model that is held, if this transaction's snapshot shows it. */
static PegsModel *
held_model(const PegsObject *object, const char *name)
{
	PegsModel  *model = pegs_find_model(name);

	if (model == NULL || model->id != object->row)
		pegs_gone(name);
	pegs_require_method(model);
	return model;
}

/* Rights, and what may be said before a row is read. */
PegsModel *
pegs_model_to_refit(const char *name, bool of_slices)
{
	PegsObject	object = pegs_own_object(name, "fit its models anew", false);
	PegsModel  *model;

	if (object.is_release)
		refuse_release(name);
	pegs_refuse_read_only();
	hold_alone(&object, name);
	model = held_model(&object, name);
	require_slices(model, of_slices);
	require_fitted_here(model);
	return model;
}

/* What is fitted anew, if it is what it was. */
void
pegs_refit_facts(PegsFit *fit)
{
	const PegsModel *before = fit->before;
	const PegsSource *source = fit->source;
	PegsDomain *all;

	require_same_source(fit);
	all = pegs_domain_of(source);
	pegs_require_columns(fit, all, before->slice ? slices_calls(fit, all) : NULL);
	require_types(fit, all);
	fit->domain = pegs_domain_model(all, source, pegs_columns_named(before->spec->domain));
	if (before->domain_cost.epsilon > 0)
		pegs_add_left_out(fit->domain, all);
	if (fit->sliced)
		pegs_add_charges_of(fit->domain, all, fit->sliced->slice.column);
	pegs_load_zeros(fit->domain, source);
	fit->spec = fit->args->method->tables != PEGS_CONDITIONAL ? pegs_spec_plain(fit->domain, fit->args->method->tables)
		: pegs_spec_conditional(fit->domain, before->spec->parent_start, before->spec->parents, before->spec->tail_bits);
	pegs_repeat_target(fit->spec, before->spec);
	pegs_settle_options(fit->spec, fit->args->method, before->spec->own, source);
	require_same_facts(fit);
	require_same_beside(fit);
}

/* Of several tables: each with its declarations as they were. */
static void
refit_schema(PegsFit *fit, PegsFitArguments *args)
{
	PegsRelatives *relatives;

	pegs_require_related_columns(fit);
	relatives = pegs_relatives_as_fitted(fit->before, "fit its models anew", true);
	fit->counted_by = PEGS_READ_BY_FIT_SCHEMA;
	pegs_check_fit_price(args->epsilon, args->delta);
	args->delta = pegs_delta_of_call(relatives->source[0]->account, args->delta);
	pegs_fit_relatives(fit, relatives);
}

/* pegs_refit(name text, epsilon float8, delta float8) → void */
PG_FUNCTION_INFO_V1(pegs_refit);
Datum
pegs_refit(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "name");
	int64		epsilon = pegs_arg_epsilon(fcinfo, 1, "epsilon");
	int64		delta = PG_ARGISNULL(2) ? -1 : pegs_arg_delta(fcinfo, 2, "delta");
	PegsModel  *before = pegs_model_to_refit(name, false);
	PegsFitArguments args = {
		.epsilon = epsilon > 0 ? epsilon : before->epsilon,
		.delta = delta >= 0 ? delta : before->delta,
		.method = before->method,
		.own = before->spec->own
	};
	PegsFit		fit = {.name = name, .before = before, .args = &args, .counted_by = PEGS_READ_BY_FIT};
	PegsSource *source;

	if (before->spec->related)
	{
		refit_schema(&fit, &args);
		PG_RETURN_VOID();
	}
	fit.source = source = pegs_curated_original(before, "fit its models anew");
	source->chosen_by = "";
	pegs_load_unit(source);
	pegs_check_fit_price(args.epsilon, args.delta);
	pegs_check_delta(&args, source);
	args.delta = pegs_delta_of_call(source->account, args.delta);
	pegs_refit_facts(&fit);
	pegs_check_before_scan(&fit);
	pegs_require_possible_row(name, fit.domain);
	fit.uncharged = pegs_uncharged(&pegs_work_fit, name);
	fit.counter = pegs_counter_of_method(fit.spec, fit.args->method, pegs_uncharged_context(fit.uncharged));
	pegs_run_fit(&fit, true);
	PG_RETURN_VOID();
}
