/*
 * points_test.c
 *	  Apportioned draws: the share of each, batches, their order, one part that
 *	  has everything, parts that have nothing.
 */
#include "core/points.h"

#include <math.h>

#include "core/method.h"
#include "core/shares.h"

#include "fixture.h"
#include "unit.h"

/* All n of them, picked[] in the order of the batches; each batch as large as it was said to be. */
static uint32_t *
all_of(uint64_t n, const double *line, uint32_t parts, uint64_t *batches)
{
	uint32_t   *picked = env.alloc(env.context, sizeof(uint32_t) * n);
	uint64_t	at = 0;
	pegs_points points;

	pegs_points_start(&points, n, &rng);
	while (points.batch < points.batches)
	{
		uint32_t	rows = pegs_points_left(&points);

		if (!CHECK(rows > 0 && rows <= PEGS_ROWS_PER_BATCH && at + rows <= n))
			break;
		pegs_points_pick(&points, &env, &rng, line, parts, picked + at);
		at += rows;
	}
	CHECK_INT(at, n);
	*batches = points.batches;
	return picked;
}

/* Each part has its share of n but for less than one, in one batch or in many, and in each of the batches. */
static void
test_shares(void)
{
	double		share[5] = {0.3, 0, 0.2004, 0.4996, 0};
	double	   *line = pegs_shares_line(&env, share, 5);
	uint64_t	sizes[6] = {1, 2, 7, 1000, PEGS_ROWS_PER_BATCH, PEGS_ROWS_PER_BATCH * 2 + 1};

	for (int s = 0; s < 6; s++)
	{
		uint64_t	n = sizes[s];
		uint64_t	seen[5] = {0};
		uint64_t	early[5] = {0};
		uint64_t	batches;
		uint32_t   *picked = all_of(n, line, 5, &batches);
		uint64_t	first = (n - 1) / batches + 1;

		CHECK_INT(batches, n <= PEGS_ROWS_PER_BATCH ? 1 : 3);
		for (uint64_t i = 0; i < n; i++)
		{
			seen[picked[i]]++;
			early[picked[i]] += i < first;
		}
		for (int p = 0; p < 5; p++)
		{
			CHECK(fabs((double) seen[p] - share[p] * (double) n) < 1 + 1e-6);
			CHECK(fabs((double) early[p] - share[p] * (double) first) < 2);
		}
	}
	arena_free(&memory);
}

/* Their order tells nothing of their place on the line: halves have their shares, too. */
static void
test_order(void)
{
	double		share[2] = {0.5, 0.5};
	double	   *line = pegs_shares_line(&env, share, 2);
	uint64_t	batches;
	uint32_t   *picked = all_of(10000, line, 2, &batches);
	uint32_t	ones = 0;

	for (int i = 0; i < 5000; i++)
		ones += picked[i];
	/* of 5,000 drawn from 10,000 without replacement: a standard deviation of 25 */
	CHECK(ones > 2300 && ones < 2700);
	arena_free(&memory);
}

/* The line begins at random: a part of .5 of one row has it in half of the draws. */
static void
test_first(void)
{
	double		share[2] = {0.5, 0.5};
	double	   *line = pegs_shares_line(&env, share, 2);
	uint64_t	batches;
	uint32_t	ones = 0;

	for (int i = 0; i < 10000; i++)
		ones += *all_of(1, line, 2, &batches);
	CHECK(ones > 4600 && ones < 5400);
	arena_free(&memory);
}

/* No rows: no batches. Long ones can be stopped. */
static void
test_ends(void)
{
	double		share[1] = {1};
	double	   *line = pegs_shares_line(&env, share, 1);
	uint64_t	batches;
	size_t		before = memory.checks;

	all_of(0, line, 1, &batches);
	CHECK_INT(batches, 0);
	CHECK(all_of(100000, line, 1, &batches)[99999] == 0);
	CHECK(memory.checks >= before + 100000 / PEGS_CHUNK);
	arena_free(&memory);
}

int
main(void)
{
	test_shares();
	test_order();
	test_first();
	test_ends();
	return unit_done("points_test");
}
