/*
 * law.c
 *	  A chain of normal regressions over ordered columns: the tables that it
 *	  implies.
 *
 * Functions of parameters and declared levels. It must never see a count.
 */
#include "core/pmse/law.h"

#include <math.h>

static const double LEAST_SD = 1e-4;	/* of what a column has besides another: rounding */

void
pegs_law_begin(pegs_law *law)
{
	for (uint32_t i = 0; i < law->ncols; i++)
		law->of[i] = (pegs_regressed) {.mean = PEGS_LAW_GRID / 2, .sd = PEGS_LAW_GRID / 4,
			.null = law->nullable[i] ? PEGS_LAW_GRID / 16 : 0};
}

uint64_t
pegs_law_cells(uint32_t ncols, const uint32_t *levels)
{
	uint64_t	cells = 1;

	for (uint32_t i = 0; i < ncols && cells <= PEGS_LAW_CELLS; i++)
		cells *= levels[i];
	return cells <= PEGS_LAW_CELLS ? cells : PEGS_LAW_CELLS + 1;
}

static double
number(int32_t units)
{
	return (double) units / PEGS_LAW_GRID;
}

/* Levels but NULL. */
static uint32_t
places(const pegs_law *law, uint32_t column)
{
	return law->levels[column] - law->nullable[column];
}

/* The middle of a level that is not NULL. */
static double
middle(const pegs_law *law, uint32_t column, uint32_t level)
{
	return (level + 0.5) / places(law, column);
}

static double
below(double x)
{
	return 0.5 * erfc(-x * M_SQRT1_2);
}

/* A normal law in the levels of a column. */
static void
put_in_levels(const pegs_law *law, uint32_t column, double mean, double sd, double *share)
{
	uint32_t	n = places(law, column);
	double		rest = n == 0 ? 0 : 1 - number(law->of[column].null);
	double		before = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		double		after = i == n - 1 ? 1 : below(((i + 1.0) / n - mean) / sd);

		share[i] = rest * fmax(0, after - before);
		before = after;
	}
	if (law->nullable[column])
		share[n] = 1 - rest;
}

void
pegs_law_moments(const pegs_law *law, pegs_moments *moments)
{
	for (uint32_t i = 0; i < law->ncols; i++)
	{
		const pegs_regressed *of = &law->of[i];
		double		mean = number(of->mean);
		double		variance = number(of->sd) * number(of->sd);

		for (uint32_t j = 0; j < i; j++)
			mean += number(of->slope[j]) * (moments->mean[j] - 0.5);
		for (uint32_t k = 0; k < i; k++)
		{
			double		covariance = 0;

			for (uint32_t j = 0; j < i; j++)
				covariance += number(of->slope[j]) * moments->covariance[j][k];
			moments->covariance[i][k] = moments->covariance[k][i] = covariance;
			variance += number(of->slope[k]) * covariance;
		}
		moments->mean[i] = mean;
		moments->covariance[i][i] = variance;
	}
}

void
pegs_law_share(const pegs_law *law, const pegs_moments *moments, uint32_t column, double *share)
{
	put_in_levels(law, column, moments->mean[column], sqrt(moments->covariance[column][column]), share);
}

void
pegs_law_given(const pegs_law *law, const pegs_moments *moments, uint32_t x, uint32_t level, uint32_t y, double *share)
{
	double		covariance = moments->covariance[x][y];
	double		variance = moments->covariance[y][y];
	double		mean = moments->mean[y];

	variance -= covariance * covariance / moments->covariance[x][x];
	if (level < places(law, x))
		mean += covariance / moments->covariance[x][x] * (middle(law, x, level) - moments->mean[x]);
	put_in_levels(law, y, mean, fmax(sqrt(fmax(variance, 0)), LEAST_SD), share);
}

/* Where a column lies in rows that begin so. */
static double
mean_after(const pegs_law *law, const pegs_moments *moments, uint32_t column, const uint16_t *row)
{
	double		mean = number(law->of[column].mean);

	for (uint32_t j = 0; j < column; j++)
	{
		double		x = row[j] < places(law, j) ? middle(law, j, row[j]) : moments->mean[j];

		mean += number(law->of[column].slope[j]) * (x - 0.5);
	}
	return mean;
}

/* Column by column, each beginning of a row becoming as many as the next column has levels: from the last one on, in place. */
void
pegs_law_joint(const pegs_env *env, const pegs_law *law, double *share)
{
	pegs_moments moments;
	uint16_t	row[PEGS_LAW_COLUMNS] = {0};
	uint64_t	begun = 1;

	pegs_law_moments(law, &moments);
	share[0] = 1;
	for (uint32_t i = 0; i < law->ncols; i++)
	{
		double	   *next = env->alloc(env->context, sizeof(double) * law->levels[i]);

		if (law->levels[i] == 0)
			return;				/* no column is so */
		for (uint64_t b = begun; b-- > 0;)
		{
			double		weight = share[b];

			if (b % 64 == 0)
				env->check(env->context);
			pegs_joint_row(i, law->levels, b, row);
			put_in_levels(law, i, mean_after(law, &moments, i, row), number(law->of[i].sd), next);
			for (uint32_t level = 0; level < law->levels[i]; level++)
				share[b * law->levels[i] + level] = weight * next[level];
		}
		begun *= law->levels[i];
		pegs_env_free(env, next);
	}
}
