/*
 * additive.c
 *	  A score out of rows: noisy 1-way tables say which levels are one class,
 *	  then, sweep by sweep and column by column, the noisy sums of what the
 *	  score leaves over say by how much the points of each class move.
 *
 * Rows are asked nothing but such counts and sums, through accountant.h; everything
 * else is a function of the answers. It must never use the number of rows,
 * nor of those that are positive, otherwise. Claim P28.
 */
#include "core/score/score.h"

#include <math.h>
#include <string.h>

#include "core/column/merge.h"

#define ONE 1024				/* a row that is positive, as residuals have it */
#define MAX_SCORE (16 << PEGS_POINTS_BITS)	/* beyond, a probability is that of 16 */
#define SIGMA_STEP 8			/* points between two places of the table of probabilities */
#define MAX_STEP (8 << PEGS_POINTS_BITS)	/* of a class, in one sweep */
#define SWEEPS 4
#define SWEEPS_PURE 2
#define SWEEPS_FREE 6
#define LEAST_ROWS 20			/* in a class */
#define LEAST_SD 5				/* and so many times the noise, of a count and of a sum */

static const double ONEWAYS_SHARE = 0.05;	/* of the budget */
static const double ONEWAYS_SHARE_PURE = 0.15;
static const double CURVATURE = 0.15;	/* of a row, for p (1 - p) */

/* A block of rows, with what the score says of them. Private. */
typedef struct scored
{
	int32_t    *score;			/* [rows] */
	uint8_t    *positive;		/* [rows] */
} scored;

typedef struct fitting
{
	const pegs_env *env;
	pegs_rng   *rng;
	const pegs_layout *layout;
	const pegs_kept *rows;		/* private */
	pegs_score_model *model;
	pegs_accountant *accountant;	/* NULL: nothing is private */
	double		scale;			/* how many of what is counted are a row */
	scored	   *scored;			/* [blocks] */
	int16_t    *sigma;			/* probability by score, times ONE */
	double		least;			/* rows of a class */
	uint16_t	code[PEGS_CHUNK];
} fitting;

/* ---- looks ---- */

/* Counts of a column, in rows; their noise is what `cost` buys. False: not bought, and so not looked at. */
static bool
look_at_column(fitting *f, uint32_t column, double cost, double *count)
{
	uint32_t	levels = f->layout->levels[column];
	int64_t    *exact = f->env->alloc(f->env->context, sizeof(int64_t) * levels);
	bool		bought = true;

	for (uint64_t b = 0; b < pegs_kept_blocks(f->rows); b++)
	{
		const uint32_t *times = pegs_kept_times(f->rows, b);

		f->env->check(f->env->context);
		pegs_kept_column(f->rows, b, column, f->code);
		for (uint32_t r = 0; r < pegs_kept_rows(f->rows, b); r++)
			exact[f->code[r]] += times ? times[r] : 1;
	}
	if (f->accountant)
		bought = pegs_measure(f->accountant, f->rng, PEGS_FOR_ONEWAY, cost, exact, count, levels) > 0;
	else
		for (uint32_t l = 0; l < levels; l++)
			count[l] = (double) exact[l];
	for (uint32_t l = 0; l < levels && bought; l++)
		count[l] /= f->scale;
	pegs_env_free(f->env, exact);
	return bought;
}

/*
 * What the score leaves over, in rows, in all classes of a column: a row adds at most ONE to the exact
 * sum, or takes it away, whatever the score says. The variance of each; negative: not bought.
 */
static double
look_at_residuals(fitting *f, uint32_t column, double cost, double *sum)
{
	const pegs_feature *feature = &f->model->feature[column];
	int64_t		exact[PEGS_MAX_CLASSES] = {0};
	double		variance = 0;

	for (uint64_t b = 0; b < pegs_kept_blocks(f->rows); b++)
	{
		const uint32_t *times = pegs_kept_times(f->rows, b);
		const scored *scored = &f->scored[b];

		f->env->check(f->env->context);
		pegs_kept_column(f->rows, b, column, f->code);
		for (uint32_t r = 0; r < pegs_kept_rows(f->rows, b); r++)
		{
			int32_t		score = scored->score[r];
			int64_t		left;

			score = score > MAX_SCORE ? MAX_SCORE : score < -MAX_SCORE ? -MAX_SCORE : score;
			left = (scored->positive[r] ? ONE : 0) - f->sigma[(score + MAX_SCORE + SIGMA_STEP / 2) / SIGMA_STEP];
			exact[feature->class_of[f->code[r]]] += times ? (int64_t) times[r] * left : left;
		}
	}
	if (f->accountant)
		variance = pegs_measure_sums(f->accountant, f->rng, PEGS_FOR_RESIDUALS, cost, exact, ONE, sum, feature->classes);
	else
		for (uint32_t k = 0; k < feature->classes; k++)
			sum[k] = (double) exact[k];
	for (uint32_t k = 0; k < feature->classes && variance >= 0; k++)
		sum[k] /= ONE * f->scale;
	return variance / (ONE * f->scale * ONE * f->scale);
}

/* ---- classes ---- */

/* Released counts, none below zero, to classes: as many as hold enough rows each. */
static void
make_classes(const fitting *f, uint32_t column, const double *count)
{
	pegs_feature *feature = &f->model->feature[column];
	const uint16_t *group = f->layout->groups ? f->layout->groups[column] : NULL;
	pegs_merge	merge;

	pegs_merge_build(f->env, &merge, feature->levels, count, group);
	feature->classes = pegs_merge_classes(&merge, f->least);
	if (feature->classes > PEGS_MAX_CLASSES)
		feature->classes = PEGS_MAX_CLASSES;
	if (feature->classes > 1)
	{
		feature->class_of = f->env->alloc(f->env->context, sizeof(uint16_t) * feature->levels);
		feature->points = f->env->alloc(f->env->context, sizeof(int32_t) * feature->classes);
		feature->rows = f->env->alloc(f->env->context, sizeof(double) * feature->classes);
		feature->sd = f->env->alloc(f->env->context, sizeof(double) * feature->classes);
		pegs_merge_cut(&merge, feature->classes, feature->class_of);
		for (uint32_t l = 0; l < feature->levels; l++)
			feature->rows[feature->class_of[l]] += count[l];
		for (uint32_t k = 0; k < feature->classes; k++)
			feature->rows[k] = fmax(feature->rows[k], 1);
	}
	pegs_env_free(f->env, merge.gone);
	pegs_env_free(f->env, merge.lightest);
}

/* All columns but the target, each for its part of `budget`; and the number of rows, by all of them. */
static void
measure_columns(fitting *f, double budget)
{
	pegs_score_model *model = f->model;
	double		rows = 0;
	double		weights = 0;

	for (uint32_t i = 0; i < model->ncols; i++)
	{
		pegs_feature *feature = &model->feature[i];
		double	   *count;
		double		sum = 0;

		if (i == model->target)
			continue;
		feature->classes = 1;
		count = f->env->alloc(f->env->context, sizeof(double) * feature->levels);
		if (look_at_column(f, i, budget / (model->ncols - 1), count))
		{
			for (uint32_t l = 0; l < feature->levels; l++)
			{
				sum += count[l];
				count[l] = fmax(count[l], 0);
			}
			/* the noise of a sum is as large as it has levels */
			rows += sum / feature->levels;
			weights += 1.0 / feature->levels;
			make_classes(f, i, count);
		}
		pegs_env_free(f->env, count);
	}
	model->rows = weights > 0 ? fmax(rows / weights, 1) : 1;
}

/* ---- sweeps ---- */

double
pegs_additive_gain(double rows, uint32_t sweep, double variance)
{
	double		tau = pow(0.7, sweep) + 0.02;
	double		h = CURVATURE * rows;

	return h * tau * tau / (h * h * tau * tau + variance + h);
}

/* The next step of each class. Of what noise has added before, a sweep takes back that part that it believes. */
static void
move_points(const pegs_feature *feature, uint32_t sweep, double variance, const double *sum, double *noise, int32_t *step)
{
	for (uint32_t k = 0; k < feature->classes; k++)
	{
		double		gain = pegs_additive_gain(feature->rows[k], sweep, variance);
		double		kept = 1 - gain * CURVATURE * feature->rows[k];

		step[k] = (int32_t) lrint(fmax(-MAX_STEP, fmin(MAX_STEP, ldexp(sum[k] * gain, PEGS_POINTS_BITS))));
		feature->points[k] += step[k];
		noise[k] = noise[k] * kept * kept + gain * gain * variance;
	}
}

/* The score of each row, with this column's step. */
static void
move_rows(fitting *f, uint32_t column, const int32_t *step)
{
	const uint16_t *class_of = f->model->feature[column].class_of;

	for (uint64_t b = 0; b < pegs_kept_blocks(f->rows); b++)
	{
		f->env->check(f->env->context);
		pegs_kept_column(f->rows, b, column, f->code);
		for (uint32_t r = 0; r < pegs_kept_rows(f->rows, b); r++)
			f->scored[b].score[r] += step[class_of[f->code[r]]];
	}
}

/* The rest of the account goes to the steps that are left, in equal parts. */
static void
sweep_columns(fitting *f)
{
	pegs_score_model *model = f->model;
	double	   *noise = f->env->alloc(f->env->context, sizeof(double) * PEGS_MAX_CLASSES * model->ncols);
	uint64_t	left = 0;

	for (uint32_t i = 0; i < model->ncols; i++)
		left += model->feature[i].classes > 1 ? model->sweeps : 0;
	for (uint32_t t = 0; t < model->sweeps; t++)
		for (uint32_t i = 0; i < model->ncols; i++)
		{
			double		sum[PEGS_MAX_CLASSES];
			int32_t		step[PEGS_MAX_CLASSES];
			double		variance;

			if (model->feature[i].classes < 2)
				continue;
			variance = look_at_residuals(f, i, f->accountant ? pegs_accountant_left(f->accountant) / (double) left : 0, sum);
			left--;
			if (variance < 0)
				continue;
			move_points(&model->feature[i], t, variance, sum, &noise[(size_t) i * PEGS_MAX_CLASSES], step);
			move_rows(f, i, step);
		}
	for (uint32_t i = 0; i < model->ncols; i++)
		for (uint32_t k = 0; model->feature[i].classes > 1 && k < model->feature[i].classes; k++)
			model->feature[i].sd[k] = sqrt(noise[(size_t) i * PEGS_MAX_CLASSES + k]);
	pegs_env_free(f->env, noise);
}

/* The points of a column become what its classes differ by from the average row, which goes to the intercept: no sum changes. */
static void
centre_points(pegs_score_model *model)
{
	for (uint32_t i = 0; i < model->ncols; i++)
	{
		const pegs_feature *f = &model->feature[i];
		double		rows = 0;
		double		sum = 0;
		int32_t		mean;

		if (f->classes < 2)
			continue;
		for (uint32_t k = 0; k < f->classes; k++)
		{
			rows += f->rows[k];
			sum += f->rows[k] * f->points[k];
		}
		mean = (int32_t) lrint(sum / rows);
		for (uint32_t k = 0; k < f->classes; k++)
			f->points[k] -= mean;
		model->intercept += mean;
	}
}

/* ---- the whole ---- */

static void
begin_model(const fitting *f, const pegs_accountant *accountant, const bool *positive, uint32_t target)
{
	pegs_score_model *model = f->model;
	const pegs_layout *layout = f->layout;

	memset(model, 0, sizeof(*model));
	model->sweeps = accountant == NULL ? SWEEPS_FREE : accountant->pure ? SWEEPS_PURE : SWEEPS;
	if (accountant)
		model->accountant = *accountant;
	model->accountant.env = f->env;
	model->ncols = layout->ncols;
	model->target = target;
	model->positive = f->env->alloc(f->env->context, sizeof(uint16_t) * layout->levels[target]);
	for (uint32_t l = 0; l < layout->levels[target]; l++)
		if (positive[l])
			model->positive[model->npositive++] = (uint16_t) l;
	model->feature = f->env->alloc(f->env->context, sizeof(pegs_feature) * layout->ncols);
	for (uint32_t i = 0; i < layout->ncols; i++)
		model->feature[i].levels = layout->levels[i];
}

static void
begin_rows(fitting *f, const bool *positive)
{
	uint64_t	blocks = pegs_kept_blocks(f->rows);

	f->scored = f->env->alloc(f->env->context, sizeof(scored) * (blocks + 1));
	for (uint64_t b = 0; b < blocks; b++)
	{
		uint32_t	n = pegs_kept_rows(f->rows, b);

		f->env->check(f->env->context);
		f->scored[b].score = f->env->alloc(f->env->context, sizeof(int32_t) * n);
		f->scored[b].positive = f->env->alloc(f->env->context, n);
		pegs_kept_column(f->rows, b, f->model->target, f->code);
		for (uint32_t r = 0; r < n; r++)
			f->scored[b].positive[r] = positive[f->code[r]];
	}
	/* public, so that a double does no harm here: whatever stands in it, what is left over is at most ONE */
	f->sigma = f->env->alloc(f->env->context, sizeof(int16_t) * (2 * MAX_SCORE / SIGMA_STEP + 1));
	for (int32_t i = 0; i <= 2 * MAX_SCORE / SIGMA_STEP; i++)
		f->sigma[i] = (int16_t) lrint(ONE * pegs_probability_of_points(i * SIGMA_STEP - MAX_SCORE, 1));
}

static void
forget_rows(fitting *f)
{
	for (uint64_t b = 0; b < pegs_kept_blocks(f->rows); b++)
	{
		pegs_env_free(f->env, f->scored[b].score);
		pegs_env_free(f->env, f->scored[b].positive);
	}
	pegs_env_free(f->env, f->scored);
	pegs_env_free(f->env, f->sigma);
}

void
pegs_additive_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const bool *positive,
				  uint32_t target, const pegs_kept *rows, pegs_score_model *model)
{
	fitting		f = {.env = env, .rng = rng, .layout = layout, .rows = rows, .model = model, .scale = 1, .least = LEAST_ROWS};
	uint32_t	nfeatures = layout->ncols - 1;
	double		oneways = 0;

	begin_model(&f, accountant, positive, target);
	if (accountant && nfeatures > 0)
	{
		double		budget = pegs_accountant_left(accountant);
		double		share = accountant->pure ? ONEWAYS_SHARE_PURE : ONEWAYS_SHARE;

		f.accountant = &model->accountant;
		f.scale = pegs_accountant_scale(accountant);
		oneways = share * budget;
		f.least = fmax(f.least, LEAST_SD * pegs_noise_sd(accountant, oneways / nfeatures) / f.scale);
		f.least = fmax(f.least, LEAST_SD * pegs_noise_sd(accountant, (budget - oneways) / ((double) nfeatures * model->sweeps)) / f.scale);
	}
	pegs_env_step(env, PEGS_STEP_ONEWAYS);
	measure_columns(&f, oneways);
	pegs_env_step(env, PEGS_STEP_ROUNDS);
	begin_rows(&f, positive);
	sweep_columns(&f);
	forget_rows(&f);
	pegs_env_step(env, PEGS_STEP_LAST);
	centre_points(model);
	model->accountant.env = NULL;	/* the model may live longer */
}
