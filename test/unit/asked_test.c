/*
 * asked_test.c
 *	  What a score is asked for: refused by public facts, or found.
 */
#include "core/score/asked.h"

#include "fixture.h"
#include "unit.h"

#define COLUMNS 3

static uint32_t levels[COLUMNS] = {4, 2, 3};
static const bool positive[2] = {false, true};

/* Whose positive levels are told of these columns; NULL: of none. */
static pegs_layout
layout_of(uint32_t ncols, const bool *columns)
{
	static const bool *of[COLUMNS] = {NULL, positive, NULL};
	static pegs_setting setting;

	setting = (pegs_setting) {.given = columns != NULL, .columns = columns, .levels = of};
	return (pegs_layout) {.tables = PEGS_CONDITIONAL, .ncols = ncols, .levels = levels, .settings = &setting};
}

int
main(void)
{
	pegs_layout layout = layout_of(COLUMNS, (const bool[COLUMNS]) {false, true, false});
	uint32_t	many[COLUMNS] = {(UINT32_C(1) << 20) - 3, 2, 1};

	CHECK(pegs_refuse_score(&layout).why == NULL && pegs_score_keeps_rows(&layout));
	CHECK_INT(pegs_asked_target(&layout), 1);
	CHECK(pegs_asked_positive(&layout) == positive);
	layout.levels = many;
	CHECK(pegs_refuse_score(&layout).why == NULL);
	many[2] = 2;
	CHECK(pegs_refuse_score(&layout).why != NULL && pegs_refuse_score(&layout).hint != NULL && pegs_refuse_score(&layout).wrong == PEGS_WRONG_SIZE);
	layout = layout_of(COLUMNS, (const bool[COLUMNS]) {true, true, false});
	CHECK(pegs_refuse_score(&layout).why != NULL && pegs_refuse_score(&layout).hint != NULL && pegs_refuse_score(&layout).wrong == PEGS_WRONG_VALUE);
	layout = layout_of(COLUMNS, NULL);
	CHECK(pegs_refuse_score(&layout).why != NULL);
	layout.settings = NULL;
	CHECK(pegs_refuse_score(&layout).why != NULL && pegs_refuse_score(&layout).wrong == PEGS_WRONG_MISSING);
	layout = layout_of(1, (const bool[COLUMNS]) {true});
	CHECK(pegs_refuse_score(&layout).why != NULL && pegs_refuse_score(&layout).hint != NULL);
	return unit_done("asked_test");
}
