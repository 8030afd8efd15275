/*
 * forecast.c
 *	  What a fit will be good for, before it is made: noise, and what can be seen through it.
 *
 * From public facts alone: the levels of the columns, a stated number of rows,
 * what may be spent. The budget is divided by the functions that divide it in
 * a fit; what depends on the rows there is taken as it is where all levels are
 * in use and every pair has something to say. test/unit/forecast_test.c
 * compares it with fits.
 */
#include "core/graph/state.h"

#include <math.h>
#include <string.h>

/* Of the rounds that are planned, so many find a pair that is worth its noise. A guess, from fits. */
static const double ROUNDS_USED = 0.3;
static const double CELLS_GRID = 3; /* a pair's table has about N / (3 sd) cells */
static const double USUAL_ROWS = 100000;	/* where nobody says how many: they decide little of how a budget is divided */
static const double LONGER_TAILS = 1.3;	/* of Laplace noise, where twice the least difference shall be seen in three fits of four */

static double
precision_of(const pegs_accountant *accountant, double cost)
{
	double		sd;

	if (cost <= 0)
		return 0;
	sd = pegs_noise_sd(accountant, cost);
	return 1 / (sd * sd);
}

/* What is spent on 1-ways and on pairs. */
typedef struct division
{
	double		budget;			/* of the 1-ways */
	double		first;			/* of that, by declared levels */
	double		left;			/* for pairs, and for choosing them */
	double		rounds;
	uint32_t	batch;
	double		forest_sd;		/* of a cell of the pairs in the forest, in counted rows */
	double		round_sd;
	double		halves_sd;		/* of a quarter of a pair's cells added up, where all are measured */
	bool		covered;		/* all pairs are measured, each once, and none is chosen */
} division;

/* Columns with something to say: of one level, nothing is measured with another. */
static uint32_t
number_of_many(uint32_t ncols, const uint32_t *levels)
{
	uint32_t	n = 0;

	for (uint32_t i = 0; i < ncols; i++)
		n += levels[i] > 1;
	return n;
}

/* Of half the levels of one column with half of another's, root mean square over the pairs of a cover. */
static double
halves_sd(const pegs_accountant *accountant, uint32_t ncols, const uint32_t *levels, double pairs, double left)
{
	double		shares = 0;
	double		variance = 0;

	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < ncols; i++)
			for (uint32_t j = 0; j < i; j++)
			{
				double		cells = (double) levels[i] * levels[j];
				double		share = pegs_cover_share(accountant, cells);
				double		sd;

				if (levels[i] < 2 || levels[j] < 2)
					continue;
				if (pass == 0)
				{
					shares += share;
					continue;
				}
				sd = pegs_noise_sd(accountant, left * share / shares);
				variance += sd * sd * cells / 4 / pairs;
			}
	return sqrt(variance);
}

/* `size` has room for all columns. */
static division
divide(const pegs_env *env, const pegs_accountant *accountant, uint32_t ncols, const uint32_t *levels, double rows, double *size)
{
	division	d = {.budget = pegs_accountant_left(accountant)};
	double		total = d.budget;
	double		many = number_of_many(ncols, levels);
	double		pairs = many * (many - 1) / 2;
	double		mean = 0;

	d.first = total;
	if (ncols == 1)
		return d;
	for (uint32_t i = 0; i < ncols; i++)
	{
		mean += fmin(levels[i], PEGS_SIZE_MOST) / ncols;
		size[i] = fmax(2, levels[i]);
	}
	d.budget = pegs_oneway_budget(accountant, ncols, mean, rows, &d.first);
	d.left = total - d.budget;
	d.covered = pegs_can_cover(accountant, ncols, levels, NULL, rows);
	if (d.covered)
	{
		d.budget = fmax(d.budget, PEGS_COVER_ONEWAYS * total);
		d.forest_sd = pegs_noise_sd(accountant, PEGS_COVER_PART * (total - d.budget) / pairs);
		d.halves_sd = halves_sd(accountant, ncols, levels, pairs, PEGS_COVER_PART * (total - d.budget));
		return d;
	}
	d.rounds = pegs_rounds(env, accountant, ncols, size, rows, false, &d.batch);
	d.forest_sd = pegs_noise_sd(accountant, (1 - PEGS_CHOICE_SHARE) * pegs_forest_cost(ncols, d.left));
	d.round_sd = pegs_noise_sd(accountant, (1 - PEGS_CHOICE_SHARE) * (1 - pegs_forest_cost(ncols, 1) * (ncols - 1)) * d.left / d.rounds);
	return d;
}

/* Classes of a column of a levels in a pair with one of b, where the table has about `cells` cells. */
static double
classes(double a, double b, double cells)
{
	double		k = a * b > cells ? a * sqrt(cells / (a * b)) : a;

	return fmin(fmax(k, 2), a);
}

/*
 * Variance of a level, in counted rows: its own measurement of variance v, and
 * the sums of its class in the tables of about two pairs of the forest and some
 * of the rounds.
 */
static double
with_pairs(const division *d, uint32_t ncols, const uint32_t *levels, double rows, uint32_t column, double v)
{
	double		cells = d->covered ? INFINITY : fmax(rows / (CELLS_GRID * d->forest_sd), 4);
	double		own = 0;
	double		other = 0;
	double		precision;
	double		per_class;
	uint32_t	others = number_of_many(ncols, levels) - (levels[column] > 1);

	if (others == 0)
		return v;
	for (uint32_t j = 0; j < ncols; j++)
		if (j != column && levels[j] > 1)
		{
			own += classes(levels[column], levels[j], cells) / others;
			other += classes(levels[j], levels[column], cells) / others;
		}
	if (d->covered)
		precision = others / (d->forest_sd * d->forest_sd * other);
	else
		precision = 2 * (ncols - 1.0) / ncols / (d->forest_sd * d->forest_sd * other)
			+ 2 * ROUNDS_USED * d->rounds / ncols / (d->round_sd * d->round_sd * other);
	per_class = levels[column] / own;
	return precision > 0 ? v - v * v / (per_class * v + 1 / precision) : v;
}

/*
 * Between two halves of the rows, of which one has something more often by d:
 * four cells are off by d / 4 of the rows each. The pair is chosen if that is
 * more than the score of choosing nothing, and it must be above its noise, by
 * two standard deviations. By what the forest may spend on a pair, or the
 * rounds after one that found nothing. stop: of that score, what counts: all,
 * or for a pair with the target a half.
 */
static double
least_difference(const pegs_accountant *accountant, const division *d, uint32_t ncols, double rows, double stop)
{
	double		more = PEGS_AFTER_MISS * d->batch < d->rounds ? PEGS_AFTER_MISS : 1;
	double		cost = fmax(pegs_forest_cost(ncols, d->left), more * d->left / d->rounds);
	double		for_pair = (1 - PEGS_CHOICE_SHARE) * cost;
	double		offered = PEGS_GRIDS * ncols * (ncols - 1.0) / 2;
	double		chosen = PEGS_NOISE_CHARGE * 4 * pegs_noise_abs(accountant, for_pair)
		+ stop * log(offered + 1) / pegs_choice_factor(accountant, PEGS_CHOICE_SHARE * cost);
	double		above = 2 * 2 * sqrt(2) * pegs_noise_sd(accountant, for_pair);

	if (d->covered)
		return 2 * 2 * sqrt(2) * d->halves_sd / rows;
	return (accountant->pure ? LONGER_TAILS : 1) * fmax(chosen, above) / rows;
}

/* Variance of the share of a level of a column, in counted rows; `size` and `share` have room for all columns. */
static double
level_variance(const pegs_env *env, const pegs_accountant *accountant, uint32_t ncols, const uint32_t *levels, double rows, uint32_t column, double *size, double *share)
{
	division	d = divide(env, accountant, ncols, levels, rows, size);
	double		v;

	for (uint32_t i = 0; i < ncols; i++)
		size[i] = levels[i];
	pegs_oneway_shares(accountant, ncols, size, share);
	v = 1 / (precision_of(accountant, d.first * share[column]) + precision_of(accountant, (d.budget - d.first) * share[column]));
	if (ncols > 1)
		v = with_pairs(&d, ncols, levels, rows, column, v);
	/* shares add up to 1 */
	return v * (1 - 1.0 / levels[column]);
}

/*
 * How many levels a column may have so that all of them together are off by at
 * most PEGS_FORECAST_CLOSE, in total variation; 1: not even two. The other
 * columns stay as they are.
 */
static uint32_t
most_levels(const pegs_env *env, const pegs_accountant *accountant, uint32_t ncols, const uint32_t *levels, double rows, uint32_t column,
			double *size, double *share)
{
	uint32_t   *other = env->alloc(env->context, sizeof(uint32_t) * ncols);
	uint32_t	enough = 1;
	uint32_t	too_many = PEGS_MAX_LEVELS + 1;

	memcpy(other, levels, sizeof(uint32_t) * ncols);
	while (enough + 1 < too_many)
	{
		uint32_t	middle = enough + (too_many - enough) / 2;
		double		sd;

		env->check(env->context);
		other[column] = middle;
		sd = sqrt(level_variance(env, accountant, ncols, other, rows, column, size, share)) / rows;
		if (middle * sd * sqrt(2 / M_PI) / 2 <= PEGS_FORECAST_CLOSE)
			enough = middle;
		else
			too_many = middle;
	}
	pegs_env_free(env, other);
	return enough;
}

void
pegs_graph_forecast(const pegs_env *env, const pegs_accountant *accountant, uint32_t ncols, const uint32_t *levels, double rows,
					pegs_forecast *forecast)
{
	double		counted = rows * pegs_accountant_scale(accountant);
	double	   *size = env->alloc(env->context, sizeof(double) * ncols);
	double	   *share = env->alloc(env->context, sizeof(double) * ncols);
	division	d = divide(env, accountant, ncols, levels, counted, size);
	double		sum = 0;

	forecast->column = env->alloc(env->context, sizeof(double) * ncols);
	forecast->levels = env->alloc(env->context, sizeof(uint32_t) * ncols);
	for (uint32_t i = 0; i < ncols; i++)
	{
		double		v = level_variance(env, accountant, ncols, levels, counted, i, size, share);

		env->check(env->context);
		forecast->column[i] = sqrt(v) / counted;
		forecast->levels[i] = most_levels(env, accountant, ncols, levels, counted, i, size, share);
		sum += v / ncols;
	}
	forecast->oneway = sqrt(sum) / counted;
	forecast->pair = ncols > 1 ? d.forest_sd / counted : NAN;
	forecast->least = ncols > 1 ? least_difference(accountant, &d, ncols, counted, 1) : NAN;
	forecast->aimed = ncols > 1 ? least_difference(accountant, &d, ncols, counted, 0.5) : NAN;
	pegs_env_free(env, size);
	pegs_env_free(env, share);
}

/*
 * In a cell of a pair if each has the same part, chosen or not: at one epsilon
 * a fit may cover and at another choose, which is no comparison; of one column,
 * in its levels.
 */
double
pegs_graph_noise(const pegs_env *env, const pegs_accountant *accountant, const pegs_layout *layout)
{
	double	   *size = env->alloc(env->context, sizeof(double) * layout->ncols);
	division	d = divide(env, accountant, layout->ncols, layout->levels, USUAL_ROWS * pegs_accountant_scale(accountant), size);

	pegs_env_free(env, size);
	return pegs_noise_sd(accountant, layout->ncols > 1 ? PEGS_COVER_PART * d.left / (layout->ncols * (layout->ncols - 1.0) / 2) : d.budget);
}
