/*
 * trees_method.c
 *	  Private trees and forests as methods of scores; their cards.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/record.h"
#include "core/score/asked.h"
#include "core/score/forest.h"
#include "core/score/tree.h"

enum
{
	POSITIVE,
	DEPTH,
	CLASSES,
	ALPHA,						/* of a tree */
	TREES = ALPHA				/* of a forest */
};

static const char *const classes_words[] = {"measured", "declared", NULL};

static const pegs_option tree_options[] = {
	[POSITIVE] = PEGS_POSITIVE_OPTION,
	[DEPTH] = {.name = "depth", .kind = PEGS_OPTION_WHOLE, .least = 1, .most = PEGS_TREE_DEPTH, .standard = 6, .example = "6"},
	[CLASSES] = {.name = "classes", .kind = PEGS_OPTION_WORD, .words = classes_words, .example = "\"declared\""},
	[ALPHA] = {.name = "alpha", .kind = PEGS_OPTION_NUMBERS, .least = -10, .most = 10, .standard = 1, .example = "[0.5, 2]"},
	[ALPHA + 1] = {.name = NULL}
};

static const pegs_option forest_options[] = {
	[POSITIVE] = PEGS_POSITIVE_OPTION,
	[DEPTH] = {.name = "depth", .kind = PEGS_OPTION_WHOLE, .least = 1, .most = PEGS_TREE_DEPTH, .standard = 6, .example = "6"},
	[CLASSES] = {.name = "classes", .kind = PEGS_OPTION_WORD, .words = classes_words, .example = "\"declared\""},
	[TREES] = {.name = "trees", .kind = PEGS_OPTION_WHOLE, .least = 1, .most = PEGS_TREES_MOST, .standard = 30, .example = "30"},
	[TREES + 1] = {.name = NULL}
};

static pegs_forest_options
forest_of(const pegs_layout *layout)
{
	return (pegs_forest_options) {
		.trees = (uint32_t) layout->settings[TREES].number,
		.depth = (uint32_t) layout->settings[DEPTH].number,
		.declared = layout->settings[CLASSES].number > 0
	};
}

static pegs_refusal
refuse_forest(const pegs_layout *layout)
{
	pegs_refusal refusal = pegs_refuse_score(layout);
	pegs_forest_options options;

	if (refusal.why)
		return refusal;
	options = forest_of(layout);
	if (pegs_forest_fits(&options))
		return PEGS_NOT_REFUSED;
	return (pegs_refusal) {
		.why = "so many trees of such a depth have more than 2^20 nodes",
		.hint = "Ask for fewer trees, or for a smaller depth."
	};
}

static void *
fit_tree(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells)
{
	pegs_trees *model = env->alloc(env->context, sizeof(pegs_trees));
	pegs_scored scored = {pegs_asked_target(layout), pegs_asked_positive(layout), layout->kept};
	pegs_tree_options options = {
		.depth = (uint32_t) layout->settings[DEPTH].number,
		.declared = layout->settings[CLASSES].number > 0
	};

	(void) cells;
	options.alphas = pegs_setting_numbers(&layout->settings[ALPHA], &options.alpha);
	pegs_tree_fit(env, rng, accountant, layout, &scored, &options, model);
	return model;
}

static void *
fit_forest(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells)
{
	pegs_trees *model = env->alloc(env->context, sizeof(pegs_trees));
	pegs_scored scored = {pegs_asked_target(layout), pegs_asked_positive(layout), layout->kept};
	pegs_forest_options options = forest_of(layout);

	(void) cells;
	pegs_forest_fit(env, rng, accountant, layout, &scored, &options, model);
	return model;
}

static void
walk(pegs_cursor *c, uint32_t ncols, uint32_t *levels, void **model)
{
	if (c->pass == PEGS_READ)
	{
		pegs_trees *read = c->env->alloc(c->env->context, sizeof(pegs_trees));

		read->ncols = ncols;
		read->levels = levels;
		*model = read;
	}
	pegs_trees_walk(c, *model);
}

/* Are its trees, so many, none of them too deep, of what was asked for? */
static bool
is_of(const pegs_trees *model, const pegs_layout *layout, uint32_t trees)
{
	return pegs_is_asked_score(layout, model->target, model->npositive, model->positive) && model->ntrees == trees
		&& pegs_trees_depth(model) <= layout->settings[DEPTH].number
		&& pegs_trees_classes_are_of(model, layout->settings[CLASSES].number > 0);
}

static bool
is_of_tree(const pegs_env *env, const void *model, const pegs_layout *layout)
{
	const double *alpha;

	(void) env;
	return is_of(model, layout, pegs_setting_numbers(&layout->settings[ALPHA], &alpha));
}

static bool
is_of_forest(const pegs_env *env, const void *model, const pegs_layout *layout)
{
	(void) env;
	return is_of(model, layout, (uint32_t) layout->settings[TREES].number);
}

static pegs_accountant *
accountant_of(void *model)
{
	return &((pegs_trees *) model)->accountant;
}

static double
rows_of(const void *model)
{
	return ((const pegs_trees *) model)->rows;
}

static void
describe(const void *fitted, const pegs_writer *writer)
{
	const pegs_trees *model = fitted;
	char		words[100];

	pegs_record_words(writer, &model->accountant, model->rows, pegs_trees_purposes, PEGS_TREES_PURPOSES);
	snprintf(words, sizeof(words), ", \"trees\": %u, \"nodes\": %u", model->ntrees, model->first[model->ntrees]);
	writer->words(writer->to, words);
}

/* ---- a row ---- */

static int64_t
points(const void *model, const int32_t *codes)
{
	return pegs_trees_points(model, codes);
}

static uint32_t
voters(const void *model)
{
	return ((const pegs_trees *) model)->ntrees;
}

/* ---- the card: of each tree its leaves, each with what leads there; behind them what a row gets that is stopped on its way ---- */

typedef struct carding
{
	const pegs_env *env;
	const pegs_trees *model;
	const pegs_card *card;
	uint32_t	tree;
	bool	   *levels[PEGS_TREE_DEPTH];	/* [most levels of a column] that may still come, of what a depth asks for */
} carding;

/* Levels that lead to this side, of those that may still come; false: there is none. */
static bool
side_of(const carding *w, const pegs_tree_node *node, uint32_t side, const bool *before, bool *levels)
{
	const uint16_t *class_of = w->model->class_of[node->feature];
	bool		some = false;

	for (uint32_t l = 0; l < w->model->levels[node->feature]; l++)
	{
		levels[l] = (before == NULL || before[l]) && (node->yes >> class_of[l] & 1) == side;
		some |= levels[l];
	}
	return some;
}

static void
put_node(const carding *w, const pegs_tree_node *node, uint32_t depth, uint32_t n, const pegs_condition *condition)
{
	const pegs_tree_node *root = &w->model->node[w->model->first[w->tree]];
	bool		known = false;	/* what it asks was asked before: no row is stopped here */

	w->env->check(w->env->context);
	if (w->card->enough && *w->card->enough)
		return;
	for (uint32_t side = 0; node->kid > 0 && side < 2; side++)
	{
		pegs_condition next[PEGS_TREE_DEPTH];
		uint32_t	at = 0;

		if (n > 0)
			memcpy(next, condition, sizeof(pegs_condition) * n);
		while (at < n && next[at].column != node->feature)
			at++;
		known |= at < n;
		if (!side_of(w, node, side, at < n ? next[at].levels : NULL, w->levels[depth]))
			continue;
		next[at] = (pegs_condition) {node->feature, w->levels[depth]};
		put_node(w, root + node->kid + side, depth + 1, at < n ? n : n + 1, next);
	}
	if (!known)
		w->card->line(w->card->to, w->tree, n, condition, node->points, NAN);
}

static void
card(const pegs_env *env, const void *fitted, const pegs_card *to)
{
	carding		w = {.env = env, .model = fitted, .card = to};
	uint32_t	most = 1;

	for (uint32_t i = 0; i < w.model->ncols; i++)
		most = w.model->levels[i] > most ? w.model->levels[i] : most;
	for (uint32_t d = 0; d < PEGS_TREE_DEPTH; d++)
		w.levels[d] = env->alloc(env->context, sizeof(bool) * most);
	for (; w.tree < w.model->ntrees; w.tree++)
		put_node(&w, &w.model->node[w.model->first[w.tree]], 0, 0, NULL);
	for (uint32_t d = 0; d < PEGS_TREE_DEPTH; d++)
		pegs_env_free(env, w.levels[d]);
}

static const pegs_scorer scorer = {.points = points, .voters = voters, .card = card};

const pegs_method pegs_method_tree = {
	.name = "tree",
	.family = "tree",
	.mechanism = "noise in the tables of all nodes of a level of depth, by which the next one is chosen",
	.title = "tree",
	.payment = PEGS_PAID_AT_FIT,
	.tables = PEGS_CONDITIONAL,
	.parents = PEGS_NO_PARENTS,
	.kind = 18,
	.options = tree_options,
	.refuse = pegs_refuse_score,
	.keeps_rows = pegs_score_keeps_rows,
	.fit = fit_tree,
	.walk = walk,
	.is_of = is_of_tree,
	.accountant = accountant_of,
	.rows = rows_of,
	.scorer = &scorer,
	.describe = describe
};

const pegs_method pegs_method_forest = {
	.name = "forest",
	.mechanism = "noise in the leaves of trees that no row has chosen",
	.title = "forest",
	.payment = PEGS_PAID_AT_FIT,
	.tables = PEGS_CONDITIONAL,
	.parents = PEGS_NO_PARENTS,
	.kind = 19,
	.options = forest_options,
	.refuse = refuse_forest,
	.keeps_rows = pegs_score_keeps_rows,
	.fit = fit_forest,
	.walk = walk,
	.is_of = is_of_forest,
	.accountant = accountant_of,
	.rows = rows_of,
	.scorer = &scorer,
	.describe = describe
};
