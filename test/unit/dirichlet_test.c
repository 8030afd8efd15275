/*
 * dirichlet_test.c
 *	  The printed tables of Abowd (2008), digit by digit; the urn of his definition
 *	  against the integral that defines it; its bound, claim P18 (1).
 */
#include "core/dirichlet.h"

#include <math.h>
#include <string.h>

#include "fixture.h"
#include "unit.h"

#define MOST_TABLES 64

static pegs_dirichlet
made(uint32_t k, double alpha, uint32_t n, uint32_t m, bool plug_in)
{
	pegs_dirichlet d = {.k = k, .alpha = alpha, .n = n, .m = m, .plug_in = plug_in};

	pegs_dirichlet_init(&env, &d);
	return d;
}

/* The paper's example: two categories, alpha 1/2, five rows of each. */
static double
cell(bool plug_in, uint32_t n, uint32_t m)
{
	pegs_dirichlet d = made(2, 0.5, 5, 5, plug_in);
	uint32_t	counts[2] = {n, 5 - n};
	uint32_t	drawn[2] = {m, 5 - m};

	return exp(pegs_dirichlet_ln(&d, counts, drawn));
}

#define CHECK_PRINTED(actual, printed) CHECK(fabs((actual) - (printed)) <= 0.5000001e-6)

static void
test_matrix(void)
{
	static const double plug_in[3][6] = {
		{0.647228, 0.294194, 0.053490, 0.004863, 0.000221, 0.000004},
		{0.237305, 0.395508, 0.263672, 0.087891, 0.014648, 0.000977},
		{0.067544, 0.241227, 0.344610, 0.246150, 0.087911, 0.012559}
	};
	static const double urn[6] = {0.715975, 0.188415, 0.066499, 0.022166, 0.005968, 0.000977};
	static const double ratios[3][6] = {
		{1.003353, 0.29593, 1.595212, 2.894495, 4.193778, 5.493061},
		{1.256572, 0.494432, 0.267708, 1.029848, 1.791988, 2.554128},
		{1.682361, 1.009417, 0.336472, 0.336472, 1.009417, 1.682361}
	};
	static const double urn_ratios[6] = {0.747214, 0.462624, 1.098612, 1.578185, 1.996554, 2.397895};

	for (uint32_t n = 0; n < 6; n++)
		for (uint32_t m = 0; m < 6; m++)
			CHECK_PRINTED(cell(true, n, m), n < 3 ? plug_in[n][m] : plug_in[5 - n][5 - m]);
	for (uint32_t m = 0; m < 6; m++)
	{
		CHECK_PRINTED(cell(false, 0, m), urn[m]);
		CHECK_PRINTED(cell(false, 5, 5 - m), urn[m]);
		CHECK_PRINTED(fabs(log(cell(false, 0, m) / cell(false, 1, m))), urn_ratios[m]);
		for (uint32_t n = 0; n < 3; n++)
			CHECK_PRINTED(fabs(log(cell(true, n, m) / cell(true, n + 1, m))), ratios[n][m]);
	}
	arena_free(&memory);
}

static void
test_risk(void)
{
	pegs_dirichlet d = made(2, 0.5, 5, 5, true);
	pegs_dirichlet_risk risk = pegs_dirichlet_risk_of(&env, &d, 2);

	CHECK_PRINTED(risk.epsilon, 5.493061);
	CHECK(fabs(risk.joint - 0.00062316) < 0.5e-8);
	CHECK_PRINTED(risk.worst, 0.103516);
	CHECK_PRINTED(risk.tight, 0.065922);
	d = made(2, 0.5, 5, 5, false);
	risk = pegs_dirichlet_risk_of(&env, &d, 2);
	CHECK_PRINTED(risk.epsilon, 2.397895);
	CHECK_PRINTED(risk.worst, 0.010742);
	CHECK_PRINTED(risk.tight, 0.003526);

	/* at the epsilon itself nothing fails; without one nothing is asked */
	risk = pegs_dirichlet_risk_of(&env, &d, risk.epsilon);
	CHECK(risk.joint == 0 && risk.worst == 0 && risk.tight == 0);
	risk = pegs_dirichlet_risk_of(&env, &d, -1);
	CHECK_PRINTED(risk.epsilon, 2.397895);
	CHECK(risk.joint == 0 && risk.worst == 0 && risk.tight == 0);
	/* at 0 every release fails, as no ratio is 1 */
	risk = pegs_dirichlet_risk_of(&env, &d, 0);
	CHECK(risk.worst > 0.999999);
	/* a table without rows has no row that could be another */
	d = made(2, 0.5, 0, 5, false);
	CHECK(pegs_dirichlet_risk_of(&env, &d, 2).epsilon == 0);
	arena_free(&memory);
}

/* The largest ratio is that of claim P18 (1), and of draws one by one m times that of one; and it is on the two rarest cells. */
static void
test_bound(void)
{
	static const struct
	{
		uint32_t	k;
		uint32_t	n;
		uint32_t	m;
		double		alpha;
		double		urn;
		double		plug_in;
	}			known[] = {
		{2, 4, 5, 0.5, 2.397895, 5.493061},
		{3, 3, 4, 0.5, 2.197225, 4.394449},
		{3, 3, 4, 2, 1.098612, 1.621860},
		{3, 6, 3, 1.0 / 3, 2.302585, 4.158883}
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		pegs_dirichlet d = made(known[i].k, known[i].alpha, known[i].n, known[i].m, false);

		CHECK_PRINTED(pegs_dirichlet_risk_of(&env, &d, -1).epsilon, known[i].urn);
		CHECK_NEAR(pegs_dirichlet_risk_of(&env, &d, -1).epsilon, log1p(known[i].m / known[i].alpha), 1e-12);
		d = made(known[i].k, known[i].alpha, known[i].n, known[i].m, true);
		CHECK_PRINTED(pegs_dirichlet_risk_of(&env, &d, -1).epsilon, known[i].plug_in);
	}
	arena_free(&memory);
}

/* Each delta by its definition: tables as numbers, neighbours sought among all of them. */
static void
test_definition(void)
{
	uint32_t	table[MOST_TABLES][3];
	uint32_t	release[MOST_TABLES][3];
	double		p[MOST_TABLES][MOST_TABLES];
	double		joint[MOST_TABLES][MOST_TABLES];
	int			tables = 0;
	int			releases = 0;

	for (int plug_in = 0; plug_in < 2; plug_in++)
	{
		pegs_dirichlet d = made(3, 0.3, 4, 5, plug_in);
		bool		smaller[MOST_TABLES][MOST_TABLES] = {{false}};
		pegs_dirichlet_risk seen = {0};
		pegs_dirichlet_risk risk = pegs_dirichlet_risk_of(&env, &d, 1.25);

		tables = releases = 0;
		pegs_first_table(3, 4, table[0]);
		for (tables = 1; memcpy(table[tables], table[tables - 1], sizeof(table[0])), pegs_next_table(3, table[tables]); tables++)
			;
		pegs_first_table(3, 5, release[0]);
		for (releases = 1; memcpy(release[releases], release[releases - 1], sizeof(release[0])), pegs_next_table(3, release[releases]); releases++)
			;
		CHECK_INT(tables, 15);
		CHECK_INT(releases, 21);
		CHECK_INT(pegs_tables_of(3, 4), 15);
		CHECK_INT(pegs_tables_of(3, 5), 21);
		for (int i = 0; i < tables; i++)
			for (int r = 0; r < releases; r++)
			{
				p[i][r] = exp(pegs_dirichlet_ln(&d, table[i], release[r]));
				joint[i][r] = p[i][r] * exp(pegs_ln_alike(&d, table[i]));
			}
		for (int i = 0; i < tables; i++)
		{
			bool		fails[MOST_TABLES] = {false};
			double		all = 0;
			double		failing = 0;

			for (int o = 0; o < tables; o++)
			{
				uint32_t	apart = 0;
				double		beyond = 0;

				for (int c = 0; c < 3; c++)
					apart += table[i][c] > table[o][c] ? table[i][c] - table[o][c] : table[o][c] - table[i][c];
				for (int r = 0; apart == 2 && r < releases; r++)
				{
					double		ratio = log(p[i][r] / p[o][r]);

					seen.epsilon = fmax(seen.epsilon, fabs(ratio));
					beyond += fmax(0, p[i][r] - exp(1.25) * p[o][r]);
					if (fabs(ratio) <= 1.25)
						continue;
					fails[r] = true;
					smaller[i][r] |= joint[i][r] < joint[o][r];
				}
				seen.tight = fmax(seen.tight, beyond);
			}
			for (int r = 0; r < releases; r++)
			{
				all += p[i][r];
				failing += fails[r] ? p[i][r] : 0;
				seen.joint += smaller[i][r] ? joint[i][r] : 0;
			}
			seen.worst = fmax(seen.worst, failing);
			CHECK_NEAR(all, 1, 1e-12);
		}
		CHECK_NEAR(risk.epsilon, seen.epsilon, 1e-12);
		CHECK_NEAR(risk.joint, seen.joint, 1e-12);
		CHECK_NEAR(risk.worst, seen.worst, 1e-12);
		CHECK_NEAR(risk.tight, seen.tight, 1e-12);
		CHECK(seen.joint > 0 && seen.worst > 0 && seen.tight > 0);
	}
	arena_free(&memory);
}

/* An urn is the mean of multinomial draws over the posterior: by Simpson's rule, for two categories and alphas above 1. */
static void
test_urn(void)
{
	const int	steps = 20000;
	pegs_dirichlet d = made(2, 2.5, 3, 4, false);
	uint32_t	counts[2] = {1, 2};
	double		sum[5] = {0};
	double		norm = 0;

	for (int i = 0; i <= steps; i++)
	{
		double		x = (double) i / steps;
		double		weight = (i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2) * pow(x, 1 + 2.5 - 1) * pow(1 - x, 2 + 2.5 - 1);
		static const double choose[5] = {1, 4, 6, 4, 1};

		norm += weight;
		for (int m = 0; m < 5; m++)
			sum[m] += weight * choose[m] * pow(x, m) * pow(1 - x, 4 - m);
	}
	for (uint32_t m = 0; m < 5; m++)
	{
		uint32_t	drawn[2] = {m, 4 - m};

		CHECK_NEAR(exp(pegs_dirichlet_ln(&d, counts, drawn)), sum[m] / norm, 1e-9);
	}
	arena_free(&memory);
}

static void
test_validity(void)
{
	static const double mse[2][3] = {{0.030952, 0.061429, 0.076667}, {0.022222, 0.040000, 0.048889}};
	static const double unconditional[2][2] = {{0.069048, 0.050000}, {0.044444, 0.033333}};
	static const double prior[3] = {0.246094, 0.136719, 0.117188};

	for (int plug_in = 0; plug_in < 2; plug_in++)
	{
		pegs_dirichlet d = made(2, 0.5, 5, 5, plug_in);
		double		mean[2] = {0};

		for (uint32_t n = 0; n < 6; n++)
		{
			uint32_t	counts[2] = {n, 5 - n};
			pegs_dirichlet_validity v = pegs_dirichlet_validity_of(&d, counts);
			double		expected = 0;
			double		square = 0;

			CHECK_PRINTED(v.mse, mse[plug_in][n < 3 ? n : 5 - n]);
			CHECK_PRINTED(v.expected, (n + 0.5) / 6);
			CHECK_NEAR(v.bias, v.expected - n / 5.0, 1e-12);
			CHECK_PRINTED(exp(pegs_ln_prior(&d, counts)), prior[n < 3 ? n : 5 - n]);
			mean[0] += exp(pegs_ln_alike(&d, counts)) * v.mse;
			mean[1] += exp(pegs_ln_prior(&d, counts)) * v.mse;
			/* and by the matrix */
			for (uint32_t m = 0; m < 6; m++)
			{
				expected += cell(plug_in, n, m) * m / 5;
				square += cell(plug_in, n, m) * m * m / 25;
			}
			CHECK_NEAR(v.expected, expected, 1e-12);
			CHECK_NEAR(v.variance, square - expected * expected, 1e-9);
		}
		CHECK_PRINTED(mean[0], unconditional[plug_in][0]);
		CHECK_PRINTED(mean[1], unconditional[plug_in][1]);
	}
	arena_free(&memory);
}

/* Many rows, and a prior that is next to nothing, or next to everything. */
static void
test_extremes(void)
{
	static const double alphas[] = {1e-300, 1e-9, 1, 1e15};

	for (size_t i = 0; i < sizeof(alphas) / sizeof(alphas[0]); i++)
		for (int plug_in = 0; plug_in < 2; plug_in++)
		{
			pegs_dirichlet d = made(2, alphas[i], 1, 100000, plug_in);
			pegs_dirichlet_risk risk;
			uint32_t	counts[2] = {1, 0};
			uint32_t	drawn[2];
			double		all = 0;

			pegs_first_table(2, d.m, drawn);
			do
				all += exp(pegs_dirichlet_ln(&d, counts, drawn));
			while (pegs_next_table(2, drawn));
			CHECK_NEAR(all, 1, 1e-6);
			risk = pegs_dirichlet_risk_of(&env, &d, 1);
			CHECK(isfinite(risk.epsilon) && risk.worst <= 1 + 1e-6 && risk.tight <= 1 + 1e-6 && risk.tight >= 0);
			CHECK(risk.worst >= risk.tight - 1e-9);
			arena_free(&memory);
		}
	CHECK_INT(pegs_tables_of(2, 0), 1);
	CHECK_INT(pegs_tables_of(7, 0), 1);
	CHECK_INT(pegs_tables_of(2, 1048575), 1048576);
	CHECK_INT(pegs_tables_of(1000, 1), 1000);
	CHECK_INT(pegs_tables_of(30, 30), INT64_C(59132290782430712));
	CHECK_INT(pegs_tables_of(2000000000, 2000000000), INT64_C(1) << 60);
}

int
main(void)
{
	test_matrix();
	test_risk();
	test_bound();
	test_definition();
	test_urn();
	test_validity();
	test_extremes();
	return unit_done("dirichlet_test");
}
