/*
 * by_draw.c
 *	  Rows of a copula in each cell of some columns: a cell, then a row of its copula.
 *
 * A column that is given is one of the cells' own, and leaves some of them; or another, and each cell
 * counts by the share that it has of it. Released numbers alone.
 */
#include "core/copula/by.h"

#include <string.h>

#include "core/shares.h"
#include "core/wire.h"

struct pegs_by_draws
{
	const pegs_copula *model;
	const pegs_method *method;
	pegs_rng   *rng;
	double	   *line;			/* [ncells + 1] chances of the cells before */
	pegs_draws **cell;			/* [ncells] of those with a chance */
	pegs_copula *copula;		/* [ncells] their models, with a factor */
	uint16_t   *others;			/* [nothers] a row of one */
};

/* The level of a column of the cells. */
static uint32_t
level_of(const pegs_copula *model, uint32_t cell, uint32_t number)
{
	for (uint32_t i = model->nby; i-- > number + 1;)
		cell /= model->levels[model->by->column[i]];
	return cell % model->levels[model->by->column[number]];
}

/* How much of a cell's share has what is given; the code of another column into `code`. */
static double
chance_of(const pegs_copula *model, uint32_t cell, const pegs_ask *ask, int32_t *code)
{
	const pegs_by *by = model->by;
	double		chance = by->share[cell];

	if (ask->given == NULL || !(chance > 0))
		return chance;
	for (uint32_t i = 0; i < model->nby; i++)
		if (ask->given[by->column[i]] >= 0 && (uint32_t) ask->given[by->column[i]] != level_of(model, cell, i))
			return 0;
	for (uint32_t i = 0; i < by->nothers; i++)
	{
		code[i] = ask->given[by->other[i]];
		if (code[i] >= 0)
			chance *= by->cell[cell]->share[i][code[i]];
	}
	return chance;
}

pegs_status
pegs_by_open(const pegs_env *env, const pegs_wire *wire, const void *prepared, const pegs_ask *ask, pegs_by_draws **draws)
{
	pegs_by_draws *d = env->alloc(env->context, sizeof(pegs_by_draws));
	const pegs_copula *model = wire->model;
	const pegs_by *by = model->by;
	int32_t    *code = env->alloc(env->context, sizeof(int32_t) * by->nothers);
	uint32_t	given = 0;

	if (prepared == NULL)
		prepared = wire->method->prepare(env, model);
	*draws = d;
	d->model = model;
	d->method = wire->method;
	d->line = env->alloc(env->context, sizeof(double) * (by->ncells + 1));
	d->cell = env->alloc(env->context, sizeof(pegs_draws *) * by->ncells);
	d->copula = env->alloc(env->context, sizeof(pegs_copula) * by->ncells);
	d->others = env->alloc(env->context, sizeof(uint16_t) * by->nothers);
	for (uint32_t i = 0; i < model->ncols; i++)
		given += ask->given && ask->given[i] >= 0;
	if (given > 1)
		return PEGS_ERR_ARGUMENT;	/* one column (most_given) */
	for (uint32_t i = 0; i < by->nothers; i++)
		code[i] = -1;
	for (uint32_t c = 0; c < by->ncells; c++)
	{
		double		chance = chance_of(model, c, ask, code);
		pegs_wire	inner = {.kind = wire->kind, .method = wire->method, .ncols = by->nothers, .levels = by->levels, .spec = "", .model = &d->copula[c]};
		pegs_ask	own = *ask;

		env->check(env->context);
		d->line[c + 1] = d->line[c];
		if (!(chance > 0))
			continue;
		d->copula[c] = *by->cell[c];
		if (d->copula[c].factor == NULL)
			d->copula[c].factor = by->pooled.factor;
		own.given = given > 0 ? code : NULL;
		own.zeros.n = 0;
		if (wire->method->open(env, &inner, prepared, &own, &d->cell[c]) == PEGS_OK)
			d->line[c + 1] += chance;
	}
	return d->line[by->ncells] > 0 ? PEGS_OK : PEGS_ERR_RANGE;
}

void
pegs_by_start(pegs_by_draws *d, pegs_rng *rng)
{
	d->rng = rng;
	for (uint32_t c = 0; c < d->model->by->ncells; c++)
		if (d->cell[c])
			d->method->start(d->cell[c], rng);
}

void
pegs_by_row(pegs_by_draws *d, uint16_t *row)
{
	const pegs_copula *model = d->model;
	uint32_t	cell = pegs_share_at(d->line, model->by->ncells, pegs_rng_double(d->rng));

	/* without zeros there is a row */
	(void) d->method->next(d->cell[cell], d->others);
	for (uint32_t i = 0; i < model->by->nothers; i++)
		row[model->by->other[i]] = d->others[i];
	for (uint32_t i = 0; i < model->nby; i++)
		row[model->by->column[i]] = (uint16_t) level_of(model, cell, i);
}
