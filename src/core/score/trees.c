/*
 * trees.c
 *	  A score that is made of trees: what it gives, and its bytes.
 *
 * Reads released numbers only. The walk must believe nothing: a tree that is
 * read ends, asks for what there is, and is as deep as a fit may make it.
 */
#include "core/score/trees.h"

#include <math.h>

#include "core/record.h"

const pegs_purpose pegs_trees_purposes[PEGS_TREES_PURPOSES] = {PEGS_FOR_ONEWAY, PEGS_FOR_NODES};

/* ---- what it gives ---- */

int32_t
pegs_points_of(double p)
{
	double		points;

	if (!(p > 0))
		return -PEGS_POINTS_MOST;
	if (!(p < 1))
		return PEGS_POINTS_MOST;
	points = rint(PEGS_POINTS_ONE * log(p / (1 - p)));
	return (int32_t) fmax(-PEGS_POINTS_MOST, fmin(PEGS_POINTS_MOST, points));
}

static int32_t
points_of_tree(const pegs_trees *model, uint32_t tree, const int32_t *codes)
{
	const pegs_tree_node *root = &model->node[model->first[tree]];
	const pegs_tree_node *node = root;

	while (node->kid > 0)
	{
		int32_t		code = codes[node->feature];

		if (code < 0 || (uint32_t) code >= model->levels[node->feature])
			break;
		node = root + node->kid + (node->yes >> model->class_of[node->feature][code] & 1);
	}
	return node->points;
}

int64_t
pegs_trees_points(const pegs_trees *model, const int32_t *codes)
{
	int64_t		sum = 0;

	for (uint32_t t = 0; t < model->ntrees; t++)
		sum += points_of_tree(model, t, codes);
	return sum;
}

/* ---- what is positive ---- */

void
pegs_list_positive(const pegs_env *env, uint32_t levels, const bool *is_positive, uint32_t *n, uint16_t **positive)
{
	*positive = env->alloc(env->context, sizeof(uint16_t) * levels);
	*n = 0;
	for (uint32_t l = 0; l < levels; l++)
		if (is_positive[l])
			(*positive)[(*n)++] = (uint16_t) l;
}

/* u32 n  u16 level[n] */
void
pegs_positive_walk(pegs_cursor *c, uint32_t levels, uint32_t *n, uint16_t **positive)
{
	pegs_u32(c, n);
	pegs_pad(c);
	if (c->status == PEGS_OK && (*n < 1 || *n >= levels))
		pegs_bad(c, PEGS_ERR_FORMAT);
	if (c->status == PEGS_OK)
		pegs_u16s(c, positive, *n);
	for (uint32_t i = 0; c->pass == PEGS_READ && c->status == PEGS_OK && i < *n; i++)
		if ((*positive)[i] >= levels || (i > 0 && (*positive)[i] <= (*positive)[i - 1]))
			pegs_bad(c, PEGS_ERR_FORMAT);
}

/* ---- bytes ---- */

static void
walk_classes(pegs_cursor *c, pegs_trees *model, uint32_t column)
{
	uint32_t   *classes = &model->classes[column];

	pegs_u32(c, classes);
	pegs_pad(c);
	if (c->status != PEGS_OK)
		return;
	if (*classes > PEGS_TREE_CLASSES || (*classes == 0) != (column == model->target))
	{
		pegs_bad(c, PEGS_ERR_FORMAT);
		return;
	}
	if (column == model->target)
		return;
	pegs_u16s(c, &model->class_of[column], model->levels[column]);
	for (uint32_t l = 0; c->pass == PEGS_READ && c->status == PEGS_OK && l < model->levels[column]; l++)
		if (model->class_of[column][l] >= *classes)
			pegs_bad(c, PEGS_ERR_FORMAT);
}

/* May a fit have made this node, whose kids come at `next`? */
static bool
is_node(const pegs_trees *model, const pegs_tree_node *node, uint32_t next, uint32_t nodes)
{
	uint32_t	classes;

	if (node->points < -PEGS_POINTS_MOST || node->points > PEGS_POINTS_MOST)
		return false;
	if (node->kid == 0)
		return node->feature == 0 && node->yes == 0;
	if (node->kid != next || next + 2 > nodes || node->feature >= model->ncols)
		return false;
	classes = model->classes[node->feature];	/* of the target none */
	return node->yes != 0 && (uint64_t) node->yes < (UINT64_C(1) << classes) - 1;
}

/* Level by level, every kid has its parent, and no level is too many. */
static void
check_tree(pegs_cursor *c, const pegs_trees *model, uint32_t tree)
{
	const pegs_tree_node *root = &model->node[model->first[tree]];
	uint32_t	nodes = model->first[tree + 1] - model->first[tree];
	uint32_t	next = 1;
	uint32_t	end = 1;			/* of the level */
	uint32_t	depth = 0;

	for (uint32_t i = 0; i < nodes; i++)
	{
		if (i == end)
		{
			depth++;
			end = next;
		}
		if (i >= next || depth > PEGS_TREE_DEPTH || !is_node(model, &root[i], next, nodes))
		{
			pegs_bad(c, PEGS_ERR_FORMAT);
			return;
		}
		if (root[i].kid > 0)
			next += 2;
	}
}

uint32_t
pegs_trees_depth(const pegs_trees *model)
{
	uint32_t	deepest = 0;

	for (uint32_t t = 0; t < model->ntrees; t++)
	{
		const pegs_tree_node *root = &model->node[model->first[t]];
		uint32_t	depth = 0;
		uint32_t	end = 1;	/* of the level */
		uint32_t	next = 1;

		for (uint32_t i = 0; i < model->first[t + 1] - model->first[t]; i++)
		{
			if (i == end)
			{
				depth++;
				end = next;
			}
			next += root[i].kid > 0 ? 2 : 0;
		}
		deepest = depth > deepest ? depth : deepest;
	}
	return deepest;
}

static void
walk_nodes(pegs_cursor *c, pegs_trees *model)
{
	uint32_t	nodes = model->first[model->ntrees];

	if (!pegs_has_bytes(c, nodes, 16))
		return;
	if (c->pass == PEGS_READ)
		model->node = c->env->alloc(c->env->context, sizeof(pegs_tree_node) * nodes);
	for (uint32_t i = 0; i < nodes && c->status == PEGS_OK; i++)
	{
		pegs_tree_node *node = &model->node[i];
		uint32_t	points = (uint32_t) node->points;

		if (c->env && i % PEGS_CHUNK == 0)
			c->env->check(c->env->context);
		pegs_u32(c, &node->kid);
		pegs_u32(c, &node->feature);
		pegs_u32(c, &node->yes);
		pegs_u32(c, &points);
		node->points = (int32_t) points;
	}
}

/*
 * the record, with the number of trees  u32 target  what is positive  per column: u32 classes, and of a feature u16 class[levels]
 * u32 first[trees + 1]  nodes: u32 kid  u32 feature  u32 yes  i32 points
 */
void
pegs_trees_walk(pegs_cursor *c, pegs_trees *model)
{
	pegs_record_walk(c, &model->accountant, &model->rows, &model->ntrees, pegs_trees_purposes, PEGS_TREES_PURPOSES);
	pegs_u32(c, &model->target);
	pegs_pad(c);
	if (c->status == PEGS_OK && (model->ntrees < 1 || model->ntrees > PEGS_TREES_MOST || model->target >= model->ncols))
		pegs_bad(c, PEGS_ERR_FORMAT);
	if (c->status == PEGS_OK)
		pegs_positive_walk(c, model->levels[model->target], &model->npositive, &model->positive);
	if (!pegs_has_bytes(c, model->ncols, 8))
		return;
	if (c->pass == PEGS_READ)
	{
		model->classes = c->env->alloc(c->env->context, sizeof(uint32_t) * model->ncols);
		model->class_of = c->env->alloc(c->env->context, sizeof(uint16_t *) * model->ncols);
	}
	for (uint32_t i = 0; i < model->ncols && c->status == PEGS_OK; i++)
	{
		if (c->pass == PEGS_READ)
			c->env->check(c->env->context);
		walk_classes(c, model, i);
	}
	pegs_u32s(c, &model->first, (uint64_t) model->ntrees + 1);
	if (c->status == PEGS_OK && (model->first[0] != 0 || model->first[model->ntrees] > PEGS_TREES_NODES))
		pegs_bad(c, PEGS_ERR_FORMAT);
	for (uint32_t t = 0; t < model->ntrees && c->status == PEGS_OK; t++)
		if (model->first[t + 1] <= model->first[t])
			pegs_bad(c, PEGS_ERR_FORMAT);
	if (c->status == PEGS_OK)
		walk_nodes(c, model);
	for (uint32_t t = 0; c->pass == PEGS_READ && c->status == PEGS_OK && t < model->ntrees; t++)
		check_tree(c, model, t);
}
