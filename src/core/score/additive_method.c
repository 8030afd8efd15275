/*
 * additive_method.c
 *	  The additive score as a method: paid for by itself, or made of a perturbed model.
 */
#include "core/score/asked.h"
#include "core/score/score.h"

#include <math.h>

static const pegs_option options[] = {PEGS_POSITIVE_OPTION, {.name = NULL}};

static void *
fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells)
{
	pegs_score_model *model = env->alloc(env->context, sizeof(pegs_score_model));
	uint32_t	target = pegs_asked_target(layout);

	(void) cells;
	pegs_additive_fit(env, rng, accountant, layout, pegs_asked_positive(layout), target, layout->kept, model);
	return model;
}

/* What was charged for the other model; of it this one has spent nothing. */
static void
repeat_account(pegs_score_model *model, const pegs_accountant *of_model)
{
	model->accountant = *of_model;
	model->accountant.spent = 0;
	model->accountant.witness = NULL;
	model->accountant.env = NULL;
	for (uint32_t i = 0; i < PEGS_PURPOSES; i++)
		model->accountant.record[i] = (pegs_cost_record) {.purpose = i + 1};
}

/* Of rows that were drawn. With an rng they would be rows of a table: then nothing is looked at, and its account is nobody's. */
static void *
fit_of_model(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells)
{
	pegs_score_model *model = env->alloc(env->context, sizeof(pegs_score_model));
	uint32_t	target = pegs_asked_target(layout);

	(void) cells;
	pegs_additive_fit(env, NULL, NULL, layout, pegs_asked_positive(layout), target,
					  rng ? pegs_kept_new(env, layout->ncols, layout->levels) : layout->kept, model);
	if (rng == NULL)
		repeat_account(model, accountant);
	return model;
}

static bool
is_of(const pegs_env *env, const void *fitted, const pegs_layout *layout)
{
	const pegs_score_model *model = fitted;

	(void) env;
	return pegs_is_asked_score(layout, model->target, model->npositive, model->positive);
}

static pegs_accountant *
accountant_of(void *model)
{
	return &((pegs_score_model *) model)->accountant;
}

static double
rows_of(const void *model)
{
	return ((const pegs_score_model *) model)->rows;
}

/* ---- a row ---- */

static int64_t
points(const void *model, const int32_t *codes)
{
	return pegs_score_sum(model, codes);
}

/* The noise of what all columns have on the average. */
static double
intercept_sd(const pegs_score_model *model)
{
	double		variance = 0;

	for (uint32_t i = 0; i < model->ncols; i++)
	{
		const pegs_feature *f = &model->feature[i];
		double		rows = 0;

		for (uint32_t c = 0; c < f->classes; c++)
			rows += f->rows ? f->rows[c] : 0;
		for (uint32_t c = 0; f->rows && c < f->classes && rows > 0; c++)
			variance += f->rows[c] / rows * f->sd[c] * (f->rows[c] / rows * f->sd[c]);
	}
	return sqrt(variance);
}

/* A part each column, a line each class; and the intercept before them. */
static void
card(const pegs_env *env, const void *fitted, const pegs_card *to)
{
	const pegs_score_model *model = fitted;
	double		unit = PEGS_POINTS_PER_LOGIT;

	to->line(to->to, 0, 0, NULL, model->intercept, intercept_sd(model) * unit);
	for (uint32_t i = 0; i < model->ncols; i++)
	{
		const pegs_feature *f = &model->feature[i];

		for (uint32_t c = 0; c < f->classes && i != model->target; c++)
		{
			bool	   *levels = env->alloc(env->context, sizeof(bool) * f->levels);
			pegs_condition condition = {i, levels};

			env->check(env->context);
			for (uint32_t l = 0; l < f->levels; l++)
				levels[l] = f->classes < 2 || f->class_of[l] == c;
			to->line(to->to, i + 1, 1, &condition, f->classes < 2 ? 0 : f->points[c], f->classes < 2 ? 0 : f->sd[c] * unit);
			pegs_env_free(env, levels);
		}
	}
}

static const pegs_scorer scorer = {.points = points, .card = card};

const pegs_method pegs_method_additive = {
	.name = "additive",
	.family = "additive",
	.title = "score",
	.mechanism = "noise in the sums of what is left to explain, by classes of each column in turn",
	.payment = PEGS_PAID_AT_FIT,
	.tables = PEGS_CONDITIONAL,
	.parents = PEGS_NO_PARENTS,
	.kind = 16,
	.options = options,
	.refuse = pegs_refuse_score,
	.keeps_rows = pegs_score_keeps_rows,
	.fit = fit,
	.walk = pegs_score_walk,
	.is_of = is_of,
	.accountant = accountant_of,
	.rows = rows_of,
	.scorer = &scorer,
	.describe = pegs_score_describe
};

const pegs_method pegs_method_additive_of_model = {
	.name = "additive of a model",
	.family = "additive",
	.title = "score",
	.mechanism = "none of its own: made of rows of a perturbed model, whose guarantee it has",
	.payment = PEGS_PAID_AT_FIT,
	.tables = PEGS_CONDITIONAL,
	.parents = PEGS_NO_PARENTS,
	.kind = 17,
	.options = options,
	.refuse = pegs_refuse_score,
	.fit = fit_of_model,
	.walk = pegs_score_walk,
	.is_of = is_of,
	.accountant = accountant_of,
	.rows = rows_of,
	.scorer = &scorer,
	.of_a_model = true,
	.describe = pegs_score_describe
};
