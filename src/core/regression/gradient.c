/*
 * gradient.c
 *	  The slope of a regression's mean loss: one pass over the rows.
 *
 * Nearly all the time of a fit goes here, so parents are taken together, as
 * many as leave a table of sums that a processor keeps near: a row then looks
 * up a few sums of coefficients, not one coefficient for each parent, and adds
 * its shares to as few. At the end the sums of a group are dealt out to its
 * parents' levels.
 */
#include "core/regression/gradient.h"

#include <math.h>
#include <string.h>

#define NEAR 4096				/* numbers of a group's table, at most, but for a parent that has more by itself */
#define LOOKS_AT_ONCE 1048576	/* between two questions whether to stop: a millisecond or so */

/* Parents that are taken together. */
typedef struct group
{
	uint32_t	begin;
	uint32_t	end;
	uint32_t	size;			/* combinations of their levels, at most 2^16 */
	double	   *sum;			/* [size][stride] of coefficients; the first group has the constant's, too */
	double	   *dealt;			/* [size][stride] of the shares of the rows that have the combination */
	uint16_t   *key;			/* [PEGS_CHUNK] combination of each row */
} group;

struct pegs_gradient
{
	const pegs_env *env;
	const pegs_multinomial *data;
	uint32_t	stride;			/* levels, to a whole number of pairs: two at a time */
	uint32_t	ngroups;
	group	   *group;
	uint16_t   *codes;			/* [PEGS_CHUNK] */
	double	   *weight;			/* [PEGS_CHUNK] share of all rows */
	double	   *share;			/* [stride] of the levels, of one row */
	uint64_t	since;			/* looks since the last question whether to stop */
};

static void
looked(pegs_gradient *g, uint64_t looks)
{
	g->since += looks;
	if (g->since < LOOKS_AT_ONCE)
		return;
	g->since = 0;
	g->env->check(g->env->context);
}

/* ---- groups ---- */

static void
make_groups(pegs_gradient *g)
{
	const pegs_multinomial *data = g->data;

	/* a column alone: one group of no parents has the constant */
	g->group = g->env->alloc(g->env->context, sizeof(group) * (data->nparents + 1));
	g->ngroups = 1;
	g->group[0].size = 1;
	for (uint32_t p = 0; p < data->nparents; p++)
	{
		group	   *last = &g->group[g->ngroups - 1];

		if (last->end > last->begin && (uint64_t) last->size * data->width[p] > NEAR / g->stride)
		{
			g->group[g->ngroups++] = (group) {.begin = p, .end = p, .size = 1};
			last++;
		}
		last->end = p + 1;
		last->size *= data->width[p];
	}
}

pegs_gradient *
pegs_gradient_new(const pegs_env *env, const pegs_multinomial *data)
{
	pegs_gradient *g = env->alloc(env->context, sizeof(pegs_gradient));

	g->env = env;
	g->data = data;
	g->stride = data->levels + data->levels % 2;
	make_groups(g);
	for (uint32_t i = 0; i < g->ngroups; i++)
	{
		size_t		bytes = sizeof(double) * g->group[i].size * g->stride;

		g->group[i].sum = env->alloc(env->context, bytes);
		g->group[i].dealt = env->alloc(env->context, bytes);
		g->group[i].key = env->alloc(env->context, sizeof(uint16_t) * PEGS_CHUNK);
	}
	g->codes = env->alloc(env->context, sizeof(uint16_t) * PEGS_CHUNK);
	g->weight = env->alloc(env->context, sizeof(double) * PEGS_CHUNK);
	g->share = env->alloc(env->context, sizeof(double) * g->stride);
	return g;
}

void
pegs_gradient_free(pegs_gradient *g)
{
	pegs_env	env = *g->env;

	for (uint32_t i = 0; i < g->ngroups; i++)
	{
		pegs_env_free(&env, g->group[i].sum);
		pegs_env_free(&env, g->group[i].dealt);
		pegs_env_free(&env, g->group[i].key);
	}
	pegs_env_free(&env, g->group);
	pegs_env_free(&env, g->codes);
	pegs_env_free(&env, g->weight);
	pegs_env_free(&env, g->share);
	pegs_env_free(&env, g);
}

/* ---- rows, a block at a time ---- */

/* A parent's levels in the rows of a block. */
static void
load_parent(pegs_gradient *g, uint64_t block, uint32_t n, uint32_t p)
{
	const pegs_multinomial *data = g->data;

	if (data->kept)
		pegs_kept_column(data->kept, block, data->column[p], g->codes);
	else
		for (uint32_t r = 0; r < n; r++)
			g->codes[r] = data->x[(block * PEGS_CHUNK + r) * data->nparents + p];
}

static void
load_weights(pegs_gradient *g, uint64_t block, uint32_t n)
{
	const pegs_multinomial *data = g->data;
	const uint32_t *times = data->kept ? pegs_kept_times(data->kept, block) : NULL;

	if (data->kept == NULL)
		memcpy(g->weight, data->share + block * PEGS_CHUNK, sizeof(double) * n);
	else
		for (uint32_t r = 0; r < n; r++)
			g->weight[r] = times ? times[r] / data->rows : 1 / data->rows;
}

static uint32_t
load_block(pegs_gradient *g, uint64_t block)
{
	const pegs_multinomial *data = g->data;
	uint64_t	left = data->kept ? pegs_kept_rows(data->kept, block) : data->n - block * PEGS_CHUNK;
	uint32_t	n = left < PEGS_CHUNK ? (uint32_t) left : PEGS_CHUNK;

	for (uint32_t i = 0; i < g->ngroups; i++)
	{
		group	   *own = &g->group[i];

		memset(own->key, 0, sizeof(uint16_t) * n);
		for (uint32_t p = own->begin; p < own->end; p++)
		{
			looked(g, n);
			load_parent(g, block, n, p);
			for (uint32_t r = 0; r < n; r++)
				own->key[r] = (uint16_t) (own->key[r] * data->width[p] + g->codes[r]);
		}
	}
	load_weights(g, block, n);
	return n;
}

/* ---- a pass ---- */

static inline void
add_pairs(double *restrict to, const double *restrict from, uint32_t pairs)
{
	for (uint32_t j = 0; j < 2 * pairs; j += 2)
	{
		to[j] += from[j];
		to[j + 1] += from[j + 1];
	}
}

/* Level of parent p in a combination of its group; the last parent's runs fastest. */
static uint32_t
level_in(const pegs_gradient *g, const group *own, uint32_t combination, uint32_t p)
{
	for (uint32_t q = own->end - 1; q > p; q--)
		combination /= g->data->width[q];
	return combination % g->data->width[p];
}

static void
add_up(pegs_gradient *g, const double *coef)
{
	uint32_t	levels = g->data->levels;

	for (uint32_t i = 0; i < g->ngroups; i++)
	{
		group	   *own = &g->group[i];

		memset(own->dealt, 0, sizeof(double) * own->size * g->stride);
		memset(own->sum, 0, sizeof(double) * own->size * g->stride);
		for (uint32_t k = 0; k < own->size; k++)
		{
			double	   *sum = own->sum + (size_t) k * g->stride;

			looked(g, (uint64_t) levels * (own->end - own->begin + 1));
			for (uint32_t j = 0; i == 0 && j < levels; j++)
				sum[j] = coef[j];
			for (uint32_t p = own->begin; p < own->end; p++)
			{
				const double *from = coef + (g->data->first[p] + level_in(g, own, k, p)) * levels;

				for (uint32_t j = 0; j < levels; j++)
					sum[j] += from[j];
			}
		}
	}
}

static void
deal_out(pegs_gradient *g, double *gradient)
{
	uint32_t	levels = g->data->levels;

	for (uint64_t i = 0; i < g->data->nfeatures * levels; i++)
		gradient[i] = -g->data->xy[i];
	for (uint32_t i = 0; i < g->ngroups; i++)
	{
		const group *own = &g->group[i];

		for (uint32_t k = 0; k < own->size; k++)
		{
			const double *dealt = own->dealt + (size_t) k * g->stride;

			looked(g, (uint64_t) levels * (own->end - own->begin + 1));
			for (uint32_t j = 0; i == 0 && j < levels; j++)
				gradient[j] += dealt[j];
			for (uint32_t p = own->begin; p < own->end; p++)
			{
				double	   *to = gradient + (g->data->first[p] + level_in(g, own, k, p)) * levels;

				for (uint32_t j = 0; j < levels; j++)
					to[j] += dealt[j];
			}
		}
	}
}

/* Row r of the block: its shares, to every group. False: they are no numbers. */
static bool
add_row(pegs_gradient *g, uint32_t r)
{
	double	   *share = g->share;
	uint32_t	levels = g->data->levels;
	double		most;
	double		sum = 0;

	memcpy(share, g->group[0].sum + (size_t) g->group[0].key[r] * g->stride, sizeof(double) * g->stride);
	for (uint32_t i = 1; i < g->ngroups; i++)
		add_pairs(share, g->group[i].sum + (size_t) g->group[i].key[r] * g->stride, g->stride / 2);
	most = share[0];
	for (uint32_t j = 1; j < levels; j++)
		most = share[j] > most ? share[j] : most;
	for (uint32_t j = 0; j < levels; j++)
		sum += share[j] = exp(share[j] - most);
	/* infinite, or no number */
	if (!(sum >= 1 && sum <= levels))
		return false;
	sum = g->weight[r] / sum;
	for (uint32_t j = 0; j < levels; j++)
		share[j] *= sum;
	for (uint32_t i = 0; i < g->ngroups; i++)
		add_pairs(g->group[i].dealt + (size_t) g->group[i].key[r] * g->stride, share, g->stride / 2);
	return true;
}

bool
pegs_gradient_at(pegs_gradient *g, const double *coef, double *gradient)
{
	const pegs_multinomial *data = g->data;
	uint64_t	blocks = data->kept ? pegs_kept_blocks(data->kept) : (data->n + PEGS_CHUNK - 1) / PEGS_CHUNK;

	g->env->check(g->env->context);
	add_up(g, coef);
	for (uint64_t block = 0; block < blocks; block++)
	{
		uint32_t	n = load_block(g, block);

		for (uint32_t r = 0; r < n; r++)
		{
			looked(g, (uint64_t) g->stride * (g->ngroups + 8));
			if (!add_row(g, r))
				return false;
		}
	}
	deal_out(g, gradient);
	return true;
}
