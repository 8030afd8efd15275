/*
 * rounds.c
 *	  How many pairs the rounds are planned for.
 *
 * Of public numbers alone: the levels, or the released number of those in use,
 * the number of rows, noisy or stated, and what the whole budget would buy. It
 * is a plan: what the rounds do costs what it costs, and is paid by the
 * accountant. docs/engine.md
 */
#include "core/graph/state.h"
#include "core/sort.h"

#include <math.h>
#include <string.h>

static const int BATCHES = 12;
static const double ROWS_PER_SD = 8000; /* in a round of all columns */
static const double SHARPER = 6;		/* rounds more where there are so many rows */
static const double ROUNDS_LEAST = 2;
static const double ROUNDS_MOST = 10;	/* more make all pairs a percent closer, and coefficients of wide tables worse than in 0.2.0 */
static const double PAIR_TV = 0.01;		/* noise of a narrow pair that is asked for with all its levels */
static const double TIMES_A_PAIR = 5;
static const double SCORES = 1e8;	/* pairs to choose from, at all choices: above it, as few rounds as in 0.2.0 */
static const double ROUNDS_AT_ALL = 6;
static const double ROUNDS_AFTER_COVER = 40;

/* Of sorted sizes: how many pairs have at most so many cells? */
static double
pairs_of_at_most(const double *size, uint32_t n, double cells)
{
	double		pairs = 0;
	uint32_t	b = n - 1;

	/* each pair once, the smaller side first */
	for (uint32_t a = 0; a < b; a++)
	{
		while (b > a && size[a] * size[b] > cells)
			b--;
		pairs += b - a;
	}
	return pairs;
}

/*
 * The most pairs, narrow ones first, that can all be had with the noise of
 * PAIR_TV, each with the same part of the whole budget. The more, the narrower
 * the widest must be.
 */
static double
narrow_pairs(const pegs_env *env, const pegs_accountant *accountant, uint32_t ncols, const double *size, double rows)
{
	double	   *sorted = env->alloc(env->context, sizeof(double) * ncols);
	double	   *scratch = env->alloc(env->context, sizeof(double) * ncols);
	double		enough = 0;
	double		too_many = ncols * (ncols - 1.0) / 2 + 1;

	memcpy(sorted, size, sizeof(double) * ncols);
	pegs_sort(env, sorted, ncols, scratch);
	while (enough + 1 < too_many)
	{
		double		middle = floor((enough + too_many) / 2);

		double		sd = pegs_noise_sd(accountant, (double) accountant->total * 0x1p-50 / middle);

		if (pairs_of_at_most(sorted, ncols, PAIR_TV * rows / (PEGS_TV_PER_SD * sd)) >= middle)
			enough = middle;
		else
			too_many = middle;
	}
	pegs_env_free(env, sorted);
	pegs_env_free(env, scratch);
	return enough;
}

/* Of a column, more than ROUNDS_LEAST where there are more rows for the noise; by their square, until a whole ROWS_PER_SD of them. */
static double
sharper(double rounds)
{
	return SHARPER * fmin(rounds, 1) * rounds;
}

/*
 * May triples be chosen? Where rows are many for the noise a pair that is missed is had by itself, and a triple, which is furthest
 * off whenever one of its pairs is, is three times its price.
 */
bool
pegs_offers_triples(const pegs_accountant *accountant, double rows, bool covered)
{
	double		sd = pegs_noise_sd(accountant, (double) accountant->total * 0x1p-50);

	double		rounds = rows / sd / ROWS_PER_SD;

	return covered || (accountant->pure ? rounds : sharper(rounds)) <= ROUNDS_LEAST;
}

/*
 * How many pairs the rounds are planned for, and how many of them at once: more where there are more rows for the noise, or where
 * pairs are small. In the pure form n tables have n times the noise of one, not its root: few are planned there. size[]: levels of
 * each column that are in use. covered: all pairs were measured before.
 */
double
pegs_rounds(const pegs_env *env, const pegs_accountant *accountant, uint32_t ncols, const double *size, double rows, bool covered,
			uint32_t *batch)
{
	double		sd = pegs_noise_sd(accountant, (double) accountant->total * 0x1p-50);
	double		pairs = ncols * (ncols - 1.0) / 2;
	double		rounds = rows / sd / ROWS_PER_SD;

	if (covered)
		rounds = ROUNDS_AFTER_COVER;
	else if (accountant->pure)
		rounds = ncols * fmin(fmax(rounds, ROUNDS_LEAST), ROUNDS_AT_ALL);
	else
	{
		rounds = ncols * fmin(fmax(sharper(rounds), ROUNDS_LEAST), ROUNDS_MOST);
		rounds = fmax(rounds, narrow_pairs(env, accountant, ncols, size, rows));
		rounds = fmin(rounds, TIMES_A_PAIR * pairs);
		rounds = fmin(rounds, fmax(ROUNDS_AT_ALL * ncols, SCORES / pairs));
	}
	*batch = (uint32_t) ceil(rounds / BATCHES);
	return rounds;
}
