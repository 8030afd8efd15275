/*
 * dummy_draw.c
 *	  Rows of a normal for each level: of every column the level whose clock is the first.
 *
 * A level's clock runs as fast as its share is large, and a column's own normals are
 * independent, so a column has its shares to the last bit of a double. Rows are made by
 * + - * / and square roots alone: the same everywhere. Post-processing.
 */
#include "core/copula/dummy.h"

#include "core/copula/clock.h"
#include "core/copula/normals.h"
#include "core/possible.h"
#include "core/shares.h"

struct pegs_dummy_draws
{
	pegs_env	env;
	const pegs_dummy *model;
	pegs_ask	ask;
	pegs_rng   *rng;
	pegs_normals normals;		/* those of the levels */
	uint32_t	given_out;		/* of the rows that they are drawn for */
	double	  **line;			/* [ncols] of shares, where there is one normal for all */
	uint32_t	given;			/* column; ncols: none */
	uint32_t	first;			/* its first normal */
	bool		hopeless;		/* the model has hardly a row that is possible */
};

pegs_status
pegs_dummy_open(const pegs_env *env, const pegs_dummy *model, const pegs_ask *ask, pegs_dummy_draws **draws)
{
	pegs_dummy_draws *d = env->alloc(env->context, sizeof(pegs_dummy_draws));
	uint32_t	first = 0;

	*draws = d;
	d->env = *env;
	d->model = model;
	d->ask = *ask;
	d->given = model->ncols;
	if (model->form == PEGS_DUMMY_ONE)
		d->line = env->alloc(env->context, sizeof(double *) * model->ncols);
	else
		pegs_normals_open(env, model->nlatents, model->factor, NULL, NULL, &d->normals);
	for (uint32_t i = 0; i < model->ncols; first += model->levels[i++])
	{
		if (d->line)
			d->line[i] = pegs_shares_line(env, model->share[i], model->levels[i]);
		if (ask->given == NULL || ask->given[i] < 0)
			continue;
		if (d->given < model->ncols)
			return PEGS_ERR_ARGUMENT;	/* one column (most_given) */
		d->given = i;
		d->first = first;
	}
	if (ask->zeros.n > 0 && !pegs_some_row_is_possible(env, model->ncols, model->levels, &ask->zeros, ask->given))
		return PEGS_ERR_NOTHING;
	if (d->given < model->ncols && !(model->share[d->given][ask->given[d->given]] > 0))
		return PEGS_ERR_RANGE;
	return PEGS_OK;
}

void
pegs_dummy_start(pegs_dummy_draws *d, pegs_rng *rng)
{
	d->rng = rng;
	d->hopeless = false;
	d->given_out = PEGS_NORMALS_AT_ONCE;
}

/* ---- a row ---- */

static double
exponential(const pegs_dummy_draws *d)
{
	return -pegs_natural_log(((double) (pegs_rng_u64(d->rng) >> 11) + 0.5) * 0x1p-53);
}

/*
 * The given level's clock is the first of its column: at a time that is as if nothing were given, the others later,
 * by what they have no memory for. Each normal becomes what its clock says, and those of other columns what
 * they then are (copula_method.c hold_in); those of one column do not disturb each other.
 */
static void
hold_given(pegs_dummy_draws *d, uint32_t row)
{
	const double *share = d->model->share[d->given];
	double		time = exponential(d);

	for (uint32_t l = 0; l < d->model->levels[d->given]; l++)
		if (share[l] > 0)
			pegs_normals_hold(&d->normals, row, d->first + l,
							  pegs_normal_of_clock(share[l] * time + (l == (uint32_t) d->ask.given[d->given] ? 0 : exponential(d))));
}

/* One place on all lines: in the given column's part, where there is one. */
static void
make_row_of_one(const pegs_dummy_draws *d, uint16_t *row)
{
	double		place = pegs_rng_double(d->rng);

	if (d->given < d->model->ncols)
	{
		const double *part = &d->line[d->given][d->ask.given[d->given]];

		place = (part[0] + place * (part[1] - part[0])) / d->line[d->given][d->model->levels[d->given]];
	}
	for (uint32_t i = 0; i < d->model->ncols; i++)
		row[i] = (uint16_t) (i == d->given ? (uint32_t) d->ask.given[i] : pegs_share_at(d->line[i], d->model->levels[i], place));
}

static void
make_normals(pegs_dummy_draws *d)
{
	for (uint32_t r = 0; r < PEGS_NORMALS_AT_ONCE; r++)
	{
		pegs_normals_draw(&d->normals, d->rng, r);
		if (d->given < d->model->ncols)
			hold_given(d, r);
	}
	pegs_normals_mix(&d->normals, true);
	d->given_out = 0;
}

static void
make_row(pegs_dummy_draws *d, uint16_t *row)
{
	const pegs_dummy *model = d->model;
	uint32_t	latent = 0;

	if (d->given_out == PEGS_NORMALS_AT_ONCE)
		make_normals(d);
	for (uint32_t i = 0; i < model->ncols; i++)
	{
		double		earliest = 0;
		bool		found = false;

		for (uint32_t l = 0; l < model->levels[i]; l++, latent++)
		{
			double		time;

			if (i == d->given || !(model->share[i][l] > 0))
				continue;
			time = pegs_clock_of_normal(pegs_normals_at(&d->normals, latent)[d->given_out]) / model->share[i][l];
			if (found && time >= earliest)
				continue;
			found = true;
			earliest = time;
			row[i] = (uint16_t) l;
		}
		if (i == d->given)
			row[i] = (uint16_t) d->ask.given[i];
	}
	d->given_out++;
}

/*
 * The model may have (nearly) no row that is possible. How such a row is
 * replaced is post-processing: then any possible one will do.
 */
pegs_status
pegs_dummy_next(pegs_dummy_draws *d, uint16_t *row)
{
	for (int tries = 0; !d->hopeless && tries < PEGS_MAX_TRIES; tries++)
	{
		d->env.check(d->env.context);
		if (d->line)
			make_row_of_one(d, row);
		else
			make_row(d, row);
		if (!pegs_is_zero(&d->ask.zeros, row))
			return PEGS_OK;
	}
	d->hopeless = true;
	return pegs_uniform_row(&d->env, d->model->ncols, d->model->levels, &d->ask.zeros, d->ask.given, d->rng, row) ? PEGS_OK : PEGS_ERR_NOTHING;
}
