/*
 * accountant_urns_test.c
 *	  The door for draws from urns: what is bought, what is drawn, what it tells.
 *
 * Claim P32, docs/privacy.md.
 */
#include "core/accountant.h"

#include <math.h>
#include <string.h>

#include "chisquare.h"
#include "core/urn.h"
#include "core/witness.h"
#define STREAM_SALT [1] = 71
#include "fixture.h"
#include "unit.h"

#define DELTA INT64_C(1000000000)	/* 1e-9 */

/* ---- what may break: every call from another file comes here ---- */

static enum
{
	SOUND, PLUG_IN, HALF_ALPHA, ONE_TABLE, SAME_CELL
}			bug;

extern void __real_pegs_urn_put_back(pegs_urn *, uint32_t);
extern void __wrap_pegs_urn_put_back(pegs_urn *, uint32_t);
extern uint32_t __real_pegs_urn_draw(const pegs_urn *, pegs_rng *);
extern uint32_t __wrap_pegs_urn_draw(const pegs_urn *, pegs_rng *);
extern pegs_status __real_pegs_urn_price(uint64_t, uint64_t, uint32_t, uint32_t, int64_t, int64_t *, uint64_t *);
extern pegs_status __wrap_pegs_urn_price(uint64_t, uint64_t, uint32_t, uint32_t, int64_t, int64_t *, uint64_t *);

void
__wrap_pegs_urn_put_back(pegs_urn *urn, uint32_t level)
{
	if (bug != PLUG_IN)
		__real_pegs_urn_put_back(urn, level);
}

uint32_t
__wrap_pegs_urn_draw(const pegs_urn *urn, pegs_rng *r)
{
	uint32_t	level = __real_pegs_urn_draw(urn, r);

	return bug == SAME_CELL ? 0 : level;
}

pegs_status
__wrap_pegs_urn_price(uint64_t tables, uint64_t draws, uint32_t levels, uint32_t rows, int64_t epsilon, int64_t *delta, uint64_t *alpha)
{
	pegs_status status = __real_pegs_urn_price(bug == ONE_TABLE ? 1 : tables, draws, levels, rows, epsilon, delta, alpha);

	if (bug == HALF_ALPHA)
		*alpha /= 2;
	return status;
}

/* ---- what is drawn ---- */

static double
rising(double a, double m)
{
	double		product = 1;

	for (int i = 0; i < m; i++)
		product *= a + i;
	return product;
}

/* Three draws from three cells, many times: by the law that the claim speaks of, at the alpha that is paid for. */
static void
test_law(void)
{
	static const int64_t counts[3] = {3, 0, 1};
	static const uint32_t levels[1] = {3};
	uint64_t	seen[64] = {0};
	double		p[64] = {0};
	double		alpha = 3 / expm1(2);

	for (int a = 0; a <= 3; a++)
		for (int b = 0; a + b <= 3; b++)
			p[16 * a + 4 * b + 3 - a - b] = 6 / (rising(1, a) * rising(1, b) * rising(1, 3 - a - b))
				* rising(3 + alpha, a) * rising(alpha, b) * rising(1 + alpha, 3 - a - b) / rising(4 + 3 * alpha, 3);
	start(1);
	for (int turn = 0; turn < 60000; turn++)
	{
		pegs_urn_look look = {.draws = 3, .tables = 1, .levels = levels};
		pegs_accountant accountant;
		double		drawn[3];

		pegs_accountant_init(&accountant, 2 * PEGS_EPSILON_UNIT, 0, 1);
		CHECK(pegs_draw_urns(&accountant, &rng, &env, &look, counts, drawn));
		CHECK_NEAR((double) look.alpha / 65536, alpha, 1e-4);
		seen[(int) (16 * drawn[0] + 4 * drawn[1] + drawn[2])]++;
		arena_free(&memory);
	}
	CHECK(chisquare_p(seen, p, 64, 60000) > CHISQUARE_P);
}

/* ---- what it costs ---- */

static const uint32_t two_levels[2] = {2, 3};

/* Two tables and what was drawn from the first: ln P(drawn | table) - ln P(drawn | other), from the definition. */
static double
ratio_of(const int64_t *table, const int64_t *other, const double *drawn, double draws, double alpha)
{
	double		ratio = 0;

	for (int t = 0, first = 0; t < 2; first += (int) two_levels[t++])
	{
		double		total[2] = {two_levels[t] * alpha, two_levels[t] * alpha};

		for (int j = first; j < first + (int) two_levels[t]; j++)
		{
			total[0] += (double) table[j];
			total[1] += (double) other[j];
			ratio += log(rising((double) table[j] + alpha, drawn[j]) / rising((double) other[j] + alpha, drawn[j]));
		}
		ratio -= log(rising(total[0], draws) / rising(total[1], draws));
	}
	return ratio;
}

/* One fit of two tables of one unit more. The first run's draws and their ratio. */
static double
weigh(int64_t (*table)[5], int64_t delta, uint32_t rows, pegs_witness *w, pegs_urn_look *look, double *drawn)
{
	double		again[5];
	pegs_accountant accountant = {0};

	pegs_witness_begin(w, &env);
	for (int run = 0; run < 2; run++)
	{
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, delta, rows);
		accountant.witness = w;
		if (run == 1)
			pegs_witness_again(w);
		*look = (pegs_urn_look) {.draws = 4, .tables = 2, .levels = two_levels};
		CHECK(pegs_draw_urns(&accountant, &rng, &env, look, table[run], run ? again : drawn));
	}
	CHECK(memcmp(drawn, again, sizeof(again)) == 0);
	pegs_witness_end(w, &accountant, true);
	return w->ratio;
}

/* Tables of up to five rows over two columns; the second one has a unit more, or less. */
static void
make_tables(int of, uint32_t rows, int64_t (*table)[5])
{
	memset(table, 0, sizeof(int64_t) * 10);
	for (int i = 0; i < of % 6; i++)
		for (int side = 0; side < 2; side++)
		{
			table[side][(of >> i) % 2]++;
			table[side][2 + (of >> i) % 3]++;
		}
	table[of / 6 % 2][of % 2] += rows;
	table[of / 6 % 2][2 + of % 3] += rows;
}

/*
 * The witness weighs as the definition does; nothing passes epsilon; and what a
 * unit could tell reaches it, where its cells have no other.
 */
static void
test_claim(void)
{
	for (int with_delta = 0; with_delta < 2; with_delta++)
		for (uint32_t rows = 1; rows <= 3; rows++)
		{
			pegs_witness w = {0};
			double		most = 0;

			for (int of = 0; of < 2000; of++)
			{
				int64_t		table[2][5];
				pegs_urn_look look;
				double		drawn[5];
				double		ratio;

				make_tables(of, rows, table);
				start_stream(2, (uint64_t) of);
				ratio = weigh(table, with_delta ? DELTA : 0, rows, &w, &look, drawn);
				CHECK_NEAR(ratio, ratio_of(table[0], table[1], drawn, 4, (double) look.alpha / 65536), 1e-9);
				CHECK(fabs(ratio) <= 1);
				CHECK_INT(look.delta, 0);	/* for four draws it buys nothing */
				most = fmax(most, w.urn_epsilon);
				arena_free(&memory);
			}
			CHECK_INT(w.fault, PEGS_SOUND);
			CHECK(most <= 1 && (rows > 1 || most > 1 - 1e-4));	/* the second row of a person finds the first */
		}
}

/* Of many draws with delta: alpha holds by P18 (2), for both tables, and hardly less would; a person of several rows has none. */
static void
test_delta(void)
{
	static const int64_t counts[5] = {3, 4, 5, 1, 1};
	double		drawn[5];

	for (uint32_t rows = 1; rows <= 2; rows++)
	{
		pegs_urn_look look = {.draws = 100000, .tables = 2, .levels = two_levels};
		pegs_accountant accountant;

		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, DELTA, rows);
		start(3);
		CHECK(pegs_draw_urns(&accountant, &rng, &env, &look, counts, drawn));
		CHECK_INT(look.delta, rows == 1 ? DELTA : 0);
		if (rows == 1)
			CHECK(pegs_urn_holds(PEGS_EPSILON_UNIT, DELTA, 2, look.alpha) && !pegs_urn_holds(PEGS_EPSILON_UNIT, DELTA, 2, look.alpha - 1));
		else
			CHECK_NEAR((double) look.alpha / 65536, 100000 / expm1(0.25), 1e-6);
		CHECK(drawn[0] + drawn[1] == 100000 && drawn[2] + drawn[3] + drawn[4] == 100000);
		arena_free(&memory);
	}
}

/* All of the account, once, and written down; and of one that has spent, or has too little, nothing. */
static void
test_account(void)
{
	static const int64_t counts[5] = {3, 4, 5, 1, 1};
	pegs_urn_look look = {.draws = 10, .tables = 2, .levels = two_levels};
	pegs_accountant accountant;
	double		drawn[5] = {7, 7, 7, 7, 7};
	double		noisy;
	uint64_t	spent;

	for (int64_t delta = 0; delta <= DELTA; delta += DELTA)
	{
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, delta, 1);
		CHECK(pegs_draw_urns(&accountant, &rng, &env, &look, counts, drawn));
		CHECK_INT(accountant.spent, accountant.total);
		CHECK_INT(accountant.record[PEGS_FOR_URNS - 1].cost, accountant.total);
		CHECK_INT(accountant.record[PEGS_FOR_URNS - 1].uses, 1);
		CHECK(!pegs_draw_urns(&accountant, &rng, &env, &look, counts, drawn));
		CHECK_INT(accountant.record[PEGS_FOR_URNS - 1].uses, 1);
	}
	drawn[0] = 7;
	pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
	CHECK(pegs_measure(&accountant, &rng, PEGS_FOR_ROWS, 0x1p-40, counts, &noisy, 1) > 0);
	spent = accountant.spent;
	CHECK(!pegs_draw_urns(&accountant, &rng, &env, &look, counts, drawn) && drawn[0] == 7 && accountant.spent == spent);
	pegs_accountant_init(&accountant, 1, 0, 1000);
	look.draws = 100000000;
	CHECK(!pegs_draw_urns(&accountant, &rng, &env, &look, counts, drawn) && drawn[0] == 7 && accountant.spent == 0);
	arena_free(&memory);
}

/* Each bug has the fault of its kind. */
static void
test_bugs(void)
{
	static const struct
	{
		int			bug;
		int64_t		delta;
		uint64_t	draws;
		pegs_fault	fault;
	}			seeded[] = {
		{SOUND, 0, 100, PEGS_SOUND}, {SOUND, DELTA, 3000, PEGS_SOUND},
		{PLUG_IN, 0, 100, PEGS_FAULT_URN}, {HALF_ALPHA, 0, 100, PEGS_FAULT_COST}, {HALF_ALPHA, DELTA, 3000, PEGS_FAULT_COST},
		{ONE_TABLE, 0, 100, PEGS_FAULT_COST}, {ONE_TABLE, DELTA, 3000, PEGS_FAULT_COST}
	};
	static const int64_t table[2][5] = {{30, 3, 0, 3, 30}, {30, 4, 1, 3, 30}};

	for (size_t i = 0; i < sizeof(seeded) / sizeof(seeded[0]); i++)
	{
		pegs_witness w = {0};
		pegs_accountant accountant;
		double		drawn[5];

		bug = seeded[i].bug;
		start(4);
		pegs_witness_begin(&w, &env);
		for (int run = 0; run < 2; run++)
		{
			pegs_urn_look look = {.draws = seeded[i].draws, .tables = 2, .levels = two_levels};

			if (run == 1)
				pegs_witness_again(&w);
			pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, seeded[i].delta, 1);
			accountant.witness = &w;
			CHECK(pegs_draw_urns(&accountant, &rng, &env, &look, table[run], drawn));
		}
		pegs_witness_end(&w, &accountant, true);
		CHECK_INT(w.fault, seeded[i].fault);
		arena_free(&memory);
	}
	bug = SOUND;
}

/* Draws that are no draws: a cell that always comes. And sound ones, of urns that are full, empty, and of one cell. */
static void
test_chance(void)
{
	static const int64_t counts[3][5] = {{0}, {5, 90, 0, 0, 40}, {1000000, 0, 1, 1, 1}};

	for (int same = 0; same < 2; same++)
		for (int of = 0; of < 3; of++)
		{
			pegs_witness w = {0};

			bug = same ? SAME_CELL : SOUND;
			start(5);
			for (int turn = 0; turn < 300; turn++)
			{
				pegs_urn_look look = {.draws = 50, .tables = 2, .levels = two_levels};
				pegs_accountant accountant;
				double		drawn[5];

				pegs_witness_begin(&w, &env);
				pegs_accountant_init(&accountant, 3 * PEGS_EPSILON_UNIT, 0, 1);
				accountant.witness = &w;
				CHECK(pegs_draw_urns(&accountant, &rng, &env, &look, counts[of], drawn));
				arena_free(&memory);
			}
			CHECK_INT(w.fault, PEGS_SOUND);
			CHECK(pegs_too_likely(&w.choice, 30) == (same && of != 1));
			CHECK(pegs_too_likely(&w.noise, 30) == (same && of == 1));
		}
	bug = SOUND;
}

int
main(void)
{
	test_law();
	test_claim();
	test_delta();
	test_account();
	test_bugs();
	test_chance();
	return unit_done("accountant_urns_test");
}
