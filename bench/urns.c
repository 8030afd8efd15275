/*
 * urns.c
 *	  How far a table whose noise is draws from an urn is from a table of codes, beside added noise.
 *
 * Usage: urns CSV LEVELS COLUMNS FITS EPSILON... : a table of codes from 0 with a line of names, levels of its columns and numbers of those
 * that are looked at, with commas between; a line for each epsilon: mean total variation of their pairs and of the table of all of
 * them, over FITS fits: noise that is added, draws of as many rows as there are, and those with delta 1e-9; and both alphas.
 */
#include "memory.h"

#include "core/epsilon.h"
#include "core/table/joint.h"
#include "core/urn.h"
#include "core/urn_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 64

static block *blocks;
static const pegs_env env = {.alloc = alloc, .check = check, .context = &blocks};

static uint32_t n;				/* columns of the file */
static uint32_t all_levels[COLUMNS];
static uint32_t m;				/* of those that are looked at */
static uint32_t column[COLUMNS];
static uint32_t levels[COLUMNS];
static pegs_layout layout;
static uint64_t *cells;
static double rows;

static uint32_t
numbers_of(char *list, uint32_t *number)
{
	uint32_t	count = 0;

	for (char *item = strtok(list, ","); item && count < COLUMNS; item = strtok(NULL, ","))
		number[count++] = (uint32_t) atoi(item);
	return count;
}

static void
read_table(const char *path, char *widths, char *columns)
{
	FILE	   *file = fopen(path, "r");
	char		line[4096];

	n = numbers_of(widths, all_levels);
	m = numbers_of(columns, column);
	for (uint32_t i = 0; i < m; i++)
		levels[i] = all_levels[column[i] % COLUMNS];
	if (!file || !fgets(line, sizeof(line), file) || pegs_layout_joint(&env, m, levels, &layout, NULL) != PEGS_OK)
	{
		perror(path);
		exit(2);
	}
	cells = alloc(&blocks, sizeof(uint64_t) * layout.ncells);
	while (fgets(line, sizeof(line), file))
	{
		uint16_t	code[COLUMNS] = {0};
		uint16_t   *codes[COLUMNS];
		char	   *at = line;

		for (uint32_t c = 0; c < n; c++)
		{
			code[c] = (uint16_t) strtol(at, &at, 10);
			at += *at == ',';
		}
		for (uint32_t i = 0; i < m; i++)
			codes[i] = &code[column[i]];
		pegs_count_chunk(&layout, cells, codes, 1);
		rows++;
	}
	fclose(file);
}

/* Mean total variation of pairs, and that of the table. */
static void
put_off(const pegs_joint *model, double *pairs, double *joint)
{
	double	   *off = alloc(&blocks, sizeof(double) * layout.ncells);

	for (uint64_t i = 0; i < layout.ncells; i++)
		off[i] = (double) cells[i] / rows;
	for (uint32_t i = 0; i < model->n; i++)
		off[model->cell[i]] -= model->weight[i];
	for (uint64_t i = 0; i < layout.ncells; i++)
		*joint += fabs(off[i]) / 2;
	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = a + 1; b < m; b++)
		{
			double	   *pair = alloc(&blocks, sizeof(double) * levels[a] * levels[b]);
			uint16_t	row[COLUMNS];

			for (uint64_t i = 0; i < layout.ncells; i++)
			{
				pegs_joint_row(m, levels, i, row);
				pair[row[a] * levels[b] + row[b]] += off[i];
			}
			for (uint32_t i = 0; i < levels[a] * levels[b]; i++)
				*pairs += fabs(pair[i]) / (m * (m - 1));
		}
}

static double
alpha_of(double epsilon, int64_t delta)
{
	uint64_t	alpha;

	if (pegs_urn_price(1, (uint64_t) rows, 1, 1, llround(epsilon * 1e9), &delta, &alpha) != PEGS_OK)
		return NAN;
	return ldexp((double) alpha, -PEGS_ALPHA_BITS);
}

int
main(int argc, char **argv)
{
	pegs_setting settings[3][PEGS_URN_WITHIN + 1] = {{{0}}, {{.given = true, .number = 1}, {.given = true, .number = 0}}, {{.given = true, .number = 1}, {.given = true, .number = 0}}};

	read_table(argv[1], argv[2], argv[3]);
	settings[1][1].number = settings[2][1].number = rows;
	printf("%.0f rows, %.0f cells\n%8s %8s %8s | %8s %8s %10s | %8s %8s %10s\n", rows, (double) layout.ncells, "epsilon", "pairs", "all", "pairs", "all",
		   "alpha", "pairs", "all", "with delta");
	for (int arg = 5; arg < argc; arg++)
	{
		double		off[3][2] = {{0}};
		int			fits = atoi(argv[4]);

		for (int fit = 0; fit < fits; fit++)
			for (int how = 0; how < 3; how++)
			{
				block	   *until = blocks;
				uint8_t		key[PEGS_KEY_BYTES] = {(uint8_t) fit, 8, (uint8_t) how};
				pegs_rng	rng;
				pegs_accountant accountant;
				pegs_joint	model;

				pegs_rng_init(&rng, key, (uint64_t) fit);
				pegs_accountant_init(&accountant, llround(atof(argv[arg]) * 1e9), how == 2 ? PEGS_DELTA_UNIT / 1000000000 : 0, 1);
				layout.settings = settings[how];
				pegs_joint_fit(&env, &rng, &accountant, &layout, cells, &model);
				put_off(&model, &off[how][0], &off[how][1]);
				forget_until(&blocks, until);
			}
		printf("%8s %8.4f %8.4f | %8.4f %8.4f %10.1f | %8.4f %8.4f %10.1f\n", argv[arg], off[0][0] / fits, off[0][1] / fits, off[1][0] / fits,
			   off[1][1] / fits, alpha_of(atof(argv[arg]), 0), off[2][0] / fits, off[2][1] / fits, alpha_of(atof(argv[arg]), PEGS_DELTA_UNIT / 1000000000));
	}
	return 0;
}
