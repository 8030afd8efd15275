/*
 * rows.c
 *	  How close rows are, and what they cost: smooth rows beside those of 0.2.0,
 *	  drawn from the same fits. Needs the core alone (bench/rows).
 *
 *	  rows FITS ROWS DELTA EPSILON... [-- NAME FILE.csv...]
 *
 * ROWS 0: as many as the table has. Tables: made here (a network with
 * interactions of three columns, latent classes, wide codes with columns that
 * follow from others, narrow columns), and files of codes from 0 with a header.
 * Prints mean 2- and 3-way total variation over all pairs and 100 triples, and
 * the CPU seconds of a batch, apportioning included, of a model that is kept: a
 * batch before it has found what the tree expects. At last the seconds of
 * apportioning alone, which is the same for both.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/graph/draw.h"
#include "core/graph/smooth.h"
#include "world.h"

#define MOST 40

typedef struct table
{
	const char *name;
	uint32_t	m;
	uint32_t	n;
	uint32_t	levels[MOST];
	uint16_t   *code[MOST];
} table;

static void
begin(table *t, const char *name, uint32_t m, uint32_t n, const uint32_t *levels, uint64_t number)
{
	begin_tables(number);
	t->name = name;
	t->m = m;
	t->n = n;
	for (uint32_t c = 0; c < m; c++)
	{
		t->levels[c] = levels[c];
		t->code[c] = calloc(n, sizeof(uint16_t));
	}
}

/* One of k levels, by logits. */
static uint16_t
pick(uint32_t k, const double *logit)
{
	uint32_t	best = 0;
	double		most = -1e300;

	for (uint32_t i = 0; i < k; i++)
	{
		double		x = logit[i] - log(-log(uniform()));

		if (x > most)
		{
			most = x;
			best = i;
		}
	}
	return (uint16_t) best;
}

static double *
normals(size_t n, double sd)
{
	double	   *x = malloc(sizeof(double) * n);

	for (size_t i = 0; i < n; i++)
		x[i] = sd * normal();
	return x;
}

/* Bumps or falling shares. */
static void
base_of(uint32_t i, uint32_t k, double *base)
{
	for (uint32_t l = 0; l < k; l++)
		base[l] = i % 3 ? 3 - 6.0 * (l + .5) / k + .3 * normal() : -pow((l - k * .4) / (k * .25), 2) / 2 + .3 * normal();
}

/* A: a network with interactions of three columns. */
static void
network(table *t, uint32_t n)
{
	static const uint32_t levels[16] = {2, 3, 12, 5, 2, 20, 7, 4, 30, 2, 9, 6, 3, 40, 15, 2};
	double		logit[64];

	begin(t, "network", 16, n, levels, 1);
	for (uint32_t i = 0; i < 16; i++)
	{
		uint32_t	k = levels[i];
		uint32_t	parents = i == 0 ? 0 : (uint32_t[]) {0, 1, 2, 2, 3}[(int) (5 * uniform())];
		uint32_t	parent[3];
		double	   *of[3], *of2[3] = {0}, base[64];

		if (parents > i)
			parents = i;
		base_of(i, k, base);
		for (uint32_t p = 0; p < parents; p++)
		{
			double	   *steep;

		again:
			parent[p] = (uint32_t) (i * uniform());
			for (uint32_t q = 0; q < p; q++)
				if (parent[q] == parent[p])
					goto again;
			steep = normals(levels[parent[p]], 1);
			of[p] = normals((size_t) levels[parent[p]] * k, .5);
			for (uint32_t x = 0; x < levels[parent[p]]; x++)
				for (uint32_t l = 0; l < k; l++)
					of[p][(size_t) x * k + l] += steep[x] * (k > 1 ? 2.0 * l / (k - 1) - 1 : 0);
		}
		for (uint32_t p = 0; p < parents; p++)	/* with the next parent */
			if (parents > 1 && (p == 0 || parents > 2))
				of2[p] = normals((size_t) levels[parent[p]] * levels[parent[(p + 1) % parents]] * k, .9);
		for (uint32_t r = 0; r < n; r++)
		{
			for (uint32_t l = 0; l < k; l++)
			{
				logit[l] = base[l];
				for (uint32_t p = 0; p < parents; p++)
				{
					uint32_t	x = t->code[parent[p]][r];
					uint32_t	q = parent[(p + 1) % parents];

					logit[l] += of[p][(size_t) x * k + l];
					if (of2[p])
						logit[l] += of2[p][((size_t) x * levels[q] + t->code[q][r]) * k + l];
				}
			}
			t->code[i][r] = pick(k, logit);
		}
	}
}

/* B: many columns of latent classes; everything hangs together weakly. */
static void
latent(table *t, uint32_t n)
{
	static const uint32_t levels[30] = {2, 5, 5, 5, 3, 7, 4, 4, 4, 2, 2, 2, 6, 5, 5, 3, 10, 16, 2, 2, 3, 4, 5, 8, 12, 2, 3, 5, 4, 9};
	double	   *z0, *u;
	uint16_t   *z = malloc(sizeof(uint16_t) * n);
	double		logit[64];

	begin(t, "latent", 30, n, levels, 2);
	z0 = normals(9, 1);
	u = normals(n, 1);
	for (uint32_t r = 0; r < n; r++)
		z[r] = pick(9, z0);
	for (uint32_t i = 0; i < 30; i++)
	{
		uint32_t	k = levels[i];
		double	   *w = normals((size_t) 9 * k, .7);
		double	   *b = normals(k, 1);
		double		s = normal();

		for (uint32_t r = 0; r < n; r++)
		{
			for (uint32_t l = 0; l < k; l++)
				logit[l] = w[z[r] * k + l] + b[l] + u[r] * s * (2.0 * l / (k - 1) - 1);
			t->code[i][r] = pick(k, logit);
		}
	}
}

/* C: wide codes, and columns that follow from others. */
static void
codes_and_groups(table *t, uint32_t n)
{
	static const uint32_t levels[12] = {240, 18, 10, 10, 60, 8, 2, 5, 3, 25, 12, 2};
	double		w[240], logit[64];
	uint16_t	group[240];
	double	   *g, *a5, *b5, *a6, *a7, *b7, *a8;

	begin(t, "codes", 12, n, levels, 3);
	for (int i = 0; i < 240; i++)
		w[i] = uniform() < 0.125 ? -50 : -1.1 * log(1 + floor(240 * uniform()));
	for (int i = 0; i < 240; i++)
		group[i] = (uint16_t) (i * 18 / 240);
	g = normals(18, .8);
	a5 = normals(18 * 8, 1);
	b5 = normals(10 * 8, .6);
	a6 = normals(8, .7);
	a7 = normals(2 * 5, 1);
	b7 = normals(8 * 5, .5);
	a8 = normals(3, 1);
	for (uint32_t r = 0; r < n; r++)
	{
		uint16_t	x[12];
		double		inc;

		x[0] = pick(240, w);
		x[1] = group[x[0]];
		inc = normal() + g[x[1]];
		x[2] = (uint16_t) fmin(9, fmax(0, (inc + 3) / .6));
		x[3] = (uint16_t) fmin(9, fmax(0, inc * 2.2 + 5));
		x[4] = (uint16_t) fmin(59, exp(inc) * 3);
		for (int l = 0; l < 8; l++)
			logit[l] = a5[x[1] * 8 + l] + b5[x[2] * 8 + l];
		x[5] = pick(8, logit);
		x[6] = uniform() < 1 / (1 + exp(-(inc - 1 + a6[x[5]])));
		for (int l = 0; l < 5; l++)
			logit[l] = a7[x[6] * 5 + l] + b7[x[5] * 5 + l];
		x[7] = pick(5, logit);
		x[8] = pick(3, a8);
		for (int l = 0; l < 25; l++)
			logit[l] = -pow((l - 12 - 3 * inc) / 4, 2) / 2;
		x[9] = pick(25, logit);
		x[10] = (uint16_t) fmin(11, x[9] / 2);
		x[11] = x[8] == 2 ? 0 : uniform() < .97;
		for (int c = 0; c < 12; c++)
			t->code[c][r] = x[c];
	}
}

/* D: narrow columns. */
static void
narrow(table *t, uint32_t n)
{
	uint32_t	levels[20];
	double	   *u, logit[8];

	for (int i = 0; i < 20; i++)
		levels[i] = i < 14 ? 2 : i < 18 ? 3 : 4;
	begin(t, "narrow", 20, n, levels, 9);
	u = normals((size_t) 3 * n, 1);
	for (uint32_t i = 0; i < 20; i++)
	{
		uint32_t	k = levels[i];
		double	   *a = normals(3 * k, .9), *b = normals(k, 1), *c = normals(4 * k, 1);

		for (uint32_t r = 0; r < n; r++)
		{
			for (uint32_t l = 0; l < k; l++)
				logit[l] = u[3 * r] * a[l] + u[3 * r + 1] * a[k + l] + u[3 * r + 2] * a[2 * k + l] + b[l]
					+ (i > 0 ? c[t->code[i - 1][r] * k + l] : 0);
			t->code[i][r] = pick(k, logit);
		}
	}
}

/* Codes with a header line; a column has as many levels as its largest code says. */
static bool
from_file(table *t, const char *name, const char *path)
{
	FILE	   *f = fopen(path, "r");
	static char line[4096];
	uint32_t	room = 1 << 20;

	if (f == NULL || fgets(line, sizeof(line), f) == NULL)
		return false;
	memset(t, 0, sizeof(*t));
	t->name = name;
	t->m = 1;
	for (char *p = line; *p; p++)
		t->m += *p == ',';
	for (uint32_t c = 0; c < t->m; c++)
		t->code[c] = calloc(room, sizeof(uint16_t));
	while (t->n < room && fgets(line, sizeof(line), f))
	{
		char	   *p = line;

		for (uint32_t c = 0; c < t->m; c++, p++)
		{
			uint32_t	x = (uint32_t) strtoul(p, &p, 10);

			t->code[c][t->n] = (uint16_t) x;
			if (x >= t->levels[c])
				t->levels[c] = x + 1;
		}
		t->n++;
	}
	fclose(f);
	return true;
}

/* ---- measured ---- */

static void	  **block;
static size_t	blocks;

static void *
take(void *context, size_t bytes)
{
	(void) context;
	if (blocks % 1024 == 0)
		block = realloc(block, sizeof(void *) * (blocks + 1024));
	return block[blocks++] = calloc(1, bytes > 0 ? bytes : 1);
}

static void
ask(void *context)
{
	(void) context;
}

static void
forget(size_t from)
{
	while (blocks > from)
		free(block[--blocks]);
}

static double
cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static double
variation(const table *t, int k, const uint32_t *column, uint16_t **rows, uint32_t n)
{
	size_t		cells = 1;
	double	   *h;
	double		sum = 0;

	for (int i = 0; i < k; i++)
		cells *= t->levels[column[i]];
	h = calloc(cells, sizeof(double));
	for (int side = 0; side < 2; side++)
		for (uint32_t r = 0; r < (side ? n : t->n); r++)
		{
			size_t		at = 0;

			for (int i = 0; i < k; i++)
				at = at * t->levels[column[i]] + (side ? rows : t->code)[column[i]][r];
			h[at] += side ? -1.0 / n : 1.0 / t->n;
		}
	for (size_t i = 0; i < cells; i++)
		sum += fabs(h[i]);
	free(h);
	return sum / 2;
}

/* All pairs; a hundred triples, the same for all. */
static void
compare(const table *t, uint16_t **rows, uint32_t n, double *tv)
{
	pegs_rng	rng;
	uint8_t		key[PEGS_KEY_BYTES] = {5};

	pegs_rng_init(&rng, key, 1);
	for (uint32_t a = 0; a < t->m; a++)
		for (uint32_t b = a + 1; b < t->m; b++)
			tv[0] += variation(t, 2, (uint32_t[]) {a, b}, rows, n) / (t->m * (t->m - 1) / 2);
	for (int i = 0; i < 100; i++)
	{
		uint32_t	c[3];

		do
			for (int x = 0; x < 3; x++)
				c[x] = (uint32_t) pegs_rng_below(&rng, t->m);
		while (c[0] == c[1] || c[0] == c[2] || c[1] == c[2]);
		tv[1] += variation(t, 3, c, rows, n) / 100;
	}
}

static void
measure(const table *t, uint32_t n, double epsilon, double delta, int fits)
{
	const pegs_env env = {.alloc = take, .check = ask};
	const pegs_zeros none = {0};
	double		tv[2][2] = {{0}};
	double		seconds[2] = {0};
	double		apportioning = 0;

	if (n == 0)
		n = t->n;
	for (int fit = 0; fit < fits; fit++)
	{
		uint8_t		key[PEGS_KEY_BYTES] = {(uint8_t) fit, 77};
		pegs_rng	rng;
		pegs_layout layout;
		pegs_accountant accountant;
		pegs_fitted model;
		pegs_draw	draw;
		pegs_expected_pairs kept = {.env = env};
		uint64_t   *cells;

		if (pegs_layout_pairs(&env, t->m, t->levels, &layout, NULL) != PEGS_OK)
			return;
		pegs_layout_add_triples(&env, &layout);
		cells = take(NULL, sizeof(uint64_t) * layout.ncells);
		for (uint32_t r = 0; r < t->n; r += PEGS_CHUNK)
		{
			uint16_t   *at[MOST];

			for (uint32_t c = 0; c < t->m; c++)
				at[c] = t->code[c] + r;
			pegs_count_chunk(&layout, cells, at, t->n - r < PEGS_CHUNK ? t->n - r : PEGS_CHUNK);
		}
		pegs_rng_init(&rng, key, 1);
		pegs_accountant_init(&accountant, (int64_t) llround(epsilon * PEGS_EPSILON_UNIT), (int64_t) llround(delta * (double) PEGS_DELTA_UNIT), 1);
		pegs_engine_fit(&env, &rng, &accountant, &layout, cells, &model);
		pegs_draw_init(&env, &model, NULL, &draw);
		for (int now = 0; now < 2; now++)
		{
			size_t		from = blocks;
			uint16_t   *rows[MOST];
			double		before;

			for (uint32_t c = 0; c < t->m; c++)
				rows[c] = take(NULL, sizeof(uint16_t) * n);
			model.smooth = now == 1;
			if (model.smooth)
			{
				pegs_rng_init(&rng, key, 3);
				pegs_smooth_batch(&env, &model, &kept, &none, &rng, n, rows);
			}
			pegs_rng_init(&rng, key, 2);
			before = cpu();
			pegs_draw_batch(&env, &draw, &rng, n, rows);
			apportioning += (cpu() - before) / 2;
			if (model.smooth)
				pegs_smooth_batch(&env, &model, &kept, &none, &rng, n, rows);
			else
				pegs_adjust_batch(&env, &model, &none, &rng, n, rows);
			seconds[now] += cpu() - before;
			compare(t, rows, n, tv[now]);
			forget(from);
		}
		forget(0);
	}
	printf("%-8s %7u %7g %7g | %8.4f %8.4f | %8.4f %8.4f | %+6.1f %% %+6.1f %% | %7.3f %7.3f %6.2f %9.3f\n", t->name, n, epsilon, delta,
		   tv[0][0] / fits, tv[0][1] / fits, tv[1][0] / fits, tv[1][1] / fits, 100 * (tv[1][0] / tv[0][0] - 1), 100 * (tv[1][1] / tv[0][1] - 1),
		   seconds[0] / fits, seconds[1] / fits, seconds[1] / seconds[0], apportioning / fits);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	table		tables[20];
	uint32_t	n = 4;
	int			last = 4;

	if (argc < 5)
		return 2;
	network(&tables[0], 20000);
	latent(&tables[1], 8000);
	codes_and_groups(&tables[2], 25000);
	narrow(&tables[3], 30000);
	while (last < argc && strcmp(argv[last], "--") != 0)
		last++;
	for (int i = last + 1; i + 1 < argc && n < 20; i += 2)
		n += from_file(&tables[n], argv[i], argv[i + 1]);
	printf("%-8s %7s %7s %7s | %8s %8s | %8s %8s | %8s %8s | %7s %7s %6s %9s\n", "table", "rows", "epsilon", "delta",
		   "2-way", "3-way", "smooth", "3-way", "2-way", "3-way", "CPU s", "smooth", "ratio", "apportion");
	for (uint32_t t = 0; t < n; t++)
		for (int i = 4; i < last; i++)
			measure(&tables[t], (uint32_t) atol(argv[2]), atof(argv[i]), atof(argv[3]), atoi(argv[1]));
	return 0;
}
