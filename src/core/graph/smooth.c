/*
 * smooth.c
 *	  Smooth rows: step G of docs/engine.md.
 *
 * Rows of a batch are a sample of the model, and the noise of sampling is one
 * that nobody asked for. The tree knows what to expect of every pair of
 * columns, at every level: after a pass over the measured tables all of that
 * is one more target, of which another pass comes closer. Reads released
 * numbers only; the original rows are never seen.
 */
#include "core/graph/smooth.h"

#include <math.h>
#include <string.h>

#include "core/graph/descent.h"

static const double VARIANCE_WEIGHT = 0.02; /* w = 1 / (1 + this * variance); of what the tree expects: 1 */
static const double OUTSIDE_FEW = 0.1;	/* of the measured pairs: then rows of the tree need no pass before they are smoothed */

#define PLACES_MOST 8192		/* of a column, unless it must have more: each value that is visited looks at all of them */
#define PAIR_CELLS (UINT64_C(1) << 20)	/* of all pairs together */
#define TABLE_NUMBERS (UINT64_C(1) << 21)	/* in the lines of all measured pairs */
#define TREE_WORK (UINT64_C(1) << 27)	/* cells of the tree times classes of all columns */
#define WORK_OF_ROW (UINT64_C(1) << 15) /* of that, and of the pairs' cells, for each row */

static const double FEW_VALUES = 3;	/* for each cell of the pairs: fewer are worth another pass */
static const double MUCH_NOISE = 50;	/* of the fit, in variances of a sample: above it, fewer rows are visited */
static const double VALUES_A_CELL = 2;	/* and as many values of them */
static const double LEAST_VISITS = 0.25;	/* of the rows, at least */

typedef struct smoother
{
	const pegs_env *env;
	const pegs_fitted *model;
	pegs_descent d;
	bool	   *coarse;			/* [ncols] its places are no finer than they must be */
	const pegs_pair **pair_of;	/* [ncols * ncols], a < b; NULL: not measured */
	double		outside;		/* measured pairs that the tree does not know, as a share of all measured ones */
	double	  **inside;			/* [ncols][places] share of a place in its class of the tree */
	double	   *expected;		/* [cells of the widest pair] */
	const float *share;			/* [cells of all pairs] the same, kept */
	double	   *excess;
	uint32_t   *count;
} smoother;

/* ---- what can be smoothed ---- */

static uint64_t
pair_cells(const pegs_descent *d)
{
	uint64_t	sum = 0;
	uint64_t	before = 0;

	for (uint32_t i = 0; i < d->ncols; i++)
	{
		sum += d->column[i].room * before;
		before += d->column[i].room;
	}
	return sum;
}

/* Places of a column that are no finer than the tree and the measured tables need. */
static void
coarsen(smoother *s, uint32_t column)
{
	const pegs_fitted *model = s->model;
	uint32_t	levels = model->levels[column];
	bool	   *cut = s->env->alloc(s->env->context, sizeof(bool) * levels);

	for (uint32_t l = 1; l < levels; l++)
		cut[l] = model->class_of[column][l] != model->class_of[column][l - 1];
	for (uint32_t t = 0; t < model->ntriples; t++)
		for (int x = 0; x < 3; x++)
			for (uint32_t l = 1; l < levels && model->triple[t].column[x] == column; l++)
				cut[l] = true;
	for (uint32_t p = 0; p < model->npairs; p++)
		for (int x = 0; x < 2; x++)
			if (model->pair[p].column[x] == column)
			{
				const uint16_t *class_of = model->pair[p].class_of[x];

				s->env->check(s->env->context);
				for (uint32_t l = 1; l < levels; l++)
					cut[l] |= class_of[l] != class_of[l - 1];
			}
	pegs_descent_places(&s->d, column, cut);
}

/* Of the columns that are not coarse yet, the one of most places becomes it; false: all are. */
static bool
coarsen_widest(smoother *s)
{
	uint32_t	widest = s->d.ncols;

	for (uint32_t i = 0; i < s->d.ncols; i++)
		if (!s->coarse[i] && (widest == s->d.ncols || s->d.column[i].places > s->d.column[widest].places))
			widest = i;
	if (widest == s->d.ncols)
		return false;
	s->coarse[widest] = true;
	coarsen(s, widest);
	return true;
}

static void
coarsen_wide(smoother *s)
{
	for (uint32_t i = 0; i < s->d.ncols; i++)
		if (s->d.column[i].places > PLACES_MOST)
		{
			s->coarse[i] = true;
			coarsen(s, i);
		}
}

/* By public sizes alone. The widest columns get fewer places until all pairs are within the limit. */
static bool
can_be_smoothed(smoother *s)
{
	const pegs_jtree *tree = &s->model->tree;
	uint64_t	cells = 0;
	uint64_t	classes = 0;

	for (uint32_t i = 0; i < tree->nclique; i++)
		cells += tree->clique[i].cells;
	for (uint32_t i = 0; i < tree->ncols; i++)
		classes += tree->classes[i];
	if (cells * classes > TREE_WORK || cells * classes > s->d.n * WORK_OF_ROW)
		return false;
	while (pair_cells(&s->d) > PAIR_CELLS)
		if (!coarsen_widest(s))
			return false;
	return pair_cells(&s->d) + cells * classes <= s->d.n * WORK_OF_ROW;
}

/* Measured tables have lines at places, too. */
static void
coarsen_tables(smoother *s)
{
	uint64_t	numbers;

	do
	{
		numbers = 0;
		for (uint32_t p = 0; p < s->model->npairs; p++)
		{
			const pegs_pair *pair = &s->model->pair[p];

			for (int x = 0; x < 2; x++)
				numbers += (uint64_t) s->d.column[pair->column[x]].room * pair->k[1 - x];
		}
	}
	while (numbers > TABLE_NUMBERS && coarsen_widest(s));
}

/* ---- what the tree expects ---- */

static double *
inside_classes(const smoother *s, uint32_t column)
{
	const pegs_descent_column *c = &s->d.column[column];
	const uint16_t *class_of = s->model->class_of[column];
	double	   *sum = s->env->alloc(s->env->context, sizeof(double) * s->model->tree.classes[column]);
	double	   *share = s->env->alloc(s->env->context, sizeof(double) * c->places);

	for (uint32_t l = 0; l < c->levels; l++)
	{
		sum[class_of[l]] += s->model->share[column][l];
		share[c->place_of[l]] += s->model->share[column][l];
	}
	for (uint32_t p = 0; p < c->places; p++)
	{
		double		of_class = sum[class_of[c->first[p]]];

		share[p] = of_class > 0 ? share[p] / of_class : 0;
	}
	return share;
}

static void
prepare(smoother *s)
{
	const pegs_env *env = s->env;
	uint32_t	m = s->d.ncols;
	size_t		widest = 1;

	s->pair_of = env->alloc(env->context, sizeof(pegs_pair *) * m * m);
	s->inside = env->alloc(env->context, sizeof(double *) * m);
	for (uint32_t p = 0; p < s->model->npairs; p++)
		s->pair_of[(size_t) s->model->pair[p].column[0] * m + s->model->pair[p].column[1]] = &s->model->pair[p];
	for (uint32_t i = 0; i < m; i++)
	{
		env->check(env->context);
		s->inside[i] = inside_classes(s, i);
		for (uint32_t j = 0; j < i; j++)
			if ((size_t) s->d.column[i].places * s->d.column[j].places > widest)
				widest = (size_t) s->d.column[i].places * s->d.column[j].places;
	}
	s->expected = env->alloc(env->context, sizeof(double) * widest);
	s->excess = env->alloc(env->context, sizeof(double) * widest);
	s->count = env->alloc(env->context, sizeof(uint32_t) * pegs_descent_count_room(widest));
}

/* What is measured of a pair, spread inside its cells as the tree does. */
static void
as_measured(const smoother *s, const pegs_pair *pair)
{
	const pegs_descent_column *a = &s->d.column[pair->column[0]];
	const pegs_descent_column *b = &s->d.column[pair->column[1]];
	double	   *sum = s->env->alloc(s->env->context, sizeof(double) * pair->k[0] * pair->k[1]);

	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < a->places; i++)
		{
			size_t		line = (size_t) pair->class_of[0][a->first[i]] * pair->k[1];
			double	   *cell = s->expected + (size_t) i * b->places;

			for (uint32_t j = 0; j < b->places; j++)
			{
				size_t		block = line + pair->class_of[1][b->first[j]];

				if (pass == 0)
					sum[block] += cell[j];
				else if (sum[block] > 0)
					cell[j] *= pair->share[block] / sum[block];
			}
		}
	pegs_env_free(s->env, sum);
}

/* The share of each cell of a pair that is to be expected. Of a zero, too: no row gets there, and the others are off by as much. */
static void
expect(const smoother *s, uint32_t a, uint32_t b, const double *of_tree)
{
	const pegs_fitted *model = s->model;
	const pegs_descent_column *ca = &s->d.column[a];
	const pegs_descent_column *cb = &s->d.column[b];
	const pegs_pair *pair = s->pair_of[(size_t) a * s->d.ncols + b];
	size_t		cells = (size_t) ca->places * cb->places;
	double		sum = 0;

	for (uint32_t i = 0; i < ca->places; i++)
	{
		const double *line = of_tree + (size_t) model->class_of[a][ca->first[i]] * model->tree.classes[b];
		double	   *cell = s->expected + (size_t) i * cb->places;

		for (uint32_t j = 0; j < cb->places; j++)
			cell[j] = line[model->class_of[b][cb->first[j]]] * s->inside[a][i] * s->inside[b][j];
	}
	if (pair)
		as_measured(s, pair);
	for (size_t i = 0; i < cells; i++)
		sum += s->expected[i];
	for (size_t i = 0; i < cells && sum > 0; i++)
		s->expected[i] /= sum;
}

/*
 * How far the rows are from it. Of a pair that is not measured, rows that were
 * adjusted to pairs outside the tree may know more than the tree. So they keep
 * a part of what they are off: what is more than rows of the tree would be
 * (James and Stein), and the larger one the more pairs are outside, unless the
 * rows are too few to know.
 */
static void
compare(const smoother *s, uint32_t a, uint32_t b, const float *share)
{
	size_t		cells = (size_t) s->d.column[a].places * s->d.column[b].places;
	double		n = s->d.n;
	double		off = 0;
	double		variance = 0;
	double		part;

	pegs_descent_count(&s->d, a, b, s->count);
	for (size_t i = 0; i < cells; i++)
	{
		double		p = share[i];

		s->excess[i] = s->count[i] - n * p;
		off += s->excess[i] * s->excess[i];
		variance += n * p * (1 - p);
	}
	if (s->pair_of[(size_t) a * s->d.ncols + b])
		return;
	part = (off > variance ? variance / off : 1) * (1 - s->outside * (n < s->model->rows ? n / s->model->rows : 1));
	for (size_t i = 0; i < cells; i++)
		s->excess[i] *= part;
}

static bool
is_a_pair(const smoother *s, uint32_t a, uint32_t b)
{
	return s->d.column[a].places > 1 && s->d.column[b].places > 1;
}

/* All pairs, one after the other: what is kept is used, and what can be kept is. */
static void
expect_pairs(smoother *s, pegs_expected_pairs *kept)
{
	const pegs_env *env = s->env;
	uint32_t	m = s->d.ncols;
	size_t		cells = 0;
	size_t		at = 0;
	float	   *share;
	double	  **of_tree;

	if (kept && kept->share)
	{
		s->share = kept->share;
		return;
	}
	for (uint32_t b = 0; b < m; b++)
		for (uint32_t a = 0; a < b; a++)
			if (is_a_pair(s, a, b))
				cells += (size_t) s->d.column[a].places * s->d.column[b].places;
	share = env->alloc(env->context, sizeof(float) * cells);
	of_tree = env->alloc(env->context, sizeof(double *) * m * m);
	pegs_jtree_pairs(env, &s->model->tree, of_tree);
	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = a + 1; b < m; b++)
		{
			env->check(env->context);
			if (is_a_pair(s, a, b))
			{
				expect(s, a, b, of_tree[(size_t) a * m + b]);
				for (size_t i = 0; i < (size_t) s->d.column[a].places * s->d.column[b].places; i++)
					share[at++] = (float) s->expected[i];
			}
			pegs_env_free(env, of_tree[(size_t) a * m + b]);
		}
	s->share = share;
	if (kept)
	{
		float	   *copy = kept->env.alloc(kept->env.context, sizeof(float) * cells);

		kept->share = memcpy(copy, share, sizeof(float) * cells);
	}
}

static void
compare_pairs(smoother *s)
{
	const float *share = s->share;

	pegs_descent_all_pairs(&s->d);
	for (uint32_t a = 0; a < s->d.ncols; a++)
		for (uint32_t b = a + 1; b < s->d.ncols; b++)
			if (is_a_pair(s, a, b))
			{
				s->env->check(s->env->context);
				compare(s, a, b, share);
				pegs_descent_pair(&s->d, a, b, s->excess);
				share += (size_t) s->d.column[a].places * s->d.column[b].places;
			}
}

/*
 * How many of the rows are visited once all pairs are there. Where the fit is
 * far worse than a sample need be, as its noise is large or most pairs were not
 * measured, nearly all is won by those that have a few values for each cell of
 * the pairs. Where rows are few, all of them are visited twice.
 */
static uint32_t
visits(const smoother *s)
{
	const pegs_fitted *model = s->model;
	double		n = s->d.n;
	double		values = n * s->d.ncols / (double) pair_cells(&s->d);
	double		pairs = s->d.ncols * (s->d.ncols - 1.0) / 2;
	double		measured = model->npairs;
	double		noise = 0;	/* of a measured table, in variances of a sample, on the average */

	for (uint32_t p = 0; p < model->npairs; p++)
	{
		const pegs_pair *pair = &model->pair[p];

		noise += pair->variance * pair->k[0] * pair->k[1] * n / (model->rows * model->rows) / measured;
	}
	if (measured > 0 && noise > MUCH_NOISE * measured / pairs)
		return (uint32_t) fmax(1, n * fmin(1, fmax(LEAST_VISITS, VALUES_A_CELL / values)));
	return values < FEW_VALUES ? 2 * s->d.n : s->d.n;
}

void
pegs_smooth_batch(const pegs_env *env, const pegs_fitted *model, pegs_expected_pairs *kept, const pegs_zeros *zeros,
				  pegs_rng *rng, uint32_t n, uint16_t **codes)
{
	smoother	s = {.env = env, .model = model};
	uint32_t	outside = 0;
	bool		smooth;

	pegs_descent_init(env, &s.d, zeros, model->ncols, model->levels, rng, n, codes, model->npairs, model->ntriples);
	s.coarse = env->alloc(env->context, sizeof(bool) * model->ncols);
	coarsen_wide(&s);
	smooth = can_be_smoothed(&s);
	coarsen_tables(&s);
	for (uint32_t i = 0; i < model->ncols; i++)
		pegs_descent_oneway(&s.d, i, model->share[i]);
	if (smooth)
	{
		/* before there are tables: it has memory of its own, most of which it gives back */
		prepare(&s);
		expect_pairs(&s, kept);
		pegs_descent_lines(&s.d);
	}
	for (uint32_t p = 0; p < model->npairs; p++)
	{
		const pegs_pair *pair = &model->pair[p];

		outside += pair->outside;
		pegs_descent_table(&s.d, pair->column, pair->k, pair->class_of, 1 / (1 + VARIANCE_WEIGHT * pair->variance), pair->share);
	}
	for (uint32_t t = 0; t < model->ntriples; t++)
	{
		const pegs_triple *triple = &model->triple[t];

		pegs_descent_triple(&s.d, triple->column, 1 / (1 + VARIANCE_WEIGHT * triple->variance), triple->share);
	}
	s.outside = outside > 0 ? (double) outside / model->npairs : 0;
	if (!smooth || s.outside > OUTSIDE_FEW)
		pegs_descent_pass(&s.d, n);
	if (!smooth)
	{
		pegs_descent_pass(&s.d, n);
		return;
	}
	compare_pairs(&s);
	for (uint64_t left = visits(&s); left > 0; left -= left < n ? left : n)
		pegs_descent_pass(&s.d, left < n ? (uint32_t) left : n);
}
