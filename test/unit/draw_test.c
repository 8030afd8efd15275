/*
 * draw_test.c
 *	  Are rows drawn from the forest's joint distribution, and from that
 *	  distribution given any levels?
 *
 * The joint is enumerated from the tables by the chain rule, conditioning by
 * Bayes on the enumeration; draws under fixed keys are held against both by
 * chi-square. The forests are made by hand: chains, stars, roots in the
 * middle, merged classes, levels and pairs of probability zero.
 */
#include "draw.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "chisquare.h"
#include "unit.h"

#define MAX_COLUMNS 5
#define MAX_DOMAIN 1000

static arena memory;
static pegs_env env;
static pegs_rng rng;

static void
start(uint8_t number)
{
	uint8_t		key[PEGS_KEY_BYTES] = {0};

	key[0] = number;
	key[5] = 5;
	pegs_rng_init(&rng, key, number);
}

/* ---------- forests by hand ---------- */

typedef struct shape
{
	uint32_t	ncols;
	uint32_t	levels[MAX_COLUMNS];
	uint32_t	npairs;
	struct
	{
		uint32_t	a;
		uint32_t	b;
		uint32_t	ka;
		uint32_t	kb;
	}			pair[MAX_COLUMNS];
} shape;

static const shape shapes[] = {
	{1, {4}, 0, {{0}}},
	{2, {3, 4}, 0, {{0}}},
	{2, {3, 4}, 1, {{0, 1, 3, 4}}},
	{2, {5, 6}, 1, {{0, 1, 2, 3}}},
	{3, {3, 2, 4}, 2, {{0, 1, 3, 2}, {1, 2, 2, 4}}},
	{3, {4, 5, 3}, 2, {{1, 2, 3, 2}, {0, 2, 4, 3}}},	/* the middle has two cuts */
	{4, {2, 3, 4, 2}, 3, {{0, 3, 2, 2}, {1, 3, 2, 2}, {2, 3, 3, 2}}},	/* a star around the last */
	{4, {3, 3, 3, 3}, 2, {{0, 2, 3, 2}, {1, 3, 2, 3}}},	/* two trees */
	{5, {2, 3, 1, 4, 3}, 3, {{0, 4, 2, 3}, {3, 4, 4, 2}, {1, 3, 3, 2}}}
};

#define NSHAPES (sizeof(shapes) / sizeof(shapes[0]))

/* k contiguous classes of n levels, uneven */
static uint16_t *
cut(uint32_t n, uint32_t k)
{
	uint16_t   *class_of = env.alloc(env.context, sizeof(uint16_t) * n);

	for (uint32_t i = 0; i < n; i++)
		class_of[i] = (uint16_t) (i < n - k ? 0 : i - (n - k));
	return class_of;
}

static double *
class_shares(const pegs_forest *f, uint32_t column, const uint16_t *class_of, uint32_t k)
{
	double	   *p = env.alloc(env.context, sizeof(double) * k);

	for (uint32_t i = 0; i < f->levels[column]; i++)
		p[class_of[i]] += f->share[column][i];
	return p;
}

/* holes: some levels and some cells have probability zero. */
static pegs_forest
build(const shape *s, bool holes)
{
	pegs_forest f = {.ncols = s->ncols, .rows = 1000, .npairs = s->npairs};

	f.levels = env.alloc(env.context, sizeof(uint32_t) * s->ncols);
	memcpy(f.levels, s->levels, sizeof(uint32_t) * s->ncols);
	f.share = env.alloc(env.context, sizeof(double *) * s->ncols);
	f.pair = env.alloc(env.context, sizeof(pegs_pair) * (s->npairs + 1));
	for (uint32_t i = 0; i < s->ncols; i++)
	{
		double		sum = 0;

		f.share[i] = env.alloc(env.context, sizeof(double) * s->levels[i]);
		for (uint32_t j = 0; j < s->levels[i]; j++)
			sum += f.share[i][j] = holes && j > 0 && pegs_rng_below(&rng, 3) == 0 ? 0 : 0.05 + pegs_rng_double(&rng);
		for (uint32_t j = 0; j < s->levels[i]; j++)
			f.share[i][j] /= sum;
	}
	for (uint32_t p = 0; p < s->npairs; p++)
	{
		pegs_pair  *pair = &f.pair[p];
		double	   *pa;
		double	   *pb;

		pair->a = s->pair[p].a;
		pair->b = s->pair[p].b;
		pair->ka = s->pair[p].ka;
		pair->kb = s->pair[p].kb;
		pair->class_a = cut(f.levels[pair->a], pair->ka);
		pair->class_b = cut(f.levels[pair->b], pair->kb);
		pair->share = env.alloc(env.context, sizeof(double) * pair->ka * pair->kb);
		pa = class_shares(&f, pair->a, pair->class_a, pair->ka);
		pb = class_shares(&f, pair->b, pair->class_b, pair->kb);
		/* far from independent, with the margins of the columns: raked as a fit does it */
		for (uint32_t x = 0; x < pair->ka; x++)
			for (uint32_t y = 0; y < pair->kb; y++)
				pair->share[x * pair->kb + y] = pa[x] * pb[y] * (0.02 + pow(pegs_rng_double(&rng), 4));
		for (int rake = 0; rake < 3000; rake++)
		{
			for (uint32_t x = 0; x < pair->ka; x++)
			{
				double		sum = 0;

				for (uint32_t y = 0; y < pair->kb; y++)
					sum += pair->share[x * pair->kb + y];
				for (uint32_t y = 0; y < pair->kb; y++)
					pair->share[x * pair->kb + y] *= sum > 0 ? pa[x] / sum : 0;
			}
			for (uint32_t y = 0; y < pair->kb; y++)
			{
				double		sum = 0;

				for (uint32_t x = 0; x < pair->ka; x++)
					sum += pair->share[x * pair->kb + y];
				for (uint32_t x = 0; x < pair->ka; x++)
					pair->share[x * pair->kb + y] *= sum > 0 ? pb[y] / sum : 0;
			}
		}
	}
	return f;
}

/* ---------- the joint, enumerated ---------- */

static uint32_t
domain(const pegs_forest *f)
{
	uint32_t	n = 1;

	for (uint32_t i = 0; i < f->ncols; i++)
		n *= f->levels[i];
	return n;
}

static void
row_of(const pegs_forest *f, uint32_t cell, uint16_t *row)
{
	for (uint32_t i = f->ncols; i-- > 0;)
	{
		row[i] = (uint16_t) (cell % f->levels[i]);
		cell /= f->levels[i];
	}
}

static uint32_t
cell_of(const pegs_forest *f, const uint16_t *row)
{
	uint32_t	cell = 0;

	for (uint32_t i = 0; i < f->ncols; i++)
		cell = cell * f->levels[i] + row[i];
	return cell;
}

/*
 * The product of all columns' shares, and for each pair how much more often
 * its two classes meet than they would independently: the joint of a forest,
 * whichever column is called the root.
 */
static void
joint(const pegs_forest *f, double *p)
{
	double		all = 0;

	for (uint32_t cell = 0; cell < domain(f); cell++)
	{
		uint16_t	row[MAX_COLUMNS];

		row_of(f, cell, row);
		p[cell] = 1;
		for (uint32_t i = 0; i < f->ncols; i++)
			p[cell] *= f->share[i][row[i]];
		for (uint32_t e = 0; e < f->npairs && p[cell] > 0; e++)
		{
			const pegs_pair *pair = &f->pair[e];
			uint32_t	x = pair->class_a[row[pair->a]];
			uint32_t	y = pair->class_b[row[pair->b]];

			p[cell] *= pair->share[x * pair->kb + y]
				/ (class_shares(f, pair->a, pair->class_a, pair->ka)[x] * class_shares(f, pair->b, pair->class_b, pair->kb)[y]);
		}
		all += p[cell];
	}
	CHECK(fabs(all - 1) < 1e-6);
}

/* Bayes: keep what agrees with `given`. False if nothing does. */
static bool
condition(const pegs_forest *f, const int32_t *given, double *p)
{
	double		all = 0;

	for (uint32_t cell = 0; cell < domain(f); cell++)
	{
		uint16_t	row[MAX_COLUMNS];

		row_of(f, cell, row);
		for (uint32_t i = 0; i < f->ncols; i++)
			if (given[i] >= 0 && given[i] != row[i])
				p[cell] = 0;
		all += p[cell];
	}
	for (uint32_t cell = 0; all > 0 && cell < domain(f); cell++)
		p[cell] /= all;
	return all > 0;
}

/* The p-value of `draws` rows; and each takes ncols words of the stream, no more and no fewer. */
static double
drawn(const pegs_forest *f, const pegs_draw *draw, const double *p, uint32_t draws)
{
	uint64_t	seen[MAX_DOMAIN] = {0};
	pegs_rng	again = rng;
	uint16_t	row[MAX_COLUMNS];

	for (uint32_t d = 0; d < draws; d++)
	{
		pegs_draw_row(draw, &rng, row);
		seen[cell_of(f, row)]++;
	}
	for (uint32_t d = 0; d < draws * f->ncols; d++)
		pegs_rng_u64(&again);
	CHECK(pegs_rng_u64(&again) == pegs_rng_u64(&rng));
	return chisquare_p(seen, p, domain(f), draws);
}

/* ---------- the tests ---------- */

static void
test_joint(void)
{
	for (size_t s = 0; s < NSHAPES; s++)
		for (int holes = 0; holes < 2; holes++)
		{
			pegs_forest f;
			pegs_draw	draw;
			double		p[MAX_DOMAIN];
			double		value;

			start((uint8_t) (2 * s + holes));
			f = build(&shapes[s], holes);
			joint(&f, p);
			CHECK(pegs_draw_init(&env, &f, NULL, &draw) == PEGS_OK);
			value = drawn(&f, &draw, p, 200000);
			if (!CHECK(value > CHISQUARE_P))
				printf("  shape %zu, holes %d: p = %g\n", s, holes, value);

			/* the judge can tell: independent columns are not this forest */
			if (f.npairs > 0 && !holes)
			{
				f.npairs = 0;
				joint(&f, p);
				CHECK(drawn(&f, &draw, p, 200000) < CHISQUARE_P);
			}
			arena_free(&memory);
		}
}

/* Every set of given columns, several codes each. */
static void
test_given(void)
{
	uint32_t	impossible = 0;

	for (size_t s = 0; s < NSHAPES; s++)
		for (int holes = 0; holes < 2; holes++)
		{
			pegs_forest f;

			start((uint8_t) (100 + 2 * s + holes));
			f = build(&shapes[s], holes);
			for (uint32_t which = 0; which < 1u << f.ncols; which++)
				for (int turn = 0; turn < 3; turn++)
				{
					pegs_draw	draw;
					int32_t		given[MAX_COLUMNS];
					double		p[MAX_DOMAIN];
					pegs_status status;
					double		value;

					for (uint32_t i = 0; i < f.ncols; i++)
						given[i] = which >> i & 1 ? (int32_t) pegs_rng_below(&rng, f.levels[i]) : -1;
					joint(&f, p);
					status = pegs_draw_init(&env, &f, given, &draw);
					if (!condition(&f, given, p))
					{
						impossible++;
						CHECK(status == PEGS_ERR_RANGE);
						continue;
					}
					CHECK(status == PEGS_OK);
					value = drawn(&f, &draw, p, 10000);
					if (!CHECK(value > CHISQUARE_P))
						printf("  shape %zu, holes %d, given %x: p = %g\n", s, holes, which, value);
				}
			arena_free(&memory);
		}
	CHECK(impossible > 10);
}

/* Codes that no column has; and two codes that never meet. */
static void
test_impossible(void)
{
	pegs_forest f;
	pegs_draw	draw;
	int32_t		given[3] = {-1, -1, -1};

	start(90);
	f = build(&shapes[4], false);
	given[1] = 2;
	CHECK(pegs_draw_init(&env, &f, given, &draw) == PEGS_ERR_RANGE);
	given[1] = 65535;
	CHECK(pegs_draw_init(&env, &f, given, &draw) == PEGS_ERR_RANGE);
	f.pair[0].share[1 * 2 + 1] = 0;
	given[0] = 1;
	given[1] = 1;
	CHECK(pegs_draw_init(&env, &f, given, &draw) == PEGS_ERR_RANGE);
	given[1] = 0;
	CHECK(pegs_draw_init(&env, &f, given, &draw) == PEGS_OK);
	/* the middle may be unknown: its two neighbours exclude each other through it */
	f.pair[1].share[0 * 4 + 3] = 0;
	given[1] = -1;
	given[2] = 3;
	CHECK(pegs_draw_init(&env, &f, given, &draw) == PEGS_ERR_RANGE);
	given[2] = 2;
	CHECK(pegs_draw_init(&env, &f, given, &draw) == PEGS_OK);
	arena_free(&memory);
}

/* Very uneven alias tables: the rare levels are as rare as they should be, the impossible ones never come. */
static void
test_uneven(void)
{
	static const uint32_t levels = 500;
	uint32_t	shares[1] = {levels};
	double	   *p = env.alloc(env.context, sizeof(double) * levels);
	uint64_t   *seen = env.alloc(env.context, sizeof(uint64_t) * levels);
	pegs_forest f = {.ncols = 1, .levels = shares, .share = &p, .rows = 1};
	pegs_draw	draw;
	double		sum = 0;

	start(91);
	for (uint32_t j = 0; j < levels; j++)
		sum += p[j] = j % 3 == 0 ? 0 : exp(-0.05 * j) * (j % 2 ? 1 : 1e-7);
	for (uint32_t j = 0; j < levels; j++)
		p[j] /= sum;
	CHECK(pegs_draw_init(&env, &f, NULL, &draw) == PEGS_OK);
	for (uint32_t d = 0; d < 1000000; d++)
	{
		uint16_t	row;

		pegs_draw_row(&draw, &rng, &row);
		seen[row]++;
	}
	CHECK(chisquare_p(seen, p, levels, 1000000) > CHISQUARE_P);

	/* exactly: what each level gets of 2^32 parts of each of its places */
	{
		const pegs_alias *alias = &draw.step[0].alias;
		double	   *got = env.alloc(env.context, sizeof(double) * levels);
		double		error = 0;

		for (uint32_t j = 0; j < levels; j++)
		{
			got[j] += alias->keep[j] / 0x1p32 / levels;
			got[alias->other[j]] += (0x1p32 - alias->keep[j]) / 0x1p32 / levels;
		}
		for (uint32_t j = 0; j < levels; j++)
		{
			error = fmax(error, fabs(got[j] - p[j]));
			CHECK(p[j] > 0 || got[j] == 0);
		}
		CHECK(error < 0x1p-32);
	}
	arena_free(&memory);
}

int
main(void)
{
	env = arena_env(&memory);
	test_joint();
	test_given();
	test_impossible();
	test_uneven();
	return unit_done("draw_test");
}
