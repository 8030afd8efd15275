/*
 * pegs_method.c
 *	  PeGS as two methods: paid by the sample, and its l-diverse form, which
 *	  guarantees nothing. The exact counts are the model.
 */
#include "core/pegs/pegs_method.h"

#include "core/pegs/diverse.h"
#include "core/possible.h"
#include "core/wire.h"

#include <string.h>

struct pegs_draws
{
	pegs_gibbs	gibbs;
	pegs_layout layout;
	pegs_rng   *rng;
};

/* The first row, that no zero forbids. */
static bool
seed(pegs_draws *d, pegs_rng *rng)
{
	for (int tries = 0; tries < PEGS_MAX_TRIES; tries += PEGS_TRIES_AT_ONCE)
	{
		d->gibbs.env.check(d->gibbs.env.context);
		if (pegs_gibbs_seed(&d->gibbs, rng, PEGS_TRIES_AT_ONCE))
			return true;
	}
	return false;
}

static const int32_t *
nothing_given(const pegs_env *env, uint32_t ncols)
{
	int32_t    *given = env->alloc(env->context, sizeof(int32_t) * ncols);

	for (uint32_t i = 0; i < ncols; i++)
		given[i] = -1;
	return given;
}

static pegs_status
open_draws(const pegs_env *env, const pegs_wire *wire, const void *prepared, const pegs_ask *ask, pegs_draws **draws)
{
	pegs_draws *d = env->alloc(env->context, sizeof(pegs_draws));

	(void) prepared;
	*draws = d;
	d->layout = wire->layout;
	d->gibbs.layout = &d->layout;
	d->gibbs.cells = wire->cells;
	d->gibbs.alpha = ask->alpha;
	d->gibbs.block = ask->block;
	d->gibbs.given = ask->given ? ask->given : nothing_given(env, d->layout.ncols);
	d->gibbs.zeros = ask->zeros;
	pegs_gibbs_init(env, &d->gibbs);
	if (ask->l_diversity > 0)
	{
		uint64_t   *alpha;
		pegs_status status = pegs_alphas_diverse(env, &d->layout, wire->cells, ask->l_diversity, &alpha);

		if (status != PEGS_OK)
			return PEGS_ERR_ARGUMENT;
		d->gibbs.alpha_of_key = alpha;
	}
	if (ask->zeros.n > 0)
	{
		/* with an all-zero key, of which nothing is released: before the charge */
		uint8_t		key[PEGS_KEY_BYTES] = {0};
		pegs_rng	rng;

		pegs_rng_init(&rng, key, 0);
		if (!seed(d, &rng))
			return PEGS_ERR_NOTHING;
	}
	return PEGS_OK;
}

static void
start(pegs_draws *d, pegs_rng *rng)
{
	d->rng = rng;
	while (!seed(d, rng))
		;						/* some row is possible: it was found before */
}

static pegs_status
next(pegs_draws *d, uint16_t *row)
{
	d->gibbs.env.check(d->gibbs.env.context);
	pegs_gibbs_next(&d->gibbs, d->rng);
	memcpy(row, d->gibbs.row, sizeof(uint16_t) * d->layout.ncols);
	return PEGS_OK;
}

bool
pegs_is_gibbs(const pegs_method *method)
{
	return method->open == open_draws;
}

pegs_gibbs *
pegs_sealed_sampler(pegs_draws *draws)
{
	return &draws->gibbs;
}

const pegs_method pegs_method_sealed = {
	.name = "pegs",
	.mechanism = "PeGS, Block PeGS with Reset at the visit",
	.payment = PEGS_PAID_BY_SAMPLE,
	.tables = PEGS_CONDITIONAL,
	.kind = PEGS_CONDITIONAL,
	.open = open_draws,
	.start = start,
	.next = next
};

const pegs_method pegs_method_diverse = {
	.name = "pegs l-diverse",
	.mechanism = "PeGS with l-diverse perturbation",
	.payment = PEGS_NOT_PRIVATE,
	.tables = PEGS_CONDITIONAL,
	.kind = PEGS_CONDITIONAL,
	.open = open_draws,
	.start = start,
	.next = next
};
