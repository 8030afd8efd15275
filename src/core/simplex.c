/*
 * simplex.c
 *	  Noisy numbers to the nearest ones that a table could have.
 *
 * Post-processing: reads released numbers only.
 */
#include "core/simplex.h"

#include <math.h>

#include "core/sort.h"

#define BETWEEN 65536			/* numbers between two questions whether to stop */
#define TURNS 64
#define ROUNDING 1e-6			/* of the mean: far more than a sum of 2^26 numbers is off */

/* What may lie above the shift: were it of all of these, it would be no less. */
static double
least_of(const pegs_env *env, const double *y, size_t n, double total)
{
	double		sum = 0;
	double		size = total;

	for (size_t i = 0; i < n; i++)
	{
		sum += y[i];
		size += y[i] < 0 ? -y[i] : y[i];
		if (i % BETWEEN == BETWEEN - 1)
			env->check(env->context);
	}
	return (sum - total - ROUNDING * size) / (double) n;
}

/* Those of y that are no less, in their order; kept: NULL, or y itself, or room for as many as there are. */
static size_t
keep(const pegs_env *env, const double *y, size_t n, double least, double *kept)
{
	size_t		many = 0;

	for (size_t i = 0; i < n; i++)
	{
		double		number = y[i];

		if (i % BETWEEN == BETWEEN - 1)
			env->check(env->context);
		if (!(number >= least))
			continue;
		if (kept)
			kept[many] = number;
		many++;
	}
	return many;
}

/*
 * Keeps what may lie above the shift: what is below goes, and the shift of the
 * rest is higher, and so on (Michelot 1986). The shift itself is found among
 * sorted numbers, which are few then, and is the same to the bit. Memory is
 * taken for those that are left after the first turn.
 */
static size_t
keep_large(const pegs_env *env, const double *all, size_t n, double total, double **large)
{
	double		least = least_of(env, all, n, total);
	size_t		kept = keep(env, all, n, least, NULL);
	double	   *y;

	if (kept == 0)
	{
		least = -INFINITY;
		kept = n;
	}
	*large = y = env->alloc(env->context, sizeof(double) * kept);
	n = keep(env, all, n, least, y);
	for (int turn = 0; turn < TURNS; turn++)
	{
		kept = keep(env, y, n, least_of(env, y, n, total), y);
		if (kept == n || kept == 0)
			break;
		n = kept;
	}
	return n;
}

void
pegs_project_simplex(const pegs_env *env, double *y, size_t n, double total)
{
	double	   *sorted;
	double	   *scratch;
	size_t		large = keep_large(env, y, n, total, &sorted);
	double		sum = 0;
	double		shift = 0;
	double		kept = 0;

	scratch = env->alloc(env->context, sizeof(double) * large);
	pegs_sort(env, sorted, large, scratch);
	pegs_env_free(env, scratch);
	for (size_t i = 0; i < large; i++)
	{
		double		largest = sorted[large - 1 - i];

		sum += largest;
		if (largest - (sum - total) / (double) (i + 1) <= 0)
			break;
		shift = (sum - total) / (double) (i + 1);
	}
	pegs_env_free(env, sorted);
	env->check(env->context);
	for (size_t i = 0; i < n; i++)
	{
		if (i % BETWEEN == BETWEEN - 1)
			env->check(env->context);
		y[i] = y[i] > shift ? y[i] - shift : 0;
		kept += y[i];
	}
	env->check(env->context);
	for (size_t i = 0; i < n; i++)
	{
		if (i % BETWEEN == BETWEEN - 1)
			env->check(env->context);
		y[i] = kept > 0 ? y[i] * (total / kept) : total / (double) n;
	}
}
