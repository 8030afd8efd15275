/*
 * law_test.c
 *	  A chain of normal regressions: are the tables of one and two columns those
 *	  of the table of all?
 */
#include "core/pmse/law.h"

#include "fixture.h"
#include "unit.h"

static pegs_law
some_law(uint32_t ncols, uint32_t *levels, bool nullable)
{
	pegs_law law = {.ncols = ncols, .levels = levels};

	for (uint32_t i = 0; i < ncols; i++)
	{
		law.nullable[i] = nullable && i != 1;
		law.of[i] = (pegs_regressed) {.mean = 100 + 30 * (int32_t) i, .sd = 40 + 10 * (int32_t) i, .null = law.nullable[i] ? 25 : 0};
		for (uint32_t j = 0; j < i; j++)
			law.of[i].slope[j] = (j + i) % 2 == 0 ? -100 : 130;
	}
	return law;
}

/* Sums of the table of all columns are the tables of one and two: exactly so of the first two columns, nearly of others on a fine grid. */
static void
test_law(void)
{
	uint32_t	levels[3] = {21, 12, 40};

	for (int nullable = 0; nullable < 2; nullable++)
	{
		pegs_law law = some_law(3, levels, nullable);
		pegs_moments moments;
		double	   *joint = env.alloc(env.context, sizeof(double) * 21 * 12 * 40);
		double		share[3][40];
		double		given[40];
		double		all = 0;
		double		off = 0;
		double		off_far = 0;
		double		sum[3][40] = {{0}};

		pegs_law_moments(&law, &moments);
		pegs_law_joint(&env, &law, joint);
		for (uint32_t i = 0; i < 3; i++)
			pegs_law_share(&law, &moments, i, share[i]);
		for (uint32_t a = 0; a < 21; a++)
		{
			pegs_law_given(&law, &moments, 0, a, 1, given);
			for (uint32_t b = 0; b < 12; b++)
			{
				double		pair = 0;

				for (uint32_t c = 0; c < 40; c++)
				{
					double		p = joint[(a * 12 + b) * 40 + c];

					CHECK(p >= 0);
					pair += p;
					sum[0][a] += p;
					sum[1][b] += p;
					sum[2][c] += p;
				}
				all += pair;
				off = fmax(off, fabs(pair - share[0][a] * given[b]));
			}
		}
		CHECK_NEAR(all, 1, 1e-12);
		CHECK(off < 1e-12);
		for (uint32_t i = 0; i < 3; i++)
			for (uint32_t c = 0; c < levels[i]; c++)
				off_far += fabs(sum[i][c] - share[i][c]) / 2;
		/* the second column and the third see middles of levels of the first one, which has ends */
		CHECK(off_far < 0.06);
		for (uint32_t c = 0; c < 21; c++)
			CHECK_NEAR(sum[0][c], share[0][c], 1e-9);
		if (nullable)
		{
			CHECK_NEAR(sum[0][20], 25.0 / 256, 1e-9);
			CHECK_NEAR(sum[2][39], 25.0 / 256, 1e-9);
		}
	}
	arena_free(&memory);
}

/* By hand: a normal law of mean 1/2 and sd 1/4 in four levels; a steep regression. */
static void
test_by_hand(void)
{
	uint32_t	levels[2] = {4, 2};
	pegs_law law = {.ncols = 2, .levels = levels};
	pegs_moments moments;
	double		share[4];

	pegs_law_begin(&law);
	law.of[1].slope[0] = 512;	/* 2 */
	law.of[1].sd = 64;
	pegs_law_moments(&law, &moments);
	pegs_law_share(&law, &moments, 0, share);
	CHECK_NEAR(share[0], 0.15865525393145707, 1e-9);
	CHECK_NEAR(share[1], 0.34134474606854293, 1e-9);
	CHECK_NEAR(share[2], share[1], 1e-9);
	CHECK_NEAR(share[3], share[0], 1e-9);
	CHECK_NEAR(moments.covariance[1][1], 4 / 16.0 + 1 / 16.0, 1e-12);
	/* of the first level, whose middle is 1/8: mean 1/2 - 2 3/8, that is three deviations below the edge */
	pegs_law_given(&law, &moments, 0, 0, 1, share);
	CHECK_NEAR(share[1], 0.0013498980316300933, 1e-9);
	CHECK_INT(pegs_law_cells(2, levels), 8);
	levels[0] = levels[1] = 1024;
	CHECK_INT(pegs_law_cells(2, levels), PEGS_LAW_CELLS);
	levels[0]++;
	CHECK_INT(pegs_law_cells(2, levels), PEGS_LAW_CELLS + 1);
}

int
main(void)
{
	test_law();
	test_by_hand();
	return unit_done("normal_test");
}
