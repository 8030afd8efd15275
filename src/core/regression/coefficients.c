/*
 * coefficients.c
 *	  A regression for each column on its parents, as bytes and as weights.
 *
 * Doubles say how 2^bits is shared out, and nothing else: that the parts are
 * not negative and add up is seen to by integers, so the guarantee does not
 * depend on any arithmetic of doubles, nor on what the coefficients are.
 * Claim P26, docs/privacy.md.
 */
#include "core/regression/coefficients.h"

#include <math.h>

#include "core/regression/multinomial.h"

void
pegs_coefficients_place(const pegs_env *env, pegs_coefficients *model)
{
	model->start = env->alloc(env->context, sizeof(uint64_t) * ((size_t) model->ncols + 1));
	model->first = env->alloc(env->context, sizeof(uint64_t) * ((size_t) model->parent_start[model->ncols] + 1));
	for (uint32_t i = 0; i < model->ncols; i++)
	{
		uint64_t	feature = 1;

		for (uint32_t p = model->parent_start[i]; p < model->parent_start[i + 1]; p++)
		{
			model->first[p] = feature;
			feature += model->levels[model->parents[p]];
		}
		/* fewer than 2^11 columns of 2^16 levels: below 2^54 */
		model->start[i + 1] = model->start[i] + feature * model->levels[i];
	}
}

/* ---- bytes ---- */

/* Other columns, each once. */
static bool
are_parents(const pegs_env *env, const pegs_coefficients *model)
{
	for (uint32_t i = 0; i < model->ncols; i++)
	{
		env->check(env->context);
		for (uint32_t p = model->parent_start[i]; p < model->parent_start[i + 1]; p++)
		{
			if (model->parents[p] >= model->ncols || model->parents[p] == i)
				return false;
			for (uint32_t q = model->parent_start[i]; q < p; q++)
				if (model->parents[q] == model->parents[p])
					return false;
		}
	}
	return true;
}

/* u32 parent_start[columns + 1]  u16 parents[]  f64 coef[] */
void
pegs_coefficients_walk(pegs_cursor *c, pegs_coefficients *model)
{
	pegs_u32s(c, &model->parent_start, (uint64_t) model->ncols + 1);
	if (c->status != PEGS_OK)
		return;
	if (c->pass == PEGS_READ
		&& (model->parent_start[0] != 0 || model->parent_start[model->ncols] > model->ncols * (model->ncols - 1)))
	{
		pegs_bad(c, PEGS_ERR_FORMAT);
		return;
	}
	for (uint32_t i = 0; c->pass == PEGS_READ && i < model->ncols; i++)
		if (model->parent_start[i] > model->parent_start[i + 1])
		{
			pegs_bad(c, PEGS_ERR_FORMAT);
			return;
		}
	pegs_u16s(c, &model->parents, model->parent_start[model->ncols]);
	if (c->status != PEGS_OK)
		return;
	if (c->pass == PEGS_READ)
	{
		if (!are_parents(c->env, model))
		{
			pegs_bad(c, PEGS_ERR_FORMAT);
			return;
		}
		pegs_coefficients_place(c->env, model);
	}
	pegs_f64s(c, &model->coef, model->start[model->ncols]);
	for (uint64_t i = 0; c->pass == PEGS_READ && c->status == PEGS_OK && i < model->start[model->ncols]; i++)
	{
		if (i % PEGS_WIRE_STEP == PEGS_WIRE_STEP - 1)
			c->env->check(c->env->context);
		if (!isfinite(model->coef[i]))
			pegs_bad(c, PEGS_ERR_FORMAT);
	}
}

/* ---- weights ---- */

/* All bits, if it is so: a choice by these takes as long either way. */
static inline uint64_t
mask_if(bool so)
{
	return -(uint64_t) so;
}

/*
 * 2^bits among the levels, as the shares say, which are from 0 to 1; no shares:
 * the same for all, but for what is left over. By no branch on a share, and no place that depends on one: the time
 * of a sample tells nothing of the coefficients.
 */
static void
share_out(uint32_t levels, const double *share, int bits, uint64_t *part)
{
	uint64_t	whole = UINT64_C(1) << bits;
	double		unit = (double) whole;
	uint64_t	left = whole;
	uint64_t	most = 0;
	uint64_t	largest = 0;

	for (uint32_t j = 0; j < levels; j++)
	{
		uint64_t	wanted = share ? (uint64_t) (int64_t) (share[j] * unit) : whole / levels;
		uint64_t	too_much = mask_if(wanted > left);
		uint64_t	more;

		part[j] = (left & too_much) | (wanted & ~too_much);
		left -= part[j];
		more = mask_if(part[j] > most);
		most = (part[j] & more) | (most & ~more);
		largest = (j & more) | (largest & ~more);
	}
	for (uint32_t j = 0; j < levels; j++)
		part[j] += left & mask_if(j == largest);
}

void
pegs_coefficients_weights(const pegs_coefficients *model, uint32_t column, const uint16_t *row, int bits, uint64_t least, uint16_t *x,
						  double *scratch, uint64_t *weight)
{
	uint32_t	begin = model->parent_start[column];
	uint32_t	nparents = model->parent_start[column + 1] - begin;
	uint32_t	levels = model->levels[column];
	bool		known;

	for (uint32_t p = 0; p < nparents; p++)
		x[p] = row[model->parents[begin + p]];
	known = pegs_multinomial_shares(levels, nparents, model->first + begin, x, model->coef + model->start[column], scratch);
	share_out(levels, known ? scratch : NULL, bits, weight);
	for (uint32_t j = 0; j < levels; j++)
		weight[j] += least;
}
