/*
 * marginals.c
 *	  The tables of single columns, with noise in every cell: counts to a model, and that as bytes.
 *
 * All of the budget is for them: a part by the levels that are declared, the
 * rest by those that this shows in use. Every look at the counts is in
 * accountant.c; everything else reads released numbers. Claim P23.
 */
#include "core/marginals/marginals.h"

#include <math.h>
#include <string.h>

#include "core/column/column.h"
#include "core/record.h"
#include "core/shares.h"

static const double FIRST_LOOK = 0.5;	/* of rho, by declared levels; where looks are Laplace there is one: two would have more noise */

const pegs_purpose pegs_marginals_purposes[PEGS_MARGINALS_PURPOSES] = {PEGS_FOR_ONEWAY};

double
pegs_marginals_sd(const pegs_marginals *model, uint32_t column)
{
	return sqrt(model->variance[column]) / pegs_accountant_scale(&model->accountant);
}

/* ---- a fit ---- */

typedef struct fitting
{
	const pegs_env *env;
	pegs_rng   *rng;
	const pegs_layout *layout;
	const uint64_t *cells;		/* private */
	pegs_marginals *model;
	pegs_oneway *one;			/* [ncols] */
	double		rows;			/* as they are counted */
} fitting;

static void
look(fitting *f, const double *cost)
{
	for (uint32_t i = 0; i < f->layout->ncols; i++)
	{
		f->env->check(f->env->context);
		pegs_oneway_measure(f->env, &f->model->accountant, f->rng, cost[i], f->cells + f->layout->offset[i], f->layout->levels[i], &f->one[i]);
	}
}

/* Number of rows: inverse-variance mean of the sums of all tables. */
static void
estimate_rows(fitting *f)
{
	double		sum = 0;
	double		weight = 0;

	for (uint32_t i = 0; i < f->layout->ncols; i++)
	{
		const pegs_oneway *one = &f->one[i];
		double		w = one->variance < 0 ? 0 : 1 / (one->variance * f->layout->levels[i]);

		weight += w;
		for (uint32_t j = 0; w > 0 && j < f->layout->levels[i]; j++)
			sum += w * one->noisy[j];
	}
	f->rows = pegs_accountant_scale(&f->model->accountant);
	if (weight > 0)
		f->rows = fmax(f->rows, sum / weight);
}

/* One column: smoothed, then the simplex. What could not be looked at is uniform. */
static void
estimate_column(fitting *f, uint32_t column)
{
	uint32_t	n = f->layout->levels[column];
	uint32_t	bins = f->layout->bins ? f->layout->bins[column] : 0;
	double	   *share = f->model->share[column];

	for (uint32_t j = 0; f->one[column].variance < 0 && j < n; j++)
		share[j] = 1.0 / n;
	if (f->one[column].variance < 0)
		return;
	pegs_oneway_smooth(f->env, &f->one[column], n, bins, f->rows, share);
	pegs_oneway_project(f->env, share, n, bins, f->one[column].variance, f->rows);
	for (uint32_t j = 0; j < n; j++)
		share[j] /= f->rows;
}

static void
estimate(fitting *f)
{
	estimate_rows(f);
	for (uint32_t i = 0; i < f->layout->ncols; i++)
	{
		f->env->check(f->env->context);
		estimate_column(f, i);
	}
}

/* By the levels that are declared; then the rest, so that each column has, of both together, what its levels in use want. */
static void
spend(fitting *f)
{
	uint32_t	m = f->layout->ncols;
	double		total = pegs_accountant_left(&f->model->accountant);
	double		first = f->model->accountant.pure || m == 1 ? 1 : FIRST_LOOK;
	double	   *size = f->env->alloc(f->env->context, sizeof(double) * m);
	double	   *share = f->env->alloc(f->env->context, sizeof(double) * m);
	double	   *cost = f->env->alloc(f->env->context, sizeof(double) * m);
	double		sum = 0;

	for (uint32_t i = 0; i < m; i++)
		size[i] = f->layout->levels[i];
	pegs_oneway_shares(&f->model->accountant, m, size, share);
	for (uint32_t i = 0; i < m; i++)
		cost[i] = first * total * share[i];
	look(f, cost);
	estimate(f);
	if (first == 1)
		return;
	for (uint32_t i = 0; i < m; i++)
		size[i] = pegs_oneway_in_use(&f->one[i], f->model->share[i], f->layout->levels[i], f->rows);
	pegs_oneway_shares(&f->model->accountant, m, size, share);
	for (uint32_t i = 0; i < m; i++)
		sum += cost[i] = fmax(0, total * share[i] - cost[i]);
	for (uint32_t i = 0; sum > 0 && i < m; i++)
		cost[i] *= pegs_accountant_left(&f->model->accountant) / sum;
	look(f, cost);
	estimate(f);
}

void
pegs_marginals_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells,
				   pegs_marginals *model)
{
	fitting		f = {.env = env, .rng = rng, .layout = layout, .cells = cells, .model = model};

	memset(model, 0, sizeof(*model));
	model->accountant = *accountant;
	model->accountant.env = env;
	model->ncols = layout->ncols;
	model->levels = layout->levels;
	model->variance = env->alloc(env->context, sizeof(double) * model->ncols);
	model->share = env->alloc(env->context, sizeof(double *) * model->ncols);
	f.one = env->alloc(env->context, sizeof(pegs_oneway) * model->ncols);
	for (uint32_t i = 0; i < model->ncols; i++)
	{
		model->share[i] = env->alloc(env->context, sizeof(double) * layout->levels[i]);
		f.one[i].variance = -1;
	}
	pegs_env_step(env, PEGS_STEP_ONEWAYS);
	spend(&f);
	pegs_env_step(env, PEGS_STEP_LAST);
	for (uint32_t i = 0; i < model->ncols; i++)
		model->variance[i] = fmax(0, f.one[i].variance);
	model->rows = f.rows / pegs_accountant_scale(accountant);
	model->accountant.env = NULL;	/* the model may live longer */
}

/* ---- bytes ---- */

/* the record, with a 0  f64 variance[columns]  per column: f64 share[levels] */
void
pegs_marginals_walk(pegs_cursor *c, pegs_marginals *model)
{
	uint32_t	reserved = 0;

	pegs_record_walk(c, &model->accountant, &model->rows, &reserved, pegs_marginals_purposes, PEGS_MARGINALS_PURPOSES);
	if (reserved != 0)
		pegs_bad(c, PEGS_ERR_FORMAT);
	if (c->status != PEGS_OK)
		return;
	pegs_f64s(c, &model->variance, model->ncols);
	for (uint32_t i = 0; c->pass == PEGS_READ && c->status == PEGS_OK && i < model->ncols; i++)
		if (!(model->variance[i] >= 0))
			pegs_bad(c, PEGS_ERR_FORMAT);
	if (c->pass == PEGS_READ && c->status == PEGS_OK)
		model->share = c->env->alloc(c->env->context, sizeof(double *) * model->ncols);
	for (uint32_t i = 0; i < model->ncols && c->status == PEGS_OK; i++)
		pegs_shares_walk(c, &model->share[i], model->levels[i], false);
}
