/*
 * boxes.c
 *	  Classes of rows as boxes: what is still known of their keys, and what that
 *	  loses.
 */
#include "core/compare/boxes.h"

#include <math.h>
#include <string.h>

#include "core/compare/lattice.h"

#define BETWEEN (1 << 12)

pegs_side
pegs_side_between(const pegs_key *key, uint16_t low, uint16_t high)
{
	pegs_side	side = {low, high, PEGS_RANGE};

	if (key->ranged && low != high)
	{
		/* NULL is in no range, and who knows what else its groups have */
		if (key->null_last && high == key->levels - 1)
			side.step = (uint16_t) (key->nsteps - 1);
		return side;
	}
	for (side.step = 0; side.step + 1u < key->nsteps; side.step++)
		if (key->step[side.step].group[low] == key->step[side.step].group[high])
			break;
	return side;
}

uint32_t
pegs_side_size(const pegs_key *key, const pegs_side *side)
{
	if (side->step == PEGS_RANGE)
		return side->high - side->low + 1u;
	return key->step[side->step].size[key->step[side->step].group[side->low]];
}

/* Sorted by the finest step first, each sort keeping the order of equals: the last one weighs most. */
void
pegs_order_codes(const pegs_env *env, const pegs_key *key, uint16_t *place, uint16_t *code)
{
	uint32_t   *start = env->alloc(env->context, sizeof(uint32_t) * (key->levels + 1));
	uint16_t   *next = env->alloc(env->context, sizeof(uint16_t) * key->levels);

	for (uint32_t i = 0; i < key->levels; i++)
		code[i] = (uint16_t) i;
	/* a range is of neighbours as they were declared */
	for (uint32_t s = 0; s < key->nsteps && !key->ranged; s++)
	{
		const pegs_key_step *step = &key->step[s];

		memset(start, 0, sizeof(uint32_t) * (key->levels + 1));
		for (uint32_t g = 0; g + 1 < step->ngroups; g++)
			start[g + 1] = start[g] + step->size[g];
		for (uint32_t i = 0; i < key->levels; i++)
			next[start[step->group[code[i]]]++] = code[i];
		memcpy(code, next, sizeof(uint16_t) * key->levels);
		env->check(env->context);
	}
	for (uint32_t i = 0; i < key->levels; i++)
		place[code[i]] = (uint16_t) i;
	pegs_env_free(env, start);
	pegs_env_free(env, next);
}

void
pegs_boxes_at(const pegs_env *env, const pegs_tuples *tuples, const pegs_key *keys, const uint32_t *step, pegs_boxes *boxes)
{
	boxes->of = env->alloc(env->context, sizeof(uint32_t) * (tuples->n + 1));
	boxes->n = pegs_classes_at(env, tuples, keys, step, boxes->of);
	boxes->side = env->alloc(env->context, sizeof(pegs_side) * ((size_t) boxes->n * tuples->nkeys + 1));
	for (uint32_t i = 0; i < tuples->n; i++)
		for (uint32_t j = 0; j < tuples->nkeys; j++)
			boxes->side[(size_t) boxes->of[i] * tuples->nkeys + j] = (pegs_side) {tuples->code[j][i], tuples->code[j][i], (uint16_t) step[j]};
}

void
pegs_free_boxes(const pegs_env *env, pegs_boxes *boxes)
{
	pegs_env_free(env, boxes->of);
	pegs_env_free(env, boxes->side);
	memset(boxes, 0, sizeof(*boxes));
}

/* ---- what is lost ---- */

/* Rows of each code of a key; of all codes before it; of each group of each step. */
typedef struct counted
{
	uint64_t   *code;
	uint64_t   *before;
	uint64_t  **group;
} counted;

static counted
count_key(const pegs_env *env, const pegs_tuples *tuples, const pegs_key *key, uint32_t j)
{
	counted		c = {
		env->alloc(env->context, sizeof(uint64_t) * key->levels),
		env->alloc(env->context, sizeof(uint64_t) * (key->levels + 1)),
		env->alloc(env->context, sizeof(uint64_t *) * key->nsteps)
	};

	for (uint32_t i = 0; i < tuples->n; i++)
		c.code[tuples->code[j][i]] += tuples->times[i];
	for (uint32_t v = 0; v < key->levels; v++)
		c.before[v + 1] = c.before[v] + c.code[v];
	for (uint32_t s = 0; s < key->nsteps; s++)
	{
		c.group[s] = env->alloc(env->context, sizeof(uint64_t) * key->step[s].ngroups);
		for (uint32_t v = 0; v < key->levels; v++)
			c.group[s][key->step[s].group[v]] += c.code[v];
	}
	return c;
}

static void
free_counted(const pegs_env *env, const pegs_key *key, counted *c)
{
	for (uint32_t s = 0; s < key->nsteps; s++)
		pegs_env_free(env, c->group[s]);
	pegs_env_free(env, c->group);
	pegs_env_free(env, c->before);
	pegs_env_free(env, c->code);
}

static uint64_t
rows_of_side(const counted *c, const pegs_key *key, const pegs_side *side)
{
	if (side->step == PEGS_RANGE)
		return c->before[side->high + 1u] - c->before[side->low];
	return c->group[side->step][key->step[side->step].group[side->low]];
}

/* The mean loss of a key's cells; what its cells lose of entropy is added to `bits`. */
static double
measure_key(const pegs_env *env, const pegs_tuples *tuples, const pegs_key *key, uint32_t j, const pegs_boxes *boxes,
			const bool *keep, double *bits)
{
	counted		c = count_key(env, tuples, key, j);
	double		lost = 0;

	for (uint32_t i = 0; i < tuples->n; i++)
	{
		const pegs_side *side = &boxes->side[(size_t) boxes->of[i] * tuples->nkeys + j];
		bool		kept = keep[boxes->of[i]];
		double		own = (double) c.code[tuples->code[j][i]];

		if (i % BETWEEN == 0)
			env->check(env->context);
		lost += tuples->times[i] * (kept ? pegs_lost(key, pegs_side_size(key, side)) : 1);
		*bits += tuples->times[i] * log2((double) (kept ? rows_of_side(&c, key, side) : tuples->rows) / own);
	}
	free_counted(env, key, &c);
	return lost / (double) tuples->rows;
}

void
pegs_measure_loss(const pegs_env *env, const pegs_tuples *tuples, const pegs_key *keys, const pegs_boxes *boxes,
				  const bool *keep, double *by_key, pegs_loss *loss)
{
	double		sum = pegs_weight_of(keys, tuples->nkeys);
	uint64_t   *rows = env->alloc(env->context, sizeof(uint64_t) * (boxes->n + 1));
	double		bits = 0;

	*loss = (pegs_loss) {0};
	pegs_class_rows(tuples, boxes->of, rows);
	for (uint32_t c = 0; c < boxes->n; c++)
	{
		loss->classes += keep[c];
		loss->suppressed += keep[c] ? 0 : rows[c];
		loss->discernibility += (double) rows[c] * (double) (keep[c] ? rows[c] : tuples->rows);
	}
	for (uint32_t j = 0; j < tuples->nkeys; j++)
	{
		by_key[j] = tuples->rows > 0 ? measure_key(env, tuples, &keys[j], j, boxes, keep, &bits) : 0;
		loss->loss += keys[j].weight / sum * by_key[j];
	}
	if (tuples->rows > 0)
		loss->entropy = bits / ((double) tuples->rows * tuples->nkeys);
	pegs_env_free(env, rows);
}
