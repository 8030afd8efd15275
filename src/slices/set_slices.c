/*
 * set_slices.c
 *	  Slices of a table are paid for: once, now, for all that will be fitted.
 *
 * One ordinary charge (ledger.c) buys a grid, by the clock or by a list: each of
 * its slices is fitted once with this epsilon and delta, and a row lies in one
 * of them. Everything that can fail is done before the charge. Laws L2, L3;
 * claim P21.
 */
#include "slices/slices.h"
#include "codes/codes.h"
#include "source/source.h"

#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

/* ---- what slices may be of ---- */

/* Of the table that pays: rows of a view, or of a part, are rows of another one's slices. */
static void
require_table(const PegsSource *source)
{
	if (source->relid != source->account)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("slices are of a table, and %s is a view or a part of one", source->name),
				 errhint("Name the whole: %s", pegs_relation_literal(source->account))));
}

/* A column that stays as it was inserted; without a list, of a time. */
static void
find_column(const PegsSource *source, PegsGrid *grid)
{
	HeapTuple	tuple;
	Form_pg_attribute att;

	grid->attnum = get_attnum(source->relid, grid->column);
	tuple = grid->attnum > 0 ? SearchSysCache2(ATTNUM, ObjectIdGetDatum(source->relid), Int16GetDatum(grid->attnum)) : NULL;
	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of %s does not exist", grid->column, source->name),
				 errhint("SELECT column_name FROM pegs_domain(%s);", quote_literal_cstr(source->name))));
	att = (Form_pg_attribute) GETSTRUCT(tuple);
	grid->typmod = att->atttypmod;
	grid->type = getBaseTypeAndTypmod(att->atttypid, &grid->typmod);
	if (att->attgenerated)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("slices cannot be of column \"%s\": it is generated", grid->column),
				 errdetail("It changes with the columns that it is computed from."),
				 errhint("Name a column that is inserted, and never updated.")));
	ReleaseSysCache(tuple);
	if (grid->values == NULL && grid->type != DATEOID && grid->type != TIMESTAMPOID && grid->type != TIMESTAMPTZOID)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("slices cannot be of column \"%s\": it is of type %s", grid->column, format_type_with_typemod(grid->type, grid->typmod)),
				 errhint("Name a column of type date, timestamp or timestamptz.")));
}

/* ---- arguments ---- */

static void
refuse_null(const char *name, const char *example)
{
	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("%s must not be null", name),
			 errhint("For example: %s", example)));
}

/* Epsilon and delta, from argument n on. */
static void
read_price(FunctionCallInfo fcinfo, int n, PegsGrid *grid)
{
	if (PG_ARGISNULL(n))
		refuse_null("epsilon", "epsilon => 1");
	grid->epsilon = pegs_arg_epsilon(fcinfo, n, "epsilon");
	grid->delta = pegs_arg_delta(fcinfo, n + 1, "delta");
	pegs_check_fit_price(grid->epsilon, grid->delta);
}

static PegsGrid
read_list(FunctionCallInfo fcinfo)
{
	PegsGrid	grid = {.column = pstrdup(pegs_arg_column(fcinfo, 1, "column_name", "region")), .zone = pstrdup("UTC")};

	read_price(fcinfo, 2, &grid);
	if (PG_ARGISNULL(4))
		refuse_null("slices", "slices => ARRAY['north', 'south']");
	grid.values = pegs_arg_literals(fcinfo, 4, "slices", &grid.nvalues);
	return grid;
}

static PegsGrid
read_clock(FunctionCallInfo fcinfo)
{
	PegsGrid	grid = {.column = pstrdup(pegs_arg_column(fcinfo, 1, "column_name", "at"))};

	if (PG_ARGISNULL(2))
		refuse_null("width", "width => '1 day'");
	grid.width = *PG_GETARG_INTERVAL_P(2);
	if (PG_ARGISNULL(3))
		refuse_null("origin", "origin => '2026-01-01'");
	grid.origin = PG_GETARG_TIMESTAMP(3);
	read_price(fcinfo, 4, &grid);
	grid.zone = pegs_arg_text(fcinfo, 6, "zone");
	(void) pegs_zone(grid.zone);
	return grid;
}

/* A list is the only slices of its table. */
static void
require_alone(const PegsSource *source, const PegsGrid *grid, const PegsGrid *others, int n)
{
	if (n > 0 && (grid->values || others[0].values))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("%s has slices already", source->name),
				 errdetail("Slices by a list of values are the only ones of a table. Nothing was charged."),
				 errhint("They go on as they are. To give up what was paid for them, and set them anew for another charge: SELECT pegs_unset_slices(%s);", pegs_relation_literal(source->relid))));
}

/* Those that were set before, here: that rows of the one can take the place of rows of the other. */
static void
require_nested(const PegsSource *source, const PegsGrid *grid, const PegsGrid *others, int n)
{
	for (int i = 0; i < n; i++)
	{
		const PegsGrid *other = &others[i];

		if (DatumGetBool(DirectFunctionCall2(interval_eq, IntervalPGetDatum(&grid->width), IntervalPGetDatum(&other->width))))
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_OBJECT),
					 errmsg("%s has slices of %s already", source->name, pegs_width_text(&other->width)),
					 errdetail("Nothing was charged."),
					 errhint("They go on as they are. To give up what was paid for them, and set them anew for another charge: SELECT pegs_unset_slices(%s);", pegs_relation_literal(source->relid))));
		if (!pegs_grids_nest(grid, other))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("slices of %s and of %s would overlap", pegs_width_text(&grid->width), pegs_width_text(&other->width)),
					 errdetail("Slices of one table are of one column, from one origin, in one time zone, and each is whole slices of the narrower ones. Nothing was charged."),
					 errhint("The slices that there are: column_name => %s, width => '%s', origin => '%s', zone => %s", quote_literal_cstr(other->column),
							 pegs_width_text(&other->width), DatumGetCString(DirectFunctionCall1(timestamp_out, TimestampGetDatum(other->origin))),
							 quote_literal_cstr(other->zone))));
	}
}

/* Copies of slices make no room by themselves: they were paid for, and could be adopted. */
static void
refuse_copies(const PegsSource *source, const PegsGrid *grids, int n)
{
	char	   *table = pegs_relation_literal(source->relid);

	for (int i = 0; i < n; i++)
		if (pegs_mark_copied_from(&grids[i].mark) != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("the slices of %s are a copy", source->name),
					 errdetail("They were paid for %s. Nothing was charged.", pegs_mark_copied_from(&grids[i].mark)),
					 errhint("If no other copy is fitted any more, a superuser can say so: %s"
							 " If one is, give these up first: SELECT pegs_unset_slices(%s);", pegs_adopt_slices_command(table), table)));
}

static void
set_slices(FunctionCallInfo fcinfo, PegsSource *source, PegsGrid *grid)
{
	PegsGrid   *others;
	PegsBill	bill = {
		.account = source->account,
		.epsilon = grid->epsilon,
		.delta = grid->delta,
		.action = "slices",
		.object = pegs_grid_words(grid),
		.unit = pegs_charged_unit(false, NULL)
	};
	int			n;

	pegs_refuse_read_only();
	grid->delta = bill.delta = pegs_delta_of_call(source->account, grid->delta);
	pegs_bill_noise(&bill);
	require_table(source);
	pegs_require_rows(source);
	find_column(source, grid);
	if (grid->values)
	{
		pegs_check_list(grid);
		pegs_hold_list(source, grid);
	}
	else
		pegs_check_grid(grid);
	pegs_check_measurement(grid->epsilon, grid->delta, 1, 0);
	/* one after the other: who does not see the other's slices could set some that overlap them */
	LockDatabaseObject(pegs_internal_relation("grid"), source->account, 0, ExclusiveLock);
	others = pegs_grids_of(source->account, true, &n);
	refuse_copies(source, others, n);
	require_alone(source, grid, others, n);
	require_nested(source, grid, others, n);
	/* behind these: what its hint says for another column would take the guard of the slices that there are */
	pegs_require_guard(source->relid, grid->column);
	pegs_warn_of_parts(source->account);
	pegs_warn_of_the_way_out(source->account);
	pegs_check_budget(&bill);
	grid->base = grid->values ? 0 : pegs_grid_edge(grid, 0);
	pegs_store_grid(source->account, grid);
	pegs_charge(&bill);
	pegs_charge_done(&bill);
}

/*
 * pegs_set_slices(source regclass, column_name name, width interval, origin timestamp, epsilon float8, delta float8,
 *				   zone text) → void
 */
PG_FUNCTION_INFO_V1(pegs_set_slices);
Datum
pegs_set_slices(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "set its slices");
	PegsGrid	grid = read_clock(fcinfo);

	set_slices(fcinfo, source, &grid);
	PG_RETURN_VOID();
}

/* pegs_set_slices(source regclass, column_name name, epsilon float8, delta float8, slices anyarray) → void */
PG_FUNCTION_INFO_V1(pegs_set_listed_slices);
Datum
pegs_set_listed_slices(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "set its slices");
	PegsGrid	grid = read_list(fcinfo);

	set_slices(fcinfo, source, &grid);
	PG_RETURN_VOID();
}

/* pegs_unset_slices(source regclass) → void */
PG_FUNCTION_INFO_V1(pegs_unset_slices);
Datum
pegs_unset_slices(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_unread(pegs_arg_oid(fcinfo, 0, "source"), "set its slices");
	PegsGrid   *grids;
	int			n;

	pegs_refuse_read_only();
	grids = pegs_grids_to_change(source, &n);
	for (int i = 0; i < n; i++)
		pegs_forget_grid(&grids[i]);
	PG_RETURN_VOID();
}
