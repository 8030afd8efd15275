/*
 * gibbs_delta_test.c
 *	  (epsilon, delta) of sealed samples, by enumeration.
 *
 * On tiny domains: all data sets up to a size, all their neighbours by one row
 * or by the rows of one person, all seeds and all outputs, each with its
 * probability on both tables. From these the divergences are sums, without an
 * estimate: the least delta for the epsilon that was asked for (the hockey
 * stick), and the Renyi divergence of several orders, both ways round. They are
 * held against what was paid: claim P17, docs/privacy.md.
 *
 * The same with an alpha that forgets how many visits there are, or that a
 * person has several rows, and with a sampler that never resets: these must
 * break the bound here.
 */
#include "core/pegs/gibbs.h"
#include "core/pegs/weights.h"

#include <math.h>
#include <string.h>

#include "core/epsilon.h"
#include "sweep.h"

#define MAX_LEVELS	3
#define MAX_CELLS	9			/* of the whole domain */
#define ORDERS		6
static const double order[ORDERS] = {1.25, 2, 3, 8, 32, 128};

typedef struct trial
{
	const model *model;
	pegs_layout layout;
	pegs_gibbs	sampler[2];		/* of the two tables */
	uint64_t   *cells[2];
	int32_t		given[MAX_COLUMNS];
	uint32_t	columns;		/* that are not given */
	uint32_t	block;
	uint32_t	rows;			/* of the sample */
	bool		resets;
	double		epsilon;
	uint16_t	row[MAX_COLUMNS];	/* the current one */

	/* of one seed: first against second, second against first */
	long double over[2];
	long double power[2][ORDERS];

	/* the worst of all */
	double		delta;
	double		rho;			/* Renyi divergence of order a, over a */
} trial;

static void
trial_init(trial *t, const model *m, uint32_t rows, uint32_t block, bool fixed)
{
	memset(t, 0, sizeof(*t));
	t->model = m;
	t->rows = rows;
	t->block = block;
	t->resets = true;
	memset(t->given, 0xff, sizeof(t->given));
	if (fixed)
		t->given[0] = 1;
	t->columns = m->ncols - fixed;
	build_layout(m, &t->layout);
	for (int k = 0; k < 2; k++)
	{
		t->cells[k] = env.alloc(env.context, sizeof(uint64_t) * t->layout.ncells);
		t->sampler[k].layout = &t->layout;
		t->sampler[k].cells = t->cells[k];
		t->sampler[k].block = block;
		t->sampler[k].given = t->given;
		pegs_gibbs_init(&env, &t->sampler[k]);
	}
}

static uint32_t
visits(const trial *t)
{
	return t->columns * ((t->rows - 1) / t->block + 1);
}

static void
put_row(const trial *t, int k, uint32_t cell, uint64_t times)
{
	uint16_t	row[MAX_COLUMNS];

	row_of(t->model, cell, row);
	for (uint32_t i = 0; i < t->model->ncols; i++)
		t->cells[k][t->layout.offset[i] + pegs_layout_key(&t->layout, i, row) * t->layout.levels[i] + row[i]] += times;
}

static void
add_output(trial *t, long double p, long double q)
{
	long double e = expl((long double) t->epsilon);

	t->over[0] += p > e * q ? p - e * q : 0;
	t->over[1] += q > e * p ? q - e * p : 0;
	for (int a = 0; a < ORDERS; a++)
	{
		t->power[0][a] += p * powl(p / q, (long double) order[a] - 1);
		t->power[1][a] += q * powl(q / p, (long double) order[a] - 1);
	}
}

/* All ways to go on: the steps of pegs_gibbs_next with every level in turn. */
static void
walk(trial *t, uint32_t column, uint32_t made, long double p, long double q)
{
	uint64_t	weight[2][MAX_LEVELS];
	uint64_t	sum[2];
	uint32_t	stamp[2];
	uint64_t	place;
	uint64_t	key;
	uint16_t	before;

	while (column < t->model->ncols && t->given[column] >= 0)
		column++;
	if (column == t->model->ncols)
	{
		bool		ends = (made + 1) % t->block == 0;

		if (made + 1 == t->rows)
		{
			add_output(t, p, q);
			return;
		}
		for (int k = 0; k < 2 && ends; k++)
			pegs_gibbs_new_block(&t->sampler[k]);
		walk(t, 0, made + 1, p, q);
		for (int k = 0; k < 2 && ends; k++)
			t->sampler[k].stamp--;
		return;
	}
	key = pegs_layout_key(&t->layout, column, t->row);
	place = t->sampler[0].visited_start[column] + key;
	for (int k = 0; k < 2; k++)
	{
		sum[k] = pegs_gibbs_weights(&t->sampler[k], column, key, weight[k]);
		stamp[k] = t->sampler[k].visited[place];
		if (t->resets)
			pegs_gibbs_visit(&t->sampler[k], column, key);
	}
	before = t->row[column];
	for (uint32_t j = 0; j < t->model->levels[column]; j++)
	{
		t->row[column] = (uint16_t) j;
		walk(t, column + 1, made, p * weight[0][j] / sum[0], q * weight[1][j] / sum[1]);
	}
	t->row[column] = before;
	for (int k = 0; k < 2; k++)
		t->sampler[k].visited[place] = stamp[k];
}

/* All seeds that agree with what is given, all outputs, of the two tables as they are. */
static void
all_outputs(trial *t)
{
	for (uint32_t seed = 0; seed < domain(t->model); seed++)
	{
		row_of(t->model, seed, t->row);
		if (t->given[0] >= 0 && t->row[0] != t->given[0])
			continue;
		memset(t->over, 0, sizeof(t->over));
		memset(t->power, 0, sizeof(t->power));
		walk(t, 0, 0, 1, 1);
		for (int way = 0; way < 2; way++)
		{
			t->delta = fmax(t->delta, (double) t->over[way]);
			for (int a = 0; a < ORDERS; a++)
				t->rho = fmax(t->rho, (double) logl(t->power[way][a]) / (order[a] - 1) / order[a]);
		}
	}
}

/* `more` rows go to the second table, from `cell` on, in every way. */
static void
all_persons(trial *t, uint32_t cell, uint32_t more)
{
	if (more == 0)
	{
		all_outputs(t);
		return;
	}
	for (uint32_t x = cell; x < domain(t->model); x++)
	{
		put_row(t, 1, x, 1);
		all_persons(t, x, more - 1);
		put_row(t, 1, x, (uint64_t) -1);
	}
}

/* Every table with `rows` more rows from `cell` on, and a person of `unit` rows more. */
static void
all_tables(trial *t, uint32_t cell, uint32_t rows, uint32_t unit)
{
	all_persons(t, 0, unit);
	for (uint32_t x = cell; x < domain(t->model) && rows > 0; x++)
	{
		for (int k = 0; k < 2; k++)
			put_row(t, k, x, 1);
		all_tables(t, x, rows - 1, unit);
		for (int k = 0; k < 2; k++)
			put_row(t, k, x, (uint64_t) -1);
	}
}

/* Without rows, with up to `rows` of them, and two large ones. */
static void
exhaust(trial *t, double epsilon, uint64_t alpha, uint32_t rows, uint32_t unit)
{
	t->epsilon = epsilon;
	t->delta = t->rho = 0;
	t->sampler[0].alpha = t->sampler[1].alpha = alpha;
	all_tables(t, 0, rows, unit);
	for (uint32_t large = 0; large < 2; large++)
	{
		for (int k = 0; k < 2; k++)
			for (uint32_t x = 0; x < domain(t->model); x++)
				put_row(t, k, x, large == 0 || x == 0 ? 7 : 0);
		all_persons(t, 0, unit);
		for (int k = 0; k < 2; k++)
			memset(t->cells[k], 0, sizeof(uint64_t) * t->layout.ncells);
	}
}

static const model one = {1, {2}, {""}, 0};
static const model two_two = {2, {2, 2}, {"1", "0"}, 0};
static const model apart = {2, {2, 2}, {"", ""}, 0};
static const model two_three = {2, {2, 3}, {"1", "0"}, 0};
static const model cube = {3, {2, 2, 2}, {"1", "0", "1"}, 0};

static const struct
{
	const model *model;
	uint32_t	rows;			/* of the sample */
	uint32_t	block;
	bool		fixed;			/* its first column is given */
	uint32_t	limit;			/* rows of the table */
	uint32_t	unit;
}			line[] = {
	{&one, 1, 1, false, 4, 1}, {&one, 6, 1, false, 3, 1}, {&one, 8, 1, false, 2, 1}, {&one, 4, 1, false, 2, 3},
	{&two_two, 1, 1, false, 4, 1}, {&two_two, 3, 1, false, 1, 1}, {&two_two, 3, 3, false, 2, 1},
	{&two_two, 4, 2, false, 0, 1}, {&two_two, 4, 1, true, 1, 1}, {&two_two, 2, 1, false, 1, 2}, {&two_two, 2, 2, false, 1, 3},
	{&two_three, 2, 1, false, 1, 1}, {&two_three, 3, 2, false, 0, 1}, {&cube, 2, 1, false, 1, 1}, {&cube, 2, 2, false, 0, 2}
};

static const struct
{
	double		epsilon;
	double		delta;
}			budget[] = {{0.5, 1e-3}, {1, 1e-2}, {1, 1e-6}, {3, 1e-2}, {3, 1e-9}};

/* What was paid, in rho. */
static uint64_t
paid(size_t b)
{
	return pegs_rho((int64_t) (budget[b].epsilon * 1e9), (int64_t) (budget[b].delta * 1e18));
}

static void
test_what_is_paid(void)
{
	double		most = 0;

	for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++)
		for (size_t b = 0; b < sizeof(budget) / sizeof(budget[0]); b++)
		{
			double		rho = (double) paid(b) * 0x1p-50;
			uint64_t	alpha;
			trial		t;

			trial_init(&t, line[i].model, line[i].rows, line[i].block, line[i].fixed);
			CHECK(pegs_alpha_of_rho(paid(b), visits(&t), line[i].unit, 3, &alpha) == PEGS_OK);
			exhaust(&t, budget[b].epsilon, alpha, line[i].limit, line[i].unit);
			if (!CHECK(t.delta <= budget[b].delta && t.rho <= rho * (1 + 1e-9)))
				printf("  line %zu, epsilon %g: delta %g of %g, rho %g of %g\n", i, budget[b].epsilon, t.delta, budget[b].delta, t.rho, rho);
			most = fmax(most, t.rho / rho);
			arena_free(&memory);
		}
	/* and not much of it is wasted where a level of an empty table gets a row */
	CHECK(most > 0.8);
}

/* ---------- what must be caught ---------- */

static bool
breaks(const trial *t, size_t b)
{
	return t->rho > (double) paid(b) * 0x1p-50 * 1.5;
}

/* alpha of one visit for a sample of many. */
static void
test_one_visit(void)
{
	trial		t;
	uint64_t	alpha;

	trial_init(&t, &one, 10, 1, false);
	CHECK(pegs_alpha_of_rho(paid(1), 1, 1, 2, &alpha) == PEGS_OK);
	exhaust(&t, budget[1].epsilon, alpha, 2, 1);
	CHECK(breaks(&t, 1) && t.delta > budget[1].delta);
	arena_free(&memory);
	/* and of one column for two */
	trial_init(&t, &apart, 4, 1, false);
	CHECK(pegs_alpha_of_rho(paid(1), 4, 1, 2, &alpha) == PEGS_OK);
	exhaust(&t, budget[1].epsilon, alpha, 1, 1);
	CHECK(breaks(&t, 1));
	arena_free(&memory);
}

/* A person of three rows, priced as one of one row; or with three times the visits. */
static void
test_rows_of_a_person(void)
{
	for (uint32_t times = 1; times <= 3; times += 2)
	{
		trial		t;
		uint64_t	alpha;

		trial_init(&t, &one, 4, 1, false);
		CHECK(pegs_alpha_of_rho(paid(2), 4 * times, 1, 2, &alpha) == PEGS_OK);
		exhaust(&t, budget[2].epsilon, alpha, 2, 3);
		CHECK(breaks(&t, 2));
		arena_free(&memory);
	}
}

static void
test_no_reset(void)
{
	trial		t;
	uint64_t	alpha;

	trial_init(&t, &two_two, 4, 4, false);
	CHECK(pegs_alpha_of_rho(paid(1), visits(&t), 1, 2, &alpha) == PEGS_OK);
	exhaust(&t, budget[1].epsilon, alpha, 1, 1);
	CHECK(!breaks(&t, 1));
	t.resets = false;
	exhaust(&t, budget[1].epsilon, alpha, 1, 1);
	CHECK(breaks(&t, 1));
	arena_free(&memory);
}

int
main(void)
{
	start(1);
	test_what_is_paid();
	test_one_visit();
	test_rows_of_a_person();
	test_no_reset();
	return unit_done("gibbs_delta_test");
}
