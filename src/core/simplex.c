/*
 * simplex.c
 *	  Noisy numbers to the nearest ones that a table could have.
 *
 * Post-processing: reads released numbers only.
 */
#include "core/simplex.h"

#include <string.h>

#include "core/sort.h"

#define BETWEEN 65536			/* numbers between two questions whether to stop */
#define TURNS 64
#define ROUNDING 1e-6			/* of the mean: far more than a sum of 2^26 numbers is off */

/*
 * Keeps what may lie above the shift: were it of all that is kept, it would be
 * less than it is, so what is below goes, and so on (Michelot 1986). The shift
 * itself is found among sorted numbers, which are few then, and is the same to the bit.
 */
static size_t
keep_large(const pegs_env *env, double *y, size_t n, double total)
{
	for (int turn = 0; turn < TURNS; turn++)
	{
		double		sum = 0;
		double		size = total;
		double		least;
		size_t		kept = 0;

		for (size_t i = 0; i < n; i++)
		{
			sum += y[i];
			size += y[i] < 0 ? -y[i] : y[i];
			if (i % BETWEEN == BETWEEN - 1)
				env->check(env->context);
		}
		least = (sum - total - ROUNDING * size) / (double) n;
		for (size_t i = 0; i < n; i++)
		{
			y[kept] = y[i];
			kept += y[i] >= least;
			if (i % BETWEEN == BETWEEN - 1)
				env->check(env->context);
		}
		if (kept == n || kept == 0)
			break;
		n = kept;
	}
	return n;
}

void
pegs_project_simplex(const pegs_env *env, double *y, size_t n, double total)
{
	double	   *sorted = env->alloc(env->context, sizeof(double) * n);
	double	   *scratch;
	size_t		large;
	double		sum = 0;
	double		shift = 0;
	double		kept = 0;

	memcpy(sorted, y, sizeof(double) * n);
	large = keep_large(env, sorted, n, total);
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
