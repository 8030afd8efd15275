/*
 * parents_test.c
 *	  Parents chosen privately: the score's value and sensitivity, and what is
 *	  chosen.
 *
 * The score is floor(sum |n_ab - n_a n_b / N|). Here it is held against the
 * same sum made from the rows themselves, as an exact fraction, and its
 * sensitivity against every table of a few rows and every row that could be
 * added, and against large tables, some made to move it most. Claim P9,
 * docs/privacy.md.
 */
#include "core/pegs/parents.h"

#include <string.h>

#include "chisquare.h"
#define STREAM_SALT [1] = 99
#include "fixture.h"
#include "unit.h"

static uint64_t *
pairs(uint32_t ncols, const uint32_t *levels, pegs_layout *layout)
{
	CHECK(pegs_layout_pairs(&env, ncols, levels, layout, NULL) == PEGS_OK);
	return env.alloc(env.context, sizeof(uint64_t) * layout->ncells);
}

/* ---------- the score ---------- */

/* times[a * lb + b] rows of each kind; as a fraction with the denominator N. */
typedef struct fraction
{
	pegs_u128	num;
	uint64_t	den;			/* 0: an empty table */
} fraction;

static fraction
naive(const uint64_t *times, uint32_t la, uint32_t lb)
{
	fraction	f = {0, 0};

	for (uint32_t c = 0; c < la * lb; c++)
		f.den += times[c];
	for (uint32_t a = 0; a < la; a++)
		for (uint32_t b = 0; b < lb; b++)
		{
			uint64_t	row = 0;
			uint64_t	col = 0;
			pegs_u128	both = (pegs_u128) times[a * lb + b] * f.den;
			pegs_u128	product;

			for (uint32_t y = 0; y < lb; y++)
				row += times[a * lb + y];
			for (uint32_t x = 0; x < la; x++)
				col += times[x * lb + b];
			product = (pegs_u128) row * col;
			f.num += both > product ? both - product : product - both;
		}
	return f;
}

/* Two columns' tables of those rows; between them a third one, of one level. */
typedef struct table
{
	uint32_t	la;
	uint32_t	lb;
	pegs_layout layout;
	uint64_t   *cells;
} table;

static void
table_init(table *t, uint32_t la, uint32_t lb)
{
	const uint32_t levels[3] = {la, 1, lb};

	t->la = la;
	t->lb = lb;
	t->cells = pairs(3, levels, &t->layout);
}

static int64_t
score(const table *t, const uint64_t *times)
{
	const pegs_layout *l = &t->layout;
	int64_t		s;

	memset(t->cells, 0, sizeof(uint64_t) * l->ncells);
	for (uint32_t a = 0; a < t->la; a++)
		for (uint32_t b = 0; b < t->lb; b++)
		{
			uint64_t	n = times[a * t->lb + b];

			t->cells[l->offset[0] + a] += n;
			t->cells[l->offset[1]] += n;
			t->cells[l->offset[2] + b] += n;
			t->cells[l->pair_offset[0 * 3 + 1] + a] += n;
			t->cells[l->pair_offset[0 * 3 + 2] + a * t->lb + b] += n;
			t->cells[l->pair_offset[1 * 3 + 2] + b] += n;
		}
	s = pegs_dependence(&env, l, t->cells, 0, 2);
	/* either way round; and a column of one level depends on nothing */
	if (s != pegs_dependence(&env, l, t->cells, 2, 0) || pegs_dependence(&env, l, t->cells, 0, 1) != 0
		|| pegs_dependence(&env, l, t->cells, 1, 2) != 0)
		return -1;
	return s;
}

/* The largest move seen, as a score and as the exact number. */
static int64_t most;
static long double most_exact;

static bool
right_score(const table *t, const uint64_t *times, int64_t *s)
{
	fraction	f = naive(times, t->la, t->lb);

	*s = score(t, times);
	return *s == (f.den == 0 ? 0 : (int64_t) (f.num / f.den));
}

static bool
all_added(const table *t, uint64_t *times)
{
	fraction	before = naive(times, t->la, t->lb);
	int64_t		s;
	bool		right = right_score(t, times, &s);

	for (uint32_t c = 0; c < t->la * t->lb; c++)
	{
		fraction	after;
		int64_t		with;
		long double d;

		times[c]++;
		after = naive(times, t->la, t->lb);
		right = right && right_score(t, times, &with);
		times[c]--;
		d = (long double) after.num / after.den - (before.den == 0 ? 0 : (long double) before.num / before.den);
		most_exact = fabsl(d) > most_exact ? fabsl(d) : most_exact;
		most = llabs(with - s) > most ? llabs(with - s) : most;
		/* in small tables the claim itself, before it is rounded, in integers */
		if (before.den > 0 && before.den < 1000)
		{
			__int128	x = (__int128) after.num * before.den - (__int128) before.num * after.den;

			right = right && (x < 0 ? -x : x) < (__int128) PEGS_PARENT_SENSITIVITY * before.den * after.den;
		}
		right = right && llabs(with - s) <= PEGS_PARENT_SENSITIVITY;
	}
	return right;
}

static bool
all_tables(const table *t, uint64_t *times, uint32_t cell, uint32_t rows)
{
	bool		right = true;

	if (cell + 1 == t->la * t->lb)
	{
		times[cell] = rows;
		right = all_added(t, times);
		times[cell] = 0;
		return right;
	}
	for (uint32_t here = 0; here <= rows; here++)
	{
		times[cell] = here;
		right = all_tables(t, times, cell + 1, rows - here) && right;
	}
	times[cell] = 0;
	return right;
}

static void
test_small(void)
{
	static const struct
	{
		uint32_t	la;
		uint32_t	lb;
		uint32_t	rows;
	}			kind[] = {{1, 1, 5}, {1, 4, 6}, {2, 2, 14}, {2, 3, 9}, {3, 2, 9}, {3, 3, 6}, {2, 5, 5}, {4, 4, 3}};
	uint64_t	times[16] = {0};

	for (size_t i = 0; i < sizeof(kind) / sizeof(kind[0]); i++)
	{
		table		t;

		table_init(&t, kind[i].la, kind[i].lb);
		for (uint32_t rows = 0; rows <= kind[i].rows; rows++)
			CHECK(all_tables(&t, times, 0, rows));
		arena_free(&memory);
	}
	/* the empty table, and one row, say nothing */
	{
		table		t;

		table_init(&t, 3, 3);
		memset(times, 0, sizeof(times));
		CHECK_INT(score(&t, times), 0);
		for (int c = 0; c < 9; c++)
		{
			times[c] = 1;
			CHECK_INT(score(&t, times), 0);
			times[c] = 0;
		}
		/* one to one: 2 N (1 - 1/levels); independent: 0 */
		times[0] = times[4] = times[8] = 300;
		CHECK_INT(score(&t, times), 1200);
		for (int c = 0; c < 9; c++)
			times[c] = 100 * (uint64_t) (1 + c / 3) * (uint64_t) (1 + c % 3);
		CHECK_INT(score(&t, times), 0);
		arena_free(&memory);
	}
}

static void
test_large(void)
{
	uint64_t	times[256];

	start(1);
	for (int i = 0; i < 600; i++)
	{
		uint32_t	la = 1 + (uint32_t) pegs_rng_below(&rng, 12);
		uint32_t	lb = 1 + (uint32_t) pegs_rng_below(&rng, 12);
		uint32_t	bits = (uint32_t) pegs_rng_below(&rng, 38);
		uint32_t	one_in = 1 + (uint32_t) pegs_rng_below(&rng, 4);
		table		t;

		table_init(&t, la, lb);
		for (uint32_t c = 0; c < la * lb; c++)
			times[c] = pegs_rng_below(&rng, one_in) == 0 ? pegs_rng_below(&rng, UINT64_C(1) << bits)
				: i % 3 == 0 && c / lb == c % lb ? UINT64_C(1) << bits : 0;
		CHECK(all_added(&t, times));
		arena_free(&memory);
	}
	/* as many rows as there may be, in one cell, in two, in all */
	for (int i = 0; i < 3; i++)
	{
		table		t;
		uint64_t	rows = PEGS_MAX_ROWS - 2;

		table_init(&t, 4, 4);
		memset(times, 0, sizeof(times));
		if (i == 0)
			times[5] = rows;
		else if (i == 1)
			times[0] = times[15] = rows / 2;
		else
			for (int c = 0; c < 16; c++)
				times[c] = rows / 16;
		CHECK(all_added(&t, times));
		if (i == 1)
			CHECK_INT(score(&t, times), rows);
		arena_free(&memory);
	}
	/* the bound is not idle: a row does move the score, never by 4 */
	CHECK(most >= 2 && most <= PEGS_PARENT_SENSITIVITY);
	CHECK(most_exact > 1.9L && most_exact < PEGS_PARENT_SENSITIVITY);
}

/* ---------- the choice ---------- */

typedef struct chosen
{
	uint32_t	start[32];
	uint16_t	parents[32 * 32];
} chosen;

/* Its laws, whatever the data. */
static void
choose(chosen *c, pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells,
	   uint32_t max_parents, uint32_t max_keys)
{
	pegs_layout made;
	bool		few = true;
	bool		keys = true;

	memset(c, 0xff, sizeof(*c));
	pegs_choose_parents(&env, &rng, accountant, layout, cells, max_parents, max_keys, c->start, c->parents);
	CHECK(accountant->spent <= accountant->total);
	CHECK(accountant->record[PEGS_FOR_CHOICE - 1].cost == accountant->spent);
	CHECK_INT(accountant->record[PEGS_FOR_ONEWAY - 1].uses + accountant->record[PEGS_FOR_PAIR - 1].uses, 0);
	CHECK_INT(c->start[0], 0);
	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		uint64_t	product = 1;

		few = few && c->start[i + 1] >= c->start[i] && c->start[i + 1] - c->start[i] <= max_parents;
		for (uint32_t p = c->start[i]; p < c->start[i + 1]; p++)
			product *= layout->levels[c->parents[p]];
		keys = keys && (product <= max_keys || c->start[i + 1] == c->start[i]);
	}
	CHECK(few && keys);
	/* no column is its own parent or another's twice */
	CHECK(pegs_layout_conditional(&env, layout->ncols, layout->levels, c->start, c->parents, 0, &made, NULL) == PEGS_OK);
}

static bool
has_parent(const chosen *c, uint32_t column, uint32_t parent)
{
	for (uint32_t p = c->start[column]; p < c->start[column + 1]; p++)
		if (c->parents[p] == parent)
			return true;
	return false;
}

static pegs_accountant
open_accountant(double epsilon, uint32_t rows_per_unit)
{
	pegs_accountant accountant;

	pegs_accountant_init(&accountant, (int64_t) (epsilon * 1e9), 0, PEGS_PARENT_SENSITIVITY * rows_per_unit);
	return accountant;
}

static uint64_t *
count_rows(uint32_t ncols, const uint32_t *levels, pegs_layout *layout, uint32_t n, void (*row) (uint32_t i, uint16_t *code))
{
	uint64_t   *cells = pairs(ncols, levels, layout);
	uint16_t	code[32];
	uint16_t   *columns[32];

	for (uint32_t c = 0; c < ncols; c++)
		columns[c] = &code[c];
	for (uint32_t i = 0; i < n; i++)
	{
		row(i, code);
		pegs_count_chunk(layout, cells, columns, 1);
	}
	return cells;
}

/* 1 is 0 again; 3 follows 2; 4 is by itself. */
static void
obvious_row(uint32_t i, uint16_t *code)
{
	code[0] = code[1] = (uint16_t) (i % 4);
	code[2] = (uint16_t) (i / 4 % 3);
	code[3] = (uint16_t) (code[2] == 0);
	code[4] = (uint16_t) (i / 12 % 2);
}

static void
test_obvious(void)
{
	static const uint32_t levels[5] = {4, 4, 3, 2, 2};
	pegs_layout layout;
	uint64_t   *cells = count_rows(5, levels, &layout, 2400, obvious_row);
	pegs_accountant accountant;
	chosen		c;
	uint32_t	few = 0;

	start(2);
	for (uint32_t most_parents = 0; most_parents < 8; most_parents++)
		for (int again = 0; again < 10; again++)
		{
			accountant = open_accountant(100, 1);
			choose(&c, &accountant, &layout, cells, most_parents, 1024);
			if (most_parents == 0)
			{
				CHECK_INT(c.start[5], 0);
				CHECK_INT(accountant.spent, 0);
				continue;
			}
			CHECK(has_parent(&c, 0, 1) && has_parent(&c, 1, 0) && has_parent(&c, 2, 3) && has_parent(&c, 3, 2));
			/* the obvious one comes first */
			CHECK(c.parents[c.start[0]] == 1 && c.parents[c.start[3]] == 2);
			few += c.start[5] - c.start[4];
		}
	/* what is independent of all others has few: "none" has n + 1 times the weight of a score of 0 */
	CHECK(few < 70);
	/* a limit of keys rules it out, whatever the epsilon; what fits is taken */
	accountant = open_accountant(4000, 1);
	choose(&c, &accountant, &layout, cells, 4, 3);
	CHECK(!has_parent(&c, 0, 1) && !has_parent(&c, 1, 0) && has_parent(&c, 3, 2) && has_parent(&c, 2, 3));
	accountant = open_accountant(4000, 1);
	choose(&c, &accountant, &layout, cells, 4, 1);
	CHECK_INT(c.start[5], 0);
	arena_free(&memory);
}

/* Any shape, any epsilon, an empty table, one column. */
static void
test_laws(void)
{
	start(3);
	for (int i = 0; i < 300; i++)
	{
		uint32_t	ncols = 1 + (uint32_t) pegs_rng_below(&rng, 8);
		uint32_t	levels[8];
		pegs_layout layout;
		uint64_t   *cells;
		uint16_t	code[8];
		uint16_t   *columns[8];
		uint32_t	rows = i % 5 == 0 ? 0 : (uint32_t) pegs_rng_below(&rng, 200);
		pegs_accountant accountant = open_accountant(pow(10, -9 + (double) pegs_rng_below(&rng, 13)), 1 + (uint32_t) pegs_rng_below(&rng, 3));
		chosen		c;

		for (uint32_t x = 0; x < ncols; x++)
		{
			levels[x] = 1 + (uint32_t) pegs_rng_below(&rng, 20);
			columns[x] = &code[x];
		}
		cells = pairs(ncols, levels, &layout);
		for (uint32_t r = 0; r < rows; r++)
		{
			for (uint32_t x = 0; x < ncols; x++)
				code[x] = (uint16_t) (x % 2 == 1 ? code[x - 1] % levels[x] : pegs_rng_below(&rng, levels[x]));
			pegs_count_chunk(&layout, cells, columns, 1);
		}
		choose(&c, &accountant, &layout, cells, (uint32_t) pegs_rng_below(&rng, 5), 1 + (uint32_t) pegs_rng_below(&rng, 300));
		if (ncols == 1)
			CHECK_INT(c.start[1], 0);
		/* it may be called with more than there are */
		accountant = open_accountant(1, 1);
		choose(&c, &accountant, &layout, cells, UINT32_MAX, 1024);
		arena_free(&memory);
	}
}

/* 0 and 1 depend on one another, 2 does so a little. */
static void
skewed_row(uint32_t i, uint16_t *code)
{
	code[0] = (uint16_t) (i % 2);
	code[1] = (uint16_t) (i % 7 == 0 ? 1 - i % 2 : i % 2);
	code[2] = (uint16_t) (i % 3 == 0 ? i % 2 : i / 2 % 2);
}

/*
 * One parent each: what a column gets has the distribution of the exponential
 * mechanism at a third of epsilon, divided by the sensitivity and a person's
 * rows. "None" has the score that stands for n + 1 columns of score 0.
 */
static void
test_distribution(void)
{
	static const uint32_t levels[3] = {2, 2, 2};
	static const struct
	{
		double		epsilon;
		uint32_t	rows_per_unit;
	}			run[] = {{0.000001, 1}, {0.5, 1}, {1.5, 1}, {1.5, 3}};
	const uint32_t draws = 60000;
	pegs_layout layout;
	uint64_t   *cells = count_rows(3, levels, &layout, 210, skewed_row);

	for (size_t r = 0; r < sizeof(run) / sizeof(run[0]); r++)
	{
		uint64_t	seen[3][3] = {{0}};	/* column; the other two in order, none */
		double		factor = run[r].epsilon / 3 / (2.0 * PEGS_PARENT_SENSITIVITY * run[r].rows_per_unit);
		arena		scratch = {0};
		pegs_env	own = arena_env(&scratch);

		start((uint8_t) (40 + r));
		for (uint32_t d = 0; d < draws; d++)
		{
			pegs_accountant accountant = open_accountant(run[r].epsilon, run[r].rows_per_unit);
			chosen		c;

			pegs_choose_parents(&own, &rng, &accountant, &layout, cells, 1, 1024, c.start, c.parents);
			for (uint32_t i = 0; i < 3; i++)
				seen[i][c.start[i] == c.start[i + 1] ? 2 : c.parents[c.start[i]] - (c.parents[c.start[i]] > i)]++;
			arena_free(&scratch);
		}
		for (uint32_t i = 0; i < 3; i++)
		{
			double		probability[3];
			double		sum = 0;
			double		p;

			for (uint32_t x = 0; x < 2; x++)
				probability[x] = exp(factor * (double) pegs_dependence(&env, &layout, cells, i, x + (x >= i)));
			probability[2] = exp(factor * rint(log(3) / factor));
			for (int x = 0; x < 3; x++)
				sum += probability[x];
			for (int x = 0; x < 3; x++)
				probability[x] /= sum;
			p = chisquare_p(seen[i], probability, 3, draws);
			if (!CHECK(p > CHISQUARE_P))
				printf("  epsilon %g, column %u: p = %g, seen %lu %lu %lu\n", run[r].epsilon, i, p,
					   (unsigned long) seen[i][0], (unsigned long) seen[i][1], (unsigned long) seen[i][2]);
			/* at a tiny epsilon no column is preferred to another */
			if (r == 0)
			{
				const double even[3] = {0.2, 0.2, 0.6};

				CHECK(chisquare_p(seen[i], even, 3, draws) > CHISQUARE_P);
			}
		}
	}
	arena_free(&memory);
}

int
main(void)
{
	test_small();
	test_large();
	test_obvious();
	test_laws();
	test_distribution();
	return unit_done("parents_test");
}
