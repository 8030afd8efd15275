/*
 * scored.h
 *	  Small tables of rows, and scores that are fitted to them.
 */
#ifndef PEGS_SCORED_H
#define PEGS_SCORED_H

#include <string.h>

#include "core/score/score.h"
#include "fixture.h"
#include "unit.h"

#define MAX_COLUMNS 8

static const bool second_level[2] = {false, true};

/* One row more, which counts so often. */
static inline void
add_row(pegs_kept *kept, uint32_t ncols, const uint16_t *row, uint32_t times)
{
	uint16_t   *codes[MAX_COLUMNS];
	uint16_t	copy[MAX_COLUMNS];

	for (uint32_t c = 0; c < ncols; c++)
	{
		copy[c] = row[c];
		codes[c] = &copy[c];
	}
	pegs_kept_add(kept, codes, &times, 1);
}

static inline pegs_score_model *
fit_score(uint32_t ncols, const uint32_t *levels, uint32_t target, const bool *positive, const pegs_kept *kept, const pegs_accountant *accountant)
{
	pegs_layout layout = {.ncols = ncols, .levels = (uint32_t *) levels};
	pegs_score_model *model = env.alloc(env.context, sizeof(pegs_score_model));

	pegs_additive_fit(&env, &rng, accountant, &layout, positive, target, kept, model);
	return model;
}

static inline uint8_t *
score_bytes(pegs_score_model *model, size_t *size)
{
	void	   *written = model;
	pegs_cursor c = {.pass = PEGS_SIZE};
	uint8_t    *bytes;

	pegs_score_walk(&c, model->ncols, NULL, &written);
	*size = c.at;
	bytes = env.alloc(env.context, c.at);
	c = (pegs_cursor) {.pass = PEGS_WRITE, .out = bytes};
	pegs_score_walk(&c, model->ncols, NULL, &written);
	CHECK_INT(c.at, *size);
	return bytes;
}

#endif							/* PEGS_SCORED_H */
