/*
 * by_draw_test.c
 *	  Rows of a copula in each cell of some columns: of a model made by hand
 *	  they have the law that it says, whatever is given or forbidden.
 */
#include "core/copula/by.h"

#include <string.h>

#include "chisquare.h"
#include "core/copula/normal.h"
#include "core/wire.h"
#define STREAM_SALT [1] = 82
#include "fixture.h"
#include "unit.h"

/* Columns: of two levels, of three, by; of two, of two, by: cells of columns 1 and 3. */
#define COLUMNS 4
static uint32_t levels[COLUMNS] = {2, 3, 2, 2};
static uint32_t by_column[2] = {1, 3};
static uint32_t other[2] = {0, 2};
static uint32_t other_levels[2] = {2, 2};
#define BY_CELLS 6
#define CELLS 24

static double cell_share[BY_CELLS] = {0.3, 0.1, 0, 0.2, 0.15, 0.25};
static double pooled[3] = {1, 0.6, 0.8};
static double own[3] = {1, -0.8, 0.6};

static pegs_copula cells[BY_CELLS];
static pegs_copula *cell[BY_CELLS];
static double share[BY_CELLS][2][2];
static double *shares[BY_CELLS][2];
static double cut[BY_CELLS][2];
static pegs_cuts cuts[BY_CELLS][2];
static uint16_t code[2] = {0, 1};
static pegs_by by = {.column = by_column, .nothers = 2, .other = other, .levels = other_levels, .ncells = BY_CELLS, .share = cell_share,
.pooled = {.nlatents = 2, .factor = pooled}, .cell = cell};
static pegs_copula model = {.ncols = COLUMNS, .levels = levels, .rows = 1000, .nlatents = 2, .nby = 2, .by = &by};
static pegs_wire wire = {.ncols = COLUMNS, .levels = levels, .spec = "", .model = &model};

static void
make(void)
{
	wire.kind = pegs_method_copula.kind;
	wire.method = &pegs_method_copula;
	pegs_accountant_init(&model.accountant, PEGS_EPSILON_UNIT, 0, 1);
	for (int c = 0; c < BY_CELLS; c++)
	{
		if (cell_share[c] == 0)
			continue;
		for (int i = 0; i < 2; i++)
		{
			share[c][i][0] = 0.2 + 0.1 * c + 0.05 * i;
			share[c][i][1] = 1 - share[c][i][0];
			shares[c][i] = share[c][i];
			cut[c][i] = pegs_normal_quantile(share[c][i][0]);
			cuts[c][i] = (pegs_cuts) {.n = 2, .cut = &cut[c][i], .code = code};
		}
		cells[c] = (pegs_copula) {.ncols = 2, .levels = other_levels, .rows = 1, .nlatents = 2, .share = shares[c], .cuts = cuts[c], .factor = c % 2 ? own : NULL};
		cell[c] = &cells[c];
	}
}

/* What its rows should be, by sums over the first normal; cells are numbered as rows are: mixed radix. */
static void
law(double *p)
{
	enum { STEPS = 4000 };

	memset(p, 0, sizeof(double) * CELLS);
	for (int c = 0; c < BY_CELLS; c++)
		for (int s = 0; s < STEPS && cell[c]; s++)
		{
			double		z = pegs_normal_quantile((s + 0.5) / STEPS);
			const double *row = (cell[c]->factor ? cell[c]->factor : pooled) + 1;
			double		low = erfc(-(cut[c][1] - row[0] * z) / row[1] * M_SQRT1_2) / 2;

			for (int b = 0; b < 2; b++)
			{
				uint16_t	codes[COLUMNS] = {z >= cut[c][0], (uint16_t) (c / 2), (uint16_t) b, (uint16_t) (c % 2)};

				p[pegs_joint_cell(COLUMNS, levels, codes)] += cell_share[c] * (b ? 1 - low : low) / STEPS;
			}
		}
}

static void
keep(double *p, const pegs_zeros *zeros, const int32_t *given)
{
	double		sum = 0;
	uint16_t	row[COLUMNS];

	for (uint64_t i = 0; i < CELLS; i++)
	{
		pegs_joint_row(COLUMNS, levels, i, row);
		for (int c = 0; c < COLUMNS; c++)
			if (given && given[c] >= 0 && row[c] != given[c])
				p[i] = 0;
		if (pegs_is_zero(zeros, row))
			p[i] = 0;
		sum += p[i];
	}
	for (int i = 0; i < CELLS; i++)
		p[i] /= sum;
}

static void
forget(void *context)
{
	(void) context;
}

static void
check_rows(pegs_ask *ask)
{
	uint64_t	seen[CELLS] = {0};
	double		p[CELLS];
	uint16_t	row[COLUMNS];
	pegs_draws *draws;

	ask->n = 40000;
	ask->one_by_one = true;
	ask->batch = env;
	ask->forget = forget;
	if (!CHECK(wire.method->open(&env, &wire, NULL, ask, &draws) == PEGS_OK))
		return;
	wire.method->start(draws, &rng);
	for (uint64_t i = 0; i < ask->n; i++)
	{
		CHECK(wire.method->next(draws, row) == PEGS_OK);
		seen[pegs_joint_cell(COLUMNS, levels, row)]++;
	}
	law(p);
	keep(p, &ask->zeros, ask->given);
	CHECK(chisquare_p(seen, p, CELLS, ask->n) > CHISQUARE_P);
	arena_free(&memory);
}

/* Nothing given, each level of each column, and a forbidden combination of a column of the cells and another. */
static void
test_rows(void)
{
	static bool first[2] = {true, false};
	static bool last[3] = {false, true, true};
	pegs_zero	zero = {.n = 2, .column = {0, 1}, .level = {first, last}};

	start(1);
	check_rows(&(pegs_ask) {.given = NULL});
	for (int i = 0; i < COLUMNS; i++)
		for (int l = 0; l < (int) levels[i]; l++)
		{
			int32_t		given[COLUMNS] = {-1, -1, -1, -1};

			given[i] = l;
			check_rows(&(pegs_ask) {.given = given});
		}
	check_rows(&(pegs_ask) {.zeros = {1, &zero}});
}

/* What it never has is said before the first row; one column is all that is taken; where zeros leave nothing that it has, any possible row. */
static void
test_nothing(void)
{
	static bool some[2] = {true, true};
	static bool level[3] = {true, true, false};
	pegs_zero	zero = {.n = 1, .column = {1}, .level = {level}};
	pegs_zero	all = {.n = 1, .column = {0}, .level = {some}};
	pegs_ask	ask = {.n = 300, .zeros = {1, &zero}, .one_by_one = true, .batch = env, .forget = forget};
	double		before[BY_CELLS];
	uint16_t	row[COLUMNS];
	pegs_draws *draws;

	memcpy(before, cell_share, sizeof(before));
	memset(cell_share, 0, sizeof(cell_share));
	cell_share[0] = cell_share[1] = 0.5;
	start(2);
	CHECK(wire.method->open(&env, &wire, NULL, &(pegs_ask) {.n = 1, .given = (int32_t[4]) {-1, 1, -1, -1}}, &draws) == PEGS_ERR_RANGE);
	CHECK(wire.method->open(&env, &wire, NULL, &(pegs_ask) {.n = 1, .given = (int32_t[4]) {0, 0, -1, -1}}, &draws) == PEGS_ERR_ARGUMENT);
	CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_OK);
	wire.method->start(draws, &rng);
	for (int i = 0; i < 300; i++)
		CHECK(wire.method->next(draws, row) == PEGS_OK && row[1] == 2 && row[0] < 2 && row[2] < 2 && row[3] < 2);
	ask.zeros.zero = &all;
	CHECK(wire.method->open(&env, &wire, NULL, &ask, &draws) == PEGS_ERR_NOTHING);
	memcpy(cell_share, before, sizeof(before));
	arena_free(&memory);
}

static char said[4000];

static void
put_words(void *to, const char *words)
{
	(void) to;
	strcat(said, words);
}

static void
put_column(void *to, uint32_t column)
{
	(void) to;
	sprintf(said + strlen(said), "\"c%u\"", column);
}

static void
test_words(void)
{
	pegs_writer writer = {NULL, put_words, put_column};

	model.accountant.spent = model.accountant.total;
	model.accountant.record[PEGS_FOR_CELLS - 1].uses = 1;
	model.accountant.record[PEGS_FOR_CELLS - 1].cost = model.accountant.total / 2;
	wire.method->describe(&model, &writer);
	CHECK(strstr(said, "{\"what\": \"table of groups\", \"uses\": 1, \"cost\": 0.5, \"share\": 0.5000}], \"normals\": 2, \"scores\": \"by group\"") != NULL);
	CHECK(strstr(said, "\"by\": [\"c1\", \"c3\"], \"cells\": 6, \"cells_with_rows\": 5, \"cells_with_pooled_correlations\": 2, \"sigma_of_a_cell\": 2.82843") != NULL);
}

int
main(void)
{
	make();
	test_rows();
	test_nothing();
	test_words();
	return unit_done("by_draw_test");
}
