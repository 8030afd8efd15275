/*
 * cover.c
 *	  All pairs, each once with all its levels, where they can all be had.
 *
 * Narrow tables with rows enough: nothing need be chosen, so nothing is spent
 * on choosing, and no pair is left to what others imply. Whether it is so is
 * decided by public numbers: levels, the noisy number of rows, the budget. A
 * table of a pair is looked at as in the rounds. Claims P6 and P7.
 */
#include "core/graph/state.h"

#include <math.h>
#include <stdlib.h>

#define COVER_COLUMNS 100		/* each pair is tried in the tree, and adjusted to */

static const double COVER_TV = 0.004;	/* total variation of a pair, by noise: above it pairs are chosen */
static const double CELLS_POWER = 0.67; /* shares ~ cells^this */

/*
 * Of all pairs, each with the same part of the budget: is the error of a pair,
 * on the average, each cell off by the noise of the degrees of freedom that its
 * columns leave it, at most COVER_TV?
 */
bool
pegs_can_cover(const pegs_accountant *accountant, uint32_t ncols, const uint32_t *levels, double rows)
{
	double		pairs = ncols * (ncols - 1.0) / 2;
	double		sum = 0;
	double		off;

	if (ncols > COVER_COLUMNS)
		return false;
	for (uint32_t a = 0; a < ncols; a++)
		for (uint32_t b = a + 1; b < ncols; b++)
			sum += sqrt((double) levels[a] * levels[b] * (levels[a] - 1.0) * (levels[b] - 1.0));
	if (sum == 0)
		return false;
	off = PEGS_TV_PER_SD * pegs_noise_sd(accountant, (double) accountant->total * 0x1p-50 / pairs) / rows;
	return off * sum / pairs <= COVER_TV;
}

/* Of what pairs may cost, share[a * ncols + b]; a column of one level is in no pair. In the pure form precision grows with the square. */
void
pegs_cover_shares(const pegs_accountant *accountant, uint32_t ncols, const uint32_t *levels, double *share)
{
	double		power = accountant->pure ? CELLS_POWER / 2 : CELLS_POWER;
	double		sum = 0;

	for (uint32_t a = 0; a < ncols; a++)
		for (uint32_t b = a + 1; b < ncols; b++)
			sum += share[(size_t) a * ncols + b] = levels[a] > 1 && levels[b] > 1 ? pow((double) levels[a] * levels[b], power) : 0;
	for (size_t i = 0; i < (size_t) ncols * ncols; i++)
		share[i] /= sum;
}

/* Spends what the 1-ways left. */
void
pegs_measure_cover(pegs_graph_fit *f)
{
	uint32_t	m = f->layout->ncols;
	double	   *share = pegs_fit_alloc(f, (size_t) m * m, sizeof(double));
	double		left = pegs_accountant_left(f->accountant);

	f->covered = true;
	pegs_cover_shares(f->accountant, m, f->layout->levels, share);
	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = a + 1; b < m; b++)
		{
			uint32_t	k[2] = {f->layout->levels[a], f->layout->levels[b]};

			f->env->check(f->env->context);
			if (k[0] > 1 && k[1] > 1)
				pegs_measure_pair(f, pegs_get_or_add_pair(f, a, b), k, left * share[(size_t) a * m + b]);
		}
}

/* Rows by which the estimate of a pair differs from independence, above what is noise. */
static double
strength(const pegs_graph_fit *f, const pegs_pair *pair)
{
	const double *pa = f->model->share[pair->column[0]];
	const double *pb = f->model->share[pair->column[1]];
	double		distance = 0;

	for (uint32_t x = 0; x < pair->k[0]; x++)
		for (uint32_t y = 0; y < pair->k[1]; y++)
			distance += fabs(pair->share[(size_t) x * pair->k[1] + y] - pa[x] * pb[y]);
	return f->model->rows * distance - PEGS_NOISE_CHARGE * sqrt(pair->variance * 2 / M_PI) * pair->k[0] * pair->k[1];
}

typedef struct ranked
{
	double		strength;
	uint32_t	pair;
} ranked;

static int
strongest_first(const void *a, const void *b)
{
	const ranked *x = a;
	const ranked *y = b;

	if (x->strength != y->strength)
		return x->strength < y->strength ? 1 : -1;
	return (x->pair > y->pair) - (x->pair < y->pair);
}

/* Which of the measured pairs are in the tree: the strongest, while it has room. Reads released numbers. */
void
pegs_plan_cover(pegs_graph_fit *f)
{
	pegs_fitted *model = f->model;
	ranked	   *rank = pegs_fit_alloc(f, model->npairs, sizeof(ranked));
	pegs_plan	p = pegs_plan_empty(f);

	pegs_estimate_oneways(f);
	for (uint32_t i = 0; i < model->npairs; i++)
	{
		f->env->check(f->env->context);
		pegs_estimate_pair(f, &model->pair[i]);
		rank[i] = (ranked) {strength(f, &model->pair[i]), i};
	}
	qsort(rank, model->npairs, sizeof(ranked), strongest_first);
	for (uint32_t i = 0; i < model->npairs; i++)
	{
		pegs_pair  *pair = &model->pair[rank[i].pair];
		pegs_candidate c = {.column = {pair->column[0], pair->column[1]}, .k = {pair->k[0], pair->k[1]}};

		f->env->check(f->env->context);
		pair->outside = !pegs_plan_fits(f, &p, &c, PEGS_TREE_CELLS);
	}
}
