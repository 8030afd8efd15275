/*
 * numbers_test.c
 *	  Is the summary of a numeric column what it is by hand, and do the two parts of a difference add up to it?
 */
#include "core/compare/numbers.h"

#include <float.h>
#include <string.h>

#include "fixture.h"
#include "rows.h"
#include "unit.h"

/* One column: four levels, the last is NULL's; code 4 is "not declared". */
static const uint32_t four[1] = {4};

static pegs_coded
column_of(uint64_t n, const uint16_t *code, const double *number)
{
	pegs_coded	t = table(1, four, n);

	t.number[0] = env.alloc(env.context, sizeof(double) * (n + 1));
	for (uint64_t r = 0; r < n; r++)
	{
		t.code[0][r] = code[r];
		t.number[0][r] = number[r];
	}
	return t;
}

static pegs_numbers
compared(const pegs_coded *a, const pegs_coded *b)
{
	pegs_numbers numbers;

	memset(&numbers, 0x55, sizeof(numbers));
	CHECK_INT(pegs_compare_numbers(&env, a, b, 0, &numbers), PEGS_OK);
	return numbers;
}

/* ---------- by hand ---------- */

/*
 * Bins [0, 2), [2, 4), [4, 10]. The original: 0 1 2 3 4 and a NULL, its mean 2, its squares 4 + 1 + 0 + 1 + 4 = 10: sd sqrt(2.5).
 * The synthetic rows: 0 0 2 10, mean 3, squares 9 + 9 + 1 + 49 = 68: sd sqrt(68/3), middle (0 + 2) / 2.
 *
 *	bin		p	m	q	s	inside				shares
 *	0		.4	.5	.5	0	.5 (0 - .5) = -.25	.1 (.5 - 2) = -.15
 *	1		.4	2.5	.25	2	.25 (-.5) = -.125	-.15 (.5) = -.075
 *	2		.2	4	.25	10	.25 (6) = 1.5		.05 (2) = .1
 */
static const uint16_t original_code[6] = {1, 0, 3, 2, 0, 1};
static const double original_number[6] = {3, 0, NAN, 4, 1, 2};
static const uint16_t synthetic_code[4] = {2, 0, 1, 0};
static const double synthetic_number[4] = {10, 0, 2, -0.0};

static void
test_by_hand(void)
{
	pegs_coded	a = column_of(6, original_code, original_number);
	pegs_coded	b = column_of(4, synthetic_code, synthetic_number);
	pegs_numbers n = compared(&a, &b);

	CHECK_INT(n.original.n, 5);
	CHECK_NEAR(n.original.mean, 2, 1e-15);
	CHECK_NEAR(n.original.median, 2, 1e-15);
	CHECK_NEAR(n.original.sd, sqrt(2.5), 1e-15);
	CHECK_NEAR(n.original.zeros, 0.2, 1e-15);
	CHECK_INT(n.synthetic.n, 4);
	CHECK_NEAR(n.synthetic.mean, 3, 1e-15);
	CHECK_NEAR(n.synthetic.median, 1, 1e-15);
	CHECK_NEAR(n.synthetic.sd, sqrt(68.0 / 3), 1e-15);
	CHECK_NEAR(n.synthetic.zeros, 0.5, 1e-15);
	CHECK_NEAR(n.inside, 1.125, 1e-14);
	CHECK_NEAR(n.shares, -0.125, 1e-14);
	CHECK_INT(n.worst, 2);
	/* what was read is left as it was */
	for (int r = 0; r < 6; r++)
		CHECK(memcmp(&a.number[0][r], &original_number[r], sizeof(double)) == 0);
	arena_free(&memory);
}

/* Values that are true to their bins: all of the difference is of the shares, most of it of bin 0, 1/4 of the rows for 3/4. */
static void
test_shares(void)
{
	static const uint16_t a_code[4] = {0, 0, 0, 2};
	static const double a_number[4] = {1, 1, 1, 9};
	static const uint16_t b_code[4] = {0, 1, 2, 2};
	static const double b_number[4] = {1, 4, 9, 9};
	pegs_coded	a = column_of(4, a_code, a_number);
	pegs_coded	b = column_of(4, b_code, b_number);
	pegs_numbers n = compared(&a, &b);

	/* mean 3, and 5.75. Bin 0: -1/2 of (1 - 3) = 1; bin 1, which the original has not: 1/4 of (4 - 3); bin 2: 1/4 of (9 - 3) = 1.5 */
	CHECK(n.inside == 0);
	CHECK_NEAR(n.shares, 2.75, 1e-15);
	CHECK_INT(n.worst, 2);
	/* the other way round: mean 5.75, and 3: 1/2 of (1 - 5.75) = -2.375, -1/4 of (4 - 5.75) = .4375, -1/4 of 3.25 = -.8125 */
	n = compared(&b, &a);
	CHECK_NEAR(n.shares, -2.75, 1e-15);
	CHECK_INT(n.worst, 0);
	arena_free(&memory);
}

/* ---------- any tables ---------- */

static pegs_coded
any_column(uint64_t n)
{
	pegs_coded	t = table(1, four, n);

	t.number[0] = env.alloc(env.context, sizeof(double) * (n + 1));
	for (uint64_t r = 0; r < n; r++)
	{
		t.code[0][r] = (uint16_t) pegs_rng_below(&rng, 5);
		t.number[0][r] = t.code[0][r] == 3 ? NAN : (double) pegs_rng_below(&rng, 20) - 5 + 100 * t.code[0][r];
	}
	return t;
}

/* By looking at every value for every value. */
static void
check_slowly(const pegs_coded *t, const pegs_number_summary *s)
{
	const double *x = t->number[0];
	double		sum = 0;
	double		squares = 0;
	uint64_t	n = 0;
	uint64_t	zeros = 0;

	for (uint64_t r = 0; r < t->nrows; r++)
		if (!isnan(x[r]))
		{
			n++;
			sum += x[r];
			squares += x[r] * x[r];
			zeros += x[r] == 0;
		}
	CHECK_INT(s->n, n);
	CHECK_NEAR(s->mean, sum / (double) n, 1e-12);
	CHECK_NEAR(s->sd, sqrt((squares - sum * sum / (double) n) / (double) (n - 1)), 1e-9);
	CHECK_NEAR(s->zeros, (double) zeros / (double) n, 1e-15);
	/* no more than half are below the middle, none more than half above it */
	sum = squares = 0;
	for (uint64_t r = 0; r < t->nrows; r++)
	{
		sum += x[r] < s->median;
		squares += x[r] > s->median;
	}
	CHECK(sum <= (double) n / 2 && squares <= (double) n / 2);
}

static void
test_any(void)
{
	for (uint64_t i = 0; i < 200; i++)
	{
		pegs_coded	a = any_column(20 + i);
		pegs_coded	b = any_column(20 + 3 * i % 70);
		pegs_numbers n = compared(&a, &b);

		check_slowly(&a, &n.original);
		check_slowly(&b, &n.synthetic);
		CHECK(fabs(n.inside + n.shares - (n.synthetic.mean - n.original.mean)) < 1e-9);
		CHECK(n.worst <= 4 && n.worst != 3);
		arena_free(&memory);
	}
}

/* ---------- edges ---------- */

static void
test_edges(void)
{
	static const uint16_t code[3] = {0, 0, 0};
	static const double large[3] = {DBL_MAX, DBL_MAX, DBL_MAX / 2};
	static const double infinite[3] = {INFINITY, -INFINITY, 7};
	static const double apart[3] = {DBL_MAX, -DBL_MAX, DBL_MAX};
	pegs_coded	none = column_of(0, code, large);
	pegs_coded	one = column_of(3, code, infinite);
	pegs_coded	big = column_of(3, code, large);
	pegs_coded	wide = column_of(3, code, apart);
	static const uint32_t five[1] = {5};
	pegs_coded	other = table(1, five, 0);
	pegs_coded	plain = table(1, four, 3);
	pegs_numbers n = compared(&none, &one);

	CHECK_INT(n.original.n, 0);
	CHECK(isnan(n.original.mean) && isnan(n.original.median) && isnan(n.original.sd) && isnan(n.original.zeros));
	CHECK(isnan(n.inside) && isnan(n.shares));
	CHECK_INT(n.worst, 0);
	/* infinite values are left out, and one value has no spread */
	CHECK_INT(n.synthetic.n, 1);
	CHECK_NEAR(n.synthetic.mean, 7, 1e-15);
	CHECK_NEAR(n.synthetic.median, 7, 1e-15);
	CHECK(isnan(n.synthetic.sd));
	/* a mean that is a number although the sum is none; numbers so far apart have none */
	n = compared(&big, &wide);
	CHECK_NEAR(n.original.mean, DBL_MAX / 6 * 5, 1e-15);
	CHECK_NEAR(n.original.median, DBL_MAX, 1e-15);
	CHECK(isnan(n.synthetic.mean) && isnan(n.synthetic.sd) && isnan(n.inside));
	CHECK_INT(pegs_compare_numbers(&env, &big, &big, 1, &n), PEGS_ERR_ARGUMENT);
	CHECK_INT(pegs_compare_numbers(&env, &big, &plain, 0, &n), PEGS_ERR_ARGUMENT);
	other.number[0] = big.number[0];
	CHECK_INT(pegs_compare_numbers(&env, &other, &big, 0, &n), PEGS_ERR_MISMATCH);
	arena_free(&memory);
}

static void
test_memory(void)
{
	pegs_env	kept = env;
	pegs_coded	a;
	uint64_t	blocks;

	env = arena_env_freeing(&memory);
	a = any_column(300000);
	blocks = memory.blocks;
	memory.checks = 0;
	compared(&a, &a);
	CHECK_INT(memory.blocks, blocks);
	CHECK(memory.checks >= 2 * 300000 / 65536);
	arena_free(&memory);
	env = kept;
}

int
main(void)
{
	start(11);
	test_by_hand();
	test_shares();
	test_any();
	test_edges();
	test_memory();
	return unit_done("numbers_test");
}
