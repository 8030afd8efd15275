/*
 * levels_test.c
 *	  Is a learnt list of levels (epsilon, delta)-DP?
 *
 * Neighbouring tables of two values, all draws of the noise that are not rarer
 * than 1e-12, the code itself between them: every output with its exact
 * probability, so that the worst set of outputs is known. And the same with
 * three mistakes, each of which must break the bound. Of many columns for one
 * charge the same by the distributions of their noise, with four mistakes.
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

/* ---------- many columns, one charge ---------- */

#define WIDE 8000
#define MOST_COLUMNS 12

typedef struct many
{
	double		epsilon;
	double		delta;
	uint32_t	unit;
	uint32_t	columns;
	uint32_t	levels;			/* of them with levels */
	int			mistake;		/* 0: none */
	bool		in_rho;
} many;

enum
{
	NO_MISTAKE, TWICE_THE_COST, WHOLE_DELTA, ONE_LOWER, COLUMNS_ALIKE
};

static double noise_p[2 * WIDE + 1];
static double all_p[2][2 * WIDE + 1];

/* P[X = i - WIDE]; how far out anything is. */
static int
probabilities(const pegs_noise *noise)
{
	double		variance = ldexp((double) noise->sigma2.num, -(int) noise->sigma2.shift);
	double		e = ldexp((double) noise->units, -PEGS_COST_BITS);
	double		sum = 0;
	int			far = (int) (noise->pure ? 46 / e : 9 * sqrt(variance)) + 1;

	CHECK(far <= WIDE);
	memset(noise_p, 0, sizeof(noise_p));
	for (int x = -far; x <= far; x++)
		sum += noise_p[x + WIDE] = exp(noise->pure ? -e * abs(x) : -(double) x * x / (2 * variance));
	for (int x = -far; x <= far; x++)
		noise_p[x + WIDE] /= sum;
	return far;
}

/*
 * How ln of the likelihood ratio of one look, where the unit's rows are all in
 * one cell, is distributed: in steps, of which `step` is one. Of Gaussian noise
 * by the draw itself, W (2x + W) / (2 sigma^2); of Laplace noise e (|x + W| - |x|).
 */
static int
losses(const pegs_noise *noise, uint32_t unit, int far, double *p, double *step, double *offset)
{
	int			reach = noise->pure ? (int) unit : far;

	memset(p, 0, sizeof(all_p[0]));
	*step = noise->pure ? ldexp((double) noise->units, -PEGS_COST_BITS) : unit / ldexp((double) noise->sigma2.num, -(int) noise->sigma2.shift);
	*offset = noise->pure ? 0 : *step * unit / 2;
	for (int x = -far; x <= far; x++)
		p[(noise->pure ? abs(x + (int) unit) - abs(x) : x) + WIDE] += noise_p[x + WIDE];
	return reach;
}

/* A unit whose rows are alone with their values, in the worst way: the chance that any of them is kept. */
static double
shown(uint32_t unit, int64_t threshold, int far)
{
	double		most = 0;

	for (uint32_t each = 1; each <= unit; each++)
	{
		double		above = 0;

		for (int64_t x = threshold - each + 1; x <= far; x++)
			above += noise_p[x + WIDE];
		most = fmax(most, 1 - pow(1 - above, unit / each));
	}
	return most;
}

/*
 * The worst of all sets of outputs, both ways round, as a part of delta: in
 * `fresh` columns the unit is alone with its values, in the others it has
 * company and the whole noisy number is seen, whatever the threshold.
 */
static double
worst_of_many(const many *m)
{
	pegs_accountant accountant;
	pegs_share	share = pegs_share_out((int64_t) (m->epsilon * 1e9), (int64_t) (m->delta * 1e18), m->unit, m->columns, m->levels, m->in_rho, &accountant);
	pegs_accountant single;
	pegs_levels levels;
	double		most = 0;
	double		step;
	double		offset;
	double		show;
	int			far;
	int			reach;
	int			wide = 0;

	if (m->mistake == TWICE_THE_COST || m->mistake == COLUMNS_ALIKE)
		share.cost *= m->mistake == COLUMNS_ALIKE ? m->columns : 2;
	if (m->mistake == WHOLE_DELTA)
		share.delta = (int64_t) (m->delta * 1e18);
	single = accountant;
	if (!CHECK(pegs_levels_open(&env, &single, &rng, share.cost, share.delta, 10, &levels)))
		return 0;
	levels.threshold -= m->mistake == ONE_LOWER;
	far = probabilities(&levels.look.noise);
	show = shown(m->unit, levels.threshold, far);
	reach = losses(&levels.look.noise, m->unit, far, all_p[0], &step, &offset);
	memcpy(noise_p, all_p[0], sizeof(noise_p));
	memset(all_p[0], 0, sizeof(all_p[0]));
	all_p[0][WIDE] = 1;
	for (uint32_t seen = 0; seen <= m->columns; seen++)
	{
		uint32_t	fresh = m->columns - seen < m->levels ? m->columns - seen : m->levels;
		double		hidden = pow(1 - show, fresh);
		double		there = 1 - hidden;
		double		back = 0;

		/* ln of the ratio is loss where the unit is there, and its distribution the same the other way round */
		for (int i = -wide; i <= wide; i++)
		{
			double		loss = i * step + seen * offset;

			there += fmax(hidden * all_p[0][i + WIDE] - exp(m->epsilon - loss) * all_p[0][i + WIDE], 0);
			back += fmax(all_p[0][i + WIDE] - hidden * exp(m->epsilon - loss) * all_p[0][i + WIDE], 0);
		}
		most = fmax(most, fmax(there, back) / m->delta);
		if (seen == m->columns || !CHECK(wide + reach <= WIDE))
			break;
		memset(all_p[1], 0, sizeof(all_p[1]));
		for (int i = -wide; i <= wide; i++)
			for (int j = -reach; j <= reach; j++)
				all_p[1][i + j + WIDE] += all_p[0][i + WIDE] * noise_p[j + WIDE];
		memcpy(all_p[0], all_p[1], sizeof(all_p[0]));
		wide += reach;
	}
	arena_free(&memory);
	return most;
}

static void
test_many_columns(void)
{
	static const double epsilons[] = {1, 4};
	static const double deltas[] = {1e-6, 0.05};
	static const uint32_t shapes[][2] = {{1, 1}, {2, 1}, {2, 2}, {5, 3}, {MOST_COLUMNS, 1}, {MOST_COLUMNS, MOST_COLUMNS}};
	bool		pure[2] = {false, false};
	many		m = {0};

	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < 2; j++)
			for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++)
				for (uint32_t unit = 1; unit <= 3; unit += 2)
				{
					pegs_accountant accountant;
					double		worst_part;

					m = (many) {epsilons[i], deltas[j], unit, shapes[k][0], shapes[k][1], NO_MISTAKE, false};
					(void) pegs_share_out((int64_t) (m.epsilon * 1e9), (int64_t) (m.delta * 1e18), unit, m.columns, m.levels, m.in_rho, &accountant);
					pure[accountant.pure] = true;
					worst_part = worst_of_many(&m);
					if (!CHECK(worst_part <= 1 + 1e-6))
						printf("  epsilon %g, delta %g, unit %" PRIu32 ", %" PRIu32 " columns, %" PRIu32 " of levels: %g of delta\n", m.epsilon, m.delta, unit, m.columns, m.levels, worst_part);
				}
	CHECK(pure[false] && pure[true]);
	/* where rho is paid, Gaussian noise for one column, too */
	for (uint32_t unit = 1; unit <= 3; unit += 2)
		for (size_t k = 0; k < 2; k++)
		{
			pegs_accountant accountant;

			m = (many) {1, 1e-6, unit, shapes[k][0], shapes[k][1], NO_MISTAKE, true};
			(void) pegs_share_out((int64_t) (m.epsilon * 1e9), (int64_t) (m.delta * 1e18), unit, m.columns, m.levels, m.in_rho, &accountant);
			CHECK(!accountant.pure);
			CHECK(worst_of_many(&m) <= 1 + 1e-6);
		}
	/* what must break it */
	m = (many) {1, 1e-3, 1, 2, 1, TWICE_THE_COST, false};
	CHECK(worst_of_many(&m) > 2);
	m = (many) {1, 1e-3, 1, 5, 3, COLUMNS_ALIKE, false};
	CHECK(worst_of_many(&m) > 20);
	m = (many) {1, 1e-3, 1, MOST_COLUMNS, MOST_COLUMNS, WHOLE_DELTA, false};
	CHECK(worst_of_many(&m) > 1.2);
	m = (many) {1, 1e-3, 1, 1, 1, ONE_LOWER, false};
	CHECK(worst_of_many(&m) > 1.5);
}

/* Gaussian noise is taken only where what each column may spend buys some. */
static void
test_something_is_bought(void)
{
	for (uint32_t unit = 1; unit <= 1024; unit *= 4)
		for (double epsilon = 1e-5; epsilon < 10; epsilon *= 3)
			for (uint32_t columns = 1; columns <= 64; columns *= 2)
			{
				pegs_accountant accountant;
				pegs_share	share = pegs_share_out((int64_t) (epsilon * 1e9), 1000000000000, unit, columns, columns, false, &accountant);
				bool		all = true;

				for (uint32_t i = 0; i < columns; i++)
				{
					pegs_levels levels;

					all &= pegs_levels_open(&env, &accountant, &rng, share.cost, share.delta, 10, &levels);
				}
				if (!CHECK(all && columns * share.delta + accountant.delta <= 1000000000000 && accountant.spent <= accountant.total))
					printf("  unit %" PRIu32 ", epsilon %g, %" PRIu32 " columns\n", unit, epsilon, columns);
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

/*
 * In an account in rho pure shares must not cost less than what is spent of them:
 * the square of each by half, of as many as there are, against integers. Nor more than of
 * a unit of epsilon above an n-th.
 */
static void
test_rho_of_shares(void)
{
	start(7);
	for (int i = 0; i < 5000; i++)
	{
		uint32_t	n = 1 + (uint32_t) any_size(1600);
		int64_t		epsilon = n + (int64_t) any_size(INT64_C(4000) * PEGS_EPSILON_UNIT);
		int64_t		one_more = pegs_rho_of_pure(epsilon / n + 1);
		int64_t		together = pegs_rho_of_pure(epsilon);
		pegs_accountant accountant;
		pegs_share	share = pegs_share_out(epsilon, 0, 1, n, 0, true, &accountant);
		pegs_u128	spent = 0;
		int64_t		rho = pegs_rho_of_shares(&accountant, n);

		for (uint32_t column = 0; column < n; column++)
		{
			pegs_look	look;

			if (pegs_look_open(&accountant, PEGS_FOR_ONEWAY, share.cost, &look))
				spent += (pegs_u128) look.spent * look.spent;
		}
		CHECK(rho == together || (pegs_u128) rho << 51 >= spent);
		CHECK(rho <= together);
		CHECK(rho == together || rho <= (int64_t) n * one_more);
	}
}

/* What every column spends of its share is one, in two looks as well; half as much again is none. Of pure noise: one unit of 1e-9 above the n-th of epsilon is charged, and no more. */
static void
test_is_a_share(void)
{
	start(8);
	for (int i = 0; i < 5000; i++)
	{
		uint32_t	n = 2 + (uint32_t) any_size(1600);
		int64_t		epsilon = 1000 * (int64_t) n + (int64_t) any_size(INT64_C(900) * PEGS_EPSILON_UNIT);
		int64_t		delta = i % 2 == 0 ? 0 : 1 + (int64_t) any_size(INT64_C(1000000000000));
		pegs_accountant accountant;
		pegs_share	share = pegs_share_out(epsilon, delta, 1, n, 0, true, &accountant);
		uint64_t	before = accountant.spent;
		bool		all = true;
		pegs_look	look;
		pegs_u128	paid = (pegs_u128) (epsilon / n + 1) << PEGS_COST_BITS;

		for (uint32_t column = 0; column < n; column++)
		{
			before = accountant.spent;
			if (i % 4 >= 2)
				(void) pegs_look_open(&accountant, PEGS_FOR_ONEWAY, share.cost / 2, &look);
			(void) pegs_look_open(&accountant, PEGS_FOR_ONEWAY, share.cost - ldexp((double) (accountant.spent - before), -PEGS_COST_BITS), &look);
			all = all && pegs_is_a_share(&accountant, n, accountant.spent - before);
		}
		CHECK(all);
		CHECK(!pegs_is_a_share(&accountant, n, accountant.total / n * 3 / 2));
		if (accountant.pure)
		{
			CHECK(pegs_is_a_share(&accountant, n, (uint64_t) (paid / PEGS_EPSILON_UNIT)));
			CHECK(!pegs_is_a_share(&accountant, n, (uint64_t) (paid / PEGS_EPSILON_UNIT) + 1));
		}
	}
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
	test_many_columns();
	test_something_is_bought();
	test_refused();
	test_rho_of_shares();
	test_is_a_share();
	return unit_done("levels_test");
}
