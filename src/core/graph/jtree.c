/*
 * jtree.c
 *	  A junction tree over classes of the columns.
 */
#include "core/graph/jtree.h"

#include <math.h>
#include <string.h>

/* ---- maps ---- */

/* Index of every cell of a clique in a table over some of its columns, strides given per position. */
static uint32_t *
index_cells(const pegs_env *env, const pegs_jtree *tree, const pegs_clique *c, uint32_t *const *add)
{
	uint32_t   *map = env->alloc(env->context, sizeof(uint32_t) * c->cells);
	size_t		run = c->cells;
	size_t		period = 1;

	/* add[x][class]: what class of the x-th column adds to the index; NULL: nothing */
	for (uint32_t x = 0; x < c->n; x++)
	{
		uint32_t	classes = tree->classes[c->column[x]];

		run /= classes;
		if (add[x] && classes > 1)	/* one class adds nothing: a file may have cliques of 1,600 such columns */
		{
			env->check(env->context);
			for (size_t p = 0, at = 0; p < period; p++)
				for (uint32_t k = 0; k < classes; k++)
				{
					uint32_t	value = add[x][k];

					for (size_t r = 0; r < run; r++)
						map[at++] += value;
				}
		}
		period *= classes;
	}
	return map;
}

static uint32_t
position(const pegs_clique *c, uint32_t column)
{
	uint32_t	x = 0;

	while (x < c->n && c->column[x] != column)
		x++;
	return x;
}

/* Index in a table over columns[n] (all in the clique), last column fastest. */
uint32_t *
pegs_jtree_index(const pegs_env *env, const pegs_jtree *tree, const pegs_clique *c, uint32_t n, const uint32_t *columns)
{
	uint32_t  **add = env->alloc(env->context, sizeof(uint32_t *) * c->n);
	uint32_t	stride = 1;

	for (uint32_t s = n; s-- > 0;)
	{
		uint32_t	classes = tree->classes[columns[s]];
		uint32_t   *step = env->alloc(env->context, sizeof(uint32_t) * classes);

		for (uint32_t k = 0; k < classes; k++)
			step[k] = k * stride;
		add[position(c, columns[s])] = step;
		stride *= classes;
	}
	return index_cells(env, tree, c, add);
}

uint32_t *
pegs_jtree_map(const pegs_env *env, const pegs_jtree *tree, uint32_t clique, const pegs_target *target)
{
	const pegs_clique *c = &tree->clique[clique];
	uint32_t  **add = env->alloc(env->context, sizeof(uint32_t *) * c->n);
	uint32_t	stride = 1;

	for (uint32_t t = target->n; t-- > 0;)
	{
		uint32_t	classes = tree->classes[target->column[t]];
		uint32_t   *step = env->alloc(env->context, sizeof(uint32_t) * classes);

		for (uint32_t k = 0; k < classes; k++)
			step[k] = (target->coarse[t] ? target->coarse[t][k] : k) * stride;
		add[position(c, target->column[t])] = step;
		stride *= target->k[t];
	}
	return index_cells(env, tree, c, add);
}

int32_t
pegs_jtree_home(const pegs_jtree *tree, uint32_t n, const uint32_t *column)
{
	int32_t		best = -1;

	for (uint32_t i = 0; i < tree->nclique; i++)
	{
		const pegs_clique *c = &tree->clique[i];
		bool		all = true;

		for (uint32_t x = 0; x < n; x++)
			all &= position(c, column[x]) < c->n;
		if (all && (best < 0 || c->cells < tree->clique[best].cells))
			best = (int32_t) i;
	}
	return best;
}

/* ---- building ---- */

void
pegs_jtree_connect(const pegs_env *env, pegs_jtree *tree)
{
	for (uint32_t i = 0; i < tree->nclique; i++)
	{
		pegs_clique *c = &tree->clique[i];
		const pegs_clique *up;

		if (c->parent < 0)
			continue;
		env->check(env->context);
		up = &tree->clique[c->parent];
		c->nsep = 0;
		c->sep = env->alloc(env->context, sizeof(uint32_t) * c->n);
		c->sep_cells = 1;
		for (uint32_t x = 0; x < c->n; x++)
			if (position(up, c->column[x]) < up->n)
			{
				c->sep[c->nsep++] = c->column[x];
				c->sep_cells *= tree->classes[c->column[x]];
			}
		c->sep_of = pegs_jtree_index(env, tree, c, c->nsep, c->sep);
		c->parent_sep_of = pegs_jtree_index(env, tree, up, c->nsep, c->sep);
		c->sep_mu = env->alloc(env->context, sizeof(double) * c->sep_cells);
		for (size_t k = 0; k < c->cells; k++)
			c->sep_mu[c->sep_of[k]] += c->mu[k];
	}
}

void
pegs_jtree_build(const pegs_env *env, pegs_jtree *tree, const pegs_graph *graph,
				 const uint32_t *classes, double *const *one)
{
	uint32_t	m = graph->ncols;
	uint32_t	words = graph->words;
	uint64_t   *bits = env->alloc(env->context, sizeof(uint64_t) * words * (m + 1));
	double		cells;
	uint32_t	n = pegs_graph_eliminate(env, graph, classes, bits, &cells);
	bool	   *done = env->alloc(env->context, sizeof(bool) * n);
	double	   *best = env->alloc(env->context, sizeof(double) * n);
	int32_t    *parent = env->alloc(env->context, sizeof(int32_t) * n);
	int32_t    *place = env->alloc(env->context, sizeof(int32_t) * n);

	tree->ncols = m;
	tree->classes = env->alloc(env->context, sizeof(uint32_t) * m);
	memcpy(tree->classes, classes, sizeof(uint32_t) * m);
	tree->nclique = n;
	tree->clique = env->alloc(env->context, sizeof(pegs_clique) * n);
	for (uint32_t i = 0; i < n; i++)
	{
		best[i] = i == 0 ? 0 : -1;
		parent[i] = i == 0 ? -1 : 0;
	}
	/* Prim: always the clique that shares most with what is in the tree */
	for (uint32_t at = 0; at < n; at++)
	{
		pegs_clique *c = &tree->clique[at];
		uint32_t	next = UINT32_MAX;
		uint64_t   *row;

		env->check(env->context);
		for (uint32_t i = 0; i < n; i++)
			if (!done[i] && (next == UINT32_MAX || best[i] > best[next]))
				next = i;
		if (at == 0)
			next = 0;
		done[next] = true;
		place[next] = (int32_t) at;
		row = bits + (size_t) next * words;
		c->parent = parent[next] < 0 || at == 0 ? -1 : place[parent[next]];
		c->column = env->alloc(env->context, sizeof(uint32_t) * m);
		c->cells = 1;
		for (uint32_t q = 0; q < m; q++)
			if (row[q / 64] >> (q % 64) & 1)
			{
				c->column[c->n++] = q;
				c->cells *= classes[q];
			}
		for (uint32_t i = 0; i < n; i++)
		{
			double		shared = 0;

			for (uint32_t w = 0; w < words && !done[i]; w++)
				for (uint64_t both = row[w] & bits[(size_t) i * words + w]; both; both &= both - 1)
					shared += log((double) classes[w * 64 + (uint32_t) __builtin_ctzll(both)]) + 1e-9;
			if (!done[i] && shared > best[i])
			{
				best[i] = shared;
				parent[i] = (int32_t) next;
			}
		}
		/* the product of the shares */
		c->mu = env->alloc(env->context, sizeof(double) * c->cells);
		c->mu[0] = 1;
		for (uint32_t x = 0, have = 1; x < c->n; x++)
		{
			uint32_t	k = classes[c->column[x]];

			for (uint32_t i = have; i-- > 0;)
				for (uint32_t j = k; j-- > 0;)
					c->mu[(size_t) i * k + j] = c->mu[i] * one[c->column[x]][j];
			have *= k;
		}
	}
	pegs_jtree_connect(env, tree);
}

/* ---- fitting ---- */

void
pegs_jtree_push(pegs_jtree *tree, uint32_t child, bool up, double *scratch)
{
	pegs_clique *c = &tree->clique[child];
	pegs_clique *p = &tree->clique[c->parent];
	const pegs_clique *from = up ? c : p;
	pegs_clique *to = up ? p : c;
	const uint32_t *from_sep = up ? c->sep_of : c->parent_sep_of;
	const uint32_t *to_sep = up ? c->parent_sep_of : c->sep_of;

	memset(scratch, 0, sizeof(double) * c->sep_cells);
	for (size_t i = 0; i < from->cells; i++)
		scratch[from_sep[i]] += from->mu[i];
	for (size_t i = 0; i < c->sep_cells; i++)
	{
		double		new = scratch[i];

		scratch[i] = c->sep_mu[i] > 0 ? new / c->sep_mu[i] : 0;
		c->sep_mu[i] = new;
	}
	for (size_t i = 0; i < to->cells; i++)
		to->mu[i] *= scratch[to_sep[i]];
}

typedef struct goal
{
	uint32_t	clique;
	size_t		cells;
	uint32_t   *map;
	const double *share;
} goal;

static void
scale_to(pegs_clique *c, const goal *g, double *scratch)
{
	memset(scratch, 0, sizeof(double) * g->cells);
	for (size_t i = 0; i < c->cells; i++)
		scratch[g->map[i]] += c->mu[i];
	for (size_t i = 0; i < g->cells; i++)
		scratch[i] = g->share[i] / fmax(scratch[i], 1e-300);
	for (size_t i = 0; i < c->cells; i++)
		c->mu[i] *= scratch[g->map[i]];
}

typedef struct walker
{
	const pegs_env *env;
	pegs_jtree *tree;
	goal	   *goals;			/* by clique */
	uint32_t   *first;			/* [nclique + 1] */
	double	   *scratch;
} walker;

static void
scale_clique(walker *w, uint32_t i)
{
	uint32_t	n = w->first[i + 1] - w->first[i];

	for (int inner = 0; inner < (n > 1 ? 2 : 1); inner++)
		for (uint32_t g = w->first[i]; g < w->first[i + 1]; g++)
		{
			w->env->check(w->env->context);	/* a clique of two columns may have 2^26 cells */
			scale_to(&w->tree->clique[i], &w->goals[g], w->scratch);
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
	walker		w = {.env = env, .tree = tree};
	int32_t    *home = env->alloc(env->context, sizeof(int32_t) * (n + 1));
	size_t		widest = 1;

	w.goals = env->alloc(env->context, sizeof(goal) * (n + 1));
	w.first = env->alloc(env->context, sizeof(uint32_t) * (tree->nclique + 1));
	for (uint32_t t = 0; t < n; t++)
	{
		env->check(env->context);
		home[t] = pegs_jtree_home(tree, target[t].n, target[t].column);
	}
	for (uint32_t i = 0, g = 0; i < tree->nclique; i++)
	{
		for (uint32_t t = 0; t < n; t++)
			if (home[t] == (int32_t) i)
			{
				goal	   *x = &w.goals[g++];

				x->clique = i;
				x->cells = target[t].k[0] * (size_t) (target[t].n == 2 ? target[t].k[1] : 1);
				x->map = pegs_jtree_map(env, tree, i, &target[t]);
				x->share = target[t].share;
				if (x->cells > widest)
					widest = x->cells;
			}
		w.first[i + 1] = g;
		if (tree->clique[i].sep_cells > widest)
			widest = tree->clique[i].sep_cells;
	}
	w.scratch = env->alloc(env->context, sizeof(double) * widest);
	for (int s = 0; s < sweeps; s++)
		walk(&w);
	scale_clique(&w, 0);
	for (uint32_t i = 1; i < tree->nclique; i++)
		pegs_jtree_push(tree, i, false, w.scratch);
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

		memset(c->sep_mu, 0, sizeof(double) * c->sep_cells);
		for (size_t k = 0; k < c->cells; k++)
			c->sep_mu[c->sep_of[k]] += c->mu[k];
	}
}

/* ---- all pairs ---- */

typedef struct spread
{
	const pegs_env *env;
	const pegs_jtree *tree;
	uint32_t   *home;			/* [ncols] clique where a column's marginal is taken */
	uint32_t  **column_of;		/* [ncols] [cells of home] class of the column */
	double	  **j;				/* [nclique] joint with the class at hand */
	double	   *scratch;
	uint32_t	a;
	uint32_t	class;
	double	  **pair;

	/* the tree as seen from the home of `a` */
	uint32_t   *order;			/* [nclique] breadth first */
	int32_t    *from;			/* [nclique] the clique before it on the way; -1 for the start */
	uint32_t   *edge;			/* [nclique] child of the edge from there */
	bool	   *upwards;		/* [nclique] is that edge walked from child to parent? */
	bool	   *seen;
	bool	   *wanted;			/* [nclique] some column past `a` is at or behind it */
	uint32_t	last;			/* place in `order` of the last one that is wanted */
} spread;

static void
take_pairs(spread *s, uint32_t clique)
{
	const pegs_clique *c = &s->tree->clique[clique];

	for (uint32_t x = 0; x < c->n; x++)
	{
		uint32_t	b = c->column[x];
		double	   *out;

		if (b <= s->a || s->home[b] != clique)
			continue;
		out = s->pair[(size_t) s->a * s->tree->ncols + b] + (size_t) s->class * s->tree->classes[b];
		s->env->check(s->env->context);	/* a clique of two columns may have 2^26 cells */
		for (size_t i = 0; i < c->cells; i++)
			out[s->column_of[b][i]] += s->j[clique][i];
	}
}

/* From clique `from` across the edge of `child` to the other side. */
static void
across(spread *s, uint32_t child, bool up)
{
	const pegs_clique *c = &s->tree->clique[child];
	uint32_t	from = up ? child : (uint32_t) c->parent;
	uint32_t	to = up ? (uint32_t) c->parent : child;
	const uint32_t *from_sep = up ? c->sep_of : c->parent_sep_of;
	const uint32_t *to_sep = up ? c->parent_sep_of : c->sep_of;
	const pegs_clique *f = &s->tree->clique[from];
	const pegs_clique *t = &s->tree->clique[to];

	memset(s->scratch, 0, sizeof(double) * c->sep_cells);
	s->env->check(s->env->context);
	for (size_t i = 0; i < f->cells; i++)
		s->scratch[from_sep[i]] += s->j[from][i];
	for (size_t i = 0; i < c->sep_cells; i++)
		s->scratch[i] = c->sep_mu[i] > 0 ? s->scratch[i] / c->sep_mu[i] : 0;
	for (size_t i = 0; i < t->cells; i++)
		s->j[to][i] = t->mu[i] * s->scratch[to_sep[i]];
}

static void
walk_from(spread *s, uint32_t start)
{
	const pegs_jtree *tree = s->tree;

	memset(s->seen, 0, sizeof(bool) * tree->nclique);
	s->order[0] = start;
	s->from[start] = -1;
	s->seen[start] = true;
	for (uint32_t at = 0, end = 1; at < end; at++)
		for (uint32_t i = 0; i < tree->nclique; i++)
		{
			bool		is_child = tree->clique[i].parent == (int32_t) s->order[at];
			bool		is_parent = tree->clique[s->order[at]].parent == (int32_t) i;

			if (s->seen[i] || !(is_child || is_parent))
				continue;
			s->seen[i] = true;
			s->edge[i] = is_child ? i : s->order[at];
			s->upwards[i] = is_parent;
			s->from[i] = (int32_t) s->order[at];
			s->order[end++] = i;
		}
}

static void
mark_wanted(spread *s)
{
	uint32_t	n = s->tree->nclique;

	memset(s->wanted, 0, sizeof(bool) * n);
	for (uint32_t b = s->a + 1; b < s->tree->ncols; b++)
		s->wanted[s->home[b]] = true;
	for (uint32_t at = n; at-- > 1;)
		if (s->wanted[s->order[at]])
			s->wanted[s->from[s->order[at]]] = true;
	s->last = 0;
	for (uint32_t at = 0; at < n; at++)
		if (s->wanted[s->order[at]])
			s->last = at;
}

/* Column `a` with all columns past it: each of its classes is spread over the tree. */
static void
pairs_of(spread *s, uint32_t a)
{
	const pegs_jtree *tree = s->tree;
	uint32_t	start = s->home[a];
	const pegs_clique *c = &tree->clique[start];

	s->a = a;
	for (uint32_t b = a + 1; b < tree->ncols; b++)
		s->pair[(size_t) a * tree->ncols + b] = s->env->alloc(s->env->context,
															  sizeof(double) * tree->classes[a] * tree->classes[b]);
	walk_from(s, start);
	mark_wanted(s);
	for (uint32_t k = 0; k < tree->classes[a]; k++)
	{
		s->env->check(s->env->context);
		s->class = k;
		for (size_t i = 0; i < c->cells; i++)
			s->j[start][i] = s->column_of[a][i] == k ? c->mu[i] : 0;
		take_pairs(s, start);
		for (uint32_t at = 1; at <= s->last; at++)
			if (s->wanted[s->order[at]])
			{
				across(s, s->edge[s->order[at]], s->upwards[s->order[at]]);
				take_pairs(s, s->order[at]);
			}
	}
}

void
pegs_jtree_pairs(const pegs_env *env, const pegs_jtree *tree, double **pair)
{
	uint32_t	m = tree->ncols;
	uint32_t	n = tree->nclique;
	spread		s = {.env = env, .tree = tree, .pair = pair};
	size_t		widest = 1;

	s.order = env->alloc(env->context, sizeof(uint32_t) * n);
	s.edge = env->alloc(env->context, sizeof(uint32_t) * n);
	s.upwards = env->alloc(env->context, sizeof(bool) * n);
	s.from = env->alloc(env->context, sizeof(int32_t) * n);
	s.seen = env->alloc(env->context, sizeof(bool) * n);
	s.home = env->alloc(env->context, sizeof(uint32_t) * m);
	s.column_of = env->alloc(env->context, sizeof(uint32_t *) * m);
	s.j = env->alloc(env->context, sizeof(double *) * n);
	s.wanted = env->alloc(env->context, sizeof(bool) * n);
	for (uint32_t q = 0; q < m; q++)
	{
		s.home[q] = (uint32_t) pegs_jtree_home(tree, 1, &q);
		s.column_of[q] = pegs_jtree_index(env, tree, &tree->clique[s.home[q]], 1, &q);
	}
	for (uint32_t i = 0; i < n; i++)
	{
		s.j[i] = env->alloc(env->context, sizeof(double) * tree->clique[i].cells);
		if (tree->clique[i].sep_cells > widest)
			widest = tree->clique[i].sep_cells;
	}
	s.scratch = env->alloc(env->context, sizeof(double) * widest);
	for (uint32_t a = 0; a + 1 < m; a++)
		pairs_of(&s, a);
	for (uint32_t i = 0; i < n; i++)
		pegs_env_free(env, s.j[i]);
	for (uint32_t q = 0; q < m; q++)
		pegs_env_free(env, s.column_of[q]);
}
