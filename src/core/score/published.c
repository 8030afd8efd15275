/*
 * published.c
 *	  DPaT and EDPaT as they were published.
 *
 * Algorithms 4 and 5, Table 5.1 and phi - chi of Park's thesis, and what it does not
 * say but its printed trees show: numbers are cut at equal parts of the node's own
 * range, levels are asked for one by one, and only what other columns offer
 * competes. None of it is private: the structure, the cuts and Delta are functions
 * of exact counts (docs/privacy.md says why no such structure can be). It must
 * never be given to anyone who may not read the rows.
 */
#include "core/score/published.h"

#include <math.h>
#include <string.h>

#include "core/score/alpha.h"

#define CELLS_AT_ONCE (UINT32_C(1) << 20)	/* of the counts of some nodes by one column */
#define CLOSED UINT32_MAX

/* ---- growth ---- */

typedef struct rival
{
	double		kappa;			/* the best cut's least gain, whichever row comes or goes; with `always` its gain */
	double		lambda;			/* the largest gain that any cut may have */
	uint32_t	level;
	double		cut;
} rival;

typedef struct open_node
{
	uint32_t	node;
	bool		stops;
	rival		best;			/* of the columns so far */
	uint32_t	feature;
	double		second;			/* the largest lambda of the other columns */
} open_node;

typedef struct growing
{
	const pegs_env *env;
	const pegs_scored *scored;
	const pegs_published_options *options;
	pegs_published *model;
	double		alpha;
	uint32_t	first;			/* node of this tree */
	uint32_t	nnodes;
	uint32_t	room;
	pegs_published_node *node;
	uint32_t	nopen;
	open_node  *open;
	uint64_t	nrows;
	uint32_t   *place;			/* [nrows] open node, or CLOSED */
	bool	   *positive;		/* [nrows] */
	uint16_t   *code;			/* [ncols][PEGS_CHUNK] */
	uint32_t   *order;			/* [levels of a column] numbers from below, then levels that have none */
} growing;

static uint32_t
make_node(growing *g)
{
	if (g->nnodes == g->room)
	{
		pegs_published_node *more;

		g->room = g->room > 0 ? 2 * g->room : 64;
		more = g->env->alloc(g->env->context, sizeof(pegs_published_node) * g->room);
		if (g->nnodes > 0)
		{
			memcpy(more, g->node, sizeof(pegs_published_node) * g->nnodes);
			pegs_env_free(g->env, g->node);
		}
		g->node = more;
	}
	g->node[g->nnodes] = (pegs_published_node) {0};
	return g->nnodes++;
}

/* Table 5.1: the least and the largest gain of all tables with a row more or a row less. */
static void
eight_cases(double alpha, double table[2][2], rival *r)
{
	r->kappa = INFINITY;
	r->lambda = -INFINITY;
	for (int c = 0; c < 8; c++)
	{
		double	   *cell = &table[c / 2 % 2][c % 2];
		double		is = *cell;
		double		gain;

		if (c >= 4 && is < 1)
			continue;
		*cell = is + (c < 4 ? 1 : -1);
		gain = pegs_alpha_gain(alpha, (const double (*)[2]) table, 2);
		*cell = is;
		r->kappa = fmin(r->kappa, gain);
		r->lambda = fmax(r->lambda, gain);
	}
}

/* A cut, as table[yes][positive], beside the column's best one. */
static void
try_cut(const growing *g, double table[2][2], uint32_t level, double cut, rival *of_column)
{
	rival		r;

	if (table[0][0] + table[0][1] == 0 || table[1][0] + table[1][1] == 0)
		return;
	if (g->options->always)
		r.kappa = r.lambda = pegs_alpha_gain(g->alpha, (const double (*)[2]) table, 2);
	else
		eight_cases(g->alpha, table, &r);
	if (r.kappa > of_column->kappa)
	{
		of_column->kappa = r.kappa;
		of_column->level = level;
		of_column->cut = cut;
	}
	of_column->lambda = fmax(of_column->lambda, r.lambda);
}

/* Equal parts of the range of a node's numbers. */
static void
try_numbers(const growing *g, const double *value, const pegs_published_node *node, const uint64_t (*count)[2], uint32_t levels, rival *r)
{
	double		below[2] = {0, 0};
	double		least = NAN;
	double		most = NAN;
	uint32_t	at = 0;

	for (uint32_t i = 0; i < levels; i++)
	{
		uint32_t	l = g->order[i];

		if (isnan(value[l]))	/* above nothing */
		{
			below[0] += (double) count[l][0];
			below[1] += (double) count[l][1];
		}
		else if (count[l][0] + count[l][1] > 0)
		{
			least = isnan(least) ? value[l] : least;
			most = value[l];
		}
	}
	for (uint32_t k = 1; k < g->options->cuts && most > least; k++)
	{
		double		cut = least + (most - least) * k / g->options->cuts;
		double		table[2][2];

		for (; at < levels && value[g->order[at]] <= cut; at++)
			for (int y = 0; y < 2; y++)
				below[y] += (double) count[g->order[at]][y];
		table[0][0] = below[0];
		table[0][1] = below[1];
		table[1][0] = (double) (node->rows - node->positive) - below[0];
		table[1][1] = (double) node->positive - below[1];
		try_cut(g, table, 0, cut, r);
	}
}

static void
try_levels(const growing *g, const pegs_published_node *node, const uint64_t (*count)[2], uint32_t levels, rival *r)
{
	for (uint32_t l = 0; l < levels; l++)
	{
		double		table[2][2] = {{(double) (node->rows - node->positive - count[l][0]), (double) (node->positive - count[l][1])},
			{(double) count[l][0], (double) count[l][1]}};

		if (l % PEGS_CHUNK == 0)
			g->env->check(g->env->context);
		try_cut(g, table, l, 0, r);
	}
}

/* What a column offers to an open node. */
static void
try_column(const growing *g, open_node *o, uint32_t column, const uint64_t (*count)[2])
{
	const pegs_published *model = g->model;
	rival		r = {.kappa = -INFINITY, .lambda = -INFINITY};

	if (model->value[column])
		try_numbers(g, model->value[column], &g->node[o->node], count, model->levels[column], &r);
	else
		try_levels(g, &g->node[o->node], count, model->levels[column], &r);
	if (r.kappa > o->best.kappa)
	{
		o->second = fmax(o->second, o->best.lambda);
		o->best = r;
		o->feature = column;
	}
	else
		o->second = fmax(o->second, r.lambda);
}

/* Levels by their numbers; those of equal ones as they are declared. */
static void
order_levels(growing *g, const double *value, uint32_t levels)
{
	uint32_t   *from = g->env->alloc(g->env->context, sizeof(uint32_t) * levels);
	uint32_t   *to = g->order;

	for (uint32_t i = 0; i < levels; i++)
		from[i] = i;
	/* runs of `width` are joined two by two */
	for (uint32_t width = 1; width < levels; width *= 2)
	{
		uint32_t   *swap = from;

		g->env->check(g->env->context);
		for (uint32_t begin = 0; begin < levels; begin += 2 * width)
		{
			uint32_t	a = begin;
			uint32_t	a_end = begin + width < levels ? begin + width : levels;
			uint32_t	b = a_end;
			uint32_t	b_end = a_end + width < levels ? a_end + width : levels;

			for (uint32_t i = begin; i < b_end; i++)
			{
				bool		take_b = a == a_end || (b < b_end && (value[from[b]] < value[from[a]]
																  || (isnan(value[from[a]]) && !isnan(value[from[b]]))));

				to[i] = from[take_b ? b++ : a++];
			}
		}
		from = to;
		to = swap;
	}
	if (from != g->order)
		memcpy(g->order, from, sizeof(uint32_t) * levels);
	pegs_env_free(g->env, from == g->order ? to : from);
}

static void
count_levels(const growing *g, uint32_t column, uint32_t begin, uint32_t end, uint64_t (*count)[2])
{
	const pegs_kept *rows = g->scored->rows;
	uint32_t	levels = g->model->levels[column];
	uint64_t	at = 0;

	for (uint64_t b = 0; b < pegs_kept_blocks(rows); b++)
	{
		const uint32_t *times = pegs_kept_times(rows, b);
		uint32_t	n = pegs_kept_rows(rows, b);

		g->env->check(g->env->context);
		pegs_kept_column(rows, b, column, g->code);
		for (uint32_t r = 0; r < n; r++, at++)
			if (g->place[at] != CLOSED && g->place[at] >= begin && g->place[at] < end)
				count[(size_t) (g->place[at] - begin) * levels + g->code[r]][g->positive[at]] += times ? times[r] : 1;
	}
}

/* A column at all open nodes, some at once. */
static void
look_at_column(growing *g, uint32_t column)
{
	uint32_t	levels = g->model->levels[column];
	uint32_t	each = levels < CELLS_AT_ONCE / 2 ? CELLS_AT_ONCE / 2 / levels : 1;
	uint64_t  (*count)[2];

	if (each > g->nopen)
		each = g->nopen;
	count = g->env->alloc(g->env->context, sizeof(*count) * each * levels);
	g->order = g->env->alloc(g->env->context, sizeof(uint32_t) * levels);
	if (g->model->value[column])
		order_levels(g, g->model->value[column], levels);
	for (uint32_t begin = 0; begin < g->nopen; begin += each)
	{
		uint32_t	end = g->nopen - begin > each ? begin + each : g->nopen;

		memset(count, 0, sizeof(*count) * each * levels);
		count_levels(g, column, begin, end, count);
		for (uint32_t i = begin; i < end; i++)
		{
			g->env->check(g->env->context);
			if (!g->open[i].stops)
				try_column(g, &g->open[i], column, (const uint64_t (*)[2]) count + (size_t) (i - begin) * levels);
		}
	}
	pegs_env_free(g->env, count);
	pegs_env_free(g->env, g->order);
}

/* Rows go to the open nodes that they now belong to, and are counted there. kid[i]: the first of node i of those that were open, or CLOSED. */
static void
move_rows(growing *g, const uint32_t *kid, const open_node *was)
{
	const pegs_kept *rows = g->scored->rows;
	uint64_t	at = 0;

	for (uint64_t b = 0; b < pegs_kept_blocks(rows); b++)
	{
		const uint32_t *times = pegs_kept_times(rows, b);
		uint32_t	n = pegs_kept_rows(rows, b);

		g->env->check(g->env->context);
		for (uint32_t f = 0; f < g->model->ncols; f++)
			pegs_kept_column(rows, b, f, g->code + (size_t) f * PEGS_CHUNK);
		for (uint32_t r = 0; r < n; r++, at++)
		{
			uint32_t	from = g->place[at];
			const open_node *o = from == CLOSED ? NULL : &was[from];
			uint16_t	code;
			const double *value;
			pegs_published_node *to;

			g->place[at] = CLOSED;
			if (o == NULL || kid[from] == CLOSED)
				continue;
			code = g->code[(size_t) o->feature * PEGS_CHUNK + r];
			value = g->model->value[o->feature];
			g->place[at] = kid[from] + (value ? value[code] > o->best.cut : code == o->best.level);
			to = &g->node[g->open[g->place[at]].node];
			to->rows += times ? times[r] : 1;
			to->positive += g->positive[at] ? (times ? times[r] : 1) : 0;
		}
	}
}

/* Does it end here, whatever the columns offer? */
static bool
stops(const growing *g, const pegs_published_node *node)
{
	return node->rows < g->options->least || node->positive == 0 || node->positive == node->rows;
}

static void
grow_level(growing *g)
{
	open_node  *was = g->open;
	uint32_t   *kid = g->env->alloc(g->env->context, sizeof(uint32_t) * g->nopen);
	uint32_t	n = 0;

	for (uint32_t i = 0; i < g->nopen; i++)
		g->open[i] = (open_node) {.node = g->open[i].node, .stops = stops(g, &g->node[g->open[i].node]),
			.best = {.kappa = -INFINITY, .lambda = -INFINITY}, .second = -INFINITY};
	for (uint32_t c = 0; c < g->model->ncols; c++)
		if (c != g->scored->target)
			look_at_column(g, c);
	g->open = g->env->alloc(g->env->context, sizeof(open_node) * 2 * g->nopen);
	for (uint32_t i = 0; i < g->nopen; i++)
	{
		uint32_t	made;

		kid[i] = CLOSED;
		/* (5.9): the best column's least gain is no smaller than the others' largest */
		if (was[i].stops || was[i].best.kappa == -INFINITY || (!g->options->always && !(was[i].best.kappa >= was[i].second))
			|| g->nnodes + 2 > g->model->room)
			continue;
		kid[i] = n;
		made = make_node(g);
		make_node(g);
		g->node[was[i].node].kid = made - g->first;
		g->node[was[i].node].feature = was[i].feature;
		g->node[was[i].node].level = was[i].best.level;
		g->node[was[i].node].cut = was[i].best.cut;
		g->open[n++].node = made;
		g->open[n++].node = made + 1;
	}
	move_rows(g, kid, was);
	g->nopen = n;
	pegs_env_free(g->env, was);
	pegs_env_free(g->env, kid);
}

/* The root of another tree, and all rows in it. */
static void
plant(growing *g, double alpha)
{
	const pegs_kept *rows = g->scored->rows;
	uint64_t	at = 0;
	uint32_t	root;

	g->alpha = alpha;
	g->first = g->nnodes;
	root = make_node(g);
	g->open = g->env->alloc(g->env->context, sizeof(open_node));
	g->open[0].node = root;
	g->nopen = 1;
	for (uint64_t b = 0; b < pegs_kept_blocks(rows); b++)
	{
		const uint32_t *times = pegs_kept_times(rows, b);
		uint32_t	n = pegs_kept_rows(rows, b);

		g->env->check(g->env->context);
		pegs_kept_column(rows, b, g->scored->target, g->code);
		for (uint32_t r = 0; r < n; r++, at++)
		{
			g->place[at] = 0;
			g->positive[at] = g->scored->positive[g->code[r]];
			g->node[root].rows += times ? times[r] : 1;
			g->node[root].positive += g->positive[at] ? (times ? times[r] : 1) : 0;
		}
	}
}

void
pegs_published_fit(const pegs_env *env, const pegs_layout *layout, const pegs_scored *scored, const double *const *value,
				   const pegs_published_options *options, pegs_published *model)
{
	growing		g = {.env = env, .scored = scored, .options = options, .model = model};

	memset(model, 0, sizeof(*model));
	model->ncols = layout->ncols;
	model->levels = layout->levels;
	model->target = scored->target;
	pegs_list_positive(env, model->levels[model->target], scored->positive, &model->npositive, &model->positive);
	model->value = env->alloc(env->context, sizeof(double *) * model->ncols);
	for (uint32_t i = 0; i < model->ncols; i++)
		if (value[i] && i != scored->target)
		{
			model->value[i] = env->alloc(env->context, sizeof(double) * model->levels[i]);
			memcpy(model->value[i], value[i], sizeof(double) * model->levels[i]);
		}
	for (uint64_t b = 0; b < pegs_kept_blocks(scored->rows); b++)
		g.nrows += pegs_kept_rows(scored->rows, b);
	g.place = env->alloc(env->context, sizeof(uint32_t) * g.nrows);
	g.positive = env->alloc(env->context, sizeof(bool) * g.nrows);
	g.code = env->alloc(env->context, sizeof(uint16_t) * PEGS_CHUNK * model->ncols);
	model->ntrees = options->alphas;
	model->room = (uint32_t) pegs_published_room(options->depth, model->ntrees);
	model->first = env->alloc(env->context, sizeof(uint32_t) * (model->ntrees + 1));
	pegs_env_step(env, PEGS_STEP_ROUNDS);
	for (uint32_t t = 0; t < model->ntrees; t++)
	{
		plant(&g, options->alpha[t]);
		for (uint32_t d = 0; d < options->depth && g.nopen > 0; d++)
			grow_level(&g);
		pegs_env_free(env, g.open);
		model->first[t + 1] = g.nnodes;
	}
	pegs_env_step(env, PEGS_STEP_LAST);
	model->node = g.node;
	pegs_env_free(env, g.place);
	pegs_env_free(env, g.positive);
	pegs_env_free(env, g.code);
}

/* ---- what it gives ---- */

double
pegs_published_score(const pegs_published *model, const int32_t *codes, double *delta)
{
	double		share = 0;
	double		between = 0;

	for (uint32_t t = 0; t < model->ntrees; t++)
	{
		const pegs_published_node *root = &model->node[model->first[t]];
		const pegs_published_node *node = root;
		double		k;
		double		n;

		while (node->kid > 0)
		{
			int32_t		code = codes[node->feature];
			const double *value = model->value[node->feature];

			if (code < 0 || (uint32_t) code >= model->levels[node->feature])
				break;
			node = root + node->kid + (value ? value[code] > node->cut : (uint32_t) code == node->level);
		}
		k = (double) node->positive;
		n = (double) node->rows;
		share += n > 0 ? k / n : 0.5;
		/* phi and chi; of a row alone, or none, nothing is known */
		between += n > 1 ? fmax((k + 1) / n, k / (n - 1)) - fmax(0, fmin((k + 1) / (n + 1), (k - 1) / (n - 1))) : 1;
	}
	*delta = between / model->ntrees;
	return share / model->ntrees;
}

/* ---- bytes ---- */

static void
walk_values(pegs_cursor *c, pegs_published *model, uint32_t column)
{
	uint32_t	numbers = model->value ? model->value[column] != NULL : 0;

	pegs_u32(c, &numbers);
	pegs_pad(c);
	if (c->status == PEGS_OK && (numbers > 1 || (numbers == 1 && column == model->target)))
		pegs_bad(c, PEGS_ERR_FORMAT);
	if (c->status != PEGS_OK || numbers == 0)
		return;
	pegs_f64s(c, &model->value[column], model->levels[column]);
	for (uint32_t l = 0; c->pass == PEGS_READ && c->status == PEGS_OK && model->value && model->value[column] && l < model->levels[column]; l++)
		if (isinf(model->value[column][l]))
			pegs_bad(c, PEGS_ERR_FORMAT);
}

static void
walk_node(pegs_cursor *c, pegs_published_node *node)
{
	pegs_u32(c, &node->kid);
	pegs_u32(c, &node->feature);
	pegs_u32(c, &node->level);
	pegs_pad(c);
	pegs_f64(c, &node->cut);
	pegs_number(c, &node->positive, 8);
	pegs_number(c, &node->rows, 8);
}

/* Level by level, every kid has its parent, and its rows are the parent's. */
static void
check_tree(pegs_cursor *c, const pegs_published *model, uint32_t tree)
{
	const pegs_published_node *root = &model->node[model->first[tree]];
	uint32_t	nodes = model->first[tree + 1] - model->first[tree];
	uint32_t	next = 1;
	uint32_t	end = 1;
	uint32_t	depth = 0;
	bool		good = true;

	for (uint32_t i = 0; i < nodes && good; i++)
	{
		const pegs_published_node *node = &root[i];

		if (i == end)
		{
			depth++;
			end = next;
		}
		good = i < next && depth <= PEGS_TREE_DEPTH && node->positive <= node->rows && node->rows <= PEGS_MAX_ROWS;
		if (node->kid == 0 || !good)
			continue;
		good = node->kid == next && nodes - next >= 2 && node->feature < model->ncols && node->feature != model->target
			&& node->level < model->levels[node->feature]
			&& root[next].rows + root[next + 1].rows == node->rows && root[next].positive + root[next + 1].positive == node->positive;
		next += 2;
	}
	if (!good)
		pegs_bad(c, PEGS_ERR_FORMAT);
}

/*
 * u32 target  u32 trees  u32 room  what is positive  per column: u32 has it numbers, and then f64 number[levels]  u32 first[trees + 1]
 * node[room]: u32 kid  u32 feature  u32 level  f64 cut  u64 positive  u64 rows; behind those that there are zeros
 */
void
pegs_published_walk(pegs_cursor *c, pegs_published *model)
{
	pegs_u32(c, &model->target);
	pegs_u32(c, &model->ntrees);
	pegs_u32(c, &model->room);
	pegs_pad(c);
	if (c->status == PEGS_OK && (model->ntrees < 1 || model->ntrees > PEGS_TREES_MOST || model->target >= model->ncols || model->room > PEGS_TREES_NODES))
		pegs_bad(c, PEGS_ERR_FORMAT);
	if (c->status == PEGS_OK)
		pegs_positive_walk(c, model->levels[model->target], &model->npositive, &model->positive);
	if (!pegs_has_bytes(c, model->ncols, 8))
		return;
	if (c->pass == PEGS_READ)
		model->value = c->env->alloc(c->env->context, sizeof(double *) * model->ncols);
	for (uint32_t i = 0; i < model->ncols && c->status == PEGS_OK; i++)
	{
		if (c->pass == PEGS_READ)
			c->env->check(c->env->context);
		walk_values(c, model, i);
	}
	pegs_u32s(c, &model->first, (uint64_t) model->ntrees + 1);
	if (c->status == PEGS_OK && model->first[0] != 0)
		pegs_bad(c, PEGS_ERR_FORMAT);
	for (uint32_t t = 0; t < model->ntrees && c->status == PEGS_OK; t++)
		if (model->first[t + 1] <= model->first[t] || model->first[t + 1] > model->room)
			pegs_bad(c, PEGS_ERR_FORMAT);
	if (c->status != PEGS_OK || !pegs_has_bytes(c, model->room, 40))
		return;
	if (c->pass == PEGS_READ)
		model->node = c->env->alloc(c->env->context, sizeof(pegs_published_node) * model->first[model->ntrees]);
	for (uint32_t i = 0; i < model->room && c->status == PEGS_OK; i++)
	{
		pegs_published_node none = {0};

		if (c->env && i % PEGS_CHUNK == 0)
			c->env->check(c->env->context);
		walk_node(c, i < model->first[model->ntrees] ? &model->node[i] : &none);
		if (c->status == PEGS_OK && ((none.kid | none.feature | none.level | none.positive | none.rows) != 0 || none.cut != 0))
			pegs_bad(c, PEGS_ERR_FORMAT);
	}
	for (uint32_t t = 0; c->pass == PEGS_READ && c->status == PEGS_OK && t < model->ntrees; t++)
		check_tree(c, model, t);
}
