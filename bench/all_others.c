/*
 * all_others.c
 *	  Regressions of a column on all others: how good they are after so many passes over the rows, and how long they take.
 *
 * Usage: all_others CSV ROWS RESPONSE LAMBDA L1_RATIO COLUMN...: a table of codes from 0 with a line of names, of which the first ROWS rows. The objective of
 * RESPONSE on the columns, by passes; then where it ends by the cells of its parents, if they are few.
 * all_others speed ROWS: a table of 13 columns made up, all columns on all others by the method, lambda 0.0002, 40 passes: CPU seconds, and what memory it took.
 */
#include "core/method.h"
#include "core/regression/multinomial.h"
#include "core/regression/others.h"
#include "core/rng.h"
#include "core/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define COLUMNS 64

static void *
alloc(void *context, size_t bytes)
{
	void	   *memory = calloc(1, bytes ? bytes : 1);

	(void) context;
	if (memory == NULL)
		abort();
	return memory;
}

static double last_check;
static double longest;			/* CPU seconds between two questions whether to stop */

static double
seconds(void)
{
	return (double) clock() / CLOCKS_PER_SEC;
}

static void
check(void *context)
{
	double		now = seconds();

	(void) context;
	longest = fmax(longest, now - last_check);
	last_check = now;
}

static void
release(void *context, void *memory)
{
	(void) context;
	free(memory);
}

static const pegs_env env = {.alloc = alloc, .check = check, .free = release};

typedef struct table
{
	uint32_t	m;
	uint32_t	n;
	uint32_t	levels[COLUMNS];
	uint16_t   *code[COLUMNS];
} table;

/* ---- tables ---- */

static table
read_table(const char *file, uint32_t rows, char **names, uint32_t m)
{
	FILE	   *in = fopen(file, "r");
	char		line[4096];
	uint32_t	column[COLUMNS];
	table		t = {.m = m};

	if (in == NULL || fgets(line, sizeof(line), in) == NULL)
		abort();
	for (uint32_t i = 0; i < m; i++)
	{
		char	   *copy = strdup(line);
		uint32_t	at = 0;

		column[i] = COLUMNS;
		for (char *name = strtok(copy, ",\r\n"); name; name = strtok(NULL, ",\r\n"), at++)
			if (strcmp(name, names[i]) == 0)
				column[i] = at;
		free(copy);
		if (column[i] == COLUMNS)
			abort();
		t.code[i] = calloc(rows, sizeof(uint16_t));
	}
	while (t.n < rows && fgets(line, sizeof(line), in))
	{
		uint16_t	code[COLUMNS];
		uint32_t	at = 0;

		for (char *value = strtok(line, ",\r\n"); value && at < COLUMNS; value = strtok(NULL, ",\r\n"))
			code[at++] = (uint16_t) atoi(value);
		for (uint32_t i = 0; i < m; i++)
		{
			t.code[i][t.n] = code[column[i]];
			if (code[column[i]] >= t.levels[i])
				t.levels[i] = code[column[i]] + 1u;
		}
		t.n++;
	}
	fclose(in);
	return t;
}

/* 13 columns of 124 levels, as those of synthesizers that are compared elsewhere: each leans on two before it. */
static table
made_up(uint32_t rows)
{
	static const uint32_t levels[] = {20, 2, 5, 26, 10, 12, 4, 8, 6, 15, 5, 7, 4};
	uint8_t		key[PEGS_KEY_BYTES] = {4};
	table		t = {.m = 13, .n = rows};
	pegs_rng	rng;

	pegs_rng_init(&rng, key, 0);
	for (uint32_t i = 0; i < t.m; i++)
	{
		t.levels[i] = levels[i];
		t.code[i] = calloc(rows, sizeof(uint16_t));
		for (uint32_t r = 0; r < rows; r++)
		{
			uint64_t	drawn = pegs_rng_below(&rng, levels[i] * levels[i]);
			uint32_t	lean = i > 1 ? t.code[i - 1][r] * 3u + t.code[i - 2][r] : 0;

			t.code[i][r] = (uint16_t) (pegs_rng_below(&rng, 3) == 0 ? lean % levels[i] : (uint32_t) sqrt((double) drawn));
		}
	}
	return t;
}

static void
count(const table *t, pegs_layout *layout, uint64_t **cells)
{
	pegs_kept  *kept = pegs_kept_new(&env, t->m, t->levels);

	if (pegs_layout_pairs(&env, t->m, t->levels, layout, NULL) != PEGS_OK)
		abort();
	*cells = calloc(layout->ncells, sizeof(uint64_t));
	for (uint32_t r = 0; r < t->n; r += PEGS_CHUNK)
	{
		uint16_t   *at[COLUMNS];
		uint32_t	n = t->n - r < PEGS_CHUNK ? t->n - r : PEGS_CHUNK;

		for (uint32_t i = 0; i < t->m; i++)
			at[i] = t->code[i] + r;
		pegs_count_chunk(layout, *cells, at, n);
		pegs_kept_add(kept, at, NULL, n);
	}
	layout->kept = kept;
}

/* ---- what is minimised ---- */

static double
objective(const table *t, const pegs_multinomial *data, double lambda, double l1_ratio, const double *coef)
{
	double	   *share = calloc(data->levels, sizeof(double));
	double		loss = 0;
	double		penalty = 0;
	uint16_t	x[COLUMNS];

	for (uint32_t r = 0; r < t->n; r++)
	{
		for (uint32_t p = 0; p < data->nparents; p++)
			x[p] = t->code[p + 1][r];
		loss += pegs_multinomial_loss_of_row(data, x, t->code[0][r], coef, share);
	}
	for (uint64_t i = data->levels; i < data->nfeatures * data->levels; i++)
		penalty += lambda * (l1_ratio * fabs(coef[i]) + (1 - l1_ratio) / 2 * coef[i] * coef[i]);
	free(share);
	return loss / t->n + penalty;
}

static void
show_objectives(const table *t, double lambda, double l1_ratio)
{
	static const uint32_t passes[] = {5, 10, 20, 30, 40, 60, 100, 200, 400};
	pegs_layout layout;
	pegs_others others;
	pegs_multinomial data;
	uint64_t   *cells;
	double	   *coef;

	count(t, &layout, &cells);
	pegs_others_of(&env, &layout, cells, &others);
	for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++)
	{
		pegs_others_column(&env, &others, 0, passes[i], &data);
		coef = calloc(data.nfeatures * data.levels, sizeof(double));
		pegs_multinomial_fit(&env, &data, lambda, l1_ratio, coef);
		printf("%u passes: %.8f\n", passes[i], objective(t, &data, lambda, l1_ratio, coef));
		pegs_multinomial_free(&env, &data);
		free(coef);
	}
}

static void
show_cells(const table *t, double lambda, double l1_ratio)
{
	uint32_t	parent_start[COLUMNS + 1] = {0};
	uint16_t	parents[COLUMNS];
	pegs_layout layout;
	pegs_multinomial data;
	uint64_t   *cells;
	double	   *coef;

	for (uint32_t i = 1; i <= t->m; i++)
		parent_start[i] = t->m - 1;
	for (uint32_t p = 0; p + 1 < t->m; p++)
		parents[p] = (uint16_t) (p + 1);
	if (pegs_layout_conditional(&env, t->m, t->levels, parent_start, parents, 0, &layout, NULL) != PEGS_OK)
		return;
	cells = calloc(layout.ncells, sizeof(uint64_t));
	for (uint32_t r = 0; r < t->n; r += PEGS_CHUNK)
	{
		uint16_t   *at[COLUMNS];

		for (uint32_t i = 0; i < t->m; i++)
			at[i] = t->code[i] + r;
		pegs_count_chunk(&layout, cells, at, t->n - r < PEGS_CHUNK ? t->n - r : PEGS_CHUNK);
	}
	pegs_multinomial_of(&env, &layout, cells + layout.offset[0], 0, &data);
	coef = calloc(data.nfeatures * data.levels, sizeof(double));
	pegs_multinomial_fit(&env, &data, lambda, l1_ratio, coef);
	printf("by %llu cells: %.8f\n", (unsigned long long) data.n, objective(t, &data, lambda, l1_ratio, coef));
}

static void
show_speed(uint32_t rows)
{
	table		t = made_up(rows);
	pegs_layout layout;
	uint64_t   *cells;
	double		began;
	double		counted;
	struct rusage usage;
	long		before;

	began = seconds();
	count(&t, &layout, &cells);
	counted = seconds() - began;
	getrusage(RUSAGE_SELF, &usage);
	before = usage.ru_maxrss;
	began = last_check = seconds();
	(void) pegs_method_regression.fit(&env, NULL, NULL, &layout, cells);
	check(NULL);
	getrusage(RUSAGE_SELF, &usage);
	printf("%u rows: counted in %.2f s, fitted in %.2f s, %.0f ms between questions at most, %.1f MB besides tables and rows\n", rows, counted, seconds() - began,
		   longest * 1000, (double) (usage.ru_maxrss - before) / 1024);
	if (longest > 0.1)
		exit(1);
}

int
main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "speed") == 0)
		show_speed((uint32_t) atoi(argv[2]));
	else if (argc > 6 && argc - 5 <= COLUMNS)
	{
		char	   *names[COLUMNS];
		table		t;

		names[0] = argv[3];
		for (int i = 6; i < argc; i++)
			names[i - 5] = argv[i];
		t = read_table(argv[1], (uint32_t) atoi(argv[2]), names, (uint32_t) (argc - 5));
		show_objectives(&t, atof(argv[4]), atof(argv[5]));
		show_cells(&t, atof(argv[4]), atof(argv[5]));
	}
	else
		return 2;
	return 0;
}
