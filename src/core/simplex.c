/*
 * simplex.c
 *	  Noisy numbers to the nearest ones that a table could have.
 *
 * Post-processing: reads released numbers only.
 */
#include "core/simplex.h"

#include <string.h>

#include "core/sort.h"

void
pegs_project_simplex(const pegs_env *env, double *y, size_t n, double total)
{
	double	   *sorted = env->alloc(env->context, 2 * sizeof(double) * n);
	double		sum = 0;
	double		shift = 0;
	double		kept = 0;

	memcpy(sorted, y, sizeof(double) * n);
	pegs_sort(env, sorted, n, sorted + n);
	for (size_t i = 0; i < n; i++)
	{
		double		largest = sorted[n - 1 - i];

		sum += largest;
		if (largest - (sum - total) / (double) (i + 1) <= 0)
			break;
		shift = (sum - total) / (double) (i + 1);
	}
	pegs_env_free(env, sorted);
	env->check(env->context);
	for (size_t i = 0; i < n; i++)
	{
		y[i] = y[i] > shift ? y[i] - shift : 0;
		kept += y[i];
	}
	env->check(env->context);
	for (size_t i = 0; i < n; i++)
		y[i] = kept > 0 ? y[i] * (total / kept) : total / (double) n;
}
