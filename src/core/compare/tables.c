/*
 * tables.c
 *	  How far the tables of a synthetic table are from those of the original.
 */
#include "core/compare/tables.h"

#include <math.h>
#include <string.h>

#include "core/compare/group.h"
#include "core/sort.h"

pegs_distance
pegs_distance_of(const uint64_t *original, const uint64_t *synthetic, uint64_t cells,
			 uint64_t original_rows, uint64_t synthetic_rows)
{
	pegs_distance d = {0};
	double		n = original_rows > 0 ? (double) original_rows : 1;
	double		m = synthetic_rows > 0 ? (double) synthetic_rows : 1;

	for (uint64_t i = 0; i < cells; i++)
	{
		double		e = (double) original[i] / n - (double) synthetic[i] / m;

		d.absolute += fabs(e);
		d.squares += e * e;
	}
	d.tv = d.absolute / 2;
	return d;
}

/* ---- ranks ---- */

double
pegs_kendall_tau(const uint64_t *original, const uint64_t *synthetic, uint32_t levels)
{
	int64_t		balance = 0;

	for (uint32_t i = 0; i < levels; i++)
		for (uint32_t j = 0; j < i; j++)
		{
			int			a = (original[i] > original[j]) - (original[i] < original[j]);
			int			b = (synthetic[i] > synthetic[j]) - (synthetic[i] < synthetic[j]);

			balance += a * b;
		}
	return levels < 2 ? NAN : (double) balance / ((double) levels * (levels - 1) / 2);
}

/* Mean ranks, less their mean (C + 1) / 2; the sum of their squares. */
static double
centred_ranks(const uint64_t *count, uint32_t levels, double *rank)
{
	double		sum = 0;

	for (uint32_t i = 0; i < levels; i++)
	{
		uint32_t	below = 0;
		uint32_t	equal = 0;

		for (uint32_t j = 0; j < levels; j++)
		{
			below += count[j] < count[i];
			equal += count[j] == count[i];
		}
		rank[i] = below + (equal + 1) / 2.0 - (levels + 1) / 2.0;
		sum += rank[i] * rank[i];
	}
	return sum;
}

/* scratch: room for 2 * levels numbers. */
double
pegs_spearman_rho(const uint64_t *original, const uint64_t *synthetic, uint32_t levels, double *scratch)
{
	double	   *a = scratch;
	double	   *b = scratch + levels;
	double		squares = centred_ranks(original, levels, a) * centred_ranks(synthetic, levels, b);
	double		sum = 0;

	for (uint32_t i = 0; i < levels; i++)
		sum += a[i] * b[i];
	return squares > 0 ? sum / sqrt(squares) : NAN;
}

/* ---- conditional distributions ---- */

static double
row_sum(const uint64_t *row, uint32_t size)
{
	double		sum = 0;

	for (uint32_t i = 0; i < size; i++)
		sum += (double) row[i];
	return sum;
}

/*
 * Ranks cost C^2 a row, so they are taken of columns of up to RANKED_LEVELS;
 * a longer one has NaN.
 */
#define RANKED_LEVELS 1000

pegs_conditional
pegs_compare_given(const uint64_t *original, const uint64_t *synthetic,
				   uint32_t size_j, uint32_t size_i, uint32_t levels_i)
{
	pegs_conditional d = {0};
	double		scratch[2 * RANKED_LEVELS];
	uint32_t	rows = 0;
	uint32_t	taus = 0;
	uint32_t	rhos = 0;

	for (uint32_t j = 0; j < size_j; j++)
	{
		const uint64_t *a = original + (size_t) j * size_i;
		const uint64_t *b = synthetic + (size_t) j * size_i;
		double		n = row_sum(a, size_i);
		double		m = row_sum(b, size_i);
		double		squares = 0;
		double		absolute = 0;

		if (n == 0)
			continue;
		for (uint32_t i = 0; i < size_i; i++)
		{
			double		e = (double) a[i] / n - (m > 0 ? (double) b[i] / m : 0);

			squares += e * e;
			absolute += fabs(e);
		}
		rows++;
		d.squares += squares;
		d.mse += squares / levels_i;
		d.mae += absolute / levels_i;
		if (levels_i >= 2 && levels_i <= RANKED_LEVELS)
		{
			double		rho = pegs_spearman_rho(a, b, levels_i, scratch);

			d.tau += pegs_kendall_tau(a, b, levels_i);
			taus++;
			if (!isnan(rho))
			{
				d.rho += rho;
				rhos++;
			}
		}
	}
	if (rows > 0)
	{
		d.mse /= rows;
		d.mae /= rows;
	}
	d.tau = taus > 0 ? d.tau / taus : NAN;
	d.rho = rhos > 0 ? d.rho / rhos : NAN;
	return d;
}

/* ---- errors of counting queries ---- */

void
pegs_cell_errors_add(pegs_cell_errors *errors, const uint64_t *original, const uint64_t *synthetic, uint64_t cells,
				uint64_t original_rows, uint64_t synthetic_rows, uint64_t queries)
{
	double		n = original_rows > 0 ? (double) original_rows : 1;
	double		m = synthetic_rows > 0 ? (double) synthetic_rows : 1;

	errors->queries += queries;
	for (uint64_t i = 0; i < cells; i++)
	{
		double		e = fabs((double) original[i] / n - (double) synthetic[i] / m) * n;

		if (e == 0)
			continue;
		if (errors->n == errors->room)
		{
			uint64_t	room = errors->room > 0 ? errors->room * 2 : 1024;
			double	   *error = errors->env->alloc(errors->env->context, sizeof(double) * room);

			if (errors->n > 0)
			{
				memcpy(error, errors->error, sizeof(double) * errors->n);
				pegs_env_free(errors->env, errors->error);
			}
			errors->error = error;
			errors->room = room;
		}
		errors->error[errors->n++] = e;
	}
}

void
pegs_cell_errors_sort(pegs_cell_errors *errors)
{
	const pegs_env *env = errors->env;
	double	   *scratch = env->alloc(env->context, sizeof(double) * errors->n);

	pegs_sort(env, errors->error, errors->n, scratch);
	pegs_env_free(env, scratch);
}

/* After pegs_cell_errors_sort. The errors that are not kept are 0. */
void
pegs_cell_errors_profile(const pegs_cell_errors *errors, uint32_t percent, double *average, double *greatest)
{
	/* cells of undeclared values are not among the queries; 100 % are all errors even so */
	uint64_t	all = errors->queries > errors->n ? errors->queries : errors->n;
	uint64_t	taken = all * percent / 100;
	uint64_t	zero = all - errors->n;
	uint64_t	above;
	double		sum = 0;

	if (taken < 1)
		taken = 1;
	above = taken > zero ? taken - zero : 0;
	if (above > errors->n)
		above = errors->n;		/* no query at all */
	for (uint64_t i = 0; i < above; i++)
		sum += errors->error[i];
	*average = sum / (double) taken;
	*greatest = above > 0 ? errors->error[above - 1] : 0;
}

/* ---- counting any columns ---- */

#define DENSE_CELLS (UINT64_C(1) << 22)
#define ROWS_BETWEEN_CHECKS (1 << 16)

static void
count_dense(const pegs_env *env, const pegs_coded *table, const uint32_t *columns, uint32_t n, uint64_t *cell)
{
	for (uint64_t r = 0; r < table->nrows; r++)
	{
		uint64_t	key = 0;

		for (uint32_t c = 0; c < n; c++)
			key = key * pegs_coded_size(table, columns[c]) + table->code[columns[c]][r];
		cell[key]++;
		if (r % ROWS_BETWEEN_CHECKS == 0)
			env->check(env->context);
	}
}

pegs_status
pegs_count_cells(const pegs_env *env, const pegs_coded *original, const pegs_coded *synthetic,
				 const uint32_t *columns, uint32_t n, pegs_cells *cells)
{
	uint64_t	product = 1;
	bool		fits = true;

	memset(cells, 0, sizeof(*cells));
	for (uint32_t c = 0; c < n; c++)
	{
		if (columns[c] >= original->ncols || columns[c] >= synthetic->ncols
			|| original->levels[columns[c]] != synthetic->levels[columns[c]])
			return PEGS_ERR_MISMATCH;
		if (fits && product <= UINT64_MAX / pegs_coded_size(original, columns[c]))
			product *= pegs_coded_size(original, columns[c]);
		else
			fits = false;
	}
	if (fits && product <= DENSE_CELLS)
	{
		cells->cells = product;
		cells->original = env->alloc(env->context, sizeof(uint64_t) * product);
		cells->synthetic = env->alloc(env->context, sizeof(uint64_t) * product);
		count_dense(env, original, columns, n, cells->original);
		count_dense(env, synthetic, columns, n, cells->synthetic);
		return PEGS_OK;
	}

	{
		pegs_groups groups;
		pegs_status status = pegs_group_rows(env, original, synthetic, columns, n, &groups);

		if (status != PEGS_OK)
			return status;
		cells->cells = groups.n;
		cells->original = groups.original;
		cells->synthetic = groups.synthetic;
		pegs_env_free(env, groups.of);
	}
	return PEGS_OK;
}

void
pegs_free_cells(const pegs_env *env, pegs_cells *cells)
{
	pegs_env_free(env, cells->original);
	pegs_env_free(env, cells->synthetic);
	memset(cells, 0, sizeof(*cells));
}
