/*
 * distinct.c
 *	  Rows of one parent that a key tells apart by a column, as (person, film) of
 *	  a table of ratings: values are drawn without replacement.
 *
 * Rows are drawn one beside the other, so some agree where they must not. Such
 * a row is given another level first; then rows are adjusted among levels that
 * have room (kin.c), which brings back what was measured; then each gets a value
 * of its level that no other row of its parent has. There is always one: a
 * parent has no more rows than there are values (relations.c).
 */
#include "core/schema/distinct.h"

#include "core/weights.h"

static void *
room_for(const pegs_env *env, size_t n, size_t size)
{
	return env->alloc(env->context, (n > 0 ? n : 1) * size);
}

pegs_distinct *
pegs_distinct_column(const pegs_env *env, const pegs_relation *table, uint32_t column)
{
	pegs_distinct *distinct;

	if (!table->room || !table->room[column])
		return NULL;
	distinct = room_for(env, 1, sizeof(pegs_distinct));
	distinct->room = table->room[column];
	distinct->taken = room_for(env, table->levels[column], sizeof(uint32_t));
	return distinct;
}

void
pegs_count_taken(pegs_distinct *distinct, const uint16_t *codes, uint32_t n)
{
	for (uint32_t i = 0; distinct && i < n; i++)
		distinct->taken[codes[i]]++;
}

void
pegs_forget_taken(pegs_distinct *distinct, const uint16_t *codes, uint32_t n)
{
	for (uint32_t i = 0; distinct && i < n; i++)
		distinct->taken[codes[i]] = 0;
}

/* ---- levels ---- */

/* A level that has room, by its share; of those that the model never draws if there is no other. */
static uint32_t
draw_free(const pegs_distinct *distinct, const double *share, uint32_t levels, pegs_rng *rng)
{
	double		mass = 0;
	uint32_t	number = 0;
	uint32_t	last = 0;
	double		left;

	for (uint32_t l = 0; l < levels; l++)
		if (pegs_has_room(distinct, l))
		{
			mass += share[l];
			number++;
		}
	left = pegs_rng_double(rng) * (mass > 0 ? mass : number);
	for (uint32_t l = 0; l < levels; l++)
	{
		double		part = mass > 0 ? share[l] : 1;

		if (part <= 0 || !pegs_has_room(distinct, l))
			continue;
		last = l;
		left -= part;
		if (left < 0)
			break;
	}
	return last;
}

void
pegs_redraw_repeats(const pegs_env *env, const pegs_relations *r, const pegs_fitted *model, pegs_rng *rng, const pegs_kin *kin, uint32_t table)
{
	const pegs_kin *rows = &kin[table];
	uint32_t	parents = kin[r->table[table].parent].n;

	for (uint32_t c = 0; c < r->table[table].ncols; c++)
	{
		pegs_distinct *distinct = pegs_distinct_column(env, &r->table[table], c);
		uint32_t	path = r->start[table] + c;
		uint16_t   *codes = rows->codes[path];

		for (uint32_t p = 0; distinct && p < parents; p++)
		{
			for (uint32_t i = 0; i < rows->number[p]; i++)
			{
				if (i % 1024 == 0)
					env->check(env->context);
				if (!pegs_has_room(distinct, codes[i]))
					codes[i] = (uint16_t) draw_free(distinct, model->share[path], r->table[table].levels[c], rng);
				distinct->taken[codes[i]]++;
			}
			pegs_forget_taken(distinct, codes, rows->number[p]);
			codes += rows->number[p];
		}
	}
}

/* ---- values of a level ---- */

/* Of all levels beside each other: first[l] is where those of level l begin. Gives their number; NULL is no value. */
static uint32_t
first_places(const uint32_t *room, uint32_t levels, uint32_t *first)
{
	uint32_t	n = 0;

	for (uint32_t l = 0; l < levels; l++)
	{
		first[l] = n;
		n += room[l] == PEGS_ANY_NUMBER ? 0 : room[l];
	}
	return n;
}

/* The places of one column: each parent's rows take the next values of their level out of what is left of it, each as likely. */
static uint32_t *
places_of_column(const pegs_env *env, pegs_distinct *distinct, pegs_rng *rng, const pegs_kin *rows, uint32_t parents, uint32_t levels,
				 const uint16_t *codes)
{
	uint32_t   *place = room_for(env, rows->n, sizeof(uint32_t));
	uint32_t   *first = room_for(env, levels, sizeof(uint32_t));
	uint32_t	values = first_places(distinct->room, levels, first);
	uint32_t   *order = room_for(env, values, sizeof(uint32_t));	/* of each level; those of the parent at hand before the others */
	uint32_t	start = 0;

	for (uint32_t l = 0; l < levels; l++)
		for (uint32_t i = 0; distinct->room[l] != PEGS_ANY_NUMBER && i < distinct->room[l]; i++)
			order[first[l] + i] = i;
	for (uint32_t p = 0; p < parents; start += rows->number[p++])
	{
		for (uint32_t i = start; i < start + rows->number[p]; i++)
		{
			uint32_t	l = codes[i];
			uint32_t   *next = order + first[l] + distinct->taken[l];
			uint32_t   *any;

			if (i % 4096 == 0)
				env->check(env->context);
			if (distinct->room[l] == PEGS_ANY_NUMBER || !pegs_has_room(distinct, l))
				continue;
			any = next + pegs_rng_below(rng, distinct->room[l] - distinct->taken[l]);
			place[i] = *any;
			*any = *next;
			*next = place[i];
			distinct->taken[l]++;
		}
		pegs_forget_taken(distinct, codes + start, rows->number[p]);
	}
	return place;
}

/* The same by weight: each value that is left of its level by its share of what these weigh. */
static uint32_t *
weighed_places(const pegs_env *env, pegs_distinct *distinct, const pegs_weighing *by, pegs_rng *rng, const pegs_kin *rows, uint32_t parents,
			   uint32_t levels, const uint16_t *codes)
{
	uint32_t   *place = room_for(env, rows->n, sizeof(uint32_t));
	uint32_t   *tree = room_for(env, by->first[levels], sizeof(uint32_t));
	uint32_t   *left = room_for(env, levels, sizeof(uint32_t));
	uint32_t	start = 0;

	for (uint32_t l = 0; l < levels; l++)
		left[l] = pegs_weighed_begin(tree + by->first[l], by->weight + by->first[l], by->first[l + 1] - by->first[l]);
	for (uint32_t p = 0; p < parents; start += rows->number[p++])
		for (int back = 0; back < 2; back++)
			for (uint32_t i = start; i < start + rows->number[p]; i++)
			{
				uint32_t	l = codes[i];
				uint32_t	first = by->first[l];
				uint32_t	n = by->first[l + 1] - first;

				if (i % 4096 == 0)
					env->check(env->context);
				if (distinct->room[l] == PEGS_ANY_NUMBER || (back ? distinct->taken[l] == 0 : !pegs_has_room(distinct, l)))
					continue;
				if (!back)
				{
					place[i] = pegs_weighed_draw(tree + first, n, left[l], rng);
					pegs_weighed_take(tree + first, n, place[i], by->weight[first + place[i]]);
					left[l] -= by->weight[first + place[i]];
					distinct->taken[l]++;
					continue;
				}
				/* those that took one are the first of their level */
				pegs_weighed_put(tree + first, n, place[i], by->weight[first + place[i]]);
				left[l] += by->weight[first + place[i]];
				distinct->taken[l]--;
			}
	return place;
}

uint32_t **
pegs_choose_places(const pegs_env *env, const pegs_relations *r, pegs_rng *rng, const pegs_kin *kin, uint32_t table)
{
	uint32_t  **place = NULL;

	for (uint32_t c = 0; c < r->table[table].ncols; c++)
	{
		pegs_distinct *distinct = pegs_distinct_column(env, &r->table[table], c);
		uint32_t	path = r->start[table] + c;
		const pegs_weighing *by = r->table[table].weighing ? &r->table[table].weighing[c] : NULL;

		if (!distinct)
			continue;
		if (!place)
			place = room_for(env, r->table[table].ncols, sizeof(uint32_t *));
		place[c] = by && by->first
			? weighed_places(env, distinct, by, rng, &kin[table], kin[r->table[table].parent].n, r->table[table].levels[c], kin[table].codes[path])
			: places_of_column(env, distinct, rng, &kin[table], kin[r->table[table].parent].n, r->table[table].levels[c], kin[table].codes[path]);
	}
	return place;
}
