/*
 * oneways.c
 *	  How close the estimate of one column is to its rows, by kind of column: the blend of step A beside steps alone.
 *
 * Usage: oneways FITS EPSILON DELTA ROWS... [of DELTA: 0 or 1, of 1e-9] : a line for each kind and number of rows: the noise of a level, as
 * one of 12 columns of 20 levels has it, and the mean total variation of both over FITS noisy tables, then the means. CSV=file adds
 * the columns of a table of codes with ten levels or more.
 */
#include "core/graph/state.h"
#include "core/simplex.h"
#include "world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 12
#define MEAN 20
#define MOST 1000

typedef struct kind
{
	char		name[40];
	uint32_t	n;
	double		weight[MOST];
} kind;

static kind kinds[64];
static int	nkinds;

static void *
alloc(void *context, size_t bytes)
{
	(void) context;
	return calloc(1, bytes);
}

static void
give_back(void *context, void *memory)
{
	(void) context;
	free(memory);
}

static void
check(void *context)
{
	(void) context;
}

static const pegs_env env = {.alloc = alloc, .check = check, .free = give_back};

static kind *
add(const char *name, uint32_t n)
{
	kind	   *k = &kinds[nkinds++];

	snprintf(k->name, sizeof(k->name), "%s, %u", name, n);
	k->n = n;
	return k;
}

static void
shuffle(kind *k)
{
	for (uint32_t i = k->n; i-- > 1;)
	{
		uint32_t	j = (uint32_t) (uniform() * (i + 1));
		double		w = k->weight[i];

		k->weight[i] = k->weight[j];
		k->weight[j] = w;
	}
}

static double
bell(double i, double middle, double width)
{
	return exp(-0.5 * pow((i + 0.5 - middle) / width, 2));
}

static void
make(void)
{
	static const uint32_t codes[] = {50, 200, 500};
	static const uint32_t widths[] = {20, 50, 200};
	kind	   *k;

	for (int c = 0; c < 3; c++)
	{
		k = add("codes in no order, heavy-tailed", codes[c]);
		for (uint32_t i = 0; i < k->n; i++)
			k->weight[i] = pow(i + 1, -1.1);
		shuffle(k);
	}
	k = add("ten of them used", 400);
	for (int i = 0; i < 10; i++)
		k->weight[i] = 0.3 + uniform();
	shuffle(k);
	k = add("in no order", 30);
	for (uint32_t i = 0; i < k->n; i++)
		k->weight[i] = -log(uniform());
	for (int c = 0; c < 3; c++)
	{
		k = add("normal", widths[c]);
		for (uint32_t i = 0; i < k->n; i++)
			k->weight[i] = bell(i, 0.45 * k->n, 0.16 * k->n);
		k = add("log-normal", widths[c]);
		for (uint32_t i = 0; i < k->n; i++)
			k->weight[i] = bell(log(i + 0.5) - 0.5, log(0.2 * k->n), 0.7) / (i + 0.5);
	}
	k = add("two bells", 100);
	for (uint32_t i = 0; i < k->n; i++)
		k->weight[i] = 0.6 * bell(i, 25, 7) / 7 + 0.4 * bell(i, 70, 10) / 10;
	k = add("decay", 80);
	for (uint32_t i = 0; i < k->n; i++)
		k->weight[i] = exp(-(double) i / 12);
	k = add("heaps at tens", 100);
	for (uint32_t i = 0; i < k->n; i++)
		k->weight[i] = bell(i, 35, 15) * (i % 10 == 0 ? 10 : i % 5 == 0 ? 4 : 0.6);
	k = add("log-normal, a point, NULL", 102);
	for (uint32_t i = 0; i < 100; i++)
		k->weight[i] = 0.03 * bell(log(i + 0.5) - 0.5, log(15), 0.8) * 15 / (i + 0.5);
	k->weight[100] = 0.45;
	k->weight[101] = 0.1;
}

static void
read_csv(const char *name)
{
	FILE	   *file = fopen(name, "r");
	static char line[10000];
	static kind column[64];
	uint32_t	m = 0;

	if (!file || !fgets(line, sizeof(line), file))
		exit(1);
	for (char *c = strtok(line, ",\r\n"); c && m < 64; c = strtok(NULL, ",\r\n"))
		snprintf(column[m++].name, sizeof(column[0].name), "%.30s", c);
	while (fgets(line, sizeof(line), file))
	{
		char	   *c = line;

		for (uint32_t i = 0; i < m; i++)
		{
			unsigned long code = strtoul(c, &c, 10);

			c += *c == ',';
			if (code >= MOST)
				exit(1);
			column[i].weight[code]++;
			if (code + 1 > column[i].n)
				column[i].n = (uint32_t) code + 1;
		}
	}
	fclose(file);
	for (uint32_t i = 0; i < m; i++)
		if (column[i].n >= 10 && nkinds < 64)
			kinds[nkinds++] = column[i];
}

/* Of a kind, so many rows, with the noise of sd: what both estimates are off by. */
static void
measure(const kind *k, uint32_t rows, double sd, bool pure, double *off)
{
	static double count[MOST];
	static double y[2][MOST];
	double		total = fmax(1, rows + normal() * sd);
	double		below[MOST + 1] = {0};

	memset(count, 0, sizeof(count));
	for (uint32_t i = 0; i < k->n; i++)
		below[i + 1] = below[i] + k->weight[i];
	for (uint32_t r = 0; r < rows; r++)
	{
		double		u = uniform() * below[k->n];
		uint32_t	low = 0;

		for (uint32_t high = k->n; high - low > 1;)
		{
			uint32_t	middle = (low + high) / 2;

			if (below[middle] <= u)
				low = middle;
			else
				high = middle;
		}
		count[low]++;
	}
	for (uint32_t i = 0; i < k->n; i++)
		y[0][i] = y[1][i] = count[i] + sd * (pure ? (uniform() < 0.5 ? -1 : 1) * -log(uniform()) / sqrt(2) : normal());
	pegs_haar_garrote(&env, y[0], k->n, sd * sd);
	pegs_project_simplex(&env, y[0], k->n, total);
	pegs_blend_levels(&env, y[1], k->n, sd * sd, total);
	for (int a = 0; a < 2; a++)
		for (uint32_t i = 0; i < k->n; i++)
			off[a] += fabs(y[a][i] / total - count[i] / rows) / 2;
}

int
main(int argc, char **argv)
{
	int			fits = atoi(argv[1]);
	bool		pure = atof(argv[3]) == 0;
	double		sum[2] = {0};
	int			lines = 0;
	pegs_accountant accountant;

	begin_tables(8101);
	make();
	if (getenv("CSV") && *getenv("CSV"))
		read_csv(getenv("CSV"));
	pegs_accountant_init(&accountant, llround(atof(argv[2]) * 1e9), pure ? 0 : PEGS_DELTA_UNIT / 1000000000, 1);
	printf("%-40s %7s %8s %8s %8s %8s\n", "column", "rows", "noise", "steps", "blend", "change");
	for (int i = 0; i < nkinds; i++)
		for (int arg = 4; arg < argc; arg++)
		{
			double		rows = atof(argv[arg]);
			double		power = pure ? 0.335 : 0.67;
			double		first;
			double		cost = pegs_oneway_budget(&accountant, COLUMNS, MEAN, rows, &first) / COLUMNS
				* fmin(pow(fmin(kinds[i].n, PEGS_SIZE_MOST) / MEAN, power), COLUMNS / 2.0);
			double		sd = pegs_noise_sd(&accountant, cost);
			double		off[2] = {0};

			for (int fit = 0; fit < fits; fit++)
				measure(&kinds[i], (uint32_t) rows, sd, pure, off);
			printf("%-40s %7.0f %8.1f %8.4f %8.4f %+7.1f%%\n", kinds[i].name, rows, sd, off[0] / fits, off[1] / fits, 100 * (off[1] / off[0] - 1));
			sum[0] += off[0] / fits;
			sum[1] += off[1] / fits;
			lines++;
		}
	printf("%-40s %7s %8s %8.4f %8.4f %+7.1f%%\n", "mean", "", "", sum[0] / lines, sum[1] / lines, 100 * (sum[1] / sum[0] - 1));
	return 0;
}
