/*
 * stream.c
 *	  Where the codes of a model's rows come from, one row after the other.
 *
 * Everything that can fail is in pegs_stream, before a charge; what comes after
 * depends on nothing that the caller could still get wrong. Law L2.
 *
 * Rows come in batches (core/method.h). Of a perturbed model each batch has a
 * stream of its own, and can be made alone: who makes some, and who makes the
 * others, have parts of one table.
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
	uint64_t	n;
	bool		one_stream;		/* for all batches */
	uint64_t	first;			/* batch that is asked for */
	uint64_t	batch;			/* that comes next */
	uint64_t	end;			/* the first that is not asked for */
	uint32_t	left;			/* rows of the batch at hand */
};

void
pegs_refuse_given(const PegsRequest *request)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the combination given has probability zero in model \"%s\"", request->model->name),
			 request->given_json && JB_ROOT_COUNT(request->given_json) == 1 ? errhint("Give another value: this one has no row.")
			 : errhint("Give fewer columns, or values that occur together.")));
}

/* Everything that can fail; no randomness yet. */
PegsStream *
pegs_stream(const PegsRequest *request)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_wire	wire;

	pegs_require_tables(&env, request->model, &wire);
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
	pegs_refuse_related(model);
	ask.batch = pegs_env_in(AllocSetContextCreate(CurrentMemoryContext, "pegs batch", ALLOCSET_DEFAULT_SIZES));
	ask.forget = forget_batch;
	stream->method = model->method;
	stream->wire = *wire;
	stream->context = CurrentMemoryContext;
	stream->name = model->name;
	stream->n = (uint64_t) request->n;
	stream->one_stream = stream->method->payment != PEGS_PAID_AT_FIT
		|| (stream->method->one_stream && stream->method->one_stream(stream->wire.model));
	stream->end = pegs_batches(stream->n);
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
			pegs_refuse_given(request);
			break;
		default:
			elog(ERROR, "the tables of a model do not fit its method");
	}
	return stream;
}

/* Part `part` of `parts`, from 1 on: as many batches as another part has, or one more. Before it starts; or an error. */
void
pegs_stream_part(PegsStream *stream, int64 part, int64 parts)
{
	uint64_t	batches = pegs_batches(stream->n);

	if (stream->one_stream && parts > 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("rows of model \"%s\" cannot be made in parts", stream->name),
				 errdetail("It was fitted by an older version, whose rows depend on all rows before them."),
				 errhint("Fit it again: SELECT pegs_refit(%s, epsilon => 1, delta => 1e-9);", quote_literal_cstr(stream->name))));
	stream->first = pegs_part_ends(batches, (uint64) part - 1, (uint64) parts);
	stream->end = pegs_part_ends(batches, (uint64) part, (uint64) parts);
}

void
pegs_stream_start(PegsStream *stream, const uint8_t *key)
{
	if (stream->rng == NULL)
		stream->rng = pegs_rng_in(stream->context, key, 1);
	else
		pegs_rng_init(stream->rng, key, 1);	/* an audit starts it again and again */
	stream->method->start(stream->draws, stream->rng);
	stream->batch = stream->first;
	stream->left = 0;
}

/*
 * The next batch, if there is one. What all batches share was drawn when the
 * stream started, and is drawn again: the first batch goes on from there, the
 * others on streams of their own.
 */
static bool
next_batch(PegsStream *stream)
{
	uint64_t	batch = stream->batch;

	if (batch == stream->end)
		return false;
	if (batch > 0 && !stream->one_stream)
	{
		pegs_rng_move(stream->rng, 1);
		stream->method->start(stream->draws, stream->rng);
		pegs_rng_move(stream->rng, pegs_stream_of_batch(1, batch));
		if (stream->method->seek)
			stream->method->seek(stream->draws, batch);
	}
	stream->left = pegs_batch_rows(stream->n, batch);
	stream->batch++;
	return true;
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

/* The next row of those that are asked for, with its turn; false: there is none. */
bool
pegs_stream_pull(PegsStream *stream, PegsTurn turn, void *arg, uint16_t *row)
{
	while (stream->left == 0)
	{
		uint64_t	batch = stream->batch;

		if (!next_batch(stream))
			return false;
		if (turn)
			turn(arg, stream->one_stream ? 0 : batch, (int64) pegs_batch_starts(stream->n, batch));
	}
	stream->left--;
	pegs_stream_next(stream, row);
	return true;
}

void
pegs_stream_rows(PegsStream *stream, PegsTurn turn, PegsPutRow put, void *arg)
{
	uint16_t   *row = pegs_stream_room(stream);

	while (pegs_stream_pull(stream, turn, arg, row))
		put(arg, row);
}

/* For the codes of a row. */
uint16_t *
pegs_stream_room(const PegsStream *stream)
{
	return palloc0(sizeof(uint16_t) * (stream->wire.ncols + 1));	/* a slice's own column has code 0 */
}

void
pegs_draw_rows(PegsRequest *request, const uint8_t *key, PegsTurn turn, PegsPutRow put, void *arg)
{
	PegsStream *stream;

	pegs_request_given(request);
	stream = pegs_stream(request);
	pegs_stream_start(stream, key);
	pegs_stream_rows(stream, turn, put, arg);
}
