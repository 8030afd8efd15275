/*
 * verify.c
 *	  Exact privacy of a small sealed model, by enumeration.
 */
#include "core/pegs/verify.h"

#include "core/pegs/weights.h"
#include <math.h>

/* ---- the walk ---- */

typedef struct walk
{
	const pegs_env *env;
	const pegs_layout *layout;
	pegs_gibbs	a;				/* of the table at hand */
	pegs_gibbs	b;				/* of its neighbour; the row is a's */
	uint32_t	block;
	void		(*visit) (const pegs_gibbs *gibbs, uint32_t column, uint64_t key);
	uint64_t  **weight;			/* [visits] weights at that depth, of a and b */
	pegs_odds	taken[PEGS_VERIFY_VISITS];
	uint32_t	ntaken;
	pegs_verdict *verdict;
} walk;

/* All levels of the column that visit number `at` draws, and what comes after it. */
static void
descend(walk *w, uint32_t at, double log_ratio)
{
	uint32_t	ncols = w->layout->ncols;
	uint32_t	column = at % ncols;
	uint16_t   *row = w->a.row;
	uint64_t   *wa = w->weight[2 * at];
	uint64_t   *wb = w->weight[2 * at + 1];
	uint16_t	old = row[column];
	uint64_t	key;
	uint64_t	place;
	uint64_t	ta;
	uint64_t	tb;
	uint32_t	marks[2];

	if (at == ncols * w->block)
	{
		pegs_verdict_add(w->env, w->verdict, w->taken, w->ntaken, log_ratio);
		return;
	}
	key = pegs_layout_key(w->layout, column, row);
	place = w->a.visited_start[column] + key;
	ta = pegs_gibbs_weights(&w->a, column, key, wa);
	tb = pegs_gibbs_weights(&w->b, column, key, wb);
	marks[0] = w->a.visited[place];
	marks[1] = w->b.visited[place];
	w->visit(&w->a, column, key);
	w->visit(&w->b, column, key);
	for (uint32_t level = 0; level < w->layout->levels[column]; level++)
	{
		pegs_odds	odds = {wa[level], ta, wb[level], tb};
		bool		differs = pegs_odds_differ(&odds);

		row[column] = (uint16_t) level;
		if (differs)
			w->taken[w->ntaken++] = odds;
		descend(w, at + 1, differs ? log_ratio + pegs_log_odds(&odds) : log_ratio);
		w->ntaken -= differs;
	}
	row[column] = old;
	w->a.visited[place] = marks[0];
	w->b.visited[place] = marks[1];
}

/* Row number `n` of the declared domain, in mixed radix. */
static void
row_of(const pegs_layout *layout, uint64_t n, uint16_t *row)
{
	for (uint32_t i = layout->ncols; i-- > 0; n /= layout->levels[i])
		row[i] = (uint16_t) (n % layout->levels[i]);
}

/* One row more or less in the tables; false, and nothing changed, if one of its cells is empty. */
static bool
change(const pegs_layout *layout, uint64_t *cells, const uint16_t *row, bool add)
{
	for (uint32_t i = 0; i < layout->ncols && !add; i++)
		if (cells[layout->offset[i] + pegs_layout_key(layout, i, row) * layout->levels[i] + row[i]] == 0)
			return false;
	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		uint64_t   *cell = &cells[layout->offset[i] + pegs_layout_key(layout, i, row) * layout->levels[i] + row[i]];

		*cell = add ? *cell + 1 : *cell - 1;
	}
	return true;
}

pegs_status
pegs_verify_block(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, uint64_t alpha, uint32_t block,
				  void (*visit) (const pegs_gibbs *gibbs, uint32_t column, uint64_t key), pegs_verdict *verdict)
{
	walk		w = {.env = env, .layout = layout, .block = block, .visit = visit, .verdict = verdict};
	uint32_t	visits = layout->ncols * block;
	double		domain = 1;
	double		paths;
	uint32_t	widest = 1;
	uint64_t   *neighbour;
	int32_t    *given;
	uint16_t   *row;

	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		domain *= layout->levels[i];
		widest = layout->levels[i] > widest ? layout->levels[i] : widest;
	}
	pegs_verdict_begin(verdict, alpha + (UINT64_C(1) << 16), alpha, layout->ncols);
	paths = 2 * domain * domain * pow(domain, block);
	if (block < 1 || visits > PEGS_VERIFY_VISITS || !(paths <= (double) PEGS_MOST_PATHS))
		return PEGS_ERR_TOO_LARGE;

	neighbour = env->alloc(env->context, sizeof(uint64_t) * layout->ncells);
	given = env->alloc(env->context, sizeof(int32_t) * layout->ncols);
	row = env->alloc(env->context, sizeof(uint16_t) * layout->ncols);
	w.weight = env->alloc(env->context, sizeof(uint64_t *) * 2 * (visits + 1));
	for (uint32_t i = 0; i < 2 * (visits + 1); i++)
		w.weight[i] = env->alloc(env->context, sizeof(uint64_t) * widest);
	for (uint32_t i = 0; i < layout->ncols; i++)
		given[i] = -1;
	w.a = (pegs_gibbs) {.layout = layout, .cells = cells, .alpha = alpha, .block = block, .given = given};
	w.b = w.a;
	w.b.cells = neighbour;
	pegs_gibbs_init(env, &w.a);
	pegs_gibbs_init(env, &w.b);
	w.b.row = w.a.row;
	for (uint64_t x = 0; x < 2 * (uint64_t) domain; x++)
	{
		row_of(layout, x / 2, row);
		for (uint64_t i = 0; i < layout->ncells; i++)
			neighbour[i] = cells[i];
		if (!change(layout, neighbour, row, x % 2 == 0))
			continue;
		verdict->neighbours++;
		for (uint64_t seed = 0; seed < (uint64_t) domain; seed++)
		{
			pegs_gibbs_new_block(&w.a);
			pegs_gibbs_new_block(&w.b);
			row_of(layout, seed, w.a.row);
			descend(&w, 0, 0);
		}
	}
	return PEGS_OK;
}
