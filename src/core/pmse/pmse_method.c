/*
 * pmse_method.c
 *	  A chain of normal regressions, chosen privately, as a method: paid at the
 *	  fit, a row is a cell of the table of all columns that the chain implies.
 */
#include "core/method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/pmse/pmse.h"
#include "core/points.h"
#include "core/possible.h"
#include "core/record.h"
#include "core/shares.h"
#include "core/wire.h"

#define MAX_CANDIDATES 1e6		/* of all rounds */
#define MAX_LOOKED_AT 0x1p33	/* candidates times cells of their pairs */

struct pegs_draws
{
	pegs_env	env;
	const pegs_pmse *model;
	pegs_ask	ask;
	pegs_rng   *rng;
	uint64_t	n;				/* cells of the table */
	const double *below;		/* [n + 1] share of the cells before, of those that are asked for */

	pegs_points points;			/* apportioned */
	uint32_t   *picked;			/* [rows] cells of the batch at hand */
	uint32_t	rows;
	uint32_t	next;
};

static pegs_refusal
refuse(const pegs_layout *layout)
{
	double		candidates = pegs_pmse_setting(layout, PEGS_PMSE_ROUNDS) * pegs_pmse_setting(layout, PEGS_PMSE_CANDIDATES);

	if (layout->ncols > PEGS_LAW_COLUMNS)
		return (pegs_refusal) {
			.why = "it takes at most 6 columns",
			.hint = "Name 2 to 6 columns of numbers or times; for more, method => 'graph'.",
			.wrong = PEGS_WRONG_SIZE
		};
	if (pegs_law_cells(layout->ncols, layout->levels) > PEGS_LAW_CELLS)
		return (pegs_refusal) {
			.why = "the table of all columns has more than 1,048,576 cells",
			.hint = "Take fewer columns, or wider bins.",
			.wrong = PEGS_WRONG_SIZE
		};
	if (candidates > MAX_CANDIDATES)
		return (pegs_refusal) {
			.why = "rounds times candidates are more than 1,000,000",
			.hint = "options => '{\"rounds\": 20, \"candidates\": 64}'"
		};
	if (candidates * (double) layout->ncells > MAX_LOOKED_AT)
		return (pegs_refusal) {
			.why = "so many candidates of so many cells would take hours",
			.hint = "Take fewer rounds or candidates, or wider bins."
		};
	return PEGS_NOT_REFUSED;
}

static void *
fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells)
{
	pegs_pmse  *model = env->alloc(env->context, sizeof(pegs_pmse));

	pegs_pmse_fit(env, rng, accountant, layout, cells, model);
	return model;
}

static void
walk(pegs_cursor *c, uint32_t ncols, uint32_t *levels, void **model)
{
	if (c->pass == PEGS_READ)
	{
		pegs_pmse  *read = c->env->alloc(c->env->context, sizeof(pegs_pmse));

		read->law.ncols = ncols;
		read->law.levels = levels;
		*model = read;
	}
	pegs_pmse_walk(c, *model);
}

static pegs_accountant *
accountant_of(void *model)
{
	return &((pegs_pmse *) model)->accountant;
}

static double
rows_of(const void *model)
{
	return ((const pegs_pmse *) model)->rows;
}

static const double *
shares_of(const void *model, uint32_t column)
{
	return ((const pegs_pmse *) model)->share[column];
}

static bool
is_of(const pegs_env *env, const void *model, const pegs_layout *layout)
{
	(void) env;
	return pegs_pmse_is_of(model, layout);
}

/* ---- rows ---- */

/* The codes of a cell, which is numbered by places on the scales. */
static void
put_row(const pegs_pmse *model, uint64_t cell, uint16_t *row)
{
	memset(row, 0, sizeof(uint16_t) * model->law.ncols);
	pegs_joint_row(model->law.ncols, model->law.levels, cell, row);
	for (uint32_t c = 0; c < model->law.ncols; c++)
		row[c] = model->order[c][row[c]];
}

/* Shares of the cells that are asked for, added up; ask NULL: of all. */
static double *
sums_of(const pegs_env *env, const pegs_pmse *model, const pegs_ask *ask)
{
	uint64_t	n = pegs_law_cells(model->law.ncols, model->law.levels);
	double	   *share = env->alloc(env->context, sizeof(double) * n);
	double	   *below = env->alloc(env->context, sizeof(double) * (n + 1));
	uint16_t	row[PEGS_LAW_COLUMNS];

	pegs_law_joint(env, &model->law, share);
	for (uint64_t i = 0; i < n; i++)
	{
		bool		asked = true;

		if (i % PEGS_TRIES_AT_ONCE == 0)
			env->check(env->context);
		if (ask)
		{
			put_row(model, i, row);
			asked = pegs_is_asked_for(model->law.ncols, &ask->zeros, ask->given, row);
		}
		below[i + 1] = below[i] + (asked ? share[i] : 0);
	}
	pegs_env_free(env, share);
	return below;
}

static void *
prepare(const pegs_env *env, const void *model)
{
	return sums_of(env, model, NULL);
}

/*
 * What is given may have no share, where a normal law has none but by rounding.
 * It is said; where zeros have left nothing any possible row will do, which is
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
	d->n = pegs_law_cells(d->model->law.ncols, d->model->law.levels);
	if (ask->given || ask->zeros.n > 0)
		d->below = sums_of(env, d->model, ask);
	else
		d->below = prepared ? prepared : sums_of(env, d->model, NULL);
	if (d->below[d->n] > 0)
		return PEGS_OK;
	if (ask->zeros.n > 0 && !pegs_some_row_is_possible(env, d->model->law.ncols, d->model->law.levels, &ask->zeros, ask->given))
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
next_batch(pegs_draws *d)
{
	const pegs_env *env = &d->ask.batch;

	d->ask.forget(env->context);
	d->rows = pegs_points_left(&d->points);
	d->picked = env->alloc(env->context, sizeof(uint32_t) * d->rows);
	pegs_points_pick(&d->points, env, d->rng, d->below, (uint32_t) d->n, d->picked);
	d->next = 0;
}

static pegs_status
next(pegs_draws *d, uint16_t *row)
{
	const pegs_law *law = &d->model->law;
	uint32_t	cell;

	if (!(d->below[d->n] > 0))
		return pegs_uniform_row(&d->env, law->ncols, law->levels, &d->ask.zeros, d->ask.given, d->rng, row) ? PEGS_OK : PEGS_ERR_NOTHING;
	if (d->ask.one_by_one)
	{
		d->env.check(d->env.context);
		cell = pegs_share_at(d->below, (uint32_t) d->n, pegs_rng_double(d->rng));
	}
	else
	{
		if (d->next == d->rows)
			next_batch(d);
		cell = d->picked[d->next++];
	}
	put_row(d->model, cell, row);
	return PEGS_OK;
}

/* ---- words ---- */

static const pegs_purpose purposes[] = {PEGS_FOR_CHOICE, PEGS_FOR_ROWS};

static void
say_column(const pegs_writer *writer, const pegs_law *law, uint32_t column)
{
	const pegs_regressed *of = &law->of[column];
	char		words[200];

	writer->words(writer->to, column > 0 ? ", {\"column\": " : "{\"column\": ");
	writer->column(writer->to, column);
	snprintf(words, sizeof(words), ", \"mean\": %.6g, \"sd\": %.6g, \"null\": %.6g, \"slopes\": [", (double) of->mean / PEGS_LAW_GRID,
			 (double) of->sd / PEGS_LAW_GRID, (double) of->null / PEGS_LAW_GRID);
	writer->words(writer->to, words);
	for (uint32_t j = 0; j < column; j++)
	{
		snprintf(words, sizeof(words), "%s%.6g", j > 0 ? ", " : "", (double) of->slope[j] / PEGS_LAW_GRID);
		writer->words(writer->to, words);
	}
	writer->words(writer->to, "]}");
}

static void
describe(const void *fitted, const pegs_writer *writer)
{
	const pegs_pmse *model = fitted;
	char		words[100];

	pegs_record_words_of(writer, &model->accountant, model->rows, purposes, 2, PEGS_FOR_CHOICE, "choices of parameters");
	snprintf(words, sizeof(words), ", \"family\": \"gaussian\", \"rounds\": %u, \"parameters\": [", model->rounds);
	writer->words(writer->to, words);
	for (uint32_t i = 0; i < model->law.ncols; i++)
		say_column(writer, &model->law, i);
	writer->words(writer->to, "]");
}

const pegs_method pegs_method_pmse = {
	.name = "pmse",
	.family = "pmse",
	.mechanism = "parameters of a normal law, chosen by the exponential mechanism so that its tables of two columns are like the counts",
	.title = "normal law",
	.payment = PEGS_PAID_AT_FIT,
	.tables = PEGS_PAIRS,
	.kind = 9,
	.scales = true,
	.options = pegs_pmse_options,
	.late_zeros = true,
	.noise = pegs_pmse_noise,
	.refuse = refuse,
	.fit = fit,
	.walk = walk,
	.is_of = is_of,
	.accountant = accountant_of,
	.rows = rows_of,
	.shares = shares_of,
	.prepare = prepare,
	.open = open_draws,
	.start = start,
	.next = next,
	.describe = describe
};
