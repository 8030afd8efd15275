/*
 * sample.c
 *	  Rows of a model: pegs_sample, pegs_sample_as, and what a call would cost.
 *
 * Order of a call: arguments, right, facts, alpha, column list, level values,
 * body; then the charge; then the key; then rows. Nothing after the charge
 * depends on anything the caller could still get wrong. Law L2.
 */
#include "pegs.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "core/diverse.h"
#include "core/draw.h"

/* ---- where codes come from ---- */

#define ROWS_PER_BATCH 131072
#define MAX_TRIES 100000		/* rows drawn to find one that is not forbidden */
#define TRIES_AT_ONCE 100		/* a row may have 1,600 columns, and a rule for each */

struct PegsStream
{
	bool		sealed;
	pegs_gibbs	gibbs;
	pegs_draw	draw;
	pegs_rng   *rng;
	int			ncols;
	pegs_wire	wire;
	MemoryContext context;
	pegs_zeros	zeros;
	const char *name;
	const PegsDomain *domain;
	const int32 *given;
	bool		hopeless;		/* a row that the model gives is hardly ever allowed */
	uint16_t   *row;			/* scratch */

	bool		batches;		/* perturbed: apportioned and adjusted */
	MemoryContext batch_context;
	uint16_t  **codes;			/* [ncols][rows] of the batch at hand */
	uint32		rows;
	uint32		next;
	int64		left;			/* rows that no batch has made yet */
};

static void
nothing_possible(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("nearly every row of model \"%s\" is forbidden", name),
			 errdetail("No allowed row was found in %d tries.", MAX_TRIES),
			 errhint("Give other values, or look at what pegs_forbid declared.")));
}

/* A row that no rule forbids, uniform over the declared domain but for what is given; false if none was found. */
static bool
uniform_possible(const PegsDomain *domain, const int32 *given, pegs_rng *rng, uint16_t *row)
{
	pegs_zeros	zeros = {domain->nzeros, domain->zeros};

	for (int tries = 0; tries < MAX_TRIES; tries++)
	{
		if (tries % TRIES_AT_ONCE == 0)
			CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < domain->ncols; i++)
			row[i] = (uint16_t) (given && given[i] >= 0 ? (uint64) given[i]
								 : pegs_rng_below(rng, pegs_column_levels(&domain->column[i])));
		if (!pegs_is_zero(&zeros, row))
			return true;
	}
	return false;
}

/* A sealed model's first row, that no rule forbids. */
static bool
seed(PegsStream *stream, pegs_rng *rng)
{
	for (int tries = 0; tries < MAX_TRIES; tries += TRIES_AT_ONCE)
	{
		CHECK_FOR_INTERRUPTS();
		if (pegs_gibbs_seed(&stream->gibbs, rng, TRIES_AT_ONCE))
			return true;
	}
	return false;
}

/* Is there an allowed row at all? Asked with an all-zero key, of which nothing is released, before a fit is charged. */
void
pegs_require_possible_row(const char *model, const PegsDomain *domain)
{
	uint8_t		key[PEGS_KEY_BYTES] = {0};

	if (domain->nzeros > 0 && !uniform_possible(domain, NULL, pegs_rng_in(CurrentMemoryContext, key, 0),
											   palloc(sizeof(uint16_t) * domain->ncols)))
		nothing_possible(model);
}

/*
 * Noise may have left (nearly) no weight on what is allowed. How such a row is
 * replaced is post-processing: then any allowed one will do.
 */
static void
make_possible(PegsStream *stream, uint16_t *row)
{
	CHECK_FOR_INTERRUPTS();
	if (!pegs_is_zero(&stream->zeros, row))
		return;
	for (int tries = 0; !stream->hopeless && tries < MAX_TRIES; tries += TRIES_AT_ONCE)
	{
		CHECK_FOR_INTERRUPTS();
		if (pegs_draw_possible(&stream->draw, &stream->zeros, stream->rng, TRIES_AT_ONCE, row))
			return;
	}
	stream->hopeless = true;
	if (!uniform_possible(stream->domain, stream->given, stream->rng, row))
		nothing_possible(stream->name);
}

/* Everything that can fail; no randomness yet. */
PegsStream *
pegs_stream(const PegsRequest *request)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_wire	wire;

	if (!pegs_model_tables(&env, request->model, &wire))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" has no tables", request->model->name),
				 errdetail("Sealed models are left out of dumps: they hold exact counts."),
				 errhint("Drop it and fit it again: SELECT pegs_drop(%s);", quote_literal_cstr(request->model->name))));
	return pegs_stream_over(request, &wire);
}

static bool
nothing_is_given(const PegsRequest *request)
{
	for (int i = 0; request->given && i < request->model->spec->domain->ncols; i++)
		if (request->given[i] >= 0)
			return false;
	return true;
}

/* The same over tables that are at hand. */
PegsStream *
pegs_stream_over(const PegsRequest *request, const pegs_wire *wire)
{
	PegsStream *stream = palloc0(sizeof(PegsStream));
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	const pegs_draw *draw;

	stream->wire = *wire;
	stream->context = CurrentMemoryContext;
	stream->sealed = request->model->sealed;
	stream->ncols = stream->wire.ncols;
	stream->name = request->model->name;
	stream->domain = request->model->spec->domain;
	stream->given = request->given;
	stream->row = palloc(sizeof(uint16_t) * stream->ncols);
	stream->zeros.n = request->model->spec->domain->nzeros;
	stream->zeros.zero = request->model->spec->domain->zeros;
	if (stream->sealed)
	{
		stream->gibbs.layout = &stream->wire.layout;
		stream->gibbs.cells = stream->wire.cells;
		stream->gibbs.alpha = request->alpha;
		stream->gibbs.block = request->block;
		stream->gibbs.given = request->given;
		stream->gibbs.zeros = stream->zeros;
		pegs_gibbs_init(&env, &stream->gibbs);
		if (request->model->l_diversity > 0)
		{
			uint64_t   *alpha;

			if (pegs_alphas_diverse(&env, &stream->wire.layout, stream->wire.cells, request->model->l_diversity, &alpha) != PEGS_OK)
				elog(ERROR, "a column has fewer levels than l");
			stream->gibbs.alpha_of_key = alpha;
		}
		if (stream->zeros.n > 0)
		{
			/* is there an allowed row at all? asked with an all-zero key, of which nothing is released, before the charge */
			uint8_t		key[PEGS_KEY_BYTES] = {0};

			if (!seed(stream, pegs_rng_in(stream->context, key, 0)))
				nothing_possible(request->model->name);
		}
		return stream;
	}
	draw = nothing_is_given(request) ? pegs_model_draw(request->model) : NULL;
	if (draw)
		stream->draw = *draw;
	else if (pegs_draw_init(&env, &stream->wire.fitted, request->given, &stream->draw) != PEGS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the combination given has probability zero in model \"%s\"", request->model->name),
				 errhint("Give fewer columns, or values that occur together.")));
	if (stream->zeros.n > 0)
	{
		/* is there an allowed row with what is given? asked with an all-zero key, of which nothing is released: a release that is stored must be readable */
		uint8_t		key[PEGS_KEY_BYTES] = {0};

		if (!uniform_possible(stream->domain, stream->given, pegs_rng_in(stream->context, key, 0), stream->row))
			nothing_possible(request->model->name);
	}
	stream->batches = !request->independent && request->given_json == NULL;
	stream->left = request->n;
	if (stream->batches)
		stream->batch_context = AllocSetContextCreate(stream->context, "pegs batch", ALLOCSET_DEFAULT_SIZES);
	return stream;
}

void
pegs_stream_start(PegsStream *stream, const uint8_t *key)
{
	if (stream->rng == NULL)
		stream->rng = pegs_rng_in(stream->context, key, 1);
	else
		pegs_rng_init(stream->rng, key, 1);	/* an audit starts it again and again */
	if (stream->sealed)
		while (!seed(stream, stream->rng))
			;					/* some row is allowed: it was found before */
}

/* The sampler itself, with all that was set in it: what an audit weighs and pegs_verify enumerates. */
pegs_gibbs *
pegs_stream_gibbs(PegsStream *stream)
{
	Assert(stream->sealed);
	return &stream->gibbs;
}

const uint16_t *
pegs_stream_seed(const PegsStream *stream)
{
	Assert(stream->sealed);
	return stream->gibbs.row;
}

/* At most 2^17 rows at once, as equal as can be. */
static void
next_batch(PegsStream *stream)
{
	int64		batches = (stream->left - 1) / ROWS_PER_BATCH + 1;
	pegs_env	env;
	MemoryContext old;

	MemoryContextReset(stream->batch_context);
	env = pegs_env_in(stream->batch_context);
	old = MemoryContextSwitchTo(stream->batch_context);
	stream->rows = (uint32) ((stream->left - 1) / batches + 1);
	stream->codes = palloc(sizeof(uint16_t *) * stream->ncols);
	for (int i = 0; i < stream->ncols; i++)
		stream->codes[i] = palloc(sizeof(uint16_t) * stream->rows);
	pegs_draw_batch(&env, &stream->draw, stream->rng, stream->rows, stream->codes);
	for (uint32 r = 0; stream->zeros.n > 0 && r < stream->rows; r++)
	{
		for (int i = 0; i < stream->ncols; i++)
			stream->row[i] = stream->codes[i][r];
		make_possible(stream, stream->row);
		for (int i = 0; i < stream->ncols; i++)
			stream->codes[i][r] = stream->row[i];
	}
	pegs_adjust_batch(&env, &stream->wire.fitted, &stream->zeros, stream->rng, stream->rows, stream->codes);
	stream->left -= stream->rows;
	stream->next = 0;
	MemoryContextSwitchTo(old);
}

void
pegs_stream_next(PegsStream *stream, uint16_t *row)
{
	if (stream->sealed)
	{
		CHECK_FOR_INTERRUPTS(); /* a row weighs every level of every column */
		pegs_gibbs_next(&stream->gibbs, stream->rng);
		memcpy(row, stream->gibbs.row, sizeof(uint16_t) * stream->ncols);
	}
	else if (!stream->batches)
	{
		pegs_draw_row(&stream->draw, stream->rng, row);
		make_possible(stream, row);
	}
	else
	{
		if (stream->next == stream->rows)
			next_batch(stream);
		for (int i = 0; i < stream->ncols; i++)
			row[i] = stream->codes[i][stream->next];
		stream->next++;
	}
}

void
pegs_stream_rows(PegsStream *stream, int64 n, PegsPutRow put, void *arg)
{
	uint16_t   *row = palloc(sizeof(uint16_t) * stream->ncols);

	for (int64 i = 0; i < n; i++)
	{
		pegs_stream_next(stream, row);
		put(arg, row);
	}
}

void
pegs_draw_rows(PegsRequest *request, const uint8_t *key, PegsPutRow put, void *arg)
{
	PegsStream *stream;

	pegs_request_given(request);
	stream = pegs_stream(request);
	pegs_stream_start(stream, key);
	pegs_stream_rows(stream, request->n, put, arg);
}

/* ---- pegs_sample, pegs_sample_as ---- */

static void
sample(FunctionCallInfo fcinfo, bool by_type)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs sample", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	PegsRequest request;
	PegsBill	bill;
	bool		charges;
	PegsRows   *rows;
	PegsStream *stream;
	uint8_t		key[PEGS_KEY_BYTES];

	pegs_request(&request, fcinfo, by_type ? 1 : 0);
	rows = pegs_rows_begin(fcinfo, request.model->spec->domain, request.model->name, by_type);
	stream = pegs_stream(&request);
	if (request.model->sealed || request.fresh)
		pegs_new_key(key);
	else
		memcpy(key, request.model->key, sizeof(key));
	if (request.model->l_diversity > 0)
		pegs_note_uncovered(request.model->account, "uncovered sample", request.model->name);
	charges = request.model->sealed && request.model->l_diversity == 0;
	if (charges)
	{
		pegs_request_bill(&request, "sample", request.model->name, &bill);
		pegs_charge(&bill);
	}
	pegs_stream_start(stream, key);
	pegs_rows_key(rows, key);
	explicit_bzero(key, sizeof(key));
	pegs_stream_rows(stream, request.n, pegs_rows_put, rows);
	if (charges)
		pegs_charge_done(&bill);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* pegs_sample(model, n, epsilon, block, delta, given, options) → SETOF record */
PG_FUNCTION_INFO_V1(pegs_sample);
Datum
pegs_sample(PG_FUNCTION_ARGS)
{
	sample(fcinfo, false);
	return (Datum) 0;
}

/* pegs_sample_as(row_type anyelement, model, n, epsilon, block, delta, given, options) → SETOF anyelement */
PG_FUNCTION_INFO_V1(pegs_sample_as);
Datum
pegs_sample_as(PG_FUNCTION_ARGS)
{
	sample(fcinfo, true);
	return (Datum) 0;
}

/* The planner learns n: support function of both. */
PG_FUNCTION_INFO_V1(pegs_sample_support);
Datum
pegs_sample_support(PG_FUNCTION_ARGS)
{
	Node	   *node = (Node *) PG_GETARG_POINTER(0);
	SupportRequestRows *request = (SupportRequestRows *) node;
	List	   *args;
	Node	   *n;

	if (!IsA(node, SupportRequestRows) || !is_funcclause(request->node))
		PG_RETURN_POINTER(NULL);
	args = ((FuncExpr *) request->node)->args;
	if (list_length(args) < 7)
		PG_RETURN_POINTER(NULL);
	n = estimate_expression_value(request->root, list_nth(args, list_length(args) - 6));
	if (!IsA(n, Const) || ((Const *) n)->constisnull || ((Const *) n)->consttype != INT8OID
		|| DatumGetInt64(((Const *) n)->constvalue) < 1)
		PG_RETURN_POINTER(NULL);
	request->rows = (double) DatumGetInt64(((Const *) n)->constvalue);
	PG_RETURN_POINTER(request);
}

/* ---- pegs_cost(model, n, epsilon, block, delta) ---- */

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
	request.n = pegs_arg_count(fcinfo, 1, "n");
	request.epsilon = pegs_arg_epsilon(fcinfo, 2, "epsilon");
	request.block = pegs_arg_count(fcinfo, 3, "block");
	request.delta = pegs_arg_delta(fcinfo, 4, "delta");
	result = pegs_materialize(fcinfo, false);
	if (model->l_diversity > 0)
	{
		nulls[0] = nulls[1] = nulls[2] = true;
		values[3] = pegs_units_numeric(0, 9);
		values[4] = CStringGetTextDatum(psprintf("Model \"%s\" is l-diverse: no guarantee, nothing is charged, and only the owner of the table may read its rows.", model->name));
	}
	else if (!model->sealed)
	{
		nulls[0] = nulls[1] = nulls[2] = true;
		values[3] = pegs_units_numeric(0, 9);
		values[4] = CStringGetTextDatum(psprintf("Model \"%s\" is perturbed: epsilon %s was spent when it was fitted; any number of rows is free.",
												 model->name, pegs_units_text(model->epsilon, 9)));
	}
	else
	{
		double		alpha;
		double		levels = 0;
		uint64		blocks;
		const char *counted = model->rows_each > 0 ? "persons" : "rows";

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
		values[0] = Float8GetDatum(alpha);
		values[1] = Int64GetDatum((int64) blocks);
		values[2] = Float8GetDatum(alpha * levels);
		values[3] = pegs_units_numeric(request.epsilon, 9);
		values[4] = CStringGetTextDatum(psprintf("%s for %s rows in %s block(s): every level of every cell gets %.3g made-up %s; a cell needs about %.3g real %s to outweigh them.",
												 psprintf("epsilon %s", pegs_units_text(request.epsilon, 9)),
												 pegs_units_text(request.n, 0), pegs_units_text((int64) blocks, 0), alpha, counted, alpha * levels, counted));
	}
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	return (Datum) 0;
}
