/*
 * copula_published.c
 *	  The copula of exact counts, a normal for each level: what 003 calls cop, cop-ID and cop-1.
 *
 * It guarantees nothing: the model is made of the counts themselves. How many bytes it has
 * follows from the levels alone.
 */
#include "core/method.h"

#include "core/copula/copula.h"
#include "core/copula/dummy.h"
#include "core/wire.h"

struct pegs_draws
{
	pegs_dummy_draws *rows;
};

enum
{
	FORM,
	NEAREST,
	OPTIONS
};

static const char *const form_words[] = {
	[PEGS_DUMMY_COP] = "cop", [PEGS_DUMMY_ID] = "cop-ID", [PEGS_DUMMY_ONE] = "cop-1", [PEGS_DUMMY_FORMS] = NULL
};

static const pegs_option options[] = {
	[FORM] = {.name = "form", .kind = PEGS_OPTION_WORD, .words = form_words, .example = "\"cop-ID\""},
	[NEAREST] = {.name = "nearest", .kind = PEGS_OPTION_WORD, .words = pegs_copula_nearest_words, .example = "\"higham\""},
	[OPTIONS] = {.name = NULL}
};

static void *
fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout, const uint64_t *cells)
{
	const pegs_setting *settings = layout->settings;
	pegs_dummy *model = env->alloc(env->context, sizeof(pegs_dummy));

	(void) rng;
	(void) accountant;
	pegs_dummy_fit_exact(env, layout, cells, settings ? (pegs_dummy_form) settings[FORM].number : PEGS_DUMMY_COP,
						 settings && settings[NEAREST].number > 0, model);
	return model;
}

static void
walk(pegs_cursor *c, uint32_t ncols, uint32_t *levels, void **model)
{
	if (c->pass == PEGS_READ)
	{
		pegs_dummy *read = c->env->alloc(c->env->context, sizeof(pegs_dummy));

		read->ncols = ncols;
		read->levels = levels;
		*model = read;
	}
	pegs_dummy_walk(c, *model);
}

static const double *
shares_of(const void *model, uint32_t column)
{
	return ((const pegs_dummy *) model)->share[column];
}

static pegs_status
open_draws(const pegs_env *env, const pegs_wire *wire, const void *prepared, const pegs_ask *ask, pegs_draws **draws)
{
	(void) prepared;
	*draws = env->alloc(env->context, sizeof(pegs_draws));
	return pegs_dummy_open(env, wire->model, ask, &(*draws)->rows);
}

static void
start(pegs_draws *d, pegs_rng *rng)
{
	pegs_dummy_start(d->rows, rng);
}

static pegs_status
next(pegs_draws *d, uint16_t *row)
{
	return pegs_dummy_next(d->rows, row);
}

const pegs_method pegs_method_copula_published = {
	.name = "copula published",
	.family = "copula",
	.title = "correlations",
	.mechanism = "exact tables of columns and of pairs; normals behind them",
	.payment = PEGS_NOT_PRIVATE,
	.no_guarantee = "rows are drawn from what exact counts say",
	.tables = PEGS_PAIRS,
	.kind = 12,
	.independent = true,
	.most_given = 1,
	.options = options,
	.refuse = pegs_dummy_refuse,
	.fit = fit,
	.walk = walk,
	.shares = shares_of,
	.open = open_draws,
	.start = start,
	.next = next
};
