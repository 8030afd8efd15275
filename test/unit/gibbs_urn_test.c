/*
 * gibbs_urn_test.c
 *	  Sealed samples from urns: claim P18, docs/privacy.md.
 *
 * By enumeration on tiny domains: all tables up to a size, all neighbours, all
 * seeds, all ways of hidden sweeps, and the probability of every output on both
 * tables: the likelihood ratio against columns ln(1 + v/alpha), the hockey stick
 * against delta, Renyi divergences against the bound of the claim. Then what no
 * enumeration reaches, any number of draws: the hockey sticks of pairs of Beta
 * distributions, as integrals.
 *
 * The plug-in sampler, which puts nothing back, and half of alpha must break
 * the bounds here.
 */
#include "core/pegs/gibbs.h"
#include "core/pegs/weights.h"

#include <math.h>
#include <string.h>

#include "core/compare/bound.h"
#include "core/epsilon.h"
#include "sweep.h"

#define MAX_LEVELS	3
#define MAX_OUTPUTS 4096
#define ONE			(UINT64_C(1) << PEGS_ALPHA_BITS)

typedef struct trial
{
	const model *model;
	pegs_layout layout;
	pegs_gibbs	sampler[2];
	uint64_t   *cells[2];
	int32_t		given[MAX_COLUMNS];
	uint32_t	rows;			/* of the sample */
	uint32_t	sweeps;			/* of a row */
	bool		plug_in;		/* nothing is put back */
	double		epsilon;
	uint16_t	row[MAX_COLUMNS];
	long double p[2][MAX_OUTPUTS];

	/* the worst of all */
	double		ratio;			/* |ln| */
	double		delta;
	double		renyi[16];		/* of each order from 2 on */
} trial;

static trial t;

static void
trial_init(const model *m, uint32_t rows, uint32_t sweeps, uint64_t alpha, double epsilon)
{
	memset(&t, 0, sizeof(t));
	t.model = m;
	t.rows = rows;
	t.sweeps = sweeps;
	t.epsilon = epsilon;
	memset(t.given, 0xff, sizeof(t.given));
	build_layout(m, &t.layout);
	for (int k = 0; k < 2; k++)
	{
		t.cells[k] = env.alloc(env.context, sizeof(uint64_t) * t.layout.ncells);
		t.sampler[k] = (pegs_gibbs) {.layout = &t.layout, .cells = t.cells[k], .alpha = alpha, .block = 1, .sweeps = sweeps, .given = t.given};
		pegs_gibbs_init(&env, &t.sampler[k]);
	}
}

static void
put_row(int k, uint32_t cell, uint64_t times)
{
	uint16_t	row[MAX_COLUMNS];

	row_of(t.model, cell, row);
	for (uint32_t i = 0; i < t.model->ncols; i++)
		t.cells[k][t.layout.offset[i] + pegs_layout_key(&t.layout, i, row) * t.layout.levels[i] + row[i]] += times;
}

/* All ways to go on, as pegs_gibbs_next goes; the output is the rows so far, as a number. */
static void
walk(uint32_t column, uint32_t swept, uint32_t output, long double p, long double q)
{
	uint64_t	weight[2][MAX_LEVELS];
	uint64_t	sum[2];
	uint64_t	key;
	uint16_t	before;

	if (column == t.model->ncols)
	{
		if ((swept + 1) % t.sweeps == 0)
			output = output * domain(t.model) + cell_of(t.model, t.row);
		if (swept + 1 < t.rows * t.sweeps)
			walk(0, swept + 1, output, p, q);
		else
		{
			t.p[0][output] += p;
			t.p[1][output] += q;
		}
		return;
	}
	key = pegs_layout_key(&t.layout, column, t.row);
	for (int k = 0; k < 2; k++)
		sum[k] = pegs_gibbs_weights(&t.sampler[k], column, key, weight[k]);
	before = t.row[column];
	for (uint32_t j = 0; j < t.model->levels[column]; j++)
	{
		uint64_t	place = t.layout.offset[column] + key * t.layout.levels[column] + j;

		t.row[column] = (uint16_t) j;
		for (int k = 0; k < 2 && !t.plug_in; k++)
			pegs_gibbs_put_back(&t.sampler[k], column, key, j);
		walk(column + 1, swept, output, p * weight[0][j] / sum[0], q * weight[1][j] / sum[1]);
		for (int k = 0; k < 2 && !t.plug_in; k++)
			t.sampler[k].urn[place]--;
	}
	t.row[column] = before;
}

static void
all_outputs(void)
{
	uint32_t	outputs = 1;

	for (uint32_t i = 0; i < t.rows; i++)
		outputs *= domain(t.model);
	CHECK(outputs <= MAX_OUTPUTS);
	for (int k = 0; k < 2; k++)
		pegs_gibbs_fill_urns(&t.sampler[k]);
	for (uint32_t seed = 0; seed < domain(t.model); seed++)
	{
		long double over[2] = {0, 0};
		long double power[2][16] = {{0}};
		long double all = 0;
		long double e = expl((long double) t.epsilon);

		memset(t.p, 0, sizeof(t.p));
		row_of(t.model, seed, t.row);
		walk(0, 0, 0, 1, 1);
		for (uint32_t x = 0; x < outputs; x++)
			for (int way = 0; way < 2; way++)
			{
				long double p = t.p[way][x];
				long double q = t.p[!way][x];
				long double term = p;

				all += p;
				t.ratio = fmax(t.ratio, (double) fabsl(logl(p / q)));
				over[way] += p > e * q ? p - e * q : 0;
				for (int a = 0; a < 16; a++)
					power[way][a] += term *= p / q;
			}
		CHECK(fabsl(all - 2) < 1e-12L);
		for (int way = 0; way < 2; way++)
		{
			t.delta = fmax(t.delta, (double) over[way]);
			for (int a = 0; a < 16; a++)
				t.renyi[a] = fmax(t.renyi[a], (double) logl(power[way][a]) / (a + 1));
		}
	}
}

/* Every table with up to `rows` more rows from `cell` on, and one row more in the second. */
static void
all_tables(uint32_t cell, uint32_t rows)
{
	for (uint32_t x = 0; x < domain(t.model); x++)
	{
		put_row(1, x, 1);
		all_outputs();
		put_row(1, x, (uint64_t) -1);
	}
	for (uint32_t x = cell; x < domain(t.model) && rows > 0; x++)
	{
		for (int k = 0; k < 2; k++)
			put_row(k, x, 1);
		all_tables(x, rows - 1);
		for (int k = 0; k < 2; k++)
			put_row(k, x, (uint64_t) -1);
	}
}

static const model coin = {1, {2}, {""}, 0};
static const model die = {1, {3}, {""}, 0};
static const model two_two = {2, {2, 2}, {"1", "0"}, 0};
static const model apart = {2, {2, 2}, {"", ""}, 0};

/* The design's figures, of an independent enumeration in exact rationals: tables of at most `limit` rows, and one more. */
static void
test_ratios(void)
{
	static const struct
	{
		const model *model;
		uint32_t	limit;
		uint32_t	rows;
		uint32_t	sweeps;
		uint64_t	alpha;
		double		worst;
	}			line[] = {
		{&coin, 5, 5, 1, ONE / 2, 1.791759}, {&die, 3, 4, 1, ONE / 2, 1.561236}, {&die, 3, 4, 1, 2 * ONE, 0.730888},
		{&two_two, 3, 1, 1, 2 * ONE, 0.4745}, {&two_two, 3, 2, 1, 2 * ONE, 0.7621}, {&two_two, 3, 3, 1, 2 * ONE, 0.9571},
		{&two_two, 3, 1, 2, 2 * ONE, 0.3493}, {&two_two, 3, 1, 3, 2 * ONE, 0.3390}, {&apart, 2, 2, 2, 2 * ONE, 0}
	};

	for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++)
	{
		uint32_t	columns = line[i].model->ncols;
		double		bound;

		trial_init(line[i].model, line[i].rows, line[i].sweeps, line[i].alpha, 1);
		all_tables(0, line[i].limit);
		bound = columns * log1p(line[i].rows * line[i].sweeps * 65536.0 / (double) line[i].alpha);
		if (!CHECK(t.ratio <= bound * (1 + 1e-12) && (line[i].worst == 0 || fabs(t.ratio - line[i].worst) < 0.00005 * 1.01)))
			printf("  line %zu: worst %.6f, printed %.6f, bound %.6f\n", i, t.ratio, line[i].worst, bound);
		arena_free(&memory);
	}
}

/* From epsilon and delta to alpha, and back by enumeration. */
static void
test_paid(void)
{
	static const struct
	{
		const model *model;
		uint32_t	rows;
		uint32_t	sweeps;
	}			line[] = {{&coin, 1, 1}, {&coin, 8, 1}, {&coin, 4, 3}, {&die, 5, 1}, {&two_two, 3, 1}, {&two_two, 3, 2}, {&apart, 2, 2}};
	static const double budget[][2] = {{0.5, 1e-2}, {1, 1e-3}, {3, 1e-2}, {6, 1e-6}};

	for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++)
		for (size_t b = 0; b < sizeof(budget) / sizeof(budget[0]); b++)
		{
			uint32_t	columns = line[i].model->ncols;
			int64_t		epsilon = (int64_t) (budget[b][0] * 1e9);
			uint64_t	alpha;

			CHECK(pegs_alpha_urn(epsilon, columns, line[i].rows * line[i].sweeps, 3, &alpha) == PEGS_OK);
			trial_init(line[i].model, line[i].rows, line[i].sweeps, alpha, budget[b][0]);
			all_tables(0, 2);
			CHECK(t.ratio <= budget[b][0]);
			arena_free(&memory);
			CHECK(pegs_alpha_urn_renyi(epsilon, (int64_t) (budget[b][1] * 1e18), columns, 3, &alpha) == PEGS_OK);
			trial_init(line[i].model, line[i].rows, line[i].sweeps, alpha, budget[b][0]);
			all_tables(0, 2);
			CHECK(t.delta <= budget[b][1]);
			for (uint64_t order = 2; order < 18 && (order - 1) * ONE < alpha; order++)
			{
				double		sum = 0;

				for (uint64_t j = 1; j < order; j++)
					sum -= log1p(-(double) (j * ONE) / (double) alpha);
				CHECK(t.renyi[order - 2] <= columns * sum / (double) (order - 1));
			}
			arena_free(&memory);
		}
}

/* The hockey stick of independent draws of a coin: of an empty table, and of one with a row. */
static double
plug_in_delta(double alpha, int draws, double epsilon)
{
	double		p = (alpha + 1) / (2 * alpha + 1);
	double		delta = 0;

	for (int k = 0; k <= draws; k++)
	{
		double		ways = lgamma(draws + 1) - lgamma(k + 1) - lgamma(draws - k + 1);

		delta += fmax(0, exp(ways + k * log(p) + (draws - k) * log1p(-p)) - exp(epsilon + ways - draws * log(2)));
	}
	return delta;
}

/* Nothing put back: each draw costs again. */
static void
test_plug_in(void)
{
	uint64_t	alpha;
	double		sum;

	CHECK(pegs_alpha_urn(3 * PEGS_EPSILON_UNIT, 1, 10, 2, &alpha) == PEGS_OK);
	trial_init(&coin, 10, 1, alpha, 3);
	all_tables(0, 6);
	CHECK(t.ratio <= 3);
	t.plug_in = true;
	all_tables(0, 6);
	CHECK(t.ratio > 4);
	arena_free(&memory);
	/* with delta: any number of draws from an urn stays within the bound, and 200 of the plug-in do not */
	CHECK(pegs_alpha_urn_renyi(PEGS_EPSILON_UNIT, PEGS_DELTA_UNIT / 10, 1, 2, &alpha) == PEGS_OK);
	sum = -log1p(-(double) ONE / (double) alpha);
	trial_init(&coin, 12, 1, alpha, 1);
	all_tables(0, 3);
	CHECK(t.renyi[0] <= sum && t.delta <= 0.1);
	CHECK(plug_in_delta((double) alpha / ONE, 200, 1) > 0.3);
	arena_free(&memory);
}

/* pegs_gibbs_next is what was enumerated: so many sweeps a row, each draw put back, nothing else; and a new call begins anew. */
static void
test_sampler(void)
{
	const uint64_t filled = 3;

	for (uint32_t sweeps = 1; sweeps <= 3; sweeps++)
	{
		uint64_t	words = 0;

		trial_init(&two_two, 5, sweeps, 3 * ONE / 2, 1);
		put_row(0, 1, filled);
		pegs_gibbs_fill_urns(&t.sampler[0]);
		start(3);
		CHECK(pegs_gibbs_seed(&t.sampler[0], &rng, 1));
		for (uint32_t r = 0; r < 5; r++)
		{
			pegs_gibbs_next(&t.sampler[0], &rng);
			words = 0;
			for (uint64_t c = 0; c < t.layout.ncells; c++)
				words += t.sampler[0].urn[c] - t.cells[0][c];
			CHECK_INT(words, 2 * sweeps * (r + 1));
		}
		pegs_gibbs_fill_urns(&t.sampler[0]);
		CHECK(memcmp(t.sampler[0].urn, t.cells[0], sizeof(uint64_t) * t.layout.ncells) == 0);
		arena_free(&memory);
	}
}

/* ---------- any number of draws ---------- */

/* E over p of Beta(a, total - a) of max(0, weight(p) - factor), in steps that are small against its spread. */
static double
beta_mean(double a, double total, double low, double high, int steps, double (*value) (double p, const void *arg), const void *arg)
{
	double		b = total - a;
	double		constant = lgamma(total) - lgamma(a) - lgamma(b);
	double		sum = 0;
	double		step = (high - low) / steps;

	for (int i = 0; i < steps; i++)
	{
		double		p = low + (i + 0.5) * step;

		sum += value(p, arg) * exp(constant + (a - 1) * log(p) + (b - 1) * log1p(-p));
	}
	return sum * step;
}

typedef struct stick
{
	double		slope;			/* the ratio is slope p, or slope / p */
	bool		up;
	double		factor;			/* e^epsilon */
	const struct stick *inner;	/* of the second urn */
	double		a;
	double		total;
} stick;

static double over(const stick *s, int steps);

static double
excess(double p, const void *arg)
{
	const stick *s = arg;
	double		ratio = s->up ? s->slope * p : s->slope / p;

	if (s->inner)
	{
		stick		inner = *s->inner;

		inner.factor = s->factor / ratio;
		return ratio * over(&inner, 300);
	}
	return fmax(0, ratio - s->factor);
}

/* The hockey stick: of the larger table against the smaller (up), or the other way round. */
static double
over(const stick *s, int steps)
{
	/* up: p of the smaller table; down: of the larger one */
	double		a = s->up ? s->a : s->a + 1;
	double		total = s->up ? s->total : s->total + 1;
	double		mean = a / total;
	double		sd = sqrt(mean * (1 - mean) / (total + 1));
	double		low = fmax(0, mean - 14 * sd);
	double		high = fmin(1, mean + 14 * sd + 40 / total);
	double		edge = s->up ? s->factor / s->slope : s->slope / s->factor;

	if (!s->inner && s->up)
		low = fmax(low, edge);
	if (!s->inner && !s->up)
		high = fmin(high, edge);
	return high > low ? beta_mean(a, total, low, high, steps, excess, s) : 0;
}

static stick
stick_of(double a, double total, bool up, double epsilon)
{
	return (stick) {.slope = up ? total / a : a / total, .up = up, .factor = exp(epsilon), .a = a, .total = total};
}

/* The largest true delta over the claimed one, of random counts; M of one urn or two. */
static double
worst_share(double alpha, uint32_t columns, double epsilon, double delta, int pairs)
{
	double		worst = 0;

	for (int i = 0; i < pairs; i++)
	{
		stick		s[2][2];

		for (uint32_t c = 0; c < columns; c++)
		{
			double		a = alpha + (i % 2 == 0 ? 0 : (double) pegs_rng_below(&rng, 30));
			double		total = a + alpha + (i % 3 == 0 ? 1e5 : (double) pegs_rng_below(&rng, 1000));

			for (int up = 0; up < 2; up++)
				s[up][c] = stick_of(a, total, up, epsilon);
		}
		for (int up = 0; up < 2; up++)
		{
			if (columns == 2)
				s[up][0].inner = &s[up][1];
			worst = fmax(worst, over(&s[up][0], columns == 2 ? 300 : 4000) / delta);
		}
	}
	return worst;
}

static void
test_hockey_sticks(void)
{
	static const double budget[][3] = {{1, 1e-6, 28.30}, {1, 1e-9, 45.79}, {0.5, 1e-6, 89.05}, {3, 1e-6, 6.21}};

	start(5);
	for (size_t b = 0; b < sizeof(budget) / sizeof(budget[0]); b++)
		for (uint32_t columns = 1; columns <= 2; columns++)
		{
			int64_t		epsilon = (int64_t) (budget[b][0] * 1e9);
			int64_t		delta = (int64_t) (budget[b][1] * 1e18);
			uint64_t	alpha;
			double		share;

			CHECK(pegs_alpha_urn_renyi(epsilon, delta, columns, 2, &alpha) == PEGS_OK);
			if (columns == 1)
				CHECK(fabs((double) alpha / 65536 - budget[b][2]) < 0.01);
			share = worst_share((double) alpha / 65536, columns, budget[b][0], budget[b][1], columns == 1 ? 200 : 12);
			CHECK(share <= 1 && share > 0.001);
			/* half of it must be seen */
			CHECK(worst_share((double) alpha / 131072, columns, budget[b][0], budget[b][1], columns == 1 ? 50 : 6) > 1);
		}
}

/* ---------- alpha ---------- */

static void
test_alphas(void)
{
	/* columns, epsilon, alpha at delta 1e-9 */
	static const double printed[][3] = {
		{1, 0.1, 2920.8}, {1, 1, 45.8}, {1, 10, 3.01}, {4, 0.1, 11388.1}, {4, 1, 145.3}, {4, 10, 3.63}, {5, 1, 178.7}, {14, 0.1, 39614.5}, {14, 1, 479.1}, {14, 10, 8.1}
	};
	static const double in_blocks[][3] = {{5, 1, 4999.5}, {14, 0.1, 139999.5}, {14, 1, 13999.5}, {14, 10, 1399.5}};
	uint64_t	alpha;
	uint64_t	before = UINT64_MAX;

	for (size_t i = 0; i < sizeof(printed) / sizeof(printed[0]); i++)
	{
		CHECK(pegs_alpha_urn_renyi((int64_t) (printed[i][1] * 1e9), PEGS_DELTA_UNIT / 1000000000, (uint64_t) printed[i][0], 100, &alpha) == PEGS_OK);
		if (!CHECK(fabs((double) alpha / 65536 / printed[i][2] - 1) < 0.002))
			printf("  %g columns, epsilon %g: %g\n", printed[i][0], printed[i][1], (double) alpha / 65536);
	}
	/* pure: 14 columns, 1,000 rows */
	CHECK(pegs_alpha_urn(PEGS_EPSILON_UNIT, 14, 1000, 100, &alpha) == PEGS_OK);
	CHECK(fabs((double) alpha / 65536 - 13506.0) < 0.1);
	CHECK(pegs_alpha_urn(10 * PEGS_EPSILON_UNIT, 1, 1000, 100, &alpha) == PEGS_OK);
	CHECK(fabs((double) alpha / 65536 - 0.0454) < 0.0001);
	/* beside them the sampler in blocks of one row, of 1,000: columns, epsilon, alpha */
	for (size_t i = 0; i < sizeof(in_blocks) / sizeof(in_blocks[0]); i++)
	{
		CHECK(pegs_alpha((int64_t) (in_blocks[i][1] * 1e9), (uint64_t) in_blocks[i][0] * 1000, 2, &alpha) == PEGS_OK);
		CHECK(fabs((double) alpha / 65536 - in_blocks[i][2]) < 0.05);
	}
	/* every answer holds, a smaller one does not, more epsilon needs no more; tiny epsilon, huge alpha */
	for (int64_t epsilon = 1; epsilon < INT64_C(1000000000000); epsilon *= 3)
	{
		pegs_status status = pegs_alpha_urn_renyi(epsilon, 1000, 3, 2, &alpha);

		CHECK(status == PEGS_OK || (status == PEGS_ERR_RANGE && epsilon < 1000000));
		if (status != PEGS_OK)
			continue;
		CHECK(alpha <= before && pegs_urn_holds(epsilon, 1000, 3, alpha) && !pegs_urn_holds(epsilon, 1000, 3, alpha - 1));
		before = alpha;
	}
	CHECK(pegs_alpha_urn_renyi(0, 1, 1, 2, &alpha) == PEGS_ERR_ARGUMENT);
	CHECK(pegs_alpha_urn_renyi(1, 0, 1, 2, &alpha) == PEGS_ERR_ARGUMENT);
	CHECK(pegs_alpha_urn_renyi(1, PEGS_DELTA_UNIT, 1, 2, &alpha) == PEGS_ERR_ARGUMENT);
	CHECK(pegs_alpha_urn_renyi(1, 1, 0, 2, &alpha) == PEGS_ERR_ARGUMENT);
	CHECK(pegs_alpha_urn(PEGS_EPSILON_UNIT, 1, UINT64_C(1) << 46, 2, &alpha) == PEGS_ERR_RANGE);
	CHECK(pegs_alpha_urn(0, 1, 1, 2, &alpha) == PEGS_ERR_ARGUMENT);
	CHECK(pegs_alpha_urn(1, 1, 0, 2, &alpha) == PEGS_ERR_ARGUMENT);
}

/* What pegs_audit computes of two tables: at most what was paid, and nearly that where the level is empty and the rest is large. */
static void
test_worth(void)
{
	for (int i = 0; i < 4; i++)
	{
		int64_t		epsilon = PEGS_EPSILON_UNIT << i;
		double		claimed = (double) epsilon * 1e-9;
		double		a[3];
		double		total[3];
		double		worth;
		uint64_t	alpha;

		CHECK(pegs_alpha_urn_renyi(epsilon, PEGS_DELTA_UNIT / 1000000, 3, 2, &alpha) == PEGS_OK);
		for (int c = 0; c < 3; c++)
		{
			a[c] = (double) alpha / 65536;
			total[c] = 1e9;
		}
		worth = pegs_epsilon_of_urns(a, total, 3, 1e-6);
		CHECK(worth <= claimed && worth > 0.99 * claimed);
		for (int c = 0; c < 3; c++)
			a[c] /= 2;
		CHECK(pegs_epsilon_of_urns(a, total, 3, 1e-6) > claimed);
		for (int c = 0; c < 3; c++)
			a[c] *= 100;
		CHECK(pegs_epsilon_of_urns(a, total, 3, 1e-6) < claimed / 2);
	}
}

int
main(void)
{
	start(1);
	test_ratios();
	test_paid();
	test_plug_in();
	test_sampler();
	test_hockey_sticks();
	test_alphas();
	test_worth();
	return unit_done("gibbs_urn_test");
}
