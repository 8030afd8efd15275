/*
 * draw_test.c
 *	  Are rows drawn from the tree's joint distribution, and from that
 *	  distribution given any levels?
 *
 * The joint is enumerated as a product of factors that shares nothing with
 * the tree's messages, conditioning is done by Bayes on the enumeration; draws
 * under fixed keys are held against both by chi-square. The trees are made by
 * hand: chains, stars, triangles, a loop that was triangulated, two trees,
 * merged classes, levels and cells of probability zero.
 *
 * And batches: each row of one has the joint distribution, and all together
 * follow it to within a row wherever a column is split.
 */
#include "core/graph/draw.h"

#include "chisquare.h"
#define STREAM_SALT [5] = 5
#include "fixture.h"
#include "handmade.h"
#include "unit.h"

/* Bayes: keep what agrees with `given`. False if nothing does. */
static bool
condition(const pegs_fitted *f, const int32_t *given, double *p)
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

/* The p-value of `draws` rows. */
static double
drawn(const pegs_fitted *f, const pegs_draw *draw, const double *p, uint32_t draws)
{
	uint64_t	seen[MAX_DOMAIN] = {0};
	uint16_t	row[MAX_COLUMNS];

	for (uint32_t d = 0; d < draws; d++)
	{
		pegs_draw_row(draw, &rng, row);
		seen[cell_of(f, row)]++;
	}
	return chisquare_p(seen, p, domain(f), draws);
}

/* ---------- the tests ---------- */

static void
test_joint(void)
{
	for (size_t s = 0; s < NSHAPES; s++)
		for (int holes = 0; holes < 2; holes++)
		{
			made		d;
			pegs_draw	draw;
			double		p[MAX_DOMAIN];
			double		value;

			start((uint8_t) (2 * s + holes));
			d = build(&shapes[s], holes);
			joint(&d, true, p);
			CHECK(pegs_draw_init(&env, &d.model, NULL, &draw) == PEGS_OK);
			value = drawn(&d.model, &draw, p, 200000);
			if (!CHECK(value > CHISQUARE_P))
				printf("  shape %zu, holes %d: p = %g\n", s, holes, value);

			/* the judge can tell: independent columns are not this tree */
			if (shapes[s].nedges > 0 && !holes)
			{
				joint(&d, false, p);
				CHECK(drawn(&d.model, &draw, p, 200000) < CHISQUARE_P);
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
			made		d;
			pegs_fitted *f = &d.model;

			start((uint8_t) (100 + 2 * s + holes));
			d = build(&shapes[s], holes);
			for (uint32_t which = 0; which < 1u << f->ncols; which++)
				for (int turn = 0; turn < 3; turn++)
				{
					pegs_draw	draw;
					int32_t		given[MAX_COLUMNS];
					double		p[MAX_DOMAIN];
					pegs_status status;
					double		value;

					for (uint32_t i = 0; i < f->ncols; i++)
						given[i] = which >> i & 1 ? (int32_t) pegs_rng_below(&rng, f->levels[i]) : -1;
					joint(&d, true, p);
					status = pegs_draw_init(&env, f, given, &draw);
					if (!condition(f, given, p))
					{
						impossible++;
						CHECK(status == PEGS_ERR_RANGE);
						continue;
					}
					CHECK(status == PEGS_OK);
					value = drawn(f, &draw, p, 6000);
					if (!CHECK(value > CHISQUARE_P))
						printf("  shape %zu, holes %d, given %x: p = %g\n", s, holes, which, value);
				}
			/* being given has left no trace in the model */
			{
				pegs_draw	draw;
				double		p[MAX_DOMAIN];

				joint(&d, true, p);
				CHECK(pegs_draw_init(&env, f, NULL, &draw) == PEGS_OK);
				CHECK(drawn(f, &draw, p, 6000) > CHISQUARE_P);
			}
			arena_free(&memory);
		}
	CHECK(impossible > 10);
}

/* Levels of probability zero; and two that exclude each other only through a third column. */
static void
test_impossible(void)
{
	const shape chain = {3, {3, 2, 4}, {3, 2, 4}, 2, {{0, 1}, {1, 2}}, 2};
	made		d;
	pegs_fitted *f = &d.model;
	pegs_draw	draw;
	int32_t		given[3] = {-1, -1, -1};

	start(90);
	d = build(&chain, false);
	f->share[2][3] = 0;
	given[2] = 3;
	CHECK(pegs_draw_init(&env, f, given, &draw) == PEGS_ERR_RANGE);
	given[2] = 2;
	CHECK(pegs_draw_init(&env, f, given, &draw) == PEGS_OK);
	/* class 1 of the first only with class 1 of the middle, class 2 of the last only with class 0 */
	for (uint32_t i = 0; i < f->tree.nclique; i++)
	{
		pegs_clique *c = &f->tree.clique[i];

		for (size_t k = 0; k < c->cells; k++)
			if ((c->column[0] == 0 && k == 1 * 2 + 0) || (c->column[0] == 1 && k == 1 * 4 + 2))
				c->mu[k] = 0;
	}
	calibrate(&f->tree);
	given[0] = 1;
	CHECK(pegs_draw_init(&env, f, given, &draw) == PEGS_ERR_RANGE);
	given[1] = 1;
	CHECK(pegs_draw_init(&env, f, given, &draw) == PEGS_ERR_RANGE);
	given[2] = -1;
	CHECK(pegs_draw_init(&env, f, given, &draw) == PEGS_OK);
	given[0] = -1;
	given[1] = -1;
	given[2] = 2;
	CHECK(pegs_draw_init(&env, f, given, &draw) == PEGS_OK);
	for (int r = 0; r < 1000; r++)
	{
		uint16_t	row[3];

		pegs_draw_row(&draw, &rng, row);
		CHECK(row[2] == 2 && row[1] == 0 && row[0] != 1);
	}
	arena_free(&memory);
}

/* Rows that break a rule are drawn again, as often as was said. */
static void
test_allowed(void)
{
	const shape chain = {3, {3, 2, 4}, {3, 2, 4}, 2, {{0, 1}, {1, 2}}, 2};
	made		d;
	pegs_fitted *f = &d.model;
	pegs_draw	draw;
	bool		low[2][4] = {{true, true, false}, {true, false}};
	bool		all[4] = {true, true, true, true};
	pegs_zero	zero = {.n = 2, .column = {0, 1}, .level = {low[0], low[1]}};
	pegs_zero	never = {.n = 1, .column = {2}, .level = {all}};
	pegs_zeros	zeros = {.n = 1, .zero = &zero};
	pegs_zeros	no_row = {.n = 1, .zero = &never};
	pegs_zeros	none = {0};
	uint64_t	seen[MAX_DOMAIN] = {0};
	double		p[MAX_DOMAIN];
	double		all_p = 0;
	uint16_t	row[3];

	start(92);
	d = build(&chain, false);
	joint(&d, true, p);
	for (uint32_t cell = 0; cell < domain(f); cell++)
	{
		row_of(f, cell, row);
		if (row[0] < 2 && row[1] == 0)
			p[cell] = 0;
		all_p += p[cell];
	}
	for (uint32_t cell = 0; cell < domain(f); cell++)
		p[cell] /= all_p;
	CHECK(pegs_draw_init(&env, f, NULL, &draw) == PEGS_OK);
	for (int i = 0; i < 50000; i++)
	{
		pegs_draw_row(&draw, &rng, row);
		if (!pegs_draw_possible(&draw, &zeros, &rng, 1000, row))
			CHECK(!"an allowed row is found");
		seen[cell_of(f, row)]++;
	}
	CHECK(chisquare_p(seen, p, domain(f), 50000) > CHISQUARE_P);
	CHECK(!pegs_draw_possible(&draw, &no_row, &rng, 0, row));
	CHECK(!pegs_draw_possible(&draw, &no_row, &rng, 10, row));
	CHECK(pegs_draw_possible(&draw, &none, &rng, 0, row));
	arena_free(&memory);
}

/* Very uneven alias tables, of classes and inside a class: rare levels are as rare as they should be, impossible ones never come. */
static void
test_uneven(void)
{
	static const uint32_t levels = 500;

	for (int fine = 0; fine < 2; fine++)
	{
		uint32_t	shares[1] = {levels};
		uint32_t	classes[1] = {fine ? levels : 1};
		double	   *p = env.alloc(env.context, sizeof(double) * levels);
		double	   *whole = env.alloc(env.context, sizeof(double));
		double	   *one = fine ? p : whole;
		uint64_t   *seen = env.alloc(env.context, sizeof(uint64_t) * levels);
		uint16_t   *class_of = cut(levels, classes[0]);
		pegs_fitted f = {.ncols = 1, .levels = shares, .share = &p, .rows = 1, .class_of = &class_of};
		pegs_graph	graph;
		pegs_draw	draw;
		double		sum = 0;
		double		error = 0;

		start(91);
		whole[0] = 1;
		for (uint32_t j = 0; j < levels; j++)
			sum += p[j] = j % 3 == 0 ? 0 : exp(-0.05 * j) * (j % 2 ? 1 : 1e-7);
		for (uint32_t j = 0; j < levels; j++)
			p[j] /= sum;
		pegs_graph_init(&env, &graph, 1);
		pegs_jtree_build(&env, &f.tree, &graph, classes, &one);
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
			const uint32_t *keep = fine ? draw.step[0].alias.keep : draw.level[0].keep;
			const uint16_t *other = fine ? draw.step[0].alias.other : draw.level[0].other;
			double	   *got = env.alloc(env.context, sizeof(double) * levels);

			for (uint32_t j = 0; j < levels; j++)
			{
				got[j] += keep[j] / 0x1p32 / levels;
				got[other[j]] += (0x1p32 - keep[j]) / 0x1p32 / levels;
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
}

/* ---------- batches ---------- */

/* P(class | classes given before it) of every step, from the joint; counts of a batch beside them. */
static void
check_split(const pegs_fitted *f, const pegs_draw_step *step, const double *p, uint32_t n, uint16_t *const *codes)
{
	uint32_t	classes = f->tree.classes[step->column];
	double	   *wanted = env.alloc(env.context, sizeof(double) * step->keys * classes);
	double	   *seen = env.alloc(env.context, sizeof(double) * step->keys * classes);
	double		most = 0;

	for (uint32_t i = 0; i < domain(f) + n; i++)
	{
		uint16_t	row[MAX_COLUMNS];
		uint32_t	key = 0;

		if (i < domain(f))
			row_of(f, i, row);
		else
			for (uint32_t q = 0; q < f->ncols; q++)
				row[q] = codes[q][i - domain(f)];
		for (uint32_t g = 0; g < step->ngiven; g++)
			key = key * f->tree.classes[step->given[g]] + f->class_of[step->given[g]][row[step->given[g]]];
		key = key * classes + f->class_of[step->column][row[step->column]];
		if (i < domain(f))
			wanted[key] += p[i];
		else
			seen[key] += 1;
	}
	for (uint32_t k = 0; k < step->keys * classes; k += classes)
	{
		double		all = 0;
		double		rows = 0;

		for (uint32_t c = 0; c < classes; c++)
		{
			all += wanted[k + c];
			rows += seen[k + c];
		}
		for (uint32_t c = 0; all > 0 && c < classes; c++)
			most = fmax(most, wanted[k + c] > 0 ? fabs(seen[k + c] - rows * wanted[k + c] / all) : 1e9 * seen[k + c]);
		CHECK(all > 0 || rows == 0);
	}
	/* the floor or the ceiling of what is due */
	if (!CHECK(most < 1 + 1e-6))
		printf("  column %u is off by %g rows of a key\n", step->column, most);
}

static void
check_levels(const pegs_fitted *f, const double *p, uint32_t n, uint16_t *const *codes)
{
	for (uint32_t q = 0; q < f->ncols; q++)
	{
		double		seen[MAX_DOMAIN] = {0};
		double		in_class[MAX_DOMAIN] = {0};
		double		share[MAX_DOMAIN] = {0};
		double		wanted[MAX_DOMAIN] = {0};
		double		off = 0;
		double		most = 0;

		for (uint32_t r = 0; r < n; r++)
		{
			seen[codes[q][r]] += 1;
			in_class[f->class_of[q][codes[q][r]]] += 1;
		}
		for (uint32_t cell = 0; cell < domain(f); cell++)
		{
			uint16_t	row[MAX_COLUMNS];

			row_of(f, cell, row);
			wanted[row[q]] += p[cell];
		}
		for (uint32_t l = 0; l < f->levels[q]; l++)
			share[f->class_of[q][l]] += f->share[q][l];
		for (uint32_t l = 0; l < f->levels[q]; l++)
		{
			uint32_t	c = f->class_of[q][l];

			CHECK(wanted[l] > 0 || seen[l] == 0);
			if (share[c] > 0)
				off = fmax(off, fabs(seen[l] - in_class[c] * f->share[q][l] / share[c]));
			most = fmax(most, fabs(seen[l] - n * wanted[l]));
		}
		CHECK(off < 1 + 1e-6);
		/* independent rows are off by sqrt(n p (1 - p)): 130 here */
		if (!CHECK(most < 4))
			printf("  column %u of %u rows is off by %g\n", q, n, most);
	}
}

static void
test_batch(void)
{
	static const uint32_t sizes[] = {1, 2, 1000, 131072};

	for (size_t s = 0; s < NSHAPES; s++)
		for (int holes = 0; holes < 2; holes++)
			for (size_t z = 0; z < sizeof(sizes) / sizeof(sizes[0]); z++)
			{
				made		d;
				pegs_draw	draw;
				double		p[MAX_DOMAIN];
				uint16_t   *codes[MAX_COLUMNS];
				uint32_t	n = sizes[z];
				bool		inside = true;

				start((uint8_t) (150 + 2 * s + holes));
				d = build(&shapes[s], holes);
				joint(&d, true, p);
				CHECK(pegs_draw_init(&env, &d.model, NULL, &draw) == PEGS_OK);
				for (uint32_t q = 0; q < d.model.ncols; q++)
					codes[q] = env.alloc(env.context, sizeof(uint16_t) * n);
				pegs_draw_batch(&env, &draw, &rng, n, codes);
				for (uint32_t q = 0; q < d.model.ncols; q++)
					for (uint32_t r = 0; r < n; r++)
						inside = inside && codes[q][r] < d.model.levels[q];
				if (CHECK(inside))
				{
					for (uint32_t q = 0; q < d.model.ncols; q++)
						check_split(&d.model, &draw.step[q], p, n, codes);
					check_levels(&d.model, p, n, codes);
				}
				arena_free(&memory);
			}
}

/* Whatever its place in the batch, a row has the joint distribution: systematic, but not biased. */
static void
test_batch_is_unbiased(void)
{
	for (size_t s = 0; s < NSHAPES; s++)
	{
		static const uint32_t draws = 10000;
		made		d;
		pegs_draw	draw;
		double		p[MAX_DOMAIN];
		uint64_t	seen[2][MAX_DOMAIN] = {{0}};
		uint16_t	three[MAX_COLUMNS][3];
		uint16_t   *codes[MAX_COLUMNS];
		arena		scratch = {0};
		pegs_env	own = arena_env(&scratch);

		start((uint8_t) (200 + s));
		d = build(&shapes[s], s % 2);
		joint(&d, true, p);
		CHECK(pegs_draw_init(&env, &d.model, NULL, &draw) == PEGS_OK);
		for (uint32_t i = 0; i < draws; i++)
			for (int which = 0; which < 2; which++)
			{
				uint16_t	row[MAX_COLUMNS];

				for (uint32_t q = 0; q < d.model.ncols; q++)
					codes[q] = three[q];
				pegs_draw_batch(&own, &draw, &rng, which ? 3 : 1, codes);
				for (uint32_t q = 0; q < d.model.ncols; q++)
					row[q] = three[q][which ? 1 : 0];
				seen[which][cell_of(&d.model, row)]++;
				arena_free(&scratch);
			}
		for (int which = 0; which < 2; which++)
		{
			double		value = chisquare_p(seen[which], p, domain(&d.model), draws);

			if (!CHECK(value > CHISQUARE_P))
				printf("  shape %zu, batches of %d: p = %g\n", s, which ? 3 : 1, value);
		}
		arena_free(&memory);
	}
}

int
main(void)
{
	test_joint();
	test_given();
	test_impossible();
	test_allowed();
	test_uneven();
	test_batch();
	test_batch_is_unbiased();
	return unit_done("draw_test");
}
