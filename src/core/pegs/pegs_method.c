/*
 * pegs_method.c
 *	  PeGS as two methods: paid by the sample, and its l-diverse form, which
 *	  guarantees nothing. The exact counts are the model.
 */
#include "core/pegs/pegs_method.h"

#include "core/pegs/diverse.h"
#include "core/epsilon.h"
#include "core/possible.h"
#include "core/urn.h"
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

/* Blocks times free columns: how often a visit to a cell is paid for. 0: more than can be counted. */
static uint64_t
visits_of(uint64_t n, uint64_t block, uint64_t columns)
{
	uint64_t	blocks = (n - 1) / block + 1;

	return columns > UINT64_MAX / blocks ? 0 : blocks * columns;
}

/* Of so many rows, of so many sweeps each: 0, where they are more than can be counted. */
static uint64_t
draws_of(const pegs_ask *ask)
{
	return ask->n > UINT64_MAX / ask->sweeps ? 0 : ask->n * ask->sweeps;
}

/*
 * Claims P1 and P17: the smaller alpha of the two, which both are functions of
 * public facts. A person of several rows costs several times a row; with delta
 * it costs as if there were rows^2 visits.
 */
static pegs_status
price(const pegs_ask *ask, uint32_t ncols, const uint32_t *levels, uint32_t rows_per_unit, int64_t epsilon, int64_t *delta,
	  uint64_t *alpha)
{
	uint64_t	columns = 0;
	uint64_t	visits;
	uint64_t	ranged;
	uint32_t	widest = 1;
	pegs_status pure = PEGS_ERR_RANGE;

	for (uint32_t i = 0; i < ncols; i++)
		if (ask->given == NULL || ask->given[i] < 0)
		{
			columns++;
			widest = levels[i] > widest ? levels[i] : widest;
		}
	if (ask->sweeps > 0)
		return pegs_urn_price(columns, draws_of(ask), widest, rows_per_unit, epsilon, delta, alpha);
	visits = visits_of(ask->n, ask->block, columns * rows_per_unit);
	if (visits > 0)
		pure = pegs_alpha(epsilon, visits, widest, alpha);
	visits = visits_of(ask->n, ask->block, columns);
	if (*delta == 0 || visits == 0
		|| pegs_alpha_of_rho(pegs_rho(epsilon, *delta), visits, rows_per_unit, widest, &ranged) != PEGS_OK
		|| (pure == PEGS_OK && *alpha <= ranged))
	{
		*delta = 0;
		return pure;
	}
	*alpha = ranged;
	return PEGS_OK;
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
	d->gibbs.sweeps = ask->sweeps;
	d->gibbs.given = ask->given ? ask->given : nothing_given(env, d->layout.ncols);
	d->gibbs.zeros = ask->zeros;
	pegs_gibbs_init(env, &d->gibbs);
	d->gibbs.alpha_of_key = NULL;
	if (ask->sweeps > 0 && (ask->zeros.n > 0 || ask->l_diversity > 0 || ask->block != 1))
		return PEGS_ERR_ARGUMENT;	/* a level left out of an urn is no draw from it; blocks are reset, urns are not */
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
	pegs_gibbs_fill_urns(&d->gibbs);
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
	.title = "column by column",
	.payment = PEGS_PAID_BY_SAMPLE,
	.tables = PEGS_CONDITIONAL,
	.kind = PEGS_CONDITIONAL,
	.price = price,
	.open = open_draws,
	.start = start,
	.next = next
};

const pegs_method pegs_method_diverse = {
	.name = "pegs l-diverse",
	.mechanism = "PeGS with l-diverse perturbation",
	.title = "column by column",
	.payment = PEGS_NOT_PRIVATE,
	.no_guarantee = "l-diversity is not differential privacy",
	.tables = PEGS_CONDITIONAL,
	.kind = PEGS_CONDITIONAL,
	.open = open_draws,
	.start = start,
	.next = next
};
