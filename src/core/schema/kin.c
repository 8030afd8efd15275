/*
 * kin.c
 *	  Rows of a child table are adjusted: step G of docs/engine.md, for rows of
 *	  which parents have any number.
 *
 * Greedy descent on sum_v w_v (weight - target)^2 over the cells of tables v:
 * measured pairs that have the column, in which a row weighs its part of a root;
 * pairs of siblings, in which a pair weighs its part of all pairs of its parent;
 * and anchors, number of rows by column, as the rows had it when they were
 * drawn: else large families would be moved like small ones. Reads released
 * numbers only.
 */
#include "core/schema/kin.h"
#include "core/schema/distinct.h"

#include <string.h>

static const int PASSES = 2;
static const double VARIANCE_WEIGHT = 0.02; /* w = 1 / (1 + this * variance) */
static const double FEW_MOVES = 0.001;	/* of all values: after such a pass there is no other, */
static const double NEAR = 0.1;		/* nor where w * excess^2 of a cell is at most this, on average: the noise of what was measured is more */
static const int RAKES = 30;

/* A table as one of its columns sees it. */
typedef struct view
{
	const uint16_t *own_class;	/* [levels] */
	const uint16_t *other_class;
	uint32_t	other;			/* column */
	uint32_t	own_stride;		/* 1 but for siblings */
	uint32_t	other_stride;
	uint32_t	k;				/* classes of the other one */
	bool		each_level;		/* each level is a class of its own, in their order */
	bool		siblings;		/* the other column is that of another row of the parent */
	bool		same;			/* of siblings: it is the same column */
	double		weight;
	double	   *excess;			/* weight of rows - target; of siblings shared by both views of a table */
	double	   *twin;			/* of rows: the same for the other column's view, [own class][other class]; NULL: it has none */
	double	   *near;			/* [k] of siblings: weight of the parent's rows by the other's class */
} view;

typedef struct column
{
	uint32_t	path;			/* column of path rows */
	uint32_t	levels;			/* without absent */
	uint32_t	nviews;
	view	   *view;
	bool		siblings;		/* one of them is of siblings */
	double	   *excess;			/* [levels] of the column alone */
	pegs_distinct *distinct;	/* NULL: rows of one parent may agree */
} column;

typedef struct adjustment
{
	const pegs_env *env;
	const pegs_relations *r;
	const pegs_fitted *model;
	const pegs_kin *kin;
	uint32_t	table;
	uint32_t	n;
	uint32_t	m;				/* own columns */
	uint16_t  **codes;			/* [path columns][n] */
	double	   *weight;			/* [n] */
	double		total;			/* of all rows */
	uint32_t   *start;			/* [parents + 1] rows of each */
	column	   *column;			/* [m] */
	double	   *cost;			/* [levels of the widest] */
	uint32_t   *met;			/* classes of siblings that a row has, */
	double	   *part;			/* and what it weighs with those of each */
	bool		as_drawn;
} adjustment;

static void *
room_for(const pegs_env *env, size_t n, size_t size)
{
	return env->alloc(env->context, (n > 0 ? n : 1) * size);
}

double *
pegs_kin_weights(const pegs_env *env, const pegs_relations *r, const pegs_kin *kin, uint32_t table)
{
	double	   *above = NULL;
	double	   *weight;

	if (table > 0)
		above = pegs_kin_weights(env, r, kin, (uint32_t) r->table[table].parent);
	weight = room_for(env, kin[table].n, sizeof(double));
	for (uint32_t i = 0; i < kin[table].n; i++)
		weight[i] = table == 0 ? 1 : above[kin[table].parent[i]] / kin[table].number[kin[table].parent[i]];
	if (above)
		pegs_env_free(env, above);
	return weight;
}

static uint32_t *
starts(const pegs_env *env, const pegs_kin *kin, uint32_t parents)
{
	uint32_t   *start = room_for(env, (size_t) parents + 1, sizeof(uint32_t));

	for (uint32_t p = 0; p < parents; p++)
		start[p + 1] = start[p] + kin->number[p];
	return start;
}

double
pegs_sibling_table(const pegs_env *env, const pegs_relations *r, const pegs_kin *kin, uint32_t a, uint32_t b, const uint32_t *k,
				   uint16_t *const *class_of, double *table)
{
	uint32_t	t = r->column[a].table;
	uint32_t	parents = kin[r->table[t].parent].n;
	uint32_t   *start = starts(env, &kin[t], parents);
	double	   *weight = pegs_kin_weights(env, r, kin, (uint32_t) r->table[t].parent);
	uint32_t   *near[2] = {room_for(env, k[0], sizeof(uint32_t)), room_for(env, k[1], sizeof(uint32_t))};
	double		sum = 0;

	for (uint32_t p = 0; p < parents; p++)
	{
		uint32_t	n = kin[t].number[p];
		double		each = n > 1 ? weight[p] / ((double) n * (n - 1)) : 0;

		if (n < 2)
			continue;
		if (p % 1024 == 0)
			env->check(env->context);
		sum += weight[p];
		memset(near[0], 0, sizeof(uint32_t) * k[0]);
		memset(near[1], 0, sizeof(uint32_t) * k[1]);
		for (uint32_t i = start[p]; i < start[p + 1]; i++)
		{
			uint32_t	x = class_of[0][kin[t].codes[a][i]];
			uint32_t	y = class_of[1][kin[t].codes[b][i]];

			near[0][x]++;
			near[1][y]++;
			table[(size_t) x * k[1] + y] -= each;	/* a row is no sibling of its own */
		}
		for (uint32_t x = 0; x < k[0]; x++)
			for (uint32_t y = 0; near[0][x] > 0 && y < k[1]; y++)
				table[(size_t) x * k[1] + y] += each * near[0][x] * near[1][y];
	}
	return sum;
}

/* ---- the tables ---- */

/*
 * Rows of other branches beside those at hand: of the same ancestor, in turn.
 * Tables that are made already, parents first.
 */
static void
find_partners(adjustment *a)
{
	const pegs_relations *r = a->r;
	uint32_t  **partner = room_for(a->env, r->ntables, sizeof(uint32_t *));

	for (int32_t t = (int32_t) a->table, i; t >= 0; t = r->table[t].parent)
	{
		/* ancestors: the rows' own */
		partner[t] = room_for(a->env, a->n, sizeof(uint32_t));
		for (i = 0; (uint32_t) i < a->n; i++)
		{
			uint32_t	row = (uint32_t) i;

			for (int32_t up = (int32_t) a->table; up > t; up = r->table[up].parent)
				row = a->kin[up].parent[row];
			partner[t][i] = row;
		}
	}
	for (uint32_t t = 1; t < a->table; t++)
	{
		const uint32_t *above = partner[r->table[t].parent];
		uint32_t   *start;

		if (partner[t] || !above)
			continue;
		start = starts(a->env, &a->kin[t], a->kin[r->table[t].parent].n);
		partner[t] = room_for(a->env, a->n, sizeof(uint32_t));
		for (uint32_t i = 0; i < a->n; i++)
		{
			uint32_t	p = a->kin[a->table].parent[i];
			uint32_t	turn = i - a->start[p];
			uint32_t	number = above[i] == UINT32_MAX ? 0 : a->kin[t].number[above[i]];

			partner[t][i] = number == 0 ? UINT32_MAX
				: start[above[i]] + (uint32_t) (((uint64_t) turn * 2 + 1) * number / (2 * (uint64_t) a->kin[a->table].number[p]));
		}
		for (uint32_t c = 0; c < r->ncols; c++)
			for (uint32_t i = 0; r->column[c].table == t && i < a->n; i++)
				a->codes[c][i] = partner[t][i] == UINT32_MAX ? (uint16_t) r->column[c].absent : a->kin[t].codes[c][partner[t][i]];
	}
}

/* Is the column's value known beside each row? Of tables that are to come, other than those below: not yet. */
static bool
is_known(const adjustment *a, uint32_t path)
{
	uint32_t	t = a->r->column[path].table;

	while (t > a->table)
		t = (uint32_t) a->r->table[t].parent;
	return t == a->table || a->r->column[path].table < a->table;
}

static view *
add_view(column *c, const pegs_pair *pair, int side)
{
	view	   *v = &c->view[c->nviews++];

	*v = (view) {.own_class = pair->class_of[side], .other_class = pair->class_of[1 - side], .other = pair->column[1 - side], .k = pair->k[1 - side]};
	v->weight = 1 / (1 + VARIANCE_WEIGHT * pair->variance);
	v->each_level = true;
	for (uint32_t l = 0; l < c->levels; l++)
		v->each_level &= v->own_class[l] == l;
	return v;
}

/* Rows less what was measured, of those that are there. */
static double *
excess_of_pair(const adjustment *a, const pegs_pair *pair, int side)
{
	uint32_t	own = pair->column[side];
	uint32_t	other = pair->column[1 - side];
	size_t		cells = (size_t) pair->k[0] * pair->k[1];
	double	   *excess = room_for(a->env, cells, sizeof(double));
	bool	   *there = room_for(a->env, pair->k[side], sizeof(bool));
	bool	   *both = room_for(a->env, pair->k[1 - side], sizeof(bool));
	uint32_t	stride[2] = {side == 0 ? pair->k[1] : 1, side == 0 ? 1 : pair->k[1]};
	bool		own_other = a->r->column[other].table == a->table && a->r->column[other].own >= 0;
	double		mass = 0;

	if (a->as_drawn)
		return excess;
	for (uint32_t l = 0; l + 1 < a->r->levels[own]; l++)
		there[pair->class_of[side][l]] = true;
	for (uint32_t l = 0; l + own_other < a->r->levels[other]; l++)
		both[pair->class_of[1 - side][l]] = true;
	for (uint32_t i = 0; i < a->n; i++)
		excess[pair->class_of[side][a->codes[own][i]] * stride[0] + pair->class_of[1 - side][a->codes[other][i]] * stride[1]] += a->weight[i];
	for (int turn = 0; turn < 2; turn++)
		for (uint32_t x = 0; x < pair->k[side]; x++)
			for (uint32_t y = 0; y < pair->k[1 - side]; y++)
				if (there[x] && both[y])
				{
					size_t		at = (size_t) x * stride[0] + (size_t) y * stride[1];

					if (turn == 0)
						mass += pair->share[at];
					else if (mass > 0)
						excess[at] -= a->total * pair->share[at] / mass;
				}
	return excess;
}

static double *
transposed(const pegs_env *env, const double *table, const uint32_t *k)
{
	double	   *other = room_for(env, (size_t) k[0] * k[1], sizeof(double));

	for (uint32_t x = 0; x < k[0]; x++)
		for (uint32_t y = 0; y < k[1]; y++)
			other[(size_t) y * k[0] + x] = table[(size_t) x * k[1] + y];
	return other;
}

static void
add_pairs(adjustment *a)
{
	const pegs_fitted *model = a->model;
	uint32_t	from = a->r->start[a->table];

	for (uint32_t p = 0; p < model->npairs; p++)
	{
		const pegs_pair *pair = &model->pair[p];
		bool		own[2];
		double	   *excess[2];		/* [classes of the other][own classes] of each of its columns */

		for (int x = 0; x < 2; x++)
			own[x] = pair->column[x] >= from && pair->column[x] < from + a->m;
		if (!(own[0] || own[1]) || !is_known(a, pair->column[0]) || !is_known(a, pair->column[1]))
			continue;
		a->env->check(a->env->context);
		excess[1] = excess_of_pair(a, pair, own[0] ? 0 : 1);
		excess[0] = own[0] ? transposed(a->env, excess[1], pair->k) : NULL;
		for (int x = 0; x < 2; x++)
			if (own[x])
			{
				view	   *v = add_view(&a->column[pair->column[x] - from], pair, x);

				v->own_stride = 1;
				v->other_stride = pair->k[x];
				v->excess = excess[x];
				v->twin = own[1 - x] ? excess[1 - x] : NULL;
			}
	}
}

/* Shares of measured pairs of siblings with the sums of `rows`. */
static double *
raked(const adjustment *a, const pegs_pair *pair, const double *rows)
{
	size_t		cells = (size_t) pair->k[0] * pair->k[1];
	double	   *share = room_for(a->env, cells, sizeof(double));
	double		total = 0;

	memcpy(share, pair->share, sizeof(double) * cells);
	for (size_t i = 0; i < cells; i++)
		total += rows[i];
	for (int rake = 0; total > 0 && rake < 2 * RAKES; rake++)
	{
		int			side = rake % 2;
		size_t		stride[2] = {side == 0 ? pair->k[1] : 1, side == 0 ? 1 : pair->k[1]};

		for (uint32_t x = 0; x < pair->k[side]; x++)
		{
			double		have = 0;
			double		want = 0;

			for (uint32_t y = 0; y < pair->k[1 - side]; y++)
			{
				have += share[x * stride[0] + y * stride[1]];
				want += rows[x * stride[0] + y * stride[1]];
			}
			for (uint32_t y = 0; have > 0 && y < pair->k[1 - side]; y++)
				share[x * stride[0] + y * stride[1]] *= want > 0 ? want / total / have : 0;
		}
	}
	return share;
}

static void
add_siblings(adjustment *a)
{
	uint32_t	from = a->r->start[a->table];

	for (uint32_t s = 0; s < a->model->nsiblings; s++)
	{
		const pegs_pair *pair = &a->model->sibling[s];
		size_t		cells = (size_t) pair->k[0] * pair->k[1];
		bool		same = pair->column[0] == pair->column[1];
		const double *share = pair->share;
		double	   *excess;
		double		sum;

		if (a->r->column[pair->column[0]].table != a->table)
			continue;
		excess = room_for(a->env, cells, sizeof(double));
		sum = pegs_sibling_table(a->env, a->r, a->kin, pair->column[0], pair->column[1], pair->k, pair->class_of, excess);
		if (a->as_drawn)
			share = raked(a, pair, excess);
		for (size_t i = 0; i < cells; i++)
			excess[i] -= sum * share[i];
		/* of one column: each cell that two orders share is kept twice, as their sum */
		for (uint32_t x = 0; same && x < pair->k[0]; x++)
			for (uint32_t y = 0; y < x; y++)
				excess[x * pair->k[0] + y] = excess[y * pair->k[0] + x] += excess[x * pair->k[0] + y];
		for (int x = 0; x < (same ? 1 : 2); x++)
		{
			view	   *v = add_view(&a->column[pair->column[x] - from], pair, x);

			v->own_stride = x == 0 ? pair->k[1] : 1;
			v->other_stride = x == 0 ? 1 : pair->k[1];
			v->excess = excess;
			v->siblings = true;
			a->column[pair->column[x] - from].siblings = true;
			v->same = same;
			v->near = room_for(a->env, v->k, sizeof(double));
		}
	}
}

/* Where rows stand by number of rows and level, they shall stay. */
static void
add_anchor(adjustment *a, column *c)
{
	uint32_t	count = (uint32_t) a->r->count_of[a->table];
	uint32_t	k[2] = {c->levels, a->r->levels[count]};
	view	   *v = &c->view[c->nviews++];
	uint16_t   *each[2];

	for (int x = 0; x < 2; x++)
	{
		each[x] = room_for(a->env, k[x], sizeof(uint16_t));
		for (uint32_t l = 0; l < k[x]; l++)
			each[x][l] = (uint16_t) l;
	}
	*v = (view) {.own_class = each[0], .other_class = each[1], .other = count, .own_stride = 1, .other_stride = k[0], .k = k[1], .each_level = true, .weight = 1,
		.excess = room_for(a->env, (size_t) k[0] * k[1], sizeof(double))};
}

static void
set_up(adjustment *a)
{
	uint32_t	widest = 1;

	a->column = room_for(a->env, a->m, sizeof(column));
	for (uint32_t i = 0; i < a->n; i++)
		a->total += a->weight[i];
	for (uint32_t c = 0; c < a->m; c++)
	{
		column	   *col = &a->column[c];
		double		mass = 0;

		col->path = a->r->start[a->table] + c;
		col->levels = a->r->levels[col->path] - 1;
		col->view = room_for(a->env, (size_t) a->model->npairs + a->model->nsiblings + 1, sizeof(view));
		col->excess = room_for(a->env, col->levels, sizeof(double));
		col->distinct = pegs_distinct_column(a->env, &a->r->table[a->table], c);
		widest = col->levels > widest ? col->levels : widest;
		for (uint32_t i = 0; !a->as_drawn && i < a->n; i++)
			col->excess[a->codes[col->path][i]] += a->weight[i];
		for (uint32_t l = 0; l < col->levels; l++)
			mass += a->model->share[col->path][l];
		for (uint32_t l = 0; !a->as_drawn && mass > 0 && l < col->levels; l++)
			col->excess[l] -= a->total * a->model->share[col->path][l] / mass;
		add_anchor(a, col);
	}
	a->cost = room_for(a->env, widest, sizeof(double));
	a->met = room_for(a->env, widest, sizeof(uint32_t));
	a->part = room_for(a->env, widest, sizeof(double));
	add_pairs(a);
	add_siblings(a);
}

/* ---- the descent ---- */

/* The row is in the tables of siblings with this level, or no longer: sign. */
static void
place_siblings(const column *c, uint32_t level, double each, int sign)
{
	for (uint32_t i = 0; i < c->nviews; i++)
	{
		const view *v = &c->view[i];
		uint32_t	x = v->own_class[level];
		double	   *line = v->excess + (size_t) x * v->own_stride;

		if (!v->siblings)
			continue;
		for (uint32_t y = 0; y < v->k; y++)
			line[(size_t) y * v->other_stride] += sign * each * v->near[y] * (v->same ? 2 : 1);
		/* of one column: both orders are one cell */
		for (uint32_t y = 0; v->same && y < v->k; y++)
			v->excess[(size_t) y * v->k + x] = v->excess[(size_t) x * v->k + y];
	}
}

/* The row has another level. */
static void
move_row(const adjustment *a, column *c, uint32_t row, uint32_t from, uint32_t to)
{
	double		w = a->weight[row];

	c->excess[from] -= w;
	c->excess[to] += w;
	for (uint32_t i = 0; i < c->nviews; i++)
	{
		const view *v = &c->view[i];
		uint32_t	x[2] = {v->own_class[from], v->own_class[to]};
		uint32_t	y = v->other_class[a->codes[v->other][row]];
		double	   *line = v->excess + (size_t) y * v->other_stride;

		if (v->siblings)
			continue;
		line[x[0]] -= w;
		line[x[1]] += w;
		if (v->twin)
		{
			v->twin[(size_t) x[0] * v->k + y] -= w;
			v->twin[(size_t) x[1] * v->k + y] += w;
		}
	}
}

/* cost[l] += weight * the part's excess by which the row would meet its siblings of view v. */
static void
add_cost_of_siblings(const adjustment *a, const column *c, const view *v, double weight)
{
	uint32_t	met = 0;

	for (uint32_t y = 0; y < v->k; y++)
		if (v->near[y] > 0)
		{
			a->met[met] = y;
			a->part[met++] = weight * v->near[y];
		}
	for (uint32_t l = 0; l < c->levels; l++)
	{
		const double *line = v->excess + (size_t) v->own_class[l] * v->own_stride;
		double		sum = 0;

		for (uint32_t i = 0; i < met; i++)
			sum += a->part[i] * line[(size_t) a->met[i] * v->other_stride];
		a->cost[l] += sum;
	}
}

/*
 * What each level would add to the sum of squares, were the row in no table, divided by twice its weight, and less what is the same for all levels.
 * It is in the tables of rows, and not in those of siblings.
 */
static void
find_costs(const adjustment *a, const column *c, uint32_t row, uint32_t old, double each)
{
	double		w = a->weight[row];
	double	   *cost = a->cost;

	memcpy(cost, c->excess, sizeof(double) * c->levels);
	cost[old] -= w;
	for (uint32_t i = 0; i < c->nviews; i++)
	{
		const view *v = &c->view[i];
		double	   *line = v->excess + (size_t) v->other_class[a->codes[v->other][row]] * v->other_stride;
		const uint16_t *own_class = v->own_class;
		double		weight = v->weight;
		double		with_row;

		if (v->siblings)
		{
			if (each > 0)
				add_cost_of_siblings(a, c, v, weight * each / w * (v->same ? 2 : 1));
			continue;
		}
		with_row = line[own_class[old]];
		line[own_class[old]] -= w;
		if (v->each_level)
			for (uint32_t l = 0; l < c->levels; l++)
				cost[l] += weight * line[l];
		else
			for (uint32_t l = 0; l < c->levels; l++)
				cost[l] += weight * line[own_class[l]];
		line[own_class[old]] = with_row;
	}
}

/* The row is among its parent's, for those that look at their siblings, or no longer. */
static void
place_near(const adjustment *a, const column *c, uint32_t row, int sign)
{
	for (uint32_t i = 0; i < c->nviews; i++)
	{
		const view *v = &c->view[i];

		if (v->siblings)
			v->near[v->other_class[a->codes[v->other][row]]] += sign;
	}
}

/* One value of one row; 1 if it changes. */
static uint32_t
visit(const adjustment *a, column *c, uint32_t row, double each)
{
	uint16_t   *code = &a->codes[c->path][row];
	uint32_t	old = *code;
	uint32_t	best = old;

	if (c->siblings && each > 0)
	{
		place_near(a, c, row, -1);
		place_siblings(c, old, each, -1);
	}
	find_costs(a, c, row, old, each);
	for (uint32_t l = 0; l < c->levels; l++)
		if (a->cost[l] < a->cost[best] - 1e-9 * a->weight[row] && pegs_has_room(c->distinct, l))
			best = l;
	if (best != old)
	{
		move_row(a, c, row, old, best);
		pegs_move_taken(c->distinct, old, best);
	}
	*code = (uint16_t) best;
	if (c->siblings && each > 0)
	{
		place_siblings(c, best, each, 1);
		place_near(a, c, row, 1);
	}
	return best != old;
}

/* All values of the rows of one parent, a column at a time. */
static uint32_t
visit_brood(const adjustment *a, uint32_t parent)
{
	uint32_t	first = a->start[parent];
	uint32_t	end = a->start[parent + 1];
	double		n = end - first;
	uint32_t	moves = 0;

	for (uint32_t x = 0; x < a->m && n > 0; x++)
	{
		column	   *c = &a->column[x];
		/* the part of a parent is that of its rows together */
		double		each = n > 1 ? a->weight[first] / (n - 1) : 0;

		if (c->levels < 2)
			continue;
		pegs_count_taken(c->distinct, a->codes[c->path] + first, end - first);
		for (uint32_t i = 0; c->siblings && i < c->nviews; i++)
			if (c->view[i].siblings)
			{
				memset(c->view[i].near, 0, sizeof(double) * c->view[i].k);
				for (uint32_t row = first; row < end; row++)
					c->view[i].near[c->view[i].other_class[a->codes[c->view[i].other][row]]] += 1;
			}
		for (uint32_t row = first; row < end; row++)
		{
			if (row % 4096 == 0)
				a->env->check(a->env->context);
			moves += visit(a, c, row, each);
		}
		pegs_forget_taken(c->distinct, a->codes[c->path] + first, end - first);
	}
	return moves;
}

/* Are the tables as near to what was measured as its noise, of a root at the least, lets one ask? */
static bool
is_near(const adjustment *a)
{
	double		squares = 0;
	double		cells = 0;

	for (uint32_t x = 0; x < a->m; x++)
	{
		const column *c = &a->column[x];

		for (uint32_t i = 0; i < c->nviews; i++)
		{
			const view *v = &c->view[i];
			uint32_t	own = 0;

			for (uint32_t l = 0; l < c->levels; l++)
				own = v->own_class[l] >= own ? v->own_class[l] + 1U : own;
			for (uint32_t q = 0; q < own; q++)
				for (uint32_t y = 0; y < v->k; y++)
				{
					double		excess = v->excess[(size_t) q * v->own_stride + (size_t) y * v->other_stride];

					squares += v->weight * excess * excess;
				}
			cells += (double) own * v->k;
		}
	}
	return squares <= NEAR * cells;
}

void
pegs_adjust_kin(const pegs_env *env, const pegs_relations *r, const pegs_fitted *model, pegs_rng *rng, const pegs_kin *kin, uint32_t table,
				bool as_drawn)
{
	uint32_t	parents = kin[r->table[table].parent].n;
	adjustment	a = {.env = env, .r = r, .model = model, .kin = kin, .table = table, .n = kin[table].n, .m = r->table[table].ncols,
		.codes = kin[table].codes, .as_drawn = as_drawn};
	uint32_t   *order;

	if (a.n == 0 || a.m == 0)
		return;
	a.weight = pegs_kin_weights(env, r, kin, table);
	a.start = starts(env, &kin[table], parents);
	find_partners(&a);
	set_up(&a);
	order = room_for(env, parents, sizeof(uint32_t));
	for (uint32_t p = 0; p < parents; p++)
	{
		uint32_t	j = (uint32_t) pegs_rng_below(rng, p + 1);

		order[p] = order[j];
		order[j] = p;
	}
	for (int pass = 0; pass < PASSES; pass++)
	{
		uint64_t	moves = 0;

		for (uint32_t p = 0; p < parents; p++)
			moves += visit_brood(&a, order[p]);
		if ((double) moves < FEW_MOVES * a.n * a.m || is_near(&a))
			break;
	}
}
