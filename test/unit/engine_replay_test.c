/*
 * engine_replay_test.c
 *	  What a fit of few and of many rows does next depends on released numbers
 *	  alone: told the answers of another fit, over an empty table and over one
 *	  of twice the rows it asks the same, and makes the same model. Nor does any
 *	  count say what choosing nothing is worth; and a neighbour moves each look
 *	  and each score by no more than was paid for.
 *
 * So it is with each public fact that stands beside the levels (groups, bins, a
 * target, columns that are absent), where pairs are counted later, where persons
 * weigh the same, of one column and of very many, and where nothing can be bought.
 *
 * A neighbour moves no count past a border where the plan changes; these
 * tables lie around them: rows for the noise from a fifth of a round of all
 * columns to several, both sides of where triples are offered, pairs that are
 * covered and pairs that are not. Claims P6 and P7.
 */
#include "core/witness.h"

#include <math.h>
#include <string.h>

#include "core/graph/state.h"
#include "core/kept.h"
#define STREAM_SALT [3] = 77
#include "fixture.h"
#include "fitted.h"
#include "unit.h"

extern size_t __real_pegs_choose(pegs_accountant *, pegs_rng *, double, const int64_t *, size_t);
extern size_t __wrap_pegs_choose(pegs_accountant *, pegs_rng *, double, const int64_t *, size_t);

#define ROWS 600
#define MOST 102				/* above what is covered, and what has triples */
#define DELTA (PEGS_DELTA_UNIT / 1000000000)

/* The score of choosing nothing, of each choice: it is of no table. */
#define CHOICES 200

static int64_t stop[CHOICES];
static uint32_t at;				/* of the current run */
static bool first_run;
static bool same_stop;

size_t
__wrap_pegs_choose(pegs_accountant *accountant, pegs_rng *own, double cost, const int64_t *score, size_t n)
{
	if (first_run && CHECK(at < CHOICES))
		stop[at] = score[n - 1];
	same_stop = same_stop && stop[at] == score[n - 1];
	at = (at + 1) % CHOICES;
	return __real_pegs_choose(accountant, own, cost, score, n);
}

/* What fits have met, so that none of these goes missing. */
static uint32_t seen_between;	/* uncovered, rounds above the least and below the most */
static uint32_t seen_with;		/* uncovered, triples offered */
static uint32_t seen_without;	/* uncovered, triples counted, but not offered */
static uint32_t seen_covered;
static uint32_t seen_stop;		/* nothing was worth its noise before the columns hung together */
static uint32_t seen_again;		/* triples measured more than once */

/* What is public beside the levels, one at a time. */
typedef enum fact
{
	NOTHING,
	GROUPS,						/* of three neighbours */
	BINS,						/* all levels of wide columns but the last */
	TARGET,						/* the first column */
	LATER,						/* pairs are counted of kept rows */
	PERSONS,					/* that weigh the same */
	ABSENCE,					/* the second column is not there where the first says so */
	FACTS
} fact;

static const char *const fact_names[FACTS] = {"nothing", "groups", "bins", "a target", "pairs that are counted later", "persons", "absence"};

typedef struct counted
{
	pegs_layout layout;
	uint64_t   *cells;
} counted;

static void
lay_out(counted *t, fact given, uint32_t m, const uint32_t *levels)
{
	if (given == LATER)
		CHECK(pegs_layout_later(&env, m, levels, &t->layout) == PEGS_OK);
	else
		CHECK(pegs_layout_pairs(&env, m, levels, &t->layout, NULL) == PEGS_OK);
	pegs_layout_add_triples(&env, &t->layout);
	t->cells = env.alloc(env.context, sizeof(uint64_t) * t->layout.ncells);
	if (given == GROUPS)
	{
		uint16_t  **group = env.alloc(env.context, sizeof(uint16_t *) * m);

		for (uint32_t i = 0; i < m; i++)
		{
			group[i] = env.alloc(env.context, sizeof(uint16_t) * levels[i]);
			for (uint32_t l = 0; l < levels[i]; l++)
				group[i][l] = (uint16_t) (l / 3);
		}
		t->layout.groups = (const uint16_t *const *) group;
	}
	if (given == BINS)
	{
		uint32_t   *bins = env.alloc(env.context, sizeof(uint32_t) * m);

		for (uint32_t i = 0; i < m; i++)
			bins[i] = levels[i] > 10 ? levels[i] - 1 : 0;
		t->layout.bins = bins;
	}
	if (given == TARGET)
	{
		bool	   *target = env.alloc(env.context, sizeof(bool) * m);

		target[0] = true;
		t->layout.target = target;
	}
	if (given == ABSENCE)
	{
		pegs_absence *absence = env.alloc(env.context, sizeof(pegs_absence) * m);
		uint32_t   *rank = env.alloc(env.context, sizeof(uint32_t) * m);

		for (uint32_t i = 0; i < m; i++)
		{
			absence[i].level = i == 1 ? (int32_t) levels[1] - 1 : -1;
			absence[i].limit = levels[0];
			rank[i] = i > 0;
		}
		t->layout.absence = absence;
		t->layout.rank = rank;
	}
	if (given == LATER)
		t->layout.kept = pegs_kept_new(&env, m, levels);
}

static void
count(counted *t, uint16_t *const *codes, const uint32_t *times, uint32_t n)
{
	pegs_count_weighted(NULL, &t->layout, t->cells, codes, times, n);
	if (t->layout.kept)
		pegs_kept_add((pegs_kept *) t->layout.kept, codes, times, n);
}

/* The third column is said by the first two together, the last by another and the first; few rows are in the upper half of the levels. */
static void
fill(counted *t, uint32_t times)
{
	uint32_t	m = t->layout.ncols;
	uint16_t   *codes[MOST];
	uint32_t	each[ROWS];

	for (uint32_t i = 0; i < m; i++)
		codes[i] = env.alloc(env.context, sizeof(uint16_t) * ROWS);
	for (uint32_t r = 0; r < ROWS; r++)
	{
		each[r] = times;
		for (uint32_t i = 0; i < m; i++)
			codes[i][r] = (uint16_t) pegs_rng_below(&rng, r % 50 == 0 ? t->layout.levels[i] : t->layout.levels[i] / 2 + 1);
		if (m > 2 && t->layout.levels[2] > 3 && pegs_rng_below(&rng, 8) > 0)
			codes[2][r] = (uint16_t) ((codes[0][r] + codes[1][r]) % 2 + 2 * pegs_rng_below(&rng, 2));
		if (m > 1 && pegs_rng_below(&rng, 3) > 0)
			codes[m - 1][r] = (uint16_t) ((codes[m - 2][r] + codes[0][r]) % t->layout.levels[m - 1]);
		if (t->layout.absence)
			codes[1][r] = (uint16_t) (codes[0][r] == 0 ? t->layout.levels[1] - 1 : codes[1][r] % (t->layout.levels[1] - 1));
	}
	count(t, codes, each, ROWS);
}

/* A person more, in the first cell of every table, or in the last. */
static void
add_person(counted *t, bool last, uint32_t k)
{
	uint32_t	m = t->layout.ncols;
	uint16_t	row[MOST];
	uint16_t   *codes[MOST];

	for (uint32_t i = 0; i < m; i++)
	{
		row[i] = (uint16_t) (last ? t->layout.levels[i] - 1 : 0);
		codes[i] = &row[i];
	}
	if (t->layout.absence)
		row[1] = (uint16_t) (last ? t->layout.levels[1] - 2 : t->layout.levels[1] - 1);
	count(t, codes, &k, 1);
}

static bool
same_models(const pegs_fitted *a, const pegs_fitted *b)
{
	const pegs_fitted *fitted[2] = {a, b};
	uint8_t    *bytes[2];
	size_t		size[2];

	for (int side = 0; side < 2; side++)
	{
		pegs_fitted copy = *fitted[side];
		pegs_wire	wire = wire_of("", &copy);

		size[side] = pegs_wire_size(&wire);
		bytes[side] = env.alloc(env.context, size[side]);
		pegs_wire_write(&env, &wire, bytes[side]);
	}
	return size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0;
}

/* `rounds`: rows for each sd of the whole budget's noise, in those of a round of all columns. */
static void
replay(fact given, uint32_t m, const uint32_t *levels, bool pure, double epsilon, double rounds, uint32_t k)
{
	pegs_accountant accountant;
	pegs_witness witness = {0};
	counted		table[4];		/* with a person more, the second; empty, the third; of twice the rows, the last */
	pegs_rng	as_the_first;
	pegs_fitted fitted[4];
	uint32_t	times = 1;
	double		rows;
	bool		covered;
	uint32_t	batch;
	double		planned;
	double		size[MOST];

	pegs_accountant_init(&accountant, llround(epsilon * 1e9), pure ? 0 : DELTA, k);
	accountant.rows_each = given == PERSONS ? k : 0;
	rows = rounds * 8000 * pegs_noise_sd(&accountant, (double) accountant.total * 0x1p-50);
	times = (uint32_t) fmax(1, round(fmin(rows / ROWS, 1e8)));
	for (int run = 0; run < 4; run++)
		lay_out(&table[run], given, m, levels);
	as_the_first = rng;
	fill(&table[0], times);
	rng = as_the_first;
	fill(&table[1], times);
	add_person(&table[1], times % 2, k);
	fill(&table[3], 2 * times);
	accountant.witness = &witness;
	pegs_witness_begin(&witness, &env);
	same_stop = true;
	for (int run = 0; run < 4; run++)
	{
		pegs_rng	own = rng;

		first_run = run == 0;
		at = 0;
		if (run == 1)
			pegs_witness_again(&witness);
		else if (run > 1)
			pegs_witness_replay(&witness);
		pegs_engine_fit(&env, &own, &accountant, &table[run].layout, table[run].cells, &fitted[run]);
		if (run > 0)
			pegs_witness_end(&witness, &accountant, same_models(&fitted[0], &fitted[run]));
	}
	if (!CHECK(witness.fault == PEGS_SOUND) || !CHECK(same_stop))
		printf("  %s: %u columns, %g rounds, epsilon %g, %s, %u rows a person: fault %d\n", fact_names[given], m, rounds, epsilon, pure ? "pure" : "with delta", k,
			   witness.fault);
	covered = pegs_can_cover(&accountant, m, levels, fitted[0].share, fitted[0].rows);
	for (uint32_t i = 0; i < m; i++)
		size[i] = 2;
	planned = m < 2 ? 0 : pegs_rounds(&env, &accountant, m, size, fitted[0].rows, covered, &batch);
	seen_covered += covered;
	seen_between += !covered && planned > 2 * m + 0.01 && planned < (pure ? 6 : 10) * m - 0.01;
	if (m > 2 && pegs_triple_at(&table[0].layout, 0, 1, 2) > 0 && !covered)
	{
		seen_with += pegs_offers_triples(&accountant, fitted[0].rows, covered);
		seen_without += !pegs_offers_triples(&accountant, fitted[0].rows, covered);
	}
	seen_stop += !covered && fitted[0].npairs < m - 1;
	for (uint32_t t = 0; t < fitted[0].ntriples; t++)
		seen_again += fitted[0].triple[t].n > 1;
	arena_free(&memory);
}

/* ---------- a part that is kept for others ---------- */

static uint64_t spent_aside;

static double
part_of(void *to, const pegs_accountant *accountant, double rows)
{
	(void) rows;
	spent_aside = accountant->spent;
	return *(double *) to;
}

static void
spend_aside(void *to, pegs_rng *own, pegs_accountant *accountant, const pegs_fitted *so_far)
{
	double		part = fmin(fmax(*(double *) to, 0), 1);
	double		left = (double) (accountant->total - spent_aside);

	(void) own;
	(void) so_far;
	CHECK(accountant->spent >= spent_aside && accountant->spent <= accountant->total);
	CHECK((double) (accountant->spent - spent_aside) <= (1 - part) * left * (1 + 1e-9));
}

/* What asks for more than there is gets what is left, and the pairs nothing. */
static void
test_aside(void)
{
	static const uint32_t levels[3] = {2, 3, 4};
	static const double part[] = {0, 0.5, 1, 1.0000001, 2, 1e30, -1, -1e30, NAN, INFINITY, -INFINITY};

	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
		for (int run = 0; run < 8; run++)
		{
			double		asked = part[i];
			pegs_aside	aside = {.part = part_of, .spend = spend_aside, .to = &asked};
			pegs_accountant accountant;
			counted		table;
			pegs_fitted fitted;

			start((uint8_t) (200 + run));
			lay_out(&table, NOTHING, 3, levels);
			fill(&table, 1);
			/* of some of these what is left is no double, and the nearest one is above it */
			pegs_accountant_init(&accountant, (1 + 50 * run) * PEGS_EPSILON_UNIT + run, run % 2 ? 0 : DELTA, 1);
			accountant.total += (uint64_t) run;
			pegs_engine_fit_aside(&env, &rng, &accountant, &table.layout, table.cells, &aside, &fitted);
			CHECK(fitted.accountant.total == accountant.total && fitted.accountant.spent <= accountant.total);
			arena_free(&memory);
		}
}

/* Each fact, where pairs are chosen and where all are measured. */
static void
test_facts(void)
{
	static const uint32_t levels[5] = {2, 3, 4, 12, 20};

	for (fact given = GROUPS; given < FACTS; given++)
		for (int pure = 0; pure < 2; pure++)
			for (int r = 0; r < 4; r++)
			{
				start((uint8_t) (100 + given * 8 + r));
				replay(given, 5, levels, pure, r == 3 ? 20 : pure ? 0.0002 : 0.005, (double[]) {0.3, 0.8, 4, 0.5}[r], given == PERSONS ? 8 : 1 + 2 * (r % 2));
			}
}

/* One column, two, and so many that none has triples, or that all pairs are never asked for. */
static void
test_columns(void)
{
	uint32_t	levels[MOST];

	for (uint32_t i = 0; i < MOST; i++)
		levels[i] = i == 0 ? 12 : 2;
	for (int pure = 0; pure < 2; pure++)
		for (int i = 0; i < 5; i++)
		{
			start((uint8_t) (180 + 2 * i + pure));
			replay(NOTHING, (uint32_t[]) {1, 1, 2, 41, MOST}[i], levels, pure, i == 1 ? 0.01 : 12, 0.02, 1);
		}
}

/* So little that some looks cannot be had, and the noise of others is as large as any. */
static void
test_little(void)
{
	static const uint32_t levels[5] = {2, 3, 3, 2, 12};

	for (int pure = 0; pure < 2; pure++)
		for (int e = 0; e < 12; e++)
		{
			start((uint8_t) (192 + e));
			replay(NOTHING, 5, levels, pure, (pure ? 1e-9 : 1e-6) * exp2(e), 1e-9, pure ? 1 << 16 : 1 + (uint32_t) e % 8);
		}
}

int
main(void)
{
	static const uint32_t levels[6] = {2, 3, 4, 12, 20, 9};
	static const double rounds[2][7] = {{0.2, 0.55, 0.61, 0.8, 1.5, 4, 0.001}, {0.5, 1.8, 2.2, 3, 4, 5.5, 0.001}};

	for (uint32_t m = 4; m <= 6; m++)
		for (int pure = 0; pure < 2; pure++)
			for (int r = 0; r < 7; r++)
			{
				start((uint8_t) (m * 20 + r));
				replay(NOTHING, m, levels, pure, pure ? 0.0002 : 0.005, rounds[pure][r], r % 3 == 2 ? 3 : 1);
			}
	for (int pure = 0; pure < 2; pure++)
		replay(NOTHING, 4, levels, pure, 20, 0.5, 1);
	test_facts();
	test_columns();
	test_little();
	test_aside();
	CHECK(seen_between > 30 && seen_with > 40 && seen_without > 30 && seen_covered > 13 && seen_stop > 20 && seen_again > 12);
	return unit_done("engine_replay_test");
}
