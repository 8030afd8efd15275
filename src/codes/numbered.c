/*
 * numbered.c
 *	  Which values the bins of a column have, as numbers.
 *
 * Those of its type, or the multiples of its step, without the points, which
 * are levels of their own. All arithmetic is exact. A bin without a value is
 * an error: it is met when the bins are declared. Floats without a step have
 * no numbers; of them the points alone are kept.
 */
#include "codes/inside.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#define MAX_STEPS (INT64CONST(1) << 52) /* of a float8, times the units of the step: each multiple is another double */
#define MAX_FLOAT4_STEPS (INT64CONST(1) << 23)
#define A_MONDAY 2				/* 2000-01-03, in days since 2000-01-01: steps of dates and times begin there */

static bool
is_time(Oid base)
{
	return base == TIMESTAMPOID || base == TIMESTAMPTZOID;
}

static void
too_fine(const PegsColumn *column)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("multiples of step %s of column \"%s\" have more digits than type %s holds", column->step, column->name,
					format_type_with_typemod(column->type, column->typmod)),
			 errhint("Use a step with fewer digits, or edges closer to zero.")));
}

/* ---- numerics as whole numbers ---- */

static int
digits_after_point(const char *text)
{
	const char *point = strchr(text, '.');

	return point ? (int) strlen(point + 1) : 0;
}

static int
digits_before_point(const char *text)
{
	int			n = 0;

	for (const char *p = text; *p && *p != '.'; p++)
		n += *p >= '0' && *p <= '9';
	return n;
}

/* Digits after the point that its values have: the column's own, those of its step, or those of its edges, at least two. */
static int
scale_of_values(const PegsColumn *column, const PegsStep *step)
{
	int			scale = 2;

	if (column->typmod >= (int32) VARHDRSZ)
		return Max(pegs_scale_of(column->typmod), 0);
	if (step)
		return step->digits;
	for (int i = 0; i < column->nedges; i++)
		scale = Max(scale, digits_after_point(column->edges[i]));
	return scale;
}

/* text * 10^scale, which is whole and has at most 18 digits */
static int64
times_ten_to(const char *text, int scale)
{
	return DatumGetInt64(DirectFunctionCall1(numeric_int8,
											 DirectFunctionCall3(numeric_in, CStringGetDatum(psprintf("%se%d", text, scale)),
																 ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1))));
}

static int64
scaled_edge(const PegsColumn *column, const char *edge, int scale)
{
	if (digits_before_point(edge) + scale > 18)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("bins of column \"%s\" need more than 18 digits", column->name),
				 errdetail("Edge %s with %d digits after the point.", pegs_clipped(edge), scale),
				 errhint("Use edges closer to zero, or a type with fewer digits.")));
	return times_ten_to(edge, scale);
}

/* False: it has more digits than the values inside bins, or lies far outside. */
static bool
scaled_point(const char *point, int scale, int64 *scaled)
{
	char	   *text = pstrdup(point);

	if (strchr(text, '.'))
		for (char *end = text + strlen(text) - 1; *end == '0'; end--)
			*end = '\0';
	if (digits_after_point(text) > scale || digits_before_point(text) + scale > 18)
		return false;
	*scaled = times_ten_to(text, scale);
	return true;
}

/* 100 of numeric(5, -2): its values are multiples of it. Else 1. */
static int64
unit_of_type(const PegsColumn *column)
{
	int			scale = column->typmod >= (int32) VARHDRSZ ? pegs_scale_of(column->typmod) : 0;
	int64		unit = 1;

	if (pegs_beyond_bins(column))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("bins of column \"%s\" need more than 18 digits", column->name),
				 errdetail("Its values have %s.", pegs_beyond_bins(column)),
				 errhint("Use a type with fewer digits.")));
	for (; scale < 0; scale++)
		unit *= 10;
	return unit;
}

/* ---- numbers of values ---- */

static int64
floor_div(int64 a, int64 b)
{
	return a / b - (a % b < 0);
}

static int64
ceil_div(int64 a, int64 b)
{
	return a / b + (a % b > 0);
}

static float8
float_from(Oid base, Datum value)
{
	return base == FLOAT4OID ? (float8) DatumGetFloat4(value) : DatumGetFloat8(value);
}

static int64
most_steps(const PegsInside *inside)
{
	int64		most = Max(MAX_STEPS / inside->unit, 1);

	return inside->column->type == FLOAT4OID ? Min(most, MAX_FLOAT4_STEPS) : most;
}

/* The first number whose float is not below this one, if it is not above all of them. */
static int64
first_not_below(const PegsInside *inside, float8 bound)
{
	int64		low = -most_steps(inside);
	int64		high = most_steps(inside);

	while (low < high)
	{
		int64		middle = floor_div(low + high, 2);

		if (pegs_float_of(inside, middle) >= bound)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* ---- what is between the edges ---- */

/* Units and digits; an error where multiples of the step are no values of the column. */
static void
choose_units(PegsInside *inside, const PegsStep *step)
{
	const PegsColumn *column = inside->column;

	inside->unit = step ? step->units : 1;
	if (column->type == NUMERICOID)
	{
		int64		least = unit_of_type(column);

		inside->scale = inside->edge_scale = scale_of_values(column, step);
		for (int i = 0; step && i < column->nedges; i++)
			inside->edge_scale = Max(inside->edge_scale, digits_after_point(column->edges[i]));
		if (step && (step->digits > inside->scale || step->units % least != 0))
			too_fine(column);
		if (step == NULL)
			inside->unit = least;
		if (step && inside->scale > step->digits)
			inside->unit = scaled_edge(column, column->step, inside->scale);
		inside->edge_unit = step ? scaled_edge(column, column->step, inside->edge_scale) : least;
		return;
	}
	if (pegs_is_float(column->type))
	{
		inside->power = 1;
		for (int i = 0; step && i < step->digits; i++)
			inside->power *= 10;
		return;
	}
	if (is_time(column->type) && column->typmod >= 0)
	{
		int64		tick = 1;

		for (int digits = column->typmod; digits < 6; digits++)
			tick *= 10;
		if (step && step->units % tick != 0)
			too_fine(column);
		inside->unit = Max(inside->unit, tick);
	}
	if (step && column->type == DATEOID)
		inside->origin = A_MONDAY;
	if (step && is_time(column->type))
		inside->origin = A_MONDAY * USECS_PER_DAY;
	inside->edge_unit = inside->unit;
}

static void
nothing_inside(const PegsColumn *column, int bin, bool points)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 points ? errmsg("bin %s of column \"%s\" holds nothing but points", pegs_level_text(column, bin), column->name)
			 : errmsg("bin %s of column \"%s\" holds no multiple of %s", pegs_level_text(column, bin), column->name, column->step),
			 points ? errhint("Leave out its points, or an edge of it.")
			 : errhint("Use wider bins, or a smaller step.")));
}

/* Numbers of the values in each bin: of what is no float. */
static void
number_whole(PegsInside *inside)
{
	const PegsColumn *column = inside->column;
	Datum	   *value = column->type == NUMERICOID ? NULL : pegs_edge_values(column);
	int64		next = 0;

	for (int i = 0; i < column->nedges; i++)
	{
		int64		edge = next;

		if (i % 256 == 0)
			CHECK_FOR_INTERRUPTS();
		if (value == NULL)
			next = scaled_edge(column, column->edges[i], inside->edge_scale);
		else
			(void) pegs_key_of(column->type, value[i], &next);
		if (i > 0)
		{
			PegsBin    *bin = &inside->bin[i - 1];
			int64		last = next - (i < column->nedges - 1);

			bin->low = ceil_div(edge - inside->origin, inside->edge_unit);
			last = floor_div(last - inside->origin, inside->edge_unit);
			if (last < bin->low)
				nothing_inside(column, i - 1, false);
			bin->count = (uint64) last - (uint64) bin->low + 1;
		}
	}
}

static void
number_floats(PegsInside *inside)
{
	const PegsColumn *column = inside->column;
	Datum	   *value = pegs_edge_values(column);
	int			n = column->nedges - 1;

	for (int i = 0; i < n; i++)
	{
		PegsBin    *bin = &inside->bin[i];
		int64		end;

		if (i % 256 == 0)
			CHECK_FOR_INTERRUPTS();
		bin->from = float_from(column->type, value[i]);
		bin->to = float_from(column->type, value[i + 1]);
		if (inside->dense)
			continue;
		if (pegs_float_of(inside, -most_steps(inside)) > bin->from || pegs_float_of(inside, most_steps(inside)) < bin->to)
			too_fine(column);
		bin->low = first_not_below(inside, bin->from);
		end = first_not_below(inside, bin->to);
		end += i == n - 1 && pegs_float_of(inside, end) == bin->to;
		if (end <= bin->low)
			nothing_inside(column, i, false);
		bin->count = end - bin->low;
	}
}

/* ---- without the points ---- */

/* Its number, if it has one. */
static bool
number_of_point(const PegsInside *inside, const char *text, Datum value, int64 *number)
{
	Oid			type = inside->column->type;
	int64		key;

	if (pegs_is_float(type))
	{
		float8		x = float_from(type, value);

		*number = first_not_below(inside, x);
		return pegs_float_of(inside, *number) == x;
	}
	if (type == NUMERICOID ? !scaled_point(text, inside->edge_scale, &key) : !pegs_key_of(type, value, &key))
		return false;
	*number = floor_div(key - inside->origin, inside->edge_unit);
	return *number * inside->edge_unit == key - inside->origin;
}

static int
compare_numbers(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

	return x < y ? -1 : x > y;
}

static int
compare_floats(const void *a, const void *b)
{
	float8		x = *(const float8 *) a;
	float8		y = *(const float8 *) b;

	return x < y ? -1 : x > y;
}

float8
pegs_float_after(const PegsInside *inside, float8 x)
{
	return inside->column->type == FLOAT4OID ? nextafterf((float4) x, INFINITY) : nextafter(x, INFINITY);
}

bool
pegs_is_gap(const PegsInside *inside, const PegsBin *bin, float8 x)
{
	return bin->npoints > 0 && bsearch(&x, inside->gap + bin->first_point, bin->npoints, sizeof(float8), compare_floats) != NULL;
}

/* Which of the points, in order, lie in a bin; the next bin is asked about those from *at on. */
static void
find_points(const PegsInside *inside, PegsBin *bin, int *at)
{
	while (*at < inside->npoints && (inside->dense ? inside->gap[*at] < bin->from : inside->point[*at] < bin->low))
		(*at)++;
	bin->first_point = *at;
	while (*at < inside->npoints && (inside->dense ? inside->gap[*at] < bin->to
									 : bin->count == 0 || (uint64) inside->point[*at] - (uint64) bin->low < bin->count))
		(*at)++;
	bin->npoints = *at - bin->first_point;
}

static void
take_out_points(PegsInside *inside, const Datum *value)
{
	const PegsColumn *column = inside->column;
	int			at = 0;

	inside->point = palloc(sizeof(int64) * column->npoints);
	inside->gap = palloc(sizeof(float8) * column->npoints);
	for (int i = 0; i < column->npoints; i++)
	{
		if (i % 256 == 0)
			CHECK_FOR_INTERRUPTS();
		if (inside->dense)
			inside->gap[inside->npoints++] = float_from(column->type, value[i]);
		else if (number_of_point(inside, column->points[i], value[i], &inside->point[inside->npoints]))
			inside->npoints++;
	}
	qsort(inside->point, inside->dense ? 0 : inside->npoints, sizeof(int64), compare_numbers);
	qsort(inside->gap, inside->dense ? inside->npoints : 0, sizeof(float8), compare_floats);
	for (int i = 0; i < column->nedges - 1; i++)
	{
		PegsBin    *bin = &inside->bin[i];
		float8		first;

		find_points(inside, bin, &at);
		if (!inside->dense && bin->count != 0 && bin->count == (uint64) bin->npoints)
			nothing_inside(column, i, true);
		bin->count -= bin->npoints;
		if (!inside->dense)
			continue;
		for (first = bin->from; pegs_is_gap(inside, bin, first);)
			first = pegs_float_after(inside, first);
		if (first >= bin->to)
			nothing_inside(column, i, true);
	}
}

void
pegs_number_values(PegsInside *inside, const PegsStep *step, const Datum *points)
{
	const PegsColumn *column = inside->column;

	choose_units(inside, step);
	if (pegs_is_float(column->type))
		number_floats(inside);
	else
		number_whole(inside);
	if (column->npoints > 0)
		take_out_points(inside, points);
}
