/*
 * batch.h
 *	  A fitted model and room for a batch of its rows, for the tests of how a
 *	  batch is drawn and adjusted.
 */
#ifndef PEGS_BATCH_H
#define PEGS_BATCH_H

#include "core/graph/draw.h"
#include "fixture.h"
#include "unit.h"

/* A model of m columns that hang together, fitted to made-up rows. */
static inline pegs_fitted
fitted(uint32_t m, const uint32_t *levels, uint32_t n, int64_t epsilon, int64_t delta)
{
	pegs_layout layout;
	uint64_t   *cells;
	uint16_t   *codes[8];
	pegs_accountant accountant;
	pegs_fitted f;

	CHECK(pegs_layout_pairs(&env, m, levels, &layout, NULL) == PEGS_OK);
	cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
	for (uint32_t i = 0; i < m; i++)
		codes[i] = env.alloc(env.context, sizeof(uint16_t) * PEGS_CHUNK);
	for (uint32_t at = 0; at < n; at += PEGS_CHUNK)
	{
		for (uint32_t r = 0; r < PEGS_CHUNK; r++)
		{
			uint32_t	common = (uint32_t) pegs_rng_below(&rng, 24);

			for (uint32_t i = 0; i < m; i++)
				codes[i][r] = (uint16_t) (pegs_rng_below(&rng, 3) == 0 ? pegs_rng_below(&rng, levels[i])
										  : common * (i + 1) % levels[i]);
		}
		pegs_count_chunk(&layout, cells, codes, PEGS_CHUNK);
	}
	pegs_accountant_init(&accountant, epsilon, delta, 1);
	pegs_engine_fit(&env, &rng, &accountant, &layout, cells, &f);
	return f;
}

static inline uint16_t **
room(const pegs_fitted *f, uint32_t n)
{
	uint16_t  **codes = env.alloc(env.context, sizeof(uint16_t *) * f->ncols);

	for (uint32_t i = 0; i < f->ncols; i++)
		codes[i] = env.alloc(env.context, sizeof(uint16_t) * n);
	return codes;
}

static inline bool
in_range(const pegs_fitted *f, uint16_t **codes, uint32_t n)
{
	for (uint32_t i = 0; i < f->ncols; i++)
		for (uint32_t r = 0; r < n; r++)
			if (codes[i][r] >= f->levels[i])
				return false;
	return true;
}

#endif							/* PEGS_BATCH_H */
