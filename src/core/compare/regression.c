/*
 * regression.c
 *	  One linear or logistic model, fitted to two tables.
 *
 * Sums are taken around the means of the numeric terms: an amount in cents or
 * a day since 1970 would otherwise drown in its own square. The model, ridge
 * included, stays exactly that of the coefficients b without means: with
 *		b[0] = g[0] - sum_j mean[j] g[j],  b[j] = g[j]		(b = T g)
 * the ridge r |b|^2 becomes r g' (T'T) g, and T'T is
 *		1 at (0, 0), -mean[j] at (0, j), mean[j] mean[k] (+ 1 if j = k) else.
 * Only where a mean is so large beside its deviations that a ridge on b[0]
 * would flatten the slope, this mean is 0 in T'T: `pull` instead of `mean`.
 */
#include "core/compare/regression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/compare/linear.h"

/* the reference evaluator's (docs/reference.md, Sources) */
static const double LINEAR_RIDGE = 1e-8;
static const double LOGISTIC_RIDGE = 1e-6;
static const uint32_t MAX_STEPS = 50;
static const double LARGEST_STEP = 5;
static const double LAST_STEP = 1e-8;
static const double LARGEST_ETA = 30;
static const double SMALLEST_WEIGHT = 1e-9;

/* Of a sum of squared deviations: a ridge of this part may act by way of the mean. */
static const double LARGEST_PULL = 1e-6;

/* The ridge's part in what is known of a coefficient, from which on it is the ridge that holds it. */
static const double HELD = 1e-3;
static const double NORMAL_975 = 1.959963984540054;

/* A model over one table. */
typedef struct design
{
	const pegs_env *env;
	const pegs_coded *table;
	const pegs_regression_spec *spec;
	uint32_t	count;			/* coefficients */
	const uint32_t *first;		/* [nterms] coefficient of a number or of level 1 */
	double	   *mean;			/* [count] of a number; 0 of the others */
	double	   *pull;			/* [count] the mean as the ridge sees it */
	double		ridge;
	double	   *extra;			/* [count] more ridge, where it alone did not suffice */
	/* the row at hand */
	uint32_t	entries;
	uint32_t   *at;				/* [nterms + 1] coefficients with an entry, rising */
	double	   *value;			/* [nterms + 1] around the mean */
	double		y;
} design;

/* Read a row; false: it is left out. */
static bool
read_row(design *d, uint64_t row)
{
	const pegs_coded *table = d->table;
	const pegs_regression_spec *spec = d->spec;

	if (row % PEGS_CHUNK == 0)
		d->env->check(d->env->context);
	if (spec->kind == PEGS_REGRESSION_LINEAR)
	{
		d->y = table->number[spec->target][row];
		if (!isfinite(d->y))
			return false;
	}
	else
	{
		uint32_t	code = table->code[spec->target][row];

		if (code >= table->levels[spec->target])
			return false;
		d->y = spec->positive[code] ? 1 : 0;
	}
	d->at[0] = 0;
	d->value[0] = 1;
	d->entries = 1;
	for (uint32_t t = 0; t < spec->nterms; t++)
	{
		uint32_t	column = spec->terms[t].column;

		if (spec->terms[t].numeric)
		{
			double		x = table->number[column][row];

			if (!isfinite(x))
				return false;
			d->at[d->entries] = d->first[t];
			d->value[d->entries++] = x - d->mean[d->first[t]];
		}
		else
		{
			uint32_t	code = table->code[column][row];

			if (code >= table->levels[column])
				return false;
			if (code == 0)
				continue;
			d->at[d->entries] = d->first[t] + code - 1;
			d->value[d->entries++] = 1;
		}
	}
	return true;
}

/* Rows, means (as Welford does) and which coefficients have an entry. */
static void
survey(design *d, pegs_regression_fit *fit)
{
	double	   *mean = d->env->alloc(d->env->context, sizeof(double) * d->count);
	double	   *squares = d->env->alloc(d->env->context, sizeof(double) * d->count);
	double		share;

	/* d->mean is still 0: these are the numbers themselves */
	for (uint64_t row = 0; row < d->table->nrows; row++)
	{
		if (!read_row(d, row))
		{
			fit->left_out++;
			continue;
		}
		share = 1 / (double) ++fit->rows;
		for (uint32_t e = 0; e < d->entries; e++)
		{
			uint32_t	j = d->at[e];
			double		deviation = d->value[e] - mean[j];

			fit->present[j] = fit->present[j] || d->value[e] != 0;
			mean[j] += deviation * share;
			squares[j] += deviation * (d->value[e] - mean[j]);
		}
	}
	for (uint32_t t = 0; t < d->spec->nterms; t++)
		if (d->spec->terms[t].numeric)
		{
			uint32_t	j = d->first[t];

			d->mean[j] = d->pull[j] = mean[j];
			/* not of a constant, which shares its effect with the intercept */
			if (squares[j] > 0 && d->ridge * mean[j] * mean[j] > LARGEST_PULL * squares[j])
				d->pull[j] = 0;
		}
	pegs_env_free(d->env, mean);
	pegs_env_free(d->env, squares);
}

/* g[0] of b: the predictor where all numbers have their means. */
static double
intercept_at_means(const design *d, const double *b)
{
	double		sum = b[0];

	for (uint32_t j = 1; j < d->count; j++)
		sum += d->mean[j] * b[j];
	return sum;
}

/* Of the row at hand; entry 0 is the intercept's. */
static double
predictor(const design *d, const double *b, double at_means)
{
	double		eta = at_means;

	for (uint32_t e = 1; e < d->entries; e++)
		eta += b[d->at[e]] * d->value[e];
	return eta;
}

static double
share_of_ones(double eta)
{
	return 1 / (1 + exp(-fmin(fmax(eta, -LARGEST_ETA), LARGEST_ETA)));
}

/*
 * The second derivative (upper triangle) and the gradient of the log likelihood
 * at b, without the ridge, around the means. Linear: X'X and X'y (b is 0).
 */
static void
derivatives(design *d, const double *b, double *hessian, double *gradient)
{
	size_t		p = d->count;
	double		at_means = intercept_at_means(d, b);

	memset(hessian, 0, sizeof(double) * p * p);
	memset(gradient, 0, sizeof(double) * p);
	for (uint64_t row = 0; row < d->table->nrows; row++)
	{
		double		weight = 1;
		double		residual;

		if (!read_row(d, row))
			continue;
		if (d->spec->kind == PEGS_REGRESSION_LINEAR)
			residual = d->y;
		else
		{
			double		mu = share_of_ones(predictor(d, b, at_means));

			residual = d->y - mu;
			weight = fmax(mu * (1 - mu), SMALLEST_WEIGHT);
		}
		for (uint32_t e = 0; e < d->entries; e++)
		{
			double	   *line = hessian + d->at[e] * p;
			double		factor = weight * d->value[e];

			gradient[d->at[e]] += residual * d->value[e];
			for (uint32_t f = e; f < d->entries; f++)
				line[d->at[f]] += factor * d->value[f];
		}
	}
}

/*
 * hessian := the Cholesky factor of it and the ridge. Collinear numbers can be
 * so large that the ridge is lost in the rounding of their squares: then they
 * get one that is a share of these. False: even that was in vain.
 */
static bool
factorise(design *d, double *hessian)
{
	size_t		p = d->count;
	size_t		bytes = sizeof(double) * p * p;
	double	   *copy = d->env->alloc(d->env->context, bytes);
	bool		done = false;

	for (size_t i = 0; i < p; i++)
		for (size_t j = i; j < p; j++)
		{
			double		ridge = i == j ? d->ridge : 0;

			if (i == 0 && j > 0)
				ridge = -d->ridge * d->pull[j];
			else if (i > 0)
				ridge += d->ridge * d->pull[i] * d->pull[j];
			hessian[i * p + j] += ridge;
		}
	memcpy(copy, hessian, bytes);
	for (double share = 0; !done && share <= 1e-6; share = share == 0 ? 1e-12 : share * 100)
	{
		memcpy(hessian, copy, bytes);
		for (size_t j = 0; j < p; j++)
		{
			d->extra[j] = share * copy[j * p + j];
			hessian[j * p + j] += d->extra[j];
		}
		done = pegs_cholesky(d->env, (uint32_t) p, hessian);
	}
	pegs_env_free(d->env, copy);
	return done;
}

/* gradient := the Newton step from b. */
static void
solve(const design *d, const double *b, const double *factor, double *gradient)
{
	double		pulled = intercept_at_means(d, b);

	/* the ridge's part: T'T g */
	for (uint32_t j = 1; j < d->count; j++)
		pulled -= d->pull[j] * b[j];
	gradient[0] -= d->ridge * pulled;
	for (uint32_t j = 1; j < d->count; j++)
		gradient[j] -= d->ridge * (b[j] - d->pull[j] * pulled);
	pegs_cholesky_solve(d->count, factor, gradient);
	/* a step of g is one of b: T */
	for (uint32_t j = 1; j < d->count; j++)
		gradient[0] -= d->mean[j] * gradient[j];
}

static double
residual_sum_of_squares(design *d, const double *b)
{
	double		at_means = intercept_at_means(d, b);
	double		sum = 0;

	for (uint64_t row = 0; row < d->table->nrows; row++)
		if (read_row(d, row))
		{
			double		residual = d->y - predictor(d, b, at_means);

			sum += residual * residual;
		}
	return sum;
}

/* The variance of g[0] - sum_j mean[j] g[j], where `inverse` has those of g. */
static double
variance_of_intercept(uint32_t n, const double *inverse, const double *mean)
{
	double		sum = inverse[0];

	for (size_t j = 1; j < n; j++)
	{
		sum -= 2 * mean[j] * inverse[j];
		for (size_t k = 1; mean[j] != 0 && k < n; k++)
			sum += mean[j] * mean[k] * inverse[j * n + k];
	}
	return sum;
}

/*
 * Standard errors from the last factor. The diagonal of its inverse V, times
 * the ridge, is the ridge's part in a coefficient: 0 when the rows determine
 * it, 1 when they say nothing. One minus it, added up, is the rank.
 */
static void
judge(design *d, const double *factor, pegs_regression_fit *fit)
{
	size_t		p = d->count;
	double	   *inverse = d->env->alloc(d->env->context, sizeof(double) * p * p);
	double		rank = 0;
	double		scale = 1;

	pegs_cholesky_inverse(d->env, (uint32_t) p, factor, inverse);
	for (size_t j = 0; j < p; j++)
	{
		double		own = inverse[j * p + j];
		double		variance = j == 0 ? variance_of_intercept(d->count, inverse, d->mean) : own;
		double		part = d->extra[j] * own +
			d->ridge * (j == 0 ? variance_of_intercept(d->count, inverse, d->pull) : own);

		rank += 1 - part;
		fit->held[j] = fit->present[j] && part > HELD;
		fit->error[j] = !fit->present[j] || fit->held[j] ? NAN : sqrt(variance);
	}
	fit->rank = rank > 0 ? (uint32_t) (rank + 0.5) : 0;
	if (d->spec->kind == PEGS_REGRESSION_LINEAR)
		scale = fit->rows > fit->rank
			? residual_sum_of_squares(d, fit->coefficient) / (double) (fit->rows - fit->rank) : NAN;
	fit->variance = scale;
	for (size_t j = 0; j < p; j++)
		fit->error[j] *= sqrt(scale);
	pegs_env_free(d->env, inverse);
}

/* Newton's steps, none longer than LARGEST_STEP; false: numbers out of range. */
static bool
climb(design *d, double *hessian, double *step, pegs_regression_fit *fit)
{
	double	   *b = fit->coefficient;
	bool		linear = d->spec->kind == PEGS_REGRESSION_LINEAR;

	while (!fit->converged && fit->steps < (linear ? 1 : MAX_STEPS))
	{
		double		longest = 0;

		derivatives(d, b, hessian, step);
		if (!factorise(d, hessian))
			return false;
		solve(d, b, hessian, step);
		for (uint32_t j = 0; j < d->count; j++)
		{
			if (!isfinite(step[j]))
				return false;
			longest = fmax(longest, fabs(step[j]));
		}
		for (uint32_t j = 0; j < d->count; j++)
			b[j] += step[j] * (linear || longest == 0 ? 1 : fmin(1, LARGEST_STEP / longest));
		fit->steps++;
		fit->converged = linear || longest < LAST_STEP;
	}
	if (linear)
		return true;
	derivatives(d, b, hessian, step);
	return factorise(d, hessian);
}

static void
fit_table(const pegs_env *env, const pegs_coded *table, const pegs_regression_spec *spec,
		  uint32_t count, const uint32_t *first, pegs_regression_fit *fit)
{
	design		d = {.env = env, .table = table, .spec = spec, .count = count, .first = first};
	double	   *hessian = env->alloc(env->context, sizeof(double) * count * count);
	double	   *step = env->alloc(env->context, sizeof(double) * count);

	d.ridge = spec->kind == PEGS_REGRESSION_LINEAR ? LINEAR_RIDGE : LOGISTIC_RIDGE;
	d.mean = env->alloc(env->context, sizeof(double) * count);
	d.pull = env->alloc(env->context, sizeof(double) * count);
	d.extra = env->alloc(env->context, sizeof(double) * count);
	d.at = env->alloc(env->context, sizeof(uint32_t) * (spec->nterms + 1));
	d.value = env->alloc(env->context, sizeof(double) * (spec->nterms + 1));
	*fit = (pegs_regression_fit) {
		.coefficient = env->alloc(env->context, sizeof(double) * count),
		.error = env->alloc(env->context, sizeof(double) * count),
		.present = env->alloc(env->context, sizeof(bool) * count),
		.held = env->alloc(env->context, sizeof(bool) * count)
	};
	survey(&d, fit);
	if (fit->rows > 0 && climb(&d, hessian, step, fit))
		judge(&d, hessian, fit);
	else
	{
		fit->variance = NAN;
		fit->converged = false;
		for (uint32_t j = 0; j < count; j++)
			fit->coefficient[j] = fit->error[j] = NAN;
	}
	pegs_env_free(env, hessian);
	pegs_env_free(env, step);
	pegs_env_free(env, d.mean);
	pegs_env_free(env, d.pull);
	pegs_env_free(env, d.extra);
	pegs_env_free(env, d.at);
	pegs_env_free(env, d.value);
}

/* ---------- the comparison ---------- */

static int
rising(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* NaN if one is; values are sorted. */
static double
median(double *values, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (isnan(values[i]))
			return NAN;
	if (n == 0)
		return NAN;
	qsort(values, n, sizeof(double), rising);
	return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double
pegs_interval_overlap(double original_low, double original_high, double synthetic_low, double synthetic_high)
{
	double		common = fmin(original_high, synthetic_high) - fmax(original_low, synthetic_low);
	double		original = original_high - original_low;
	double		synthetic = synthetic_high - synthetic_low;

	/* also where one is NaN, which fmin and fmax would pass over */
	if (!(original > 0 && synthetic > 0))
		return NAN;
	return (common / original + common / synthetic) / 2;
}

static double
overlap(const pegs_regression_fit *o, const pegs_regression_fit *s, uint32_t j)
{
	double		half_o = NORMAL_975 * o->error[j];
	double		half_s = NORMAL_975 * s->error[j];

	return pegs_interval_overlap(o->coefficient[j] - half_o, o->coefficient[j] + half_o,
								 s->coefficient[j] - half_s, s->coefficient[j] + half_s);
}

static void
compare(const pegs_env *env, pegs_regression_result *result)
{
	const pegs_regression_fit *o = &result->original;
	const pegs_regression_fit *s = &result->synthetic;
	double	   *used = env->alloc(env->context, sizeof(double) * result->count);
	double		squares = 0;

	for (uint32_t j = 0; j < result->count; j++)
	{
		double		difference = s->coefficient[j] - o->coefficient[j];

		result->overlap[j] = overlap(o, s, j);
		result->distance[j] = NAN;
		if (!o->present[j])
			continue;
		/* two zeros are equal */
		result->distance[j] = difference == 0 ? 0 : fabs(difference / o->coefficient[j]);
		result->sum += result->distance[j];
		squares += difference * difference;
		used[result->used++] = result->distance[j];
		if (!isnan(result->overlap[j]))
		{
			result->mean_overlap += result->overlap[j];
			result->overlaps++;
		}
	}
	result->median = median(used, result->used);
	result->mean_overlap = result->overlaps > 0 ? result->mean_overlap / result->overlaps : NAN;
	result->utility = exp(-squares);
	if (result->used == 0)
		result->sum = result->utility = NAN;
	pegs_env_free(env, used);
}

static bool
has_numbers(const pegs_coded *table, uint32_t column)
{
	return table->number != NULL && table->number[column] != NULL;
}

static pegs_status
check_table(const pegs_coded *table, const pegs_regression_spec *spec)
{
	if (spec->target >= table->ncols)
		return PEGS_ERR_ARGUMENT;
	if (spec->kind == PEGS_REGRESSION_LINEAR ? !has_numbers(table, spec->target) : spec->positive == NULL)
		return PEGS_ERR_ARGUMENT;
	for (uint32_t t = 0; t < spec->nterms; t++)
	{
		if (spec->terms[t].column >= table->ncols)
			return PEGS_ERR_ARGUMENT;
		if (spec->terms[t].numeric && !has_numbers(table, spec->terms[t].column))
			return PEGS_ERR_ARGUMENT;
	}
	return PEGS_OK;
}

pegs_status
pegs_regression_compare(const pegs_env *env, const pegs_coded *original, const pegs_coded *synthetic,
						const pegs_regression_spec *spec, pegs_regression_result *result)
{
	pegs_status status;
	uint32_t   *first;
	uint64_t	count = 1;

	*result = (pegs_regression_result) {0};
	if (original->ncols != synthetic->ncols)
		return PEGS_ERR_MISMATCH;
	for (uint32_t c = 0; c < original->ncols; c++)
		if (original->levels[c] != synthetic->levels[c])
			return PEGS_ERR_MISMATCH;
	if ((status = check_table(original, spec)) != PEGS_OK || (status = check_table(synthetic, spec)) != PEGS_OK)
		return status;

	first = env->alloc(env->context, sizeof(uint32_t) * (spec->nterms + 1));
	for (uint32_t t = 0; t < spec->nterms; t++)
	{
		uint32_t	levels = original->levels[spec->terms[t].column];

		first[t] = (uint32_t) count;
		count += spec->terms[t].numeric ? 1 : (levels > 0 ? levels - 1 : 0);
		if (count > PEGS_MAX_TERMS)
			return PEGS_ERR_TOO_LARGE;
	}
	result->count = (uint32_t) count;
	result->name = env->alloc(env->context, sizeof(pegs_regression_name) * count);
	result->distance = env->alloc(env->context, sizeof(double) * count);
	result->overlap = env->alloc(env->context, sizeof(double) * count);
	result->name[0].term = -1;
	for (uint32_t t = 0; t < spec->nterms; t++)
	{
		uint32_t	end = t + 1 < spec->nterms ? first[t + 1] : result->count;

		for (uint32_t j = first[t]; j < end; j++)
			result->name[j] = (pegs_regression_name) {
				.term = (int32_t) t,
				.level = spec->terms[t].numeric ? 0 : j - first[t] + 1
			};
	}
	fit_table(env, original, spec, result->count, first, &result->original);
	fit_table(env, synthetic, spec, result->count, first, &result->synthetic);
	compare(env, result);
	pegs_env_free(env, first);
	return PEGS_OK;
}
