/*
 * ratio.c
 *	  Likelihood ratios of outputs that are enumerated, as whole numbers.
 *
 * Claims P1, P2, P18, P24, docs/privacy.md.
 */
#include "core/ratio.h"

#include <math.h>

/* ---- whole numbers of any length that is needed here ---- */

#define LIMBS (3 * PEGS_VERIFY_VISITS + 4)

typedef struct natural
{
	uint32_t	n;
	uint64_t	limb[LIMBS];
} natural;

static void
times(natural *x, uint64_t factor)
{
	uint64_t	carry = 0;

	for (uint32_t i = 0; i < x->n; i++)
	{
		pegs_u128	product = (pegs_u128) x->limb[i] * factor + carry;

		x->limb[i] = (uint64_t) product;
		carry = (uint64_t) (product >> 64);
	}
	if (carry > 0)
		x->limb[x->n++] = carry;
}

static bool
at_most(const natural *a, const natural *b)
{
	if (a->n != b->n)
		return a->n < b->n;
	for (uint32_t i = a->n; i-- > 0;)
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i];
	return true;
}

/* ---- ratios ---- */

/* Is the ratio of this output, in either direction, at most the bound? In whole numbers. */
static bool
within_bound(const pegs_verdict *v, const pegs_odds *draw, uint32_t n)
{
	natural		left[2] = {{1, {1}}, {1, {1}}};	/* P_a over P_b, then P_b over P_a: left <= right */
	natural		right[2] = {{1, {1}}, {1, {1}}};

	for (uint32_t i = 0; i < n; i++)
	{
		times(&left[0], draw[i].wa);
		times(&left[0], draw[i].tb);
		times(&right[0], draw[i].wb);
		times(&right[0], draw[i].ta);
	}
	left[1] = right[0];
	right[1] = left[0];
	for (int direction = 0; direction < 2; direction++)
	{
		for (uint32_t i = 0; i < v->power; i++)
		{
			times(&left[direction], v->below);
			times(&right[direction], v->above);
		}
		if (!at_most(&left[direction], &right[direction]))
			return false;
	}
	return true;
}

void
pegs_verdict_begin(pegs_verdict *verdict, uint64_t above, uint64_t below, uint32_t power)
{
	*verdict = (pegs_verdict) {.bound = power * log1p((double) (above - below) / (double) below), .holds = true,
		.above = above, .below = below, .power = power};
}

double
pegs_log_odds(const pegs_odds *o)
{
	return log((double) o->wa / (double) o->wb) - log((double) o->ta / (double) o->tb);
}

void
pegs_verdict_add(const pegs_env *env, pegs_verdict *v, const pegs_odds *draw, uint32_t n, double log_ratio)
{
	if (++v->paths % 4096 == 0)
		env->check(env->context);
	if (fabs(log_ratio) > v->worst)
		v->worst = fabs(log_ratio);
	/* doubles err by far less than this */
	if (fabs(log_ratio) > v->bound - 1e-9 && !within_bound(v, draw, n))
		v->holds = false;
}
