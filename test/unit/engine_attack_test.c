/*
 * engine_attack_test.c
 *	  An attack on the whole mechanism: fits of two neighbouring tables, told
 *	  apart by what they release.
 *
 * Many fits of each table; the most telling event is chosen on one half of
 * them, and on the other half its two probabilities are bounded (Chernoff,
 * 1e-4 in all). What follows is a lower confidence bound on epsilon. It must
 * stay below the claim; and it must pass the claim when the noise is halved
 * on purpose, so that the audit is known to be able to fail. A bound below the
 * claim proves nothing by itself: the proof is docs/privacy.md P6.
 */
#include "core/graph/engine.h"

#include <stdlib.h>
#include <string.h>

#define STREAM_SALT [9] = 9
#include "fixture.h"
#include "unit.h"

#define MAX_EVENTS 40

/* A table of few rows, and what is asked of its fits. */
typedef struct trial
{
	uint32_t	ncols;
	uint32_t	nrows;
	uint8_t		rows[12][3];
} trial;

/* Events of one released model, as bits: thresholds on numbers of rows, estimated cells, and the structure. */
static uint64_t
events_of(const pegs_fitted *f)
{
	uint64_t	bits = 0;
	int			n = 0;

	for (int t = -2; t <= 5; t++)
		bits |= (uint64_t) (f->rows > 6 + t + 0.5) << n++;
	for (uint32_t i = 0; i < f->ncols; i++)
		for (int t = 0; t < 6; t++)
			bits |= (uint64_t) (f->share[i][1] * f->rows > t + 0.5) << n++;
	bits |= (uint64_t) (f->npairs == 0) << n++;
	for (int t = 0; t < 4; t++)
		bits |= (uint64_t) (f->npairs > 0 && f->pair[0].share[f->pair[0].k[0] * f->pair[0].k[1] - 1] * f->rows > t + 0.5) << n++;
	return bits;
}

static void
fit_many(const trial *t, const pegs_accountant *accountant, uint8_t number, uint32_t runs, uint32_t *count)
{
	uint32_t	levels[3] = {2, 2, 2};
	uint16_t	codes[3][12];
	uint16_t   *columns[3];
	pegs_layout layout;
	uint64_t   *cells;

	CHECK(pegs_layout_pairs(&env, t->ncols, levels, &layout, NULL) == PEGS_OK);
	cells = calloc(layout.ncells, sizeof(uint64_t));
	for (uint32_t i = 0; i < t->ncols; i++)
	{
		columns[i] = codes[i];
		for (uint32_t r = 0; r < t->nrows; r++)
			codes[i][r] = t->rows[r][i];
	}
	pegs_count_chunk(&layout, cells, columns, t->nrows);
	for (uint32_t run = 0; run < runs; run++)
	{
		arena		own = {0};
		pegs_env	fit_env = arena_env(&own);
		pegs_fitted fitted;
		uint64_t	bits;

		start_stream(number, run);
		pegs_engine_fit(&fit_env, &rng, accountant, &layout, cells, &fitted);
		bits = events_of(&fitted);
		for (int e = 0; e < MAX_EVENTS; e++)
			count[e] += bits >> e & 1;
		arena_free(&own);
	}
	free(cells);
	arena_free(&memory);
}

/* Relative entropy of two coins. */
static double
divergence(double p, double q)
{
	double		d = 0;

	if (p > 0)
		d += p * log(p / q);
	if (p < 1)
		d += (1 - p) * log((1 - p) / (1 - q));
	return d;
}

/* The end of the Chernoff interval for a share seen in n runs, below or above it; each fails with at most 5e-5. */
static double
bound(double seen, uint32_t n, bool above)
{
	double		near = seen;
	double		far = above ? 1 : 0;

	for (int i = 0; i < 60; i++)
	{
		double		middle = (near + far) / 2;

		if (middle <= 0 || middle >= 1 || n * divergence(seen, middle) > log(1 / 5e-5))
			far = middle;
		else
			near = middle;
	}
	return far;
}

/* Lower confidence bound on epsilon, given delta, from the better of both directions. */
static double
audit(const trial *a, const trial *b, const pegs_accountant *accountant, double delta, uint32_t runs)
{
	uint32_t	chosen[2][MAX_EVENTS] = {{0}};
	uint32_t	tested[2][MAX_EVENTS] = {{0}};
	double		most = -1;
	int			event = 0;
	bool		swap = false;
	bool		complement = false;
	double		p;
	double		q;

	fit_many(a, accountant, 1, runs, chosen[0]);
	fit_many(b, accountant, 2, runs, chosen[1]);
	fit_many(a, accountant, 3, runs, tested[0]);
	fit_many(b, accountant, 4, runs, tested[1]);
	for (int e = 0; e < MAX_EVENTS; e++)
		for (int how = 0; how < 4; how++)
		{
			double		x = (double) chosen[how & 1][e] / runs;
			double		y = (double) chosen[!(how & 1)][e] / runs;
			double		gain;

			if (how & 2)
			{
				x = 1 - x;
				y = 1 - y;
			}
			gain = (bound(x, runs, false) - delta) / bound(y, runs, true);
			if (gain > most)
			{
				most = gain;
				event = e;
				swap = how & 1;
				complement = how & 2;
			}
		}
	p = (double) tested[swap][event] / runs;
	q = (double) tested[!swap][event] / runs;
	if (complement)
	{
		p = 1 - p;
		q = 1 - q;
	}
	p = bound(p, runs, false) - delta;
	return p > 0 ? log(p / bound(q, runs, true)) : 0;
}

static const trial one_column[2] = {
	{1, 6, {{0}, {0}, {0}, {0}, {0}, {0}}},
	{1, 7, {{0}, {0}, {0}, {0}, {0}, {0}, {1}}}
};

static const trial two_columns[2] = {
	{2, 6, {{0, 0}, {0, 0}, {1, 1}, {1, 1}, {0, 0}, {1, 1}}},
	{2, 7, {{0, 0}, {0, 0}, {1, 1}, {1, 1}, {0, 0}, {1, 1}, {1, 0}}}
};

/* A claim, and the account that a mechanism with `factor` times the cost would use. */
static double
measured(const trial *pair, int64_t epsilon, int64_t delta, double factor, uint32_t rows_per_unit, uint32_t runs)
{
	pegs_accountant accountant;

	pegs_accountant_init(&accountant, epsilon, delta, rows_per_unit);
	accountant.total = (uint64_t) ((double) accountant.total * factor);
	return audit(&pair[0], &pair[1], &accountant, (double) delta / PEGS_DELTA_UNIT, runs);
}

static void
test_pure(void)
{
	double		found = measured(one_column, PEGS_EPSILON_UNIT, 0, 1, 1, 12000);

	/* one histogram: the claim is nearly reached, so the audit is sharp */
	CHECK(found <= 1);
	CHECK(found > 0.85);
	/* half the noise is twice the cost: caught */
	CHECK(measured(one_column, PEGS_EPSILON_UNIT, 0, 2, 1, 12000) > 1);
	/* 1-ways, choice, pair, rest */
	found = measured(two_columns, PEGS_EPSILON_UNIT, 0, 1, 1, 6000);
	CHECK(found <= 1);
	CHECK(found > 0);
	found = measured(two_columns, 3 * PEGS_EPSILON_UNIT, 0, 1, 1, 6000);
	CHECK(found <= 3);
	/* a person of two rows: two rows of noise, so one row shows half as much */
	CHECK(measured(one_column, PEGS_EPSILON_UNIT, 0, 1, 2, 12000) <= 0.5);
}

static void
test_zcdp(void)
{
	int64_t		delta = PEGS_DELTA_UNIT / 1000;
	double		found = measured(one_column, 2 * PEGS_EPSILON_UNIT, delta, 1, 1, 12000);

	CHECK(found <= 2);
	CHECK(found > 0.5);
	/* half the noise is four times rho: caught */
	CHECK(measured(one_column, 2 * PEGS_EPSILON_UNIT, delta, 4, 1, 40000) > 2);
	found = measured(two_columns, 2 * PEGS_EPSILON_UNIT, delta, 1, 1, 6000);
	CHECK(found <= 2);
	CHECK(found > 0);
}

int
main(void)
{
	test_pure();
	test_zcdp();
	return unit_done("engine_attack_test");
}
