/*
 * draw.c
 *	  Independent rows from a fitted forest.
 *
 * Each column is drawn given its parent in the forest. Conditioning on given
 * levels is one pass of messages from the leaves to the roots: the message of
 * a child is the probability of the evidence below it, per class of its
 * parent.
 */
#include "draw.h"

#include <string.h>

/* Vose's method; p need not sum to one, but must not be all zero. */
static void
build_alias(uint32_t n, const double *p, uint32_t *keep, uint16_t *other, uint32_t *stack, double *q)
{
	double		sum = 0;
	uint32_t	low = 0;
	uint32_t	high = n;

	for (uint32_t i = 0; i < n; i++)
		sum += p[i];
	for (uint32_t i = 0; i < n; i++)
	{
		q[i] = p[i] * n / sum;
		if (q[i] < 1)
			stack[low++] = i;
		else
			stack[--high] = i;
	}
	while (low > 0 && high < n)
	{
		uint32_t	small = stack[--low];
		uint32_t	large = stack[high];

		keep[small] = (uint32_t) (q[small] * 0x1p32 > 0xffffffff ? 0xffffffff : q[small] * 0x1p32);
		other[small] = (uint16_t) large;
		q[large] -= 1 - q[small];
		if (q[large] < 1)
		{
			high++;
			stack[low++] = large;
		}
	}
	while (low > 0)
	{
		/* only rounding can leave a small one here; an impossible level stays impossible */
		uint32_t	i = stack[--low];

		keep[i] = 0xffffffff;
		other[i] = (uint16_t) i;
		if (p[i] <= 0)
		{
			uint32_t	best = 0;

			for (uint32_t j = 1; j < n; j++)
				if (p[j] > p[best])
					best = j;
			keep[i] = 0;
			other[i] = (uint16_t) best;
		}
	}
	for (; high < n; high++)
	{
		keep[stack[high]] = 0xffffffff;
		other[stack[high]] = (uint16_t) stack[high];
	}
}

/* A rooted edge: the pair seen from the child. */
typedef struct edge
{
	int32_t		pair;			/* -1: a root */
	bool		child_is_a;
} edge;

/* share of (parent class, child class), whichever way round the pair lies */
static inline double
joint(const pegs_pair *pair, bool child_is_a, uint32_t parent_class, uint32_t child_class)
{
	return child_is_a ? pair->share[(size_t) child_class * pair->kb + parent_class]
		: pair->share[(size_t) parent_class * pair->kb + child_class];
}

pegs_status
pegs_draw_init(const pegs_env *env, const pegs_forest *forest, const int32_t *given, pegs_draw *draw)
{
	uint32_t	m = forest->ncols;
	uint32_t   *order = env->alloc(env->context, sizeof(uint32_t) * m);
	bool	   *seen = env->alloc(env->context, sizeof(bool) * m);
	edge	   *up = env->alloc(env->context, sizeof(edge) * m);
	double	  **evidence = env->alloc(env->context, sizeof(double *) * m);
	uint32_t	widest = 0;
	uint32_t	n = 0;
	uint32_t   *stack;
	double	   *q;
	double	   *w;

	/* breadth first from every root */
	for (uint32_t root = 0; root < m; root++)
	{
		if (seen[root])
			continue;
		seen[root] = true;
		up[root].pair = -1;
		order[n++] = root;
		for (uint32_t at = n - 1; at < n; at++)
			for (uint32_t p = 0; p < forest->npairs; p++)
			{
				const pegs_pair *pair = &forest->pair[p];
				uint32_t	child = pair->a == order[at] ? pair->b : pair->a;

				if ((pair->a != order[at] && pair->b != order[at]) || seen[child])
					continue;
				seen[child] = true;
				up[child].pair = (int32_t) p;
				up[child].child_is_a = pair->a == child;
				order[n++] = child;
			}
	}
	/* evidence[column][level]: probability of what is given at and below it */
	for (uint32_t i = 0; i < m; i++)
	{
		uint32_t	levels = forest->levels[i];

		evidence[i] = env->alloc(env->context, sizeof(double) * levels);
		for (uint32_t j = 0; j < levels; j++)
			evidence[i][j] = !given || given[i] < 0 || (uint32_t) given[i] == j;
		if (levels > widest)
			widest = levels;
	}
	stack = env->alloc(env->context, sizeof(uint32_t) * widest);
	q = env->alloc(env->context, sizeof(double) * widest);
	w = env->alloc(env->context, sizeof(double) * widest);
	draw->ncols = m;
	draw->step = env->alloc(env->context, sizeof(pegs_draw_step) * m);
	for (uint32_t at = m; at-- > 0;)
	{
		uint32_t	c = order[at];
		uint32_t	levels = forest->levels[c];
		pegs_draw_step *step = &draw->step[at];
		const pegs_pair *pair = up[c].pair < 0 ? NULL : &forest->pair[up[c].pair];
		bool		is_a = up[c].child_is_a;
		uint32_t	nclasses = pair ? (is_a ? pair->kb : pair->ka) : 1;
		const uint16_t *own = pair ? (is_a ? pair->class_a : pair->class_b) : NULL;
		uint32_t	nown = pair ? (is_a ? pair->ka : pair->kb) : 1;
		double	   *own_share = env->alloc(env->context, sizeof(double) * nown);
		double	   *message = env->alloc(env->context, sizeof(double) * nclasses);

		env->check(env->context);
		step->column = c;
		step->parent = pair ? (int32_t) (is_a ? pair->b : pair->a) : -1;
		step->class_of = pair ? (is_a ? pair->class_b : pair->class_a) : NULL;
		step->alias.n = levels;
		step->alias.keep = env->alloc(env->context, sizeof(uint32_t) * levels * nclasses);
		step->alias.other = env->alloc(env->context, sizeof(uint16_t) * levels * nclasses);
		for (uint32_t j = 0; j < levels; j++)
			own_share[own ? own[j] : 0] += forest->share[c][j];
		for (uint32_t k = 0; k < nclasses; k++)
		{
			double		all = 0;

			for (uint32_t j = 0; j < levels; j++)
			{
				uint32_t	class = own ? own[j] : 0;
				double		p = own_share[class] > 0 ? forest->share[c][j] / own_share[class] : 0;

				if (pair)
					p *= joint(pair, is_a, k, class);
				all += p;
				w[j] = p * evidence[c][j];
				message[k] += w[j];
			}
			if (message[k] > 0)
				build_alias(levels, w, step->alias.keep + (size_t) k * levels,
							step->alias.other + (size_t) k * levels, stack, q);
			message[k] = all > 0 ? message[k] / all : 0;
		}
		if (pair == NULL && message[0] <= 0)
			return PEGS_ERR_RANGE;
		for (uint32_t j = 0; pair && j < forest->levels[step->parent]; j++)
			evidence[step->parent][j] *= message[step->class_of[j]];
	}
	return PEGS_OK;
}
