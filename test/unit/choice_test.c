/*
 * choice_test.c
 *	  Does one row move a score by 0 or 1, and is a choice by such scores epsilon-DP?
 *
 * Scores against their definition, every tree of it one by one; every table of
 * a few rows and every row more; the probabilities of every choice on them as
 * exact rationals, and the same with mistakes, each of which must break the
 * bound: a score that one row may lower, a score in halves. And a tree that was
 * found greedily in the real rows, which one row moves by 16.
 */
#include "core/choice.h"

#include <stdlib.h>
#include <string.h>

#include "core/accountant.h"
#include "fixture.h"
#include "unit.h"

/* ---------- which factor was asked for ---------- */

static uint64_t asked_num;
static uint64_t asked_den;

extern size_t __real_pegs_exponential_mechanism(const pegs_env *, pegs_rng *, const int64_t *, size_t, uint64_t, uint64_t);
extern size_t __wrap_pegs_exponential_mechanism(const pegs_env *, pegs_rng *, const int64_t *, size_t, uint64_t, uint64_t);

size_t
__wrap_pegs_exponential_mechanism(const pegs_env *asked, pegs_rng *r, const int64_t *score, size_t n, uint64_t num, uint64_t den)
{
	asked_num = num;
	asked_den = den;
	return __real_pegs_exponential_mechanism(asked, r, score, n, num, den);
}

/* ---------- tables by their joint cells ---------- */

#define MOST_CELLS 64			/* of the joint table */

static pegs_layout layout;
static uint32_t joint_cells;

static void
begin_layout(uint32_t ncols, const uint32_t *levels)
{
	CHECK(pegs_layout_pairs(&env, ncols, levels, &layout, NULL) == PEGS_OK);
	joint_cells = 1;
	for (uint32_t c = 0; c < ncols; c++)
		joint_cells *= levels[c];
}

static uint32_t
code_of(uint32_t joint, uint32_t column)
{
	for (uint32_t c = layout.ncols; --c > column;)
		joint /= layout.levels[c];
	return joint % layout.levels[column];
}

/* Its tables of one and of two columns. */
static uint64_t *
counted(const uint64_t *joint)
{
	uint64_t   *cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);

	for (uint32_t j = 0; j < joint_cells; j++)
		for (uint32_t x = 0; x < layout.ncols; x++)
		{
			cells[layout.offset[x] + code_of(j, x)] += joint[j];
			for (uint32_t y = x + 1; y < layout.ncols; y++)
				cells[layout.pair_offset[x * layout.ncols + y] + code_of(j, x) * layout.levels[y] + code_of(j, y)] += joint[j];
		}
	return cells;
}

/* What the synthetic rows are weighed as: so many times their number, over 4. */
static uint64_t quarters = 4;

static int64_t
likeness(const uint64_t *real, const uint64_t *synthetic, uint32_t splits)
{
	pegs_synthetic weighed = {.cells = counted(synthetic)};

	for (uint32_t j = 0; j < joint_cells; j++)
		weighed.rows += synthetic[j];
	weighed.rows *= 4;
	weighed.as_rows = weighed.rows / 4 * quarters;
	return pegs_likeness(&env, &layout, counted(real), &weighed, splits);
}

/* ---------- the score by its definition ---------- */

static uint64_t
worth(uint64_t r, uint64_t a)
{
	a *= quarters;				/* in quarters, which 2^-8 is fine enough for */
	return r + a == 0 ? 0 : (uint64_t) (((pegs_u128) r * a << 16) / (4 * r + a));
}

/* A tree: which cell a joint cell lies in, of three at most. */
typedef struct tree
{
	uint32_t	column[2];
	uint32_t	cut[2];
	bool		high;			/* the second split is of the part above the first; else below */
	uint32_t	splits;
} tree;

static uint32_t
leaf_of(const tree *t, uint32_t joint)
{
	bool		above = code_of(joint, t->column[0]) >= t->cut[0];

	if (t->splits < 2 || above != t->high)
		return above;
	return code_of(joint, t->column[1]) >= t->cut[1] ? 3 : 2;
}

static uint64_t
sum_of_tree(const tree *t, const uint64_t *real, const uint64_t *synthetic)
{
	uint64_t	r[4] = {0};
	uint64_t	a[4] = {0};
	uint64_t	sum = 0;

	for (uint32_t j = 0; j < joint_cells; j++)
	{
		r[leaf_of(t, j)] += real[j];
		a[leaf_of(t, j)] += synthetic[j];
	}
	for (int i = 0; i < 4; i++)
		sum += worth(r[i], a[i]);
	return sum;
}

/* The best second split of one part, or of both; the tree that has it in *t. */
static uint64_t
best_second(tree *t, const uint64_t *real, const uint64_t *synthetic)
{
	uint64_t	least = UINT64_MAX;
	tree		best = *t;

	best.splits = 2;
	for (int high = 0; high < 2; high++)
		for (uint32_t y = 0; y < layout.ncols; y++)
			for (uint32_t d = 1; d < layout.levels[y]; d++)
			{
				tree		two = {{t->column[0], y}, {t->cut[0], d}, high, 2};
				uint64_t	sum = sum_of_tree(&two, real, synthetic);

				if (sum < least)
				{
					least = sum;
					best = two;
				}
			}
	*t = best;
	return least;
}

/* Greedy: the second split is sought in the tree of the first one alone. A fraction of rows. */
static double
of_trees(const uint64_t *real, const uint64_t *synthetic, uint32_t splits, bool greedy)
{
	uint64_t	least = UINT64_MAX;
	uint64_t	first = UINT64_MAX;

	for (uint32_t x = 0; x < layout.ncols; x++)
		for (uint32_t c = 1; c < layout.levels[x]; c++)
		{
			tree		t = {{x, 0}, {c, 0}, false, 1};
			uint64_t	one = sum_of_tree(&t, real, synthetic);
			uint64_t	sum = splits < 2 ? one : best_second(&t, real, synthetic);

			if (greedy ? one < first : sum < least)
				least = sum;
			first = one < first ? one : first;
		}
	return ldexp((double) least, -16);
}

static int64_t
of_pairs(const uint64_t *real, const uint64_t *synthetic)
{
	const uint64_t *r = counted(real);
	const uint64_t *a = counted(synthetic);
	uint64_t	sum = 0;
	uint64_t	tables = (uint64_t) layout.ncols * (layout.ncols - 1) / 2;

	for (uint64_t i = layout.pair_offset[1]; i < layout.ncells; i++)	/* 1-way tables come before all pairs */
		sum += worth(r[i], a[i]);
	return (int64_t) (sum / tables >> 16);
}

static void
random_table(uint64_t *joint, uint64_t most)
{
	for (uint32_t j = 0; j < joint_cells; j++)
		joint[j] = pegs_rng_below(&rng, 4) == 0 ? 0 : pegs_rng_below(&rng, most);
}

static void
test_definition(void)
{
	static const uint32_t shapes[][3] = {{2, 2, 1}, {3, 2, 4}, {1, 5, 3}, {4, 4, 4}};

	for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++)
		for (uint64_t most = 2; most < 1000000; most *= 7)
		{
			uint64_t	real[MOST_CELLS] = {0};
			uint64_t	synthetic[MOST_CELLS] = {0};

			begin_layout(3, shapes[s]);
			quarters = 1 + pegs_rng_below(&rng, 12);
			random_table(real, most);
			random_table(synthetic, most);
			CHECK_INT(likeness(real, synthetic, 0), of_pairs(real, synthetic));
			CHECK_INT(likeness(real, synthetic, 1), (int64_t) of_trees(real, synthetic, 1, false));
			CHECK_INT(likeness(real, synthetic, 2), (int64_t) of_trees(real, synthetic, 2, false));
			arena_free(&memory);
		}
	quarters = 4;
}

/* Known numbers: 1,000 times (3, 1) against (1, 3) is 1.5, the same table N/2, nothing in common 0. */
static void
test_known(void)
{
	static const uint32_t levels[2] = {2, 1};
	const uint64_t a[2] = {3000, 1000};
	const uint64_t b[2] = {1000, 3000};
	const uint64_t low[2] = {700, 0};
	const uint64_t high[2] = {0, 700};
	const uint64_t none[2] = {0, 0};
	const uint64_t large[2] = {UINT64_C(1) << 45, 0};
	const uint64_t twice[2] = {6000, 2000};
	pegs_synthetic weighed;

	begin_layout(2, levels);
	for (uint32_t splits = 0; splits <= PEGS_MOST_SPLITS; splits++)
	{
		CHECK_INT(likeness(a, b, splits), 1500);
		/* pMSE of n rows of each is (n/2 - U)/(2n): 1/16 of these, as test/unit/propensity_test.c has it from scores */
		CHECK((4000.0 / 2 - (double) likeness(a, b, splits)) / (2 * 4000) == 0.0625);
		CHECK_INT(likeness(a, a, splits), 2000);
		CHECK_INT(likeness(low, high, splits), 0);
		CHECK_INT(likeness(none, a, splits), 0);
		CHECK_INT(likeness(none, none, splits), 0);
		/* of the largest numbers nothing overflows: 2^45 64/65 */
		weighed = (pegs_synthetic) {counted(large), large[0], UINT64_C(64) << 45};
		CHECK_INT(pegs_likeness(&env, &layout, counted(large), &weighed, splits), (int64_t) ((UINT64_C(1) << 51) / 65));
		/* twice the rows of the same table are the same table */
		weighed = (pegs_synthetic) {counted(twice), 8000, 4000};
		CHECK_INT(pegs_likeness(&env, &layout, counted(a), &weighed, splits), 2000);
		/* without rows there is nothing in common */
		weighed = (pegs_synthetic) {counted(none), 0, 4000};
		CHECK_INT(pegs_likeness(&env, &layout, counted(a), &weighed, splits), 0);
	}
	arena_free(&memory);
}

/* ---------- one row more ---------- */

/* By how much the sum of the best tree moves, before it is a whole number: a row more; the same row in another place. */
static void
check_best_tree(const uint64_t *real, const uint64_t *synthetic, uint32_t splits, double *most)
{
	const double round = ldexp(4, -16);		/* of a leaf each */
	double		before = of_trees(real, synthetic, splits, false);
	double		low = before + 1;
	double		high = before;

	for (uint32_t j = 0; j < joint_cells; j++)
	{
		uint64_t	more[MOST_CELLS];
		double		after;

		memcpy(more, real, sizeof(more));
		more[j]++;
		after = of_trees(more, synthetic, splits, false);
		CHECK(after - before > -round && after - before < 1 + round);
		low = fmin(low, after);
		high = fmax(high, after);
	}
	most[0] = fmax(most[0], high - before);
	/* of two tables that have one row in different places */
	CHECK(high - low < 1 + round);
	most[1] = fmax(most[1], high - low);
}

/* Greatest and least change by a row more, over all its values. */
static void
changes(const uint64_t *real, const uint64_t *synthetic, uint32_t splits, int64_t *low, int64_t *high)
{
	int64_t		before = likeness(real, synthetic, splits);

	for (uint32_t j = 0; j < joint_cells; j++)
	{
		uint64_t	more[MOST_CELLS];
		int64_t		d;

		memcpy(more, real, sizeof(more));
		more[j]++;
		d = likeness(more, synthetic, splits) - before;
		*low = d < *low ? d : *low;
		*high = d > *high ? d : *high;
	}
}

static void
test_one_row(void)
{
	static const uint32_t shapes[][3] = {{2, 2, 1}, {3, 2, 4}, {4, 4, 4}};

	for (uint32_t splits = 0; splits <= PEGS_MOST_SPLITS; splits++)
	{
		int64_t		low = 0;
		int64_t		high = 0;
		double		most[2] = {0, 0};

		start((uint8_t) (10 + splits));
		for (int run = 0; run < 150; run++)
		{
			uint64_t	real[MOST_CELLS] = {0};
			uint64_t	synthetic[MOST_CELLS] = {0};

			begin_layout(3, shapes[run % 3]);
			quarters = 1 + (uint64_t) run % 7;
			random_table(real, UINT64_C(2) << run % 9);
			random_table(synthetic, UINT64_C(2) << run % 17);
			changes(real, synthetic, splits, &low, &high);
			if (splits > 0)
				check_best_tree(real, synthetic, splits, most);
			arena_free(&memory);
		}
		quarters = 4;
		CHECK_INT(low, 0);
		CHECK_INT(high, 1);
		/* nearly a whole row is met with */
		CHECK(splits == 0 || (most[0] > 0.9 && most[1] > 0.8));
	}
}

/* 59 synthetic rows and no real one: one more is worth 59/60, seen from both sides by what is missing to 1. */
static void
test_fixed_cells(void)
{
	static const uint32_t levels[2] = {2, 1};
	/* a r/(a + r) is a whole number and 0.01694, or 0.0166: 1/60 is between them */
	static const uint64_t beside[2][2] = {{82, 36}, {583, 77}};

	begin_layout(2, levels);
	for (int i = 0; i < 2; i++)
	{
		const uint64_t synthetic[2] = {59, beside[i][0]};
		const uint64_t before[2] = {0, beside[i][1]};
		const uint64_t after[2] = {1, beside[i][1]};

		CHECK_INT(likeness(after, synthetic, 0) - likeness(before, synthetic, 0), i == 0);
	}
	arena_free(&memory);
}

/* Found by search: a row more in the third cell turns the first split of a greedy tree. */
static void
test_greedy(void)
{
	static const uint32_t levels[2] = {2, 2};
	const uint64_t synthetic[4] = {10, 378, 224, 71};
	uint64_t	real[MOST_CELLS] = {107, 8, 82, 138};
	double		before;
	int64_t		low = 0;
	int64_t		high = 0;

	begin_layout(2, levels);
	before = of_trees(real, synthetic, 2, true);
	changes(real, synthetic, 2, &low, &high);
	CHECK(low >= 0 && high <= 1);
	real[2]++;
	CHECK(fabs(fabs(of_trees(real, synthetic, 2, true) - before) - 16.6) < 0.05);
	arena_free(&memory);
}

/* ---------- every choice, in exact rationals ---------- */

#define CANDIDATES 3
#define ROWS 5					/* of the larger neighbour, at most */

typedef enum mistake
{
	NO_MISTAKE,
	LOWERED,					/* a score that a row more may lower: minus the distance of the tables */
	HALVES						/* rounded to halves of a row */
} mistake;

static uint64_t candidate[CANDIDATES][MOST_CELLS];

static int64_t
score_of(const uint64_t *real, int i, uint32_t splits, mistake wrong)
{
	int64_t		sum = 0;

	switch (wrong)
	{
		case LOWERED:
			for (uint32_t j = 0; j < joint_cells; j++)
				sum -= llabs((int64_t) real[j] - (int64_t) candidate[i][j]);
			return sum;
		case HALVES:
			for (uint32_t j = 0; j < joint_cells; j++)
				sum += (int64_t) worth(real[j], candidate[i][j]);
			return sum >> 15;
		default:
			return likeness(real, candidate[i], splits);
	}
}

/* P(i) is weight[i] over their sum, with e^epsilon = 3/2: (3/2)^score times a common factor, an integer. */
static void
weigh(const int64_t *score, int64_t least, uint64_t *weight, uint64_t *sum)
{
	*sum = 0;
	for (int i = 0; i < CANDIDATES; i++)
	{
		weight[i] = 1;
		for (int64_t s = least; s < least + 16; s++)
			weight[i] *= s < score[i] ? 3 : 2;
		*sum += weight[i];
	}
}

/* Is each probability at most 3/2 of the other, as integers? The worst ratio is *worst. */
static bool
holds(const uint64_t *real, const uint64_t *more, uint32_t splits, mistake wrong, double *worst)
{
	int64_t		score[2][CANDIDATES];
	uint64_t	weight[2][CANDIDATES];
	uint64_t	sum[2];
	int64_t		least = INT64_MAX;
	bool		kept = true;

	for (int i = 0; i < CANDIDATES; i++)
	{
		score[0][i] = score_of(real, i, splits, wrong);
		score[1][i] = score_of(more, i, splits, wrong);
		least = score[0][i] < least ? score[0][i] : least;
		least = score[1][i] < least ? score[1][i] : least;
	}
	weigh(score[0], least, weight[0], &sum[0]);
	weigh(score[1], least, weight[1], &sum[1]);
	for (int i = 0; i < CANDIDATES; i++)
	{
		pegs_u128	p = (pegs_u128) weight[0][i] * sum[1];
		pegs_u128	q = (pegs_u128) weight[1][i] * sum[0];

		kept &= 2 * p <= 3 * q && 2 * q <= 3 * p;
		*worst = fmax(*worst, fabs(log((double) p / (double) q)));
	}
	return kept;
}

/* All tables of fewer than ROWS rows, from this cell on, each with each row more. */
static bool
every_table(uint64_t *real, uint32_t cell, uint64_t left, uint32_t splits, mistake wrong, double *worst)
{
	bool		kept = true;

	if (cell < joint_cells)
	{
		for (uint64_t n = 0; n <= left; n++)
		{
			real[cell] = n;
			kept &= every_table(real, cell + 1, left - n, splits, wrong, worst);
		}
		real[cell] = 0;
		return kept;
	}
	for (uint32_t j = 0; j < joint_cells; j++)
	{
		uint64_t	more[MOST_CELLS];

		memcpy(more, real, sizeof(more));
		more[j]++;
		kept &= holds(real, more, splits, wrong, worst);
	}
	return kept;
}

static bool
enumerate(uint32_t splits, mistake wrong, double *worst)
{
	uint64_t	real[MOST_CELLS] = {0};
	bool		kept;

	*worst = 0;
	kept = every_table(real, 0, ROWS - 1, splits, wrong, worst);
	arena_free(&memory);
	return kept;
}

static void
test_every_choice(void)
{
	static const uint32_t levels[2] = {3, 2};
	double		worst;

	for (int trial = 0; trial < 4; trial++)
	{
		start((uint8_t) (30 + trial));
		begin_layout(2, levels);
		for (int i = 0; i < CANDIDATES; i++)
			random_table(candidate[i], UINT64_C(3) << 3 * trial);
		for (uint32_t splits = 0; splits <= PEGS_MOST_SPLITS; splits++)
		{
			begin_layout(2, levels);	/* enumerate gives its memory back */
			CHECK(enumerate(splits, NO_MISTAKE, &worst));
			CHECK(worst <= log(1.5) * (1 + 1e-12));
		}
	}

	/* one candidate has nothing but what is added: all of epsilon is used, up to the others' share */
	memset(candidate, 0, sizeof(candidate));
	candidate[0][0] = 1000;
	begin_layout(2, levels);
	CHECK(enumerate(0, NO_MISTAKE, &worst));
	CHECK(worst > 0.6 * log(1.5));

	/* what must break it */
	candidate[1][5] = 1000;
	begin_layout(2, levels);
	CHECK(!enumerate(0, LOWERED, &worst));
	begin_layout(2, levels);
	CHECK(!enumerate(0, HALVES, &worst));
}

/* ---------- the factor ---------- */

/* Twice that of pegs_choose, and for neighbours by k rows a k-th; never more than the cost buys. */
static void
test_factor(void)
{
	const int64_t score[2] = {0, 1};

	for (uint32_t k = 1; k <= 64; k += 21)
		for (int64_t epsilon = 1; epsilon < INT64_C(20000000000); epsilon = epsilon * 37 + 11)
		{
			pegs_accountant a;
			uint64_t	num;

			start((uint8_t) k);
			pegs_accountant_init(&a, epsilon, 0, k);
			pegs_choose_monotone(&a, &rng, pegs_accountant_left(&a), score, 2);
			CHECK_INT(a.spent, a.total);
			CHECK(asked_den == UINT64_C(1) << PEGS_COST_BITS);
			CHECK_INT(asked_num, a.spent / k);
			/* e k <= epsilon, in integers */
			CHECK((pegs_u128) asked_num * k * PEGS_EPSILON_UNIT <= (pegs_u128) epsilon << PEGS_COST_BITS);

			num = asked_num;
			pegs_accountant_init(&a, epsilon, 0, k);
			pegs_choose(&a, &rng, pegs_accountant_left(&a), score, 2);
			CHECK_INT(asked_num, num);
			CHECK(asked_den == UINT64_C(2) << PEGS_COST_BITS);

			/* zCDP: scores that move by 0 to k give a range of e k, (e k)^2/8 at most the cost */
			pegs_accountant_init(&a, epsilon, 1000000000, k);
			pegs_choose_monotone(&a, &rng, pegs_accountant_left(&a), score, 2);
			if (a.spent > 0)
			{
				long double	e = (long double) asked_num * k / asked_den;

				CHECK(e * e / 8 <= ldexpl((long double) a.spent, -PEGS_COST_BITS));
			}
		}
}

/*
 * What epsilon buys, of scores that were measured: four models of Adult, of which the best is named with probability .355, .974 and 1.000 at
 * epsilon .001, .01 and .1.
 */
static void
test_named(void)
{
	static const int64_t score[4] = {23564, 24175, 23773, 23672};
	static const double wanted[3] = {0.355, 0.974, 1.000};
	int64_t		epsilon = PEGS_EPSILON_UNIT / 1000;

	start(5);
	for (int i = 0; i < 3; i++, epsilon *= 10)
	{
		pegs_accountant a;
		double		sum = 0;

		pegs_accountant_init(&a, epsilon, 0, 1);
		pegs_choose_monotone(&a, &rng, pegs_accountant_left(&a), score, 4);
		for (int j = 0; j < 4; j++)
			sum += exp((double) asked_num / (double) asked_den * (double) (score[j] - score[1]));
		CHECK(fabs(1 / sum - wanted[i]) < 5.001e-4);
	}
}

/* What is drawn has those probabilities. */
static void
test_drawn(void)
{
	const int64_t score[3] = {5, 7, 4};
	const double x = 1.5;
	int			seen[3] = {0};
	double		sum = 0;

	start(77);
	for (int i = 0; i < 100000; i++)
	{
		pegs_accountant a;

		pegs_accountant_init(&a, 405465108, 0, 1);	/* ln 1.5 */
		seen[pegs_choose_monotone(&a, &rng, pegs_accountant_left(&a), score, 3)]++;
	}
	for (int i = 0; i < 3; i++)
		sum += pow(x, (double) score[i]);
	for (int i = 0; i < 3; i++)
	{
		double		p = pow(x, (double) score[i]) / sum;

		CHECK(fabs(seen[i] - 100000 * p) < 7 * sqrt(100000 * p * (1 - p)));
	}
}

/* One cell, and synthetic rows that are weighed as up to 2^46: there a row more is worth nearly one. It is still 0 or 1, never 2. */
static void
test_heavy(void)
{
	const uint32_t levels[2] = {1, 1};

	begin_layout(2, levels);
	start(78);
	for (int turn = 0; turn < 2000; turn++)
	{
		uint64_t	one[1] = {1};
		uint64_t	real[1] = {turn % 4 == 0 ? any_size(UINT64_C(1) << 46) : (uint64_t) turn % 100};
		pegs_synthetic weighed = {.cells = counted(one), .rows = 1 + (uint64_t) turn % 3, .as_rows = any_size(UINT64_C(1) << 46)};
		int64_t		before = pegs_likeness(&env, &layout, counted(real), &weighed, 0);
		int64_t		moved;

		real[0]++;
		moved = pegs_likeness(&env, &layout, counted(real), &weighed, 0) - before;
		CHECK(moved == 0 || moved == 1);
		arena_free(&memory);
		begin_layout(2, levels);
	}
	arena_free(&memory);
}

int
main(void)
{
	start(1);
	test_definition();
	test_known();
	test_one_row();
	test_fixed_cells();
	test_greedy();
	test_every_choice();
	test_factor();
	test_named();
	test_drawn();
	test_heavy();
	return unit_done("choice_test");
}
