/*
 * copula.c
 *	  Normals behind the columns: counts to a model, and that as bytes.
 *
 * First noisy 1-way tables (core/column/columns.c); then, for each two normals, the sum over all rows
 * of the product of two scores, which are functions of those tables. Every look
 * at the counts is in accountant.c; everything else reads released numbers. Claim P25.
 */
#include "core/copula/copula.h"

#include <math.h>
#include <string.h>

#include "core/column/column.h"
#include "core/copula/correlation.h"
#include "core/copula/dummy.h"
#include "core/copula/hermite.h"
#include "core/copula/kendall.h"
#include "core/copula/latent.h"
#include "core/copula/normal.h"
#include "core/record.h"
#include "core/shares.h"

static const double LEAST_RANGE = 6;	/* sd of noise: what correlations could make of a covariance, or they are not told apart */
static const double SIGNS_BELOW = 10.6; /* N e^2: there the noise of grades is more than what signs lose */

const pegs_purpose pegs_copula_purposes[PEGS_COPULA_PURPOSES] = {PEGS_FOR_ONEWAY, PEGS_FOR_PAIR, PEGS_FOR_SUM, PEGS_FOR_CELLS};

typedef pegs_latent latent;
typedef pegs_copula_fitting fitting;

static inline bool
has_null(const pegs_layout *layout, uint32_t column)
{
	return layout->nulls && layout->nulls[column] >= 0;
}

uint32_t
pegs_copula_latents(const pegs_layout *layout)
{
	uint32_t	n = layout->ncols;

	for (uint32_t i = 0; i < layout->ncols; i++)
		n += has_null(layout, i);
	return n;
}

/* ---- cuts ---- */

/* Of shares that may not add up to 1. */
static void
cut_shares(uint32_t n, const double *share, double *cut)
{
	double		sum = 0;
	double		below = 0;

	for (uint32_t l = 0; l < n; l++)
		sum += share[l];
	for (uint32_t l = 0; l + 1 < n; l++)
	{
		double		p;

		below += share[l];
		p = sum > 0 ? below / sum : (l + 1.0) / n;
		cut[l] = p <= 0 ? -PEGS_NO_CUT : p >= 1 ? PEGS_NO_CUT : pegs_normal_quantile(p);
	}
	/* behind the last that has something there is nothing, however sums were rounded */
	for (uint32_t l = n; sum > 0 && l-- > 1 && share[l] == 0;)
		cut[l - 1] = PEGS_NO_CUT;
}

/* The levels of a column but NULL, in the order of its scale. */
static void
order_levels(const fitting *f, uint32_t column, pegs_cuts *cuts)
{
	uint32_t	levels = f->model->levels[column];
	const uint16_t *scale = f->layout->scale ? f->layout->scale[column] : NULL;
	uint16_t   *level_at = f->env->alloc(f->env->context, sizeof(uint16_t) * levels);

	cuts->null = has_null(f->layout, column) ? (uint32_t) f->layout->nulls[column] + 1 : 0;
	cuts->code = f->env->alloc(f->env->context, sizeof(uint16_t) * levels);
	for (uint32_t l = 0; l < levels; l++)
		level_at[scale ? scale[l] : l] = (uint16_t) l;
	for (uint32_t place = 0; place < levels; place++)
		if (level_at[place] + 1u != cuts->null)
			cuts->code[cuts->n++] = level_at[place];
	pegs_env_free(f->env, level_at);
}

/* The shares of a column's levels but NULL. */
static double *
shares_but_null(const fitting *f, uint32_t column)
{
	const pegs_cuts *cuts = &f->model->cuts[column];
	double	   *share = f->env->alloc(f->env->context, sizeof(double) * f->model->levels[column]);

	for (uint32_t k = 0; k < cuts->n; k++)
		share[k] = f->model->share[column][cuts->code[k]];
	return share;
}

static void
cut_columns(fitting *f)
{
	pegs_copula *model = f->model;

	model->cuts = f->env->alloc(f->env->context, sizeof(pegs_cuts) * model->ncols);
	for (uint32_t i = 0; i < model->ncols; i++)
	{
		pegs_cuts  *cuts = &model->cuts[i];
		double	   *share;

		order_levels(f, i, cuts);
		cuts->cut = f->env->alloc(f->env->context, sizeof(double) * (cuts->n + 1));
		share = shares_but_null(f, i);
		cut_shares(cuts->n, share, cuts->cut);
		if (cuts->null > 0)
		{
			double		p = model->share[i][cuts->null - 1];

			cuts->null_cut = p <= 0 ? PEGS_NO_CUT : p >= 1 ? -PEGS_NO_CUT : -pegs_normal_quantile(p);
		}
		pegs_env_free(f->env, share);
	}
}

/* ---- scores ---- */

/* Of levels with these shares: each in the middle of its part of the line. */
static void
score_levels(const pegs_copula *model, uint32_t n, const double *share, int32_t *score)
{
	double		sum = 0;
	double		below = 0;

	for (uint32_t l = 0; l < n; l++)
		sum += share[l];
	for (uint32_t l = 0; sum > 0 && l < n; l++)
	{
		double		grade = (2 * below + share[l]) / sum - 1;	/* -1 to 1 */

		if (model->signs)
			score[l] = grade > 0 ? PEGS_MOST_SCORE : grade < 0 ? -PEGS_MOST_SCORE : 0;
		else
			score[l] = (int32_t) lround(PEGS_MOST_SCORE * fmax(-1, fmin(1, grade)));
		below += share[l];
	}
}

/* The scores of a normal, and their coefficients. */
static void
score_latent(const fitting *f, latent *z)
{
	const pegs_copula *model = f->model;
	const pegs_cuts *cuts = &model->cuts[z->column];
	const double *share = model->share[z->column];
	uint32_t	levels = model->levels[z->column];
	int32_t    *score = f->env->alloc(f->env->context, sizeof(int32_t) * ((size_t) levels + 1));

	z->score = f->env->alloc(f->env->context, sizeof(int32_t) * levels);
	z->hermite = f->env->alloc(f->env->context, sizeof(double) * (PEGS_HERMITE_TERMS + 1));
	if (z->of_null)
	{
		double		parts[2] = {1 - share[cuts->null - 1], share[cuts->null - 1]};

		score_levels(model, 2, parts, score);
		pegs_hermite_of_scores(2, &cuts->null_cut, score, z->hermite);
		for (uint32_t l = 0; l < levels; l++)
			z->score[l] = score[l + 1 == cuts->null];
	}
	else
	{
		double	   *parts = shares_but_null(f, z->column);

		score_levels(model, cuts->n, parts, score);
		pegs_hermite_of_scores(cuts->n, cuts->cut, score, z->hermite);
		for (uint32_t k = 0; k < cuts->n; k++)
			z->score[cuts->code[k]] = score[k];
		pegs_env_free(f->env, parts);
	}
	for (uint32_t l = 0; l < levels; l++)
		z->mean += share[l] * z->score[l];
	pegs_env_free(f->env, score);
}

/* Does a column, as far as this normal goes, have more than one value? */
static bool
is_flat(const pegs_copula *model, const latent *z)
{
	const pegs_cuts *cuts = &model->cuts[z->column];
	uint32_t	n = 0;

	if (z->of_null)
		return z->seen <= 0 || z->seen >= 1;
	for (uint32_t k = 0; k < cuts->n; k++)
		n += model->share[z->column][cuts->code[k]] > 0;
	return n < 2;
}

/* Two normals that are asked how they go together. */
static inline bool
is_asked(const latent *a, const latent *b)
{
	return a->column != b->column && !a->flat && !b->flat;
}

static void
list_latents(fitting *f)
{
	const pegs_copula *model = f->model;
	latent	   *z = f->env->alloc(f->env->context, sizeof(latent) * model->nlatents);

	f->latent = z;
	for (uint32_t i = 0; i < model->ncols; i++)
		for (int of_null = 0; of_null <= (model->cuts[i].null > 0); of_null++, z++)
		{
			double		p = model->cuts[i].null > 0 ? model->share[i][model->cuts[i].null - 1] : 0;

			z->column = i;
			z->of_null = of_null;
			z->seen = of_null ? p : 1 - p;
			z->flat = is_flat(model, z);
			if (of_null)
				z->seen = 1;	/* a NULL or none: every row says */
		}
	for (uint32_t i = 0; i < model->nlatents; i++)
		for (uint32_t j = 0; j < i; j++)
			f->nsums += is_asked(&f->latent[j], &f->latent[i]);
}

/* ---- sums ---- */

/* Of the products of two scores over all rows: at most 2^46 * 2^16. */
static int64_t
exact_sum(const fitting *f, const latent *a, const latent *b)
{
	const uint64_t *cell = f->cells + f->layout->pair_offset[(size_t) a->column * f->layout->ncols + b->column];
	uint32_t	n = f->layout->levels[a->column];
	uint32_t	m = f->layout->levels[b->column];
	int64_t		sum = 0;

	for (uint32_t i = 0; i < n; i++, cell += m)
	{
		int64_t		row = 0;

		for (uint32_t j = 0; j < m; j++)
			row += (int64_t) cell[j] * b->score[j];
		sum += row * a->score[i];
	}
	return sum;
}

double
pegs_copula_believed(double value, double variance)
{
	return value * value <= variance ? 0 : value - variance / value;
}

bool
pegs_copula_tells(const double *c, const double *d, double seen, double noise)
{
	double		most = pegs_hermite_covariance(c, d, PEGS_HERMITE_MOST) - pegs_hermite_covariance(c, d, -PEGS_HERMITE_MOST);

	return seen * most >= LEAST_RANGE * sqrt(noise);
}

/* The correlation of two normals, by a sum with noise. */
static double
estimate_correlation(const fitting *f, const latent *a, const latent *b, double sum, double variance)
{
	double		noise = variance / (f->rows * f->rows);
	double		covariance = pegs_copula_believed(sum / f->rows - a->mean * b->mean, noise);
	double		seen = a->seen * b->seen;

	if (covariance == 0 || !pegs_copula_tells(a->hermite, b->hermite, seen, noise))
		return 0;
	return pegs_hermite_solve(a->hermite, b->hermite, covariance / seen);
}

/* The same by Kendall's tau. */
static double
estimate_by_tau(const fitting *f, const latent *a, const latent *b, double sum, double variance)
{
	double		series[PEGS_HERMITE_TERMS + 1];
	double		ones[PEGS_HERMITE_TERMS + 1];
	double		rows = fmax(2, fmin((double) f->model->tau_of, f->rows));
	double		pairs = rows * (rows - 1) / 2;
	double		seen = a->seen * b->seen * a->seen * b->seen;	/* both rows show it */
	double		noise = variance / (pairs * pairs);
	double		tau = pegs_copula_believed(sum / pairs, noise);

	pegs_kendall_series(a->order, b->order, series);
	for (int t = 0; t <= PEGS_HERMITE_TERMS; t++)
		ones[t] = 1;
	if (tau == 0 || !pegs_copula_tells(series, ones, seen, noise))
		return 0;
	return pegs_hermite_solve(series, ones, tau / seen);
}

static void
fit_correlations(fitting *f)
{
	pegs_copula *model = f->model;
	uint32_t	n = model->nlatents;
	double		cost = f->nsums > 0 ? pegs_accountant_left(&model->accountant) / (double) f->nsums : 0;
	uint64_t	bound = model->tau_of > 0 ? pegs_kendall_bound(model->tau_of) : PEGS_MOST_SCORE * PEGS_MOST_SCORE;
	const uint64_t *chosen = model->tau_of > 0 && f->nsums > 0 ? pegs_kendall_rows(f->env, f->layout, f->cells, model->tau_of) : NULL;

	f->correlation = f->env->alloc(f->env->context, sizeof(double) * n * n);
	for (uint32_t b = 0; b < n; b++)
	{
		pegs_env_step(f->env, PEGS_STEP_CORRELATIONS);
		f->correlation[(size_t) b * n + b] = 1;
		for (uint32_t a = 0; a < b; a++)
		{
			const latent *za = &f->latent[a];
			const latent *zb = &f->latent[b];
			int64_t		exact;
			double		sum;
			double		variance;

			if (!is_asked(za, zb))
				continue;
			f->env->check(f->env->context);
			exact = chosen ? pegs_kendall_sum(f->env, f->layout, chosen, model->cuts, za, zb) : exact_sum(f, za, zb);
			variance = pegs_measure_sum(&model->accountant, f->rng, PEGS_FOR_SUM, cost, exact, bound, &sum);
			if (variance > 0)
				f->correlation[(size_t) a * n + b] = f->correlation[(size_t) b * n + a]
					= (chosen ? estimate_by_tau : estimate_correlation) (f, za, zb, sum, variance);
		}
	}
}

bool
pegs_copula_wants_signs(double rows, double sd)
{
	return rows * 2 / (sd * sd) < SIGNS_BELOW;
}

/* Grades or signs? By how much noise there will be, of which both have the same. */
static void
choose_scores(fitting *f)
{
	const pegs_accountant *accountant = &f->model->accountant;
	double		scale = pegs_accountant_scale(accountant);
	double		sd;

	if (f->nsums == 0)
		return;
	sd = pegs_noise_sd(accountant, pegs_accountant_left(accountant) / (double) f->nsums) / scale;
	f->model->signs = pegs_copula_wants_signs(f->rows / scale, sd);
}

/* ---- the factor ---- */

/* A column's two normals are made independent: of a level that is given the one is then drawn without the other. */
static void
part_nulls(const fitting *f)
{
	double	   *factor = f->model->factor;

	for (uint32_t b = 1; b < f->model->nlatents; b++)
	{
		const double *level = &factor[pegs_packed(b - 1, 0)];
		double	   *null = &factor[pegs_packed(b, 0)];
		double		r = 0;

		if (!f->latent[b].of_null)
			continue;
		for (uint32_t k = 0; k < b; k++)
			r += level[k] * null[k];
		for (uint32_t k = 0; k <= b; k++)
			null[k] = (null[k] - (k < b ? r * level[k] : 0)) / sqrt(1 - r * r);
	}
}

static void
make_factor(fitting *f)
{
	pegs_copula *model = f->model;
	uint32_t	n = model->nlatents;
	const pegs_setting *settings = f->layout->settings;

	if (settings && settings[PEGS_COPULA_NEAREST].number > 0)
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
	part_nulls(f);
}

/* A normal for each level. */
static void
fit_dummy(fitting *f)
{
	pegs_copula *model = f->model;

	model->dummy = f->env->alloc(f->env->context, sizeof(pegs_dummy));
	pegs_dummy_fit(f->env, f->rng, &model->accountant, f->layout, f->cells, f->layout->settings[PEGS_COPULA_NEAREST].number > 0, model->dummy,
				   &f->rows);
	model->share = model->dummy->share;
	model->nlatents = model->dummy->nlatents;
	model->rows = f->rows / pegs_accountant_scale(&model->accountant);
	model->accountant.env = NULL;	/* the model may live longer */
}

/* ---- the same for a model that is one of many ---- */

void
pegs_copula_scale(pegs_copula_fitting *f)
{
	cut_columns(f);
	list_latents(f);
}

void
pegs_copula_score(pegs_copula_fitting *f)
{
	for (uint32_t i = 0; i < f->model->nlatents; i++)
		score_latent(f, &f->latent[i]);
}

bool
pegs_copula_is_asked(const pegs_latent *a, const pegs_latent *b)
{
	return is_asked(a, b);
}

void
pegs_copula_factor(pegs_copula_fitting *f)
{
	make_factor(f);
}

/* Of the columns: sums of scores are many sooner than columns are, so what is less noise there is less noise in all. */
double
pegs_copula_noise(const pegs_env *env, const pegs_accountant *accountant, const pegs_layout *layout)
{
	return pegs_columns_noise(env, accountant, (layout->ncols == 1 ? 1 : PEGS_MARGINS_SHARE) * pegs_accountant_left(accountant), layout);
}

void
pegs_copula_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells,
				pegs_copula *model)
{
	fitting		f = {.env = env, .rng = rng, .layout = layout, .cells = cells, .model = model};
	double		margins = layout->ncols == 1 ? 1 : PEGS_MARGINS_SHARE;
	pegs_columns columns;

	memset(model, 0, sizeof(*model));
	model->accountant = *accountant;
	model->accountant.env = env;
	model->ncols = layout->ncols;
	model->levels = layout->levels;
	if (layout->settings && layout->settings[PEGS_COPULA_CODING].number > 0)
	{
		fit_dummy(&f);
		return;
	}
	model->nlatents = pegs_copula_latents(layout);
	pegs_env_step(env, PEGS_STEP_ONEWAYS);
	pegs_columns_fit(env, &model->accountant, rng, margins * pegs_accountant_left(&model->accountant), layout, cells, &columns);
	model->share = columns.share;
	f.rows = columns.rows;
	cut_columns(&f);
	list_latents(&f);
	if (pegs_is_kendall(layout))
		model->tau_of = pegs_kendall_of(layout, f.rows, pegs_accountant_scale(accountant));
	else
		choose_scores(&f);
	for (uint32_t i = 0; i < model->nlatents; i++)
	{
		env->check(env->context);
		if (model->tau_of > 0)
			f.latent[i].order = pegs_kendall_order(env, &model->cuts[f.latent[i].column], f.latent[i].of_null);
		else
			score_latent(&f, &f.latent[i]);
	}
	fit_correlations(&f);
	pegs_env_step(env, PEGS_STEP_LAST);
	make_factor(&f);
	model->rows = f.rows / pegs_accountant_scale(accountant);
	pegs_env_free(env, f.correlation);
	pegs_env_free(env, f.latent);
	model->accountant.env = NULL;	/* the model may live longer */
}

/* ---- bytes ---- */

static void
walk_cuts(pegs_cursor *c, uint32_t levels, pegs_cuts *cuts)
{
	double		before = -PEGS_NO_CUT;

	pegs_u32(c, &cuts->null);
	pegs_pad(c);
	pegs_f64(c, &cuts->null_cut);
	if (c->status != PEGS_OK)
		return;
	if (cuts->null > levels)
	{
		pegs_bad(c, PEGS_ERR_FORMAT);
		return;
	}
	cuts->n = levels - (cuts->null > 0);
	if (cuts->n == 0)
		return;
	pegs_u16s(c, &cuts->code, cuts->n);
	pegs_f64s(c, &cuts->cut, cuts->n - 1);
	for (uint32_t k = 0; c->pass == PEGS_READ && c->status == PEGS_OK && k < cuts->n; k++)
		if (cuts->code[k] >= levels)
			pegs_bad(c, PEGS_ERR_FORMAT);
	for (uint32_t l = 0; c->pass == PEGS_READ && c->status == PEGS_OK && l + 1 < cuts->n; l++)
	{
		if (!(cuts->cut[l] >= before && cuts->cut[l] <= PEGS_NO_CUT))
			pegs_bad(c, PEGS_ERR_FORMAT);
		before = cuts->cut[l];
	}
}

/* Rows of length 1. */
static void
walk_factor(pegs_cursor *c, pegs_copula *model)
{
	pegs_f64s(c, &model->factor, pegs_packed(model->nlatents, 0));
	for (uint32_t i = 0; c->pass == PEGS_READ && c->status == PEGS_OK && i < model->nlatents; i++)
	{
		double		square = 0;

		c->env->check(c->env->context);
		for (uint32_t j = 0; j <= i; j++)
			square += model->factor[pegs_packed(i, j)] * model->factor[pegs_packed(i, j)];
		if (!(fabs(square - 1) < 1e-6))
			pegs_bad(c, PEGS_ERR_FORMAT);
	}
}

/* With a normal for each level. */
static void
walk_dummy(pegs_cursor *c, pegs_copula *model)
{
	if (c->pass == PEGS_READ)
	{
		model->dummy = c->env->alloc(c->env->context, sizeof(pegs_dummy));
		model->dummy->ncols = model->ncols;
		model->dummy->levels = model->levels;
	}
	pegs_dummy_walk(c, model->dummy);
	if (c->status == PEGS_OK && (model->dummy->form != PEGS_DUMMY_COP || model->nlatents != model->dummy->nlatents))
		pegs_bad(c, PEGS_ERR_FORMAT);
	model->share = model->dummy->share;
}

void
pegs_copula_walk_columns(pegs_cursor *c, pegs_copula *model)
{
	uint32_t	nlatents = model->ncols;

	/* a column has a share and two numbers at least */
	if (!pegs_has_bytes(c, model->ncols, 24))
		return;
	if (c->pass == PEGS_READ)
	{
		model->share = c->env->alloc(c->env->context, sizeof(double *) * model->ncols);
		model->cuts = c->env->alloc(c->env->context, sizeof(pegs_cuts) * model->ncols);
	}
	for (uint32_t i = 0; i < model->ncols && c->status == PEGS_OK; i++)
	{
		if (c->pass == PEGS_READ)
			c->env->check(c->env->context);
		pegs_shares_walk(c, &model->share[i], model->levels[i], false);
		if (c->status == PEGS_OK)
			walk_cuts(c, model->levels[i], &model->cuts[i]);
		nlatents += model->cuts[i].null > 0;
	}
	if (c->status == PEGS_OK && (model->nlatents != nlatents || nlatents > PEGS_MAX_LATENTS))
		pegs_bad(c, PEGS_ERR_FORMAT);
}

void
pegs_copula_walk_factor(pegs_cursor *c, pegs_copula *model)
{
	walk_factor(c, model);
}

/*
 * the record, with the number of normals  u32 signs; 2: a normal for each level, and then what dummy.c has; 3: Kendall's tau  u32 columns of `by` (0: none,
 * else by.c has the rest)  of Kendall's tau: u64 rows that it is of  per column: f64 share[levels]  u32 code of NULL + 1  f64 cut of NULL  u16 code[levels but NULL]
 * f64 cut[levels but NULL - 1]  all: f64 factor[normals (normals + 1) / 2]
 */
void
pegs_copula_walk(pegs_cursor *c, pegs_copula *model)
{
	uint32_t	form = model->dummy ? 2 : model->tau_of > 0 ? 3 : model->signs;

	pegs_record_walk(c, &model->accountant, &model->rows, &model->nlatents, pegs_copula_purposes, PEGS_COPULA_PURPOSES);
	pegs_u32(c, &form);
	pegs_u32(c, &model->nby);
	pegs_pad(c);
	if (c->status == PEGS_OK && (form > 3 || model->nby >= model->ncols || (form > 1 && model->nby > 0)))
		pegs_bad(c, PEGS_ERR_FORMAT);
	if (c->status != PEGS_OK)
		return;
	if (form == 2)
	{
		walk_dummy(c, model);
		return;
	}
	if (form == 3)
	{
		pegs_number(c, &model->tau_of, sizeof(uint64_t));
		if (c->status == PEGS_OK && !pegs_kendall_may_be_of(model->tau_of))
			pegs_bad(c, PEGS_ERR_FORMAT);
	}
	else
		model->signs = form;
	if (model->nby > 0)
		return;
	pegs_copula_walk_columns(c, model);
	if (c->status == PEGS_OK)
		walk_factor(c, model);
}
