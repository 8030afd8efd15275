/*
 * fit_slices.c
 *	  The slices that are complete and not fitted yet, each fitted once.
 *
 * Order for each: rights, public facts, rows, the mark raised (mark.c), noise,
 * store. So a slice is used up, for good, before noise is drawn for it; in
 * which order, and which, the clock or the list says and no row. A transaction
 * that rolls back has lost the slices that it fitted. Rows that come into a
 * slice later are never counted. Laws L2, L9; claim P21.
 */
#include "slices/slices.h"
#include "source/source.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* ---- may they be fitted, here and now? ---- */

/* It is the column that they were set for: not another by its name, nor of another type. */
static void
require_column(const PegsSource *source, const PegsGrid *grid)
{
	Oid			type;
	int32		typmod;
	Oid			collation;
	bool		same = get_attnum(source->relid, grid->column) == grid->attnum;

	if (same)
	{
		get_atttypetypmodcoll(source->relid, grid->attnum, &type, &typmod, &collation);
		same = getBaseTypeAndTypmod(type, &typmod) == grid->type && typmod == grid->typmod;
	}
	if (!same)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column \"%s\" of %s is not the one that the slices were set for", grid->column, source->name),
				 errdetail("It was renamed, dropped or changed, and a row could be in two slices. Nothing was used up."),
				 errhint("Put it back; or set them anew, for another charge: SELECT pegs_unset_slices(%s);", pegs_relation_literal(source->relid))));
	if (grid->values)
		pegs_hold_list(source, grid);
}

/* A model goes on with slices by the column that it has them by. */
static void
require_same_slices(const PegsSliceFit *what, const PegsGrid *grid)
{
	const PegsSlice *before = what->before->slice;

	if (strcmp(before->column, grid->column) != 0 || (before->value != NULL) != (grid->values != NULL)
		|| before->type != grid->type || before->typmod != grid->typmod)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" is of other slices", what->name),
				 errdetail("They are by %s of column \"%s\" of type %s. Nothing was used up.", before->value ? "values" : "times", before->column,
						   format_type_with_typemod(before->type, before->typmod)),
				 errhint("Choose another name: SELECT pegs_fit_slices(%s, %s);", quote_literal_cstr(psprintf("%s of other slices", what->name)),
						 pegs_relation_literal(what->source->relid))));
}

static void
require_here(const PegsSource *source, const PegsGrid *grid)
{
	char	   *table = pegs_relation_literal(source->relid);
	const char *from;

	from = pegs_mark_copied_from(&grid->mark);
	if (from)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the slices of %s are a copy", source->name),
				 errdetail("They were paid for %s. Which of them are fitted there is not known here.", from),
				 errhint("What was fitted stays. If no other copy is fitted any more, a superuser can say so: %s If one is: SELECT pegs_unset_slices(%s); and pegs_set_slices, for another charge.", pegs_adopt_slices_command(table), table)));
	if (pegs_recorded_mark(grid) > pegs_read_mark(&grid->mark))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the slices of %s were set back", source->name),
				 errdetail("A model is of a slice that is said not to be fitted."),
				 errhint("A dump was loaded into this database, or somebody set a sequence. A superuser can say when the last of them was fitted: %s", pegs_adopt_slices_command(table))));
}

void
pegs_require_fittable(PegsSource *source, const PegsGrid *grids, int n)
{
	pegs_require_rows(source);
	for (int i = 0; i < n; i++)
	{
		require_here(source, &grids[i]);	/* first: in a copy an enum's values have other numbers */
		require_column(source, &grids[i]);
	}
	pegs_require_guard(source->relid, grids[0].column);
}

/* ---- which ---- */

/* One slice that is to be fitted. */
typedef struct Task
{
	PegsGrid   *grid;
	int64		lower;
	int64		upper;
} Task;

/* Where each grid is: its next slice, if that is complete. */
static bool
next_of(PegsGrid *grid, int64 lower, Task *next)
{
	*next = (Task) {.grid = grid, .lower = lower};
	return pegs_grid_next(grid, lower, &next->upper);
}

/* Those that are complete, in the order in which they are, the wider one first: at most so many; gives how many there are besides. */
static int64
find_tasks(PegsGrid *grids, int n, int64 most, List **tasks)
{
	Task	   *next = palloc(sizeof(Task) * n);
	bool	   *there = palloc(sizeof(bool) * n);
	int64		besides = 0;

	*tasks = NIL;
	for (int i = 0; i < n; i++)
		there[i] = next_of(&grids[i], grids[i].base + pegs_read_mark(&grids[i].mark), &next[i]);
	for (;;)
	{
		int			first = -1;

		for (int i = 0; i < n; i++)
			if (there[i] && (first < 0 || next[i].upper < next[first].upper))
				first = i;
		if (first < 0)
			return besides;
		if (list_length(*tasks) < most)
		{
			Task	   *task = palloc(sizeof(Task));

			*task = next[first];
			*tasks = lappend(*tasks, task);
		}
		else
			besides++;
		there[first] = next_of(&grids[first], next[first].upper, &next[first]);
	}
}

/* ---- one of them ---- */

static void
use_up(void *arg)
{
	const Task *task = arg;

	pegs_raise_mark(&task->grid->mark, task->lower - task->grid->base, task->upper - task->grid->base);
}

/* Of an error in a slice: the caller must know which, and that it may be lost. */
static void
say_which(void *arg)
{
	const PegsSlice *slice = &((const PegsSliceFit *) arg)->slice;

	errcontext("fitting the slice of rows %s; slices whose noise was drawn in this transaction are used up", pegs_slice_words(slice));
}

static void
describe(PegsSliceFit *what, const Task *task)
{
	const PegsGrid *grid = task->grid;

	what->epsilon = grid->epsilon;
	what->delta = grid->delta;
	what->slice = (PegsSlice) {
		.grid = grid->id,
		.used = task->upper - grid->base,
		.column = grid->column,
		.type = grid->type,
		.typmod = grid->typmod
	};
	if (grid->values)
		what->slice.value = pegs_list_value(grid, task->lower);
	else
	{
		what->slice.width = pegs_width_text(&grid->width);
		what->slice.lower = pegs_moment_text(grid, task->lower);
		what->slice.upper = pegs_moment_text(grid, task->upper);
	}
	what->range = pegs_slice_range(grid, task->lower, task->upper);
}

/* A condition is planned for each part of the table by itself: of a list so many values in one, and no more. */
#define VALUES_AT_ONCE 1000

static void
try_rows(PegsSliceFit *what, const PegsGrid *grid, int64 lower, int64 upper)
{
	what->range = pegs_slice_range(grid, lower, upper);
	pegs_try_slice(what);
}

/*
 * All rows of all of them once before: a value that is not declared, which ends
 * the fit, then costs no slice of those before it.
 */
static void
try_all(PegsSliceFit *what, List *tasks)
{
	const Task *first = linitial(tasks);
	int64		lower = first->lower;
	int64		upper = first->upper;
	ListCell   *cell;

	foreach(cell, tasks)
	{
		lower = Min(lower, ((Task *) lfirst(cell))->lower);
		upper = Max(upper, ((Task *) lfirst(cell))->upper);
	}
	describe(what, first);
	if (first->grid->values == NULL)
		try_rows(what, first->grid, lower, upper);
	else
		for (; lower < upper; lower += VALUES_AT_ONCE)
			try_rows(what, first->grid, lower, Min(upper, lower + VALUES_AT_ONCE));
}

static void
fit_one(PegsSliceFit *what, Task *task)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs slice", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	ErrorContextCallback callback = {.callback = say_which, .arg = what, .previous = error_context_stack};

	describe(what, task);
	what->use_up = use_up;
	what->arg = task;
	error_context_stack = &callback;
	pegs_fit_slice(what);
	error_context_stack = callback.previous;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	what->before = pegs_find_model(what->name);
	if (what->before == NULL || what->before->slice == NULL)
		elog(ERROR, "a slice was not stored");
}

static void
say_lost(void *arg)
{
	errcontext("after slices were fitted; those whose noise was drawn in this transaction are used up");
}

/* One call may fit for hours: a guard that went meanwhile is an error before anybody sees what was fitted. */
static void
require_still_guarded(const PegsSource *source, const PegsGrid *grid)
{
	ErrorContextCallback callback = {.callback = say_lost, .previous = error_context_stack};

	error_context_stack = &callback;
	AcceptInvalidationMessages();	/* whoever makes triggers does not wait for readers */
	pegs_require_guard(source->relid, grid->column);
	error_context_stack = callback.previous;
}

/* Another living model of these slices: those that it has are fitted for good, and this one would have none of them. */
static void
refuse_second_model(const PegsSource *source, const PegsGrid *grids, int n)
{
	MemoryContext context = CurrentMemoryContext;
	char	   *other = NULL;
	PegsAs		saved;

	pegs_begin_as_extension(&saved);
	for (int i = 0; i < n && other == NULL; i++)
	{
		PegsArg		id = {INT8OID, Int64GetDatum(grids[i].id), false};

		pegs_spi_now("SELECT last.name FROM pegs_internal.model AS m JOIN pegs_internal.model AS last ON coalesce(last.first_fit, last.id) = coalesce(m.first_fit, m.id)"
					 " WHERE m.grid = $1 AND last.name IS NOT NULL LIMIT 1", SPI_OK_SELECT, 1, &id);
		if (SPI_processed == 1)
			other = MemoryContextStrdup(context, SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1));
	}
	pegs_end_as(&saved);
	if (other)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("the slices of %s are those of model \"%s\"", source->name, other),
				 errdetail("Each is fitted once. Nothing was used up."),
				 errhint("SELECT pegs_fit_slices(%s, %s);", quote_literal_cstr(other), pegs_relation_literal(source->relid))));
}

/*
 * The guard is asked now. Rows as they were before now could have moved since,
 * while it was not there yet, and have been counted where they were.
 */
static void
refuse_older_rows(void)
{
	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("slices cannot be fitted in a transaction that sees rows as they were when it began"),
				 errdetail("A row could have moved to another slice since. Nothing was used up."),
				 errhint("BEGIN ISOLATION LEVEL READ COMMITTED;")));
}

/* The grids of the table, held; or why nothing can be fitted. */
static PegsGrid *
grids_to_fit(PegsSource *source, int *n)
{
	PegsGrid   *grids = pegs_grids_of(source->account, true, n);

	if (*n == 0 || source->relid != source->account)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("%s has no slices", source->name),
				 errhint("They are paid for once: SELECT pegs_set_slices(%s, 'at', width => '1 day', origin => '2026-01-01', epsilon => 1, delta => 1e-9);",
						 pegs_relation_literal(source->account))));
	for (int i = 0; i < *n; i++)
		if (grids[i].made_here)
			pegs_refuse_new_mark();
	pegs_require_fittable(source, grids, *n);
	return grids;
}

/* Of the method; where none is named, it is that of the slices before. */
static void
check_options(const PegsSliceFit *what)
{
	pegs_refuse_at_fit(what->method, &what->options);
	pegs_check_options(what->method, what->options.own);
}

/*
 * Of a first fit each set is asked, so that no model begins that could not go on;
 * of one that goes on those of its next slices: a set may have come since, of
 * another charge. What is told is told once of each set.
 */
static void
check_prices(PegsSliceFit *what, const PegsGrid *grids, int n, const List *tasks)
{
	for (int i = 0; i < n; i++)
	{
		bool		fits = what->before == NULL;
		ListCell   *cell;

		foreach(cell, tasks)
			fits |= ((const Task *) lfirst(cell))->grid == &grids[i];
		what->epsilon = grids[i].epsilon;
		what->delta = grids[i].delta;
		if (fits)
			pegs_check_slice_price(what, what->before == NULL || pegs_read_mark(&grids[i].mark) == 0);
	}
}

/* pegs_fit_slices(model text, source regclass, columns name[], most bigint, method text, options jsonb) → bigint: how many were fitted */
PG_FUNCTION_INFO_V1(pegs_fit_slices);
Datum
pegs_fit_slices(PG_FUNCTION_ARGS)
{
	PegsSliceFit what = {.name = pegs_arg_text(fcinfo, 0, "model")};
	char	   *method;
	PegsObject	object;
	bool		known;			/* the method, before the model of that name is looked at */
	int64		most;
	int64		besides;
	PegsGrid   *grids;
	int			n;
	List	   *tasks;
	ListCell   *cell;

	what.source = pegs_curated_source(pegs_arg_oid(fcinfo, 1, "source"), "fit its slices");
	what.columns = pegs_arg_names(fcinfo, 2, "columns");
	most = pegs_arg_count(fcinfo, 3, "most");
	method = PG_ARGISNULL(4) ? NULL : pegs_arg_choice(fcinfo, 4, "method");
	what.method = pegs_slice_method(method);
	what.options = pegs_fit_options(pegs_arg_object(fcinfo, 5, "options"));
	known = method || !pegs_find_object(what.name, &object);
	if (known)
		check_options(&what);
	pegs_refuse_read_only();
	refuse_older_rows();
	grids = grids_to_fit(what.source, &n);
	what.before = pegs_model_of_slices(what.name);
	if (what.before)
	{
		require_same_slices(&what, grids);
		pegs_require_same_method(&what, method);
		what.method = what.before->method;
	}
	else
		refuse_second_model(what.source, grids, n);
	if (!known)
		check_options(&what);
	for (int i = 0; i < n; i++)
		if (pegs_fit_draws_urns(what.method, what.before ? what.before->spec->own : what.options.own))
			pegs_check_delta_of_urns(what.source, grids[i].delta);
	what.slice.column = grids[0].column;
	pegs_check_slice_columns(&what);
	besides = find_tasks(grids, n, most, &tasks);
	if (tasks == NIL)
		PG_RETURN_INT64(0);
	if (what.before == NULL)
		pegs_take_name(what.name);
	check_prices(&what, grids, n, tasks);
	if (list_length(tasks) > 1)
		try_all(&what, tasks);
	foreach(cell, tasks)
		fit_one(&what, lfirst(cell));
	require_still_guarded(what.source, grids);
	if (besides > 0)
		ereport(NOTICE,
				(errmsg("slices that are complete and not fitted yet: " INT64_FORMAT, besides),
				 errhint("Call it again: SELECT pegs_fit_slices(%s, %s);", quote_literal_cstr(what.name), pegs_relation_literal(what.source->relid))));
	PG_RETURN_INT64(list_length(tasks));
}
