/*
 * fitting.c
 *	  A junction tree that agrees with tables: iterative proportional fitting.
 *
 * The limit is the distribution of largest entropy that has those tables,
 * wherever it begins, as long as that place is one of largest entropy for some
 * of them. So a tree may begin where the last one of its shape ended. Reads
 * released numbers only.
 */
#include "core/graph/jtree.h"

#include <math.h>
#include <string.h>

static const double RESUMED = 1 - 0x1p-20;	/* the rest is the product of the shares: what was impossible need not stay so */

bool
pegs_jtree_resume(pegs_jtree *tree, const pegs_jtree *from)
{
	if (from->nclique != tree->nclique || memcmp(from->classes, tree->classes, sizeof(uint32_t) * tree->ncols) != 0)
		return false;
	for (uint32_t i = 0; i < tree->nclique; i++)
	{
		const pegs_clique *c = &tree->clique[i];
		const pegs_clique *x = &from->clique[i];

		if (x->n != c->n || x->parent != c->parent || memcmp(x->column, c->column, sizeof(uint32_t) * c->n) != 0)
			return false;
	}
	for (uint32_t i = 0; i < tree->nclique; i++)
	{
		pegs_clique *c = &tree->clique[i];

		for (size_t k = 0; k < c->cells; k++)
			c->mu[k] += RESUMED * (from->clique[i].mu[k] - c->mu[k]);
		for (size_t k = 0; c->parent >= 0 && k < c->sep_cells; k++)
			c->sep_mu[k] += RESUMED * (from->clique[i].sep_mu[k] - c->sep_mu[k]);
	}
	return true;
}

typedef struct goal
{
	uint32_t	clique;
	size_t		cells;
	uint32_t   *map;
	const double *share;
} goal;

/* Adds the clique up by the cells of a goal. */
static void
add_up(const pegs_clique *c, const goal *g, double *sum)
{
	memset(sum, 0, sizeof(double) * g->cells);
	for (size_t i = 0; i < c->cells; i++)
		sum[g->map[i]] += c->mu[i];
}

/*
 * Times the factor of its cell of one goal, added up by those of the next, in
 * one walk. Neighbours are often of one cell: an addition would wait for the
 * one before, so each cell has four sums.
 */
static void
scale_and_add_few(pegs_clique *c, const uint32_t *map, const double *factor, const goal *next, double *next_sum)
{
	double		lane[4 * PEGS_FEW_CELLS];
	const uint32_t *to = next->map;
	double	   *mu = c->mu;
	size_t		i = 0;

	memset(lane, 0, sizeof(double) * 4 * next->cells);
	for (; i + 4 <= c->cells; i += 4)
	{
		lane[4 * to[i]] += mu[i] *= factor[map[i]];
		lane[4 * to[i + 1] + 1] += mu[i + 1] *= factor[map[i + 1]];
		lane[4 * to[i + 2] + 2] += mu[i + 2] *= factor[map[i + 2]];
		lane[4 * to[i + 3] + 3] += mu[i + 3] *= factor[map[i + 3]];
	}
	for (; i < c->cells; i++)
		lane[4 * to[i]] += mu[i] *= factor[map[i]];
	for (size_t k = 0; k < next->cells; k++)
		next_sum[k] = lane[4 * k] + lane[4 * k + 1] + (lane[4 * k + 2] + lane[4 * k + 3]);
}

/* Scales the clique to a goal by whose cells it was added up, and adds it up by those of the next; NULL: there is none. */
static void
scale_to(pegs_clique *c, const goal *g, double *sum, const goal *next, double *next_sum)
{
	for (size_t i = 0; i < g->cells; i++)
		sum[i] = g->share[i] / fmax(sum[i], 1e-300);
	if (next && next->cells <= PEGS_FEW_CELLS)
	{
		scale_and_add_few(c, g->map, sum, next, next_sum);
		return;
	}
	for (size_t i = 0; i < c->cells; i++)
		c->mu[i] *= sum[g->map[i]];
	if (next)
		add_up(c, next, next_sum);
}

typedef struct walker
{
	const pegs_env *env;
	pegs_jtree *tree;
	goal	   *goals;			/* by clique */
	uint32_t   *first;			/* [nclique + 1] */
	size_t		widest;
	double	   *scratch;		/* [2 * widest] */
} walker;

static void
scale_clique(walker *w, uint32_t i)
{
	pegs_clique *c = &w->tree->clique[i];
	const goal *first = &w->goals[w->first[i]];
	uint32_t	n = w->first[i + 1] - w->first[i];
	uint32_t	steps = n > 1 ? 2 * n : n;
	double	   *sum = w->scratch;
	double	   *next_sum = w->scratch + w->widest;

	if (n > 0)
		add_up(c, first, sum);
	for (uint32_t s = 0; s < steps; s++)
	{
		double	   *was = sum;

		w->env->check(w->env->context);	/* a clique of two columns may have 2^26 cells */
		scale_to(c, &first[s % n], sum, s + 1 < steps ? &first[(s + 1) % n] : NULL, next_sum);
		sum = next_sum;
		next_sum = was;
	}
}

/* Depth first without recursion: cliques lie parents before children, so a stack of cliques is enough. */
static void
walk(walker *w)
{
	uint32_t	n = w->tree->nclique;
	uint32_t   *next = w->env->alloc(w->env->context, sizeof(uint32_t) * n);	/* child to look at next */
	uint32_t	at = 0;

	for (uint32_t i = 0; i < n; i++)
		next[i] = i + 1;
	scale_clique(w, 0);
	for (;;)
	{
		uint32_t	child = next[at];

		w->env->check(w->env->context);
		while (child < n && w->tree->clique[child].parent != (int32_t) at)
			child++;
		if (child < n)
		{
			next[at] = child + 1;
			pegs_jtree_push(w->tree, child, false, w->scratch);
			scale_clique(w, child);
			at = child;
		}
		else if (at == 0)
			break;
		else
		{
			pegs_jtree_push(w->tree, at, true, w->scratch);
			at = (uint32_t) w->tree->clique[at].parent;
		}
	}
}

void
pegs_jtree_fit(const pegs_env *env, pegs_jtree *tree, const pegs_target *target, uint32_t n, int sweeps)
{
	walker		w = {.env = env, .tree = tree, .widest = 1};
	int32_t    *home = env->alloc(env->context, sizeof(int32_t) * (n + 1));

	w.goals = env->alloc(env->context, sizeof(goal) * (n + 1));
	w.first = env->alloc(env->context, sizeof(uint32_t) * (tree->nclique + 1));
	for (uint32_t t = 0; t < n; t++)
	{
		env->check(env->context);
		home[t] = pegs_jtree_home(tree, target[t].n, target[t].column);
	}
	for (uint32_t i = 0, g = 0; i < tree->nclique; i++)
	{
		env->check(env->context);
		for (uint32_t t = 0; t < n; t++)
			if (home[t] == (int32_t) i)
			{
				goal	   *x = &w.goals[g++];

				x->clique = i;
				x->cells = 1;
				for (uint32_t y = 0; y < target[t].n; y++)
					x->cells *= target[t].k[y];
				x->map = pegs_jtree_map(env, tree, i, &target[t]);
				x->share = target[t].share;
				if (x->cells > w.widest)
					w.widest = x->cells;
			}
		w.first[i + 1] = g;
		if (tree->clique[i].sep_cells > w.widest)
			w.widest = tree->clique[i].sep_cells;
	}
	w.scratch = env->alloc(env->context, 2 * sizeof(double) * w.widest);
	for (int s = 0; s < sweeps; s++)
		walk(&w);
	if (tree->nclique > 1)
		scale_clique(&w, 0);	/* a clique alone was all of the walk */
	for (uint32_t i = 1; i < tree->nclique; i++)
	{
		env->check(env->context);
		pegs_jtree_push(tree, i, false, w.scratch);
	}
	for (uint32_t i = 0; i < tree->nclique; i++)
	{
		pegs_clique *c = &tree->clique[i];
		double		sum = 0;

		env->check(env->context);
		for (size_t k = 0; k < c->cells; k++)
			sum += c->mu[k];
		for (size_t k = 0; k < c->cells; k++)
			c->mu[k] = sum > 0 ? c->mu[k] / sum : 1.0 / (double) c->cells;
	}
	for (uint32_t g = 0; g < w.first[tree->nclique]; g++)
		pegs_env_free(env, w.goals[g].map);
	/* the separators' messages are those of the normalised tables */
	for (uint32_t i = 1; i < tree->nclique; i++)
	{
		pegs_clique *c = &tree->clique[i];

		env->check(env->context);
		memset(c->sep_mu, 0, sizeof(double) * c->sep_cells);
		for (size_t k = 0; k < c->cells; k++)
			c->sep_mu[c->sep_of[k]] += c->mu[k];
	}
}
