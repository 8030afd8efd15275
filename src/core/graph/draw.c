/*
 * draw.c
 *	  Rows from a fitted model.
 *
 * The tree is made ready once: evidence is multiplied into one clique of each
 * given column, messages go up and down, and every clique becomes a chain of
 * conditional tables, one column at a time given separator and earlier
 * columns.
 */
#include "core/graph/draw.h"

#include <string.h>

#define CELLS_AT_ONCE 65536		/* between two questions whether to stop */

/* Vose's method; p need not sum to one, but must not be all zero. */
static void
build_alias(uint32_t n, const double *p, uint32_t *keep, uint16_t *other, uint32_t *stack, double *q)
{
	double		sum = 0;
	uint32_t	low = 0;
	uint32_t	high = n;

	for (uint32_t i = 0; i < n; i++)
		sum += p[i];
	for (uint32_t i = 0; i < n; i++)
	{
		q[i] = p[i] * n / sum;
		if (q[i] < 1)
			stack[low++] = i;
		else
			stack[--high] = i;
	}
	while (low > 0 && high < n)
	{
		uint32_t	small = stack[--low];
		uint32_t	large = stack[high];

		keep[small] = (uint32_t) (q[small] * 0x1p32 > 0xffffffff ? 0xffffffff : q[small] * 0x1p32);
		other[small] = (uint16_t) large;
		q[large] -= 1 - q[small];
		if (q[large] < 1)
		{
			high++;
			stack[low++] = large;
		}
	}
	while (low > 0)
	{
		/* only rounding can leave a small one here; an impossible outcome stays impossible */
		uint32_t	i = stack[--low];

		keep[i] = 0xffffffff;
		other[i] = (uint16_t) i;
		if (p[i] <= 0)
		{
			uint32_t	best = 0;

			for (uint32_t j = 1; j < n; j++)
				if (p[j] > p[best])
					best = j;
			keep[i] = 0;
			other[i] = (uint16_t) best;
		}
	}
	for (; high < n; high++)
	{
		keep[stack[high]] = 0xffffffff;
		other[stack[high]] = (uint16_t) stack[high];
	}
}

/* A copy of the tree's tables, conditioned on the classes of what is given. */
static pegs_status
condition(const pegs_env *env, const pegs_fitted *model, const int32_t *given, pegs_jtree *tree)
{
	size_t		widest = 1;
	double	   *scratch;
	double		mass = 0;
	bool		any = false;

	*tree = model->tree;
	for (uint32_t i = 0; given && i < model->ncols; i++)
		any |= given[i] >= 0;
	if (!any)
		return PEGS_OK;
	tree->clique = env->alloc(env->context, sizeof(pegs_clique) * tree->nclique);
	for (uint32_t i = 0; i < tree->nclique; i++)
	{
		pegs_clique *c = &tree->clique[i];

		env->check(env->context);
		*c = model->tree.clique[i];
		c->mu = env->alloc(env->context, sizeof(double) * c->cells);
		memcpy(c->mu, model->tree.clique[i].mu, sizeof(double) * c->cells);
		if (c->parent >= 0)
		{
			c->sep_mu = env->alloc(env->context, sizeof(double) * c->sep_cells);
			memcpy(c->sep_mu, model->tree.clique[i].sep_mu, sizeof(double) * c->sep_cells);
		}
		if (c->sep_cells > widest)
			widest = c->sep_cells;
	}
	scratch = env->alloc(env->context, sizeof(double) * widest);
	for (uint32_t q = 0; q < model->ncols; q++)
	{
		pegs_clique *c;
		uint32_t   *class;

		if (given[q] < 0)
			continue;
		env->check(env->context);
		if (!(model->share[q][given[q]] > 0))
			return PEGS_ERR_RANGE;
		c = &tree->clique[pegs_jtree_home(tree, 1, &q)];
		class = pegs_jtree_index(env, tree, c, 1, &q);
		for (size_t i = 0; i < c->cells; i++)
			if (class[i] != model->class_of[q][given[q]])
				c->mu[i] = 0;
	}
	for (uint32_t i = tree->nclique; i-- > 1;)
	{
		env->check(env->context);
		pegs_jtree_push(tree, i, true, scratch);
	}
	for (uint32_t i = 1; i < tree->nclique; i++)
	{
		env->check(env->context);
		pegs_jtree_push(tree, i, false, scratch);
	}
	for (size_t i = 0; i < tree->clique[0].cells; i++)
		mass += tree->clique[0].mu[i];
	return mass > 0 ? PEGS_OK : PEGS_ERR_RANGE;
}

void
pegs_draw_build_step(const pegs_env *env, const pegs_jtree *tree, const pegs_clique *c, uint32_t n, const uint32_t *columns,
					 pegs_draw_step *step)
{
	uint32_t	column = columns[n - 1];
	uint32_t	classes = tree->classes[column];
	uint32_t   *index = pegs_jtree_index(env, tree, c, n, columns);
	uint32_t	keys = 1;
	uint64_t	since = 0;		/* cells since it was asked whether to stop */
	double	   *table;
	uint32_t   *stack = env->alloc(env->context, sizeof(uint32_t) * classes);
	double	   *q = env->alloc(env->context, sizeof(double) * classes);

	env->check(env->context);
	step->column = column;
	step->ngiven = n - 1;
	step->given = env->alloc(env->context, sizeof(uint32_t) * n);
	step->stride = env->alloc(env->context, sizeof(uint32_t) * n);
	for (uint32_t i = n - 1; i-- > 0;)
	{
		step->given[i] = columns[i];
		step->stride[i] = keys;
		keys *= tree->classes[columns[i]];
	}
	step->keys = keys;
	table = env->alloc(env->context, sizeof(double) * keys * classes);
	for (size_t i = 0; i < c->cells; i++)
		table[index[i]] += c->mu[i];
	step->table = table;
	step->alias.n = classes;
	step->alias.keep = env->alloc(env->context, sizeof(uint32_t) * keys * classes);
	step->alias.other = env->alloc(env->context, sizeof(uint16_t) * keys * classes);
	for (uint32_t k = 0; k < keys; k++)
	{
		const double *row = table + (size_t) k * classes;
		double		sum = 0;

		if (since >= CELLS_AT_ONCE)
		{
			env->check(env->context);
			since = 0;
		}
		since += classes;
		for (uint32_t i = 0; i < classes; i++)
			sum += row[i];
		if (sum > 0)			/* else the key never comes up */
			build_alias(classes, row, step->alias.keep + (size_t) k * classes,
						step->alias.other + (size_t) k * classes, stack, q);
	}
}

void
pegs_draw_build_level(const pegs_env *env, const pegs_fitted *model, uint32_t column, pegs_draw_level *level)
{
	uint32_t	levels = model->levels[column];
	uint32_t   *stack = env->alloc(env->context, sizeof(uint32_t) * levels);
	double	   *q = env->alloc(env->context, sizeof(double) * levels);

	level->classes = model->tree.classes[column];
	level->share = model->share[column];
	level->start = env->alloc(env->context, sizeof(uint32_t) * (level->classes + 1));
	level->keep = env->alloc(env->context, sizeof(uint32_t) * levels);
	level->other = env->alloc(env->context, sizeof(uint16_t) * levels);
	for (uint32_t i = 0; i < levels; i++)
		level->start[model->class_of[column][i] + 1] = i + 1;
	for (uint32_t k = 0; k < level->classes; k++)
	{
		uint32_t	from = level->start[k];
		uint32_t	n = level->start[k + 1] - from;
		double		sum = 0;

		for (uint32_t i = 0; i < n; i++)
			sum += level->share[from + i];
		if (sum > 0)
			build_alias(n, level->share + from, level->keep + from, level->other + from, stack, q);
		else
			for (uint32_t i = 0; i < n; i++)
			{
				level->keep[from + i] = 0xffffffff;
				level->other[from + i] = (uint16_t) i;
			}
	}
}

pegs_status
pegs_draw_init(const pegs_env *env, const pegs_fitted *model, const int32_t *given, pegs_draw *draw)
{
	uint32_t	m = model->ncols;
	bool	   *done = env->alloc(env->context, sizeof(bool) * m);
	uint32_t   *columns = env->alloc(env->context, sizeof(uint32_t) * m);
	pegs_status status = condition(env, model, given, &draw->tree);
	uint32_t	at = 0;

	if (status != PEGS_OK)
		return status;
	draw->ncols = m;
	draw->model = model;
	draw->step = env->alloc(env->context, sizeof(pegs_draw_step) * m);
	draw->level = env->alloc(env->context, sizeof(pegs_draw_level) * m);
	draw->class = env->alloc(env->context, sizeof(uint16_t) * m);
	for (uint32_t i = 0; i < draw->tree.nclique; i++)
	{
		const pegs_clique *c = &draw->tree.clique[i];
		uint32_t	n = 0;

		for (uint32_t x = 0; x < c->n; x++)
			if (done[c->column[x]])
				columns[n++] = c->column[x];
		for (uint32_t x = 0; x < c->n; x++)
			if (!done[c->column[x]])
			{
				columns[n++] = c->column[x];
				done[c->column[x]] = true;
				pegs_draw_build_step(env, &draw->tree, c, n, columns, &draw->step[at++]);
			}
	}
	for (uint32_t i = 0; i < m; i++)
	{
		env->check(env->context);
		pegs_draw_build_level(env, model, i, &draw->level[i]);
		draw->level[i].fixed = given ? given[i] : -1;
	}
	return PEGS_OK;
}

void
pegs_draw_shares(const pegs_env *env, const pegs_draw *draw, uint32_t column, double *share)
{
	const pegs_fitted *model = draw->model;
	const pegs_clique *c = &draw->tree.clique[pegs_jtree_home(&draw->tree, 1, &column)];
	const uint32_t *class = pegs_jtree_index(env, &draw->tree, c, 1, &column);
	uint32_t	classes = draw->tree.classes[column];
	double	   *mass = env->alloc(env->context, sizeof(double) * classes);
	double	   *plain = env->alloc(env->context, sizeof(double) * classes);
	double		sum = 0;

	for (size_t i = 0; i < c->cells; i++)
	{
		mass[class[i]] += c->mu[i];
		sum += c->mu[i];
	}
	for (uint32_t l = 0; l < model->levels[column]; l++)
		plain[model->class_of[column][l]] += model->share[column][l];
	for (uint32_t l = 0; l < model->levels[column]; l++)
	{
		uint32_t	k = model->class_of[column][l];

		share[l] = sum > 0 && plain[k] > 0 ? mass[k] / sum * model->share[column][l] / plain[k] : 0;
	}
}

/* One of n outcomes. */
static inline uint32_t
pick(uint32_t n, const uint32_t *keep, const uint16_t *other, uint64_t u)
{
	uint32_t	at = (uint32_t) (((u >> 32) * n) >> 32);

	return (uint32_t) u < keep[at] ? at : other[at];
}

void
pegs_draw_row(const pegs_draw *draw, pegs_rng *rng, uint16_t *row)
{
	for (uint32_t i = 0; i < draw->ncols; i++)
	{
		const pegs_draw_step *step = &draw->step[i];
		const pegs_draw_level *level = &draw->level[step->column];
		uint32_t	n = step->alias.n;
		size_t		key = 0;
		uint32_t	class = 0;

		for (uint32_t g = 0; g < step->ngiven; g++)
			key += (size_t) draw->class[step->given[g]] * step->stride[g];
		if (n > 1)
			class = pick(n, step->alias.keep + key * n, step->alias.other + key * n, pegs_rng_u64(rng));
		draw->class[step->column] = (uint16_t) class;
		if (level->fixed >= 0)
			row[step->column] = (uint16_t) level->fixed;
		else
		{
			uint32_t	from = level->start[class];
			uint32_t	width = level->start[class + 1] - from;

			row[step->column] = (uint16_t) (width == 1 ? from
											: from + pick(width, level->keep + from, level->other + from, pegs_rng_u64(rng)));
		}
	}
}

bool
pegs_draw_possible(const pegs_draw *draw, const pegs_zeros *zeros, pegs_rng *rng, uint32_t tries, uint16_t *row)
{
	while (pegs_is_zero(zeros, row))
	{
		if (tries-- == 0)
			return false;
		pegs_draw_row(draw, rng, row);
	}
	return true;
}

/* ---- apportioned batches ---- */

void
pegs_batch_init(const pegs_env *env, pegs_batch *b, pegs_rng *rng, uint32_t n, uint32_t widest)
{
	*b = (pegs_batch) {.env = env, .rng = rng, .n = n};
	b->key = env->alloc(env->context, sizeof(uint32_t) * n);
	b->order = env->alloc(env->context, sizeof(uint32_t) * n);
	b->shuffled = env->alloc(env->context, sizeof(uint32_t) * n);
	b->first = env->alloc(env->context, sizeof(uint32_t) * (widest + 2));
}

void
pegs_batch_sort(pegs_batch *b, uint32_t keys)
{
	for (uint32_t i = 0; i < b->n; i++)
	{
		uint32_t	j = (uint32_t) pegs_rng_below(b->rng, i + 1);

		b->shuffled[i] = b->shuffled[j];
		b->shuffled[j] = i;
	}
	b->env->check(b->env->context);
	memset(b->first, 0, sizeof(uint32_t) * (keys + 1));
	if (keys == 1)
	{
		memcpy(b->order, b->shuffled, sizeof(uint32_t) * b->n);
		b->first[1] = b->n;
		return;
	}
	for (uint32_t i = 0; i < b->n; i++)
		b->first[b->key[i] + 1]++;
	for (uint32_t k = 0; k < keys; k++)
		b->first[k + 1] += b->first[k];
	for (uint32_t i = 0; i < b->n; i++)
		b->order[b->first[b->key[b->shuffled[i]]]++] = b->shuffled[i];
	memmove(b->first + 1, b->first, sizeof(uint32_t) * keys);
	b->first[0] = 0;
}

void
pegs_batch_apportion(pegs_batch *b, uint32_t key, uint32_t n, const double *p, uint32_t from, uint16_t *out)
{
	uint32_t	begin = b->first[key];
	uint32_t	rows = b->first[key + 1] - begin;
	double		total = 0;
	double		sum = 0;
	double		offset;
	uint32_t	at = 0;

	if (rows == 0)
		return;
	for (uint32_t i = 0; i < n; i++)
		total += p[i];
	offset = pegs_rng_double(b->rng);
	sum = p[0];
	while (total > 0 && !(p[n - 1] > 0))
		n--;					/* rounding may lead to the last: let that one be possible */
	for (uint32_t r = 0; r < rows; r++)
	{
		double		x = (r + offset) / rows;

		if (total > 0)
			while (at + 1 < n && sum <= x * total)
				sum += p[++at];
		else
		{
			at = (uint32_t) (x * n);
			if (at >= n)
				at = n - 1;		/* x may have been rounded up to 1 */
		}
		out[b->order[begin + r]] = (uint16_t) (from + at);
	}
}

void
pegs_draw_batch(const pegs_env *env, const pegs_draw *draw, pegs_rng *rng, uint32_t n, uint16_t **codes)
{
	pegs_batch	b;
	uint32_t	widest = 1;
	uint16_t  **class = env->alloc(env->context, sizeof(uint16_t *) * draw->ncols);

	for (uint32_t i = 0; i < draw->ncols; i++)
	{
		class[i] = env->alloc(env->context, sizeof(uint16_t) * n);
		if (draw->step[i].keys > widest)
			widest = draw->step[i].keys;
		if (draw->level[i].classes > widest)
			widest = draw->level[i].classes;
	}
	pegs_batch_init(env, &b, rng, n, widest);
	for (uint32_t i = 0; i < draw->ncols; i++)
	{
		const pegs_draw_step *step = &draw->step[i];

		env->check(env->context);
		if (draw->model->smooth && step->alias.n == 1)
			continue;			/* all in the one class; rows of older models are shuffled here, and stay what they are */
		memset(b.key, 0, sizeof(uint32_t) * n);
		for (uint32_t g = 0; g < step->ngiven; g++)
			for (uint32_t r = 0; r < n; r++)
				b.key[r] += class[step->given[g]][r] * step->stride[g];
		pegs_batch_sort(&b, step->keys);
		env->check(env->context);
		for (uint32_t k = 0; k < step->keys; k++)
			pegs_batch_apportion(&b, k, step->alias.n, step->table + (size_t) k * step->alias.n, 0, class[step->column]);
	}
	for (uint32_t i = 0; i < draw->ncols; i++)
	{
		const pegs_draw_level *level = &draw->level[i];

		env->check(env->context);
		if (draw->model->smooth && level->classes == draw->model->levels[i])
		{
			/* each level is a class; of older models as above */
			memcpy(codes[i], class[i], sizeof(uint16_t) * n);
			continue;
		}
		for (uint32_t r = 0; r < n; r++)
			b.key[r] = class[i][r];
		pegs_batch_sort(&b, level->classes);
		env->check(env->context);
		for (uint32_t k = 0; k < level->classes; k++)
			pegs_batch_apportion(&b, k, level->start[k + 1] - level->start[k], level->share + level->start[k], level->start[k], codes[i]);
	}
}
