/*
 * sort.c
 *	  Numbers in order, however many: stops when asked to.
 *
 * The library's qsort cannot be left half way, and takes ten seconds for the
 * cells of the largest table. So parts of that size are left to insertion, and
 * merged from one array into the other and back.
 */
#include "core/sort.h"

#include <string.h>

#define PART 16					/* sorted by insertion */
#define BETWEEN 65536			/* numbers between two questions whether to stop */

static void
insert_each(double *values, size_t n)
{
	for (size_t i = 1; i < n; i++)
	{
		double		value = values[i];
		size_t		at = i;

		for (; at > 0 && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
}

/* Two sorted runs, from[start, middle) and from[middle, end), into one. */
static void
merge(const pegs_env *env, const double *from, size_t start, size_t middle, size_t end, double *to)
{
	size_t		a = start;
	size_t		b = middle;

	for (size_t i = start; i < end; i++)
	{
		to[i] = a < middle && (b == end || from[a] <= from[b]) ? from[a++] : from[b++];
		if (i % BETWEEN == BETWEEN - 1)
			env->check(env->context);
	}
}

void
pegs_sort(const pegs_env *env, double *values, size_t n, double *scratch)
{
	double	   *from = values;
	double	   *to = scratch;

	for (size_t at = 0; at < n; at += PART)
	{
		insert_each(values + at, n - at < PART ? n - at : PART);
		if (at % BETWEEN == BETWEEN - PART)
			env->check(env->context);
	}
	for (size_t run = PART; run < n; run *= 2)
	{
		double	   *other = from;

		for (size_t at = 0; at < n; at += 2 * run)
		{
			size_t		end = n - at < 2 * run ? n : at + 2 * run;

			merge(env, from, at, end - at < run ? end : at + run, end, to);
		}
		from = to;
		to = other;
	}
	if (from != values)
		memcpy(values, from, sizeof(double) * n);
}
