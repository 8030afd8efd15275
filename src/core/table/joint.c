/*
 * joint.c
 *	  The table of all columns, with noise in every cell: counts to a model, and that as bytes.
 *
 * Full and empty cells alike get noise, so which cells the model has is
 * released with them. Every look at the counts is in accountant.c; everything
 * else reads released numbers. Claim P22.
 */
#include "core/table/joint.h"

#include <math.h>
#include <string.h>

#include "core/record.h"
#include "core/shares.h"
#include "core/simplex.h"
#include "core/table/within.h"
#include "core/urn_fit.h"

static const uint64_t MANY_CELLS = 1000;	/* above, their sum has more noise than the number of rows by itself */
static const double ROWS_SHARE = 0.05;	/* of epsilon, for that */

const pegs_purpose pegs_joint_purposes[PEGS_JOINT_PURPOSES] = {PEGS_FOR_ROWS, PEGS_FOR_TABLE, PEGS_FOR_URNS};

uint64_t
pegs_joint_cells(const pegs_joint *model)
{
	uint64_t	cells = 1;

	for (uint32_t i = 0; i < model->ncols; i++)
		cells *= model->levels[i];
	return cells;
}

double
pegs_joint_sd(const pegs_joint *model)
{
	double		cost = ldexp((double) model->accountant.record[PEGS_FOR_TABLE - 1].cost, -PEGS_COST_BITS);

	return cost > 0 ? pegs_noise_sd(&model->accountant, cost) / pegs_accountant_scale(&model->accountant) : 0;
}

/* ---- a fit ---- */

typedef struct fitting
{
	const pegs_env *env;
	pegs_rng   *rng;
	const pegs_layout *layout;
	pegs_joint *model;
	uint32_t	n;				/* cells that no structural zero forbids */
	uint32_t   *cell;			/* [n]; NULL: all of them */
	const int64_t *exact;		/* [n] private */
	double	   *noisy;			/* [n] */
} fitting;

/* Those that no zero forbids, and their counts: `own`, which is not of the caller. */
static void
take_possible(fitting *f, const uint64_t *cells, int64_t **own)
{
	const pegs_layout *layout = f->layout;
	uint16_t   *row = f->env->alloc(f->env->context, sizeof(uint16_t) * layout->ncols);

	f->cell = f->env->alloc(f->env->context, sizeof(uint32_t) * layout->ncells);
	*own = f->env->alloc(f->env->context, sizeof(int64_t) * layout->ncells);
	f->exact = *own;
	for (uint64_t i = 0; i < layout->ncells; i++)
	{
		if (i % PEGS_WIRE_STEP == 0)
			f->env->check(f->env->context);
		pegs_joint_row(layout->ncols, layout->levels, i, row);
		if (pegs_is_zero(&layout->zeros, row))
			continue;
		f->cell[f->n] = (uint32_t) i;
		(*own)[f->n++] = (int64_t) cells[i];
	}
	pegs_env_free(f->env, row);
}

/*
 * The cells that rows may have: a public fact. All of them, if none may: then
 * nothing is ever drawn. Of all no copy is made: near 2^26 of them it is what is
 * slow to wipe when a fit is cancelled.
 */
static void
take_cells(fitting *f, const uint64_t *cells, int64_t **own)
{
	if (f->layout->zeros.n > 0)
		take_possible(f, cells, own);
	if (f->n > 0)
		return;
	f->n = (uint32_t) f->layout->ncells;
	if (*own)
	{
		pegs_env_free(f->env, f->cell);
		pegs_env_free(f->env, *own);
	}
	f->cell = NULL;
	*own = NULL;
	f->exact = (const int64_t *) cells;	/* no more than 2^46 each */
}

static uint32_t
cell_at(const fitting *f, uint32_t i)
{
	return f->cell ? f->cell[i] : i;
}

/* The number of rows by itself, where the sum of the cells would be too noisy. Its variance; negative: not measured. */
static double
measure_rows(fitting *f, double *rows)
{
	int64_t		exact = 0;

	if (f->n <= MANY_CELLS)
		return -1;
	for (uint32_t i = 0; i < f->n; i++)
	{
		if (i % PEGS_WIRE_STEP == 0)
			f->env->check(f->env->context);
		exact += f->exact[i];
	}
	return pegs_measure(&f->model->accountant, f->rng, PEGS_FOR_ROWS, ROWS_SHARE * pegs_accountant_left(&f->model->accountant),
						&exact, rows, 1);
}

/* Rows, by both measurements: inverse-variance mean. */
static double
estimate_rows(const fitting *f, double rows, double variance, double cell_variance)
{
	double		weight = 1 / (cell_variance * f->n);
	double		sum = 0;

	for (uint32_t i = 0; i < f->n; i++)
	{
		if (i % PEGS_WIRE_STEP == 0)
			f->env->check(f->env->context);
		sum += f->noisy[i];
	}
	if (variance > 0)
		sum = (sum * weight + rows / variance) / (weight + 1 / variance);
	return fmax(pegs_accountant_scale(&f->model->accountant), sum);
}

/* Noise in every cell, and the number of rows. */
static double
measure(fitting *f)
{
	pegs_accountant *accountant = &f->model->accountant;
	double		measured = 0;
	double		variance = measure_rows(f, &measured);
	double		cell_variance = pegs_measure(accountant, f->rng, PEGS_FOR_TABLE, pegs_accountant_left(accountant), f->exact, f->noisy, f->n);

	if (cell_variance > 0)
		return estimate_rows(f, measured, variance, cell_variance);
	return fmax(pegs_accountant_scale(accountant), variance > 0 ? measured : 0);	/* nothing could be bought: every cell has the same */
}

/* Draws from an urn of each combination of some columns. */
static void
draw_within(fitting *f, const bool *within, double *rows)
{
	const pegs_env *env = f->env;
	const pegs_layout *layout = f->layout;
	int64_t    *exact = env->alloc(env->context, sizeof(int64_t) * f->n);
	double	   *drawn = env->alloc(env->context, sizeof(double) * f->n);
	pegs_strata strata;
	uint32_t   *size;
	uint32_t   *cell = env->alloc(env->context, sizeof(uint32_t) * f->n);

	pegs_strata_make(env, layout->ncols, layout->levels, within, f->cell, f->n, &strata);
	size = env->alloc(env->context, sizeof(uint32_t) * strata.n);
	for (uint32_t s = 0; s < strata.n; s++)
		size[s] = strata.start[s + 1] - strata.start[s];
	for (uint32_t i = 0; i < f->n; i++)
	{
		if (i % PEGS_WIRE_STEP == 0)
			env->check(env->context);
		exact[i] = f->exact[strata.at[i]];
		cell[i] = cell_at(f, strata.at[i]);
	}
	pegs_fit_urns(env, f->rng, &f->model->accountant, layout, strata.n, size, true, cell, exact, drawn, rows);
	for (uint32_t i = 0; i < f->n; i++)
	{
		if (i % PEGS_WIRE_STEP == 0)
			env->check(env->context);
		f->noisy[strata.at[i]] = drawn[i];
	}
	pegs_env_free(env, cell);
	pegs_env_free(env, size);
	pegs_env_free(env, drawn);
	pegs_env_free(env, exact);
}

/* Draws in place of noise. */
static void
draw_all(fitting *f, double *rows)
{
	const pegs_setting *within = &f->layout->settings[PEGS_URN_WITHIN];

	if (within->columns)
		draw_within(f, within->columns, rows);
	else
		pegs_fit_urns(f->env, f->rng, &f->model->accountant, f->layout, 1, &f->n, false, f->cell, f->exact, f->noisy, rows);
}

/* What is left above zero, as shares, in the place of the noisy numbers; and those of single columns. */
static void
keep_cells(fitting *f, double rows)
{
	pegs_joint *model = f->model;
	uint16_t   *row = f->env->alloc(f->env->context, sizeof(uint16_t) * model->ncols);

	for (uint32_t i = 0; i < f->n; i++)
	{
		if (i % PEGS_WIRE_STEP == 0)
			f->env->check(f->env->context);
		model->n += f->noisy[i] / rows > 0;
	}
	model->cell = f->env->alloc(f->env->context, sizeof(uint32_t) * model->n);
	model->weight = f->noisy;
	model->n = 0;
	for (uint32_t i = 0; i < f->n; i++)
	{
		double		weight = f->noisy[i] / rows;

		if (i % PEGS_WIRE_STEP == 0)
			f->env->check(f->env->context);
		if (!(weight > 0))
			continue;
		model->cell[model->n] = cell_at(f, i);
		model->weight[model->n++] = weight;
		pegs_joint_row(model->ncols, model->levels, cell_at(f, i), row);
		for (uint32_t c = 0; c < model->ncols; c++)
			model->share[c][row[c]] += weight;
	}
	pegs_env_free(f->env, row);
}

void
pegs_joint_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells,
			   pegs_joint *model)
{
	fitting		f = {.env = env, .rng = rng, .layout = layout, .model = model};
	int64_t    *own = NULL;
	double		rows;

	memset(model, 0, sizeof(*model));
	model->accountant = *accountant;
	model->accountant.env = env;
	model->ncols = layout->ncols;
	model->levels = layout->levels;
	model->share = env->alloc(env->context, sizeof(double *) * model->ncols);
	for (uint32_t i = 0; i < model->ncols; i++)
		model->share[i] = env->alloc(env->context, sizeof(double) * layout->levels[i]);
	pegs_env_step(env, PEGS_STEP_TABLE);
	take_cells(&f, cells, &own);
	f.noisy = env->alloc(env->context, sizeof(double) * f.n);
	if (pegs_fits_by_urns(layout->settings))
	{
		draw_all(&f, &rows);
		model->rows = rows;
	}
	else
	{
		rows = measure(&f);
		model->rows = rows / pegs_accountant_scale(accountant);
	}
	if (own)
		pegs_env_free(env, own);
	pegs_env_step(env, PEGS_STEP_LAST);
	if (!pegs_fits_by_urns(layout->settings))
		pegs_project_simplex(env, f.noisy, f.n, rows);
	keep_cells(&f, rows);
	if (f.cell)
		pegs_env_free(env, f.cell);
	model->accountant.env = NULL;	/* the model may live longer */
}

/* ---- bytes ---- */

static void
walk_cells(pegs_cursor *c, pegs_joint *model)
{
	double		cells = 1;

	for (uint32_t i = 0; i < model->ncols; i++)
		cells *= model->levels[i];
	if (model->n < 1 || model->n > cells || cells > (double) PEGS_MAX_CELLS)
	{
		pegs_bad(c, PEGS_ERR_FORMAT);
		return;
	}
	pegs_u32s(c, &model->cell, model->n);
	for (uint32_t i = 0; c->pass == PEGS_READ && c->status == PEGS_OK && i < model->n; i++)
	{
		if (i % PEGS_WIRE_STEP == PEGS_WIRE_STEP - 1)
			c->env->check(c->env->context);
		if (model->cell[i] >= cells || (i > 0 && model->cell[i] <= model->cell[i - 1]))
			pegs_bad(c, PEGS_ERR_FORMAT);
	}
	if (c->status == PEGS_OK)
		pegs_shares_walk(c, &model->weight, model->n, true);
}

/* the record, with the number of cells  per column: f64 share[levels]  u32 cell[]  f64 weight[] */
void
pegs_joint_walk(pegs_cursor *c, pegs_joint *model)
{
	pegs_record_walk(c, &model->accountant, &model->rows, &model->n, pegs_joint_purposes, PEGS_JOINT_PURPOSES);
	if (c->status != PEGS_OK)
		return;
	if (c->pass == PEGS_READ)
		model->share = c->env->alloc(c->env->context, sizeof(double *) * model->ncols);
	for (uint32_t i = 0; i < model->ncols && c->status == PEGS_OK; i++)
		pegs_shares_walk(c, &model->share[i], model->levels[i], false);
	if (c->status == PEGS_OK)
		walk_cells(c, model);
}
