/*
 * compared.c
 *	  What is measured of a synthetic table beside its original: tables of one, two and three columns, propensity, numbers.
 *
 * For pegs_utility and for the trials of pegs_ru_map.
 */
#include "measures/measures.h"
#include "read/read.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "core/compare/propensity.h"
#include "core/compare/tables.h"

/* The mean and the greatest of some values; those that are not defined do not count. */
typedef struct Summary
{
	double		sum;
	double		greatest;
	uint64		n;
} Summary;

static void
add_value(Summary *summary, double value)
{
	if (isnan(value))
		return;
	summary->sum += value;
	summary->greatest = summary->n == 0 ? value : Max(summary->greatest, value);
	summary->n++;
}

static double
mean(const Summary *summary)
{
	return summary->n > 0 ? summary->sum / summary->n : get_float8_nan();
}

/* Errors of counting queries: not of a trial whose distance alone is asked for. */
static bool
wants_errors(const PegsUtility *u)
{
	return u->trial == NULL || !u->trial->distances;
}

static void
put_errors(const PegsUtility *u, pegs_cell_errors *errors, int ways)
{
	if (!wants_errors(u))
		return;
	pegs_cell_errors_sort(errors);
	pegs_put_compared(u, psprintf("queries%d", ways), NULL, 0, (double) errors->queries);
	for (int i = 0; i < 3; i++)
	{
		static const int percent[] = {95, 99, 100};
		double		average;
		double		greatest;

		pegs_cell_errors_profile(errors, percent[i], &average, &greatest);
		pegs_put_compared(u, psprintf("error%d_average_%d", ways, percent[i]), NULL, 0, average);
		pegs_put_compared(u, psprintf("error%d_greatest_%d", ways, percent[i]), NULL, 0, greatest);
	}
	if (errors->n > 0)
		pfree(errors->error);
}

static void
put_variation(const PegsUtility *u, const Summary *tv, int ways)
{
	pegs_put_compared(u, psprintf("tv%d_mean", ways), NULL, 0, mean(tv));
	pegs_put_compared(u, psprintf("tv%d_max", ways), NULL, 0, tv->greatest);
	if (ways > 1)
		pegs_put_compared(u, psprintf("kmarg%d", ways), NULL, 0, 1000 * (1 - mean(tv)));
}

/* ---- one and two columns: all tables of one aggregate ---- */

typedef struct Pairs
{
	pegs_layout layout;			/* over the sizes, "not declared" included */
	uint64	   *original;
	uint64	   *synthetic;
} Pairs;

static void
one_way(const PegsUtility *u, const Pairs *pairs)
{
	Summary		tv = {0};
	Summary		distance = {0};
	Summary		mse = {0};
	Summary		mae = {0};
	Summary		tau = {0};
	Summary		rho = {0};
	pegs_cell_errors errors = {.env = &u->env};

	for (uint32 c = 0; c < u->original->ncols; c++)
	{
		const uint64 *a = pairs->original + pairs->layout.offset[c];
		const uint64 *b = pairs->synthetic + pairs->layout.offset[c];
		uint32		levels = u->original->levels[c];
		pegs_distance d = pegs_distance_of(a, b, levels + 1,
										   u->original->nrows, u->synthetic->nrows);
		double	   *scratch = palloc(sizeof(double) * 2 * levels);
		double		t = levels <= 10000 ? pegs_kendall_tau(a, b, levels) : get_float8_nan();
		double		r = levels <= 10000 ? pegs_spearman_rho(a, b, levels, scratch) : get_float8_nan();

		pegs_put_compared(u, "tv1", &c, 1, d.tv);
		pegs_put_compared(u, "marginal_distance", &c, 1, d.squares);
		pegs_put_compared(u, "marginal_mse", &c, 1, d.squares / levels);
		pegs_put_compared(u, "marginal_mae", &c, 1, d.absolute / levels);
		pegs_put_compared(u, "kendall_tau", &c, 1, t);
		pegs_put_compared(u, "spearman_rho", &c, 1, r);
		pegs_put_compared(u, "not_declared", &c, 1, (double) b[levels]);
		add_value(&tv, d.tv);
		add_value(&distance, d.squares);
		add_value(&mse, d.squares / levels);
		add_value(&mae, d.absolute / levels);
		add_value(&tau, t);
		add_value(&rho, r);
		if (wants_errors(u))
			pegs_cell_errors_add(&errors, a, b, levels + 1,
								 u->original->nrows, u->synthetic->nrows, levels);
		pfree(scratch);
	}
	put_variation(u, &tv, 1);
	pegs_put_compared(u, "marginal_distance_mean", NULL, 0, mean(&distance));
	pegs_put_compared(u, "marginal_mse_mean", NULL, 0, mean(&mse));
	pegs_put_compared(u, "marginal_mae_mean", NULL, 0, mean(&mae));
	pegs_put_compared(u, "kendall_tau_mean", NULL, 0, mean(&tau));
	pegs_put_compared(u, "spearman_rho_mean", NULL, 0, mean(&rho));
	put_errors(u, &errors, 1);
}

/* A two-way table with its columns in the order asked for. */
static const uint64 *
oriented(const Pairs *pairs, const uint64 *cells, uint32 j, uint32 i, uint64 *scratch)
{
	uint32		ncols = pairs->layout.ncols;
	uint32		size_j = pairs->layout.levels[j];
	uint32		size_i = pairs->layout.levels[i];
	const uint64 *table;

	if (j < i)
		return cells + pairs->layout.pair_offset[j * ncols + i];
	table = cells + pairs->layout.pair_offset[i * ncols + j];
	for (uint32 a = 0; a < size_i; a++)
		for (uint32 b = 0; b < size_j; b++)
			scratch[(Size) b * size_i + a] = table[(Size) a * size_j + b];
	return scratch;
}

/* Distributions given column j, as PeGS paper and Park's thesis compare them: the mean over all other columns. */
static void
given_one(const PegsUtility *u, const Pairs *pairs)
{
	static const char *const name[] = {"conditional_distance", "conditional_mse", "conditional_mae", "conditional_tau", "conditional_rho"};
	Summary		all[5] = {{0}};
	uint32		ncols = u->original->ncols;
	uint64		largest = 1;
	uint64	   *a;
	uint64	   *b;

	if (ncols < 2)
		return;
	for (uint32 i = 0; i < ncols; i++)
		for (uint32 j = 0; j < i; j++)
			largest = Max(largest, (uint64) pairs->layout.levels[i] * pairs->layout.levels[j]);
	a = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint64) * largest);
	b = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint64) * largest);
	for (uint32 j = 0; j < ncols; j++)
	{
		Summary		of_j[5] = {{0}};

		for (uint32 i = 0; i < ncols; i++)
		{
			pegs_conditional d;

			if (i == j)
				continue;
			d = pegs_compare_given(oriented(pairs, pairs->original, j, i, a),
								   oriented(pairs, pairs->synthetic, j, i, b),
								   pairs->layout.levels[j], pairs->layout.levels[i], u->original->levels[i]);
			add_value(&of_j[0], d.squares);
			add_value(&of_j[1], d.mse);
			add_value(&of_j[2], d.mae);
			add_value(&of_j[3], d.tau);
			add_value(&of_j[4], d.rho);
			CHECK_FOR_INTERRUPTS();
		}
		for (int k = 0; k < 5; k++)
		{
			pegs_put_compared(u, name[k], &j, 1, mean(&of_j[k]));
			add_value(&all[k], mean(&of_j[k]));
		}
	}
	for (int k = 0; k < 5; k++)
		pegs_put_compared(u, psprintf("%s_mean", name[k]), NULL, 0, mean(&all[k]));
	pfree(a);
	pfree(b);
}

static void
two_ways(const PegsUtility *u, const Pairs *pairs, bool given)
{
	Summary		tv = {0};
	pegs_cell_errors errors = {.env = &u->env};
	uint32		ncols = u->original->ncols;

	for (uint32 i = 0; i < ncols; i++)
		for (uint32 j = i + 1; j < ncols; j++)
		{
			uint64		offset = pairs->layout.pair_offset[i * ncols + j];
			uint64		cells = (uint64) pairs->layout.levels[i] * pairs->layout.levels[j];
			pegs_distance d = pegs_distance_of(pairs->original + offset, pairs->synthetic + offset, cells,
											   u->original->nrows, u->synthetic->nrows);
			uint32		columns[2] = {i, j};

			pegs_put_compared(u, "tv2", columns, 2, d.tv);
			add_value(&tv, d.tv);
			if (wants_errors(u))
				pegs_cell_errors_add(&errors, pairs->original + offset, pairs->synthetic + offset, cells,
									 u->original->nrows, u->synthetic->nrows,
									 (uint64) u->original->levels[i] * u->original->levels[j]);
			CHECK_FOR_INTERRUPTS();
		}
	if (ncols < 2)
		return;
	put_variation(u, &tv, 2);
	put_errors(u, &errors, 2);
	if (given)
		given_one(u, pairs);
}

static void
three_ways(const PegsUtility *u)
{
	Summary		tv = {0};
	pegs_cell_errors errors = {.env = &u->env};
	uint32		ncols = u->original->ncols;
	uint32		c[3];

	for (c[0] = 0; c[0] < ncols; c[0]++)
		for (c[1] = c[0] + 1; c[1] < ncols; c[1]++)
			for (c[2] = c[1] + 1; c[2] < ncols; c[2]++)
			{
				pegs_cells	cells;
				pegs_distance d;

				if (pegs_count_cells(&u->env, u->original, u->synthetic, c, 3, &cells) != PEGS_OK)
					elog(ERROR, "a table of three columns cannot be counted");
				d = pegs_distance_of(cells.original, cells.synthetic, cells.cells, u->original->nrows, u->synthetic->nrows);
				pegs_put_compared(u, "tv3", c, 3, d.tv);
				add_value(&tv, d.tv);
				pegs_cell_errors_add(&errors, cells.original, cells.synthetic, cells.cells, u->original->nrows, u->synthetic->nrows,
								(uint64) u->original->levels[c[0]] * u->original->levels[c[1]] * u->original->levels[c[2]]);
				pegs_free_cells(&u->env, &cells);
				CHECK_FOR_INTERRUPTS();
			}
	if (ncols < 3)
		return;
	put_variation(u, &tv, 3);
	put_errors(u, &errors, 3);
}

/* Without what is compared given a column: most of the time goes there. */
static void
tables(const PegsUtility *u, bool given)
{
	Pairs		pairs;
	uint32	   *sizes = palloc(sizeof(uint32) * u->original->ncols);
	double		cells;

	for (uint32 c = 0; c < u->original->ncols; c++)
		sizes[c] = pegs_coded_size(u->original, c);
	if (pegs_layout_pairs(&u->env, u->original->ncols, sizes, &pairs.layout, &cells) != PEGS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the tables of all pairs of columns have %.0f cells: too many to be compared", cells),
				 errhint("Compare fewer columns: pegs_utility(original, synthetic, columns => ARRAY[...])")));
	pairs.original = pegs_count_coded(&pairs.layout, u->original);
	pairs.synthetic = pegs_count_coded(&pairs.layout, u->synthetic);
	one_way(u, &pairs);
	if (u->ways >= 2)
		two_ways(u, &pairs, given);
	if (u->ways >= 3)
		three_ways(u);
}

/* ---- how well a model tells synthetic rows from original ones ---- */

static void
propensity(const PegsUtility *u, bool pairs)
{
	double		pmse;
	double		ratio;
	uint32_t	k;
	uint64_t	cells;
	uint32	   *columns = palloc(sizeof(uint32) * u->original->ncols);

	if (u->original->nrows == 0 || u->synthetic->nrows == 0)
		return;
	if (pegs_pmse_logit(&u->env, u->original, u->synthetic, &pmse, &ratio, &k) != PEGS_OK)
		elog(ERROR, "the propensity model cannot be fitted");
	pegs_put_compared(u, "pmse_logit", NULL, 0, pmse);
	pegs_put_compared(u, "pmse_logit_ratio", NULL, 0, ratio);
	pegs_put_compared(u, "pmse_logit_rank", NULL, 0, k);
	for (uint32 c = 0; c < u->original->ncols; c++)
		columns[c] = c;
	if (pegs_pmse_cells(&u->env, u->original, u->synthetic, columns, u->original->ncols, &pmse, &ratio, &cells) != PEGS_OK)
		elog(ERROR, "the partition of all columns cannot be counted");
	pegs_put_compared(u, "pmse_cells", columns, u->original->ncols, pmse);
	pegs_put_compared(u, "pmse_cells_ratio", columns, u->original->ncols, ratio);
	for (uint32 i = 0; pairs && i < u->original->ncols && u->ways >= 2 && u->original->ncols > 2; i++)
		for (uint32 j = i + 1; j < u->original->ncols; j++)
		{
			uint32		pair[2] = {i, j};

			if (pegs_pmse_cells(&u->env, u->original, u->synthetic, pair, 2, &pmse, &ratio, &cells) != PEGS_OK)
				elog(ERROR, "the partition of a pair cannot be counted");
			pegs_put_compared(u, "pmse_cells", pair, 2, pmse);
			pegs_put_compared(u, "pmse_cells_ratio", pair, 2, ratio);
			CHECK_FOR_INTERRUPTS();
		}
}

/* ---- all of it ---- */

void
pegs_compare_groups(PegsUtility *u, char **groups, int ngroups)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs utility", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);

	u->env = pegs_env_in(context);
	pegs_put_compared(u, "rows_original", NULL, 0, (double) u->original->nrows);
	pegs_put_compared(u, "rows_synthetic", NULL, 0, (double) u->synthetic->nrows);
	for (int i = 0; i < ngroups; i++)
		if (strcmp(groups[i], "tables") == 0 || strcmp(groups[i], "distances") == 0)
			tables(u, *groups[i] == 't');
		else if (strcmp(groups[i], "propensity") == 0 || strcmp(groups[i], "classifier") == 0)
			propensity(u, *groups[i] == 'p');
		else if (strcmp(groups[i], "numbers") == 0)
			pegs_compare_columns(u);
		else
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("there are no measures called \"%s\"", groups[i]),
					 errhint("measures => ARRAY['tables', 'propensity', 'numbers']")));
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

void
pegs_compare_tables(ReturnSetInfo *result, const PegsTrial *trial, const PegsDomain *domain,
					const pegs_coded *original, const pegs_coded *synthetic)
{
	PegsUtility		u = {.result = result, .domain = domain, .original = original, .synthetic = synthetic, .ways = 2, .trial = trial};
	char	   *group = trial->distances ? "distances" : "tables";

	pegs_compare_groups(&u, &group, 1);
}
