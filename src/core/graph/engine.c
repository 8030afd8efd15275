/*
 * engine.c
 *	  The fit-once engine: forest, rounds, what is left over (steps C, D, E).
 *
 * What to measure next is chosen by the exponential mechanism; which chosen
 * pairs fit the junction tree depends on sizes only. Pairs that do not fit are
 * measured all the same and stay outside: rows are adjusted to them. Constants:
 * docs/engine.md. Claims P6 and P7.
 */
#include "core/graph/state.h"

#include <math.h>
#include <string.h>

static const double FOREST_SHARE = 0.40;	/* of what the 1-ways leave */
static const int SWEEPS[2] = {3, 1};	/* of a tree of other cliques, or classes, than the last; of one that goes on where that ended */
static const int LAST_SWEEPS[2] = {10, 5};
static const int MISSES = 3;		/* batches of nothing: the last of them ends the rounds */

/* The constant score of choosing nothing: half of it, too, where pairs without the target count half, or they would never be worth it. */
static int64_t
stop_score(const pegs_graph_fit *f, double for_choice, size_t n)
{
	double		whole = log((double) n + 1) / pegs_choice_factor(f->accountant, for_choice);

	return llround(fmin(f->layout->target ? whole / 2 : whole, 0x1p52));
}

/* Pairs and triples of the tree in its graph, each column with as many classes as its finest grid; within: pairs that a triple has. */
static void
join_columns(pegs_graph_fit *f, pegs_graph *graph, uint32_t *classes, bool *within)
{
	pegs_fitted *model = f->model;

	pegs_estimate_pairs(f);
	pegs_estimate_triples(f);
	for (uint32_t p = 0; p < model->npairs; p++)
	{
		pegs_pair  *pair = &model->pair[p];

		if (pair->outside)
			continue;
		pegs_graph_join(graph, pair->column[0], pair->column[1]);
		for (int x = 0; x < 2; x++)
			if (pair->k[x] > classes[pair->column[x]])
				classes[pair->column[x]] = pair->k[x];
	}
	for (uint32_t t = 0; t < model->ntriples; t++)
	{
		const pegs_triple *triple = &model->triple[t];

		for (uint32_t x = 0; x < 3 && !triple->outside; x++)
		{
			classes[triple->column[x]] = model->levels[triple->column[x]];
			for (uint32_t y = 0; y < x; y++)
			{
				pegs_graph_join(graph, triple->column[x], triple->column[y]);
				within[pegs_get_or_add_pair(f, triple->column[y], triple->column[x]) - model->pair] = true;
			}
		}
	}
}

static pegs_target
target_of_pair(const pegs_graph_fit *f, const pegs_pair *pair, const uint32_t *classes)
{
	const pegs_fitted *model = f->model;
	pegs_target t = {.n = 2, .share = pair->share};

	for (int x = 0; x < 2; x++)
	{
		uint32_t	column = pair->column[x];

		t.column[x] = column;
		t.k[x] = pair->k[x];
		if (pair->k[x] < classes[column])
		{
			uint16_t   *coarse = pegs_fit_alloc(f, classes[column], sizeof(uint16_t));

			for (uint32_t l = 0; l < model->levels[column]; l++)
				coarse[model->class_of[column][l]] = pair->class_of[x][l];
			t.coarse[x] = coarse;
		}
	}
	return t;
}

static pegs_target
target_of_triple(const pegs_fitted *model, const pegs_triple *triple)
{
	pegs_target t = {.n = 3, .share = triple->share};

	for (int x = 0; x < 3; x++)
	{
		t.column[x] = triple->column[x];
		t.k[x] = model->levels[triple->column[x]];
	}
	return t;
}

/* Estimates everything anew from all measurements. */
static void
refit(pegs_graph_fit *f, const int *sweeps)
{
	pegs_fitted *model = f->model;
	uint32_t	m = model->ncols;
	uint32_t   *classes = pegs_fit_alloc(f, m, sizeof(uint32_t));
	double	  **one = pegs_fit_alloc(f, m, sizeof(double *));
	pegs_target *target = pegs_fit_alloc(f, 2 * (size_t) m + model->npairs + model->ntriples, sizeof(pegs_target));
	bool	   *within = pegs_fit_alloc(f, (size_t) model->npairs + 1, sizeof(bool));
	pegs_jtree	before = model->tree;
	uint32_t	n = 0;
	pegs_graph	graph;

	pegs_estimate_oneways(f);
	pegs_absent_agree(f);
	pegs_graph_init(f->env, &graph, m);
	graph.rank = f->layout->rank;
	for (uint32_t i = 0; i < m; i++)
		classes[i] = 1;
	join_columns(f, &graph, classes, within);
	pegs_absent_join(f, &graph, classes);
	for (uint32_t i = 0; i < m; i++)
	{
		model->class_of[i] = pegs_fit_alloc(f, model->levels[i], sizeof(uint16_t));
		pegs_merge_cut(&f->merge[i], classes[i], model->class_of[i]);
		one[i] = pegs_class_shares(f, i, classes[i], model->class_of[i]);
	}
	for (uint32_t p = 0; p < model->npairs; p++)
		if (!model->pair[p].outside && !within[p])
			target[n++] = target_of_pair(f, &model->pair[p], classes);
	for (uint32_t t = 0; t < model->ntriples; t++)
		if (!model->triple[t].outside)
			target[n++] = target_of_triple(model, &model->triple[t]);
	n += pegs_absent_targets(f, classes, target + n);
	/* last, so that they hold best */
	for (uint32_t i = 0; i < m; i++)
		target[n++] = (pegs_target) {.n = 1, .column = {i}, .k = {classes[i], 1}, .share = one[i]};
	pegs_jtree_build(f->env, &model->tree, &graph, classes, one);
	pegs_jtree_fit(f->env, &model->tree, target, n, sweeps[pegs_jtree_resume(&model->tree, &before)]);
}

static void
free_pairs(const pegs_graph_fit *f, double **tree_pairs)
{
	for (size_t i = 0; i < (size_t) f->layout->ncols * f->layout->ncols; i++)
	{
		pegs_env_turn(f->env, i);
		if (tree_pairs[i])
			pegs_env_free(f->env, tree_pairs[i]);
	}
	pegs_env_free(f->env, tree_pairs);
}

/* What each pair of the forest may cost, of what the 1-ways left. */
double
pegs_forest_cost(uint32_t ncols, double left)
{
	return FOREST_SHARE * left / (ncols - 1);
}

/* Step C: at most m - 1 pairs that join components, or a stop. */
static void
fit_forest(pegs_graph_fit *f)
{
	uint32_t	m = f->layout->ncols;
	double		each = pegs_forest_cost(m, pegs_accountant_left(f->accountant));
	double		for_pair = (1 - PEGS_CHOICE_SHARE) * each;
	double		for_choice = PEGS_CHOICE_SHARE * each;
	uint32_t   *component = pegs_fit_alloc(f, m, sizeof(uint32_t));
	uint32_t   *grid = pegs_fit_alloc(f, 2 * (size_t) m, sizeof(uint32_t));
	size_t		n;
	pegs_candidate *c;
	int64_t    *score;
	pegs_candidate **open;
	double	  **tree_pairs = NULL;

	if (!pegs_buys_noise(f->accountant, for_pair) || !pegs_buys_noise(f->accountant, for_choice))
		return;
	for (uint32_t i = 0; i < m; i++)
		component[i] = i;
	if (f->layout->absence)
	{
		/* what is known of columns without a look is nothing to be found */
		refit(f, SWEEPS);
		tree_pairs = pegs_fit_alloc(f, (size_t) m * m, sizeof(double *));
		pegs_jtree_pairs(f->env, &f->model->tree, tree_pairs);
	}
	c = pegs_offer(f, pegs_noise_sd(f->accountant, for_pair), &n);
	for (size_t i = 0; i < n; i++)
	{
		f->env->check(f->env->context);
		c[i].score = pegs_score(f, &c[i], tree_pairs, pegs_noise_abs(f->accountant, for_pair));
	}
	if (tree_pairs)
		free_pairs(f, tree_pairs);
	score = pegs_fit_alloc(f, n + 1, sizeof(int64_t));
	open = pegs_fit_alloc(f, n + 1, sizeof(pegs_candidate *));
	for (uint32_t step = 0; step + 1 < m; step++)
	{
		size_t		nopen = 0;
		size_t		pick;
		pegs_pair  *pair;

		for (size_t i = 0; i < n; i++)
		{
			pegs_env_turn(f->env, i);
			if (component[c[i].column[0]] != component[c[i].column[1]])
			{
				score[nopen] = c[i].score;
				open[nopen++] = &c[i];
			}
		}
		if (nopen == 0)
			break;
		score[nopen] = stop_score(f, for_choice, nopen);
		pick = pegs_choose(f->accountant, f->rng, for_choice, score, nopen + 1);
		if (pick == nopen)
			break;				/* no pair is worth its noise */
		pair = pegs_get_or_add_pair(f, open[pick]->column[0], open[pick]->column[1]);
		memcpy(grid + 2 * (pair - f->model->pair), open[pick]->k, 2 * sizeof(uint32_t));
		for (uint32_t i = 0, from = component[pair->column[1]], to = component[pair->column[0]]; i < m; i++)
			if (component[i] == from)
				component[i] = to;
	}
	pegs_env_free(f->env, c);
	pegs_env_free(f->env, score);
	pegs_env_free(f->env, open);
	for (uint32_t p = 0; p < f->model->npairs; p++)
		pegs_measure_pair(f, &f->model->pair[p], grid + 2 * p, for_pair);
}

/* One round: choose up to `batch` pairs and triples from one set of scores. Returns how many, in chosen[]. */
static uint32_t
choose_batch(pegs_graph_fit *f, uint32_t batch, double for_pair, double for_choice, double *const *tree_pairs,
			 pegs_candidate *chosen)
{
	size_t		n;
	pegs_candidate *c = pegs_offer(f, pegs_noise_sd(f->accountant, for_pair), &n);
	int64_t    *score;
	double		spent = 1 - pegs_accountant_left(f->accountant) / ((double) f->accountant->total * 0x1p-50);
	double		cells = PEGS_TREE_CELLS * fmax(0.25, spent);
	pegs_plan	p = pegs_plan_of_tree(f);
	uint32_t	got = 0;
	int64_t		stop;

	if (pegs_offers_triples(f->accountant, f->model->rows, f->covered))
		pegs_offer_triples(f, c, &n);
	score = pegs_fit_alloc(f, n + 1, sizeof(int64_t));
	for (size_t i = 0; i < n; i++)
	{
		f->env->check(f->env->context);
		c[i].score = pegs_candidate_score(f, &c[i], tree_pairs, pegs_noise_abs(f->accountant, for_pair));
	}
	stop = stop_score(f, for_choice, n + 1);
	while (got < batch && n > 0)
	{
		size_t		pick;
		size_t		kept = 0;

		for (size_t i = 0; i < n; i++)
		{
			pegs_env_turn(f->env, i);
			score[i] = c[i].score;
		}
		score[n] = stop;
		pick = pegs_choose(f->accountant, f->rng, for_choice, score, n + 1);
		if (pick == n)
			break;
		chosen[got] = c[pick];
		for (size_t i = 0; i < n; i++)
		{
			pegs_env_turn(f->env, i);
			if (pegs_candidate_shared(&c[i], &chosen[got]) < 2)
				c[kept++] = c[i];
		}
		n = kept;
		pegs_candidate_place(f, &p, &chosen[got++], cells);
	}
	pegs_env_free(f->env, c);
	pegs_env_free(f->env, score);
	return got;
}

/* Step D: batches of pairs where the model is furthest from the rows, until the budget is used. */
static void
fit_rounds(pegs_graph_fit *f)
{
	uint32_t	m = f->layout->ncols;
	double		total = (double) f->accountant->total * 0x1p-50;
	uint32_t	batch;
	double		rounds = pegs_rounds(f->env, f->accountant, m, pegs_levels_in_use(f), f->model->rows, f->covered, &batch);
	double		cost = pegs_accountant_left(f->accountant) / rounds * batch;
	pegs_candidate *chosen = pegs_fit_alloc(f, batch + 1, sizeof(pegs_candidate));
	int			misses = 0;

	while (pegs_accountant_left(f->accountant) > 1e-6 * total)
	{
		double		left = pegs_accountant_left(f->accountant);
		double	  **tree_pairs = pegs_fit_alloc(f, (size_t) m * m, sizeof(double *));
		double		for_pair;
		uint32_t	got;
		double	  **before;
		uint32_t	quiet = 0;
		double		each;

		cost = fmin(cost, left);
		if (left - cost < cost / 2)
			cost = left;
		each = cost / batch;
		for_pair = (1 - PEGS_CHOICE_SHARE) * each;
		if (!pegs_buys_noise(f->accountant, for_pair) || !pegs_buys_noise(f->accountant, PEGS_CHOICE_SHARE * each))
			break;
		pegs_jtree_pairs(f->env, &f->model->tree, tree_pairs);
		got = choose_batch(f, batch, for_pair, PEGS_CHOICE_SHARE * each, tree_pairs, chosen);
		if (got == 0)
		{
			free_pairs(f, tree_pairs);
			/* less can be seen than was hoped: look at less, and better */
			each *= PEGS_AFTER_MISS;
			batch = (uint32_t) fmin(batch, pegs_accountant_left(f->accountant) / each);
			if (++misses >= MISSES || batch == 0)
				break;
			cost = batch * each;
			continue;
		}
		before = pegs_fit_alloc(f, got, sizeof(double *));
		for (uint32_t i = 0; i < got; i++)
			before[i] = pegs_candidate_expected(f, &chosen[i], tree_pairs);
		for (uint32_t i = 0; i < got; i++)
			pegs_candidate_measure(f, &chosen[i], for_pair);
		refit(f, SWEEPS);
		/* where nothing moved by more than its noise, measure less and better */
		for (uint32_t i = 0; i < got; i++)
		{
			size_t		n = pegs_candidate_cells(&chosen[i]);
			double		moved = 0;
			double	   *after = pegs_candidate_estimate(f, &chosen[i], tree_pairs);

			for (size_t j = 0; j < n; j++)
				moved += fabs(after[j] - before[i][j]);
			quiet += f->model->rows * moved <= pegs_noise_abs(f->accountant, for_pair) * (double) n;
		}
		if (quiet == got)
			cost *= PEGS_AFTER_MISS;
		free_pairs(f, tree_pairs);
	}
}

/* Step E: what is left goes half to the pairs, half to the 1-ways. */
static void
spend_rest(pegs_graph_fit *f)
{
	double		left = pegs_accountant_left(f->accountant);
	uint32_t	tables = f->model->ntriples;
	double		each;
	bool		buys;

	for (uint32_t p = 0; p < f->model->npairs; p++)
		tables += f->model->pair[p].n > 0;
	each = tables > 0 ? 0.5 * left / tables : 0;
	buys = pegs_buys_noise(f->accountant, each);	/* without that nothing need be added up */
	for (uint32_t p = 0; buys && p < f->model->npairs; p++)
	{
		pegs_pair  *pair = &f->model->pair[p];

		if (pair->n > 0)
			pegs_measure_pair(f, pair, pair->measured[pair->n - 1].k, each);
	}
	for (uint32_t t = 0; buys && t < f->model->ntriples; t++)
		pegs_measure_triple(f, &f->model->triple[t], each);
	pegs_measure_oneways(f, pegs_accountant_left(f->accountant));
}

/* Persons that were counted rows_each times become persons again: post-processing, shares are what they were. */
static void
divide_counts(pegs_fitted *model)
{
	double		scale = pegs_accountant_scale(&model->accountant);

	model->rows /= scale;
	for (uint32_t p = 0; p < model->npairs; p++)
	{
		pegs_pair  *pair = &model->pair[p];

		pair->variance /= scale * scale;
		for (uint32_t i = 0; i < pair->n; i++)
		{
			pegs_measured *m = &pair->measured[i];

			m->variance /= scale * scale;
			for (size_t j = 0; j < (size_t) m->k[0] * m->k[1]; j++)
				m->noisy[j] /= scale;
		}
	}
	for (uint32_t t = 0; t < model->ntriples; t++)
		model->triple[t].variance /= scale * scale;
}

/* The model as it is, in rows: what `aside` is told. */
static pegs_fitted
so_far(const pegs_graph_fit *f)
{
	double		scale = pegs_accountant_scale(f->accountant);
	pegs_fitted model = *f->model;

	model.rows /= scale;
	model.pair = pegs_fit_alloc(f, (size_t) model.npairs + 1, sizeof(pegs_pair));
	model.triple = pegs_fit_alloc(f, (size_t) model.ntriples + 1, sizeof(pegs_triple));
	memcpy(model.pair, f->model->pair, sizeof(pegs_pair) * model.npairs);
	for (uint32_t p = 0; p < model.npairs; p++)
		model.pair[p].variance /= scale * scale;
	if (model.ntriples > 0)
		memcpy(model.triple, f->model->triple, sizeof(pegs_triple) * model.ntriples);
	for (uint32_t t = 0; t < model.ntriples; t++)
		model.triple[t].variance /= scale * scale;
	return model;
}

/* Steps C and D: the forest, and the rounds. */
static void
fit_pairs(pegs_graph_fit *f)
{
	/* the same steps whatever N, which nobody has paid for yet: claim P5 */
	pegs_env_step(f->env, PEGS_STEP_FOREST);
	if (pegs_can_cover(f->accountant, f->layout->ncols, f->layout->levels, f->model->share, f->model->rows))
	{
		pegs_measure_cover(f);
		pegs_plan_cover(f, PEGS_TREE_CELLS);
	}
	else
		fit_forest(f);
	refit(f, SWEEPS);
	pegs_env_step(f->env, PEGS_STEP_ROUNDS);
	fit_rounds(f);
}

void
pegs_engine_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant,
				const pegs_layout *layout, const uint64_t *cells, pegs_fitted *model)
{
	pegs_engine_fit_aside(env, rng, accountant, layout, cells, NULL, model);
}

void
pegs_engine_fit_aside(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout,
					  const uint64_t *cells, const pegs_aside *aside, pegs_fitted *model)
{
	uint64_t	total = accountant->total;
	uint32_t	m = layout->ncols;
	pegs_graph_fit	f = {.env = env, .rng = rng, .layout = layout, .cells = cells, .model = model};

	memset(model, 0, sizeof(*model));
	model->smooth = true;
	model->accountant = *accountant;
	model->accountant.env = env;
	f.accountant = &model->accountant;
	model->ncols = m;
	model->levels = layout->levels;
	model->rank = layout->rank;
	model->share = pegs_fit_alloc(&f, m, sizeof(double *));
	model->class_of = pegs_fit_alloc(&f, m, sizeof(uint16_t *));
	for (uint32_t i = 0; i < m; i++)
		model->share[i] = pegs_fit_alloc(&f, layout->levels[i], sizeof(double));
	model->pair = pegs_fit_alloc(&f, (size_t) m * (m - 1) / 2 + 1, sizeof(pegs_pair));
	if (layout->triple_offset)
		model->triple = pegs_fit_alloc(&f, (size_t) m * (m - 1) * (m - 2) / 6, sizeof(pegs_triple));
	f.one = pegs_fit_alloc(&f, m, sizeof(pegs_oneway));
	f.merge = pegs_fit_alloc(&f, m, sizeof(pegs_merge));
	f.pair_of = pegs_fit_alloc(&f, (size_t) m * m, sizeof(int32_t));
	memset(f.pair_of, 0xff, sizeof(int32_t) * m * m);	/* -1: there is none */
	if (layout->pair_offset == NULL)
		f.later = pegs_later_begin(env, layout);
	pegs_env_step(env, PEGS_STEP_ONEWAYS);
	pegs_fit_oneways(&f);
	pegs_absent_agree(&f);
	for (uint32_t i = 0; i < m; i++)
		pegs_merge_build(env, &f.merge[i], layout->levels[i], pegs_absent_masses(&f, i), layout->groups ? layout->groups[i] : NULL);
	if (aside)
	{
		uint64_t	left = total - f.accountant->spent;
		double		part = fmin(fmax(aside->part(aside->to, f.accountant, model->rows), 0), 1) * (double) left;

		/* never below what is spent, whatever a double makes of the part */
		f.accountant->total -= part >= (double) left ? left : (uint64_t) part;
	}
	if (m > 1)
		fit_pairs(&f);
	if (aside)
	{
		pegs_fitted told;

		f.accountant->total = total;
		if (m <= 1)
			refit(&f, SWEEPS);
		told = so_far(&f);
		aside->spend(aside->to, rng, f.accountant, &told);
	}
	pegs_env_step(env, PEGS_STEP_LAST);
	spend_rest(&f);
	refit(&f, LAST_SWEEPS);
	divide_counts(model);
	model->accountant.env = NULL;	/* the model may live longer */
}
