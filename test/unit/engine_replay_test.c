/*
 * engine_replay_test.c
 *	  What a fit of few and of many rows does next depends on released numbers
 *	  alone: told the answers of another fit, over an empty table and over one
 *	  of twice the rows it asks the same, and makes the same model. Nor does any
 *	  count say what choosing nothing is worth; and a neighbour moves each look
 *	  and each score by no more than was paid for.
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
#define STREAM_SALT [3] = 77
#include "fixture.h"
#include "fitted.h"
#include "unit.h"

extern size_t __real_pegs_choose(pegs_accountant *, pegs_rng *, double, const int64_t *, size_t);
extern size_t __wrap_pegs_choose(pegs_accountant *, pegs_rng *, double, const int64_t *, size_t);

#define ROWS 600
#define MOST 6
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

/* The third column is said by the first two together, the last by another and the first; few rows are in the upper half of the levels. */
static uint64_t *
table(const pegs_layout *layout, uint64_t times)
{
	uint64_t   *cells = env.alloc(env.context, sizeof(uint64_t) * layout->ncells);
	uint16_t	row[MOST];
	uint16_t   *codes[MOST];
	uint32_t	m = layout->ncols;

	for (uint32_t i = 0; i < m; i++)
		codes[i] = &row[i];
	for (uint32_t r = 0; r < ROWS; r++)
	{
		for (uint32_t i = 0; i < m; i++)
			row[i] = (uint16_t) pegs_rng_below(&rng, r % 50 == 0 ? layout->levels[i] : layout->levels[i] / 2 + 1);
		if (pegs_rng_below(&rng, 8) > 0)
			row[2] = (uint16_t) ((row[0] + row[1]) % 2 + 2 * pegs_rng_below(&rng, 2));
		if (pegs_rng_below(&rng, 3) > 0)
			row[m - 1] = (uint16_t) ((row[m - 2] + row[0]) % layout->levels[m - 1]);
		pegs_count_chunk(layout, cells, codes, 1);
	}
	for (uint64_t c = 0; c < layout->ncells; c++)
		cells[c] *= times;
	return cells;
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
replay(uint32_t m, const uint32_t *levels, bool pure, double epsilon, double rounds, uint32_t k)
{
	pegs_accountant accountant;
	pegs_witness witness = {0};
	pegs_layout layout;
	uint64_t   *cells[4];
	pegs_fitted fitted[4];
	uint16_t	row[MOST];
	uint16_t   *codes[MOST];
	uint64_t	times;
	double		rows;
	bool		covered;
	uint32_t	batch;
	double		planned;

	CHECK(pegs_layout_pairs(&env, m, levels, &layout, NULL) == PEGS_OK);
	pegs_layout_add_triples(&env, &layout);
	pegs_accountant_init(&accountant, llround(epsilon * 1e9), pure ? 0 : DELTA, k);
	rows = rounds * 8000 * pegs_noise_sd(&accountant, (double) accountant.total * 0x1p-50);
	times = (uint64_t) fmax(1, round(rows / ROWS));
	cells[0] = table(&layout, times);
	cells[1] = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
	cells[2] = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);	/* empty */
	cells[3] = table(&layout, 2 * times);
	/* the neighbour: a person more, in the first cell of every table, or in the last */
	memcpy(cells[1], cells[0], sizeof(uint64_t) * layout.ncells);
	for (uint32_t i = 0; i < m; i++)
	{
		row[i] = (uint16_t) (times % 2 ? levels[i] - 1 : 0);
		codes[i] = &row[i];
	}
	for (uint32_t i = 0; i < k; i++)
		pegs_count_chunk(&layout, cells[1], codes, 1);
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
		pegs_engine_fit(&env, &own, &accountant, &layout, cells[run], &fitted[run]);
		if (run > 0)
			pegs_witness_end(&witness, &accountant, same_models(&fitted[0], &fitted[run]));
	}
	if (!CHECK(witness.fault == PEGS_SOUND) || !CHECK(same_stop))
		printf("  %u columns, %g rounds, epsilon %g, %s, %u rows a person\n", m, rounds, epsilon, pure ? "pure" : "with delta", k);
	covered = pegs_can_cover(&accountant, m, levels, fitted[0].share, fitted[0].rows);
	planned = pegs_rounds(&env, &accountant, m, (double[MOST]) {2, 2, 2, 2, 2, 2}, fitted[0].rows, covered, &batch);
	seen_covered += covered;
	seen_between += !covered && planned > 2 * m + 0.01 && planned < (pure ? 6 : 12.5) * m - 0.01;
	if (layout.triple_offset && pegs_triple_at(&layout, 0, 1, 2) > 0 && !covered)
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
			pegs_layout layout;
			pegs_fitted fitted;

			start((uint8_t) (200 + run));
			CHECK(pegs_layout_pairs(&env, 3, levels, &layout, NULL) == PEGS_OK);
			/* of some of these what is left is no double, and the nearest one is above it */
			pegs_accountant_init(&accountant, (1 + 50 * run) * PEGS_EPSILON_UNIT + run, run % 2 ? 0 : DELTA, 1);
			accountant.total += (uint64_t) run;
			pegs_engine_fit_aside(&env, &rng, &accountant, &layout, table(&layout, 1), &aside, &fitted);
			CHECK(fitted.accountant.total == accountant.total && fitted.accountant.spent <= accountant.total);
			arena_free(&memory);
		}
}

int
main(void)
{
	static const uint32_t levels[MOST] = {2, 3, 4, 12, 20, 9};
	static const double rounds[2][7] = {{0.2, 0.55, 0.61, 0.8, 1.5, 4, 0.001}, {0.5, 1.8, 2.2, 3, 4, 5.5, 0.001}};

	for (uint32_t m = 4; m <= MOST; m++)
		for (int pure = 0; pure < 2; pure++)
			for (int r = 0; r < 7; r++)
			{
				start((uint8_t) (m * 20 + r));
				replay(m, levels, pure, pure ? 0.0002 : 0.005, rounds[pure][r], r % 3 == 2 ? 3 : 1);
			}
	for (int pure = 0; pure < 2; pure++)
		replay(4, levels, pure, 20, 0.5, 1);
	test_aside();
	CHECK(seen_between > 20 && seen_with > 12 && seen_without > 12 && seen_covered == 2 && seen_stop > 2 && seen_again > 2);
	return unit_done("engine_replay_test");
}
