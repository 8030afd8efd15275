/*
 * by.c
 *	  A copula in each cell of some columns: rows to a model, and that as bytes.
 *
 * First the noisy table of these columns; then, for each other column, its
 * tables of all cells, which together are one table, and for each two normals the sums of
 * all cells, of which a row moves one. What is seen in few rows is drawn towards what all
 * cells have in common. Every look is the accountant's; rows are added up and nothing else, and
 * everything after a look reads released numbers only. Claim P25.
 */
#include "core/copula/by.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/column/column.h"
#include "core/copula/correlation.h"
#include "core/copula/hermite.h"
#include "core/copula/latent.h"
#include "core/kept.h"
#include "core/shares.h"
#include "core/simplex.h"

static const double CELLS_SHARE = 0.2;	/* of the budget */
static const double SPREAD = 0.5;	/* of the correlations of cells, as far as anybody knows: one that noise alone would spread by more is none of theirs */
static const double LEAST_ROWS = 10;	/* sd of the noise of a sum: a cell of less has no correlations of its own */
#define GARROTE_LEAST 10		/* levels */

/* All cells and, behind them, what is pooled. */
typedef struct fitting
{
	const pegs_env *env;
	pegs_rng   *rng;
	const pegs_layout *layout;
	pegs_layout sub;			/* of the other columns: names and shapes alone */
	pegs_copula *model;
	pegs_by    *by;
	double		scale;			/* counted rows that make one */
	double		rows;			/* of what was counted */
	double	   *count;			/* [ncells] rows of each cell, as released */
	int64_t    *exact;			/* [ncells] private */
	int64_t   **table;			/* [nothers][ncells * levels] private */
	uint32_t	npairs;			/* of normals that are asked for in some cell */
	uint32_t   *first;			/* [npairs] */
	uint32_t   *second;			/* [npairs] */
	int64_t    *sum;			/* [npairs * ncells] private */
	pegs_copula_fitting *at;	/* [ncells + 1] of those with rows */
} fitting;

/* ---- the columns, and the others ---- */

bool
pegs_is_by(const pegs_layout *layout)
{
	return layout->settings && layout->settings[PEGS_COPULA_BY].columns != NULL;
}

static double
cells_of(const pegs_layout *layout)
{
	double		cells = 1;

	for (uint32_t i = 0; i < layout->ncols; i++)
		if (layout->settings[PEGS_COPULA_BY].columns[i])
			cells *= layout->levels[i];
	return cells;
}

pegs_refusal
pegs_by_refuse(const pegs_layout *layout)
{
	double		latents = pegs_copula_latents(layout);
	double		cells = cells_of(layout);
	double		levels = 0;
	uint32_t	others = 0;

	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		bool		by = layout->settings[PEGS_COPULA_BY].columns[i];

		others += !by;
		levels += by ? 0 : layout->levels[i];
		latents -= by ? 1 + (layout->nulls && layout->nulls[i] >= 0) : 0;
	}
	if (others == 0)
		return (pegs_refusal) {
			.why = "option \"by\" names all columns",
			.hint = "Leave one column out of \"by\" at least; or method => 'table'."
		};
	if (cells > PEGS_BY_CELLS)
		return (pegs_refusal) {
			.why = "the columns of \"by\" have more than 1,024 cells",
			.hint = "Name fewer columns in \"by\", or such of fewer levels."
		};
	if (cells * (levels + latents * (latents + 1) / 2) > (double) PEGS_BY_NUMBERS)
		return (pegs_refusal) {
			.why = "all tables and sums of the cells of \"by\" are more than 8,388,608 numbers",
			.hint = "Name fewer columns in \"by\", fit fewer columns, or take wider bins."
		};
	return PEGS_NOT_REFUSED;
}

static void
list_columns(const pegs_env *env, uint32_t ncols, const uint32_t *levels, const bool *is_by, pegs_by *by)
{
	uint32_t	n = 0;

	by->column = env->alloc(env->context, sizeof(uint32_t) * ncols);
	by->other = env->alloc(env->context, sizeof(uint32_t) * ncols);
	by->levels = env->alloc(env->context, sizeof(uint32_t) * ncols);
	by->ncells = 1;
	for (uint32_t i = 0; i < ncols; i++)
		if (is_by[i])
		{
			by->column[n++] = i;
			by->ncells *= levels[i];
		}
		else
		{
			by->other[by->nothers] = i;
			by->levels[by->nothers++] = levels[i];
		}
}

/* What is known of the other columns, by their new numbers. */
static void
make_sub(fitting *f)
{
	const pegs_env *env = f->env;
	const pegs_layout *layout = f->layout;
	uint32_t	n = f->by->nothers;
	const uint16_t **scale = env->alloc(env->context, sizeof(uint16_t *) * n);
	int32_t    *nulls = env->alloc(env->context, sizeof(int32_t) * n);

	for (uint32_t i = 0; i < n; i++)
	{
		scale[i] = layout->scale ? layout->scale[f->by->other[i]] : NULL;
		nulls[i] = layout->nulls ? layout->nulls[f->by->other[i]] : -1;
	}
	f->sub = (pegs_layout) {.tables = layout->tables, .ncols = n, .levels = f->by->levels, .scale = scale, .nulls = nulls, .settings = layout->settings};
}

/* A model of the other columns. */
static pegs_copula *
new_cell(const pegs_env *env, const pegs_copula *model, const pegs_by *by)
{
	pegs_copula *cell = env->alloc(env->context, sizeof(pegs_copula));

	cell->ncols = by->nothers;
	cell->levels = by->levels;
	cell->rows = 1;
	cell->nlatents = model->nlatents;
	return cell;
}

/* ---- rows ---- */

/* The cell of each row of a block. */
static void
find_cells(const fitting *f, uint64_t block, uint32_t *cell, uint16_t *codes)
{
	const pegs_kept *kept = f->layout->kept;
	uint32_t	n = pegs_kept_rows(kept, block);

	memset(cell, 0, sizeof(uint32_t) * n);
	for (uint32_t i = 0; i < f->model->nby; i++)
	{
		uint32_t	column = f->by->column[i];

		pegs_kept_column(kept, block, column, codes);
		for (uint32_t r = 0; r < n; r++)
			cell[r] = cell[r] * f->layout->levels[column] + codes[r];
	}
}

static void
count_rows(fitting *f)
{
	const pegs_kept *kept = f->layout->kept;
	uint32_t	cell[PEGS_CHUNK];
	uint16_t	codes[PEGS_CHUNK];

	for (uint64_t block = 0; block < pegs_kept_blocks(kept); block++)
	{
		const uint32_t *times = pegs_kept_times(kept, block);
		uint32_t	n = pegs_kept_rows(kept, block);

		f->env->check(f->env->context);
		find_cells(f, block, cell, codes);
		for (uint32_t r = 0; r < n; r++)
			f->exact[cell[r]] += times ? times[r] : 1;
		for (uint32_t i = 0; i < f->by->nothers; i++)
		{
			pegs_kept_column(kept, block, f->by->other[i], codes);
			for (uint32_t r = 0; r < n; r++)
				f->table[i][(uint64_t) cell[r] * f->by->levels[i] + codes[r]] += times ? times[r] : 1;
		}
	}
}

/* The sums over the rows of each cell of the products of two scores: at most 2^46 * 2^16. */
static void
sum_rows(fitting *f)
{
	const pegs_kept *kept = f->layout->kept;
	uint32_t	nlatents = f->model->nlatents;
	int32_t    *score = f->env->alloc(f->env->context, sizeof(int32_t) * PEGS_CHUNK * nlatents);
	uint32_t	cell[PEGS_CHUNK] = {0};
	uint16_t	codes[PEGS_CHUNK] = {0};

	for (uint64_t block = 0; block < pegs_kept_blocks(kept); block++)
	{
		const uint32_t *times = pegs_kept_times(kept, block);
		uint32_t	n = pegs_kept_rows(kept, block);

		f->env->check(f->env->context);
		find_cells(f, block, cell, codes);
		for (uint32_t z = 0; z < nlatents; z++)
		{
			const pegs_latent *pooled = &f->at[f->by->ncells].latent[z];

			if (!pooled->of_null)
				pegs_kept_column(kept, block, f->by->other[pooled->column], codes);
			/* rows of a cell that shall have none count for nothing */
			for (uint32_t r = 0; r < n; r++)
				score[z * PEGS_CHUNK + r] = f->at[cell[r]].latent ? f->at[cell[r]].latent[z].score[codes[r]] : 0;
		}
		for (uint32_t p = 0; p < f->npairs; p++)
		{
			const int32_t *a = score + f->first[p] * PEGS_CHUNK;
			const int32_t *b = score + f->second[p] * PEGS_CHUNK;
			int64_t    *sum = f->sum + (uint64_t) p * f->by->ncells;

			for (uint32_t r = 0; r < n; r++)
				sum[cell[r]] += (int64_t) (a[r] * b[r]) * (times ? times[r] : 1);
		}
	}
	pegs_env_free(f->env, score);
}

/* ---- cells ---- */

static void
look_at_cells(fitting *f, double budget)
{
	uint32_t	n = f->by->ncells;
	double	   *noisy = f->env->alloc(f->env->context, sizeof(double) * n);
	double		sum = 0;

	if (pegs_measure(&f->model->accountant, f->rng, PEGS_FOR_CELLS, budget, f->exact, noisy, n) < 0)
		for (uint32_t c = 0; c < n; c++)
			noisy[c] = f->scale / n;
	for (uint32_t c = 0; c < n; c++)
		sum += noisy[c];
	f->rows = fmax(f->scale, sum);
	pegs_project_simplex(f->env, noisy, n, f->rows);
	f->count = noisy;
	f->by->share = f->env->alloc(f->env->context, sizeof(double) * n);
	for (uint32_t c = 0; c < n; c++)
		f->by->share[c] = noisy[c] / f->rows;
}

/* ---- margins ---- */

/* y[n], of the variance, towards what is usual: by steps of neighbours, or of few levels all of it. */
static void
draw_towards(const fitting *f, double *y, uint32_t n, double variance, double rows, const double *usual)
{
	double		square = 0;
	double		keep;

	for (uint32_t l = 0; l < n; l++)
		y[l] -= rows * usual[l];
	if (n >= GARROTE_LEAST)
		pegs_haar_garrote(f->env, y, n, variance);
	else
	{
		for (uint32_t l = 0; l < n; l++)
			square += y[l] * y[l];
		keep = square > 0 ? fmax(0, 1 - fmax(1, n - 2.0) * variance / square) : 0;
		for (uint32_t l = 0; l < n; l++)
			y[l] *= keep;
	}
	for (uint32_t l = 0; l < n; l++)
		y[l] += rows * usual[l];
}

/* Of a hundredth of a row nothing may be left but rounding. */
static void
share_out(double *y, uint32_t n, const double *usual)
{
	double		sum = 0;

	for (uint32_t l = 0; l < n; l++)
		sum += y[l];
	for (uint32_t l = 0; l < n; l++)
		y[l] = sum > 0 ? y[l] / sum : usual[l];
}

/* The tables of a column: of all cells together, and of each. */
static void
estimate_column(fitting *f, uint32_t column, double *noisy, double variance)
{
	uint32_t	n = f->by->levels[column];
	uint32_t	ncells = f->by->ncells;
	uint32_t	bins = f->layout->bins ? f->layout->bins[f->by->other[column]] : 0;
	double	   *usual = f->env->alloc(f->env->context, sizeof(double) * n);
	pegs_oneway one = {.noisy = f->env->alloc(f->env->context, sizeof(double) * n), .variance = variance * ncells};

	for (uint64_t k = 0; k < (uint64_t) ncells * n; k++)
		one.noisy[k % n] += noisy[k];
	pegs_oneway_smooth(f->env, &one, n, bins, f->rows, usual);
	pegs_oneway_project(f->env, usual, n, bins, one.variance, f->rows);
	for (uint32_t l = 0; l < n; l++)
		usual[l] /= f->rows;
	f->at[ncells].model->share[column] = usual;
	for (uint32_t c = 0; c < ncells; c++)
	{
		double	   *y = noisy + (uint64_t) c * n;

		if (!(f->count[c] > 0))
			continue;
		f->env->check(f->env->context);
		draw_towards(f, y, n, variance, f->count[c], usual);
		pegs_oneway_project(f->env, y, n, bins, variance, f->count[c]);
		share_out(y, n, usual);
		f->at[c].model->share[column] = y;
	}
}

/* What could not be looked at is uniform. */
static void
fit_margins(fitting *f, double budget)
{
	uint32_t	m = f->by->nothers;
	double	   *size = f->env->alloc(f->env->context, sizeof(double) * m);
	double	   *share = f->env->alloc(f->env->context, sizeof(double) * m);

	for (uint32_t i = 0; i < m; i++)
		size[i] = f->by->levels[i];
	pegs_oneway_shares(&f->model->accountant, m, size, share);
	for (uint32_t i = 0; i < m; i++)
	{
		uint64_t	cells = (uint64_t) f->by->ncells * f->by->levels[i];
		double	   *noisy = f->env->alloc(f->env->context, sizeof(double) * cells);
		double		variance;

		f->env->check(f->env->context);
		variance = pegs_measure(&f->model->accountant, f->rng, PEGS_FOR_ONEWAY, budget * share[i], f->table[i], noisy, cells);
		for (uint64_t k = 0; variance < 0 && k < cells; k++)
			noisy[k] = f->rows / (double) cells;
		estimate_column(f, i, noisy, fmax(variance, 0));
	}
	pegs_env_free(f->env, share);
	pegs_env_free(f->env, size);
}

/* ---- correlations ---- */

/* Pairs that are asked for in some cell: all have the same noise, and cost as much. */
static void
list_pairs(fitting *f)
{
	uint32_t	n = f->model->nlatents;
	size_t		room = n > 1 ? pegs_packed(n - 1, 0) : 1;

	f->first = f->env->alloc(f->env->context, sizeof(uint32_t) * room);
	f->second = f->env->alloc(f->env->context, sizeof(uint32_t) * room);
	for (uint32_t b = 0; b < n; b++)
		for (uint32_t a = 0; a < b; a++)
		{
			bool		asked = false;

			for (uint32_t c = 0; c < f->by->ncells && !asked; c++)
				asked = f->at[c].latent && pegs_copula_is_asked(&f->at[c].latent[a], &f->at[c].latent[b]);
			if (!asked)
				continue;
			f->first[f->npairs] = a;
			f->second[f->npairs++] = b;
		}
}

static inline bool
is_asked(const fitting *f, uint32_t cell, uint32_t pair)
{
	const pegs_latent *z = f->at[cell].latent;

	return z && pegs_copula_is_asked(&z[f->first[pair]], &z[f->second[pair]]);
}

static double
covariance_of(const fitting *f, uint32_t cell, uint32_t pair, double sum)
{
	const pegs_latent *z = f->at[cell].latent;

	return sum / f->count[cell] - z[f->first[pair]].mean * z[f->second[pair]].mean;
}

/*
 * The correlation that all cells have in common: each counts by how well it is known. Their covariances at r are
 * power series, and so is their sum.
 */
static double
pool_correlation(const fitting *f, uint32_t pair, const double *noisy, double variance)
{
	double		series[PEGS_HERMITE_TERMS + 1] = {0};
	double		ones[PEGS_HERMITE_TERMS + 1];
	double		sum = 0;
	double		noise = 0;

	for (int t = 0; t <= PEGS_HERMITE_TERMS; t++)
		ones[t] = 1;
	for (uint32_t c = 0; c < f->by->ncells; c++)
	{
		const pegs_latent *a;
		const pegs_latent *b;
		double		seen;
		double		weight;

		if (!is_asked(f, c, pair))
			continue;
		a = &f->at[c].latent[f->first[pair]];
		b = &f->at[c].latent[f->second[pair]];
		seen = a->seen * b->seen;
		weight = seen * fabs(a->hermite[1] * b->hermite[1]) * f->count[c] * f->count[c] / fmax(variance, 1);
		sum += weight * covariance_of(f, c, pair, noisy[c]);
		noise += weight * weight * variance / (f->count[c] * f->count[c]);
		for (int t = 1; t <= PEGS_HERMITE_TERMS; t++)
			series[t] += weight * seen * a->hermite[t] * b->hermite[t];
	}
	return sum == 0 || !pegs_copula_tells(series, ones, 1, noise) ? 0 : pegs_hermite_solve(series, ones, pegs_copula_believed(sum, noise));
}

/* A cell's own: as far as it differs from the pooled one by more than noise would. */
static double
own_correlation(const fitting *f, uint32_t cell, uint32_t pair, double sum, double variance, double pooled)
{
	const pegs_latent *a = &f->at[cell].latent[f->first[pair]];
	const pegs_latent *b = &f->at[cell].latent[f->second[pair]];
	double		seen = a->seen * b->seen;
	double		usual = seen * pegs_hermite_covariance(a->hermite, b->hermite, pooled);
	double		noise = variance / (f->count[cell] * f->count[cell]);
	double		off = pegs_copula_believed(covariance_of(f, cell, pair, sum) - usual, noise);
	double		slope = SPREAD * seen * a->hermite[1] * b->hermite[1];

	off *= slope * slope / (slope * slope + noise);
	return off == 0 || !pegs_copula_tells(a->hermite, b->hermite, seen, noise) ? pooled : pegs_hermite_solve(a->hermite, b->hermite, (usual + off) / seen);
}

static inline void
put_correlation(pegs_copula_fitting *at, uint32_t a, uint32_t b, double r)
{
	at->correlation[(size_t) a * at->model->nlatents + b] = at->correlation[(size_t) b * at->model->nlatents + a] = r;
}

static void
fit_correlations(fitting *f)
{
	pegs_accountant *accountant = &f->model->accountant;
	double		cost = f->npairs > 0 ? pegs_accountant_left(accountant) / f->npairs : 0;
	double		sd = f->npairs > 0 ? pegs_noise_sd(accountant, cost) : 0;
	uint32_t	n = f->by->ncells;
	double	   *noisy = f->env->alloc(f->env->context, sizeof(double) * n);

	for (uint32_t c = 0; c < n && f->npairs > 0; c++)
		if (f->at[c].latent)
		{
			f->at[c].model->signs = pegs_copula_wants_signs(f->count[c] / f->scale, sd / f->scale);
			pegs_copula_score(&f->at[c]);
		}
	f->sum = f->env->alloc(f->env->context, sizeof(int64_t) * ((uint64_t) f->npairs * n + 1));
	if (f->npairs > 0)
		sum_rows(f);
	for (uint32_t p = 0; p < f->npairs; p++)
	{
		double		variance;
		double		pooled;

		f->env->check(f->env->context);
		pegs_env_step(f->env, PEGS_STEP_CORRELATIONS);
		variance = pegs_measure_sums(accountant, f->rng, PEGS_FOR_SUM, cost, f->sum + (uint64_t) p * n, PEGS_MOST_SCORE * PEGS_MOST_SCORE, noisy, n);
		if (variance < 0)
			continue;
		pooled = pool_correlation(f, p, noisy, variance);
		put_correlation(&f->at[n], f->first[p], f->second[p], pooled);
		for (uint32_t c = 0; c < n; c++)
			if (f->at[c].correlation)
				put_correlation(&f->at[c], f->first[p], f->second[p],
								is_asked(f, c, p) ? own_correlation(f, c, p, noisy[c], variance, pooled) : pooled);
	}
	pegs_env_free(f->env, noisy);
	pegs_env_free(f->env, f->sum);
}

/* ---- models ---- */

/* Cells that have rows, and what is pooled. */
static void
begin_models(fitting *f)
{
	f->at = f->env->alloc(f->env->context, sizeof(pegs_copula_fitting) * (f->by->ncells + 1));
	f->by->cell = f->env->alloc(f->env->context, sizeof(pegs_copula *) * f->by->ncells);
	for (uint32_t c = 0; c <= f->by->ncells; c++)
	{
		pegs_copula_fitting *at = &f->at[c];

		*at = (pegs_copula_fitting) {.env = f->env, .layout = &f->sub};
		if (c < f->by->ncells && !(f->count[c] > 0))
			continue;
		at->model = new_cell(f->env, f->model, f->by);
		at->model->share = f->env->alloc(f->env->context, sizeof(double *) * f->by->nothers);
		if (c < f->by->ncells)
			f->by->cell[c] = at->model;
	}
}

/* Where a cell has too few rows it has no correlations of its own. */
static void
scale_models(fitting *f)
{
	uint32_t	nlatents = f->model->nlatents;
	double		left = pegs_accountant_left(&f->model->accountant);
	double		least;

	for (uint32_t c = 0; c <= f->by->ncells; c++)
		if (f->at[c].model)
		{
			f->env->check(f->env->context);
			pegs_copula_scale(&f->at[c]);
		}
	list_pairs(f);
	least = f->npairs > 0 ? LEAST_ROWS * pegs_noise_sd(&f->model->accountant, left / f->npairs) : INFINITY;
	for (uint32_t c = 0; c <= f->by->ncells; c++)
	{
		if (!f->at[c].model || (c < f->by->ncells && f->count[c] < least))
			continue;
		f->at[c].correlation = f->env->alloc(f->env->context, sizeof(double) * nlatents * nlatents);
		for (uint32_t z = 0; z < nlatents; z++)
			f->at[c].correlation[(size_t) z * nlatents + z] = 1;
	}
}

/* Cells that have what is pooled need it once. */
static void
make_factors(fitting *f)
{
	pegs_copula_fitting *pooled = &f->at[f->by->ncells];
	size_t		bytes = sizeof(double) * f->model->nlatents * f->model->nlatents;

	for (uint32_t c = 0; c < f->by->ncells; c++)
		if (f->at[c].correlation && memcmp(f->at[c].correlation, pooled->correlation, bytes) != 0)
			pegs_copula_factor(&f->at[c]);
	pegs_copula_factor(pooled);
	f->by->pooled = *pooled->model;
	f->by->pooled.share = NULL;
	f->by->pooled.cuts = NULL;
}

/* Of all rows: of the released shares of the cells. */
static void
add_shares(const pegs_env *env, pegs_copula *model)
{
	const pegs_by *by = model->by;

	model->share = env->alloc(env->context, sizeof(double *) * model->ncols);
	for (uint32_t i = 0; i < model->ncols; i++)
		model->share[i] = env->alloc(env->context, sizeof(double) * model->levels[i]);
	for (uint32_t c = 0; c < by->ncells; c++)
	{
		uint32_t	rest = c;

		env->check(env->context);
		for (uint32_t i = model->nby; i-- > 0; rest /= model->levels[by->column[i]])
			model->share[by->column[i]][rest % model->levels[by->column[i]]] += by->share[c];
		for (uint32_t i = 0; i < by->nothers && by->cell[c]; i++)
			for (uint32_t l = 0; l < by->levels[i]; l++)
				model->share[by->other[i]][l] += by->share[c] * by->cell[c]->share[i][l];
	}
}

void
pegs_by_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, pegs_copula *model)
{
	fitting		f = {.env = env, .rng = rng, .layout = layout, .model = model};
	double		budget;

	memset(model, 0, sizeof(*model));
	model->accountant = *accountant;
	model->accountant.env = env;
	model->ncols = layout->ncols;
	model->levels = layout->levels;
	model->by = f.by = env->alloc(env->context, sizeof(pegs_by));
	f.scale = pegs_accountant_scale(accountant);
	list_columns(env, layout->ncols, layout->levels, layout->settings[PEGS_COPULA_BY].columns, f.by);
	model->nby = layout->ncols - f.by->nothers;
	make_sub(&f);
	model->nlatents = pegs_copula_latents(&f.sub);
	f.exact = env->alloc(env->context, sizeof(int64_t) * f.by->ncells);
	f.table = env->alloc(env->context, sizeof(int64_t *) * f.by->nothers);
	for (uint32_t i = 0; i < f.by->nothers; i++)
		f.table[i] = env->alloc(env->context, sizeof(int64_t) * f.by->ncells * f.by->levels[i]);
	count_rows(&f);
	pegs_env_step(env, PEGS_STEP_TABLE);
	look_at_cells(&f, CELLS_SHARE * pegs_accountant_left(&model->accountant));
	pegs_env_step(env, PEGS_STEP_ONEWAYS);
	begin_models(&f);
	budget = pegs_accountant_left(&model->accountant);
	fit_margins(&f, (f.by->nothers > 1 ? PEGS_MARGINS_SHARE : 1) * budget);
	scale_models(&f);
	pegs_env_step(env, PEGS_STEP_CORRELATIONS);
	fit_correlations(&f);
	pegs_env_step(env, PEGS_STEP_LAST);
	make_factors(&f);
	add_shares(env, model);
	model->rows = f.rows / f.scale;
	model->accountant.env = NULL;	/* the model may live longer */
}

/* ---- bytes ---- */

/* Which columns: each once, in order, and of few cells. */
static void
walk_columns(pegs_cursor *c, pegs_copula *model)
{
	pegs_by    *by = model->by;
	uint32_t   *column = by ? by->column : NULL;
	bool	   *is_by;
	uint32_t	next = 0;
	uint64_t	cells = 1;

	pegs_u32s(c, &column, model->nby);
	if (c->pass != PEGS_READ || c->status != PEGS_OK)
		return;
	is_by = c->env->alloc(c->env->context, sizeof(bool) * model->ncols);
	for (uint32_t i = 0; i < model->nby; i++)
	{
		if (column[i] < next || column[i] >= model->ncols || (cells *= model->levels[column[i]]) > PEGS_BY_CELLS)
		{
			pegs_bad(c, PEGS_ERR_FORMAT);
			return;
		}
		next = column[i] + 1;
		is_by[column[i]] = true;
	}
	model->by = c->env->alloc(c->env->context, sizeof(pegs_by));
	list_columns(c->env, model->ncols, model->levels, is_by, model->by);
}

static void
walk_cell(pegs_cursor *c, const pegs_copula *model, pegs_copula **cell)
{
	uint32_t	own;

	if (c->pass == PEGS_READ)
	{
		c->env->check(c->env->context);
		/* it has a share and two numbers of each column at least */
		if (!pegs_has_bytes(c, model->by->nothers, 24))
			return;
		*cell = new_cell(c->env, model, model->by);
	}
	own = (*cell)->factor != NULL;
	pegs_u32(c, &(*cell)->signs);
	pegs_u32(c, &own);
	if (c->status == PEGS_OK && ((*cell)->signs > 1 || own > 1))
		pegs_bad(c, PEGS_ERR_FORMAT);
	if (c->status == PEGS_OK)
		pegs_copula_walk_columns(c, *cell);
	if (c->status == PEGS_OK && own)
		pegs_copula_walk_factor(c, *cell);
}

/*
 * u32 column[columns of by]  f64 share[cells]  f64 the pooled factor[normals (normals + 1) / 2]
 * per cell with a share: u32 signs  u32 1: a factor of its own  its columns and factor as in pegs_copula_walk
 */
void
pegs_by_walk(pegs_cursor *c, pegs_copula *model)
{
	pegs_by    *by;

	walk_columns(c, model);
	by = model->by;
	if (c->status != PEGS_OK)
		return;
	pegs_shares_walk(c, &by->share, by->ncells, false);
	if (c->pass == PEGS_READ)
	{
		by->pooled = (pegs_copula) {.nlatents = model->nlatents};
		by->cell = c->env->alloc(c->env->context, sizeof(pegs_copula *) * by->ncells);
		if (c->status == PEGS_OK && (model->nlatents < by->nothers || model->nlatents > 2 * by->nothers || model->nlatents > PEGS_MAX_LATENTS))
			pegs_bad(c, PEGS_ERR_FORMAT);
	}
	if (c->status == PEGS_OK)
		pegs_copula_walk_factor(c, &by->pooled);
	for (uint32_t i = 0; i < by->ncells && c->status == PEGS_OK; i++)
		if (by->share[i] > 0)
			walk_cell(c, model, &by->cell[i]);
	if (c->pass == PEGS_READ && c->status == PEGS_OK)
		add_shares(c->env, model);
}

/* ---- words ---- */

void
pegs_by_describe(const pegs_copula *model, const pegs_writer *writer)
{
	const pegs_by *by = model->by;
	const pegs_cost_record *record = &model->accountant.record[PEGS_FOR_CELLS - 1];
	uint32_t	filled = 0;
	uint32_t	pooled = 0;
	double		sd = 0;
	char		words[200];

	for (uint32_t c = 0; c < by->ncells; c++)
	{
		filled += by->cell[c] != NULL;
		pooled += by->cell[c] != NULL && by->cell[c]->factor == NULL;
	}
	if (record->cost > 0)
		sd = pegs_noise_sd(&model->accountant, ldexp((double) record->cost, -PEGS_COST_BITS)) / pegs_accountant_scale(&model->accountant);
	writer->words(writer->to, ", \"by\": [");
	for (uint32_t i = 0; i < model->nby; i++)
	{
		writer->words(writer->to, i > 0 ? ", " : "");
		writer->column(writer->to, by->column[i]);
	}
	snprintf(words, sizeof(words), "], \"cells\": %u, \"cells_with_rows\": %u, \"cells_with_pooled_correlations\": %u, \"sigma_of_a_cell\": %.6g",
			 by->ncells, filled, pooled, sd);
	writer->words(writer->to, words);
}
