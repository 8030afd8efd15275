/*
 * others.c
 *	  A column on all other columns, from rows that are kept.
 *
 * What the bound of a regression needs are all 1- and 2-way tables, which are
 * counted once and are the same for all columns and every lambda. The rows are
 * gone over for the gradient alone, a public number of times.
 *
 * Exact counts and rows: what it finds is as secret as they are. No guarantee
 * stands on it (claim P26, docs/privacy.md).
 */
#include "core/regression/others.h"

#include "core/regression/folds.h"
#include "core/rng.h"

/* ---- all others ---- */

void
pegs_others_parents(const pegs_env *env, uint32_t ncols, uint32_t **parent_start, uint16_t **parents)
{
	uint32_t	n = 0;

	*parent_start = env->alloc(env->context, sizeof(uint32_t) * (ncols + 1));
	*parents = env->alloc(env->context, sizeof(uint16_t) * ((size_t) ncols * (ncols - 1) + 1));
	for (uint32_t i = 0; i < ncols; i++)
	{
		for (uint32_t j = 0; j < ncols; j++)
			if (j != i)
				(*parents)[n++] = (uint16_t) j;
		(*parent_start)[i + 1] = n;
	}
}

double
pegs_others_coefficients(uint32_t ncols, const uint32_t *levels)
{
	double		all = 0;
	double		coefficients = 0;

	for (uint32_t i = 0; i < ncols; i++)
		all += levels[i];
	for (uint32_t i = 0; i < ncols; i++)
		coefficients += (double) levels[i] * (1 + all - levels[i]);
	return coefficients;
}

void
pegs_others_of(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, pegs_others *others)
{
	*others = (pegs_others) {.layout = layout, .kept = layout->kept};
	for (uint32_t j = 0; j < layout->levels[0]; j++)
		others->rows += (double) cells[layout->offset[0] + j];
	others->share = env->alloc(env->context, sizeof(double) * layout->ncells);
	for (uint64_t i = 0; others->rows > 0 && i < layout->ncells; i++)
	{
		if (i % PEGS_CHUNK == 0)
			env->check(env->context);
		others->share[i] = (double) cells[i] / others->rows;
	}
}

/* Which columns its parents are, and where their features lie. */
static void
place(const pegs_env *env, const pegs_layout *layout, uint32_t column, pegs_multinomial *data)
{
	*data = (pegs_multinomial) {.levels = layout->levels[column], .nparents = layout->ncols - 1};
	data->width = env->alloc(env->context, sizeof(uint32_t) * (data->nparents + 1));
	data->first = env->alloc(env->context, sizeof(uint64_t) * (data->nparents + 1));
	data->column = env->alloc(env->context, sizeof(uint16_t) * (data->nparents + 1));
	data->first[0] = 1;
	for (uint32_t p = 0; p < data->nparents; p++)
	{
		data->column[p] = (uint16_t) (p < column ? p : p + 1);
		data->width[p] = layout->levels[data->column[p]];
		data->first[p + 1] = data->first[p] + data->width[p];
	}
	data->nfeatures = data->first[data->nparents];
}

/* Rows with both a level of a parent and one of the column: their table lies with the lower number first. */
static void
copy_responses(const pegs_others *others, uint32_t column, pegs_multinomial *data)
{
	const pegs_layout *layout = others->layout;

	for (uint32_t j = 0; j < data->levels; j++)
		data->xy[j] = others->share[layout->offset[column] + j];
	for (uint32_t p = 0; p < data->nparents; p++)
	{
		uint32_t	other = data->column[p];
		bool		before = other < column;
		const double *table = others->share + layout->pair_offset[before ? other * layout->ncols + column : column * layout->ncols + other];

		for (uint32_t x = 0; x < data->width[p]; x++)
			for (uint32_t j = 0; j < data->levels; j++)
				data->xy[(data->first[p] + x) * data->levels + j] = before ? table[(size_t) x * data->levels + j] : table[(size_t) j * data->width[p] + x];
	}
}

void
pegs_others_column(const pegs_env *env, const pegs_others *others, uint32_t column, uint32_t passes, pegs_multinomial *data)
{
	const pegs_layout *layout = others->layout;

	place(env, layout, column, data);
	data->kept = others->kept;
	data->rows = others->rows;
	data->passes = passes;
	data->n = others->rows > 0 && others->kept ? pegs_kept_blocks(others->kept) : 0;
	data->xy = env->alloc(env->context, sizeof(double) * data->nfeatures * data->levels);
	data->mass = env->alloc(env->context, sizeof(double) * data->nfeatures);
	data->both = env->alloc(env->context, sizeof(double *) * ((size_t) data->nparents * data->nparents + 1));
	data->mass[0] = 1;
	copy_responses(others, column, data);
	for (uint32_t p = 0; p < data->nparents; p++)
	{
		for (uint32_t x = 0; x < data->width[p]; x++)
			data->mass[data->first[p] + x] = others->share[layout->offset[data->column[p]] + x];
		for (uint32_t q = p + 1; q < data->nparents; q++)
			data->both[p * data->nparents + q] = others->share + layout->pair_offset[(size_t) data->column[p] * layout->ncols + data->column[q]];
	}
	env->check(env->context);
}

/* ---- folds ---- */

struct pegs_fold_rows
{
	uint32_t	folds;
	uint32_t	n;
	uint16_t   *row;			/* [n][ncols] */
	uint8_t    *fold;			/* [n] */
};

/* Every so many rows one, from all of the table; of persons' rows each as often as it counts. The key is all zeros. */
pegs_fold_rows *
pegs_fold_rows_of(const pegs_env *env, const pegs_others *others, uint32_t folds)
{
	pegs_fold_rows *sample = env->alloc(env->context, sizeof(pegs_fold_rows));
	uint32_t	ncols = others->layout->ncols;
	uint64_t	blocks = others->kept ? pegs_kept_blocks(others->kept) : 0;
	uint64_t	each = (uint64_t) others->rows / PEGS_FOLD_ROWS + 1;
	uint64_t	before = 0;
	uint16_t   *codes = env->alloc(env->context, sizeof(uint16_t) * PEGS_CHUNK * ncols);
	uint8_t		key[PEGS_KEY_BYTES] = {0};
	pegs_rng	rng;

	pegs_rng_init(&rng, key, 0);
	sample->folds = folds;
	sample->row = env->alloc(env->context, sizeof(uint16_t) * PEGS_FOLD_ROWS * ncols);
	sample->fold = env->alloc(env->context, PEGS_FOLD_ROWS);
	for (uint64_t b = 0; b < blocks; b++)
	{
		const uint32_t *times = pegs_kept_times(others->kept, b);

		env->check(env->context);
		for (uint32_t i = 0; i < ncols; i++)
			pegs_kept_column(others->kept, b, i, codes + (size_t) i * PEGS_CHUNK);
		for (uint32_t r = 0; r < pegs_kept_rows(others->kept, b); r++)
		{
			uint64_t	after = before + (times ? times[r] : 1);

			for (uint64_t k = before / each; k < after / each && sample->n < PEGS_FOLD_ROWS; k++, sample->n++)
			{
				sample->fold[sample->n] = (uint8_t) pegs_rng_below(&rng, folds);
				for (uint32_t i = 0; i < ncols; i++)
					sample->row[(size_t) sample->n * ncols + i] = codes[(size_t) i * PEGS_CHUNK + r];
			}
			before = after;
		}
	}
	pegs_env_free(env, codes);
	return sample;
}

/* All folds but one, as pegs_multinomial_of has combinations: each row is one. */
static void
without_fold(const pegs_env *env, const pegs_others *others, const pegs_fold_rows *sample, uint32_t column, uint32_t fold, pegs_multinomial *data)
{
	uint32_t	ncols = others->layout->ncols;
	double		rows = 0;

	place(env, others->layout, column, data);
	pegs_multinomial_tables(env, data);
	data->x = env->alloc(env->context, sizeof(uint16_t) * ((size_t) sample->n + 1) * (data->nparents + 1));
	data->share = env->alloc(env->context, sizeof(double) * (sample->n + 1));
	for (uint32_t r = 0; r < sample->n; r++)
		rows += sample->fold[r] != fold;
	for (uint32_t r = 0; r < sample->n; r++)
	{
		const uint16_t *row = sample->row + (size_t) r * ncols;
		uint16_t   *x = data->x + data->n * data->nparents;

		if (sample->fold[r] == fold)
			continue;
		if (r % PEGS_CHUNK == 0)
			env->check(env->context);
		for (uint32_t p = 0; p < data->nparents; p++)
			x[p] = row[data->column[p]];
		data->share[data->n++] = 1 / rows;
		pegs_multinomial_add(data, x, 1 / rows);
		data->xy[row[column]] += 1 / rows;
		for (uint32_t p = 0; p < data->nparents; p++)
			data->xy[(data->first[p] + x[p]) * data->levels + row[column]] += 1 / rows;
	}
}

/* Of the fold that was left out: the sum of -ln(share of the row's level). */
static double
loss_of_fold(const pegs_env *env, const pegs_others *others, const pegs_fold_rows *sample, uint32_t column, uint32_t fold,
			 const pegs_multinomial *data, const double *coef)
{
	uint32_t	ncols = others->layout->ncols;
	double	   *share = env->alloc(env->context, sizeof(double) * data->levels);
	uint16_t   *x = env->alloc(env->context, sizeof(uint16_t) * (data->nparents + 1));
	double		loss = 0;

	for (uint32_t r = 0; r < sample->n; r++)
	{
		const uint16_t *row = sample->row + (size_t) r * ncols;

		if (sample->fold[r] != fold)
			continue;
		for (uint32_t p = 0; p < data->nparents; p++)
			x[p] = row[data->column[p]];
		loss += pegs_multinomial_loss_of_row(data, x, row[column], coef, share);
	}
	pegs_env_free(env, x);
	pegs_env_free(env, share);
	return loss;
}

double
pegs_lambda_of_others(const pegs_env *env, const pegs_others *others, const pegs_fold_rows *sample, uint32_t column, uint32_t passes,
					  double l1_ratio)
{
	double		loss[PEGS_LAMBDAS] = {0};
	size_t		best = 0;

	for (uint32_t fold = 0; fold < sample->folds; fold++)
	{
		pegs_multinomial data;
		double	   *coef;

		without_fold(env, others, sample, column, fold, &data);
		data.passes = passes;
		coef = env->alloc(env->context, sizeof(double) * data.nfeatures * data.levels);
		/* each begins where the one before it ended */
		for (size_t i = 0; i < PEGS_LAMBDAS; i++)
		{
			pegs_multinomial_fit(env, &data, pegs_lambda[i], l1_ratio, coef);
			loss[i] += loss_of_fold(env, others, sample, column, fold, &data, coef);
		}
		pegs_env_free(env, coef);
		pegs_multinomial_free(env, &data);
	}
	for (size_t i = 1; i < PEGS_LAMBDAS; i++)
		if (loss[i] < loss[best])
			best = i;
	return pegs_lambda[best];
}
