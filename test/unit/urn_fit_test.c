/*
 * urn_fit_test.c
 *	  Draws from urns in place of added noise: what may be asked, and the models
 *	  of the two methods that have it.
 */
#include "core/urn_fit.h"

#include <string.h>

#include "core/marginals/marginals.h"
#include "core/table/joint.h"
#include "core/urn.h"
#include "core/wire.h"
#include "core/witness.h"
#define STREAM_SALT [1] = 72
#include "fixture.h"
#include "unit.h"

#define DELTA INT64_C(1000000000)	/* 1e-9 */

static const uint32_t levels[2] = {4, 5};

static pegs_layout
layout_of(const pegs_method *method, const pegs_setting *settings)
{
	uint32_t	parent_start[3] = {0};
	pegs_layout layout;

	CHECK((method->tables == PEGS_JOINT ? pegs_layout_joint(&env, 2, levels, &layout, NULL)
		   : pegs_layout_conditional(&env, 2, levels, parent_start, NULL, 0, &layout, NULL)) == PEGS_OK);
	layout.settings = settings;
	return layout;
}

/* Rows in three of the combinations. */
static uint64_t *
counted(const pegs_layout *layout, int more)
{
	static const uint16_t rows[3][2] = {{0, 1}, {3, 4}, {2, 0}};
	uint64_t   *cells = env.alloc(env.context, sizeof(uint64_t) * layout->ncells);

	for (int i = 0; i < 300 + more; i++)
	{
		uint16_t	row[2] = {rows[i % 3][0], rows[i % 3][1]};
		uint16_t   *codes[2] = {&row[0], &row[1]};

		pegs_count_chunk(layout, cells, codes, 1);
	}
	return cells;
}

/* The shares that a model has of its cells: of `table` [20], of `marginals` [9]. */
static uint32_t
weights_of(const pegs_method *method, const void *model, double *weight)
{
	const pegs_joint *joint = model;
	uint32_t	n = 0;

	if (method->tables == PEGS_JOINT)
	{
		memset(weight, 0, sizeof(double) * 20);
		for (uint32_t i = 0; i < joint->n; i++)
			weight[joint->cell[i]] = joint->weight[i];
		return 20;
	}
	for (uint32_t c = 0; c < 2; c++)
		for (uint32_t j = 0; j < levels[c]; j++)
			weight[n++] = method->shares(model, c)[j];
	return n;
}

static const pegs_method *const methods[2] = {&pegs_method_table, &pegs_method_marginals};

/* The number of rows and the kind of noise go together. */
static void
test_settings(void)
{
	pegs_setting settings[PEGS_URN_OPTIONS + 1] = {{0}};
	pegs_layout layout = layout_of(methods[0], NULL);

	CHECK(!pegs_fits_by_urns(NULL) && !pegs_fits_by_urns(settings) && pegs_refuse_urn_settings(&layout).why == NULL);
	layout.settings = settings;
	CHECK(pegs_refuse_urn_settings(&layout).why == NULL && pegs_refuse_urn_settings(&layout).hint == NULL);
	settings[0] = (pegs_setting) {.given = true, .number = 1};
	CHECK(pegs_fits_by_urns(settings) && strstr(pegs_refuse_urn_settings(&layout).why, "needs the option \"rows\"") && pegs_refuse_urn_settings(&layout).hint
		  && pegs_refuse_urn_settings(&layout).wrong == PEGS_WRONG_MISSING);
	settings[1] = (pegs_setting) {.given = true, .number = 5};
	CHECK(pegs_refuse_urn_settings(&layout).why == NULL);
	settings[0].number = 0;
	CHECK(!pegs_fits_by_urns(settings) && strstr(pegs_refuse_urn_settings(&layout).why, "goes with") && pegs_refuse_urn_settings(&layout).wrong == PEGS_WRONG_VALUE);
	settings[0] = settings[1] = (pegs_setting) {.number = 0};
	settings[PEGS_URN_PRIOR].given = true;
	CHECK(strstr(pegs_refuse_urn_settings(&layout).why, "option \"prior\" goes with"));
	for (int i = 0; i < 2; i++)
	{
		CHECK(strcmp(methods[i]->options[PEGS_URN_PRIOR].name, "prior") == 0 && methods[i]->options[PEGS_URN_PRIOR].joint == (i == 0));
		CHECK(methods[i]->refuse && methods[i]->draws_urns);
		CHECK(strcmp(methods[i]->options[0].words[1], "dirichlet") == 0 && strcmp(methods[i]->options[1].name, "rows") == 0);
	}
	arena_free(&memory);
}

/*
 * A prior of so many rows in one cell, or one level of each column: the draws
 * are nearly all there; of persons that weigh equally it is as many of theirs;
 * and the model is as private as without it: of one row more the witness finds no fault.
 */
static void
test_prior(void)
{
	static const uint32_t cells[2][2] = {{7, 7}, {1, 6}};	/* row (1, 2) */
	static const uint64_t weights[2] = {UINT64_C(100000) << 16, UINT64_C(100000) << 16};
	static const bool within[2] = {true, false};

	for (int i = 0; i < 3; i++)
		for (uint32_t rows_each = 0; rows_each <= 8; rows_each += 8)
		{
			const pegs_method *method = methods[i == 1];
			pegs_setting settings[PEGS_URN_OPTIONS + 1] = {{.given = true, .number = 1}, {.given = true, .number = 400}};
			pegs_layout layout;
			pegs_accountant accountant;
			pegs_witness w = {0};
			double		weight[20];

			settings[PEGS_URN_PRIOR] = (pegs_setting) {.given = true, .nweights = i == 1 ? 2 : 1, .cells = cells[i == 1], .weights = weights};
			if (i == 2)			/* each of the four urns has its own part of it */
				settings[PEGS_URN_WITHIN].columns = within;
			layout = layout_of(method, settings);
			pegs_witness_begin(&w, &env);
			for (int run = 0; run < 2; run++)
			{
				void	   *model;

				pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, rows_each > 0 ? rows_each : 1);
				accountant.rows_each = rows_each;
				accountant.witness = &w;
				if (run == 1)
					pegs_witness_again(&w);
				start((uint8_t) (30 + i));
				model = method->fit(&env, &rng, &accountant, &layout, counted(&layout, run));
				weights_of(method, model, weight);
				if (i == 1)
					CHECK(weight[1] > 0.9 && weight[6] > 0.9);
				else
					CHECK(weight[7] > (i == 0 ? 0.9 : 0.9 / 4));
			}
			CHECK_INT(w.fault, PEGS_SOUND);
			arena_free(&memory);
		}
}

/* So many rows are drawn, of all cells, and are the model: whole numbers of them, and all columns from the same urns. */
static void
test_models(void)
{
	pegs_setting settings[PEGS_URN_OPTIONS + 1] = {{.given = true, .number = 1}, {.given = true, .number = 5000}};

	for (int i = 0; i < 2; i++)
		for (int with_delta = 0; with_delta < 2; with_delta++)
		{
			const pegs_method *method = methods[i];
			pegs_layout layout = layout_of(method, settings);
			pegs_accountant accountant;
			double		weight[20];
			double		sum = 0;
			uint32_t	n;
			void	   *model;

			pegs_accountant_init(&accountant, 2 * PEGS_EPSILON_UNIT, with_delta ? DELTA : 0, 1);
			start(1);
			model = method->fit(&env, &rng, &accountant, &layout, counted(&layout, 0));
			CHECK(method->rows(model) == 5000);
			CHECK_INT(method->accountant(model)->spent, accountant.total);
			CHECK(pegs_is_drawn(method->accountant(model)));
			n = weights_of(method, model, weight);
			for (uint32_t j = 0; j < n; j++)
			{
				sum += weight[j];
				CHECK_NEAR(weight[j] * 5000, rint(weight[j] * 5000), 1e-9);
			}
			CHECK_NEAR(sum, i == 0 ? 1 : 2, 1e-9);
			/* with delta alpha is 21 or 40, without 783 or 2,910 in each cell: 100 rows of one, and none of another, are seen only with */
			if (with_delta)
				CHECK(i == 0 ? weight[1] > 0.1 && weight[0] < 0.1 : weight[0] > 0.2 && weight[1] < 0.2);
			else
				CHECK(fabs(weight[0] - (i == 0 ? 0.05 : 0.25)) < 0.05);
			arena_free(&memory);
		}
}

/* Answers are all that a model has of the rows: the same ones make the same model of another table, of as many rows; also of one that has none. */
static void
test_door(void)
{
	pegs_setting settings[PEGS_URN_OPTIONS + 1] = {{.given = true, .number = 1}, {.given = true, .number = 400}};

	for (int i = 0; i < 2; i++)
		for (int kind = 0; kind < 4; kind++)
		{
			const pegs_method *method = methods[i];
			bool		with_delta = kind % 2 == 1;
			int			gone = kind < 2 ? 0 : 300;
			pegs_witness w = {0};
			pegs_layout layout = layout_of(method, settings);
			pegs_accountant accountant;
			double		weight[2][20];
			uint32_t	n = 0;

			pegs_accountant_init(&accountant, 20 * PEGS_EPSILON_UNIT, with_delta ? DELTA : 0, 1);
			accountant.witness = &w;
			start(2);
			pegs_witness_begin(&w, &env);
			for (int run = 0; run < 2; run++)
			{
				void	   *model;

				if (run == 1)
					pegs_witness_again(&w);
				model = method->fit(&env, &rng, &accountant, &layout, counted(&layout, run - gone));
				n = weights_of(method, model, weight[run]);
				CHECK(method->rows(model) == 400);
			}
			pegs_witness_end(&w, &accountant, memcmp(weight[0], weight[1], sizeof(double) * n) == 0);
			CHECK_INT(w.fault, PEGS_SOUND);
			CHECK_INT(w.looks, 1);
			CHECK_INT(w.urns, i + 1);
			CHECK(w.urn_epsilon > 0);
			arena_free(&memory);
		}
}

/*
 * Within the second column: as many rows of each level, and alpha of one table,
 * with delta and without, which the witness finds enough and not too much.
 */
static void
test_within(void)
{
	static const bool within[2] = {false, true};
	static const bool both[2] = {true, true};
	pegs_setting settings[PEGS_URN_OPTIONS + 1] = {{.given = true, .number = 1}, {.given = true, .number = 400}, {.given = false}, {.given = true, .columns = within}};
	pegs_layout layout = layout_of(methods[0], settings);

	CHECK(methods[0]->refuse(&layout).why == NULL);
	settings[PEGS_URN_WITHIN].columns = both;
	CHECK(methods[0]->refuse(&layout).why && methods[0]->refuse(&layout).hint);
	settings[PEGS_URN_WITHIN].columns = within;
	settings[1].number = PEGS_MOST_DRAWN / 3;
	CHECK(methods[0]->refuse(&layout).why && methods[0]->refuse(&layout).hint);
	settings[0].number = 0;
	CHECK(methods[0]->refuse(&layout).why && methods[0]->refuse(&layout).hint);
	for (int with_delta = 0; with_delta < 2; with_delta++)
	{
		uint64_t	draws = with_delta ? 100000 : 400;
		pegs_witness w = {0};
		pegs_accountant accountant;
		double		weight[2][20];
		int64_t		delta = with_delta ? DELTA : 0;
		uint64_t	alpha;

		settings[0].number = 1;
		settings[1].number = (double) draws;
		layout = layout_of(methods[0], settings);
		CHECK(pegs_urn_price(1, draws, 4, 1, PEGS_EPSILON_UNIT, &delta, &alpha) == PEGS_OK);
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, with_delta ? DELTA : 0, 1);
		accountant.witness = &w;
		start(5);
		pegs_witness_begin(&w, &env);
		for (int run = 0; run < 2; run++)
		{
			void	   *model;

			if (run == 1)
				pegs_witness_again(&w);
			model = methods[0]->fit(&env, &rng, &accountant, &layout, counted(&layout, run));
			weights_of(methods[0], model, weight[run]);
			CHECK(methods[0]->rows(model) == 5 * (double) draws);
			CHECK_INT(methods[0]->accountant(model)->record[PEGS_FOR_URNS - 1].uses, 5);
		}
		for (int j = 0; j < 5; j++)
		{
			double		sum = 0;

			for (int i = 0; i < 4; i++)
				sum += weight[0][5 * i + j];
			CHECK_NEAR(sum, 0.2, 1e-9);
		}
		pegs_witness_end(&w, &accountant, memcmp(weight[0], weight[1], sizeof(weight[0])) == 0);
		CHECK_INT(w.fault, PEGS_SOUND);
		CHECK_INT(w.urns, 1);
		CHECK_INT(w.step[0].alpha, alpha);
		/* with delta alpha is 46 beside 100 rows: a combination's own cell is seen */
		CHECK(!with_delta || weight[0][1] > 0.08);
		arena_free(&memory);
	}
}

/* What is forbidden is no cell of the urn. */
static void
test_zeros(void)
{
	pegs_setting settings[PEGS_URN_OPTIONS + 1] = {{.given = true, .number = 1}, {.given = true, .number = 2000}};
	bool		first[4] = {true, true, false, false};
	pegs_zero	zero = {.n = 1, .column = {0}, .level = {first}};
	pegs_layout layout = layout_of(methods[0], settings);
	pegs_accountant accountant;
	double		weight[20];
	double		sum = 0;

	layout.zeros = (pegs_zeros) {1, &zero};
	pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, 0, 1);
	start(3);
	weights_of(methods[0], methods[0]->fit(&env, &rng, &accountant, &layout, counted(&layout, 0)), weight);
	for (int j = 0; j < 20; j++)
	{
		CHECK(j >= 10 || weight[j] == 0);
		sum += weight[j];
	}
	CHECK_NEAR(sum, 1, 1e-9);
	arena_free(&memory);
}

/* Where alpha would not fit: every cell has the same, nothing is spent, and it has a model's bytes. */
static void
test_nothing_bought(void)
{
	pegs_setting settings[PEGS_URN_OPTIONS + 1] = {{.given = true, .number = 1}, {.given = true, .number = PEGS_MOST_DRAWN}};

	for (int i = 0; i < 2; i++)
	{
		const pegs_method *method = methods[i];
		pegs_layout layout = layout_of(method, settings);
		pegs_accountant accountant;
		double		weight[20];
		pegs_wire	wire = {.kind = method->kind, .method = method, .ncols = 2, .levels = layout.levels, .spec = ""};
		pegs_wire	read;
		uint8_t    *bytes;
		size_t		size;

		pegs_accountant_init(&accountant, 10, 0, 1);
		wire.model = method->fit(&env, &rng, &accountant, &layout, counted(&layout, 0));
		weights_of(method, wire.model, weight);
		for (int j = 0; j < (i == 0 ? 20 : 9); j++)
			CHECK_NEAR(weight[j], i == 0 ? 0.05 : j < 4 ? 0.25 : 0.2, 1e-12);
		CHECK(method->accountant(wire.model)->spent == 0 && !pegs_is_drawn(method->accountant(wire.model)));
		size = pegs_wire_size(&wire);
		bytes = env.alloc(env.context, size);
		pegs_wire_write(&env, &wire, bytes);
		CHECK(pegs_wire_read(&env, bytes, size, &read) == PEGS_OK && method->rows(read.model) == PEGS_MOST_DRAWN);
		arena_free(&memory);
	}
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
	(void) column;
	strcat(said, "\"c\"");
}

/* In words: alpha in place of a standard deviation; for persons in rows of the model. */
static void
test_words(void)
{
	pegs_setting settings[PEGS_URN_OPTIONS + 1] = {{.given = true, .number = 1}, {.given = true, .number = 1000}};
	pegs_writer writer = {NULL, put, put_column};

	for (int i = 0; i < 2; i++)
		for (uint32_t each = 1; each <= 2; each++)
		{
			pegs_layout layout = layout_of(methods[i], settings);
			pegs_accountant accountant;
			char		alpha[50];

			pegs_accountant_init(&accountant, 2 * PEGS_EPSILON_UNIT, 0, each);
			accountant.rows_each = each == 1 ? 0 : each;
			said[0] = '\0';
			methods[i]->describe(methods[i]->fit(&env, &rng, &accountant, &layout, counted(&layout, 0)), &writer);
			snprintf(alpha, sizeof(alpha), "\"alpha\": %.6g", 1000 / expm1(2.0 / each / (i + 1)) / each);
			CHECK(strstr(said, alpha) && strstr(said, "\"what\": \"draws from urns\", \"uses\": 1, \"cost\": 2, \"share\": 1.0000"));
			CHECK(i == 1 || !strstr(said, "sigma"));
			arena_free(&memory);
		}
	said[0] = '\0';
	{
		pegs_accountant accountant;

		pegs_accountant_init(&accountant, 2 * PEGS_EPSILON_UNIT, 0, 1);
		pegs_urn_words(&writer, &accountant, 1, 1, 1e300);	/* as a file may say */
		CHECK(said[0] == '\0');
	}
}

int
main(void)
{
	test_settings();
	test_prior();
	test_models();
	test_door();
	test_within();
	test_zeros();
	test_nothing_bought();
	test_words();
	return unit_done("urn_fit_test");
}
