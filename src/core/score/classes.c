/*
 * classes.c
 *	  Features as classes of levels, by a noisy look at each.
 *
 * What a tree asks of a class carries the noise of one cell, whatever number of
 * levels it has. Which levels are together follows from the noisy tables, and
 * from nothing else of the rows; without a look from what is declared. Claims P30, P31.
 */
#include "core/score/trees.h"

#include <math.h>
#include <string.h>

#define CLASS_ROWS 20			/* at least */

bool
pegs_in_order(const pegs_layout *layout, uint32_t column)
{
	return (layout->ordered && layout->ordered[column]) || (layout->bins && layout->bins[column] > 1);
}

/* Private: how many rows each level has. */
static void
count_levels(const pegs_env *env, const pegs_kept *rows, uint32_t column, int64_t *exact)
{
	uint16_t	code[PEGS_CHUNK];

	for (uint64_t b = 0; b < pegs_kept_blocks(rows); b++)
	{
		const uint32_t *times = pegs_kept_times(rows, b);
		uint32_t	n = pegs_kept_rows(rows, b);

		env->check(env->context);
		pegs_kept_column(rows, b, column, code);
		for (uint32_t r = 0; r < n; r++)
			exact[code[r]] += times ? times[r] : 1;
	}
}

/*
 * The lightest class joins its lighter neighbour until it has so many rows, and
 * there are no more classes than a tree may ask for. mass[levels] is used up. Their number.
 */
static uint32_t
merge_levels(const pegs_env *env, uint32_t levels, double *mass, double least, uint16_t *class_of)
{
	uint32_t   *start = env->alloc(env->context, sizeof(uint32_t) * levels);
	uint32_t	n = levels;

	for (uint32_t i = 0; i < levels; i++)
		start[i] = i;
	while (n > 1)
	{
		uint32_t	low = 0;

		env->check(env->context);
		for (uint32_t i = 1; i < n; i++)
			if (mass[i] < mass[low])
				low = i;
		if (mass[low] >= least && n <= PEGS_TREE_CLASSES)
			break;
		if (low > 0 && (low == n - 1 || mass[low - 1] <= mass[low + 1]))
			low--;
		mass[low] += mass[low + 1];
		memmove(mass + low + 1, mass + low + 2, sizeof(double) * (n - low - 2));
		memmove(start + low + 1, start + low + 2, sizeof(uint32_t) * (n - low - 2));
		n--;
	}
	for (uint32_t i = 0, class = 0; i < levels; i++)
	{
		if (class + 1 < n && start[class + 1] == i)
			class++;
		class_of[i] = (uint16_t) class;
	}
	pegs_env_free(env, start);
	return n;
}

/* By what is declared alone: each level, or so many levels each. */
static uint32_t
declared_classes(uint32_t levels, uint16_t *class_of)
{
	uint32_t	n = levels > PEGS_TREE_CLASSES ? PEGS_TREE_CLASSES : levels;

	for (uint32_t i = 0; i < levels; i++)
		class_of[i] = (uint16_t) ((uint64_t) i * n / levels);
	return n;
}

/* One column; a look that could not be paid for leaves one class. */
static uint32_t
measured_classes(const pegs_env *env, pegs_rng *rng, const pegs_kept *rows, double cost, double least, pegs_trees *model, uint32_t column)
{
	uint32_t	levels = model->levels[column];
	int64_t    *exact = env->alloc(env->context, sizeof(int64_t) * levels);
	double	   *noisy = env->alloc(env->context, sizeof(double) * levels);
	uint32_t	n = 1;
	double		variance;

	count_levels(env, rows, column, exact);
	variance = pegs_measure(&model->accountant, rng, PEGS_FOR_ONEWAY, cost, exact, noisy, levels);
	if (variance >= 0)
	{
		least = fmax(fmax(least, 5 * sqrt(variance)), CLASS_ROWS * pegs_accountant_scale(&model->accountant));
		n = merge_levels(env, levels, noisy, least, model->class_of[column]);
	}
	pegs_env_free(env, exact);
	pegs_env_free(env, noisy);
	return n;
}

void
pegs_trees_classes(const pegs_env *env, pegs_rng *rng, const pegs_layout *layout, const pegs_scored *scored, double cost, double least,
				   pegs_trees *model)
{
	uint32_t	features = layout->ncols - 1;

	model->target = scored->target;
	pegs_list_positive(env, layout->levels[model->target], scored->positive, &model->npositive, &model->positive);
	model->classes = env->alloc(env->context, sizeof(uint32_t) * layout->ncols);
	model->class_of = env->alloc(env->context, sizeof(uint16_t *) * layout->ncols);
	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		if (i == scored->target)
			continue;
		model->class_of[i] = env->alloc(env->context, sizeof(uint16_t) * layout->levels[i]);
		model->classes[i] = cost > 0 ? measured_classes(env, rng, scored->rows, cost / features, least, model, i)
			: declared_classes(layout->levels[i], model->class_of[i]);
	}
}

bool
pegs_trees_classes_are_of(const pegs_trees *model, bool declared)
{
	bool		looked = model->accountant.record[PEGS_FOR_ONEWAY - 1].uses > 0;

	for (uint32_t i = 0; i < model->ncols; i++)
	{
		uint32_t	all = model->levels[i] > PEGS_TREE_CLASSES ? PEGS_TREE_CLASSES : model->levels[i];

		if (i != model->target && !looked && model->classes[i] != (declared ? all : 1))
			return false;
	}
	return !(declared && looked);
}
