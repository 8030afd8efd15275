/*
 * ranked.c
 *	  Rows of which the columns of low ranks are known.
 *
 * The tree was triangulated highest rank first. Backwards that is an order in
 * which each column needs those of its clique that are known by then, and none
 * of a higher rank: a batch of rows with all kinds of known columns is drawn at
 * once, without a message along the tree. Claim P36.
 */
#include "core/graph/draw.h"

#include <string.h>

/* Columns that are one clique of the tree have an edge. */
static void
graph_of_tree(const pegs_env *env, const pegs_fitted *model, pegs_graph *graph)
{
	const pegs_jtree *tree = &model->tree;

	pegs_graph_init(env, graph, tree->ncols);
	graph->rank = model->rank;
	for (uint32_t i = 0; i < tree->nclique; i++)
		for (uint32_t x = 0; x < tree->clique[i].n; x++)
			for (uint32_t y = 0; y < x; y++)
				pegs_graph_join(graph, tree->clique[i].column[x], tree->clique[i].column[y]);
}

/* Walks the columns, low ranks first; step NULL: only asks whether each has a clique with those that it needs. */
static bool
walk_columns(const pegs_env *env, const pegs_fitted *model, pegs_draw_step *step)
{
	uint32_t	m = model->ncols;
	uint32_t   *order = env->alloc(env->context, sizeof(uint32_t) * m);
	bool	   *known = env->alloc(env->context, sizeof(bool) * m);
	uint32_t   *columns = env->alloc(env->context, sizeof(uint32_t) * m);
	uint64_t   *cliques;
	double		cells;
	pegs_graph	graph;

	graph_of_tree(env, model, &graph);
	cliques = env->alloc(env->context, sizeof(uint64_t) * (m + 1) * graph.words);
	(void) pegs_graph_eliminate(env, &graph, model->tree.classes, cliques, &cells, order);
	for (uint32_t i = 0; i < m; i++)
	{
		uint32_t	v = order[m - 1 - i];
		uint32_t	n = 0;
		int32_t		home;

		env->check(env->context);
		/* a column of one class says nothing, and needs nothing */
		for (uint32_t a = 0; a < m && model->tree.classes[v] > 1; a++)
			if (known[a] && model->tree.classes[a] > 1 && pegs_graph_joined(&graph, v, a))
				columns[n++] = a;
		columns[n++] = v;
		known[v] = true;
		home = pegs_jtree_home(&model->tree, n, columns);
		if (home < 0)
			return false;
		if (step)
			pegs_draw_build_step(env, &model->tree, &model->tree.clique[home], n, columns, &step[i]);
	}
	return true;
}

bool
pegs_ranks_hold(const pegs_env *env, const pegs_fitted *model)
{
	return walk_columns(env, model, NULL);
}

pegs_status
pegs_draw_ranked(const pegs_env *env, const pegs_fitted *model, pegs_draw *draw)
{
	uint32_t	m = model->ncols;

	draw->ncols = m;
	draw->model = model;
	draw->step = env->alloc(env->context, sizeof(pegs_draw_step) * m);
	draw->level = env->alloc(env->context, sizeof(pegs_draw_level) * m);
	draw->class = env->alloc(env->context, sizeof(uint16_t) * m);
	for (uint32_t i = 0; i < m; i++)
	{
		pegs_draw_build_level(env, model, i, &draw->level[i]);
		draw->level[i].fixed = -1;
	}
	return walk_columns(env, model, draw->step) ? PEGS_OK : PEGS_ERR_FORMAT;
}

void
pegs_draw_needs(const pegs_draw *draw, const pegs_absence *absence, bool *wanted)
{
	for (uint32_t i = draw->ncols; i-- > 0;)
	{
		const pegs_draw_step *step = &draw->step[i];

		if (!wanted[step->column])
			continue;
		for (uint32_t g = 0; g < step->ngiven; g++)
			wanted[step->given[g]] = true;
		if (absence && absence[step->column].level >= 0)
			wanted[absence[step->column].says] = true;
	}
}

/* One column of a batch: what is at hand. */
typedef struct column
{
	const pegs_draw *draw;
	const pegs_draw_step *step;
	const pegs_draw_level *level;
	uint32_t	absent;			/* 1: its last level is not for the rows at hand */
	uint32_t	n;
	uint32_t   *row;			/* [n] rows at hand */
	uint16_t   *out;			/* [n] */
	double	   *share;			/* [classes] */
} column;

/* Classes of the rows at hand, whose keys are known. */
static void
draw_classes(pegs_batch *b, const column *c)
{
	uint32_t	classes = c->step->alias.n;
	uint32_t	last = c->level->start[classes] - c->level->start[classes - 1];
	uint32_t	k = classes - (c->absent == 1 && last == 1 && classes > 1);

	if (classes == 1)
	{
		memset(c->out, 0, sizeof(uint16_t) * c->n);
		return;
	}
	b->n = c->n;
	pegs_batch_sort(b, c->step->keys);
	for (uint32_t key = 0; key < c->step->keys; key++)
	{
		const double *p = c->step->table + (size_t) key * classes;
		double		total = 0;

		if (b->first[key] == b->first[key + 1])
			continue;
		for (uint32_t i = 0; i < k; i++)
			total += p[i];
		pegs_batch_apportion(b, key, k, total > 0 ? p : c->share, 0, c->out);
	}
}

/* And their levels, in place of their classes. */
static void
draw_levels(pegs_batch *b, const column *c)
{
	const pegs_draw_level *level = c->level;

	if (level->classes == c->draw->model->levels[c->step->column])
		return;					/* each level is a class */
	for (uint32_t r = 0; r < c->n; r++)
		b->key[r] = c->out[r];
	b->n = c->n;
	pegs_batch_sort(b, level->classes);
	for (uint32_t k = 0; k < level->classes; k++)
	{
		uint32_t	from = level->start[k];
		uint32_t	width = level->start[k + 1] - from;

		if (k + 1 == level->classes && width > 1)
			width -= c->absent;
		pegs_batch_apportion(b, k, width, level->share + from, from, c->out);
	}
}

/* Rows that have the column; in the others it is absent. */
static void
rows_at_hand(column *c, const pegs_absence *absence, uint32_t n, uint16_t **codes)
{
	const uint16_t *says = absence && absence->level >= 0 ? codes[absence->says] : NULL;
	uint16_t   *own = codes[c->step->column];

	c->n = 0;
	c->absent = says != NULL;
	for (uint32_t r = 0; r < n; r++)
		if (says && (says[r] < 1 || says[r] >= absence->limit))
			own[r] = (uint16_t) absence->level;
		else
			c->row[c->n++] = r;
}

void
pegs_draw_batch_from(const pegs_env *env, const pegs_draw *draw, pegs_rng *rng, uint32_t rank, const bool *wanted,
					 const pegs_absence *absence, uint32_t n, uint16_t **codes)
{
	const pegs_fitted *model = draw->model;
	uint32_t	widest = 1;
	uint32_t	classes = 1;
	pegs_batch	b;
	column		c = {.draw = draw};

	for (uint32_t i = 0; i < draw->ncols; i++)
	{
		if (draw->step[i].keys > widest)
			widest = draw->step[i].keys;
		if (draw->level[i].classes > classes)
			classes = draw->level[i].classes;
	}
	pegs_batch_init(env, &b, rng, n, widest > classes ? widest : classes);
	c.row = env->alloc(env->context, sizeof(uint32_t) * n);
	c.out = env->alloc(env->context, sizeof(uint16_t) * n);
	c.share = env->alloc(env->context, sizeof(double) * classes);
	for (uint32_t i = 0; i < draw->ncols; i++)
	{
		uint32_t	v = draw->step[i].column;

		if ((model->rank && model->rank[v] < rank) || (wanted && !wanted[v]))
			continue;
		env->check(env->context);
		c.step = &draw->step[i];
		c.level = &draw->level[v];
		rows_at_hand(&c, absence ? &absence[v] : NULL, n, codes);
		memset(c.share, 0, sizeof(double) * c.level->classes);
		for (uint32_t l = 0; l < model->levels[v] - c.absent; l++)
			c.share[model->class_of[v][l]] += model->share[v][l];
		memset(b.key, 0, sizeof(uint32_t) * n);
		for (uint32_t g = 0; g < c.step->ngiven; g++)
		{
			uint32_t	a = c.step->given[g];

			for (uint32_t r = 0; r < c.n; r++)
				b.key[r] += model->class_of[a][codes[a][c.row[r]]] * c.step->stride[g];
		}
		draw_classes(&b, &c);
		draw_levels(&b, &c);
		for (uint32_t r = 0; r < c.n; r++)
			codes[v][c.row[r]] = c.out[r];
	}
}
