/*
 * kendall_test.c
 *	  Kendall's tau: which rows it is of, what one row moves it by, what it says
 *	  of normals.
 */
#include "core/copula/kendall.h"

#include <string.h>

#include "core/copula/correlation.h"
#include "core/copula/hermite.h"
#include "core/copula/normal.h"
#include "core/copula/orthant.h"
#include "core/kept.h"
#include "core/witness.h"
#define STREAM_SALT [1] = 91
#include "fixture.h"
#include "unit.h"

/* ---- tables ---- */

#define COLUMNS 4				/* at most */

typedef struct table
{
	pegs_layout layout;
	pegs_kept  *kept;
	uint64_t   *cells;
} table;

static table
shape(uint32_t ncols, const uint32_t *levels, const int32_t *nulls, double rows)
{
	table		t;
	pegs_setting *settings = env.alloc(env.context, sizeof(pegs_setting) * PEGS_COPULA_OPTIONS);

	CHECK(pegs_layout_pairs(&env, ncols, levels, &t.layout, NULL) == PEGS_OK);
	t.layout.nulls = nulls;
	settings[PEGS_COPULA_CORRELATION] = (pegs_setting) {.given = true, .number = 1};
	settings[PEGS_COPULA_ROWS] = (pegs_setting) {.given = rows > 0, .number = rows};
	t.layout.settings = settings;
	t.layout.kept = t.kept = pegs_kept_new(&env, ncols, levels);
	t.cells = env.alloc(env.context, sizeof(uint64_t) * t.layout.ncells);
	return t;
}

static void
add_row(table *t, const uint16_t *code, uint32_t times)
{
	uint16_t	row[COLUMNS];
	uint16_t   *codes[COLUMNS];

	for (uint32_t c = 0; c < t->layout.ncols; c++)
	{
		row[c] = code[c];
		codes[c] = &row[c];
	}
	pegs_kept_add(t->kept, codes, times == 1 ? NULL : &times, 1);
	pegs_count_weighted(NULL, &t->layout, t->cells, codes, &times, 1);
}

static pegs_copula *
fit(const table *t, const pegs_accountant *accountant)
{
	pegs_copula *model = env.alloc(env.context, sizeof(pegs_copula));

	pegs_copula_fit(&env, &rng, accountant, &t->layout, t->cells, model);
	return model;
}

static uint8_t *
written(pegs_copula *model, size_t *size)
{
	pegs_cursor c = {.pass = PEGS_SIZE};
	uint8_t    *bytes;

	pegs_copula_walk(&c, model);
	*size = c.at;
	bytes = env.alloc(env.context, c.at);
	c = (pegs_cursor) {.pass = PEGS_WRITE, .out = bytes};
	pegs_copula_walk(&c, model);
	return bytes;
}

/* A row of 2 x 3 levels, by its number. */
static void
row_of(uint32_t cell, uint16_t *code)
{
	code[0] = (uint16_t) (cell / 3);
	code[1] = (uint16_t) (cell % 3);
}

static int64_t
sum_of(const table *t, const uint64_t *cells, const pegs_cuts *cuts, bool of_null)
{
	const pegs_latent a = {.column = 0};
	const pegs_latent b = {.column = 1, .of_null = of_null};

	return pegs_kendall_sum(&env, &t->layout, cells, cuts, &a, &b);
}

/* ---- which rows ---- */

/*
 * Many rows, some of them equal: so many come first, whatever the order and the blocks they are stored in; those of m are
 * among those of m + 1; and one row more is one row in, and at most one out.
 */
static void
test_rows(void)
{
	enum { ROWS = 300, OF = 3 };
	const uint32_t levels[OF] = {5, 300, 2};
	uint16_t	code[ROWS][OF];

	start(1);
	for (int r = 0; r < ROWS; r++)
		for (int c = 0; c < OF; c++)
			code[r][c] = r % 3 == 0 && r > 0 ? code[r - 1][c] : (uint16_t) pegs_rng_below(&rng, levels[c]);
	for (uint64_t m = 2; m < ROWS; m += 7)
	{
		table		t[3] = {shape(OF, levels, NULL, 0), shape(OF, levels, NULL, 0), shape(OF, levels, NULL, 0)};
		const uint64_t *chosen[4];
		uint64_t	moved[4] = {0};

		for (int r = 0; r < ROWS; r++)
		{
			if (r < ROWS - 1)
				add_row(&t[0], code[r], 1 + r % 2);
			add_row(&t[1], code[ROWS - 1 - r], 1 + (ROWS - 1 - r) % 2 - (r == 0));
			if (r < ROWS - 1)
				add_row(&t[2], code[ROWS - 2 - r], 1 + r % 2);
		}
		for (int i = 0; i < 3; i++)
			chosen[i] = pegs_kendall_rows(&env, &t[i].layout, t[i].cells, m);
		chosen[3] = pegs_kendall_rows(&env, &t[0].layout, t[0].cells, m + 1);
		for (uint64_t k = 0; k < levels[0]; k++)
			for (int i = 0; i < 4; i++)
				moved[i] += chosen[i][t[0].layout.offset[0] + k];
		CHECK_INT(moved[0], m);
		CHECK_INT(moved[1], m);
		CHECK_INT(moved[3], m + 1);
		moved[0] = moved[1] = moved[2] = 0;
		for (uint64_t k = 0; k < levels[0] * (uint64_t) levels[1]; k++)
		{
			uint64_t	at = t[0].layout.pair_offset[1] + k;

			moved[0] += chosen[1][at] > chosen[0][at] ? chosen[1][at] - chosen[0][at] : 0;
			moved[1] += chosen[0][at] > chosen[1][at] ? chosen[0][at] - chosen[1][at] : 0;
			CHECK(chosen[3][at] >= chosen[0][at]);
		}
		CHECK(moved[0] <= 1 && moved[1] <= 1);
		arena_free(&memory);
	}
	/* of all rows there is nothing to choose */
	for (uint32_t m = 5; m < 8; m++)
	{
		table		t = shape(OF, levels, NULL, 0);

		add_row(&t, code[0], 4);
		add_row(&t, code[2], 2);
		CHECK((pegs_kendall_rows(&env, &t.layout, t.cells, m) == t.cells) == (m > 6));
		arena_free(&memory);
	}
}

/*
 * Other values with the same hash, which whoever knows it can look for (of 2^27 beginnings of rows some pairs are so near
 * that the last column does the rest): they come by their values, and not by where they lie.
 */
static void
test_same_hash(void)
{
	const uint32_t levels[COLUMNS] = {490, 416, 483, 1997};
	const uint16_t code[2][COLUMNS] = {{136, 408, 217, 0}, {489, 415, 482, 1996}};

	for (uint64_t m = 2; m < 9; m++)
		for (int order = 0; order < 3; order++)
		{
			table		t = shape(COLUMNS, levels, NULL, 0);
			const uint64_t *chosen;

			/* four of the first and five of the second */
			for (int r = 0; r < 9; r++)
				add_row(&t, code[order == 0 ? r % 2 == 0 : order == 1 ? r < 5 : r >= 4], 1);
			chosen = pegs_kendall_rows(&env, &t.layout, t.cells, m);
			CHECK_INT(chosen[t.layout.offset[0] + code[0][0]], m < 4 ? m : 4);
			CHECK_INT(chosen[t.layout.offset[0] + code[1][0]], m < 4 ? 0 : m - 4);
			arena_free(&memory);
		}
}

/* ---- the sum ---- */

/* Pair by pair; in a scale that is not as declared, with rows that hide a column, and of whether they do. */
static void
test_sum(void)
{
	const uint32_t levels[2] = {7, 5};
	const int32_t nulls[2] = {-1, 1};
	uint16_t	a[] = {3, 0, 1, 2, 6, 5, 4};
	uint16_t	b[] = {4, 0, 2, 3};
	const int	place_a[] = {1, 2, 3, 0, 6, 5, 4};
	const int	place_b[] = {1, -1, 2, 3, 0};
	const pegs_cuts cuts[2] = {{.n = 7, .code = a}, {.null = 2, .n = 4, .code = b}};

	start(2);
	for (int turn = 0; turn < 50; turn++)
	{
		enum { ROWS = 40 };
		table		t = shape(2, levels, nulls, 0);
		uint16_t	code[ROWS][2];
		int64_t		wanted[2] = {0, 0};

		for (int r = 0; r < ROWS; r++)
		{
			code[r][0] = (uint16_t) pegs_rng_below(&rng, 7);
			code[r][1] = pegs_rng_below(&rng, 2) ? code[r][0] % 5 : (uint16_t) pegs_rng_below(&rng, 5);
			add_row(&t, code[r], 1);
			for (int q = 0; q < r; q++)
			{
				int			x = place_a[code[r][0]] - place_a[code[q][0]];
				int			y = place_b[code[r][1]] - place_b[code[q][1]];
				int			n = (code[r][1] == 1) - (code[q][1] == 1);

				wanted[1] += ((x > 0) - (x < 0)) * n;
				if (code[r][1] != 1 && code[q][1] != 1)
					wanted[0] += ((x > 0) - (x < 0)) * ((y > 0) - (y < 0));
			}
		}
		CHECK_INT(sum_of(&t, t.cells, cuts, false), wanted[0]);
		CHECK_INT(sum_of(&t, t.cells, cuts, true), wanted[1]);
		arena_free(&memory);
	}
}

/*
 * Claim P33: all tables of up to five rows of 2 x 3 levels, and each with one row more, of which two to six are looked at: tau's sum moves by no
 * more than is paid for, and by all of it.
 */
static void
test_bound(void)
{
	const uint32_t levels[2] = {2, 3};
	uint16_t	code[3] = {0, 1, 2};
	const pegs_cuts cuts[2] = {{.n = 2, .code = code}, {.n = 3, .code = code}};
	int64_t		most[7] = {0};

	for (int of = 0; of < 7 * 7 * 7 * 7 * 7; of++)
	{
		uint32_t	cell[5] = {of % 7, of / 7 % 7, of / 49 % 7, of / 343 % 7, of / 2401};

		if (cell[0] > cell[1] || cell[1] > cell[2] || cell[2] > cell[3] || cell[3] > cell[4])
			continue;
		for (uint64_t m = 2; m <= 6; m++)
		{
			int64_t		sum[7];

			for (uint32_t more = 0; more < 7; more++)	/* 6: none */
			{
				table		t = shape(2, levels, NULL, 0);
				uint16_t	row[2];

				for (int r = 0; r < 5; r++)
					if (cell[r] < 6)
					{
						row_of(cell[r], row);
						add_row(&t, row, 1);
					}
				row_of(more, row);
				if (more < 6)
					add_row(&t, row, 1);
				sum[more] = sum_of(&t, pegs_kendall_rows(&env, &t.layout, t.cells, m), cuts, false);
				arena_free(&memory);
			}
			for (int more = 0; more < 6; more++)
			{
				int64_t		moved = sum[more] > sum[6] ? sum[more] - sum[6] : sum[6] - sum[more];

				CHECK(moved <= (int64_t) pegs_kendall_bound(m));
				most[m] = moved > most[m] ? moved : most[m];
			}
		}
	}
	/* all of it, where the hash lets such a row out */
	for (int m = 2; m <= 5; m++)
		CHECK_INT(most[m], 2 * (m - 1));
}

/*
 * How far tau-a itself goes, in the table's own number of rows: 4/(n + 1) for a row more that contradicts all others, 4/n for one in another's place,
 * which is what an added row does to the rows that come first. Both are reached, so the sum's bound is, too.
 */
static void
test_tau_a(void)
{
	/* n, a row more, another row: from the paper's lemma, to the digits */
	static const double wanted[2][3] = {{10, 0.36364, 0.40000}, {50, 0.07843, 0.08000}};

	for (int of = 0; of < 2; of++)
	{
		uint16_t	n = (uint16_t) wanted[of][0];
		const uint32_t levels[2] = {n + 2u, n + 2u};
		uint16_t	code[52];
		pegs_cuts	cuts[2] = {{.n = n + 2u, .code = code}, {.n = n + 2u, .code = code}};
		int64_t		sum[3];
		double		pairs = n * (n - 1.0) / 2;

		for (uint16_t l = 0; l < n + 2; l++)
			code[l] = l;
		/* the rows; with one more; with that in place of the last */
		for (int kind = 0; kind < 3; kind++)
		{
			table		t = shape(2, levels, NULL, 0);

			for (uint16_t r = 1; r <= n - (kind == 2); r++)
				add_row(&t, (uint16_t[]) {r, r}, 1);
			if (kind > 0)
				add_row(&t, (uint16_t[]) {0, n + 1}, 1);
			sum[kind] = sum_of(&t, t.cells, cuts, false);
			arena_free(&memory);
		}
		CHECK(fabs((double) sum[0] / pairs - (double) sum[1] / (pairs + n) - wanted[of][1]) < 5.001e-6);
		CHECK(fabs((double) (sum[0] - sum[2]) / pairs - wanted[of][2]) < 5.001e-6);
		CHECK_INT(sum[0] - sum[2], pegs_kendall_bound(n));
	}
}

/*
 * Why not tau-b: nine rows in the middle and at the bottom, one at the top of both; then its first value is below the others'. Two steps are
 * paid for. The sum moves by no more; tau-b, which divides by the pairs that do not tie, falls from 1 to -1 however many rows there are.
 */
static void
test_why_not_tau_b(void)
{
	const uint32_t levels[2] = {3, 2};
	uint16_t	code[3] = {0, 1, 2};
	const pegs_cuts cuts[2] = {{.n = 3, .code = code}, {.n = 2, .code = code}};

	for (uint32_t rows = 10; rows <= 50; rows += 40)
	{
		uint64_t	paid = 2 * pegs_kendall_bound(rows);
		int64_t		sum[2];

		for (uint16_t side = 0; side < 2; side++)
		{
			table		t = shape(2, levels, NULL, 0);

			add_row(&t, (uint16_t[]) {1, 0}, rows - 1);
			add_row(&t, (uint16_t[]) {side ? 0 : 2, 1}, 1);
			sum[side] = sum_of(&t, pegs_kendall_rows(&env, &t.layout, t.cells, rows), cuts, false);
			arena_free(&memory);
		}
		/* as many pairs do not tie, in either column */
		CHECK_INT(sum[0], rows - 1);
		CHECK_INT(sum[1], 1 - (int64_t) rows);
		CHECK((uint64_t) (sum[0] - sum[1]) <= paid && rows * (rows - 1) > paid);
	}
}

/* The same through the door: answers of whole fits, with probabilities, on tables of two kinds of rows, of one row more and of three. */
static void
test_claim(void)
{
	const uint32_t levels[2] = {2, 3};
	const int32_t nulls[2] = {-1, 2};
	static const int64_t epsilons[2] = {PEGS_EPSILON_UNIT, 20 * PEGS_EPSILON_UNIT};
	uint64_t	sums = 0;

	for (int turn = 0; turn < 16; turn++)
	{
		uint32_t	rows = turn / 4 % 2 ? 3 : 1;
		int64_t		epsilon = epsilons[turn % 2];
		bool		gaussian = turn / 2 % 2;
		pegs_witness witness = {0};
		double		most = 0;

		for (int of = 0; of < 7 * 7 * 6 * 2; of++)
		{
			table		t[2] = {shape(2, levels, nulls, turn / 8 ? 3 : 0), shape(2, levels, nulls, turn / 8 ? 3 : 0)};
			pegs_accountant accountant;
			uint64_t	looks = witness.looks;
			uint8_t    *bytes[2];
			size_t		size[2];

			for (int side = 0; side < 2; side++)
			{
				uint32_t	cell[3] = {of / 12 % 7, of / 84, of / 2 % 6};

				for (int r = 0; r < 3; r++)
				{
					uint16_t	code[2];

					row_of(cell[r], code);
					if (cell[r] < 6 && (r < 2 || side == of % 2))
						add_row(&t[side], code, r < 2 ? 3 : rows);
				}
			}
			start_stream((uint8_t) turn, (uint64_t) of);
			pegs_accountant_init(&accountant, epsilon, gaussian ? 1000000000 : 0, rows);
			accountant.witness = &witness;
			pegs_witness_begin(&witness, &env);
			for (int run = 0; run < 2; run++)
			{
				if (run == 1)
					pegs_witness_again(&witness);
				bytes[run] = written(fit(&t[run], &accountant), &size[run]);
			}
			pegs_witness_end(&witness, &accountant, size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0);
			sums += witness.looks - looks - 2;
			most = fmax(most, gaussian ? 0 : fabs(witness.ratio) / ((double) epsilon / 1e9));
			arena_free(&memory);
		}
		CHECK_INT(witness.fault, PEGS_SOUND);
		CHECK(gaussian || (most <= 1 && most > 0.39));
	}
	CHECK(sums > 2000);
}

/* ---- the estimate ---- */

/* Of fine cuts tau is that of continuous columns; of two halves, what their table says. */
static void
test_series(void)
{
	enum { FINE = 2000 };
	double		cut[FINE - 1];
	double		two[2] = {0.3, -1.1};
	pegs_cuts	fine = {.n = FINE, .cut = cut};
	double		ones[PEGS_HERMITE_TERMS + 1];
	double		series[PEGS_HERMITE_TERMS + 1];

	for (int l = 0; l < FINE - 1; l++)
		cut[l] = pegs_normal_quantile((l + 1.0) / FINE);
	for (int t = 0; t <= PEGS_HERMITE_TERMS; t++)
		ones[t] = 1;
	for (double r = -0.9; r < 0.95; r += 0.3)
	{
		pegs_cuts	halves[2] = {{.n = 2, .cut = &two[0]}, {.n = 0, .null = 1, .null_cut = two[1]}};
		double		above[2] = {erfc(two[0] * M_SQRT1_2) / 2, erfc(two[1] * M_SQRT1_2) / 2};

		pegs_kendall_series(pegs_kendall_order(&env, &fine, false), pegs_kendall_order(&env, &fine, false), series);
		CHECK(fabs(pegs_hermite_covariance(series, ones, r) - 2 / M_PI * asin(r)) < 2e-3);
		pegs_kendall_series(pegs_kendall_order(&env, &halves[0], false), pegs_kendall_order(&env, &halves[1], true), series);
		CHECK(fabs(pegs_hermite_covariance(series, ones, r) - 2 * (pegs_orthant(above[0], above[1], r) - above[0] * above[1])) < 2e-3);
		arena_free(&memory);
	}
}

static double
correlation(const pegs_copula *model, uint32_t a, uint32_t b)
{
	double		sum = 0;

	for (uint32_t k = 0; k <= (a < b ? a : b); k++)
		sum += model->factor[pegs_packed(a, k)] * model->factor[pegs_packed(b, k)];
	return sum;
}

/*
 * Correlations come out, of columns of two levels and of many, of which one is NULL by chance; of all rows and of some; of
 * persons whose rows count eight times. Nothing of the account is left.
 */
static void
test_correlations(void)
{
	enum { ROWS = 20000 };
	const uint32_t levels[3] = {300, 2, 251};	/* equal rows come together: there shall be few */
	const int32_t nulls[3] = {-1, -1, 250};

	for (int turn = 0; turn < 4; turn++)
	{
		uint32_t	each = turn % 2 ? 8 : 1;
		table		t = shape(3, levels, nulls, turn / 2 ? 5000 : 0);
		pegs_accountant accountant;
		pegs_copula *model;

		start((uint8_t) (3 + turn));
		for (uint32_t r = 0; r < ROWS; r++)
		{
			double		common = pegs_normal_draw(&rng);
			double		z[3] = {common, 0.8 * common + 0.6 * pegs_normal_draw(&rng), -0.6 * common + 0.8 * pegs_normal_draw(&rng)};
			uint16_t	code[3];

			for (int c = 0; c < 3; c++)
			{
				double		u = erfc(-z[c] * M_SQRT1_2) / 2;

				code[c] = (uint16_t) fmin(levels[c] - 1 - (c == 2), floor(u * u * (levels[c] - (c == 2))));
			}
			if (r % 3 == 0)
				code[2] = 250;
			add_row(&t, code, each);
		}
		pegs_accountant_init(&accountant, 200 * PEGS_EPSILON_UNIT, 0, each);
		accountant.rows_each = each > 1 ? each : 0;
		model = fit(&t, &accountant);
		CHECK(turn / 2 ? model->tau_of == 5000 * each : fabs((double) model->tau_of - ROWS * (double) each) < 2 * each);
		CHECK(fabs(correlation(model, 0, 1) - 0.8) < (turn / 2 ? 0.06 : 0.03));
		CHECK(fabs(correlation(model, 0, 2) + 0.6) < (turn / 2 ? 0.08 : 0.04));
		CHECK(fabs(correlation(model, 1, 2) + 0.48) < (turn / 2 ? 0.08 : 0.04));
		CHECK(fabs(correlation(model, 0, 3)) < 0.06);
		CHECK(model->accountant.spent <= model->accountant.total && model->accountant.total - model->accountant.spent < 100);
		CHECK_INT(model->accountant.record[PEGS_FOR_SUM - 1].uses, 5);
		arena_free(&memory);
	}
}

/* No row, and what buys nothing: a model all the same. */
static void
test_small(void)
{
	const uint32_t levels[2] = {3, 4};
	const int32_t nulls[2] = {-1, 3};

	for (int turn = 0; turn < 8; turn++)
	{
		table		t = shape(2, levels, nulls, turn % 2 ? 1000 : 0);
		pegs_accountant accountant;

		if (turn / 2 % 2)
			add_row(&t, (uint16_t[2]) {1, 2}, 1);
		start((uint8_t) turn);
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
		if (turn / 4)
			accountant.total = 1;
		CHECK(fit(&t, &accountant)->rows >= 1);
		arena_free(&memory);
	}
}

/* ---- what is refused ---- */

static void
test_refused(void)
{
	const uint32_t levels[2] = {3, 4};
	static const bool by[2] = {true};
	table		t = shape(2, levels, NULL, 100);
	pegs_setting *settings = (pegs_setting *) t.layout.settings;

	CHECK(pegs_method_copula.refuse(&t.layout).why == NULL && pegs_method_copula.keeps_rows(&t.layout));
	settings[PEGS_COPULA_BY].columns = by;
	CHECK(strstr(pegs_method_copula.refuse(&t.layout).why, "\"by\" cannot") != NULL && pegs_method_copula.refuse(&t.layout).hint != NULL);
	settings[PEGS_COPULA_BY].columns = NULL;
	settings[PEGS_COPULA_CODING].number = 1;
	CHECK(strstr(pegs_method_copula.refuse(&t.layout).why, "\"dummy\" cannot") != NULL);
	settings[PEGS_COPULA_CODING].number = settings[PEGS_COPULA_CORRELATION].number = 0;
	CHECK(strstr(pegs_method_copula.refuse(&t.layout).why, "\"rows\" are") != NULL && !pegs_method_copula.keeps_rows(&t.layout));
	arena_free(&memory);
}

/* Bytes: read back as they were; not of one row, nor of more than there can be, nor by groups. */
static void
test_bytes(void)
{
	const uint32_t levels[2] = {3, 4};
	table		t = shape(2, levels, NULL, 100);
	pegs_accountant accountant;
	pegs_copula *model;

	start(9);
	add_row(&t, (uint16_t[2]) {1, 2}, 50);
	pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
	model = fit(&t, &accountant);
	for (int turn = 0; turn < 4; turn++)
	{
		pegs_cursor c = {.pass = PEGS_READ, .env = &env};
		pegs_copula read = {.ncols = 2, .levels = model->levels};
		size_t		size;

		model->tau_of = turn == 1 ? 1 : turn == 2 ? UINT64_C(1) << 48 : 100;
		model->nby = turn == 3;
		c.in = written(model, &size);
		c.length = size;
		pegs_copula_walk(&c, &read);
		CHECK(turn == 0 ? c.status == PEGS_OK && c.at == size && read.tau_of == 100 && read.signs == 0 : c.status == PEGS_ERR_FORMAT);
	}
	arena_free(&memory);
}

int
main(void)
{
	test_rows();
	test_same_hash();
	test_sum();
	test_bound();
	test_tau_a();
	test_why_not_tau_b();
	test_claim();
	test_series();
	test_correlations();
	test_small();
	test_refused();
	test_bytes();
	return unit_done("kendall_test");
}
