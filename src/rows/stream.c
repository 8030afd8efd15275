/*
 * stream.c
 *	  Where the codes of a model's rows come from, one row after the other.
 *
 * Everything that can fail is in pegs_stream, before a charge; what comes after
 * depends on nothing that the caller could still get wrong. Law L2.
 */
#include "rows/rows.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

struct PegsStream
{
	const pegs_method *method;
	pegs_draws *draws;
	pegs_rng   *rng;
	pegs_wire	wire;
	MemoryContext context;
	const char *name;
};

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
				 errdetail("Sealed models are left out of dumps: this one held %s.", pegs_kept_words(request->model->method)),
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

static void
forget_batch(void *context)
{
	MemoryContextReset((MemoryContext) context);
}

/* The same over tables that are at hand. */
PegsStream *
pegs_stream_over(const PegsRequest *request, const pegs_wire *wire)
{
	const PegsModel *model = request->model;
	PegsStream *stream = palloc0(sizeof(PegsStream));
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_ask	ask = pegs_request_ask(request);

	pegs_require_no_score(model);
	ask.batch = pegs_env_in(AllocSetContextCreate(CurrentMemoryContext, "pegs batch", ALLOCSET_DEFAULT_SIZES));
	ask.forget = forget_batch;
	stream->method = model->method;
	stream->wire = *wire;
	stream->context = CurrentMemoryContext;
	stream->name = model->name;
	switch (stream->method->open(&env, &stream->wire, nothing_is_given(request) ? pegs_model_prepared(model) : NULL, &ask, &stream->draws))
	{
		case PEGS_OK:
			break;
		case PEGS_ERR_NOTHING:
			pegs_nothing_possible(stream->name);
			break;
		case PEGS_ERR_RANGE:
			if (pegs_is_sealed(model) && pegs_is_private(model))
				elog(ERROR, "method \"%s\" told before the charge what its counts say", stream->method->name);
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the combination given has probability zero in model \"%s\"", stream->name),
					 errhint("Give fewer columns, or values that occur together.")));
			break;
		default:
			elog(ERROR, "the tables of a model do not fit its method");
	}
	return stream;
}

void
pegs_stream_start(PegsStream *stream, const uint8_t *key)
{
	if (stream->rng == NULL)
		stream->rng = pegs_rng_in(stream->context, key, 1);
	else
		pegs_rng_init(stream->rng, key, 1);	/* an audit starts it again and again */
	stream->method->start(stream->draws, stream->rng);
}

pegs_draws *
pegs_stream_draws(PegsStream *stream)
{
	return stream->draws;
}

void
pegs_stream_next(PegsStream *stream, uint16_t *row)
{
	if (stream->method->next(stream->draws, row) != PEGS_OK)
		pegs_nothing_possible(stream->name);
}

void
pegs_stream_rows(PegsStream *stream, int64 n, PegsPutRow put, void *arg)
{
	uint16_t   *row = palloc0(sizeof(uint16_t) * (stream->wire.ncols + 1));	/* a slice's own column has code 0 */

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
