/*
 * forest.c
 *	  Private forests of random structure.
 *
 * What a tree asks for follows from public numbers and from the classes of the
 * features, which were paid for, or are declared: rows have no part in it, the
 * only way in which a structure can cost nothing. Its leaves are one table of the
 * rows, looked at once. Claim P31.
 */
#include "core/score/forest.h"

#include <math.h>
#include <string.h>

#define CLASSES_SHARE_RHO 0.05	/* of the account, for classes */
#define CLASSES_SHARE_PURE 0.15
#define WEIGHT_SDS 3			/* rows that the whole tree's estimate counts as */

/* A question: the same at all nodes of a level. */
typedef struct question
{
	uint32_t	feature;
	uint32_t	yes;
} question;

typedef struct planting
{
	const pegs_env *env;
	const pegs_scored *scored;
	pegs_trees *model;
	uint32_t	depth;
	uint32_t	leaves;			/* of a tree */
	question   *asked;			/* [trees][depth] */
} planting;

/* ---- structure, without a row ---- */

/* Some classes, not all: of those in order the upper ones. */
static uint32_t
choose_classes(pegs_rng *public, uint32_t classes, bool in_order)
{
	uint32_t	all = (uint32_t) ((UINT64_C(1) << classes) - 1);
	uint32_t	yes = 0;

	if (in_order)
		return all & ~(uint32_t) ((UINT64_C(1) << (1 + pegs_rng_below(public, classes - 1))) - 1);
	while (yes == 0 || yes == all)
		yes = (uint32_t) pegs_rng_u64(public) & all;
	return yes;
}

static void
choose_structure(planting *p, const pegs_layout *layout, uint32_t depth)
{
	uint32_t   *feature = p->env->alloc(p->env->context, sizeof(uint32_t) * layout->ncols);
	pegs_rng   *public = p->env->alloc(p->env->context, sizeof(pegs_rng));
	uint8_t		key[PEGS_KEY_BYTES] = {0};
	uint32_t	n = 0;

	pegs_rng_init(public, key, 0);
	for (uint32_t i = 0; i < layout->ncols; i++)
		if (p->model->classes[i] > 1)
			feature[n++] = i;
	p->depth = depth < n ? depth : n;
	p->leaves = UINT32_C(1) << p->depth;
	p->asked = p->env->alloc(p->env->context, sizeof(question) * p->model->ntrees * p->depth);
	for (uint32_t t = 0; t < p->model->ntrees; t++)
		for (uint32_t d = 0; d < p->depth; d++)
		{
			uint32_t	at = d + (uint32_t) pegs_rng_below(public, n - d);
			uint32_t	f = feature[at];

			feature[at] = feature[d];
			feature[d] = f;
			p->asked[t * p->depth + d] = (question) {f, choose_classes(public, p->model->classes[f], pegs_in_order(layout, f))};
		}
	pegs_env_free(p->env, public);
	pegs_env_free(p->env, feature);
}

/* ---- leaves ---- */

/* Private: rows of each leaf of a tree by the target. */
static void
count_leaves(const planting *p, const question *asked, int64_t *exact)
{
	const pegs_kept *rows = p->scored->rows;
	uint16_t	code[PEGS_CHUNK];
	uint32_t	leaf[PEGS_CHUNK];

	for (uint64_t b = 0; b < pegs_kept_blocks(rows); b++)
	{
		const uint32_t *times = pegs_kept_times(rows, b);
		uint32_t	n = pegs_kept_rows(rows, b);

		p->env->check(p->env->context);
		memset(leaf, 0, sizeof(uint32_t) * n);
		for (uint32_t d = 0; d < p->depth; d++)
		{
			pegs_kept_column(rows, b, asked[d].feature, code);
			for (uint32_t r = 0; r < n; r++)
				leaf[r] = 2 * leaf[r] + (asked[d].yes >> p->model->class_of[asked[d].feature][code[r]] & 1);
		}
		pegs_kept_column(rows, b, p->scored->target, code);
		for (uint32_t r = 0; r < n; r++)
			exact[2 * leaf[r] + p->scored->positive[code[r]]] += times ? times[r] : 1;
	}
}

/*
 * The tree's nodes, level by level, and what each knows: rows of its leaves, none of them below
 * zero, shrunk to the whole tree's share. noisy[2 * leaves]; its rows are the answer.
 */
static double
make_nodes(const planting *p, const question *asked, double *noisy, double sd, pegs_tree_node *node)
{
	double		all[2] = {0, 0};
	double		scale = pegs_accountant_scale(&p->model->accountant);
	double		share;

	for (uint32_t i = 0; i < 2 * p->leaves; i++)
		all[i % 2] += noisy[i];
	share = WEIGHT_SDS * sd * sqrt(p->leaves) + scale;	/* rows that a half counts as */
	share = (fmax(all[1], 0) + share / 2) / (fmax(all[0], 0) + fmax(all[1], 0) + share);
	for (uint32_t i = 0; i < 2 * p->leaves; i++)
		noisy[i] = fmax(noisy[i], 0);
	for (uint32_t d = 0; d <= p->depth; d++)
		for (uint32_t i = 0, each = p->leaves >> d; i < UINT32_C(1) << d; i++)
		{
			uint32_t	at = (UINT32_C(1) << d) - 1 + i;
			double		rows[2] = {0, 0};
			double		weight = WEIGHT_SDS * sd * sqrt(each) + scale;

			for (uint32_t l = i * each; l < (i + 1) * each; l++)
			{
				rows[0] += noisy[2 * l];
				rows[1] += noisy[2 * l + 1];
			}
			if (d < p->depth)
				node[at] = (pegs_tree_node) {.kid = 2 * at + 1, .feature = asked[d].feature, .yes = asked[d].yes};
			node[at].points = pegs_points_of((rows[1] + weight * share) / (rows[0] + rows[1] + weight));
		}
	return fmax(all[0], 0) + fmax(all[1], 0);
}

/* Claim P31: each tree is one table of all rows, looked at once. */
static void
fit_leaves(const planting *p, pegs_rng *rng, double cost)
{
	pegs_trees *model = p->model;
	uint32_t	nodes = 2 * p->leaves - 1;
	int64_t    *exact = p->env->alloc(p->env->context, sizeof(int64_t) * 2 * p->leaves);
	double	   *noisy = p->env->alloc(p->env->context, sizeof(double) * 2 * p->leaves);
	double		rows = 0;

	model->first = p->env->alloc(p->env->context, sizeof(uint32_t) * (model->ntrees + 1));
	model->node = p->env->alloc(p->env->context, sizeof(pegs_tree_node) * nodes * model->ntrees);
	for (uint32_t t = 0; t < model->ntrees; t++)
	{
		double		variance;

		memset(exact, 0, sizeof(int64_t) * 2 * p->leaves);
		count_leaves(p, p->asked + t * p->depth, exact);
		variance = pegs_measure(&model->accountant, rng, PEGS_FOR_NODES, cost, exact, noisy, 2 * (size_t) p->leaves);
		if (variance < 0)		/* nothing could be bought: it says nothing */
		{
			memset(noisy, 0, sizeof(double) * 2 * p->leaves);
			variance = 0;
		}
		rows += make_nodes(p, p->asked + t * p->depth, noisy, sqrt(variance), model->node + (size_t) t * nodes);
		model->first[t + 1] = (t + 1) * nodes;
	}
	model->rows = fmax(1, rows / model->ntrees / pegs_accountant_scale(&model->accountant));
	pegs_env_free(p->env, exact);
	pegs_env_free(p->env, noisy);
}

void
pegs_forest_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const pegs_scored *scored,
				const pegs_forest_options *options, pegs_trees *model)
{
	planting	p = {.env = env, .scored = scored, .model = model};
	double		share = options->declared ? 0 : accountant->pure ? CLASSES_SHARE_PURE : CLASSES_SHARE_RHO;
	double		budget = pegs_accountant_left(accountant);
	double		cost = (1 - share) * budget / options->trees;

	memset(model, 0, sizeof(*model));
	model->accountant = *accountant;
	model->accountant.env = env;
	model->ncols = layout->ncols;
	model->levels = layout->levels;
	model->ntrees = options->trees;
	pegs_env_step(env, PEGS_STEP_ONEWAYS);
	pegs_trees_classes(env, rng, layout, scored, share * budget, 5 * pegs_noise_sd(accountant, cost), model);
	pegs_env_step(env, PEGS_STEP_ROUNDS);
	choose_structure(&p, layout, options->depth);
	fit_leaves(&p, rng, cost);
	pegs_env_step(env, PEGS_STEP_LAST);
	model->accountant.env = NULL;	/* the model may live longer */
	pegs_env_free(env, p.asked);
}
