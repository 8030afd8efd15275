/*
 * merge.c
 *	  Nested merging of a column's levels into classes.
 */
#include "core/column/merge.h"

#include <string.h>

/* Classes of a column while they are merged: those of one group stand beside each other. */
typedef struct classes
{
	uint32_t	n;
	double	   *mass;
	uint32_t   *start;			/* its first level */
	uint16_t   *group;			/* NULL: there are none */
} classes;

static bool
same_group(const classes *c, uint32_t a, uint32_t b)
{
	return c->group == NULL || c->group[a] == c->group[b];
}

/* The neighbour that a class joins is the lighter one: of its own group, where it has one there. It says which two become one: the first of them. */
static uint32_t
joins(const classes *c, uint32_t class)
{
	bool		left = class > 0;
	bool		right = class < c->n - 1;
	bool		own_left = left && same_group(c, class, class - 1);
	bool		own_right = right && same_group(c, class, class + 1);

	if (own_left || own_right)
	{
		left = own_left;
		right = own_right;
	}
	if (left && right)
		left = c->mass[class + 1] > c->mass[class - 1];
	return left ? class - 1 : class;
}

/* A class that was a whole group is of the other's group from then on. */
static void
join(classes *c, uint32_t into, uint32_t lightest)
{
	size_t		rest = c->n - into - 2;

	c->mass[into] += c->mass[into + 1];
	memmove(c->mass + into + 1, c->mass + into + 2, sizeof(double) * rest);
	memmove(c->start + into + 1, c->start + into + 2, sizeof(uint32_t) * rest);
	if (c->group)
	{
		if (lightest == into)
			c->group[into] = c->group[into + 1];
		memmove(c->group + into + 1, c->group + into + 2, sizeof(uint16_t) * rest);
	}
	c->n--;
}

void
pegs_merge_build(const pegs_env *env, pegs_merge *merge, uint32_t levels, const double *mass, const uint16_t *group)
{
	classes		c = {.n = levels, .mass = env->alloc(env->context, sizeof(double) * levels), .start = env->alloc(env->context, sizeof(uint32_t) * levels)};

	merge->levels = levels;
	merge->gone = env->alloc(env->context, sizeof(uint32_t) * levels);
	merge->lightest = env->alloc(env->context, sizeof(double) * (levels + 1));
	memcpy(c.mass, mass, sizeof(double) * levels);
	for (uint32_t i = 0; i < levels; i++)
		c.start[i] = i;
	if (group)
	{
		c.group = env->alloc(env->context, sizeof(uint16_t) * levels);
		memcpy(c.group, group, sizeof(uint16_t) * levels);
	}
	for (;;)
	{
		uint32_t	low = 0;
		uint32_t	into;

		env->check(env->context);
		for (uint32_t i = 1; i < c.n; i++)
			if (c.mass[i] < c.mass[low])
				low = i;
		merge->lightest[c.n] = c.mass[low];
		if (c.n == 1)
			break;
		into = joins(&c, low);
		merge->gone[c.start[into + 1]] = c.n - 1;
		join(&c, into, low);
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

uint32_t
pegs_merge_classes(const pegs_merge *merge, double least)
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
	uint32_t	x = pegs_merge_classes(a, least);
	uint32_t	y = pegs_merge_classes(b, least);

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
