/*
 * table_method.c
 *	  The noisy table of all columns as a method: paid at the fit, a row is a
 *	  cell of it.
 */
#include "core/method.h"

#include <math.h>
#include <stdio.h>

#include "core/points.h"
#include "core/possible.h"
#include "core/record.h"
#include "core/shares.h"
#include "core/table/joint.h"
#include "core/table/within.h"
#include "core/urn_fit.h"
#include "core/wire.h"

struct pegs_draws
{
	pegs_env	env;
	const pegs_joint *model;
	pegs_ask	ask;
	pegs_rng   *rng;
	uint32_t	n;				/* cells that have what is given, and are no zeros; 0: any possible row will do */
	const uint32_t *cell;		/* [n] */
	const double *below;		/* [n + 1] weight of the cells before */

	pegs_points points;			/* apportioned */
	uint32_t   *picked;			/* [rows] of these cells, of the batch at hand */
	uint32_t	rows;
	uint32_t	next;
};

static const pegs_option options[] = {
	PEGS_OPTION_NOISE,
	PEGS_OPTION_ROWS,
	PEGS_OPTION_PRIOR_OF(true),
	[PEGS_URN_WITHIN] = {.name = "within", .kind = PEGS_OPTION_COLUMNS, .example = "[\"sex\"], \"noise\": \"dirichlet\", \"rows\": 50000"},
	{.name = NULL}
};

/* Of draws within combinations: there are as many from each, and not too many of all. */
static pegs_refusal
refuse(const pegs_layout *layout)
{
	pegs_refusal refusal = pegs_refuse_urn_settings(layout);
	const bool *within = layout->settings ? layout->settings[PEGS_URN_WITHIN].columns : NULL;

	if (refusal.why || within == NULL)
		return refusal;
	if (!pegs_fits_by_urns(layout->settings))
		return (pegs_refusal) {
			.why = "option \"within\" goes with \"noise\": \"dirichlet\" alone",
			.hint = "Add to options: \"noise\": \"dirichlet\", \"rows\": 1000; or leave \"within\" out."
		};
	if (layout->settings[PEGS_URN_ROWS].number * pegs_combinations(layout->ncols, layout->levels, within, NULL) > PEGS_MOST_DRAWN)
		return (pegs_refusal) {
			.why = "option \"rows\" times the combinations of \"within\" are more than 100,000,000",
			.hint = "\"rows\" are drawn for each combination of the columns of \"within\": ask for fewer, or name fewer columns."
		};
	return pegs_refuse_within(layout->ncols, within);
}

/* A cell that is kept has its number and its weight; with noise each may be, of draws no more than there are. */
static double
most_bytes(const pegs_layout *layout)
{
	const pegs_setting *settings = layout->settings;
	double		kept = (double) layout->ncells;

	if (settings && pegs_fits_by_urns(settings))
	{
		const bool *within = settings[PEGS_URN_WITHIN].columns;

		kept = fmin(kept, settings[PEGS_URN_ROWS].number * (within ? pegs_combinations(layout->ncols, layout->levels, within, NULL) : 1));
	}
	return kept * (sizeof(uint32_t) + sizeof(double));
}

static double
noise(const pegs_env *env, const pegs_accountant *accountant, const pegs_layout *layout)
{
	(void) env;
	(void) layout;
	return pegs_noise_sd(accountant, pegs_accountant_left(accountant));
}

static void *
fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells)
{
	pegs_joint *model = env->alloc(env->context, sizeof(pegs_joint));

	pegs_joint_fit(env, rng, accountant, layout, cells, model);
	return model;
}

static void
walk(pegs_cursor *c, uint32_t ncols, uint32_t *levels, void **model)
{
	if (c->pass == PEGS_READ)
	{
		pegs_joint *read = c->env->alloc(c->env->context, sizeof(pegs_joint));

		read->ncols = ncols;
		read->levels = levels;
		*model = read;
	}
	pegs_joint_walk(c, *model);
}

static pegs_accountant *
accountant_of(void *model)
{
	return &((pegs_joint *) model)->accountant;
}

static double
rows_of(const void *model)
{
	return ((const pegs_joint *) model)->rows;
}

static const double *
shares_of(const void *model, uint32_t column)
{
	return ((const pegs_joint *) model)->share[column];
}

static bool
is_of(const pegs_env *env, const void *fitted, const pegs_layout *layout)
{
	const pegs_joint *model = fitted;
	const bool *within = layout->settings[PEGS_URN_WITHIN].columns;
	uint32_t	urns = within ? pegs_equal_strata(env, model->ncols, model->levels, within, model->cell, model->weight, model->n) : 1;

	return urns > 0 && pegs_is_drawn_as_told(&model->accountant, layout, model->rows, urns);
}

/* ---- rows ---- */

static void *
prepare(const pegs_env *env, const void *model)
{
	const pegs_joint *joint = model;

	return pegs_shares_line(env, joint->weight, joint->n);
}

/* The cells that are asked for. */
static void
take_some(pegs_draws *d)
{
	const pegs_joint *model = d->model;
	uint16_t   *row = d->env.alloc(d->env.context, sizeof(uint16_t) * model->ncols);
	uint32_t   *cell = d->env.alloc(d->env.context, sizeof(uint32_t) * model->n);
	double	   *weight = d->env.alloc(d->env.context, sizeof(double) * model->n);

	d->n = 0;
	for (uint32_t i = 0; i < model->n; i++)
	{
		if (i % PEGS_TRIES_AT_ONCE == 0)
			d->env.check(d->env.context);
		pegs_joint_row(model->ncols, model->levels, model->cell[i], row);
		if (!pegs_is_asked_for(model->ncols, &d->ask.zeros, d->ask.given, row))
			continue;
		cell[d->n] = model->cell[i];
		weight[d->n++] = model->weight[i];
	}
	d->cell = cell;
	d->below = pegs_shares_line(&d->env, weight, d->n);
	pegs_env_free(&d->env, weight);
	pegs_env_free(&d->env, row);
}

/*
 * Noise may have left no weight on what is asked for. Of what is given it is
 * said; where zeros have left nothing any possible row will do, which is
 * post-processing.
 */
static pegs_status
open_draws(const pegs_env *env, const pegs_wire *wire, const void *prepared, const pegs_ask *ask, pegs_draws **draws)
{
	pegs_draws *d = env->alloc(env->context, sizeof(pegs_draws));

	*draws = d;
	d->env = *env;
	d->model = wire->model;
	d->ask = *ask;
	if (ask->given || ask->zeros.n > 0)
		take_some(d);
	else
	{
		d->n = d->model->n;
		d->cell = d->model->cell;
		d->below = prepared ? prepared : pegs_shares_line(env, d->model->weight, d->n);
	}
	if (d->n > 0)
		return PEGS_OK;
	if (ask->zeros.n > 0 && !pegs_some_row_is_possible(env, d->model->ncols, d->model->levels, &ask->zeros, ask->given))
		return PEGS_ERR_NOTHING;
	return ask->given ? PEGS_ERR_RANGE : PEGS_OK;
}

static void
start(pegs_draws *d, pegs_rng *rng)
{
	d->rng = rng;
	pegs_points_start(&d->points, d->ask.n, rng);
	d->rows = d->next = 0;
}

static void
seek(pegs_draws *d, uint64_t batch)
{
	pegs_points_seek(&d->points, batch);
}

static void
next_batch(pegs_draws *d)
{
	const pegs_env *env = &d->ask.batch;

	d->ask.forget(env->context);
	d->rows = pegs_points_left(&d->points);
	d->picked = env->alloc(env->context, sizeof(uint32_t) * d->rows);
	pegs_points_pick(&d->points, env, d->rng, d->below, d->n, d->picked);
	d->next = 0;
}

static pegs_status
next(pegs_draws *d, uint16_t *row)
{
	const pegs_joint *model = d->model;
	uint32_t	cell;

	if (d->n == 0)
		return pegs_uniform_row(&d->env, model->ncols, model->levels, &d->ask.zeros, d->ask.given, d->rng, row) ? PEGS_OK : PEGS_ERR_NOTHING;
	if (d->ask.one_by_one)
	{
		d->env.check(d->env.context);
		cell = pegs_share_at(d->below, d->n, pegs_rng_double(d->rng));
	}
	else
	{
		if (d->next == d->rows)
			next_batch(d);
		cell = d->picked[d->next++];
	}
	pegs_joint_row(model->ncols, model->levels, d->cell[cell], row);
	return PEGS_OK;
}

/* ---- words ---- */

static void
describe(const void *fitted, const pegs_writer *writer)
{
	const pegs_joint *model = fitted;
	char		words[200];

	pegs_urn_record_words(writer, &model->accountant, model->rows, pegs_joint_purposes, PEGS_JOINT_PURPOSES);
	snprintf(words, sizeof(words), ", \"cells\": %.0f, \"cells_with_rows\": %u", (double) pegs_joint_cells(model), model->n);
	writer->words(writer->to, words);
	if (pegs_is_drawn(&model->accountant))
	{
		/* as many from each urn; a row is in one of them */
		uint32_t	urns = model->accountant.record[PEGS_FOR_URNS - 1].uses;

		pegs_urn_words(writer, &model->accountant, 1, (uint32_t) pegs_joint_cells(model), model->rows / urns);
	}
	else
	{
		snprintf(words, sizeof(words), ", \"sigma\": %.6g", pegs_joint_sd(model));
		writer->words(writer->to, words);
	}
}

/* Pairs are as good as those of graph, and more than pairs is had: bench/methods. */
static double
rows_wanted(const pegs_layout *layout, double epsilon)
{
	return pegs_fits_by_urns(layout->settings) ? 0 : 3 * (double) layout->ncells / epsilon;
}

const pegs_method pegs_method_table = {
	.name = "table",
	.mechanism = "noise in every cell of the table of all columns",
	.title = "full table",
	.payment = PEGS_PAID_AT_FIT,
	.tables = PEGS_JOINT,
	.one_table = true,
	.kind = 5,
	.options = options,
	.draws_urns = pegs_fits_by_urns,
	.refuse = refuse,
	.most_bytes = most_bytes,
	.rows_wanted = rows_wanted,
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
