/*
 * verify.c
 *	  Proof in the server: pegs_verify enumerates a small sealed model exactly,
 *	  or looks at all weights of one whose proof is in them.
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
#include "core/regression/regression_method.h"
#include "core/urn_verify.h"

/* The sampler of `rows` rows at epsilon, as pegs_sample would set it. */
static PegsStream *
stream_of(PegsRequest *request, const pegs_wire *wire)
{
	uint8_t		key[PEGS_KEY_BYTES];
	PegsStream *stream;

	pegs_request_given(request);
	pegs_request_price(request);
	stream = pegs_stream_over(request, wire);
	if (request->model->method->urns)
	{
		/* filled; nothing is drawn */
		pegs_new_key(key);
		pegs_stream_start(stream, key);
	}
	return stream;
}

/*
 * Enumerated: blocks of PeGS and urns of whole tables. What a regression draws by is looked at.
 * PEGS_ERR_TOO_LARGE: there is too much of it.
 */
static pegs_status
verify(PegsRequest *request, const pegs_wire *wire, pegs_verdict *verdict)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_draws *draws = pegs_stream_draws(stream_of(request, wire));
	const pegs_layout *layout = &wire->layout;
	uint32		rows = (uint32) request->n;
	const pegs_gibbs *gibbs;
	pegs_status status;

	if (pegs_is_regression(request->model->method))
		return pegs_verify_floor(draws, rows, verdict);
	if (request->model->method->urns)
		return pegs_verify_urns(&env, (const pegs_urns *) draws, layout->ncols, layout->levels, request->alpha, rows, pegs_urn_put_back,
								verdict);
	gibbs = pegs_sealed_sampler(draws);
	status = pegs_verify_block(&env, gibbs->layout, gibbs->cells, gibbs->alpha, rows, pegs_gibbs_visit, verdict);
	/* rows that the sampler does not take for one block are several blocks, each with its own cost */
	verdict->bound *= (double) ((request->n - 1) / (int64) Max(gibbs->block, 1) + 1);
	return status;
}

static bool
can_be_verified(const PegsModel *model)
{
	return model->method->payment == PEGS_PAID_BY_SAMPLE && model->spec->domain->nzeros == 0
		&& (pegs_is_regression(model->method)
			|| (model->rows_per_unit <= 1 && (pegs_is_gibbs(model->method) || model->method->urns)));
}

/* pegs_verify(model text, epsilon float8, block int) → (neighbours, outputs, worst, bound, epsilon, holds, guarantee) */
PG_FUNCTION_INFO_V1(pegs_verify);
Datum
pegs_verify(PG_FUNCTION_ARGS)
{
	PegsModel  *model = pegs_audited_model(pegs_arg_text(fcinfo, 0, "model"), "verify its models");
	int64		epsilon = pegs_arg_epsilon(fcinfo, 1, "epsilon");
	int64		rows = pegs_arg_count(fcinfo, 2, "block");
	PegsRequest request = {.model = model, .n = rows, .block = model->method->urns || pegs_is_regression(model->method) ? 1 : rows, .epsilon = epsilon};
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	pegs_wire	wire;
	pegs_verdict verdict;
	Datum		values[7];
	bool		nulls[7] = {false};

	if (!can_be_verified(model))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("only a sealed model of single rows without forbidden combinations can be enumerated"),
				 pegs_is_regression(model->method) ? errhint("Fit columns of which no combination is forbidden.")
				 : errhint("SELECT * FROM pegs_audit(%s); attacks any model.", quote_literal_cstr(model->name))));
	if (epsilon == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("epsilon must not be null"),
				 errhint("epsilon => 1")));
	pegs_audited_tables(model, &wire);
	if (rows > PEGS_VERIFY_VISITS || verify(&request, &wire, &verdict) != PEGS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("model \"%s\" has too many outputs to be enumerated", model->name),
				 pegs_is_regression(model->method)
				 ? errdetail("All rows of the declared domain, times its columns, may be at most %llu, and block %d.", (unsigned long long) PEGS_MOST_PATHS, PEGS_VERIFY_VISITS)
				 : errdetail("All rows of the declared domain, to the power of block + %d, may be at most %llu.",
							 model->method->urns ? 1 : 2, (unsigned long long) PEGS_MOST_PATHS / 2),
				 errhint("Verify a model of fewer columns or levels; pegs_audit attacks any.")));
	nulls[0] = pegs_is_regression(model->method);	/* any two tables */
	values[0] = Int64GetDatum((int64) verdict.neighbours);
	values[1] = Int64GetDatum((int64) verdict.paths);
	values[2] = Float8GetDatum(verdict.worst);
	values[3] = Float8GetDatum(verdict.bound);
	values[4] = Float8GetDatum((double) epsilon / 1e9);
	values[5] = BoolGetDatum(verdict.holds && verdict.bound <= (double) epsilon / 1e9);
	values[6] = CStringGetTextDatum("none");
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	return (Datum) 0;
}
