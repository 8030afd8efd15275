/*
 * handmade.h
 *	  Models made by hand, and their joint distribution by enumeration.
 *
 * A model is a tree whose cliques have random factors; its joint is the
 * product of the columns' shares and of these factors, which is enumerated
 * without the tree's messages. For domains of at most MAX_DOMAIN rows.
 */
#ifndef PEGS_HANDMADE_H
#define PEGS_HANDMADE_H

#include <stdlib.h>
#include <string.h>

#include "core/graph/draw.h"
#include "fixture.h"
#include "unit.h"

#define MAX_COLUMNS 6
#define MAX_DOMAIN 1000
#define MAX_CELLS 1000

typedef struct shape
{
	uint32_t	ncols;
	uint32_t	levels[MAX_COLUMNS];
	uint32_t	classes[MAX_COLUMNS];
	uint32_t	nedges;
	uint32_t	edge[8][2];
	uint32_t	widest;			/* columns of the largest clique that must come of it */
} shape;

static const shape shapes[] = {
	{1, {4}, {4}, 0, {{0}}, 1},
	{1, {4}, {1}, 0, {{0}}, 1},
	{2, {3, 4}, {3, 1}, 0, {{0}}, 1},
	{2, {3, 4}, {3, 4}, 1, {{0, 1}}, 2},
	{2, {5, 6}, {2, 3}, 1, {{0, 1}}, 2},
	{3, {3, 2, 4}, {3, 2, 4}, 2, {{0, 1}, {1, 2}}, 2},
	{3, {4, 5, 3}, {4, 3, 3}, 3, {{0, 1}, {1, 2}, {0, 2}}, 3},	/* a triangle */
	{4, {2, 3, 4, 2}, {2, 2, 3, 2}, 3, {{0, 3}, {1, 3}, {2, 3}}, 2},	/* a star around the last */
	{4, {3, 3, 3, 3}, {3, 3, 2, 3}, 2, {{0, 2}, {1, 3}}, 2},	/* two trees */
	{4, {3, 2, 3, 2}, {3, 2, 3, 2}, 4, {{0, 1}, {1, 2}, {2, 3}, {0, 3}}, 3},	/* a loop of four */
	{5, {2, 3, 2, 4, 3}, {2, 3, 2, 2, 3}, 6, {{0, 1}, {0, 4}, {1, 4}, {1, 3}, {3, 4}, {2, 3}}, 3},	/* two triangles and a tail */
	{6, {2, 3, 2, 2, 3, 2}, {2, 2, 2, 1, 3, 2}, 6, {{0, 2}, {2, 4}, {0, 4}, {1, 5}, {0, 5}, {1, 0}}, 3}	/* triangles that share a column */
};

#define NSHAPES (sizeof(shapes) / sizeof(shapes[0]))

/* A model and the factor of each clique that makes its columns hang together. */
typedef struct made
{
	pegs_fitted model;
	double	   *factor[MAX_COLUMNS];	/* [cells] of each clique */
} made;

/* k contiguous classes of n levels, uneven */
static inline uint16_t *
cut(uint32_t n, uint32_t k)
{
	uint16_t   *class_of = env.alloc(env.context, sizeof(uint16_t) * n);

	for (uint32_t i = 0; i < n; i++)
		class_of[i] = (uint16_t) (i < n - k ? 0 : i - (n - k));
	return class_of;
}

/* The product of the factors, made a calibrated tree: messages up, messages down. */
static inline void
calibrate(pegs_jtree *tree)
{
	double		scratch[MAX_CELLS];

	for (uint32_t i = tree->nclique; i-- > 1;)
		pegs_jtree_push(tree, i, true, scratch);
	for (uint32_t i = 1; i < tree->nclique; i++)
		pegs_jtree_push(tree, i, false, scratch);
	for (uint32_t i = 0; i < tree->nclique; i++)
	{
		pegs_clique *c = &tree->clique[i];
		double		sum = 0;

		for (size_t k = 0; k < c->cells; k++)
			sum += c->mu[k];
		for (size_t k = 0; k < c->cells; k++)
			c->mu[k] /= sum;
	}
	pegs_jtree_connect(&env, tree);
}

/* holes: some levels and some cells have probability zero. */
static inline made
build(const shape *s, bool holes)
{
	made		d = {0};
	pegs_fitted *f = &d.model;
	pegs_graph	graph;
	double	   *one[MAX_COLUMNS];
	uint32_t	widest = 0;

	f->ncols = s->ncols;
	f->rows = 1000;
	f->levels = env.alloc(env.context, sizeof(uint32_t) * s->ncols);
	memcpy(f->levels, s->levels, sizeof(uint32_t) * s->ncols);
	f->share = env.alloc(env.context, sizeof(double *) * s->ncols);
	f->class_of = env.alloc(env.context, sizeof(uint16_t *) * s->ncols);
	pegs_graph_init(&env, &graph, s->ncols);
	for (uint32_t e = 0; e < s->nedges; e++)
		pegs_graph_join(&graph, s->edge[e][0], s->edge[e][1]);
	for (uint32_t i = 0; i < s->ncols; i++)
	{
		double		sum = 0;

		f->share[i] = env.alloc(env.context, sizeof(double) * s->levels[i]);
		for (uint32_t j = 0; j < s->levels[i]; j++)
			sum += f->share[i][j] = holes && j > 0 && pegs_rng_below(&rng, 3) == 0 ? 0 : 0.05 + pegs_rng_double(&rng);
		f->class_of[i] = cut(s->levels[i], s->classes[i]);
		one[i] = env.alloc(env.context, sizeof(double) * s->classes[i]);
		for (uint32_t j = 0; j < s->levels[i]; j++)
			one[i][f->class_of[i][j]] += f->share[i][j] /= sum;
	}
	pegs_jtree_build(&env, &f->tree, &graph, s->classes, one);
	for (uint32_t i = 0; i < f->tree.nclique; i++)
	{
		pegs_clique *c = &f->tree.clique[i];

		widest = c->n > widest ? c->n : widest;
		d.factor[i] = env.alloc(env.context, sizeof(double) * c->cells);
		/* the first cell stays possible */
		for (size_t k = 0; k < c->cells; k++)
		{
			d.factor[i][k] = holes && k > 0 && pegs_rng_below(&rng, 6) == 0 ? 0 : 0.02 + pow(pegs_rng_double(&rng), 4);
			c->mu[k] *= d.factor[i][k];
		}
	}
	CHECK_INT(widest, s->widest);
	calibrate(&f->tree);
	return d;
}

static inline uint32_t
domain(const pegs_fitted *f)
{
	uint32_t	n = 1;

	for (uint32_t i = 0; i < f->ncols; i++)
		n *= f->levels[i];
	return n;
}

static inline void
row_of(const pegs_fitted *f, uint32_t cell, uint16_t *row)
{
	for (uint32_t i = f->ncols; i-- > 0;)
	{
		row[i] = (uint16_t) (cell % f->levels[i]);
		cell /= f->levels[i];
	}
}

static inline uint32_t
cell_of(const pegs_fitted *f, const uint16_t *row)
{
	uint32_t	cell = 0;

	for (uint32_t i = 0; i < f->ncols; i++)
		cell = cell * f->levels[i] + row[i];
	return cell;
}

/* The product of all columns' shares and all cliques' factors. factors: false makes the columns independent. */
static inline void
joint(const made *d, bool factors, double *p)
{
	const pegs_fitted *f = &d->model;
	double		all = 0;

	for (uint32_t cell = 0; cell < domain(f); cell++)
	{
		uint16_t	row[MAX_COLUMNS];

		row_of(f, cell, row);
		p[cell] = 1;
		for (uint32_t i = 0; i < f->ncols; i++)
			p[cell] *= f->share[i][row[i]];
		for (uint32_t i = 0; factors && i < f->tree.nclique; i++)
		{
			const pegs_clique *c = &f->tree.clique[i];
			size_t		at = 0;

			for (uint32_t x = 0; x < c->n; x++)
				at = at * f->tree.classes[c->column[x]] + f->class_of[c->column[x]][row[c->column[x]]];
			p[cell] *= d->factor[i][at];
		}
		all += p[cell];
	}
	for (uint32_t cell = 0; cell < domain(f); cell++)
		p[cell] /= all;
}

#endif							/* PEGS_HANDMADE_H */
