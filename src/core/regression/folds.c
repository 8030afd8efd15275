/*
 * folds.c
 *	  Which lambda: that of the regressions which say best what they were not fitted to.
 *
 * Exact counts decide it. It is part of a sealed model, of which claim P26
 * holds whatever it is.
 */
#include "core/regression/folds.h"

#include <string.h>

#include "core/regression/multinomial.h"
#include "core/rng.h"

const double pegs_lambda[PEGS_LAMBDAS] = {3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5};

typedef struct halves
{
	uint64_t	ncells;
	uint64_t	rows;
	uint32_t	folds;
	uint64_t   *fitted;			/* [ncells] rows of all folds but one ... */
	uint64_t   *left_out;		/* [ncells] ... and of that one */
} halves;

/*
 * Rows in the order of the cells, at equal distances where there are too many,
 * each in a fold that is drawn: a fold that had its part of every cell would
 * look too much like the others. The key is all zeros, so a row is in one fold.
 */
static void
part(const pegs_env *env, const uint64_t *cells, uint32_t fold, halves *h)
{
	uint8_t		key[PEGS_KEY_BYTES] = {0};
	uint64_t	each = h->rows / PEGS_FOLD_ROWS + 1;
	uint64_t	before = 0;
	pegs_rng	rng;

	pegs_rng_init(&rng, key, 0);
	memset(h->fitted, 0, sizeof(uint64_t) * h->ncells);
	memset(h->left_out, 0, sizeof(uint64_t) * h->ncells);
	for (uint64_t i = 0; i < h->ncells; i++)
	{
		if (i % PEGS_CHUNK == 0)
			env->check(env->context);
		for (uint64_t r = before / each; r < (before + cells[i]) / each; r++)
			(pegs_rng_below(&rng, h->folds) == fold ? h->left_out : h->fitted)[i]++;
		before += cells[i];
	}
}

double
pegs_lambda_by_folds(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, uint32_t column, uint32_t folds, double l1_ratio)
{
	halves		h = {.ncells = layout->keys[column] * layout->levels[column], .folds = folds};
	double		loss[PEGS_LAMBDAS] = {0};
	size_t		best = 0;

	for (uint64_t i = 0; i < h.ncells; i++)
		h.rows += cells[i];
	h.fitted = env->alloc(env->context, sizeof(uint64_t) * h.ncells);
	h.left_out = env->alloc(env->context, sizeof(uint64_t) * h.ncells);
	for (uint32_t fold = 0; fold < folds; fold++)
	{
		pegs_multinomial data;
		double	   *coef;

		part(env, cells, fold, &h);
		pegs_multinomial_of(env, layout, h.fitted, column, &data);
		coef = env->alloc(env->context, sizeof(double) * data.nfeatures * data.levels);
		/* each begins where the one before it ended */
		for (size_t i = 0; i < PEGS_LAMBDAS; i++)
		{
			pegs_multinomial_fit(env, &data, pegs_lambda[i], l1_ratio, coef);
			loss[i] += pegs_multinomial_loss(env, layout, h.left_out, column, coef);
		}
		pegs_env_free(env, coef);
		pegs_multinomial_free(env, &data);
	}
	pegs_env_free(env, h.left_out);
	pegs_env_free(env, h.fitted);
	for (size_t i = 1; i < PEGS_LAMBDAS; i++)
		if (loss[i] < loss[best])
			best = i;
	return pegs_lambda[best];
}
