/*
 * orthant_test.c
 *	  How often two normals are both above a cut: against an integral of its own, and the
 *	  correlations of a published example's kind, to the digits.
 */
#include "core/copula/orthant.h"

#include "core/copula/normal.h"
#include "unit.h"

static double
above(double z)
{
	return erfc(z * M_SQRT1_2) / 2;
}

/* By the law of the second normal given the first. */
static double
slowly(double p, double q, double r)
{
	double		a = -pegs_normal_quantile(p);
	double		b = -pegs_normal_quantile(q);
	double		sum = 0;
	int			steps = 20000;

	for (int i = 0; i < steps; i++)
	{
		double		z = a + (12 - a) * (i + 0.5) / steps;

		sum += exp(-z * z / 2) / sqrt(2 * M_PI) * above((b - r * z) / sqrt(1 - r * r)) * (12 - a) / steps;
	}
	return sum;
}

static void
test_probability(void)
{
	static const double p[5] = {0.001, 0.1, 0.5, 0.8, 0.99};
	static const double r[6] = {-0.9, -0.5, 0, 0.3, 0.8, 0.95};

	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 5; j++)
			for (int k = 0; k < 6; k++)
				CHECK(fabs(pegs_orthant(p[i], p[j], r[k]) - slowly(p[i], p[j], r[k])) < 1e-6);
	/* both at their median: 1/4 + asin r / 2 pi */
	for (int k = 0; k < 6; k++)
		CHECK_NEAR(pegs_orthant(0.5, 0.5, r[k]), 0.25 + asin(r[k]) / (2 * M_PI), 1e-13);
}

static void
test_solve(void)
{
	/* fixtures */
	CHECK(fabs(pegs_orthant_solve(0.5, 0.5, 0.4) - 0.809017) < 5e-7);
	CHECK(fabs(pegs_orthant_solve(0.3, 0.6, 0.25) - 0.525950) < 5e-7);
	CHECK(fabs(pegs_orthant_solve(0.1, 0.2, 0.05) - 0.480800) < 5e-7);
	CHECK_NEAR(pegs_orthant_solve(0.5, 0.5, 0.4), sin(0.3 * M_PI), 1e-12);
	/* back, and whichever is the first */
	for (double p = 0.001; p < 1; p += 0.111)
		for (double q = 0.002; q < 1; q += 0.099)
			for (double r = -0.95; r < 0.96; r += 0.19)
			{
				double		both = pegs_orthant(p, q, r);

				CHECK(fabs(pegs_orthant(p, q, pegs_orthant_solve(p, q, both)) - both) < 1e-10);
				CHECK(fabs(pegs_orthant(p, q, pegs_orthant_solve(q, p, both)) - both) < 1e-10);
			}
	/* what no correlation gives, the nearest */
	CHECK(pegs_orthant_solve(0.3, 0.2, -0.1) == -PEGS_ORTHANT_MOST && pegs_orthant_solve(0.3, 0.2, 0) == -PEGS_ORTHANT_MOST);
	CHECK(pegs_orthant_solve(0.3, 0.2, 0.2) == PEGS_ORTHANT_MOST && pegs_orthant_solve(0.3, 0.2, 7) == PEGS_ORTHANT_MOST);
	CHECK(fabs(pegs_orthant_solve(1e-9, 1e-9, 0.5)) <= PEGS_ORTHANT_MOST && fabs(pegs_orthant_solve(1e-300, 0.5, 1e-301)) <= PEGS_ORTHANT_MOST);
}

int
main(void)
{
	test_probability();
	test_solve();
	return unit_done("orthant_test");
}
