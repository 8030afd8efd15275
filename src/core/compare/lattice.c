/*
 * lattice.c
 *	  The best node of a lattice of generalisations: the exact optimum, by a
 *	  search that looks at few of its nodes.
 *
 * G(node) is its loss if nothing were suppressed: a sum over keys, from counts
 * of single columns. Suppression only adds, so the loss is never below G, and
 * with nodes visited by rising G the search ends where G passes the best loss.
 *
 * Rows in classes of k rows stay in such classes when a key becomes coarser. So
 * where more rows than allowed are in smaller ones, that is so for all finer
 * nodes, which are marked. With nothing to be suppressed this holds for l and t,
 * too: unions of classes that meet them meet them. To mark many at once the
 * search goes from a node that fails up the path that adds least to G, finds by
 * bisection where it ceases to fail, and marks all below.
 */
#include "core/compare/lattice.h"

#include <math.h>
#include <string.h>

#define BETWEEN (1 << 12)		/* tuples between two questions whether to stop */
#define TELL 1000				/* nodes between two reports */

#define FAILS 1					/* a node's mark: it and all finer ones */
#define SEEN 2					/* its loss is known */

typedef struct visit
{
	double		bound;			/* G */
	uint32_t	id;
	uint32_t	steps;			/* in all */
	uint32_t	from;			/* its free key that was raised last: only this and later ones are raised next */
} visit;

/* Tuples into classes: numbers by value, of a hash table without pointers. */
typedef struct numbering
{
	uint64_t   *value;			/* [n] of each tuple */
	uint64_t   *known;			/* [n] of each number that was given */
	uint32_t   *slot;			/* number + 1; 0: free */
	uint64_t	slots;
} numbering;

typedef struct search
{
	const pegs_env *env;
	const pegs_lattice *asked;
	numbering	numbering;
	uint32_t   *of;				/* [tuples] */
	uint64_t   *rows;			/* [classes] */
	pegs_diversity *diversity;	/* NULL: not asked for */
	pegs_level_at *at;
	double	   *share;
	double	  **lost;			/* [nkeys][nsteps]: what G has of it */
	double	   *weight;			/* [nkeys] of 1 */
	uint64_t	limit;			/* rows that may be suppressed */

	/* the lattice: of keys with a choice alone */
	uint32_t	nfree;
	uint32_t	free[32];
	uint32_t	stride[32];
	uint32_t	nsteps[32];
	uint8_t    *mark;			/* [nodes] */
	uint64_t	went;			/* from node to node to mark them */
	uint32_t   *step;			/* [nkeys] scratch */
	visit	   *heap;
	uint64_t	nheap;
	uint64_t	room;

	visit		best;
	pegs_node	node;
} search;

/* ---- classes of a node ---- */

static void
begin_numbering(const pegs_env *env, numbering *numbering, uint32_t n)
{
	numbering->slots = 16;
	while (numbering->slots < 2 * (uint64_t) n)
		numbering->slots *= 2;
	numbering->value = env->alloc(env->context, sizeof(uint64_t) * (n + 1));
	numbering->known = env->alloc(env->context, sizeof(uint64_t) * (n + 1));
	numbering->slot = env->alloc(env->context, sizeof(uint32_t) * numbering->slots);
}

static void
end_numbering(const pegs_env *env, numbering *numbering)
{
	pegs_env_free(env, numbering->value);
	pegs_env_free(env, numbering->known);
	pegs_env_free(env, numbering->slot);
}

static inline uint64_t
mixed(uint64_t x)
{
	x ^= x >> 31;
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x ^= x >> 29;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	return x ^ x >> 32;
}

/* Equal values get equal numbers, from 0, in the order in which they come. All values are below `values`. */
static uint32_t
number_values(const pegs_env *env, numbering *numbering, uint32_t n, uint64_t values, uint32_t *of)
{
	uint64_t	mask = numbering->slots - 1;
	uint32_t   *slot = numbering->slot;
	uint32_t	given = 0;
	bool		direct = values <= numbering->slots;	/* a value is its own place */

	memset(slot, 0, sizeof(uint32_t) * (direct ? values : numbering->slots));
	for (uint32_t i = 0; i < n; i++)
	{
		uint64_t	value = numbering->value[i];
		uint64_t	s = direct ? value : mixed(value) & mask;

		if (i % BETWEEN == 0)
			env->check(env->context);
		while (slot[s] != 0 && numbering->known[slot[s] - 1] != value)
			s = (s + 1) & mask;
		if (slot[s] == 0)
		{
			numbering->known[given] = value;
			slot[s] = ++given;
		}
		of[i] = slot[s] - 1;
	}
	return given;
}

static uint32_t
classes_at(const pegs_env *env, numbering *numbering, const pegs_tuples *tuples, const pegs_key *keys, const uint32_t *step, uint32_t *of)
{
	uint64_t	values = 1;

	memset(numbering->value, 0, sizeof(uint64_t) * tuples->n);
	for (uint32_t j = 0; j < tuples->nkeys; j++)
	{
		const pegs_key_step *at = &keys[j].step[step[j]];

		if (at->ngroups == 1)
			continue;
		/* a value of 64 bits: what would be more is numbered before */
		if (values > UINT64_MAX / at->ngroups)
		{
			values = number_values(env, numbering, tuples->n, values, of);
			for (uint32_t i = 0; i < tuples->n; i++)
				numbering->value[i] = of[i];
		}
		values *= at->ngroups;
		for (uint32_t start = 0; start < tuples->n; start += BETWEEN)
		{
			uint32_t	end = tuples->n - start < BETWEEN ? tuples->n : start + BETWEEN;

			env->check(env->context);
			for (uint32_t i = start; i < end; i++)
				numbering->value[i] = numbering->value[i] * at->ngroups + at->group[tuples->code[j][i]];
		}
	}
	return number_values(env, numbering, tuples->n, values, of);
}

uint32_t
pegs_classes_at(const pegs_env *env, const pegs_tuples *tuples, const pegs_key *keys, const uint32_t *step, uint32_t *of)
{
	numbering	numbering;
	uint32_t	n;

	begin_numbering(env, &numbering, tuples->n);
	n = classes_at(env, &numbering, tuples, keys, step, of);
	end_numbering(env, &numbering);
	return n;
}

/* ---- a node as a number ---- */

static void
steps_of(const search *s, uint32_t id, uint32_t *step)
{
	for (uint32_t f = 0; f < s->nfree; f++)
		step[s->free[f]] = s->asked->keys[s->free[f]].first + id / s->stride[f] % s->nsteps[f];
}

static visit
visit_of(const search *s, uint32_t id)
{
	visit		v = {.id = id};

	for (uint32_t j = 0; j < s->asked->tuples->nkeys; j++)
		s->step[j] = s->asked->keys[j].first;
	steps_of(s, id, s->step);
	for (uint32_t j = 0; j < s->asked->tuples->nkeys; j++)
	{
		v.bound += s->lost[j][s->step[j]];
		v.steps += s->step[j];
	}
	return v;
}

/* Which one is visited first. */
static bool
is_before(const visit *a, const visit *b)
{
	if (a->bound != b->bound)
		return a->bound < b->bound;
	return a->steps != b->steps ? a->steps < b->steps : a->id < b->id;
}

/* A node that takes all rows, or all but so many, to classes that meet the criteria? Its loss, if so. */
static bool
look_at(search *s, visit *v, bool *finer_fail)
{
	const pegs_tuples *tuples = s->asked->tuples;
	const pegs_criteria *criteria = &s->asked->criteria;
	uint64_t	small = 0;
	uint64_t	failing = 0;
	double		added = 0;
	uint32_t	n;

	*v = visit_of(s, v->id);
	n = classes_at(s->env, &s->numbering, tuples, s->asked->keys, s->step, s->of);
	memset(s->rows, 0, sizeof(uint64_t) * n);
	pegs_class_rows(tuples, s->of, s->rows);
	if (s->diversity)
		pegs_diversity_of(s->env, tuples, s->of, n, s->rows, s->share, s->at, s->diversity);
	for (uint32_t c = 0; c < n; c++)
	{
		bool		meets = s->rows[c] >= criteria->k;

		small += meets ? 0 : s->rows[c];
		if (meets && s->diversity && !pegs_is_diverse(criteria, &s->diversity[c]))
			meets = false;
		failing += meets ? 0 : s->rows[c];
		if (meets)
			s->rows[c] = 0;
	}
	s->node.looked_at++;
	if (s->asked->progress && s->node.looked_at % TELL == 0)
		s->asked->progress(s->asked->context, s->node.looked_at, s->node.nodes);
	s->mark[v->id] |= SEEN;
	*finer_fail = small > s->limit || (s->limit == 0 && failing > 0);
	if (failing > s->limit)
	{
		/* the last one that is looked at of a path that ends at the top: what an error tells */
		if (!s->node.found && v->id == s->node.nodes - 1)
			s->node.suppressed = failing;
		return false;
	}
	/* what the suppressed rows lose besides */
	for (uint32_t i = 0; failing > 0 && i < tuples->n; i++)
	{
		double		kept = 1;

		if (s->rows[s->of[i]] == 0)
			continue;
		for (uint32_t j = 0; j < tuples->nkeys; j++)
		{
			const pegs_key *key = &s->asked->keys[j];
			const pegs_key_step *at = &key->step[s->step[j]];

			kept -= s->weight[j] * pegs_lost(key, at->size[at->group[tuples->code[j][i]]]);
		}
		added += kept > 0 ? kept * tuples->times[i] : 0;
	}
	added /= (double) (tuples->rows > 0 ? tuples->rows : 1);
	if (!s->node.found || v->bound + added < s->node.loss
		|| (v->bound + added == s->node.loss && is_before(v, &s->best)))
	{
		s->node.found = true;
		s->node.loss = v->bound + added;
		s->node.suppressed = failing;
		s->best = *v;
	}
	return true;
}

/* ---- nodes that are known to fail ---- */

/* The node and all finer ones. What was marked before has all finer ones marked. */
static void
mark_below(search *s, uint32_t id, uint32_t f)
{
	if (s->went++ % BETWEEN == 0)
		s->env->check(s->env->context);
	if (s->mark[id] & FAILS)
		return;
	if (f == s->nfree)
	{
		s->mark[id] |= FAILS;
		return;
	}
	for (uint32_t v = id / s->stride[f] % s->nsteps[f];; v--, id -= s->stride[f])
	{
		if (s->mark[id] & FAILS)
			return;
		mark_below(s, id, f + 1);
		if (v == 0)
			return;
	}
}

/* One step coarser, of that key which adds least to G; false: it is the last. */
static bool
up(const search *s, uint32_t *id)
{
	double		least = INFINITY;
	uint32_t	next = *id;

	for (uint32_t f = 0; f < s->nfree; f++)
	{
		uint32_t	j = s->free[f];
		uint32_t	v = *id / s->stride[f] % s->nsteps[f];
		double		adds;

		if (v + 1 == s->nsteps[f])
			continue;
		v += s->asked->keys[j].first;
		adds = s->lost[j][v + 1] - s->lost[j][v];
		if (adds < least)
		{
			least = adds;
			next = *id + s->stride[f];
		}
	}
	if (next == *id)
		return false;
	*id = next;
	return true;
}

/* From a node that fails up: where does a path cease to fail? */
static void
find_border(search *s, uint32_t id, uint32_t *path)
{
	uint32_t	fails = 0;
	uint32_t	length = 0;
	uint32_t	holds;
	uint32_t	at = id;

	do
		path[length++] = at;
	while (up(s, &at));
	holds = length;
	while (holds - fails > 1)
	{
		uint32_t	middle = fails + (holds - fails) / 2;
		visit		v = {.id = path[middle]};
		bool		finer_fail = (s->mark[v.id] & FAILS) != 0;

		if (!(s->mark[v.id] & (FAILS | SEEN)))
			(void) look_at(s, &v, &finer_fail);
		if (finer_fail)
			fails = middle;
		else
			holds = middle;
	}
	mark_below(s, path[fails], 0);
}

/* ---- nodes by rising G ---- */

static void
add_visit(search *s, visit v)
{
	uint64_t	at = s->nheap++;

	if (s->nheap > s->room)
	{
		visit	   *more = s->env->alloc(s->env->context, sizeof(visit) * s->room * 2);

		memcpy(more, s->heap, sizeof(visit) * s->room);
		pegs_env_free(s->env, s->heap);
		s->heap = more;
		s->room *= 2;
	}
	for (; at > 0 && is_before(&v, &s->heap[(at - 1) / 2]); at = (at - 1) / 2)
		s->heap[at] = s->heap[(at - 1) / 2];
	s->heap[at] = v;
}

static visit
next_visit(search *s)
{
	visit		first = s->heap[0];
	visit		last = s->heap[--s->nheap];
	uint64_t	at = 0;

	for (;;)
	{
		uint64_t	child = 2 * at + 1;

		if (child + 1 < s->nheap && is_before(&s->heap[child + 1], &s->heap[child]))
			child++;
		if (child >= s->nheap || !is_before(&s->heap[child], &last))
			break;
		s->heap[at] = s->heap[child];
		at = child;
	}
	s->heap[at] = last;
	return first;
}

/* All nodes that are this one with a later free key raised: each node comes from one other, which is before it. */
static void
put_next(search *s, const visit *v)
{
	for (uint32_t f = v->from; f < s->nfree; f++)
		if (v->id / s->stride[f] % s->nsteps[f] + 1 < s->nsteps[f])
		{
			visit		next = visit_of(s, v->id + s->stride[f]);

			next.from = f;
			add_visit(s, next);
		}
}

static void
visit_all(search *s)
{
	uint32_t	length = 1;
	uint32_t   *path;
	uint64_t	visited = 0;

	for (uint32_t f = 0; f < s->nfree; f++)
		length += s->nsteps[f] - 1;
	path = s->env->alloc(s->env->context, sizeof(uint32_t) * length);
	add_visit(s, visit_of(s, 0));
	while (s->nheap > 0)
	{
		visit		v = next_visit(s);
		bool		finer_fail = false;

		if (visited++ % BETWEEN == 0)
			s->env->check(s->env->context);
		if (s->node.found && !s->asked->unpruned && !(v.bound < s->node.loss)
			&& (v.bound > s->node.loss || !is_before(&v, &s->best)))
			break;
		put_next(s, &v);
		if (s->mark[v.id])
			continue;
		(void) look_at(s, &v, &finer_fail);
		if (finer_fail && !s->asked->unpruned)
			find_border(s, v.id, path);
	}
	pegs_env_free(s->env, path);
}

/* ---- the search ---- */

uint64_t
pegs_lattice_nodes(const pegs_key *keys, uint32_t nkeys)
{
	uint64_t	nodes = 1;

	for (uint32_t j = 0; j < nkeys; j++)
	{
		nodes *= keys[j].last - keys[j].first + 1;
		if (nodes > PEGS_MAX_NODES)
			return 0;
	}
	return nodes;
}

/* What each step of each key adds to G. */
static void
count_losses(search *s)
{
	const pegs_tuples *tuples = s->asked->tuples;
	const pegs_env *env = s->env;
	double		sum = pegs_weight_of(s->asked->keys, tuples->nkeys);

	s->lost = env->alloc(env->context, sizeof(double *) * (tuples->nkeys + 1));
	s->weight = env->alloc(env->context, sizeof(double) * (tuples->nkeys + 1));
	for (uint32_t j = 0; j < tuples->nkeys; j++)
	{
		const pegs_key *key = &s->asked->keys[j];
		uint64_t   *rows = env->alloc(env->context, sizeof(uint64_t) * key->levels);

		s->weight[j] = key->weight / sum;
		s->lost[j] = env->alloc(env->context, sizeof(double) * key->nsteps);
		for (uint32_t i = 0; i < tuples->n; i++)
			rows[tuples->code[j][i]] += tuples->times[i];
		for (uint32_t t = 0; t < key->nsteps; t++)
		{
			double		cells = 0;	/* whole numbers: no order of sums shows */

			for (uint32_t code = 0; code < key->levels; code++)
				cells += (double) rows[code] * (key->step[t].size[key->step[t].group[code]] - 1.0);
			if (key->levels > 1 && tuples->rows > 0)
				s->lost[j][t] = s->weight[j] * (cells / ((double) tuples->rows * (key->levels - 1.0)));
		}
		pegs_env_free(env, rows);
		env->check(env->context);
	}
}

static void
begin_lattice(search *s)
{
	const pegs_key *keys = s->asked->keys;
	uint32_t	stride = 1;

	/* the first key's step weighs most in a node's number */
	for (uint32_t j = s->asked->tuples->nkeys; j-- > 0;)
	{
		if (keys[j].first == keys[j].last)
			continue;
		s->free[s->nfree] = j;
		s->stride[s->nfree] = stride;
		s->nsteps[s->nfree] = keys[j].last - keys[j].first + 1;
		stride *= s->nsteps[s->nfree++];
	}
}

pegs_status
pegs_search(const pegs_env *env, const pegs_lattice *lattice, uint32_t *step, pegs_node *node)
{
	const pegs_tuples *tuples = lattice->tuples;
	search		s = {.env = env, .asked = lattice, .room = 64};
	pegs_status status = pegs_check_keys(env, tuples, lattice->keys);

	if (status != PEGS_OK)
		return status;
	if (!(pegs_weight_of(lattice->keys, tuples->nkeys) > 0) || !(lattice->suppress >= 0)
		|| (pegs_asks_diversity(&lattice->criteria) && tuples->nlevels == 0))
		return PEGS_ERR_ARGUMENT;
	s.node.nodes = pegs_lattice_nodes(lattice->keys, tuples->nkeys);
	if (s.node.nodes == 0)
		return PEGS_ERR_TOO_LARGE;
	/* a share as written, 0.29, of 100 rows is 29 of them */
	s.limit = (uint64_t) fmin(floor(lattice->suppress * (double) tuples->rows + PEGS_NEAR), (double) tuples->rows);
	begin_lattice(&s);
	count_losses(&s);
	begin_numbering(env, &s.numbering, tuples->n);
	s.of = env->alloc(env->context, sizeof(uint32_t) * (tuples->n + 1));
	s.rows = env->alloc(env->context, sizeof(uint64_t) * (tuples->n + 1));
	if (pegs_asks_diversity(&lattice->criteria))
	{
		s.diversity = env->alloc(env->context, sizeof(pegs_diversity) * (tuples->n + 1));
		s.at = env->alloc(env->context, sizeof(pegs_level_at) * (tuples->n + 1));
		s.share = env->alloc(env->context, sizeof(double) * (tuples->nlevels + 1));
		pegs_level_shares(tuples, NULL, NULL, s.share);
	}
	s.mark = env->alloc(env->context, s.node.nodes);
	s.step = env->alloc(env->context, sizeof(uint32_t) * (tuples->nkeys + 1));
	s.heap = env->alloc(env->context, sizeof(visit) * s.room);

	visit_all(&s);

	for (uint32_t j = 0; j < tuples->nkeys; j++)
		step[j] = s.node.found ? lattice->keys[j].first : lattice->keys[j].last;
	if (s.node.found)
		steps_of(&s, s.best.id, step);
	*node = s.node;
	end_numbering(env, &s.numbering);
	for (uint32_t j = 0; j < tuples->nkeys; j++)
		pegs_env_free(env, s.lost[j]);
	pegs_env_free(env, s.lost);
	pegs_env_free(env, s.weight);
	pegs_env_free(env, s.of);
	pegs_env_free(env, s.rows);
	if (s.diversity)
	{
		pegs_env_free(env, s.diversity);
		pegs_env_free(env, s.at);
		pegs_env_free(env, s.share);
	}
	pegs_env_free(env, s.mark);
	pegs_env_free(env, s.step);
	pegs_env_free(env, s.heap);
	return PEGS_OK;
}
