/*
 * verify.c
 *	  Proof in the server: pegs_verify enumerates a small sealed model exactly.
 *
 * It looks at exact counts: not private, for the curator alone; nothing is
 * charged and nothing is stored. A test of this build on this table. The
 * proof for all tables is docs/privacy.md.
 */
#include "measures/measures.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "core/pegs/pegs_method.h"
#include "core/pegs/verify.h"

/* The sampler of one block of `block` rows at epsilon, as pegs_sample would set it. */
static const pegs_gibbs *
sampler_of(PegsModel *model, const pegs_wire *wire, int64 epsilon, int64 block)
{
	PegsRequest request = {.model = model, .n = block, .block = block, .epsilon = epsilon};

	pegs_request_given(&request);
	pegs_request_price(&request);
	return pegs_sealed_sampler(pegs_stream_draws(pegs_stream_over(&request, wire)));
}

/* pegs_verify(model text, epsilon float8, block int) → (neighbours, outputs, worst, bound, epsilon, holds, guarantee) */
PG_FUNCTION_INFO_V1(pegs_verify);
Datum
pegs_verify(PG_FUNCTION_ARGS)
{
	PegsModel  *model = pegs_audited_model(pegs_arg_text(fcinfo, 0, "model"), "verify its models");
	int64		epsilon = pegs_arg_epsilon(fcinfo, 1, "epsilon");
	int64		block = pegs_arg_count(fcinfo, 2, "block");
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_wire	wire;
	pegs_verdict verdict;
	const pegs_gibbs *sampler;
	double		bound;
	Datum		values[7];
	bool		nulls[7] = {false};

	if (!pegs_is_gibbs(model->method) || model->spec->domain->nzeros > 0 || model->rows_per_unit > 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("only a sealed model of single rows without forbidden combinations can be enumerated"),
				 !pegs_is_gibbs(model->method) && model->method->payment == PEGS_PAID_BY_SAMPLE ? errhint("Take a model of method 'pegs'.")
				 : errhint("SELECT * FROM pegs_audit(%s); attacks any model.", quote_literal_cstr(model->name))));
	if (epsilon == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("epsilon must not be null"),
				 errhint("epsilon => 1")));
	pegs_audited_tables(model, &wire);
	sampler = sampler_of(model, &wire, epsilon, block);
	if (block > PEGS_VERIFY_VISITS
		|| pegs_verify_block(&env, sampler->layout, sampler->cells, sampler->alpha, (uint32) block,
							 pegs_gibbs_visit, &verdict) != PEGS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("model \"%s\" has too many outputs to be enumerated", model->name),
				 errdetail("All rows of the declared domain, to the power of block + 2, may be at most %llu.",
						   (unsigned long long) PEGS_MOST_PATHS / 2),
				 errhint("Verify a model of fewer columns or levels; pegs_audit attacks any.")));
	/* rows that the sampler does not take for one block are several blocks, each with its own cost */
	bound = verdict.bound * (double) ((block - 1) / (int64) Max(sampler->block, 1) + 1);
	values[0] = Int64GetDatum((int64) verdict.neighbours);
	values[1] = Int64GetDatum((int64) verdict.paths);
	values[2] = Float8GetDatum(verdict.worst);
	values[3] = Float8GetDatum(bound);
	values[4] = Float8GetDatum((double) epsilon / 1e9);
	values[5] = BoolGetDatum(verdict.holds && bound <= (double) epsilon / 1e9);
	values[6] = CStringGetTextDatum("none");
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	return (Datum) 0;
}
