/*
 * zeros_test.c
 *	  Structural zeros: the two questions of zeros.h against brute force, and
 *	  the sampler with rules: is every row allowed, does it draw from the
 *	  restricted distribution, and is that one as private as the other?
 *
 * With rules a step of the sweep chooses among the allowed levels, which are a
 * function of the row so far: seed, outputs and public facts. One row of data
 * more moves one weight by one, or none where its level is forbidden, so
 *
 *		ratio <= (1 + 1/alpha)^(free columns x blocks)
 *
 * as without rules, and what has probability zero has it under all data.
 * Claims P1 to P3, docs/privacy.md. gibbs_privacy_test.c does the same without
 * rules, in exact rationals; here long double, whose rounding is below 1e-15.
 *
 * A test that cannot fail shows nothing: a sampler that takes its zeros from
 * the data, and one that never resets, must break the bound here.
 */
#include "core/pegs/gibbs.h"
#include "core/pegs/weights.h"

#include <stdlib.h>
#include <string.h>

#include "chisquare.h"
#include "core/epsilon.h"
#define STREAM_SALT [1] = 31
#include "sweep.h"

#define MAX_LEVELS	4
#define MAX_CELLS	27			/* of the whole domain */
#define MAX_RULES	4
#define ONE			(UINT64_C(1) << PEGS_ALPHA_BITS)

static bool
chance(uint32_t one_in)
{
	return pegs_rng_below(&rng, one_in) == 0;
}

/* ---------- the helpers ---------- */

/* The definition: some rule all of whose columns are at one of its levels. */
static bool
breaks(const pegs_zeros *zeros, const uint16_t *row, int64_t with_column)
{
	for (uint32_t r = 0; r < zeros->n; r++)
	{
		const pegs_zero *zero = &zeros->zero[r];
		bool		all = true;
		bool		with = with_column < 0;

		for (uint32_t x = 0; x < zero->n; x++)
		{
			all = all && zero->level[x][row[zero->column[x]]];
			with = with || zero->column[x] == with_column;
		}
		if (all && with)
			return true;
	}
	return false;
}

static void
test_helpers(void)
{
	const uint32_t levels[5] = {2, 3, 1, 4, 2};
	bool		table[8][PEGS_ZERO_COLUMNS][4];
	pegs_zero	zero[8];
	pegs_zeros	zeros = {0, zero};
	uint16_t	row[5] = {0};
	unsigned long answers[2] = {0, 0};
	bool		right = true;

	start(1);
	/* no rules, nothing forbidden */
	CHECK(!pegs_is_zero(&zeros, row));
	CHECK(!pegs_would_be_zero(&zeros, row, 0, 1));
	for (int trial = 0; trial < 2000; trial++)
	{
		zeros.n = (uint32_t) pegs_rng_below(&rng, 9);
		memset(table, 0, sizeof(table));
		memset(zero, 0, sizeof(zero));
		for (uint32_t r = 0; r < zeros.n; r++)
		{
			zero[r].n = 1 + (uint32_t) pegs_rng_below(&rng, PEGS_ZERO_COLUMNS);
			for (uint32_t x = 0; x < zero[r].n; x++)
			{
				/* a column may come twice in a spec: then both lists must hold */
				zero[r].column[x] = (uint32_t) pegs_rng_below(&rng, 5);
				zero[r].level[x] = table[r][x];
				for (uint32_t l = 0; l < levels[zero[r].column[x]]; l++)
					table[r][x][l] = chance(2);
			}
		}
		/* all rows of the domain, all columns, all levels */
		for (uint32_t cell = 0; cell < 2 * 3 * 1 * 4 * 2; cell++)
		{
			uint32_t	rest = cell;

			for (uint32_t c = 0; c < 5; c++)
			{
				row[c] = (uint16_t) (rest % levels[c]);
				rest /= levels[c];
			}
			right = right && pegs_is_zero(&zeros, row) == breaks(&zeros, row, -1);
			answers[pegs_is_zero(&zeros, row)]++;
			for (uint32_t c = 0; c < 5; c++)
				for (uint32_t l = 0; l < levels[c]; l++)
				{
					uint16_t	other[5];
					bool		would = pegs_would_be_zero(&zeros, row, c, l);

					memcpy(other, row, sizeof(row));
					other[c] = (uint16_t) l;
					right = right && would == breaks(&zeros, other, c);
					/* what a sweep relies on: from an allowed row it is the whole answer */
					if (!pegs_is_zero(&zeros, row))
						right = right && would == pegs_is_zero(&zeros, other)
							&& (l != row[c] || !would);
				}
		}
		if (!CHECK(right))
			return;
	}
	CHECK(answers[0] > 5000 && answers[1] > 5000);
}

/* ---------- models with rules ---------- */

/* "0:01 2:1": column 0 at level 0 or 1, together with column 2 at level 1. */
typedef struct ruled
{
	model		m;
	const char *zeros[MAX_RULES];
	int32_t		given[MAX_COLUMNS];
} ruled;

static const ruled models[] = {
	{{2, {2, 2}, {"1", "0"}, 0}, {"0:0 1:0"}, {-1, -1}},
	{{2, {2, 2}, {"", ""}, 0}, {"0:1 1:1"}, {-1, -1}},
	{{2, {2, 2}, {"1", "0"}, 0}, {"0:0 1:0", "0:1 1:1"}, {-1, -1}},
	{{2, {2, 2}, {"1", "0"}, 0}, {"0:0"}, {-1, -1}},
	{{2, {2, 3}, {"1", "0"}, 0}, {"0:1 1:02"}, {-1, -1}},
	{{2, {3, 3}, {"1", "0"}, 0}, {"0:0 1:0", "0:1 1:1", "0:2 1:2"}, {-1, -1}},
	{{2, {3, 3}, {"", "0"}, 0}, {"1:1", "0:02 1:0"}, {-1, -1}},
	{{3, {2, 2, 2}, {"1", "0", "1"}, 0}, {"0:1 1:1 2:1"}, {-1, -1, -1}},
	{{3, {2, 2, 2}, {"12", "02", "01"}, 0}, {"0:0 1:1", "1:0 2:1"}, {-1, -1, -1}},
	{{3, {2, 2, 2}, {"1", "2", "0"}, 0}, {"0:1 2:0", "0:0 1:0 2:0"}, {-1, -1, -1}},
	{{3, {2, 2, 2}, {"", "", ""}, 0}, {"0:01 1:1 2:1", "2:0 0:0"}, {-1, -1, -1}},
	{{3, {2, 2, 2}, {"1", "2", "0"}, 0}, {"0:1 2:0"}, {1, -1, -1}},
	{{3, {2, 3, 2}, {"12", "", "0"}, 0}, {"0:0 1:12", "1:0 2:1"}, {-1, -1, 0}},
	{{2, {3, 3}, {"1", "0"}, 0}, {"0:12 1:1"}, {-1, 1}}
};

#define NMODELS (sizeof(models) / sizeof(models[0]))

typedef struct bench
{
	model		m;
	const int32_t *given;
	pegs_layout layout;
	bool		table[MAX_RULES][PEGS_ZERO_COLUMNS][MAX_LEVELS];
	pegs_zero	zero[MAX_RULES];
	uint32_t	free;			/* columns that are not given */
	uint64_t   *cells;
	pegs_gibbs	sampler;
} bench;

static void
build(bench *b, const ruled *rules, uint32_t tail_bits, uint64_t alpha, uint64_t block)
{
	memset(b, 0, sizeof(*b));
	b->m = rules->m;
	b->m.tail_bits = tail_bits;
	b->given = rules->given;
	for (uint32_t i = 0; i < b->m.ncols; i++)
		b->free += b->given[i] < 0;
	build_layout(&b->m, &b->layout);
	b->cells = env.alloc(env.context, sizeof(uint64_t) * b->layout.ncells);
	b->sampler.layout = &b->layout;
	b->sampler.cells = b->cells;
	b->sampler.alpha = alpha;
	b->sampler.block = block;
	b->sampler.given = b->given;
	for (uint32_t r = 0; r < MAX_RULES && rules->zeros[r]; r++)
	{
		pegs_zero  *zero = &b->zero[r];

		for (const char *p = rules->zeros[r]; *p != '\0'; p++)
		{
			if (p[0] == ' ')
				continue;
			if (p[1] == ':')
			{
				zero->column[zero->n] = (uint32_t) (*p++ - '0');
				zero->level[zero->n] = b->table[r][zero->n];
				zero->n++;
			}
			else
				zero->level[zero->n - 1][*p - '0'] = true;
		}
		b->sampler.zeros.n = r + 1;
	}
	b->sampler.zeros.zero = b->zero;
	pegs_gibbs_init(&env, &b->sampler);
}

/* May a chain begin with this row? */
static bool
possible(const bench *b, const uint16_t *row)
{
	for (uint32_t i = 0; i < b->m.ncols; i++)
		if (b->given[i] >= 0 && b->given[i] != row[i])
			return false;
	return !breaks(&b->sampler.zeros, row, -1);
}

static uint32_t
possible_rows(const bench *b)
{
	uint16_t	row[MAX_COLUMNS];
	uint32_t	n = 0;

	for (uint32_t cell = 0; cell < domain(&b->m); cell++)
	{
		row_of(&b->m, cell, row);
		n += possible(b, row);
	}
	return n;
}

/* A data set is how often each row of the domain is in it, forbidden ones too. */
static void
count(bench *b, const uint32_t *times)
{
	uint16_t	code[MAX_COLUMNS];
	uint16_t   *columns[MAX_COLUMNS] = {&code[0], &code[1], &code[2]};

	memset(b->cells, 0, b->layout.ncells * sizeof(uint64_t));
	for (uint32_t cell = 0; cell < domain(&b->m); cell++)
		for (uint32_t t = 0; t < times[cell]; t++)
		{
			row_of(&b->m, cell, code);
			pegs_count_chunk(&b->layout, b->cells, columns, 1);
		}
}

/* ---------- exact privacy, by enumeration ---------- */

typedef enum fault
{
	NO_FAULT,
	NO_RESET,					/* visits are forgotten */
	ZEROS_OF_DATA				/* a level that no row has is forbidden, as far as one is left */
} fault;

typedef struct trial
{
	bench	   *side[2];		/* neighbours */
	uint32_t	rows;			/* to make */
	fault		fault;
	uint16_t	row[MAX_COLUMNS];
	long double worst;			/* largest ratio, either way */
	bool		same_support;
	uint64_t	outputs;
} trial;

/* The weights of the levels that may come, and their sum: the steps of pegs_gibbs_next. */
static uint64_t
step(const bench *b, fault fault, uint32_t column, uint64_t key, const uint16_t *row, uint64_t *weight)
{
	uint32_t	levels = b->layout.levels[column];
	const uint64_t *n = b->cells + b->layout.offset[column] + key * levels;
	uint64_t	sum = pegs_gibbs_weights(&b->sampler, column, key, weight);
	uint64_t	seen = 0;

	for (uint32_t j = 0; j < levels; j++)
		seen += n[j];
	for (uint32_t j = 0; j < levels; j++)
		if (pegs_would_be_zero(&b->sampler.zeros, row, column, j)
			|| (fault == ZEROS_OF_DATA && seen > 0 && n[j] == 0))
		{
			sum -= weight[j];
			weight[j] = 0;
		}
	return sum;
}

static void
walk(trial *t, uint32_t column, uint32_t made, long double ratio)
{
	const model *m = &t->side[0]->m;
	uint64_t	weight[2][MAX_LEVELS];
	uint64_t	sum[2];
	uint32_t   *visited[2];
	uint32_t	stamp[2];
	uint16_t	before;

	while (column < m->ncols && t->side[0]->given[column] >= 0)
		column++;
	if (column == m->ncols)
	{
		made++;
		if (made == t->rows)
		{
			long double either = ratio > 1 ? ratio : 1 / ratio;

			t->outputs++;
			t->worst = either > t->worst ? either : t->worst;
			return;
		}
		if (made % t->side[0]->sampler.block == 0)
		{
			for (int k = 0; k < 2; k++)
				pegs_gibbs_new_block(&t->side[k]->sampler);
			walk(t, 0, made, ratio);
			for (int k = 0; k < 2; k++)
				t->side[k]->sampler.stamp--;
		}
		else
			walk(t, 0, made, ratio);
		return;
	}
	for (int k = 0; k < 2; k++)
	{
		pegs_gibbs *g = &t->side[k]->sampler;
		uint64_t	key = pegs_layout_key(g->layout, column, t->row);

		sum[k] = step(t->side[k], t->fault, column, key, t->row, weight[k]);
		visited[k] = &g->visited[g->visited_start[column] + key];
		stamp[k] = *visited[k];
		if (t->fault != NO_RESET)
			pegs_gibbs_visit(g, column, key);
	}
	before = t->row[column];
	for (uint32_t j = 0; j < m->levels[column]; j++)
	{
		if ((weight[0][j] == 0) != (weight[1][j] == 0))
			t->same_support = false;
		if (weight[0][j] == 0 || weight[1][j] == 0)
			continue;
		t->row[column] = (uint16_t) j;
		walk(t, column + 1, made, ratio * weight[0][j] / weight[1][j] * sum[1] / sum[0]);
	}
	t->row[column] = before;
	for (int k = 0; k < 2; k++)
		*visited[k] = stamp[k];
}

/* Data sets of `rows` more rows from `cell` on, their neighbours, all seeds, all outputs. */
static void
all_datasets(trial *t, uint32_t *times, uint32_t cell, uint32_t rows)
{
	const model *m = &t->side[0]->m;

	if (cell + 1 < domain(m) && rows > 0)
	{
		for (uint32_t here = 0; here <= rows; here++)
		{
			times[cell] += here;
			all_datasets(t, times, cell + 1, rows - here);
			times[cell] -= here;
		}
		return;
	}
	times[cell] += rows;
	count(t->side[1], times);
	for (uint32_t added = 0; added < domain(m); added++)
	{
		times[added]++;
		count(t->side[0], times);
		times[added]--;
		for (uint32_t seed = 0; seed < domain(m); seed++)
		{
			row_of(m, seed, t->row);
			if (possible(t->side[0], t->row))
				walk(t, 0, 0, 1);
		}
	}
	times[cell] -= rows;
}

/* All data sets of fewer than `limit` rows. */
static void
exhaust(trial *t, const ruled *rules, uint32_t tail_bits, uint64_t alpha, uint32_t block, uint32_t blocks, uint32_t limit, fault fault)
{
	static bench side[2];

	for (int k = 0; k < 2; k++)
	{
		build(&side[k], rules, tail_bits, alpha, block);
		t->side[k] = &side[k];
	}
	t->rows = block * blocks;
	t->fault = fault;
	t->worst = 1;
	t->same_support = true;
	t->outputs = 0;
	for (uint32_t rows = 0; rows < limit; rows++)
	{
		uint32_t	times[MAX_CELLS] = {0};

		all_datasets(t, times, 0, rows);
	}
	CHECK(t->outputs > 0);
}

static long double
claimed(uint64_t alpha, uint32_t power)
{
	long double bound = 1;

	while (power-- > 0)
		bound *= 1 + (long double) ONE / alpha;
	return bound * (1 + 1e-15L);
}

static void
test_privacy(void)
{
	static const struct
	{
		uint32_t	block;
		uint32_t	blocks;
		uint32_t	limit[2];	/* of domains up to 6 rows, and larger ones */
	}			run[] = {{1, 1, {5, 4}}, {2, 1, {4, 3}}, {3, 1, {3, 2}}, {1, 2, {4, 3}}, {2, 2, {2, 1}}};
	static const uint64_t alphas[] = {ONE / 7, 3 * ONE / 2, 40 * ONE + 1};

	for (size_t i = 0; i < NMODELS; i++)
		for (size_t r = 0; r < sizeof(run) / sizeof(run[0]); r++)
			for (uint32_t tail = 0; tail < 2; tail++)
				for (size_t a = 0; a < 3; a++)
				{
					trial		t;
					uint32_t	limit = run[r].limit[domain(&models[i].m) > 6];

					exhaust(&t, &models[i], tail, alphas[a], run[r].block, run[r].blocks, limit, NO_FAULT);
					CHECK(t.same_support);
					if (!CHECK(t.worst <= claimed(alphas[a], t.side[0]->free * run[r].blocks)))
						printf("  model %zu, block %u, blocks %u, tail %u, alpha %g: worst %.12Lf, bound %.12Lf\n", i, run[r].block,
							   run[r].blocks, tail, (double) alphas[a] / ONE, t.worst, claimed(alphas[a], t.side[0]->free * run[r].blocks));
					arena_free(&memory);
				}
}

/* The judge can say no; and rules do not make a row invisible. */
static void
test_judge(void)
{
	trial		t;

	exhaust(&t, &models[4], 0, 3 * ONE / 2, 1, 1, 4, NO_FAULT);
	CHECK(t.worst > 1.2L);
	arena_free(&memory);
	exhaust(&t, &models[4], 0, 3 * ONE / 2, 1, 1, 4, ZEROS_OF_DATA);
	CHECK(!t.same_support);
	arena_free(&memory);
	exhaust(&t, &models[1], 0, 3 * ONE / 2, 3, 1, 6, NO_RESET);
	CHECK(t.worst > claimed(3 * ONE / 2, 2));
	arena_free(&memory);
	exhaust(&t, &models[1], 0, 3 * ONE / 2, 3, 1, 6, NO_FAULT);
	CHECK(t.worst <= claimed(3 * ONE / 2, 2));
	arena_free(&memory);
	/* two levels that exclude each other: once seeded, the chain cannot move, and says nothing */
	exhaust(&t, &models[2], 0, ONE / 7, 1, 2, 4, NO_FAULT);
	CHECK(t.worst == 1);
	arena_free(&memory);
}

/* ---------- does pegs_gibbs_next do that? ---------- */

typedef struct law
{
	const bench *b;
	bool		zeros;			/* or as if there were none */
	uint32_t	rows;
	const uint32_t *times;		/* the data */
	double	   *probability;
	uint64_t	visits[64];		/* column * 1000 + key */
} law;

/* From the rows of the data themselves, never from the tables. */
static void
enumerate(law *l, uint16_t *row, uint32_t column, uint32_t made, uint32_t first, uint32_t nvisits, uint32_t at, double probability)
{
	const model *m = &l->b->m;
	const bench *b = l->b;
	double		weight[MAX_LEVELS];
	double		sum = 0;
	uint64_t	key;
	bool		visited = false;
	uint16_t	before;

	if (column == m->ncols)
	{
		at = at * domain(m) + cell_of(m, row);
		if (++made == l->rows)
			l->probability[at] += probability;
		else
			enumerate(l, row, 0, made, made % b->sampler.block == 0 ? nvisits : first, nvisits, at, probability);
		return;
	}
	if (l->b->given[column] >= 0)
	{
		enumerate(l, row, column + 1, made, first, nvisits, at, probability);
		return;
	}
	key = pegs_layout_key(&b->layout, column, row);
	for (uint32_t v = first; v < nvisits; v++)
		visited = visited || l->visits[v] == column * 1000 + key;
	before = row[column];
	for (uint32_t j = 0; j < m->levels[column]; j++)
	{
		row[column] = (uint16_t) j;
		weight[j] = l->zeros && breaks(&b->sampler.zeros, row, -1) ? 0 : (double) b->sampler.alpha / ONE;
		row[column] = before;
		if (weight[j] > 0 && !visited)
			for (uint32_t cell = 0; cell < domain(m); cell++)
			{
				uint16_t	data[MAX_COLUMNS];

				row_of(m, cell, data);
				if (data[column] == j && pegs_layout_key(&b->layout, column, data) == key)
					weight[j] += l->times[cell];
			}
		sum += weight[j];
	}
	l->visits[nvisits++] = column * 1000 + key;
	for (uint32_t j = 0; j < m->levels[column]; j++)
		if (weight[j] > 0)
		{
			row[column] = (uint16_t) j;
			enumerate(l, row, column + 1, made, first, nvisits, at, probability * weight[j] / sum);
		}
	row[column] = before;
}

static size_t
outcomes(const law *l)
{
	size_t		n = 1;

	for (uint32_t r = 0; r < l->rows; r++)
		n *= domain(&l->b->m);
	return n;
}

static void
law_of(law *l, const bench *b, const uint32_t *times, uint32_t rows, bool zeros)
{
	double		sum = 0;

	*l = (law) {.b = b, .zeros = zeros, .rows = rows, .times = times};
	l->probability = env.alloc(env.context, sizeof(double) * outcomes(l));
	for (uint32_t cell = 0; cell < domain(&b->m); cell++)
	{
		uint16_t	row[MAX_COLUMNS];

		row_of(&b->m, cell, row);
		if (possible(b, row))
			enumerate(l, row, 0, 0, 0, 0, 0, 1.0 / possible_rows(b));
	}
	for (size_t o = 0; o < outcomes(l); o++)
		sum += l->probability[o];
	CHECK(fabs(sum - 1) < 1e-12);
}

static void
test_law(void)
{
	const uint32_t draws = 100000;

	for (size_t i = 0; i < 2 * NMODELS; i++)
	{
		const ruled *rules = &models[i / 2];
		const model *m = &rules->m;
		bench		b;
		law			l;
		law			without;
		uint32_t	times[MAX_CELLS];
		uint32_t	rows = domain(m) > 9 ? 2 : 3;
		uint64_t   *seen;
		uint64_t   *seeds;
		double	   *seed_probability;
		bool		allowed = true;
		double		p;

		start((uint8_t) (50 + i));
		build(&b, rules, i % 2, i % 3 == 0 ? ONE / 3 : 2 * ONE, i % 4 < 2 ? 2 : 1);
		/* skewed, and the most frequent rows may be forbidden ones */
		for (uint32_t cell = 0; cell < domain(m); cell++)
			times[cell] = cell * cell * 7 % 13;
		count(&b, times);
		law_of(&l, &b, times, rows, true);
		law_of(&without, &b, times, rows, false);
		seen = env.alloc(env.context, sizeof(uint64_t) * outcomes(&l));
		seeds = env.alloc(env.context, sizeof(uint64_t) * domain(m));
		seed_probability = env.alloc(env.context, sizeof(double) * domain(m));
		for (uint32_t cell = 0; cell < domain(m); cell++)
		{
			uint16_t	row[MAX_COLUMNS];

			row_of(m, cell, row);
			seed_probability[cell] = possible(&b, row) ? 1.0 / possible_rows(&b) : 0;
		}
		for (uint32_t d = 0; d < draws; d++)
		{
			uint32_t	at = 0;

			pegs_gibbs_new_block(&b.sampler);
			allowed = pegs_gibbs_seed(&b.sampler, &rng, 1000) && allowed;
			seeds[cell_of(m, b.sampler.row)]++;
			for (uint32_t r = 0; r < rows; r++)
			{
				pegs_gibbs_next(&b.sampler, &rng);
				allowed = allowed && possible(&b, b.sampler.row);
				at = at * domain(m) + cell_of(m, b.sampler.row);
			}
			seen[at]++;
		}
		CHECK(allowed);
		p = chisquare_p(seeds, seed_probability, domain(m), draws);
		if (!CHECK(p > CHISQUARE_P))
			printf("  model %zu, seeds: p = %g\n", i / 2, p);
		p = chisquare_p(seen, l.probability, outcomes(&l), draws);
		if (!CHECK(p > CHISQUARE_P))
			printf("  model %zu, tail %zu: p = %g\n", i / 2, i % 2, p);
		/* one that does not look at the rules is told from it */
		p = chisquare_p(seen, without.probability, outcomes(&l), draws);
		if (!CHECK(p < CHISQUARE_P))
			printf("  model %zu, tail %zu, no zeros: p = %g\n", i / 2, i % 2, p);
		arena_free(&memory);
	}
}

/* ---------- larger models: every row is allowed ---------- */

static void
test_allowed(void)
{
	unsigned long runs = 0;

	start(2);
	for (int trial = 0; trial < 400; trial++)
	{
		uint32_t	ncols = 3 + (uint32_t) pegs_rng_below(&rng, 8);
		uint32_t	levels[10];
		uint32_t	begin[11] = {0};
		uint16_t	parents[20];
		int32_t		given[10];
		pegs_zero	zero[6];
		pegs_layout layout;
		pegs_gibbs	g = {0};
		uint64_t   *cells;
		bool		right = true;

		for (uint32_t i = 0; i < ncols; i++)
		{
			levels[i] = 1 + (uint32_t) pegs_rng_below(&rng, 6);
			begin[i + 1] = begin[i];
			if (chance(2))
				parents[begin[i + 1]++] = (uint16_t) ((i + 1) % ncols);
			if (chance(3))
				parents[begin[i + 1]++] = (uint16_t) ((i + 2) % ncols);
			given[i] = chance(6) ? (int32_t) pegs_rng_below(&rng, levels[i]) : -1;
		}
		memset(zero, 0, sizeof(zero));
		g.zeros.n = 1 + (uint32_t) pegs_rng_below(&rng, 6);
		g.zeros.zero = zero;
		for (uint32_t r = 0; r < g.zeros.n; r++)
		{
			zero[r].n = 1 + (uint32_t) pegs_rng_below(&rng, 3);
			for (uint32_t x = 0; x < zero[r].n; x++)
			{
				zero[r].column[x] = (uint32_t) pegs_rng_below(&rng, ncols);
				zero[r].level[x] = env.alloc(env.context, sizeof(bool) * levels[zero[r].column[x]]);
				for (uint32_t l = 0; l < levels[zero[r].column[x]]; l++)
					zero[r].level[x][l] = chance(zero[r].n == 1 ? 4 : 2);
			}
		}
		CHECK(pegs_layout_conditional(&env, ncols, levels, begin, parents, chance(2), &layout, NULL) == PEGS_OK);
		cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
		for (uint64_t c = 0; c < layout.ncells; c++)
			cells[c] = chance(3) ? pegs_rng_below(&rng, PEGS_MAX_ROWS) >> pegs_rng_below(&rng, 46) : 0;
		g.layout = &layout;
		g.cells = cells;
		g.alpha = UINT64_C(1) << pegs_rng_below(&rng, 40);
		g.block = 1 + pegs_rng_below(&rng, 20);
		g.given = given;
		pegs_gibbs_init(&env, &g);
		if (pegs_gibbs_seed(&g, &rng, 10000))
		{
			runs++;
			for (int n = 0; n < 300; n++)
			{
				pegs_gibbs_next(&g, &rng);
				right = right && !breaks(&g.zeros, g.row, -1);
				for (uint32_t i = 0; i < ncols; i++)
					right = right && g.row[i] < levels[i] && (given[i] < 0 || g.row[i] == given[i]);
			}
			CHECK(right);
		}
		arena_free(&memory);
	}
	CHECK(runs > 150);
}

/* ---------- the seed gives up where nothing is allowed ---------- */

static void
test_seed(void)
{
	static const ruled nothing = {{2, {2, 2}, {"", ""}, 0}, {"0:01"}, {-1, -1}};
	static const ruled under_given = {{2, {2, 2}, {"", ""}, 0}, {"0:1 1:01"}, {1, -1}};
	static const ruled one_row = {{2, {3, 3}, {"", ""}, 0}, {"0:01", "1:02"}, {-1, -1}};
	bench		b;

	start(3);
	build(&b, &nothing, 0, ONE, 1);
	CHECK(!pegs_gibbs_seed(&b.sampler, &rng, 0));
	CHECK(!pegs_gibbs_seed(&b.sampler, &rng, 1));
	CHECK(!pegs_gibbs_seed(&b.sampler, &rng, 100000));
	build(&b, &under_given, 0, ONE, 1);
	CHECK(!pegs_gibbs_seed(&b.sampler, &rng, 100000));
	build(&b, &one_row, 0, ONE, 2);
	CHECK(pegs_gibbs_seed(&b.sampler, &rng, 100000));
	CHECK(b.sampler.row[0] == 2 && b.sampler.row[1] == 1);
	for (int n = 0; n < 100; n++)
	{
		pegs_gibbs_next(&b.sampler, &rng);
		CHECK(b.sampler.row[0] == 2 && b.sampler.row[1] == 1);
	}
	arena_free(&memory);
}

int
main(void)
{
	test_helpers();
	test_privacy();
	test_judge();
	test_law();
	test_allowed();
	test_seed();
	return unit_done("zeros_test");
}
