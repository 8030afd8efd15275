/*
 * copula.c
 *	  How close the rows of a copula are to a table of numbers, and those of the engine beside it.
 *
 * Usage: copula FITS EPSILON...: a line for each table, method and epsilon, the means over FITS fits, fields with a space between:
 * table, rows, epsilon, method, mean absolute error of the correlations of all pairs, mean total variation of all columns, of all
 * pairs, CPU seconds of a fit, of as many rows as the table has. Delta is 1e-9; PURE=1: 0. Method copula_tau is by Kendall's tau. METHODS=copula,...
 * makes some lines only.
 *
 *	numbers5000, numbers50000	15 columns of 50 bins with skewed margins and normals behind them: the home ground of a copula
 *	nulls50000		the same, a third of its columns NULL where another is large: one is a NULL, the others hang together
 *	rare5000, rare50000	as nulls, but that the third is NULL in 2 rows of 1,000
 *	groups5000, groups50000		a column of four groups, and 8 of 30 bins whose correlations and margins differ by group; method copula_by is
 *					by them. Correlations are those within the groups, pairs those of a column with the groups
 *	alike50000		the same, and the groups are alike: what being by them costs
 *
 * CSV=file adds a table of codes from 0, with a line of names. TABLES=numbers5000,... makes some only.
 */
#include "memory.h"

#include "core/copula/copula.h"
#include "core/copula/normal.h"
#include "core/method.h"
#include "core/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COLUMNS 64
#define FACTORS 4
#define BINS 50
#define GROUPS 4

typedef struct table
{
	bool		groups;			/* the first column says which */
	uint32_t	m;
	uint32_t	n;
	uint32_t	levels[COLUMNS];
	int32_t		nulls[COLUMNS];
	uint16_t   *code[COLUMNS];
} table;

/* ---- tables ---- */

static pegs_rng rng_of_tables;

static void
take_memory(table *t)
{
	for (uint32_t i = 0; i < t->m; i++)
		t->code[i] = calloc(t->n, sizeof(uint16_t));
}

/* Four common causes and noise; u, u^2 or 1 - sqrt(1 - u) of each column's normal, in 50 bins. */
static void
make_numbers(table *t, uint32_t n, double nulls)
{
	double		load[COLUMNS][FACTORS];
	double		length[COLUMNS];
	uint8_t		key[PEGS_KEY_BYTES] = {11};

	*t = (table) {.m = 15, .n = n};
	take_memory(t);
	pegs_rng_init(&rng_of_tables, key, n);
	for (uint32_t i = 0; i < t->m; i++)
	{
		double		square = 1;

		for (int k = 0; k < FACTORS; k++)
		{
			load[i][k] = pegs_normal_draw(&rng_of_tables);
			square += load[i][k] * load[i][k];
		}
		length[i] = sqrt(square);
		t->levels[i] = BINS + (nulls > 0 && i % 3 == 0);
		t->nulls[i] = nulls > 0 && i % 3 == 0 ? BINS : -1;
	}
	for (uint32_t r = 0; r < n; r++)
	{
		double		cause[FACTORS];
		double		u[COLUMNS];

		for (int k = 0; k < FACTORS; k++)
			cause[k] = pegs_normal_draw(&rng_of_tables);
		for (uint32_t i = 0; i < t->m; i++)
		{
			double		z = pegs_normal_draw(&rng_of_tables);
			double		x;

			for (int k = 0; k < FACTORS; k++)
				z += load[i][k] * cause[k];
			u[i] = erfc(-z / length[i] * M_SQRT1_2) / 2;
			x = i % 3 == 0 ? u[i] : i % 3 == 1 ? u[i] * u[i] : 1 - sqrt(1 - u[i]);
			t->code[i][r] = (uint16_t) fmin(BINS - 1, x * BINS);
		}
		for (uint32_t i = 0; i < t->m; i += 3)
			if (u[(i + 1) % t->m] > 1 - nulls)
				t->code[i][r] = BINS;
	}
}

/* Two common causes, whose loads are each group's own; each group has its own place on each scale, in no order. */
static void
make_groups(table *t, uint32_t n, bool alike)
{
	static const double share[GROUPS] = {0.5, 0.8, 0.95, 1};
	double		load[GROUPS][COLUMNS][2];
	double		place[GROUPS][COLUMNS];
	uint8_t		key[PEGS_KEY_BYTES] = {12};

	*t = (table) {.groups = true, .m = 9, .n = n};
	take_memory(t);
	pegs_rng_init(&rng_of_tables, key, n);
	for (uint32_t i = 0; i < t->m; i++)
	{
		t->levels[i] = i == 0 ? GROUPS : 30;
		t->nulls[i] = -1;
		for (int g = 0; g < GROUPS; g++)
		{
			place[g][i] = alike && g > 0 ? place[0][i] : 0.6 * pegs_normal_draw(&rng_of_tables);
			for (int k = 0; k < 2; k++)
				load[g][i][k] = alike && g > 0 ? load[0][i][k] : 1.5 * pegs_normal_draw(&rng_of_tables);
		}
	}
	for (uint32_t r = 0; r < n; r++)
	{
		double		cause[2] = {pegs_normal_draw(&rng_of_tables), pegs_normal_draw(&rng_of_tables)};
		double		u = pegs_rng_double(&rng_of_tables);
		int			g = 0;

		while (u >= share[g])
			g++;
		t->code[0][r] = (uint16_t) g;
		for (uint32_t i = 1; i < t->m; i++)
		{
			double		square = 1 + load[g][i][0] * load[g][i][0] + load[g][i][1] * load[g][i][1];
			double		z = (pegs_normal_draw(&rng_of_tables) + load[g][i][0] * cause[0] + load[g][i][1] * cause[1]) / sqrt(square);

			t->code[i][r] = (uint16_t) fmin(29, 30 * erfc(-(z + place[g][i]) / sqrt(1.36) * M_SQRT1_2) / 2);
		}
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
			t->nulls[i] = -1;
		}
	}
	fclose(in);
}

/* ---- measures ---- */

/* Of the rows in which neither is NULL, of a group; -1: of all. */
static double
correlation(const table *t, uint16_t *const *code, uint32_t a, uint32_t b, int group)
{
	double		n = 0;
	double		sum[5] = {0};

	for (uint32_t r = 0; r < t->n; r++)
	{
		double		x = code[a][r];
		double		y = code[b][r];

		if ((int32_t) x == t->nulls[a] || (int32_t) y == t->nulls[b] || (group >= 0 && code[0][r] != group))
			continue;
		n++;
		sum[0] += x;
		sum[1] += y;
		sum[2] += x * x;
		sum[3] += y * y;
		sum[4] += x * y;
	}
	n = fmax(n, 1);
	return (sum[4] - sum[0] * sum[1] / n) / fmax(sqrt((sum[2] - sum[0] * sum[0] / n) * (sum[3] - sum[1] * sum[1] / n)), 1e-9);
}

/* Total variation of one column, b = m, or two. */
static double
variation(const table *t, uint16_t *const *made, uint32_t a, uint32_t b)
{
	uint32_t	m = b < t->m ? t->levels[b] : 1;
	int32_t    *count = calloc((size_t) t->levels[a] * m, sizeof(int32_t));
	double		sum = 0;

	for (uint32_t r = 0; r < t->n; r++)
	{
		count[t->code[a][r] * m + (b < t->m ? t->code[b][r] : 0)]++;
		count[made[a][r] * m + (b < t->m ? made[b][r] : 0)]--;
	}
	for (size_t i = 0; i < (size_t) t->levels[a] * m; i++)
		sum += abs(count[i]);
	free(count);
	return sum / (2.0 * t->n);
}

/* Mean absolute errors of correlations: of all pairs, or of those within each group. */
static double
errors(const table *t, uint16_t *const *made)
{
	double		sum = 0;
	int			n = 0;

	for (int g = t->groups ? 0 : -1; g < (t->groups ? GROUPS : 0); g++)
		for (uint32_t a = t->groups; a < t->m; a++)
			for (uint32_t b = a + 1; b < t->m; b++, n++)
				sum += fabs(correlation(t, made, a, b, g) - correlation(t, t->code, a, b, g));
	return sum / n;
}

/* ---- a fit, and its rows ---- */

static double
cpu(void)
{
	return (double) clock() / CLOCKS_PER_SEC;
}

static void
count(const pegs_env *env, const pegs_method *method, const pegs_setting *settings, const table *t, pegs_layout *layout, uint64_t **cells)
{
	pegs_kept  *kept = NULL;

	if (pegs_layout_pairs(env, t->m, t->levels, layout, NULL) != PEGS_OK)
		exit(1);
	if (method->triples)
		pegs_layout_add_triples(env, layout);
	layout->nulls = t->nulls;
	layout->settings = settings;
	if (settings)
		layout->kept = kept = pegs_kept_new(env, t->m, t->levels);
	*cells = alloc(env->context, sizeof(uint64_t) * layout->ncells);
	for (uint32_t r = 0; r < t->n; r += PEGS_CHUNK)
	{
		uint16_t   *at[COLUMNS];

		for (uint32_t i = 0; i < t->m; i++)
			at[i] = t->code[i] + r;
		pegs_count_chunk(layout, *cells, at, t->n - r < PEGS_CHUNK ? t->n - r : PEGS_CHUNK);
		if (kept)
			pegs_kept_add(kept, at, NULL, t->n - r < PEGS_CHUNK ? t->n - r : PEGS_CHUNK);
	}
}

static void
make_rows(const pegs_env *env, const pegs_wire *wire, pegs_rng *rng, const table *t, uint16_t **made)
{
	block	   *batch = NULL;
	pegs_ask	ask = {.n = t->n, .one_by_one = wire->method->independent, .batch = {.alloc = alloc, .check = check, .context = &batch}, .forget = forget};
	pegs_draws *draws;
	uint16_t	row[COLUMNS];

	if (wire->method->open(env, wire, NULL, &ask, &draws) != PEGS_OK)
		exit(1);
	wire->method->start(draws, rng);
	for (uint32_t r = 0; r < t->n; r++)
	{
		if (wire->method->next(draws, row) != PEGS_OK)
			exit(1);
		for (uint32_t i = 0; i < t->m; i++)
			made[i][r] = row[i];
	}
	forget(&batch);
}

static void
measure(const char *name, const table *t, const char *form, const pegs_setting *settings, double epsilon, int fits)
{
	static const char *const methods[] = {"copula", "graph"};
	const pegs_method *method = pegs_method_named(methods[strcmp(form, "graph") == 0]);
	double		sum[5] = {0};	/* as they are printed */
	double		pairs = t->groups ? t->m - 1 : t->m * (t->m - 1.0) / 2;
	uint16_t   *made[COLUMNS];

	for (uint32_t i = 0; i < t->m; i++)
		made[i] = malloc(sizeof(uint16_t) * t->n);
	for (int fit = 0; fit < fits; fit++)
	{
		block	   *memory = NULL;
		pegs_env	env = {.alloc = alloc, .check = check, .context = &memory};
		uint8_t		key[PEGS_KEY_BYTES] = {(uint8_t) fit, 78};
		pegs_layout layout;
		uint64_t   *cells;
		pegs_accountant accountant;
		pegs_wire	wire = {.kind = method->kind, .method = method, .ncols = t->m, .spec = ""};
		pegs_rng	rng;
		double		began;

		count(&env, method, settings, t, &layout, &cells);
		pegs_accountant_init(&accountant, llround(epsilon * 1e9), getenv("PURE") && *getenv("PURE") ? 0 : PEGS_DELTA_UNIT / 1000000000, 1);
		pegs_rng_init(&rng, key, 1);
		began = cpu();
		wire.levels = layout.levels;
		wire.model = method->fit(&env, &rng, &accountant, &layout, cells);
		sum[3] += cpu() - began;
		began = cpu();
		make_rows(&env, &wire, &rng, t, made);
		sum[4] += cpu() - began;
		for (uint32_t a = 0; a < t->m; a++)
		{
			sum[1] += variation(t, made, a, t->m) / t->m;
			for (uint32_t b = a + 1; b < t->m && (a == 0 || !t->groups); b++)
				sum[2] += variation(t, made, a, b) / pairs;
		}
		sum[0] += errors(t, made);
		forget(&memory);
	}
	for (uint32_t i = 0; i < t->m; i++)
		free(made[i]);
	printf("%s %u %g %s", name, t->n, epsilon, form);
	for (int i = 0; i < 5; i++)
		printf(" %.4f", sum[i] / fits);
	printf("\n");
	fflush(stdout);
}

static void
measure_all(const char *name, table *t, int argc, char **argv)
{
	static const bool first[COLUMNS] = {true};
	static const pegs_setting tau[PEGS_COPULA_OPTIONS] = {[PEGS_COPULA_CORRELATION] = {.given = true, .number = 1}};
	static const pegs_setting by[PEGS_COPULA_OPTIONS] = {[PEGS_COPULA_BY] = {.given = true, .columns = first}};
	static const char *const forms[] = {"copula", "copula_tau", "graph", "copula_by"};
	static const pegs_setting *const settings[] = {NULL, tau, NULL, by};
	const char *wanted = getenv("METHODS");

	for (int e = 2; e < argc; e++)
		for (int i = 0; i < 3 + t->groups; i++)
			if (wanted == NULL || *wanted == 0 || strstr(wanted, forms[i]))
				measure(name, t, forms[i], settings[i], atof(argv[e]), atoi(argv[1]));
	for (uint32_t i = 0; i < t->m; i++)
		free(t->code[i]);
}

int
main(int argc, char **argv)
{
	const char *wanted = getenv("TABLES");
	const char *csv = getenv("CSV") && *getenv("CSV") ? getenv("CSV") : NULL;
	char	   *names = strdup(wanted ? wanted : "numbers5000,numbers50000,nulls50000,rare5000,rare50000,groups5000,groups50000,alike50000");
	static table t;

	for (char *name = strtok(names, ","); name; name = strtok(NULL, ","))
	{
		double		nulls = strncmp(name, "nulls", 5) == 0 ? 0.3 : strncmp(name, "rare", 4) == 0 ? 0.002 : 0;
		bool		alike = strncmp(name, "alike", 5) == 0;
		uint32_t	n = (uint32_t) atoi(name + strcspn(name, "0123456789"));

		if (alike || strncmp(name, "groups", 6) == 0)
			make_groups(&t, n, alike);
		else if (nulls > 0 || strncmp(name, "numbers", 7) == 0)
			make_numbers(&t, n, nulls);
		else
			return 1;
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
