/*
 * additive_method_test.c
 *	  The additive score as a method: its card, and a score of a
 *	  model, which is never one of a table.
 */
#include "core/method.h"

#include <math.h>

#include "scored.h"

#define COLUMNS 3

static uint32_t levels[COLUMNS] = {4, 2, 3};

/* Rows of which the first column tells the second. */
static const pegs_kept *
some_rows(void)
{
	pegs_kept  *kept = pegs_kept_new(&env, COLUMNS, levels);

	for (uint16_t i = 0; i < 400; i++)
		add_row(kept, COLUMNS, (uint16_t[COLUMNS]) {i % 4, i % 4 > 1, i % 3}, 1);
	return kept;
}

/* A layout whose second column is the target. */
static pegs_layout
layout_of(uint32_t ncols, const bool *columns)
{
	static const bool *positive[COLUMNS];
	static pegs_setting setting;
	pegs_layout layout = {.tables = PEGS_CONDITIONAL, .ncols = ncols, .levels = levels, .kept = some_rows(), .settings = &setting};

	positive[1] = second_level;
	setting = (pegs_setting) {.given = columns != NULL, .columns = columns, .levels = positive};
	return layout;
}

/* Lines of a card: do they say of a row what its points are? */
typedef struct Seen
{
	const int32_t *codes;
	uint32_t	lines;
	uint32_t	last;			/* part */
	int64_t		points;
	bool		noisy;
} Seen;

static void
see(void *to, uint32_t part, uint32_t n, const pegs_condition *condition, int32_t points, double noise)
{
	Seen	   *seen = to;

	CHECK(part >= seen->last && n <= 1 && (n == 0) == (part == 0));
	seen->last = part;
	seen->lines++;
	seen->noisy |= noise > 0;
	if (n == 0 || (seen->codes[condition->column] >= 0 && condition->levels[seen->codes[condition->column]]))
		seen->points += points;
}

static void
check_card(const pegs_method *method, const void *model, bool noisy)
{
	for (int32_t a = -1; a < 4; a++)
		for (int32_t c = -1; c < 3; c++)
		{
			int32_t		codes[COLUMNS] = {a, -1, c};
			Seen		seen = {.codes = codes};
			pegs_card	card = {.to = &seen, .line = see};

			method->scorer->card(&env, model, &card);
			CHECK_INT(seen.points, method->scorer->points(model, codes));
			CHECK(seen.lines > 2 && seen.noisy == noisy);
		}
}

static void
test_card(void)
{
	const pegs_method *method = pegs_method_named("additive");
	const bool	columns[COLUMNS] = {false, true, false};
	pegs_layout layout = layout_of(COLUMNS, columns);
	pegs_accountant accountant;
	void	   *model;

	pegs_accountant_init(&accountant, INT64_C(5000000000), 0, 1);
	model = method->fit(&env, &rng, &accountant, &layout, NULL);
	CHECK(pegs_same_account(method->accountant(model), &accountant) && method->accountant(model)->spent > 0);
	CHECK(fabs(method->rows(model) - 400) < 100);
	CHECK(method->scorer->points(model, (int32_t[COLUMNS]) {3, -1, 0}) > method->scorer->points(model, (int32_t[COLUMNS]) {0, -1, 0}));
	check_card(method, model, true);
	arena_free(&memory);
}

/* The account of the model, of which nothing is spent; and with an rng, which only a fit to a table has, no row is looked at. */
static void
test_of_model(void)
{
	const pegs_method *method = pegs_method_named(PEGS_SCORE_OF_MODEL);
	const bool	columns[COLUMNS] = {false, true, false};
	pegs_layout layout = layout_of(COLUMNS, columns);
	pegs_accountant accountant;
	void	   *model;

	CHECK(method->of_a_model && method->keeps_rows == NULL);
	pegs_accountant_init(&accountant, INT64_C(1000000000), 0, 3);
	accountant.spent = accountant.total;
	accountant.record[PEGS_FOR_PAIR - 1].uses = 7;
	model = method->fit(&env, NULL, &accountant, &layout, NULL);
	CHECK(pegs_same_account(method->accountant(model), &accountant) && method->accountant(model)->spent == 0);
	CHECK(method->accountant(model)->record[PEGS_FOR_PAIR - 1].uses == 0 && method->accountant(model)->record[PEGS_FOR_PAIR - 1].purpose == PEGS_FOR_PAIR);
	CHECK(method->scorer->points(model, (int32_t[COLUMNS]) {3, -1, 0}) > method->scorer->points(model, (int32_t[COLUMNS]) {0, -1, 0}));
	check_card(method, model, false);
	model = method->fit(&env, &rng, &accountant, &layout, NULL);
	CHECK(!pegs_same_account(method->accountant(model), &accountant));
	CHECK(method->rows(model) <= 1);
	CHECK_INT(method->scorer->points(model, (int32_t[COLUMNS]) {3, -1, 0}), method->scorer->points(model, (int32_t[COLUMNS]) {0, -1, 0}));
	arena_free(&memory);
}

int
main(void)
{
	test_card();
	test_of_model();
	return unit_done("additive_method_test");
}
