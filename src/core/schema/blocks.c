/*
 * blocks.c
 *	  Rows of all tables, a block of roots at a time.
 *
 * A block begins as path rows, one for each root: its columns, the classes of
 * its counts, the first row of it in each table. The other rows of a table are
 * drawn together, given all that stands above them. Claim P36. Then they are
 * adjusted. What is drawn is post-processing of released numbers.
 *
 * Each table of a sample is read out of the same blocks, so that rows of
 * different tables belong together, though none is stored.
 *
 * Where columns of the root are given, it is drawn from the tree given them, and
 * all else given the root, as ever. What was measured is of all roots, so such
 * rows are not adjusted to it: kin.h.
 */
#include "core/schema/schema.h"

#include "core/graph/draw.h"
#include "core/graph/smooth.h"
#include "core/method.h"
#include "core/schema/distinct.h"
#include "core/schema/kin.h"

#include <math.h>
#include <string.h>

#define ROWS_OF_BLOCK 131072.0	/* of all tables, as many as are to be expected */
#define ROOTS_OF_BLOCK 32768

struct pegs_blocks
{
	pegs_env	env;
	const pegs_relations *relations;
	const pegs_fitted *model;
	pegs_draw	draw;
	pegs_draw  *root;			/* given some columns of it; NULL: none is given */
	bool	  **wanted;			/* [ntables][ncols] columns of a further row of it */
	pegs_expected_pairs *expected;
	uint64_t	n;
	uint64_t	number;			/* of blocks */
};

/* A block that is being made. */
typedef struct making
{
	const pegs_blocks *blocks;
	const pegs_relations *r;
	const pegs_env *env;
	pegs_rng   *rng;
	pegs_kin   *kin;			/* [ntables] */
} making;

static void *
room_for(const making *m, size_t n, size_t size)
{
	return m->env->alloc(m->env->context, (n > 0 ? n : 1) * size);
}

static uint32_t
most_of_class(const pegs_relation *t, uint32_t class)
{
	return class + 1 < t->nclasses ? t->first[class + 1] - 1 : t->most;
}

/* Rows of all tables that a root has, by the model's shares of the counts. */
static double
rows_expected(const pegs_blocks *b, double *mean)
{
	const pegs_relations *r = b->relations;
	double		sum = 0;

	for (uint32_t t = 0; t < r->ntables; t++)
	{
		double		there = 0;
		double		each = 0;
		const double *shares = t > 0 ? b->model->share[r->count_of[t]] : NULL;

		if (t > 0 && b->root && r->table[t].parent == 0)
		{
			double	   *given = b->env.alloc(b->env.context, sizeof(double) * r->levels[r->count_of[t]]);

			pegs_draw_shares(&b->env, b->root, (uint32_t) r->count_of[t], given);
			shares = given;
		}
		for (uint32_t k = 0; k < r->table[t].nclasses; k++)
		{
			double		share = shares[k];

			there += share;
			each += share * (r->table[t].first[k] + most_of_class(&r->table[t], k)) / 2.0;
		}
		mean[t] = t == 0 ? 1 : mean[r->table[t].parent] * (there > 0 ? each / there : 0);
		sum += mean[t];
	}
	return sum;
}

static bool
is_of(const pegs_relations *r, const pegs_fitted *model)
{
	if (model->ncols != r->ncols || model->rank == NULL)
		return false;
	for (uint32_t i = 0; i < r->ncols; i++)
		if (model->levels[i] != r->levels[i] || model->rank[i] != r->rank[i])
			return false;
	return true;
}

/* Pairs of rows of one parent, on levels of that table's own columns. */
static bool
siblings_are_of(const pegs_relations *r, const pegs_fitted *model)
{
	for (uint32_t s = 0; s < model->nsiblings; s++)
	{
		const uint32_t *column = model->sibling[s].column;

		if (column[0] > column[1] || column[1] >= r->ncols || r->column[column[0]].table == 0
			|| r->column[column[0]].table != r->column[column[1]].table || r->column[column[0]].own < 0 || r->column[column[1]].own < 0)
			return false;
	}
	return true;
}

/* Is it a table, or below it? */
static bool
is_below(const pegs_relations *r, uint32_t table, uint32_t above)
{
	int32_t		up = (int32_t) table;

	while (up > (int32_t) above)
		up = r->table[up].parent;
	return up == (int32_t) above;
}

pegs_status
pegs_blocks_open(const pegs_env *env, const pegs_relations *r, const pegs_fitted *model, uint64_t n, const int32_t *given,
				 pegs_blocks **opened)
{
	pegs_blocks *b = env->alloc(env->context, sizeof(pegs_blocks));
	double	   *mean = env->alloc(env->context, sizeof(double) * r->ntables);
	double		per;

	*opened = b;
	if (!is_of(r, model))
		return PEGS_ERR_MISMATCH;
	b->env = *env;
	b->relations = r;
	b->model = model;
	b->n = n;
	if (pegs_draw_ranked(env, model, &b->draw) != PEGS_OK)
		return PEGS_ERR_MISMATCH;
	for (uint32_t i = 0; given && i < r->ncols; i++)
	{
		if (given[i] < 0)
			continue;
		if (r->column[i].table != 0 || r->column[i].own < 0 || (uint32_t) given[i] >= r->levels[i])
			return PEGS_ERR_MISMATCH;
		b->root = b->root ? b->root : env->alloc(env->context, sizeof(pegs_draw));
	}
	if (b->root && pegs_draw_init(env, model, given, b->root) != PEGS_OK)
		return PEGS_ERR_RANGE;
	if (!siblings_are_of(r, model))
		return PEGS_ERR_MISMATCH;
	b->wanted = env->alloc(env->context, sizeof(bool *) * r->ntables);
	for (uint32_t t = 0; t < r->ntables; t++)
	{
		b->wanted[t] = env->alloc(env->context, sizeof(bool) * r->ncols);
		for (uint32_t i = 0; i < r->ncols; i++)
			b->wanted[t][i] = is_below(r, r->column[i].table, t);
		pegs_draw_needs(&b->draw, r->absence, b->wanted[t]);
	}
	b->expected = env->alloc(env->context, sizeof(pegs_expected_pairs));
	b->expected->env = *env;
	per = floor(fmin(ROOTS_OF_BLOCK, fmax(1, ROWS_OF_BLOCK / rows_expected(b, mean))));
	b->number = n > 0 ? (n - 1) / (uint64_t) per + 1 : 0;
	return PEGS_OK;
}

uint64_t
pegs_blocks_number(const pegs_blocks *blocks)
{
	return blocks->number;
}

static uint16_t **
new_codes(const making *m, uint32_t n)
{
	uint16_t  **codes = room_for(m, m->r->ncols, sizeof(uint16_t *));

	for (uint32_t i = 0; i < m->r->ncols; i++)
		codes[i] = room_for(m, n, sizeof(uint16_t));
	return codes;
}

/* How many rows of a table each of its parents has: of those of one class evenly over its numbers. */
static uint32_t *
draw_numbers(making *m, uint32_t table)
{
	const pegs_relation *t = &m->r->table[table];
	const pegs_kin *up = &m->kin[t->parent];
	const uint16_t *class = up->codes[m->r->count_of[table]];
	uint32_t   *number = room_for(m, up->n, sizeof(uint32_t));
	pegs_batch	b;

	pegs_batch_init(m->env, &b, m->rng, up->n, t->nclasses + 1);
	for (uint32_t i = 0; i < up->n; i++)
		b.key[i] = class[i];
	pegs_batch_sort(&b, t->nclasses + 1);
	for (uint32_t k = 1; k < t->nclasses; k++)
	{
		uint32_t	n = b.first[k + 1] - b.first[k];
		double		width = most_of_class(t, k) - t->first[k] + 1.0;
		double		offset = pegs_rng_double(m->rng);

		for (uint32_t i = 0; i < n; i++)
			number[b.order[b.first[k] + i]] = (uint32_t) fmin(t->first[k] + floor((i + offset) / n * width), most_of_class(t, k));
	}
	return number;
}

/* Rows of a table beyond the first of each parent: what stands above is known, they and what is below are drawn. */
static void
draw_further(making *m, uint32_t table, uint32_t further, const bool *first)
{
	const pegs_relations *r = m->r;
	pegs_kin   *kin = &m->kin[table];
	uint32_t	rank = kin->rank;
	uint16_t  **codes = new_codes(m, further);
	uint32_t	at = 0;

	for (uint32_t i = 0; i < r->ncols; i++)
	{
		at = 0;
		for (uint32_t row = 0; r->rank[i] < rank && row < kin->n; row++)
			if (!first[row])
				codes[i][at++] = kin->codes[i][row];
	}
	pegs_draw_batch_from(m->env, &m->blocks->draw, m->rng, rank, m->blocks->wanted[table], r->absence, further, codes);
	for (uint32_t i = 0; i < r->ncols; i++)
	{
		at = 0;
		for (uint32_t row = 0; r->rank[i] >= rank && row < kin->n; row++)
			if (!first[row])
				kin->codes[i][row] = codes[i][at++];
	}
}

/* All rows of a table of the block, each with a path row of its own. */
static void
make_table(making *m, uint32_t table)
{
	const pegs_relations *r = m->r;
	pegs_kin   *kin = &m->kin[table];
	const pegs_kin *up = &m->kin[r->table[table].parent];
	uint32_t   *number = draw_numbers(m, table);
	uint32_t	further = 0;
	uint32_t	at = 0;
	bool	   *first;

	for (uint32_t p = 0; p < up->n; p++)
		kin->n += number[p];
	kin->rank = up->rank + 1;
	kin->number = number;
	kin->parent = room_for(m, kin->n, sizeof(uint32_t));
	first = room_for(m, kin->n, sizeof(bool));
	kin->codes = new_codes(m, kin->n);
	for (uint32_t p = 0; p < up->n; p++)
		for (uint32_t c = 0; c < number[p]; c++)
		{
			first[at] = c == 0;
			further += c > 0;
			kin->parent[at++] = p;
		}
	for (uint32_t i = 0; i < r->ncols; i++)
		for (uint32_t row = 0; row < kin->n; row++)
			kin->codes[i][row] = up->codes[i][kin->parent[row]];
	m->env->check(m->env->context);
	if (further > 0)
		draw_further(m, table, further, first);
}

/* A path row for each root, of which columns are given. Of the tree's rows the root is kept, and all below it drawn by it. */
static void
draw_given(making *m)
{
	const pegs_draw *root = m->blocks->root;
	pegs_kin   *kin = &m->kin[0];

	pegs_draw_batch(m->env, root, m->rng, kin->n, kin->codes);
	for (uint32_t i = 0; i < m->r->ncols; i++)
		for (uint32_t row = 0; root->level[i].fixed >= 0 && row < kin->n; row++)
			kin->codes[i][row] = (uint16_t) root->level[i].fixed;
	pegs_draw_batch_from(m->env, &m->blocks->draw, m->rng, 1, NULL, m->r->absence, kin->n, kin->codes);
}

void
pegs_blocks_make(const pegs_blocks *b, const pegs_env *batch, pegs_rng *rng, uint64_t stream, uint64_t block, pegs_block *made)
{
	const pegs_relations *r = b->relations;
	making		m = {.blocks = b, .r = r, .env = batch, .rng = rng};
	uint64_t	larger = b->n % b->number;

	pegs_rng_move(rng, pegs_stream_of_batch(stream, block));
	made->first = b->n / b->number * block + (block < larger ? block : larger);
	made->table = room_for(&m, r->ntables, sizeof(pegs_block_table));
	m.kin = room_for(&m, r->ntables, sizeof(pegs_kin));
	m.kin[0].n = (uint32_t) (b->n / b->number + (block < larger));
	m.kin[0].codes = new_codes(&m, m.kin[0].n);
	if (b->root)
		draw_given(&m);
	else
	{
		pegs_draw_batch_from(batch, &b->draw, rng, 0, NULL, r->absence, m.kin[0].n, m.kin[0].codes);
		pegs_smooth_batch(batch, b->model, b->expected, &r->zeros, rng, m.kin[0].n, m.kin[0].codes);
	}
	for (uint32_t t = 0; t < r->ntables; t++)
	{
		if (t > 0)
		{
			make_table(&m, t);
			pegs_redraw_repeats(batch, r, b->model, rng, m.kin, t);
			pegs_adjust_kin(batch, r, b->model, rng, m.kin, t, b->root != NULL);
		}
		made->table[t].n = m.kin[t].n;
		made->table[t].parent = m.kin[t].parent;
		made->table[t].codes = m.kin[t].codes + r->start[t];
		made->table[t].place = pegs_choose_places(batch, r, rng, m.kin, t);
	}
}
