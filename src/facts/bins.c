/*
 * bins.c
 *	  Bins: of equal width between two values, steps, as they are declared, and whether they still hold. Arithmetic of the column's own type.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/numeric.h"

/* A canonical value as a number: itself, days or microseconds. */
Datum
pegs_edge_number(const PegsColumn *column, const char *text)
{
	Datum		value;
	int64		key = 0;

	switch (column->type)
	{
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			value = pegs_from_canonical(column->type, column->typmod, text);
			(void) pegs_key_of(column->type, value, &key);
			return NumericGetDatum(int64_to_numeric(key));
		default:
			return DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
	}
}

/* And back, rounded to what the type can hold. */
char *
pegs_edge_text(const PegsColumn *column, Datum number, int scale)
{
	Datum		rounded = DirectFunctionCall2(numeric_round, number, Int32GetDatum(scale));

	switch (column->type)
	{
		case DATEOID:
			return pegs_output(DATEOID, DirectFunctionCall1(numeric_int4, rounded));
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return pegs_output(column->type, DirectFunctionCall1(numeric_int8, rounded));
		default:
			return DatumGetCString(DirectFunctionCall1(numeric_out, DirectFunctionCall1(numeric_trim_scale, rounded)));
	}
}

static int
digits_after_point(const char *text)
{
	const char *point = strchr(text, '.');

	return point ? (int) strlen(point + 1) : 0;
}

/* Digits that an edge may have: those of whole numbers, of the column's typmod, or four more than low and high have. */
static int
scale_of(const PegsColumn *column, const char *low, const char *high)
{
	if (column->type == NUMERICOID && column->typmod >= (int32) VARHDRSZ)
		return pegs_scale_of(column->typmod);
	if (column->type == NUMERICOID || column->type == FLOAT4OID || column->type == FLOAT8OID)
		return Max(digits_after_point(low), digits_after_point(high)) + 4;
	return 0;
}

#define MAX_BINS 40				/* of a range that a CHECK states */

/* bins + 1 edges from low to high, as texts in the session's notation or ours; fewer where the type has too few values between. */
char **
pegs_equal_edges(const PegsColumn *column, const char *low, const char *high, int bins, int *nedges)
{
	char	  **edges;
	char	   *from = pegs_canonical_told(column, low, "low");
	char	   *to = pegs_canonical_told(column, high, "high");
	int			scale = scale_of(column, from, to);
	PegsColumn	ends = {.name = column->name, .type = column->type, .typmod = column->typmod, .other = -1};
	Datum		first;
	Datum		width;

	if (bins < 1 || bins >= PEGS_MAX_LEVELS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bins must be between 1 and %d, not %d", PEGS_MAX_LEVELS - 1, bins),
				 errhint("bins => 20")));
	if (!pegs_is_finite(from) || !pegs_is_finite(to))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("low and high must be finite"),
				 errhint("Use the smallest and largest value that the column can hold.")));
	if (pegs_compare(column->type, column->typmod, from, to) >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("low must be below high: %s is not below %s", pegs_clipped(from), pegs_clipped(to)),
				 errhint("low => 0, high => 100, bins => 20")));
	/* digits that do not fit are an error now, and not after as many divisions of as long numbers; those of a CHECK are few */
	if (bins > MAX_BINS)
	{
		ends.nedges = 2;
		ends.edges = palloc(sizeof(char *) * 2);
		ends.edges[0] = from;
		ends.edges[1] = to;
		(void) pegs_decoder(&ends);
	}
	edges = palloc(sizeof(char *) * (bins + 1));
	first = pegs_edge_number(column, from);
	width = DirectFunctionCall2(numeric_sub, pegs_edge_number(column, to), first);
	edges[0] = from;
	*nedges = 1;
	for (int i = 1; i <= bins; i++)
	{
		Datum		part = DirectFunctionCall2(numeric_div, DirectFunctionCall2(numeric_mul, width, NumericGetDatum(int64_to_numeric(i))),
											   NumericGetDatum(int64_to_numeric(bins)));
		char	   *edge;

		CHECK_FOR_INTERRUPTS();
		edge = i == bins ? to : pegs_canonical(column->type, column->typmod, pegs_edge_text(column, DirectFunctionCall2(numeric_add, first, part), scale));

		/* whole numbers: two edges may be one */
		if (pegs_compare(column->type, column->typmod, edges[*nedges - 1], edge) < 0)
			edges[(*nedges)++] = edge;
	}
	return edges;
}

/* ---- steps ---- */

/* Of dates whole days, of timestamps an interval without months; of numbers a number. Above 0. */
char *
pegs_canonical_step(const PegsColumn *column, const char *step)
{
	bool		of_time = column->type == TIMESTAMPOID || column->type == TIMESTAMPTZOID;
	PegsTold	told = {.column = column, .text = step, .what = "step", .hint = of_time ? "step => '1 minute'" : "step => '10'"};
	char	   *text;
	bool		positive;

	pegs_tell(&told);
	if (of_time)
	{
		Interval   *interval = DatumGetIntervalP(DirectFunctionCall3(interval_in, CStringGetDatum(step), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));

		positive = interval->month == 0 && interval->day >= 0 && interval->time >= 0 && (interval->day > 0 || interval->time > 0)
			&& interval->day < 100000 && interval->time < INT64CONST(100000) * USECS_PER_DAY;
		text = positive ? psprintf(INT64_FORMAT " us", interval->day * USECS_PER_DAY + interval->time) : NULL;
	}
	else
	{
		Datum		number = DirectFunctionCall3(numeric_in, CStringGetDatum(step), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
		bool		whole = column->type != NUMERICOID && column->type != FLOAT4OID && column->type != FLOAT8OID;

		text = DatumGetCString(DirectFunctionCall1(numeric_out, DirectFunctionCall1(numeric_trim_scale, number)));
		positive = pegs_is_finite(text) && text[0] != '-' && strcmp(text, "0") != 0
			&& !(whole && strchr(text, '.') != NULL) && strlen(text) <= 18;
	}
	pegs_untell(&told);
	if (!positive)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("step must be above 0 and of type %s", column->type == DATEOID ? "integer (days)"
						: of_time ? "interval without months" : format_type_be(column->type)),
				 errhint("Values of the column are multiples of it: step => '%s'", of_time ? "1 minute" : "10")));
	return text;
}

/* ---- declaring bins ---- */

void
pegs_declare_bins(PegsColumn *column, const PegsDeclaration *declared)
{
	char	  **edges = declared->edges;

	if (!pegs_type_has_bins(column->type))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("column \"%s\" of type %s cannot have bins", column->name, format_type_be(column->type)),
				 errhint("Bins are for numbers, dates and timestamps; use pegs_set_levels.")));
	column->nedges = declared->nedges;
	if (declared->low)
		edges = pegs_equal_edges(column, declared->low, declared->high, declared->bins, &column->nedges);
	if (column->nedges < 2 || column->nedges > PEGS_MAX_LEVELS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("edges must hold between 2 and %d values, not %d", PEGS_MAX_LEVELS, column->nedges),
				 errhint("Bins are [a, b), the last one closed: ARRAY['0', '10', '20'] makes two.")));
	column->edges = palloc(sizeof(char *) * column->nedges);
	for (int i = 0; i < column->nedges; i++)
	{
		column->edges[i] = pegs_canonical_told(column, edges[i], "edges");
		if (!pegs_is_finite(column->edges[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("edges must be finite"),
					 errhint("Use the smallest and largest value that the column can hold.")));
		if (i > 0 && pegs_compare(column->type, column->typmod, column->edges[i - 1], column->edges[i]) >= 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("edges must rise: %s is not below %s", pegs_clipped(column->edges[i - 1]), pegs_clipped(column->edges[i])),
					 errhint("Sort them and name each once.")));
	}
	column->npoints = declared->npoints;
	column->points = declared->npoints > 0 ? palloc(sizeof(char *) * declared->npoints) : NULL;
	for (int i = 0; i < column->npoints; i++)
	{
		column->points[i] = pegs_canonical_told(column, declared->points[i], "points");
		if (!pegs_is_finite(column->points[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("points must be finite"),
					 errhint("A point is one value: points => '{0}'.")));
	}
	pegs_refuse_twice(column, column->points, column->npoints, "point");
	if (column->nedges - 1 + column->npoints >= PEGS_MAX_LEVELS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%d bins and %d points are more than %d levels", column->nedges - 1, column->npoints, PEGS_MAX_LEVELS - 1),
				 errhint("Use fewer of them.")));
	column->step = declared->step ? pegs_canonical_step(column, declared->step) : NULL;
	(void) pegs_decoder(column);	/* digits that do not fit are an error now */
}

/* ---- the domain of a range ---- */

#define MAX_VALUES 100			/* whole numbers that are levels, each for itself */

/* Widths that a person would choose: 1, 2 or 5 times a power of ten, the least that makes no more than MAX_BINS. */
static void
round_edges(PegsColumn *column, double low, double high)
{
	static const int digits[] = {1, 2, 5};
	int			power = (int) floor(log10((high - low) / MAX_BINS)) - 1;
	int			digit = 0;
	double		width;
	int64		first;

	while (width = digits[digit % 3] * pow(10, power + digit / 3), ceil(high / width) - floor(low / width) > MAX_BINS)
		digit++;
	first = (int64) floor(low / width);
	for (int64 i = first; i <= first + MAX_BINS + 1; i++)
	{
		Datum		number = DirectFunctionCall3(numeric_in, CStringGetDatum(psprintf(INT64_FORMAT "e%d", i * digits[digit % 3], power + digit / 3)),
												 ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
		char	   *edge = pegs_try_canonical(column->type, column->typmod, DatumGetCString(DirectFunctionCall1(numeric_out, number)));

		if (edge && pegs_compare(column->type, column->typmod, column->edges[column->nedges - 1], edge) < 0
			&& pegs_compare(column->type, column->typmod, edge, column->edges[column->nedges]) < 0)
		{
			column->edges[column->nedges + 1] = column->edges[column->nedges];
			column->edges[column->nedges++] = edge;
		}
	}
	column->nedges++;
}

int64
pegs_whole_edge(const char *text)
{
	return DatumGetInt64(DirectFunctionCall1(int8in, CStringGetDatum(text)));
}

/* Levels, or bins, of a column of which no more than its range is known: canonical texts. */
void
pegs_domain_of_range(PegsColumn *column, char *low, char *high)
{
	bool		whole = column->type == INT2OID || column->type == INT4OID || column->type == INT8OID;
	double		from;
	double		to;

	if (!pegs_is_number(column->type))
	{
		column->edges = pegs_equal_edges(column, low, high, MAX_BINS, &column->nedges);
		return;
	}
	from = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, pegs_edge_number(column, low)));
	to = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, pegs_edge_number(column, high)));
	if (whole)
	{
		int64		first = pegs_whole_edge(low);
		uint64		more = (uint64) pegs_whole_edge(high) - (uint64) first;

		if (more < MAX_VALUES)
		{
			column->labels = palloc(sizeof(char *) * MAX_VALUES);
			for (uint64 i = 0; i <= more; i++)
				column->labels[column->nlabels++] = psprintf(INT64_FORMAT, first + (int64) i);
			return;
		}
	}
	/* numbers so large, or so close together, that a double does not tell them apart */
	if (!(fabs(from) + fabs(to) < 1e9 * (to - from)) || to - from < 1e-300)
	{
		column->edges = pegs_equal_edges(column, low, high, MAX_BINS, &column->nedges);
		return;
	}
	column->edges = palloc(sizeof(char *) * (MAX_BINS + 4));
	column->edges[0] = low;
	column->edges[1] = high;
	column->nedges = 1;			/* the last edge is behind the last bin that there is yet */
	round_edges(column, from, to);
}

/* Are points and step, which were declared, still those of the column's type, and has every bin a value? */
bool
pegs_bins_hold(const PegsColumn *column)
{
	MemoryContext context = CurrentMemoryContext;
	int			notation = NewGUCNestLevel();
	volatile bool holds = column->step == NULL || pegs_is_step(column);

	for (int i = 0; i < column->npoints && holds; i++)
	{
		const char *now = pegs_try_canonical(column->type, column->typmod, column->points[i]);

		holds = now != NULL && strcmp(now, column->points[i]) == 0;
	}
	PG_TRY();
	{
		if (holds)
			(void) pegs_decoder(column);
	}
	PG_CATCH();
	{
		pegs_forgive_data_error(context);
		holds = false;
	}
	PG_END_TRY();
	AtEOXact_GUC(false, notation);	/* what was pinned when it failed */
	return holds;
}

/* ---- bins that somebody gave, as canonical text ---- */

static bool
are_rising(PegsColumn *column)
{
	Datum	   *value = column->edge_value = pegs_values(column->type, column->typmod, column->edges, column->nedges);

	for (int i = 1; i < column->nedges; i++)
	{
		int64		a;
		int64		b;

		if (i % 1000 == 0)
			CHECK_FOR_INTERRUPTS();
		if (column->type == NUMERICOID
			? DatumGetInt32(DirectFunctionCall2(numeric_cmp, value[i - 1], value[i])) >= 0
			: !pegs_key_of(column->type, value[i - 1], &a) || !pegs_key_of(column->type, value[i], &b) || a >= b)
			return false;
	}
	return true;
}

static bool
are_canonical(char *const *points, const PegsColumn *column)
{
	int			level = pegs_pin_notation();
	bool		canonical = true;

	for (int i = 0; i < column->npoints && canonical; i++)
	{
		if (i % 256 == 0)
			CHECK_FOR_INTERRUPTS();
		canonical = pegs_is_finite(points[i]) && strcmp(pegs_canonical(column->type, column->typmod, points[i]), points[i]) == 0;
	}
	AtEOXact_GUC(false, level);
	return canonical;
}

/* Are they not as pegs_set_bins keeps them? NULL: they are. */
const char *
pegs_bins_problem(PegsColumn *column)
{
	if (!are_rising(column))
		return "edges must rise";
	if (!are_canonical(column->points, column))
		return "a point is not canonical";
	if (pegs_twice(column->points, column->npoints))
		return "a point is there twice";
	if (column->step && !pegs_is_step(column))
		return "a step is not canonical";
	return NULL;
}
