/*
 * families.c
 *	  How far related tables are from their original, as counting queries see
 *	  them: rows of each table, joins with the parent, tables side by side, rows of
 *	  one parent. Beside each number the same of units of the original drawn again.
 *
 * Exact numbers: nothing of it is private.
 */
#include "core/compare/families.h"

#include <math.h>
#include <string.h>

/* ---- rows ---- */

pegs_families *
pegs_families_new(const pegs_env *env, const pegs_relations *relations)
{
	pegs_families *f = env->alloc(env->context, sizeof(pegs_families));

	f->env = env;
	f->relations = relations;
	f->table = env->alloc(env->context, sizeof(pegs_family_table) * relations->ntables);
	for (uint32_t t = 0; t < relations->ntables; t++)
		f->table[t].codes = env->alloc(env->context, sizeof(uint16_t *) * (relations->table[t].ncols + 1));
	return f;
}

static void *
larger(const pegs_env *env, void *old, size_t size, uint32_t n, uint32_t room)
{
	void	   *more = env->alloc(env->context, size * room);

	if (old)
	{
		memcpy(more, old, size * n);
		pegs_env_free(env, old);
	}
	return more;
}

uint32_t
pegs_families_add(pegs_families *families, uint32_t table, uint32_t parent, const uint16_t *codes)
{
	const pegs_env *env = families->env;
	pegs_family_table *t = &families->table[table];
	uint32_t	ncols = families->relations->table[table].ncols;

	if (t->n == t->room)
	{
		uint32_t	room = t->room > 0 ? 2 * t->room : PEGS_CHUNK;

		if (t->room > UINT32_MAX / 4)
			return PEGS_NO_FAMILY;
		t->parent = larger(env, t->parent, sizeof(uint32_t), t->n, room);
		for (uint32_t c = 0; c < ncols; c++)
			t->codes[c] = larger(env, t->codes[c], sizeof(uint16_t), t->n, room);
		t->room = room;
	}
	t->parent[t->n] = parent;
	for (uint32_t c = 0; c < ncols; c++)
		t->codes[c][t->n] = codes[c];
	return t->n++;
}

void
pegs_families_end(pegs_families *families)
{
	const pegs_relations *r = families->relations;
	const pegs_env *env = families->env;

	for (uint32_t t = 1; t < r->ntables; t++)
	{
		pegs_family_table *child = &families->table[t];
		uint32_t	parents = families->table[r->table[t].parent].n;
		uint32_t   *at = env->alloc(env->context, sizeof(uint32_t) * ((size_t) parents + 1));

		child->first = env->alloc(env->context, sizeof(uint32_t) * ((size_t) parents + 1));
		child->row = env->alloc(env->context, sizeof(uint32_t) * ((size_t) child->n + 1));
		for (uint32_t i = 0; i < child->n; i++)
			child->first[child->parent[i] + 1]++;
		for (uint32_t p = 0; p < parents; p++)
			child->first[p + 1] += child->first[p];
		memcpy(at, child->first, sizeof(uint32_t) * ((size_t) parents + 1));
		for (uint32_t i = 0; i < child->n; i++)
		{
			pegs_env_turn(env, i);
			child->row[at[child->parent[i]]++] = i;
		}
		pegs_env_free(env, at);
	}
}

/* ---- one table of counts ---- */

/* Rows, and how often each is counted. */
typedef struct view
{
	const pegs_families *f;
	uint32_t  **weight;			/* [tables][rows]; NULL: once */
} view;

/* Which table of counts: columns a of table t and b of table u. */
typedef struct shape
{
	pegs_kinship kind;
	uint32_t	t;
	uint32_t	u;
	uint32_t	a;
	uint32_t	b;
	uint32_t	height;
	uint32_t	width;
} shape;

static inline double
weight_of(const view *v, uint32_t t, uint32_t row)
{
	return v->weight ? v->weight[t][row] : 1;
}

/* How many children of table t a parent has. */
static inline uint32_t
number_of(const view *v, uint32_t t, uint32_t parent)
{
	return v->f->table[t].first[parent + 1] - v->f->table[t].first[parent];
}

static inline uint32_t
own_levels(const pegs_relations *r, uint32_t t, uint32_t column)
{
	return r->table[t].levels[column] + 1;
}

static inline uint32_t
parent_of(const pegs_relations *r, uint32_t t)
{
	return (uint32_t) r->table[t].parent;
}

static void
fill_own(const view *v, const shape *s, double *cell)
{
	const pegs_family_table *t = &v->f->table[s->t];

	for (uint32_t i = 0; i < t->n; i++)
	{
		pegs_env_turn(v->f->env, i);
		cell[(size_t) t->codes[s->a][i] * s->width + (s->kind == PEGS_TV2 ? t->codes[s->b][i] : 0)] += weight_of(v, s->t, i);
	}
}

static void
fill_children(const view *v, const shape *s, double *cell)
{
	uint32_t	up = parent_of(v->f->relations, s->t);

	for (uint32_t p = 0; p < v->f->table[up].n; p++)
	{
		pegs_env_turn(v->f->env, p);
		cell[number_of(v, s->t, p)] += weight_of(v, up, p);
	}
}

/* What the parent is x what the child is. */
static void
fill_across(const view *v, const shape *s, double *cell)
{
	const pegs_relation *relation = &v->f->relations->table[s->t];
	const pegs_family_table *t = &v->f->table[s->t];
	const uint16_t *above = s->kind == PEGS_COUNT_CHILD_TV2 ? NULL : v->f->table[parent_of(v->f->relations, s->t)].codes[s->a];

	for (uint32_t i = 0; i < t->n; i++)
	{
		uint32_t	x = above ? above[t->parent[i]] : pegs_class_of_number(relation, number_of(v, s->t, t->parent[i]));

		pegs_env_turn(v->f->env, i);
		cell[(size_t) x * s->width + t->codes[s->b][i]] += weight_of(v, s->t, i);
	}
}

/* Levels of a column among the children of one parent. */
typedef struct levels
{
	uint32_t   *number;			/* [levels] */
	uint32_t   *seen;			/* those that there are */
	uint32_t	n;
} levels;

static void
look_at_children(const view *v, uint32_t t, uint32_t column, uint32_t parent, levels *l)
{
	const pegs_family_table *table = &v->f->table[t];

	for (uint32_t i = 0; i < l->n; i++)
		l->number[l->seen[i]] = 0;
	l->n = 0;
	for (uint32_t k = table->first[parent]; k < table->first[parent + 1]; k++)
	{
		uint16_t	code = table->codes[column][table->row[k]];

		pegs_env_turn(v->f->env, k);
		if (l->number[code]++ == 0)
			l->seen[l->n++] = code;
	}
}

/* Two children of one parent: of two tables, or two rows of one. All pairs of a parent together weigh as much as it does. */
static void
fill_beside(const view *v, const shape *s, levels *of_a, levels *of_b, double *cell)
{
	bool		siblings = s->kind == PEGS_SIBLING_TV2;
	uint32_t	up = parent_of(v->f->relations, s->t);

	for (uint32_t p = 0; p < v->f->table[up].n; p++)
	{
		double		pairs = number_of(v, s->t, p) * ((double) number_of(v, s->u, p) - siblings);

		pegs_env_turn(v->f->env, p);
		if (pairs < 1)
			continue;
		look_at_children(v, s->t, s->a, p, of_a);
		if (!siblings)
			look_at_children(v, s->u, s->b, p, of_b);
		for (uint32_t i = 0; i < of_a->n; i++)
		{
			uint32_t	x = of_a->seen[i];

			v->f->env->check(v->f->env->context);
			for (uint32_t j = 0; j < of_b->n; j++)
			{
				uint32_t	y = of_b->seen[j];

				cell[(size_t) x * s->width + y] += weight_of(v, up, p) * of_a->number[x] * ((double) of_b->number[y] - (siblings && x == y)) / pairs;
			}
		}
	}
}

/* ---- all of them ---- */

typedef struct comparison
{
	view		side[3];		/* original, synthetic, units drawn again */
	double	   *cell[3];
	double		sum[3];
	size_t		room;
	levels		a;
	levels		b;
	double	   *agreement[3];	/* [path columns] */
	double	   *distance[2];	/* [tables + 1][PEGS_KINSHIPS] sums: of the synthetic, of those drawn again; last: over all */
	uint32_t   *n;				/* of how many */
	pegs_farthest *farthest;	/* likewise, of the synthetic; value below 0: none yet */
} comparison;

static void
fill_all(comparison *c, const shape *s)
{
	const pegs_env *env = c->side[0].f->env;
	size_t		size = (size_t) s->height * s->width;

	for (int i = 0; i < 3; i++)
	{
		if (size > c->room)
		{
			if (c->cell[i])
				pegs_env_free(env, c->cell[i]);
			c->cell[i] = env->alloc(env->context, sizeof(double) * size);
		}
		memset(c->cell[i], 0, sizeof(double) * size);
		switch (s->kind)
		{
			case PEGS_TV1:
			case PEGS_TV2:
				fill_own(&c->side[i], s, c->cell[i]);
				break;
			case PEGS_CHILDREN_TV:
				fill_children(&c->side[i], s, c->cell[i]);
				break;
			case PEGS_COUNT_CHILD_TV2:
			case PEGS_CROSS_TV2:
			case PEGS_BELOW_TV2:
				fill_across(&c->side[i], s, c->cell[i]);
				break;
			case PEGS_BRANCH_TV2:
				fill_beside(&c->side[i], s, &c->a, &c->b, c->cell[i]);
				break;
			default:
				fill_beside(&c->side[i], s, &c->a, &c->a, c->cell[i]);
				break;
		}
		c->sum[i] = 0;
		for (size_t k = 0; k < size; k++)
			c->sum[i] += c->cell[i][k];
	}
	c->room = size > c->room ? size : c->room;
}

/* Total variation of the original and another side. */
static double
distance(const comparison *c, size_t size, int other)
{
	double		sum = 0;

	if (!(c->sum[0] > 0) || !(c->sum[other] > 0))
		return c->sum[0] > 0 || c->sum[other] > 0;
	for (size_t k = 0; k < size; k++)
		sum += fabs(c->cell[0][k] / c->sum[0] - c->cell[other][k] / c->sum[other]);
	return sum / 2;
}

static void
add_distance(comparison *c, uint32_t table, pegs_kinship kind, double value, double resample)
{
	size_t		at = (size_t) table * PEGS_KINSHIPS + kind;

	c->distance[0][at] += value;
	c->distance[1][at] += resample;
	c->n[at]++;
}

/* The columns of a distance. */
static void
note_farthest(comparison *c, uint32_t table, const shape *s, double value)
{
	pegs_farthest *far = &c->farthest[(size_t) table * PEGS_KINSHIPS + s->kind];
	bool		counts = s->kind == PEGS_CHILDREN_TV || s->kind == PEGS_COUNT_CHILD_TV2;
	bool		across = s->kind == PEGS_CROSS_TV2 || s->kind == PEGS_BELOW_TV2;
	bool		one = s->kind == PEGS_TV1 || s->kind == PEGS_CHILDREN_TV || s->kind == PEGS_SIBLING_TV2;

	if (value <= far->value)
		return;
	far->value = value;
	far->table[0] = across ? (int) parent_of(c->side[0].f->relations, s->t) : (int) s->t;
	far->column[0] = counts ? -1 : (int) s->a;
	far->table[1] = one ? -1 : s->kind == PEGS_BRANCH_TV2 ? (int) s->u : (int) s->t;
	far->column[1] = (int) s->b;
}

static void
compare(comparison *c, const shape *s)
{
	uint32_t	all = c->side[0].f->relations->ntables;
	double		d[2];

	fill_all(c, s);
	for (int i = 0; i < 2; i++)
		d[i] = distance(c, (size_t) s->height * s->width, 1 + i);
	for (int i = 0; i < (s->kind == PEGS_BRANCH_TV2 ? 3 : 2); i++)
	{
		uint32_t	to = i == 0 ? s->t : i == 1 ? all : s->u;

		add_distance(c, to, s->kind, d[0], d[1]);
		note_farthest(c, to, s, d[0]);
	}
	if (s->kind != PEGS_SIBLING_TV2)
		return;
	for (int i = 0; i < 3; i++)
	{
		double	   *agreement = &c->agreement[i][c->side[0].f->relations->start[s->t] + s->a];

		*agreement = 0;
		for (uint32_t x = 0; x < s->width; x++)
			*agreement += c->cell[i][(size_t) x * s->width + x];
		*agreement = c->sum[i] > 0 ? *agreement / c->sum[i] : NAN;
	}
	for (uint32_t to = s->t;; to = all)
	{
		const uint32_t at = c->side[0].f->relations->start[s->t] + s->a;

		add_distance(c, to, PEGS_SIBLING_AGREEMENT, c->agreement[1][at], c->agreement[2][at]);
		add_distance(c, to, PEGS_SIBLING_AGREEMENT_REAL, c->agreement[0][at], c->agreement[2][at]);
		if (to == all)
			break;
	}
}

/* A table by itself. */
static void
compare_own(comparison *c, const pegs_relations *r, uint32_t t)
{
	double		again = 0;

	for (uint32_t i = 0; i < c->side[0].f->table[t].n; i++)
		again += c->side[2].weight[t][i];
	add_distance(c, t, PEGS_ROWS_ORIGINAL, c->side[0].f->table[t].n, again);
	add_distance(c, t, PEGS_ROWS_SYNTHETIC, c->side[1].f->table[t].n, again);
	for (uint32_t a = 0; a < r->table[t].ncols; a++)
	{
		compare(c, &(shape) {.kind = PEGS_TV1, .t = t, .a = a, .height = own_levels(r, t, a), .width = 1});
		for (uint32_t b = 0; b < a; b++)
			compare(c, &(shape) {.kind = PEGS_TV2, .t = t, .a = a, .b = b, .height = own_levels(r, t, a), .width = own_levels(r, t, b)});
	}
}

/* The largest number of children in either table, and one. */
static uint32_t
numbers(const comparison *c, uint32_t t)
{
	uint32_t	most = 0;

	for (int i = 0; i < 2; i++)
		for (uint32_t p = 0; p < c->side[i].f->table[parent_of(c->side[i].f->relations, t)].n; p++)
			most = number_of(&c->side[i], t, p) > most ? number_of(&c->side[i], t, p) : most;
	return most + 1;
}

/* A child table, with its parent, with those beside it, and its rows with each other. */
static void
compare_kin(comparison *c, const pegs_relations *r, uint32_t t)
{
	uint32_t	up = parent_of(r, t);

	compare(c, &(shape) {.kind = PEGS_CHILDREN_TV, .t = t, .height = numbers(c, t), .width = 1});
	for (uint32_t b = 0; b < r->table[t].ncols; b++)
	{
		uint32_t	width = own_levels(r, t, b);

		compare(c, &(shape) {.kind = PEGS_COUNT_CHILD_TV2, .t = t, .b = b, .height = r->table[t].nclasses, .width = width});
		for (uint32_t a = 0; a < r->table[up].ncols; a++)
			compare(c, &(shape) {.kind = up == 0 ? PEGS_CROSS_TV2 : PEGS_BELOW_TV2, .t = t, .a = a, .b = b, .height = own_levels(r, up, a), .width = width});
		if (r->table[t].most >= 2)
			compare(c, &(shape) {.kind = PEGS_SIBLING_TV2, .t = t, .u = t, .a = b, .b = b, .height = width, .width = width});
	}
	for (uint32_t u = t + 1; u < r->ntables; u++)
		for (uint32_t a = 0; parent_of(r, u) == up && a < r->table[t].ncols; a++)
			for (uint32_t b = 0; b < r->table[u].ncols; b++)
				compare(c, &(shape) {.kind = PEGS_BRANCH_TV2, .t = t, .u = u, .a = a, .b = b, .height = own_levels(r, t, a), .width = own_levels(r, u, b)});
}

/* How often each row is there, where its unit is drawn so often. */
static uint32_t **
weights_of(const pegs_families *f, const uint32_t *drawn)
{
	const pegs_env *env = f->env;
	uint32_t  **weight = env->alloc(env->context, sizeof(uint32_t *) * f->relations->ntables);

	for (uint32_t t = 0; t < f->relations->ntables; t++)
	{
		const pegs_family_table *table = &f->table[t];

		weight[t] = env->alloc(env->context, sizeof(uint32_t) * ((size_t) table->n + 1));
		for (uint32_t i = 0; i < table->n; i++)
			weight[t][i] = t == 0 ? drawn[i] : weight[parent_of(f->relations, t)][table->parent[i]];
	}
	return weight;
}

static void
begin_levels(const pegs_env *env, const pegs_relations *r, levels *l)
{
	uint32_t	most = 0;

	for (uint32_t t = 0; t < r->ntables; t++)
		for (uint32_t a = 0; a < r->table[t].ncols; a++)
			most = own_levels(r, t, a) > most ? own_levels(r, t, a) : most;
	l->number = env->alloc(env->context, sizeof(uint32_t) * ((size_t) most + 1));
	l->seen = env->alloc(env->context, sizeof(uint32_t) * ((size_t) most + 1));
}

static void
put_all(const comparison *c, const pegs_relations *r, pegs_put_kinship put, void *arg)
{
	const pegs_farthest none = {.table = {-1, -1}};

	for (uint32_t t = 0; t <= r->ntables; t++)
	{
		int			table = t < r->ntables ? (int) t : -1;

		for (int kind = 0; kind < PEGS_KINSHIPS; kind++)
		{
			size_t		at = (size_t) t * PEGS_KINSHIPS + (size_t) kind;

			if (c->n[at] == 0)
				continue;
			put(arg, (pegs_kinship) kind, table, -1, c->distance[0][at] / c->n[at], c->distance[1][at] / c->n[at], &c->farthest[at]);
			for (uint32_t a = 0; table >= 0 && (kind == PEGS_SIBLING_AGREEMENT || kind == PEGS_SIBLING_AGREEMENT_REAL) && a < r->table[t].ncols; a++)
				put(arg, (pegs_kinship) kind, table, (int) a, c->agreement[kind == PEGS_SIBLING_AGREEMENT][r->start[t] + a], c->agreement[2][r->start[t] + a], &none);
		}
	}
}

void
pegs_compare_families(const pegs_families *original, const pegs_families *synthetic, const uint32_t *drawn, pegs_put_kinship put, void *arg)
{
	const pegs_relations *r = original->relations;
	const pegs_env *env = original->env;
	size_t		sums = ((size_t) r->ntables + 1) * PEGS_KINSHIPS;
	comparison	c = {.side = {{.f = original}, {.f = synthetic}, {.f = original}}};

	c.side[2].weight = weights_of(original, drawn);
	for (int i = 0; i < 3; i++)
		c.agreement[i] = env->alloc(env->context, sizeof(double) * r->ncols);
	for (int i = 0; i < 2; i++)
		c.distance[i] = env->alloc(env->context, sizeof(double) * sums);
	c.n = env->alloc(env->context, sizeof(uint32_t) * sums);
	c.farthest = env->alloc(env->context, sizeof(pegs_farthest) * sums);
	for (size_t i = 0; i < sums; i++)
		c.farthest[i] = (pegs_farthest) {-1, {-1, -1}, {-1, -1}};
	begin_levels(env, r, &c.a);
	begin_levels(env, r, &c.b);
	for (uint32_t t = 0; t < r->ntables; t++)
	{
		compare_own(&c, r, t);
		if (t > 0)
			compare_kin(&c, r, t);
	}
	put_all(&c, r, put, arg);
}
