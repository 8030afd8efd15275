/*
 * parts.c
 *	  Columns that are modelled by hidden ones: times by calendar parts, a column by how much it is after another, and keys by what a lookup table says of them.
 *
 * What is declared is of the column: bins of days or weeks, a zone, bins of
 * the difference, or columns of the table (facts/keyed.c). Public facts. Law L1. What they become in a domain: split.c;
 * of a row: codes/part.c.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

/* ---- hidden columns of one column ---- */

/* A name as SQL has it, in quotes. */
char *
pegs_quoted_name(const char *name)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '"');
	for (const char *p = name; *p; p++)
	{
		if (*p == '"')
			appendStringInfoChar(&out, '"');
		appendStringInfoChar(&out, *p);
	}
	appendStringInfoChar(&out, '"');
	return out.data;
}

#define BETWEEN " - "			/* the names of a difference */

/* In a hidden name: quoted where two could be taken for other two. */
static const char *
name_in_hidden(const char *name)
{
	return strstr(name, BETWEEN) || strchr(name, '"') ? pegs_quoted_name(name) : name;
}

/* No two hidden columns of a table have the same. */
char *
pegs_hidden_name(const PegsColumn *column, PegsPartKind kind)
{
	if (kind == PEGS_DIFFERENCE)
		return psprintf("%s" BETWEEN "%s", name_in_hidden(column->name), name_in_hidden(column->earlier));
	return psprintf("%s.%s", name_in_hidden(column->name), pegs_part_name(kind));
}

/* Edges are the first moments of days or weeks; here as these. */
static void
edges_of_days(PegsColumn *hidden, const PegsColumn *column)
{
	Datum	   *edge = pegs_edge_values(column);
	pg_tz	   *zone = column->zone ? pegs_zone(column->zone) : NULL;

	hidden->nedges = column->nedges;
	hidden->edges = palloc(sizeof(char *) * column->nedges);
	for (int i = 0; i < column->nedges; i++)
		hidden->edges[i] = pegs_output(DATEOID, pegs_time_part(hidden->part->kind, zone, edge[i]));
	if (hidden->part->kind == PEGS_WEEK)
		hidden->step = "7";
}

#define HOURS 24

/* The last bin is closed, and its day has no second more. */
static void
hours(PegsColumn *hidden, const PegsColumn *column)
{
	hidden->nedges = HOURS + 1;
	hidden->edges = palloc(sizeof(char *) * (HOURS + 1));
	for (int i = 0; i <= HOURS; i++)
		hidden->edges[i] = psprintf("%d", i * SECS_PER_HOUR - (i == HOURS));
	if (column->step)
		hidden->step = psprintf(INT64_FORMAT, (int64) strtoll(column->step, NULL, 10) / USECS_PER_SEC);
}

static void
weekdays(PegsColumn *hidden, const PegsColumn *column)
{
	hidden->labels = palloc(sizeof(char *) * 7);
	for (hidden->nlabels = 0; hidden->nlabels < 7; hidden->nlabels++)
		hidden->labels[hidden->nlabels] = psprintf("%d", hidden->nlabels + 1);
	/* its NULL is not declared where that of the day is not: the row is left out where that leaves it out */
	hidden->drop = column->drop || column->nearest;
}

/* With its bins; NULL where the column is, or the one before it. */
static PegsColumn
hidden_column(const PegsColumn *column, PegsPartKind kind, bool nullable)
{
	PegsPart   *part = palloc(sizeof(PegsPart));
	PegsColumn	hidden = {.name = pegs_hidden_name(column, kind), .type = kind == PEGS_DATE || kind == PEGS_WEEK ? DATEOID : INT4OID, .typmod = -1,
		.nullable = nullable, .other = -1, .drop = column->drop, .nearest = column->nearest, .part = part, .lookup = column->lookup};

	*part = (PegsPart) {kind, column->name, column->earlier, column->type, column->zone, column->via};
	if (kind == PEGS_DIFFERENCE)
	{
		hidden.type = pegs_difference_type(column->type, column->typmod, &hidden.typmod);
		hidden.nedges = column->nedges;
		hidden.edges = column->edges;
		hidden.drop = false;
		hidden.nearest = true;
	}
	else if (kind == PEGS_HOUR)
		hours(&hidden, column);
	else if (kind == PEGS_WEEKDAY)
		weekdays(&hidden, column);
	else if (kind == PEGS_VIA)
	{
		hidden.type = TEXTOID;
		hidden.nlabels = column->nlabels;
		hidden.labels = column->labels;
	}
	else
		edges_of_days(&hidden, column);
	if (kind == PEGS_DIFFERENCE || kind == PEGS_DATE || kind == PEGS_WEEK)
	{
		hidden.nlearnt = column->nlearnt;
		hidden.learnt = column->learnt;
	}
	hidden.origin = psprintf("%s: %s", column->origin ? column->origin : "declared bins", pegs_part_words(part));
	return hidden;
}

/* Of PegsColumn, in their order. */
List *
pegs_hidden_columns(const PegsColumn *column, bool nullable)
{
	List	   *list = NIL;

	for (int i = 0; i < column->nparts + (column->earlier != NULL); i++)
	{
		PegsPartKind kind = PEGS_DIFFERENCE;
		PegsColumn *hidden = palloc(sizeof(PegsColumn));

		if (i < column->nparts && !pegs_part_kind(column->parts[i], &kind))
			elog(ERROR, "a declaration has a part \"%s\"", column->parts[i]);
		*hidden = hidden_column(column, kind, nullable);
		list = lappend(list, hidden);
	}
	return list;
}

/* Can there be a hidden column of this name? */
const char *
pegs_hidden_name_problem(Oid relid, const char *name)
{
	if (strlen(name) >= NAMEDATALEN)
		return psprintf("its hidden column \"%s\" would have a name of more than %d bytes", name, NAMEDATALEN - 1);
	if (get_attnum(relid, name) != InvalidAttrNumber)
		return psprintf("the table has a column \"%s\" already", name);
	return NULL;
}

/* ---- declaring ---- */

/* Neither a key nor the unit, and nothing that cannot be computed. */
void
pegs_require_splittable(const PegsSource *source, const PegsColumn *column)
{
	const char *unit = pegs_unit_column(source);
	PegsReference reference = {0};
	const char *what = unit && strcmp(unit, column->name) == 0 ? "the privacy unit"
		: pegs_is_no_value(source->relid, get_attnum(source->relid, column->name), &reference);

	if (what)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" is %s, and cannot be computed from others", column->name, what),
				 errhint("Leave it out: SELECT pegs_leave_out(%s, %s);", quote_literal_cstr(source->name), quote_literal_cstr(column->name))));
	pegs_require_computable(source, column, false);
}

/* What is hidden has names, and bins with values. */
void
pegs_check_hidden(const PegsSource *source, const PegsColumn *column)
{
	ListCell   *cell;

	foreach(cell, pegs_hidden_columns(column, true))
	{
		const PegsColumn *hidden = lfirst(cell);
		const char *problem = pegs_hidden_name_problem(source->relid, hidden->name);

		if (problem)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" cannot be computed from others: %s", column->name, problem),
					 errhint("Use a view that calls its columns otherwise.")));
		(void) pegs_decoder(hidden);
	}
}

/* date or week first, weekday with week alone, hour last. */
static void
check_parts(char *const *parts, int n)
{
	bool		week = n > 0 && strcmp(parts[0], "week") == 0;
	int			next = week ? 2 : 1;

	if ((week && n > 1 && strcmp(parts[1], "weekday") == 0) || (n > 0 && strcmp(parts[0], "date") == 0))
	{
		if (n == next || (n == next + 1 && strcmp(parts[next], "hour") == 0))
			return;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("parts must be {date}, {date, hour}, {week, weekday} or {week, weekday, hour}"),
			 errhint("parts => '{date, hour}'")));
}

/* The first moment of a day, where the zone has it. */
static char *
moment_of(const PegsColumn *column, DateADT day)
{
	Datum		midnight = TimestampGetDatum((Timestamp) day * USECS_PER_DAY);

	return pegs_output(column->type, column->zone ? DirectFunctionCall2(timestamp_zone, CStringGetTextDatum(column->zone), midnight) : midnight);
}

#define WINTER 8780				/* 2024-01-15, in days since 2000-01-01 */
#define SUMMER 8962

/*
 * A name may be a zone with a summer time to one function of the server, and an
 * abbreviation without one to another (CET, EET, MET, WET): what is read as one
 * would be written as the other.
 */
static void
require_one_zone(const PegsColumn *column)
{
	pg_tz	   *zone = pegs_zone(column->zone);
	Datum		name = CStringGetTextDatum(column->zone);
	static const int days[] = {WINTER, SUMMER};

	for (size_t i = 0; i < lengthof(days); i++)
	{
		Datum		noon = TimestampGetDatum((Timestamp) days[i] * USECS_PER_DAY + USECS_PER_DAY / 2);

		if (DatumGetInt32(pegs_time_part(PEGS_HOUR, zone, DirectFunctionCall2(timestamp_zone, name, noon))) != SECS_PER_DAY / 2)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("time zone \"%s\" is also an abbreviation, which has no summer time", column->zone),
					 errhint("Use a zone that is named after a place: SET timezone = 'Europe/Brussels';")));
	}
}

/* Edges back to the first moments of their days or weeks; those that are the same are one. */
static void
floor_edges(PegsColumn *column)
{
	bool		week = strcmp(column->parts[0], "week") == 0;
	pg_tz	   *zone = column->zone ? pegs_zone(column->zone) : NULL;
	Datum	   *edge = pegs_edge_values(column);
	DateADT		last = 0;
	int			n = 0;

	for (int i = 0; i < column->nedges; i++)
	{
		DateADT		day = DatumGetDateADT(pegs_time_part(week ? PEGS_WEEK : PEGS_DATE, zone, edge[i]));

		if (i % 256 == 0)
			CHECK_FOR_INTERRUPTS();
		if (n > 0 && day == last)
			continue;
		last = day;
		column->edges[n++] = moment_of(column, day);
	}
	if (n == 1)
		column->edges[n++] = moment_of(column, last + (week ? 7 : 1));
	column->nedges = n;
}

/* Of times alone; a step is one of the time of day. The bins of the column are declared already. */
void
pegs_declare_parts(const PegsSource *source, PegsColumn *column, const PegsDeclaration *declared)
{
	bool		hour = declared->nparts > 0 && strcmp(declared->parts[declared->nparts - 1], "hour") == 0;
	int64		step = column->step ? strtoll(column->step, NULL, 10) : USECS_PER_SEC;

	if (column->type != TIMESTAMPOID && column->type != TIMESTAMPTZOID)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("column \"%s\" of type %s has no parts", column->name, format_type_be(column->type)),
				 errhint("Parts are for bins of timestamps: leave parts out.")));
	check_parts(declared->parts, declared->nparts);
	if (column->npoints > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("points and parts exclude each other"),
				 errdetail("A point is a moment, and the day and the hour are modelled each for itself."),
				 errhint("Leave one of the two out.")));
	if (column->step && (!hour || step % USECS_PER_SEC != 0 || step > USECS_PER_HOUR))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("step must be whole seconds up to an hour, of a column with the part hour"),
				 errhint("parts => '{date, hour}', step => '1 minute'")));
	pegs_require_splittable(source, column);
	column->nparts = declared->nparts;
	column->parts = declared->parts;
	if (column->type == TIMESTAMPTZOID)
	{
		column->zone = pstrdup(declared->zone ? declared->zone : pg_get_timezone_name(session_timezone));
		require_one_zone(column);
	}
	else if (declared->zone)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" of type %s takes no time zone", column->name, format_type_be(column->type)),
				 errhint("Leave zone out.")));
	floor_edges(column);
	pegs_check_hidden(source, column);
}
