/*
 * relations.c
 *	  A tree of tables, and the columns of its path rows.
 *
 * Public facts only. Where a parent has no row in a table, the columns that
 * speak of that row have one level more, absent: the count and they say it
 * together, and any other combination is a structural zero (claim P11).
 */
#include "core/schema/schema.h"

#include <string.h>

static void *
room_for(const pegs_env *env, size_t n, size_t size)
{
	return env->alloc(env->context, (n > 0 ? n : 1) * size);
}

static uint32_t *
copy(const pegs_env *env, const uint32_t *from, uint32_t n)
{
	uint32_t   *to = room_for(env, n, sizeof(uint32_t));

	if (n > 0)
		memcpy(to, from, sizeof(uint32_t) * n);
	return to;
}

/* Has the largest family as many values as it has rows? */
static bool
has_room(const pegs_relation *r)
{
	for (uint32_t c = 0; r->room && c < r->ncols; c++)
	{
		uint64_t	sum = 0;

		for (uint32_t l = 0; r->room[c] && l < r->levels[c]; l++)
			sum += r->room[c][l];
		if (r->room[c] && sum < r->most)
			return false;
	}
	return true;
}

static pegs_status
check(const pegs_relation *table, uint32_t ntables)
{
	for (uint32_t t = 0; t < ntables; t++)
	{
		const pegs_relation *r = &table[t];
		double		below = 1;

		if (t == 0 ? r->parent != -1 || r->nclasses != 0 || r->room : r->parent < 0 || r->parent >= (int32_t) t || r->nclasses < 2)
			return PEGS_ERR_ARGUMENT;
		if (r->ncols > PEGS_MAX_COLUMNS || r->nclasses >= PEGS_MAX_LEVELS)
			return PEGS_ERR_TOO_LARGE;
		for (uint32_t c = 0; c < r->ncols; c++)
			if (r->levels[c] < 1)
				return PEGS_ERR_ARGUMENT;
			else if (r->levels[c] >= PEGS_MAX_LEVELS)
				return PEGS_ERR_TOO_LARGE;
		for (uint32_t k = 0; k < r->nclasses; k++)
			if (k < 2 ? r->first[k] != k : r->first[k] <= r->first[k - 1])
				return PEGS_ERR_ARGUMENT;
		if (t > 0 && (r->most < r->first[r->nclasses - 1] || !has_room(r)))
			return PEGS_ERR_ARGUMENT;
		if (r->most > PEGS_MOST_CHILDREN)
			return PEGS_ERR_TOO_LARGE;
		for (int32_t up = (int32_t) t; up > 0; up = table[up].parent)
			below *= table[up].most;
		if (below > PEGS_MOST_BELOW)
			return PEGS_ERR_TOO_LARGE;
	}
	return ntables > 0 ? PEGS_OK : PEGS_ERR_ARGUMENT;
}

/* The count says that there is a row, or that there is none, and the column the contrary. */
static void
add_zeros(const pegs_env *env, const pegs_relations *r, uint32_t column, pegs_zero *zero)
{
	const pegs_path_column *c = &r->column[column];
	uint32_t	count = (uint32_t) r->count_of[c->table];

	for (int there = 0; there < 2; there++)
	{
		zero[there] = (pegs_zero) {.n = 2, .column = {count, column}};
		zero[there].level[0] = room_for(env, r->levels[count], sizeof(bool));
		zero[there].level[1] = room_for(env, r->levels[column], sizeof(bool));
		for (uint32_t l = 0; l < r->levels[count]; l++)
			zero[there].level[0][l] = pegs_count_is_present(&r->table[c->table], l) == there;
		for (uint32_t l = 0; l < r->levels[column]; l++)
			zero[there].level[1][l] = ((int32_t) l == c->absent) == there;
	}
}

static void
add_column(pegs_relations *r, uint32_t table, int32_t own, uint32_t counts, uint32_t levels)
{
	pegs_path_column *c = &r->column[r->ncols];

	*c = (pegs_path_column) {.table = table, .own = own, .counts = counts, .levels = levels, .absent = -1};
	if (table > 0)
		c->absent = (int32_t) c->levels++;
	r->levels[r->ncols] = c->levels;
	for (int32_t up = (int32_t) table; up > 0; up = r->table[up].parent)
		r->rank[r->ncols]++;
	r->ncols++;
}

pegs_status
pegs_relations_init(const pegs_env *env, uint32_t ntables, const pegs_relation *table, pegs_relations *r)
{
	pegs_status status = check(table, ntables);
	uint64_t	most = 0;
	pegs_zero  *zero;

	if (status != PEGS_OK)
		return status;
	memset(r, 0, sizeof(*r));
	for (uint32_t t = 0; t < ntables; t++)
		most += table[t].ncols + (t > 0);
	if (most < 1)
		return PEGS_ERR_ARGUMENT;
	if (most > PEGS_MAX_COLUMNS)
		return PEGS_ERR_TOO_LARGE;
	r->ntables = ntables;
	r->table = room_for(env, ntables, sizeof(pegs_relation));
	r->start = room_for(env, ntables, sizeof(uint32_t));
	r->count_of = room_for(env, ntables, sizeof(int32_t));
	r->column = room_for(env, most, sizeof(pegs_path_column));
	r->levels = room_for(env, most, sizeof(uint32_t));
	r->rank = room_for(env, most, sizeof(uint32_t));
	for (uint32_t t = 0; t < ntables; t++)
	{
		r->table[t] = table[t];
		r->table[t].levels = copy(env, table[t].levels, table[t].ncols);
		r->table[t].first = copy(env, table[t].first, table[t].nclasses);
		if (table[t].room)
			r->table[t].room = room_for(env, table[t].ncols, sizeof(uint32_t *));
		for (uint32_t c = 0; table[t].room && c < table[t].ncols; c++)
			if (table[t].room[c])
				r->table[t].room[c] = copy(env, table[t].room[c], table[t].levels[c]);
		if (table[t].weighing)
			r->table[t].weighing = room_for(env, table[t].ncols, sizeof(pegs_weighing));
		for (uint32_t c = 0; table[t].weighing && c < table[t].ncols; c++)
			if (table[t].weighing[c].first)
			{
				r->table[t].weighing[c].first = copy(env, table[t].weighing[c].first, table[t].levels[c] + 1);
				r->table[t].weighing[c].weight = copy(env, table[t].weighing[c].weight, table[t].weighing[c].first[table[t].levels[c]]);
			}
	}
	r->count_of[0] = -1;
	for (uint32_t t = 0; t < ntables; t++)
	{
		r->start[t] = r->ncols;
		for (uint32_t c = 0; c < table[t].ncols; c++)
			add_column(r, t, (int32_t) c, 0, table[t].levels[c]);
		for (uint32_t k = t + 1; k < ntables; k++)
			if (table[k].parent == (int32_t) t)
			{
				r->count_of[k] = (int32_t) r->ncols;
				add_column(r, t, -1, k, table[k].nclasses);
			}
	}
	r->absence = room_for(env, r->ncols, sizeof(pegs_absence));
	for (uint32_t i = 0; i < r->ncols; i++)
	{
		int32_t		count = r->count_of[r->column[i].table];

		r->absence[i].level = r->column[i].absent;
		if (count >= 0)
		{
			r->absence[i].says = (uint32_t) count;
			r->absence[i].limit = r->table[r->column[i].table].nclasses;
		}
	}
	zero = room_for(env, 2 * (size_t) r->ncols, sizeof(pegs_zero));
	r->zeros.zero = zero;
	for (uint32_t i = 0; i < r->ncols; i++)
		if (r->column[i].table > 0)
		{
			add_zeros(env, r, i, zero + r->zeros.n);
			r->zeros.n += 2;
		}
	return PEGS_OK;
}

uint32_t
pegs_class_of_number(const pegs_relation *table, uint64_t number)
{
	uint32_t	low = 0;
	uint32_t	high = table->nclasses;

	while (high - low > 1)
	{
		uint32_t	middle = (low + high) / 2;

		if (table->first[middle] <= number)
			low = middle;
		else
			high = middle;
	}
	return low;
}
