/*
 * fit_arguments.c
 *	  Arguments of a fit, checked together: by which method, and how it is paid for.
 */
#include "models/models.h"
#include "budget/budget.h"

#include "utils/builtins.h"

#include "core/urn_fit.h"

/* The PeGS paper, section 2.3, needs l <= C_i in every column. */
void
pegs_check_l_diversity(double l, const PegsDomain *domain, const PegsSource *source)
{
	for (int i = 0; l > 0 && i < domain->ncols; i++)
		if (l > pegs_column_levels(&domain->column[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" has %d levels: it cannot be %.15g-diverse", domain->column[i].name,
							pegs_column_levels(&domain->column[i]), l),
					 errhint("Take a smaller l, or leave the column out.")));
	if (l > 0 && domain->nzeros > 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("an l-diverse model cannot honour forbidden combinations"),
				 errhint("Choose columns without them, or forget them: SELECT pegs_forbid(%s, NULL);", pegs_relation_literal(source->account))));
}

/* Is it too large, or of options that do not go together? Before the budget is asked for. */
void
pegs_require_fit_possible(const PegsFitArguments *args, const PegsSpec *spec)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_layout layout;

	pegs_spec_layout(spec, &env, &layout);
	pegs_require_fit_of(spec, args->method, &layout);
}

/* Which form of a family it is follows from how it is to be paid for. */
static bool
has_rows(const pegs_method *method)
{
	return method->scorer == NULL;
}

static bool
has_rows_without_guarantee(const pegs_method *method)
{
	return has_rows(method) && method->payment == PEGS_NOT_PRIVATE && method->family;
}

/* NULL: none of this family is paid in that way. */
static const pegs_method *
of_family(const char *family, pegs_payment payment)
{
	for (int i = 0; pegs_methods[i]; i++)
		if (pegs_methods[i]->family && strcmp(pegs_methods[i]->family, family) == 0 && pegs_methods[i]->payment == payment)
			return pegs_methods[i];
	return NULL;
}

/* By its own name, or by that of its family, if there is one that is paid in that way; else any of it. */
static const pegs_method *
named(const char *name, pegs_payment payment)
{
	const pegs_method *method = of_family(name, payment);

	if (method == NULL)
		method = pegs_method_named(name);
	for (int i = 0; method == NULL && pegs_methods[i]; i++)
		if (pegs_methods[i]->family && strcmp(pegs_methods[i]->family, name) == 0)
			method = pegs_methods[i];
	if (method == NULL || method->of_a_model)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there is no method \"%s\"", name),
				 errhint("method is one of %s; left out: 'graph' with epsilon, 'pegs' without.", pegs_methods_that(has_rows))));
	return method;
}

/* A form that has no guarantee must be meant, and one that has must not be taken for it. */
static void
check_protection(const char *name, const pegs_method *method, const PegsFitOptions *options)
{
	const char *call = psprintf("method => %s, options => '{\"guarantee\": \"none\"}'", quote_literal_cstr(pegs_method_called(method)));

	if (options->unprotected && method->payment != PEGS_NOT_PRIVATE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"%s\" has no form without a guarantee", name),
				 errhint("Leave the option \"guarantee\" out. Such a form is one of %s%s.", pegs_methods_that(has_rows_without_guarantee),
						 method == pegs_method_of_old(true, 0) ? "; of method 'pegs' it is options => '{\"l_diversity\": 1.5}'" : "")));
	if (!options->unprotected && method->payment == PEGS_NOT_PRIVATE && options->l_diversity == 0 && method->family)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"%s\" has no guarantee", method->name),
				 errdetail("Whoever fits it must say so."),
				 errhint("%s", call)));
}

/*
 * The method: as it is named, or what the other arguments mean. They must fit
 * it, so that nobody takes a model for what it is not: what is paid at the fit
 * has an epsilon, nothing else has.
 */
static const pegs_method *
method_of(const char *name, const PegsFitArguments *args, const PegsFitOptions *options)
{
	pegs_payment payment = args->epsilon > 0 ? PEGS_PAID_AT_FIT : options->unprotected ? PEGS_NOT_PRIVATE : PEGS_PAID_BY_SAMPLE;
	const pegs_method *method;

	if (args->l_diversity > 0 && (name == NULL || strcmp(name, "pegs") == 0))
		name = "pegs l-diverse";
	if (name == NULL)
		name = args->epsilon > 0 ? "graph" : "pegs";
	method = named(name, payment);
	if (method->payment == PEGS_PAID_AT_FIT && args->epsilon == 0 && !options->unprotected)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("epsilon must not be null: a model of method \"%s\" is paid for when it is fitted", name),
				 of_family(name, PEGS_NOT_PRIVATE) ? errhint("epsilon => 1; or, to compare with, the form without a guarantee: options => '{\"guarantee\": \"none\"}'")
				 : errhint("epsilon => 1")));
	if (method->payment != PEGS_PAID_AT_FIT && args->epsilon > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon cannot be given with method \"%s\"", name),
				 method->payment == PEGS_NOT_PRIVATE ? errdetail("It has no guarantee.") : errdetail("Nothing is spent when it is fitted: every sample pays."),
				 errhint("Leave epsilon out; or method => %s.",
						 quote_literal_cstr(pegs_perturbed_instead(method)->name))));
	if ((strcmp(name, "pegs l-diverse") == 0) != (args->l_diversity > 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 args->l_diversity > 0 ? errmsg("option \"l_diversity\" is not one of method \"%s\"", name) : errmsg("method \"%s\" needs the option l_diversity", name),
				 errhint("method => 'pegs', options => '{\"l_diversity\": 1.5}'")));
	check_protection(name, method, options);
	return method;
}

static void refuse_extra(const char *extra, const char *method) __attribute__((noreturn));
static void refuse_no_parents(const pegs_method *method, const PegsDomain *domain, List *columns) __attribute__((noreturn));

static void
refuse_extra(const char *extra, const char *method)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s cannot be given with method \"%s\"", extra, method),
			 errhint("Leave it out; or method => 'pegs'.")));
}

static void
refuse_no_parents(const pegs_method *method, const PegsDomain *domain, List *columns)
{
	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("parents must not be null with method \"%s\"", method->name),
			 method->parents == PEGS_DECLARED_OR_ALL ? errdetail("Without them each column is on all others: that needs the rows, which a state does not have.") : 0,
			 errhint("%s, '{}' for none.", pegs_parents_example(domain, columns))));
}

/* Their defaults, in SQL: what is given cannot be told from what is left out. */
#define MAX_PARENTS 2
#define STRUCTURE_EPSILON (PEGS_EPSILON_UNIT / 10)

/*
 * Which tables are counted, as far as the method leaves it open: parents are
 * declared, or chosen privately. What is paid at the fit is charged for noise
 * alone, so there they are declared.
 */
static void
settle_parents(PegsFitArguments *args, int64 structure_epsilon, const PegsSource *source, List *columns)
{
	const char *method = args->method->name;
	const char *extra = args->parents ? "parents" : args->tail_bits != 0 ? "tail_bits" : args->max_parents != MAX_PARENTS ? "max_parents"
		: structure_epsilon != 0 && structure_epsilon != STRUCTURE_EPSILON ? "structure_epsilon" : NULL;

	if (!pegs_has_parents(args->method))
	{
		if (extra && args->epsilon > 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s cannot be given with epsilon", extra),
					 errdetail("With epsilon the model is perturbed: what it has of structure is chosen inside epsilon."),
					 args->method_named ? errhint("Leave it out; or leave epsilon out for a sealed model, of method => 'pegs'.")
					 : errhint("Leave it out; or leave epsilon out for a sealed model.")));
		if (extra)
			refuse_extra(extra, method);
		return;
	}
	if (args->parents)
		return;
	if (args->method->parents == PEGS_DECLARED_OR_ALL)
	{
		/* all others: nothing is chosen, and there is no hash */
		if (extra)
			refuse_extra(extra, method);
		return;
	}
	if (args->method->payment == PEGS_PAID_AT_FIT)
		refuse_no_parents(args->method, pegs_domain_of(source), columns);
	if (structure_epsilon == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("structure_epsilon must not be null when the parents are to be chosen"),
				 errhint("structure_epsilon => 0.1, or declare them: %s, '{}' for none.", pegs_parents_example(pegs_domain_of(source), columns))));
	args->structure_epsilon = structure_epsilon;
}

/* What a perturbed model may be asked to cost. */
void
pegs_check_fit_price(int64 epsilon, int64 delta)
{
	pegs_say_large_delta(delta);
	if (epsilon > 1000 * PEGS_EPSILON_UNIT)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon must be at most 1000"),
				 errhint("A guarantee above 10 says little; 1 is usual.")));
}

/* What urns tell with delta is proved for one row, and cannot be added up in rho. Claim P32. */
void
pegs_check_delta_of_urns(const PegsSource *source, int64 delta)
{
#define WAY_OUT "Leave delta out; or leave out \"noise\" and the options that go with it."
	if (delta > 0 && source->rows_per_unit > 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("urns take no delta where a person has several rows"),
				 errdetail("The claim is proved for one row."),
				 errhint(WAY_OUT)));
	if (delta > 0 && pegs_is_in_rho(source->account))
		pegs_refuse_rho_of_urns(WAY_OUT);
}

/* One table has less noise without delta: it would be charged for nothing, but where both are added up in rho; and but for urns. */
void
pegs_check_delta(const PegsFitArguments *args, const PegsSource *source)
{
	pegs_accountant pure;
	pegs_accountant other;
	const pegs_method *method = args->method;

	if (pegs_fit_draws_urns(method, args->own))
	{
		pegs_check_delta_of_urns(source, args->delta);
		return;
	}
	if (!method->one_table || args->delta == 0 || pegs_is_in_rho(source->account))
		return;
	pegs_accountant_init(&pure, args->epsilon, 0, 1);
	pegs_accountant_init(&other, args->epsilon, args->delta, 1);
	if (pegs_noise_sd(&pure, pegs_accountant_left(&pure)) <= pegs_noise_sd(&other, pegs_accountant_left(&other)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a model of method \"%s\" needs no delta", method->name),
				 errdetail("It measures one table: Laplace noise of the same epsilon is smaller, and delta would be charged for nothing."),
				 errhint("Leave delta out.")));
}

bool
pegs_draws_with_delta(const PegsFitArguments *args)
{
	return args->delta > 0 && pegs_fit_draws_urns(args->method, args->own);
}

bool
pegs_delta_is_unused(const PegsFitArguments *args, const pegs_layout *layout)
{
	return pegs_draws_with_delta(args) && !pegs_delta_helps_urns(layout, args->epsilon, args->delta);
}

/* Few draws from urns have no use for delta: said before it is charged. */
void
pegs_require_delta_used(const PegsFitArguments *args, const pegs_layout *layout)
{
	if (pegs_delta_is_unused(args, layout))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("draws of so few rows need no delta"),
				 errdetail("From urns at epsilon %s they take no more weight in each cell without delta, which would be charged for nothing.", pegs_units_text(args->epsilon, 9)),
				 errhint("Leave delta out, or draw more \"rows\".")));
}

/* What draws have no room for is nothing: the model would be uniform, and charged; a slice would be used up. */
void
pegs_require_room_for_urns(const PegsFitArguments *args, const pegs_layout *layout, const PegsSource *source)
{
	if (pegs_fit_draws_urns(args->method, args->own)
		&& !pegs_urns_have_room(layout, source->rows_per_unit, args->epsilon, args->delta))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon is too small for so many rows"),
				 errdetail("epsilon %s over the \"rows\" that are drawn from urns: the noise of all cells would not fit in 64 bits.", pegs_units_text(args->epsilon, 9)),
				 errhint("Draw fewer \"rows\", or take more epsilon: epsilon => 1.")));
}

/* What is counted for a method; without its name, pairs, or the tables of those parents. */
PegsSpec *
pegs_spec_of_method(PegsDomain *domain, const char *name, Jsonb *parents, int tail_bits)
{
	const pegs_method *method = name ? named(name, PEGS_PAID_AT_FIT) : NULL;

	if (method == NULL || (pegs_has_parents(method) && parents))
		return pegs_spec_make(domain, parents, tail_bits);
	if (pegs_has_parents(method))
		refuse_no_parents(method, domain, NIL);
	if (parents || tail_bits != 0)
		refuse_extra(parents ? "parents" : "tail_bits", name);
	return pegs_spec_without_parents(domain, method->tables);
}

/* What is counted for it, where parents need not be chosen. */
PegsSpec *
pegs_spec_to_fit(PegsDomain *domain, const PegsFitArguments *args, const PegsSource *source)
{
	PegsSpec   *spec = pegs_has_parents(args->method) ? pegs_spec_make(domain, args->parents, args->tail_bits)
		: pegs_spec_without_parents(domain, args->method->tables);

	spec->target = pegs_target_columns(domain, args->target);
	pegs_settle_options(spec, args->method, args->own, source);
	return spec;
}

void
pegs_check_measurement(int64 epsilon, int64 delta, int rows_per_unit, int rows_each)
{
	pegs_accountant accountant;

	pegs_fit_accountant(&accountant, epsilon, delta, rows_per_unit, rows_each);
	if (accountant.total == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon and delta are too small to buy any measurement"),
				 errhint("epsilon => 1, delta => 1e-9")));
}

/* (…, epsilon, delta, parents, max_parents, structure_epsilon, tail_bits, options, method); no method in 0.2.0's SQL */
PegsFitArguments
pegs_fit_arguments(FunctionCallInfo fcinfo, int first, const PegsSource *source, List *columns)
{
	PegsFitArguments args = {0};
	PegsFitOptions options;
	int64		structure_epsilon;
	char	   *method = PG_NARGS() <= first + 7 || PG_ARGISNULL(first + 7) ? NULL : pegs_arg_choice(fcinfo, first + 7, "method");

	args.epsilon = pegs_arg_epsilon(fcinfo, first, "epsilon");
	args.delta = pegs_arg_delta(fcinfo, first + 1, "delta");
	args.parents = pegs_arg_object(fcinfo, first + 2, "parents");
	args.max_parents = PG_ARGISNULL(first + 3) ? -1 : PG_GETARG_INT32(first + 3);
	structure_epsilon = pegs_arg_epsilon(fcinfo, first + 4, "structure_epsilon");
	options = pegs_fit_options(pegs_arg_object(fcinfo, first + 6, "options"));
	args.target = options.target;
	args.l_diversity = options.l_diversity;
	args.own = options.own;
	args.tail_bits = pegs_arg_tail_bits(fcinfo, first + 5);
	if (args.max_parents < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_parents must not be negative"),
				 errhint("max_parents => 2")));
	if (args.epsilon > 0)
	{
		if (args.l_diversity > 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("l_diversity cannot be given with epsilon"),
					 errdetail("It is a mode of sealed models, without a guarantee."),
					 errhint("Leave one of the two out.")));
		if (options.unprotected)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("option \"guarantee\" cannot be given with epsilon"),
					 errdetail("With epsilon there is a guarantee."),
					 errhint("Leave one of the two out.")));
		pegs_check_fit_price(args.epsilon, args.delta);
	}
	else if (args.delta > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("delta needs epsilon"),
				 errdetail("Without epsilon the model is sealed: nothing is spent when it is fitted."),
				 method && named(method, PEGS_PAID_AT_FIT)->payment != PEGS_PAID_AT_FIT ? errhint("Leave delta out.")
				 : errhint("epsilon => 1, beside delta; or leave delta out.")));
	args.method = method_of(method, &args, &options);
	args.method_named = method != NULL;
	pegs_check_options(args.method, args.own);
	if (args.target && !args.method->aims)
		pegs_refuse_target(args.method);
	settle_parents(&args, structure_epsilon, source, columns);
	return args;
}
