/*
 * marginals_method_test.c
 *	  Noisy tables of single columns as a method: what methods_test.c asks of
 *	  every method and is not all that this one promises.
 */
#include "core/method.h"

#include <math.h>
#include <string.h>

#include "chisquare.h"
#include "core/marginals/marginals.h"
#include "core/wire.h"
#include "delta.h"
#include "fixture.h"
#include "unit.h"

static size_t forgotten;

static void
forget(void *context)
{
	(void) context;
	forgotten++;
}

static double first[2] = {0.3, 0.7};
static double second[3] = {0.5, 0, 0.5};
static double third[4] = {0.1, 0.0000123, 0.6499877, 0.25};
static double *share[3] = {first, second, third};

static pegs_wire
made(void)
{
	static uint32_t levels[3] = {2, 3, 4};
	static double variance[3] = {2, 4, 6};
	pegs_marginals *model = env.alloc(env.context, sizeof(pegs_marginals));

	*model = (pegs_marginals) {.ncols = 3, .levels = levels, .rows = 1000, .share = share, .variance = variance};
	pegs_accountant_init(&model->accountant, PEGS_EPSILON_UNIT, 0, 1);
	return (pegs_wire) {.kind = 6, .method = &pegs_method_marginals, .ncols = 3, .levels = levels, .spec = "", .model = model};
}

/* How often each combination comes. */
static bool
draw_cells(const pegs_wire *wire, const pegs_ask *ask, uint8_t key, uint64_t *seen)
{
	pegs_draws *draws;
	uint16_t	row[3];

	memset(seen, 0, sizeof(uint64_t) * 24);
	start(key);
	if (!CHECK(wire->method->open(&env, wire, NULL, ask, &draws) == PEGS_OK))
		return false;
	wire->method->start(draws, &rng);
	for (uint64_t i = 0; i < ask->n; i++)
	{
		if (!CHECK(wire->method->next(draws, row) == PEGS_OK))
			return false;
		seen[pegs_joint_cell(3, wire->levels, row)]++;
	}
	return true;
}

/* How often a level of a column came. */
static uint64_t
of_level(const uint64_t *seen, uint32_t column, uint32_t level)
{
	static const uint32_t below[3] = {12, 4, 1};
	static const uint32_t levels[3] = {2, 3, 4};
	uint64_t	sum = 0;

	for (uint32_t i = 0; i < 24; i++)
		if (i / below[column] % levels[column] == level)
			sum += seen[i];
	return sum;
}

static void
shares_of_cells(double *p)
{
	for (uint32_t i = 0; i < 24; i++)
		p[i] = first[i / 12] * second[i / 4 % 3] * third[i % 4];
}

/* Of n rows each level of each column has its share, but for less than one row, however many batches they are. */
static void
test_apportioned(void)
{
	static const uint64_t sizes[] = {1, 2, 10, 131072, 131073, 300000};
	pegs_wire	wire = made();

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		for (uint8_t key = 0; key < (sizes[s] < 100 ? 50 : 1); key++)
		{
			pegs_ask	ask = {.n = sizes[s], .batch = env, .forget = forget};
			uint64_t	seen[24];

			forgotten = 0;
			if (!draw_cells(&wire, &ask, key, seen))
				continue;
			CHECK_INT(forgotten, (sizes[s] - 1) / 131072 + 1);
			for (uint32_t c = 0; c < 3; c++)
				for (uint32_t l = 0; l < wire.levels[c]; l++)
					CHECK(fabs((double) of_level(seen, c, l) - share[c][l] * (double) ask.n) < 1 + 1e-6);
		}
	arena_free(&memory);
}

/* Columns know nothing of each other: combinations have the products of their shares, apportioned or not. */
static void
test_independent(void)
{
	pegs_wire	wire = made();
	double		p[24];

	shares_of_cells(p);
	for (int one_by_one = 0; one_by_one < 2; one_by_one++)
	{
		pegs_ask	ask = {.n = 131072, .one_by_one = one_by_one == 1, .batch = env, .forget = forget};
		uint64_t	seen[24];

		if (!draw_cells(&wire, &ask, 5, seen))
			continue;
		/* apportioned they are closer to it than chance: never too far */
		CHECK(chisquare_p(seen, p, 24, ask.n) > CHISQUARE_P);
		if (!one_by_one)
			for (uint32_t c = 0; c < 2; c++)
				CHECK(fabs((double) of_level(seen, c, 0) - share[c][0] * 131072) < 1 + 1e-6);
	}
	/* the second row of three, as likely as any */
	{
		uint64_t	seen[24] = {0};
		pegs_ask	ask = {.n = 3, .batch = env, .forget = forget};

		for (uint64_t turn = 0; turn < 20000; turn++)
		{
			pegs_draws *draws;
			uint16_t	row[3];

			start_stream(2, turn);
			CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_OK);
			wire.method->start(draws, &rng);
			for (int r = 0; r < 2; r++)
				CHECK(wire.method->next(draws, row) == PEGS_OK);
			seen[pegs_joint_cell(3, wire.levels, row)]++;
		}
		CHECK(chisquare_p(seen, p, 24, 20000) > CHISQUARE_P);
	}
	arena_free(&memory);
}

/* A level that is given is there, also one that has nothing, and changes nothing of other columns. */
static void
test_given(void)
{
	pegs_wire	wire = made();

	for (int32_t level = 0; level < 3; level++)
	{
		int32_t		given[3] = {-1, level, -1};
		pegs_ask	ask = {.n = 10000, .given = given, .batch = env, .forget = forget};
		uint64_t	seen[24];

		if (!draw_cells(&wire, &ask, 1, seen))
			continue;
		CHECK_INT(of_level(seen, 1, (uint32_t) level), 10000);
		CHECK(fabs((double) of_level(seen, 0, 1) - 7000) < 1 + 1e-6);
		ask.one_by_one = true;
		if (draw_cells(&wire, &ask, 1, seen))
			CHECK(of_level(seen, 1, (uint32_t) level) == 10000 && fabs((double) of_level(seen, 0, 1) - 7000) < 400);
	}
	arena_free(&memory);
}

/* Zeros: what is left keeps its proportions; where noise has left nothing of it, any possible row. */
static void
test_zeros(void)
{
	pegs_wire	wire = made();
	bool		one[2] = {true, false};
	bool		some[3] = {true, false, false};
	bool		both[3] = {true, false, true};
	bool		all[2] = {true, true};
	pegs_zero	zero[3] = {{.n = 2, .column = {0, 1}, .level = {one, some}},
	{.n = 1, .column = {1}, .level = {both}}, {.n = 1, .column = {0}, .level = {all}}};
	pegs_draws *draws;

	for (int one_by_one = 0; one_by_one < 2; one_by_one++)
	{
		pegs_ask	ask = {.n = 100000, .one_by_one = one_by_one == 1, .zeros = {1, zero}, .batch = env, .forget = forget};
		uint64_t	seen[24];
		double		p[24];
		uint64_t	pairs[3] = {0};

		shares_of_cells(p);
		if (draw_cells(&wire, &ask, 1, seen))
		{
			/* 0.15 of all are forbidden: of the rest 0.15, 0.35, 0.35 */
			const double left[3] = {0.15 / 0.85, 0.35 / 0.85, 0.35 / 0.85};

			for (int i = 0; i < 4; i++)
			{
				CHECK_INT(seen[i], 0);
				pairs[0] += seen[8 + i];
				pairs[1] += seen[12 + i];
				pairs[2] += seen[20 + i];
			}
			CHECK(chisquare_p(pairs, left, 3, ask.n) > CHISQUARE_P);
		}
		/* only the level of the second column that has nothing */
		ask.n = 1000;
		ask.zeros = (pegs_zeros) {1, &zero[1]};
		if (draw_cells(&wire, &ask, 1, seen))
			CHECK_INT(of_level(seen, 1, 1), 1000);
		ask.zeros = (pegs_zeros) {1, &zero[2]};
		CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_ERR_NOTHING);
	}
	arena_free(&memory);
}

static char said[4000];

static void
put(void *to, const char *words)
{
	(void) to;
	strcat(said, words);
}

static void
put_column(void *to, uint32_t column)
{
	(void) to;
	strcat(said, (const char *[]) {"\"a\"", "\"b\"", "\"c\""}[column]);
}

static void
test_words(void)
{
	pegs_wire	wire = made();
	pegs_writer writer = {NULL, put, put_column};
	pegs_marginals *model = wire.model;

	model->accountant.spent = model->accountant.total;
	model->accountant.record[PEGS_FOR_ONEWAY - 1].uses = 3;
	model->accountant.record[PEGS_FOR_ONEWAY - 1].cost = model->accountant.total;
	said[0] = '\0';
	wire.method->describe(wire.model, &writer);
	CHECK(strcmp(said, ", \"rows\": 1000, \"accounting\": \"pure epsilon, discrete Laplace\", \"budget\": 1, \"spent\": 1, \"record\": ["
				 "{\"what\": \"1-way tables\", \"uses\": 3, \"cost\": 1, \"share\": 1.0000}], "
				 "\"tables\": [{\"column\": \"a\", \"cells\": 2, \"sigma\": 1.41421}, {\"column\": \"b\", \"cells\": 3, \"sigma\": 2}, "
				 "{\"column\": \"c\", \"cells\": 4, \"sigma\": 2.44949}]") == 0);
	/* a person of 64 counts is one of the model's rows */
	model->accountant.rows_per_unit = model->accountant.rows_each = 64;
	CHECK_NEAR(pegs_marginals_sd(model, 1), 2.0 / 64, 1e-12);
	arena_free(&memory);
}

/* As many columns as share a budget: below about twenty pure epsilon has less noise. */
static void
test_delta(void)
{
	CHECK(!delta_helps(&pegs_method_marginals, 1, NULL) && !delta_helps(&pegs_method_marginals, 10, NULL));
	CHECK(delta_helps(&pegs_method_marginals, 40, NULL));
	arena_free(&memory);
}

int
main(void)
{
	test_apportioned();
	test_independent();
	test_given();
	test_zeros();
	test_words();
	test_delta();
	return unit_done("marginals_method_test");
}
