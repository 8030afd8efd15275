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

#include "core/pegs/diverse.h"

#define ROWS_PER_BATCH 131072

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

/* A sealed model's first row, that no zero forbids. */
static bool
seed(PegsStream *stream, pegs_rng *rng)
{
	for (int tries = 0; tries < PEGS_MAX_TRIES; tries += PEGS_TRIES_AT_ONCE)
	{
		CHECK_FOR_INTERRUPTS();
		if (pegs_gibbs_seed(&stream->gibbs, rng, PEGS_TRIES_AT_ONCE))
			return true;
	}
	return false;
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
	for (int tries = 0; !stream->hopeless && tries < PEGS_MAX_TRIES; tries += PEGS_TRIES_AT_ONCE)
	{
		CHECK_FOR_INTERRUPTS();
		if (pegs_draw_possible(&stream->draw, &stream->zeros, stream->rng, PEGS_TRIES_AT_ONCE, row))
			return;
	}
	stream->hopeless = true;
	if (!pegs_uniform_possible(stream->domain, stream->given, stream->rng, row))
		pegs_nothing_possible(stream->name);
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
				pegs_nothing_possible(request->model->name);
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
		/*
		 * Is there an allowed row with what is given? Asked with an all-zero
		 * key, of which nothing is released: a release that is stored must be
		 * readable.
		 */
		uint8_t		key[PEGS_KEY_BYTES] = {0};

		if (!pegs_uniform_possible(stream->domain, stream->given, pegs_rng_in(stream->context, key, 0), stream->row))
			pegs_nothing_possible(request->model->name);
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
