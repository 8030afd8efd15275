/*
 * trees_method_test.c
 *	  Trees and forests as methods: options, what is refused, accounts, and cards
 *	  that say of every row what its points are.
 */
#include "core/method.h"

#include <math.h>
#include <string.h>

#include "scored.h"

#define COLUMNS 4
#define TARGET 2

static uint32_t levels[COLUMNS] = {5, 3, 2, 4};

/* The first column tells most of the target, the last one the rest. */
static const pegs_kept *
some_rows(void)
{
	pegs_kept  *kept = pegs_kept_new(&env, COLUMNS, levels);

	for (uint16_t i = 0; i < 3000; i++)
		add_row(kept, COLUMNS, (uint16_t[COLUMNS]) {i % 5, i % 3, i % 5 > 2 || i / 5 % 4 == 3, i / 5 % 4}, 1);
	return kept;
}

/* As the glue makes it: what is left out is what is standard. */
static pegs_layout
layout_of(const pegs_method *method)
{
	static const bool columns[COLUMNS] = {[TARGET] = true};
	static const bool *positive[COLUMNS] = {[TARGET] = second_level};
	static pegs_setting settings[8];
	pegs_layout layout = {.tables = PEGS_CONDITIONAL, .ncols = COLUMNS, .levels = levels, .kept = some_rows(), .settings = settings};

	for (int i = 0; method->options[i].name; i++)
	{
		settings[i] = (pegs_setting) {.number = method->options[i].standard};
		if (strcmp(method->options[i].name, PEGS_SCORE_POSITIVE) == 0)
			settings[i] = (pegs_setting) {.given = true, .columns = columns, .levels = positive};
	}
	return layout;
}

static pegs_setting *
setting_of(const pegs_method *method, const pegs_layout *layout, const char *name)
{
	int			i = 0;

	while (strcmp(method->options[i].name, name) != 0)
		i++;
	return (pegs_setting *) &layout->settings[i];
}

/* The first line of each part that holds. */
typedef struct Seen
{
	const int32_t *codes;
	uint32_t	parts;			/* of which one was found */
	uint32_t	last;			/* part + 1 that is being read */
	bool		found;			/* of it */
	int64_t		points;
	uint32_t	lines;
	bool	   *reached;		/* [lines] some row has it */
} Seen;

#define LINES 4096				/* at most, of a card */

static void
see(void *to, uint32_t part, uint32_t n, const pegs_condition *condition, int32_t points, double noise)
{
	Seen	   *seen = to;
	bool		holds = true;

	CHECK(isnan(noise) && part + 1 >= seen->last && n < COLUMNS);
	if (part + 1 != seen->last)
		seen->found = false;
	seen->last = part + 1;
	seen->lines++;
	CHECK(seen->lines <= LINES);
	if (seen->lines > LINES)
		return;
	for (uint32_t i = 0; i < n; i++)
	{
		int32_t		code = seen->codes[condition[i].column];

		for (uint32_t j = 0; j < i; j++)
			CHECK(condition[i].column != condition[j].column);
		holds &= code >= 0 && condition[i].levels[code];
	}
	if (!holds || seen->found)
		return;
	seen->found = true;
	seen->reached[seen->lines - 1] = true;
	seen->parts++;
	seen->points += points;
}

static void
check_card(const pegs_method *method, const void *model)
{
	int32_t		codes[COLUMNS] = {0, 0, -1, 0};
	bool		reached[LINES] = {false};
	uint32_t	lines = 0;

	for (codes[0] = -1; codes[0] < 5; codes[0]++)
		for (codes[1] = -1; codes[1] < 3; codes[1]++)
			for (codes[3] = -1; codes[3] < 4; codes[3]++)
			{
				Seen		seen = {.codes = codes,.reached = reached};
				pegs_card	card = {.to = &seen, .line = see};

				method->scorer->card(&env, model, &card);
				CHECK_INT(seen.points, method->scorer->points(model, codes));
				CHECK_INT(seen.parts, method->scorer->voters(model));
				CHECK(seen.lines > seen.parts);
				lines = seen.lines;
			}
	/* No line is there that no row can have. */
	for (uint32_t i = 0; i < lines; i++)
		CHECK(reached[i]);
}

static void
test_method(const char *name, double trees)
{
	const pegs_method *method = pegs_method_named(name);
	pegs_layout layout = layout_of(method);

	CHECK(method->refuse(&layout).why == NULL && method->keeps_rows(&layout));
	for (int declared = 0; declared < 2; declared++)
		for (int pure = 0; pure < 2; pure++)
		{
			pegs_accountant accountant;
			void	   *model;

			pegs_accountant_init(&accountant, INT64_C(20000000000), pure ? 0 : INT64_C(1000000000), 1);
			setting_of(method, &layout, "classes")->number = declared;
			model = method->fit(&env, &rng, &accountant, &layout, NULL);
			CHECK(pegs_same_account(method->accountant(model), &accountant) && method->accountant(model)->spent > 0);
			CHECK((method->accountant(model)->record[PEGS_FOR_ONEWAY - 1].uses == 0) == declared);
			CHECK(method->accountant(model)->record[PEGS_FOR_NODES - 1].uses > 0);
			CHECK(fabs(method->rows(model) - 3000) < 600);
			CHECK_INT(method->scorer->voters(model), trees);
			CHECK(method->scorer->points(model, (int32_t[COLUMNS]) {4, 0, -1, 0}) > method->scorer->points(model, (int32_t[COLUMNS]) {0, 0, -1, 0}));
			check_card(method, model);
		}
	arena_free(&memory);
}

static void
test_refused(void)
{
	const pegs_method *method = pegs_method_named("forest");
	pegs_layout layout = layout_of(method);

	setting_of(method, &layout, "trees")->number = 1000;
	setting_of(method, &layout, "depth")->number = 16;
	CHECK(method->refuse(&layout).why != NULL && method->refuse(&layout).hint != NULL);
	layout.ncols = 1;
	CHECK(method->refuse(&layout).why != NULL);
	arena_free(&memory);
}

int
main(void)
{
	test_method("tree", 1);
	test_method("forest", 30);
	test_refused();
	return unit_done("trees_method_test");
}
