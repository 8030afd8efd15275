/*
 * averages.c
 *	  Individuals in groups, of which averages are known: standard columns, cells, means, and what has given averages.
 *
 * Sums over many rows are compensated (Neumaier), so that an average of a
 * million values is met to 1e-12 as one of ten is. Values are moved by whole
 * cells: how long it takes several levels to agree does not depend on the rows.
 */
#include "core/disaggregate/averages.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define CYCLES 1000
#define ROWS_AT_ONCE 4096

static void
add_exactly(double *sum, double *lost, double value)
{
	double		next = *sum + value;

	*lost += fabs(*sum) >= fabs(value) ? *sum - next + value : value - next + *sum;
	*sum = next;
}

/* [n][m] sums of [rows][m] by `of`; NULL: of all */
static void
sums_by(const pegs_env *env, uint64_t rows, uint32_t m, const double *x, const uint32_t *of, size_t n, double *sum)
{
	double	   *lost = env->alloc(env->context, sizeof(double) * (n * m + 1));

	memset(sum, 0, sizeof(double) * n * m);
	for (uint64_t i = 0; i < rows; i++)
	{
		size_t		at = of ? (size_t) of[i] * m : 0;

		if (i % ROWS_AT_ONCE == 0)
			env->check(env->context);
		for (uint32_t j = 0; j < m; j++)
			add_exactly(&sum[at + j], &lost[at + j], x[i * m + j]);
	}
	for (size_t k = 0; k < n * m; k++)
		sum[k] += lost[k];
	pegs_env_free(env, lost);
}

/* By the largest first: squares of any doubles then fit. */
static pegs_status
standardize(const pegs_env *env, pegs_individuals *all)
{
	uint32_t	m = all->m;
	double	   *most = env->alloc(env->context, sizeof(double) * (m + 1));
	double	   *mean = env->alloc(env->context, sizeof(double) * (m + 1));
	double	   *square = env->alloc(env->context, sizeof(double) * (m + 1));

	for (uint64_t i = 0; i < all->rows; i++)
	{
		if (i % ROWS_AT_ONCE == 0)
			env->check(env->context);
		for (uint32_t j = 0; j < m; j++)
		{
			double		size = fabs(all->x[i * m + j]);

			if (!(size <= DBL_MAX))
				return PEGS_ERR_ARGUMENT;
			most[j] = fmax(most[j], size);
		}
	}
	for (uint64_t i = 0; i < all->rows; i++)
	{
		if (i % ROWS_AT_ONCE == 0)
			env->check(env->context);
		for (uint32_t j = 0; j < m; j++)
			all->x[i * m + j] = most[j] < DBL_MIN ? 0 : all->x[i * m + j] / most[j];
	}
	sums_by(env, all->rows, m, all->x, NULL, 1, mean);
	for (uint32_t j = 0; j < m; j++)
		mean[j] /= (double) all->rows;
	for (uint64_t i = 0; i < all->rows; i++)
	{
		if (i % ROWS_AT_ONCE == 0)
			env->check(env->context);
		for (uint32_t j = 0; j < m; j++)
		{
			double		off = all->x[i * m + j] - mean[j];

			square[j] += off * off;
		}
	}
	for (uint32_t j = 0; j < m; j++)
	{
		double		deviation = sqrt(square[j] / (double) all->rows);

		/* what rounding alone makes is no deviation */
		square[j] = deviation > 1e-13 ? 1 / deviation : 0;
	}
	for (uint64_t i = 0; i < all->rows; i++)
	{
		if (i % ROWS_AT_ONCE == 0)
			env->check(env->context);
		for (uint32_t j = 0; j < m; j++)
			all->x[i * m + j] = (all->x[i * m + j] - mean[j]) * square[j];
	}
	pegs_env_free(env, most);
	pegs_env_free(env, mean);
	pegs_env_free(env, square);
	return PEGS_OK;
}

/* ---- cells: numbers for pairs of (cell so far, group of the next level) ---- */

typedef struct pairs
{
	uint64_t   *key;
	uint32_t   *number;			/* plus 1; 0: free */
	uint64_t	mask;
	uint32_t	n;
} pairs;

static uint64_t
slot_of(const pairs *table, uint64_t key)
{
	uint64_t	at = (key ^ key >> 29) * UINT64_C(0xbf58476d1ce4e5b9);

	for (at ^= at >> 32; table->number[at & table->mask] != 0 && table->key[at & table->mask] != key; at++)
		;
	return at & table->mask;
}

static void
new_pairs(const pegs_env *env, pairs *table, uint64_t slots)
{
	table->key = env->alloc(env->context, sizeof(uint64_t) * slots);
	table->number = env->alloc(env->context, sizeof(uint32_t) * slots);
	table->mask = slots - 1;
}

static void
grow(const pegs_env *env, pairs *table)
{
	pairs		larger = {.n = table->n};

	new_pairs(env, &larger, (table->mask + 1) * 2);
	for (uint64_t i = 0; i <= table->mask; i++)
	{
		uint64_t	at;

		if (i % ROWS_AT_ONCE == 0)
			env->check(env->context);
		if (table->number[i] == 0)
			continue;
		at = slot_of(&larger, table->key[i]);
		larger.key[at] = table->key[i];
		larger.number[at] = table->number[i];
	}
	pegs_env_free(env, table->key);
	pegs_env_free(env, table->number);
	*table = larger;
}

static pegs_status
refine(const pegs_env *env, uint64_t rows, uint32_t *cell, const uint32_t *of, uint32_t *n)
{
	pairs		table = {0};

	new_pairs(env, &table, 1024);
	for (uint64_t i = 0; i < rows; i++)
	{
		uint64_t	key = (uint64_t) cell[i] << 32 | of[i];
		uint64_t	at = slot_of(&table, key);

		if (i % ROWS_AT_ONCE == 0)
			env->check(env->context);
		if (table.number[at] == 0)
		{
			if (table.n == INT32_MAX)
				return PEGS_ERR_TOO_LARGE;
			table.key[at] = key;
			table.number[at] = ++table.n;
		}
		cell[i] = table.number[at] - 1;
		if (table.n > table.mask / 2)
			grow(env, &table);
	}
	*n = table.n;
	pegs_env_free(env, table.key);
	pegs_env_free(env, table.number);
	return PEGS_OK;
}

static pegs_status
make_cells(const pegs_env *env, pegs_individuals *all)
{
	all->ncells = all->level[0].n;
	all->cell = all->level[0].of;
	if (all->nlevels > 1)
	{
		uint32_t   *cell = env->alloc(env->context, sizeof(uint32_t) * all->rows);

		memcpy(cell, all->level[0].of, sizeof(uint32_t) * all->rows);
		for (uint32_t l = 1; l < all->nlevels; l++)
		{
			pegs_status status = refine(env, all->rows, cell, all->level[l].of, &all->ncells);

			if (status != PEGS_OK)
				return status;
		}
		all->cell = cell;
	}
	all->cell_size = env->alloc(env->context, sizeof(double) * all->ncells);
	all->group = env->alloc(env->context, sizeof(uint32_t *) * all->nlevels);
	for (uint32_t l = 0; l < all->nlevels; l++)
		all->group[l] = env->alloc(env->context, sizeof(uint32_t) * all->ncells);
	for (uint64_t i = 0; i < all->rows; i++)
	{
		if (i % ROWS_AT_ONCE == 0)
			env->check(env->context);
		all->cell_size[all->cell[i]]++;
		for (uint32_t l = 0; l < all->nlevels; l++)
			all->group[l][all->cell[i]] = all->level[l].of[i];
	}
	return PEGS_OK;
}

pegs_status
pegs_individuals_prepare(const pegs_env *env, pegs_individuals *all)
{
	pegs_status status = standardize(env, all);

	if (status == PEGS_OK)
		status = make_cells(env, all);
	if (status != PEGS_OK)
		return status;
	for (uint32_t l = 0; l < all->nlevels; l++)
	{
		pegs_averages *level = &all->level[l];

		level->size = env->alloc(env->context, sizeof(double) * level->n);
		level->x = env->alloc(env->context, sizeof(double) * ((size_t) level->n * all->m + 1));
		for (uint32_t c = 0; c < all->ncells; c++)
			level->size[all->group[l][c]] += all->cell_size[c];
		sums_by(env, all->rows, all->m, all->x, level->of, level->n, level->x);
		for (size_t g = 0; g < level->n; g++)
			for (uint32_t j = 0; j < all->m; j++)
				level->x[g * all->m + j] /= level->size[g];
	}
	return PEGS_OK;
}

void
pegs_group_means(const pegs_env *env, const pegs_individuals *all, const pegs_averages *level, const double *y, double *mean)
{
	sums_by(env, all->rows, 1, y, level->of, level->n, mean);
	for (uint32_t g = 0; g < level->n; g++)
		mean[g] /= level->size[g];
}

/* ---- what has given averages ---- */

/* What a level's groups lack in the mean, when the cells have these means. */
static double
lacking(const pegs_individuals *all, uint32_t l, const double *cell, double *lack)
{
	const pegs_averages *level = &all->level[l];
	double		most = 0;

	memset(lack, 0, sizeof(double) * level->n);
	for (uint32_t c = 0; c < all->ncells; c++)
		lack[all->group[l][c]] += (level->average[all->group[l][c]] - cell[c]) * (all->cell_size[c] / level->size[all->group[l][c]]);
	for (uint32_t g = 0; g < level->n; g++)
		most = fmax(most, fabs(lack[g]));
	return most;
}

/* The cells' means are moved; how much still lacks, as a part of the largest average. */
static double
agree(const pegs_env *env, const pegs_individuals *all, double *cell)
{
	uint32_t	groups = 0;
	double		largest = 0;
	double		most = 0;
	double	   *lack;

	for (uint32_t l = 0; l < all->nlevels; l++)
	{
		groups = all->level[l].n > groups ? all->level[l].n : groups;
		for (uint32_t g = 0; g < all->level[l].n; g++)
			largest = fmax(largest, fabs(all->level[l].average[g]));
	}
	lack = env->alloc(env->context, sizeof(double) * groups);
	for (int cycle = 0; cycle <= CYCLES; cycle++)
	{
		most = 0;
		for (uint32_t l = 0; l < all->nlevels; l++)
		{
			env->check(env->context);
			most = fmax(most, lacking(all, l, cell, lack));
			for (uint32_t c = 0; c < all->ncells; c++)
				cell[c] += lack[all->group[l][c]];
		}
		/* of one level nothing lacks any more; of several the next round says so */
		if (all->nlevels == 1 || most <= PEGS_CALIBRATED / 4 * largest)
		{
			most = 0;
			break;
		}
	}
	pegs_env_free(env, lack);
	return largest > 0 ? most / largest : most;
}

double
pegs_spread_average(const pegs_env *env, const pegs_individuals *all, double *y)
{
	double	   *cell = env->alloc(env->context, sizeof(double) * all->ncells);
	double		lacks = agree(env, all, cell);

	for (uint64_t i = 0; i < all->rows; i++)
	{
		if (i % ROWS_AT_ONCE == 0)
			env->check(env->context);
		y[i] = cell[all->cell[i]];
	}
	pegs_env_free(env, cell);
	return lacks;
}

double
pegs_calibrate(const pegs_env *env, const pegs_individuals *all, double *y)
{
	double	   *before = env->alloc(env->context, sizeof(double) * all->ncells);
	double	   *cell = env->alloc(env->context, sizeof(double) * all->ncells);
	double		lacks = 0;

	/* twice: values that were far off were rounded when they were moved */
	for (int turn = 0; turn < 2; turn++)
	{
		sums_by(env, all->rows, 1, y, all->cell, all->ncells, before);
		for (uint32_t c = 0; c < all->ncells; c++)
			cell[c] = before[c] /= all->cell_size[c];
		lacks = agree(env, all, cell);
		for (uint64_t i = 0; i < all->rows; i++)
		{
			if (i % ROWS_AT_ONCE == 0)
				env->check(env->context);
			y[i] += cell[all->cell[i]] - before[all->cell[i]];
		}
		if (lacks > PEGS_CALIBRATED)
			break;
	}
	pegs_env_free(env, before);
	pegs_env_free(env, cell);
	return lacks;
}
