/*
 * adjust.c
 *	  Row adjustment as it was in 0.2.0: of models that were made before rows
 *	  were smoothed, so that their rows and releases stay what they are.
 *
 * Greedy descent on sum_q w_q (count - target)^2 over the cells of all
 * measured pairs and 1-ways: one value of one row at a time changes to the
 * level that lowers it most. Reads released numbers only; the original rows
 * are never seen.
 */
#include "core/graph/draw.h"
#include "core/graph/smooth.h"

#include <math.h>
#include <string.h>

static const int PASSES = 3;
static const double VARIANCE_WEIGHT = 0.02; /* w = 1 / (1 + this * variance) */

#define LOOKS_AT_ONCE 65536		/* between two questions whether to stop */

/* A measured pair as one of its columns sees it. */
typedef struct view
{
	uint32_t	other;			/* column */
	const uint16_t *own_class;	/* [levels] */
	const uint16_t *other_class;
	uint32_t	own_stride;
	uint32_t	other_stride;
	double	   *excess;			/* [cells] count - target, shared by both views */
	double		weight;
} view;

typedef struct column
{
	uint32_t	n;
	view	   *view;
	double	   *excess;			/* [levels] of the 1-way */
	double		weight;			/* of all tables it is in */
} column;

static void
set_up(const pegs_env *env, const pegs_fitted *model, uint32_t n, uint16_t *const *codes, column *columns)
{
	for (uint32_t i = 0; i < model->ncols; i++)
	{
		column	   *c = &columns[i];

		env->check(env->context);
		c->excess = env->alloc(env->context, sizeof(double) * model->levels[i]);
		for (uint32_t r = 0; r < n; r++)
			c->excess[codes[i][r]] += 1;
		for (uint32_t l = 0; l < model->levels[i]; l++)
			c->excess[l] -= n * model->share[i][l];
		c->weight = 1;
	}
	for (uint32_t p = 0; p < model->npairs; p++)
		for (int x = 0; x < 2; x++)
			columns[model->pair[p].column[x]].n++;
	for (uint32_t i = 0; i < model->ncols; i++)
	{
		columns[i].view = env->alloc(env->context, sizeof(view) * columns[i].n);
		columns[i].n = 0;
	}
	for (uint32_t p = 0; p < model->npairs; p++)
	{
		const pegs_pair *pair = &model->pair[p];
		size_t		cells = (size_t) pair->k[0] * pair->k[1];
		double	   *excess = env->alloc(env->context, sizeof(double) * cells);
		double		weight = 1 / (1 + VARIANCE_WEIGHT * pair->variance);

		env->check(env->context);
		for (uint32_t r = 0; r < n; r++)
			excess[(size_t) pair->class_of[0][codes[pair->column[0]][r]] * pair->k[1]
				   + pair->class_of[1][codes[pair->column[1]][r]]] += 1;
		for (size_t i = 0; i < cells; i++)
			excess[i] -= n * pair->share[i];
		for (int x = 0; x < 2; x++)
		{
			column	   *c = &columns[pair->column[x]];

			c->view[c->n++] = (view) {
				.other = pair->column[1 - x],
				.own_class = pair->class_of[x],
				.other_class = pair->class_of[1 - x],
				.own_stride = x == 0 ? pair->k[1] : 1,
				.other_stride = x == 0 ? 1 : pair->k[1],
				.excess = excess,
				.weight = weight
			};
			c->weight += weight;
		}
	}
}

/* Best level for one value of one row; true if it changed. */
static bool
improve(column *c, uint32_t number, uint32_t levels, const pegs_zeros *zeros, const uint16_t *row, uint16_t *value, double *cost)
{
	uint32_t	old = *value;
	double		base = c->excess[old];
	uint32_t	best = old;
	double		least;

	for (uint32_t q = 0; q < c->n; q++)
	{
		const view *v = &c->view[q];

		base += v->weight * v->excess[v->own_class[old] * v->own_stride + v->other_class[row[v->other]] * v->other_stride];
	}
	if (base <= 0)
		return false;
	for (uint32_t y = 0; y < levels; y++)
		cost[y] = c->excess[y] + 1;
	for (uint32_t q = 0; q < c->n; q++)
	{
		const view *v = &c->view[q];
		const double *line = v->excess + v->other_class[row[v->other]] * v->other_stride;
		uint32_t	own = v->own_class[old];

		for (uint32_t y = 0; y < levels; y++)
			cost[y] += v->weight * (line[v->own_class[y] * v->own_stride] + (v->own_class[y] != own));
	}
	least = base - 1e-9;
	for (uint32_t y = 0; y < levels; y++)
		if (y != old && cost[y] < least && !pegs_would_be_zero(zeros, row, number, y))
		{
			least = cost[y];
			best = y;
		}
	if (best == old)
		return false;
	c->excess[old] -= 1;
	c->excess[best] += 1;
	for (uint32_t q = 0; q < c->n; q++)
	{
		const view *v = &c->view[q];
		double	   *line = v->excess + v->other_class[row[v->other]] * v->other_stride;

		line[v->own_class[old] * v->own_stride] -= 1;
		line[v->own_class[best] * v->own_stride] += 1;
	}
	*value = (uint16_t) best;
	return true;
}

static void
adjust(const pegs_env *env, const pegs_fitted *model, const pegs_zeros *zeros, pegs_rng *rng, uint32_t n, uint16_t **codes)
{
	uint32_t	m = model->ncols;
	column	   *columns = env->alloc(env->context, sizeof(column) * m);
	uint32_t   *order = env->alloc(env->context, sizeof(uint32_t) * n);
	uint16_t   *row = env->alloc(env->context, sizeof(uint16_t) * m);
	uint32_t	widest = 1;
	uint64_t	since = 0;		/* looks since it was asked whether to stop */
	double	   *cost;

	if (model->npairs == 0)
		return;
	for (uint32_t i = 0; i < m; i++)
		if (model->levels[i] > widest)
			widest = model->levels[i];
	cost = env->alloc(env->context, sizeof(double) * widest);
	set_up(env, model, n, codes, columns);
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	j = (uint32_t) pegs_rng_below(rng, i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (int pass = 0; pass < PASSES; pass++)
	{
		uint64_t	moves = 0;

		for (uint32_t i = 0; i < n; i++)
		{
			uint32_t	r = order[i];

			for (uint32_t c = 0; c < m; c++)
				row[c] = codes[c][r];
			for (uint32_t c = 0; c < m; c++)
			{
				/* a value may weigh 65,535 levels in many tables, and as many zeros */
				if (since >= LOOKS_AT_ONCE)
				{
					env->check(env->context);
					since = 0;
				}
				since += (uint64_t) model->levels[c] * (columns[c].n + 1 + (uint64_t) zeros->n);
				if (improve(&columns[c], c, model->levels[c], zeros, row, &row[c], cost))
				{
					codes[c][r] = row[c];
					moves++;
				}
			}
		}
		if (moves < (uint64_t) n * m / 10000)
			break;
	}
}

void
pegs_adjust_batch(const pegs_env *env, const pegs_fitted *model, const pegs_zeros *zeros,
				  pegs_rng *rng, uint32_t n, uint16_t **codes)
{
	if (model->smooth)
		pegs_smooth_batch(env, model, NULL, zeros, rng, n, codes);
	else
		adjust(env, model, zeros, rng, n, codes);
}
