/*
 * cost.c
 *	  What a call would cost: pegs_cost.
 */
#include "rows/rows.h"

#include <math.h>

#include "funcapi.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(pegs_cost);
Datum
pegs_cost(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result;
	PegsModel  *model = pegs_model(pegs_arg_text(fcinfo, 0, "model"));
	PegsRequest request = {0};
	const PegsDomain *domain = model->spec->domain;
	Datum		values[5];
	bool		nulls[5] = {false};

	request.model = model;
	request.n = PG_ARGISNULL(1) ? 0 : pegs_arg_count(fcinfo, 1, "n");
	request.epsilon = pegs_arg_epsilon(fcinfo, 2, "epsilon");
	request.block = pegs_arg_count(fcinfo, 3, "block");
	request.delta = pegs_arg_delta(fcinfo, 4, "delta");
	result = pegs_materialize(fcinfo, false);
	if (!pegs_is_private(model))
	{
		nulls[0] = nulls[1] = nulls[2] = true;
		values[3] = pegs_units_numeric(0, 9);
		values[4] = CStringGetTextDatum(psprintf("Model \"%s\" is %s: no guarantee, nothing is charged, and only the owner of the table may read its rows.",
												 model->name, model->l_diversity > 0 ? "l-diverse" : "not private"));
	}
	else if (!pegs_is_sealed(model))
	{
		nulls[0] = nulls[1] = nulls[2] = true;
		values[3] = pegs_units_numeric(0, 9);
		values[4] = CStringGetTextDatum(psprintf("Model \"%s\" is perturbed: epsilon %s was spent when it was fitted; any number of rows is free%s.",
												 model->name, pegs_units_text(model->epsilon, 9),
												 request.n != 0 ? "" : psprintf(", and without n there are %s", pegs_units_text(pegs_default_rows(model), 0))));
	}
	else
	{
		double		alpha;
		double		levels = 0;
		uint64		blocks;
		char	   *left = NULL;
		const char *counted = model->rows_each > 0 ? "persons" : "rows";

		if (request.n == 0)
			request.n = pegs_default_rows(model);
		if (request.epsilon == 0)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("epsilon must not be null: model \"%s\" is sealed", model->name),
					 errhint("Give the total epsilon of the call: epsilon => 1")));
		if (request.delta != 0)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("a sealed model takes no delta in this version"),
					 errhint("Leave delta out.")));
		pegs_refuse_part(model);
		pegs_request_given(&request);
		pegs_request_price(&request);
		blocks = ((uint64) request.n - 1) / (uint64) request.block + 1;
		/* against what the model stands for: where persons weigh equally, each is rows_each counts */
		alpha = ldexp((double) request.alpha, -PEGS_ALPHA_BITS) / Max(model->rows_each, 1);
		for (int i = 0; i < domain->ncols; i++)
			levels += (double) pegs_column_levels(&domain->column[i]) / domain->ncols;
		/* what is left of an account is its curators' to know */
		if (pegs_is_curator(model->account))
		{
			PegsBill	bill;

			pegs_request_bill(&request, "sample", model->name, &bill);
			left = pegs_calls_left_words(&bill, "call");
		}
		values[0] = Float8GetDatum(alpha);
		values[1] = Int64GetDatum((int64) blocks);
		values[2] = Float8GetDatum(alpha * levels);
		values[3] = pegs_units_numeric(request.epsilon, 9);
		values[4] = CStringGetTextDatum(psprintf("%s for %s rows in %s block%s: every level of every cell gets %.3g made-up %s; a cell needs about %.3g real %s to outweigh them%s%s.",
												 psprintf("epsilon %s", pegs_units_text(request.epsilon, 9)),
												 pegs_units_text(request.n, 0), pegs_units_text((int64) blocks, 0), blocks == 1 ? "" : "s", alpha, counted, alpha * levels, counted,
												 left ? "; " : "", left ? left : ""));
	}
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	return (Datum) 0;
}
