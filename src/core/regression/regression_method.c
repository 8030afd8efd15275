/*
 * regression_method.c
 *	  Multiple imputation by chained regressions, as two methods: its perturbed
 *	  form (PMI), paid by the sample, and the published one, which guarantees
 *	  nothing.
 *
 * A row is the last of some sweeps; a sweep draws one column after the other,
 * each by its regression on the others as they are then. In the perturbed form
 * every level has at least a weight that alpha gives, whatever the regression
 * says. Claim P26, docs/privacy.md.
 */
#include "core/regression/regression_method.h"

#include <math.h>
#include <string.h>

#include "core/epsilon.h"
#include "core/possible.h"
#include "core/regression/coefficients.h"
#include "core/regression/folds.h"
#include "core/regression/multinomial.h"
#include "core/regression/others.h"
#include "core/wire.h"
#include "core/witness.h"

#define LOOKS_AT_ONCE 65536		/* between two questions whether to stop */
#define MAX_BITS 32			/* what a regression says is 2^32 in all; less where alpha is so large that the sum would not fit */

enum
{
	LAMBDA, L1_RATIO, FOLDS, SWEEPS, PASSES, OPTIONS
};

static const pegs_option options[OPTIONS + 1] = {
	[LAMBDA] = {.name = "lambda", .kind = PEGS_OPTION_NUMBER, .least = 0, .most = 1000, .standard = 2e-4, .example = "0.001"},
	[L1_RATIO] = {.name = "l1_ratio", .kind = PEGS_OPTION_NUMBER, .least = 0, .most = 1, .standard = 0.5, .example = "0.5"},
	[FOLDS] = {.name = "folds", .kind = PEGS_OPTION_WHOLE, .least = 0, .most = 20, .standard = 0, .example = "5"},
	[SWEEPS] = {.name = "sweeps", .kind = PEGS_OPTION_WHOLE, .least = 1, .most = 1000, .standard = 20, .example = "20"},
	[PASSES] = {.name = "passes", .kind = PEGS_OPTION_WHOLE, .least = 1, .most = 1000, .standard = 40, .example = "40"}
};

static double
setting_of(const pegs_setting *settings, int option)
{
	return settings && settings[option].given ? settings[option].number : options[option].standard;
}

static bool
is_given(const pegs_setting *settings, int option)
{
	return settings && settings[option].given;
}

/* ---- the fit ---- */

/* Without parents each column is on all others: all pairs are counted, and the rows are gone over again. */
static bool
on_all_others(const pegs_layout *layout)
{
	return layout->tables == PEGS_PAIRS;
}

static pegs_refusal
refuse(const pegs_layout *layout)
{
	if (layout->tail_bits > 0)
		return (pegs_refusal) {
			.why = "a regression has no tail bits",
			.hint = "Leave tail_bits out."
		};
	if (is_given(layout->settings, LAMBDA) && setting_of(layout->settings, FOLDS) > 0)
		return (pegs_refusal) {
			.why = "lambda and folds cannot be given together",
			.hint = "Leave one of the two out: folds choose lambda."
		};
	if (setting_of(layout->settings, FOLDS) == 1)
		return (pegs_refusal) {
			.why = "one fold leaves no rows to fit",
			.hint = "options => '{\"folds\": 5}'"
		};
	if (is_given(layout->settings, L1_RATIO) && setting_of(layout->settings, LAMBDA) <= 0)
		return (pegs_refusal) {
			.why = "with lambda 0 there is no penalty, and no l1_ratio",
			.hint = "Leave l1_ratio out, or take a lambda above 0."
		};
	if (is_given(layout->settings, PASSES) && !on_all_others(layout))
		return (pegs_refusal) {
			.why = "with parents there are no passes over the rows",
			.hint = "Leave passes out; or leave parents out."
		};
	if (on_all_others(layout) && pegs_others_coefficients(layout->ncols, layout->levels) > (double) PEGS_MAX_CELLS)
		return (pegs_refusal) {
			.why = "regressions of every column on all others have more than 67108864 coefficients",
			.hint = "Declare parents, few for each column; or name fewer columns, declare fewer levels or wider bins.",
			.wrong = PEGS_WRONG_SIZE
		};
	return PEGS_NOT_REFUSED;
}

/* Each column on all others. */
static void
fit_all_others(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, pegs_coefficients *model)
{
	uint32_t	folds = (uint32_t) setting_of(layout->settings, FOLDS);
	uint32_t	passes = (uint32_t) setting_of(layout->settings, PASSES);
	double		l1_ratio = setting_of(layout->settings, L1_RATIO);
	double		lambda = setting_of(layout->settings, LAMBDA);
	pegs_fold_rows *sample = NULL;
	pegs_others others;

	pegs_others_of(env, layout, cells, &others);
	if (folds > 1)
		sample = pegs_fold_rows_of(env, &others, folds);
	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		pegs_multinomial data;

		pegs_env_step(env, PEGS_STEP_REGRESSIONS);
		if (sample)
			lambda = pegs_lambda_of_others(env, &others, sample, i, passes, l1_ratio);
		pegs_others_column(env, &others, i, passes, &data);
		pegs_multinomial_fit(env, &data, lambda, l1_ratio, model->coef + model->start[i]);
		pegs_multinomial_free(env, &data);
	}
}

/* On its parents. */
static void
fit_parents(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, pegs_coefficients *model)
{
	uint32_t	folds = (uint32_t) setting_of(layout->settings, FOLDS);
	double		l1_ratio = setting_of(layout->settings, L1_RATIO);

	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		const uint64_t *own = cells + layout->offset[i];
		double		lambda = setting_of(layout->settings, LAMBDA);
		pegs_multinomial data;

		pegs_env_step(env, PEGS_STEP_REGRESSIONS);
		if (folds > 1)
			lambda = pegs_lambda_by_folds(env, layout, own, i, folds, l1_ratio);
		pegs_multinomial_of(env, layout, own, i, &data);
		pegs_multinomial_fit(env, &data, lambda, l1_ratio, model->coef + model->start[i]);
		pegs_multinomial_free(env, &data);
	}
}

static void *
fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells)
{
	pegs_coefficients *model = env->alloc(env->context, sizeof(pegs_coefficients));

	(void) rng;
	(void) accountant;
	*model = (pegs_coefficients) {.ncols = layout->ncols, .levels = layout->levels, .parent_start = layout->parent_start,
		.parents = layout->parents};
	if (on_all_others(layout))
		pegs_others_parents(env, layout->ncols, &model->parent_start, &model->parents);
	pegs_coefficients_place(env, model);
	model->coef = env->alloc(env->context, sizeof(double) * (model->start[model->ncols] + 1));
	if (on_all_others(layout))
		fit_all_others(env, layout, cells, model);
	else
		fit_parents(env, layout, cells, model);
	return model;
}

static void
walk(pegs_cursor *c, uint32_t ncols, uint32_t *levels, void **model)
{
	if (c->pass == PEGS_READ)
	{
		pegs_coefficients *read = c->env->alloc(c->env->context, sizeof(pegs_coefficients));

		read->ncols = ncols;
		read->levels = levels;
		*model = read;
	}
	pegs_coefficients_walk(c, *model);
}

/* ---- what a call costs ---- */

static bool
is_free(const pegs_ask *ask, uint32_t column)
{
	return ask->given == NULL || ask->given[column] < 0;
}

static uint32_t
widest_of(const pegs_ask *ask, uint32_t ncols, const uint32_t *levels)
{
	uint32_t	widest = 1;

	for (uint32_t i = 0; i < ncols; i++)
		if (is_free(ask, i) && levels[i] > widest)
			widest = levels[i];
	return widest;
}

/*
 * Sweeps of a row. Where there are zeros each is paid for in the perturbed form: one, if nobody
 * says how many.
 */
static uint64_t
sweeps_of(const pegs_ask *ask, bool paid)
{
	if (paid && ask->zeros.n > 0 && !is_given(ask->settings, SWEEPS))
		return 1;
	return (uint64_t) setting_of(ask->settings, SWEEPS);
}

/*
 * Claim P26: alpha = 1/expm1(epsilon/(rows * free columns)), between any two
 * tables. So neither the rows of a person nor blocks change it, and delta buys
 * nothing. Hidden sweeps cost nothing but where there are zeros: which levels
 * those leave hangs on what the hidden ones have drawn, so all are counted.
 */
static pegs_status
price(const pegs_ask *ask, uint32_t ncols, const uint32_t *levels, uint32_t rows_per_unit, int64_t epsilon, int64_t *delta,
	  uint64_t *alpha)
{
	uint64_t	columns = 0;

	(void) rows_per_unit;
	*delta = 0;
	for (uint32_t i = 0; i < ncols; i++)
		columns += is_free(ask, i);
	if (ask->zeros.n > 0)
		columns *= sweeps_of(ask, true);
	if (columns > 0 && ask->n > UINT64_MAX / columns)
		return PEGS_ERR_RANGE;
	return pegs_alpha(epsilon, ask->n * columns, widest_of(ask, ncols, levels), alpha);
}

/* ---- rows ---- */

struct pegs_draws
{
	pegs_env	env;
	const pegs_coefficients *model;
	pegs_ask	ask;
	uint64_t	sweeps;
	int			bits;
	uint64_t	least;			/* weight of every level, in units of 2^-bits */
	pegs_rng   *rng;
	uint16_t   *row;			/* the one last made: where the next one begins */
	uint16_t   *x;
	double	   *share;
	uint64_t   *weight;
	uint64_t	since;			/* looks since the last question whether to stop */
	pegs_floor_witness *witness;	/* NULL but in an audit (witness.h) */
};

/* 2^bits and alpha for each level, as exactly as they fit into 62 bits. 2^16 always do: that is how alpha was priced. */
static bool
weigh_alpha(pegs_draws *d, uint64_t alpha)
{
	uint64_t	limit = UINT64_C(1) << 62;
	uint32_t	widest = widest_of(&d->ask, d->model->ncols, d->model->levels);

	for (d->bits = MAX_BITS; d->bits >= PEGS_ALPHA_BITS; d->bits--)
	{
		int			shift = d->bits - PEGS_ALPHA_BITS;

		d->least = alpha << shift;
		if (alpha <= (limit >> shift) / widest)
			return true;
	}
	return false;
}

static pegs_status
open_with(const pegs_env *env, const pegs_wire *wire, const pegs_ask *ask, uint64_t alpha, pegs_draws **draws)
{
	pegs_draws *d = env->alloc(env->context, sizeof(pegs_draws));
	uint32_t	widest = 1;

	*draws = d;
	d->env = *env;
	d->model = wire->model;
	d->ask = *ask;
	d->sweeps = sweeps_of(ask, alpha > 0);
	if (!weigh_alpha(d, alpha))
		return PEGS_ERR_ARGUMENT;
	for (uint32_t i = 0; i < d->model->ncols; i++)
		widest = d->model->levels[i] > widest ? d->model->levels[i] : widest;
	d->row = env->alloc(env->context, sizeof(uint16_t) * d->model->ncols);
	d->x = env->alloc(env->context, sizeof(uint16_t) * d->model->ncols);
	d->share = env->alloc(env->context, sizeof(double) * widest);
	d->weight = env->alloc(env->context, sizeof(uint64_t) * widest);
	if (ask->zeros.n > 0 && !pegs_some_row_is_possible(env, d->model->ncols, d->model->levels, &ask->zeros, ask->given))
		return PEGS_ERR_NOTHING;
	return PEGS_OK;
}

/* Without an alpha there is no guarantee: no rows. */
static pegs_status
open_perturbed(const pegs_env *env, const pegs_wire *wire, const void *prepared, const pegs_ask *ask, pegs_draws **draws)
{
	(void) prepared;
	return ask->alpha == 0 ? PEGS_ERR_ARGUMENT : open_with(env, wire, ask, ask->alpha, draws);
}

static pegs_status
open_published(const pegs_env *env, const pegs_wire *wire, const void *prepared, const pegs_ask *ask, pegs_draws **draws)
{
	(void) prepared;
	return open_with(env, wire, ask, 0, draws);
}

static void
start(pegs_draws *d, pegs_rng *rng)
{
	d->rng = rng;
	/* some row is possible: it was found before */
	while (!pegs_uniform_row(&d->env, d->model->ncols, d->model->levels, &d->ask.zeros, d->ask.given, rng, d->row))
		;
}

/* Asked between columns, and where there are many zeros between levels: a row may take minutes. */
static void
looked(pegs_draws *d, uint64_t looks)
{
	d->since += looks;
	if (d->since < LOOKS_AT_ONCE)
		return;
	d->since = 0;
	d->env.check(d->env.context);
}

/*
 * What is forbidden weighs nothing, whatever the model: which levels are is a
 * function of the row so far. The level at hand is not; if nothing else is left
 * of the weights, as may be without alpha, it stays.
 */
static uint64_t
leave_zeros_out(pegs_draws *d, uint32_t column, uint64_t *weight)
{
	uint64_t	total = 0;

	for (uint32_t j = 0; j < d->model->levels[column]; j++)
	{
		looked(d, d->ask.zeros.n);
		if (pegs_would_be_zero(&d->ask.zeros, d->row, column, j))
			weight[j] = 0;
		total += weight[j];
	}
	if (total == 0)
		total = weight[d->row[column]] = 1;
	return total;
}

/* The weights of a column's levels, and their sum. */
static uint64_t
weigh(pegs_draws *d, const pegs_coefficients *model, uint32_t column, uint64_t *weight)
{
	pegs_coefficients_weights(model, column, d->row, d->bits, d->least, d->x, d->share, weight);
	return d->ask.zeros.n > 0 ? leave_zeros_out(d, column, weight) : (UINT64_C(1) << d->bits) + model->levels[column] * d->least;
}

static void
sweep(pegs_draws *d)
{
	const pegs_coefficients *model = d->model;

	for (uint32_t i = 0; i < model->ncols; i++)
	{
		uint32_t	levels = model->levels[i];
		uint64_t	total;
		uint64_t	sum = 0;
		uint32_t	code = 0;
		uint64_t	u;

		if (!is_free(&d->ask, i))
			continue;
		looked(d, (uint64_t) levels * (model->parent_start[i + 1] - model->parent_start[i] + 4));
		total = weigh(d, model, i, d->weight);
		u = pegs_rng_below(d->rng, total);
		for (uint32_t j = 0; j + 1 < levels; j++)
		{
			sum += d->weight[j];
			code += u >= sum;
		}
		if (d->witness)
			pegs_witness_floor(d->witness, d->weight, total, weigh(d, d->witness->other, i, d->witness->weight), levels, code);
		d->row[i] = (uint16_t) code;
	}
}

static pegs_status
next(pegs_draws *d, uint16_t *row)
{
	d->env.check(d->env.context);
	for (uint64_t i = 0; i < d->sweeps; i++)
		sweep(d);
	memcpy(row, d->row, sizeof(uint16_t) * d->model->ncols);
	return PEGS_OK;
}

/* ---- all weights ---- */

bool
pegs_is_regression(const pegs_method *method)
{
	return method == &pegs_method_regression;
}

uint64_t
pegs_watch_floor(const pegs_env *env, pegs_draws *d, pegs_floor_witness *witness)
{
	uint64_t	columns = 0;
	uint32_t	widest = widest_of(&d->ask, d->model->ncols, d->model->levels);

	if (witness->weight == NULL)
		witness->weight = env->alloc(env->context, sizeof(uint64_t) * widest);
	witness->ratio = 0;
	d->witness = witness;
	if (d->ask.zeros.n == 0)
		d->sweeps = 1;
	for (uint32_t i = 0; i < d->model->ncols; i++)
		columns += is_free(&d->ask, i);
	return d->ask.n * columns * d->sweeps;
}

/* The largest weight of a level of this column, where the others are as they are; 0: one of them is not what it must be. */
static uint64_t
largest_weight(pegs_draws *d, uint32_t column)
{
	uint32_t	levels = d->model->levels[column];
	uint64_t	largest = 0;
	pegs_u128	sum = 0;

	pegs_coefficients_weights(d->model, column, d->row, d->bits, d->least, d->x, d->share, d->weight);
	for (uint32_t j = 0; j < levels; j++)
	{
		if (d->weight[j] < d->least)
			return 0;
		sum += d->weight[j];
		largest = d->weight[j] > largest ? d->weight[j] : largest;
	}
	return sum == ((pegs_u128) 1 << d->bits) + (pegs_u128) levels * d->least ? largest : 0;
}

pegs_status
pegs_verify_floor(pegs_draws *d, uint32_t rows, pegs_verdict *verdict)
{
	uint32_t	ncols = d->model->ncols;
	double		domain = ncols;

	for (uint32_t i = 0; i < ncols; i++)
		domain *= d->model->levels[i];
	if (domain > (double) PEGS_MOST_PATHS)
		return PEGS_ERR_TOO_LARGE;
	pegs_verdict_begin(verdict, (UINT64_C(1) << d->bits) + d->least, d->least, rows * ncols);
	for (uint32_t i = 0; i < ncols; i++)
	{
		uint64_t	largest = d->least;

		for (uint64_t n = 0; n < (uint64_t) domain / ncols; n++, verdict->paths++)
		{
			uint64_t	found;

			looked(d, d->model->levels[i]);
			pegs_joint_row(ncols, d->model->levels, n, d->row);
			found = largest_weight(d, i);
			verdict->holds = verdict->holds && found > 0;
			largest = found > largest ? found : largest;
		}
		verdict->worst += rows * log((double) largest / (double) d->least);
	}
	return PEGS_OK;
}

const pegs_method pegs_method_regression = {
	.name = "regression",
	.family = "regression",
	.mechanism = "perturbed multiple imputation: regressions, each level with at least a weight",
	.title = "regressions",
	.payment = PEGS_PAID_BY_SAMPLE,
	.tables = PEGS_CONDITIONAL,
	.parents = PEGS_DECLARED_OR_ALL,
	.kind = 8,
	.independent = true,
	.keeps = "coefficients of exact regressions",
	.options = options,
	.refuse = refuse,
	.keeps_rows = on_all_others,
	.fit = fit,
	.walk = walk,
	.price = price,
	.open = open_perturbed,
	.start = start,
	.next = next
};

const pegs_method pegs_method_regression_published = {
	.name = "regression published",
	.family = "regression",
	.mechanism = "multiple imputation: regressions",
	.title = "regressions",
	.payment = PEGS_NOT_PRIVATE,
	.no_guarantee = "rows are drawn from what exact regressions say",
	.tables = PEGS_CONDITIONAL,
	.parents = PEGS_DECLARED_OR_ALL,
	.kind = 11,
	.independent = true,
	.keeps = "coefficients of exact regressions",
	.options = options,
	.refuse = refuse,
	.keeps_rows = on_all_others,
	.fit = fit,
	.walk = walk,
	.open = open_published,
	.start = start,
	.next = next
};
