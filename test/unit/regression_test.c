/*
 * regression_test.c
 *	  Are coefficients, their errors and distances what they are by hand and by
 *	  the reference evaluator, and does no table, however odd, lead to more than a NaN?
 */
#include "core/compare/regression.h"

#include <string.h>

#include "core/compare/linear.h"
#include "fixture.h"
#include "rows.h"
#include "unit.h"

/* Every column has numbers, too: its codes. */
static pegs_coded
numbered(pegs_coded t)
{
	for (uint32_t c = 0; c < t.ncols; c++)
	{
		t.number[c] = env.alloc(env.context, sizeof(double) * t.nrows);
		for (uint64_t r = 0; r < t.nrows; r++)
			t.number[c][r] = t.code[c][r];
	}
	return t;
}

/* Column 0: x, column 1: y. */
static pegs_coded
points(uint32_t n, const double *x, const double *y)
{
	static const uint32_t levels[2] = {1, 1};
	pegs_coded	t = numbered(table(2, levels, n));

	memcpy(t.number[0], x, sizeof(double) * n);
	memcpy(t.number[1], y, sizeof(double) * n);
	return t;
}

static const pegs_regression_term x_number = {.column = 0, .numeric = true};
static const pegs_regression_spec line = {
	.kind = PEGS_REGRESSION_LINEAR, .target = 1, .nterms = 1, .terms = &x_number
};
static const bool is_one[2] = {false, true};
static const pegs_regression_term x_dummy = {.column = 0, .numeric = false};
static const pegs_regression_spec odds = {
	.kind = PEGS_REGRESSION_LOGISTIC, .target = 1, .positive = is_one, .nterms = 1, .terms = &x_dummy
};

static pegs_regression_result
run(const pegs_coded *a, const pegs_coded *b, const pegs_regression_spec *spec)
{
	pegs_regression_result result;

	CHECK_INT(pegs_regression_compare(&env, a, b, spec, &result), PEGS_OK);
	return result;
}

/* ---------- by hand ---------- */

static void
test_line_by_hand(void)
{
	/*
	 * Means 1.5 and 4; Sxx = 5; Sxy = 4.5 + 0.5 + 0 + 6 = 11: slope 2.2, intercept
	 * 4 - 3.3 = 0.7. Residuals .3 .1 -1.1 .7: RSS 1.8, variance 1.8 / 2 = 0.9.
	 * Errors: sqrt(0.9 / 5), sqrt(0.9 (1/4 + 1.5^2 / 5)) = sqrt(0.63).
	 */
	pegs_coded	a = points(4, (double[]) {0, 1, 2, 3}, (double[]) {1, 3, 4, 8});
	pegs_regression_result r = run(&a, &a, &line);
	pegs_coded	b;

	CHECK_INT(r.count, 2);
	CHECK_INT(r.name[0].term, -1);
	CHECK_INT(r.name[1].term, 0);
	CHECK_NEAR(r.original.coefficient[0], 0.7, 1e-7);
	CHECK_NEAR(r.original.coefficient[1], 2.2, 1e-7);
	CHECK_NEAR(r.original.variance, 0.9, 1e-7);
	CHECK_NEAR(r.original.error[0], sqrt(0.63), 1e-7);
	CHECK_NEAR(r.original.error[1], sqrt(0.9 / 5), 1e-7);
	CHECK_INT(r.original.rows, 4);
	CHECK_INT(r.original.left_out, 0);
	CHECK_INT(r.original.rank, 2);
	CHECK(r.original.present[0] && r.original.present[1] && !r.original.held[0] && !r.original.held[1]);
	/* with itself: no distance, full overlap */
	CHECK(r.sum == 0 && r.median == 0 && r.utility == 1 && r.mean_overlap == 1);
	CHECK(r.used == 2 && r.overlaps == 2);

	/* y = 2 + 3 x and y = 1 + 4 x: |1 - 2| / 2 + |4 - 3| / 3 */
	a = points(5, (double[]) {0, 1, 2, 3, 3}, (double[]) {2, 5, 8, 11, 11});
	b = points(4, (double[]) {0, 1, 2, 3}, (double[]) {1, 5, 9, 13});
	r = run(&a, &b, &line);
	CHECK_NEAR(r.distance[0], 0.5, 1e-7);
	CHECK_NEAR(r.distance[1], 1.0 / 3, 1e-7);
	CHECK_NEAR(r.sum, 5.0 / 6, 1e-7);
	CHECK_NEAR(r.median, 5.0 / 12, 1e-7);
	CHECK_NEAR(r.utility, exp(-2), 1e-6);
	arena_free(&memory);
}

/* Column 0: a binary x, column 1: a binary y; counts of y = 0 and y = 1. */
static pegs_coded
two_by_two(uint32_t n00, uint32_t n01, uint32_t n10, uint32_t n11)
{
	static const uint32_t levels[2] = {2, 2};
	pegs_coded	t = numbered(table(2, levels, n00 + n01 + n10 + n11));

	for (uint32_t r = 0; r < t.nrows; r++)
	{
		t.code[0][r] = r >= n00 + n01;
		t.code[1][r] = r < n00 + n01 ? r >= n00 : r >= n00 + n01 + n10;
		t.number[0][r] = t.code[0][r];
	}
	return t;
}

static void
test_odds_by_hand(void)
{
	pegs_coded	a = two_by_two(30, 10, 20, 30);
	pegs_coded	b = two_by_two(20, 20, 10, 40);
	pegs_regression_result r = run(&a, &b, &odds);
	double		z = 1.959963984540054;
	double		low[2];
	double		high[2];

	/* log odds at level 0, and the log of the odds ratio */
	CHECK_INT(r.count, 2);
	CHECK_INT(r.name[1].term, 0);
	CHECK_INT(r.name[1].level, 1);
	CHECK_NEAR(r.original.coefficient[0], log(10.0 / 30), 1e-6);
	CHECK_NEAR(r.original.coefficient[1], log(30.0 / 20 / (10.0 / 30)), 1e-6);
	CHECK_NEAR(r.original.error[0], sqrt(1.0 / 30 + 1.0 / 10), 1e-6);
	CHECK_NEAR(r.original.error[1], sqrt(1.0 / 30 + 1.0 / 10 + 1.0 / 20 + 1.0 / 30), 1e-6);
	CHECK(r.original.converged && r.original.steps > 2 && r.original.variance == 1);
	CHECK(fabs(r.synthetic.coefficient[0]) < 1e-6);
	CHECK_NEAR(r.synthetic.coefficient[1], log(4), 1e-6);
	CHECK_NEAR(r.synthetic.error[1], sqrt(1.0 / 20 + 1.0 / 20 + 1.0 / 10 + 1.0 / 40), 1e-6);
	CHECK_NEAR(r.sum, 1 + (log(4.5) - log(4)) / log(4.5), 1e-6);
	CHECK_NEAR(r.utility, exp(-pow(log(3), 2) - pow(log(4.5) - log(4), 2)), 1e-6);
	/* the synthetic interval of the odds ratio lies over the original's lower part */
	low[0] = log(4.5) - z * sqrt(1.0 / 30 + 1.0 / 10 + 1.0 / 20 + 1.0 / 30);
	high[0] = 2 * log(4.5) - low[0];
	low[1] = log(4) - z * sqrt(0.225);
	high[1] = 2 * log(4) - low[1];
	CHECK(low[1] < low[0] && high[1] < high[0]);
	CHECK_NEAR(r.overlap[1], ((high[1] - low[0]) / (high[0] - low[0]) + (high[1] - low[0]) / (high[1] - low[1])) / 2, 1e-6);
	CHECK_NEAR(r.mean_overlap, (r.overlap[0] + r.overlap[1]) / 2, 1e-14);
	arena_free(&memory);
}

static void
test_overlap_by_hand(void)
{
	/* common 1 of 2 and of 2; 1 of 1 and of 4; 1 apart, of 1 and of 2 */
	CHECK(pegs_interval_overlap(0, 2, 1, 3) == 0.5);
	CHECK(pegs_interval_overlap(1, 2, 0, 4) == 0.625);
	CHECK(pegs_interval_overlap(0, 4, 1, 2) == 0.625);
	CHECK(pegs_interval_overlap(0, 1, 2, 4) == -0.75);
	CHECK(pegs_interval_overlap(0, 1, 1, 2) == 0);
	CHECK(pegs_interval_overlap(-1, 1, -1, 1) == 1);
	CHECK(isnan(pegs_interval_overlap(1, 1, 0, 2)));
	CHECK(isnan(pegs_interval_overlap(NAN, 1, 0, 2)));
	CHECK(isnan(pegs_interval_overlap(0, 1, 0, NAN)));
}

/*
 * A slope of 1382 from 0 in steps of at most 5: after 50 of them it is 250,
 * and the errors are those of this place: with w = mu (1 - mu) of the two
 * groups, 1 / (n w) and 100^2 (1 / (n w) + 1 / (n w)).
 */
static void
test_capped_steps(void)
{
	pegs_coded	a = two_by_two(1000, 1, 1, 1000);
	pegs_regression_spec spec = odds;
	pegs_regression_result r;
	double		part[2];

	for (uint32_t row = 0; row < a.nrows; row++)
		a.number[0][row] *= 0.01;
	spec.terms = &x_number;
	r = run(&a, &a, &spec);
	CHECK_INT(r.original.steps, 50);
	CHECK(!r.original.converged && !r.original.held[1]);
	CHECK_NEAR(r.original.coefficient[1], 250, 1e-12);
	for (int x = 0; x < 2; x++)
	{
		double		mu = 1 / (1 + exp(-r.original.coefficient[0] - 2.5 * x));

		part[x] = 1 / (1001 * mu * (1 - mu));
	}
	CHECK_NEAR(r.original.error[0], sqrt(part[0]), 1e-3);
	CHECK_NEAR(r.original.error[1], 100 * sqrt(part[0] + part[1]), 1e-3);
	arena_free(&memory);
}

/* ---------- by the reference evaluator (docs/reference.md, Sources) ---------- */

/*
 * design(num A, cat B and C), fit_ols of E, fit_logit of D = 1, on 200 rows of
 * kind 0 and 150 of kind 1; errors from numpy's inverse of the same matrices.
 */
static const struct
{
	pegs_regression_spec spec;
	double		sum;
	double		median;
	double		coefficient[2][7];
	double		error[2][7];
}			by_evaluate[2] = {
	{
		.spec = {.kind = PEGS_REGRESSION_LINEAR, .target = 4},
		.sum = 11.04993812409262,
		.median = 1.0776219091706494,
		.coefficient = {
			{4.3448394805936035, -0.05504315564908928, -0.1291554293206698, 0.38576892369959476, -0.17546967010544728, 0.1500365574167968, 0.23981055614010224},
			{4.742592252369278, 0.08903027832659535, -0.24569631085051266, -0.793139027586087, -0.7241221099108623, 0.12329759909583891, -0.018614553206869933}
		},
		.error = {
			{0.5265655148970747, 0.14984672711287464, 0.5913987505577533, 0.5806461028704941, 0.590271625106825, 0.5040055562877748, 0.5040862421445044},
			{0.672187629119887, 0.17387996472802197, 0.6466077335294372, 0.6453513165973562, 0.7238506943048799, 0.583601076718795, 0.5844515195836512}
		}
	},
	{
		.spec = {.kind = PEGS_REGRESSION_LOGISTIC, .target = 3, .positive = is_one},
		.sum = 9.64691874620535,
		.median = 0.6954117138750483,
		.coefficient = {
			{-0.6946635106128759, -0.10137953036331065, 0.06940774356389286, 0.16662664095490337, -0.15721395962080612, 0.5755613250963187, 0.8920063483565104},
			{-1.1777406530946337, 0.23439362673059752, 0.09648453484391255, -0.49618193726982374, -0.1093888894564864, 0.4456701235721667, 1.553577312249164}
		},
		.error = {
			{0.37898558546486366, 0.10659395801973827, 0.4177924964132324, 0.410579052245613, 0.4213907667697648, 0.3631101722478477, 0.3618427081954186},
			{0.5091660195651503, 0.12941456377032431, 0.47344298999598206, 0.4795981938495521, 0.5284341506546485, 0.43199991639199403, 0.439094860045105}
		}
	}
};

static void
test_by_evaluate(void)
{
	static const pegs_regression_term terms[3] = {{0, true}, {1, false}, {2, false}};
	static const uint32_t term[7] = {0, 0, 1, 1, 1, 2, 2};
	static const uint32_t level[7] = {0, 0, 1, 2, 3, 1, 2};
	pegs_coded	a = numbered(formula(200, 0));
	pegs_coded	b = numbered(formula(150, 1));

	for (int kind = 0; kind < 2; kind++)
	{
		pegs_regression_spec spec = by_evaluate[kind].spec;
		pegs_regression_result r;

		spec.nterms = 3;
		spec.terms = terms;
		r = run(&a, &b, &spec);
		CHECK_INT(r.count, 7);
		CHECK_NEAR(r.sum, by_evaluate[kind].sum, 1e-10);
		CHECK_NEAR(r.median, by_evaluate[kind].median, 1e-10);
		CHECK_INT(r.original.rank, 7);
		for (int j = 0; j < 7; j++)
		{
			CHECK_INT(r.name[j].term, j == 0 ? -1 : (int) term[j]);
			CHECK_INT(r.name[j].level, level[j]);
			CHECK_NEAR(r.original.coefficient[j], by_evaluate[kind].coefficient[0][j], 1e-10);
			CHECK_NEAR(r.synthetic.coefficient[j], by_evaluate[kind].coefficient[1][j], 1e-10);
			CHECK_NEAR(r.original.error[j], by_evaluate[kind].error[0][j], 1e-9);
			CHECK_NEAR(r.synthetic.error[j], by_evaluate[kind].error[1][j], 1e-9);
		}
	}
	arena_free(&memory);
}

/* ---------- rows that are left out, levels that no row has ---------- */

static void
test_left_out(void)
{
	pegs_coded	a = points(9, (double[]) {0, NAN, 1, INFINITY, 2, 2, 3, 3, 3}, (double[]) {1, 1, 3, 1, 4, NAN, 8, 8, -INFINITY});
	pegs_coded	b = points(4, (double[]) {0, 1, 2, 3}, (double[]) {1, 3, 4, 8});
	pegs_coded	c = two_by_two(30, 10, 20, 30);
	pegs_regression_result r = run(&a, &b, &line);

	CHECK_INT(r.original.rows, 5);
	CHECK_INT(r.original.left_out, 4);
	CHECK_INT(r.synthetic.left_out, 0);
	/* means 9/5, 24/5; Sxx = 6.8, Sxy = 15.8: the last point counts twice */
	CHECK_NEAR(r.original.coefficient[1], 15.8 / 6.8, 1e-7);

	/* codes that are not declared: of the term, of the target */
	c.code[0][0] = 2;
	c.code[1][1] = 2;
	r = run(&c, &c, &odds);
	CHECK_INT(r.original.rows, 88);
	CHECK_INT(r.original.left_out, 2);
	CHECK_NEAR(r.original.coefficient[0], log(10.0 / 28), 1e-6);
	arena_free(&memory);
}

static void
test_absent_levels(void)
{
	static const uint32_t levels[2] = {5, 1};
	pegs_coded	t[2];
	pegs_regression_result r;
	pegs_regression_spec spec = line;

	/* y = 10 level; the original has levels 0 1 2 (and 3 in a row that is left out), the synthetic 0 2 4 */
	for (int i = 0; i < 2; i++)
	{
		t[i] = numbered(table(2, levels, 13));
		for (uint32_t row = 0; row < 13; row++)
		{
			t[i].code[0][row] = (uint16_t) (row % 3 * (i + 1));
			t[i].number[1][row] = 10.0 * t[i].code[0][row] + row % 2;
		}
	}
	t[0].code[0][12] = 3;
	t[0].number[1][12] = NAN;
	spec.terms = &x_dummy;
	r = run(&t[0], &t[1], &spec);
	CHECK_INT(r.count, 5);
	CHECK(r.original.present[0] && r.original.present[1] && r.original.present[2]);
	CHECK(!r.original.present[3] && !r.original.present[4]);
	CHECK(!r.synthetic.present[1] && r.synthetic.present[2] && !r.synthetic.present[3] && r.synthetic.present[4]);
	CHECK(r.original.coefficient[3] == 0 && isnan(r.original.error[3]) && !r.original.held[3]);
	CHECK_NEAR(r.original.coefficient[1], 10, 1e-7);
	CHECK_NEAR(r.original.coefficient[2], 20, 1e-7);
	CHECK_INT(r.original.rank, 3);
	CHECK_INT(r.synthetic.rank, 3);
	/* level 1: the synthetic coefficient is 0, so its distance 1; levels 3 and 4 do not count */
	CHECK_INT(r.used, 3);
	CHECK_NEAR(r.distance[1], 1, 1e-7);
	CHECK(isnan(r.distance[3]) && isnan(r.distance[4]) && isnan(r.overlap[1]) && isnan(r.overlap[4]));
	CHECK_INT(r.overlaps, 2);
	CHECK_NEAR(r.sum, r.distance[0] + r.distance[1] + r.distance[2], 1e-14);
	arena_free(&memory);
}

/* ---------- tables that have no good answer ---------- */

static void
test_empty(void)
{
	pegs_coded	a = points(4, (double[]) {0, 1, 2, 3}, (double[]) {1, 3, 4, 8});
	pegs_coded	none = points(0, a.number[0], a.number[1]);
	pegs_coded	lost = points(2, (double[]) {NAN, 1}, (double[]) {1, NAN});
	pegs_coded	single = points(1, (double[]) {5}, (double[]) {7});
	pegs_regression_result r;

	for (int turn = 0; turn < 2; turn++)
	{
		const pegs_coded *empty = turn == 0 ? &none : &lost;

		r = run(empty, &a, &line);
		CHECK(r.original.rows == 0 && r.used == 0 && isnan(r.original.coefficient[0]) && isnan(r.original.error[1]));
		CHECK(isnan(r.sum) && isnan(r.median) && isnan(r.utility) && isnan(r.mean_overlap));
		r = run(&a, empty, &line);
		CHECK(r.used == 2 && isnan(r.synthetic.coefficient[1]) && !r.synthetic.converged);
		CHECK(isnan(r.sum) && isnan(r.median) && isnan(r.utility) && isnan(r.mean_overlap));
		r = run(empty, empty, &line);
		CHECK(isnan(r.sum));
	}
	/* one row: no variance is left; intercept and slope share it */
	r = run(&single, &single, &line);
	CHECK_NEAR(r.original.coefficient[0] + 5 * r.original.coefficient[1], 7, 1e-6);
	CHECK(isnan(r.original.variance) && isnan(r.original.error[0]) && isnan(r.original.error[1]));
	CHECK_INT(r.original.rank, 1);
	arena_free(&memory);
}

/* The intercept alone: the mean, and the log of the odds. */
static void
test_no_terms(void)
{
	pegs_coded	a = points(4, (double[]) {0, 1, 2, 3}, (double[]) {1, 3, 4, 8});
	pegs_coded	c = two_by_two(30, 10, 20, 30);
	pegs_regression_spec spec = line;
	pegs_regression_result r;

	spec.nterms = 0;
	spec.terms = NULL;
	r = run(&a, &a, &spec);
	CHECK_INT(r.count, 1);
	CHECK_NEAR(r.original.coefficient[0], 4, 1e-8);
	CHECK_NEAR(r.original.error[0], sqrt(26.0 / 3 / 4), 1e-8);
	spec = odds;
	spec.nterms = 0;
	r = run(&c, &c, &spec);
	CHECK_NEAR(r.original.coefficient[0], log(40.0 / 50), 1e-6);
	arena_free(&memory);
}

static bool
all_finite(const pegs_regression_result *r)
{
	for (uint32_t j = 0; j < r->count; j++)
		if (!isfinite(r->original.coefficient[j]) || !isfinite(r->synthetic.coefficient[j]))
			return false;
	return true;
}

/* A term twice, a constant, both halves of a column: finite, held, and as good a prediction. */
static void
test_collinear(void)
{
	static const uint32_t levels[4] = {2, 1, 2, 1};
	static const double scales[] = {1, 1e-3, 1e6, 1e12};

	for (size_t s = 0; s < sizeof(scales) / sizeof(scales[0]); s++)
	{
		pegs_coded	a = numbered(table(4, levels, 1000));
		const pegs_regression_term twice[3] = {{0, true}, {3, true}, {0, true}};
		const pegs_regression_term constant[2] = {{0, true}, {1, true}};
		const pegs_regression_term halves[3] = {{0, false}, {2, false}, {0, true}};
		pegs_regression_spec spec = {.kind = PEGS_REGRESSION_LINEAR, .target = 3};
		pegs_regression_result r;

		for (uint32_t row = 0; row < 1000; row++)
		{
			a.code[0][row] = row % 2;
			a.code[2][row] = 1 - row % 2;
			a.number[0][row] = scales[s] * ((row * row) % 17);
			a.number[1][row] = 3 * scales[s];
			a.number[3][row] = 2 * a.number[0][row] / scales[s] + row % 5;
		}
		/* both of one column: they share its slope */
		spec.target = 3;
		spec.nterms = 2;
		spec.terms = (pegs_regression_term[]) {{0, true}, {0, true}};
		r = run(&a, &a, &spec);
		CHECK(all_finite(&r));
		CHECK_INT(r.original.rank, 2);
		CHECK(r.original.held[1] && r.original.held[2]);
		CHECK(isnan(r.original.error[1]) && isnan(r.original.error[2]) && isnan(r.overlap[1]));
		CHECK_NEAR((r.original.coefficient[1] + r.original.coefficient[2]) * scales[s], 2, 0.01);
		CHECK(r.original.variance > 1.9 && r.original.variance < 2.1);
		/* the target is among the terms */
		spec.nterms = 3;
		spec.terms = twice;
		r = run(&a, &a, &spec);
		CHECK(all_finite(&r));
		CHECK_INT(r.original.rank, 3);
		/* a constant shares with the intercept */
		spec.nterms = 2;
		spec.terms = constant;
		r = run(&a, &a, &spec);
		CHECK(all_finite(&r));
		CHECK_INT(r.original.rank, 2);
		CHECK(r.original.held[2] || r.original.held[0]);
		CHECK(!r.original.held[1]);
		CHECK_NEAR(r.original.coefficient[1] * scales[s], 2, 0.01);
		/* two columns of which one is the other's opposite */
		spec.terms = halves;
		spec.nterms = 3;
		r = run(&a, &a, &spec);
		CHECK(all_finite(&r));
		CHECK(r.original.held[0] && r.original.held[1] && r.original.held[2] && !r.original.held[3]);
		CHECK_INT(r.original.rank, 3);
		arena_free(&memory);
	}
}

/* Microseconds since 1970 must not drown in their squares, nor 1e300 crash. */
static void
test_large_numbers(void)
{
	static const double start = 1.7e15;
	static const uint32_t levels[2] = {1, 2};
	double		x[100];
	double		y[100];
	pegs_coded	a;
	pegs_coded	c;
	pegs_regression_result r;
	pegs_regression_spec spec = odds;

	for (int i = 0; i < 100; i++)
	{
		x[i] = start + i * 1e6;
		y[i] = 3 + 2e-6 * (i * 1e6) + (i % 2 ? 0.5 : -0.5);
	}
	a = points(100, x, y);
	r = run(&a, &a, &line);
	/* Sxy of the zigzag: slope 2e-6 + 0.5 * 50 / (100 (100^2 - 1) / 12) * 1e-6 */
	CHECK_NEAR(r.original.coefficient[1], 2e-6 + 25.0 / 83325 * 1e-6, 1e-6);
	CHECK(!r.original.held[1] && r.original.error[1] > 0);

	for (int i = 0; i < 100; i++)
		x[i] = i * 1e300;
	a = points(100, x, y);
	r = run(&a, &a, &line);
	CHECK(isnan(r.original.coefficient[0]) && isnan(r.sum) && isnan(r.original.error[1]));
	CHECK_INT(r.original.rows, 100);
	for (int i = 0; i < 100; i++)
		x[i] = i % 2 ? 1.7e308 : 1.6e308;
	a = points(100, x, y);
	r = run(&a, &a, &line);
	CHECK(isnan(r.original.coefficient[0]));
	for (int i = 0; i < 100; i++)
	{
		x[i] = i;
		y[i] = 1.7e308;
	}
	a = points(100, x, y);
	r = run(&a, &a, &line);
	CHECK(isnan(r.original.coefficient[0]) && isnan(r.original.coefficient[1]));
	c = numbered(table(2, levels, 100));
	for (uint32_t i = 0; i < 100; i++)
	{
		c.code[1][i] = i % 3 == 0;
		c.number[0][i] = i * 1e300;
	}
	spec.terms = &x_number;
	r = run(&c, &c, &spec);
	CHECK(isnan(r.original.coefficient[0]) && !r.original.converged);
	arena_free(&memory);
}

/* A level with ones only; rows that a threshold parts; a target that is constant. */
static void
test_separable(void)
{
	pegs_coded	a = two_by_two(30, 10, 0, 30);
	pegs_coded	b = two_by_two(30, 0, 0, 30);
	pegs_coded	c = two_by_two(0, 30, 0, 40);
	pegs_coded	d = two_by_two(50, 0, 0, 50);
	pegs_regression_spec spec = odds;
	pegs_regression_result r = run(&a, &a, &odds);

	CHECK(all_finite(&r) && r.original.coefficient[1] > 8);
	CHECK_NEAR(r.original.coefficient[0], log(10.0 / 30), 1e-5);
	CHECK(!r.original.held[0] && r.original.held[1]);
	CHECK(isnan(r.overlap[1]) && r.overlap[0] == 1 && r.overlaps == 1);
	CHECK(r.sum == 0);
	r = run(&b, &c, &odds);
	CHECK(all_finite(&r) && isfinite(r.sum));
	CHECK(r.original.held[0] && r.synthetic.held[0] && r.original.steps <= 50);
	CHECK(r.overlaps == 0 && isnan(r.mean_overlap));
	for (uint32_t i = 0; i < 100; i++)
		d.number[0][i] = i * 1e4;
	spec.terms = &x_number;
	r = run(&d, &a, &spec);
	CHECK(all_finite(&r) && r.original.steps <= 50);
	arena_free(&memory);
}

static void
test_refused(void)
{
	static const uint32_t levels[2] = {2, 2};
	static const uint32_t other[2] = {2, 3};
	static const uint32_t wide[2] = {PEGS_MAX_TERMS + 1, 2};
	const pegs_regression_term beyond = {.column = 2};
	pegs_coded	a = numbered(table(2, levels, 4));
	pegs_coded	b = numbered(table(2, other, 4));
	pegs_coded	narrow = numbered(table(1, levels, 4));
	pegs_coded	w = numbered(table(2, wide, 4));
	pegs_coded	plain = numbered(table(2, levels, 4));
	pegs_regression_spec spec = line;
	pegs_regression_result r;

	plain.number[0] = NULL;
	CHECK_INT(pegs_regression_compare(&env, &a, &b, &line, &r), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_regression_compare(&env, &a, &narrow, &line, &r), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_regression_compare(&env, &a, &plain, &line, &r), PEGS_ERR_ARGUMENT);
	CHECK_INT(pegs_regression_compare(&env, &plain, &a, &line, &r), PEGS_ERR_ARGUMENT);
	spec.target = 2;
	CHECK_INT(pegs_regression_compare(&env, &a, &a, &spec, &r), PEGS_ERR_ARGUMENT);
	spec.target = 0;
	spec.terms = &x_dummy;
	CHECK_INT(pegs_regression_compare(&env, &plain, &plain, &spec, &r), PEGS_ERR_ARGUMENT);
	spec.target = 1;
	spec.terms = &beyond;
	CHECK_INT(pegs_regression_compare(&env, &a, &a, &spec, &r), PEGS_ERR_ARGUMENT);
	plain.number = NULL;
	CHECK_INT(pegs_regression_compare(&env, &plain, &plain, &line, &r), PEGS_ERR_ARGUMENT);
	CHECK_INT(pegs_regression_compare(&env, &plain, &plain, &odds, &r), PEGS_OK);
	spec = odds;
	spec.positive = NULL;
	CHECK_INT(pegs_regression_compare(&env, &a, &a, &spec, &r), PEGS_ERR_ARGUMENT);
	CHECK_INT(pegs_regression_compare(&env, &w, &w, &odds, &r), PEGS_ERR_TOO_LARGE);
	spec = odds;
	spec.nterms = 2;
	spec.terms = (pegs_regression_term[]) {{0, false}, {1, false}};
	CHECK_INT(pegs_regression_compare(&env, &a, &a, &spec, &r), PEGS_OK);
	arena_free(&memory);
}

/* Only what the result holds is kept. */
static void
test_memory(void)
{
	pegs_env	kept = env;
	pegs_coded	a;
	size_t		blocks;

	env = arena_env_freeing(&memory);
	a = two_by_two(3000, 1000, 2000, 3000);
	blocks = memory.blocks;
	run(&a, &a, &odds);
	CHECK_INT(memory.blocks, blocks + 3 + 2 * 4);
	CHECK(memory.checks > 9 * 5);
	arena_free(&memory);
	env = kept;
}

int
main(void)
{
	test_line_by_hand();
	test_odds_by_hand();
	test_overlap_by_hand();
	test_capped_steps();
	test_by_evaluate();
	test_left_out();
	test_absent_levels();
	test_empty();
	test_no_terms();
	test_collinear();
	test_large_numbers();
	test_separable();
	test_refused();
	test_memory();
	return unit_done("regression_test");
}
