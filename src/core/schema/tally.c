/*
 * tally.c
 *	  Units are counted: path rows, and pairs of siblings.
 *
 * Exact counts, which only the accountant's noise may leave. What a unit adds
 * is a function of that unit alone. Claims P35 and P37.
 */
#include "core/schema/schema.h"

/* Can a parent have two rows of it, and is there anything to say of them? */
static bool
has_siblings(const pegs_relations *r, uint32_t column)
{
	return r->column[column].own >= 0 && r->column[column].table > 0 && r->table[r->column[column].table].most > 1;
}

pegs_status
pegs_tally_init(const pegs_env *env, const pegs_relations *r, pegs_tally *tally, double *cells)
{
	uint32_t	m = r->ncols;
	pegs_status status = pegs_layout_pairs(env, m, r->levels, &tally->layout, cells);
	double		more = 0;
	uint64_t	at = 0;

	tally->env = env;
	tally->relations = r;
	tally->units = tally->waiting = 0;
	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = a; b < m && has_siblings(r, a); b++)
			if (has_siblings(r, b) && r->column[a].table == r->column[b].table)
				more += (r->levels[a] - 1.0) * (r->levels[b] - 1.0);
	*cells += more;
	if (status != PEGS_OK)
		return status;
	if (*cells > (double) PEGS_MAX_CELLS)
		return PEGS_ERR_TOO_LARGE;
	tally->layout.zeros = r->zeros;
	tally->layout.rank = r->rank;
	tally->layout.absence = r->absence;
	tally->cells = env->alloc(env->context, sizeof(uint64_t) * tally->layout.ncells);
	tally->sibling_at = env->alloc(env->context, sizeof(uint64_t) * m * m);
	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = a; b < m && has_siblings(r, a); b++)
			if (has_siblings(r, b) && r->column[a].table == r->column[b].table)
			{
				tally->sibling_at[(size_t) a * m + b] = at + 1;
				at += (uint64_t) (r->levels[a] - 1) * (r->levels[b] - 1);
			}
	tally->siblings = env->alloc(env->context, sizeof(uint64_t) * (at + 1));
	tally->codes = env->alloc(env->context, sizeof(uint16_t *) * m);
	tally->second = env->alloc(env->context, sizeof(uint16_t *) * m);
	for (uint32_t i = 0; i < m; i++)
	{
		tally->codes[i] = env->alloc(env->context, sizeof(uint16_t) * PEGS_CHUNK);
		tally->second[i] = env->alloc(env->context, sizeof(uint16_t) * PEGS_PATHS);
	}
	return PEGS_OK;
}

/* Path rows whose row has another beside it: at most PEGS_PATHS of a unit, in each table. */
static void
count_siblings(pegs_tally *tally, uint16_t *const *codes)
{
	const pegs_relations *r = tally->relations;
	uint32_t	m = r->ncols;

	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = a; b < m; b++)
		{
			uint64_t	at = tally->sibling_at[(size_t) a * m + b];
			uint32_t	room = r->levels[b] - 1;
			uint64_t   *cell = tally->siblings + at - 1;

			for (uint32_t j = 0; at > 0 && j < PEGS_PATHS; j++)
			{
				uint32_t	x = codes[a][j];
				uint32_t	y = tally->second[b][j];

				if (y == room)	/* absent */
					continue;
				if (a == b && x > y)
					cell[(size_t) y * room + x]++;
				else
					cell[(size_t) x * room + y]++;
			}
		}
}

void
pegs_tally_unit(pegs_tally *tally, pegs_paths *paths)
{
	uint32_t	m = tally->relations->ncols;
	uint16_t   *codes[PEGS_MAX_COLUMNS];

	for (uint32_t i = 0; i < m; i++)
		codes[i] = tally->codes[i] + tally->waiting;
	pegs_paths_rows(paths, codes, tally->second);
	count_siblings(tally, codes);
	tally->units++;
	tally->waiting += PEGS_PATHS;
	if (tally->waiting == PEGS_CHUNK)
		pegs_tally_end(tally);
}

void
pegs_tally_end(pegs_tally *tally)
{
	if (tally->waiting > 0)
		pegs_count_weighted(tally->env, &tally->layout, tally->cells, tally->codes, NULL, tally->waiting);
	tally->waiting = 0;
	tally->env->check(tally->env->context);
}
