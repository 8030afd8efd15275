/*
 * schema_world.h
 *	  Units of a known world, drawn, for tests that fit: children depend on
 *	  their root, two siblings never agree in their first column. After
 *	  fixture.h and schemas.h.
 */
#ifndef PEGS_TEST_SCHEMA_WORLD_H
#define PEGS_TEST_SCHEMA_WORLD_H

/* A root of two columns; 0 to 3 children of (kind, size); a card below half of them. */
static inline pegs_relations
world_relations(void)
{
	return made(3, (pegs_relation[]) {
		{.parent = -1, .ncols = 2, .levels = (uint32_t[]) {3, 2}},
		{.parent = 0, .ncols = 2, .levels = (uint32_t[]) {4, 3}, .nclasses = 4, .first = (uint32_t[]) {0, 1, 2, 3}, .most = 3},
		{.parent = 1, .ncols = 1, .levels = (uint32_t[]) {3}, .nclasses = 2, .first = (uint32_t[]) {0, 1}, .most = 1}});
}

static inline unit
world_unit(void)
{
	unit		u = {0};
	uint16_t	a = (uint16_t) pegs_rng_below(&rng, 3);
	uint16_t	b = (uint16_t) (pegs_rng_below(&rng, 4) == 0 ? 1 : 0);
	uint32_t	n = a == 0 ? (uint32_t) pegs_rng_below(&rng, 2) : 1 + (uint32_t) pegs_rng_below(&rng, 3);
	uint16_t	kind = (uint16_t) pegs_rng_below(&rng, 4);

	(void) put_row(&u, 0, 0, pegs_rng_u64(&rng), (uint16_t[]) {a, b}, 2);
	for (uint32_t i = 0; i < n; i++)
	{
		uint16_t	size = (uint16_t) ((a + (pegs_rng_below(&rng, 5) == 0)) % 3);
		uint32_t	at = put_row(&u, 1, 0, pegs_rng_u64(&rng), (uint16_t[]) {(uint16_t) ((kind + i) % 4), size}, 2);

		if (pegs_rng_below(&rng, 2))
			(void) put_row(&u, 2, at, pegs_rng_u64(&rng), (uint16_t[]) {size}, 1);
	}
	return u;
}

static inline pegs_tally
world_tally(const pegs_relations *r, uint32_t units)
{
	pegs_tally	tally;
	pegs_paths *paths = pegs_paths_new(&env, r);
	double		cells;

	if (pegs_tally_init(&env, r, &tally, &cells) != PEGS_OK)
		abort();
	for (uint32_t i = 0; i < units; i++)
	{
		unit		u = world_unit();

		feed(paths, r, &u, false);
		pegs_tally_unit(&tally, paths);
	}
	pegs_tally_end(&tally);
	return tally;
}

static inline pegs_fitted
world_model(const pegs_relations *r, uint32_t units, int64_t epsilon, bool siblings)
{
	pegs_tally	tally = world_tally(r, units);
	pegs_accountant accountant;
	pegs_fitted model;

	pegs_accountant_init(&accountant, epsilon, INT64_C(1000000000), PEGS_PATHS);
	accountant.rows_each = PEGS_PATHS;
	pegs_schema_fit(&env, &rng, &accountant, r, &tally, siblings, &model);
	return model;
}

#endif							/* PEGS_TEST_SCHEMA_WORLD_H */
