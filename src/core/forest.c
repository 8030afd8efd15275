/*
 * forest.c
 *	  The fit-once engine, first stage.
 *
 * Private counts are touched in two functions only: exact_table(), whose
 * result goes into pegs_measure, and score_of(), whose result goes into
 * pegs_choose. Claims P6 and P7, docs/privacy.md.
 */
#include "forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "merge.h"
#include "oneway.h"

/* Shares of the budget and grids, from engine-g2 section 3. */
static const double FIRST_LOOK = 0.10;	/* of the total, on 1-ways */
static const double ONEWAY_LEAST = 0.15;
static const double ONEWAY_MOST = 0.70;
static const double WANTED_TV = 0.02;	/* total variation wanted of a 1-way */
static const double LEVEL_POWER = 0.67; /* share of a 1-way ~ levels^this */
static const double FOREST_SHARE = 0.80;	/* of what the 1-ways leave */
static const double CHOICE_SHARE = 0.12;	/* of a pair's cost, for choosing it */
static const double NOISE_CHARGE = 0.6; /* of the expected noise, in the score */
static const int GRIDS[] = {1, 3, 6, 15};	/* cells offered: N / (k sd) */

#define NGRIDS (sizeof(GRIDS) / sizeof(GRIDS[0]))

typedef struct oneway
{
	double	   *noisy;			/* inverse-variance mean of the measurements */
	double		variance;		/* < 0: not measured yet */
} oneway;

typedef struct candidate
{
	uint32_t	a;
	uint32_t	b;
	uint32_t	ka;
	uint32_t	kb;
	int64_t		score;
} candidate;

typedef struct fit
{
	const pegs_env *env;
	pegs_rng   *rng;
	const pegs_layout *layout;
	const uint64_t *cells;		/* private */
	pegs_forest *forest;
	pegs_account *account;
	oneway	   *one;
	pegs_merge *merge;
} fit;

static void *
alloc(const fit *f, size_t n, size_t size)
{
	return f->env->alloc(f->env->context, n * size);
}

/* ---- private counts ---- */

/* The exact pair on classes: a partition of the rows, sensitivity 1. */
static int64_t *
exact_table(const fit *f, uint32_t a, uint32_t b, uint32_t ka, uint32_t kb,
			const uint16_t *class_a, const uint16_t *class_b)
{
	const uint64_t *cell = f->cells + f->layout->pair_offset[a * f->layout->ncols + b];
	uint32_t	na = f->layout->levels[a];
	uint32_t	nb = f->layout->levels[b];
	int64_t    *table = alloc(f, (size_t) ka * kb, sizeof(int64_t));

	for (uint32_t x = 0; x < na; x++)
	{
		int64_t    *row = table + (size_t) class_a[x] * kb;

		for (uint32_t y = 0; y < nb; y++)
			row[class_b[y]] += (int64_t) *cell++;
	}
	return table;
}

/* Sum of a column's shares per class. */
static double *
class_shares(const fit *f, uint32_t column, uint32_t k, const uint16_t *class_of)
{
	double	   *p = alloc(f, k, sizeof(double));

	for (uint32_t i = 0; i < f->layout->levels[column]; i++)
		p[class_of[i]] += f->forest->share[column][i];
	return p;
}

/*
 * L1 distance between the private table and the released product of 1-ways,
 * rounded to integers first, minus a public charge for noise: sensitivity 1.
 * Claim P7.
 */
static int64_t
score_of(const fit *f, const candidate *c, double noise_abs)
{
	uint16_t   *class_a = alloc(f, f->layout->levels[c->a], sizeof(uint16_t));
	uint16_t   *class_b = alloc(f, f->layout->levels[c->b], sizeof(uint16_t));
	double	   *pa;
	double	   *pb;
	int64_t    *table;
	int64_t		distance = 0;

	pegs_merge_cut(&f->merge[c->a], c->ka, class_a);
	pegs_merge_cut(&f->merge[c->b], c->kb, class_b);
	pa = class_shares(f, c->a, c->ka, class_a);
	pb = class_shares(f, c->b, c->kb, class_b);
	table = exact_table(f, c->a, c->b, c->ka, c->kb, class_a, class_b);
	for (uint32_t x = 0; x < c->ka; x++)
		for (uint32_t y = 0; y < c->kb; y++)
			distance += llabs(table[(size_t) x * c->kb + y] - llround(f->forest->rows * pa[x] * pb[y]));
	return distance - llround(fmin(NOISE_CHARGE * noise_abs * c->ka * c->kb, 0x1p52));
}

/* ---- 1-ways ---- */

static void
measure_oneway(fit *f, uint32_t column, double cost)
{
	uint32_t	n = f->layout->levels[column];
	oneway	   *one = &f->one[column];
	double	   *noisy = alloc(f, n, sizeof(double));
	double		variance = pegs_measure(f->account, f->rng, PEGS_FOR_ONEWAY, cost,
										(const int64_t *) (f->cells + f->layout->offset[column]), noisy, n);

	if (variance < 0)
		return;
	if (one->variance < 0)
	{
		one->noisy = noisy;
		one->variance = variance;
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		one->noisy[i] = (one->noisy[i] * variance + noisy[i] * one->variance) / (variance + one->variance);
	one->variance = one->variance * variance / (one->variance + variance);
}

static void
measure_oneways(fit *f, double cost, const double *share)
{
	for (uint32_t i = 0; i < f->layout->ncols; i++)
		measure_oneway(f, i, cost * share[i]);
}

/* Shares ~ size^power; in the pure engine precision grows with the square of the cost. */
static void
shares_by_size(const fit *f, const double *size, double *share)
{
	double		power = f->account->pure ? LEVEL_POWER / 2 : LEVEL_POWER;
	double		sum = 0;

	for (uint32_t i = 0; i < f->layout->ncols; i++)
		sum += share[i] = pow(fmin(size[i], 64), power);
	for (uint32_t i = 0; i < f->layout->ncols; i++)
		share[i] /= sum;
}

/* Number of rows: inverse-variance mean of the sums of all tables measured. */
static void
estimate_rows(fit *f)
{
	double		sum = 0;
	double		weight = 0;

	for (uint32_t i = 0; i < f->layout->ncols; i++)
	{
		const oneway *one = &f->one[i];
		double		w = one->variance < 0 ? 0 : 1 / (one->variance * f->layout->levels[i]);

		weight += w;
		for (uint32_t j = 0; w > 0 && j < f->layout->levels[i]; j++)
			sum += w * one->noisy[j];
	}
	for (uint32_t p = 0; p < f->forest->npairs; p++)
	{
		const pegs_pair *pair = &f->forest->pair[p];
		size_t		n = (size_t) pair->ka * pair->kb;
		double		w = 1 / (pair->variance * (double) n);

		weight += w;
		for (size_t j = 0; j < n; j++)
			sum += w * pair->noisy[j];
	}
	f->forest->rows = weight > 0 ? fmax(1, sum / weight) : 1;
}

/* Coarser cuts after finer ones: what pegs_nested_least_squares wants. */
static int
fine_to_coarse(const void *a, const void *b)
{
	uint32_t	x = ((const pegs_class_sums *) a)->k;
	uint32_t	y = ((const pegs_class_sums *) b)->k;

	return (x < y) - (x > y);
}

/* One column: its own measurements, the class sums of its pairs, then the simplex. */
static void
estimate_oneway(fit *f, uint32_t column)
{
	pegs_forest *forest = f->forest;
	uint32_t	n = f->layout->levels[column];
	pegs_class_sums *sums = alloc(f, forest->npairs + 1, sizeof(pegs_class_sums));
	uint32_t	nsums = 0;
	double	   *y = alloc(f, n, sizeof(double));

	if (f->one[column].variance < 0)
	{
		for (uint32_t i = 0; i < n; i++)
			forest->share[column][i] = 1.0 / n;
		return;
	}
	memcpy(y, f->one[column].noisy, sizeof(double) * n);
	pegs_haar_garrote(f->env, y, n, f->one[column].variance);
	for (uint32_t p = 0; p < forest->npairs; p++)
	{
		const pegs_pair *pair = &forest->pair[p];
		bool		first = pair->a == column;
		double	   *value;

		if (!first && pair->b != column)
			continue;
		value = alloc(f, first ? pair->ka : pair->kb, sizeof(double));
		for (uint32_t x = 0; x < pair->ka; x++)
			for (uint32_t z = 0; z < pair->kb; z++)
				value[first ? x : z] += pair->noisy[(size_t) x * pair->kb + z];
		sums[nsums].k = first ? pair->ka : pair->kb;
		sums[nsums].class_of = first ? pair->class_a : pair->class_b;
		sums[nsums].value = value;
		sums[nsums].variance = pair->variance * (first ? pair->kb : pair->ka);
		nsums++;
	}
	qsort(sums, nsums, sizeof(pegs_class_sums), fine_to_coarse);
	pegs_nested_least_squares(f->env, y, n, f->one[column].variance, sums, nsums);
	pegs_project_simplex(y, n, forest->rows, alloc(f, n, sizeof(double)));
	for (uint32_t i = 0; i < n; i++)
		forest->share[column][i] = y[i] / forest->rows;
}

static void
estimate_oneways(fit *f)
{
	estimate_rows(f);
	for (uint32_t i = 0; i < f->layout->ncols; i++)
		estimate_oneway(f, i);
}

/* Step A: look once, see how much is worth spending, spend it where levels are. */
static void
fit_oneways(fit *f)
{
	uint32_t	m = f->layout->ncols;
	double		total = (double) f->account->total * 0x1p-50;
	double	   *size = alloc(f, m, sizeof(double));
	double	   *share = alloc(f, m, sizeof(double));
	double	   *spent = alloc(f, m, sizeof(double));
	double	   *want = alloc(f, m, sizeof(double));
	double		mean = 0;
	double		sd;
	double		budget;
	double		given;
	double		sum = 0;

	for (uint32_t i = 0; i < m; i++)
	{
		f->one[i].variance = -1;
		size[i] = f->layout->levels[i];
		mean += fmin(size[i], 64) / m;
	}
	if (m == 1)
	{
		/* no pair will follow */
		share[0] = 1;
		measure_oneways(f, total, share);
		estimate_oneways(f);
		return;
	}
	shares_by_size(f, size, share);
	given = FIRST_LOOK * total;
	measure_oneways(f, given, share);
	estimate_rows(f);
	sd = 2 * WANTED_TV * f->forest->rows / (sqrt(2 / M_PI) * mean);
	budget = m * pegs_cost_of_sd(f->account, sd);
	budget = fmin(fmax(budget, ONEWAY_LEAST * total), ONEWAY_MOST * total);
	if (!f->account->pure && budget / 2 > given)
	{
		measure_oneways(f, budget / 2 - given, share);
		given = budget / 2;
	}
	estimate_oneways(f);
	for (uint32_t i = 0; i < m; i++)
	{
		double		floor = 0.5 * sqrt(fmax(f->one[i].variance, 0)) / f->forest->rows;

		spent[i] = given * share[i];
		size[i] = 0;
		for (uint32_t j = 0; j < f->layout->levels[i]; j++)
			size[i] += f->forest->share[i][j] > floor;
		size[i] = fmax(2, size[i]);
	}
	shares_by_size(f, size, share);
	for (uint32_t i = 0; i < m; i++)
		sum += want[i] = fmax(0, budget * share[i] - spent[i]);
	for (uint32_t i = 0; sum > 0 && i < m; i++)
		measure_oneway(f, i, (budget - given) * want[i] / sum);
	estimate_oneways(f);
}

/* ---- pairs ---- */

/* Grids offered for every pair, duplicates once; a function of released 1-ways. */
static candidate *
offer(const fit *f, double sd, size_t *n)
{
	uint32_t	m = f->layout->ncols;
	candidate  *c = alloc(f, (size_t) m * (m - 1) / 2 * NGRIDS, sizeof(candidate));
	double		rows = f->forest->rows;

	*n = 0;
	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = a + 1; b < m; b++)
		{
			size_t		first = *n;

			for (size_t g = 0; g < NGRIDS; g++)
			{
				candidate	x = {.a = a, .b = b};
				bool		known = false;

				if (!pegs_merge_grid(&f->merge[a], &f->merge[b], sd / rows,
									 rows / (GRIDS[g] * sd), &x.ka, &x.kb))
					continue;
				for (size_t i = first; i < *n; i++)
					known |= c[i].ka == x.ka && c[i].kb == x.kb;
				if (!known)
					c[(*n)++] = x;
			}
		}
	return c;
}

static void
measure_pair(fit *f, pegs_pair *pair, double cost)
{
	size_t		n = (size_t) pair->ka * pair->kb;
	int64_t    *exact = exact_table(f, pair->a, pair->b, pair->ka, pair->kb, pair->class_a, pair->class_b);
	double	   *noisy = alloc(f, n, sizeof(double));
	double		variance = pegs_measure(f->account, f->rng, PEGS_FOR_PAIR, cost, exact, noisy, n);

	if (variance < 0)
		return;
	if (pair->noisy == NULL)
	{
		pair->noisy = noisy;
		pair->variance = variance;
		return;
	}
	for (size_t i = 0; i < n; i++)
		pair->noisy[i] = (pair->noisy[i] * variance + noisy[i] * pair->variance) / (variance + pair->variance);
	pair->variance = pair->variance * variance / (pair->variance + variance);
}

/* Steps B, C: choose at most m - 1 pairs that join components, or stop; measure them. */
static void
fit_pairs(fit *f)
{
	uint32_t	m = f->layout->ncols;
	double		each = FOREST_SHARE * pegs_account_left(f->account) / (m - 1);
	double		for_pair = (1 - CHOICE_SHARE) * each;
	double		for_choice = CHOICE_SHARE * each;
	uint32_t   *component = alloc(f, m, sizeof(uint32_t));
	size_t		n;
	candidate  *c;
	int64_t    *score;
	candidate **open;

	if (!(for_choice * 0x1p50 >= 1))
		return;
	f->merge = alloc(f, m, sizeof(pegs_merge));
	for (uint32_t i = 0; i < m; i++)
	{
		pegs_merge_build(f->env, &f->merge[i], f->layout->levels[i], f->forest->share[i]);
		component[i] = i;
	}
	c = offer(f, pegs_noise_sd(f->account, for_pair), &n);
	for (size_t i = 0; i < n; i++)
	{
		f->env->check(f->env->context);
		c[i].score = score_of(f, &c[i], pegs_noise_abs(f->account, for_pair));
	}
	score = alloc(f, n + 1, sizeof(int64_t));
	open = alloc(f, n + 1, sizeof(candidate *));
	for (uint32_t step = 0; step + 1 < m; step++)
	{
		size_t		nopen = 0;
		size_t		pick;
		candidate  *won;
		pegs_pair  *pair;

		for (size_t i = 0; i < n; i++)
			if (component[c[i].a] != component[c[i].b])
			{
				score[nopen] = c[i].score;
				open[nopen++] = &c[i];
			}
		if (nopen == 0)
			break;
		score[nopen] = llround(fmin(log((double) nopen + 1) / pegs_choice_factor(f->account, for_choice), 0x1p52));
		pick = pegs_choose(f->account, f->rng, for_choice, score, nopen + 1);
		if (pick == nopen)
			break;				/* no pair is worth its noise */
		won = open[pick];
		pair = &f->forest->pair[f->forest->npairs++];
		pair->a = won->a;
		pair->b = won->b;
		pair->ka = won->ka;
		pair->kb = won->kb;
		pair->class_a = alloc(f, f->layout->levels[won->a], sizeof(uint16_t));
		pair->class_b = alloc(f, f->layout->levels[won->b], sizeof(uint16_t));
		pegs_merge_cut(&f->merge[won->a], won->ka, pair->class_a);
		pegs_merge_cut(&f->merge[won->b], won->kb, pair->class_b);
		for (uint32_t i = 0, from = component[won->b], to = component[won->a]; i < m; i++)
			if (component[i] == from)
				component[i] = to;
	}
	for (uint32_t p = 0; p < f->forest->npairs; p++)
		measure_pair(f, &f->forest->pair[p], for_pair);
}

/* Step E: what is left goes half to the pairs, half to the 1-ways. */
static void
spend_rest(fit *f)
{
	uint32_t	m = f->layout->ncols;
	double	   *size = alloc(f, m, sizeof(double));
	double	   *share = alloc(f, m, sizeof(double));
	double		left = pegs_account_left(f->account);

	for (uint32_t p = 0; p < f->forest->npairs; p++)
		measure_pair(f, &f->forest->pair[p], 0.5 * left / f->forest->npairs);
	for (uint32_t i = 0; i < m; i++)
		size[i] = f->layout->levels[i];
	shares_by_size(f, size, share);
	measure_oneways(f, pegs_account_left(f->account), share);
}

/* A pair's noisy table, made to agree with the 1-ways and to be a distribution. */
static void
estimate_pair(const fit *f, pegs_pair *pair)
{
	uint32_t	ka = pair->ka;
	uint32_t	kb = pair->kb;
	size_t		n = (size_t) ka * kb;
	double		rows = f->forest->rows;
	double	   *ra = class_shares(f, pair->a, ka, pair->class_a);
	double	   *rb = class_shares(f, pair->b, kb, pair->class_b);
	double	   *sa = alloc(f, ka, sizeof(double));
	double	   *sb = alloc(f, kb, sizeof(double));
	double	   *z = alloc(f, n, sizeof(double));
	double		total = 0;

	for (uint32_t x = 0; x < ka; x++)
		for (uint32_t y = 0; y < kb; y++)
		{
			double		v = pair->noisy[(size_t) x * kb + y];

			sa[x] += v;
			sb[y] += v;
			total += v;
		}
	for (uint32_t x = 0; x < ka; x++)
		for (uint32_t y = 0; y < kb; y++)
			z[(size_t) x * kb + y] = pair->noisy[(size_t) x * kb + y]
				+ (rows * ra[x] - sa[x]) / kb + (rows * rb[y] - sb[y]) / ka
				- (rows - total) / (double) n;
	pegs_project_simplex(z, n, rows, alloc(f, n, sizeof(double)));
	for (uint32_t x = 0; x < ka; x++)
		for (uint32_t y = 0; y < kb; y++)
			z[(size_t) x * kb + y] += 1e-6 * rows * ra[x] * rb[y];
	for (int rake = 0; rake < 20; rake++)
	{
		memset(sb, 0, sizeof(double) * kb);
		for (uint32_t x = 0; x < ka; x++)
		{
			double	   *row = z + (size_t) x * kb;
			double		s = 0;

			for (uint32_t y = 0; y < kb; y++)
				s += row[y];
			s = rows * ra[x] / fmax(s, 1e-12);
			for (uint32_t y = 0; y < kb; y++)
				sb[y] += row[y] *= s;
		}
		for (uint32_t y = 0; y < kb; y++)
			sb[y] = rows * rb[y] / fmax(sb[y], 1e-12);
		for (size_t i = 0; i < n; i++)
			z[i] *= sb[i % kb];
	}
	total = 0;
	for (size_t i = 0; i < n; i++)
		total += z[i];
	for (size_t i = 0; i < n; i++)
		z[i] /= total;
	pair->share = z;
}

void
pegs_forest_fit(const pegs_env *env, pegs_rng *rng, const pegs_account *account,
				const pegs_layout *layout, const uint64_t *cells, pegs_forest *forest)
{
	uint32_t	m = layout->ncols;
	fit			f = {.env = env, .rng = rng, .layout = layout, .cells = cells, .forest = forest};

	memset(forest, 0, sizeof(*forest));
	forest->account = *account;
	f.account = &forest->account;
	forest->ncols = m;
	forest->levels = layout->levels;
	forest->share = alloc(&f, m, sizeof(double *));
	for (uint32_t i = 0; i < m; i++)
		forest->share[i] = alloc(&f, layout->levels[i], sizeof(double));
	forest->pair = alloc(&f, m, sizeof(pegs_pair));
	f.one = alloc(&f, m, sizeof(oneway));

	fit_oneways(&f);
	if (m > 1)
		fit_pairs(&f);
	spend_rest(&f);
	estimate_oneways(&f);
	for (uint32_t p = 0; p < forest->npairs; p++)
		estimate_pair(&f, &forest->pair[p]);
}
