/*
 * grown.h
 *	  What the tests of scores made of trees have in common: rows that are kept, a
 *	  fit's model as bytes, what its answers are worth.
 */
#ifndef PEGS_GROWN_H
#define PEGS_GROWN_H

#include <string.h>

#include "core/score/trees.h"
#include "core/witness.h"
#include "fixture.h"
#include "unit.h"

/* n rows of the same codes more, `times` each. */
static inline void
keep_row(pegs_kept *kept, uint32_t ncols, const uint16_t *row, uint32_t n, uint32_t times)
{
	uint16_t   *codes[16];
	uint32_t	each[PEGS_CHUNK];

	for (; n > 0; n -= n < PEGS_CHUNK ? n : PEGS_CHUNK)
	{
		uint32_t	m = n < PEGS_CHUNK ? n : PEGS_CHUNK;

		for (uint32_t c = 0; c < ncols; c++)
		{
			codes[c] = env.alloc(env.context, sizeof(uint16_t) * m);
			for (uint32_t r = 0; r < m; r++)
				codes[c][r] = row[c];
		}
		for (uint32_t r = 0; r < m; r++)
			each[r] = times;
		pegs_kept_add(kept, codes, times == 1 ? NULL : each, m);
	}
}

typedef void (*fit_of) (const pegs_accountant *accountant, const pegs_kept *rows, void *context, pegs_trees *model);

static inline uint8_t *
trees_written(pegs_trees *model, size_t *size)
{
	pegs_cursor c = {.pass = PEGS_SIZE};
	uint8_t    *bytes;

	pegs_trees_walk(&c, model);
	*size = c.at;
	bytes = env.alloc(env.context, c.at);
	c = (pegs_cursor) {.pass = PEGS_WRITE, .out = bytes};
	pegs_trees_walk(&c, model);
	return bytes;
}

/* Into a model of these columns; what the walk says. */
static inline pegs_status
trees_read(const uint8_t *bytes, size_t size, uint32_t ncols, uint32_t *levels, pegs_trees *model)
{
	pegs_cursor c = {.pass = PEGS_READ, .env = &env, .in = bytes, .length = size};

	*model = (pegs_trees) {.ncols = ncols, .levels = levels};
	pegs_trees_walk(&c, model);
	return c.status == PEGS_OK && c.at != size ? PEGS_ERR_FORMAT : c.status;
}

/* A fit on the one table and on the other, which gets the same answers; ln of their ratio is witness->ratio. */
static inline void
weigh_pair(fit_of fit, const pegs_accountant *account, const pegs_kept *const *rows, void *context, pegs_witness *witness)
{
	pegs_accountant accountant = *account;
	uint8_t    *bytes[2];
	size_t		size[2];

	accountant.witness = witness;
	pegs_witness_begin(witness, &env);
	for (int run = 0; run < 2; run++)
	{
		pegs_trees	model;

		if (run == 1)
			pegs_witness_again(witness);
		fit(&accountant, rows[run], context, &model);
		bytes[run] = trees_written(&model, &size[run]);
	}
	pegs_witness_end(witness, &accountant, size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0);
}

/* Of all pairs that a witness has seen: is the noise as large as was paid for, and that of each cell and of each look its own? */
static inline void
check_noise(const pegs_witness *witness)
{
	CHECK(!pegs_too_likely(&witness->noise, 30));	/* once in 10^13 */
	for (int i = 0; i < PEGS_ECHOES; i++)
		CHECK(!pegs_too_likely(&witness->echo[i], 30));
}

/* What is told of the cost, purpose by purpose, is what was spent. */
static inline void
check_record(const pegs_accountant *accountant)
{
	uint64_t	sum = 0;

	for (int i = 0; i < PEGS_PURPOSES; i++)
		sum += accountant->record[i].cost;
	CHECK_INT(sum, accountant->spent);
}

#endif							/* PEGS_GROWN_H */
