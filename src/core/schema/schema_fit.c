/*
 * schema_fit.c
 *	  A model of several tables: the engine on path rows, and siblings with a
 *	  part of the same account.
 *
 * Every look at the tally is the engine's or that of siblings.c, through one
 * accountant whose rows_per_unit is PEGS_PATHS. Claims P35 and P37.
 */
#include "core/schema/siblings.h"

#include <math.h>

#include "core/graph/state.h"

/* Where nobody says how many: so many that siblings get their whole part. */
static const double USUAL_ROWS = 100000;

typedef struct siblings
{
	const pegs_env *env;
	const pegs_tally *tally;
	uint8_t		key[PEGS_KEY_BYTES];	/* of the rows that they are compared with */
	double		budget;
	uint32_t	n;
	pegs_pair  *pair;
} siblings;

static double
part(void *to, const pegs_accountant *accountant, double rows)
{
	siblings   *s = to;
	double		of_all = pegs_siblings_part(accountant, rows);
	double		left = pegs_accountant_left(accountant);

	s->budget = of_all * (double) accountant->total * 0x1p-50;
	if (s->budget > left)
		s->budget = left;
	return left > 0 ? s->budget / left : 0;
}

static void
spend(void *to, pegs_rng *rng, pegs_accountant *accountant, const pegs_fitted *so_far)
{
	siblings   *s = to;

	if (s->budget > 0)
		s->pair = pegs_siblings_fit(s->env, rng, s->key, accountant, s->budget, s->tally, so_far, &s->n);
}

static void
draw_key(pegs_rng *rng, uint8_t *key)
{
	for (int i = 0; i < PEGS_KEY_BYTES / 8; i++)
	{
		uint64_t	word = pegs_rng_u64(rng);

		for (int j = 0; j < 8; j++)
			key[8 * i + j] = (uint8_t) (word >> 8 * j);
	}
}

void
pegs_schema_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_relations *relations,
				const pegs_tally *tally, bool with_siblings, pegs_fitted *model)
{
	siblings	s = {.env = env, .tally = tally};
	pegs_aside	aside = {.part = part, .spend = spend, .to = &s};
	bool		any = false;

	/* where nothing could be said of siblings, they get no part */
	for (uint32_t a = 0; a < relations->ncols; a++)
		any |= tally->sibling_at[(size_t) a * relations->ncols + a] > 0;
	draw_key(rng, s.key);
	pegs_engine_fit_aside(env, rng, accountant, &tally->layout, tally->cells, with_siblings && any ? &aside : NULL, model);
	model->nsiblings = s.n;
	model->sibling = s.pair;
}

/* Of pure epsilon the noise is as one over what is left for it, else as one over its square root. */
double
pegs_schema_noise(const pegs_env *env, const pegs_accountant *accountant, const pegs_layout *layout, bool with_siblings)
{
	double		left = with_siblings ? 1 - pegs_siblings_part(accountant, USUAL_ROWS * pegs_accountant_scale(accountant)) : 1;

	return pegs_graph_noise(env, accountant, layout) / (accountant->pure ? left : sqrt(left));
}
