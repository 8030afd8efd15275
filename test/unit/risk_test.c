/*
 * risk_test.c
 *	  Is each risk what it is by hand, and by a slow look at each row?
 *
 * Attribute disclosure is as synthpop computes it (R/disclosure.R and the
 * appendix of its vignette "Practical privacy metrics for synthetic data"): with
 * rows per group of keys q and target t, d of the original, s of the synthetic
 * table,
 *   Dorig  = 100 / Nd sum of d_tq where d_tq = d_q
 *   Dsyn   = 100 / Ns sum of s_tq where s_tq = s_q
 *   iS     = 100 / Nd sum of d_q where s_q > 0
 *   DiS    = 100 / Nd sum of d_q where some s_tq = s_q > 0
 *   DiSCO  = 100 / Nd sum of d_tq where s_tq = s_q > 0
 *   DiSDiO = 100 / Nd sum of d_tq where s_tq = s_q > 0 and d_tq = d_q
 * (the appendix writes UiS with the original's rows below the line and iS with
 * s_tq > 0; synthpop's code, and what we check, has Ns and s_q > 0).
 */
#include "core/compare/risk.h"

#include <string.h>

#include "fixture.h"
#include "rows.h"
#include "unit.h"

/* Columns 0 and 1 are keys, column 2 is the target. */
static const uint32_t levels_of_three[3] = {3, 2, 3};
static const uint32_t two_keys[2] = {0, 1};

static pegs_coded
rows_of(uint64_t n, const uint16_t (*row)[3])
{
	pegs_coded	t = table(3, levels_of_three, n);

	for (uint64_t r = 0; r < n; r++)
		for (uint32_t c = 0; c < 3; c++)
			t.code[c][r] = row[r][c];
	return t;
}

static pegs_risk
risk_of(const pegs_coded *a, const pegs_coded *b, const uint32_t *keys, uint32_t nkeys, uint32_t target)
{
	pegs_risk	risk;

	memset(&risk, 0x55, sizeof(risk));
	CHECK_INT(pegs_risk_of(&env, a, b, keys, nkeys, target, &risk), PEGS_OK);
	return risk;
}

/* Equal, or neither is a number. */
#define CHECK_SAME(actual, expected) \
	do { \
		if (isnan(expected)) \
			CHECK(isnan(actual)); \
		else \
			CHECK(fabs((actual) - (expected)) <= 1e-12 * (1 + fabs(expected))); \
	} while (0)

/* ---------- by hand ---------- */

/*
 *   keys  original's targets  synthetic targets
 *   0 0   0 1 0               0 0       one there, right for two of three
 *   0 1   2                   2         one there, right; unique in both
 *   1 0   1 1                 2         one there, wrong
 *   1 1   0                   -         not there
 *   2 0   2 0 2               2 0 2 0   two there, equally often: the guess is 0
 *   2 1   -                   1 1 1 1   only there
 * 10 and 12 rows. Synthetic targets: 0, 1 and 2 four times each: the mode is 0.
 */
static const uint16_t original_rows[10][3] = {
	{2, 0, 2}, {0, 0, 0}, {1, 0, 1}, {0, 1, 2}, {0, 0, 1}, {2, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 0, 0}, {2, 0, 2}
};
static const uint16_t synthetic_rows[12][3] = {
	{2, 0, 2}, {1, 0, 2}, {2, 1, 1}, {2, 0, 0}, {0, 1, 2}, {2, 0, 2},
	{2, 1, 1}, {2, 1, 1}, {2, 0, 0}, {0, 0, 0}, {2, 1, 1}, {0, 0, 0}
};

static void
test_by_hand(void)
{
	pegs_coded	a = rows_of(10, original_rows);
	pegs_coded	b = rows_of(12, synthetic_rows);
	pegs_risk	r = risk_of(&a, &b, two_keys, 2, 2);

	/* 01 and 11; 01 and 10; 01 */
	CHECK_NEAR(r.on_keys.original, 20, 1e-15);
	CHECK_NEAR(r.on_keys.synthetic, 100 * 2.0 / 12, 1e-15);
	CHECK_NEAR(r.on_keys.replicated, 10, 1e-15);
	/* 001, 012, 110, 200; 012 and 102; 012 */
	CHECK_NEAR(r.on_all.original, 40, 1e-15);
	CHECK_NEAR(r.on_all.synthetic, 100 * 2.0 / 12, 1e-15);
	CHECK_NEAR(r.on_all.replicated, 10, 1e-15);
	/* synthetic 000 twice, 012, 200 twice, 202 twice; of the four unique ones 012 and 200 */
	CHECK_NEAR(r.exact_match, 100 * 7.0 / 12, 1e-15);
	CHECK_NEAR(r.unique_matched, 50, 1e-15);

	/* 01, 10 twice, 11 */
	CHECK_NEAR(r.d_orig, 40, 1e-15);
	/* 00 twice, 01, 10, 21 four times */
	CHECK_NEAR(r.d_syn, 100 * 8.0 / 12, 1e-15);
	/* all but 11 */
	CHECK_NEAR(r.i_s, 90, 1e-15);
	/* 00 three times, 01, 10 twice */
	CHECK_NEAR(r.di_s, 60, 1e-15);
	/* 000 twice, 012 */
	CHECK_NEAR(r.disco, 30, 1e-15);
	/* 012: the original's 00 have two targets */
	CHECK_NEAR(r.disdio, 10, 1e-15);

	/* 001, 101 twice, 202 twice; 11 is not there, and the overall mode is right */
	CHECK_NEAR(r.misclassified, 0.5, 1e-15);
	CHECK_NEAR(r.matched, 0.9, 1e-15);
	CHECK_NEAR(r.misclassified_matched, 5.0 / 9, 1e-15);
	/* 001 and 200 */
	CHECK_NEAR(r.misclassified_own, 0.2, 1e-15);
	/* targets of the original: 0 four times, 1 and 2 three times */
	CHECK_NEAR(r.misclassified_mode, 0.6, 1e-15);
	/* 000 twice 1, 001 0, 012 1, 101 0, 202 twice 1/2, 200 1/2: 4.5 of 9 */
	CHECK_NEAR(r.cap, 0.5, 1e-15);
	/* no numbers */
	CHECK(isnan(r.error) && isnan(r.error_matched) && isnan(r.error_own));
	arena_free(&memory);
}

/* The same tables the other way round: what is divided by which number of rows. */
static void
test_other_way_round(void)
{
	pegs_coded	a = rows_of(12, synthetic_rows);
	pegs_coded	b = rows_of(10, original_rows);
	pegs_risk	r = risk_of(&a, &b, two_keys, 2, 2);

	CHECK_NEAR(r.on_keys.original, 100 * 2.0 / 12, 1e-15);
	CHECK_NEAR(r.on_keys.synthetic, 20, 1e-15);
	CHECK_NEAR(r.on_keys.replicated, 100 * 1.0 / 12, 1e-15);
	/* 000 twice, 012, 200, 202 twice */
	CHECK_NEAR(r.exact_match, 60, 1e-15);
	/* of 012 and 102 the first */
	CHECK_NEAR(r.unique_matched, 50, 1e-15);
	CHECK_NEAR(r.d_orig, 100 * 8.0 / 12, 1e-15);
	CHECK_NEAR(r.d_syn, 40, 1e-15);
	/* all but 21 */
	CHECK_NEAR(r.i_s, 100 * 8.0 / 12, 1e-15);
	/* 01 and 10; 01; 01 */
	CHECK_NEAR(r.di_s, 100 * 2.0 / 12, 1e-15);
	CHECK_NEAR(r.disco, 100 * 1.0 / 12, 1e-15);
	CHECK_NEAR(r.disdio, 100 * 1.0 / 12, 1e-15);
	/* guesses 00: 0, 01: 2, 10: 1, 20: 2, 21: the mode 0. Wrong: 102, 200 twice, 211 four times */
	CHECK_NEAR(r.misclassified, 7.0 / 12, 1e-15);
	CHECK_NEAR(r.misclassified_matched, 3.0 / 8, 1e-15);
	/* 20: two of four */
	CHECK_NEAR(r.misclassified_own, 2.0 / 12, 1e-15);
	CHECK_NEAR(r.misclassified_mode, 8.0 / 12, 1e-15);
	/* 000 twice 2/3, 012 1, 102 0, 200 twice 1/3, 202 twice 2/3 */
	CHECK_NEAR(r.cap, (4.0 / 3 + 1 + 2.0 / 3 + 4.0 / 3) / 8, 1e-15);
	arena_free(&memory);
}

/* A guess among equals is the lowest level, wherever it comes first; "not declared" is a level, the last. */
static void
test_ties(void)
{
	static const uint16_t truth[4][3] = {{0, 0, 1}, {0, 0, 1}, {1, 0, 3}, {2, 0, 1}};
	static const uint16_t told[6][3] = {{0, 0, 3}, {0, 0, 1}, {1, 0, 3}, {1, 0, 2}, {1, 0, 3}, {0, 1, 1}};
	pegs_coded	a = rows_of(4, truth);
	pegs_coded	b = rows_of(6, told);
	pegs_risk	r = risk_of(&a, &b, two_keys, 2, 2);

	/* 00: 1 before 3; 10: 3. Overall 3 three times, 1 twice: 3 for 20, which is wrong */
	CHECK_NEAR(r.misclassified, 0.25, 1e-15);
	CHECK(r.misclassified_matched == 0);
	CHECK_NEAR(r.cap, (0.5 + 0.5 + 2.0 / 3) / 3, 1e-15);
	/* the other way round: rows 3 1 3 2 3 1 against guesses 1 1 3 3 3 and the mode 1 */
	r = risk_of(&b, &a, two_keys, 2, 2);
	CHECK_NEAR(r.misclassified, 2.0 / 6, 1e-15);
	/* own: of 3 1 the 1, of 3 2 3 the 3 */
	CHECK_NEAR(r.misclassified_own, 2.0 / 6, 1e-15);
	CHECK_NEAR(r.misclassified_mode, 0.5, 1e-15);
	arena_free(&memory);
}

/* Nobody is there, nobody is alone. */
static void
test_strangers(void)
{
	static const uint16_t truth[4][3] = {{0, 0, 1}, {0, 0, 1}, {1, 0, 0}, {1, 0, 0}};
	static const uint16_t told[3][3] = {{2, 0, 1}, {2, 0, 1}, {2, 1, 0}};
	pegs_coded	a = rows_of(4, truth);
	pegs_coded	b = rows_of(3, told);
	pegs_risk	r = risk_of(&a, &b, two_keys, 2, 2);

	CHECK(r.on_keys.original == 0 && r.on_keys.replicated == 0 && r.exact_match == 0);
	CHECK(r.unique_matched == 0);
	CHECK(r.d_orig == 100 && r.d_syn == 100);
	CHECK(r.i_s == 0 && r.di_s == 0 && r.disco == 0 && r.disdio == 0 && r.matched == 0);
	/* the mode is 1 */
	CHECK(r.misclassified == 0.5 && r.misclassified_mode == 0.5 && r.misclassified_own == 0);
	CHECK(isnan(r.misclassified_matched) && isnan(r.cap));

	/* a table with itself: everything is found */
	r = risk_of(&a, &a, two_keys, 2, 2);
	CHECK(r.exact_match == 100 && r.i_s == 100 && r.di_s == 100 && r.disco == 100 && r.disdio == 100);
	CHECK(r.matched == 1 && r.misclassified == 0 && r.misclassified_matched == 0 && r.cap == 1);
	arena_free(&memory);
}

/* ---------- numbers ---------- */

/*
 *   keys  original  synthetic    mean
 *   0 0   1 3 -     2 6 -        4
 *   0 1   10        8            8
 *   1 0   4         no row       5 = (2 + 6 + 8 + 4) / 4
 *   1 1   7         -            5: a row, but no number
 *   2 0   infinite  4            not taken
 * Errors 3 1 2 1 2; of the first three matched; own means 2, 10, 4, 7: 1 1 0 0 0.
 */
static void
test_numbers(void)
{
	static const uint16_t truth[7][3] = {
		{0, 0, 0}, {0, 0, 0}, {0, 0, 2}, {0, 1, 1}, {1, 0, 0}, {1, 1, 1}, {2, 0, 1}
	};
	static const uint16_t told[6][3] = {{2, 0, 0}, {0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 1, 1}, {1, 1, 2}};
	double		true_number[7] = {1, 3, NAN, 10, 4, 7, INFINITY};
	double		told_number[6] = {4, 2, 6, NAN, 8, NAN};
	double		no_number[6] = {NAN, NAN, NAN, INFINITY, NAN, -INFINITY};
	pegs_coded	a = rows_of(7, truth);
	pegs_coded	b = rows_of(6, told);
	pegs_risk	r;

	a.number[2] = true_number;
	b.number[2] = told_number;
	r = risk_of(&a, &b, two_keys, 2, 2);
	CHECK_NEAR(r.error, 9.0 / 5, 1e-15);
	CHECK_NEAR(r.error_matched, 6.0 / 3, 1e-15);
	CHECK_NEAR(r.error_own, 2.0 / 5, 1e-15);
	/* rows without a number have a target, too: all but 10 are there */
	CHECK_NEAR(r.matched, 6.0 / 7, 1e-15);

	/* of the target's column alone, and only if both have it */
	r = risk_of(&a, &b, two_keys, 1, 1);
	CHECK(isnan(r.error) && isnan(r.error_matched) && isnan(r.error_own));
	b.number[2] = NULL;
	r = risk_of(&a, &b, two_keys, 2, 2);
	CHECK(isnan(r.error) && isnan(r.error_own));
	b.number = NULL;
	r = risk_of(&a, &b, two_keys, 2, 2);
	CHECK(isnan(r.error) && isnan(r.error_own));
	r = risk_of(&b, &a, two_keys, 2, 2);
	CHECK(isnan(r.error) && isnan(r.error_own));

	/* not one number on either side */
	b = rows_of(6, told);
	b.number[2] = no_number;
	r = risk_of(&a, &b, two_keys, 2, 2);
	CHECK(isnan(r.error) && isnan(r.error_matched));
	r = risk_of(&b, &a, two_keys, 2, 2);
	CHECK(isnan(r.error) && isnan(r.error_matched) && isnan(r.error_own));

	/* numbers, but nobody's: only the overall mean, 4 */
	b.number[2] = told_number;
	told_number[1] = told_number[2] = told_number[4] = NAN;
	r = risk_of(&a, &b, two_keys, 2, 2);
	CHECK_NEAR(r.error, (3 + 1 + 6 + 0 + 3) / 5.0, 1e-15);
	CHECK(isnan(r.error_matched));
	arena_free(&memory);
}

/* ---------- each row by itself ---------- */

static bool
alike(const pegs_coded *a, uint64_t i, const pegs_coded *b, uint64_t j, const uint32_t *columns, uint32_t n)
{
	for (uint32_t c = 0; c < n; c++)
		if (a->code[columns[c]][i] != b->code[columns[c]][j])
			return false;
	return true;
}

/* What a table says of row i of `of`: rows with its keys, with its target among them, and the guess. */
typedef struct answer
{
	uint64_t	rows;
	uint64_t	right;
	uint32_t	guess;
	uint64_t	guesses;
	double		sum;			/* of numbers */
	uint64_t	numbers;
} answer;

static answer
ask(const pegs_coded *table, const pegs_coded *of, uint64_t i, const uint32_t *keys, uint32_t nkeys, uint32_t target)
{
	answer		said = {0};

	for (uint64_t j = 0; j < table->nrows; j++)
		if (alike(of, i, table, j, keys, nkeys))
		{
			said.rows++;
			said.right += target != PEGS_NO_COLUMN && table->code[target][j] == of->code[target][i];
			if (target != PEGS_NO_COLUMN && isfinite(table->number[target][j]))
			{
				said.sum += table->number[target][j];
				said.numbers++;
			}
		}
	for (uint32_t t = 0; target != PEGS_NO_COLUMN && t <= table->levels[target]; t++)
	{
		uint64_t	n = 0;

		for (uint64_t j = 0; j < table->nrows; j++)
			n += table->code[target][j] == t && alike(of, i, table, j, keys, nkeys);
		if (n > said.guesses)
		{
			said.guess = t;
			said.guesses = n;
		}
	}
	return said;
}

static double
percent(double part, double of)
{
	return 100 * part / of;
}

static void
check_slowly(const pegs_coded *a, const pegs_coded *b, const uint32_t *keys, uint32_t nkeys, uint32_t target)
{
	pegs_risk	r = risk_of(a, b, keys, nkeys, target);
	double		n = (double) a->nrows;
	double		m = (double) b->nrows;
	uint32_t	all[6];
	double		s[32] = {0};

	for (uint32_t c = 0; c < a->ncols; c++)
		all[c] = c;
	for (uint64_t i = 0; i < a->nrows; i++)
	{
		answer		own = ask(a, a, i, keys, nkeys, target);
		answer		told = ask(b, a, i, keys, nkeys, target);
		answer		anyone = ask(b, a, i, NULL, 0, target);
		answer		own_all = ask(a, a, i, all, a->ncols, PEGS_NO_COLUMN);
		answer		told_all = ask(b, a, i, all, a->ncols, PEGS_NO_COLUMN);

		s[0] += own.rows == 1;
		s[1] += own.rows == 1 && told.rows == 1;
		s[2] += own_all.rows == 1;
		s[3] += own_all.rows == 1 && told_all.rows == 1;
		s[4] += own_all.rows == 1 && told_all.rows > 0;
		if (target == PEGS_NO_COLUMN)
			continue;
		s[5] += own.right == own.rows;
		s[6] += told.rows > 0;
		s[7] += told.rows > 0 && told.guesses == told.rows;
		s[8] += told.rows > 0 && told.right == told.rows;
		s[9] += told.rows > 0 && told.right == told.rows && own.right == own.rows;
		s[10] += (told.rows > 0 ? told.guess : anyone.guess) != a->code[target][i];
		s[11] += told.rows > 0 && told.guess != a->code[target][i];
		s[12] += own.guess != a->code[target][i];
		s[13] += ask(a, a, i, NULL, 0, target).guess != a->code[target][i];
		s[14] += told.rows > 0 ? (double) told.right / (double) told.rows : 0;
		if (!isfinite(a->number[target][i]))
			continue;
		s[15]++;
		s[16] += fabs(a->number[target][i] - (told.numbers > 0 ? told.sum / (double) told.numbers
											  : anyone.sum / (double) anyone.numbers));
		s[17] += told.numbers > 0;
		s[18] += told.numbers > 0 ? fabs(a->number[target][i] - told.sum / (double) told.numbers) : 0;
		s[19] += fabs(a->number[target][i] - own.sum / (double) own.numbers);
		s[20] += anyone.numbers > 0;
	}
	for (uint64_t i = 0; i < b->nrows; i++)
	{
		answer		told = ask(b, b, i, keys, nkeys, target);

		s[21] += told.rows == 1;
		s[22] += ask(b, b, i, all, a->ncols, PEGS_NO_COLUMN).rows == 1;
		s[23] += ask(a, b, i, all, a->ncols, PEGS_NO_COLUMN).rows > 0;
		s[24] += target != PEGS_NO_COLUMN && told.right == told.rows;
	}
	CHECK_SAME(r.on_keys.original, percent(s[0], n));
	CHECK_SAME(r.on_keys.synthetic, percent(s[21], m));
	CHECK_SAME(r.on_keys.replicated, percent(s[1], n));
	CHECK_SAME(r.on_all.original, percent(s[2], n));
	CHECK_SAME(r.on_all.synthetic, percent(s[22], m));
	CHECK_SAME(r.on_all.replicated, percent(s[3], n));
	CHECK_SAME(r.exact_match, percent(s[23], m));
	CHECK_SAME(r.unique_matched, s[2] > 0 ? percent(s[4], s[2]) : 0);
	if (target == PEGS_NO_COLUMN)
	{
		CHECK(isnan(r.d_orig) && isnan(r.d_syn) && isnan(r.i_s) && isnan(r.di_s) && isnan(r.disco) && isnan(r.disdio));
		CHECK(isnan(r.misclassified) && isnan(r.matched) && isnan(r.misclassified_matched));
		CHECK(isnan(r.misclassified_own) && isnan(r.misclassified_mode) && isnan(r.cap));
		CHECK(isnan(r.error) && isnan(r.error_matched) && isnan(r.error_own));
		return;
	}
	CHECK_SAME(r.d_orig, percent(s[5], n));
	CHECK_SAME(r.d_syn, percent(s[24], m));
	CHECK_SAME(r.i_s, percent(s[6], n));
	CHECK_SAME(r.di_s, percent(s[7], n));
	CHECK_SAME(r.disco, percent(s[8], n));
	CHECK_SAME(r.disdio, percent(s[9], n));
	CHECK_SAME(r.misclassified, s[10] / n);
	CHECK_SAME(r.matched, s[6] / n);
	CHECK_SAME(r.misclassified_matched, s[11] / s[6]);
	CHECK_SAME(r.misclassified_own, s[12] / n);
	CHECK_SAME(r.misclassified_mode, s[13] / n);
	CHECK_SAME(r.cap, s[14] / s[6]);
	if (s[20] > 0)
	{
		CHECK_SAME(r.error, s[16] / s[15]);
		CHECK_SAME(r.error_matched, s[18] / s[17]);
		CHECK_SAME(r.error_own, s[19] / s[15]);
	}
}

static void
test_random_tables(void)
{
	for (int turn = 0; turn < 200; turn++)
	{
		uint32_t	ncols = 1 + (uint32_t) pegs_rng_below(&rng, 5);
		uint32_t	levels[5];
		uint32_t	keys[5];
		uint32_t	nkeys = 0;
		uint32_t	target = turn % 5 == 0 ? PEGS_NO_COLUMN : (uint32_t) pegs_rng_below(&rng, ncols);
		pegs_coded	t[2];

		for (uint32_t c = 0; c < ncols; c++)
			levels[c] = 1 + (uint32_t) pegs_rng_below(&rng, 4);
		/* from the last, so that keys are not the first columns; none now and then, and the target among them, too */
		for (uint32_t c = ncols; c-- > 0;)
			if (pegs_rng_below(&rng, 3) > 0)
				keys[nkeys++] = c;
		for (int i = 0; i < 2; i++)
		{
			t[i] = table(ncols, levels, 1 + pegs_rng_below(&rng, 40));
			for (uint32_t c = 0; c < ncols; c++)
			{
				t[i].number[c] = env.alloc(env.context, sizeof(double) * t[i].nrows);
				for (uint64_t r = 0; r < t[i].nrows; r++)
				{
					t[i].code[c][r] = (uint16_t) pegs_rng_below(&rng, levels[c] + 1);
					t[i].number[c][r] = pegs_rng_below(&rng, 4) == 0 ? NAN : (double) pegs_rng_below(&rng, 1000) / 8;
				}
			}
		}
		check_slowly(&t[0], &t[1], keys, nkeys, target);
		arena_free(&memory);
	}
}

/* ---------- no keys, no target, no rows, no answer ---------- */

static void
test_no_keys(void)
{
	pegs_coded	a = rows_of(10, original_rows);
	pegs_coded	b = rows_of(12, synthetic_rows);
	pegs_risk	r = risk_of(&a, &b, NULL, 0, 2);

	/* all are alike: everybody is found, and guessed to be of the mode 0 */
	CHECK(r.on_keys.original == 0 && r.on_keys.synthetic == 0 && r.on_keys.replicated == 0);
	CHECK(r.i_s == 100 && r.d_orig == 0 && r.d_syn == 0 && r.di_s == 0 && r.disco == 0);
	CHECK_NEAR(r.misclassified, 0.6, 1e-15);
	CHECK_NEAR(r.misclassified_own, 0.6, 1e-15);
	CHECK_NEAR(r.cap, 1.0 / 3, 1e-15);
	/* one row is alone even so */
	a.nrows = b.nrows = 1;
	r = risk_of(&a, &b, NULL, 0, 2);
	CHECK(r.on_keys.original == 100 && r.on_keys.synthetic == 100 && r.on_keys.replicated == 100);
	CHECK(r.d_orig == 100 && r.disdio == 100 && r.cap == 1);
	arena_free(&memory);
}

static void
check_nothing(const pegs_coded *a, const pegs_coded *b)
{
	pegs_risk	r = risk_of(a, b, two_keys, 2, 2);
	double		value[sizeof(pegs_risk) / sizeof(double)];

	memcpy(value, &r, sizeof(r));
	for (size_t i = 0; i < sizeof(value) / sizeof(value[0]); i++)
		CHECK(isnan(value[i]));
}

static void
test_edges(void)
{
	static const uint32_t other[3] = {3, 2, 4};
	static const uint32_t beyond[2] = {0, 3};
	pegs_coded	a = rows_of(10, original_rows);
	pegs_coded	none = rows_of(0, NULL);
	pegs_coded	unlike = table(3, other, 10);
	pegs_coded	narrow = table(2, levels_of_three, 10);
	pegs_risk	r;

	check_nothing(&a, &none);
	check_nothing(&none, &a);
	check_nothing(&none, &none);

	CHECK_INT(pegs_risk_of(&env, &a, &unlike, two_keys, 2, 2, &r), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_risk_of(&env, &a, &unlike, two_keys, 2, PEGS_NO_COLUMN, &r), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_risk_of(&env, &a, &narrow, two_keys, 2, 0, &r), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_risk_of(&env, &narrow, &a, two_keys, 2, 0, &r), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_risk_of(&env, &a, &a, beyond, 2, 2, &r), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_risk_of(&env, &a, &a, two_keys, 2, 3, &r), PEGS_ERR_MISMATCH);
	CHECK_INT(pegs_risk_of(&env, &a, &a, two_keys, 2, UINT32_MAX - 1, &r), PEGS_ERR_MISMATCH);
	arena_free(&memory);
}

/* What is given back is not used again, and all of it is given back. */
static void
test_memory(void)
{
	pegs_env	kept = env;
	double		number[12] = {0};
	pegs_coded	a;
	pegs_coded	b;
	pegs_risk	r;
	size_t		blocks;

	env = arena_env_freeing(&memory);
	a = rows_of(10, original_rows);
	b = rows_of(12, synthetic_rows);
	a.number[2] = b.number[2] = number;
	blocks = memory.blocks;
	r = risk_of(&a, &b, two_keys, 2, 2);
	CHECK_NEAR(r.cap, 0.5, 1e-15);
	CHECK_NEAR(r.misclassified, 0.5, 1e-15);
	CHECK(r.error == 0);
	CHECK_INT(memory.blocks, blocks);
	CHECK(memory.checks > 0);
	arena_free(&memory);
	env = kept;
}

int
main(void)
{
	start(9);
	test_by_hand();
	test_other_way_round();
	test_ties();
	test_strangers();
	test_numbers();
	test_random_tables();
	test_no_keys();
	test_edges();
	test_memory();
	return unit_done("risk_test");
}
