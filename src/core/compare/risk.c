/*
 * risk.c
 *	  What a synthetic table gives away of its original.
 */
#include "core/compare/risk.h"

#include <math.h>

#include "core/compare/group.h"

static pegs_uniqueness
uniqueness(const pegs_groups *groups, uint64_t original_rows, uint64_t synthetic_rows)
{
	uint64_t	ones[3] = {0};

	for (uint32_t g = 0; g < groups->n; g++)
	{
		ones[0] += groups->original[g] == 1;
		ones[1] += groups->synthetic[g] == 1;
		ones[2] += groups->original[g] == 1 && groups->synthetic[g] == 1;
	}
	return (pegs_uniqueness) {
		100 * (double) ones[0] / (double) original_rows,
		100 * (double) ones[1] / (double) synthetic_rows,
		100 * (double) ones[2] / (double) original_rows
	};
}

/* What one table knows of each group: its most frequent target (the least of equals), how often, and whether it is the only one. */
typedef struct guess
{
	uint32_t	target;
	uint64_t	rows;			/* of that target; 0: the group has no row */
} guess;

/* Each (group, target) that has a row, from the groups of keys and target together. */
typedef struct cell
{
	uint32_t	group;
	uint32_t	target;
} cell;

static void
better(guess *best, uint32_t target, uint64_t rows)
{
	if (rows > best->rows || (rows == best->rows && rows > 0 && target < best->target))
		*best = (guess) {target, rows};
}

/* The most frequent code of a column, the least of equals. */
static uint32_t
mode_of(const pegs_env *env, const pegs_coded *table, uint32_t column, uint64_t *rows)
{
	uint64_t   *count = env->alloc(env->context, sizeof(uint64_t) * pegs_coded_size(table, column));
	guess		best = {0, 0};

	for (uint64_t r = 0; r < table->nrows; r++)
		count[table->code[column][r]]++;
	for (uint32_t code = 0; code < pegs_coded_size(table, column); code++)
		better(&best, code, count[code]);
	pegs_env_free(env, count);
	*rows = best.rows;
	return best.target;
}

static pegs_status
attribute(const pegs_env *env, const pegs_coded *original, const pegs_coded *synthetic,
		  const pegs_groups *groups, const uint32_t *keys, uint32_t nkeys, uint32_t target, pegs_risk *risk)
{
	uint32_t   *columns = env->alloc(env->context, sizeof(uint32_t) * (nkeys + 1));
	guess	   *own = env->alloc(env->context, sizeof(guess) * (groups->n + 1));
	guess	   *theirs = env->alloc(env->context, sizeof(guess) * (groups->n + 1));
	double		n = (double) original->nrows;
	uint64_t	rows = original->nrows + synthetic->nrows;
	double		sum[11] = {0};
	uint64_t	most;
	uint32_t	fallback = mode_of(env, synthetic, target, &most);
	pegs_groups cells;
	cell	   *of;
	pegs_status status;

	for (uint32_t k = 0; k < nkeys; k++)
		columns[k] = keys[k];
	columns[nkeys] = target;
	status = pegs_group_rows(env, original, synthetic, columns, nkeys + 1, &cells);
	if (status != PEGS_OK)
		return status;
	of = env->alloc(env->context, sizeof(cell) * (cells.n + 1));
	for (uint64_t r = 0; r < rows; r++)
		of[cells.of[r]] = (cell) {
			groups->of[r],
			r < original->nrows ? original->code[target][r] : synthetic->code[target][r - original->nrows]
		};
	for (uint32_t c = 0; c < cells.n; c++)
	{
		better(&own[of[c].group], of[c].target, cells.original[c]);
		better(&theirs[of[c].group], of[c].target, cells.synthetic[c]);
	}

	for (uint32_t c = 0; c < cells.n; c++)
	{
		uint32_t	g = of[c].group;
		double		d = (double) cells.original[c];
		double		s = (double) cells.synthetic[c];
		bool		one_there = own[g].rows == groups->original[g];
		bool		one_here = groups->synthetic[g] > 0 && theirs[g].rows == groups->synthetic[g];
		bool		known = groups->synthetic[g] > 0;
		bool		right = one_here && theirs[g].target == of[c].target;

		sum[0] += one_there ? d : 0;
		sum[1] += one_here ? s : 0;
		sum[2] += known ? d : 0;
		sum[3] += one_here ? d : 0;
		sum[4] += right ? d : 0;
		sum[5] += right && one_there ? d : 0;
		sum[6] += (known ? theirs[g].target : fallback) != of[c].target ? d : 0;
		sum[7] += known && theirs[g].target != of[c].target ? d : 0;
		sum[8] += own[g].target != of[c].target ? d : 0;
		sum[9] += known ? d * s / (double) groups->synthetic[g] : 0;
	}
	(void) mode_of(env, original, target, &most);
	risk->d_orig = 100 * sum[0] / n;
	risk->d_syn = 100 * sum[1] / (double) synthetic->nrows;
	risk->i_s = 100 * sum[2] / n;
	risk->di_s = 100 * sum[3] / n;
	risk->disco = 100 * sum[4] / n;
	risk->disdio = 100 * sum[5] / n;
	risk->misclassified = sum[6] / n;
	risk->matched = sum[2] / n;
	risk->misclassified_matched = sum[2] > 0 ? sum[7] / sum[2] : NAN;
	risk->misclassified_own = sum[8] / n;
	risk->misclassified_mode = 1 - (double) most / n;
	risk->cap = sum[2] > 0 ? sum[9] / sum[2] : NAN;
	pegs_free_groups(env, &cells);
	pegs_env_free(env, of);
	pegs_env_free(env, own);
	pegs_env_free(env, theirs);
	pegs_env_free(env, columns);
	return PEGS_OK;
}

/* ---- a number ---- */

typedef struct total
{
	double		sum;
	double		n;
} total;

static void
totals(const pegs_coded *table, const uint32_t *group, uint32_t target, total *of, total *all)
{
	for (uint64_t r = 0; r < table->nrows; r++)
	{
		double		x = table->number[target][r];

		if (!isfinite(x))
			continue;
		of[group[r]].sum += x;
		of[group[r]].n++;
		all->sum += x;
		all->n++;
	}
}

static void
number(const pegs_env *env, const pegs_coded *original, const pegs_coded *synthetic,
	   const pegs_groups *groups, uint32_t target, pegs_risk *risk)
{
	total	   *own = env->alloc(env->context, sizeof(total) * (groups->n + 1));
	total	   *theirs = env->alloc(env->context, sizeof(total) * (groups->n + 1));
	total		all = {0, 0};
	total		all_own = {0, 0};
	total		error = {0, 0};
	total		matched = {0, 0};
	total		error_own = {0, 0};

	totals(original, groups->of, target, own, &all_own);
	totals(synthetic, groups->of + original->nrows, target, theirs, &all);
	for (uint64_t r = 0; r < original->nrows && all.n > 0; r++)
	{
		uint32_t	g = groups->of[r];
		double		x = original->number[target][r];

		if (!isfinite(x))
			continue;
		if (theirs[g].n > 0)
		{
			matched.sum += fabs(x - theirs[g].sum / theirs[g].n);
			matched.n++;
		}
		error.sum += fabs(x - (theirs[g].n > 0 ? theirs[g].sum / theirs[g].n : all.sum / all.n));
		error.n++;
		error_own.sum += fabs(x - own[g].sum / own[g].n);
		error_own.n++;
	}
	risk->error = error.n > 0 ? error.sum / error.n : NAN;
	risk->error_matched = matched.n > 0 ? matched.sum / matched.n : NAN;
	risk->error_own = error_own.n > 0 ? error_own.sum / error_own.n : NAN;
	pegs_env_free(env, own);
	pegs_env_free(env, theirs);
}

pegs_status
pegs_risk_of(const pegs_env *env, const pegs_coded *original, const pegs_coded *synthetic,
			 const uint32_t *keys, uint32_t nkeys, uint32_t target, pegs_risk *risk)
{
	const double none = NAN;
	uint32_t   *all = env->alloc(env->context, sizeof(uint32_t) * (original->ncols + 1));
	pegs_groups groups;
	pegs_status status;
	uint64_t	unique = 0;
	uint64_t	found = 0;
	uint64_t	exact = 0;

	*risk = (pegs_risk) {
		{none, none, none}, {none, none, none}, none, none, none, none, none, none, none, none,
		none, none, none, none, none, none, none, none, none
	};
	for (uint32_t c = 0; c < original->ncols; c++)
		all[c] = c;
	if (original->ncols != synthetic->ncols
		|| (target != PEGS_NO_COLUMN && target >= original->ncols))
		return PEGS_ERR_MISMATCH;
	status = pegs_group_rows(env, original, synthetic, all, original->ncols, &groups);
	if (status != PEGS_OK)
		return status;
	if (original->nrows == 0 || synthetic->nrows == 0)
		return PEGS_OK;
	risk->on_all = uniqueness(&groups, original->nrows, synthetic->nrows);
	for (uint32_t g = 0; g < groups.n; g++)
	{
		unique += groups.original[g] == 1;
		found += groups.original[g] == 1 && groups.synthetic[g] > 0;
		exact += groups.original[g] > 0 ? groups.synthetic[g] : 0;
	}
	risk->exact_match = 100 * (double) exact / (double) synthetic->nrows;
	risk->unique_matched = unique > 0 ? 100 * (double) found / (double) unique : 0;
	pegs_free_groups(env, &groups);
	pegs_env_free(env, all);

	status = pegs_group_rows(env, original, synthetic, keys, nkeys, &groups);
	if (status != PEGS_OK)
		return status;
	risk->on_keys = uniqueness(&groups, original->nrows, synthetic->nrows);
	if (target != PEGS_NO_COLUMN)
	{
		status = attribute(env, original, synthetic, &groups, keys, nkeys, target, risk);
		if (status != PEGS_OK)
			return status;
		if (original->number && original->number[target] && synthetic->number && synthetic->number[target])
			number(env, original, synthetic, &groups, target, risk);
	}
	pegs_free_groups(env, &groups);
	return PEGS_OK;
}
