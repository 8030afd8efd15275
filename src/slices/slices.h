/*
 * slices.h
 *	  Slices of a table by its clock, or by a list of values: paid for once,
 *	  each fitted once.
 */
#ifndef PEGS_SLICES_H
#define PEGS_SLICES_H

#include "server/server.h"
#include "budget/budget.h"
#include "models/models.h"

#include "datatype/timestamp.h"

/* ---- grid.c: edges, which are public; and the grids of a table ---- */

/*
 * Moments are microseconds of the column's own clock: of timestamptz in UTC.
 * Those of a list are places in it: slice i is from i to i + 1.
 */
typedef struct PegsGrid
{
	int64		id;
	char	   *column;
	AttrNumber	attnum;
	Oid			type;			/* by the clock: date, timestamp, timestamptz */
	int32		typmod;
	char	  **values;			/* of a list, as list.c keeps them, and the next three say nothing; NULL: by the clock */
	int			nvalues;
	Interval	width;			/* months, days or time, one of them */
	Timestamp	origin;			/* in the zone */
	char	   *zone;
	int64		base;			/* the moment of the origin when it was set: the mark counts from there */
	int64		epsilon;
	int64		delta;
	PegsMark	mark;
	bool		made_here;		/* in this transaction */
	int64		next;			/* an edge that is not above the next one: where a search begins */
} PegsGrid;

extern int64 pegs_grid_edge(const PegsGrid *grid, int64 number);	/* 0: the origin */
extern bool pegs_grid_next(PegsGrid *grid, int64 after, int64 *edge);	/* the first edge behind this moment; false: it is not past */
extern int64 pegs_grid_complete(PegsGrid *grid, TimestampTz moment);	/* the last edge that was past then; or the origin. Of a list: its end */
extern char *pegs_moment_text(const PegsGrid *grid, int64 moment);	/* canonical */
extern char *pegs_slice_range(const PegsGrid *grid, int64 lower, int64 upper);	/* rows in between: a condition in SQL */
extern char *pegs_grid_words(const PegsGrid *grid);	/* column and width, for people */
extern char *pegs_slices_from(const PegsGrid *grid, int64 lower);	/* which are left there, for people */
extern char *pegs_width_text(const Interval *width);
extern void pegs_check_grid(const PegsGrid *grid);	/* its own arguments; or an error */
extern bool pegs_grids_nest(const PegsGrid *a, const PegsGrid *b);	/* is each slice of the one whole slices of the other? */

/* ---- list.c: slices by a list of values ---- */

extern void pegs_check_list(PegsGrid *grid);	/* its values, as somebody gave them, to those that are kept; or an error */
extern void pegs_hold_list(const PegsSource *source, const PegsGrid *grid);	/* each is one value, and none is another's; or an error */
extern char *pegs_list_value(const PegsGrid *grid, int64 place);	/* canonical */
extern char *pegs_list_range(const PegsGrid *grid, int64 first, int64 end);	/* rows of the slices in between: a condition in SQL */

/* ---- stored.c: grids as they are stored ---- */

extern PegsGrid *pegs_grids_of(Oid account, bool hold, int *n);	/* the widest first; hold: they are ours until this transaction ends, or an error */
extern PegsGrid *pegs_grids_to_change(const PegsSource *source, int *n);	/* held; an error if there are none */
extern void pegs_store_grid(Oid account, const PegsGrid *grid);
extern void pegs_forget_grid(const PegsGrid *grid);
extern int64 pegs_recorded_mark(const PegsGrid *grid);	/* what models say that was used up */

/* ---- fit_slices.c: those that are complete, each fitted once ---- */

extern void pegs_require_fittable(PegsSource *source, const PegsGrid *grids, int n);	/* or an error: why none can be fitted here */

/* ---- adopt_slices.c: copies ---- */

extern char *pegs_adopt_slices_command(const char *literal);	/* for a hint: that of the one copy that is fitted from now on */

/* ---- guard.c: a row stays in its slice ---- */

extern void pegs_require_rows(PegsSource *source);	/* an error if the unit is a person */
extern void pegs_require_guard(Oid relid, const char *column);	/* or an error with the statement that makes it */

#endif							/* PEGS_SLICES_H */
