/*
 * engine_measures.c
 *	  The measures of bench/engine: rows that were made beside the table itself.
 */
#include "engine.h"
#include "world.h"

#include "core/compare/propensity.h"
#include "core/compare/regression.h"

#include <math.h>
#include <stdlib.h>

#define TRIPLES 300
#define MOST_COLUMNS 60			/* for a model of all columns */
#define MOST_LEVELS 10			/* of a factor of the regression: of a column that has more the code is a number */

/* Total variation of k columns' tables. */
static double
variation(const table *t, uint16_t *const *made, uint32_t k, const uint32_t *column)
{
	size_t		cells = 1;
	int32_t    *count;
	double		sum = 0;

	for (uint32_t x = 0; x < k; x++)
		cells *= t->levels[column[x]];
	count = calloc(cells, sizeof(int32_t));
	for (uint32_t r = 0; r < t->n; r++)
	{
		size_t		real = 0;
		size_t		other = 0;

		for (uint32_t x = 0; x < k; x++)
		{
			real = real * t->levels[column[x]] + t->code[column[x]][r];
			other = other * t->levels[column[x]] + made[column[x]][r];
		}
		count[real]++;
		count[other]--;
	}
	for (size_t i = 0; i < cells; i++)
		sum += abs(count[i]);
	free(count);
	return sum / (2.0 * t->n);
}

static void
measure_pairs(const table *t, uint16_t *const *made, measures *sum)
{
	double		worst = 0;

	for (uint32_t a = 0; a < t->m; a++)
		for (uint32_t b = a + 1; b < t->m; b++)
		{
			double		v = variation(t, made, 2, (uint32_t[]) {a, b});

			sum->pairs += v / (t->m * (t->m - 1.0) / 2);
			worst = fmax(worst, v);
			if (a == t->target || b == t->target)
				sum->with_target += v / (t->m - 1);
		}
	sum->worst += worst;
}

static void
measure_triples(const table *t, uint16_t *const *made, measures *sum)
{
	begin_uniform(20261120);
	for (int i = 0; i < TRIPLES;)
	{
		uint32_t	c[3];

		for (int x = 0; x < 3; x++)
			c[x] = (uint32_t) (t->m * uniform());
		if (c[0] < c[1] && c[1] < c[2])
		{
			sum->triples += variation(t, made, 3, c) / TRIPLES;
			i++;
		}
	}
}

/* Numbers are what a column's codes are. */
static double **
numbers_of(const pegs_env *env, const table *t, uint16_t *const *code)
{
	double	  **number = env->alloc(env->context, sizeof(double *) * t->m);

	for (uint32_t i = 0; i < t->m; i++)
	{
		if (t->levels[i] <= MOST_LEVELS)
			continue;
		number[i] = env->alloc(env->context, sizeof(double) * t->n);
		for (uint32_t r = 0; r < t->n; r++)
			number[i][r] = code[i][r];
	}
	return number;
}

/* What somebody would train: the target by all other columns. */
static void
measure_regression(const pegs_env *env, const table *t, const pegs_coded *real, const pegs_coded *other, measures *sum)
{
	static const bool positive[3] = {false, true};
	pegs_regression_term term[COLUMNS];
	pegs_regression_spec spec = {.kind = PEGS_REGRESSION_LOGISTIC, .target = t->target, .positive = positive, .terms = term};
	pegs_regression_result result;

	for (uint32_t i = 0; i < t->m; i++)
		if (i != t->target)
			term[spec.nterms++] = (pegs_regression_term) {.column = i, .numeric = t->levels[i] > MOST_LEVELS};
	if (t->target == t->m || pegs_regression_compare(env, real, other, &spec, &result) != PEGS_OK)
		sum->coefficients = NAN;
	else
		sum->coefficients += result.median;
}

void
measure_rows(const pegs_env *env, const table *t, uint16_t *const *made, measures *sum)
{
	uint16_t   *code[2][COLUMNS];
	pegs_coded	coded[2];
	double		pmse;
	double		ratio = NAN;
	uint32_t	rank;

	measure_pairs(t, made, sum);
	measure_triples(t, made, sum);
	for (uint32_t i = 0; i < t->m; i++)
	{
		code[0][i] = t->code[i];
		code[1][i] = made[i];
	}
	for (int x = 0; x < 2; x++)
		coded[x] = (pegs_coded) {.ncols = t->m, .nrows = t->n, .levels = t->levels, .code = code[x], .number = numbers_of(env, t, code[x])};
	if (t->m > MOST_COLUMNS)
	{
		sum->propensity = sum->coefficients = NAN;
		return;
	}
	if (pegs_pmse_logit(env, &coded[0], &coded[1], &pmse, &ratio, &rank) != PEGS_OK)
		ratio = NAN;
	sum->propensity += ratio;
	measure_regression(env, t, &coded[0], &coded[1], sum);
}
