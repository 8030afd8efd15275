/*
 * graph_method.c
 *	  The fit-once engine as a method: paid at the fit, rows from a junction
 *	  tree, apportioned and adjusted in batches.
 */
#include "core/method.h"

#include "core/graph/draw.h"
#include "core/graph/engine.h"
#include "core/graph/smooth.h"
#include "core/graph/state.h"
#include "core/graph/walk.h"
#include "core/possible.h"
#include "core/record.h"
#include "core/wire.h"

#include <math.h>
#include <stdio.h>

/* What a session keeps of a model. */
typedef struct ready
{
	pegs_draw	draw;
	pegs_expected_pairs *expected;	/* found by the first batch that wants it */
} ready;

struct pegs_draws
{
	pegs_env	env;
	const pegs_fitted *model;
	ready		ready;
	pegs_ask	ask;
	pegs_rng   *rng;
	bool		hopeless;		/* a row that the model gives is hardly ever possible */
	uint16_t   *row;			/* scratch */

	uint16_t  **codes;			/* [columns][rows] of the batch at hand */
	uint32_t	rows;
	uint32_t	next;
	uint64_t	left;			/* rows that no batch has made yet */
};

/* Pairs that are too many for memory are counted when they are looked at. */
static bool
keeps_rows(const pegs_layout *layout)
{
	return layout->pair_offset == NULL;
}

static void *
fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells)
{
	pegs_fitted *model = env->alloc(env->context, sizeof(pegs_fitted));

	pegs_engine_fit(env, rng, accountant, layout, cells, model);
	return model;
}

static void
walk(pegs_cursor *c, uint32_t ncols, uint32_t *levels, void **model)
{
	if (c->pass == PEGS_READ)
	{
		pegs_fitted *read = c->env->alloc(c->env->context, sizeof(pegs_fitted));

		read->ncols = ncols;
		read->levels = levels;
		*model = read;
	}
	pegs_graph_walk(c, *model);
}

static pegs_accountant *
accountant_of(void *model)
{
	return &((pegs_fitted *) model)->accountant;
}

static double
rows_of(const void *model)
{
	return ((const pegs_fitted *) model)->rows;
}

static const double *
shares_of(const void *model, uint32_t column)
{
	return ((const pegs_fitted *) model)->share[column];
}

/* The tree, ready to draw from. */
static pegs_status
get_ready(const pegs_env *env, const pegs_fitted *model, const int32_t *given, ready *r)
{
	r->expected = env->alloc(env->context, sizeof(pegs_expected_pairs));
	r->expected->env = *env;
	return pegs_draw_init(env, model, given, &r->draw);
}

static void *
prepare(const pegs_env *env, const void *model)
{
	ready	   *r = env->alloc(env->context, sizeof(ready));

	return get_ready(env, model, NULL, r) == PEGS_OK ? r : NULL;
}

static pegs_status
open_draws(const pegs_env *env, const pegs_wire *wire, const void *prepared, const pegs_ask *ask, pegs_draws **draws)
{
	pegs_draws *d = env->alloc(env->context, sizeof(pegs_draws));

	*draws = d;
	d->env = *env;
	d->model = wire->model;
	d->ask = *ask;
	d->row = env->alloc(env->context, sizeof(uint16_t) * d->model->ncols);
	if (prepared)
		d->ready = *(const ready *) prepared;
	else if (get_ready(env, d->model, ask->given, &d->ready) != PEGS_OK)
		return PEGS_ERR_RANGE;
	if (ask->zeros.n > 0 && !pegs_some_row_is_possible(env, d->model->ncols, d->model->levels, &ask->zeros, ask->given))
		return PEGS_ERR_NOTHING;
	return PEGS_OK;
}

static void
start(pegs_draws *d, pegs_rng *rng)
{
	d->rng = rng;
	d->left = d->ask.n;
	d->rows = d->next = 0;
	d->hopeless = false;
}

static void
seek(pegs_draws *d, uint64_t batch)
{
	d->left = d->ask.n - pegs_batch_starts(d->ask.n, batch);
}

static bool
one_stream(const void *model)
{
	return !((const pegs_fitted *) model)->smooth;
}

/*
 * Noise may have left (nearly) no weight on what is possible. How such a row is
 * replaced is post-processing: then any possible one will do.
 */
static bool
make_possible(pegs_draws *d, uint16_t *row)
{
	d->env.check(d->env.context);
	if (!pegs_is_zero(&d->ask.zeros, row))
		return true;
	for (int tries = 0; !d->hopeless && tries < PEGS_MAX_TRIES; tries += PEGS_TRIES_AT_ONCE)
	{
		d->env.check(d->env.context);
		if (pegs_draw_possible(&d->ready.draw, &d->ask.zeros, d->rng, PEGS_TRIES_AT_ONCE, row))
			return true;
	}
	d->hopeless = true;
	return pegs_uniform_row(&d->env, d->model->ncols, d->model->levels, &d->ask.zeros, d->ask.given, d->rng, row);
}

/* At most 2^17 rows at once, as equal as can be. */
static bool
next_batch(pegs_draws *d)
{
	uint32_t	ncols = d->model->ncols;
	const pegs_env *env = &d->ask.batch;

	d->ask.forget(env->context);
	d->rows = pegs_batch_rows(d->left, 0);
	d->codes = env->alloc(env->context, sizeof(uint16_t *) * ncols);
	for (uint32_t i = 0; i < ncols; i++)
		d->codes[i] = env->alloc(env->context, sizeof(uint16_t) * d->rows);
	pegs_draw_batch(env, &d->ready.draw, d->rng, d->rows, d->codes);
	for (uint32_t r = 0; d->ask.zeros.n > 0 && r < d->rows; r++)
	{
		for (uint32_t i = 0; i < ncols; i++)
			d->row[i] = d->codes[i][r];
		if (!make_possible(d, d->row))
			return false;
		for (uint32_t i = 0; i < ncols; i++)
			d->codes[i][r] = d->row[i];
	}
	if (d->model->smooth)
		pegs_smooth_batch(env, d->model, d->ready.expected, &d->ask.zeros, d->rng, d->rows, d->codes);
	else
		pegs_adjust_batch(env, d->model, &d->ask.zeros, d->rng, d->rows, d->codes);
	d->left -= d->rows;
	d->next = 0;
	return true;
}

static pegs_status
next(pegs_draws *d, uint16_t *row)
{
	if (d->ask.one_by_one)
	{
		pegs_draw_row(&d->ready.draw, d->rng, row);
		return make_possible(d, row) ? PEGS_OK : PEGS_ERR_NOTHING;
	}
	if (d->next == d->rows && !next_batch(d))
		return PEGS_ERR_NOTHING;
	for (uint32_t i = 0; i < d->model->ncols; i++)
		row[i] = d->codes[i][d->next];
	d->next++;
	return PEGS_OK;
}

/* ---- what was measured, what it cost, and the tree that it made ---- */

static void
describe_pairs(const pegs_writer *writer, uint32_t n, const pegs_pair *pairs)
{
	char		words[200];

	for (uint32_t p = 0; p < n; p++)
	{
		const pegs_pair *pair = &pairs[p];

		writer->words(writer->to, p > 0 ? ", {\"columns\": [" : "{\"columns\": [");
		writer->column(writer->to, pair->column[0]);
		writer->words(writer->to, ", ");
		writer->column(writer->to, pair->column[1]);
		snprintf(words, sizeof(words), "], \"classes\": [%u, %u], \"cells\": %u, \"measured\": %u, \"sigma\": %.6g, \"in_tree\": %s}",
				 pair->k[0], pair->k[1], pair->k[0] * pair->k[1], pair->n, sqrt(pair->variance), pair->outside ? "false" : "true");
		writer->words(writer->to, words);
	}
}

static void
describe(const void *fitted, const pegs_writer *writer)
{
	const pegs_fitted *model = fitted;
	char		words[200];

	pegs_record_words(writer, &model->accountant, model->rows, pegs_graph_purposes, PEGS_GRAPH_PURPOSES);
	writer->words(writer->to, ", \"pairs\": [");
	describe_pairs(writer, model->npairs, model->pair);
	if (model->rank)
	{
		writer->words(writer->to, "], \"siblings\": [");
		describe_pairs(writer, model->nsiblings, model->sibling);
	}
	writer->words(writer->to, "], \"triples\": [");
	for (uint32_t t = 0; t < model->ntriples; t++)
	{
		const pegs_triple *triple = &model->triple[t];

		for (int x = 0; x < 3; x++)
		{
			writer->words(writer->to, x > 0 ? ", " : t > 0 ? ", {\"columns\": [" : "{\"columns\": [");
			writer->column(writer->to, triple->column[x]);
		}
		snprintf(words, sizeof(words), "], \"cells\": %u, \"measured\": %u, \"sigma\": %.6g, \"in_tree\": %s}",
				 model->levels[triple->column[0]] * model->levels[triple->column[1]] * model->levels[triple->column[2]], triple->n,
				 sqrt(triple->variance), triple->outside ? "false" : "true");
		writer->words(writer->to, words);
	}
	writer->words(writer->to, "], \"cliques\": [");
	for (uint32_t i = 0; i < model->tree.nclique; i++)
	{
		const pegs_clique *clique = &model->tree.clique[i];

		writer->words(writer->to, i > 0 ? ", {\"columns\": [" : "{\"columns\": [");
		for (uint32_t x = 0; x < clique->n; x++)
		{
			if (x > 0)
				writer->words(writer->to, ", ");
			writer->column(writer->to, clique->column[x]);
		}
		snprintf(words, sizeof(words), "], \"cells\": %zu}", clique->cells);
		writer->words(writer->to, words);
	}
	writer->words(writer->to, "]");
}

const pegs_method pegs_method_graph = {
	.name = "graph",
	.mechanism = "noisy 1-, 2- and 3-way tables, some privately chosen, junction tree",
	.title = "chosen pairs and triples",
	.payment = PEGS_PAID_AT_FIT,
	.tables = PEGS_PAIRS,
	.triples = true,
	.kind = 3,
	.aims = true,
	.later = true,
	.keeps_rows = keeps_rows,
	.fit = fit,
	.noise = pegs_graph_noise,
	.forecast = pegs_graph_forecast,
	.walk = walk,
	.accountant = accountant_of,
	.rows = rows_of,
	.shares = shares_of,
	.prepare = prepare,
	.open = open_draws,
	.start = start,
	.seek = seek,
	.one_stream = one_stream,
	.next = next,
	.describe = describe
};
