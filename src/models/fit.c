/*
 * fit.c
 *	  Making models: from a source, or from states merged by hand.
 *
 * Order of a fit: rights, public facts, is there enough budget, scan, noise in
 * memory, charge, store. Nothing of what was computed is seen before the charge
 * is durable (uncharged.c), so a fit that is cancelled before it costs nothing.
 * A fit in a transaction that rolls back has spent, and its model is gone.
 */
#include "models/fit.h"
#include "budget/budget.h"
#include "read/read.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "core/pegs/parents.h"

/* Of several tables, whose units are counted: claims P35 and P37. */
static void *
fitted_schema(const PegsFit *fit, const pegs_env *env, pegs_rng *rng)
{
	pegs_fitted *model = env->alloc(env->context, sizeof(pegs_fitted));

	pegs_schema_fit(env, rng, &fit->accountant, &fit->relatives->related->relations, &fit->tally, fit->relatives->related->siblings, model);
	return model;
}

/* Counts to a model; where it is paid now, to released numbers: Claim P6. */
static bytea *
fitted_body(PegsFit *fit, const pegs_env *env)
{
	const PegsFitArguments *args = fit->args;
	const pegs_method *method = fit->args->method;
	bool		pays = method->payment == PEGS_PAID_AT_FIT;
	pegs_wire	wire;
	void	   *model;
	uint8_t		key[PEGS_KEY_BYTES];
	pegs_rng   *rng;

	if (pays)
		pegs_fit_accountant(&fit->accountant, args->epsilon, args->delta, fit->source->rows_per_unit, fit->source->rows_each);
	pegs_new_key(key);
	rng = pegs_rng_in(pegs_uncharged_context(fit->uncharged), key, 0);
	explicit_bzero(key, sizeof(key));
	if (fit->relatives)
		model = fitted_schema(fit, env, rng);
	else
		model = method->fit(env, rng, pays ? &fit->accountant : NULL, &fit->counter->layout, fit->counter->cells);
	if (pays && fit->counter)
		pegs_counter_forget(fit->counter);	/* the model is of released numbers */
	fit->flat = pegs_is_flat(env, method, model);
	fit->says_otherwise = pays && !pegs_same_account(method->accountant(model), &fit->accountant);
	wire = pegs_model_wire(fit->spec, method, fit->relatives ? &fit->tally.layout : &fit->counter->layout, model);
	return pegs_wire_bytes(env, &wire);
}

static PegsSpec *choose_structure(PegsFit *fit, const pegs_env *env);

static void
read_rows(const PegsFit *fit, const pegs_env *env, PegsCounter *counter)
{
	counter->progress = env;
	pegs_counter_scan(counter, fit->source);
	counter->progress = NULL;
}

static void
read_source(PegsFit *fit)
{
	pegs_env	env = pegs_uncharged_env(fit->uncharged);

	if (fit->relatives)
		pegs_count_units(fit->relatives, &env, &fit->tally, NULL);
	else
		read_rows(fit, &env, fit->counter);
}

/* From counts to the model's bytes. */
static void
compute(PegsFit *fit)
{
	pegs_env	env = pegs_uncharged_env(fit->uncharged);

	if (fit->args->structure_epsilon > 0)
	{
		fit->spec = choose_structure(fit, &env);
		fit->counter = pegs_counter(fit->spec, pegs_uncharged_context(fit->uncharged), true);
		read_rows(fit, &env, fit->counter);
	}
	if (fit->args->method->fit)
		fit->body = fitted_body(fit, &env);
	else
	{
		pegs_wire	wire = pegs_counter_wire(fit->counter);

		fit->body = pegs_wire_bytes(&env, &wire);
	}
}

/* Nobody sees any of it before the charge; its memory is apart, and wiped. */
static void
unseen(PegsFit *fit, void (*work) (PegsFit *fit))
{
	MemoryContext old = MemoryContextSwitchTo(pegs_uncharged_context(fit->uncharged));

	PG_TRY();
	{
		work(fit);
	}
	PG_CATCH();
	{
		pegs_hide_uncharged(&pegs_work_fit, work == read_source);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(old);
}

static int64
store_facts(const PegsFit *fit)
{
	const PegsFitArguments *args = fit->args;

	return pegs_store_facts(fit->name, fit->before, fit->source, fit->spec, args->method, args->epsilon, args->delta,
							args->structure_epsilon, args->l_diversity, fit->counted_by, fit->counter ? fit->counter->way : NULL, fit->sliced ? &fit->sliced->slice : NULL);
}

/* The fit before loses its name to this one. What is older goes, and not this: who has just found it may still read it. */
static void
make_room(const PegsModel *before)
{
	PegsAs		saved;

	pegs_begin_as_extension(&saved);
	if (before->slice == NULL)	/* slices before it stay */
		pegs_sweep_models();
	pegs_unname_model(before->id);
	pegs_end_as(&saved);
}

/* What a fit costs: public facts alone. */
static PegsBill
bill_of(const PegsFit *fit)
{
	const PegsFitArguments *args = fit->args;
	const PegsSource *source = fit->source;
	bool		perturbed = args->method->payment == PEGS_PAID_AT_FIT;
	PegsBill	bill = {
		.account = source->account,
		.epsilon = perturbed ? args->epsilon : args->structure_epsilon,
		.delta = args->delta,
		.action = perturbed ? "fit" : "structure",
		.object = fit->name,
		.unit = fit->relatives ? pegs_related_unit(fit->relatives->related, false) : pegs_charged_unit(source->unit_column != NULL, source->unit_column),
		.counted = source->counted
	};

	/* parents are chosen by exponential mechanisms alone, whose epsilons add up to this one: Claim P20 */
	if (pegs_draws_with_delta(args))
		bill.rho = PEGS_NO_RHO;
	else if (perturbed)
		pegs_bill_noise(&bill);
	else
		bill.rho = pegs_rho_of_range(bill.epsilon, 1);
	return bill;
}

/* How large a body is may depend on the rows: an error has it not. */
static void
store_body(const PegsFit *fit, int64 id)
{
	PG_TRY();
	{
		pegs_store_body(id, fit->args->method, fit->body);
	}
	PG_CATCH();
	{
		int			code = geterrcode();

		/* that it was stopped, and by whom, has no size */
		if (ERRCODE_TO_CATEGORY(code) == ERRCODE_OPERATOR_INTERVENTION || ERRCODE_TO_CATEGORY(code) == ERRCODE_TRANSACTION_ROLLBACK)
			PG_RE_THROW();
		FlushErrorState();
		ereport(ERROR,
				(errcode(code),
				 code == ERRCODE_OUT_OF_MEMORY ? errmsg("out of memory while model \"%s\" was stored", fit->name)
				 : code == ERRCODE_DISK_FULL ? errmsg("no space on the disk while model \"%s\" was stored", fit->name)
				 : errmsg("model \"%s\" could not be stored", fit->name),
				 code == ERRCODE_OUT_OF_MEMORY ? 0 : errdetail("What the server said of it could tell how large the model is."),
				 errhint("Fit fewer columns, or columns with fewer levels.")));
	}
	PG_END_TRY();
}

/*
 * The only charge of a fit, durable before anything that was computed is
 * stored or said. Claim P5. What can be done of the storing is done before it:
 * locks, and the model's row where that says public facts alone. Not the body,
 * nor chosen parents: a fit that ends before its charge would leave a table
 * behind that has grown by as much, and everybody may ask for its size.
 */
static void
charge_and_store(const PegsFit *fit)
{
	const PegsFitArguments *args = fit->args;
	bool		perturbed = args->method->payment == PEGS_PAID_AT_FIT;
	bool		public = args->structure_epsilon == 0;
	int64		id = 0;
	uint32		most_moved = (uint32) fit->source->rows_per_unit * (perturbed ? 1 : PEGS_PARENT_SENSITIVITY);
	PegsBill	bill = bill_of(fit);
	bool		charges = bill.epsilon > 0 && fit->sliced == NULL;

	/* no noise but for what is charged, and for what a unit can move: fails closed, before anything of it is seen */
	if (fit->says_otherwise || fit->accountant.epsilon != bill.epsilon || fit->accountant.delta != bill.delta
		|| (bill.epsilon > 0 && fit->accountant.rows_per_unit < most_moved)
		|| (!fit->accountant.pure && !pegs_draws_with_delta(args) && fit->accountant.total > (uint64_t) bill.rho))
		elog(ERROR, "the fit was not made for what would be charged");
	pegs_hold_store();
	if (fit->before)
		make_room(fit->before);
	if (public)
		id = store_facts(fit);
	if (charges)
		pegs_charge(&bill);
	if (args->method->payment == PEGS_NOT_PRIVATE)
		pegs_note_uncovered(fit->source->account, "uncovered fit", fit->name, pegs_why_uncovered(args->l_diversity));
	if (!public)
		id = store_facts(fit);
	store_body(fit, id);
	if (charges)
		pegs_charge_done(&bill);
}

/*
 * Read, compute, charge, store. A fit that ends before its charge, cancelled or
 * failed, has cost nothing, and what it computed is gone.
 */
void
pegs_run_fit(PegsFit *fit, bool from_rows)
{
	if (fit->spec && fit->relatives == NULL)
	{
		pegs_spec_slope(fit->spec, fit->args->method);
		pegs_require_fit_of(fit->spec, fit->args->method, &fit->counter->layout);
		if (fit->sliced == NULL)	/* slices: pegs_check_slice_price, before the first */
		{
			pegs_require_room_for_urns(fit->args, &fit->counter->layout, fit->source);
			pegs_require_delta_used(fit->args, &fit->counter->layout);
		}
	}
	if (from_rows)
		unseen(fit, read_source);
	if (fit->sliced)
		fit->sliced->use_up(fit->sliced->arg);
	unseen(fit, compute);
	pegs_uncharged_computed(fit->uncharged);
	charge_and_store(fit);
	pegs_uncharged_done(fit->uncharged);
	if (fit->flat)
		pegs_say_flat(fit->name);
	if (fit->args->structure_epsilon > 0)
		ereport(NOTICE,
				(errmsg("the parents of model \"%s\" were chosen privately: epsilon %s was charged", fit->name, pegs_units_text(fit->args->structure_epsilon, 9)),
				 errhint("Declare them (parents => '{...}') to spend nothing.")));
}

void
pegs_try_rows(PegsFit *fit)
{
	unseen(fit, read_source);
	pegs_uncharged_done(fit->uncharged);
}

/* A model of N rows costs what it costs; say so before the scan fails for want of budget, and after what is wrong whatever there is to spend. */
void
pegs_check_before_scan(const PegsFit *fit)
{
	const PegsSource *source = fit->source;
	const PegsFitArguments *args = fit->args;
	PegsBill	bill = bill_of(fit);

	if (fit->spec && fit->relatives == NULL)
		pegs_require_fit_possible(args, fit->spec);
	if (fit->before == NULL)
		pegs_take_name(fit->name);
	pegs_warn_of_parts(source->account);
	for (int t = 1; fit->relatives && t < fit->relatives->related->n; t++)
		pegs_warn_of_parts(fit->relatives->source[t]->account);
	(args->epsilon == 0 && args->structure_epsilon == 0 ? pegs_warn_of_alike : pegs_warn_of_the_way_out) (source->account);
	if (args->structure_epsilon > 0)
		pegs_check_budget(&bill);
	if (args->epsilon == 0)
		return;
	pegs_check_measurement(args->epsilon, args->delta, source->rows_per_unit, source->rows_each);
	pegs_check_budget(&bill);
}

/*
 * The tables of a sealed model whose parents are not declared: the exponential
 * mechanism chooses by all pairs. Claim P9; charged by charge_and_store.
 */
static PegsSpec *
choose_structure(PegsFit *fit, const pegs_env *env)
{
	const PegsFitArguments *args = fit->args;
	PegsDomain *domain = fit->domain;
	uint32_t   *parent_start = env->alloc(env->context, sizeof(uint32_t) * (domain->ncols + 1));
	uint16_t   *parents = env->alloc(env->context, sizeof(uint16_t) * (domain->ncols * domain->ncols + 1));
	uint8_t		key[PEGS_KEY_BYTES];
	pegs_rng   *rng;
	PegsSpec   *spec;

	pegs_env_step(env, PEGS_STEP_PARENTS);
	pegs_structure_accountant(&fit->accountant, args->structure_epsilon, fit->source->rows_per_unit);
	pegs_new_key(key);
	rng = pegs_rng_in(pegs_uncharged_context(fit->uncharged), key, 0);
	explicit_bzero(key, sizeof(key));
	pegs_choose_structure(env, rng, &fit->accountant, &fit->counter->layout, fit->counter->cells, args->max_parents, args->tail_bits,
						  parent_start, parents);
	spec = pegs_spec_conditional(domain, parent_start, parents, args->tail_bits);
	pegs_settle_options(spec, args->method, args->own, fit->source);
	return spec;
}

/* What pegs_fit and pegs_fit_state are told alike: model and source first, the rest from there on. Returns the columns. */
static List *
read_arguments(FunctionCallInfo fcinfo, int at, PegsFit *fit, PegsFitArguments *args)
{
	PegsSource *source;
	List	   *columns;

	fit->name = pegs_arg_text(fcinfo, 0, "model");
	source = pegs_curated_source(pegs_arg_oid(fcinfo, 1, "source"), "fit a model to it");
	columns = pegs_arg_names(fcinfo, at, "columns");
	*args = pegs_fit_arguments(fcinfo, at + 1, source, columns);
	if (args->method->scorer)
	{
		source->chosen_by = "features";
		source->apart = pegs_target_of_score(args->own);
	}
	pegs_load_unit(source);
	pegs_check_delta(args, source);
	args->delta = pegs_delta_of_call(source->account, args->delta);
	fit->source = source;
	fit->args = args;
	return columns;
}

/*
 * pegs_fit(model text, source regclass, columns name[], epsilon float8, delta float8, parents jsonb,
 *			max_parents int, structure_epsilon float8, tail_bits int, options jsonb, method text) → void
 */
PG_FUNCTION_INFO_V1(pegs_fit);
Datum
pegs_fit(PG_FUNCTION_ARGS)
{
	PegsFitArguments args;
	PegsFit			fit = {.counted_by = PEGS_READ_BY_FIT};
	List	   *columns = read_arguments(fcinfo, 2, &fit, &args);

	fit.domain = pegs_domain_to_fit(fit.source, columns, NULL, NULL);
	pegs_check_l_diversity(args.l_diversity, fit.domain, fit.source);
	if (args.epsilon > 0 || args.structure_epsilon > 0)
		pegs_require_possible_row(fit.name, fit.domain);
	if (args.structure_epsilon == 0)
		fit.spec = pegs_spec_to_fit(fit.domain, &args, fit.source);
	else
		pegs_require_choice_fits(fit.domain, args.max_parents, args.own);
	pegs_check_before_scan(&fit);
	fit.uncharged = pegs_uncharged(&pegs_work_fit, fit.name);
	if (fit.spec)
		fit.counter = pegs_counter_of_method(fit.spec, args.method, pegs_uncharged_context(fit.uncharged));
	else
		fit.counter = pegs_counter(pegs_spec_make(fit.domain, NULL, 0), pegs_uncharged_context(fit.uncharged), true);
	pegs_say_what_it_means(&fit, columns != NIL);
	pegs_run_fit(&fit, true);
	PG_RETURN_VOID();
}

/* pegs_spec(source regclass, columns name[], parents jsonb, tail_bits int, method text) → text; no method in 0.2.0's SQL */
PG_FUNCTION_INFO_V1(pegs_spec);
Datum
pegs_spec(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "describe it for pegs_agg");
	List	   *columns = pegs_arg_names(fcinfo, 1, "columns");
	Jsonb	   *parents = pegs_arg_object(fcinfo, 2, "parents");
	int			tail_bits = pegs_arg_tail_bits(fcinfo, 3);
	char	   *method = PG_NARGS() <= 4 || PG_ARGISNULL(4) ? NULL : pegs_arg_choice(fcinfo, 4, "method");
	PegsSpec   *spec = pegs_spec_of_method(pegs_domain_to_fit(source, columns, NULL, fcinfo->flinfo), method, parents, tail_bits);

	(void) pegs_counter(spec, CurrentMemoryContext, false); /* too large is an error now */
	PG_RETURN_TEXT_P(cstring_to_text(spec->text));
}

/*
 * pegs_fit_state(model text, source regclass, state pegs_state, columns name[], epsilon float8, delta float8,
 *				  parents jsonb, max_parents int, structure_epsilon float8, tail_bits int, options jsonb, method text) → void
 */
PG_FUNCTION_INFO_V1(pegs_fit_state);
Datum
pegs_fit_state(PG_FUNCTION_ARGS)
{
	PegsFitArguments args;
	PegsFit			fit = {.counted_by = "given by the curator"};
	List	   *columns = read_arguments(fcinfo, 3, &fit, &args);

	if (fit.source->unit_column)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s has a privacy unit: a state does not say whose rows it counts", fit.source->name),
				 pegs_is_bound(fit.source->account) ? errhint("Use pegs_fit.")
				 : errhint("Use pegs_fit, or SELECT pegs_set_unit(%s, NULL); to protect single rows.", quote_literal_cstr(fit.source->name))));
	if (args.structure_epsilon > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the parents of a sealed model made from a state must be declared"),
				 errhint("parents => '{...}' as in the pegs_spec of the state, or give epsilon for a perturbed model.")));
	fit.domain = pegs_domain_to_fit(fit.source, columns, NULL, NULL);
	fit.spec = pegs_spec_to_fit(fit.domain, &args, fit.source);
	pegs_check_l_diversity(args.l_diversity, fit.domain, fit.source);
	if (args.epsilon > 0)
		pegs_require_possible_row(fit.name, fit.domain);
	pegs_check_before_scan(&fit);
	fit.uncharged = pegs_uncharged(&pegs_work_fit, fit.name);
	fit.counter = pegs_counter(fit.spec, pegs_uncharged_context(fit.uncharged), false);
	pegs_require_no_rows(args.method, &fit.counter->layout);
	if (!PG_ARGISNULL(2))
	{
		MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs state", ALLOCSET_DEFAULT_SIZES);
		pegs_env	env = pegs_wiped_env_in(context);
		pegs_wire	from;
		pegs_wire	into = pegs_counter_wire(fit.counter);

		pegs_read_bytes(&env, PG_GETARG_BYTEA_PP(2), &from);
		if (pegs_wire_merge(&env, &into, &from) != PEGS_OK)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("the state was not made for this source, these columns and these tables"),
					 errhint("Make it with pegs_agg((SELECT pegs_spec(%s, ...)), ...): pairs for a model with epsilon, parents for a sealed one, or the same method.",
							 quote_literal_cstr(fit.source->name))));
		fit.counter->rows = into.rows;
		MemoryContextDelete(context);
	}
	pegs_say_what_it_means(&fit, columns != NIL);
	pegs_run_fit(&fit, false);
	PG_RETURN_VOID();
}
