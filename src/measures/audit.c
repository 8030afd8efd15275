/*
 * audit.c
 *	  pegs_audit: every answer of a model's mechanism, weighed on its table and
 *	  on a neighbour, many times.
 *
 * The real engine and the real sampler run here, with a witness at the door
 * (core/witness.h). Exact counts: not private, for the curator alone; nothing
 * is charged and nothing is stored. A test of this build on this table. The
 * proof for all tables is docs/privacy.md.
 */
#include "measures/measures.h"
#include "read/read.h"

#include <math.h>

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "core/compare/bound.h"
#include "core/pegs/pegs_method.h"

#define MAX_RUNS 10000000

PegsModel *
pegs_audited_model(const char *name, const char *action)
{
	PegsModel  *model = pegs_model(name);

	pegs_require_curator(model->account, action);
	if (!pegs_is_private(model))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" has no guarantee that could be tested", name),
				 errdetail("There is none: %s.", model->method->no_guarantee),
				 errhint("Test a sealed or perturbed model.")));
	return model;
}

void
pegs_audited_tables(const PegsModel *model, pegs_wire *wire)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);

	pegs_require_tables(&env, model, wire);
}

/* ---- pegs_audit ---- */

static const char *
reason_of(pegs_fault fault)
{
	switch (fault)
	{
		case PEGS_SOUND:
			break;
		case PEGS_FAULT_TABLE:
			return "a measured table changes by more than its sensitivity";
		case PEGS_FAULT_SCORE:
			return "a score changes by more than its sensitivity";
		case PEGS_FAULT_COST:
			return "a step tells more than was paid for it";
		case PEGS_FAULT_TOTAL:
			return "the steps of a run together tell more than epsilon and delta allow";
		case PEGS_FAULT_RATIO:
			return "a likelihood ratio is above e^epsilon";
		case PEGS_FAULT_BESIDE:
			return "the fit reads counts beside the answers that it pays for";
		case PEGS_FAULT_RESET:
			return "a cell that was used in a block still weighs by its counts";
		case PEGS_FAULT_URN:
			return "an urn does not hold its table and what was drawn from it";
		case PEGS_FAULT_VISIT:
			return "one draw tells more than its share of epsilon";
		case PEGS_FAULT_NOISE:
			return "less noise is drawn than was paid for, or cells share it";
		case PEGS_FAULT_CHOICE:
			return "choices are drawn with less chance than was paid for";
	}
	return NULL;
}

static void
refuse_runs(int runs)
{
	if (runs < PEGS_AUDIT_LEAST_RUNS || runs > MAX_RUNS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("runs must be between %d and %d", PEGS_AUDIT_LEAST_RUNS, MAX_RUNS),
				 errhint("runs => 10000")));
}

/* Arguments n, block, given, delta and options, which 0.2.0's SQL does not have: one row, one block, epsilon alone. */
static void
sample_arguments(FunctionCallInfo fcinfo, PegsRequest *request)
{
	bool		old = PG_NARGS() < 8;

	request->delta = old ? 0 : pegs_arg_delta(fcinfo, 6, "delta");
	request->block = old ? 1 : pegs_arg_count(fcinfo, 4, "block");
	request->n = old || PG_ARGISNULL(3) ? request->block : pegs_arg_count(fcinfo, 3, "n");
	request->given_json = old ? NULL : pegs_arg_object(fcinfo, 5, "given");
	if (!pegs_is_sealed(request->model) && (request->block != 1 || request->n != 1 || request->given_json || request->delta > 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("n, block, given and delta are of samples of a sealed model, and model \"%s\" is perturbed", request->model->name),
				 errdetail("What was spent on it was spent by its fit, and fits are what is audited."),
				 errhint("SELECT * FROM pegs_audit(%s);", quote_literal_cstr(request->model->name))));
	pegs_request_options(request, old ? NULL : pegs_arg_object(fcinfo, 7, "options"));
	if (request->fresh || request->numbered || request->independent || request->parts > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("options of pegs_audit are of draws from urns"),
				 errhint("options => '{\"draw\": \"urn\"}'")));
}

static bool
same_labels(const PegsColumn *a, const PegsColumn *b)
{
	bool		same = a->nlabels == b->nlabels && a->nullable == b->nullable;

	for (int i = 0; same && i < a->nlabels; i++)
		same = strcmp(a->labels[i], b->labels[i]) == 0;
	return same;
}

static void
say_without_groups(const PegsColumn *column, const PegsModel *model)
{
	ereport(NOTICE,
			(errmsg("column \"%s\" is audited without groups: they, or its levels, are not declared any more as when model \"%s\" was fitted", column->name, model->name),
			 errdetail("Groups are a hint of the fit. A model does not keep them."),
			 errhint("Declare them as they were: pegs_set_groups.")));
}

/* A model keeps of which columns its fit knew groups, and not which: what is audited has those that are declared now, in the same order of levels. */
static const PegsSpec *
spec_with_groups(const PegsModel *model, const PegsSource *source)
{
	PegsSpec   *spec = palloc(sizeof(PegsSpec));
	PegsDomain *domain = palloc(sizeof(PegsDomain));
	const PegsDomain *declared;

	if (model->spec->grouped == NULL)
		return model->spec;
	declared = pegs_domain_of(source);
	*spec = *model->spec;
	spec->domain = domain;
	*domain = *model->spec->domain;
	domain->column = palloc(sizeof(PegsColumn) * domain->ncols);
	for (int i = 0; i < domain->ncols; i++)
	{
		int			now = pegs_domain_find(declared, model->spec->domain->column[i].name);

		domain->column[i] = model->spec->domain->column[i];
		if (!spec->grouped[i])
			continue;
		if (now >= 0 && declared->column[now].group && same_labels(&domain->column[i], &declared->column[now]))
			domain->column[i].group = declared->column[now].group;
		else
			say_without_groups(&domain->column[i], model);
	}
	return spec;
}

/* Rows of its table as it is now, and the same with a unit more. */
static void
count_again(PegsAudit *audit, const int32 *given)
{
	const PegsModel *model = audit->model;
	PegsSource *source = pegs_original_as_fitted(model, "audit its models");
	PegsCounter *counter = pegs_counter_of_method(spec_with_groups(model, source), model->method, CurrentMemoryContext);

	pegs_load_unit(source);
	pegs_counter_scan(counter, source);
	pegs_make_neighbour(audit, &counter->layout, counter->cells, given, model->rows_per_unit);
}

/* Units of several tables as they are now, and without the first one: its row of the root goes with all that refers to it. */
static void
count_units_again(PegsAudit *audit)
{
	PegsRelatives *relatives = pegs_relatives_as_fitted(audit->model, "audit its models", false);
	pegs_env   *env = palloc(sizeof(pegs_env));

	*env = pegs_env_in(CurrentMemoryContext);
	for (int i = 0; i < 3; i++)
		pegs_tally_of(env, relatives->related, &audit->tally[i]);
	pegs_count_units(relatives, env, &audit->tally[1], &audit->tally[0]);
	audit->related = relatives->related;
	audit->layout = &audit->tally[0].layout;
}

/* A sample of a sealed model, from its tables and from those with a unit more. */
static void
audit_samples(PegsAudit *audit, PegsRequest *request)
{
	const PegsModel *model = audit->model;
	pegs_wire  *wire = palloc(sizeof(pegs_wire));	/* audit->layout is its own */

	if (request->epsilon == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("epsilon must not be null: model \"%s\" is sealed", model->name),
				 errhint("The epsilon of the samples that are attacked: epsilon => 1")));
	pegs_request_given(request);
	pegs_request_price(request);
	audit->epsilon = request->epsilon;
	audit->delta = request->delta;
	if (model->method->fit)
	{
		/* a model that was fitted has no tables */
		count_again(audit, request->given);
		pegs_attack_regressions(audit, request);
		return;
	}
	pegs_audited_tables(model, wire);
	pegs_make_neighbour(audit, &wire->layout, wire->cells, request->given, model->rows_per_unit);
	if (model->structure_epsilon > 0 && OidIsValid(model->source))
		audit->fault = pegs_weigh_structure(model);
	if (model->method->urns)
		pegs_attack_urns(audit, request, wire);
	else
		pegs_attack_samples(audit, request, wire);
}

/* The fit of a perturbed model, of the table as it is now and with a unit more. */
static void
audit_fits(PegsAudit *audit)
{
	const PegsModel *model = audit->model;

	if (model->method->of_a_model)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("score \"%s\" was made of %s: nothing was spent on it", model->name, model->counted_by),
				 errhint("Audit that model.")));
	audit->epsilon = model->epsilon;
	audit->delta = model->delta;
	if (model->spec->related)
		count_units_again(audit);
	else
		count_again(audit, NULL);
	pegs_attack_fits(audit);
}

/* What the runs show: to be printed, and almost for sure. */
static void
weigh_runs(const PegsAudit *audit, double delta, pegs_bound *shown, pegs_bound *sure)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);

	if (pegs_epsilon_bound(&env, audit->seen[0], audit->seen[1], audit->runs, delta, PEGS_AUDIT_CONFIDENCE, shown) != PEGS_OK
		|| pegs_epsilon_bound(&env, audit->seen[0], audit->seen[1], audit->runs, delta, 1 - PEGS_AUDIT_MISS, sure) != PEGS_OK)
		elog(ERROR, "too few runs");
}

static void
put_audit(ReturnSetInfo *result, const PegsAudit *audit, double epsilon, double delta, const pegs_bound *shown, const char *reason)
{
	Datum		values[13];
	bool		nulls[13] = {false};

	values[0] = Float8GetDatum(epsilon);
	values[1] = Float8GetDatum(shown->epsilon);
	values[2] = Float8GetDatum(PEGS_AUDIT_CONFIDENCE);
	values[3] = Int32GetDatum(audit->runs);
	values[4] = CStringGetTextDatum(psprintf("log likelihood ratio %s %.6g", shown->complement ? "<" : ">=", shown->threshold));
	values[5] = Float8GetDatum(shown->share[0]);
	values[6] = Float8GetDatum(shown->share[1]);
	values[7] = BoolGetDatum(reason == NULL);
	values[8] = CStringGetTextDatum("none");
	nulls[9] = reason == NULL;
	values[9] = reason ? CStringGetTextDatum(reason) : (Datum) 0;
	values[10] = Float8GetDatum(audit->exact);
	nulls[11] = delta == 0;
	if (delta > 0)
	{
		pegs_errors errors = pegs_errors_of(audit->seen[1], audit->seen[0], audit->runs, PEGS_AUDIT_CONFIDENCE);

		values[11] = Float8GetDatum(pegs_gaussian_epsilon(pegs_gaussian_mu(&errors), delta));
	}
	values[12] = CStringGetTextDatum(pegs_is_sealed(audit->model) ? "log likelihood ratio of all draws of a sample"
									 : "log likelihood ratio of all looks and choices of a fit");
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * pegs_audit(model text, runs int, epsilon float8, n int8, block int8, given jsonb, delta float8,
 *			  options jsonb)
 * → (epsilon, lower_bound, confidence, runs, event, share, share_neighbour, holds, guarantee, reason, exact_epsilon,
 *	  gaussian_epsilon, statistic); 0.2.0's SQL takes the first nine
 */
PG_FUNCTION_INFO_V1(pegs_audit);
Datum
pegs_audit(PG_FUNCTION_ARGS)
{
	PegsModel  *model = pegs_audited_model(pegs_arg_text(fcinfo, 0, "model"), "audit its models");
	int			runs = PG_ARGISNULL(1) ? 0 : PG_GETARG_INT32(1);
	PegsRequest request = {.model = model, .epsilon = pegs_arg_epsilon(fcinfo, 2, "epsilon")};
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	PegsAudit	audit = {.model = model, .runs = runs, .began = GetCurrentTimestamp()};
	double		epsilon;
	double		delta;
	pegs_bound	shown;
	pegs_bound	sure;
	const char *reason;

	refuse_runs(runs);
	sample_arguments(fcinfo, &request);
	for (int side = 0; side < 2; side++)
		audit.seen[side] = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * runs);
	if (pegs_is_sealed(model))
		audit_samples(&audit, &request);
	else
		audit_fits(&audit);
	epsilon = (double) audit.epsilon / 1e9;
	delta = (double) audit.delta * 1e-18;
	weigh_runs(&audit, delta, &shown, &sure);
	reason = reason_of(audit.fault);
	if (reason == NULL && (sure.epsilon > epsilon || (delta > 0 && request.sweeps == 0 && !model->method->urns
												&& !pegs_fit_draws_urns(model->method, model->spec->own) && pegs_told_apart_too_well(&audit))))
		reason = "the tables are told apart better than epsilon and delta allow";
	put_audit(result, &audit, epsilon, delta, &shown, reason);
	return (Datum) 0;
}
