/*
 * tree.c
 *	  Private alpha-trees.
 *
 * At every level each feature is looked at once: the table of its classes by
 * the target at all open nodes, of which a row is in one cell. Which feature a
 * node asks for, and where it cuts, follows from the answers: alpha-gain is
 * never taken of exact counts. Several trees have rows of their own, and grow at
 * the same time, so that a row is in one cell of all trees together. Claim P30.
 */
#include "core/score/tree.h"

#include <math.h>
#include <string.h>

#include "core/score/alpha.h"

#define CLASSES_SHARE_RHO 0.05	/* of the account, for classes */
#define CLASSES_SHARE_PURE 0.15
#define OPEN_SDS 10				/* standard deviations of a cell: a node of fewer rows is a leaf */
#define WEIGHT_SDS 3			/* rows that the parent's estimate counts as */
#define CELL_LEAST 0.5			/* a noisy cell below counts as this in a gain */
#define CLOSED UINT32_MAX		/* place of rows in a leaf */

/* A node that may still be cut. */
typedef struct open_node
{
	uint32_t	node;			/* of all that were made */
	double		total[2];		/* rows by the target: weighted sum of the answers so far */
	double		weight;
	double		gain;			/* of the best cut so far, times rows */
	uint32_t	feature;
	uint32_t	yes;
	uint32_t	kid;			/* its place among the nodes that are open next; CLOSED: none */
} open_node;

/* A node as it is made: of which tree it is, and where its kids are among all. */
typedef struct made_node
{
	pegs_tree_node node;
	uint32_t	tree;
	uint32_t	parent;
	double		p;
} made_node;

typedef struct growing
{
	const pegs_env *env;
	pegs_rng   *rng;
	const pegs_layout *layout;
	const pegs_scored *scored;
	const pegs_tree_options *options;
	pegs_trees *model;
	double		cost;			/* of a table */
	double		sd;				/* of a cell */
	uint32_t	nmade;
	uint32_t	room;
	made_node  *made;
	uint32_t	nopen;
	open_node  *open;
	uint64_t	nrows;
	uint32_t   *place;			/* [nrows] private: 2 * open node + the target, or CLOSED */
	uint16_t   *code;			/* [ncols][PEGS_CHUNK] private: of the block that is read */
} growing;

/* ---- nodes ---- */

static uint32_t
make_node(growing *g, uint32_t tree, uint32_t parent)
{
	if (g->nmade == g->room)
	{
		made_node  *more;

		g->room = g->room > 0 ? 2 * g->room : 64;
		more = g->env->alloc(g->env->context, sizeof(made_node) * g->room);
		if (g->nmade > 0)
		{
			memcpy(more, g->made, sizeof(made_node) * g->nmade);
			pegs_env_free(g->env, g->made);
		}
		g->made = more;
	}
	g->made[g->nmade] = (made_node) {.tree = tree, .parent = parent, .p = parent == CLOSED ? 0.5 : g->made[parent].p};
	return g->nmade++;
}

/* A root for each tree, and each row to one of them. */
static void
plant(growing *g, pegs_rng *deal)
{
	const pegs_kept *rows = g->scored->rows;
	uint32_t	trees = g->options->alphas;
	uint64_t	at = 0;

	for (uint64_t b = 0; b < pegs_kept_blocks(rows); b++)
		g->nrows += pegs_kept_rows(rows, b);
	g->place = g->env->alloc(g->env->context, sizeof(uint32_t) * g->nrows);
	for (uint64_t b = 0; b < pegs_kept_blocks(rows); b++)
	{
		uint32_t	n = pegs_kept_rows(rows, b);

		g->env->check(g->env->context);
		pegs_kept_column(rows, b, g->scored->target, g->code);
		for (uint32_t r = 0; r < n; r++)
			g->place[at++] = 2 * (trees > 1 ? (uint32_t) pegs_rng_below(deal, trees) : 0) + g->scored->positive[g->code[r]];
	}
	g->open = g->env->alloc(g->env->context, sizeof(open_node) * trees);
	for (uint32_t t = 0; t < trees; t++)
		g->open[t].node = make_node(g, t, CLOSED);
	g->nopen = trees;
}

/* ---- a look ---- */

/* Private: rows of each open node by class and target; feature CLOSED: by the target alone. */
static void
count_cells(const growing *g, uint32_t feature, uint32_t classes, int64_t *exact)
{
	const pegs_kept *rows = g->scored->rows;
	const uint32_t *place = g->place;

	for (uint64_t b = 0; b < pegs_kept_blocks(rows); b++)
	{
		const uint32_t *times = pegs_kept_times(rows, b);
		uint32_t	n = pegs_kept_rows(rows, b);

		g->env->check(g->env->context);
		if (feature != CLOSED)
			pegs_kept_column(rows, b, feature, g->code);
		for (uint32_t r = 0; r < n; r++)
		{
			uint64_t	class = feature == CLOSED ? 0 : g->model->class_of[feature][g->code[r]];

			if (place[r] != CLOSED)
				exact[2 * ((place[r] >> 1) * (uint64_t) classes + class) + (place[r] & 1)] += times ? times[r] : 1;
		}
		place += n;
	}
}

/* Claim P30. All open nodes at once: a row is in one cell. False: nothing could be bought. */
static bool
look(growing *g, uint32_t feature, uint32_t classes, double **noisy)
{
	size_t		n = (size_t) g->nopen * classes * 2;
	int64_t    *exact = g->env->alloc(g->env->context, sizeof(int64_t) * n);
	double		variance;

	*noisy = g->env->alloc(g->env->context, sizeof(double) * n);
	count_cells(g, feature, classes, exact);
	variance = pegs_measure(&g->model->accountant, g->rng, PEGS_FOR_NODES, g->cost, exact, *noisy, n);
	pegs_env_free(g->env, exact);
	for (size_t i = 0; variance >= 0 && i < n; i++)
	{
		open_node  *o = &g->open[i / 2 / classes];

		o->total[i % 2] += (*noisy)[i] / classes;
		o->weight += i % (2 * (size_t) classes) == 0 ? 1.0 / classes : 0;
	}
	if (variance >= 0)
		g->sd = sqrt(variance);
	return variance >= 0;
}

/* ---- a cut, by released numbers ---- */

/* Classes in the order in which they may be cut: as they are, or of none by rate (Breiman and others 1984). */
static void
order_classes(double (*const cell)[2], uint32_t n, bool in_order, uint32_t *order)
{
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	j = i;

		for (; !in_order && j > 0; j--)
		{
			const double *before = cell[order[j - 1]];

			if (before[1] * (cell[i][0] + cell[i][1]) <= cell[i][1] * (before[0] + before[1]))
				break;
			order[j] = order[j - 1];
		}
		order[j] = i;
	}
}

/* Is there a better cut of this open node by this feature? */
static void
try_cuts(const growing *g, open_node *o, uint32_t feature, const double *noisy)
{
	uint32_t	n = g->model->classes[feature];
	double		alpha = g->options->alpha[g->made[o->node].tree];
	double		cell[PEGS_TREE_CLASSES][2];
	uint32_t	order[PEGS_TREE_CLASSES];
	double		side[2][2] = {{0, 0}, {0, 0}};
	double		rows = 0;
	uint32_t	yes = (uint32_t) ((UINT64_C(1) << n) - 1);

	for (uint32_t i = 0; i < n; i++)
		for (int y = 0; y < 2; y++)
		{
			cell[i][y] = fmax(noisy[2 * i + (uint32_t) y], CELL_LEAST);
			side[1][y] += cell[i][y];
			rows += cell[i][y];
		}
	order_classes(cell, n, pegs_in_order(g->layout, feature), order);
	for (uint32_t i = 0; i + 1 < n; i++)
	{
		double		gain;

		for (int y = 0; y < 2; y++)
		{
			side[0][y] += cell[order[i]][y];
			side[1][y] -= cell[order[i]][y];
		}
		yes &= ~(UINT32_C(1) << order[i]);
		gain = rows * pegs_alpha_gain(alpha, side, 2);
		if (gain > o->gain)
		{
			o->gain = gain;
			o->feature = feature;
			o->yes = yes;
		}
	}
}

/* ---- a level ---- */

/* What the answers say of the rows of an open node: rows, and the share of positive ones shrunk to the parent's. */
static double
estimate(const growing *g, const open_node *o)
{
	made_node  *m = &g->made[o->node];
	double		rows[2];
	double		weight;

	for (int y = 0; y < 2; y++)
		rows[y] = fmax(o->total[y] / o->weight, 0);
	weight = WEIGHT_SDS * g->sd / sqrt(o->weight) + pegs_accountant_scale(&g->model->accountant);
	m->p = (rows[1] + weight * m->p) / (rows[0] + rows[1] + weight);
	return rows[0] + rows[1];
}

/* Each row of a node that was cut to the kid that it belongs to; of others it is not asked any more. */
static void
move_rows(growing *g)
{
	const pegs_kept *rows = g->scored->rows;
	bool	   *used = g->env->alloc(g->env->context, sizeof(bool) * g->layout->ncols);
	uint32_t   *place = g->place;

	for (uint32_t i = 0; i < g->nopen; i++)
		if (g->open[i].kid != CLOSED)
			used[g->open[i].feature] = true;
	for (uint64_t b = 0; b < pegs_kept_blocks(rows); b++)
	{
		uint32_t	n = pegs_kept_rows(rows, b);

		g->env->check(g->env->context);
		for (uint32_t f = 0; f < g->layout->ncols; f++)
			if (used[f])
				pegs_kept_column(rows, b, f, g->code + (size_t) f * PEGS_CHUNK);
		for (uint32_t r = 0; r < n; r++)
		{
			const open_node *o = place[r] == CLOSED ? NULL : &g->open[place[r] >> 1];

			if (o && o->kid != CLOSED)
			{
				uint16_t	class = g->model->class_of[o->feature][g->code[(size_t) o->feature * PEGS_CHUNK + r]];

				place[r] = 2 * (o->kid + (o->yes >> class & 1)) + (place[r] & 1);
			}
			else
				place[r] = CLOSED;
		}
		place += n;
	}
	pegs_env_free(g->env, used);
}

/* Nodes that have rows enough, and a cut, are cut; their kids are what is open now. */
static void
cut_nodes(growing *g, bool last)
{
	open_node  *next = g->env->alloc(g->env->context, sizeof(open_node) * 2 * g->nopen);
	uint32_t	n = 0;

	for (uint32_t i = 0; i < g->nopen; i++)
	{
		open_node  *o = &g->open[i];
		double		rows = estimate(g, o);
		uint32_t	kid;

		if (g->made[o->node].parent == CLOSED)
			g->model->rows += rows;
		o->kid = CLOSED;
		if (last || !(o->gain > 0) || !(rows > OPEN_SDS * g->sd) || g->nmade + 2 > PEGS_TREES_NODES)
			continue;
		o->kid = n;
		kid = make_node(g, g->made[o->node].tree, o->node);
		make_node(g, g->made[o->node].tree, o->node);
		g->made[o->node].node = (pegs_tree_node) {.kid = kid, .feature = o->feature, .yes = o->yes};
		next[n++].node = kid;
		next[n++].node = kid + 1;
	}
	if (n > 0)
		move_rows(g);
	pegs_env_free(g->env, g->open);
	g->open = next;
	g->nopen = n;
}

/* False: nothing more could be bought, and what is open stays as it is. */
static bool
grow_level(growing *g, bool last)
{
	bool		looked = false;
	double	   *noisy;

	for (uint32_t f = 0; f < g->layout->ncols && !last; f++)
	{
		uint32_t	classes = g->model->classes[f];

		if (classes < 2)
			continue;
		if (!look(g, f, classes, &noisy))
			return false;
		looked = true;
		for (uint32_t i = 0; i < g->nopen; i++)
		{
			g->env->check(g->env->context);
			try_cuts(g, &g->open[i], f, noisy + (size_t) i * classes * 2);
		}
		pegs_env_free(g->env, noisy);
	}
	if (!looked)				/* the last level, or no feature that says anything */
	{
		if (!look(g, CLOSED, 1, &noisy))
			return false;
		pegs_env_free(g->env, noisy);
	}
	cut_nodes(g, last || !looked);
	return true;
}

/* ---- a fit ---- */

/*
 * Which tree a row is of: another stream of the key. So it is the same in both runs of an audit, whatever
 * noise was drawn; and has nothing to do with the noise.
 */
static void
deal_stream(const pegs_rng *rng, pegs_rng *deal)
{
	*deal = *rng;
	deal->counter = 0;
	deal->nonce[0] = 0;
	deal->nonce[2] ^= UINT32_MAX;
	deal->next = PEGS_RNG_BLOCKS * 8;
}

/* Nodes tree by tree: each of them in the order in which they were made, which is level by level. */
static void
keep_nodes(const growing *g)
{
	pegs_trees *model = g->model;
	uint32_t   *place = g->env->alloc(g->env->context, sizeof(uint32_t) * g->nmade);
	uint32_t	n = 0;

	model->ntrees = g->options->alphas;
	model->first = g->env->alloc(g->env->context, sizeof(uint32_t) * (model->ntrees + 1));
	model->node = g->env->alloc(g->env->context, sizeof(pegs_tree_node) * g->nmade);
	for (uint32_t t = 0; t < model->ntrees; t++)
	{
		model->first[t] = n;
		for (uint32_t i = 0; i < g->nmade; i++)
			if (g->made[i].tree == t)
				place[i] = n++;
	}
	model->first[model->ntrees] = n;
	for (uint32_t i = 0; i < g->nmade; i++)
	{
		pegs_tree_node *node = &model->node[place[i]];

		*node = g->made[i].node;
		if (node->kid > 0)
			node->kid = place[node->kid] - model->first[g->made[i].tree];
		node->points = pegs_points_of(g->made[i].p);
	}
	pegs_env_free(g->env, place);
}

void
pegs_tree_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const pegs_scored *scored,
			  const pegs_tree_options *options, pegs_trees *model)
{
	growing		g = {.env = env, .rng = rng, .layout = layout, .scored = scored, .options = options, .model = model};
	double		share = options->declared ? 0 : accountant->pure ? CLASSES_SHARE_PURE : CLASSES_SHARE_RHO;
	double		budget = pegs_accountant_left(accountant);
	pegs_rng	deal;

	deal_stream(rng, &deal);
	memset(model, 0, sizeof(*model));
	model->accountant = *accountant;
	model->accountant.env = env;
	model->ncols = layout->ncols;
	model->levels = layout->levels;
	g.cost = (1 - share) * budget / ((double) (layout->ncols - 1) * options->depth + 1);
	pegs_env_step(env, PEGS_STEP_ONEWAYS);
	pegs_trees_classes(env, rng, layout, scored, share * budget, 5 * pegs_noise_sd(accountant, g.cost), model);
	pegs_env_step(env, PEGS_STEP_ROUNDS);
	g.code = env->alloc(env->context, sizeof(uint16_t) * PEGS_CHUNK * layout->ncols);
	plant(&g, &deal);
	for (uint32_t d = 0; d <= options->depth && g.nopen > 0; d++)
		if (!grow_level(&g, d == options->depth))
			break;
	pegs_env_step(env, PEGS_STEP_LAST);
	keep_nodes(&g);
	model->rows = fmax(1, model->rows / pegs_accountant_scale(accountant));
	model->accountant.env = NULL;	/* the model may live longer */
	pegs_rng_wipe(&deal);
	pegs_env_free(env, g.place);
	pegs_env_free(env, g.code);
	pegs_env_free(env, g.open);
	pegs_env_free(env, g.made);
}
