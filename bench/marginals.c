/*
 * marginals.c
 *	  How far noisy tables of single columns are from a table of codes, beside the 1-ways of the engine.
 *
 * Usage: marginals CSV LEVELS FITS EPSILON... : a table of codes from 0 with a line of names, levels of its columns with commas between; a line
 * for each epsilon and delta (1e-9, 0): mean total variation of the columns and of their pairs over FITS fits, of `graph` of its columns.
 * Exit status 1 if its columns are the closer ones.
 */
#include "memory.h"

#include "core/graph/engine.h"
#include "core/marginals/marginals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 64

static block *blocks;
static const pegs_env env = {.alloc = alloc, .check = check, .context = &blocks};

static uint32_t m;
static uint32_t levels[COLUMNS];
static pegs_layout layout;
static uint64_t *cells;
static double rows;

static void
read_table(const char *path, char *widths)
{
	FILE	   *file = fopen(path, "r");
	char		line[4096];

	for (char *width = strtok(widths, ","); width && m < COLUMNS; width = strtok(NULL, ","))
		levels[m++] = (uint32_t) atoi(width);
	if (!file || !fgets(line, sizeof(line), file) || pegs_layout_pairs(&env, m, levels, &layout, NULL) != PEGS_OK)
	{
		perror(path);
		exit(2);
	}
	cells = alloc(&blocks, sizeof(uint64_t) * layout.ncells);
	while (fgets(line, sizeof(line), file))
	{
		uint16_t	code[COLUMNS];
		uint16_t   *codes[COLUMNS];
		char	   *at = line;

		for (uint32_t c = 0; c < m; c++)
		{
			code[c] = (uint16_t) strtol(at, &at, 10);
			codes[c] = &code[c];
			at += *at == ',';
		}
		pegs_count_chunk(&layout, cells, codes, 1);
		rows++;
	}
	fclose(file);
}

static double
columns_off(double *const *share)
{
	double		off = 0;

	for (uint32_t c = 0; c < m; c++)
		for (uint32_t l = 0; l < levels[c]; l++)
			off += fabs(share[c][l] - (double) cells[layout.offset[c] + l] / rows) / 2 / m;
	return off;
}

static double
pairs_off(double *const *share)
{
	double		off = 0;

	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = a + 1; b < m; b++)
			for (uint32_t x = 0; x < levels[a]; x++)
				for (uint32_t y = 0; y < levels[b]; y++)
					off += fabs(share[a][x] * share[b][y] - (double) cells[layout.pair_offset[a * m + b] + x * levels[b] + y] / rows);
	return off / (m * (m - 1));
}

int
main(int argc, char **argv)
{
	int			worse = 0;

	read_table(argv[1], argv[2]);
	printf("%8s %6s %8s %8s %8s\n", "epsilon", "delta", "columns", "pairs", "graph");
	for (int arg = 4; arg < argc; arg++)
		for (int pure = 0; pure < 2; pure++)
		{
			double		off[3] = {0};
			int			fits = atoi(argv[3]);

			for (int fit = 0; fit < fits; fit++)
			{
				block	   *until = blocks;
				uint8_t		key[PEGS_KEY_BYTES] = {(uint8_t) fit, 7};
				pegs_rng	rng;
				pegs_accountant accountant;
				pegs_marginals model;
				pegs_fitted graph = {0};

				pegs_rng_init(&rng, key, (uint64_t) fit);
				pegs_accountant_init(&accountant, llround(atof(argv[arg]) * 1e9), pure ? 0 : PEGS_DELTA_UNIT / 1000000000, 1);
				pegs_marginals_fit(&env, &rng, &accountant, &layout, cells, &model);
				off[0] += columns_off(model.share) / fits;
				off[1] += pairs_off(model.share) / fits;
				pegs_engine_fit(&env, &rng, &accountant, &layout, cells, &graph);
				off[2] += columns_off(graph.share) / fits;
				forget_until(&blocks, until);
			}
			printf("%8s %6s %8.4f %8.4f %8.4f\n", argv[arg], pure ? "0" : "1e-9", off[0], off[1], off[2]);
			worse += off[0] > off[2];
		}
	return worse > 0;
}
