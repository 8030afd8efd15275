/*
 * copula_method.c
 *	  Normals behind the columns as a method: paid at the fit, a row is a draw
 *	  of all normals, each cut into the levels of its column.
 *
 * Rows are made by + - * / and square roots alone: the same everywhere.
 */
#include "core/method.h"

#include <math.h>
#include <stdio.h>

#include "core/copula/by.h"
#include "core/copula/copula.h"
#include "core/copula/correlation.h"
#include "core/copula/dummy.h"
#include "core/copula/kendall.h"
#include "core/copula/normals.h"
#include "core/possible.h"
#include "core/record.h"
#include "core/wire.h"

/* A part of the line of a normal: from `below` on, so much. */
typedef struct part
{
	double		below;
	double		size;
} part;

struct pegs_draws
{
	pegs_env	env;
	const pegs_copula *model;
	pegs_ask	ask;
	pegs_rng   *rng;
	pegs_normals normals;		/* those of the columns */
	uint16_t   *codes;			/* [ncols][PEGS_NORMALS_AT_ONCE] of rows that are drawn */
	uint32_t	given_out;		/* of those rows */
	uint32_t   *latent;			/* [ncols] the first normal of a column */
	uint32_t	given;			/* column; ncols: none */
	part		level;			/* of the given column's first normal; size 1: anything */
	part		null;			/* of its second one */
	pegs_by_draws *by;			/* NULL: there are no cells */
	bool		hopeless;		/* the model has hardly a row that is possible */
	pegs_dummy_draws *dummy;	/* a normal for each level: nothing else is used then. NULL: not so */
};

static pegs_refusal
refuse(const pegs_layout *layout)
{
	pegs_refusal refusal = pegs_kendall_refuse(layout);

	if (refusal.why)
		return refusal;
	if (layout->settings && layout->settings[PEGS_COPULA_CODING].number > 0)
	{
		if (pegs_is_by(layout))
			return (pegs_refusal) {
				.why = "coding \"dummy\" and \"by\" cannot be given together",
				.hint = "Leave one of the two out."
			};
		return pegs_dummy_refuse(layout);
	}
	if (pegs_copula_latents(layout) <= PEGS_MAX_LATENTS)
		return pegs_is_by(layout) ? pegs_by_refuse(layout) : PEGS_NOT_REFUSED;
	return (pegs_refusal) {
		.why = "a copula has at most 2,000 normal variables",
		.hint = "Fit fewer columns. Each has a normal variable, and one more if it may be NULL.",
		.wrong = PEGS_WRONG_SIZE
	};
}

static bool
keeps_rows(const pegs_layout *layout)
{
	return pegs_is_by(layout) || pegs_is_kendall(layout);
}

/* With a normal for each level there is no order; nor is there one of the columns of groups. */
static bool
takes_order(const pegs_layout *layout, uint32_t column)
{
	return layout->settings == NULL
		|| !(layout->settings[PEGS_COPULA_CODING].number > 0 || (pegs_is_by(layout) && layout->settings[PEGS_COPULA_BY].columns[column]));
}

static void *
fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells)
{
	pegs_copula *model = env->alloc(env->context, sizeof(pegs_copula));

	if (pegs_is_by(layout))
		pegs_by_fit(env, rng, accountant, layout, model);
	else
		pegs_copula_fit(env, rng, accountant, layout, cells, model);
	return model;
}

static void
walk(pegs_cursor *c, uint32_t ncols, uint32_t *levels, void **model)
{
	if (c->pass == PEGS_READ)
	{
		pegs_copula *read = c->env->alloc(c->env->context, sizeof(pegs_copula));

		read->ncols = ncols;
		read->levels = levels;
		*model = read;
	}
	pegs_copula_walk(c, *model);
	if (c->status == PEGS_OK && ((pegs_copula *) *model)->nby > 0)
		pegs_by_walk(c, *model);
}

static pegs_accountant *
accountant_of(void *model)
{
	return &((pegs_copula *) model)->accountant;
}

static double
rows_of(const void *model)
{
	return ((const pegs_copula *) model)->rows;
}

static const double *
shares_of(const void *model, uint32_t column)
{
	return ((const pegs_copula *) model)->share[column];
}

/* Nothing is spent on what its form does not look at. */
static bool
is_spent_on(const pegs_copula *model)
{
	const pegs_cost_record *record = model->accountant.record;

	return (model->dummy ? record[PEGS_FOR_SUM - 1].uses : record[PEGS_FOR_PAIR - 1].uses) == 0
		&& (model->by || record[PEGS_FOR_CELLS - 1].uses == 0);
}

static bool
is_of(const pegs_env *env, const void *fitted, const pegs_layout *layout)
{
	const pegs_copula *model = fitted;
	const bool *by = layout->settings[PEGS_COPULA_BY].columns;
	double		scale = pegs_accountant_scale(&model->accountant);
	uint32_t	n = 0;

	(void) env;
	for (uint32_t i = 0; by && i < layout->ncols; i++)
	{
		if (!by[i])
			continue;
		if (n >= model->nby || model->by->column[n] != i)
			return false;
		n++;
	}
	return n == model->nby && is_spent_on(model) && (model->dummy != NULL) == (layout->settings[PEGS_COPULA_CODING].number > 0)
		&& model->tau_of == (pegs_is_kendall(layout) ? pegs_kendall_of(layout, model->rows * scale, scale) : 0);
}

/* ---- what is given ---- */

/* Where the normals of the given column must be; false: it never has this level. */
static bool
find_parts(pegs_draws *d, uint32_t code)
{
	const pegs_copula *model = d->model;
	const pegs_cuts *cuts = &model->cuts[d->given];
	const double *share = model->share[d->given];
	double		nulls = cuts->null > 0 ? share[cuts->null - 1] : 0;
	double		below = 0;
	double		sum = 0;
	bool		found = false;

	if (!(share[code] > 0))
		return false;
	d->level = (part) {0, 1};
	if (code + 1 == cuts->null)
	{
		d->null = (part) {1 - nulls, nulls};
		return true;
	}
	d->null = (part) {0, 1 - nulls};
	for (uint32_t k = 0; k < cuts->n; k++)
	{
		found |= cuts->code[k] == code;
		below += found ? 0 : share[cuts->code[k]];
		sum += share[cuts->code[k]];
	}
	if (!found)
		return false;
	d->level = (part) {below / sum, share[code] / sum};
	return true;
}

static void *
prepare(const pegs_env *env, const void *model)
{
	pegs_normal_table *table = env->alloc(env->context, sizeof(pegs_normal_table));

	(void) model;
	pegs_normal_table_make(table);
	return table;
}

static pegs_status
open_draws(const pegs_env *env, const pegs_wire *wire, const void *prepared, const pegs_ask *ask, pegs_draws **draws)
{
	pegs_draws *d = env->alloc(env->context, sizeof(pegs_draws));
	uint32_t	n = 0;
	bool	   *is_needed;

	*draws = d;
	d->env = *env;
	d->model = wire->model;
	if (d->model->dummy)
		return pegs_dummy_open(env, d->model->dummy, ask, &d->dummy);
	d->ask = *ask;
	d->given = d->model->ncols;
	if (ask->zeros.n > 0 && !pegs_some_row_is_possible(env, d->model->ncols, d->model->levels, &ask->zeros, ask->given))
		return PEGS_ERR_NOTHING;
	if (d->model->by)
		return pegs_by_open(env, wire, prepared, ask, &d->by);
	d->latent = env->alloc(env->context, sizeof(uint32_t) * d->model->ncols);
	d->codes = env->alloc(env->context, sizeof(uint16_t) * PEGS_NORMALS_AT_ONCE * d->model->ncols);
	is_needed = env->alloc(env->context, sizeof(bool) * d->model->nlatents);
	for (uint32_t i = 0; i < d->model->ncols; i++)
	{
		const pegs_cuts *cuts = &d->model->cuts[i];

		d->latent[i] = n;
		is_needed[n++] = cuts->n > 1;
		if (cuts->null > 0)
			is_needed[n++] = cuts->n > 0 && fabs(cuts->null_cut) < PEGS_NO_CUT;
		if (ask->given == NULL || ask->given[i] < 0)
			continue;
		if (d->given < d->model->ncols)
			return PEGS_ERR_ARGUMENT;	/* one column (most_given) */
		d->given = i;
	}
	pegs_normals_open(env, d->model->nlatents, d->model->factor, prepared, is_needed, &d->normals);
	pegs_env_free(env, is_needed);
	if (d->given < d->model->ncols && !find_parts(d, (uint32_t) ask->given[d->given]))
		return PEGS_ERR_RANGE;
	return PEGS_OK;
}

static void
start(pegs_draws *d, pegs_rng *rng)
{
	if (d->dummy)
	{
		pegs_dummy_start(d->dummy, rng);
		return;
	}
	d->rng = rng;
	d->hopeless = false;
	d->given_out = PEGS_NORMALS_AT_ONCE;
	if (d->by)
		pegs_by_start(d->by, rng);
}

/* ---- rows ---- */

/* The normal becomes one of its part. */
static void
hold_in(pegs_draws *d, uint32_t row, uint32_t latent, part in)
{
	double		p = in.below + pegs_rng_double(d->rng) * in.size;

	if (in.size >= 1)
		return;
	p = p < 0x1p-60 ? 0x1p-60 : p > 1 - 0x1p-53 ? 1 - 0x1p-53 : p;
	pegs_normals_hold(&d->normals, row, latent, pegs_normal_quantile(p));
}

/* The codes of the places that a column's normals are in: so many cuts are not above each. Halves of what is left, without a branch. */
static void
find_places(const pegs_cuts *cuts, const double *z, uint16_t *codes)
{
	uint32_t	place[PEGS_NORMALS_AT_ONCE] = {0};
	uint32_t	half;

	for (uint32_t left = cuts->n; left > 1; left -= half)
	{
		half = left / 2;
		for (int r = 0; r < PEGS_NORMALS_AT_ONCE; r++)
			place[r] += half & -(uint32_t) (cuts->cut[place[r] + half - 1] <= z[r]);
	}
	for (int r = 0; r < PEGS_NORMALS_AT_ONCE; r++)
		codes[r] = cuts->code[place[r]];
}

/* A normal that is not there has nothing to say. */
static void
make_codes(pegs_draws *d, uint32_t column)
{
	const pegs_cuts *cuts = &d->model->cuts[column];
	const double *of_null = cuts->null > 0 ? pegs_normals_at(&d->normals, d->latent[column] + 1) : NULL;
	bool		always = cuts->n == 0 || (cuts->null > 0 && cuts->null_cut <= -PEGS_NO_CUT);
	uint16_t   *codes = &d->codes[(size_t) column * PEGS_NORMALS_AT_ONCE];

	if (cuts->n > 0)
		find_places(cuts, pegs_normals_at(&d->normals, d->latent[column]), codes);
	for (int r = 0; r < PEGS_NORMALS_AT_ONCE; r++)
		if (column == d->given)
			codes[r] = (uint16_t) d->ask.given[column];
		else if (always || (of_null && of_null[r] >= cuts->null_cut))
			codes[r] = (uint16_t) (cuts->null - 1);
}

static void
make_rows(pegs_draws *d)
{
	const pegs_copula *model = d->model;

	for (uint32_t r = 0; r < PEGS_NORMALS_AT_ONCE; r++)
	{
		pegs_normals_draw(&d->normals, d->rng, r);
		if (d->given == model->ncols)
			continue;
		hold_in(d, r, d->latent[d->given], d->level);
		if (model->cuts[d->given].null > 0)
			hold_in(d, r, d->latent[d->given] + 1, d->null);
	}
	pegs_normals_mix(&d->normals, true);
	for (uint32_t i = 0; i < model->ncols; i++)
		make_codes(d, i);
	d->given_out = 0;
}

static void
make_row(pegs_draws *d, uint16_t *row)
{
	if (d->by)
	{
		pegs_by_row(d->by, row);
		return;
	}
	if (d->given_out == PEGS_NORMALS_AT_ONCE)
		make_rows(d);
	for (uint32_t i = 0; i < d->model->ncols; i++)
		row[i] = d->codes[i * PEGS_NORMALS_AT_ONCE + d->given_out];
	d->given_out++;
}

/*
 * The model may have (nearly) no row that is possible. How such a row is
 * replaced is post-processing: then any possible one will do.
 */
static pegs_status
next(pegs_draws *d, uint16_t *row)
{
	if (d->dummy)
		return pegs_dummy_next(d->dummy, row);
	for (int tries = 0; !d->hopeless && tries < PEGS_MAX_TRIES; tries++)
	{
		d->env.check(d->env.context);
		make_row(d, row);
		if (!pegs_is_zero(&d->ask.zeros, row))
			return PEGS_OK;
	}
	d->hopeless = true;
	return pegs_uniform_row(&d->env, d->model->ncols, d->model->levels, &d->ask.zeros, d->ask.given, d->rng, row) ? PEGS_OK : PEGS_ERR_NOTHING;
}

/* ---- words ---- */

/* Standard deviation of the noise of a sum, in rows whose two scores are the largest, or of a cell of a pair; 0: none was measured. */
static double
sd_of(const pegs_accountant *accountant, pegs_purpose purpose)
{
	const pegs_cost_record *record = &accountant->record[purpose - 1];

	if (record->uses == 0 || record->cost == 0)
		return 0;
	return pegs_noise_sd(accountant, ldexp((double) record->cost, -PEGS_COST_BITS) / record->uses) / pegs_accountant_scale(accountant);
}

static void
describe(const void *fitted, const pegs_writer *writer)
{
	const pegs_copula *model = fitted;
	const pegs_purpose purposes[3] = {PEGS_FOR_ONEWAY, model->dummy ? PEGS_FOR_PAIR : PEGS_FOR_SUM, PEGS_FOR_CELLS};
	char		words[200];

	if (model->tau_of > 0)
		pegs_record_words_of(writer, &model->accountant, model->rows, purposes, 2, PEGS_FOR_SUM, "concordant minus discordant pairs of rows");
	else
		pegs_record_words(writer, &model->accountant, model->rows, purposes, model->by ? 3 : 2);
	if (model->dummy)
		snprintf(words, sizeof(words), ", \"normals\": %u, \"sigma_of_a_pair\": %.6g", model->nlatents,
				 sd_of(&model->accountant, PEGS_FOR_PAIR));
	else if (model->nlatents < 2)		/* there are no sums */
		snprintf(words, sizeof(words), ", \"normals\": %u", model->nlatents);
	else if (model->tau_of > 0)
		snprintf(words, sizeof(words), ", \"normals\": %u, \"tau_of_rows\": %.6g, \"sigma_of_a_tau\": %.6g", model->nlatents,
				 (double) model->tau_of / pegs_accountant_scale(&model->accountant), 4 * sd_of(&model->accountant, PEGS_FOR_SUM)
				 * pegs_accountant_scale(&model->accountant) / (double) model->tau_of);
	else
		snprintf(words, sizeof(words), ", \"normals\": %u, \"scores\": \"%s\", \"sigma_of_a_sum\": %.6g", model->nlatents,
				 model->by ? "by group" : model->signs ? "signs" : "grades", sd_of(&model->accountant, PEGS_FOR_SUM));
	writer->words(writer->to, words);
	if (model->by)
		pegs_by_describe(model, writer);
}

/* Kendall's tau is no sum over the rows; the rest is told by what the fit records. Claim P33. */
static const char *
mechanism_with(const pegs_setting *settings)
{
	if (settings[PEGS_COPULA_CORRELATION].number == 0)
		return NULL;
	return "noise in every 1-way table and in concordant minus discordant pairs of rows of each two columns; normals behind them";
}

const char *const pegs_copula_nearest_words[] = {"lifted", "higham", NULL};
static const char *const coding_words[] = {"ordinal", "dummy", NULL};
static const char *const correlation_words[] = {"scores", "kendall", NULL};

static const pegs_option options[] = {
	[PEGS_COPULA_NEAREST] = {.name = "nearest", .kind = PEGS_OPTION_WORD, .words = pegs_copula_nearest_words, .example = "\"higham\""},
	[PEGS_COPULA_CODING] = {.name = "coding", .kind = PEGS_OPTION_WORD, .words = coding_words, .example = "\"dummy\""},
	[PEGS_COPULA_BY] = {.name = "by", .kind = PEGS_OPTION_COLUMNS, .example = "[\"sex\"]"},
	[PEGS_COPULA_CORRELATION] = {.name = "correlation", .kind = PEGS_OPTION_WORD, .words = correlation_words, .example = "\"kendall\""},
	[PEGS_COPULA_ROWS] = {.name = "rows", .kind = PEGS_OPTION_WHOLE, .least = 2, .most = PEGS_KENDALL_ROWS, .example = "10000, \"correlation\": \"kendall\""},
	[PEGS_COPULA_OPTIONS] = {.name = NULL}
};

const pegs_method pegs_method_copula = {
	.name = "copula",
	.family = "copula",
	.mechanism = "noise in every 1-way table and in what is looked at of each two columns; normals behind them",
	.title = "correlations",
	.payment = PEGS_PAID_AT_FIT,
	.tables = PEGS_PAIRS,
	.kind = 7,
	.scales = true,
	.independent = true,
	.most_given = 1,
	.options = options,
	.late_zeros = true,
	.noise = pegs_copula_noise,
	.refuse = refuse,
	.keeps_rows = keeps_rows,
	.takes_order = takes_order,
	.mechanism_with = mechanism_with,
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
