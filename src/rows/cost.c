/*
 * cost.c
 *	  What a call would cost: pegs_cost.
 */
#include "rows/rows.h"

#include <math.h>

#include "funcapi.h"
#include "utils/builtins.h"

/* Of a sealed call that is priced. */
static char *
spent_words(const PegsRequest *request)
{
	char	   *epsilon = psprintf("epsilon %s", pegs_units_text(request->epsilon, 9));

	return request->delta == 0 ? epsilon : psprintf("%s and delta %s", epsilon, pegs_units_text(request->delta, 18));
}

static char *
drawn_words(const PegsRequest *request, int64 blocks)
{
	const char *s;

	if (request->model->method->urns)
		return pstrdup("from urns");
	s = (request->sweeps > 0 ? request->sweeps : blocks) == 1 ? "" : "s";

	return request->sweeps > 0 ? psprintf("from urns, %s sweep%s a row", pegs_units_text(request->sweeps, 0), s)
		: psprintf("in %s block%s", pegs_units_text(blocks, 0), s);
}

/* What made-up rows are weighed against: how many of them are there for each alpha? */
static double
levels_of(const PegsModel *model)
{
	const PegsDomain *domain = model->spec->domain;
	double		mean = 0;
	double		product = 1;

	for (int i = 0; i < domain->ncols; i++)
	{
		mean += (double) pegs_column_levels(&domain->column[i]) / domain->ncols;
		product *= (double) pegs_column_levels(&domain->column[i]);
	}
	return model->method->tables == PEGS_JOINT ? product : mean;
}

/* A number of rows in digits: three that count, or all before the point. */
static char *
plain(double x)
{
	if (x > 0 && x < 0.001)
		return pstrdup("less than 0.001");
	return psprintf(x >= 999.5 && x < 1e15 ? "%.0f" : "%.3g", x);
}

/* By which claim, where there is a choice: what epsilon alone would have bought. */
static const char *
why_words(const PegsRequest *request, int64 offered)
{
	PegsRequest alone = *request;

	if (offered == 0)
		return "";
	if (request->delta == 0)
		return " No delta is charged: epsilon alone needs no more noise.";
	if (request->sweeps > 0 || request->model->method->urns)
		return " It is as much for any number of rows.";
	alone.delta = 0;
	if (!pegs_request_priced(&alone))
		return " The draws are bounded in range, and added up with delta; without it the noise would not fit in 64 bits.";
	return psprintf(" The draws are bounded in range, and added up with delta; without it there would be %s.",
					plain(ldexp((double) alone.alpha, -PEGS_ALPHA_BITS) / Max(request->model->rows_each, 1)));
}

/*
 * A block uses each cell once with its counts (P2): of how many of its draws
 * that leaves uniform ones, alpha says nothing. How many cells there are is public.
 */
static const char *
used_up_words(const PegsRequest *request)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	uint64		rows = (uint64) Min(request->block, request->n);
	double		seen = 0;
	pegs_layout layout;

	if (rows == 1 || request->sweeps > 0 || !pegs_has_blocks(request->model->method))
		return "";
	pegs_spec_layout(request->model->spec, &env, &layout);
	for (uint32_t i = 0; i < layout.ncols; i++)
		seen += (double) Min(rows, layout.keys[i]) / (double) rows;
	return seen == layout.ncols ? "; a block uses each cell once, and from then on it is uniform"
		: psprintf("; a block uses each cell once, so at most %.3g %% of its draws see counts, and the others are uniform", 100 * seen / layout.ncols);
}

/*
 * A sealed model that is no counts: alpha is held against all levels together
 * of one draw, so it says how much of a draw the model decides.
 */
static char *
kept_words(const PegsRequest *request, double weight)
{
	return psprintf("%s for %s rows: of each draw the model decides %.3g %%, and the rest is uniform", spent_words(request),
					pegs_units_text(request->n, 0), 100 / (1 + weight));
}

/* Urns where the budget adds up rho: what of it their epsilon takes, and what as much takes without them. Law L10. */
static const char *
urns_words(const PegsRequest *request, const PegsBill *bill)
{
	PegsRequest without = *request;
	PegsBill	of_pegs;

	if (request->sweeps == 0 || !pegs_is_in_rho(request->model->account))
		return "";
	without.sweeps = 0;
	pegs_request_bill(&without, "sample", request->model->name, &of_pegs);
	return psprintf("; the budget adds up rho, of which draws from urns take %s times what as much epsilon takes without them",
					plain((double) bill->rho / (double) Max(of_pegs.rho, 1)));
}

/* For how many such calls the budget has room: its curators' to know. */
static const char *
left_words(const PegsRequest *request)
{
	PegsBill	bill;
	char	   *left;

	if (!pegs_is_curator(request->model->account))
		return "";
	pegs_request_bill(request, "sample", request->model->name, &bill);
	left = pegs_calls_left_words(&bill, "call");
	return psprintf("%s%s", urns_words(request, &bill), left ? psprintf("; %s", left) : "");
}

/* Of slices all together: what the one that was fitted last was charged is not what they tell. */
static char *
spent_on(const PegsModel *model)
{
	if (model->slice)
		return psprintf("of slices: epsilon %s was spent for all of them together, when they were set", pegs_units_text(pegs_slices_cost(model).epsilon, 9));
	return psprintf("perturbed: epsilon %s was spent when it was fitted", pegs_units_text(model->epsilon, 9));
}

/* For how many fits like this one: its curators' to know. Slices are paid for, and others are not fitted anew. */
static const char *
refits_words(const PegsModel *model)
{
	PegsBill	bill = {.account = model->account, .epsilon = model->epsilon, .delta = model->delta, .action = "fit"};
	char	   *left;

	if (model->slice || !OidIsValid(model->source) || !pegs_is_read_here(model) || !pegs_is_curator(model->account))
		return "";
	pegs_bill_noise(&bill);
	left = pegs_calls_left_words(&bill, "refit");
	return left ? psprintf(" To fit it anew for as much: %s.", left) : "";
}

/* pegs_cost(model, n, epsilon, block, delta, options) → (alpha, blocks, real_rows, charged, in_words) */
PG_FUNCTION_INFO_V1(pegs_cost);
Datum
pegs_cost(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result;
	PegsModel  *model = pegs_model(pegs_arg_text(fcinfo, 0, "model"));
	PegsRequest request = {0};
	Datum		values[5];
	bool		nulls[5] = {false};
	int64		offered;

	request.model = model;
	request.n = PG_ARGISNULL(1) ? 0 : pegs_arg_count(fcinfo, 1, "n");
	request.epsilon = pegs_arg_epsilon(fcinfo, 2, "epsilon");
	request.block = pegs_arg_count(fcinfo, 3, "block");
	request.delta = offered = pegs_arg_delta(fcinfo, 4, "delta");
	/* 0.2.0's SQL has no options */
	pegs_request_options(&request, PG_NARGS() < 6 ? NULL : pegs_arg_object(fcinfo, 5, "options"));
	result = pegs_materialize(fcinfo, false);
	if (!pegs_is_private(model))
	{
		nulls[0] = nulls[1] = nulls[2] = true;
		values[3] = pegs_units_numeric(0, 9);
		values[4] = CStringGetTextDatum(psprintf("Model \"%s\" is %s: no guarantee, nothing is charged, and only the owner of the table may %s.",
												 model->name, model->l_diversity > 0 ? "l-diverse" : "not private", model->method->scorer ? "ask it" : "read its rows"));
	}
	else if (!pegs_is_sealed(model))
	{
		nulls[0] = nulls[1] = nulls[2] = true;
		values[3] = pegs_units_numeric(0, 9);
		values[4] = CStringGetTextDatum(psprintf("Model \"%s\" is %s; any number of %s is free%s.%s", model->name, spent_on(model),
												 model->method->scorer ? "scores" : "rows",
												 request.n != 0 || model->method->scorer ? "" : psprintf(", and without n there are %s", pegs_units_text(pegs_default_rows(model), 0)),
												 refits_words(model)));
	}
	else
	{
		double		alpha;
		double		levels = levels_of(model);
		uint64		blocks;
		bool		joint = model->method->tables == PEGS_JOINT;
		const char *counted = model->rows_each > 0 ? "persons" : "rows";

		if (request.n == 0)
			request.n = pegs_default_rows(model);
		if (request.epsilon == 0)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("epsilon must not be null: model \"%s\" is sealed", model->name),
					 errhint("Give the total epsilon of the call: epsilon => 1")));
		pegs_refuse_delta(&request);
		request.delta = offered = pegs_delta_of_call(model->account, offered);
		pegs_refuse_part(model);
		pegs_request_given(&request);
		pegs_request_price(&request);
		blocks = ((uint64) request.n - 1) / (uint64) request.block + 1;
		/* against what the model stands for: where persons weigh equally, each is rows_each counts */
		alpha = ldexp((double) request.alpha, -PEGS_ALPHA_BITS) / (model->method->fit ? 1 : Max(model->rows_each, 1));
		values[0] = Float8GetDatum(alpha);
		nulls[1] = request.sweeps > 0 || !pegs_has_blocks(model->method);
		nulls[2] = model->method->fit != NULL;
		values[1] = Int64GetDatum((int64) blocks);
		values[2] = Float8GetDatum(alpha * levels);
		values[3] = pegs_units_numeric(request.epsilon, 9);
		if (model->method->fit)
			values[4] = CStringGetTextDatum(psprintf("%s%s.", kept_words(&request, alpha * levels), left_words(&request)));
		else
			values[4] = CStringGetTextDatum(psprintf("%s for %s rows %s: every %s gets %s made-up %s; %s needs about %s real %s to outweigh them%s%s.%s",
													 spent_words(&request), pegs_units_text(request.n, 0), drawn_words(&request, (int64) blocks),
													 joint ? "cell of the table" : "level of every cell", plain(alpha), counted, joint ? "the table" : "a cell", plain(alpha * levels), counted,
													 used_up_words(&request), left_words(&request), why_words(&request, offered)));
	}
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	return (Datum) 0;
}
