/*
 * engine_tables.c
 *	  The tables of bench/engine: what kinds there are, engine.c says.
 */
#include "engine.h"
#include "world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Five columns follow from others: a group from a code, its kind from the group, a region from a place, one from two, one with another order. */
static void
functions(table *t)
{
	uint16_t	group[60];
	uint16_t	kind[12];
	uint16_t	region[30];
	uint16_t	order[8];

	network(t, 0.9, 0.7);
	for (int i = 0; i < 60; i++)
		group[i] = (uint16_t) (12 * uniform());
	for (int i = 0; i < 12; i++)
		kind[i] = (uint16_t) (3 * uniform());
	for (int i = 0; i < 30; i++)
		region[i] = (uint16_t) (i / 5);
	for (int i = 0; i < 8; i++)
		order[i] = (uint16_t) (i * 3 % 8);
	for (uint32_t r = 0; r < t->n; r++)
	{
		t->code[1][r] = group[t->code[0][r]];
		t->code[2][r] = kind[t->code[1][r]];
		t->code[4][r] = region[t->code[3][r]];
		t->code[8][r] = order[t->code[7][r]];
		t->code[9][r] = t->code[5][r] == (t->code[6][r] > 1);
	}
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

void
read_table(table *t, const char *name)
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

bool
make_table(table *t, const char *name)
{
	begin_tables(8101);
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
	else if (strcmp(name, "functions") == 0)
	{
		levels_of(t, 20000, "60,12,3,30,6,2,4,8,8,2,10,2");
		functions(t);
	}
	else if (strcmp(name, "network") == 0 || strcmp(name, "few") == 0)
	{
		levels_of(t, strcmp(name, "few") == 0 ? 5000 : 20000, "2,3,12,5,2,20,7,4,30,2,9,6,3,40,15,2");
		network(t, 0.9, 0.7);
	}
	else if (strcmp(name, "large") == 0 || strcmp(name, "million") == 0)
	{
		levels_of(t, strcmp(name, "million") == 0 ? 1000000 : 300000, "2,3,10,5,2,8,7,4,6,2,9,3");
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

void
find_target(table *t)
{
	t->target = t->m;
	for (uint32_t i = 0; i < t->m; i++)
		if (t->levels[i] == 2)
			t->target = i;
}
