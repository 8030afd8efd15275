/*
 * grid.c
 *	  The edges of slices: origin + n widths, by the calendar, in a time zone
 *	  that is kept with them.
 *
 * They are public: no row moves one. What is used up is kept as a moment, not
 * as a number (mark.c), so slices are disjoint whatever the rules of a time zone
 * become: the next one begins where the last one ended. Claim P21.
 */
#include "slices/slices.h"
#include "codes/codes.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

/* ---- edges ---- */

static Timestamp
plus(Timestamp origin, const Interval *width, int64 number)
{
	Interval	span = {.time = width->time * number, .day = (int32) (width->day * number), .month = (int32) (width->month * number)};

	return DatumGetTimestamp(DirectFunctionCall2(timestamp_pl_interval, TimestampGetDatum(origin), IntervalPGetDatum(&span)));
}

/* A local time as a moment. By the zone itself: what an abbreviation means, a session could say. */
static int64
in_zone(Timestamp local, const char *zone)
{
	struct pg_tm tm;
	fsec_t		fraction;
	int			offset;
	Timestamp	moment;

	if (timestamp2tm(local, NULL, &tm, &fraction, NULL, NULL) != 0)
		elog(ERROR, "an edge is out of range");
	offset = DetermineTimeZoneOffset(&tm, pegs_zone(zone));
	if (tm2timestamp(&tm, fraction, &offset, &moment) != 0)
		elog(ERROR, "an edge is out of range");
	return moment;
}

int64
pegs_grid_edge(const PegsGrid *grid, int64 number)
{
	Timestamp	local = plus(grid->origin, &grid->width, number);

	return grid->type == TIMESTAMPTZOID ? in_zone(local, grid->zone) : local;
}

/* A moment by the clock of the column. */
static int64
clock_of(const PegsGrid *grid, TimestampTz moment)
{
	struct pg_tm tm;
	fsec_t		fraction;
	int			offset;
	const char *zone;
	Timestamp	local;

	if (grid->type == TIMESTAMPTZOID)
		return moment;
	if (timestamp2tm(moment, &offset, &tm, &fraction, &zone, pegs_zone(grid->zone)) != 0 || tm2timestamp(&tm, fraction, NULL, &local) != 0)
		elog(ERROR, "the clock is out of range");
	return local;
}

/* What time it is, for the column: the clock of the statement, which no role can set. */
static int64
now_of(const PegsGrid *grid)
{
	return clock_of(grid, GetCurrentStatementStartTimestamp());
}

bool
pegs_grid_next(PegsGrid *grid, int64 after, int64 *edge)
{
	if (grid->values)
	{
		*edge = after + 1;
		return after < grid->nvalues;
	}
	while ((*edge = pegs_grid_edge(grid, grid->next)) <= after)
	{
		CHECK_FOR_INTERRUPTS();
		grid->next++;
	}
	return *edge <= now_of(grid);
}

/* As far as the rules of a time zone can be from UTC, and more: those of POSIX have up to a week. */
#define A_ZONE_AT_MOST (8 * USECS_PER_DAY)

int64
pegs_grid_complete(PegsGrid *grid, TimestampTz moment)
{
	int64		edge;

	if (TIMESTAMP_IS_NOBEGIN(moment))
		return grid->base;
	if (grid->values)
		return grid->nvalues;	/* no clock says which were fitted */
	if (moment < grid->base - A_ZONE_AT_MOST)
		return grid->base;		/* before all of them; and maybe before all that a clock can say */
	(void) pegs_grid_next(grid, clock_of(grid, moment), &edge);
	return grid->next > 0 ? Max(pegs_grid_edge(grid, grid->next - 1), grid->base) : grid->base;
}

/* ---- as text ---- */

static Datum
value_of(const PegsGrid *grid, int64 moment)
{
	if (grid->type == DATEOID)
		return DateADTGetDatum((DateADT) (moment / USECS_PER_DAY));
	return TimestampGetDatum(moment);
}

char *
pegs_moment_text(const PegsGrid *grid, int64 moment)
{
	return pegs_output(grid->type, value_of(grid, moment));
}

/* By literals, so that partitions are pruned when it is planned. */
char *
pegs_slice_range(const PegsGrid *grid, int64 lower, int64 upper)
{
	const char *name = quote_identifier(grid->column);
	const char *type = grid->type == DATEOID ? "date" : grid->type == TIMESTAMPTZOID ? "timestamptz" : "timestamp";

	if (grid->values)
		return pegs_list_range(grid, lower, upper);
	return psprintf("%s OPERATOR(pg_catalog.>=) pg_catalog.%s %s AND %s OPERATOR(pg_catalog.<) pg_catalog.%s %s",
					name, type, quote_literal_cstr(pegs_moment_text(grid, lower)), name, type, quote_literal_cstr(pegs_moment_text(grid, upper)));
}

char *
pegs_width_text(const Interval *width)
{
	int			level = pegs_pin_notation();
	char	   *text;

	(void) set_config_option("intervalstyle", "postgres", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	text = DatumGetCString(DirectFunctionCall1(interval_out, IntervalPGetDatum(width)));
	AtEOXact_GUC(false, level);
	return text;
}

char *
pegs_grid_words(const PegsGrid *grid)
{
	if (grid->values)
		return psprintf("%s by %d values", grid->column, grid->nvalues);
	return psprintf("%s by %s", grid->column, pegs_width_text(&grid->width));
}

char *
pegs_slices_from(const PegsGrid *grid, int64 lower)
{
	if (grid->values == NULL)
		return psprintf("those from %s on", pegs_moment_text(grid, lower));
	return lower < grid->nvalues ? psprintf("those from %s on, in the order of the list,", pegs_list_value(grid, lower)) : pstrdup("none of them");
}

/* ---- which grids there may be ---- */

static void
refuse_width(const PegsGrid *grid, const char *why)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("slices cannot be so wide: %s", why),
			 errhint("width => '1 day', '7 days'%s", grid->type == DATEOID ? " or '1 month'" : ", '1 month' or '6 hours'")));
}

void
pegs_check_grid(const PegsGrid *grid)
{
	const Interval *width = &grid->width;
	int			fields = (width->month != 0) + (width->day != 0) + (width->time != 0);
	struct pg_tm tm;
	fsec_t		fraction;

	if (fields != 1 || width->month < 0 || width->day < 0 || width->time < 0)
		refuse_width(grid, "a width is whole months, whole days or a time, one of them, and above zero");
	if (width->time != 0 && (width->time < USECS_PER_HOUR || width->time % USECS_PER_SEC != 0))
		refuse_width(grid, "a slice has at least an hour, and whole seconds");
	if (width->time > 1000 * USECS_PER_DAY || width->day > 36525 || width->month > 1200)
		refuse_width(grid, "a slice has at most a hundred years");
	if (grid->type == DATEOID && width->time != 0)
		refuse_width(grid, "a column of type date has no hours");
	if (TIMESTAMP_NOT_FINITE(grid->origin) || timestamp2tm(grid->origin, NULL, &tm, &fraction, NULL, NULL) != 0
		|| tm.tm_year < 1900 || tm.tm_year > 9000 || fraction != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("slices cannot begin there"),
				 errdetail("The origin lies between the years 1900 and 9000, at a whole second."),
				 errhint("origin => '2026-01-01'")));
	if (grid->type == DATEOID && grid->origin % USECS_PER_DAY != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("slices of a column of type date begin at midnight"),
				 errhint("origin => '2026-01-01'")));
	if (width->month != 0 && tm.tm_mday > 28)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("slices of months cannot begin at day %d of a month", tm.tm_mday),
				 errdetail("Not every month has one."),
				 errhint("origin => '2026-01-01'")));
}

/* From the same origin. The wider one must be whole slices of the other: a month is no fixed number of days, but whole days. */
static bool
is_made_of(const Interval *wide, const Interval *narrow)
{
	if (narrow->month != 0)
		return wide->month != 0 && wide->month % narrow->month == 0;
	if (narrow->day != 0)
		return wide->day != 0 ? wide->day % narrow->day == 0 : wide->month != 0 && narrow->day == 1;
	return wide->time != 0 ? wide->time % narrow->time == 0 : USECS_PER_DAY % narrow->time == 0;
}

bool
pegs_grids_nest(const PegsGrid *a, const PegsGrid *b)
{
	return a->attnum == b->attnum && strcmp(a->column, b->column) == 0 && a->origin == b->origin && strcmp(a->zone, b->zone) == 0
		&& (is_made_of(&a->width, &b->width) || is_made_of(&b->width, &a->width));
}
