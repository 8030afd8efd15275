/*
 * regression_method_test.c
 *	  Chained regressions as methods: what methods_test.c asks of every method and
 *	  is not all that these promise. Claim P26's arithmetic: coefficients_test.c.
 */
#include "core/method.h"

#include <math.h>
#include <string.h>

#include "chisquare.h"
#include "core/epsilon.h"
#include "core/regression/coefficients.h"
#include "core/regression/regression_method.h"
#include "core/wire.h"
#include "core/witness.h"
#include "fixture.h"
#include "unit.h"

enum
{
	LAMBDA, L1_RATIO, FOLDS, SWEEPS, PASSES, OPTIONS
};

static uint32_t levels[2] = {2, 3};
static const uint32_t parent_start[3] = {0, 1, 2};
static const uint16_t parents[2] = {1, 0};
static const double share[6] = {0.3, 0.1, 0.05, 0.05, 0.1, 0.4};	/* of the table, cell a * 3 + b */

/* Two columns, each the parent of the other. */
static pegs_wire
fitted(const pegs_method *method, uint64_t rows, const pegs_setting *settings)
{
	static pegs_layout layout;
	uint64_t   *cells;

	CHECK(pegs_layout_conditional(&env, 2, levels, parent_start, parents, 0, &layout, NULL) == PEGS_OK);
	layout.settings = settings;
	cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
	for (int a = 0; a < 2; a++)
		for (int b = 0; b < 3; b++)
			cells[layout.offset[0] + (uint64_t) b * 2 + (uint64_t) a] = cells[layout.offset[1] + (uint64_t) a * 3 + (uint64_t) b]
				= (uint64_t) llround(share[a * 3 + b] * (double) rows);
	return (pegs_wire) {.kind = method->kind, .method = method, .ncols = 2, .levels = levels, .spec = "",
		.model = method->fit(&env, NULL, NULL, &layout, cells)};
}

/* How often each cell comes. */
static bool
draw_cells(const pegs_wire *wire, const pegs_ask *ask, uint8_t key, uint64_t seen[6])
{
	pegs_draws *draws;
	uint16_t	row[2];

	memset(seen, 0, sizeof(uint64_t) * 6);
	start(key);
	if (!CHECK(wire->method->open(&env, wire, NULL, ask, &draws) == PEGS_OK))
		return false;
	wire->method->start(draws, &rng);
	for (uint64_t i = 0; i < ask->n; i++)
	{
		if (!CHECK(wire->method->next(draws, row) == PEGS_OK))
			return false;
		seen[row[0] * 3 + row[1]]++;
	}
	return true;
}

/* Without a penalty the regressions are the table's own shares, and rows at the end of many sweeps are the table's. */
static void
test_published(void)
{
	pegs_setting settings[OPTIONS] = {[LAMBDA] = {.given = true, .number = 0}};
	pegs_wire	wire = fitted(&pegs_method_regression_published, 100000, settings);
	pegs_ask	ask = {.n = 200000, .settings = settings};
	uint64_t	seen[6];

	if (draw_cells(&wire, &ask, 1, seen))
		CHECK(chisquare_p(seen, share, 6, ask.n) > CHISQUARE_P);
	arena_free(&memory);
}

/* One sweep on from these shares of rows: of the exact weights, alpha and all. */
static void
one_sweep(const pegs_wire *wire, uint64_t least, bool fixed, double p[6])
{
	for (uint32_t column = 0; column < (fixed ? 1 : 2); column++)
	{
		double		after[6] = {0};

		for (uint16_t r = 0; r < 6; r++)
		{
			uint16_t	row[2] = {r / 3, r % 3};
			uint16_t	x[1];
			double		scratch[3];
			uint64_t	weight[3];

			pegs_coefficients_weights(wire->model, column, row, 32, least, x, scratch, weight);
			for (uint32_t j = 0; j < levels[column]; j++)
				after[column == 0 ? j * 3 + row[1] : row[0] * 3 + j] += p[r] * (double) weight[j] / (0x1p32 + levels[column] * (double) least);
		}
		memcpy(p, after, sizeof(after));
	}
}

/* The first row: so many sweeps from a uniform one. A given column is not drawn. */
static void
test_draws(void)
{
	pegs_setting settings[OPTIONS] = {{0}};
	pegs_wire	wire = fitted(&pegs_method_regression, 1000, NULL);
	int32_t		given[2] = {-1, 2};

	for (int t = 0; t < 4; t++)
	{
		bool		fixed = t % 2 == 1;
		pegs_ask	ask = {.n = 1, .alpha = 1 << 12, .settings = settings, .given = fixed ? given : NULL};
		uint64_t	seen[6] = {0};
		double		p[6];

		settings[SWEEPS] = (pegs_setting) {.given = true, .number = t < 2 ? 1 : 3};
		for (int r = 0; r < 6; r++)
			p[r] = !fixed ? 1 / 6.0 : r % 3 == 2 ? 0.5 : 0;
		for (int i = 0; i < (t < 2 ? 1 : 3); i++)
			one_sweep(&wire, UINT64_C(1) << 28, fixed, p);
		for (uint64_t turn = 0; turn < 50000; turn++)
		{
			pegs_draws *draws;
			uint16_t	row[2];

			start_stream((uint8_t) t, turn);
			CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_OK);
			wire.method->start(draws, &rng);
			CHECK(wire.method->next(draws, row) == PEGS_OK);
			seen[row[0] * 3 + row[1]]++;
		}
		CHECK(chisquare_p(seen, p, 6, 50000) > CHISQUARE_P);
	}
	arena_free(&memory);
}

/* With an alpha beyond all that the regression may say, rows are uniform; without one there are none. */
static void
test_alpha(void)
{
	static const double uniform[6] = {1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 6.0};
	static const uint64_t alphas[] = {UINT64_C(1) << 30, UINT64_C(1) << 46, (UINT64_C(1) << 62) / 3};
	pegs_wire	wire = fitted(&pegs_method_regression, 1000, NULL);
	pegs_ask	ask = {.n = 20000};
	pegs_draws *draws;
	uint64_t	seen[6];

	CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_ERR_ARGUMENT);
	for (int i = 0; i < 3; i++)
	{
		ask.alpha = alphas[i];
		if (draw_cells(&wire, &ask, 1, seen))
			CHECK(chisquare_p(seen, uniform, 6, ask.n) > CHISQUARE_P);
	}
	ask.alpha = UINT64_C(1) << 62;
	CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_ERR_ARGUMENT);
	arena_free(&memory);
}

/* Zeros weigh nothing, and what is left keeps its weights; where the published form has nothing left, the row stays. */
static void
test_zeros(void)
{
	bool		first[2] = {true, false};
	bool		both[2] = {true, true};
	bool		last[3] = {false, false, true};
	bool		others[3] = {true, true, false};
	pegs_zero	zero[2] = {{.n = 2, .column = {0, 1}, .level = {first, last}}, {.n = 2, .column = {0, 1}, .level = {both, others}}};
	pegs_wire	wire = fitted(&pegs_method_regression, 1000, NULL);
	pegs_ask	ask = {.n = 5000, .alpha = 100, .zeros = {1, zero}};
	uint64_t	seen[6];

	if (draw_cells(&wire, &ask, 1, seen))
		CHECK(seen[2] == 0 && seen[0] > 0 && seen[5] > 0);
	/* one row is left */
	ask.zeros.n = 2;
	if (draw_cells(&wire, &ask, 1, seen))
		CHECK(seen[5] == 5000);
	/* a table that has only what is forbidden, and no alpha */
	wire = fitted(&pegs_method_regression_published, 1000, NULL);
	for (uint64_t i = 0; i < ((pegs_coefficients *) wire.model)->start[2]; i++)
		((pegs_coefficients *) wire.model)->coef[i] = 0;
	((pegs_coefficients *) wire.model)->coef[((pegs_coefficients *) wire.model)->start[1]] = 1e6;	/* b is 0 */
	if (draw_cells(&wire, &ask, 1, seen))
		CHECK(seen[5] == 5000);
	arena_free(&memory);
}

/* alpha = 1/expm1(epsilon/(rows * free columns)), whatever the block, the sweeps and the rows of a person are; delta buys nothing. */
static void
test_price(void)
{
	const pegs_method *method = &pegs_method_regression;
	pegs_ask	ask = {.n = 1000, .block = 1000, .sweeps = 10};
	uint32_t	wide[14] = {2, 3, 10, 4, 5, 6, 7, 8, 9, 10, 2, 3, 4, 5};
	int32_t		given[14] = {0, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
	int64_t		delta = 1000;
	uint64_t	alpha;
	uint64_t	of_person;

	CHECK(method->price(&ask, 14, wide, 1, PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_OK && delta == 0);
	CHECK_NEAR((double) alpha, 13999.5 * 65536, 1e-6);
	CHECK(method->price(&ask, 14, wide, 9, PEGS_EPSILON_UNIT, &delta, &of_person) == PEGS_OK && of_person == alpha);
	ask.given = given;
	CHECK(method->price(&ask, 14, wide, 1, PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_OK);
	CHECK_NEAR((double) alpha, 11999.5 * 65536, 1e-6);
	ask.n = UINT64_MAX / 2;
	CHECK(method->price(&ask, 14, wide, 1, PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_ERR_RANGE);
	/* (1 + 1/alpha)^columns is at most e^epsilon, for alpha as it is rounded */
	ask.n = 1;
	for (int64_t epsilon = 1000; epsilon < INT64_C(100000000000); epsilon = epsilon * 3 / 2)
		if (CHECK(method->price(&ask, 14, wide, 1, epsilon, &delta, &alpha) == PEGS_OK))
			CHECK(12 * log1pl(65536 / (long double) alpha) <= (long double) epsilon / 1e9L);
}

/*
 * For pegs_audit: each draw is weighed by the regressions of two tables. That of
 * a row on both is what its sweep says; the mean of its inverse is 1; no draw tells more
 * than its share, and with half of alpha one does.
 */
static void
test_witness(void)
{
	const pegs_method *method = &pegs_method_regression;
	pegs_ask	ask = {.n = 3};
	pegs_wire	one = fitted(method, 1000, NULL);
	pegs_wire	other;
	pegs_floor_witness w = {.share = 2.0 / 6};
	pegs_draws *draws;
	uint16_t	row[2];
	uint64_t	alpha;
	int64_t		delta = 0;
	double		mean = 0;
	double		most = 0;

	CHECK(method->price(&ask, 2, levels, 1, 2 * PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_OK);
	other = fitted(method, 40, NULL);
	((pegs_coefficients *) other.model)->coef[0] += 3;
	w.other = other.model;
	for (int faulty = 0; faulty < 2; faulty++)
	{
		ask.alpha = faulty ? alpha / 2 : alpha;
		CHECK(method->open(&env, &one, NULL, &ask, &draws) == PEGS_OK);
		for (uint64_t run = 0; run < 20000; run++)
		{
			start_stream((uint8_t) faulty, run);
			CHECK(pegs_watch_floor(&env, draws, &w) == 6);	/* one sweep a row */
			method->start(draws, &rng);
			for (uint64_t i = 0; i < ask.n; i++)
				CHECK(method->next(draws, row) == PEGS_OK);
			mean += faulty ? 0 : exp(-w.ratio) / 20000;
			most = fmax(most, fabs(w.ratio));
		}
		CHECK(w.fault == (faulty ? PEGS_FAULT_VISIT : PEGS_SOUND));
		CHECK(faulty || !pegs_too_likely(&w.level, 16));
		CHECK(faulty || (most > 0.2 && most <= 2));
	}
	CHECK_NEAR(mean, 1, 0.01);
	/* where zeros are, each sweep is paid for, and weighed; what is forbidden by one model is by both */
	{
		bool		first[2] = {true, false};
		bool		last[3] = {false, false, true};
		pegs_zero	zero = {.n = 2, .column = {0, 1}, .level = {first, last}};
		pegs_setting settings[OPTIONS] = {[SWEEPS] = {.given = true, .number = 4}};

		ask = (pegs_ask) {.n = 3, .zeros = {1, &zero}, .settings = settings};
		w.fault = PEGS_SOUND;
		w.share = 2.0 / 24;
		w.level = (pegs_surprise) {0, 0};
		CHECK(method->price(&ask, 2, levels, 1, 2 * PEGS_EPSILON_UNIT, &delta, &ask.alpha) == PEGS_OK);
		CHECK(method->open(&env, &one, NULL, &ask, &draws) == PEGS_OK);
		for (uint64_t run = 0; run < 1000; run++)
		{
			start_stream(2, run);
			CHECK(pegs_watch_floor(&env, draws, &w) == 24);
			method->start(draws, &rng);
			for (uint64_t i = 0; i < ask.n; i++)
				CHECK(method->next(draws, row) == PEGS_OK);
		}
		CHECK(w.fault == PEGS_SOUND && !pegs_too_likely(&w.level, 16));
	}
	arena_free(&memory);
}

/* ---- zeros and hidden sweeps ---- */

#define STEPS 4				/* of the stairs */

static uint32_t wide[2] = {STEPS + 1, STEPS + 1};

/* What a level says of the other column: the higher of the two that are left of it, or the lower one. */
static pegs_coefficients
stairs_model(bool up)
{
	static uint32_t start_of[3] = {0, 1, 2};
	static uint16_t other[2] = {1, 0};
	pegs_coefficients model = {.ncols = 2, .levels = wide, .parent_start = start_of, .parents = other};

	pegs_coefficients_place(&env, &model);
	model.coef = env.alloc(env.context, sizeof(double) * model.start[2]);
	for (uint32_t column = 0; column < 2; column++)
		for (uint32_t x = 0; x <= STEPS; x++)
		{
			uint32_t	low = column == 0 ? (x > 0 ? x - 1 : 0) : x;
			uint32_t	high = column == 0 ? x : (x < STEPS ? x + 1 : x);

			model.coef[model.start[column] + (1 + x) * (STEPS + 1) + (up ? high : low)] = 100;
		}
	return model;
}

/* Exactly: a row after so many sweeps from a uniform one, where b is a or a + 1 and nothing else. */
static void
stairs_row(const pegs_coefficients *model, uint64_t least, int sweeps, double p[STEPS + 1][STEPS + 1])
{
	for (uint32_t a = 0; a <= STEPS; a++)
		for (uint32_t b = 0; b <= STEPS; b++)
			p[a][b] = b == a || b == a + 1;
	for (int s = 0; s < 2 * sweeps; s++)
	{
		double		after[STEPS + 1][STEPS + 1] = {{0}};

		for (uint16_t r = 0; r < (STEPS + 1) * (STEPS + 1); r++)
		{
			uint16_t	row[2] = {r / (STEPS + 1), r % (STEPS + 1)};
			uint16_t	x[1];
			double		scratch[STEPS + 1];
			uint64_t	weight[STEPS + 1];
			double		total = 0;

			pegs_coefficients_weights(model, s % 2, row, 32, least, x, scratch, weight);
			for (uint32_t j = 0; j <= STEPS; j++)
			{
				uint32_t	a = s % 2 ? row[0] : j;
				uint32_t	b = s % 2 ? j : row[1];

				weight[j] = b == a || b == a + 1 ? weight[j] : 0;
				total += (double) weight[j];
			}
			for (uint32_t j = 0; total > 0 && j <= STEPS; j++)
				*(s % 2 ? &after[row[0]][j] : &after[j][row[1]]) += p[row[0]][row[1]] * (double) weight[j] / total;
		}
		memcpy(p, after, sizeof(after));
	}
}

/*
 * Which levels zeros leave hangs on the row so far, and that on hidden sweeps,
 * so these tell of the table, too: a row costs as many as it has. Where nobody
 * says how many it has one.
 */
static void
test_hidden_sweeps_of_zeros(void)
{
	const pegs_method *method = &pegs_method_regression;
	pegs_coefficients up = stairs_model(true);
	pegs_coefficients down = stairs_model(false);
	pegs_setting settings[OPTIONS] = {{0}};
	pegs_zero	some = {0};
	pegs_ask	ask = {.n = 1, .settings = settings};
	int64_t		delta = 0;
	uint64_t	free_of_zeros;
	uint64_t	alpha;

	CHECK(method->price(&ask, 2, wide, 1, 2 * PEGS_EPSILON_UNIT, &delta, &free_of_zeros) == PEGS_OK);
	ask.zeros = (pegs_zeros) {1, &some};
	CHECK(method->price(&ask, 2, wide, 1, 2 * PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_OK && alpha == free_of_zeros);
	for (int sweeps = 1; sweeps <= 20; sweeps++)
	{
		double		from[STEPS + 1][STEPS + 1];
		double		to[STEPS + 1][STEPS + 1];
		double		worst = 0;

		settings[SWEEPS] = (pegs_setting) {.given = true, .number = sweeps};
		if (!CHECK(method->price(&ask, 2, wide, 1, 2 * PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_OK))
			break;
		stairs_row(&up, alpha << 16, sweeps, from);
		stairs_row(&down, alpha << 16, sweeps, to);
		for (int i = 0; i <= STEPS; i++)
			for (int j = i; j <= i + 1 && j <= STEPS; j++)
				worst = fmax(worst, fabs(log(from[i][j] / to[i][j])));
		CHECK(worst <= 2 + 1e-9);
		/* at the price of one sweep the hidden ones show: that is what is paid for here */
		stairs_row(&up, free_of_zeros << 16, sweeps, from);
		stairs_row(&down, free_of_zeros << 16, sweeps, to);
		if (sweeps == 20)
			CHECK(log(from[STEPS][STEPS] / to[STEPS][STEPS]) > 3);
	}
	ask.n = UINT64_MAX / 10;
	CHECK(method->price(&ask, 2, wide, 1, 2 * PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_ERR_RANGE);
	arena_free(&memory);
}

/* And so many are drawn as were paid for; those that have no guarantee have twenty. */
static void
test_sweeps_with_zeros(void)
{
	bool		own[STEPS + 1][STEPS + 1] = {{false}};
	bool		others[STEPS + 1][STEPS + 1];
	pegs_zero	stairs[STEPS + 1];
	pegs_coefficients up = stairs_model(true);
	pegs_setting settings[OPTIONS] = {{0}};

	for (int a = 0; a <= STEPS; a++)
	{
		for (int b = 0; b <= STEPS; b++)
			others[a][b] = b != a && b != a + 1;
		own[a][a] = true;
		stairs[a] = (pegs_zero) {.n = 2, .column = {0, 1}, .level = {own[a], others[a]}};
	}
	for (int turn = 0; turn < 3; turn++)
	{
		const pegs_method *method = turn < 2 ? &pegs_method_regression : &pegs_method_regression_published;
		pegs_wire	wire = {.kind = method->kind, .method = method, .ncols = 2, .levels = wide, .spec = "", .model = &up};
		pegs_ask	ask = {.n = 1, .alpha = turn < 2 ? 1 << 15 : 0, .settings = settings, .zeros = {STEPS + 1, stairs}};
		double		p[STEPS + 1][STEPS + 1];
		double		sum = 0;
		uint64_t	seen[(STEPS + 1) * (STEPS + 1)] = {0};

		settings[SWEEPS] = (pegs_setting) {.given = turn == 1, .number = turn == 1 ? 3 : 20};
		stairs_row(&up, ask.alpha << 16, turn == 0 ? 1 : turn == 1 ? 3 : 20, p);
		for (int i = 0; i < (STEPS + 1) * (STEPS + 1); i++)
			sum += p[i / (STEPS + 1)][i % (STEPS + 1)];
		for (int i = 0; i < (STEPS + 1) * (STEPS + 1); i++)
			p[i / (STEPS + 1)][i % (STEPS + 1)] /= sum;
		for (uint64_t n = 0; n < 20000; n++)
		{
			pegs_draws *draws;
			uint16_t	row[2];

			start_stream((uint8_t) turn, n);
			CHECK(method->open(&env, &wire, NULL, &ask, &draws) == PEGS_OK);
			method->start(draws, &rng);
			CHECK(method->next(draws, row) == PEGS_OK);
			seen[row[0] * (STEPS + 1) + row[1]]++;
		}
		CHECK(chisquare_p(seen, p[0], (STEPS + 1) * (STEPS + 1), 20000) > CHISQUARE_P);
	}
	arena_free(&memory);
}

/* Without parents: of all pairs and the rows themselves. The table's own shares, without a penalty; as bytes, and read again. */
static void
test_all_others(void)
{
	pegs_setting settings[OPTIONS] = {[LAMBDA] = {.given = true, .number = 0}, [PASSES] = {.given = true, .number = 200}};
	const pegs_method *method = &pegs_method_regression_published;
	pegs_kept  *kept = pegs_kept_new(&env, 2, levels);
	pegs_ask	ask = {.n = 200000, .settings = settings};
	uint16_t	code[2][100];
	uint16_t   *at[2] = {code[0], code[1]};
	uint32_t	n = 0;
	pegs_layout layout;
	uint64_t   *cells;
	uint64_t	seen[6];
	pegs_wire	wire;
	const pegs_coefficients *model;

	CHECK(pegs_layout_pairs(&env, 2, levels, &layout, NULL) == PEGS_OK);
	cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
	for (uint16_t i = 0; i < 6; i++)
		for (long k = lround(share[i] * 100); k > 0; k--, n++)
		{
			code[0][n] = i / 3;
			code[1][n] = i % 3;
		}
	CHECK_INT(n, 100);
	pegs_count_chunk(&layout, cells, at, n);
	pegs_kept_add(kept, at, NULL, n);
	layout.kept = kept;
	layout.settings = settings;
	wire = (pegs_wire) {.kind = method->kind, .method = method, .ncols = 2, .levels = levels, .spec = "",
		.model = method->fit(&env, NULL, NULL, &layout, cells)};
	model = wire.model;
	CHECK(model->parent_start[2] == 2 && model->parents[0] == 1 && model->parents[1] == 0);
	if (draw_cells(&wire, &ask, 1, seen))
		CHECK(chisquare_p(seen, share, 6, ask.n) > CHISQUARE_P);
	/* folds choose another lambda than is standard, and a penalty that holds everything down leaves columns alone */
	settings[LAMBDA] = (pegs_setting) {.given = true, .number = 1000};
	model = method->fit(&env, NULL, NULL, &layout, cells);
	for (uint64_t i = 2; i < model->start[1]; i++)
		CHECK(model->coef[i] == 0);
	settings[LAMBDA].given = false;
	model = method->fit(&env, NULL, NULL, &layout, cells);
	settings[FOLDS] = (pegs_setting) {.given = true, .number = 3};
	for (int i = 0; i < 2; i++)
	{
		const pegs_coefficients *other = method->fit(&env, NULL, NULL, &layout, cells);

		CHECK((memcmp(model->coef, other->coef, sizeof(double) * model->start[2]) == 0) == (i == 1));
		model = other;
	}
	arena_free(&memory);
}

/* What cannot be fitted is said by public facts. */
static void
test_refused(void)
{
	const pegs_method *method = &pegs_method_regression;
	pegs_setting settings[OPTIONS] = {{0}};
	pegs_layout layout = {.tables = PEGS_CONDITIONAL, .ncols = 2, .levels = levels};
	uint32_t	many[2] = {8191, 4095};	/* 67,096,576 coefficients; of one level more above 2^26 */

	CHECK(method->refuse(&layout).why == NULL);
	layout.settings = settings;
	CHECK(method->refuse(&layout).why == NULL);
	settings[FOLDS] = (pegs_setting) {.given = true, .number = 5};
	CHECK(method->refuse(&layout).why == NULL);
	settings[LAMBDA] = (pegs_setting) {.given = true, .number = 0.1};
	CHECK(method->refuse(&layout).why != NULL && method->refuse(&layout).hint != NULL);
	settings[FOLDS].number = 0;
	settings[L1_RATIO] = (pegs_setting) {.given = true, .number = 1};
	CHECK(method->refuse(&layout).why == NULL);
	settings[LAMBDA].number = 0;
	CHECK(method->refuse(&layout).why != NULL);
	settings[L1_RATIO].given = false;
	CHECK(method->refuse(&layout).why == NULL);
	settings[FOLDS].number = 1;
	settings[LAMBDA].given = false;
	CHECK(method->refuse(&layout).why != NULL);
	settings[FOLDS].given = false;
	layout.tail_bits = 1;
	CHECK(method->refuse(&layout).why != NULL);
	/* passes over the rows are of a layout of pairs, which is of few enough coefficients */
	layout.tail_bits = 0;
	settings[PASSES] = (pegs_setting) {.given = true, .number = 5};
	CHECK(method->refuse(&layout).why != NULL && !method->keeps_rows(&layout));
	layout.tables = PEGS_PAIRS;
	CHECK(method->refuse(&layout).why == NULL && method->keeps_rows(&layout));
	layout.levels = many;
	CHECK(method->refuse(&layout).why == NULL);
	many[1]++;
	CHECK(method->refuse(&layout).why != NULL && method->refuse(&layout).wrong == PEGS_WRONG_SIZE);
	/* the places of the options, as they are used here */
	CHECK(strcmp(method->options[LAMBDA].name, "lambda") == 0 && strcmp(method->options[L1_RATIO].name, "l1_ratio") == 0);
	CHECK(strcmp(method->options[FOLDS].name, "folds") == 0 && strcmp(method->options[SWEEPS].name, "sweeps") == 0);
	CHECK(strcmp(method->options[PASSES].name, "passes") == 0 && method->options[OPTIONS].name == NULL);
}

/* A fit looks at its settings: a large lambda leaves the columns alone; folds choose another one than is standard. */
static void
test_settings(void)
{
	pegs_setting settings[OPTIONS] = {{0}};
	pegs_wire	wire;
	const pegs_coefficients *model;
	double		standard;

	wire = fitted(&pegs_method_regression, 1000, settings);
	model = wire.model;
	standard = model->coef[2];
	CHECK(standard != 0);
	settings[LAMBDA] = (pegs_setting) {.given = true, .number = 1};
	wire = fitted(&pegs_method_regression, 1000, settings);
	model = wire.model;
	for (uint64_t i = 2; i < model->start[1]; i++)
		CHECK(model->coef[i] == 0);
	settings[LAMBDA].given = false;
	settings[FOLDS] = (pegs_setting) {.given = true, .number = 5};
	wire = fitted(&pegs_method_regression, 1000, settings);
	model = wire.model;
	CHECK(model->coef[2] != 0 && model->coef[2] != standard);
	arena_free(&memory);
}

/* Of bytes that say something else nothing is believed. */
static void
test_bytes(void)
{
	pegs_wire	wire = fitted(&pegs_method_regression, 1000, NULL);
	pegs_coefficients *model = wire.model;
	size_t		size = pegs_wire_size(&wire);
	uint8_t    *bytes = env.alloc(env.context, size);
	pegs_wire	read;
	double		saved = model->coef[7];
	uint32_t	starts[3] = {0, 1, 2};
	uint16_t	named[2] = {1, 0};
	uint32_t	even[2] = {2, 2};

	model->parent_start = starts;
	model->parents = named;
	/* rows or no rows: as many bytes */
	CHECK_INT(size, 32 + 8 + 16 + 8 + (2 * 4 + 3 * 3) * 8 + 4);
	for (int bad = 0; bad < 7; bad++)
	{
		model->coef[7] = bad == 1 ? NAN : bad == 2 ? INFINITY : saved;
		named[0] = bad == 3 ? 0 : bad == 4 ? 2 : 1;
		starts[1] = bad == 5 ? 2 : 1;
		starts[0] = bad == 6 ? 1 : 0;
		pegs_wire_write(&env, &wire, bytes);
		CHECK(pegs_wire_read(&env, bytes, size, &read) == (bad == 0 ? PEGS_OK : PEGS_ERR_FORMAT));
	}
	/* its own parent, of as many levels as the right one */
	starts[0] = 0;
	model->levels = wire.levels = even;
	pegs_coefficients_place(&env, model);
	model->coef = env.alloc(env.context, sizeof(double) * 12);
	size = pegs_wire_size(&wire);
	bytes = env.alloc(env.context, size);
	for (uint16_t bad = 0; bad < 2; bad++)
	{
		named[0] = 1 - bad;
		pegs_wire_write(&env, &wire, bytes);
		CHECK(pegs_wire_read(&env, bytes, size, &read) == (bad == 0 ? PEGS_OK : PEGS_ERR_FORMAT));
	}
	arena_free(&memory);
}

/* All weights of a model: the floor, the sum, and the largest one that a draw may have. */
static void
test_floor(void)
{
	for (uint32_t n = 1; n <= 3; n++)
	{
		pegs_wire	wire = fitted(&pegs_method_regression, 100000, NULL);
		pegs_ask	ask = {.n = n};
		pegs_verdict verdict;
		pegs_draws *draws;
		int64_t		delta = 0;

		CHECK(wire.method->price(&ask, 2, levels, 1, PEGS_EPSILON_UNIT, &delta, &ask.alpha) == PEGS_OK);
		CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_OK);
		CHECK(pegs_verify_floor(draws, n, &verdict) == PEGS_OK);
		CHECK(verdict.holds && verdict.neighbours == 0 && verdict.paths == 12);
		CHECK(verdict.bound <= 1 && verdict.bound > 0.999 && verdict.worst > 0.3 && verdict.worst < verdict.bound);
		arena_free(&memory);
	}
	CHECK(pegs_is_regression(&pegs_method_regression) && !pegs_is_regression(&pegs_method_regression_published));
}

int
main(void)
{
	test_floor();
	test_published();
	test_draws();
	test_alpha();
	test_zeros();
	test_price();
	test_witness();
	test_hidden_sweeps_of_zeros();
	test_sweeps_with_zeros();
	test_all_others();
	test_refused();
	test_settings();
	test_bytes();
	return unit_done("regression_method_test");
}
