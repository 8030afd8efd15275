/*
 * columns.c
 *	  The tables of all columns: a part of a budget by the levels that are
 *	  declared, the rest by those that this shows in use; and the number of rows.
 *
 * Every look is oneway.c's; everything else reads released numbers. Claims P23, P25.
 */
#include "core/column/column.h"

#include <math.h>

static const double FIRST_LOOK = 0.5;	/* of rho, by declared levels; where looks are Laplace there is one: two would have more noise */

typedef struct fitting
{
	const pegs_env *env;
	pegs_accountant *accountant;
	pegs_rng   *rng;
	const pegs_layout *layout;
	const uint64_t *cells;		/* private */
	pegs_columns *columns;
} fitting;

static void
look(fitting *f, const double *cost)
{
	for (uint32_t i = 0; i < f->layout->ncols; i++)
	{
		f->env->check(f->env->context);
		pegs_oneway_measure(f->env, f->accountant, f->rng, cost[i], f->cells + f->layout->offset[i], f->layout->levels[i], &f->columns->one[i]);
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
		const pegs_oneway *one = &f->columns->one[i];
		double		w = one->variance < 0 ? 0 : 1 / (one->variance * f->layout->levels[i]);

		weight += w;
		for (uint32_t j = 0; w > 0 && j < f->layout->levels[i]; j++)
			sum += w * one->noisy[j];
	}
	f->columns->rows = pegs_accountant_scale(f->accountant);
	if (weight > 0)
		f->columns->rows = fmax(f->columns->rows, sum / weight);
}

/* One column: smoothed, then the simplex. What could not be looked at is uniform. */
static void
estimate_column(fitting *f, uint32_t column)
{
	uint32_t	n = f->layout->levels[column];
	uint32_t	bins = f->layout->bins ? f->layout->bins[column] : 0;
	pegs_oneway *one = &f->columns->one[column];
	double	   *share = f->columns->share[column];

	for (uint32_t j = 0; one->variance < 0 && j < n; j++)
		share[j] = 1.0 / n;
	if (one->variance < 0)
		return;
	pegs_oneway_smooth(f->env, one, n, bins, f->columns->rows, share);
	pegs_oneway_project(f->env, share, n, bins, one->variance, f->columns->rows);
	for (uint32_t j = 0; j < n; j++)
		share[j] /= f->columns->rows;
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
spend(fitting *f, double budget)
{
	uint32_t	m = f->layout->ncols;
	double		keep = pegs_accountant_left(f->accountant) - budget;
	double		first = f->accountant->pure || m == 1 ? 1 : FIRST_LOOK;
	double	   *size = f->env->alloc(f->env->context, sizeof(double) * m);
	double	   *share = f->env->alloc(f->env->context, sizeof(double) * m);
	double	   *cost = f->env->alloc(f->env->context, sizeof(double) * m);
	double		left;
	double		sum = 0;

	for (uint32_t i = 0; i < m; i++)
		size[i] = f->layout->levels[i];
	pegs_oneway_shares(f->accountant, m, size, share);
	for (uint32_t i = 0; i < m; i++)
		cost[i] = first * budget * share[i];
	look(f, cost);
	estimate(f);
	if (first == 1)
		return;
	for (uint32_t i = 0; i < m; i++)
		size[i] = pegs_oneway_in_use(&f->columns->one[i], f->columns->share[i], f->layout->levels[i], f->columns->rows);
	pegs_oneway_shares(f->accountant, m, size, share);
	for (uint32_t i = 0; i < m; i++)
		sum += cost[i] = fmax(0, budget * share[i] - cost[i]);
	left = fmax(0, pegs_accountant_left(f->accountant) - keep);
	for (uint32_t i = 0; sum > 0 && i < m; i++)
		cost[i] *= left / sum;
	look(f, cost);
	estimate(f);
}

void
pegs_columns_fit(const pegs_env *env, pegs_accountant *accountant, pegs_rng *rng, double budget, const pegs_layout *layout,
				 const uint64_t *cells, pegs_columns *columns)
{
	fitting		f = {.env = env, .accountant = accountant, .rng = rng, .layout = layout, .cells = cells, .columns = columns};

	columns->share = env->alloc(env->context, sizeof(double *) * layout->ncols);
	columns->one = env->alloc(env->context, sizeof(pegs_oneway) * layout->ncols);
	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		columns->share[i] = env->alloc(env->context, sizeof(double) * layout->levels[i]);
		columns->one[i].variance = -1;
	}
	spend(&f, budget);
}

/* Of each its standard deviation times its levels: total variation goes by that. All looks at a column are together as one of their sum. */
double
pegs_columns_noise(const pegs_env *env, const pegs_accountant *accountant, double budget, const pegs_layout *layout)
{
	double	   *size = env->alloc(env->context, sizeof(double) * layout->ncols);
	double	   *share = env->alloc(env->context, sizeof(double) * layout->ncols);
	double		sum = 0;

	for (uint32_t i = 0; i < layout->ncols; i++)
		size[i] = layout->levels[i];
	pegs_oneway_shares(accountant, layout->ncols, size, share);
	for (uint32_t i = 0; i < layout->ncols; i++)
		sum += size[i] * pegs_noise_sd(accountant, budget * share[i]);
	pegs_env_free(env, size);
	pegs_env_free(env, share);
	return sum;
}
