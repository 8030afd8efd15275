/*
 * copula_method_test.c
 *	  Rows of a copula: of a model made by hand they have the law that it says,
 *	  whatever is given or forbidden.
 */
#include "core/method.h"

#include <string.h>

#include "chisquare.h"
#include "core/copula/copula.h"
#include "core/copula/normal.h"
#include "core/wire.h"
#define STREAM_SALT [1] = 67
#include "delta.h"
#include "fixture.h"
#include "unit.h"

#define FIRST 4					/* levels: NULL is the second, and the third is below the first */
#define SECOND 3
#define CELLS (FIRST * SECOND)

static const double null_share = 0.3;
static const double of_place[3] = {0.2, 0.5, 0.3};	/* of the first column, where it shows */
static const double of_second[SECOND] = {0.25, 0.6, 0.15};

static double
below(double z)
{
	return erfc(-z * M_SQRT1_2) / 2;
}

/* Two columns; the second goes with the levels of the first, and with its NULLs. */
static pegs_wire
made(void)
{
	pegs_copula *model = env.alloc(env.context, sizeof(pegs_copula));
	static const uint16_t code[2][3] = {{2, 0, 3}, {0, 1, 2}};

	*model = (pegs_copula) {.ncols = 2, .rows = 1000, .nlatents = 3};
	pegs_accountant_init(&model->accountant, PEGS_EPSILON_UNIT, 0, 1);
	model->levels = env.alloc(env.context, sizeof(uint32_t) * 2);
	model->share = env.alloc(env.context, sizeof(double *) * 2);
	model->cuts = env.alloc(env.context, sizeof(pegs_cuts) * 2);
	model->factor = env.alloc(env.context, sizeof(double) * 6);
	for (int i = 0; i < 2; i++)
	{
		const double *share = i ? of_second : of_place;
		pegs_cuts  *cuts = &model->cuts[i];

		model->levels[i] = i ? SECOND : FIRST;
		model->share[i] = env.alloc(env.context, sizeof(double) * FIRST);
		*cuts = (pegs_cuts) {.null = i ? 0 : 2, .n = 3, .null_cut = i ? 0 : pegs_normal_quantile(1 - null_share)};
		cuts->cut = env.alloc(env.context, sizeof(double) * 2);
		cuts->code = env.alloc(env.context, sizeof(uint16_t) * 3);
		memcpy(cuts->code, code[i], sizeof(code[i]));
		cuts->cut[0] = pegs_normal_quantile(share[0]);
		cuts->cut[1] = pegs_normal_quantile(share[0] + share[1]);
		for (int k = 0; k < 3; k++)
			model->share[i][code[i][k]] = share[k] * (i ? 1 : 1 - null_share);
	}
	model->share[0][1] = null_share;
	memcpy(model->factor, (double[6]) {1, 0, 1, -0.6, 0.5, sqrt(1 - 0.36 - 0.25)}, sizeof(double) * 6);
	return (pegs_wire) {.kind = pegs_method_copula.kind, .method = &pegs_method_copula, .ncols = 2, .levels = model->levels, .spec = "", .model = model};
}

/* What the cells of its rows should be, by sums over the first two normals. */
static void
law(const pegs_copula *model, double *p)
{
	enum { STEPS = 400 };
	double		sum = 0;

	memset(p, 0, sizeof(double) * CELLS);
	for (int i = 0; i < STEPS; i++)
		for (int j = 0; j < STEPS; j++)
		{
			double		x = pegs_normal_quantile((i + 0.5) / STEPS);
			double		y = pegs_normal_quantile((j + 0.5) / STEPS);
			const pegs_cuts *cuts = &model->cuts[0];
			int			a = y >= cuts->null_cut ? 1 : cuts->code[(x >= cuts->cut[0]) + (x >= cuts->cut[1])];

			for (int b = 0; b < SECOND; b++)
			{
				double		mean = model->factor[3] * x + model->factor[4] * y;
				double		high = b == 2 ? 1 : below((model->cuts[1].cut[b] - mean) / model->factor[5]);
				double		low = b == 0 ? 0 : below((model->cuts[1].cut[b - 1] - mean) / model->factor[5]);

				p[a * SECOND + b] += (high - low) / STEPS / STEPS;
			}
		}
	for (int i = 0; i < CELLS; i++)
		sum += p[i];
	CHECK_NEAR(sum, 1, 1e-12);
}

static void
forget(void *context)
{
	(void) context;
}

/* n rows into cells; false: there is none. */
static bool
draw_cells(const pegs_wire *wire, pegs_ask *ask, uint64_t *seen)
{
	pegs_draws *draws;
	uint16_t	row[2];

	memset(seen, 0, sizeof(uint64_t) * CELLS);
	ask->one_by_one = true;
	ask->batch = env;
	ask->forget = forget;
	if (!CHECK(wire->method->open(&env, wire, NULL, ask, &draws) == PEGS_OK))
		return false;
	wire->method->start(draws, &rng);
	for (uint64_t i = 0; i < ask->n; i++)
	{
		if (!CHECK(wire->method->next(draws, row) == PEGS_OK && row[0] < FIRST && row[1] < SECOND))
			return false;
		seen[row[0] * SECOND + row[1]]++;
	}
	return true;
}

/* Cells that are not kept have nothing; the others add up to 1. */
static void
keep(double *p, const bool *kept)
{
	double		sum = 0;

	for (int i = 0; i < CELLS; i++)
		sum += p[i] = kept[i] ? p[i] : 0;
	for (int i = 0; i < CELLS; i++)
		p[i] /= sum;
}

static void
test_law(void)
{
	pegs_wire	wire = made();
	pegs_ask	ask = {.n = 40000};
	uint64_t	seen[CELLS];
	double		p[CELLS];

	start(1);
	law(wire.model, p);
	for (int a = 0; a < FIRST; a++)
		CHECK_NEAR(p[a * SECOND] + p[a * SECOND + 1] + p[a * SECOND + 2], ((pegs_copula *) wire.model)->share[0][a], 0.02);
	CHECK(draw_cells(&wire, &ask, seen) && chisquare_p(seen, p, CELLS, ask.n) > CHISQUARE_P);
	arena_free(&memory);
}

/* Each level of each column, the NULL, too: the law of the rows that have it. */
static void
test_given(void)
{
	pegs_wire	wire = made();
	pegs_copula *model = wire.model;
	pegs_draws *draws;
	uint64_t	seen[CELLS];

	start(2);
	for (int column = 0; column < 2; column++)
		for (int level = 0; level < (column ? SECOND : FIRST); level++)
		{
			int32_t		given[2] = {-1, -1};
			pegs_ask	ask = {.n = 30000, .given = given};
			bool		kept[CELLS];
			double		p[CELLS];

			given[column] = level;
			for (int i = 0; i < CELLS; i++)
				kept[i] = (column ? i % SECOND : i / SECOND) == level;
			law(model, p);
			keep(p, kept);
			CHECK(draw_cells(&wire, &ask, seen) && chisquare_p(seen, p, CELLS, ask.n) > CHISQUARE_P);
		}
	/* what it never has is said before the first row; and one column is all that is taken */
	model->share[1][2] = 0;
	CHECK(wire.method->open(&env, &wire, NULL, &(pegs_ask) {.n = 1, .given = (int32_t[2]) {-1, 2}}, &draws) == PEGS_ERR_RANGE);
	CHECK(wire.method->open(&env, &wire, NULL, &(pegs_ask) {.n = 1, .given = (int32_t[2]) {1, 1}}, &draws) == PEGS_ERR_ARGUMENT);
	CHECK_INT(wire.method->most_given, 1);
	arena_free(&memory);
}

/* What is forbidden does not come, and all else keeps its law; where the model has nothing else, any possible row. */
static void
test_zeros(void)
{
	pegs_wire	wire = made();
	pegs_copula *model = wire.model;
	bool		some[FIRST] = {true, true, false, false};
	bool		others[SECOND] = {true, false, true};
	bool		all[FIRST] = {true, true, true, true};
	pegs_zero	zero[2] = {{.n = 2, .column = {0, 1}, .level = {some, others}}, {.n = 1, .column = {0}, .level = {all}}};
	pegs_ask	ask = {.n = 30000, .zeros = {1, zero}};
	bool		kept[CELLS];
	uint64_t	seen[CELLS];
	double		p[CELLS];
	pegs_draws *draws;

	start(3);
	for (int i = 0; i < CELLS; i++)
		kept[i] = !(some[i / SECOND] && others[i % SECOND]);
	law(model, p);
	keep(p, kept);
	CHECK(draw_cells(&wire, &ask, seen) && chisquare_p(seen, p, CELLS, ask.n) > CHISQUARE_P);
	/* the model has NULLs in the first column alone, and the first level of the second */
	model->cuts[0].null_cut = -PEGS_NO_CUT;
	model->cuts[1].cut[0] = model->cuts[1].cut[1] = PEGS_NO_CUT;
	ask.n = 300;
	if (draw_cells(&wire, &ask, seen))
		for (int i = 0; i < CELLS; i++)
			CHECK(kept[i] ? seen[i] > 10 : seen[i] == 0);
	ask.zeros.n = 2;
	CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_ERR_NOTHING);
	arena_free(&memory);
}

/* The same rows on every machine, for a model that was exported: these. */
static void
test_same(void)
{
	pegs_wire	wire = made();
	pegs_ask	ask = {.n = 1000, .one_by_one = true, .batch = env, .forget = forget};
	pegs_draws *draws;
	uint64_t	hash = 0;
	uint16_t	row[2];

	start(4);
	CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_OK);
	wire.method->start(draws, &rng);
	for (int i = 0; i < 1000; i++)
	{
		CHECK(wire.method->next(draws, row) == PEGS_OK);
		hash = hash * UINT64_C(6364136223846793005) + (uint64_t) (row[0] * SECOND + row[1]) + 1;
	}
	CHECK_INT(hash, INT64_C(1456494304557375301));
	arena_free(&memory);
}

/* A column that is always NULL, with levels that are never drawn and without any; and one that never is. */
static void
test_always(void)
{
	start(5);
	for (int kind = 0; kind < 3; kind++)
	{
		pegs_wire	wire = made();
		pegs_copula *model = wire.model;
		pegs_ask	ask = {.n = 1000, .batch = env, .forget = forget};
		uint64_t	seen[CELLS];
		uint64_t	nulls = 0;

		/* its normals are not there: nothing goes with them */
		model->factor[3] = model->factor[4] = 0;
		model->factor[5] = 1;
		if (kind == 1)
			model->cuts[0].n = 0;
		else
			model->cuts[0].null_cut = kind == 0 ? -PEGS_NO_CUT : PEGS_NO_CUT;
		CHECK(draw_cells(&wire, &ask, seen));
		for (int b = 0; b < SECOND; b++)
			nulls += seen[SECOND + b];
		CHECK_INT(nulls, kind < 2 ? 1000 : 0);
		arena_free(&memory);
	}
}

/* A normal each, and one where there may be a NULL: 2,000 at most. */
static void
test_refused(void)
{
	static int32_t nulls[1600];
	pegs_layout layout = {.ncols = 1600};

	CHECK(pegs_method_copula.refuse(&layout).why == NULL);
	layout.nulls = nulls;
	for (int i = 0; i < 1600; i++)
		nulls[i] = i < 400 ? 3 : -1;
	CHECK(pegs_method_copula.refuse(&layout).why == NULL && pegs_method_copula.refuse(&layout).hint == NULL);
	nulls[400] = 0;
	CHECK(strstr(pegs_method_copula.refuse(&layout).why, "2,000") != NULL && pegs_method_copula.refuse(&layout).hint != NULL
		  && pegs_method_copula.refuse(&layout).wrong == PEGS_WRONG_SIZE);
}

static char said[4000];

static void
put_words(void *to, const char *words)
{
	(void) to;
	strcat(said, words);
}

static void
test_words(void)
{
	pegs_wire	wire = made();
	pegs_writer writer = {NULL, put_words, NULL};
	pegs_copula *model = wire.model;

	model->accountant.spent = model->accountant.total;
	model->accountant.record[PEGS_FOR_SUM - 1].uses = 2;
	model->accountant.record[PEGS_FOR_SUM - 1].cost = model->accountant.total / 2;
	said[0] = '\0';
	wire.method->describe(model, &writer);
	CHECK(strstr(said, ", {\"what\": \"sums of scores\", \"uses\": 2, \"cost\": 0.5, \"share\": 0.5000}], "
				 "\"normals\": 3, \"scores\": \"grades\", \"sigma_of_a_sum\": 5.65685") != NULL);

	/* Kendall's tau is no sum of scores; in the bytes it has the same purpose, so that models of before are told so, too */
	model->tau_of = 1000;
	said[0] = '\0';
	wire.method->describe(model, &writer);
	CHECK(strstr(said, ", {\"what\": \"concordant minus discordant pairs of rows\", \"uses\": 2, \"cost\": 0.5, \"share\": 0.5000}], "
				 "\"normals\": 3, \"tau_of_rows\": 1000, ") != NULL);
	CHECK(strstr(said, "{\"what\": \"1-way tables\"") != NULL && strstr(said, "scores") == NULL);

	/* of a file that an older version took: what cost nothing has no noise that could be told */
	model->accountant.record[PEGS_FOR_SUM - 1].cost = 0;
	said[0] = '\0';
	wire.method->describe(model, &writer);
	CHECK(strstr(said, "\"sigma_of_a_tau\": 0") != NULL && strstr(said, "inf") == NULL);
	arena_free(&memory);
}

/* Where the columns are many the sums of each two of them are, too. */
static void
test_delta(void)
{
	CHECK(!delta_helps(&pegs_method_copula, 1, NULL) && !delta_helps(&pegs_method_copula, 3, NULL));
	CHECK(delta_helps(&pegs_method_copula, 20, NULL));
	arena_free(&memory);
}

int
main(void)
{
	test_law();
	test_given();
	test_always();
	test_zeros();
	test_same();
	test_refused();
	test_words();
	test_delta();
	return unit_done("copula_method_test");
}
