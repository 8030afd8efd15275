/*
 * pairs.c
 *	  Steps B and C for one pair: the grids offered, the private score, the
 *	  private measurement, and the estimate from all its measurements.
 *
 * Private counts are touched in exact_table() only; its result goes into
 * pegs_measure, or through pegs_score into pegs_choose. Claims P6 and P7.
 */
#include "core/graph/state.h"
#include "core/simplex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int GRIDS[PEGS_GRIDS] = {1, 3, 6, 15};	/* cells offered: N / (k sd) */

#define CELLS_AT_ONCE 65536		/* between two questions whether to stop */

/* The exact pair on classes: a partition of the rows, sensitivity 1. */
static int64_t *
exact_table(const pegs_graph_fit *f, const uint32_t *column, const uint32_t *k, uint16_t *const *class_of)
{
	uint32_t	na = f->layout->levels[column[0]];
	uint32_t	nb = f->layout->levels[column[1]];
	int64_t    *table = pegs_fit_alloc(f, (size_t) k[0] * k[1], sizeof(int64_t));
	int64_t    *together;
	const uint64_t *cell;

	if (f->later)
	{
		pegs_later_count(f->later, column, k, class_of, table);
		return table;
	}
	cell = f->cells + f->layout->pair_offset[(size_t) column[0] * f->layout->ncols + column[1]];
	/* levels of one class, mostly neighbours, are added up before their row is put into the classes of the other column */
	together = pegs_fit_alloc(f, nb, sizeof(int64_t));
	for (uint32_t x = 0; x < na; x++)
	{
		if (x % 64 == 0)
			f->env->check(f->env->context);
		for (uint32_t y = 0; y < nb; y++)
			together[y] += (int64_t) cell[y];
		cell += nb;
		if (x + 1 < na && class_of[0][x + 1] == class_of[0][x])
			continue;
		for (uint32_t y = 0; y < nb; y++)
			table[(size_t) class_of[0][x] * k[1] + class_of[1][y]] += together[y];
		memset(together, 0, nb * sizeof(int64_t));
	}
	pegs_env_free(f->env, together);
	return table;
}

void
pegs_cut_pair(const pegs_graph_fit *f, const uint32_t *column, const uint32_t *k, uint16_t **class_of)
{
	for (int x = 0; x < 2; x++)
	{
		class_of[x] = pegs_fit_alloc(f, f->layout->levels[column[x]], sizeof(uint16_t));
		pegs_merge_cut(&f->merge[column[x]], k[x], class_of[x]);
	}
}

/* Grids offered for a pair, duplicates once; how many. */
static size_t
offer_pair(const pegs_graph_fit *f, double sd, uint32_t a, uint32_t b, pegs_candidate *c)
{
	double		rows = f->model->rows;
	size_t		n = 0;

	for (size_t g = 0; g < PEGS_GRIDS; g++)
	{
		pegs_candidate x = {.n = 2, .column = {a, b}};
		bool		known = false;

		if (!pegs_merge_grid(&f->merge[a], &f->merge[b], sd / rows,
							 rows / (GRIDS[g] * sd), &x.k[0], &x.k[1]))
			continue;
		for (size_t i = 0; i < n; i++)
			known |= c[i].k[0] == x.k[0] && c[i].k[1] == x.k[1];
		if (!known)
			c[n++] = x;
	}
	return n;
}

/* Those of every pair, and room for all triples; a function of released 1-ways. 1,600 columns have millions: they are counted first. */
pegs_candidate *
pegs_offer(const pegs_graph_fit *f, double sd, size_t *n)
{
	uint32_t	m = f->layout->ncols;
	size_t		triples = f->layout->triple_offset ? (size_t) m * (m - 1) * (m - 2) / 6 : 0;
	pegs_candidate *c = NULL;

	for (int pass = 0; pass < 2; pass++)
	{
		pegs_candidate own[PEGS_GRIDS];

		if (pass == 1)
			c = pegs_fit_alloc(f, *n + triples + 1, sizeof(pegs_candidate));
		*n = 0;
		for (uint32_t a = 0; a < m; a++)
			for (uint32_t b = a + 1; b < m; b++)
			{
				f->env->check(f->env->context);
				*n += offer_pair(f, sd, a, b, pass == 0 ? own : c + *n);
			}
	}
	return c;
}

/* Splits or joins the classes of side x (0: rows, 1: columns of the table), by 1-way shares where it splits. */
static double *
regrid(const pegs_graph_fit *f, const double *table, const uint32_t *from, uint32_t to, int side,
	   uint32_t column, const uint16_t *from_class, const uint16_t *to_class)
{
	uint32_t	k[2] = {from[0], from[1]};
	uint32_t	levels = f->layout->levels[column];
	double	   *out;
	uint32_t   *map;

	if (from[side] == to)
		return memcpy(pegs_fit_alloc(f, (size_t) from[0] * from[1], sizeof(double)), table,
					  sizeof(double) * from[0] * from[1]);
	k[side] = to;
	out = pegs_fit_alloc(f, (size_t) k[0] * k[1], sizeof(double));
	if (to < from[side])
	{
		map = pegs_fit_alloc(f, from[side], sizeof(uint32_t));
		for (uint32_t i = 0; i < levels; i++)
			map[from_class[i]] = to_class[i];
		for (uint32_t x = 0; x < from[0]; x++)
		{
			f->env->check(f->env->context);
			for (uint32_t y = 0; y < from[1]; y++)
				out[(size_t) (side ? x : map[x]) * k[1] + (side ? map[y] : y)] += table[(size_t) x * from[1] + y];
		}
		pegs_env_free(f->env, map);
	}
	else
	{
		double	   *fine = pegs_class_shares(f, column, to, to_class);
		double	   *coarse = pegs_class_shares(f, column, from[side], from_class);

		map = pegs_fit_alloc(f, to, sizeof(uint32_t));
		for (uint32_t i = 0; i < levels; i++)
			map[to_class[i]] = from_class[i];
		for (uint32_t i = 0; i < to; i++)
			fine[i] /= fmax(coarse[map[i]], 1e-300);
		for (uint32_t x = 0; x < k[0]; x++)
		{
			f->env->check(f->env->context);
			for (uint32_t y = 0; y < k[1]; y++)
				out[(size_t) x * k[1] + y] = fine[side ? y : x]
					* table[(size_t) (side ? x : map[x]) * from[1] + (side ? map[y] : y)];
		}
		pegs_env_free(f->env, fine);
		pegs_env_free(f->env, coarse);
		pegs_env_free(f->env, map);
	}
	return out;
}

/* A table of a pair on other classes of both columns. */
static double *
regrid_pair(const pegs_graph_fit *f, const uint32_t *column, const double *table, const uint32_t *from,
			uint16_t *const *from_class, const uint32_t *to)
{
	uint16_t   *to_class[2];
	uint32_t	half[2] = {to[0], from[1]};

	double	   *first;
	double	   *second;

	pegs_cut_pair(f, column, to, to_class);
	first = regrid(f, table, from, to[0], 0, column[0], from_class[0], to_class[0]);
	second = regrid(f, first, half, to[1], 1, column[1], from_class[1], to_class[1]);
	pegs_env_free(f->env, first);
	pegs_env_free(f->env, to_class[0]);
	pegs_env_free(f->env, to_class[1]);
	return second;
}

double *
pegs_own_estimate(const pegs_graph_fit *f, const pegs_pair *pair, const uint32_t *k)
{
	return regrid_pair(f, pair->column, pair->share, pair->k, pair->class_of, k);
}

/*
 * The current estimate of a pair on a grid, as shares: its own table if it is
 * outside the tree, else the tree's, else (no tree yet) the product of 1-ways.
 */
double *
pegs_expected(const pegs_graph_fit *f, const uint32_t *column, const uint32_t *k, double *const *tree_pairs)
{
	uint32_t	m = f->layout->ncols;
	int32_t		number = f->pair_of[(size_t) column[0] * m + column[1]];

	if (tree_pairs == NULL)
	{
		uint16_t   *class_of[2];
		double	   *out = pegs_fit_alloc(f, (size_t) k[0] * k[1], sizeof(double));
		double	   *pa;
		double	   *pb;

		pegs_cut_pair(f, column, k, class_of);
		pa = pegs_class_shares(f, column[0], k[0], class_of[0]);
		pb = pegs_class_shares(f, column[1], k[1], class_of[1]);
		for (uint32_t x = 0; x < k[0]; x++)
		{
			f->env->check(f->env->context);
			for (uint32_t y = 0; y < k[1]; y++)
				out[(size_t) x * k[1] + y] = pa[x] * pb[y];
		}
		pegs_env_free(f->env, pa);
		pegs_env_free(f->env, pb);
		pegs_env_free(f->env, class_of[0]);
		pegs_env_free(f->env, class_of[1]);
		return out;
	}
	if (number >= 0 && f->model->pair[number].outside && f->model->pair[number].share)
		return pegs_own_estimate(f, &f->model->pair[number], k);
	else
	{
		uint32_t	have[2] = {f->model->tree.classes[column[0]], f->model->tree.classes[column[1]]};
		uint16_t   *tree_class[2] = {f->model->class_of[column[0]], f->model->class_of[column[1]]};

		return regrid_pair(f, column, tree_pairs[(size_t) column[0] * m + column[1]], have, tree_class, k);
	}
}

/*
 * L1 distance between the private table and a released one, rounded to
 * integers first, minus a public charge for noise: sensitivity 1. Claim P7.
 */
int64_t
pegs_score(const pegs_graph_fit *f, const pegs_candidate *c, double *const *tree_pairs, double noise_abs)
{
	uint16_t   *class_of[2];
	double	   *expected = pegs_expected(f, c->column, c->k, tree_pairs);
	int64_t    *table;
	int64_t		distance = 0;
	size_t		n = (size_t) c->k[0] * c->k[1];

	pegs_cut_pair(f, c->column, c->k, class_of);
	table = exact_table(f, c->column, c->k, class_of);
	for (size_t i = 0; i < n; i++)
	{
		if (i % CELLS_AT_ONCE == CELLS_AT_ONCE - 1)
			f->env->check(f->env->context);
		distance += llabs(table[i] - llround(f->model->rows * expected[i]));
	}
	pegs_env_free(f->env, table);
	pegs_env_free(f->env, expected);
	pegs_env_free(f->env, class_of[0]);
	pegs_env_free(f->env, class_of[1]);
	return pegs_for_target(f, 2, c->column, distance - llround(fmin(PEGS_NOISE_CHARGE * noise_abs * (double) n, 0x1p52)));
}

pegs_pair *
pegs_get_or_add_pair(pegs_graph_fit *f, uint32_t a, uint32_t b)
{
	int32_t    *number = &f->pair_of[(size_t) a * f->layout->ncols + b];

	if (*number < 0)
	{
		*number = (int32_t) f->model->npairs++;
		f->model->pair[*number].column[0] = a;
		f->model->pair[*number].column[1] = b;
	}
	return &f->model->pair[*number];
}

void
pegs_measure_pair(pegs_graph_fit *f, pegs_pair *pair, const uint32_t *k, double cost)
{
	size_t		n = (size_t) k[0] * k[1];
	pegs_measured m = {.k = {k[0], k[1]}};
	pegs_measured *grown;
	int64_t   *exact;

	pegs_cut_pair(f, pair->column, k, m.class_of);
	m.noisy = pegs_fit_alloc(f, n, sizeof(double));
	exact = exact_table(f, pair->column, k, m.class_of);
	m.variance = pegs_measure(f->accountant, f->rng, PEGS_FOR_PAIR, cost, exact, m.noisy, n);
	pegs_env_free(f->env, exact);
	if (m.variance < 0)
	{
		/* nothing was left to buy a look: a table without one is worth nothing, but is a table */
		double	   *expected;

		if (pair->n > 0)
			return;
		expected = pegs_expected(f, pair->column, k, NULL);
		for (size_t i = 0; i < n; i++)
			m.noisy[i] = f->model->rows * expected[i];
		m.variance = 1e30;
	}
	grown = pegs_fit_alloc(f, pair->n + 1, sizeof(pegs_measured));
	if (pair->n > 0)
		memcpy(grown, pair->measured, sizeof(pegs_measured) * pair->n);
	grown[pair->n++] = m;
	pair->measured = grown;
}
