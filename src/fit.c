/*
 * fit.c
 *	  Making models: from a source, or from states merged by hand.
 *
 * Order of a fit: rights, public facts, budget, scan, charge, noise, store.
 * Everything that can fail is done before the charge; the noise comes after
 * it. A fit in a transaction that rolls back has spent, and its model is gone.
 */
#include "pegs.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "core/parents.h"

/* A fit's arguments after model and source; `first` is the number of epsilon. */
typedef struct FitArgs
{
	int64		epsilon;
	int64		delta;
	Jsonb	   *parents;
	int			tail_bits;
	int			max_parents;
	double		l_diversity;	/* sealed: the papers' l-diverse mode; 0: not */
	int64		structure_epsilon;	/* sealed, parents not declared: what choosing them costs; else 0 */
} FitArgs;

/* The columns of a model, their domain and the structural zeros among them. */
static PegsDomain *
domain_of(const PegsSource *source, List *columns)
{
	PegsDomain *domain = pegs_domain_choose(pegs_domain_of(source), source, columns);

	pegs_load_rules(domain, source);
	return domain;
}

/* {"l_diversity": 1.5}; an unknown option is not silently ignored. */
static double
l_diversity_option(Jsonb *options)
{
	JsonbIterator *it;
	JsonbValue	value;
	JsonbIteratorToken token;
	double		l = 0;

	if (options == NULL)
		return 0;
	it = JsonbIteratorInit(&options->root);
	while ((token = JsonbIteratorNext(&it, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY && strcmp(pegs_json_scalar(&value), "l_diversity") != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("unknown option \"%s\"", pegs_json_scalar(&value)),
					 errhint("Known is: l_diversity, for a sealed model without a guarantee.")));
		if (token != WJB_VALUE)
			continue;
		if (value.type == jbvNumeric)
			l = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(value.val.numeric)));
		if (value.type != jbvNumeric || !(l > 1 && l <= PEGS_MAX_LEVELS))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("l_diversity must be a number above 1"),
					 errhint("options => '{\"l_diversity\": 1.5}'")));
	}
	return l;
}

/* Papers/000 section 2.3 needs l <= C_i in every column. */
static void
check_l_diversity(double l, const PegsDomain *domain)
{
	for (int i = 0; l > 0 && i < domain->ncols; i++)
		if (l > pegs_column_levels(&domain->column[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" has %d levels: it cannot be %.15g-diverse", domain->column[i].name,
							pegs_column_levels(&domain->column[i]), l),
					 errhint("Take a smaller l, or leave the column out.")));
	if (l > 0 && domain->nrules > 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("an l-diverse model cannot honour forbidden combinations"),
				 errhint("Choose columns without them, or forget them: pegs_forbid(..., NULL).")));
	if (l > 0)
		ereport(NOTICE,
				(errmsg("l-diversity is not differential privacy: this model has no guarantee"),
				 errdetail("Only the owner of the table may read its rows; the account is marked as uncovered.")));
}

/* (…, epsilon, delta, parents, max_parents, structure_epsilon, tail_bits, options) */
static FitArgs
fit_arguments(FunctionCallInfo fcinfo, int first)
{
	FitArgs		args;
	int			max_parents;
	int			tail_bits;
	int64		structure_epsilon;
	bool		declared;

	args.epsilon = pegs_arg_epsilon(fcinfo, first, "epsilon");
	args.delta = pegs_arg_delta(fcinfo, first + 1, "delta");
	args.parents = pegs_arg_object(fcinfo, first + 2, "parents");
	max_parents = PG_ARGISNULL(first + 3) ? -1 : PG_GETARG_INT32(first + 3);
	structure_epsilon = pegs_arg_epsilon(fcinfo, first + 4, "structure_epsilon");
	tail_bits = PG_ARGISNULL(first + 5) ? -1 : PG_GETARG_INT32(first + 5);
	args.l_diversity = l_diversity_option(pegs_arg_object(fcinfo, first + 6, "options"));
	args.tail_bits = tail_bits;
	args.max_parents = max_parents;
	args.structure_epsilon = 0;
	declared = args.parents != NULL;
	if (tail_bits != 0 && tail_bits != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("tail_bits must be 0 or 1"),
				 errhint("0 is the form of papers/004, 1 adds papers/000's hash of all other columns.")));
	if (max_parents < 0)
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
		if (declared || tail_bits != 0 || max_parents != 2)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s cannot be given with epsilon", declared ? "parents" : tail_bits ? "tail_bits" : "max_parents"),
					 errdetail("With epsilon the model is perturbed: its structure is chosen inside epsilon."),
					 errhint("Leave it out; or leave epsilon out for a sealed model.")));
		if (args.epsilon > 1000 * PEGS_EPSILON_UNIT)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("epsilon must be at most 1000"),
					 errhint("A guarantee above 10 says little; 1 is usual.")));
	}
	else
	{
		if (args.delta > 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("delta needs epsilon"),
					 errdetail("Without epsilon the model is sealed: nothing is spent when it is fitted."),
					 errhint("epsilon => 1, delta => 1e-9")));
		if (!declared)
		{
			if (structure_epsilon == 0)
				ereport(ERROR,
						(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						 errmsg("structure_epsilon must not be null when the parents are to be chosen"),
						 errhint("structure_epsilon => 0.1, or declare them: parents => '{\"charge\": [\"los\"]}', '{}' for none.")));
			args.structure_epsilon = structure_epsilon;
		}
	}
	return args;
}

static bytea *
model_bytes(const pegs_fitted *fitted, const PegsSpec *spec)
{
	pegs_wire	wire = {0};

	wire.kind = PEGS_WIRE_MODEL;
	wire.ncols = fitted->ncols;
	wire.spec = spec->text;
	wire.spec_len = strlen(spec->text);
	wire.fitted = *fitted;
	return pegs_wire_bytes(&wire);
}

/* Exact counts to a stored model; the only charge of a fit. Claim P6. */
static void
finish(const char *name, const PegsSource *source, const FitArgs *args, const char *counts,
	   PegsCounter *counter)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs fit", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	bytea	   *body;

	if (args->epsilon > 0)
	{
		PegsBill	bill = {source->account, 0, args->epsilon, args->delta, "fit", name};
		pegs_env	env = pegs_env_in(context);
		pegs_account account;
		pegs_fitted fitted;
		uint8_t		key[PEGS_KEY_BYTES];
		pegs_rng   *rng;

		pegs_account_init(&account, args->epsilon, args->delta, source->rows_per_unit);
		pegs_new_key(key);
		rng = pegs_rng_in(context, key, 0);
		explicit_bzero(key, sizeof(key));
		pegs_charge(&bill);
		pegs_engine_fit(&env, rng, &account, &counter->layout, counter->cells, &fitted);
		body = model_bytes(&fitted, counter->spec);
	}
	else
		body = pegs_counter_bytes(counter);
	if (args->l_diversity > 0)
		pegs_note_uncovered(source->account, "uncovered fit", name);
	pegs_store_model(name, source, counter->spec, args->epsilon == 0, args->epsilon, args->delta,
					 args->structure_epsilon, args->l_diversity, counts, body);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* A model of N rows costs what it costs; say so before the scan fails for want of budget. */
static void
check_before_scan(const char *name, const PegsSource *source, const FitArgs *args)
{
	pegs_account account;

	pegs_take_name(name);
	if (args->structure_epsilon > 0)
		pegs_check_budget(source->account, args->structure_epsilon, 0);
	if (args->epsilon == 0)
		return;
	pegs_account_init(&account, args->epsilon, args->delta, source->rows_per_unit);
	if (account.total == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon and delta are too small to buy any measurement"),
				 errhint("epsilon => 1, delta => 1e-9")));
	pegs_check_budget(source->account, args->epsilon, args->delta);
}

#define MOST_KEYS 1024			/* of a column whose parents are chosen; public */

/* So few that the tables can be counted whatever is chosen: nothing may fail after the charge. */
static uint32_t
most_keys(const PegsDomain *domain, int tail_bits)
{
	uint64_t	levels = 0;

	for (int i = 0; i < domain->ncols; i++)
		levels += pegs_column_levels(&domain->column[i]);
	return (uint32_t) Max(1, Min(MOST_KEYS, PEGS_MAX_CELLS / (levels << tail_bits)));
}

/*
 * The tables of a sealed model whose parents are not declared: all pairs are
 * counted, structure_epsilon is charged, the exponential mechanism chooses.
 * Claim P9.
 */
static PegsSpec *
choose_structure(const char *name, const PegsSource *source, const FitArgs *args, PegsDomain *domain)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs structure", ALLOCSET_DEFAULT_SIZES);
	uint32_t   *parent_start = palloc0(sizeof(uint32_t) * (domain->ncols + 1));
	uint16_t   *parents = palloc0(sizeof(uint16_t) * (domain->ncols * domain->ncols + 1));
	MemoryContext old = MemoryContextSwitchTo(context);
	pegs_env	env = pegs_env_in(context);
	PegsCounter *counter = pegs_counter(pegs_spec_make(domain, NULL, 0), context, true);
	PegsBill	bill = {source->account, 0, args->structure_epsilon, 0, "structure", name};
	pegs_account account;
	uint8_t		key[PEGS_KEY_BYTES];
	pegs_rng   *rng;

	pegs_counter_scan(counter, source);
	pegs_account_init(&account, args->structure_epsilon, 0, PEGS_PARENT_SENSITIVITY * source->rows_per_unit);
	pegs_new_key(key);
	rng = pegs_rng_in(context, key, 0);
	explicit_bzero(key, sizeof(key));
	pegs_charge(&bill);
	pegs_choose_parents(&env, rng, &account, &counter->layout, counter->cells,
						Min(args->max_parents, domain->ncols), most_keys(domain, args->tail_bits), parent_start, parents);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	ereport(NOTICE,
			(errmsg("the parents of model \"%s\" were chosen privately: epsilon %s was charged", name,
					pegs_units_text(args->structure_epsilon, 9)),
			 errhint("Declare them (parents => '{...}') to spend nothing.")));
	return pegs_spec_conditional(domain, parent_start, parents, args->tail_bits);
}

/*
 * pegs_fit(model text, source regclass, columns name[], epsilon float8, delta float8, parents jsonb,
 *			max_parents int, structure_epsilon float8, tail_bits int, options jsonb) → void
 */
PG_FUNCTION_INFO_V1(pegs_fit);
Datum
pegs_fit(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "model");
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 1, "source"), "fit a model to it");
	List	   *columns = pegs_arg_names(fcinfo, 2, "columns");
	FitArgs		args = fit_arguments(fcinfo, 3);
	PegsDomain *domain;
	PegsSpec   *spec;
	PegsCounter *counter;

	pegs_load_unit(source);
	check_before_scan(name, source, &args);
	domain = domain_of(source, columns);
	check_l_diversity(args.l_diversity, domain);
	if (args.epsilon > 0 || args.structure_epsilon > 0)
		pegs_require_allowed_row(name, domain);
	spec = args.structure_epsilon > 0 ? choose_structure(name, source, &args, domain)
		: pegs_spec_make(domain, args.epsilon > 0 ? NULL : args.parents, args.tail_bits);
	counter = pegs_counter(spec, CurrentMemoryContext, true);
	pegs_counter_scan(counter, source);
	finish(name, source, &args, "read by pegs_fit", counter);
	PG_RETURN_VOID();
}

/* pegs_spec(source regclass, columns name[], parents jsonb, tail_bits int) → text */
PG_FUNCTION_INFO_V1(pegs_spec);
Datum
pegs_spec(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "describe it for pegs_agg");
	List	   *columns = pegs_arg_names(fcinfo, 1, "columns");
	Jsonb	   *parents = pegs_arg_object(fcinfo, 2, "parents");
	int			tail_bits = PG_ARGISNULL(3) ? -1 : PG_GETARG_INT32(3);
	PegsSpec   *spec;

	if (tail_bits != 0 && tail_bits != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("tail_bits must be 0 or 1"),
				 errhint("0 is the form of papers/004, 1 adds papers/000's hash of all other columns.")));
	spec = pegs_spec_make(domain_of(source, columns), parents, tail_bits);
	(void) pegs_counter(spec, CurrentMemoryContext, false); /* too large is an error now */
	PG_RETURN_TEXT_P(cstring_to_text(spec->text));
}

/*
 * pegs_fit_state(model text, source regclass, state pegs_state, columns name[], epsilon float8, delta float8,
 *				  parents jsonb, max_parents int, structure_epsilon float8, tail_bits int, options jsonb) → void
 */
PG_FUNCTION_INFO_V1(pegs_fit_state);
Datum
pegs_fit_state(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "model");
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 1, "source"), "fit a model to it");
	List	   *columns = pegs_arg_names(fcinfo, 3, "columns");
	FitArgs		args = fit_arguments(fcinfo, 4);
	PegsSpec   *spec;
	PegsCounter *counter;

	pegs_load_unit(source);
	if (source->unit_column)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s has a privacy unit: a state does not say whose rows it counts", source->name),
				 errhint("Use pegs_fit, or SELECT pegs_set_unit(%s, NULL); to protect single rows.", quote_literal_cstr(source->name))));
	if (args.structure_epsilon > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the parents of a sealed model made from a state must be declared"),
				 errhint("parents => '{...}' as in the pegs_spec of the state, or give epsilon for a perturbed model.")));
	check_before_scan(name, source, &args);
	spec = pegs_spec_make(domain_of(source, columns),
						  args.epsilon > 0 ? NULL : args.parents, args.tail_bits);
	check_l_diversity(args.l_diversity, spec->domain);
	if (args.epsilon > 0)
		pegs_require_allowed_row(name, spec->domain);
	counter = pegs_counter(spec, CurrentMemoryContext, false);
	if (!PG_ARGISNULL(2))
	{
		pegs_env	env = pegs_env_in(CurrentMemoryContext);
		pegs_wire	from;
		pegs_wire	into = pegs_counter_wire(counter);

		pegs_read_bytes(&env, PG_GETARG_BYTEA_PP(2), &from);
		if (pegs_wire_merge(&into, &from) != PEGS_OK)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("the state was not made for this source, these columns and these tables"),
					 errhint("Make it with pegs_agg((SELECT pegs_spec(%s, ...)), ...): pairs for a model with epsilon, parents for a sealed one.",
							 quote_literal_cstr(source->name))));
		counter->rows = into.rows;
	}
	finish(name, source, &args, "given by the curator", counter);
	PG_RETURN_VOID();
}
