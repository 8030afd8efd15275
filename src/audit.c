/*
 * audit.c
 *	  Proof in the server: pegs_verify enumerates a small sealed model exactly,
 *	  pegs_audit attacks any model and bounds its epsilon from below.
 *
 * Both look at exact counts: not private, for the curator alone; nothing is
 * charged and nothing is stored. They are tests of this build on this table.
 * The proof for all tables is docs/privacy.md.
 */
#include "pegs.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "core/verify.h"
#include "measure/bound.h"

#define CONFIDENCE 0.95
#define MOST_RUNS 10000000

static PegsModel *
curated_model(const char *name, const char *deed)
{
	PegsModel  *model = pegs_model(name);

	pegs_require_curator(model->account, deed);
	if (model->l_diversity > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" has no guarantee that could be tested", name),
				 errhint("l-diversity is not differential privacy.")));
	return model;
}

static void
read_tables(const PegsModel *model, pegs_wire *wire)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);

	if (!pegs_model_tables(&env, model, wire))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" has no tables", model->name),
				 errhint("Sealed models are left out of dumps: drop it and fit it again.")));
}

/* The alpha of one block of `block` rows at epsilon, as pegs_sample would take it. */
static uint64
alpha_of(const PegsModel *model, int64 epsilon, int64 block)
{
	PegsRequest request = {.model = unconstify(PegsModel *, model), .n = block, .block = block, .epsilon = epsilon};

	pegs_request_given(&request);
	pegs_request_price(&request);
	return request.alpha;
}

/* pegs_verify(model text, epsilon float8, block int) → (neighbours, outputs, worst, bound, epsilon, holds, guarantee) */
PG_FUNCTION_INFO_V1(pegs_verify);
Datum
pegs_verify(PG_FUNCTION_ARGS)
{
	PegsModel  *model = curated_model(pegs_arg_text(fcinfo, 0, "model"), "verify its models");
	int64		epsilon = pegs_arg_epsilon(fcinfo, 1, "epsilon");
	int64		block = pegs_arg_count(fcinfo, 2, "block");
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_wire	wire;
	pegs_verdict verdict;
	Datum		values[7];
	bool		nulls[7] = {false};

	if (!model->sealed || model->spec->domain->nrules > 0 || model->rows_per_unit > 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("only a sealed model of single rows without forbidden combinations can be enumerated"),
				 errhint("SELECT * FROM pegs_audit(%s); attacks any model.", quote_literal_cstr(model->name))));
	if (epsilon == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("epsilon must not be null"),
				 errhint("epsilon => 1")));
	read_tables(model, &wire);
	if (block > PEGS_VERIFY_VISITS
		|| pegs_verify_block(&env, &wire.layout, wire.cells, alpha_of(model, epsilon, block), (uint32) block,
							 pegs_gibbs_visit, &verdict) != PEGS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("model \"%s\" has too many outputs to be enumerated", model->name),
				 errdetail("All rows of the declared domain, to the power of block + 2, may be at most %llu.",
						   (unsigned long long) PEGS_MOST_PATHS / 2),
				 errhint("Verify a model of fewer columns or levels; pegs_audit attacks any.")));
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

/* ---- the attack ---- */

/*
 * The row whose presence shows most: where the tables hold as little as
 * possible beside it. A few rounds of choosing each column's rarest level.
 */
static void
rarest_row(const pegs_layout *layout, const uint64_t *cells, uint16_t *row)
{
	memset(row, 0, sizeof(uint16_t) * layout->ncols);
	for (int round = 0; round < 4; round++)
		for (uint32_t c = 0; c < layout->ncols; c++)
		{
			uint64_t	least = PG_UINT64_MAX;
			uint16_t	best = 0;

			for (uint32_t level = 0; level < layout->levels[c]; level++)
			{
				uint64_t	sum = 0;

				row[c] = (uint16_t) level;
				if (layout->kind == PEGS_PAIRS)
					sum = cells[layout->offset[c] + level];
				else
					for (uint32_t i = 0; i < layout->ncols; i++)
						sum += cells[layout->offset[i] + pegs_layout_key(layout, i, row) * layout->levels[i] + row[i]];
				if (sum < least)
				{
					least = sum;
					best = (uint16_t) level;
				}
			}
			row[c] = best;
		}
}

/* In how many columns the first row of a sample at this alpha agrees with the row that one table has more. */
static void
attack_sealed(const pegs_layout *layout, const uint64_t *cells, uint64 alpha, const uint16_t *target, uint32 runs, double *seen)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	int32_t    *given = palloc(sizeof(int32_t) * layout->ncols);
	pegs_gibbs	gibbs = {.layout = layout, .cells = cells, .alpha = alpha, .block = 1, .given = given};
	uint8_t		key[PEGS_KEY_BYTES];
	pegs_rng   *rng;

	for (uint32_t c = 0; c < layout->ncols; c++)
		given[c] = -1;
	pegs_gibbs_init(&env, &gibbs);
	pegs_new_key(key);
	rng = pegs_rng_in(CurrentMemoryContext, key, 0);
	for (uint32 run = 0; run < runs; run++)
	{
		pegs_gibbs_new_block(&gibbs);
		(void) pegs_gibbs_seed(&gibbs, rng, 1);
		pegs_gibbs_next(&gibbs, rng);
		seen[run] = 0;
		for (uint32_t c = 0; c < layout->ncols; c++)
			seen[run] += gibbs.row[c] == target[c];
		CHECK_FOR_INTERRUPTS();
	}
}

/* How many rows a fit says there are at the levels of that row, over all columns. */
static void
attack_fit(const PegsModel *model, const pegs_layout *layout, const uint64_t *cells, const uint16_t *target, uint32 runs,
		   double *seen)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs audit", ALLOCSET_DEFAULT_SIZES);
	uint8_t		key[PEGS_KEY_BYTES];
	MemoryContext old;

	pegs_new_key(key);
	old = MemoryContextSwitchTo(context);
	for (uint32 run = 0; run < runs; run++)
	{
		pegs_env	env = pegs_env_in(context);
		pegs_account account;
		pegs_fitted fitted;

		pegs_account_init(&account, model->epsilon, model->delta, model->rows_per_unit);
		pegs_engine_fit(&env, pegs_rng_in(context, key, run), &account, layout, cells, &fitted);
		seen[run] = 0;
		for (uint32_t c = 0; c < layout->ncols; c++)
			seen[run] += fitted.share[c][target[c]] * fitted.rows;
		MemoryContextReset(context);
		CHECK_FOR_INTERRUPTS();
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* One row more: in the 1-way and pair tables, or in the conditional ones. */
static void
add_row(const pegs_layout *layout, uint64_t *cells, const uint16_t *row)
{
	uint16_t  **codes = palloc(sizeof(uint16_t *) * layout->ncols);

	for (uint32_t c = 0; c < layout->ncols; c++)
		codes[c] = unconstify(uint16_t *, &row[c]);
	pegs_count_chunk(layout, cells, codes, 1);
}

/*
 * pegs_audit(model text, runs int, epsilon float8)
 * → (epsilon, lower_bound, confidence, runs, event, share, share_neighbour, holds, guarantee)
 */
PG_FUNCTION_INFO_V1(pegs_audit);
Datum
pegs_audit(PG_FUNCTION_ARGS)
{
	PegsModel  *model = curated_model(pegs_arg_text(fcinfo, 0, "model"), "audit its models");
	int			runs = PG_ARGISNULL(1) ? 0 : PG_GETARG_INT32(1);
	int64		epsilon = pegs_arg_epsilon(fcinfo, 2, "epsilon");
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	const pegs_layout *layout;
	uint64_t   *cells;
	uint16_t   *target;
	double	   *seen[2];
	pegs_wire	wire;
	pegs_bound	bound;
	Datum		values[9];
	bool		nulls[9] = {false};

	if (runs < 100 || runs > MOST_RUNS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("runs must be between 100 and %d", MOST_RUNS),
				 errhint("runs => 10000")));
	if (model->rows_per_unit > 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the audit adds one row, and the unit of model \"%s\" is a person of several", model->name),
				 errhint("Audit a model of single rows of the same columns.")));
	if (model->sealed)
	{
		if (epsilon == 0)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("epsilon must not be null: model \"%s\" is sealed", model->name),
					 errhint("The epsilon of the samples that are attacked: epsilon => 1")));
		read_tables(model, &wire);
		layout = &wire.layout;
		cells = wire.cells;
	}
	else
	{
		PegsSource *source = pegs_curated_original(model, "audit its models");
		PegsCounter *counter = pegs_counter(model->spec, CurrentMemoryContext, true);

		pegs_load_unit(source);
		pegs_counter_scan(counter, source);
		layout = &counter->layout;
		cells = counter->cells;
		epsilon = model->epsilon;
	}
	target = palloc(sizeof(uint16_t) * layout->ncols);
	rarest_row(layout, cells, target);
	for (int i = 0; i < 2; i++)
	{
		if (i == 1)
			add_row(layout, cells, target);
		seen[i] = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * runs);
		if (model->sealed)
			attack_sealed(layout, cells, alpha_of(model, epsilon, 1), target, runs, seen[i]);
		else
			attack_fit(model, layout, cells, target, runs, seen[i]);
	}
	if (pegs_epsilon_bound(&env, seen[0], seen[1], runs, (double) model->delta * 1e-18, CONFIDENCE, &bound) != PEGS_OK)
		elog(ERROR, "too few runs");
	values[0] = Float8GetDatum((double) epsilon / 1e9);
	values[1] = Float8GetDatum(bound.epsilon);
	values[2] = Float8GetDatum(CONFIDENCE);
	values[3] = Int32GetDatum(runs);
	values[4] = CStringGetTextDatum(psprintf("%s %s %.6g", model->sealed ? "columns of the first row that agree with the added row"
											 : "rows at the levels of the added row, over all columns",
											 bound.complement ? "<" : ">=", bound.threshold));
	values[5] = Float8GetDatum(bound.share[0]);
	values[6] = Float8GetDatum(bound.share[1]);
	values[7] = BoolGetDatum(bound.epsilon <= (double) epsilon / 1e9);
	values[8] = CStringGetTextDatum("none");
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	return (Datum) 0;
}
