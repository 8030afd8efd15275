/*
 * table_exact.c
 *	  The table of all columns as two methods whose model it is: an urn, which
 *	  every sample pays for, and the bootstrap of its rows, which guarantees
 *	  nothing.
 *
 * Which cells there are is public: those that have what is given, and that no
 * structural zero forbids. `open` looks at no count of a model that is paid for
 * by the sample. With the option "within" there is an urn for each combination
 * of some columns, and the rows come from one after the other. With "prior" cells
 * weigh what a public table says, besides. Claim P24.
 */
#include "core/method.h"

#include "core/possible.h"
#include "core/prior.h"
#include "core/table/within.h"
#include "core/urn.h"
#include "core/wire.h"

#define ROWS_AT_ONCE 1024		/* between two questions whether to stop */
#define CELLS_AT_ONCE 65536		/* likewise */

struct pegs_draws
{
	pegs_urns	urns;			/* first (urn.h): the one below */
	pegs_env	env;
	const pegs_layout *layout;
	const uint64_t *cells;
	pegs_ask	ask;
	pegs_rng   *rng;
	pegs_urn   *urn;			/* [urns] */
	bool	   *is_cell;		/* [cells] those that may be drawn; NULL: all */
	bool		puts_back;
	uint64_t	drawn;

	/* where there are several urns; else NULL */
	const uint32_t *start;		/* [urns + 1] */
	uint32_t   *cell;			/* [cells that may be drawn] urn by urn */
	uint64_t   *count;			/* of each of those */
};

enum
{
	WITHIN, PRIOR
};

static const pegs_option options[] = {
	[WITHIN] = {.name = "within", .kind = PEGS_OPTION_COLUMNS, .example = "[\"sex\"]"},
	[PRIOR] = {.name = "prior", .kind = PEGS_OPTION_PRIOR, .joint = true, .example = "\"public.census\""},
	{.name = NULL}
};

static const bool *
within_of(const pegs_setting *settings)
{
	return settings ? settings[WITHIN].columns : NULL;
}

/* Draws are paid for by how many there are from one urn: so it must be known what combinations have cells. */
static pegs_refusal
refuse(const pegs_layout *layout)
{
	const bool *within = within_of(layout->settings);

	if (within == NULL)
		return PEGS_NOT_REFUSED;
	if (layout->zeros.n > 0)
		return (pegs_refusal) {
			.why = "option \"within\" does not go with forbidden combinations",
			.hint = "Leave out \"within\", or fit columns of which no combination is forbidden."
		};
	return pegs_refuse_within(layout->ncols, within);
}

/* Those of the columns that are not given. */
static uint32_t
cells_of(const pegs_ask *ask, uint32_t ncols, const uint32_t *levels)
{
	uint32_t	cells = 1;

	for (uint32_t i = 0; i < ncols; i++)
		if (ask->given == NULL || ask->given[i] < 0)
			cells *= levels[i];
	return cells;
}

static uint32_t
combinations(const pegs_ask *ask, uint32_t ncols, const uint32_t *levels)
{
	const bool *within = within_of(ask->settings);

	return within ? pegs_combinations(ncols, levels, within, ask->given) : 0;
}

static pegs_status
price(const pegs_ask *ask, uint32_t ncols, const uint32_t *levels, uint32_t rows_per_unit, int64_t epsilon, int64_t *delta,
	  uint64_t *alpha)
{
	uint32_t	apart = combinations(ask, ncols, levels);
	uint32_t	urns = apart > 0 ? apart : 1;

	return pegs_urn_price(1, (ask->n + urns - 1) / urns, cells_of(ask, ncols, levels) / urns, rows_per_unit, epsilon, delta, alpha);
}

/* ---- rows ---- */

/* The cells that are asked for: a public fact. How many they are. */
static uint64_t
take_some(pegs_draws *d)
{
	const pegs_layout *layout = d->layout;
	uint16_t   *row = d->env.alloc(d->env.context, sizeof(uint16_t) * layout->ncols);
	uint64_t	n = 0;

	d->is_cell = d->env.alloc(d->env.context, sizeof(bool) * layout->ncells);
	for (uint64_t i = 0; i < layout->ncells; i++)
	{
		if (i % PEGS_TRIES_AT_ONCE == 0)
			d->env.check(d->env.context);
		pegs_joint_row(layout->ncols, layout->levels, i, row);
		d->is_cell[i] = pegs_is_asked_for(layout->ncols, &d->ask.zeros, d->ask.given, row);
		n += d->is_cell[i];
	}
	pegs_env_free(&d->env, row);
	return n;
}

/* What so many cells weigh besides: public. NULL: nothing. */
static const uint64_t *
prior_of(const pegs_draws *d, const uint32_t *cell, uint64_t n)
{
	return d->ask.settings ? pegs_prior_weights(&d->env, &d->ask.settings[PRIOR], d->ask.times, cell, n) : NULL;
}

/* An urn for each combination: public facts. */
static void
take_urns(pegs_draws *d, const bool *within)
{
	const pegs_layout *layout = d->layout;
	const pegs_env *env = &d->env;
	uint32_t   *cell = env->alloc(env->context, sizeof(uint32_t) * layout->ncells);
	uint32_t	n = 0;
	const uint64_t *prior;
	pegs_strata strata;

	for (uint32_t i = 0; i < layout->ncells; i++)
	{
		if (i % CELLS_AT_ONCE == 0)
			env->check(env->context);
		if (d->is_cell == NULL || d->is_cell[i])
			cell[n++] = i;
	}
	pegs_strata_make(env, layout->ncols, layout->levels, within, cell, n, &strata);
	for (uint32_t i = 0; i < n; i++)
	{
		if (i % CELLS_AT_ONCE == 0)
			env->check(env->context);
		strata.at[i] = cell[strata.at[i]];
	}
	pegs_env_free(env, cell);
	d->start = strata.start;
	d->cell = strata.at;
	prior = prior_of(d, d->cell, n);
	d->count = env->alloc(env->context, sizeof(uint64_t) * n);
	d->urn = env->alloc(env->context, sizeof(pegs_urn) * strata.n);
	for (uint32_t u = 0; u < strata.n; u++)
	{
		if (u % CELLS_AT_ONCE == 0)
			env->check(env->context);
		pegs_urn_init(env, &d->urn[u], strata.start[u + 1] - strata.start[u]);
		d->urn[u].prior = prior ? prior + strata.start[u] : NULL;
	}
	d->urns = (pegs_urns) {strata.n, d->urn, d->start, d->cell};
}

static pegs_status
open_draws(const pegs_env *env, const pegs_wire *wire, const void *prepared, const pegs_ask *ask, pegs_draws **draws)
{
	pegs_draws *d = env->alloc(env->context, sizeof(pegs_draws));

	(void) prepared;
	*draws = d;
	d->env = *env;
	d->layout = &wire->layout;
	d->cells = wire->cells;
	d->ask = *ask;
	d->puts_back = ask->alpha > 0;
	if ((ask->given || ask->zeros.n > 0) && take_some(d) == 0)
		return PEGS_ERR_NOTHING;
	if (within_of(ask->settings))
	{
		take_urns(d, within_of(ask->settings));
		return PEGS_OK;
	}
	d->urn = env->alloc(env->context, sizeof(pegs_urn));
	pegs_urn_init(env, d->urn, (uint32_t) d->layout->ncells);
	d->urn->prior = prior_of(d, NULL, d->layout->ncells);
	d->urns = (pegs_urns) {1, d->urn, NULL, NULL};
	return PEGS_OK;
}

/* Where the table has none of these cells each is as likely: of an empty table all of them. */
static pegs_status
open_bootstrap(const pegs_env *env, const pegs_wire *wire, const void *prepared, const pegs_ask *ask, pegs_draws **draws)
{
	pegs_ask	exact = *ask;
	pegs_status status;

	exact.alpha = 0;
	exact.settings = NULL;
	status = open_draws(env, wire, prepared, &exact, draws);
	if (status != PEGS_OK || wire->rows == 0 || ask->given == NULL)
		return status;
	pegs_urn_fill(env, (*draws)->urn, wire->cells, 0, (*draws)->is_cell);
	return (*draws)->urn->total > 0 ? PEGS_OK : PEGS_ERR_RANGE;
}

static void
fill_urns(pegs_draws *d)
{
	for (uint32_t i = 0; i < d->start[d->urns.n]; i++)
	{
		if (i % CELLS_AT_ONCE == 0)
			d->env.check(d->env.context);
		d->count[i] = d->cells[d->cell[i]];
	}
	for (uint32_t u = 0; u < d->urns.n; u++)
		pegs_urn_fill(&d->env, &d->urn[u], d->count + d->start[u], d->ask.alpha, NULL);
}

static void
start(pegs_draws *d, pegs_rng *rng)
{
	d->rng = rng;
	d->drawn = 0;
	if (d->start)
	{
		fill_urns(d);
		return;
	}
	pegs_urn_fill(&d->env, d->urn, d->cells, d->ask.alpha, d->is_cell);
	if (d->urn->total == 0)
		pegs_urn_fill(&d->env, d->urn, d->cells, 1, d->is_cell);
}

static pegs_status
next(pegs_draws *d, uint16_t *row)
{
	uint32_t	number = (uint32_t) (d->drawn % d->urns.n);
	pegs_urn   *urn = &d->urn[number];
	uint32_t	cell;

	if (d->drawn++ % ROWS_AT_ONCE == 0 || urn->witness)
		d->env.check(d->env.context);
	cell = pegs_urn_draw(urn, d->rng);
	if (d->puts_back)
		pegs_urn_put_back(urn, cell);
	if (d->start)
		cell = d->cell[d->start[number] + cell];
	pegs_joint_row(d->layout->ncols, d->layout->levels, cell, row);
	return PEGS_OK;
}

const pegs_method pegs_method_table_sealed = {
	.name = "table sealed",
	.family = "table",
	.mechanism = "an urn over the table of all columns: each draw is put back double",
	.title = "full table",
	.payment = PEGS_PAID_BY_SAMPLE,
	.tables = PEGS_JOINT,
	.kind = PEGS_JOINT,
	.urns = true,
	.options = options,
	.refuse = refuse,
	.combinations = combinations,
	.price = price,
	.open = open_draws,
	.start = start,
	.next = next
};

const pegs_method pegs_method_table_published = {
	.name = "table published",
	.family = "table",
	.mechanism = "bootstrap of the rows",
	.title = "full table",
	.payment = PEGS_NOT_PRIVATE,
	.no_guarantee = "its rows are rows of the table, drawn again",
	.tables = PEGS_JOINT,
	.kind = PEGS_JOINT,
	.independent = true,
	.open = open_bootstrap,
	.start = start,
	.next = next
};
