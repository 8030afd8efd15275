/*
 * estimate.c
 *	  What is known of a pair, from all that was measured.
 *
 * Its own tables and the sums of those of its triples become one noisy table,
 * which agrees with the 1-ways; where all pairs were measured, noise is taken
 * from it by what all say together (common.c); then it is a distribution. Reads
 * released numbers only.
 */
#include "core/graph/state.h"
#include "core/simplex.h"

#include <math.h>
#include <string.h>

#define CELLS_A_TURN 4096		/* between two questions whether to stop */

/* What is known of a pair: its own measurements, and the sums of those of its triples. */
static pegs_measured *
all_measured(const pegs_graph_fit *f, const pegs_pair *pair, uint32_t *n)
{
	const pegs_fitted *model = f->model;
	pegs_measured *all = pegs_fit_alloc(f, (size_t) pair->n + model->ntriples + 1, sizeof(pegs_measured));

	*n = pair->n;
	if (pair->n > 0)
		memcpy(all, pair->measured, sizeof(pegs_measured) * pair->n);
	for (uint32_t t = 0; t < model->ntriples; t++)
	{
		const pegs_triple *triple = &model->triple[t];
		uint32_t	out = 0;

		/* the column that is not in the pair, if both others are */
		while (out < 2 && (triple->column[out == 0] != pair->column[0] || triple->column[out == 2 ? 1 : 2] != pair->column[1]))
			out++;
		if (triple->column[out == 0] != pair->column[0] || triple->column[out == 2 ? 1 : 2] != pair->column[1])
			continue;
		all[*n] = (pegs_measured) {.k = {model->levels[pair->column[0]], model->levels[pair->column[1]]}};
		pegs_cut_pair(f, pair->column, all[*n].k, all[*n].class_of);
		all[*n].variance = triple->variance * model->levels[triple->column[out]];
		all[*n].noisy = pegs_triple_margin(f, triple, triple->noisy, out);
		++*n;
	}
	return all;
}

/* A coarser, nested table m corrects the sums of the classes of a finer one, y, whose cells have this variance. */
static void
correct(const pegs_graph_fit *f, const pegs_pair *pair, const pegs_measured *fine, const pegs_measured *m, double *y, double variance)
{
	size_t		n = (size_t) fine->k[0] * fine->k[1];
	uint32_t   *map[2];
	double	   *sum = pegs_fit_alloc(f, (size_t) m->k[0] * m->k[1], sizeof(double));
	double	   *cells = pegs_fit_alloc(f, (size_t) m->k[0] * m->k[1], sizeof(double));

	for (int x = 0; x < 2; x++)
	{
		map[x] = pegs_fit_alloc(f, fine->k[x], sizeof(uint32_t));
		for (uint32_t l = 0; l < f->layout->levels[pair->column[x]]; l++)
			map[x][fine->class_of[x][l]] = m->class_of[x][l];
	}
	for (int pass = 0; pass < 2; pass++)
		for (size_t j = 0; j < n; j++)
		{
			size_t		at = (size_t) map[0][j / fine->k[1]] * m->k[1] + map[1][j % fine->k[1]];

			if (j % CELLS_A_TURN == 0)
				f->env->check(f->env->context);
			if (pass == 1)
			{
				y[j] += (m->noisy[at] - sum[at]) * variance / (cells[at] * variance + m->variance);
				continue;
			}
			sum[at] += y[j];
			cells[at] += 1;
		}
	for (int x = 0; x < 2; x++)
		pegs_env_free(f->env, map[x]);
	pegs_env_free(f->env, sum);
	pegs_env_free(f->env, cells);
}

/* All measurements of a pair as one noisy table on its finest grid. */
static double *
pool(const pegs_graph_fit *f, pegs_pair *pair)
{
	uint32_t	nall;
	pegs_measured *all = all_measured(f, pair, &nall);
	const pegs_measured *fine = &all[0];
	size_t		n;
	double	   *y;
	double		weight = 0;

	for (uint32_t i = 1; i < nall; i++)
		if ((size_t) all[i].k[0] * all[i].k[1] >= (size_t) fine->k[0] * fine->k[1])
			fine = &all[i];
	n = (size_t) fine->k[0] * fine->k[1];
	y = pegs_fit_alloc(f, n, sizeof(double));
	for (uint32_t i = 0; i < nall; i++)
	{
		const pegs_measured *m = &all[i];

		if (m->k[0] != fine->k[0] || m->k[1] != fine->k[1])
			continue;
		weight += 1 / m->variance;
		for (size_t j = 0; j < n; j++)
		{
			if (j % CELLS_A_TURN == 0)
				f->env->check(f->env->context);
			y[j] += m->noisy[j] / m->variance;
		}
	}
	for (size_t j = 0; j < n; j++)
	{
		if (j % CELLS_A_TURN == 0)
			f->env->check(f->env->context);
		y[j] /= weight;
	}
	pair->variance = 1 / weight;
	for (uint32_t i = 0; i < nall; i++)
		if ((all[i].k[0] != fine->k[0] || all[i].k[1] != fine->k[1]) && all[i].k[0] <= fine->k[0] && all[i].k[1] <= fine->k[1])
			correct(f, pair, fine, &all[i], y, pair->variance);
	for (int x = 0; x < 2; x++)
	{
		pair->k[x] = fine->k[x];
		pair->class_of[x] = fine->class_of[x];
	}
	for (uint32_t i = pair->n; i < nall; i++)
		pegs_env_free(f->env, all[i].noisy);
	pegs_env_free(f->env, all);
	return y;
}

/* What the 1-ways say of both columns, on the pair's grid. */
typedef struct margins
{
	double	   *a;
	double	   *b;
} margins;

static margins
margins_of(const pegs_graph_fit *f, const pegs_pair *pair)
{
	return (margins) {
		pegs_class_shares(f, pair->column[0], pair->k[0], pair->class_of[0]),
		pegs_class_shares(f, pair->column[1], pair->k[1], pair->class_of[1])
	};
}

static void
free_margins(const pegs_graph_fit *f, margins r)
{
	pegs_env_free(f->env, r.a);
	pegs_env_free(f->env, r.b);
}

/* Made to agree with the 1-ways: in counts, some below 0. */
static double *
agreed(const pegs_graph_fit *f, pegs_pair *pair)
{
	double	   *z = pool(f, pair);
	uint32_t	ka = pair->k[0];
	uint32_t	kb = pair->k[1];
	size_t		n = (size_t) ka * kb;
	double		rows = f->model->rows;
	margins		r = margins_of(f, pair);
	double	   *sa = pegs_fit_alloc(f, ka, sizeof(double));
	double	   *sb = pegs_fit_alloc(f, kb, sizeof(double));
	double		total = 0;

	for (uint32_t x = 0; x < ka; x++)
	{
		f->env->check(f->env->context);
		for (uint32_t y = 0; y < kb; y++)
		{
			double		v = z[(size_t) x * kb + y];

			sa[x] += v;
			sb[y] += v;
			total += v;
		}
	}
	for (uint32_t x = 0; x < ka; x++)
	{
		f->env->check(f->env->context);
		for (uint32_t y = 0; y < kb; y++)
			z[(size_t) x * kb + y] += (rows * r.a[x] - sa[x]) / kb + (rows * r.b[y] - sb[y]) / ka
				- (rows - total) / (double) n;
	}
	free_margins(f, r);
	pegs_env_free(f->env, sa);
	pegs_env_free(f->env, sb);
	return z;
}

/* Adds to a table, times `times`, what it is if its columns have nothing to do with each other. */
static void
add_independence(const pegs_graph_fit *f, const pegs_pair *pair, double *z, double times)
{
	margins		r = margins_of(f, pair);

	for (uint32_t x = 0; x < pair->k[0]; x++)
	{
		f->env->check(f->env->context);
		for (uint32_t y = 0; y < pair->k[1]; y++)
			z[(size_t) x * pair->k[1] + y] += times * r.a[x] * r.b[y];
	}
	free_margins(f, r);
}

/* A distribution, as near to z as those of its 1-ways are. */
static void
distribute(const pegs_graph_fit *f, pegs_pair *pair, double *z)
{
	uint32_t	ka = pair->k[0];
	uint32_t	kb = pair->k[1];
	size_t		n = (size_t) ka * kb;
	double		rows = f->model->rows;
	margins		r = margins_of(f, pair);
	double	   *sb = pegs_fit_alloc(f, kb, sizeof(double));
	double		total = 0;
	double		off = 0;		/* L1 distance of the rows' sums from their shares */

	pegs_project_simplex(f->env, z, n, rows);
	add_independence(f, pair, z, 1e-6 * rows);
	/* twenty rakes do, except on nearly empty tables, where zeros of the projection stand in the way */
	for (int rake = 0; rake < 20 || (rake < 1000 && off > 1e-3 * rows); rake++)
	{
		f->env->check(f->env->context);
		off = 0;
		memset(sb, 0, sizeof(double) * kb);
		for (uint32_t x = 0; x < ka; x++)
		{
			double	   *row = z + (size_t) x * kb;
			double		s = 0;

			pegs_env_turn(f->env, x);
			for (uint32_t y = 0; y < kb; y++)
				s += row[y];
			off += fabs(s - rows * r.a[x]);
			s = rows * r.a[x] / fmax(s, 1e-12);
			for (uint32_t y = 0; y < kb; y++)
				sb[y] += row[y] *= s;
		}
		for (uint32_t y = 0; y < kb; y++)
			sb[y] = rows * r.b[y] / fmax(sb[y], 1e-12);
		for (uint32_t x = 0; x < ka; x++)
			for (uint32_t y = 0; y < kb; y++)
				z[(size_t) x * kb + y] *= sb[y];
	}
	total = 0;
	for (size_t i = 0; i < n; i++)
	{
		pegs_env_turn(f->env, i);
		total += z[i];
	}
	for (size_t i = 0; i < n; i++)
	{
		pegs_env_turn(f->env, i);
		z[i] /= total;
	}
	if (pair->share)
		pegs_env_free(f->env, pair->share);
	pair->share = z;
	free_margins(f, r);
	pegs_env_free(f->env, sb);
}

void
pegs_estimate_pairs(const pegs_graph_fit *f)
{
	pegs_fitted *model = f->model;
	double	  **z = pegs_fit_alloc(f, (size_t) model->npairs + 1, sizeof(double *));

	for (uint32_t p = 0; p < model->npairs; p++)
	{
		f->env->check(f->env->context);
		z[p] = agreed(f, &model->pair[p]);
		if (f->covered)
			add_independence(f, &model->pair[p], z[p], -model->rows);
	}
	if (f->covered)
		pegs_keep_common(f, z);
	for (uint32_t p = 0; p < model->npairs; p++)
	{
		if (f->covered)
			add_independence(f, &model->pair[p], z[p], model->rows);
		distribute(f, &model->pair[p], z[p]);
	}
	pegs_env_free(f->env, z);
}
