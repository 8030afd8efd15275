/*
 * urn_verify.c
 *	  Exact privacy of small urns over whole tables, by enumeration.
 */
#include "core/urn_verify.h"

#include <math.h>
#include <string.h>

#include "core/counts.h"

typedef struct walk
{
	const pegs_env *env;
	const pegs_urns *urns;		/* of the table at hand, as they were filled */
	uint32_t	draws;			/* of an output */
	pegs_urn   *urn[2];			/* [urns] of both tables, as they are */
	uint64_t  **before[2];		/* [draws] an urn's tree before a draw */
	uint64_t  **count;			/* [urns] of the neighbour */
	void		(*put_back) (pegs_urn *urn, uint32_t level);
	pegs_odds	taken[PEGS_VERIFY_VISITS];
	uint32_t	ntaken;
	pegs_verdict *verdict;
} walk;

static void
restore(pegs_urn *urn, const uint64_t *sum, uint64_t total)
{
	memcpy(urn->sum, sum, sizeof(uint64_t) * ((size_t) urn->k + 1));
	urn->total = total;
}

/* All levels that draw number `at` may give, and what comes after it. */
static void
descend(walk *w, uint32_t at, double log_ratio)
{
	uint32_t	number = at % w->urns->n;
	pegs_urn   *a = &w->urn[0][number];
	pegs_urn   *b = &w->urn[1][number];
	uint64_t	total[2] = {a->total, b->total};

	if (at == w->draws)
	{
		pegs_verdict_add(w->env, w->verdict, w->taken, w->ntaken, log_ratio);
		return;
	}
	memcpy(w->before[0][at], a->sum, sizeof(uint64_t) * ((size_t) a->k + 1));
	memcpy(w->before[1][at], b->sum, sizeof(uint64_t) * ((size_t) b->k + 1));
	for (uint32_t level = 0; level < a->k; level++)
	{
		pegs_odds	odds = {pegs_urn_weight(a, level), total[0], pegs_urn_weight(b, level), total[1]};
		bool		differs = pegs_odds_differ(&odds);

		if (differs)
			w->taken[w->ntaken++] = odds;
		w->put_back(a, level);
		w->put_back(b, level);
		descend(w, at + 1, differs ? log_ratio + pegs_log_odds(&odds) : log_ratio);
		restore(a, w->before[0][at], total[0]);
		restore(b, w->before[1][at], total[1]);
		w->ntaken -= differs;
	}
}

/* The level of an urn that a row of the table is; its k: none. */
static uint32_t
level_of(const walk *w, uint32_t u, uint64_t row, const uint16_t *code)
{
	const pegs_urns *urns = w->urns;

	if (urns->start == NULL)
		return urns->n == 1 ? (uint32_t) row : code[u];
	for (uint32_t i = urns->start[u]; i < urns->start[u + 1]; i++)
		if (urns->cell[i] == row)
			return i - urns->start[u];
	return urns->urn[u].k;
}

/* The urns of the table with one row more, or less; false: it has no such row. */
static bool
make_neighbour(walk *w, uint32_t ncols, const uint32_t *levels, uint64_t row, bool add, uint64_t alpha)
{
	uint16_t   *code = w->env->alloc(w->env->context, sizeof(uint16_t) * ncols);
	bool		is = true;

	pegs_joint_row(ncols, levels, row, code);
	for (uint32_t u = 0; u < w->urns->n; u++)
	{
		uint32_t	level = level_of(w, u, row, code);

		memcpy(w->count[u], w->urns->urn[u].count, sizeof(uint64_t) * w->urns->urn[u].k);
		if (level < w->urns->urn[u].k)
		{
			is = is && (add || w->count[u][level] > 0);
			w->count[u][level] += add ? 1 : is ? -1 : 0;
		}
		pegs_urn_fill(w->env, &w->urn[1][u], w->count[u], alpha, NULL);
	}
	pegs_env_free(w->env, code);
	return is;
}

/* Room for both tables' urns, and for each draw. */
static void
prepare(walk *w)
{
	const pegs_env *env = w->env;
	uint32_t	widest = 0;

	for (int side = 0; side < 2; side++)
		w->urn[side] = env->alloc(env->context, sizeof(pegs_urn) * w->urns->n);
	w->count = env->alloc(env->context, sizeof(uint64_t *) * w->urns->n);
	for (uint32_t u = 0; u < w->urns->n; u++)
	{
		uint32_t	k = w->urns->urn[u].k;

		widest = k > widest ? k : widest;
		w->count[u] = env->alloc(env->context, sizeof(uint64_t) * k);
		for (int side = 0; side < 2; side++)
		{
			pegs_urn_init(env, &w->urn[side][u], k);
			w->urn[side][u].prior = w->urns->urn[u].prior;
		}
		restore(&w->urn[0][u], w->urns->urn[u].sum, w->urns->urn[u].total);
	}
	for (int side = 0; side < 2; side++)
	{
		w->before[side] = env->alloc(env->context, sizeof(uint64_t *) * w->draws);
		for (uint32_t i = 0; i < w->draws; i++)
			w->before[side][i] = env->alloc(env->context, sizeof(uint64_t) * ((size_t) widest + 1));
	}
}

pegs_status
pegs_verify_urns(const pegs_env *env, const pegs_urns *urns, uint32_t ncols, const uint32_t *levels, uint64_t alpha, uint32_t n,
				 void (*put_back) (pegs_urn *urn, uint32_t level), pegs_verdict *verdict)
{
	walk		w = {.env = env, .urns = urns, .put_back = put_back, .verdict = verdict};
	double		domain = 1;
	uint32_t	tables = urns->start ? 1 : urns->n;	/* that a row is in */
	uint32_t	draws = urns->start ? (n + urns->n - 1) / urns->n : n;	/* from one urn */

	for (uint32_t i = 0; i < ncols; i++)
		domain *= levels[i];
	if (n < 1 || n > PEGS_VERIFY_VISITS || (uint64_t) tables * n > PEGS_VERIFY_VISITS
		|| !(2 * domain * pow(domain, n) <= (double) PEGS_MOST_PATHS))
		return PEGS_ERR_TOO_LARGE;
	pegs_verdict_begin(verdict, alpha + draws * PEGS_URN_ONE, alpha, tables);
	w.draws = tables * n;
	prepare(&w);
	for (uint64_t x = 0; x < 2 * (uint64_t) domain; x++)
	{
		if (!make_neighbour(&w, ncols, levels, x / 2, x % 2 == 0, alpha))
			continue;
		verdict->neighbours++;
		descend(&w, 0, 0);
	}
	return PEGS_OK;
}
