/*
 * oneway.c
 *	  The noisy table of one column: looked at, once or again, and made its
 *	  estimate, of levels that are bins or not.
 *
 * The look is the accountant's; everything else reads released numbers. Which
 * part of a budget each column gets is by sizes that are declared, or released.
 * Claims P6, P8, docs/privacy.md.
 */
#include "core/column/column.h"
#include "core/simplex.h"

#include <math.h>
#include <string.h>

static const double LEVEL_POWER = 0.67; /* share of a 1-way ~ levels^this */
#define BINS_LEAST 10			/* in order, for a tree of halves: as many levels as a garrote wants */
static const double LEAST_VARIANCE = 0.0625;	/* of a cell: a quarter of a row is not worth a blend */
#define BLEND_LEAST 10			/* levels */
#define BLEND_MOST 10000		/* above, steps alone: it is a question of time */

void
pegs_oneway_measure(const pegs_env *env, pegs_accountant *accountant, pegs_rng *rng, double cost, const uint64_t *cells, uint32_t n,
					pegs_oneway *one)
{
	double	   *noisy = env->alloc(env->context, sizeof(double) * n);
	double		variance = pegs_measure(accountant, rng, PEGS_FOR_ONEWAY, cost, (const int64_t *) cells, noisy, n);

	if (variance < 0)
		return;
	one->blend = NULL;
	if (one->variance < 0)
	{
		one->noisy = noisy;
		one->variance = variance;
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		one->noisy[i] = (one->noisy[i] * variance + noisy[i] * one->variance) / (variance + one->variance);
	one->variance = one->variance * variance / (one->variance + variance);
}

/* Shares ~ size^power; in the pure engine precision grows with the square of the cost. */
void
pegs_oneway_shares(const pegs_accountant *accountant, uint32_t ncols, const double *size, double *share)
{
	double		power = accountant->pure ? LEVEL_POWER / 2 : LEVEL_POWER;
	double		sum = 0;

	for (uint32_t i = 0; i < ncols; i++)
		sum += share[i] = pow(fmin(size[i], PEGS_SIZE_MOST), power);
	for (uint32_t i = 0; i < ncols; i++)
		share[i] /= sum;
}

/* Is it a case for a blend? Estimated once after each look. */
static bool
blend_levels(const pegs_env *env, pegs_oneway *one, uint32_t n, uint32_t bins, double rows, double *y)
{
	if (n < BLEND_LEAST || n > BLEND_MOST || one->variance < LEAST_VARIANCE || bins > 0)
		return false;
	if (!one->blend)
	{
		one->blend = env->alloc(env->context, sizeof(double) * n);
		one->rows = rows;
		memcpy(one->blend, one->noisy, sizeof(double) * n);
		pegs_blend_levels(env, one->blend, n, one->variance, one->rows);
	}
	for (uint32_t i = 0; i < n; i++)
		y[i] = one->blend[i] * (rows / one->rows);
	return true;
}

void
pegs_oneway_smooth(const pegs_env *env, pegs_oneway *one, uint32_t n, uint32_t bins, double rows, double *y)
{
	if (blend_levels(env, one, n, bins, rows, y))
		return;
	memcpy(y, one->noisy, sizeof(double) * n);
	pegs_haar_garrote(env, y, n, one->variance);
}

void
pegs_oneway_project(const pegs_env *env, double *y, uint32_t n, uint32_t bins, double variance, double rows)
{
	if (bins >= BINS_LEAST)
		pegs_project_halves(env, y, n, bins, variance, rows);
	else
		pegs_project_simplex(env, y, n, rows);
}

double
pegs_oneway_in_use(const pegs_oneway *one, const double *share, uint32_t n, double rows)
{
	double		floor = 0.5 * sqrt(fmax(one->variance, 0)) / rows;
	double		size = 0;

	for (uint32_t i = 0; i < n; i++)
		size += share[i] > floor;
	return fmax(2, size);
}
