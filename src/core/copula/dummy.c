/*
 * dummy.c
 *	  A normal behind every level of every column: counts to a model, and that as bytes.
 *
 * For each level of one column and each of another it is known how often
 * both come, so at which correlation two normals are both above their cuts as often. One histogram
 * for each column and for each two of them, with noise, says all of it. Every look at
 * counts is in accountant.c; all else reads what was given out. Claim P25.
 */
#include "core/copula/dummy.h"

#include <math.h>
#include <string.h>

#include "core/column/column.h"
#include "core/copula/clock.h"
#include "core/copula/copula.h"
#include "core/copula/correlation.h"
#include "core/copula/normal.h"
#include "core/copula/orthant.h"
#include "core/shares.h"

static const double MARGINS_SHARE = 0.4;	/* of the budget */

typedef struct fitting
{
	const pegs_env *env;
	const pegs_layout *layout;
	const uint64_t *cells;		/* private */
	pegs_dummy *model;
	double		rows;			/* of what was counted */
	double		one;			/* of what was counted makes a row */
	uint32_t   *first;			/* [ncols] its first normal */
	double	   *slope;			/* [normals] what a threshold's correlation is of a clock's; 0: never drawn, or nothing to ask */
	double	   *correlation;	/* [normals^2] */
} fitting;

/* Normals: one for each level. */
static uint64_t
latents_of(uint32_t ncols, const uint32_t *levels)
{
	uint64_t	n = 0;

	for (uint32_t i = 0; i < ncols; i++)
		n += levels[i];
	return n;
}

pegs_refusal
pegs_dummy_refuse(const pegs_layout *layout)
{
	if (latents_of(layout->ncols, layout->levels) <= PEGS_MAX_LATENTS)
		return PEGS_NOT_REFUSED;
	return (pegs_refusal) {
		.why = "with a normal variable for each level a copula has at most 2,000 levels, of all columns together",
		.hint = "Fit fewer columns, or declare wider bins and fewer levels.",
		.wrong = PEGS_WRONG_SIZE
	};
}

/* ---- correlations ---- */

/* Of shares that are known: which normals are asked for, and the matrix without what is between columns. */
static void
list_latents(fitting *f)
{
	pegs_dummy *model = f->model;
	size_t		n = model->nlatents = (uint32_t) latents_of(model->ncols, model->levels);
	uint32_t	at = 0;

	f->first = f->env->alloc(f->env->context, sizeof(uint32_t) * model->ncols);
	f->slope = f->env->alloc(f->env->context, sizeof(double) * n);
	f->correlation = f->env->alloc(f->env->context, sizeof(double) * n * n);
	for (uint32_t i = 0; i < model->ncols; i++)
	{
		f->first[i] = at;
		f->env->check(f->env->context);
		for (uint32_t l = 0; l < model->levels[i]; l++, at++)
		{
			double		p = model->share[i][l];
			double		cut = p > 0 && p < 1 ? pegs_normal_quantile(p) : 0;

			f->correlation[at * n + at] = 1;
			if (p > 0 && p < 1)
				f->slope[at] = exp(-cut * cut / 2) / sqrt(2 * M_PI) / pegs_clock_slope(p);
		}
	}
}

/* Does a column, as far as shares say, have more than one value? */
static bool
is_flat(const pegs_dummy *model, uint32_t column)
{
	for (uint32_t l = 0; l < model->levels[column]; l++)
		if (model->share[column][l] > 0)
			return model->share[column][l] >= 1;
	return true;
}

/*
 * Two levels' correlation, of how many rows have both. What noise (its variance), or as few rows as would come
 * by chance, may have made is not believed.
 */
static double
estimate(const fitting *f, double p, double q, double both, double variance)
{
	double		apart = both / f->rows - p * q;
	double		noise = variance / (f->rows * f->rows) + p * q * f->one / f->rows;

	if (apart * apart <= noise)
		return 0;
	return pegs_orthant_solve(p, q, p * q + apart * (1 - noise / (apart * apart)));
}

/* What a table of two columns says. */
static void
correlate(fitting *f, uint32_t a, uint32_t b, const double *table, double variance)
{
	const pegs_dummy *model = f->model;
	size_t		n = model->nlatents;
	uint32_t	m = model->levels[b];

	for (uint32_t i = 0; i < model->levels[a]; i++)
	{
		f->env->check(f->env->context);
		for (uint32_t j = 0; j < m; j++)
		{
			size_t		x = f->first[a] + i;
			size_t		y = f->first[b] + j;

			if (f->slope[x] > 0 && f->slope[y] > 0)
				f->correlation[x * n + y] = f->correlation[y * n + x] =
					estimate(f, model->share[a][i], model->share[b][j], table[(size_t) i * m + j], variance) * f->slope[x] * f->slope[y];
		}
	}
}

/* ---- the factor ---- */

/* A column's own normals are made independent: so clocks have the law that they are to have. */
static void
part_columns(const fitting *f)
{
	double	   *factor = f->model->factor;

	for (uint32_t i = 0; i < f->model->ncols; i++)
		for (uint32_t b = f->first[i]; b < f->first[i] + f->model->levels[i]; b++)
		{
			double	   *row = &factor[pegs_packed(b, 0)];
			double		square = 0;

			f->env->check(f->env->context);
			for (uint32_t a = f->first[i]; a < b; a++)
			{
				const double *other = &factor[pegs_packed(a, 0)];
				double		r = 0;

				for (uint32_t k = 0; k <= a; k++)
					r += other[k] * row[k];
				for (uint32_t k = 0; k <= a; k++)
					row[k] -= r * other[k];
			}
			for (uint32_t k = 0; k <= b; k++)
				square += row[k] * row[k];
			for (uint32_t k = 0; k <= b; k++)
				row[k] /= sqrt(square);
		}
}

static void
make_factor(fitting *f, bool higham)
{
	pegs_dummy *model = f->model;
	uint32_t	n = model->nlatents;

	if (higham)
		pegs_nearest_correlation(f->env, n, f->correlation);
	else
		pegs_lift_correlation(f->env, n, f->correlation);
	model->factor = f->env->alloc(f->env->context, sizeof(double) * pegs_packed(n, 0));
	/* rounding may have been against us; independent normals are always possible */
	if (!pegs_factor_correlation(f->env, n, f->correlation, 0, model->factor))
	{
		memset(model->factor, 0, sizeof(double) * pegs_packed(n, 0));
		for (uint32_t i = 0; i < n; i++)
			model->factor[pegs_packed(i, i)] = 1;
	}
	part_columns(f);
}

static void
end_fit(fitting *f, bool higham)
{
	make_factor(f, higham);
	pegs_env_free(f->env, f->correlation);
	pegs_env_free(f->env, f->slope);
	pegs_env_free(f->env, f->first);
}

/* ---- by looks ---- */

/* The table of two columns, each row in one of its cells. */
static void
look_at_pair(fitting *f, pegs_rng *rng, pegs_accountant *accountant, double cost, uint32_t a, uint32_t b)
{
	const uint64_t *cell = f->cells + f->layout->pair_offset[(size_t) a * f->layout->ncols + b];
	size_t		n = (size_t) f->layout->levels[a] * f->layout->levels[b];
	int64_t    *exact = f->env->alloc(f->env->context, sizeof(int64_t) * n);
	double	   *noisy = f->env->alloc(f->env->context, sizeof(double) * n);
	double		variance;

	for (size_t i = 0; i < n; i++)
		exact[i] = (int64_t) cell[i];
	variance = pegs_measure(accountant, rng, PEGS_FOR_PAIR, cost, exact, noisy, n);
	if (variance > 0)
		correlate(f, a, b, noisy, variance);
	pegs_env_free(f->env, exact);
	pegs_env_free(f->env, noisy);
}

void
pegs_dummy_fit(const pegs_env *env, pegs_rng *rng, pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells,
			   bool higham, pegs_dummy *model, double *rows)
{
	fitting		f = {.env = env, .layout = layout, .cells = cells, .model = model, .one = pegs_accountant_scale(accountant)};
	double		margins = layout->ncols == 1 ? 1 : MARGINS_SHARE;
	pegs_columns columns;
	uint64_t	pairs = 0;
	double		cost;

	*model = (pegs_dummy) {.ncols = layout->ncols, .levels = layout->levels};
	pegs_env_step(env, PEGS_STEP_ONEWAYS);
	pegs_columns_fit(env, accountant, rng, margins * pegs_accountant_left(accountant), layout, cells, &columns);
	model->share = columns.share;
	*rows = f.rows = columns.rows;
	list_latents(&f);
	for (uint32_t b = 0; b < layout->ncols; b++)
		for (uint32_t a = 0; a < b; a++)
			pairs += !is_flat(model, a) && !is_flat(model, b);
	cost = pairs > 0 ? pegs_accountant_left(accountant) / (double) pairs : 0;
	for (uint32_t b = 0; b < layout->ncols; b++)
	{
		pegs_env_step(env, PEGS_STEP_CORRELATIONS);
		for (uint32_t a = 0; a < b; a++)
			if (!is_flat(model, a) && !is_flat(model, b))
				look_at_pair(&f, rng, accountant, cost, a, b);
	}
	pegs_env_step(env, PEGS_STEP_LAST);
	end_fit(&f, higham);
}

/* ---- by the counts ---- */

/* Of an empty table each level is as likely. */
static void
share_counts(fitting *f)
{
	pegs_dummy *model = f->model;

	model->share = f->env->alloc(f->env->context, sizeof(double *) * model->ncols);
	for (uint32_t i = 0; i < model->ncols; i++)
	{
		const uint64_t *cell = f->cells + f->layout->offset[i];
		double		sum = 0;

		model->share[i] = f->env->alloc(f->env->context, sizeof(double) * model->levels[i]);
		for (uint32_t l = 0; l < model->levels[i]; l++)
			sum += (double) cell[l];
		for (uint32_t l = 0; l < model->levels[i]; l++)
			model->share[i][l] = sum > 0 ? (double) cell[l] / sum : 1.0 / model->levels[i];
		f->rows = sum;
	}
}

void
pegs_dummy_fit_exact(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, pegs_dummy_form form, bool higham,
					 pegs_dummy *model)
{
	fitting		f = {.env = env, .layout = layout, .cells = cells, .model = model, .one = 1};

	*model = (pegs_dummy) {.ncols = layout->ncols, .levels = layout->levels, .form = form};
	share_counts(&f);
	list_latents(&f);
	for (uint32_t b = 0; form == PEGS_DUMMY_COP && f.rows > 0 && b < layout->ncols; b++)
	{
		pegs_env_step(env, PEGS_STEP_CORRELATIONS);
		for (uint32_t a = 0; a < b; a++)
		{
			const uint64_t *cell = cells + layout->pair_offset[(size_t) a * layout->ncols + b];
			size_t		n = (size_t) layout->levels[a] * layout->levels[b];
			double	   *table = env->alloc(env->context, sizeof(double) * n);

			for (size_t i = 0; i < n; i++)
				table[i] = (double) cell[i];
			correlate(&f, a, b, table, 0);
			pegs_env_free(env, table);
		}
	}
	pegs_env_step(env, PEGS_STEP_LAST);
	end_fit(&f, higham);
}

/* ---- bytes ---- */

/* Rows of length 1, of which those of a column have nothing in common. */
static void
check_factor(pegs_cursor *c, const pegs_dummy *model)
{
	uint32_t	first = 0;

	for (uint32_t i = 0; i < model->ncols; first += model->levels[i++])
		for (uint32_t b = first; b < first + model->levels[i]; b++)
		{
			c->env->check(c->env->context);
			for (uint32_t a = first; a <= b; a++)
			{
				double		r = 0;

				for (uint32_t k = 0; k <= a; k++)
					r += model->factor[pegs_packed(a, k)] * model->factor[pegs_packed(b, k)];
				if (!(fabs(r - (a == b)) < 1e-6))
				{
					pegs_bad(c, PEGS_ERR_FORMAT);
					return;
				}
			}
		}
}

/* u32 form  u32 0  per column: f64 share[levels]  all: f64 factor[normals (normals + 1) / 2] */
void
pegs_dummy_walk(pegs_cursor *c, pegs_dummy *model)
{
	uint64_t	nlatents = latents_of(model->ncols, model->levels);

	pegs_u32(c, &model->form);
	pegs_pad(c);
	if (c->status == PEGS_OK && (model->form >= PEGS_DUMMY_FORMS || nlatents > PEGS_MAX_LATENTS))
		pegs_bad(c, PEGS_ERR_FORMAT);
	if (!pegs_has_bytes(c, model->ncols, 8))
		return;
	if (c->pass == PEGS_READ)
		model->share = c->env->alloc(c->env->context, sizeof(double *) * model->ncols);
	for (uint32_t i = 0; i < model->ncols && c->status == PEGS_OK; i++)
		pegs_shares_walk(c, &model->share[i], model->levels[i], false);
	if (c->status != PEGS_OK)
		return;
	model->nlatents = (uint32_t) nlatents;
	pegs_f64s(c, &model->factor, pegs_packed(model->nlatents, 0));
	if (c->pass == PEGS_READ && c->status == PEGS_OK)
		check_factor(c, model);
}
