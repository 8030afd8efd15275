/*
 * marginals_exact.c
 *	  The tables of single columns as two methods whose model they are: an urn
 *	  for each, which every sample pays for, and the bootstrap of each column,
 *	  which guarantees nothing.
 *
 * Nothing that happens before a charge looks at a count. With the option
 * "prior" levels weigh what a public table says, besides. Claim P24.
 */
#include "core/method.h"

#include "core/possible.h"
#include "core/prior.h"
#include "core/urn.h"
#include "core/wire.h"

struct pegs_draws
{
	pegs_urns	urns;			/* first (urn.h): [columns] */
	pegs_env	env;
	const pegs_layout *layout;
	const uint64_t *cells;
	pegs_ask	ask;
	pegs_rng   *rng;
	bool		hopeless;		/* a row that the columns give is hardly ever possible */
};

static const pegs_option options[] = {
	{.name = "prior", .kind = PEGS_OPTION_PRIOR, .joint = false, .example = "\"public.census\""},
	{.name = NULL}
};

/* A level that is left out makes a draw no draw from its urn. */
static pegs_refusal
refuse_urns(const pegs_layout *layout)
{
	if (layout->zeros.n == 0)
		return PEGS_NOT_REFUSED;
	return (pegs_refusal) {
		.why = "urns of single columns cannot honour forbidden combinations",
		.hint = "Choose columns without them."
	};
}

static pegs_status
price(const pegs_ask *ask, uint32_t ncols, const uint32_t *levels, uint32_t rows_per_unit, int64_t epsilon, int64_t *delta,
	  uint64_t *alpha)
{
	uint64_t	columns = 0;
	uint32_t	widest = 1;

	for (uint32_t i = 0; i < ncols; i++)
		if (ask->given == NULL || ask->given[i] < 0)
		{
			columns++;
			widest = levels[i] > widest ? levels[i] : widest;
		}
	return pegs_urn_price(columns, ask->n, widest, rows_per_unit, epsilon, delta, alpha);
}

/* ---- rows ---- */

static pegs_status
open_draws(const pegs_env *env, const pegs_wire *wire, const void *prepared, const pegs_ask *ask, pegs_draws **draws)
{
	pegs_draws *d = env->alloc(env->context, sizeof(pegs_draws));
	const uint64_t *prior;
	uint64_t	cells = 0;

	(void) prepared;
	*draws = d;
	d->env = *env;
	d->layout = &wire->layout;
	d->cells = wire->cells;
	d->ask = *ask;
	d->urns = (pegs_urns) {d->layout->ncols, env->alloc(env->context, sizeof(pegs_urn) * d->layout->ncols), NULL, NULL};
	for (uint32_t i = 0; i < d->layout->ncols; i++)
		cells += d->layout->levels[i];
	prior = ask->settings ? pegs_prior_weights(env, ask->settings, ask->times, NULL, cells) : NULL;
	for (uint32_t i = 0; i < d->layout->ncols; i++)
	{
		pegs_urn_init(env, &d->urns.urn[i], d->layout->levels[i]);
		d->urns.urn[i].prior = prior;
		prior = prior ? prior + d->layout->levels[i] : NULL;
	}
	if (ask->zeros.n > 0 && ask->alpha > 0)
		return PEGS_ERR_ARGUMENT;
	if (ask->zeros.n > 0 && !pegs_some_row_is_possible(env, d->layout->ncols, d->layout->levels, &ask->zeros, ask->given))
		return PEGS_ERR_NOTHING;
	return PEGS_OK;
}

static pegs_status
open_bootstrap(const pegs_env *env, const pegs_wire *wire, const void *prepared, const pegs_ask *ask, pegs_draws **draws)
{
	pegs_ask	exact = *ask;

	exact.alpha = 0;
	exact.settings = NULL;
	return open_draws(env, wire, prepared, &exact, draws);
}

/* Of an empty table each level is as likely. */
static void
start(pegs_draws *d, pegs_rng *rng)
{
	d->rng = rng;
	d->hopeless = false;
	for (uint32_t i = 0; i < d->layout->ncols; i++)
	{
		const uint64_t *count = d->cells + d->layout->offset[i];

		d->env.check(d->env.context);
		pegs_urn_fill(&d->env, &d->urns.urn[i], count, d->ask.alpha, NULL);
		if (d->urns.urn[i].total == 0)
			pegs_urn_fill(&d->env, &d->urns.urn[i], count, 1, NULL);
	}
}

static void
draw_row(pegs_draws *d, uint16_t *row)
{
	for (uint32_t i = 0; i < d->layout->ncols; i++)
	{
		if (d->ask.given && d->ask.given[i] >= 0)
		{
			row[i] = (uint16_t) d->ask.given[i];
			continue;
		}
		row[i] = (uint16_t) pegs_urn_draw(&d->urns.urn[i], d->rng);
		if (d->ask.alpha > 0)
			pegs_urn_put_back(&d->urns.urn[i], row[i]);
	}
}

/* A forbidden row is drawn again: of a bootstrap alone, whose draws are not put back. */
static pegs_status
next(pegs_draws *d, uint16_t *row)
{
	d->env.check(d->env.context);
	for (int tries = 0; !d->hopeless && tries < PEGS_MAX_TRIES; tries++)
	{
		if (tries % PEGS_TRIES_AT_ONCE == PEGS_TRIES_AT_ONCE - 1)
			d->env.check(d->env.context);
		draw_row(d, row);
		if (!pegs_is_zero(&d->ask.zeros, row))
			return PEGS_OK;
	}
	d->hopeless = true;
	return pegs_uniform_row(&d->env, d->layout->ncols, d->layout->levels, &d->ask.zeros, d->ask.given, d->rng, row) ? PEGS_OK : PEGS_ERR_NOTHING;
}

const pegs_method pegs_method_marginals_sealed = {
	.name = "marginals sealed",
	.family = "marginals",
	.mechanism = "an urn over the table of each column: each draw is put back double",
	.title = "single columns",
	.payment = PEGS_PAID_BY_SAMPLE,
	.tables = PEGS_CONDITIONAL,
	.parents = PEGS_NO_PARENTS,
	.kind = PEGS_CONDITIONAL,
	.urns = true,
	.options = options,
	.refuse = refuse_urns,
	.price = price,
	.open = open_draws,
	.start = start,
	.next = next
};

const pegs_method pegs_method_marginals_published = {
	.name = "marginals published",
	.family = "marginals",
	.mechanism = "bootstrap of each column by itself",
	.title = "single columns",
	.payment = PEGS_NOT_PRIVATE,
	.no_guarantee = "its values are those of the rows, column by column, drawn again",
	.tables = PEGS_CONDITIONAL,
	.parents = PEGS_NO_PARENTS,
	.kind = PEGS_CONDITIONAL,
	.independent = true,
	.open = open_bootstrap,
	.start = start,
	.next = next
};
