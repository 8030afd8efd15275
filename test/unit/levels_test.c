/*
 * levels_test.c
 *	  Is a learnt list of levels (epsilon, delta)-DP?
 *
 * Neighbouring tables of two values, all draws of the noise that are not rarer
 * than 1e-12, the code itself between them: every output with its exact
 * probability, so that the worst set of outputs is known. And the same with
 * three mistakes, each of which must break the bound.
 */
#include "core/levels.h"

#include <string.h>

#include "fixture.h"
#include "scripted.h"
#include "unit.h"

/* ---------- every output ---------- */

#define FAR 120					/* draws from -FAR to FAR */
#define SPAN (2 * FAR + 1)
#define VALUES 2
#define OUTPUTS (SPAN + 16)		/* of one value: none, or its noisy number, from -FAR on */

/* One run of the mechanism: how it is set up, and what may be wrong with it. */
typedef struct setting
{
	double		epsilon;
	double		delta;
	uint32_t	unit;			/* rows of a unit */
	uint32_t	most;			/* levels */
	int64_t		lower;			/* the threshold, by so much: 0, or a mistake */
	bool		undivided;		/* delta is not shared by the values of a unit: a mistake */
	bool		row_noise;		/* noise of one row less than a unit: a mistake */
} setting;

static double probability[2][OUTPUTS][OUTPUTS];
static bool opened = true;

/* What comes out for a value, as a number. */
static int
output_of(const pegs_levels *levels, int value)
{
	for (uint32_t i = 0; i < levels->n; i++)
		if (*(int *) levels->level[i].value == value)
			return 1 + FAR + (int) levels->level[i].noisy;
	return 0;
}

static void
mistake(const setting *s, int64_t delta, pegs_levels *levels)
{
	levels->threshold -= s->lower;
	if (s->undivided)
		levels->threshold = s->unit + pegs_laplace_tail(levels->look.noise.units, delta, 1);
}

static void
one_run(const setting *s, const int *count, const int64_t *noise, pegs_levels *levels)
{
	pegs_accountant accountant;
	int64_t		delta = (int64_t) (s->delta * 1e18);

	pegs_accountant_init(&accountant, (int64_t) (s->epsilon * 1e9), 0, s->row_noise ? s->unit - 1 : s->unit);
	scripted = noise;
	opened &= pegs_levels_open(&env, &accountant, &rng, pegs_accountant_left(&accountant), delta, s->most, levels);
	if (s->row_noise)
		levels->threshold = s->unit + pegs_laplace_tail(levels->look.noise.units, delta, s->unit);
	mistake(s, delta, levels);
	for (int v = 0; v < VALUES; v++)
	{
		void	  **value = count[v] > 0 ? pegs_levels_meet(levels, count[v]) : NULL;

		if (value)
		{
			*value = arena_alloc(&memory, sizeof(int));
			*(int *) *value = v;
		}
	}
	pegs_levels_close(levels);
	scripted = NULL;
}

/* Probabilities of all outputs of a table; gives what is left out. */
static double
enumerate(const setting *s, const int *count, double (*p)[OUTPUTS])
{
	int64_t		noise[VALUES] = {0};
	double		sum = 0;
	int			first = count[0] > 0 ? SPAN : 1;
	int			second = count[1] > 0 ? SPAN : 1;

	memset(p, 0, sizeof(probability[0]));
	for (int i = 0; i < first; i++)
		for (int j = 0; j < second; j++)
		{
			pegs_levels levels;
			double		q;
			double		chance = 1;
			int			n = 0;

			if (count[0] > 0)
				noise[n++] = i - FAR;
			if (count[1] > 0)
				noise[n++] = j - FAR;
			one_run(s, count, noise, &levels);
			q = exp(-(double) drawn_num / (double) drawn_den);
			for (int k = 0; k < n; k++)
				chance *= (1 - q) / (1 + q) * pow(q, llabs(noise[k]));
			p[output_of(&levels, 0)][output_of(&levels, 1)] += chance;
			sum += chance;
			arena_free(&memory);
		}
	return 1 - sum;
}

/* The worst set of outputs: by how much P passes e^epsilon P'. */
static double
excess(const setting *s, double (*p)[OUTPUTS], double (*q)[OUTPUTS])
{
	double		sum = 0;

	for (int i = 0; i < OUTPUTS; i++)
		for (int j = 0; j < OUTPUTS; j++)
			sum += fmax(p[i][j] - exp(s->epsilon) * q[i][j], 0);
	return sum;
}

/* Both ways round, as a part of delta. */
static double
worst(const setting *s, const int *table, const int *neighbour)
{
	double		rest = enumerate(s, table, probability[0]);

	rest = fmax(rest, enumerate(s, neighbour, probability[1]));
	CHECK(rest < 1e-9);
	return fmax(excess(s, probability[0], probability[1]), excess(s, probability[1], probability[0])) / s->delta;
}

/* Of several tables, and what each becomes with a unit more. */
static double
worst_of_all(const setting *s)
{
	static const int base[][VALUES] = {{0, 0}, {1, 0}, {3, 0}, {4, 2}};
	double		most = 0;

	for (size_t b = 0; b < sizeof(base) / sizeof(base[0]); b++)
		for (uint32_t first = 0; first <= s->unit; first++)
		{
			int			more[VALUES] = {base[b][0] + (int) first, base[b][1] + (int) (s->unit - first)};

			most = fmax(most, worst(s, base[b], more));
		}
	return most;
}

/* A delta that is used up to the last part: that of the threshold itself. */
static double
tight(double epsilon, uint32_t unit, int t)
{
	double		q = exp(-epsilon / unit);

	return unit * pow(q, t + 1) / (1 + q) * (1 + 1e-9);
}

static void
test_every_output(void)
{
	setting		of_row = {.epsilon = 0.5, .unit = 1, .most = 100};
	setting		of_two = {.epsilon = 0.7, .unit = 2, .most = 100};
	setting		broken;

	/* at the threshold itself: all of delta is used, or nearly so, and it is never passed */
	of_row.delta = tight(of_row.epsilon, 1, 4);
	of_two.delta = tight(of_two.epsilon, 2, 6);
	CHECK(worst_of_all(&of_row) <= 1 + 1e-6);
	CHECK(worst_of_all(&of_row) > 0.99);
	CHECK(worst_of_all(&of_two) <= 1 + 1e-6);
	CHECK(worst_of_all(&of_two) > 0.3);
	/* of many levels the largest ones: still by noisy numbers alone */
	of_row.most = of_two.most = 1;
	CHECK(worst_of_all(&of_row) <= 1 + 1e-6);
	CHECK(worst_of_all(&of_two) <= 1 + 1e-6);

	/* what must break it */
	broken = of_row;
	broken.most = 100;
	broken.lower = 1;
	CHECK(worst_of_all(&broken) > 1.5);
	broken = of_two;
	broken.most = 100;
	broken.row_noise = true;
	CHECK(worst_of_all(&broken) > 1.5);
	CHECK(opened);
}

/* A unit with a value of its own in each of its rows: delta must be shared by them. */
static void
test_delta_is_shared(void)
{
	setting		s = {.epsilon = 0.4, .unit = 2, .most = 100};
	static const int none[VALUES] = {0, 0};
	static const int both[VALUES] = {1, 1};

	s.delta = pow(exp(-s.epsilon / 2), 12) / (1 + exp(-s.epsilon / 2)) * (1 + 1e-9);
	CHECK(worst(&s, none, both) <= 1);
	s.undivided = true;
	CHECK(worst(&s, none, both) > 1.2);
}

/* ---------- what it promises besides ---------- */

/* No noise to speak of: exactly the values with more rows than a unit has. */
static void
test_large_epsilon(void)
{
	for (uint32_t unit = 1; unit <= 64; unit += 21)
	{
		pegs_accountant accountant;
		pegs_levels levels;

		start((uint8_t) unit);
		pegs_accountant_init(&accountant, INT64_C(4000000000) * 1000, 0, unit);
		CHECK(pegs_levels_open(&env, &accountant, &rng, pegs_accountant_left(&accountant), 1000000000, 100, &levels));
		CHECK_INT(levels.threshold, unit);
		for (int i = 1; i <= 90; i++)
			CHECK((pegs_levels_meet(&levels, i) != NULL) == (i > (int) unit));
		pegs_levels_close(&levels);
		CHECK_INT(levels.n, 90 - (int) unit);
		CHECK_INT(accountant.spent, accountant.total);
		arena_free(&memory);
	}
}

/* The largest ones are left, in the order in which they were met, and the values of the others are given back. */
static void
test_largest_are_left(void)
{
	pegs_env	freeing = arena_env_freeing(&memory);
	pegs_accountant accountant;
	pegs_levels levels;
	bool		in_order = true;
	bool		largest = true;

	start(1);
	pegs_accountant_init(&accountant, INT64_C(4000000000) * 1000, 0, 1);
	CHECK(pegs_levels_open(&freeing, &accountant, &rng, pegs_accountant_left(&accountant), 1000000000, 100, &levels));
	for (int i = 0; i < 5000; i++)
	{
		int			rows = 2 + (i * 7919) % 5000;
		void	  **value = pegs_levels_meet(&levels, rows);

		*value = arena_alloc(&memory, sizeof(int));
		*(int *) *value = rows;
		CHECK(levels.room <= 256);
	}
	pegs_levels_close(&levels);
	CHECK_INT(levels.n, 100);
	for (uint32_t i = 0; i < levels.n; i++)
	{
		largest &= *(int *) levels.level[i].value >= 2 + 4900;
		in_order &= i == 0 || levels.level[i].place > levels.level[i - 1].place;
	}
	CHECK(largest);
	CHECK(in_order);
	CHECK(memory.given_back >= 4900);
	arena_free(&memory);
}

/* Equal numbers: those that were met first. */
static void
test_equal_numbers(void)
{
	pegs_accountant accountant;
	pegs_levels levels;

	start(2);
	pegs_accountant_init(&accountant, INT64_C(4000000000) * 1000, 0, 1);
	CHECK(pegs_levels_open(&env, &accountant, &rng, pegs_accountant_left(&accountant), 1000000000, 3, &levels));
	for (int i = 0; i < 20; i++)
		*pegs_levels_meet(&levels, 5) = NULL;
	pegs_levels_close(&levels);
	CHECK_INT(levels.n, 3);
	for (uint32_t i = 0; i < levels.n; i++)
		CHECK_INT(levels.level[i].place, i + 1);
	arena_free(&memory);
}

/* Gaussian noise: a part of what there is, and a threshold by its own tail. */
static void
test_gaussian(void)
{
	pegs_accountant accountant;
	pegs_levels levels;

	for (uint32_t unit = 1; unit <= 3; unit += 2)
	{
		start((uint8_t) unit);
		pegs_accountant_init(&accountant, 1000000000, 1000000000, unit);
		CHECK(pegs_levels_open(&env, &accountant, &rng, pegs_accountant_left(&accountant) / 3, 1000000000, 10, &levels));
		CHECK(accountant.spent <= accountant.total / 3);
		CHECK(!levels.look.noise.pure);
		CHECK_INT(levels.threshold, unit + pegs_gaussian_tail(levels.look.noise.sigma2, 1000000000, unit));
		CHECK(pegs_levels_meet(&levels, 1) == NULL);
		CHECK(pegs_levels_meet(&levels, 10 * levels.threshold) != NULL);
		pegs_levels_close(&levels);
		arena_free(&memory);
	}
}

static void
test_refused(void)
{
	pegs_accountant accountant;
	pegs_levels levels;

	pegs_accountant_init(&accountant, 1000000000, 0, 1);
	CHECK(!pegs_levels_open(&env, &accountant, &rng, pegs_accountant_left(&accountant), 0, 10, &levels));
	CHECK_INT(accountant.spent, 0);
	CHECK(!pegs_levels_open(&env, &accountant, &rng, 0, 1000000000, 10, &levels));
	CHECK_INT(accountant.spent, 0);
	pegs_accountant_init(&accountant, 0, 0, 1);
	CHECK(!pegs_levels_open(&env, &accountant, &rng, pegs_accountant_left(&accountant), 1000000000, 10, &levels));
	/* no value at all */
	pegs_accountant_init(&accountant, 1000000000, 0, 1);
	CHECK(pegs_levels_open(&env, &accountant, &rng, pegs_accountant_left(&accountant), 1000000000, 10, &levels));
	pegs_levels_close(&levels);
	CHECK_INT(levels.n, 0);
	arena_free(&memory);
}

int
main(void)
{
	test_every_output();
	test_delta_is_shared();
	test_large_epsilon();
	test_largest_are_left();
	test_equal_numbers();
	test_gaussian();
	test_refused();
	return unit_done("levels_test");
}
