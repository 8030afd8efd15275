/*
 * numbers.c
 *	  A numeric column of both tables: mean, median, spread, zeros, and where the difference of the means comes from.
 */
#include "core/compare/numbers.h"

#include <math.h>
#include <string.h>

#include "core/sort.h"

#define ROWS_BETWEEN_CHECKS (1 << 16)

/* Of the values of one level. */
typedef struct part
{
	uint64_t	n;
	double		mean;
} part;

static double
number_or_nan(double value)
{
	return isfinite(value) ? value : NAN;
}

/* The middle of values in order. */
static double
middle(const double *value, uint64_t n)
{
	if (n == 0)
		return NAN;
	/* halves first: two large numbers have no sum */
	return n % 2 ? value[n / 2] : value[n / 2 - 1] / 2 + value[n / 2] / 2;
}

/* Means are kept as they run (Welford), so that sums of large numbers do not overflow where their mean does not. */
static void
summarize(const pegs_env *env, const pegs_coded *table, uint32_t column, pegs_number_summary *s, part *level)
{
	double	   *value = env->alloc(env->context, sizeof(double) * (table->nrows + 1));
	double	   *scratch = env->alloc(env->context, sizeof(double) * (table->nrows + 1));
	double		mean = 0;
	double		squares = 0;
	uint64_t	zeros = 0;
	uint64_t	n = 0;

	for (uint64_t r = 0; r < table->nrows; r++)
	{
		double		x = table->number[column][r];
		part	   *of = &level[table->code[column][r]];
		double		off = x - mean;

		if (r % ROWS_BETWEEN_CHECKS == 0)
			env->check(env->context);
		if (!isfinite(x))
			continue;
		value[n++] = x;
		zeros += x == 0;
		mean += off / (double) n;
		squares += off * (x - mean);
		of->n++;
		of->mean += (x - of->mean) / (double) of->n;
	}
	pegs_sort(env, value, n, scratch);
	s->n = n;
	s->mean = n > 0 ? number_or_nan(mean) : NAN;
	s->median = middle(value, n);
	s->sd = n > 1 ? number_or_nan(sqrt(squares / (double) (n - 1))) : NAN;
	s->zeros = n > 0 ? (double) zeros / (double) n : NAN;
	pegs_env_free(env, value);
	pegs_env_free(env, scratch);
}

/* Where the difference of the means comes from. */
static void
explain(pegs_numbers *numbers, const part *a, const part *b, uint32_t size)
{
	double		n = (double) numbers->original.n;
	double		m = (double) numbers->synthetic.n;
	double		mean = numbers->original.mean;
	double		most_inside = -1;
	double		most_shares = -1;
	uint32_t	of_inside = 0;
	uint32_t	of_shares = 0;

	numbers->inside = numbers->shares = NAN;
	if (isnan(mean) || isnan(numbers->synthetic.mean))
		return;
	numbers->inside = numbers->shares = 0;
	for (uint32_t i = 0; i < size; i++)
	{
		double		p = (double) a[i].n / n;
		double		q = (double) b[i].n / m;
		double		inside = a[i].n > 0 && b[i].n > 0 ? q * (b[i].mean - a[i].mean) : 0;
		double		shares = a[i].n > 0 ? (q - p) * (a[i].mean - mean) : q * (b[i].mean - mean);

		numbers->inside += inside;
		numbers->shares += shares;
		if (fabs(inside) > most_inside)
		{
			most_inside = fabs(inside);
			of_inside = i;
		}
		if (fabs(shares) > most_shares)
		{
			most_shares = fabs(shares);
			of_shares = i;
		}
	}
	numbers->worst = fabs(numbers->inside) > fabs(numbers->shares) ? of_inside : of_shares;
}

pegs_status
pegs_compare_numbers(const pegs_env *env, const pegs_coded *original, const pegs_coded *synthetic, uint32_t column,
					 pegs_numbers *numbers)
{
	uint32_t	size;
	part	   *a;
	part	   *b;

	memset(numbers, 0, sizeof(*numbers));
	if (column >= original->ncols || column >= synthetic->ncols || original->number == NULL || synthetic->number == NULL
		|| original->number[column] == NULL || synthetic->number[column] == NULL)
		return PEGS_ERR_ARGUMENT;
	if (original->levels[column] != synthetic->levels[column])
		return PEGS_ERR_MISMATCH;
	size = pegs_coded_size(original, column);
	a = env->alloc(env->context, sizeof(part) * size);
	b = env->alloc(env->context, sizeof(part) * size);
	summarize(env, original, column, &numbers->original, a);
	summarize(env, synthetic, column, &numbers->synthetic, b);
	explain(numbers, a, b, size);
	pegs_env_free(env, a);
	pegs_env_free(env, b);
	return PEGS_OK;
}
