/*
 * oneways.c
 *	  Step A: noisy 1-way tables, and their estimate from everything measured.
 */
#include "core/graph/state.h"

#include <math.h>
#include <stdlib.h>

static const double FIRST_LOOK = 0.10;	/* of the total, on 1-ways */
static const double ONEWAY_LEAST = 0.15;
static const double ONEWAY_MOST = 0.70;
static const double WANTED_TV = 0.02;	/* total variation wanted of a 1-way */

/* Sum of a column's shares per class. */
double *
pegs_class_shares(const pegs_graph_fit *f, uint32_t column, uint32_t k, const uint16_t *class_of)
{
	double	   *p = pegs_fit_alloc(f, k, sizeof(double));

	for (uint32_t i = 0; i < f->layout->levels[column]; i++)
		p[class_of[i]] += f->model->share[column][i];
	return p;
}

/* Of a sample of the world a column has that variance, times rows; a column that is nearly one level has a little, too. */
double
pegs_spread(const pegs_graph_fit *f, uint32_t column)
{
	double		sum = 1e-9;

	for (uint32_t l = 0; l < f->model->levels[column]; l++)
		sum += f->model->share[column][l] * (1 - f->model->share[column][l]);
	return sum;
}

static void
measure_oneway(pegs_graph_fit *f, uint32_t column, double cost)
{
	pegs_oneway_measure(f->env, f->accountant, f->rng, cost, f->cells + f->layout->offset[column], f->layout->levels[column], &f->one[column]);
}

static void
measure_by_share(pegs_graph_fit *f, double cost, const double *share)
{
	for (uint32_t i = 0; i < f->layout->ncols; i++)
		measure_oneway(f, i, cost * share[i]);
}

/*
 * What the 1-ways get of the total, for `rows` rows in columns of `mean` levels.
 * *first of it is spent by declared levels, the rest by those in use.
 */
double
pegs_oneway_budget(const pegs_accountant *accountant, uint32_t ncols, double mean, double rows, double *first)
{
	double		total = (double) accountant->total * 0x1p-50;
	double		sd = 2 * WANTED_TV * rows / (sqrt(2 / M_PI) * mean);
	double		budget = ncols * pegs_cost_of_sd(accountant, sd);

	budget = fmin(fmax(budget, ONEWAY_LEAST * total), ONEWAY_MOST * total);
	*first = FIRST_LOOK * total;
	if (!accountant->pure && budget / 2 > *first)
		*first = budget / 2;
	return budget;
}

/* Number of rows: inverse-variance mean of the sums of all tables measured. */
static void
estimate_rows(pegs_graph_fit *f)
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
	for (uint32_t p = 0; p < f->model->npairs; p++)
		for (uint32_t i = 0; i < f->model->pair[p].n; i++)
		{
			const pegs_measured *m = &f->model->pair[p].measured[i];
			size_t		n = (size_t) m->k[0] * m->k[1];
			double		w = 1 / (m->variance * (double) n);

			weight += w;
			for (size_t j = 0; j < n; j++)
				sum += w * m->noisy[j];
		}
	for (uint32_t t = 0; t < f->model->ntriples; t++)
	{
		const pegs_triple *triple = &f->model->triple[t];
		size_t		n = (size_t) f->layout->levels[triple->column[0]] * f->layout->levels[triple->column[1]] * f->layout->levels[triple->column[2]];
		double		w = 1 / (triple->variance * (double) n);

		weight += w;
		for (size_t j = 0; j < n; j++)
			sum += w * triple->noisy[j];
	}
	f->model->rows = weight > 0 ? fmax(pegs_accountant_scale(f->accountant), sum / weight) : pegs_accountant_scale(f->accountant);
}

/* Coarser cuts after finer ones: what pegs_nested_least_squares wants. */
static int
fine_to_coarse(const void *a, const void *b)
{
	uint32_t	x = ((const pegs_class_sums *) a)->k;
	uint32_t	y = ((const pegs_class_sums *) b)->k;

	return (x < y) - (x > y);
}

/* What a triple says of one of its columns; false: it is none of them. */
static bool
sums_of_triple(const pegs_graph_fit *f, const pegs_triple *triple, uint32_t column, pegs_class_sums *sums)
{
	uint32_t	n = f->layout->levels[column];
	uint32_t	k[3];
	uint32_t	side = 3;
	double	   *value;
	uint16_t   *class_of;
	size_t		at = 0;

	for (uint32_t x = 0; x < 3; x++)
	{
		k[x] = f->layout->levels[triple->column[x]];
		if (triple->column[x] == column)
			side = x;
	}
	if (side == 3)
		return false;
	value = pegs_fit_alloc(f, n, sizeof(double));
	class_of = pegs_fit_alloc(f, n, sizeof(uint16_t));
	for (uint32_t l = 0; l < n; l++)
		class_of[l] = (uint16_t) l;
	for (uint32_t x = 0; x < k[0]; x++)
		for (uint32_t y = 0; y < k[1]; y++)
			for (uint32_t w = 0; w < k[2]; w++)
				value[side == 0 ? x : side == 1 ? y : w] += triple->noisy[at++];
	*sums = (pegs_class_sums) {.k = n, .class_of = class_of, .value = value, .variance = triple->variance * k[(side + 1) % 3] * k[(side + 2) % 3]};
	return true;
}

static uint32_t
bins_of(const pegs_graph_fit *f, uint32_t column)
{
	return f->layout->bins ? f->layout->bins[column] : 0;
}

/* One column: its own measurements, the class sums of its pairs, then the simplex: of many bins half by half. */
static void
estimate_oneway(pegs_graph_fit *f, uint32_t column)
{
	pegs_fitted *model = f->model;
	uint32_t	n = f->layout->levels[column];
	pegs_class_sums *sums;
	uint32_t	nsums = 0;
	double	   *y = pegs_fit_alloc(f, n, sizeof(double));

	if (f->one[column].variance < 0)
	{
		for (uint32_t i = 0; i < n; i++)
			model->share[column][i] = 1.0 / n;
		return;
	}
	for (uint32_t p = 0; p < model->npairs; p++)
		nsums += model->pair[p].n;
	sums = pegs_fit_alloc(f, (size_t) nsums + model->ntriples + 1, sizeof(pegs_class_sums));
	nsums = 0;
	pegs_oneway_smooth(f->env, &f->one[column], n, bins_of(f, column), model->rows, y);
	for (uint32_t p = 0; p < model->npairs; p++)
	{
		const pegs_pair *pair = &model->pair[p];
		int			side = pair->column[0] == column ? 0 : 1;

		if (pair->column[side] != column)
			continue;
		for (uint32_t i = 0; i < pair->n; i++)
		{
			const pegs_measured *m = &pair->measured[i];
			double	   *value = pegs_fit_alloc(f, m->k[side], sizeof(double));

			f->env->check(f->env->context);
			for (uint32_t x = 0; x < m->k[0]; x++)
				for (uint32_t z = 0; z < m->k[1]; z++)
					value[side ? z : x] += m->noisy[(size_t) x * m->k[1] + z];
			sums[nsums].k = m->k[side];
			sums[nsums].class_of = m->class_of[side];
			sums[nsums].value = value;
			sums[nsums].variance = m->variance * m->k[1 - side];
			nsums++;
		}
	}
	for (uint32_t t = 0; t < model->ntriples; t++)
		nsums += sums_of_triple(f, &model->triple[t], column, &sums[nsums]);
	qsort(sums, nsums, sizeof(pegs_class_sums), fine_to_coarse);
	pegs_nested_least_squares(f->env, y, n, f->one[column].variance, sums, nsums);
	pegs_oneway_project(f->env, y, n, bins_of(f, column), f->one[column].variance, model->rows);
	for (uint32_t i = 0; i < n; i++)
		model->share[column][i] = y[i] / model->rows;
}

void
pegs_estimate_oneways(pegs_graph_fit *f)
{
	estimate_rows(f);
	for (uint32_t i = 0; i < f->layout->ncols; i++)
		estimate_oneway(f, i);
}

/* [ncols] levels estimated above half an sd of their column's 1-way, two at least. */
double *
pegs_levels_in_use(const pegs_graph_fit *f)
{
	double	   *size = pegs_fit_alloc(f, f->layout->ncols, sizeof(double));

	for (uint32_t i = 0; i < f->layout->ncols; i++)
		size[i] = pegs_oneway_in_use(&f->one[i], f->model->share[i], f->layout->levels[i], f->model->rows);
	return size;
}

/* Step A: look once, see how much is worth spending, spend it where levels are. */
void
pegs_fit_oneways(pegs_graph_fit *f)
{
	uint32_t	m = f->layout->ncols;
	double		total = (double) f->accountant->total * 0x1p-50;
	double	   *size = pegs_fit_alloc(f, m, sizeof(double));
	double	   *share = pegs_fit_alloc(f, m, sizeof(double));
	double	   *spent = pegs_fit_alloc(f, m, sizeof(double));
	double	   *want = pegs_fit_alloc(f, m, sizeof(double));
	double		mean = 0;
	double		budget;
	double		given;
	double		first;
	double		sum = 0;

	for (uint32_t i = 0; i < m; i++)
	{
		f->one[i].variance = -1;
		size[i] = f->layout->levels[i];
		mean += fmin(size[i], PEGS_SIZE_MOST) / m;
	}
	if (m == 1)
	{
		/* no pair will follow */
		share[0] = 1;
		measure_by_share(f, total, share);
		pegs_estimate_oneways(f);
		return;
	}
	pegs_oneway_shares(f->accountant, m, size, share);
	given = FIRST_LOOK * total;
	measure_by_share(f, given, share);
	estimate_rows(f);
	budget = pegs_oneway_budget(f->accountant, m, mean, f->model->rows, &first);
	if (first > given)
	{
		measure_by_share(f, first - given, share);
		given = first;
	}
	pegs_estimate_oneways(f);
	for (uint32_t i = 0; i < m; i++)
		spent[i] = given * share[i];
	size = pegs_levels_in_use(f);
	pegs_oneway_shares(f->accountant, m, size, share);
	for (uint32_t i = 0; i < m; i++)
		sum += want[i] = fmax(0, budget * share[i] - spent[i]);
	for (uint32_t i = 0; sum > 0 && i < m; i++)
		measure_oneway(f, i, (budget - given) * want[i] / sum);
	pegs_estimate_oneways(f);
}

/* One more measurement of every column, shares ~ levels in use. */
void
pegs_measure_oneways(pegs_graph_fit *f, double cost)
{
	uint32_t	m = f->layout->ncols;
	double	   *size = pegs_fit_alloc(f, m, sizeof(double));
	double	   *share = pegs_fit_alloc(f, m, sizeof(double));

	for (uint32_t i = 0; i < m; i++)
		size[i] = f->layout->levels[i];
	pegs_oneway_shares(f->accountant, m, size, share);
	measure_by_share(f, cost, share);
}
