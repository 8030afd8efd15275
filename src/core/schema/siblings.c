/*
 * siblings.c
 *	  Two rows of one parent: what they have to do with each other is chosen by
 *	  the exponential mechanism, and measured.
 *
 * Candidates are pairs of columns of one child table, on classes; what is
 * expected comes from rows of the model so far. A unit has at most PEGS_PATHS
 * pairs in each table, so noise and choices are those of path rows. Private
 * counts are touched in exact_table() only; its result goes into pegs_measure,
 * or into pegs_choose. Claim P37.
 */
#include "core/schema/siblings.h"

#include "core/column/merge.h"
#include "core/graph/state.h"
#include "core/schema/kin.h"
#include "core/simplex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double WHOLE_PART = 0.20;	/* of the account, where all of it would buy noise of so little of the rows */
static const double HALF_PART = 0.10;
static const double WHOLE_ROWS = 400;	/* rows for each sd of that noise */
static const double HALF_ROWS = 200;
static const double CELLS[2] = {2.5, 8};	/* cells offered: N / (this * sd) */
static const int RAKES = 30;

typedef struct candidate
{
	uint32_t	column[2];
	uint32_t	k[2];			/* classes of levels, without absent */
	uint16_t   *class_of[2];	/* [levels without absent] */
	uint32_t	cells;
	int64_t    *exact;			/* [k][k] */
	double	   *expected;
	int64_t		score;
	bool		gone;
} candidate;

typedef struct phase
{
	const pegs_env *env;
	const pegs_tally *tally;
	const pegs_relations *r;
	const pegs_fitted *model;
	pegs_kin   *kin;			/* a block of its rows */
	double		scale;			/* from a root of the block to what is counted */
	pegs_merge *merge;			/* [ncols] */
	uint32_t	n;
	candidate  *c;
} phase;

static void *
room_for(const phase *p, size_t n, size_t size)
{
	return p->env->alloc(p->env->context, (n > 0 ? n : 1) * size);
}

double
pegs_siblings_part(const pegs_accountant *accountant, double rows)
{
	double		ratio = rows / pegs_noise_sd(accountant, (double) accountant->total * 0x1p-50);

	return ratio >= WHOLE_ROWS ? WHOLE_PART : ratio >= HALF_ROWS ? HALF_PART : 0;
}

/* Pairs of siblings on classes: of one column the lower class first. */
static int64_t *
exact_table(const phase *p, const candidate *c)
{
	uint32_t	la = p->r->levels[c->column[0]] - 1;
	uint32_t	lb = p->r->levels[c->column[1]] - 1;
	const uint64_t *cell = p->tally->siblings + p->tally->sibling_at[(size_t) c->column[0] * p->r->ncols + c->column[1]] - 1;
	int64_t    *table = room_for(p, (size_t) c->k[0] * c->k[1], sizeof(int64_t));

	for (uint32_t x = 0; x < la; x++)
		for (uint32_t y = 0; y < lb; y++)
			table[(size_t) c->class_of[0][x] * c->k[1] + c->class_of[1][y]] += (int64_t) *cell++;
	return table;
}

/* The same of the rows of the model so far. */
static double *
expected_table(const phase *p, const candidate *c)
{
	double	   *table = room_for(p, (size_t) c->k[0] * c->k[1], sizeof(double));

	(void) pegs_sibling_table(p->env, p->r, p->kin, c->column[0], c->column[1], c->k, c->class_of, table);
	for (uint32_t x = 0; x < c->k[0]; x++)
		for (uint32_t y = 0; y < c->k[1]; y++)
		{
			table[(size_t) x * c->k[1] + y] *= p->scale;
			if (c->column[0] == c->column[1] && y < x)
			{
				table[(size_t) y * c->k[1] + x] += table[(size_t) x * c->k[1] + y];
				table[(size_t) x * c->k[1] + y] = 0;
			}
		}
	return table;
}

/* On grids by the noise; false: a column would be one class, or it is known. */
static bool
offer(const phase *p, candidate *c, double limit, double least)
{
	bool		same = c->column[0] == c->column[1];

	if (!pegs_merge_grid(&p->merge[c->column[0]], &p->merge[c->column[1]], least, same ? 2 * limit : limit, &c->k[0], &c->k[1]))
		return false;
	if (same)
		c->k[0] = c->k[1] = c->k[0] < c->k[1] ? c->k[0] : c->k[1];
	c->cells = same ? c->k[0] * (c->k[0] + 1) / 2 : c->k[0] * c->k[1];
	for (int x = 0; x < 2; x++)
	{
		c->class_of[x] = room_for(p, p->r->levels[c->column[x]], sizeof(uint16_t));
		pegs_merge_cut(&p->merge[c->column[x]], c->k[x], c->class_of[x]);
	}
	return true;
}

static uint32_t
find_candidates(phase *p, double sd, double noise_abs, double rows)
{
	uint32_t	m = p->r->ncols;
	uint32_t	columns = 0;

	p->merge = room_for(p, m, sizeof(pegs_merge));
	p->c = room_for(p, 2 * (size_t) m * m, sizeof(candidate));
	for (uint32_t a = 0; a < m; a++)
		if (p->tally->sibling_at[(size_t) a * m + a] > 0)
		{
			const uint16_t *group = p->tally->layout.groups ? p->tally->layout.groups[a] : NULL;

			pegs_merge_build(p->env, &p->merge[a], p->r->levels[a] - 1, p->model->share[a], group);
			columns++;
		}
	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = a; b < m; b++)
			for (int g = 0; g < 2; g++)
			{
				candidate  *c = &p->c[p->n];

				if (p->tally->sibling_at[(size_t) a * m + b] == 0)
					continue;
				p->env->check(p->env->context);
				*c = (candidate) {.column = {a, b}};
				if (!offer(p, c, rows / (CELLS[g] * sd), sd / rows))
					continue;
				if (g == 1 && p->n > 0 && c[-1].column[0] == a && c[-1].column[1] == b && c[-1].k[0] == c->k[0] && c[-1].k[1] == c->k[1])
					continue;
				c->exact = exact_table(p, c);
				c->expected = expected_table(p, c);
				for (size_t i = 0; i < (size_t) c->k[0] * c->k[1]; i++)
					c->score += llabs(c->exact[i] - llround(c->expected[i]));
				c->score -= llround(fmin(PEGS_NOISE_CHARGE * noise_abs * c->cells, 0x1p52));
				p->n++;
			}
	return columns;
}

/* Noisy cells become shares, with the sums that the rows of the model have. */
static double *
estimate(const phase *p, const candidate *c, double *noisy)
{
	size_t		k = c->k[1];
	size_t		cells = (size_t) c->k[0] * k;
	bool		same = c->column[0] == c->column[1];
	double	   *z = room_for(p, cells, sizeof(double));
	double	   *want[2] = {room_for(p, c->k[0], sizeof(double)), room_for(p, k, sizeof(double))};
	double		total = 0;
	double		sum = 0;

	for (uint32_t i = 0; i < c->cells; i++)
		sum += noisy[i];
	pegs_project_simplex(p->env, noisy, c->cells, fmax(sum, 1));
	for (uint32_t x = 0, i = 0; x < c->k[0]; x++)
		for (uint32_t y = same ? x : 0; y < k; y++, i++)
		{
			double		e = c->expected[x * k + y] + 1e-6 * p->scale;
			double		v = noisy[i] + 1e-6 * fmax(sum, 1) / (double) cells;

			if (same && x != y)
			{
				z[x * k + y] = z[y * k + x] = v / 2;
				want[0][y] += e / 2;
				want[1][x] += e / 2;
				e /= 2;
			}
			else
				z[x * k + y] = v;
			want[0][x] += e;
			want[1][y] += e;
		}
	for (uint32_t x = 0; x < c->k[0]; x++)
		total += want[0][x];
	for (int rake = 0; rake < 2 * RAKES; rake++)
		for (uint32_t x = 0; x < c->k[rake % 2]; x++)
		{
			size_t		from = rake % 2 == 0 ? x * k : x;
			size_t		step = rake % 2 == 0 ? 1 : k;
			double		have = 0;

			for (uint32_t y = 0; y < c->k[1 - rake % 2]; y++)
				have += z[from + y * step];
			for (uint32_t y = 0; have > 0 && y < c->k[1 - rake % 2]; y++)
				z[from + y * step] *= want[rake % 2][x] / total / have;
		}
	return z;
}

/* As a pair of the model: all levels, absent a class of its own in which nothing is. */
static pegs_pair
as_pair(const phase *p, const candidate *c, const double *share, double variance)
{
	pegs_pair	pair = {.column = {c->column[0], c->column[1]}, .n = 1, .k = {c->k[0] + 1, c->k[1] + 1}, .variance = variance};
	double		sum = 0;

	pair.share = room_for(p, (size_t) pair.k[0] * pair.k[1], sizeof(double));
	for (int x = 0; x < 2; x++)
	{
		uint32_t	absent = p->r->levels[c->column[x]] - 1;

		pair.class_of[x] = room_for(p, absent + 1, sizeof(uint16_t));
		memcpy(pair.class_of[x], c->class_of[x], sizeof(uint16_t) * absent);
		pair.class_of[x][absent] = (uint16_t) c->k[x];
	}
	for (size_t i = 0; i < (size_t) c->k[0] * c->k[1]; i++)
		sum += share[i];
	for (uint32_t x = 0; x < c->k[0]; x++)
		for (uint32_t y = 0; y < c->k[1]; y++)
			pair.share[(size_t) x * pair.k[1] + y] = share[(size_t) x * c->k[1] + y] / sum;
	return pair;
}

/* One of those that are left, or that nothing is worth it: p->n. */
static uint32_t
choose(const phase *p, pegs_rng *rng, pegs_accountant *accountant, double cost)
{
	int64_t    *score = room_for(p, (size_t) p->n + 1, sizeof(int64_t));
	uint32_t   *which = room_for(p, (size_t) p->n + 1, sizeof(uint32_t));
	size_t		n = 0;

	for (uint32_t i = 0; i < p->n; i++)
		if (!p->c[i].gone)
		{
			score[n] = p->c[i].score;
			which[n++] = i;
		}
	if (n == 0)
		return p->n;
	which[n] = p->n;
	score[n] = llround(fmin(log((double) n + 1) / pegs_choice_factor(accountant, cost), 0x1p52));
	return which[pegs_choose(accountant, rng, cost, score, n + 1)];
}

/* Rows of the model so far, of a key of their own. */
static void
make_rows(phase *p, const uint8_t *key)
{
	pegs_rng	own;
	pegs_blocks *blocks;
	pegs_block	block;

	pegs_rng_init(&own, key, 0);
	if (pegs_blocks_open(p->env, p->r, p->model, (uint64_t) fmax(1, fmin(round(p->model->rows), 0x1p40)), NULL, &blocks) != PEGS_OK)
		return;
	pegs_blocks_make(blocks, p->env, &own, 0, 0, &block);
	p->kin = room_for(p, p->r->ntables, sizeof(pegs_kin));
	for (uint32_t t = 0; t < p->r->ntables; t++)
	{
		p->kin[t] = (pegs_kin) {.n = block.table[t].n, .parent = block.table[t].parent, .codes = block.table[t].codes - p->r->start[t]};
		if (t == 0)
			continue;
		p->kin[t].number = room_for(p, p->kin[p->r->table[t].parent].n, sizeof(uint32_t));
		for (uint32_t i = 0; i < p->kin[t].n; i++)
			p->kin[t].number[p->kin[t].parent[i]]++;
	}
	p->scale = p->model->rows * PEGS_PATHS / p->kin[0].n;
}

pegs_pair *
pegs_siblings_fit(const pegs_env *env, pegs_rng *rng, const uint8_t *key, pegs_accountant *accountant, double budget,
				  const pegs_tally *tally, const pegs_fitted *so_far, uint32_t *n)
{
	phase		p = {.env = env, .tally = tally, .r = tally->relations, .model = so_far};
	uint32_t	m = p.r->ncols;
	uint32_t	columns = 0;
	pegs_pair  *pairs = room_for(&p, m, sizeof(pegs_pair));
	double		for_pair;
	double		for_choice;

	*n = 0;
	for (uint32_t a = 0; a < m; a++)
		columns += tally->sibling_at[(size_t) a * m + a] > 0;
	if (columns == 0)
		return pairs;
	for_pair = (1 - PEGS_CHOICE_SHARE) * budget / columns;
	for_choice = PEGS_CHOICE_SHARE * budget / columns;
	if (!pegs_buys_noise(accountant, for_pair) || !pegs_buys_noise(accountant, for_choice))
		return pairs;
	make_rows(&p, key);
	if (p.kin == NULL)
		return pairs;
	(void) find_candidates(&p, pegs_noise_sd(accountant, for_pair), pegs_noise_abs(accountant, for_pair), so_far->rows * PEGS_PATHS);
	while (*n < columns)
	{
		uint32_t	pick = choose(&p, rng, accountant, for_choice);
		candidate  *c = &p.c[pick];
		int64_t    *exact;
		double	   *noisy;
		double		variance;
		uint32_t	at = 0;

		if (pick == p.n)
			break;
		exact = room_for(&p, c->cells, sizeof(int64_t));
		noisy = room_for(&p, c->cells, sizeof(double));
		for (uint32_t x = 0; x < c->k[0]; x++)
			for (uint32_t y = c->column[0] == c->column[1] ? x : 0; y < c->k[1]; y++)
				exact[at++] = c->exact[(size_t) x * c->k[1] + y];
		variance = pegs_measure(accountant, rng, PEGS_FOR_PAIR, for_pair, exact, noisy, c->cells);
		if (variance < 0)
			break;
		pairs[(*n)++] = as_pair(&p, c, estimate(&p, c, noisy), variance / ((double) PEGS_PATHS * PEGS_PATHS));
		for (uint32_t i = 0; i < p.n; i++)
			p.c[i].gone |= p.c[i].column[0] == c->column[0] && p.c[i].column[1] == c->column[1];
	}
	return pairs;
}
