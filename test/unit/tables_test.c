/*
 * tables_test.c
 *	  Are distances, ranks and errors of tables what they are by hand?
 *
 * Fixtures are worked out in comments; ranks are also compared with a sort and
 * with the laws that they keep, counts with a comparison of each row with each
 * other one, dense ones with grouped ones.
 */
#include "core/compare/tables.h"

#include <string.h>

#include "fixture.h"
#include "rows.h"
#include "unit.h"

/* ---------- one marginal ---------- */

static void
test_distance(void)
{
	/* p = .5 .25 .25 0, q = 0 .5 0 .5: |p - q| = .5 .25 .25 .5, squares .25 .0625 .0625 .25 */
	static const uint64_t four[4] = {2, 1, 1, 0};
	static const uint64_t two[4] = {0, 1, 0, 1};
	static const uint64_t none[4] = {0, 0, 0, 0};
	uint64_t	many[4];
	pegs_distance d = pegs_distance_of(four, two, 4, 4, 2);

	CHECK(d.tv == 0.75 && d.absolute == 1.5 && d.squares == 0.625);
	d = pegs_distance_of(two, four, 4, 2, 4);
	CHECK(d.tv == 0.75 && d.absolute == 1.5 && d.squares == 0.625);
	d = pegs_distance_of(four, four, 4, 4, 4);
	CHECK(d.tv == 0 && d.absolute == 0 && d.squares == 0);

	/* shares, not counts: 2^44 times as many rows */
	for (int i = 0; i < 4; i++)
		many[i] = four[i] << 44;
	d = pegs_distance_of(many, two, 4, UINT64_C(4) << 44, 2);
	CHECK(d.tv == 0.75 && d.squares == 0.625);

	/* nothing in common: 1, the most there is */
	d = pegs_distance_of((uint64_t[]) {3, 0}, (uint64_t[]) {0, 5}, 2, 3, 5);
	CHECK(d.tv == 1 && d.absolute == 2 && d.squares == 2);

	/* a table without rows has no shares: they count as 0 */
	d = pegs_distance_of(four, none, 4, 4, 0);
	CHECK(d.tv == 0.5 && d.absolute == 1 && d.squares == 0.375);
	d = pegs_distance_of(none, none, 4, 0, 0);
	CHECK(d.tv == 0 && d.squares == 0);
	d = pegs_distance_of(NULL, NULL, 0, 4, 2);
	CHECK(d.tv == 0);
}

/* ---------- ranks ---------- */

static double scratch[2 * 1000];

static void
check_ranks(uint32_t levels, const uint64_t *a, const uint64_t *b, double tau, double rho)
{
	double		t = pegs_kendall_tau(a, b, levels);
	double		r = pegs_spearman_rho(a, b, levels, scratch);

	if (isnan(tau))
		CHECK(isnan(t));
	else
		CHECK_NEAR(t, tau, 1e-15);
	if (isnan(rho))
		CHECK(isnan(r));
	else
		CHECK_NEAR(r, rho, 1e-15);
}

static void
test_ranks(void)
{
	static const uint64_t up[5] = {0, 3, 4, 70, 71};
	static const uint64_t other_up[5] = {5, 6, 7, 8, 900};
	static const uint64_t down[5] = {9, 8, 6, 1, 0};
	static const uint64_t level[5] = {4, 4, 4, 4, 4};

	/* the order alone counts */
	check_ranks(5, up, up, 1, 1);
	check_ranks(5, up, other_up, 1, 1);
	check_ranks(5, up, down, -1, -1);
	check_ranks(5, down, other_up, -1, -1);
	check_ranks(2, up, down, -1, -1);

	/*
	 * Pairs: 3 2, 3 2, 3 1, 2 2, 2 1, 2 1 against 5 5, 5 1, 5 0, 5 1, 5 0, 1 0:
	 * tie, +, +, tie, +, + = 4 of 6. Ranks 4, 2.5, 2.5, 1 and 3.5, 3.5, 2, 1, less
	 * 2.5: 1.5, 0, 0, -1.5 and 1, 1, -.5, -1.5; squares 4.5 and 4.5, products 3.75.
	 */
	check_ranks(4, (uint64_t[]) {3, 2, 2, 1}, (uint64_t[]) {5, 5, 1, 0}, 4.0 / 6, 3.75 / 4.5);

	/*
	 * 1 2 3 against 2 3 1: +, -, - = -1 of 3. Ranks less 2: -1 0 1 and 0 1 -1:
	 * products -1, squares 2 and 2.
	 */
	check_ranks(3, (uint64_t[]) {1, 2, 3}, (uint64_t[]) {2, 3, 1}, -1.0 / 3, -0.5);

	/* all equal: no pair is concordant, and there is nothing to correlate */
	check_ranks(5, level, level, 0, NAN);
	check_ranks(5, level, up, 0, NAN);
	check_ranks(5, up, level, 0, NAN);
	/* one level, or none */
	check_ranks(1, up, up, NAN, NAN);
	check_ranks(0, up, up, NAN, NAN);
	/* counts beyond a signed int and a double's digits */
	check_ranks(3, (uint64_t[]) {UINT64_MAX, UINT64_MAX - 1, 0}, (uint64_t[]) {3, 2, 1}, 1, 1);
}

static int
ascending(const void *a, const void *b)
{
	uint64_t	x = *(const uint64_t *) a;
	uint64_t	y = *(const uint64_t *) b;

	return (x > y) - (x < y);
}

/* Mean ranks by a sort: the mean of the first and the last place of a count, from 1. */
static void
ranks_by_sort(const uint64_t *count, uint32_t levels, double *rank)
{
	uint64_t	sorted[30];

	memcpy(sorted, count, sizeof(uint64_t) * levels);
	qsort(sorted, levels, sizeof(uint64_t), ascending);
	for (uint32_t i = 0; i < levels; i++)
	{
		uint32_t	first = 0;
		uint32_t	last = levels - 1;

		while (sorted[first] != count[i])
			first++;
		while (sorted[last] != count[i])
			last--;
		rank[i] = (first + 1 + last + 1) / 2.0;
	}
}

static void
test_random_ranks(void)
{
	for (int turn = 0; turn < 500; turn++)
	{
		uint32_t	levels = 2 + (uint32_t) pegs_rng_below(&rng, 28);
		uint64_t	below = turn % 2 ? 5 : UINT64_C(1) << 40;
		uint64_t	a[30];
		uint64_t	b[30];
		uint64_t	opposite[30];
		double		x[30];
		double		y[30];
		double		sum[5] = {0};	/* x, y, xx, yy, xy */
		double		tau;
		double		rho;
		int			pairs = 0;

		for (uint32_t i = 0; i < levels; i++)
		{
			a[i] = pegs_rng_below(&rng, below);
			b[i] = pegs_rng_below(&rng, below);
			opposite[i] = below - b[i];
		}
		tau = pegs_kendall_tau(a, b, levels);
		rho = pegs_spearman_rho(a, b, levels, scratch);
		for (uint32_t i = 0; i < levels; i++)
			for (uint32_t j = 0; j < levels; j++)
				pairs += (a[i] < a[j] && b[i] < b[j]) - (a[i] < a[j] && b[i] > b[j]);
		CHECK_NEAR(tau, 2.0 * pairs / (levels * (levels - 1)), 1e-14);

		/* Pearson's correlation of the ranks */
		ranks_by_sort(a, levels, x);
		ranks_by_sort(b, levels, y);
		for (uint32_t i = 0; i < levels; i++)
		{
			sum[0] += x[i];
			sum[1] += y[i];
			sum[2] += x[i] * x[i];
			sum[3] += y[i] * y[i];
			sum[4] += x[i] * y[i];
		}
		for (int i = 0; i < 5; i++)
			sum[i] /= levels;
		sum[2] -= sum[0] * sum[0];
		sum[3] -= sum[1] * sum[1];
		sum[4] -= sum[0] * sum[1];
		if (sum[2] < 1e-9 || sum[3] < 1e-9)
			CHECK(isnan(rho));
		else
			CHECK(fabs(rho - sum[4] / sqrt(sum[2] * sum[3])) < 1e-11);

		/* either table first; the opposite order */
		CHECK(pegs_kendall_tau(b, a, levels) == tau);
		CHECK(pegs_kendall_tau(a, opposite, levels) == -tau);
		if (!isnan(rho))
		{
			CHECK(fabs(pegs_spearman_rho(b, a, levels, scratch) - rho) < 1e-14);
			CHECK(fabs(pegs_spearman_rho(a, opposite, levels, scratch) + rho) < 1e-14);
		}
	}
}

/* 003, App. A: the first r of m values turned round, against all in order. */
static void
test_reversed(void)
{
	enum { MOST = 60 };
	uint64_t	a[MOST];
	uint64_t	b[MOST];

	for (uint32_t m = 2; m <= MOST; m += 29)
		for (uint32_t r = 1; r <= m; r++)
		{
			double		turned = r;
			double		all = m;

			for (uint32_t i = 0; i < m; i++)
			{
				a[i] = i;
				b[i] = i < r ? r - 1 - i : i;
			}
			CHECK_NEAR(pegs_spearman_rho(a, b, m, scratch), 1 - 2 * turned * (turned * turned - 1) / (all * (all * all - 1)), 1e-12);
		}
}

/* ---------- conditional distributions ---------- */

/*
 * x_j has 4 levels and "not declared", x_i 3 and "not declared".
 *
 *   x_j  original  synthetic   p - q                 squares  absolute  tau    rho
 *   0    2 1 1 0   0 2 1 1     .5 -.25 0 -.25        .375     1         -2/3   -1.5 / sqrt(1.5 * 2)
 *   1    0 0 0 0   3 0 0 0     the original never has it: left out
 *   2    1 1 0 0   0 0 0 0     .5 .5 0 0: q is 0     .5       1         0      not defined
 *   3    0 0 0 0   0 0 0 0     left out
 *   4    0 0 0 1   0 0 3 1     0 0 -.75 .75          1.125    1.5       0      not defined
 *
 * Ranks are of declared levels: of row 0, 2 1 1 against 0 2 1: pairs -, -, tie;
 * ranks less 2: 1 -.5 -.5 and -1 1 0.
 */
static void
test_conditional(void)
{
	static const uint64_t original[20] = {2, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
	static const uint64_t synthetic[20] = {0, 2, 1, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 1};
	pegs_conditional d = pegs_compare_given(original, synthetic, 5, 4, 3);

	CHECK_NEAR(d.squares, 0.375 + 0.5 + 1.125, 1e-15);
	CHECK_NEAR(d.mse, (0.375 / 3 + 0.5 / 3 + 1.125 / 3) / 3, 1e-15);
	CHECK_NEAR(d.mae, (1.0 / 3 + 1.0 / 3 + 1.5 / 3) / 3, 1e-15);
	CHECK_NEAR(d.tau, (-2.0 / 3 + 0 + 0) / 3, 1e-15);
	CHECK_NEAR(d.rho, -sqrt(3) / 2, 1e-15);

	/* the table with itself */
	d = pegs_compare_given(original, original, 5, 4, 3);
	CHECK(d.squares == 0 && d.mse == 0 && d.mae == 0);
	/* row 0: 2 of 3 pairs, the third is a tie; row 2 as well; row 4 has none */
	CHECK_NEAR(d.tau, (2.0 / 3 + 2.0 / 3 + 0) / 3, 1e-15);
	CHECK_NEAR(d.rho, 1, 1e-15);

	/* other numbers of rows of either table change no share */
	d = pegs_compare_given((uint64_t[]) {1, 3}, (uint64_t[]) {300, 100}, 1, 2, 2);
	CHECK(d.squares == 0.5 && d.mse == 0.25 && d.mae == 0.5 && d.tau == -1);
	CHECK_NEAR(d.rho, -1, 1e-15);

	/* an original without rows: nothing to condition on */
	d = pegs_compare_given(synthetic + 12, synthetic, 1, 4, 3);
	CHECK(d.squares == 0 && d.mse == 0 && d.mae == 0 && isnan(d.tau) && isnan(d.rho));
	/* one level: there is no order; the averages are over that one */
	d = pegs_compare_given((uint64_t[]) {3, 1}, (uint64_t[]) {1, 1}, 1, 2, 1);
	CHECK(d.squares == 0.125 && d.mse == 0.125 && d.mae == 0.5 && isnan(d.tau) && isnan(d.rho));
}

/* Ranks are taken of 1,000 levels at most, the distances of any. */
static void
test_many_levels(void)
{
	static uint64_t up[1002];
	static uint64_t down[1002];

	for (uint64_t i = 0; i < 1001; i++)
	{
		up[i] = i;
		down[i] = 1000 - i;
	}
	for (uint32_t levels = 999; levels <= 1001; levels++)
	{
		pegs_conditional d = pegs_compare_given(up, down, 1, levels + 1, levels);
		double		n = 0;
		double		m = 0;
		double		squares = 0;

		for (uint32_t i = 0; i <= levels; i++)
		{
			n += (double) up[i];
			m += (double) down[i];
		}
		for (uint32_t i = 0; i <= levels; i++)
			squares += pow((double) up[i] / n - (double) down[i] / m, 2);
		CHECK_NEAR(d.squares, squares, 1e-12);
		CHECK_NEAR(d.mse, squares / levels, 1e-12);
		if (levels <= 1000)
		{
			CHECK_NEAR(d.tau, -1, 1e-15);
			CHECK_NEAR(d.rho, -1, 1e-13);
		}
		else
			CHECK(isnan(d.tau) && isnan(d.rho));
	}
}

/* ---------- errors of counting queries ---------- */

static void
check_profile(const pegs_cell_errors *errors, uint32_t percent, double average, double greatest)
{
	double		a = -1;
	double		g = -1;

	pegs_cell_errors_profile(errors, percent, &a, &g);
	CHECK(fabs(a - average) <= 1e-13 * (1 + average));
	CHECK(fabs(g - greatest) <= 1e-13 * (1 + greatest));
}

/* Cells of which the original has `error` of 1,000 rows more each; n cells, the first `zeros` are alike. */
static void
add_cells(pegs_cell_errors *errors, uint64_t zeros, const uint64_t *error, uint64_t n)
{
	uint64_t   *a = env.alloc(env.context, sizeof(uint64_t) * (zeros + n));
	uint64_t   *b = env.alloc(env.context, sizeof(uint64_t) * (zeros + n));

	for (uint64_t i = 0; i < zeros + n; i++)
	{
		a[i] = b[i] = 7 * i % 100;
		if (i >= zeros)
			a[i] += error[i - zeros];
	}
	pegs_cell_errors_add(errors, a, b, zeros + n, 1000, 1000, zeros + n);
}

static void
test_profile(void)
{
	pegs_cell_errors errors = {.env = &env};

	/*
	 * 100 and 50 rows: n p = 50 30 20 0, n q = 52 30 16 2: errors 2 0 4 2. The three
	 * smallest (95 and 99 % of 4) 0 2 2, all 0 2 2 4.
	 */
	pegs_cell_errors_add(&errors, (uint64_t[]) {50, 30, 20, 0}, (uint64_t[]) {26, 15, 8, 1}, 4, 100, 50, 4);
	CHECK_INT(errors.n, 3);
	CHECK_INT(errors.queries, 4);
	pegs_cell_errors_sort(&errors);
	check_profile(&errors, 95, 4.0 / 3, 2);
	check_profile(&errors, 99, 4.0 / 3, 2);
	check_profile(&errors, 100, 2, 4);

	/* a second table: errors 6 6; all 0 2 2 4 6 6: 95 % are 5 of 6 */
	pegs_cell_errors_add(&errors, (uint64_t[]) {10, 90}, (uint64_t[]) {8, 42}, 2, 100, 50, 2);
	CHECK_INT(errors.queries, 6);
	pegs_cell_errors_sort(&errors);
	check_profile(&errors, 95, 14.0 / 5, 6);
	check_profile(&errors, 100, 20.0 / 6, 6);
	arena_free(&memory);

	/* the reference evaluator's: 98 zeros, 1 and 5 */
	errors = (pegs_cell_errors) {.env = &env};
	add_cells(&errors, 98, (uint64_t[]) {5, 1}, 2);
	CHECK_INT(errors.n, 2);
	CHECK_INT(errors.queries, 100);
	pegs_cell_errors_sort(&errors);
	check_profile(&errors, 95, 0, 0);
	check_profile(&errors, 98, 0, 0);
	check_profile(&errors, 99, 1.0 / 99, 1);
	check_profile(&errors, 100, 0.06, 5);
	arena_free(&memory);

	/* no zeros: 95 of 1, 2, .. 100 */
	errors = (pegs_cell_errors) {.env = &env};
	for (uint64_t e = 100; e > 0; e--)
		add_cells(&errors, 0, &e, 1);
	CHECK_INT(errors.n, 100);
	pegs_cell_errors_sort(&errors);
	check_profile(&errors, 95, 96.0 / 2, 95);
	check_profile(&errors, 99, 50, 99);
	check_profile(&errors, 100, 50.5, 100);
	arena_free(&memory);

	/* fewer than 100: at least one, the smallest */
	errors = (pegs_cell_errors) {.env = &env};
	add_cells(&errors, 0, (uint64_t[]) {3}, 1);
	pegs_cell_errors_sort(&errors);
	check_profile(&errors, 95, 3, 3);
	check_profile(&errors, 100, 3, 3);
	add_cells(&errors, 0, (uint64_t[]) {1}, 1);
	pegs_cell_errors_sort(&errors);
	check_profile(&errors, 95, 1, 1);
	check_profile(&errors, 100, 2, 3);
	arena_free(&memory);

	/* nothing asked, nothing wrong */
	errors = (pegs_cell_errors) {.env = &env};
	pegs_cell_errors_sort(&errors);
	check_profile(&errors, 100, 0, 0);
	add_cells(&errors, 50, NULL, 0);
	pegs_cell_errors_sort(&errors);
	CHECK_INT(errors.n, 0);
	check_profile(&errors, 100, 0, 0);
	/* tables without rows: shares of 0 */
	pegs_cell_errors_add(&errors, (uint64_t[]) {0}, (uint64_t[]) {0}, 1, 0, 0, 1);
	CHECK_INT(errors.n, 0);
	pegs_cell_errors_add(&errors, (uint64_t[]) {8}, (uint64_t[]) {0}, 1, 8, 0, 1);
	pegs_cell_errors_sort(&errors);
	check_profile(&errors, 100, 8.0 / 52, 8);
	arena_free(&memory);
}

/*
 * Cells of undeclared values are no queries, but their errors count. Even if
 * there are more errors than queries, 100 % are all of them: with each
 * synthetic value undeclared, 50 50 0 against 0 0 100.
 */
static void
test_profile_undeclared(void)
{
	pegs_cell_errors errors = {.env = &env};

	pegs_cell_errors_add(&errors, (uint64_t[]) {50, 50, 0}, (uint64_t[]) {0, 0, 100}, 3, 100, 100, 2);
	CHECK_INT(errors.n, 3);
	CHECK_INT(errors.queries, 2);
	pegs_cell_errors_sort(&errors);
	check_profile(&errors, 100, 200.0 / 3, 100);
	check_profile(&errors, 95, 50, 50);
	arena_free(&memory);
}

/* More errors than there is room at first: kept, given back, and sorted. */
static void
test_many_errors(void)
{
	pegs_env	kept = env;
	static uint64_t a[3000];
	static uint64_t b[3000];
	pegs_cell_errors errors;
	bool		sorted = true;

	env = arena_env_freeing(&memory);
	errors = (pegs_cell_errors) {.env = &env};
	for (uint64_t i = 0; i < 3000; i++)
		a[i] = i * 1237 % 3000 + 1;
	for (uint64_t at = 0; at < 3000; at += 500)
		pegs_cell_errors_add(&errors, a + at, b + at, 500, 1, 1, 500);
	CHECK_INT(errors.n, 3000);
	CHECK_INT(errors.queries, 3000);
	CHECK_INT(memory.blocks, 1);
	pegs_cell_errors_sort(&errors);
	for (uint64_t i = 0; i < 3000; i++)
		sorted &= errors.error[i] == (double) (i + 1);
	CHECK(sorted);
	check_profile(&errors, 95, 2851.0 / 2, 2850);
	arena_free(&memory);
	env = kept;
}

/* ---------- counting any columns ---------- */

static bool
same_row(const pegs_coded *a, uint64_t i, const pegs_coded *b, uint64_t j, const uint32_t *columns, uint32_t n)
{
	for (uint32_t c = 0; c < n; c++)
		if (a->code[columns[c]][i] != b->code[columns[c]][j])
			return false;
	return true;
}

/* The rows of each cell, as pairs of 32 bits. A cell is where its first row is, the original's first. */
static uint64_t
count_slowly(const pegs_coded *t, const uint32_t *columns, uint32_t n, uint64_t *pair)
{
	uint64_t	cells = 0;

	for (int u = 0; u < 2; u++)
		for (uint64_t i = 0; i < t[u].nrows; i++)
		{
			uint64_t	like[2] = {0, 0};
			bool		first = true;

			for (int v = 0; v < 2; v++)
				for (uint64_t j = 0; j < t[v].nrows; j++)
					if (same_row(&t[u], i, &t[v], j, columns, n))
					{
						like[v]++;
						first &= v > u || (v == u && j >= i);
					}
			if (first)
				pair[cells++] = like[0] << 32 | like[1];
		}
	qsort(pair, cells, sizeof(uint64_t), ascending);
	return cells;
}

/* The same of what pegs_count_cells says, cells without a row left out. */
static uint64_t
pairs_of(const pegs_cells *cells, uint64_t *pair)
{
	uint64_t	found = 0;

	for (uint64_t i = 0; i < cells->cells; i++)
		if (cells->original[i] + cells->synthetic[i] > 0)
			pair[found++] = cells->original[i] << 32 | cells->synthetic[i];
	qsort(pair, found, sizeof(uint64_t), ascending);
	return found;
}

static void
test_counts_slowly(void)
{
	for (int turn = 0; turn < 150; turn++)
	{
		/* 3 columns of few levels, then 5 that are constant, but whose cross is never dense */
		uint32_t	levels[8];
		uint32_t	columns[8];
		uint32_t	n = (uint32_t) pegs_rng_below(&rng, 4);
		uint64_t	slow[200];
		uint64_t	fast[200];
		uint64_t	cells = 1;
		uint64_t	found;
		pegs_distance by_dense;
		pegs_distance by_group;
		pegs_cells	dense;
		pegs_cells	grouped;
		pegs_coded	t[2];

		for (uint32_t c = 0; c < 8; c++)
			levels[c] = c < 3 ? 1 + (uint32_t) pegs_rng_below(&rng, 5) : PEGS_MAX_LEVELS;
		for (int i = 0; i < 2; i++)
		{
			t[i] = table(8, levels, pegs_rng_below(&rng, 100));
			for (uint32_t c = 0; c < 8; c++)
				for (uint64_t r = 0; r < t[i].nrows; r++)
					t[i].code[c][r] = (uint16_t) (c < 3 ? pegs_rng_below(&rng, levels[c] + 1) : PEGS_MAX_LEVELS);
		}
		for (uint32_t c = 0; c < n; c++)
		{
			columns[c] = (uint32_t) pegs_rng_below(&rng, 3);
			cells *= levels[columns[c]] + 1;
		}
		found = count_slowly(t, columns, n, slow);
		CHECK_INT(pegs_count_cells(&env, &t[0], &t[1], columns, n, &dense), PEGS_OK);
		CHECK_INT(dense.cells, cells);
		CHECK_INT(pairs_of(&dense, fast), found);
		CHECK(memcmp(slow, fast, sizeof(uint64_t) * found) == 0);

		/* 2^32, 2^48, 2^64 cells, then 2^80 */
		for (uint32_t more = 2 + (uint32_t) turn % 4; more > 0; more--)
			columns[n++] = 2 + more;
		CHECK_INT(pegs_count_cells(&env, &t[0], &t[1], columns, n, &grouped), PEGS_OK);
		CHECK_INT(grouped.cells, found);
		CHECK_INT(pairs_of(&grouped, fast), found);
		CHECK(memcmp(slow, fast, sizeof(uint64_t) * found) == 0);

		by_dense = pegs_distance_of(dense.original, dense.synthetic, dense.cells, t[0].nrows, t[1].nrows);
		by_group = pegs_distance_of(grouped.original, grouped.synthetic, grouped.cells, t[0].nrows, t[1].nrows);
		CHECK(fabs(by_dense.tv - by_group.tv) < 1e-14 && fabs(by_dense.squares - by_group.squares) < 1e-14);
		arena_free(&memory);
	}
}

/* 2^22 cells are dense, one level more is not; both count the same. */
static void
test_dense_limit(void)
{
	for (uint32_t more = 0; more < 2; more++)
	{
		const uint32_t levels[2] = {2047, 2047 + more};
		static const uint32_t columns[2] = {0, 1};
		pegs_coded	a = table(2, levels, 3);
		pegs_coded	b = table(2, levels, 2);
		uint64_t	pair[5];
		pegs_cells	cells;

		a.code[0][1] = b.code[0][0] = 2047;
		a.code[1][1] = b.code[1][0] = 2047;
		memory.checks = 0;
		CHECK_INT(pegs_count_cells(&env, &a, &b, columns, 2, &cells), PEGS_OK);
		CHECK_INT(cells.cells, more == 0 ? 1 << 22 : 2);
		CHECK_INT(pairs_of(&cells, pair), 2);
		CHECK(pair[0] == (UINT64_C(1) << 32 | 1) && pair[1] == (UINT64_C(2) << 32 | 1));
		CHECK(memory.checks > 0);
		arena_free(&memory);
	}
}

static void
test_shapes(void)
{
	static const uint32_t two[2] = {2, 2};
	static const uint32_t other[2] = {2, 3};
	static const uint32_t one[1] = {2};
	static const uint32_t columns[2] = {0, 1};
	pegs_coded	a = table(2, two, 3);
	pegs_coded	none = table(2, two, 0);
	pegs_coded	unlike = table(2, other, 2);
	pegs_coded	narrow = table(1, one, 2);
	pegs_cells	cells;

	CHECK_INT(pegs_count_cells(&env, &a, &unlike, columns, 2, &cells), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_count_cells(&env, &a, &unlike, columns, 1, &cells), PEGS_OK);
	CHECK_INT(pegs_count_cells(&env, &narrow, &a, columns, 2, &cells), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_count_cells(&env, &a, &narrow, columns, 2, &cells), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_count_cells(&env, &a, &a, (uint32_t[]) {2}, 1, &cells), PEGS_ERR_MISMATCH);

	/* no columns: one cell; no rows: cells without one */
	CHECK_INT(pegs_count_cells(&env, &a, &none, columns, 0, &cells), PEGS_OK);
	CHECK_INT(cells.cells, 1);
	CHECK_INT(cells.original[0], 3);
	CHECK_INT(cells.synthetic[0], 0);
	CHECK_INT(pegs_count_cells(&env, &none, &none, columns, 2, &cells), PEGS_OK);
	for (uint64_t i = 0; i < cells.cells; i++)
		CHECK(cells.original[i] == 0 && cells.synthetic[i] == 0);
	arena_free(&memory);
}

/* What is given back is not used again, and all of it is given back. */
static void
test_memory(void)
{
	static const uint32_t levels[3] = {4, PEGS_MAX_LEVELS, PEGS_MAX_LEVELS};
	static const uint32_t columns[3] = {0, 1, 2};
	pegs_env	kept = env;
	pegs_cells	cells;
	pegs_coded	a;
	size_t		blocks;

	env = arena_env_freeing(&memory);
	a = table(3, levels, 50);
	for (uint32_t r = 0; r < 50; r++)
		a.code[0][r] = (uint16_t) (r % 5);
	blocks = memory.blocks;
	for (uint32_t n = 1; n <= 3; n += 2)
	{
		CHECK_INT(pegs_count_cells(&env, &a, &a, columns, n, &cells), PEGS_OK);
		CHECK_INT(cells.cells, 5);
		CHECK_INT(cells.original[4] + cells.synthetic[4], 20);
		pegs_free_cells(&env, &cells);
		CHECK(cells.original == NULL && cells.synthetic == NULL && cells.cells == 0);
		CHECK_INT(memory.blocks, blocks);
	}
	arena_free(&memory);
	env = kept;
}

int
main(void)
{
	start(8);
	test_distance();
	test_ranks();
	test_random_ranks();
	test_reversed();
	test_conditional();
	test_many_levels();
	test_profile();
	test_profile_undeclared();
	test_many_errors();
	test_counts_slowly();
	test_dense_limit();
	test_shapes();
	test_memory();
	return unit_done("tables_test");
}
