/*
 * scores.c
 *	  How well a score tells the positive rows of a table from the others: fitted to its rows, with delta and without, and out of a
 *	  perturbed model.
 *
 * Usage: scores SPLITS EPSILON...: a line for each table, epsilon and kind of score, the means over SPLITS random splits of the rows, 80
 * of a hundred to fit and 20 to ask, fields with a space between: table, rows, epsilon, kind, area under the ROC curve, its standard deviation over
 * the splits, Brier score, CPU seconds of a fit of the score, of all that came before it (of a model: its fit, and its rows).
 * Kinds: additive (delta 1e-9), pure (delta 0), model (delta 1e-9, out of 131,072 rows of `graph`), none (without noise).
 *
 *	made50000	12 columns, of which six say something: in steps, in a curve, by a level; a quarter of the rows is positive
 *
 * CSV=file adds a table of codes from 0, with a line of names: its last column is the target, level 1 positive. TABLES= makes some only.
 */
#include "memory.h"

#include "core/method.h"
#include "core/score/score.h"
#include "core/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COLUMNS 64
#define MODEL_ROWS 131072

typedef struct table
{
	uint32_t	m;				/* columns, the last is the target */
	uint32_t	n;
	uint32_t	levels[COLUMNS];
	uint16_t   *code[COLUMNS];
} table;

/* ---- tables ---- */

static void
take_memory(table *t)
{
	for (uint32_t i = 0; i < t->m; i++)
		t->code[i] = calloc(t->n, sizeof(uint16_t));
}

static void
make_table(table *t, uint32_t n)
{
	static const uint32_t levels[] = {40, 20, 8, 100, 2, 5, 30, 6, 12, 3, 50, 4, 2};
	uint8_t		key[PEGS_KEY_BYTES] = {12};
	pegs_rng	rng;

	*t = (table) {.m = 13, .n = n};
	memcpy(t->levels, levels, sizeof(levels));
	take_memory(t);
	pegs_rng_init(&rng, key, n);
	for (uint32_t r = 0; r < n; r++)
	{
		double		common = pegs_rng_double(&rng);
		double		x[13];
		double		z;

		for (uint32_t i = 0; i < 12; i++)
		{
			/* half of the columns hang together */
			double		u = i % 2 == 0 ? 0.6 * common + 0.4 * pegs_rng_double(&rng) : pegs_rng_double(&rng);

			u = i % 3 == 0 ? u * u : u;
			t->code[i][r] = (uint16_t) fmin(levels[i] - 1, u * levels[i]);
			x[i] = u;
		}
		z = -2.4 + 3 * x[0] + 2 * sin(6 * x[1]) + (t->code[2][r] > 5 ? 1.5 : 0) - 4 * (x[3] - 0.5) * (x[3] - 0.5) + 0.8 * t->code[4][r] + (t->code[5][r] == 2 ? 1.2 : 0);
		t->code[12][r] = pegs_rng_double(&rng) < 1 / (1 + exp(-z));
	}
}

static void
read_table(table *t, const char *file)
{
	FILE	   *in = fopen(file, "r");
	static char line[65536];
	uint32_t	room = 1 << 20;

	*t = (table) {.m = 1, .n = room};
	if (in == NULL || fgets(line, sizeof(line), in) == NULL)
		exit(1);
	for (const char *p = line; *p; p++)
		t->m += *p == ',';
	take_memory(t);
	for (t->n = 0; t->n < room && fgets(line, sizeof(line), in); t->n++)
	{
		char	   *p = line;

		for (uint32_t i = 0; i < t->m; i++, p++)
		{
			t->code[i][t->n] = (uint16_t) strtol(p, &p, 10);
			if (t->code[i][t->n] >= t->levels[i])
				t->levels[i] = t->code[i][t->n] + 1u;
		}
	}
	fclose(in);
}

/* In an order of its own for each split: the first of them are to be fitted. */
static void
shuffle(const table *t, uint8_t split, uint32_t *order)
{
	uint8_t		key[PEGS_KEY_BYTES] = {split, 79};
	pegs_rng	rng;

	pegs_rng_init(&rng, key, 1);
	for (uint32_t r = 0; r < t->n; r++)
		order[r] = r;
	for (uint32_t r = t->n; r-- > 1;)
	{
		uint32_t	other = (uint32_t) pegs_rng_below(&rng, r + 1);
		uint32_t	kept = order[r];

		order[r] = order[other];
		order[other] = kept;
	}
}

/* ---- fits ---- */

static double
cpu(void)
{
	return (double) clock() / CLOCKS_PER_SEC;
}

static pegs_kept *
keep(const pegs_env *env, const table *t, const uint32_t *order, uint32_t n)
{
	pegs_kept  *kept = pegs_kept_new(env, t->m, t->levels);
	static uint16_t codes[COLUMNS][PEGS_CHUNK];
	uint16_t   *at[COLUMNS];

	for (uint32_t i = 0; i < t->m; i++)
		at[i] = codes[i];
	for (uint32_t r = 0; r < n; r += PEGS_CHUNK)
	{
		uint32_t	some = n - r < PEGS_CHUNK ? n - r : PEGS_CHUNK;

		for (uint32_t i = 0; i < t->m; i++)
			for (uint32_t k = 0; k < some; k++)
				codes[i][k] = t->code[i][order ? order[r + k] : r + k];
		pegs_kept_add(kept, at, NULL, some);
	}
	return kept;
}

static void
count(const pegs_env *env, const pegs_kept *kept, const pegs_layout *layout, uint64_t *cells)
{
	static uint16_t codes[COLUMNS][PEGS_CHUNK];
	uint16_t   *at[COLUMNS];

	(void) env;
	for (uint32_t i = 0; i < layout->ncols; i++)
		at[i] = codes[i];
	for (uint64_t b = 0; b < pegs_kept_blocks(kept); b++)
	{
		for (uint32_t i = 0; i < layout->ncols; i++)
			pegs_kept_column(kept, b, i, codes[i]);
		pegs_count_chunk(layout, cells, at, pegs_kept_rows(kept, b));
	}
}

/* Rows of a perturbed model in the place of those that it was fitted to. */
static pegs_kept *
rows_of_model(const pegs_env *env, const table *t, const pegs_kept *kept, const pegs_accountant *accountant, pegs_rng *rng)
{
	const pegs_method *method = pegs_method_named("graph");
	pegs_wire	wire = {.kind = method->kind, .method = method, .ncols = t->m, .spec = ""};
	block	   *batch = NULL;
	pegs_ask	ask = {.n = MODEL_ROWS, .batch = {.alloc = alloc, .check = check, .context = &batch}, .forget = forget};
	table		made = *t;
	pegs_layout layout;
	uint64_t   *cells;
	pegs_draws *draws;
	uint16_t	row[COLUMNS];
	pegs_kept  *result;

	if (pegs_layout_pairs(env, t->m, t->levels, &layout, NULL) != PEGS_OK)
		exit(1);
	if (method->triples)
		pegs_layout_add_triples(env, &layout);
	cells = alloc(env->context, sizeof(uint64_t) * layout.ncells);
	count(env, kept, &layout, cells);
	wire.levels = layout.levels;
	wire.model = method->fit(env, rng, accountant, &layout, cells);
	made.n = MODEL_ROWS;
	take_memory(&made);
	if (method->open(env, &wire, NULL, &ask, &draws) != PEGS_OK)
		exit(1);
	method->start(draws, rng);
	for (uint32_t r = 0; r < MODEL_ROWS; r++)
	{
		if (method->next(draws, row) != PEGS_OK)
			exit(1);
		for (uint32_t i = 0; i < t->m; i++)
			made.code[i][r] = row[i];
	}
	forget(&batch);
	result = keep(env, &made, NULL, MODEL_ROWS);
	for (uint32_t i = 0; i < t->m; i++)
		free(made.code[i]);
	return result;
}

/* ---- how good ---- */

typedef struct asked
{
	int64_t		sum;
	bool		positive;
} asked;

static int
by_sum(const void *a, const void *b)
{
	int64_t		x = ((const asked *) a)->sum;
	int64_t		y = ((const asked *) b)->sum;

	return (x > y) - (x < y);
}

/* The area under the ROC curve: a tie is half of it. */
static double
area(asked *row, uint32_t n)
{
	double		below = 0;		/* negatives so far */
	double		pairs = 0;
	double		positives = 0;

	qsort(row, n, sizeof(asked), by_sum);
	for (uint32_t r = 0, end; r < n; r = end)
	{
		double		here[2] = {0};

		for (end = r; end < n && row[end].sum == row[r].sum; end++)
			here[row[end].positive]++;
		pairs += here[1] * (below + here[0] / 2);
		below += here[0];
		positives += here[1];
	}
	return pairs / (positives * below);
}

static const char *const kinds[] = {"additive", "pure", "model", "none"};

static void
measure(const char *name, const table *t, const char *kind, double epsilon, int splits)
{
	double		sum[5] = {0};	/* area, its square, Brier, seconds */
	uint32_t   *order = malloc(sizeof(uint32_t) * t->n);
	asked	   *row = malloc(sizeof(asked) * t->n);
	uint32_t	fitted = t->n / 5 * 4;

	for (int split = 0; split < splits; split++)
	{
		block	   *memory = NULL;
		pegs_env	env = {.alloc = alloc, .check = check, .context = &memory};
		uint8_t		key[PEGS_KEY_BYTES] = {(uint8_t) split, 80};
		const bool *positive = (bool[2]) {false, true};
		pegs_layout layout = {.ncols = t->m, .levels = (uint32_t *) t->levels};
		pegs_accountant accountant;
		pegs_score_model model;
		pegs_kept  *kept;
		pegs_rng	rng;
		double		began = cpu();
		double		brier = 0;
		double		auc;

		shuffle(t, (uint8_t) split, order);
		kept = keep(&env, t, order, fitted);
		pegs_accountant_init(&accountant, llround(epsilon * 1e9), *kind == 'p' ? 0 : PEGS_DELTA_UNIT / 1000000000, 1);
		pegs_rng_init(&rng, key, 1);
		if (*kind == 'm')
			kept = rows_of_model(&env, t, kept, &accountant, &rng);
		sum[4] += cpu() - began;
		began = cpu();
		pegs_additive_fit(&env, &rng, *kind == 'm' || *kind == 'n' ? NULL : &accountant, &layout, positive, t->m - 1, kept, &model);
		sum[3] += cpu() - began;
		for (uint32_t r = fitted; r < t->n; r++)
		{
			int32_t		code[COLUMNS];
			double		p;

			for (uint32_t i = 0; i < t->m; i++)
				code[i] = t->code[i][order[r]];
			row[r - fitted] = (asked) {.sum = pegs_score_sum(&model, code), .positive = code[t->m - 1] == 1};
			p = pegs_score_of(&model, code) - (code[t->m - 1] == 1);
			brier += p * p / (t->n - fitted);
		}
		auc = area(row, t->n - fitted);
		sum[0] += auc;
		sum[1] += auc * auc;
		sum[2] += brier;
		forget(&memory);
	}
	printf("%s %u %g %s %.4f %.4f %.4f %.2f %.2f\n", name, t->n, epsilon, kind, sum[0] / splits,
		   sqrt(fmax(0, sum[1] / splits - sum[0] / splits * sum[0] / splits)), sum[2] / splits, sum[3] / splits, sum[4] / splits);
	fflush(stdout);
	free(order);
	free(row);
}

static void
measure_all(const char *name, table *t, int argc, char **argv)
{
	const char *wanted = getenv("KINDS");

	if (t->levels[t->m - 1] != 2)
		exit(1);
	for (int k = 0; k < 4; k++)
		for (int e = 2; e < argc && (k < 3 || e == 2); e++)
			if (wanted == NULL || *wanted == '\0' || strstr(wanted, kinds[k]))
				measure(name, t, kinds[k], atof(argv[e]), atoi(argv[1]));
	for (uint32_t i = 0; i < t->m; i++)
		free(t->code[i]);
}

int
main(int argc, char **argv)
{
	const char *wanted = getenv("TABLES");
	const char *csv = getenv("CSV") && *getenv("CSV") ? getenv("CSV") : NULL;
	char	   *names = strdup(wanted ? wanted : "made50000");
	static table t;

	for (char *name = strtok(names, ","); name; name = strtok(NULL, ","))
	{
		if (strncmp(name, "made", 4) != 0)
			return 1;
		make_table(&t, (uint32_t) atoi(name + 4));
		measure_all(name, &t, argc, argv);
	}
	if (csv)
	{
		read_table(&t, csv);
		measure_all("csv", &t, argc, argv);
	}
	free(names);
	return 0;
}
