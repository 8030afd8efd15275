/*
 * triples.c
 *	  Three columns at once, with all their levels, where they have few cells.
 *
 * A table of three columns is one look: a row is in one cell of it. Its sums
 * are tables of its pairs, and join what is measured of those; what is left to
 * it is how a pair differs by the third column. Least squares of orthogonal
 * components: weights 1 / (variance * cells added up).
 *
 * Private counts are touched in exact_triple() only; its result goes into
 * pegs_measure, or through pegs_score_triple into pegs_choose. Claims P6 and P7.
 */
#include "core/graph/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The exact triple: a partition of the rows, sensitivity 1. */
static int64_t *
exact_triple(const pegs_graph_fit *f, const uint32_t *column, size_t n)
{
	const uint64_t *cell = f->cells + pegs_triple_at(f->layout, column[0], column[1], column[2]);
	int64_t    *table = pegs_fit_alloc(f, n, sizeof(int64_t));

	for (size_t i = 0; i < n; i++)
		table[i] = (int64_t) cell[i];
	return table;
}

size_t
pegs_triple_cells(const pegs_graph_fit *f, const uint32_t *column)
{
	return (size_t) f->layout->levels[column[0]] * f->layout->levels[column[1]] * f->layout->levels[column[2]];
}

/* All that are counted. */
void
pegs_offer_triples(const pegs_graph_fit *f, pegs_candidate *c, size_t *n)
{
	const uint32_t *levels = f->layout->levels;
	uint32_t	m = f->layout->ncols;

	for (uint32_t a = 0; f->layout->triple_offset && a < m; a++)
		for (uint32_t b = a + 1; b < m; b++)
		{
			f->env->check(f->env->context);
			for (uint32_t d = b + 1; d < m; d++)
				if (pegs_triple_at(f->layout, a, b, d) != 0)
					c[(*n)++] = (pegs_candidate) {.n = 3, .column = {a, b, d}, .k = {levels[a], levels[b], levels[d]}};
		}
}

/* As pegs_score: sensitivity 1. Claim P7. */
int64_t
pegs_score_triple(const pegs_graph_fit *f, const pegs_candidate *c, const double *expected, double noise_abs)
{
	size_t		n = pegs_triple_cells(f, c->column);
	int64_t    *table = exact_triple(f, c->column, n);
	int64_t		distance = 0;

	for (size_t i = 0; i < n; i++)
		distance += llabs(table[i] - llround(f->model->rows * expected[i]));
	pegs_env_free(f->env, table);
	return pegs_for_target(f, 3, c->column, distance - llround(fmin(PEGS_NOISE_CHARGE * noise_abs * (double) n, 0x1p52)));
}

pegs_triple *
pegs_find_triple(const pegs_graph_fit *f, const uint32_t *column)
{
	for (uint32_t t = 0; t < f->model->ntriples; t++)
		if (memcmp(f->model->triple[t].column, column, 3 * sizeof(uint32_t)) == 0)
			return &f->model->triple[t];
	return NULL;
}

void
pegs_measure_triple(pegs_graph_fit *f, pegs_triple *triple, double cost)
{
	size_t		n = pegs_triple_cells(f, triple->column);
	int64_t    *exact = exact_triple(f, triple->column, n);
	double	   *noisy = pegs_fit_alloc(f, n, sizeof(double));
	double		variance = pegs_measure(f->accountant, f->rng, PEGS_FOR_PAIR, cost, exact, noisy, n);
	double		part;

	pegs_env_free(f->env, exact);
	if (variance < 0)
	{
		/* nothing was left to buy a look: as in pegs_measure_pair */
		if (triple->n > 0)
			return;
		for (size_t i = 0; i < n; i++)
			noisy[i] = f->model->rows / (double) n;
		variance = 1e30;
	}
	if (triple->n++ == 0)
	{
		triple->noisy = noisy;
		triple->variance = variance;
		return;
	}
	part = triple->variance / (triple->variance + variance);
	for (size_t i = 0; i < n; i++)
		triple->noisy[i] += part * (noisy[i] - triple->noisy[i]);
	triple->variance *= 1 - part;
	pegs_env_free(f->env, noisy);
}

/* The sums of a table of it over one of its columns. */
double *
pegs_triple_margin(const pegs_graph_fit *f, const pegs_triple *triple, const double *table, uint32_t left_out)
{
	const uint32_t *levels = f->layout->levels;
	uint32_t	k[3] = {levels[triple->column[0]], levels[triple->column[1]], levels[triple->column[2]]};
	double	   *sum = pegs_fit_alloc(f, pegs_triple_cells(f, triple->column) / k[left_out], sizeof(double));

	for (uint32_t x = 0; x < k[0]; x++)
		for (uint32_t y = 0; y < k[1]; y++)
			for (uint32_t w = 0; w < k[2]; w++)
				sum[left_out == 0 ? y * k[2] + w : left_out == 1 ? x * k[2] + w : x * k[1] + y] += *table++;
	return sum;
}
