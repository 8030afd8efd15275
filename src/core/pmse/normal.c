/*
 * normal.c
 *	  A chain of normal regressions over ordered columns: the tables that it
 *	  implies.
 *
 * Functions of parameters and declared levels. It must never see a count.
 */
#include "core/pmse/normal.h"

#include <math.h>

static const double LEAST_SD = 1e-4;	/* of what a column has besides another: rounding */

void
pegs_normal_begin(pegs_normal *law, uint32_t ncols, uint32_t *levels, const int32_t *nulls)
{
	*law = (pegs_normal) {.ncols = ncols, .levels = levels};
	for (uint32_t i = 0; i < ncols; i++)
	{
		bool		nullable = nulls && nulls[i] >= 0;

		law->null[i] = nullable ? (uint32_t) nulls[i] : levels[i];
		law->of[i] = (pegs_regressed) {.mean = PEGS_NORMAL_GRID / 2, .sd = PEGS_NORMAL_GRID / 4, .null = nullable ? PEGS_NORMAL_GRID / 16 : 0};
	}
}

uint64_t
pegs_normal_cells(uint32_t ncols, const uint32_t *levels)
{
	uint64_t	cells = 1;

	for (uint32_t i = 0; i < ncols && cells <= PEGS_NORMAL_CELLS; i++)
		cells *= levels[i];
	return cells <= PEGS_NORMAL_CELLS ? cells : PEGS_NORMAL_CELLS + 1;
}

static double
number(int32_t units)
{
	return (double) units / PEGS_NORMAL_GRID;
}

static bool
has_null(const pegs_normal *law, uint32_t column)
{
	return law->null[column] < law->levels[column];
}

/* The middle of a level that is not NULL. */
static double
middle(const pegs_normal *law, uint32_t column, uint32_t code)
{
	uint32_t	places = law->levels[column] - has_null(law, column);
	uint32_t	place = code - (code > law->null[column]);

	return (place + 0.5) / places;
}

static double
below(double x)
{
	return 0.5 * erfc(-x * M_SQRT1_2);
}

/* A normal law in the levels of a column. */
static void
put_in_levels(const pegs_normal *law, uint32_t column, double mean, double sd, double *share)
{
	uint32_t	places = law->levels[column] - has_null(law, column);
	double		rest = places == 0 ? 0 : 1 - number(law->of[column].null);
	double		before = 0;
	uint32_t	place = 0;

	for (uint32_t code = 0; code < law->levels[column]; code++)
	{
		double		after;

		if (code == law->null[column])
		{
			share[code] = 1 - rest;
			continue;
		}
		after = ++place == places ? 1 : below(((double) place / places - mean) / sd);
		share[code] = rest * fmax(0, after - before);
		before = after;
	}
}

void
pegs_normal_moments(const pegs_normal *law, pegs_moments *moments)
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
pegs_normal_share(const pegs_normal *law, const pegs_moments *moments, uint32_t column, double *share)
{
	put_in_levels(law, column, moments->mean[column], sqrt(moments->covariance[column][column]), share);
}

void
pegs_normal_given(const pegs_normal *law, const pegs_moments *moments, uint32_t x, uint32_t code, uint32_t y, double *share)
{
	double		covariance = moments->covariance[x][y];
	double		variance = moments->covariance[y][y];
	double		mean = moments->mean[y];

	variance -= covariance * covariance / moments->covariance[x][x];
	if (code != law->null[x])
		mean += covariance / moments->covariance[x][x] * (middle(law, x, code) - moments->mean[x]);
	put_in_levels(law, y, mean, fmax(sqrt(fmax(variance, 0)), LEAST_SD), share);
}

/* Where a column lies in rows that begin so. */
static double
mean_after(const pegs_normal *law, const pegs_moments *moments, uint32_t column, const uint16_t *row)
{
	double		mean = number(law->of[column].mean);

	for (uint32_t j = 0; j < column; j++)
	{
		double		x = row[j] == law->null[j] ? moments->mean[j] : middle(law, j, row[j]);

		mean += number(law->of[column].slope[j]) * (x - 0.5);
	}
	return mean;
}

/* Column by column, each beginning of a row becoming as many as the next column has levels: from the last one on, in place. */
void
pegs_normal_joint(const pegs_env *env, const pegs_normal *law, double *share)
{
	pegs_moments moments;
	uint16_t	row[PEGS_NORMAL_COLUMNS];
	uint64_t	begun = 1;

	pegs_normal_moments(law, &moments);
	share[0] = 1;
	for (uint32_t i = 0; i < law->ncols; i++)
	{
		double	   *next = env->alloc(env->context, sizeof(double) * law->levels[i]);

		for (uint64_t b = begun; b-- > 0;)
		{
			double		weight = share[b];

			if (b % 64 == 0)
				env->check(env->context);
			pegs_joint_row(i, law->levels, b, row);
			put_in_levels(law, i, mean_after(law, &moments, i, row), number(law->of[i].sd), next);
			for (uint32_t code = 0; code < law->levels[i]; code++)
				share[b * law->levels[i] + code] = weight * next[code];
		}
		begun *= law->levels[i];
		pegs_env_free(env, next);
	}
}
