/*
 * card.c
 *	  A score as a table to read: what each level is worth, and how sure that is.
 *
 * Post-processing of a score model. Claim P29.
 */
#include "core/score/score.h"

#include <math.h>

static double
logit_of(int32_t points)
{
	return ldexp(points, -PEGS_POINTS_BITS);
}

uint64_t
pegs_card_lines(const pegs_score_model *model)
{
	uint64_t	n = 1;

	for (uint32_t i = 0; i < model->ncols; i++)
		if (i != model->target)
			n += model->feature[i].levels;
	return n;
}

/* The noise of what all columns have on the average. */
static double
sd_of_intercept(const pegs_score_model *model)
{
	double		variance = 0;

	for (uint32_t i = 0; i < model->ncols; i++)
	{
		const pegs_feature *f = &model->feature[i];
		double		rows = 0;

		if (f->classes < 2)
			continue;
		for (uint32_t c = 0; c < f->classes; c++)
			rows += f->rows[c];
		for (uint32_t c = 0; c < f->classes; c++)
			variance += f->rows[c] / rows * f->sd[c] * (f->rows[c] / rows * f->sd[c]);
	}
	return sqrt(variance);
}

void
pegs_card_each(const pegs_env *env, const pegs_score_model *model, void *to, void (*take) (void *to, const pegs_card_line *line))
{
	pegs_card_line line = {.column = -1, .points = model->intercept, .rows = model->rows};

	line.logit = logit_of(line.points);
	line.sd = sd_of_intercept(model);
	take(to, &line);
	for (uint32_t i = 0; i < model->ncols; i++)
	{
		const pegs_feature *f = &model->feature[i];

		for (uint32_t l = 0; i != model->target && l < f->levels; l++)
		{
			uint32_t	class = f->classes < 2 ? 0 : f->class_of[l];

			if (l % PEGS_CHUNK == 0)
				env->check(env->context);
			line = (pegs_card_line) {.column = i, .level = l, .class = class, .points = pegs_score_points(model, i, (int32_t) l),
				.rows = f->classes < 2 ? model->rows : f->rows[class], .sd = f->classes < 2 ? 0 : f->sd[class]};
			line.logit = logit_of(line.points);
			take(to, &line);
		}
	}
}
