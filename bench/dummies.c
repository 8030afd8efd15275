/*
 * dummies.c
 *	  003's queries on 003's outputs, and on those of pegs: how far off counts of one, two and three levels are.
 *
 * Usage: dummies CODES [EPSILON...]: CODES is a table of codes, its first line so many levels of each column. A line for each output, tabs
 * between: name, epsilon, average/maximum of the absolute errors of the best 95, 99 and 100 % of the queries with one
 * level, with two and with three of different columns, the average of those with two that hang together, CPU seconds, share of the rows that have one level in
 * every column. ADULT=1: as 003 cuts Adult, by our
 * reading: of the columns of more than 84 levels 18 bins, and the first 32,560 rows.
 */
#include "core/copula/copula.h"
#include "core/copula/correlation.h"
#include "core/copula/dummy.h"
#include "core/copula/normal.h"
#include "core/copula/orthant.h"
#include "core/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COLUMNS 64
#define ROWS (1 << 20)
#define DELTA 0x1p-30
#define STRONG 0.3

static uint32_t ncols;
static uint32_t nrows;
static uint32_t dummies;
static uint32_t levels[COLUMNS];
static uint32_t first[COLUMNS];
static uint16_t *code[COLUMNS];
static uint32_t *column_of;		/* [dummies] */
static size_t	nqueries[4];
static double  *truth[4];		/* [queries with so many levels] */
static double  *both;			/* [dummies^2] */
static pegs_rng rng;

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

static const pegs_env env = {.alloc = alloc, .free = give_back, .check = check};

/* ---- queries ---- */

/* A bit for each row. */
typedef uint64_t *bits;

static size_t
words(void)
{
	return (nrows + 63) / 64;
}

static bits *
no_bits(void)
{
	bits	   *b = calloc(dummies, sizeof(bits));

	for (uint32_t i = 0; i < dummies; i++)
		b[i] = calloc(words(), sizeof(uint64_t));
	return b;
}

static double
count(const uint64_t *a, const uint64_t *b, const uint64_t *c)
{
	uint64_t	n = 0;

	for (size_t w = 0; w < words(); w++)
		n += (uint64_t) __builtin_popcountll(a[w] & b[w] & c[w]);
	return (double) n;
}

/* All answers, of one, two or three dummies of different columns. */
static double *
answers(bits *b, int of)
{
	double	   *answer = calloc(nqueries[of], sizeof(double));
	size_t		n = 0;

	for (uint32_t i = 0; i < dummies; i++)
	{
		if (of == 1)
			answer[n++] = count(b[i], b[i], b[i]);
		for (uint32_t j = i + 1; of > 1 && j < dummies; j++)
		{
			if (column_of[i] == column_of[j])
				continue;
			if (of == 2)
				answer[n++] = count(b[i], b[j], b[j]);
			for (uint32_t k = j + 1; of == 3 && k < dummies; k++)
				if (column_of[j] != column_of[k])
					answer[n++] = count(b[i], b[j], b[k]);
		}
	}
	return answer;
}

static int
by_size(const void *a, const void *b)
{
	return *(const double *) a < *(const double *) b ? -1 : *(const double *) a > *(const double *) b;
}

/* Tab, average/maximum of the best 95, 99, 100 %. */
static void
print_errors(const double *answer, int of)
{
	static const double part[3] = {0.95, 0.99, 1};
	double	   *error = calloc(nqueries[of], sizeof(double));

	for (size_t i = 0; i < nqueries[of]; i++)
		error[i] = fabs(answer[i] - truth[of][i]);
	qsort(error, nqueries[of], sizeof(double), by_size);
	printf("\t");
	for (int p = 0; p < 3; p++)
	{
		size_t		n = (size_t) ((double) nqueries[of] * part[p] + 0.5);
		double		sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += error[i];
		printf("%s%.0f/%.0f", p ? " " : "", sum / (double) n, error[n - 1]);
	}
	free(error);
}

/* Tab, the average error where two dummies hang together. */
static void
print_strong(const double *answer)
{
	double		sum = 0;
	double		n = 0;
	size_t		q = 0;

	for (uint32_t i = 0; i < dummies; i++)
		for (uint32_t j = i + 1; j < dummies; j++)
		{
			double		a = truth[1][i];
			double		b = truth[1][j];
			double		square = a * (nrows - a) * b * (nrows - b);

			if (column_of[i] == column_of[j])
				continue;
			if (fabs(nrows * truth[2][q] - a * b) >= STRONG * sqrt(square) && square > 0)
			{
				sum += fabs(answer[q] - truth[2][q]);
				n++;
			}
			q++;
		}
	printf("\t%.0f", n > 0 ? sum / n : 0);
}

static void
print_rows(const char *name, double epsilon, bits *b, clock_t began)
{
	double		seconds = (double) (clock() - began) / CLOCKS_PER_SEC;
	uint32_t	whole = 0;
	double	   *answer[4];

	for (uint32_t r = 0; r < nrows; r++)
	{
		bool		one = true;

		for (uint32_t i = 0, d = 0; i < ncols; i++)
		{
			uint32_t	n = 0;

			for (uint32_t l = 0; l < levels[i]; l++, d++)
				n += b[d][r / 64] >> (r % 64) & 1;
			one &= n == 1;
		}
		whole += one;
	}
	printf("%s\t%g", name, epsilon);
	for (int of = 1; of <= 3; of++)
	{
		answer[of] = answers(b, of);
		print_errors(answer[of], of);
	}
	print_strong(answer[2]);
	for (int of = 1; of <= 3; of++)
		free(answer[of]);
	printf("\t%.1f\t%.4f\n", seconds, (double) whole / nrows);
	fflush(stdout);
	for (uint32_t i = 0; i < dummies; i++)
		free(b[i]);
	free(b);
}

/* ---- the table ---- */

static void
read_table(const char *file, bool adult)
{
	FILE	   *in = fopen(file, "r");
	static char line[65536];
	uint32_t	declared[COLUMNS];
	char	   *p = line;

	if (in == NULL || fgets(line, sizeof(line), in) == NULL)
		exit(1);
	while (*p && *p != '\n' && ncols < COLUMNS)
	{
		declared[ncols] = (uint32_t) strtol(p, &p, 10);
		levels[ncols] = adult && declared[ncols] > 84 ? 18 : declared[ncols];
		code[ncols++] = calloc(ROWS, sizeof(uint16_t));
		p += *p == ',';
	}
	while (nrows < (adult ? 32560 : ROWS) && fgets(line, sizeof(line), in))
	{
		p = line;
		for (uint32_t i = 0; i < ncols; i++, p += *p == ',')
			code[i][nrows] = (uint16_t) ((uint32_t) strtol(p, &p, 10) * levels[i] / declared[i]);
		nrows++;
	}
	fclose(in);
	for (uint32_t i = 0; i < ncols; dummies += levels[i++])
		first[i] = dummies;
	column_of = calloc(dummies, sizeof(uint32_t));
	for (uint32_t i = 0; i < ncols; i++)
		for (uint32_t l = 0; l < levels[i]; l++)
			column_of[first[i] + l] = i;
	nqueries[1] = dummies;
	for (uint32_t a = 0; a < ncols; a++)
		for (uint32_t b = a + 1; b < ncols; b++)
		{
			nqueries[2] += (size_t) levels[a] * levels[b];
			for (uint32_t c = b + 1; c < ncols; c++)
				nqueries[3] += (size_t) levels[a] * levels[b] * levels[c];
		}
}

static bits *
bits_of(uint16_t *const *codes)
{
	bits	   *b = no_bits();

	for (uint32_t i = 0; i < ncols; i++)
		for (uint32_t r = 0; r < nrows; r++)
			b[first[i] + codes[i][r]][r / 64] |= UINT64_C(1) << (r % 64);
	return b;
}

static void
find_truth(void)
{
	bits	   *b = bits_of(code);

	for (int of = 1; of <= 3; of++)
		truth[of] = answers(b, of);
	both = calloc((size_t) dummies * dummies, sizeof(double));
	for (uint32_t i = 0; i < dummies; i++)
		for (uint32_t j = 0; j < dummies; j++)
			both[(size_t) i * dummies + j] = count(b[i], b[j], b[j]);
}

/* ---- 003's own ---- */

static double
laplace(double scale)
{
	double		u = pegs_rng_double(&rng) - 0.5;

	return scale * (u < 0 ? log(1 + 2 * u) : -log(1 - 2 * u));
}

/* epsilon' with which k mechanisms are (epsilon, DELTA)-DP together: its Theorem 3, advanced composition. */
static double
epsilon_of(uint32_t k, double epsilon)
{
	double		low = 0;
	double		high = 1;

	for (int i = 0; i < 100; i++)
	{
		double		e = (low + high) / 2;

		if (sqrt(2 * k * log(1 / DELTA)) * e + k * e * expm1(e) < epsilon)
			low = e;
		else
			high = e;
	}
	return low;
}

/* As they were worked out elsewhere: of 003's three tables, pairs and triples. */
static bool
has_fixtures(void)
{
	static const uint32_t k[6] = {105, 378, 45, 364, 2925, 84};
	static const double wanted[6] = {0.0147829, 0.0077919, 0.0225793, 0.0079403, 0.0028012, 0.0165275};
	bool		good = true;

	for (int i = 0; i < 6; i++)
		good &= fabs(epsilon_of(k[i], 1) - wanted[i]) < 6e-8;
	return good;
}

static void
print_laplace(double epsilon)
{
	double		e[4] = {0, 0, 0, 0};

	e[1] = e[2] = epsilon_of(ncols + ncols * (ncols - 1) / 2, epsilon);
	e[3] = epsilon_of(ncols * (ncols - 1) * (ncols - 2) / 6, epsilon);
	printf("Lap\t%g", epsilon);
	for (int of = 1; of <= 3; of++)
	{
		double	   *answer = calloc(nqueries[of], sizeof(double));

		for (size_t i = 0; i < nqueries[of]; i++)
			answer[i] = truth[of][i] + laplace(1 / e[of]);
		print_errors(answer, of);
		free(answer);
	}
	printf("\t\t\t\n");
}

/* What independent dummies would answer: of two levels. */
static void
print_no_correlation(void)
{
	double	   *answer = calloc(nqueries[2], sizeof(double));
	size_t		n = 0;

	for (uint32_t i = 0; i < dummies; i++)
		for (uint32_t j = i + 1; j < dummies; j++)
			if (column_of[i] != column_of[j])
				answer[n++] = truth[1][i] * truth[1][j] / nrows;
	printf("no-cor\t0\t");
	print_errors(answer, 2);
	printf("\t");
	print_strong(answer);
	printf("\t\t\n");
	free(answer);
}

/* A matrix of correlations as 003 finds it: margins p, and how often two dummies are both 1, with noise or without. */
static double *
published_matrix(const double *p, double e)
{
	size_t		n = dummies;
	double	   *r = calloc(n * n, sizeof(double));

	for (size_t i = 0; i < n; i++)
	{
		r[i * n + i] = 1;
		for (size_t j = i + 1; j < n; j++)
		{
			double		q = column_of[i] == column_of[j] ? 0 : (both[i * n + j] + (e > 0 ? laplace(1 / e) : 0)) / nrows;

			r[i * n + j] = r[j * n + i] = pegs_orthant_solve(p[i], p[j], fmax(q, 0));
		}
	}
	pegs_nearest_correlation(&env, dummies, r);
	return r;
}

/* Rows of 003: of every dummy by itself whether its normal is above its cut. */
static bits *
published_rows(const double *p, const double *factor, bool one)
{
	bits	   *b = no_bits();
	double	   *z = calloc(dummies, sizeof(double));

	for (uint32_t r = 0; r < nrows; r++)
	{
		for (uint32_t i = 0; i < dummies; i++)
			z[i] = pegs_normal_draw(&rng);
		for (uint32_t i = 0; i < dummies; i++)
		{
			double		sum = z[one ? 0 : i];

			if (factor)
			{
				sum = 0;
				for (uint32_t k = 0; k <= i; k++)
					sum += factor[pegs_packed(i, k)] * z[k];
			}
			if (sum > -pegs_normal_quantile(p[i]))
				b[i][r / 64] |= UINT64_C(1) << (r % 64);
		}
	}
	free(z);
	return b;
}

/* cop, cop-ID, cop-1; dpc with epsilon. */
static void
print_published(const char *name, double epsilon, pegs_dummy_form form)
{
	clock_t		began = clock();
	double		e = epsilon > 0 ? epsilon_of(ncols + ncols * (ncols - 1) / 2, epsilon) : 0;
	double	   *p = calloc(dummies, sizeof(double));
	double	   *factor = NULL;

	for (uint32_t i = 0; i < dummies; i++)
	{
		double		ones = fmax(0, truth[1][i] + (e > 0 ? laplace(1 / e) : 0));
		double		zeros = fmax(0, nrows - truth[1][i] + (e > 0 ? laplace(1 / e) : 0));

		p[i] = fmin(1 - 1e-6, fmax(1e-6, ones / fmax(1, ones + zeros)));
	}
	if (form == PEGS_DUMMY_COP)
	{
		double	   *r = published_matrix(p, e);

		factor = calloc(pegs_packed(dummies, 0), sizeof(double));
		if (!pegs_factor_correlation(&env, dummies, r, 0, factor))
			exit(1);
		free(r);
	}
	print_rows(name, epsilon, published_rows(p, factor, form == PEGS_DUMMY_ONE), began);
	free(factor);
	free(p);
}

/* ---- of pegs ---- */

static void
print_method(const char *name, const pegs_method *method, double epsilon, const pegs_setting *settings)
{
	clock_t		began = clock();
	pegs_wire	wire = {.kind = method->kind, .method = method, .ncols = ncols, .levels = levels, .spec = ""};
	pegs_ask	ask = {.n = nrows, .one_by_one = true, .batch = env, .settings = settings};
	uint16_t   *made[COLUMNS];
	uint16_t	row[COLUMNS];
	pegs_accountant accountant;
	pegs_layout layout;
	uint64_t   *cells;
	pegs_draws *draws;

	if (pegs_layout_pairs(&env, ncols, levels, &layout, NULL) != PEGS_OK)
		exit(1);
	cells = calloc(layout.ncells, sizeof(uint64_t));
	for (uint32_t r = 0; r < nrows; r += PEGS_CHUNK)
	{
		uint16_t   *at[COLUMNS];

		for (uint32_t i = 0; i < ncols; i++)
			at[i] = code[i] + r;
		pegs_count_chunk(&layout, cells, at, nrows - r < PEGS_CHUNK ? nrows - r : PEGS_CHUNK);
	}
	layout.settings = settings;
	pegs_accountant_init(&accountant, (int64_t) (epsilon * 1e9), (int64_t) (DELTA * 1e18), 1);
	wire.model = method->fit(&env, &rng, epsilon > 0 ? &accountant : NULL, &layout, cells);
	if (method->open(&env, &wire, NULL, &ask, &draws) != PEGS_OK)
		exit(1);
	method->start(draws, &rng);
	for (uint32_t i = 0; i < ncols; i++)
		made[i] = calloc(nrows, sizeof(uint16_t));
	for (uint32_t r = 0; r < nrows; r++)
	{
		if (method->next(draws, row) != PEGS_OK)
			exit(1);
		for (uint32_t i = 0; i < ncols; i++)
			made[i][r] = row[i];
	}
	print_rows(name, epsilon, bits_of(made), began);
	for (uint32_t i = 0; i < ncols; i++)
		free(made[i]);
	free(cells);
}

int
main(int argc, char **argv)
{
	uint8_t		key[PEGS_KEY_BYTES] = {3};
	pegs_setting ordinal[PEGS_COPULA_OPTIONS] = {{0}};
	pegs_setting dummy[PEGS_COPULA_OPTIONS] = {[PEGS_COPULA_CODING] = {.given = true, .number = 1}};

	if (argc < 2 || !has_fixtures())
		return 1;
	pegs_rng_init(&rng, key, 1);
	read_table(argv[1], getenv("ADULT") != NULL);
	find_truth();
	print_published("cop", 0, PEGS_DUMMY_COP);
	print_published("cop-ID", 0, PEGS_DUMMY_ID);
	print_published("cop-1", 0, PEGS_DUMMY_ONE);
	print_no_correlation();
	print_method("copula published", &pegs_method_copula_published, 0, NULL);
	for (int i = 2; i < argc; i++)
	{
		double		epsilon = atof(argv[i]);

		print_laplace(epsilon);
		print_published("dpc", epsilon, PEGS_DUMMY_COP);
		print_method("copula, dummy", &pegs_method_copula, epsilon, dummy);
		print_method("copula, ordinal", &pegs_method_copula, epsilon, ordinal);
		print_method("graph", &pegs_method_graph, epsilon, NULL);
	}
	return 0;
}
