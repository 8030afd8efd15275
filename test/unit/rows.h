/*
 * rows.h
 *	  Tables as codes, for the tests of the measures.
 *	  What is made here goes with the fixture's memory.
 */
#ifndef PEGS_ROWS_H
#define PEGS_ROWS_H

#include "core/compare/coded.h"
#include "fixture.h"

/* n rows of 0; levels is the caller's; no column has numbers. */
static inline pegs_coded
table(uint32_t ncols, const uint32_t *levels, uint64_t n)
{
	pegs_coded	t = {.ncols = ncols, .nrows = n, .levels = levels};

	t.code = env.alloc(env.context, sizeof(uint16_t *) * (ncols + 1));
	t.number = env.alloc(env.context, sizeof(double *) * (ncols + 1));
	for (uint32_t c = 0; c < ncols; c++)
		t.code[c] = env.alloc(env.context, sizeof(uint16_t) * n);
	return t;
}

/* Rows by formula: of kind 0, or of kind 1, which is alike but another. Numbers of the reference evaluator are known of them. */
static inline pegs_coded
formula(uint32_t n, uint32_t kind)
{
	static const uint32_t levels[5] = {5, 4, 3, 2, 10};
	pegs_coded	t = table(5, levels, n);

	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	a = (i * i + i / (7 - kind)) % 5;
		uint32_t	c = i / (5 - kind) % 3;

		t.code[0][i] = (uint16_t) a;
		t.code[1][i] = (uint16_t) ((i * (3 + 2 * kind) + i / 11) % 4);
		t.code[2][i] = (uint16_t) c;
		t.code[3][i] = (i * i * 7 + 3 * i + i / 9) % 11 < 3 + c + a / 2;
		t.code[4][i] = (uint16_t) ((i * i * 3 + i / 4 + a * 2 + c) % 10);
	}
	return t;
}

#endif							/* PEGS_ROWS_H */
