/*
 * weights_test.c
 *	  Public weights as whole numbers: which stay what they are, how close the
 *	  others come, what is refused; draws by them, with and without putting back.
 */
#include "core/weights.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "fixture.h"
#include "unit.h"

#define MOST 1000

static uint64_t
sum_of(const uint32_t *whole, uint32_t n)
{
	uint64_t	sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += whole[i];
	return sum;
}

static void
test_whole_numbers(void)
{
	double		weight[4] = {3, 0, UINT32_MAX - 4.0, 1};
	uint32_t	whole[4];

	CHECK(pegs_whole_weights(weight, 4, whole));
	CHECK(whole[0] == 3 && whole[1] == 0 && whole[2] == UINT32_MAX - 4 && whole[3] == 1);
	/* one more has no room */
	weight[3] = 2;
	CHECK(pegs_whole_weights(weight, 4, whole));
	CHECK(whole[0] == 2 && whole[1] == 0 && whole[2] == (1u << 31) - 2 && whole[3] == 1);
}

/* Shares, to within half of 2^-31; and what weighs anything can be drawn. */
static void
test_shares(void)
{
	double		equal[2] = {0.1, 0.1};
	double		large[3] = {DBL_MAX, DBL_MAX, DBL_MAX / 2};
	double		tiny[3] = {4.9e-324, 0, 4.9e-324};
	double		apart[2] = {1e-300, 1e300};
	uint32_t	whole[MOST];
	double		weight[MOST];

	CHECK(pegs_whole_weights(equal, 2, whole) && whole[0] == 1u << 30 && whole[1] == 1u << 30);
	CHECK(pegs_whole_weights(large, 3, whole) && fabs(whole[0] - 0x1p31 * 0.4) <= 0.5 && fabs(whole[2] - 0x1p31 * 0.2) <= 0.5);
	CHECK(pegs_whole_weights(tiny, 3, whole) && whole[0] == 1u << 30 && whole[1] == 0 && whole[2] == 1u << 30);
	CHECK(pegs_whole_weights(apart, 2, whole) && whole[0] == 1 && whole[1] == 1u << 31);
	start(1);
	for (int turn = 0; turn < 100; turn++)
	{
		uint32_t	n = 1 + (uint32_t) pegs_rng_below(&rng, MOST);
		double		sum = 0;
		bool		close = true;

		for (uint32_t i = 0; i < n; i++)
			sum += weight[i] = ldexp(0.5 + pegs_rng_double(&rng), (int) pegs_rng_below(&rng, 20) - 10);
		CHECK(pegs_whole_weights(weight, n, whole));
		for (uint32_t i = 0; i < n; i++)
			close = close && fabs(whole[i] - weight[i] / sum * 0x1p31) <= 0.51;
		CHECK(close);
		CHECK(fabs(sum_of(whole, n) - 0x1p31) <= n);
	}
}

static void
test_refused(void)
{
	double		odd[4] = {-1, NAN, INFINITY, -INFINITY};
	uint32_t	whole[3];

	for (int i = 0; i < 4; i++)
		CHECK(!pegs_whole_weights((double[3]) {1, odd[i], 1}, 3, whole));
	CHECK(!pegs_whole_weights((double[3]) {0, 0, 0}, 3, whole));
	CHECK(!pegs_whole_weights((double[1]) {-0.0}, 1, whole));
	CHECK(pegs_whole_weights((double[1]) {5}, 1, whole) && whole[0] == 5);
}

/* All that can be drawn below the sum, counted: each place is one thing's, and each thing has as many as it weighs. */
static void
test_draws(void)
{
	uint32_t	sum[7] = {0, 3, 3, 4, 10, 10, 1000};
	uint32_t	weight[7] = {0, 3, 0, 1, 6, 0, 990};
	uint64_t	seen[7] = {0};
	uint32_t	whole = UINT32_MAX;
	double		off = 0;

	start(2);
	for (int i = 0; i < 1000000; i++)
		seen[pegs_draw_weighed(sum, 7, &rng)]++;
	for (int i = 0; i < 7; i++)
	{
		if (weight[i] == 0)
			CHECK_INT(seen[i], 0);
		else
			off += pow((double) seen[i] - 1000.0 * weight[i], 2) / (1000.0 * weight[i]);
	}
	CHECK(off < 40);			/* chi-square of 3: by chance 1e-8, but the key is fixed */
	CHECK_INT(pegs_draw_weighed(&whole, 1, &rng), 0);
}

/* The same things wherever it runs: a draw is one number below the sum, and the first thing whose sum is above it. */
static void
test_by_number(void)
{
	uint32_t	sum[5] = {2, 2, 5, 100, UINT32_MAX};
	pegs_rng	other;
	bool		same = true;

	start(3);
	other = rng;
	for (int i = 0; i < 1000; i++)
	{
		uint64_t	at = pegs_rng_below(&other, UINT32_MAX);
		uint32_t	thing = 0;

		while (sum[thing] <= at)
			thing++;
		same = same && pegs_draw_weighed(sum, 5, &rng) == thing;
	}
	CHECK(same);
}

/* Without putting back: for every number of things and every one taken away, a draw is what a search through the rest says; put back, all is as it was. */
static void
test_tree(void)
{
	start(4);
	for (uint32_t n = 1; n <= 70; n++)
	{
		uint32_t	weight[70];
		uint32_t	tree[70];
		uint32_t	left;
		bool		same = true;

		for (uint32_t i = 0; i < n; i++)
			weight[i] = (uint32_t) pegs_rng_below(&rng, 4);
		weight[n / 2] = 7;
		left = pegs_weighed_begin(tree, weight, n);
		CHECK_INT(left, sum_of(weight, n));
		while (left > 0)
		{
			pegs_rng	other = rng;
			uint64_t	at = pegs_rng_below(&other, left);
			uint32_t	drawn = pegs_weighed_draw(tree, n, left, &rng);
			uint32_t	thing = 0;

			for (; weight[thing] <= at; thing++)
				at -= weight[thing];
			if (!CHECK(drawn == thing))
				return;
			pegs_weighed_take(tree, n, thing, weight[thing]);
			left -= weight[thing];
			pegs_weighed_put(tree, n, thing, weight[thing]);
			pegs_weighed_take(tree, n, thing, weight[thing]);
			weight[thing] = 0;
		}
		for (uint32_t i = 0; i < n; i++)
			same = same && tree[i] == 0;
		CHECK(same);
	}
}

/* What is taken away and put back leaves the tree as it was; a sum of all 32 bits has room. */
static void
test_put_back(void)
{
	uint32_t	weight[5] = {UINT32_MAX - 10, 0, 4, 5, 1};
	uint32_t	tree[5];
	uint32_t	before[5];

	CHECK_INT(pegs_weighed_begin(tree, weight, 5), UINT32_MAX);
	memcpy(before, tree, sizeof(tree));
	for (uint32_t i = 0; i < 5; i++)
		pegs_weighed_take(tree, 5, i, weight[i]);
	for (uint32_t i = 0; i < 5; i++)
		pegs_weighed_put(tree, 5, i, weight[i]);
	CHECK(memcmp(before, tree, sizeof(tree)) == 0);
}

int
main(void)
{
	test_tree();
	test_put_back();
	test_whole_numbers();
	test_shares();
	test_refused();
	test_draws();
	test_by_number();
	return unit_done("weights_test");
}
