/*
 * reach.c
 *	  What a score made of a model would reach, for pegs_report.
 *
 * Exact numbers of the rows that the model was fitted to, and beside them those
 * of a score of these rows themselves, which has no guarantee and is thrown
 * away: for the curator alone. Nothing is charged and nothing is stored.
 */
#include "scores/scores.h"
#include "read/read.h"
#include "rows/rows.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/compare/coded.h"
#include "core/score/score.h"

#define MAX_TARGETS 3			/* no more columns beyond so many; each is a fit to all that are drawn, and two to the table */
#define MAX_VALUES 6			/* of a column that is named: each is a target */

typedef struct Reach
{
	PegsModel  *model;
	const PegsDomain *domain;
	pegs_env	env;
	pegs_layout layout;
	const pegs_kept *drawn;		/* of the model */
	const pegs_coded *original;
	const pegs_kept *half[2];	/* of the original */
	int32	   *codes;			/* [ncols] */
} Reach;

/* ---- which columns ---- */

typedef struct Target
{
	int			column;
	int			level;			/* that is positive */
} Target;

/* Values without the one that takes what is not declared; NULL is none. */
static int
values_of(const PegsColumn *column)
{
	return column->nedges > 0 || column->part ? 0 : column->nlabels - (column->other >= 0 && column->nlabels > 2);
}

/* Of two values the second is positive, of more each in its turn: all others, NULL among them, count together. */
static List *
add_targets(List *targets, const PegsColumn *column, int number)
{
	int			values = values_of(column);
	int			seen = 0;

	for (int level = 0; level < column->nlabels; level++)
	{
		Target	   *target;

		if (values < column->nlabels && level == column->other)
			continue;
		if (values == 2 && seen++ == 0)
			continue;
		target = palloc(sizeof(Target));
		*target = (Target) {number, level};
		targets = lappend(targets, target);
	}
	return targets;
}

/* Columns that the model is for, or the caller names, of few values; if there is none, the first that are of two. */
static List *
targets_of(const Reach *reach, const char *named)
{
	List	   *meant = NIL;
	List	   *all = NIL;

	for (int i = 0; i < reach->domain->ncols; i++)
	{
		const PegsColumn *column = &reach->domain->column[i];
		int			values = values_of(column);

		if (values < 2 || values > MAX_VALUES)
			continue;
		if (values == 2 && list_length(all) < MAX_TARGETS)
			all = add_targets(all, column, i);
		if (list_length(meant) < MAX_TARGETS
			&& ((reach->model->spec->target && reach->model->spec->target[i]) || (named && strcmp(named, column->name) == 0)))
			meant = add_targets(meant, column, i);
	}
	return meant ? meant : all;
}

/* ---- the original ---- */

/* 0 or 1, by the bits of where a row stands: not in step with what comes row by row. */
static int
half_of(uint64 row)
{
	row = (row ^ (row >> 30)) * UINT64CONST(0xbf58476d1ce4e5b9);
	row = (row ^ (row >> 27)) * UINT64CONST(0x94d049bb133111eb);
	return (int) ((row ^ (row >> 31)) & 1);
}

/* Rows whose half is this one, but for those with a value that is not declared. */
static const pegs_kept *
keep_half(const Reach *reach, int half)
{
	const pegs_coded *table = reach->original;
	pegs_kept  *kept = pegs_kept_new(&reach->env, reach->layout.ncols, reach->layout.levels);
	uint16_t  **codes = palloc(sizeof(uint16_t *) * table->ncols);
	uint32		fill = 0;

	for (uint32 c = 0; c < table->ncols; c++)
		codes[c] = palloc(sizeof(uint16_t) * PEGS_CHUNK);
	for (uint64 r = 0; r < table->nrows; r++)
	{
		bool		declared = true;

		for (uint32 c = 0; c < table->ncols; c++)
			declared &= table->code[c][r] < table->levels[c];
		if (half_of(r + 1) != half || !declared)
			continue;
		for (uint32 c = 0; c < table->ncols; c++)
			codes[c][fill] = table->code[c][r];
		if (++fill < PEGS_CHUNK)
			continue;
		pegs_kept_add(kept, codes, NULL, fill);
		fill = 0;
		CHECK_FOR_INTERRUPTS();
	}
	if (fill > 0)
		pegs_kept_add(kept, codes, NULL, fill);
	return kept;
}

/* ---- a target ---- */

/* Without an account: of drawn rows claim P29; of exact ones no mechanism, and it stays here. */
static pegs_score_model
fit_to(const Reach *reach, const pegs_kept *rows, const Target *target)
{
	bool	   *positive = palloc0(sizeof(bool) * reach->layout.levels[target->column]);
	pegs_score_model score;

	positive[target->level] = true;
	pegs_additive_fit(&reach->env, NULL, NULL, &reach->layout, positive, (uint32) target->column, rows, &score);
	return score;
}

/* What a score says of rows of the original: of one half, or of all where `half` is -1. */
static double
auc_on(const Reach *reach, const pegs_score_model *score, const Target *target, int half, uint64 *n, uint64 *positive)
{
	const pegs_coded *table = reach->original;
	const uint16_t *truth = table->code[target->column];
	PegsSaid   *said = pegs_said(table->nrows);
	double		auc;

	*n = 0;
	for (uint64 r = 0; r < table->nrows; r++)
	{
		if (r % PEGS_CHUNK == 0)
			CHECK_FOR_INTERRUPTS();
		if ((half >= 0 && half_of(r + 1) != half) || truth[r] >= table->levels[target->column])
			continue;
		for (uint32 c = 0; c < table->ncols; c++)
			reach->codes[c] = table->code[c][r] < table->levels[c] ? table->code[c][r] : -1;
		said[(*n)++] = (PegsSaid) {(double) pegs_score_sum(score, reach->codes), truth[r] == target->level};
	}
	*positive = pegs_sort_said(said, *n);
	auc = pegs_auc(said, *n, *positive);
	pfree(said);
	return auc;
}

/* (model, column_name, level, rows, positive, of_model, of_rows) */
static void
put_target(ReturnSetInfo *result, const Reach *reach, const Target *target)
{
	const PegsColumn *column = &reach->domain->column[target->column];
	pegs_score_model score = fit_to(reach, reach->drawn, target);
	double		other[2];
	uint64		n;
	uint64		positive;
	uint64		of_half[2];
	double		of_model = auc_on(reach, &score, target, -1, &n, &positive);
	double		of_rows;
	Datum		values[7];
	bool		nulls[7] = {false};

	for (int half = 0; half < 2; half++)
	{
		score = fit_to(reach, reach->half[half], target);
		other[half] = auc_on(reach, &score, target, 1 - half, &of_half[0], &of_half[1]);
	}
	of_rows = (other[0] + other[1]) / 2;
	values[0] = CStringGetTextDatum(reach->model->name);
	values[1] = DirectFunctionCall1(namein, CStringGetDatum(column->name));
	values[2] = CStringGetTextDatum(pegs_level_text(column, target->level));
	values[3] = Int64GetDatum((int64) n);
	values[4] = Int64GetDatum((int64) positive);
	values[5] = Float8GetDatum(of_model);
	nulls[5] = isnan(of_model);
	values[6] = Float8GetDatum(of_rows);
	nulls[6] = isnan(of_rows);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Can pegs_score_fit_of be asked for one, and is there something that it may look at? */
static bool
may_be_scored(const PegsModel *model)
{
	uint64		levels = 0;

	for (int i = 0; i < model->spec->domain->ncols; i++)
		levels += pegs_column_levels(&model->spec->domain->column[i]);
	return model->name && !pegs_is_sealed(model) && model->method->scorer == NULL && model->slice == NULL
		&& model->spec->domain->ncols > 1 && levels <= PEGS_SCORE_MOST_LEVELS;
}

/*
 * pegs_internal.report_scores(name text, target name)
 * → (model text, column_name name, level text, rows bigint, positive bigint, of_model float8, of_rows float8)
 *
 * Of columns of two values, and the second of these; of one that is named, of few. No rows: no score could be made of it.
 */
PG_FUNCTION_INFO_V1(pegs_report_scores);
Datum
pegs_report_scores(PG_FUNCTION_ARGS)
{
	PegsRelease *release;
	Reach		reach = {.model = pegs_model_or_release(pegs_arg_text(fcinfo, 0, "name"), &release), .env = pegs_env_in(CurrentMemoryContext)};
	const char *named = PG_ARGISNULL(1) ? NULL : NameStr(*PG_GETARG_NAME(1));
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	PegsSource *source;
	PegsDomain *domain;
	List	   *targets;
	ListCell   *cell;
	int		   *from;

	if (!may_be_scored(reach.model))
		return (Datum) 0;
	source = pegs_original_as_fitted(reach.model, "compare it with a synthetic table");
	reach.domain = reach.model->spec->domain;
	targets = targets_of(&reach, named);
	if (targets == NIL)
		return (Datum) 0;
	domain = palloc(sizeof(PegsDomain));
	*domain = *reach.domain;
	pegs_spec_layout(pegs_spec_without_parents(domain, pegs_method_named(PEGS_SCORE_OF_MODEL)->tables), &reach.env, &reach.layout);
	from = palloc(sizeof(int) * domain->ncols);
	for (int i = 0; i < domain->ncols; i++)
		from[i] = i;
	reach.codes = palloc(sizeof(int32) * domain->ncols);
	reach.drawn = pegs_rows_to_score(reach.model, from, &reach.layout);
	reach.original = pegs_coded_original(source, domain, NULL, true);
	for (int half = 0; half < 2; half++)
		reach.half[half] = keep_half(&reach, half);
	foreach(cell, targets)
		put_target(result, &reach, lfirst(cell));
	return (Datum) 0;
}
