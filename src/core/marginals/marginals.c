/*
 * marginals.c
 *	  The tables of single columns, with noise in every cell: counts to a model, and that as bytes.
 *
 * All of the budget is for them (core/column/columns.c). Claim P23.
 */
#include "core/marginals/marginals.h"

#include <math.h>
#include <string.h>

#include "core/column/column.h"
#include "core/record.h"
#include "core/shares.h"
#include "core/urn_fit.h"

const pegs_purpose pegs_marginals_purposes[PEGS_MARGINALS_PURPOSES] = {PEGS_FOR_ONEWAY, PEGS_FOR_URNS};

double
pegs_marginals_sd(const pegs_marginals *model, uint32_t column)
{
	return sqrt(model->variance[column]) / pegs_accountant_scale(&model->accountant);
}

/* Rows drawn from an urn of each column. Variances are 0: nothing was added. */
static void
draw_columns(const pegs_env *env, pegs_rng *rng, const pegs_layout *layout, const uint64_t *cells, pegs_marginals *model)
{
	int64_t    *exact = env->alloc(env->context, sizeof(int64_t) * layout->ncells);
	double	   *drawn = env->alloc(env->context, sizeof(double) * layout->ncells);
	size_t		n = 0;

	for (uint32_t i = 0; i < layout->ncols; i++)
		for (uint32_t j = 0; j < layout->levels[i]; j++)
			exact[n++] = (int64_t) cells[layout->offset[i] + j];
	pegs_fit_urns(env, rng, &model->accountant, layout, layout->ncols, layout->levels, false, NULL, exact, drawn, &model->rows);
	pegs_env_free(env, exact);
	model->share = env->alloc(env->context, sizeof(double *) * layout->ncols);
	n = 0;
	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		model->share[i] = env->alloc(env->context, sizeof(double) * layout->levels[i]);
		for (uint32_t j = 0; j < layout->levels[i]; j++)
			model->share[i][j] = drawn[n++] / model->rows;
	}
	pegs_env_free(env, drawn);
}

void
pegs_marginals_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells,
				   pegs_marginals *model)
{
	pegs_columns columns;

	memset(model, 0, sizeof(*model));
	model->accountant = *accountant;
	model->accountant.env = env;
	model->ncols = layout->ncols;
	model->levels = layout->levels;
	model->variance = env->alloc(env->context, sizeof(double) * model->ncols);
	pegs_env_step(env, PEGS_STEP_ONEWAYS);
	if (pegs_fits_by_urns(layout->settings))
	{
		draw_columns(env, rng, layout, cells, model);
		pegs_env_step(env, PEGS_STEP_LAST);
		model->accountant.env = NULL;
		return;
	}
	pegs_columns_fit(env, &model->accountant, rng, pegs_accountant_left(&model->accountant), layout, cells, &columns);
	pegs_env_step(env, PEGS_STEP_LAST);
	model->share = columns.share;
	for (uint32_t i = 0; i < model->ncols; i++)
		model->variance[i] = fmax(0, columns.one[i].variance);
	model->rows = columns.rows / pegs_accountant_scale(accountant);
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
