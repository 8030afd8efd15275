/*
 * merge.c
 *	  Nested merging of a column's levels into classes.
 */
#include "core/graph/merge.h"

#include <string.h>

void
pegs_merge_build(const pegs_env *env, pegs_merge *merge, uint32_t levels, const double *mass)
{
	double	   *m = env->alloc(env->context, sizeof(double) * levels);
	uint32_t   *start = env->alloc(env->context, sizeof(uint32_t) * levels);
	uint32_t	n = levels;

	merge->levels = levels;
	merge->gone = env->alloc(env->context, sizeof(uint32_t) * levels);
	merge->lightest = env->alloc(env->context, sizeof(double) * (levels + 1));
	memcpy(m, mass, sizeof(double) * levels);
	for (uint32_t i = 0; i < levels; i++)
		start[i] = i;
	for (;;)
	{
		uint32_t	low = 0;
		uint32_t	into;

		env->check(env->context);
		for (uint32_t i = 1; i < n; i++)
			if (m[i] < m[low])
				low = i;
		merge->lightest[n] = m[low];
		if (n == 1)
			break;
		if (low == 0)
			into = 0;
		else if (low == n - 1)
			into = low - 1;
		else
			into = m[low + 1] <= m[low - 1] ? low : low - 1;
		m[into] += m[into + 1];
		n--;
		merge->gone[start[into + 1]] = n;
		memmove(m + into + 1, m + into + 2, sizeof(double) * (n - into - 1));
		memmove(start + into + 1, start + into + 2, sizeof(uint32_t) * (n - into - 1));
	}
}

void
pegs_merge_cut(const pegs_merge *merge, uint32_t k, uint16_t *class_of)
{
	uint16_t	class = 0;

	class_of[0] = 0;
	for (uint32_t i = 1; i < merge->levels; i++)
	{
		class += merge->gone[i] < k;
		class_of[i] = class;
	}
}

static uint32_t
classes_of_at_least(const pegs_merge *merge, double least)
{
	uint32_t	k = merge->levels;

	while (k > 1 && merge->lightest[k] < least)
		k--;
	return k;
}

bool
pegs_merge_grid(const pegs_merge *a, const pegs_merge *b, double least, double cells,
				uint32_t *ka, uint32_t *kb)
{
	uint32_t	x = classes_of_at_least(a, least);
	uint32_t	y = classes_of_at_least(b, least);

	while ((double) x * y > cells && x > 1 && y > 1 && !(x == 2 && y == 2))
	{
		if ((a->lightest[x] <= b->lightest[y] && x > 2) || y <= 2)
			x--;
		else
			y--;
	}
	*ka = x;
	*kb = y;
	return x > 1 && y > 1;
}
