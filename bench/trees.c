/*
 * trees.c
 *	  How well scores that are made of trees tell rows apart: area under the ROC curve of rows that were not fitted.
 *
 * Usage: trees CSV LEVELS ORDERED SPLITS DELTA EPSILON... : a line for each method and epsilon, the mean over random 80:20 splits, its
 * standard deviation and CPU seconds of a fit. CSV: codes from 0, with a line of names; the last column, of two levels, is
 * the target. LEVELS of each column, and whether it is in ORDER (1 or 0), with commas between; ordered ones are numbers to the
 * published trees. DELTA 0 or 1, of 1e-9. CSV "made": 30,000 rows of eight columns of 24 levels and a target that hangs on sums and one product.
 */
#include "memory.h"

#include "core/score/forest.h"
#include "core/score/published.h"
#include "core/score/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_COLUMNS 64
#define MOST_ROWS 100000

static uint16_t code[MOST_ROWS][MOST_COLUMNS];
static uint32_t nrows;
static uint32_t ncols;
static uint32_t levels[MOST_COLUMNS];
static bool ordered[MOST_COLUMNS];
static const double *value[MOST_COLUMNS];
static const bool positive[2] = {false, true};

static block *blocks;
static const pegs_env env = {.alloc = alloc, .check = check, .context = &blocks};

/* ---- tables ---- */

static void
read_table(const char *file, char *counts, char *order)
{
	FILE	   *in = fopen(file, "r");
	char		line[4096];

	for (char *s = strtok(counts, ","); s; s = strtok(NULL, ","))
		levels[ncols++] = (uint32_t) atoi(s);
	ncols = 0;
	for (char *s = strtok(order, ","); s; s = strtok(NULL, ","))
		ordered[ncols++] = atoi(s);
	if (!in || !fgets(line, sizeof(line), in))
		exit(1);
	while (nrows < MOST_ROWS && fgets(line, sizeof(line), in))
	{
		char	   *s = line;

		for (uint32_t i = 0; i < ncols; i++, s++)
			code[nrows][i] = (uint16_t) strtol(s, &s, 10);
		nrows++;
	}
	fclose(in);
}

static void
make_table(void)
{
	uint8_t		key[PEGS_KEY_BYTES] = {7};
	pegs_rng	rng;

	pegs_rng_init(&rng, key, 0);
	ncols = 9;
	for (uint32_t i = 0; i < ncols; i++)
	{
		levels[i] = i < 8 ? 24 : 2;
		ordered[i] = true;
	}
	for (nrows = 0; nrows < 30000; nrows++)
	{
		double		x[8];
		double		odds;

		for (uint32_t i = 0; i < 8; i++)
		{
			x[i] = pegs_rng_double(&rng) + pegs_rng_double(&rng) + (i > 0 ? x[i - 1] / 2 : 0.5);
			x[i] = i > 0 ? x[i] / 1.5 : x[i] / 1.25;
			code[nrows][i] = (uint16_t) fmin(23, x[i] * 12);
		}
		odds = -2 + 3 * (x[0] - 1) + 2 * (x[1] - 1) - 1.5 * (x[3] - 1) + 6 * (x[4] - 1) * (x[6] - 1);
		code[nrows][8] = pegs_rng_double(&rng) < 1 / (1 + exp(-odds));
	}
}

/* ---- the curve ---- */

typedef struct scored_row
{
	double		score;
	bool		positive;
} scored_row;

static int
by_score(const void *a, const void *b)
{
	double		x = ((const scored_row *) a)->score;
	double		y = ((const scored_row *) b)->score;

	return (x > y) - (x < y);
}

static double
area(scored_row *row, uint32_t n)
{
	double		ranks = 0;
	double		of[2] = {0, 0};

	qsort(row, n, sizeof(scored_row), by_score);
	for (uint32_t i = 0, j; i < n; i = j)
	{
		for (j = i; j < n && row[j].score == row[i].score; j++);
		for (uint32_t k = i; k < j; k++)
		{
			of[row[k].positive]++;
			ranks += row[k].positive ? (i + j + 1) / 2.0 : 0;
		}
	}
	return (ranks - of[1] * (of[1] + 1) / 2) / (of[0] * of[1]);
}

/* ---- a line ---- */

static uint32_t shuffled[MOST_ROWS];

static const pegs_kept *
training(uint32_t split, uint32_t *n)
{
	pegs_kept  *kept = pegs_kept_new(&env, ncols, levels);
	uint8_t		key[PEGS_KEY_BYTES] = {1};
	pegs_rng	rng;

	pegs_rng_init(&rng, key, split);
	for (uint32_t i = 0; i < nrows; i++)
	{
		uint32_t	at = (uint32_t) pegs_rng_below(&rng, i + 1);

		shuffled[i] = shuffled[at];
		shuffled[at] = i;
	}
	*n = nrows * 4 / 5;
	for (uint32_t r = 0; r < *n; r += PEGS_CHUNK)
	{
		uint32_t	m = *n - r < PEGS_CHUNK ? *n - r : PEGS_CHUNK;
		uint16_t   *codes[MOST_COLUMNS];

		for (uint32_t i = 0; i < ncols; i++)
		{
			codes[i] = alloc(&blocks, sizeof(uint16_t) * m);
			for (uint32_t k = 0; k < m; k++)
				codes[i][k] = code[shuffled[r + k]][i];
		}
		pegs_kept_add(kept, codes, NULL, m);
	}
	return kept;
}

typedef struct method
{
	const char *name;
	int			kind;			/* 0 tree, 1 forest, 2 published */
	uint32_t	trees;
	uint32_t	depth;
	double		alpha[5];
	bool		declared;
} method;

static double
one(const method *m, uint32_t split, double epsilon, bool pure, double *seconds)
{
	uint32_t	n;
	pegs_scored scored = {.target = ncols - 1, .positive = positive, .rows = training(split, &n)};
	pegs_layout layout = {.ncols = ncols, .levels = levels, .ordered = ordered};
	pegs_accountant accountant;
	uint8_t		key[PEGS_KEY_BYTES] = {2};
	pegs_rng	rng;
	pegs_trees	trees;
	pegs_published published;
	scored_row *row = alloc(&blocks, sizeof(scored_row) * nrows);
	double		auc;
	clock_t		begun = clock();

	pegs_rng_init(&rng, key, split);
	pegs_accountant_init(&accountant, (int64_t) (epsilon * 1e9), pure ? 0 : 1000000000, 1);
	if (m->kind == 0)
		pegs_tree_fit(&env, &rng, &accountant, &layout, &scored,
					  &(pegs_tree_options) {.depth = m->depth, .alphas = m->trees, .alpha = m->alpha, .declared = m->declared}, &trees);
	else if (m->kind == 1)
		pegs_forest_fit(&env, &rng, &accountant, &layout, &scored, &(pegs_forest_options) {.trees = m->trees, .depth = m->depth, .declared = m->declared}, &trees);
	else
		pegs_published_fit(&env, &layout, &scored, value,
						   &(pegs_published_options) {.depth = m->depth, .cuts = 10, .least = 10, .alphas = m->trees, .alpha = m->alpha}, &published);
	*seconds += (double) (clock() - begun) / CLOCKS_PER_SEC;
	for (uint32_t r = n; r < nrows; r++)
	{
		int32_t		codes[MOST_COLUMNS];
		double		delta;
		double		u;

		for (uint32_t i = 0; i < ncols; i++)
			codes[i] = code[shuffled[r]][i];
		row[r - n].positive = code[shuffled[r]][ncols - 1] == 1;
		if (m->kind < 2)
		{
			row[r - n].score = pegs_trees_logit(&trees, codes);
			continue;
		}
		row[r - n].score = pegs_published_score(&published, codes, &delta);
		u = pegs_rng_double(&rng) - 0.5;
		row[r - n].score -= delta / epsilon * copysign(log1p(-2 * fabs(u)), u);
	}
	auc = area(row, nrows - n);
	forget(&blocks);
	return auc;
}

int
main(int argc, char **argv)
{
	static const method methods[] = {
		{"tree", 0, 1, 6, {1}, false}, {"tree of depth 4", 0, 1, 4, {1}, false}, {"tree, alpha 0.5", 0, 1, 6, {.5}, false},
		{"tree, four alphas", 0, 4, 5, {0, .5, 1, 2}, false}, {"forest", 1, 30, 6, {0}, false}, {"forest, declared", 1, 30, 6, {0}, true},
		{"DPaT", 2, 1, 8, {1}, false}, {"EDPaT", 2, 5, 8, {.25, .5, 1, 1.5, 2}, false}};
	uint32_t	splits;

	if (argc < 7)
		return 1;
	if (strcmp(argv[1], "made") == 0)
		make_table();
	else
		read_table(argv[1], argv[2], argv[3]);
	splits = (uint32_t) atoi(argv[4]);
	for (uint32_t i = 0; i < ncols; i++)
		if (ordered[i])
		{
			double	   *numbers = malloc(sizeof(double) * levels[i]);

			for (uint32_t l = 0; l < levels[i]; l++)
				numbers[l] = l;
			value[i] = numbers;
		}
	for (size_t m = 0; m < sizeof(methods) / sizeof(methods[0]); m++)
		for (int e = 6; e < argc; e++)
		{
			double		sum = 0;
			double		squares = 0;
			double		seconds = 0;

			for (uint32_t s = 0; s < splits; s++)
			{
				double		auc = one(&methods[m], s, atof(argv[e]), atoi(argv[5]) == 0, &seconds);

				sum += auc;
				squares += auc * auc;
			}
			sum /= splits;
			printf("%-20s %6s  AUC %.4f +- %.4f  CPU %.2f\n", methods[m].name, argv[e], sum, sqrt(fmax(0, squares / splits - sum * sum)), seconds / splits);
			fflush(stdout);
		}
	return 0;
}
