/*
 * interaction.c
 *	  What a table of three columns says besides those of its pairs.
 *
 * Its sums are tables of its pairs, and join what is measured of those
 * (pairs.c); what is left to it is how a pair differs by the third column.
 * Least squares of orthogonal components: weights 1 / (variance * cells added
 * up). Reads released numbers only.
 */
#include "core/graph/state.h"
#include "core/simplex.h"

#include <math.h>
#include <string.h>

static const int RAKES = 20;

/* Scales a table of three columns to its three pairs, again and again. */
static void
rake(const pegs_graph_fit *f, const uint32_t *column, double *z, double *const *pair, double rows)
{
	uint32_t	k[3] = {f->layout->levels[column[0]], f->layout->levels[column[1]], f->layout->levels[column[2]]};
	double		sum[PEGS_TRIPLE_CELLS];

	for (int r = 0; r < RAKES; r++)
		for (int out = 0; out < 3; out++)
		{
			size_t		step[3] = {out == 0 ? 0 : out == 1 ? k[2] : k[1], out == 1 ? 0 : out == 0 ? k[2] : 1, out == 2 ? 0 : 1};
			size_t		at = 0;
			size_t		sums = (size_t) k[0] * k[1] * k[2] / k[out];

			memset(sum, 0, sizeof(sum));
			for (uint32_t x = 0; x < k[0]; x++)
				for (uint32_t y = 0; y < k[1]; y++)
					for (uint32_t w = 0; w < k[2]; w++)
						sum[x * step[0] + y * step[1] + w * step[2]] += z[at++];
			for (size_t i = 0; i < sums; i++)
				sum[i] = rows * pair[out][i] / fmax(sum[i], 1e-12);
			at = 0;
			for (uint32_t x = 0; x < k[0]; x++)
				for (uint32_t y = 0; y < k[1]; y++)
					for (uint32_t w = 0; w < k[2]; w++)
						z[at++] *= sum[x * step[0] + y * step[1] + w * step[2]];
		}
}

/* Nothing but what its pairs say: the table of largest entropy. pair[x]: without column x. Sums to 1. */
static double *
of_pairs(const pegs_graph_fit *f, const uint32_t *column, double *const *pair)
{
	size_t		n = pegs_triple_cells(f, column);
	double	   *z = pegs_fit_alloc(f, n, sizeof(double));
	double		total = 0;

	for (size_t i = 0; i < n; i++)
		z[i] = 1.0 / (double) n;
	rake(f, column, z, pair, 1);
	for (size_t i = 0; i < n; i++)
		total += z[i];
	for (size_t i = 0; i < n; i++)
		z[i] = total > 0 ? z[i] / total : 1.0 / (double) n;	/* pairs that contradict each other leave nothing */
	return z;
}

/* The columns of a triple without one of them. */
static void
without(const uint32_t *column, uint32_t out, uint32_t *two)
{
	two[0] = column[out == 0];
	two[1] = column[out == 2 ? 1 : 2];
}

/* The estimates of its pairs as they are, or with `tree_pairs` what is expected of them; pair[x]: without column x. */
static void
take_pairs(const pegs_graph_fit *f, const uint32_t *column, bool own, double *const *tree_pairs, double **pair)
{
	for (uint32_t x = 0; x < 3; x++)
	{
		uint32_t	two[2];
		uint32_t	k[2];

		without(column, x, two);
		k[0] = f->layout->levels[two[0]];
		k[1] = f->layout->levels[two[1]];
		pair[x] = own ? pegs_own_estimate(f, &f->model->pair[f->pair_of[(size_t) two[0] * f->layout->ncols + two[1]]], k)
			: pegs_expected(f, two, k, tree_pairs);
	}
}

static void
free_tables(const pegs_graph_fit *f, double **pair)
{
	for (int x = 0; x < 3; x++)
		pegs_env_free(f->env, pair[x]);
}

/* The current estimate, as shares: its own, or what the estimates of its pairs say. */
double *
pegs_expected_triple(const pegs_graph_fit *f, const uint32_t *column, double *const *tree_pairs)
{
	const pegs_triple *triple = pegs_find_triple(f, column);
	size_t		n = pegs_triple_cells(f, column);
	double	   *pair[3];
	double	   *out;

	if (triple && triple->share)
		return memcpy(pegs_fit_alloc(f, n, sizeof(double)), triple->share, sizeof(double) * n);
	take_pairs(f, column, false, tree_pairs, pair);
	out = of_pairs(f, column, pair);
	free_tables(f, pair);
	return out;
}

/* What the estimates of its pairs say of a triple. */
double *
pegs_pairs_of_triple(const pegs_graph_fit *f, const uint32_t *column)
{
	double	   *pair[3];
	double	   *out;

	take_pairs(f, column, true, NULL, pair);
	out = of_pairs(f, column, pair);
	free_tables(f, pair);
	return out;
}

/* Its pairs are in the model from now on. */
pegs_triple *
pegs_get_or_add_triple(pegs_graph_fit *f, const uint32_t *column)
{
	pegs_triple *triple = pegs_find_triple(f, column);

	if (triple)
		return triple;
	triple = &f->model->triple[f->model->ntriples++];
	memcpy(triple->column, column, 3 * sizeof(uint32_t));
	for (uint32_t x = 0; x < 3; x++)
	{
		uint32_t	two[2];

		without(column, x, two);
		pegs_get_or_add_pair(f, two[0], two[1]);
	}
	return triple;
}

/* What of a table no pair of its columns knows: without the means of all its lines. In place. */
static void
keep_interaction(const pegs_graph_fit *f, const uint32_t *column, double *z)
{
	uint32_t	k[3] = {f->layout->levels[column[0]], f->layout->levels[column[1]], f->layout->levels[column[2]]};

	for (int out = 0; out < 3; out++)
	{
		size_t		stride = out == 0 ? (size_t) k[1] * k[2] : out == 1 ? k[2] : 1;
		size_t		n = (size_t) k[0] * k[1] * k[2];

		for (size_t i = 0; i < n; i++)
			if (i / stride % k[out] == 0)
			{
				double		mean = 0;

				for (uint32_t j = 0; j < k[out]; j++)
					mean += z[i + j * stride] / k[out];
				for (uint32_t j = 0; j < k[out]; j++)
					z[i + j * stride] -= mean;
			}
	}
}

/* What its pairs say; in z, what it says besides. */
static double *
besides(const pegs_graph_fit *f, const pegs_triple *triple, double *const *pair, double *z)
{
	size_t		n = pegs_triple_cells(f, triple->column);
	double	   *base = of_pairs(f, triple->column, pair);

	for (size_t i = 0; i < n; i++)
		z[i] = triple->noisy[i] - f->model->rows * base[i];
	keep_interaction(f, triple->column, z);
	return base;
}

/* A distribution that agrees with its pairs. */
static void
distribute_triple(const pegs_graph_fit *f, pegs_triple *triple, double *const *pair, const double *base, double *z, double keep)
{
	double		rows = f->model->rows;
	size_t		n = pegs_triple_cells(f, triple->column);
	double		total = 0;

	for (size_t i = 0; i < n; i++)
		z[i] = rows * base[i] + keep * z[i];
	pegs_project_simplex(f->env, z, n, rows);
	for (size_t i = 0; i < n; i++)
		z[i] += 1e-6 * rows * base[i];
	rake(f, triple->column, z, pair, rows);
	for (size_t i = 0; i < n; i++)
		total += z[i];
	for (size_t i = 0; i < n; i++)
		z[i] = total > 0 ? z[i] / total : 1.0 / (double) n;	/* pairs that contradict each other leave nothing */
	if (triple->share)
		pegs_env_free(f->env, triple->share);
	triple->share = z;
}

/*
 * What its pairs say, and of what it says besides, where all was measured
 * whatever it has to say, the part that is more than noise (signal.c);
 * then a distribution that agrees with the pairs. After pegs_estimate_pairs.
 */
void
pegs_estimate_triples(const pegs_graph_fit *f)
{
	uint32_t	n = f->model->ntriples;
	pegs_estimate *more = pegs_fit_alloc(f, (size_t) n + 1, sizeof(pegs_estimate));
	double	  **z = pegs_fit_alloc(f, (size_t) n + 1, sizeof(double *));
	double	  **base = pegs_fit_alloc(f, (size_t) n + 1, sizeof(double *));
	double	 *(*pair)[3] = pegs_fit_alloc(f, (size_t) n + 1, sizeof(*pair));

	for (uint32_t t = 0; t < n; t++)
	{
		const pegs_triple *triple = &f->model->triple[t];
		size_t		cells = pegs_triple_cells(f, triple->column);

		f->env->check(f->env->context);
		take_pairs(f, triple->column, true, NULL, pair[t]);
		z[t] = pegs_fit_alloc(f, cells, sizeof(double));
		base[t] = besides(f, triple, pair[t], z[t]);
		more[t] = (pegs_estimate) {.free = 1, .variance = triple->variance, .scale = f->model->rows, .keep = 1};
		for (uint32_t x = 0; x < 3; x++)
		{
			more[t].free *= f->layout->levels[triple->column[x]] - 1.0;
			more[t].scale *= pegs_spread(f, triple->column[x]) / (f->layout->levels[triple->column[x]] - 1.0);
		}
		for (size_t i = 0; i < cells; i++)
			more[t].squares += z[t][i] * z[t][i];
	}
	if (f->covered)
		pegs_keep_signal(f->env, n, more);
	for (uint32_t t = 0; t < n; t++)
	{
		f->env->check(f->env->context);
		distribute_triple(f, &f->model->triple[t], pair[t], base[t], z[t], more[t].keep);
		pegs_env_free(f->env, base[t]);
		free_tables(f, pair[t]);
	}
	pegs_env_free(f->env, more);
	pegs_env_free(f->env, z);
	pegs_env_free(f->env, base);
	pegs_env_free(f->env, pair);
}
