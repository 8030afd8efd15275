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
	uint32_t	n = pegs_graph_eliminate(env, graph, classes, bits, &cells, NULL);
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

/* ---- messages ---- */

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

/* ---- all pairs ---- */

typedef double lanes __attribute__((vector_size(16), aligned(8), may_alias));	/* two at once: the same numbers on every machine */

#define PAIR_ROOM ((size_t) 1 << 19)	/* numbers of all messages, but that one class needs what it needs */

/*
 * The columns of one clique, their classes side by side in vectors: a message
 * along an edge is such a vector for each cell of the separator.
 */
typedef struct spread
{
	const pegs_env *env;
	const pegs_jtree *tree;
	double	  **pair;
	uint32_t   *home;			/* [ncols] clique where a column is looked at */
	uint32_t  **class_of;		/* [ncols] [cells of home] class of the column */
	double	  **message;		/* [nclique] by the edge on which the clique is entered: [separator][room] */
	double	   *table;			/* [classes of one column][room] */
	uint32_t	start;			/* whose columns they are */
	uint32_t	from;			/* the classes at hand, of all of its columns one after the other */
	uint32_t	to;
	uint32_t	room;

	/* the tree as seen from there */
	uint32_t   *order;			/* [nclique] breadth first */
	uint32_t   *edge;			/* [nclique] child of the edge on which a clique is entered */
	uint32_t   *before;			/* [nclique] the clique before it on the way */
	bool	   *seen;
	bool	   *wanted;			/* [nclique] columns of a later clique are at or behind it */
} spread;

/* The cells of a clique's separator on the edge of `child`, of which it is one end. */
static const uint32_t *
side_of(const pegs_jtree *tree, uint32_t clique, uint32_t child)
{
	return clique == child ? tree->clique[child].sep_of : tree->clique[child].parent_sep_of;
}

/* The clique's table times what came in, added up by `to`. */
static void
pass_on(const spread *s, uint32_t clique, const uint32_t *to, double *out)
{
	const pegs_clique *c = &s->tree->clique[clique];
	const double *in = s->message[clique];
	const uint32_t *at = side_of(s->tree, clique, s->edge[clique]);
	uint32_t	n = s->to - s->from;

	s->env->check(s->env->context);
	for (size_t i = 0; i < c->cells; i++)
	{
		double		mu = c->mu[i];
		const double *x = in + (size_t) at[i] * s->room;
		double	   *y = out + (size_t) to[i] * s->room;

		for (uint32_t k = 0; k < n; k += 2)
			*(lanes *) (y + k) += mu * *(const lanes *) (x + k);
	}
}

/* The same from where the columns are: what came in would be one for a cell's own classes. */
static void
begin(const spread *s, const uint32_t *to, double *out)
{
	const pegs_clique *c = &s->tree->clique[s->start];
	uint32_t	first = 0;

	for (uint32_t x = 0; x < c->n; x++)
	{
		uint32_t	a = c->column[x];

		if (s->home[a] != s->start)
			continue;
		s->env->check(s->env->context);
		for (size_t i = 0; i < c->cells; i++)
		{
			uint32_t	k = first + s->class_of[a][i];

			if (k >= s->from && k < s->to)
				out[(size_t) to[i] * s->room + k - s->from] += c->mu[i];
		}
		first += s->tree->classes[a];
	}
}

/* Column b of a clique past the start, with each of the start's. */
static void
take_pairs(spread *s, uint32_t b)
{
	const pegs_clique *c = &s->tree->clique[s->start];
	uint32_t	m = s->tree->ncols;
	uint32_t	kb = s->tree->classes[b];
	uint32_t	first = 0;

	memset(s->table, 0, sizeof(double) * kb * s->room);
	pass_on(s, s->home[b], s->class_of[b], s->table);
	for (uint32_t x = 0; x < c->n; x++)
	{
		uint32_t	a = c->column[x];
		double	   *out;

		if (s->home[a] != s->start)
			continue;
		out = s->pair[a < b ? (size_t) a * m + b : (size_t) b * m + a];
		for (uint32_t k = 0; k < s->tree->classes[a]; k++)
			for (uint32_t l = 0; l < kb && first + k >= s->from && first + k < s->to; l++)
				out[a < b ? (size_t) k * kb + l : (size_t) l * s->tree->classes[a] + k] = s->table[(size_t) l * s->room + first + k - s->from];
		first += s->tree->classes[a];
	}
}

/* Two columns of few classes: four sums of each cell, so that no addition waits for the one before. */
static void
few_inside(const pegs_clique *c, const uint32_t *class_a, const uint32_t *class_b, uint32_t ka, uint32_t kb, double *out)
{
	double		lane[4 * PEGS_FEW_CELLS] = {0};

	for (size_t i = 0; i < c->cells; i++)
		lane[4 * (class_a[i] * kb + class_b[i]) + i % 4] += c->mu[i];
	for (uint32_t k = 0; k < ka * kb; k++)
		out[k] = lane[4 * k] + lane[4 * k + 1] + (lane[4 * k + 2] + lane[4 * k + 3]);
}

/* Columns that have the same home. */
static void
pairs_inside(const spread *s)
{
	const pegs_clique *c = &s->tree->clique[s->start];

	for (uint32_t x = 0; x < c->n; x++)
		for (uint32_t y = x + 1; y < c->n; y++)
		{
			uint32_t	a = c->column[x];
			uint32_t	b = c->column[y];
			double	   *out = s->pair[(size_t) a * s->tree->ncols + b];

			if (s->home[a] != s->start || s->home[b] != s->start)
				continue;
			s->env->check(s->env->context);	/* a clique of two columns may have 2^26 cells */
			if ((size_t) s->tree->classes[a] * s->tree->classes[b] <= PEGS_FEW_CELLS)
				few_inside(c, s->class_of[a], s->class_of[b], s->tree->classes[a], s->tree->classes[b], out);
			else
				for (size_t i = 0; i < c->cells; i++)
					out[(size_t) s->class_of[a][i] * s->tree->classes[b] + s->class_of[b][i]] += c->mu[i];
		}
}

/* Breadth first; wanted is what leads to columns of later cliques. */
static void
walk_from(spread *s, uint32_t start)
{
	const pegs_jtree *tree = s->tree;

	memset(s->seen, 0, sizeof(bool) * tree->nclique);
	memset(s->wanted, 0, sizeof(bool) * tree->nclique);
	s->start = start;
	s->order[0] = start;
	s->seen[start] = true;
	for (uint32_t at = 0, end = 1; at < end; at++)
	{
		s->env->check(s->env->context);
		for (uint32_t i = 0; i < tree->nclique; i++)
		{
			bool		is_child = tree->clique[i].parent == (int32_t) s->order[at];

			if (s->seen[i] || !(is_child || tree->clique[s->order[at]].parent == (int32_t) i))
				continue;
			s->seen[i] = true;
			s->edge[i] = is_child ? i : s->order[at];
			s->before[i] = s->order[at];
			s->order[end++] = i;
		}
	}
	for (uint32_t b = 0; b < tree->ncols; b++)
		if (s->home[b] > start)
			s->wanted[s->home[b]] = true;
	for (uint32_t at = tree->nclique; at-- > 1;)
		if (s->wanted[s->order[at]])
			s->wanted[s->before[s->order[at]]] = true;
}

/* The classes at hand along the tree. */
static void
along(spread *s)
{
	const pegs_jtree *tree = s->tree;

	for (uint32_t at = 1; at < tree->nclique; at++)
	{
		uint32_t	clique = s->order[at];
		const pegs_clique *edge = &tree->clique[s->edge[clique]];
		const uint32_t *to = side_of(tree, s->before[clique], s->edge[clique]);
		double	   *out = s->message[clique];

		if (!s->wanted[clique])
			continue;
		memset(out, 0, sizeof(double) * edge->sep_cells * s->room);
		if (s->before[clique] == s->start)
			begin(s, to, out);
		else
			pass_on(s, s->before[clique], to, out);
		for (size_t i = 0; i < edge->sep_cells; i++)
		{
			double		part = edge->sep_mu[i] > 0 ? 1 / edge->sep_mu[i] : 0;

			for (uint32_t k = 0; k < s->room; k++)
				out[i * s->room + k] *= part;
		}
	}
	for (uint32_t b = 0; b < tree->ncols; b++)
		if (s->home[b] > s->start)
			take_pairs(s, b);
}

/* The columns of one clique with those of all later ones. */
static void
pairs_of(spread *s, uint32_t start)
{
	const pegs_jtree *tree = s->tree;
	const pegs_clique *c = &tree->clique[start];
	uint32_t	classes = 0;
	size_t		separators = 1;
	size_t		widest = 1;
	uint32_t	most;

	walk_from(s, start);
	pairs_inside(s);
	for (uint32_t x = 0; x < c->n; x++)
		if (s->home[c->column[x]] == start)
			classes += tree->classes[c->column[x]];
	if (classes == 0 || !s->wanted[start])
		return;
	for (uint32_t i = 0; i < tree->nclique; i++)
		if (i != start && s->wanted[i])
			separators += tree->clique[s->edge[i]].sep_cells;
	for (uint32_t b = 0; b < tree->ncols; b++)
		if (s->home[b] > start && tree->classes[b] > widest)
			widest = tree->classes[b];
	most = (uint32_t) (PAIR_ROOM / (separators + widest) / 2 * 2);
	s->room = (classes + 1) / 2 * 2;
	if (s->room > most)
		s->room = most < 2 ? 2 : most;
	for (uint32_t i = 0; i < tree->nclique; i++)
		if (i != start && s->wanted[i])
			s->message[i] = s->env->alloc(s->env->context, sizeof(double) * tree->clique[s->edge[i]].sep_cells * s->room);
	s->table = s->env->alloc(s->env->context, sizeof(double) * widest * s->room);
	for (s->from = 0; s->from < classes; s->from = s->to)
	{
		s->to = classes - s->from > s->room ? s->from + s->room : classes;
		along(s);
	}
	for (uint32_t i = 0; i < tree->nclique; i++)
		if (i != start && s->wanted[i])
			pegs_env_free(s->env, s->message[i]);
	pegs_env_free(s->env, s->table);
}

void
pegs_jtree_pairs(const pegs_env *env, const pegs_jtree *tree, double **pair)
{
	uint32_t	m = tree->ncols;
	uint32_t	n = tree->nclique;
	spread		s = {.env = env, .tree = tree, .pair = pair};

	s.order = env->alloc(env->context, sizeof(uint32_t) * n);
	s.edge = env->alloc(env->context, sizeof(uint32_t) * n);
	s.before = env->alloc(env->context, sizeof(uint32_t) * n);
	s.seen = env->alloc(env->context, sizeof(bool) * n);
	s.wanted = env->alloc(env->context, sizeof(bool) * n);
	s.message = env->alloc(env->context, sizeof(double *) * n);
	s.home = env->alloc(env->context, sizeof(uint32_t) * m);
	s.class_of = env->alloc(env->context, sizeof(uint32_t *) * m);
	for (uint32_t q = 0; q < m; q++)
	{
		env->check(env->context);
		s.home[q] = (uint32_t) pegs_jtree_home(tree, 1, &q);
		s.class_of[q] = pegs_jtree_index(env, tree, &tree->clique[s.home[q]], 1, &q);
		for (uint32_t b = q + 1; b < m; b++)
			pair[(size_t) q * m + b] = env->alloc(env->context, sizeof(double) * tree->classes[q] * tree->classes[b]);
	}
	for (uint32_t i = 0; i < n; i++)
		pairs_of(&s, i);
	for (uint32_t q = 0; q < m; q++)
		pegs_env_free(env, s.class_of[q]);
}
