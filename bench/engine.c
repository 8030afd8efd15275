/*
 * engine.c
 *	  How close the engine's rows are to tables that are made here, of known kinds.
 *
 * Usage: engine FITS EPSILON... : a line for each table and epsilon, the means over FITS fits: table, epsilon, mean total
 * variation of all pairs, of 300 triples, CPU seconds of a fit, and of its rows, as many as the table has. Delta is 1e-9.
 * PURE=1: delta is 0. FUNCTIONS=1: what follows from another column is left out of the fit, and computed; GROUPED=1: levels of that other one
 * that have one value are a group. TABLES=narrow,... makes some of them only; CSV=file adds a table of codes from 0, with a line of names.
 *
 *	narrow		14 columns of 2 levels, four of 3, two of 4; three traits, and each goes with the one before; 30,000 rows
 *	binary		16 columns of 2 levels, each of up to three others, two by two; 20,000 rows
 *	mixed		the same of 24: 20 of 2 levels, two of 3, one each of 4 and 5; 25,000 rows
 *	classes		30 columns of 2 to 16 levels, nine latent classes; 8,000 rows
 *	wide		12 columns, one of 240 levels and functions of it among them; 25,000 rows
 *	network		16 columns of 2 to 40 levels, each of up to three others, two by two; 20,000 rows
 *	large		12 columns of 2 to 10 levels, as network; 300,000 rows
 *	many		150 columns of 2 to 4 levels, as network; 50,000 rows. Not made where none is named
 */
#include "core/method.h"
#include "core/rng.h"
#include "core/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct table
{
	uint32_t	m;
	uint32_t	n;
	uint32_t	levels[256];
	uint16_t   *code[256];
	uint16_t   *value[256];		/* of a column that is a function of another: of each level of that; or NULL */
	uint32_t	of[256];
} table;

/* ---- memory: a list, forgotten at once ---- */

typedef struct block
{
	struct block *next;
	char		bytes[];
} block;

static void *
alloc(void *context, size_t bytes)
{
	block	  **list = context;
	block	   *b = calloc(1, sizeof(block) + bytes);

	b->next = *list;
	*list = b;
	return b->bytes;
}

static void
forget(void *context)
{
	block	  **list = context;

	while (*list)
	{
		block	   *b = *list;

		*list = b->next;
		free(b);
	}
}

static void
check(void *context)
{
	(void) context;
}

/* ---- tables ---- */

static uint64_t state;

static double
uniform(void)
{
	uint64_t	z = (state += UINT64_C(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return ((double) ((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double
normal(void)
{
	double		u = uniform();

	return sqrt(-2 * log(u)) * cos(2 * M_PI * uniform());
}

/* One of k by these logarithms of weights. */
static uint16_t
category(const double *weight, uint32_t k)
{
	uint16_t	best = 0;
	double		most = -INFINITY;

	for (uint32_t j = 0; j < k; j++)
	{
		double		w = weight[j] - log(-log(uniform()));

		if (w > most)
		{
			most = w;
			best = (uint16_t) j;
		}
	}
	return best;
}

static double *
normals(size_t n, double scale)
{
	double	   *x = malloc(sizeof(double) * n);

	for (size_t i = 0; i < n; i++)
		x[i] = scale * normal();
	return x;
}

/* Each column of up to three before it, alone and two by two. */
static void
network(table *t, double alone, double together)
{
	for (uint32_t i = 0; i < t->m; i++)
	{
		uint32_t	k = t->levels[i];
		uint32_t	parent[3];
		uint32_t	np = 0;
		double	   *base = normals(k, 0.9);
		double	   *one[3] = {NULL};
		double	   *two[3] = {NULL};
		uint32_t	want = i == 0 ? 0 : 1 + (uint32_t) (3 * uniform());

		for (int tries = 0; np < want && np < i && tries < 100; tries++)
		{
			uint32_t	p = (uint32_t) (i * uniform());
			bool		known = false;

			for (uint32_t x = 0; x < np; x++)
				known |= parent[x] == p;
			if (!known)
				parent[np++] = p;
		}
		for (uint32_t x = 0; x < np; x++)
		{
			uint32_t	y = (x + 1) % np;

			one[x] = normals((size_t) t->levels[parent[x]] * k, alone);
			if (x < y || np == 3)
				two[x] = normals((size_t) t->levels[parent[x]] * t->levels[parent[y]] * k, together);
		}
		for (uint32_t r = 0; r < t->n; r++)
		{
			double		weight[256];

			for (uint32_t j = 0; j < k; j++)
			{
				weight[j] = base[j];
				for (uint32_t x = 0; x < np; x++)
				{
					uint32_t	y = (x + 1) % np;
					uint32_t	a = t->code[parent[x]][r];

					weight[j] += one[x][a * k + j];
					if (two[x])
						weight[j] += two[x][(a * t->levels[parent[y]] + t->code[parent[y]][r]) * k + j];
				}
			}
			t->code[i][r] = category(weight, k);
		}
		free(base);
		for (uint32_t x = 0; x < np; x++)
		{
			free(one[x]);
			free(two[x]);
		}
	}
}

/* A few traits or classes behind all columns; with `chain` each goes with the one before, too. */
static void
latent(table *t, uint32_t traits, bool classes, bool chain)
{
	double	   *u = malloc(sizeof(double) * traits * t->n);
	double	   *size = normals(traits, 1);

	for (uint32_t r = 0; r < t->n; r++)
	{
		uint32_t	z = category(size, traits);

		for (uint32_t x = 0; x < traits; x++)
			u[(size_t) r * traits + x] = classes ? x == z : normal();
	}
	for (uint32_t i = 0; i < t->m; i++)
	{
		uint32_t	k = t->levels[i];
		double	   *by = normals((size_t) traits * k, classes ? 0.8 : 0.9);
		double	   *base = normals(k, 1);
		double	   *before = normals(256 * (size_t) k, 1);

		for (uint32_t r = 0; r < t->n; r++)
		{
			double		weight[256];

			for (uint32_t j = 0; j < k; j++)
			{
				weight[j] = base[j] + (chain && i > 0 ? before[t->code[i - 1][r] * k + j] : 0);
				for (uint32_t x = 0; x < traits; x++)
					weight[j] += u[(size_t) r * traits + x] * by[x * k + j];
			}
			t->code[i][r] = category(weight, k);
		}
		free(by);
		free(base);
		free(before);
	}
	free(u);
	free(size);
}

static void
follows(table *t, uint32_t column, uint32_t of, const uint32_t *value)
{
	t->of[column] = of;
	t->value[column] = calloc(t->levels[of], sizeof(uint16_t));
	for (uint32_t l = 0; l < t->levels[of]; l++)
		t->value[column][l] = (uint16_t) value[l];
}

/* A code of 240 levels, some of them unused, what follows from it, and what goes with that. */
static void
wide(table *t)
{
	double		weight[240];
	uint32_t	group[240];
	table		rest = *t;

	for (int i = 0; i < 240; i++)
	{
		weight[i] = uniform() < 0.1 ? -100 : -1.1 * log(1 + 240 * uniform());
		group[i] = (uint32_t) i * 18 / 240;
	}
	rest.m = 10;
	memmove(rest.levels + 1, t->levels + 2, sizeof(uint32_t) * 9);
	rest.levels[0] = 18;
	memmove(rest.code, t->code + 1, sizeof(uint16_t *) * 10);
	network(&rest, 1, 0.4);
	/* the code is drawn within its group, and the last column follows from the third */
	for (uint32_t r = 0; r < t->n; r++)
	{
		double		w[240];

		for (int i = 0; i < 240; i++)
			w[i] = group[i] == t->code[1][r] ? weight[i] : -1000;
		t->code[0][r] = category(w, 240);
		t->code[11][r] = t->code[2][r] / 2;
	}
	follows(t, 1, 0, group);
	follows(t, 11, 2, (uint32_t[]) {0, 0, 1, 1, 2, 2, 3, 3, 4, 4});
}

static void
levels_of(table *t, uint32_t n, const char *levels)
{
	memset(t, 0, sizeof(*t));
	t->n = n;
	for (const char *c = levels; *c; c += strcspn(c, ",") + (c[strcspn(c, ",")] == ','))
		t->levels[t->m++] = (uint32_t) atoi(c);
	for (uint32_t i = 0; i < t->m; i++)
		t->code[i] = calloc(n, sizeof(uint16_t));
}

static void
read_csv(table *t, const char *name)
{
	FILE	   *file = fopen(name, "r");
	char		line[10000];

	memset(t, 0, sizeof(*t));
	if (!file || !fgets(line, sizeof(line), file))
		exit(1);
	t->m = 1;
	for (char *c = line; *c; c++)
		t->m += *c == ',';
	for (uint32_t i = 0; i < t->m; i++)
		t->code[i] = malloc(sizeof(uint16_t) * 1000000);
	while (fgets(line, sizeof(line), file) && t->n < 1000000)
	{
		char	   *c = line;

		for (uint32_t i = 0; i < t->m; i++)
		{
			uint32_t	code = (uint32_t) strtoul(c, &c, 10);

			c += *c == ',';
			t->code[i][t->n] = (uint16_t) code;
			if (code + 1 > t->levels[i])
				t->levels[i] = code + 1;
		}
		t->n++;
	}
	fclose(file);
}

static bool
make(table *t, const char *name)
{
	state = 8101 + (getenv("SEED") ? (uint64_t) atoi(getenv("SEED")) * 1000003 : 0);
	if (strcmp(name, "narrow") == 0)
	{
		levels_of(t, 30000, "2,2,2,2,2,2,2,2,2,2,2,2,2,2,3,3,3,3,4,4");
		latent(t, 3, false, true);
	}
	else if (strcmp(name, "binary") == 0)
	{
		levels_of(t, 20000, "2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2");
		network(t, 0.8, 0.9);
	}
	else if (strcmp(name, "mixed") == 0)
	{
		levels_of(t, 25000, "2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,3,4,5,3");
		network(t, 0.8, 0.9);
	}
	else if (strcmp(name, "classes") == 0)
	{
		levels_of(t, 8000, "2,5,5,5,3,7,4,4,4,2,2,2,6,5,5,3,10,16,2,2,3,4,5,8,12,2,3,5,4,9");
		latent(t, 9, true, false);
	}
	else if (strcmp(name, "wide") == 0)
	{
		levels_of(t, 25000, "240,18,10,10,60,8,2,5,3,25,12,5");
		wide(t);
	}
	else if (strcmp(name, "network") == 0)
	{
		levels_of(t, 20000, "2,3,12,5,2,20,7,4,30,2,9,6,3,40,15,2");
		network(t, 0.9, 0.7);
	}
	else if (strcmp(name, "large") == 0)
	{
		levels_of(t, 300000, "2,3,10,5,2,8,7,4,6,2,9,3");
		network(t, 0.9, 0.7);
	}
	else if (strcmp(name, "many") == 0)
	{
		levels_of(t, 50000, "2");
		for (t->m = 1; t->m < 150; t->m++)
		{
			t->levels[t->m] = 2 + t->m % 3;
			t->code[t->m] = calloc(t->n, sizeof(uint16_t));
		}
		network(t, 0.8, 0.9);
	}
	else
		return false;
	return true;
}

/* ---- measuring ---- */

/* Total variation of k columns' tables. */
static double
variation(const table *t, uint16_t *const *made, uint32_t k, const uint32_t *column)
{
	size_t		cells = 1;
	int32_t    *count;
	double		sum = 0;

	for (uint32_t x = 0; x < k; x++)
		cells *= t->levels[column[x]];
	count = calloc(cells, sizeof(int32_t));
	for (uint32_t r = 0; r < t->n; r++)
	{
		size_t		real = 0;
		size_t		other = 0;

		for (uint32_t x = 0; x < k; x++)
		{
			real = real * t->levels[column[x]] + t->code[column[x]][r];
			other = other * t->levels[column[x]] + made[column[x]][r];
		}
		count[real]++;
		count[other]--;
	}
	for (size_t i = 0; i < cells; i++)
		sum += abs(count[i]);
	free(count);
	return sum / (2.0 * t->n);
}

static double
cpu(void)
{
	return (double) clock() / CLOCKS_PER_SEC;
}

/* What is fitted of a table; at[i]: which column of that a column is, m: none. */
static table
fitted(const table *t, uint32_t *at, const uint16_t **groups)
{
	table		f = {.n = t->n};

	for (uint32_t i = 0; i < t->m; i++)
	{
		at[i] = t->m;
		if (t->value[i] && getenv("FUNCTIONS"))
			continue;
		at[i] = f.m;
		f.levels[f.m] = t->levels[i];
		f.code[f.m++] = t->code[i];
	}
	for (uint32_t i = 0; i < t->m; i++)
		if (t->value[i] && getenv("GROUPED"))
			groups[at[t->of[i]]] = t->value[i];
	return f;
}

static void
measure(const char *name, const table *t, double epsilon, int fits)
{
	const pegs_method *method = pegs_method_named("graph");
	double		pairs = 0;
	double		triples = 0;
	double		fitting = 0;
	double		drawing = 0;
	uint32_t	at[256];
	const uint16_t *groups[256] = {NULL};
	table		f = fitted(t, at, groups);

	for (int fit = 0; fit < fits; fit++)
	{
		block	   *memory = NULL;
		block	   *batch = NULL;
		pegs_env	env = {.alloc = alloc, .check = check, .context = &memory};
		uint8_t		key[PEGS_KEY_BYTES] = {(uint8_t) fit, 77};
		pegs_layout layout;
		uint64_t   *cells;
		pegs_accountant accountant;
		pegs_ask	ask = {.n = t->n, .batch = {.alloc = alloc, .check = check, .context = &batch}, .forget = forget};
		pegs_wire	wire = {.kind = method->kind, .method = method, .ncols = f.m, .spec = ""};
		pegs_draws *draws;
		pegs_rng	rng;
		uint16_t   *made[256];
		double		began;

		if (pegs_layout_pairs(&env, f.m, f.levels, &layout, NULL) != PEGS_OK)
			exit(1);
#ifdef PEGS_TRIPLE_CELLS
		if (!getenv("NOTRIPLES"))
		pegs_layout_add_triples(&env, &layout);
#endif
#ifdef WITH_GROUPS
		layout.groups = groups;
#endif
		cells = alloc(&memory, sizeof(uint64_t) * layout.ncells);
		for (uint32_t r = 0; r < t->n; r += PEGS_CHUNK)
		{
			uint16_t   *from[256];

			for (uint32_t i = 0; i < f.m; i++)
				from[i] = f.code[i] + r;
			pegs_count_chunk(&layout, cells, from, t->n - r < PEGS_CHUNK ? t->n - r : PEGS_CHUNK);
		}
		pegs_accountant_init(&accountant, llround(epsilon * 1e9), getenv("PURE") ? 0 : PEGS_DELTA_UNIT / 1000000000, 1);
		pegs_rng_init(&rng, key, 1);
		began = cpu();
		wire.levels = layout.levels;
		wire.model = method->fit(&env, &rng, &accountant, &layout, cells);
		fitting += cpu() - began;
		began = cpu();
		if (method->open(&env, &wire, NULL, &ask, &draws) != PEGS_OK)
			exit(1);
		method->start(draws, &rng);
		for (uint32_t i = 0; i < t->m; i++)
			made[i] = malloc(sizeof(uint16_t) * t->n);
		for (uint32_t r = 0; r < t->n; r++)
		{
			uint16_t	row[256];

			if (method->next(draws, row) != PEGS_OK)
				exit(1);
			for (uint32_t i = 0; i < t->m; i++)
				made[i][r] = at[i] < t->m ? row[at[i]] : t->value[i][row[at[t->of[i]]]];
		}
		drawing += cpu() - began;
		for (uint32_t a = 0; a < t->m; a++)
			for (uint32_t b = a + 1; b < t->m; b++)
				pairs += variation(t, made, 2, (uint32_t[]) {a, b}) / (t->m * (t->m - 1.0) / 2);
		state = 20261120;
		for (int i = 0; i < 300;)
		{
			uint32_t	c[3] = {(uint32_t) (t->m * uniform()), (uint32_t) (t->m * uniform()), (uint32_t) (t->m * uniform())};

			if (c[0] < c[1] && c[1] < c[2])
			{
				triples += variation(t, made, 3, c) / 300;
				i++;
			}
		}
		for (uint32_t i = 0; i < t->m; i++)
			free(made[i]);
		forget(&batch);
		forget(&memory);
	}
	printf("%s %g %.5f %.5f %.2f %.2f\n", name, epsilon, pairs / fits, triples / fits, fitting / fits, drawing / fits);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	const char *wanted = getenv("TABLES");
	const char *csv = getenv("CSV") && *getenv("CSV") ? getenv("CSV") : NULL;
	char	   *names = strdup(wanted ? wanted : "narrow,binary,mixed,classes,wide,network,large");
	static table t;

	for (char *name = strtok(names, ","); name; name = strtok(NULL, ","))
	{
		if (!make(&t, name))
		{
			fprintf(stderr, "no table \"%s\"\n", name);
			return 1;
		}
		for (int e = 2; e < argc; e++)
			measure(name, &t, atof(argv[e]), atoi(argv[1]));
		for (uint32_t i = 0; i < t.m; i++)
			free(t.code[i]);
	}
	if (csv)
	{
		read_csv(&t, csv);
		for (int e = 2; e < argc; e++)
			measure("csv", &t, atof(argv[e]), atoi(argv[1]));
	}
	free(names);
	return 0;
}
