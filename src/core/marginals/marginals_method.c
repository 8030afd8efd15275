/*
 * marginals_method.c
 *	  Noisy tables of single columns as a method: paid at the fit, the columns of
 *	  a row are independent.
 */
#include "core/method.h"

#include <stdio.h>

#include "core/column/column.h"
#include "core/marginals/marginals.h"
#include "core/points.h"
#include "core/possible.h"
#include "core/record.h"
#include "core/shares.h"
#include "core/urn_fit.h"
#include "core/wire.h"

struct pegs_draws
{
	pegs_env	env;
	const pegs_marginals *model;
	pegs_ask	ask;
	pegs_rng   *rng;
	double	  **line;			/* [columns] of its levels */
	bool		hopeless;		/* a row that the model gives is hardly ever possible */

	pegs_points *points;		/* [columns] apportioned: each column in an order of its own */
	uint16_t  **codes;			/* [columns][rows] of the batch at hand */
	uint32_t	rows;
	uint32_t	next;
};

static double
noise(const pegs_env *env, const pegs_accountant *accountant, const pegs_layout *layout)
{
	return pegs_columns_noise(env, accountant, pegs_accountant_left(accountant), layout);
}

static void *
fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells)
{
	pegs_marginals *model = env->alloc(env->context, sizeof(pegs_marginals));

	pegs_marginals_fit(env, rng, accountant, layout, cells, model);
	return model;
}

static void
walk(pegs_cursor *c, uint32_t ncols, uint32_t *levels, void **model)
{
	if (c->pass == PEGS_READ)
	{
		pegs_marginals *read = c->env->alloc(c->env->context, sizeof(pegs_marginals));

		read->ncols = ncols;
		read->levels = levels;
		*model = read;
	}
	pegs_marginals_walk(c, *model);
}

static pegs_accountant *
accountant_of(void *model)
{
	return &((pegs_marginals *) model)->accountant;
}

static double
rows_of(const void *model)
{
	return ((const pegs_marginals *) model)->rows;
}

static const double *
shares_of(const void *model, uint32_t column)
{
	return ((const pegs_marginals *) model)->share[column];
}

static bool
is_of(const pegs_env *env, const void *model, const pegs_layout *layout)
{
	(void) env;
	return pegs_is_drawn_as_told(&((const pegs_marginals *) model)->accountant, layout, rows_of(model), 1);
}

/* ---- rows ---- */

static void *
prepare(const pegs_env *env, const void *model)
{
	const pegs_marginals *marginals = model;
	double	  **line = env->alloc(env->context, sizeof(double *) * marginals->ncols);

	for (uint32_t i = 0; i < marginals->ncols; i++)
		line[i] = pegs_shares_line(env, marginals->share[i], marginals->levels[i]);
	return line;
}

/* What is given changes nothing of other columns: so it may be what noise has left nothing on. */
static pegs_status
open_draws(const pegs_env *env, const pegs_wire *wire, const void *prepared, const pegs_ask *ask, pegs_draws **draws)
{
	pegs_draws *d = env->alloc(env->context, sizeof(pegs_draws));

	*draws = d;
	d->env = *env;
	d->model = wire->model;
	d->ask = *ask;
	d->line = prepared ? (double **) prepared : prepare(env, d->model);
	d->points = env->alloc(env->context, sizeof(pegs_points) * d->model->ncols);
	if (ask->zeros.n > 0 && !pegs_some_row_is_possible(env, d->model->ncols, d->model->levels, &ask->zeros, ask->given))
		return PEGS_ERR_NOTHING;
	return PEGS_OK;
}

static void
start(pegs_draws *d, pegs_rng *rng)
{
	d->rng = rng;
	for (uint32_t c = 0; c < d->model->ncols; c++)
		pegs_points_start(&d->points[c], d->ask.n, rng);
	d->rows = d->next = 0;
	d->hopeless = false;
}

static void
seek(pegs_draws *d, uint64_t batch)
{
	for (uint32_t c = 0; c < d->model->ncols; c++)
		pegs_points_seek(&d->points[c], batch);
}

static bool
is_given(const pegs_draws *d, uint32_t column)
{
	return d->ask.given && d->ask.given[column] >= 0;
}

static void
draw_row(const pegs_draws *d, uint16_t *row)
{
	for (uint32_t c = 0; c < d->model->ncols; c++)
		row[c] = (uint16_t) (is_given(d, c) ? (uint32_t) d->ask.given[c]
							 : pegs_share_at(d->line[c], d->model->levels[c], pegs_rng_double(d->rng)));
}

/*
 * Noise may have left (nearly) no weight on what is possible. How such a row is
 * replaced is post-processing: then any possible one will do.
 */
static bool
make_possible(pegs_draws *d, uint16_t *row)
{
	d->env.check(d->env.context);
	for (int tries = 0; tries < PEGS_MAX_TRIES; tries++)
	{
		if (!pegs_is_zero(&d->ask.zeros, row))
			return true;
		if (d->hopeless)
			break;
		if (tries % PEGS_TRIES_AT_ONCE == 0)
			d->env.check(d->env.context);
		draw_row(d, row);
	}
	d->hopeless = true;
	return pegs_uniform_row(&d->env, d->model->ncols, d->model->levels, &d->ask.zeros, d->ask.given, d->rng, row);
}

static void
next_batch(pegs_draws *d)
{
	const pegs_env *env = &d->ask.batch;
	uint32_t   *picked;

	d->ask.forget(env->context);
	d->rows = pegs_points_left(&d->points[0]);
	picked = env->alloc(env->context, sizeof(uint32_t) * d->rows);
	d->codes = env->alloc(env->context, sizeof(uint16_t *) * d->model->ncols);
	for (uint32_t c = 0; c < d->model->ncols; c++)
	{
		uint16_t   *codes = d->codes[c] = env->alloc(env->context, sizeof(uint16_t) * d->rows);

		pegs_points_pick(&d->points[c], env, d->rng, d->line[c], d->model->levels[c], picked);
		if (is_given(d, c))
			for (uint32_t r = 0; r < d->rows; r++)
				codes[r] = (uint16_t) d->ask.given[c];
		else
			for (uint32_t r = 0; r < d->rows; r++)
				codes[r] = (uint16_t) picked[r];
	}
	pegs_env_free(env, picked);
	d->next = 0;
}

static pegs_status
next(pegs_draws *d, uint16_t *row)
{
	if (d->ask.one_by_one)
		draw_row(d, row);
	else
	{
		if (d->next == d->rows)
			next_batch(d);
		for (uint32_t c = 0; c < d->model->ncols; c++)
			row[c] = d->codes[c][d->next];
		d->next++;
	}
	return make_possible(d, row) ? PEGS_OK : PEGS_ERR_NOTHING;
}

/* ---- words ---- */

static void
describe(const void *fitted, const pegs_writer *writer)
{
	const pegs_marginals *model = fitted;
	bool		drawn = pegs_is_drawn(&model->accountant);
	char		words[100];

	pegs_urn_record_words(writer, &model->accountant, model->rows, pegs_marginals_purposes, PEGS_MARGINALS_PURPOSES);
	if (drawn)
		pegs_urn_words(writer, &model->accountant, model->ncols, 1, model->rows);
	writer->words(writer->to, ", \"tables\": [");
	for (uint32_t i = 0; i < model->ncols; i++)
	{
		writer->words(writer->to, i > 0 ? ", {\"column\": " : "{\"column\": ");
		writer->column(writer->to, i);
		snprintf(words, sizeof(words), ", \"cells\": %u", model->levels[i]);
		writer->words(writer->to, words);
		if (!drawn)				/* from urns: alpha says it */
		{
			snprintf(words, sizeof(words), ", \"sigma\": %.6g", pegs_marginals_sd(model, i));
			writer->words(writer->to, words);
		}
		writer->words(writer->to, "}");
	}
	writer->words(writer->to, "]");
}

const pegs_method pegs_method_marginals = {
	.name = "marginals",
	.family = "marginals",
	.mechanism = "noise in every cell of the tables of single columns",
	.title = "single columns",
	.payment = PEGS_PAID_AT_FIT,
	.tables = PEGS_CONDITIONAL,
	.parents = PEGS_NO_PARENTS,
	.kind = 6,
	.options = pegs_urn_options,
	.draws_urns = pegs_fits_by_urns,
	.refuse = pegs_refuse_urn_settings,
	.late_zeros = true,
	.noise = noise,
	.fit = fit,
	.walk = walk,
	.is_of = is_of,
	.accountant = accountant_of,
	.rows = rows_of,
	.shares = shares_of,
	.prepare = prepare,
	.open = open_draws,
	.start = start,
	.seek = seek,
	.next = next,
	.describe = describe
};
