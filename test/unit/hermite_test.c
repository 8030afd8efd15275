/*
 * hermite_test.c
 *	  Covariances of scores of normals that were cut, and back to the correlation.
 */
#include "core/copula/hermite.h"

#include "core/copula/normal.h"
#define STREAM_SALT [1] = 63
#include "fixture.h"
#include "unit.h"

/* P[both are in the upper level] of two columns of two levels, as the design's fixtures have it. */
static double
solve(double p, double q, double both)
{
	double		cut[2] = {pegs_normal_quantile(1 - p), pegs_normal_quantile(1 - q)};
	int32_t		score[2] = {0, 1};
	double		c[PEGS_HERMITE_TERMS + 1];
	double		d[PEGS_HERMITE_TERMS + 1];

	pegs_hermite_of_scores(2, &cut[0], score, c);
	pegs_hermite_of_scores(2, &cut[1], score, d);
	CHECK_NEAR(c[0], p, 1e-14);
	return pegs_hermite_solve(c, d, both - p * q);
}

static void
test_fixtures(void)
{
	CHECK_NEAR(solve(0.5, 0.5, 0.4), 0.809017, 1e-6);	/* sin(0.3 pi) */
	CHECK_NEAR(solve(0.3, 0.6, 0.25), 0.525950, 2e-6);
	CHECK_NEAR(solve(0.1, 0.2, 0.05), 0.480800, 2e-6);
	CHECK(fabs(solve(0.3, 0.6, 0.18)) < 1e-12);
	/* more than there can be: the most that may be found */
	CHECK(solve(0.5, 0.5, 0.6) == PEGS_HERMITE_MOST);
	CHECK(solve(0.5, 0.5, -0.1) == -PEGS_HERMITE_MOST);
}

/* Grades of a continuous column: 3 covariance of 2F - 1 is 6/pi arcsin(r/2) (Pearson). */
static void
test_grades(void)
{
	enum { N = 4000 };
	static double cut[N - 1];
	static int32_t score[N];
	double		c[PEGS_HERMITE_TERMS + 1];

	for (int l = 0; l < N; l++)
	{
		score[l] = 2 * l + 1 - N;
		if (l > 0)
			cut[l - 1] = pegs_normal_quantile(l / (double) N);
	}
	pegs_hermite_of_scores(N, cut, score, c);
	CHECK(fabs(c[0]) < 1e-9);
	for (int i = -9; i <= 9; i++)
	{
		double		r = i / 10.0;
		double		expected = 2 / M_PI * asin(r / 2) * N * N;

		CHECK(fabs(pegs_hermite_covariance(c, c, r) - expected) < 1e-6 * N * N);
		CHECK(fabs(pegs_hermite_solve(c, c, expected) - r) < 1e-4);
	}
}

/* Ties, bins and empty levels: against P[x < a, y < b] by its integral over the correlation (Plackett). */
static double
below_both(double a, double b, double r)
{
	enum { STEPS = 2000 };
	double		sum = 0;

	for (int i = 0; i < STEPS; i++)
	{
		double		t = (i + 0.5) / STEPS * r;

		sum += exp(-(a * a - 2 * a * b * t + b * b) / (2 * (1 - t * t))) / (2 * M_PI * sqrt(1 - t * t)) * r / STEPS;
	}
	return sum + erfc(-a * M_SQRT1_2) / 2 * erfc(-b * M_SQRT1_2) / 2;
}

static void
test_levels(void)
{
	/* the third level of the first column is empty, and the first of the second never comes */
	static const double x[3] = {-0.8, 0.3, 0.3};
	static const double y[3] = {-1000, 0.1, 1.7};
	static const int32_t s[4] = {-200, -10, 40, 90};
	static const int32_t t[4] = {-256, -90, 30, 250};
	double		c[PEGS_HERMITE_TERMS + 1];
	double		d[PEGS_HERMITE_TERMS + 1];

	pegs_hermite_of_scores(4, x, s, c);
	pegs_hermite_of_scores(4, y, t, d);
	for (int i = -8; i <= 8; i++)
	{
		double		r = i / 10.0;
		double		expected = 0;
		double		found = pegs_hermite_covariance(c, d, r);

		for (int a = 0; a < 4; a++)
			for (int b = 0; b < 4; b++)
			{
				double		low_x = a == 0 ? -40 : x[a - 1];
				double		high_x = a == 3 ? 40 : x[a];
				double		low_y = b == 0 ? -40 : fmax(-40, y[b - 1]);
				double		high_y = b == 3 ? 40 : fmax(-40, y[b]);

				expected += s[a] * t[b] * (below_both(high_x, high_y, r) - below_both(low_x, high_y, r)
										   - below_both(high_x, low_y, r) + below_both(low_x, low_y, r));
			}
		expected -= c[0] * d[0];
		CHECK(fabs(found - expected) < 2e-3 + 1e-5 * fabs(expected));
		CHECK(fabs(pegs_hermite_solve(c, d, found) - r) < 1e-9);
	}
}

/* A score that is the same of all levels tells nothing, nor do no levels. */
static void
test_flat(void)
{
	static const double cut[2] = {-1, 1};
	static const int32_t score[3] = {5, 5, 5};
	double		c[PEGS_HERMITE_TERMS + 1];

	pegs_hermite_of_scores(3, cut, score, c);
	CHECK(c[0] == 5 && pegs_hermite_covariance(c, c, 0.9) == 0);
	pegs_hermite_of_scores(0, cut, score, c);
	CHECK(c[0] == 0 && c[1] == 0);
}

int
main(void)
{
	test_fixtures();
	test_grades();
	test_levels();
	test_flat();
	return unit_done("hermite_test");
}
