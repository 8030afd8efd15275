/*
 * cover.c
 *	  All pairs, each once with all its levels, where they can all be had.
 *
 * Rows enough for the columns: nothing need be chosen, so nothing is spent on
 * choosing, and no pair is left to what others imply. Whether it is so is
 * decided by public numbers: levels, the budget, and what A released, shares of
 * levels and the number of rows. A table of a pair is looked at as in the
 * rounds. Claims P6 and P7.
 */
#include "core/graph/state.h"

#include <math.h>
#include <stdlib.h>

#define COVER_COLUMNS 100		/* each pair is tried in the tree, and adjusted to */

static const double COVER_NOISE = 1.5;	/* times the noise of the rows themselves: above it pairs are chosen */
static const double CELLS_POWER = 0.75; /* shares ~ cells^this: what a table has besides its 1-ways grows faster than its cells */

/*
 * Of all pairs, each with the same part of the budget: is the noise of their
 * cells little beside what the rows have already, being a sample: sqrt(n p) in
 * a cell of share p? Closer than that to these very rows nobody need come; so
 * where it can be had choosing is lost. share[]: of each column's levels, as
 * released; NULL: all alike.
 */
bool
pegs_can_cover(const pegs_accountant *accountant, uint32_t ncols, const uint32_t *levels, double *const *share, double rows)
{
	double		pairs = ncols * (ncols - 1.0) / 2;
	double		counted = sqrt(rows * accountant->rows_per_unit);	/* rows of one person may all be alike: a sample of persons */
	double		noise = 0;
	double		sample = 0;
	double		columns[2] = {0, 0};	/* before this one: their levels, and the roots of their shares, added up */
	bool		two = false;

	if (ncols > COVER_COLUMNS)
		return false;
	for (uint32_t i = 0; i < ncols; i++)
	{
		double		roots = share ? 0 : sqrt(levels[i]);

		for (uint32_t l = 0; share && l < levels[i]; l++)
			roots += sqrt(share[i][l]);
		if (levels[i] < 2)
			continue;
		two |= columns[0] > 0;
		noise += levels[i] * columns[0];
		sample += roots * columns[1];
		columns[0] += levels[i];
		columns[1] += roots;
	}
	return two && pegs_noise_sd(accountant, (double) accountant->total * 0x1p-50 / pairs) * noise <= COVER_NOISE * counted * sample;
}

/* How many pairs of these columns are in no block yet. */
static uint32_t
uncovered(const bool *covered, uint32_t ncols, const pegs_candidate *block)
{
	uint32_t	n = 0;

	for (uint32_t x = 0; x < block->n; x++)
		for (uint32_t y = 0; y < x; y++)
			n += !covered[(size_t) block->column[y] * ncols + block->column[x]];
	return n;
}

/*
 * Triples that are counted, and where none is left that has two new pairs, the
 * pairs themselves, so that each pair of columns of two levels and more is in
 * one of them. Of layout alone: those with three new pairs before those with
 * two, and of them the one whose columns were in fewest.
 */
pegs_candidate *
pegs_cover_blocks(const pegs_env *env, const pegs_layout *layout, uint32_t *n)
{
	uint32_t	m = layout->ncols;
	pegs_candidate *block = env->alloc(env->context, sizeof(pegs_candidate) * ((size_t) m * (m - 1) / 2 + 1));
	bool	   *covered = env->alloc(env->context, sizeof(bool) * m * m);
	uint32_t   *uses = env->alloc(env->context, sizeof(uint32_t) * m);

	*n = 0;
	for (uint32_t want = 3; layout->triple_offset && want > 1;)
	{
		pegs_candidate best = {.n = 0};
		uint32_t	used = 0;

		for (uint32_t a = 0; a < m; a++)
			for (uint32_t b = a + 1; b < m; b++)
			{
				env->check(env->context);
				for (uint32_t c = b + 1; c < m; c++)
				{
					pegs_candidate x = pegs_candidate_of_triple(layout->levels, (uint32_t[]) {a, b, c});
					uint32_t	u = uses[a] + uses[b] + uses[c];

					if (pegs_triple_at(layout, a, b, c) == 0 || uncovered(covered, m, &x) < want)
						continue;
					if (best.n == 0 || u < used)
					{
						best = x;
						used = u;
					}
				}
			}
		if (best.n == 0)
		{
			want--;
			continue;
		}
		for (int x = 0; x < 3; x++)
		{
			uses[best.column[x]]++;
			for (int y = 0; y < x; y++)
				covered[(size_t) best.column[y] * m + best.column[x]] = true;
		}
		block[(*n)++] = best;
	}
	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = a + 1; b < m; b++)
			if (!covered[(size_t) a * m + b] && layout->levels[a] > 1 && layout->levels[b] > 1)
				block[(*n)++] = (pegs_candidate) {.n = 2, .column = {a, b}, .k = {layout->levels[a], layout->levels[b]}};
	pegs_env_free(env, covered);
	pegs_env_free(env, uses);
	return block;
}

/* What a table of so many cells costs, beside others. */
double
pegs_cover_share(const pegs_accountant *accountant, double cells)
{
	return pow(cells, accountant->pure ? CELLS_POWER / 2 : CELLS_POWER);
}

/* Spends what the 1-ways left, or a part of it; on them first what they have less than here, where pairs say little of them. */
void
pegs_measure_cover(pegs_graph_fit *f)
{
	uint32_t	n;
	const pegs_candidate *block = pegs_cover_blocks(f->env, f->layout, &n);
	double		left;
	double		sum = 0;

	f->covered = true;
	pegs_measure_oneways(f, fmax(0, pegs_accountant_left(f->accountant) - (1 - PEGS_COVER_ONEWAYS) * (double) f->accountant->total * 0x1p-50));
	left = pegs_accountant_left(f->accountant) * PEGS_COVER_PART;
	for (uint32_t i = 0; i < n; i++)
		sum += pegs_cover_share(f->accountant, (double) pegs_candidate_cells(&block[i]));
	for (uint32_t i = 0; i < n; i++)
	{
		double		cost = left * pegs_cover_share(f->accountant, (double) pegs_candidate_cells(&block[i])) / sum;

		f->env->check(f->env->context);
		pegs_candidate_measure(f, &block[i], cost);
	}
}

/* Rows by which the estimate of a table differs from what fewer columns say, above what is noise. */
static double
strength(const pegs_graph_fit *f, const double *share, const double *without, double variance, size_t n)
{
	double		distance = 0;

	for (size_t i = 0; i < n; i++)
	{
		pegs_env_turn(f->env, i);
		distance += fabs(share[i] - without[i]);
	}
	return f->model->rows * distance - PEGS_NOISE_CHARGE * sqrt(variance * 2 / M_PI) * (double) n;
}

typedef struct ranked
{
	double		strength;
	uint32_t	number;
	pegs_candidate c;
	bool	   *outside;
} ranked;

static int
strongest_first(const void *a, const void *b)
{
	const ranked *x = a;
	const ranked *y = b;

	if (x->strength != y->strength)
		return x->strength < y->strength ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Which of what was measured is in the tree: the strongest, while it has room. Reads released numbers. */
void
pegs_plan_cover(pegs_graph_fit *f, double cells)
{
	pegs_fitted *model = f->model;
	uint32_t	n = model->npairs + model->ntriples;
	ranked	   *rank = pegs_fit_alloc(f, n, sizeof(ranked));
	pegs_plan	p = pegs_plan_empty(f);

	pegs_estimate_oneways(f);
	pegs_estimate_pairs(f);
	pegs_estimate_triples(f);
	for (uint32_t i = 0; i < model->npairs; i++)
	{
		pegs_pair  *pair = &model->pair[i];
		double	   *base;

		f->env->check(f->env->context);
		base = pegs_expected(f, pair->column, pair->k, NULL);
		rank[i] = (ranked) {.number = i, .c = pegs_candidate_of_pair(pair), .outside = &pair->outside};
		rank[i].strength = strength(f, pair->share, base, pair->variance, pegs_candidate_cells(&rank[i].c));
		pegs_env_free(f->env, base);
	}
	for (uint32_t i = 0; i < model->ntriples; i++)
	{
		pegs_triple *triple = &model->triple[i];
		ranked	   *r = &rank[model->npairs + i];
		double	   *base;

		f->env->check(f->env->context);
		base = pegs_pairs_of_triple(f, triple->column);
		*r = (ranked) {.number = model->npairs + i, .c = pegs_candidate_of_triple(model->levels, triple->column), .outside = &triple->outside};
		r->strength = strength(f, triple->share, base, triple->variance, pegs_candidate_cells(&r->c));
		pegs_env_free(f->env, base);
	}
	qsort(rank, n, sizeof(ranked), strongest_first);
	for (uint32_t i = 0; i < n; i++)
	{
		f->env->check(f->env->context);
		*rank[i].outside = !pegs_plan_fits(f, &p, &rank[i].c, cells);
	}
	/* what a triple of the tree holds is in it, whatever its own strength */
	for (uint32_t i = 0; i < model->npairs; i++)
	{
		pegs_pair  *pair = &model->pair[i];
		pegs_candidate c = pegs_candidate_of_pair(pair);

		pair->outside = pair->outside && !pegs_plan_fits(f, &p, &c, 0);
	}
}
