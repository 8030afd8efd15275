/*
 * gibbs_test.c
 *	  Does the sampler draw from the distribution that its header states?
 *
 * The law of a whole block, enumerated in double from the rows themselves,
 * against what pegs_gibbs_next draws under fixed keys, by chi-square; a
 * sampler without the reset must be rejected by the same judge. Then the parts
 * that a statistic does not see: stamps that wrap, given columns, counts near
 * the limit. (gibbs_privacy_test.c drives the sampler through every path.)
 */
#include "core/pegs/gibbs.h"
#include "core/pegs/weights.h"

#include <stdlib.h>
#include <string.h>

#include "chisquare.h"
#define STREAM_SALT [1] = 77
#include "sweep.h"

#define MAX_ROWS 40

/* ---------- a model, its rows and its sampler ---------- */

/* A model and how rows are drawn from it. */
typedef struct setting
{
	model		m;
	uint64_t	alpha;
	uint64_t	block;
	int32_t		given[MAX_COLUMNS];
} setting;

typedef struct bench
{
	model		m;
	uint64_t	alpha;
	uint64_t	block;
	int32_t		given[MAX_COLUMNS];
	pegs_layout layout;
	uint16_t	rows[MAX_ROWS][MAX_COLUMNS];
	uint32_t	nrows;
	uint64_t   *cells;
	pegs_gibbs	sampler;
} bench;

/* Skewed rows, so that no two cells are alike. */
static void
build(bench *b, const setting *how, uint32_t nrows)
{
	const model *m = &how->m;
	uint16_t	codes[MAX_COLUMNS][MAX_ROWS];
	uint16_t   *columns[MAX_COLUMNS] = {codes[0], codes[1], codes[2]};
	uint32_t	i;
	uint32_t	r;

	memset(b, 0, sizeof(*b));
	b->m = *m;
	b->alpha = how->alpha;
	b->block = how->block;
	memcpy(b->given, how->given, sizeof(b->given));
	b->nrows = nrows;
	build_layout(m, &b->layout);
	for (r = 0; r < nrows; r++)
	{
		row_of(m, (r * r * 5 + r / 3) % 17 % domain(m), b->rows[r]);
		for (i = 0; i < m->ncols; i++)
			codes[i][r] = b->rows[r][i];
	}
	b->cells = env.alloc(env.context, sizeof(uint64_t) * b->layout.ncells);
	pegs_count_chunk(&b->layout, b->cells, columns, nrows);
	b->sampler.layout = &b->layout;
	b->sampler.cells = b->cells;
	b->sampler.alpha = b->alpha;
	b->sampler.block = b->block;
	b->sampler.given = b->given;
	pegs_gibbs_init(&env, &b->sampler);
}

/* ---------- the law, from the rows ---------- */

/* A cell that was visited: any row with this key. */
typedef struct visit
{
	uint32_t	column;
	uint64_t	key;
} visit;

typedef struct law
{
	const bench *b;
	bool		reset;
	uint32_t	rows;			/* how many to enumerate */
	double	   *probability;	/* [domain ^ rows] */
	visit		visits[64];
} law;

/* P(level of column | key), from the rows that have the key: never from the tables. */
static void
conditional(const law *l, uint32_t column, uint64_t key, bool visited, double *p)
{
	const model *m = &l->b->m;
	double		alpha = (double) l->b->alpha / 65536;
	double		sum = m->levels[column] * alpha;
	uint32_t	j;
	uint32_t	r;

	for (j = 0; j < m->levels[column]; j++)
		p[j] = alpha;
	for (r = 0; r < l->b->nrows && !visited; r++)
		if (pegs_layout_key(&l->b->layout, column, l->b->rows[r]) == key)
		{
			p[l->b->rows[r][column]] += 1;
			sum += 1;
		}
	for (j = 0; j < m->levels[column]; j++)
		p[j] /= sum;
}

/* visits[first .. nvisits - 1] are those of the current block. */
static void
walk(law *l, uint16_t *row, uint32_t column, uint32_t made, uint32_t first, uint32_t nvisits,
	 uint32_t at, double probability)
{
	const model *m = &l->b->m;
	double		p[16];
	uint16_t	before;
	uint64_t	key;
	bool		visited = false;
	uint32_t	v;
	uint32_t	j;

	if (column == m->ncols)
	{
		at = at * domain(m) + cell_of(m, row);
		if (++made == l->rows)
			l->probability[at] += probability;
		else
			walk(l, row, 0, made, made % l->b->block == 0 ? nvisits : first, nvisits, at, probability);
		return;
	}
	if (l->b->given[column] >= 0)
	{
		walk(l, row, column + 1, made, first, nvisits, at, probability);
		return;
	}
	key = pegs_layout_key(&l->b->layout, column, row);
	for (v = first; v < nvisits; v++)
		visited = visited || (l->visits[v].column == column && l->visits[v].key == key);
	conditional(l, column, key, visited, p);
	if (l->reset)
		l->visits[nvisits++] = (visit) {column, key};
	before = row[column];
	for (j = 0; j < m->levels[column]; j++)
	{
		row[column] = (uint16_t) j;
		walk(l, row, column + 1, made, first, nvisits, at, probability * p[j]);
	}
	row[column] = before;
}

static size_t
outcomes(const law *l)
{
	size_t		n = 1;
	uint32_t	r;

	for (r = 0; r < l->rows; r++)
		n *= domain(&l->b->m);
	return n;
}

/* Of the first rows after `seed`, or after a uniform seed if seed is NULL. */
static void
enumerate(law *l, const bench *b, uint32_t rows, bool reset, const uint16_t *seed)
{
	uint16_t	row[MAX_COLUMNS];
	uint32_t	free_cells = 1;
	uint32_t	cell;
	uint32_t	i;
	double		sum = 0;
	size_t		o;

	l->b = b;
	l->rows = rows;
	l->reset = reset;
	l->probability = env.alloc(env.context, sizeof(double) * outcomes(l));
	for (i = 0; i < b->m.ncols; i++)
		free_cells *= b->given[i] < 0 ? b->m.levels[i] : 1;
	for (cell = 0; cell < domain(&b->m); cell++)
	{
		bool		possible = true;

		row_of(&b->m, cell, row);
		for (i = 0; i < b->m.ncols; i++)
			possible = possible && (b->given[i] < 0 || b->given[i] == row[i])
				&& (seed == NULL || seed[i] == row[i]);
		if (possible)
			walk(l, row, 0, 0, 0, 0, 0, seed ? 1.0 : 1.0 / free_cells);
	}
	for (o = 0; o < outcomes(l); o++)
		sum += l->probability[o];
	CHECK(fabs(sum - 1) < 1e-12);
}

/* ---------- the law, drawn ---------- */

static const setting settings[] = {
	/* columns, levels, parents, tail, alpha, block, given */
	{{2, {2, 2}, {"1", "0"}, 0}, 98304, 1, {-1, -1}},
	{{2, {2, 2}, {"1", "0"}, 0}, 98304, 3, {-1, -1}},
	{{2, {2, 3}, {"1", "0"}, 0}, 30000, 2, {-1, -1}},
	{{2, {2, 3}, {"1", "0"}, 1}, 30000, 2, {-1, -1}},
	{{2, {3, 4}, {"", ""}, 0}, 7000, 3, {-1, -1}},
	{{2, {3, 4}, {"", ""}, 1}, 7000, 3, {-1, -1}},
	{{3, {2, 2, 2}, {"1", "0", "1"}, 0}, 1, 2, {-1, -1, -1}},
	{{3, {2, 2, 2}, {"1", "0", "1"}, 1}, 20000, 2, {-1, -1, -1}},
	{{3, {2, 3, 2}, {"12", "02", "01"}, 0}, 65536, 1, {-1, -1, -1}},
	{{3, {2, 3, 2}, {"12", "", "0"}, 1}, 65536, 2, {-1, -1, -1}},
	{{3, {2, 3, 2}, {"1", "2", "0"}, 0}, 40000, 3, {-1, 2, -1}},
	{{3, {2, 3, 2}, {"1", "2", "0"}, 1}, 40000, 2, {1, -1, -1}},
	{{3, {3, 1, 3}, {"2", "0", "01"}, 1}, 50000, 2, {-1, -1, -1}},
	{{3, {2, 2, 2}, {"1", "2", "0"}, 0}, 40000, 4, {0, 1, -1}}
};

#define NSETTINGS (sizeof(settings) / sizeof(settings[0]))

/*
 * The first rows after a fresh seed: one block, and the block after it, whose
 * seed is the last row. The sampler is used again and again, as in a session.
 */
static void
test_blocks(void)
{
	const uint32_t draws = 100000;
	size_t		i;

	for (i = 0; i < NSETTINGS; i++)
	{
		bench		b;
		law			l;
		law			without;
		uint64_t   *seen;
		uint32_t	rows = domain(&settings[i].m) > 9 ? 3 : 4;
		uint32_t	d;
		uint32_t	r;
		uint32_t	c;
		bool		kept = true;
		double		p;

		start((uint8_t) i);
		build(&b, &settings[i], MAX_ROWS);
		enumerate(&l, &b, rows, true, NULL);
		enumerate(&without, &b, rows, false, NULL);
		seen = env.alloc(env.context, sizeof(uint64_t) * outcomes(&l));
		for (d = 0; d < draws; d++)
		{
			uint32_t	at = 0;

			pegs_gibbs_new_block(&b.sampler);
			(void) pegs_gibbs_seed(&b.sampler, &rng, 1);
			for (r = 0; r < rows; r++)
			{
				pegs_gibbs_next(&b.sampler, &rng);
				for (c = 0; c < b.m.ncols; c++)
					kept = kept && (b.given[c] < 0 || b.sampler.row[c] == b.given[c]);
				at = at * domain(&b.m) + cell_of(&b.m, b.sampler.row);
			}
			seen[at]++;
		}
		CHECK(kept);
		p = chisquare_p(seen, l.probability, outcomes(&l), draws);
		if (!CHECK(p > CHISQUARE_P))
			printf("  model %zu: p = %g\n", i, p);
		/* a sampler that does not reset is told from this one wherever a block has two rows */
		p = chisquare_p(seen, without.probability, outcomes(&l), draws);
		if (!CHECK((p < CHISQUARE_P) == (b.block > 1)))
			printf("  model %zu, no reset: p = %g\n", i, p);
		arena_free(&memory);
	}
}

/* One long chain, as pegs_sample makes it: each block given the row before it. */
static void
test_chain(void)
{
	static const size_t which[] = {0, 2, 3, 7, 10};
	const uint32_t blocks = 100000;
	size_t		w;

	for (w = 0; w < sizeof(which) / sizeof(which[0]); w++)
	{
		bench		b;
		uint32_t	n;
		uint32_t	rows;
		size_t		wide = 1;
		uint64_t   *seen;
		uint64_t   *from;
		uint32_t	d;
		uint32_t	r;
		uint32_t	cell;
		bool		made = true;

		start((uint8_t) (100 + w));
		build(&b, &settings[which[w]], MAX_ROWS);
		n = domain(&b.m);
		rows = (uint32_t) b.block;
		for (r = 0; r < rows; r++)
			wide *= n;
		seen = env.alloc(env.context, sizeof(uint64_t) * wide * n);
		from = env.alloc(env.context, sizeof(uint64_t) * n);
		(void) pegs_gibbs_seed(&b.sampler, &rng, 1);
		for (d = 0; d < blocks; d++)
		{
			uint32_t	seed = cell_of(&b.m, b.sampler.row);
			size_t		at = 0;

			from[seed]++;
			for (r = 0; r < rows; r++)
			{
				pegs_gibbs_next(&b.sampler, &rng);
				made = made && b.sampler.made == r + 1;
				at = at * n + cell_of(&b.m, b.sampler.row);
			}
			seen[seed * wide + at]++;
		}
		CHECK(made);
		CHECK_INT(b.sampler.stamp, blocks);	/* the first block needs no new stamp */
		for (cell = 0; cell < n; cell++)
		{
			uint16_t	row[MAX_COLUMNS];
			law			l;

			if (from[cell] < 1000)
				continue;
			row_of(&b.m, cell, row);
			enumerate(&l, &b, rows, true, row);
			CHECK(chisquare_p(seen + cell * wide, l.probability, wide, from[cell]) > CHISQUARE_P);
		}
		arena_free(&memory);
	}
}

/* The seed: uniform over the declared domain, whatever the counts are. */
static void
test_seed(void)
{
	const uint32_t draws = 60000;
	size_t		i;

	for (i = 0; i < NSETTINGS; i++)
	{
		bench		b;
		uint64_t	seen[32] = {0};
		double		probability[32];
		uint32_t	possible = 0;
		uint32_t	n;
		uint32_t	d;
		uint32_t	c;

		start((uint8_t) (50 + i));
		build(&b, &settings[i], MAX_ROWS);
		n = domain(&b.m);
		for (d = 0; d < n; d++)
		{
			uint16_t	row[MAX_COLUMNS];

			row_of(&b.m, d, row);
			probability[d] = 1;
			for (c = 0; c < b.m.ncols; c++)
				probability[d] *= b.given[c] < 0 || b.given[c] == row[c];
			possible += probability[d] > 0;
		}
		for (d = 0; d < n; d++)
			probability[d] /= possible;
		for (d = 0; d < draws; d++)
		{
			(void) pegs_gibbs_seed(&b.sampler, &rng, 1);
			seen[cell_of(&b.m, b.sampler.row)]++;
		}
		CHECK(chisquare_p(seen, probability, n, draws) > CHISQUARE_P);
		arena_free(&memory);
	}
}

/* Equal keys and equal public facts: the same seed for two very different tables. */
static void
test_seed_sees_no_data(void)
{
	bench		full;
	bench		empty;
	int			i;
	bool		equal = true;

	build(&full, &settings[8], MAX_ROWS);
	build(&empty, &settings[8], 0);
	for (i = 0; i < 1000; i++)
	{
		start((uint8_t) i);
		(void) pegs_gibbs_seed(&full.sampler, &rng, 1);
		start((uint8_t) i);
		(void) pegs_gibbs_seed(&empty.sampler, &rng, 1);
		equal = equal && cell_of(&full.m, full.sampler.row) == cell_of(&empty.m, empty.sampler.row);
	}
	CHECK(equal);
	arena_free(&memory);
}

/* ---------- weights ---------- */

static void
test_weights(void)
{
	size_t		i;

	for (i = 0; i < NSETTINGS; i++)
	{
		bench		b;
		uint32_t	c;
		uint32_t	other;
		uint64_t	k;
		uint64_t	h;
		uint32_t	j;
		bool		exact = true;

		build(&b, &settings[i], MAX_ROWS);
		for (c = 0; c < b.m.ncols; c++)
			for (k = 0; k < b.layout.keys[c]; k++)
			{
				/* visited: this cell and no other; a new block forgets it */
				pegs_gibbs_visit(&b.sampler, c, k);
				for (other = 0; other < b.m.ncols; other++)
					for (h = 0; h < b.layout.keys[other]; h++)
					{
						uint64_t	weight[16];
						uint64_t	sum = pegs_gibbs_weights(&b.sampler, other, h, weight);
						uint64_t	all = 0;
						const uint64_t *n = b.cells + b.layout.offset[other] + h * b.m.levels[other];

						for (j = 0; j < b.m.levels[other]; j++)
						{
							exact = exact && weight[j] == b.alpha + (other == c && h == k ? 0 : n[j] * 65536);
							all += weight[j];
						}
						exact = exact && sum == all;
					}
				pegs_gibbs_new_block(&b.sampler);
			}
		CHECK(exact);
		arena_free(&memory);
	}
}

/* Counts of 2^40 and up to the limit, and the largest alpha that pegs_alpha gives. */
static void
test_big_counts(void)
{
	static const setting wide = {{2, {3, 4}, {"1", "0"}, 0}, 65536, 1, {-1, -1}};
	static const uint64_t alphas[] = {1, 65536, (UINT64_C(1) << 62) / 4};
	static const uint64_t sizes[] = {UINT64_C(1) << 40, PEGS_MAX_ROWS};
	size_t		a;
	size_t		s;
	uint64_t	i;
	bench		b;
	law			l;
	uint64_t	seen[12] = {0};

	for (a = 0; a < 3; a++)
		for (s = 0; s < 2; s++)
		{
			uint64_t	weight[4];
			pegs_u128	all = 0;
			uint64_t	sum;

			build(&b, &wide, 0);
			b.sampler.alpha = alphas[a];
			/* column 1 at key 2: all rows in three of its levels */
			b.cells[b.layout.offset[1] + 2 * 4 + 0] = 1;
			b.cells[b.layout.offset[1] + 2 * 4 + 1] = sizes[s] / 2;
			b.cells[b.layout.offset[1] + 2 * 4 + 3] = sizes[s] / 2 - 1;
			sum = pegs_gibbs_weights(&b.sampler, 1, 2, weight);
			for (i = 0; i < 4; i++)
			{
				pegs_u128	exact = (pegs_u128) b.cells[b.layout.offset[1] + 8 + i] * 65536 + alphas[a];

				CHECK(weight[i] == exact);
				all += exact;
			}
			CHECK(sum == all);
			arena_free(&memory);
		}

	/* 2^40 times the rows and the alpha: the same law. */
	start(200);
	build(&b, &wide, MAX_ROWS);
	enumerate(&l, &b, 1, true, NULL);
	for (i = 0; i < b.layout.ncells; i++)
		b.cells[i] <<= 40;
	b.sampler.alpha <<= 40;
	for (i = 0; i < 100000; i++)
	{
		(void) pegs_gibbs_seed(&b.sampler, &rng, 1);
		pegs_gibbs_next(&b.sampler, &rng);
		seen[cell_of(&b.m, b.sampler.row)]++;
	}
	CHECK(chisquare_p(seen, l.probability, 12, 100000) > CHISQUARE_P);
	arena_free(&memory);
}

/* ---------- bookkeeping ---------- */

/* A wrapping stamp changes nothing: the same rows as a sampler that starts at 1. */
static void
test_stamp_wraps(void)
{
	static const size_t which[] = {1, 3, 9};
	size_t		w;

	for (w = 0; w < sizeof(which) / sizeof(which[0]); w++)
	{
		uint32_t	offset;

		for (offset = 0; offset < 24; offset++)
		{
			uint32_t	stale = offset / 4 + 1;
			bench		b;
			bench		late;
			pegs_rng	again;
			bool		equal = true;
			bool		wrapped = false;
			uint64_t	i;
			int			r;

			start((uint8_t) (150 + w));
			again = rng;
			build(&b, &settings[which[w]], MAX_ROWS);
			build(&late, &settings[which[w]], MAX_ROWS);
			late.sampler.stamp = UINT32_MAX - offset % 4;
			(void) pegs_gibbs_seed(&b.sampler, &rng, 1);
			(void) pegs_gibbs_seed(&late.sampler, &again, 1);
			/* 2^32 blocks ago this stamp was current, and soon it is so again */
			for (i = 0; i < late.sampler.nvisited; i++)
				late.sampler.visited[i] = stale;
			for (r = 0; r < 200; r++)
			{
				pegs_gibbs_next(&b.sampler, &rng);
				pegs_gibbs_next(&late.sampler, &again);
				equal = equal && memcmp(b.sampler.row, late.sampler.row, sizeof(uint16_t) * b.m.ncols) == 0;
				equal = equal && late.sampler.stamp != 0;
				wrapped = wrapped || late.sampler.stamp < 100;
			}
			CHECK(equal);
			CHECK(wrapped);
			arena_free(&memory);
		}
	}
}

/* Exactly the cells that were drawn from are visited; a column that is given has none. */
static void
test_visits(void)
{
	size_t		i;

	for (i = 0; i < NSETTINGS; i++)
	{
		bench		b;
		uint32_t	r;
		uint32_t	c;
		uint64_t	k;
		bool		exact = true;

		start((uint8_t) (30 + i));
		build(&b, &settings[i], MAX_ROWS);
		(void) pegs_gibbs_seed(&b.sampler, &rng, 1);
		for (r = 0; r < 50; r++)
		{
			uint16_t	row[MAX_COLUMNS];
			uint32_t	expected[3][64] = {{0}};
			bool		fresh = b.sampler.made == b.block;

			for (c = 0; c < b.m.ncols; c++)
				for (k = 0; k < b.layout.keys[c] && !fresh; k++)
					expected[c][k] = b.sampler.visited[b.sampler.visited_start[c] + k] == b.sampler.stamp;
			memcpy(row, b.sampler.row, sizeof(uint16_t) * b.m.ncols);
			pegs_gibbs_next(&b.sampler, &rng);
			for (c = 0; c < b.m.ncols; c++)
			{
				if (b.given[c] < 0)
					expected[c][pegs_layout_key(&b.layout, c, row)] = 1;
				row[c] = b.sampler.row[c];
			}
			for (c = 0; c < b.m.ncols; c++)
				for (k = 0; k < b.layout.keys[c]; k++)
					exact = exact && expected[c][k] ==
						(b.sampler.visited[b.sampler.visited_start[c] + k] == b.sampler.stamp);
		}
		CHECK(exact);
		arena_free(&memory);
	}
}

/* The widest column there is, beside one of a single level. */
static void
test_wide(void)
{
	const uint32_t levels[2] = {PEGS_MAX_LEVELS, 1};
	const uint32_t begin[3] = {0, 1, 1};
	const uint16_t parents[1] = {1};
	const int32_t given[2] = {-1, -1};
	pegs_layout layout;
	pegs_gibbs	g = {0};
	uint64_t   *cells;
	uint32_t	hits = 0;
	bool		zero = true;
	int			r;

	start(201);
	CHECK(pegs_layout_conditional(&env, 2, levels, begin, parents, 0, &layout, NULL) == PEGS_OK);
	cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
	cells[layout.offset[0] + PEGS_MAX_LEVELS - 1] = 3 * UINT64_C(65535);
	g.layout = &layout;
	g.cells = cells;
	g.alpha = 65536;
	g.block = 1;
	g.given = given;
	pegs_gibbs_init(&env, &g);
	(void) pegs_gibbs_seed(&g, &rng, 1);
	for (r = 0; r < 2000; r++)
	{
		pegs_gibbs_next(&g, &rng);
		zero = zero && g.row[1] == 0;
		hits += g.row[0] == PEGS_MAX_LEVELS - 1;
	}
	CHECK(zero);
	/* 3/4 of the weight, and 1/65535 of the rest: five standard deviations */
	CHECK(fabs(hits - 1500.0) < 5 * sqrt(2000 * 0.75 * 0.25));
	arena_free(&memory);
}

int
main(void)
{
	test_weights();
	test_visits();
	test_blocks();
	test_chain();
	test_seed();
	test_seed_sees_no_data();
	test_big_counts();
	test_stamp_wraps();
	test_wide();
	return unit_done("gibbs_test");
}
