/*
 * published_method_test.c
 *	  Trees as they were published, as a method: options, what is refused, and bytes that are as long whatever the rows are.
 */
#include "core/method.h"

#include <math.h>
#include <string.h>

#include "core/score/published.h"
#include "scored.h"

#define COLUMNS 3
#define TARGET 1

static uint32_t levels[COLUMNS] = {5, 2, 3};
static const double of_first[5] = {0, 10, 20, 30, NAN};

static pegs_layout
layout_of(uint16_t rows)
{
	static const bool columns[COLUMNS] = {[TARGET] = true};
	static const bool *positive[COLUMNS] = {[TARGET] = second_level};
	static const double *numbers[COLUMNS] = {of_first};
	static pegs_setting settings[8];
	pegs_kept  *kept = pegs_kept_new(&env, COLUMNS, levels);
	const pegs_option *options = pegs_method_tree_published.options;

	for (uint16_t i = 0; i < rows; i++)
		add_row(kept, COLUMNS, (uint16_t[COLUMNS]) {i % 5, i % 5 > 1 || i % 7 == 0, i / 5 % 3}, 1);
	for (int i = 0; options[i].name; i++)
	{
		settings[i] = (pegs_setting) {.number = options[i].standard};
		if (strcmp(options[i].name, PEGS_SCORE_POSITIVE) == 0)
			settings[i] = (pegs_setting) {.given = true, .columns = columns, .levels = positive};
	}
	return (pegs_layout) {.tables = PEGS_CONDITIONAL, .ncols = COLUMNS, .levels = levels, .kept = kept, .settings = settings, .numbers = numbers};
}

static pegs_setting *
setting_of(const pegs_layout *layout, const char *name)
{
	int			i = 0;

	while (strcmp(pegs_method_tree_published.options[i].name, name) != 0)
		i++;
	return (pegs_setting *) &layout->settings[i];
}

static const pegs_published *
fitted(const pegs_layout *layout)
{
	return pegs_method_tree_published.fit(&env, NULL, NULL, layout, NULL);
}

/* Its length says nothing of the rows: none, some, or so many that all trees are whole. */
static void
test_length(void)
{
	static const double alphas[3] = {0, 1, 2};
	size_t		size[3];

	for (int i = 0; i < 3; i++)
	{
		pegs_layout layout = layout_of((uint16_t[]) {0, 30, 3000}[i]);
		pegs_cursor c = {.pass = PEGS_SIZE};
		const pegs_published *model;
		void	   *body;

		*setting_of(&layout, "alpha") = (pegs_setting) {.given = true, .numbers = alphas, .nnumbers = 3};
		setting_of(&layout, "depth")->number = 3;
		model = fitted(&layout);
		body = (void *) model;
		CHECK_INT(model->ntrees, 3);
		CHECK_INT(model->room, 45);
		CHECK(i == 0 ? model->first[3] == 3 : model->first[3] > 6);
		pegs_method_tree_published.walk(&c, COLUMNS, levels, &body);
		size[i] = c.at;
		arena_free(&memory);
	}
	CHECK(size[0] == size[1] && size[1] == size[2]);
}

/* Numbers are cut, what has none is asked level by level, and a share is exact. */
static void
test_exact(void)
{
	pegs_layout layout = layout_of(2100);
	const pegs_published *model = fitted(&layout);
	double		delta;

	CHECK(model->value[0] && model->value[2] == NULL && model->node[0].feature == 0 && model->node[0].cut > 10 && model->node[0].cut < 20);
	CHECK(pegs_method_tree_published.scorer->exact(model, (int32_t[]) {3, -1, 0}, &delta) == 1);
	CHECK(delta > 0 && delta < 0.01);
	CHECK_NEAR(pegs_method_tree_published.scorer->exact(model, (int32_t[]) {-1, -1, 0}, &delta), (3 + 2.0 / 7) / 5, 1e-9);
	layout.numbers = NULL;
	CHECK(fitted(&layout)->value[0] == NULL);
	arena_free(&memory);
}

static void
test_refused(void)
{
	static const double alphas[16] = {0};
	pegs_layout layout = layout_of(10);

	CHECK(pegs_method_tree_published.refuse(&layout).why == NULL);
	setting_of(&layout, "depth")->number = PEGS_TREE_DEPTH;
	*setting_of(&layout, "alpha") = (pegs_setting) {.given = true, .numbers = alphas, .nnumbers = 8};
	CHECK(pegs_method_tree_published.refuse(&layout).why == NULL);
	setting_of(&layout, "alpha")->nnumbers = 9;
	CHECK(pegs_method_tree_published.refuse(&layout).why != NULL);
	layout.settings = NULL;
	CHECK(pegs_method_tree_published.refuse(&layout).why != NULL);
	arena_free(&memory);
}

int
main(void)
{
	test_length();
	test_exact();
	test_refused();
	return unit_done("published_method_test");
}
