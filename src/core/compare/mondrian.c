/*
 * mondrian.c
 *	  Rows cut into boxes, each as small as the criteria allow.
 *
 * Codes are taken by their place in an order in which all groups of all steps
 * are runs, so that the two ends of a box say which group it lies in. Every cut
 * looks at the criteria of both sides, so no box ever fails them.
 */
#include "core/compare/mondrian.h"

#include <stdlib.h>
#include <string.h>

#define BETWEEN (1 << 12)		/* tuples between two questions whether to stop */
#define DEPTH 64				/* the larger side waits: never more than log2 of the tuples */

typedef struct piece
{
	uint32_t	start;			/* tuples at[start] to at[end - 1] */
	uint32_t	end;
} piece;

typedef struct cutting
{
	const pegs_env *env;
	const pegs_tuples *tuples;
	const pegs_key *keys;
	const pegs_criteria *criteria;
	uint32_t	nkeys;
	uint32_t	looked;			/* tuples since we were last asked to stop */
	uint16_t   *row;			/* [n][nkeys] places */
	uint16_t  **code;			/* [nkeys] of each place */
	uint32_t   *at;				/* [n] tuples, pieces beside each other */
	uint16_t   *low;			/* [nkeys] ends of the piece */
	uint16_t   *high;
	uint32_t   *by_span;		/* [nkeys] */
	double	   *span;
	uint64_t   *count;			/* rows by place, all 0 between two uses */
	uint64_t   *placed;			/* places with their rows, to be sorted */
	uint64_t   *level;			/* rows by sensitive level, all 0 between two uses */
	double	   *share;
} cutting;

static inline uint16_t
place_of(const cutting *cut, uint32_t i, uint32_t j)
{
	return cut->row[(size_t) cut->at[i] * cut->nkeys + j];
}

static inline void
may_stop(cutting *cut, uint32_t tuples)
{
	cut->looked += tuples;
	if (cut->looked >= BETWEEN)
	{
		cut->looked = 0;
		cut->env->check(cut->env->context);
	}
}

/* ---- where to cut ---- */

static void
measure_spans(cutting *cut, piece p)
{
	for (uint32_t j = 0; j < cut->nkeys; j++)
		cut->low[j] = cut->high[j] = place_of(cut, p.start, j);
	for (uint32_t i = p.start + 1; i < p.end; i++)
	{
		const uint16_t *row = &cut->row[(size_t) cut->at[i] * cut->nkeys];

		for (uint32_t j = 0; j < cut->nkeys; j++)
		{
			cut->low[j] = row[j] < cut->low[j] ? row[j] : cut->low[j];
			cut->high[j] = row[j] > cut->high[j] ? row[j] : cut->high[j];
		}
		if ((i - p.start) % BETWEEN == 0)
			may_stop(cut, BETWEEN);
	}
	may_stop(cut, p.end - p.start);
	/* the widest first; of equals the first key */
	for (uint32_t j = 0; j < cut->nkeys; j++)
	{
		uint32_t	k = j;
		double		span = cut->keys[j].levels > 1
			? cut->keys[j].weight * (cut->high[j] - cut->low[j]) / (cut->keys[j].levels - 1.0) : 0;

		for (; k > 0 && cut->span[k - 1] < span; k--)
		{
			cut->span[k] = cut->span[k - 1];
			cut->by_span[k] = cut->by_span[k - 1];
		}
		cut->span[k] = span;
		cut->by_span[k] = j;
	}
}

static int
rising(const void *a, const void *b)
{
	uint64_t	x = *(const uint64_t *) a;
	uint64_t	y = *(const uint64_t *) b;

	return (x > y) - (x < y);
}

/* The places of the piece along a key, and the rows of each: few, by counting; or a few tuples of many places, by sorting. */
static uint32_t
count_places(cutting *cut, piece p, uint32_t j)
{
	uint32_t	n = p.end - p.start;
	uint32_t	range = cut->high[j] - cut->low[j] + 1u;
	uint32_t	found = 0;

	may_stop(cut, n + range);
	if (range / 4 <= n)
	{
		for (uint32_t i = p.start; i < p.end; i++)
			cut->count[place_of(cut, i, j)] += cut->tuples->times[cut->at[i]];
		for (uint32_t v = cut->low[j]; v <= cut->high[j]; v++)
		{
			if (cut->count[v] > 0)
				cut->placed[found++] = cut->count[v] << 16 | v;
			cut->count[v] = 0;
		}
		return found;
	}
	for (uint32_t i = 0; i < n; i++)
		cut->placed[i] = (uint64_t) place_of(cut, p.start + i, j) << 32 | cut->tuples->times[cut->at[p.start + i]];
	qsort(cut->placed, n, sizeof(uint64_t), rising);
	for (uint32_t i = 0; i < n;)
	{
		uint64_t	place = cut->placed[i] >> 32;
		uint64_t	rows = 0;

		for (; i < n && cut->placed[i] >> 32 == place; i++)
			rows += cut->placed[i] & UINT32_MAX;
		cut->placed[found++] = rows << 16 | place;
	}
	return found;
}

/* ---- is a side large, and diverse, enough? ---- */

static bool
is_diverse(cutting *cut, piece p, uint64_t rows)
{
	pegs_diversity diversity = PEGS_NO_DIVERSITY;

	may_stop(cut, p.end - p.start);
	for (uint32_t i = p.start; i < p.end; i++)
		cut->level[cut->tuples->level[cut->at[i]]] += cut->tuples->times[cut->at[i]];
	for (uint32_t i = p.start; i < p.end; i++)
	{
		uint16_t	level = cut->tuples->level[cut->at[i]];

		if (cut->level[level] > 0)
			pegs_add_level(&diversity, cut->level[level], rows, cut->share[level]);
		cut->level[level] = 0;
	}
	return pegs_is_diverse(cut->criteria, &diversity);
}

static bool
meets(cutting *cut, piece p, uint64_t rows)
{
	return rows >= cut->criteria->k && (!cut->level || is_diverse(cut, p, rows));
}

/* Tuples below the place first; where the others begin. */
static uint32_t
part(cutting *cut, piece p, uint32_t j, uint32_t place)
{
	uint32_t	a = p.start;
	uint32_t	b = p.end;

	may_stop(cut, p.end - p.start);
	while (a < b)
	{
		uint32_t	tuple = cut->at[a];

		if (place_of(cut, a, j) < place)
			a++;
		else
		{
			cut->at[a] = cut->at[--b];
			cut->at[b] = tuple;
		}
	}
	return a;
}

/* Across this key, if both sides meet the criteria: *middle. */
static bool
cut_across(cutting *cut, piece p, uint32_t j, uint64_t rows, uint32_t *middle)
{
	uint32_t	found = count_places(cut, p, j);
	uint64_t	below = 0;
	uint32_t	median = 0;

	/* the row in the middle, the later one of two */
	while (below + (cut->placed[median] >> 16) <= rows / 2)
		below += cut->placed[median++] >> 16;
	for (int above = 0; above < 2; above++)
	{
		if (above)
			below += cut->placed[median++] >> 16;
		if (median == 0 || median == found || below < cut->criteria->k || rows - below < cut->criteria->k)
			continue;
		*middle = part(cut, p, j, cut->placed[median] & UINT16_MAX);
		if (meets(cut, (piece) {p.start, *middle}, below) && meets(cut, (piece) {*middle, p.end}, rows - below))
			return true;
	}
	return false;
}

static bool
cut_once(cutting *cut, piece p, uint32_t *middle)
{
	uint64_t	rows = 0;

	if (p.end - p.start < 2)
		return false;
	for (uint32_t i = p.start; i < p.end; i++)
		rows += cut->tuples->times[cut->at[i]];
	if (rows / 2 < cut->criteria->k)
		return false;
	for (uint32_t k = 0; k < cut->nkeys; k++)
	{
		uint32_t	j = cut->by_span[k];

		if (cut->low[j] < cut->high[j] && cut_across(cut, p, j, rows, middle))
			return true;
	}
	return false;
}

/* ---- boxes ---- */

static void
end_box(cutting *cut, piece p, pegs_boxes *boxes)
{
	for (uint32_t j = 0; j < cut->nkeys; j++)
		boxes->side[(size_t) boxes->n * cut->nkeys + j] =
			pegs_side_between(&cut->keys[j], cut->code[j][cut->low[j]], cut->code[j][cut->high[j]]);
	for (uint32_t i = p.start; i < p.end; i++)
		boxes->of[cut->at[i]] = boxes->n;
	boxes->n++;
}

static void
cut_all(cutting *cut, pegs_boxes *boxes)
{
	piece		waiting[DEPTH];
	int			n = 0;
	piece		p = {0, cut->tuples->n};

	for (;;)
	{
		uint32_t	middle;

		measure_spans(cut, p);
		if (cut_once(cut, p, &middle))
		{
			bool		first = middle - p.start < p.end - middle;	/* the smaller one now */

			waiting[n++] = first ? (piece) {middle, p.end} : (piece) {p.start, middle};
			p = first ? (piece) {p.start, middle} : (piece) {middle, p.end};
			continue;
		}
		end_box(cut, p, boxes);
		if (n == 0)
			return;
		p = waiting[--n];
	}
}

static void
begin_cutting(cutting *cut)
{
	const pegs_env *env = cut->env;
	const pegs_tuples *tuples = cut->tuples;
	uint32_t	most = 1;

	cut->row = env->alloc(env->context, sizeof(uint16_t) * ((size_t) tuples->n * cut->nkeys + 1));
	cut->code = env->alloc(env->context, sizeof(uint16_t *) * (cut->nkeys + 1));
	cut->at = env->alloc(env->context, sizeof(uint32_t) * (tuples->n + 1));
	cut->low = env->alloc(env->context, sizeof(uint16_t) * (cut->nkeys + 1));
	cut->high = env->alloc(env->context, sizeof(uint16_t) * (cut->nkeys + 1));
	cut->by_span = env->alloc(env->context, sizeof(uint32_t) * (cut->nkeys + 1));
	cut->span = env->alloc(env->context, sizeof(double) * (cut->nkeys + 1));
	for (uint32_t j = 0; j < cut->nkeys; j++)
	{
		const pegs_key *key = &cut->keys[j];
		uint16_t   *place = env->alloc(env->context, sizeof(uint16_t) * key->levels);

		cut->code[j] = env->alloc(env->context, sizeof(uint16_t) * key->levels);
		pegs_order_codes(env, key, place, cut->code[j]);
		for (uint32_t i = 0; i < tuples->n; i++)
			cut->row[(size_t) i * cut->nkeys + j] = place[tuples->code[j][i]];
		most = key->levels > most ? key->levels : most;
		pegs_env_free(env, place);
		env->check(env->context);
	}
	for (uint32_t i = 0; i < tuples->n; i++)
		cut->at[i] = i;
	/* places are counted where they are at most four times the tuples, else the tuples are sorted: never more than `most` */
	cut->count = env->alloc(env->context, sizeof(uint64_t) * most);
	cut->placed = env->alloc(env->context, sizeof(uint64_t) * most);
	if (pegs_asks_diversity(cut->criteria))
	{
		cut->level = env->alloc(env->context, sizeof(uint64_t) * (tuples->nlevels + 1));
		cut->share = env->alloc(env->context, sizeof(double) * (tuples->nlevels + 1));
		pegs_level_shares(tuples, NULL, NULL, cut->share);
	}
}

static void
end_cutting(cutting *cut)
{
	const pegs_env *env = cut->env;

	for (uint32_t j = 0; j < cut->nkeys; j++)
		pegs_env_free(env, cut->code[j]);
	pegs_env_free(env, cut->code);
	pegs_env_free(env, cut->row);
	pegs_env_free(env, cut->at);
	pegs_env_free(env, cut->low);
	pegs_env_free(env, cut->high);
	pegs_env_free(env, cut->by_span);
	pegs_env_free(env, cut->span);
	pegs_env_free(env, cut->count);
	pegs_env_free(env, cut->placed);
	if (cut->level)
	{
		pegs_env_free(env, cut->level);
		pegs_env_free(env, cut->share);
	}
}

pegs_status
pegs_mondrian(const pegs_env *env, const pegs_tuples *tuples, const pegs_key *keys, const pegs_criteria *criteria,
			  pegs_boxes *boxes, bool *found)
{
	cutting		cut = {.env = env, .tuples = tuples, .keys = keys, .criteria = criteria, .nkeys = tuples->nkeys};
	piece		all = {0, tuples->n};
	pegs_status status = pegs_check_keys(env, tuples, keys);

	if (status != PEGS_OK)
		return status;
	if (pegs_asks_diversity(criteria) && tuples->nlevels == 0)
		return PEGS_ERR_ARGUMENT;
	*found = true;
	boxes->n = 0;
	boxes->of = env->alloc(env->context, sizeof(uint32_t) * (tuples->n + 1));
	boxes->side = env->alloc(env->context, sizeof(pegs_side) * ((size_t) tuples->n * tuples->nkeys + 1));
	if (tuples->n == 0)
		return PEGS_OK;
	begin_cutting(&cut);
	*found = meets(&cut, all, tuples->rows);
	if (*found)
		cut_all(&cut, boxes);
	else
	{
		measure_spans(&cut, all);
		end_box(&cut, all, boxes);
	}
	end_cutting(&cut);
	return PEGS_OK;
}
