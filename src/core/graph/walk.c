/*
 * walk.c
 *	  A fitted model as bytes: the released numbers of the engine.
 */
#include "core/graph/walk.h"

#include "core/graph/draw.h"
#include "core/record.h"
#include "core/shares.h"

#include <math.h>
#include <string.h>

const pegs_purpose pegs_graph_purposes[PEGS_GRAPH_PURPOSES] = {PEGS_FOR_ONEWAY, PEGS_FOR_CHOICE, PEGS_FOR_PAIR};

/* A cut of levels into k contiguous classes. */
static void
cut(pegs_cursor *c, uint16_t **class_of, uint32_t levels, uint32_t k)
{
	pegs_u16s(c, class_of, levels);
	if (c->pass != PEGS_READ || c->status != PEGS_OK)
		return;
	for (uint32_t i = 0; i < levels; i++)
		if ((*class_of)[i] != (i == 0 ? 0 : (*class_of)[i - 1])
			&& (i == 0 || (*class_of)[i] != (*class_of)[i - 1] + 1))
			pegs_bad(c, PEGS_ERR_FORMAT);
	if (c->status == PEGS_OK && (uint32_t) (*class_of)[levels - 1] + 1 != k)
		pegs_bad(c, PEGS_ERR_FORMAT);
}

/* u32 a b ka kb  u32 outside  u32 times measured  f64 variance  u16 class_a[] class_b[]  f64 share[] */
static void
walk_pair(pegs_cursor *c, const pegs_fitted *model, bool siblings, pegs_pair *pair)
{
	uint32_t	outside = pair->outside;

	for (int x = 0; x < 2; x++)
		pegs_u32(c, &pair->column[x]);
	for (int x = 0; x < 2; x++)
		pegs_u32(c, &pair->k[x]);
	pegs_u32(c, &outside);
	pegs_u32(c, &pair->n);
	pegs_f64(c, &pair->variance);
	if (c->status != PEGS_OK)
		return;
	if (pair->column[0] >= pair->column[1] + siblings || pair->column[1] >= model->ncols || pair->k[0] < 1 || pair->k[1] < 1
		|| pair->k[0] > model->levels[pair->column[0]] || pair->k[1] > model->levels[pair->column[1]]
		|| outside > 1 || !(pair->variance > 0))
	{
		pegs_bad(c, PEGS_ERR_FORMAT);
		return;
	}
	pair->outside = outside == 1;
	for (int x = 0; x < 2; x++)
		cut(c, &pair->class_of[x], model->levels[pair->column[x]], pair->k[x]);
	pegs_shares_walk(c, &pair->share, (uint64_t) pair->k[0] * pair->k[1], false);
}

/* u32 columns  u32 parent + 1  u32 column[]  f64 mu[]; cliques before it are known. */
static void
walk_clique(pegs_cursor *c, const pegs_jtree *tree, uint32_t number)
{
	pegs_clique *clique = &tree->clique[number];
	uint32_t	parent = (uint32_t) (clique->parent + 1);
	double		cells = 1;

	pegs_u32(c, &clique->n);
	pegs_u32(c, &parent);
	if (c->status == PEGS_OK && (clique->n < 1 || clique->n > tree->ncols || (parent == 0) != (number == 0) || parent > number))
		pegs_bad(c, PEGS_ERR_FORMAT);
	if (c->status != PEGS_OK)
		return;
	clique->parent = (int32_t) parent - 1;
	pegs_u32s(c, &clique->column, clique->n);
	for (uint32_t x = 0; c->status == PEGS_OK && x < clique->n; x++)
	{
		uint32_t	q = clique->column[x];
		bool		before = false;
		bool		in_parent = false;

		/* 1,600 cliques of 1,600 columns of one class are a file of 10 MB */
		if (c->pass == PEGS_READ)
			c->env->check(c->env->context);
		if (q >= tree->ncols || (x > 0 && q <= clique->column[x - 1]))
		{
			pegs_bad(c, PEGS_ERR_FORMAT);
			return;
		}
		cells *= tree->classes[q];
		/* running intersection: what an earlier clique holds, the parent holds */
		for (uint32_t i = 0; c->pass == PEGS_READ && i < number; i++)
			for (uint32_t y = 0; y < tree->clique[i].n; y++)
				if (tree->clique[i].column[y] == q)
				{
					before = true;
					in_parent |= (int32_t) i == clique->parent;
				}
		if (before && !in_parent)
			pegs_bad(c, PEGS_ERR_FORMAT);
	}
	if (c->status == PEGS_OK && cells > (double) PEGS_MAX_CELLS)
		pegs_bad(c, PEGS_ERR_FORMAT);
	if (c->status != PEGS_OK)
		return;
	clique->cells = (size_t) cells;
	pegs_shares_walk(c, &clique->mu, clique->cells, false);
}

/* What it was drawn for, and how many pairs it has. */
static void
walk_accountant(pegs_cursor *c, pegs_fitted *model)
{
	pegs_record_walk(c, &model->accountant, &model->rows, &model->npairs, pegs_graph_purposes, PEGS_GRAPH_PURPOSES);
	if (c->status == PEGS_OK && model->npairs > model->ncols * (model->ncols - 1) / 2)
		pegs_bad(c, PEGS_ERR_FORMAT);
}

/* per column: f64 share[levels]  u32 classes  u32 0  u16 class_of[levels] */
static void
walk_columns(pegs_cursor *c, pegs_fitted *model)
{
	uint32_t	zero = 0;

	if (c->pass == PEGS_READ)
	{
		model->share = c->env->alloc(c->env->context, sizeof(double *) * model->ncols);
		model->class_of = c->env->alloc(c->env->context, sizeof(uint16_t *) * model->ncols);
		model->tree.ncols = model->ncols;
		model->tree.classes = c->env->alloc(c->env->context, sizeof(uint32_t) * model->ncols);
	}
	for (uint32_t i = 0; i < model->ncols && c->status == PEGS_OK; i++)
	{
		pegs_shares_walk(c, &model->share[i], model->levels[i], false);
		pegs_u32(c, &model->tree.classes[i]);
		pegs_u32(c, &zero);
		if (c->status == PEGS_OK && (model->tree.classes[i] < 1 || model->tree.classes[i] > model->levels[i] || zero != 0))
			pegs_bad(c, PEGS_ERR_FORMAT);
		if (c->status == PEGS_OK)
			cut(c, &model->class_of[i], model->levels[i], model->tree.classes[i]);
	}
}

/*
 * u32 a b c  u32 outside  u32 times measured  u32 0  f64 variance  f64 share[]
 */
static void
walk_triple(pegs_cursor *c, const pegs_fitted *model, pegs_triple *triple)
{
	uint32_t	outside = triple->outside;
	uint32_t	zero = 0;
	uint64_t	cells = 1;

	for (int x = 0; x < 3; x++)
		pegs_u32(c, &triple->column[x]);
	pegs_u32(c, &outside);
	pegs_u32(c, &triple->n);
	pegs_u32(c, &zero);
	pegs_f64(c, &triple->variance);
	if (c->status != PEGS_OK)
		return;
	if (triple->column[0] >= triple->column[1] || triple->column[1] >= triple->column[2] || triple->column[2] >= model->ncols
		|| outside > 1 || zero != 0 || !(triple->variance > 0))
	{
		pegs_bad(c, PEGS_ERR_FORMAT);
		return;
	}
	triple->outside = outside == 1;
	for (int x = 0; x < 3; x++)
		cells *= model->levels[triple->column[x]];
	if (cells > PEGS_TRIPLE_CELLS)
		pegs_bad(c, PEGS_ERR_FORMAT);
	else
		pegs_shares_walk(c, &triple->share, cells, false);
}

/* u32 triples  u32 siblings (without ranks 0)  the triples  the siblings, as pairs: where the tree says that there are some */
static void
walk_triples(pegs_cursor *c, pegs_fitted *model)
{
	uint64_t	m = model->ncols;

	pegs_u32(c, &model->ntriples);
	pegs_u32(c, &model->nsiblings);
	if (c->status == PEGS_OK && (model->nsiblings > (model->rank ? m * (m + 1) / 2 : 0) || (model->ntriples < 1 && !model->rank)))
		pegs_bad(c, PEGS_ERR_FORMAT);
	if (c->status == PEGS_OK && model->ntriples > 0 && (m > PEGS_TRIPLE_COLUMNS || model->ntriples > m * (m - 1) * (m - 2) / 6))
		pegs_bad(c, PEGS_ERR_FORMAT);
	if (!pegs_has_bytes(c, (uint64_t) model->ntriples + model->nsiblings, 32))
		return;
	if (c->pass == PEGS_READ)
	{
		model->triple = c->env->alloc(c->env->context, sizeof(pegs_triple) * model->ntriples);
		model->sibling = c->env->alloc(c->env->context, sizeof(pegs_pair) * model->nsiblings);
	}
	for (uint32_t t = 0; t < model->ntriples && c->status == PEGS_OK; t++)
		walk_triple(c, model, &model->triple[t]);
	for (uint32_t s = 0; s < model->nsiblings && c->status == PEGS_OK; s++)
		walk_pair(c, model, true, &model->sibling[s]);
}

/*
 * u32 cliques  u32 how rows are drawn (0: as in all files of older versions, whose rows stay what they are; 1: smooth; 2: and
 * triples follow the pairs; 3: and columns have ranks, triples and siblings follow)  3: u32 rank[columns]  the cliques
 */
static void
walk_tree(pegs_cursor *c, pegs_fitted *model, bool *triples)
{
	pegs_jtree *tree = &model->tree;
	uint32_t	smooth = model->rank ? 3 : model->ntriples > 0 ? 2 : model->smooth;

	pegs_u32(c, &tree->nclique);
	pegs_u32(c, &smooth);
	if (c->status == PEGS_OK && (tree->nclique < 1 || tree->nclique > tree->ncols || smooth > 3))
		pegs_bad(c, PEGS_ERR_FORMAT);
	if (c->status != PEGS_OK)
		return;
	model->smooth = smooth >= 1;
	*triples = smooth >= 2;
	if (smooth == 3)
	{
		uint32_t   *rank = (uint32_t *) (uintptr_t) model->rank;

		pegs_u32s(c, &rank, model->ncols);
		model->rank = rank;
		for (uint32_t i = 0; i < model->ncols && c->status == PEGS_OK; i++)
			if (rank[i] > model->ncols)
				pegs_bad(c, PEGS_ERR_FORMAT);
		if (c->status != PEGS_OK)
			return;
	}
	if (c->pass == PEGS_READ)
		tree->clique = c->env->alloc(c->env->context, sizeof(pegs_clique) * tree->nclique);
	for (uint32_t i = 0; i < tree->nclique && c->status == PEGS_OK; i++)
		walk_clique(c, tree, i);
}

/* Every column has a clique, and the tree that was read is not too large to be connected. */
static void
connect_tree(pegs_cursor *c, pegs_jtree *tree)
{
	uint64_t	maps = 0;

	for (uint32_t i = 0; i < tree->ncols; i++)
	{
		c->env->check(c->env->context);
		if (pegs_jtree_home(tree, 1, &i) < 0)
			pegs_bad(c, PEGS_ERR_FORMAT);
	}
	/* connecting the tree takes memory: an index for every cell on both sides of an edge */
	for (uint32_t i = 1; i < tree->nclique && c->status == PEGS_OK; i++)
		maps += tree->clique[i].cells + tree->clique[tree->clique[i].parent].cells;
	if (maps > PEGS_MAX_CELLS)
		pegs_bad(c, PEGS_ERR_TOO_LARGE);
	if (c->status == PEGS_OK)
		pegs_jtree_connect(c->env, tree);
}

/* the accountant  the columns  the tree  the pairs  the triples */
void
pegs_graph_walk(pegs_cursor *c, pegs_fitted *model)
{
	bool		triples = false;

	walk_accountant(c, model);
	if (c->status == PEGS_OK)
		walk_columns(c, model);
	if (c->status == PEGS_OK)
		walk_tree(c, model, &triples);
	if (!pegs_has_bytes(c, model->npairs, 32))
		return;
	if (c->pass == PEGS_READ)
		model->pair = c->env->alloc(c->env->context, sizeof(pegs_pair) * (model->npairs + 1));
	for (uint32_t p = 0; p < model->npairs && c->status == PEGS_OK; p++)
		walk_pair(c, model, false, &model->pair[p]);
	if (triples && c->status == PEGS_OK)
		walk_triples(c, model);
	if (c->pass == PEGS_READ && c->status == PEGS_OK)
		connect_tree(c, &model->tree);
	if (c->pass == PEGS_READ && c->status == PEGS_OK && model->rank && !pegs_ranks_hold(c->env, model))
		pegs_bad(c, PEGS_ERR_FORMAT);
}
