/*
 * published_method.c
 *	  Trees as they were published, as a method: no guarantee.
 *
 * The model is exact counts. How many bytes it has follows from the options and
 * the levels alone. It gives shares, and how far a row may move them; whoever is
 * told a score adds noise to it, and every one of them costs (docs/methods/trees.md).
 */
#include "core/score/asked.h"
#include "core/score/published.h"

enum
{
	POSITIVE,
	ALPHA,
	DEPTH,
	CUTS,
	LEAST,
	OPTIONS
};

static const pegs_option options[] = {
	[POSITIVE] = PEGS_POSITIVE_OPTION,
	[ALPHA] = {.name = "alpha", .kind = PEGS_OPTION_NUMBERS, .least = -10, .most = 10, .standard = 1, .example = "[1]"},
	[DEPTH] = {.name = "depth", .kind = PEGS_OPTION_WHOLE, .least = 1, .most = PEGS_TREE_DEPTH, .standard = 8, .example = "8"},
	[CUTS] = {.name = "cuts", .kind = PEGS_OPTION_WHOLE, .least = 2, .most = PEGS_CUTS_MOST, .standard = 10, .example = "10"},
	[LEAST] = {.name = "least", .kind = PEGS_OPTION_WHOLE, .least = 1, .most = 1000000, .standard = 10, .example = "10"},
	[OPTIONS] = {.name = NULL}
};

static pegs_published_options
options_of(const pegs_layout *layout)
{
	const pegs_setting *settings = layout->settings;
	pegs_published_options result = {
		.depth = (uint32_t) settings[DEPTH].number,
		.cuts = (uint32_t) settings[CUTS].number,
		.least = (uint32_t) settings[LEAST].number
	};

	result.alphas = pegs_setting_numbers(&settings[ALPHA], &result.alpha);
	return result;
}

static pegs_refusal
refuse(const pegs_layout *layout)
{
	pegs_refusal refusal = pegs_refuse_score(layout);
	pegs_published_options asked;

	if (refusal.why)
		return refusal;
	asked = options_of(layout);
	if (pegs_published_room(asked.depth, asked.alphas) <= PEGS_TREES_NODES)
		return PEGS_NOT_REFUSED;
	return (pegs_refusal) {
		.why = "so many trees of such a depth have more than 2^20 nodes",
		.hint = "Ask for fewer alphas, or for a smaller depth."
	};
}

static void *
fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells)
{
	pegs_published *model = env->alloc(env->context, sizeof(pegs_published));
	pegs_scored scored = {pegs_asked_target(layout), pegs_asked_positive(layout), layout->kept};
	pegs_published_options asked = options_of(layout);
	const double **none = env->alloc(env->context, sizeof(double *) * layout->ncols);

	(void) rng;
	(void) accountant;
	(void) cells;
	pegs_published_fit(env, layout, &scored, layout->numbers ? layout->numbers : none, &asked, model);
	pegs_env_free(env, none);
	return model;
}

static void
walk(pegs_cursor *c, uint32_t ncols, uint32_t *levels, void **model)
{
	if (c->pass == PEGS_READ)
	{
		pegs_published *read = c->env->alloc(c->env->context, sizeof(pegs_published));

		read->ncols = ncols;
		read->levels = levels;
		*model = read;
	}
	pegs_published_walk(c, *model);
}

static double
exact(const void *model, const int32_t *codes, double *delta)
{
	return pegs_published_score(model, codes, delta);
}

static const pegs_scorer scorer = {.exact = exact};

const pegs_method pegs_method_tree_published = {
	.name = "tree published",
	.family = "tree",
	.title = "tree",
	.mechanism = "trees of exact counts (DPaT, EDPaT)",
	.payment = PEGS_NOT_PRIVATE,
	.no_guarantee = "the trees are exact counts, and so is what they ask for",
	.tables = PEGS_CONDITIONAL,
	.parents = PEGS_NO_PARENTS,
	.numbers = true,
	.kind = 20,
	.options = options,
	.refuse = refuse,
	.keeps_rows = pegs_score_keeps_rows,
	.fit = fit,
	.walk = walk,
	.scorer = &scorer
};
